//! Carries conditions from the leaves of the graph back to the entry point (paper 1, figure 1).
//!
//! A [`Strategy`] determines how the condition under which a leaf is reached is carried from node to node: as a
//! formula over the values of the program variables there ([`disjuncts`]), as conjuncts that are never changed
//! ([`conjuncts`]), or as the one or the other, whichever suits the condition ([`mixed`]).

pub(crate) mod conjuncts;
pub(crate) mod disjuncts;
pub(crate) mod heap;
pub(crate) mod mixed;

use crate::config::{Config, Encoding};
use crate::graph::{Graph, Leaf, Node, NodeId, Step};
use aback_heap::{InputHeap, Layout};
use aback_ir::{Program, Type};
use aback_logic::{Node as TermNode, Pool, Sort, Term};
use aback_smt::Chain;
use aback_symbolic::Gap;
use rustc_hash::FxHashMap;

/// The program and the graph that conditions refer to.
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub config: &'a Config,
    pub graph: &'a Graph,
    pub pool: &'a mut Pool,
    pub input: &'a mut InputHeap,
    pub layout: &'a Layout,
    /// The program variables. Their values change from node to node.
    pub variables: &'a FxHashMap<Term, Type>,
    /// The selector variables of the leaves.
    pub selectors: Selectors,
}

/// Variables that select leaves, so that one condition serves questions about all of them.
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
    /// What is known at a node about the paths from there to leaves.
    type State: Clone;

    /// The state at a leaf.
    fn leaf(&mut self, cx: &mut Context, node: NodeId, selector: Term) -> Self::State;

    /// The state before a branch: for each edge, the condition under which it is taken and the state at its target.
    /// There is at least one edge.
    fn merge(&mut self, cx: &mut Context, node: NodeId, ways: Vec<(Term, Self::State)>) -> Self::State;

    /// The state before an operation, from the state after it.
    fn process(&mut self, cx: &mut Context, step: &Step, state: Self::State) -> Self::State;

    /// Prepares a state that is passed to several predecessors.
    fn share(&mut self, _cx: &mut Context, state: Self::State) -> Self::State {
        state
    }

    /// Whether a solver reports that no leaf can be reached from a node, whatever the values of the program
    /// variables. Asks only where the variant requires it (paper 1: `DoSolve`).
    fn is_hopeless(&mut self, _cx: &mut Context, _chain: &mut Chain, _node: &Node, _state: &Self::State) -> bool {
        false
    }

    /// Formulas about inputs. All of them must hold if a leaf is reached from the entry point.
    fn condition(&mut self, cx: &mut Context, state: &Self::State) -> Vec<Term>;

    /// Number of conditions that got a name.
    fn named(&self) -> u64 {
        0
    }

    /// The condition at a node in readable form, where it changed.
    fn show(&self, cx: &Context, state: &Self::State) -> String;
}

/// A node's condition in readable form.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The node.
    pub node: NodeId,
    /// The operation of the node, in a few words.
    pub operation: String,
    /// The place of the operation in the program.
    pub place: aback_witness::Place,
    /// The condition.
    pub condition: String,
}

/// Carries conditions from the leaves to the entry point and returns the state there. `None` if no leaf is possible,
/// or if the budget is used up, which sets `stopped`.
pub(crate) fn carry<S: Strategy>(
    cx: &mut Context,
    strategy: &mut S,
    chain: &mut Chain,
    shown: &mut Vec<Condition>,
    stopped: &mut Option<Gap>,
) -> Option<S::State> {
    carry_to(cx, strategy, chain, NodeId::ENTRY, shown, stopped)
}

/// The same, from the leaves to some node.
pub(crate) fn carry_to<S: Strategy>(
    cx: &mut Context,
    strategy: &mut S,
    chain: &mut Chain,
    end: NodeId,
    shown: &mut Vec<Condition>,
    stopped: &mut Option<Gap>,
) -> Option<S::State> {
    let graph = cx.graph;
    let mut states: Vec<Option<S::State>> = vec![None; graph.nodes.len()];
    // Number of remaining uses of a state; the state is dropped with its last use.
    let mut uses: Vec<u32> = graph.nodes.iter().map(|node| node.arrivals).collect();
    for index in (end.index()..graph.nodes.len()).rev() {
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
    states.get_mut(end.index()).and_then(Option::take)
}

impl Context<'_> {
    /// The program variables that occur in a term.
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
