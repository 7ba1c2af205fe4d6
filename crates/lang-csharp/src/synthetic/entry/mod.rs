//! Provides the arguments of entry points that are not arbitrary values: variables behind managed pointers, and objects
//! to which static fields refer.

mod arguments;
mod callers;
mod shared;
mod targets;

use crate::forms;
use crate::inputs;
use crate::layout::Leaf;
use crate::loader::Cs;
use crate::members::MethodKey;
use crate::nullness;
use crate::synthetic::{exceptions, literals};
use crate::types::{Ty, TyId};
use aback_ir::analysis::{Given, GivenObjects, reached};
use aback_ir::builder::Builder;
use aback_ir::{
    ArgumentClasses, Body, ClassId, Dispatch, ExprId, FieldId, Form, LocalId, MethodId, MethodKind, OpKind, Type,
};
use arguments::{Variable, assume_default, choice, span, span_inputs, span_of, value, variable};
pub(crate) use arguments::{hidden_choice, leave_out};
use callers::CallersOf;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use targets::{Pointer, Targets, Ways};

/// A parameter of an entry point, by its leaves or the variable to which it points.
#[derive(Clone)]
enum Parameter {
    Value(Value),
    /// The object of a constructor, which is new.
    New(ClassId),
    Variable(Variable),
    /// A span over a part of an array with elements of a type, which a value refers to. The flag says whether the array has
    /// exactly the type that goes with that, because the span can change it.
    Span(TyId, bool, Value),
}

/// A leaf of an argument, or of the value of the variable to which one points.
#[derive(Clone)]
struct Value {
    ty: Type,
    /// Whether it has the default value of its type.
    is_default: bool,
    /// Whether it is declared not to be null.
    is_never_null: bool,
    /// The static fields to whose objects it may refer beside those of inputs.
    held: Vec<Held>,
}

impl Value {
    fn any(ty: Type) -> Value {
        Value { ty, is_default: false, is_never_null: false, held: Vec::new() }
    }

    /// Whether it may be any input.
    fn is_arbitrary(&self) -> bool {
        !self.is_default && !self.is_never_null && self.held.is_empty()
    }
}

/// A static field whose object callers may have.
#[derive(Clone, Copy)]
struct Held {
    field: FieldId,
    /// Whether they have it for sure.
    is_given: bool,
}

/// Greatest number of static fields whose objects are offered as an argument.
const MOST_FIELDS: usize = 4;

/// The incompleteness that results from objects that are not offered.
const LACKING: &str = "arguments are none of the objects of some static fields";
/// The incompleteness that results from objects to which those of static fields lead.
const SHARED: &str =
    "inputs share no objects with static fields, except arguments to which a static field refers directly";
/// The incompleteness that results from objects of the library.
const LIBRARY: &str = "inputs are none of the objects that the library gives";
/// The incompleteness that results from places that are not offered.
const LACKING_PLACES: &str = "references that are arguments do not lead to some places that the code reaches otherwise";
/// The incompleteness that results from references in arguments.
const NULL_REFERENCES: &str = "references in arguments of types that are ref structs are null";

/// The incompleteness that results from module initializers of other assemblies, which run when code first uses these.
const OTHER_INITIALIZERS: &str = "module initializers of other assemblies have not run";

/// The incompleteness that results from strings whose identities matter.
pub(super) const STRINGS: &str =
    "strings in inputs are not the objects of literals or static fields, and the library does not keep them";

