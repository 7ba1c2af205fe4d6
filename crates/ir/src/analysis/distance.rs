//! Computes distances to targets.
//!
//! Distances are shortest paths in the interprocedural control-flow graph, counted in operations and terminators. Calls
//! and returns match: a path that enters a callee returns to its call. The cost of passing a call is the least cost of
//! a path through a callee, which is itself a shortest path. So these costs and the distances to the exits are found
//! together, by Knuth's generalization of Dijkstra's algorithm ("A generalization of Dijkstra's algorithm", 1977): the
//! cost of a callee is used only after the callee's entry is settled, when the cost is final.

use super::callgraph::known_code;
use super::cfg::handlers;
use super::{CallGraph, Callbacks, Lists};
use crate::body::{Body, Dispatch, OpKind, Point, TerminatorKind};
use crate::program::{MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const INFINITE: u32 = u32::MAX;
const NONE: u32 = u32::MAX;

/// The goal of a distance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// A return of the method.
    Return = 0,
    /// An exception that leaves the method.
    Throw = 1,
    /// A target point.
    Target = 2,
}

/// Distances from every point of the reachable methods to the nearest of some target points.
///
/// [`Distance::to_target`] concerns one frame: it counts paths that stay in the method and its callees. A search whose
/// state is a stack of frames needs [`Distance::of_stack`], because the path to the target may first leave the running
/// method. With frames `f0` (the oldest) to `fn` (the running one), that distance is the minimum over `i` of
///
/// > the cost of leaving `fn`, `f(n-1)`, …, `f(i+1)`, plus the distance to the target from where `fi` goes on.
///
/// A frame is left by a return, and its caller goes on after the call; or by an exception, and its caller goes on in a
/// handler that covers the call or is left in turn. `None` means that no execution from this state reaches a target, so
/// that the state can be dropped. A number guarantees nothing, because conditions are ignored.
///
/// All this holds for executions that start in the entries of the call graph; other methods have no distances.
#[derive(Clone, Debug)]
pub struct Distance {
    nodes: Nodes,
    /// By goal, then node.
    cost: [Vec<u32>; 3],
    /// For nodes that start with a target: the distance from this target to the next one.
    beyond: FxHashMap<u32, u32>,
    /// Callees that lead to a target.
    entered: Vec<bool>,
}

impl Distance {
    /// Distances along `graph` to `targets` in `program`, which must be well-formed ([`crate::validate`]).
    pub fn new(program: &Program, graph: &CallGraph, targets: impl IntoIterator<Item = (MethodId, Point)>) -> Self {
        let targets: FxHashSet<(MethodId, Point)> = targets.into_iter().collect();
        let nodes = Nodes::new(program, graph, &targets);
        let starts: Vec<u32> = targets
            .iter()
            .filter_map(|&(method, point)| nodes.at(method, point))
            .filter(|&(_, offset)| offset == 0)
            .map(|(node, _)| node)
            .collect();
        let mut search = Search::new(program, graph, &nodes);
        search.exits();
        search.targets(&starts);
        let Search { cost, beyond, entered, .. } = search;
        Distance { nodes, cost, beyond, entered }
    }

    /// Whether the distances in a method are known, because its code is analysed.
    pub fn knows(&self, method: MethodId) -> bool {
        self.nodes.first_block.contains_key(&method)
    }

    /// Whether a target can also be reached through a library outside the analysis, which may call back into the
    /// program. If so, the absence of a distance does not imply the absence of a path. The program's methods must be
    /// entries of the call graph.
    pub fn is_called_back(&self, callbacks: &Callbacks) -> bool {
        self.called_back(callbacks).is_none_or(|methods| !methods.is_empty())
    }

    /// The methods that a library may call and that lead to a target. `None` if these may be any methods.
    pub fn called_back(&self, callbacks: &Callbacks) -> Option<Vec<MethodId>> {
        let start = Point { block: Body::ENTRY, op: 0 };
        let leads = |&method: &MethodId| self.can_reach_target(method, start);
        Some(callbacks.methods.as_ref()?.iter().copied().filter(leads).collect())
    }

    /// Operations and terminators to run from `point` of `method` until a target is next; 0 at a target. `None` if
    /// there is no path within the method's activation and its callees.
    pub fn to_target(&self, method: MethodId, point: Point) -> Option<u32> {
        let (node, offset) = self.nodes.at(method, point)?;
        let cost = match self.beyond.get(&node) {
            Some(&beyond) if offset > 0 => beyond,
            _ => self.cost[Goal::Target as usize][node as usize],
        };
        finite(less(cost, offset))
    }

