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

    fn refuses(&self, setting: Setting) -> Option<String> {
        match setting {
            Setting::UnboundedIntegers => None,
            Setting::MachineIntegers => Some("the integers of OOX are unbounded: --ints machine is for Java".into()),
            Setting::AnyStatics => Some("--statics is for Java".into()),
            Setting::OpenWorld => Some("--world is for Java".into()),
        }
    }

    fn load(&self, paths: &[PathBuf], _: &LoadConfig) -> Result<Loaded, LoadError> {
        let crate::Loaded { program, diagnostics } = crate::load(sources(paths, self.extensions())?);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(LoadError::Invalid { program: Box::new(program), diagnostics });
        }
        Ok(Loaded { program, warnings: diagnostics, origin: Arc::new(Plain) })
    }
}
