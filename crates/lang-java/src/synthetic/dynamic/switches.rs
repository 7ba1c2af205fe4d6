//! Switches over patterns and enums (`SwitchBootstraps`): the index of the first label that matches, from an index on;
//! the number of labels if none does; -1 for null.

use super::CallSite;
use super::convert::{Primitive, call, unboxed};
use crate::builder::Builder;
use crate::loader::Java;
use crate::synthetic::{constants, initializer};
use crate::types::{CHAR, INT, OBJECT, STRING, descriptor, named_type};
use aback_ir::{BinaryOp, Body, Expr, ExprId, FieldId, MethodId, OpKind, TerminatorKind, Type};
use cafebabe::constant_pool::{BootstrapArgument, LiteralConstant};

#[derive(Clone)]
enum Label {
    /// Any object of a type.
    Type(Type),
    /// An equal string.
    String(Vec<u16>),
    /// A number or character of this value.
    Int(i32),
    /// The constant of an enum that a static field holds.
    Constant(FieldId),
    /// A constant that the enum no longer has.
    Never,
}

pub(super) fn on_type(java: Java, site: &CallSite, args: &[BootstrapArgument<'_>]) -> Option<MethodId> {
    let label = |arg: &BootstrapArgument<'_>| {
        Some(match arg {
            BootstrapArgument::ClassInfo(name) => Label::Type(named_type(java.program, name)?),
            BootstrapArgument::LiteralConstant(LiteralConstant::Integer(value)) => Label::Int(*value),
            BootstrapArgument::LiteralConstant(literal) => Label::String(constants::units(literal)?),
            _ => return None,
        })
    };
    let labels: Vec<Label> = args.iter().map(label).collect::<Option<_>>()?;
    method(java, site, labels)
}

pub(super) fn on_enum(java: Java, site: &CallSite, args: &[BootstrapArgument<'_>]) -> Option<MethodId> {
    let Some(&Type::Class(class)) = site.params.first() else { return None };
    let own = descriptor(java.program, Type::Class(class));
    let label = |arg: &BootstrapArgument<'_>| {
        Some(match arg {
            BootstrapArgument::ClassInfo(name) => Label::Type(named_type(java.program, name)?),
            BootstrapArgument::LiteralConstant(literal) => {
                let name = String::from_utf16(&constants::units(literal)?).ok()?;
                let field = java.declared_field(class, &name, &own);
                field.filter(|&field| java.program.field(field).is_static).map_or(Label::Never, Label::Constant)
            }
            _ => return None,
        })
    };
    let labels: Vec<Label> = args.iter().map(label).collect::<Option<_>>()?;
    method(java, site, labels)
}

fn method(java: Java, site: &CallSite, labels: Vec<Label>) -> Option<MethodId> {
    let &[subject, INT] = &site.params[..] else { return None };
    if !subject.is_reference() || site.result != Some(INT) {
        return None;
    }
    Some(java.new_static(&site.label(java), &site.params, site.result, move |java| body(java, subject, &labels)))
}

fn body(java: Java, subject: Type, labels: &[Label]) -> Body {
    let mut code = Builder::new(&[subject, INT]);
    let (value, start) = (code.param(0), code.param(1));
    let null = code.null();
    let is_null = code.binary(BinaryOp::Eq, subject, value, null);
    let (_, some) = code.branch(is_null);
    let minus_one = code.int(-1);
    code.ret(Some(minus_one));
    code.switch_to(some);

    let (tests, outside): (Vec<_>, _) = ((0..=labels.len()).map(|_| code.block()).collect(), code.block());
    let cases = tests.iter().enumerate().map(|(index, &block)| (index.into(), block)).collect();
    code.end(TerminatorKind::Switch { value: start, cases, default: outside });
    code.switch_to(outside);
    initializer::throw_new(java, &mut code, "java.lang.IndexOutOfBoundsException", "()V", Vec::new());
    for (index, label) in labels.iter().enumerate() {
        code.switch_to(tests[index]);
        let then_block = code.block();
        let condition = matches(java, &mut code, value, subject, label);
        code.end(TerminatorKind::Branch { condition, then_block, else_block: tests[index + 1] });
        code.switch_to(then_block);
        let index = code.int(index as i64);
        code.ret(Some(index));
    }
    code.switch_to(tests[labels.len()]);
    let none = code.int(labels.len() as i64);
    code.ret(Some(none));
    code.finish()
}

/// Whether a value that is not null matches a label.
fn matches(java: Java, code: &mut Builder, value: ExprId, subject: Type, label: &Label) -> ExprId {
    let is_a =
        |code: &mut Builder, ty: Type| code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: value, ty });
    match label {
        Label::Never => code.bool(false),
        Label::Type(ty) => is_a(code, *ty),
        Label::Constant(field) => {
            let class = java.program.field(*field).class;
            if let Some((field, method)) = java.initialization(class) {
                code.op(OpKind::Ensure { field, method });
            }
            let constant = code.result(Type::Class(class), |dst| OpKind::GetStatic { dst, field: *field });
            code.binary(BinaryOp::Eq, java.class_type(OBJECT), value, constant)
        }
        Label::String(units) => {
            let (field, method) = constants::string(java, units.clone());
            code.op(OpKind::Ensure { field, method });
            let constant = code.result(java.class_type(STRING), |dst| OpKind::GetStatic { dst, field });
            call(java, code, STRING, "equals", "(Ljava/lang/Object;)Z", vec![constant, value])
        }
        Label::Int(number) => {
            let held = code.variable(Type::Bool);
            let done = code.block();
            for (holder, primitive) in [("java.lang.Number", INT), ("java.lang.Character", CHAR)] {
                let Some(primitive) = Primitive::of(primitive) else { continue };
                let ty = java.class_type(holder);
                let condition = is_a(code, ty);
                let (_, other) = code.branch(condition);
                let object = code.expr(Expr::Convert { from: subject, to: ty, value });
                let own = unboxed(java, code, object, holder, primitive);
                let own = super::convert::widen(code, own, primitive.ty, INT);
                let number = code.int(i64::from(*number));
                let equal = code.binary(BinaryOp::Eq, INT, own, number);
                code.op(OpKind::Assign { dst: held, value: equal });
                code.end(TerminatorKind::Goto(done));
                code.switch_to(other);
            }
            let no = code.bool(false);
            code.op(OpKind::Assign { dst: held, value: no });
            code.end(TerminatorKind::Goto(done));
            code.switch_to(done);
            code.local(held)
        }
    }
}
