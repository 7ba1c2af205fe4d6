//! Translates the steps of operations into the graph, with one match arm for each kind of step.

use super::Unwinder;
use super::objects::At;
use super::run::Run;
use super::way::{Valued, Way};
use crate::graph::{self, Given};
use crate::points::PointSet;
use aback_heap::{Value, sort_of};
use aback_ir::{ExprId, FieldId, LocalId, MethodId, Program, Type};
use aback_logic::Pool;
use aback_lower::{Allocation, Cell, Pure, Step, Target};
use aback_symbolic::Fault;
use aback_symbolic::pure::{self, Site};
use aback_witness::Place;
use std::rc::Rc;

/// A way before an operation; the context in which the operation's pure values are evaluated.
struct Operation<'o, 'a> {
    unwinder: &'o mut Unwinder<'a>,
    run: &'o mut Run<'a>,
    way: &'o mut Way,
}

/// A cell of a non-null object.
struct ObjectCell {
    object: Valued,
    /// The static type of the object.
    of: Type,
    cell: graph::Cell,
    index: Option<Value>,
    /// The type of the cell's contents.
    ty: Type,
}

impl ObjectCell {
    fn at(&self) -> At<'_> {
        At { cell: self.cell, object: &self.object, of: self.of, index: self.index }
    }
}

impl Site for Operation<'_, '_> {
    /// Describes the unsupported construct.
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

    fn exact_types(&mut self, reference: ExprId, tested: Option<Type>) -> Result<Vec<(Value, Type)>, String> {
        let (ty, reference) = (self.type_of(reference), self.unwinder.valued(self.run, self.way, reference));
        Ok(self.unwinder.exact_types(self.way, &reference, (ty, tested), self.run.place))
    }

    fn unsupported(&mut self, construct: &str) -> String {
        construct.into()
    }

    fn is_null(&mut self, reference: ExprId) -> Value {
        let value = self.expr(reference);
        let Value::Term(term) = value else { return pure::is_null(&mut self.unwinder.pool, value) };
        let is_object = || {
            let points = super::run::points(self.run.body, self.way, reference);
            points.is_some_and(|points| !points.null)
        };
        match self.way.facts.not_null.contains(&term) || is_object() {
            true => Value::Bool(false),
            false => pure::is_null(&mut self.unwinder.pool, value),
        }
    }
}

impl<'a> Unwinder<'a> {
    /// Executes the current operation, or the steps before a terminator. Returns the way on which control continues,
    /// if any.
    pub(super) fn operation(&mut self, run: &mut Run<'a>, way: Way) -> Option<Way> {
        run.lengths.clear();
        let prepared = Rc::clone(&run.prepared);
        let mut way = Some(way);
        for step in prepared.code.steps(self.program, run.body, run.place.point) {
            self.step(run, &mut way, step)?;
        }
        way
    }

    /// Executes a step. `None`: the way ends in it, and `slot` must not be used any more.
    fn step(&mut self, run: &mut Run<'a>, slot: &mut Option<Way>, step: &Step) -> Option<()> {
        let place = run.place;
        match *step {
            Step::Set { dst, ref value } => {
                let value = self.pure(run, slot, value)?;
                self.set(slot.as_mut()?, run.activation, dst, value, place);
            }
            Step::Guard { ref bad, trap, ref operands } => {
                let condition = self.pure(run, slot, bad)?.value;
                if condition == Value::Bool(false) {
                    return Some(());
                }
                let operands = operands.iter().map(|operand| self.pure(run, slot, operand));
                let operands: Vec<Valued> = operands.collect::<Option<_>>()?;
                *slot = self.trap_if(run, slot.take()?, condition, trap, &operands);
                let way = slot.as_mut()?;
                if let Pure::IsNull(reference) = *bad
                    && let Value::Term(term) = self.eval(run, way, reference)
                    && self.variables.contains_key(&term)
                {
                    self.mark_not_null(way, term, true);
                }
            }
            Step::Read { dst, ref cell } => self.read_cell(run, slot, dst, cell)?,
            Step::Write { ref cell, value } => self.write_cell(run, slot, cell, value)?,
            Step::Allocate { dst, ref object } => self.make(run, slot, dst, object)?,
            Step::Call { dst, target, ref args } => {
                let way = slot.take()?;
                let receiver_type = args.first().map_or(Type::Null, |&receiver| run.type_of(receiver));
                let args = args.iter().map(|&arg| self.valued(run, &way, arg)).collect();
                *slot = match target {
                    Target::Known(method) => self.invoke(run, way, method, args, dst),
                    Target::Virtual(method) => self.call_virtual(run, way, method, args, receiver_type, dst),
                    Target::Unless(field, method) => self.ensure(run, way, field, method),
                };
            }
            Step::Input { dst, ty } => {
                let way = slot.as_mut()?;
                let value = self.new_input(ty);
                self.graph.inputs.push(Given::Value(value, ty));
                let target = self.variable(run.activation, dst);
                let input = self.graph.inputs.len() as u32 - 1;
                self.emit(way, graph::Step::Input { target, input }, place);
                self.mark_not_null(way, target, false);
                way.locals.values[dst.index()] = Value::Term(target);
                let points = if ty.is_reference() && self.config.facts { PointSet::inputs(ty) } else { None };
                way.locals.points[dst.index()] = points;
            }
            Step::Known { dst, condition } => {
                let way = slot.as_mut()?;
                let is_known = !matches!(self.eval(run, way, condition), Value::Term(_));
                self.set(way, run.activation, dst, Value::Bool(is_known).into(), place);
            }
            Step::Alike { dst, arrays: [left, right] } => {
                let way = slot.take()?;
                let of = run.type_of(left);
                let [left, right] = [left, right].map(|array| self.valued(run, &way, array));
                *slot = self.alike(run, way, dst, [&left, &right], of);
            }
            Step::Quantify { dst, ref quantified } => *slot = self.quantify(run, slot.take()?, dst, quantified),
            Step::Assume { condition } => {
                let way = slot.take()?;
                let condition = self.eval(run, &way, condition);
                *slot = self.suppose(run, way, condition);
            }
            Step::Assert { condition, kind } => {
                let way = slot.take()?;
                let condition = self.eval(run, &way, condition);
                let outer = [0, 1].map(|level| self.active.get(level).map(|active| active.method));
                if !self.query.assertions || self.program.excludes_input(kind, outer, self.active.len()) {
                    *slot = self.suppose(run, way, condition);
                } else {
                    let (good, bad) = self.split(way, condition, place);
                    if let Some(bad) = bad {
                        self.violation(bad, Fault::Assertion(kind), place);
                    }
                    *slot = good;
                }
            }
            Step::Unsupported(ref construct) => self.unsupported(slot.take()?, construct, place),
        }
        slot.is_some().then_some(())
    }

