//! Finds reads of static fields, and of objects behind them, that may differ from what initialization gives.
//!
//! Engines execute an entry point as if nothing had run before it. Unless the program starts there, any method of the
//! program may have run before, and may have written static fields or changed the objects behind them. Both executions
//! are the same up to the first read of a cell that can differ. So only two kinds of reads matter: those of static
//! fields that something other than the initialization of their class writes, and those of written cells in objects
//! that static fields may refer to. Platform code, which comes with the language, is not analysed.

use super::callbacks::is_made_up;
use super::cfg::Cfg;
use super::constants::unchanging;
use super::dominators::PostDominators;
use super::flow::Flow;
use super::influence::Influence;
use super::initialization::initializer;
use super::origins::{ARGUMENT, CLOSED, OPEN};
use super::reached::{Follow, closure, code, is_looked_at, reached, takes_objects, targets};
use super::{Stop, Stopped};
use crate::body::{BlockId, Body, Const, Dispatch, Expr, OpKind, Point, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, Program, Type};
use crate::runtime::FieldUse;
use rustc_hash::{FxHashMap, FxHashSet};

/// The possible effects of a program's methods on static fields and the objects behind them.
pub struct Statics<'p> {
    program: &'p Program,
    flow: Flow<'p>,
    /// Static fields that something other than the initialization of their class writes.
    written: FxHashSet<FieldId>,
    /// Static fields whose objects are always as initialization leaves them.
    unchanging: FxHashSet<FieldId>,
}

/// The values that executions of a method read and that may differ from what initialization gives.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Differing {
    /// Static fields, sorted.
    pub fields: Vec<FieldId>,
    /// Static fields with objects of which the executions read cells that are written elsewhere, sorted.
    pub objects: Vec<FieldId>,
}

impl<'p> Statics<'p> {
    /// Analyses `program`, which must be well-formed ([`crate::validate`]), and the entry points, which may be
    /// synthetic methods.
    ///
    /// # Errors
    /// The analysis had to stop.
    pub fn new(program: &'p Program, entries: impl IntoIterator<Item = MethodId>, stop: Stop) -> Result<Self, Stopped> {
        let own: Vec<MethodId> = program.own_methods().collect();
        let entries: Vec<MethodId> = entries.into_iter().collect();
        let all = closure(program, own.iter().chain(&entries).copied(), Follow::Everything);
        let is_open = |&id: &MethodId| !program.is_private(id) && !program.is_initializer(id);
        let earlier = closure(program, own.into_iter().filter(is_open).chain(entries), Follow::CallsOnly);
        let mut earlier: FxHashSet<MethodId> = earlier.into_iter().collect();
        let kept = functions_of_initializers(program, all.iter().filter(|method| !earlier.contains(method)));
        earlier.extend(closure(program, kept, Follow::CallsOnly));
        earlier.extend(shared_by_initializers(program, &all, stop)?);
        let flow = Flow::new(program, &all, earlier, stop)?;
        let mut written = FxHashSet::default();
        for (&method, body) in all.iter().filter_map(|method| Some((method, code(program, *method)?))) {
            for (_, op) in body.ops() {
                match op.kind {
                    OpKind::PutStatic { field, .. } if is_written_elsewhere(program, &flow, method, field) => {
                        written.extend(flow.fields_meant(method, field).iter());
                    }
                    _ => {}
                }
            }
        }
        let unchanging = unchanging(program, &all);
        Ok(Statics { program, flow, written, unchanging })
    }

    /// Whether earlier executions can matter to executions of `entry` at all, according to a quick check of the reached
    /// code: it reads static fields, or calls interface methods, which may run any function object.
    pub fn concern(program: &Program, entry: MethodId) -> bool {
        let mut ops =
            reached(program, entry).into_iter().filter_map(|method| code(program, method)).flat_map(Body::ops);
        ops.any(|(_, op)| match op.kind {
            OpKind::GetStatic { field, .. } => {
                let class = program.field(field).class;
                is_looked_at(program, class) && !is_made_up(program, class)
            }
            OpKind::Call { dispatch: Dispatch::Virtual, method, .. } => {
                program.class(program.method(method).class).is_interface
            }
            _ => false,
        })
    }