/// A method that runs the module initializers of the entry point's assembly, calls the entry point with such arguments,
/// and takes the other inputs as parameters. `None` if the entry point has none of these.
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
    let callers = CallersOf::new(cs, entry);
    let objects = OnceCell::new();
    let objects = || objects.get_or_init(|| GivenObjects::new(cs.program, &callers));
    let targets = pointer_targets(cs, entry, &key, &callers, &types, signature.has_this)?;
    let (parameters, mut lacking) = parameters(cs, entry, &key, &types, targets, &objects)?;
    let inputs: Vec<Type> = parameters
        .iter()
        .flat_map(|parameter| match parameter {
            Parameter::Value(value) => vec![value.ty],
            Parameter::New(_) => Vec::new(),
            Parameter::Variable(variable) => variable.inputs(cs),
            Parameter::Span(element, ..) => span_inputs(cs, *element),
        })
        .collect();
    let tells_strings = cs.loader.compares_identities() && inputs.iter().any(|&ty| may_lead_to_string(cs, ty));
    lacking.extend((tells_strings && cs.loader.libraries_compare_identities()).then_some(STRINGS.into()));
    lacking.extend(shared::matters(cs, entry, &inputs, &objects).then_some(SHARED.into()));
    lacking.extend(shared::tells_library_objects(cs, entry, &inputs).then_some(LIBRARY.into()));
    // An object under construction is no input, and the class of that of an abstract class does not matter here.
    let is_new = matches!(parameters.first(), Some(Parameter::New(_)));
    let is_constructed = usize::from(declared.kind == MethodKind::Constructor && !is_new);
    let arguments = inputs.iter().enumerate().skip(is_constructed).filter_map(|(index, &ty)| match ty {
        Type::Class(class) => Some((index, class, true)),
        _ => None,
    });
    let classes = ArgumentClasses::new(cs.program, arguments);
    let initialization = initialization(cs, &key);
    lacking.extend(
        (cs.program.first_methods().len() > usize::from(initialization.is_some())).then_some(OTHER_INITIALIZERS.into()),
    );
    if initialization.is_none()
        && !tells_strings
        && lacking.is_empty()
        && classes.is_empty()
        && parameters.iter().all(|parameter| match parameter {
            Parameter::Value(value) => value.is_arbitrary(),
            Parameter::New(_) => true,
            Parameter::Variable(_) | Parameter::Span(..) => false,
        })
    {
        return None;
    }
    let shown = input_forms(cs, entry, &types, signature.has_this, &parameters);
    let name = format!("inputs of {} #{}", cs.program.method_name(entry), entry.0);
    let given = inputs.clone();
    let start = cs.helper(&name, &inputs, None, move |cs| {
        let mut code = Builder::new(&given);
        if let Some((field, method)) = initialization {
            code.op(OpKind::Ensure { field, method });
        }
        if tells_strings {
            let (field, value) = (literals::string_inputs(cs), code.bool(true));
            code.op(OpKind::PutStatic { field, value });
        }
        body(cs, code, entry, &given, &parameters, &classes, &lacking)
    });
    if let Some(forms) = shown {
        cs.loader.remember_input_forms(start, forms);
    }
    Some(start)
}

