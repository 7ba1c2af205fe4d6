//! What is asked of a program, and what it means in the program.

use aback_ir::{MethodId, Point, Program};
use rustc_hash::FxHashSet;

/// A place as a user names it: `File.oox:42`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// A path or the end of one.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

impl std::str::FromStr for Line {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a place: write FILE:LINE, as in Main.oox:42");
        let (file, line) = text.rsplit_once(':').ok_or_else(wrong)?;
        let line = line.parse().ok().filter(|&line| line > 0).ok_or_else(wrong)?;
        if file.is_empty() {
            return Err(wrong());
        }
        Ok(Line { file: file.to_string(), line })
    }
}

/// Why a question has no meaning in a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// No method of this name has code.
    #[error("there is no method `{name}` with code{}", suggestion(.known))]
    NoEntry {
        /// The name as given.
        name: String,
        /// Names that exist.
        known: Vec<String>,
    },
    /// The program has no `Main.main`.
    #[error("there is no entry point `Main.main`: name one with --entry{}", suggestion(.known))]
    NoMain {
        /// Names that exist.
        known: Vec<String>,
    },
    /// Several methods have the name.
    #[error("`{0}` names several methods; overloaded methods cannot be entry points")]
    Ambiguous(String),
    /// There is no such file, or no code at the line.
    #[error(transparent)]
    NoCode(#[from] aback_ir::analysis::NoCode),
}

fn suggestion(known: &[String]) -> String {
    const SHOWN: usize = 8;
    match known {
        [] => String::new(),
        _ => {
            let more = if known.len() > SHOWN { ", …" } else { "" };
            format!(" (there are {}{more})", known[..known.len().min(SHOWN)].join(", "))
        }
    }
}

/// The method that `name` (`Class.method`) names, or `Main.main`.
///
/// # Errors
/// There is no such method, or several.
pub fn entry_point(program: &Program, name: Option<&str>) -> Result<MethodId, QuestionError> {
    let wanted = name.unwrap_or("Main.main");
    let with_code = || program.methods().filter(|(_, method)| method.body.is_some());
    let found: Vec<MethodId> = with_code().map(|(id, _)| id).filter(|&id| program.method_name(id) == wanted).collect();
    match (&found[..], name) {
        ([entry], _) => Ok(*entry),
        ([], _) => {
            // Methods that the user wrote come first to mind.
            let mut known: Vec<String> = with_code()
                .filter(|(_, method)| method.span.is_known())
                .map(|(id, _)| program.method_name(id))
                .collect();
            known.dedup();
            Err(match name {
                Some(name) => QuestionError::NoEntry { name: name.to_string(), known },
                None => QuestionError::NoMain { known },
            })
        }
        _ => Err(QuestionError::Ambiguous(wanted.to_string())),
    }
}

/// The operations that stand at a line.
///
/// # Errors
/// There is no such file, or no code at the line.
pub fn points_at(program: &Program, place: &Line) -> Result<FxHashSet<(MethodId, Point)>, QuestionError> {
    Ok(aback_ir::analysis::points_at_line(program, &place.file, place.line)?.into_iter().collect())
}
