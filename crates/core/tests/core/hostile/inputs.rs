//! Random numbers and arguments for the tests of hostile programs.

use aback_ir::Type;
use aback_witness::InputValue;

/// A small generator of pseudorandom numbers (splitmix), so that a failure can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % n.max(1) as u64) as usize
    }
}

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
