//! Defines verdicts and answers.

use crate::check::{CheckConfig, Question, verdict};
use crate::engines::Engine;
use crate::time_limit;
use aback_backward::{Condition, Stop};
use aback_ir::{AssertKind, ClassId, MethodId, Program, Span};
use aback_reproducer::Confirmation;
use aback_smt::Statistics;
use aback_symbolic::{Fault, Gap, Way, Work};
use aback_witness::{Constant, Given, Inputs, PathEntry, Place};
use std::fmt;
use std::time::Duration;

/// The verdict on a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No execution violates anything: a proof.
    Holds,
    /// An execution violates something, and a concrete run has confirmed it.
    Violated,
    /// No execution within the bounds that were hit violates anything.
    HoldsWithinBounds,
    /// Neither a proof nor a counterexample was found.
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

/// A confirmed violation: what happens, on which input, and on which path.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What is violated.
    pub fault: Fault,
    /// The location. For a violation in a library, the line of the user's own code that called the library.
    pub span: Span,
    /// The operation that is violated.
    pub place: Place,
    /// The class of the exception that leaves the entry point, if there is one.
    pub class: Option<ClassId>,
    /// The message of the exception, if it has one.
    pub message: Option<String>,
    /// The entry point of the execution.
    pub entry: MethodId,
    /// The inputs.
    pub inputs: Inputs,
    /// The arguments that are not part of `inputs`, because the program creates them.
    pub constants: Vec<Constant>,
    /// The inputs in readable form: names with values.
    pub shown_inputs: Vec<(String, String)>,
    /// The parameters of the entry point, by index, that get null. The receiver is the first parameter.
    pub null_arguments: Vec<usize>,
    /// The calls that make the inputs, if they are known to be such that callers can make them.
    pub made_by: Vec<String>,
    /// The methods of libraries that the run has called and that have models of the user, for users.
    pub models: Vec<String>,
    /// The values that the environment returned during the run, in order; also empty if their places are unknown.
    pub given: Vec<Given>,
    /// The output of the program before the violation.
    pub output: String,
    /// The lines of the user's own code from the entry point to the violation. Long paths have a gap in the middle.
    pub path: Vec<PathEntry>,
    /// Number of lines in the gap, and the index of the gap in `path`.
    pub omitted: (u64, usize),
    /// The inputs that no known constructor creates, in readable form; `None` unless this was examined.
    pub unmade: Option<String>,
    /// The result of a run outside of aback, if one was asked for.
    pub confirmation: Option<Confirmation>,
    /// Most operations of a concrete run of this violation.
    pub(crate) max_steps: u64,
}

/// A violation that a concrete run did not confirm. This is a defect of aback.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The claimed violation, with the recording of the concrete run.
    pub violation: Violation,
    /// How the concrete run ended.
    pub instead: String,
}

impl Violation {
    /// The library method in which the violation happens, if any.
    pub fn library_method(&self, program: &Program) -> Option<String> {
        let is_elsewhere = self.span != self.place.span;
        (is_elsewhere && program.is_library_method(self.place.method)).then(|| program.method_name(self.place.method))
    }

    /// Describes the violation in a few words.
    pub fn describe(&self, program: &Program) -> String {
        let class = match self.fault {
            Fault::Assertion(AssertKind::Reached) => return "control can get to this line".into(),
            Fault::Assertion(AssertKind::NotNull) => return "a reference can be null here".into(),
            Fault::Assertion(kind) => return format!("{} can be false", kind.name()),
            // Where the program throws an exception for a trap, the class of the exception says more.
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

/// The gaps in one line.
pub(crate) fn reason(program: &Program, gaps: &[Gap]) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for gap in gaps {
        let reason = show(program, gap);
        // The time may be up for an engine and for an analysis.
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.join("; ")
}

/// The result of an engine that examined the proof of the other engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoubleCheck {
    /// The second engine.
    pub engine: Engine,
    /// Its result.
    pub said: SecondSaid,
}

/// The result of examining a proof with a second engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecondSaid {
    /// The second engine has a proof, too, perhaps within bounds.
    Agrees,
    /// The second engine neither proved nor refuted it, for this reason.
    Undecided(String),
    /// The second engine claims a violation. If a concrete run has confirmed it, the answer contains it.
    Disagrees,
}

impl SecondSaid {
    /// Priority when answers are combined: the result with the highest rank is kept.
    fn rank(&self) -> u8 {
        match self {
            SecondSaid::Agrees => 0,
            SecondSaid::Undecided(_) => 1,
            SecondSaid::Disagrees => 2,
        }
    }
}

/// An answer with its reasons.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The program that the places of the answer refer to. It is the program of the session, or for a question about
    /// reachability a version of it with markers at the line.
    pub program: Program,
    /// The question.
    pub question: Question,
    /// The entry points that the answer covers.
    pub entries: Vec<MethodId>,
    /// The verdict.
    pub verdict: Verdict,
    /// The violation, where the verdict is [`Verdict::Violated`].
    pub violation: Option<Violation>,
    /// The first candidate that did not replay, if the gaps contain [`Gap::NotReplayed`].
    pub rejected: Option<Box<Rejected>>,
    /// Whether the violation contradicts a proof of an engine. This is a defect of aback.
    pub refuted_proof: bool,
    /// The result of the second engine for a proof, if it was asked.
    pub double_check: Option<DoubleCheck>,
    /// The reasons why not all executions are covered.
    pub gaps: Vec<Gap>,
    /// Assumptions, in readable form. An assumption does not turn a proof into a proof within bounds.
    pub assumptions: Vec<String>,
    /// Amount of work that the engine did.
    pub work: Work,
    /// Further violations on paths of their own, if several were asked for.
    pub more: Vec<Violation>,
    /// The conditions at the nodes, if the backward engine was asked to keep them.
    pub conditions: Vec<Condition>,
    /// The lines from which control comes to the beginning of a trail, if there is one ([`aback_backward::Config::trail`]).
    pub stops: Vec<Stop>,
    /// The ways to the places in question through loops in any number of iterations, if they were asked for and found before
    /// the answer.
    pub ways: Vec<Way>,
    /// Whether time ended a search among executions that the bounds leave out: those with inputs that callers make by calls, or with other
    /// choices of the platform. It may find more in more time.
    pub is_searching: bool,
    /// Amount of work that the solver stages did.
    pub solving: Statistics,
    /// Time from the question to the answer.
    pub time: Duration,
}

