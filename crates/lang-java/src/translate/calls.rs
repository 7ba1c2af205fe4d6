//! Translates field accesses, calls and class initialization.

use super::{Refusal, Result, Translator};
use crate::loader::StaticConstant;
use crate::models;
use crate::synthetic::{arrays, constants, dynamic};
use crate::types::{INT, class_name, method_types, named_type, stack_type};
use aback_ir::{ClassId, Const, Dispatch, Expr, FieldId, MethodId, MethodKind, OpKind, Type};
use cafebabe::constant_pool::{InvokeDynamic, MemberRef};

impl<'a> Translator<'a> {
    /// Emits the class-initialization guard if the class may be uninitialized.
    pub(super) fn ensure_initialized(&mut self, class: ClassId) {
        let own = self.java.program.method(self.method);
        // In a static method, a constructor or the initializer itself, the class has been initialized before.
        let is_certain =
            class == self.class.id && self.block != aback_ir::Body::ENTRY && (own.kind != MethodKind::Instance);
        if is_certain {
            return;
        }
        if let Some((field, method)) = self.java.initialization(class) {
            self.emit(OpKind::Ensure { field, method });
        }
    }

    /// Refuses an instruction if a class that it needs cannot be loaded.
    pub(super) fn ensure_loaded(&self, class: ClassId) -> Result<()> {
        match self.java.class(class) {
            Some(_) => Ok(()),
            None => {
                let (name, reason) = (self.java.program.class_name(class), self.java.why_missing(class));
                Err(Refusal(format!("the class {name}: {reason}")))
            }
        }
    }

    pub(super) fn field(&self, reference: &MemberRef<'a>) -> Result<FieldId> {
        let class = self.java.named(&class_name(&reference.class_name));
        let (name, descriptor) = (&reference.name_and_type.name, &reference.name_and_type.descriptor);
        self.ensure_loaded(class)?;
        self.java.field(class, name, descriptor).ok_or_else(|| {
            Refusal(format!("the field {name}, which {} does not have", self.java.program.class_name(class)))
        })
    }

    pub(super) fn get_static(&mut self, reference: &MemberRef<'a>) -> Result<()> {
        let field = self.field(reference)?;
        let declared = self.java.program.field(field);
        match self.java.static_constant(field) {
            Some(StaticConstant::Value(constant)) => {
                let constant = self.stack_constant(constant);
                let ty = stack_type(declared.ty);
                let value = self.expr(Expr::Const(constant));
                self.push(value, ty);
                return Ok(());
            }
            Some(StaticConstant::String(units)) => {
                let (made, method) = constants::string(self.java, units);
                self.push_made(made, method, declared.ty);
                return Ok(());
            }
            None => {}
        }
        self.ensure_initialized(declared.class);
        self.push_result(declared.ty, |dst| OpKind::GetStatic { dst, field });
        Ok(())
    }

    /// The representation of a constant on the operand stack.
    fn stack_constant(&self, constant: Const) -> Const {
        match constant {
            Const::Bool(value) => Const::Int(i32::from(value).into(), INT),
            Const::Int(value, ty) => Const::Int(value, stack_type(ty)),
            other => other,
        }
    }

    pub(super) fn put_static(&mut self, reference: &MemberRef<'a>) -> Result<()> {
        let field = self.field(reference)?;
        let declared = self.java.program.field(field);
        self.ensure_initialized(declared.class);
        let value = self.pop_expr()?;
        let value = self.narrow(value, declared.ty);
        self.emit(OpKind::PutStatic { field, value });
        Ok(())
    }

    pub(super) fn get_field(&mut self, reference: &MemberRef<'a>) -> Result<()> {
        let field = self.field(reference)?;
        let ty = self.java.program.field(field).ty;
        let object = self.pop_expr()?;
        self.push_result(ty, |dst| OpKind::GetField { dst, object, field });
        Ok(())
    }

    pub(super) fn put_field(&mut self, reference: &MemberRef<'a>) -> Result<()> {
        let field = self.field(reference)?;
        let ty = self.java.program.field(field).ty;
        let (value, object) = (self.pop_expr()?, self.pop_expr()?);
        let value = self.narrow(value, ty);
        self.emit(OpKind::PutField { object, field, value });
        Ok(())
    }

