//! Verdicts and what comes with them.

use crate::check::{CheckConfig, Question, verdict};
use crate::engines::Engine;
use aback_backward::Condition;
use aback_ir::{AssertKind, ClassId, MethodId, Program, Span};
use aback_reproducer::Confirmation;
use aback_smt::Statistics;
use aback_symbolic::{Fault, Gap, Work};
use aback_witness::{Constant, Given, Inputs, PathEntry, Place};
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No execution violates anything: proved.
    Holds,
    /// An execution violates something: confirmed by a concrete run.
    Violated,
    /// No execution within bounds that were hit violates anything.
    HoldsWithinBounds,
    /// Neither.
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::HoldsWithinBounds => "holds within bounds",
            Verdict::Unknown => "unknown",
        })
    }
}

/// A confirmed violation: what happens, on which input, and by which way.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What is violated.
    pub fault: Fault,
    /// Where: for what happens in a library, the line of the user's own code that called it.
    pub span: Span,
    /// The operation.
    pub place: Place,
    /// The class of the exception that leaves the entry point, if it is about one.
    pub class: Option<ClassId>,
    /// What the exception's message says, if it has one.
    pub message: Option<String>,
    /// The method that the execution starts with.
    pub entry: MethodId,
    /// The inputs.
    pub inputs: Inputs,
    /// The arguments that are none of `inputs`, because the program makes them.
    pub constants: Vec<Constant>,
    /// The inputs for a person: names with values.
    pub shown_inputs: Vec<(String, String)>,
    /// What the environment gave on the way, in order; empty also where nothing is known of the places.
    pub given: Vec<Given>,
    /// What the program prints on the way.
    pub output: String,
    /// The lines of the user's own code from the entry point to the violation; long paths have a gap in the middle.
    pub path: Vec<PathEntry>,
    /// Number of lines that the gap stands for, and its place in `path`.
    pub omitted: (u64, usize),
    /// What of the inputs no constructor is known to make, in words for a person; filled in where that was looked for.
    pub unmade: Option<String>,
    /// What came of running it outside of aback, if that was asked for.
    pub confirmation: Option<Confirmation>,
    /// Most operations of a concrete run of it.
    pub(crate) max_steps: u64,
}

/// A violation that a concrete run did not confirm: a defect of the tool.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// What was claimed, and what the run did.
    pub violation: Violation,
    /// How the run ended instead.
    pub instead: String,
}

impl Violation {
    /// The method of a library in which it happens, if it happens in one.
    pub fn library_method(&self, program: &Program) -> Option<String> {
        let is_elsewhere = self.span != self.place.span;
        (is_elsewhere && program.is_library_method(self.place.method)).then(|| program.method_name(self.place.method))
    }

    /// What happens, in a few words.
    pub fn describe(&self, program: &Program) -> String {
        let class = match self.fault {
            Fault::Assertion(AssertKind::Reached) => return "control can get to this line".into(),
            Fault::Assertion(kind) => return format!("{} can be false", kind.keyword()),
            // Where the program throws for a trap, the exception's class says more.
            Fault::Trap(trap) => match self.class.filter(|_| program.trap_thrower(trap).is_some()) {
                Some(class) => class,
                None => return format!("{} can happen and is not caught", trap.describe()),
            },
            Fault::Thrown(class) => class,
        };
        let message = self.message.as_ref().map_or_else(String::new, |message| format!(": {message}"));
        format!("{} can be thrown and is not caught{message}", program.class_name(class))
    }
}

/// Gaps in one line.
pub(crate) fn reason(program: &Program, gaps: &[Gap]) -> String {
    gaps.iter().map(|gap| show(program, gap)).collect::<Vec<_>>().join("; ")
}

/// What an engine said to the proof of the other one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoubleCheck {
    /// The engine that was asked second.
    pub engine: Engine,
    /// What it said.
    pub said: SecondSaid,
}

/// What was said to a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecondSaid {
    /// It is a proof, within bounds perhaps.
    Agrees,
    /// Neither that nor the contrary, for this reason.
    Undecided(String),
    /// There is a violation. If a concrete run has confirmed it, it is the answer's.
    Disagrees,
}

impl SecondSaid {
    /// How much of several answers each weighs in the one that is told.
    fn rank(&self) -> u8 {
        match self {
            SecondSaid::Agrees => 0,
            SecondSaid::Undecided(_) => 1,
            SecondSaid::Disagrees => 2,
        }
    }
}

/// The answer with its reasons.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The program in which the places of the answer mean something: that of the session, with marks where it was asked whether control gets to a
    /// line.
    pub program: Program,
    /// What was asked.
    pub question: Question,
    /// The methods that executions start with that the answer is about.
    pub entries: Vec<MethodId>,
    /// The verdict.
    pub verdict: Verdict,
    /// The violation, where the verdict is [`Verdict::Violated`].
    pub violation: Option<Violation>,
    /// The first violation that did not replay, where [`Gap::NotReplayed`] is among the gaps.
    pub rejected: Option<Box<Rejected>>,
    /// Whether the violation contradicts a proof of an engine's own: a defect of the tool.
    pub refuted_proof: bool,
    /// What the other engine said to a proof, where it was asked.
    pub double_check: Option<DoubleCheck>,
    /// Why not all executions are covered.
    pub gaps: Vec<Gap>,
    /// What is taken for granted, for a person: it makes no proof one within bounds.
    pub assumptions: Vec<String>,
    /// How much the engine did.
    pub work: Work,
    /// Further violations, on paths of their own, where several were asked for.
    pub more: Vec<Violation>,
    /// The conditions at the nodes, where the backward engine was asked to keep them.
    pub conditions: Vec<Condition>,
    /// How much the solver stages did.
    pub solving: Statistics,
    /// Time from the question to the answer.
    pub time: Duration,
}

