//! The command line.

use aback_core::{Line, Rule};
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
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Can an assertion be false, or an exception not be caught?
    Check(Box<CheckArgs>),
    /// Can a line be reached, and with which input?
    #[command(mut_arg("at", |at| at.required(true).help("The line, as Main.java:42")))]
    Reach(Box<CheckArgs>),
    /// Follow a counterexample step by step.
    Replay(ReplayArgs),
    /// Does the counterexample in a file happen on the JVM?
    Confirm(ConfirmArgs),
    /// Show what aback sees of a program.
    Show(ShowArgs),
    /// Run task sets in SV-COMP format and score the answers.
    Bench(BenchArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
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
    /// Where execution starts, with any input; of overloaded methods, with types: 'A.m(int)' [default: the main method]
    #[arg(long, value_name = "CLASS.METHOD", help_heading = "Question")]
    pub entry: Option<String>,
    /// Exceptions that nothing catches count, too; in OOX they always do
    #[arg(long, help_heading = "Question", conflicts_with = "property")]
    pub traps: bool,
    /// An SV-COMP property file: assertions, `LTL(G assert)`, or `LTL(G ! uncaught(CLASS))`
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub property: Option<PathBuf>,
    /// How many counterexamples to look for, each on a path of its own; --timeout bounds it where there are fewer
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, help_heading = "Question")]
    pub counterexamples: NonZeroUsize,
    /// Let the other engine try what one has proved, as far as there is time
    #[arg(long, help_heading = "Question")]
    pub double_check: bool,
    /// Most time for the answer [default: no limit]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        allow_negative_numbers = true,
        help_heading = "Bounds"
    )]
    pub timeout: Option<Duration>,
    /// Most memory of the process [default: no limit]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, help_heading = "Bounds")]
    pub memory: Option<u64>,
    /// Most operations of each engine for each entry point, so that answers do not depend on the machine's speed [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub max_operations: Option<u64>,
    /// Forward: most operations on one path; longer ones are given up [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub depth: Option<u64>,
    /// Java: most characters of strings that are inputs [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Bounds")]
    pub string_length: Option<u32>,
    /// Java: `unbounded` leaves out executions in which an integer of the program overflows [default: machine; OOX
    /// has unbounded ones]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Bounds")]
    pub ints: Option<IntsArg>,
    /// Java: what static fields hold at an entry point that a program does not start with, where other methods write them
    #[arg(long, value_enum, value_name = "WHAT", default_value = "initialized", help_heading = "Bounds")]
    pub statics: StaticsArg,
    /// Java: whether the classes of the program and of its libraries are all there are
    #[arg(long, value_enum, value_name = "WORLD", default_value = "closed", help_heading = "Bounds")]
    pub world: WorldArg,
    /// Write the counterexample to a file, for `aback replay` and for tools (see docs/witness.md)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
    /// One JSON object on standard output (see docs/cli.md), and nothing on standard error
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// The whole path, the inputs' whole text, and all warnings
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Also what the program prints on the way to a violation
    #[arg(long, help_heading = "Output")]
    pub show_output: bool,
    /// Counters of the engine and of the solver's stages
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// Colours; NO_COLOR in the environment turns `auto` off
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub engine: EngineArgs,
}

/// What a violation is to be shown by, beside the answer.
#[derive(Args, Debug)]
#[command(next_help_heading = "Evidence of a violation")]
pub struct EvidenceArgs {
    /// Run it on the JVM, too, and say whether it happens there
    #[arg(long)]
    pub confirm: bool,
    /// Java: write a small program that shows it, and a JUnit test, to this folder
    #[arg(long, value_name = "DIR")]
    pub reproducer: Option<PathBuf>,
    /// Write the answer to this file in SARIF 2.1.0, for code hosts and editors
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Java: write a violation to this file as a witness of SV-COMP, format 2.0
    #[arg(long, value_name = "FILE")]
    pub sv_witness: Option<PathBuf>,
}

/// Options of `confirm`.
#[derive(Args, Debug)]
pub struct ConfirmArgs {
    /// The counterexample, as `aback check --witness` writes it
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// Most time, compilers included [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Most memory for the heap of the JVM [default: 1024]
    #[arg(long, value_name = "MB", allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// The JDK to use [default: the one that was used for the counterexample]
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// One JSON object on standard output (see docs/cli.md)
    #[arg(long)]
    pub json: bool,
    /// Colours; NO_COLOR in the environment turns `auto` off
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// How integers behave.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntsArg {
    /// They wrap around, as the machine's do
    Machine,
    /// They do not overflow
    Unbounded,
}