    pub(super) fn invoke(&mut self, dispatch: Dispatch, reference: &MemberRef<'a>) -> Result<()> {
        let (name, descriptor) = (&reference.name_and_type.name, &reference.name_and_type.descriptor);
        let Some(owner) = named_type(self.java.program, &reference.class_name) else {
            return super::malformed("a call on a bad type");
        };
        let class = match owner {
            Type::Class(class) => class,
            // Arrays have the methods of `Object`, and their own `clone`.
            array => {
                if name == "clone" {
                    let copy = arrays::copy(self.java, array);
                    return self.emit_call(Dispatch::Static, copy);
                }
                self.java.named(crate::types::OBJECT)
            }
        };
        self.ensure_loaded(class)?;
        let Some(method) = self.java.method(class, name, descriptor) else {
            let class = self.java.program.class_name(class);
            return Err(Refusal(format!("the method {name}{descriptor}, which {class} does not have")));
        };
        let has_model = self.java.loader.supplied().has_model(method);
        let method = match self.class.is_trusted && !has_model {
            true => models::for_library(self.java, &self.class.name, method, descriptor),
            false => method,
        };
        if !self.class.is_trusted && !self.java.may_call(self.class.id, method) {
            let (name, class) = (self.java.program.method_name(method), &self.class.name);
            return Err(Refusal(format!("a call of {name}, which {class} may not name")));
        }
        let is_static = self.java.program.method(method).kind == MethodKind::Static;
        if is_static != (dispatch == Dispatch::Static) {
            return Err(Refusal(format!(
                "a call of {name}, which is (or is not) static in another version of its class"
            )));
        }
        if let Some(own) = self.java.loader.own_code(self.java, self.method, method) {
            let dispatch = if is_static { Dispatch::Static } else { Dispatch::Special };
            return self.emit_call(dispatch, own);
        }
        match dispatch {
            Dispatch::Virtual if self.java.is_never_overridden(method) => self.emit_call(Dispatch::Special, method),
            Dispatch::Special => {
                let refuse = || format!("a call of {} that finds no code", self.java.program.method_name(method));
                let found = self.java.special(self.class.id, class, method).ok_or_else(|| Refusal(refuse()))?;
                self.emit_call(dispatch, found)
            }
            other => self.emit_call(other, method),
        }
    }

    /// Emits a call of a method with arguments from the stack.
    pub(super) fn emit_call(&mut self, dispatch: Dispatch, method: MethodId) -> Result<()> {
        let declared = self.java.program.method(method);
        let mut args = Vec::with_capacity(declared.params.len());
        for &param in declared.params.iter().rev() {
            let value = self.pop_expr()?;
            args.push(self.narrow(value, param));
        }
        args.reverse();
        match declared.result {
            Some(result) => {
                self.push_result(result, |dst| OpKind::Call { dst: Some(dst), dispatch, method, args });
            }
            None => self.emit(OpKind::Call { dst: None, dispatch, method, args }),
        }
        Ok(())
    }

    pub(super) fn invoke_dynamic(&mut self, index: usize, call: &InvokeDynamic<'a>) -> Result<()> {
        let target = self.linked(index, call)?;
        self.emit_call(Dispatch::Static, target)
    }

    /// The method that an `invokedynamic` instruction calls.
    pub(super) fn linked(&self, index: usize, call: &InvokeDynamic<'a>) -> Result<MethodId> {
        let (name, descriptor) = (&call.name_and_type.name, &call.name_and_type.descriptor);
        let Some((params, result)) = method_types(self.java.program, descriptor) else {
            return super::malformed("a bad descriptor");
        };
        let site =
            dynamic::CallSite { class: self.class, index: index as u32, method: self.method, name, params, result };
        let Some(bootstrap) = self.class.file.as_ref().and_then(|file| file.bootstrap(call.attr_index)) else {
            return super::malformed("invokedynamic without a bootstrap method");
        };
        dynamic::link(self.java, &site, &bootstrap).map_err(Refusal)
    }
}
