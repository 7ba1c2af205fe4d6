//! Restricts the inputs of entry points to those that methods of the program accept: `boolean repOk()` (paper 3,
//! section 4.1, "PrEP"), and preconditions of one entry point.

use super::{Class, ClassId, MethodId, MethodKind, Program, Type, whole};
use crate::body::{
    AssertKind, BinaryOp, BlockId, Body, Dispatch, Expr, ExprId, Handler, LocalId, Op, OpKind, TerminatorKind,
};
use crate::builder::Builder;
use crate::program::{Access, Method};
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::sync::{OnceLock, RwLock};

/// The class of the synthetic methods that are made here.
const CLASS: &str = "aback.valid";

/// The method by which objects say that they are valid, and the synthetic methods that call it.
pub(super) struct Validity {
    name: String,
    /// The methods with which executions start, by entry point.
    starts: RwLock<FxHashMap<MethodId, MethodId>>,
    /// The methods that call a method on an argument of a type.
    guards: RwLock<FxHashMap<(MethodId, Type), MethodId>>,
}

/// A condition that the inputs of an entry point satisfy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precondition {
    /// The condition as the user wrote it.
    pub text: String,
    /// The method that returns whether it is true. An exception or a false assertion in it counts as `false`.
    pub method: MethodId,
    /// The arguments of the entry point that this method gets, by their indices.
    pub arguments: Vec<usize>,
}

/// The preconditions of an entry point.
pub(super) struct Preconditions {
    entry: MethodId,
    conditions: Vec<Precondition>,
    /// The methods that call those of the conditions, in their order.
    guards: OnceLock<Vec<MethodId>>,
    /// The method with which executions start, if the one without conditions is known.
    start: OnceLock<MethodId>,
}

/// A call of a guard before the entry point: the arguments of the entry point that it gets, and the guard.
type Checked = (Vec<usize>, MethodId);

impl Program {
    /// The same program, in which executions of an entry point start with inputs that satisfy all these conditions. The
    /// order of the conditions is that in which they are evaluated, before the entry point is called.
    pub fn with_preconditions(&self, entry: MethodId, conditions: Vec<Precondition>) -> Program {
        let preconditions = Preconditions { entry, conditions, guards: OnceLock::new(), start: OnceLock::new() };
        Program { preconditions: Some(preconditions.into()), ..self.clone() }
    }

    /// The conditions that inputs of an entry point satisfy.
    pub fn preconditions(&self, entry: MethodId) -> &[Precondition] {
        let known = self.preconditions.as_ref().filter(|known| known.entry == entry);
        known.map_or(&[], |known| &known.conditions)
    }

    /// Whether the inputs of an entry point have preconditions.
    pub fn has_preconditions(&self) -> bool {
        self.preconditions.is_some()
    }

    /// The text of the precondition whose method this is.
    pub fn condition_by(&self, method: MethodId) -> Option<&str> {
        let conditions = &self.preconditions.as_ref()?.conditions;
        conditions.iter().find(|condition| condition.method == method).map(|condition| condition.text.as_str())
    }

    /// Static methods that say whether a condition of [`Program::preconditions`] is true, in the same order. They return
    /// `false` if the condition throws an exception.
    pub fn precondition_guards(&self, entry: MethodId) -> Vec<MethodId> {
        let Some(known) = self.preconditions.as_ref().filter(|known| known.entry == entry) else { return Vec::new() };
        let make = || known.conditions.iter().map(|condition| self.condition_guard(entry, condition)).collect();
        known.guards.get_or_init(make).clone()
    }

    /// The method that executions of `entry` start with if `start` is the one without preconditions.
    pub(super) fn start_with_preconditions(&self, entry: MethodId, start: MethodId) -> MethodId {
        let Some(known) = self.preconditions.as_ref().filter(|known| known.entry == entry) else { return start };
        *known.start.get_or_init(|| {
            let arguments = known.conditions.iter().map(|condition| condition.arguments.clone());
            let checked: Vec<Checked> = arguments.zip(self.precondition_guards(entry)).collect();
            self.start_that_checks(entry, start, "inputs with preconditions", &checked)
        })
    }

    /// The same program, whose executions start with arguments that are valid: on each argument whose class declares or
    /// inherits a method called `name` that has no parameters and returns a truth value, this method returns `true`
    /// when it is called before the entry point. An exception or a false assertion in it counts as `false`.
    pub fn with_valid_inputs(&self, name: &str) -> Program {
        if self.validity.as_ref().is_some_and(|validity| validity.name == name) {
            return self.clone();
        }
        let validity = Validity { name: name.into(), starts: RwLock::default(), guards: RwLock::default() };
        Program { validity: Some(validity.into()), ..self.clone() }
    }

