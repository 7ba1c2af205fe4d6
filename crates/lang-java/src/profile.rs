//! Defines what Java and its virtual machine promise.

use crate::Settings;
use crate::inputs::{self, BOXES};
use crate::loader::{Java, JavaLoader};
use crate::types::{self, OBJECT, STRING};
use aback_ir::{MainMethod, Profile, StringLayout, TRUSTED_NULLNESS};
use std::sync::Arc;

/// The most elements of an array in HotSpot, which throws an `OutOfMemoryError` for longer arrays even if memory is
/// free.
const MAX_ARRAY_LENGTH: i64 = i32::MAX as i64 - 2;

/// The profile of a program; `loader` is the loader of `java`.
pub(crate) fn profile(java: Java, loader: &Arc<JavaLoader>, settings: &Settings) -> Profile {
    let [object, string, throwable, constant] =
        [OBJECT, STRING, "java.lang.Throwable", "java.lang.Enum"].map(|name| java.named(name));
    let value = java.declared_field(string, "value", "[B");
    let coder = java.declared_field(string, "coder", "B");
    let boxes = BOXES.iter().map(|&(name, _)| name).chain(["java.lang.Float", "java.lang.Double"]);
    Profile {
        main: MainMethod {
            shown: "main(String[])",
            name: "main",
            others: Some(
                "there is no `static void main(String[])` to start with, and main methods of other forms (Java 21 and later) are \
                     not supported",
            ),
            takes_arguments: true,
        },
        index_type: types::INT,
        max_array_length: Some(MAX_ARRAY_LENGTH),
        type_words: Some(types::keyword),
        implied_package: "java.lang.",
        root: Some(object),
        array_superclass: Some(object),
        array_interfaces: ["java.lang.Cloneable", "java.io.Serializable"].map(|name| java.named(name)).to_vec(),
        has_covariant_results: false,
        strings: value.map(|value| StringLayout { class: string, value, coder, most: None }),
        inputs: inputs::rules(java, settings.string_length),
        boxes: boxes.map(|name| java.named(name)).collect(),
        constant_name: Some((constant, "name")),
        message_field: java.declared_field(throwable, "detailMessage", "Ljava/lang/String;"),
        assumptions: ["there is one thread", "nothing accesses private members by reflection"]
            .into_iter()
            .chain(loader.trusts_nullness().then_some(TRUSTED_NULLNESS))
            .collect(),
        bound: settings.unbounded_integers.then_some("integers taken as unbounded"),
        has_past: true,
        initializes_superclasses: true,
        // The first use throws ExceptionInInitializerError, and later ones NoClassDefFoundError.
        repeats_failures: false,
        callers_initialize: true,
        uncaught_is_error: false,
        lost_assertions: None,
        reads_before_tests: false,
        runtime: loader.clone(),
    }
}
