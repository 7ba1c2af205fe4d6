//! Runs the commands: calls the crate that does the work, and prints the result.

use crate::args::{
    BackwardArg, BenchArgs, CacheArg, CheckArgs, ChoicesArg, Cli, Color, Command, ConditionArgs, EncodingArg,
    EngineArg, EngineArgs, HeapArg, InputsArg, IntsArg, LoopConditionsArg, LoopsArg, MergeArg, ProgramArgs, SearchArg,
    SetsArg, ShowArgs, StaticsArg, SubsumeArg, What, WorldArg,
};
use crate::back::run_back;
use crate::confirm::run_confirm;
use crate::doctor::run_doctor;
use crate::editor::{run_dap, run_lsp};
use crate::evidence::{self, Asked};
use crate::explore::run_explore;
use crate::progress::with_progress;
use crate::project::resolve;
use crate::replay::run_replay;
use crate::scan::run_scan;
use crate::worker::run_worker;
use aback_backward::{Encoding, Variant};
use aback_core::{
    Answer, CheckConfig, CheckError, CompileCache, Effort, Engine, FlowGraph, FrontEnd, InvariantFile, LoadConfig,
    LoadError, Loops, Merge, Property, Question, Rule, Session, Setting, Spot, Verdict, Violations, World, language,
    refusal,
};
use aback_forward::{Choices, HeapKind, LoopConditions, Search, Subsumption};
use aback_ir::analysis::{CallGraph, CallGraphConfig};
use aback_ir::{ClassId, Diagnostic, InputLimits, MakingLimits, MethodId, Program, Severity, Span};
use aback_report::{Detail, Document, Provenance, render_answer, render_diagnostics, render_graphs, render_ways};
use aback_smt::{CacheMode, SetMode, SolverKind, available_solvers, z3_version};
use anyhow::{Context, anyhow};
use clap::CommandFactory;
use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Most files of counterexamples that one command writes or removes, whatever `--counterexamples` says.
const MOST_WITNESSES: usize = 1000;
/// Exit status for bad usage or bad input.
const BAD_INPUT: u8 = 2;
/// Most time for the search for a violation that only integers with bounds have.
const DOUBT: Duration = Duration::from_secs(6);

/// Runs a command and returns its exit status. An error means bad usage or bad input.
pub fn run(mut cli: Cli) -> anyhow::Result<u8> {
    resolve(&mut cli.command)?;
    match cli.command {
        Command::Check(args) => run_check(&args, check_config(&args)?, show_answer),
        Command::Reach(args) => run_check(&args, reach_config(&args)?, show_answer),
        Command::Condition(args) => run_condition(&args),
        Command::Back(args) => run_back(&args),
        Command::Explore(args) => run_explore(&args),
        Command::Replay(args) => run_replay(&args),
        Command::Confirm(args) => run_confirm(&args),
        Command::Show(args) => run_show(&args),
        Command::Bench(args) => run_bench(args),
        Command::Scan(args) => run_scan(&args),
        Command::Lsp => run_lsp(),
        Command::Dap => run_dap(),
        Command::Worker(args) => run_worker(&args),
        Command::Doctor(args) => run_doctor(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "aback", &mut script);
            print(String::from_utf8_lossy(&script).trim_end())?;
            Ok(0)
        }
        Command::Man { folder } => {
            let write = || {
                std::fs::create_dir_all(&folder)?;
                clap_mangen::generate_to(Cli::command(), &folder)
            };
            write().with_context(|| format!("cannot write to {}", folder.display()))?;
            Ok(0)
        }
    }
}

/// The question whether the line can be reached.
fn reach_config(args: &CheckArgs) -> anyhow::Result<CheckConfig> {
    Ok(CheckConfig { question: Question::Reach, ..check_config(args)? })
}

