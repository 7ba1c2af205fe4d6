//! Drops states that are instances of states that were at the same place before.
//!
//! A state `s` is an instance of a state `t` if both are at the same place, and `s` is `t` with other objects and with other values of
//! the variables in it: each execution that is in `s` could be in `t` with these values, and goes on as it does there. So what can be
//! violated behind `s` can be violated behind `t`, after as many steps; hence `s` need not be executed if `t` has been or will be. That holds of
//! `t` itself, too, if it comes to its place again. Locals, objects and conditions that nothing will read do not count.
//!
//! A path condition consists of a part that has variables in common with what `t` contains or with the input heap, and of the rest. `s` has to
//! imply the first part. The rest says nothing about the values in question if it can hold at all, which is why `t` must have
//! a model.

use crate::config::{Loops, Subsumption};
use crate::engine::Engine;
use crate::state::State;
use aback_heap::{Comparison, Fingerprint, Heap, Instance, Permanent, Value};
use aback_ir::{Body, MethodId, Point};
use aback_logic::{Node, Pool, Simplifier, Term, VarId};
use aback_smt::PathCondition;
use aback_symbolic::inputs::Nondet;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Number of waiting states from which on states are compared.
const MANY_WAITING: usize = 8;
/// Most states that are kept.
const MOST_KEPT: usize = 20_000;
/// Most kept states with which a state is compared.
const MOST_COMPARED: usize = 4;
/// Number of places behind a fork at which a state is looked at.
pub(crate) const PLACES: u8 = 8;

/// The states that have been at places where states are compared.
pub(crate) struct Visited<H> {
    /// By fingerprint.
    states: FxHashMap<u64, Vec<State<H>>>,
    count: usize,
    permanent: Option<Permanent>,
    /// The locals that are read behind points of frames, by method and point.
    live: FxHashMap<(MethodId, Point), Rc<[bool]>>,
    /// The variables of conjuncts.
    variables: FxHashMap<Term, Rc<[VarId]>>,
}

impl<H> Default for Visited<H> {
    fn default() -> Self {
        Visited {
            states: FxHashMap::default(),
            count: 0,
            permanent: None,
            live: FxHashMap::default(),
            variables: FxHashMap::default(),
        }
    }
}

