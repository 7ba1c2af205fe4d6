//! Provides the arguments of entry points that are not arbitrary values: variables behind managed pointers, and objects
//! to which static fields refer.

use crate::forms;
use crate::inputs;
use crate::layout::{INT, Shape};
use crate::loader::{ClassKind, Cs};
use crate::synthetic::arrays;
use crate::synthetic::references::convert;
use crate::types::{Ty, TyId};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{
    BinaryOp, Body, Dispatch, ExprId, FieldId, Form, Intrinsic, LocalId, MethodId, MethodKind, OpKind, TerminatorKind,
    Type,
};
use rustc_hash::FxHashSet;

/// A parameter of an entry point, by its leaves or the variable to which it points.
#[derive(Clone)]
enum Parameter {
    Value(Type),
    /// An object, which may also be one of those to which static fields refer.
    Object(Type, Vec<FieldId>),
    Variable(Shape, Vec<Type>),
    /// A span over a part of an array with elements of a type.
    Span(TyId),
}

/// Greatest number of static fields whose objects are offered as an argument.
const MOST_FIELDS: usize = 4;

/// The incompleteness that results from objects that are not offered.
const LACKING: &str = "arguments are none of the objects of some static fields";

/// A method that calls an entry point with such arguments and takes the other inputs as parameters. `None` if the entry
/// point has none.
pub(crate) fn with_inputs(cs: Cs, entry: MethodId) -> Option<MethodId> {
    let key = cs.loader.key_of(entry)?;
    let signature = cs.signature(&key).ok()?;
    let declared = cs.program.method(entry);
    let mut types: Vec<TyId> = Vec::new();
    if signature.has_this {
        types.push(match cs.is_value(key.owner) {
            true if crate::receivers::is_by_value(cs, &key) => key.owner,
            true => cs.intern(Ty::Ref(key.owner)).ok()?,
            false => key.owner,
        });
    }
    types.extend(&signature.params);
    if let Some(restricted) = inputs::restricted_struct(cs, types.iter().copied()) {
        let params = declared.params.clone();
        let what = format!("inputs of the type {}", cs.name(restricted));
        let name = format!("refused inputs of {} #{}", cs.program.method_name(entry), entry.0);
        return Some(cs.helper(&name, &declared.params, None, move |_| unsupported(&params, what.clone())));
    }
    let read = read_statics(cs);
    let is_constructor = declared.kind == MethodKind::Constructor;
    let mut parameters = Vec::new();
    let mut is_lacking = false;
    let shown = input_forms(cs, entry, &types, signature.has_this);
    for (index, &ty) in types.iter().enumerate() {
        match *cs.ty(ty) {
            Ty::Ref(target) => {
                let leaves = cs.leaves(target).ok()?.iter().map(|leaf| leaf.ty).collect();
                parameters.push(Parameter::Variable(cs.shape(target).ok()?, leaves));
            }
            _ if let Some(element) = span_of(cs, ty) => parameters.push(Parameter::Span(element)),
            _ => {
                for leaf in cs.leaves(ty).ok()?.iter() {
                    let mut held = match is_constructor && index == 0 {
                        true => Vec::new(),
                        false => held(cs, &read, leaf.ty),
                    };
                    is_lacking |= held.len() > MOST_FIELDS;
                    held.truncate(MOST_FIELDS);
                    parameters.push(match held.is_empty() {
                        true => Parameter::Value(leaf.ty),
                        false => Parameter::Object(leaf.ty, held),
                    });
                }
            }
        }
    }
    if parameters.iter().all(|parameter| matches!(parameter, Parameter::Value(_))) {
        return None;
    }
    let inputs: Vec<Type> = parameters
        .iter()
        .flat_map(|parameter| match parameter {
            Parameter::Value(ty) | Parameter::Object(ty, _) => vec![*ty],
            Parameter::Variable(_, leaves) => leaves.clone(),
            Parameter::Span(element) => span_inputs(cs, *element),
        })
        .collect();
    let name = format!("inputs of {} #{}", cs.program.method_name(entry), entry.0);
    let given = inputs.clone();
    let start = cs.helper(&name, &inputs, None, move |cs| body(cs, entry, &given, &parameters, is_lacking));
    if let Some(forms) = shown {
        cs.loader.remember_input_forms(start, forms);
    }
    Some(start)
}

/// The names and forms of the inputs for an entry point whose parameters have these types.
fn input_forms(cs: Cs, entry: MethodId, types: &[TyId], has_receiver: bool) -> Option<Vec<(String, Form)>> {
    let names = forms::parameter_names(cs, entry, types)?;
    let mut shown = Vec::new();
    for (index, (name, &ty)) in names.into_iter().zip(types).enumerate() {
        match *cs.ty(ty) {
            Ty::Ref(target) if index == 0 && has_receiver => shown.push((name, forms::form(cs, target)?)),
            Ty::Ref(target) => shown.push((format!("ref {name}"), forms::form(cs, target)?)),
            _ if span_of(cs, ty).is_some() => {
                shown.extend(["", ".start", ".length"].map(|part| (format!("{name}{part}"), Form::Plain)));
            }
            _ => shown.push((name, forms::form(cs, ty)?)),
        }
    }
    Some(shown)
}

