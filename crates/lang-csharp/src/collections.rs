//! Knows the library's collections that consist of an array and numbers, so that inputs can be in any valid state.

use crate::assemblies::Assemblies;
use crate::forms;
use crate::loader::Cs;
use crate::synthetic::arrays;
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Assembly, Table};
use aback_ir::{Collection, Extent, FieldId, OwnedArrays, Sequence, SequenceEnd, Walk};

/// The fields of a collection.
struct Declared {
    name: &'static str,
    array: &'static str,
    /// How many elements are in use.
    count: &'static str,
    /// The index behind the last element in use.
    end: Option<&'static str>,
    /// The index of the first element in use, which no program can find out.
    first: Option<&'static str>,
}

/// The version that enumerators compare. No program can find it out.
const VERSION: &str = "_version";
const NAMESPACE: &str = "System.Collections.Generic";

/// These fields are the same in all runtimes since .NET Core 2.0. The library's own code never leaves them in another
/// state, also if a call fails, gives the array to nobody else, and does not look at elements that are not in use.
const COLLECTIONS: [Declared; 3] = [
    Declared { name: "List`1", array: "_items", count: "_size", end: None, first: None },
    Declared { name: "Stack`1", array: "_array", count: "_size", end: None, first: None },
    Declared { name: "Queue`1", array: "_array", count: "_size", end: Some("_tail"), first: Some("_head") },
];

/// The library's members with which a program can find out how long the array of a collection is.
const SHOWING_LENGTH: [&str; 4] = ["get_Capacity", "set_Capacity", "EnsureCapacity", "TrimExcess"];
/// The library's class with which a program can look at elements that are not in use.
const SHOWING_ARRAY: &str = "CollectionsMarshal";

/// What the user's code names of the library.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// Whether it may find out how long the arrays of collections are.
    length: bool,
    /// Whether it may look at elements that are not in use.
    array: bool,
}

impl Shown {
    pub(crate) fn by(assemblies: &Assemblies) -> Shown {
        let is_shown = |read: &Assembly, row| read.type_ref(row).is_ok_and(|class| class.name == SHOWING_ARRAY);
        let shows = |read: &Assembly| (1..=read.rows(Table::TypeRef)).any(|row| is_shown(read, row));
        Shown {
            length: assemblies.own_code_names(&SHOWING_LENGTH),
            array: assemblies.own().into_iter().any(|id| shows(assemblies.assembly(id))),
        }
    }
}

fn declared(cs: Cs, ty: TyId) -> Option<&'static Declared> {
    let (declared, _) = cs.declared(ty)?;
    let def = cs.assembly(declared.assembly).type_def(declared.row).ok()?;
    let is_library = !cs.loader.assemblies.module(declared.assembly).is_own;
    COLLECTIONS.iter().find(|known| is_library && def.namespace == NAMESPACE && def.name == known.name)
}

/// Whether a type is such a collection itself. Only the program derives classes from these that callers can have.
pub(crate) fn is_collection(cs: Cs, ty: TyId) -> bool {
    declared(cs, ty).is_some()
}

/// The class among those from which a class derives, or the class itself, that is such a collection.
fn base(cs: Cs, ty: TyId) -> Option<(TyId, &'static Declared)> {
    let mut bases = cs.bases(ty).filter(|_| !cs.loader.shown().array);
    bases.find_map(|base| Some((base, declared(cs, base)?)))
}

fn field(cs: Cs, base: TyId, name: &str) -> Option<FieldId> {
    match cs.field(base, cs.field_named(base, name)?).ok()?.ids[..] {
        [id] => Some(id),
        _ => None,
    }
}

/// The parts of the objects of a class that is or derives from such a collection. How long the array is matters only if
/// the user's code can find it out: if it cannot, it is as long as possible, so that no element that the code adds needs
/// a longer one.
pub(crate) fn parts(cs: Cs, ty: TyId) -> Option<OwnedArrays> {
    let (base, known) = base(cs, ty)?;
    let field = |name| field(cs, base, name);
    let end = match known.end {
        Some(end) => Some(field(end)?),
        None => None,
    };
    let extent = Extent::Used { count: field(known.count)?, end, is_longest: !cs.loader.shown().length };
    Some(OwnedArrays { arrays: vec![field(known.array)?], extent })
}

