//! Which types a reference to an object may have.

use aback_ir::{Program, Type};

/// Whether a reference to an array with elements of type `element` may have type `ty`. The array type itself may be
/// one that the program never names; then the answer is `None` where it depends on the class of all arrays.
pub(crate) fn is_array_assignable(program: &Program, element: Type, ty: Type) -> Option<bool> {
    match (program.array_type(element), ty) {
        (Some(array), _) => Some(program.is_assignable(Type::Array(array), ty)),
        (None, Type::Array(wanted)) => {
            let wanted = program.element_type(wanted);
            // They differ, or the program would name the array type. Elements that are not references must be equal.
            Some(element.is_reference() && program.is_assignable(element, wanted))
        }
        (None, Type::Class(_)) => None,
        (None, _) => Some(false),
    }
}
