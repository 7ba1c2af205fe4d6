//! Reads the text form of the program model as a language.

use crate::{FrontEnd, LoadConfig, LoadError, Loaded, Plain, Setting, read_text};
use std::path::PathBuf;
use std::sync::Arc;

/// The program model in its text form, with one `.ir` file for each program.
pub struct Model;

impl FrontEnd for Model {
    fn name(&self) -> &'static str {
        "a program model"
    }

    fn key(&self) -> &'static str {
        "ir"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ir"]
    }

    fn is_found_in_folders(&self) -> bool {
        false
    }

    fn takes_several_paths(&self) -> bool {
        false
    }

    /// A program model says of each integer whether it wraps around, and what exists besides the program.
    fn supports(&self, _: Setting) -> bool {
        false
    }

    fn load(&self, paths: &[PathBuf], _: &LoadConfig) -> Result<Loaded, LoadError> {
        let [path] = paths else {
            return Err(LoadError::NotAlone { language: self.name(), extension: "ir" });
        };
        let text = read_text(path)?;
        let program = aback_ir::text::parse(&text)
            .map_err(|error| LoadError::Malformed { path: path.clone(), message: error.to_string() })?;
        Ok(Loaded { program, warnings: Vec::new(), origin: Arc::new(Plain) })
    }
}
