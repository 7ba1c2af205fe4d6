//! Relates types to the objects behind references.

use crate::analysis::reached::{is_looked_at, is_mutable};
use crate::program::{FieldId, Program, Type};
use rustc_hash::FxHashSet;

/// The types of the objects to which references of these types may refer, or to which these objects lead through any
/// fields, except objects that never change. The root class among them stands for objects of any type.
pub fn types_behind(program: &Program, references: impl IntoIterator<Item = Type>) -> FxHashSet<Type> {
    let mut types = FxHashSet::default();
    references.into_iter().for_each(|ty| lead_to(program, &mut types, ty, |_| true));
    types
}

/// Adds the mutable types of the objects that a reference of type `ty` may refer to, or that these lead to through
/// fields that satisfy `follows`.
pub(in crate::analysis) fn lead_to(
    program: &Program,
    types: &mut FxHashSet<Type>,
    ty: Type,
    follows: impl Fn(FieldId) -> bool,
) {
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if !is_mutable(program, ty) || !types.insert(ty) {
            continue;
        }
        match ty {
            Type::Array(array) => pending.push(program.element_type(array)),
            Type::Class(class) if is_looked_at(program, class) => {
                let fields = program.subclasses(class).into_iter().flat_map(|class| program.instance_fields(class));
                pending.extend(fields.filter(|&field| follows(field)).map(|field| program.field(field).ty));
            }
            // A platform object, such as a collection, may hold anything.
            Type::Class(_) => pending.extend(program.root().map(Type::Class)),
            _ => {}
        }
    }
}

/// Whether a reference of one type may also have the other type.
pub fn are_related(program: &Program, a: Type, b: Type) -> bool {
    a == b || a.is_reference() && b.is_reference() && (program.is_assignable(a, b) || program.is_assignable(b, a))
}
