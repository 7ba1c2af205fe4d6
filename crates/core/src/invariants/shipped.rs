//! The invariants that ship with aback: files in the folder `invariants` of the repository.

use super::InvariantFile;
use std::path::PathBuf;

/// What a name of shipped invariants begins with on the command line.
const PREFIX: &str = "shipped:";

/// The files, by the name that users give.
macro_rules! shipped {
    ($($name:literal: $($file:literal)+;)+) => {
        /// The shipped invariants: their names and texts. Each text begins with a comment that explains it.
        pub const SHIPPED: &[(&str, &str)] =
            &[$(($name, concat!($(include_str!(concat!("../../../../invariants/", $file, ".hex"))),+))),+];
    };
}

// Sets are made of maps, and a map that keeps the order is a map.
shipped! {
    "singly-linked-list": "singly-linked-list";
    "circular-list": "circular-list";
    "doubly-linked-list": "doubly-linked-list";
    "binary-search-tree": "binary-search-tree";
    "avl-tree": "avl-tree";
    "red-black-tree": "red-black-tree";
    "tree-with-parents": "tree-with-parents";
    "java.util.ArrayList": "java.util.ArrayList";
    "java.util.LinkedList": "java.util.LinkedList";
    "java.util.ArrayDeque": "java.util.ArrayDeque";
    "java.util.PriorityQueue": "java.util.PriorityQueue";
    "java.util.HashMap": "java.util.HashMap";
    "java.util.LinkedHashMap": "java.util.LinkedHashMap" "java.util.HashMap";
    "java.util.TreeMap": "java.util.TreeMap";
    "java.util.HashSet": "java.util.HashSet" "java.util.HashMap";
    "java.util.LinkedHashSet": "java.util.HashSet" "java.util.LinkedHashMap" "java.util.HashMap";
    "java.util.TreeSet": "java.util.TreeSet" "java.util.TreeMap";
    "System.Collections.Generic.List": "System.Collections.Generic.List";
    "System.Collections.Generic.LinkedList": "System.Collections.Generic.LinkedList";
    "System.Collections.Generic.Queue": "System.Collections.Generic.Queue";
    "System.Collections.Generic.Stack": "System.Collections.Generic.Stack";
    "System.Collections.Generic.Dictionary": "System.Collections.Generic.Dictionary";
    "System.Collections.Generic.HashSet": "System.Collections.Generic.HashSet";
    "System.Collections.Generic.SortedDictionary": "System.Collections.Generic.SortedDictionary";
}

impl InvariantFile {
    /// The shipped invariants that a user names instead of a file: `shipped:NAME`. `None` if `path` does not begin like
    /// this.
    ///
    /// # Errors
    /// There are none with this name. The message lists those that there are.
    pub fn shipped(path: &str) -> Option<Result<InvariantFile, String>> {
        let name = path.strip_prefix(PREFIX)?;
        let found = SHIPPED.iter().find(|(known, _)| *known == name);
        Some(match found {
            Some((_, text)) => Ok(InvariantFile { path: PathBuf::from(path), text: (*text).into() }),
            None => {
                let known: Vec<&str> = SHIPPED.iter().map(|(known, _)| *known).collect();
                Err(format!("no invariants `{name}` are shipped: there are {}", known.join(", ")))
            }
        })
    }
}
