//! Runs a counterexample on the .NET whose class library was read, in a temporary folder.
//!
//! A driver runs either a compiled reproducer or a description of the call. It records which assertions fail, because a
//! false `Debug.Assert` does not end a method, and the exception that leaves the entry point.

use super::description::describe;
use super::dotnet::{Dotnet, Frame, file_name};
use super::plan::Plan;
use crate::run::{Ended, cannot, read, within};
use crate::sandbox::Sandbox;
use crate::{Confirmation, Limits, Prediction, Reproducer, Runtime};
use aback_frontend::LoadError;
use aback_ir::{Program, Span};
use aback_lang_csharp::CsOrigin;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The driver, which `csharp/driver/build.sh` compiles.
const DRIVER: &[u8] = include_bytes!("../../csharp/driver/driver.dll");
/// The name of the assembly of a compiled reproducer.
const ASSEMBLY: &str = "Aback.Reproducer";
/// Most failed assertions that throw an exception to get their line, each in a run of its own.
const MOST_PROBES: usize = 16;
/// The exception of a program that needs more memory than it may have.
const OUT_OF_MEMORY: &str = "System.OutOfMemoryException";

/// A counterexample with what its run needs.
pub(crate) struct Run<'a> {
    pub(crate) origin: &'a CsOrigin,
    pub(crate) program: &'a Program,
    pub(crate) prediction: &'a Prediction,
    pub(crate) limits: &'a Limits<'a>,
}

/// What the driver runs.
enum Task {
    /// An assembly with a class that has a method `Run`.
    Program(PathBuf, String),
    /// A file with a description.
    Description(PathBuf),
}

/// The report of the driver.
#[derive(Default)]
struct Report {
    runtime: String,
    /// The number of each failed assertion in the run, and its innermost user's frame.
    assertions: Vec<(u32, Option<Frame>)>,
    exception: Option<(String, Option<Frame>)>,
    /// The reason why the driver could not call the entry point.
    error: Option<String>,
    is_complete: bool,
}

