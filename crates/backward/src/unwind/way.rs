//! Ways: the open ends of the graph during unwinding, each with its path state.

use super::Unwinder;
use super::facts::{Facts, Known};
use crate::graph::{NodeId, Step};
use crate::points::{PointSet, Points};
use aback_heap::Value;
use aback_ir::{FieldId, LocalId, Type};
use aback_logic::{Node, Pool, Term};
use aback_witness::Place;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// Most conditions of an edge before a node is inserted.
const LONG_GUARD: usize = 8;

/// Values of the local variables of one activation, with the points-to sets of their references.
#[derive(Clone, Default, Debug)]
pub(super) struct Locals {
    /// A concrete value, or the variable that holds the value.
    pub values: Vec<Value>,
    /// Points-to sets by local; `None` also if the value is concrete.
    pub points: Vec<Points>,
}

/// An open end of the graph, where control arrives over one or more edges.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Edges to the next node.
    pub edges: SmallVec<[(NodeId, Term); 1]>,
    /// What is known at the end.
    pub facts: Facts,
    /// The current activation's variables.
    pub locals: Locals,
}

/// A value with its points-to set.
#[derive(Clone, Debug)]
pub(super) struct Valued {
    pub value: Value,
    pub points: Points,
}

impl Valued {
    pub fn known(&self) -> Known {
        Known::of(self.value, self.points.clone())
    }

    /// The objects that it may point to.
    pub fn points(&self) -> Points {
        self.known().points()
    }
}

impl From<Value> for Valued {
    fn from(value: Value) -> Self {
        Valued { value, points: None }
    }
}

/// An exception on its way out of an activation.
#[derive(Clone, Debug)]
pub(super) struct Thrown {
    pub way: Way,
    pub exception: Valued,
    /// The static type of the exception.
    pub ty: Type,
}

