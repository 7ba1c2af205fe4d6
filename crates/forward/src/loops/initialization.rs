//! Initializes classes ahead of a loop.

use crate::config::Search;
use crate::engine::{Engine, Flow};
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap::{Heap, Value};
use aback_ir::{FieldId, MethodId};
use std::rc::Rc;

/// Most operations of an initializer.
const MOST_OPERATIONS: u64 = 100_000;

impl<H: Heap> Engine<'_, H> {
    /// Initializes the classes of the platform that an iteration initializes, so that the first iteration does not differ
    /// from the others. Their initializers do not depend on what the program did before, and the program notices nothing of
    /// them ([`aback_ir::Program::is_platform`]). Returns whether there were any.
    pub(super) fn initialize_ahead(&mut self, state: &mut State<H>, ends: &[State<H>]) -> bool {
        let mut is_any = false;
        for (guard, initializer) in self.initialized_by(state, ends) {
            let initialized = self.quietly(|engine| engine.behind_call(state, initializer));
            match initialized.filter(|state| self.is_set(state, guard)) {
                Some(initialized) => {
                    *state = initialized;
                    is_any = true;
                }
                None => _ = self.only_in_place.insert(initializer),
            }
        }
        is_any
    }

    /// The guards and the initializers of the classes of the platform that are initialized at some ends of iterations, and not
    /// in a state.
    pub(super) fn initialized_by(&mut self, state: &State<H>, ends: &[State<H>]) -> Vec<(FieldId, MethodId)> {
        let program = self.program;
        let guards = self.guards.get_or_insert_with(|| {
            let classes = program.classes().filter(|&(class, _)| program.is_platform(class));
            classes.filter_map(|(class, _)| program.initialization(class)).collect()
        });
        let guards = Rc::clone(guards);
        let is_due = |&(guard, initializer): &(FieldId, MethodId)| {
            let is_possible = !self.only_in_place.contains(&initializer) && !self.is_set(state, guard);
            is_possible && ends.iter().any(|end| self.is_set(end, guard))
        };
        guards.iter().copied().filter(is_due).collect()
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
