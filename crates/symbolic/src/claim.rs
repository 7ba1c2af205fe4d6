//! What an engine claims to have found.

use aback_ir::{AssertKind, ClassId, Trap};
use aback_witness::{Inputs, Outcome, Place};
use std::fmt;
use std::ops::AddAssign;

/// What is violated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// An assertion or a part of a method's contract is false.
    Assertion(AssertKind),
    /// An operation's own exception leaves the entry point.
    Trap(Trap),
    /// A thrown object of this class leaves the entry point.
    Thrown(ClassId),
}

/// A violation with inputs that lead to it, as far as the symbolic execution can tell. It counts when a concrete run
/// confirms it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What is violated.
    pub fault: Fault,
    /// Where.
    pub place: Place,
    /// The inputs.
    pub inputs: Inputs,
    /// Operations from the entry point to the violation.
    pub depth: u64,
}

impl Candidate {
    /// Whether a concrete run on the inputs ended as the candidate claims: in the same violation at the same place.
    pub fn is_shown_by(&self, outcome: &Outcome) -> bool {
        match (outcome, self.fault) {
            (Outcome::AssertionFailed { kind, place }, Fault::Assertion(claimed)) => {
                *kind == claimed && *place == self.place
            }
            (Outcome::Uncaught { trap, origin, .. }, Fault::Trap(claimed)) => {
                *trap == Some(claimed) && *origin == self.place
            }
            (Outcome::Uncaught { class, origin, .. }, Fault::Thrown(claimed)) => {
                *class == claimed && *origin == self.place
            }
            _ => false,
        }
    }
}

/// Why the exploration does not cover all executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The time was up.
    Time,
    /// The memory bound was reached.
    Memory,
    /// It was interrupted.
    Interrupted,
    /// So many operations were done.
    Operations(u64),
    /// Paths of more operations than this were given up.
    Depth(u64),
    /// Calls nested deeper than this were given up.
    Recursion(usize),
    /// Loops of more iterations than this, and recursions of more activations, were given up.
    Unwinding(u32),
    /// The solver could not decide whether the operation here can fail.
    Solver {
        /// What it said.
        reason: String,
        /// The operation.
        place: Place,
    },
    /// The program does something that is not supported.
    Unsupported {
        /// What.
        construct: String,
        /// Where.
        place: Place,
    },
    /// Executions that get here are beyond a bound of the program's model.
    Bound {
        /// What is within it.
        what: String,
        /// Where.
        place: Place,
    },
    /// No execution starts with the entry point: there is no object that it could be called on.
    Vacuous {
        /// The entry point.
        entry: String,
    },
    /// An element out of bounds is read, but its value is not used.
    UnusedRead(Place),
    /// A counterexample did not replay: a defect of the tool.
    NotReplayed {
        /// What the replay did instead.
        outcome: String,
        /// Where the violation was expected.
        place: Place,
    },
}

impl Exploration {
    /// Takes down a violation that was confirmed. Whether that makes as many as are wanted.
    pub fn add(&mut self, candidate: Candidate, wanted: usize) -> bool {
        match self.violation {
            None => self.violation = Some(candidate),
            Some(_) => self.more.push(candidate),
        }
        self.has(wanted)
    }

    /// Whether so many violations were found; one at least is wanted.
    pub fn has(&self, wanted: usize) -> bool {
        self.violation.is_some() && self.more.len() + 1 >= wanted
    }
}

impl Gap {
    /// Whether it is a bound that the user can raise, so that "no violation within bounds" is an answer.
    pub fn is_bound(&self) -> bool {
        matches!(self, Gap::Depth(_) | Gap::Recursion(_) | Gap::Unwinding(_) | Gap::Bound { .. })
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Time => write!(f, "time limit"),
            Gap::Memory => write!(f, "memory limit"),
            Gap::Interrupted => write!(f, "interrupted"),
            Gap::Operations(most) => write!(f, "limit of {most} operations"),
            Gap::Depth(depth) => write!(f, "paths of more than {depth} operations"),
            Gap::Recursion(frames) => write!(f, "calls nested more than {frames} deep"),
            Gap::Unwinding(bound) => write!(f, "loops and recursions of more than {bound} iterations"),
            Gap::Solver { reason, .. } => write!(f, "solver: {reason}"),
            Gap::Unsupported { construct, .. } => write!(f, "unsupported: {construct}"),
            Gap::Bound { what, .. } => write!(f, "{what}"),
            Gap::Vacuous { entry } => write!(f, "vacuous: there is no object that {entry} can be called on"),
            Gap::UnusedRead(_) => write!(f, "an element out of bounds is read, though its value is never used,"),
            Gap::NotReplayed { outcome, .. } => write!(f, "counterexample did not replay: {outcome}"),
        }
    }
}

impl Gap {
    /// The operation that it is about, if there is one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Gap::UnusedRead(place)
            | Gap::Solver { place, .. }
            | Gap::Unsupported { place, .. }
            | Gap::Bound { place, .. }
            | Gap::NotReplayed { place, .. } => Some(*place),
            _ => None,
        }
    }
}

/// How much was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Operations executed, on all paths.
    pub operations: u64,
    /// Paths that came to an end.
    pub paths: u64,
    /// Branches where both sides were followed.
    pub forks: u64,
    /// Pairs of states that became one.
    pub joins: u64,
    /// Branches of which one side turned out infeasible by the solver.
    pub pruned: u64,
    /// Most operations on one path.
    pub depth: u64,
    /// Most states that waited at a time.
    pub waiting: usize,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        let Work { operations, paths, forks, joins, pruned, depth, waiting } = other;
        self.operations += operations;
        self.paths += paths;
        self.forks += forks;
        self.joins += joins;
        self.pruned += pruned;
        self.depth = self.depth.max(depth);
        self.waiting = self.waiting.max(waiting);
    }
}

/// The outcome of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The violation that was confirmed first, if one was.
    pub violation: Option<Candidate>,
    /// Further ones that were confirmed, on other paths, where several are asked for.
    pub more: Vec<Candidate>,
    /// Inputs of a few executions that end without a violation.
    pub samples: Vec<Inputs>,
    /// Why not all executions are covered; empty: they are. Each gap once.
    pub gaps: Vec<Gap>,
    /// How much was done.
    pub work: Work,
}

/// What a concrete run makes of a candidate.
#[derive(Clone, Debug)]
pub enum Replay {
    /// The violation happens.
    Confirmed,
    /// It happens, and was confirmed before: on the same path, as far as a person sees it.
    Again,
    /// It happens, but whether it is one is a matter of reading: an element out of bounds is read and not used.
    Doubtful,
    /// Something else happens.
    Rejected(String),
    /// It was interrupted, or the time was up.
    Stopped,
}
