//! Finds the companion methods that a reference triggers.

use super::{Partial, accepts};
use crate::automaton::Automaton;
use crate::{AtomId, Invariants, ObjectNumber, Reference};
use aback_ir::{MethodId, MethodKind, Program, Type};

/// A companion method that has to run because of the last reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Triggered {
    /// The atom.
    pub atom: AtomId,
    /// The method. If it is an instance method, it is the one that a call on the object that was reached runs.
    pub method: MethodId,
    /// The first argument of static methods for paths from any object: the object where the path starts.
    pub origin: Option<ObjectNumber>,
    /// The last argument: the object that the reference leads to, or null.
    pub reached: Option<ObjectNumber>,
}

impl Partial {
    /// The companion methods that the last reference triggers: those of all atoms whose first path ends with it,
    /// whatever the reference turned out to be. A method is not called for objects that its last parameter cannot
    /// hold, and an instance method is not called on null.
    pub fn triggered(&self, invariants: &Invariants, program: &Program) -> Vec<Triggered> {
        let mut found = Vec::new();
        let Some(last) = self.references.last() else { return found };
        let Reference { place, target } = last.reference;
        let new = target.filter(|_| last.is_new);
        let reached = match new.and_then(|new| self.object(new)) {
            Some(object) => object.states.clone(),
            None => self.after(invariants, program, place),
        };
        for (id, atom, compiled) in invariants.compiled() {
            let Some(method) = atom.companion else { continue };
            if !accepts(invariants, compiled.path, &reached) {
                continue;
            }
            let exact = target.and_then(|target| self.object(target)).map(|object| object.exact);
            let holds = |param: &Type| exact.is_none_or(|exact| program.is_assignable(exact, *param));
            if !program.method(method).params.last().is_some_and(holds) {
                continue;
            }
            if program.method(method).kind == MethodKind::Instance {
                if let Some(Type::Class(class)) = exact {
                    let method = program.dispatch(class, method);
                    found.push(Triggered { atom: id, method, origin: None, reached: target });
                }
                continue;
            }
            let called = |origin| Triggered { atom: id, method, origin, reached: target };
            match invariants.automata().get(compiled.path).and_then(Automaton::root) {
                Some(_) => found.push(called(None)),
                None => {
                    let origins = self.origins(invariants, program, compiled.path, place, new);
                    found.extend(origins.into_iter().map(|origin| called(Some(origin))));
                }
            }
        }
        found
    }
}
