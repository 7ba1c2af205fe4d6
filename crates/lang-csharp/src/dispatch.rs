//! Selects the method that a virtual call runs (ECMA-335, II.12.2 and I.8.10.4).

use crate::assemblies::TypeDefId;
use crate::loader::{ClassKind, Cs, MOST_BASES};
use crate::members::{MethodKey, MethodRef};
use crate::receivers;
use crate::synthetic::references::convert;
use crate::types::{Kind, Ty, TyId};
use aback_cil::{MethodDef, Table};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{Body, ClassId, Dispatch, MethodId, MethodKind, Type, Unselected};
use std::sync::Arc;

/// The method that a virtual call of `method` selects for an object of exactly `class`; `None` for methods of
/// synthetic classes, which override by name.
pub(crate) fn select(cs: Cs, class: ClassId, method: MethodId) -> Option<Result<MethodId, Unselected>> {
    let key = cs.loader.key_of(method)?;
    if let Some(known) = cs.loader.selected(class, method) {
        return Some(known.ok_or(Unselected::Abstract));
    }
    let found = match cs.loader.kind_of(class)? {
        ClassKind::Type(ty) => of_type(cs, ty, &key).or_else(|| of_variant(cs, ty, &key)),
        ClassKind::Delegate(ty, ..) | ClassKind::Multicast(ty) => {
            let own = cs.program.methods_named(class, &cs.program.method(method).name).first().copied();
            own.or_else(|| of_type(cs, ty, &key))
        }
        _ => None,
    };
    cs.loader.remember_selected(class, method, found);
    Some(found.ok_or(Unselected::Abstract))
}

/// The method of a type that a call of another selects; for a struct, one that takes its box.
fn of_type(cs: Cs, ty: TyId, wanted: &MethodKey) -> Option<MethodId> {
    let found = implementation(cs, ty, wanted)?;
    Some(if cs.is_value(found.owner) { unboxing(cs, &found) } else { cs.method(&found) })
}

/// The method of a type that a call of a method of a variant interface selects: the type implements the interface for
/// other type arguments. `None` also if there are several such implementations.
fn of_variant(cs: Cs, ty: TyId, wanted: &MethodKey) -> Option<MethodId> {
    let (declared, arguments) = cs.declared(wanted.owner)?;
    if cs.kind(wanted.owner) != Kind::Interface || !is_variant(cs, declared) {
        return None;
    }
    let mut found: Vec<MethodId> = Vec::new();
    for interface in all_interfaces(cs, ty) {
        let is_one = interface != wanted.owner
            && cs
                .declared(interface)
                .is_some_and(|(of, given)| of == declared && fits(cs, declared, &given, &arguments));
        if is_one && let Some(method) = of_type(cs, ty, &MethodKey { owner: interface, ..wanted.clone() }) {
            found.push(method);
        }
    }
    found.sort_unstable();
    found.dedup();
    let [method] = found[..] else { return None };
    Some(converting(cs, ty, method, wanted))
}

/// A method with the types of another that calls a method for arguments that are subtypes of its own.
fn converting(cs: Cs, ty: TyId, method: MethodId, wanted: &MethodKey) -> MethodId {
    let declared = cs.program.method(cs.method(wanted));
    let class = Type::Class(cs.class_of(ty));
    let params: Vec<Type> = [class].into_iter().chain(declared.params.iter().skip(1).copied()).collect();
    let result = declared.result;
    let name = format!("{} for {} #{}", cs.program.method_name(method), cs.name(wanted.owner), method.0);
    let given = params.clone();
    cs.helper(&name, &params, result, move |cs| {
        let own = cs.program.method(method);
        let mut code = Builder::new(&given);
        let args = given.iter().zip(&own.params).enumerate();
        let args = args.map(|(index, (&from, &to))| {
            let arg = code.param(index);
            convert(&mut code, arg, from, to)
        });
        let args = args.collect();
        let dispatch = if own.kind == MethodKind::Static { Dispatch::Static } else { Dispatch::Special };
        let value = code.call(dispatch, method, args, own.result);
        let types = own.result.zip(result);
        let value = value.zip(types).map(|(value, (from, to))| convert(&mut code, value, from, to));
        code.ret(value);
        code.finish()
    })
}

