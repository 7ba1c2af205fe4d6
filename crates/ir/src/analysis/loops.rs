//! Finds the natural loops of a body.

use super::{Cfg, Dominators, Lists};
use crate::body::BlockId;

/// A loop in [`Loops`]. Outer loops have smaller ids than the loops inside them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The one block through which the loop is entered.
    pub header: BlockId,
    /// Blocks of the loop with an edge back to the header, in order.
    pub back_edges: Vec<BlockId>,
    /// The smallest enclosing loop.
    pub parent: Option<LoopId>,
    /// Number of enclosing loops, including the loop itself: 1 for an outermost loop.
    pub depth: u32,
    /// One more than the id of the last loop inside this one.
    end: u32,
}

/// The natural loops of a body, along normal and exception edges. A *back edge* leads to a block that dominates the
/// edge's source. The loop of a header consists of the blocks that can reach its back edges without passing the header.
/// Loops with the same header are one loop. Cycles with several entries are not natural loops: see
/// [`Loops::irreducible`].
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    /// The smallest loop that contains each block.
    innermost: Vec<Option<LoopId>>,
    /// Blocks by innermost loop.
    own: Lists,
    irreducible: Vec<Vec<BlockId>>,
}

impl Loops {
    /// The loops of the body with these edges and dominators.
    pub fn new(cfg: &Cfg, dominators: &Dominators) -> Self {
        let mut nest = Nest::new(cfg, dominators);
        for index in 0..nest.headers.len() {
            nest.grow(index as u32, cfg, dominators);
        }
        nest.finish(irreducible(cfg, dominators))
    }

    /// All loops; outer loops come before their inner loops.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter().enumerate().map(|(index, found)| (LoopId(index as u32), found))
    }

    /// The loop with this id.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.0 as usize]
    }

    /// The smallest loop that contains `block`.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    /// The loop with this header, if there is one.
    pub fn with_header(&self, header: BlockId) -> Option<LoopId> {
        self.innermost(header).filter(|&id| self.get(id).header == header)
    }

    /// Number of loops that contain `block`.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |id| self.get(id).depth)
    }

    /// Whether the loop or one inside it contains `block`. Takes constant time.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        self.innermost(block).is_some_and(|inner| id <= inner && inner.0 < self.get(id).end)
    }

    /// The blocks of the loop, including those of inner loops: its own blocks first, then those of each inner loop.
    pub fn blocks(&self, id: LoopId) -> Vec<BlockId> {
        (id.0..self.get(id).end).flat_map(|inner| self.own.of(inner)).map(|&block| BlockId(block)).collect()
    }

    /// Cycles that can be entered at several blocks: the strongly connected components that remain without the back
    /// edges of natural loops. Structured languages compile to code without such cycles. An engine that unwinds loops
    /// has to cut these cycles at any of their blocks.
    pub fn irreducible(&self) -> &[Vec<BlockId>] {
        &self.irreducible
    }
}

/// Loops under construction, inner ones before outer ones.
struct Nest {
    headers: Vec<u32>,
    back_edges: Vec<Vec<BlockId>>,
    parent: Vec<Option<u32>>,
    /// Links towards the outermost loop found so far, with compressed paths.
    outer: Vec<u32>,
    innermost: Vec<Option<u32>>,
}

impl Nest {
    fn new(cfg: &Cfg, dominators: &Dominators) -> Self {
        let mut headers = Vec::new();
        for block in (0..cfg.block_count() as u32).map(BlockId) {
            let back: Vec<BlockId> =
                cfg.predecessors(block).filter(|&from| dominators.dominates(block, from)).collect();
            if !back.is_empty() {
                headers.push((dominators.preorder(block.0), block.0, back));
            }
        }
        // The headers of enclosing loops dominate the header of an inner loop.
        headers.sort_unstable_by_key(|&(preorder, ..)| std::cmp::Reverse(preorder));
        let count = headers.len();
        Nest {
            headers: headers.iter().map(|&(_, header, _)| header).collect(),
            back_edges: headers.into_iter().map(|(_, _, back)| back).collect(),
            parent: vec![None; count],
            outer: (0..count as u32).collect(),
            innermost: vec![None; cfg.block_count()],
        }
    }

