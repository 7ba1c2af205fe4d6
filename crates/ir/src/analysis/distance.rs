//! How far is it to a target?
//!
//! Distances are shortest paths in the inter-procedural control-flow graph, counted in operations and terminators.
//! Calls and returns match: a path that enters a callee comes back to where it was called. The cost of passing a call
//! is the least cost of a way through a callee, which is itself a shortest path, so those costs and the distances to
//! the exits are found together, by Knuth's generalization of Dijkstra's algorithm ("A generalization of Dijkstra's
//! algorithm", 1977): the cost of a callee is final when its entry is settled, and only then used.

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

/// What a distance leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// A return of the method.
    Return = 0,
    /// An exception that leaves the method.
    Throw = 1,
    /// A target.
    Target = 2,
}

/// Distances from every point of the reachable methods to the nearest of some target points.
///
/// [`Distance::to_target`] looks at one frame: it counts paths that stay in the method and its callees. A search whose
/// state is a stack of frames needs [`Distance::of_stack`], because the way to the target may lead out of the running
/// method first. With frames `f0` (the oldest) to `fn` (the running one) that is the minimum over `i` of
///
/// > what it costs to leave `fn`, `f(n-1)`, …, `f(i+1)`, plus the distance to the target from where `fi` goes on,
///
/// where a frame is left by a return, and its caller goes on after the call, or by an exception, and its caller goes on
/// in a handler that covers the call or is left in turn. `None` means that no execution from this state meets a target:
/// the state can be dropped. A number says nothing of the kind, because conditions are not looked at.
///
/// All this holds for executions that start in the entries of the call graph: other methods have no distances.
#[derive(Clone, Debug)]
pub struct Distance {
    nodes: Nodes,
    /// By goal, then node.
    cost: [Vec<u32>; 3],
    /// For nodes that start with a target: the distance from there to the next one after it.
    beyond: FxHashMap<u32, u32>,
}

