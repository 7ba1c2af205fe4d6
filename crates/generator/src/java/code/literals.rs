//! Generates constants, mostly those at which arithmetic behaves specially.

use super::{Code, Prim};

const INTS: [i32; 32] = [
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    10,
    13,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    128,
    -128,
    -129,
    255,
    256,
    32767,
    32768,
    -32768,
    65535,
    65536,
    i32::MAX,
    i32::MAX - 1,
    i32::MIN,
    i32::MIN + 1,
    0x5555_5555,
];

const LONGS: [i64; 12] = [
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
    1 << 31,
    -(1 << 31) - 1,
    1 << 32,
    (1 << 32) - 1,
    (1 << 53) + 1,
    0x5555_5555_5555_5555,
    1_000_000_007,
    -1_000_000_000_000,
    0x7fff_ffff_8000_0000,
];

const FLOATS: [&str; 25] = [
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
    "(-1e10f)",
    "1e20f",
    "1e-40f",
    "16777217f",
    "0x1.8p3f",
    "Float.NaN",
    "(0.0f / 0.0f)",
    "Float.POSITIVE_INFINITY",
    "Float.NEGATIVE_INFINITY",
    "Float.MIN_VALUE",
    "Float.MAX_VALUE",
    "127.9f",
    "(-128.9f)",
    "65536.5f",
];

const DOUBLES: [&str; 27] = [
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
    "(-1e10)",
    "1e300",
    "(-1e300)",
    "1e-320",
    "9007199254740993.0",
    "0x1.8p-3",
    "Double.NaN",
    "(0.0 / 0.0)",
    "Double.POSITIVE_INFINITY",
    "Double.NEGATIVE_INFINITY",
    "Double.MIN_VALUE",
    "Double.MAX_VALUE",
    "2147483647.5",
    "(-2147483648.9)",
    "9.3e18",
    "100d",
];

const CHARS: [&str; 16] = [
    "'a'",
    "'z'",
    "'A'",
    "'Z'",
    "'0'",
    "'9'",
    "' '",
    "'\\n'",
    "'\\0'",
    "'\\''",
    "'\\\\'",
    "'é'",
    "'\\u4e2d'",
    "'\\uffff'",
    "'ß'",
    "'\\u007f'",
];

const TEXTS: [&str; 16] = [
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
    "\"äöü\"",
    "\"\\u4e2d\\u6587\"",
    "\"tab\\tquote\\\"\"",
    "\"aaa\"",
    "\"xyzzy\"",
    "\"€\"",
];

impl Code {
    pub fn literal(&mut self, prim: Prim) -> String {
        match prim {
            Prim::Boolean => if self.rng.chance(50) { "true" } else { "false" }.into(),
            Prim::Byte | Prim::Short => format!("(({}) {})", prim.name(), self.int_literal()),
            Prim::Char if self.rng.chance(25) => format!("((char) {})", self.int_literal()),
            Prim::Char => (*self.rng.pick(&CHARS)).into(),
            Prim::Int => self.int_literal(),
            Prim::Long => self.long_literal(),
            Prim::Float => (*self.rng.pick(&FLOATS)).into(),
            Prim::Double => (*self.rng.pick(&DOUBLES)).into(),
        }
    }

    fn int_literal(&mut self) -> String {
        let value = match self.rng.below(10) {
            0..5 => *self.rng.pick(&INTS),
            5..8 => self.rng.within(-20, 20) as i32,
            8 => self.rng.within(-1000, 1000) as i32,
            _ => self.rng.next() as i32,
        };
        match self.rng.below(20) {
            0 => format!("0x{value:x}"),
            1 => format!("0{value:o}"),
            2 => format!("0b{value:b}"),
            3 if value == i32::MAX => "Integer.MAX_VALUE".into(),
            3 if value == i32::MIN => "Integer.MIN_VALUE".into(),
            3 if value >= 1000 => format!("{}_{:03}", value / 1000, value % 1000),
            _ if value < 0 => format!("({value})"),
            _ => value.to_string(),
        }
    }

    fn long_literal(&mut self) -> String {
        let value = match self.rng.below(10) {
            0..4 => *self.rng.pick(&LONGS),
            4..6 => i64::from(*self.rng.pick(&INTS)),
            6..9 => self.rng.within(-20, 20),
            _ => self.rng.next() as i64,
        };
        match self.rng.below(20) {
            0 => format!("0x{value:x}L"),
            1 => format!("0{value:o}L"),
            2 if value == i64::MAX => "Long.MAX_VALUE".into(),
            2 if value == i64::MIN => "Long.MIN_VALUE".into(),
            _ if value < 0 => format!("({value}L)"),
            _ => format!("{value}L"),
        }
    }

    pub fn text_literal(&mut self) -> String {
        (*self.rng.pick(&TEXTS)).into()
    }
}