impl Unwinder<'_> {
    /// Adds an operation at the end of a way.
    pub(super) fn emit(&mut self, way: &mut Way, step: Step, place: Place) -> NodeId {
        if self.has_branch_facts() {
            way.facts.branches.pass(&mut self.pool, &step);
        }
        let id = self.graph.add(&way.edges, step, place);
        way.edges.clear();
        way.edges.push((id, Pool::TRUE));
        id
    }

    /// Whether facts from branches are used.
    pub(super) fn has_branch_facts(&self) -> bool {
        self.config.facts && self.config.branch_facts
    }

    /// Number of times that a way ended, or would have ended without facts from branches. Unlike constants, these may say
    /// forever that a loop continues. So they do not change which iterations count.
    pub(super) fn counted_ends(&self) -> (u64, u64) {
        (self.ends, self.decided)
    }

    /// Splits a way into the part on which a condition holds and the part on which it does not.
    pub(super) fn split(&mut self, mut way: Way, condition: Value, place: Place) -> (Option<Way>, Option<Way>) {
        let condition = match condition {
            Value::Bool(true) => return (Some(way), None),
            Value::Bool(false) => return (None, Some(way)),
            condition => condition.to_term(&mut self.pool, Type::Bool),
        };
        if self.has_branch_facts()
            && let Some(decided) = way.facts.branches.decide(&mut self.pool, condition)
        {
            self.decided += 1;
            return if decided { (Some(way), None) } else { (None, Some(way)) };
        }
        let is_long = |&(_, guard): &(NodeId, Term)| matches!(self.pool.node(guard), Node::And(parts) if parts.len() >= LONG_GUARD);
        if way.edges.len() > 1 || way.edges.iter().any(is_long) {
            // The new node avoids repeating the conditions for each edge here, and for each later split.
            self.emit(&mut way, Step::Nothing, place);
        }
        let negated = self.pool.not(condition);
        let mut sides = [condition, negated].map(|condition| {
            let edges: SmallVec<_> =
                way.edges.iter().map(|&(node, guard)| (node, self.pool.and(guard, condition))).collect();
            edges.iter().all(|&(_, guard)| guard != Pool::FALSE).then_some(edges)
        });
        let [yes, no] = [sides[0].take(), sides[1].take()];
        match (yes, no) {
            (Some(yes), Some(no)) => {
                let other = Way { edges: no, ..way.clone() };
                (self.suppose_branch(Way { edges: yes, ..way }, condition), self.suppose_branch(other, negated))
            }
            (Some(edges), None) => (Some(Way { edges, ..way }), None),
            (None, Some(edges)) => (None, Some(Way { edges, ..way })),
            (None, None) => (None, None),
        }
    }

    /// A way behind a branch, with what its condition says. `None` if no execution takes it.
    fn suppose_branch(&mut self, mut way: Way, condition: Term) -> Option<Way> {
        if self.has_branch_facts() && way.facts.branches.suppose(&mut self.pool, condition).is_err() {
            self.decided += 1;
            return None;
        }
        Some(way)
    }

    /// Joins several ways of the same activation. Where their values differ, variables hold them.
    pub(super) fn join(&mut self, mut ways: Vec<Way>, activation: u32, place: Place) -> Option<Way> {
        let last = ways.pop()?;
        if ways.is_empty() {
            return Some(last);
        }
        ways.push(last);
        let place = self.between_lines(place);
        self.join_statics(&mut ways, place);
        let count = ways[0].locals.values.len();
        for local in 0..count {
            let first = ways[0].locals.values[local];
            let differ = ways.iter().any(|way| way.locals.values[local] != first);
            if !differ {
                if matches!(first, Value::Term(_)) {
                    let points = union(ways.iter().map(|way| &way.locals.points[local]));
                    ways[0].locals.points[local] = points;
                }
                continue;
            }
            let known: Vec<Points> = ways
                .iter()
                .map(|way| Known::of(way.locals.values[local], way.locals.points[local].clone()).points())
                .collect();
            let id = LocalId(local as u32);
            let variable = self.variable(activation, id);
            let ty = self.variable_type(variable);
            for way in &mut ways {
                let value = way.locals.values[local];
                if value != Value::Term(variable) {
                    let term = value.to_term(&mut self.pool, ty);
                    self.emit(way, Step::Assign { target: variable, value: term }, place);
                    self.mark_not_null(way, variable, matches!(value, Value::Object(_)));
                }
            }
            ways[0].locals.values[local] = Value::Term(variable);
            ways[0].locals.points[local] = union(known.iter());
        }
        let mut ways = ways.into_iter();
        let mut joined = ways.next()?;
        for way in ways {
            joined.edges.extend(way.edges);
            joined.facts.join(&way.facts);
        }
        Some(joined)
    }

    fn join_statics(&mut self, ways: &mut [Way], place: Place) {
        let first = Rc::clone(&ways[0].facts.statics);
        if ways.iter().all(|way| Rc::ptr_eq(&way.facts.statics, &first)) {
            return;
        }
        let fields: FxHashSet<FieldId> = ways.iter().flat_map(|way| way.facts.statics.keys().copied()).collect();
        let mut fields: Vec<FieldId> = fields.into_iter().collect();
        fields.sort_unstable();
        let mut joined = (*first).clone();
        for field in fields {
            let known: Vec<Known> = ways.iter().map(|way| self.known_static(&way.facts, field)).collect();
            if known.iter().all(|other| *other == known[0]) {
                joined.insert(field, known[0].clone());
                continue;
            }
            let (variable, ty) = (self.static_variable(field), self.program.field(field).ty);
            for (way, known) in ways.iter_mut().zip(&known) {
                if let Known::Value(value) = known {
                    let term = value.to_term(&mut self.pool, ty);
                    self.emit(way, Step::Assign { target: variable, value: term }, place);
                    self.mark_not_null(way, variable, matches!(value, Value::Object(_)));
                }
            }
            let points: Vec<Points> = known.iter().map(Known::points).collect();
            joined.insert(field, Known::Points(union(points.iter())));
        }
        let joined = Rc::new(joined);
        for way in ways {
            way.facts.statics = Rc::clone(&joined);
        }
    }

    /// What is known about a static field.
    pub(super) fn known_static(&self, facts: &Facts, field: FieldId) -> Known {
        match facts.statics.get(&field) {
            Some(known) => known.clone(),
            None if self.config.facts => Known::Value(Value::default_of(self.program.field(field).ty)),
            None => Known::NOTHING,
        }
    }

    /// Assigns a value to a local variable.
    pub(super) fn set(&mut self, way: &mut Way, activation: u32, local: LocalId, new: Valued, place: Place) {
        if self.config.facts && !matches!(new.value, Value::Term(_)) {
            way.locals.values[local.index()] = new.value;
            way.locals.points[local.index()] = None;
            return;
        }
        let variable = self.variable(activation, local);
        let ty = self.variable_type(variable);
        let value = new.value.to_term(&mut self.pool, ty);
        if value != variable {
            let is_not_null = way.facts.not_null.contains(&value);
            self.emit(way, Step::Assign { target: variable, value }, place);
            self.mark_not_null(way, variable, is_not_null);
        }
        way.locals.values[local.index()] = Value::Term(variable);
        way.locals.points[local.index()] = if self.config.facts { new.points() } else { None };
    }

    /// Notes whether the new value of a variable is known to be non-null. This is a fact like any other.
    pub(super) fn mark_not_null(&self, way: &mut Way, variable: Term, is_not_null: bool) {
        let is_not_null = is_not_null && self.config.facts;
        if is_not_null != way.facts.not_null.contains(&variable) {
            let known = Rc::make_mut(&mut way.facts.not_null);
            if is_not_null {
                known.insert(variable)
            } else {
                known.remove(&variable)
            };
        }
    }
}

/// The union of several points-to sets.
fn union<'a>(mut points: impl Iterator<Item = &'a Points>) -> Points {
    let first = points.next()?.clone();
    points.fold(first, |all, points| PointSet::union(&all, points))
}
