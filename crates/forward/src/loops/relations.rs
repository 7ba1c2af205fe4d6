//! Finds relations between numbers that all iterations of a loop keep, where no formula gives the numbers.
//!
//! They are guessed from concrete runs. That a guess holds is proved by induction: it holds when control arrives at the
//! loop, and each way through the loop, executed on a start of which nothing is known but the guesses, keeps it. Guesses that
//! are not kept are given up, and the others are proved again without them (Houdini). Loops within the loop rely on
//! the guesses of the loops around them, which is why no guess counts before all that are left are proved together.

use super::samples::Recorder;
use super::summary::{Round, Variable};
use crate::engine::Engine;
use crate::state::State;
use aback_heap::{Content, Heap};
use aback_ir::{LocalId, Type};
use aback_logic::{BvOrder, Integer, Sort, Term};
use aback_loops::{Iterated, Relation, relations, signed};
use std::time::Duration;

/// Most heads of loops for which runs are made.
const MOST_SAMPLED: usize = 8;
/// Most variables for whose values hints are tried.
const MOST_HINTS: usize = 8;
/// The values of scalar inputs of a run, if they are possible: enough iterations, and not too many.
const SCALARS: (i64, i64) = (12, 40);
/// Time limit for each question about the inputs of a run.
const AT_ONCE: Duration = Duration::from_millis(100);

/// A relation between how much variables have changed since control arrived at the loop.
#[derive(Clone)]
pub(super) struct Guess {
    relation: Relation,
    locals: Vec<LocalId>,
}

impl Guess {
    /// The variables that it is about.
    pub(super) fn locals(&self) -> impl Iterator<Item = LocalId> {
        self.relation.variables().into_iter().map(|at| self.locals[at])
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
        let mut path = state.path.clone();
        if self.continue_along(&mut path, &[], &Vec::new()).is_some()
            && let Some(model) = path.current_model().cloned()
        {
            for (variable, _) in self.scalars(state, &model).into_iter().take(MOST_HINTS) {
                let [low, high] = [SCALARS.0, SCALARS.1].map(|bound| match self.pool.sort(variable) {
                    Sort::BitVec(width) => self.pool.bv(width, bound as u128),
                    _ => self.pool.int(bound),
                });
                let hints = match self.pool.sort(variable) {
                    Sort::Int => [self.pool.le(low, variable), self.pool.le(variable, high)],
                    Sort::BitVec(width) if width >= 8 => {
                        [(low, variable), (variable, high)].map(|(a, b)| self.pool.bv_compare(BvOrder::SLe, a, b))
                    }
                    _ => continue,
                };
                // The path stays as it is where the hint is impossible.
                _ = self.continue_along(&mut path, &hints, &Vec::new());
            }
            if let Some(model) = path.current_model().cloned() {
                let (inputs, _) = self.inputs_of(state, &model);
                let (program, entry) = (self.program, self.query.entry);
                let mut samples = std::mem::take(&mut self.samples);
                let mut structure = |method| self.structure(method);
                let mut recorder = Recorder::new(&mut structure, &mut samples);
                recorder.run(program, entry, inputs, 1);
                self.samples = samples;
            }
        }
        self.chain.limit_to(Duration::MAX);
    }

    /// Guesss that may hold in all iterations, if the values of some numbers have no formula.
    pub(super) fn guess(&mut self, state: &State<H>, round: &Round<H>) -> Option<Vec<Guess>> {
        let Some(samples) = self.samples.get(&(state.frame.method, state.frame.at.block)) else {
            return Some(Vec::new());
        };
        let mut locals = Vec::new();
        for unknown in &round.unknown {
            if let (Variable::Local(local), Content::Value(_, Type::Int | Type::Machine { signed: true, .. })) =
                (unknown.variable, unknown.content)
            {
                locals.push(local);
            }
        }
        let number = |sample: &super::samples::Sample, local: LocalId| {
            let of = |numbers: &[Option<Integer>]| numbers.get(local.index()).cloned().flatten();
            Some(&of(&sample.start)? - &of(&sample.entry)?)
        };
        let numbers = samples.iter().filter_map(|sample| locals.iter().map(|&local| number(sample, local)).collect());
        let numbers: Vec<Vec<Integer>> = numbers.collect();
        if numbers.is_empty() || self.has_formulas(state, round)? {
            return Some(Vec::new());
        }
        let zeros = vec![self.pool.int(0); locals.len()];
        let holds = self.pool.bool(true);
        let mut guesses = Vec::new();
        for relation in relations(&numbers) {
            // At first, nothing has changed.
            if relation.between(&mut self.pool, &zeros) == holds {
                guesses.push(Guess { relation, locals: locals.clone() });
            }
        }
        Some(guesses)
    }

    /// Whether the values of all numbers after any iterations have formulas that are exact.
    fn has_formulas(&mut self, state: &State<H>, round: &Round<H>) -> Option<bool> {
        let looping = self.looping(state, round)?;
        let has_one = |engine: &mut Self, at: usize| match (round.unknown[at].content, &looping.values()[at]) {
            (Content::Value(_, Type::Int), value) => *value != Iterated::Unknown,
            (Content::Value(_, Type::Machine { signed: true, .. }), value) => {
                *value != Iterated::Unknown && engine.never_wraps(&looping, (&round.ends, &round.unknown), at)
            }
            _ => true,
        };
        Some((0..round.unknown.len()).all(|at| has_one(self, at)))
    }

    /// The guesses that the iterations of a round keep.
    pub(super) fn kept(&mut self, state: &State<H>, round: &Round<H>, guesses: &[Guess]) -> Option<Vec<Guess>> {
        let mut kept = Vec::new();
        for guess in guesses {
            let mut is_kept = true;
            for end in &round.ends {
                let holds = self.related(state, end, guess)?;
                let broken = self.pool.not(holds);
                is_kept = is_kept && self.excludes(&end.path, broken);
            }
            if is_kept {
                kept.push(guess.clone());
            }
        }
        Some(kept)
    }

    /// That a relation holds in a state, if control arrived at the loop in `entry`.
    pub(super) fn related(&mut self, entry: &State<H>, state: &State<H>, guess: &Guess) -> Option<Term> {
        let body = self.program.body(entry.frame.method)?;
        let mut changes = Vec::new();
        for &local in &guess.locals {
            let mut number = |of: &State<H>| {
                let content = self.content(of, body, Variable::Local(local))?;
                let term = self.term(content);
                Some(signed(&mut self.pool, term))
            };
            let (before, after) = (number(entry)?, number(state)?);
            changes.push(self.pool.sub(after, before));
        }
        Some(guess.relation.between(&mut self.pool, &changes))
    }
}
