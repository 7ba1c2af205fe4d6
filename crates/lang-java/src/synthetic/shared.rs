//! Determines whether it can matter that inputs share objects with static fields.
//!
//! A caller may pass an object that is held by a static field of the program or reachable from such an object, and
//! other inputs may reach these objects as well. Held objects are offered as arguments themselves ([`super::entry`]).
//! Apart from that, a program can observe sharing only if it reads such a field and if objects of one type can be on
//! both sides. Types are followed from field to field; collections may hold anything.

use crate::inputs;
use crate::loader::Java;
use crate::types::{self, STRING};
use aback_ir::analysis::{reached, runs_platform_code};
use aback_ir::{BinaryOp, Body, ClassId, Dispatch, Expr, ExprId, FieldId, MethodId, OpKind, Type};
use rustc_hash::FxHashSet;

/// The operations by which the program's own code can distinguish equal objects.
pub(super) struct Uses {
    /// The static fields of the program's own classes that the code reads, except in class initializers.
    pub(super) read: FxHashSet<FieldId>,
    /// Classes whose objects are never inputs but reach the code in another way: enums, and the class of class
    /// objects.
    pub(super) constants: FxHashSet<ClassId>,
    /// Static types of references that are compared with each other.
    compared: FxHashSet<(Type, Type)>,
    /// Static types of references that are passed to the library together, which may compare them.
    passed: FxHashSet<(Type, Type)>,
}

impl Uses {
    /// The uses by the program's own code that executions of `entry` reach. If the entry point itself is a class
    /// initializer, its reads count. Other code distinguishes no objects.
    pub(super) fn new(java: Java, entry: MethodId) -> Uses {
        // Inputs are objects of loaded classes. At least the classes that the program's code names must be loaded,
        // because users expect objects of these.
        java.program.own_methods().for_each(|method| {
            java.program.body(method);
        });
        let mut uses = Uses {
            read: FxHashSet::default(),
            constants: FxHashSet::default(),
            compared: FxHashSet::default(),
            passed: FxHashSet::default(),
        };
        uses.constants.extend(java.program.method(entry).params.iter().filter_map(|&ty| constant(java, ty)));
        for method in reached(java.program, entry) {
            let Some(body) = java.program.body(method) else { continue };
            let initializes = java.program.method(method).name == "<clinit>" && method != entry;
            for (_, op) in body.ops() {
                let is_passed_on =
                    matches!(op.kind, OpKind::Assign { .. } | OpKind::Cast { .. } | OpKind::GetField { .. });
                let made = op.kind.dst().filter(|_| !is_passed_on).map(|dst| body.local(dst).ty);
                uses.constants.extend(made.and_then(|ty| constant(java, ty)));
                match op.kind {
                    // Inputs may have a class that the code tests for.
                    OpKind::InstanceOf { ty: Type::Class(class), .. } => {
                        java.program.class(class);
                    }
                    OpKind::GetStatic { field, .. } if !initializes => {
                        let declared = java.program.field(field);
                        if !java.program.class(declared.class).is_library && declared.name != "$VALUES" {
                            uses.read.insert(field);
                        }
                    }
                    OpKind::Call { dispatch, method: named, ref args, .. } => {
                        uses.look_at_call(java, body, dispatch, named, args);
                    }
                    _ => {}
                }
            }
            for expr in &body.exprs {
                if let Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, _, left, right) = *expr {
                    let (left, right) = (body.expr_type(left), body.expr_type(right));
                    if [left, right].iter().all(|&ty| ty != Type::Null && ty.is_reference()) {
                        uses.compared.insert((left, right));
                    }
                }
            }
        }
        uses
    }

    fn look_at_call(&mut self, java: Java, body: &Body, dispatch: Dispatch, named: MethodId, args: &[ExprId]) {
        if let [receiver, other] = *args
            && java.program.method(named).name == "equals"
            && compares_identities(java, body.expr_type(receiver), named)
        {
            self.compared.insert((body.expr_type(receiver), body.expr_type(other)));
        }
        if !runs_platform_code(java.program, dispatch, named) {
            return;
        }
        let types = args.iter().map(|&arg| body.expr_type(arg));
        let types: Vec<Type> = types.filter(|ty| ty.is_reference()).collect();
        // The methods of an array do not examine its elements.
        let receiver = usize::from(dispatch != Dispatch::Static);
        let elements = types.iter().skip(receiver).filter_map(|&ty| element(java, ty));
        self.passed.extend(elements.map(|element| (element, element)));
        for (index, &one) in types.iter().enumerate() {
            let others = types.iter().enumerate().filter(|&(other, _)| other != index);
            self.passed.extend(others.map(|(_, &other)| (one, other)));
        }
    }

    /// Whether references to objects of a type are compared with each other.
    pub(super) fn compares(&self, java: Java, ty: Type) -> bool {
        self.compared.iter().any(|&(a, b)| are_related(java, a, ty) || are_related(java, b, ty))
    }

    /// Whether the code can observe that inputs of a type are none of the constants that it gets otherwise.
    fn tells_constants(&self, java: Java, ty: Type) -> bool {
        self.constants.iter().any(|&class| self.tells_constants_of(java, class, ty))
    }

    /// Like [`Self::tells_constants`], for the constants of one class.
    pub(super) fn tells_constants_of(&self, java: Java, class: ClassId, ty: Type) -> bool {
        let takes = |other: Type| java.program.is_assignable(Type::Class(class), other);
        let compares = |&(a, b): &(Type, Type)| takes(a) && takes(b) && !(is_constant(java, a) && is_constant(java, b));
        // The library may compare a constant with the other reference, or with what that reference reaches.
        let passes = |&(a, b): &(Type, Type)| {
            let holds = |ty: Type| matches!(ty, Type::Class(class) if java.program.is_platform(class) && !java.program.is_immutable(class));
            takes(a) && (takes(b) || holds(b))
        };
        takes(ty) && !is_constant(java, ty) && (self.compared.iter().any(compares) || self.passed.iter().any(passes))
    }

    /// Whether the identity of references of a type may be compared with that of objects that only the library knows:
    /// constants of its enums, boxes, literals, and the contents of its static fields. Strings and boxes that are
    /// arguments are created as the library has them ([`super::entry`]), unless the program holds others.
    pub(super) fn compares_library_objects(&self, java: Java, ty: Type) -> bool {
        let is_own = |ty: Type| match ty {
            Type::Class(class) => !java.program.class(class).is_library,
            _ => true,
        };
        self.compared.iter().any(|&(a, b)| {
            let is_made = (a, b) == (ty, ty)
                && is_value(java, ty)
                && !self.read.iter().any(|&field| java.program.field(field).ty == ty);
            // A reference whose type is a constant's was cast from an input, and this cast tests its exact type.
            let are_constants = is_constant(java, a) && is_constant(java, b);
            are_related(java, a, ty)
                && are_related(java, b, ty)
                && !is_own(a)
                && !is_own(b)
                && !is_made
                && !are_constants
        })
    }
}

