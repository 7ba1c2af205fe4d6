//! Slices a program: finds the operations that influence whether a target, or an assertion before it, is violated.
//!
//! This is an interprocedural program slice (Weiser, "Program slicing", 1981) that ignores the order of operations: a
//! local, a field, or the elements of all arrays matter everywhere or nowhere. A branch matters if an operation between
//! it and its join, its immediate post-dominator, matters (Ferrante, Ottenstein, Warren, "The program dependence graph
//! and its use in optimization", 1987).
//!
//! Code that does not matter is assumed to end normally. In the program, endless loops and uncaught exceptions in it
//! can keep executions from the code after it. So a slice has more executions than the program, never fewer.
//!
//! Code outside the analysis, such as a library's, is not sliced. So its relation to the program matters: its
//! arguments, the effects of the methods that it calls back, and the fields that it reads.

use super::callgraph::known_code;
use super::{CallGraph, Callbacks, Cfg, PostDominators};
use crate::body::{BlockId, Body, Const, Dispatch, Expr, ExprId, Intrinsic, LocalId, OpKind, Point, TerminatorKind};
use crate::program::{FieldId, MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest body, in blocks, whose branches may be irrelevant. In larger bodies, all branches matter.
const MOST_BLOCKS: usize = 1_000;

/// The operations and branches that matter for targets and assertions.
#[derive(Clone, Debug)]
pub struct Relevance {
    methods: FxHashMap<MethodId, Slice>,
}

/// The methods that a call may run.
struct Callees {
    /// Methods whose code is analysed.
    known: Vec<MethodId>,
    /// Whether it may run other code, too.
    is_open: bool,
}

/// The operations and branches of a method that matter.
#[derive(Clone, Debug)]
struct Slice {
    /// By block, then operation.
    matters: Vec<Vec<bool>>,
    /// By block: the join to go on at instead of branching, if the branch does not matter.
    joins: Vec<Option<BlockId>>,
}

impl Relevance {
    /// Slices `program`, which must be well-formed ([`crate::validate`]), for `targets` and executions from `entry`
    /// along `graph`. Terminators with an unknown continuation ([`TerminatorKind::is_gap`]) matter like targets. `None`
    /// if libraries outside the analysis may call any method.
    pub fn new(
        program: &Program,
        graph: &CallGraph,
        callbacks: &Callbacks,
        entry: MethodId,
        targets: impl IntoIterator<Item = (MethodId, Point)>,
    ) -> Option<Self> {
        let whole = callbacks.methods.clone()?;
        let mut slicer = Slicer::new(program, graph, whole, entry, targets.into_iter().collect());
        slicer.fields.extend(&callbacks.fields);
        slicer.need_inputs(entry);
        while let Some(method) = slicer.pending.pop() {
            slicer.is_pending.remove(&method);
            slicer.look_at(method);
        }
        Some(Relevance { methods: slicer.slices })
    }

    /// The methods whose code is analysed. In others, everything matters.
    pub fn methods(&self) -> impl Iterator<Item = MethodId> + '_ {
        self.methods.keys().copied()
    }

    /// Whether an operation matters. In code outside the analysis, every operation does.
    pub fn matters(&self, method: MethodId, point: Point) -> bool {
        let of_block = self.methods.get(&method).and_then(|slice| slice.matters.get(point.block.index()));
        of_block.and_then(|ops| ops.get(point.op as usize)).is_none_or(|&matters| matters)
    }

    /// The block to go on at after a block whose branch does not matter.
    pub fn skip(&self, method: MethodId, block: BlockId) -> Option<BlockId> {
        *self.methods.get(&method)?.joins.get(block.index())?
    }
}

