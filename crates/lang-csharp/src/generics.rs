//! Makes instances of generic methods, and of methods of generic types, as entry points.
//!
//! The user names the type arguments, as in `Box<int>.Get`, or a representative takes their place: the first of a few
//! types that satisfies the constraints of the type parameter. A proof then is about the representative only.

use crate::assemblies::{AssemblyId, TypeDefId};
use crate::dispatch::all_interfaces;
use crate::loader::{ClassKind, Cs};
use crate::members::MethodKey;
use crate::types::{Generics, Kind, Ty, TyId, declared_name};
use aback_cil::{GenericParam, Table, Token};
use aback_ir::{FieldId, MethodId};

/// A part of a name: an identifier, perhaps with type arguments.
struct Part<'t> {
    name: &'t str,
    arguments: Option<Vec<&'t str>>,
}

/// The parts of a name between its dots; those in type arguments do not count. `None` if brackets do not match.
fn parts(name: &str) -> Option<Vec<Part<'_>>> {
    split(name, '.')?.into_iter().map(part).collect()
}

fn part(text: &str) -> Option<Part<'_>> {
    let text = text.trim();
    // The names of constructors in the program model.
    if text.starts_with('<') {
        return Some(Part { name: text, arguments: None });
    }
    match text.split_once('<') {
        None => Some(Part { name: text, arguments: None }),
        Some((name, rest)) => {
            let arguments = split(rest.strip_suffix('>')?, ',')?;
            Some(Part { name: name.trim_end(), arguments: Some(arguments.into_iter().map(str::trim).collect()) })
        }
    }
}

/// The parts of a text between separators outside of brackets.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, char) in text.char_indices() {
        match char {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.checked_sub(1)?,
            _ if char == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + char.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (depth == 0).then_some(parts)
}

/// The methods of the program that a name means, with its type arguments or with representatives. Methods without type
/// parameters in types without type parameters are not among them. Their code is read.
pub(crate) fn instances(cs: Cs, name: &str) -> Vec<MethodId> {
    let Some(parts) = parts(name) else { return Vec::new() };
    let Some((method, class)) = parts.split_last().filter(|(_, class)| !class.is_empty()) else { return Vec::new() };
    let path: Vec<&str> = class.iter().map(|part| part.name).collect();
    let path = path.join(".");
    let given: Vec<&str> = class.iter().filter_map(|part| part.arguments.as_ref()).flatten().copied().collect();
    let mut found = Vec::new();
    for declared in own_types(cs) {
        let full = declared_name(&cs.loader.assemblies, declared);
        if !full.strip_suffix(&path).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')) {
            continue;
        }
        let params = type_params(cs, declared);
        let Some(arguments) = chosen(cs, declared.assembly, &params, &given, None) else { continue };
        let owner = cs.named(declared, arguments.into());
        let read = cs.assembly(declared.assembly);
        let Ok(def) = read.type_def(declared.row) else { continue };
        let is_constructor = method.name == "<init>" || path.ends_with(method.name) && ends_in(&path, method.name);
        for row in def.methods {
            let wanted = |own: &str| own == method.name || own == ".ctor" && is_constructor;
            if read.method_name(row).is_ok_and(wanted) {
                let given = method.arguments.as_deref().unwrap_or_default();
                found.extend(instance(cs, owner, row, given));
            }
        }
    }
    cs.read_code();
    found
}

fn ends_in(path: &str, name: &str) -> bool {
    path.rsplit('.').next() == Some(name)
}

/// An instance of a method of a type, if one of them has type parameters.
fn instance(cs: Cs, owner: TyId, row: u32, given: &[&str]) -> Option<MethodId> {
    let (declared, outer) = cs.declared(owner)?;
    let read = cs.assembly(declared.assembly);
    let params = read.generic_params(Token::new(Table::MethodDef, row));
    if params.is_empty() && outer.is_empty() {
        return None;
    }
    let arguments = chosen(cs, declared.assembly, &params, given, Some(&outer))?;
    let key = MethodKey { owner, row, arguments: arguments.into() };
    let method = cs.method(&key);
    (!cs.program.method(method).is_abstract).then_some(method)
}

