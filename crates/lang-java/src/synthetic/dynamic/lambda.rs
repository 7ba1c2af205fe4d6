//! Generates lambda expressions and method references (`LambdaMetafactory`): each instruction has its own class,
//! whose objects hold the captured values.

use super::CallSite;
use super::convert::convert;
use crate::bootstrap::{Argument, Handle, ReferenceKind};
use crate::loader::{Java, MadeClass, MadeMethod};
use crate::types::{OBJECT, method_types, named_type};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Body, ClassId, Dispatch, FieldId, MethodId, MethodKind, OpKind, TerminatorKind, Type};
use std::sync::Arc;

// Flags of `altMetafactory`.
const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;
const BRIDGES: i32 = 4;

/// The types of the parameters, without a receiver, and of the result.
type Signature = (Vec<Type>, Option<Type>);

/// The code that a lambda's methods execute.
struct Target {
    method: MethodId,
    dispatch: Dispatch,
    /// The class of the new object, if the method is a constructor.
    constructed: Option<ClassId>,
    /// The parameters, including a receiver, and the result.
    signature: Signature,
}

/// The arguments of the bootstrap method.
struct Request {
    /// The erased types of the interface's method.
    erased: Signature,
    target: Target,
    /// The types of the interface's method with known type arguments.
    declared: Signature,
    markers: Vec<ClassId>,
    bridges: Vec<Signature>,
}

pub(super) fn link(java: Java, site: &CallSite, args: &[Argument]) -> Result<MethodId, String> {
    let Some(Type::Class(interface)) = site.result else { return Err("a lambda of no interface".into()) };
    let Request { erased, target, declared, markers, bridges } = request(java, site, args)?;
    if target.signature.0.len() != site.params.len() + erased.0.len() || erased.0.len() != declared.0.len() {
        return Err("a lambda whose types do not fit each other".into());
    }
    let class = java.named(&class_name(java, site));
    let (target, captured) = (Arc::new(target), site.params.clone());
    let mut methods: Vec<MadeMethod> = Vec::new();
    let mut signatures = vec![erased];
    signatures.extend(bridges);
    for signature in signatures {
        let (target, captured, declared) = (target.clone(), captured.clone(), declared.0.clone());
        let (params, result) = signature.clone();
        methods.push(MadeMethod::new(site.name, &params, result, move |java| {
            forward(java, class, &captured, &signature, &declared, &target)
        }));
    }
    let fields = captured.iter().enumerate().map(|(index, &ty)| (format!("captured{index}"), ty)).collect();
    let interfaces = [interface].into_iter().chain(markers.into_iter().filter(|&marker| marker != interface));
    java.declare_made_class(class, MadeClass { interfaces: interfaces.collect(), fields, methods });
    let name = site.label(java);
    let shared = captured.is_empty().then(|| java.new_static_field(&name, Type::Class(interface)));
    Ok(java.new_static(&name, &site.params, site.result, move |java| make(java, class, &captured, shared)))
}

/// `Main$$Lambda/main:12`: a name that does not depend on other loaded classes.
fn class_name(java: Java, site: &CallSite) -> String {
    let method = java.program.method(site.method);
    let namesakes = java.program.methods_named(method.class, &method.name);
    let number = namesakes.iter().position(|&one| one == site.method).filter(|&number| number > 0);
    let number = number.map_or(String::new(), |number| format!("~{number}"));
    format!("{}$$Lambda/{}{number}:{}", site.class.name, method.name, site.index)
}

fn request(java: Java, site: &CallSite, args: &[Argument]) -> Result<Request, String> {
    let malformed = || "a lambda with arguments that do not fit".to_string();
    let signature = |arg: &Argument| match arg {
        Argument::MethodType(descriptor) => method_types(java.program, descriptor),
        _ => None,
    };
    let [erased, Argument::Handle(handle), declared, options @ ..] = args else {
        return Err(malformed());
    };
    let target = target(java, site, handle)?;
    let mut request = Request {
        erased: signature(erased).ok_or_else(malformed)?,
        target,
        declared: signature(declared).ok_or_else(malformed)?,
        markers: Vec::new(),
        bridges: Vec::new(),
    };
    let mut options = options.iter();
    let number = |options: &mut std::slice::Iter<Argument>| match options.next() {
        Some(Argument::Int(number)) => *number,
        _ => 0,
    };
    let flags = number(&mut options);
    if flags & MARKERS != 0 {
        for _ in 0..number(&mut options) {
            let Some(Argument::Class(name)) = options.next() else { return Err(malformed()) };
            request.markers.push(java.named(&crate::types::class_name(name)));
        }
    }
    if flags & BRIDGES != 0 {
        for _ in 0..number(&mut options) {
            request.bridges.push(options.next().and_then(signature).ok_or_else(malformed)?);
        }
    }
    if flags & SERIALIZABLE != 0 {
        request.markers.push(java.named("java.io.Serializable"));
    }
    Ok(request)
}