fn run_condition(args: &ConditionArgs) -> anyhow::Result<u8> {
    let config = reach_config(&args.check)?;
    let loops = if config.loops == Loops::Heavy { Loops::Heavy } else { Loops::Light };
    let config = CheckConfig { loops, ways: true, ..config };
    run_check(&args.check, config, |answer, detail| {
        if args.smt {
            return answer.ways.iter().map(|way| way.script.as_str()).collect::<Vec<_>>().join("\n");
        }
        render_ways(&answer.program, answer, detail) + &show_answer(answer, detail)
    })
}

fn show_answer(answer: &Answer, detail: Detail) -> String {
    render_answer(&answer.program, answer, detail)
}

/// Asks a question. `show` gives the text of the answer.
fn run_check(
    args: &CheckArgs,
    config: CheckConfig,
    show: impl FnOnce(&Answer, Detail) -> String,
) -> anyhow::Result<u8> {
    let interrupt = Arc::clone(&config.interrupt);
    match answer(args, config) {
        Ok(Answered { session, asked, mut answer }) => {
            let mut messages = Vec::new();
            let mut wrote = None;
            if let Some(session) = &session {
                session.note_unmade(&mut answer, &interrupt);
                messages = evidence::gather(&args.evidence, session, asked.as_ref(), &mut answer, &interrupt)?;
                messages.extend(ignored(args));
                show_diagnostics(&answer.program, &messages, args.messages());
                messages.splice(0..0, session.warnings().iter().cloned());
                wrote = match &args.witness {
                    Some(file) => write_witness(file, args, session, &answer)?,
                    None => None,
                };
            }
            if args.json {
                let provenance = provenance(args, session.as_ref());
                print(&Document::of_answer(&answer.program, &messages, &answer, Some(provenance)).to_text())?;
            } else {
                let color = use_color(args.color, std::io::stdout().is_terminal());
                let detail = Detail { color, verbose: args.verbose, statistics: args.stats, output: args.show_output };
                print(show(&answer, detail).trim_end())?;
                if let Some(wrote) = wrote {
                    print(&wrote)?;
                }
            }
            Ok(match answer.verdict {
                Verdict::Holds => 0,
                Verdict::Violated => 1,
                Verdict::HoldsWithinBounds | Verdict::Unknown => 3,
            })
        }
        // A tool that asked for JSON gets every message in the document, and nothing on standard error.
        Err(bad) if args.json => {
            print(&Document::of_error(&bad.program, &bad.diagnostics, chain(&bad.error)).to_text())?;
            Ok(BAD_INPUT)
        }
        Err(bad) => Err(bad.error),
    }
}

/// The versions and the settings that produced the answer.
fn provenance(args: &CheckArgs, session: Option<&Session>) -> Provenance {
    let config = solver_config(&args.engine);
    Provenance {
        aback: env!("CARGO_PKG_VERSION").into(),
        platform: session
            .and_then(|session| session.origin().platform())
            .into_iter()
            .map(|(name, version)| (name.to_string(), version))
            .collect(),
        solver: match config.solver {
            SolverKind::Z3 => format!("z3 {}", z3_version()),
            SolverKind::Processes(names) => names.join(","),
        },
        options: std::env::args().skip(2).collect(),
        seed: config.seed,
    }
}

/// Messages about options that have no effect.
fn ignored(args: &CheckArgs) -> impl Iterator<Item = Diagnostic> {
    args.ignored().into_iter().map(|(option, owner)| {
        let message =
            format!("{option} has no effect: it is an option of the {owner} engine (--engine {owner}, or auto)");
        Diagnostic::warning(Span::NONE, message)
    })
}

