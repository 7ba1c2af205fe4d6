//! Path by path (paper 2, section 7.3.2): depth first over the paths that lead backward from a leaf to the entry point. The
//! conjuncts of a path are those of the paths that begin like it and more, which is what an incremental solver is fast at.

use crate::conditions::conjuncts::{Conjuncts, State};
use crate::conditions::{Context, Strategy};
use crate::config::Variant;
use crate::graph::{Graph, NodeId, Step};
use crate::solve::ask;
use aback_logic::{Evaluator, Pool, Term};
use aback_smt::{Chain, Feasibility};
use aback_symbolic::Gap;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A model of the conditions of a path.
pub(crate) type PathModel = Rc<RefCell<Evaluator>>;

/// Why a search ended.
#[derive(Debug)]
pub(crate) enum End {
    /// There are no more paths.
    Exhausted,
    /// Whoever was told of a path had seen enough.
    Enough,
    /// There are no more paths; about some the solver does not know, for this reason.
    Unknown(String),
    /// The budget is used up.
    Stopped(Gap),
}

/// A node on the path that is being looked at.
struct Visit {
    node: NodeId,
    state: State,
    /// Number of conjuncts up to here.
    conjuncts: usize,
    /// The next edge to go back over.
    next: usize,
}

/// Where edges come from.
pub(crate) struct Reversed {
    edges: Vec<Vec<(NodeId, Term)>>,
}

impl Reversed {
    pub fn new(graph: &Graph) -> Self {
        let mut edges = vec![Vec::new(); graph.nodes.len()];
        for (index, node) in graph.nodes.iter().enumerate() {
            for &(condition, to) in &node.edges {
                edges[to.index()].push((NodeId(index as u32), condition));
            }
        }
        Reversed { edges }
    }
}

/// Follows all paths from a leaf back to the entry point and tells `found` of each that is possible. `count` is increased
/// by the number of paths that came to an end.
pub(crate) fn search(
    cx: &mut Context,
    reversed: &Reversed,
    chain: &mut Chain,
    leaf: NodeId,
    count: &mut u64,
    found: &mut dyn FnMut(&mut Context, &PathModel) -> ControlFlow<()>,
) -> End {
    let graph = cx.graph;
    let mut conjuncts = Conjuncts::new(Variant::Paths);
    let state = conjuncts.leaf(cx, leaf, Pool::TRUE);
    let mut unknown = None;
    let mut path = vec![Visit { node: leaf, state, conjuncts: conjuncts.implications.len(), next: 0 }];
    while let Some(visit) = path.last_mut() {
        if let Some(gap) = cx.config.budget.out_of_time() {
            return End::Stopped(gap);
        }
        conjuncts.implications.truncate(visit.conjuncts);
        let Some(&(node, condition)) = reversed.edges[visit.node.index()].get(visit.next) else {
            path.pop();
            continue;
        };
        visit.next += 1;
        let state = visit.state.clone();
        let before = conjuncts.implications.len();
        let state = conjuncts.merge(cx, node, vec![(condition, state)]);
        let step: &Step = &graph.node(node).step;
        let state = conjuncts.process(cx, step, state);
        let is_entry = node == NodeId::ENTRY;
        let is_fork = reversed.edges[node.index()].len() > 1 && conjuncts.implications.len() > before;
        if is_entry || is_fork {
            // What changes from path to path comes last.
            let mut formulas: Vec<Term> = conjuncts.implications.iter().map(|&(_, formula)| formula).collect();
            if is_entry {
                formulas.extend(conjuncts.condition(cx, &state));
            }
            match ask(chain, cx.pool, &cx.config.budget, &formulas) {
                Feasibility::Infeasible => {
                    *count += 1;
                    continue;
                }
                Feasibility::Feasible(model) if is_entry => {
                    *count += 1;
                    if found(cx, &model).is_break() {
                        return End::Enough;
                    }
                    continue;
                }
                Feasibility::Unknown(reason) if is_entry => {
                    *count += 1;
                    unknown = Some(reason.to_string());
                    continue;
                }
                _ => {}
            }
        }
        path.push(Visit { node, state, conjuncts: conjuncts.implications.len(), next: 0 });
    }
    unknown.map_or(End::Exhausted, End::Unknown)
}
