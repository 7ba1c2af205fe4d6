//! Defines the command line.

mod engine;
mod scan;

pub use engine::{
    BackwardArg, CacheArg, ChoicesArg, EncodingArg, EngineArg, EngineArgs, HeapArg, LoopConditionsArg, LoopsArg,
    MergeArg, SearchArg, SetsArg, SubsumeArg,
};
pub use scan::{ScanArgs, Shard, VisibilityArg, WorkerArgs};

use aback_core::{Checked, Line, Preconditions, Sandboxing, Spot, ValidInputs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  aback check examples/java/Account.java            can an assertion of the program be false?
  aback check src --entry Bank.transfer --traps     or can an exception leave this method?
  aback check src --at Account.oox:17               can this line's assertion fail?
  aback check src --witness found.json              keep the counterexample; then follow it:
  aback replay found.json
  aback show cfg src --method Account.withdraw | dot -Tsvg > cfg.svg
  aback bench tasks/all.set --timeout 10 --jobs 2 --out results

Exit status: 0 holds, 1 violated, 2 bad usage or bad input, 3 holds within bounds or unknown.";

/// Answers questions about single lines of object-oriented programs: can this assertion fail, and with which input?
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// The command
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check whether an assertion can be false, or an exception can stay uncaught
    Check(Box<CheckArgs>),
    /// Check whether a line can be reached, and with which input
    #[command(mut_arg("at", |at| at.required(true).help("The line, as Main.java:42")), mut_arg("null", |null| null.hide(true)))]
    Reach(Box<CheckArgs>),
    /// Show what an execution that reaches a line satisfies, whatever the numbers of iterations of loops, and whether there is one
    #[command(mut_arg("at", |at| at.required(true).help("The line, as Main.java:42")), mut_arg("null", |null| null.hide(true)))]
    Condition(Box<ConditionArgs>),
    /// Go back from a line by hand: where control comes from, what must hold there, and whether an execution goes this way
    #[command(mut_arg("at", |at| at.required(true).help("The line, as Main.java:42")), mut_arg("null", |null| null.hide(true)))]
    Back(Box<BackArgs>),
    /// List the behaviours of a method: the end of each path, with inputs that lead to it
    Explore(ExploreArgs),
    /// Follow a counterexample step by step
    Replay(ReplayArgs),
    /// Check whether the counterexample in a file happens on the runtime of its language
    Confirm(ConfirmArgs),
    /// Show aback's view of a program
    Show(ShowArgs),
    /// Run task sets in SV-COMP format and score the answers
    Bench(BenchArgs),
    /// Ask all questions of a project: can an assertion, or with --traps any code, fail from any of its entry points?
    Scan(ScanArgs),
    /// Serve an editor: answer questions about the line at the cursor, and show what can fail
    Lsp,
    /// Serve the debugger of an editor: replay a counterexample, forward and backward
    Dap,
    /// Answer the questions of a scan, one after the other
    #[command(hide = true)]
    Worker(Box<WorkerArgs>),
    /// Show which compilers, class libraries and solvers are found on this machine, and what needs them
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, one for each command, to a folder
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// Options of `condition`.
#[derive(Args, Debug)]
pub struct ConditionArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub check: CheckArgs,
    /// Print the conditions as SMT-LIB, a script for each way, with all instances of the conditions of loops that were
    /// looked at
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub smt: bool,
}

/// Options of `back`.
#[derive(Args, Debug)]
pub struct BackArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub check: CheckArgs,
    /// Go back from what fails at the line, not from its beginning
    #[arg(long, help_heading = "Question")]
    pub fails: bool,
}

