//! Makes the classes of delegates.
//!
//! The objects of a delegate type that call the same method have a class of their own, whose `Invoke` calls the method.
//! So a call of a delegate is a virtual call.

use crate::layout::INT;
use crate::loader::{ClassKind, Cs, MadeClass, MadeMethod, Target};
use crate::receivers;
use crate::synthetic::operations;
use crate::synthetic::references::convert;
use crate::types::{Result, TyId};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Dispatch, ExprId, MethodId, MethodKind, OpKind, TerminatorKind, Type};

/// The method of a delegate type that calls its method.
pub(crate) const INVOKE: &str = "Invoke";

/// The method `Invoke` of a delegate type, as its assembly declares it.
pub(crate) fn invoke(cs: Cs, ty: TyId) -> Result<MethodId> {
    let (declared, _) = cs.declared(ty).ok_or("a delegate of no type")?;
    let read = cs.assembly(declared.assembly);
    let def = read.type_def(declared.row).map_err(|error| error.to_string())?;
    let row = def.methods.clone().find(|&row| read.method_name(row) == Ok(INVOKE));
    let row = row.ok_or_else(|| format!("the delegate {}, which has no method Invoke", cs.name(ty)))?;
    Ok(cs.method(&crate::members::MethodKey { owner: ty, row, arguments: std::sync::Arc::new([]) }))
}

/// The class of delegates that call a method, with what they hold.
pub(crate) fn class(cs: Cs, ty: TyId, method: MethodId, target: Target) -> Result<MadeClass> {
    let own = cs.class_for(ClassKind::Delegate(ty, method, target));
    let mut fields = Vec::new();
    if target != Target::None {
        fields.push(("target".to_string(), Type::Class(cs.object_class())));
    }
    let mut methods = single(cs, Type::Class(own), ty)?;
    if let Ok(invoke) = invoke(cs, ty) {
        let declared = cs.program.method(invoke);
        let params: Vec<Type> = declared.params.iter().skip(1).copied().collect();
        let result = declared.result;
        let given = params.clone();
        methods.push(MadeMethod::new(INVOKE, &params, result, move |cs| {
            call(cs, Type::Class(own), method, target, &given, result)
        }));
    }
    Ok(MadeClass { superclass: Some(cs.class_of(ty)), fields, methods, ..MadeClass::default() })
}

fn call(cs: Cs, own: Type, method: MethodId, held: Target, params: &[Type], result: Option<Type>) -> Body {
    let types: Vec<Type> = [own].into_iter().chain(params.iter().copied()).collect();
    let mut code = Builder::new(&types);
    let declared = cs.program.method(method);
    let mut args: Vec<(ExprId, Type)> = Vec::new();
    let mut dispatch = Dispatch::Static;
    if held != Target::None {
        let Type::Class(class) = own else { return unsupported(&types, "a delegate of no class") };
        let Some(&field) = cs.program.class(class).fields.first() else {
            return unsupported(&types, "a delegate without a target");
        };
        let this = code.param(0);
        let target = code.get(this, field, cs.program.field(field).ty);
        match receiver(cs, method, &mut code, target) {
            Ok(receiver) => args.extend(receiver),
            Err(reason) => return unsupported(&types, reason),
        }
        if declared.kind == MethodKind::Instance {
            dispatch = if held == Target::Exact { Dispatch::Special } else { Dispatch::Virtual };
        }
    }
    for (index, &ty) in params.iter().enumerate() {
        args.push((code.param(index + 1), ty));
    }
    if args.len() != declared.params.len() {
        return unsupported(&types, "a delegate whose method has other parameters");
    }
    let args = args.iter().zip(&declared.params).map(|(&(value, from), &to)| convert(&mut code, value, from, to));
    let args: Vec<ExprId> = args.collect();
    let value = code.call(dispatch, method, args, declared.result);
    let value = value.zip(declared.result).zip(result);
    let value = value.map(|((value, from), to)| convert(&mut code, value, from, to));
    code.ret(value);
    code.finish()
}

