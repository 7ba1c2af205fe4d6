//! Finds the states that a loop can be in, and limits of numbers in each of them.
//!
//! The state of a machine is in variables that have few values: truth values, references to known objects (constants of an
//! enum, say) and numbers with few values. What a loop does to a number often depends on the state, so that no limits of the
//! number hold by induction alone, but those in each state do together. They are found as a least fixpoint of iterations,
//! with a solver instead of abstract operations (Reps, Sagiv and Yorsh, 2004): it gives an iteration that ends outside of what is
//! known to be reached, and then the extremes of all that end in the same state. Limits that go on growing are widened to the
//! constants of the loop, and narrowed again when nothing leaves them (Cousot and Cousot, 1977).
//!
//! The result is only a guess, which is proved by induction as all guesses are. So no mistake here makes a proof wrong, and whatever
//! takes long is given up.

use super::relations::Guess;
use super::summary::{Round, Unknown, Variable, is_number, leaves};
use crate::engine::{Engine, PathModel};
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap::{Content, Heap};
use aback_ir::Type;
use aback_logic::{self as logic, Integer, Interval, Node, Term};
use aback_loops::at_most;
use aback_smt::{Feasibility, PathCondition};
use aback_symbolic::Gap;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Most values of a number that is part of the state.
const MOST_VALUES: i64 = 8;
/// Most variables of the state, and most numbers with limits. Others are not looked at.
const MOST_KEYS: usize = 6;
const MOST_NUMBERS: usize = 4;
/// Most states of a loop.
const MOST_STATES: usize = 24;
/// Limits that have grown so often are widened to the next constant, and those that were widened so often are given up.
const MOST_GROWN: u32 = 8;
const MOST_WIDENED: u32 = 4;
/// How often limits are narrowed.
const MOST_NARROWED: usize = 3;
/// Most questions for the limit of a number in one kind of iterations.
const MOST_STEPS: u32 = 24;
/// Most questions about one loop, and about all loops.
const MOST_QUESTIONS: u32 = 2_000;
const MOST_QUESTIONS_OF_ALL: u32 = 6_000;
/// Time limit for each question.
const AT_ONCE: Duration = Duration::from_millis(100);

/// The search for the states of loops.
#[derive(Default)]
pub(crate) struct StateSearch {
    progress: Progress,
    /// Number of questions so far.
    questions: u32,
}

/// How far the search for the states of loops has come. It costs about a hundred questions for each loop and makes later ones longer, so
/// that executions are harder to find. So it waits until something is neither excluded nor shown without it, and is given up if it does
/// not exclude that.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Progress {
    /// There was no loop that has any.
    #[default]
    None,
    /// Some loop may have states.
    Promising,
    /// They may exclude what is not decided without them.
    Wanted,
    /// They are looked for.
    On,
    /// They do not exclude something.
    Failed,
    /// They are not looked for any more.
    Off,
}

/// That a loop is in one of some states, in each of which numbers have limits.
pub(super) struct States {
    /// The variables of the state, then the numbers.
    variables: Vec<(Variable, Type)>,
    keys: usize,
    reached: Vec<Reached>,
}

/// A state, and the limits of numbers in it.
#[derive(Clone, PartialEq, Eq)]
struct Reached {
    key: Vec<Integer>,
    limits: Vec<Interval>,
}

/// How often the lower and the upper limit of a number in a state have grown, and have been widened.
type Growth = [(u32, u32); 2];

/// The search for the states of one loop.
struct Search {
    states: States,
    growth: Vec<Vec<Growth>>,
    /// The constants to which limits are widened, in ascending order. `None` if limits are not widened.
    thresholds: Option<Vec<Integer>>,
    /// Number of questions that are left.
    left: u32,
}

/// Iterations that end with these values of the variables, or what precedes all of them.
struct Step {
    path: PathCondition,
    values: Vec<Term>,
}

impl States {
    /// The variables of the states and the numbers with limits.
    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> {
        self.variables.iter().map(|(variable, _)| *variable)
    }

    fn numbers(&self) -> usize {
        self.variables.len() - self.keys
    }
}

