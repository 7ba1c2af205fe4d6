//! Writes behaviours as xUnit tests, and tries them on .NET.

use super::CsPlatform;
use super::build::Builder;
use super::checks::{Read, checks};
use super::dotnet::{Dotnet, Frame};
use super::expressions::Helper;
use super::plan::plan;
use super::project;
use super::source::{entry_name, wrapped};
use super::xunit::Xunit;
use crate::prediction::Prediction;
use crate::run::{cannot, read, within};
use crate::sandbox::Sandbox;
use crate::unit_tests::{
    File, HEAD, Kind, RunReport, attempts, capitalized, files, is_controlled, is_short, uncompiled,
};
use crate::{Limits, Suite, Trial, UnitTest, Unreproducible};
use aback_frontend::LoadError;
use aback_ir::{MethodId, Program};
use aback_lang_csharp::{Declarations, DeclaredMethod, ObjectShape, Shape};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The name of the assembly of the tests.
const ASSEMBLY: &str = "Aback.Tests";
/// The sources of the program that runs the tests.
const DRIVER: [(&str, &str); 2] = [
    ("TestDriver.cs", include_str!("../../csharp/driver/TestDriver.cs")),
    ("Runtime.cs", include_str!("../../csharp/driver/Runtime.cs")),
];

/// Writes a test of a behaviour.
///
/// # Errors
/// No test can show the behaviour.
pub(super) fn test(
    declarations: Declarations,
    entry: MethodId,
    prediction: Prediction,
    number: usize,
) -> Result<UnitTest, Unreproducible> {
    is_controlled(&prediction)?;
    let plan = plan(declarations, entry, &prediction.received)?;
    let mut built = Builder::build(&plan)?;
    is_short(built.statements.len())?;
    let mut lines: Vec<String> = built.statements.iter().map(|statement| wrapped(statement, "")).collect();
    let mut helpers: Vec<&'static str> = Vec::new();
    let name = if prediction.is_assertion {
        helpers.push(include_str!("../../csharp/TestListener.cs"));
        lines.push(format!("Check({});", lambda(&built)));
        "BreaksAssertion".to_string()
    } else if let Some(exception) = &prediction.exception {
        lines.extend(throwing(&built, &prediction, exception));
        lines.extend(checks(&mut built, &prediction, None)?);
        let simple = exception.rsplit(['.', '+']).next().unwrap_or_default();
        format!("Throws{}", identifier(simple.split(['`', '[']).next().unwrap_or_default()))
    } else {
        let (text, result) = returning(&built);
        lines.extend(text);
        lines.extend(checks(&mut built, &prediction, result)?);
        "Returns".to_string()
    };
    let name = format!("{name}{number}");
    let mut text = format!("    public void {name}()\n    {{\n");
    for line in lines.iter().flat_map(|line| line.lines()) {
        let _ = writeln!(text, "        {line}");
    }
    text.push_str("    }\n");
    helpers.extend(Helper::ALL.iter().filter(|helper| built.helpers.contains(helper)).map(|helper| helper.source().1));
    Ok(UnitTest { name, shows_violation: prediction.is_assertion, text, helpers, prediction })
}

/// A lambda expression that makes the call and has no result.
fn lambda(built: &Builder) -> String {
    let method = &built.plan.method;
    let has_result = method.result.is_some() || method.name == ".ctor" || built.call.is_reflected;
    if built.call.before.is_empty() && !has_result {
        return format!("() => {}", built.call.text);
    }
    match &built.call.statements()[..] {
        [statement] => format!("() => {{ {statement} }}"),
        statements => format!("() =>\n{{\n    {}\n}}", statements.join("\n    ")),
    }
}

/// The statements that call a method which throws.
fn throwing(built: &Builder, prediction: &Prediction, exception: &str) -> Vec<String> {
    let class = built.assertions();
    let declarations = built.plan.declarations;
    let ty = prediction.thrown.and_then(|class| match declarations.object(class) {
        ObjectShape::Object(ty) => built.named(ty),
        _ => None,
    });
    match ty {
        Some(ty) => vec![format!("{class}.Throws<{ty}>({});", lambda(built))],
        None => vec![
            format!("System.Exception thrown = {class}.ThrowsAny<System.Exception>({});", lambda(built)),
            format!("{class}.Equal(\"{exception}\", thrown.GetType().ToString());"),
        ],
    }
}

/// The statements that call a method which returns, and how to read the result.
fn returning(built: &Builder) -> (Vec<String>, Option<Read>) {
    let method = &built.plan.method;
    let ty = if method.name == ".ctor" { Some(method.owner) } else { method.result };
    let shape = |ty| built.plan.declarations.shape(ty);
    let Some(ty) = ty.filter(|&ty| !matches!(shape(ty), Shape::Pointer(_) | Shape::Span(_) | Shape::Other)) else {
        return (built.call.statements(), None);
    };
    let mut lines = built.call.before.clone();
    let (name, ty) = match built.named(ty) {
        Some(name) => (name, Some(ty)),
        None => ("object".to_string(), None),
    };
    let cast = if built.call.is_reflected && ty.is_some() { format!("({name})") } else { String::new() };
    lines.push(format!("{name} result = {cast}{};", built.call.text));
    (lines, Some(Read::new("result", ty)))
}

