//! Executes summarised loops along schedules: which backbone comes first, which second, and so on.
//!
//! A model of the condition of a path with summarised loops says how often each backbone runs. A schedule of that many
//! iterations, each with values of its own, gives an ordinary path condition, and a model of it gives inputs. All of this
//! only proposes inputs: whatever is wrong about them, a concrete run finds out.

use super::summary::is_number;
use crate::engine::{Engine, PathModel};
use aback_heap::{Heap, Value};
use aback_logic::{self as logic, Evaluator, Node, Pool, Term};
use aback_loops::{Looping, Unfolding, renew, signed};
use aback_smt::{Feasibility, PathCondition};
use aback_symbolic::inputs::Nondet;
use aback_witness::Place;
use std::cmp::Reverse;
use std::rc::Rc;
use std::time::Instant;

/// Most iterations of all loops of a path.
pub(super) const MOST_ITERATIONS: u32 = 20_000;

/// A loop that a path has passed.
#[derive(Clone)]
pub(super) struct Passed {
    /// The head of the loop.
    pub(super) place: Place,
    /// The names of the variables that it changes.
    pub(super) names: Vec<String>,
    pub(super) looping: Looping,
    /// Its condition if machine integers do not wrap around: a guess that makes models easy to find.
    pub(super) tame: Looping,
    /// The iterations along the backbones.
    pub(super) iterations: Vec<Trail>,
    /// Number of variables when the path arrived at the loop.
    pub(super) floor: usize,
    /// What the path assumes of the iterations.
    pub(super) facts: Rc<[Term]>,
    /// Number of conditions of the path before and in the loop.
    pub(super) conjuncts: usize,
    /// Number of nondeterministic values before the loop.
    pub(super) given: usize,
}

/// A part of a path.
#[derive(Clone)]
pub(super) struct Trail {
    pub(super) condition: Vec<Term>,
    /// The nondeterministic values, without those in loops.
    pub(super) nondet: Vec<(Term, Nondet)>,
    /// The loops on the way.
    pub(super) passed: Rc<Vec<Passed>>,
    /// The values of the variables that the loop around it changes.
    pub(super) values: Vec<Term>,
}

/// The order of iterations along different backbones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Schedule {
    /// The backbone that lags most behind its share comes first.
    Even,
    /// The backbone of the iteration before comes first.
    Grouped,
}

/// What terms stand for behind the iterations so far. Later pairs override earlier ones.
pub(super) type Meaning = Vec<(Term, Term)>;

/// How many iterations precede those along each backbone of a loop that were looked at.
type Positions = Vec<Vec<Term>>;

/// A path without summarised loops.
pub(super) struct Unrolled {
    pub(super) path: PathCondition,
    pub(super) nondet: Vec<(Term, Nondet)>,
    meaning: Meaning,
}

/// The way of unrolling, and how much of it is left.
pub(super) struct Unrolling {
    schedule: Schedule,
    effort: Effort,
    left: u32,
    end: Option<Instant>,
}

/// How numbers of iterations are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// The iterations whose conditions are looked at.
    pub(super) unfolding: Unfolding,
    /// Most iterations along each backbone.
    pub(super) most: u32,
}

/// The iterations of a loop.
struct Plan {
    /// How many there are along each backbone.
    counts: Vec<u32>,
    /// How many precede the first ones along each backbone, where this is known.
    positions: Vec<Vec<Option<u32>>>,
}

