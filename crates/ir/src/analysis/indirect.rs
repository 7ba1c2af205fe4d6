//! Finds the code that runs through objects: methods that callers run without naming them, because an object has them.
//!
//! Such code is that of lambda expressions, iterators and async methods, and methods that implement an interface. It
//! asks two questions about executions: whether they can have such an object at all, and whether code outside of the
//! program can get one from them and run the code later (escape analysis; Choi et al., "Escape analysis for Java",
//! 1999).

use super::callbacks::{is_made_up, selected_by_libraries};
use super::flow::{Flow, results};
use super::functions::FunctionObjects;
use super::reached::{Follow, all_reached, closure_without, code, reached, runs_platform_code};
use super::{Stop, Stopped};
use crate::body::{Body, OpKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::MadeFor;
use rustc_hash::FxHashSet;

/// The code that runs through objects and leads to certain places.
pub struct IndirectCode<'p> {
    program: &'p Program,
    /// Methods that run only through objects of the classes in `classes`.
    limited: FxHashSet<MethodId>,
    /// The classes of the objects.
    classes: FxHashSet<ClassId>,
    /// Methods that code outside of the program may run through objects, without being able to name them.
    hidden: Vec<MethodId>,
    /// Methods that libraries may run on objects of the program.
    called_back: FxHashSet<MethodId>,
    flow: Flow<'p>,
    /// All methods of the program.
    all: Vec<MethodId>,
}

impl<'p> IndirectCode<'p> {
    /// Analyses `methods` of `program`, which must be well-formed ([`crate::validate`]). `None` if none of them runs
    /// through objects.
    ///
    /// # Errors
    /// The analysis had to stop.
    pub fn new(
        program: &'p Program,
        methods: impl IntoIterator<Item = MethodId>,
        stop: Stop,
    ) -> Result<Option<Self>, Stopped> {
        let functions = FunctionObjects::new(program);
        let called_back = selected_by_libraries(program);
        let (mut limited, mut classes) = (FxHashSet::default(), FxHashSet::default());
        let mut hidden = Vec::new();
        for method in methods {
            let class = program.method(method).class;
            let mut through: FxHashSet<ClassId> = functions.classes(method).collect();
            let made_for = program.made_for(class);
            let is_limited = match made_for {
                Some(MadeFor::Iterator | MadeFor::Async | MadeFor::AsyncIterator) => {
                    through.insert(class);
                    true
                }
                _ => functions.made_at(method).is_some(),
            };
            if made_for.is_none() {
                let is_hidden = |&class: &ClassId| called_back.contains(&method) || overrides(program, class, method);
                through.extend(concrete(program, class).filter(is_hidden));
            }
            if through.is_empty() {
                continue;
            }
            if is_limited {
                limited.insert(method);
            }
            hidden.push(method);
            classes.extend(through);
        }
        if hidden.is_empty() {
            return Ok(None);
        }
        if !limited.is_empty() {
            let made = classes.iter().filter(|&&id| program.made_for(id).is_some() || is_made_up(program, id));
            let methods = made.flat_map(|&id| &program.class(id).methods).copied();
            limited.extend(methods.filter(|&method| program.method(method).kind == MethodKind::Instance));
        }
        let all = all_reached(program);
        // What libraries do with the state of an async method leads back to its code only ([`Self::waits`]).
        let mut watched = classes.clone();
        watched.retain(|&class| program.made_for(class) != Some(MadeFor::Async));
        let flow = Flow::of_new(program, &all, watched, stop)?;
        Ok(Some(IndirectCode { program, limited, classes, hidden, called_back, flow, all }))
    }

    /// Whether an execution of an entry point may get to a method among `targets`: in other ways than through the
    /// objects, or because it makes such an object, or gets one from a field, from a library or as an input.
    pub fn may_run(&self, entry: MethodId, targets: &FxHashSet<MethodId>) -> bool {
        if self.limited.is_empty() {
            return true;
        }
        // Async methods that executions of another entry point have started do not go on: see [`Self::run_later`].
        let mut otherwise = self.run_from(&[entry], |made_for| made_for == MadeFor::Async, &self.limited).into_iter();
        otherwise.any(|method| targets.contains(&method) || self.may_have(method)) || self.may_be_inputs(entry)
    }

