//! What is asked of a program, and what it means in the program.

use aback_ir::{MethodId, MethodKind, Point, Program};
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
    #[error("there is no method `{name}`{}", suggestion(.known))]
    NoEntry {
        /// The name as given.
        name: String,
        /// Names that exist, the likeliest first.
        known: Vec<String>,
    },
    /// The program has no `Main.main`.
    #[error("there is no method `Main.main` to start with: name another with --entry{}", suggestion(.known))]
    NoMain {
        /// Names that exist.
        known: Vec<String>,
    },
    /// The program has no methods.
    #[error("the program has no methods: there is nothing to check")]
    NoMethods,
    /// Several methods have the name.
    #[error("`{name}` names several methods: say which, as in --entry '{}'{}", .known[0], suggestion(.known))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// The methods with their parameters; two at least.
        known: Vec<String>,
    },
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

/// The method that `name` names, or `Main.main`. A name is `Class.method` or, for overloaded methods,
/// `Class.method(type, …)`.
///
/// # Errors
/// There is no such method, or several.
pub fn entry_point(program: &Program, name: Option<&str>) -> Result<MethodId, QuestionError> {
    let wanted = name.unwrap_or("Main.main").trim();
    let (plain, parameters) = match wanted.split_once('(') {
        Some((plain, _)) => (plain.trim_end(), Some(wanted.split_whitespace().collect::<String>())),
        None => (wanted, None),
    };
    let with_code =
        || program.methods().filter(|(_, method)| !method.is_abstract && !program.class(method.class).is_library);
    let mut found: Vec<MethodId> =
        with_code().map(|(id, _)| id).filter(|&id| program.method_name(id) == plain).collect();
    let overloads = |found: &[MethodId]| found.iter().map(|&id| signature(program, id)).collect::<Vec<_>>();
    if let Some(wanted) = &parameters {
        let known = overloads(&found);
        found.retain(|&id| signature(program, id).split_whitespace().collect::<String>() == *wanted);
        if found.is_empty() && !known.is_empty() {
            return Err(QuestionError::NoEntry { name: wanted.to_string(), known });
        }
    }
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
                _ if known.is_empty() => QuestionError::NoMethods,
                Some(_) => {
                    // Stable: what is equally near stays in the order of the program.
                    known.sort_by_cached_key(|known| unlikeness(known, plain));
                    QuestionError::NoEntry { name: wanted.to_string(), known }
                }
                None => QuestionError::NoMain { known },
            })
        }
        _ => Err(QuestionError::Ambiguous { name: wanted.to_string(), known: overloads(&found) }),
    }
}

/// `Class.method(type, …)`, without the receiver.
fn signature(program: &Program, id: MethodId) -> String {
    let method = program.method(id);
    let receiver = usize::from(method.kind != MethodKind::Static);
    let types: Vec<String> = method.params.iter().skip(receiver).map(|&ty| program.type_name(ty)).collect();
    format!("{}({})", program.method_name(id), types.join(", "))
}

/// How little a name that exists looks like what a user wrote: the share of letter pairs that they do not have in
/// common (Dice), where a name without its class counts as the whole.
fn unlikeness(known: &str, wanted: &str) -> u32 {
    let pairs = |text: &str| -> FxHashSet<(char, char)> {
        let lower = text.to_lowercase();
        lower.chars().zip(lower.chars().skip(1)).collect()
    };
    let whole = if wanted.contains('.') { known } else { known.rsplit('.').next().unwrap_or(known) };
    let (known, wanted) = (pairs(whole), pairs(wanted));
    let total = known.len() + wanted.len();
    match total {
        0 => 1000,
        _ => 1000 - (2000 * known.intersection(&wanted).count() / total) as u32,
    }
}

/// The operations that stand at a line.
///
/// # Errors
/// There is no such file, or no code at the line.
pub fn points_at(program: &Program, place: &Line) -> Result<FxHashSet<(MethodId, Point)>, QuestionError> {
    Ok(aback_ir::analysis::points_at_line(program, &place.file, place.line)?.into_iter().collect())
}