    /// Whether a path from `point` reaches a target without leaving the method's activation.
    pub fn can_reach_target(&self, method: MethodId, point: Point) -> bool {
        self.to_target(method, point).is_some()
    }

    /// Whether there is a target at a point, or a call that leads to one.
    pub fn is_goal(&self, method: MethodId, point: Point) -> bool {
        self.nodes.at(method, point).is_some_and(|(node, offset)| {
            let callee = self.nodes.callee[node as usize];
            offset == 0 && self.beyond.contains_key(&node)
                || callee != NONE && self.entered[callee as usize] && self.nodes.last_op(node) == point.op
        })
    }

    /// Operations and terminators to run from `point` of `method` up to and including its return.
    pub fn to_return(&self, method: MethodId, point: Point) -> Option<u32> {
        let (node, offset) = self.nodes.at(method, point)?;
        finite(less(self.cost[Goal::Return as usize][node as usize], offset))
    }

    /// Operations and terminators to run from `point` of `method` up to and including one whose exception leaves the
    /// method.
    pub fn to_throw(&self, method: MethodId, point: Point) -> Option<u32> {
        let (node, offset) = self.nodes.at(method, point)?;
        finite(less(self.cost[Goal::Throw as usize][node as usize], offset))
    }

    /// The distance from a state with these frames, oldest first: see [`Distance`]. The point of the last frame is
    /// where it goes on; the point of any other frame is its open call. If that point is not a call, the frame goes on
    /// there after a return. A frame outside the analysis, below the last one, may be left in any way.
    pub fn of_stack(&self, frames: &[(MethodId, Point)]) -> Option<u32> {
        let (&(method, point), callers) = frames.split_last()?;
        let here = [self.to_target(method, point), self.to_return(method, point), self.to_throw(method, point)];
        self.through(callers, here.map(known))
    }

    /// Like [`Distance::of_stack`], if no target can be reached within the last frame.
    pub fn behind_stack(&self, frames: &[(MethodId, Point)]) -> Option<u32> {
        let (&(method, point), callers) = frames.split_last()?;
        let ends = [self.to_return(method, point), self.to_throw(method, point)].map(known);
        self.through(callers, [INFINITE, ends[0], ends[1]])
    }

    /// Like [`Distance::of_stack`], from an exception that leaves the open call of the last frame.
    pub fn of_exception(&self, frames: &[(MethodId, Point)]) -> Option<u32> {
        self.through(frames, [INFINITE, INFINITE, 0])
    }

    /// The distance along open calls, oldest first. `best` is the distance without leaving the callee of the last one;
    /// `returned` and `thrown` are the costs of leaving it by a return and by an exception.
    fn through(&self, callers: &[(MethodId, Point)], [mut best, mut returned, mut thrown]: [u32; 3]) -> Option<u32> {
        for &(method, point) in callers.iter().rev() {
            if returned == INFINITE && thrown == INFINITE {
                break;
            }
            let Some((node, _)) = self.nodes.at(method, point) else {
                // Code outside the analysis may catch or throw an exception, however its callee has ended.
                let left = returned.min(thrown);
                (returned, thrown) = (left, left);
                continue;
            };
            let is_call = self.nodes.callee[node as usize] != NONE && self.nodes.last_op(node) == point.op;
            let after = |goal: Goal| {
                if is_call {
                    return self.cost[goal as usize][node as usize + 1];
                }
                known(match goal {
                    Goal::Return => self.to_return(method, point),
                    Goal::Throw => self.to_throw(method, point),
                    Goal::Target => self.to_target(method, point),
                })
            };
            let handlers = self.nodes.handlers(node);
            let through = |goal: Goal| {
                let handled = handlers.iter().map(|&h| self.cost[goal as usize][h as usize]).min().unwrap_or(INFINITE);
                returned.saturating_add(after(goal)).min(thrown.saturating_add(handled))
            };
            best = best.min(through(Goal::Target));
            let uncaught = if self.nodes.is_caught(node) { INFINITE } else { thrown };
            (returned, thrown) = (through(Goal::Return), through(Goal::Throw).min(uncaught));
        }
        finite(best)
    }
}

fn known(cost: Option<u32>) -> u32 {
    cost.unwrap_or(INFINITE)
}

fn finite(cost: u32) -> Option<u32> {
    Some(cost).filter(|&cost| cost != INFINITE)
}

fn less(cost: u32, offset: u32) -> u32 {
    if cost == INFINITE { INFINITE } else { cost.saturating_sub(offset) }
}

