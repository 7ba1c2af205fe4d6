//! Makes the methods that the boxes of enums and structs have: their bits, their text, and their comparison by parts.

use crate::layout::{INT, LONG};
use crate::loader::{Cs, MadeMethod};
use crate::synthetic::literals;
use crate::synthetic::references::convert;
use crate::types::{Kind, Result, Ty, TyId};
use aback_cil::{Constant, Token};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Dispatch, ExprId, FieldId, OpKind, TerminatorKind, Type};

/// The value of an enum, as a number of 64 bits.
pub(crate) const BITS: &str = "$bits";
/// Whether the numbers of an enum have 64 bits: 1 if they have a sign, 2 if not, and otherwise 0.
pub(crate) const WIDE: &str = "$wide";
/// The name of the value of an enum, or its number.
pub(crate) const TEXT: &str = "$text";
/// Whether another object is the box of a struct of the same type with equal parts.
pub(crate) const ALIKE: &str = "$alike";

/// The methods that a class gets.
pub(crate) fn methods(cs: Cs, ty: TyId) -> Vec<MadeMethod> {
    let string = Type::Class(cs.string_class());
    let object = Type::Class(cs.object_class());
    if cs.is_library_type(ty, "System", "Enum") {
        return vec![
            MadeMethod::abstract_method(BITS, &[], Some(LONG)),
            MadeMethod::abstract_method(WIDE, &[], Some(INT)),
            MadeMethod::abstract_method(TEXT, &[], Some(string)),
        ];
    }
    if cs.is_library_type(ty, "System", "ValueType") {
        return vec![MadeMethod::abstract_method(ALIKE, &[object], Some(Type::Bool))];
    }
    if !matches!(cs.ty(ty), Ty::Named(..)) {
        return Vec::new();
    }
    let own = Type::Class(cs.class_of(ty));
    match cs.kind(ty) {
        Kind::Enum(_) => vec![
            MadeMethod::new(BITS, &[], Some(LONG), move |cs| {
                let mut code = Builder::new(&[own]);
                match bits(cs, &mut code, ty) {
                    Ok(bits) => code.ret(Some(bits)),
                    Err(what) => return unsupported(&[own], what),
                }
                code.finish()
            }),
            MadeMethod::new(WIDE, &[], Some(INT), move |cs| {
                let mut code = Builder::new(&[own]);
                let ty = cs.boxed_fields(ty).map(|fields| fields.first().map(|&field| cs.program.field(field).ty));
                let wide = code.int(match ty {
                    Ok(Some(Type::Machine { width: 64, signed })) => 2 - i64::from(signed),
                    _ => 0,
                });
                code.ret(Some(wide));
                code.finish()
            }),
            MadeMethod::new(TEXT, &[], Some(string), move |cs| {
                text(cs, own, ty).unwrap_or_else(|what| unsupported(&[own], what))
            }),
        ],
        Kind::Struct => vec![MadeMethod::new(ALIKE, &[object], Some(Type::Bool), move |cs| {
            alike(cs, own, ty).unwrap_or_else(|what| unsupported(&[own, object], what))
        })],
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

fn text(cs: Cs, own: Type, ty: TyId) -> Result<Body> {
    let mut code = Builder::new(&[own]);
    let bits = bits(cs, &mut code, ty)?;
    let mut done: Vec<i64> = Vec::new();
    for (value, name) in names(cs, ty)? {
        if done.contains(&value) {
            return Err(format!("the text of the enum {}, which has two names for a value", cs.name(ty)));
        }
        done.push(value);
        let number = code.constant(value, LONG);
        let is_one = code.binary(BinaryOp::Eq, LONG, bits, number);
        let (_, next) = code.branch(is_one);
        let (field, method) = literals::string(cs, name.encode_utf16().collect());
        code.op(OpKind::Ensure { field, method });
        let name = code.result(Type::Class(cs.string_class()), |dst| OpKind::GetStatic { dst, field });
        code.ret(Some(name));
        code.switch_to(next);
    }
    if is_flags(cs, ty) {
        code.end(TerminatorKind::unsupported(format!("the text of a value of {} without a name", cs.name(ty))));
        return Ok(code.finish());
    }
    // The number itself.
    let Kind::Enum(underlying) = cs.kind(ty) else { return Err("an enum without a type".into()) };
    let class = cs.class_of(underlying);
    let made = code.allocate(class);
    let (from, to) = (cs.boxed_fields(ty)?, cs.boxed_fields(underlying)?);
    let this = code.param(0);
    for (from, to) in from.into_iter().zip(to) {
        let value = code.get(this, from, cs.program.field(from).ty);
        code.op(OpKind::PutField { object: made, field: to, value });
    }
    let to_string =
        cs.method_named(cs.library("System", "Object")?, "ToString", 0).ok_or("a class without ToString")?;
    let made = convert(&mut code, made, Type::Class(class), Type::Class(cs.object_class()));
    let text = code.call(Dispatch::Virtual, cs.method(&to_string), vec![made], Some(Type::Class(cs.string_class())));
    code.ret(text);
    Ok(code.finish())
}

/// Compares all fields, as `ValueType.Equals` does.
fn alike(cs: Cs, own: Type, ty: TyId) -> Result<Body> {
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
        let class = cs.class_of(ty);
        let made = [code.allocate(class), code.allocate(class)];
        for (&from, to) in ids.iter().zip(cs.boxed_fields(ty)?) {
            let (a, b, _) = values(code, from);
            code.op(OpKind::PutField { object: made[0], field: to, value: a });
            code.op(OpKind::PutField { object: made[1], field: to, value: b });
        }
        let [a, b] = made.map(|one| convert(code, one, Type::Class(class), object));
        boxes = Some((a, b));
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