    /// The methods with this name that check whether arguments of a type are valid. If the type itself has none, these are
    /// those of its subclasses in the program proper.
    pub fn validity_checks(&self, ty: Type, name: &str) -> Vec<MethodId> {
        let Type::Class(class) = ty else { return Vec::new() };
        let declared = |class: ClassId| {
            self.supertypes(class).into_iter().find_map(|class| {
                self.methods_named(class, name).iter().copied().find(|&method| {
                    let method = self.method(method);
                    let is_check = method.params.len() == 1 && method.result == Some(Type::Bool);
                    is_check && method.kind == MethodKind::Instance
                })
            })
        };
        if let Some(own) = declared(class) {
            return vec![own];
        }
        let below = self.subclasses(class).into_iter().filter(|&class| !self.class(class).is_library);
        let mut found: Vec<MethodId> = below.filter_map(declared).collect();
        found.sort_unstable();
        found.dedup();
        // An overrider runs anyway where the method that it overrides is called.
        let is_covered = |method: MethodId| {
            let class = self.method(method).class;
            let is_above = |&other: &MethodId| {
                let above = self.method(other);
                other != method && above.access != Access::Private && self.is_subclass(class, above.class)
            };
            found.iter().any(is_above)
        };
        found.iter().copied().filter(|&method| !is_covered(method)).collect()
    }

    /// Static methods that say whether an argument is valid, each with the index of a parameter of `method`. They return
    /// `true` for null and for objects of other classes than those that the check is for, and `false` if the check throws
    /// an exception. `entry` is the entry point that `method` is or calls: no check runs on an object under construction.
    /// Empty unless the program was made by [`Program::with_valid_inputs`].
    pub fn validity_guards(&self, method: MethodId, entry: MethodId) -> Vec<(usize, MethodId)> {
        let Some(validity) = &self.validity else { return Vec::new() };
        let declared = self.method(method);
        let built = usize::from(method == entry && declared.kind == MethodKind::Constructor);
        let params = declared.params.iter().copied().enumerate().skip(built);
        let checks = params.flat_map(|(index, ty)| {
            self.validity_checks(ty, &validity.name).into_iter().map(move |check| (index, ty, check))
        });
        checks.map(|(index, ty, check)| (index, self.guard(validity, check, ty))).collect()
    }

    /// Whether this is a method of [`Program::validity_guards`] or [`Program::precondition_guards`].
    fn is_guard(&self, method: MethodId) -> bool {
        let of_condition = self.preconditions.as_ref().and_then(|known| known.guards.get());
        let is_of_validity = |validity: &Validity| whole(validity.guards.read()).values().any(|&guard| guard == method);
        of_condition.is_some_and(|guards| guards.contains(&method))
            || self.validity.as_ref().is_some_and(|validity| is_of_validity(validity))
    }

    /// Whether a false condition of a kind means that the input is none, and not that something is violated. `outer` are
    /// the first two activations, and `depth` is the number of all: preconditions are promises of those who call the
    /// entry point, and code that makes inputs or says whether they are valid is not in question.
    pub fn excludes_input(&self, kind: AssertKind, outer: [Option<MethodId>; 2], depth: usize) -> bool {
        let is_called_first = || match outer {
            [Some(start), _] => depth == 2 && self.prepares_inputs() && self.is_library_method(start),
            _ => false,
        };
        let is_promise = kind == AssertKind::Requires && (depth == 1 || is_called_first());
        is_promise || self.prepares_inputs() && outer[1].is_some_and(|method| self.is_preparation(method))
    }

    /// Whether executions start with code that makes or checks their inputs.
    pub fn prepares_inputs(&self) -> bool {
        self.validity.is_some() || self.preconditions.is_some() || self.making.is_some()
    }

    /// Whether a method runs before the entry point is called, to make or to check its inputs.
    pub fn is_preparation(&self, method: MethodId) -> bool {
        self.is_guard(method) || self.is_maker(method)
    }

