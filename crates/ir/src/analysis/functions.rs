//! Finds the methods that run only through function objects: the code of lambda expressions, and methods that
//! delegates or method references name.

use super::callbacks::is_made_up;
use super::reached::reached;
use crate::body::{Body, OpKind, Point};
use crate::program::{ClassId, MethodId, MethodKind, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The methods of a program that run only through function objects, and where these are made.
///
/// A function object has a class that the front end made up, and whose methods call the method. Without the object,
/// nothing can call them.
#[derive(Clone, Debug, Default)]
pub struct FunctionObjects {
    made: FxHashMap<MethodId, Vec<(MethodId, Point)>>,
}

impl FunctionObjects {
    /// Analyses `program`, which must be well-formed ([`crate::validate`]).
    pub fn new(program: &Program) -> Self {
        let mut made: FxHashMap<ClassId, Vec<(MethodId, Point)>> = FxHashMap::default();
        // Methods that run in other ways, too.
        let mut called: FxHashSet<MethodId> = FxHashSet::default();
        for method in program.own_methods() {
            if program.is_public(method) || program.is_start(method) || is_selected(program, method) {
                called.insert(method);
            }
            for (point, op) in program.body(method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::New { class, .. } if is_made_up(program, class) => {
                        made.entry(class).or_default().push((method, point));
                    }
                    OpKind::Call { method: callee, .. } | OpKind::Ensure { method: callee, .. } => {
                        called.insert(callee);
                    }
                    _ => {}
                }
            }
        }
        let mut through: FxHashMap<MethodId, FxHashSet<ClassId>> = FxHashMap::default();
        let mut made_elsewhere: FxHashSet<ClassId> = FxHashSet::default();
        let made_up = program.classes().filter(|&(id, _)| is_made_up(program, id));
        for (class, method) in made_up.flat_map(|(id, class)| class.methods.iter().map(move |&method| (id, method))) {
            for (_, op) in program.body(method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::New { class, .. } => {
                        made_elsewhere.insert(class);
                    }
                    OpKind::Call { method: callee, .. } if program.method(method).kind == MethodKind::Instance => {
                        through.entry(callee).or_default().insert(class);
                    }
                    OpKind::Call { method: callee, .. } | OpKind::Ensure { method: callee, .. } => {
                        called.insert(callee);
                    }
                    _ => {}
                }
            }
        }
        through.retain(|method, classes| {
            !program.is_library_method(*method) && !called.contains(method) && classes.is_disjoint(&made_elsewhere)
        });
        let places = |classes: &FxHashSet<ClassId>| {
            classes.iter().flat_map(|class| made.get(class).into_iter().flatten().copied()).collect()
        };
        FunctionObjects { made: through.iter().map(|(&method, classes)| (method, places(classes))).collect() }
    }

    /// Where the program makes the function objects through which alone a method runs. `None` if it may run otherwise.
    pub fn made_at(&self, method: MethodId) -> Option<&[(MethodId, Point)]> {
        self.made.get(&method).map(Vec::as_slice)
    }
}

/// Whether a virtual call that names another method may run a method.
fn is_selected(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    declared.kind == MethodKind::Instance
        && program.supertypes(declared.class).into_iter().any(|above| {
            let mut named = program.class(above).methods.iter();
            named.any(|&named| named != method && program.select(declared.class, named).is_ok_and(|it| it == method))
        })
}

/// Whether an execution of an entry point may run one of these methods, which run only through function objects
/// ([`FunctionObjects`]): because it makes such an object, or because it may get one as an input or from a static field.
pub fn may_run_functions(program: &Program, entry: MethodId, functions: &FxHashSet<MethodId>) -> bool {
    let mut types = program.method(entry).params.clone();
    for method in reached(program, entry) {
        if functions.contains(&method) {
            return true;
        }
        for (_, op) in program.body(method).into_iter().flat_map(Body::ops) {
            if let OpKind::GetStatic { field, .. } = op.kind
                && !is_made_up(program, program.field(field).class)
            {
                types.push(program.field(field).ty);
            }
        }
    }
    lead_to_functions(program, types)
}

/// Whether values of these types may be function objects, or refer to some.
fn lead_to_functions(program: &Program, types: Vec<Type>) -> bool {
    let mut pending = types;
    let mut seen: FxHashSet<ClassId> = FxHashSet::default();
    while let Some(ty) = pending.pop() {
        match ty {
            Type::Array(array) => pending.push(program.element_type(array)),
            Type::Class(class) if !program.is_immutable(class) => {
                for class in program.subclasses(class) {
                    if program.class(class).is_library {
                        return true;
                    }
                    if seen.insert(class) {
                        let above = program.supertypes(class).into_iter();
                        let fields = above.flat_map(|class| &program.class(class).fields);
                        pending.extend(fields.map(|&field| program.field(field).ty));
                    }
                }
            }
            _ => {}
        }
    }
    false
}
