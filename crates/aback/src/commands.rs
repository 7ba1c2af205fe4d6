//! What each command does: calls the crate that knows, and prints.

use crate::args::{
    BenchArgs, CacheArg, CheckArgs, Cli, Color, Command, EngineArgs, PruneArg, SearchArg, ShowArgs, What,
};
use crate::progress::with_progress;
use aback_core::{Answer, CheckConfig, LoadError, Loaded, Verdict, check, load};
use aback_forward::{Pruning, Search};
use aback_ir::analysis::{CallGraph, CallGraphConfig};
use aback_ir::{Diagnostic, Program, Severity};
use aback_report::{Detail, Document, render_answer, render_diagnostics};
use aback_smt::{CacheMode, SolverKind};
use anyhow::{Context, anyhow, bail};
use clap::CommandFactory;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit status for bad usage or bad input.
const BAD_INPUT: u8 = 2;

/// Runs a command and gives its exit status; an error is bad usage or bad input.
pub fn run(cli: Cli) -> anyhow::Result<u8> {
    match cli.command {
        Command::Check(args) => run_check(&args),
        Command::Show(args) => run_show(&args),
        Command::Bench(args) => run_bench(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "aback", &mut script);
            print(String::from_utf8_lossy(&script).trim_end())?;
            Ok(0)
        }
    }
}

fn run_check(args: &CheckArgs) -> anyhow::Result<u8> {
    let config = check_config(args)?;
    match answer(args, &config) {
        Ok((loaded, answer)) => {
            if args.json {
                print(&Document::of_answer(&loaded.program, &loaded.warnings, &answer).to_text())?;
            } else {
                let color = use_color(args.color, std::io::stdout().is_terminal());
                let detail = Detail { color, verbose: args.verbose, statistics: args.stats };
                print(render_answer(&loaded.program, &answer, detail).trim_end())?;
            }
            Ok(match answer.verdict {
                Verdict::Holds => 0,
                Verdict::Violated => 1,
                Verdict::HoldsWithinBounds | Verdict::Unknown => 3,
            })
        }
        // A tool that asked for JSON gets all of it there, and nothing on standard error.
        Err(bad) if args.json => {
            print(&Document::of_error(&bad.program, &bad.diagnostics, chain(&bad.error)).to_text())?;
            Ok(BAD_INPUT)
        }
        Err(bad) => Err(bad.error),
    }
}

/// What is wrong with the input.
struct BadInput {
    program: Box<Program>,
    diagnostics: Vec<Diagnostic>,
    error: anyhow::Error,
}

impl From<anyhow::Error> for BadInput {
    fn from(error: anyhow::Error) -> Self {
        BadInput { program: Box::default(), diagnostics: Vec::new(), error }
    }
}

fn answer(args: &CheckArgs, config: &CheckConfig) -> Result<(Loaded, Answer), BadInput> {
    if let Some(property) = &args.property {
        check_property(property)?;
    }
    let messages = if args.json { Messages::None } else { Messages::Text { color: args.color, all: args.verbose } };
    let loaded = load_program(&args.paths, messages)?;
    match with_progress(&config.progress, || check(&loaded.program, config)) {
        Ok(answer) => Ok((loaded, answer)),
        Err(error) => {
            Err(BadInput { program: Box::new(loaded.program), diagnostics: loaded.warnings, error: error.into() })
        }
    }
}

/// Where messages about the sources go to.
#[derive(Clone, Copy)]
enum Messages {
    /// Nowhere: they are in the document.
    None,
    /// To standard error.
    Text { color: Color, all: bool },
}

/// Reads a program; what its front end has to say goes to standard error.
fn load_program(paths: &[PathBuf], messages: Messages) -> Result<Loaded, BadInput> {
    let error = match load(paths) {
        Ok(loaded) => {
            show_diagnostics(&loaded.program, &loaded.warnings, messages);
            return Ok(loaded);
        }
        Err(error) => error,
    };
    let message = error.to_string();
    let (program, diagnostics) = match error {
        LoadError::Invalid { program, diagnostics } => (program, diagnostics),
        _ => Default::default(),
    };
    show_diagnostics(&program, &diagnostics, messages);
    Err(BadInput { program, diagnostics, error: anyhow!(message) })
}

