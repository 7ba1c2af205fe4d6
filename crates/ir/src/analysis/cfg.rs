//! Which block can follow which, exceptions included?

use super::Lists;
use crate::body::{BlockId, Body, TerminatorKind};
use rustc_hash::FxHashSet;

/// The edges between the blocks of one body. A block has an *exception edge* to each of its handlers if anything in it
/// can throw; the handlers after one that catches everything are never reached and get none. Which class is thrown is
/// not looked at, so there may be edges that no execution takes; there is never one too few.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Lists,
    exceptional: Lists,
    predecessors: Lists,
    leaves: Vec<bool>,
}

impl Cfg {
    /// The edges of `body`, which has to be well formed ([`crate::validate`]).
    pub fn new(body: &Body) -> Self {
        Self::of(body, true)
    }

    /// The same without exception edges, as if only terminators threw.
    pub(super) fn without_exceptions(body: &Body) -> Self {
        Self::of(body, false)
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

    /// Blocks that `block` goes to without an exception, each once.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.successors.of(block.0).iter().map(|&b| BlockId(b))
    }

    /// Handlers that something in `block` may throw to, each once, innermost first.
    pub fn exceptional_successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.exceptional.of(block.0).iter().map(|&b| BlockId(b))
    }

    /// Blocks from which an edge of either kind leads to `block`, each once.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.predecessors.of(block.0).iter().map(|&b| BlockId(b))
    }

    /// Whether the method can be left from `block`: by a return or by an exception that it does not catch for sure.
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

/// The handlers of a block that can be reached, each once and innermost first, and whether they catch everything.
pub(super) fn handlers(body: &Body, block: BlockId) -> (Vec<BlockId>, bool) {
    let handlers = &body.block(block).handlers;
    let catch_all = handlers.iter().position(|handler| handler.class.is_none());
    let reached = &handlers[..catch_all.map_or(handlers.len(), |last| last + 1)];
    let mut seen = FxHashSet::default();
    let targets = reached.iter().map(|handler| handler.target).filter(|&target| seen.insert(target)).collect();
    (targets, catch_all.is_some())
}