    /// Whether a method makes one of the objects, or gets one other than from its caller.
    fn may_have(&self, method: MethodId) -> bool {
        let program = self.program;
        let Some(body) = code(program, method) else { return false };
        let flow = &self.flow;
        let class = program.method(method).class;
        // Function objects get the elements of their arrays from code that has them.
        let is_of_function = is_made_up(program, class) && !program.is_pointer(class);
        self.classes.iter().any(|&class| program.starts(method, class))
            || body.ops().any(|(_, op)| match op.kind {
                OpKind::New { class, .. } => self.classes.contains(&class),
                OpKind::GetStatic { field, .. } | OpKind::GetField { field, .. } => flow.field_may_lead_to_new(field),
                OpKind::ArrayGet { array, .. } => !is_of_function && flow.may_lead_to_new(method, body, array),
                OpKind::Call { dst: Some(dst), dispatch, method: named, .. } => {
                    body.local(dst).ty.is_reference()
                        && flow.is_new_held()
                        && runs_platform_code(program, dispatch, named)
                }
                _ => false,
            })
    }

    /// Whether inputs of an entry point may be such objects, or refer to some.
    fn may_be_inputs(&self, entry: MethodId) -> bool {
        let program = self.program;
        if self.classes.iter().all(|&class| program.is_made_only(class)) {
            return false;
        }
        let mut types = program.method(entry).params.clone();
        for method in reached(program, entry) {
            types.extend(program.body(method).into_iter().flat_map(Body::ops).filter_map(|(_, op)| match op.kind {
                OpKind::GetStatic { field, .. } if !is_made_up(program, program.field(field).class) => {
                    Some(program.field(field).ty)
                }
                _ => None,
            }));
        }
        lead_to_library_types(program, types)
    }

    /// The methods that code outside of the program may run through objects that it gets from the program, and that it
    /// cannot call otherwise.
    pub fn run_outside(&self) -> &[MethodId] {
        let program = self.program;
        let made_outside = |&class: &ClassId| {
            let mut methods = program.class(class).methods.iter();
            methods.any(|&method| program.method(method).kind == MethodKind::Constructor && program.is_public(method))
        };
        // Objects of the library have values of structs in them, so that they are nowhere an object.
        let is_of_value =
            |method: &MethodId| program.method(*method).kind == MethodKind::Static && self.called_back.contains(method);
        let is_outside = self.classes.iter().any(made_outside) || self.hidden.iter().any(is_of_value) || self.escapes();
        if is_outside { &self.hidden } else { &[] }
    }

    /// The methods that may still wait for something when executions of the entry points end, and go on later.
    pub fn run_later(&self, entries: &[MethodId]) -> Vec<MethodId> {
        let program = self.program;
        let is_async = |&method: &MethodId| {
            matches!(program.made_for(program.method(method).class), Some(MadeFor::Async | MadeFor::AsyncIterator))
        };
        let found: Vec<MethodId> = self.hidden.iter().copied().filter(is_async).collect();
        let may_wait = || {
            let is_state = |made_for| made_for != MadeFor::Functions;
            let all = self.run_from(entries, is_state, &FxHashSet::default());
            let mut ops = all.iter().filter_map(|&method| code(program, method)).flat_map(Body::ops);
            all.iter().any(|&method| program.may_be_incomplete(method))
                || ops.any(|(_, op)| match op.kind {
                    OpKind::Call { method: named, .. } => program.may_be_incomplete(named),
                    _ => false,
                })
        };
        if !found.is_empty() && may_wait() { found } else { Vec::new() }
    }

    /// The classes of managed pointers through which code stores one of the objects.
    fn stored_behind_pointers(&self) -> FxHashSet<ClassId> {
        let program = self.program;
        let bodies = self.all.iter().filter_map(|&method| Some((method, code(program, method)?)));
        let ops = bodies.flat_map(|(method, body)| body.ops().map(move |(_, op)| (method, body, &op.kind)));
        let stored = ops.filter_map(|(method, body, op)| match *op {
            OpKind::Call { method: named, ref args, .. } => {
                let class = program.method(named).class;
                let mut values = args.iter().skip(1);
                let stores =
                    program.is_pointer(class) && values.any(|&value| self.flow.may_lead_to_new(method, body, value));
                stores.then_some(class)
            }
            _ => None,
        });
        stored.collect()
    }

