//! Which types does a signature name?

use crate::bytes::Reader;
use crate::malformed::Malformed;
use crate::tables::{TYPE_DEF_OR_REF, Token};

/// A type in a signature (ECMA-335, II.23.2.12).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeSig {
    /// `void`, as a result and behind pointers.
    Void,
    /// `bool`
    Bool,
    /// `char`, a UTF-16 unit.
    Char,
    /// `sbyte`
    I1,
    /// `byte`
    U1,
    /// `short`
    I2,
    /// `ushort`
    U2,
    /// `int`
    I4,
    /// `uint`
    U4,
    /// `long`
    I8,
    /// `ulong`
    U8,
    /// `float`
    R4,
    /// `double`
    R8,
    /// `System.String`
    String,
    /// `System.Object`
    Object,
    /// `nint`
    NativeInt,
    /// `nuint`
    NativeUint,
    /// `System.TypedReference`
    TypedReference,
    /// A class, interface or delegate that is not generic: a `TypeDef`, `TypeRef` or `TypeSpec`.
    Class(Token),
    /// A struct or enum that is not generic: a `TypeDef`, `TypeRef` or `TypeSpec`.
    ValueType(Token),
    /// A vector: an array of one dimension that starts at 0.
    SzArray(Box<TypeSig>),
    /// Any other array. Sizes and lower bounds of its dimensions are left out, as no language sets them.
    Array {
        /// Type of the elements.
        element: Box<TypeSig>,
        /// Number of dimensions.
        rank: u32,
    },
    /// An unmanaged pointer.
    Pointer(Box<TypeSig>),
    /// A managed pointer: `ref`, `in` or `out`.
    ByRef(Box<TypeSig>),
    /// An instance of a generic type.
    Generic {
        /// Whether the type is a struct.
        is_value: bool,
        /// The generic type.
        definition: Token,
        /// What its parameters stand for.
        arguments: Vec<TypeSig>,
    },
    /// A parameter of the generic type around, from 0.
    TypeParam(u32),
    /// A parameter of the generic method around, from 0.
    MethodParam(u32),
    /// A pointer to a method.
    FunctionPointer(Box<MethodSig>),
    /// A local variable whose referent must not move.
    Pinned(Box<TypeSig>),
    /// A type with a custom modifier, as in `volatile` fields and `init` accessors.
    Modified {
        /// Whether a caller must understand the modifier (`modreq`).
        is_required: bool,
        /// The modifier, a type.
        modifier: Token,
        /// The type itself.
        inner: Box<TypeSig>,
    },
}

impl TypeSig {
    /// The type without the modifiers around it, and not pinned.
    pub fn unmodified(&self) -> &TypeSig {
        let mut sig = self;
        while let TypeSig::Modified { inner, .. } | TypeSig::Pinned(inner) = sig {
            sig = inner;
        }
        sig
    }
}

/// Signature of a method or property (ECMA-335, II.23.2.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodSig {
    /// Whether an instance is passed ahead of the parameters.
    pub has_this: bool,
    /// Number of parameters of a generic method, else 0.
    pub generic_arity: u32,
    /// Whether a caller may pass more arguments. At a call site their types follow the others in `params`.
    pub is_vararg: bool,
    /// Type of the result.
    pub result: TypeSig,
    /// Types of the parameters, without the instance.
    pub params: Vec<TypeSig>,
}

/// Signature of a member elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemberSig {
    /// The type of a field.
    Field(TypeSig),
    /// The signature of a method.
    Method(MethodSig),
}

/// A signature that no member has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StandAloneSig {
    /// The types of a body's local variables.
    Locals(Vec<TypeSig>),
    /// What `calli` calls.
    Method(MethodSig),
    /// The type of a constant in a debugger's data.
    Field(TypeSig),
}

/// Types are not nested more deeply in any sensible program, and the stack must hold the levels.
const DEPTH: u32 = 128;

const FIELD: u8 = 0x06;
const LOCALS: u8 = 0x07;
const PROPERTY: u8 = 0x08;
const METHOD_SPEC: u8 = 0x0a;
const VARARG: u8 = 0x05;
const GENERIC: u8 = 0x10;
const HAS_THIS: u8 = 0x20;
const SENTINEL: u8 = 0x41;

pub(crate) fn type_spec(mut reader: Reader<'_>) -> Result<TypeSig, Malformed> {
    type_sig(&mut reader, 0)
}

