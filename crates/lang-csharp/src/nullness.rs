//! Reads which references a program declares not to be null: nullable reference types, which compilers write down as
//! attributes.
//!
//! Nothing is said about values of type parameters, which may stand for types with null, about the elements of arrays and
//! collections, and about fields of structs, which have a default value.

use crate::loader::Cs;
use crate::members::MethodKey;
use crate::types::{Kind, TyId};
use aback_cil::{Assembly, Table, Token, TypeSig};
use aback_ir::FieldId;

const NULLABLE: &str = "System.Runtime.CompilerServices.NullableAttribute";
const CONTEXT: &str = "System.Runtime.CompilerServices.NullableContextAttribute";
const ALLOW: &str = "System.Diagnostics.CodeAnalysis.AllowNullAttribute";
const DISALLOW: &str = "System.Diagnostics.CodeAnalysis.DisallowNullAttribute";

/// The state of a type that is declared without `?` where nullable reference types are on. 0 stands for a type that is
/// declared where they are off, and 2 for one with `?`.
const NOT_NULL: u8 = 1;

/// Whether a parameter of the program model is one that is declared not to be null, and declarations are trusted.
pub(crate) fn has_leaf(cs: Cs, key: &MethodKey, leaf: usize) -> bool {
    let Some(signature) = cs.loader.trusts_nullness().then(|| cs.signature(key).ok()).flatten() else { return false };
    let mut next = usize::from(signature.has_this);
    for (index, &ty) in signature.params.iter().enumerate() {
        if next == leaf {
            return has_parameter(cs, key, index);
        }
        next += cs.leaves(ty).map_or(1, |leaves| leaves.len());
    }
    false
}

/// Whether a parameter of a method, counted without the receiver, is declared not to be null, and declarations are
/// trusted.
pub(crate) fn has_parameter(cs: Cs, key: &MethodKey, index: usize) -> bool {
    if !cs.loader.trusts_nullness() {
        return false;
    }
    let Ok(declared) = cs.declaration_of(key) else { return false };
    let read = cs.assembly(declared.assembly);
    let Ok(method) = read.method(key.row) else { return false };
    if !method.signature.params.get(index).is_some_and(is_reference) {
        return false;
    }
    let row = read.params(key.row).iter().find(|param| usize::from(param.sequence) == index + 1).map(|param| param.row);
    let own = row.map(|row| Token::new(Table::Param, row));
    if let Some(own) = own {
        if attribute(read, own, ALLOW).is_some() {
            return false;
        }
        if attribute(read, own, DISALLOW).is_some() {
            return true;
        }
    }
    let state = own.and_then(|own| attribute(read, own, NULLABLE));
    let state = state.or_else(|| attribute(read, Token::new(Table::MethodDef, key.row), CONTEXT));
    state.or_else(|| of_types(read, declared.row)) == Some(NOT_NULL)
}

/// Whether an instance field of a class is declared not to be null.
pub(crate) fn has_field(cs: Cs, owner: TyId, field: FieldId) -> bool {
    if cs.kind(owner) != Kind::Class {
        return false;
    }
    let (Some((declared, _)), Ok(fields)) = (cs.declared(owner), cs.instance_fields(owner)) else { return false };
    let name = &cs.program.field(field).name;
    let Some(row) = fields.iter().find(|field| field.name == *name).map(|field| field.row) else { return false };
    let read = cs.assembly(declared.assembly);
    if !read.field(row).is_ok_and(|field| is_reference(&field.signature)) {
        return false;
    }
    let state = attribute(read, Token::new(Table::Field, row), NULLABLE);
    state.or_else(|| of_types(read, declared.row)) == Some(NOT_NULL)
}

/// What a type and the types around it say about their members.
fn of_types(read: &Assembly, mut row: u32) -> Option<u8> {
    loop {
        match attribute(read, Token::new(Table::TypeDef, row), CONTEXT) {
            Some(state) => return Some(state),
            None => row = read.enclosing(row)?,
        }
    }
}

/// The first byte of an attribute's arguments, which is about the whole type and not about its parts; 0 if it has none.
fn attribute(read: &Assembly, of: Token, name: &str) -> Option<u8> {
    let found = read.custom_attribute(of, name)?;
    // ECMA-335, II.23.3: a prolog of two bytes, then a byte, or the length of an array of bytes and its elements.
    let arguments = found.value.get(2..).unwrap_or_default();
    let first = if arguments.len() >= 7 { arguments.get(4) } else { arguments.first() };
    Some(first.copied().unwrap_or(0))
}

/// Whether a type is one of references, or of variables with such a type, for whatever type arguments.
fn is_reference(ty: &TypeSig) -> bool {
    match ty {
        TypeSig::ByRef(inner) | TypeSig::Modified { inner, .. } => is_reference(inner),
        TypeSig::String | TypeSig::Object | TypeSig::Class(_) | TypeSig::SzArray(_) | TypeSig::Array { .. } => true,
        TypeSig::Generic { is_value, .. } => !is_value,
        _ => false,
    }
}