fn show_diagnostics(program: &Program, diagnostics: &[Diagnostic], messages: Messages) {
    /// Warnings that are shown unless all are asked for: they must not push the answer off the screen.
    const WARNINGS: usize = 10;
    let Messages::Text { color, all } = messages else { return };
    let (warnings, errors): (Vec<&Diagnostic>, Vec<_>) =
        diagnostics.iter().partition(|message| message.severity == Severity::Warning);
    let shown = if all { warnings.len() } else { warnings.len().min(WARNINGS) };
    let text: Vec<Diagnostic> = errors.into_iter().chain(warnings[..shown].iter().copied()).cloned().collect();
    if text.is_empty() {
        return;
    }
    let color = use_color(color, std::io::stderr().is_terminal());
    let mut text = render_diagnostics(program, &text, color);
    if shown < warnings.len() {
        text.push_str(&format!("\n… and {} more warnings (-v shows them)\n", warnings.len() - shown));
    }
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// An error with its causes, each said once.
pub fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn check_config(args: &CheckArgs) -> anyhow::Result<CheckConfig> {
    Ok(CheckConfig {
        entry: args.entry.clone(),
        at: args.at.clone(),
        timeout: args.timeout,
        memory: args.memory.map(bytes),
        depth: args.depth,
        search: match args.engine.search {
            SearchArg::Breadth => Search::Breadth,
            SearchArg::Depth => Search::Depth,
            SearchArg::Directed => Search::Directed,
        },
        pruning: match args.engine.prune {
            PruneArg::Never => Pruning::Never,
            PruneArg::Constant => Pruning::Constant,
        },
        solver: solver_config(&args.engine),
        interrupt: interrupt_flag()?,
        progress: Arc::default(),
    })
}

fn solver_config(args: &EngineArgs) -> aback_smt::Config {
    let default = aback_smt::Config::default();
    aback_smt::Config {
        solver: match args.solver.as_str() {
            "in-process" => SolverKind::Z3,
            name => SolverKind::Process(name.to_string()),
        },
        intervals: !args.no_intervals,
        slicing: !args.no_slicing,
        models: !args.no_models,
        cache: match args.cache {
            CacheArg::Off => CacheMode::Off,
            CacheArg::Plain => CacheMode::Plain,
            CacheArg::Normalised => CacheMode::Normalised,
        },
        integers: !args.no_integers,
        check_timeout: args.solver_timeout.unwrap_or(default.check_timeout),
        log: args.smt_log.clone(),
        ..default
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the process.
fn interrupt_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
            .context("cannot handle Ctrl-C")?;
    }
    Ok(flag)
}

/// Refuses property files that ask for something else than assertions. A file without a `CHECK` asks for nothing, as the
/// one of paper 4's tasks.
fn check_property(path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    match text.lines().map(str::trim).find(|line| line.starts_with("CHECK") && !line.contains("LTL(G assert)")) {
        Some(other) => bail!("{}: aback checks assertions, `LTL(G assert)`, but not `{other}`", path.display()),
        None => Ok(()),
    }
}

fn run_show(args: &ShowArgs) -> anyhow::Result<u8> {
    let messages = Messages::Text { color: Color::Auto, all: false };
    let loaded = load_program(&args.paths, messages).map_err(|bad| bad.error)?;
    let program = &loaded.program;
    let method = args.method.as_deref().map(|name| aback_core::entry_point(program, Some(name))).transpose()?;
    let text = match (args.what, method) {
        (What::Ir, None) => aback_ir::text::print(program),
        (What::Ir, Some(method)) => aback_ir::text::print_method(program, method),
        (What::Cfg, method) => {
            let method = match method {
                Some(method) => method,
                None => aback_core::entry_point(program, None)?,
            };
            aback_ir::dot::cfg_dot(program, method)
        }
        (What::Callgraph, entry) => {
            // Without an entry point: what any method can call.
            let entries = match entry {
                Some(entry) => vec![entry],
                None => program.methods().map(|(id, _)| id).collect(),
            };
            let config = CallGraphConfig::new(entries);
            aback_ir::dot::callgraph_dot(program, &CallGraph::new(program, &config))
        }
    };
    print(text.trim_end())?;
    Ok(0)
}

fn run_bench(args: BenchArgs) -> anyhow::Result<u8> {
    let mut config = aback_bench::Config::new(args.tasks, args.timeout);
    config.jobs = args.jobs.max(1);
    config.memory_limit = args.memory.map(bytes);
    config.out = args.out;
    config.baseline = args.baseline;
    config.verbose = args.verbose;
    config.progress = std::io::stderr().is_terminal();
    config.check_options = args.options;
    match aback_bench::run(&config) {
        Ok(summary) => Ok(status(summary.exit_status())),
        Err(error) => {
            writeln!(std::io::stderr(), "error: {error}")?;
            Ok(status(error.exit_status()))
        }
    }
}

/// Megabytes in bytes; more than there can be is no bound.
fn bytes(megabytes: u64) -> u64 {
    megabytes.saturating_mul(1 << 20)
}

/// A status of the bench crate as one of a process.
fn status(status: i32) -> u8 {
    u8::try_from(status).unwrap_or(BAD_INPUT)
}

fn use_color(color: Color, terminal: bool) -> bool {
    match color {
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none(),
        Color::Always => true,
        Color::Never => false,
    }
}

/// Prints text and a line break; a reader that went away is no error.
fn print(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