/// Writes the counterexamples, or if there are none, the first candidate that did not replay. Removes the old files
/// of counterexamples that no longer exist. Returns the lines to print about the files.
pub fn write_witness(
    file: &Path,
    args: &CheckArgs,
    session: &Session,
    answer: &Answer,
) -> anyhow::Result<Option<String>> {
    let confirmed = answer.violation.iter().chain(&answer.more).map(|violation| (violation, None));
    let rejected = answer.rejected.iter().filter(|_| answer.violation.is_none());
    let rejected = rejected.map(|rejected| (&rejected.violation, Some(rejected.instead.as_str())));
    let mut told = Vec::new();
    let mut found = confirmed.chain(rejected);
    for number in 1..=args.counterexamples.get().min(MOST_WITNESSES) {
        let file = numbered(file, number);
        let Some((violation, instead)) = found.next() else {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove the old {}", file.display()));
                }
                _ => continue,
            }
        };
        let text = session.witness(answer, violation, instead).to_text();
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let file = file.display();
        told.push(match instead {
            None => format!("follow it with: aback replay {file}"),
            Some(_) => format!("  wrote: {file}, the counterexample that did not replay, to attach to the report"),
        });
    }
    Ok((!told.is_empty()).then(|| told.join("\n")))
}

/// The file of the counterexample with this number: `found.json`, `found-2.json`, …
fn numbered(file: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return file.to_path_buf();
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    file.with_file_name(format!("{stem}-{number}{extension}"))
}

/// An error about the input, with the messages and the program that they refer to.
pub struct BadInput {
    program: Box<Program>,
    diagnostics: Vec<Diagnostic>,
    pub error: anyhow::Error,
    /// Whether an interrupt or a limit ended the loading, so that the input may be correct.
    pub stopped: bool,
}

impl BadInput {
    /// The reason, with the first mistake in the program.
    pub fn describe(&self) -> String {
        let first = self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        let first = first.map(|first| format!(": {}: {}", self.program.show_span(first.span), first.message));
        chain(&self.error) + &first.unwrap_or_default()
    }
}

impl From<anyhow::Error> for BadInput {
    fn from(error: anyhow::Error) -> Self {
        BadInput { program: Box::default(), diagnostics: Vec::new(), error, stopped: false }
    }
}

/// The answer to a question, with the session and the property file of the question.
struct Answered {
    /// `None` if loading was stopped.
    session: Option<Session>,
    asked: Option<Asked>,
    answer: Answer,
}

fn answer(args: &CheckArgs, mut config: CheckConfig) -> Result<Answered, BadInput> {
    let start = Instant::now();
    let property = args.property.as_deref().map(read_property).transpose()?.flatten();
    let load_config = LoadConfig {
        deadline: config.timeout.and_then(|timeout| start.checked_add(timeout)),
        interrupt: Arc::clone(&config.interrupt),
        preconditions: args.assumed.of(config.entry.as_ref().or_else(|| property.as_ref()?.entry.as_ref())),
        ..check_load_config(args)
    };
    let session = match open(&args.program.paths, &load_config, args.messages()) {
        Err(BadInput { stopped: true, .. }) => {
            let answer = Answer::stopped(&config, start.elapsed());
            return Ok(Answered { session: None, asked: None, answer });
        }
        session => session?,
    };
    refused(args, session.language())?;
    config.timeout = config.timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
    config.violations = match &property {
        Some(property) => property.violations(session.program()),
        None => Violations::in_language(session.program(), args.traps),
    };
    config.entry = config.entry.or_else(|| property.as_ref()?.entry.clone());
    let asked = property.map(|property| Asked { is_whole: is_whole(args, &property), property });
    match with_progress(&config.progress, || session.check(&config)) {
        Err(CheckError::Invariants { program, diagnostics }) => {
            show_diagnostics(&program, &diagnostics, args.messages());
            let error = CheckError::Invariants { program: program.clone(), diagnostics: diagnostics.clone() };
            Err(BadInput { program: Box::new(program), diagnostics, error: error.into(), stopped: false })
        }
        Ok(answer) => {
            let answer = match answer.verdict {
                Verdict::Holds => doubted(&session, args, &load_config, &config, answer),
                _ => answer,
            };
            Ok(Answered { session: Some(session), asked, answer })
        }
        Err(error) => Err(BadInput {
            program: Box::new(session.program().clone()),
            diagnostics: session.warnings().to_vec(),
            error: error.into(),
            stopped: false,
        }),
    }
}

