//! Finds executions that engines do not cover because the program has already run other code before the entry point.

use crate::time_limit::TimeLimit;
use crate::world::{World, unknown_code};
use aback_ir::analysis::{
    Effects, Influence, Statics, Stopped, all_reached, allocated, depends_on_order, initialized_for_arguments,
    initialized_on_the_way, leading_to, reached, written_by_initialization,
};
use aback_ir::{Body, ClassId, FieldId, LibraryState, MethodId, MethodKind, OpKind, Point, Program, Span, Type};
use aback_symbolic::{Gap, Query};
use aback_witness::{Inputs, Limits, Observer, Outcome, Place, State, run};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{LazyCell, OnceCell};
use std::collections::BTreeSet;
use std::ops::Deref;

/// Most operations of a class initializer that is run to see whether it fails.
const MOST_STEPS: u64 = 1_000_000;
/// Most names that a bound lists.
const SHOWN: usize = 5;

/// Finds the methods that executions start with. To make those of thousands of entry points takes a while, and few questions need them.
pub(crate) type Starts<'p> = dyn Fn() -> Result<Vec<MethodId>, Stopped> + Sync + 'p;

/// Facts about the program before its executions start.
pub(crate) struct Before<'p> {
    pub(crate) program: &'p Program,
    world: World,
    starts: &'p Starts<'p>,
    limit: &'p TimeLimit,
    statics: OnceCell<Result<Statics<'p>, Stopped>>,
    /// The methods that any execution of the program's code may run.
    all: OnceCell<Vec<MethodId>>,
    allocated: OnceCell<FxHashSet<ClassId>>,
}

impl<'p> Before<'p> {
    pub(crate) fn new(program: &'p Program, world: World, starts: &'p Starts<'p>, limit: &'p TimeLimit) -> Self {
        let (statics, all, allocated) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Before { program, world, starts, limit, statics, all, allocated }
    }

