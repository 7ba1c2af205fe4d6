//! Decides by a concrete run whether a candidate is a violation.

use crate::check::{KnownViolation, null_arguments};
use crate::plain_objects::{plainer, without_null_elements, without_nulls};
use crate::type_arguments::{breaks_type_arguments, fitted};
use crate::unused_reads::is_unused_read;
use aback_attack::shrink;
use aback_ir::{MethodId, OpKind, Program};
use aback_symbolic::{Candidate, Fault, Gap, Replay};
use aback_witness::{
    InputError, InputObject, Inputs, Limits, Observer, Outcome, Place, Recorder, Recording, State, run,
};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Most operations of the runs that make a counterexample smaller, and most of these runs.
const OPERATIONS: u64 = 1_000_000;
const ATTEMPTS: u64 = 200;
/// Most operations that the run of a candidate of a slice may have more than the slice has.
const SLICED: u64 = 1_000_000;

/// A candidate that did not replay, with the recording of its run, and how the run ended.
type NotReplayed = (Candidate, Recording, String);

/// Tells the classes of the objects among the inputs of an entry point of a program that no known constructor makes.
/// `None` if it is unknown.
pub(crate) type Unmade<'a> = dyn Fn(&Program, MethodId, &Inputs) -> Option<Vec<String>> + Sync + 'a;

/// What is left out with inputs that no known constructor makes.
pub(crate) const CONSTRUCTIBLE: &str = "objects in inputs are made by known constructors";

/// What is left out with collections of the library that are in a state which may be impossible.
const COLLECTIONS: &str = "collections of the library in inputs have no elements other than those that calls add";

/// What is left out with violations that may hide others.
const UNKNOWN: &str = "anything fails that is not known already";

/// What is left out with elements of collections that only unchecked conversions put there.
const TYPE_ARGUMENTS: &str = "elements of collections in inputs have the types that the sources give";

/// Judges the candidates of one exploration.
pub(crate) struct Referee<'a> {
    program: &'a Program,
    entry: MethodId,
    /// The entry point that the user means. It is `entry` or is called by `entry`.
    named: MethodId,
    interrupt: &'a AtomicBool,
    /// Deadline of the concrete runs.
    deadline: Option<Instant>,
    /// The confirmed candidates in order, each with the recording of its run.
    found: Vec<(Candidate, Recording)>,
    /// The first candidate that did not replay.
    rejected: Option<NotReplayed>,
    /// Reads out of bounds whose values were found to be unused.
    unused_reads: FxHashSet<Place>,
    /// Whether other inputs than those of the candidates may be impossible.
    keeps_inputs: bool,
    /// Finds the inputs that do not count.
    unmade: Option<&'a Unmade<'a>>,
    /// Violations that do not count.
    known: &'a [KnownViolation],
    /// Whether collections of the library in inputs may be in an impossible state, or have elements of a wrong type.
    doubts_collections: bool,
}

impl<'a> Referee<'a> {
    /// Makes a referee for executions of `entry`, which is `named` or calls it. `interrupt` stops its runs.
    pub(crate) fn new(program: &'a Program, entry: MethodId, named: MethodId, interrupt: &'a AtomicBool) -> Self {
        Referee {
            program,
            entry,
            named,
            interrupt,
            deadline: None,
            found: Vec::new(),
            rejected: None,
            unused_reads: FxHashSet::default(),
            keeps_inputs: false,
            unmade: None,
            known: &[],
            doubts_collections: false,
        }
    }

    /// A referee for which these violations do not count.
    pub(crate) fn knowing(self, known: &'a [KnownViolation]) -> Self {
        Referee { known, ..self }
    }

