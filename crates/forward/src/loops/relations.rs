//! Finds relations between numbers that all iterations of a loop keep, where no formula gives the numbers.
//!
//! They are guessed from concrete runs and, if they are linear, from single iterations. That a guess holds is proved by induction: it holds when control arrives at the
//! loop, and each way through the loop, executed on a start of which nothing is known but the guesses, keeps it. Guesses that
//! are not kept are given up, and the others are proved again without them (Houdini). Loops within the loop rely on
//! the guesses of the loops around them, which is why no guess counts before all that are left are proved together.

use super::samples::{Numbers, Recorder, Sample};
use super::states::States;
use super::summary::{Round, Unknown, Variable, is_number};
use crate::engine::{Engine, PathModel};
use crate::state::State;
use aback_heap as heap;
use aback_heap::{Content, Heap};
use aback_ir::{LocalId, Type};
use aback_logic::{Conversion, Integer, Node, Pool, Sort, Term, Value};
use aback_loops::{
    Iterated, Linear, Looping, Relation, at_most, common_multiples, directions, limits, nearest_to_zero, relations,
    signed,
};
use aback_smt::{Feasibility, PathCondition};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// If the runs so far have arrived at so many heads of loops, no more runs are made.
const MOST_SAMPLED: usize = 8;
/// Most variables for whose values hints are tried.
const MOST_HINTS: usize = 8;
/// Most variables that a loop does not change about which something is guessed.
const MOST_UNCHANGED: usize = 2;
/// Number of runs. More than the degree of equations, so that their unchanged numbers have enough values.
const RUNS: i64 = 6;
/// Greatest constant of a condition that may be a limit.
const MOST_CONSTANT: i64 = 1_000_000_000;
/// Most constants of conditions, with their neighbours.
const MOST_CONSTANTS: usize = 40;
/// Most numbers between which linear equations are looked for.
const MOST_LINEAR: usize = 8;
/// Most backbones of a loop whose iterations are counted in such equations.
const MOST_COUNTERS: usize = 8;
/// Most iterations that break what was guessed before.
const MOST_BROKEN: usize = 16;
/// The least and the greatest value of scalar inputs of a run, if they are possible: enough iterations, and not too many.
const SCALARS: (i64, i64) = (9, 40);
/// The same for one run with many iterations.
const MANY: (i64, i64) = (2000, 5000);
/// Time limit for each question about the inputs of a run, about a guess, and about an iteration.
const AT_ONCE: Duration = Duration::from_millis(100);

/// What may hold at the start of each iteration.
#[derive(Clone)]
pub(super) enum Guess {
    /// A relation between how much variables have changed since control arrived at the loop, and the values of others that do
    /// not change.
    Relation {
        relation: Relation,
        /// The variables that change come first.
        variables: Vec<Variable>,
        changing: usize,
    },
    /// The loop is in one of these states.
    States(Rc<States>),
}

impl Guess {
    /// The variables that it is about and that change.
    pub(super) fn variables(&self) -> Vec<Variable> {
        match self {
            Guess::Relation { relation, variables, changing } => {
                relation.variables().into_iter().filter(|at| at < changing).map(|at| variables[at]).collect()
            }
            Guess::States(states) => states.variables().collect(),
        }
    }

    /// A guess about locals.
    fn of_locals(relation: Relation, locals: &[LocalId], changing: usize) -> Self {
        let variables = locals.iter().map(|&local| Variable::Local(local)).collect();
        Guess::Relation { relation, variables, changing }
    }
}