/// Makes a representative of each generic method of the program that callers or libraries can call, and of each such
/// method of a generic type: a question about a line can start there, and it may change static fields.
pub(crate) fn make_representatives(cs: Cs) {
    for declared in own_types(cs) {
        let read = cs.assembly(declared.assembly);
        let Ok(def) = read.type_def(declared.row) else { continue };
        let params = type_params(cs, declared);
        let Some(arguments) = chosen(cs, declared.assembly, &params, &[], None) else { continue };
        let owner = cs.named(declared, arguments.into());
        for row in def.methods {
            let is_open =
                |method: aback_cil::MethodDef| method.access() == aback_cil::Access::Public || method.is_virtual();
            if read.method(row).is_ok_and(is_open) {
                instance(cs, owner, row, &[]);
            }
        }
    }
    cs.read_code();
}

/// Whether a method has type arguments, or its type does.
pub(crate) fn is_instance(cs: Cs, key: &MethodKey) -> bool {
    !key.arguments.is_empty() || cs.declared(key.owner).is_some_and(|(_, arguments)| !arguments.is_empty())
}

/// The fields with the same declaration as a field of a generic type, in the other instances of the type.
pub(crate) fn other_instances(cs: Cs, field: FieldId) -> Vec<FieldId> {
    let Some(ClassKind::Type(owner)) = cs.loader.kind_of(cs.program.field(field).class) else { return Vec::new() };
    let Some((declared, arguments)) = cs.declared(owner) else { return Vec::new() };
    let Ok(def) = cs.assembly(declared.assembly).type_def(declared.row) else { return Vec::new() };
    let has_field = |&row: &u32| cs.field(owner, row).is_ok_and(|slot| slot.ids.contains(&field));
    let Some(row) = (!arguments.is_empty()).then(|| def.fields.clone().find(has_field)).flatten() else {
        return Vec::new();
    };
    let others = cs.loader.instances_of(declared).into_iter().filter(|&other| other != owner);
    others.filter_map(|other| cs.field(other, row).ok()).flat_map(|slot| slot.ids.clone()).collect()
}

/// The type arguments of an instance that its name does not tell, in readable form. Without a name, all of them.
pub(crate) fn bound(cs: Cs, key: &MethodKey, name: Option<&str>) -> Option<String> {
    let named = name.and_then(parts).unwrap_or_default();
    let (method, class) = match named.split_last() {
        Some((method, class)) => (method.arguments.is_some(), class.iter().any(|part| part.arguments.is_some())),
        None => (false, false),
    };
    let (declared, outer) = cs.declared(key.owner)?;
    let read = cs.assembly(declared.assembly);
    let of_class = type_params(cs, declared).into_iter().zip(outer.iter()).filter(|_| !class);
    let of_method = read.generic_params(Token::new(Table::MethodDef, key.row));
    let of_method = of_method.into_iter().zip(key.arguments.iter()).filter(|_| !method);
    let told: Vec<String> =
        of_class.chain(of_method).map(|(param, &ty)| format!("{} is {}", param.name, cs.name(ty))).collect();
    let parameters = if told.len() == 1 { "type parameter" } else { "type parameters" };
    (!told.is_empty()).then(|| format!("{parameters} {}", told.join(", ")))
}

/// The types that the assemblies of the program declare.
pub(crate) fn own_types(cs: Cs<'_>) -> impl Iterator<Item = TypeDefId> {
    let own = cs.loader.assemblies.own().into_iter();
    own.flat_map(move |assembly| {
        (1..=cs.assembly(assembly).rows(Table::TypeDef)).map(move |row| TypeDefId { assembly, row })
    })
}

fn type_params<'a>(cs: Cs<'a>, declared: TypeDefId) -> Vec<GenericParam<'a>> {
    cs.assembly(declared.assembly).generic_params(Token::new(Table::TypeDef, declared.row))
}

