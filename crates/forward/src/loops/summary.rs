//! Computes the state behind all iterations of a loop.

use super::initialization::Guarded;
use super::relations::Guess;
use super::unrolling::{Passed, Trail};
use super::{Part, Region, Way};
use crate::config::Loops;
use crate::engine::Engine;
use crate::state::State;
use aback_heap as heap;
use aback_heap::{Content, Heap, Scope, Value, sort_of};
use aback_ir::{Body, LocalId, Type};
use aback_logic::{BvOrder, Conversion, Integer, Node, Pool, Sort, Term};
use aback_loops::{Backbone, Changed, Direction, Iterated, Looping, iterate, signed, unbounded};
use aback_smt::{Feasibility, PathCondition};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::Duration;

/// Most rounds until a loop changes no more.
const MOST_ROUNDS: usize = 20;
/// Most objects to which an unknown reference may refer, besides those of the input.
const MOST_OBJECTS: usize = 8;
/// Most cases that a path distinguishes in loops.
const MOST_CASES: u32 = 6;
/// The bounds of path counters that are looked for.
const LIMITS: [u32; 3] = [1, 4, 12];
const GREATEST_LIMIT: u32 = 48;
/// If so many questions about bounds of a loop have no answer, no more are asked.
const MOST_UNANSWERED: u32 = 3;

/// Time limit of questions whose answer is of use, and not needed.
const AT_ONCE: Duration = Duration::from_millis(300);

/// A variable of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Variable {
    Local(LocalId),
    Heap(heap::Place),
}

/// The references that a variable can be: constants, and `None` for any of the input heap.
type Targets = FxHashMap<Variable, Vec<Option<Term>>>;

/// An unknown value of a variable.
pub(super) struct Unknown {
    pub(super) variable: Variable,
    pub(super) content: Content,
}

/// The iterations from a start that stands for the starts of all.
pub(super) struct Round<H> {
    pub(super) start: State<H>,
    /// What is unknown at the start.
    pub(super) unknown: Vec<Unknown>,
    pub(super) ends: Vec<State<H>>,
    /// Number of variables before.
    floor: usize,
}

/// What is known of all iterations of a loop.
pub(super) enum Summary<H> {
    /// The state behind them.
    Behind(Box<State<H>>),
    /// Some iterations require a condition that others do not, and none changes whether it holds. So it holds in all of them
    /// or in none.
    Cases(Term),
    /// Some iterations initialize these classes of the platform.
    Initializes(Vec<Guarded>),
}

