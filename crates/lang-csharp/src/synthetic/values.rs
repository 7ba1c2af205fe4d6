//! Makes the methods that the boxes of enums and structs have: their numbers, their names, and their comparison by parts.

use crate::layout::{INT, LONG};
use crate::loader::{Cs, MadeMethod};
use crate::synthetic::references::convert;
use crate::synthetic::{hashes, literals};
use crate::types::{Kind, Result, Ty, TyId};
use aback_cil::{Constant, Token};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Dispatch, Expr, ExprId, FieldId, OpKind, TerminatorKind, Type};

/// The value of an enum, as a number of 64 bits.
pub(crate) const BITS: &str = "$bits";
/// The box of the number that the value of an enum is.
pub(crate) const NUMBER: &str = "$number";
/// The name of the value of an enum; null if it has none.
pub(crate) const TEXT: &str = "$text";
/// The names of an enum, in the order of their numbers without sign.
pub(crate) const NAMES: &str = "$names";
/// The values of an enum in this order, as an array of the enum.
pub(crate) const VALUES: &str = "$values";
/// Whether a value of an enum may be several ones together.
pub(crate) const FLAGS: &str = "$flags";
/// The box of another value of an enum.
pub(crate) const OF: &str = "$of";
/// Whether another object is the box of a struct of the same type with equal parts.
pub(crate) const ALIKE: &str = "$alike";

/// The methods that a class gets.
pub(crate) fn methods(cs: Cs, ty: TyId) -> Vec<MadeMethod> {
    let string = Type::Class(cs.string_class());
    let object = Type::Class(cs.object_class());
    let strings = cs.program.array_of(string);
    let array = cs.library_class("System", "Array").map_or(object, Type::Class);
    if cs.is_library_type(ty, "System", "Enum") {
        return vec![
            MadeMethod::abstract_method(BITS, &[], Some(LONG)),
            MadeMethod::abstract_method(NUMBER, &[], Some(object)),
            MadeMethod::abstract_method(TEXT, &[], Some(string)),
            MadeMethod::abstract_method(NAMES, &[], Some(strings)),
            MadeMethod::abstract_method(VALUES, &[], Some(array)),
            MadeMethod::abstract_method(FLAGS, &[], Some(Type::Bool)),
            MadeMethod::abstract_method(OF, &[LONG], Some(object)),
        ];
    }
    if cs.is_library_type(ty, "System", "ValueType") {
        let numbers = cs.program.array_of(INT);
        return vec![
            MadeMethod::abstract_method(ALIKE, &[object], Some(Type::Bool)),
            MadeMethod::abstract_method(hashes::PARTS, &[], Some(numbers)),
        ];
    }
    if !matches!(cs.ty(ty), Ty::Named(..)) {
        return Vec::new();
    }
    let own = Type::Class(cs.class_of(ty));
    match cs.kind(ty) {
        Kind::Enum(underlying) => {
            let made = |name: &str, params: &[Type], result, build: fn(Cs, &mut Builder, TyId, TyId) -> Result<()>| {
                let all: Vec<Type> = std::iter::once(own).chain(params.iter().copied()).collect();
                MadeMethod::new(name, params, Some(result), move |cs| {
                    let mut code = Builder::new(&all);
                    match build(cs, &mut code, ty, underlying) {
                        Ok(()) => code.finish(),
                        Err(what) => unsupported(&all, what),
                    }
                })
            };
            vec![
                made(BITS, &[], LONG, |cs, code, ty, _| {
                    let bits = bits(cs, code, ty)?;
                    code.ret(Some(bits));
                    Ok(())
                }),
                made(NUMBER, &[], object, number),
                made(TEXT, &[], string, text),
                made(NAMES, &[], strings, all_names),
                made(VALUES, &[], array, all_values),
                made(FLAGS, &[], Type::Bool, |cs, code, ty, _| {
                    let is_flags = code.bool(is_flags(cs, ty));
                    code.ret(Some(is_flags));
                    Ok(())
                }),
                made(OF, &[LONG], object, of_bits),
            ]
        }
        Kind::Struct => {
            let alike = MadeMethod::new(ALIKE, &[object], Some(Type::Bool), move |cs| {
                alike(cs, own, ty).unwrap_or_else(|what| unsupported(&[own, object], what))
            });
            vec![alike, hashes::method(cs, ty)]
        }
        _ => Vec::new(),
    }
}

