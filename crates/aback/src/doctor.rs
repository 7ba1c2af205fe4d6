//! Says which tools aback finds on this machine, and what it needs them for.

use crate::args::DoctorArgs;
use crate::commands::{platform_of, print};
use aback_core::{FoundTool, Tool, tools};
use aback_smt::{SolverProgram, solver_programs, z3_library, z3_version};
use serde::Serialize;
use std::path::PathBuf;

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    aback: &'static str,
    tools: Vec<Entry<'a>>,
}

/// A tool in the document.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    purpose: &'a str,
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'a str>,
}

/// Prints what is found. That something is missing is no failure: programs in OOX need nothing else, and without Z3, aback
/// does not start.
pub fn run_doctor(args: &DoctorArgs) -> anyhow::Result<u8> {
    let found = all(args);
    let aback = env!("CARGO_PKG_VERSION");
    if args.json {
        let document = Document { aback, tools: found.iter().map(entry).collect() };
        print(&serde_json::to_string_pretty(&document)?)?;
    } else {
        let lines: Vec<String> = found.iter().map(line).collect();
        print(&format!("aback {aback}\n{}", lines.join("\n")))?;
    }
    Ok(0)
}

/// All tools: the library of Z3 first, then those of the languages, of projects, and other solvers.
fn all(args: &DoctorArgs) -> Vec<Tool> {
    let mut all = vec![z3()];
    all.extend(tools(|language| platform_of(language, &args.java_home, &args.dotnet_root)));
    all.extend(aback_project::repositories().map(repository));
    all.extend(solver_programs().into_iter().map(solver));
    all
}

fn z3() -> Tool {
    // It is there, because the program would not run without it.
    let path = z3_library().unwrap_or_else(|| PathBuf::from("in this process"));
    let found = Ok(FoundTool { version: Some(z3_version()), path });
    Tool { name: "Z3 library", purpose: "all questions", found }
}

/// The folder in which a build tool keeps libraries.
fn repository((of, folder): (&'static str, Option<PathBuf>)) -> Tool {
    let (name, purpose, advice) = match of {
        "Maven" => (
            "Maven's repository",
            "libraries of Maven projects",
            "there is no ~/.m2/repository; `mvn compile` in a project makes it",
        ),
        _ => (
            "Gradle's cache",
            "libraries of Gradle projects",
            "there is no ~/.gradle/caches; `gradle classes` in a project makes it",
        ),
    };
    let found = folder.map(|path| FoundTool { version: None, path });
    Tool { name, purpose, found: found.ok_or_else(|| advice.into()) }
}

/// A solver that runs as a process.
fn solver(program: SolverProgram) -> Tool {
    let SolverProgram { name, path, version } = program;
    let how = match name {
        "z3" => "on Debian and Ubuntu, apt-get install z3",
        "cvc5" => "on Debian and Ubuntu, apt-get install cvc5",
        "yices-smt2" => "see https://yices.csl.sri.com",
        _ => "see https://bitwuzla.github.io",
    };
    let found = path.map(|path| FoundTool { version, path });
    Tool { name, purpose: "--solver", found: found.ok_or_else(|| format!("there is none on PATH: {how}")) }
}

/// A tool on one line.
fn line(tool: &Tool) -> String {
    let Tool { name, purpose, found } = tool;
    match found {
        Ok(FoundTool { version, path }) => {
            let version = version.as_ref().map_or(String::new(), |version| format!(" {version}"));
            format!("found    {name}{version}, for {purpose}: {}", path.display())
        }
        Err(missing) => format!("missing  {name}, for {purpose}: {missing}"),
    }
}

fn entry(tool: &Tool) -> Entry<'_> {
    let found = tool.found.as_ref();
    Entry {
        name: tool.name,
        purpose: tool.purpose,
        found: found.is_ok(),
        version: found.ok().and_then(|found| found.version.as_deref()),
        path: found.ok().map(|found| found.path.display().to_string()),
        missing: found.err().map(String::as_str),
    }
}