/// The arguments for the receiver of a method: the target, or what is in it if it is the box of a struct.
fn receiver(cs: Cs, method: MethodId, code: &mut Builder, target: ExprId) -> Result<Vec<(ExprId, Type)>> {
    let object = Type::Class(cs.object_class());
    let key = cs.loader.key_of(method).ok_or("a delegate of no method")?;
    let has_this = cs.signature(&key)?.has_this;
    if !has_this || !cs.is_value(key.owner) {
        return Ok(vec![(target, object)]);
    }
    let class = Type::Class(cs.class_of(key.owner));
    let target = convert(code, target, object, class);
    if receivers::is_by_value(cs, &key) {
        let fields = cs.boxed_fields(key.owner)?;
        return Ok(fields
            .into_iter()
            .map(|field| {
                let ty = cs.program.field(field).ty;
                (code.get(target, field, ty), ty)
            })
            .collect());
    }
    Ok(vec![(target, class)])
}

/// The delegates that a delegate calls, one after another.
pub(crate) const LIST: &str = "$list";
/// A delegate of the same type that calls a list of others.
pub(crate) const OF: &str = "$of";
/// Whether another delegate calls the same method with the same first argument.
pub(crate) const SAME: &str = "$same";

/// The first argument of the method that a delegate calls last, or null.
pub(crate) const TARGET: &str = "$target";

/// The type of all delegates, and of arrays of them.
fn types(cs: Cs) -> Result<(Type, Type)> {
    let delegate = Type::Class(cs.library_class("System", "Delegate")?);
    Ok((delegate, cs.program.array_of(delegate)))
}

/// The methods of all delegates, as the class `System.Delegate` declares them.
pub(crate) fn declared(cs: Cs) -> Vec<MadeMethod> {
    let Ok((delegate, list)) = types(cs) else { return Vec::new() };
    vec![
        MadeMethod::abstract_method(LIST, &[], Some(list)),
        MadeMethod::abstract_method(OF, &[list], Some(delegate)),
        MadeMethod::abstract_method(SAME, &[delegate], Some(Type::Bool)),
        MadeMethod::abstract_method(TARGET, &[], Some(Type::Class(cs.object_class()))),
    ]
}

/// The method that makes a delegate that calls a list of others.
fn of_list(cs: Cs, own: Type, ty: TyId) -> Result<MadeMethod> {
    let (delegate, list) = types(cs)?;
    Ok(MadeMethod::new(OF, &[list], Some(delegate), move |cs| {
        let mut code = Builder::new(&[own, list]);
        let class = cs.class_for(ClassKind::Multicast(ty));
        let made = code.allocate(class);
        let value = code.param(1);
        if let Some(&field) = cs.program.class(class).fields.first() {
            code.op(OpKind::PutField { object: made, field, value });
        }
        let made = convert(&mut code, made, Type::Class(class), delegate);
        code.ret(Some(made));
        code.finish()
    }))
}

/// The methods of delegates that call one method.
fn single(cs: Cs, own: Type, ty: TyId) -> Result<Vec<MadeMethod>> {
    let (delegate, list) = types(cs)?;
    let list_of = MadeMethod::new(LIST, &[], Some(list), move |_| {
        let mut code = Builder::new(&[own]);
        let one = code.int(1);
        let array = code.result(list, |dst| OpKind::NewArray { dst, element: delegate, length: one });
        let (index, this) = (code.int(0), code.param(0));
        let value = convert(&mut code, this, own, delegate);
        code.op(OpKind::ArrayPut { array, index, value });
        code.ret(Some(array));
        code.finish()
    });
    let same = MadeMethod::new(SAME, &[delegate], Some(Type::Bool), move |cs| {
        let mut code = Builder::new(&[own, delegate]);
        let (this, other) = (code.param(0), code.param(1));
        let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: other, ty: own });
        let (_, different) = code.branch(fits);
        let other = convert(&mut code, other, delegate, own);
        let Type::Class(class) = own else { return unsupported(&[own, delegate], "a delegate of no class") };
        let same = match cs.program.class(class).fields.first() {
            Some(&field) => {
                let ty = cs.program.field(field).ty;
                let targets = [code.get(this, field, ty), code.get(other, field, ty)];
                code.binary(BinaryOp::Eq, ty, targets[0], targets[1])
            }
            None => code.bool(true),
        };
        code.ret(Some(same));
        code.switch_to(different);
        let no = code.bool(false);
        code.ret(Some(no));
        code.finish()
    });
    let object = Type::Class(cs.object_class());
    let target = MadeMethod::new(TARGET, &[], Some(object), move |cs| {
        let mut code = Builder::new(&[own]);
        let this = code.param(0);
        let Type::Class(class) = own else { return unsupported(&[own], "a delegate of no class") };
        let value = match cs.program.class(class).fields.first() {
            Some(&field) => code.get(this, field, cs.program.field(field).ty),
            None => code.null(),
        };
        code.ret(Some(value));
        code.finish()
    });
    Ok(vec![list_of, of_list(cs, own, ty)?, same, target, operations::type_of(cs, own, ty)])
}