pub(crate) fn field(mut reader: Reader<'_>) -> Result<TypeSig, Malformed> {
    match reader.u8()? & 0x0f {
        FIELD => type_sig(&mut reader, 0),
        _ => Err(reader.error("this is no field's signature")),
    }
}

pub(crate) fn method(mut reader: Reader<'_>) -> Result<MethodSig, Malformed> {
    method_sig(&mut reader, 0)
}

pub(crate) fn property(mut reader: Reader<'_>) -> Result<MethodSig, Malformed> {
    let convention = reader.u8()?;
    if convention & 0x0f != PROPERTY {
        return Err(reader.error("this is no property's signature"));
    }
    rest_of_method(&mut reader, convention, 0)
}

pub(crate) fn member(reader: Reader<'_>) -> Result<MemberSig, Malformed> {
    match reader.peek() {
        Some(convention) if convention & 0x0f == FIELD => field(reader).map(MemberSig::Field),
        _ => method(reader).map(MemberSig::Method),
    }
}

pub(crate) fn stand_alone(mut reader: Reader<'_>) -> Result<StandAloneSig, Malformed> {
    match reader.peek().map(|convention| convention & 0x0f) {
        Some(LOCALS) => {
            reader.u8()?;
            types(&mut reader, 0).map(StandAloneSig::Locals)
        }
        Some(FIELD) => field(reader).map(StandAloneSig::Field),
        _ => method(reader).map(StandAloneSig::Method),
    }
}

pub(crate) fn method_spec(mut reader: Reader<'_>) -> Result<Vec<TypeSig>, Malformed> {
    match reader.u8()? {
        METHOD_SPEC => types(&mut reader, 0),
        _ => Err(reader.error("this is no instance of a generic method")),
    }
}

fn method_sig(reader: &mut Reader<'_>, depth: u32) -> Result<MethodSig, Malformed> {
    let convention = reader.u8()?;
    match convention & 0x0f {
        0..=VARARG | 0x09 => rest_of_method(reader, convention, depth),
        _ => Err(reader.error("this is no method's signature")),
    }
}

/// Reads on behind the calling convention.
fn rest_of_method(reader: &mut Reader<'_>, convention: u8, depth: u32) -> Result<MethodSig, Malformed> {
    let generic_arity = if convention & GENERIC != 0 { reader.compressed()? } else { 0 };
    let count = length(reader)?;
    let result = type_sig(reader, depth)?;
    let mut params = Vec::with_capacity(count);
    for _ in 0..count {
        if reader.peek() == Some(SENTINEL) {
            reader.u8()?;
        }
        params.push(type_sig(reader, depth)?);
    }
    let has_this = convention & HAS_THIS != 0;
    Ok(MethodSig { has_this, generic_arity, is_vararg: convention & 0x0f == VARARG, result, params })
}

/// A number of items that follow, each of which has a byte at least.
fn length(reader: &mut Reader<'_>) -> Result<usize, Malformed> {
    let count = reader.compressed()? as usize;
    if count > reader.remaining() { Err(reader.error("a signature announces more than it holds")) } else { Ok(count) }
}

/// A number of types and the types.
fn types(reader: &mut Reader<'_>, depth: u32) -> Result<Vec<TypeSig>, Malformed> {
    let count = length(reader)?;
    (0..count).map(|_| type_sig(reader, depth)).collect()
}

fn type_token(reader: &mut Reader<'_>) -> Result<Token, Malformed> {
    let value = reader.compressed()?;
    TYPE_DEF_OR_REF
        .decode(value)
        .filter(|token| token.row() != 0)
        .ok_or_else(|| reader.error("a signature names no type"))
}

/// The type of numbers, characters or truth values with this code (ECMA-335, II.23.1.16).
pub(crate) fn primitive(code: u8) -> Option<TypeSig> {
    Some(match code {
        0x02 => TypeSig::Bool,
        0x03 => TypeSig::Char,
        0x04 => TypeSig::I1,
        0x05 => TypeSig::U1,
        0x06 => TypeSig::I2,
        0x07 => TypeSig::U2,
        0x08 => TypeSig::I4,
        0x09 => TypeSig::U4,
        0x0a => TypeSig::I8,
        0x0b => TypeSig::U8,
        0x0c => TypeSig::R4,
        0x0d => TypeSig::R8,
        _ => return None,
    })
}

