//! Decides whether violations behind summarised loops occur.

use super::unrolling::{Effort, MOST_ITERATIONS, Meaning, Passed, Schedule, Trail, Unrolling, count_in, counters};
use crate::config::LoopConditions;
use crate::engine::{Engine, PathModel};
use crate::state::State;
use aback_heap::{Heap, Value};
use aback_logic::{self as logic, Pool, Term};
use aback_loops::Unfolding;
use aback_smt::{Aside, Check, Feasibility, PathCondition};
use aback_symbolic::inputs::Nondet;
use aback_symbolic::{Candidate, Fault, Gap, Replay};
use aback_witness::{InputObject, Inputs, Place};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How an execution is looked for, one after the other: with the conditions of these iterations, and with at most so many
/// iterations along each backbone.
const EFFORTS: [Effort; 6] = [
    Effort { unfolding: FEW, most: 50 },
    Effort { unfolding: FEW, most: 1_000 },
    Effort { unfolding: FEW, most: MOST_ITERATIONS },
    Effort { unfolding: first(3), most: 3 },
    Effort { unfolding: first(12), most: 12 },
    Effort { unfolding: first(30), most: 30 },
];
/// Number of efforts that are little.
const LITTLE: usize = 4;
/// Models with few iterations come first: at most so many of all loops on the way.
const FEW_ITERATIONS: u32 = 4;
/// Numbers of iterations along one backbone that are tried if few do not show a violation, and the time for
/// each attempt and each iteration.
const MANY_ITERATIONS: [u32; 3] = [30, 130, 520];
const LATE: Duration = Duration::from_millis(200);
const LATE_EACH: Duration = Duration::from_millis(8);
/// Arguments are small if they are at most so many times as large as numbers of iterations.
const SMALL: i64 = 20;
/// Only the iterations along backbones that cannot have many.
const FEW: Unfolding = Unfolding { first: 0, bounded: 12 };
/// Time limit of the questions about executions, but in the last round.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time limit of the question about what is known without a look at more iterations, but in the last round.
const HARD: Duration = Duration::from_secs(3);
/// Time for each unrolling of loops in the first round, and for each of its iterations.
const BRIEF: Duration = Duration::from_millis(100);
const BRIEF_EACH: Duration = Duration::from_millis(2);
/// Most elements of an array in inputs that are run. Strings have no other bound here, and runs on arrays near the end of all
/// lengths take minutes and gigabytes.
const MOST_ELEMENTS: u32 = 1 << 20;
/// Most positions of iterations that are looked at.
const MOST_POSITIONS: usize = 6;
/// Shortest time for which the answer about all iterations is waited for at the end.
const LEAST_WAIT: Duration = Duration::from_millis(500);
/// Interval at which this waiting looks at what else happens.
const POLL: Duration = Duration::from_millis(10);
/// Most elements of arrays for which the iteration is looked at that has last written them.
const MOST_WRITTEN: usize = 4;

/// A violation behind summarised loops that may occur.
pub(crate) struct Suspect<H> {
    state: State<H>,
    /// The path condition, with what was looked at of the conditions of loops.
    path: PathCondition,
    /// It occurs where this holds.
    violating: Term,
    /// What the conditions of loops say about elements of arrays that matter.
    known: Vec<Term>,
    fault: Fault,
    place: Place,
    /// Whether it takes long to say whether this can hold.
    is_hard: bool,
    /// Inputs that did not show it.
    rejected: Vec<Inputs>,
    /// A model of what is known of it, with few iterations.
    model: Option<PathModel>,
}

impl<H> Suspect<H> {
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Whether what takes long waits for a later round.
    fn is_put_off(&self, round: Round) -> bool {
        round == Round::Brief && self.is_hard
    }

    /// A model of what is known of the violation, with few iterations, if one was found.
    pub(super) fn model(&self) -> Option<PathModel> {
        self.model.clone()
    }
}

/// How long it is looked for executions. Each round is for what the ones before have left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Round {
    /// With little effort, while the search goes on.
    Brief,
    /// With a time limit for each question, so that a hard one does not keep the others from being asked.
    Limited,
    /// Until the deadline.
    Last,
}

impl Round {
    fn efforts(self) -> &'static [Effort] {
        match self {
            Round::Brief => &EFFORTS[..LITTLE],
            Round::Limited | Round::Last => &EFFORTS,
        }
    }

    fn patience(self) -> Duration {
        match self {
            Round::Brief | Round::Limited => PATIENCE,
            Round::Last => Duration::MAX,
        }
    }
}