impl<H: Heap> Engine<'_, H> {
    /// What is known of any number of iterations of the loop at whose head a state is. `ends` are those of one iteration,
    /// before which there were `floor` variables.
    pub(super) fn summarise(&mut self, state: &State<H>, ends: &[State<H>], floor: usize) -> Option<Summary<H>> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut targets: Targets = FxHashMap::default();
        self.note_changes(state, state, (ends, floor), &mut variables, &mut targets)?;
        let mut guesses = self.directions_of_samples(state, &variables);
        let (mut is_all_guessed, mut are_states_guessed) = (false, false);
        for number in 0..MOST_ROUNDS {
            if number + 2 >= MOST_ROUNDS {
                (guesses, is_all_guessed, are_states_guessed) = (Vec::new(), true, true);
            }
            let noted = self.noted();
            let round = self.round(state, &variables, &targets, &guesses)?;
            let classes = self.initialized_by(state, &round.ends);
            if !classes.is_empty() {
                self.forget_since(noted);
                return Some(Summary::Initializes(classes));
            }
            let ends = (&round.ends[..], round.floor);
            if self.note_changes(state, &round.start, ends, &mut variables, &mut targets)? {
                self.forget_since(noted);
                if !is_all_guessed {
                    guesses = self.directions_of_samples(state, &variables);
                }
                continue;
            }
            if state.summarised.cases < MOST_CASES
                && let Some(condition) = self.undecided(&round)
            {
                return Some(Summary::Cases(condition));
            }
            let kept = self.kept(state, &round, &guesses)?;
            let are_all_kept = kept.len() == guesses.len();
            guesses = kept;
            if are_all_kept {
                let mut more = match std::mem::replace(&mut is_all_guessed, true) {
                    true => Vec::new(),
                    false => self.guess(state, &round, &guesses)?,
                };
                // What is known otherwise excludes some states.
                if more.is_empty() && !std::mem::replace(&mut are_states_guessed, true) {
                    more.extend(self.guess_states(state, &round));
                }
                if more.is_empty() {
                    let guesses = self.independent(state, &round, &guesses)?;
                    return self.behind(state, round, &guesses, &targets).map(|behind| Summary::Behind(behind.into()));
                }
                guesses.extend(more);
            }
            self.forget_since(noted);
        }
        None
    }

    /// A condition of some iterations, and not of others, that no iteration changes.
    fn undecided(&self, round: &Round<H>) -> Option<Term> {
        let Round { start, ends, floor, .. } = round;
        let known: FxHashSet<Term> = start.path.conjuncts().collect();
        let conditions: Vec<FxHashSet<Term>> = ends.iter().map(|end| end.path.conjuncts().collect()).collect();
        let is_fixed = |condition: Term| {
            let variables = self.pool.free_variables(&[condition]);
            variables.into_iter().all(|id| id.index() < *floor || self.input.describes(self.pool.variable_term(id)))
        };
        let all = ends.iter().flat_map(|end| end.path.conjuncts());
        all.filter(|condition| !known.contains(condition))
            .find(|condition| conditions.iter().any(|of_one| !of_one.contains(condition)) && is_fixed(*condition))
    }

    /// Executes the iterations on a start of which nothing is known about these variables but these guesses.
    fn round(
        &mut self,
        state: &State<H>,
        variables: &[Variable],
        targets: &Targets,
        guesses: &[Guess],
    ) -> Option<Round<H>> {
        let floor = self.pool.variables().count();
        let mut start = state.clone();
        let unknown = self.forget(&mut start, variables, targets)?;
        for guess in guesses {
            let holds = self.related(state, &start, guess)?;
            if !self.assume(&mut start, holds) {
                return None;
            }
        }
        let ends = self.iterations(&start)?.ends;
        Some(Round { start, unknown, ends, floor })
    }

    /// Notes the variables that differ between the start and the ends of iterations, and the objects to which references
    /// among them refer. Returns whether there are more than before. `None` if there are differences of another kind.
    fn note_changes(
        &mut self,
        state: &State<H>,
        start: &State<H>,
        (ends, floor): (&[State<H>], usize),
        variables: &mut Vec<Variable>,
        targets: &mut Targets,
    ) -> Option<bool> {
        let body = self.program.body(state.frame.method)?;
        let structure = self.structure(state.frame.method)?;
        let head = state.frame.at.block;
        let mut is_more = false;
        for end in ends {
            let mut changed: Vec<Variable> = Vec::new();
            let locals = start.frame.locals.iter().zip(&end.frame.locals).enumerate();
            for (local, _) in locals.filter(|(_, (before, after))| before != after) {
                let local = LocalId(local as u32);
                if structure.liveness.is_live(head, local) {
                    changed.push(Variable::Local(local));
                }
            }
            let places = self.in_scope(end, |heap, scope| heap.differences(scope, &start.heap, floor))?;
            changed.extend(places.into_iter().map(Variable::Heap));
            for variable in changed {
                let (variable, is_new) = add_variable(variables, variable);
                is_more |= is_new;
                let (before, after) = (self.content(state, body, variable)?, self.content(end, body, variable)?);
                for content in [before, after] {
                    match content {
                        Content::Value(value, ty) if ty.is_reference() => {
                            let known = targets.entry(variable).or_default();
                            let mut found = Vec::new();
                            leaves(&mut self.pool, value, &mut found)?;
                            for leaf in found {
                                // Objects that the iteration has made are not in the heap at its start.
                                if let Value::Object(id) = Value::from_term(&self.pool, leaf, ty)
                                    && state.heap.object(id).is_none()
                                {
                                    return None;
                                }
                                let target = matches!(self.pool.node(leaf), Node::Int(_)).then_some(leaf);
                                if !known.contains(&target) {
                                    known.push(target);
                                    is_more = true;
                                }
                            }
                            if known.len() > MOST_OBJECTS {
                                return None;
                            }
                        }
                        // An unknown element may be an object that is allocated.
                        Content::Elements(_, ty) if ty.is_reference() => return None,
                        _ => {}
                    }
                }
            }
        }
        Some(is_more)
    }

    pub(super) fn in_scope<R>(&mut self, state: &State<H>, f: impl FnOnce(&H, &mut Scope) -> R) -> R {
        let mut met = crate::access::Met::default();
        self.on_heap(&state.path, false, &mut met, |scope| f(&state.heap, scope))
    }

    /// Changes the heap of a state in a way that meets no errors.
    pub(super) fn change_heap<R>(&mut self, state: &mut State<H>, f: impl FnOnce(&mut H, &mut Scope) -> R) -> R {
        let mut met = crate::access::Met::default();
        let State { heap, path, .. } = state;
        self.on_heap(path, false, &mut met, |scope| f(heap, scope))
    }

    pub(super) fn content(&mut self, state: &State<H>, body: &Body, variable: Variable) -> Option<Content> {
        match variable {
            Variable::Local(local) => {
                Some(Content::Value(*state.frame.locals.get(local.index())?, body.local(local).ty))
            }
            Variable::Heap(place) => self.in_scope(state, |heap, scope| heap.content(scope, place)),
        }
    }

    fn set_content(&mut self, state: &mut State<H>, variable: Variable, content: Content) {
        match (variable, content) {
            (Variable::Local(local), Content::Value(value, _)) => state.frame.locals[local.index()] = value,
            (Variable::Heap(place), content) => {
                self.change_heap(state, |heap, scope| heap.set_content(scope, place, content));
            }
            _ => {}
        }
    }

    /// Replaces the values of variables with unknown ones. `None` if the path becomes infeasible.
    fn forget(&mut self, state: &mut State<H>, variables: &[Variable], targets: &Targets) -> Option<Vec<Unknown>> {
        let mut unknown = Vec::new();
        for &variable in variables {
            let content = self.unknown(state, variable, targets)?;
            self.set_content(state, variable, content);
            unknown.push(Unknown { variable, content });
        }
        Some(unknown)
    }

    /// An unknown value of a variable.
    fn unknown(&mut self, state: &mut State<H>, variable: Variable, targets: &Targets) -> Option<Content> {
        let body = self.program.body(state.frame.method)?;
        match self.content(state, body, variable)? {
            Content::Value(_, ty) if ty.is_reference() => {
                let mut value: Option<Term> = None;
                for &target in targets.get(&variable)? {
                    let target = match target {
                        Some(constant) => constant,
                        None => self.input_value(state, "any", ty)?.to_term(&mut self.pool, ty),
                    };
                    value = Some(match value {
                        Some(other) => {
                            let choice = self.pool.fresh_var("choice", Sort::Bool);
                            self.pool.ite(choice, target, other)
                        }
                        None => target,
                    });
                }
                Some(Content::Value(Value::from_term(&self.pool, value?, ty), ty))
            }
            Content::Value(_, ty) => Some(Content::Value(Value::Term(self.pool.fresh_var("any", sort_of(ty))), ty)),
            Content::Elements(term, ty) => {
                let sort = self.pool.sort(term);
                Some(Content::Elements(self.pool.fresh_var("any", sort), ty))
            }
        }
    }

    /// What the iterations have in common.
    pub(super) fn looping(&mut self, state: &State<H>, round: &Round<H>) -> Option<Looping> {
        let Round { start, unknown, ends, floor } = round;
        let body = self.program.body(state.frame.method)?;
        let mut changed = Vec::new();
        for Unknown { variable, content } in unknown {
            let entry = self.content(state, body, *variable)?;
            let [start, entry] = [*content, entry].map(|content| self.term(content));
            changed.push(Changed { start, entry });
        }
        let known: FxHashSet<Term> = start.path.conjuncts().collect();
        let mut backbones = Vec::new();
        for end in ends {
            let condition: Vec<Term> = end.path.conjuncts().filter(|part| !known.contains(part)).collect();
            let mut values = Vec::new();
            for Unknown { variable, .. } in unknown {
                let content = self.content(end, body, *variable)?;
                values.push(self.term(content));
            }
            let inner = end.summarised.passed.iter().map(|inner| inner.looping.clone()).collect();
            backbones.push(Backbone { condition, values, inner });
        }
        // Facts about the start of an iteration.
        let before: FxHashSet<Term> = state.path.conjuncts().collect();
        let about_start: Vec<Term> = start.path.conjuncts().filter(|part| !before.contains(part)).collect();
        for backbone in &mut backbones {
            backbone.condition.extend(&about_start);
        }
        if self.loops == Loops::Heavy {
            for (backbone, end) in backbones.iter_mut().zip(ends) {
                self.count_inner(backbone, end);
            }
        }
        let starts: Vec<Term> = changed.iter().map(|variable| variable.start).collect();
        let starts: FxHashSet<_> = self.pool.free_variables(&starts).into_iter().collect();
        let own: Vec<Term> = self
            .pool
            .variables()
            .skip(*floor)
            .map(|(id, _)| id)
            .filter(|id| !starts.contains(id))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|id| self.pool.variable_term(id))
            .filter(|&variable| !self.input.describes(variable))
            .collect();
        Some(iterate(&mut self.pool, &changed, backbones, &own, &mut self.successors))
    }

    /// Finds how often the loops on a backbone run, where a solver sees at once that it is so in all executions.
    fn count_inner(&mut self, backbone: &mut Backbone, end: &State<H>) {
        for inner in 0..backbone.inner.len() {
            let iterations = backbone.iterations(&mut self.pool, inner);
            for least in backbone.possible_iterations(&mut self.pool, inner) {
                let is_some = self.pool.lt(Pool::ZERO, least);
                let count = self.pool.ite(is_some, least, Pool::ZERO);
                let same = self.pool.eq(iterations, count);
                let differ = self.pool.not(same);
                if self.excludes(&end.path, differ) {
                    backbone.set_iterations(&mut self.pool, inner, least);
                    break;
                }
            }
        }
    }

    /// The state behind the iterations, which keep what was guessed.
    fn behind(&mut self, state: &State<H>, round: Round<H>, guesses: &[Guess], targets: &Targets) -> Option<State<H>> {
        let body = self.program.body(state.frame.method)?;
        let mut looping = self.looping(state, &round)?;
        let Round { start, unknown, ends, floor } = &round;
        let (unknown, floor) = (&unknown[..], *floor);
        let mut behind = state.clone();
        let mut tame = looping.clone();
        for (at, Unknown { variable, content }) in unknown.iter().enumerate() {
            if let Some(sum) = self.unbounded_sum(&looping, unknown, at) {
                tame.set_exact(&mut self.pool, at, sum);
                if self.never_wraps(&looping, (ends, unknown), at) {
                    looping.set_exact(&mut self.pool, at, sum);
                }
            }
            let value = match looping.values()[at] {
                Iterated::Unknown => {
                    if let Some(direction) = self.direction(&looping, (ends, unknown), at) {
                        looping.set_direction(at, direction);
                        tame.set_direction(at, direction);
                    }
                    self.unknown(&mut behind, *variable, targets)?
                }
                // What an input reference may be is known of new ones.
                _ if looping.follows(at) => self.unknown(&mut behind, *variable, targets)?,
                _ => self.like(*content, looping.behind()[at]),
            };
            self.set_content(&mut behind, *variable, value);
            let value = self.term(value);
            looping.set_behind(at, value);
            tame.set_behind(at, value);
        }
        for (index, sum) in self.index_sums(&looping, ends) {
            looping.set_sum(index, sum);
            tame.set_sum(index, sum);
        }
        // What was guessed about values that have formulas follows from these.
        let is_exact = |variable: Variable| {
            let position = unknown.iter().position(|unknown| unknown.variable == variable);
            position.is_some_and(|at| looping.is_exact(&self.pool, at) && !looping.goes_both_ways(&self.pool, at))
        };
        let (implied, guesses): (Vec<&Guess>, Vec<&Guess>) =
            guesses.iter().partition(|guess| guess.variables().into_iter().all(is_exact));
        let implied: Option<Vec<Term>> = implied.iter().map(|guess| self.related(state, start, guess)).collect();
        let implied = implied?;
        looping.leave_out(&implied);
        tame.leave_out(&implied);
        let iterations = looping.backbones().iter().zip(ends).map(|(backbone, end)| Trail {
            condition: backbone.condition.clone(),
            nondet: end.nondet.to_vec(),
            passed: Rc::clone(&end.summarised.passed),
            values: backbone.values.clone(),
        });
        let iterations: Vec<Trail> = iterations.collect();
        let before = behind.path.len();
        let mut facts = looping.bounds(&mut self.pool);
        facts.extend(looping.ends(&mut self.pool));
        for guess in guesses {
            facts.push(self.related(state, &behind, guess)?);
        }
        facts.extend(self.summed((state, &behind), &round, &looping)?);
        if !self.assume_each(&mut behind, &facts) {
            return None;
        }
        self.find_limits(&mut behind, [&mut looping, &mut tame]);
        let (conjuncts, given) = (behind.path.len(), state.nondet.len());
        let names = unknown.iter().map(|unknown| self.name_of(body, unknown.variable)).collect();
        let place = self.place(state);
        let facts = behind.path.conjuncts().skip(before).collect();
        let passed = Passed { place, names, facts, looping, tame, iterations, floor, conjuncts, given };
        Rc::make_mut(&mut behind.summarised.passed).push(passed);
        let part = Part::Loop(behind.frame.at.block);
        let region = Region { frames: behind.frames, part, way: Way::Leaving };
        behind.summarised.regions.push(region);
        Some(behind)
    }

    /// The name of a variable for users.
    fn name_of(&self, body: &Body, variable: Variable) -> String {
        match variable {
            Variable::Local(local) => body.local(local).name.clone(),
            Variable::Heap(heap::Place::InputField(field, _) | heap::Place::InputFields(field)) => {
                self.program.field(field).name.clone()
            }
            Variable::Heap(heap::Place::Static(_) | heap::Place::Field(..)) => "field".into(),
            Variable::Heap(heap::Place::Element(..) | heap::Place::InputElement(..)) => "element".into(),
            Variable::Heap(_) => "elements".into(),
        }
    }

    fn assume_each(&mut self, state: &mut State<H>, facts: &[Term]) -> bool {
        facts.iter().all(|&fact| self.assume(state, fact))
    }

    pub(super) fn term(&mut self, content: Content) -> Term {
        match content {
            Content::Value(value, ty) => value.to_term(&mut self.pool, ty),
            Content::Elements(term, _) => term,
        }
    }

    fn like(&self, content: Content, term: Term) -> Content {
        match content {
            Content::Value(_, ty) => Content::Value(Value::from_term(&self.pool, term, ty), ty),
            Content::Elements(_, ty) => Content::Elements(term, ty),
        }
    }

    /// Whether a solver sees at once that a path excludes a condition.
    pub(super) fn excludes(&mut self, path: &PathCondition, condition: Term) -> bool {
        matches!(self.asked_within(path, condition, AT_ONCE), Feasibility::Infeasible)
    }

    /// Whether a condition can hold on a path, as far as a solver sees within a time.
    pub(super) fn asked_within(&mut self, path: &PathCondition, condition: Term, time: Duration) -> Feasibility {
        self.chain.limit_to(time);
        let answer = self.chain.check(&mut self.pool, path, condition);
        self.chain.limit_to(Duration::MAX);
        answer
    }

    /// Finds small bounds of path counters, which these conditions have in common.
    fn find_limits(&mut self, state: &mut State<H>, mut loopings: [&mut Looping; 2]) {
        let mut unanswered = 0;
        for (at, counter) in loopings[0].counters().to_vec().into_iter().enumerate() {
            let mut excludes_beyond = |engine: &mut Self, limit: u32| {
                let bound = engine.pool.int(i64::from(limit));
                let beyond = engine.pool.lt(bound, counter);
                let answer = engine.asked_within(&state.path, beyond, AT_ONCE);
                unanswered += u32::from(matches!(answer, Feasibility::Unknown(_)));
                matches!(answer, Feasibility::Infeasible)
            };
            // A counter that the greatest bound does not limit has no less one either.
            if !excludes_beyond(self, GREATEST_LIMIT) {
                if unanswered >= MOST_UNANSWERED {
                    break;
                }
                continue;
            }
            let limit = LIMITS.into_iter().find(|&limit| excludes_beyond(self, limit)).unwrap_or(GREATEST_LIMIT);
            loopings.iter_mut().for_each(|looping| looping.set_limit(at, limit));
            let bound = self.pool.int(i64::from(limit));
            let within = self.pool.le(counter, bound);
            self.assume(state, within);
        }
    }

    /// The value of a machine integer to which all iterations add constants, if it were an unbounded integer.
    fn unbounded_sum(&mut self, looping: &Looping, unknown: &[Unknown], at: usize) -> Option<Term> {
        let Content::Value(_, Type::Machine { width, signed: true }) = unknown[at].content else { return None };
        let mut sum = self.pool.convert(Conversion::BvToInt { signed: true }, looping.changed()[at].entry);
        for (step, &counter) in looping.steps(at)?.iter().zip(looping.counters()) {
            let Some(step) = *step else { continue };
            let step = Integer::from_signed_bits(self.pool.as_bits(step)?, width.into());
            let step = self.pool.integer(step);
            let product = self.pool.mul(step, counter);
            sum = self.pool.add(sum, product);
        }
        Some(sum)
    }

    /// The signed values of indices of elements that iterations write, as sums that do not wrap around.
    fn index_sums(&mut self, looping: &Looping, ends: &[State<H>]) -> Vec<(Term, Term)> {
        let mut sums: FxHashMap<Term, Option<Term>> = FxHashMap::default();
        for (backbone, index) in looping.written_indices(&self.pool) {
            let Some(sum) = *sums.entry(index).or_insert_with(|| unbounded(&mut self.pool, index)) else { continue };
            let value = signed(&mut self.pool, index);
            let same = self.pool.eq(value, sum);
            let wraps = self.pool.not(same);
            if value != sum && !self.excludes(&ends[backbone].path, wraps) {
                sums.insert(index, None);
            }
        }
        sums.into_iter().filter_map(|(index, sum)| Some((index, sum?))).collect()
    }

    /// Whether a machine integer to which all iterations add constants never leaves its range: no single addition does, at
    /// any value at the start of an iteration. By induction, the sum is the value itself.
    pub(super) fn never_wraps(
        &mut self,
        looping: &Looping,
        (ends, unknown): (&[State<H>], &[Unknown]),
        at: usize,
    ) -> bool {
        let (Content::Value(_, Type::Machine { width, signed: true }), Some(steps)) =
            (unknown[at].content, looping.steps(at))
        else {
            return false;
        };
        let (width, start) = (u32::from(width), looping.changed()[at].start);
        steps.iter().zip(ends).all(|(step, end)| {
            let Some(step) = *step else { return true };
            let step = self.pool.as_bits(step).and_then(|bits| Integer::from_signed_bits(bits, width).as_i64());
            let Some(step) = step else { return false };
            // The value at the start from which the step leads out of the range.
            let greatest = (1i128 << (width - 1)) - 1;
            let beyond = if step > 0 {
                let last = self.pool.bv(width, (greatest - i128::from(step)) as u128);
                self.pool.bv_compare(BvOrder::SLt, last, start)
            } else {
                let last = self.pool.bv(width, (-greatest - 1 - i128::from(step)) as u128);
                self.pool.bv_compare(BvOrder::SLt, start, last)
            };
            self.excludes(&end.path, beyond)
        })
    }

    /// How iterations change an unknown number: none makes it less, or none makes it greater, at any values at its start.
    fn direction(
        &mut self,
        looping: &Looping,
        (ends, unknown): (&[State<H>], &[Unknown]),
        at: usize,
    ) -> Option<Direction> {
        let Content::Value(_, ty) = unknown[at].content else { return None };
        if !is_number(ty) {
            return None;
        }
        let start = looping.changed()[at].start;
        let mut never = |before: fn(Term, Term) -> (Term, Term)| {
            looping.backbones().iter().zip(ends).all(|(backbone, end)| {
                let (one, other) = before(start, backbone.values[at]);
                let against = match ty {
                    Type::Int => self.pool.lt(one, other),
                    _ => self.pool.bv_compare(BvOrder::SLt, one, other),
                };
                self.excludes(&end.path, against)
            })
        };
        if never(|start, end| (end, start)) {
            return Some(Direction::Up);
        }
        never(|start, end| (start, end)).then_some(Direction::Down)
    }
}

