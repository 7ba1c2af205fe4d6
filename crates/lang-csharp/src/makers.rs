//! Knows how callers make objects: the program's own by constructors and static methods, and the library's collections.

use crate::declarations::{Declarations, DeclaredField, DeclaredMethod, Receiver, Shape, Use};
use crate::generics::own_types;
use crate::inputs;
use crate::loader::{ClassKind, Cs};
use crate::members::MethodKey;
use crate::types::{Kind, Ty, TyId};
use aback_cil::Access;
use aback_ir::{
    ClassId, Dispatch, Expr, ExprId, LocalId, Maker, MethodId, MethodKind, OpKind, Program, SourceCall, TerminatorKind,
    Type,
};
use std::sync::Arc;

/// Most classes of the program whose objects are made for a type.
const MOST_CLASSES: usize = 4;
/// Most methods of a class that are called to change an object.
const MOST_CHANGES: usize = 8;

/// Most characters of a string that is made.
const MOST_CHARACTERS: u32 = 10;

const NAMESPACE: &str = "System.Collections.Generic";

/// Collections of the library: the class, the method that adds an element, and the interfaces for which an object of the
/// class is made.
const COLLECTIONS: [(&str, &str, &[&str]); 10] = [
    ("List`1", "Add", &["IList`1", "ICollection`1", "IEnumerable`1", "IReadOnlyList`1", "IReadOnlyCollection`1"]),
    ("Dictionary`2", "TryAdd", &["IDictionary`2", "IReadOnlyDictionary`2"]),
    ("HashSet`1", "Add", &["ISet`1", "IReadOnlySet`1"]),
    ("SortedDictionary`2", "Add", &[]),
    ("SortedList`2", "Add", &[]),
    ("SortedSet`1", "Add", &[]),
    ("LinkedList`1", "AddLast", &[]),
    ("Queue`1", "Enqueue", &[]),
    ("Stack`1", "Push", &[]),
    ("PriorityQueue`2", "Enqueue", &[]),
];

/// The ways in which callers make objects of a class of the program model.
pub(crate) fn makers(cs: Cs, class: ClassId) -> Vec<Maker> {
    let Some(ClassKind::Type(ty)) = cs.loader.kind_of(class) else { return Vec::new() };
    if !matches!(cs.ty(ty), Ty::Named(..)) || cs.is_value(ty) {
        return Vec::new();
    }
    if Type::Class(class) == Type::Class(cs.string_class()) {
        let make = SourceCall { method: any_string(cs), arguments: Vec::new() };
        return vec![Maker { make, changes: Vec::new(), is_collection: false, open_fields: Vec::new() }];
    }
    if let Some(maker) = collection(cs, ty) {
        return vec![maker];
    }
    let mut own: Vec<ClassId> = cs.program.subclasses(class).into_iter().collect();
    own.retain(|&class| {
        let declared = cs.program.class(class);
        !declared.is_abstract && !declared.is_interface && !declared.is_library && !cs.program.is_made_only(class)
    });
    own.sort_unstable_by_key(|&own| (own != class, own));
    own.truncate(MOST_CLASSES);
    own.into_iter().flat_map(|class| of_program(cs, class)).collect()
}

/// The maker of a collection of the library, for the class itself or one of its interfaces.
fn collection(cs: Cs, ty: TyId) -> Option<Maker> {
    let (declared, arguments) = cs.declared(ty)?;
    let module = cs.loader.assemblies.module(declared.assembly);
    let def = module.assembly.type_def(declared.row).ok()?;
    if module.is_own || def.namespace != NAMESPACE {
        return None;
    }
    let is_it = |(name, _, interfaces): &&(&str, &str, &[&str])| *name == def.name || interfaces.contains(&def.name);
    let (name, add, _) = COLLECTIONS.iter().find(is_it)?;
    let class = match *name == def.name {
        true => ty,
        false => cs.generic_library(NAMESPACE, name, &arguments).ok()?,
    };
    let constructor = cs.method_named(class, ".ctor", 0)?;
    let add = method_with(cs, class, add, &arguments)?;
    // Only elements that a caller can have.
    if !arguments.iter().all(|&argument| is_any(cs, argument)) {
        return None;
    }
    let (make, add) = (cs.method(&constructor), cs.method(&add));
    let elements = cs.program.method(add).params.iter().skip(1).map(|&ty| ty.into()).collect();
    Some(Maker {
        make: SourceCall { method: make, arguments: Vec::new() },
        changes: vec![SourceCall { method: add, arguments: elements }],
        is_collection: true,
        open_fields: Vec::new(),
    })
}

