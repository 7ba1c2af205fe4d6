//! Checks the types of a body: its parameters, handlers and terminators.

use super::{Checker, Place, ProblemKind};
use crate::body::*;
use crate::program::{MethodId, Trap, Type};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

pub(super) struct BodyChecker<'c, 'p> {
    pub(super) checker: &'c mut Checker<'p>,
    pub(super) body: &'c Body,
    pub(super) method: MethodId,
    pub(super) types: Vec<Type>,
}

impl BodyChecker<'_, '_> {
    pub(super) fn run(mut self, place: Place) {
        self.parameters(&place);
        for index in 0..self.body.exprs.len() {
            self.expr(index, &place);
        }
        for (block_index, block) in self.body.blocks.iter().enumerate() {
            let mut place = Place { block: Some(BlockId(block_index as u32)), ..place.clone() };
            for handler in &block.handlers {
                self.handler(handler, &place);
            }
            for (op_index, op) in block.ops.iter().enumerate() {
                place.op = Some(op_index as u32);
                self.op(&op.kind, &place);
                self.traps(&op.kind, &place);
            }
            place.op = Some(block.ops.len() as u32);
            self.terminator(&block.terminator.kind, &place);
        }
    }

    pub(super) fn report(&mut self, place: &Place, kind: ProblemKind) {
        self.checker.report(place, kind);
    }

    pub(super) fn name(&self, ty: Type) -> String {
        self.checker.program.type_name(ty)
    }

    pub(super) fn ty(&self, expr: ExprId) -> Type {
        self.types[expr.index()]
    }

    fn parameters(&mut self, place: &Place) {
        let params = &self.checker.program.method(self.method).params;
        if self.body.locals.len() < params.len() {
            let (expected, found) = (params.len(), self.body.locals.len());
            self.report(place, ProblemKind::MissingParameters { expected, found });
        }
        for (local, &param) in self.body.locals.iter().zip(params) {
            if local.ty != param {
                self.checker.wrong_type("the local of a parameter", &self.name(param), local.ty, place);
            }
        }
    }

    fn handler(&mut self, handler: &Handler, place: &Place) {
        let local = self.body.local(handler.exception).ty;
        match handler.class {
            Some(class) => self.checker.assignable(Type::Class(class), local, "the exception", place),
            None if matches!(local, Type::Class(_)) => {}
            None => self.checker.wrong_type("the local of the exception", "a class", local, place),
        }
    }

    /// Reports a value whose type is not `wanted`.
    pub(super) fn exactly(&mut self, found: Type, wanted: Type, what: &'static str, place: &Place) {
        if found != wanted {
            self.checker.wrong_type(what, &self.name(wanted), found, place);
        }
    }

    pub(super) fn demand(&mut self, holds: bool, found: Type, expected: &str, what: &'static str, place: &Place) {
        if !holds {
            self.checker.wrong_type(what, expected, found, place);
        }
    }

    pub(super) fn reference(&mut self, expr: ExprId, what: &'static str, place: &Place) {
        let ty = self.ty(expr);
        self.demand(ty.is_reference(), ty, "a reference", what, place);
    }

    pub(super) fn integer(&mut self, expr: ExprId, what: &'static str, place: &Place) {
        let ty = self.ty(expr);
        self.demand(ty.is_integer(), ty, "an integer", what, place);
    }

    pub(super) fn condition(&mut self, expr: ExprId, place: &Place) {
        self.exactly(self.ty(expr), Type::Bool, "the condition", place);
    }

    pub(super) fn store(&mut self, dst: LocalId, value: Type, place: &Place) {
        self.checker.assignable(value, self.body.local(dst).ty, "the result", place);
    }

    /// Type of the elements of an array expression. `None` if it is unknown; if the expression is not an array, this is
    /// reported.
    pub(super) fn element(&mut self, array: ExprId, place: &Place) -> Option<Type> {
        match self.ty(array) {
            Type::Array(array) => Some(self.checker.program.element_type(array)),
            Type::Null => None,
            other => {
                self.checker.wrong_type("the array", "an array", other, place);
                None
            }
        }
    }

    pub(super) fn trap(&mut self, trap: Trap, place: &Place) {
        if self.checker.program.trap_class(trap).is_none() && self.checker.trapless.insert(trap) {
            self.report(place, ProblemKind::NoTrapClass(trap));
        }
    }

    fn terminator(&mut self, terminator: &TerminatorKind, place: &Place) {
        let program = self.checker.program;
        match *terminator {
            TerminatorKind::Goto(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported { .. }
            | TerminatorKind::Bound(_) => {}
            TerminatorKind::Branch { condition, .. } => self.condition(condition, place),
            TerminatorKind::Switch { value, ref cases, .. } => {
                self.integer(value, "the value of a switch", place);
                let ty = self.ty(value);
                let mut seen = FxHashSet::default();
                for (case, _) in cases {
                    if ty.is_integer() && !fits(case, ty) {
                        let problem = ProblemKind::ConstantRange { value: case.clone(), ty: self.name(ty) };
                        self.report(place, problem);
                    }
                    if !seen.insert(case) {
                        self.report(place, ProblemKind::DuplicateCase(case.clone()));
                    }
                }
            }
            TerminatorKind::Return(value) => match (value, program.method(self.method).result) {
                (Some(value), Some(result)) => {
                    self.checker.assignable(self.ty(value), result, "the result", place);
                }
                (None, Some(result)) => {
                    let problem = ProblemKind::MissingResult(self.name(result));
                    self.report(place, problem);
                }
                (Some(_), None) => self.report(place, ProblemKind::NoResult(program.method_name(self.method))),
                (None, None) => {}
            },
            TerminatorKind::Throw(value) => {
                let ty = self.ty(value);
                self.demand(matches!(ty, Type::Class(_) | Type::Null), ty, "an object", "the exception", place);
                self.trap(Trap::NullDereference, place);
            }
        }
    }
}

/// Whether `value` is a value of the integer type `ty`.
pub(super) fn fits(value: &BigInt, ty: Type) -> bool {
    match ty {
        Type::Int => true,
        Type::Machine { width, signed: true } => {
            let bound = BigInt::from(1) << (width.max(1) - 1);
            -&bound <= *value && *value < bound
        }
        Type::Machine { width, signed: false } => *value >= BigInt::from(0) && *value < BigInt::from(1) << width,
        _ => false,
    }
}
