//! Makes the code of questions about any character: what the library finds in tables, as ranges of characters.
//!
//! The library finds the properties of a character in three tables one behind the other, which for a character that is not
//! known is too hard for solvers. The ranges are those of the same tables, so that they are right for each version.

use crate::layout::CHAR;
use crate::loader::Cs;
use crate::types::TyId;
use aback_cil::{Opcode, Operand, Table};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Body, Expr, ExprId, Type};
use std::collections::BTreeMap;

/// The categories of Unicode that questions are about, as `System.Globalization.UnicodeCategory` numbers them.
const UPPER: u8 = 0;
const LOWER: u8 = 1;
const OTHER_LETTER: u8 = 4;
const DIGIT: u8 = 8;
const OTHER_NUMBER: u8 = 10;
const SPACE: u8 = 11;
const PARAGRAPH: u8 = 13;
const CONNECTOR: u8 = 18;
const OTHER_PUNCTUATION: u8 = 24;
const MATHEMATICAL: u8 = 25;
const OTHER_SYMBOL: u8 = 28;
/// The bit of a table's entry that says that a character is white space; the category is in those below.
const IS_SPACE: u8 = 0x80;
const CATEGORY: u8 = 0x1f;

/// The number of characters that have one code unit, and of all.
const SMALL: u32 = 0x1_0000;
const ALL: u32 = 0x11_0000;
/// The first character beyond ASCII.
const BEYOND_ASCII: u32 = 0x80;

/// The code of a question of `System.Char` about its category, for any character.
pub(crate) fn question(cs: Cs, name: &str, params: &[Type]) -> Option<Body> {
    let among = |from: u8, to: u8| move |entry: u8| (from..=to).contains(&(entry & CATEGORY));
    let is_space = |entry: u8| entry & IS_SPACE != 0;
    let is_letter_or_digit = move |entry: u8| among(0, OTHER_LETTER)(entry) || entry & CATEGORY == DIGIT;
    let holds: &dyn Fn(u8) -> bool = match name {
        "IsWhiteSpace" => &is_space,
        "IsUpper" => &among(UPPER, UPPER),
        "IsLower" => &among(LOWER, LOWER),
        "IsLetter" => &among(0, OTHER_LETTER),
        "IsDigit" => &among(DIGIT, DIGIT),
        "IsLetterOrDigit" => &is_letter_or_digit,
        "IsNumber" => &among(DIGIT, OTHER_NUMBER),
        "IsSeparator" => &among(SPACE, PARAGRAPH),
        "IsPunctuation" => &among(CONNECTOR, OTHER_PUNCTUATION),
        "IsSymbol" => &among(MATHEMATICAL, OTHER_SYMBOL),
        _ => return None,
    };
    if params != [CHAR] {
        return None;
    }
    let tables = Tables::of(cs)?;
    let ranges = |from: u32, to: u32| {
        let characters = (from..to).map(|character| Some(holds(tables.category(character)?).then_some(character)));
        Some(Range::covering(characters.collect::<Option<Vec<_>>>()?.into_iter().flatten()))
    };
    let mut code = Builder::new(params);
    let character = code.param(0);
    let limit = code.constant(BEYOND_ASCII.into(), CHAR);
    let is_ascii = code.binary(BinaryOp::Lt, CHAR, character, limit);
    let (ascii, beyond) = code.branch(is_ascii);
    for (block, ranges) in [(ascii, ranges(0, BEYOND_ASCII)?), (beyond, ranges(BEYOND_ASCII, SMALL)?)] {
        code.switch_to(block);
        let result = is_in(&mut code, character, CHAR, &ranges);
        code.ret(Some(result));
    }
    Some(code.finish())
}

/// The code that changes the case of any character and returns its last 16 bits. The getter `distances` has the table.
pub(crate) fn moved(cs: Cs, distances: &str, params: &[Type]) -> Option<Body> {
    let [ty] = *params else { return None };
    let tables = Tables::of(cs)?;
    let distances = tables.of_getter(distances)?;
    let moves = |from: u32, to: u32| {
        let mut moves: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for character in from..to {
            let at = 2 * tables.offset(character)?;
            let distance = u16::from_le_bytes([*distances.get(at)?, *distances.get(at + 1)?]);
            if distance != 0 {
                moves.entry(distance).or_default().push(character);
            }
        }
        Some(moves)
    };
    let mut code = Builder::new(params);
    let character = code.param(0);
    let limit = code.constant(SMALL.into(), ty);
    let is_small = code.binary(BinaryOp::Lt, ty, character, limit);
    let (small, large) = code.branch(is_small);
    for (block, ty, moves) in [(small, CHAR, moves(0, SMALL)?), (large, ty, moves(SMALL, ALL)?)] {
        code.switch_to(block);
        let unit = code.expr(Expr::Convert { from: params[0], to: CHAR, value: character });
        let asked = if ty == CHAR { unit } else { character };
        let mut result = unit;
        for (distance, characters) in moves {
            let is_moved = is_in(&mut code, asked, ty, &Range::covering(characters));
            let distance = code.constant(distance.into(), CHAR);
            let other = code.binary(BinaryOp::Add, CHAR, unit, distance);
            result = code.expr(Expr::Select(is_moved, other, result));
        }
        code.ret(Some(result));
    }
    Some(code.finish())
}

