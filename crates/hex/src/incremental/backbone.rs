//! Finds the objects on backbone paths at which words start.

use super::Partial;
use crate::automaton::{Automaton, START, States};
use crate::{Invariants, ObjectNumber, Place};
use aback_ir::Program;
use smallvec::SmallVec;

impl Partial {
    /// An object and those on its backbone path, the nearest first.
    pub(super) fn ancestors(&self, object: ObjectNumber) -> impl Iterator<Item = ObjectNumber> + '_ {
        std::iter::successors(Some(object), |&object| self.object(object).and_then(|object| object.discovered.source()))
    }

    /// The objects on the backbone path to `from` at which a word can start that leads to one of `states` at `from`.
    /// Ends when no word can be longer.
    pub(super) fn starts(
        &self,
        automaton: &Automaton,
        program: &Program,
        mut states: States,
        from: ObjectNumber,
    ) -> SmallVec<[ObjectNumber; 2]> {
        let mut found = SmallVec::new();
        for number in self.ancestors(from) {
            let Some(object) = self.object(number) else { break };
            if states & automaton.at_object(program, object.exact) & START != 0 {
                found.push(number);
            }
            states = automaton.retreat(program, states, object.discovered);
            if states == 0 {
                break;
            }
        }
        found
    }

    /// The objects at which a word starts that ends with the reference at `place`. `new` is the object that it
    /// discovered: it may be such an object itself.
    pub(super) fn origins(
        &self,
        invariants: &Invariants,
        program: &Program,
        path: usize,
        place: Place,
        new: Option<ObjectNumber>,
    ) -> SmallVec<[ObjectNumber; 2]> {
        let Some(automaton) = invariants.automata().get(path) else { return SmallVec::new() };
        match (new, place.source()) {
            (Some(new), _) => self.starts(automaton, program, automaton.accepting(), new),
            (None, Some(source)) => {
                let before = automaton.retreat(program, automaton.accepting(), place);
                self.starts(automaton, program, before, source)
            }
            (None, None) => SmallVec::new(),
        }
    }
}
