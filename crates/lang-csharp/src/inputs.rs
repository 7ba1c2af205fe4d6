//! Decides which objects and structs of the class library may be inputs.

use crate::collections;
use crate::compiler_made;
use crate::loader::{ClassKind, Cs};
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Table, Token};
use rustc_hash::FxHashSet;

/// Library classes whose objects may have any values in their fields.
const FREE: [&str; 4] = ["Object", "String", "ValueType", "Enum"];
/// Library structs whose parts may have any values, or which code keeps in the form that their constructors make.
const FREE_STRUCTS: [&str; 29] = [
    "Nullable`1",
    "ValueTuple",
    "KeyValuePair`2",
    "DateTime",
    "DateTimeOffset",
    "DateOnly",
    "TimeOnly",
    "TimeSpan",
    "Decimal",
    "Half",
    "Int128",
    "UInt128",
    "Guid",
    "Index",
    "Range",
    "Rune",
    "CancellationToken",
    "Span`1",
    "ReadOnlySpan`1",
    "Complex",
    "Vector2",
    "Vector3",
    "Vector4",
    "Point",
    "PointF",
    "Size",
    "SizeF",
    "Rectangle",
    "RectangleF",
];
/// Most types that are examined for an entry point.
const MOST_TYPES: usize = 4096;

/// A struct that inputs of these types may have, although not all values of its leaves are possible: one of the library,
/// whose constructors make only some, or an inline array.
pub(crate) fn restricted_struct(cs: Cs, types: impl IntoIterator<Item = TyId>) -> Option<TyId> {
    let mut pending: Vec<TyId> = types.into_iter().collect();
    let mut seen = FxHashSet::default();
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) || seen.len() > MOST_TYPES {
            continue;
        }
        match *cs.ty(ty) {
            Ty::Array(inner) | Ty::Grid(inner, _) | Ty::Ref(inner) => pending.push(inner),
            Ty::Named(declared, ref arguments) => {
                let module = cs.loader.assemblies.module(declared.assembly);
                let def = module.assembly.type_def(declared.row).ok()?;
                let is_struct = cs.kind(ty) == Kind::Struct;
                // Its leaf is an array of the right length only if the program made it.
                if is_struct && cs.inline_array(ty).is_some() {
                    return Some(ty);
                }
                let is_free = def.namespace.starts_with("System")
                    && (FREE_STRUCTS.contains(&def.name) || def.name.starts_with("ValueTuple`"));
                if !module.is_own {
                    if is_struct && !is_free && cs.leaves(ty).is_ok_and(|leaves| !leaves.is_empty()) {
                        return Some(ty);
                    }
                    pending.extend(arguments.iter().copied());
                    continue;
                }
                if let Ok(fields) = cs.instance_fields(ty) {
                    pending.extend(fields.iter().map(|field| field.ty));
                }
                if !is_struct {
                    let below = cs.program.subclasses(cs.class_of(ty));
                    pending.extend(below.into_iter().filter_map(|class| match cs.loader.kind_of(class) {
                        Some(ClassKind::Type(ty)) => Some(ty),
                        _ => None,
                    }));
                    pending.extend(cs.base(ty));
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether no input is an object of exactly this type, because its class, or one from which it derives, belongs to the
/// library and has fields whose values depend on each other, or because the compiler made it for code of its own.
pub(crate) fn is_made_only(cs: Cs, ty: TyId) -> bool {
    if !matches!(cs.ty(ty), Ty::Named(..)) || cs.kind(ty) == Kind::Interface {
        return false;
    }
    if cs.kind(ty) == Kind::Delegate || is_never_named(cs, ty) {
        return true;
    }
    if cs.is_value(ty) {
        return !can_be_boxed(cs, ty) || restricted_struct(cs, [ty]).is_some();
    }
    let is_in_any_state = |class: TyId| collections::is_collection(cs, class) && collections::parts(cs, ty).is_some();
    cs.bases(ty).any(|class| {
        let Some((declared, _)) = cs.declared(class) else { return true };
        let module = cs.loader.assemblies.module(declared.assembly);
        let Ok(def) = module.assembly.type_def(declared.row) else { return true };
        let is_free = def.namespace == "System" && (FREE.contains(&def.name) || def.name.starts_with("Tuple`"));
        let has_fields = || cs.instance_fields(class).is_ok_and(|fields| !fields.is_empty());
        !module.is_own && !is_free && !is_in_any_state(class) && has_fields()
    })
}

/// Whether arrays of references have elements of this type: not if its values are elements themselves, or if it has no
/// objects that code could name.
pub(crate) fn is_element_type(cs: Cs, ty: TyId) -> bool {
    let is_static = || {
        cs.declared(ty).is_some_and(|(declared, _)| {
            let def = cs.assembly(declared.assembly).type_def(declared.row);
            def.is_ok_and(|def| def.is_abstract() && def.is_sealed() && !def.is_interface())
        })
    };
    !cs.is_value(ty) && !is_never_named(cs, ty) && !is_static()
}

/// Whether the compiler made a class for code or data of its own, and no program can name it.
fn is_never_named(cs: Cs, ty: TyId) -> bool {
    let holds_members = |name: &str| name == "<Module>" || name.starts_with("<PrivateImplementationDetails>");
    let name = cs.declared(ty).and_then(|(declared, _)| {
        let def = cs.assembly(declared.assembly).type_def(declared.row).ok()?;
        Some(def.name)
    });
    compiler_made::made_for(cs, ty).is_some() || name.is_some_and(holds_members)
}

/// Whether boxes of a struct exist: a nullable value becomes a box of its value, and a struct that is like a reference
/// has no boxes.
fn can_be_boxed(cs: Cs, ty: TyId) -> bool {
    let Some((declared, _)) = cs.declared(ty) else { return true };
    let read = cs.assembly(declared.assembly);
    let attributes = read.custom_attributes(Token::new(Table::TypeDef, declared.row));
    let is_like_reference = attributes.iter().any(|attribute| {
        let class = read.attribute_class(attribute).and_then(|class| read.full_name(class));
        class.as_deref() == Some("System.Runtime.CompilerServices.IsByRefLikeAttribute")
    });
    !is_like_reference && cs.nullable(ty).is_none()
}
