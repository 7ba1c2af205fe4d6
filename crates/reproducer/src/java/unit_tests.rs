//! Writes behaviours as JUnit tests, and tries them on the JVM.

use super::Subject;
use super::build::{Statement, build};
use super::checks::{Read, checks};
use super::confirm::{Jvm, Report, compare, frame};
use super::junit::JUnit;
use super::source::{has_assertions, names, wrapped};
use super::types::Names;
use crate::prediction::Prediction;
use crate::run::{cannot, within};
use crate::sandbox::Sandbox;
use crate::unit_tests::{
    File, HEAD, Kind, RunReport, attempts, capitalized, files, is_controlled, is_short, uncompiled,
};
use crate::{Limits, Suite, Trial, UnitTest, Unreproducible};
use aback_ir::{ClassId, MethodKind, Program, Type};
use aback_lang_java::classpath::{OpenError, Options};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The class that runs the tests.
const DRIVER: &str = "aback.confirm.TestDriver";

/// Writes a test of a behaviour.
///
/// # Errors
/// No test can show the behaviour.
pub(super) fn test(subject: &Subject, prediction: Prediction, number: usize) -> Result<UnitTest, Unreproducible> {
    let unfit = |reason: String| Err(Unreproducible::Entry(reason));
    if prediction.uses_verifier {
        return unfit("the values of Verifier are the same for all tests of a JVM".into());
    }
    is_controlled(&prediction)?;
    let names = names(subject)?;
    let built = build(subject, names, &prediction)?;
    if let Some(option) = built.options.first() {
        return unfit(format!("the JVM needs the option {option} to make the input"));
    }
    is_short(built.statements.len())?;
    let mut lines: Vec<String> = built.statements.iter().map(Statement::text).collect();
    let mut helpers = built.helpers.clone();
    let call = wrapped(&built.call);
    let name = if prediction.is_assertion {
        lines.push(format!("{call};"));
        "breaksAssertion".to_string()
    } else {
        let (text, result, name) = match &prediction.exception {
            Some(exception) => (throwing(prediction.thrown, names, exception, &call), None, exception_name(exception)),
            None => {
                let (text, result) = returning(subject, names, &call, built.is_reflected);
                (text, result, "returns".to_string())
            }
        };
        lines.extend(text);
        let checks = checks(subject, names, &prediction, built.variables.clone(), result);
        lines.extend(checks.lines);
        helpers.extend(checks.helpers);
        name
    };
    let name = format!("{name}{number}");
    let mut text = String::new();
    let _ = writeln!(text, "    public void {name}() throws Throwable {{");
    for line in lines {
        let _ = writeln!(text, "        {line}");
    }
    text.push_str("    }\n");
    let helpers = helpers.into_iter().map(|helper| helper.text()).collect();
    Ok(UnitTest { name, shows_violation: prediction.is_assertion, text, helpers, prediction })
}

/// `throwsIllegalStateException` for `java.lang.IllegalStateException`.
fn exception_name(class: &str) -> String {
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    format!("throws{}", super::literals::identifier(simple))
}

/// The statements that call a method which throws.
fn throwing(thrown: Option<ClassId>, names: Names, exception: &str, call: &str) -> Vec<String> {
    match thrown.and_then(|class| names.class(class)) {
        Some(class) => vec![format!("assertThrows({class}.class, () -> {call});")],
        None => vec![
            format!("Throwable thrown = assertThrows(Throwable.class, () -> {call});"),
            format!("assertEquals(\"{exception}\", thrown.getClass().getName());"),
        ],
    }
}

/// The statements that call a method which returns, and how to read the result.
fn returning(subject: &Subject, names: Names, call: &str, is_reflected: bool) -> (Vec<String>, Option<Read>) {
    let method = subject.program.method(subject.entry);
    let ty = match method.kind {
        MethodKind::Constructor => Some(Type::Class(method.class)),
        _ => method.result,
    };
    let Some(ty) = ty else { return (vec![format!("{call};")], None) };
    let (ty, name) = match names.ty(ty) {
        Some(name) => (Some(ty), name),
        None => (None, "Object".to_string()),
    };
    let cast = if is_reflected && ty.is_some() { format!("({name}) ") } else { String::new() };
    (vec![format!("{name} result = {cast}{call};")], Some(Read { text: "result".into(), ty }))
}

