//! Defines what C# and its runtime promise.

use crate::layout::{CHAR, INT};
use crate::loader::{Cs, CsLoader};
use crate::synthetic;
use aback_ir::{MainMethod, Profile, StringLayout, TRUSTED_NULLNESS, Type};
use std::sync::Arc;

/// The most elements of an array (`Array.MaxLength`).
const MAX_ARRAY_LENGTH: i64 = 0x7fff_ffc7;
/// The most characters of a string (`string.MaxLength` in the sources of the class library).
const MAX_STRING_LENGTH: u32 = 0x3fff_ffdf;

/// The profile of a program; `loader` is the loader of `cs`.
pub(crate) fn profile(cs: Cs, loader: &Arc<CsLoader>) -> Profile {
    let object = cs.object_class();
    let string = cs.string_class();
    let characters = cs.program.find_field(string, synthetic::CHARACTERS);
    let exception = cs.library_class("System", "Exception").ok();
    Profile {
        main: MainMethod { shown: "Main", name: "Main", others: None, takes_arguments: true },
        index_type: INT,
        max_array_length: Some(MAX_ARRAY_LENGTH),
        type_words: Some(keyword),
        implied_package: "System.",
        root: Some(object),
        array_superclass: cs.library_class("System", "Array").ok(),
        has_covariant_results: false,
        strings: characters.map(|value| StringLayout {
            class: string,
            value,
            coder: None,
            most: Some(MAX_STRING_LENGTH),
        }),
        message_field: exception.and_then(|class| cs.program.find_field(class, "_message")),
        assumptions: [
            "there is one thread, and one processor",
            "nothing accesses private members by reflection",
            "arguments passed by reference do not lead into boxes or into objects of the library",
            "the culture is the invariant one, and environment variables are not set",
        ]
        .into_iter()
        .chain(loader.trusts_nullness().then_some(TRUSTED_NULLNESS))
        .collect(),
        has_past: true,
        // The runtime keeps the exception.
        repeats_failures: true,
        callers_initialize: false,
        uncaught_is_error: false,
        lost_assertions: Some("compilers keep calls of Debug.Assert only with the constant DEBUG"),
        runtime: loader.clone(),
        ..Profile::default()
    }
}

/// The keyword for a type, as C# writes it.
fn keyword(ty: Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "bool",
        CHAR => "char",
        Type::Machine { width: 8, signed: true } => "sbyte",
        Type::Machine { width: 8, signed: false } => "byte",
        Type::Machine { width: 16, signed: true } => "short",
        Type::Machine { width: 32, signed: true } => "int",
        Type::Machine { width: 32, signed: false } => "uint",
        Type::Machine { width: 64, signed: true } => "long",
        Type::Machine { width: 64, signed: false } => "ulong",
        Type::F32 => "float",
        Type::F64 => "double",
        _ => return None,
    })
}