impl Search {
    /// Adds values. Returns the position of their state.
    fn add(&mut self, key: &[Integer]) -> Option<usize> {
        if let Some(at) = self.states.reached.iter().position(|reached| reached.key == key) {
            return Some(at);
        }
        if self.states.reached.len() >= MOST_STATES {
            return None;
        }
        self.states.reached.push(Reached { key: key.to_vec(), limits: Vec::new() });
        self.growth.push(vec![Growth::default(); self.states.numbers()]);
        Some(self.states.reached.len() - 1)
    }

    /// Lets the limits of a number in a state contain an interval.
    fn extend(&mut self, at: usize, number: usize, by: &Interval) {
        let limits = &mut self.states.reached[at].limits;
        let Some(known) = limits.get(number).cloned() else { return limits.push(by.clone()) };
        let mut joined = known.join(by);
        if let Some(thresholds) = &self.thresholds {
            let [lower, upper] = &mut self.growth[at][number];
            if joined.low != known.low {
                let next = |low: &Integer| thresholds.iter().rev().find(|threshold| *threshold <= low).cloned();
                joined.low = widened(joined.low, lower, next);
            }
            if joined.high != known.high {
                let next = |high: &Integer| thresholds.iter().find(|threshold| high <= *threshold).cloned();
                joined.high = widened(joined.high, upper, next);
            }
        }
        self.states.reached[at].limits[number] = joined;
    }
}

/// A limit that has grown. If it has often, the next one.
fn widened(
    limit: Option<Integer>,
    (grown, widened): &mut (u32, u32),
    next: impl Fn(&Integer) -> Option<Integer>,
) -> Option<Integer> {
    *grown += 1;
    if *grown <= MOST_GROWN {
        return limit;
    }
    (*grown, *widened) = (0, *widened + 1);
    limit.as_ref().filter(|_| *widened <= MOST_WIDENED).and_then(next)
}

