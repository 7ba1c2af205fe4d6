//! Makes the strings of literals.

use crate::loader::{Java, Made};
use crate::types::{BYTE, STRING};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{Body, Dispatch, FieldId, MethodId, OpKind};
use cafebabe::constant_pool::LiteralConstant;

/// The UTF-16 code units of a string constant, or `None` for another constant.
pub(crate) fn units(constant: &LiteralConstant) -> Option<Vec<u16>> {
    match constant {
        LiteralConstant::String(text) => Some(text.encode_utf16().collect()),
        LiteralConstant::StringBytes(bytes) => Some(decode(bytes)),
        _ => None,
    }
}

/// Decodes modified UTF-8 (JVM specification, 4.4.7), in which unpaired surrogates represent themselves.
pub(crate) fn decode(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().map(|&byte| u16::from(byte));
    while let Some(first) = rest.next() {
        let mut next = || rest.next().unwrap_or(0) & 0x3f;
        units.push(match first {
            0x00..=0x7f => first,
            0x80..=0xdf => (first & 0x1f) << 6 | next(),
            _ => (first & 0x0f) << 12 | next() << 6 | next(),
        });
    }
    units
}

/// The static field that holds the string of a literal, and the method that creates the string.
pub(crate) fn string(java: Java, units: Vec<u16>) -> (FieldId, MethodId) {
    java.made(Made::String(units.clone()), |java| {
        let shown = String::from_utf16_lossy(&units);
        let field = java.new_static_field(&format!("{shown:?}"), java.class_type(STRING));
        let method = java.new_static(&format!("make {shown:?}"), &[], None, move |java| make(java, field, &units));
        (field, method)
    })
}

/// Creates a string as the library does: in Latin-1 if possible, otherwise in UTF-16 with the machine's byte order.
fn make(java: Java, field: FieldId, units: &[u16]) -> Body {
    let class = java.named(STRING);
    let (Some(value), Some(coder)) =
        (java.declared_field(class, "value", "[B"), java.declared_field(class, "coder", "B"))
    else {
        return unsupported(&[], "string literals: the library has no java.lang.String of JDK 9 or later");
    };
    let is_latin = units.iter().all(|&unit| unit < 0x100);
    let bytes: Vec<i8> = if is_latin {
        units.iter().map(|&unit| unit as i8).collect()
    } else {
        units.iter().flat_map(|unit| unit.to_le_bytes()).map(|byte| byte as i8).collect()
    };
    let mut code = Builder::new(&[]);
    let length = code.int(bytes.len() as i64);
    let array = java.program.array_of(BYTE);
    let array = code.result(array, |dst| OpKind::NewArray { dst, element: BYTE, length });
    for (index, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
        let (index, value) = (code.int(index as i64), code.constant(i64::from(byte), BYTE));
        code.op(OpKind::ArrayPut { array, index, value });
    }
    let string = code.allocate(class);
    code.op(OpKind::PutField { object: string, field: value, value: array });
    let coder_value = code.constant(i64::from(!is_latin), BYTE);
    code.op(OpKind::PutField { object: string, field: coder, value: coder_value });
    // An equal string may have been interned before.
    let interned = java.named("aback.Interned");
    let literal = java.declared_method(interned, "literal", "(Ljava/lang/String;)Ljava/lang/String;");
    let ty = java.class_type(STRING);
    let only = literal.and_then(|literal| code.call(Dispatch::Static, literal, vec![string], Some(ty)));
    code.op(OpKind::PutStatic { field, value: only.unwrap_or(string) });
    code.ret(None);
    code.finish()
}
