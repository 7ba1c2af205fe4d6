//! Parses operations; each is one line of a block.

use super::body::BodyParser;
use super::{ParseErrorKind, Parsed};
use crate::body::*;
use crate::program::{ClassId, FieldId, Program, Type};
use crate::text::lex::Token;
use std::borrow::Borrow;

impl<'t, P: Borrow<Program>> BodyParser<'_, '_, 't, P> {
    /// Parses an operation. `None` for `initialize` of a class without an initializer.
    pub(super) fn op(&mut self) -> Parsed<Option<OpKind>> {
        if self.parser.surroundings.is_some()
            && self.parser.word() == Some("initialize")
            && matches!(self.parser.look(1), Token::Name { .. })
        {
            self.parser.bump();
            let class = self.parser.class()?;
            self.initialize(class);
            return Ok(None);
        }
        Ok(Some(self.plain_op()?))
    }

    /// Adds the initialization of a class before the current operation, if the surroundings provide one.
    fn initialize(&mut self, class: ClassId) {
        if let Some((field, method)) = self.parser.surroundings.and_then(|known| known.initialization(class)) {
            self.before.push(OpKind::Ensure { field, method });
        }
    }

    /// The static field of the current operation.
    fn static_field(&mut self) -> Parsed<FieldId> {
        let field = self.parser.field()?;
        let class = self.parser.program().field(field).class;
        self.initialize(class);
        Ok(field)
    }

    /// `string "text"` or `class type` after `dst :=`; the surroundings make these objects.
    fn made_once(&mut self, dst: LocalId) -> Parsed<Option<OpKind>> {
        let Some(surroundings) = self.parser.surroundings else { return Ok(None) };
        let (field, method) = match (self.parser.word(), self.parser.look(1)) {
            (Some("string"), Token::Name { quoted: true, .. }) => {
                self.parser.bump();
                surroundings.string(&self.parser.quoted("a text in quotes")?)
            }
            (Some("class"), _) => {
                self.parser.bump();
                let ty = if self.parser.eat_word("void") { None } else { Some(self.parser.ty()?) };
                surroundings.class_object(ty)
            }
            _ => return Ok(None),
        };
        self.before.push(OpKind::Ensure { field, method });
        Ok(Some(OpKind::GetStatic { dst, field }))
    }

    fn plain_op(&mut self) -> Parsed<OpKind> {
        let demand = match self.parser.word() {
            Some("assert") => Some(AssertKind::Assert),
            Some("requires") => Some(AssertKind::Requires),
            Some("check") => Some(AssertKind::Check),
            Some("thrown") => Some(AssertKind::Thrown),
            Some("ensures") => Some(AssertKind::Ensures),
            Some("exceptional") => Some(AssertKind::Exceptional),
            Some("reached") => Some(AssertKind::Reached),
            Some("notnull") => Some(AssertKind::NotNull),
            _ => None,
        };
        if let Some(kind) = demand {
            self.parser.bump();
            return Ok(OpKind::Assert { condition: self.expr(0)?, kind });
        }
        if self.parser.eat_word("assume") {
            return Ok(OpKind::Assume { condition: self.expr(0)? });
        }
        if self.parser.eat_word("doubt") {
            let without = self.parser.quoted("which executions do not come here, in quotes")?;
            return Ok(OpKind::Doubt { without });
        }
        if self.parser.eat_word("call") {
            return self.call(None);
        }
        if self.parser.eat_word("ensure") {
            let field = self.parser.field()?;
            self.parser.expect_word("by")?;
            return Ok(OpKind::Ensure { field, method: self.parser.method()? });
        }
        if self.parser.eat_word("print") {
            return Ok(OpKind::Intrinsic { dst: None, intrinsic: Intrinsic::Print, args: vec![self.expr(0)?] });
        }
        if self.parser.eat_word("static") {
            let field = self.static_field()?;
            self.parser.expect(":=")?;
            return Ok(OpKind::PutStatic { field, value: self.expr(0)? });
        }
        if matches!(self.parser.peek(), Token::Name { .. }) && *self.parser.look(1) == Token::Punct(":=") {
            let dst = self.local()?;
            self.parser.expect(":=")?;
            return self.assignment(dst);
        }
        if matches!(self.parser.peek(), Token::Punct("}") | Token::End)
            || (matches!(self.parser.peek(), Token::Name { .. }) && *self.parser.look(1) == Token::Punct(":"))
        {
            return self.parser.expected("an operation, or the end of the block: `goto`, `if`, `return`, …");
        }
        let owner = self.primary(0)?;
        match self.access()? {
            Some(Access::Field(field)) => {
                self.parser.expect(":=")?;
                Ok(OpKind::PutField { object: owner, field, value: self.expr(0)? })
            }
            Some(Access::Element(index)) => {
                self.parser.expect(":=")?;
                Ok(OpKind::ArrayPut { array: owner, index, value: self.expr(0)? })
            }
            Some(Access::Length) | None => self.parser.expected("`:=`, `.Class::field :=` or `[index] :=`"),
        }
    }

    /// The accessed part of an object, if any: `.Class::field`, `.length`, `[index]`.
    fn access(&mut self) -> Parsed<Option<Access>> {
        if self.parser.eat(".") {
            let at = self.parser.at();
            let path = self.parser.path("`Class::field` or `length`")?;
            return if self.parser.eat("::") {
                Ok(Some(Access::Field(self.parser.field_of(path, at)?)))
            } else if path == "length" {
                Ok(Some(Access::Length))
            } else {
                self.parser.expected("`::`")
            };
        }
        if self.parser.eat("[") {
            let index = self.expr(0)?;
            self.parser.expect("]")?;
            return Ok(Some(Access::Element(index)));
        }
        Ok(None)
    }