    /// Whether a static field may hold something other than what initialization gives.
    pub fn may_differ(&self, field: FieldId) -> bool {
        self.written.contains(&field) || self.program.use_outside(field) == FieldUse::Assign
    }

    /// Whether callers may get objects of a type, or of a related one, from the objects of static fields.
    pub fn hands_out(&self, ty: Type) -> bool {
        self.flow.hands_out(ty)
    }

    /// Whether the initialization of a class reads something that may differ at another time, so that its time matters.
    /// Static fields without `influence` do not.
    pub fn is_read_by_initialization(&self, class: ClassId, influence: &Influence) -> bool {
        let Some(initializer) = initializer(self.program, class) else { return false };
        let Differing { mut fields, objects } = self.read_by(initializer, |_, _| true);
        fields.retain(|&field| influence.has(field));
        // Nothing can access the static fields of the class itself before.
        fields.into_iter().chain(objects).any(|field| self.program.field(field).class != class)
    }

    /// The differing values that executions of `entry` may read, at operations for which `matters` holds.
    pub fn read_by(&self, entry: MethodId, matters: impl Fn(MethodId, Point) -> bool) -> Differing {
        let program = self.program;
        let reached = reached(program, entry);
        let assigned = assigned_first(program, entry);
        let (mut fields, mut roots) = (Vec::new(), Vec::new());
        let mut bodies = Vec::new();
        for method in reached {
            let Some(body) = code(program, method) else { continue };
            for (point, op) in body.ops() {
                if let OpKind::GetStatic { field, .. } = op.kind
                    && !self.flow.is_own_initialization(method, field)
                    && !assigned.contains(&field)
                {
                    if self.may_differ(field) && matters(method, point) {
                        fields.push(field);
                    }
                    if self.flow.is_root(field) && !self.unchanging.contains(&field) {
                        roots.push(field);
                    }
                }
            }
            bodies.push((method, body));
        }
        // Code that reads no static field cannot notice that an argument is an object of one.
        let seen = if roots.is_empty() { CLOSED | OPEN } else { CLOSED | OPEN | ARGUMENT };
        let reads_changed = bodies.iter().any(|&(method, body)| {
            body.ops()
                .any(|(point, op)| self.flow.reads_changed(method, body, &op.kind, seen) && matters(method, point))
        });
        let mut differing = Differing { fields, objects: if reads_changed { roots } else { Vec::new() } };
        for list in [&mut differing.fields, &mut differing.objects] {
            list.sort_unstable();
            list.dedup();
        }
        differing.objects.retain(|field| !differing.fields.contains(field));
        differing
    }
}

/// Whether a write of a static field by `method` is anything other than initialization of the field's class.
fn is_written_elsewhere(program: &Program, flow: &Flow, method: MethodId, field: FieldId) -> bool {
    let (writer, class) = (program.method(method).class, program.field(field).class);
    !is_made_up(program, class) && (flow.is_earlier(method) || writer != class && !is_made_up(program, writer))
}

/// Methods that the initialization of another class runs, or the initialization of several classes.
fn shared_by_initializers(program: &Program, all: &[MethodId], stop: Stop) -> Result<Vec<MethodId>, Stopped> {
    let mut run: FxHashSet<MethodId> = FxHashSet::default();
    let mut shared = Vec::new();
    for &initializer in all.iter().filter(|&&method| program.is_initializer(method)) {
        if stop() {
            return Err(Stopped);
        }
        let class = program.method(initializer).class;
        for method in closure(program, [initializer], Follow::CallsOnly) {
            if program.method(method).class != class || !run.insert(method) {
                shared.push(method);
            }
        }
    }
    Ok(shared)
}

