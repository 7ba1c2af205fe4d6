//! The topics of programs.

/// The topics that programs may cover. A program covers some of the enabled topics, rarely all.
///
/// Every program prints and catches exceptions around its parts, whatever the topics.
///
/// ```
/// use aback_generator::java::{Topics, program};
/// let text = program(1, Topics { arithmetic: true, ..Topics::NONE });
/// assert!(!text.contains("double"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topics {
    /// Integers of all widths, booleans, their casts and overflows.
    pub arithmetic: bool,
    /// `float` and `double`.
    pub floats: bool,
    /// Decimal text of arbitrary `float` and `double` values. Without this topic, arbitrary values are printed by
    /// their bits, because the results of `Double.toString` differ between versions of Java (JDK-4511638, fixed in
    /// 19).
    pub decimals: bool,
    /// Wrapper classes, their caches, and their static methods.
    pub boxing: bool,
    /// Nested and labelled loops, evaluation order.
    pub control: bool,
    /// Arrays, `java.util.Arrays`.
    pub arrays: bool,
    /// Strings and their builders.
    pub strings: bool,
    /// `String.format`.
    pub format: bool,
    /// Switches of all kinds.
    pub switches: bool,
    /// Classes, interfaces, inner classes, initialisation.
    pub classes: bool,
    /// Enumerations.
    pub enums: bool,
    /// Generic classes and methods.
    pub generics: bool,
    /// Records, sealed interfaces, patterns, text blocks.
    pub records: bool,
    /// Throwing and catching exceptions.
    pub exceptions: bool,
    /// Lambdas and method references.
    pub lambdas: bool,
    /// The collections of `java.util`.
    pub collections: bool,
    /// Streams and `Optional`.
    pub streams: bool,
}

impl Topics {
    /// No topic.
    pub const NONE: Topics = Topics {
        arithmetic: false,
        floats: false,
        decimals: false,
        boxing: false,
        control: false,
        arrays: false,
        strings: false,
        format: false,
        switches: false,
        classes: false,
        enums: false,
        generics: false,
        records: false,
        exceptions: false,
        lambdas: false,
        collections: false,
        streams: false,
    };

    /// Every topic.
    pub const ALL: Topics = Topics {
        arithmetic: true,
        floats: true,
        decimals: true,
        boxing: true,
        control: true,
        arrays: true,
        strings: true,
        format: true,
        switches: true,
        classes: true,
        enums: true,
        generics: true,
        records: true,
        exceptions: true,
        lambdas: true,
        collections: true,
        streams: true,
    };

    /// Each topic alone, with its name, except `decimals`, which comes with `floats`.
    pub fn each() -> Vec<(&'static str, Topics)> {
        let none = Topics::NONE;
        vec![
            ("arithmetic", Topics { arithmetic: true, ..none }),
            ("floats", Topics { floats: true, ..none }),
            ("decimals", Topics { floats: true, decimals: true, ..none }),
            ("boxing", Topics { boxing: true, ..none }),
            ("control", Topics { control: true, ..none }),
            ("arrays", Topics { arrays: true, ..none }),
            ("strings", Topics { strings: true, ..none }),
            ("format", Topics { format: true, ..none }),
            ("switches", Topics { switches: true, ..none }),
            ("classes", Topics { classes: true, ..none }),
            ("enums", Topics { enums: true, ..none }),
            ("generics", Topics { generics: true, ..none }),
            ("records", Topics { records: true, ..none }),
            ("exceptions", Topics { exceptions: true, ..none }),
            ("lambdas", Topics { lambdas: true, ..none }),
            ("collections", Topics { collections: true, ..none }),
            ("streams", Topics { streams: true, ..none }),
        ]
    }
}

impl Default for Topics {
    /// Every topic except `format`.
    fn default() -> Self {
        Topics { format: false, ..Topics::ALL }
    }
}
