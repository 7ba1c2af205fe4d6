//! Generates calls that select no method (JVM specification, 6.5, `invokevirtual` and `invokeinterface`).

use super::traps;
use crate::loader::Java;
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{Access, Body, ClassId, Method, MethodId, Span, Unselected};

/// A method that replaces the method that a call names, and throws.
pub(crate) fn unselected(java: Java, class: ClassId, named: MethodId, reason: Unselected) -> MethodId {
    let program = java.program;
    let is_known = program.is_subclass(class, program.method(named).class)
        && program.supertypes(class).into_iter().all(|above| java.class(above).is_some());
    let error = match reason {
        Unselected::Abstract => Some("java.lang.AbstractMethodError"),
        Unselected::Inaccessible => Some("java.lang.IllegalAccessError"),
        // The specification requires an IncompatibleClassChangeError; HotSpot throws an AbstractMethodError in some
        // cases.
        Unselected::Ambiguous => None,
    };
    let error = error.filter(|_| is_known);
    let name = match error {
        Some(error) => format!("throw {error} in place of {}", named.0),
        None => format!("what is not known in place of {}", named.0),
    };
    let declare =
        || Method { access: Access::Public, is_abstract: false, span: Span::NONE, ..program.method(named).clone() };
    java.shared_method(&name, declare, move |java| body(java, named, error))
}

fn body(java: Java, named: MethodId, error: Option<&'static str>) -> Body {
    let (params, name) = (&java.program.method(named).params, java.program.method_name(named));
    let Some(error) = error else {
        return unsupported(params, format!("a call of {name} on an object whose class selects no method"));
    };
    let mut code = Builder::new(params);
    traps::throw_without_message(java, &mut code, error);
    code.finish()
}
