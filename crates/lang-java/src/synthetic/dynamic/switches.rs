//! Generates switches over patterns and enums (`SwitchBootstraps`). The result is the index of the first matching
//! label from a start index on; the number of labels if none matches; and -1 for null.

use super::CallSite;
use super::convert::{Primitive, call, unboxed};
use crate::bootstrap::{Argument, Bootstrap, Computed};
use crate::loader::Java;
use crate::synthetic::{constants, initializer};
use crate::types::{CHAR, INT, OBJECT, STRING, descriptor, field_type, named_type, stack_type};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Body, ClassId, Expr, ExprId, FieldId, MethodId, OpKind, TerminatorKind, Type};

#[derive(Clone)]
enum Label {
    /// Any object of the type.
    Type(Type),
    /// An equal string.
    String(Vec<u16>),
    /// A number or character with this value.
    Int(i32),
    /// The enum constant that a static field holds.
    Constant(FieldId),
    /// A constant that the enum does not have any more.
    Never,
    /// Any value: a pattern of exactly the subject's type.
    Always,
}

pub(super) fn on_type(java: Java, site: &CallSite, args: &[Argument]) -> Option<MethodId> {
    let label = |arg: &Argument| {
        Some(match arg {
            Argument::Class(name) => Label::Type(named_type(java.program, name)?),
            Argument::Int(value) => Label::Int(*value),
            Argument::String(units) => Label::String(units.clone()),
            Argument::Computed(computed) => computed_label(java, computed, *site.params.first()?)?,
            _ => return None,
        })
    };
    let labels: Vec<Label> = args.iter().map(label).collect::<Option<_>>()?;
    method(java, site, labels)
}

/// `int.class`, or an enum constant that is only described until it is needed.
fn computed_label(java: Java, computed: &Computed, subject: Type) -> Option<Label> {
    let Computed { bootstrap, name } = computed;
    if bootstrap.method.name == "primitiveClass" {
        let primitive = field_type(java.program, name).and_then(Primitive::of)?;
        let wrapper = java.class_type(primitive.wrapper);
        if subject == primitive.ty || subject == wrapper {
            return Some(Label::Always);
        }
        // Whether another number is exactly representable in this type is a question of preview features of Java.
        let is_other_number = Primitive::of(subject).is_some() || Primitive::in_wrapper(java, subject).is_some();
        return (!is_other_number).then_some(Label::Type(wrapper));
    }
    let [Argument::Computed(class), Argument::String(name)] = described(bootstrap, "java/lang/Enum$EnumDesc")? else {
        return None;
    };
    let [Argument::String(class)] = described(&class.bootstrap, "java/lang/constant/ClassDesc")? else { return None };
    Some(constant(java, java.named(&String::from_utf16(class).ok()?), name))
}

/// The arguments of `of`, if the constant is a description that `of` creates.
fn described<'b>(bootstrap: &'b Bootstrap, class: &str) -> Option<&'b [Argument]> {
    match &bootstrap.args[..] {
        [Argument::Handle(made_by), args @ ..]
            if bootstrap.method.name == "invoke" && made_by.class == class && made_by.name == "of" =>
        {
            Some(args)
        }
        _ => None,
    }
}

/// The enum constant with the given name.
fn constant(java: Java, class: ClassId, name: &[u16]) -> Label {
    let own = descriptor(java.program, Type::Class(class));
    let field = java.declared_field(class, &String::from_utf16_lossy(name), &own);
    field.filter(|&field| java.program.field(field).is_static).map_or(Label::Never, Label::Constant)
}

pub(super) fn on_enum(java: Java, site: &CallSite, args: &[Argument]) -> Option<MethodId> {
    let Some(&Type::Class(class)) = site.params.first() else { return None };
    let label = |arg: &Argument| {
        Some(match arg {
            Argument::Class(name) => Label::Type(named_type(java.program, name)?),
            Argument::String(name) => constant(java, class, name),
            _ => return None,
        })
    };
    let labels: Vec<Label> = args.iter().map(label).collect::<Option<_>>()?;
    method(java, site, labels)
}

fn method(java: Java, site: &CallSite, labels: Vec<Label>) -> Option<MethodId> {
    let &[subject, INT] = &site.params[..] else { return None };
    let fits =
        |label: &Label| matches!(label, Label::Always) || (matches!(label, Label::Int(_)) && subject != Type::Bool);
    let is_small = matches!(stack_type(subject), INT);
    if site.result != Some(INT) || !(subject.is_reference() || (is_small && labels.iter().all(fits))) {
        return None;
    }
    Some(java.new_static(&site.label(java), &site.params, site.result, move |java| body(java, subject, &labels)))
}

fn body(java: Java, subject: Type, labels: &[Label]) -> Body {
    let mut code = Builder::new(&[subject, INT]);
    let (value, start) = (code.param(0), code.param(1));
    if subject.is_reference() {
        let null = code.null();
        let is_null = code.binary(BinaryOp::Eq, subject, value, null);
        let (_, some) = code.branch(is_null);
        let minus_one = code.int(-1);
        code.ret(Some(minus_one));
        code.switch_to(some);
    }
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

/// Whether a non-null value matches a label.
fn matches(java: Java, code: &mut Builder, value: ExprId, subject: Type, label: &Label) -> ExprId {
    let is_a =
        |code: &mut Builder, ty: Type| code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: value, ty });
    match label {
        Label::Never => code.bool(false),
        Label::Always => code.bool(true),
        Label::Int(number) if !subject.is_reference() => {
            let own = super::convert::widen(code, value, subject, INT);
            let number = code.int(i64::from(*number));
            code.binary(BinaryOp::Eq, INT, own, number)
        }
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
