//! Executes operations and terminators, with one arm for each rule, in the order of [`OpKind`].

use crate::arithmetic::{self, Problem};
use crate::heap::HeapObject;
use crate::int::Int;
use crate::interpreter::{Fault, Flow, Machine};
use crate::outcome::Outcome;
use crate::types::is_array_assignable;
use crate::value::{Address, Value};
use aback_ir::{
    AssertKind, ClassId, Dispatch, ExprId, Intrinsic, LocalId, MethodId, OpKind, Quantifier, TerminatorKind, Trap, Type,
};

impl Machine<'_, '_> {
    /// Executes an operation.
    pub(crate) fn operation(&mut self, op: &OpKind) -> Result<Flow, Fault> {
        match op {
            OpKind::Assign { dst, value } => {
                let value = self.eval(*value)?;
                self.set(*dst, value)?;
            }
            OpKind::Divide { dst, op, dividend, divisor } => {
                let ty = self.local_type(*dst)?;
                let (dividend, divisor) = (self.eval(*dividend)?, self.eval(*divisor)?);
                match arithmetic::divide(*op, ty, &dividend, &divisor)? {
                    Some(value) => self.set(*dst, value)?,
                    None => return Err(Fault::Trap(Trap::DivisionByZero)),
                }
            }
            OpKind::New { dst, class } => {
                let object = self.new_object(*class)?;
                self.set(*dst, Value::Ref(object))?;
            }
            OpKind::NewArray { dst, element, length } => {
                let length = self.int(*length)?;
                if length.is_negative() {
                    self.args.push(Value::Int(length));
                    return Err(Fault::Trap(Trap::NegativeArraySize));
                }
                if self.state.program.max_array_length().is_some_and(|most| length > most.into()) {
                    self.args.push(Value::Int(length));
                    return Err(Fault::Trap(Trap::ArrayTooLong));
                }
                let array = self.state.heap.new_array(*element, length)?;
                self.set(*dst, Value::Ref(array))?;
            }
            OpKind::GetField { dst, object, field } => {
                let object = self.reference(*object)?;
                let value = match self.state.heap.get(object) {
                    Some(HeapObject::Object(object)) => object.get(*field).ok_or(Problem::IllTyped)?.clone(),
                    _ => return Err(Problem::IllTyped.into()),
                };
                self.set(*dst, value)?;
            }
            OpKind::PutField { object, field, value } => {
                let object = self.reference(*object)?;
                let value = self.eval(*value)?;
                self.state.heap.put_field(object, *field, value)?.ok_or(Problem::IllTyped)?;
            }
            OpKind::GetStatic { dst, field } => {
                let value = self.state.static_field(*field);
                self.set(*dst, value)?;
            }
            OpKind::PutStatic { field, value } => {
                let value = self.eval(*value)?;
                self.state.statics.insert(*field, value);
            }
            OpKind::ArrayGet { dst, array, index } => {
                let array = self.reference(*array)?;
                let index = self.int(*index)?;
                let value = match self.state.heap.get(array) {
                    Some(HeapObject::Array(array)) => array.get(&index).cloned(),
                    _ => return Err(Problem::IllTyped.into()),
                };
                let value = value.ok_or_else(|| self.out_of_bounds(array, index))?;
                self.set(*dst, value)?;
            }
            OpKind::ArrayPut { array, index, value } => {
                let array = self.reference(*array)?;
                let index = self.int(*index)?;
                let value = self.eval(*value)?;
                let element = match self.state.heap.get(array) {
                    Some(HeapObject::Array(array)) if array.get(&index).is_some() => array.element_type(),
                    Some(HeapObject::Array(_)) => return Err(self.out_of_bounds(array, index)),
                    _ => return Err(Problem::IllTyped.into()),
                };
                if element.is_reference() && value != Value::Null && !self.is_instance(&value, element)? {
                    self.args.push(value);
                    return Err(Fault::Trap(Trap::BadArrayStore));
                }
                self.state.heap.put_element(array, &index, value)?.ok_or(Problem::IllTyped)?;
            }
            OpKind::ArrayLength { dst, array } => {
                let array = self.reference(*array)?;
                let length = self.length(array, self.local_type(*dst)?)?;
                self.set(*dst, Value::Int(length))?;
            }
            OpKind::InstanceOf { dst, object, ty } => {
                let object = self.eval(*object)?;
                let is = object != Value::Null && self.is_instance(&object, *ty)?;
                self.set(*dst, Value::Bool(is))?;
            }
            OpKind::Cast { dst, object, ty } => {
                let object = self.eval(*object)?;
                if object != Value::Null && !self.is_instance(&object, *ty)? {
                    return Err(Fault::Trap(Trap::BadCast));
                }
                self.set(*dst, object)?;
            }
            OpKind::Call { dst: _, dispatch, method, args } => {
                for &arg in args {
                    let arg = self.eval(arg)?;
                    self.args.push(arg);
                }
                return Ok(Flow::Call(self.callee(*dispatch, *method)?));
            }
            OpKind::Ensure { field, method } => {
                if matches!(self.state.static_field(*field), Value::Bool(false) | Value::Null) {
                    return Ok(Flow::Call(*method));
                }
            }
            OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(ty), .. } => {
                let value = self.nondet_value(*ty)?;
                self.set(*dst, value)?;
            }
            OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::NondetArray(element), args } => {
                let length = match args[..] {
                    [length] => self.int(length)?,
                    _ => return Err(Problem::Malformed.into()),
                };
                let array = self.nondet_array(*element, length)?;
                self.set(*dst, Value::Ref(array))?;
            }
            OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Alike, args } => {
                let [left, right] = args[..] else { return Err(Problem::Malformed.into()) };
                let (left, right) = (self.reference(left)?, self.reference(right)?);
                let same = self.alike(left, right)?;
                self.set(*dst, Value::Bool(same))?;
            }
            OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Known, .. } => {
                self.set(*dst, Value::Bool(true))?;
            }
            OpKind::Intrinsic { dst: None, intrinsic: Intrinsic::Print, args } => {
                let unit = match args[..] {
                    [unit] => self.int(unit)?.to_i64().and_then(|unit| u16::try_from(unit).ok()),
                    _ => None,
                };
                self.state.output.print(unit.ok_or(Problem::IllTyped)?);
            }
            OpKind::Intrinsic { .. } => return Err(Problem::Malformed.into()),
            OpKind::Quantify { dst, quantifier, array, index, element, body } => {
                let array = self.reference(*array)?;
                let holds = self.quantify(*quantifier, array, *index, *element, *body)?;
                for bound in [*index, *element] {
                    let default = Value::default_of(self.local_type(bound)?);
                    self.set(bound, default)?;
                }
                self.set(*dst, Value::Bool(holds))?;
            }
            OpKind::Assume { condition } => {
                if !self.bool(*condition)? {
                    return Err(Outcome::AssumptionFailed(self.place).into());
                }
            }
            OpKind::Doubt { .. } => {}
            OpKind::Assert { condition, kind } => {
                let is_passed = *kind == AssertKind::Check && self.passes_assertions;
                if !self.bool(*condition)? && !is_passed {
                    let place = self.place;
                    let outer = [0, 1].map(|level| self.state.frame(level).map(|frame| frame.method));
                    return Err(if self.state.program.excludes_input(*kind, outer, self.state.depth()) {
                        Outcome::AssumptionFailed(place).into()
                    } else {
                        Outcome::AssertionFailed { kind: *kind, place }.into()
                    });
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Executes a terminator.
    pub(crate) fn terminator(&mut self, terminator: &TerminatorKind) -> Result<Flow, Fault> {
        match terminator {
            TerminatorKind::Goto(target) => Ok(Flow::Goto(*target)),
            TerminatorKind::Branch { condition, then_block, else_block } => {
                Ok(Flow::Goto(if self.bool(*condition)? { *then_block } else { *else_block }))
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.int(*value)?;
                let case = cases.iter().find(|(case, _)| value == Int::from(case));
                Ok(Flow::Goto(case.map_or(*default, |(_, target)| *target)))
            }
            TerminatorKind::Return(None) => Ok(Flow::Return(None)),
            TerminatorKind::Return(Some(value)) => Ok(Flow::Return(Some(self.eval(*value)?))),
            TerminatorKind::Throw(exception) => Err(Fault::Throw(self.reference(*exception)?)),
            TerminatorKind::Unsupported { construct: what, .. } => Err(Fault::unsupported(what.clone())),
            TerminatorKind::Bound(what) => Err(Fault::unsupported(format!("beyond the bound: {what}"))),
            TerminatorKind::Unreachable => {
                Err(Fault::unsupported("malformed code: control reached a point that is marked unreachable"))
            }
        }
    }

    /// The method that a call with the arguments [`Machine::args`] runs.
    fn callee(&mut self, dispatch: Dispatch, method: MethodId) -> Result<MethodId, Fault> {
        match (dispatch, self.args.first()) {
            (Dispatch::Static, _) => Ok(method),
            (_, Some(Value::Null)) => {
                self.args.clear();
                Err(Fault::Trap(Trap::NullDereference))
            }
            (Dispatch::Special, Some(Value::Ref(_))) => Ok(method),
            (Dispatch::Virtual, Some(Value::Ref(object))) => match self.state.heap.get(*object) {
                Some(HeapObject::Object(object)) => {
                    let class = object.class();
                    self.receiver(class, method)
                }
                Some(HeapObject::Array(array)) => {
                    let program = self.state.program;
                    let exact = program.array_type(array.element_type()).map(Type::Array);
                    match exact.and_then(|exact| program.class_of(exact)) {
                        Some(class) => self.receiver(class, method),
                        None => Err(Problem::IllTyped.into()),
                    }
                }
                None => Err(Problem::IllTyped.into()),
            },
            _ => Err(Problem::IllTyped.into()),
        }
    }

    fn nondet_array(&mut self, element: Type, length: Int) -> Result<Address, Fault> {
        if length.is_negative() {
            return Err(Fault::unsupported(format!("malformed code: an input array of length {length}")));
        }
        let elements = self.nondet_elements(element, &length)?;
        let array = self.state.heap.new_array(element, length)?;
        for (position, value) in (0i64..).zip(elements) {
            if self.state.heap.put_element(array, &position.into(), value)?.is_none() {
                break;
            }
        }
        Ok(array)
    }

    /// The length of an array as a value of `ty`.
    fn length(&self, array: Address, ty: Type) -> Result<Int, Fault> {
        let length = match self.state.heap.get(array) {
            Some(HeapObject::Array(array)) => array.length().clone(),
            _ => return Err(Problem::IllTyped.into()),
        };
        if !length.fits(ty) {
            let ty = self.state.program.type_name(ty);
            return Err(Fault::unsupported(format!("an array of length {length}, which {ty} cannot hold")));
        }
        Ok(length)
    }

    /// The trap of an array access with an index out of bounds.
    fn out_of_bounds(&mut self, array: Address, index: Int) -> Fault {
        match self.length(array, self.state.program.index_type()) {
            Ok(length) => {
                self.args.extend([index, length].map(Value::Int));
                Fault::Trap(Trap::IndexOutOfBounds)
            }
            Err(fault) => fault,
        }
    }

    fn new_object(&mut self, class: ClassId) -> Result<Address, Fault> {
        let program = self.state.program;
        let declared = program.class(class);
        if declared.is_abstract || declared.is_interface {
            return Err(Fault::unsupported(format!("an object of the abstract class {} is allocated", declared.name)));
        }
        Ok(self.state.heap.new_object(program, class)?)
    }

    /// Whether two arrays have the same elements.
    fn alike(&mut self, left: Address, right: Address) -> Result<bool, Fault> {
        let mut next: i64 = 0;
        loop {
            let at = Int::from(next);
            let (Some(HeapObject::Array(left)), Some(HeapObject::Array(right))) =
                (self.state.heap.get(left), self.state.heap.get(right))
            else {
                return Err(Problem::IllTyped.into());
            };
            if next == 0 && left.length() != right.length() {
                return Ok(false);
            }
            match (left.get(&at), right.get(&at)) {
                (Some(a), Some(b)) if a == b => {}
                (None, None) => return Ok(true),
                _ => return Ok(false),
            }
            self.count_step()?;
            next = next.checked_add(1).ok_or(Outcome::StepLimit)?;
        }
    }

    fn quantify(
        &mut self,
        quantifier: Quantifier,
        array: Address,
        index: LocalId,
        element: LocalId,
        body: ExprId,
    ) -> Result<bool, Fault> {
        let decisive = match quantifier {
            Quantifier::ForAll => false,
            Quantifier::Exists => true,
        };
        let mut next: i64 = 0;
        loop {
            let at = Int::from(next);
            let value = match self.state.heap.get(array) {
                Some(HeapObject::Array(array)) => array.get(&at).cloned(),
                _ => return Err(Problem::IllTyped.into()),
            };
            let Some(value) = value else { return Ok(!decisive) };
            self.count_step()?;
            self.set(index, Value::Int(at))?;
            self.set(element, value)?;
            if self.bool(body)? == decisive {
                return Ok(decisive);
            }
            next = next.checked_add(1).ok_or(Outcome::StepLimit)?;
        }
    }

    /// Whether an object, which is not null, is an instance of a type.
    fn is_instance(&mut self, value: &Value, ty: Type) -> Result<bool, Fault> {
        let Value::Ref(address) = value else { return Err(Problem::IllTyped.into()) };
        let program = self.state.program;
        match self.state.heap.get(*address) {
            Some(HeapObject::Object(object)) => {
                let class = Type::Class(object.class());
                Ok(*self.assignable.entry((class, ty)).or_insert_with(|| program.is_assignable(class, ty)))
            }
            Some(HeapObject::Array(array)) => is_array_assignable(program, array.element_type(), ty).ok_or_else(|| {
                let element = program.type_name(array.element_type());
                Fault::unsupported(format!("the program does not define the class of {element}[]"))
            }),
            None => Err(Problem::IllTyped.into()),
        }
    }

    fn local_type(&self, local: LocalId) -> Result<Type, Fault> {
        let local = self.code.body.locals.get(local.index()).ok_or(Problem::Malformed)?;
        Ok(local.ty)
    }

    /// The value of an expression in the innermost activation.
    fn eval(&mut self, expr: ExprId) -> Result<Value, Fault> {
        Ok(self.code.eval(expr, &self.state.locals[self.base..], &mut self.scratch)?)
    }

    fn bool(&mut self, expr: ExprId) -> Result<bool, Fault> {
        match self.eval(expr)? {
            Value::Bool(value) => Ok(value),
            _ => Err(Problem::IllTyped.into()),
        }
    }

    fn int(&mut self, expr: ExprId) -> Result<Int, Fault> {
        match self.eval(expr)? {
            Value::Int(value) => Ok(value),
            _ => Err(Problem::IllTyped.into()),
        }
    }

    /// The address that a reference refers to; a null reference traps.
    fn reference(&mut self, expr: ExprId) -> Result<Address, Fault> {
        match self.eval(expr)? {
            Value::Ref(address) => Ok(address),
            Value::Null => Err(Fault::Trap(Trap::NullDereference)),
            _ => Err(Problem::IllTyped.into()),
        }
    }
}