impl Answer {
    /// The answer for work that was stopped before it began, by its interrupt or else by its time limit.
    pub fn stopped(config: &CheckConfig, time: Duration) -> Self {
        Answer::without_work(time_limit::gap(&config.interrupt), config, time)
    }

    /// The answer if nothing was done, for this reason.
    pub(crate) fn without_work(gap: Gap, config: &CheckConfig, time: Duration) -> Self {
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
            stops: Vec::new(),
            ways: Vec::new(),
            is_searching: false,
            solving: Statistics::default(),
            time,
        }
    }

    /// Number of violations in this answer.
    pub(crate) fn found(&self) -> usize {
        usize::from(self.violation.is_some()) + self.more.len()
    }

    /// Combines the answers for different entry points: all violations and all gaps of both.
    pub(crate) fn and(mut self, other: Answer) -> Self {
        for gap in other.gaps {
            if !self.gaps.contains(&gap) {
                self.gaps.push(gap);
            }
        }
        match self.violation {
            Some(_) => self.more.extend(other.violation),
            None => (self.violation, self.program) = (other.violation, other.program),
        }
        self.rejected = self.rejected.or(other.rejected);
        self.refuted_proof |= other.refuted_proof;
        self.is_searching |= other.is_searching;
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
        self.stops.extend(other.stops);
        self.ways.extend(other.ways);
        self
    }

    /// The answer, which is no proof any more, if this violation exists where integers wrap around.
    pub fn doubted_by(mut self, wrapping: &Violation) -> Self {
        self.gaps.push(Gap::WrapsAround(wrapping.place));
        self.verdict = verdict(&self.gaps, self.violation.is_some());
        self
    }

    /// The verdict on the question, in a few words.
    pub fn said(&self) -> &'static str {
        match (self.question, self.verdict) {
            (Question::Violation, Verdict::Holds) => "holds",
            (Question::Violation, Verdict::Violated) => "violated",
            (Question::Violation, Verdict::HoldsWithinBounds) => "holds within bounds",
            (Question::Reach, Verdict::Holds) => "unreachable",
            (Question::Reach, Verdict::Violated) => "reachable",
            (Question::Reach, Verdict::HoldsWithinBounds) => "unreachable within bounds",
            (Question::Null { .. }, Verdict::Holds) => "never null",
            (Question::Null { .. }, Verdict::Violated) => "can be null",
            (Question::Null { .. }, Verdict::HoldsWithinBounds) => "never null within bounds",
            (_, Verdict::Unknown) => "unknown",
        }
    }

    /// Why the verdict is neither a proof nor a counterexample, in one line; empty if it is one of these.
    pub fn reason(&self, program: &Program) -> String {
        match self.verdict {
            Verdict::Holds | Verdict::Violated => String::new(),
            Verdict::HoldsWithinBounds | Verdict::Unknown => reason(program, &self.gaps),
        }
    }

    /// Bounds that left out executions, each in readable form. If there is a violation, these are other executions.
    pub fn bounds(&self, program: &Program) -> Vec<String> {
        self.gaps.iter().filter(|gap| gap.is_bound()).map(|gap| show(program, gap)).collect()
    }

    /// Advice on options of the command line that may lead to a verdict, without duplicates.
    pub fn advice(&self) -> Vec<&'static str> {
        let mut advice = Vec::new();
        if matches!(self.verdict, Verdict::Holds | Verdict::Violated) {
            return advice;
        }
        if self.is_searching {
            advice.push("a longer --timeout looks longer at what the bounds leave out");
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
                Gap::WrapsAround(_) => {
                    "--ints machine shows the violation, and --ints unbounded asks about integers without bounds only"
                }
                Gap::NotReplayed { .. } => {
                    "this is a defect of aback: please report it with the program and the file that --witness writes"
                }
                Gap::Unwinding(_) => "a larger --unwind, or none, follows more iterations",
                Gap::Interrupted
                | Gap::Recursion(_)
                | Gap::Bound { .. }
                | Gap::Vacuous { .. }
                | Gap::NoAssertion { .. }
                | Gap::Unsupported { .. }
                | Gap::UnusedRead(_)
                | Gap::Loops(_)
                | Gap::Incomplete(_)
                | Gap::OtherInputs { .. } => continue,
            };
            if !advice.contains(&text) {
                advice.push(text);
            }
        }
        advice
    }
}

/// A gap with its place, if the place is known.
fn show(program: &Program, gap: &Gap) -> String {
    match gap.place().map(|place| place.span).filter(|span| Span::is_known(*span)) {
        Some(span) => format!("{gap} at {}", program.show_span(span)),
        None => gap.to_string(),
    }
}
