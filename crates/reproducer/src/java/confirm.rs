//! Compiles a reproducer and runs it on a JVM next to the program's own classes, in a temporary folder.

use super::Subject;
use crate::run::{cannot, read, within};
use crate::sandbox::{Sandbox, View, clear_environment};
use crate::{Confirmation, Limits, Prediction, Reproducer, Runtime};
use aback_lang_java::classpath::{OpenError, Options};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The class that runs the reproducer.
const DRIVER: &str = "aback.confirm.Driver";

/// How a JVM ended.
enum Ended {
    /// The driver wrote its report.
    Told(Report),
    /// The JVM ended before the driver wrote a report.
    Early(crate::run::Ended),
    /// The JVM was stopped at the time limit, or by the user.
    Stopped(&'static str),
}

/// The report of a driver.
#[derive(Default)]
pub(super) struct Report {
    pub(super) runtime: String,
    pub(super) exception: Option<String>,
    /// Classes, methods and lines of the stack trace, innermost first; unknown lines are negative.
    pub(super) trace: Vec<(String, String, i64)>,
}

/// Compiles and runs a reproducer, and compares the outcome with the prediction.
pub(crate) fn confirm(
    subject: &Subject,
    reproducer: &Reproducer,
    prediction: &Prediction,
    limits: &Limits,
) -> Confirmation {
    attempt(subject, reproducer, prediction, limits).unwrap_or_else(|reason| Confirmation::NotRun { reason })
}

fn attempt(
    subject: &Subject,
    reproducer: &Reproducer,
    prediction: &Prediction,
    limits: &Limits,
) -> Result<Confirmation, String> {
    let deadline = Instant::now().checked_add(limits.time);
    let sandbox = Sandbox::of(limits.sandbox)?;
    let classpath = subject.java.classpath();
    let java = classpath.java().ok_or("the JDK has no `java`")?;
    let folder = tempfile::Builder::new().prefix("aback-confirm-").tempdir().map_err(cannot("make a folder"))?;
    let (users, sources) = (within(folder.path(), "program")?, within(folder.path(), "sources")?);
    let (compiled, work) = (within(folder.path(), "compiled")?, within(folder.path(), "work")?);
    let class_path = classpath.export(&users).map_err(cannot("copy the program's classes"))?;
    let mut files = vec![("Driver.java".to_string(), include_str!("../../java/Driver.java").to_string())];
    files.extend(reproducer.program.iter().cloned());
    let mut paths = Vec::new();
    for (name, text) in files {
        let path = sources.join(name);
        std::fs::write(&path, text).map_err(cannot("write the reproducer"))?;
        paths.push(path);
    }
    let options = Options { deadline, interrupt: Some(limits.interrupt), ..Options::default() };
    let classes = classpath.compile(&paths, &class_path, &compiled, &options).map_err(|error| match error {
        OpenError::Stopped => limits.stopped().into(),
        OpenError::Compile(errors) => {
            format!(
                "the reproducer does not compile: {}",
                errors.messages.first().map_or("", |first| first.text.as_str())
            )
        }
        other => other.to_string(),
    })?;
    let class_path = std::iter::once(classes).chain(class_path).collect();
    let jvm = Jvm {
        java,
        folder: folder.path(),
        work: &work,
        class_path,
        options: &reproducer.options,
        deadline,
        limits,
        sandbox: &sandbox,
    };
    let runtime = |name: &str| Runtime { name: name.into(), isolation: sandbox.isolation() };
    let report = match jvm.reproduce(reproducer, &[])? {
        Ended::Told(report) => report,
        Ended::Stopped(why) => return Err(why.into()),
        Ended::Early(ended) if ended.said.contains("OutOfMemoryError") => {
            return Err(format!("the JVM ran out of memory ({})", ended.status));
        }
        // The program may end the JVM after it has caught the error.
        Ended::Early(ended) => {
            let runtime = runtime("java");
            return Ok(match prediction.is_assertion && jvm.throws_inside(subject, reproducer, prediction)? {
                true => Confirmation::Confirmed { runtime },
                false => Confirmation::Differs { runtime, found: ended.describe() },
            });
        }
    };
    let runtime = runtime(&report.runtime);
    match compare(subject, prediction, &report) {
        Ok(()) => Ok(Confirmation::Confirmed { runtime }),
        Err(_) if report.exception.as_deref() == Some("java.lang.OutOfMemoryError") => {
            Err(format!("{} MB of memory are too little for the JVM", limits.memory))
        }
        Err(_) if prediction.is_assertion && jvm.throws_inside(subject, reproducer, prediction)? => {
            Ok(Confirmation::Confirmed { runtime })
        }
        Err(found) if prediction.uncontrolled.is_empty() => Ok(Confirmation::Differs { runtime, found }),
        Err(found) => {
            let others = prediction.uncontrolled.join(", ");
            Ok(Confirmation::Differs { runtime, found: format!("{found}; that may depend on {others}") })
        }
    }
}

/// Checks whether a run ended as predicted; if not, returns how it ended.
pub(super) fn compare(subject: &Subject, prediction: &Prediction, report: &Report) -> Result<(), String> {
    let program = subject.program;
    let Some(exception) = &report.exception else { return Err("the program ends without an exception".into()) };
    let users = |class: &str| subject.java.classpath().user_classes().any(|name| name.replace('/', ".") == class);
    let frame = report.trace.iter().find(|(class, ..)| users(class));
    let thrown = || match frame {
        Some((class, method, line)) => format!("{exception} is thrown at {class}.{method}, line {line}"),
        None => format!("{exception} is thrown outside of the program's own code"),
    };
    if Some(exception) != prediction.exception.as_ref() {
        return Err(thrown());
    }
    let (Some(place), Some(method)) = (prediction.place, prediction.method) else { return Ok(()) };
    let class = program.class_name(program.method(method).class);
    match frame {
        Some((found, _, line)) if found == class && *line == i64::from(place.line) => Ok(()),
        // Exceptions without a stack trace exist.
        None if report.trace.is_empty() => Ok(()),
        _ => Err(thrown()),
    }
}

/// A JVM for runs that only their arguments influence.
pub(super) struct Jvm<'a> {
    pub(super) java: PathBuf,
    /// The temporary folder with the compiled reproducer.
    pub(super) folder: &'a Path,
    /// The folder within it in which the JVM runs.
    pub(super) work: &'a Path,
    pub(super) class_path: Vec<PathBuf>,
    pub(super) options: &'a [String],
    pub(super) deadline: Option<Instant>,
    pub(super) limits: &'a Limits<'a>,
    pub(super) sandbox: &'a Sandbox,
}

