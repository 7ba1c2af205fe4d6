//! Unwinds one activation: its blocks in order, and its loops up to the bound.

use super::way::{Locals, Thrown, Valued, Way};
use super::{Active, Prepared, Unwinder};
use crate::graph::{Leaf, Step, nowhere};
use crate::points::{PointSet, Points};
use aback_heap::Value;
use aback_ir::analysis::Passage;
use aback_ir::{BlockId, Body, ExprId, LocalId, MethodId, OpKind, Point, Span, Terminator, TerminatorKind, Type};
use aback_logic::Term;
use aback_symbolic::{Gap, expr};
use aback_witness::Place;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Weight of an iteration that may be the last, if no fact decides that the loop continues. If constants also
/// influence the loop, an iteration has weight 1.
const WEIGHT: u32 = 32;
/// Pseudo-local for the result of a method.
const RESULT: LocalId = LocalId(u32::MAX);

/// Ways into a passage through a block that has not begun.
struct Arrivals {
    block: BlockId,
    ways: Vec<Way>,
    /// Whether this starts another iteration of a loop.
    repeats: bool,
}

/// What is known about an iteration of a loop.
#[derive(Clone, Copy, Default)]
struct Iteration {
    /// The iteration may be the last.
    is_uncertain: bool,
    /// A constant decided somewhere in the iteration that the loop continues.
    is_driven: bool,
}

/// The iterations of a loop during one execution of it.
#[derive(Default)]
struct Iterations {
    known: Vec<Iteration>,
    /// Sum of their weights, which counts toward the bound.
    count: u32,
}

/// An activation that is being unwound.
pub(super) struct Run<'p> {
    pub method: MethodId,
    /// Its number.
    pub activation: u32,
    pub body: &'p Body,
    pub prepared: Rc<Prepared>,
    /// The current operation.
    pub place: Place,
    passage: Passage,
    pending: BTreeMap<Passage, Arrivals>,
    returns: Vec<(Way, Valued)>,
    pub thrown: Vec<Thrown>,
    /// Lengths of arrays that the operation has read.
    pub lengths: Vec<(ExprId, Value)>,
    /// The iterations of each loop, by the common prefix of the iteration vectors of its passages.
    loops: FxHashMap<Vec<u32>, Iterations>,
}

impl Run<'_> {
    fn mark(&mut self, depth: usize, mark: impl Fn(&mut Iteration)) {
        let iteration = self.passage.iteration(depth) as usize;
        let iterations = self.loops.entry(self.passage.run(depth).to_vec()).or_default();
        if iterations.known.len() <= iteration {
            iterations.known.resize(iteration + 1, Iteration::default());
        }
        let known = &mut iterations.known[iteration];
        let before = weight(known.is_uncertain, known.is_driven);
        mark(known);
        iterations.count = iterations.count - before + weight(known.is_uncertain, known.is_driven);
    }

    /// Notes that all loops may end here.
    pub fn mark_all(&mut self) {
        for depth in 0..self.prepared.nesting.loops(self.place.point.block).len() {
            self.mark(depth, |iteration| iteration.is_uncertain = true);
        }
    }

    /// The loops, by nesting depth, that control leaves when it goes to a block.
    fn left_for(&self, to: BlockId) -> std::ops::Range<usize> {
        let (here, there) = (self.prepared.nesting.loops(self.place.point.block), self.prepared.nesting.loops(to));
        let common = here.iter().zip(there).take_while(|(a, b)| a == b).count();
        common..here.len()
    }

    /// The type of an expression.
    pub fn type_of(&self, expr: ExprId) -> Type {
        self.prepared.code.type_of(expr)
    }
}

/// Weight of an iteration or an activation.
pub(super) fn weight(is_uncertain: bool, is_driven: bool) -> u32 {
    match (is_uncertain, is_driven) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => WEIGHT,
    }
}

