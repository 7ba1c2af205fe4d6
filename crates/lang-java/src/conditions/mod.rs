//! Adds preconditions of an entry point to a program: each becomes a method of the entry point's class, with its
//! parameters, that returns the condition.
//!
//! A class with a source gets these methods in front of its closing brace, in the same line, so that all other lines keep
//! their numbers. For a class file, the methods are static methods of a new class in the same package. Either way, `javac`
//! decides what a condition means.

mod expression;
mod place;
mod tokens;

use crate::JavaLoader;
use crate::classpath::{CompileError, OpenError};
use crate::types::{descriptor, internal_name};
use aback_frontend::{CONDITION_FILE, LoadError};
use aback_ir::{Diagnostic, MethodId, MethodKind, Precondition, Program, SourceFile, Span, Type};
use expression::Mistake;
use place::{NoPlace, Place, Wanted};
use std::path::PathBuf;
use tokens::Kind;

/// The start of the names of the methods of conditions, which `$` keeps apart from names that people write.
const METHOD: &str = "aback$condition";
/// The start of the names of the classes that have methods of conditions only.
const CLASS: &str = "aback$conditions";
/// The name in such a class for the object that the entry point is called on. It is as long as `this`, so that columns
/// stay the same.
const RECEIVER: &str = "th$s";

/// Whether a method is that of a condition, or the code of a lambda expression in it. Lines mean nothing there.
pub(crate) fn is_condition(method: &str) -> bool {
    method.starts_with(METHOD) || method.strip_prefix("lambda$").is_some_and(|within| within.starts_with(METHOD))
}

/// Whether a class exists only for conditions.
pub(crate) fn is_class_of_conditions(class: &str) -> bool {
    let simple = class.rsplit('.').next().unwrap_or(class);
    simple.starts_with(CLASS) || simple.contains(&format!("$$Lambda/{METHOD}"))
}

/// A source that the compiler gets besides or instead of those of the program.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The source of the program that it replaces; `None` for a new one.
    pub replaces: Option<PathBuf>,
    /// The name of its file.
    pub name: String,
    pub text: String,
}

/// Conditions as methods in a source.
pub(crate) struct Conditions {
    texts: Vec<String>,
    /// The name of the class that gets the methods.
    class: String,
    /// Whether they get the object that the entry point is called on.
    has_receiver: bool,
    pub(crate) addition: Addition,
    /// The line of the source with the conditions, from 1.
    line: u32,
    /// Where the text of each condition stands in this line, in UTF-16 units from 1.
    columns: Vec<u32>,
}

impl Conditions {
    /// The source with the conditions of an entry point.
    ///
    /// # Errors
    /// A condition is no expression, or there is no place for it.
    pub(crate) fn new(
        program: &Program,
        loader: &JavaLoader,
        entry: MethodId,
        texts: &[String],
    ) -> Result<Self, LoadError> {
        let lines: Result<Vec<String>, LoadError> =
            texts.iter().map(|text| expression::one_line(text).map_err(|mistake| at_mistake(text, mistake))).collect();
        let lines = lines?;
        let class = program.class(program.method(entry).class);
        let path = program.file(class.span.file).map(|file| &file.path);
        let source = loader.classpath().sources().iter().find(|source| Some(&source.path) == path);
        match source {
            Some(SourceFile { path, text: Some(text) }) => Self::in_class(program, entry, texts, &lines, path, text),
            _ => Self::beside_class(program, loader, entry, texts, &lines),
        }
    }

    /// Conditions as methods of the entry point's class.
    fn in_class(
        program: &Program,
        entry: MethodId,
        texts: &[String],
        lines: &[String],
        path: &std::path::Path,
        text: &str,
    ) -> Result<Self, LoadError> {
        let method = program.method(entry);
        let class = program.class_name(method.class);
        let simple = class.rsplit('.').next().unwrap_or(class);
        let receiver = usize::from(method.kind != MethodKind::Static);
        let wanted = Wanted {
            class: simple,
            method: (method.kind != MethodKind::Constructor).then_some(method.name.as_str()),
            parameters: method.params.len() - receiver,
            line: method.span.line,
            may_be_implicit: simple == class && path.file_stem().is_some_and(|stem| stem == simple),
        };
        let place = place::find(text, &wanted).map_err(|none| {
            let name = program.method_name(entry);
            let file = path.display();
            LoadError::Precondition(match none {
                NoPlace::Class => format!("--assume is for methods of named classes that are no local ones, which the class of {name} in {file} is not"),
                NoPlace::Method => format!("--assume needs the parameters of {name}, and {file} declares no such method, or several in one line"),
            })
        })?;
        let is_instance = method.kind == MethodKind::Instance;
        let (before, after) = text.split_at(place.at);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count() as u32;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        // The compiler counts columns with tabs that are as wide as they look.
        let indent = before[start..].len() - before[start..].trim_start().len();
        let mut own = format!("{}{};", " ".repeat(indent), &before[start + indent..]);
        let columns = add_methods(&mut own, lines, if is_instance { "private" } else { "private static" }, &place);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = format!("{}{own}{after}", &before[..start]);
        let addition = Addition { replaces: Some(path.to_path_buf()), name, text };
        let (texts, class) = (texts.to_vec(), class.to_owned());
        Ok(Conditions { texts, class, has_receiver: is_instance, addition, line, columns })
    }