/// The methods of the function objects that the initialization of classes makes. Static fields may keep such an object,
/// and libraries that get it later may call it.
fn functions_of_initializers<'a>(program: &Program, initializing: impl Iterator<Item = &'a MethodId>) -> Vec<MethodId> {
    let ops = initializing.filter_map(|&method| code(program, method)).flat_map(Body::ops);
    let made = ops.filter_map(|(_, op)| match op.kind {
        OpKind::New { class, .. } if is_made_up(program, class) && !program.is_pointer(class) => Some(class),
        _ => None,
    });
    made.flat_map(|class| &program.class(class).methods).copied().collect()
}

/// Static fields that executions of a method write before anything can read them.
fn assigned_first(program: &Program, entry: MethodId) -> FxHashSet<FieldId> {
    let (mut assigned, mut read) = (FxHashSet::default(), FxHashSet::default());
    let (mut seen, mut joins) = (FxHashSet::default(), FxHashMap::default());
    let mut at = Some((entry, Body::ENTRY));
    while let Some((method, id)) = at.take().filter(|&place| seen.insert(place)) {
        let Some(body) = code(program, method) else { break };
        let block = body.block(id);
        // A handler may read a field that was not yet written at the throw.
        let is_caught = block.handlers.iter().any(|handler| !is_cut_off(body, handler.target));
        for op in &block.ops {
            if is_caught && op.kind.may_throw() {
                return assigned;
            }
            match op.kind {
                OpKind::GetStatic { field, .. } => {
                    read.insert(field);
                }
                OpKind::PutStatic { field, .. } if !read.contains(&field) => {
                    assigned.insert(field);
                }
                OpKind::Ensure { method, .. } => {
                    let run = closure(program, [method], Follow::Everything);
                    let ops = run.into_iter().filter_map(|method| code(program, method)).flat_map(Body::ops);
                    read.extend(ops.filter_map(|(_, op)| match op.kind {
                        OpKind::GetStatic { field, .. } => Some(field),
                        _ => None,
                    }));
                }
                // Platform code reads no static fields of the program, except through methods that it calls back.
                OpKind::Call { dispatch, method: named, .. }
                    if targets(program, dispatch, named).is_empty() && !takes_objects(program, named) => {}
                OpKind::Call { dispatch: Dispatch::Static | Dispatch::Special, method: callee, .. } => {
                    at = Some((callee, Body::ENTRY));
                    break;
                }
                OpKind::Call { .. } => return assigned,
                _ => {}
            }
        }
        if at.is_none() {
            at = match block.terminator.kind {
                TerminatorKind::Goto(target) => Some((method, target)),
                _ => {
                    let joins =
                        joins.entry(method).or_insert_with(|| PostDominators::new(&Cfg::without_exceptions(body)));
                    joins.immediate(id).filter(|&join| is_plain(body, id, join, &mut read)).map(|join| (method, join))
                }
            };
        }
    }
    assigned
}

/// Whether no block between `from` and its post-dominator `join` calls anything or throws to a handler. Adds the static
/// fields that these blocks read to `read`.
fn is_plain(body: &Body, from: BlockId, join: BlockId, read: &mut FxHashSet<FieldId>) -> bool {
    let mut pending = body.block(from).terminator.kind.successors();
    let mut seen = FxHashSet::from_iter([from, join]);
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let block = body.block(id);
        let throws =
            matches!(block.terminator.kind, TerminatorKind::Throw(_)) || block.ops.iter().any(|op| op.kind.may_throw());
        let calls = block.ops.iter().any(|op| matches!(op.kind, OpKind::Call { .. } | OpKind::Ensure { .. }));
        if calls || throws && !block.handlers.is_empty() {
            return false;
        }
        read.extend(block.ops.iter().filter_map(|op| match op.kind {
            OpKind::GetStatic { field, .. } => Some(field),
            _ => None,
        }));
        pending.extend(block.terminator.kind.successors());
    }
    true
}

/// Whether a block ends the execution at once.
fn is_cut_off(body: &Body, block: BlockId) -> bool {
    let first = body.block(block).ops.first();
    first.is_some_and(|op| match op.kind {
        OpKind::Assume { condition } => *body.expr(condition) == Expr::Const(Const::Bool(false)),
        _ => false,
    })
}
