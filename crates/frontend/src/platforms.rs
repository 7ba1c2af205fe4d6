//! Shares platforms between programs.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The file of a library, and the time of its last change.
type Library = (PathBuf, Option<SystemTime>);

/// The data that front ends have read of platforms, for example the class files of a JDK. Programs that are loaded
/// with the same `Platforms` share it.
#[derive(Default)]
pub struct Platforms {
    read: Mutex<HashMap<Library, Arc<dyn Any + Send + Sync>>>,
}

impl Platforms {
    /// The data for the platform with this library file. It is created if there is none, or if the file has changed.
    pub fn of<T: Any + Send + Sync>(&self, library: &Path, make: impl FnOnce() -> T) -> Arc<T> {
        let changed = library.metadata().and_then(|metadata| metadata.modified()).ok();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (library.to_path_buf(), changed);
        if let Some(known) = read.get(&key).and_then(|known| Arc::clone(known).downcast::<T>().ok()) {
            return known;
        }
        let made = Arc::new(make());
        read.insert(key, made.clone());
        made
    }
}

impl fmt::Debug for Platforms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Platforms")
    }
}