fn definition<'a>(cs: Cs<'a>, key: &MethodKey) -> Option<MethodDef<'a>> {
    cs.assembly(cs.declaration_of(key).ok()?.assembly).method(key.row).ok()
}

/// The method with code that a call of `wanted` selects for an object of a type.
pub(crate) fn implementation(cs: Cs, ty: TyId, wanted: &MethodKey) -> Option<MethodKey> {
    let def = definition(cs, wanted)?;
    if !def.is_virtual() {
        return Some(wanted.clone());
    }
    if cs.kind(wanted.owner) == Kind::Interface {
        return of_interface(cs, ty, wanted);
    }
    let slot = slot(cs, wanted);
    let found = cs.bases(ty).find_map(|class| {
        explicit(cs, class, wanted)
            .or_else(|| alike(cs, class, wanted).into_iter().find(|candidate| self::slot(cs, candidate) == slot))
    })?;
    (!definition(cs, &found)?.is_abstract()).then_some(found)
}

/// The method that introduces the slot into which a virtual method of a class goes.
fn slot(cs: Cs, method: &MethodKey) -> MethodKey {
    let mut current = method.clone();
    for _ in 0..MOST_BASES {
        if definition(cs, &current).is_none_or(|def| def.is_newslot()) {
            break;
        }
        let above = cs
            .base(current.owner)
            .and_then(|base| cs.bases(base).find_map(|class| alike(cs, class, &current).into_iter().next()));
        match above {
            Some(above) => current = above,
            None => break,
        }
    }
    current
}

/// The virtual methods that a class itself declares with the name and the types of another.
fn alike(cs: Cs, class: TyId, wanted: &MethodKey) -> Vec<MethodKey> {
    let (Some(def), Ok(signature)) = (definition(cs, wanted), cs.signature(wanted)) else { return Vec::new() };
    if class == wanted.owner {
        return vec![wanted.clone()];
    }
    let Some((declared, _)) = cs.declared(class) else { return Vec::new() };
    let read = cs.assembly(declared.assembly);
    let Ok(ty) = read.type_def(declared.row) else { return Vec::new() };
    let named = ty.methods.clone().filter(|&row| read.method_name(row) == Ok(def.name));
    let keys = named.filter_map(|row| {
        let method = read.method(row).ok()?;
        let fits = method.is_virtual()
            && !method.is_static()
            && method.signature.generic_arity as usize == wanted.arguments.len()
            && method.signature.params.len() == signature.params.len();
        let key = MethodKey { owner: class, row, arguments: wanted.arguments.clone() };
        let own = fits.then(|| cs.signature(&key).ok())??;
        (own.params == signature.params && own.result == signature.result).then_some(key)
    });
    keys.collect()
}

/// The method of a class that it names explicitly as its implementation of another.
fn explicit(cs: Cs, class: TyId, wanted: &MethodKey) -> Option<MethodKey> {
    let (declared, _) = cs.declared(class)?;
    let read = cs.assembly(declared.assembly);
    let generics = cs.generics_of(class, wanted.arguments.clone());
    read.method_impls(declared.row).into_iter().find_map(|(body, declaration)| {
        let MethodRef::Declared(replaced) = cs.method_token(declared.assembly, declaration, &generics).ok()? else {
            return None;
        };
        if replaced.owner != wanted.owner || replaced.row != wanted.row {
            return None;
        }
        match cs.method_token(declared.assembly, body, &generics).ok()? {
            MethodRef::Declared(found) => {
                let owner = if body.table() == Some(Table::MethodDef) { class } else { found.owner };
                Some(MethodKey { owner, row: found.row, arguments: wanted.arguments.clone() })
            }
            MethodRef::OfArray(..) => None,
        }
    })
}

