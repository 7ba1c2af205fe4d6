//! Implements `aback explore`, which lists the behaviours of a method.

use crate::args::{ExploreArgs, HeapArg, InputsArg, LoopsArg, SandboxArg};
use crate::commands::{
    Messages, heap_kind, interrupt_flag, load_config, open, print, read_invariants, show_diagnostics, use_color,
};
use crate::evidence::{confirm_config, write};
use crate::progress::with_progress;
use aback_core::{CheckConfig, CheckError, Checked, Explored, LoadConfig, Loops, Session, Setting, Tests, refusal};
use aback_ir::MakingLimits;
use aback_report::{Detail, ExploredDocument, render_explored, render_explored_html, render_tests};
use anyhow::{Context, anyhow, bail};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time limit if none is given.
const TIME: Duration = Duration::from_secs(60);

/// Explores the entry point and prints its behaviours. Returns 0 if these are all, and 3 if there may be others.
///
/// # Errors
/// The program cannot be read, or the options do not fit it.
pub fn run_explore(args: &ExploreArgs) -> anyhow::Result<u8> {
    let start = Instant::now();
    let time = args.timeout.unwrap_or(TIME);
    let is_restricted = args.invariants.is_some() || args.valid.asked().checked != Checked::Never;
    let constructible = match args.inputs {
        Some(InputsArg::Constructible) if is_restricted => {
            bail!("--inputs constructible is for inputs without --invariants and --valid-inputs");
        }
        Some(inputs) => inputs == InputsArg::Constructible,
        None => args.tests.is_some() && !is_restricted,
    };
    let config = CheckConfig {
        constructible,
        making: MakingLimits { elements: args.collection_size, ..MakingLimits::default() },
        entry: args.entry.clone(),
        invariants: args.invariants.as_deref().map(read_invariants).transpose()?,
        scope: args.scope.map(NonZeroUsize::get),
        valid: args.valid.asked(),
        heap: heap_kind(args.heap.unwrap_or(if constructible { HeapArg::Combined } else { HeapArg::Lazy })),
        operations: args.max_operations,
        loops: match args.loops {
            None if args.max_operations.is_some() => Loops::Off,
            Some(LoopsArg::Off) => Loops::Off,
            Some(LoopsArg::Heavy) => Loops::Heavy,
            None | Some(LoopsArg::Light) => Loops::Light,
        },
        depth: args.depth,
        interrupt: interrupt_flag()?,
        ..CheckConfig::default()
    };
    let load = LoadConfig {
        string_length: args.string_length,
        deadline: start.checked_add(time),
        interrupt: Arc::clone(&config.interrupt),
        preconditions: args.assumed.of(config.entry.as_ref()),
        trusted_nullness: args.assumed.trust,
        ..load_config(&args.program)
    };
    let messages = if args.json { Messages::None } else { Messages::Text { color: args.color, all: args.verbose } };
    let session = open(&args.program.paths, &load, messages).map_err(|bad| bad.error)?;
    let is_strict = args.inputs == Some(InputsArg::Constructible);
    let settings = [
        is_strict.then_some(("--inputs constructible", Setting::ConstructibleInputs)),
        args.invariants.is_some().then_some(("--invariants", Setting::Invariants)),
    ];
    let mut asked = settings.into_iter().flatten();
    if let Some(refusal) = asked.find_map(|(option, setting)| refusal(option, setting, session.language())) {
        return Err(anyhow!(refusal));
    }
    let config = CheckConfig { timeout: Some(time.saturating_sub(start.elapsed())), ..config };
    let explored = with_progress(&config.progress, || session.explore(&config, args.behaviours.get()));
    if let Err(CheckError::Invariants { program, diagnostics }) = &explored {
        show_diagnostics(program, diagnostics, messages);
    }
    let explored = explored?;
    if let Some(path) = &args.html {
        write(path, &render_explored_html(&explored))?;
    }
    let color = use_color(args.color, std::io::stdout().is_terminal());
    let detail = Detail { color, verbose: args.verbose, statistics: false, output: false };
    if !args.json {
        print(render_explored(&explored, detail).trim_end())?;
    }
    let tests = args
        .tests
        .as_deref()
        .map(|folder| write_tests(folder, &session, &explored, &config, args.sandbox))
        .transpose()?;
    if args.json {
        print(&ExploredDocument::new(&explored, tests.as_ref()).to_text())?;
    } else if let Some(tests) = &tests {
        print(render_tests(tests, detail).trim_end())?;
    }
    Ok(if explored.gaps.is_empty() { 0 } else { 3 })
}

/// Tries the behaviours as unit tests, and writes those that behave as predicted to a folder.
///
/// # Errors
/// The language has no tests, they cannot be run, or a file cannot be written or belongs to someone else.
fn write_tests(
    folder: &Path,
    session: &Session,
    explored: &Explored,
    config: &CheckConfig,
    sandbox: SandboxArg,
) -> anyhow::Result<Tests> {
    let limits = confirm_config(sandbox, &config.interrupt);
    let tests = session.tests(explored, folder, &limits).map_err(|reason| anyhow!("no tests are written: {reason}"))?;
    for (name, text) in &tests.files {
        let path = folder.join(name);
        let is_same = |old: String| old.lines().next() == text.lines().next();
        if path.exists() && !std::fs::read_to_string(&path).is_ok_and(is_same) {
            bail!("no tests are written: aback has not written {}", path.display());
        }
    }
    for (name, text) in &tests.files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
        }
        write(&path, text)?;
    }
    Ok(tests)
}