    /// The assumptions.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let of_language = self.program.profile().assumptions.iter().copied();
        let world = "there are no classes except those of the program and of its libraries";
        let world = (self.world == World::Closed).then_some(world);
        ["memory and stack are unlimited"].into_iter().chain(of_language).chain(world).map(String::from).collect()
    }

    /// The executions that an engine does not cover although it finds no violation. `query` starts with `entry`, or
    /// with the synthetic method that makes the inputs and calls `entry`. They are not known if the time is up. `is_sliced` says whether the
    /// engine has looked at a slice only ([`aback_symbolic::Exploration::is_sliced`]).
    pub(crate) fn gaps(&self, entry: MethodId, query: &Query, is_sliced: bool) -> Vec<Gap> {
        self.known_gaps(entry, query, is_sliced).unwrap_or_else(|Stopped| vec![self.limit.gap()])
    }

    fn known_gaps(&self, entry: MethodId, query: &Query, is_sliced: bool) -> Result<Vec<Gap>, Stopped> {
        let mut gaps = Vec::new();
        let has_past = self.program.profile().has_past && !self.program.is_start(entry);
        // Values that are used behind all targets only do not matter.
        let leads_on = LazyCell::new(|| leads_on(self.program, entry, query));
        let influence = LazyCell::new(|| Influence::new(self.program, query.entry, &*leads_on));
        if has_past && Statics::concern(self.program, query.entry) {
            gaps.extend(self.differing_statics((query, is_sliced), &*leads_on, &influence)?);
        }
        if has_past {
            gaps.extend(self.first_uses(entry, query, &influence)?);
            gaps.extend(self.library_state(query, is_sliced));
        }
        if self.world == World::Open {
            gaps.extend(unknown_code(self.program, query, is_sliced));
        }
        Ok(gaps)
    }

    /// The reason why an entry point has no executions, if it has none.
    pub(crate) fn vacuous(&self, entry: MethodId) -> Option<Gap> {
        (!self.has_receiver(entry)).then(|| Gap::Vacuous { entry: self.program.method_name(entry) })
    }

    fn statics(&self) -> Result<&Statics<'p>, Stopped> {
        let find = || Statics::new(self.program, (self.starts)()?, &|| self.limit.is_over());
        self.statics.get_or_init(find).as_ref().map_err(|&stopped| stopped)
    }

    fn all(&self) -> &[MethodId] {
        self.all.get_or_init(|| all_reached(self.program))
    }

    /// Static fields that are read and that may hold other values than initialization gives them.
    fn differing_statics(
        &self,
        (query, is_sliced): (&Query, bool),
        leads_on: impl Fn(MethodId, Point) -> bool,
        influence: &impl Deref<Target = Influence>,
    ) -> Result<Vec<Gap>, Stopped> {
        let statics = self.statics()?;
        let mut differing = statics.read_by(query.entry, |_, _| true);
        if !differing.fields.is_empty() || !differing.objects.is_empty() {
            let matters = matters(self.program, query, is_sliced);
            differing = statics.read_by(query.entry, |method, point| leads_on(method, point) && matters(method, point));
            differing.fields.retain(|&field| influence.has(field));
        }
        let mut gaps = Vec::new();
        let given = self.given_objects(query.entry);
        if !given.is_empty() {
            let what = format!("static fields refer to no objects that initializers make: {}", self.names(&given));
            gaps.push(bound(what, query.entry));
        }
        if !differing.fields.is_empty() {
            let fields = self.names(&differing.fields);
            gaps.push(bound(
                format!("static fields hold the values that initialization gives them: {fields}"),
                query.entry,
            ));
        }
        if !differing.objects.is_empty() {
            let fields = self.names(&differing.objects);
            let what = format!("objects that static fields refer to are as initialization leaves them: {fields}");
            gaps.push(bound(what, query.entry));
        }
        Ok(gaps)
    }

    /// Classes that may have been initialized earlier, where that makes a difference.
    fn first_uses(
        &self,
        entry: MethodId,
        query: &Query,
        influence: &impl Deref<Target = Influence>,
    ) -> Result<Option<Gap>, Stopped> {
        let program = self.program;
        let mut later = Vec::new();
        let changes = |class: ClassId, effects: Effects| {
            let writes = || written_by_initialization(program, class).into_iter().any(|field| influence.has(field));
            effects.changes || effects.writes && writes()
        };
        // The values of their own static fields matter only to code that may initialize them, too.
        for class in initialized_for_arguments(program, entry) {
            if self.limit.is_over() {
                return Err(Stopped);
            }
            if changes(class, Effects::of(program, class)) {
                later.push(class);
            }
        }
        for class in initialized_on_the_way(program, entry) {
            if self.limit.is_over() {
                return Err(Stopped);
            }
            let effects = Effects::of(program, class);
            if changes(class, effects)
                || effects.reads
                    && (depends_on_order(program, class) || self.statics()?.is_read_by_initialization(class, influence))
                || !program.profile().repeats_failures && self.fails_to_initialize(class)
            {
                later.push(class);
            }
        }
        // These have been initialized, but in an unknown order.
        let earlier = program.supertypes(program.method(entry).class).into_iter();
        let earlier = earlier.filter(|&class| depends_on_order(program, class));
        let classes: BTreeSet<ClassId> = later.into_iter().chain(earlier).collect();
        let names: Vec<&str> = classes.iter().map(|&class| self.program.class_name(class)).collect();
        let what = || format!("classes are initialized when they are first used: {}", shortened(&names));
        Ok((!names.is_empty()).then(|| bound(what(), query.entry)))
    }

    /// Library state that is read and that may differ from the state at the start of a program.
    fn library_state(&self, query: &Query, is_sliced: bool) -> Option<Gap> {
        let program = self.program;
        let ops = |method: MethodId| {
            let ops = program.body(method).into_iter().flat_map(Body::ops);
            ops.map(move |(point, op)| (method, point, &op.kind))
        };
        let states_read =
            |(method, point, op)| program.states_read(op).into_iter().map(move |state| (method, point, state));
        let mut own = reached(program, query.entry);
        own.retain(|&method| !program.is_library_method(method));
        let read: Vec<(MethodId, Point, LibraryState)> = own.into_iter().flat_map(ops).flat_map(states_read).collect();
        if read.is_empty() {
            return None;
        }
        let changed: BTreeSet<LibraryState> =
            self.all().iter().copied().flat_map(ops).filter_map(|(_, _, op)| program.state_changed(op)).collect();
        let matters = matters(self.program, query, is_sliced);
        let differs = |&&(method, point, state): &&(MethodId, Point, LibraryState)| {
            (state.is_open || changed.contains(&state)) && matters(method, point)
        };
        let names: BTreeSet<&str> = read.iter().filter(differs).map(|(_, _, state)| state.name).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let what = || format!("the library is in the state in which a program starts: {}", shortened(&names));
        (!names.is_empty()).then(|| bound(what(), query.entry))
    }

    /// Static fields that the method that makes the inputs may set to any input object.
    fn given_objects(&self, start: MethodId) -> Vec<FieldId> {
        let refers = |&field: &FieldId| match self.program.field(field).ty {
            Type::Class(class) => !self.program.is_immutable(class) && !self.program.is_made_only(class),
            ty => ty.is_reference(),
        };
        self.program.given_statics(start).into_iter().filter(refers).collect()
    }

    fn names(&self, fields: &[FieldId]) -> String {
        let name = |&field: &FieldId| {
            let field = self.program.field(field);
            let class = self.program.class_name(field.class);
            // Users do not know the name of the field in which a compiler keeps the constants of an enum.
            if field.name.starts_with('$') {
                format!("the constants of {class}")
            } else {
                format!("{class}.{}", field.name)
            }
        };
        shortened(&fields.iter().map(name).collect::<Vec<String>>())
    }

    /// Whether an object may exist on which this method can be called; methods without a receiver need none.
    fn has_receiver(&self, entry: MethodId) -> bool {
        let program = self.program;
        let declared = program.method(entry);
        if declared.kind != MethodKind::Instance || program.is_library_method(entry) {
            return true;
        }
        // This comes first, because loading the code that makes a function object creates its class.
        let allocated = self.allocated.get_or_init(|| allocated(program, self.all()));
        program.subclasses(declared.class).into_iter().any(|class| {
            let of = program.class(class);
            !of.is_abstract
                && !of.is_interface
                && program.dispatch(class, entry) == entry
                && (allocated.contains(&class) || self.can_be_made(class))
                && !self.fails_to_initialize(class)
        })
    }

    /// Whether code outside of the program can make objects of a class.
    fn can_be_made(&self, class: ClassId) -> bool {
        let methods = self.program.class(class).methods.iter().copied();
        let mut constructors = methods.filter(|&id| self.program.method(id).kind == MethodKind::Constructor).peekable();
        constructors.peek().is_none() || constructors.any(|id| !self.program.is_private(id))
    }

    /// Whether no object of a class can exist because its initializer throws an exception.
    fn fails_to_initialize(&self, class: ClassId) -> bool {
        let Some((_, method)) = self.program.initialization(class) else { return false };
        let limits = Limits { max_steps: MOST_STEPS, ..Limits::default() };
        let outcome = run(self.program, method, &Inputs::default(), limits, &mut ());
        matches!(outcome, Ok(Outcome::Uncaught { .. }))
    }

    /// The classes that are initialized on the way from `entry` by code that may run one of these methods, and may throw: an exception that leaves it is
    /// another one in the code that uses the class first.
    pub(crate) fn failing_classes(&self, entry: MethodId, methods: &FxHashSet<MethodId>) -> FxHashSet<ClassId> {
        let initializer = |class: ClassId| Some((self.program.initialization(class)?.1, class));
        let classes: FxHashMap<MethodId, ClassId> =
            initialized_on_the_way(self.program, entry).into_iter().filter_map(initializer).collect();
        let starts: Vec<MethodId> = classes.keys().copied().collect();
        let leading = leading_to(self.program, &starts, |method| methods.contains(&method));
        let found = leading.iter().map(|method| classes[method]);
        found.filter(|&class| !self.is_always_initialized(class)).collect()
    }

    /// Whether the initialization of a class always ends well, because it does in a run, and depends on nothing.
    fn is_always_initialized(&self, class: ClassId) -> bool {
        let Some((_, method)) = self.program.initialization(class) else { return true };
        let mut environment = Environment::default();
        let limits = Limits { max_steps: MOST_STEPS, ..Limits::default() };
        let outcome = run(self.program, method, &Inputs::default(), limits, &mut environment);
        matches!(outcome, Ok(Outcome::Returned(_))) && !environment.is_asked && !Effects::of(self.program, class).reads
    }
}

