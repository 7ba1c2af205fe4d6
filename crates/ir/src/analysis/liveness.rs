//! Finds the locals whose values matter at the start of a block.

use super::Cfg;
use crate::body::{BlockId, Body, Expr, ExprId, LocalId, OpKind, Point};
use rustc_hash::FxHashSet;

/// The locals that are live at the starts of the blocks of a body: those that some continuation reads before it writes
/// them.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// By block and local.
    live: Vec<Vec<bool>>,
}

impl Liveness {
    /// The live locals of a body.
    pub fn new(body: &Body, cfg: &Cfg) -> Self {
        let locals = body.locals.len();
        // What a block reads before it writes it, and what it writes. An exception can leave a block before a write, so that
        // what is live at a handler is live at the start of the block, too.
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for block in &body.blocks {
            let (mut read, mut written) = (vec![false; locals], vec![false; locals]);
            for op in &block.ops {
                let bound = match op.kind {
                    OpKind::Quantify { index, element, .. } => vec![index, element],
                    _ => Vec::new(),
                };
                for operand in op.kind.operands() {
                    mark(body, operand, |local| {
                        read[local.index()] |= !written[local.index()] && !bound.contains(&local)
                    });
                }
                if let Some(dst) = op.kind.dst() {
                    written[dst.index()] = true;
                }
            }
            if let Some(operand) = block.terminator.kind.operand() {
                mark(body, operand, |local| read[local.index()] |= !written[local.index()]);
            }
            reads.push(read);
            writes.push(written);
        }
        let mut live = reads;
        let mut pending: Vec<BlockId> = body.block_ids().collect();
        while let Some(block) = pending.pop() {
            let mut found = live[block.index()].clone();
            for next in cfg.successors(block) {
                for local in 0..locals {
                    found[local] |= live[next.index()][local] && !writes[block.index()][local];
                }
            }
            for next in cfg.exceptional_successors(block) {
                let exceptions: Vec<LocalId> = body
                    .block(block)
                    .handlers
                    .iter()
                    .filter(|handler| handler.target == next)
                    .map(|handler| handler.exception)
                    .collect();
                for local in 0..locals {
                    found[local] |= live[next.index()][local] && !exceptions.contains(&LocalId(local as u32));
                }
            }
            if found != live[block.index()] {
                live[block.index()] = found;
                pending.extend(cfg.predecessors(block));
            }
        }
        Liveness { live }
    }

    /// By local, whether it is live at a point of the body: before an operation or before the terminator of a block.
    pub fn at(&self, body: &Body, cfg: &Cfg, point: Point) -> Vec<bool> {
        let block = body.block(point.block);
        let mut live = vec![false; body.locals.len()];
        for next in cfg.successors(point.block) {
            live.iter_mut().zip(&self.live[next.index()]).for_each(|(live, &next)| *live |= next);
        }
        let at_handlers = cfg.exceptional_successors(point.block).flat_map(|next| {
            let locals = self.live[next.index()].iter().enumerate();
            locals.filter(|&(_, &is_live)| is_live).map(|(local, _)| local)
        });
        let at_handlers: Vec<usize> = at_handlers.collect();
        if let Some(operand) = block.terminator.kind.operand() {
            mark(body, operand, |local| live[local.index()] = true);
        }
        for op in block.ops[point.op as usize..].iter().rev() {
            if let Some(dst) = op.kind.dst() {
                live[dst.index()] = false;
            }
            for operand in op.kind.operands() {
                mark(body, operand, |local| live[local.index()] = true);
            }
        }
        // An exception can leave the block at any operation.
        at_handlers.into_iter().for_each(|local| live[local] = true);
        live
    }

    /// Whether a local is live at the start of a block.
    pub fn is_live(&self, block: BlockId, local: LocalId) -> bool {
        self.live[block.index()][local.index()]
    }
}

/// Calls `f` with the locals that an expression reads.
fn mark(body: &Body, operand: ExprId, mut f: impl FnMut(LocalId)) {
    let mut pending = vec![operand];
    let mut seen = FxHashSet::default();
    while let Some(expr) = pending.pop() {
        match body.expr(expr) {
            _ if !seen.insert(expr) => {}
            Expr::Local(local) => f(*local),
            other => pending.extend(other.operands()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the locals that are live at the start of each block of the first method.
    fn live(text: &str) -> Vec<String> {
        let program = crate::text::parse(text).unwrap();
        let (method, _) = program.methods().next().unwrap();
        let body = program.body(method).unwrap();
        let liveness = Liveness::new(body, &Cfg::new(body));
        let names = |block| {
            let locals = (0..body.locals.len() as u32).map(LocalId).filter(|&local| liveness.is_live(block, local));
            locals.map(|local| body.local(local).name.clone()).collect::<Vec<_>>().join(" ")
        };
        body.block_ids().map(names).collect()
    }

    #[test]
    fn what_is_read_before_it_is_written_is_live() {
        let text = "class A {
            static method count(n: i32) -> i32 {
              local i: i32
              local t: i32
            b0: goto b1
            b1: if i < n goto b2 else b3
            b2: t := i + 1i32; i := t; goto b1
            b3: return i
            }
          }";
        assert_eq!(live(text), ["n i", "n i", "n i", "i"]);
    }
}
