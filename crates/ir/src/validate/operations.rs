//! Checks that the types of operations fit their operands, and that calls fit their callees.

use super::body::BodyChecker;
use super::{Place, ProblemKind};
use crate::body::*;
use crate::program::{FieldId, MethodId, MethodKind, Trap, Type};

impl BodyChecker<'_, '_> {
    pub(super) fn op(&mut self, op: &OpKind, place: &Place) {
        use OpKind::*;
        let program = self.checker.program;
        match *op {
            Assign { dst, value } => self.store(dst, self.ty(value), place),
            Divide { dst, dividend, divisor, .. } => {
                self.integer(dividend, "the dividend", place);
                self.exactly(self.ty(divisor), self.ty(dividend), "the divisor", place);
                self.store(dst, self.ty(dividend), place);
            }
            New { dst, class } => {
                let declared = program.class(class);
                if declared.is_abstract || declared.is_interface {
                    self.report(place, ProblemKind::Abstract(declared.name.clone()));
                }
                self.store(dst, Type::Class(class), place);
            }
            NewArray { dst, element, length } => {
                self.integer(length, "the length", place);
                match program.array_type(element) {
                    Some(array) => self.store(dst, Type::Array(array), place),
                    None => {
                        let problem = ProblemKind::NoArrayType(self.name(element));
                        self.report(place, problem);
                    }
                }
            }
            GetField { dst, object, field } => {
                self.field(field, false, place);
                self.checker.assignable(self.ty(object), Type::Class(program.field(field).class), "the object", place);
                self.store(dst, program.field(field).ty, place);
            }
            PutField { object, field, value } => {
                self.field(field, false, place);
                self.checker.assignable(self.ty(object), Type::Class(program.field(field).class), "the object", place);
                self.checker.assignable(self.ty(value), program.field(field).ty, "the value", place);
            }
            GetStatic { dst, field } => {
                self.field(field, true, place);
                self.store(dst, program.field(field).ty, place);
            }
            PutStatic { field, value } => {
                self.field(field, true, place);
                self.checker.assignable(self.ty(value), program.field(field).ty, "the value", place);
            }
            ArrayGet { dst, array, index } => {
                self.integer(index, "the index", place);
                if let Some(element) = self.element(array, place) {
                    self.store(dst, element, place);
                }
            }
            ArrayPut { array, index, value } => {
                self.integer(index, "the index", place);
                if let Some(element) = self.element(array, place) {
                    self.checker.assignable(self.ty(value), element, "the value", place);
                }
            }
            ArrayLength { dst, array } => {
                self.element(array, place);
                let local = self.body.local(dst).ty;
                self.demand(local.is_integer(), local, "an integer", "the local of a length", place);
            }
            InstanceOf { dst, object, ty } => {
                self.reference(object, "the object", place);
                self.demand(ty.is_reference(), ty, "a class or an array type", "the type", place);
                self.store(dst, Type::Bool, place);
            }
            Cast { dst, object, ty } => {
                self.reference(object, "the object", place);
                self.demand(ty.is_reference(), ty, "a class or an array type", "the type", place);
                self.store(dst, ty, place);
            }
            Call { dst, dispatch, method, ref args } => self.call(dst, dispatch, method, args, place),
            Ensure { field, method } => self.ensure(field, method, place),
            OpKind::Intrinsic { dst, intrinsic, ref args } => self.intrinsic(dst, intrinsic, args, place),
            Quantify { dst, array, index, element, body, .. } => {
                let index_type = self.body.local(index).ty;
                self.demand(index_type.is_integer(), index_type, "an integer", "the index", place);
                if let Some(ty) = self.element(array, place) {
                    self.checker.assignable(ty, self.body.local(element).ty, "the element", place);
                }
                if index == element {
                    self.report(place, ProblemKind::OneBinder);
                }
                self.condition(body, place);
                self.store(dst, Type::Bool, place);
            }
            Assume { condition } | Assert { condition, .. } => self.condition(condition, place),
            Doubt { .. } => {}
        }
    }

