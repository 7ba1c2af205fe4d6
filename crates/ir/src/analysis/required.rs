//! Finds conditions without which control gets to no goal.

use super::cfg::{Cfg, handlers};
use crate::body::{BinaryOp, BlockId, Body, Const, Expr, ExprId, LocalId, OpKind, Point, TerminatorKind, UnaryOp};
use crate::program::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A condition over locals, and the value that it must have.
type Condition = (ExprId, bool);
/// The conditions of which at least one path to a goal needs each. `None` if no path leads to a goal.
type Needed = Option<BTreeSet<Condition>>;

/// Most conditions of a block.
const MOST: usize = 16;

/// For each block of a body, conditions over the locals at its start that hold in every execution that gets from there to a
/// goal within the activation: each way to a goal passes a branch, or an assumption, with this outcome, and nothing on the
/// way there changes the locals.
#[derive(Clone, Debug)]
pub struct Required {
    at_start: Vec<Vec<Condition>>,
}

impl Required {
    /// Finds the conditions of `body`, which must be well-formed ([`crate::validate`]), with this graph.
    pub fn new(body: &Body, cfg: &Cfg, is_goal: impl Fn(Point) -> bool) -> Self {
        let mut search = Search { body, is_goal, needed: vec![None; cfg.block_count()], reads: FxHashMap::default() };
        // Conditions only become fewer, so that this ends.
        let mut pending: Vec<BlockId> = body.block_ids().collect();
        let mut is_pending = vec![true; cfg.block_count()];
        while let Some(block) = pending.pop() {
            is_pending[block.index()] = false;
            let Some(mut found) = search.at_start(block) else { continue };
            match &search.needed[block.index()] {
                Some(known) => found.retain(|condition| known.contains(condition)),
                None => found = found.into_iter().take(MOST).collect(),
            }
            if search.needed[block.index()].as_ref() != Some(&found) {
                search.needed[block.index()] = Some(found);
                for before in cfg.predecessors(block) {
                    if !std::mem::replace(&mut is_pending[before.index()], true) {
                        pending.push(before);
                    }
                }
            }
        }
        let at_start = search.needed.into_iter().map(|needed| needed.into_iter().flatten().collect());
        Required { at_start: at_start.collect() }
    }

    /// The conditions at the start of a block, with the values that they must have.
    pub fn at_start(&self, block: BlockId) -> &[Condition] {
        &self.at_start[block.index()]
    }
}

struct Search<'b, G> {
    body: &'b Body,
    is_goal: G,
    /// What is known so far about the start of each block.
    needed: Vec<Needed>,
    /// The locals that conditions read.
    reads: FxHashMap<ExprId, FxHashSet<LocalId>>,
}

