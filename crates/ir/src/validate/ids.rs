//! Checks that a body refers only to existing entities.

use super::{Checker, Place, ProblemKind};
use crate::body::*;

impl Checker<'_> {
    /// Whether every id in `body` is in range and expressions come before their uses. Reports violations.
    pub(super) fn ids(&mut self, body: &Body, place: &Place) -> bool {
        let before = self.problems.len();
        if body.blocks.is_empty() {
            self.report(place, ProblemKind::NoEntry);
        }
        for local in &body.locals {
            self.ty(local.ty, place);
        }
        for (index, expr) in body.exprs.iter().enumerate() {
            match *expr {
                Expr::Local(local) => self.local_id(local, body, place),
                Expr::Const(Const::Int(_, ty)) | Expr::Unary(_, ty, _) | Expr::Binary(_, ty, ..) => self.ty(ty, place),
                Expr::Convert { from, to, .. } | Expr::Bits { from, to, .. } => {
                    self.ty(from, place);
                    self.ty(to, place);
                }
                Expr::Const(_) | Expr::Select(..) => {}
            }
            for used in expr.operands() {
                if used.index() >= index {
                    let problem = ProblemKind::UseBeforeDefinition { expr: index as u32, used: used.0 };
                    self.report(place, problem);
                }
            }
        }
        for (block_index, block) in body.blocks.iter().enumerate() {
            let mut place = Place { block: Some(BlockId(block_index as u32)), ..place.clone() };
            for handler in &block.handlers {
                if let Some(class) = handler.class {
                    self.class_id(class, &place);
                }
                self.block_id(handler.target, body, &place);
                self.local_id(handler.exception, body, &place);
            }
            for (op_index, op) in block.ops.iter().enumerate() {
                place.op = Some(op_index as u32);
                self.span(op.span, &place);
                self.op_ids(&op.kind, body, &place);
            }
            place.op = Some(block.ops.len() as u32);
            self.span(block.terminator.span, &place);
            if let Some(expr) = block.terminator.kind.operand() {
                self.expr_id(expr, body, &place);
            }
            for target in block.terminator.kind.successors() {
                self.block_id(target, body, &place);
            }
        }
        self.problems.len() == before
    }

    fn op_ids(&mut self, op: &OpKind, body: &Body, place: &Place) {
        use OpKind::*;
        let program = self.program;
        if let Some(dst) = op.dst() {
            self.local_id(dst, body, place);
        }
        for expr in op.operands() {
            self.expr_id(expr, body, place);
        }
        match *op {
            New { class, .. } => {
                self.class_id(class, place);
            }
            NewArray { element: ty, .. } | InstanceOf { ty, .. } | Cast { ty, .. } => self.ty(ty, place),
            GetField { field, .. } | PutField { field, .. } | GetStatic { field, .. } | PutStatic { field, .. } => {
                self.in_range("field", field.0, program.field_count(), place);
            }
            Call { method, .. } => {
                self.in_range("method", method.0, program.method_count(), place);
            }
            Ensure { field, method } => {
                self.in_range("field", field.0, program.field_count(), place);
                self.in_range("method", method.0, program.method_count(), place);
            }
            OpKind::Intrinsic { intrinsic, .. } => match intrinsic {
                crate::body::Intrinsic::Nondet(ty) | crate::body::Intrinsic::NondetArray(ty) => self.ty(ty, place),
                crate::body::Intrinsic::Alike | crate::body::Intrinsic::Known | crate::body::Intrinsic::Print => {}
            },
            Quantify { index, element, .. } => {
                self.local_id(index, body, place);
                self.local_id(element, body, place);
            }
            Assign { .. }
            | Divide { .. }
            | ArrayGet { .. }
            | ArrayPut { .. }
            | ArrayLength { .. }
            | Assume { .. }
            | Assert { .. }
            | Doubt { .. } => {}
        }
    }

    fn local_id(&mut self, local: LocalId, body: &Body, place: &Place) {
        self.in_range("local", local.0, body.locals.len(), place);
    }

    fn expr_id(&mut self, expr: ExprId, body: &Body, place: &Place) {
        self.in_range("expression", expr.0, body.exprs.len(), place);
    }

    fn block_id(&mut self, block: BlockId, body: &Body, place: &Place) {
        self.in_range("block", block.0, body.blocks.len(), place);
    }
}