    /// The method that executions of `entry` start with if `start` is the one without checks.
    pub(super) fn checked_start(&self, entry: MethodId, start: MethodId) -> MethodId {
        let Some(validity) = &self.validity else { return start };
        if let Some(&known) = whole(validity.starts.read()).get(&entry) {
            return known;
        }
        let guards = self.validity_guards(entry, entry);
        let guards: Vec<Checked> = guards.into_iter().map(|(index, guard)| (vec![index], guard)).collect();
        let checked = match guards[..] {
            [] => start,
            _ => self.start_that_checks(entry, start, "valid inputs", &guards),
        };
        *whole(validity.starts.write()).entry(entry).or_insert(checked)
    }

    /// A method that does what `start` does, and continues only with inputs that all guards accept. `what` names the inputs.
    fn start_that_checks(&self, entry: MethodId, start: MethodId, what: &str, guards: &[Checked]) -> MethodId {
        let (params, body) = self.checked_body(entry, start, guards);
        let name = format!("{what} of {}", self.method_name(entry));
        self.made(Method::synthetic(self.synthetic_class(CLASS), MethodKind::Static, &name, params, None), body)
    }

    /// The code that makes the arguments of an entry point, checks them and calls the entry point, with the types of its
    /// parameters.
    fn checked_body(&self, entry: MethodId, start: MethodId, guards: &[Checked]) -> (Vec<Type>, Body) {
        let declared = self.method(entry);
        let (params, mut body) = self.start_code(entry, start);
        let is_call = |op: &Op| matches!(op.kind, OpKind::Call { method, .. } if method == entry);
        let calls: Vec<_> = body.ops().filter(|(_, op)| is_call(op)).map(|(point, _)| point).collect();
        for point in calls.into_iter().rev() {
            let at = point.op as usize;
            let OpKind::Call { args, .. } = body.block(point.block).ops[at].kind.clone() else { continue };
            let mut checks = Vec::new();
            // The initialization of the entry point's class is part of the execution, and of no check.
            if declared.kind == MethodKind::Static
                && let Some((field, method)) = self.initialization(declared.class)
            {
                checks.push(Op { kind: OpKind::Ensure { field, method }, span: Span::NONE });
            }
            for (indices, guard) in guards {
                let passed: Option<Vec<ExprId>> = indices.iter().map(|&index| args.get(index).copied()).collect();
                let Some(passed) = passed else { continue };
                let valid = body.add_temp(Type::Bool);
                let condition = body.add_expr(Expr::Local(valid));
                let call = OpKind::Call { dst: Some(valid), dispatch: Dispatch::Static, method: *guard, args: passed };
                checks.extend([call, OpKind::Assume { condition }].map(|kind| Op { kind, span: Span::NONE }));
            }
            body.block_mut(point.block).ops.splice(at..at, checks);
        }
        (params, body)
    }

    /// The code of a start method that is `entry` or calls it, as code that calls it, with the types of its parameters.
    pub(super) fn start_code(&self, entry: MethodId, start: MethodId) -> (Vec<Type>, Body) {
        match self.body(start) {
            Some(body) if start != entry => (self.method(start).params.clone(), body.clone()),
            _ => (self.method(entry).params.clone(), self.plain_call(entry)),
        }
    }

    /// Code that calls an entry point whose inputs need nothing else. Its parameters are those of the entry point; the
    /// object that a constructor gets is a new one.
    fn plain_call(&self, entry: MethodId) -> Body {
        let method = self.method(entry);
        let mut code = Builder::new(&method.params);
        let names = self.body(entry).map_or(&[][..], |body| &body.locals);
        for (index, named) in names.iter().take(method.params.len()).enumerate() {
            code.name(LocalId(index as u32), &named.name);
        }
        let mut args: Vec<_> = (0..method.params.len()).map(|index| code.param(index)).collect();
        let is_built = method.kind == MethodKind::Constructor && !self.class(method.class).is_abstract;
        let dispatch = match method.kind {
            MethodKind::Static => Dispatch::Static,
            _ => {
                match is_built {
                    true => args[0] = code.allocate(method.class),
                    false => self.keep_to_entry(&mut code, entry, args[0]),
                }
                Dispatch::Special
            }
        };
        code.call(dispatch, entry, args, method.result);
        code.ret(None);
        code.finish()
    }