struct Slicer<'p> {
    program: &'p Program,
    graph: &'p CallGraph,
    targets: FxHashSet<(MethodId, Point)>,
    bodies: FxHashMap<MethodId, &'p Body>,
    /// The methods that write each field.
    writers: FxHashMap<FieldId, Vec<MethodId>>,
    /// The methods that write elements of arrays.
    element_writers: Vec<MethodId>,
    /// The worklist. A method returns to it if something that concerns the method has become relevant.
    pending: Vec<MethodId>,
    is_pending: FxHashSet<MethodId>,
    slices: FxHashMap<MethodId, Slice>,
    /// Methods in which everything matters, because their callers are unknown.
    whole: FxHashSet<MethodId>,
    /// Methods that are called where exceptions may be caught.
    guarded: FxHashSet<MethodId>,
    locals: FxHashSet<(MethodId, LocalId)>,
    fields: FxHashSet<FieldId>,
    /// Whether the elements of arrays matter.
    elements: bool,
    /// Methods whose results matter.
    results: FxHashSet<MethodId>,
    /// Methods with effects that matter.
    effects: FxHashSet<MethodId>,
}

impl<'p> Slicer<'p> {
    fn new(
        program: &'p Program,
        graph: &'p CallGraph,
        mut whole: FxHashSet<MethodId>,
        entry: MethodId,
        targets: FxHashSet<(MethodId, Point)>,
    ) -> Self {
        let known = graph.reachable().iter().filter_map(|&id| Some((id, known_code(program, id)?)));
        let order: Vec<(MethodId, &Body)> = known.collect();
        if program.grows() {
            let is_called = |id: MethodId| id == entry || !graph.callers(id).is_empty();
            whole.extend(order.iter().map(|&(id, _)| id).filter(|&id| !is_called(id)));
        }
        let mut writers: FxHashMap<FieldId, Vec<MethodId>> = FxHashMap::default();
        let mut element_writers = Vec::new();
        for &(id, body) in &order {
            for (_, op) in body.ops() {
                match op.kind {
                    OpKind::PutField { field, .. } | OpKind::PutStatic { field, .. } => {
                        writers.entry(field).or_default().push(id);
                    }
                    OpKind::ArrayPut { .. } => element_writers.push(id),
                    _ => {}
                }
            }
        }
        Slicer {
            program,
            graph,
            targets,
            writers,
            element_writers,
            // Callees mostly come before callers.
            pending: order.iter().map(|&(id, _)| id).collect(),
            is_pending: order.iter().map(|&(id, _)| id).collect(),
            slices: order.iter().map(|&(id, body)| (id, Slice::new(body))).collect(),
            guarded: guarded(graph, &order, &whole),
            bodies: order.into_iter().collect(),
            results: whole.clone(),
            effects: whole.clone(),
            whole,
            locals: FxHashSet::default(),
            fields: FxHashSet::default(),
            elements: false,
        }
    }

    /// If the entry point is a synthetic method that makes inputs, and so outside the analysis, records what it reads:
    /// fields, elements of arrays, and results of methods.
    fn need_inputs(&mut self, entry: MethodId) {
        if self.bodies.contains_key(&entry) {
            return;
        }
        for (_, op) in self.program.body(entry).into_iter().flat_map(Body::ops) {
            match op.kind {
                OpKind::GetField { field, .. } | OpKind::GetStatic { field, .. } => {
                    self.fields.insert(field);
                }
                OpKind::ArrayGet { .. } => self.elements = true,
                OpKind::Call { dst: Some(_), method, .. } => {
                    self.results.insert(method);
                }
                _ => {}
            }
        }
    }

    /// Puts methods back on the worklist.
    fn renew(&mut self, methods: impl IntoIterator<Item = MethodId>) {
        for method in methods {
            if self.bodies.contains_key(&method) && self.is_pending.insert(method) {
                self.pending.push(method);
            }
        }
    }

