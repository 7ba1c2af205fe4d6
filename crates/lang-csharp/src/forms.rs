//! Tells how values and objects are shown as C# writes them.

use crate::collections;
use crate::compiler_made::made_for;
use crate::loader::{ClassKind, Cs};
use crate::synthetic::{arrays, values};
use crate::types::{Kind, Ty, TyId};
use crate::written;
use aback_ir::{ClassId, Contents, FieldId, Form, Look, MadeFor, MethodId, Width};

/// Deepest nesting of structs.
const MOST_DEPTH: usize = 16;

/// How a value of a type is shown; `None` if its parts mean nothing to users.
pub(crate) fn form(cs: Cs, ty: TyId) -> Option<Form> {
    let form = nested(cs, ty, 0)?;
    (form.count() == cs.leaves(ty).ok()?.len()).then_some(form)
}

fn nested(cs: Cs, ty: TyId, depth: usize) -> Option<Form> {
    if depth > MOST_DEPTH {
        return None;
    }
    Some(match cs.ty(ty) {
        Ty::Char => Form::Character,
        &Ty::Int { width, signed } => Form::Integer(Width { bits: width, signed }),
        &Ty::Native { signed } => Form::Integer(Width { bits: 64, signed }),
        Ty::F32 => Form::Float("float", "f"),
        Ty::F64 => Form::Float("double", ""),
        Ty::Named(..) if matches!(cs.kind(ty), Kind::Enum(_)) => {
            Form::Constant(shown(cs, ty), values::names(cs, ty).ok()?)
        }
        Ty::Named(_, arguments) if cs.kind(ty) == Kind::Struct => {
            if cs.inline_array(ty).is_some() {
                return Some(Form::Plain);
            }
            if let Some(inner) = cs.nullable(ty) {
                return Some(Form::Optional(Box::new(nested(cs, inner, depth + 1)?)));
            }
            let fields = cs.instance_fields(ty).ok()?;
            let parts = fields.iter().map(|field| Some((field.name.clone(), nested(cs, field.ty, depth + 1)?)));
            let is_tuple = shown(cs, ty).starts_with('(');
            let parts = Form::Parts((!is_tuple).then(|| shown(cs, ty)), parts.collect::<Option<_>>()?);
            match written::writer(cs, ty) {
                Some(write) => Form::Written(write, Box::new(parts)),
                None => parts,
            }
        }
        _ => Form::Plain,
    })
}

/// A type as C# writes it, without namespaces.
pub(crate) fn shown(cs: Cs, ty: TyId) -> String {
    match cs.ty(ty) {
        Ty::Array(_) | Ty::Grid(..) => {
            // The dimensions of the outermost array come first.
            let (mut element, mut suffix) = (ty, String::new());
            while let Ty::Array(inner) | Ty::Grid(inner, _) = *cs.ty(element) {
                let rank = if let Ty::Grid(_, rank) = cs.ty(element) { *rank as usize } else { 1 };
                suffix.push_str(&format!("[{}]", ",".repeat(rank.saturating_sub(1))));
                element = inner;
            }
            shown(cs, element) + &suffix
        }
        Ty::Named(declared, arguments) => {
            let full = crate::types::declared_name(&cs.loader.assemblies, *declared);
            let name = full.rsplit('.').next().unwrap_or(&full);
            let arguments: Vec<String> = arguments.iter().map(|&ty| shown(cs, ty)).collect();
            match (&*full, &arguments[..]) {
                ("System.Object", _) => "object".into(),
                ("System.String", _) => "string".into(),
                ("System.Decimal", _) => "decimal".into(),
                (_, []) => name.into(),
                ("System.Nullable", [inner]) => format!("{inner}?"),
                ("System.ValueTuple", several) => format!("({})", several.join(", ")),
                (_, several) => format!("{name}<{}>", several.join(", ")),
            }
        }
        _ => cs.name(ty),
    }
}

/// How objects of a class are shown.
pub(crate) fn look(cs: Cs, class: ClassId) -> Option<Look> {
    let ClassKind::Type(ty) = cs.loader.kind_of(class)? else {
        return match cs.loader.kind_of(class)? {
            ClassKind::Cell(_) => Some(Look { name: "variable".into(), contents: Contents::Variable }),
            ClassKind::FieldRef(_) | ClassKind::StaticRef(_) | ClassKind::ElementRef(_) => {
                Some(Look { name: "reference".into(), contents: place(cs, class)? })
            }
            ClassKind::Part(_, first, count) => {
                let whole = *cs.program.class(class).fields.first()?;
                let contents = Contents::Part(whole, first as usize..(first + count) as usize);
                Some(Look { name: "reference".into(), contents })
            }
            ClassKind::Delegate(ty, ..) | ClassKind::Multicast(ty) => {
                Some(Look { name: shown(cs, ty), contents: Contents::Fields(Vec::new()) })
            }
            _ => None,
        };
    };
    let contents = match *cs.ty(ty) {
        Ty::Array(element) | Ty::Grid(element, _) => elements(cs, ty, element),
        _ if cs.is_value(ty) => boxed(cs, ty),
        _ if collections::is_collection(cs, ty) => collections::sequence(cs, ty).map(Contents::Sequence),
        _ => match collections::linked(cs, ty) {
            Some(collection) => Some(Contents::Collection(collection)),
            None => fields(cs, ty),
        },
    };
    let name = match made_for(cs, ty) {
        Some(MadeFor::Functions) => "captured variables".into(),
        _ => shown(cs, ty),
    };
    Some(Look { name, contents: contents.unwrap_or(Contents::Plain) })
}