/// The value of the enum whose box is parameter 0.
fn bits(cs: Cs, code: &mut Builder, ty: TyId) -> Result<ExprId> {
    let fields = cs.boxed_fields(ty)?;
    let field = *fields.first().ok_or("an enum without a value")?;
    let this = code.param(0);
    let own = cs.program.field(field).ty;
    let value = code.get(this, field, own);
    Ok(convert(code, value, own, LONG))
}

/// The names of the values of an enum, in the order of their declaration.
pub(crate) fn names(cs: Cs, ty: TyId) -> Result<Vec<(i64, String)>> {
    let (declared, _) = cs.declared(ty).ok_or("an enum without a declaration")?;
    let read = cs.assembly(declared.assembly);
    let def = read.type_def(declared.row).map_err(|error| error.to_string())?;
    let named = def.fields.clone().filter_map(|row| {
        let value = match read.constant(Token::new(aback_cil::Table::Field, row))? {
            Constant::I1(value) => value.into(),
            Constant::U1(value) => value.into(),
            Constant::I2(value) => value.into(),
            Constant::U2(value) => value.into(),
            Constant::I4(value) => value.into(),
            Constant::U4(value) => value.into(),
            Constant::I8(value) => value,
            Constant::U8(value) => value as i64,
            _ => return None,
        };
        Some((value, read.field_name(row).ok()?.to_string()))
    });
    Ok(named.collect())
}

/// Whether the text of a value may list several names.
fn is_flags(cs: Cs, ty: TyId) -> bool {
    cs.declared(ty)
        .is_some_and(|(declared, _)| cs.attributes(declared).iter().any(|name| name.ends_with("FlagsAttribute")))
}

/// The names of an enum, in the order of their numbers without sign. Names of the same number have the order of their
/// declaration, as long as the library does not have to sort.
fn sorted_names(cs: Cs, ty: TyId) -> Result<Vec<(i64, String)>> {
    let declared = names(cs, ty)?;
    let mut sorted = declared.clone();
    sorted.sort_by_key(|&(value, _)| value as u64);
    let is_ambiguous = sorted.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if is_ambiguous && (sorted != declared || sorted.len() > MOST_AMBIGUOUS) {
        return Err(format!("the names of the enum {}, which has two for a value", cs.name(ty)));
    }
    Ok(sorted)
}

/// Most values of an enum in whose order the library looks for one. In others, it finds any of several names.
const MOST_AMBIGUOUS: usize = 16;

fn name(cs: Cs, code: &mut Builder, ty: TyId, text: String) -> ExprId {
    literals::load(cs, code, literals::name(cs, ty, "name", text))
}

fn text(cs: Cs, code: &mut Builder, ty: TyId, _: TyId) -> Result<()> {
    let bits = bits(cs, code, ty)?;
    let mut names = sorted_names(cs, ty)?;
    // The library looks for flags from the largest one on.
    if is_flags(cs, ty) {
        let zeros = names.iter().take_while(|&&(value, _)| value == 0).count();
        names[zeros..].reverse();
    }
    let mut done: Vec<i64> = Vec::new();
    for (value, name) in names {
        if done.contains(&value) {
            continue;
        }
        done.push(value);
        let number = code.constant(value, LONG);
        let is_one = code.binary(BinaryOp::Eq, LONG, bits, number);
        let (_, next) = code.branch(is_one);
        let name = self::name(cs, code, ty, name);
        code.ret(Some(name));
        code.switch_to(next);
    }
    let null = code.null();
    code.ret(Some(null));
    Ok(())
}