/// Whether the question with this property file is about all executions that the property is about.
fn is_whole(args: &CheckArgs, property: &Property) -> bool {
    let is_its_entry = args.entry.is_none() || args.entry == property.entry;
    let is_restricted = args.at.is_some()
        || args.null.is_some()
        || args.invariants.is_some()
        || args.valid.valid_inputs.is_some()
        || args.inputs == InputsArg::Constructible
        || !args.assumed.assume.is_empty()
        || !args.assert_method.is_empty()
        || !args.program.models.is_empty();
    is_its_entry && !is_restricted
}

/// An answer that is no proof any more if the program has a violation with the integers of Java. Property files are about Java programs,
/// and a program of another language with integers without bounds stands for one. Nothing else in it is different.
fn doubted(session: &Session, args: &CheckArgs, loaded: &LoadConfig, config: &CheckConfig, answer: Answer) -> Answer {
    if args.property.is_none() || args.ints.is_some() || session.program().index_type() != aback_ir::Type::Int {
        return answer;
    }
    let left = config.timeout.map_or(DOUBT, |timeout| timeout.saturating_sub(answer.time));
    let config = CheckConfig { timeout: Some(DOUBT.min(left)), ..config.clone() };
    let loaded = LoadConfig { machine_integers: true, ..loaded.clone() };
    let violation = open(&args.program.paths, &loaded, Messages::None)
        .ok()
        .and_then(|session| session.check(&config).ok()?.violation);
    match violation {
        Some(violation) => answer.doubted_by(&violation),
        None => answer,
    }
}

/// Checks that the language supports the options.
///
/// # Errors
/// It does not support one of them.
pub fn refused(args: &CheckArgs, language: &dyn FrontEnd) -> anyhow::Result<()> {
    let refusal = settings(args).into_iter().find_map(|(option, setting)| refusal(option, setting, language));
    refusal.map_or(Ok(()), |refusal| Err(anyhow!(refusal)))
}

/// The options that only some languages support.
fn settings(args: &CheckArgs) -> Vec<(&'static str, Setting)> {
    let integers = args.ints.map(|ints| match ints {
        IntsArg::Machine => ("--ints machine", Setting::MachineIntegers),
        IntsArg::Unbounded => ("--ints unbounded", Setting::UnboundedIntegers),
    });
    let statics = (args.statics != StaticsArg::Initialized).then_some(("--statics any", Setting::AnyStatics));
    let world = (args.world != WorldArg::Closed).then_some(("--world open", Setting::OpenWorld));
    let invariants = args.invariants.as_ref().map(|_| ("--invariants", Setting::Invariants));
    let inputs =
        (args.inputs == InputsArg::Constructible).then_some(("--inputs constructible", Setting::ConstructibleInputs));
    [integers, statics, world, invariants, inputs].into_iter().flatten().collect()
}

/// How the program of a question is read.
pub fn check_load_config(args: &CheckArgs) -> LoadConfig {
    LoadConfig {
        string_length: args.string_length,
        unbounded_integers: args.ints == Some(IntsArg::Unbounded),
        machine_integers: args.ints == Some(IntsArg::Machine),
        any_statics: args.statics == StaticsArg::Any,
        trusted_nullness: args.assumed.trust,
        assert_methods: args.assert_method.clone(),
        ..load_config(&args.program)
    }
}

/// How the program of these arguments is read.
pub fn load_config(args: &ProgramArgs) -> LoadConfig {
    LoadConfig {
        language: args.language.clone(),
        libraries: args.classpath.clone(),
        models: args.models.clone(),
        no_build: args.no_build,
        platform: platform(args),
        compiled: if args.recompile { None } else { compile_cache() },
        ..LoadConfig::default()
    }
}

/// Where compiled programs are kept: in the folder that a user's programs have for such files, if there is one.
pub fn compile_cache() -> Option<CompileCache> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let caches = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(CompileCache::at(caches.join("aback").join("compiled")))
}

