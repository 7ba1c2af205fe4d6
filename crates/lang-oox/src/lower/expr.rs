//! Lowers expressions: names, heap reads, allocations, casts.

use super::{Lowerer, Value};
use crate::ast::{ChainOp, Expr, ExprKind, Name, TypeRef};
use crate::builtins::CHAR;
use crate::lexer::Loc;
use crate::report::{Outcome, Reported};
use aback_ir::*;
use num_bigint::BigInt;

/// An element that is read or written.
pub(super) struct ElementPlace {
    pub array: ExprId,
    pub index: ExprId,
    pub element: Type,
    /// Whether the array holds the characters of a string.
    pub is_string: bool,
}

impl<'a> Lowerer<'_, 'a> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr<'a>) -> Outcome<Value> {
        let span = self.span(expr.loc);
        match &expr.kind {
            ExprKind::Int(digits) => self.int_literal(digits, false, expr.loc),
            ExprKind::Bool(value) => Ok(Value { expr: self.code.bool(*value), ty: Type::Bool }),
            ExprKind::Null => Ok(Value { expr: self.code.constant(Const::Null), ty: Type::Null }),
            ExprKind::Char(unit) => Ok(Value { expr: self.code.int((*unit).into(), CHAR), ty: CHAR }),
            ExprKind::Str(units) => Ok(self.string_literal(units, span)),
            ExprKind::Name(text) => self.variable(Name { text, loc: expr.loc }),
            ExprKind::This => self.this_value(span),
            ExprKind::Chain(first, rest) => match rest.first() {
                Some((op @ (ChainOp::And | ChainOp::Or), _)) => self.connective(*op, first, rest, span),
                _ => self.chain(first, rest),
            },
            ExprKind::Implies(a, b) => self.implication(a, b, span),
            ExprKind::Select(condition, a, b) => self.selection(condition, a, b, span),
            ExprKind::Not(inner) => {
                let inner = self.condition(inner)?;
                Ok(Value { expr: self.code.unary(UnaryOp::Not, Type::Bool, inner, span), ty: Type::Bool })
            }
            ExprKind::Neg(inner) => self.negation(inner, expr.loc),
            ExprKind::Length(array) => self.length(array, span),
            ExprKind::Field(base, name) => {
                let (object, field) = self.field_place(base, *name)?;
                let ty = self.env.program.field(field).ty;
                let expr = self.code.result(ty, span, |dst| OpKind::GetField { dst, object, field });
                Ok(Value { expr, ty })
            }
            ExprKind::Index(base, index) => {
                let ElementPlace { array, index, element, .. } = self.element_place(base, index)?;
                let expr = self.code.result(element, span, |dst| OpKind::ArrayGet { dst, array, index });
                Ok(Value { expr, ty: element })
            }
            ExprKind::Call(receiver, name, args) => {
                let method = self.call_target(receiver, *name, args)?;
                match self.env.program.method(method.method).result {
                    Some(ty) => {
                        let expr = self.code.result(ty, span, |dst| method.into_op(Some(dst)));
                        Ok(Value { expr, ty })
                    }
                    None => Err(self.error(expr.loc, format!("`{}` has no result: it is declared void", name.text))),
                }
            }
            ExprKind::New(class, args) => self.new_object(*class, args, span),
            ExprKind::NewArray(element, length) => self.new_array(element, length, span),
            ExprKind::InstanceOf(object, ty) => self.instance_of(object, ty, span),
            ExprKind::Cast(ty, value) => self.cast(ty, value, span),
            ExprKind::Quantified(quantified) => self.quantified(quantified, span),
        }
    }

    /// The value of an expression that must have type `bool`.
    pub(super) fn condition(&mut self, expr: &Expr<'a>) -> Outcome<ExprId> {
        let value = self.value(expr)?;
        if value.ty == Type::Bool {
            return Ok(value.expr);
        }
        let found = self.type_name(value.ty);
        let help = (value.ty == self.env.int && matches!(expr.kind, ExprKind::Name(_)))
            .then(|| "compare it: an integer is not a truth value".to_owned());
        Err(self.error_with_help(expr.loc, format!("expected a truth value, but this is {found}"), help))
    }

    /// The value of an expression that must be an integer or a character.
    pub(super) fn integer(&mut self, expr: &Expr<'a>, what: &str) -> Outcome<ExprId> {
        let value = self.value(expr)?;
        if !self.env.fits(value.ty, self.env.int) {
            let found = self.type_name(value.ty);
            return Err(self.error(expr.loc, format!("{what} must be an int, but this is {found}")));
        }
        Ok(self.coerce(value, self.env.int, self.span(expr.loc)).expr)
    }

    /// A value converted to a type that it fits.
    pub(super) fn coerce(&mut self, value: Value, ty: Type, span: Span) -> Value {
        if value.ty == CHAR && ty == self.env.int {
            return Value { expr: self.code.convert(CHAR, self.env.int, value.expr, span), ty };
        }
        value
    }

    fn int_literal(&mut self, digits: &str, negative: bool, loc: Loc) -> Outcome<Value> {
        let magnitude: BigInt = digits.parse().map_err(|_| self.error(loc, "this is not a number"))?;
        let value = if negative { -magnitude } else { magnitude };
        if let Type::Machine { width, .. } = self.env.int
            && value.bits() >= u64::from(width)
            && value != -(BigInt::from(1) << (width - 1))
        {
            return Err(self.error(loc, format!("an int has {width} bits here (--ints machine): this number has more")));
        }
        Ok(Value { expr: self.code.constant(Const::Int(value, self.env.int)), ty: self.env.int })
    }

    fn negation(&mut self, inner: &Expr<'a>, loc: Loc) -> Outcome<Value> {
        if let ExprKind::Int(digits) = inner.kind {
            return self.int_literal(digits, true, loc);
        }
        let inner = self.integer(inner, "the operand of `-`")?;
        Ok(Value { expr: self.code.unary(UnaryOp::Neg, self.env.int, inner, self.span(loc)), ty: self.env.int })
    }

    // ---- fields and elements --------------------------------------------------------------------------------

    /// The object and the field that `base.name` denotes.
    pub(super) fn field_place(&mut self, base: &Expr<'a>, name: Name<'a>) -> Outcome<(ExprId, FieldId)> {
        if let ExprKind::Name(text) = base.kind
            && self.scope.lookup(text).is_none()
            && self.env.lookup_class(text).is_some()
        {
            return Err(self.error(base.loc, format!("`{text}` is a class, and OOX has no static fields")));
        }
        let object = self.value(base)?;
        match object.ty {
            Type::Class(class) if class == self.env.builtins.string => {
                let help = "`#s` is the length of a string, `s[i]` one of its characters".to_owned();
                Err(self.error_with_help(name.loc, "strings have no fields", Some(help)))
            }
            Type::Class(class) => Ok((object.expr, self.env.field(class, name, self.file)?)),
            ty => {
                let help = (matches!(ty, Type::Array(_)) && name.text == "length")
                    .then(|| "the length of an array `a` is `#a`".to_owned());
                let ty = self.type_name(ty);
                Err(self.error_with_help(name.loc, format!("{ty} has no fields"), help))
            }
        }
    }

    /// The array and the index that `base[index]` denotes.
    pub(super) fn element_place(&mut self, base: &Expr<'a>, index: &Expr<'a>) -> Outcome<ElementPlace> {
        let array = self.value(base);
        // Both operands are checked, even if the first has an error.
        let characters = array.and_then(|array| self.elements(array, base.loc));
        let index = self.integer(index, "an index");
        let ((array, element, is_string), index) = (characters?, index?);
        Ok(ElementPlace { array, index, element, is_string })
    }

    /// For an array or a string: the array with its elements or characters, the type of the elements, and whether it is
    /// a string.
    pub(super) fn elements(&mut self, value: Value, loc: Loc) -> Outcome<(ExprId, Type, bool)> {
        match value.ty {
            Type::Array(array) => Ok((value.expr, self.env.program.element_type(array), false)),
            Type::Class(class) if class == self.env.builtins.string => {
                Ok((self.characters(value.expr, self.span(loc)), CHAR, true))
            }
            ty => {
                let ty = self.type_name(ty);
                Err(self.error(loc, format!("expected an array or a string, but this is {ty}")))
            }
        }
    }

    /// The array with the characters of a string.
    fn characters(&mut self, object: ExprId, span: Span) -> ExprId {
        let (field, ty) = (self.env.builtins.chars, self.env.builtins.char_array);
        let array = self.code.result(ty, span, |dst| OpKind::GetField { dst, object, field });
        // Every string has characters, but for an input string only this assumption says so.
        let null = self.code.constant(Const::Null);
        let condition = self.code.binary(BinaryOp::Ne, ty, array, null, span);
        self.code.emit(OpKind::Assume { condition }, span);
        array
    }

    fn length(&mut self, expr: &Expr<'a>, span: Span) -> Outcome<Value> {
        let value = self.value(expr)?;
        if let Some(local) = self.code.as_local(value.expr)
            && let Some(&(_, length)) = self.lengths.iter().rev().find(|(of, _)| *of == local)
        {
            return Ok(Value { expr: length, ty: self.env.int });
        }
        let (array, ..) = self.elements(value, expr.loc)?;
        let expr = self.code.result(self.env.int, span, |dst| OpKind::ArrayLength { dst, array });
        Ok(Value { expr, ty: self.env.int })
    }

    // ---- allocation -----------------------------------------------------------------------------------------

    /// A new object, before its constructor runs.
    pub(super) fn allocate(&mut self, class: ClassId, span: Span) -> Value {
        let ty = Type::Class(class);
        Value { expr: self.code.result(ty, span, |dst| OpKind::New { dst, class }), ty }
    }

    fn new_object(&mut self, name: Name<'a>, args: &[Expr<'a>], span: Span) -> Outcome<Value> {
        let class = if name.text == "string" {
            Ok(self.env.builtins.string)
        } else {
            self.env.class(name.text, self.span(name.loc))
        };
        if class.is_ok_and(|class| class == self.env.builtins.string) {
            let help = "write a literal: \"…\"".to_owned();
            return Err(self.error_with_help(name.loc, "strings are not created by `new`", Some(help)));
        }
        let object = class.map(|class| (class, self.allocate(class, span)));
        let args = self.args(args);
        let ((class, object), args) = (object?, args?);
        self.call_constructor(class, object, &args, span)?;
        Ok(object)
    }

    fn new_array(&mut self, element: &TypeRef<'a>, length: &Expr<'a>, span: Span) -> Outcome<Value> {
        let element = self.env.value_type(element, self.file);
        let length = self.integer(length, "the length of an array");
        let (element, length) = (element?, length?);
        let ty = self.env.program.array_of(element);
        let expr = self.code.result(ty, span, |dst| OpKind::NewArray { dst, element, length });
        Ok(Value { expr, ty })
    }

    fn string_literal(&mut self, units: &[u16], span: Span) -> Value {
        let object = self.allocate(self.env.builtins.string, span);
        let (field, ty) = (self.env.builtins.chars, self.env.builtins.char_array);
        let length = self.code.int(units.len() as u64, self.env.int);
        let array = self.code.result(ty, span, |dst| OpKind::NewArray { dst, element: CHAR, length });
        for (i, &unit) in units.iter().enumerate() {
            let (index, value) = (self.code.int(i as u64, self.env.int), self.code.int(unit.into(), CHAR));
            self.code.emit(OpKind::ArrayPut { array, index, value }, span);
        }
        self.code.emit(OpKind::PutField { object: object.expr, field, value: array }, span);
        object
    }

    // ---- types at run time ----------------------------------------------------------------------------------

    fn instance_of(&mut self, object: &Expr<'a>, ty: &TypeRef<'a>, span: Span) -> Outcome<Value> {
        let value = self.value(object);
        let wanted = self.env.value_type(ty, self.file);
        let (value, wanted) = (value?, wanted?);
        if !value.ty.is_reference() || !wanted.is_reference() {
            let message = "`instanceof` takes an object and a class or array type";
            return Err(self.error(if wanted.is_reference() { object.loc } else { ty.loc }, message));
        }
        if !self.may_be(value.ty, wanted) {
            let (found, wanted) = (self.type_name(value.ty), self.type_name(wanted));
            self.warning(object.loc, format!("{found} is never an instance of {wanted}"), None);
        }
        let object = value.expr;
        let expr = self.code.result(Type::Bool, span, |dst| OpKind::InstanceOf { dst, object, ty: wanted });
        Ok(Value { expr, ty: Type::Bool })
    }

    fn cast(&mut self, ty: &TypeRef<'a>, expr: &Expr<'a>, span: Span) -> Outcome<Value> {
        let value = self.value(expr);
        let wanted = self.env.value_type(ty, self.file);
        let (value, wanted) = (value?, wanted?);
        if value.ty == wanted {
            return Ok(value);
        }
        if value.ty.is_integer() && wanted.is_integer() {
            return Ok(Value { expr: self.code.convert(value.ty, wanted, value.expr, span), ty: wanted });
        }
        if !wanted.is_reference() || !self.may_be(value.ty, wanted) {
            let (found, wanted) = (self.type_name(value.ty), self.type_name(wanted));
            return Err(self.error(ty.loc, format!("{found} cannot be cast to {wanted}")));
        }
        let object = value.expr;
        let expr = self.code.result(wanted, span, |dst| OpKind::Cast { dst, object, ty: wanted });
        Ok(Value { expr, ty: wanted })
    }

    /// Whether a reference of type `found` can have type `wanted`, null aside.
    pub(super) fn may_be(&self, found: Type, wanted: Type) -> bool {
        if let (Type::Array(a), Type::Array(b)) = (found, wanted) {
            let (a, b) = (self.env.program.element_type(a), self.env.program.element_type(b));
            return a == b || (a.is_reference() && b.is_reference() && self.may_be(a, b));
        }
        self.env.program.is_assignable(found, wanted) || self.env.program.is_assignable(wanted, found)
    }

    /// The larger of two types. One must fit the other.
    pub(super) fn common_type(&mut self, a: Value, b: Value, loc: Loc) -> Outcome<Type> {
        if self.env.fits(a.ty, b.ty) {
            Ok(b.ty)
        } else if self.env.fits(b.ty, a.ty) {
            Ok(a.ty)
        } else {
            let (a, b) = (self.type_name(a.ty), self.type_name(b.ty));
            Err::<Type, Reported>(self.error(loc, format!("the alternatives have different types: {a} and {b}")))
        }
    }
}
