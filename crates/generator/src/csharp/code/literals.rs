//! Generates constants, mostly those at which arithmetic behaves specially.

use super::{Code, Prim};

const SMALL: [i64; 14] = [0, 1, -1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 100];

const FLOATS: [&str; 19] = [
    "0.0f",
    "(-0.0f)",
    "1.0f",
    "(-1.0f)",
    "0.5f",
    "1.5f",
    "2.5f",
    "(-2.5f)",
    "3.7f",
    "0.1f",
    "1e10f",
    "(-1e20f)",
    "16777217f",
    "float.NaN",
    "float.PositiveInfinity",
    "float.NegativeInfinity",
    "float.Epsilon",
    "float.MaxValue",
    "127.9f",
];

const DOUBLES: [&str; 22] = [
    "0.0",
    "(-0.0)",
    "1.0",
    "(-1.0)",
    "0.5",
    "1.5",
    "2.5",
    "(-2.5)",
    "3.7",
    "0.1",
    "1e10",
    "(-1e300)",
    "1e-320",
    "9007199254740993.0",
    "double.NaN",
    "double.PositiveInfinity",
    "double.NegativeInfinity",
    "double.Epsilon",
    "double.MaxValue",
    "2147483647.5",
    "(-2147483648.9)",
    "9.3e18",
];

const DECIMALS: [&str; 9] = ["0m", "1m", "2.50m", "(-7m)", "100m", "0.1m", "12.25m", "(-0.5m)", "1000000m"];

const CHARS: [&str; 13] =
    ["'a'", "'z'", "'A'", "'Z'", "'0'", "'9'", "' '", "'\\n'", "'\\0'", "'\\''", "'\\\\'", "'\\u00e9'", "'\\uffff'"];

const TEXTS: [&str; 13] = [
    "\"\"",
    "\"a\"",
    "\"b\"",
    "\"abc\"",
    "\"Abc\"",
    "\"hello world\"",
    "\" padded \"",
    "\"42\"",
    "\"-7\"",
    "\"null\"",
    "\"\\u4e2d\\u6587\"",
    "\"tab\\tquote\\\"\"",
    "\"aaa\"",
];

impl Code {
    /// A constant, or in a `checked` context a value that the compiler does not know.
    pub fn literal(&mut self, prim: Prim) -> String {
        let text = self.constant_of(prim);
        match prim {
            Prim::Bool => text,
            Prim::Decimal => format!("Log.K({text})"),
            _ if self.language.checked => format!("Log.K({text})"),
            _ => text,
        }
    }

    fn constant_of(&mut self, prim: Prim) -> String {
        match prim {
            Prim::Bool => if self.rng.chance(50) { "true" } else { "false" }.into(),
            Prim::Char if self.rng.chance(25) => format!("((char) {})", self.integer(0, 0xffff)),
            Prim::Char => (*self.rng.pick(&CHARS)).into(),
            Prim::SByte => format!("((sbyte) {})", self.integer(-128, 127)),
            Prim::Byte => format!("((byte) {})", self.integer(0, 255)),
            Prim::Short => format!("((short) {})", self.integer(-32768, 32767)),
            Prim::UShort => format!("((ushort) {})", self.integer(0, 65535)),
            Prim::Int => self.integer(i32::MIN.into(), i32::MAX.into()),
            Prim::UInt => format!("{}u", self.integer(0, u32::MAX.into())),
            Prim::Long => match self.integer(i64::MIN.into(), i64::MAX.into()) {
                text if text.starts_with('(') => format!("{}L)", &text[..text.len() - 1]),
                text if text.ends_with("Value") => text,
                text => format!("{text}L"),
            },
            Prim::ULong => format!("{}UL", self.integer(0, u64::MAX.into())),
            Prim::Float => (*self.rng.pick(&FLOATS)).into(),
            Prim::Double => (*self.rng.pick(&DOUBLES)).into(),
            Prim::Decimal => (*self.rng.pick(&DECIMALS)).into(),
        }
    }

    /// A literal of a number between the bounds, often near a bound or zero.
    fn integer(&mut self, low: i128, high: i128) -> String {
        let value = match self.rng.below(10) {
            0..4 => i128::from(*self.rng.pick(&SMALL)),
            4..7 => i128::from(self.rng.within(-20, 20)),
            7 => high - i128::from(self.rng.within(0, 1)),
            8 => low + i128::from(self.rng.within(0, 1)),
            _ => i128::from(self.rng.next() as i64),
        };
        let value = low + (value - low).rem_euclid(high - low + 1);
        match value {
            _ if value == i128::from(i64::MIN) => "long.MinValue".into(),
            _ if value < 0 => format!("({value})"),
            _ if self.rng.chance(5) => format!("0x{value:x}"),
            _ => value.to_string(),
        }
    }

    pub fn text_literal(&mut self) -> String {
        (*self.rng.pick(&TEXTS)).into()
    }
}
