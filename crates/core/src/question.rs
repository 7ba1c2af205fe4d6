//! Resolves the names and places of a question in a program.

use aback_ir::{ClassId, DeclaredTypes, MethodId, Point, Program};
use rustc_hash::FxHashSet;

/// A place as the user writes it: `Main.java:42`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// A path or the end of a path.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
}

impl std::str::FromStr for Line {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a place: write FILE:LINE, as in Main.java:42");
        let (file, line) = text.rsplit_once(':').ok_or_else(wrong)?;
        let line = line.parse().ok().filter(|&line| line > 0).ok_or_else(wrong)?;
        if file.is_empty() {
            return Err(wrong());
        }
        Ok(Line { file: file.to_string(), line })
    }
}

/// A line of a source file, or a column of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The line.
    pub line: Line,
    /// Column number, from 1.
    pub column: Option<u32>,
}

impl std::str::FromStr for Spot {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // `FILE:LINE` ends in one number, and `FILE:LINE:COLUMN` in two.
        let with_column = text.rsplit_once(':').and_then(|(rest, last)| {
            let column = last.parse().ok().filter(|&column| column > 0)?;
            Some(Spot { line: rest.parse().ok()?, column: Some(column) })
        });
        match with_column {
            Some(spot) => Ok(spot),
            None => Ok(Spot { line: text.parse()?, column: None }),
        }
    }
}

/// The reason why a question does not fit a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// No method with code has this name.
    #[error("there is no method `{name}`{}", suggestion(.known))]
    NoEntry {
        /// The name as the user wrote it.
        name: String,
        /// Names of existing methods, the most similar first.
        known: Vec<String>,
    },
    /// The program has no main method.
    #[error("there is no method `{main}` to start with: name another with --entry{}", suggestion(.known))]
    NoMain {
        /// The main method that the language expects.
        main: &'static str,
        /// Names of existing methods.
        known: Vec<String>,
    },
    /// Several classes have a main method.
    #[error("several classes have a main method: say which to start, as in --entry {}{}", .known[0], suggestion(.known))]
    SeveralMains {
        /// The main methods, at least two.
        known: Vec<String>,
    },
    /// Only other kinds of main methods exist.
    #[error("{others}: name a method with --entry, as in --entry '{}'", .known[0])]
    OtherMain {
        /// The explanation of the language.
        others: &'static str,
        /// The methods called `main`, at least one.
        known: Vec<String>,
    },
    /// No class has this name.
    #[error("there is no class `{name}`: give its full name, as in java.lang.RuntimeException")]
    NoClass {
        /// The name as the user wrote it.
        name: String,
    },
    /// Nothing at the place uses an object.
    #[error(
        "nothing at {file}:{line}{} uses an object, so that no reference can be null there",
        .column.map_or(String::new(), |column| format!(":{column}"))
    )]
    NoReference {
        /// The file of the question.
        file: String,
        /// The line of the question.
        line: u32,
        /// The column of the question, if it has one.
        column: Option<u32>,
    },
    /// The program has no methods.
    #[error("the program has no methods: there is nothing to check")]
    NoMethods,
    /// Several methods have the name.
    #[error("`{name}` names several methods: say which, as in --entry '{}'{}", .known[0], suggestion(.known))]
    Ambiguous {
        /// The name as the user wrote it.
        name: String,
        /// The methods with their parameters, at least two.
        known: Vec<String>,
    },
    /// The file does not exist, or the line has no code.
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

/// The method with the given name; without a name, the method that the program starts with ([`Program::is_start`]). A
/// name is `Class.method` or, for overloaded methods, `Class.method(type, …)`. Packages and outer classes may be left
/// out if only one class fits.
///
/// # Errors
/// No method has this name, or several have.
pub fn entry_point(program: &Program, name: Option<&str>) -> Result<MethodId, QuestionError> {
    match name {
        Some(name) => named_method(program, name.trim()),
        None => main_method(program),
    }
}

/// Methods with code in the user's own classes.
fn own_methods(program: &Program) -> impl Iterator<Item = MethodId> {
    let own = program.methods().filter(|(_, method)| !method.is_abstract && !program.class(method.class).is_library);
    own.map(|(id, _)| id)
}