/// The place to which a managed pointer of a class points.
fn place(cs: Cs, class: ClassId) -> Option<Contents> {
    let fields = &cs.program.class(class).fields;
    let (object, index) = (fields.first().copied(), fields.get(1).copied());
    let (name, values) = match cs.loader.kind_of(class)? {
        ClassKind::ElementRef(array) => {
            let (Ty::Array(element) | Ty::Grid(element, _)) = *cs.ty(array) else { return None };
            let planes = arrays::is_object(cs, array).then(|| arrays::fields(cs, array, element).ok());
            (String::new(), planes.map_or(Some(Vec::new()), |fields| fields.map(|(planes, _)| planes))?)
        }
        ClassKind::FieldRef(ids) => (format!(".{}", path(cs, &ids, None)?.1), ids),
        ClassKind::StaticRef(ids) => {
            let (owner, path) = path(cs, &ids, None)?;
            (format!("{}.{path}", shown(cs, owner)), ids)
        }
        _ => return None,
    };
    Some(Contents::Place { object, index, name, values })
}

/// The class with the field of which these are the leaves, or all leaves of a part, and the name of the part in an object
/// of the class. The part has the type, if one is given; otherwise it is the outermost with these leaves.
pub(crate) fn path(cs: Cs, ids: &[FieldId], ty: Option<TyId>) -> Option<(TyId, String)> {
    let ClassKind::Type(owner) = cs.loader.kind_of(cs.program.field(*ids.first()?).class)? else { return None };
    let (declared, _) = cs.declared(owner)?;
    let mut rows = cs.assembly(declared.assembly).type_def(declared.row).ok()?.fields;
    let (mut place, mut leaves) = rows.find_map(|row| {
        let slot = cs.field(owner, row).ok()?;
        let name = cs.assembly(declared.assembly).field_name(row).ok()?;
        slot.ids.contains(&ids[0]).then(|| ((name.to_string(), slot.ty), slot.ids.clone()))
    })?;
    for _ in 0..MOST_DEPTH {
        if leaves == ids && ty.is_none_or(|ty| place.1 == ty) {
            return Some((owner, place.0));
        }
        let mut first = 0;
        let inner = cs.instance_fields(place.1).ok()?;
        let inner = inner.iter().find_map(|field| {
            let count = cs.leaves(field.ty).ok()?.len();
            let own = leaves.get(first..first + count)?.to_vec();
            first += count;
            own.contains(&ids[0]).then(|| ((format!("{}.{}", place.0, field.name), field.ty), own))
        });
        (place, leaves) = inner?;
    }
    None
}

fn boxed(cs: Cs, ty: TyId) -> Option<Contents> {
    Some(Contents::Value(form(cs, ty)?, cs.boxed_fields(ty).ok()?))
}

fn elements(cs: Cs, array: TyId, element: TyId) -> Option<Contents> {
    if !arrays::is_object(cs, array) {
        return None;
    }
    let (planes, lengths) = arrays::fields(cs, array, element).ok()?;
    Some(Contents::Elements(form(cs, element)?, planes, lengths))
}

fn fields(cs: Cs, ty: TyId) -> Option<Contents> {
    let chain: Vec<TyId> = cs.bases(ty).collect();
    let mut shown: Vec<(String, Form, Vec<FieldId>)> = Vec::new();
    for &declaring in chain.iter().rev() {
        for field in cs.instance_fields(declaring).ok()?.iter() {
            let slot = cs.field(declaring, field.row).ok()?;
            shown.push((field.name.clone(), form(cs, field.ty)?, slot.ids.clone()));
        }
    }
    Some(Contents::Fields(shown))
}

/// The parameters of a method, with the receiver, by their names and forms.
pub(crate) fn parameters(cs: Cs, method: MethodId) -> Option<Vec<(String, Form)>> {
    if let Some(known) = cs.loader.input_forms(method) {
        return Some(known);
    }
    let key = cs.loader.key_of(method)?;
    let mut types = Vec::new();
    let signature = cs.signature(&key).ok()?;
    if signature.has_this {
        let is_variable = cs.is_value(key.owner) && !crate::receivers::is_by_value(cs, &key);
        types.push(if is_variable { cs.intern(Ty::Ref(key.owner)).ok()? } else { key.owner });
    }
    types.extend(&signature.params);
    let names: Vec<String> = parameter_names(cs, method, &types)?;
    let shown = |(index, (name, ty)): (usize, (String, TyId))| match *cs.ty(ty) {
        Ty::Ref(target) => {
            let name = if index == 0 && signature.has_this { name } else { format!("ref {name}") };
            Some((name, Form::Variable(Box::new(form(cs, target)?))))
        }
        _ => Some((name, form(cs, ty)?)),
    };
    names.into_iter().zip(types).enumerate().map(shown).collect()
}

/// The names of the parameters of a method that have these types.
pub(crate) fn parameter_names(cs: Cs, method: MethodId, types: &[TyId]) -> Option<Vec<String>> {
    let body = cs.program.body(method)?;
    let mut first = 0;
    let mut names = Vec::new();
    for &ty in types {
        let name = body.locals.get(first).map_or("", |local| &local.name);
        // The parts of a struct are named after it.
        names.push(name.split('.').next().unwrap_or_default().to_string());
        first += cs.leaves(ty).ok()?.len();
    }
    Some(names)
}