    /// Adds code that continues only if a call on the receiver executes the entry point: it is not null, and its class
    /// does not override the entry point.
    pub fn keep_to_entry(&self, code: &mut Builder, entry: MethodId, receiver: ExprId) {
        let null = code.null();
        let condition = code.binary(BinaryOp::Ne, Type::Null, receiver, null);
        code.op(OpKind::Assume { condition });
        let declared = self.method(entry);
        if declared.kind != MethodKind::Instance {
            return;
        }
        let below = self.subclasses(declared.class).into_iter();
        let overriding = below.filter(|&class| {
            self.is_loaded(class) && !self.class(class).is_interface && self.dispatch(class, entry) != entry
        });
        let mut overriding: Vec<ClassId> = overriding.collect();
        overriding.sort_unstable();
        for class in overriding {
            let is_one =
                code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: receiver, ty: Type::Class(class) });
            let no = code.bool(false);
            let condition = code.binary(BinaryOp::Eq, Type::Bool, is_one, no);
            code.op(OpKind::Assume { condition });
        }
    }

    /// The static method that calls a check on an argument of a type.
    fn guard(&self, validity: &Validity, check: MethodId, ty: Type) -> MethodId {
        if let Some(&known) = whole(validity.guards.read()).get(&(check, ty)) {
            return known;
        }
        let declared = self.method(check);
        let name = format!("is valid by {} #{}", self.method_name(check), check.0);
        let method =
            Method::synthetic(self.synthetic_class(CLASS), MethodKind::Static, &name, vec![ty], Some(Type::Bool));
        let class = Type::Class(declared.class);
        let mut code = Builder::new(&[ty]);
        let (argument, null) = (code.param(0), code.null());
        let exists = code.binary(BinaryOp::Ne, Type::Null, argument, null);
        let (_, other) = code.branch(exists);
        if ty != class {
            let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: argument, ty: class });
            let (checked, unchecked) = code.branch(fits);
            code.switch_to(unchecked);
            code.end(TerminatorKind::Goto(other));
            code.switch_to(checked);
        }
        let failed = self.start_of_attempt(&mut code, class);
        let receiver = code.result(class, |dst| OpKind::Cast { dst, object: argument, ty: class });
        let dispatch = if declared.access == Access::Private { Dispatch::Special } else { Dispatch::Virtual };
        let valid = code.call(dispatch, check, vec![receiver], Some(Type::Bool));
        code.ret(valid);
        code.switch_to(failed);
        let no = code.bool(false);
        code.ret(Some(no));
        code.switch_to(other);
        let yes = code.bool(true);
        code.ret(Some(yes));
        let made = self.made(method, code.finish());
        *whole(validity.guards.write()).entry((check, ty)).or_insert(made)
    }

    /// The static method that calls the method of a condition.
    fn condition_guard(&self, entry: MethodId, condition: &Precondition) -> MethodId {
        let declared = self.method(condition.method);
        let name = format!("precondition #{} of {}", condition.method.0, self.method_name(entry));
        let params = declared.params.clone();
        let mut code = Builder::new(&params);
        let failed = self.start_of_attempt(&mut code, Type::Class(declared.class));
        let arguments = (0..params.len()).map(|index| code.param(index)).collect();
        let dispatch = if declared.kind == MethodKind::Static { Dispatch::Static } else { Dispatch::Special };
        let holds = code.call(dispatch, condition.method, arguments, Some(Type::Bool));
        code.ret(holds);
        code.switch_to(failed);
        let no = code.bool(false);
        code.ret(Some(no));
        self.made(
            Method::synthetic(self.synthetic_class(CLASS), MethodKind::Static, &name, params, Some(Type::Bool)),
            code.finish(),
        )
    }

    /// Begins code whose exceptions lead to the block that is returned. `other` is the class of the exceptions if there is no
    /// root class.
    fn start_of_attempt(&self, code: &mut Builder, other: Type) -> BlockId {
        let failed = code.block();
        let exception = code.variable(self.root().map_or(other, Type::Class));
        let work = code.guarded_block(Handler { class: None, target: failed, exception });
        code.end(TerminatorKind::Goto(work));
        code.switch_to(work);
        failed
    }

    /// Adds a method with its code.
    pub(super) fn made(&self, method: Method, body: Body) -> MethodId {
        let id = self.new_method(method);
        self.tables.methods[id.index()].body.get_or_init(|| Some(body));
        id
    }

    /// The class with this name of synthetic methods.
    pub(super) fn synthetic_class(&self, name: &str) -> ClassId {
        let id = self.declare_class(name);
        self.tables.classes[id.index()].loaded.get_or_init(|| {
            let class = Class { is_abstract: false, is_final: true, ..Class::missing(name.into()) };
            self.prepare(id, &class);
            class
        });
        id
    }
}