/// The bodies of the reachable methods, cut into nodes: runs of operations in which only the last one can throw or
/// call, and only the first one can be a target. The last node of a block ends with its terminator.
#[derive(Clone, Debug, Default)]
struct Nodes {
    /// For each method with nodes, the index of its first block in `first_node`, and the number of blocks.
    first_block: FxHashMap<MethodId, (u32, u32)>,
    /// The first node of each block of each method; the last entry is the number of nodes.
    first_node: Vec<u32>,
    /// The index of each node's first operation.
    start: Vec<u32>,
    /// Number of operations of each node, including its terminator.
    length: Vec<u32>,
    /// The block of each node, as an index in `first_node`.
    block: Vec<u32>,
    /// For nodes that end in a call, the callee: a method's number, or, for virtual calls, the number of the named
    /// method plus the number of methods.
    callee: Vec<u32>,
    /// The first nodes of each block's handlers.
    block_handlers: Lists,
    /// Whether each block catches everything.
    caught: Vec<bool>,
    /// Backward edges, except those of calls. The cost of each is the length of its source.
    before: Lists,
    /// For the first node of a handler, the nodes of the calls that it covers.
    covered_calls: Lists,
    /// For each callee, the nodes of its calls.
    sites: Lists,
    /// The method of each entry node.
    entry_of: FxHashMap<u32, MethodId>,
    returns: Vec<u32>,
    /// Nodes whose last operation or terminator throws out of the method, other than by a call.
    throws: Vec<u32>,
}

impl Nodes {
    fn new(program: &Program, graph: &CallGraph, targets: &FxHashSet<(MethodId, Point)>) -> Self {
        let mut nodes = Nodes::default();
        let mut edges = Edges::default();
        for &id in graph.reachable() {
            if let Some(body) = known_code(program, id)
                && !body.blocks.is_empty()
            {
                let first_block = nodes.first_node.len() as u32;
                nodes.first_block.insert(id, (first_block, body.blocks.len() as u32));
                nodes.cut(graph, id, body, targets);
                nodes.entry_of.insert(nodes.first_node[first_block as usize], id);
                nodes.connect(body, first_block, &mut edges);
            }
        }
        let (blocks, count) = (nodes.first_node.len(), nodes.start.len());
        nodes.first_node.push(count as u32);
        nodes.block_handlers = Lists::new(blocks, &edges.handlers);
        nodes.before = Lists::new(count, &edges.before);
        nodes.covered_calls = Lists::new(count, &edges.covered_calls);
        let sites = nodes.callee.iter().enumerate().filter(|&(_, &callee)| callee != NONE);
        let sites: Vec<(u32, u32)> = sites.map(|(node, &callee)| (callee, node as u32)).collect();
        nodes.sites = Lists::new(2 * graph.method_count(), &sites);
        nodes
    }

    /// Makes the nodes of a body.
    fn cut(&mut self, graph: &CallGraph, id: MethodId, body: &Body, targets: &FxHashSet<(MethodId, Point)>) {
        for block in body.block_ids() {
            let block_place = self.first_node.len() as u32;
            self.first_node.push(self.start.len() as u32);
            let ops = &body.block(block).ops;
            let mut start = 0;
            let mut push = |start: u32, end: u32, callee: u32| {
                self.start.push(start);
                self.length.push(end - start);
                self.block.push(block_place);
                self.callee.push(callee);
            };
            for (index, op) in ops.iter().map(|op| Some(&op.kind)).chain([None]).enumerate() {
                let index = index as u32;
                if index > start && targets.contains(&(id, Point { block, op: index })) {
                    push(start, index, NONE);
                    start = index;
                }
                let Some(op) = op else {
                    push(start, index + 1, NONE);
                    continue;
                };
                if op.may_throw() {
                    let callee = match *op {
                        OpKind::Call { dispatch: Dispatch::Virtual, method, .. } => {
                            graph.method_count() as u32 + method.0
                        }
                        OpKind::Call { method, .. } | OpKind::Ensure { method, .. } => method.0,
                        _ => NONE,
                    };
                    push(start, index + 1, callee);
                    start = index + 1;
                }
            }
        }
    }