impl<'a> Unwinder<'a> {
    /// Unwinds the activation of the entry point.
    pub(super) fn run_entry(
        &mut self,
        mut way: Way,
        entry: MethodId,
        body: &'a Body,
        arguments: Vec<(Term, Points, bool)>,
        place: Place,
    ) {
        let arguments = arguments.into_iter().map(|(variable, points, is_not_null)| {
            self.mark_not_null(&mut way, variable, is_not_null);
            Valued { value: Value::Term(variable), points }
        });
        let arguments: Vec<Valued> = arguments.collect();
        let (_, thrown) = self.activation(way, (entry, 0), body, arguments, place);
        for thrown in thrown {
            self.uncaught(thrown, place);
        }
    }

    /// Unwinds a method with this activation number. Returns the way on which it returns, with its result, and the
    /// ways on which it throws. `place` is the call.
    pub(super) fn activation(
        &mut self,
        mut way: Way,
        (method, activation): (MethodId, u32),
        body: &'a Body,
        arguments: Vec<Valued>,
        place: Place,
    ) -> (Option<(Way, Valued)>, Vec<Thrown>) {
        let prepared = self.prepared(method, body);
        self.active.push(Active {
            method,
            point: Point { block: Body::ENTRY, op: 0 },
            is_uncertain: false,
            is_driven: false,
        });
        let count = arguments.len();
        way.locals = Locals { values: prepared.code.defaults.clone(), points: vec![None; body.locals.len()] };
        for (i, argument) in arguments.into_iter().enumerate() {
            self.set(&mut way, activation, LocalId(i as u32), argument, place);
        }
        if !self.config.facts {
            self.set_defaults(&mut way, activation, count, place);
        }
        let mut run = Run {
            method,
            activation,
            body,
            place,
            passage: prepared.nesting.entry(),
            prepared,
            pending: BTreeMap::new(),
            returns: Vec::new(),
            thrown: Vec::new(),
            lengths: Vec::new(),
            loops: FxHashMap::default(),
        };
        let first = Arrivals { block: Body::ENTRY, ways: vec![way], repeats: false };
        run.pending.insert(run.passage.clone(), first);
        while let Some((passage, arrivals)) = run.pending.pop_first() {
            run.passage = passage;
            self.block(&mut run, arrivals);
        }
        let returned = self.join_returns(&mut run);
        let thrown = std::mem::take(&mut run.thrown);
        self.active.pop();
        (returned, thrown)
    }

    /// Sets the locals that are not parameters to their initial values by an operation, if there are no facts.
    fn set_defaults(&mut self, way: &mut Way, activation: u32, parameters: usize, place: Place) {
        let mut defaults = Vec::new();
        for local in parameters..way.locals.values.len() {
            let variable = self.variable(activation, LocalId(local as u32));
            let ty = self.variable_type(variable);
            let value = way.locals.values[local].to_term(&mut self.pool, ty);
            defaults.push((variable, value));
            way.locals.values[local] = Value::Term(variable);
        }
        if !defaults.is_empty() {
            self.emit(way, Step::Defaults(defaults), place);
        }
    }

    fn join_returns(&mut self, run: &mut Run) -> Option<(Way, Valued)> {
        let mut returns = std::mem::take(&mut run.returns);
        if returns.len() == 1 {
            return returns.pop();
        }
        let (_, first) = returns.first()?;
        let mut result = first.clone();
        if returns.iter().any(|(_, other)| other.value != result.value) {
            let ty = self.program.method(run.method).result.unwrap_or(Type::Null);
            let variable = match self.locals.get(&(run.activation, RESULT)) {
                Some(&variable) => variable,
                None => self.new_variable("result", ty),
            };
            self.locals.insert((run.activation, RESULT), variable);
            let place = self.between_lines(run.place);
            for (way, returned) in &mut returns {
                let value = returned.value.to_term(&mut self.pool, ty);
                let is_not_null = matches!(returned.value, Value::Object(_)) || way.facts.not_null.contains(&value);
                self.emit(way, Step::Assign { target: variable, value }, place);
                self.mark_not_null(way, variable, is_not_null);
            }
            result.value = Value::Term(variable);
        }
        result.points = returns.iter().map(|(_, other)| other.points()).reduce(|a, b| PointSet::union(&a, &b))?;
        let ways = returns.into_iter().map(|(way, _)| Way { locals: Locals::default(), ..way }).collect();
        let way = self.join(ways, run.activation, run.place)?;
        Some((way, result))
    }

