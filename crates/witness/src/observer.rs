//! Lets others watch a run.

use crate::outcome::{Outcome, Place};
use crate::state::State;

/// Watches a run, one operation at a time. By default, all methods do nothing.
pub trait Observer {
    /// Called before each operation and terminator, with its place. The innermost activation is about to execute it.
    fn step(&mut self, _state: &State<'_>, _place: Place) {}

    /// Called once, when the run has ended. After a return or an uncaught exception no activation is open; otherwise
    /// all that were open still are. The heap shows what a returned reference refers to.
    fn end(&mut self, _state: &State<'_>, _outcome: &Outcome) {}
}

/// Watches nothing.
impl Observer for () {}

/// Both watch, the first one first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn step(&mut self, state: &State<'_>, place: Place) {
        self.0.step(state, place);
        self.1.step(state, place);
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        self.0.end(state, outcome);
        self.1.end(state, outcome);
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn step(&mut self, state: &State<'_>, place: Place) {
        (**self).step(state, place);
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        (**self).end(state, outcome);
    }
}