/// Writes the sources of tests.
pub(super) fn suite(subject: &Subject, tests: &[UnitTest]) -> Suite {
    let junit = JUnit::find(subject.java.classpath());
    let files = files(tests, |kind, tests| file(subject, &junit, kind, tests));
    let files = files.into_iter().map(|file| (file.path, file.text)).collect();
    Suite { files, framework: junit.version.name().into() }
}

fn package_of<'a>(subject: &Subject<'a>) -> &'a str {
    names(subject).map_or("", |names| names.package)
}

/// The beginning of the names of classes: `AccountTransfer` for `Account.transfer`.
fn class_name(program: &Program, subject: &Subject) -> String {
    let method = program.method(subject.entry);
    let class = program.class_name(method.class).rsplit('.').next().unwrap_or_default();
    let mut parts: Vec<String> = class.split('$').map(str::to_string).collect();
    match method.kind {
        MethodKind::Constructor => parts.push("Constructor".into()),
        _ => parts.push(method.name.clone()),
    }
    if program.methods_named(method.class, &method.name).len() > 1 {
        // The tests of overloaded methods are in different classes.
        let receiver = usize::from(method.kind != MethodKind::Static);
        parts.extend(method.params.iter().skip(receiver).map(|&ty| {
            let ty = program.show_type(ty).replace("[]", "Array");
            ty.rsplit(['.', '$']).next().unwrap_or_default().to_string()
        }));
    }
    parts.iter().map(|part| capitalized(&super::literals::identifier(part))).collect()
}

fn file(subject: &Subject, junit: &JUnit, kind: Kind, tests: &[(usize, &UnitTest)]) -> File {
    let program = subject.program;
    let package = package_of(subject);
    let qualified = |name: &str| if package.is_empty() { name.to_string() } else { format!("{package}.{name}") };
    let class = format!("{}{}", class_name(program, subject), kind.suffix());
    let entry = program.method_name(subject.entry);
    let is_taken = program.class_named(&qualified("Test")).is_some();
    let annotation = if is_taken { junit.version.test() } else { "Test" };
    let mut out = format!("// {HEAD}\n");
    if !package.is_empty() {
        let _ = writeln!(out, "package {package};");
    }
    let is_checked = tests.iter().any(|(_, test)| test.text.contains(" assert"));
    out.push('\n');
    if is_checked {
        let _ = writeln!(out, "import static {}.*;\n", junit.version.assertions());
    }
    if !is_taken {
        let _ = writeln!(out, "import {};\n", junit.version.test());
    }
    let _ = writeln!(out, "/** {}. */\npublic class {class} {{", kind.describe(&entry));
    if has_assertions(program) {
        let _ = writeln!(
            out,
            "    static {{\n        // Assertions of the program must be enabled before its classes are loaded.\n        \
             {class}.class.getClassLoader().setDefaultAssertionStatus(true);\n    }}\n"
        );
    }
    let class = qualified(&class);
    let mut file = File { path: format!("{}.java", class.replace('.', "/")), class, text: out, lines: Vec::new() };
    file.add(tests, &format!("    @{annotation}"));
    file.text.push_str("}\n");
    file
}

/// Compiles tests and runs each twice.
///
/// # Errors
/// The reason why they cannot be compiled or run.
pub(super) fn try_tests(subject: &Subject, tests: &[UnitTest], limits: &Limits) -> Result<Trial, String> {
    let deadline = Instant::now().checked_add(limits.time);
    let java = subject.java.classpath().java().ok_or("the JDK has no `java`")?;
    let junit = JUnit::find(subject.java.classpath());
    let folder = tempfile::Builder::new().prefix("aback-tests-").tempdir().map_err(cannot("make a folder"))?;
    let (users, empty) = (within(folder.path(), "program")?, within(folder.path(), "empty")?);
    let mut class_path = subject.java.classpath().export(&users).map_err(cannot("copy the program's classes"))?;
    class_path.extend(junit.jars.iter().flatten().cloned());
    let mut trial = Trial { differences: vec![None; tests.len()], runtime: String::new(), notes: Vec::new() };
    let sandbox = Sandbox::of(limits.sandbox)?;
    trial.notes.extend(sandbox.note(limits.sandbox));
    if junit.jars.is_none() {
        let note = "there is no JUnit on the class path or in Debian's packages (apt install junit5, or junit4), so that \
                    the tests ran without it";
        trial.notes.push(note.into());
    }
    trial.differences = attempts(tests, |number, chosen| {
        let files = files(chosen, |kind, tests| file(subject, &junit, kind, tests));
        let place = within(folder.path(), &format!("attempt{number}"))?;
        match compile(subject, &junit, &files, &place, &class_path, deadline, limits)? {
            Compiled::Errors(found) => Ok(found),
            Compiled::Classes(classes) => {
                let class_path = std::iter::once(classes).chain(class_path.iter().cloned()).collect();
                let jvm = Jvm {
                    java: java.clone(),
                    folder: folder.path(),
                    work: &empty,
                    class_path,
                    options: &[],
                    deadline,
                    limits,
                    sandbox: &sandbox,
                };
                run(subject, &jvm, &files, chosen, &mut trial.runtime)
            }
        }
    })?;
    Ok(trial)
}