/// The given folder of the platform of the program's language.
fn platform(args: &ProgramArgs) -> Option<PathBuf> {
    if args.java_home.is_none() && args.dotnet_root.is_none() {
        return None;
    }
    // Paths without a language are an error when the program is loaded.
    platform_of(language(&args.paths, args.language.as_deref()).ok()?.key(), &args.java_home, &args.dotnet_root)
}

/// The given folder of the platform of a language, by its name in files.
pub fn platform_of(language: &str, java_home: &Option<PathBuf>, dotnet_root: &Option<PathBuf>) -> Option<PathBuf> {
    let given = [("java", java_home), ("csharp", dotnet_root)];
    given.into_iter().find(|(key, _)| *key == language).and_then(|(_, folder)| folder.clone())
}

/// Where messages about the sources go.
#[derive(Clone, Copy)]
pub enum Messages {
    /// Nowhere, because the JSON document contains them.
    None,
    /// Errors to standard error.
    Errors(Color),
    /// To standard error.
    Text { color: Color, all: bool },
}

impl CheckArgs {
    pub fn messages(&self) -> Messages {
        if self.json { Messages::None } else { Messages::Text { color: self.color, all: self.verbose } }
    }
}

/// Reads a program; messages of the front end go to standard error.
pub fn open(paths: &[PathBuf], config: &LoadConfig, messages: Messages) -> Result<Session, BadInput> {
    opened(Session::open(paths, config), messages)
}

/// Returns the session, or the reason why loading failed. Messages of the front end go to standard error.
pub fn opened(session: Result<Session, LoadError>, messages: Messages) -> Result<Session, BadInput> {
    let error = match session {
        Ok(session) => {
            show_diagnostics(session.program(), session.warnings(), messages);
            return Ok(session);
        }
        Err(error) => error,
    };
    let message = error.to_string();
    let stopped = matches!(error, LoadError::Stopped);
    let (program, diagnostics) = match error {
        LoadError::Invalid { program, diagnostics } => (program, diagnostics),
        _ => Default::default(),
    };
    show_diagnostics(&program, &diagnostics, messages);
    Err(BadInput { program, diagnostics, error: anyhow!(message), stopped })
}

