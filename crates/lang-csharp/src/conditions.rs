//! Adds preconditions of an entry point to a program: each becomes a static method with the parameters of the entry point
//! that returns the condition.
//!
//! The compiler gets the methods in an assembly of their own, and copies of the program's assemblies in which everything is
//! public, so that a condition can use what the entry point can. The program keeps its own assemblies.

use crate::assemblies::{AssemblyId, TypeDefId};
use crate::compile::Compilation;
use crate::declarations::{Declarations, Receiver, escaped};
use crate::front_end::{CsOrigin, libraries};
use crate::loader::{ClassKind, Cs};
use crate::members::MethodKey;
use crate::messages::Message;
use crate::process::temporary;
use crate::types::TyId;
use aback_cil::Assembly;
use aback_frontend::{CONDITION_FILE, LoadConfig, LoadError, has_extension};
use aback_ir::{ClassId, Diagnostic, MethodId, Precondition, Program, SourceFile, Span};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the assembly, the class and the methods.
const ASSEMBLY: &str = "aback.conditions";
const CLASS: &str = "AbackConditions";
const METHOD: &str = "Condition";
/// What stands before the name of a member of the object that the entry point is called on.
const MEMBER_OF_THIS: &str = "@this.";
/// Most compilations in which more is known of what a condition names.
const MOST_ATTEMPTS: usize = 3;
/// A name means nothing, there is no `this`, and a type has no such member.
const UNKNOWN_NAME: &str = "CS0103";
const NO_THIS: &str = "CS0026";
const UNKNOWN_MEMBER: &str = "CS1061";

/// Namespaces that conditions import besides those of the source.
const USUAL: [&str; 3] = ["using System;", "using System.Collections.Generic;", "using System.Linq;"];

/// Whether a class has methods of conditions.
pub(crate) fn is_class_of_conditions(cs: Cs, class: ClassId) -> bool {
    let Some(ClassKind::Type(ty)) = cs.loader.kind_of(class) else { return false };
    cs.declared(ty).is_some_and(|(declared, _)| cs.assembly(declared.assembly).name() == ASSEMBLY)
}

/// The program with preconditions of an entry point.
///
/// # Errors
/// A condition is no expression over the parameters of the entry point, sources cannot name the types of these, or there
/// is no compiler.
pub(crate) fn with_preconditions(
    program: &Program,
    origin: &CsOrigin,
    config: &LoadConfig,
    entry: MethodId,
) -> Result<Program, LoadError> {
    let cs = Cs { program, loader: &origin.loader };
    let texts = &config.preconditions.conditions;
    let head = Head::new(cs, entry)?;
    let work = tempfile::Builder::new().prefix("aback-csharp-").tempdir().map_err(temporary)?;
    let (exposed, references) = references(cs, config, &work.path().join("references"))?;
    let compiler = Compiler { origin, config, work: work.path(), references };
    let mut conditions: Vec<Condition> = texts.iter().map(|text| Condition::new(text)).collect::<Result<_, _>>()?;
    let mut outcome = compiler.compile(&head, &conditions)?;
    for _ in 0..MOST_ATTEMPTS {
        let Err(errors) = &mut outcome else { break };
        if !head.has_receiver || !name_receiver(errors, &mut conditions) {
            break;
        }
        let before = std::mem::take(errors);
        outcome = compiler.compile(&head, &conditions)?.map_err(|errors| as_before(errors, &conditions, &before));
    }
    let assembly = outcome.map_err(|errors| not_compiled(errors, texts))?;
    let bytes = std::fs::read(&assembly).map_err(temporary)?;
    let read = Assembly::parse(bytes).map_err(|error| LoadError::Precondition(format!("--assume: {error}")))?;
    // Its references name the assemblies of the program, which stay as they are.
    drop(exposed);
    let id = cs.loader.assemblies.add(Path::new("aback.conditions.dll"), read, false);
    let conditions = texts.iter().enumerate().map(|(number, text)| head.precondition(cs, id, entry, number, text));
    Ok(program.with_preconditions(entry, conditions.collect::<Result<_, _>>()?))
}

/// What stands around the conditions.
struct Head {
    before: String,
    after: &'static str,
    /// Namespaces that the source imports.
    usings: Vec<String>,
    parameters: String,
    has_receiver: bool,
    /// The number of arguments in the program model that a condition does not get: those for an object that is not made yet.
    left_out: usize,
}

