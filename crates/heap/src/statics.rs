//! Stores the values of static fields.

use crate::heap::Scope;
use crate::layout::Layout;
use crate::value::Value;
use aback_ir::{FieldId, Program, Type};
use aback_logic::Term;
use std::rc::Rc;

/// The static fields by slot. Those beyond the end have default values.
#[derive(Clone, Default, Debug)]
pub(crate) struct Statics(Rc<Vec<Value>>);

impl Statics {
    #[inline]
    pub(crate) fn read(&self, program: &Program, layout: &Layout, field: FieldId) -> Value {
        match self.0.get(layout.slot(program, field)) {
            Some(&value) => value,
            None => Value::default_of(program.field(field).ty),
        }
    }

    pub(crate) fn write(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value) {
        self.set(layout, layout.slot(program, field), value);
    }

    /// The value of the field with a slot and a type.
    pub(crate) fn at(&self, slot: usize, ty: Type) -> Value {
        self.0.get(slot).copied().unwrap_or(Value::default_of(ty))
    }

    /// Sets the value of a field by its slot.
    pub(crate) fn set(&mut self, layout: &Layout, slot: usize, value: Value) {
        let statics = Rc::make_mut(&mut self.0);
        if statics.len() <= slot {
            let types = layout.statics();
            statics.extend(types[statics.len()..].iter().map(|&ty| Value::default_of(ty)));
        }
        if let Some(field) = statics.get_mut(slot) {
            *field = value;
        }
    }

    /// The values of two heaps, with the types of the fields.
    pub(crate) fn pairs<'a>(
        &'a self,
        other: &'a Statics,
        layout: &'a Layout,
    ) -> impl Iterator<Item = (Type, Value, Value)> + 'a {
        let len = if Rc::ptr_eq(&self.0, &other.0) { 0 } else { self.0.len().max(other.0.len()) };
        let types = layout.statics().iter().copied().take(len).collect::<Vec<_>>();
        types.into_iter().enumerate().map(|(slot, ty)| (ty, self.at(slot, ty), other.at(slot, ty)))
    }

    /// The static fields of one heap where `choice` holds, and of another elsewhere.
    pub(crate) fn join(&self, other: &Statics, scope: &mut Scope, choice: Term) -> Statics {
        if Rc::ptr_eq(&self.0, &other.0) {
            return self.clone();
        }
        let types: Vec<Type> = scope.layout.statics().iter().copied().take(self.0.len().max(other.0.len())).collect();
        let value = |values: &[Value], slot: usize, ty| values.get(slot).copied().unwrap_or(Value::default_of(ty));
        let both = types
            .iter()
            .enumerate()
            .map(|(slot, &ty)| Value::ite(scope.pool, choice, value(&self.0, slot, ty), value(&other.0, slot, ty), ty));
        Statics(Rc::new(both.collect()))
    }
}
