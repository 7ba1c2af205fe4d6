//! Determines whether a program can observe when a class is initialized.
//!
//! An object exists only if its class has been initialized. For an entry point that the program does not start with, it
//! is unknown which other classes have been initialized. Effects on the class's own static fields cannot be observed,
//! because nothing can access these before. So an initialization matters only if it reads or writes something else, or
//! fails.

use super::callbacks::is_made_up;
use super::flow::{are_related, lead_to, types_behind};
use super::reached::{
    Follow, closure, code, is_looked_at, is_mutable, is_new, leading_to, reached, runs_platform_code,
};
use crate::body::{Body, Expr, ExprId, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::Made;
use rustc_hash::{FxHashMap, FxHashSet};

/// The possible effects of a class's initialization on things that do not belong to the class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// It reads static fields of other classes.
    pub reads: bool,
    /// It writes static fields of other classes ([`written_by_initialization`]).
    pub writes: bool,
    /// It changes objects of static fields of other classes, or objects that platform code keeps.
    pub changes: bool,
    /// Its code throws an exception, which may leave the initializer.
    pub throws: bool,
}

impl Effects {
    /// The effects of the initializer of a class, without those of superclasses and other classes that it may run.
    pub fn of(program: &Program, class: ClassId) -> Effects {
        let mut effects = Effects::default();
        let Some(initializer) = initializer(program, class) else { return effects };
        let is_foreign = |field: FieldId| is_foreign(program, class, field);
        let mut read = FxHashSet::default();
        // One entry for each variable, because initializers may fill long arrays.
        let mut changed = FxHashMap::default();
        let mut viewing = Vec::new();
        for method in closure(program, [initializer], Follow::CallsOnly) {
            let Some(body) = code(program, method) else { continue };
            effects.throws |= body.blocks.iter().any(|block| matches!(block.terminator.kind, TerminatorKind::Throw(_)));
            for (_, op) in body.ops() {
                match op.kind {
                    OpKind::PutStatic { field, .. } => effects.writes |= is_foreign(field),
                    OpKind::GetStatic { field, .. } if is_foreign(field) => {
                        effects.reads = true;
                        lead_to(program, &mut read, program.field(field).ty, |_| true);
                    }
                    OpKind::PutField { object, .. } | OpKind::ArrayPut { array: object, .. } => {
                        changed.insert((method, local(body, object), body.expr_type(object)), object);
                    }
                    OpKind::Call { dispatch, method: named, ref args, .. }
                        if runs_platform_code(program, dispatch, named) =>
                    {
                        let declared = program.method(named);
                        let takes_nothing = declared.params.iter().all(|&ty| !is_mutable(program, ty));
                        effects.changes |=
                            declared.kind == MethodKind::Static && declared.result.is_none() && takes_nothing;
                        if program.passing(named).made == Made::Views && gives_object(program, named) {
                            viewing.extend(args.iter().map(|&arg| body.expr_type(arg)));
                        }
                        for (index, &arg) in args.iter().enumerate() {
                            if program.may_change(named, index) {
                                changed.insert((method, local(body, arg), body.expr_type(arg)), arg);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        let is_read = |ty: Type, read: &FxHashSet<Type>| read.iter().any(|&other| are_related(program, ty, other));
        // A view of an object may change the object, whatever the view's type.
        if viewing.iter().any(|&ty| is_read(ty, &read)) {
            read.extend(program.root().map(Type::Class));
        }
        effects.changes |=
            changed.into_iter().any(|((method, _, ty), object)| is_read(ty, &read) && !is_new(program, method, object));
        effects
    }

    /// Whether the time of the initialization makes a difference.
    pub fn matters(self) -> bool {
        self.reads || self.writes || self.changes
    }
}

/// Those of some classes whose initializers, or other initializers that these may run, have certain effects.
pub fn noticed_initializations(
    program: &Program,
    classes: &[ClassId],
    is_noticed: impl Fn(Effects) -> bool,
) -> FxHashSet<ClassId> {
    let is_one = |method: MethodId| is_noticed(Effects::of(program, program.method(method).class));
    initializations_that_run(program, classes, |method| program.is_initializer(method) && is_one(method))
}

/// Those of some classes whose initialization may run a method with a property.
pub fn initializations_that_run(
    program: &Program,
    classes: &[ClassId],
    is_wanted: impl Fn(MethodId) -> bool,
) -> FxHashSet<ClassId> {
    let start = |class: ClassId| program.initialization(class).map(|(_, start)| start);
    let starts: Vec<MethodId> = classes.iter().filter_map(|&class| start(class)).collect();
    let leading = leading_to(program, &starts, is_wanted);
    let is_among = |&class: &ClassId| start(class).is_some_and(|start| leading.contains(&start));
    classes.iter().copied().filter(is_among).collect()
}

/// The static fields of other classes that the initialization of a class may write.
pub fn written_by_initialization(program: &Program, class: ClassId) -> FxHashSet<FieldId> {
    let methods = closure(program, initializer(program, class), Follow::CallsOnly).into_iter();
    let ops = methods.filter_map(|method| code(program, method)).flat_map(Body::ops);
    let written = ops.filter_map(|(_, op)| match op.kind {
        OpKind::PutStatic { field, .. } if is_foreign(program, class, field) => Some(field),
        _ => None,
    });
    written.collect()
}

/// Whether a static field belongs to code of another class.
fn is_foreign(program: &Program, class: ClassId, field: FieldId) -> bool {
    let other = program.field(field).class;
    other != class && is_looked_at(program, other) && !is_made_up(program, other)
}

/// Whether a method makes or returns an object that may change.
fn gives_object(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    declared.kind == MethodKind::Constructor || declared.result.is_some_and(|ty| is_mutable(program, ty))
}

fn local(body: &Body, expr: ExprId) -> Option<LocalId> {
    match *body.expr(expr) {
        Expr::Local(local) => Some(local),
        _ => None,
    }
}

/// Whether the values that the initialization of a class gives its static fields depend on which class is initialized
/// first: it reads static fields of a class whose initialization leads back to it.
pub fn depends_on_order(program: &Program, class: ClassId) -> bool {
    let Some(initializer) = initializer(program, class) else { return false };
    let read = closure(program, [initializer], Follow::CallsOnly).into_iter().flat_map(|method| {
        let ops = code(program, method).into_iter().flat_map(Body::ops);
        ops.filter_map(|(_, op)| match op.kind {
            OpKind::GetStatic { field, .. } => Some(program.field(field).class),
            _ => None,
        })
    });
    let mut others: Vec<ClassId> = read.filter(|&other| other != class && !is_made_up(program, other)).collect();
    others.sort_unstable();
    others.dedup();
    let leads_back = |other: ClassId| {
        program.initialization(other).is_some_and(|(_, start)| initialized(program, start).contains(&class))
    };
    others.into_iter().any(leads_back)
}

/// The classes that executions of `entry` may initialize, except those that are initialized before `entry` begins.
pub fn initialized_on_the_way(program: &Program, entry: MethodId) -> Vec<ClassId> {
    let certain = initialized_before(program, entry);
    let mut found = initialized(program, entry);
    found.retain(|class| !certain.contains(class));
    found
}

/// The classes that may have been initialized before `entry` begins because objects of them exist, with those that
/// their initialization initializes: the objects are arguments, or arguments lead to them through fields and elements.
/// Left out is what is always initialized before `entry` begins.
pub fn initialized_for_arguments(program: &Program, entry: MethodId) -> Vec<ClassId> {
    let declared = program.method(entry);
    let before = initialized_before(program, entry);
    let mut found = FxHashSet::default();
    for &ty in declared.params.iter().skip(usize::from(program.constructs(entry))) {
        let argument = match ty {
            Type::Class(class) => Some(class),
            _ => None,
        };
        let behind = match ty {
            Type::Array(array) => types_behind(program, [program.element_type(array)]),
            Type::Class(class) if is_looked_at(program, class) && !program.is_pointer(class) => {
                let below = program.subclasses(class).into_iter();
                let fields = below.flat_map(|class| program.instance_fields(class));
                types_behind(program, fields.map(|field| program.field(field).ty))
            }
            // Objects of the platform may hold anything.
            Type::Class(_) if is_mutable(program, ty) => types_behind(program, program.root().map(Type::Class)),
            _ => continue,
        };
        let behind = behind.into_iter().filter_map(|found| match found {
            Type::Class(class) => Some(class),
            _ => None,
        });
        let mut classes: Vec<ClassId> = behind.flat_map(|class| program.subclasses(class)).collect();
        let with_argument = argument.into_iter().flat_map(|class| with_enclosing(program, class));
        let certain: FxHashSet<ClassId> =
            with_argument.flat_map(|class| initialized_by_objects(program, class)).collect();
        classes.retain(|&class| {
            let declared = program.class(class);
            !declared.is_interface && !declared.is_abstract && is_looked_at(program, class)
        });
        let classes = classes.into_iter().flat_map(|class| initialized_by_objects(program, class));
        let starts = classes.filter_map(|class| program.initialization(class)).map(|(_, start)| start);
        let initialized = initializers(program, closure(program, starts, Follow::Everything)).into_iter();
        found.extend(initialized.filter(|class| !before.contains(class) && !certain.contains(class)));
    }
    found.into_iter().collect()
}

/// The classes that have been initialized if an object of `class` exists, in the order in which the first object
/// initializes them.
pub fn initialized_by_objects(program: &Program, class: ClassId) -> Vec<ClassId> {
    // An interface is included only if it has default methods, and thus never relied on.
    program.superclass_chain(class).filter(|&class| program.is_initialized_by_objects(class)).collect()
}

/// The classes that are certainly initialized before the code of `entry` begins: its own, and what the receiver implies.
fn initialized_before(program: &Program, entry: MethodId) -> Vec<ClassId> {
    let declared = program.method(entry);
    let is_on_object = declared.kind == MethodKind::Instance;
    let mut classes = initialized_by_objects(program, declared.class);
    classes.retain(|&class| class == declared.class || is_on_object || program.profile().initializes_superclasses);
    classes
}

/// A class and those of the objects that enclose its objects, all of which exist if one of its objects does.
pub fn with_enclosing(program: &Program, class: ClassId) -> Vec<ClassId> {
    let mut found = vec![class];
    let mut next = 0;
    while let Some(&inner) = found.get(next) {
        next += 1;
        for field in program.instance_fields(inner) {
            if let Type::Class(outer) = program.field(field).ty
                && program.profile().runtime.is_never_null(program, field)
                && !found.contains(&outer)
            {
                found.push(outer);
            }
        }
    }
    found
}

/// The classes of the initializers among some methods.
fn initializers(program: &Program, mut methods: Vec<MethodId>) -> Vec<ClassId> {
    methods.retain(|&method| program.is_initializer(method));
    methods.into_iter().map(|method| program.method(method).class).collect()
}

fn initialized(program: &Program, start: MethodId) -> Vec<ClassId> {
    initializers(program, reached(program, start))
}

/// The method that initializes a class.
pub(super) fn initializer(program: &Program, class: ClassId) -> Option<MethodId> {
    program.class(class).methods.iter().copied().find(|&method| program.is_initializer(method))
}
