//! Finds the nested loops of a body, and an order of its blocks in which the blocks of each loop are contiguous.
//!
//! This is a weak topological order (Bourdoncle, Efficient chaotic iteration strategies with widenings, 1993). It is
//! found by decomposing strongly connected components, so that every cycle passes the header of a loop. Unlike
//! [`super::Loops`], it covers irreducible graphs, whose loops have further entries.

use super::Cfg;
use crate::body::{BlockId, Body};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

/// The position of a block: see [`Nesting`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Stand {
    /// Headers of the loops that contain the block, outermost first.
    loops: Vec<BlockId>,
    /// Its position among the components of the body, then among those of the outermost loop, and so on.
    places: Vec<u32>,
}

/// The loops of a body and an order of its blocks.
///
/// A *passage* of a block is one execution of the block within an activation. Its iteration vector identifies it: the
/// iterations of the loops that contain the block, counted from 0. [`Nesting::passage`] gives each passage a key such
/// that control only goes on to greater keys.
#[derive(Clone, Debug)]
pub struct Nesting {
    stands: Vec<Stand>,
}

/// One execution of a block within an activation. Control only goes on to greater passages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Passage {
    /// Positions and iterations, alternating.
    key: Vec<u32>,
}

impl Passage {
    /// The iteration of the loop that is inside `depth` other loops.
    pub fn iteration(&self, depth: usize) -> u32 {
        self.key.get(2 * depth + 1).copied().unwrap_or(0)
    }

    /// The part of the key that all passages of one run of a loop share. The loop is inside `depth` other loops.
    pub fn run(&self, depth: usize) -> &[u32] {
        &self.key[..(2 * depth + 1).min(self.key.len())]
    }
}

impl Nesting {
    /// The loops of a body with these edges.
    pub fn new(cfg: &Cfg) -> Self {
        let count = cfg.block_count();
        let mut stands = vec![Stand::default(); count];
        let order = reverse_postorder(cfg);
        // Components that remain to be decomposed: the body, or a loop without its header, which has position 0.
        let all: Vec<u32> = (0..count as u32).collect();
        let mut pending: Vec<(Vec<u32>, u32)> = vec![(all, 0)];
        while let Some((blocks, first)) = pending.pop() {
            for (place, part) in (first..).zip(components(cfg, &blocks)) {
                let inner = part.iter().copied().min_by_key(|&block| order[block as usize]);
                let Some(inner) = inner else { continue };
                for &block in &part {
                    stands[block as usize].places.push(place);
                }
                let is_loop = part.len() > 1 || successors(cfg, inner).any(|next| next == inner);
                if !is_loop {
                    continue;
                }
                for &block in &part {
                    stands[block as usize].loops.push(BlockId(inner));
                }
                stands[inner as usize].places.push(0);
                pending.push((part.into_iter().filter(|&block| block != inner).collect(), 1));
            }
        }
        Nesting { stands }
    }

    /// Headers of the loops that contain a block, outermost first.
    pub fn loops(&self, block: BlockId) -> &[BlockId] {
        &self.stands[block.index()].loops
    }

    /// The first passage of the entry block.
    pub fn entry(&self) -> Passage {
        self.key(Body::ENTRY, |_| 0)
    }

    /// The rank of each block in the weak topological order: control goes on to greater ranks, except to the header of a loop around it.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.stands.len()).collect();
        order.sort_by(|&one, &other| self.stands[one].places.cmp(&self.stands[other].places));
        let mut ranks = vec![0; order.len()];
        for (rank, block) in (0..).zip(order) {
            ranks[block] = rank;
        }
        ranks
    }

    /// The passage of `to` that follows a passage of `from` over the edge between them. If the edge starts another
    /// iteration of a loop, also the number of loops around that loop.
    pub fn passage(&self, from: BlockId, passage: &Passage, to: BlockId) -> (Passage, Option<usize>) {
        let (here, there) = (self.loops(from), self.loops(to));
        let common = here.iter().zip(there).take_while(|(a, b)| a == b).count();
        // An edge to the header of a loop that contains `from` starts another iteration.
        let again = (common > 0 && common == there.len() && there[common - 1] == to).then(|| common - 1);
        let next = self.key(to, |depth| match again {
            _ if depth >= common => 0,
            Some(again) if depth == again => passage.iteration(depth) + 1,
            _ => passage.iteration(depth),
        });
        (next, again)
    }

    fn key(&self, block: BlockId, iteration: impl Fn(usize) -> u32) -> Passage {
        let stand = &self.stands[block.index()];
        let mut key = Vec::with_capacity(2 * stand.places.len());
        for (depth, &place) in stand.places.iter().enumerate() {
            key.push(place);
            if depth < stand.loops.len() {
                key.push(iteration(depth));
            }
        }
        Passage { key }
    }
}

fn successors(cfg: &Cfg, block: u32) -> impl Iterator<Item = u32> + '_ {
    let (normal, exceptional) = cfg.all_successors(block);
    normal.iter().chain(exceptional).copied()
}

/// The strongly connected components among some blocks, in topological order.
fn components(cfg: &Cfg, blocks: &[u32]) -> Vec<Vec<u32>> {
    let mut graph: DiGraph<u32, (), u32> = DiGraph::with_capacity(blocks.len(), 2 * blocks.len());
    let places: FxHashMap<u32, NodeIndex<u32>> = blocks.iter().map(|&block| (block, graph.add_node(block))).collect();
    for block in blocks {
        for next in successors(cfg, *block).filter_map(|next| places.get(&next)) {
            graph.add_edge(places[block], *next, ());
        }
    }
    let mut found: Vec<Vec<u32>> =
        kosaraju_scc(&graph).into_iter().map(|part| part.into_iter().map(|node| graph[node]).collect()).collect();
    found.reverse();
    found
}

/// The position of each block in reverse postorder; unreachable blocks come last.
fn reverse_postorder(cfg: &Cfg) -> Vec<u32> {
    let count = cfg.block_count();
    let mut order = vec![u32::MAX; count];
    if count == 0 {
        return order;
    }
    let mut seen = vec![false; count];
    let mut left = count as u32;
    let mut stack = vec![(Body::ENTRY.0, false)];
    while let Some((block, done)) = stack.pop() {
        if done {
            left -= 1;
            order[block as usize] = left;
        } else if !std::mem::replace(&mut seen[block as usize], true) {
            stack.push((block, true));
            stack.extend(successors(cfg, block).filter(|&next| !seen[next as usize]).map(|next| (next, false)));
        }
    }
    order
}
