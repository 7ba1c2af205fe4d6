//! Defines queries: what an engine looks for.

use crate::claim::Fault;
use aback_ir::analysis::{CallGraph, CallGraphConfig, Callbacks, Distance, Inputs, Relevance, Returning};
use aback_ir::{Block, Body, ClassId, Const, Dispatch, Expr, MethodId, OpKind, Point, Program, TerminatorKind};
use aback_witness::{Outcome, Place};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A query for violations.
#[derive(Clone, Debug)]
pub struct Query {
    /// The method with which execution starts, with any input.
    pub entry: MethodId,
    /// Whether a false assertion or a false contract is a violation. Otherwise it only ends its execution.
    pub assertions: bool,
    /// The exceptions that are violations if they leave the entry point.
    pub uncaught: Uncaught,
    /// The points at which violations count; `None` for all points. An execution ends at any violation. An exception that is thrown
    /// first in a library counts at the operation of the program's own code that called the library.
    pub at: Option<FxHashSet<(MethodId, Point)>>,
}

/// The exceptions that are violations if they leave the entry point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncaught {
    /// No exceptions.
    Never,
    /// All exceptions.
    Any,
    /// Instances of this class.
    InstancesOf(ClassId),
}

/// The parts of a program that matter for a query.
#[derive(Clone, Debug)]
pub struct Focus {
    /// The distances to the targets of the query. Code without a distance cannot lead to a target.
    pub distance: Distance,
    /// The relevant code. Other code does not influence whether a target is reached, except by ending executions before
    /// it.
    pub relevance: Option<Relevance>,
}

impl Focus {
    /// Whether control flow alone shows that no execution gets to a target from a state with these frames, oldest first.
    /// The point of the last frame is where it goes on; the points of the others are their open calls. The code of the
    /// last frame must be known ([`Distance::knows`]).
    pub fn leads_nowhere(&self, program: &Program, frames: &[(MethodId, Point)]) -> bool {
        let Some(&(first, point)) = frames.first() else { return false };
        !self.calls_on(program, first, point) && self.distance.of_stack(frames).is_none()
    }

    /// Whether no target is ahead of the end of the last of these frames, oldest first.
    pub fn leads_nowhere_behind(&self, program: &Program, frames: &[(MethodId, Point)]) -> bool {
        let Some(&(first, point)) = frames.first() else { return false };
        !self.calls_on(program, first, point) && self.distance.behind_stack(frames).is_none()
    }

    /// Whether the last of these frames, oldest first, is in code outside of the analysis that can only throw any more, and
    /// no target is ahead of such an exception. What makes the exception, with a message for example, is of no interest then:
    /// code outside of the analysis leads to no target itself. `returning` tells where a method may return.
    pub fn throws_nowhere(
        &self,
        program: &Program,
        frames: &[(MethodId, Point)],
        mut returning: impl FnMut(MethodId, &Body) -> Rc<Returning>,
    ) -> bool {
        let mut callers = frames;
        while let Some((&(method, point), others)) = callers.split_last()
            && !self.distance.knows(method)
        {
            let Some(body) = program.body(method) else { return false };
            let returning = returning(method, body);
            let may_return = match callers.len() == frames.len() {
                true => returning.may_return(point.block),
                false => returning.may_return_after_exception(body, point.block),
            };
            if may_return {
                return false;
            }
            callers = others;
        }
        let Some(&(first, point)) = callers.first() else { return callers.len() < frames.len() };
        callers.len() < frames.len()
            && !self.calls_on(program, first, point)
            && self.distance.of_exception(callers).is_none()
    }

    /// Whether execution starts with unknown code that does more than return after an open call: the method that makes
    /// the inputs calls the entry point after other methods of the program have returned.
    fn calls_on(&self, program: &Program, method: MethodId, point: Point) -> bool {
        let Some(body) = program.body(method).filter(|_| !self.distance.knows(method)) else { return false };
        let block = body.block(point.block);
        let mut rest = block.ops.iter().skip(point.op as usize + 1);
        rest.any(|op| matches!(op.kind, OpKind::Call { .. } | OpKind::Ensure { .. }))
            || !matches!(block.terminator.kind, TerminatorKind::Return(_))
    }
}