impl Head {
    fn new(cs: Cs, entry: MethodId) -> Result<Head, LoadError> {
        let declarations = Declarations::new(cs);
        let name = || cs.program.method_name(entry);
        let unknown = |what: String| {
            LoadError::Precondition(format!(
                "--assume is for methods with types that sources can name, and {what} of {} is none",
                name()
            ))
        };
        let declared = declarations.method(entry).ok_or_else(|| unknown("the class".into()))?;
        let owner = declarations.hidden_source_name(declared.owner).ok_or_else(|| unknown("the class".into()))?;
        let is_constructor = declared.name == ".ctor";
        let mut parameters = Vec::new();
        let has_receiver = declared.receiver != Receiver::None && !is_constructor;
        if has_receiver {
            let by = if declared.receiver == Receiver::Pointer { "ref " } else { "" };
            parameters.push(format!("{by}{owner} @this"));
        }
        for (index, param) in declared.params.iter().enumerate() {
            let ty = declarations
                .hidden_source_name(param.ty)
                .ok_or_else(|| unknown(format!("the type {}", cs.name(param.ty))))?;
            let by = if declarations.is_pointer(param.ty) { "ref " } else { "" };
            let name = if declarations.is_name(&param.name) { escaped(&param.name) } else { format!("arg{index}") };
            parameters.push(format!("{by}{ty} {name}"));
        }
        let leaves: usize = declared.params.iter().map(|param| declarations.leaves(param.ty)).sum();
        let all = cs.program.method(entry).params.len();
        let left_out = if is_constructor { all.saturating_sub(leaves) } else { 0 };
        let bases = cs.bases(declared.owner).filter(|&ty| !declarations.is_object(ty));
        let statics = bases.filter_map(|ty| Some(format!("using static {};", declarations.hidden_source_name(ty)?)));
        let statics: Vec<String> = if cs.is_value(declared.owner) { Vec::new() } else { statics.collect() };
        let namespace = namespace(cs, declared.owner);
        let (open, after) =
            if namespace.is_empty() { (String::new(), "}\n") } else { (format!("namespace {namespace} {{ "), "} }\n") };
        let before = format!("{}\n{open}static unsafe class {CLASS} {{\n", statics.join("\n"));
        let usings = usings(cs.program, cs.program.method(entry).span);
        Ok(Head { before, after, usings, parameters: parameters.join(", "), has_receiver, left_out })
    }

    /// The source with these conditions. Each stands in different brackets twice, so that it cannot close them.
    fn source(&self, conditions: &[Condition], with_usings: bool) -> String {
        let usings = self.usings.iter().map(String::as_str).filter(|_| with_usings);
        let mut text: String = USUAL.into_iter().chain(usings).flat_map(|line| [line, "\n"]).collect();
        text.push_str(&self.before);
        for (number, condition) in conditions.iter().enumerate() {
            let Head { parameters, .. } = self;
            let condition = condition.whole();
            text.push_str(&format!(
                "static bool {METHOD}{number}({parameters}) {{ return (\n#line 1 \"{FILE}{number}\"\n{condition}\n#line default\n); }}\n\
                 static bool[] Brackets{number}({parameters}) {{ return new bool[] {{\n#line 1 \"{FILE}{number}\"\n{condition}\n#line default\n}}; }}\n"
            ));
        }
        text + self.after
    }

    fn precondition(
        &self,
        cs: Cs,
        assembly: AssemblyId,
        entry: MethodId,
        number: usize,
        text: &str,
    ) -> Result<Precondition, LoadError> {
        let lost = || LoadError::Precondition(format!("--assume cannot use the condition {text}"));
        let read = cs.assembly(assembly);
        let find = |row: u32| read.type_def(row).is_ok_and(|ty| ty.name == CLASS);
        let row = (1..=read.rows(aback_cil::Table::TypeDef)).find(|&row| find(row)).ok_or_else(lost)?;
        let name = format!("{METHOD}{number}");
        let mut methods = read.type_def(row).map_err(|_| lost())?.methods;
        let method = methods.find(|&method| read.method_name(method) == Ok(&*name)).ok_or_else(lost)?;
        let owner = cs.named(TypeDefId { assembly, row }, Arc::new([]));
        let method = cs.method(&MethodKey { owner, row: method, arguments: Arc::new([]) });
        let arguments: Vec<usize> = (self.left_out..cs.program.method(entry).params.len()).collect();
        let types = arguments.iter().map(|&index| cs.program.method(entry).params[index]);
        if !types.eq(cs.program.method(method).params.iter().copied()) {
            return Err(lost());
        }
        Ok(Precondition { text: text.into(), method, arguments })
    }
}

