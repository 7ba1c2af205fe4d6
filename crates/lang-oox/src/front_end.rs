//! Implements the front end for OOX.

use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, Plain, Setting, sources};
use aback_ir::{MethodId, Severity};
use std::path::PathBuf;
use std::sync::Arc;

/// The front end for OOX: `.oox` files, and folders of them.
pub struct OoxFrontEnd;

impl FrontEnd for OoxFrontEnd {
    fn name(&self) -> &'static str {
        "OOX"
    }

    fn key(&self) -> &'static str {
        "oox"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["oox"]
    }

    /// The integers of OOX are unbounded, unless the user wants them to be those of Java.
    fn supports(&self, setting: Setting) -> bool {
        matches!(
            setting,
            Setting::UnboundedIntegers | Setting::MachineIntegers | Setting::Invariants | Setting::Preconditions
        )
    }

    fn load(&self, paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError> {
        let integers = if config.machine_integers { crate::Integers::Machine } else { crate::Integers::Unbounded };
        finished(crate::load_with_integers(sources(paths, self.extensions())?, integers))
    }

    fn load_with_preconditions(
        &self,
        paths: &[PathBuf],
        config: &LoadConfig,
        loaded: &Loaded,
        entry: MethodId,
    ) -> Result<Loaded, LoadError> {
        let sources = sources(paths, self.extensions())?;
        let conditions = config.preconditions.conditions.clone();
        finished(crate::load_with_preconditions(sources, &loaded.program, entry, conditions))
    }
}

/// A loaded program without errors.
fn finished(loaded: crate::Loaded) -> Result<Loaded, LoadError> {
    let crate::Loaded { program, diagnostics } = loaded;
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(LoadError::Invalid { program: Box::new(program), diagnostics });
    }
    Ok(Loaded { program, warnings: diagnostics, origin: Arc::new(Plain) })
}