/// The arguments for type parameters: the given ones or, if there are none, representatives. `outer` are the arguments
/// of the type if the parameters are those of a method. `None` if the arguments do not fit, or if there are no
/// representatives.
fn chosen(
    cs: Cs,
    assembly: AssemblyId,
    params: &[GenericParam],
    given: &[&str],
    outer: Option<&[TyId]>,
) -> Option<Vec<TyId>> {
    let object = cs.library("System", "Object").ok()?;
    let mut arguments = match given {
        [] => vec![object; params.len()],
        given => given.iter().map(|text| named_type(cs, text)).collect::<Option<Vec<TyId>>>()?,
    };
    if arguments.len() != params.len() {
        return None;
    }
    let fits = |index: usize, arguments: &[TyId]| {
        let generics = with(arguments, outer);
        params.get(index).is_some_and(|param| satisfies(cs, assembly, param, arguments[index], &generics))
    };
    if given.is_empty() {
        for (index, param) in params.iter().enumerate() {
            let candidates = candidates(cs, assembly, param, &with(&arguments, outer));
            arguments[index] = candidates.into_iter().find(|&candidate| {
                let mut tried = arguments.clone();
                tried[index] = candidate;
                fits(index, &tried)
            })?;
        }
    }
    (0..params.len()).all(|index| fits(index, &arguments)).then_some(arguments)
}

/// What type parameters mean where these are the arguments of a type, or of a method of a type with arguments.
fn with(arguments: &[TyId], outer: Option<&[TyId]>) -> Generics {
    match outer {
        None => Generics { of_type: arguments.into(), of_method: [].into() },
        Some(outer) => Generics { of_type: outer.into(), of_method: arguments.into() },
    }
}

/// Types that may satisfy the constraints of a type parameter: what a constraint names, types of the library, and types
/// of the program.
fn candidates(cs: Cs, assembly: AssemblyId, param: &GenericParam, generics: &Generics) -> Vec<TyId> {
    let constraints = param.constraints.iter().filter_map(|&token| cs.token(assembly, token, generics).ok());
    let library = ["Object", "Int32", "String", "Double", "DayOfWeek"].map(|name| cs.library("System", name).ok());
    let own = own_types(cs).filter(|&declared| type_params(cs, declared).is_empty());
    let own = own.map(|declared| cs.named(declared, [].into()));
    constraints.chain(library.into_iter().flatten()).chain(own).collect()
}

/// Whether a type satisfies the constraints of a type parameter.
fn satisfies(cs: Cs, assembly: AssemblyId, param: &GenericParam, ty: TyId, generics: &Generics) -> bool {
    let kind = cs.kind(ty);
    let is_value = cs.is_value(ty);
    let is_nullable = cs.nullable(ty).is_some();
    if matches!(cs.ty(ty), Ty::Void | Ty::Opaque | Ty::Ref(_) | Ty::Pointer(_) | Ty::TypeParam(_) | Ty::MethodParam(_))
        || param.is_reference() && is_value
        || param.is_value() && (!is_value || is_nullable)
        || param.has_constructor() && !is_value && !has_constructor(cs, ty)
        || is_static(cs, ty)
        || has_static_gaps(cs, ty)
    {
        return false;
    }
    param.constraints.iter().all(|&token| {
        let Ok(wanted) = cs.token(assembly, token, generics) else { return false };
        let is_base = || cs.bases(ty).any(|base| base == wanted) || all_interfaces(cs, ty).contains(&wanted);
        let is_root = cs.is_library_type(wanted, "System", "Object");
        let is_abstract_value = kind == Kind::Interface && cs.is_library_type(wanted, "System", "ValueType");
        !is_abstract_value && (is_root || is_base())
    })
}

/// Whether a class has a public constructor without parameters, and objects.
fn has_constructor(cs: Cs, ty: TyId) -> bool {
    let Some((declared, _)) = cs.declared(ty) else { return false };
    let read = cs.assembly(declared.assembly);
    let is_concrete = read.type_def(declared.row).is_ok_and(|def| !def.is_abstract() && !def.is_interface());
    let constructor = cs.method_named(ty, ".ctor", 0).and_then(|key| read.method(key.row).ok());
    is_concrete && constructor.is_some_and(|method| method.access() == aback_cil::Access::Public)
}

