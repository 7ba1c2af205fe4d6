//! Lowers `forall` and `exists`.
//!
//! A pure body becomes one operation, which engines pass to the solver as a quantified formula. Any other body, or one over machine
//! integers, becomes a loop that ends with the first element that decides.

use super::code::MAX_DEPTH;
use super::{Lowerer, Value};
use crate::ast::{ChainOp, Expr, ExprKind, Quantified};
use crate::lexer::Loc;
use crate::report::Outcome;
use aback_ir::*;

/// The quantifier and the elements that it ranges over.
struct Range {
    quantifier: Quantifier,
    array: ExprId,
    index: LocalId,
    element: LocalId,
}

impl<'a> Lowerer<'_, 'a> {
    /// `forall array, index, element : body`
    pub(super) fn quantified(&mut self, source: &Quantified<'a>, span: Span) -> Outcome<Value> {
        let value = self.value(&source.array)?;
        let (array, element_type, _) = self.elements(value, source.array.loc)?;
        if source.index.text == source.element.text {
            return Err(self.error(source.element.loc, "the index and the element need different names"));
        }
        let lengths = self.lengths.len();
        let is_formula = self.env.int == Type::Int && source.body.depth <= MAX_DEPTH && {
            let mut arrays = Vec::new();
            let fits = self.is_formula(&source.body, source, self.code.as_local(array), true, &mut arrays);
            if fits {
                self.read_lengths(arrays);
            }
            fits
        };
        let range = Range {
            quantifier: source.quantifier,
            array,
            index: self.code.local(source.index.text, self.env.int),
            element: self.code.local(source.element.text, element_type),
        };
        let outer_index = self.scope.bind(source.index.text, Some(range.index));
        let outer_element = self.scope.bind(source.element.text, Some(range.element));
        let result =
            if is_formula { self.formula(range, &source.body, span) } else { self.search(range, &source.body, span) };
        self.scope.restore(source.element.text, outer_element);
        self.scope.restore(source.index.text, outer_index);
        self.lengths.truncate(lengths);
        result
    }

    fn formula(&mut self, range: Range, body: &Expr<'a>, span: Span) -> Outcome<Value> {
        self.in_formula = true;
        let body = self.condition(body);
        self.in_formula = false;
        let body = body?;
        let Range { quantifier, array, index, element } = range;
        let quantify = |dst| OpKind::Quantify { dst, quantifier, array, index, element, body };
        Ok(Value { expr: self.code.result(Type::Bool, span, quantify), ty: Type::Bool })
    }

    fn search(&mut self, range: Range, body: &Expr<'a>, span: Span) -> Outcome<Value> {
        let Range { quantifier, array, index, element } = range;
        let for_all = quantifier == Quantifier::ForAll;
        let result = self.code.temp(Type::Bool);
        let [head, inside, next, decided, end] = [(); 5].map(|()| self.code.block());
        let length = self.code.result(self.env.int, span, |dst| OpKind::ArrayLength { dst, array });
        let (zero, undecided) = (self.code.int(0, self.env.int), self.code.bool(for_all));
        self.code.emit(OpKind::Assign { dst: index, value: zero }, span);
        self.code.emit(OpKind::Assign { dst: result, value: undecided }, span);
        self.code.goto(head, span);

        self.code.enter(head);
        let at = self.code.read(index);
        let more = self.code.binary(BinaryOp::Lt, self.env.int, at, length, span);
        self.code.branch(more, inside, end, span);

        self.code.enter(inside);
        self.code.emit(OpKind::ArrayGet { dst: element, array, index: at }, span);
        let (yes, no) = if for_all { (next, decided) } else { (decided, next) };
        self.branch_on(body, yes, no);

        self.code.enter(next);
        let one = self.code.int(1, self.env.int);
        let value = self.code.binary(BinaryOp::Add, self.env.int, at, one, span);
        self.code.emit(OpKind::Assign { dst: index, value }, span);
        self.code.goto(head, span);

        self.code.enter(decided);
        let value = self.code.bool(!for_all);
        self.code.emit(OpKind::Assign { dst: result, value }, span);
        self.code.goto(end, span);

        self.code.enter(end);
        Ok(Value { expr: self.code.read(result), ty: Type::Bool })
    }

    /// Whether the body of a quantifier is pure except for lengths of arrays that the quantifier does not bind. The
    /// length must be read by every evaluation of the body, or be that of the quantified array, which is not null. Adds
    /// these arrays to `arrays`.
    fn is_formula(
        &self,
        expr: &Expr<'a>,
        source: &Quantified<'a>,
        quantified: Option<LocalId>,
        always: bool,
        arrays: &mut Vec<(LocalId, Loc)>,
    ) -> bool {
        let mut all = |parts: &[(&Expr<'a>, bool)]| {
            parts.iter().all(|&(part, always)| self.is_formula(part, source, quantified, always, arrays))
        };
        match &expr.kind {
            _ if expr.pure => true,
            ExprKind::Not(a) | ExprKind::Neg(a) => all(&[(a, always)]),
            ExprKind::Cast(ty, a) if ty.is_number() => all(&[(a, always)]),
            ExprKind::Implies(a, b) => all(&[(a, always), (b, false)]),
            ExprKind::Select(c, a, b) => all(&[(c, always), (a, false), (b, false)]),
            ExprKind::Chain(first, rest) => {
                all(&[(first, always)])
                    && rest.iter().all(|(op, operand)| {
                        let lazy = matches!(op, ChainOp::And | ChainOp::Or);
                        !matches!(op, ChainOp::Div | ChainOp::Rem) && all(&[(operand, always && !lazy)])
                    })
            }
            ExprKind::Length(array) => {
                let ExprKind::Name(name) = array.kind else { return false };
                let Some(local) = self.scope.lookup(name).and_then(|binding| binding.local) else { return false };
                let is_bound = name == source.index.text || name == source.element.text;
                let is_array = matches!(self.code.local_type(local), Type::Array(_));
                arrays.push((local, expr.loc));
                is_array && !is_bound && (always || quantified == Some(local))
            }
            _ => false,
        }
    }

    /// Reads the lengths of arrays for the formula that follows.
    fn read_lengths(&mut self, arrays: Vec<(LocalId, Loc)>) {
        for (local, loc) in arrays {
            if self.lengths.iter().all(|(known, _)| *known != local) {
                let array = self.code.read(local);
                let length = self.code.result(self.env.int, self.span(loc), |dst| OpKind::ArrayLength { dst, array });
                self.lengths.push((local, length));
            }
        }
    }
}