/// Whether a method names explicitly a method that it implements, of a type that everyone may use.
pub(crate) fn implements_openly(cs: Cs, method: &MethodKey) -> bool {
    let Some((declared, _)) = cs.declared(method.owner) else { return false };
    let generics = cs.generics_of(method.owner, method.arguments.clone());
    cs.assembly(declared.assembly).method_impls(declared.row).into_iter().any(|(body, declaration)| {
        let is_this = body.table() == Some(Table::MethodDef) && body.row() == method.row;
        is_this
            && match cs.method_token(declared.assembly, declaration, &generics) {
                Ok(MethodRef::Declared(replaced)) => is_public(cs, replaced.owner),
                _ => false,
            }
    })
}

/// Whether everyone may use a type who may use the types around it.
pub(crate) fn is_public(cs: Cs, ty: TyId) -> bool {
    let visibility = |(id, _): (TypeDefId, _)| Some(cs.assembly(id.assembly).type_def(id.row).ok()?.visibility());
    cs.declared(ty).and_then(visibility).is_some_and(|visibility| visibility.is_public())
}

/// All interfaces of a type, including those of its interfaces and of the types from which it derives.
pub(crate) fn all_interfaces(cs: Cs, ty: TyId) -> Vec<TyId> {
    let mut found: Vec<TyId> = Vec::new();
    let mut pending: Vec<TyId> = cs.bases(ty).collect();
    while let Some(current) = pending.pop() {
        for &interface in cs.interfaces(current).iter() {
            if !found.contains(&interface) {
                found.push(interface);
                pending.push(interface);
            }
        }
    }
    found
}

fn of_interface(cs: Cs, ty: TyId, wanted: &MethodKey) -> Option<MethodKey> {
    if let Ty::Array(_) = *cs.ty(ty) {
        return of_array(cs, wanted);
    }
    let def = definition(cs, wanted)?;
    let signature = cs.signature(wanted).ok()?;
    for class in cs.bases(ty) {
        if let Some(found) = explicit(cs, class, wanted) {
            return Some(found);
        }
        // A class that lists an interface implements it anew, with its methods or inherited ones.
        let lists = cs
            .interfaces(class)
            .iter()
            .any(|&listed| listed == wanted.owner || all_interfaces(cs, listed).contains(&wanted.owner));
        if !lists {
            continue;
        }
        let public = cs.bases(class).find_map(|class| {
            let (declared, _) = cs.declared(class)?;
            let read = cs.assembly(declared.assembly);
            read.type_def(declared.row).ok()?.methods.clone().find_map(|row| {
                if read.method_name(row) != Ok(def.name) {
                    return None;
                }
                let method = read.method(row).ok()?;
                let fits = method.is_virtual()
                    && method.access() == aback_cil::Access::Public
                    && method.is_static() == def.is_static()
                    && method.signature.generic_arity as usize == wanted.arguments.len();
                let key = MethodKey { owner: class, row, arguments: wanted.arguments.clone() };
                let own = fits.then(|| cs.signature(&key).ok())??;
                (own.params == signature.params && own.result == signature.result).then_some(key)
            })
        });
        if let Some(found) = public {
            // An override of the method in a class below has the same slot.
            let overridden = implementation(cs, ty, &found);
            return if def.is_static() { Some(found) } else { overridden };
        }
    }
    // The default method of the most specific interface.
    let mut candidates: Vec<MethodKey> = Vec::new();
    for interface in all_interfaces(cs, ty) {
        if interface == wanted.owner {
            candidates.push(wanted.clone());
        }
        candidates.extend(explicit(cs, interface, wanted));
    }
    candidates.retain(|candidate| definition(cs, candidate).is_some_and(|def| !def.is_abstract()));
    let below = |one: &MethodKey, other: &MethodKey| all_interfaces(cs, one.owner).contains(&other.owner);
    let best: Vec<&MethodKey> = candidates
        .iter()
        .filter(|candidate| !candidates.iter().any(|other| other != *candidate && below(other, candidate)))
        .collect();
    match best[..] {
        [best] => Some(best.clone()),
        _ => None,
    }
}