/// Characters from the first to the last one: all of them, or each second one.
struct Range {
    first: u32,
    last: u32,
    step: u32,
}

impl Range {
    /// The ranges that cover exactly these characters, which are in order.
    fn covering(characters: impl IntoIterator<Item = u32>) -> Vec<Range> {
        let mut found: Vec<Range> = Vec::new();
        for character in characters {
            match found.last_mut() {
                Some(range) if character == range.last + range.step => range.last = character,
                // The letters of many scripts are in pairs, one in upper case and one in lower case.
                Some(range) if range.first == range.last && character == range.last + 2 => {
                    (range.last, range.step) = (character, 2);
                }
                _ => found.push(Range { first: character, last: character, step: 1 }),
            }
        }
        found
    }
}

/// Whether a character, as a value of a type, is in one of the ranges.
fn is_in(code: &mut Builder, character: ExprId, ty: Type, ranges: &[Range]) -> ExprId {
    match ranges {
        [] => code.bool(false),
        [range] => {
            let (first, last) = (code.constant(range.first.into(), ty), code.constant(range.last.into(), ty));
            if range.first == range.last {
                return code.binary(BinaryOp::Eq, ty, character, first);
            }
            let from = code.binary(BinaryOp::Le, ty, first, character);
            let to = code.binary(BinaryOp::Le, ty, character, last);
            let is_within = code.binary(BinaryOp::And, Type::Bool, from, to);
            if range.step == 1 {
                return is_within;
            }
            let (one, rest) = (code.constant(1, ty), code.constant((range.first % 2).into(), ty));
            let remainder = code.binary(BinaryOp::And, ty, character, one);
            let is_one = code.binary(BinaryOp::Eq, ty, remainder, rest);
            code.binary(BinaryOp::And, Type::Bool, is_within, is_one)
        }
        _ => {
            let (lower, upper) = ranges.split_at(ranges.len() / 2);
            let (lower, upper) = (is_in(code, character, ty, lower), is_in(code, character, ty, upper));
            code.binary(BinaryOp::Or, Type::Bool, lower, upper)
        }
    }
}

/// The tables of the library, from .NET 5 on.
struct Tables<'a> {
    cs: Cs<'a>,
    owner: TyId,
    level1: &'a [u8],
    level2: &'a [u8],
    level3: &'a [u8],
    categories: &'a [u8],
}

impl<'a> Tables<'a> {
    fn of(cs: Cs<'a>) -> Option<Self> {
        let owner = cs.library("System.Globalization", "CharUnicodeInfo").ok()?;
        let tables = Tables { cs, owner, level1: &[], level2: &[], level3: &[], categories: &[] };
        Some(Tables {
            level1: tables.of_getter("get_CategoryCasingLevel1Index")?,
            level2: tables.of_getter("get_CategoryCasingLevel2Index")?,
            level3: tables.of_getter("get_CategoryCasingLevel3Index")?,
            categories: tables.of_getter("get_CategoriesValues")?,
            ..tables
        })
    }

    /// The bytes of the field to which a getter returns a span.
    fn of_getter(&self, name: &str) -> Option<&'a [u8]> {
        let key = self.cs.method_named(self.owner, name, 0)?;
        let (declared, _) = self.cs.declared(self.owner)?;
        let read = self.cs.assembly(declared.assembly);
        let body = read.body(key.row).ok()??;
        let field = body.instructions.iter().find_map(|instruction| match instruction.operand {
            Operand::Token(token) if instruction.opcode == Opcode::Ldsflda => Some(token),
            _ => None,
        })?;
        (field.table() == Some(Table::Field)).then(|| read.field_data(field.row()))?
    }

    /// The place of a character in the tables of properties (`GetCategoryCasingTableOffsetNoBoundsChecks`).
    fn offset(&self, character: u32) -> Option<usize> {
        let character = character as usize;
        let first = usize::from(*self.level1.get(character >> 9)?);
        let at = (first << 6) + (character >> 3 & 0x3e);
        let second = usize::from(u16::from_le_bytes([*self.level2.get(at)?, *self.level2.get(at + 1)?]));
        self.level3.get((second << 4) + (character & 0xf)).map(|&offset| offset.into())
    }

    fn category(&self, character: u32) -> Option<u8> {
        self.categories.get(self.offset(character)?).copied()
    }
}