/// Prints messages about the sources.
pub fn show_diagnostics(program: &Program, diagnostics: &[Diagnostic], messages: Messages) {
    /// Number of warnings that are shown unless all are asked for, so that they do not push the answer off the
    /// screen.
    const WARNINGS: usize = 10;
    let (color, most) = match messages {
        Messages::None => return,
        Messages::Errors(color) => (color, 0),
        Messages::Text { color, all } => (color, if all { usize::MAX } else { WARNINGS }),
    };
    let (warnings, errors): (Vec<&Diagnostic>, Vec<_>) =
        diagnostics.iter().partition(|message| message.severity == Severity::Warning);
    let shown = warnings.len().min(most);
    let text: Vec<Diagnostic> = errors.into_iter().chain(warnings[..shown].iter().copied()).cloned().collect();
    if text.is_empty() {
        return;
    }
    let color = use_color(color, std::io::stderr().is_terminal());
    let mut text = render_diagnostics(program, &text, color);
    if most > 0 && shown < warnings.len() {
        text.push_str(&format!("\n… and {} more warnings (-v shows them)\n", warnings.len() - shown));
    }
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// An error with its causes; a text that several of them share appears once.
pub fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Reads a file of invariants.
pub fn read_invariants(path: &Path) -> anyhow::Result<Arc<InvariantFile>> {
    if let Some(shipped) = InvariantFile::shipped(&path.to_string_lossy()) {
        return Ok(Arc::new(shipped.map_err(anyhow::Error::msg)?));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Arc::new(InvariantFile { path: path.to_path_buf(), text }))
}

/// The question of these arguments, without the kinds of violations, which depend on the program.
pub fn check_config(args: &CheckArgs) -> anyhow::Result<CheckConfig> {
    let joins = matches!(args.engine.merge, Some(MergeArg::Regions | MergeArg::Always));
    if joins && args.engine.heap.is_some_and(|heap| heap != HeapArg::Combined) {
        anyhow::bail!(
            "--merge regions and --merge always need --heap combined: states with other heaps cannot be joined"
        );
    }
    Ok(CheckConfig {
        invariants: args.invariants.as_deref().map(read_invariants).transpose()?,
        scope: args.scope.map(NonZeroUsize::get),
        valid: args.valid.asked(),
        constructible: args.inputs == InputsArg::Constructible,
        making: MakingLimits { elements: args.collection_size, ..MakingLimits::default() },
        input_limits: InputLimits { elements: args.array_length, objects: args.input_objects },
        question: match &args.null {
            Some(Spot { column, .. }) => Question::Null { column: *column },
            None => Question::Violation,
        },
        entry: args.entry.clone(),
        violations: Violations::default(),
        world: match args.world {
            WorldArg::Closed => World::Closed,
            WorldArg::Open => World::Open,
        },
        at: args.null.as_ref().map(|spot| &spot.line).or(args.at.as_ref()).cloned(),
        known: Arc::default(),
        timeout: args.timeout,
        memory: args.memory.map(bytes),
        operations: args.max_operations,
        depth: args.depth,
        call_depth: args.call_depth.map(NonZeroUsize::get),
        search: match args.engine.search {
            None | Some(SearchArg::Breadth) => Search::Breadth,
            Some(SearchArg::Depth) => Search::Depth,
            Some(SearchArg::Directed) => Search::Directed,
            Some(SearchArg::Random) => Search::Random,
            Some(SearchArg::Coverage) => Search::Coverage,
        },
        pruning: args.engine.prune.unwrap_or_default(),
        seed: args.engine.seed,
        heap: args.engine.heap.map_or(HeapKind::Combined, heap_kind),
        merging: match args.engine.merge {
            Some(MergeArg::Never) => Merge::Never,
            None | Some(MergeArg::Auto) => Merge::Auto,
            Some(MergeArg::Regions) => Merge::Regions,
            Some(MergeArg::Always) => Merge::Always,
        },
        no_ahead: args.engine.no_ahead,
        choices: match args.engine.choices {
            Some(ChoicesArg::Keep) => Choices::Keep,
            None | Some(ChoicesArg::Split) => Choices::Split,
        },
        subsumption: match args.engine.subsume {
            Some(SubsumeArg::Never) => Subsumption::Never,
            None | Some(SubsumeArg::Auto) => Subsumption::Auto,
            Some(SubsumeArg::Always) => Subsumption::Always,
        },
        ways: false,
        loop_conditions: match args.engine.loop_conditions {
            LoopConditionsArg::Both => LoopConditions::Both,
            LoopConditionsArg::Unfolded => LoopConditions::Unfolded,
            LoopConditionsArg::Quantified => LoopConditions::Quantified,
        },
        loops: match args.engine.loops {
            Some(LoopsArg::Light) => Loops::Light,
            Some(LoopsArg::Heavy) => Loops::Heavy,
            Some(LoopsArg::Off) => Loops::Off,
            // Who asks for the backward engine alone wants its answer.
            None if args.engine.engine == EngineArg::Backward => Loops::Off,
            None => Loops::Later,
        },
        counterexamples: args.counterexamples.get(),
        attack: if args.engine.no_attack { Effort::None } else { Effort::Time },
        double_check: args.double_check,
        jobs: args.engine.jobs.map_or(0, NonZeroUsize::get),
        engine: match args.engine.engine {
            EngineArg::Forward => Engine::Forward,
            EngineArg::Backward => Engine::Backward,
            EngineArg::Auto => Engine::Auto,
        },
        backward: backward_config(&args.engine),
        solver: solver_config(&args.engine),
        disabled_rules: if args.engine.no_rules { Rule::ALL.to_vec() } else { args.engine.no_rule.clone() },
        interrupt: interrupt_flag()?,
        progress: Arc::default(),
        iterations: Arc::default(),
        beside: Arc::default(),
    })
}

/// The kind of heap that an argument names.
pub fn heap_kind(arg: HeapArg) -> HeapKind {
    match arg {
        HeapArg::Combined => HeapKind::Combined,
        HeapArg::Lazy => HeapKind::Lazy,
        HeapArg::Symbolic => HeapKind::Symbolic,
        HeapArg::Arrays => HeapKind::Arrays,
    }
}

fn backward_config(args: &EngineArgs) -> aback_backward::Config {
    aback_backward::Config {
        variant: match args.backward {
            Some(BackwardArg::DisjSet) => Variant::DisjSet,
            Some(BackwardArg::DisjTerm) => Variant::DisjTerm,
            Some(BackwardArg::DisjCombined) => Variant::DisjCombined,
            None | Some(BackwardArg::ConjNever) => Variant::ConjNever,
            Some(BackwardArg::ConjAlways) => Variant::ConjAlways,
            Some(BackwardArg::ConjLoops) => Variant::ConjLoops,
            Some(BackwardArg::Mixed) => Variant::Mixed,
            Some(BackwardArg::Both) => Variant::Both,
            Some(BackwardArg::Paths) => Variant::Paths,
        },
        encoding: match args.encoding {
            None | Some(EncodingArg::Reads) => Encoding::Reads,
            Some(EncodingArg::Arrays) => Encoding::Arrays,
        },
        facts: !args.no_facts,
        branch_facts: !args.no_branch_facts,
        slice: !args.no_slice,
        hoisting: !args.no_hoisting,
        learns: !args.no_learning,
        unwind: args.unwind,
        show_conditions: args.show_conditions,
        ..aback_backward::Config::default()
    }
}

fn solver_config(args: &EngineArgs) -> aback_smt::Config {
    let default = aback_smt::Config::default();
    aback_smt::Config {
        solver: match args.solver.as_str() {
            "in-process" => SolverKind::Z3,
            "portfolio" => SolverKind::Processes(available_solvers().into_iter().map(str::to_string).collect()),
            names => SolverKind::Processes(names.split(',').map(str::to_string).collect()),
        },
        intervals: !args.no_intervals,
        interval_iterations: args.interval_iterations,
        slicing: !args.no_slicing,
        models: !args.no_models,
        cache: match args.cache {
            CacheArg::Off => CacheMode::Off,
            CacheArg::Plain => CacheMode::Plain,
            CacheArg::Normalised => CacheMode::Normalised,
            CacheArg::Cores => CacheMode::Cores,
        },
        sets: match args.cache_sets {
            SetsArg::Off => SetMode::Off,
            SetsArg::Unsatisfiable => SetMode::Unsatisfiable,
            SetsArg::All => SetMode::All,
        },
        cache_dir: args.cache_dir.clone(),
        cache_size: u64::from(args.cache_size) << 20,
        integers: !args.no_integers,
        enumeration: !args.no_enumeration,
        orders: !args.no_orders,
        boxes: !args.no_boxes,
        afresh: !args.no_afresh,
        check_timeout: args.solver_timeout.unwrap_or(default.check_timeout),
        log: args.smt_log.clone(),
        ..default
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the process.
pub fn interrupt_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
            .context("cannot handle Ctrl-C")?;
    }
    Ok(flag)
}

/// The property in a property file; `None` if the file states no particular property.
fn read_property(path: &Path) -> anyhow::Result<Option<Property>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Property::parse(&text).with_context(|| path.display().to_string())
}

