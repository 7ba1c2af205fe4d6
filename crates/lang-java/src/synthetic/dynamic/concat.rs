//! Generates string concatenation (`StringConcatFactory`; JLS, 15.18.1).
//!
//! Each operand is converted to a string, from left to right. Then the bytes of the strings are copied into one new
//! array.

use super::CallSite;
use super::convert::{call, widen};
use crate::bootstrap::Argument;
use crate::loader::Java;
use crate::synthetic::{constants, initializer};
use crate::types::{BYTE, CHAR, INT, LONG, OBJECT, SHORT, STRING};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Expr, ExprId, MethodId, OpKind, TerminatorKind, Type};

/// A part of a string.
#[derive(Clone)]
pub(super) enum Piece<V> {
    Text(Vec<u16>),
    Value(V),
}

/// `makeConcat`: all parts are arguments.
pub(super) fn plain(java: Java, site: &CallSite) -> MethodId {
    method(java, site, (0..site.params.len()).map(Piece::Value).collect())
}

/// `makeConcatWithConstants`: a recipe gives the parts. `\1` stands for an argument, `\2` for a constant.
pub(super) fn with_constants(java: Java, site: &CallSite, args: &[Argument]) -> Option<MethodId> {
    let [Argument::String(recipe), constants @ ..] = args else { return None };
    let mut constants = constants.iter();
    let mut pieces: Vec<Piece<usize>> = Vec::new();
    let mut text = Vec::new();
    let mut values = 0..site.params.len();
    for &unit in recipe {
        match unit {
            1 => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Value(values.next()?));
            }
            2 => text.extend(constant(constants.next()?)?),
            unit => text.push(unit),
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    values.next().is_none().then(|| method(java, site, pieces))
}

/// The text of a constant in a recipe.
fn constant(constant: &Argument) -> Option<Vec<u16>> {
    match constant {
        Argument::Int(value) => Some(value.to_string().encode_utf16().collect()),
        Argument::Long(value) => Some(value.to_string().encode_utf16().collect()),
        Argument::String(units) => Some(units.clone()),
        _ => None,
    }
}

fn method(java: Java, site: &CallSite, pieces: Vec<Piece<usize>>) -> MethodId {
    let params = site.params.clone();
    java.new_static(&site.label(java), &site.params, site.result, move |java| {
        let mut code = Builder::new(&params);
        let mut value = |index: usize| (code.param(index), params[index]);
        let pieces = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Piece::Text(text.clone()),
            Piece::Value(index) => Piece::Value(value(*index)),
        });
        let pieces: Vec<_> = pieces.collect();
        let joined = join(java, &mut code, pieces);
        code.ret(Some(joined));
        code.finish()
    })
}

/// A new string that joins texts and the texts of values.
pub(super) fn join(java: Java, code: &mut Builder, pieces: Vec<Piece<(ExprId, Type)>>) -> ExprId {
    let strings: Vec<ExprId> = pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(units) => literal(java, code, units),
            Piece::Value((value, ty)) => text(java, code, value, ty),
        })
        .collect();
    let class = java.named(STRING);
    let (Some(value), Some(coder)) =
        (java.declared_field(class, "value", "[B"), java.declared_field(class, "coder", "B"))
    else {
        code.unsupported("concatenation of strings: the library has no java.lang.String of JDK 9 or later");
        let rest = code.block();
        code.switch_to(rest);
        return code.null();
    };
    let bytes = java.program.array_of(BYTE);
    let mut joined_coder = code.constant(0, BYTE);
    let mut joined_length = code.constant(0, LONG);
    let mut lengths = Vec::with_capacity(strings.len());
    for &string in &strings {
        let own_coder = code.get(string, coder, BYTE);
        let array = code.get(string, value, bytes);
        let size = code.result(INT, |dst| OpKind::ArrayLength { dst, array });
        let shift = widen(code, own_coder, BYTE, INT);
        let length = code.binary(BinaryOp::ShrSigned, INT, size, shift);
        lengths.push(assigned(code, INT, length));
        joined_coder = code.binary(BinaryOp::Or, BYTE, joined_coder, own_coder);
        joined_coder = assigned(code, BYTE, joined_coder);
        let length = widen(code, length, INT, LONG);
        joined_length = code.binary(BinaryOp::Add, LONG, joined_length, length);
        joined_length = assigned(code, LONG, joined_length);
    }
    let shift = widen(code, joined_coder, BYTE, LONG);
    let size = code.binary(BinaryOp::Shl, LONG, joined_length, shift);
    let most = code.constant(i64::from(i32::MAX), LONG);
    let is_too_long = code.binary(BinaryOp::Gt, LONG, size, most);
    let (_, fine) = code.branch(is_too_long);
    initializer::throw_new(java, code, "java.lang.OutOfMemoryError", "()V", Vec::new());
    code.switch_to(fine);
    let length = widen(code, size, LONG, INT);
    let array = code.result(bytes, |dst| OpKind::NewArray { dst, element: BYTE, length });
    let mut position = code.int(0);
    for (string, length) in strings.into_iter().zip(lengths) {
        call(java, code, STRING, "getBytes", "([BIB)V", vec![string, array, position, joined_coder]);
        position = code.binary(BinaryOp::Add, INT, position, length);
        position = assigned(code, INT, position);
    }
    let joined = code.allocate(class);
    code.op(OpKind::PutField { object: joined, field: value, value: array });
    code.op(OpKind::PutField { object: joined, field: coder, value: joined_coder });
    joined
}

