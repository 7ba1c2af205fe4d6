//! From the leaves of the graph back to the entry point (paper 1, figure 1).
//!
//! A [`Strategy`] says how the condition under which a leaf is reached is carried from node to node: as a formula over the
//! values of the program's variables there ([`disjuncts`]), or as conjuncts that are never changed ([`conjuncts`]).

pub(crate) mod conjuncts;
pub(crate) mod disjuncts;
pub(crate) mod heap;

use crate::config::{Config, Encoding};
use crate::graph::{Graph, Leaf, Node, NodeId, Step};
use aback_heap::{InputHeap, Layout};
use aback_ir::{Program, Type};
use aback_logic::{Node as TermNode, Pool, Sort, Term};
use aback_smt::Chain;
use aback_symbolic::Gap;
use rustc_hash::FxHashMap;

/// What conditions are about.
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub config: &'a Config,
    pub graph: &'a Graph,
    pub pool: &'a mut Pool,
    pub input: &'a mut InputHeap,
    pub layout: &'a Layout,
    /// The variables of the program: what they stand for changes from node to node.
    pub variables: &'a FxHashMap<Term, Type>,
    /// What is asked for.
    pub selectors: Selectors,
}

/// Variables that say which leaf is asked for, so that one condition answers for all.
#[derive(Clone, Debug)]
pub(crate) struct Selectors {
    /// By target.
    pub targets: Vec<Term>,
    /// By gap.
    pub gaps: Vec<Term>,
    pub cut: Term,
}

impl Selectors {
    pub fn new(pool: &mut Pool, graph: &Graph) -> Self {
        let mut selectors =
            |name: &str, count: usize| -> Vec<Term> { (0..count).map(|_| pool.fresh_var(name, Sort::Bool)).collect() };
        let (targets, gaps, cut) =
            (selectors("target", graph.targets.len()), selectors("gap", graph.gaps.len()), selectors("cut", 1)[0]);
        Selectors { targets, gaps, cut }
    }

    pub fn of(&self, leaf: Leaf) -> Term {
        match leaf {
            Leaf::Target(number) => self.targets[number as usize],
            Leaf::Gap(number) => self.gaps[number as usize],
            Leaf::Cut => self.cut,
        }
    }
}

/// How conditions are carried (paper 1, figures 2 to 5).
pub(crate) trait Strategy {
    /// What is known at a node of the ways from there to leaves.
    type State: Clone;

    /// The state at a leaf, which is reached there.
    fn leaf(&mut self, cx: &mut Context, node: NodeId, selector: Term) -> Self::State;

    /// Where ways part: the condition under which each is taken, with the state at its next node. There is one at least.
    fn merge(&mut self, cx: &mut Context, node: NodeId, ways: Vec<(Term, Self::State)>) -> Self::State;

    /// The state before an operation, from the one after it.
    fn process(&mut self, cx: &mut Context, step: &Step, state: Self::State) -> Self::State;

    /// The state as it is handed to each of several nodes before.
    fn share(&mut self, _cx: &mut Context, state: Self::State) -> Self::State {
        state
    }

    /// Whether a solver, where it is worth asking one (paper 1: `DoSolve`), says that no leaf can be reached from a node, whatever
    /// the program's variables hold there.
    fn is_hopeless(&mut self, _cx: &mut Context, _chain: &mut Chain, _node: &Node, _state: &Self::State) -> bool {
        false
    }

    /// Formulas about inputs that all have to hold for a leaf to be reached from the entry point.
    fn condition(&mut self, cx: &mut Context, state: &Self::State) -> Vec<Term>;

    /// The condition at a node for people, where it changed.
    fn show(&self, cx: &Context, state: &Self::State) -> String;
}

/// What is shown of a node's condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The node.
    pub node: NodeId,
    /// The operation there, in a few words.
    pub operation: String,
    /// Where it comes from.
    pub place: aback_witness::Place,
    /// The condition.
    pub condition: String,
}

/// Carries conditions from the leaves to the entry point: the state there; `None` if no leaf is possible, or the budget was
/// used up, which `stopped` says then.
pub(crate) fn carry<S: Strategy>(
    cx: &mut Context,
    strategy: &mut S,
    chain: &mut Chain,
    shown: &mut Vec<Condition>,
    stopped: &mut Option<Gap>,
) -> Option<S::State> {
    let graph = cx.graph;
    let mut states: Vec<Option<S::State>> = vec![None; graph.nodes.len()];
    // Uses of a state that are still to come; it goes with the last one.
    let mut uses: Vec<u32> = graph.nodes.iter().map(|node| node.arrivals).collect();
    for index in (0..graph.nodes.len()).rev() {
        let budget = &cx.config.budget;
        let memory = || index.is_multiple_of(256).then(|| budget.out_of_memory()).flatten();
        if let Some(gap) = budget.out_of_time().or_else(memory) {
            *stopped = Some(gap);
            return None;
        }
        let (id, node) = (NodeId(index as u32), &graph.nodes[index]);
        let mut state = match node.step {
            Step::Leaf(leaf) => {
                let selector = cx.selectors.of(leaf);
                strategy.leaf(cx, id, selector)
            }
            _ => {
                let mut ways = Vec::with_capacity(node.edges.len());
                for &(condition, to) in &node.edges {
                    let left = &mut uses[to.index()];
                    *left = left.saturating_sub(1);
                    let state = if *left == 0 { states[to.index()].take() } else { states[to.index()].clone() };
                    ways.extend(state.map(|state| (condition, state)));
                }
                if ways.is_empty() {
                    continue;
                }
                let state = strategy.merge(cx, id, ways);
                strategy.process(cx, &node.step, state)
            }
        };
        if id != NodeId::ENTRY && strategy.is_hopeless(cx, chain, node, &state) {
            continue;
        }
        if cx.config.show_conditions {
            let operation = heap::describe(cx, &node.step);
            let condition = strategy.show(cx, &state);
            shown.push(Condition { node: id, operation, place: node.place, condition });
        }
        if node.arrivals > 1 {
            state = strategy.share(cx, state);
        }
        states[index] = Some(state);
    }
    states.first_mut().and_then(Option::take)
}

impl Context<'_> {
    /// The program's variables that occur in a term.
    pub fn variables_of(&self, term: Term) -> Vec<Term> {
        // Most terms are variables or constants.
        match self.pool.node(term) {
            TermNode::Var(_) => return self.variables.contains_key(&term).then_some(term).into_iter().collect(),
            _ if self.pool.is_const(term) => return Vec::new(),
            _ => {}
        }
        let free = self.pool.free_variables(&[term]);
        let terms = free.into_iter().map(|id| self.pool.variable_term(id));
        terms.filter(|variable| self.variables.contains_key(variable)).collect()
    }

    /// Whether fields are arrays with versions.
    pub fn has_arrays(&self) -> bool {
        self.config.encoding == Encoding::Arrays
    }
}
