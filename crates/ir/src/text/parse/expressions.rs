//! Parses expressions. Operators have the precedence of Java's operators.

use super::body::BodyParser;
use super::{ParseErrorKind, Parsed};
use crate::body::*;
use crate::program::{Program, Type};
use crate::text::lex::Token;
use crate::text::print::usual_operand_type;
use crate::text::{MAX_DEPTH, is_reserved};
use std::borrow::Borrow;

/// The unary operator that is written as a word.
fn function(word: &str) -> Option<UnaryOp> {
    [UnaryOp::Abs, UnaryOp::Sqrt, UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Rint]
        .into_iter()
        .find(|op| op.symbol() == word)
}

/// The binary operator for a symbol, and its precedence, which is Java's.
fn binary_operator(symbol: &str) -> Option<(BinaryOp, u8)> {
    use BinaryOp::*;
    Some(match symbol {
        "|" => (Or, 1),
        "^" => (Xor, 2),
        "&" => (And, 3),
        "==" => (Eq, 4),
        "!=" => (Ne, 4),
        "<" => (Lt, 5),
        "<=" => (Le, 5),
        ">" => (Gt, 5),
        ">=" => (Ge, 5),
        "<<" => (Shl, 6),
        ">>" => (ShrSigned, 6),
        ">>>" => (ShrUnsigned, 6),
        "+" => (Add, 7),
        "-" => (Sub, 7),
        "*" => (Mul, 8),
        "/" => (FloatDiv, 8),
        "%" => (FloatRem, 8),
        _ => return None,
    })
}

/// A left operand and its operator, while the right operand is parsed.
struct Waiting {
    left: ExprId,
    op: BinaryOp,
    precedence: u8,
    /// The type annotation of the operator.
    ty: Option<Type>,
}

impl<'t, P: Borrow<Program>> BodyParser<'_, '_, 't, P> {
    fn add(&mut self, expr: Expr, ty: Type) -> ExprId {
        self.types.push(ty);
        self.body.add_expr(expr)
    }

    pub(super) fn expr(&mut self, depth: u32) -> Parsed<ExprId> {
        if depth > MAX_DEPTH {
            return self.parser.fail(ParseErrorKind::TooDeep);
        }
        let condition = self.binary(depth)?;
        if !self.parser.eat("?") {
            return Ok(condition);
        }
        let then = self.expr(depth + 1)?;
        self.parser.expect(":")?;
        let other = self.expr(depth + 1)?;
        Ok(self.add(Expr::Select(condition, then, other), self.types[then.index()]))
    }

    /// Parses operands and binary operators by precedence. Operators of equal precedence group to the left.
    fn binary(&mut self, depth: u32) -> Parsed<ExprId> {
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut left = self.converted(depth)?;
        loop {
            let operator = match self.parser.peek() {
                Token::Punct(symbol) => binary_operator(symbol),
                _ => None,
            };
            let precedence = operator.map_or(0, |(_, precedence)| precedence);
            while let Some(last) = waiting.pop_if(|last| last.precedence >= precedence) {
                let types = (self.types[last.left.index()], self.types[left.index()]);
                let ty = last.ty.unwrap_or_else(|| usual_operand_type(types.0, types.1));
                let result = if last.op.is_comparison() { Type::Bool } else { ty };
                left = self.add(Expr::Binary(last.op, ty, last.left, left), result);
            }
            let Some((op, precedence)) = operator else {
                return Ok(left);
            };
            self.parser.bump();
            let ty = self.annotation()?;
            waiting.push(Waiting { left, op, precedence, ty });
            left = self.converted(depth)?;
        }
    }

    /// `:type` after an operator, if present.
    fn annotation(&mut self) -> Parsed<Option<Type>> {
        if self.parser.eat(":") { Ok(Some(self.parser.ty()?)) } else { Ok(None) }
    }

    /// An operand with the conversions that follow it.
    fn converted(&mut self, depth: u32) -> Parsed<ExprId> {
        let mut value = self.unary(depth)?;
        loop {
            let is_bits = self.parser.eat_word("bits");
            if !is_bits && !self.parser.eat_word("as") {
                return Ok(value);
            }
            let to = self.parser.ty()?;
            let from = if self.parser.eat_word("from") { self.parser.ty()? } else { self.types[value.index()] };
            let expr = if is_bits { Expr::Bits { from, to, value } } else { Expr::Convert { from, to, value } };
            value = self.add(expr, to);
        }
    }

    fn unary(&mut self, depth: u32) -> Parsed<ExprId> {
        if depth > MAX_DEPTH {
            return self.parser.fail(ParseErrorKind::TooDeep);
        }
        let op = match self.parser.peek() {
            Token::Punct("!") => UnaryOp::Not,
            Token::Punct("~") => UnaryOp::BitNot,
            Token::Punct("-") => UnaryOp::Neg,
            _ => match self.parser.word().and_then(function) {
                Some(op) => op,
                None => return self.primary(depth),
            },
        };
        self.parser.bump();
        if op == UnaryOp::Neg && matches!(self.parser.peek(), Token::Number { .. }) {
            let constant = self.parser.number(true)?;
            let ty = constant.ty();
            return Ok(self.add(Expr::Const(constant), ty));
        }
        let written = self.annotation()?;
        let operand = self.unary(depth + 1)?;
        let ty = written.unwrap_or(self.types[operand.index()]);
        let result = if op == UnaryOp::Not { Type::Bool } else { ty };
        Ok(self.add(Expr::Unary(op, ty, operand), result))
    }

    pub(super) fn primary(&mut self, depth: u32) -> Parsed<ExprId> {
        if self.parser.eat("(") {
            let inner = self.expr(depth + 1)?;
            self.parser.expect(")")?;
            return Ok(inner);
        }
        let constant = match (self.parser.peek(), self.parser.word()) {
            (Token::Shared(number), _) => {
                let Some(&expr) = self.shared.get(*number as usize) else {
                    let name = format!("#{number}");
                    return self.parser.fail(ParseErrorKind::Unknown { what: "expression", name });
                };
                self.parser.bump();
                return Ok(expr);
            }
            (Token::Number { .. }, _) => self.parser.number(false)?,
            (_, Some("true")) => self.word_constant(Const::Bool(true)),
            (_, Some("false")) => self.word_constant(Const::Bool(false)),
            (_, Some("null")) => self.word_constant(Const::Null),
            (_, Some("f32")) => {
                self.parser.bump();
                self.parser.float_bits(Type::F32)?
            }
            (_, Some("f64")) => {
                self.parser.bump();
                self.parser.float_bits(Type::F64)?
            }
            (Token::Name { text, quoted, .. }, _) if *quoted || !is_reserved(text) => {
                let local = self.local()?;
                let ty = self.body.local(local).ty;
                return Ok(self.add(Expr::Local(local), ty));
            }
            _ => return self.parser.expected("an expression"),
        };
        let ty = constant.ty();
        Ok(self.add(Expr::Const(constant), ty))
    }

    fn word_constant(&mut self, constant: Const) -> Const {
        self.parser.bump();
        constant
    }
}
