//! Throws the exceptions of traps.

use crate::loader::Java;
use crate::types::{INT, OBJECT};
use aback_ir::builder::Builder;
use aback_ir::{Body, Dispatch, ExprId, MethodId, OpKind, TerminatorKind, Trap, Type};

/// Hidden fields of `java.lang.Throwable`, with their descriptors: the reason why an instruction or a native method
/// threw the exception (a number of [`number`], or one of the models'; 0 for an exception that a program threw), and
/// the operands. The message is computed from these fields on demand.
pub(crate) const HIDDEN_FIELDS: &[(&str, &str)] = &[
    ("$trap", "I"),
    ("$first", "I"),
    ("$second", "I"),
    ("$third", "I"),
    ("$object", "Ljava/lang/Object;"),
    ("$other", "Ljava/lang/Object;"),
];

/// The number that identifies a trap in its exceptions.
pub(crate) fn number(trap: Trap) -> i64 {
    match trap {
        Trap::NullDereference => 1,
        Trap::IndexOutOfBounds => 2,
        Trap::NegativeArraySize => 3,
        Trap::DivisionByZero => 4,
        Trap::BadCast => 5,
        Trap::BadArrayStore => 6,
        Trap::ArrayTooLong => 10,
    }
}

/// The number of the error for a class whose initialization failed before.
pub(crate) const NO_CLASS: i64 = 9;

/// Records in an exception why it was thrown.
pub(crate) fn remember(java: Java, code: &mut Builder, exception: ExprId, why: i64) {
    if let Some(field) = java.declared_field(java.named("java.lang.Throwable"), "$trap", "I") {
        let value = code.int(why);
        code.op(OpKind::PutField { object: exception, field, value });
    }
}

/// The number of an exception of the virtual machine without a model of its message.
const WITHOUT_MESSAGE: i64 = 100;

/// The class of the exceptions of a trap.
pub(crate) fn class(trap: Trap) -> &'static str {
    match trap {
        Trap::NullDereference => "java.lang.NullPointerException",
        Trap::IndexOutOfBounds => "java.lang.ArrayIndexOutOfBoundsException",
        Trap::NegativeArraySize => "java.lang.NegativeArraySizeException",
        Trap::DivisionByZero => "java.lang.ArithmeticException",
        Trap::BadCast => "java.lang.ClassCastException",
        Trap::BadArrayStore => "java.lang.ArrayStoreException",
        Trap::ArrayTooLong => "java.lang.OutOfMemoryError",
    }
}

/// The method that throws the exception of a trap.
pub(crate) fn thrower(java: Java, trap: Trap) -> MethodId {
    let (params, fields): (Vec<Type>, &'static [&str]) = match trap {
        Trap::IndexOutOfBounds => (vec![INT, INT], &["$first", "$second"]),
        Trap::NegativeArraySize | Trap::ArrayTooLong => (vec![INT], &["$first"]),
        Trap::BadArrayStore => (vec![Type::Class(java.named(OBJECT))], &["$object"]),
        Trap::NullDereference | Trap::DivisionByZero | Trap::BadCast => (vec![], &[]),
    };
    let name = format!("throw {}", class(trap));
    java.new_static(&name, &params.clone(), None, move |java| body(java, trap, &params, fields))
}

/// Throws the exception of a trap, with its operands in the given hidden fields.
fn body(java: Java, trap: Trap, params: &[Type], fields: &[&str]) -> Body {
    let mut code = Builder::new(params);
    let mut values = vec![("$trap", code.int(number(trap)))];
    values.extend(fields.iter().enumerate().map(|(index, &name)| (name, code.param(index))));
    throw(java, &mut code, class(trap), values);
    code.finish()
}

/// Ends the current block by throwing an exception of the virtual machine whose message is unsupported.
pub(crate) fn throw_without_message(java: Java, code: &mut Builder, class: &str) {
    let number = code.int(WITHOUT_MESSAGE);
    throw(java, code, class, vec![("$trap", number)]);
}

/// Throws a new exception with the given values in its hidden fields.
fn throw(java: Java, code: &mut Builder, class: &str, values: Vec<(&str, ExprId)>) {
    let id = java.named(class);
    let Some(constructor) = java.declared_method(id, "<init>", "()V") else {
        return code.unsupported(format!("{class}, which the library does not have"));
    };
    if let Some((field, method)) = java.initialization(id) {
        code.op(OpKind::Ensure { field, method });
    }
    let exception = code.allocate(id);
    code.call(Dispatch::Special, constructor, vec![exception], None);
    let throwable = java.named("java.lang.Throwable");
    for (name, value) in values {
        let descriptor = HIDDEN_FIELDS.iter().find(|field| field.0 == name).map_or("", |field| field.1);
        if let Some(field) = java.declared_field(throwable, name, descriptor) {
            code.op(OpKind::PutField { object: exception, field, value });
        }
    }
    code.end(TerminatorKind::Throw(exception));
}
