//! Searches path by path, and learns from the paths that are impossible (the interpolants of paper 1's outlook, section 3.1,
//! in the form of McMillan's lazy annotation).
//!
//! The condition of a path is a set of conjuncts over the values at the node that the search has come to, which operations
//! take back as in [`crate::conditions::disjuncts`]. If all paths from the entry point to a node contradict the conjuncts
//! there, a part of them usually suffices: the *core*, which a solver names for each path. The node keeps it, and another
//! path with a suffix that has all of these conjuncts is given up there.
//!
//! That is sound because no execution to the node satisfies the core: each path to the node ends in a contradiction with
//! some conjuncts of the core, and with nothing else but the conditions and operations of the path itself and what holds of
//! every input. The premise is that *all* paths to the node were contradictory. A node with a path that is possible,
//! that the solver did not decide, or that was not searched, keeps nothing.

use crate::conditions::Context;
use crate::conditions::disjuncts::Disjuncts;
use crate::config::Variant;
use crate::graph::NodeId;
use crate::paths::{End, PathModel, Reversed};
use aback_logic::{Node, Pool, Term};
use aback_smt::{Chain, Feasibility};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// Most cores that a node keeps.
const MOST_CORES: usize = 32;

/// A conjunct of a path's condition, over the values at a node.
#[derive(Clone, Copy, Debug)]
struct Conjunct {
    formula: Term,
    /// The conjunct at the next node of the path that became this one; `None` if this node's edge or operation added it.
    from: Option<usize>,
}

/// A node on the current path.
struct Visit {
    node: NodeId,
    conjuncts: Vec<Conjunct>,
    /// Index of the next incoming edge to follow.
    next: usize,
    /// The conjuncts that the contradictory paths to this node need so far.
    core: FxHashSet<usize>,
    /// Whether some path to this node may be possible.
    is_open: bool,
}

/// What an extension of a path is like.
enum Outcome {
    /// The search goes on from there.
    Continues,
    /// A model of the whole path.
    Possible(PathModel),
    /// These of its conjuncts have no model.
    Contradictory(Vec<usize>),
    /// The solver does not know.
    Unknown(String),
}

/// The cores that nodes keep, and counters.
pub(crate) struct Learned {
    disjuncts: Disjuncts,
    /// Sets of formulas that no execution satisfies when it gets to the node, each sorted.
    cores: FxHashMap<NodeId, Vec<Box<[Term]>>>,
    /// Number of cores.
    pub learned: u64,
    /// Number of paths that a core excluded.
    pub excluded: u64,
}

impl Default for Learned {
    fn default() -> Self {
        Learned { disjuncts: Disjuncts::new(Variant::DisjTerm), cores: FxHashMap::default(), learned: 0, excluded: 0 }
    }
}

impl Learned {
    /// Follows all paths from a leaf back to the entry point and calls `found` for each feasible path, except those that
    /// a core excludes. Increases `count` by the number of paths that ended.
    pub fn search(
        &mut self,
        cx: &mut Context,
        reversed: &Reversed,
        chain: &mut Chain,
        leaf: NodeId,
        count: &mut u64,
        found: &mut dyn FnMut(&mut Context, &PathModel) -> ControlFlow<()>,
    ) -> End {
        let mut unknown = None;
        let start = Visit { node: leaf, conjuncts: Vec::new(), next: 0, core: FxHashSet::default(), is_open: false };
        let mut path = vec![start];
        while let Some(visit) = path.last_mut() {
            if let Some(gap) = cx.config.budget.out_of_time() {
                return End::Stopped(gap);
            }
            let Some(&(node, edge)) = reversed.edges(visit.node).get(visit.next) else {
                let Some(done) = path.pop() else { break };
                self.keep(cx, &done);
                if let Some(parent) = path.last_mut() {
                    parent.is_open |= done.is_open;
                    let needed = done.core.iter().filter_map(|&at| done.conjuncts[at].from);
                    parent.core.extend(needed);
                }
                continue;
            };
            visit.next += 1;
            let conjuncts = self.before(cx, node, edge, &visit.conjuncts);
            let is_entry = node == NodeId::ENTRY;
            let asks = is_entry || reversed.edges(node).len() > 1 && conjuncts.len() > visit.conjuncts.len();
            let outcome = match contradiction(&conjuncts) {
                Some(at) => Outcome::Contradictory(vec![at]),
                None => match self.excluded(node, &conjuncts) {
                    Some(core) => Outcome::Contradictory(core),
                    None if asks => self.ask(cx, reversed, chain, &conjuncts, is_entry),
                    None => Outcome::Continues,
                },
            };
            match outcome {
                Outcome::Contradictory(core) => {
                    *count += 1;
                    visit.core.extend(core.into_iter().filter_map(|at| conjuncts[at].from));
                }
                Outcome::Possible(model) if is_entry => {
                    *count += 1;
                    visit.is_open = true;
                    if found(cx, &model).is_break() {
                        return End::Enough;
                    }
                }
                Outcome::Unknown(reason) if is_entry => {
                    *count += 1;
                    visit.is_open = true;
                    unknown = Some(reason);
                }
                // If the solver does not know, the rest of the paths decides.
                _ => path.push(Visit { node, conjuncts, next: 0, core: FxHashSet::default(), is_open: false }),
            }
        }
        unknown.map_or(End::Exhausted, End::Unknown)
    }

