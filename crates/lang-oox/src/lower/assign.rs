//! Lowers declarations and assignments, and infers the types of variables.
//!
//! OOX programs are written for tools that do not check types. So a declaration whose value has another type is not an
//! error: the variable gets the value's type, and the user gets a warning.

use super::scope::Undetermined;
use super::{Lowerer, Value};
use crate::ast::{Expr, ExprKind, Name, TypeRef};
use crate::lexer::Loc;
use crate::report::{Outcome, Reported};
use aback_ir::*;

impl<'a> Lowerer<'_, 'a> {
    /// `T v;` or `T v := value;`
    pub(super) fn declaration(
        &mut self,
        written: &TypeRef<'a>,
        name: Name<'a>,
        value: Option<&Expr<'a>>,
        loc: Loc,
    ) -> Outcome<()> {
        let declared = self.env.value_type(written, self.file);
        let value = value.map(|expr| self.value(expr).map(|value| (value, expr.loc))).transpose();
        let (Ok(declared), Ok(value)) = (declared, value) else {
            // One mistake causes one error: if the type is known, the variable can be used.
            let local = declared.ok().map(|ty| self.code.local(name.text, ty));
            self.scope.bind(name.text, local);
            return Ok(());
        };
        let span = self.span(loc);
        let Some((value, value_loc)) = value else {
            let default = self.code.default_of(declared);
            self.set_variable(name, declared, default, span);
            return Ok(());
        };
        if value.ty == Type::Null && !declared.is_reference() {
            let local = self.set_variable(name, Type::Null, value.expr, span);
            self.scope.undetermined.insert(local, Undetermined { declared: Some(declared), span: self.span(name.loc) });
            return Ok(());
        }
        let value = if self.env.fits(value.ty, declared) {
            self.coerce(value, declared, self.span(value_loc))
        } else {
            self.mismatch(declared, value, name, value_loc)?;
            value
        };
        // A fitting value has been converted to the declared type, except for references to subclasses.
        let ty = if self.env.fits(value.ty, declared) { declared } else { value.ty };
        self.set_variable(name, ty, value.expr, span);
        Ok(())
    }

    /// Reports that a variable is declared with another type than its initial value has.
    fn mismatch(&mut self, declared: Type, value: Value, name: Name<'a>, value_loc: Loc) -> Outcome<()> {
        let (wanted, found) = (self.type_name(declared), self.type_name(value.ty));
        if self.env.fits(declared, value.ty) && declared.is_reference() {
            let local = self.code.local(name.text, declared);
            self.scope.bind(name.text, Some(local));
            let help = format!("cast it: `({wanted}) …`");
            let message = format!("`{}` is declared {wanted}, but its value is {found}", name.text);
            return Err(self.error_with_help(value_loc, message, Some(help)));
        }
        let message = format!("`{}` is declared {wanted}, but its value is {found}", name.text);
        self.warning(name.loc, message, Some(format!("aback takes the value's type, {found}")));
        Ok(())
    }

    /// Declares `name`, perhaps again, with a type and gives it a value.
    pub(super) fn set_variable(&mut self, name: Name<'a>, ty: Type, value: ExprId, span: Span) -> LocalId {
        let earlier = self.scope.lookup(name.text);
        if let Some(local) = earlier.and_then(|binding| binding.local)
            && ty != Type::Null
            && self.scope.undetermined.remove(&local).is_some()
            && ty.is_reference()
        {
            self.code.set_local_type(local, ty);
        }
        if let Some(local) = earlier.and_then(|binding| binding.local)
            && self.code.local_type(local) == ty
        {
            self.code.assign(local, value, span);
            return local;
        }
        let local = self.code.variable(name.text, ty, value, span);
        if earlier.is_some() {
            self.scope.rebind(name.text, local);
        } else {
            self.scope.bind(name.text, Some(local));
        }
        local
    }

    /// `target := value;`
    pub(super) fn assignment(&mut self, target: &Expr<'a>, value: &Expr<'a>, loc: Loc) -> Outcome<()> {
        let span = self.span(loc);
        match &target.kind {
            ExprKind::Name(text) => self.assign_name(Name { text, loc: target.loc }, value, span),
            ExprKind::Field(base, name) => {
                // Evaluate from left to right: the object, then the value, then the write.
                let place = self.field_place(base, *name);
                let value = self.value(value).map(|v| (v, value.loc));
                let ((object, field), (value, value_loc)) = (place?, value?);
                let ty = self.env.program.field(field).ty;
                let value = self.stored(value, ty, &format!("`{}`", name.text), value_loc)?;
                self.code.emit(OpKind::PutField { object, field, value }, span);
                Ok(())
            }
            ExprKind::Index(base, index) => {
                let place = self.element_place(base, index);
                let value = self.value(value).map(|v| (v, value.loc));
                let (place, (value, value_loc)) = (place?, value?);
                if place.is_string {
                    return Err(self.error(target.loc, "strings do not change"));
                }
                let value = self.stored(value, place.element, "an element", value_loc)?;
                self.code.emit(OpKind::ArrayPut { array: place.array, index: place.index, value }, span);
                Ok(())
            }
            ExprKind::This => Err(self.error(target.loc, "`this` cannot be assigned")),
            ExprKind::Length(_) => Err(self.error(target.loc, "the length of an array does not change")),
            _ => Err(self.error(target.loc, "only a variable, a field or an element can be assigned")),
        }
    }

    /// A value, converted for a place of type `ty`.
    fn stored(&mut self, value: Value, ty: Type, place: &str, loc: Loc) -> Outcome<ExprId> {
        if self.env.fits(value.ty, ty) {
            return Ok(self.coerce(value, ty, self.span(loc)).expr);
        }
        let (wanted, found) = (self.type_name(ty), self.type_name(value.ty));
        let downcast = ty.is_reference() && self.env.fits(ty, value.ty);
        let help = downcast.then(|| format!("cast it: `({wanted}) …`"));
        Err(self.error_with_help(loc, format!("{place} is of type {wanted}, but this is {found}"), help))
    }

    fn assign_name(&mut self, name: Name<'a>, expr: &Expr<'a>, span: Span) -> Outcome<()> {
        let Some(binding) = self.scope.lookup(name.text) else { return self.implicit(name, expr, span) };
        self.check_doubtful(name);
        let value = self.value(expr)?;
        let Some(local) = binding.local else { return Ok(()) };
        if let Some(&undetermined) = self.scope.undetermined.get(&local) {
            self.determine(local, undetermined, value, name)?;
        }
        let ty = self.code.local_type(local);
        let value = self.stored(value, ty, &format!("`{}`", name.text), expr.loc)?;
        self.code.assign(local, value, span);
        Ok(())
    }

    /// Declares a name at its first assignment, with the type of the value.
    fn implicit(&mut self, name: Name<'a>, expr: &Expr<'a>, span: Span) -> Outcome<()> {
        let Ok(value) = self.value(expr) else {
            self.scope.bind(name.text, None);
            return Ok(());
        };
        if self.this.is_some() && self.env.has_field(self.class, name.text) {
            let help = format!("the field is `this.{}`", name.text);
            self.warning(name.loc, format!("this declares a variable `{}`", name.text), Some(help));
        }
        let local = self.set_variable(name, value.ty, value.expr, span);
        if value.ty == Type::Null {
            self.scope.undetermined.insert(local, Undetermined { declared: None, span: self.span(name.loc) });
        }
        Ok(())
    }

    // ---- variables that start as null -----------------------------------------------------------------------

    /// Assigns a value to a variable that was null so far, and gives the variable the value's type.
    fn determine(&mut self, local: LocalId, start: Undetermined, value: Value, name: Name<'a>) -> Outcome<()> {
        if value.ty == Type::Null {
            return Ok(());
        }
        self.scope.undetermined.remove(&local);
        let found = self.type_name(value.ty);
        if !value.ty.is_reference() {
            let message = format!("`{}` is initially null, which is not a value of type {found}", name.text);
            return Err(self.env.sink.error(start.span, message));
        }
        self.code.set_local_type(local, value.ty);
        if let Some(declared) = start.declared {
            let declared = self.type_name(declared);
            let message = format!("`{}` is declared {declared}, but its values are {found}", name.text);
            let help = format!("aback takes the values' type, {found}");
            self.env.sink.warning(start.span, message, Some(help));
        }
        Ok(())
    }

    /// Reports variables without a type, because they were null to the end of the method.
    pub(super) fn report_undetermined(&mut self) {
        let mut left: Vec<(LocalId, Undetermined)> = self.scope.undetermined.drain().collect();
        left.sort_by_key(|&(local, _)| local);
        for (local, start) in left {
            let name = self.code.local_name(local);
            let message = match start.declared {
                Some(declared) => format!("`{name}` is declared {}, but is only ever null", self.type_name(declared)),
                None => format!("`{name}` has no type: it is only ever null"),
            };
            let help = "declare it with the type that it is to have".to_owned();
            self.env.sink.error_with_help(start.span, message, Some(help));
        }
    }

    // ---- reading variables ----------------------------------------------------------------------------------

    /// The value of a variable.
    pub(super) fn variable(&mut self, name: Name<'a>) -> Outcome<Value> {
        let Some(binding) = self.scope.lookup(name.text) else { return Err(self.unknown_variable(name)) };
        self.check_doubtful(name);
        let local = binding.local.ok_or(Reported)?;
        Ok(Value { expr: self.code.read(local), ty: self.code.local_type(local) })
    }

    fn unknown_variable(&mut self, name: Name<'a>) -> Reported {
        let help = if self.this.is_some() && self.env.has_field(self.class, name.text) {
            Some(format!("the field is `this.{}`", name.text))
        } else if self.env.lookup_class(name.text).is_some() {
            Some(format!("`{}` is a class", name.text))
        } else {
            self.env.sink.did_you_mean(name.text, self.scope.names())
        };
        self.error_with_help(name.loc, format!("there is no variable `{}`", name.text), help)
    }

    fn check_doubtful(&mut self, name: Name<'a>) {
        if self.scope.is_doubtful(name.text) {
            let message =
                format!("`{}` is the variable that was declared last, in a statement that may not run", name.text);
            let help = "its declarations have several types: give the variables different names".to_owned();
            self.warning(name.loc, message, Some(help));
        }
    }
}
