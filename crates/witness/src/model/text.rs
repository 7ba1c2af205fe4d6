//! Represents strings of UTF-16 code units, which may contain unpaired surrogates.

use serde::{Deserialize, Serialize};

/// The characters of a string: as text, or as UTF-16 code units if they are not well-formed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// Well-formed text.
    Unicode(String),
    /// Code units with an unpaired surrogate.
    Units(Vec<u16>),
}

impl Text {
    /// The text of these code units.
    pub fn of(units: &[u16]) -> Text {
        String::from_utf16(units).map_or_else(|_| Text::Units(units.to_vec()), Text::Unicode)
    }

    /// Its code units.
    pub fn units(&self) -> Vec<u16> {
        match self {
            Text::Unicode(text) => text.encode_utf16().collect(),
            Text::Units(units) => units.clone(),
        }
    }

    /// The text in quotes, escaped as in Java. A text of more than `most` code units is cut there, and its length is
    /// appended.
    pub fn quoted(&self, most: usize) -> String {
        let units = self.units();
        crate::show::quoted(units.iter().copied(), units.len(), most)
    }
}
