//! Defines truth values for heaps that are not completely known.

use std::ops::Not;

/// What is known about a sentence. Ordered such that conjunction is the minimum, and disjunction the maximum (Kleene).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Truth {
    /// False, whatever is discovered later.
    False,
    /// It depends on what is discovered later, or this procedure cannot tell.
    Unknown,
    /// True, whatever is discovered later.
    True,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Truth::True } else { Truth::False }
    }
}

impl Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}
