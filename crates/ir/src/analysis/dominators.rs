//! Computes dominators and post-dominators of blocks.
//!
//! The algorithm is that of Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", 1979, in the
//! version with path compression: `O(m log n)`. `petgraph`'s iterative algorithm takes quadratic time if many blocks
//! share a handler, as in a long `try`.

use super::Cfg;
use crate::body::{BlockId, Body};

const NONE: u32 = u32::MAX;

/// The dominator tree of a body. Block *a* dominates block *b* if every path from the entry to *b*, along normal and
/// exception edges, enters *a* (a block that throws midway counts as entered). Each block dominates itself.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    /// The dominators of the body with the edges `cfg`.
    pub fn new(cfg: &Cfg) -> Self {
        let successors = |block: u32, visit: &mut dyn FnMut(u32)| {
            let (normal, exceptional) = cfg.all_successors(block);
            normal.iter().chain(exceptional).for_each(|&next| visit(next));
        };
        let predecessors = |block: u32, visit: &mut dyn FnMut(u32)| {
            cfg.all_predecessors(block).iter().for_each(|&previous| visit(previous));
        };
        Dominators { tree: Tree::new(cfg.block_count(), Body::ENTRY.0, successors, predecessors) }
    }

    /// The nearest other block that dominates `block`; `None` for the entry and for unreachable blocks.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block.0).map(BlockId)
    }

    /// Whether every path from the entry to `b` enters `a`. False if either is unreachable.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.is_above(a.0, b.0)
    }

    /// Whether there is a path from the entry to `block`.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.tree.contains(block.0)
    }

    /// Position of a reachable block in a preorder walk over the tree, which visits dominators first.
    pub(super) fn preorder(&self, block: u32) -> u32 {
        self.tree.enter[block as usize]
    }
}

/// The post-dominator tree of a body. Block *a* post-dominates block *b* if every path from *b* to an exit of the
/// method, by a return or an exception, enters *a*. Blocks from which no exit can be reached, such as those of an
/// endless loop, neither post-dominate nor are post-dominated.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: Tree,
    /// The root: a virtual node after all exits.
    exit: u32,
}

impl PostDominators {
    /// The post-dominators of the body with the edges `cfg`.
    pub fn new(cfg: &Cfg) -> Self {
        let exit = cfg.block_count() as u32;
        let leaving: Vec<u32> = (0..exit).filter(|&block| cfg.leaves(BlockId(block))).collect();
        let backward = |block: u32, visit: &mut dyn FnMut(u32)| {
            let from = if block == exit { &leaving } else { cfg.all_predecessors(block) };
            from.iter().for_each(|&previous| visit(previous));
        };
        let forward = |block: u32, visit: &mut dyn FnMut(u32)| {
            if block != exit {
                let (normal, exceptional) = cfg.all_successors(block);
                normal.iter().chain(exceptional).for_each(|&next| visit(next));
                if cfg.leaves(BlockId(block)) {
                    visit(exit);
                }
            }
        };
        PostDominators { tree: Tree::new(cfg.block_count() + 1, exit, backward, forward), exit }
    }

    /// The nearest other block that post-dominates `block`. `None` if there is none, because paths from `block` leave
    /// the method in different blocks or never leave it.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block.0).filter(|&parent| parent != self.exit).map(BlockId)
    }

    /// Whether every path from `b` to an exit enters `a`. False if either block reaches no exit.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.is_above(a.0, b.0)
    }

    /// Whether an exit can be reached from `block`.
    pub fn reaches_exit(&self, block: BlockId) -> bool {
        self.tree.contains(block.0)
    }
}

/// A dominator tree over the nodes `0..count`.
#[derive(Clone, Debug)]
struct Tree {
    parent: Vec<u32>,
    /// Preorder number of each node; [`NONE`] for nodes outside the tree.
    enter: Vec<u32>,
    /// The largest preorder number in the subtree of each node.
    last: Vec<u32>,
}

impl Tree {
    fn parent(&self, node: u32) -> Option<u32> {
        Some(self.parent[node as usize]).filter(|&parent| parent != NONE)
    }

    fn contains(&self, node: u32) -> bool {
        self.enter[node as usize] != NONE
    }

    fn is_above(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        self.enter[a] != NONE
            && self.enter[b] != NONE
            && self.enter[a] <= self.enter[b]
            && self.enter[b] <= self.last[a]
    }