/// Whether a field of a collection is taken to be zero, because no program can find out its value.
pub(crate) fn is_unset(cs: Cs, ty: TyId, name: &str) -> bool {
    let is_one = |known: &Declared| name == VERSION || known.first == Some(name);
    COLLECTIONS.iter().any(is_one) && declared(cs, ty).is_some_and(is_one)
}

/// Where the elements of such a collection are.
pub(crate) fn sequence(cs: Cs, ty: TyId) -> Option<Sequence> {
    let known = declared(cs, ty)?;
    let array = cs.field(ty, cs.field_named(ty, known.array)?).ok()?.ty;
    let Ty::Array(element) = *cs.ty(array) else { return None };
    let planes = match arrays::is_object(cs, array) {
        true => arrays::fields(cs, array, element).ok()?.0,
        false => Vec::new(),
    };
    let first = match known.first {
        Some(first) => Some(field(cs, ty, first)?),
        None => None,
    };
    let form = forms::form(cs, element)?;
    Some(Sequence {
        form,
        array: field(cs, ty, known.array)?,
        planes,
        first,
        end: SequenceEnd::Count(field(cs, ty, known.count)?),
    })
}

/// How a collection of the library is shown whose elements are in entries or objects of their own.
pub(crate) fn linked(cs: Cs, ty: TyId) -> Option<Collection> {
    let (declared, _) = cs.declared(ty)?;
    let module = cs.loader.assemblies.module(declared.assembly);
    let def = module.assembly.type_def(declared.row).ok()?;
    if module.is_own || def.namespace != NAMESPACE {
        return None;
    }
    // The type of a field, with the fields of the program model for it.
    let slot = |owner: TyId, name: &str| {
        let slot = cs.field(owner, cs.field_named(owner, name)?).ok()?;
        Some((slot.ty, slot.ids.clone()))
    };
    let nested = |owner: TyId, name: &str| Some((slot(owner, name)?.0, single(cs, owner, name)?));
    match def.name {
        "Dictionary`2" => entries(cs, ty, "_entries", "_count", "next", &["key", "value"]),
        "HashSet`1" => entries(cs, ty, "_entries", "_count", "Next", &["Value"]),
        "LinkedList`1" => {
            let (node, head) = nested(ty, "head")?;
            let (item, ids) = slot(node, "item")?;
            Some(Collection {
                start: vec![head],
                walk: Walk::Chain(single(cs, node, "next")?),
                count: vec![single(cs, ty, "count")?],
                parts: vec![(forms::form(cs, item)?, ids)],
                is_list: true,
            })
        }
        "SortedSet`1" => {
            let (node, root) = nested(ty, "root")?;
            let (item, ids) = slot(node, "<Item>k__BackingField").or_else(|| slot(node, "Item"))?;
            Some(Collection {
                start: vec![root],
                walk: Walk::Tree(child(cs, node, "Left")?, child(cs, node, "Right")?),
                count: vec![single(cs, ty, "count")?],
                parts: vec![(forms::form(cs, item)?, ids)],
                is_list: false,
            })
        }
        "SortedDictionary`2" => {
            let (set, of_set) = nested(ty, "_set")?;
            let base = cs.bases(set).find(|&base| cs.field_named(base, "root").is_some())?;
            let (node, root) = nested(base, "root")?;
            let (pair, ids) = slot(node, "<Item>k__BackingField").or_else(|| slot(node, "Item"))?;
            let mut rest = &ids[..];
            let mut parts = Vec::new();
            for field in cs.instance_fields(pair).ok()?.iter() {
                let (own, others) = rest.split_at_checked(cs.leaves(field.ty).ok()?.len())?;
                parts.push((forms::form(cs, field.ty)?, own.to_vec()));
                rest = others;
            }
            Some(Collection {
                start: vec![of_set, root],
                walk: Walk::Tree(child(cs, node, "Left")?, child(cs, node, "Right")?),
                count: vec![of_set, single(cs, base, "count")?],
                parts,
                is_list: false,
            })
        }
        _ => None,
    }
}

