//! Divides one exploration among threads that share nothing but who explores what.
//!
//! An exploration is deterministic: the same steps make the same terms in the same order, and the states wait in the same order. So a
//! thread that has nothing to do does not get states from another one. It repeats the exploration of that thread up to the turn at
//! which half of the waiting states were set aside for it, and goes on with this half.
//!
//! Nothing that is wrong follows if a repetition differs after all, because a solver ran out of time, for example: the half is taken only if
//! all terms of the pool are the same, and if each state of the half is at the same place, after as many operations, under the same path
//! condition. These determine the executions that a state stands for. If anything differs, the half goes back to the thread that has set
//! it aside, and no more is set aside.

use crate::engine::Engine;
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap::Heap;
use aback_ir::{MethodId, Point};
use aback_logic::Term;
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many times as long as the usual patience other searches count as threads, unless so many times as many states as usual wait.
const SOON: u32 = 3;
const MANY: usize = 6;

/// Who explores what of one exploration, for all threads that take part.
#[derive(Debug)]
pub struct Sharing {
    /// Most threads that search at the same time.
    jobs: usize,
    /// How many of them do something else.
    beside: Arc<AtomicUsize>,
    /// Time that a thread explores before it sets states aside: repeating takes as long.
    patience: Duration,
    /// Fewest waiting states of which half are set aside.
    fewest: usize,
    shared: Mutex<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Number of threads that explore or repeat.
    active: usize,
    /// The parts that no thread repeats yet.
    offered: Vec<Arc<Part>>,
    /// Whether a repetition differed.
    differs: bool,
}

/// States that one thread has set aside for another.
#[derive(Debug)]
struct Part {
    /// What the thread did with parts before.
    history: Vec<Event>,
    /// The turn at which the states were set aside.
    turn: u64,
    /// What the pool contained.
    terms: u64,
    states: Vec<Description>,
    /// One of [`OFFERED`], [`TAKEN`] and [`RETURNED`].
    fate: AtomicU8,
}

/// No thread has the part.
const OFFERED: u8 = 0;
/// The thread has it that repeated the exploration.
const TAKEN: u8 = 1;
/// The thread has it again that had set it aside.
const RETURNED: u8 = 2;

