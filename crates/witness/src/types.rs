//! Decides which types a reference to an array may have.

use aback_ir::{Program, Type};

/// Whether a reference to an array with elements of type `element` may have type `ty`. The program may lack the array
/// type itself. `None` if it does and the answer then depends on the class of all arrays.
pub(crate) fn is_array_assignable(program: &Program, element: Type, ty: Type) -> Option<bool> {
    match (program.array_type(element), ty) {
        (Some(array), _) => Some(program.is_assignable(Type::Array(array), ty)),
        (None, Type::Array(wanted)) => {
            let wanted = program.element_type(wanted);
            // The types differ, or the program would have the array type. Elements that are not references must be
            // equal.
            Some(element.is_reference() && program.is_assignable(element, wanted))
        }
        (None, Type::Class(_)) => None,
        (None, _) => Some(false),
    }
}