/// The class of the comparer that the library uses for values of a type, of their order or of whether they are equal.
pub(crate) fn default_comparer(cs: Cs, ty: TyId, is_order: bool) -> Result<TyId, String> {
    let has = |of: TyId, name: &str| {
        cs.generic_library("System", name, &[of])
            .is_ok_and(|wanted| crate::dispatch::all_interfaces(cs, of).contains(&wanted))
    };
    let wanted = if is_order { "IComparable`1" } else { "IEquatable`1" };
    let (name, argument) = match (is_order, cs.nullable(ty)) {
        (false, Some(inner)) if has(inner, wanted) => ("NullableEqualityComparer`1", inner),
        (true, Some(inner)) if has(inner, wanted) => ("NullableComparer`1", inner),
        (false, None) if matches!(cs.kind(ty), Kind::Enum(_)) => ("EnumEqualityComparer`1", ty),
        (true, None) if matches!(cs.kind(ty), Kind::Enum(_)) => ("EnumComparer`1", ty),
        (false, None) if has(ty, wanted) => ("GenericEqualityComparer`1", ty),
        (true, None) if has(ty, wanted) => ("GenericComparer`1", ty),
        (false, _) => ("ObjectEqualityComparer`1", ty),
        (true, _) => ("ObjectComparer`1", ty),
    };
    cs.generic_library(NAMESPACE, name, &[argument])
}

/// Loads the classes of the comparers that the library gives objects of a class by default, so that inputs can have them.
pub(crate) fn load_comparers(cs: Cs, ty: TyId) {
    for field in cs.instance_fields(ty).iter().flat_map(|fields| fields.iter()) {
        let Some((declared, arguments)) = cs.declared(field.ty) else { continue };
        let module = cs.loader.assemblies.module(declared.assembly);
        let is_order = match module.assembly.type_def(declared.row) {
            Ok(def) if def.namespace == NAMESPACE && def.name == "IComparer`1" => true,
            Ok(def) if def.namespace == NAMESPACE && def.name == "IEqualityComparer`1" => false,
            _ => continue,
        };
        if let [of] = arguments[..]
            && let Ok(comparer) = default_comparer(cs, of, is_order)
        {
            cs.program.class(cs.class_of(comparer));
        }
    }
}

fn child(cs: Cs, node: TyId, name: &str) -> Option<FieldId> {
    single(cs, node, &format!("<{name}>k__BackingField")).or_else(|| single(cs, node, name))
}

/// A field that is one field of the program model.
fn single(cs: Cs, owner: TyId, name: &str) -> Option<FieldId> {
    cs.field_named(owner, name)?;
    field(cs, owner, name)
}

/// A collection with an array of entries.
fn entries(cs: Cs, ty: TyId, array: &str, count: &str, next: &str, parts: &[&str]) -> Option<Collection> {
    let of_array = cs.field(ty, cs.field_named(ty, array)?).ok()?.ty;
    let Ty::Array(entry) = *cs.ty(of_array) else { return None };
    let planes = arrays::fields(cs, of_array, entry).ok()?.0;
    let mut rest = &planes[..];
    let mut found = Vec::new();
    let mut of_next = None;
    for declared in cs.instance_fields(entry).ok()?.iter() {
        let (own, others) = rest.split_at_checked(cs.leaves(declared.ty).ok()?.len())?;
        rest = others;
        if declared.name == next {
            of_next = own.first().copied();
        } else if parts.contains(&&*declared.name) {
            found.push((forms::form(cs, declared.ty)?, own.to_vec()));
        }
    }
    Some(Collection {
        start: vec![field(cs, ty, array)?],
        walk: Walk::Entries(of_next?),
        count: vec![field(cs, ty, count)?],
        parts: found,
        is_list: false,
    })
}
