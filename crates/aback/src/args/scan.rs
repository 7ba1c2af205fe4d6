//! The options of scans and of their workers.

use super::{CheckArgs, InputsArg, ProgramArgs, count, seconds};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `scan`.
#[derive(Args, Debug)]
pub struct ScanArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// Uncaught exceptions are violations, too; in OOX they always are
    #[arg(long, help_heading = "Question")]
    pub traps: bool,
    /// Only entry points whose names fit a pattern, as in 'com.acme.*', or which have an annotation or attribute that does, as in
    /// '@GetMapping'; may be given several times
    #[arg(long, value_name = "PATTERN", help_heading = "Question")]
    pub entry: Vec<String>,
    /// Only entry points whose executions may run methods with lines that differ from a revision of git
    #[arg(long, value_name = "REVISION", allow_hyphen_values = true, help_heading = "Question")]
    pub changed_since: Option<String>,
    /// Ask about the warnings of another tool, from its SARIF file, instead of about entry points: can null be dereferenced, a
    /// number be divided by zero, an index be out of bounds, a cast fail or the size of an array be negative there, or can control get there?
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["entry", "changed_since", "shard", "collect", "known", "html", "junit", "json_lines"],
        help_heading = "Question"
    )]
    pub questions: Option<PathBuf>,
    /// Which methods are entry points
    #[arg(long, value_enum, value_name = "WHICH", default_value = "public", help_heading = "Question")]
    pub entry_visibility: VisibilityArg,
    /// Which objects inputs may have; findings with others are left out
    #[arg(long, value_enum, value_name = "WHICH", default_value = "constructible", help_heading = "Question")]
    pub inputs: InputsArg,
    /// Do not trust declarations such as @NonNull, and also show exceptions by which methods refuse their arguments, such
    /// as IllegalArgumentException
    #[arg(long, help_heading = "Question")]
    pub no_trust: bool,
    /// Places at which an entry point is shown to fail, after which no others are looked for
    #[arg(long, value_name = "N", default_value = "10", value_parser = count, help_heading = "Question")]
    pub violations: NonZeroUsize,
    /// Also run the counterexamples that may be shown on the runtime of their language (JVM, .NET), in a sandbox where bubblewrap
    /// works, and report whether they happen there
    #[arg(long, help_heading = "Question")]
    pub confirm: bool,
    /// Time limit for a question, after tries of 1 and 10 seconds [default: 10, with --budget 60]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        allow_negative_numbers = true,
        help_heading = "Bounds"
    )]
    pub timeout: Option<Duration>,
    /// Time limit for the scan; the next scan goes on where it was [default: no limit]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        allow_negative_numbers = true,
        help_heading = "Bounds"
    )]
    pub budget: Option<Duration>,
    /// Ask only about each Nth entry point, beginning with number K: one of N scans on as many machines
    #[arg(long, value_name = "K/N", value_parser = shard, help_heading = "Bounds")]
    pub shard: Option<Shard>,
    /// Number of processes that look for answers [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Bounds")]
    pub jobs: Option<NonZeroUsize>,
    /// Keep the answers in this folder
    #[arg(long, value_name = "DIR", default_value = ".aback-scan", help_heading = "Output")]
    pub out: PathBuf,
    /// Ask nothing, and take the answers of other scans of the program from this folder, the --out of such a scan; may be
    /// given several times
    #[arg(long, value_name = "DIR", conflicts_with_all = ["shard", "budget"], help_heading = "Output")]
    pub collect: Vec<PathBuf>,
    /// Write the findings to a SARIF file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,
    /// Write the findings as a page for a browser, with the paths of their counterexamples through the sources
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// With --html: ask once more about each finding, and write a page that replays its execution, to which the page links
    #[arg(long, requires = "html", help_heading = "Output")]
    pub replays: bool,
    /// Write a report in the form of JUnit, with a test for each entry point
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Write the findings to a file, one JSON document for each on a line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json_lines: Option<PathBuf>,
    /// Hide the findings of an earlier scan: its SARIF file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub known: Option<PathBuf>,
    /// The exit status is 3 if there are no findings and something is unknown, also because the search ended at --violations; with
    /// --questions, if no warning is confirmed and one is neither confirmed nor refuted
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
    /// Further options for each question, those of `check`, after `--`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// A part of the questions of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Its number, from 1.
    pub number: usize,
    /// The number of parts.
    pub of: usize,
}

fn shard(text: &str) -> Result<Shard, String> {
    let parsed = || {
        let (number, of) = text.split_once('/')?;
        Some(Shard { number: number.parse().ok()?, of: of.parse().ok()? })
    };
    parsed()
        .filter(|shard| (1..=shard.of).contains(&shard.number))
        .ok_or_else(|| "a part is a number from 1, and the number of parts, as in 3/16".into())
}

/// See [`aback_core::Visibility`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum VisibilityArg {
    /// Public methods of public types, and main methods
    Public,
    /// All methods that are not private
    Package,
    /// All methods
    Private,
}

/// Options of `worker`.
#[derive(Args, Debug)]
pub struct WorkerArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub check: CheckArgs,
    /// Begin with a list of the entry points that are visible there
    #[arg(long, value_enum)]
    pub list: Option<VisibilityArg>,
    /// Tell in the list which of them may run lines that differ from a revision of git
    #[arg(long, requires = "list", allow_hyphen_values = true)]
    pub changed_since: Option<String>,
}