/// The parameters of an entry point with these types, and what arguments are not offered. `targets` has the places to which those
/// that are pointers or spans may point, in order.
fn parameters<'a>(
    cs: Cs,
    entry: MethodId,
    key: &MethodKey,
    types: &[TyId],
    targets: Vec<Targets>,
    objects: &impl Fn() -> &'a GivenObjects<'a>,
) -> Option<(Vec<Parameter>, BTreeSet<Cow<'static, str>>)> {
    let read = read_statics(cs, entry);
    let has_this = cs.signature(key).ok()?.has_this;
    let receivers = usize::from(has_this);
    let is_declared =
        |index: usize| index.checked_sub(receivers).is_some_and(|index| nullness::has_parameter(cs, key, index));
    let mut parameters = Vec::new();
    let mut is_lacking_held = false;
    let mut all_held = |ty: Type| {
        let mut held = held(cs, &read, ty, objects);
        is_lacking_held |= held.len() > MOST_FIELDS;
        held.truncate(MOST_FIELDS);
        held
    };
    let mut lacking: BTreeSet<Cow<'static, str>> = BTreeSet::new();
    let restricted = inputs::restricted_structs(cs, types.iter().copied()).into_iter();
    lacking.extend(restricted.map(|ty| Cow::from(format!("inputs of type {} are its default value", cs.name(ty)))));
    let is_read_only = read_only_parameters(cs, key, has_this)?;
    let mut targets = targets.into_iter();
    for (index, &ty) in types.iter().enumerate() {
        // The object that a constructor gets is new.
        let is_new = cs.program.method(entry).kind == MethodKind::Constructor && index == 0;
        let is_never_null = is_declared(index);
        let mut values = |ty: TyId| -> Option<Vec<Value>> {
            let restricted = inputs::restricted_leaves(cs, ty);
            let mut value = |(number, leaf): (usize, &Leaf)| {
                let is_default = restricted.contains(&number);
                let held = if is_new || is_default { Vec::new() } else { all_held(leaf.ty) };
                Value { ty: leaf.ty, is_default, is_never_null, held }
            };
            Some(cs.leaves(ty).ok()?.iter().enumerate().map(&mut value).collect())
        };
        if holds_references(cs, ty) {
            lacking.insert(NULL_REFERENCES.into());
        }
        match *cs.ty(ty) {
            Ty::Ref(target) => {
                let leaves = values(target)?;
                let Targets { offered, is_lacking } = targets.next().unwrap_or_default();
                lacking.extend(is_lacking.then_some(LACKING_PLACES.into()));
                let mut places = Vec::new();
                for target in offered {
                    let holder = target.inputs(cs).first().map(|&ty| Value { held: all_held(ty), ..Value::any(ty) });
                    places.push((target, holder));
                }
                parameters.push(Parameter::Variable(Variable {
                    of: target,
                    is_read_only: is_read_only(index),
                    shape: cs.shape(target).ok()?,
                    leaves,
                    targets: places,
                }));
            }
            _ if let Some(element) = span_of(cs, ty) => {
                lacking
                    .extend(targets.next().is_some_and(|targets| targets.is_lacking).then_some(LACKING_PLACES.into()));
                let array = span_inputs(cs, element)[0];
                let is_exact = cs.is_library_type(ty, "System", "Span`1");
                parameters.push(Parameter::Span(
                    element,
                    is_exact,
                    Value { held: all_held(array), ..Value::any(array) },
                ));
            }
            _ if index == 0 && cs.program.constructs(entry) => parameters.push(Parameter::New(cs.class_of(ty))),
            _ => parameters.extend(values(ty)?.into_iter().map(Parameter::Value)),
        }
    }
    lacking.extend(is_lacking_held.then_some(LACKING.into()));
    Some((parameters, lacking))
}

/// Whether arguments of a type are structs with managed pointers in them, other than spans, or refer to such structs.
fn holds_references(cs: Cs, ty: TyId) -> bool {
    let held = match *cs.ty(ty) {
        Ty::Ref(target) => target,
        _ if span_of(cs, ty).is_some() => return false,
        _ => ty,
    };
    cs.leaves(held).is_ok_and(|leaves| leaves.iter().any(|leaf| is_pointer(cs, leaf.ty)))
}

fn is_pointer(cs: Cs, ty: Type) -> bool {
    matches!(ty, Type::Class(class) if cs.program.is_pointer(class))
}

/// Which parameters, counted with the receiver, are declared as `in`.
fn read_only_parameters(cs: Cs, key: &MethodKey, has_receiver: bool) -> Option<impl Fn(usize) -> bool> {
    let given = cs.assembly(cs.declaration_of(key).ok()?.assembly).params(key.row);
    let given: Vec<usize> =
        given.iter().filter(|param| param.flags & 1 != 0).map(|param| usize::from(param.sequence)).collect();
    Some(move |index: usize| given.contains(&(index + usize::from(!has_receiver))))
}