fn run_show(args: &ShowArgs) -> anyhow::Result<u8> {
    if args.what != What::Cfg && (args.at.is_some() || args.html.is_some()) {
        return Err(anyhow!("--at and --html are for `show cfg`"));
    }
    let messages = Messages::Text { color: Color::Auto, all: false };
    let config = LoadConfig { interrupt: interrupt_flag()?, ..load_config(&args.program) };
    let session = open(&args.program.paths, &config, messages).map_err(|bad| bad.error)?;
    let program = session.program();
    let method = args.method.as_deref().map(|name| aback_core::entry_point(program, Some(name))).transpose()?;
    let method_or_main = |method: Option<_>| method.map_or_else(|| aback_core::entry_point(program, None), Ok);
    let text = match (args.what, method) {
        (What::Ir, Some(method)) => aback_ir::text::print_method(program, method),
        (What::Ir, None) => match &args.class {
            Some(name) => aback_ir::text::print_classes(program, &[aback_core::class_named(program, name)?]),
            // Only a part of a growing program is loaded, and a part could not be read back. All of a library would
            // be too long.
            None if program.grows() => aback_ir::text::print_classes(program, &own_classes(program)),
            None => aback_ir::text::print(program),
        },
        (What::Cfg, method) => {
            let methods = match (&args.at, method, &args.html) {
                (Some(line), ..) => aback_core::methods_at(program, line)?,
                (None, None, Some(_)) => own_methods(program).collect(),
                (None, method, _) => vec![method_or_main(method)?],
            };
            let Some(file) = &args.html else {
                let graphs = methods.into_iter().map(|method| aback_ir::dot::cfg_dot(program, method));
                return print(graphs.collect::<String>().trim_end()).map(|()| 0);
            };
            let graphs: Vec<FlowGraph> = methods.into_iter().map(|method| FlowGraph::new(program, method)).collect();
            evidence::write(file, &render_graphs(program, &graphs, args.at.as_ref().map(|at| at.line)))?;
            return Ok(0);
        }
        (What::Lowered, method) => aback_lower::print(program, method_or_main(method)?),
        (What::Callgraph, entry) => {
            // Without an entry point, the graph starts at all methods that the user wrote.
            let entries = match entry {
                Some(entry) => vec![entry],
                // Synthetic methods of a class run only where something calls them.
                None => own_methods(program).collect(),
            };
            let config = CallGraphConfig::new(entries);
            aback_ir::dot::callgraph_dot(program, &CallGraph::new(program, &config))
        }
    };
    print(text.trim_end())?;
    Ok(0)
}

