//! Writes numbers, characters and strings as C#.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A `float`, by its bits.
pub(crate) fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    match bits {
        0xffc0_0000 => "float.NaN".into(),
        0x7f80_0000 => "float.PositiveInfinity".into(),
        0xff80_0000 => "float.NegativeInfinity".into(),
        _ if value.is_nan() => format!("System.BitConverter.Int32BitsToSingle(unchecked((int){bits:#010x}))"),
        _ => format!("{value:?}f"),
    }
}

/// A `double`, by its bits.
pub(crate) fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    match bits {
        0xfff8_0000_0000_0000 => "double.NaN".into(),
        0x7ff0_0000_0000_0000 => "double.PositiveInfinity".into(),
        0xfff0_0000_0000_0000 => "double.NegativeInfinity".into(),
        _ if value.is_nan() => format!("System.BitConverter.Int64BitsToDouble(unchecked((long){bits:#018x}))"),
        _ => format!("{value:?}"),
    }
}

/// An integer with a width and a sign, as an expression of exactly its type if `is_exact`. Otherwise, it may be a
/// constant that the place converts.
pub(crate) fn integer(value: &BigInt, width: u8, signed: bool, is_exact: bool) -> String {
    let cast = |ty: &str| match (is_exact, value.sign() == num_bigint::Sign::Minus) {
        (true, true) => format!("({ty})({value})"),
        (true, false) => format!("({ty}){value}"),
        (false, _) => value.to_string(),
    };
    match (width, signed) {
        (8, true) => cast("sbyte"),
        (8, false) => cast("byte"),
        (16, true) => cast("short"),
        (16, false) => cast("ushort"),
        (32, true) if value.to_i32() == Some(i32::MIN) => "int.MinValue".into(),
        (32, true) if value.to_i32() == Some(i32::MAX) => "int.MaxValue".into(),
        (32, true) => value.to_string(),
        (32, false) => format!("{value}u"),
        (_, true) if value.to_i64() == Some(i64::MIN) => "long.MinValue".into(),
        (_, true) if value.to_i64() == Some(i64::MAX) => "long.MaxValue".into(),
        (_, true) => format!("{value}L"),
        (_, false) => format!("{value}UL"),
    }
}

/// A `char`.
pub(crate) fn char(unit: u16) -> String {
    format!("'{}'", if unit == u16::from(b'\'') { "\\'".into() } else { escaped(unit, false) })
}

/// A string that is not identical to a literal of the program: inputs are never the same object as a literal.
pub(crate) fn string(units: &[u16]) -> String {
    match units {
        [] => "\"\"".into(),
        units => format!("new string({})", quoted(units)),
    }
}

/// A literal.
pub(crate) fn quoted(units: &[u16]) -> String {
    format!("\"{}\"", units.iter().map(|&unit| escaped(unit, true)).collect::<String>())
}

/// Escapes a code unit for a literal, so that the source does not depend on its encoding.
fn escaped(unit: u16, in_string: bool) -> String {
    match u8::try_from(unit) {
        Ok(b'"') if in_string => "\\\"".into(),
        Ok(b'\\') => "\\\\".into(),
        Ok(b'\n') => "\\n".into(),
        Ok(b'\r') => "\\r".into(),
        Ok(b'\t') => "\\t".into(),
        Ok(b'\0') => "\\0".into(),
        Ok(ascii @ 32..=126) => char::from(ascii).to_string(),
        _ => format!("\\u{unit:04x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_survive_any_encoding() {
        let units: Vec<u16> = "a\"'\\\n\r\t\0\u{7f}\u{e9}\u{1f600}1".encode_utf16().chain([0xd800]).collect();
        assert_eq!(string(&units), "new string(\"a\\\"'\\\\\\n\\r\\t\\0\\u007f\\u00e9\\ud83d\\ude001\\ud800\")");
        assert_eq!(char(39), "'\\''");
        assert_eq!(char(34), "'\"'");
    }

    #[test]
    fn numbers_keep_their_bits_and_types() {
        assert_eq!(float((-0.0f32).to_bits()), "-0.0f");
        assert_eq!(float(1), "1e-45f");
        assert_eq!(double(0xfff8_0000_0000_0000), "double.NaN");
        assert_eq!(
            double(0x7ff8_0000_0000_0000),
            "System.BitConverter.Int64BitsToDouble(unchecked((long)0x7ff8000000000000))"
        );
        assert_eq!(integer(&BigInt::from(-3), 8, true, true), "(sbyte)(-3)");
        assert_eq!(integer(&BigInt::from(-3), 8, true, false), "-3");
        assert_eq!(integer(&BigInt::from(3), 32, false, false), "3u");
        assert_eq!(integer(&BigInt::from(i64::MIN), 64, true, false), "long.MinValue");
    }
}