    /// Parses what follows `dst :=`.
    fn assignment(&mut self, dst: LocalId) -> Parsed<OpKind> {
        if let Some(op) = self.made_once(dst)? {
            return Ok(op);
        }
        match self.parser.word() {
            Some("new") => {
                self.parser.bump();
                let ty = self.parser.ty()?;
                if self.parser.eat("[") {
                    let length = self.expr(0)?;
                    self.parser.expect("]")?;
                    // The text may mention the array type nowhere else, so it is interned here.
                    self.parser.program().array_of(ty);
                    return Ok(OpKind::NewArray { dst, element: ty, length });
                }
                match ty {
                    Type::Class(class) => {
                        self.initialize(class);
                        Ok(OpKind::New { dst, class })
                    }
                    _ => self.parser.expected("`[` and a length"),
                }
            }
            Some("call") => {
                self.parser.bump();
                self.call(Some(dst))
            }
            Some("cast") => {
                self.parser.bump();
                let object = self.expr(0)?;
                self.parser.expect_word("to")?;
                Ok(OpKind::Cast { dst, object, ty: self.parser.ty()? })
            }
            Some("static") => {
                self.parser.bump();
                Ok(OpKind::GetStatic { dst, field: self.static_field()? })
            }
            Some("nondet") => {
                self.parser.bump();
                let ty = self.parser.ty()?;
                let (intrinsic, args) = if self.parser.eat("[") {
                    let length = self.expr(0)?;
                    self.parser.expect("]")?;
                    // As for `new`.
                    self.parser.program().array_of(ty);
                    (Intrinsic::NondetArray(ty), vec![length])
                } else {
                    (Intrinsic::Nondet(ty), vec![])
                };
                Ok(OpKind::Intrinsic { dst: Some(dst), intrinsic, args })
            }
            Some("alike") => {
                self.parser.bump();
                let left = self.expr(0)?;
                self.parser.expect(",")?;
                let right = self.expr(0)?;
                Ok(OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Alike, args: vec![left, right] })
            }
            Some("known") => {
                self.parser.bump();
                Ok(OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Known, args: vec![self.expr(0)?] })
            }
            Some("forall") => self.quantify(dst, Quantifier::ForAll),
            Some("exists") => self.quantify(dst, Quantifier::Exists),
            _ => self.value(dst),
        }
    }

    fn call(&mut self, dst: Option<LocalId>) -> Parsed<OpKind> {
        let dispatch = if self.parser.eat_word("static") {
            Dispatch::Static
        } else if self.parser.eat_word("special") {
            Dispatch::Special
        } else if self.parser.eat_word("virtual") {
            Dispatch::Virtual
        } else {
            return self.parser.expected("`static`, `special` or `virtual`");
        };
        let method = self.parser.method()?;
        self.parser.expect("(")?;
        let mut args = Vec::new();
        while !self.parser.is_punct(")") {
            args.push(self.expr(0)?);
            if !self.parser.eat(",") {
                break;
            }
        }
        self.parser.expect(")")?;
        Ok(OpKind::Call { dst, dispatch, method, args })
    }

    fn quantify(&mut self, dst: LocalId, quantifier: Quantifier) -> Parsed<OpKind> {
        self.parser.bump();
        let index = self.local()?;
        self.parser.expect(",")?;
        let element = self.local()?;
        self.parser.expect_word("in")?;
        let array = self.expr(0)?;
        self.parser.expect(":")?;
        Ok(OpKind::Quantify { dst, quantifier, array, index, element, body: self.expr(0)? })
    }

    /// Parses an assignment of an expression, or an operation that starts with one.
    fn value(&mut self, dst: LocalId) -> Parsed<OpKind> {
        let start = self.parser.pos;
        let value = self.expr(0)?;
        if self.parser.is_punct(".") || self.parser.is_punct("[") {
            if !self.is_primary(start, self.parser.pos) {
                return self.parser.fail(ParseErrorKind::Operation);
            }
            return match self.access()? {
                Some(Access::Field(field)) => Ok(OpKind::GetField { dst, object: value, field }),
                Some(Access::Element(index)) => Ok(OpKind::ArrayGet { dst, array: value, index }),
                Some(Access::Length) => Ok(OpKind::ArrayLength { dst, array: value }),
                None => self.parser.expected("`.` or `[`"),
            };
        }
        if self.parser.eat_word("instanceof") {
            return Ok(OpKind::InstanceOf { dst, object: value, ty: self.parser.ty()? });
        }
        let op = if self.parser.eat_word("div") {
            DivideOp::Div
        } else if self.parser.eat_word("rem") {
            DivideOp::Rem
        } else {
            return Ok(OpKind::Assign { dst, value });
        };
        Ok(OpKind::Divide { dst, op, dividend: value, divisor: self.expr(0)? })
    }

    /// Whether the tokens from `start` to `end` are one name, or one pair of parentheses with its contents.
    fn is_primary(&self, start: usize, end: usize) -> bool {
        let mut depth = 0u32;
        for (index, (_, token)) in self.parser.tokens[start..end].iter().enumerate() {
            match token {
                Token::Punct("(") => depth += 1,
                Token::Punct(")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return start + index + 1 == end;
            }
        }
        false
    }
}

/// The part of an object that an operation accesses.
enum Access {
    Field(FieldId),
    Element(ExprId),
    Length,
}
