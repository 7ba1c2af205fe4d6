//! What objects of Java exist before an entry point is called: rules for the library's classes, as data.

use crate::loader::Java;
use crate::types::STRING;
use aback_ir::{ClassId, FieldId, InputRules, InputStrings};

/// Constants of enums and class objects are as many as there are: a caller cannot make another one.
const MADE_ONLY: [&str; 2] = ["java.lang.Enum", "java.lang.Class"];
/// `Void` has a private constructor that nothing calls; what literals are remembered in belongs to the models alone.
const UNINHABITED: [&str; 2] = ["java.lang.Void", "aback.Interned"];
/// Fields that hold their default in whatever a caller hands over, by class: the hash of a string, which is computed anew with
/// the same outcome, and what exceptions of traps remember to make their messages of, as others have the message itself.
const UNSET: [(&str, &[&str]); 2] = [
    (STRING, &["hash", "hashIsZero"]),
    ("java.lang.Throwable", &["$trap", "$first", "$second", "$third", "$object", "$other"]),
];
/// Of any two of these, neither is above the other, and most types of the library that arrays have are above two: what is stored
/// into an array of such a type does not fit into some array of a subtype.
const ELEMENTS: [&str; 4] = [STRING, "java.lang.Integer", "java.lang.Double", "java.lang.StringBuilder"];

/// The classes of boxes, with the descriptors of what they hold. Each has a static method `valueOf`, which makes no object
/// where it has one.
pub(crate) const BOXES: [(&str, &str); 6] = [
    ("java.lang.Boolean", "Z"),
    ("java.lang.Byte", "B"),
    ("java.lang.Short", "S"),
    ("java.lang.Character", "C"),
    ("java.lang.Integer", "I"),
    ("java.lang.Long", "J"),
];

/// Objects that static fields of the library hold and that programs know by identity.
pub(crate) const WELL_KNOWN: [(&str, &[&str]); 1] = [("java.lang.System", &["out", "err"])];

/// The rules for a program's inputs; strings have at most so many characters.
pub(crate) fn rules(java: Java, string_length: u32) -> InputRules {
    let named = |names: &[&str]| -> Vec<ClassId> { names.iter().map(|name| java.named(name)).collect() };
    let unset = |(class, names): &(&str, &[&str])| -> Vec<FieldId> {
        let fields = &java.program.class(java.named(class)).fields;
        fields.iter().copied().filter(|&field| names.contains(&java.program.field(field).name.as_str())).collect()
    };
    InputRules {
        strings: Some(InputStrings { most: string_length, unset: unset(&UNSET[0]) }),
        made_only: named(&MADE_ONLY),
        uninhabited: named(&UNINHABITED),
        unset: UNSET.iter().flat_map(unset).collect(),
        elements: named(&ELEMENTS),
    }
}

/// Makes the classes of all lambda expressions and method references of the program's own code, which inputs may be objects
/// of. They are made when the code around them is translated.
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