/// Options of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// Only violations at this line count
    #[arg(long, value_name = "FILE:LINE", help_heading = "Question")]
    pub at: Option<Line>,
    /// Asks whether a reference can be null whose object is used at this line, or at this column of it
    #[arg(
        long,
        value_name = "FILE:LINE[:COLUMN]",
        help_heading = "Question",
        conflicts_with_all = ["at", "traps", "property"]
    )]
    pub null: Option<Spot>,
    /// The method where execution starts, with any input; overloaded methods need types: 'A.m(int)' [default: the
    /// main method]
    #[arg(long, value_name = "CLASS.METHOD", help_heading = "Question")]
    pub entry: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub assumed: AssumeArgs,
    /// Uncaught exceptions are violations, too; in OOX they always are
    #[arg(long, help_heading = "Question", conflicts_with = "property")]
    pub traps: bool,
    /// Invariants of the input heap, in the language HEX (see docs/hex.md)
    #[arg(long, value_name = "FILE", help_heading = "Question", conflicts_with = "double_check")]
    pub invariants: Option<PathBuf>,
    /// Decides invariants by bounded model finding, with at most N objects, instead of incrementally
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Question", requires = "invariants")]
    pub scope: Option<NonZeroUsize>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub valid: ValidArgs,
    /// Which objects inputs may have; violations with others do not count
    #[arg(long, value_enum, value_name = "WHICH", default_value = "any", help_heading = "Question")]
    pub inputs: InputsArg,
    /// Calls of this method are assertions of its first boolean parameter, and do not run it; may be given several times
    #[arg(long, value_name = "CLASS.METHOD", help_heading = "Question")]
    pub assert_method: Vec<String>,
    /// An SV-COMP property file: assertions, `LTL(G assert)`, or `LTL(G ! uncaught(CLASS))`
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub property: Option<PathBuf>,
    /// Number of counterexamples to look for, each on another path; --timeout ends the search if there are fewer
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, help_heading = "Question")]
    pub counterexamples: NonZeroUsize,
    /// Let the other engine check each proof, within the time limit
    #[arg(long, help_heading = "Question")]
    pub double_check: bool,
    /// Time limit for the answer [default: no limit]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        allow_negative_numbers = true,
        help_heading = "Bounds"
    )]
    pub timeout: Option<Duration>,
    /// Memory limit of the process [default: no limit]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, help_heading = "Bounds")]
    pub memory: Option<u64>,
    /// Most operations of each engine for each entry point, so that answers do not depend on the speed of the machine
    /// [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub max_operations: Option<u64>,
    /// Forward: most operations on one path; longer paths are given up [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub depth: Option<u64>,
    /// Most nested calls, that of the entry point included; deeper ones are given up [default: no limit]
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Bounds")]
    pub call_depth: Option<NonZeroUsize>,
    /// Most elements of each array in inputs [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub array_length: Option<u32>,
    /// Most objects in inputs [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub input_objects: Option<u32>,
    /// Java: most characters of input strings [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub string_length: Option<u32>,
    /// Java, C#: most elements of collections in inputs
    #[arg(long, value_name = "N", default_value = "3", help_heading = "Bounds")]
    pub collection_size: u32,
    /// Java: `unbounded` leaves out executions in which an integer of the program overflows; OOX: `machine` gives
    /// integers 32 bits [default: machine; OOX: unbounded]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Bounds")]
    pub ints: Option<IntsArg>,
    /// Java: the values of static fields that other methods write, at an entry point that is not the main method
    #[arg(long, value_enum, value_name = "WHAT", default_value = "initialized", help_heading = "Bounds")]
    pub statics: StaticsArg,
    /// Java: whether there are classes other than those of the program and of its libraries
    #[arg(long, value_enum, value_name = "WORLD", default_value = "closed", help_heading = "Bounds")]
    pub world: WorldArg,
    /// Write the counterexample to a file, for `aback replay` and for tools (see docs/witness.md)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
    /// Print one JSON object on standard output (see docs/cli.md), and nothing on standard error
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the whole path, the whole text of inputs, and all warnings
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Also print the program's output before a violation
    #[arg(long, help_heading = "Output")]
    pub show_output: bool,
    /// Print counters of the engine and of the solver's stages
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// When to use colours; `auto` respects NO_COLOR in the environment
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub engine: EngineArgs,
}

