//! What can libraries call, whose code is not looked at?

use crate::body::{Body, Dispatch, OpKind};
use crate::program::{ClassId, MethodId, Program};
use crate::span::Span;
use rustc_hash::FxHashSet;

/// The methods of a program proper that libraries may call, whose code is not looked at, or what is made up for it: those that
/// override one of a library's, the code of lambdas and method references, initializers of classes.
#[derive(Clone, Debug)]
pub struct Callbacks {
    /// `None`: any may be called.
    pub(super) methods: Option<FxHashSet<MethodId>>,
}

impl Callbacks {
    /// Those of `program`, which has to be well formed ([`crate::validate`]). None where all code is known.
    pub fn new(program: &Program) -> Self {
        Callbacks { methods: if program.has_loader() { called_back(program) } else { Some(FxHashSet::default()) } }
    }
}

fn called_back(program: &Program) -> Option<FxHashSet<MethodId>> {
    let mut called = FxHashSet::default();
    let mut made_up = Vec::new();
    for method in program.own_methods() {
        if overrides_library(program, method) {
            called.insert(method);
        }
        for (_, callee) in calls(program, method) {
            if program.is_reflective(callee) {
                return None;
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
                let name = &program.method(callee).name;
                called.extend(program.own_methods().filter(|&own| program.method(own).name == *name));
            } else if !program.class(class).is_library {
                called.insert(callee);
            }
            if is_made_up(program, class) {
                made_up.push(callee);
            }
        }
        for op in ops(program, method) {
            if let OpKind::New { class, .. } = *op
                && is_made_up(program, class)
            {
                made_up.extend(&program.class(class).methods);
            }
        }
    }
    Some(called)
}

/// Whether a class is neither the program's nor a library's: the front end made it for what needs it.
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

pub(super) fn overrides_library(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let above = program.supertypes(declared.class).into_iter().filter(|&class| program.class(class).is_library);
    above.into_iter().any(|class| {
        let named = program.methods_named(class, &declared.name);
        named.iter().any(|&other| program.method(other).params.get(1..) == declared.params.get(1..))
    })
}