/// The method of a class with this name and with these types of parameters.
fn method_with(cs: Cs, owner: TyId, name: &str, params: &[TyId]) -> Option<MethodKey> {
    let (declared, _) = cs.declared(owner)?;
    let read = cs.assembly(declared.assembly);
    let rows = read.type_def(declared.row).ok()?.methods;
    let keys = rows.filter(|&row| read.method(row).is_ok_and(|method| method.name == name));
    let mut keys = keys.map(|row| MethodKey { owner, row, arguments: Arc::new([]) });
    keys.find(|key| cs.signature(key).is_ok_and(|signature| signature.params[..] == *params))
}

/// Whether any value of the program model is a value of a type, as far as it is no reference.
fn is_any(cs: Cs, ty: TyId) -> bool {
    let declarations = Declarations::new(cs);
    match declarations.shape(ty) {
        Shape::Bool | Shape::Char | Shape::Int { .. } | Shape::F32 | Shape::F64 | Shape::Enum(_) => true,
        Shape::Reference | Shape::Array(_) => true,
        Shape::Nullable(inner) => is_any(cs, inner),
        Shape::Struct => {
            let is_own =
                cs.declared(ty).is_some_and(|(declared, _)| cs.loader.assemblies.module(declared.assembly).is_own);
            let fields = || declarations.fields(ty).unwrap_or_default();
            is_own && inputs::restricted_leaves(cs, ty).is_empty() && fields().iter().all(|field| is_any(cs, field.ty))
        }
        _ => false,
    }
}

/// Whether a struct of the program has fields that callers cannot write, so that its code says which values it can have.
pub(crate) fn restricts_values(cs: Cs) -> bool {
    own_types(cs).any(|declared| {
        let read = cs.assembly(declared.assembly);
        let is_hidden = |row| read.field(row).is_ok_and(|field| !field.is_static() && field.access() != Access::Public);
        let has_hidden = || read.type_def(declared.row).is_ok_and(|mut ty| ty.fields.any(is_hidden));
        matches!(cs.kind(cs.named(declared, [].into())), Kind::Struct) && has_hidden()
    })
}

/// A call of a method that callers can make, without the object.
fn call(cs: Cs, method: MethodId, declared: &DeclaredMethod) -> Option<SourceCall> {
    if !declared.params.iter().all(|param| is_any(cs, param.ty)) {
        return None;
    }
    let own = usize::from(declared.receiver != Receiver::None);
    let arguments = cs.program.method(method).params.iter().skip(own).map(|&ty| ty.into()).collect();
    Some(SourceCall { method, arguments })
}

/// Makers of a class of the program: its constructors, or else its static methods that return such an object.
fn of_program(cs: Cs, class: ClassId) -> Vec<Maker> {
    let Some(ClassKind::Type(ty)) = cs.loader.kind_of(class) else { return Vec::new() };
    let declarations = Declarations::new(cs);
    let constructors = declarations.constructors(ty);
    if let Some(maker) = of_open_class(cs, ty, &constructors) {
        return vec![maker];
    }
    let mut makers: Vec<SourceCall> =
        constructors.iter().filter_map(|(method, declared)| call(cs, *method, declared)).collect();
    if makers.is_empty() {
        let makes = |(method, declared): &(MethodId, DeclaredMethod)| {
            declared.receiver == Receiver::None
                && declared.by == Use::Call
                && cs.program.method(*method).result == Some(Type::Class(class))
        };
        let methods = declared_methods(cs, ty).into_iter().filter(makes);
        makers = methods.filter_map(|(method, declared)| call(cs, method, &declared)).collect();
    }
    if makers.is_empty() {
        return Vec::new();
    }
    let changes = changes(cs, ty, class);
    makers
        .into_iter()
        .map(|make| Maker { make, changes: changes.clone(), is_collection: false, open_fields: Vec::new() })
        .collect()
}

