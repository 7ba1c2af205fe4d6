//! Finds the methods that run through function objects: the code of lambda expressions, and methods that delegates or
//! method references name.

use super::callbacks::{is_made_up, selected_by_libraries};
use crate::body::{Body, OpKind, Point};
use crate::program::{ClassId, MethodId, MethodKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The methods of a program that run through function objects, and where these are made.
///
/// A function object has a class that the front end made up, and whose methods call the method. Without the object,
/// nothing can call them.
#[derive(Clone, Debug, Default)]
pub struct FunctionObjects {
    functions: FxHashMap<MethodId, Function>,
}

#[derive(Clone, Debug, Default)]
struct Function {
    /// The classes of the function objects.
    classes: FxHashSet<ClassId>,
    /// Where the program makes the function objects, if the method runs only through them.
    made: Option<Vec<(MethodId, Point)>>,
}

impl FunctionObjects {
    /// Analyses `program`, which must be well-formed ([`crate::validate`]).
    pub fn new(program: &Program) -> Self {
        let mut made: FxHashMap<ClassId, Vec<(MethodId, Point)>> = FxHashMap::default();
        // Methods that run in other ways, too.
        let mut called: FxHashSet<MethodId> = FxHashSet::default();
        let called_back = selected_by_libraries(program);
        for method in program.own_methods() {
            let is_selected = || called_back.contains(&method) || is_selected(program, method);
            if program.is_public(method) || program.is_start(method) || is_selected() {
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
        let mut functions: FxHashMap<MethodId, Function> = FxHashMap::default();
        let mut made_elsewhere: FxHashSet<ClassId> = FxHashSet::default();
        let made_up = program.classes().filter(|&(id, _)| is_made_up(program, id));
        for (class, method) in made_up.flat_map(|(id, class)| class.methods.iter().map(move |&method| (id, method))) {
            for (_, op) in program.body(method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::New { class, .. } => {
                        made_elsewhere.insert(class);
                    }
                    OpKind::Call { method: callee, .. } if program.method(method).kind == MethodKind::Instance => {
                        functions.entry(callee).or_default().classes.insert(class);
                    }
                    OpKind::Call { method: callee, .. } | OpKind::Ensure { method: callee, .. } => {
                        called.insert(callee);
                    }
                    _ => {}
                }
            }
        }
        functions.retain(|&method, _| !program.is_library_method(method));
        for (method, function) in &mut functions {
            if !called.contains(method) && function.classes.is_disjoint(&made_elsewhere) {
                let places = function.classes.iter().flat_map(|class| made.get(class).into_iter().flatten());
                function.made = Some(places.copied().collect());
            }
        }
        FunctionObjects { functions }
    }

    /// Where the program makes the function objects through which alone a method runs. `None` if it may run otherwise.
    pub fn made_at(&self, method: MethodId) -> Option<&[(MethodId, Point)]> {
        self.functions.get(&method)?.made.as_deref()
    }

    /// The classes of the function objects that run a method.
    pub fn classes(&self, method: MethodId) -> impl Iterator<Item = ClassId> + '_ {
        self.functions.get(&method).into_iter().flat_map(|function| function.classes.iter().copied())
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