/// Writes the sources of tests, and a project for them in a folder.
pub(super) fn suite(
    platform: &CsPlatform,
    (program, entry): (&Program, MethodId),
    tests: &[UnitTest],
    folder: &Path,
) -> Suite {
    let declarations = platform.origin.declarations(program);
    let Some(method) = declarations.method(entry) else {
        return Suite { files: Vec::new(), framework: "xUnit".into() };
    };
    let sources = files(tests, |kind, tests| file(declarations, &method, kind, tests));
    let mut files: Vec<(String, String)> = sources.into_iter().map(|file| (file.path, file.text)).collect();
    if !files.is_empty() {
        files.push((project::NAME.into(), project::project(platform.origin, folder)));
    }
    Suite { files, framework: "xUnit".into() }
}

/// The beginning of the names of classes: `AccountTransfer` for `Account.Transfer`.
fn class_name(declarations: Declarations, method: &DeclaredMethod) -> String {
    let mut parts: Vec<String> = vec![declarations.shown_name(method.owner).unwrap_or_default()];
    parts.push(match &method.name[..] {
        ".ctor" => "Constructor".into(),
        name => name.into(),
    });
    // The tests of overloaded methods are in different classes.
    let params = method.params.iter().map(|param| param.ty).filter(|_| declarations.is_overloaded(method));
    for ty in method.arguments.iter().copied().chain(params) {
        let name = declarations.shown_name(ty).unwrap_or_default().replace("[]", "Array");
        parts.push(name.rsplit(['.', '+']).next().unwrap_or_default().to_string());
    }
    let words = parts.iter().flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.map(|word| if word.parse::<u32>().is_ok() { String::new() } else { capitalized(word) }).collect()
}

fn identifier(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn file(declarations: Declarations, method: &DeclaredMethod, kind: Kind, tests: &[(usize, &UnitTest)]) -> File {
    let class = format!("{}{}", class_name(declarations, method), kind.suffix());
    let what = kind.describe(&entry_name(declarations, method));
    let text = format!(
        "// {HEAD}\nusing Xunit;\n\n#nullable disable\n\n/// <summary>{what}.</summary>\npublic class {class}\n{{\n"
    );
    let fact = if declarations.hides("Fact") || declarations.hides("FactAttribute") { "Xunit.Fact" } else { "Fact" };
    let mut file = File { path: format!("{class}.cs"), class, text, lines: Vec::new() };
    file.add(tests, &format!("    [{fact}]"));
    file.text.push_str("}\n");
    file
}

/// Compiles tests and runs each twice.
///
/// # Errors
/// The reason why they cannot be compiled or run.
pub(super) fn try_tests(
    platform: &CsPlatform,
    (program, entry): (&Program, MethodId),
    tests: &[UnitTest],
    limits: &Limits,
) -> Result<Trial, String> {
    let origin = platform.origin;
    if !origin.has_compiler() {
        let root = origin.root().display();
        return Err(format!("tests must be compiled, and the .NET at {root} has no SDK"));
    }
    let declarations = origin.declarations(program);
    let method = declarations.method(entry).ok_or("the entry point is no method of an assembly")?;
    let folder = tempfile::Builder::new().prefix("aback-tests-").tempdir().map_err(cannot("make a folder"))?;
    let (empty, packages) = (within(folder.path(), "empty")?, within(folder.path(), "packages")?);
    let xunit = Xunit::find(origin, &packages);
    let mut trial = Trial { differences: Vec::new(), runtime: String::new(), notes: Vec::new() };
    let sandbox = Sandbox::of(limits.sandbox)?;
    trial.notes.extend(sandbox.note(limits.sandbox));
    if xunit.is_none() {
        let note =
            "there is no xUnit 2 in the folders of NuGet (dotnet add package xunit), so that the tests ran without it";
        trial.notes.push(note.into());
    }
    let attempt = Attempt {
        origin,
        program,
        xunit,
        deadline: Instant::now().checked_add(limits.time),
        limits,
        sandbox,
        folder: folder.path(),
        empty: &empty,
    };
    trial.differences = attempts(tests, |number, chosen| {
        let files = files(chosen, |kind, tests| file(declarations, &method, kind, tests));
        let place = within(folder.path(), &format!("attempt{number}"))?;
        match attempt.compile(&files, &place)? {
            Compiled::Errors(found) => Ok(found),
            Compiled::Assembly(assembly) => attempt.run(&assembly, &files, chosen, &mut trial.runtime),
        }
    })?;
    Ok(trial)
}

/// What all attempts to run tests have in common.
struct Attempt<'a> {
    origin: &'a aback_lang_csharp::CsOrigin,
    program: &'a Program,
    xunit: Option<Xunit>,
    deadline: Option<Instant>,
    limits: &'a Limits<'a>,
    sandbox: Sandbox,
    /// The temporary folder with all that was made for the tests.
    folder: &'a Path,
    /// The folder in which tests run.
    empty: &'a Path,
}