    /// Takes the conjuncts at a node back over an edge from `node` and over its operation.
    fn before(&mut self, cx: &mut Context, node: NodeId, edge: Term, conjuncts: &[Conjunct]) -> Vec<Conjunct> {
        let step = &cx.graph.node(node).step;
        let mut before = self.disjuncts.begin(cx, step);
        let mut seen = FxHashSet::default();
        let mut all = Vec::with_capacity(conjuncts.len() + 1);
        // Conjunctions are split, because cores need only parts of them.
        let mut add = |pool: &mut Pool, formula: Term, from: Option<usize>| {
            let mut pending = vec![formula];
            while let Some(formula) = pending.pop() {
                let either = match *pool.node(formula) {
                    Node::Not(inner) => inner,
                    _ => formula,
                };
                match pool.node(either).clone() {
                    Node::And(parts) if either == formula => pending.extend(parts.iter().rev()),
                    Node::Or(parts) if either != formula => {
                        pending.extend(parts.iter().rev().map(|&part| pool.not(part)))
                    }
                    _ if formula != Pool::TRUE && seen.insert(formula) => all.push(Conjunct { formula, from }),
                    _ => {}
                }
            }
        };
        for (at, conjunct) in conjuncts.iter().enumerate() {
            let formula = Disjuncts::before(cx, step, &mut before, conjunct.formula);
            add(cx.pool, formula, Some(at));
        }
        let edge = Disjuncts::before(cx, step, &mut before, edge);
        add(cx.pool, edge, None);
        for axiom in before.axioms {
            add(cx.pool, axiom, None);
        }
        all
    }

    /// The conjuncts that a core of the node has, if these have all of it.
    fn excluded(&mut self, node: NodeId, conjuncts: &[Conjunct]) -> Option<Vec<usize>> {
        let cores = self.cores.get(&node)?;
        let places: FxHashMap<Term, usize> =
            conjuncts.iter().enumerate().map(|(at, conjunct)| (conjunct.formula, at)).collect();
        let all = |core: &[Term]| core.iter().map(|part| places.get(part).copied()).collect::<Option<Vec<usize>>>();
        let core = cores.iter().find_map(|core| all(core))?;
        self.excluded += 1;
        Some(core)
    }

    /// Keeps the core of a node to which all paths are contradictory. Only a node with several successors can be reached
    /// with other suffixes.
    fn keep(&mut self, cx: &Context, done: &Visit) {
        if done.is_open || cx.graph.node(done.node).edges.len() < 2 {
            return;
        }
        let mut core: Vec<Term> = done.core.iter().map(|&at| done.conjuncts[at].formula).collect();
        core.sort_unstable();
        let cores = self.cores.entry(done.node).or_default();
        if cores.len() < MOST_CORES {
            cores.push(core.into());
            self.learned += 1;
        }
    }

    fn ask(
        &mut self,
        cx: &mut Context,
        reversed: &Reversed,
        chain: &mut Chain,
        conjuncts: &[Conjunct],
        is_entry: bool,
    ) -> Outcome {
        let mut formulas: Vec<Term> = conjuncts.iter().map(|conjunct| conjunct.formula).collect();
        // What holds of every input, so that it is no part of a core.
        let mut given = vec![reversed.chosen];
        if is_entry {
            for formula in &mut formulas {
                *formula = cx.pool.substitute(*formula, &cx.graph.statics);
            }
            let all = cx.pool.and_all(&formulas);
            given.extend(self.disjuncts.given(cx, all));
        }
        let mut condition = chain.path();
        let is_contradiction =
            given.iter().chain(&formulas).any(|&formula| condition.assume(cx.pool, formula).is_err());
        let answer = match is_contradiction {
            true => Feasibility::Infeasible,
            false => chain.check(cx.pool, &condition, Pool::TRUE),
        };
        match answer {
            Feasibility::Feasible(_) if !is_entry => Outcome::Continues,
            Feasibility::Feasible(model) => Outcome::Possible(model),
            Feasibility::Unknown(reason) => Outcome::Unknown(reason.to_string()),
            Feasibility::Infeasible => {
                let core = chain.core_of(cx.pool, &given, &formulas);
                let is_needed = |formula: &Term| core.as_ref().is_none_or(|core| core.contains(formula));
                Outcome::Contradictory((0..formulas.len()).filter(|&at| is_needed(&formulas[at])).collect())
            }
        }
    }
}

/// A conjunct that is false.
fn contradiction(conjuncts: &[Conjunct]) -> Option<usize> {
    conjuncts.iter().position(|conjunct| conjunct.formula == Pool::FALSE)
}
