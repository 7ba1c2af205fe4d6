//! What each step of an operation is in the graph: one arm a step.

use super::Unwinder;
use super::objects::At;
use super::run::Run;
use super::way::{Valued, Way};
use crate::graph::{self, Given};
use crate::points::PointSet;
use aback_heap::{Value, sort_of};
use aback_ir::{AssertKind, ExprId, FieldId, LocalId, MethodId, Program, Type};
use aback_logic::Pool;
use aback_lower::{Allocation, Cell, Pure, Step, Target};
use aback_symbolic::Fault;
use aback_symbolic::pure::{self, Site};
use aback_witness::Place;
use std::rc::Rc;

/// A way in front of an operation, for what the operation computes.
struct Operation<'o, 'a> {
    unwinder: &'o mut Unwinder<'a>,
    run: &'o mut Run<'a>,
    way: &'o mut Way,
}

impl Site for Operation<'_, '_> {
    /// What is not supported.
    type End = String;

    fn program(&self) -> &Program {
        self.unwinder.program
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.unwinder.pool
    }

    fn type_of(&self, expr: ExprId) -> Type {
        self.run.type_of(expr)
    }

    fn expr(&mut self, expr: ExprId) -> Value {
        self.unwinder.eval(self.run, self.way, expr)
    }

    fn length(&mut self, array: ExprId) -> Result<Value, String> {
        // One read serves the whole operation.
        if let Some(&(_, length)) = self.run.lengths.iter().find(|(known, _)| *known == array) {
            return Ok(length);
        }
        let (ty, reference) = (self.type_of(array), self.unwinder.valued(self.run, self.way, array));
        let length = self.unwinder.length(self.way, &reference, ty, self.run.place);
        self.run.lengths.push((array, length));
        Ok(length)
    }

    fn exact_types(&mut self, reference: ExprId) -> Result<Vec<(Value, Type)>, String> {
        let (ty, reference) = (self.type_of(reference), self.unwinder.valued(self.run, self.way, reference));
        Ok(self.unwinder.exact_types(self.way, &reference, ty, self.run.place))
    }

    fn unsupported(&mut self, construct: &str) -> String {
        construct.into()
    }

    fn is_null(&mut self, reference: ExprId) -> Value {
        let reference = self.unwinder.valued(self.run, self.way, reference);
        let is_known = match reference.value {
            Value::Term(term) => self.way.facts.not_null.contains(&term),
            _ => false,
        };
        match is_known || reference.points.is_some_and(|points| !points.null) {
            true => Value::Bool(false),
            false => pure::is_null(&mut self.unwinder.pool, reference.value),
        }
    }
}

impl<'a> Unwinder<'a> {
    /// The way on which control goes on after the operation where the run is, or before its terminator, if it does.
    pub(super) fn operation(&mut self, run: &mut Run<'a>, mut way: Way) -> Option<Way> {
        run.lengths.clear();
        let prepared = Rc::clone(&run.prepared);
        for step in prepared.code.steps(self.program, run.body, run.place.point) {
            way = self.step(run, way, step)?;
        }
        Some(way)
    }