enum Compiled {
    Assembly(PathBuf),
    /// The errors in tests, which have these indices.
    Errors(Vec<(usize, String)>),
}

impl Attempt<'_> {
    fn compile(&self, files: &[File], place: &Path) -> Result<Compiled, String> {
        let work = within(place, "work")?;
        let mut texts: Vec<(&str, &str)> = files.iter().map(|file| (&file.path[..], &file.text[..])).collect();
        texts.extend(DRIVER);
        if self.xunit.is_none() {
            texts.push(("Xunit.cs", include_str!("../../csharp/Xunit.cs")));
        }
        let mut paths = Vec::new();
        for (name, text) in texts {
            let path = place.join(name);
            std::fs::write(&path, text).map_err(cannot("write the tests"))?;
            paths.push(path);
        }
        let others = self.xunit.as_ref().map_or(&[][..], |xunit| &xunit.assemblies);
        match self.origin.compile(ASSEMBLY, &paths, others, &work, self.deadline, self.limits.interrupt) {
            Ok(Some(assembly)) => Ok(Compiled::Assembly(assembly)),
            Ok(None) => Err("the .NET that was found has no compiler".into()),
            Err(LoadError::Stopped) => Err(self.limits.stopped().into()),
            Err(LoadError::Invalid { program, diagnostics }) => {
                let errors = diagnostics.iter().map(|error| {
                    let file = program.file(error.span.file).filter(|_| error.span.is_known());
                    let file = file.and_then(|file| paths.iter().position(|path| *path == file.path));
                    (file.map(|file| (file, error.span.line)), error.message.clone())
                });
                Ok(Compiled::Errors(uncompiled(files, errors)?))
            }
            Err(other) => Err(other.to_string()),
        }
    }

    /// Runs compiled tests. Returns those that behave otherwise than predicted, by their index.
    fn run(
        &self,
        assembly: &Path,
        files: &[File],
        tests: &[UnitTest],
        runtime: &mut String,
    ) -> Result<Vec<(usize, String)>, String> {
        let report = self.empty.join("report");
        let mut order: Vec<(usize, &str)> = Vec::new();
        for file in files {
            order.extend(file.lines.iter().map(|(test, _)| (*test, file.class.as_str())));
        }
        let count = order.len().to_string();
        let mut arguments: Vec<&OsStr> = vec![report.as_os_str(), count.as_ref()];
        for (test, class) in &order {
            arguments.extend([OsStr::new(class), OsStr::new(&tests[*test].name)]);
        }
        let xunit = self.xunit.as_ref().map_or(&[][..], |xunit| &xunit.assemblies);
        arguments.extend(xunit.iter().map(|path| path.as_os_str()));
        let dotnet = Dotnet {
            origin: self.origin,
            folder: self.folder,
            work: self.empty,
            deadline: self.deadline,
            limits: self.limits,
            sandbox: &self.sandbox,
        };
        let settings = assembly.parent().unwrap_or(self.empty);
        let ended = dotnet.run(assembly, &arguments, xunit, settings)?;
        let text = read(&report).unwrap_or_default();
        let (version, rest) = text.split_once('\n').unwrap_or_default();
        if version.is_empty() {
            return Err(ended.map_or_else(|| self.limits.stopped().to_string(), |ended| ended.describe()));
        }
        *runtime = version.into();
        let order: Vec<usize> = order.into_iter().map(|(test, _)| test).collect();
        let report = RunReport { text: rest, order: &order, ended, process: "process" };
        report.differences(self.limits, |test, lines| self.difference(&tests[test], lines))
    }

    /// How a run of a test differs from the prediction. `lines` is the report of the run.
    fn difference(&self, test: &UnitTest, lines: &str) -> Option<String> {
        let thrown = lines.lines().find_map(|line| line.strip_prefix("thrown\t")?.split_once('\t'));
        match (thrown, test.shows_violation) {
            (None, false) => None,
            (Some((class, message)), false) => Some(format!("its test fails: {class}: {message}")),
            (None, true) => Some("no assertion is false".into()),
            (Some((class, message)), true) => {
                let frame = lines.lines().find_map(|line| Frame::parse(self.origin, line));
                let is_there = frame.as_ref().is_some_and(|frame| {
                    frame.is_at(self.program, test.prediction.place, test.prediction.method, true)
                });
                match frame {
                    Some(_) if is_there => None,
                    Some(frame) => Some(format!("{class} is thrown at {}: {message}", frame.show())),
                    None => Some(format!("{class} is thrown outside of the program's own code: {message}")),
                }
            }
        }
    }
}