    /// The value of a pure expression, with its points-to set. `None`: the way ends.
    fn pure(&mut self, run: &mut Run<'a>, slot: &mut Option<Way>, value: &Pure) -> Option<Valued> {
        let way = slot.as_mut()?;
        if let Pure::Expr(expr) = *value {
            return Some(self.valued(run, way, expr));
        }
        match pure::value(&mut Operation { unwinder: self, run, way }, value) {
            Ok(value) => Some(value.into()),
            Err(construct) => {
                self.unsupported(slot.take()?, construct, run.place);
                None
            }
        }
    }

    /// Continues on the way on which a condition holds.
    fn suppose(&mut self, run: &mut Run<'a>, way: Way, condition: Value) -> Option<Way> {
        let (good, bad) = self.split(way, condition, run.place);
        self.ends += u64::from(bad.is_some());
        good
    }

    // ---- cells --------------------------------------------------------------------------------------------------

    fn read_cell(&mut self, run: &mut Run<'a>, slot: &mut Option<Way>, dst: LocalId, cell: &Cell) -> Option<()> {
        if let Cell::Static(field) = *cell {
            let way = slot.as_mut()?;
            let value = self.static_value(way, field);
            self.set(way, run.activation, dst, value, run.place);
            return Some(());
        }
        let found = self.cell_of_object(run, slot, cell)?;
        self.read(run, slot.as_mut()?, dst, found.at(), found.ty);
        Some(())
    }

    fn write_cell(&mut self, run: &mut Run<'a>, slot: &mut Option<Way>, cell: &Cell, value: ExprId) -> Option<()> {
        let value = self.valued(run, slot.as_ref()?, value);
        if let Cell::Static(field) = *cell {
            self.set_static(slot.as_mut()?, field, value, run.place);
            return Some(());
        }
        let found = self.cell_of_object(run, slot, cell)?;
        self.write(run, slot.as_mut()?, found.at(), value, found.ty);
        Some(())
    }

    /// Resolves a cell of the lowered form. `None`: the way ends.
    fn cell_of_object(&mut self, run: &mut Run<'a>, slot: &mut Option<Way>, cell: &Cell) -> Option<ObjectCell> {
        let construct = match *cell {
            Cell::Field(object, field) => {
                let (of, object) = (run.type_of(object), self.valued(run, slot.as_ref()?, object));
                let ty = self.program.field(field).ty;
                return Some(ObjectCell { object, of, cell: graph::Cell::Field(field), index: None, ty });
            }
            Cell::Element { array, ref index, element: ty } => {
                let index = Some(self.pure(run, slot, index)?.value);
                let (of, object) = (run.type_of(array), self.valued(run, slot.as_ref()?, array));
                if let Some(group) = self.layout.group(of) {
                    return Some(ObjectCell { object, of, cell: graph::Cell::Elements(group, sort_of(ty)), index, ty });
                }
                "an element of something that is not an array"
            }
            Cell::Static(_) => "a static field of an object",
        };
        self.unsupported(slot.take()?, construct, run.place);
        None
    }

    fn make(&mut self, run: &mut Run<'a>, slot: &mut Option<Way>, dst: LocalId, object: &Allocation) -> Option<()> {
        let ty = match *object {
            Allocation::Object(class) => aback_lower::check_class(self.program, class).map(|()| Type::Class(class)),
            Allocation::Array { element, .. } => aback_lower::array_of(self.program, element),
        };
        let ty = match ty {
            Ok(ty) => ty,
            Err(construct) => {
                self.unsupported(slot.take()?, construct, run.place);
                return None;
            }
        };
        let (length, input) = match *object {
            Allocation::Object(_) => (None, None),
            Allocation::Array { element, ref length, is_input } => {
                let length = self.pure(run, slot, length)?.value;
                let input = is_input.then(|| {
                    let sort = self.pool.array_sort(self.index_sort(), sort_of(element));
                    let array = self.pool.fresh_var("elements", sort);
                    let object = self.graph.objects.len() as u32;
                    self.graph.inputs.push(Given::Elements { array, element, object });
                    self.graph.inputs.len() as u32 - 1
                });
                (Some(length), input)
            }
        };
        self.set_new(run, slot.as_mut()?, dst, ty, length, input);
        Some(())
    }

    /// Allocates an object and stores the reference in a local.
    fn set_new(&mut self, run: &Run, way: &mut Way, dst: LocalId, ty: Type, length: Option<Value>, input: Option<u32>) {
        let target = self.variable(run.activation, dst);
        let value = self.allocate(way, Some(target), ty, length, input, run.place);
        self.mark_not_null(way, target, true);
        way.locals.values[dst.index()] = value;
        way.locals.points[dst.index()] = None;
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
