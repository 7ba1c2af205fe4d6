//! Writes values as Java source text.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Most code units of one literal. The compiler accepts at most 65,535 bytes, and a code unit takes up to three.
const CHUNK: usize = 10_000;

/// An `int`.
pub(crate) fn int(value: &BigInt) -> String {
    match value.to_i32() {
        Some(i32::MIN) => "Integer.MIN_VALUE".into(),
        Some(i32::MAX) => "Integer.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

/// A `long`.
pub(crate) fn long(value: &BigInt) -> String {
    match value.to_i64() {
        Some(i64::MIN) => "Long.MIN_VALUE".into(),
        Some(i64::MAX) => "Long.MAX_VALUE".into(),
        _ => format!("{value}L"),
    }
}

/// A `float`, by its bits.
pub(crate) fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    match bits {
        0x7fc0_0000 => "Float.NaN".into(),
        0x7f80_0000 => "Float.POSITIVE_INFINITY".into(),
        0xff80_0000 => "Float.NEGATIVE_INFINITY".into(),
        _ if value.is_nan() => format!("Float.intBitsToFloat({bits:#010x})"),
        _ => format!("{value:?}f"),
    }
}

/// A `double`, by its bits.
pub(crate) fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    match bits {
        0x7ff8_0000_0000_0000 => "Double.NaN".into(),
        0x7ff0_0000_0000_0000 => "Double.POSITIVE_INFINITY".into(),
        0xfff0_0000_0000_0000 => "Double.NEGATIVE_INFINITY".into(),
        _ if value.is_nan() => format!("Double.longBitsToDouble({bits:#018x}L)"),
        _ => format!("{value:?}"),
    }
}

/// A `double` without an exponent. NaNs lose their bits.
pub(crate) fn decimal(value: f64) -> String {
    if value.is_nan() {
        return "Double.NaN".into();
    }
    if value.is_infinite() {
        return double(value.to_bits());
    }
    let text = value.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

/// A `char`.
pub(crate) fn char(unit: u16) -> String {
    format!("'{}'", if unit == u16::from(b'\'') { "\\'".into() } else { escaped(unit, false) })
}

/// A `String` that is not identical to a literal of the program: inputs are never the same object as a literal.
pub(crate) fn string(units: &[u16]) -> String {
    match units.len() {
        0 => "new String()".into(),
        1..=CHUNK => format!("new String({})", quoted(units)),
        _ => text(units),
    }
}

/// A `String` of which only the content matters.
pub(crate) fn text(units: &[u16]) -> String {
    match units.len() {
        0..=CHUNK => quoted(units),
        _ => format!("String.join(\"\", {})", units.chunks(CHUNK).map(quoted).collect::<Vec<_>>().join(", ")),
    }
}

/// A literal. The string must be short enough for one.
pub(crate) fn quoted(units: &[u16]) -> String {
    format!("\"{}\"", units.iter().map(|&unit| escaped(unit, true)).collect::<String>())
}

/// Escapes a code unit for a literal. Unicode escapes keep the source independent of its encoding. They are translated
/// before all else, so that quotes and line ends need other escapes.
fn escaped(unit: u16, in_string: bool) -> String {
    match u8::try_from(unit) {
        Ok(b'"') if in_string => "\\\"".into(),
        Ok(b'\\') => "\\\\".into(),
        Ok(b'\n') => "\\n".into(),
        Ok(b'\r') => "\\r".into(),
        Ok(b'\t') => "\\t".into(),
        Ok(control @ (0..=31 | 127)) => format!("\\{control:03o}"),
        Ok(ascii @ 32..=126) => char::from(ascii).to_string(),
        _ => format!("\\u{unit:04x}"),
    }
}

/// Whether a local's name is that of a variable in a source.
pub(crate) fn is_identifier(name: &str) -> bool {
    let is_start = name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
    is_start && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) && !KEYWORDS.contains(&name)
}

/// A valid Java identifier from a local's name, or the end of one: `args` for `args`, `arg0` for `%0`.
pub(crate) fn identifier(name: &str) -> String {
    let cleaned: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    match cleaned.chars().next() {
        None => "value".into(),
        Some(first) if first.is_ascii_digit() => format!("arg{cleaned}"),
        Some(_) if KEYWORDS.contains(&cleaned.as_str()) => format!("{cleaned}_"),
        Some(_) => cleaned,
    }
}

/// Words that are not valid variable names (Java specification, 3.9), and one that should not be used.
const KEYWORDS: [&str; 56] = [
    "_",
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "record",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "var",
    "void",
    "volatile",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_survive_any_encoding() {
        let units: Vec<u16> = "a\"'\\\n\r\t\0\u{7f}\u{e9}\u{20ac}\u{1f600}1".encode_utf16().chain([0xd800]).collect();
        assert_eq!(string(&units), "new String(\"a\\\"'\\\\\\n\\r\\t\\000\\177\\u00e9\\u20ac\\ud83d\\ude001\\ud800\")");
        assert_eq!(char(39), "'\\''");
        assert_eq!(char(34), "'\"'");
    }

    #[test]
    fn floats_keep_their_bits() {
        assert_eq!(float((-0.0f32).to_bits()), "-0.0f");
        assert_eq!(float(0x7fc0_0001), "Float.intBitsToFloat(0x7fc00001)");
        assert_eq!(float(1), "1e-45f");
        assert_eq!(double(f64::NAN.to_bits()), "Double.NaN");
        assert_eq!(double(0xfff8_0000_0000_0000), "Double.longBitsToDouble(0xfff8000000000000L)");
    }

    #[test]
    fn decimals_have_no_exponents() {
        assert_eq!(decimal(1e21), "1000000000000000000000.0");
        assert_eq!(decimal(-0.0), "-0.0");
        assert_eq!(decimal(1.1f32.into()), "1.100000023841858");
        assert_eq!(decimal(f64::NAN), "Double.NaN");
        assert_eq!(decimal(f64::NEG_INFINITY), "Double.NEGATIVE_INFINITY");
        for value in [5e-324, f64::MAX, 1e-320, 0.1] {
            assert!(!decimal(value).contains(['e', 'E']) && decimal(value).parse() == Ok(value), "{value}");
        }
    }

    #[test]
    fn temporaries_are_no_variables() {
        assert_eq!(["n", "x$1", "%3", "", "this", "9"].map(is_identifier), [true, true, false, false, false, false]);
    }

    #[test]
    fn names_are_javas() {
        assert_eq!(["int", "%3", "x$1", "", "this"].map(identifier), ["int_", "arg3", "x1", "value", "this_"]);
    }
}
