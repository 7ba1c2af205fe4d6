//! Who decides whether a candidate is a violation: a concrete run.

use crate::hoisted::is_unused_read;
use aback_forward::{Candidate, Replay};
use aback_ir::{MethodId, Program};
use aback_witness::{Limits, Outcome, PathRecorder, Place, run};
use rustc_hash::FxHashSet;
use std::sync::atomic::AtomicBool;

/// Source lines of a path that are kept from its start and from its end.
const PATH_ENDS: (usize, usize) = (200, 800);
/// Judges the candidates of one exploration.
pub(crate) struct Referee<'a> {
    program: &'a Program,
    entry: MethodId,
    interrupt: &'a AtomicBool,
    /// The way of the last candidate's run.
    path: Option<PathRecorder>,
    /// Reads out of bounds that were found to be unused.
    unused_reads: FxHashSet<Place>,
}

impl<'a> Referee<'a> {
    /// A referee for executions of `entry`; `interrupt` stops its runs.
    pub(crate) fn new(program: &'a Program, entry: MethodId, interrupt: &'a AtomicBool) -> Self {
        Referee { program, entry, interrupt, path: None, unused_reads: FxHashSet::default() }
    }

    /// Runs a candidate's inputs concretely and compares what happens with what it claims.
    pub(crate) fn judge(&mut self, candidate: &Candidate) -> Replay {
        let mut path = PathRecorder::new(PATH_ENDS.0, PATH_ENDS.1);
        let limits = limits(candidate, self.interrupt);
        let outcome = run(self.program, self.entry, &candidate.inputs, limits, &mut path);
        self.path = Some(path);
        match outcome {
            Ok(outcome) if !candidate.is_shown_by(&outcome) => Replay::Rejected(describe(&outcome, self.program)),
            Err(error) => Replay::Rejected(error.to_string()),
            Ok(_) => match is_unused_read(self.program, self.entry, candidate, limits) {
                Some(true) => {
                    self.unused_reads.insert(candidate.place);
                    Replay::Doubtful
                }
                // Once a read was found to be unused, longer runs get the benefit of the doubt.
                None if self.unused_reads.contains(&candidate.place) => Replay::Doubtful,
                _ => Replay::Confirmed,
            },
        }
    }

    /// The way of the last candidate's run.
    pub(crate) fn into_path(self) -> Option<PathRecorder> {
        self.path
    }
}

/// Bounds of a concrete run. It takes the same path as the candidate; elements of quantifiers count as steps there.
fn limits<'a>(candidate: &Candidate, interrupt: &'a AtomicBool) -> Limits<'a> {
    let max_steps = candidate.depth.saturating_mul(4).saturating_add(10_000_000);
    Limits { max_steps, interrupt: Some(interrupt), ..Limits::default() }
}

fn describe(outcome: &Outcome, program: &Program) -> String {
    let at = |place: &Place| program.show_span(place.span);
    match outcome {
        Outcome::Returned(_) => "the program ends without a violation".into(),
        Outcome::AssumptionFailed(place) => format!("the assumption at {} is false", at(place)),
        Outcome::AssertionFailed { kind, place } => format!("the {} at {} is false", kind.keyword(), at(place)),
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