/// Options of `explore`.
#[derive(Args, Debug)]
pub struct ExploreArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// The method where execution starts, with any input; overloaded methods need types: 'A.m(int)' [default: the
    /// main method]
    #[arg(long, value_name = "CLASS.METHOD")]
    pub entry: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub assumed: AssumeArgs,
    /// Invariants of the input heap, in the language HEX (see docs/hex.md)
    #[arg(long, value_name = "FILE")]
    pub invariants: Option<PathBuf>,
    /// Decides invariants by bounded model finding, with at most N objects, instead of incrementally
    #[arg(long, value_name = "N", value_parser = count, requires = "invariants")]
    pub scope: Option<NonZeroUsize>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub valid: ValidArgs,
    /// Which objects inputs may have [default: any; with --tests, and without other restrictions, constructible]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub inputs: Option<InputsArg>,
    /// The symbolic heap; with invariants `lazy` or `symbolic` [default: lazy; for constructible inputs combined]
    #[arg(long, value_enum, value_name = "HEAP")]
    pub heap: Option<HeapArg>,
    /// How lines that no behaviour reaches are looked for behind loops, in a quarter of the time: not at all, or by what all
    /// iterations imply [default: light; off with --max-operations, --invariants and --valid-inputs]
    #[arg(long, value_enum, value_name = "HOW")]
    pub loops: Option<LoopsArg>,
    /// Most behaviours, without those that lead to lines which no other reaches
    #[arg(long, value_name = "N", default_value = "100", value_parser = count, help_heading = "Bounds")]
    pub behaviours: NonZeroUsize,
    /// Time limit [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true, help_heading = "Bounds")]
    pub timeout: Option<Duration>,
    /// Most operations, so that the list does not depend on the speed of the machine [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub max_operations: Option<u64>,
    /// Most operations on one path; longer paths are given up [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub depth: Option<u64>,
    /// Java: most characters of input strings [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub string_length: Option<u32>,
    /// Java, C#: most elements of collections in constructible inputs
    #[arg(long, value_name = "N", default_value = "3", help_heading = "Bounds")]
    pub collection_size: u32,
    /// Java, C#: write the behaviours as unit tests (JUnit, xUnit) to this folder, each after it has been run
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub tests: Option<PathBuf>,
    /// When to run them in a sandbox (bubblewrap)
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub sandbox: SandboxArg,
    /// Write the behaviours as a self-contained page for browsers, with drawings of the objects
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Print one JSON object on standard output (see docs/cli.md)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the condition of each path, too, and all warnings
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// When to use colours; `auto` respects NO_COLOR in the environment
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
}

/// What the inputs of the entry point satisfy.
#[derive(Args, Debug)]
pub struct AssumeArgs {
    /// Only inputs for which this is true, an expression of the program's language over the parameters of the entry
    /// point: 'x > 0 && list != null'; may be given several times
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, help_heading = "Question")]
    pub assume: Vec<String>,
    /// Java, C#: no input is null where its declaration excludes it, by an annotation such as @NonNull or @NullMarked or by
    /// nullable reference types
    #[arg(long, help_heading = "Question")]
    pub trust: bool,
}

impl AssumeArgs {
    /// What the inputs of this entry point satisfy.
    pub fn of(&self, entry: Option<&String>) -> Preconditions {
        Preconditions { entry: entry.cloned(), conditions: self.assume.clone() }
    }
}

/// Which inputs are valid.
#[derive(Args, Debug)]
pub struct ValidArgs {
    /// Only inputs that their own method `boolean repOk()` accepts; it runs before the entry point, or along the way on
    /// the part of the input that is known
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Question")]
    pub valid_inputs: Option<ValidArg>,
    /// The name of the methods that say whether their object is valid
    #[arg(long, value_name = "NAME", default_value = "repOk", help_heading = "Question")]
    pub valid_method: String,
}

/// See [`aback_core::Checked`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValidArg {
    /// Before the entry point
    Before,
    /// Whenever a reference of the input is found, as far as the input is known then; forward, by lazy initialization
    Along,
}

impl ValidArgs {
    /// What they ask for.
    pub fn asked(&self) -> ValidInputs {
        let checked = match self.valid_inputs {
            None => Checked::Never,
            Some(ValidArg::Before) => Checked::Before,
            Some(ValidArg::Along) => Checked::Along,
        };
        ValidInputs { method: self.valid_method.clone(), checked }
    }
}

/// Which objects inputs may have.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputsArg {
    /// All that the types of their fields allow
    Any,
    /// Java, C#: those that known constructors make
    Constructible,
}