impl Query {
    /// The violation in a concrete run of the entry point, and its place; `None` if the query asks for no such
    /// violation.
    pub fn violated_by(&self, program: &Program, outcome: &Outcome) -> Option<(Fault, Place)> {
        let (fault, place) = match *outcome {
            Outcome::AssertionFailed { kind, place } if self.assertions => (Fault::Assertion(kind), place),
            Outcome::Uncaught { class, trap, origin, own, .. } => {
                let fault = trap.map_or(Fault::Thrown(class), Fault::Trap);
                let place = if self.blames_own_code() { own } else { origin };
                self.is_violation(program, Some(class)).then_some((fault, place))?
            }
            _ => return None,
        };
        self.is_asked(place).then_some((fault, place))
    }

    /// Whether the place of an exception is the operation of the program's own code that led to it.
    pub fn blames_own_code(&self) -> bool {
        self.at.is_some() && self.uncaught != Uncaught::Never
    }

    /// The place that the query sees where an exception is thrown at `place`. `callers` are the open calls around it, the innermost first.
    pub fn blamed(&self, program: &Program, place: Place, callers: impl Iterator<Item = (MethodId, Point)>) -> Place {
        if !self.blames_own_code() || program.is_in_sources(place.method, place.point) {
            return place;
        }
        let mut own = callers.filter(|&(method, point)| program.is_in_sources(method, point));
        own.next().map_or(place, |(method, point)| Place { method, point, span: program.span_at(method, point) })
    }

    /// Whether a violation at this place counts.
    pub fn is_asked(&self, place: Place) -> bool {
        self.at.as_ref().is_none_or(|at| at.contains(&(place.method, place.point)))
    }

    /// Whether an exception of a class, or of an unknown class, is a violation if it leaves the entry point.
    pub fn is_violation(&self, program: &Program, class: Option<ClassId>) -> bool {
        match self.uncaught {
            Uncaught::Never => false,
            Uncaught::Any => true,
            Uncaught::InstancesOf(wanted) => class.is_some_and(|class| program.is_subclass(class, wanted)),
        }
    }

    /// The distances to the points of the query, or to all assertions if it has no points.
    pub fn distance(&self, program: &Program) -> Distance {
        let targets = self.targets(program);
        Distance::new(program, &self.call_graph(program, &targets), targets)
    }

    /// The code that matters for the query, as far as its effects are known. `None` if all code may matter: the query
    /// asks for exceptions, which may come from anywhere or be rethrown by a handler, or a library may call code that
    /// leads to a target.
    pub fn focus(&self, program: &Program) -> Option<Focus> {
        let (focus, graph, callbacks) = self.control(program)?;
        Some(Focus { relevance: self.relevance_along(program, &graph, &callbacks, &[]), ..focus })
    }

    /// The relevant code if further points are targets, too. `None` if all code may matter.
    pub fn relevance(&self, program: &Program, further: &[(MethodId, Point)]) -> Option<Relevance> {
        let (_, graph, callbacks) = self.control(program)?;
        self.relevance_along(program, &graph, &callbacks, further)
    }

    fn relevance_along(
        &self,
        program: &Program,
        graph: &CallGraph,
        callbacks: &Callbacks,
        further: &[(MethodId, Point)],
    ) -> Option<Relevance> {
        if program.profile().runtime.has_open_libraries() {
            return None;
        }
        let targets = self.targets(program).into_iter().chain(further.iter().copied());
        Relevance::new(program, graph, callbacks, self.entry, targets)
    }

    /// The code that can lead to a target, under the same conditions. All of it counts as relevant.
    pub fn control_focus(&self, program: &Program) -> Option<Focus> {
        self.control(program).map(|(focus, ..)| focus)
    }

