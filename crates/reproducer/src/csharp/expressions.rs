//! Writes values and types as C# expressions.

use super::build::Builder;
use super::literals;
use super::plan::{Content, Value};
use crate::Unreproducible;
use aback_lang_csharp::{CsType, Shape, escaped};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Methods of the reproducer that statements call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Helper {
    Find,
    Make,
    Set,
    Get,
    Value,
    Held,
    Fill,
    Method,
    Call,
}

impl Helper {
    /// All of them, in the order in which they are written.
    pub(crate) const ALL: [Helper; 9] = [
        Helper::Find,
        Helper::Make,
        Helper::Set,
        Helper::Get,
        Helper::Value,
        Helper::Held,
        Helper::Fill,
        Helper::Method,
        Helper::Call,
    ];

    /// Its name and its source.
    pub(crate) fn source(self) -> (&'static str, &'static str) {
        match self {
            Helper::Find => ("Find", include_str!("../../csharp/Find.cs")),
            Helper::Make => ("Make", include_str!("../../csharp/Make.cs")),
            Helper::Set => ("Set", include_str!("../../csharp/Set.cs")),
            Helper::Get => ("Get", include_str!("../../csharp/Get.cs")),
            Helper::Value => ("Value", include_str!("../../csharp/Value.cs")),
            Helper::Held => ("Held", include_str!("../../csharp/Held.cs")),
            Helper::Fill => ("Fill", include_str!("../../csharp/Fill.cs")),
            Helper::Method => ("Method", include_str!("../../csharp/Method.cs")),
            Helper::Call => ("Call", include_str!("../../csharp/Call.cs")),
        }
    }
}

/// The most significant bit of the flags of a `decimal` is its sign, and eight bits from here are its scale.
const DECIMAL_SCALE: u32 = 16;
/// The greatest scale of a `decimal`.
const MOST_SCALE: u32 = 28;

