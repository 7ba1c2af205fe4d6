//! Implements the front end for OOX.

use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, Plain, Setting, sources};
use aback_ir::Severity;
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

    /// The integers of OOX are unbounded.
    fn supports(&self, setting: Setting) -> bool {
        matches!(setting, Setting::UnboundedIntegers | Setting::Invariants)
    }

    fn load(&self, paths: &[PathBuf], _: &LoadConfig) -> Result<Loaded, LoadError> {
        let crate::Loaded { program, diagnostics } = crate::load(sources(paths, self.extensions())?);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(LoadError::Invalid { program: Box::new(program), diagnostics });
        }
        Ok(Loaded { program, warnings: diagnostics, origin: Arc::new(Plain) })
    }
}
