//! Lowers `&&`, `||`, `==>` and `?:`, which evaluate the right operand only if its value matters.
//!
//! A right operand that reads no heap and cannot trap is always evaluated, so that engines do not fork. Any other right
//! operand has a block of its own.

use super::{Lowerer, Value};
use crate::ast::{ChainOp, Expr, ExprKind};
use crate::report::Outcome;
use aback_ir::*;

impl<'a> Lowerer<'_, 'a> {
    // ---- as branches ----------------------------------------------------------------------------------------

    /// Branches to one of two blocks on a condition. If the condition has errors, they are reported, and both blocks
    /// count as reached.
    pub(super) fn branch_on(&mut self, condition: &Expr<'a>, then_block: BlockId, else_block: BlockId) {
        if self.try_branch(condition, then_block, else_block).is_err() {
            self.code.reach(then_block);
            self.code.reach(else_block);
        }
    }

    fn try_branch(&mut self, condition: &Expr<'a>, then_block: BlockId, else_block: BlockId) -> Outcome<()> {
        let span = self.span(condition.loc);
        if !self.is_pure(condition) {
            match &condition.kind {
                ExprKind::Not(inner) => return self.try_branch(inner, else_block, then_block),
                ExprKind::Implies(a, b) if !self.is_pure(b) => {
                    let right = self.code.block();
                    self.branch_on(a, right, then_block);
                    self.code.enter(right);
                    return self.try_branch(b, then_block, else_block);
                }
                ExprKind::Chain(first, rest) => {
                    if let Some((op @ (ChainOp::And | ChainOp::Or), _)) = rest.first() {
                        return self.branch_on_chain(*op, first, rest, (then_block, else_block));
                    }
                }
                _ => {}
            }
        }
        let condition = self.condition(condition)?;
        self.code.branch(condition, then_block, else_block, span);
        Ok(())
    }

    fn branch_on_chain(
        &mut self,
        op: ChainOp,
        first: &Expr<'a>,
        rest: &[(ChainOp, Expr<'a>)],
        (then_block, else_block): (BlockId, BlockId),
    ) -> Outcome<()> {
        // The operands that have been evaluated, but not yet branched on.
        let mut pending: Option<(ExprId, Span)> = None;
        let mut outcome = Ok(());
        let operands = std::iter::once(first).chain(rest.iter().map(|(_, operand)| operand));
        for (i, operand) in operands.enumerate() {
            let is_last = i == rest.len();
            if !self.is_pure(operand) {
                if let Some((condition, span)) = pending.take() {
                    let next = self.code.block();
                    let (yes, no) = if op == ChainOp::And { (next, else_block) } else { (then_block, next) };
                    self.code.branch(condition, yes, no, span);
                    self.code.enter(next);
                }
                if is_last {
                    self.branch_on(operand, then_block, else_block);
                    return outcome;
                }
                if is_connective(operand) {
                    let next = self.code.block();
                    let (yes, no) = if op == ChainOp::And { (next, else_block) } else { (then_block, next) };
                    self.branch_on(operand, yes, no);
                    self.code.enter(next);
                    continue;
                }
            }
            let span = self.span(operand.loc);
            match (self.condition(operand), pending) {
                (Ok(value), None) => pending = Some((value, span)),
                (Ok(value), Some((earlier, _))) => {
                    let both = self.code.binary(connective(op), Type::Bool, earlier, value, span);
                    pending = Some((both, self.span(first.loc.to(operand.loc))));
                }
                (Err(reported), _) => outcome = Err(reported),
            }
        }
        outcome?;
        if let Some((condition, span)) = pending {
            self.code.branch(condition, then_block, else_block, span);
        }
        Ok(())
    }

    /// A condition that counts as false if its evaluation ends in an exception. The conditions of assumptions and
    /// contracts are like this: `assume #a == 3` is false if `a` is null, and so is `requires(o.f > 0)` for `o`.
    pub(super) fn defined_condition(&mut self, condition: &Expr<'a>) -> Outcome<ExprId> {
        if self.is_pure(condition) {
            return self.condition(condition);
        }
        let span = self.span(condition.loc);
        let holds = self.code.temp(Type::Bool);
        let exception = self.code.temp(Type::Class(self.env.builtins.exception));
        let mut join = self.code.join();
        self.code.here();
        let undefined = self.code.block();
        self.code.reach(undefined);
        let outer = self.code.cover(vec![Handler { class: None, target: undefined, exception }]);
        let covered = self.code.block();
        self.code.goto(covered, span);
        self.code.enter(covered);
        let value = self.condition(condition);
        if let Ok(value) = value {
            self.code.assign(holds, value, span);
        }
        self.code.goto_join(&mut join, span);
        self.code.set_handlers(outer);
        self.code.enter(undefined);
        let no = self.code.constant(Const::Bool(false));
        self.code.assign(holds, no, span);
        self.code.goto_join(&mut join, span);
        self.code.enter_join(&join);
        value?;
        Ok(self.code.read(holds))
    }

    // ---- as values ------------------------------------------------------------------------------------------

    /// A chain of `&&` or of `||`.
    pub(super) fn connective(
        &mut self,
        op: ChainOp,
        first: &Expr<'a>,
        rest: &[(ChainOp, Expr<'a>)],
        span: Span,
    ) -> Outcome<Value> {
        let mut so_far = self.condition(first);
        // The variable for the result and the block to go to once an operand has decided.
        let mut decided: Option<(LocalId, BlockId)> = None;
        for (_, operand) in rest {
            let here = self.span(operand.loc);
            if self.is_pure(operand) {
                let right = self.condition(operand);
                so_far = match (so_far, right) {
                    (Ok(a), Ok(b)) => Ok(self.code.binary(connective(op), Type::Bool, a, b, here)),
                    (Err(reported), _) | (_, Err(reported)) => Err(reported),
                };
                continue;
            }
            let (result, end) = match decided {
                Some(places) => places,
                None => *decided.insert((self.code.temp(Type::Bool), self.code.block())),
            };
            let right = self.code.block();
            if let Ok(value) = so_far {
                self.code.emit(OpKind::Assign { dst: result, value }, here);
                let (yes, no) = if op == ChainOp::And { (right, end) } else { (end, right) };
                self.code.branch(value, yes, no, here);
                self.code.enter(right);
            }
            let right = self.condition(operand);
            so_far = so_far.and(right);
        }
        let value = so_far?;
        let Some((result, end)) = decided else { return Ok(Value { expr: value, ty: Type::Bool }) };
        Ok(self.join_value(result, value, end, span))
    }

    /// Stores the value of the last block in `result`, and goes on at `end`.
    fn join_value(&mut self, result: LocalId, value: ExprId, end: BlockId, span: Span) -> Value {
        self.code.emit(OpKind::Assign { dst: result, value }, span);
        self.code.goto(end, span);
        self.code.enter(end);
        Value { expr: self.code.read(result), ty: self.code.local_type(result) }
    }

    /// `a ==> b`
    pub(super) fn implication(&mut self, a: &Expr<'a>, b: &Expr<'a>, span: Span) -> Outcome<Value> {
        let left = self.condition(a);
        if self.is_pure(b) {
            let right = self.condition(b);
            let (left, right) = (left?, right?);
            let not_left = self.code.unary(UnaryOp::Not, Type::Bool, left, span);
            let expr = self.code.binary(BinaryOp::Or, Type::Bool, not_left, right, span);
            return Ok(Value { expr, ty: Type::Bool });
        }
        let result = self.code.temp(Type::Bool);
        let (right, end) = (self.code.block(), self.code.block());
        if let Ok(left) = left {
            let here = self.span(a.loc);
            let value = self.code.unary(UnaryOp::Not, Type::Bool, left, here);
            self.code.emit(OpKind::Assign { dst: result, value }, here);
            self.code.branch(left, right, end, here);
            self.code.enter(right);
        }
        let value = self.condition(b);
        left?;
        Ok(self.join_value(result, value?, end, span))
    }

    /// `condition ? a : b`
    pub(super) fn selection(&mut self, condition: &Expr<'a>, a: &Expr<'a>, b: &Expr<'a>, span: Span) -> Outcome<Value> {
        let (span_a, span_b) = (self.span(a.loc), self.span(b.loc));
        if self.is_pure(a) && self.is_pure(b) {
            let chosen = self.condition(condition);
            let (value_a, value_b) = (self.value(a), self.value(b));
            let (chosen, value_a, value_b) = (chosen?, value_a?, value_b?);
            let ty = self.common_type(value_a, value_b, a.loc.to(b.loc))?;
            let (value_a, value_b) = (self.coerce(value_a, ty, span_a), self.coerce(value_b, ty, span_b));
            let expr = self.code.select(chosen, value_a.expr, value_b.expr, ty, span);
            return Ok(Value { expr, ty });
        }
        let (then_block, else_block, end) = (self.code.block(), self.code.block(), self.code.block());
        self.branch_on(condition, then_block, else_block);
        self.code.enter(then_block);
        let value_a = self.value(a);
        let end_a = self.code.here();
        self.code.enter(else_block);
        let value_b = self.value(b);
        let end_b = self.code.here();
        let (value_a, value_b) = (value_a?, value_b?);
        let ty = self.common_type(value_a, value_b, a.loc.to(b.loc))?;
        let result = self.code.temp(ty);
        self.code.enter(end_a);
        let value_a = self.coerce(value_a, ty, span_a);
        self.join_value(result, value_a.expr, end, span_a);
        self.code.enter(end_b);
        let value_b = self.coerce(value_b, ty, span_b);
        Ok(self.join_value(result, value_b.expr, end, span_b))
    }
}

fn connective(op: ChainOp) -> BinaryOp {
    if op == ChainOp::And { BinaryOp::And } else { BinaryOp::Or }
}

/// Whether an expression branches by itself.
fn is_connective(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Implies(..) => true,
        ExprKind::Not(inner) => is_connective(inner),
        ExprKind::Chain(_, rest) => matches!(rest.first(), Some((ChainOp::And | ChainOp::Or, _))),
        _ => false,
    }
}
