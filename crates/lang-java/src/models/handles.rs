//! Implements calls of variable handles, whose methods have the signature of each call (JVM specification, 2.9.3).
//! The calls are reduced to `Unsafe` on the number of the handle.

use crate::loader::Java;
use crate::types::{self, INT, LONG, OBJECT};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, ClassId, Dispatch, Expr, ExprId, Method, MethodId, MethodKind, OpKind, Type};

const HANDLE: &str = "java.lang.invoke.VarHandle";
const UNSAFE: &str = "jdk.internal.misc.Unsafe";

/// The access modes of handles, by the beginning of the method's name: the method of `Unsafe` without the type in its
/// name, the number of values that it takes, and whether it returns a value of the variable.
const MODES: &[(&str, &str, usize, bool)] = &[
    ("getAndSet", "getAndSet", 1, true),
    ("getAndAdd", "getAndAdd", 1, true),
    ("getAndBitwise", "", 1, true),
    ("compareAndSet", "compareAndSet", 2, false),
    ("weakCompareAndSet", "compareAndSet", 2, false),
    ("compareAndExchange", "compareAndExchange", 2, true),
    ("get", "get", 0, true),
    ("set", "put", 1, false),
];

/// The method of a handle with the signature of a call.
pub(crate) fn polymorphic(java: Java, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
    if java.program.class_name(class) != HANDLE {
        return None;
    }
    let &(_, operation, values, gives) = MODES.iter().find(|(start, ..)| name.starts_with(start))?;
    let (mut params, result) = types::method_types(java.program, descriptor)?;
    params.insert(0, Type::Class(class));
    let method = Method::synthetic(class, MethodKind::Instance, name, params.clone(), result);
    let called = format!("VarHandle.{name}{descriptor}");
    Some(java.shared_method(
        &called.clone(),
        || method,
        move |java| {
            body(java, operation, values, gives, &params, result).unwrap_or_else(|| unsupported(&params, &called))
        },
    ))
}

fn body(
    java: Java,
    operation: &str,
    values: usize,
    gives: bool,
    params: &[Type],
    result: Option<Type>,
) -> Option<Body> {
    let coordinates = params.len().checked_sub(1 + values)?;
    let object = java.class_type(OBJECT);
    let variable = if values > 0 { *params.last()? } else { result? };
    let (kind, ty) = match variable {
        INT => ("Int", INT),
        LONG => ("Long", LONG),
        ty if ty.is_reference() => ("Reference", object),
        _ => return None,
    };
    let mut code = Builder::new(params);
    let handle = code.param(0);
    let class = java.named(HANDLE);
    let number = java.declared_field(class, "$offset", "J")?;
    let mut offset = code.get(handle, number, LONG);
    match coordinates {
        1 => {}
        2 if params[2] == INT => {
            let field = java.declared_field(class, "$scale", "I")?;
            let (scale, index) = (code.get(handle, field, INT), code.param(2));
            let (scale, index) = (wide(&mut code, scale), wide(&mut code, index));
            let distance = code.binary(BinaryOp::Mul, LONG, scale, index);
            offset = code.binary(BinaryOp::Add, LONG, offset, distance);
        }
        _ => return None,
    }
    let owner = java.named(UNSAFE);
    let given = match operation {
        "put" => None,
        "compareAndSet" => Some(Type::Bool),
        _ => Some(ty),
    };
    let mut types = vec![object, LONG];
    types.extend(std::iter::repeat_n(ty, values));
    let method = java.declared_method(owner, &format!("{operation}{kind}"), &java.descriptor(&types, given))?;
    let holder = java.declared_field(owner, "theUnsafe", "Ljdk/internal/misc/Unsafe;")?;
    if let Some((field, method)) = java.initialization(owner) {
        code.op(OpKind::Ensure { field, method });
    }
    let access = code.result(Type::Class(owner), |dst| OpKind::GetStatic { dst, field: holder });
    let mut args = vec![access, code.param(1), offset];
    for index in 1 + coordinates..params.len() {
        args.push(code.param(index));
    }
    let found = code.call(Dispatch::Virtual, method, args, given);
    let value = match (result, found) {
        (Some(to), Some(value)) if gives && to != ty => Some(code.expr(Expr::Convert { from: ty, to, value })),
        (Some(_), Some(value)) => Some(value),
        (None, _) => None,
        (Some(_), None) => return None,
    };
    code.ret(value);
    Some(code.finish())
}

fn wide(code: &mut Builder, value: ExprId) -> ExprId {
    code.expr(Expr::Convert { from: INT, to: LONG, value })
}
