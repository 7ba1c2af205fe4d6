//! Determines whether it can matter that inputs lead to the same objects as static fields do.
//!
//! Callers may have objects to which those of static fields lead, and the objects that they pass may lead to objects of
//! static fields. Engines try neither: only an argument itself may be the object of a static field. A program can tell
//! the difference only if objects of one type can be on both sides, and if it changes such objects or compares their
//! identities.

use crate::loader::{ClassKind, Cs};
use crate::sharing;
use crate::types::Kind;
use aback_ir::analysis::{Given, GivenObjects, Statics, are_related, reached, runs_platform_code};
use aback_ir::{BinaryOp, Body, Expr, ExprId, FieldId, LocalId, MethodId, MethodKind, OpKind, Type};
use rustc_hash::FxHashSet;

/// Whether it can matter, for an entry point with inputs of these types.
pub(super) fn matters<'a>(
    cs: Cs,
    entry: MethodId,
    inputs: &[Type],
    objects: &impl Fn() -> &'a GivenObjects<'a>,
) -> bool {
    let program = cs.program;
    let inputs: FxHashSet<Type> = inputs.iter().copied().filter(|&ty| may_be_shared(cs, ty)).collect();
    if inputs.is_empty() {
        return false;
    }
    let code: Vec<(MethodId, &Body)> =
        reached(program, entry).into_iter().filter_map(|method| Some((method, program.body(method)?))).collect();
    let read = code.iter().flat_map(|(_, body)| body.ops()).filter_map(|(_, op)| match op.kind {
        OpKind::GetStatic { field, .. } => Some(field),
        _ => None,
    });
    let is_own = |&field: &FieldId| {
        let field = program.field(field);
        !program.class(field.class).is_library && may_be_shared(cs, field.ty)
    };
    let fields: FxHashSet<FieldId> = read.filter(is_own).collect();
    let below_inputs = Below::of(cs, inputs.iter().copied());
    let all_inputs = Below { types: inputs.union(&below_inputs.types).copied().collect(), ..below_inputs.clone() };
    let told = |types: Vec<Type>| -> Vec<Type> {
        let is_told = |&ty: &Type| code.iter().any(|&(method, body)| is_told(cs, method, body, ty));
        types.into_iter().filter(is_told).collect()
    };
    let shared_with = |field: FieldId| {
        let ty = program.field(field).ty;
        let itself = Below { types: FxHashSet::from_iter([ty]), is_any: false };
        let mut shared = told(common(cs, &below_inputs, &itself));
        if !shared.is_empty() && objects().is_given(field) == Given::No {
            shared.clear();
        }
        let parts = told(common(cs, &all_inputs, &Below::of(cs, [ty])));
        if !parts.is_empty() && objects().leads_to_given(field) != Given::No {
            shared.extend(parts);
        }
        shared
    };
    let shared: Vec<Type> = fields.into_iter().flat_map(shared_with).collect();
    if shared.is_empty() {
        return false;
    }
    let Ok(statics) = Statics::new(program, program.own_methods(), &|| false) else { return true };
    shared.into_iter().any(|ty| statics.hands_out(ty))
}

/// Methods that compare their arguments, and may tell objects with equal contents apart.
const COMPARING: &[&str] = &["Equals", "ReferenceEquals"];
/// Methods that compare what the first argument holds with the others.
const SEARCHING: &[&str] = &["Contains", "IndexOf", "LastIndexOf", "Remove"];

/// Whether code of an entry point with inputs of these types may compare an object of the inputs with one that the library
/// gives it. Callers may have the same object: an empty array, a default comparer, the object of a type.
pub(super) fn tells_library_objects(cs: Cs, entry: MethodId, inputs: &[Type]) -> bool {
    let program = cs.program;
    let below = Below::of(cs, inputs.iter().copied());
    let object = Type::Class(cs.object_class());
    let is_of_library = |ty: &Type| match *ty {
        Type::Class(class) => program.class(class).is_library && !program.is_pointer(class),
        ty => ty.is_reference(),
    };
    let all = inputs.iter().copied().chain(below.types).chain(below.is_any.then_some(object));
    // Strings have a bound of their own.
    let string = Type::Class(cs.string_class());
    let all: FxHashSet<Type> = all.filter(is_of_library).filter(|&ty| ty != string).collect();
    if all.is_empty() {
        return false;
    }
    let (mut compared, mut given) = (FxHashSet::default(), FxHashSet::default());
    let own = reached(program, entry).into_iter().filter(|&method| !program.is_synthetic(method));
    for body in own.filter_map(|method| program.body(method)) {
        for expr in &body.exprs {
            if let Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, _, left, right) = *expr {
                compared.insert((type_of(body, left), type_of(body, right)));
            }
        }
        for (_, op) in body.ops() {
            match op.kind {
                OpKind::GetStatic { dst, field } if program.class(program.field(field).class).is_library => {
                    given.insert(body.local(dst).ty);
                }
                OpKind::Call { dst, dispatch, method: named, ref args }
                    if runs_platform_code(program, dispatch, named) =>
                {
                    given.extend(dst.map(|dst| body.local(dst).ty));
                    let declared = program.method(named);
                    let is_any_of = |names: &[&str]| names.iter().any(|start| declared.name.starts_with(start));
                    let is_identity = program.class_name(declared.class) == "Models.System.Identity";
                    let told = match is_any_of(SEARCHING) {
                        true => args.get(1..).unwrap_or_default(),
                        false if is_identity || is_any_of(COMPARING) => args,
                        false => &[],
                    };
                    let types: Vec<Type> = told.iter().map(|&arg| type_of(body, arg)).collect();
                    compared.extend(types.iter().flat_map(|&one| types.iter().map(move |&other| (one, other))));
                }
                _ => {}
            }
        }
    }
    let is_related = |one: Type, other: Type| one != Type::Null && are_related(program, one, other);
    given.retain(|ty| is_of_library(ty) && *ty != string);
    all.into_iter().any(|ty| {
        given.iter().any(|&source| {
            let may_be_it = |side: Type| is_related(side, ty) && is_related(side, source);
            is_related(source, ty) && compared.iter().any(|&(one, other)| may_be_it(one) && may_be_it(other))
        })
    })
}