    fn block(&mut self, run: &mut Run<'a>, arrivals: Arrivals) {
        let body = run.body;
        let block = body.block(arrivals.block);
        let span = block.ops.first().map_or(block.terminator.span, |op| op.span);
        self.move_to(run, arrivals.block, 0, span);
        let Some(mut way) = self.join(arrivals.ways, run.activation, run.place) else { return };
        if arrivals.repeats {
            let node = self.emit(&mut way, Step::Nothing, run.place);
            self.graph.nodes[node.index()].starts_iteration = true;
        }
        let mut line = 0;
        let relevance = self.focus.and_then(|focus| focus.relevance.as_ref());
        for (index, op) in block.ops.iter().enumerate() {
            self.move_to(run, arrivals.block, index as u32, op.span);
            self.mark_line(run, &mut way, &mut line);
            self.operations += 1;
            if relevance.is_some_and(|relevance| !relevance.matters(run.method, run.place.point)) {
                continue;
            }
            let is_call = matches!(op.kind, OpKind::Call { .. });
            if self.is_over(run.place) || is_call && self.leads_nowhere(run, run.place.point) {
                return;
            }
            let ends = self.counted_ends();
            let next = self.operation(run, way);
            if self.counted_ends() != ends {
                run.mark_all();
                self.note_uncertain();
            }
            match next {
                Some(next) => way = next,
                None => return,
            }
        }
        self.move_to(run, arrivals.block, block.ops.len() as u32, block.terminator.span);
        self.mark_line(run, &mut way, &mut line);
        self.operations += 1;
        if self.is_over(run.place) {
            return;
        }
        match relevance.and_then(|relevance| relevance.skip(run.method, arrivals.block)) {
            Some(join) => self.arrive(run, way, join),
            None => self.terminator(run, way, &block.terminator),
        }
    }

    /// Where the user goes back by hand, each line of the program's own code has a node, also if facts say all about it. `line` is the last
    /// one in this block.
    fn mark_line(&mut self, run: &Run, way: &mut Way, line: &mut u32) {
        let now = run.place.span.line;
        if self.config.trail.is_some() && now != *line && !self.program.is_library_method(run.method) {
            *line = now;
            self.emit(way, Step::Nothing, run.place);
        }
    }

    /// The place of operations that belong to no line: they join ways. Where the user goes back by hand, they are at no line.
    pub(super) fn between_lines(&self, place: Place) -> Place {
        if self.config.trail.is_some() { nowhere(place) } else { place }
    }

    fn move_to(&mut self, run: &mut Run, block: BlockId, op: u32, span: Span) {
        run.place = Place { method: run.method, point: Point { block, op }, span };
        if let Some(active) = self.active.last_mut() {
            active.point = run.place.point;
        }
    }

    /// Notes that the current activation has a branch or call that facts do not decide.
    pub(super) fn note_uncertain(&mut self) {
        if let Some(active) = self.active.last_mut() {
            active.is_uncertain = true;
        }
    }