fn type_sig(reader: &mut Reader<'_>, depth: u32) -> Result<TypeSig, Malformed> {
    if depth == DEPTH {
        return Err(reader.error("a signature is nested too deeply"));
    }
    let inner = |reader: &mut Reader<'_>| type_sig(reader, depth + 1).map(Box::new);
    let code = reader.u8()?;
    if let Some(primitive) = primitive(code) {
        return Ok(primitive);
    }
    Ok(match code {
        0x01 => TypeSig::Void,
        0x0e => TypeSig::String,
        0x0f => TypeSig::Pointer(inner(reader)?),
        0x10 => TypeSig::ByRef(inner(reader)?),
        0x11 => TypeSig::ValueType(type_token(reader)?),
        0x12 => TypeSig::Class(type_token(reader)?),
        0x13 => TypeSig::TypeParam(reader.compressed()?),
        0x14 => array(reader, depth)?,
        0x15 => {
            let is_value = match reader.u8()? {
                0x11 => true,
                0x12 => false,
                _ => return Err(reader.error("only a class or struct can be generic")),
            };
            let definition = type_token(reader)?;
            TypeSig::Generic { is_value, definition, arguments: types(reader, depth + 1)? }
        }
        0x16 => TypeSig::TypedReference,
        0x18 => TypeSig::NativeInt,
        0x19 => TypeSig::NativeUint,
        0x1b => TypeSig::FunctionPointer(Box::new(method_sig(reader, depth + 1)?)),
        0x1c => TypeSig::Object,
        0x1d => TypeSig::SzArray(inner(reader)?),
        0x1e => TypeSig::MethodParam(reader.compressed()?),
        code @ (0x1f | 0x20) => {
            let modifier = type_token(reader)?;
            TypeSig::Modified { is_required: code == 0x1f, modifier, inner: inner(reader)? }
        }
        0x45 => TypeSig::Pinned(inner(reader)?),
        _ => return Err(reader.error("a signature has an unknown kind of type")),
    })
}

fn array(reader: &mut Reader<'_>, depth: u32) -> Result<TypeSig, Malformed> {
    let element = Box::new(type_sig(reader, depth + 1)?);
    let rank = reader.compressed()?;
    for _ in 0..length(reader)? {
        reader.compressed()?;
    }
    for _ in 0..length(reader)? {
        reader.compressed_signed()?;
    }
    Ok(TypeSig::Array { element, rank })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Table;

    fn check(bytes: &[u8], expected: Result<TypeSig, &str>) {
        let answer = type_spec(Reader::new(bytes, 0)).map_err(|malformed| malformed.to_string());
        assert_eq!(answer, expected.map_err(str::to_owned), "{bytes:x?}");
    }

    #[test]
    fn types() {
        let list = Token::new(Table::TypeRef, 1);
        let object = || Box::new(TypeSig::Object);
        check(&[0x1d, 0x1c], Ok(TypeSig::SzArray(object())));
        check(&[0x14, 0x1c, 2, 1, 3, 2, 0, 0x7f], Ok(TypeSig::Array { element: object(), rank: 2 }));
        let arguments = vec![TypeSig::TypeParam(0), TypeSig::MethodParam(1)];
        check(
            &[0x15, 0x12, 5, 2, 0x13, 0, 0x1e, 1],
            Ok(TypeSig::Generic { is_value: false, definition: list, arguments }),
        );
        check(&[0x1f, 5, 0x1c], Ok(TypeSig::Modified { is_required: true, modifier: list, inner: object() }));
        let sig = MethodSig {
            has_this: true,
            generic_arity: 0,
            is_vararg: true,
            result: TypeSig::Void,
            params: vec![TypeSig::I4],
        };
        check(&[0x1b, 0x25, 1, 1, SENTINEL, 8], Ok(TypeSig::FunctionPointer(Box::new(sig))));
    }

    #[test]
    fn broken_types() {
        check(&[], Err("the data end too early, at byte 0x0"));
        check(&[0x17], Err("a signature has an unknown kind of type, at byte 0x1"));
        check(&[0x12, 0x07], Err("a signature names no type, at byte 0x2"));
        check(&[0x12, 0x00], Err("a signature names no type, at byte 0x2"));
        check(&[0x15, 0x12, 5, 0xdf, 0xff, 0xff, 0xff], Err("a signature announces more than it holds, at byte 0x7"));
        for code in [0x0f, 0x10, 0x14, 0x1d, 0x45] {
            check(&[code; 4096], Err("a signature is nested too deeply, at byte 0x80"));
        }
        check(&[0x1b, 0, 0].repeat(1000), Err("a signature is nested too deeply, at byte 0x180"));
    }
}
