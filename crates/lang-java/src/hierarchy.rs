//! Checks whether the superclass and the interfaces of a class are valid.

use crate::classpath::header::{Declaration, declaration};
use crate::classpath::{ClassPath, Origin};
use crate::types::class_name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The hierarchy that class files outside the JDK declare. JDK classes need no check, and never extend other classes.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    declared: Mutex<FxHashMap<String, Option<Arc<Declaration>>>>,
    /// Classes whose supertypes contain no cycle.
    sound: Mutex<FxHashSet<String>>,
}

impl Hierarchy {
    /// The reason why a class, given by its internal name, cannot be loaded (JVM specification, 5.3.5).
    pub(crate) fn problem(&self, classes: &ClassPath, name: &str) -> Option<String> {
        let own = self.declaration(classes, name)?;
        if self.is_cyclic(classes, name) {
            return Some("it is its own supertype".into());
        }
        if let Some(superclass) = own.superclass.as_deref().filter(|_| !own.is_interface)
            && let Some(above) = self.any_declaration(classes, superclass)
        {
            if above.is_interface {
                return Some(format!("it extends {}, which is an interface", class_name(superclass)));
            }
            if above.is_final {
                return Some(format!("it extends {}, which is final", class_name(superclass)));
            }
        }
        let is_no_interface =
            |name: &&String| self.any_declaration(classes, name).is_some_and(|above| !above.is_interface);
        let class = own.interfaces.iter().find(is_no_interface)?;
        Some(format!("it implements {}, which is not an interface", class_name(class)))
    }

    fn is_cyclic(&self, classes: &ClassPath, name: &str) -> bool {
        if self.is_sound(name) {
            return false;
        }
        // A depth-first search. A name is on the path between being entered and being left.
        let (mut path, mut done) = (FxHashSet::default(), FxHashSet::default());
        let mut pending = vec![(name.to_string(), false)];
        while let Some((name, is_left)) = pending.pop() {
            if is_left {
                path.remove(&name);
                done.insert(name);
                continue;
            }
            if path.contains(&name) {
                return true;
            }
            if done.contains(&name) || self.is_sound(&name) {
                continue;
            }
            let Some(declaration) = self.declaration(classes, &name) else { continue };
            path.insert(name.clone());
            pending.push((name, true));
            let above = declaration.superclass.iter().chain(&declaration.interfaces);
            pending.extend(above.map(|above| (above.clone(), false)));
        }
        self.sound.lock().unwrap_or_else(PoisonError::into_inner).extend(done);
        false
    }

    fn is_sound(&self, name: &str) -> bool {
        self.sound.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    /// The declaration of a class. `None` for a JDK class and for a missing class.
    fn declaration(&self, classes: &ClassPath, name: &str) -> Option<Arc<Declaration>> {
        let declared = || self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = declared().get(name) {
            return known.clone();
        }
        let found = classes.find(name).filter(|found| found.origin != Origin::Library);
        let found = found.and_then(|found| declaration(&found.bytes)).map(Arc::new);
        declared().insert(name.to_string(), found.clone());
        found
    }

    /// Like [`Self::declaration`], but includes JDK classes.
    fn any_declaration(&self, classes: &ClassPath, name: &str) -> Option<Arc<Declaration>> {
        let own = self.declaration(classes, name);
        own.or_else(|| declaration(&classes.find(name)?.bytes).map(Arc::new))
    }
}
