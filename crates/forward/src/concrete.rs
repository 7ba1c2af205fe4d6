//! Executes operations on concrete values directly: the fast path.
//!
//! The fast path does the same as the steps of the operation ([`crate::step`]) if no value is a term and no trap
//! occurs. If it is not clear at once that this is so, the steps are executed. [`crate::Config::fast_path`] switches
//! the fast path off.

use crate::engine::{Engine, Flow};
use crate::state::State;
use aback_heap::{Heap, Object, ObjectId, Value};
use aback_ir::{Body, Dispatch, ExprId, Op, OpKind, Type};
use aback_symbolic::expr::PreparedBody;
use aback_symbolic::number;
use smallvec::SmallVec;

/// An element of an allocated array.
struct Element {
    array: ObjectId,
    /// The element type of the array's static type.
    element: Type,
    /// The element type with which the array was created.
    holds: Type,
    index: Value,
}

impl<H: Heap> Engine<'_, H> {
    /// Executes an operation. On [`Flow::Next`] the caller advances to the next one.
    pub(crate) fn operation(&mut self, state: &mut State<H>, body: &Body, code: &PreparedBody, op: &Op) -> Flow {
        let done = if self.config.fast_path { self.concrete(state, body, code, &op.kind) } else { None };
        done.unwrap_or_else(|| self.steps(state, body, code))
    }

    fn concrete(&mut self, state: &mut State<H>, body: &Body, code: &PreparedBody, op: &OpKind) -> Option<Flow> {
        let value = match op {
            OpKind::GetField { object, field, .. } => {
                let object = self.object(state, body, code, *object)?;
                state.heap.object(object)?.field(self.program, &self.layout, *field)?
            }
            OpKind::PutField { object, field, value } => {
                let object = self.object(state, body, code, *object)?;
                let value = self.eval(state, body, code, *value);
                *state.heap.object_mut(object)?.field_mut(self.program, &self.layout, *field)? = value;
                return Some(Flow::Next);
            }
            OpKind::ArrayGet { array, index, .. } => {
                let at = self.element(state, body, code, *array, *index)?;
                state.heap.object(at.array)?.element(at.index)?
            }
            OpKind::ArrayPut { array, index, value } => {
                let at = self.element(state, body, code, *array, *index)?;
                let value_type = code.type_of(*value);
                let value = self.eval(state, body, code, *value);
                let fits =
                    !at.element.is_reference() || value == Value::Null || self.is_assignable(value_type, at.holds);
                if !fits {
                    return None;
                }
                *state.heap.object_mut(at.array)?.element_mut(at.index)? = value;
                return Some(Flow::Next);
            }
            OpKind::ArrayLength { dst, array } => {
                let array = self.object(state, body, code, *array)?;
                match state.heap.object(array)? {
                    &Object::Array { length: length @ Value::Int(_), .. }
                        if body.local(*dst).ty == self.program.index_type() =>
                    {
                        length
                    }
                    _ => return None,
                }
            }
            OpKind::Divide { op, dividend, divisor, .. } => {
                let [a, b] = [*dividend, *divisor].map(|operand| self.eval(state, body, code, operand));
                let (Value::Int(a), Value::Int(b)) = (a, b) else { return None };
                number::divide(*op, code.type_of(*dividend), a, b)?
            }
            OpKind::InstanceOf { object, ty, .. } => match self.eval(state, body, code, *object) {
                Value::Null => Value::Bool(false),
                object => Value::Bool(self.fits(state, object, *ty)?),
            },
            OpKind::Cast { object, ty, .. } => match self.eval(state, body, code, *object) {
                Value::Null => Value::Null,
                object => self.fits(state, object, *ty)?.then_some(object)?,
            },
            OpKind::GetStatic { field, .. } => state.heap.read_static(self.program, &self.layout, *field),
            OpKind::PutStatic { field, value } => {
                let value = self.eval(state, body, code, *value);
                state.heap.write_static(self.program, &self.layout, *field, value);
                return Some(Flow::Next);
            }
            OpKind::Call { dst, dispatch, method, args } => {
                let args: SmallVec<[Value; 6]> = args.iter().map(|&arg| self.eval(state, body, code, arg)).collect();
                let target = match (dispatch, args.first()) {
                    (Dispatch::Static, _) | (Dispatch::Special, Some(Value::Object(_))) => *method,
                    (Dispatch::Virtual, Some(&Value::Object(receiver))) => match state.heap.object(receiver)? {
                        Object::Instance { class, .. } => self.dispatched.callee(self.program, *class, *method),
                        Object::Array { .. } => return None,
                    },
                    _ => return None,
                };
                return Some(self.enter(state, target, &args, *dst));
            }
            OpKind::Ensure { field, .. } => {
                return match state.heap.read_static(self.program, &self.layout, *field) {
                    Value::Bool(false) | Value::Null | Value::Term(_) => None,
                    _ => Some(Flow::Next),
                };
            }
            _ => return None,
        };
        Some(match op.dst() {
            Some(dst) => self.set(state, body, dst, value),
            None => Flow::Next,
        })
    }

    /// The allocated object that a reference denotes, if it is concrete.
    #[inline(always)]
    fn object(&mut self, state: &State<H>, body: &Body, code: &PreparedBody, reference: ExprId) -> Option<ObjectId> {
        match self.eval(state, body, code, reference) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The element of an allocated array at an index within its bounds.
    #[inline(always)]
    fn element(
        &mut self,
        state: &State<H>,
        body: &Body,
        code: &PreparedBody,
        array: ExprId,
        index: ExprId,
    ) -> Option<Element> {
        let ty = code.type_of(array);
        let (Type::Array(id), true) = (ty, code.type_of(index) == self.program.index_type()) else { return None };
        let array = self.object(state, body, code, array)?;
        let index = self.eval(state, body, code, index);
        match (state.heap.object(array)?, index) {
            (&Object::Array { element: holds, length: Value::Int(length), .. }, Value::Int(at))
                if (0..length).contains(&at) =>
            {
                let element = self.program.element_type(id);
                let suits = holds == element || holds.is_reference() && element.is_reference();
                suits.then_some(Element { array, element, holds, index })
            }
            _ => None,
        }
    }

    /// Whether an allocated object has a type; `None` for arrays and for references that are not concrete.
    #[inline(always)]
    fn fits(&mut self, state: &State<H>, object: Value, ty: Type) -> Option<bool> {
        let Value::Object(object) = object else { return None };
        match state.heap.object(object)? {
            &Object::Instance { class, .. } => Some(self.is_assignable(Type::Class(class), ty)),
            Object::Array { .. } => None,
        }
    }
}
