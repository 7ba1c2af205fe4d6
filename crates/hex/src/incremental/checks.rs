//! Decides which atoms a new reference violates (paper 3, definition 3.5).

use super::{Maximal, Partial, accepts};
use crate::automaton::States;
use crate::invariants::Compiled;
use crate::{AtomId, Invariants, ObjectNumber, Place, Requirement};
use aback_ir::Program;
use smallvec::SmallVec;

/// A violation is final: it depends only on the reference, on the backbone paths to its ends and on whether it belongs
/// to the backbone, and none of these change when the heap is refined. For `aliases max` it also depends on longer
/// backbone paths, which are never removed: what is not maximal never becomes maximal. But what is maximal may become
/// not maximal, so that new objects are compared with the aliases that were found before.
impl Partial {
    pub(super) fn violate(&mut self, atom: AtomId) {
        if let Some(word) = self.violated.get_mut(atom.index() / 64) {
            *word |= 1 << (atom.index() % 64);
        }
    }

    pub(super) fn check_null(&mut self, invariants: &Invariants, reached: &[States]) {
        for (id, atom, compiled) in invariants.compiled() {
            if atom.requirement == Requirement::NotNull && accepts(invariants, compiled.path, reached) {
                self.violate(id);
            }
        }
    }

    pub(super) fn check_new(&mut self, invariants: &Invariants, program: &Program, number: ObjectNumber) {
        let Some(object) = self.object(number).cloned() else { return };
        for (id, atom, compiled) in invariants.compiled() {
            let is_violated = match &atom.requirement {
                Requirement::ExpandsToNothing => true,
                Requirement::ExpandsTo(ty) => !ty.include(program, object.exact),
                _ => false,
            };
            if is_violated && accepts(invariants, compiled.path, &object.states) {
                self.violate(id);
            }
        }
        let extended: SmallVec<[AtomId; 4]> = self
            .maximal
            .iter()
            .filter(|maximal| self.extends(invariants, program, maximal, number))
            .map(|maximal| maximal.atom)
            .collect();
        extended.into_iter().for_each(|atom| self.violate(atom));
    }

    pub(super) fn check_alias(
        &mut self,
        invariants: &Invariants,
        program: &Program,
        reached: &[States],
        place: Place,
        target: ObjectNumber,
    ) {
        let Some(exact) = self.exact_type(target) else { return };
        for (id, atom, compiled) in invariants.compiled() {
            if !accepts(invariants, compiled.path, reached) {
                continue;
            }
            let is_violated = match &atom.requirement {
                Requirement::NotNull | Requirement::ExpandsToNothing | Requirement::ExpandsTo(_) => false,
                Requirement::AliasesNothing => true,
                Requirement::AliasesSome(ty) => !ty.include(program, exact),
                Requirement::Aliases(_) => !self.is_found(invariants, program, (id, compiled, false), place, target),
                Requirement::AliasesMax(_) => !self.is_found(invariants, program, (id, compiled, true), place, target),
            };
            if is_violated {
                self.violate(id);
            }
        }
    }

    /// Whether the target of an alias was found through the second path of an atom, and through a maximal one if that
    /// is required.
    fn is_found(
        &mut self,
        invariants: &Invariants,
        program: &Program,
        (atom, compiled, is_max): (AtomId, Compiled, bool),
        place: Place,
        target: ObjectNumber,
    ) -> bool {
        let Some(path) = compiled.target else { return false };
        let Some(automaton) = invariants.automata().get(path) else { return false };
        if automaton.root().is_some() {
            let new = Maximal { atom, path, origin: None, target };
            let is_found = self.object(target).is_some_and(|object| accepts(invariants, path, &object.states));
            return is_found && (!is_max || self.keep_maximal(invariants, program, new));
        }
        let origins = self.origins(invariants, program, compiled.path, place, None);
        let possible = self.starts(automaton, program, automaton.accepting(), target);
        origins.into_iter().all(|origin| {
            let new = Maximal { atom, path, origin: Some(origin), target };
            possible.contains(&origin) && (!is_max || self.keep_maximal(invariants, program, new))
        })
    }

    /// Records that a target has to stay maximal. `false` if it is not maximal already.
    fn keep_maximal(&mut self, invariants: &Invariants, program: &Program, new: Maximal) -> bool {
        self.maximal.push_back_mut(new);
        let mut objects = (0..self.objects.len()).map(|number| ObjectNumber(number as u32));
        !objects.any(|object| self.extends(invariants, program, &new, object))
    }

    /// Whether the backbone path to `object` leads on from the target of an alias, and is a path of the same
    /// expression.
    fn extends(&self, invariants: &Invariants, program: &Program, maximal: &Maximal, object: ObjectNumber) -> bool {
        let is_beyond = self.ancestors(object).skip(1).any(|ancestor| ancestor == maximal.target);
        is_beyond
            && match (maximal.origin, invariants.automata().get(maximal.path)) {
                (Some(origin), Some(automaton)) => {
                    self.starts(automaton, program, automaton.accepting(), object).contains(&origin)
                }
                _ => self.object(object).is_some_and(|object| accepts(invariants, maximal.path, &object.states)),
            }
    }
}
