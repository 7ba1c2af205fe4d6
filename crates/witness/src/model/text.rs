//! Strings of UTF-16 code units, in which halves of surrogate pairs may stand alone.

use serde::{Deserialize, Serialize};

/// The characters of a string: as text, or as UTF-16 code units where they are not well-formed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// Text.
    Unicode(String),
    /// Code units with a surrogate that stands alone.
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

    /// In quotes, escaped as Java does. Of a text of more code units than `most` only the beginning is given, and
    /// its length is said.
    pub fn quoted(&self, most: usize) -> String {
        let units = self.units();
        crate::show::quoted(units.iter().copied(), units.len(), most)
    }
}