fn assigned(code: &mut Builder, ty: Type, value: ExprId) -> ExprId {
    code.result(ty, |dst| OpKind::Assign { dst, value })
}

fn literal(java: Java, code: &mut Builder, units: Vec<u16>) -> ExprId {
    let (field, method) = constants::string(java, units);
    code.op(OpKind::Ensure { field, method });
    code.result(java.class_type(STRING), |dst| OpKind::GetStatic { dst, field })
}

/// The text of a value, as in string conversion by `+`.
fn text(java: Java, code: &mut Builder, value: ExprId, ty: Type) -> ExprId {
    let mut of_primitive = |value: ExprId, descriptor: char| {
        call(java, code, STRING, "valueOf", &format!("({descriptor})Ljava/lang/String;"), vec![value])
    };
    match ty {
        Type::Bool => of_primitive(value, 'Z'),
        CHAR => of_primitive(value, 'C'),
        INT => of_primitive(value, 'I'),
        LONG => of_primitive(value, 'J'),
        Type::F32 => of_primitive(value, 'F'),
        Type::F64 => of_primitive(value, 'D'),
        BYTE | SHORT => {
            let value = widen(code, value, ty, INT);
            text(java, code, value, INT)
        }
        reference => {
            let (string, object) = (java.class_type(STRING), java.class_type(OBJECT));
            let method = match reference == string {
                true => java.helper("text of a string", &[string], Some(string), text_of_string),
                false => java.helper("text of an object", &[object], Some(string), text_of_object),
            };
            code.call(aback_ir::Dispatch::Static, method, vec![value], Some(string)).unwrap_or(value)
        }
    }
}

fn text_of_string(java: Java) -> Body {
    let string = java.class_type(STRING);
    let mut code = Builder::new(&[string]);
    let value = code.param(0);
    unless_null(java, &mut code, value, string);
    code.ret(Some(value));
    code.finish()
}

fn text_of_object(java: Java) -> Body {
    let (string, object) = (java.class_type(STRING), java.class_type(OBJECT));
    let Some(to_string) = java.method(java.named(OBJECT), "toString", "()Ljava/lang/String;") else {
        return unsupported(&[object], "the text of an object: java.lang.Object has no toString");
    };
    let mut code = Builder::new(&[object]);
    let value = code.param(0);
    unless_null(java, &mut code, value, object);
    let text = code.variable(string);
    let virtually = aback_ir::Dispatch::Virtual;
    code.op(OpKind::Call { dst: Some(text), dispatch: virtually, method: to_string, args: vec![value] });
    let text = code.local(text);
    unless_null(java, &mut code, text, string);
    code.ret(Some(text));
    code.finish()
}

/// Returns `"null"` if a value is null.
fn unless_null(java: Java, code: &mut Builder, value: ExprId, ty: Type) {
    let null = code.null();
    let condition = code.expr(Expr::Binary(BinaryOp::Eq, ty, value, null));
    let (then_block, else_block) = (code.block(), code.block());
    code.end(TerminatorKind::Branch { condition, then_block, else_block });
    code.switch_to(then_block);
    let text = literal(java, code, "null".encode_utf16().collect());
    code.ret(Some(text));
    code.switch_to(else_block);
}