/// Names of the methods that the user wrote. Without debug information, these are all methods.
fn known_methods(program: &Program) -> Vec<String> {
    let written = own_methods(program).filter(|&id| program.method(id).span.is_known());
    let mut known: Vec<String> = written.map(|id| program.method_name(id)).collect();
    if known.is_empty() {
        known = own_methods(program).map(|id| program.method_name(id)).collect();
    }
    known.dedup();
    known
}

fn main_method(program: &Program) -> Result<MethodId, QuestionError> {
    let main = program.profile().main;
    let named: Vec<MethodId> = own_methods(program).filter(|&id| program.method(id).name == main.name).collect();
    let mains: Vec<MethodId> = named.iter().copied().filter(|&id| program.is_start(id)).collect();
    let names: Vec<String> = mains.iter().map(|&id| program.method_name(id)).collect();
    match (&mains[..], &named[..], main.others) {
        ([main], ..) => Ok(*main),
        ([], [_, ..], Some(others)) => Err(QuestionError::OtherMain { others, known: signatures(program, &named) }),
        ([], ..) => Err(no_method(program, |known| QuestionError::NoMain { main: main.shown, known })),
        _ if names.iter().all(|name| *name == names[0]) => {
            Err(QuestionError::Ambiguous { name: names[0].clone(), known: signatures(program, &mains) })
        }
        _ => Err(QuestionError::SeveralMains { known: names }),
    }
}

fn named_method(program: &Program, wanted: &str) -> Result<MethodId, QuestionError> {
    let found = named_methods(program, wanted)?;
    if found.len() > 1 && without_types(wanted).ends_with(".main") {
        // Prefer the method that a program starts with.
        if let [main] = found.iter().copied().filter(|&id| program.is_start(id)).collect::<Vec<_>>()[..] {
            return Ok(main);
        }
    }
    match found[..] {
        [entry] => Ok(entry),
        [..] => Err(QuestionError::Ambiguous { name: wanted.to_string(), known: signatures(program, &found) }),
    }
}

/// The name of a method without its types, and the types of the parameters and of the result.
fn parts(name: &str) -> (&str, Option<&str>, Option<&str>) {
    let Some((plain, types)) = name.split_once('(') else { return (name, None, None) };
    let (parameters, rest) = types.rsplit_once(')').unwrap_or((types, ""));
    (plain.trim_end(), Some(parameters), rest.trim().strip_prefix(':').map(str::trim))
}

/// The name of a method without its types.
pub(crate) fn without_types(name: &str) -> &str {
    parts(name).0
}

/// All methods with the given name, at least one.
///
/// # Errors
/// No method has this name.
pub(crate) fn named_methods(program: &Program, wanted: &str) -> Result<Vec<MethodId>, QuestionError> {
    let (plain, parameters, result) = parts(wanted);
    let own: Vec<MethodId> = own_methods(program).collect();
    let mut found: Vec<MethodId> = own.iter().copied().filter(|&id| program.method_name(id) == plain).collect();
    if found.is_empty() && plain.contains('.') {
        found = own.into_iter().filter(|&id| is_short_for(plain, &program.method_name(id))).collect();
    }
    if let (true, Some((class, method))) = (found.is_empty(), plain.rsplit_once('.'))
        && let Some(class) = program.class_named(class)
    {
        // A method of a library needs its full name.
        found = program.methods_named(class, method).to_vec();
        found.retain(|&id| !program.method(id).is_abstract);
    }
    if found.is_empty() {
        found = program.profile().runtime.instances(program, plain);
    }
    if found.is_empty()
        && let Some(constructor) = constructor(plain)
    {
        return named_methods(program, &wanted.replacen(plain, &constructor, 1));
    }
    // Earlier questions may have added methods that stand for others.
    let is_written = |id: MethodId| !program.is_bridge(id) && !program.is_synthetic(id);
    if found.iter().any(|&id| is_written(id)) {
        found.retain(|&id| is_written(id));
    }
    let known = signatures(program, &found);
    if let Some(parameters) = parameters {
        let wanted_types: Vec<&str> = match parameters.trim() {
            "" => Vec::new(),
            types => split_types(types),
        };
        let with = |types: &dyn Fn(MethodId) -> DeclaredTypes| -> Vec<MethodId> {
            let is_wanted = |&id: &MethodId| are_types(program, &types(id), &wanted_types, result);
            found.iter().copied().filter(is_wanted).collect()
        };
        let declared = with(&|id| program.declared_types(id));
        found = match declared.is_empty() {
            // Types of the program model may be given, too.
            true => with(&|id| DeclaredTypes { parameters: program.parameter_types(id), result: None }),
            false => declared,
        };
        if found.is_empty() && !known.is_empty() {
            return Err(QuestionError::NoEntry { name: wanted.to_string(), known });
        }
    }
    if found.is_empty() {
        return Err(no_method(program, |mut known| {
            // The sort is stable, so that equally similar names stay in the order of the program.
            known.sort_by_cached_key(|known| unlikeness(known, plain));
            QuestionError::NoEntry { name: wanted.to_string(), known }
        }));
    }
    Ok(found)
}