    fn ensure(&mut self, field: FieldId, method: MethodId, place: &Place) {
        let program = self.checker.program;
        self.field(field, true, place);
        let ty = program.field(field).ty;
        self.demand(ty == Type::Bool || ty.is_reference(), ty, "a truth value or a reference", "the field", place);
        self.call(None, Dispatch::Static, method, &[], place);
    }

    fn intrinsic(&mut self, dst: Option<LocalId>, intrinsic: Intrinsic, args: &[ExprId], place: &Place) {
        use Intrinsic::*;
        if args.len() != intrinsic.arity() {
            let (name, expected, found) = (format!("{intrinsic:?}"), intrinsic.arity(), args.len());
            return self.report(place, ProblemKind::ArgumentCount { method: name, expected, found });
        }
        let result = match (intrinsic, args) {
            (Nondet(ty), _) => Some(ty),
            (NondetArray(element), &[length]) => {
                self.integer(length, "the length", place);
                let array = self.checker.program.array_type(element);
                if array.is_none() {
                    let problem = ProblemKind::NoArrayType(self.name(element));
                    self.report(place, problem);
                }
                array.map(Type::Array)
            }
            (Alike, &[left, right]) => {
                let ty = self.ty(left);
                let is_integers = matches!(ty, Type::Array(array)
                    if self.checker.program.element_type(array).is_integer());
                self.demand(is_integers, ty, "an array of integers", "an operand", place);
                self.exactly(self.ty(right), ty, "an operand", place);
                Some(Type::Bool)
            }
            (Known, &[condition]) => {
                self.exactly(self.ty(condition), Type::Bool, "an operand", place);
                Some(Type::Bool)
            }
            (Print, &[unit]) => {
                self.exactly(self.ty(unit), Type::Machine { width: 16, signed: false }, "an operand", place);
                None
            }
            _ => None,
        };
        match (dst, result) {
            (Some(dst), Some(result)) => self.store(dst, result, place),
            (Some(_), None) => self.report(place, ProblemKind::NoResult(format!("{intrinsic:?}"))),
            (None, _) => {}
        }
    }

    fn field(&mut self, field: FieldId, wanted_static: bool, place: &Place) {
        let field = self.checker.program.field(field);
        if field.is_static != wanted_static {
            let problem = ProblemKind::FieldKind { name: field.name.clone(), is_static: field.is_static };
            self.report(place, problem);
        }
    }

    fn call(&mut self, dst: Option<LocalId>, dispatch: Dispatch, method: MethodId, args: &[ExprId], place: &Place) {
        let program = self.checker.program;
        let callee = program.method(method);
        let name = || program.method_name(method);
        let fits = match dispatch {
            Dispatch::Static => callee.kind == MethodKind::Static,
            Dispatch::Special => callee.kind != MethodKind::Static,
            Dispatch::Virtual => callee.kind == MethodKind::Instance,
        };
        if !fits {
            let kind = match callee.kind {
                MethodKind::Static => "static method",
                MethodKind::Instance => "instance method",
                MethodKind::Constructor => "constructor",
            };
            let dispatch = match dispatch {
                Dispatch::Static => "static",
                Dispatch::Special => "special",
                Dispatch::Virtual => "virtual",
            };
            self.report(place, ProblemKind::BadDispatch { method: name(), kind, dispatch });
        }
        if callee.params.len() != args.len() {
            let (expected, found) = (callee.params.len(), args.len());
            self.report(place, ProblemKind::ArgumentCount { method: name(), expected, found });
        }
        for (&arg, &param) in args.iter().zip(&callee.params) {
            self.checker.assignable(self.ty(arg), param, "an argument", place);
        }
        match (dst, callee.result) {
            (Some(dst), Some(result)) => self.store(dst, result, place),
            (Some(_), None) => self.report(place, ProblemKind::NoResult(name())),
            (None, _) => {}
        }
    }

    pub(super) fn traps(&mut self, op: &OpKind, place: &Place) {
        for &trap in op.traps() {
            // Storing a number cannot fail: the element type of an array of numbers is exact.
            if let (Trap::BadArrayStore, OpKind::ArrayPut { array, .. }) = (trap, op)
                && let Type::Array(array) = self.ty(*array)
                && !self.checker.program.element_type(array).is_reference()
            {
                continue;
            }
            self.trap(trap, place);
        }
    }
}
