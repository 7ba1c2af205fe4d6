//! Translates OOX sources into programs.
//!
//! OOX is a small object-oriented language for verification (paper 4, section 2.3); `docs/oox.md` describes aback's
//! version. [`load`] takes the texts of one program and returns the program with all diagnostics:
//!
//! ```
//! let source = "
//!     class Main {
//!         static int twice(int n) ensures(retval == n + n) { return 2 * n; }
//!     }";
//! let loaded = aback_lang_oox::load(vec![("Main.oox".into(), source.into())]);
//! assert!(loaded.diagnostics.is_empty());
//! let main = loaded.program.class_named("Main").expect("it is declared");
//! let twice = loaded.program.class(main).methods[0];
//! assert_eq!(loaded.program.method_name(twice), "Main.twice");
//! ```
//!
//! The stages: [`lexer`] → [`parser`] (to [`ast`]) → [`declare`] (classes, fields, methods, with [`builtins`]) →
//! [`lower`] (bodies: types are checked and operations emitted in one pass).

// The text above links to private modules for developers of this crate.
#![allow(rustdoc::private_intra_doc_links)]

mod ast;
mod builtins;
mod conditions;
mod declare;
mod front_end;
mod lexer;
mod lower;
mod parser;
mod report;

pub use front_end::OoxFrontEnd;

use aback_ir::{ArrayTypeId, Diagnostic, MethodId, Profile, Program, SourceFile, Type};
use conditions::Conditions;
use report::Sink;
use std::path::PathBuf;

/// The result of loading sources.
#[derive(Debug)]
pub struct Loaded {
    /// The program; it is meaningful only if no diagnostic is an error.
    pub program: Program,
    /// Errors and warnings in the order of the sources.
    pub diagnostics: Vec<Diagnostic>,
}

/// Machine integers of Java.
const INT: Type = Type::Machine { width: 32, signed: true };

/// Stack for the recursion over the deepest tree ([`parser::MAX_NESTING`]), in bytes. A thread's default of 2 MB is
/// too little without optimisation.
const STACK: usize = 32 << 20;

/// Loads the files of one program, given by path and text.
///
/// Errors in the sources are among the diagnostics; if there are syntax errors, only those are reported. No input
/// causes a panic.
pub fn load(sources: Vec<(PathBuf, String)>) -> Loaded {
    load_on_thread(&sources, Integers::Unbounded, None)
}

/// The integers of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Integers {
    /// They have no bounds.
    #[default]
    Unbounded,
    /// They have 32 bits, like those of Java, and wrap around.
    Machine,
}

/// Loads sources like [`load`].
pub fn load_with_integers(sources: Vec<(PathBuf, String)>, integers: Integers) -> Loaded {
    load_on_thread(&sources, integers, None)
}

/// Loads the same sources as `program` again, with preconditions of an entry point of `program`: expressions over its
/// parameters. Errors in them are diagnostics, too, in files called [`aback_frontend::CONDITION_FILE`].
pub fn load_with_preconditions(
    sources: Vec<(PathBuf, String)>,
    program: &Program,
    entry: MethodId,
    conditions: Vec<String>,
) -> Loaded {
    let integers = if program.index_type() == INT { Integers::Machine } else { Integers::Unbounded };
    load_on_thread(&sources, integers, Some(&Conditions::new(program, entry, conditions)))
}

fn load_on_thread(sources: &[(PathBuf, String)], integers: Integers, conditions: Option<&Conditions>) -> Loaded {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("oox".into()).stack_size(STACK);
        match thread.spawn_scoped(scope, || load_here(sources, integers, conditions)).map(|handle| handle.join()) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // The system cannot create a thread, so that the caller's stack has to suffice.
            Err(_) => load_here(sources, integers, conditions),
        }
    })
}

/// Adds the array types of subclasses to those that a program names, because an input array may have such a type.
fn add_narrower_arrays(program: &Program) {
    let named: Vec<(ArrayTypeId, Type)> = program.array_types().collect();
    for (array, _) in named {
        let mut element = Type::Array(array);
        let mut dimensions = 0;
        while let Type::Array(array) = element {
            element = program.element_type(array);
            dimensions += 1;
        }
        let Type::Class(class) = element else { continue };
        for subclass in program.subclasses(class) {
            (0..dimensions).fold(Type::Class(subclass), |element, _| program.array_of(element));
        }
    }
}

fn load_here(sources: &[(PathBuf, String)], integers: Integers, conditions: Option<&Conditions>) -> Loaded {
    let mut program = Program::new();
    if integers == Integers::Machine {
        program.set_profile(Profile { index_type: INT, ..Profile::default() });
    }
    let mut sink = Sink::default();
    let mut classes = Vec::new();
    for (path, text) in sources {
        let file = program.add_file(SourceFile { path: path.clone(), text: Some(text.clone()) });
        let tokens = lexer::lex(file, text, &mut sink);
        classes.extend(parser::parse(file, tokens, &mut sink));
    }
    let conditions = conditions.map(|conditions| conditions.parsed(&mut program, &classes, &mut sink));
    if !sink.has_errors() {
        let mut env = declare::Env::new(program, sink);
        let mut bodies = env.declare(&classes);
        // The methods of conditions come last, so that ids mean the same in both programs.
        let added = conditions.as_ref().map(|conditions| conditions.declared(&mut env));
        bodies.extend(added.iter().flat_map(|added| &added.methods).copied());
        for body in &bodies {
            if env.sink.is_full() {
                break;
            }
            lower::lower(&mut env, body);
        }
        (program, sink) = env.finish();
        program = added.map_or(program.clone(), |added| added.preconditions_in(&program));
        add_narrower_arrays(&program);
    }
    Loaded { program, diagnostics: sink.finish() }
}
