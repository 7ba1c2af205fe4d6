//! Represents the results that an engine claims.

use crate::way::Way;
use aback_ir::{AssertKind, ClassId, Trap};
use aback_witness::{Inputs, Outcome, Place};
use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

/// A kind of violation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// An assertion or a part of a method's contract is false.
    Assertion(AssertKind),
    /// The exception of a trap leaves the entry point.
    Trap(Trap),
    /// A thrown object of this class leaves the entry point.
    Thrown(ClassId),
}

/// A violation with inputs that lead to it according to the symbolic execution. It counts once a concrete run has
/// confirmed it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kind of violation.
    pub fault: Fault,
    /// The place of the violation.
    pub place: Place,
    /// The inputs.
    pub inputs: Inputs,
    /// Number of operations from the entry point to the violation.
    pub depth: u64,
    /// Whether it comes from a slice. What the slice leaves out may keep a run from it, and then there is no need to run long.
    pub is_sliced: bool,
}

impl Candidate {
    /// Whether a concrete run on the inputs ended as the candidate claims: with the same violation at the same place.
    pub fn is_shown_by(&self, outcome: &Outcome) -> bool {
        match (outcome, self.fault) {
            (Outcome::AssertionFailed { kind, place }, Fault::Assertion(claimed)) => {
                *kind == claimed && *place == self.place
            }
            // Questions about lines blame the program's own code for what libraries throw ([`crate::Query::blamed`]).
            (Outcome::Uncaught { trap, origin, own, .. }, Fault::Trap(claimed)) => {
                *trap == Some(claimed) && [origin, own].contains(&&self.place)
            }
            (Outcome::Uncaught { class, origin, own, .. }, Fault::Thrown(claimed)) => {
                *class == claimed && [origin, own].contains(&&self.place)
            }
            _ => false,
        }
    }
}

/// A reason why an exploration does not cover all executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The time was up.
    Time,
    /// The memory bound was reached.
    Memory,
    /// The exploration was interrupted.
    Interrupted,
    /// The bound of operations was reached.
    Operations(u64),
    /// Paths with more operations than this were given up.
    Depth(u64),
    /// Calls nested deeper than this were given up.
    Recursion(usize),
    /// Loops with more iterations than this, and recursions with more activations, were given up.
    Unwinding(u32),
    /// The solver could not decide whether the operation here can fail.
    Solver {
        /// The solver's reason.
        reason: String,
        /// The operation.
        place: Place,
    },
    /// The program contains an unsupported construct.
    Unsupported {
        /// The construct.
        construct: String,
        /// The place of the construct.
        place: Place,
    },
    /// Executions that reach the place may be outside of a bound of the program's model.
    Bound {
        /// The executions or inputs within the bound.
        what: String,
        /// The place.
        place: Place,
    },
    /// No execution starts at the entry point, because there is no object on which it could be called.
    Vacuous {
        /// The entry point.
        entry: String,
    },
    /// The question is about assertions, and there are none.
    NoAssertion {
        /// Where there are none, and what to do.
        what: String,
    },
    /// An out-of-bounds element is read, but its value is not used.
    UnusedRead(Place),
    /// What all iterations of loops have in common does not tell what happens here.
    Loops(Place),
    /// A task about Java: there is a violation where integers wrap around, and the integers of the program have no bounds.
    WrapsAround(Place),
    /// No inputs were found that lead to a violation here and satisfy the invariants, but they may exist.
    Incomplete(Place),
    /// A violation was found, but its input does not count, and no other input was tried on its path.
    OtherInputs {
        /// The inputs that count.
        what: String,
        /// The place of the violation.
        place: Place,
    },
    /// A counterexample did not replay, which is a defect of aback.
    NotReplayed {
        /// The outcome of the replay.
        outcome: String,
        /// The place of the expected violation.
        place: Place,
    },
}

impl Exploration {
    /// Adds a confirmed violation. Returns whether there are now as many as are wanted.
    pub fn add(&mut self, candidate: Candidate, wanted: usize) -> bool {
        match self.violation {
            None => self.violation = Some(candidate),
            Some(_) => self.more.push(candidate),
        }
        self.has(wanted)
    }

    /// Whether at least `wanted` violations, and at least one, were found.
    pub fn has(&self, wanted: usize) -> bool {
        self.violation.is_some() && self.more.len() + 1 >= wanted
    }

    /// Adds a reason why not all executions are covered.
    pub fn note_gap(&mut self, gap: Gap) {
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }

    /// Adds what was found in another part of the search.
    pub fn add_part(&mut self, other: Exploration) {
        let Exploration { violation, more, samples, ways, gaps, is_sliced, work } = other;
        match self.violation {
            None => (self.violation, self.more) = (violation, more),
            Some(_) => self.more.extend(violation.into_iter().chain(more)),
        }
        self.samples.extend(samples);
        self.ways.extend(ways);
        gaps.into_iter().for_each(|gap| self.note_gap(gap));
        self.is_sliced &= is_sliced;
        self.work += work;
    }

    /// Whether there is no violation, at least within bounds.
    pub fn is_proof(&self) -> bool {
        self.violation.is_none() && self.gaps.iter().all(Gap::is_bound)
    }
}

impl Gap {
    /// Whether this is a bound, so that "no violation within bounds" is an answer.
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
            Gap::NoAssertion { what } => write!(f, "{what}"),
            Gap::UnusedRead(_) => write!(f, "an out-of-bounds element is read, but its value is never used,"),
            Gap::Loops(_) => write!(f, "any number of iterations of loops"),
            Gap::WrapsAround(_) => {
                write!(f, "only with integers that wrap around, as those of Java do, there is a violation")
            }
            Gap::Incomplete(_) => write!(f, "no inputs that satisfy the invariants were found for a path"),
            Gap::OtherInputs { what, .. } => {
                write!(f, "a violation was found, but none where {what}")
            }
            Gap::NotReplayed { outcome, .. } => write!(f, "counterexample did not replay: {outcome}"),
        }
    }
}