impl Part {
    /// Whether the part has got this fate, and no other one before.
    fn gets(&self, fate: u8) -> bool {
        self.fate.compare_exchange(OFFERED, fate, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// What a thread does with parts, at the start of a turn.
#[derive(Clone, Copy, Debug)]
struct Event {
    turn: u64,
    kind: EventKind,
}

#[derive(Clone, Copy, Debug)]
enum EventKind {
    /// Half of the states are set aside.
    Splits,
    /// Half of the states are set aside by another thread: this is the half, the rest is not explored.
    Takes,
    /// The states of this split, by number, are explored here after all.
    Returns(usize),
}

/// What identifies a state: the executions that it stands for.
#[derive(PartialEq, Eq, Debug)]
struct Description {
    stack: Vec<(MethodId, Point)>,
    depth: u64,
    conjuncts: Vec<Term>,
}

impl Description {
    fn new<H: Heap>(state: &State<H>) -> Self {
        let conjuncts = state.path.conjuncts().collect();
        Description { stack: state.stack().collect(), depth: state.depth, conjuncts }
    }
}

impl Sharing {
    /// An exploration that begins in one thread, and that is shared with others until `jobs` explore, while `beside` search for something
    /// else. Each explores for the time `patience` before it sets states aside for others, and then only while at least `fewest` wait.
    pub fn new(jobs: usize, beside: Arc<AtomicUsize>, patience: Duration, fewest: usize) -> Arc<Self> {
        let shared = Shared { active: 1, offered: Vec::new(), differs: false };
        Arc::new(Sharing { jobs, beside, patience, fewest: fewest.max(2), shared: Mutex::new(shared) })
    }

    /// The share of the thread that begins.
    pub fn first(self: &Arc<Self>) -> Share {
        Share { sharing: Arc::clone(self), part: None }
    }

    /// Takes a part that a thread has set aside, for a thread that has nothing to do; `None` if there is none now.
    pub fn next(self: &Arc<Self>) -> Option<Share> {
        let mut shared = self.shared();
        let part = shared.offered.pop()?;
        shared.active += 1;
        Some(Share { sharing: Arc::clone(self), part: Some(part) })
    }

    /// Whether all threads have ended.
    pub fn is_over(&self) -> bool {
        self.shared().active == 0
    }

    /// Whether a thread that has explored for so long, and for which so many states wait, sets some of them aside.
    fn wants_part(&self, explored: Duration, waiting: usize) -> bool {
        if explored < self.patience || waiting < self.fewest {
            return false;
        }
        // Other searches have an answer soon, or in most cases none.
        let others_count = explored < self.patience * SOON && waiting < self.fewest * MANY;
        let beside = if others_count { self.beside.load(Ordering::Relaxed) } else { 0 };
        let shared = self.shared();
        !shared.differs && shared.active + shared.offered.len() + beside < self.jobs
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one thread does of a shared exploration. The thread has ended when it is dropped.
pub struct Share {
    sharing: Arc<Sharing>,
    /// The part that the thread takes; `None` for the one that begins.
    part: Option<Arc<Part>>,
}

impl Share {
    /// Whether what the thread explored counts. If it did not get to its part, another thread explores the part.
    pub fn counts(&self) -> bool {
        self.part.as_ref().is_none_or(|part| part.fate.load(Ordering::Acquire) == TAKEN)
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.sharing.shared().active -= 1;
    }
}

/// The state of the share that an engine explores.
pub(crate) struct Turns<'a, H> {
    share: &'a Share,
    began: Instant,
    /// Number of turns so far.
    turn: u64,
    /// What the engine has done with parts.
    history: Vec<Event>,
    /// The states that were set aside, by split, as long as it is not known that another thread has them.
    aside: Vec<Option<Aside<H>>>,
    /// The events that have to be repeated, the next one last.
    repeated: Vec<Event>,
    /// The part to take when all has been repeated.
    wanted: Option<Arc<Part>>,
}

/// States that were set aside.
struct Aside<H> {
    states: Frontier<H>,
    /// The part that they are; `None` if that is only repeated.
    part: Option<Arc<Part>>,
}

impl<'a, H> Turns<'a, H> {
    pub(crate) fn new(share: &'a Share) -> Self {
        let repeated = share.part.iter().flat_map(|part| part.history.iter().rev().copied()).collect();
        Turns {
            share,
            began: Instant::now(),
            turn: 0,
            history: Vec::new(),
            aside: Vec::new(),
            repeated,
            wanted: share.part.clone(),
        }
    }
}

impl<H: Heap> Engine<'_, H> {
    /// Begins the next turn of a shared exploration. False if the exploration has to end, because it differs from the one that it repeats.
    pub(crate) fn begin_turn(&mut self) -> bool {
        let Some(mut turns) = self.turns.take() else { return true };
        let goes_on = self.repeat(&mut turns);
        if goes_on && turns.wanted.is_none() {
            self.take_back(&mut turns);
            self.set_aside(&mut turns);
        }
        turns.turn += 1;
        self.turns = Some(turns);
        goes_on
    }

    /// Repeats what another engine did at this turn, and takes the wanted part if this is its turn.
    fn repeat(&mut self, turns: &mut Turns<H>) -> bool {
        while let Some(event) = turns.repeated.pop_if(|event| event.turn == turns.turn) {
            match event.kind {
                EventKind::Splits => {
                    let states = self.frontier.split();
                    turns.aside.push(Some(Aside { states, part: None }));
                }
                EventKind::Takes => {
                    self.frontier = self.frontier.split();
                    turns.aside.clear();
                }
                EventKind::Returns(number) => {
                    let aside = turns.aside.get_mut(number).and_then(Option::take);
                    aside.into_iter().for_each(|aside| self.frontier.append(aside.states));
                }
            }
            turns.history.push(event);
        }
        let Some(part) = turns.wanted.take_if(|part| part.turn == turns.turn) else { return true };
        let half = self.frontier.split();
        if self.pool.digest() != part.terms || describe(&half) != part.states {
            turns.share.sharing.shared().differs = true;
            return false;
        }
        if !part.gets(TAKEN) {
            return false;
        }
        self.frontier = half;
        turns.history.push(Event { turn: turns.turn, kind: EventKind::Takes });
        turns.aside.clear();
        // What was repeated counts where it was done first.
        self.result = aback_symbolic::Exploration::default();
        self.result.work.taken = 1;
        true
    }

    /// Takes back what no other thread takes, when there is nothing else to do, or when a repetition differed.
    fn take_back(&mut self, turns: &mut Turns<H>) {
        let is_due = self.frontier.len() == 0 || turns.share.sharing.shared().differs;
        for (number, aside) in turns.aside.iter_mut().enumerate() {
            let Some(part) = aside.as_ref().and_then(|aside| aside.part.clone()) else { continue };
            if part.fate.load(Ordering::Acquire) == TAKEN {
                *aside = None;
            } else if is_due
                && part.gets(RETURNED)
                && let Some(aside) = aside.take()
            {
                turns.share.sharing.shared().offered.retain(|offered| !Arc::ptr_eq(offered, &part));
                self.frontier.append(aside.states);
                turns.history.push(Event { turn: turns.turn, kind: EventKind::Returns(number) });
            }
        }
    }

    /// Sets half of the waiting states aside for a thread that has nothing to do, if there is one.
    fn set_aside(&mut self, turns: &mut Turns<H>) {
        let sharing = &turns.share.sharing;
        let (now, elapsed) = (Instant::now(), turns.began.elapsed());
        let is_enough = |deadline: Instant| deadline.saturating_duration_since(now) > elapsed;
        if !sharing.wants_part(elapsed, self.frontier.len()) || !self.config.budget.deadline.is_none_or(is_enough) {
            return;
        }
        let states = self.frontier.split();
        let part = Arc::new(Part {
            history: turns.history.clone(),
            turn: turns.turn,
            terms: self.pool.digest(),
            states: describe(&states),
            fate: AtomicU8::new(OFFERED),
        });
        sharing.shared().offered.push(Arc::clone(&part));
        turns.aside.push(Some(Aside { states, part: Some(part) }));
        turns.history.push(Event { turn: turns.turn, kind: EventKind::Splits });
    }
}

fn describe<H: Heap>(states: &Frontier<H>) -> Vec<Description> {
    states.states().into_iter().map(Description::new).collect()
}
