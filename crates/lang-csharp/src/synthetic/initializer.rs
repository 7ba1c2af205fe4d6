//! Generates the initialization of types (ECMA-335, I.8.9.5).

use crate::loader::Cs;
use crate::members::MethodKey;
use crate::synthetic::exceptions;
use crate::types::TyId;
use aback_ir::builder::Builder;
use aback_ir::{Body, Dispatch, FieldId, Handler, MethodId, OpKind, TerminatorKind, Type};

/// The class-initialization guard and the method that initializes a type; `None` if it has no static constructor.
pub(crate) fn make(cs: Cs, ty: TyId) -> Option<(FieldId, MethodId)> {
    let constructor = cs.method_named(ty, ".cctor", 0)?;
    let name = cs.name(ty);
    let flag = cs.new_static_field(&format!("{name} is initialized"), Type::Bool);
    let failed = cs.new_static_field(&format!("{name} could not be initialized"), exceptions::exception(cs));
    let build = move |cs: Cs| body(cs, &constructor, flag, failed);
    Some((flag, cs.new_static(&format!("initialize {name}"), &[], None, build)))
}

fn body(cs: Cs, constructor: &MethodKey, flag: FieldId, failed: FieldId) -> Body {
    let mut code = Builder::new(&[]);
    let ty = cs.program.field(failed).ty;
    let error = code.result(ty, |dst| OpKind::GetStatic { dst, field: failed });
    let null = code.null();
    let has_failed = code.binary(aback_ir::BinaryOp::Ne, ty, error, null);
    let (_, start) = code.branch(has_failed);
    code.end(TerminatorKind::Throw(error));

    let exception = code.variable(ty);
    let on_failure = code.block();
    code.switch_to(start);
    let yes = code.bool(true);
    code.op(OpKind::PutStatic { field: flag, value: yes });
    let work = code.guarded_block(Handler { class: None, target: on_failure, exception });
    code.end(TerminatorKind::Goto(work));
    code.switch_to(work);
    code.call(Dispatch::Static, cs.method(constructor), Vec::new(), None);
    code.ret(None);

    code.switch_to(on_failure);
    let no = code.bool(false);
    code.op(OpKind::PutStatic { field: flag, value: no });
    let inner = code.local(exception);
    let Ok(class) = cs.library_class("System", "TypeInitializationException") else {
        code.unsupported("System.TypeInitializationException, which the class library does not have");
        return code.finish();
    };
    let wrapper = code.allocate(class);
    if let Some(field) = cs.program.find_field(class, "_innerException") {
        code.op(OpKind::PutField { object: wrapper, field, value: inner });
    }
    code.op(OpKind::PutStatic { field: failed, value: wrapper });
    code.end(TerminatorKind::Throw(wrapper));
    code.finish()
}
