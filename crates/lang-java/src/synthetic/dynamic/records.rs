//! Generates `toString`, `hashCode` and `equals` of records (`ObjectMethods`).

use super::CallSite;
use super::concat::{Piece, join};
use super::convert::{Primitive, call};
use crate::bootstrap::Argument;
use crate::loader::Java;
use crate::models::reflect::simple_name;
use crate::types::{INT, OBJECT, class_name};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Body, ClassId, Expr, ExprId, FieldId, MethodId, OpKind, TerminatorKind, Type};

pub(super) fn link(java: Java, site: &CallSite, args: &[Argument]) -> Option<MethodId> {
    let [Argument::Class(class), Argument::String(names), getters @ ..] = args else {
        return None;
    };
    let class = java.named(&class_name(class));
    let field = |getter: &Argument| match getter {
        Argument::Handle(handle) => {
            let owner = java.named(&class_name(&handle.class));
            java.field(owner, &handle.name, &handle.descriptor)
        }
        _ => None,
    };
    let fields: Vec<FieldId> = getters.iter().map(field).collect::<Option<_>>()?;
    let (params, result) = (&site.params, site.result);
    let name = site.label(java);
    match (site.name, params.len()) {
        ("hashCode", 1) => Some(java.new_static(&name, params, result, move |java| hash_code(java, class, &fields))),
        ("equals", 2) => Some(java.new_static(&name, params, result, move |java| equals(java, class, &fields))),
        ("toString", 1) => {
            let names = String::from_utf16_lossy(names);
            let names: Vec<String> = names.split(';').filter(|name| !name.is_empty()).map(str::to_string).collect();
            let simple = simple_name(java, class)?;
            (names.len() == fields.len()).then(|| {
                java.new_static(&name, params, result, move |java| to_string(java, class, &simple, &names, &fields))
            })
        }
        _ => None,
    }
}

fn get(java: Java, code: &mut Builder, object: ExprId, field: FieldId) -> (ExprId, Type) {
    let ty = java.program.field(field).ty;
    (code.get(object, field, ty), ty)
}

fn to_string(java: Java, class: ClassId, simple: &str, names: &[String], fields: &[FieldId]) -> Body {
    let mut code = Builder::new(&[Type::Class(class)]);
    let this = code.param(0);
    let units = |text: String| Piece::Text(text.encode_utf16().collect());
    let mut pieces = Vec::new();
    let mut text = format!("{simple}[");
    for (index, (&field, name)) in fields.iter().zip(names).enumerate() {
        text += if index == 0 { "" } else { ", " };
        pieces.push(units(format!("{text}{name}=")));
        text.clear();
        pieces.push(Piece::Value(get(java, &mut code, this, field)));
    }
    pieces.push(units(text + "]"));
    let joined = join(java, &mut code, pieces);
    code.ret(Some(joined));
    code.finish()
}

fn hash_code(java: Java, class: ClassId, fields: &[FieldId]) -> Body {
    let mut code = Builder::new(&[Type::Class(class)]);
    let this = code.param(0);
    let mut result = code.int(0);
    for &field in fields {
        let (value, ty) = get(java, &mut code, this, field);
        let hash = match Primitive::of(ty) {
            Some(Primitive { ty: INT, .. }) => value,
            Some(held) => {
                call(java, &mut code, held.wrapper, "hashCode", &format!("({})I", held.descriptor), vec![value])
            }
            None => call(java, &mut code, "java.util.Objects", "hashCode", "(Ljava/lang/Object;)I", vec![value]),
        };
        let factor = code.int(31);
        let product = code.binary(BinaryOp::Mul, INT, result, factor);
        let value = code.binary(BinaryOp::Add, INT, product, hash);
        result = code.result(INT, |dst| OpKind::Assign { dst, value });
    }
    code.ret(Some(result));
    code.finish()
}

fn equals(java: Java, class: ClassId, fields: &[FieldId]) -> Body {
    let (this_type, object) = (Type::Class(class), java.class_type(OBJECT));
    let mut code = Builder::new(&[this_type, object]);
    let (this, other) = (code.param(0), code.param(1));
    let (equal, different) = (code.block(), code.block());
    let demand = |code: &mut Builder, condition: ExprId| {
        let next = code.block();
        code.end(TerminatorKind::Branch { condition, then_block: next, else_block: different });
        code.switch_to(next);
    };
    let is_same = code.binary(BinaryOp::Eq, object, this, other);
    let compare = code.block();
    code.end(TerminatorKind::Branch { condition: is_same, then_block: equal, else_block: compare });
    code.switch_to(compare);
    let is_record = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: other, ty: this_type });
    demand(&mut code, is_record);
    let other = code.expr(Expr::Convert { from: object, to: this_type, value: other });
    // The library compares the last component first.
    for &field in fields.iter().rev() {
        let ((left, ty), (right, _)) = (get(java, &mut code, this, field), get(java, &mut code, other, field));
        let are_equal = match Primitive::of(ty) {
            Some(held) if ty.is_float() => {
                let descriptor = format!("({0}{0})I", held.descriptor);
                let order = call(java, &mut code, held.wrapper, "compare", &descriptor, vec![left, right]);
                let zero = code.int(0);
                code.binary(BinaryOp::Eq, INT, order, zero)
            }
            Some(_) => code.binary(BinaryOp::Eq, ty, left, right),
            None => {
                let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
                call(java, &mut code, "java.util.Objects", "equals", descriptor, vec![left, right])
            }
        };
        demand(&mut code, are_equal);
    }
    code.end(TerminatorKind::Goto(equal));
    for (block, value) in [(equal, true), (different, false)] {
        code.switch_to(block);
        let value = code.bool(value);
        code.ret(Some(value));
    }
    code.finish()
}
