//! Makes the exceptions that the runtime throws.

use crate::layout::INT;
use crate::loader::Cs;
use crate::synthetic::literals;
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Dispatch, ExprId, MethodId, OpKind, TerminatorKind, Trap, Type};
use std::sync::Arc;

/// The name of the class of the exceptions that a trap throws, in the namespace `System`.
pub(crate) fn class(trap: Trap) -> &'static str {
    match trap {
        Trap::NullDereference => "NullReferenceException",
        Trap::IndexOutOfBounds => "IndexOutOfRangeException",
        Trap::NegativeArraySize => "OverflowException",
        Trap::ArrayTooLong => "OutOfMemoryException",
        Trap::DivisionByZero => "DivideByZeroException",
        Trap::BadCast => "InvalidCastException",
        Trap::BadArrayStore => "ArrayTypeMismatchException",
    }
}

/// A method that throws a new exception of a class in the namespace `System`.
pub(crate) fn thrower(cs: Cs, name: &'static str) -> MethodId {
    cs.helper(&format!("throw System.{name}"), &[], None, move |cs| {
        let mut code = Builder::new(&[]);
        throw_new(cs, &mut code, name, &[]);
        code.finish()
    })
}

/// Ends the current block by throwing a new exception of a class in the namespace `System`, with values for some of
/// its fields.
pub(crate) fn throw_new(cs: Cs, code: &mut Builder, name: &str, values: &[(&str, ExprId)]) {
    let Ok(class) = cs.library_class("System", name) else {
        code.unsupported(format!("System.{name}, which the class library does not have"));
        return;
    };
    let exception = code.allocate(class);
    for &(field, value) in values {
        if let Some(field) = cs.program.find_field(class, field) {
            code.op(OpKind::PutField { object: exception, field, value });
        }
    }
    code.end(TerminatorKind::Throw(exception));
}

/// The names of the library's texts for the exceptions that the runtime throws.
const MESSAGES: [(&str, &str); 6] = [
    ("NullReferenceException", "Arg_NullReferenceException"),
    ("IndexOutOfRangeException", "Arg_IndexOutOfRangeException"),
    ("DivideByZeroException", "Arg_DivideByZero"),
    ("OverflowException", "Arg_OverflowException"),
    ("ArrayTypeMismatchException", "Arg_ArrayTypeMismatchException"),
    ("OutOfMemoryException", "Arg_OutOfMemoryException"),
];

/// Ends the current block by returning the message of an exception without a text. If the runtime threw it, no constructor
/// ran for it, so that it has no result code, which all constructors set.
pub(crate) fn own_message(cs: Cs, code: &mut Builder, exception: ExprId) {
    let without = "the message of an exception that was made without one";
    let (Ok(base), Ok(core)) = (cs.library_class("System", "Exception"), cs.library("System", "Object")) else {
        return code.unsupported(without);
    };
    let (Some(result), Some((core, _))) = (cs.program.find_field(base, "_HResult"), cs.declared(core)) else {
        return code.unsupported(without);
    };
    let result = code.get(exception, result, INT);
    let zero = code.int(0);
    let is_own = code.binary(BinaryOp::Eq, INT, result, zero);
    let (_, made) = code.branch(is_own);
    for (name, key) in MESSAGES {
        let (Ok(class), Some(text)) = (cs.library_class("System", name), literals::text(cs, core.assembly, key)) else {
            continue;
        };
        let ty = Type::Class(class);
        let is_one = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: exception, ty });
        let (_, other) = code.branch(is_one);
        let text = literals::load(cs, code, text);
        code.ret(Some(text));
        code.switch_to(other);
    }
    code.unsupported(without);
    code.switch_to(made);
    let string = Type::Class(cs.string_class());
    let write = crate::models::helper(cs, "System", "SR", Arc::new([]), "WasThrown");
    match write.and_then(|write| code.call(Dispatch::Static, cs.method(&write), vec![exception], Some(string))) {
        Some(text) => code.ret(Some(text)),
        None => code.unsupported(without),
    }
}

/// The type of all exceptions.
pub(crate) fn exception(cs: Cs) -> Type {
    match cs.library_class("System", "Exception") {
        Ok(class) => Type::Class(class),
        Err(_) => Type::Class(cs.object_class()),
    }
}
