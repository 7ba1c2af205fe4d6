//! Parses expressions.

use super::{MAX_NESTING, Parser};
use crate::ast::{BaseType, ChainOp, Expr, ExprKind, Name, Quantified, Receiver, TypeRef};
use crate::lexer::{Loc, Tok, unescape};
use crate::report::Outcome;
use aback_ir::Quantifier;

/// Precedence of operators. `==>` binds most loosely.
const IMPLIES: u8 = 0;
const RELATION: u8 = 4;

fn chain_op(kind: Tok) -> Option<(ChainOp, u8)> {
    Some(match kind {
        Tok::Fixed("||") => (ChainOp::Or, 1),
        Tok::Fixed("&&") => (ChainOp::And, 2),
        Tok::Fixed("==") => (ChainOp::Eq, 3),
        Tok::Fixed("!=") => (ChainOp::Ne, 3),
        Tok::Fixed("<") => (ChainOp::Lt, RELATION),
        Tok::Fixed("<=") => (ChainOp::Le, RELATION),
        Tok::Fixed(">") => (ChainOp::Gt, RELATION),
        Tok::Fixed(">=") => (ChainOp::Ge, RELATION),
        Tok::Fixed("+") => (ChainOp::Add, 5),
        Tok::Fixed("-") => (ChainOp::Sub, 5),
        Tok::Fixed("*") => (ChainOp::Mul, 6),
        Tok::Fixed("/") => (ChainOp::Div, 6),
        Tok::Fixed("%") => (ChainOp::Rem, 6),
        _ => return None,
    })
}