    fn look_at(&mut self, method: MethodId) {
        let Some(&body) = self.bodies.get(&method) else { return };
        let Some(mut slice) = self.slices.remove(&method) else { return };
        // Backward, because relevance propagates backward.
        for id in body.block_ids().rev() {
            let block = body.block(id);
            if slice.joins[id.index()].is_some() && slice.is_needed(body, id) {
                slice.joins[id.index()] = None;
                // Branches around this one may matter now.
                self.renew([method]);
            }
            let point = |op: usize| (method, Point { block: id, op: op as u32 });
            let is_wanted = match block.terminator.kind {
                TerminatorKind::Return(_) => self.results.contains(&method),
                _ => slice.joins[id.index()].is_none(),
            };
            if let Some(operand) = block.terminator.kind.operand().filter(|_| is_wanted) {
                self.need_expr(method, body, operand);
            }
            let throws = matches!(block.terminator.kind, TerminatorKind::Throw(_));
            let is_target = self.targets.contains(&point(block.ops.len()));
            if is_target || block.terminator.kind.is_gap() || throws && self.guarded.contains(&method) {
                self.note_effect(method);
            }
            for (number, op) in block.ops.iter().enumerate().rev() {
                let matters = &mut slice.matters[id.index()][number];
                let is_handled = !block.handlers.is_empty();
                let may_matter = self.targets.contains(&point(number)) || self.has_effect(method, is_handled, &op.kind);
                let has_effect = may_matter && !is_always_passed(body, &op.kind);
                let is_read = op.kind.dst().is_some_and(|dst| self.locals.contains(&(method, dst)));
                if has_effect {
                    self.note_effect(method);
                }
                if has_effect || is_read {
                    if !std::mem::replace(matters, true) {
                        self.renew([method]);
                    }
                    self.need(method, body, &op.kind, is_read);
                }
            }
        }
        self.slices.insert(method, slice);
    }

    fn note_effect(&mut self, method: MethodId) {
        if self.effects.insert(method) {
            self.renew(self.graph.callers(method));
        }
    }

    /// Whether an operation has a relevant effect other than setting a local.
    fn has_effect(&self, method: MethodId, is_handled: bool, op: &OpKind) -> bool {
        let own = match *op {
            // These operations can end executions.
            OpKind::Assert { .. } | OpKind::Assume { .. } => true,
            OpKind::Ensure { .. } => true,
            // A run asks for inputs in a fixed order, so that no request may be left out.
            OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. } => true,
            OpKind::Intrinsic { intrinsic: Intrinsic::Alike, .. } => true,
            OpKind::Intrinsic { intrinsic: Intrinsic::Known | Intrinsic::Print, .. } | OpKind::Doubt { .. } => false,
            OpKind::PutField { field, .. } | OpKind::PutStatic { field, .. } => self.is_read(field),
            OpKind::ArrayPut { .. } => self.elements,
            OpKind::Call { dispatch, method: named, .. } => {
                let callees = self.callees(dispatch, named);
                callees.is_open || callees.known.iter().any(|callee| self.effects.contains(callee))
            }
            // These operations only set a local or throw.
            OpKind::Assign { .. }
            | OpKind::Divide { .. }
            | OpKind::New { .. }
            | OpKind::NewArray { .. }
            | OpKind::GetField { .. }
            | OpKind::GetStatic { .. }
            | OpKind::ArrayGet { .. }
            | OpKind::ArrayLength { .. }
            | OpKind::InstanceOf { .. }
            | OpKind::Cast { .. }
            | OpKind::Quantify { .. } => false,
        };
        let is_caught = is_handled || self.guarded.contains(&method);
        own || self.whole.contains(&method) || is_caught && !op.traps().is_empty()
    }

    /// Whether something that may matter reads a field. Library code outside the analysis may read the fields of its
    /// own classes.
    fn is_read(&self, field: FieldId) -> bool {
        let is_foreign = || self.program.grows() && self.program.class(self.program.field(field).class).is_library;
        self.fields.contains(&field) || is_foreign()
    }

    /// The methods that a call may run.
    fn callees(&self, dispatch: Dispatch, named: MethodId) -> Callees {
        let mut known = self.graph.targets(dispatch, named);
        let count = known.len();
        known.retain(|callee| self.bodies.contains_key(callee));
        let mut is_open = known.len() < count;
        if dispatch == Dispatch::Virtual && self.program.grows() {
            // Classes of function objects may be made later.
            let declared = self.program.method(named);
            let class = self.program.class(declared.class);
            is_open |= class.is_library || class.is_interface || declared.is_abstract;
        }
        Callees { known, is_open }
    }

    /// Records what an operation that matters depends on. `is_read` says whether its result matters.
    fn need(&mut self, method: MethodId, body: &'p Body, op: &OpKind, is_read: bool) {
        match *op {
            OpKind::GetField { field, .. } | OpKind::GetStatic { field, .. } if is_read => self.need_field(field),
            OpKind::Ensure { field, .. } => self.need_field(field),
            OpKind::ArrayGet { .. } | OpKind::Quantify { .. } if is_read => self.need_elements(),
            OpKind::Intrinsic { intrinsic: Intrinsic::Alike, .. } => self.need_elements(),
            OpKind::Call { dispatch, method: named, ref args, .. } => {
                let Callees { known, is_open } = self.callees(dispatch, named);
                if is_open {
                    self.need_elements();
                }
                for (number, &arg) in args.iter().enumerate() {
                    let parameter = LocalId(number as u32);
                    let is_receiver = number == 0 && dispatch != Dispatch::Static;
                    let is_used = |callee: &MethodId| self.locals.contains(&(*callee, parameter));
                    if is_open || is_receiver || known.iter().any(is_used) {
                        self.need_expr(method, body, arg);
                    }
                }
                if is_read {
                    for callee in known {
                        if self.results.insert(callee) {
                            self.renew([callee]);
                        }
                    }
                }
                return;
            }
            _ => {}
        }
        for operand in op.operands() {
            self.need_expr(method, body, operand);
        }
    }

    fn need_field(&mut self, field: FieldId) {
        if self.fields.insert(field) {
            self.renew(self.writers.get(&field).cloned().unwrap_or_default());
        }
    }

    fn need_elements(&mut self) {
        if !std::mem::replace(&mut self.elements, true) {
            self.renew(self.element_writers.clone());
        }
    }

    fn need_expr(&mut self, method: MethodId, body: &Body, expr: ExprId) {
        let mut pending = vec![expr];
        while let Some(id) = pending.pop() {
            let expr = body.expr(id);
            if let Expr::Local(local) = *expr
                && self.locals.insert((method, local))
            {
                self.renew([method]);
                if local.index() < self.program.method(method).params.len() {
                    self.renew(self.graph.callers(method));
                }
            }
            pending.extend(expr.operands());
        }
    }
}

