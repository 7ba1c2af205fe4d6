//! Finds the blocks of a body from which its activation may return.

use super::Cfg;
use crate::body::{BlockId, Body, TerminatorKind};

/// The blocks of a body from which control may get to a return, or to an end after which anything may happen. From any
/// other block, an activation ends with an exception or never, whatever its callees do.
#[derive(Clone, Debug)]
pub struct Returning {
    may_return: Vec<bool>,
}

impl Returning {
    /// Finds the blocks of `body`, which must be well-formed ([`crate::validate`]), with this graph.
    pub fn new(body: &Body, cfg: &Cfg) -> Self {
        let is_end = |&block: &BlockId| {
            let kind = &body.block(block).terminator.kind;
            matches!(kind, TerminatorKind::Return(_)) || kind.is_gap()
        };
        let mut pending: Vec<BlockId> = body.block_ids().filter(is_end).collect();
        let mut may_return = vec![false; cfg.block_count()];
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut may_return[block.index()], true) {
                pending.extend(cfg.predecessors(block));
            }
        }
        Returning { may_return }
    }

    /// Whether control may get from a block to such an end.
    pub fn may_return(&self, block: BlockId) -> bool {
        self.may_return[block.index()]
    }

    /// Whether control may get to such an end after an exception of a callee in a block.
    pub fn may_return_after_exception(&self, body: &Body, block: BlockId) -> bool {
        body.block(block).handlers.iter().any(|handler| self.may_return(handler.target))
    }
}