    fn step(&mut self, run: &mut Run<'a>, mut way: Way, step: &Step) -> Option<Way> {
        let place = run.place;
        match *step {
            Step::Set { dst, ref value } => {
                let (mut way, value) = self.pure(run, way, value)?;
                self.set(&mut way, run.activation, dst, value, place);
                Some(way)
            }
            Step::Guard { ref bad, trap, ref operands } => {
                let (mut way, condition) = self.pure(run, way, bad)?;
                if condition.value == Value::Bool(false) {
                    return Some(way);
                }
                let mut values = Vec::new();
                for operand in operands {
                    let value;
                    (way, value) = self.pure(run, way, operand)?;
                    values.push(value);
                }
                let mut way = self.trap_if(run, way, condition.value, trap, &values)?;
                if let Pure::IsNull(reference) = *bad
                    && let Value::Term(term) = self.eval(run, &way, reference)
                    && self.variables.contains_key(&term)
                {
                    self.mark_not_null(&mut way, term, true);
                }
                Some(way)
            }
            Step::Read { dst, ref cell } => self.read_cell(run, way, dst, cell),
            Step::Write { ref cell, value } => self.write_cell(run, way, cell, value),
            Step::Allocate { dst, ref object } => self.make(run, way, dst, object),
            Step::Call { dst, target, ref args } => {
                let receiver_type = args.first().map_or(Type::Null, |&receiver| run.type_of(receiver));
                let args = args.iter().map(|&arg| self.valued(run, &way, arg)).collect();
                match target {
                    Target::Known(method) => self.invoke(run, way, method, args, dst),
                    Target::Virtual(method) => self.call_virtual(run, way, method, args, receiver_type, dst),
                    Target::Unless(field, method) => self.ensure(run, way, field, method),
                }
            }
            Step::Input { dst, ty } => {
                let value = self.new_input(ty);
                self.graph.inputs.push(Given::Value(value, ty));
                let target = self.variable(run.activation, dst);
                let input = self.graph.inputs.len() as u32 - 1;
                self.emit(&mut way, graph::Step::Input { target, input }, place);
                self.mark_not_null(&mut way, target, false);
                way.locals.values[dst.index()] = Value::Term(target);
                let points = if ty.is_reference() && self.config.facts { PointSet::inputs(ty) } else { None };
                way.locals.points[dst.index()] = points;
                Some(way)
            }
            Step::Known { dst, condition } => {
                let is_known = !matches!(self.eval(run, &way, condition), Value::Term(_));
                self.set(&mut way, run.activation, dst, Value::Bool(is_known).into(), place);
                Some(way)
            }
            Step::Alike { dst, arrays: [left, right] } => {
                let of = run.type_of(left);
                let [left, right] = [left, right].map(|array| self.valued(run, &way, array));
                self.alike(run, way, dst, [&left, &right], of)
            }
            Step::Quantify { dst, ref quantified } => self.quantify(run, way, dst, quantified),
            Step::Assume { condition } => {
                let condition = self.eval(run, &way, condition);
                self.suppose(run, way, condition)
            }
            Step::Assert { condition, kind } => {
                let condition = self.eval(run, &way, condition);
                let is_precondition = kind == AssertKind::Requires && self.active.len() == 1;
                if !self.query.assertions || is_precondition {
                    return self.suppose(run, way, condition);
                }
                let (good, bad) = self.split(way, condition, place);
                if let Some(bad) = bad {
                    self.violation(bad, Fault::Assertion(kind), place);
                }
                good
            }
            Step::Unsupported(ref construct) => {
                self.unsupported(way, construct, place);
                None
            }
        }
    }

    /// The value of what an operation computes, with what it points to. `None`: the way ends.
    fn pure(&mut self, run: &mut Run<'a>, mut way: Way, value: &Pure) -> Option<(Way, Valued)> {
        if let Pure::Expr(expr) = *value {
            let value = self.valued(run, &way, expr);
            return Some((way, value));
        }
        match pure::value(&mut Operation { unwinder: self, run, way: &mut way }, value) {
            Ok(value) => Some((way, value.into())),
            Err(construct) => {
                self.unsupported(way, construct, run.place);
                None
            }
        }
    }

    /// Goes on where a condition holds.
    fn suppose(&mut self, run: &mut Run<'a>, way: Way, condition: Value) -> Option<Way> {
        let (good, bad) = self.split(way, condition, run.place);
        self.ends += u64::from(bad.is_some());
        good
    }

    // ---- cells --------------------------------------------------------------------------------------------------

    fn read_cell(&mut self, run: &mut Run<'a>, mut way: Way, dst: LocalId, cell: &Cell) -> Option<Way> {
        match *cell {
            Cell::Static(field) => {
                let value = self.static_value(&way, field);
                self.set(&mut way, run.activation, dst, value, run.place);
                Some(way)
            }
            Cell::Field(object, field) => {
                let (of, object) = (run.type_of(object), self.valued(run, &way, object));
                let at = At { cell: graph::Cell::Field(field), object: &object, of, index: None };
                self.read(run, &mut way, dst, at, self.program.field(field).ty);
                Some(way)
            }
            Cell::Element { array, ref index, element } => {
                let (mut way, index) = self.pure(run, way, index)?;
                let (of, array) = (run.type_of(array), self.valued(run, &way, array));
                self.read_element(run, &mut way, dst, (&array, of), index.value, element);
                Some(way)
            }
        }
    }