    /// A referee for executions of `entry` that has judged nothing and doubts no collections. `entry` is the entry point
    /// that the user means or calls it.
    pub(crate) fn another(&self, entry: MethodId) -> Referee<'a> {
        let new = Referee::new(self.program, entry, self.named, self.interrupt).knowing(self.known);
        Referee { unmade: self.unmade, ..new }
    }

    /// A referee that has judged nothing and has the same doubts, for another thread.
    pub(crate) fn for_thread<'b>(&self, interrupt: &'b AtomicBool) -> Referee<'b>
    where
        'a: 'b,
    {
        Referee {
            unmade: self.unmade,
            doubts_collections: self.doubts_collections,
            keeps_inputs: self.keeps_inputs,
            ..Referee::new(self.program, self.entry, self.named, interrupt).knowing(self.known)
        }
    }

    /// Takes the findings of another referee instead of its own.
    pub(crate) fn adopt(&mut self, other: Referee) {
        (self.found, self.rejected) = (other.found, other.rejected);
    }

    /// Adds the findings of a referee of another part of the same search.
    pub(crate) fn add(&mut self, other: Referee) {
        self.found.extend(other.found);
        self.rejected = self.rejected.take().or(other.rejected);
    }

    /// Leaves inputs out with objects that no known constructor makes.
    pub(crate) fn leave_out(&mut self, unmade: &'a Unmade<'a>) {
        self.unmade = Some(unmade);
    }

    /// Whether known constructors make all objects of inputs, if that matters.
    fn is_made(&self, inputs: &Inputs) -> bool {
        let is_made =
            |unmade: &Unmade| unmade(self.program, self.named, inputs).is_some_and(|unmade| unmade.is_empty());
        self.unmade.is_none_or(is_made)
    }

    /// What would have to hold of collections in inputs, if it does not.
    fn doubtful_collections(&self, inputs: &Inputs) -> Option<&'static str> {
        let may_be_impossible = |object: &InputObject| match object {
            InputObject::Object { class, .. } => self.program.may_be_impossible(*class),
            InputObject::Array { .. } => false,
        };
        if !self.doubts_collections {
            None
        } else if breaks_type_arguments(self.program, self.named, self.entry, inputs) {
            Some(TYPE_ARGUMENTS)
        } else {
            inputs.heap.iter().any(may_be_impossible).then_some(COLLECTIONS)
        }
    }

    /// The candidate with values of the types that the sources say, if a run shows the violation with them.
    fn fitted(&self, candidate: &Candidate) -> Option<Candidate> {
        let inputs = fitted(self.program, self.named, self.entry, &candidate.inputs)?;
        let fitted = Candidate { inputs, ..candidate.clone() };
        let is_shown = self.run(&fitted).0.is_ok_and(|outcome| fitted.is_shown_by(&outcome));
        (is_shown && self.doubtful_collections(&fitted.inputs).is_none()).then_some(fitted)
    }

    /// The candidate with objects in place of null where a known violation has it, if a run shows the violation with them.
    fn without_nulls(&self, candidate: &Candidate, known: &KnownViolation) -> Option<Candidate> {
        let inputs = match known.null_elements {
            true => without_null_elements(self.program, &candidate.inputs)?,
            false => without_nulls(self.program, self.entry, &candidate.inputs, &known.nulls)?,
        };
        let without = Candidate { inputs, ..candidate.clone() };
        self.run(&without).0.is_ok_and(|outcome| without.is_shown_by(&outcome)).then_some(without)
    }

    /// Does not accept collections of the library in states that may be impossible, or with elements of other types than
    /// the sources say.
    pub(crate) fn doubt_collections(&mut self) {
        self.doubts_collections = true;
    }

    /// Does not make the inputs of counterexamples smaller.
    pub(crate) fn keep_inputs(&mut self) {
        self.keeps_inputs = true;
    }

    /// Sets the deadline of the concrete runs.
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Runs the inputs of a candidate concretely and compares the outcome with the claim.
    pub(crate) fn judge(&mut self, candidate: &Candidate) -> Replay {
        let (outcome, recording, doubt) = self.run(candidate);
        let instead = match &outcome {
            Ok(Outcome::Interrupted) => return Replay::Stopped,
            Ok(outcome) if candidate.is_shown_by(outcome) => None,
            Ok(outcome) => Some((describe(outcome, self.program), outcome.thrown_at())),
            Err(error) => Some((error.to_string(), None)),
        };
        if let Some((outcome, thrown)) = instead {
            self.rejected.get_or_insert_with(|| (candidate.clone(), recording, outcome.clone()));
            return Replay::Rejected { outcome, thrown };
        }
        if let Some(known) = self.known(candidate, &outcome, &recording) {
            // Null for a parameter, or in an array, may have nothing to do with the violation.
            if let Some(without) = self.without_nulls(candidate, known) {
                return self.judge(&without);
            }
            // An operation of the program itself has one line, and a trap has one exception.
            let is_one = matches!(candidate.fault, Fault::Assertion(_) | Fault::Trap(_))
                && known.nulls.is_empty()
                && !known.null_elements
                && !self.program.is_library_method(candidate.place.method);
            return match is_one {
                true => Replay::Known,
                false => Replay::Doubtful(Gap::OtherInputs { what: UNKNOWN.into(), place: candidate.place }),
            };
        }
        if let Some(what) = self.doubtful_collections(&candidate.inputs) {
            if let Some(fitted) = self.fitted(candidate) {
                return self.judge(&fitted);
            }
            return Replay::Doubtful(Gap::OtherInputs { what: what.into(), place: candidate.place });
        }
        if let Some(without) = doubt {
            return Replay::Doubtful(Gap::Bound { what: without, place: candidate.place });
        }
        let limits = Limits { deadline: self.deadline, ..limits(candidate, self.interrupt) };
        match is_unused_read(self.program, self.entry, candidate, limits) {
            None if self.is_over() => Replay::Stopped,
            Some(true) => {
                self.unused_reads.insert(candidate.place);
                Replay::Doubtful(Gap::UnusedRead(candidate.place))
            }
            // Once a read was found to be unused, it counts as unused in runs that are too long to compare, too.
            None if self.unused_reads.contains(&candidate.place) => Replay::Doubtful(Gap::UnusedRead(candidate.place)),
            _ if self.found.iter().any(|(other, run)| is_same((other, run), (candidate, &recording))) => Replay::Again,
            _ if !self.is_made(&candidate.inputs) => {
                Replay::Doubtful(Gap::OtherInputs { what: CONSTRUCTIBLE.into(), place: candidate.place })
            }
            _ => {
                self.found.push((candidate.clone(), recording));
                Replay::Confirmed
            }
        }
    }

    /// The known violation that a run has shown, which does not count.
    fn known(
        &self,
        candidate: &Candidate,
        outcome: &Result<Outcome, InputError>,
        recording: &Recording,
    ) -> Option<&KnownViolation> {
        let span = recording.place.unwrap_or(candidate.place.span);
        let exception = match outcome {
            Ok(Outcome::Uncaught { class, .. }) => Some(*class),
            _ => None,
        };
        let nulls = null_arguments(recording);
        let has_null_elements = || without_null_elements(self.program, &candidate.inputs).is_some();
        self.known.iter().find(|known| {
            known.is(self.program, span, exception, &nulls) && (!known.null_elements || has_null_elements())
        })
    }

    fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The confirmed candidates, each with the recording of its run, and the first candidate that did not replay. The
    /// inputs of confirmed candidates are made smaller, as far as the runs show the same on paths that are no longer.
    pub(crate) fn into_recordings(self) -> (Vec<(Candidate, Recording)>, Option<NotReplayed>) {
        let smaller = self.found.iter().map(|(candidate, recording)| self.smaller(candidate, recording)).collect();
        (smaller, self.rejected)
    }

    fn smaller(&self, candidate: &Candidate, recording: &Recording) -> (Candidate, Recording) {
        // Each attempt copies the inputs, and reads them.
        let size = |object: &InputObject| match object {
            InputObject::Array { elements, .. } => elements.len(),
            InputObject::Object { fields, .. } => fields.len(),
        };
        let size: usize = candidate.inputs.heap.iter().map(size).sum();
        let attempts = (OPERATIONS / candidate.depth.max(size as u64).max(1)).min(ATTEMPTS);
        let mut best = (candidate.clone(), recording.clone());
        if self.keeps_inputs {
            return best;
        }
        let mut is_kept = |inputs: &Inputs| {
            if self.is_over() {
                return false;
            }
            let changed = Candidate { inputs: inputs.clone(), ..candidate.clone() };
            let (outcome, found, doubt) = self.run(&changed);
            let is_shown = outcome.is_ok_and(|outcome| changed.is_shown_by(&outcome)) && doubt.is_none();
            // Several counterexamples are on different paths. One alone may take another path that is not longer.
            let is_on_path = found.way == recording.way || self.found.len() == 1 && length(&found) <= length(&best.1);
            let is_possible = self.doubtful_collections(inputs).is_none() && self.is_made(inputs);
            let is_kept = is_shown && is_on_path && is_possible;
            if is_kept {
                best = (changed, found);
            }
            is_kept
        };
        let plain = match attempts {
            // A run takes too long to be worth it.
            0 => candidate.inputs.clone(),
            _ => plainer(self.program, self.entry, &candidate.inputs, &mut is_kept),
        };
        shrink(self.program, self.entry, plain, attempts as usize, is_kept);
        best
    }

    /// Runs the inputs of a candidate. Also returns what was recorded, and what the first operation says that puts the
    /// run into doubt.
    fn run(&self, candidate: &Candidate) -> (Result<Outcome, InputError>, Recording, Option<String>) {
        let claimed = (candidate.place.method, candidate.place.point);
        let mut recorder = Recorder::new(self.named, claimed, candidate.inputs.heap.len()).lines_only();
        let limits = Limits { deadline: self.deadline, ..limits(candidate, self.interrupt) };
        let mut doubts = Doubts::new(self.program);
        let outcome = run(self.program, self.entry, &candidate.inputs, limits, &mut (&mut recorder, &mut doubts));
        (outcome, recorder.finish(), doubts.first)
    }
}