/// The number of the enum whose box is parameter 0, in a box of its own.
fn number(cs: Cs, code: &mut Builder, ty: TyId, underlying: TyId) -> Result<()> {
    let class = cs.class_of(underlying);
    let made = code.allocate(class);
    let this = code.param(0);
    for (from, to) in cs.boxed_fields(ty)?.into_iter().zip(cs.boxed_fields(underlying)?) {
        let value = code.get(this, from, cs.program.field(from).ty);
        code.op(OpKind::PutField { object: made, field: to, value });
    }
    let made = convert(code, made, Type::Class(class), Type::Class(cs.object_class()));
    code.ret(Some(made));
    Ok(())
}

fn all_names(cs: Cs, code: &mut Builder, ty: TyId, _: TyId) -> Result<()> {
    let names: Vec<ExprId> = sorted_names(cs, ty)?.into_iter().map(|(_, text)| name(cs, code, ty, text)).collect();
    let array = filled(cs, code, Type::Class(cs.string_class()), &names);
    code.ret(Some(array));
    Ok(())
}

fn all_values(cs: Cs, code: &mut Builder, ty: TyId, _: TyId) -> Result<()> {
    let element = cs.element_type(ty)?;
    let constant = |value| Expr::Const(literals::from_bits(value, element));
    let values: Vec<ExprId> =
        sorted_names(cs, ty)?.iter().map(|&(value, _)| code.expr(constant(value as u64))).collect();
    let array = filled(cs, code, element, &values);
    let root = Type::Class(cs.library_class("System", "Array")?);
    let array = convert(code, array, cs.program.array_of(element), root);
    code.ret(Some(array));
    Ok(())
}

/// A new array of the program model with these elements.
pub(super) fn filled(cs: Cs, code: &mut Builder, element: Type, values: &[ExprId]) -> ExprId {
    let length = code.int(values.len() as i64);
    let array = code.result(cs.program.array_of(element), |dst| OpKind::NewArray { dst, element, length });
    for (index, &value) in values.iter().enumerate() {
        let index = code.int(index as i64);
        code.op(OpKind::ArrayPut { array, index, value });
    }
    array
}

/// The box of the value with the bits that are parameter 1.
fn of_bits(cs: Cs, code: &mut Builder, ty: TyId, _: TyId) -> Result<()> {
    let class = cs.class_of(ty);
    let field = *cs.boxed_fields(ty)?.first().ok_or("an enum without a value")?;
    let made = code.allocate(class);
    let value = code.param(1);
    let value = convert(code, value, LONG, cs.program.field(field).ty);
    code.op(OpKind::PutField { object: made, field, value });
    let made = convert(code, made, Type::Class(class), Type::Class(cs.object_class()));
    code.ret(Some(made));
    Ok(())
}

/// Compares all fields, as `ValueType.Equals` does.
fn alike(cs: Cs, own: Type, ty: TyId) -> Result<Body> {
    if cs.inline_array(ty).is_some() {
        return Err("a comparison of inline arrays".into());
    }
    let object = Type::Class(cs.object_class());
    let mut code = Builder::new(&[own, object]);
    let no = code.block();
    let (this, other) = (code.param(0), code.param(1));
    let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: other, ty: own });
    let (_, different) = code.branch(fits);
    let other = convert(&mut code, other, object, own);
    let leaves = cs.boxed_fields(ty)?;
    let mut first = 0;
    for field in cs.instance_fields(ty)?.iter() {
        let count = cs.leaves(field.ty)?.len();
        let ids = leaves.get(first..first + count).ok_or("a struct with other fields")?;
        first += count;
        let same = same(cs, &mut code, field.ty, ids, this, other)?;
        let (_, differs) = code.branch(same);
        let next = code.block();
        code.end(TerminatorKind::Goto(next));
        code.switch_to(differs);
        code.end(TerminatorKind::Goto(no));
        code.switch_to(next);
    }
    let yes = code.bool(true);
    code.ret(Some(yes));
    code.switch_to(different);
    code.end(TerminatorKind::Goto(no));
    code.switch_to(no);
    let false_value = code.bool(false);
    code.ret(Some(false_value));
    Ok(code.finish())
}