    fn terminator(&mut self, run: &mut Run<'a>, way: Way, terminator: &Terminator) {
        let place = run.place;
        match &terminator.kind {
            TerminatorKind::Goto(target) => self.arrive(run, way, *target),
            TerminatorKind::Branch { condition, then_block, else_block } => {
                self.note_driven_in_part(run, &way, *condition, (*then_block, *else_block));
                let condition = self.eval(run, &way, *condition);
                self.choose(run, way, condition, *then_block, Some(*else_block));
            }
            TerminatorKind::Switch { value, cases, default } => {
                let ty = run.type_of(*value);
                let value = self.eval(run, &way, *value);
                if let Value::Int(value) = value {
                    let target = run.prepared.code.case(place.point.block, value).unwrap_or(*default);
                    for other in cases.iter().map(|(_, other)| *other).chain([*default]) {
                        self.note_driven(run, target, other);
                    }
                    return self.arrive(run, way, target);
                }
                let mut rest = Some(way);
                for (case, block) in cases {
                    let Some(way) = rest.take() else { return };
                    let equal = Value::Term(expr::is_case(&mut self.pool, value, ty, case));
                    rest = self.choose(run, way, equal, *block, None);
                }
                if let Some(way) = rest {
                    for depth in run.left_for(*default) {
                        run.mark(depth, |iteration| iteration.is_uncertain = true);
                    }
                    self.arrive(run, way, *default);
                }
            }
            TerminatorKind::Return(value) => {
                let value = match value {
                    Some(value) => self.valued(run, &way, *value),
                    None => Value::Null.into(),
                };
                run.returns.push((way, value));
            }
            TerminatorKind::Throw(exception) => {
                let Some(mut way) = self.operation(run, way) else { return };
                let ty = run.type_of(*exception);
                let exception = self.valued(run, &way, *exception);
                self.note_thrown(&mut way, &exception, ty, place);
                self.throw(run, Thrown { way, exception, ty });
            }
            TerminatorKind::Unsupported { construct: what, .. } => self.unsupported(way, what, place),
            TerminatorKind::Bound(what) => self.gap(way, Gap::Bound { what: what.clone(), place }, place),
            TerminatorKind::Unreachable => self.unsupported(way, "a place that no execution should reach", place),
        }
    }

    /// Continues at one block if a condition holds, and at the other if it does not. If there is no other block,
    /// returns the way on which the condition does not hold.
    fn choose(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        condition: Value,
        then_block: BlockId,
        else_block: Option<BlockId>,
    ) -> Option<Way> {
        let decided = self.decided;
        let (yes, no) = self.split(way, condition, run.place);
        let other = else_block.unwrap_or(then_block);
        // As in `counted_ends`.
        let is_open = yes.is_some() && no.is_some() || self.decided > decided;
        match (&yes, &no) {
            _ if is_open => {
                self.note_uncertain();
                let (then_left, else_left) = (run.left_for(then_block), run.left_for(other));
                let first = then_left.start.min(else_left.start);
                for depth in first..then_left.end {
                    run.mark(depth, |iteration| iteration.is_uncertain = true);
                }
            }
            (Some(_), None) => self.note_driven(run, then_block, other),
            (None, Some(_)) => self.note_driven(run, other, then_block),
            _ => {}
        }
        if let Some(way) = yes {
            self.arrive(run, way, then_block);
        }
        let way = no?;
        match else_block {
            Some(block) => {
                self.arrive(run, way, block);
                None
            }
            None => Some(way),
        }
    }

    /// Notes that a constant decided for `taken` and against `other`.
    fn note_driven(&mut self, run: &mut Run, taken: BlockId, other: BlockId) {
        if taken == other {
            return;
        }
        if let Some(active) = self.active.last_mut() {
            active.is_driven = true;
        }
        let (stays, leaves) = (run.left_for(taken), run.left_for(other));
        for depth in leaves.start..stays.start {
            run.mark(depth, |iteration| iteration.is_driven = true);
        }
    }