impl<H: Heap> Engine<'_, H> {
    /// Runs the program on inputs that lead to the loop at which a state has arrived, and records numbers at heads of loops.
    pub(super) fn run_for_samples(&mut self, state: &State<H>) {
        let key = (state.frame.method, state.frame.at.block);
        if !self.counts(state) || self.samples.contains_key(&key) || self.samples.len() >= MOST_SAMPLED {
            return;
        }
        self.samples.insert(key, Vec::new());
        self.chain.limit_to(AT_ONCE);
        for run in 0..RUNS {
            let Some(model) = self.model_for_run(state, run) else { break };
            let (mut inputs, _) = self.inputs_of(state, &model);
            let mut numbers = Numbers::of(self.program, state, &inputs, run as u64);
            // Whether the inputs still lead to the loop does not matter for a guess; those of the first run do.
            if run > 0 {
                numbers.fill(&mut inputs.heap);
            }
            let (program, entry) = (self.program, self.query.entry);
            let mut samples = std::mem::take(&mut self.samples);
            let mut structure = |method| self.structure(method);
            Recorder::new(&mut structure, &mut samples).run(program, entry, inputs, &mut numbers);
            self.samples = samples;
        }
        self.chain.limit_to(Duration::MAX);
    }

    /// A model of the path of a state with scalar inputs that lead to some iterations, and to others in each run.
    fn model_for_run(&mut self, state: &State<H>, run: i64) -> Option<PathModel> {
        let mut path = state.path.clone();
        self.continue_along(&mut path, &[], &Vec::new())?;
        let model = path.current_model().cloned()?;
        let scalars = self.scalars(state, &model).into_iter().take(MOST_HINTS);
        for ((variable, _), number) in scalars.zip(0..) {
            // The last run is a long one.
            let (low, high) = if run + 1 == RUNS { MANY } else { SCALARS };
            // Two inputs are not linear in each other.
            let wanted = low + (run * run * (3 + 2 * number) + 7 * run + 5 * number) % (high - low);
            let bounds = match self.pool.sort(variable) {
                Sort::Int => [wanted, wanted, low, high].map(|bound| self.pool.int(bound)),
                Sort::BitVec(width) if width >= 8 => {
                    [wanted, wanted, low, high].map(|bound| self.pool.bv(width, bound as u128))
                }
                _ => continue,
            };
            for bounds in bounds.chunks(2) {
                let hints =
                    [at_most(&mut self.pool, bounds[0], variable), at_most(&mut self.pool, variable, bounds[1])];
                // The path stays as it is where the hint is impossible.
                if self.continue_along(&mut path, &hints, &Vec::new()).is_some() {
                    break;
                }
            }
        }
        path.current_model().cloned()
    }

    /// Guesses which of the numbers among variables no iteration makes less than at the entry, or greater: that excludes many
    /// ways through the loop, so it comes first.
    pub(super) fn directions_of_samples(&self, state: &State<H>, variables: &[Variable]) -> Vec<Guess> {
        let Some(body) = self.program.body(state.frame.method) else { return Vec::new() };
        let locals = variables.iter().filter_map(|variable| match *variable {
            Variable::Local(local) if is_number(body.local(local).ty) => Some(local),
            _ => None,
        });
        let locals: Vec<LocalId> = locals.collect();
        let numbers = self.numbers(state, &locals, locals.len());
        if numbers.is_empty() {
            return Vec::new();
        }
        let guess = |relation| Guess::of_locals(relation, &locals, locals.len());
        directions(&numbers, locals.len()).into_iter().map(guess).collect()
    }

    /// What the runs recorded of these variables: how much the first ones, which change, have changed since the entry of the
    /// loop, and the values of the others.
    fn numbers(&self, state: &State<H>, locals: &[LocalId], changing: usize) -> Vec<Vec<Integer>> {
        let Some(samples) = self.samples.get(&(state.frame.method, state.frame.at.block)) else {
            return Vec::new();
        };
        let number = |sample: &Sample, at: usize| {
            let of = |numbers: &[Option<Integer>]| numbers.get(locals[at].index()).cloned().flatten();
            let start = of(&sample.start)?;
            Some(if at < changing { &start - &of(&sample.entry)? } else { start })
        };
        samples.iter().filter_map(|sample| (0..locals.len()).map(|at| number(sample, at)).collect()).collect()
    }

    /// Guesses what else may hold in all iterations, if the values of some numbers have no formula.
    pub(super) fn guess(&mut self, state: &State<H>, round: &Round<H>, known: &[Guess]) -> Option<Vec<Guess>> {
        let mut locals = Vec::new();
        for unknown in &round.unknown {
            match (unknown.variable, unknown.content) {
                // A truth value counts as 0 or 1: it may say in which of two states the loop is.
                (Variable::Local(local), Content::Value(_, ty)) if is_countable(ty) => {
                    locals.push(local);
                }
                _ => {}
            }
        }
        let changing = locals.len();
        locals.extend(self.unchanged(state, round));
        let numbers = self.numbers(state, &locals, changing);
        if self.has_formulas(state, round)? {
            return Some(Vec::new());
        }
        let known: Option<Vec<Term>> = known.iter().map(|guess| self.related(state, &round.start, guess)).collect();
        let known = known?;
        let mut guesses = self.linear(round)?;
        let is_relation =
            |guess: &Guess, this: &Relation| matches!(guess, Guess::Relation { relation, .. } if relation == this);
        let constants = self.constants(&round.start, &round.ends);
        let mut found = relations(&numbers, changing, &constants);
        for (at, local) in locals[..changing].iter().enumerate() {
            // Numbers at the loop's entry are zero here.
            if let Some(heap::Value::Int(entry)) = state.frame.locals.get(local.index()) {
                // A number may keep its sign although it starts elsewhere.
                let bounds: BTreeSet<Integer> = constants.iter().cloned().chain([Integer::ZERO]).collect();
                let bounds: Vec<Integer> = bounds.iter().map(|bound| bound - &Integer::from(*entry)).collect();
                found.extend(limits(&numbers, at, &bounds));
            }
        }
        for relation in found {
            // The limit of one number that holds without an exception says all.
            if let Relation::Within(sum, limit) = &relation
                && let [one] = sum[..]
                && guesses.iter().any(|guess| is_relation(guess, &Relation::AtMost(one, *limit)))
            {
                continue;
            }
            let guess = Guess::of_locals(relation, &locals, changing);
            if !known.contains(&self.related(state, &round.start, &guess)?) && self.is_certain(state, state, &guess)? {
                guesses.push(guess);
            }
        }
        Some(guesses)
    }

    /// The constants in the conditions of iterations, and their neighbours, in ascending order. None if there are many.
    pub(super) fn constants(&self, start: &State<H>, ends: &[State<H>]) -> Vec<Integer> {
        let known: FxHashSet<Term> = start.path.conjuncts().collect();
        let conditions = ends.iter().flat_map(|end| end.path.conjuncts());
        let conditions: Vec<Term> = conditions.filter(|condition| !known.contains(condition)).collect();
        let mut found = BTreeSet::new();
        for term in self.pool.subterms(&conditions) {
            let constant = match self.pool.node(term) {
                Node::Int(constant) => constant.clone(),
                Node::Bv { width, bits } => Integer::from_signed_bits(*bits, *width),
                // The multiple of one term that makes a sum zero.
                Node::Sum(constant, terms) => match &terms[..] {
                    [(factor, _)] if factor.signum() < 0 => constant.clone(),
                    _ => -constant,
                },
                _ => continue,
            };
            if constant.abs() <= Integer::from(MOST_CONSTANT) {
                found.extend([-1, 0, 1].map(|offset| &constant + &Integer::from(offset)));
            }
        }
        if found.len() > MOST_CONSTANTS { Vec::new() } else { found.into_iter().collect() }
    }

    /// Numbers that the iterations of a round do not change, and that have no known value.
    fn unchanged(&self, state: &State<H>, round: &Round<H>) -> Vec<LocalId> {
        let Some(body) = self.program.body(state.frame.method) else { return Vec::new() };
        let is_unchanged = |local: &LocalId| {
            !round.unknown.iter().any(|unknown| unknown.variable == Variable::Local(*local))
                && is_number(body.local(*local).ty)
                && matches!(state.frame.locals.get(local.index()), Some(heap::Value::Term(_)))
        };
        let mut found: Vec<LocalId> = Vec::new();
        for local in (0..body.locals.len()).map(|local| LocalId(local as u32)).filter(is_unchanged) {
            // Copies say nothing new.
            let is_copy = |other: &LocalId| state.frame.locals[other.index()] == state.frame.locals[local.index()];
            if !found.iter().any(is_copy) && found.len() < MOST_UNCHANGED {
                found.push(local);
            }
        }
        found
    }

    /// Whether the values of all numbers after any iterations have formulas that are exact and say all.
    fn has_formulas(&mut self, state: &State<H>, round: &Round<H>) -> Option<bool> {
        Some(self.without_formulas(state, round)?.is_empty())
    }

    /// The positions of the numbers and truth values whose values after any iterations have no formula that is exact and says all.
    pub(super) fn without_formulas(&mut self, state: &State<H>, round: &Round<H>) -> Option<Vec<usize>> {
        let looping = self.looping(state, round)?;
        let is_exact = |engine: &mut Self, at: usize| {
            looping.is_exact(&engine.pool, at) || engine.never_wraps(&looping, (&round.ends, &round.unknown), at)
        };
        let is_known = |engine: &mut Self, at: usize| match round.unknown[at].content {
            Content::Value(_, ty) if is_number(ty) => is_exact(engine, at) && !looping.goes_both_ways(&engine.pool, at),
            // A state without a formula may say in which order the ways through the loop follow each other.
            Content::Value(_, Type::Bool) => looping.is_exact(&engine.pool, at),
            _ => true,
        };
        Some((0..round.unknown.len()).filter(|&at| !is_known(self, at)).collect())
    }

    /// The guesses that the iterations of a round keep.
    pub(super) fn kept(&mut self, state: &State<H>, round: &Round<H>, guesses: &[Guess]) -> Option<Vec<Guess>> {
        let mut kept = Vec::new();
        let mut broken = vec![false; guesses.len()];
        for at in 0..guesses.len() {
            if !broken[at] {
                broken[at] = !self.is_kept(state, round, &guesses[at..], &mut broken[at..])?;
            }
            if !broken[at] {
                kept.push(guesses[at].clone());
            }
        }
        Some(kept)
    }

    /// The guesses, which all iterations of a round keep, without those that follow from others: they make questions longer.
    pub(super) fn independent(&mut self, state: &State<H>, round: &Round<H>, guesses: &[Guess]) -> Option<Vec<Guess>> {
        let holds = guesses.iter().map(|guess| self.related(state, &round.start, guess)).collect::<Option<Vec<Term>>>();
        let mut left: Vec<(&Guess, Term)> = guesses.iter().zip(holds?).collect();
        for at in (0..left.len()).rev() {
            let others: Vec<Term> =
                left.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (_, term))| *term).collect();
            let mut path = state.path.clone();
            let broken = self.pool.not(left[at].1);
            if others.iter().any(|&other| path.assume(&mut self.pool, other).is_err()) || self.excludes(&path, broken) {
                left.remove(at);
            }
        }
        Some(left.into_iter().map(|(guess, _)| guess.clone()).collect())
    }

    /// Whether the iterations of a round keep the first of these guesses. An iteration that breaks it may break others, too, which
    /// is noted.
    fn is_kept(&mut self, state: &State<H>, round: &Round<H>, guesses: &[Guess], broken: &mut [bool]) -> Option<bool> {
        for end in &round.ends {
            let holds = self.related(state, end, &guesses[0])?;
            let fails = self.pool.not(holds);
            match self.asked_within(&end.path, fails, AT_ONCE) {
                Feasibility::Infeasible => {}
                Feasibility::Unknown(_) => return Some(false),
                Feasibility::Feasible(model) => {
                    for (guess, broken) in guesses.iter().zip(broken).skip(1).filter(|(_, broken)| !**broken) {
                        let holds = self.related(state, end, guess)?;
                        *broken = model.try_borrow_mut().ok().and_then(|mut model| model.holds(&self.pool, holds))
                            == Some(false);
                    }
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Whether a solver sees at once that what was guessed holds in a state, if control arrived at the loop in `entry`.
    pub(super) fn is_certain(&mut self, entry: &State<H>, state: &State<H>, guess: &Guess) -> Option<bool> {
        let holds = self.related(entry, state, guess)?;
        let broken = self.pool.not(holds);
        Some(self.excludes(&state.path, broken))
    }

    /// That what was guessed holds in a state, if control arrived at the loop in `entry`.
    pub(super) fn related(&mut self, entry: &State<H>, state: &State<H>, guess: &Guess) -> Option<Term> {
        let (relation, variables, changing) = match guess {
            Guess::Relation { relation, variables, changing } => (relation, variables, *changing),
            Guess::States(states) => return self.is_in_states(state, states),
        };
        let width = match relation {
            Relation::Wraps(_, width) => Some(*width),
            _ => None,
        };
        let mut changes = Vec::new();
        for (at, &variable) in variables.iter().enumerate() {
            let before = self.number(entry, variable, width)?;
            changes.push(if at < changing {
                let after = self.number(state, variable, width)?;
                self.pool.sub(after, before)
            } else {
                before
            });
        }
        Some(relation.between(&mut self.pool, &changes))
    }

    /// The value of a variable as an integer, if it is a number or a truth value, which is a machine integer if `width` says so.
    fn number(&mut self, state: &State<H>, variable: Variable, width: Option<u32>) -> Option<Term> {
        let body = self.program.body(state.frame.method)?;
        let content = self.content(state, body, variable)?;
        let term = self.term(content);
        Some(self.as_integer(term, width))
    }

    /// A number or a truth value as an integer. The numbers beside it are machine integers if `width` says so.
    pub(super) fn as_integer(&mut self, term: Term, width: Option<u32>) -> Term {
        if self.pool.sort(term) != Sort::Bool {
            return signed(&mut self.pool, term);
        }
        let [zero, one] = [0, 1].map(|value| match width {
            Some(width) => self.pool.bv(width, value),
            None => self.pool.int(value as i64),
        });
        let number = self.pool.ite(term, one, zero);
        match width {
            Some(_) => self.pool.convert(Conversion::BvToInt { signed: false }, number),
            None => number,
        }
    }

    /// The linear equations and congruences of the numbers that the iterations of a round change, as guesses.
    fn linear(&mut self, round: &Round<H>) -> Option<Vec<Guess>> {
        let variables: Vec<Variable> = round.unknown.iter().map(|unknown| unknown.variable).collect();
        let sums = self.sums(round, &variables, false)?;
        let guess =
            |relation| Guess::Relation { relation, variables: sums.variables.clone(), changing: sums.variables.len() };
        Some(sums.relations.into_iter().map(guess).collect())
    }

    /// What holds behind iterations that follow from a round, because each one along a backbone changes a sum of multiples of
    /// numbers without a formula by what others along the same one do: the sum has a formula over the path counters.
    pub(super) fn summed(
        &mut self,
        (entry, behind): (&State<H>, &State<H>),
        round: &Round<H>,
        looping: &Looping,
    ) -> Option<Vec<Term>> {
        let without = round.unknown.iter().zip(looping.values()).filter(|(_, value)| **value == Iterated::Unknown);
        let variables: Vec<Variable> = without.map(|(unknown, _)| unknown.variable).collect();
        if looping.counters().len() > MOST_COUNTERS {
            return Some(Vec::new());
        }
        let sums = self.sums(round, &variables, true)?;
        let mut values = Vec::new();
        for &variable in &sums.variables {
            let [before, after] = [entry, behind].map(|state| self.number(state, variable, sums.width));
            values.push(self.pool.sub(after?, before?));
        }
        for &counter in looping.counters() {
            values.push(match sums.width {
                Some(width) => {
                    let count = self.pool.convert(Conversion::IntToBv(width), counter);
                    self.pool.convert(Conversion::BvToInt { signed: false }, count)
                }
                None => counter,
            });
        }
        Some(sums.relations.iter().map(|relation| relation.between(&mut self.pool, &values)).collect())
    }

    /// The linear equations and congruences between these variables that the iterations of a round keep: those that hold for some
    /// iterations, for one more that breaks one of them, and so on. With the numbers of iterations along each backbone, which come
    /// behind the variables, only equations count, and a solver says that all iterations keep them; otherwise they are
    /// only guesses.
    fn sums(&mut self, round: &Round<H>, variables: &[Variable], has_counters: bool) -> Option<Sums> {
        let mut numbers: Vec<(Variable, Type)> = Vec::new();
        for Unknown { variable, content } in &round.unknown {
            match content {
                Content::Value(_, ty) if variables.contains(variable) && is_countable(*ty) => {
                    numbers.push((*variable, *ty));
                }
                _ => {}
            }
        }
        let widths: BTreeSet<Option<u32>> = numbers
            .iter()
            .filter_map(|(_, ty)| match ty {
                Type::Machine { width, .. } => Some(Some(u32::from(*width))),
                Type::Int => Some(None),
                _ => None,
            })
            .collect();
        let variables: Vec<Variable> = numbers.into_iter().map(|(variable, _)| variable).collect();
        let width = widths.first().copied().flatten();
        let least = if has_counters { 1 } else { 2 };
        if widths.len() > 1 || !(least..=MOST_LINEAR).contains(&variables.len()) {
            return Some(Sums { variables, width, relations: Vec::new() });
        }
        let mut changes: Vec<Vec<Term>> = Vec::new();
        for (backbone, end) in round.ends.iter().enumerate() {
            let mut of_one = Vec::new();
            for &variable in &variables {
                let [before, after] = [&round.start, end].map(|state| self.number(state, variable, width));
                of_one.push(self.pool.sub(after?, before?));
            }
            if has_counters {
                of_one.extend((0..round.ends.len()).map(|other| self.pool.int((other == backbone).into())));
            }
            changes.push(of_one);
        }
        let mut samples: Vec<Vec<Integer>> = Vec::new();
        for (end, changes) in round.ends.iter().zip(&changes) {
            samples.extend(self.sample_of(&end.path, Pool::TRUE, changes, width));
        }
        let mut relations: Vec<Relation> = Vec::new();
        'samples: for _ in 0..MOST_BROKEN {
            let multiples = common_multiples(&samples).into_iter();
            let multiples = multiples.filter(|(sum, of)| {
                !has_counters || of.is_zero() && sum.iter().any(|(_, variable)| *variable < variables.len())
            });
            relations = multiples.filter_map(|multiple| relation(multiple, width)).collect();
            for relation in &relations {
                for (end, changes) in round.ends.iter().zip(&changes) {
                    let kept = relation.between(&mut self.pool, changes);
                    let broken = self.pool.not(kept);
                    if let Some(sample) = self.sample_of(&end.path, broken, changes, width) {
                        samples.push(sample);
                        continue 'samples;
                    }
                }
            }
            break;
        }
        if has_counters {
            let mut kept = Vec::new();
            for relation in relations {
                let is_kept = round.ends.iter().zip(&changes).all(|(end, changes)| {
                    let kept = relation.between(&mut self.pool, changes);
                    let broken = self.pool.not(kept);
                    self.excludes(&end.path, broken)
                });
                if is_kept {
                    kept.push(relation);
                }
            }
            relations = kept;
        }
        Some(Sums { variables, width, relations })
    }

    /// By how much numbers change in an execution of a path on which a condition holds. `None` if a solver does not find one at
    /// once.
    fn sample_of(
        &mut self,
        path: &PathCondition,
        condition: Term,
        changes: &[Term],
        width: Option<u32>,
    ) -> Option<Vec<Integer>> {
        let Feasibility::Feasible(model) = self.asked_within(path, condition, AT_ONCE) else { return None };
        let mut model = model.try_borrow_mut().ok()?;
        let change = |&change: &Term| match model.value(&self.pool, change)? {
            Value::Int(number) => Some(match width {
                Some(width) => nearest_to_zero(&number, &Integer::power_of_two(width)),
                None => number,
            }),
            _ => None,
        };
        changes.iter().map(change).collect()
    }
}

/// Equations and congruences between variables.
struct Sums {
    variables: Vec<Variable>,
    /// The width of the machine integers among them.
    width: Option<u32>,
    relations: Vec<Relation>,
}

/// What is said of a sum that is a multiple of a number, or zero if that is 0. Machine integers wrap around at a power of two.
pub(super) fn relation((sum, of): (Linear, Integer), width: Option<u32>) -> Option<Relation> {
    Some(match width {
        Some(width) if of.is_zero() => Relation::Wraps(sum, width),
        Some(width) => {
            let divides =
                |exponent: &u32| of.gcd(&Integer::power_of_two(*exponent)) == Integer::power_of_two(*exponent);
            let exponent = (1..=width).rev().find(divides)?;
            Relation::Wraps(sum, exponent)
        }
        None if of.is_zero() => {
            Relation::Vanishes(sum.into_iter().map(|(factor, variable)| (factor, vec![variable])).collect())
        }
        None => Relation::Congruent(sum, of),
    })
}

/// Whether values of a type are numbers, or truth values, which count as 0 or 1.
pub(super) fn is_countable(ty: Type) -> bool {
    is_number(ty) || ty == Type::Bool
}