/// Finds operations that put a run into doubt.
pub(crate) struct Doubts<'p> {
    program: &'p Program,
    /// What the first one says.
    pub(crate) first: Option<String>,
}

impl<'p> Doubts<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Doubts { program, first: None }
    }
}

impl Observer for Doubts<'_> {
    fn step(&mut self, _: &State<'_>, place: Place) {
        let Some(body) = self.program.body(place.method) else { return };
        let op = body.block(place.point.block).ops.get(place.point.op as usize);
        if let (None, Some(OpKind::Doubt { without })) = (&self.first, op.map(|op| &op.kind)) {
            self.first = Some(without.clone());
        }
    }
}

/// Whether two violations are the same on the same path through the user's own code, whatever the inputs.
fn is_same(one: (&Candidate, &Recording), other: (&Candidate, &Recording)) -> bool {
    let key = |(candidate, run): (&Candidate, &Recording)| (candidate.fault, candidate.place, run.way);
    key(one) == key(other)
}

/// The number of lines on a path.
fn length(recording: &Recording) -> u64 {
    recording.execution.omitted + recording.lines.len() as u64
}

fn limits<'a>(candidate: &Candidate, interrupt: &'a AtomicBool) -> Limits<'a> {
    let most = max_steps(candidate.depth);
    let max_steps = if candidate.is_sliced { most.min(candidate.depth.saturating_add(SLICED)) } else { most };
    Limits { max_steps, interrupt: Some(interrupt), ..Limits::default() }
}

