//! Both ways of carrying conditions in one run, as paper 1's sections 3.2 and 7 suggest: disjunct propagation as long as
//! conditions stay small, and conjunct combination where they grow.
//!
//! The condition at a node is a formula over the values of the program variables there, as in [`super::disjuncts`]. If it
//! becomes large, or if it is not small where several predecessors need it, it gets a *name*: a propositional variable
//! that implies the formula, in which *symbols* stand for everything that the program may still change, as in
//! [`super::conjuncts`]. From there on, the condition is the name, and that each symbol equals what it stands for.
//! So the formulas of all nodes together are about as large as the graph.
//!
//! A name has the same models as its formula. A condition is a disjunction of paths without negated names, so that an
//! implication in one direction is enough. An execution passes a node once, so that all predecessors can share its name
//! and its symbols.

use super::disjuncts::{Before, Disjuncts};
use super::{Context, Strategy};
use crate::config::Variant;
use crate::graph::{Node, NodeId, Step};
use aback_logic::{Node as TermNode, Pool, Sort, Term};
use aback_smt::Chain;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Largest formula, in different subterms, that several predecessors copy.
const SHARED: usize = 24;
/// Largest formula without a name. What a symbol equals is part of the formula if it is larger than `SHARED`.
const ALONE: usize = 160;

/// Disjunct propagation with names.
pub(crate) struct Mixed {
    disjuncts: Disjuncts,
    /// What each name implies. An implication comes after those of the names that its conclusion mentions.
    pub implications: Vec<(Term, Term)>,
}

/// The condition at a node: the formula holds, and each symbol equals the term beside it. The terms are over the values
/// at the node.
#[derive(Clone, Debug)]
pub(crate) struct State {
    formula: Term,
    symbols: Rc<Vec<(Term, Term)>>,
}

impl Default for Mixed {
    fn default() -> Self {
        Mixed { disjuncts: Disjuncts::new(Variant::DisjTerm), implications: Vec::new() }
    }
}

impl Mixed {
    /// Gives the formula of a state a name, unless it has one.
    fn name(&mut self, cx: &mut Context, state: State) -> State {
        if matches!(cx.pool.node(state.formula), TermNode::Var(_) | TermNode::Bool(_)) {
            return state;
        }
        let State { formula, symbols } = state;
        // What the program no longer changes as a whole is said once and for all.
        let (mut kept, settled): (Vec<_>, Vec<_>) =
            symbols.iter().partition(|(_, term)| self.disjuncts.is_place(cx, *term));
        let settled: Vec<Term> = settled.into_iter().map(|(symbol, term)| cx.pool.eq(symbol, term)).collect();
        let all = cx.pool.and_all(&[&[formula][..], &settled].concat());
        let Some(places) = self.places(cx, all) else { return State { formula, symbols } };
        let mut known: FxHashMap<Term, Term> = kept.iter().map(|&(symbol, place)| (place, symbol)).collect();
        let mut pairs = Vec::with_capacity(places.len());
        for place in places {
            // A cell of an object that is a place itself becomes a cell of the object's symbol, so that reads do not nest.
            let of_symbols = Disjuncts::map_parts(cx, place, &pairs);
            let symbol = *known.entry(of_symbols).or_insert_with(|| {
                let name = cx.pool.show(place);
                let sort = cx.pool.sort(place);
                let symbol = cx.pool.fresh_var(&name, sort);
                kept.push((symbol, of_symbols));
                symbol
            });
            pairs.push((place, symbol));
        }
        let renamed = cx.pool.substitute(all, &pairs);
        let name = cx.pool.fresh_var("c", Sort::Bool);
        self.implications.push((name, renamed));
        State { formula: name, symbols: Rc::new(kept) }
    }

    /// The places that a formula reads, each after those inside of it. `None` if no symbol can stand for one of them: it
    /// depends on a variable that a quantifier binds, or it is all elements of an array, which are written one by one.
    fn places(&self, cx: &Context, formula: Term) -> Option<Vec<Term>> {
        let (mut places, mut seen, mut pending) = (Vec::new(), FxHashSet::default(), vec![formula]);
        let mut is_quantified = false;
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            if self.disjuncts.is_place(cx, term) {
                if !cx.has_arrays() && matches!(cx.pool.sort(term), Sort::Array(_)) {
                    return None;
                }
                places.push(term);
                pending.extend(Disjuncts::parts(cx, term));
                continue;
            }
            is_quantified |= matches!(cx.pool.node(term), TermNode::Quantified { .. });
            cx.pool.node(term).for_each_child(|child| pending.push(child));
        }
        if is_quantified {
            let free: FxHashSet<_> = cx.pool.free_variables(&[formula]).into_iter().collect();
            if !cx.pool.free_variables(&places).iter().all(|variable| free.contains(variable)) {
                return None;
            }
        }
        // A term's id is greater than those of its subterms.
        places.sort_unstable();
        Some(places)
    }

    /// Whether a formula has more different subterms than `most`.
    fn is_larger(cx: &Context, formula: Term, most: usize) -> bool {
        let (mut seen, mut pending) = (FxHashSet::default(), vec![formula]);
        while let Some(term) = pending.pop() {
            if seen.insert(term) {
                if seen.len() > most {
                    return true;
                }
                cx.pool.node(term).for_each_child(|child| pending.push(child));
            }
        }
        false
    }

    fn name_if_larger(&mut self, cx: &mut Context, state: State, most: usize) -> State {
        if Self::is_larger(cx, state.formula, most) { self.name(cx, state) } else { state }
    }
}