/// Whether objects of a type are constants, of which there is a fixed number.
fn is_constant(java: Java, ty: Type) -> bool {
    matches!(ty, Type::Class(class) if java.program.is_made_only(class))
}

/// The element type of an array of references.
fn element(java: Java, ty: Type) -> Option<Type> {
    let Type::Array(array) = ty else { return None };
    let element = java.program.element_type(array);
    Some(element).filter(|ty| ty.is_reference())
}

/// The class whose objects are never inputs, if the type is this class or an array of it.
fn constant(java: Java, ty: Type) -> Option<ClassId> {
    match ty {
        Type::Class(class) => java.program.is_made_only(class).then_some(class),
        Type::Array(array) => constant(java, java.program.element_type(array)),
        _ => None,
    }
}

fn are_related(java: Java, a: Type, b: Type) -> bool {
    java.program.is_assignable(a, b) || java.program.is_assignable(b, a)
}

/// Whether `equals` on a reference to a library class compares identities, because the class inherits it from
/// `Object`.
fn compares_identities(java: Java, receiver: Type, named: MethodId) -> bool {
    let Type::Class(class) = receiver else { return false };
    let declared = java.program.class(class);
    let object = java.named(types::OBJECT);
    let is_concrete = declared.is_library && !declared.is_interface && class != object;
    is_concrete && java.program.method(java.program.dispatch(class, named)).class == object
}

/// The types of reachable references.
#[derive(Default)]
struct Reached {
    types: FxHashSet<Type>,
    /// Whether objects of any class are reachable.
    is_any: bool,
}

/// The incompleteness that results from objects to which those of static fields lead.
const SHARED: &str =
    "inputs share no objects with static fields, except arguments to which a static field refers directly";