/// The start of the names of files for the compiler that have the conditions.
const FILE: &str = "aback.condition";

/// A condition.
struct Condition {
    text: String,
    /// What is added to it, by lines and columns from 1, the latter in UTF-16 units.
    added: BTreeMap<(u32, u32), &'static str>,
}

impl Condition {
    fn new(text: &str) -> Result<Self, LoadError> {
        let directive = text.lines().position(|line| line.trim_start().starts_with('#'));
        if text.trim().is_empty() {
            return Err(invalid(vec![(text, 1, 1, "there is no expression".into())]));
        }
        match directive {
            Some(line) => Err(invalid(vec![(text, line as u32 + 1, 1, "a condition has no directives".into())])),
            None => Ok(Condition { text: text.into(), added: BTreeMap::new() }),
        }
    }

    fn whole(&self) -> String {
        let mut all = String::new();
        let (mut line, mut column) = (1, 1);
        for c in self.text.chars() {
            all.push_str(self.added.get(&(line, column)).copied().unwrap_or_default());
            all.push(c);
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + c.len_utf16() as u32) };
        }
        all
    }

    /// The column in the text of one in [`Condition::whole`].
    fn column_before(&self, line: u32, column: u32) -> u32 {
        let added = self.added.range((line, 0)..(line + 1, 0));
        added.fold(column, |column, (&(_, at), added)| {
            let length = added.len() as u32;
            if column > at { column.max(at + length) - length } else { column }
        })
    }
}

/// Adds what names the object of the entry point where it may be meant: a name that means nothing else, and `this`. Returns
/// whether anything was added.
fn name_receiver(errors: &[Message], conditions: &mut [Condition]) -> bool {
    let mut is_new = false;
    for error in errors {
        let added = match error.code.as_str() {
            UNKNOWN_NAME => MEMBER_OF_THIS,
            NO_THIS => "@",
            _ => continue,
        };
        if let Some((index, line, column)) = error.place_in(FILE)
            && let Some(condition) = conditions.get_mut(index)
        {
            is_new |= condition.added.insert((line, column), added).is_none();
        }
    }
    is_new
}

/// The errors with the places that they have without what was added. That an object has no such member means that the
/// name means nothing, as it was said before.
fn as_before(errors: Vec<Message>, conditions: &[Condition], before: &[Message]) -> Vec<Message> {
    let moved = errors.into_iter().map(|error| {
        let Some((index, line, column)) = error.place_in(FILE) else { return error };
        let Some(condition) = conditions.get(index) else { return error };
        let column = condition.column_before(line, column);
        let is_member = error.code == UNKNOWN_MEMBER && condition.added.contains_key(&(line, column));
        let same = before.iter().find(|before| is_member && before.place_in(FILE) == Some((index, line, column)));
        same.cloned().unwrap_or_else(|| error.at_column(column))
    });
    moved.collect()
}

/// The errors as those of the conditions.
fn not_compiled(errors: Vec<Message>, texts: &[String]) -> LoadError {
    let mut placed = Vec::new();
    for error in &errors {
        if let Some((index, line, column)) = error.place_in(FILE)
            && let Some(text) = texts.get(index)
        {
            let message = (text.as_str(), line, column, error.shown());
            if !placed.contains(&message) {
                placed.push(message);
            }
        }
    }
    match (placed.is_empty(), errors.first()) {
        (true, Some(error)) => LoadError::Precondition(format!("--assume cannot be compiled: {}", error.shown())),
        _ => invalid(placed),
    }
}

/// Errors at lines and columns of conditions, the latter in UTF-16 units from 1.
fn invalid(errors: Vec<(&str, u32, u32, String)>) -> LoadError {
    let program = Program::new();
    let diagnostics = errors.into_iter().map(|(text, line, column, message)| {
        let own = text.lines().nth(line as usize - 1).unwrap_or("");
        let mut left = column - 1;
        let before = own.chars().take_while(|c| {
            let is_before = left > 0;
            left = left.saturating_sub(c.len_utf16() as u32);
            is_before
        });
        // What is missing behind the text is reported at its end.
        let (line, column) = match line as usize > text.lines().count().max(1) {
            true => (text.lines().count().max(1) as u32, text.lines().last().map_or(0, |last| last.chars().count())),
            false => (line, before.count()),
        };
        let file = program.add_file(SourceFile { path: CONDITION_FILE.into(), text: Some(text.into()) });
        Diagnostic::error(Span { file, line, column: column as u32 + 1, length: 0 }, message)
    });
    let diagnostics = diagnostics.collect();
    LoadError::Invalid { program: Box::new(program), diagnostics }
}