impl<'a> Parser<'a, '_> {
    /// `(e)`
    pub(super) fn parenthesized(&mut self) -> Outcome<Expr<'a>> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    /// `(e, …)`
    pub(super) fn arguments(&mut self) -> Outcome<Vec<Expr<'a>>> {
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.at(")") {
            if !args.is_empty() {
                self.expect(",")?;
            }
            args.push(self.expression()?);
        }
        self.advance();
        Ok(args)
    }

    /// Parses any expression.
    pub(super) fn expression(&mut self) -> Outcome<Expr<'a>> {
        self.nested(|parser| {
            let condition = parser.operators(IMPLIES)?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            let loc = condition.loc.to(otherwise.loc);
            parser.build(ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)), loc)
        })
    }

    /// Makes a node, or reports that the tree is too high.
    fn build(&mut self, kind: ExprKind<'a>, loc: Loc) -> Outcome<Expr<'a>> {
        let expr = Expr::new(kind, loc);
        if expr.height > MAX_NESTING { Err(self.too_deep(loc)) } else { Ok(expr) }
    }

    /// Parses operands joined by operators of precedence `min` or higher.
    fn operators(&mut self, min: u8) -> Outcome<Expr<'a>> {
        let mut left = self.operand()?;
        // The precedence of the chain in `left`, if this call built the chain. A chain in parentheses does not count.
        let mut chain = None;
        loop {
            let token = self.token();
            if min == IMPLIES && token.kind == Tok::Fixed("==>") {
                self.advance();
                let right = self.nested(|parser| parser.operators(IMPLIES))?;
                let loc = left.loc.to(right.loc);
                return self.build(ExprKind::Implies(Box::new(left), Box::new(right)), loc);
            }
            if token.kind == Tok::Fixed("instanceof") && min <= RELATION {
                self.advance();
                let ty = self.type_ref("a type")?;
                let loc = left.loc.to(ty.loc);
                left = self.build(ExprKind::InstanceOf(Box::new(left), ty), loc)?;
                chain = None;
                continue;
            }
            let Some((op, precedence)) = chain_op(token.kind).filter(|&(_, p)| p >= min) else { return Ok(left) };
            self.advance();
            let right = self.operators(precedence + 1)?;
            if chain != Some(precedence) {
                let loc = left.loc;
                left = Expr::new(ExprKind::Chain(Box::new(left), Vec::new()), loc);
                chain = Some(precedence);
            }
            left.push(op, right);
            if left.height > MAX_NESTING {
                return Err(self.too_deep(left.loc));
            }
        }
    }

    /// Parses an operand: prefix operators, a primary expression and its suffixes.
    fn operand(&mut self) -> Outcome<Expr<'a>> {
        let start = self.token();
        let prefix: fn(Box<Expr<'a>>) -> ExprKind<'a> = match start.kind {
            Tok::Fixed("!") => ExprKind::Not,
            Tok::Fixed("-") => ExprKind::Neg,
            Tok::Fixed("#") => ExprKind::Length,
            Tok::Fixed("(") if self.at_cast() => {
                self.advance();
                let ty = self.type_ref("a type")?;
                self.expect(")")?;
                let value = self.nested(Self::operand)?;
                let loc = start.loc.to(value.loc);
                return self.build(ExprKind::Cast(ty, Box::new(value)), loc);
            }
            Tok::Fixed("forall") => return self.quantified(Quantifier::ForAll),
            Tok::Fixed("exists") => return self.quantified(Quantifier::Exists),
            _ => {
                let primary = self.primary()?;
                return self.suffixes(primary);
            }
        };
        self.advance();
        let operand = self.nested(Self::operand)?;
        let loc = start.loc.to(operand.loc);
        self.build(prefix(Box::new(operand)), loc)
    }

    /// Whether `(` starts a cast: a type in parentheses, followed by a token that only starts an operand.
    fn at_cast(&self) -> bool {
        let is_name = match self.token_after(1).kind {
            Tok::Fixed("int" | "bool" | "char" | "string") => false,
            Tok::Name(_) => true,
            _ => return false,
        };
        let mut behind = 2;
        while self.token_after(behind).kind == Tok::Fixed("[") && self.token_after(behind + 1).kind == Tok::Fixed("]") {
            behind += 2;
        }
        self.token_after(behind).kind == Tok::Fixed(")")
            && match self.token_after(behind + 1).kind {
                Tok::Name(_) | Tok::Int(_) | Tok::Char(_) | Tok::Str(_) => true,
                Tok::Fixed(
                    "(" | "!" | "#" | "this" | "super" | "new" | "null" | "true" | "false" | "forall" | "exists",
                ) => true,
                Tok::Fixed("-") => !is_name,
                _ => false,
            }
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Outcome<Expr<'a>> {
        let start = self.advance();
        let array = self.nested(Self::operand)?;
        self.expect(",")?;
        let index = self.name("the name of the index")?;
        self.expect(",")?;
        let element = self.name("the name of the element")?;
        self.expect(":")?;
        let body = self.expression()?;
        let loc = start.to(body.loc);
        let quantified = Quantified { quantifier, array, index, element, body };
        self.build(ExprKind::Quantified(Box::new(quantified)), loc)
    }

    fn primary(&mut self) -> Outcome<Expr<'a>> {
        let token = self.token();
        let kind = match token.kind {
            Tok::Int(digits) => {
                // Converting digits to a number takes quadratic time.
                if digits.len() > 10_000 {
                    return Err(self.error(token.loc, "a number has at most 10,000 digits"));
                }
                ExprKind::Int(digits)
            }
            Tok::Char(raw) => match unescape(raw) {
                Ok(units) if units.len() == 1 => ExprKind::Char(units[0]),
                Ok(_) => return Err(self.error(token.loc, "a character literal is one UTF-16 code unit")),
                Err(message) => return Err(self.error(token.loc, message)),
            },
            Tok::Str(raw) => match unescape(raw) {
                Ok(units) => ExprKind::Str(units),
                Err(message) => return Err(self.error(token.loc, message)),
            },
            Tok::Fixed("true") => ExprKind::Bool(true),
            Tok::Fixed("false") => ExprKind::Bool(false),
            Tok::Fixed("null") => ExprKind::Null,
            Tok::Fixed("this") => ExprKind::This,
            Tok::Fixed("new") => return self.allocation(),
            Tok::Fixed("super") => {
                self.advance();
                self.expect(".")?;
                let name = self.name("the name of a method")?;
                let args = self.arguments()?;
                let loc = token.loc.to(self.previous());
                return self.build(ExprKind::Call(Receiver::Super, name, args), loc);
            }
            Tok::Fixed("(") => {
                let inner = self.parenthesized()?;
                return Ok(Expr { loc: token.loc.to(self.previous()), ..inner });
            }
            Tok::Name(text) if self.token_after(1).kind == Tok::Fixed("(") => {
                let name = Name { text, loc: self.advance() };
                let args = self.arguments()?;
                let loc = token.loc.to(self.previous());
                return self.build(ExprKind::Call(Receiver::None, name, args), loc);
            }
            Tok::Name(text) => ExprKind::Name(text),
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(Expr::new(kind, token.loc))
    }

    /// `new C(e)` or `new T[e]`
    fn allocation(&mut self) -> Outcome<Expr<'a>> {
        let start = self.advance();
        let Some(base) = self.base_type() else { return Err(self.expected("a class or the type of elements")) };
        let loc = self.advance();
        if self.eat("[") {
            let length = self.expression()?;
            self.expect("]")?;
            let element = self.dimensions(TypeRef { base, dimensions: 0, loc })?;
            if self.at("[") {
                let help = "write `new T[n][]` and create the inner arrays in a loop";
                return Err(self.error_with_help(
                    self.token().loc,
                    "only the outermost length of a new array can be given",
                    Some(help),
                ));
            }
            let loc = start.to(self.previous());
            return self.build(ExprKind::NewArray(element, Box::new(length)), loc);
        }
        let text = match base {
            BaseType::Class(text) => text,
            BaseType::String => "string",
            _ => return Err(self.expected("`[`")),
        };
        let args = self.arguments()?;
        self.build(ExprKind::New(Name { text, loc }, args), start.to(self.previous()))
    }

    /// Parses fields, elements and calls after an expression.
    fn suffixes(&mut self, mut expr: Expr<'a>) -> Outcome<Expr<'a>> {
        loop {
            let start = expr.loc;
            let kind = if self.eat(".") {
                let name = self.name("the name of a field or a method")?;
                if self.at("(") {
                    ExprKind::Call(Receiver::Some(Box::new(expr)), name, self.arguments()?)
                } else {
                    ExprKind::Field(Box::new(expr), name)
                }
            } else if self.eat("[") {
                let index = Box::new(self.expression()?);
                self.expect("]")?;
                ExprKind::Index(Box::new(expr), index)
            } else {
                return Ok(expr);
            };
            expr = self.build(kind, start.to(self.previous()))?;
        }
    }
}