/// The maker of a class whose constructor callers can use and all of whose fields they can assign.
fn of_open_class(cs: Cs, ty: TyId, constructors: &[(MethodId, DeclaredMethod)]) -> Option<Maker> {
    let fields = Declarations::new(cs).fields(ty).ok()?;
    let is_open = |field: &DeclaredField| field.settable.is_some() && is_any(cs, field.ty);
    let (method, _) = constructors.iter().find(|(_, declared)| declared.params.is_empty())?;
    if fields.is_empty() || !fields.iter().all(is_open) || !only_sets_fields(cs, *method) {
        return None;
    }
    let open_fields = fields.into_iter().flat_map(|field| field.leaves).collect();
    let make = SourceCall { method: *method, arguments: Vec::new() };
    Some(Maker { make, changes: Vec::new(), is_collection: false, open_fields })
}

/// Whether a constructor without parameters does nothing but give fields of its object constant values. So do those of the
/// classes from which its class derives.
fn only_sets_fields(cs: Cs, constructor: MethodId) -> bool {
    let mut next = Some(constructor);
    while let Some(method) = next.take() {
        let Some(body) = cs.program.body(method) else { return false };
        let is_own = |object: ExprId| matches!(body.expr(object), Expr::Local(LocalId(0)));
        let is_straight =
            |kind: &TerminatorKind| matches!(kind, TerminatorKind::Goto(_) | TerminatorKind::Return(None));
        if cs.program.method(method).params.len() != 1
            || body.blocks.iter().any(|block| !is_straight(&block.terminator.kind))
        {
            return false;
        }
        for (_, op) in body.ops() {
            match op.kind {
                OpKind::PutField { object, value, .. }
                    if is_own(object) && matches!(body.expr(value), Expr::Const(_)) => {}
                OpKind::Call { dispatch: Dispatch::Special, method, ref args, .. }
                    if cs.program.method(method).kind == MethodKind::Constructor
                        && matches!(args[..], [object] if is_own(object))
                        && next.is_none() =>
                {
                    next = Some(method);
                }
                _ => return false,
            }
        }
    }
    true
}

/// The methods that a type declares, as sources can use them.
fn declared_methods(cs: Cs, ty: TyId) -> Vec<(MethodId, DeclaredMethod)> {
    let Some((declared, _)) = cs.declared(ty) else { return Vec::new() };
    let Ok(def) = cs.assembly(declared.assembly).type_def(declared.row) else { return Vec::new() };
    let read = cs.assembly(declared.assembly);
    let is_generic = |row: u32| read.method(row).is_ok_and(|method| method.signature.generic_arity > 0);
    let keys = def.methods.filter(|&row| !is_generic(row));
    let methods = keys.map(|row| cs.method(&MethodKey { owner: ty, row, arguments: Arc::new([]) }));
    let declarations = Declarations::new(cs);
    methods.filter_map(|method| Some((method, declarations.method(method)?))).collect()
}

/// Calls that may change an object: methods of the program that write something or call others.
fn changes(cs: Cs, ty: TyId, class: ClassId) -> Vec<SourceCall> {
    let acts = |op: &OpKind| matches!(op, OpKind::PutField { .. } | OpKind::ArrayPut { .. } | OpKind::Call { .. });
    let may_change = |program: &Program, method: MethodId| {
        let is_own = !program.is_library_method(method) && !program.method(method).is_abstract;
        is_own
            && program.dispatch(class, method) == method
            && program.body(method).is_some_and(|body| body.ops().any(|(_, op)| acts(&op.kind)))
    };
    let declared = cs.bases(ty).flat_map(|base| declared_methods(cs, base));
    let usable = declared.filter(|(method, declared)| {
        let is_used = matches!(declared.by, Use::Call | Use::Set(_));
        is_used && declared.receiver == Receiver::Value && may_change(cs.program, *method)
    });
    usable.filter_map(|(method, declared)| call(cs, method, &declared)).take(MOST_CHANGES).collect()
}

/// Returns any string of a few characters.
fn any_string(cs: Cs) -> MethodId {
    let ty = Type::Class(cs.string_class());
    cs.helper("any string", &[], Some(ty), |cs| cs.program.any_string(MOST_CHARACTERS))
}
