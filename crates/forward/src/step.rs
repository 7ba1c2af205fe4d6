//! What each operation does to a state: one arm an operation.

use crate::engine::{Engine, Flow, Side, TAKEN_FOR_ANOTHER};
use crate::state::State;
use aback_heap::{Cells, Value, sort_of};
use aback_ir::{
    AssertKind, BlockId, Body, Dispatch, DivideOp, ExprId, Intrinsic, LocalId, Op, OpKind, Quantifier, Terminator,
    TerminatorKind, Trap, Type,
};
use aback_logic::{Pool, Sort, Term};
use aback_symbolic::expr::{self, Code};
use aback_symbolic::inputs::Nondet;
use aback_symbolic::{Fault, Gap, number};
use smallvec::SmallVec;
use std::rc::Rc;

/// Quantifiers over arrays of known length up to this are written out.
const UNFOLD_LIMIT: i64 = 4096;
/// Arrays of unknown length that are known to have no more elements than this are stored element by element.
const CELLS_LIMIT: i64 = 1024;
/// A solver is asked whether arrays of unknown length have no more elements than this.
const CELLS_BOUND: i64 = 64;

impl Engine<'_> {
    /// Executes an operation. On [`Flow::Next`] the caller moves on to the next one.
    pub(crate) fn operation(&mut self, state: &mut State, body: &Body, code: &Code, op: &Op) -> Flow {
        match &op.kind {
            OpKind::Assign { dst, value } => self.assign(state, body, code, *dst, *value),
            OpKind::Divide { dst, op, dividend, divisor } => {
                let ty = code.type_of(*dividend);
                let a = self.eval(state, body, code, *dividend);
                let b = self.eval(state, body, code, *divisor);
                match self.divide(state, *op, ty, a, b) {
                    Ok(value) => self.set(state, body, *dst, Some(value)),
                    Err(flow) => flow,
                }
            }
            OpKind::New { dst, class } => {
                let declared = self.program.class(*class);
                if declared.is_abstract || declared.is_interface {
                    return self.unsupported(state, format!("an object of the abstract class {}", declared.name));
                }
                state.frame.locals[dst.index()] = state.heap.allocate(self.program, &self.layout, *class);
                Flow::Next
            }
            OpKind::NewArray { dst, element, length } => {
                let ty = code.type_of(*length);
                let length = self.eval(state, body, code, *length);
                if !self.program.has_loader() && self.program.array_type(*element).is_none() {
                    let element = self.program.type_name(*element);
                    return self
                        .unsupported(state, format!("a new array of type {element}[], which the program never names"));
                }
                let length = match self.as_index(state, length, ty) {
                    Ok(length) => length,
                    Err(flow) => return flow,
                };
                let negative = self.less(length, Value::Int(0), self.program.index_type());
                if let Err(flow) = self.trap_if(state, negative, Trap::NegativeArraySize, &[length]) {
                    return flow;
                }
                if let Some(most) = self.program.max_array_length() {
                    let too_long = self.less(Value::Int(most), length, self.program.index_type());
                    if let Err(flow) = self.trap_if(state, too_long, Trap::ArrayTooLong, &[length]) {
                        return flow;
                    }
                }
                let cells = match self.most_elements(state, length) {
                    Some(most) => Cells::Dense(vec![Value::default_of(*element); most]),
                    None => Cells::new(length, *element),
                };
                state.frame.locals[dst.index()] = state.heap.allocate_cells(*element, length, cells);
                Flow::Next
            }
            OpKind::GetField { dst, object, field } => {
                let object = self.eval(state, body, code, *object);
                if let Err(flow) = self.trap_if_null(state, object) {
                    return flow;
                }
                match self.access(state, |heap, scope| heap.read_field(scope, object, *field)) {
                    Ok(value) => self.set(state, body, *dst, Some(value)),
                    Err(flow) => flow,
                }
            }
            OpKind::PutField { object, field, value } => {
                let object = self.eval(state, body, code, *object);
                let value = self.eval(state, body, code, *value);
                if let Err(flow) = self.trap_if_null(state, object) {
                    return flow;
                }
                match self.access(state, |heap, scope| heap.write_field(scope, object, *field, value)) {
                    Ok(()) => Flow::Next,
                    Err(flow) => flow,
                }
            }
            OpKind::GetStatic { dst, field } => {
                state.frame.locals[dst.index()] = state.heap.read_static(self.program, &self.layout, *field);
                Flow::Next
            }
            OpKind::PutStatic { field, value } => {
                let value = self.eval(state, body, code, *value);
                state.heap.write_static(self.program, &self.layout, *field, value);
                Flow::Next
            }
            OpKind::ArrayGet { dst, array, index } => {
                let array_type = code.type_of(*array);
                let array = self.eval(state, body, code, *array);
                let index_type = code.type_of(*index);
                let index = self.eval(state, body, code, *index);
                let (index, element) = match self.check_element(state, (array, array_type), (index, index_type)) {
                    Ok(found) => found,
                    Err(flow) => return flow,
                };
                match self.access(state, |heap, scope| heap.read_element(scope, array, array_type, element, index)) {
                    Ok(value) => self.set(state, body, *dst, Some(value)),
                    Err(flow) => flow,
                }
            }
            OpKind::ArrayPut { array, index, value } => {
                let array_type = code.type_of(*array);
                let array = self.eval(state, body, code, *array);
                let index_type = code.type_of(*index);
                let index = self.eval(state, body, code, *index);
                let value_type = code.type_of(*value);
                let value = self.eval(state, body, code, *value);
                let (index, element) = match self.check_element(state, (array, array_type), (index, index_type)) {
                    Ok(found) => found,
                    Err(flow) => return flow,
                };
                if element.is_reference()
                    && let Err(flow) = self.check_store(state, (array, array_type), (value, value_type))
                {
                    return flow;
                }
                let array = (array, array_type);
                match self.access(state, |heap, scope| heap.write_element(scope, array, element, index, value)) {
                    Ok(()) => Flow::Next,
                    Err(flow) => flow,
                }
            }
            OpKind::ArrayLength { dst, array } => {
                let array_type = code.type_of(*array);
                let array = self.eval(state, body, code, *array);
                if let Err(flow) = self.trap_if_null(state, array) {
                    return flow;
                }
                let length = self.access(state, |heap, scope| heap.array_length(scope, array, array_type));
                match length.and_then(|length| self.value_of_index(state, length, body.local(*dst).ty)) {
                    Ok(length) => self.set(state, body, *dst, Some(length)),
                    Err(flow) => flow,
                }
            }
            OpKind::InstanceOf { dst, object, ty } => {
                let static_type = code.type_of(*object);
                let object = self.eval(state, body, code, *object);
                let Some(fits) = self.instance_of(state, object, static_type, *ty) else {
                    return Flow::End;
                };
                let not_null = self.not_null(object);
                let result = self.pool.and(not_null, fits);
                let result = Value::from_term(&self.pool, result, Type::Bool);
                self.set(state, body, *dst, Some(result))
            }
            OpKind::Cast { dst, object, ty } => {
                let static_type = code.type_of(*object);
                let object = self.eval(state, body, code, *object);
                let Some(fits) = self.instance_of(state, object, static_type, *ty) else {
                    return Flow::End;
                };
                let not_null = self.not_null(object);
                let misfit = self.pool.not(fits);
                let bad = self.pool.and(not_null, misfit);
                if let Err(flow) = self.trap_if(state, bad, Trap::BadCast, &[]) {
                    return flow;
                }
                self.set(state, body, *dst, Some(object))
            }
            OpKind::Call { dst, dispatch, method, args } => {
                let receiver_type = args.first().map_or(Type::Null, |&receiver| code.type_of(receiver));
                let args: SmallVec<[Value; 6]> = args.iter().map(|&arg| self.eval(state, body, code, arg)).collect();
                self.call(state, *dst, *dispatch, *method, &args, receiver_type)
            }
            OpKind::Ensure { field, method } => match state.heap.read_static(self.program, &self.layout, *field) {
                Value::Bool(false) | Value::Null => self.call(state, None, Dispatch::Static, *method, &[], Type::Null),
                _ => Flow::Next,
            },
            OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(ty), .. } => {
                let mut axioms = Vec::new();
                let value = self.input_value("input", *ty, &mut axioms);
                if let Value::Term(term) = value {
                    Rc::make_mut(&mut state.nondet).push(Nondet::Value(term, *ty));
                }
                state.frame.locals[dst.index()] = value;
                if self.assume_all(state, &axioms) { Flow::Next } else { Flow::End }
            }
            OpKind::Intrinsic { intrinsic: Intrinsic::Print, .. } => Flow::Next,
            OpKind::Intrinsic { dst, intrinsic: Intrinsic::Known, args } => {
                let &[condition] = &args[..] else { return self.unsupported(state, "a question about nothing") };
                let is_known = match self.eval(state, body, code, condition) {
                    Value::Term(term) => state.path.domain().decide(&self.pool, term).is_some(),
                    _ => true,
                };
                self.set(state, body, dst.unwrap_or(LocalId(0)), Some(Value::Bool(is_known)))
            }
            OpKind::Intrinsic { dst, intrinsic: Intrinsic::Alike, args } => {
                let &[left, right] = &args[..] else { return self.unsupported(state, "a comparison of arrays") };
                let ty = code.type_of(left);
                let [left, right] = [left, right].map(|array| self.eval(state, body, code, array));
                for array in [left, right] {
                    if let Err(flow) = self.trap_if_null(state, array) {
                        return flow;
                    }
                }
                match self.alike(state, left, right, ty) {
                    Ok(truth) => self.set(state, body, dst.unwrap_or(LocalId(0)), Some(truth)),
                    Err(flow) => flow,
                }
            }
            OpKind::Intrinsic { dst, intrinsic: Intrinsic::NondetArray(element), args } => {
                let Some(&length) = args.first() else {
                    return self.unsupported(state, "an array without a length");
                };
                let ty = code.type_of(length);
                let length = self.eval(state, body, code, length);
                match self.as_index(state, length, ty).and_then(|length| self.nondet_array(state, *element, length)) {
                    Ok(array) => self.set(state, body, dst.unwrap_or(LocalId(0)), Some(array)),
                    Err(flow) => flow,
                }
            }
            OpKind::Intrinsic { dst: None, intrinsic: Intrinsic::Nondet(_), .. } => {
                self.unsupported(state, "an input that goes nowhere")
            }
            OpKind::Quantify { dst, quantifier, array, index, element, body: condition } => {
                let array_type = code.type_of(*array);
                let array = self.eval(state, body, code, *array);
                if let Err(flow) = self.trap_if_null(state, array) {
                    return flow;
                }
                let bound = (*index, *element);
                let value = self.quantify(state, body, code, *quantifier, (array, array_type), bound, *condition);
                let element_type = body.local(*element).ty;
                state.frame.locals[index.index()] = Value::default_of(body.local(*index).ty);
                state.frame.locals[element.index()] = Value::default_of(element_type);
                self.set(state, body, *dst, value)
            }
            OpKind::Assume { condition } => match self.eval(state, body, code, *condition) {
                Value::Bool(true) => Flow::Next,
                condition => {
                    let condition = condition.to_term(&mut self.pool, Type::Bool);
                    self.suppose(state, condition)
                }
            },
            OpKind::Assert { condition, kind } => match self.eval(state, body, code, *condition) {
                Value::Bool(true) => Flow::Next,
                condition => {
                    let condition = condition.to_term(&mut self.pool, Type::Bool);
                    self.assertion(state, condition, *kind)
                }
            },
        }
    }

    /// Sets a local to the value of an expression.
    #[inline(always)]
    pub(crate) fn assign(&mut self, state: &mut State, body: &Body, code: &Code, dst: LocalId, value: ExprId) -> Flow {
        let value = self.eval(state, body, code, value);
        state.frame.locals[dst.index()] = match value {
            Value::Term(_) => self.settle(state, value, body.local(dst).ty),
            concrete => concrete,
        };
        Flow::Next
    }

    /// Sets a local; `None`: the path is infeasible.
    fn set(&mut self, state: &mut State, body: &Body, dst: LocalId, value: Option<Value>) -> Flow {
        match value {
            Some(value) => {
                state.frame.locals[dst.index()] = self.settle(state, value, body.local(dst).ty);
                Flow::Next
            }
            None => Flow::End,
        }
    }

    /// The most elements that an array of unknown length has, where these are few.
    fn most_elements(&self, state: &State, length: Value) -> Option<usize> {
        let Value::Term(term) = length else { return None };
        let most = state.path.domain().interval(&self.pool, term).high?.as_i64()?;
        usize::try_from(most).ok().filter(|_| most <= CELLS_LIMIT)
    }

    /// A bound of one of two lengths that intervals do not know.
    fn proved_bound(&mut self, state: &mut State, lengths: [Value; 2]) -> Result<i64, Flow> {
        let longest = self.program.input_strings().map_or(0, |strings| 2 * i64::from(strings.most));
        let bound = longest.max(CELLS_BOUND);
        for length in lengths {
            let beyond = self.less(Value::Int(bound), length, self.program.index_type());
            if matches!(self.trap_sides(state, beyond).yes, Side::Infeasible) {
                let within = self.pool.not(beyond);
                return if self.assume(state, within) { Ok(bound) } else { Err(Flow::End) };
            }
        }
        Err(self.unsupported(state, "a comparison of arrays of unknown length"))
    }

    /// Whether two arrays have the same elements.
    fn alike(&mut self, state: &mut State, left: Value, right: Value, ty: Type) -> Result<Value, Flow> {
        let (Type::Array(array), index_type) = (ty, self.program.index_type()) else {
            return Err(self.unsupported(state, "a comparison of what are no arrays"));
        };
        let element = self.program.element_type(array);
        let mut lengths = [Value::Null; 2];
        for (length, array) in lengths.iter_mut().zip([left, right]) {
            let found = self.access(state, |heap, scope| heap.array_length(scope, array, ty))?;
            *length = self.settle(state, found, index_type);
        }
        let most = lengths.iter().filter_map(|&length| match length {
            Value::Int(length) => Some(length),
            length => self.most_elements(state, length).and_then(|most| i64::try_from(most).ok()),
        });
        let most = match most.min() {
            Some(most) => most,
            None => self.proved_bound(state, lengths)?,
        };
        let same_length = Value::equals(&mut self.pool, lengths[0], lengths[1], index_type);
        if state.path.domain().decide(&self.pool, same_length) == Some(false) {
            return Ok(Value::Bool(false));
        }
        let mut parts = vec![same_length];
        // A known length says most about which elements there are.
        let length = if matches!(lengths[1], Value::Int(_)) { lengths[1] } else { lengths[0] };
        for index in 0..most {
            let at = Value::Int(index);
            let mut elements = [Value::Null; 2];
            for (value, array) in elements.iter_mut().zip([left, right]) {
                *value = self.access(state, |heap, scope| heap.read_element(scope, array, ty, element, at))?;
            }
            let equal = Value::equals(&mut self.pool, elements[0], elements[1], element);
            if equal == Pool::TRUE {
                continue;
            }
            let is_there = self.less(at, length, index_type);
            let is_beyond = self.pool.not(is_there);
            let part = self.pool.or(is_beyond, equal);
            if part == Pool::FALSE {
                return Ok(Value::Bool(false));
            }
            parts.push(part);
        }
        let all = self.pool.and_all(&parts);
        Ok(Value::from_term(&self.pool, all, Type::Bool))
    }

    /// A new array of any values.
    fn nondet_array(&mut self, state: &mut State, element: Type, length: Value) -> Result<Value, Flow> {
        let few = match length {
            Value::Int(length) => usize::try_from(length).ok().filter(|_| length <= CELLS_LIMIT),
            _ => self.most_elements(state, length),
        };
        let (cells, nondet) = match few {
            Some(few) => {
                let mut axioms = Vec::new();
                let cells: Vec<Value> = (0..few).map(|_| self.input_value("element", element, &mut axioms)).collect();
                if !self.assume_all(state, &axioms) {
                    return Err(Flow::End);
                }
                (Cells::Dense(cells.clone()), Nondet::Elements { cells: cells.into(), array: None, length, element })
            }
            None if element.is_reference() => {
                return Err(self.unsupported(state, "an input that is a large array of references"));
            }
            None => {
                let sort = self.pool.array_sort(sort_of(self.program.index_type()), sort_of(element));
                let array = self.pool.fresh_var("elements", sort);
                (Cells::of(array), Nondet::Elements { cells: Rc::default(), array: Some(array), length, element })
            }
        };
        Rc::make_mut(&mut state.nondet).push(nondet);
        Ok(state.heap.allocate_cells(element, length, cells))
    }

    /// Goes on where a condition holds.
    fn suppose(&mut self, state: &mut State, condition: Term) -> Flow {
        // Only one side is of interest; whether it is possible is asked at once, as a branch would.
        let sides = self.branch(state, condition);
        if self.take(state, condition, sides.yes) { Flow::Next } else { Flow::End }
    }

    fn assertion(&mut self, state: &mut State, condition: Term, kind: AssertKind) -> Flow {
        if !self.query.assertions || kind == AssertKind::Requires && state.frames == 1 {
            return self.suppose(state, condition);
        }
        let violated = self.pool.not(condition);
        let sides = self.trap_sides(state, violated);
        let place = self.place(state);
        self.violation(state, violated, &sides.yes, Fault::Assertion(kind), place);
        if self.take(state, condition, sides.no) { Flow::Next } else { Flow::End }
    }

    /// Executes a terminator; never [`Flow::Next`].
    pub(crate) fn terminator(&mut self, state: &mut State, body: &Body, code: &Code, terminator: &Terminator) -> Flow {
        match &terminator.kind {
            TerminatorKind::Goto(target) => {
                state.jump(*target);
                Flow::Jumped
            }
            TerminatorKind::Branch { condition, then_block, else_block } => {
                match self.eval(state, body, code, *condition) {
                    Value::Bool(true) => state.jump(*then_block),
                    Value::Bool(false) => state.jump(*else_block),
                    condition => {
                        let condition = condition.to_term(&mut self.pool, Type::Bool);
                        return self.choose(state, condition, *then_block, *else_block);
                    }
                }
                Flow::Jumped
            }
            TerminatorKind::Switch { value, cases, default } => {
                let ty = code.type_of(*value);
                let value = self.eval(state, body, code, *value);
                {
                    if let Value::Int(value) = value {
                        state.jump(code.case(state.frame.at.block, value).unwrap_or(*default));
                        return Flow::Jumped;
                    }
                    self.switch(state, value, ty, cases, *default)
                }
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|value| self.eval(state, body, code, value));
                self.return_from(state, value)
            }
            TerminatorKind::Throw(exception) => {
                let ty = code.type_of(*exception);
                let exception = self.eval(state, body, code, *exception);
                self.throw(state, exception, ty)
            }
            TerminatorKind::Unsupported(what) => self.unsupported(state, what),
            TerminatorKind::Bound(what) => {
                let place = self.place(state);
                self.gap(Gap::Bound { what: what.clone(), place });
                Flow::End
            }
            TerminatorKind::Unreachable => self.unsupported(state, "a place that no execution should reach"),
        }
    }

    /// Goes to one block or the other, or to both.
    fn choose(&mut self, state: &mut State, condition: Term, then_block: BlockId, else_block: BlockId) -> Flow {
        let negated = self.pool.not(condition);
        let sides = self.branch(state, condition);
        match (&sides.yes, &sides.no) {
            (Side::Infeasible, Side::Infeasible) => return Flow::End,
            (Side::Infeasible, _) => {
                let possible = self.take(state, negated, sides.no);
                state.jump(else_block);
                return if possible { Flow::Jumped } else { Flow::End };
            }
            (_, Side::Infeasible) => {
                let possible = self.take(state, condition, sides.yes);
                state.jump(then_block);
                return if possible { Flow::Jumped } else { Flow::End };
            }
            _ => {}
        }
        let mut other = state.clone();
        other.jump(else_block);
        let other_possible = self.take(&mut other, negated, sides.no);
        state.jump(then_block);
        if !self.take(state, condition, sides.yes) {
            if other_possible {
                *state = other;
                return Flow::Jumped;
            }
            return Flow::End;
        }
        if !other_possible {
            return Flow::Jumped;
        }
        // Both take their turn, so that breadth-first search is fair.
        self.forked(state.clone());
        self.enqueue(other);
        Flow::Moved
    }

    fn switch(
        &mut self,
        state: &mut State,
        value: Value,
        ty: Type,
        cases: &[(num_bigint::BigInt, BlockId)],
        default: BlockId,
    ) -> Flow {
        let mut rest = state.clone();
        for (case, block) in cases {
            let case = aback_logic::Integer::from(case);
            let case = match sort_of(ty) {
                Sort::BitVec(width) => self.pool.bv(width, case.to_bits(width)),
                _ => self.pool.integer(case),
            };
            let term = value.to_term(&mut self.pool, ty);
            let equal = self.pool.eq(term, case);
            let different = self.pool.not(equal);
            let sides = self.branch(&rest, equal);
            if !matches!(sides.yes, Side::Infeasible) {
                let mut hit = rest.clone();
                hit.jump(*block);
                if self.take(&mut hit, equal, sides.yes) {
                    self.forked(hit);
                }
            }
            if !self.take(&mut rest, different, sides.no) {
                return Flow::Moved;
            }
        }
        rest.jump(default);
        *state = rest;
        Flow::Jumped
    }

    /// `a < b` on two integers of a type.
    pub(crate) fn less(&mut self, a: Value, b: Value, ty: Type) -> Term {
        if let (Value::Int(a), Value::Int(b)) = (a, b) {
            return self.pool.bool(a < b);
        }
        let (a, b) = (a.to_term(&mut self.pool, ty), b.to_term(&mut self.pool, ty));
        match sort_of(ty) {
            Sort::BitVec(_) => self.pool.bv_compare(aback_logic::BvOrder::SLt, a, b),
            _ => self.pool.lt(a, b),
        }
    }

    fn divide(&mut self, state: &mut State, op: DivideOp, ty: Type, a: Value, b: Value) -> Result<Value, Flow> {
        if let (Value::Int(a), Value::Int(b)) = (a, b)
            && b != 0
            && let Some(value) = number::divide(op, ty, a, b)
        {
            return Ok(value);
        }
        let zero = Value::equals(&mut self.pool, b, Value::Int(0), ty);
        self.trap_if(state, zero, Trap::DivisionByZero, &[])?;
        if !matches!(ty, Type::Machine { .. }) {
            // Of what is not negative, quotients need no distinction of cases.
            let (a, b) = (a.to_term(&mut self.pool, ty), b.to_term(&mut self.pool, ty));
            let not_negative = self.pool.le(Pool::ZERO, a);
            if state.path.domain().decide(&self.pool, not_negative) == Some(true) {
                let term = match op {
                    DivideOp::Div => self.pool.int_div(a, b),
                    DivideOp::Rem => self.pool.int_mod(a, b),
                };
                return Ok(Value::from_term(&self.pool, term, ty));
            }
        }
        Ok(expr::divide(&mut self.pool, op, ty, a, b))
    }

    /// The truth of a quantified condition; `None`: the path is infeasible.
    #[allow(clippy::too_many_arguments, reason = "the parts of one operation")]
    fn quantify(
        &mut self,
        state: &mut State,
        body: &Body,
        code: &Code,
        quantifier: Quantifier,
        (array, array_type): (Value, Type),
        (index, element): (LocalId, LocalId),
        condition: ExprId,
    ) -> Option<Value> {
        let forall = quantifier == Quantifier::ForAll;
        let element_type = body.local(element).ty;
        let length = self.access(state, |heap, scope| heap.array_length(scope, array, array_type)).ok()?;
        let index_type = self.program.index_type();
        if let Value::Int(length) = self.settle(state, length, index_type)
            && length <= UNFOLD_LIMIT
        {
            let mut parts = Vec::new();
            for i in 0..length {
                let at = Value::Int(i);
                let value = self
                    .access(state, |heap, scope| heap.read_element(scope, array, array_type, element_type, at))
                    .ok()?;
                state.frame.locals[index.index()] = at;
                state.frame.locals[element.index()] = value;
                match self.eval(state, body, code, condition) {
                    Value::Bool(truth) if truth == forall => {}
                    Value::Bool(truth) => return Some(Value::Bool(truth)),
                    value => parts.push(value.to_term(&mut self.pool, Type::Bool)),
                }
            }
            let all = if forall { self.pool.and_all(&parts) } else { self.pool.or_all(&parts) };
            return Some(Value::from_term(&self.pool, all, Type::Bool));
        }
        if index_type != Type::Int || body.local(index).ty != Type::Int || expr::is_vague(body, condition) {
            // Ranges of machine integers are not expressed yet: any truth value is possible.
            let place = self.place(state);
            let construct =
                "a quantifier over an array of unknown length with machine integers or conversions".to_string();
            self.gap(Gap::Unsupported { construct, place });
            return Some(Value::Term(self.pool.fresh_var("quantified", Sort::Bool)));
        }
        let name = &body.local(index).name;
        let variable = self.pool.fresh_var(name, Sort::Int);
        let mut scratch = Vec::new();
        let mut scope = aback_heap::Scope {
            pool: &mut self.pool,
            program: self.program,
            layout: &self.layout,
            input: &mut self.input,
            domain: state.path.domain(),
            axioms: &mut scratch,
        };
        let value = state.heap.read_element(&mut scope, array, array_type, element_type, Value::Term(variable));
        let Some(value) = value else {
            self.unsupported(state, TAKEN_FOR_ANOTHER);
            return None;
        };
        state.frame.locals[index.index()] = Value::Term(variable);
        state.frame.locals[element.index()] = value;
        let looks_at_element = expr::mentions(body, condition, element);
        let condition = self.eval(state, body, code, condition).to_term(&mut self.pool, Type::Bool);
        let length = length.to_term(&mut self.pool, index_type);
        if !scratch.is_empty() && looks_at_element {
            // What holds of every reference from the input heap holds of all elements.
            let axiom = self.pool.and_all(&scratch);
            let axiom = self.pool.quantified(true, variable, Pool::ZERO, length, axiom);
            if !self.assume(state, axiom) {
                return None;
            }
        }
        let term = self.pool.quantified(forall, variable, Pool::ZERO, length, condition);
        Some(Value::from_term(&self.pool, term, Type::Bool))
    }
}