/// The static fields of the program's own classes that its code reads.
fn read_statics(cs: Cs) -> Vec<FieldId> {
    let mut found = FxHashSet::default();
    for method in cs.program.own_methods() {
        for (_, op) in cs.program.body(method).into_iter().flat_map(Body::ops) {
            if let OpKind::GetStatic { field, .. } = op.kind {
                found.insert(field);
            }
        }
    }
    let is_own = |&field: &FieldId| {
        let field = cs.program.field(field);
        !cs.program.class(field.class).is_library && !field.name.starts_with('<') && field.ty.is_reference()
    };
    let mut found: Vec<FieldId> = found.into_iter().filter(is_own).collect();
    found.sort_unstable();
    found
}

/// The static fields whose objects could be an argument of a type. Strings have no identity that programs look at.
fn held(cs: Cs, read: &[FieldId], ty: Type) -> Vec<FieldId> {
    if !ty.is_reference() || ty == Type::Class(cs.string_class()) {
        return Vec::new();
    }
    let is_related = |&field: &FieldId| {
        let own = cs.program.field(field).ty;
        own != Type::Class(cs.string_class())
            && (cs.program.is_assignable(own, ty) || cs.program.is_assignable(ty, own))
    };
    read.iter().copied().filter(is_related).collect()
}

fn choice(code: &mut Builder) -> ExprId {
    code.result(Type::Bool, |dst| OpKind::Intrinsic {
        dst: Some(dst),
        intrinsic: Intrinsic::Nondet(Type::Bool),
        args: Vec::new(),
    })
}

fn body(cs: Cs, entry: MethodId, inputs: &[Type], parameters: &[Parameter], is_lacking: bool) -> Body {
    let mut code = Builder::new(inputs);
    if is_lacking {
        let (_, go_on) = {
            let lacking = choice(&mut code);
            code.branch(lacking)
        };
        code.end(TerminatorKind::Bound(LACKING.into()));
        code.switch_to(go_on);
    }
    let declared = cs.program.method(entry);
    let names: Vec<String> = cs.program.body(entry).map_or_else(Vec::new, |body| {
        body.locals.iter().take(declared.params.len()).map(|local| local.name.clone()).collect()
    });
    let mut args: Vec<ExprId> = Vec::new();
    let mut variables: Vec<(Shape, LocalId)> = Vec::new();
    let mut next = 0;
    for (parameter, name) in parameters.iter().zip(names.iter().chain(std::iter::repeat(&String::new()))) {
        match parameter {
            Parameter::Value(_) => {
                code.name(LocalId(next as u32), name);
                args.push(code.param(next));
                next += 1;
            }
            Parameter::Object(ty, held) => {
                code.name(LocalId(next as u32), name);
                args.push(object(cs, &mut code, next, *ty, held));
                next += 1;
            }
            Parameter::Variable(shape, leaves) => {
                for (leaf, _) in leaves.iter().enumerate() {
                    let suffix = if leaves.len() > 1 { format!(".{leaf}") } else { String::new() };
                    code.name(LocalId((next + leaf) as u32), &format!("{name}{suffix}"));
                }
                let pointer = variable(cs, &mut code, next, shape, leaves, &variables);
                next += leaves.len();
                variables.push((shape.clone(), pointer));
                args.push(code.local(pointer));
            }
            Parameter::Span(element) => {
                for (leaf, part) in ["", ".start", ".length"].iter().enumerate() {
                    code.name(LocalId((next + leaf) as u32), &format!("{name}{part}"));
                }
                args.extend(span(cs, &mut code, next, *element));
                next += 3;
            }
        }
    }
    let dispatch = match declared.kind {
        MethodKind::Static => Dispatch::Static,
        MethodKind::Instance => Dispatch::Virtual,
        MethodKind::Constructor => Dispatch::Special,
    };
    code.call(dispatch, entry, args, declared.result);
    code.ret(None);
    code.finish()
}