    /// The dominator tree of a graph with `count` nodes. The functions call their argument for each neighbour.
    fn new(
        count: usize,
        root: u32,
        successors: impl Fn(u32, &mut dyn FnMut(u32)),
        predecessors: impl Fn(u32, &mut dyn FnMut(u32)),
    ) -> Self {
        let mut tree = Tree { parent: vec![NONE; count], enter: vec![NONE; count], last: vec![NONE; count] };
        if root as usize >= count {
            return tree;
        }
        let (vertex, number, spanning) = depth_first(count, root, successors);
        let dominators = dominators(&vertex, &number, spanning, predecessors);
        for (index, &dominator) in dominators.iter().enumerate().skip(1) {
            tree.parent[vertex[index] as usize] = vertex[dominator as usize];
        }
        tree.number(&vertex, &dominators);
        tree
    }

    /// Numbers the tree in preorder. In `vertex`, dominators come before the nodes that they dominate. So a backward
    /// pass sums up the sizes of subtrees, and a forward pass assigns positions.
    fn number(&mut self, vertex: &[u32], dominators: &[u32]) {
        let mut size = vec![1u32; vertex.len()];
        for index in (1..vertex.len()).rev() {
            size[dominators[index] as usize] += size[index];
        }
        let mut free = vec![0u32; vertex.len()];
        for index in 0..vertex.len() {
            let enter = if index == 0 {
                0
            } else {
                let place = &mut free[dominators[index] as usize];
                let enter = *place;
                *place += size[index];
                enter
            };
            free[index] = enter + 1;
            let node = vertex[index] as usize;
            self.enter[node] = enter;
            self.last[node] = enter + size[index] - 1;
        }
    }
}

/// Returns the nodes in depth-first order, the position of each node, and the position of each node's parent in the
/// spanning tree.
fn depth_first(
    count: usize,
    root: u32,
    successors: impl Fn(u32, &mut dyn FnMut(u32)),
) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let (mut vertex, mut parent) = (Vec::new(), Vec::new());
    let mut number = vec![NONE; count];
    let mut pending = vec![(root, 0)];
    while let Some((node, from)) = pending.pop() {
        if number[node as usize] == NONE {
            let own = vertex.len() as u32;
            number[node as usize] = own;
            vertex.push(node);
            parent.push(from);
            successors(node, &mut |next| {
                if number[next as usize] == NONE {
                    pending.push((next, own));
                }
            });
        }
    }
    (vertex, number, parent)
}

/// The immediate dominator of each node, in terms of positions in the depth-first order; 0 for the root.
fn dominators(
    vertex: &[u32],
    number: &[u32],
    parent: Vec<u32>,
    predecessors: impl Fn(u32, &mut dyn FnMut(u32)),
) -> Vec<u32> {
    let count = vertex.len();
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut forest = Forest { ancestor: vec![NONE; count], label: semi.clone(), path: Vec::new() };
    let mut dominator = vec![0u32; count];
    // Nodes by semidominator, as linked lists.
    let (mut first, mut next) = (vec![NONE; count], vec![NONE; count]);
    for w in (1..count as u32).rev() {
        let mut best = w;
        predecessors(vertex[w as usize], &mut |previous| {
            let v = number[previous as usize];
            if v != NONE {
                best = best.min(semi[forest.eval(v, &semi) as usize]);
            }
        });
        semi[w as usize] = best;
        next[w as usize] = std::mem::replace(&mut first[best as usize], w);
        let above = parent[w as usize];
        forest.ancestor[w as usize] = above;
        let mut v = std::mem::replace(&mut first[above as usize], NONE);
        while v != NONE {
            let u = forest.eval(v, &semi);
            dominator[v as usize] = if semi[u as usize] < semi[v as usize] { u } else { above };
            v = next[v as usize];
        }
    }
    for w in 1..count {
        if dominator[w] != semi[w] {
            dominator[w] = dominator[dominator[w] as usize];
        }
    }
    dominator
}

/// The processed part of the spanning tree, with compressed paths.
struct Forest {
    ancestor: Vec<u32>,
    /// The node with the least semidominator on the compressed path above each node.
    label: Vec<u32>,
    /// Scratch memory for path compression.
    path: Vec<u32>,
}

impl Forest {
    fn eval(&mut self, v: u32, semi: &[u32]) -> u32 {
        let mut node = v;
        loop {
            let above = self.ancestor[node as usize];
            if above == NONE || self.ancestor[above as usize] == NONE {
                break;
            }
            self.path.push(node);
            node = above;
        }
        while let Some(node) = self.path.pop() {
            let above = self.ancestor[node as usize] as usize;
            let (own, other) = (self.label[node as usize], self.label[above]);
            if semi[other as usize] < semi[own as usize] {
                self.label[node as usize] = other;
            }
            self.ancestor[node as usize] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}