impl Builder<'_> {
    /// The name of a type, if sources can name it.
    pub(crate) fn named(&self, ty: CsType) -> Option<String> {
        self.plan.declarations.source_name(ty)
    }

    /// An expression for the object of a type.
    pub(crate) fn type_object(&mut self, ty: CsType) -> Result<String, Unreproducible> {
        let declarations = self.plan.declarations;
        if let Shape::Pointer(target) = declarations.shape(ty) {
            return Ok(format!("{}.MakeByRefType()", self.type_object(target)?));
        }
        if let Some(name) = self.named(ty) {
            return Ok(format!("typeof({name})"));
        }
        let name = declarations.qualified_name(ty);
        let parts = name.as_deref().and_then(|name| name.rsplit_once(", "));
        let (name, assembly) = parts.ok_or_else(|| Unreproducible::Object("no program can name a type".into()))?;
        self.helpers.insert(Helper::Find);
        let quote = |text: &str| literals::quoted(&text.encode_utf16().collect::<Vec<_>>());
        Ok(format!("Find({}, {})", quote(name), quote(assembly)))
    }

    /// An expression for a value where its type is expected, which sources can name.
    pub(crate) fn typed(&mut self, value: &Value) -> Result<String, Unreproducible> {
        self.expression(value, false)
    }

    /// An expression for a value as an object: of exactly its type.
    pub(crate) fn boxed(&mut self, value: &Value) -> Result<String, Unreproducible> {
        self.expression(value, true)
    }

    fn expression(&mut self, value: &Value, is_exact: bool) -> Result<String, Unreproducible> {
        let shape = self.plan.declarations.shape(value.ty);
        Ok(match &value.content {
            Content::Null => "null".into(),
            Content::Bool(value) => value.to_string(),
            Content::F32(bits) => literals::float(*bits),
            Content::F64(bits) => literals::double(*bits),
            Content::Int(number) => self.integer(number, value.ty, shape, is_exact)?,
            Content::Some(inner) => {
                let text = self.boxed(inner)?;
                match self.named(value.ty) {
                    Some(name) if !is_exact => format!("({name}){text}"),
                    _ => text,
                }
            }
            Content::Struct(fields) => self.structure(value.ty, fields)?,
            Content::Ref(target) => self.reference(*target, value.ty, is_exact)?,
        })
    }

    fn integer(&mut self, number: &BigInt, ty: CsType, shape: Shape, is_exact: bool) -> Result<String, Unreproducible> {
        Ok(match shape {
            Shape::Char => literals::char(number.to_u16().unwrap_or_default()),
            Shape::Int { width, signed } => literals::integer(number, width, signed, is_exact),
            Shape::Native { signed } => {
                let word = if signed { "nint" } else { "nuint" };
                format!("unchecked(({word})({}))", literals::integer(number, 64, signed, true))
            }
            Shape::Enum(underlying) => {
                let shape = self.plan.declarations.shape(underlying);
                let is_negative = number.sign() == num_bigint::Sign::Minus;
                match self.named(ty) {
                    Some(name) => {
                        let number = self.integer(number, underlying, shape, false)?;
                        if is_negative { format!("({name})({number})") } else { format!("({name}){number}") }
                    }
                    None => {
                        let number = self.integer(number, underlying, shape, true)?;
                        format!("System.Enum.ToObject({}, {number})", self.type_object(ty)?)
                    }
                }
            }
            _ => number.to_string(),
        })
    }

    fn structure(&mut self, ty: CsType, fields: &[(String, Value)]) -> Result<String, Unreproducible> {
        let declarations = self.plan.declarations;
        let name = self.named(ty);
        if let Some(name) = &name
            && fields.is_empty()
        {
            return Ok(format!("default({name})"));
        }
        if declarations.is_decimal(ty) {
            return decimal(fields);
        }
        let declared = declarations.fields(ty).unwrap_or_default();
        let settable = |field: &str| declared.iter().find(|one| one.name == field)?.settable.clone();
        let mut parts = Vec::new();
        for (field, value) in fields {
            let name = settable(field).filter(|_| self.named(value.ty).is_some());
            parts.push(match name {
                Some(name) => format!("{} = {}", escaped(&name), self.typed(value)?),
                None => break,
            });
        }
        if let Some(name) = &name
            && parts.len() == fields.len()
            && !declarations.has_default_constructor(ty)
        {
            return Ok(format!("new {name} {{ {} }}", parts.join(", ")));
        }
        self.helpers.extend([Helper::Value, Helper::Make, Helper::Set]);
        self.is_unmade(ty);
        let mut parts = vec![self.type_object(ty)?];
        for (field, value) in fields {
            parts.push(literals::quoted(&field.encode_utf16().collect::<Vec<_>>()));
            parts.push(self.boxed(value)?);
        }
        let made = format!("Value({})", parts.join(", "));
        Ok(match name {
            Some(name) => format!("({name}){made}"),
            None => made,
        })
    }
}

/// A `decimal`, by its fields, whose names differ from version to version.
fn decimal(fields: &[(String, Value)]) -> Result<String, Unreproducible> {
    let part = |names: &[&str]| {
        let found = fields.iter().find(|(name, _)| names.contains(&name.trim_start_matches('_')));
        match found.map(|(_, value)| &value.content) {
            Some(Content::Int(number)) => number.clone(),
            _ => BigInt::ZERO,
        }
    };
    let low_half = BigInt::from(u32::MAX);
    let bits = |number: BigInt| (number & &low_half).to_u32().unwrap_or_default();
    let flags = bits(part(&["flags"]));
    let (low, high) = (part(&["lo64", "ulomidLE"]), bits(part(&["hi32", "hi"])));
    let (low, middle) = match low == BigInt::ZERO {
        true => (bits(part(&["lo"])), bits(part(&["mid"]))),
        false => (bits(low.clone()), bits(low >> 32)),
    };
    let (is_negative, scale) = (flags >> 31 == 1, (flags >> DECIMAL_SCALE) & 0xff);
    if flags & 0x7f00_ffff != 0 || scale > MOST_SCALE {
        return Err(Unreproducible::Object("no program makes a decimal with these flags".into()));
    }
    let [low, middle, high] = [low, middle, high].map(|part| part as i32);
    Ok(format!("new decimal({low}, {middle}, {high}, {is_negative}, {scale})"))
}