/// The class of delegates of a type that call others, one after another. Their number is at least two.
pub(crate) fn multicast(cs: Cs, ty: TyId) -> Result<MadeClass> {
    let class = cs.class_for(ClassKind::Multicast(ty));
    let own = Type::Class(class);
    let (delegate, list) = types(cs)?;
    let invoke = invoke(cs, ty)?;
    let declared = cs.program.method(invoke);
    let params: Vec<Type> = declared.params.iter().skip(1).copied().collect();
    let result = declared.result;
    let given = params.clone();
    let call_all = MadeMethod::new(INVOKE, &params, result, move |cs| {
        let types: Vec<Type> = [own].into_iter().chain(given.iter().copied()).collect();
        let mut code = Builder::new(&types);
        let Some(&field) = cs.program.class(class).fields.first() else {
            return unsupported(&types, "a delegate without a list");
        };
        let this = code.param(0);
        let all = code.get(this, field, list);
        let count = code.result(INT, |dst| OpKind::ArrayLength { dst, array: all });
        let at = code.variable(INT);
        let last = result.map(|ty| code.variable(ty));
        let zero = code.int(0);
        code.op(OpKind::Assign { dst: at, value: zero });
        let head = code.block();
        code.end(TerminatorKind::Goto(head));
        code.switch_to(head);
        let index = code.local(at);
        let goes_on = code.binary(BinaryOp::Lt, INT, index, count);
        let (_, done) = code.branch(goes_on);
        let one = code.result(delegate, |dst| OpKind::ArrayGet { dst, array: all, index });
        let receiver = convert(&mut code, one, delegate, Type::Class(cs.class_of(ty)));
        let mut args = vec![receiver];
        args.extend((0..given.len()).map(|index| code.param(index + 1)));
        code.op(OpKind::Call { dst: last, dispatch: Dispatch::Virtual, method: invoke, args });
        let step = code.int(1);
        let next = code.binary(BinaryOp::Add, INT, index, step);
        code.op(OpKind::Assign { dst: at, value: next });
        code.end(TerminatorKind::Goto(head));
        code.switch_to(done);
        let last = last.map(|last| code.local(last));
        code.ret(last);
        code.finish()
    });
    let list_of = MadeMethod::new(LIST, &[], Some(list), move |cs| {
        let mut code = Builder::new(&[own]);
        let this = code.param(0);
        match cs.program.class(class).fields.first() {
            Some(&field) => {
                let all = code.get(this, field, list);
                code.ret(Some(all));
            }
            None => code.unsupported("a delegate without a list"),
        }
        code.finish()
    });
    let object = Type::Class(cs.object_class());
    let last_target = MadeMethod::new(TARGET, &[], Some(object), move |cs| {
        let mut code = Builder::new(&[own]);
        let Some(&field) = cs.program.class(class).fields.first() else {
            return unsupported(&[own], "a delegate without a list");
        };
        let this = code.param(0);
        let all = code.get(this, field, list);
        let count = code.result(INT, |dst| OpKind::ArrayLength { dst, array: all });
        let one = code.int(1);
        let index = code.binary(BinaryOp::Sub, INT, count, one);
        let last = code.result(delegate, |dst| OpKind::ArrayGet { dst, array: all, index });
        let value = operations::call(cs, &mut code, "Delegate", TARGET, vec![last]);
        code.ret(value);
        code.finish()
    });
    Ok(MadeClass {
        superclass: Some(cs.class_of(ty)),
        fields: vec![("list".into(), list)],
        methods: vec![call_all, list_of, last_target, of_list(cs, own, ty)?, operations::type_of(cs, own, ty)],
        ..MadeClass::default()
    })
}