/// Adds a variable, and returns the one that contains it, and whether that was not there. Places of the heap that may have
/// something in common are one variable.
fn add_variable(variables: &mut Vec<Variable>, mut variable: Variable) -> (Variable, bool) {
    let joined = |one: Variable, other: Variable| match (one, other) {
        (Variable::Heap(one), Variable::Heap(other)) => one.joined(other).map(Variable::Heap),
        _ => (one == other).then_some(one),
    };
    while let Some((at, both)) =
        variables.iter().enumerate().find_map(|(at, &other)| Some((at, joined(variable, other)?)))
    {
        if both == variables[at] {
            return (both, false);
        }
        variables.remove(at);
        variable = both;
    }
    variables.push(variable);
    (variable, true)
}

/// Whether the values of a type are integers or signed machine integers.
pub(super) fn is_number(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Machine { signed: true, .. })
}

/// The references that a value can be. `None` if they cannot be told apart.
pub(super) fn leaves(pool: &mut Pool, value: Value, found: &mut Vec<Term>) -> Option<()> {
    let mut pending = vec![value.to_term(pool, Type::Null)];
    let mut seen = FxHashSet::default();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match *pool.node(term) {
            Node::Ite(_, then, otherwise) => pending.extend([then, otherwise]),
            Node::Int(_) | Node::Var(_) | Node::Select(..) => found.push(term),
            _ => return None,
        }
    }
    Some(())
}
