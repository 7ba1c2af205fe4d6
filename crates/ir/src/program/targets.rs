//! Remembers what virtual calls may run, because most analyses ask for it, and each answer takes all subtypes of a class.
//! The same goes for what library code may run.

use super::{MethodId, Program, whole};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

#[derive(Default)]
pub(super) struct Targets {
    /// The number of times that classes may have got subtypes.
    changes: AtomicUsize,
    /// The answers, by the method that a call names; `None` for calls in libraries.
    found: RwLock<FxHashMap<Option<MethodId>, Found>>,
}

struct Found {
    /// The number of changes when the answer was found.
    changes: usize,
    methods: Arc<[MethodId]>,
}

impl Program {
    /// Notes that a class may have got a subtype, for loaders whose classes become subtypes otherwise than by a
    /// declaration that is loaded.
    pub fn note_new_subtypes(&self) {
        self.tables.targets.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// The number of times that classes may have got subtypes.
    pub(crate) fn hierarchy_changes(&self) -> usize {
        self.tables.targets.changes.load(Ordering::Acquire)
    }

    /// The methods that virtual calls of a method, or for `None` calls in libraries, may run. `find` finds them out if
    /// the class hierarchy has changed since the last time.
    pub(crate) fn known_targets(
        &self,
        named: Option<MethodId>,
        find: impl FnOnce() -> Vec<MethodId>,
    ) -> Arc<[MethodId]> {
        let targets = &self.tables.targets;
        let changes = self.hierarchy_changes();
        if let Some(known) = whole(targets.found.read()).get(&named).filter(|known| known.changes == changes) {
            return known.methods.clone();
        }
        let methods: Arc<[MethodId]> = find().into();
        whole(targets.found.write()).insert(named, Found { changes, methods: methods.clone() });
        methods
    }
}
