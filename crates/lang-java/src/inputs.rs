//! Rules for the Java objects that exist before an entry point is called, as data about library classes.

use crate::collections;
use crate::loader::Java;
use crate::synthetic::entry::KEEP_WITHIN_BOUND;
use crate::types::STRING;
use aback_ir::{ClassId, FieldId, InputRules, InputStrings, MethodId, Type};

/// Classes whose objects only the program creates: a caller cannot make another enum constant or class object.
const MADE_ONLY: [&str; 2] = ["java.lang.Enum", "java.lang.Class"];
/// `Void` has a private constructor that nothing calls; only the models use the table of interned strings.
const UNINHABITED: [&str; 2] = ["java.lang.Void", "aback.Interned"];
/// Fields that have their default value in every input object, by class: the hash of a string, which is recomputed
/// with the same result, and the data from which exceptions of traps compute their messages, because other exceptions
/// store the message.
const UNSET: [(&str, &[&str]); 2] = [
    (STRING, &["hash", "hashIsZero"]),
    ("java.lang.Throwable", &["$trap", "$first", "$second", "$third", "$object", "$other"]),
];
/// None of these is a subtype of another, and most library types that occur as element types are supertypes of two of
/// them: a value that is stored into an array of such a type does not fit into some array of a subtype.
const ELEMENTS: [&str; 4] = [STRING, "java.lang.Integer", "java.lang.Double", "java.lang.StringBuilder"];

/// The box classes, with the descriptors of their values. Each has a static method `valueOf`, which returns a cached
/// object if it has one.
pub(crate) const BOXES: [(&str, &str); 6] = [
    ("java.lang.Boolean", "Z"),
    ("java.lang.Byte", "B"),
    ("java.lang.Short", "S"),
    ("java.lang.Character", "C"),
    ("java.lang.Integer", "I"),
    ("java.lang.Long", "J"),
];

/// Objects in static fields of the library that programs may compare by identity.
pub(crate) const WELL_KNOWN: [(&str, &[&str]); 1] = [("java.lang.System", &["out", "err"])];

/// The rules for the inputs of a program; `string_length` is the most characters of a string.
pub(crate) fn rules(java: Java, string_length: u32) -> InputRules {
    let named = |names: &[&str]| -> Vec<ClassId> { names.iter().map(|name| java.named(name)).collect() };
    let unset = |(class, names): &(&str, &[&str])| -> Vec<FieldId> {
        let fields = &java.program.class(java.named(class)).fields;
        fields.iter().copied().filter(|&field| names.contains(&java.program.field(field).name.as_str())).collect()
    };
    let mut strings = java.program.class(java.named(STRING)).methods.iter().copied();
    let keep_within_bound = strings.find(|&method| java.program.method(method).name == KEEP_WITHIN_BOUND);
    InputRules {
        strings: Some(InputStrings { most: Some(string_length), unset: unset(&UNSET[0]), keep_within_bound }),
        made_only: named(&MADE_ONLY),
        uninhabited: named(&UNINHABITED),
        unset: UNSET.iter().flat_map(unset).collect(),
        elements: named(&ELEMENTS),
    }
}

/// The types of which the JDK's usual list is an input.
const LIST_TYPES: [&str; 4] =
    ["java.util.List", "java.util.Collection", "java.lang.Iterable", "java.util.AbstractList"];

/// Loads the JDK's usual list if an argument, or a field of an object of the program, may be one, although the program
/// does not name it.
pub(crate) fn load_lists(java: Java, entry: MethodId) {
    let program = java.program;
    let own = program.classes().filter(|(_, class)| !class.is_library);
    let fields: Vec<Type> = own.flat_map(|(_, class)| &class.fields).map(|&field| program.field(field).ty).collect();
    let mut types = program.method(entry).params.iter().chain(&fields);
    let is_list = |ty: &Type| matches!(*ty, Type::Class(class) if LIST_TYPES.contains(&program.class_name(class)));
    if types.any(is_list) {
        program.class(java.named(collections::LIST));
    }
}

/// Creates the classes of all lambda expressions and method references in the program's own code, because inputs may
/// have these classes. Translating the surrounding code creates them.
pub(crate) fn make_lambdas(java: Java) {
    let own: Vec<ClassId> = java.program.classes().filter(|(_, class)| !class.is_library).map(|(id, _)| id).collect();
    for class in own {
        let has_lambdas = java.class(class).is_some_and(|class| {
            let bootstraps = |number| class.file.as_ref().and_then(|file| file.bootstrap(number));
            let mut bootstraps = (0..).map_while(bootstraps);
            bootstraps.any(|bootstrap| bootstrap.method.class == "java/lang/invoke/LambdaMetafactory")
        });
        if has_lambdas {
            for &method in &java.program.class(class).methods {
                java.program.body(method);
            }
        }
    }
    for class in java.classes_on_demand() {
        java.program.class(class);
    }
}
