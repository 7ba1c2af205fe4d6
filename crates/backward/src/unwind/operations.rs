//! What each operation of the program is in the graph: one arm an operation.

use super::Unwinder;
use super::objects::At;
use super::run::Run;
use super::way::{Valued, Way};
use crate::graph::{Cell, Given, Leaf, Step};
use aback_heap::{Value, sort_of};
use aback_ir::{AssertKind, DivideOp, ExprId, Intrinsic, LocalId, Op, OpKind, Quantifier, Trap, Type};
use aback_logic::{BvOrder, Pool, Sort};
use aback_symbolic::{Fault, expr, number};

/// Quantifiers over arrays of known length up to this are written out.
const UNFOLD_LIMIT: i64 = 4096;

/// What a quantifier binds and says.
#[derive(Clone, Copy)]
struct Quantified {
    quantifier: Quantifier,
    index: LocalId,
    element: LocalId,
    condition: ExprId,
}

impl<'a> Unwinder<'a> {
    /// The way on which control goes on after an operation, if it does.
    pub(super) fn operation(&mut self, run: &mut Run<'a>, mut way: Way, op: &Op) -> Option<Way> {
        let place = run.place;
        match &op.kind {
            OpKind::Assign { dst, value } => {
                let value = self.valued(run, &way, *value);
                self.set(&mut way, run.activation, *dst, value, place);
                Some(way)
            }
            OpKind::Divide { dst, op, dividend, divisor } => {
                let ty = run.type_of(*dividend);
                let [a, b] = [*dividend, *divisor].map(|operand| self.eval(run, &way, operand));
                let (mut way, value) = self.divide(run, way, *op, ty, (a, b))?;
                self.set(&mut way, run.activation, *dst, value.into(), place);
                Some(way)
            }
            OpKind::New { dst, class } => {
                let declared = self.program.class(*class);
                if declared.is_abstract || declared.is_interface {
                    let construct = format!("an object of the abstract class {}", declared.name);
                    self.unsupported(way, construct, place);
                    return None;
                }
                Some(self.set_new(run, way, *dst, Type::Class(*class), None, None))
            }
            OpKind::NewArray { dst, element, length } => {
                let ty = run.type_of(*length);
                let length = self.eval(run, &way, *length);
                let Some(array) = self.array_of(*element) else {
                    let element = self.program.type_name(*element);
                    let construct = format!("a new array of type {element}[], which the program never names");
                    self.unsupported(way, construct, place);
                    return None;
                };
                let (way, length) = self.recast(run, way, length, ty, self.program.index_type())?;
                let negative = self.less(length, Value::Int(0), self.program.index_type());
                let mut way = self.trap_if(run, way, negative, Trap::NegativeArraySize, &[length.into()])?;
                if let Some(most) = self.program.max_array_length() {
                    let too_long = self.less(Value::Int(most), length, self.program.index_type());
                    way = self.trap_if(run, way, too_long, Trap::ArrayTooLong, &[length.into()])?;
                }
                Some(self.set_new(run, way, *dst, array, Some(length), None))
            }
            OpKind::GetField { dst, object, field } => {
                let of = run.type_of(*object);
                let object = self.valued(run, &way, *object);
                let mut way = self.trap_if_null(run, way, &object)?;
                let at = At { cell: Cell::Field(*field), object: &object, of, index: None };
                self.read(run, &mut way, *dst, at, self.program.field(*field).ty);
                Some(way)
            }
            OpKind::PutField { object, field, value } => {
                let of = run.type_of(*object);
                let object = self.valued(run, &way, *object);
                let value = self.valued(run, &way, *value);
                let mut way = self.trap_if_null(run, way, &object)?;
                let at = At { cell: Cell::Field(*field), object: &object, of, index: None };
                self.write(run, &mut way, at, value, self.program.field(*field).ty);
                Some(way)
            }
            OpKind::GetStatic { dst, field } => {
                let value = self.static_value(&way, *field);
                self.set(&mut way, run.activation, *dst, value, place);
                Some(way)
            }
            OpKind::PutStatic { field, value } => {
                let value = self.valued(run, &way, *value);
                self.set_static(&mut way, *field, value, place);
                Some(way)
            }
            OpKind::ArrayGet { dst, array, index } => {
                let (of, index_type) = (run.type_of(*array), run.type_of(*index));
                let array = self.valued(run, &way, *array);
                let index = self.eval(run, &way, *index);
                let (mut way, index, element) = self.check_element(run, way, (&array, of), (index, index_type))?;
                self.read_element(run, &mut way, *dst, (&array, of), index, element);
                Some(way)
            }
            OpKind::ArrayPut { array, index, value } => {
                let (of, index_type, value_type) = (run.type_of(*array), run.type_of(*index), run.type_of(*value));
                let array = self.valued(run, &way, *array);
                let index = self.eval(run, &way, *index);
                let value = self.valued(run, &way, *value);
                let (mut way, index, element) = self.check_element(run, way, (&array, of), (index, index_type))?;
                if element.is_reference() {
                    let bad = self.misfit(&mut way, (&array, of), (&value, value_type), place);
                    way = self.trap_if(run, way, bad, Trap::BadArrayStore, std::slice::from_ref(&value))?;
                }
                let group = self.layout.group(of)?;
                let cell = Cell::Elements(group, sort_of(element));
                self.write(run, &mut way, At { cell, object: &array, of, index: Some(index) }, value, element);
                Some(way)
            }
            OpKind::ArrayLength { dst, array } => {
                let of = run.type_of(*array);
                let array = self.valued(run, &way, *array);
                let mut way = self.trap_if_null(run, way, &array)?;
                let length = self.length(&mut way, &array, of, place);
                let (mut way, length) =
                    self.recast(run, way, length, self.program.index_type(), run.body.local(*dst).ty)?;
                self.set(&mut way, run.activation, *dst, length.into(), place);
                Some(way)
            }
            OpKind::InstanceOf { dst, object, ty } => {
                let static_type = run.type_of(*object);
                let object = self.valued(run, &way, *object);
                let fits = match object.value {
                    Value::Null => Value::Bool(false),
                    _ => self.instance_of(&mut way, &object, static_type, *ty, place),
                };
                let [not_null, fits] =
                    [self.not_null(object.value), fits].map(|value| value.to_term(&mut self.pool, Type::Bool));
                let result = self.pool.and(not_null, fits);
                let result = Value::from_term(&self.pool, result, Type::Bool);
                self.set(&mut way, run.activation, *dst, result.into(), place);
                Some(way)
            }
            OpKind::Cast { dst, object, ty } => {
                let static_type = run.type_of(*object);
                let object = self.valued(run, &way, *object);
                let bad = match object.value {
                    Value::Null => Value::Bool(false),
                    _ => {
                        let fits = self.instance_of(&mut way, &object, static_type, *ty, place);
                        let misfit = self.not(fits);
                        let parts = [self.not_null(object.value), misfit];
                        let [not_null, misfit] = parts.map(|value| value.to_term(&mut self.pool, Type::Bool));
                        let bad = self.pool.and(not_null, misfit);
                        Value::from_term(&self.pool, bad, Type::Bool)
                    }
                };
                let mut way = self.trap_if(run, way, bad, Trap::BadCast, &[])?;
                self.set(&mut way, run.activation, *dst, object, place);
                Some(way)
            }
            OpKind::Call { dst, dispatch, method, args } => {
                let receiver_type = args.first().map_or(Type::Null, |&receiver| run.type_of(receiver));
                let args = args.iter().map(|&arg| self.valued(run, &way, arg)).collect();
                self.call(run, way, *dst, (*dispatch, *method), args, receiver_type)
            }
            OpKind::Ensure { field, method } => self.ensure(run, way, *field, *method),
            OpKind::Intrinsic { dst, intrinsic, args } => self.intrinsic(run, way, *dst, *intrinsic, args),
            OpKind::Quantify { dst, quantifier, array, index, element, body } => {
                let of = run.type_of(*array);
                let array = self.valued(run, &way, *array);
                let way = self.trap_if_null(run, way, &array)?;
                let quantified =
                    Quantified { quantifier: *quantifier, index: *index, element: *element, condition: *body };
                self.quantify(run, way, *dst, (&array, of), quantified)
            }
            OpKind::Assume { condition } => {
                let condition = self.eval(run, &way, *condition);
                self.suppose(run, way, condition)
            }
            OpKind::Assert { condition, kind } => {
                let condition = self.eval(run, &way, *condition);
                let is_precondition = *kind == AssertKind::Requires && self.active.len() == 1;
                if !self.query.assertions || is_precondition {
                    return self.suppose(run, way, condition);
                }
                let (good, bad) = self.split(way, condition, place);
                if let Some(bad) = bad {
                    self.violation(bad, Fault::Assertion(*kind), place);
                }
                good
            }
        }
    }