/// The implementation of a method of a generic interface by an array: a method of a helper class of the library.
fn of_array(cs: Cs, wanted: &MethodKey) -> Option<MethodKey> {
    let array = cs.library("System", "Array").ok()?;
    let (_, arguments) = cs.declared(wanted.owner)?;
    if arguments.is_empty() {
        return of_interface(cs, array, wanted);
    }
    let def = definition(cs, wanted)?;
    let helper = cs.library("System", "SZArrayHelper").ok()?;
    let mut found = cs.method_named(helper, def.name, def.signature.params.len())?;
    // The elements of the interface may be those of a base class, or integers of the other sign.
    found.arguments = Arc::new([arguments[0]]);
    Some(found)
}

/// A method that takes a box and calls a method of the struct in it.
fn unboxing(cs: Cs, key: &MethodKey) -> MethodId {
    let method = cs.method(key);
    let declared = cs.program.method(method);
    let by_value = receivers::is_by_value(cs, key);
    let own = match by_value {
        true => cs.leaves(key.owner).map_or(0, |leaves| leaves.len()),
        false => 1,
    };
    let class = Type::Class(cs.class_of(key.owner));
    let params: Vec<Type> = [class].into_iter().chain(declared.params.iter().skip(own).copied()).collect();
    let result = declared.result;
    let name = format!("{} of a box #{}", cs.program.method_name(method), method.0);
    let (owner, given) = (key.owner, params.clone());
    cs.helper(&name, &params, result, move |cs| unboxing_body(cs, method, owner, by_value, &given, result))
}

fn unboxing_body(cs: Cs, method: MethodId, owner: TyId, by_value: bool, params: &[Type], result: Option<Type>) -> Body {
    let mut code = Builder::new(params);
    let this = code.param(0);
    let mut args = Vec::new();
    if by_value {
        let Ok(fields) = cs.boxed_fields(owner) else { return unsupported(params, "a box of an unknown type") };
        args.extend(fields.into_iter().map(|field| code.get(this, field, cs.program.field(field).ty)));
    } else {
        let to = cs.program.method(method).params.first().copied();
        args.push(to.map_or(this, |to| convert(&mut code, this, params[0], to)));
    }
    args.extend((1..params.len()).map(|index| code.param(index)));
    let value = code.call(Dispatch::Static, method, args, result);
    code.ret(value);
    code.finish()
}

/// Whether an object of a type implements an interface that its hierarchy does not list: arrays do for their elements,
/// and type parameters of interfaces and delegates may be variant.
pub(crate) fn is_instance(cs: Cs, of: Type, class: ClassId) -> bool {
    let Some(ClassKind::Type(wanted)) = cs.loader.kind_of(class) else { return false };
    let Some((declared, arguments)) = cs.declared(wanted) else { return false };
    let array = match of {
        Type::Array(_) => Some(of),
        // Methods of arrays run on a class of their own.
        Type::Class(sub) => match cs.loader.kind_of(sub) {
            Some(ClassKind::Type(sub)) if matches!(cs.ty(sub), Ty::Array(_)) => cs.ir_type(sub).ok(),
            _ => None,
        },
        _ => None,
    };
    if let Some(array) = array {
        let [element] = arguments[..] else { return false };
        let wanted = cs.intern(Ty::Array(element)).and_then(|array| cs.ir_type(array));
        return is_list(cs, declared) && wanted.is_ok_and(|wanted| cs.program.is_assignable(array, wanted));
    }
    let Type::Class(sub) = of else { return false };
    let sub = match cs.loader.kind_of(sub) {
        Some(ClassKind::Type(ty) | ClassKind::Delegate(ty, ..) | ClassKind::Multicast(ty)) => ty,
        _ => return false,
    };
    if arguments.is_empty() || !is_variant(cs, declared) {
        return false;
    }
    let supers = [sub].into_iter().chain(all_interfaces(cs, sub));
    supers.filter(|&other| other != wanted).any(|other| {
        cs.declared(other).is_some_and(|(of, given)| of == declared && fits(cs, declared, &given, &arguments))
    })
}