impl Answer {
    /// The answer where the work was stopped before it could begin: by its interrupt, else because the time was up.
    pub fn stopped(config: &CheckConfig, time: Duration) -> Self {
        let gap = if config.interrupt.load(Ordering::Relaxed) { Gap::Interrupted } else { Gap::Time };
        let gaps = vec![gap];
        Answer {
            program: Program::new(),
            question: config.question,
            entries: Vec::new(),
            verdict: Verdict::Unknown,
            violation: None,
            rejected: None,
            refuted_proof: false,
            double_check: None,
            gaps,
            assumptions: Vec::new(),
            work: Work::default(),
            more: Vec::new(),
            conditions: Vec::new(),
            solving: Statistics::default(),
            time,
        }
    }

    /// Number of violations.
    pub(crate) fn found(&self) -> usize {
        usize::from(self.violation.is_some()) + self.more.len()
    }

    /// The answer for these entry points and those of another answer: the other's violation, or all gaps of both.
    pub(crate) fn and(mut self, other: Answer) -> Self {
        for gap in other.gaps {
            if !self.gaps.contains(&gap) {
                self.gaps.push(gap);
            }
        }
        match self.violation {
            Some(_) => self.more.extend(other.violation),
            None => self.violation = other.violation,
        }
        self.rejected = self.rejected.or(other.rejected);
        self.refuted_proof |= other.refuted_proof;
        self.double_check = match (self.double_check, other.double_check) {
            (Some(one), Some(other)) => Some(if other.said.rank() > one.said.rank() { other } else { one }),
            (one, other) => one.or(other),
        };
        self.verdict = verdict(&self.gaps, self.violation.is_some());
        self.work += other.work;
        self.solving += &other.solving;
        for assumption in other.assumptions {
            if !self.assumptions.contains(&assumption) {
                self.assumptions.push(assumption);
            }
        }
        self.more.extend(other.more);
        self.conditions.extend(other.conditions);
        self
    }

    /// What the verdict is on the question, in a few words.
    pub fn said(&self) -> &'static str {
        match (self.question, self.verdict) {
            (Question::Violation, Verdict::Holds) => "holds",
            (Question::Violation, Verdict::Violated) => "violated",
            (Question::Violation, Verdict::HoldsWithinBounds) => "holds within bounds",
            (Question::Reach, Verdict::Holds) => "unreachable",
            (Question::Reach, Verdict::Violated) => "reachable",
            (Question::Reach, Verdict::HoldsWithinBounds) => "unreachable within bounds",
            (_, Verdict::Unknown) => "unknown",
        }
    }

    /// Why the verdict is not a proof or a counterexample, in one line; empty if it is.
    pub fn reason(&self, program: &Program) -> String {
        match self.verdict {
            Verdict::Holds | Verdict::Violated => String::new(),
            Verdict::HoldsWithinBounds | Verdict::Unknown => reason(program, &self.gaps),
        }
    }

    /// Which executions were left out by bounds, each for a person. Where there is a violation, others than its own.
    pub fn bounds(&self, program: &Program) -> Vec<String> {
        self.gaps.iter().filter(|gap| gap.is_bound()).map(|gap| show(program, gap)).collect()
    }

    /// What the user can do to get a verdict, as far as options of the command line help; each advice once.
    pub fn advice(&self) -> Vec<&'static str> {
        let mut advice = Vec::new();
        if matches!(self.verdict, Verdict::Holds | Verdict::Violated) {
            return advice;
        }
        for gap in &self.gaps {
            let text = match gap {
                Gap::Time => {
                    "a longer --timeout gives it more time; another --engine, or --search directed or depth in the forward one, may get further"
                }
                Gap::Operations(_) => {
                    "a larger --max-operations lets it go on; another --engine, or --search directed or depth in the forward one, may get further"
                }
                Gap::Memory => "a larger --memory lets it go on; --search depth needs less",
                Gap::Depth(_) => "a larger --depth, or none, follows longer paths",
                Gap::Solver { .. } => "a longer --solver-timeout, or another --solver, may decide it",
                Gap::NotReplayed { .. } => {
                    "this is a defect of aback: please report it with the program and the file that --witness writes"
                }
                Gap::Interrupted
                | Gap::Recursion(_)
                | Gap::Unwinding(_)
                | Gap::Bound { .. }
                | Gap::Vacuous { .. }
                | Gap::Unsupported { .. }
                | Gap::UnusedRead(_) => continue,
            };
            if !advice.contains(&text) {
                advice.push(text);
            }
        }
        advice
    }
}

/// A gap with its place, if that is known.
fn show(program: &Program, gap: &Gap) -> String {
    match gap.place().map(|place| place.span).filter(|span| Span::is_known(*span)) {
        Some(span) => format!("{gap} at {}", program.show_span(span)),
        None => gap.to_string(),
    }
}