    /// Goes on where a condition holds.
    fn suppose(&mut self, run: &mut Run<'a>, way: Way, condition: Value) -> Option<Way> {
        let (good, bad) = self.split(way, condition, run.place);
        self.ends += u64::from(bad.is_some());
        good
    }

    fn array_of(&self, element: Type) -> Option<Type> {
        match self.program.has_loader() {
            true => Some(self.program.array_of(element)),
            false => self.program.array_type(element).map(Type::Array),
        }
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

    // ---- statics ------------------------------------------------------------------------------------------------

    pub(super) fn static_value(&mut self, way: &Way, field: aback_ir::FieldId) -> Valued {
        match self.known_static(&way.facts, field) {
            super::facts::Known::Value(value) => value.into(),
            super::facts::Known::Points(points) => Valued { value: Value::Term(self.static_variable(field)), points },
        }
    }

    fn set_static(&mut self, way: &mut Way, field: aback_ir::FieldId, value: Valued, place: aback_witness::Place) {
        let known = value.known();
        if !self.config.facts || matches!(value.value, Value::Term(_)) {
            let (variable, ty) = (self.static_variable(field), self.program.field(field).ty);
            let value = value.value.to_term(&mut self.pool, ty);
            let is_not_null = way.facts.not_null.contains(&value);
            self.emit(way, Step::Assign { target: variable, value }, place);
            self.mark_not_null(way, variable, is_not_null);
        }
        if self.config.facts {
            std::rc::Rc::make_mut(&mut way.facts.statics).insert(field, known);
        }
    }

    fn ensure(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        field: aback_ir::FieldId,
        method: aback_ir::MethodId,
    ) -> Option<Way> {
        let flag = self.static_value(&way, field).value;
        let is_missing = match flag {
            Value::Bool(false) | Value::Null => Value::Bool(true),
            Value::Term(term) if self.program.field(field).ty == Type::Bool => self.not(Value::Term(term)),
            Value::Term(term) => Value::Term(self.pool.eq(term, Pool::ZERO)),
            _ => return Some(way),
        };
        self.note_needed(field, method);
        let (missing, there) = self.split(way, is_missing, run.place);
        let made = missing.and_then(|way| self.invoke(run, way, method, Vec::new(), None));
        self.join(made.into_iter().chain(there).collect(), run.activation, run.place)
    }

    // ---- numbers ------------------------------------------------------------------------------------------------

    fn divide(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        op: DivideOp,
        ty: Type,
        (a, b): (Value, Value),
    ) -> Option<(Way, Value)> {
        if let (Value::Int(a), Value::Int(b)) = (a, b)
            && b != 0
            && let Some(value) = number::divide(op, ty, a, b)
        {
            return Some((way, value));
        }
        let zero = Value::equals(&mut self.pool, b, Value::Int(0), ty);
        let zero = Value::from_term(&self.pool, zero, Type::Bool);
        let way = self.trap_if(run, way, zero, Trap::DivisionByZero, &[])?;
        let term = expr::divide(&mut self.pool, op, ty, a, b);
        Some((way, term))
    }

    /// `a < b` on two integers of a type.
    fn less(&mut self, a: Value, b: Value, ty: Type) -> Value {
        if let (Value::Int(a), Value::Int(b)) = (a, b) {
            return Value::Bool(a < b);
        }
        let (a, b) = (a.to_term(&mut self.pool, ty), b.to_term(&mut self.pool, ty));
        let less = match sort_of(ty) {
            Sort::BitVec(_) => self.pool.bv_compare(BvOrder::SLt, a, b),
            _ => self.pool.lt(a, b),
        };
        Value::from_term(&self.pool, less, Type::Bool)
    }

    /// The same number as a value of another integer type.
    fn recast(&mut self, run: &Run, way: Way, value: Value, from: Type, to: Type) -> Option<(Way, Value)> {
        match expr::recast(&mut self.pool, value, from, to) {
            Some(value) => Some((way, value)),
            None => {
                self.unsupported(way, expr::NARROW, run.place);
                None
            }
        }
    }

    // ---- arrays -------------------------------------------------------------------------------------------------

    /// Goes on where an array is not null and an index is within its bounds; gives back the index as one of the type of
    /// indices, and the type of the elements.
    fn check_element(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        (array, of): (&Valued, Type),
        (index, index_type): (Value, Type),
    ) -> Option<(Way, Value, Type)> {
        let way = self.trap_if_null(run, way, array)?;
        let ty = self.program.index_type();
        let (mut way, index) = self.recast(run, way, index, index_type, ty)?;
        let Type::Array(id) = of else {
            self.unsupported(way, "an element of something that is not an array", run.place);
            return None;
        };
        let length = self.length(&mut way, array, of, run.place);
        let negative = self.less(index, Value::Int(0), ty);
        let below = self.less(index, length, ty);
        let above = self.not(below);
        let [negative, above] = [negative, above].map(|value| value.to_term(&mut self.pool, Type::Bool));
        let bad = self.pool.or(negative, above);
        let bad = Value::from_term(&self.pool, bad, Type::Bool);
        let way = self.trap_if(run, way, bad, Trap::IndexOutOfBounds, &[index.into(), length.into()])?;
        Some((way, index, self.program.element_type(id)))
    }

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

    /// A value of an element in a variable of its own.
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

    /// The way on which an array of some length has an element `i`, and whether so many elements are not looked at one by one. On that
    /// on which it has none, which is added to the decided ones, a local gets a truth value.
    fn inside(
        &mut self,
        run: &Run,
        way: Way,
        (i, length): (i64, Value),
        (dst, beyond_all): (LocalId, bool),
        decided: &mut Vec<Way>,
    ) -> Option<(Way, bool)> {
        let is_there = self.less(Value::Int(i), length, self.program.index_type());
        let (inside, beyond) = self.split(way, is_there, run.place);
        if let Some(mut beyond) = beyond {
            self.set(&mut beyond, run.activation, dst, Value::Bool(beyond_all).into(), run.place);
            decided.push(beyond);
        }
        let limit = if is_there == Value::Bool(true) { UNFOLD_LIMIT } else { i64::from(self.bound) };
        inside.map(|inside| (inside, i >= limit || self.is_over(run.place)))
    }

    fn quantify(
        &mut self,
        run: &mut Run<'a>,
        mut way: Way,
        dst: LocalId,
        (array, of): (&Valued, Type),
        quantified: Quantified,
    ) -> Option<Way> {
        let place = run.place;
        let Quantified { quantifier, index, element, condition } = quantified;
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
            let goes_on = if forall { truth } else { self.not(truth) };
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

    /// Says by a quantified formula what holds of the elements from one on, where [`crate::graph::Graph::quantified`] is chosen. Else, and
    /// where no formula says it, the way is cut.
    fn quantify_rest(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        dst: LocalId,
        (array, of): (&Valued, Type),
        Quantified { quantifier, index, element, condition }: Quantified,
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

    /// Whether two arrays have the same elements, into a local.
    fn alike(&mut self, run: &mut Run<'a>, mut way: Way, dst: LocalId, arrays: [&Valued; 2], of: Type) -> Option<Way> {
        let place = run.place;
        let (Type::Array(id), index_type) = (of, self.program.index_type()) else {
            self.unsupported(way, "a comparison of what are no arrays", place);
            return None;
        };
        let element = self.program.element_type(id);
        let lengths = arrays.map(|array| self.length(&mut way, array, of, place));
        let same = Value::equals(&mut self.pool, lengths[0], lengths[1], index_type);
        let same = Value::from_term(&self.pool, same, Type::Bool);
        // A known length says most about which elements there are.
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

    // ---- intrinsics ---------------------------------------------------------------------------------------------

    fn intrinsic(
        &mut self,
        run: &mut Run<'a>,
        mut way: Way,
        dst: Option<LocalId>,
        intrinsic: Intrinsic,
        args: &[ExprId],
    ) -> Option<Way> {
        let place = run.place;
        match (intrinsic, dst, args) {
            (Intrinsic::Print, ..) => Some(way),
            (Intrinsic::Nondet(ty), Some(dst), _) => {
                let value = self.new_input(ty);
                self.graph.inputs.push(Given::Value(value, ty));
                let target = self.variable(run.activation, dst);
                let input = self.graph.inputs.len() as u32 - 1;
                self.emit(&mut way, Step::Input { target, input }, place);
                self.mark_not_null(&mut way, target, false);
                way.locals.values[dst.index()] = Value::Term(target);
                way.locals.points[dst.index()] =
                    if ty.is_reference() && self.config.facts { crate::points::PointSet::inputs(ty) } else { None };
                Some(way)
            }
            (Intrinsic::NondetArray(element), Some(dst), &[length]) => {
                let ty = run.type_of(length);
                let length = self.eval(run, &way, length);
                let (way, length) = self.recast(run, way, length, ty, self.program.index_type())?;
                let Some(array_type) = self.array_of(element) else {
                    self.unsupported(way, "an array that the program never names", place);
                    return None;
                };
                let sort = self.pool.array_sort(self.index_sort(), sort_of(element));
                let array = self.pool.fresh_var("elements", sort);
                let object = self.graph.objects.len() as u32;
                self.graph.inputs.push(Given::Elements { array, element, object });
                let input = self.graph.inputs.len() as u32 - 1;
                Some(self.set_new(run, way, dst, array_type, Some(length), Some(input)))
            }
            (Intrinsic::Known, Some(dst), &[condition]) => {
                let is_known = !matches!(self.eval(run, &way, condition), Value::Term(_));
                self.set(&mut way, run.activation, dst, Value::Bool(is_known).into(), place);
                Some(way)
            }
            (Intrinsic::Alike, Some(dst), &[left, right]) => {
                let of = run.type_of(left);
                let [left, right] = [left, right].map(|array| self.valued(run, &way, array));
                let way = self.trap_if_null(run, way, &left)?;
                let way = self.trap_if_null(run, way, &right)?;
                self.alike(run, way, dst, [&left, &right], of)
            }
            _ => {
                self.unsupported(way, "a primitive whose result goes nowhere", place);
                None
            }
        }
    }
}
