//! Translates Java class files and sources into programs.
//!
//! [`classpath`] finds class files by name: among the user's files, in their libraries and in the JDK. [`load`] makes
//! a program from them that grows while it is used: classes and code are translated when they are first requested.

mod annotations;
mod assertion_status;
mod bootstrap;
mod classfile;
pub mod classpath;
mod collections;
mod conditions;
mod declaration;
mod front_end;
mod generics;
mod hierarchy;
mod inputs;
mod loader;
mod makers;
mod models;
mod nullness;
mod profile;
mod resolution;
mod runtime;
mod sharing;
mod slim;
mod state;
mod supplied;
mod synthetic;
mod translate;
mod types;

pub use aback_ir::Access;
pub use declaration::{ClassDeclaration, MemberDeclaration};
pub use front_end::JavaFrontEnd;
pub use loader::JavaLoader;

use aback_ir::{Program, Trap};
use classpath::{ClassPath, Warning};
use loader::Java;
use std::sync::Arc;

/// The program of the classes on a class path, with default settings.
///
/// The user's classes are loaded at once, without their code; all other classes are loaded when they are needed.
pub fn load(classpath: ClassPath) -> Program {
    load_with(classpath, &Settings::default()).program
}

/// Settings for loading a program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Most characters of an input string.
    pub string_length: u32,
    /// Whether executions in which an integer of the user's own code overflows are left out.
    pub unbounded_integers: bool,
    /// Whether static fields hold any value at an entry point that is not the start of a program, if code other than
    /// their initialization writes them.
    pub any_statics: bool,
    /// Whether no input is null where the code declares that none is.
    pub trusted_nullness: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { string_length: 10, unbounded_integers: false, any_statics: false, trusted_nullness: false }
    }
}

/// A program with its loader.
pub struct JavaProgram {
    /// The program.
    pub program: Program,
    /// The loader of the classes, which also knows how sources may refer to them.
    pub loader: Arc<JavaLoader>,
    /// Warnings about the class path and the user's own classes.
    pub warnings: Vec<Warning>,
}

/// The program of the classes on a class path, with its loader and the warnings.
pub fn load_with(classpath: ClassPath, settings: &Settings) -> JavaProgram {
    let user_classes: Vec<String> = classpath.user_classes().map(types::class_name).collect();
    let loader = JavaLoader::new(classpath)
        .with_unbounded_integers(settings.unbounded_integers)
        .with_any_statics(settings.any_statics)
        .with_trusted_nullness(settings.trusted_nullness);
    let loader = Arc::new(loader);
    let mut program = Program::new();
    program.set_loader(loader.clone());
    for trap in Trap::ALL {
        let class = program.declare_class(synthetic::traps::class(trap));
        program.set_trap_class(trap, class);
        let thrower = synthetic::traps::thrower(Java { program: &program, loader: &loader }, trap);
        program.set_trap_thrower(trap, thrower);
    }
    let profile = profile::profile(Java { program: &program, loader: &loader }, &loader, settings);
    program.set_profile(profile);
    for name in user_classes {
        let class = program.declare_class(&name);
        program.class(class);
    }
    let warnings = loader.classpath().warnings();
    JavaProgram { program, loader, warnings }
}