enum Compiled {
    /// The folder of the classes.
    Classes(PathBuf),
    /// The errors in tests, which have these indices.
    Errors(Vec<(usize, String)>),
}

fn compile(
    subject: &Subject,
    junit: &JUnit,
    files: &[File],
    place: &Path,
    class_path: &[PathBuf],
    deadline: Option<Instant>,
    limits: &Limits,
) -> Result<Compiled, String> {
    let (sources, work) = (within(place, "sources")?, within(place, "work")?);
    let mut texts: Vec<(String, &str)> = files.iter().map(|file| (file.path.clone(), file.text.as_str())).collect();
    texts.push(("TestDriver.java".into(), include_str!("../../java/TestDriver.java")));
    if junit.jars.is_none() {
        texts.push(("junit/Test.java".into(), include_str!("../../java/junit/Test.java")));
        texts.push(("junit/Assertions.java".into(), include_str!("../../java/junit/Assertions.java")));
    }
    let mut paths = Vec::new();
    for (name, text) in texts {
        let path = sources.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        written.map_err(cannot("write the tests"))?;
        paths.push(path);
    }
    let options = Options { deadline, interrupt: Some(limits.interrupt), ..Options::default() };
    match subject.java.classpath().compile(&paths, class_path, &work, &options) {
        Ok(classes) => Ok(Compiled::Classes(classes)),
        Err(OpenError::Stopped) => Err(limits.stopped().into()),
        Err(OpenError::Compile(errors)) => {
            let located = errors.messages.iter().map(|error| {
                let file = paths.iter().position(|path| error.path.as_ref() == Some(path));
                (file.map(|file| (file, error.line)), error.text.clone())
            });
            match errors.messages.is_empty() {
                true => Err(errors.to_string()),
                false => Ok(Compiled::Errors(uncompiled(files, located)?)),
            }
        }
        Err(other) => Err(other.to_string()),
    }
}

/// Runs compiled tests. Returns those that behave otherwise than predicted, by their index.
fn run(
    subject: &Subject,
    jvm: &Jvm,
    files: &[File],
    tests: &[UnitTest],
    runtime: &mut String,
) -> Result<Vec<(usize, String)>, String> {
    let report = jvm.work.join("report");
    let mut order: Vec<(usize, &str)> = Vec::new();
    for file in files {
        order.extend(file.lines.iter().map(|(test, _)| (*test, file.class.as_str())));
    }
    let mut arguments: Vec<&OsStr> = vec![report.as_os_str()];
    for (test, class) in &order {
        arguments.extend([OsStr::new(class), OsStr::new(&tests[*test].name)]);
    }
    let ended = jvm.run(DRIVER, &arguments, &[])?;
    let text = crate::run::read(&report).unwrap_or_default();
    let (version, rest) = text.split_once('\n').unwrap_or_default();
    if version.is_empty() {
        return Err(ended.map_or_else(|| jvm.limits.stopped().to_string(), |ended| ended.describe()));
    }
    *runtime = version.into();
    let order: Vec<usize> = order.into_iter().map(|(test, _)| test).collect();
    let report = RunReport { text: rest, order: &order, ended, process: "JVM" };
    report.differences(jvm.limits, |test, lines| difference(subject, &tests[test], lines))
}

/// How a run of a test differs from the prediction. `lines` is the report of the run.
fn difference(subject: &Subject, test: &UnitTest, lines: &str) -> Option<String> {
    let thrown = lines.lines().find_map(|line| line.strip_prefix("thrown\t")?.split_once('\t'));
    match (thrown, test.shows_violation) {
        (None, false) => None,
        (Some((class, message)), false) => Some(format!("its test fails: {class}: {message}")),
        (None, true) => Some("the program catches the error of the false assertion".into()),
        (Some((class, _)), true) => {
            let trace = lines.lines().filter_map(frame).collect();
            let report = Report { exception: Some(class.into()), trace, ..Report::default() };
            compare(subject, &test.prediction, &report).err()
        }
    }
}