/// Whether an operation is an assertion or an assumption that is always true. Those that a question is not about may be made so.
fn is_always_passed(body: &Body, op: &OpKind) -> bool {
    let (OpKind::Assert { condition, .. } | OpKind::Assume { condition }) = *op else { return false };
    *body.expr(condition) == Expr::Const(Const::Bool(true))
}

/// The methods that may be called, directly or not, where exceptions may be caught.
fn guarded(graph: &CallGraph, order: &[(MethodId, &Body)], whole: &FxHashSet<MethodId>) -> FxHashSet<MethodId> {
    let mut pending: Vec<MethodId> = whole.iter().copied().collect();
    for (_, body) in order {
        for op in body.blocks.iter().filter(|block| !block.handlers.is_empty()).flat_map(|block| &block.ops) {
            match op.kind {
                OpKind::Call { dispatch, method, .. } => pending.extend(graph.targets(dispatch, method)),
                OpKind::Ensure { method, .. } => pending.push(method),
                _ => {}
            }
        }
    }
    let mut guarded = FxHashSet::default();
    while let Some(method) = pending.pop() {
        if guarded.insert(method) {
            pending.extend(graph.callees(method));
        }
    }
    guarded
}

impl Slice {
    /// The slice of a body in which no operation matters yet.
    fn new(body: &Body) -> Self {
        let matters = body.blocks.iter().map(|block| vec![false; block.ops.len()]).collect();
        let mut joins = vec![None; body.blocks.len()];
        if body.blocks.len() <= MOST_BLOCKS {
            let dominators = PostDominators::new(&Cfg::without_exceptions(body));
            for id in body.block_ids() {
                let kind = &body.block(id).terminator.kind;
                if matches!(kind, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. }) {
                    joins[id.index()] = dominators.immediate(id);
                }
            }
        }
        Slice { matters, joins }
    }

    /// Whether a relevant operation is between a branch and its join, or whether a path from the branch may not reach
    /// the join.
    fn is_needed(&self, body: &Body, branch: BlockId) -> bool {
        let join = self.joins[branch.index()];
        let mut seen: FxHashSet<BlockId> = join.into_iter().collect();
        let mut pending = body.block(branch).terminator.kind.successors();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let successors = body.block(id).terminator.kind.successors();
            if successors.is_empty() || self.matters[id.index()].contains(&true) {
                return true;
            }
            pending.extend(successors);
        }
        false
    }
}
