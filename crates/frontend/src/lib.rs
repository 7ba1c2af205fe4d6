//! Defines the interface that every language implements.
//!
//! A [`FrontEnd`] decides which files are in its language and makes a [`Loaded`] program from them. The program
//! contains the promises of the language about its world ([`aback_ir::Profile`]); [`Origin`] is what else the
//! language remembers about the files. The text form of the program model is a language, too: [`Model`].
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

mod compile_cache;
mod compiler;
mod error;
mod files;
mod model;
mod platforms;
mod tool;

pub use compile_cache::{CompileCache, CompileKey, Compiled, Hash, Known, SourceState, hash};
pub use compiler::{Ended, NotRun, run_compiler};
pub use error::LoadError;
pub use files::{files_within, has_extension, read_text, sources};
pub use model::Model;
pub use platforms::Platforms;
pub use tool::{FoundTool, Tool};

use aback_ir::{Diagnostic, MethodId, Program, SourceFile};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A language.
pub trait FrontEnd: Sync {
    /// Its name for users: `Java`.
    fn name(&self) -> &'static str;

    /// Its name in files: `java`.
    fn key(&self) -> &'static str;

    /// The file name extensions, without dots; the first is the one of sources.
    fn extensions(&self) -> &'static [&'static str];

    /// The extensions of the files that people write. Folders may have files of other extensions as tools of programs
    /// in another language.
    fn written_extensions(&self) -> &'static [&'static str] {
        self.extensions()
    }

    /// Whether files in folders are found. Other files have to be named one by one.
    fn is_found_in_folders(&self) -> bool {
        true
    }

    /// Whether one program may have several paths.
    fn takes_several_paths(&self) -> bool {
        true
    }

    /// Whether a setting applies to programs in this language.
    fn supports(&self, setting: Setting) -> bool {
        let _ = setting;
        true
    }

    /// Reads the files and folders at `paths` as one program. The folders contain no other language. A file that is
    /// named twice is read once.
    ///
    /// # Errors
    /// The files cannot be read, or are not a valid program.
    fn load(&self, paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError>;

    /// Reads a program that was read from these paths again, with preconditions of an entry point of it
    /// ([`Program::with_preconditions`]). Each condition is an expression of the language, without side effects that matter,
    /// over what code in the class of the entry point can name, and the parameters of the entry point. Only languages
    /// that support [`Setting::Preconditions`] have this.
    ///
    /// # Errors
    /// A condition is no expression of this kind, or the language has none for this entry point.
    fn load_with_preconditions(
        &self,
        paths: &[PathBuf],
        config: &LoadConfig,
        loaded: &Loaded,
        entry: MethodId,
    ) -> Result<Loaded, LoadError> {
        let _ = (paths, config, loaded, entry);
        Err(LoadError::Precondition(format!("programs in {} have no preconditions", self.name())))
    }

    /// The tools for reading programs and running them: those in the folder `platform`, or those that are used if the user
    /// names none.
    fn tools(&self, platform: Option<&Path>) -> Vec<Tool> {
        let _ = platform;
        Vec::new()
    }
}

/// A setting that only some languages support.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// Integers wrap around.
    MachineIntegers,
    /// Executions in which an integer overflows are left out.
    UnboundedIntegers,
    /// Static fields hold any value when an entry point is called.
    AnyStatics,
    /// Classes outside of the program may exist.
    OpenWorld,
    /// Methods of the program are assertions.
    AssertMethods,
    /// The heap of the inputs satisfies invariants.
    Invariants,
    /// Objects of inputs are made by constructors.
    ConstructibleInputs,
    /// The inputs of an entry point satisfy conditions.
    Preconditions,
    /// Code of the user stands for methods of libraries.
    Models,
}

/// The locations of a program besides its paths, its settings, and the limits for loading it.
#[derive(Clone, Debug, Default)]
pub struct LoadConfig {
    /// The key of the language whose files count in folders that have files of several.
    pub language: Option<String>,
    /// Libraries of the program: for Java folders, `.jar` and `.class` files.
    pub libraries: Vec<PathBuf>,
    /// The folder of the language's platform, for example a JDK; by default, the front end consults the environment.
    pub platform: Option<PathBuf>,
    /// Most characters of input strings; by default, the bound of the front end.
    pub string_length: Option<u32>,
    /// Whether executions in which an integer of the user's own code overflows are left out.
    pub unbounded_integers: bool,
    /// Whether integers are machine integers in a language in which they are unbounded otherwise.
    pub machine_integers: bool,
    /// Whether static fields hold any value at an entry point that is not the start of a program.
    pub any_statics: bool,
    /// Whether no input is null where the code declares that none is, in languages that have such declarations.
    pub trusted_nullness: bool,
    /// Methods whose calls are assertions of their first truth value, named like entry points.
    pub assert_methods: Vec<String>,
    /// What the inputs of an entry point satisfy.
    pub preconditions: Preconditions,
    /// Whether a project is not built that would have to be: a build runs what the project's files say.
    pub no_build: bool,
    /// Files and folders with models: code in the language of the program that stands for methods of its libraries
    /// ([`aback_ir::Runtime::models`]). Only languages that support [`Setting::Models`] have them.
    pub models: Vec<PathBuf>,
    /// Platforms that have been read, which programs share.
    pub platforms: Arc<Platforms>,
    /// Where compiled programs are kept for later runs.
    pub compiled: Option<CompileCache>,
    /// Deadline for compilers.
    pub deadline: Option<Instant>,
    /// Stops compilers when set.
    pub interrupt: Arc<AtomicBool>,
}

/// Conditions that the inputs of an entry point satisfy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preconditions {
    /// The entry point as `Class.method`; by default, the main method.
    pub entry: Option<String>,
    /// Expressions in the language of the program.
    pub conditions: Vec<String>,
}

/// The name of the file, in messages, that has the text of a condition.
pub const CONDITION_FILE: &str = "--assume";

/// A program with the data that its front end keeps.
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// Warnings; errors are reported as a [`LoadError`].
    pub warnings: Vec<Diagnostic>,
    /// The origin of the program.
    pub origin: Arc<dyn Origin>,
}

/// Where a program comes from. The crate that writes reproducers knows the concrete type for each language.
pub trait Origin: Any + Send + Sync {
    /// The platform whose library was read: its name in files (`jdk`) and its version.
    fn platform(&self) -> Option<(&'static str, String)> {
        None
    }

    /// The source files of the program, if the language keeps them.
    fn sources(&self) -> &[SourceFile] {
        &[]
    }

    /// The name of the language in SV-COMP witnesses (`Java`); `None` if SV-COMP has no format for it.
    fn competition_language(&self) -> Option<&'static str> {
        None
    }
}

/// The origin of programs for which nothing is kept.
pub struct Plain;

impl Origin for Plain {}