    fn outermost(&mut self, id: u32) -> u32 {
        let mut root = id;
        while self.outer[root as usize] != root {
            root = self.outer[root as usize];
        }
        let mut node = id;
        while self.outer[node as usize] != root {
            node = std::mem::replace(&mut self.outer[node as usize], root);
        }
        root
    }

    /// Finds the blocks of loop `id` and the loops inside it by a backward walk from its back edges.
    fn grow(&mut self, id: u32, cfg: &Cfg, dominators: &Dominators) {
        let header = self.headers[id as usize];
        self.innermost[header as usize] = Some(id);
        let mut pending: Vec<u32> = self.back_edges[id as usize].iter().map(|block| block.0).collect();
        while let Some(block) = pending.pop() {
            let entered = match self.innermost[block as usize] {
                None => {
                    self.innermost[block as usize] = Some(id);
                    block
                }
                Some(inner) => {
                    let inner = self.outermost(inner);
                    if inner == id {
                        continue;
                    }
                    self.parent[inner as usize] = Some(id);
                    self.outer[inner as usize] = id;
                    self.headers[inner as usize]
                }
            };
            let before = cfg.all_predecessors(entered).iter();
            pending.extend(before.filter(|&&from| dominators.is_reachable(BlockId(from))));
        }
    }

    /// Renumbers the loops in preorder: each loop comes directly before the loops inside it.
    fn finish(self, irreducible: Vec<Vec<BlockId>>) -> Loops {
        let count = self.headers.len();
        let mut size = vec![1u32; count];
        for id in 0..count {
            if let Some(parent) = self.parent[id] {
                size[parent as usize] += size[id];
            }
        }
        let (mut place, mut free) = (vec![0u32; count], vec![0u32; count]);
        let mut next_outermost = 0;
        let mut loops: Vec<Option<Loop>> = vec![None; count];
        let mut depth = vec![1u32; count];
        let mut back_edges = self.back_edges;
        for id in (0..count).rev() {
            let slot = match self.parent[id] {
                Some(parent) => {
                    depth[id] = depth[parent as usize] + 1;
                    &mut free[parent as usize]
                }
                None => &mut next_outermost,
            };
            place[id] = *slot;
            *slot += size[id];
            free[id] = place[id] + 1;
            loops[place[id] as usize] = Some(Loop {
                header: BlockId(self.headers[id]),
                back_edges: std::mem::take(&mut back_edges[id]),
                parent: self.parent[id].map(|parent| LoopId(place[parent as usize])),
                depth: depth[id],
                end: place[id] + size[id],
            });
        }
        let innermost: Vec<Option<LoopId>> =
            self.innermost.iter().map(|id| id.map(|id| LoopId(place[id as usize]))).collect();
        let members: Vec<(u32, u32)> =
            innermost.iter().enumerate().filter_map(|(block, id)| Some(((*id)?.0, block as u32))).collect();
        Loops { loops: loops.into_iter().flatten().collect(), innermost, own: Lists::new(count, &members), irreducible }
    }
}

fn irreducible(cfg: &Cfg, dominators: &Dominators) -> Vec<Vec<BlockId>> {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::with_capacity(cfg.block_count(), cfg.block_count());
    let nodes: Vec<_> = (0..cfg.block_count()).map(|_| graph.add_node(())).collect();
    for block in (0..cfg.block_count() as u32).map(BlockId).filter(|&block| dominators.is_reachable(block)) {
        for next in cfg.successors(block).chain(cfg.exceptional_successors(block)) {
            if !dominators.dominates(next, block) {
                graph.add_edge(nodes[block.index()], nodes[next.index()], ());
            }
        }
    }
    let mut regions: Vec<Vec<BlockId>> = petgraph::algo::kosaraju_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| component.into_iter().map(|node| BlockId(node.index() as u32)).collect())
        .collect();
    regions.iter_mut().for_each(|region| region.sort_unstable());
    regions.sort_unstable();
    regions
}
