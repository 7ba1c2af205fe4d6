//! Makes arrays of several dimensions, and copies arrays.

use crate::loader::Java;
use crate::types::INT;
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Dispatch, Expr, ExprId, MethodId, OpKind, TerminatorKind, Type};

/// Counts an `int` from zero to below `end`. `body` gets the counter.
pub(crate) fn count_to(code: &mut Builder, end: ExprId, body: impl FnOnce(&mut Builder, ExprId)) {
    let index = code.variable(INT);
    let zero = code.int(0);
    code.op(OpKind::Assign { dst: index, value: zero });
    let head = code.block();
    code.end(TerminatorKind::Goto(head));
    code.switch_to(head);
    let count = code.local(index);
    let more = code.binary(BinaryOp::Lt, INT, count, end);
    let (_, done) = code.branch(more);
    body(code, count);
    let one = code.int(1);
    let next = code.binary(BinaryOp::Add, INT, count, one);
    code.op(OpKind::Assign { dst: index, value: next });
    code.end(TerminatorKind::Goto(head));
    code.switch_to(done);
}

/// The method that creates arrays of a type with lengths for the first `dimensions` dimensions (`multianewarray`).
pub(crate) fn multi(java: Java, array: Type, dimensions: usize) -> MethodId {
    let name = format!("new {} of {dimensions} dimensions", java.program.type_name(array));
    let params = vec![INT; dimensions];
    java.helper(&name, &params, Some(array), move |java| make(java, array, dimensions))
}

fn make(java: Java, array: Type, dimensions: usize) -> Body {
    let params = vec![INT; dimensions];
    let Type::Array(id) = array else { return unsupported(&params, "malformed code: dimensions of no array") };
    let element = java.program.element_type(id);
    let mut code = Builder::new(&params);
    // All lengths are checked before any array is created.
    for index in 1..dimensions {
        let (length, zero) = (code.param(index), code.int(0));
        let is_negative = code.binary(BinaryOp::Lt, INT, length, zero);
        let (_, fine) = code.branch(is_negative);
        let ints = java.program.array_of(INT);
        code.result(ints, |dst| OpKind::NewArray { dst, element: INT, length });
        code.end(TerminatorKind::Unreachable);
        code.switch_to(fine);
    }
    let length = code.param(0);
    let made = code.result(array, |dst| OpKind::NewArray { dst, element, length });
    if dimensions > 1 {
        let inner = multi(java, element, dimensions - 1);
        let lengths: Vec<ExprId> = (1..dimensions).map(|index| code.param(index)).collect();
        count_to(&mut code, length, |code, index| {
            if let Some(value) = code.call(Dispatch::Static, inner, lengths, Some(element)) {
                code.op(OpKind::ArrayPut { array: made, index, value });
            }
        });
    }
    code.ret(Some(made));
    code.finish()
}

/// The method that copies arrays of a static type (`clone`). A copy of an array of references keeps the dynamic type.
pub(crate) fn copy(java: Java, array: Type) -> MethodId {
    let name = format!("copy {}", java.program.type_name(array));
    java.helper(&name, &[array], Some(array), move |java| {
        let mut code = Builder::new(&[array]);
        let Type::Array(id) = array else { return unsupported(&[array], "malformed code: a copy of no array") };
        let element = java.program.element_type(id);
        let original = code.param(0);
        let length = code.result(INT, |dst| OpKind::ArrayLength { dst, array: original });
        let made = match element.is_reference() {
            false => code.result(array, |dst| OpKind::NewArray { dst, element, length }),
            true => new_like(java, &mut code, original, length, array),
        };
        count_to(&mut code, length, |code, index| {
            let value = code.result(element, |dst| OpKind::ArrayGet { dst, array: original, index });
            code.op(OpKind::ArrayPut { array: made, index, value });
        });
        code.ret(Some(made));
        code.finish()
    })
}

/// A new array of references with the dynamic type of another array.
fn new_like(java: Java, code: &mut Builder, original: ExprId, length: ExprId, ty: Type) -> ExprId {
    let (object, class) = (java.class_type(crate::types::OBJECT), java.class_type(super::classes::CLASS));
    let class_id = java.named(super::classes::CLASS);
    let component = java.declared_field(class_id, "componentType", "Ljava/lang/Class;");
    let methods = (
        java.method(java.named(crate::types::OBJECT), "$class", "()Ljava/lang/Class;"),
        java.method(class_id, "$newArray", "(I)Ljava/lang/Object;"),
    );
    let (Some(component), (Some(class_of), Some(new_array))) = (component, methods) else {
        code.unsupported("a copy of an array: the library has no java.lang.Class that fits");
        let block = code.block();
        code.switch_to(block);
        return code.null();
    };
    let array_class = code.variable(class);
    code.op(OpKind::Call {
        dst: Some(array_class),
        dispatch: Dispatch::Virtual,
        method: class_of,
        args: vec![original],
    });
    let array_class = code.local(array_class);
    let component = code.get(array_class, component, class);
    let made = code.variable(object);
    let args = vec![component, length];
    code.op(OpKind::Call { dst: Some(made), dispatch: Dispatch::Virtual, method: new_array, args });
    let made = code.local(made);
    code.expr(Expr::Convert { from: object, to: ty, value: made })
}