/// The methods that the sources declare in classes that belong to no library.
fn own_methods(program: &Program) -> impl Iterator<Item = MethodId> {
    let methods = own_classes(program).into_iter().flat_map(|class| program.class(class).methods.clone());
    methods.filter(|&id| program.method(id).span != Span::NONE)
}

/// The classes that belong to no library.
fn own_classes(program: &Program) -> Vec<ClassId> {
    program.classes().filter(|(_, class)| !class.is_library).map(|(id, _)| id).collect()
}

fn run_bench(args: BenchArgs) -> anyhow::Result<u8> {
    let mut config = aback_bench::Config::new(args.tasks, args.timeout);
    config.jobs = args.jobs.max(1);
    config.repeat = args.repeat;
    config.memory_limit = args.memory.map(bytes);
    config.out = args.out;
    config.resume = args.resume;
    config.baselines = args.baseline;
    config.published = args.published;
    config.plots = args.plot;
    config.verbose = args.verbose;
    config.progress = std::io::stderr().is_terminal();
    config.check_options = args.options;
    let tool = args.tool.map(|tool| aback_bench::Tool::new(&tool, args.tool_true, args.tool_false)).transpose();
    let ran = tool.and_then(|tool| {
        config.tool = tool;
        aback_bench::run(&config)
    });
    match ran {
        Ok(summary) => Ok(status(summary.exit_status())),
        Err(error) => {
            writeln!(std::io::stderr(), "error: {error}")?;
            Ok(status(error.exit_status()))
        }
    }
}

/// Converts megabytes to bytes; a number that overflows means no bound.
fn bytes(megabytes: u64) -> u64 {
    megabytes.saturating_mul(1 << 20)
}

/// Converts a status of the bench crate to an exit status.
fn status(status: i32) -> u8 {
    u8::try_from(status).unwrap_or(BAD_INPUT)
}

pub fn use_color(color: Color, terminal: bool) -> bool {
    match color {
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none(),
        Color::Always => true,
        Color::Never => false,
    }
}

/// Prints text and a line break. It is not an error if the reader has closed the pipe.
pub fn print(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