/// Evidence of a violation, besides the answer.
#[derive(Args, Debug)]
#[command(next_help_heading = "Evidence of a violation")]
pub struct EvidenceArgs {
    /// Also run the violation on the runtime of its language (JVM, .NET), and report whether it happens there
    #[arg(long)]
    pub confirm: bool,
    /// When to run it in a sandbox (bubblewrap)
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub sandbox: SandboxArg,
    /// Java, C#: write a small program that shows the violation, and a unit test (JUnit, xUnit), to this folder
    #[arg(long, value_name = "DIR")]
    pub reproducer: Option<PathBuf>,
    /// Write the answer to this file in SARIF 2.1.0, for code hosts and editors
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Java: write an SV-COMP witness to this file: GraphML if it ends in .graphml, and otherwise YAML
    #[arg(long, value_name = "FILE")]
    pub sv_witness: Option<PathBuf>,
}

/// See [`aback_core::Sandboxing`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SandboxArg {
    /// If there is one
    Auto,
    /// Always; without one, nothing runs
    Required,
    /// Never
    Off,
}

impl From<SandboxArg> for Sandboxing {
    fn from(argument: SandboxArg) -> Self {
        match argument {
            SandboxArg::Auto => Sandboxing::Auto,
            SandboxArg::Required => Sandboxing::Required,
            SandboxArg::Off => Sandboxing::Off,
        }
    }
}

/// Options of `confirm`.
#[derive(Args, Debug)]
pub struct ConfirmArgs {
    /// The counterexample, a file that `aback check --witness` wrote
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// Time limit, including the compiler [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Memory limit for the heap of the runtime [default: 1024]
    #[arg(long, value_name = "MB", allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// When to run it in a sandbox (bubblewrap)
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub sandbox: SandboxArg,
    /// The JDK to use [default: the JDK that was used for the counterexample]
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// The .NET SDK or runtime to use [default: the one that was named for the counterexample, or as for `check`]
    #[arg(long, value_name = "DIR")]
    pub dotnet_root: Option<PathBuf>,
    /// Print one JSON object on standard output (see docs/cli.md)
    #[arg(long)]
    pub json: bool,
    /// When to use colours; `auto` respects NO_COLOR in the environment
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// The behaviour of integers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntsArg {
    /// They wrap around, like machine integers
    Machine,
    /// They do not overflow
    Unbounded,
}

/// The values of static fields at an entry point.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticsArg {
    /// The values that initialization gives them
    Initialized,
    /// Any values
    Any,
}

/// See [`aback_core::World`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorldArg {
    /// There are no others
    Closed,
    /// Unknown classes may extend and implement the public ones
    Open,
}

/// The program.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    /// The program: Java sources, class files or jars; C# sources, a project or assemblies; OOX sources; folders of
    /// them; or the folder of a Maven, Gradle or .NET project
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Where a folder has files of several languages: only those of this one
    #[arg(long, value_name = "LANGUAGE", value_parser = ["java", "csharp", "oox"], help_heading = "Platform")]
    pub language: Option<String>,
    /// Libraries, separated by `:`: folders, jars and class files of a Java program; folders and assemblies of a C#
    /// program
    #[arg(
        long,
        alias = "class-path",
        alias = "cp",
        value_name = "PATH",
        value_delimiter = ':',
        help_heading = "Platform"
    )]
    pub classpath: Vec<PathBuf>,
    /// In a project of Maven, Gradle or .NET, the code of tests belongs to the program, too
    #[arg(long, help_heading = "Platform")]
    pub test_code: bool,
    /// Neither builds a project nor asks its build tool: both run what the files of the project say
    #[arg(long, help_heading = "Platform")]
    pub no_build: bool,
    /// Compile the sources even if an earlier run has compiled them
    #[arg(long, help_heading = "Platform")]
    pub recompile: bool,
    /// Java, C#: models of methods of libraries, in the language of the program (see docs/cli.md); may be given several
    /// times
    #[arg(long, value_name = "DIR", help_heading = "Platform")]
    pub models: Vec<PathBuf>,
    /// The JDK to use [default: JAVA_HOME, or the JDK of the javac or java on PATH]
    #[arg(long, value_name = "DIR", help_heading = "Platform")]
    pub java_home: Option<PathBuf>,
    /// The .NET SDK or runtime to use [default: DOTNET_ROOT, or that of the dotnet on PATH]
    #[arg(long, value_name = "DIR", help_heading = "Platform")]
    pub dotnet_root: Option<PathBuf>,
}

