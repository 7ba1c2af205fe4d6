//! Unwinds loops on the inputs that the conditions of all iterations leave open (paper 5, section 7).
//!
//! Each way through summarised loops that is neither excluded nor shown to occur has a condition that all its executions
//! satisfy. So where loops are executed one iteration after the other, paths whose condition contradicts all of these are
//! dropped. If nothing else is left open, the executions that remain are all that matter, and their end is a proof.
//!
//! A model of the condition, with as few iterations as possible, says how far to unwind. The path that it takes comes first,
//! then those that leave it in one branch, in two, and so on (limited discrepancy search; Harvey and Ginsberg, 1995).

use super::unrolling::counters;
use super::violations::{Round, Suspect};
use crate::config::{Loops, Search};
use crate::engine::Engine;
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap::Heap;
use aback_logic::{Pool, Term};
use aback_symbolic::Gap;
use std::time::{Duration, Instant};

/// Numbers of iterations of all loops of a way that are tried, one after the other.
const ITERATIONS: [u32; 5] = [4, 16, 64, 1_000, 20_000];
/// Most conditions that are used.
const MOST_WAYS: usize = 32;
/// Unwinding has so many times as long as the conditions took, at least [`LEAST`], and at most a fraction of the time that is
/// left (one in `SHARE`).
const TIMES: u32 = 2;
const LEAST: Duration = Duration::from_millis(500);
const SHARE: u32 = 3;
/// Time limit of the question for each number of iterations.
const PATIENCE: Duration = Duration::from_secs(1);

/// Executions that the conditions of loops leave open.
pub(crate) struct Open<H> {
    /// What all of them satisfy.
    condition: Vec<Term>,
    /// How often they execute loops.
    counters: Vec<Term>,
    /// The violation that they may show, if they are on a way to one.
    suspect: Option<Suspect<H>>,
}

/// An execution of loops one iteration after the other that was begun.
struct Unwinding<H> {
    frontier: Frontier<H>,
    /// What it leaves open.
    gaps: Vec<Gap>,
}

/// What is open at some time.
pub(super) struct Noted {
    gaps: Vec<Gap>,
    open: usize,
}

impl<H: Heap> Engine<'_, H> {
    /// What is open now.
    pub(super) fn noted(&self) -> Noted {
        Noted { gaps: self.result.gaps.clone(), open: self.open.len() }
    }

    /// Forgets what was noted as open since then.
    pub(super) fn forget_since(&mut self, noted: Noted) {
        self.result.gaps = noted.gaps;
        self.open.truncate(noted.open);
    }

    /// Notes that the executions along the path of a state stay open, as far as they satisfy another condition.
    pub(super) fn note_open(&mut self, state: &State<H>, condition: Term, suspect: Option<Suspect<H>>) {
        let condition = state.path.conjuncts().chain([condition]).filter(|&part| part != Pool::TRUE).collect();
        let counters = counters(&state.summarised.passed);
        self.open.push(Open { condition, counters, suspect });
    }

    /// Looks for the executions that are still open from these initial states, by unwinding loops within the conditions and by
    /// longer looks at the conditions in turns. `spent` is the time that the conditions have taken so far.
    pub(crate) fn look_at_open(&mut self, initial: Vec<State<H>>, spent: Duration) {
        if self.is_done() || self.config.ways {
            return;
        }
        let begin = Instant::now();
        let mut open = std::mem::take(&mut self.open);
        let mut unwinding = self.unwinding(&open, initial);
        for round in [Round::Limited, Round::Last] {
            let limit = LEAST.max((spent + begin.elapsed()) * TIMES);
            if unwinding.as_mut().is_some_and(|unwinding| self.is_covered_by(unwinding, limit)) {
                self.result.gaps.retain(|gap| !matches!(gap, Gap::Loops(_)));
                return;
            }
            // What is excluded now is no longer open.
            open.retain_mut(|open| {
                let Some(suspect) = &mut open.suspect else { return true };
                self.is_done() || self.is_out_of_time() || self.look_at_iterations(suspect, round).is_none()
            });
            if self.is_done() || open.is_empty() {
                return;
            }
        }
        for suspect in open.iter().filter_map(|open| open.suspect.as_ref()) {
            self.gap(Gap::Loops(suspect.place()));
        }
    }

    /// The states from which loops are executed one iteration after the other, on inputs that open ways allow. `None` if these
    /// do not limit the inputs.
    fn unwinding(&mut self, open: &[Open<H>], initial: Vec<State<H>>) -> Option<Unwinding<H>> {
        let is_limiting = !open.is_empty() && open.len() <= MOST_WAYS;
        if !is_limiting || open.iter().any(|open| open.condition.is_empty()) || self.is_out_of_time() {
            return None;
        }
        let before = std::mem::replace(&mut self.frontier, Frontier::new(Search::Directed));
        for open in open {
            for state in &initial {
                if let Some(state) = self.within(state.clone(), open) {
                    self.enqueue(state);
                }
            }
        }
        let frontier = std::mem::replace(&mut self.frontier, before);
        Some(Unwinding { frontier, gaps: Vec::new() })
    }

    /// Goes on with unwinding, at most for so long. Returns whether this has covered all executions that are open.
    fn is_covered_by(&mut self, unwinding: &mut Unwinding<H>, limit: Duration) -> bool {
        let now = Instant::now();
        let share = self.config.budget.deadline.map(|deadline| deadline.saturating_duration_since(now) / SHARE);
        let end = now + share.into_iter().chain([limit]).min().unwrap_or(limit);
        let swap = |engine: &mut Self, unwinding: &mut Unwinding<H>| {
            std::mem::swap(&mut engine.frontier, &mut unwinding.frontier);
            std::mem::swap(&mut engine.result.gaps, &mut unwinding.gaps);
        };
        swap(self, unwinding);
        let loops = std::mem::replace(&mut self.loops, Loops::Unwound);
        self.execute_all(|| Instant::now() >= end);
        self.loops = loops;
        swap(self, unwinding);
        let is_covered = unwinding.frontier.len() == 0 && !self.pool.is_stopped();
        if is_covered {
            std::mem::take(&mut unwinding.gaps).into_iter().for_each(|gap| self.gap(gap));
        }
        is_covered
    }

    /// A state on inputs that open executions allow, with a model that has few iterations. `None` if there are none.
    fn within(&mut self, mut state: State<H>, open: &Open<H>) -> Option<State<H>> {
        if !self.assume_all(&mut state, &open.condition) {
            return None;
        }
        if let Some(model) = open.suspect.as_ref().and_then(Suspect::model) {
            state.path.set_current_model(model);
            return Some(state);
        }
        self.chain.limit_to(PATIENCE);
        let model = ITERATIONS.into_iter().find_map(|most| {
            let few = self.few_iterations(&open.counters, most);
            self.model_with(state.path.clone(), &[few])
        });
        self.chain.limit_to(Duration::MAX);
        if let Some(model) = model {
            state.path.set_current_model(model);
        }
        Some(state)
    }
}
