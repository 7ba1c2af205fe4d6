//! Looks for executions that reach the lines which no behaviour so far has reached, through loops in any number of iterations
//! (paper 5, section 7).

use crate::check::CheckConfig;
use crate::coverage::Reached;
use crate::engines::{for_loops, loop_search, with_chain};
use crate::question::Line;
use crate::reach::marked;
use crate::referee::max_steps;
use aback_forward::{HeapKind, explore};
use aback_ir::{MethodId, Program};
use aback_smt::SmtError;
use aback_symbolic::{Candidate, Query, Replay, Trace, Uncaught};
use aback_witness::{Inputs, Limits, Outcome, run};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Longest time for one line.
const MOST: Duration = Duration::from_secs(5);
/// Shortest time for one line.
const LEAST: Duration = Duration::from_millis(500);

/// The executions of an entry point, which `start` is or calls, that reach lines which none of these does. Each is given to
/// `found` once. Without a deadline, each line has the same time. `config.loops` says how loops are executed.
///
/// # Errors
/// The solver cannot be used.
pub(crate) fn reach_uncovered(
    program: &Program,
    (start, entry): (MethodId, MethodId),
    covered: &[(Inputs, u64)],
    config: &CheckConfig,
    deadline: Option<Instant>,
    mut found: impl FnMut(Trace),
) -> Result<(), SmtError> {
    let config = CheckConfig { counterexamples: 1, heap: HeapKind::Combined, ..for_loops(config) };
    let query = Query { entry: start, assertions: true, uncaught: Uncaught::Any, at: None };
    let mut reached = Reached::new(program, entry);
    let follow = |inputs: &Inputs, depth: u64, reached: &mut Reached| {
        let limits = Limits { max_steps: max_steps(depth), interrupt: Some(&config.interrupt), ..Limits::default() };
        run(program, start, inputs, limits, reached)
    };
    for (inputs, depth) in covered {
        _ = follow(inputs, *depth, &mut reached);
    }
    let lines = reached.uncovered();
    for (number, &(file, line)) in lines.iter().enumerate() {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if config.interrupt.load(Ordering::Relaxed) || left.is_some_and(|left| left < LEAST) {
            break;
        }
        if reached.has(&(file, line)) {
            continue;
        }
        let Some(file) = program.file(file) else { continue };
        let place = Line { file: file.path.display().to_string(), line };
        let Ok((marked, places)) = marked(program, &place, false) else { continue };
        let share = left.map_or(MOST, |left| (left / (lines.len() - number) as u32).clamp(LEAST, MOST));
        let end = Instant::now().checked_add(share);
        let mut shown: Option<Candidate> = None;
        let mut confirm = |candidate: &Candidate| {
            let limits = Limits { interrupt: Some(&config.interrupt), ..Limits::default() };
            match run(&marked, start, &candidate.inputs, limits, &mut ()) {
                Ok(outcome) if candidate.is_shown_by(&outcome) => {
                    shown = Some(candidate.clone());
                    Replay::Confirmed
                }
                _ => Replay::rejected(String::new()),
            }
        };
        let reach = Query { entry: start, assertions: true, uncaught: Uncaught::Never, at: Some(places) };
        with_chain(&config, end, |chain, budget| {
            explore(&marked, &reach, &loop_search(&config, budget), chain, &mut confirm)
        })?;
        let Some(Candidate { inputs, depth, .. }) = shown else { continue };
        let Ok(outcome) = follow(&inputs, depth, &mut reached) else { continue };
        let violated = query.violated_by(program, &outcome);
        if violated.is_none() && !matches!(outcome, Outcome::Returned(_)) {
            continue;
        }
        found(Trace { inputs, condition: Vec::new(), depth, violated });
    }
    Ok(())
}
