//! What can libraries call, whose code is not looked at?

use crate::body::{Dispatch, OpKind};
use crate::program::{ClassId, MethodId, Program};
use crate::span::Span;
use rustc_hash::FxHashSet;

/// Packages and classes of Java whose methods can call what they are told by name.
const REFLECTIVE: [&str; 4] = ["java.lang.Class", "java.lang.invoke.", "java.lang.reflect.", "java.util.ServiceLoader"];
/// Methods of `java.lang.Class` that do not.
const TELLING: [&str; 5] = ["getName", "getSimpleName", "hashCode", "equals", "desiredAssertionStatus"];

/// The methods of the program proper that a library may call: those that override one of a library's, and the code of
/// lambdas and method references. `None`: any.
pub(super) fn called_back(program: &Program) -> Option<FxHashSet<MethodId>> {
    let mut called = FxHashSet::default();
    let is_library = |class: ClassId| program.class(class).is_library;
    for method in program.own_methods() {
        if overrides_library(program, method) {
            called.insert(method);
        }
        let Some(body) = program.body(method) else { continue };
        for op in body.blocks.iter().flat_map(|block| &block.ops) {
            let OpKind::Call { dispatch, method: callee, .. } = op.kind else { continue };
            let declared = program.method(callee);
            if !is_library(declared.class) {
                continue;
            }
            let class = program.class_name(declared.class);
            let is_reflective = REFLECTIVE.iter().any(|name| class.starts_with(name));
            if is_reflective && !TELLING.contains(&declared.name.as_str()) {
                return None;
            }
            if dispatch == Dispatch::Static && is_made_up(program, declared.class) {
                called.extend(functions(program, callee));
            }
        }
    }
    Some(called)
}

/// Whether a class is neither the program's nor a library's: the front end made it for what needs it.
fn is_made_up(program: &Program, class: ClassId) -> bool {
    let class = program.class(class);
    class.is_library && class.span == Span::NONE
}

/// What the objects call that a method makes, of classes that are made up.
fn functions(program: &Program, maker: MethodId) -> Vec<MethodId> {
    let ops = |method: MethodId| {
        program.body(method).into_iter().flat_map(|body| &body.blocks).flat_map(|block| &block.ops).map(|op| &op.kind)
    };
    let made = ops(maker).filter_map(|op| match *op {
        OpKind::New { class, .. } if is_made_up(program, class) => Some(class),
        _ => None,
    });
    let mut found = Vec::new();
    for method in made.flat_map(|class| program.class(class).methods.clone()) {
        for op in ops(method) {
            match *op {
                OpKind::Call { dispatch: Dispatch::Virtual, method: named, .. } => {
                    let name = &program.method(named).name;
                    found.extend(program.own_methods().filter(|&own| program.method(own).name == *name));
                }
                OpKind::Call { method: callee, .. } => found.push(callee),
                _ => {}
            }
        }
    }
    found
}

fn overrides_library(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let above = program.supertypes(declared.class).into_iter().filter(|&class| program.class(class).is_library);
    above.into_iter().any(|class| {
        let named = program.methods_named(class, &declared.name);
        named.iter().any(|&other| program.method(other).params.get(1..) == declared.params.get(1..))
    })
}