impl Distance {
    /// Distances to `targets` in `program`, which has to be well formed ([`crate::validate`]), along `graph`.
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
        let Search { cost, beyond, .. } = search;
        Distance { nodes, cost, beyond }
    }

    /// Whether the distances in a method are known: its code was looked at.
    pub fn knows(&self, method: MethodId) -> bool {
        self.nodes.first_block.contains_key(&method)
    }

    /// Whether a target can also be reached through a library whose code is not looked at, which may call back into the
    /// program: that there is no distance does not tell that there is no way then. The program's methods have to be
    /// entries of the call graph.
    pub fn is_called_back(&self, callbacks: &Callbacks) -> bool {
        let start = Point { block: Body::ENTRY, op: 0 };
        let leads = |&method: &MethodId| self.can_reach_target(method, start);
        callbacks.methods.as_ref().is_none_or(|methods| methods.iter().any(leads))
    }

    /// Operations and terminators to be run from `point` of `method` until a target is next: 0 at a target. `None` if
    /// there is no way without leaving the method's activation.
    pub fn to_target(&self, method: MethodId, point: Point) -> Option<u32> {
        let (node, offset) = self.nodes.at(method, point)?;
        let cost = match self.beyond.get(&node) {
            Some(&beyond) if offset > 0 => beyond,
            _ => self.cost[Goal::Target as usize][node as usize],
        };
        finite(less(cost, offset))
    }

    /// Whether there is a way from `point` to a target without leaving the method's activation.
    pub fn can_reach_target(&self, method: MethodId, point: Point) -> bool {
        self.to_target(method, point).is_some()
    }

    /// Operations and terminators to be run from `point` of `method` up to its return, which is included.
    pub fn to_return(&self, method: MethodId, point: Point) -> Option<u32> {
        let (node, offset) = self.nodes.at(method, point)?;
        finite(less(self.cost[Goal::Return as usize][node as usize], offset))
    }

    /// Operations and terminators to be run from `point` of `method` up to one whose exception leaves the method,
    /// which is included.
    pub fn to_throw(&self, method: MethodId, point: Point) -> Option<u32> {
        let (node, offset) = self.nodes.at(method, point)?;
        finite(less(self.cost[Goal::Throw as usize][node as usize], offset))
    }

    /// The distance from a state with these frames, oldest first: see [`Distance`]. The point of the last frame is
    /// where it goes on; the point of another is the call that it waits for. A frame that waits at something other
    /// than a call goes on at that point, after a return. A frame below the last one whose code was not looked at may be
    /// left in any way.
    pub fn of_stack(&self, frames: &[(MethodId, Point)]) -> Option<u32> {
        let (&(method, point), callers) = frames.split_last()?;
        let known = |cost: Option<u32>| cost.unwrap_or(INFINITE);
        let mut best = known(self.to_target(method, point));
        // What it costs to leave the frames so far.
        let mut returned = known(self.to_return(method, point));
        let mut thrown = known(self.to_throw(method, point));
        for &(method, point) in callers.iter().rev() {
            if returned == INFINITE && thrown == INFINITE {
                break;
            }
            let Some((node, _)) = self.nodes.at(method, point) else {
                // Code that was not looked at may catch an exception or throw one, however what it called has ended.
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

fn finite(cost: u32) -> Option<u32> {
    Some(cost).filter(|&cost| cost != INFINITE)
}

fn less(cost: u32, offset: u32) -> u32 {
    if cost == INFINITE { INFINITE } else { cost.saturating_sub(offset) }
}

/// The bodies of the reachable methods, cut into nodes: runs of operations of which only the last one can throw or
/// call, and only the first one can be a target. The last node of a block ends with its terminator.
#[derive(Clone, Debug, Default)]
struct Nodes {
    /// For each method with nodes, the place of its first block in `first_node`.
    first_block: FxHashMap<MethodId, (u32, u32)>,
    /// The first node of each block of each method, and the number of nodes.
    first_node: Vec<u32>,
    /// The operation that each node starts with.
    start: Vec<u32>,
    /// Number of operations of each node, its terminator included.
    length: Vec<u32>,
    /// The block of each node, as a place in `first_node`.
    block: Vec<u32>,
    /// For nodes that end in a call, whom it calls: a method's number, or, for virtual calls, that of the named method
    /// plus the number of methods.
    callee: Vec<u32>,
    /// The first nodes of each block's handlers.
    block_handlers: Lists,
    /// Whether each block catches everything.
    caught: Vec<bool>,
    /// Edges backward, those of calls excepted. Each costs the length of its source.
    before: Lists,
    /// For the first node of a handler: the nodes of calls that it covers.
    covered_calls: Lists,
    /// For each callee, its calls.
    sites: Lists,
    /// The method that each entry node is the entry of.
    entry_of: FxHashMap<u32, MethodId>,
    returns: Vec<u32>,
    /// Nodes whose last operation, or terminator, throws out of the method without a call.
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

    /// Notes the edges of a body whose nodes are made.
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
                // What is ensured may be so already.
                let passes = self.callee[node as usize] == NONE || matches!(op, Some(OpKind::Ensure { .. }));
                if passes && !is_last {
                    edges.before.push((node + 1, node));
                }
            }
            let last = end - 1;
            edges.before.extend(block.terminator.kind.successors().into_iter().map(|next| (first_node(next), last)));
            if matches!(block.terminator.kind, TerminatorKind::Return(_)) {
                self.returns.push(last);
            }
        }
    }

    /// The node of a point, and how far into it the point is.
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

/// Pairs from which [`Lists`] are made.
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
    /// What it costs to run each callee up to its return, and up to an exception that leaves it.
    through: [Vec<u32>; 2],
    /// Callees from whose calls the way into them was followed.
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
            // Nothing is known of code that is not there: it may return or throw at once.
            if known_code(self.program, id).is_none() {
                for exit in EXITS {
                    self.leave(id, exit, 0);
                }
            }
        }
        if self.program.grows() {
            // What a virtual call runs may be in a class that is not known yet, and is made by code that is not looked at.
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

    /// Finds the distances to the targets, which are at the starts of these nodes.
    fn targets(&mut self, starts: &[u32]) {
        for &node in starts {
            self.relax(node, Goal::Target, 0);
        }
        // From here on, ways to a target are ways from its node to the next one.
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

    /// Notes a way through the end of `node` that costs `cost` from there.
    fn relax_before(&mut self, node: u32, goal: Goal, cost: u32) {
        self.relax(node, goal, cost.saturating_add(self.nodes.length[node as usize]));
    }

    /// The cost of `node` is final.
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

    /// The callees under which calls run `method`.
    fn callees_of(&self, method: MethodId) -> Vec<u32> {
        let count = self.graph.method_count() as u32;
        let named = self.graph.named_for(method).iter().map(|named| count + named.0);
        [method.0].into_iter().chain(named).collect()
    }

    /// `method` can be left at this cost, and not at a lower one.
    fn leave(&mut self, method: MethodId, exit: Goal, cost: u32) {
        for callee in self.callees_of(method) {
            self.leave_callee(callee, exit, cost);
        }
    }

    /// What `callee` stands for can be left at this cost.
    fn leave_callee(&mut self, callee: u32, exit: Goal, cost: u32) {
        let nodes = self.nodes;
        let through = &mut self.through[exit as usize][callee as usize];
        // Costs come in order: the first method that a virtual call may run is the cheapest.
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

    /// A target can be reached from the entry of `method` at this cost.
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