/// What static fields hold at an entry point.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticsArg {
    /// What their initialization gives
    Initialized,
    /// Anything
    Any,
}

/// See [`aback_core::World`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorldArg {
    /// They are
    Closed,
    /// Others may extend and implement the public ones
    Open,
}

/// The program.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    /// Java sources, class files or jars, or OOX sources, or folders of them, that make up the program
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Libraries of a Java program: folders, jars and class files, with `:` between them
    #[arg(long, alias = "class-path", alias = "cp", value_name = "PATH", value_delimiter = ':', help_heading = "Java")]
    pub classpath: Vec<PathBuf>,
    /// The JDK to use [default: JAVA_HOME, or that of the javac or java on PATH]
    #[arg(long, value_name = "DIR", help_heading = "Java")]
    pub java_home: Option<PathBuf>,
}

/// How the engine works.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Whether to look from the entry point on, or from what is asked about back
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "forward")]
    pub engine: EngineArg,
    /// Backward: how conditions are carried to the entry point [default: conj-never]
    #[arg(long, value_enum, value_name = "HOW")]
    pub backward: Option<BackwardArg>,
    /// Backward: how the heap is put into conditions [default: reads]
    #[arg(long, value_enum, value_name = "HOW")]
    pub encoding: Option<EncodingArg>,
    /// Backward: do not use what is known forward
    #[arg(long)]
    pub no_facts: bool,
    /// Backward: do not leave out what does not matter to what is asked
    #[arg(long)]
    pub no_slice: bool,
    /// Backward: do not initialize classes of the language at the start
    #[arg(long)]
    pub no_hoisting: bool,
    /// Backward: most iterations of a loop and activations of a recursive method [default: as many as it takes]
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,
    /// Backward: print the condition at each node
    #[arg(long)]
    pub show_conditions: bool,
    /// Do not attack proofs by concrete runs before they are told, nor begin `auto` with some
    #[arg(long)]
    pub no_attack: bool,
    /// Forward: which path is continued next [default: breadth]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub search: Option<SearchArg>,
    /// Forward: when branches are checked for feasibility by the solver [default: constant]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub prune: Option<PruneArg>,
    /// Forward: the symbolic heap [default: combined]
    #[arg(long, value_enum, value_name = "HEAP")]
    pub heap: Option<HeapArg>,
    /// The solver: z3 in process, or a program on PATH (z3, cvc5, yices-smt2, bitwuzla)
    #[arg(long, value_name = "NAME", default_value = "in-process")]
    pub solver: String,
    /// Most time for one question to the solver [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub solver_timeout: Option<Duration>,
    /// Do not answer solver questions by intervals
    #[arg(long)]
    pub no_intervals: bool,
    /// Do not leave unrelated conditions out of solver questions
    #[arg(long)]
    pub no_slicing: bool,
    /// Do not answer solver questions by models of earlier ones
    #[arg(long)]
    pub no_models: bool,
    /// Answers to earlier solver questions: not kept, kept, or kept up to renaming
    #[arg(long, value_enum, value_name = "HOW", default_value = "normalised")]
    pub cache: CacheArg,
    /// Do not ask the solver about machine integers as integers
    #[arg(long)]
    pub no_integers: bool,
    /// Do not try values in place of the solver
    #[arg(long)]
    pub no_enumeration: bool,

    /// Do not ask hard questions again without what earlier ones left
    #[arg(long)]
    pub no_afresh: bool,
    /// Switch off a rule of simplification (a wrong name shows all names); may be given several times
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub no_rule: Vec<Rule>,
    /// Write each question that reaches the solver to this folder as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub smt_log: Option<PathBuf>,
}