    fn write_cell(&mut self, run: &mut Run<'a>, mut way: Way, cell: &Cell, value: ExprId) -> Option<Way> {
        let value = self.valued(run, &way, value);
        match *cell {
            Cell::Static(field) => {
                self.set_static(&mut way, field, value, run.place);
                Some(way)
            }
            Cell::Field(object, field) => {
                let (of, object) = (run.type_of(object), self.valued(run, &way, object));
                let at = At { cell: graph::Cell::Field(field), object: &object, of, index: None };
                self.write(run, &mut way, at, value, self.program.field(field).ty);
                Some(way)
            }
            Cell::Element { array, ref index, element } => {
                let (mut way, index) = self.pure(run, way, index)?;
                let (of, array) = (run.type_of(array), self.valued(run, &way, array));
                let Some(group) = self.layout.group(of) else {
                    self.unsupported(way, "an element of something that is not an array", run.place);
                    return None;
                };
                let cell = graph::Cell::Elements(group, sort_of(element));
                let at = At { cell, object: &array, of, index: Some(index.value) };
                self.write(run, &mut way, at, value, element);
                Some(way)
            }
        }
    }

    fn make(&mut self, run: &mut Run<'a>, way: Way, dst: LocalId, object: &Allocation) -> Option<Way> {
        let ty = match *object {
            Allocation::Object(class) => aback_lower::check_class(self.program, class).map(|()| Type::Class(class)),
            Allocation::Array { element, .. } => aback_lower::array_of(self.program, element),
        };
        let ty = match ty {
            Ok(ty) => ty,
            Err(construct) => {
                self.unsupported(way, construct, run.place);
                return None;
            }
        };
        let Allocation::Array { element, ref length, is_input } = *object else {
            return Some(self.set_new(run, way, dst, ty, None, None));
        };
        let (way, length) = self.pure(run, way, length)?;
        let input = is_input.then(|| {
            let sort = self.pool.array_sort(self.index_sort(), sort_of(element));
            let array = self.pool.fresh_var("elements", sort);
            let object = self.graph.objects.len() as u32;
            self.graph.inputs.push(Given::Elements { array, element, object });
            self.graph.inputs.len() as u32 - 1
        });
        Some(self.set_new(run, way, dst, ty, Some(length.value), input))
    }

    /// Allocates into a local.
    fn set_new(
        &mut self,
        run: &Run,
        mut way: Way,
        dst: LocalId,
        ty: Type,
        length: Option<Value>,
        input: Option<u32>,
    ) -> Way {
        let target = self.variable(run.activation, dst);
        let value = self.allocate(&mut way, Some(target), ty, length, input, run.place);
        self.mark_not_null(&mut way, target, true);
        way.locals.values[dst.index()] = value;
        way.locals.points[dst.index()] = None;
        way
    }

    pub(super) fn static_value(&mut self, way: &Way, field: FieldId) -> Valued {
        match self.known_static(&way.facts, field) {
            super::facts::Known::Value(value) => value.into(),
            super::facts::Known::Points(points) => Valued { value: Value::Term(self.static_variable(field)), points },
        }
    }

    fn set_static(&mut self, way: &mut Way, field: FieldId, value: Valued, place: Place) {
        let known = value.known();
        if !self.config.facts || matches!(value.value, Value::Term(_)) {
            let (variable, ty) = (self.static_variable(field), self.program.field(field).ty);
            let value = value.value.to_term(&mut self.pool, ty);
            let is_not_null = way.facts.not_null.contains(&value);
            self.emit(way, graph::Step::Assign { target: variable, value }, place);
            self.mark_not_null(way, variable, is_not_null);
        }
        if self.config.facts {
            Rc::make_mut(&mut way.facts.statics).insert(field, known);
        }
    }

    fn ensure(&mut self, run: &mut Run<'a>, way: Way, field: FieldId, method: MethodId) -> Option<Way> {
        let flag = self.static_value(&way, field).value;
        let is_missing = match flag {
            Value::Bool(false) | Value::Null => Value::Bool(true),
            Value::Term(_) if self.program.field(field).ty == Type::Bool => pure::not(&mut self.pool, flag),
            Value::Term(term) => Value::Term(self.pool.eq(term, Pool::ZERO)),
            _ => return Some(way),
        };
        self.note_needed(field, method);
        let (missing, there) = self.split(way, is_missing, run.place);
        let made = missing.and_then(|way| self.invoke(run, way, method, Vec::new(), None));
        self.join(made.into_iter().chain(there).collect(), run.activation, run.place)
    }
}
