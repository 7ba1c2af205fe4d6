//! Builds the control-flow graph of a body, including exception edges.

use super::Lists;
use crate::body::{BlockId, Body, TerminatorKind};
use rustc_hash::FxHashSet;

/// The edges between the blocks of one body. A block has an *exception edge* to each of its handlers if an operation in
/// it can throw. Handlers after a catch-all handler are never reached and get no edge. The class of the exception is
/// ignored, so the edges over-approximate execution.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Lists,
    exceptional: Lists,
    predecessors: Lists,
    leaves: Vec<bool>,
}

impl Cfg {
    /// The edges of `body`, which must be well-formed ([`crate::validate`]).
    pub fn new(body: &Body) -> Self {
        Self::of(body, true)
    }

    /// The same graph without exception edges, as if only terminators threw.
    pub(super) fn without_exceptions(body: &Body) -> Self {
        Self::of(body, false)
    }

    /// The graph without exception edges in which only returns leave the body.
    pub fn of_returns(body: &Body) -> Self {
        let leaves = |id| matches!(body.block(id).terminator.kind, TerminatorKind::Return(_));
        Cfg { leaves: body.block_ids().map(leaves).collect(), ..Self::without_exceptions(body) }
    }

    fn of(body: &Body, has_exceptions: bool) -> Self {
        let (mut normal, mut exceptional) = (Vec::new(), Vec::new());
        let mut leaves = Vec::with_capacity(body.blocks.len());
        for id in body.block_ids() {
            let block = body.block(id);
            let mut targets = block.terminator.kind.successors();
            targets.sort_unstable();
            targets.dedup();
            normal.extend(targets.into_iter().map(|target| (id.0, target.0)));
            let throws = matches!(block.terminator.kind, TerminatorKind::Throw(_));
            let mut leaving = matches!(block.terminator.kind, TerminatorKind::Return(_));
            if !has_exceptions {
                leaving |= throws;
            } else if throws || block.ops.iter().any(|op| op.kind.may_throw()) {
                let (handlers, caught) = handlers(body, id);
                exceptional.extend(handlers.into_iter().map(|target| (id.0, target.0)));
                leaving |= !caught;
            }
            leaves.push(leaving);
        }
        let count = body.blocks.len();
        let mut backward: Vec<(u32, u32)> = normal.iter().chain(&exceptional).map(|&(a, b)| (b, a)).collect();
        backward.sort_unstable();
        backward.dedup();
        Cfg {
            successors: Lists::new(count, &normal),
            exceptional: Lists::new(count, &exceptional),
            predecessors: Lists::new(count, &backward),
            leaves,
        }
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.leaves.len()
    }

    /// Targets of the terminator of `block`, each once.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.successors.of(block.0).iter().map(|&b| BlockId(b))
    }

    /// Handlers that `block` may throw to, each once, innermost first.
    pub fn exceptional_successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.exceptional.of(block.0).iter().map(|&b| BlockId(b))
    }

    /// Blocks with an edge of either kind to `block`, each once.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.predecessors.of(block.0).iter().map(|&b| BlockId(b))
    }

    /// Whether the method may exit from `block`: by a return, or by an exception that its handlers may not catch.
    pub fn leaves(&self, block: BlockId) -> bool {
        self.leaves[block.index()]
    }

    /// Edges of both kinds out of a block.
    pub(super) fn all_successors(&self, block: u32) -> (&[u32], &[u32]) {
        (self.successors.of(block), self.exceptional.of(block))
    }

    pub(super) fn all_predecessors(&self, block: u32) -> &[u32] {
        self.predecessors.of(block)
    }
}

/// The reachable handlers of a block, each once and innermost first, and whether they catch everything.
pub(super) fn handlers(body: &Body, block: BlockId) -> (Vec<BlockId>, bool) {
    let handlers = &body.block(block).handlers;
    let catch_all = handlers.iter().position(|handler| handler.class.is_none());
    let reached = &handlers[..catch_all.map_or(handlers.len(), |last| last + 1)];
    let mut seen = FxHashSet::default();
    let targets = reached.iter().map(|handler| handler.target).filter(|&target| seen.insert(target)).collect();
    (targets, catch_all.is_some())
}
