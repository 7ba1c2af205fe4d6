//! Tells which references may refer, or lead, to new objects of the chosen classes.

use super::Flow;
use super::callers::types_of;
use crate::analysis::origins::{NEW, Origins};
use crate::analysis::reached::{CALLS, is_looked_at, is_mutable};
use crate::body::{Body, ExprId};
use crate::program::{ClassId, FieldId, MethodId, Type};

impl<'p> Flow<'p> {
    /// Whether the value of an expression may be or lead to a new object of a watched class, as the receiver of a call
    /// or through platform objects and arrays.
    pub(in crate::analysis) fn may_lead_to_new(&self, method: MethodId, body: &Body, expr: ExprId) -> bool {
        self.leads_to_new(body.expr_type(expr), self.of(method, body, expr))
    }

    /// Whether the value of a field may be or lead to a new object of a watched class.
    pub(in crate::analysis) fn field_may_lead_to_new(&self, field: FieldId) -> bool {
        self.leads_to_new(self.program.field(field).ty, self.field(field))
    }

    /// The fields whose values may be or lead to new objects of watched classes.
    pub(in crate::analysis) fn fields_that_lead_to_new(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.facts.fields.keys().copied().filter(|&field| self.field_may_lead_to_new(field))
    }

    /// Whether callers find a new object of a watched class in an argument of a type, after the call, unless it is a
    /// pointer.
    pub(in crate::analysis) fn argument_may_lead_to_new(&self, ty: Type) -> bool {
        let held = if matches!(ty, Type::Class(_)) { self.facts.held } else { 0 };
        self.leads_to_new(ty, Origins::holder(held))
    }

    /// Whether platform objects may keep new objects of watched classes.
    pub(in crate::analysis) fn is_new_held(&self) -> bool {
        self.facts.held & NEW != 0
    }

    /// Whether the platform itself may keep new objects of watched classes.
    pub(in crate::analysis) fn is_new_kept_by_library(&self) -> bool {
        self.facts.is_new_kept_by_library
    }

    /// Whether there is a new object of a watched class in an object to which an expression refers, even if it is none
    /// itself.
    pub(in crate::analysis) fn may_have_new_inside(&self, body: &Body, expr: ExprId) -> bool {
        types_of(self.program, body, expr, CALLS).into_iter().any(|ty| self.leads_to_new(ty, self.left_in(ty)))
    }

    /// Whether an exception may be or lead to a new object of a watched class.
    pub(in crate::analysis) fn is_new_thrown(&self) -> bool {
        self.facts.thrown.roots() & NEW != 0
    }

    pub(super) fn leads_to_new(&self, ty: Type, origins: Origins) -> bool {
        let origins = if matches!(ty, Type::Array(_)) { origins | self.facts.elements } else { origins };
        origins.roots() & NEW != 0 && self.can_lead_to_new(ty)
    }

    /// Whether values of a type, or elements of arrays of a type, can be objects of a watched class, or platform objects
    /// that may hold some.
    pub(super) fn can_lead_to_new(&self, ty: Type) -> bool {
        if let Some(&known) = self.known.holders.borrow().get(&ty) {
            return known;
        }
        let program = self.program;
        let mut element = ty;
        while let Type::Array(array) = element {
            element = program.element_type(array);
        }
        let has_fields = |class| !program.instance_fields(class).is_empty();
        let is_holder = |class| !is_looked_at(program, class) && has_fields(class);
        let may_be = |class: ClassId| {
            !is_looked_at(program, class)
                || program
                    .subclasses(class)
                    .into_iter()
                    .any(|below| self.watched.contains(&below) || program.supertypes(below).into_iter().any(is_holder))
        };
        let can = matches!(element, Type::Class(class) if is_mutable(program, element) && may_be(class));
        self.known.holders.borrow_mut().insert(ty, can);
        can
    }
}