/// Most operations of a concrete run on a path with `depth` operations. The run takes the same path, but it counts
/// elements of quantifiers as operations, too.
pub(crate) fn max_steps(depth: u64) -> u64 {
    depth.saturating_mul(4).saturating_add(10_000_000)
}

pub(crate) fn describe(outcome: &Outcome, program: &Program) -> String {
    let at = |place: &Place| program.show_span(place.span);
    match outcome {
        Outcome::Returned(_) => "the program ends without a violation".into(),
        Outcome::AssumptionFailed(place) => format!("the assumption at {} is false", at(place)),
        Outcome::AssertionFailed { kind, place } => format!("the {} at {} is false", kind.name(), at(place)),
        Outcome::Uncaught { class, origin, .. } => {
            format!("{} is thrown at {} and not caught", program.class(*class).name, at(origin))
        }
        Outcome::StepLimit => "the run takes too many steps".into(),
        Outcome::FrameLimit => "the run nests calls too deeply".into(),
        Outcome::MemoryLimit => "the run takes too much memory".into(),
        Outcome::Interrupted => "the run was interrupted".into(),
        Outcome::Unsupported { reason, place } => format!("{reason} at {}", at(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::entry_point;
    use aback_ir::{AssertKind, Point};
    use aback_symbolic::Fault;
    use aback_witness::{InputValue, Inputs};

    /// A run that is stopped decides nothing, so that its candidate is not one that did not replay.
    #[test]
    fn a_run_that_is_stopped_is_no_defect() {
        let program = aback_lang_oox::load(vec![(
            "Main.oox".into(),
            "class Main { static void main() { assert false; } }".into(),
        )])
        .program;
        let method = entry_point(&program, None).unwrap();
        let candidate = Candidate {
            fault: Fault::Assertion(AssertKind::Assert),
            place: Place { method, point: Point { block: aback_ir::Body::ENTRY, op: 0 }, span: aback_ir::Span::NONE },
            inputs: Inputs::default(),
            depth: 1,
            is_sliced: false,
        };
        let interrupt = AtomicBool::new(true);
        let mut referee = Referee::new(&program, method, method, &interrupt);
        assert!(matches!(referee.judge(&candidate), Replay::Stopped));
        let interrupt = AtomicBool::new(false);
        let mut referee = Referee::new(&program, method, method, &interrupt);
        referee.set_deadline(Some(Instant::now()));
        assert!(matches!(referee.judge(&candidate), Replay::Stopped));
        let (recording, rejected) = referee.into_recordings();
        assert!(recording.is_empty() && rejected.is_none());
    }

    /// Judges the candidate that claims `assert x != 7` to be false for this `x`.
    #[track_caller]
    fn check(x: i64, instead: Option<&str>) {
        let text = "class Main {\n    static void main(int x) {\n        assert x != 7;\n    }\n}\n";
        let program = aback_lang_oox::load(vec![("Main.oox".into(), text.into())]).program;
        let method = entry_point(&program, None).unwrap();
        let body = program.body(method).unwrap();
        let points =
            body.block_ids().flat_map(|block| (0..body.block(block).ops.len() as u32).map(move |op| (block, op)));
        let point = points
            .map(|(block, op)| Point { block, op })
            .find(|point| matches!(body.block(point.block).ops[point.op as usize].kind, OpKind::Assert { .. }));
        let point = point.unwrap();
        let span = body.block(point.block).ops[point.op as usize].span;
        let candidate = Candidate {
            fault: Fault::Assertion(AssertKind::Assert),
            place: Place { method, point, span },
            inputs: Inputs { args: vec![InputValue::Int(x.into())], ..Inputs::default() },
            depth: 1,
            is_sliced: false,
        };
        let interrupt = AtomicBool::new(false);
        let mut referee = Referee::new(&program, method, method, &interrupt);
        assert_eq!(matches!(referee.judge(&candidate), Replay::Confirmed), instead.is_none());
        let (found, rejected) = referee.into_recordings();
        assert_eq!(found.len(), usize::from(instead.is_none()));
        assert_eq!(rejected.as_ref().map(|(_, _, instead)| instead.as_str()), instead);
        let (_, run, _) = rejected.unwrap_or_else(|| (candidate, found[0].1.clone(), String::new()));
        assert_eq!(run.lines.first().map(|line| line.span.line), Some(3));
        assert_eq!(run.step, Some(0));
    }

    #[test]
    fn what_does_not_replay_is_kept_with_what_happened() {
        check(7, None);
        check(6, Some("the program ends without a violation"));
    }
}
