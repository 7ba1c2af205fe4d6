//! Writes behaviours as JUnit tests, and tries them on the JVM.

use super::Subject;
use super::build::{Statement, build};
use super::checks::{Read, checks};
use super::confirm::{Jvm, Report, compare, frame};
use super::junit::JUnit;
use super::source::{has_assertions, names, wrapped};
use super::types::Names;
use crate::prediction::Prediction;
use crate::run::cannot;
use crate::sandbox::Sandbox;
use crate::{Limits, Suite, Trial, UnitTest, Unreproducible};
use aback_ir::{MethodKind, Program, Type};
use aback_lang_java::classpath::{OpenError, Options};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Most statements of a test.
const STATEMENTS: usize = 400;
/// The class that runs the tests.
const DRIVER: &str = "aback.confirm.TestDriver";
/// The first line of each file.
const HEAD: &str = "// Written by aback explore --tests";

/// Writes a test of a behaviour.
///
/// # Errors
/// No test can show the behaviour.
pub(super) fn test(subject: &Subject, prediction: Prediction, number: usize) -> Result<UnitTest, Unreproducible> {
    let unfit = |reason: String| Err(Unreproducible::Entry(reason));
    if prediction.uses_verifier {
        return unfit("the values of Verifier are the same for all tests of a JVM".into());
    }
    if !prediction.uncontrolled.is_empty() {
        return unfit(format!("the outcome may depend on {}", prediction.uncontrolled.join(", ")));
    }
    let names = names(subject)?;
    let built = build(subject, names, &prediction)?;
    if let Some(option) = built.options.first() {
        return unfit(format!("the JVM needs the option {option} to make the input"));
    }
    if built.statements.len() > STATEMENTS {
        return unfit(format!("the input takes more than {STATEMENTS} statements"));
    }
    let mut lines: Vec<String> = built.statements.iter().map(Statement::text).collect();
    let mut helpers = built.helpers.clone();
    let call = wrapped(&built.call);
    let name = if prediction.is_assertion {
        lines.push(format!("{call};"));
        "breaksAssertion".to_string()
    } else {
        let (text, result, name) = match &prediction.exception {
            Some(exception) => (throwing(subject, names, exception, &call), None, exception_name(exception)),
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
fn throwing(subject: &Subject, names: Names, exception: &str, call: &str) -> Vec<String> {
    match subject.program.class_named(exception).and_then(|class| names.class(class)) {
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

/// A file of tests.
struct File {
    /// The full name of its class.
    class: String,
    text: String,
    /// The lines of each test, from 1, with its index.
    lines: Vec<(usize, Range<u32>)>,
}

impl File {
    fn path(&self) -> String {
        format!("{}.java", self.class.replace('.', "/"))
    }
}

/// Writes the sources of tests.
pub(super) fn suite(subject: &Subject, tests: &[UnitTest]) -> Suite {
    let junit = JUnit::find(subject.java.classpath());
    let files = files(subject, &junit, tests);
    let files = files.into_iter().map(|file| (file.path(), file.text)).collect();
    Suite { files, framework: junit.version.name().into() }
}

fn package_of<'a>(subject: &Subject<'a>) -> &'a str {
    names(subject).map_or("", |names| names.package)
}

fn files(subject: &Subject, junit: &JUnit, tests: &[UnitTest]) -> Vec<File> {
    let part = |shows_violation| -> Vec<(usize, &UnitTest)> {
        tests.iter().enumerate().filter(|(_, test)| test.shows_violation == shows_violation).collect()
    };
    let (passing, failing) = (part(false), part(true));
    let parts = [("Test", passing), ("ViolationTest", failing)];
    parts.iter().filter(|(_, tests)| !tests.is_empty()).map(|(end, tests)| file(subject, junit, end, tests)).collect()
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

fn capitalized(text: &str) -> String {
    let mut chars = text.trim_end_matches('_').chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn file(subject: &Subject, junit: &JUnit, end: &str, tests: &[(usize, &UnitTest)]) -> File {
    let program = subject.program;
    let package = package_of(subject);
    let qualified = |name: &str| if package.is_empty() { name.to_string() } else { format!("{package}.{name}") };
    let class = format!("{}{end}", class_name(program, subject));
    let entry = program.method_name(subject.entry);
    let is_taken = program.class_named(&qualified("Test")).is_some();
    let annotation = if is_taken { junit.version.test() } else { "Test" };
    let mut out = format!("{HEAD}: regenerate it instead of changing it.\n");
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
    let what = match end {
        "Test" => format!("What {entry} does: each test passes as long as it does the same"),
        _ => format!("Assertions that {entry} breaks: each test fails until the defect is fixed"),
    };
    let _ = writeln!(out, "/** {what}. */\npublic class {class} {{");
    if has_assertions(program) {
        let _ = writeln!(
            out,
            "    static {{\n        // Assertions of the program must be enabled before its classes are loaded.\n        \
             {class}.class.getClassLoader().setDefaultAssertionStatus(true);\n    }}\n"
        );
    }
    let mut lines = Vec::new();
    for (position, (index, test)) in tests.iter().enumerate() {
        let separator = if position == 0 { "" } else { "\n" };
        let first = line_count(&out) + 1;
        let _ = write!(out, "{separator}    @{annotation}\n{}", test.text);
        lines.push((*index, first..line_count(&out) + 1));
    }
    let helpers: BTreeSet<&str> = tests.iter().flat_map(|(_, test)| &test.helpers).copied().collect();
    for helper in helpers {
        let _ = write!(out, "\n{helper}");
    }
    out.push_str("}\n");
    File { class: qualified(&class), text: out, lines }
}

fn line_count(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
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
    let within = |name: &str| folder_within(folder.path(), name);
    let (users, empty) = (within("program")?, within("empty")?);
    let mut class_path = subject.java.classpath().export(&users).map_err(cannot("copy the program's classes"))?;
    class_path.extend(junit.jars.iter().flatten().cloned());
    let mut trial = Trial { differences: vec![None; tests.len()], runtime: String::new(), notes: Vec::new() };
    let sandbox = Sandbox::find();
    if let Sandbox::None(reason) = sandbox {
        trial.notes.push(format!("the tests ran without a sandbox: {reason} (Debian: apt install bubblewrap)"));
    }
    if junit.jars.is_none() {
        let note = "there is no JUnit on the class path or in Debian's packages (apt install junit5, or junit4), so that \
                    the tests ran without it";
        trial.notes.push(note.into());
    }
    // Each attempt finds what at least one test does, and goes on without it.
    for attempt in 0..=tests.len() {
        let left: Vec<usize> = (0..tests.len()).filter(|&test| trial.differences[test].is_none()).collect();
        if left.is_empty() {
            break;
        }
        let chosen: Vec<UnitTest> = left.iter().map(|&test| tests[test].clone()).collect();
        let files = files(subject, &junit, &chosen);
        let place = within(&format!("attempt{attempt}"))?;
        let found = match compile(subject, &junit, &files, &place, &class_path, deadline, limits)? {
            Compiled::Errors(found) => found,
            Compiled::Classes(classes) => {
                let class_path = std::iter::once(classes).chain(class_path.iter().cloned()).collect();
                let jvm = Jvm { java: java.clone(), folder: &empty, class_path, options: &[], deadline, limits };
                run(subject, &jvm, &sandbox, &files, &chosen, &mut trial.runtime)?
            }
        };
        if found.is_empty() {
            break;
        }
        for (test, difference) in found {
            trial.differences[left[test]].get_or_insert(difference);
        }
    }
    Ok(trial)
}

fn folder_within(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    std::fs::create_dir(&path).map_err(cannot("make a folder"))?;
    Ok(path)
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
    let (sources, work) = (folder_within(place, "sources")?, folder_within(place, "work")?);
    let mut texts: Vec<(String, &str)> = files.iter().map(|file| (file.path(), file.text.as_str())).collect();
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
            let mut found = Vec::new();
            for error in &errors.messages {
                let file = files.iter().zip(&paths).find(|(_, path)| error.path.as_ref() == Some(path));
                let test = file.and_then(|(file, _)| file.lines.iter().find(|(_, lines)| lines.contains(&error.line)));
                match test {
                    Some((test, _)) => found.push((*test, format!("the test does not compile: {}", error.text))),
                    None => return Err(format!("the tests do not compile: {}", error.text)),
                }
            }
            match found.is_empty() {
                true => Err(errors.to_string()),
                false => Ok(Compiled::Errors(found)),
            }
        }
        Err(other) => Err(other.to_string()),
    }
}

/// Runs compiled tests. Returns those that behave otherwise than predicted, by their index.
fn run(
    subject: &Subject,
    jvm: &Jvm,
    sandbox: &Sandbox,
    files: &[File],
    tests: &[UnitTest],
    runtime: &mut String,
) -> Result<Vec<(usize, String)>, String> {
    let report = jvm.folder.join("report");
    let mut order: Vec<(usize, &str)> = Vec::new();
    for file in files {
        order.extend(file.lines.iter().map(|(test, _)| (*test, file.class.as_str())));
    }
    let mut arguments: Vec<&OsStr> = vec![report.as_os_str()];
    for (test, class) in &order {
        arguments.extend([OsStr::new(class), OsStr::new(&tests[*test].name)]);
    }
    let command = sandbox.wrap(jvm.command(DRIVER, &arguments, &[])?, jvm.folder);
    let ended = crate::run::run(command, jvm.deadline, jvm.limits).map_err(cannot("run java"))?;
    let text = crate::run::read(&report).unwrap_or_default();
    let (version, rest) = text.split_once('\n').unwrap_or_default();
    if version.is_empty() {
        return Err(ended.map_or_else(|| jvm.limits.stopped().to_string(), |ended| ended.describe()));
    }
    *runtime = version.into();
    let mut found = Vec::new();
    for (position, run) in rest.split("test\t").skip(1).enumerate() {
        let Some((number, lines)) = run.split_once('\n') else { continue };
        let number: Option<usize> = number.trim().parse().ok();
        let Some(&(test, _)) = number.and_then(|number| order.get(number)) else { continue };
        let difference = match lines.lines().next_back() {
            Some("done") => difference(subject, &tests[test], lines),
            _ if ended.is_none() => Some(format!("the test did not end: {}", jvm.limits.stopped())),
            _ => Some("the test ends the JVM".into()),
        };
        let is_again = position >= tests.len() && !found.iter().any(|(known, _)| *known == test);
        let after = if is_again { "after other tests of the same JVM, " } else { "" };
        found.extend(difference.map(|difference| (test, format!("{after}{difference}"))));
    }
    let is_incomplete = found.is_empty() && rest.matches("done\n").count() < 2 * tests.len();
    match ended {
        Some(ended) if is_incomplete => Err(ended.describe()),
        None if is_incomplete => Err(jvm.limits.stopped().into()),
        _ => Ok(found),
    }
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
