//! Defines which classes can exist, and finds calls that classes outside of the program could affect.

use crate::before::{bound, matters, shortened};
use aback_ir::analysis::{is_made_here, reached, runs_platform_code};
use aback_ir::{Body, ClassId, Dispatch, ExprId, Intrinsic, MethodId, OpKind, Program, Type};
use aback_symbolic::{Gap, Query};
use std::collections::BTreeSet;

/// The classes that can exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum World {
    /// Only the classes of the program and of its libraries.
    #[default]
    Closed,
    /// Other classes, too. They may extend and implement the types that code outside of the program can extend.
    Open,
}

/// Bounds for operations on inputs whose result classes outside of the program could change.
pub(crate) fn unknown_code(program: &Program, query: &Query, is_sliced: bool) -> Vec<Gap> {
    let methods = reached(program, query.entry);
    let bodies: Vec<(MethodId, &Body)> =
        methods.into_iter().filter_map(|method| Some((method, program.body(method)?))).collect();
    let is_object = |ty: &Type| match *ty {
        Type::Class(class) => !program.is_immutable(class),
        Type::Array(array) => match program.element_type(array) {
            Type::Class(class) => !program.is_immutable(class),
            element => element.is_reference(),
        },
        _ => false,
    };
    let asks = |body: &Body| {
        body.ops().any(|(_, op)| match &op.kind {
            OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(ty) | Intrinsic::NondetArray(ty), .. } => is_object(ty),
            _ => false,
        })
    };
    let has_objects =
        program.method(query.entry).params.iter().any(is_object) || bodies.iter().any(|(_, body)| asks(body));
    if !has_objects {
        return Vec::new();
    }
    let matters = matters(program, query, is_sliced);
    let mut unknown = Unknown::default();
    for (method, body) in bodies.into_iter().filter(|&(method, _)| !program.is_library_method(method)) {
        for (point, op) in body.ops() {
            let mut here = Unknown::default();
            here.look(program, method, body, &op.kind);
            if !(here.methods.is_empty() && here.classes.is_empty()) && matters(method, point) {
                unknown.methods.append(&mut here.methods);
                unknown.classes.append(&mut here.classes);
            }
        }
    }
    let methods: Vec<String> = unknown.methods.iter().map(|&method| program.method_name(method)).collect();
    let classes: Vec<&str> = unknown.classes.iter().map(|&class| program.class_name(class)).collect();
    let overrides = || format!("no unknown class overrides {}", shortened(&methods));
    let extends = || format!("no unknown class extends or implements {}", shortened(&classes));
    let overrides = (!methods.is_empty()).then(|| bound(overrides(), query.entry));
    let extends = (!classes.is_empty()).then(|| bound(extends(), query.entry));
    overrides.into_iter().chain(extends).collect()
}

/// Declarations through which classes outside of the program could change an execution.
#[derive(Default)]
struct Unknown {
    /// Methods that these classes could override.
    methods: BTreeSet<MethodId>,
    /// Classes that these classes could extend or implement, where the program tests the class of an object, or
    /// passes the object to a library that calls its methods.
    classes: BTreeSet<ClassId>,
}

impl Unknown {
    /// Adds what matters of one operation.
    fn look(&mut self, program: &Program, method: MethodId, body: &Body, op: &OpKind) {
        let open = |object: ExprId| match body.expr_type(object) {
            Type::Class(class) if program.is_extendable(class) && !is_made_here(program, method, object) => Some(class),
            _ => None,
        };
        match *op {
            OpKind::InstanceOf { object, ty, .. } => {
                self.classes.extend(open(object));
                self.classes.extend(program.class_of(ty).filter(|&class| program.is_extendable(class)));
            }
            OpKind::Cast { object, .. } => self.classes.extend(open(object)),
            OpKind::Call { dispatch, method: named, ref args, .. } => {
                let receiver = args.first().copied();
                let is_own = dispatch == Dispatch::Virtual && program.is_overridable(named);
                if is_own && !receiver.is_some_and(|receiver| is_made_here(program, method, receiver)) {
                    self.methods.insert(named);
                }
                if runs_platform_code(program, dispatch, named) && program.may_call_back(named) {
                    self.classes.extend(args.iter().filter_map(|&arg| open(arg)));
                }
            }
            _ => {}
        }
    }
}