    /// Conditions as static methods of a class in the same package. What code in this package can name, they can.
    fn beside_class(
        program: &Program,
        loader: &JavaLoader,
        entry: MethodId,
        texts: &[String],
        lines: &[String],
    ) -> Result<Self, LoadError> {
        let method = program.method(entry);
        let class = program.class_name(method.class);
        let package = class.rsplit_once('.').map(|(package, _)| package);
        let mut parameters = Vec::new();
        let names = program.body(entry).map_or(&[][..], |body| &body.locals);
        let built = usize::from(method.kind == MethodKind::Constructor);
        for (index, &ty) in method.params.iter().enumerate().skip(built) {
            let is_receiver = index == 0 && method.kind == MethodKind::Instance;
            let ty = type_name(program, loader, ty).ok_or_else(|| {
                let name = program.method_name(entry);
                let what = program.show_type(ty);
                LoadError::Precondition(format!(
                    "--assume cannot name {what}, the type of a parameter of {name}, because the class is local: give sources instead of class files"
                ))
            })?;
            let name = names.get(index).map(|local| local.name.as_str()).filter(|name| is_identifier(name));
            let name = if is_receiver { RECEIVER.into() } else { name.map_or(format!("arg{index}"), str::to_owned) };
            parameters.push(format!("final {ty} {name}"));
        }
        let count = parameters.len();
        let place = Place { at: 0, type_parameters: String::new(), parameters: parameters.join(", "), count };
        let name = (0..).map(|number| format!("{CLASS}{number}")).find(|name| {
            let full = package.map_or(name.clone(), |package| format!("{package}.{name}"));
            loader.classpath().find(&internal_name(&full)).is_none()
        });
        let name = name.unwrap_or_else(|| CLASS.into());
        let mut own = package.map_or_else(String::new, |package| format!("package {package};"));
        own.push_str(&format!("class {name} {{"));
        let lines: Vec<String> = lines.iter().map(|line| with_receiver(line)).collect();
        let columns = add_methods(&mut own, &lines, "static", &place);
        own.push('}');
        let class = package.map_or(name.clone(), |package| format!("{package}.{name}"));
        let addition = Addition { replaces: None, name: format!("{name}.java"), text: own };
        let has_receiver = method.kind == MethodKind::Instance;
        Ok(Conditions { texts: texts.to_vec(), class, has_receiver, addition, line: 1, columns })
    }

    /// The error about the program with the conditions. It is about a condition if it is at its place.
    pub(crate) fn error(&self, error: OpenError) -> LoadError {
        let OpenError::Compile(errors) = error else {
            return match error {
                OpenError::Stopped => LoadError::Stopped,
                other => LoadError::Precondition(format!("--assume needs the compiler of a JDK: {other}")),
            };
        };
        let program = Program::new();
        let mut diagnostics = Vec::new();
        let own_line = errors.messages.iter().filter(|error| error.line == self.line);
        for CompileError { column, text, details, .. } in own_line {
            // What stands between two conditions belongs to the first.
            let Some(index) = self.columns.iter().rposition(|start| start <= column) else { continue };
            let own = &self.texts[index];
            let file = program.add_file(SourceFile { path: CONDITION_FILE.into(), text: Some(own.clone()) });
            let span = span_at(own, file, units_to_bytes(own, column - self.columns[index]));
            // The class around a condition and the variables of types are no news to its author.
            let details = details.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            let told = details.take_while(|line| !line.starts_with("where "));
            let details: Vec<String> =
                told.filter(|line| !line.is_empty() && !line.starts_with("location: ")).collect();
            let message = if details.is_empty() { text.clone() } else { format!("{text} ({})", details.join(", ")) };
            diagnostics.push(Diagnostic::error(span, message.replace(RECEIVER, "this")));
        }
        match (diagnostics.is_empty(), errors.messages.first()) {
            (true, Some(first)) => {
                LoadError::Precondition(format!("--assume cannot be added to the class {}: {}", self.class, first.text))
            }
            _ => LoadError::Invalid { program: Box::new(program), diagnostics },
        }
    }

