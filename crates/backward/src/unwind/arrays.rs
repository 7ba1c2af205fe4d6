//! Unwinds operations on all elements of an array: quantifiers and comparisons.

use super::Unwinder;
use super::objects::At;
use super::run::Run;
use super::way::{Valued, Way};
use crate::graph::{Cell, Leaf};
use aback_heap::{Value, sort_of};
use aback_ir::{LocalId, Quantifier, Type};
use aback_logic::Sort;
use aback_lower::Quantified;
use aback_symbolic::{expr, pure};

/// Largest known array length for which quantifiers are expanded element by element.
const UNFOLD_LIMIT: i64 = 4096;

impl<'a> Unwinder<'a> {
    fn read_element(
        &mut self,
        run: &Run,
        way: &mut Way,
        dst: LocalId,
        (array, of): (&Valued, Type),
        index: Value,
        element: Type,
    ) {
        let Some(group) = self.layout.group(of) else { return };
        let cell = Cell::Elements(group, sort_of(element));
        self.read(run, way, dst, At { cell, object: array, of, index: Some(index) }, element);
    }

    /// Reads an element into a variable of its own.
    fn element(&mut self, run: &Run, way: &mut Way, array: (&Valued, Type), index: Value, element: Type) -> Value {
        let local = LocalId(way.locals.values.len() as u32);
        let variable = self.new_variable("element", element);
        self.locals.insert((run.activation, local), variable);
        way.locals.values.push(Value::Term(variable));
        way.locals.points.push(None);
        self.read_element(run, way, local, array, index, element);
        way.locals.points.pop();
        way.locals.values.pop().unwrap_or(Value::Null)
    }

    /// Splits a way by whether an array of some length has an element `i`. Returns the way on which it has, and
    /// whether elements from `i` on are no longer examined one by one. On the other way, which is added to `decided`,
    /// a local gets a truth value.
    fn inside(
        &mut self,
        run: &Run,
        way: Way,
        (i, length): (i64, Value),
        (dst, beyond_all): (LocalId, bool),
        decided: &mut Vec<Way>,
    ) -> Option<(Way, bool)> {
        let is_there = expr::less(&mut self.pool, Value::Int(i), length, self.program.index_type());
        let (inside, beyond) = self.split(way, is_there, run.place);
        if let Some(mut beyond) = beyond {
            self.set(&mut beyond, run.activation, dst, Value::Bool(beyond_all).into(), run.place);
            decided.push(beyond);
        }
        let limit = if is_there == Value::Bool(true) { UNFOLD_LIMIT } else { i64::from(self.bound) };
        inside.map(|inside| (inside, i >= limit || self.is_over(run.place)))
    }

    /// Whether a condition holds for all elements of a non-null array, or for one; the result goes into a local.
    pub(super) fn quantify(
        &mut self,
        run: &mut Run<'a>,
        mut way: Way,
        dst: LocalId,
        quantified: &Quantified,
    ) -> Option<Way> {
        let place = run.place;
        let Quantified { quantifier, array, index, element, condition } = *quantified;
        let (of, array) = (run.type_of(array), self.valued(run, &way, array));
        let array = &array;
        let forall = quantifier == Quantifier::ForAll;
        let (index_type, element_type) = (self.program.index_type(), run.body.local(element).ty);
        let length = self.length(&mut way, array, of, place);
        let mut decided = Vec::new();
        let mut rest = Some(way);
        for i in 0.. {
            let Some(way) = rest.take() else { break };
            let Some((mut way, is_rest)) = self.inside(run, way, (i, length), (dst, forall), &mut decided) else {
                break;
            };
            if is_rest {
                decided.extend(self.quantify_rest(run, way, dst, (array, of), quantified, (i, length)));
                break;
            }
            let at = expr::recast(&mut self.pool, Value::Int(i), index_type, run.body.local(index).ty);
            self.set(&mut way, run.activation, index, at.unwrap_or(Value::Int(i)).into(), place);
            self.read_element(run, &mut way, element, (array, of), Value::Int(i), element_type);
            let truth = self.eval(run, &way, condition);
            let goes_on = if forall { truth } else { pure::not(&mut self.pool, truth) };
            let (next, done) = self.split(way, goes_on, place);
            if let Some(mut done) = done {
                self.set(&mut done, run.activation, dst, Value::Bool(!forall).into(), place);
                decided.push(done);
            }
            rest = next;
        }
        for way in &mut decided {
            for local in [index, element] {
                let default = Value::default_of(run.body.local(local).ty);
                self.set(way, run.activation, local, default.into(), place);
            }
        }
        self.join(decided, run.activation, place)
    }