/// An argument that may be an object to which a static field refers.
fn object(cs: Cs, code: &mut Builder, index: usize, ty: Type, held: &[FieldId]) -> ExprId {
    let chosen = code.variable(ty);
    let given = code.param(index);
    code.op(OpKind::Assign { dst: chosen, value: given });
    for &field in held {
        let (is_one, go_on) = (choice(code), code.block());
        let (_, other) = code.branch(is_one);
        if let Some((guard, method)) =
            cs.program.profile().runtime.initialization(cs.program, cs.program.field(field).class)
        {
            code.op(OpKind::Ensure { field: guard, method });
        }
        let own = cs.program.field(field).ty;
        let value = code.result(own, |dst| OpKind::GetStatic { dst, field });
        if !cs.program.is_assignable(own, ty) {
            let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: value, ty });
            let (_, misses) = code.branch(fits);
            let same = code.block();
            code.end(TerminatorKind::Goto(same));
            code.switch_to(misses);
            code.end(TerminatorKind::Goto(go_on));
            code.switch_to(same);
        }
        let value = convert(code, value, own, ty);
        code.op(OpKind::Assign { dst: chosen, value });
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(other);
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(go_on);
    }
    code.local(chosen)
}

/// A pointer to a new variable, or to one of an earlier parameter.
fn variable(
    cs: Cs,
    code: &mut Builder,
    first: usize,
    shape: &Shape,
    leaves: &[Type],
    earlier: &[(Shape, LocalId)],
) -> LocalId {
    let ty = Type::Class(cs.reference_class(shape));
    let pointer = code.variable(ty);
    let class = cs.class_for(ClassKind::Cell(shape.clone()));
    let cell = code.allocate(class);
    let fields = cs.program.class(class).fields.clone();
    for (leaf, (field, (&from, &to))) in fields.into_iter().zip(leaves.iter().zip(shape.iter())).enumerate() {
        let value = code.param(first + leaf);
        let value = convert(code, value, from, to);
        code.op(OpKind::PutField { object: cell, field, value });
    }
    let value = convert(code, cell, Type::Class(class), ty);
    code.op(OpKind::Assign { dst: pointer, value });
    for (_, other) in earlier.iter().filter(|(other, _)| other == shape) {
        let (same, go_on) = (choice(code), code.block());
        let (_, different) = code.branch(same);
        let value = code.local(*other);
        code.op(OpKind::Assign { dst: pointer, value });
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(different);
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(go_on);
    }
    pointer
}

/// The type of the elements of a span.
fn span_of(cs: Cs, ty: TyId) -> Option<TyId> {
    let is_span = ["Span`1", "ReadOnlySpan`1"].iter().any(|name| cs.is_library_type(ty, "System", name));
    let (_, arguments) = cs.declared(ty).filter(|_| is_span)?;
    arguments.first().copied()
}

/// The types of the inputs for a span: an array, and the start and the length of the part.
fn span_inputs(cs: Cs, element: TyId) -> Vec<Type> {
    let array = cs.intern(Ty::Array(element)).and_then(|array| cs.ir_type(array));
    vec![array.unwrap_or(Type::Null), INT, INT]
}

/// A span over a part of an array, or the empty span if the array is null.
fn span(cs: Cs, code: &mut Builder, first: usize, element: TyId) -> Vec<ExprId> {
    let shape: Shape = cs.shape(element).unwrap_or_else(|_| Shape::from([]));
    let reference = Type::Class(cs.reference_class(&shape));
    let (pointer, length) = (code.variable(reference), code.variable(INT));
    let (array, start, count) = (code.param(first), code.param(first + 1), code.param(first + 2));
    let (Ok(ty), join) = (cs.intern(Ty::Array(element)), code.block()) else { return vec![array, start] };
    let own = span_inputs(cs, element)[0];
    let null = code.null();
    let is_there = code.binary(BinaryOp::Ne, own, array, null);
    let (_, missing) = code.branch(is_there);
    let (plane, _) = arrays::plane(cs, code, ty, element, array, 0);
    let whole = code.result(INT, |dst| OpKind::ArrayLength { dst, array: plane });
    let zero = code.int(0);
    for (low, high) in [(zero, start), (zero, count), (start, whole)] {
        let condition = code.binary(BinaryOp::Le, INT, low, high);
        code.op(OpKind::Assume { condition });
    }
    let rest = code.binary(BinaryOp::Sub, INT, whole, start);
    let condition = code.binary(BinaryOp::Le, INT, count, rest);
    code.op(OpKind::Assume { condition });
    let class = cs.class_for(ClassKind::ElementRef(ty));
    let made = code.allocate(class);
    let fields = cs.program.class(class).fields.clone();
    for (field, value) in fields.into_iter().zip([array, start]) {
        code.op(OpKind::PutField { object: made, field, value });
    }
    let value = convert(code, made, Type::Class(class), reference);
    code.op(OpKind::Assign { dst: pointer, value });
    code.op(OpKind::Assign { dst: length, value: count });
    code.end(TerminatorKind::Goto(join));
    code.switch_to(missing);
    for input in [start, count] {
        let condition = code.binary(BinaryOp::Eq, INT, input, zero);
        code.op(OpKind::Assume { condition });
    }
    code.end(TerminatorKind::Goto(join));
    code.switch_to(join);
    vec![code.local(pointer), code.local(length)]
}