impl<H: Heap> Engine<'_, H> {
    /// Whether a state that has just jumped is compared with others here: at the head of a loop or at the start of a method of the program
    /// itself.
    #[inline]
    pub(crate) fn is_compared(&mut self, state: &State<H>) -> bool {
        state.has_arrived
            && match self.config.subsumption {
                Subsumption::Never => false,
                Subsumption::Auto => state.comparisons > 0 && self.frontier.len() >= MANY_WAITING,
                Subsumption::Always => true,
            }
            && self.compares()
            && self.is_place_to_compare(state)
    }

    /// Whether this exploration can leave states out. Where the iterations of loops are bounded, it cannot: an earlier state may have had more
    /// of them, so that its path ends sooner.
    fn compares(&self) -> bool {
        self.config.loops == Loops::Unwound && self.config.unwind.is_none() && !self.wants_each_path()
    }

    fn is_place_to_compare(&mut self, state: &State<H>) -> bool {
        let (method, at) = (state.frame.method, state.frame.at);
        at.op == 0
            && state.observer.is_none()
            && state.suspended.is_none()
            && !self.program.is_library_method(method)
            && (at.block == Body::ENTRY || self.structure(method).is_some_and(|structure| structure.is_head(at.block)))
    }

    /// Whether a state is an instance of one that was here before. Otherwise it is kept, so that later ones may be its instances.
    pub(crate) fn is_subsumed(&mut self, state: &mut State<H>) -> bool {
        // What is forked off before anything is executed here is an instance of this state, and must not be compared with it.
        state.has_arrived = false;
        state.comparisons = state.comparisons.saturating_sub(1);
        let known = self.visited.permanent.take();
        let Some(permanent) = state.heap.permanent(known, &self.layout) else { return false };
        let Some(fingerprint) = self.fingerprint(state, &permanent) else {
            self.visited.permanent = Some(permanent);
            return false;
        };
        let known = self.visited.states.remove(&fingerprint).unwrap_or_default();
        self.result.work.compared += 1;
        let is_subsumed =
            known.iter().rev().take(MOST_COMPARED).any(|earlier| self.has_instance(earlier, state, &permanent));
        let known = self.visited.states.entry(fingerprint).or_insert(known);
        if is_subsumed {
            self.result.work.subsumed += 1;
        } else if self.visited.count < MOST_KEPT && state.path.current_model().is_some() {
            known.push(state.clone());
            self.visited.count += 1;
        }
        self.visited.permanent = Some(permanent);
        is_subsumed
    }

    /// The fingerprint of a state; `None` if it is too large to be compared.
    fn fingerprint(&mut self, state: &State<H>, permanent: &Permanent) -> Option<u64> {
        let mut hasher = FxHasher::default();
        let mut roots = Vec::new();
        for frame in state.frames() {
            (frame.method, frame.at).hash(&mut hasher);
            let Some(body) = self.program.body(frame.method) else { continue };
            let live = self.live_at(frame.method, frame.at);
            let locals = body.locals.iter().zip(&frame.locals).zip(live.iter());
            roots.extend(locals.filter(|&(_, &is_live)| is_live).map(|((local, &value), _)| (local.ty, value)));
        }
        let mut fingerprint = Fingerprint {
            pool: &mut self.pool,
            program: self.program,
            layout: &self.layout,
            permanent,
            known: Simplifier::new(state.path.domain()),
            hasher,
        };
        let is_whole = state.heap.add_to_fingerprint(&roots, &mut fingerprint);
        is_whole.then(|| fingerprint.hasher.finish())
    }

    /// Which locals of a frame at a point are read later.
    fn live_at(&mut self, method: MethodId, at: Point) -> Rc<[bool]> {
        if let Some(known) = self.visited.live.get(&(method, at)) {
            return Rc::clone(known);
        }
        let structure = self.structure(method);
        let live: Rc<[bool]> = match (structure, self.program.body(method)) {
            (Some(structure), Some(body)) => structure.live_at(body, at).into(),
            _ => Rc::new([]),
        };
        self.visited.live.insert((method, at), Rc::clone(&live));
        live
    }

    /// Whether `other` is an instance of `one`.
    fn has_instance(&mut self, one: &State<H>, other: &State<H>, permanent: &Permanent) -> bool {
        if !one.is_at_place_of(other) || self.config.depth.is_some() && one.depth > other.depth {
            return false;
        }
        let live: Vec<_> = one.frames().map(|frame| self.live_at(frame.method, frame.at)).collect();
        let mut comparison = Comparison {
            pool: &mut self.pool,
            program: self.program,
            layout: &self.layout,
            permanent,
            one: Simplifier::new(one.path.domain()),
            other: Simplifier::new(other.path.domain()),
            instance: Instance::default(),
        };
        let mut frames = one.frames().zip(other.frames()).zip(live);
        let is_instance = frames.all(|((frame, other), live)| {
            let Some(body) = self.program.body(frame.method) else { return false };
            let mut locals = frame.locals.iter().zip(&other.locals).zip(&body.locals).zip(live.iter());
            locals.all(|(((&one, &other), local), is_live)| !is_live || comparison.value(local.ty, one, other))
        });
        let is_instance = is_instance && one.heap.has_instance(&other.heap, &mut comparison);
        let instance = comparison.instance;
        // A permanent object that was not looked at is itself.
        let same = |id| permanent.contains(id).then_some(id);
        let by = |id| instance.object(id).or_else(|| same(id));
        let original = |id| instance.original(id).or_else(|| same(id));
        is_instance
            && one.thrown.has_instance(&other.thrown, by, original)
            && self.path_has_instance(one, other, &instance)
    }

    /// Whether the path condition of `other` implies what that of `one` says about the values in question, with what takes the place of its
    /// variables.
    fn path_has_instance(&mut self, one: &State<H>, other: &State<H>, instance: &Instance) -> bool {
        let free = self.free_to_choose(one);
        let mut by = Replacement { free: &free, by: FxHashMap::default() };
        by.match_all(&self.pool, instance.terms());
        let values: Vec<Term> = instance.terms().iter().map(|&(term, _)| term).collect();
        let conditions = self.about(&one.path, &values, &free);
        let known: FxHashSet<Term> = other.path.conjuncts().collect();
        // Variables that occur in conditions only are matched by what the other path says in the same form.
        for &condition in &conditions {
            if !by.has_all(&self.variables_of(condition)) {
                let found = other.path.conjuncts().find_map(|other| by.matched(&self.pool, condition, other));
                by.by.extend(found.unwrap_or_default());
            }
        }
        let pairs = by.pairs(&self.pool);
        let replaced = |pool: &mut Pool, term| if pairs.is_empty() { term } else { pool.substitute(term, &pairs) };
        let mut simplifier = Simplifier::new(other.path.domain());
        instance.terms().iter().all(|&(term, by)| {
            let term = replaced(&mut self.pool, term);
            term == by || simplifier.simplified(&mut self.pool, term) == by
        }) && conditions.into_iter().all(|condition| {
            let condition = replaced(&mut self.pool, condition);
            known.contains(&condition) || other.path.domain().decide(&self.pool, condition) == Some(true)
        }) && !self.pool.is_stopped()
    }

    /// The variables that stand for numbers among the arguments and for values that an intrinsic returned on a path. All others belong to
    /// the heap at entry, about which anything may be asked later.
    fn free_to_choose(&mut self, state: &State<H>) -> FxHashSet<VarId> {
        let mut free = FxHashSet::default();
        let mut add = |term: Term| {
            if let Node::Var(id) = self.pool.node(term) {
                free.insert(*id);
            }
        };
        for &(argument, ty) in &self.arguments {
            if let (Value::Term(term), false) = (argument, ty.is_reference()) {
                add(term);
            }
        }
        for (_, given) in state.nondet.iter() {
            match given {
                Nondet::Value(term, ty) if !ty.is_reference() => add(*term),
                Nondet::Elements { cells, array, length, element } if !element.is_reference() => {
                    cells.iter().chain([length]).for_each(|cell| {
                        if let Value::Term(term) = cell {
                            add(*term);
                        }
                    });
                    array.iter().for_each(|&array| add(array));
                }
                _ => {}
            }
        }
        free
    }

    /// The conjuncts of a path that are connected with some terms, or with variables that are not free.
    fn about(&mut self, path: &PathCondition, terms: &[Term], free: &FxHashSet<VarId>) -> Vec<Term> {
        let mut wanted: FxHashSet<VarId> = self.pool.free_variables(terms).into_iter().collect();
        let mut rest: Vec<(Term, Rc<[VarId]>)> = path.conjuncts().map(|term| (term, self.variables_of(term))).collect();
        let mut found = Vec::new();
        loop {
            let (about, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, variables)| {
                variables.is_empty() || variables.iter().any(|id| wanted.contains(id) || !free.contains(id))
            });
            rest = others;
            if about.is_empty() {
                return found;
            }
            for (condition, variables) in about {
                wanted.extend(variables.iter());
                found.push(condition);
            }
        }
    }

    fn variables_of(&mut self, condition: Term) -> Rc<[VarId]> {
        let pool = &self.pool;
        let known = self.visited.variables.entry(condition);
        Rc::clone(known.or_insert_with(|| pool.free_variables(&[condition]).into()))
    }
}

