//! Converts between the types of a functional interface and those of the implementing code.

use crate::loader::Java;
use crate::types::{BYTE, CHAR, INT, LONG, OBJECT, SHORT, internal_name, method_types};
use aback_ir::builder::Builder;
use aback_ir::{Dispatch, Expr, ExprId, MethodKind, OpKind, Type};

/// A primitive type.
pub(super) struct Primitive {
    pub(super) ty: Type,
    pub(super) name: &'static str,
    pub(super) descriptor: char,
    pub(super) wrapper: &'static str,
}

const fn primitive(ty: Type, name: &'static str, descriptor: char, wrapper: &'static str) -> Primitive {
    Primitive { ty, name, descriptor, wrapper }
}

static PRIMITIVES: [Primitive; 8] = [
    primitive(Type::Bool, "boolean", 'Z', "java.lang.Boolean"),
    primitive(BYTE, "byte", 'B', "java.lang.Byte"),
    primitive(SHORT, "short", 'S', "java.lang.Short"),
    primitive(CHAR, "char", 'C', "java.lang.Character"),
    primitive(INT, "int", 'I', "java.lang.Integer"),
    primitive(LONG, "long", 'J', "java.lang.Long"),
    primitive(Type::F32, "float", 'F', "java.lang.Float"),
    primitive(Type::F64, "double", 'D', "java.lang.Double"),
];

impl Primitive {
    /// The primitive type equal to `ty`.
    pub(super) fn of(ty: Type) -> Option<&'static Primitive> {
        PRIMITIVES.iter().find(|primitive| primitive.ty == ty)
    }

    /// The primitive type that objects of this type wrap.
    pub(super) fn in_wrapper(java: Java, ty: Type) -> Option<&'static Primitive> {
        let Type::Class(class) = ty else { return None };
        let name = java.program.class_name(class);
        PRIMITIVES.iter().find(|primitive| primitive.wrapper == name)
    }

    fn is_number(&self) -> bool {
        !matches!(self.ty, Type::Bool | CHAR)
    }
}

/// Calls a library method. Gives a result of the method's result type, or null for `void`.
pub(super) fn call(
    java: Java,
    code: &mut Builder,
    class: &str,
    name: &str,
    descriptor: &str,
    args: Vec<ExprId>,
) -> ExprId {
    let result = method_types(java.program, descriptor).and_then(|(_, result)| result);
    match java.method(java.named(class), name, descriptor) {
        Some(method) => {
            let dispatch = match java.program.method(method).kind {
                MethodKind::Static => Dispatch::Static,
                MethodKind::Instance if !java.is_never_overridden(method) => Dispatch::Virtual,
                _ => Dispatch::Special,
            };
            code.call(dispatch, method, args, result).unwrap_or_else(|| code.null())
        }
        None => {
            code.unsupported(format!("{class}.{name}{descriptor}, which the library does not have"));
            let rest = code.block();
            code.switch_to(rest);
            match result {
                Some(ty) => {
                    let never = code.variable(ty);
                    code.local(never)
                }
                None => code.null(),
            }
        }
    }
}

/// Converts `value` from type `from` to type `to`, as `LambdaMetafactory` does: references are first cast to the type
/// `declared` of the functional interface.
pub(super) fn convert(java: Java, code: &mut Builder, value: ExprId, from: Type, to: Type, declared: Type) -> ExprId {
    match (Primitive::of(from), Primitive::of(to)) {
        (Some(_), Some(_)) => widen(code, value, from, to),
        (Some(source), None) => match Primitive::in_wrapper(java, to) {
            Some(held) => {
                let value = widen(code, value, from, held.ty);
                boxed(java, code, value, held)
            }
            None => {
                let value = boxed(java, code, value, source);
                cast(java, code, value, java.class_type(source.wrapper), to)
            }
        },
        (None, target) => {
            let (value, source) = match declared.is_reference() {
                true => (cast(java, code, value, from, declared), declared),
                false => (value, from),
            };
            let Some(target) = target else { return cast(java, code, value, source, to) };
            match Primitive::in_wrapper(java, source) {
                Some(held) if held.is_number() => unboxed(java, code, value, held.wrapper, target),
                Some(held) => {
                    let value = unboxed(java, code, value, held.wrapper, held);
                    widen(code, value, held.ty, to)
                }
                None => {
                    let holder = if target.is_number() { "java.lang.Number" } else { target.wrapper };
                    let value = cast(java, code, value, source, java.class_type(holder));
                    unboxed(java, code, value, holder, target)
                }
            }
        }
    }
}

pub(super) fn widen(code: &mut Builder, value: ExprId, from: Type, to: Type) -> ExprId {
    if from == to { value } else { code.expr(Expr::Convert { from, to, value }) }
}

fn boxed(java: Java, code: &mut Builder, value: ExprId, held: &Primitive) -> ExprId {
    let descriptor = format!("({})L{};", held.descriptor, internal_name(held.wrapper));
    call(java, code, held.wrapper, "valueOf", &descriptor, vec![value])
}

/// The primitive value of a wrapper or a `Number`.
pub(super) fn unboxed(java: Java, code: &mut Builder, value: ExprId, holder: &str, to: &Primitive) -> ExprId {
    call(java, code, holder, &format!("{}Value", to.name), &format!("(){}", to.descriptor), vec![value])
}

fn cast(java: Java, code: &mut Builder, object: ExprId, from: Type, to: Type) -> ExprId {
    if from == to || to == java.class_type(OBJECT) {
        return object;
    }
    code.result(to, |dst| OpKind::Cast { dst, object, ty: to })
}