/// The places to which the arguments that are managed pointers or spans may point, in order.
fn pointer_targets(
    cs: Cs,
    entry: MethodId,
    key: &MethodKey,
    callers: &CallersOf,
    types: &[TyId],
    has_receiver: bool,
) -> Option<Vec<Targets>> {
    let is_in = read_only_parameters(cs, key, has_receiver)?;
    let mut pointers: Vec<(Pointer, TyId)> = Vec::new();
    let mut others: Vec<TyId> = Vec::new();
    for (index, &ty) in types.iter().enumerate() {
        let sequence = u32::from(!has_receiver) + index as u32;
        match *cs.ty(ty) {
            Ty::Ref(target) if sequence == 0 => pointers.push((Pointer::Receiver, target)),
            Ty::Ref(target) if is_in(index) => pointers.push((Pointer::ReadOnly, target)),
            Ty::Ref(target) => pointers.push((Pointer::Reference, target)),
            _ if let Some(element) = span_of(cs, ty) => pointers.push((Pointer::Span, element)),
            _ => others.push(ty),
        }
    }
    let count = pointers.len();
    if count == 0 {
        return Some(Vec::new());
    }
    // A constructor gets a new struct.
    let is_new = |number: usize| number == 0 && has_receiver && cs.program.method(entry).name == "<init>";
    let ways = Ways::new(cs, entry, callers, pointers, &others);
    Some((0..count).map(|number| if is_new(number) { Targets::default() } else { ways.targets(number) }).collect())
}

/// The names and forms of the inputs for an entry point whose parameters have these types.
fn input_forms(
    cs: Cs,
    entry: MethodId,
    types: &[TyId],
    has_receiver: bool,
    parameters: &[Parameter],
) -> Option<Vec<(String, Form)>> {
    let mut variables = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Variable(variable) => Some(variable.inputs(cs).len() - variable.leaves.len()),
        _ => None,
    });
    let names = forms::parameter_names(cs, entry, types)?;
    let mut shown = Vec::new();
    let is_new = matches!(parameters.first(), Some(Parameter::New(_)));
    for (index, (name, &ty)) in names.into_iter().zip(types).enumerate().skip(usize::from(is_new)) {
        match *cs.ty(ty) {
            Ty::Ref(target) => {
                let name = if index == 0 && has_receiver { name } else { format!("ref {name}") };
                shown.push((name, forms::form(cs, target)?));
                // Users see the place itself.
                let hidden = variables.next().unwrap_or(0);
                shown.extend(std::iter::repeat_n((String::new(), Form::Hidden), hidden));
            }
            _ if span_of(cs, ty).is_some() => {
                shown.extend(["", ".start", ".length"].map(|part| (format!("{name}{part}"), Form::Plain)));
            }
            _ => shown.push((name, forms::form(cs, ty)?)),
        }
    }
    Some(shown)
}

/// The static fields of the program's own classes that executions of an entry point may read. Code that does not read a field cannot tell
/// whether an argument is the object to which it refers.
fn read_statics(cs: Cs, entry: MethodId) -> Vec<FieldId> {
    let mut found = FxHashSet::default();
    for method in reached(cs.program, entry) {
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

/// Whether a reference of a type may be one to a string, or to an object that leads to one.
fn may_lead_to_string(cs: Cs, ty: Type) -> bool {
    let string = Type::Class(cs.string_class());
    let mut seen = FxHashSet::default();
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if !ty.is_reference() || !seen.insert(ty) {
            continue;
        }
        match ty {
            _ if cs.program.is_assignable(string, ty) => return true,
            Type::Array(array) => pending.push(cs.program.element_type(array)),
            Type::Class(class) if cs.program.class(class).is_library && !is_pointer(cs, ty) => return true,
            Type::Class(class) => {
                let fields =
                    cs.program.subclasses(class).into_iter().flat_map(|class| cs.program.instance_fields(class));
                pending.extend(fields.map(|field| cs.program.field(field).ty));
            }
            _ => {}
        }
    }
    false
}

/// The static fields whose objects callers may have and could pass as an argument of a type. Those of strings are left
/// out ([`STRINGS`]).
fn held<'a>(cs: Cs, read: &[FieldId], ty: Type, objects: &impl Fn() -> &'a GivenObjects<'a>) -> Vec<Held> {
    if !ty.is_reference() || ty == Type::Class(cs.string_class()) {
        return Vec::new();
    }
    let is_related = |&field: &FieldId| {
        let own = cs.program.field(field).ty;
        own != Type::Class(cs.string_class())
            && (cs.program.is_assignable(own, ty) || cs.program.is_assignable(ty, own))
    };
    let related = read.iter().copied().filter(is_related).map(|field| (field, objects().is_given(field)));
    let given = related.filter(|&(_, given)| given != Given::No);
    given.map(|(field, given)| Held { field, is_given: given == Given::Yes }).collect()
}