/// The incompleteness that results from objects of the library.
const LIBRARY: &str = "inputs are none of the objects that the library gives";

/// The incompleteness that can matter for an entry point with these parameters: inputs do not reach the same objects as static
/// fields do, or the same strings and boxes as the library has.
pub(super) fn bounds(java: Java, uses: &Uses, params: &[Type]) -> Vec<&'static str> {
    let given: Vec<Type> = params.iter().copied().filter(|&ty| is_shared(java, uses, ty)).collect();
    if given.is_empty() {
        return Vec::new();
    }
    let below_given = reach(java, uses, &given);
    let root = below_given.is_any.then(|| java.class_type(types::OBJECT));
    let mut all = given.iter().chain(&below_given.types).copied().chain(root);
    let library = all.any(|ty| uses.compares_library_objects(java, ty)).then_some(LIBRARY);
    let shared = shares(java, uses, &given, &below_given).then_some(SHARED);
    shared.into_iter().chain(library).collect()
}

/// Whether inputs of some types, or what is below them, can be objects to which static fields lead.
fn shares(java: Java, uses: &Uses, given: &[Type], below_given: &Reached) -> bool {
    let root = below_given.is_any.then(|| java.class_type(types::OBJECT));
    if below_given.types.iter().copied().chain(root).any(|ty| uses.tells_constants(java, ty)) {
        return true;
    }
    // Such values are compared ([`is_shared`]).
    if below_given.types.iter().any(|&ty| is_value(java, ty)) {
        return true;
    }
    let held = uses.read.iter().map(|&field| java.program.field(field).ty);
    let held: Vec<Type> = held.filter(|&ty| is_shared(java, uses, ty) && !is_value(java, ty)).collect();
    if held.is_empty() {
        return false;
    }
    let below_held = reach(java, uses, &held);
    let direct = |types: &[Type]| Reached { types: types.iter().copied().collect(), is_any: false };
    meet(java, below_given, &below_held)
        || meet(java, &direct(given), &below_held)
        || meet(java, below_given, &direct(&held))
}

/// Whether objects of a type are strings or boxes.
pub(super) fn is_value(java: Java, ty: Type) -> bool {
    let Type::Class(class) = ty else { return false };
    let name = java.program.class_name(class);
    name == STRING || inputs::BOXES.iter().any(|(boxed, _)| *boxed == name)
}

/// Whether the identity of objects of a type can matter. It does not matter for immutable objects, unless such
/// references are compared, and not for constants, which inputs never reach otherwise.
fn is_shared(java: Java, uses: &Uses, ty: Type) -> bool {
    let Type::Class(class) = ty else { return ty.is_reference() };
    let is_none = is_constant(java, ty) || java.program.is_uninhabited(class);
    !is_none && (!is_value(java, ty) || uses.compares(java, ty))
}

/// The types of the objects that objects of some types reach.
fn reach(java: Java, uses: &Uses, from: &[Type]) -> Reached {
    let mut reached = Reached::default();
    let mut seen: FxHashSet<Type> = from.iter().copied().collect();
    let mut pending: Vec<Type> = from.to_vec();
    while let Some(ty) = pending.pop() {
        let mut held: Vec<Type> = Vec::new();
        match ty {
            Type::Array(array) => held.push(java.program.element_type(array)),
            Type::Class(class) if java.program.class(class).is_library => {
                reached.is_any |= !is_value(java, ty);
            }
            Type::Class(class) => {
                for below in java.program.subclasses(class) {
                    let fields = java.program.instance_fields(below);
                    held.extend(fields.into_iter().map(|field| java.program.field(field).ty));
                }
            }
            _ => {}
        }
        for ty in held.into_iter().filter(|&ty| ty.is_reference() && is_shared(java, uses, ty)) {
            reached.types.insert(ty);
            reached.is_any |= ty == java.class_type(types::OBJECT);
            if seen.insert(ty) {
                pending.push(ty);
            }
        }
    }
    reached
}

/// Whether both can contain the same object.
fn meet(java: Java, a: &Reached, b: &Reached) -> bool {
    let is_some = |reached: &Reached| reached.is_any || !reached.types.is_empty();
    if a.is_any || b.is_any {
        return is_some(a) && is_some(b);
    }
    let fits = |&a: &Type, &b: &Type| java.program.is_assignable(a, b) || java.program.is_assignable(b, a);
    a.types.iter().any(|a| b.types.iter().any(|b| fits(a, b)))
}