impl CheckArgs {
    /// Options that were given and that the chosen engine does not have, with the engine that does.
    pub fn ignored(&self) -> Vec<(&'static str, &'static str)> {
        let engine = &self.engine;
        let backward = [
            ("--backward", engine.backward.is_some()),
            ("--encoding", engine.encoding.is_some()),
            ("--no-facts", engine.no_facts),
            ("--unwind", engine.unwind.is_some()),
            ("--show-conditions", engine.show_conditions),
        ];
        let forward = [
            ("--search", engine.search.is_some()),
            ("--prune", engine.prune.is_some()),
            ("--heap", engine.heap.is_some()),
            ("--depth", self.depth.is_some()),
        ];
        let (options, owner) = match engine.engine {
            EngineArg::Forward => (&backward[..], "backward"),
            EngineArg::Backward => (&forward[..], "forward"),
            EngineArg::Auto => (&[][..], ""),
        };
        // The engine that is asked second has its own.
        let options = options.iter().filter(|(_, is_given)| *is_given && !self.double_check);
        options.map(|&(option, _)| (option, owner)).collect()
    }
}

/// Options of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A file that `aback check --witness` wrote
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// All steps as text, which a pipe gets in any case
    #[arg(long)]
    pub text: bool,
    /// The step to show, from 1: all that there is at it as text, or for --dot and --svg [default there: the violation]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub step: Option<usize>,
    /// Write a page for browsers, which needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the heap at a step as a drawing
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the heap at a step for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Also where the sources have changed since: the witness has their text
    #[arg(long)]
    pub as_recorded: bool,
}

/// Options of `show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The text form of the program model, a control-flow graph or the call graph in DOT
    #[arg(value_enum)]
    pub what: What,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// Only this method; for `cfg`, the main method by default; for `callgraph`, what it can call
    #[arg(long, alias = "entry", value_name = "CLASS.METHOD")]
    pub method: Option<String>,
    /// Only this class, for `ir`; one of a library, too
    #[arg(long, value_name = "CLASS", conflicts_with = "method")]
    pub class: Option<String>,
}

/// Options of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Task definitions (.yml), sets of them (.set), or folders
    #[arg(required = true, value_name = "TASKS")]
    pub tasks: Vec<PathBuf>,
    /// Most time for a task
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true, default_value = "10")]
    pub timeout: Duration,
    /// Tasks that run at a time
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1)]
    pub jobs: usize,
    /// Most memory for a task
    #[arg(long, value_name = "MB", allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// Write results as JSON, and what each task printed, to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Compare with the results.json of another run
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// A line for each task
    #[arg(short, long)]
    pub verbose: bool,
    /// Further options for each check, after `--`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// See [`aback_core::Engine`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineArg {
    /// From the entry point on.
    Forward,
    /// From what is asked about, back.
    Backward,
    /// Both, in turns.
    Auto,
}

/// See [`aback_backward::Variant`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackwardArg {
    /// Disjuncts, a set of terms for each node.
    DisjSet,
    /// Disjuncts, one term for each node.
    DisjTerm,
    /// Disjuncts, a set of terms that is one where ways come together.
    DisjCombined,
    /// Conjuncts, a solver asked at the entry point only.
    ConjNever,
    /// Conjuncts, a solver asked at every node.
    ConjAlways,
    /// Conjuncts, a solver asked where iterations of loops start.
    ConjLoops,
    /// Path by path.
    Paths,
}

/// See [`aback_backward::Encoding`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodingArg {
    /// Each read by a value of its own.
    Reads,
    /// Fields as arrays with versions.
    Arrays,
}

/// See [`aback_forward::Search`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchArg {
    /// The path that waits longest: short counterexamples first.
    Breadth,
    /// The newest path: least memory.
    Depth,
    /// The path nearest to the line or the assertions.
    Directed,
}

/// See [`aback_forward::Pruning`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PruneArg {
    /// Only where a violation is at stake.
    Never,
    /// At each branch.
    Constant,
}

/// See [`aback_forward::HeapKind`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapArg {
    /// Known identities, arrays for the input, and guarded references in one.
    Combined,
}

/// See [`aback_smt::CacheMode`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheArg {
    /// Not kept.
    Off,
    /// Kept as they are.
    Plain,
    /// Kept up to the names of variables.
    Normalised,
}

/// What to show.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The text form of the program model.
    Ir,
    /// What the operations of a method mean, step by step.
    Lowered,
    /// A method's control-flow graph.
    Cfg,
    /// Which method calls which.
    Callgraph,
}

fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "it must be a whole number from 1 on".into())
}

fn rule(text: &str) -> Result<Rule, String> {
    let found = Rule::ALL.iter().find(|rule| rule.name() == text);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        format!("the rules are {}", names.join(", "))
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "give a number of seconds, as in 30 or 0.5".into())
}