impl<G: Fn(Point) -> bool> Search<'_, G> {
    fn at_start(&mut self, id: BlockId) -> Needed {
        let block = self.body.block(id);
        let mut needed = self.at_end(id);
        let (handled, _) = handlers(self.body, id);
        let caught = self.before_handlers(id, &handled);
        for (op, kind) in block.ops.iter().map(|op| &op.kind).enumerate().rev() {
            needed = match *kind {
                OpKind::Assign { dst, value } => self.assigned(needed, dst, value),
                OpKind::Assume { condition } => self.with(needed, condition, true),
                _ => match kind.dst() {
                    Some(dst) => self.without(needed, dst),
                    None => needed,
                },
            };
            if kind.may_throw() {
                needed = either(needed, caught.clone());
            }
            if (self.is_goal)(Point { block: id, op: op as u32 }) {
                needed = Some(BTreeSet::new());
            }
        }
        needed
    }

    /// What is needed before the terminator of a block.
    fn at_end(&mut self, id: BlockId) -> Needed {
        let block = self.body.block(id);
        if (self.is_goal)(Point { block: id, op: block.ops.len() as u32 }) {
            return Some(BTreeSet::new());
        }
        let at = |search: &Self, next: BlockId| search.needed[next.index()].clone();
        match block.terminator.kind {
            TerminatorKind::Branch { condition, then_block, else_block } => {
                let then = at(self, then_block);
                let then = self.with(then, condition, true);
                let otherwise = at(self, else_block);
                let otherwise = self.with(otherwise, condition, false);
                either(then, otherwise)
            }
            // Unknown code may throw anything, too.
            TerminatorKind::Throw(_) | TerminatorKind::Unsupported { .. } | TerminatorKind::Bound(_) => {
                let (handled, _) = handlers(self.body, id);
                let caught = self.before_handlers(id, &handled);
                let next = block.terminator.kind.successors();
                next.into_iter().map(|next| at(self, next)).fold(caught, either)
            }
            ref kind => kind.successors().into_iter().map(|next| at(self, next)).fold(None, either),
        }
    }

    /// What is needed where a block throws, if its handlers lead to a goal.
    fn before_handlers(&mut self, id: BlockId, handled: &[BlockId]) -> Needed {
        handled.iter().fold(None, |all, &target| {
            let exceptions = self.body.block(id).handlers.iter().filter(|handler| handler.target == target);
            let exceptions: Vec<LocalId> = exceptions.map(|handler| handler.exception).collect();
            let mut needed = self.needed[target.index()].clone();
            for exception in exceptions {
                needed = self.without(needed, exception);
            }
            either(all, needed)
        })
    }

    /// Before a local gets a value.
    fn without(&mut self, needed: Needed, local: LocalId) -> Needed {
        let mut needed = needed?;
        needed.retain(|&(condition, _)| !self.reads(condition).contains(&local));
        Some(needed)
    }

    /// Before a local gets the value of an expression.
    fn assigned(&mut self, needed: Needed, local: LocalId, value: ExprId) -> Needed {
        let about: Vec<Condition> =
            needed.iter().flatten().copied().filter(|&(condition, _)| self.reads(condition).contains(&local)).collect();
        let needed = self.without(needed, local);
        about.into_iter().fold(needed, |needed, (condition, outcome)| match *self.body.expr(condition) {
            Expr::Local(_) => self.with(needed, value, outcome),
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), _, one, other) => {
                let constant = [one, other].into_iter().find_map(|side| self.constant(side));
                match constant.filter(|_| [one, other].iter().any(|&side| *self.body.expr(side) == Expr::Local(local)))
                {
                    Some(constant) => self.with_equal(needed, value, constant, outcome == (op == BinaryOp::Eq)),
                    None => needed,
                }
            }
            _ => needed,
        })
    }

    /// A constant that equals itself and no other one, as floats do not.
    fn constant(&self, expr: ExprId) -> Option<&Const> {
        match self.body.expr(expr) {
            Expr::Const(Const::F32(_) | Const::F64(_)) => None,
            Expr::Const(constant) => Some(constant),
            _ => None,
        }
    }

    /// If an expression equals a constant, or if it does not. Nothing is said about expressions other than constants and
    /// choices between two.
    fn with_equal(&self, needed: Needed, value: ExprId, constant: &Const, is_equal: bool) -> Needed {
        let fits = |value: ExprId| self.constant(value).map(|value| (value == constant) == is_equal);
        match *self.body.expr(value) {
            Expr::Select(condition, then, otherwise) => match (fits(then), fits(otherwise)) {
                (Some(true), Some(false)) => self.with(needed, condition, true),
                (Some(false), Some(true)) => self.with(needed, condition, false),
                (Some(false), Some(false)) => None,
                _ => needed,
            },
            _ => {
                if fits(value) == Some(false) {
                    None
                } else {
                    needed
                }
            }
        }
    }

    /// With an outcome of a condition. No path leads to a goal with a constant that is another one.
    fn with(&self, needed: Needed, condition: ExprId, outcome: bool) -> Needed {
        let mut needed = needed?;
        let mut pending = vec![(condition, outcome)];
        while let Some((condition, outcome)) = pending.pop() {
            match (self.body.expr(condition), outcome) {
                (&Expr::Unary(UnaryOp::Not, _, inner), _) => pending.push((inner, !outcome)),
                (&Expr::Binary(BinaryOp::And, Type::Bool, a, b), true)
                | (&Expr::Binary(BinaryOp::Or, Type::Bool, a, b), false) => {
                    pending.extend([(a, outcome), (b, outcome)]);
                }
                (&Expr::Const(Const::Bool(value)), _) if value != outcome => return None,
                (Expr::Const(_), _) => {}
                _ => _ = needed.insert((condition, outcome)),
            }
        }
        Some(needed)
    }

    fn reads(&mut self, condition: ExprId) -> &FxHashSet<LocalId> {
        let body = self.body;
        self.reads.entry(condition).or_insert_with(|| {
            let (mut locals, mut pending) = (FxHashSet::default(), vec![condition]);
            while let Some(expr) = pending.pop() {
                match body.expr(expr) {
                    Expr::Local(local) => _ = locals.insert(*local),
                    other => pending.extend(other.operands()),
                }
            }
            locals
        })
    }
}

/// Where control may go either way.
fn either(one: Needed, other: Needed) -> Needed {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.intersection(&other).copied().collect()),
        (one, other) => one.or(other),
    }
}
