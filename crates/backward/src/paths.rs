//! Searches path by path (paper 2, section 7.3.2): depth first over the paths that lead backward from a leaf to the
//! entry point. A path extends the conjuncts of its prefixes, which suits incremental solvers.

use crate::conditions::conjuncts::{Conjuncts, State};
use crate::conditions::{Context, Strategy};
use crate::config::Variant;
use crate::graph::{Graph, NodeId};
use aback_logic::{Evaluator, Pool, Term};
use aback_smt::{Chain, Feasibility, PathCondition};
use aback_symbolic::Gap;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A model of the conditions of a path.
pub(crate) type PathModel = Rc<RefCell<Evaluator>>;

/// The reason why a search ended.
#[derive(Debug)]
pub(crate) enum End {
    /// All paths were searched.
    Exhausted,
    /// The callback ended the search.
    Enough,
    /// All paths were searched; for some of them, the solver did not know the answer, for this reason.
    Unknown(String),
    /// The budget is used up.
    Stopped(Gap),
}

/// A node on the current path.
struct Visit {
    node: NodeId,
    state: State,
    /// Number of conjuncts up to this node.
    conjuncts: usize,
    /// The path condition up to this node; paths with a common prefix share it.
    condition: PathCondition,
    /// Index of the next incoming edge to follow.
    next: usize,
}

/// The incoming edges of each node.
pub(crate) struct Reversed {
    edges: Vec<Vec<(NodeId, Term)>>,
    /// The value of [`Graph::quantified`], as a formula.
    pub chosen: Term,
}

impl Reversed {
    /// Reverses the edges that exist if [`Graph::quantified`] has this value.
    pub fn new(graph: &Graph, pool: &mut Pool, is_quantified: bool) -> Self {
        let mut edges = vec![Vec::new(); graph.nodes.len()];
        let chosen = graph.quantified.map(|quantified| [(quantified, pool.bool(is_quantified))]);
        for (index, node) in graph.nodes.iter().enumerate() {
            for &(condition, to) in &node.edges {
                let condition = chosen.map_or(condition, |chosen| pool.substitute(condition, &chosen));
                if condition != Pool::FALSE {
                    edges[to.index()].push((NodeId(index as u32), condition));
                }
            }
        }
        let chosen = graph.quantified.filter(|_| is_quantified).unwrap_or(Pool::TRUE);
        Reversed { edges, chosen }
    }

    /// The edges to a node, each with the node where it starts and its condition.
    pub fn edges(&self, node: NodeId) -> &[(NodeId, Term)] {
        &self.edges[node.index()]
    }
}

/// Follows all paths from a leaf back to the entry point and calls `found` for each feasible path. Increases `count`
/// by the number of paths that reached the entry point.
pub(crate) fn search(
    cx: &mut Context,
    reversed: &Reversed,
    chain: &mut Chain,
    leaf: NodeId,
    count: &mut u64,
    found: &mut dyn FnMut(&mut Context, &PathModel) -> ControlFlow<()>,
) -> End {
    let graph = cx.graph;
    let mut conjuncts = Conjuncts::new(Variant::Paths, chain.path());
    let state = conjuncts.leaf(cx, leaf, Pool::TRUE);
    let mut unknown = None;
    let (number, mut condition) = (conjuncts.implications.len(), chain.path());
    if condition.assume(cx.pool, reversed.chosen).is_err() {
        return End::Exhausted;
    }
    let mut path = vec![Visit { node: leaf, state, conjuncts: number, condition, next: 0 }];
    while let Some(visit) = path.last_mut() {
        if let Some(gap) = cx.config.budget.out_of_time() {
            return End::Stopped(gap);
        }
        conjuncts.implications.truncate(visit.conjuncts);
        let Some(&(node, edge)) = reversed.edges[visit.node.index()].get(visit.next) else {
            path.pop();
            continue;
        };
        visit.next += 1;
        let state = visit.state.clone();
        let state = conjuncts.merge(cx, node, vec![(edge, state)]);
        let state = conjuncts.process(cx, &graph.node(node).step, state);
        let is_entry = node == NodeId::ENTRY;
        let added = &conjuncts.implications[visit.conjuncts..];
        let is_fork = reversed.edges[node.index()].len() > 1 && !added.is_empty();
        let mut new: Vec<Term> = added.iter().map(|&(_, formula)| formula).collect();
        if is_entry {
            new.extend(conjuncts.condition(cx, &state));
        }
        let mut condition = visit.condition.clone();
        let is_contradiction = new.into_iter().any(|formula| condition.assume(cx.pool, formula).is_err());
        let answer = match is_contradiction {
            true => Feasibility::Infeasible,
            false if is_entry || is_fork => chain.check(cx.pool, &condition, Pool::TRUE),
            false => {
                path.push(Visit { node, state, conjuncts: conjuncts.implications.len(), condition, next: 0 });
                continue;
            }
        };
        match answer {
            Feasibility::Infeasible => *count += 1,
            Feasibility::Feasible(model) if is_entry => {
                *count += 1;
                if found(cx, &model).is_break() {
                    return End::Enough;
                }
            }
            Feasibility::Unknown(reason) if is_entry => {
                *count += 1;
                unknown = Some(reason.to_string());
            }
            Feasibility::Feasible(model) => {
                // The model of the common prefix of all paths from here on, which is tried first on their further
                // conjuncts.
                condition.set_current_model(model);
                path.push(Visit { node, state, conjuncts: conjuncts.implications.len(), condition, next: 0 });
            }
            Feasibility::Unknown(_) => {
                path.push(Visit { node, state, conjuncts: conjuncts.implications.len(), condition, next: 0 });
            }
        }
    }
    unknown.map_or(End::Exhausted, End::Unknown)
}