/// The type of a value before the compiler's conversions.
fn type_of(body: &Body, mut value: ExprId) -> Type {
    while let Expr::Convert { value: inner, .. } = *body.expr(value) {
        value = inner;
    }
    body.expr_type(value)
}

fn may_be_shared(cs: Cs, ty: Type) -> bool {
    match ty {
        Type::Class(class) => !sharing::is_immutable(cs.program, class) && !cs.program.is_pointer(class),
        _ => ty.is_reference(),
    }
}

/// The types that objects of both sides may have.
fn common(cs: Cs, one: &Below, other: &Below) -> Vec<Type> {
    let mut found: Vec<Type> = Vec::new();
    found.extend(one.types.iter().filter(|_| other.is_any));
    found.extend(other.types.iter().filter(|_| one.is_any));
    for &ty in &one.types {
        for &like in other.types.iter().filter(|&&like| are_related(cs.program, ty, like)) {
            found.push(if cs.program.is_assignable(ty, like) { ty } else { like });
        }
    }
    found
}

/// The types of objects to which others lead.
#[derive(Clone, Default)]
struct Below {
    types: FxHashSet<Type>,
    /// Whether there may be objects of any type.
    is_any: bool,
}

impl Below {
    fn of(cs: Cs, from: impl IntoIterator<Item = Type>) -> Below {
        let mut below = Below::default();
        let mut pending: Vec<Type> = from.into_iter().collect();
        let mut seen: FxHashSet<Type> = pending.iter().copied().collect();
        while let Some(ty) = pending.pop() {
            for part in below.parts(cs, ty) {
                if may_be_shared(cs, part) {
                    below.types.insert(part);
                    if seen.insert(part) {
                        pending.push(part);
                    }
                }
            }
        }
        below
    }

    fn parts(&mut self, cs: Cs, ty: Type) -> Vec<Type> {
        let program = cs.program;
        let Type::Class(class) = ty else {
            let Type::Array(array) = ty else { return Vec::new() };
            return vec![program.element_type(array)];
        };
        let mut parts: Vec<Type> = Vec::new();
        for class in program.subclasses(class).into_iter().filter(|&class| !program.class(class).is_library) {
            parts.extend(program.instance_fields(class).into_iter().map(|field| program.field(field).ty));
        }
        if !program.class(class).is_library || sharing::refers_to_nothing(program, class) {
            return parts;
        }
        // What callers get from a collection are the objects that are its type arguments.
        let arguments = match cs.loader.kind_of(class) {
            Some(ClassKind::Type(ty)) if cs.kind(ty) != Kind::Delegate => {
                cs.declared(ty).map(|(_, arguments)| arguments)
            }
            _ => None,
        };
        let arguments = arguments.filter(|arguments| !arguments.is_empty());
        let leaves = arguments.and_then(|arguments| {
            arguments.iter().map(|&argument| cs.leaves(argument).ok()).collect::<Option<Vec<_>>>()
        });
        match leaves {
            Some(leaves) => parts.extend(leaves.iter().flat_map(|leaves| leaves.iter().map(|leaf| leaf.ty))),
            None => self.is_any = true,
        }
        self.is_any |= parts.contains(&Type::Class(cs.object_class()));
        parts
    }
}

/// Whether code changes objects of a type, or compares references to them.
fn is_told(cs: Cs, method: MethodId, body: &Body, ty: Type) -> bool {
    let program = cs.program;
    // A constructor changes a new object.
    let is_constructor = program.method(method).kind == MethodKind::Constructor;
    let is_new = |object: ExprId| is_constructor && *body.expr(object) == Expr::Local(LocalId(0));
    let is_it = |other: Type| are_related(program, ty, other);
    let is_one = |expr: ExprId| is_it(type_of(body, expr)) && type_of(body, expr) != Type::Null;
    let is_compared = |expr: &Expr| match *expr {
        Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, _, left, right) => is_one(left) && is_one(right),
        _ => false,
    };
    let is_told = |op: &OpKind| match *op {
        OpKind::PutField { object, .. } => is_one(object) && !is_new(object),
        OpKind::ArrayPut { array, .. } => is_one(array),
        OpKind::Call { dispatch, method: named, ref args, .. } if runs_platform_code(program, dispatch, named) => {
            let references = || args.iter().enumerate().filter(|(_, arg)| body.expr_type(**arg).is_reference());
            let is_changed = |(index, &arg): (usize, &ExprId)| is_one(arg) && program.may_change(named, index);
            let is_construction = program.method(named).kind == MethodKind::Constructor;
            references().any(is_changed)
                || references().count() > 1 && !is_construction && references().any(|(_, &arg)| is_one(arg))
        }
        _ => false,
    };
    body.exprs.iter().any(is_compared) || body.ops().any(|(_, op)| is_told(&op.kind))
}