/// The guard and the method of the module initializers of a method's assembly.
fn initialization(cs: Cs, key: &MethodKey) -> Option<(FieldId, MethodId)> {
    cs.initialization(cs.module_type(cs.declaration_of(key).ok()?.assembly))
}

fn body(
    cs: Cs,
    mut code: Builder,
    entry: MethodId,
    inputs: &[Type],
    parameters: &[Parameter],
    classes: &ArgumentClasses,
    lacking: &BTreeSet<Cow<str>>,
) -> Body {
    for what in lacking {
        let is_lacking = choice(&mut code);
        let go_on = leave_out(&mut code, is_lacking, what);
        code.switch_to(go_on);
    }
    for (index, &ty) in inputs.iter().enumerate().filter(|(_, ty)| is_pointer(cs, **ty)) {
        assume_default(&mut code, index, ty);
    }
    if !classes.is_empty() {
        let given: Vec<ExprId> = (0..inputs.len()).map(|index| code.param(index)).collect();
        classes.initialize(cs.program, &mut code, &given, &[], exceptions::exception(cs));
    }
    let declared = cs.program.method(entry);
    let names: Vec<String> = cs.program.body(entry).map_or_else(Vec::new, |body| {
        body.locals.iter().take(declared.params.len()).map(|local| local.name.clone()).collect()
    });
    let mut names = names.iter();
    let mut args: Vec<ExprId> = Vec::new();
    let mut variables: Vec<(Variable, LocalId)> = Vec::new();
    let mut next = 0;
    for parameter in parameters {
        let name = names.next().map_or("", String::as_str);
        match parameter {
            Parameter::Value(given) => {
                code.name(LocalId(next as u32), name);
                args.push(value(cs, &mut code, next, given));
                next += 1;
            }
            Parameter::New(class) => args.push(code.allocate(*class)),
            Parameter::Variable(place) => {
                for (leaf, _) in place.leaves.iter().enumerate() {
                    let suffix = if place.leaves.len() > 1 { format!(".{leaf}") } else { String::new() };
                    code.name(LocalId((next + leaf) as u32), &format!("{name}{suffix}"));
                }
                let pointer = variable(cs, &mut code, next, place, &variables);
                next += place.inputs(cs).len();
                variables.push((place.clone(), pointer));
                args.push(code.local(pointer));
            }
            Parameter::Span(element, is_exact, array) => {
                // The name of the length.
                names.next();
                for (leaf, part) in ["", ".start", ".length"].iter().enumerate() {
                    code.name(LocalId((next + leaf) as u32), &format!("{name}{part}"));
                }
                args.extend(span(cs, &mut code, next, (*element, *is_exact), array));
                next += 3;
            }
        }
    }
    let dispatch = match declared.kind {
        MethodKind::Static => Dispatch::Static,
        MethodKind::Constructor if !matches!(parameters.first(), Some(Parameter::Value(_))) => Dispatch::Special,
        MethodKind::Instance | MethodKind::Constructor => {
            cs.program.keep_to_entry(&mut code, entry, args[0]);
            Dispatch::Special
        }
    };
    code.call(dispatch, entry, args, declared.result);
    code.ret(None);
    code.finish()
}