/// Notes whether a run asks the environment for values.
#[derive(Default)]
struct Environment {
    is_asked: bool,
}

impl Observer for Environment {
    fn end(&mut self, state: &State<'_>, _: &Outcome) {
        self.is_asked = state.nondet_used() > 0;
    }
}

/// The first names of a list, sorted, so that the text does not depend on the order in which the program was loaded.
pub(crate) fn shortened<S: AsRef<str>>(names: &[S]) -> String {
    let names: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|&name| name.to_owned()).collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

/// A bound of all executions that start with a method.
pub(crate) fn bound(what: String, start: MethodId) -> Gap {
    let point = Point { block: Body::ENTRY, op: 0 };
    Gap::Bound { what, place: Place { method: start, point, span: Span::NONE } }
}

/// Returns whether control may get from an operation of the code that runs to a target of the query. Only operations of
/// the entry point itself are looked at, if nothing else calls it: no open call is below it then.
fn leads_on(program: &Program, entry: MethodId, query: &Query) -> impl Fn(MethodId, Point) -> bool + use<> {
    let calls_entry = |method: MethodId| {
        let ops = program.body(method).into_iter().flat_map(Body::ops);
        let mut calls = ops.filter_map(|(_, op)| match op.kind {
            OpKind::Call { method, .. } => Some(method),
            _ => None,
        });
        calls.any(|callee| callee == entry)
    };
    let is_outermost = program.method(entry).kind == MethodKind::Static
        && !reached(program, query.entry)
            .into_iter()
            .any(|method| (method != query.entry || method == entry) && calls_entry(method));
    let focus = is_outermost.then(|| query.control_focus(program)).flatten();
    let nowhere: FxHashSet<Point> = match (&focus, program.body(entry)) {
        (Some(focus), Some(body)) if focus.distance.knows(entry) => {
            let ends = body.block_ids().map(|block| Point { block, op: body.block(block).ops.len() as u32 });
            let points = body.ops().map(|(point, _)| point).chain(ends);
            points.filter(|&point| focus.leads_nowhere(program, &[(entry, point)])).collect()
        }
        _ => FxHashSet::default(),
    };
    move |method, point| method != entry || !nowhere.contains(&point)
}

