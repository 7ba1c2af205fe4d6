//! The trait behind which every language stands.
//!
//! A [`FrontEnd`] says which files are in its language and makes a [`Loaded`] program of them. What the language promises about the world
//! comes with the program ([`aback_ir::Profile`]); what else the language remembers of the files is its [`Origin`]. The program model in its
//! text form is a language, too: [`Model`].
//!
//! ```
//! use aback_frontend::{FrontEnd, LoadConfig, Model};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let file = folder.path().join("main.ir");
//! std::fs::write(&file, "class Main { static method main() { b0: return } }").unwrap();
//!
//! let loaded = Model.load(&[file], &LoadConfig::default()).unwrap();
//! assert!(loaded.program.class_named("Main").is_some());
//! ```

mod error;
mod files;
mod model;
mod platforms;

pub use error::LoadError;
pub use files::{files_within, has_extension, read_text, sources};
pub use model::Model;
pub use platforms::Platforms;

use aback_ir::{Diagnostic, Program, SourceFile};
use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A language.
pub trait FrontEnd: Sync {
    /// Its name, for a person: `Java`.
    fn name(&self) -> &'static str;

    /// Its name in files: `java`.
    fn key(&self) -> &'static str;

    /// The endings of its files, without dots; the first is that of sources.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether its files are looked for in folders. Others have to be named one by one.
    fn is_found_in_folders(&self) -> bool {
        true
    }

    /// Whether several paths can be one program.
    fn takes_several_paths(&self) -> bool {
        true
    }

    /// Why a setting has no meaning for programs in this language; `None` if it has one.
    fn refuses(&self, setting: Setting) -> Option<String> {
        let _ = setting;
        None
    }

    /// Reads what is at `paths`, files and folders that hold no other language, as one program. A file that is named twice is read once.
    ///
    /// # Errors
    /// The files cannot be read, or are not a program.
    fn load(&self, paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError>;
}

/// A setting that not every language has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// Integers wrap around.
    MachineIntegers,
    /// Executions in which an integer overflows are left out.
    UnboundedIntegers,
    /// Static fields hold any value when an entry point is called.
    AnyStatics,
    /// Classes that are not there may exist.
    OpenWorld,
}

/// Where a program is looked for beside its paths, how it is read, and when reading stops.
#[derive(Clone, Debug, Default)]
pub struct LoadConfig {
    /// Libraries of the program: for Java folders, `.jar` and `.class` files.
    pub libraries: Vec<PathBuf>,
    /// The folder of the language's platform, as the JDK; without it, the front end looks where the environment says.
    pub platform: Option<PathBuf>,
    /// Most characters of strings that are inputs; without it, the front end's usual bound.
    pub string_length: Option<u32>,
    /// Whether executions in which an integer of the user's own code overflows are left out.
    pub unbounded_integers: bool,
    /// Whether static fields hold any value when an entry point is called that a program does not start with.
    pub any_statics: bool,
    /// What was read of platforms already, and is shared with other programs.
    pub platforms: Arc<Platforms>,
    /// When compilers are stopped.
    pub deadline: Option<Instant>,
    /// Stops compilers when set.
    pub interrupt: Arc<AtomicBool>,
}

/// A program with what its front end remembers.
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// Warnings; errors are a [`LoadError`].
    pub warnings: Vec<Diagnostic>,
    /// Where it is from.
    pub origin: Arc<dyn Origin>,
}

/// Where a program is from. The crate that writes reproducers knows which type its language has here.
pub trait Origin: Any + Send + Sync {
    /// The platform whose library was read: its name in files (`jdk`) and its version.
    fn platform(&self) -> Option<(&'static str, String)> {
        None
    }

    /// The source files that the program was made of, where the language remembers them.
    fn sources(&self) -> &[SourceFile] {
        &[]
    }

    /// What SV-COMP calls the language in its witnesses (`Java`); `None` if it has no format for it.
    fn competition_language(&self) -> Option<&'static str> {
        None
    }
}

/// The origin of programs of which nothing need be remembered.
pub struct Plain;

impl Origin for Plain {}