impl Unrolling {
    pub(super) fn new(schedule: Schedule, effort: Effort, end: Option<Instant>) -> Self {
        Unrolling { schedule, effort, left: MOST_ITERATIONS, end }
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

impl<H: Heap> Engine<'_, H> {
    /// A path that goes on along a trail whose loops are executed one iteration after the other. `None` if none was found.
    pub(super) fn unroll(
        &mut self,
        mut path: PathCondition,
        trail: &Trail,
        mut meaning: Meaning,
        unrolling: &mut Unrolling,
    ) -> Option<Unrolled> {
        let mut nondet = Vec::new();
        let mut rest = trail.condition.clone();
        let mut given = 0;
        for (number, passed) in trail.passed.iter().enumerate() {
            let is_before = |pool: &Pool, part: Term| {
                pool.free_variables(&[part]).last().is_none_or(|last| last.index() < passed.floor)
            };
            let (before, behind): (Vec<Term>, Vec<Term>) =
                rest.into_iter().partition(|&part| is_before(&self.pool, part));
            rest = behind;
            self.continue_along(&mut path, &before, &meaning)?;
            nondet.extend(self.meant(&trail.nondet[given..passed.given], &meaning));
            given = passed.given;
            let plan = self.plan(&path, &trail.passed[number..], &rest, &meaning, unrolling.effort)?;
            let unrolled = self.iterate_along(path, passed, &plan, meaning, unrolling)?;
            (path, meaning) = (unrolled.path, unrolled.meaning);
            nondet.extend(unrolled.nondet);
        }
        self.continue_along(&mut path, &rest, &meaning)?;
        nondet.extend(self.meant(&trail.nondet[given..], &meaning));
        Some(Unrolled { path, nondet, meaning })
    }

    /// Adds conditions to a path that has a model. `None` if it has none with them.
    pub(super) fn continue_along(
        &mut self,
        path: &mut PathCondition,
        conditions: &[Term],
        meaning: &Meaning,
    ) -> Option<()> {
        let conditions = self.meant_all(conditions, meaning);
        let condition = self.pool.and_all(&conditions);
        let Feasibility::Feasible(model) = self.chain.check(&mut self.pool, path, condition) else { return None };
        path.assume(&mut self.pool, condition).ok()?;
        path.set_current_model(model);
        Some(())
    }

    /// A possible plan of the iterations of the first of some loops.
    fn plan(
        &mut self,
        path: &PathCondition,
        passed: &[Passed],
        rest: &[Term],
        meaning: &Meaning,
        effort: Effort,
    ) -> Option<Plan> {
        let (mut conditions, mut positions) = self.hints(passed, effort);
        conditions.extend(rest);
        let conditions = self.meant_all(&conditions, meaning);
        let model = self.model_with(path.clone(), &conditions)?;
        let counters = self.meant_all(passed.first()?.looping.counters(), meaning);
        for along in &mut positions {
            *along = self.meant_all(along, meaning);
        }
        let mut model = model.borrow_mut();
        let mut number = |term| count_in(&mut model, &self.pool, term);
        let counts = counters.iter().map(|&counter| number(counter).filter(|&count| count <= MOST_ITERATIONS));
        let counts: Vec<u32> = counts.collect::<Option<_>>()?;
        let positions = positions.iter().map(|along| along.iter().map(|&position| number(position)).collect());
        Some(Plan { counts, positions: positions.collect() })
    }

    /// A model of a path that goes on with conditions. The first ones make the later ones easier.
    pub(super) fn model_with(&mut self, mut path: PathCondition, conditions: &[Term]) -> Option<PathModel> {
        for &condition in conditions {
            path.assume(&mut self.pool, condition).ok()?;
        }
        let always = self.pool.bool(true);
        match self.chain.check(&mut self.pool, &path, always) {
            Feasibility::Feasible(model) => Some(model),
            _ => None,
        }
    }

    /// Conditions that help to find numbers of iterations of loops, and the positions of iterations of the first loop.
    pub(super) fn hints(&mut self, passed: &[Passed], effort: Effort) -> (Vec<Term>, Positions) {
        let most = self.pool.int(effort.most.into());
        let (mut hints, mut positions) = (Vec::new(), None);
        for Passed { tame, .. } in passed {
            hints.extend(tame.bounds(&mut self.pool));
            hints.extend(tame.counters().iter().map(|&counter| self.pool.le(counter, most)));
            if effort.unfolding.first == 0 {
                hints.extend(tame.ends(&mut self.pool));
            }
            let unfolded = tame.unfolded(&mut self.pool, effort.unfolding);
            hints.extend(unfolded.facts);
            positions.get_or_insert(unfolded.positions);
        }
        (hints, positions.unwrap_or_default())
    }

    /// That the numbers among the arguments are no further from zero than `most`: large ones mostly mean many iterations of
    /// inner loops.
    pub(super) fn small_arguments(&mut self, most: i64) -> Vec<Term> {
        let mut small = Vec::new();
        for &(value, ty) in self.arguments.iter().filter(|(_, ty)| is_number(*ty)) {
            let number = value.to_term(&mut self.pool, ty);
            let number = signed(&mut self.pool, number);
            let [least, most] = [-most, most].map(|bound| self.pool.int(bound));
            small.extend([self.pool.le(least, number), self.pool.le(number, most)]);
        }
        small
    }

    /// That loops with these counters run so many times at most, all together.
    pub(super) fn few_iterations(&mut self, counters: &[Term], most: u32) -> Term {
        let all = counters.iter().fold(Pool::ZERO, |sum, &counter| self.pool.add(sum, counter));
        let most = self.pool.int(most.into());
        self.pool.le(all, most)
    }

    /// A path that goes on along numbers of iterations along the backbones of a loop.
    fn iterate_along(
        &mut self,
        mut path: PathCondition,
        passed: &Passed,
        plan: &Plan,
        mut meaning: Meaning,
        unrolling: &mut Unrolling,
    ) -> Option<Unrolled> {
        let entries: Vec<Term> = passed.looping.changed().iter().map(|variable| variable.entry).collect();
        let mut current = self.meant_all(&entries, &meaning);
        let counts = &plan.counts;
        let (mut done, mut last) = (vec![0; counts.len()], None);
        let mut nondet = Vec::new();
        for number in 0..counts.iter().sum::<u32>() {
            unrolling.left = unrolling.left.checked_sub(1)?;
            let mut choices: Vec<usize> = (0..counts.len()).filter(|&at| done[at] < counts[at]).collect();
            match unrolling.schedule {
                // What is left of its share, in thousandths.
                Schedule::Even => choices.sort_by_key(|&at| Reverse((counts[at] - done[at]) * 1000 / counts[at])),
                Schedule::Grouped => choices.sort_by_key(|&at| Some(at) != last),
            }
            // Iterations come at their positions, if these are known.
            choices.sort_by_key(|&at| {
                match plan.positions.get(at).and_then(|along| *along.get(done[at] as usize)?) {
                    Some(position) if position == number => 0,
                    None => 1,
                    Some(_) => 2,
                }
            });
            let mut next = None;
            for backbone in choices {
                if self.is_out_of_time() || self.pool.is_stopped() || unrolling.is_over() {
                    return None;
                }
                let (start, equalities) = self.start_of(passed, &current, &meaning);
                let mut trail = passed.iterations[backbone].clone();
                trail.condition.extend(equalities);
                let unfolding = std::mem::take(&mut unrolling.effort.unfolding);
                let unrolled = self.unroll(path.clone(), &trail, start, unrolling);
                unrolling.effort.unfolding = unfolding;
                if let Some(unrolled) = unrolled {
                    next = Some((backbone, unrolled));
                    break;
                }
            }
            let (backbone, unrolled) = next?;
            current = self.meant_all(&passed.iterations[backbone].values, &unrolled.meaning);
            path = unrolled.path;
            nondet.extend(unrolled.nondet);
            done[backbone] += 1;
            last = Some(backbone);
        }
        for (&counter, &count) in passed.looping.counters().iter().zip(counts) {
            let count = self.pool.int(count.into());
            meaning.push((counter, count));
        }
        let mut equalities = Vec::new();
        for (&behind, &value) in passed.looping.behind().iter().zip(&current) {
            match self.pool.node(behind) {
                Node::Var(_) => meaning.push((behind, value)),
                _ => equalities.push((behind, value)),
            }
        }
        for (behind, value) in equalities {
            let behind = self.pool.substitute(behind, &meaning);
            let equality = self.pool.eq(behind, value);
            self.continue_along(&mut path, &[equality], &Vec::new())?;
        }
        Some(Unrolled { path, nondet, meaning })
    }

    /// What terms mean in an iteration that starts with these values of the changed variables, and what holds because the
    /// start of some is not a variable.
    fn start_of(&mut self, passed: &Passed, current: &[Term], meaning: &Meaning) -> (Meaning, Vec<Term>) {
        let mut start = meaning.clone();
        let mut equalities = Vec::new();
        let mut own = passed.looping.own().to_vec();
        for (variable, &value) in passed.looping.changed().iter().zip(current) {
            match self.pool.node(variable.start) {
                Node::Var(_) => start.push((variable.start, value)),
                _ => {
                    let free = self.pool.free_variables(&[variable.start]);
                    own.extend(free.into_iter().map(|free| self.pool.variable_term(free)));
                    equalities.push(self.pool.eq(variable.start, value));
                }
            }
        }
        renew(&mut self.pool, &own, &mut start);
        (start, equalities)
    }

    fn meant_all(&mut self, terms: &[Term], meaning: &Meaning) -> Vec<Term> {
        terms.iter().map(|&term| self.pool.substitute(term, meaning)).collect()
    }

    fn meant(&mut self, nondet: &[(Term, Nondet)], meaning: &Meaning) -> Vec<(Term, Nondet)> {
        let mut substitute = |term| self.pool.substitute(term, meaning);
        let mut value = |value: Value| match value {
            Value::Term(term) => Value::Term(substitute(term)),
            other => other,
        };
        let given = nondet.iter().map(|(condition, given)| {
            let given = match given {
                Nondet::Value(term, ty) => match value(Value::Term(*term)) {
                    Value::Term(term) => Nondet::Value(term, *ty),
                    _ => given.clone(),
                },
                Nondet::Elements { cells, array, length, element } => Nondet::Elements {
                    cells: cells.iter().map(|&cell| value(cell)).collect(),
                    array: array.and_then(|array| match value(Value::Term(array)) {
                        Value::Term(array) => Some(array),
                        _ => None,
                    }),
                    length: value(*length),
                    element: *element,
                },
            };
            (*condition, given)
        });
        given.collect()
    }
}

/// The path counters of loops.
pub(super) fn counters(passed: &[Passed]) -> Vec<Term> {
    passed.iter().flat_map(|passed| passed.looping.counters()).copied().collect()
}

/// How many times something happens in a model.
pub(super) fn count_in(model: &mut Evaluator, pool: &Pool, term: Term) -> Option<u32> {
    match model.value(pool, term)? {
        logic::Value::Int(number) => u32::try_from(number.as_i64()?).ok(),
        _ => None,
    }
}