/// The internal name of a constructor that the user calls `Node.Node`.
fn constructor(plain: &str) -> Option<String> {
    let (class, method) = plain.rsplit_once('.')?;
    let simple = class.rsplit(['.', '$']).next()?;
    (simple == method).then(|| format!("{class}.<init>"))
}

fn no_method(program: &Program, error: impl FnOnce(Vec<String>) -> QuestionError) -> QuestionError {
    let known = known_methods(program);
    if known.is_empty() { QuestionError::NoMethods } else { error(known) }
}

/// Whether a name is the end of a full name: `List.add` of `java.util.List.add`, `Inner.m` of `a.Outer$Inner.m`.
fn is_short_for(short: &str, full: &str) -> bool {
    let (short, full) = (short.replace('$', "."), full.replace('$', "."));
    full.strip_suffix(&short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Signatures of methods.
fn signatures(program: &Program, methods: &[MethodId]) -> Vec<String> {
    methods.iter().map(|&id| program.signature(id)).collect()
}

/// The types in a list. Some have lists of their own in brackets.
fn split_types(list: &str) -> Vec<&str> {
    let (mut types, mut start, mut depth) = (Vec::new(), 0, 0i32);
    for (at, char) in list.char_indices() {
        match char {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                types.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    types.push(list[start..].trim());
    types
}

/// Whether the types of a method are the given ones.
fn are_types(program: &Program, types: &DeclaredTypes, wanted: &[&str], result: Option<&str>) -> bool {
    let is = |wanted: &str, ty: &str| {
        let wanted: String = wanted.split_whitespace().collect();
        let ty: String = ty.split_whitespace().collect();
        is_short_for(wanted.strip_prefix(program.profile().implied_package).unwrap_or(&wanted), &ty)
    };
    let parameters = &types.parameters;
    let returns = match (result, &types.result) {
        (Some(wanted), Some(ty)) => is(wanted, ty),
        (wanted, _) => wanted.is_none(),
    };
    returns && parameters.len() == wanted.len() && wanted.iter().zip(parameters).all(|(wanted, ty)| is(wanted, ty))
}

/// The class with this name.
///
/// # Errors
/// No class has this name.
pub fn class_named(program: &Program, name: &str) -> Result<ClassId, QuestionError> {
    program.class_named(name).ok_or_else(|| QuestionError::NoClass { name: name.to_string() })
}

/// Dissimilarity of an existing name and a name that the user wrote: the share of letter pairs that they do not have
/// in common (Dice), in thousandths. If the user wrote no class, only the method names are compared.
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

/// The operations at a line.
///
/// # Errors
/// The file does not exist, or the line has no code.
pub fn points_at(program: &Program, place: &Line) -> Result<FxHashSet<(MethodId, Point)>, QuestionError> {
    Ok(aback_ir::analysis::points_at_line(program, &place.file, place.line)?.into_iter().collect())
}

/// The methods at a line: those with code there; if there is none, the innermost one around it.
///
/// # Errors
/// The file does not exist, or no method is at the line.
pub fn methods_at(program: &Program, place: &Line) -> Result<Vec<MethodId>, QuestionError> {
    Ok(aback_ir::analysis::methods_at_line(program, &place.file, place.line)?)
}