/// Whether a class is a variant interface or delegate.
pub(crate) fn is_variant_class(cs: Cs, class: ClassId) -> bool {
    let Some(ClassKind::Type(ty)) = cs.loader.kind_of(class) else { return false };
    cs.declared(ty).is_some_and(|(declared, arguments)| !arguments.is_empty() && is_variant(cs, declared))
}

/// What is known of the variants of a class ([`variants`]). More come when the program gets more instances of its type.
#[derive(Clone, Default)]
pub(crate) struct Variants {
    /// The declaration of the class, if it is a variant interface or delegate.
    declared: Option<TypeDefId>,
    /// The number of instances that have been looked at.
    count: usize,
    found: Vec<ClassId>,
}

/// The classes of a variant interface or delegate whose objects are also objects of another class of it.
pub(crate) fn variants(cs: Cs, class: ClassId) -> Vec<ClassId> {
    let is_new =
        |known: &Variants| known.declared.is_some_and(|of| cs.loader.instances_from(of, known.count).is_some());
    let known = match cs.loader.variants(class) {
        Some(known) if !is_new(&known) => return known.found,
        Some(known) => known,
        None => {
            // Another thread may be about to tell the kind of the class.
            let Some(kind) = cs.loader.kind_of(class) else { return Vec::new() };
            let declared = match kind {
                ClassKind::Type(ty) if is_variant_class(cs, class) => cs.declared(ty).map(|(declared, _)| declared),
                _ => None,
            };
            Variants { declared, ..Variants::default() }
        }
    };
    let found = with_new_variants(cs, class, known);
    cs.loader.remember_variants(class, found.clone());
    found.found
}

fn with_new_variants(cs: Cs, class: ClassId, mut known: Variants) -> Variants {
    let Some(declared) = known.declared else { return known };
    let Some(ClassKind::Type(wanted)) = cs.loader.kind_of(class) else { return known };
    let Some((_, arguments)) = cs.declared(wanted) else { return known };
    let new = cs.loader.instances_from(declared, known.count).unwrap_or_default();
    known.count += new.len();
    let others = new.into_iter().filter(|&other| other != wanted);
    let fitting =
        others.filter(|&other| cs.declared(other).is_some_and(|(_, given)| fits(cs, declared, &given, &arguments)));
    known.found.extend(fitting.map(|other| cs.class_of(other)));
    known
}

/// Whether arrays implement an interface for their elements.
fn is_list(cs: Cs, declared: TypeDefId) -> bool {
    let interfaces = ["IEnumerable`1", "ICollection`1", "IList`1", "IReadOnlyCollection`1", "IReadOnlyList`1"];
    let ty = cs.assembly(declared.assembly).type_def(declared.row);
    ty.is_ok_and(|ty| ty.namespace == "System.Collections.Generic" && interfaces.contains(&ty.name))
}

/// Whether type parameters of a generic interface or delegate are variant.
pub(crate) fn is_variant(cs: Cs, declared: TypeDefId) -> bool {
    let token = aback_cil::Token::new(Table::TypeDef, declared.row);
    let params = cs.assembly(declared.assembly).generic_params(token);
    params.iter().any(|param| param.is_covariant() || param.is_contravariant())
}

/// Whether type arguments fit into the places of others, as the variance of the parameters allows.
fn fits(cs: Cs, declared: TypeDefId, given: &[TyId], wanted: &[TyId]) -> bool {
    let token = aback_cil::Token::new(Table::TypeDef, declared.row);
    let params = cs.assembly(declared.assembly).generic_params(token);
    params.iter().all(|param| {
        let index = usize::from(param.number);
        let (Some(&given), Some(&wanted)) = (given.get(index), wanted.get(index)) else { return false };
        let is_sub = |sub: TyId, class: TyId| {
            let types = cs.ir_type(sub).ok().zip(cs.ir_type(class).ok());
            !cs.is_value(sub)
                && !cs.is_value(class)
                && types.is_some_and(|(sub, class)| cs.program.is_assignable(sub, class))
        };
        given == wanted
            || param.is_covariant() && is_sub(given, wanted)
            || param.is_contravariant() && is_sub(wanted, given)
    })
}