fn target(java: Java, site: &CallSite, handle: &Handle) -> Result<Target, String> {
    let (name, descriptor) = (&handle.name, &handle.descriptor);
    let shown = || format!("{}.{name}", crate::types::class_name(&handle.class));
    let owner = named_type(java.program, &handle.class).ok_or_else(|| format!("a bad reference to {}", shown()))?;
    let class = match owner {
        Type::Class(class) => class,
        // Arrays have the methods of `Object`.
        _ => java.named(OBJECT),
    };
    let found = java.method(class, name, descriptor);
    let mut method = found.ok_or_else(|| format!("a reference to {}, which does not exist", shown()))?;
    if !site.class.is_trusted && !java.may_call(site.class.id, method) {
        return Err(format!("a reference to {}, which {} may not name", shown(), site.class.name));
    }
    if handle.kind == ReferenceKind::Special {
        let found = java.special(site.class.id, class, method);
        method = found.ok_or_else(|| format!("a reference to {}, which finds no code", shown()))?;
    }
    let declared = java.program.method(method);
    let (mut params, mut result) = (declared.params.clone(), declared.result);
    if let Some(receiver) = params.first_mut().filter(|_| declared.kind != MethodKind::Static) {
        *receiver = owner;
    }
    let mut constructed = None;
    let dispatch = match (handle.kind, declared.kind) {
        (ReferenceKind::Static, MethodKind::Static) => Dispatch::Static,
        (ReferenceKind::Virtual | ReferenceKind::Interface, MethodKind::Instance) => {
            if java.is_never_overridden(method) { Dispatch::Special } else { Dispatch::Virtual }
        }
        (ReferenceKind::Special, MethodKind::Instance) => Dispatch::Special,
        (ReferenceKind::New, MethodKind::Constructor) => {
            params.remove(0);
            (constructed, result) = (Some(class), Some(owner));
            Dispatch::Special
        }
        _ => return Err(format!("a reference to {} of an unknown kind", shown())),
    };
    Ok(Target { method, dispatch, constructed, signature: (params, result) })
}

/// The code of an instruction, which creates the lambda. If nothing is captured, all evaluations give the same
/// object.
fn make(java: Java, class: ClassId, captured: &[Type], shared: Option<FieldId>) -> Body {
    let mut code = Builder::new(captured);
    if let Some(field) = shared {
        let ty = java.program.field(field).ty;
        let known = code.result(ty, |dst| OpKind::GetStatic { dst, field });
        let null = code.null();
        let condition = code.binary(BinaryOp::Ne, ty, known, null);
        let (_, make) = code.branch(condition);
        code.ret(Some(known));
        code.switch_to(make);
    }
    // Its interfaces may require initialization.
    if let Some((field, method)) = java.initialization(class) {
        code.op(OpKind::Ensure { field, method });
    }
    let made = code.allocate(class);
    for (field, index) in fields(java, class).into_iter().zip(0..) {
        let value = code.param(index);
        code.op(OpKind::PutField { object: made, field, value });
    }
    if let Some(field) = shared {
        code.op(OpKind::PutStatic { field, value: made });
    }
    code.ret(Some(made));
    code.finish()
}

fn fields(java: Java, class: ClassId) -> Vec<FieldId> {
    java.program.class(class).fields.clone()
}

/// The code of a lambda's method: it calls the target with the captured values and the arguments.
fn forward(
    java: Java,
    class: ClassId,
    captured: &[Type],
    (given, result): &Signature,
    declared: &[Type],
    target: &Target,
) -> Body {
    let params: Vec<Type> = [Type::Class(class)].into_iter().chain(given.iter().copied()).collect();
    let mut code = Builder::new(&params);
    let this = code.param(0);
    let mut args = Vec::new();
    for (field, &ty) in fields(java, class).into_iter().zip(captured) {
        args.push(code.get(this, field, ty));
    }
    for (index, (&from, &declared)) in given.iter().zip(declared).enumerate() {
        let value = code.param(index + 1);
        let to = target.signature.0[captured.len() + index];
        args.push(convert(java, &mut code, value, from, to, declared));
    }
    let (method, dispatch) = (target.method, target.dispatch);
    let value = match target.constructed {
        Some(class) => {
            if let Some((field, method)) = java.initialization(class) {
                code.op(OpKind::Ensure { field, method });
            }
            let object = code.allocate(class);
            args.insert(0, object);
            code.call(dispatch, method, args, None);
            Some(object)
        }
        None => code.call(dispatch, method, args, target.signature.1),
    };
    match (value, target.signature.1, *result) {
        (Some(value), Some(from), Some(to)) => {
            let value = convert(java, &mut code, value, from, to, to);
            code.ret(Some(value));
        }
        (_, _, None) => code.ret(None),
        _ => code.end(TerminatorKind::unsupported("a lambda that has no result and should have one")),
    }
    code.finish()
}
