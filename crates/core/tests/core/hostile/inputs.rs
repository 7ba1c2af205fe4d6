//! Arguments for the tests of hostile programs.

use aback_ir::Type;
use aback_witness::InputValue;

/// A value of each type, for runs.
pub fn argument(ty: Type) -> InputValue {
    match ty {
        Type::Bool => InputValue::Bool(true),
        Type::F32 => InputValue::F32(1.5f32.to_bits()),
        Type::F64 => InputValue::F64(1.5f64.to_bits()),
        ty if ty.is_reference() => InputValue::Null,
        _ => InputValue::Int(3.into()),
    }
}
