//! Makes the exceptions that the runtime throws.

use crate::loader::Cs;
use aback_ir::builder::Builder;
use aback_ir::{ExprId, MethodId, TerminatorKind, Trap, Type};

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
            code.op(aback_ir::OpKind::PutField { object: exception, field, value });
        }
    }
    code.end(TerminatorKind::Throw(exception));
}

/// The type of all exceptions.
pub(crate) fn exception(cs: Cs) -> Type {
    match cs.library_class("System", "Exception") {
        Ok(class) => Type::Class(class),
        Err(_) => Type::Class(cs.object_class()),
    }
}