impl Jvm<'_> {
    /// Runs a class. Returns `None` if the JVM had to be stopped.
    ///
    /// # Errors
    /// It cannot be run.
    pub(super) fn run(
        &self,
        class: &str,
        arguments: &[&OsStr],
        further: &[OsString],
    ) -> Result<Option<crate::run::Ended>, String> {
        let class_path = std::env::join_paths(&self.class_path).map_err(|error| format!("cannot run java: {error}"))?;
        let options = self.options.iter().flat_map(|option| option.split(' '));
        let java = std::path::absolute(&self.java).map_err(cannot("run java"))?;
        let mut command = Command::new(&java);
        command
            .args(["-ea", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-OmitStackTraceInFastThrow"])
            .args(["-Duser.language=en", "-Duser.country=US"])
            .arg(format!("-Xmx{}m", self.limits.memory))
            .args(options)
            .args(further)
            .arg("-cp")
            .arg(class_path)
            .arg(class)
            .args(arguments);
        let mut readable = self.class_path.clone();
        // The JDK is where its `bin` is.
        readable.extend(java.ancestors().nth(2).map(Path::to_path_buf));
        let mut command = self.sandbox.wrap(command, View { folder: self.folder, work: self.work, readable })?;
        command.current_dir(self.work);
        clear_environment(&mut command);
        self.sandbox.run(command, self.deadline, self.limits)
    }

    fn reproduce(&self, reproducer: &Reproducer, further: &[OsString]) -> Result<Ended, String> {
        let report = self.work.join("report");
        let Some(ended) = self.run(DRIVER, &[report.as_os_str(), reproducer.class.as_ref()], further)? else {
            return Ok(Ended::Stopped(self.limits.stopped()));
        };
        let told = read(&report).ok().and_then(|text| parse(&text));
        Ok(told.map_or_else(|| Ended::Early(ended), Ended::Told))
    }

    /// Whether an assertion is false at the predicted line, even if the program catches the error, or if the message
    /// throws another exception: the JVM logs all exceptions, with each method that they leave.
    fn throws_inside(
        &self,
        subject: &Subject,
        reproducer: &Reproducer,
        prediction: &Prediction,
    ) -> Result<bool, String> {
        let (Some(place), Some(method)) = (prediction.place, prediction.method) else { return Ok(false) };
        let log = self.work.join("exceptions");
        let mut option = OsString::from("-Xlog:exceptions=info:file=");
        option.push(&log);
        option.push("::filecount=1,filesize=64m");
        match self.reproduce(reproducer, &["-Xint".into(), option])? {
            Ended::Stopped(why) => return Err(why.into()),
            Ended::Told(_) | Ended::Early(_) => {}
        }
        let text = read(&log).map_err(cannot("read the log of the JVM"))?;
        let program = subject.program;
        let declared = program.method(method);
        let class = program.class_name(declared.class);
        // Exception <a 'java/lang/AssertionError'{0x…}>
        //  thrown in interpreter method <{method} {0x…} 'main' '()V' in 'a/Main'> at bci 12 for thread …
        let (name, class) = (format!(" '{}' ", declared.name), format!(" in '{}'>", class.replace('.', "/")));
        let lines = text.split("Exception <").filter_map(|event| {
            let (event, _) = event.split_once(" for thread ")?;
            let is_here = event.contains(&name) && event.contains(&class);
            let byte = event.rsplit_once("at bci ")?.1.trim().parse().ok()?;
            subject.java.line_of_error(program, method, byte).filter(|_| is_here)
        });
        Ok(lines.into_iter().any(|line| line == place.line))
    }
}

/// Parses the report of the driver; `None` if the report is incomplete.
fn parse(text: &str) -> Option<Report> {
    let mut lines = text.lines().collect::<Vec<_>>();
    (lines.pop()? == "end").then_some(())?;
    let (runtime, rest) = lines.split_first()?;
    Some(Report {
        runtime: runtime.to_string(),
        exception: rest.first().map(ToString::to_string),
        trace: rest.iter().skip(1).filter_map(|line| frame(line)).collect(),
    })
}

/// Parses a line of a stack trace.
pub(super) fn frame(line: &str) -> Option<(String, String, i64)> {
    let mut parts = line.split('\t');
    Some((parts.next()?.to_string(), parts.next()?.to_string(), parts.next()?.parse().ok()?))
}
