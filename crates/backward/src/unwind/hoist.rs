//! Moves initialization of platform classes and constants to the start, if it is needed at more than one place.
//!
//! Classes are initialized, and constants (strings, class objects) created, where they are first needed. When ways
//! join, one of them may have done that and another not, so that the initialization would be unwound again wherever
//! it is needed next. For classes of the platform, the time of initialization makes no difference to a program,
//! because their initializers do not depend on what the program did before
//! ([`Program::is_platform`](aback_ir::Program::is_platform)). So it is moved to the start, where everything is
//! known, and the unwinding begins anew. Classes of the program and of other libraries are initialized where they are
//! first used.

use super::Unwinder;
use super::way::Way;
use aback_heap::Value;
use aback_ir::{Body, FieldId, MethodId, OpKind};
use aback_witness::Place;
use rustc_hash::FxHashSet;

/// The initializations at the start.
#[derive(Debug, Default)]
pub(crate) struct Hoisted {
    /// Static fields and the static methods that set them, in the order in which they were needed.
    makers: Vec<(FieldId, MethodId)>,
    /// Fields whose methods may end in another way than by returning.
    refused: FxHashSet<FieldId>,
    /// The initializations that were needed so far.
    needed: Vec<(FieldId, MethodId)>,
    /// Whether one was needed twice, so that unwinding has to begin anew.
    pub is_changed: bool,
}

impl Hoisted {
    /// Whether nothing is moved to the start.
    pub fn is_empty(&self) -> bool {
        self.makers.is_empty()
    }

    /// Prepares for unwinding anew.
    pub fn renew(&mut self) {
        self.is_changed = false;
        for (field, method) in std::mem::take(&mut self.needed) {
            if !self.refused.contains(&field) && !self.makers.iter().any(|&(known, _)| known == field) {
                self.makers.push((field, method));
            }
        }
        self.makers.retain(|(field, _)| !self.refused.contains(field));
    }
}

impl Unwinder<'_> {
    /// Notes that a field is needed that may not be set yet.
    pub(super) fn note_needed(&mut self, field: FieldId, method: MethodId) {
        if self.is_at_start()
            || !(self.config.facts && self.config.hoisting)
            || self.hoisted.refused.contains(&field)
            || !self.is_of_platform(method)
        {
            return;
        }
        if self.hoisted.needed.contains(&(field, method)) {
            self.hoisted.is_changed = true;
        } else {
            self.hoisted.needed.push((field, method));
        }
    }

    /// Whether a method that sets a field runs only code of the platform. Any code of the platform may run models, which may
    /// count their calls.
    fn is_of_platform(&self, method: MethodId) -> bool {
        if !self.program.models().is_empty() {
            return false;
        }
        let is_platform = |method: MethodId| self.program.is_platform(self.program.method(method).class);
        let mut ops = self.program.body(method).into_iter().flat_map(Body::ops);
        is_platform(method)
            && ops.all(|(_, op)| !matches!(op.kind, OpKind::Call { method, .. } if !is_platform(method)))
    }

    /// Whether the initializations at the start are still running. Then it is not known who catches their exceptions.
    pub(super) fn is_at_start(&self) -> bool {
        self.active.first().is_none_or(|active| active.method != self.query.entry)
    }

    /// Runs the initializations at the start.
    pub(super) fn make_hoisted(&mut self, mut way: Way, place: Place) -> Way {
        for (field, method) in self.hoisted.makers.clone() {
            if !matches!(self.static_value(&way, field).value, Value::Bool(false) | Value::Null) {
                continue;
            }
            let Some(body) = self.program.body(method) else { continue };
            let (ends, number) = (self.ends, self.next_activation());
            let (returned, thrown) = self.activation(way.clone(), (method, number), body, Vec::new(), place);
            match returned {
                Some((returned, _)) if thrown.is_empty() && self.ends == ends => way = returned,
                _ => {
                    self.hoisted.refused.insert(field);
                    self.hoisted.is_changed = true;
                }
            }
        }
        way
    }
}
