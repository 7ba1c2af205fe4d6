//! Generates the initialization of classes (JVM specification, 5.5).

use crate::loader::{Java, JavaClass, StaticConstant};
use crate::synthetic::{classes, constants, traps};
use aback_ir::builder::Builder;
use aback_ir::{
    Body, ClassId, Dispatch, Expr, ExprId, FieldId, Handler, Intrinsic, MethodId, MethodKind, OpKind, TerminatorKind,
    Type,
};

/// A static method of a model that runs after the class's own initializer.
const AFTER: &str = "$initialized";

/// The flag and the method of a class's initialization, or `None` if there is nothing to initialize.
pub(crate) fn make(java: Java, class: &JavaClass) -> Option<(FieldId, MethodId)> {
    let own = java.declared_method(class.id, "<clinit>", "()V").is_some()
        || !class.variable_constants().is_empty()
        || is_finalized(java, class);
    if !own && parents(java, class).is_empty() {
        return None;
    }
    let flag = java.new_static_field(&format!("{} is initialized", class.name), Type::Bool);
    let failed = java.new_static_field(&format!("{} could not be initialized", class.name), Type::Bool);
    let id = class.id;
    let method =
        java.new_static(&format!("initialize {}", class.name), &[], None, move |java| body(java, id, flag, failed));
    Some((flag, method))
}

/// The classes that are initialized before a class: its superclass, and those of its interfaces that have default
/// methods.
fn parents(java: Java, class: &JavaClass) -> Vec<(FieldId, MethodId)> {
    let declared = java.program.class(class.id);
    if declared.is_interface {
        return Vec::new();
    }
    let mut found: Vec<(FieldId, MethodId)> =
        declared.superclass.into_iter().filter_map(|superclass| java.initialization(superclass)).collect();
    for &interface in &declared.interfaces {
        for id in java.program.supertypes(interface) {
            let has_code = java.program.class(id).methods.iter().any(|&method| {
                let method = java.program.method(method);
                method.kind == MethodKind::Instance && !method.is_abstract
            });
            found.extend(has_code.then(|| java.initialization(id)).flatten().filter(|one| !found.contains(one)));
        }
    }
    found
}

/// Whether the garbage collector calls user code for objects of the class.
fn is_finalized(java: Java, class: &JavaClass) -> bool {
    !class.is_trusted && java.declared_method(class.id, "finalize", "()V").is_some()
}

fn body(java: Java, id: ClassId, flag: FieldId, failed: FieldId) -> Body {
    let mut code = Builder::new(&[]);
    let Some(class) = java.class(id) else {
        code.unsupported(format!("the class {}, which cannot be loaded", java.program.class_name(id)));
        return code.finish();
    };
    let has_failed = code.result(Type::Bool, |dst| OpKind::GetStatic { dst, field: failed });
    let (_, start) = code.branch(has_failed);
    let message = classes::literal(java, &mut code, &format!("Could not initialize class {}", class.name));
    let error = new(java, &mut code, "java.lang.NoClassDefFoundError", "(Ljava/lang/String;)V", vec![message]);
    if let Some(error) = error {
        traps::remember(java, &mut code, error, traps::NO_CLASS);
        code.end(TerminatorKind::Throw(error));
    }

    let exception = code.variable(java.class_type("java.lang.Throwable"));
    let on_failure = code.block();
    code.switch_to(start);
    let yes = code.bool(true);
    code.op(OpKind::PutStatic { field: flag, value: yes });
    let work = code.guarded_block(Handler { class: None, target: on_failure, exception });
    code.end(TerminatorKind::Goto(work));
    code.switch_to(work);
    for (field, method) in parents(java, &class) {
        code.op(OpKind::Ensure { field, method });
    }
    if is_finalized(java, &class) {
        // Every object of the class is created after this.
        let runs = code.result(Type::Bool, |dst| OpKind::Intrinsic {
            dst: Some(dst),
            intrinsic: Intrinsic::Nondet(Type::Bool),
            args: Vec::new(),
        });
        let (beyond, go_on) = code.branch(runs);
        code.switch_to(beyond);
        code.end(TerminatorKind::Bound("finalizers do not run".into()));
        code.switch_to(go_on);
    }
    for (field, constant) in class.variable_constants() {
        let value = match constant {
            StaticConstant::Value(constant) => code.expr(Expr::Const(constant.clone())),
            StaticConstant::String(units) => {
                let (made, method) = constants::string(java, units.clone());
                code.op(OpKind::Ensure { field: made, method });
                code.result(java.program.field(field).ty, |dst| OpKind::GetStatic { dst, field: made })
            }
        };
        code.op(OpKind::PutStatic { field, value });
    }
    if let Some(method) = java.declared_method(id, "<clinit>", "()V") {
        code.call(Dispatch::Static, method, Vec::new(), None);
    }
    if let Some(method) = java.declared_method(id, AFTER, "()V") {
        code.call(Dispatch::Static, method, Vec::new(), None);
    }
    code.ret(None);

    code.switch_to(on_failure);
    let (yes, no) = (code.bool(true), code.bool(false));
    code.op(OpKind::PutStatic { field: failed, value: yes });
    code.op(OpKind::PutStatic { field: flag, value: no });
    let object = code.local(exception);
    let error = java.class_type("java.lang.Error");
    let is_error = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: error });
    let (_, wrap) = code.branch(is_error);
    code.end(TerminatorKind::Throw(object));
    code.switch_to(wrap);
    let wrapper = "java.lang.ExceptionInInitializerError";
    throw_new(java, &mut code, wrapper, "(Ljava/lang/Throwable;)V", vec![object]);
    code.finish()
}

/// Ends the current block by throwing a new exception.
pub(crate) fn throw_new(java: Java, code: &mut Builder, class: &str, constructor: &str, args: Vec<ExprId>) {
    if let Some(exception) = new(java, code, class, constructor, args) {
        code.end(TerminatorKind::Throw(exception));
    }
}

/// A new exception. If the library does not have the class, the current block ends.
fn new(java: Java, code: &mut Builder, class: &str, constructor: &str, args: Vec<ExprId>) -> Option<ExprId> {
    let id = java.named(class);
    let Some(constructor) = java.declared_method(id, "<init>", constructor) else {
        code.unsupported(format!("{class}, which the library does not have"));
        return None;
    };
    if let Some((field, method)) = java.initialization(id) {
        code.op(OpKind::Ensure { field, method });
    }
    let exception = code.allocate(id);
    code.call(Dispatch::Special, constructor, [exception].into_iter().chain(args).collect(), None);
    Some(exception)
}