    /// Describes the elements from index `from` on by a quantified formula, if [`crate::graph::Graph::quantified`] is
    /// chosen. Otherwise, and if no formula can describe them, the way is cut.
    fn quantify_rest(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        dst: LocalId,
        (array, of): (&Valued, Type),
        &Quantified { quantifier, index, element, condition, .. }: &Quantified,
        (from, length): (i64, Value),
    ) -> Option<Way> {
        let (index_type, place) = (self.program.index_type(), run.place);
        let is_expressed =
            [index_type, run.body.local(index).ty] == [Type::Int; 2] && !expr::is_vague(run.body, condition);
        let group = self.layout.group(of).filter(|_| is_expressed && !self.is_over(place));
        let Some(group) = group else {
            self.leaf(way, Leaf::Cut, place);
            return None;
        };
        let pool = &mut self.pool;
        let quantified = *self.graph.quantified.get_or_insert_with(|| pool.fresh_var("quantified", Sort::Bool));
        let (way, cut) = self.split(way, Value::Term(quantified), place);
        if let Some(cut) = cut {
            self.leaf(cut, Leaf::Cut, place);
        }
        let mut way = way?;
        let sort = sort_of(run.body.local(element).ty);
        let row = self.pool.array_sort(Sort::Int, sort);
        let row = self.pool.fresh_var("elements", row);
        self.variables.insert(row, of);
        let all = At { cell: Cell::Elements(group, sort), object: array, of, index: None };
        self.emit_read(&mut way, row, &all, place);
        let at = self.pool.fresh_var(&run.body.local(index).name, Sort::Int);
        let held = self.pool.select(row, at);
        for (local, value) in [(index, at), (element, held)] {
            way.locals.values[local.index()] = Value::Term(value);
            way.locals.points[local.index()] = None;
        }
        let condition = self.eval(run, &way, condition).to_term(&mut self.pool, Type::Bool);
        let [from, length] = [Value::Int(from), length].map(|value| value.to_term(&mut self.pool, index_type));
        let truth = self.pool.quantified(quantifier == Quantifier::ForAll, at, from, length, condition);
        self.set(&mut way, run.activation, dst, Value::from_term(&self.pool, truth, Type::Bool).into(), place);
        Some(way)
    }

    /// Whether two arrays have the same elements; the result goes into a local.
    pub(super) fn alike(
        &mut self,
        run: &mut Run<'a>,
        mut way: Way,
        dst: LocalId,
        arrays: [&Valued; 2],
        of: Type,
    ) -> Option<Way> {
        let place = run.place;
        let (Type::Array(id), index_type) = (of, self.program.index_type()) else {
            self.unsupported(way, "an array comparison of values that are not arrays", place);
            return None;
        };
        let element = self.program.element_type(id);
        let lengths = arrays.map(|array| self.length(&mut way, array, of, place));
        let same = Value::equals(&mut self.pool, lengths[0], lengths[1], index_type);
        let same = Value::from_term(&self.pool, same, Type::Bool);
        // A known length determines best which elements exist.
        let length = if matches!(lengths[1], Value::Int(_)) { lengths[1] } else { lengths[0] };
        let (mut rest, mut different) = self.split(way, same, place);
        let mut decided = Vec::new();
        for i in 0.. {
            if let Some(mut way) = different.take() {
                self.set(&mut way, run.activation, dst, Value::Bool(false).into(), place);
                decided.push(way);
            }
            let Some(way) = rest.take() else { break };
            let Some((mut way, is_rest)) = self.inside(run, way, (i, length), (dst, true), &mut decided) else { break };
            if is_rest {
                self.leaf(way, Leaf::Cut, place);
                break;
            }
            let [a, b] = arrays.map(|array| self.element(run, &mut way, (array, of), Value::Int(i), element));
            let equal = Value::equals(&mut self.pool, a, b, element);
            let equal = Value::from_term(&self.pool, equal, Type::Bool);
            (rest, different) = self.split(way, equal, place);
        }
        self.join(decided, run.activation, place)
    }
}
