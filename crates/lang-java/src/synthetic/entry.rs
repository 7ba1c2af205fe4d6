//! Inputs that are more than any object: what is done before an entry point is called.

use crate::builder::Builder;
use crate::loader::{Java, MadeMethod};
use crate::synthetic::before::Before;
use crate::types::INT;
use aback_ir::{
    BinaryOp, Body, ClassId, Dispatch, ExprId, Intrinsic, LocalId, MethodId, MethodKind, OpKind, TerminatorKind, Type,
};

/// A method of strings that are made as inputs: keeps their length within the bound.
pub(crate) fn keep_within_bound() -> MadeMethod {
    MadeMethod::new("$keepWithinBound", &[INT], None, |java| {
        let string = java.class_type(crate::types::STRING);
        let mut code = Builder::new(&[string, INT]);
        let Some(strings) = java.program.input_strings() else {
            code.ret(None);
            return code.finish();
        };
        let (length, most) = (code.param(1), code.int(strings.most.into()));
        let is_within = code.binary(BinaryOp::Le, INT, length, most);
        let (_, beyond) = code.branch(is_within);
        code.ret(None);
        code.switch_to(beyond);
        code.end(TerminatorKind::Bound(strings.bound()));
        code.finish()
    })
}

/// Whether a method is the one that the virtual machine calls itself, with an array of strings, none of them null (Java
/// Language Specification, 12.1.4).
pub(crate) fn is_main(java: Java, entry: MethodId) -> bool {
    let method = java.program.method(entry);
    let strings = || java.program.array_of(java.class_type(crate::types::STRING));
    method.name == "main"
        && method.kind == MethodKind::Static
        && method.result.is_none()
        && method.params.len() == 1
        && method.params[0] == strings()
}

/// A method that makes the arguments of an entry point that are constants of enums, and the object that a constructor starts
/// with, and calls it with these and its own. `None` if there are none.
pub(crate) fn with_inputs(java: Java, entry: MethodId) -> Option<MethodId> {
    let method = java.program.method(entry);
    let mut is_made: Vec<bool> = method.params.iter().map(|&ty| constants(java, ty).is_some()).collect();
    if constructed(java, entry).is_some() {
        is_made[0] = true;
    }
    let before = Before::of(java, entry);
    if !is_made.contains(&true) && before.is_empty() {
        return None;
    }
    let given = method.params.iter().zip(&is_made).filter(|(_, is_made)| !**is_made).map(|(&ty, _)| ty);
    let given: Vec<Type> = given.collect();
    let name = format!("inputs of {}", java.program.method_name(entry));
    let params = given.clone();
    Some(java.helper(&name, &params, None, move |java| body(java, entry, &given, &is_made, &before)))
}

/// The class whose objects an entry point constructs, if it is a constructor; that of an abstract class is called on an object of
/// a subclass.
fn constructed(java: Java, entry: MethodId) -> Option<ClassId> {
    let method = java.program.method(entry);
    let is_abstract = java.program.class(method.class).is_abstract;
    (method.kind == MethodKind::Constructor && !is_abstract).then_some(method.class)
}

/// The method that gives the constants of an enum.
pub(crate) fn constants(java: Java, ty: Type) -> Option<MethodId> {
    let Type::Class(class) = ty else { return None };
    let superclass = java.program.class(class).superclass?;
    if java.program.class_name(superclass) != "java.lang.Enum" {
        return None;
    }
    let name = java.program.class_name(class).replace('.', "/");
    java.declared_method(class, "values", &format!("()[L{name};"))
}

fn body(java: Java, entry: MethodId, given: &[Type], is_made: &[bool], before: &Before) -> Body {
    let method = java.program.method(entry);
    let mut code = Builder::new(given);
    let names = java.program.body(entry).map_or(&[][..], |body| &body.locals);
    let mut own = 0;
    let mut args = Vec::new();
    let constructed = constructed(java, entry);
    for (index, (&ty, &is_made)) in method.params.iter().zip(is_made).enumerate() {
        if let (0, Some(class)) = (index, constructed) {
            args.push(new_object(java, &mut code, class));
            continue;
        }
        args.push(match constants(java, ty).filter(|_| is_made) {
            Some(values) => any_constant(java, &mut code, ty, values),
            None => {
                if let Some(local) = names.get(index) {
                    code.name(LocalId(own), &local.name);
                }
                own += 1;
                code.local(LocalId(own - 1))
            }
        });
    }
    let dispatch = match method.kind {
        MethodKind::Static => Dispatch::Static,
        MethodKind::Constructor if constructed.is_some() => Dispatch::Special,
        MethodKind::Instance | MethodKind::Constructor => {
            keep_to_entry(java, &mut code, entry, args[0]);
            Dispatch::Special
        }
    };
    before.emit(java, &mut code, &args);
    code.call(dispatch, entry, args, method.result);
    code.ret(None);
    code.finish()
}

/// Goes on where a call on the receiver runs the entry point.
fn keep_to_entry(java: Java, code: &mut Builder, entry: MethodId, receiver: ExprId) {
    let null = code.null();
    let condition = code.binary(BinaryOp::Ne, Type::Null, receiver, null);
    code.op(OpKind::Assume { condition });
    let declared = java.program.method(entry);
    if declared.kind != MethodKind::Instance {
        return;
    }
    let overriding: Vec<_> = java
        .program
        .classes()
        .filter(|&(id, class)| !class.is_interface && java.program.is_subclass(id, declared.class))
        .filter(|&(id, _)| java.program.dispatch(id, entry) != entry)
        .map(|(id, _)| id)
        .collect();
    for class in overriding {
        let is_one =
            code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: receiver, ty: Type::Class(class) });
        let no = code.bool(false);
        let condition = code.binary(BinaryOp::Eq, Type::Bool, is_one, no);
        code.op(OpKind::Assume { condition });
    }
}

/// What a constructor is called on: its fields hold defaults.
fn new_object(java: Java, code: &mut Builder, class: ClassId) -> ExprId {
    if let Some((field, method)) = java.initialization(class) {
        code.op(OpKind::Ensure { field, method });
    }
    code.result(Type::Class(class), |dst| OpKind::New { dst, class })
}

/// Null or one of an enum's constants.
pub(crate) fn any_constant(java: Java, code: &mut Builder, ty: Type, values: MethodId) -> ExprId {
    // Null initializes nothing; the method that gives the constants initializes the enum.
    let array = java.program.method(values).result.unwrap_or(Type::Null);
    let result = code.variable(ty);
    let null = code.null();
    code.op(OpKind::Assign { dst: result, value: null });
    let is_null = code.result(Type::Bool, |dst| nondet(dst, Type::Bool));
    let (_, chosen) = code.branch(is_null);
    let end = code.block();
    code.end(TerminatorKind::Goto(end));
    code.switch_to(chosen);
    let Some(all) = code.call(Dispatch::Static, values, Vec::new(), Some(array)) else { return code.null() };
    let index = code.result(INT, |dst| nondet(dst, INT));
    let length = code.result(INT, |dst| OpKind::ArrayLength { dst, array: all });
    let zero = code.int(0);
    let low = code.binary(BinaryOp::Le, INT, zero, index);
    code.op(OpKind::Assume { condition: low });
    let high = code.binary(BinaryOp::Lt, INT, index, length);
    code.op(OpKind::Assume { condition: high });
    code.op(OpKind::ArrayGet { dst: result, array: all, index });
    code.end(TerminatorKind::Goto(end));
    code.switch_to(end);
    code.local(result)
}

pub(crate) fn nondet(dst: LocalId, ty: Type) -> OpKind {
    OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(ty), args: Vec::new() }
}
