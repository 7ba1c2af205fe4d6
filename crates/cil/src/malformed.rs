//! What is wrong with a file, and where?

use crate::tables::Token;

/// A mistake in an assembly or a PDB.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}{}{}", Place(", in ", token), Place(", at byte ", &offset.map(Offset)))]
pub struct Malformed {
    what: &'static str,
    offset: Option<usize>,
    token: Option<Token>,
}

const NOT_DOTNET: &str = "not a .NET assembly";

impl Malformed {
    /// A mistake at an offset in the file.
    pub(crate) fn at(what: &'static str, offset: usize) -> Malformed {
        Malformed { what, offset: Some(offset), token: None }
    }

    /// A mistake in a row.
    pub(crate) fn of(what: &'static str, token: Token) -> Malformed {
        Malformed { what, offset: None, token: Some(token) }
    }

    /// The file holds no managed code at all, as a native library does.
    pub(crate) fn not_dotnet() -> Malformed {
        Malformed { what: NOT_DOTNET, offset: None, token: None }
    }

    /// Adds the row whose data have the mistake, unless a row is known already.
    pub(crate) fn within(mut self, token: Token) -> Malformed {
        self.token.get_or_insert(token);
        self
    }

    /// Whether the file is no .NET assembly at all: it is not in the PE format, or it is a native executable or library.
    pub fn is_not_dotnet(&self) -> bool {
        self.what == NOT_DOTNET
    }
}

/// A place, if it is known, with words ahead of it.
struct Place<'a, T>(&'static str, &'a Option<T>);

impl<T: std::fmt::Display> std::fmt::Display for Place<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 {
            Some(place) => write!(f, "{}{place}", self.0),
            None => Ok(()),
        }
    }
}

/// An offset in the file, in hexadecimal digits.
struct Offset(usize);

impl std::fmt::Display for Offset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