    /// Notes that constants decide one of several comparisons of a branch condition, as in `p != null && i < 10`.
    /// Then constants limit the number of iterations.
    fn note_driven_in_part(
        &mut self,
        run: &mut Run<'a>,
        way: &Way,
        mut condition: ExprId,
        (mut yes, mut no): (BlockId, BlockId),
    ) {
        use aback_ir::{BinaryOp, Expr, UnaryOp};
        while let Expr::Unary(UnaryOp::Not, _, inner) = *run.body.expr(condition) {
            condition = inner;
            (yes, no) = (no, yes);
        }
        let Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), Type::Bool, ..) = *run.body.expr(condition) else {
            return;
        };
        let (decided, taken, other) = if op == BinaryOp::And { (true, yes, no) } else { (false, no, yes) };
        let mut parts = vec![condition];
        while let Some(part) = parts.pop() {
            match *run.body.expr(part) {
                Expr::Binary(inner, Type::Bool, left, right) if inner == op => parts.extend([left, right]),
                // A flag would work as well, but most flags do not count iterations.
                Expr::Binary(BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Ne, ..)
                    if self.eval(run, way, part) == Value::Bool(decided) =>
                {
                    self.note_driven(run, taken, other);
                }
                _ => {}
            }
        }
    }

    /// Goes to a block.
    pub(super) fn arrive(&mut self, run: &mut Run<'a>, way: Way, to: BlockId) {
        if self.leads_nowhere(run, Point { block: to, op: 0 }) {
            return;
        }
        let (passage, again) = run.prepared.nesting.passage(run.place.point.block, &run.passage, to);
        if let Some(depth) = again {
            let count = run.loops.get(run.passage.run(depth)).map_or(0, |iterations| iterations.count);
            if count > self.bound.saturating_mul(WEIGHT) {
                return self.leaf(way, Leaf::Cut, run.place);
            }
        }
        let repeats = again.is_some();
        let arrivals = run.pending.entry(passage);
        arrivals.or_insert_with(|| Arrivals { block: to, ways: Vec::new(), repeats }).ways.push(way);
    }

    /// Whether control flow alone shows that no target can be reached from a point of the current activation.
    fn leads_nowhere(&self, run: &Run, to: Point) -> bool {
        let Some(focus) = self.focus.filter(|_| !self.is_at_start()) else { return false };
        let is_known = focus.distance.knows(run.method);
        if is_known && focus.distance.can_reach_target(run.method, to) {
            return false;
        }
        let mut frames: Vec<(MethodId, Point)> =
            self.active.iter().map(|active| (active.method, active.point)).collect();
        if let Some((_, point)) = frames.last_mut() {
            *point = to;
        }
        if is_known {
            return focus.leads_nowhere(self.program, &frames);
        }
        // The methods of open calls are prepared.
        let returning = |method, _: &Body| Rc::clone(&self.prepared[&method].returning);
        focus.throws_nowhere(self.program, &frames, returning)
    }

    /// Whether another activation of a method would exceed the bound.
    pub(super) fn is_too_deep(&self, method: MethodId) -> bool {
        let open = self.active.iter().filter(|active| active.method == method);
        let count: u32 = open.map(|active| weight(active.is_uncertain, active.is_driven)).sum();
        count > self.bound.saturating_mul(WEIGHT)
    }

    // ---- expressions ------------------------------------------------------------------------------------------

    pub(super) fn eval(&mut self, run: &Run, way: &Way, id: ExprId) -> Value {
        expr::eval(&mut self.pool, run.body, &run.prepared.code, &way.locals.values, id)
    }

    /// The value of an expression, with its points-to set.
    pub(super) fn valued(&mut self, run: &Run, way: &Way, id: ExprId) -> Valued {
        let value = self.eval(run, way, id);
        let points = match value {
            Value::Term(_) if run.type_of(id).is_reference() => points(run.body, way, id),
            _ => None,
        };
        Valued { value, points }
    }
}

/// The points-to set of the value of an expression.
pub(super) fn points(body: &Body, way: &Way, id: ExprId) -> Points {
    use aback_ir::{Const, Expr};
    match body.expr(id) {
        Expr::Local(local) => match way.locals.values[local.index()] {
            Value::Term(_) => way.locals.points[local.index()].clone(),
            value => PointSet::of(value),
        },
        Expr::Const(Const::Null) => PointSet::of(Value::Null),
        Expr::Select(_, then, otherwise) => PointSet::union(&points(body, way, *then), &points(body, way, *otherwise)),
        Expr::Convert { value, .. } => points(body, way, *value),
        _ => None,
    }
}
