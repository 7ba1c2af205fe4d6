//! What an engine is asked.

use crate::claim::Fault;
use aback_ir::analysis::{CallGraph, CallGraphConfig, Callbacks, Distance, Inputs, Relevance};
use aback_ir::{Body, ClassId, MethodId, OpKind, Point, Program};
use aback_witness::{Outcome, Place};
use rustc_hash::FxHashSet;

/// The question.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where execution starts, with any input.
    pub entry: MethodId,
    /// Whether a false assertion, or a false contract, is a violation. If not, it just ends its execution.
    pub assertions: bool,
    /// Which exceptions that leave the entry point are violations.
    pub uncaught: Uncaught,
    /// Only violations at these points count; `None`: all do. An execution ends at any violation.
    pub at: Option<FxHashSet<(MethodId, Point)>>,
}

/// Which exceptions that leave the entry point are violations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncaught {
    /// None.
    Never,
    /// All.
    Any,
    /// Instances of this class.
    InstancesOf(ClassId),
}

/// What of a program a query is about.
#[derive(Clone, Debug)]
pub struct Focus {
    /// Code without a distance cannot lead to what is asked for.
    pub distance: Distance,
    /// Whether it is reached does not depend on what does not matter, but for what ends executions before.
    pub relevance: Option<Relevance>,
}

impl Query {
    /// What a concrete run of the entry point violates, and where; `None`: nothing that is asked about.
    pub fn violated_by(&self, program: &Program, outcome: &Outcome) -> Option<(Fault, Place)> {
        let (fault, place) = match *outcome {
            Outcome::AssertionFailed { kind, place } if self.assertions => (Fault::Assertion(kind), place),
            Outcome::Uncaught { class, trap, origin, .. } => {
                let fault = trap.map_or(Fault::Thrown(class), Fault::Trap);
                self.is_violation(program, Some(class)).then_some((fault, origin))?
            }
            _ => return None,
        };
        let is_asked = self.at.as_ref().is_none_or(|at| at.contains(&(place.method, place.point)));
        is_asked.then_some((fault, place))
    }

    /// Whether an exception of a class, or of one that is not known, is a violation where it leaves the entry point.
    pub fn is_violation(&self, program: &Program, class: Option<ClassId>) -> bool {
        match self.uncaught {
            Uncaught::Never => false,
            Uncaught::Any => true,
            Uncaught::InstancesOf(wanted) => class.is_some_and(|class| program.is_subclass(class, wanted)),
        }
    }

    /// Distances to the points that it names, or to all assertions where it names none.
    pub fn distance(&self, program: &Program) -> Distance {
        let targets = self.targets(program);
        Distance::new(program, &self.call_graph(program, &targets), targets)
    }

    /// What may be left out; `None`: nothing, because exceptions are asked for, which may come from anywhere or be thrown again
    /// by what catches them, or because a library may call what leads to a target.
    pub fn focus(&self, program: &Program) -> Option<Focus> {
        let asks_for_exceptions = self.uncaught != Uncaught::Never;
        if asks_for_exceptions && (self.at.is_none() || program.grows()) {
            return None;
        }
        let targets = self.targets(program);
        let graph = self.call_graph(program, &targets);
        let is_caught = |method: &MethodId| {
            program.body(*method).is_some_and(|body| body.blocks.iter().any(|block| !block.handlers.is_empty()))
        };
        if asks_for_exceptions && graph.reachable().iter().any(is_caught) {
            return None;
        }
        let callbacks = Callbacks::new(program);
        // What is behind the end of code that is not known may be what is asked for.
        let ends = targets.iter().copied().chain(gaps(program));
        let distance = Distance::new(program, &graph, ends);
        if distance.is_called_back(&callbacks) {
            return None;
        }
        Some(Focus { distance, relevance: Relevance::new(program, &graph, &callbacks, self.entry, targets) })
    }

    fn targets(&self, program: &Program) -> Vec<(MethodId, Point)> {
        match &self.at {
            Some(at) => at.iter().copied().collect(),
            None => assertions(program).collect(),
        }
    }

    fn call_graph(&self, program: &Program, targets: &[(MethodId, Point)]) -> CallGraph {
        // Code of libraries is not looked at: it may call any of the program's, and make objects of any class.
        let (called, inputs): (Vec<MethodId>, Inputs) = match program.grows() {
            true => (program.own_methods().collect(), Inputs::AnyClass),
            false => (targets.iter().map(|&(method, _)| method).collect(), Inputs::Declared),
        };
        let entries = [self.entry].into_iter().chain(called);
        CallGraph::new(program, &CallGraphConfig::new(entries).with_inputs(inputs))
    }
}

/// The assertions of a program, but for those of libraries that are loaded on demand, which are not checked.
fn assertions(program: &Program) -> impl Iterator<Item = (MethodId, Point)> + '_ {
    checked(program).into_iter().flat_map(|id| {
        let ops = program.body(id).into_iter().flat_map(Body::ops);
        ops.filter(|(_, op)| matches!(op.kind, OpKind::Assert { .. })).map(move |(point, _)| (id, point))
    })
}

/// Where code ends behind which anything may come ([`TerminatorKind::is_gap`](aback_ir::TerminatorKind::is_gap)).
fn gaps(program: &Program) -> impl Iterator<Item = (MethodId, Point)> + '_ {
    checked(program).into_iter().flat_map(|id| {
        let body = program.body(id);
        let blocks = body.into_iter().flat_map(|body| body.block_ids().zip(&body.blocks));
        let ends = blocks.filter(|(_, block)| block.terminator.kind.is_gap());
        ends.map(move |(number, block)| (id, Point { block: number, op: block.ops.len() as u32 }))
    })
}

/// The methods of a program whose code is looked at as a whole: not that of libraries that are loaded on demand.
fn checked(program: &Program) -> Vec<MethodId> {
    match program.grows() {
        true => program.own_methods().collect(),
        false => program.methods().map(|(id, _)| id).collect(),
    }
}
