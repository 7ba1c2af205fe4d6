//! Can it be noticed when a class is initialized?
//!
//! An object is there only if its class has been initialized, and whether other classes have been is not known of an entry point that
//! the program does not start with. What the initialization of a class does to its own static fields is no difference: nothing gets at them
//! before. So only initialization matters that reads or writes what is not its own, or that fails.

use super::callbacks::is_made_up;
use super::flow::{are_related, lead_to};
use super::reached::{Follow, closure, code, is_looked_at, is_mutable, is_new, reached, runs_platform_code};
use crate::body::{Body, Expr, ExprId, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::Made;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the initialization of a class may do with what is not its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// It reads static fields of other classes.
    pub reads: bool,
    /// It writes static fields of other classes, or changes objects of those or something that is kept in code that is not looked
    /// at.
    pub writes: bool,
    /// Its code throws an exception, which may leave it.
    pub throws: bool,
}

impl Effects {
    /// Those of the initialization of a class, without that of its superclasses and of other classes, which it may lead to.
    pub fn of(program: &Program, class: ClassId) -> Effects {
        let mut effects = Effects::default();
        let Some(initializer) = initializer(program, class) else { return effects };
        let is_foreign = |field: FieldId| {
            let other = program.field(field).class;
            other != class && is_looked_at(program, other) && !is_made_up(program, other)
        };
        let mut read = FxHashSet::default();
        // One for each variable: initializers may fill long arrays.
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
                        effects.writes |=
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
        // What the library makes of an object may change it, of whatever type it is.
        if viewing.iter().any(|&ty| is_read(ty, &read)) {
            read.extend(program.root().map(Type::Class));
        }
        effects.writes |=
            changed.into_iter().any(|((method, _, ty), object)| is_read(ty, &read) && !is_new(program, method, object));
        effects
    }

    /// Those of the initialization of a class and of what that leads to.
    pub fn of_all(program: &Program, class: ClassId) -> Effects {
        let Some(start) = program.initialization(class) else { return Effects::default() };
        let classes = initialized(program, start.1).into_iter().map(|class| Effects::of(program, class));
        classes.fold(Effects::default(), |all, one| Effects {
            reads: all.reads | one.reads,
            writes: all.writes | one.writes,
            throws: all.throws | one.throws,
        })
    }

    /// Whether it makes a difference when it is done.
    pub fn matters(self) -> bool {
        self.reads || self.writes
    }
}

/// Whether a method makes or gives an object that may change.
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

/// Whether what the initialization of a class gives its static fields depends on which class comes first: it reads static fields of
/// a class whose initialization leads back to it.
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

/// The classes that executions of `entry` may initialize, but for those that are initialized before it begins.
pub fn initialized_on_the_way(program: &Program, entry: MethodId) -> Vec<ClassId> {
    let class_of_entry = program.method(entry).class;
    let mut found = initialized(program, entry);
    found.retain(|&class| !program.is_subclass(class_of_entry, class));
    found
}

fn initialized(program: &Program, start: MethodId) -> Vec<ClassId> {
    let mut found = reached(program, start);
    found.retain(|&method| program.is_initializer(method));
    found.into_iter().map(|method| program.method(method).class).collect()
}

/// The code of a class that initializes it.
pub(super) fn initializer(program: &Program, class: ClassId) -> Option<MethodId> {
    program.class(class).methods.iter().copied().find(|&method| program.is_initializer(method))
}