impl<H: Heap> Engine<'_, H> {
    /// Executes these states with summaries of loops, without the states of loops until that does not decide something. Then all are
    /// executed from their start with them, and if that does not exclude something, the rest without them. Returns how long that took.
    pub(crate) fn execute_summarised(&mut self, initial: &[State<H>]) -> Duration {
        let begin = Instant::now();
        self.execute_from(initial);
        if self.states.progress == Progress::Wanted {
            self.states.progress = Progress::On;
            let rest = std::mem::replace(&mut self.frontier, Frontier::seeded(self.config.search, self.config.seed));
            let open = std::mem::take(&mut self.open);
            // Gaps of other kinds stay: what is executed again may meet them earlier or later.
            let is_of_loops = |gap: &Gap| matches!(gap, Gap::Loops(_));
            let (of_loops, others): (Vec<Gap>, _) =
                std::mem::take(&mut self.result.gaps).into_iter().partition(is_of_loops);
            self.result.gaps = others;
            self.execute_from(initial);
            if self.states.progress == Progress::Failed {
                self.states.progress = Progress::Off;
                self.frontier = rest;
                self.open = open;
                self.result.gaps.retain(|gap| !is_of_loops(gap));
                of_loops.into_iter().for_each(|gap| self.gap(gap));
                self.execute_all(|| false);
            }
        }
        begin.elapsed()
    }

    fn execute_from(&mut self, initial: &[State<H>]) {
        initial.iter().for_each(|state| self.enqueue(state.clone()));
        self.execute_all(|| false);
    }

    /// Whether it is time to execute all paths from their start with the states of loops, or to give that up.
    pub(crate) fn begins_again(&self) -> bool {
        matches!(self.states.progress, Progress::Wanted | Progress::Failed)
    }

    /// Whether the states of loops are looked for in vain, if the ends of loops do not exclude a violation.
    pub(super) fn states_fail(&mut self) -> bool {
        if self.states.progress == Progress::On {
            self.states.progress = Progress::Failed;
        }
        self.states.progress == Progress::Failed
    }

    /// Notes that a violation is neither excluded nor shown.
    pub(super) fn note_undecided(&mut self) {
        if self.states.progress == Progress::Promising && !self.config.ways && !self.wants_each_path() {
            self.states.progress = Progress::Wanted;
        }
    }

    /// Guesses in which states the iterations of a round leave the loop, with limits of numbers.
    pub(super) fn guess_states(&mut self, state: &State<H>, round: &Round<H>) -> Option<Guess> {
        if !matches!(self.states.progress, Progress::None | Progress::On) {
            return None;
        }
        let states = self.finite(state, round)?;
        if self.states.progress == Progress::None {
            self.states.progress = Progress::Promising;
            return None;
        }
        let left = MOST_QUESTIONS.min(MOST_QUESTIONS_OF_ALL.saturating_sub(self.states.questions));
        let thresholds = Some(self.constants(&round.start, &round.ends));
        let mut search = Search { states, growth: Vec::new(), thresholds, left };
        let found = self.reach(state, round, &mut search);
        self.states.questions += left - search.left;
        found?;
        let guess = Guess::States(Rc::new(search.states));
        self.is_certain(state, state, &guess)?.then_some(guess)
    }

    /// The variables that have few values in all iterations of a round, and the numbers without a formula, as many as are
    /// looked at. `None` if none has few values.
    fn finite(&mut self, state: &State<H>, round: &Round<H>) -> Option<States> {
        let (mut keys, mut numbers) = (Vec::new(), Vec::new());
        let without_formula = self.without_formulas(state, round)?;
        for (at, Unknown { variable, content }) in round.unknown.iter().enumerate() {
            let Content::Value(value, ty) = *content else { continue };
            let is_key = if is_number(ty) {
                self.has_few_values(state, round, *variable)?
            } else if ty.is_reference() {
                let mut found = Vec::new();
                leaves(&mut self.pool, value, &mut found).is_some()
                    && found.iter().all(|&leaf| matches!(self.pool.node(leaf), Node::Int(_)))
            } else {
                ty == Type::Bool
            };
            if is_key {
                keys.push((*variable, ty));
            } else if is_number(ty) && without_formula.contains(&at) {
                numbers.push((*variable, ty));
            }
        }
        keys.truncate(MOST_KEYS);
        numbers.truncate(MOST_NUMBERS);
        let (count, variables) = (keys.len(), [keys, numbers].concat());
        (count > 0).then_some(States { variables, keys: count, reached: Vec::new() })
    }

    /// Whether a number has few values at the entry of a loop and behind those iterations of a round that change it.
    fn has_few_values(&mut self, state: &State<H>, round: &Round<H>, variable: Variable) -> Option<bool> {
        let start = self.value_of(&round.start, variable)?;
        let mut found: BTreeSet<Integer> = BTreeSet::new();
        for end in [state].into_iter().chain(&round.ends) {
            let value = self.value_of(end, variable)?;
            if value == start {
                continue;
            }
            let Interval { low: Some(low), high: Some(high) } = end.path.domain().interval(&self.pool, value) else {
                return Some(false);
            };
            if &high - &low > Integer::from(MOST_VALUES) {
                return Some(false);
            }
            let mut number = low;
            while number <= high {
                found.insert(number.clone());
                number = &number + &Integer::ONE;
            }
        }
        Some(found.len() as i64 <= MOST_VALUES)
    }

    fn value_of(&mut self, state: &State<H>, variable: Variable) -> Option<Term> {
        let body = self.program.body(state.frame.method)?;
        let content = self.content(state, body, variable)?;
        Some(self.term(content))
    }

    fn values_of(&mut self, state: &State<H>, states: &States) -> Option<Vec<Term>> {
        states.variables().map(|variable| self.value_of(state, variable)).collect()
    }

    /// That a loop is in one of these states, and numbers in their limits. What all states have in common comes first, since
    /// intervals understand it.
    pub(super) fn is_in_states(&mut self, state: &State<H>, states: &States) -> Option<Term> {
        let values = self.values_of(state, states)?;
        Some(self.in_states(states, &values))
    }

    fn in_states(&mut self, states: &States, values: &[Term]) -> Term {
        let mut all = Vec::new();
        for number in 0..states.numbers() {
            let limits = states.reached.iter().map(|reached| reached.limits[number].clone());
            if let Some(hull) = limits.reduce(|one, other| one.join(&other)) {
                all.extend(self.has_limits(states, number, &hull, values));
            }
        }
        let each: Vec<Term> = states.reached.iter().map(|reached| self.in_state(states, reached, values)).collect();
        all.push(self.pool.or_all(&each));
        self.pool.and_all(&all)
    }

    fn in_state(&mut self, states: &States, reached: &Reached, values: &[Term]) -> Term {
        let mut all = vec![self.has_key(states, &reached.key, values)];
        for (number, limits) in reached.limits.iter().enumerate() {
            all.extend(self.has_limits(states, number, limits, values));
        }
        self.pool.and_all(&all)
    }

    fn has_key(&mut self, states: &States, key: &[Integer], values: &[Term]) -> Term {
        let mut all = Vec::new();
        for ((number, &value), &(_, ty)) in key.iter().zip(values).zip(&states.variables) {
            let number = self.constant(number, ty);
            all.push(self.pool.eq(value, number));
        }
        self.pool.and_all(&all)
    }

    fn has_limits(&mut self, states: &States, number: usize, limits: &Interval, values: &[Term]) -> Vec<Term> {
        let ((_, ty), value) = (states.variables[states.keys + number], values[states.keys + number]);
        let range = match ty {
            Type::Machine { width, .. } => Interval::machine(width.into(), true),
            _ => Interval::ALL,
        };
        let mut all = Vec::new();
        // A limit beyond the range says nothing, and would wrap around.
        if let Some(low) = limits.low.as_ref().filter(|low| range.contains(low)) {
            let low = self.constant(low, ty);
            all.push(at_most(&mut self.pool, low, value));
        }
        if let Some(high) = limits.high.as_ref().filter(|high| range.contains(high)) {
            let high = self.constant(high, ty);
            all.push(at_most(&mut self.pool, value, high));
        }
        all
    }

    /// Finds what the iterations of a round reach from a state. `None` if it takes too long.
    fn reach(&mut self, state: &State<H>, round: &Round<H>, search: &mut Search) -> Option<()> {
        let start = self.values_of(&round.start, &search.states)?;
        let entry = Step { path: state.path.clone(), values: self.values_of(state, &search.states)? };
        let mut steps = Vec::new();
        for end in &round.ends {
            steps.push(Step { path: end.path.clone(), values: self.values_of(end, &search.states)? });
        }
        // An iteration from a state whose limits have not grown since then needs no second look: the others have only grown.
        let mut pending: VecDeque<usize> = self.reach_by(&entry, search)?.into();
        while let Some(at) = pending.pop_front() {
            let from = search.states.reached[at].clone();
            for at in self.reach_from(&from, &start, &steps, search)? {
                if !pending.contains(&at) {
                    pending.push_back(at);
                }
            }
        }
        let is_widened = |(_, widened): &(u32, u32)| *widened > 0;
        if search.growth.iter().flatten().flatten().any(is_widened) {
            self.narrow(&entry, &start, &steps, search);
        }
        Some(())
    }

    /// Replaces what was found by what iterations reach from it, which is no more, and which iterations do not leave either: what they
    /// reach from less is less.
    fn narrow(&mut self, entry: &Step, start: &[Term], steps: &[Step], search: &mut Search) {
        for _ in 0..MOST_NARROWED {
            let states = States { variables: search.states.variables.clone(), reached: Vec::new(), ..search.states };
            let mut less = Search { states, growth: Vec::new(), thresholds: None, left: search.left };
            let reached = |engine: &mut Self, less: &mut Search| {
                engine.reach_by(entry, less)?;
                for from in &search.states.reached {
                    engine.reach_from(from, start, steps, less)?;
                }
                Some(())
            };
            let is_found = reached(self, &mut less).is_some();
            search.left = less.left;
            if !is_found || less.states.reached == search.states.reached {
                break;
            }
            search.states = less.states;
        }
    }

    /// Adds what iterations reach from a state. Returns the positions of the states that are new or have grown.
    fn reach_from(
        &mut self,
        from: &Reached,
        start: &[Term],
        steps: &[Step],
        search: &mut Search,
    ) -> Option<BTreeSet<usize>> {
        let begins = self.in_state(&search.states, from, start);
        let mut changed = BTreeSet::new();
        for step in steps {
            let mut path = step.path.clone();
            if path.assume(&mut self.pool, begins).is_ok() {
                changed.extend(self.reach_by(&Step { path, values: step.values.clone() }, search)?);
            }
        }
        Some(changed)
    }

    /// Adds what a step reaches. Returns the positions of the states that are new or have grown.
    fn reach_by(&mut self, step: &Step, search: &mut Search) -> Option<Vec<usize>> {
        let mut changed = Vec::new();
        loop {
            let known = self.in_states(&search.states, &step.values);
            let outside = self.pool.not(known);
            let Some(model) = self.model_of(&step.path, outside, search)? else { return Some(changed) };
            let values: Vec<Integer> =
                step.values.iter().map(|&value| self.number_in(&model, value)).collect::<Option<_>>()?;
            let (key, numbers) = values.split_at(search.states.keys);
            let at = search.add(key)?;
            let same = self.has_key(&search.states, key, &step.values);
            let mut path = step.path.clone();
            path.assume(&mut self.pool, same).ok()?;
            for (number, value) in numbers.iter().enumerate() {
                let term = step.values[search.states.keys + number];
                let ty = search.states.variables[search.states.keys + number].1;
                let high = self.extreme(&path, (term, ty), value, true, search)?;
                let low = self.extreme(&path, (term, ty), value, false, search)?;
                search.extend(at, number, &Interval { low, high });
            }
            if !changed.contains(&at) {
                changed.push(at);
            }
        }
    }

    /// The greatest value of a number on a path, or the least one. It is `known` or beyond. `Some(None)` if it is far away, and
    /// `None` if it takes too long to say.
    fn extreme(
        &mut self,
        path: &PathCondition,
        (term, ty): (Term, Type),
        known: &Integer,
        is_greatest: bool,
        search: &mut Search,
    ) -> Option<Option<Integer>> {
        let beyond = |engine: &mut Self, limit: &Integer| {
            let limit = engine.constant(limit, ty);
            let (low, high) = if is_greatest { (limit, term) } else { (term, limit) };
            at_most(&mut engine.pool, low, high)
        };
        let interval = path.domain().interval(&self.pool, term);
        let limit = if is_greatest { interval.high } else { interval.low };
        if limit.as_ref() == Some(known) {
            return Some(limit);
        }
        if let Some(limit) = &limit {
            let is_limit = beyond(self, limit);
            if self.model_of(path, is_limit, search)?.is_some() {
                return Some(Some(limit.clone()));
            }
        }
        // Steps grow until one is too long, and then get shorter.
        let mut known = known.clone();
        let (mut step, mut grows) = (Integer::ONE, true);
        for _ in 0..MOST_STEPS {
            let next = if is_greatest { &known + &step } else { &known - &step };
            let is_possible =
                limit.as_ref().is_none_or(|limit| if is_greatest { next < *limit } else { *limit < next });
            let condition = beyond(self, &next);
            match if is_possible { self.model_of(path, condition, search)? } else { None } {
                Some(model) => known = self.number_in(&model, term)?,
                None => grows = false,
            }
            let two = Integer::from(2);
            step = if grows { &step * &two } else { step.div_floor(&two)? };
            if step.is_zero() {
                return Some(Some(known));
            }
        }
        Some(None)
    }

    /// A model of a path on which a condition holds, or that there is none. `None` if it takes too long to say.
    fn model_of(&mut self, path: &PathCondition, condition: Term, search: &mut Search) -> Option<Option<PathModel>> {
        search.left = search.left.checked_sub(1)?;
        if self.is_out_of_time() {
            return None;
        }
        match self.asked_within(path, condition, AT_ONCE) {
            Feasibility::Feasible(model) => Some(Some(model)),
            Feasibility::Infeasible => Some(None),
            Feasibility::Unknown(_) => None,
        }
    }

    /// The number, truth value or reference that a model gives a term, as an integer.
    fn number_in(&self, model: &PathModel, term: Term) -> Option<Integer> {
        match model.try_borrow_mut().ok()?.value(&self.pool, term)? {
            logic::Value::Bool(value) => Some(if value { Integer::ONE } else { Integer::ZERO }),
            logic::Value::Int(number) => Some(number),
            logic::Value::Bv(width, bits) => Some(Integer::from_signed_bits(bits, width)),
            logic::Value::Float(..) | logic::Value::Array(_) => None,
        }
    }
}