/// What compiles conditions.
struct Compiler<'a> {
    origin: &'a CsOrigin,
    config: &'a LoadConfig,
    work: &'a Path,
    references: Vec<PathBuf>,
}

impl Compiler<'_> {
    fn compile(&self, head: &Head, conditions: &[Condition]) -> Result<Result<PathBuf, Vec<Message>>, LoadError> {
        let outcome = self.run(&head.source(conditions, true))?;
        match &outcome {
            // What looked like a directive of the source may be none.
            Err(errors) if !head.usings.is_empty() && errors.iter().any(|error| error.place_in(FILE).is_none()) => {
                self.run(&head.source(conditions, false))
            }
            _ => Ok(outcome),
        }
    }

    fn run(&self, text: &str) -> Result<Result<PathBuf, Vec<Message>>, LoadError> {
        let sdk = self.origin.platform.compiler().ok_or_else(|| {
            LoadError::Precondition(
                "--assume needs a .NET SDK, whose compiler reads the condition: set DOTNET_ROOT".into(),
            )
        })?;
        let source = self.work.join("Conditions.cs");
        std::fs::write(&source, text).map_err(temporary)?;
        let compilation = Compilation {
            sdk: &sdk,
            sources: &[source],
            references: self.references.clone(),
            name: ASSEMBLY,
            work: self.work,
            cache: None,
            stops: self.config.into(),
        };
        compilation.compile_library()
    }
}

/// Copies of the program's assemblies in which everything is public, in a new folder, and the libraries besides those of the
/// platform. Also returns the names of the copies.
fn references(cs: Cs, config: &LoadConfig, folder: &Path) -> Result<(Vec<String>, Vec<PathBuf>), LoadError> {
    std::fs::create_dir_all(folder).map_err(temporary)?;
    let assemblies = &cs.loader.assemblies;
    let mut names = Vec::new();
    let mut found = Vec::new();
    let mut beside = Vec::new();
    for (number, id) in assemblies.own().into_iter().enumerate() {
        let module = assemblies.module(id);
        let path = folder.join(format!("{number}.dll"));
        std::fs::write(&path, module.assembly.exposed()).map_err(temporary)?;
        names.push(module.assembly.name().to_string());
        found.push(path);
        beside.extend(module.path.parent().map(Path::to_path_buf));
    }
    let mut others = libraries(config)?;
    for folder in beside {
        let within = std::fs::read_dir(&folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        others.extend(within.filter(|file| has_extension(file, &["dll"])));
    }
    others.sort();
    for path in others {
        let Some(read) = std::fs::read(&path).ok().and_then(|bytes| Assembly::parse(bytes).ok()) else { continue };
        if !names.iter().any(|name| name == read.name()) {
            names.push(read.name().to_string());
            found.push(path);
        }
    }
    Ok((names, found))
}

/// The namespace of a type.
fn namespace(cs: Cs, ty: TyId) -> String {
    let mut declared = cs.declared(ty).map(|(declared, _)| declared);
    while let Some(id) = declared {
        let read = cs.assembly(id.assembly);
        match read.enclosing(id.row) {
            Some(row) if row != id.row => declared = Some(TypeDefId { row, ..id }),
            _ => {
                let name = read.type_def(id.row).map_or("", |ty| ty.namespace);
                return name.split('.').map(escaped).collect::<Vec<_>>().join(".");
            }
        }
    }
    String::new()
}

/// The directives `using` before the first type of a source, and the global ones of all sources.
fn usings(program: &Program, span: Span) -> Vec<String> {
    let mut found = Vec::new();
    for (id, file) in program.files() {
        let text = file.text.as_deref().unwrap_or("");
        for line in text.lines().map(str::trim) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.iter().any(|word| ["class", "struct", "record", "interface", "enum"].contains(word)) {
                break;
            }
            let (is_global, rest) = match line.strip_prefix("global ") {
                Some(rest) => (true, rest.trim_start()),
                None => (false, line),
            };
            let is_using = rest.starts_with("using ")
                && rest.ends_with(';')
                && !rest.contains('(')
                && words.get(1) != Some(&"var");
            if is_using && (is_global || id == span.file) && !found.iter().any(|known| known == rest) {
                found.push(rest.to_string());
            }
        }
    }
    found
}