/// What takes the place of variables.
struct Replacement<'a> {
    /// The variables that can be replaced.
    free: &'a FxHashSet<VarId>,
    by: FxHashMap<VarId, Term>,
}

impl Replacement<'_> {
    /// Finds out what takes the place of the variables in the first terms of pairs, if the second ones are these terms with other
    /// variables. The result is a guess: operands of a commutative operator may be in another order.
    fn match_all(&mut self, pool: &Pool, pairs: &[(Term, Term)]) {
        // Where a variable is a value itself, there is no doubt.
        let (plain, others): (Vec<_>, Vec<_>) =
            pairs.iter().copied().partition(|&(term, _)| matches!(pool.node(term), Node::Var(_)));
        for (term, other) in plain.into_iter().chain(others) {
            for (id, other) in self.matched(pool, term, other).unwrap_or_default() {
                self.by.entry(id).or_insert(other);
            }
        }
    }

    /// What takes the place of further variables if `other` is `term` with other variables; `None` if it has another form or contradicts
    /// what is known.
    fn matched(&self, pool: &Pool, term: Term, other: Term) -> Option<FxHashMap<VarId, Term>> {
        let mut found = FxHashMap::default();
        let mut pending = vec![(term, other)];
        let mut seen = FxHashSet::default();
        while let Some((term, other)) = pending.pop() {
            if !seen.insert((term, other)) {
                continue;
            }
            match pool.node(term) {
                Node::Var(id) if self.free.contains(id) => {
                    if pool.sort(term) != pool.sort(other) {
                        return None;
                    }
                    let known = self.by.get(id).copied().unwrap_or_else(|| *found.entry(*id).or_insert(other));
                    if known != other {
                        return None;
                    }
                }
                _ if term == other && pool.is_const(term) => {}
                node => {
                    let (mut parts, mut others) = (Vec::new(), Vec::new());
                    node.for_each_child(|child| parts.push(child));
                    pool.node(other).for_each_child(|child| others.push(child));
                    let is_same_kind = std::mem::discriminant(node) == std::mem::discriminant(pool.node(other));
                    if !is_same_kind || parts.len() != others.len() || parts.is_empty() && term != other {
                        return None;
                    }
                    pending.extend(parts.into_iter().zip(others));
                }
            }
        }
        Some(found)
    }

    fn has_all(&self, variables: &[VarId]) -> bool {
        variables.iter().all(|id| !self.free.contains(id) || self.by.contains_key(id))
    }

    /// The variables with what takes their place.
    fn pairs(&self, pool: &Pool) -> Vec<(Term, Term)> {
        let pairs = self.by.iter().map(|(&id, &term)| (pool.variable_term(id), term));
        pairs.filter(|(variable, term)| variable != term).collect()
    }
}