/// What is known of a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decided {
    /// The conditions of loops exclude it.
    Excluded,
    /// An execution shows it.
    Shown,
}

const fn first(first: u32) -> Unfolding {
    Unfolding { first, bounded: u32::MAX }
}

impl<H: Heap> Engine<'_, H> {
    /// Reports a violation that occurs where `violating` holds, unless the conditions of the loops on the way exclude it. It
    /// counts if a concrete run shows it. Otherwise, nothing is known: these conditions are necessary, not sufficient.
    pub(crate) fn violation_behind_loops(&mut self, state: &State<H>, violating: Term, fault: Fault, place: Place) {
        let path = state.path.clone();
        let mut suspect = Suspect {
            state: state.clone(),
            path,
            violating,
            known: Vec::new(),
            fault,
            place,
            is_hard: false,
            rejected: Vec::new(),
            model: None,
        };
        let mut decided = self.look_at_ends(&mut suspect);
        if decided.is_none() && self.states_fail() {
            return self.note_open(state, violating, Some(suspect));
        }
        // Who wants to see the ways sees what is known in the end. Others get an answer about an easier one first.
        let all = [Round::Brief, Round::Limited, Round::Last];
        let rounds = if self.config.ways { &all[..] } else { &all[..1] };
        for &round in rounds {
            decided = decided.or_else(|| self.look_at_iterations(&mut suspect, round));
        }
        if self.config.ways && !self.pool.is_stopped() {
            let way = self.way(state, &suspect.path, violating, decided == Some(Decided::Excluded));
            self.result.ways.push(way);
        }
        if decided.is_none() {
            // A hard question gets no easier.
            if !suspect.is_hard {
                self.note_undecided();
            }
            match self.config.ways {
                true => self.gap(Gap::Loops(place)),
                false => self.note_open(state, violating, Some(suspect)),
            }
        }
    }

    /// What the ends of the loops on the way say about a violation, with the iterations that look at elements in question.
    fn look_at_ends(&mut self, suspect: &mut Suspect<H>) -> Option<Decided> {
        let Suspect { ref state, violating, fault, place, .. } = *suspect;
        let model = match self.chain.check(&mut self.pool, &suspect.path, violating) {
            Feasibility::Infeasible => return Some(Decided::Excluded),
            Feasibility::Feasible(model) => Some(model),
            Feasibility::Unknown(_) => None,
        };
        let passed = Rc::clone(&state.summarised.passed);
        if passed.is_empty()
            && let Some(model) = model
        {
            let (inputs, _) = self.inputs_of(state, &model);
            return self.is_confirmed(state, inputs, fault, place).then_some(Decided::Shown);
        }
        let whole: Vec<Term> = state.path.conjuncts().chain([violating]).collect();
        let mut known: Vec<Term> = Vec::new();
        // What is said about elements in a loop may be about those that an earlier one has written.
        for passed in passed.iter().rev() {
            let behind = state.path.conjuncts().skip(passed.conjuncts);
            let looked: Vec<Term> = [violating].into_iter().chain(behind).chain(known.iter().copied()).collect();
            known.extend(passed.looping.unchanged(&mut self.pool, &looked));
            let elements = passed.looping.looked(&mut self.pool, &looked, MOST_WRITTEN);
            let mut positions = passed.looping.positions(&mut self.pool, &looked, &elements);
            positions.truncate(MOST_POSITIONS);
            // Another loop goes along the same list before or behind it.
            positions.extend(passed.looping.members(&mut self.pool, &whole).into_iter().take(MOST_POSITIONS));
            if elements.is_empty() && positions.is_empty() {
                continue;
            }
            let last = passed.looping.last_iterations(&mut self.pool);
            known.extend(last.facts());
            known.extend(passed.looping.last_written(&mut self.pool, &last, &elements));
            for position in positions {
                known.extend(passed.looping.at_position(&mut self.pool, position, (&last, &elements)));
            }
        }
        if known.iter().any(|&fact| suspect.path.assume(&mut self.pool, fact).is_err()) {
            return Some(Decided::Excluded);
        }
        suspect.known = known;
        self.ask_about_ends(suspect, Round::Brief)
    }

    /// Asks what is known of a violation without looking at more iterations. A later round asks again what was hard.
    fn ask_about_ends(&mut self, suspect: &mut Suspect<H>, round: Round) -> Option<Decided> {
        let patience = if round == Round::Last { round.patience() } else { HARD };
        self.chain.limit_to(patience);
        let answer = self.chain.check(&mut self.pool, &suspect.path, suspect.violating);
        self.chain.limit_to(Duration::MAX);
        suspect.is_hard = matches!(answer, Feasibility::Unknown(_));
        matches!(answer, Feasibility::Infeasible).then_some(Decided::Excluded)
    }

    /// Looks at more and more iterations of the loops on the way.
    pub(super) fn look_at_iterations(&mut self, suspect: &mut Suspect<H>, round: Round) -> Option<Decided> {
        if round != Round::Brief
            && suspect.is_hard
            && let Some(decided) = self.ask_about_ends(suspect, round)
        {
            return Some(decided);
        }
        self.chain.limit_to(round.patience());
        let decided = self.decide_by_iterations(suspect, round);
        self.chain.limit_to(Duration::MAX);
        decided
    }

    fn decide_by_iterations(&mut self, suspect: &mut Suspect<H>, round: Round) -> Option<Decided> {
        let (violating, fault, place) = (suspect.violating, suspect.fault, suspect.place);
        let passed = Rc::clone(&suspect.state.summarised.passed);
        if passed.is_empty() {
            return None;
        }
        if round == Round::Limited && self.is_reached_late(suspect) {
            return Some(Decided::Shown);
        }
        let forms = self.config.loop_conditions;
        let mut aside = None;
        let begin = Instant::now();
        let mut is_tried = false;
        for (number, &effort) in round.efforts().iter().enumerate() {
            if self.is_out_of_time() || self.is_done() {
                break;
            }
            // Many executions are found before.
            if number == 1 && round != Round::Brief && forms != LoopConditions::Unfolded {
                aside = self.ask_about_all(&suspect.path, &passed, violating);
            }
            if excludes(&mut aside, Duration::ZERO) {
                return Some(Decided::Excluded);
            }
            // More iterations are looked for only if fewer are not enough.
            if effort.unfolding.first > 0 || !is_tried {
                let proposed = match self.run_models(suspect, effort, round) {
                    Ok(proposed) => proposed,
                    Err(decided) => return Some(decided),
                };
                if let Some(model) = proposed {
                    is_tried = true;
                    let iterations = self.iterations_in(&passed, &model);
                    self.propose_iterations(&iterations);
                    suspect.model.get_or_insert_with(|| Rc::clone(&model));
                    if suspect.is_put_off(round) {
                        return None;
                    }
                    let all: u32 = iterations.iter().fold(0, |all, &one| all.saturating_add(one));
                    let end = (round == Round::Brief).then(|| Instant::now() + BRIEF + BRIEF_EACH * all);
                    let (state, within) = (&suspect.state, (effort, end));
                    if self.quietly(|engine| engine.is_reached(state, violating, &model, within, (fault, place))) {
                        return Some(Decided::Shown);
                    }
                }
            }
            let is_unfolded = effort.unfolding.first > 0 && forms != LoopConditions::Quantified;
            for passed in passed.iter().filter(|_| is_unfolded) {
                let facts = passed.looping.unfolded(&mut self.pool, effort.unfolding).facts;
                if facts.iter().any(|&fact| suspect.path.assume(&mut self.pool, fact).is_err()) {
                    return Some(Decided::Excluded);
                }
            }
            if is_unfolded
                && matches!(self.chain.check(&mut self.pool, &suspect.path, violating), Feasibility::Infeasible)
            {
                return Some(Decided::Excluded);
            }
        }
        let end = Instant::now() + begin.elapsed().max(LEAST_WAIT);
        while aside.is_some() && Instant::now() < end && !self.is_out_of_time() && !self.is_done() {
            if excludes(&mut aside, POLL) {
                return Some(Decided::Excluded);
            }
        }
        None
    }

    /// Follows models with many iterations along one backbone. What many iterations add up to has no formula if each adds something else, so that
    /// the conditions do not say that few are not enough.
    fn is_reached_late(&mut self, suspect: &mut Suspect<H>) -> bool {
        let passed = Rc::clone(&suspect.state.summarised.passed);
        let (violating, fault, place) = (suspect.violating, suspect.fault, suspect.place);
        let whole: Vec<Term> = suspect.state.path.conjuncts().chain([violating]).collect();
        let counters = counters(&passed);
        for (least, &counter) in MANY_ITERATIONS.iter().flat_map(|&least| counters.iter().map(move |one| (least, one)))
        {
            if self.is_out_of_time() || self.is_done() {
                break;
            }
            let effort = Effort { unfolding: FEW, most: 2 * least };
            let (hints, _) = self.hints(&passed, effort);
            let bound = self.pool.int(least.into());
            let many = self.pool.le(bound, counter);
            let always = self.chain.path();
            let Some(model) = self.model_with(always, &[&hints[..], &whole, &[many]].concat()) else { continue };
            let end = Instant::now() + LATE + LATE_EACH * least;
            let (state, within) = (&suspect.state, (effort, Some(end)));
            if self.quietly(|engine| engine.is_reached(state, violating, &model, within, (fault, place))) {
                return true;
            }
        }
        false
    }

    /// Runs models of a violation as inputs: often, what the conditions leave open makes no difference. Returns the last one,
    /// unless one shows the violation.
    fn run_models(
        &mut self,
        suspect: &mut Suspect<H>,
        effort: Effort,
        round: Round,
    ) -> Result<Option<PathModel>, Decided> {
        let passed = Rc::clone(&suspect.state.summarised.passed);
        let whole: Vec<Term> = suspect.state.path.conjuncts().chain([suspect.violating]).collect();
        let (hints, _) = self.hints(&passed, effort);
        let small = self.small_arguments(SMALL * i64::from(effort.most));
        let few = [&small[..], &[self.few_iterations(&counters(&passed), FEW_ITERATIONS)]].concat();
        let is_any_enough = suspect.known.is_empty() || suspect.is_put_off(round);
        let mut last: Option<PathModel> = None;
        // What is known of elements makes models better, and questions harder.
        for known in [Vec::new(), suspect.known.clone()].into_iter().take(if is_any_enough { 1 } else { 2 }) {
            let conditions = [&hints[..], &whole, &known].concat();
            let always = self.chain.path();
            // If few iterations may be enough, it is of use to ask for few: they write few elements.
            let may_be_few = last.as_ref().is_some_and(|last| {
                let iterations = self.iterations_in(&passed, last);
                iterations.iter().map(|&count| u64::from(count)).sum::<u64>() <= FEW_ITERATIONS.into()
            });
            let mut easier = [&few[..], &small, &[]].into_iter().skip(if may_be_few { 0 } else { 1 });
            // Iterations are followed from the model that there is, if another takes long.
            let is_brief = round == Round::Brief && last.is_some();
            self.chain.limit_to(if is_brief { BRIEF * 2 } else { round.patience() });
            let model = easier.find_map(|easier| self.model_with(always.clone(), &[easier, &conditions].concat()));
            self.chain.limit_to(round.patience());
            let Some(model) = model else { continue };
            let Suspect { state, fault, place, rejected, .. } = &mut *suspect;
            let (inputs, _) = self.inputs_of(state, &model);
            last = Some(model);
            if !rejected.contains(&inputs) {
                if self.quietly(|engine| engine.is_confirmed(state, inputs.clone(), *fault, *place)) {
                    return Err(Decided::Shown);
                }
                rejected.push(inputs);
            }
        }
        Ok(last)
    }

    /// How many iterations of each loop on the way there are in a model.
    fn iterations_in(&self, passed: &[Passed], model: &PathModel) -> Vec<u32> {
        let mut model = model.borrow_mut();
        let mut iterations = |passed: &Passed| {
            let mut counts = passed.looping.counters().iter().map(|&counter| count_in(&mut model, &self.pool, counter));
            counts.try_fold(0u32, |sum, count| sum.checked_add(count?))
        };
        passed.iter().filter_map(&mut iterations).collect()
    }

    /// Tells other engines how many iterations of a loop there are at most in a model, if it is the first one.
    fn propose_iterations(&self, iterations: &[u32]) {
        let most = iterations.iter().copied().max().unwrap_or(0);
        let proposed = &self.config.budget.iterations;
        // What another has proposed may come from the same way, with more iterations.
        _ = proposed.compare_exchange(0, most, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Asks about all iterations of the loops on the way, in another thread.
    fn ask_about_all(&mut self, path: &PathCondition, passed: &[Passed], violating: Term) -> Option<Aside> {
        let mut formulas: Vec<Term> = path.conjuncts().chain([violating]).collect();
        for passed in passed {
            formulas.extend(passed.looping.quantified(&mut self.pool));
        }
        self.chain.ask_aside(&mut self.pool, &formulas)
    }

    /// Looks for an execution that the model of a path with summarised loops proposes.
    fn is_reached(
        &mut self,
        state: &State<H>,
        violating: Term,
        model: &PathModel,
        (effort, end): (Effort, Option<Instant>),
        (fault, place): (Fault, Place),
    ) -> bool {
        let trail = Trail {
            condition: state.path.conjuncts().chain([violating]).collect(),
            nondet: state.nondet.to_vec(),
            passed: Rc::clone(&state.summarised.passed),
            values: Vec::new(),
        };
        let scalars = self.scalars(state, model);
        let counted = [&scalars[..], &self.numbers_of_iterations(&state.summarised.passed, model)].concat();
        // With the scalars of the model, it is mostly clear which way an iteration goes. If these are wrong, without.
        for fixed in [&counted[..], &scalars[..], &[]] {
            for schedule in [Schedule::Even, Schedule::Grouped] {
                let mut path = self.chain.path();
                let is_possible = fixed.iter().all(|&(variable, value)| {
                    let equality = self.pool.eq(variable, value);
                    self.continue_along(&mut path, &[equality], &Vec::new()).is_some()
                });
                if !is_possible {
                    continue;
                }
                let unrolled = self.unroll(path, &trail, fixed.to_vec(), &mut Unrolling::new(schedule, effort, end));
                let Some(unrolled) = unrolled else { continue };
                let Some(model) = unrolled.path.current_model().cloned() else { continue };
                let mut reached = state.clone();
                reached.nondet = Rc::new(unrolled.nondet);
                let (inputs, _) = self.inputs_of(&reached, &model);
                if self.is_confirmed(&reached, inputs, fault, place) {
                    return true;
                }
            }
        }
        false
    }

    /// The numbers of iterations of loops in a model.
    fn numbers_of_iterations(&mut self, passed: &[Passed], model: &PathModel) -> Meaning {
        let mut model = model.borrow_mut();
        let mut counts = Vec::new();
        for counter in counters(passed) {
            if let Some(count) = count_in(&mut model, &self.pool, counter) {
                counts.push((counter, self.pool.int(count.into())));
            }
        }
        counts
    }

    /// The arguments, and the nondeterministic values before the first loop, that are no objects or arrays, with their values
    /// in a model.
    pub(super) fn scalars(&mut self, state: &State<H>, model: &PathModel) -> Meaning {
        let mut variables: Vec<Term> = Vec::new();
        let arguments = self.arguments.iter().filter(|(_, ty)| !ty.is_reference()).map(|&(value, _)| value);
        let first = state.summarised.passed.first().map_or(state.nondet.len(), |passed| passed.given);
        let given = state.nondet[..first].iter().filter_map(|(_, given)| match given {
            Nondet::Value(term, _) => Some(Value::Term(*term)),
            Nondet::Elements { .. } => None,
        });
        for value in arguments.chain(given) {
            if let Value::Term(term) = value {
                let free = self.pool.free_variables(&[term]);
                variables.extend(free.into_iter().map(|id| self.pool.variable_term(id)));
            }
        }
        let mut model = model.borrow_mut();
        let constant = |pool: &mut Pool, value| match value {
            logic::Value::Bool(value) => Some(pool.bool(value)),
            logic::Value::Int(value) => Some(pool.integer(value)),
            logic::Value::Bv(width, bits) => Some(pool.bv(width, bits)),
            logic::Value::Float(..) | logic::Value::Array(_) => None,
        };
        let values = variables.into_iter().filter_map(|variable| {
            let value = model.value(&self.pool, variable)?;
            Some((variable, constant(&mut self.pool, value)?))
        });
        values.collect()
    }

    /// Runs inputs. Returns whether they show the violation.
    fn is_confirmed(&mut self, state: &State<H>, inputs: Inputs, fault: Fault, place: Place) -> bool {
        let is_long = |object: &InputObject| match object {
            InputObject::Array { length, .. } => *length > MOST_ELEMENTS.into(),
            InputObject::Object { .. } => false,
        };
        if inputs.heap.iter().any(is_long) {
            self.gap(Gap::Loops(place));
            return false;
        }
        if self.pool.is_stopped() {
            return false;
        }
        let candidate = Candidate { fault, place, inputs, depth: state.depth, is_sliced: false };
        match (self.confirm)(&candidate) {
            Replay::Confirmed => _ = self.result.add(candidate, self.config.counterexamples),
            Replay::Again | Replay::Known => {}
            Replay::Doubtful(gap) => {
                self.gap(gap);
                return false;
            }
            Replay::Rejected { .. } => {
                self.gap(Gap::Loops(place));
                return false;
            }
            Replay::Stopped => {
                self.gap(Gap::Time);
                return false;
            }
        }
        true
    }
}

/// Whether the answer to a question comes within a time and excludes what was asked about. A question with an answer is gone.
fn excludes(question: &mut Option<Aside>, time: Duration) -> bool {
    let answer = question.as_ref().and_then(|question| question.answer_within(time));
    if answer.is_some() {
        *question = None;
    }
    answer == Some(Check::Unsat)
}
