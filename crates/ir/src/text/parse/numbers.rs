//! Parses numbers: small ones, integers of any size, floats.

use super::names::primitive;
use super::{ParseErrorKind, Parsed, Parser};
use crate::body::Const;
use crate::program::{Program, Type};
use crate::text::MAX_DECIMAL_DIGITS;
use crate::text::lex::Token;
use crate::text::print::{CANONICAL_NAN_32, CANONICAL_NAN_64};
use num_bigint::BigInt;
use std::borrow::Borrow;

impl<'t, P: Borrow<Program>> Parser<'_, 't, P> {
    pub(super) fn small_number(&mut self, what: &str) -> Parsed<u32> {
        match self.peek() {
            Token::Number { digits, suffix: "" } => match digits.parse() {
                Ok(number) => {
                    self.bump();
                    Ok(number)
                }
                Err(_) => self.fail(ParseErrorKind::Number("this has to be a decimal number below 2^32")),
            },
            _ => self.expected(what),
        }
    }

    fn big_integer(&self, digits: &str, negative: bool) -> Parsed<BigInt> {
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        if radix == 10 && digits.len() > MAX_DECIMAL_DIGITS {
            return self.fail(ParseErrorKind::Number("integers as long as this are written in hexadecimal"));
        }
        match BigInt::parse_bytes(digits.as_bytes(), radix) {
            Some(value) => Ok(if negative { -value } else { value }),
            None => self.fail(ParseErrorKind::Number("this is not an integer")),
        }
    }

    /// An integer without a type.
    pub(super) fn plain_integer(&mut self) -> Parsed<BigInt> {
        let negative = self.eat("-");
        match *self.peek() {
            Token::Number { digits, suffix: "" } => {
                let value = self.big_integer(digits, negative)?;
                self.bump();
                Ok(value)
            }
            _ => self.expected("an integer"),
        }
    }

    pub(super) fn number(&mut self, negative: bool) -> Parsed<Const> {
        let Token::Number { digits, suffix } = *self.peek() else {
            return self.expected("a number");
        };
        let constant = match (suffix, primitive(suffix)) {
            ("", _) => Const::Int(self.big_integer(digits, negative)?, Type::Int),
            (_, Some(ty @ Type::Machine { .. })) => Const::Int(self.big_integer(digits, negative)?, ty),
            (_, Some(Type::F32)) => match digits.parse::<f32>() {
                Ok(value) if value.is_finite() => Const::F32(if negative { -value } else { value }.to_bits()),
                _ => return self.fail(ParseErrorKind::Number("this is not a number of type f32")),
            },
            (_, Some(Type::F64)) => match digits.parse::<f64>() {
                Ok(value) if value.is_finite() => Const::F64(if negative { -value } else { value }.to_bits()),
                _ => return self.fail(ParseErrorKind::Number("this is not a number of type f64")),
            },
            _ => return self.fail(ParseErrorKind::Number("there is no number type with this name")),
        };
        self.bump();
        Ok(constant)
    }

    /// The rest of `f32:inf`, `f64:-inf`, `f32:nan`, `f64:0x7ff8000000000001`, starting at the colon.
    pub(super) fn float_bits(&mut self, ty: Type) -> Parsed<Const> {
        self.expect(":")?;
        let negative = self.eat("-");
        let (inf, nan) = match ty {
            Type::F32 => (u64::from(f32::INFINITY.to_bits()), u64::from(CANONICAL_NAN_32)),
            _ => (f64::INFINITY.to_bits(), CANONICAL_NAN_64),
        };
        let sign = if ty == Type::F32 { 1 << 31 } else { 1 << 63 };
        let bits = match (self.peek(), self.word()) {
            (_, Some("inf")) => inf | if negative { sign } else { 0 },
            (_, Some("nan")) if !negative => nan,
            (Token::Number { digits, suffix: "" }, _) if !negative && digits.starts_with("0x") => {
                match u64::from_str_radix(&digits[2..], 16) {
                    Ok(bits) => bits,
                    Err(_) => return self.fail(ParseErrorKind::Number("this has too many digits")),
                }
            }
            _ => return self.expected("`inf`, `-inf`, `nan` or hexadecimal bits"),
        };
        let constant = match ty {
            Type::F32 => match u32::try_from(bits) {
                Ok(bits) => Const::F32(bits),
                Err(_) => return self.fail(ParseErrorKind::Number("this has too many digits")),
            },
            _ => Const::F64(bits),
        };
        self.bump();
        Ok(constant)
    }
}
