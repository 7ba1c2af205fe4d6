//! Decides which objects and structs of the class library may be inputs.

use crate::collections;
use crate::compiler_made;
use crate::loader::{ClassKind, Cs};
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Table, Token};
use aback_ir::FieldId;
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

/// The structs in inputs of these types of which only some values are possible: those of the library, whose constructors
/// make only some, and inline arrays. Inputs have their default values only.
pub(crate) fn restricted_structs(cs: Cs, types: impl IntoIterator<Item = TyId>) -> Vec<TyId> {
    let mut pending: Vec<TyId> = types.into_iter().collect();
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) || seen.len() > MOST_TYPES {
            continue;
        }
        match *cs.ty(ty) {
            Ty::Array(inner) | Ty::Grid(inner, _) | Ty::Ref(inner) => pending.push(inner),
            Ty::Named(..) if is_restricted(cs, ty) => found.push(ty),
            Ty::Named(declared, ref arguments) => {
                if !cs.loader.assemblies.module(declared.assembly).is_own {
                    pending.extend(arguments.iter().copied());
                    continue;
                }
                if let Ok(fields) = cs.instance_fields(ty) {
                    pending.extend(fields.iter().map(|field| field.ty));
                }
                if cs.kind(ty) != Kind::Struct {
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
    found
}

/// Whether a type is a struct of which only some values are possible. The leaf of an inline array is an array of the right
/// length only if the program made it.
fn is_restricted(cs: Cs, ty: TyId) -> bool {
    let Some((declared, _)) = cs.declared(ty).filter(|_| cs.is_struct(ty)) else { return false };
    if cs.inline_array(ty).is_some() {
        return true;
    }
    let module = cs.loader.assemblies.module(declared.assembly);
    let Ok(def) = module.assembly.type_def(declared.row) else { return true };
    let is_free = def.namespace.starts_with("System")
        && (FREE_STRUCTS.contains(&def.name) || def.name.starts_with("ValueTuple`"));
    !module.is_own && !is_free && cs.leaves(ty).map_or(true, |leaves| !leaves.is_empty())
}

/// The numbers of the leaves of a value that belong to structs of which only some values are possible.
pub(crate) fn restricted_leaves(cs: Cs, ty: TyId) -> Vec<usize> {
    let mut found = Vec::new();
    collect_restricted(cs, ty, 0, &mut found);
    found
}

fn collect_restricted(cs: Cs, ty: TyId, first: usize, found: &mut Vec<usize>) {
    let count = |ty: TyId| cs.leaves(ty).map_or(0, |leaves| leaves.len());
    if is_restricted(cs, ty) {
        return found.extend(first..first + count(ty));
    }
    let Ok(fields) = cs.instance_fields(ty) else { return };
    let mut first = first;
    for field in fields.iter().filter(|_| cs.is_struct(ty)) {
        collect_restricted(cs, field.ty, first, found);
        first += count(field.ty);
    }
}

/// Whether a field of a class is a part of a struct of which only some values are possible.
pub(crate) fn is_part_of_restricted(cs: Cs, ty: TyId, field: FieldId) -> bool {
    let Ok(fields) = cs.instance_fields(ty) else { return false };
    fields.iter().filter(|declared| cs.is_struct(declared.ty)).any(|declared| {
        let slot = cs.field(ty, declared.row);
        let part = slot.ok().and_then(|slot| slot.ids.iter().position(|&id| id == field));
        part.is_some_and(|part| restricted_leaves(cs, declared.ty).contains(&part))
    })
}

/// Whether no input is an object of exactly this type, because its class, or one from which it derives, belongs to the
/// library and has fields whose values depend on each other, or because the compiler made it for code of its own.
pub(crate) fn is_made_only(cs: Cs, ty: TyId) -> bool {
    if let Ty::Array(element) | Ty::Grid(element, _) = *cs.ty(ty) {
        return !restricted_leaves(cs, element).is_empty();
    }
    if !matches!(cs.ty(ty), Ty::Named(..)) || cs.kind(ty) == Kind::Interface {
        return false;
    }
    if cs.kind(ty) == Kind::Delegate || is_never_named(cs, ty) {
        return true;
    }
    if cs.is_value(ty) {
        return !can_be_boxed(cs, ty) || !restricted_leaves(cs, ty).is_empty();
    }
    let has_any_elements = |class: TyId| {
        cs.declared(class)
            .is_some_and(|(_, arguments)| arguments.iter().all(|&argument| restricted_leaves(cs, argument).is_empty()))
    };
    let is_in_any_state = |class: TyId| {
        collections::is_collection(cs, class) && has_any_elements(class) && collections::parts(cs, ty).is_some()
    };
    cs.bases(ty).any(|class| {
        let Some((declared, _)) = cs.declared(class) else { return true };
        let module = cs.loader.assemblies.module(declared.assembly);
        let Ok(def) = module.assembly.type_def(declared.row) else { return true };
        let is_free = def.namespace == "System" && (FREE.contains(&def.name) || def.name.starts_with("Tuple`"));
        let has_fields = || cs.instance_fields(class).is_ok_and(|fields| !fields.is_empty());
        !module.is_own && !is_free && !is_in_any_state(class) && has_fields()
    })
}

/// Whether objects of exactly this type are inputs where invariants say what their fields may be: those of classes of the
/// library, or of the program that derive from them, and the arrays in them of structs of the library. Then, the classes of
/// their comparers are loaded.
pub(crate) fn can_be_described(cs: Cs, ty: TyId) -> bool {
    match *cs.ty(ty) {
        Ty::Array(element) => {
            let declared = cs.declared(element).filter(|_| cs.is_struct(element));
            declared.is_some_and(|(declared, _)| !cs.loader.assemblies.module(declared.assembly).is_own)
        }
        Ty::Named(..) if cs.kind(ty) == Kind::Class && !is_never_named(cs, ty) => {
            cs.bases(ty).for_each(|base| collections::load_comparers(cs, base));
            true
        }
        _ => false,
    }
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
    !is_like_reference(cs, ty) && cs.nullable(ty).is_none()
}

/// Whether a type is a `ref struct`, whose values exist only in variables.
pub(crate) fn is_like_reference(cs: Cs, ty: TyId) -> bool {
    cs.declared(ty).is_some_and(|(declared, _)| {
        let token = Token::new(Table::TypeDef, declared.row);
        let name = "System.Runtime.CompilerServices.IsByRefLikeAttribute";
        cs.assembly(declared.assembly).custom_attribute(token, name).is_some()
    })
}