    /// The methods that executions of the entry points may run without running those in `without`, and without objects
    /// of the chosen classes except those that they make.
    fn run_from(
        &self,
        entries: &[MethodId],
        is_chosen: impl Fn(MadeFor) -> bool,
        without: &FxHashSet<MethodId>,
    ) -> Vec<MethodId> {
        let program = self.program;
        let is_code = |&&method: &&MethodId| program.method(method).kind != MethodKind::Constructor;
        let classes = program.classes().map(|(id, _)| id);
        let mut idle: Vec<ClassId> = classes.filter(|&id| program.made_for(id).is_some_and(&is_chosen)).collect();
        loop {
            let of_idle = idle.iter().flat_map(|&class| program.class(class).methods.iter().filter(is_code));
            let without: FxHashSet<MethodId> = without.iter().chain(of_idle).copied().collect();
            let found = closure_without(program, entries.iter().copied(), Follow::Everything, &without);
            let before = idle.len();
            idle.retain(|&class| !found.iter().any(|&method| self.makes(method, class)));
            if idle.len() == before {
                return found;
            }
        }
    }

    /// Whether a method makes objects of a class.
    fn makes(&self, method: MethodId, class: ClassId) -> bool {
        let mut ops = code(self.program, method).into_iter().flat_map(Body::ops);
        self.program.starts(method, class)
            || ops.any(|(_, op)| matches!(op.kind, OpKind::New { class: made, .. } if made == class))
    }

    /// Whether code outside of the program can get one of the objects.
    fn escapes(&self) -> bool {
        if self.flow.is_new_thrown() || self.flow.is_new_kept_by_library() {
            return true;
        }
        let program = self.program;
        let behind = self.stored_behind_pointers();
        for &method in &self.all {
            let declared = program.method(method);
            let is_open = match is_made_up(program, declared.class) {
                // What function objects return is what their functions return.
                true => {
                    declared.kind == MethodKind::Instance
                        && !program.is_pointer(declared.class)
                        && !declared.name.starts_with('$')
                }
                false if program.made_for(declared.class) == Some(MadeFor::Async) => false,
                // Methods of the objects in question run only after one has got out.
                false => {
                    let is_hidden = || self.called_back.contains(&method) || overrides(program, declared.class, method);
                    program.is_public(method) || !self.classes.contains(&declared.class) && is_hidden()
                }
            };
            let Some(body) = code(program, method).filter(|_| is_open) else { continue };
            let mut results = results(program, body).into_iter();
            let is_given = |ty: Type| matches!(ty, Type::Class(class) if behind.contains(&class));
            if declared.params.iter().any(|&ty| is_given(ty) || self.flow.argument_may_lead_to_new(ty))
                || results.any(|value| {
                    self.flow.may_lead_to_new(method, body, value) || self.flow.may_have_new_inside(body, value)
                })
            {
                return true;
            }
        }
        let is_open = |field: FieldId| {
            let class = program.field(field).class;
            let is_known = match is_made_up(program, class) {
                // Synthetic static fields pass on parts of results.
                true => !program.field(field).is_static,
                false => program.made_for(class).is_some(),
            };
            !is_known && !program.is_private_field(field)
        };
        self.flow.fields_that_lead_to_new().any(is_open)
    }
}

/// The classes with objects that are `class` or derive from it.
fn concrete(program: &Program, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
    program.subclasses(class).into_iter().filter(|&class| {
        let declared = program.class(class);
        !declared.is_abstract && !declared.is_interface && !is_made_up(program, class)
    })
}

/// Whether a call of a public method of the program on an object of a class runs another method.
fn overrides(program: &Program, class: ClassId, method: MethodId) -> bool {
    program.method(method).kind == MethodKind::Instance
        && program.supertypes(class).into_iter().any(|above| {
            let mut named = program.class(above).methods.iter();
            named.any(|&named| {
                named != method
                    && program.is_public(named)
                    && program.select(class, named).is_ok_and(|selected| selected == method)
            })
        })
}

/// Whether values of these types may have a type of a library, or refer to such an object.
fn lead_to_library_types(program: &Program, types: Vec<Type>) -> bool {
    let mut pending = types;
    let mut seen: FxHashSet<ClassId> = FxHashSet::default();
    while let Some(ty) = pending.pop() {
        match ty {
            Type::Array(array) => pending.push(program.element_type(array)),
            Type::Class(class) if !program.is_immutable(class) => {
                for class in program.subclasses(class) {
                    if program.class(class).is_library {
                        return true;
                    }
                    if seen.insert(class) {
                        let above = program.supertypes(class).into_iter();
                        let fields = above.flat_map(|class| &program.class(class).fields);
                        pending.extend(fields.map(|&field| program.field(field).ty));
                    }
                }
            }
            _ => {}
        }
    }
    false
}