    /// Collects the edges of a body whose nodes exist.
    fn connect(&mut self, body: &Body, first_block: u32, edges: &mut Edges) {
        let first_node = |block: crate::body::BlockId| self.first_node[first_block as usize + block.index()];
        for id in body.block_ids() {
            let block = body.block(id);
            let place = first_block + id.0;
            let (targets, caught) = handlers(body, id);
            let handlers: Vec<u32> = targets.into_iter().map(first_node).collect();
            edges.handlers.extend(handlers.iter().map(|&handler| (place, handler)));
            self.caught.push(caught);
            let first = first_node(id);
            let end = self.first_node.get(place as usize + 1).map_or(self.start.len() as u32, |&next| next);
            for node in first..end {
                let is_last = node + 1 == end;
                let op = (!is_last).then(|| &block.ops[self.last_op(node) as usize].kind);
                let traps = match op {
                    Some(op) => !op.traps().is_empty(),
                    None => matches!(block.terminator.kind, TerminatorKind::Throw(_)),
                };
                if traps {
                    edges.before.extend(handlers.iter().map(|&handler| (handler, node)));
                    if !caught {
                        self.throws.push(node);
                    }
                }
                if self.callee[node as usize] != NONE {
                    edges.covered_calls.extend(handlers.iter().map(|&handler| (handler, node)));
                }
                // The class may already be initialized, so that control passes without the call.
                let passes = self.callee[node as usize] == NONE || matches!(op, Some(OpKind::Ensure { .. }));
                if passes && !is_last {
                    edges.before.push((node + 1, node));
                }
            }
            let last = end - 1;
            edges.before.extend(block.terminator.kind.successors().into_iter().map(|next| (first_node(next), last)));
            match block.terminator.kind {
                TerminatorKind::Return(_) => self.returns.push(last),
                // Unknown code may return or throw.
                TerminatorKind::Unsupported { .. } | TerminatorKind::Bound(_) => {
                    self.returns.push(last);
                    edges.before.extend(handlers.iter().map(|&handler| (handler, last)));
                    if !caught {
                        self.throws.push(last);
                    }
                }
                _ => {}
            }
        }
    }

    /// The node of a point, and the offset of the point in the node.
    fn at(&self, method: MethodId, point: Point) -> Option<(u32, u32)> {
        let &(first_block, blocks) = self.first_block.get(&method)?;
        if point.block.0 >= blocks {
            return None;
        }
        let block = (first_block + point.block.0) as usize;
        let (first, end) = (self.first_node[block] as usize, self.first_node[block + 1] as usize);
        let inner = self.start[first..end].partition_point(|&start| start <= point.op) - 1;
        let node = first + inner;
        let offset = point.op - self.start[node];
        (offset < self.length[node]).then_some((node as u32, offset))
    }

    fn last_op(&self, node: u32) -> u32 {
        self.start[node as usize] + self.length[node as usize] - 1
    }

    fn handlers(&self, node: u32) -> &[u32] {
        self.block_handlers.of(self.block[node as usize])
    }

    fn is_caught(&self, node: u32) -> bool {
        self.caught[self.block[node as usize] as usize]
    }
}

/// The pairs from which [`Lists`] are built.
#[derive(Default)]
struct Edges {
    handlers: Vec<(u32, u32)>,
    before: Vec<(u32, u32)>,
    covered_calls: Vec<(u32, u32)>,
}

struct Search<'n> {
    program: &'n Program,
    graph: &'n CallGraph,
    nodes: &'n Nodes,
    cost: [Vec<u32>; 3],
    settled: [Vec<bool>; 3],
    /// The cost of running each callee up to its return, and up to an exception that leaves it.
    through: [Vec<u32>; 2],
    /// Callees whose calls have got a path into the callee.
    entered: Vec<bool>,
    beyond: FxHashMap<u32, u32>,
    queue: BinaryHeap<Reverse<(u32, u32, u8)>>,
}

const GOALS: [Goal; 3] = [Goal::Return, Goal::Throw, Goal::Target];
const EXITS: [Goal; 2] = [Goal::Return, Goal::Throw];

impl<'n> Search<'n> {
    fn new(program: &'n Program, graph: &'n CallGraph, nodes: &'n Nodes) -> Self {
        let (count, callees) = (nodes.start.len(), 2 * graph.method_count());
        Search {
            program,
            graph,
            nodes,
            cost: std::array::from_fn(|_| vec![INFINITE; count]),
            settled: std::array::from_fn(|_| vec![false; count]),
            through: std::array::from_fn(|_| vec![INFINITE; callees]),
            entered: vec![false; callees],
            beyond: FxHashMap::default(),
            queue: BinaryHeap::new(),
        }
    }

    /// Finds the costs of leaving methods.
    fn exits(&mut self) {
        let nodes = self.nodes;
        for &id in self.graph.reachable() {
            // Unknown code may return or throw at once.
            if known_code(self.program, id).is_none() {
                for exit in EXITS {
                    self.leave(id, exit, 0);
                }
            }
        }
        if self.program.grows() {
            // A virtual call may run a method of a class that is unknown yet and is made by code outside the analysis.
            let count = self.graph.method_count() as u32;
            for callee in count..2 * count {
                for exit in EXITS {
                    self.leave_callee(callee, exit, 0);
                }
            }
        }
        for &node in &nodes.returns {
            self.relax(node, Goal::Return, nodes.length[node as usize]);
        }
        for &node in &nodes.throws {
            self.relax(node, Goal::Throw, nodes.length[node as usize]);
        }
        self.run();
    }

