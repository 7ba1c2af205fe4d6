//! Finds the methods that library code outside the analysis can call.

use crate::body::{Body, Dispatch, OpKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program};
use crate::span::Span;
use rustc_hash::FxHashSet;

/// The methods of the program proper that libraries outside the analysis, or synthetic code for them, may call:
/// overriders of library methods, the code of lambdas and method references, and class initializers.
#[derive(Clone, Debug, Default)]
pub struct Callbacks {
    /// `None` means that any method may be called.
    pub(super) methods: Option<FxHashSet<MethodId>>,
    /// Fields that synthetic code reads: components of records, enum constants.
    pub(super) fields: FxHashSet<FieldId>,
}

impl Callbacks {
    /// The callbacks of `program`, which must be well-formed ([`crate::validate`]). There are none if all code is
    /// known.
    pub fn new(program: &Program) -> Self {
        if let Some(methods) = program.profile().runtime.callbacks(program) {
            Callbacks { methods: Some(methods.into_iter().collect()), ..Callbacks::default() }
        } else if program.grows() {
            called_back(program)
        } else {
            Callbacks { methods: Some(FxHashSet::default()), ..Callbacks::default() }
        }
    }
}

fn called_back(program: &Program) -> Callbacks {
    let mut called = selected_by_libraries(program);
    let mut fields = FxHashSet::default();
    let mut made_up = Vec::new();
    for method in program.own_methods() {
        for (_, callee) in calls(program, method) {
            if program.is_reflective(callee) {
                return Callbacks::default();
            }
            if is_made_up(program, program.method(callee).class) {
                made_up.push(callee);
            }
        }
    }
    let mut seen: FxHashSet<MethodId> = FxHashSet::default();
    while let Some(method) = made_up.pop() {
        if !seen.insert(method) {
            continue;
        }
        for (dispatch, callee) in calls(program, method) {
            let class = program.method(callee).class;
            if dispatch == Dispatch::Virtual {
                let receivers = program.subclasses(class).into_iter();
                called.extend(receivers.filter_map(|class| selected(program, class, callee)));
            } else if !program.class(class).is_library {
                called.insert(callee);
            }
            if is_made_up(program, class) {
                made_up.push(callee);
            }
        }
        for op in ops(program, method) {
            match *op {
                OpKind::New { class, .. } if is_made_up(program, class) => {
                    made_up.extend(&program.class(class).methods);
                }
                OpKind::GetField { field, .. } | OpKind::GetStatic { field, .. } => {
                    fields.insert(field);
                }
                _ => {}
            }
        }
    }
    Callbacks { methods: Some(called), fields }
}

/// Whether the front end made the class, so that it belongs neither to the program nor to a library.
pub(super) fn is_made_up(program: &Program, class: ClassId) -> bool {
    let class = program.class(class);
    class.is_library && class.span == Span::NONE
}

fn ops(program: &Program, method: MethodId) -> impl Iterator<Item = &OpKind> {
    program.body(method).into_iter().flat_map(Body::ops).map(|(_, op)| &op.kind)
}

/// The methods that a method names in calls.
fn calls(program: &Program, method: MethodId) -> impl Iterator<Item = (Dispatch, MethodId)> {
    ops(program, method).filter_map(|op| match *op {
        OpKind::Call { dispatch, method, .. } => Some((dispatch, method)),
        OpKind::Ensure { method, .. } => Some((Dispatch::Static, method)),
        _ => None,
    })
}

/// The methods of the program proper that run when a library calls a library method on an object of a program class. A
/// class may inherit such a method from a class that does not know the library.
pub(super) fn selected_by_libraries(program: &Program) -> FxHashSet<MethodId> {
    let mut found: FxHashSet<MethodId> = program.profile().runtime.selected_by_libraries(program).into_iter().collect();
    found.extend(program.known_targets(None, || overriding_libraries(program)).iter());
    found
}

/// The methods of the program proper that override a library method, or implement it.
fn overriding_libraries(program: &Program) -> Vec<MethodId> {
    let own: Vec<ClassId> = program.classes().filter(|(_, class)| !class.is_library).map(|(id, _)| id).collect();
    let mut found = FxHashSet::default();
    for class in own {
        let above = program.supertypes(class).into_iter().filter(|&above| program.class(above).is_library);
        let named = above.flat_map(|above| &program.class(above).methods).copied();
        found.extend(named.filter_map(|method| selected(program, class, method)));
    }
    found.into_iter().collect()
}

/// The method of the program proper that a virtual call runs on an object of `class`, or of a synthetic class below it.
/// `class` may be an interface, because lambdas inherit methods of interfaces.
fn selected(program: &Program, class: ClassId, method: MethodId) -> Option<MethodId> {
    if program.method(method).kind != MethodKind::Instance {
        return None;
    }
    let found = program.select(class, method).ok()?;
    (!program.is_library_method(found)).then_some(found)
}