impl Run<'_> {
    /// Compiles a reproducer and runs it.
    ///
    /// # Errors
    /// The reason why the reproducer could not be run.
    pub(crate) fn compiled(&self, reproducer: &Reproducer) -> Result<Confirmation, String> {
        let deadline = Instant::now().checked_add(self.limits.time);
        let folder = folder()?;
        let (sources, work) = (within(folder.path(), "sources")?, within(folder.path(), "work")?);
        let mut paths = Vec::new();
        for (name, text) in &reproducer.program {
            let path = sources.join(name);
            std::fs::write(&path, text).map_err(cannot("write the reproducer"))?;
            paths.push(path);
        }
        let compiled = self.origin.compile(ASSEMBLY, &paths, &[], &work, deadline, self.limits.interrupt);
        let assembly = compiled.map_err(|error| match error {
            LoadError::Stopped => self.limits.stopped().into(),
            LoadError::Invalid { diagnostics, .. } => {
                let first = diagnostics.first().map_or("", |first| first.message.as_str());
                format!("the reproducer does not compile: {first}")
            }
            other => other.to_string(),
        })?;
        let assembly = assembly.ok_or("the .NET that was found has no compiler")?;
        self.run(folder.path(), deadline, &Task::Program(assembly, reproducer.class.clone()))
    }

    /// Makes the objects of a plan by reflection and calls the entry point.
    ///
    /// # Errors
    /// The reason why the entry point could not be called.
    pub(crate) fn described(&self, plan: &Plan) -> Result<Confirmation, String> {
        let deadline = Instant::now().checked_add(self.limits.time);
        let folder = folder()?;
        let text = describe(plan).map_err(|reason| reason.to_string())?;
        let path = folder.path().join("description");
        std::fs::write(&path, text).map_err(cannot("write the description of the call"))?;
        self.run(folder.path(), deadline, &Task::Description(path))
    }

    fn run(&self, folder: &Path, deadline: Option<Instant>, task: &Task) -> Result<Confirmation, String> {
        let sandbox = Sandbox::of(self.limits.sandbox)?;
        let empty = within(folder, "empty")?;
        let dotnet =
            Dotnet { origin: self.origin, folder, work: &empty, deadline, limits: self.limits, sandbox: &sandbox };
        let report_file = empty.join("report");
        let attempt = |probed: u32| {
            let ended = self.drive(&dotnet, task, &report_file, probed)?;
            Ok::<_, String>((ended, self.report(&read(&report_file).unwrap_or_default())))
        };
        let (ended, mut report) = attempt(0)?;
        if report.runtime.is_empty() {
            report.runtime = ".NET".into();
        }
        let too_little = || format!("{} MB of memory are too little for .NET", self.limits.memory);
        if let Some(error) = report.error {
            if error.starts_with("OutOfMemoryException") {
                return Err(too_little());
            }
            return Err(format!("the driver cannot run it: {error}"));
        }
        let runtime = Runtime { name: report.runtime.clone(), isolation: sandbox.isolation() };
        let found = match self.compare(&report) {
            Ok(()) => return Ok(Confirmation::Confirmed { runtime }),
            Err(found) => found,
        };
        // A stack trace has the line of the `try` block for an assertion in a handler, except the trace of an exception.
        if self.prediction.is_assertion {
            for &(number, _) in report.assertions.iter().take(MOST_PROBES) {
                let (ended, probed) = attempt(number)?;
                if ended.is_some() && self.compare(&probed).is_ok() {
                    return Ok(Confirmation::Confirmed { runtime });
                }
            }
        }
        let is_out_of_memory = report.exception.as_ref().is_some_and(|(class, _)| class == OUT_OF_MEMORY);
        match ended {
            None => Err(self.limits.stopped().into()),
            _ if is_out_of_memory => Err(too_little()),
            Some(ended) if !report.is_complete => early(&ended, runtime),
            Some(_) if self.prediction.uncontrolled.is_empty() => Ok(Confirmation::Differs { runtime, found }),
            Some(_) => {
                let others = self.prediction.uncontrolled.join(", ");
                Ok(Confirmation::Differs { runtime, found: format!("{found}; that may depend on {others}") })
            }
        }
    }

    /// Runs the driver, which writes a report. With a number, that failed assertion throws an exception.
    fn drive(&self, dotnet: &Dotnet, task: &Task, report: &Path, probed: u32) -> Result<Option<Ended>, String> {
        let driver = dotnet.folder.join("driver.dll");
        std::fs::write(&driver, DRIVER).map_err(cannot("write the driver"))?;
        let (stop_file, stop_line) = match self.prediction.place {
            Some(place) if self.prediction.is_assertion => (file_name(self.program, place), place.line.to_string()),
            _ => Default::default(),
        };
        let probed = probed.to_string();
        let (way, file, class) = match task {
            Task::Program(assembly, class) => ("run", assembly, class.as_str()),
            Task::Description(path) => ("call", path, ""),
        };
        let texts = [&stop_file, &stop_line, &probed, way].map(OsStr::new);
        let arguments: Vec<&OsStr> =
            [report.as_os_str()].into_iter().chain(texts).chain([file.as_os_str(), class.as_ref()]).collect();
        dotnet.run(&driver, &arguments, &[], dotnet.folder)
    }

    /// Checks whether a run ended as predicted; if not, returns how it ended.
    fn compare(&self, report: &Report) -> Result<(), String> {
        let prediction = self.prediction;
        if prediction.is_assertion {
            let is_there = |frame: &Option<Frame>| self.is_at(frame.as_ref(), prediction.place);
            if report.assertions.iter().any(|(_, frame)| is_there(frame)) {
                return Ok(());
            }
        } else if let Some((exception, frame)) = &report.exception
            && Some(exception) == prediction.exception.as_ref()
        {
            let is_there = |place: Option<Span>| place.is_some() && self.is_at(frame.as_ref(), place);
            if prediction.place.is_none() || is_there(prediction.place) || is_there(prediction.again) {
                return Ok(());
            }
        }
        Err(report.describe())
    }

    /// Whether a frame is at a line.
    fn is_at(&self, frame: Option<&Frame>, place: Option<Span>) -> bool {
        let prediction = self.prediction;
        frame.is_some_and(|frame| frame.is_at(self.program, place, prediction.method, prediction.is_assertion))
    }

    /// Parses the report of the driver, which may be incomplete.
    fn report(&self, text: &str) -> Report {
        let mut report = Report::default();
        let mut in_exception = false;
        for line in text.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            match parts[..] {
                ["runtime", name] => report.runtime = name.into(),
                ["error", text] => report.error = Some(text.into()),
                ["assert", number] => {
                    in_exception = false;
                    report.assertions.push((number.parse().unwrap_or(0), None));
                }
                ["throw", class] => {
                    in_exception = true;
                    report.exception = Some((class.into(), None));
                }
                ["at", ..] => {
                    let innermost = match in_exception {
                        true => report.exception.as_mut().map(|(_, frame)| frame),
                        false => report.assertions.last_mut().map(|(_, frame)| frame),
                    };
                    if let Some(innermost) = innermost {
                        *innermost = innermost.take().or_else(|| Frame::parse(self.origin, line));
                    }
                }
                ["end"] => report.is_complete = true,
                _ => {}
            }
        }
        report
    }
}

impl Report {
    /// What happened, in words.
    fn describe(&self) -> String {
        let mut failed: Vec<String> =
            self.assertions.iter().filter_map(|(_, frame)| frame.as_ref()).map(Frame::show).collect();
        failed.dedup();
        let failed = match failed.len() {
            0 => String::new(),
            _ => format!("an assertion is false at {}, and ", failed.join(", ")),
        };
        match &self.exception {
            None => format!("{failed}the program ends without an exception"),
            Some((class, Some(frame))) => format!("{failed}{class} is thrown at {}", frame.show()),
            Some((class, None)) => format!("{failed}{class} is thrown outside of the program's own code"),
        }
    }
}

/// The result of a run that ended before the report was complete.
fn early(ended: &Ended, runtime: Runtime) -> Result<Confirmation, String> {
    let said = |text: &str| ended.said.contains(text);
    if said("Out of memory") || said("OutOfMemoryException") || said("GC heap initialization failed") {
        return Err(format!(".NET ran out of memory ({})", ended.status));
    }
    if said("Stack overflow") {
        return Err("the recursion is too deep for the stack of .NET".into());
    }
    Ok(Confirmation::Differs { runtime, found: ended.describe() })
}

fn folder() -> Result<tempfile::TempDir, String> {
    tempfile::Builder::new().prefix("aback-confirm-").tempdir().map_err(cannot("make a folder"))
}