/// Options of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A file that `aback check --witness` wrote
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// Print all steps as text; this is the default if standard output is not a terminal
    #[arg(long)]
    pub text: bool,
    /// The step to print with all details, from 1, or the step for --dot and --svg [default for these: the violation]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub step: Option<usize>,
    /// Write a self-contained page for browsers
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the heap at a step as a drawing
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the heap at a step for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Show collections of libraries by their fields instead of their elements; on the screen and in the page, the key `r` does it
    #[arg(long)]
    pub raw: bool,
    /// Also replay if the sources have changed since; the witness contains their text
    #[arg(long)]
    pub as_recorded: bool,
}

/// Options of `show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The text form of the program model, the lowered form of a method, or a control-flow graph or the call graph in DOT
    #[arg(value_enum)]
    pub what: What,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// Only this method; for `cfg`, the default is the main method; for `callgraph`, the methods that it can call
    #[arg(long, alias = "entry", value_name = "CLASS.METHOD")]
    pub method: Option<String>,
    /// For `ir`: only this class, which may belong to a library
    #[arg(long, value_name = "CLASS", conflicts_with = "method")]
    pub class: Option<String>,
    /// For `cfg`: the methods at this line
    #[arg(long, value_name = "FILE:LINE", conflicts_with = "method")]
    pub at: Option<Line>,
    /// For `cfg`: write a page for browsers with the graphs beside the source; the default are all methods of the program's own
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Options of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Task definitions (.yml), sets of them (.set), or folders
    #[arg(required = true, value_name = "TASKS")]
    pub tasks: Vec<PathBuf>,
    /// Time limit for a task
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true, default_value = "10")]
    pub timeout: Duration,
    /// Number of tasks that run at the same time
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1)]
    pub jobs: usize,
    /// Number of runs of each task: times are medians, and the worst answer counts
    #[arg(long, value_name = "N", value_parser = count, default_value = "1")]
    pub repeat: NonZeroUsize,
    /// Memory limit for a task
    #[arg(long, value_name = "MB", allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// Run another verifier: its command line, with {inputs}, {property} and {timeout}
    #[arg(long, value_name = "NAME=COMMAND")]
    pub tool: Option<String>,
    /// If the output of the tool has this text, the property holds; may be given several times
    #[arg(long, value_name = "TEXT", requires = "tool")]
    pub tool_true: Vec<String>,
    /// If the output of the tool has this text, the property is violated; may be given several times
    #[arg(long, value_name = "TEXT", requires = "tool")]
    pub tool_false: Vec<String>,
    /// Write results as JSON, and the output of each task, to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with the run in the folder of --out: take over finished tasks that have not changed
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Compare with another run: its results.json, or the folder of it; may be given several times
    #[arg(long, value_name = "FILE")]
    pub baseline: Vec<PathBuf>,
    /// Show figures that a publication states about other verifiers beside the run: a JSON file (see docs/cli.md); may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    pub published: Vec<PathBuf>,
    /// Plot scores against time limits, with a curve for each baseline: FILE.svg, or FILE.html with a table
    #[arg(long, value_name = "FILE")]
    pub plot: Vec<PathBuf>,
    /// Print a line for each task
    #[arg(short, long)]
    pub verbose: bool,
    /// Further options for each check, after `--`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// Options of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// The JDK to look at [default: JAVA_HOME, or the JDK of the javac or java on PATH]
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// The .NET SDK or runtime to look at [default: DOTNET_ROOT, or that of the dotnet on PATH]
    #[arg(long, value_name = "DIR")]
    pub dotnet_root: Option<PathBuf>,
    /// Print one JSON object (see docs/cli.md)
    #[arg(long)]
    pub json: bool,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to show.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The text form of the program model
    Ir,
    /// The meaning of a method's operations, step by step
    Lowered,
    /// The control-flow graph of a method
    Cfg,
    /// The call graph
    Callgraph,
}

fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "it must be a whole number from 1 on".into())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "give a number of seconds, as in 30 or 0.5".into())
}