/// The conjuncts of a formula.
fn conjuncts(pool: &Pool, formula: Term) -> Vec<Term> {
    match pool.node(formula) {
        TermNode::And(parts) => parts.to_vec(),
        _ => vec![formula],
    }
}

/// A disjunction, with the conjuncts that all parts have in front.
fn either(pool: &mut Pool, ways: &[Term]) -> Term {
    let parts: Vec<Vec<Term>> = ways.iter().map(|&way| conjuncts(pool, way)).collect();
    let Some((first, others)) = parts.split_first() else { return Pool::FALSE };
    let common: Vec<Term> =
        first.iter().copied().filter(|part| others.iter().all(|other| other.contains(part))).collect();
    if common.is_empty() {
        return pool.or_all(ways);
    }
    let rests: Vec<Term> = parts
        .iter()
        .map(|parts| {
            let rest: Vec<Term> = parts.iter().copied().filter(|part| !common.contains(part)).collect();
            pool.and_all(&rest)
        })
        .collect();
    let rest = pool.or_all(&rests);
    pool.and_all(&[&common[..], &[rest]].concat())
}

impl Strategy for Mixed {
    type State = State;

    fn leaf(&mut self, _: &mut Context, _: NodeId, selector: Term) -> State {
        State { formula: selector, symbols: Rc::default() }
    }

    fn merge(&mut self, cx: &mut Context, _: NodeId, mut ways: Vec<(Term, State)>) -> State {
        if ways.len() == 1
            && let Some((condition, state)) = ways.pop()
        {
            return State { formula: cx.pool.and(condition, state.formula), ..state };
        }
        let states: Vec<&State> = ways.iter().map(|(_, state)| state).collect();
        let is_common = |pair: &(Term, Term)| states.iter().all(|state| state.symbols.contains(pair));
        let common: Vec<(Term, Term)> = states[0].symbols.iter().filter(|pair| is_common(pair)).copied().collect();
        let known: FxHashSet<(Term, Term)> = common.iter().copied().collect();
        let mut formulas = Vec::with_capacity(ways.len());
        for (condition, state) in &ways {
            let mut parts = vec![*condition, state.formula];
            for pair in state.symbols.iter().filter(|pair| !known.contains(pair)) {
                parts.push(cx.pool.eq(pair.0, pair.1));
            }
            formulas.push(cx.pool.and_all(&parts));
        }
        State { formula: either(cx.pool, &formulas), symbols: Rc::new(common) }
    }

    fn process(&mut self, cx: &mut Context, step: &Step, state: State) -> State {
        let mut before: Before = self.disjuncts.begin(cx, step);
        let State { formula, mut symbols } = state;
        let mut parts = vec![Disjuncts::before(cx, step, &mut before, formula)];
        for at in (0..symbols.len()).rev() {
            let (symbol, term) = symbols[at];
            let changed = Disjuncts::before(cx, step, &mut before, term);
            if changed == term {
                continue;
            }
            let symbols = Rc::make_mut(&mut symbols);
            match cx.pool.is_const(changed) || Self::is_larger(cx, changed, SHARED) {
                true => {
                    symbols.swap_remove(at);
                    parts.push(cx.pool.eq(symbol, changed));
                }
                false => symbols[at].1 = changed,
            }
        }
        parts.append(&mut before.axioms);
        let changed = cx.pool.and_all(&parts);
        let state = State { formula: changed, symbols };
        if changed == formula { state } else { self.name_if_larger(cx, state, ALONE) }
    }

    fn share(&mut self, cx: &mut Context, state: State) -> State {
        self.name_if_larger(cx, state, SHARED)
    }

    fn is_hopeless(&mut self, _: &mut Context, _: &mut Chain, _: &Node, state: &State) -> bool {
        state.formula == Pool::FALSE
    }

    fn condition(&mut self, cx: &mut Context, state: &State) -> Vec<Term> {
        let mut parts = vec![state.formula];
        for &(symbol, term) in state.symbols.iter() {
            parts.push(cx.pool.eq(symbol, term));
        }
        let all = cx.pool.and_all(&parts);
        self.disjuncts.condition(cx, &vec![all])
    }

    fn named(&self) -> u64 {
        self.implications.len() as u64
    }

    fn show(&self, cx: &Context, state: &State) -> String {
        let mut parts = vec![cx.pool.show(state.formula)];
        parts.extend(
            state.symbols.iter().map(|&(symbol, term)| format!("({} == {})", cx.pool.show(symbol), cx.pool.show(term))),
        );
        parts.join(" && ")
    }
}