/// Returns whether an operation, of those that can run, may influence the answer. If the answer is about a slice, only what is in the slice
/// does. Otherwise everything does: what does not influence a target may keep executions from it by an exception or an endless
/// loop, and the answer may rely on that.
pub(crate) fn matters(program: &Program, query: &Query, is_sliced: bool) -> impl Fn(MethodId, Point) -> bool + use<> {
    let relevance = is_sliced.then(|| query.relevance(program, &[])).flatten();
    move |method, point| relevance.as_ref().is_none_or(|relevance| relevance.matters(method, point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckConfig;
    use aback_ir::{Profile, text};
    use aback_symbolic::Uncaught;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    #[test]
    fn an_interrupt_is_the_reason_for_missing_bounds() {
        let text = "class A {
           static field a: A
           static method put(a: A) {
           b0: static A::a := a
             return
           }
           static method get() -> A {
             local e: A
           b0: e := static A::a
             assume e == null
             return e
           }
         }";
        let mut program = text::parse(text).expect("a program");
        program.set_profile(Profile { has_past: true, ..program.profile().clone() });
        let entry = program.methods().find(|(_, method)| method.name == "get").expect("the method").0;
        let at = program.body(entry).into_iter().flat_map(Body::ops).map(|(point, _)| (entry, point)).collect();
        let query = Query { entry, assertions: true, uncaught: Uncaught::Never, at: Some(at) };
        let config = CheckConfig::default();
        let limit = TimeLimit::new(&config, Instant::now());
        let starts = || Ok(vec![entry]);
        let gaps = || Before::new(&program, World::Closed, &starts, &limit).gaps(entry, &query, false);
        assert!(gaps().iter().all(Gap::is_bound) && !gaps().is_empty());
        config.interrupt.store(true, Ordering::Relaxed);
        assert!(matches!(gaps()[..], [Gap::Interrupted]));
    }
}