/// Whether a class is static, so that it is no type argument.
fn is_static(cs: Cs, ty: TyId) -> bool {
    let Some((declared, _)) = cs.declared(ty) else { return false };
    let def = cs.assembly(declared.assembly).type_def(declared.row);
    def.is_ok_and(|def| def.is_abstract() && def.is_sealed() || def.name.starts_with('<'))
}

/// Whether an interface leaves static methods to the types that implement it, so that it is no type argument itself.
fn has_static_gaps(cs: Cs, ty: TyId) -> bool {
    let leaves_static = |ty: TyId| {
        let Some((declared, _)) = cs.declared(ty) else { return false };
        let read = cs.assembly(declared.assembly);
        let Ok(def) = read.type_def(declared.row) else { return false };
        let is_gap = |method: aback_cil::MethodDef| method.is_static() && method.is_abstract();
        def.methods.into_iter().any(|row| read.method(row).is_ok_and(is_gap))
    };
    cs.kind(ty) == Kind::Interface && std::iter::once(ty).chain(all_interfaces(cs, ty)).any(leaves_static)
}

/// The keywords for types of the class library.
const KEYWORDS: [(&str, &str); 17] = [
    ("bool", "Boolean"),
    ("char", "Char"),
    ("sbyte", "SByte"),
    ("byte", "Byte"),
    ("short", "Int16"),
    ("ushort", "UInt16"),
    ("int", "Int32"),
    ("uint", "UInt32"),
    ("long", "Int64"),
    ("ulong", "UInt64"),
    ("nint", "IntPtr"),
    ("nuint", "UIntPtr"),
    ("float", "Single"),
    ("double", "Double"),
    ("decimal", "Decimal"),
    ("string", "String"),
    ("object", "Object"),
];

/// The namespaces of the class library that a name of a type may leave out.
const NAMESPACES: [&str; 3] = ["System", "System.Collections.Generic", "System.Text"];

/// The type that a text means, as C# writes it: `int`, `Node[]`, `List<string>`, `int?`, `int[,]`.
fn named_type(cs: Cs, text: &str) -> Option<TyId> {
    let text = text.trim();
    if let Some(inner) = text.strip_suffix('?') {
        let inner = named_type(cs, inner)?;
        // For a reference, it is an annotation.
        return if cs.is_value(inner) {
            cs.generic_library("System", "Nullable`1", &[inner]).ok()
        } else {
            Some(inner)
        };
    }
    if let Some(rest) = text.strip_suffix(']') {
        let (element, commas) = rest.rsplit_once('[')?;
        let element = named_type(cs, element)?;
        let rank = commas.len() as u32 + 1;
        let is_list = commas.chars().all(|char| char == ',');
        return is_list
            .then(|| cs.intern(if rank == 1 { Ty::Array(element) } else { Ty::Grid(element, rank) }).ok())?;
    }
    if let Some((_, name)) = KEYWORDS.iter().find(|(keyword, _)| *keyword == text) {
        return cs.library("System", name).ok();
    }
    let parts = parts(text)?;
    let path: Vec<&str> = parts.iter().map(|part| part.name).collect();
    let path = path.join(".");
    let arguments = parts.iter().filter_map(|part| part.arguments.as_ref()).flatten();
    let arguments = arguments.map(|text| named_type(cs, text)).collect::<Option<Vec<TyId>>>()?;
    let mut own = own_types(cs).filter(|&declared| {
        let full = declared_name(&cs.loader.assemblies, declared);
        full.strip_suffix(&path).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            && type_params(cs, declared).len() == arguments.len()
    });
    if let Some(declared) = own.next() {
        return own.next().is_none().then(|| cs.named(declared, arguments.into()));
    }
    let (given, name) = path.rsplit_once('.').map_or((None, &*path), |(namespace, name)| (Some(namespace), name));
    let name = match arguments.len() {
        0 => name.to_string(),
        count => format!("{name}`{count}"),
    };
    let namespaces = given.map_or_else(|| NAMESPACES.to_vec(), |given| vec![given]);
    namespaces.into_iter().find_map(|namespace| match arguments.is_empty() {
        true => cs.library(namespace, &name).ok(),
        false => cs.generic_library(namespace, &name, &arguments).ok(),
    })
}
