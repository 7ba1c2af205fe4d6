//! Makes the classes of arrays that are not arrays of the program model: those of structs, and those with several
//! dimensions.
//!
//! Such an array is an object with one array for each leaf of its elements, its *planes*. An array with several
//! dimensions has its elements in rows, and the length of each dimension in a field.

use crate::layout::INT;
use crate::loader::{ClassKind, Cs, MadeClass};
use crate::synthetic::operations;
use crate::types::{Result, Ty, TyId};
use aback_ir::builder::Builder;
use aback_ir::{ExprId, FieldId, Type};

/// The types of the planes of an array, with the paths of their leaves. Arrays of structs without fields have a plane
/// as well, because that has their length.
pub(crate) fn planes(cs: Cs, element: TyId) -> Result<Vec<(String, Type)>> {
    let leaves = cs.leaves(element)?;
    if !cs.inline_leaves(element)?.is_empty() {
        return Err(format!("an array of {}, which has an inline array", cs.name(element)));
    }
    Ok(match &leaves[..] {
        _ if !cs.is_struct(element) => vec![("elements".into(), cs.element_type(element)?)],
        [] => vec![("elements".into(), Type::Bool)],
        leaves => leaves
            .iter()
            .map(|leaf| (if leaf.path.is_empty() { "elements".into() } else { leaf.path.clone() }, leaf.ty))
            .collect(),
    })
}

/// The class of an array type.
pub(crate) fn class(cs: Cs, array: TyId) -> Result<MadeClass> {
    let superclass = Some(cs.library_class("System", "Array")?);
    let (element, rank) = match *cs.ty(array) {
        Ty::Array(element) => (element, 0),
        Ty::Grid(element, rank) => (element, rank),
        _ => return Err("no such class".into()),
    };
    let methods = operations::of(cs, array, element, rank)?;
    if rank == 0 && !cs.has_planes(element) {
        let receiver = Some(cs.ir_type(array)?);
        return Ok(MadeClass { superclass, receiver, methods, ..MadeClass::default() });
    }
    let planes = planes(cs, element)?.into_iter().map(|(path, ty)| (path, cs.program.array_of(ty)));
    let lengths = (0..rank).map(|dimension| (format!("length{dimension}"), INT));
    // Arrays of values are no arrays of other types.
    let is_final = cs.is_value(element);
    Ok(MadeClass { superclass, fields: planes.chain(lengths).collect(), is_final, methods, ..MadeClass::default() })
}

/// The array type whose class has this name, if the program has such arrays.
pub(crate) fn named(cs: Cs, name: &str) -> Option<TyId> {
    if !name.ends_with("[]") {
        return None;
    }
    let is_one = |&(array, _): &(_, _)| cs.program.type_name(Type::Array(array)) == name;
    let (_, element) = cs.program.array_types().find(is_one)?;
    cs.intern(Ty::Array(of_element(cs, element)?)).ok()
}

/// The type that a type of the program model stands for.
pub(crate) fn of_element(cs: Cs, ty: Type) -> Option<TyId> {
    Some(match ty {
        Type::Bool => cs.simple(Ty::Bool),
        crate::layout::CHAR => cs.simple(Ty::Char),
        Type::Machine { width, signed } => cs.simple(Ty::Int { width, signed }),
        Type::F32 => cs.simple(Ty::F32),
        Type::F64 => cs.simple(Ty::F64),
        Type::Class(class) => match cs.loader.kind_of(class)? {
            ClassKind::Type(ty) => ty,
            _ => return None,
        },
        Type::Array(array) => cs.intern(Ty::Array(of_element(cs, cs.program.element_type(array))?)).ok()?,
        _ => return None,
    })
}

/// The fields of an array object: those with its planes, and those with the lengths of its dimensions.
pub(crate) fn fields(cs: Cs, array: TyId, element: TyId) -> Result<(Vec<FieldId>, Vec<FieldId>)> {
    let count = planes(cs, element)?.len();
    let fields = &cs.program.class(cs.class_of(array)).fields;
    match fields.split_at_checked(count) {
        Some((planes, lengths)) => Ok((planes.to_vec(), lengths.to_vec())),
        None => Err(format!("the array type {}", cs.name(array))),
    }
}

/// The array of the program model with a leaf of the elements of an array, and the type of its elements.
pub(crate) fn plane(
    cs: Cs,
    code: &mut Builder,
    array_ty: TyId,
    element: TyId,
    array: ExprId,
    leaf: usize,
) -> (ExprId, Type) {
    let ty = planes(cs, element).ok().and_then(|planes| planes.get(leaf).map(|(_, ty)| *ty)).unwrap_or(Type::Bool);
    if !is_object(cs, array_ty) {
        return (array, ty);
    }
    let field = fields(cs, array_ty, element).ok().and_then(|(planes, _)| planes.get(leaf).copied());
    match field {
        Some(field) => (code.get(array, field, cs.program.array_of(ty)), ty),
        None => (array, ty),
    }
}

/// Whether an array is an object with planes.
pub(crate) fn is_object(cs: Cs, array: TyId) -> bool {
    match *cs.ty(array) {
        Ty::Array(element) => cs.has_planes(element),
        _ => true,
    }
}