    fn control(&self, program: &Program) -> Option<(Focus, CallGraph, Callbacks)> {
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
        // Unknown code after a gap may contain a target, and reflection may run one.
        let ends = targets.iter().copied().chain(gaps(program)).chain(reflective_calls(program));
        let distance = Distance::new(program, &graph, ends);
        if distance.is_called_back(&callbacks) {
            return None;
        }
        Some((Focus { distance, relevance: None }, graph, callbacks))
    }

    fn targets(&self, program: &Program) -> Vec<(MethodId, Point)> {
        match &self.at {
            Some(at) => at.iter().copied().collect(),
            None => assertions(program).collect(),
        }
    }

    fn call_graph(&self, program: &Program, targets: &[(MethodId, Point)]) -> CallGraph {
        // Library code is not analyzed: it may call any method of the program and create objects of any class.
        let (called, inputs): (Vec<MethodId>, Inputs) = match program.grows() {
            true => (program.own_methods().collect(), Inputs::AnyClass),
            false => (targets.iter().map(|&(method, _)| method).collect(), Inputs::Declared),
        };
        let entries = [self.entry].into_iter().chain(called);
        CallGraph::new(program, &CallGraphConfig::new(entries).with_inputs(inputs))
    }
}

/// The assertions of a program, except those of libraries that are loaded on demand: they are not checked.
fn assertions(program: &Program) -> impl Iterator<Item = (MethodId, Point)> + '_ {
    checked(program).into_iter().flat_map(|id| {
        let ops = program.body(id).into_iter().flat_map(Body::ops);
        ops.filter(|(_, op)| matches!(op.kind, OpKind::Assert { .. })).map(move |(point, _)| (id, point))
    })
}

/// The points at which the known code ends and unknown code may follow
/// ([`TerminatorKind::is_gap`](aback_ir::TerminatorKind::is_gap)).
fn gaps(program: &Program) -> impl Iterator<Item = (MethodId, Point)> + '_ {
    checked(program).into_iter().flat_map(|id| {
        let blocks = program.body(id).into_iter().flat_map(|body| body.block_ids().map(move |number| (number, body)));
        let ends = blocks.map(|(number, body)| (number, body.block(number), body));
        let ends = ends.filter(|(_, block, body)| block.terminator.kind.is_gap() && !never_ends(program, block, body));
        ends.map(move |(number, block, _)| (id, Point { block: number, op: block.ops.len() as u32 }))
    })
}

/// Whether control never gets to the terminator of a block, because the last operation ends every execution, or calls a
/// method that never returns, such as one that only throws an exception.
fn never_ends(program: &Program, block: &Block, body: &Body) -> bool {
    match block.ops.last().map(|op| &op.kind) {
        Some(OpKind::Assert { condition, kind }) => {
            !kind.is_passed() && matches!(body.expr(*condition), Expr::Const(Const::Bool(false)))
        }
        Some(OpKind::Call { dispatch: Dispatch::Static, method, .. }) => {
            let may_go_on = |end: &TerminatorKind| matches!(end, TerminatorKind::Return(_)) || end.is_gap();
            let callee = program.body(*method);
            callee.is_some_and(|callee| !callee.blocks.iter().any(|block| may_go_on(&block.terminator.kind)))
        }
        _ => false,
    }
}

/// The calls that may run methods that the program names only when it runs.
fn reflective_calls(program: &Program) -> impl Iterator<Item = (MethodId, Point)> + '_ {
    checked(program).into_iter().flat_map(|id| {
        let ops = program.body(id).into_iter().flat_map(Body::ops);
        let is_one = |kind: &OpKind| matches!(*kind, OpKind::Call { method, .. } if program.is_reflective(method));
        ops.filter(move |(_, op)| is_one(&op.kind)).map(move |(point, _)| (id, point))
    })
}

/// The methods of a program whose code is analyzed as a whole, without libraries that are loaded on demand.
fn checked(program: &Program) -> Vec<MethodId> {
    match program.grows() {
        true => program.own_methods().collect(),
        false => program.methods().map(|(id, _)| id).collect(),
    }
}
