//! Lowers operations to steps, with one match arm for each kind of operation.

use crate::step::{Allocation, Cell, Pure, Quantified, Step, Target};
use aback_ir::{Body, Dispatch, ExprId, Intrinsic, LocalId, OpKind, Program, TerminatorKind, Trap, Type};

/// A body that is being lowered.
pub(crate) struct Lowering<'a> {
    program: &'a Program,
    body: &'a Body,
    /// The types of the body's expressions.
    types: Vec<Type>,
    pub(crate) steps: Vec<Step>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(program: &'a Program, body: &'a Body) -> Self {
        Lowering { program, body, types: body.expr_types(), steps: Vec::new() }
    }

    pub(crate) fn operation(&mut self, op: &OpKind) {
        match *op {
            OpKind::Assign { dst, value } => self.set(dst, Pure::Expr(value)),
            OpKind::Divide { dst, op, dividend, divisor } => {
                self.guard(Pure::IsZero(divisor), Trap::DivisionByZero);
                self.set(dst, Pure::Quotient { op, dividend, divisor });
            }
            OpKind::New { dst, class } => self.steps.push(Step::Allocate { dst, object: Allocation::Object(class) }),
            OpKind::NewArray { dst, element, length } => {
                let length = Pure::ToIndex(length);
                let negative = Pure::less(length.clone(), Pure::Index(0));
                self.guard_with(negative, Trap::NegativeArraySize, vec![length.clone()]);
                if let Some(most) = self.program.max_array_length() {
                    let too_long = Pure::less(Pure::Index(most), length.clone());
                    self.guard_with(too_long, Trap::ArrayTooLong, vec![length.clone()]);
                }
                let object = Allocation::Array { element, length, is_input: false };
                self.steps.push(Step::Allocate { dst, object });
            }
            OpKind::GetField { dst, object, field } => {
                self.not_null(object);
                self.steps.push(Step::Read { dst, cell: Cell::Field(object, field) });
            }
            OpKind::PutField { object, field, value } => {
                self.not_null(object);
                self.steps.push(Step::Write { cell: Cell::Field(object, field), value });
            }
            OpKind::GetStatic { dst, field } => self.steps.push(Step::Read { dst, cell: Cell::Static(field) }),
            OpKind::PutStatic { field, value } => self.steps.push(Step::Write { cell: Cell::Static(field), value }),
            OpKind::ArrayGet { dst, array, index } => {
                if let Some(cell) = self.element(array, index) {
                    self.steps.push(Step::Read { dst, cell });
                }
            }
            OpKind::ArrayPut { array, index, value } => {
                let Some(cell) = self.element(array, index) else { return };
                if matches!(cell, Cell::Element { element, .. } if element.is_reference()) {
                    let misfit = Pure::CanHold { array, object: value }.negated();
                    let bad = Pure::and(Pure::IsNull(value).negated(), misfit);
                    self.guard_with(bad, Trap::BadArrayStore, vec![Pure::Expr(value)]);
                }
                self.steps.push(Step::Write { cell, value });
            }
            OpKind::ArrayLength { dst, array } => {
                self.not_null(array);
                let ty = self.body.local(dst).ty;
                self.set(dst, Pure::FromIndex(Box::new(Pure::Length(array)), ty));
            }
            OpKind::InstanceOf { dst, object, ty } => {
                self.set(dst, Pure::and(Pure::IsNull(object).negated(), Pure::IsA(object, ty)));
            }
            OpKind::Cast { dst, object, ty } => {
                let bad = Pure::and(Pure::IsNull(object).negated(), Pure::IsA(object, ty).negated());
                self.guard(bad, Trap::BadCast);
                self.set(dst, Pure::Expr(object));
            }
            OpKind::Call { dst, dispatch, method, ref args } => {
                if dispatch != Dispatch::Static {
                    let Some(&receiver) = args.first() else {
                        return self.unsupported("a call without a receiver");
                    };
                    self.not_null(receiver);
                }
                let target = match dispatch {
                    Dispatch::Virtual => Target::Virtual(method),
                    Dispatch::Static | Dispatch::Special => Target::Known(method),
                };
                self.steps.push(Step::Call { dst, target, args: args.clone() });
            }
            OpKind::Ensure { field, method } => {
                let target = Target::Unless(field, method);
                self.steps.push(Step::Call { dst: None, target, args: Vec::new() });
            }
            OpKind::Intrinsic { dst, intrinsic, ref args } => self.intrinsic(dst, intrinsic, args),
            OpKind::Quantify { dst, quantifier, array, index, element, body: condition } => {
                self.not_null(array);
                let quantified = Quantified { quantifier, array, index, element, condition };
                self.steps.push(Step::Quantify { dst, quantified });
            }
            OpKind::Assume { condition } => self.steps.push(Step::Assume { condition }),
            OpKind::Assert { condition, kind } => self.steps.push(Step::Assert { condition, kind }),
            // Engines cover these executions like any others.
            OpKind::Doubt { .. } => {}
        }
    }

    pub(crate) fn terminator(&mut self, terminator: &TerminatorKind) {
        if let TerminatorKind::Throw(exception) = *terminator {
            self.not_null(exception);
        }
    }

    fn intrinsic(&mut self, dst: Option<LocalId>, intrinsic: Intrinsic, args: &[ExprId]) {
        match (intrinsic, dst, args) {
            (Intrinsic::Print, ..) => {}
            (Intrinsic::Nondet(ty), Some(dst), _) => self.steps.push(Step::Input { dst, ty }),
            (Intrinsic::NondetArray(element), Some(dst), &[length]) => {
                let object = Allocation::Array { element, length: Pure::ToIndex(length), is_input: true };
                self.steps.push(Step::Allocate { dst, object });
            }
            (Intrinsic::Known, Some(dst), &[condition]) => self.steps.push(Step::Known { dst, condition }),
            (Intrinsic::Alike, Some(dst), &[left, right]) => {
                self.not_null(left);
                self.not_null(right);
                self.steps.push(Step::Alike { dst, arrays: [left, right] });
            }
            _ => self.unsupported("a primitive whose result goes nowhere"),
        }
    }

    fn set(&mut self, dst: LocalId, value: Pure) {
        self.steps.push(Step::Set { dst, value });
    }

    fn guard(&mut self, bad: Pure, trap: Trap) {
        self.guard_with(bad, trap, Vec::new());
    }

    fn guard_with(&mut self, bad: Pure, trap: Trap, operands: Vec<Pure>) {
        self.steps.push(Step::Guard { bad, trap, operands });
    }

    fn not_null(&mut self, reference: ExprId) {
        self.guard(Pure::IsNull(reference), Trap::NullDereference);
    }

    fn unsupported(&mut self, construct: &str) {
        self.steps.push(Step::Unsupported(construct.into()));
    }

    /// An element of an array, after guards for null and bounds; `None` if the type is not an array type.
    fn element(&mut self, array: ExprId, index: ExprId) -> Option<Cell> {
        self.not_null(array);
        let Type::Array(id) = self.types[array.index()] else {
            self.unsupported("an element of something that is not an array");
            return None;
        };
        let (index, length) = (Pure::ToIndex(index), Pure::Length(array));
        let negative = Pure::less(index.clone(), Pure::Index(0));
        let beyond = Pure::less(index.clone(), length.clone()).negated();
        self.guard_with(Pure::or(negative, beyond), Trap::IndexOutOfBounds, vec![index.clone(), length]);
        Some(Cell::Element { array, index, element: self.program.element_type(id) })
    }
}
