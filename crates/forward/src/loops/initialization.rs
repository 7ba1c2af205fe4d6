//! Initializes classes ahead of a loop.

use crate::config::Search;
use crate::engine::{Engine, Flow};
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap::{Heap, Value};
use aback_ir::{FieldId, MethodId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Most operations of an initializer.
const MOST_OPERATIONS: u64 = 100_000;

/// The initializers of the platform's classes.
#[derive(Default)]
pub(crate) struct Initializers {
    /// Number of loaded classes when these were collected: programs grow.
    loaded: usize,
    /// The guards of the initializations, and the initializers.
    guarded: Rc<[Guarded]>,
    /// Those that do not run to their ends on one path.
    only_in_place: FxHashSet<MethodId>,
}

/// The guard of a class's initialization, and the initializer.
pub(super) type Guarded = (FieldId, MethodId);

impl<H: Heap> Engine<'_, H> {
    /// Initializes classes of the platform that an iteration initializes, so that the first iteration does not differ from the
    /// others. Their initializers do not depend on what the program did before, and the program notices nothing of them
    /// ([`aback_ir::Program::is_platform`]). Returns whether there were any.
    pub(super) fn initialize_ahead(&mut self, state: &mut State<H>, classes: &[Guarded]) -> bool {
        let mut is_any = false;
        for &(guard, initializer) in classes {
            let initialized = self.quietly(|engine| engine.behind_call(state, initializer));
            match initialized.filter(|state| self.is_set(state, guard)) {
                Some(initialized) => {
                    *state = initialized;
                    is_any = true;
                }
                None => _ = self.initializers.only_in_place.insert(initializer),
            }
        }
        is_any
    }

    /// The classes of the platform that are initialized at some ends of iterations, and not in a state.
    pub(super) fn initialized_by(&mut self, state: &State<H>, ends: &[State<H>]) -> Vec<Guarded> {
        let guarded = self.guarded();
        let only_in_place = &self.initializers.only_in_place;
        let is_due = |&(guard, initializer): &Guarded| {
            let is_possible = !only_in_place.contains(&initializer) && !self.is_set(state, guard);
            is_possible && ends.iter().any(|end| self.is_set(end, guard))
        };
        guarded.iter().copied().filter(is_due).collect()
    }

    fn guarded(&mut self) -> Rc<[Guarded]> {
        let program = self.program;
        let loaded = program.classes().count();
        if std::mem::replace(&mut self.initializers.loaded, loaded) != loaded {
            let classes = program.classes().filter(|&(class, _)| program.is_platform(class));
            self.initializers.guarded = classes.filter_map(|(class, _)| program.initialization(class)).collect();
        }
        Rc::clone(&self.initializers.guarded)
    }

    fn is_set(&self, state: &State<H>, guard: FieldId) -> bool {
        let value = state.heap.read_static(self.program, &self.layout, guard);
        !matches!(value, Value::Bool(false) | Value::Null | Value::Term(_))
    }

    /// The state behind a call of a method without arguments. `None` if there is not exactly one.
    fn behind_call(&mut self, state: &State<H>, method: MethodId) -> Option<State<H>> {
        let mut running = state.clone();
        // States that fork off would come from here, too.
        let frontier = std::mem::replace(&mut self.frontier, Frontier::new(Search::Breadth));
        let flow = self.run_call(&mut running, method, state.frames);
        self.frontier = frontier;
        let is_back = matches!(flow, Some(Flow::Jumped)) && running.frames == state.frames;
        running.frame.at = state.frame.at;
        is_back.then_some(running)
    }

    fn run_call(&mut self, running: &mut State<H>, method: MethodId, frames: usize) -> Option<Flow> {
        let program = self.program;
        let mut flow = self.enter(running, method, &[], None);
        let mut left = MOST_OPERATIONS;
        while matches!(flow, Flow::Jumped | Flow::Next) && running.frames > frames && left > 0 {
            let body = program.body(running.frame.method)?;
            let code = self.code_of(running.frame.method)?;
            flow = self.run_frame(running, body, &code, &mut left);
        }
        Some(flow)
    }
}
