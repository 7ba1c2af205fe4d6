//! Java becomes programs.
//!
//! [`classpath`] finds class files by name: among the user's files, in their libraries and in the JDK. [`load`] makes
//! a program of them that grows while it is used: classes and code are translated when they are first asked for.

mod bootstrap;
mod builder;
mod classfile;
pub mod classpath;
mod declaration;
mod hierarchy;
mod inputs;
mod loader;
mod models;
mod resolution;
mod sharing;
mod slim;
mod state;
mod synthetic;
mod translate;
mod types;

pub use aback_ir::Access;
pub use declaration::{ClassDeclaration, MemberDeclaration};
pub use loader::JavaLoader;

use aback_ir::{Program, StringLayout, Trap};
use classpath::{ClassPath, Warning};
use loader::Java;
use std::sync::Arc;

/// The most elements of an array in HotSpot, which throws an `OutOfMemoryError` for more, however much memory there is.
const MAX_ARRAY_LENGTH: i64 = i32::MAX as i64 - 2;

/// The program of the classes on a class path.
///
/// The user's classes are loaded at once, without their code; all others when they are needed.
pub fn load(classpath: ClassPath) -> Program {
    load_with(classpath, &Settings::default()).program
}

/// How far a program goes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Most characters of a string that is an input.
    pub string_length: u32,
    /// Whether executions in which an integer of the user's own code overflows are left out.
    pub unbounded_integers: bool,
    /// Whether static fields hold anything when an entry point is called that a program does not start with, where something
    /// other than their initialization writes them.
    pub any_statics: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { string_length: 10, unbounded_integers: false, any_statics: false }
    }
}

/// A program with what it is loaded from.
pub struct JavaProgram {
    /// The program.
    pub program: Program,
    /// Loads its classes, and knows how sources may name them.
    pub loader: Arc<JavaLoader>,
    /// What the user should know of the class path and of their own classes.
    pub warnings: Vec<Warning>,
}

/// The same, as the settings say, with all that is known of it.
pub fn load_with(classpath: ClassPath, settings: &Settings) -> JavaProgram {
    let user_classes: Vec<String> = classpath.user_classes().map(types::class_name).collect();
    let loader = JavaLoader::new(classpath)
        .with_unbounded_integers(settings.unbounded_integers)
        .with_any_statics(settings.any_statics);
    let loader = Arc::new(loader);
    let mut program = Program::new();
    program.set_loader(loader.clone());
    program.set_index_type(types::INT);
    program.set_max_array_length(MAX_ARRAY_LENGTH);
    program.set_type_words(types::keyword);
    if settings.unbounded_integers {
        program.set_assumption("integers taken as unbounded");
    }
    let object = program.declare_class(types::OBJECT);
    program.set_array_superclass(object);
    let interfaces = ["java.lang.Cloneable", "java.io.Serializable"].map(|name| program.declare_class(name));
    program.set_array_interfaces(interfaces.to_vec());
    for trap in Trap::ALL {
        let class = program.declare_class(synthetic::traps::class(trap));
        program.set_trap_class(trap, class);
        let thrower = synthetic::traps::thrower(Java { program: &program, loader: &loader }, trap);
        program.set_trap_thrower(trap, thrower);
    }
    let java = Java { program: &program, loader: &loader };
    let (string, throwable) = (java.named(types::STRING), java.named("java.lang.Throwable"));
    let value = java.declared_field(string, "value", "[B");
    let coder = java.declared_field(string, "coder", "B");
    let message = java.declared_field(throwable, "detailMessage", "Ljava/lang/String;");
    let inputs = inputs::rules(java, settings.string_length);
    if let Some(value) = value {
        program.set_string_layout(StringLayout { class: string, value, coder });
    }
    if let Some(message) = message {
        program.set_message_field(message);
    }
    program.set_inputs(inputs);
    for name in user_classes {
        let class = program.declare_class(&name);
        program.class(class);
    }
    let warnings = loader.classpath().warnings();
    JavaProgram { program, loader, warnings }
}