    /// Finds the distances to the targets. Each target is at the start of one of these nodes.
    fn targets(&mut self, starts: &[u32]) {
        for &node in starts {
            self.relax(node, Goal::Target, 0);
        }
        // From here on, a path from a target's node leads to the next target.
        self.beyond.extend(starts.iter().map(|&node| (node, INFINITE)));
        self.run();
    }

    fn run(&mut self) {
        while let Some(Reverse((cost, node, goal))) = self.queue.pop() {
            let goal = GOALS[goal as usize];
            if !std::mem::replace(&mut self.settled[goal as usize][node as usize], true) {
                self.settle(node, goal, cost);
            }
        }
    }

    fn relax(&mut self, node: u32, goal: Goal, cost: u32) {
        if cost == INFINITE {
            return;
        }
        if goal == Goal::Target
            && let Some(beyond) = self.beyond.get_mut(&node)
        {
            *beyond = cost.min(*beyond);
        }
        let known = &mut self.cost[goal as usize][node as usize];
        if cost < *known {
            *known = cost;
            self.queue.push(Reverse((cost, node, goal as u8)));
        }
    }

    /// Records a path through the end of `node` that costs `cost` from there.
    fn relax_before(&mut self, node: u32, goal: Goal, cost: u32) {
        self.relax(node, goal, cost.saturating_add(self.nodes.length[node as usize]));
    }

    /// Propagates the cost of `node`, which is final.
    fn settle(&mut self, node: u32, goal: Goal, cost: u32) {
        let nodes = self.nodes;
        for &before in nodes.before.of(node) {
            self.relax_before(before, goal, cost);
        }
        if nodes.start[node as usize] > 0 && nodes.callee[node as usize - 1] != NONE {
            let through = self.through[Goal::Return as usize][nodes.callee[node as usize - 1] as usize];
            self.relax_before(node - 1, goal, cost.saturating_add(through));
        }
        for &call in nodes.covered_calls.of(node) {
            let through = self.through[Goal::Throw as usize][nodes.callee[call as usize] as usize];
            self.relax_before(call, goal, cost.saturating_add(through));
        }
        if let Some(&method) = nodes.entry_of.get(&node) {
            match goal {
                Goal::Return | Goal::Throw => self.leave(method, goal, cost),
                Goal::Target => self.enter(method, cost),
            }
        }
    }

    /// The callees whose calls may run `method`.
    fn callees_of(&self, method: MethodId) -> Vec<u32> {
        let count = self.graph.method_count() as u32;
        let named = self.graph.named_for(method).iter().map(|named| count + named.0);
        [method.0].into_iter().chain(named).collect()
    }

    /// Records the least cost of leaving `method`.
    fn leave(&mut self, method: MethodId, exit: Goal, cost: u32) {
        for callee in self.callees_of(method) {
            self.leave_callee(callee, exit, cost);
        }
    }

    /// Records the cost of leaving the methods that `callee` stands for.
    fn leave_callee(&mut self, callee: u32, exit: Goal, cost: u32) {
        let nodes = self.nodes;
        let through = &mut self.through[exit as usize][callee as usize];
        // Costs come in ascending order, so that the first method of a virtual call is the cheapest.
        if *through != INFINITE {
            return;
        }
        *through = cost;
        for &call in nodes.sites.of(callee) {
            let after = [call + 1];
            let next: &[u32] = if exit == Goal::Return { &after } else { nodes.handlers(call) };
            for &next in next {
                for goal in EXITS {
                    if self.settled[goal as usize][next as usize] {
                        let rest = self.cost[goal as usize][next as usize];
                        self.relax_before(call, goal, cost.saturating_add(rest));
                    }
                }
            }
            if exit == Goal::Throw && !nodes.is_caught(call) {
                self.relax_before(call, Goal::Throw, cost);
            }
        }
    }

    /// Records the cost of reaching a target from the entry of `method`.
    fn enter(&mut self, method: MethodId, cost: u32) {
        let nodes = self.nodes;
        for callee in self.callees_of(method) {
            if !std::mem::replace(&mut self.entered[callee as usize], true) {
                for &call in nodes.sites.of(callee) {
                    self.relax_before(call, Goal::Target, cost);
                }
            }
        }
    }
}
