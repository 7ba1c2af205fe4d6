//! The handwritten pieces.
//!
//! Each file in `pieces/` contains the pieces of one topic. A line `//# name` starts a piece, and the body of a class
//! follows. It has a method `static void run()`, and holes (see [`crate::template`]).

use crate::java::topics::Topics;
use crate::template::sections;

/// The pieces of the enabled topics, with their names.
pub(crate) fn pieces(topics: Topics) -> Vec<(String, &'static str)> {
    let Topics {
        // Only random code covers decimals.
        decimals: _,
        arithmetic,
        floats,
        boxing,
        control,
        arrays,
        strings,
        format,
        switches,
        classes,
        enums,
        generics,
        records,
        exceptions,
        lambdas,
        collections,
        streams,
    } = topics;
    let files = [
        (arithmetic, "arithmetic", include_str!("../../java/pieces/arithmetic.java")),
        (floats, "floats", include_str!("../../java/pieces/floats.java")),
        (boxing, "boxing", include_str!("../../java/pieces/boxing.java")),
        (control, "control", include_str!("../../java/pieces/control.java")),
        (arrays, "arrays", include_str!("../../java/pieces/arrays.java")),
        (strings, "strings", include_str!("../../java/pieces/strings.java")),
        (format, "format", include_str!("../../java/pieces/format.java")),
        (switches, "switches", include_str!("../../java/pieces/switches.java")),
        (classes, "classes", include_str!("../../java/pieces/classes.java")),
        (enums, "enums", include_str!("../../java/pieces/enums.java")),
        (generics, "generics", include_str!("../../java/pieces/generics.java")),
        (records, "records", include_str!("../../java/pieces/records.java")),
        (exceptions, "exceptions", include_str!("../../java/pieces/exceptions.java")),
        (lambdas, "lambdas", include_str!("../../java/pieces/lambdas.java")),
        (collections, "collections", include_str!("../../java/pieces/collections.java")),
        (streams, "streams", include_str!("../../java/pieces/streams.java")),
    ];
    let on = files.into_iter().filter(|(on, ..)| *on);
    on.flat_map(|(_, topic, text)| sections(text).map(move |(name, body)| (format!("{topic}/{name}"), body))).collect()
}

/// The bodies of tasks of the enabled topics, with their names. They have a method `check` whose parameters are the
/// inputs.
pub(crate) fn tasks(topics: Topics) -> Vec<(&'static str, &'static str)> {
    let on = |name: &str| match name {
        "identities" | "wide" | "bits" | "digits" => topics.arithmetic,
        "sorting" => topics.arrays,
        "loop" => topics.control,
        "list" | "dispatch" => topics.classes,
        "exceptions" => topics.exceptions && topics.arrays,
        "machine" => topics.switches && topics.arrays,
        "letters" => topics.arithmetic && topics.control,
        "doubles" => topics.floats,
        "texts" => topics.strings,
        "boxes" => topics.boxing,
        "collections" => topics.collections,
        "lambdas" => topics.lambdas,
        _ => true,
    };
    sections(include_str!("../../java/pieces/tasks.java")).filter(|(name, _)| on(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::code::{Code, Java};
    use crate::{rng::Rng, template};

    #[test]
    fn every_piece_can_be_filled() {
        let all = pieces(Topics::ALL)
            .into_iter()
            .chain(tasks(Topics::ALL).into_iter().map(|(name, body)| (name.into(), body)));
        for (name, body) in all {
            let language = Java { topics: Topics::ALL, helpers: None };
            let text = template::fill(body, &mut Code::new(Rng::new(3), language));
            assert!(text.contains("void run()") || text.contains("void check("), "{name}");
            assert!(!text.contains("@{"), "{name}");
        }
    }
}