    /// The program with the preconditions of its entry point. `entry` is that of the program without them, `before`.
    pub(crate) fn preconditions_in(
        self,
        program: &Program,
        before: &Program,
        entry: MethodId,
    ) -> Result<Program, LoadError> {
        let wanted = before.method(entry);
        let shown = |program: &Program, params: &[Type]| -> Vec<String> {
            params.iter().map(|&ty| program.show_type(ty)).collect()
        };
        let params = shown(before, &wanted.params);
        let class = program.class_named(before.class_name(wanted.class));
        let mut namesakes = class.into_iter().flat_map(|class| program.methods_named(class, &wanted.name).to_vec());
        let result = wanted.result.map(|ty| before.show_type(ty));
        let found = namesakes.find(|&method| {
            let method = program.method(method);
            shown(program, &method.params) == params && method.result.map(|ty| program.show_type(ty)) == result
        });
        let lost = || LoadError::Precondition(format!("--assume cannot be added to the class {}", self.class));
        let entry = found.ok_or_else(lost)?;
        let holder = program.class_named(&self.class).ok_or_else(lost)?;
        let mut conditions = Vec::new();
        for (number, text) in self.texts.iter().enumerate() {
            let method =
                program.methods_named(holder, &format!("{METHOD}{number}")).first().copied().ok_or_else(lost)?;
            let all = program.method(entry).params.len();
            let own = program.method(method).params.len();
            let receiver = usize::from(self.has_receiver);
            let hidden = all.checked_sub(own).ok_or_else(lost)?;
            let arguments = (0..receiver).chain(hidden + receiver..all).collect();
            conditions.push(Precondition { text: text.clone(), method, arguments });
        }
        Ok(program.with_preconditions(entry, conditions))
    }
}

/// Adds a method for each condition to a line. Returns where their texts stand, in UTF-16 units from 1.
fn add_methods(line: &mut String, conditions: &[String], modifiers: &str, place: &Place) -> Vec<u32> {
    let mut columns = Vec::new();
    for (number, condition) in conditions.iter().enumerate() {
        let Place { type_parameters, parameters, .. } = place;
        line.push_str(&format!(
            "{modifiers} {type_parameters} boolean {METHOD}{number}({parameters}) throws Throwable {{ return ("
        ));
        columns.push(1 + line.encode_utf16().count() as u32);
        line.push_str(condition);
        line.push_str("); } ");
    }
    columns
}

/// A condition in which `this` is called otherwise.
fn with_receiver(condition: &str) -> String {
    let Ok((tokens, _)) = tokens::tokens(condition) else { return condition.to_owned() };
    let mut text = String::new();
    let mut at = 0;
    for token in tokens {
        let is_this = token.kind == Kind::Word && &condition[token.bytes.clone()] == "this";
        text.push_str(&condition[at..token.bytes.start]);
        text.push_str(if is_this { RECEIVER } else { &condition[token.bytes.clone()] });
        at = token.bytes.end;
    }
    text + &condition[at..]
}

/// The name of a type in sources, without type arguments; `None` if they cannot name it.
fn type_name(program: &Program, loader: &JavaLoader, ty: Type) -> Option<String> {
    match ty {
        Type::Class(class) => Some(loader.class_declaration(program, class)?.name),
        Type::Array(array) => Some(format!("{}[]", type_name(program, loader, program.element_type(array))?)),
        primitive => Some(String::from(match descriptor(program, primitive).as_str() {
            "Z" => "boolean",
            "B" => "byte",
            "S" => "short",
            "C" => "char",
            "I" => "int",
            "F" => "float",
            "D" => "double",
            _ => "long",
        })),
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

fn at_mistake(text: &str, mistake: Mistake) -> LoadError {
    let program = Program::new();
    let file = program.add_file(SourceFile { path: CONDITION_FILE.into(), text: Some(text.into()) });
    let diagnostics = vec![Diagnostic::error(span_at(text, file, mistake.at), mistake.message)];
    LoadError::Invalid { program: Box::new(program), diagnostics }
}

/// The place of a byte.
fn span_at(text: &str, file: aback_ir::FileId, byte: usize) -> Span {
    let before = text.get(..byte).unwrap_or(text);
    let line = 1 + before.matches('\n').count() as u32;
    let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count() as u32;
    Span { file, line, column, length: 0 }
}

/// The byte at which a number of UTF-16 units ends.
fn units_to_bytes(text: &str, units: u32) -> usize {
    let mut left = units as usize;
    for (byte, c) in text.char_indices() {
        if left == 0 {
            return byte;
        }
        left = left.saturating_sub(c.len_utf16());
    }
    text.len()
}