/// The box of a value with these leaves; for a nullable value, null or the box of the value.
pub(super) fn boxed(cs: Cs, code: &mut Builder, ty: TyId, leaves: &[ExprId]) -> Result<ExprId> {
    let (root, made) = (Type::Class(cs.object_class()), code.variable(Type::Class(cs.object_class())));
    let join = code.block();
    let (inner, parts) = match (cs.nullable(ty), leaves) {
        (Some(inner), [has_value, rest @ ..]) => {
            let (_, missing) = code.branch(*has_value);
            let there = code.block();
            code.end(TerminatorKind::Goto(there));
            code.switch_to(missing);
            let null = code.null();
            code.op(OpKind::Assign { dst: made, value: null });
            code.end(TerminatorKind::Goto(join));
            code.switch_to(there);
            (inner, rest)
        }
        _ => (ty, leaves),
    };
    let class = cs.class_of(inner);
    let new = code.allocate(class);
    for (&value, field) in parts.iter().zip(cs.boxed_fields(inner)?) {
        code.op(OpKind::PutField { object: new, field, value });
    }
    let value = convert(code, new, Type::Class(class), root);
    code.op(OpKind::Assign { dst: made, value });
    code.end(TerminatorKind::Goto(join));
    code.switch_to(join);
    Ok(code.local(made))
}

/// Whether a field of two boxes is equal.
fn same(cs: Cs, code: &mut Builder, ty: TyId, ids: &[FieldId], this: ExprId, other: ExprId) -> Result<ExprId> {
    let object = Type::Class(cs.object_class());
    let values = |code: &mut Builder, field: FieldId| {
        let ty = cs.program.field(field).ty;
        (code.get(this, field, ty), code.get(other, field, ty), ty)
    };
    let is_struct = matches!(cs.ty(ty), Ty::Named(..)) && cs.kind(ty) == Kind::Struct;
    let mut boxes = None;
    if is_struct {
        let mut boxed = |object: ExprId| {
            let leaves: Vec<_> = ids.iter().map(|&id| code.get(object, id, cs.program.field(id).ty)).collect();
            boxed(cs, code, ty, &leaves)
        };
        boxes = Some((boxed(this)?, boxed(other)?));
    } else if let &[field] = ids
        && cs.program.field(field).ty.is_reference()
    {
        let (a, b, ty) = values(code, field);
        boxes = Some((convert(code, a, ty, object), convert(code, b, ty, object)));
    }
    let Some((a, b)) = boxes else {
        let &[field] = ids else { return Ok(code.bool(true)) };
        let (a, b, ty) = values(code, field);
        let same = code.binary(BinaryOp::Eq, ty, a, b);
        if !ty.is_float() {
            return Ok(same);
        }
        let nans = [a, b].map(|one| code.binary(BinaryOp::Ne, ty, one, one));
        let both = code.binary(BinaryOp::And, Type::Bool, nans[0], nans[1]);
        return Ok(code.binary(BinaryOp::Or, Type::Bool, same, both));
    };
    // Null equals null; other objects decide themselves.
    let equals = cs.method_named(cs.library("System", "Object")?, "Equals", 1).ok_or("a class without Equals")?;
    let result = code.variable(Type::Bool);
    let null = code.null();
    let is_null = code.binary(BinaryOp::Eq, object, a, null);
    let (_, there) = code.branch(is_null);
    let both = code.binary(BinaryOp::Eq, object, b, null);
    code.op(OpKind::Assign { dst: result, value: both });
    let join = code.block();
    code.end(TerminatorKind::Goto(join));
    code.switch_to(there);
    let method = cs.method(&equals);
    code.op(OpKind::Call { dst: Some(result), dispatch: Dispatch::Virtual, method, args: vec![a, b] });
    code.end(TerminatorKind::Goto(join));
    code.switch_to(join);
    Ok(code.local(result))
}