impl Gap {
    /// The operation to which the gap applies, if there is one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Gap::UnusedRead(place)
            | Gap::Loops(place)
            | Gap::WrapsAround(place)
            | Gap::Incomplete(place)
            | Gap::Solver { place, .. }
            | Gap::Unsupported { place, .. }
            | Gap::Bound { place, .. }
            | Gap::OtherInputs { place, .. }
            | Gap::NotReplayed { place, .. } => Some(*place),
            _ => None,
        }
    }
}

/// The work of the backward engine, at the last bound of its loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BackwardWork {
    /// Number of nodes of the unwound program.
    pub nodes: u64,
    /// Number of branches that facts from earlier branches decided.
    pub decided: u64,
    /// Number of conditions that got a name, because they were large.
    pub named: u64,
    /// Number of contradictions that were learned at nodes.
    pub learned: u64,
    /// Number of paths that these excluded without a question to the solver.
    pub excluded: u64,
}

impl AddAssign for BackwardWork {
    fn add_assign(&mut self, other: BackwardWork) {
        let BackwardWork { nodes, decided, named, learned, excluded } = other;
        self.nodes += nodes;
        self.decided += decided;
        self.named += named;
        self.learned += learned;
        self.excluded += excluded;
    }
}

/// The amount of work that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Number of operations executed on all paths.
    pub operations: u64,
    /// Number of paths that ended.
    pub paths: u64,
    /// Number of branches at which both sides were followed.
    pub forks: u64,
    /// Number of pairs of states that were joined.
    pub joins: u64,
    /// Number of states that were compared with earlier ones at the same place.
    pub compared: u64,
    /// Number of these that were dropped as instances of earlier ones.
    pub subsumed: u64,
    /// Number of branches with a side that the solver proved infeasible.
    pub pruned: u64,
    /// Number of branches that intervals did not decide, and where no side is a violation or an exception.
    pub undecided: u64,
    /// The sum of the probabilities, in thousandths, with which the solver was asked at these.
    pub chances: u64,
    /// Time that the questions at these took.
    pub pruning: Duration,
    /// Greatest number of operations on one path.
    pub depth: u64,
    /// Greatest number of states that waited at the same time.
    pub waiting: usize,
    /// Number of parts of the search that a thread took over from another.
    pub taken: u64,
    /// Number of operations and branches that the forward engine left out, because they do not matter for the query.
    pub left_out: u64,
    /// What the backward engine did.
    pub backward: BackwardWork,
}

impl Work {
    /// The mean probability with which the solver was asked whether the sides of a branch are possible. `None` without such branches.
    pub fn prune_probability(&self) -> Option<f64> {
        (self.undecided > 0).then(|| self.chances as f64 / 1000.0 / self.undecided as f64)
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        let Work {
            operations,
            paths,
            forks,
            joins,
            compared,
            subsumed,
            pruned,
            undecided,
            chances,
            pruning,
            depth,
            waiting,
            taken,
            left_out,
            backward,
        } = other;
        self.operations += operations;
        self.paths += paths;
        self.forks += forks;
        self.joins += joins;
        self.compared += compared;
        self.subsumed += subsumed;
        self.pruned += pruned;
        self.undecided += undecided;
        self.chances += chances;
        self.pruning += pruning;
        self.depth = self.depth.max(depth);
        self.waiting = self.waiting.max(waiting);
        self.taken += taken;
        self.left_out = self.left_out.max(left_out);
        self.backward += backward;
    }
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The first confirmed violation, if there is one.
    pub violation: Option<Candidate>,
    /// Further confirmed violations on other paths, if several are wanted.
    pub more: Vec<Candidate>,
    /// Inputs of a few executions that end without a violation.
    pub samples: Vec<Inputs>,
    /// The ways to the places in question through summarised loops, if they are wanted.
    pub ways: Vec<Way>,
    /// The reasons why not all executions are covered, each once. If there are none, all are covered.
    pub gaps: Vec<Gap>,
    /// Whether this is about the slice of the program ([`crate::Slice::new`]), and says nothing about what the slice leaves out.
    pub is_sliced: bool,
    /// The amount of work that was done.
    pub work: Work,
}

/// The end of a path: the entry point returned, or something was violated.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Inputs on which executions take the path.
    pub inputs: Inputs,
    /// What must hold of the inputs so that they do, in readable form.
    pub condition: Vec<String>,
    /// Number of operations on the path.
    pub depth: u64,
    /// What is violated; `None` if the entry point returned.
    pub violated: Option<(Fault, Place)>,
}

/// The result of a concrete run for a candidate.
#[derive(Clone, Debug)]
pub enum Replay {
    /// The violation occurs.
    Confirmed,
    /// The violation occurs, but was confirmed before on a path that looks the same to users.
    Again,
    /// The violation occurs, and neither it nor any other by the same operation with the same fault is asked about.
    Known,
    /// The violation occurs, or may occur, but it is no counterexample, for this reason.
    Doubtful(Gap),
    /// Something else occurs.
    Rejected {
        /// What occurs.
        outcome: String,
        /// Where the exception was thrown first that ended the run, if it ended so.
        thrown: Option<Place>,
    },
    /// The run was interrupted, or the time was up.
    Stopped,
}

impl Replay {
    /// Something else occurs, which is no exception that ends the run.
    pub fn rejected(outcome: String) -> Self {
        Replay::Rejected { outcome, thrown: None }
    }
}
