//! Notes the methods of libraries with models of the user that a run calls ([`aback_ir::Program::modelled`]).

use crate::observer::Observer;
use crate::outcome::Place;
use crate::state::State;
use aback_ir::{Body, MethodId, Point};
use rustc_hash::FxHashMap;

/// Observes calls of methods whose code is that of models.
#[derive(Default, Debug)]
pub struct ModelCalls {
    /// The methods that were called; those with models have names.
    called: FxHashMap<MethodId, Option<String>>,
}

impl ModelCalls {
    /// The methods with models that were called, for users, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.called.values().flatten().cloned().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Observer for ModelCalls {
    fn step(&mut self, state: &State<'_>, place: Place) {
        if place.point == (Point { block: Body::ENTRY, op: 0 }) {
            self.called.entry(place.method).or_insert_with(|| state.program().modelled(place.method));
        }
    }
}
