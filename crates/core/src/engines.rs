//! Chooses the engines and divides the time between them.

use crate::attacked::{attacked, searched};
use crate::check::{CheckConfig, Loops};
use crate::invariants::Restriction;
use crate::referee::Referee;
use crate::valid::{Checked, Validity};
use crate::watched::watched;
use aback_backward::Findings;
use aback_forward::{HeapKind, Listeners, explore_and_tell};
use aback_ir::{InputStrings, Program};
use aback_smt::{Chain, SmtError, Statistics};
use aback_symbolic::{Budget, Candidate, Exploration, Gap, Query, Replay, Work};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two checks for an interrupt while a solver runs.
const INTERRUPT_POLL: Duration = Duration::from_millis(20);
/// Time that the engines have alone, so that easy questions cost no more.
const LATER: Duration = Duration::from_millis(300);
/// Number of paths after which a question is not easy any more.
const MANY_PATHS: u64 = 20;
/// Number of operations after which it is not.
const MANY_OPERATIONS: u64 = 20_000;
/// Time that a look at loops has for more than an answer within bounds.
const MORE: Duration = Duration::from_secs(2);
/// Time between two looks at a thread or a clock.
const MOMENT: Duration = Duration::from_millis(1);
/// Time after the deadline at which a solver that is still running is interrupted.
const GRACE: Duration = Duration::from_millis(200);
/// First turn of an engine if there is no time limit. Each later turn takes four times as long.
const TURN: Duration = Duration::from_secs(4);

/// First attempts get this fraction (one in `FIRST`) of the remaining time: concrete runs the effort of an attack after it.
const FIRST: u32 = 5;

/// The engine that looks for the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Searches forward from the entry point.
    #[default]
    Forward,
    /// Searches backward from the target of the question.
    Backward,
    /// Uses both engines in turns.
    Auto,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Forward => "forward",
            Engine::Backward => "backward",
            Engine::Auto => "auto",
        })
    }
}

impl Engine {
    /// The engine that starts.
    fn first(self) -> Engine {
        match self {
            Engine::Backward => Engine::Backward,
            Engine::Forward | Engine::Auto => Engine::Forward,
        }
    }

    /// The engine that checks the proofs of this one.
    pub(crate) fn other(self) -> Engine {
        match self {
            Engine::Backward => Engine::Forward,
            Engine::Forward | Engine::Auto => Engine::Backward,
        }
    }
}

/// The findings of an engine.
pub(crate) struct Look {
    pub findings: Findings,
    /// The engine that has these findings; never [`Engine::Auto`].
    pub engine: Engine,
    pub solving: Statistics,
}

/// The inputs that are considered.
#[derive(Clone, Copy, Default)]
pub(crate) struct Restricted<'a> {
    /// Those that satisfy invariants, which the forward engine decides while it discovers the input.
    pub invariants: Option<&'a Restriction>,
    /// All, but a counterexample has to satisfy these invariants as it is.
    pub accepted_by: Option<&'a Restriction>,
    /// Those that the program's own methods accept.
    pub validity: Option<&'a Validity>,
    /// Those without collections of the library that may be impossible, unless there is a proof for all.
    pub possible: bool,
}

/// Runs the configured engines until the deadline.
pub(crate) fn look(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    inputs: Restricted,
    deadline: Option<Instant>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    let any = Restricted::default();
    // The question without checks of the inputs.
    let unchecked = inputs.validity.map(|validity| Query { entry: validity.start(), ..query.clone() });
    if inputs.invariants.is_some() || unchecked.is_some() || inputs.possible {
        // What holds for all inputs holds for those that satisfy the invariants, for those that are valid, and for those
        // that are possible. This attempt takes any engine and heap; a violation counts if its input happens to satisfy the
        // invariants.
        let end = Instant::now().checked_add(share(deadline));
        let query = unchecked.as_ref().unwrap_or(query);
        let all = Restricted { accepted_by: inputs.invariants, ..any };
        let mut another = referee.another(query.entry);
        let judge = if inputs.invariants.is_some() { &mut *referee } else { &mut another };
        let all = look_with(config.engine.first(), program, query, config, all, end, judge)?;
        let exploration = &all.findings.exploration;
        if exploration.is_proof() || inputs.invariants.is_some() && exploration.has(config.counterexamples) {
            return Ok(all);
        }
    }
    let possible = inputs.possible.then(|| program.without_impossible_inputs());
    let program = possible.as_ref().unwrap_or(program);
    if let (Some(query), Checked::Along) = (&unchecked, config.valid.checked) {
        return look_with(Engine::Forward, program, query, config, inputs, deadline, referee);
    }
    if inputs.invariants.is_some() {
        let invariants = Restricted { validity: None, ..inputs };
        return look_with(Engine::Forward, program, query, config, invariants, deadline, referee);
    }
    if config.loops == Loops::Off || config.heap != HeapKind::Combined {
        return look_in_turns(program, query, config, deadline, referee);
    }
    let config = &CheckConfig { iterations: Arc::default(), ..config.clone() };
    // What the ways are, and what a limit of operations leaves open, does not depend on which look ends first.
    if config.ways || config.operations.is_some() || is_single_core() {
        return look_at_loops_first(program, query, config, deadline, referee);
    }
    look_side_by_side(program, query, config, deadline, referee)
}

/// Whether this machine does one thing at a time.
fn is_single_core() -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1)
}

/// Looks at loops first, for a share of the time, and then runs the configured engines.
fn look_at_loops_first(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    deadline: Option<Instant>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    let end = Instant::now().checked_add(share(deadline));
    let found = look_at_loops(program, query, config, end, referee)?;
    if is_answer(&found, config) {
        return Ok(found);
    }
    let mut look = look_in_turns(program, query, config, deadline, referee)?;
    look.findings.exploration.ways = found.findings.exploration.ways;
    Ok(look)
}

/// Looks at loops in another thread while the configured engines run. The first answer ends both.
fn look_side_by_side(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    deadline: Option<Instant>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    let [engines_stop, loops_stop, runs_stop] = [(); 3].map(|()| Arc::new(AtomicBool::new(false)));
    let for_engines = CheckConfig { interrupt: Arc::clone(&engines_stop), ..config.clone() };
    let for_loops = CheckConfig { interrupt: Arc::clone(&loops_stop), progress: Arc::default(), ..config.clone() };
    let mut judge = referee.for_thread(&loops_stop);
    for count in [&config.progress.paths, &config.progress.operations] {
        count.store(0, Ordering::Relaxed);
    }
    let begin = Instant::now()
        + match config.loops {
            Loops::Later => LATER.min(share(deadline)),
            Loops::Off | Loops::Light | Loops::Heavy => Duration::ZERO,
        };
    let (found, loops) = std::thread::scope(|scope| {
        let loops = scope.spawn(|| {
            let [paths, operations] = [&config.progress.paths, &config.progress.operations];
            let is_easy =
                || paths.load(Ordering::Relaxed) < MANY_PATHS && operations.load(Ordering::Relaxed) < MANY_OPERATIONS;
            while Instant::now() < begin && is_easy() {
                if loops_stop.load(Ordering::Relaxed) {
                    return None;
                }
                std::thread::sleep(MOMENT);
            }
            let mut found = look_at_loops(program, query, &for_loops, deadline, &mut judge).ok()?;
            if !is_answer(&found, config) && config.counterexamples <= 1 {
                // What the conditions of loops leave open, concrete runs may still find.
                let for_runs = CheckConfig { interrupt: Arc::clone(&runs_stop), ..config.clone() };
                let violation = searched(program, query, &for_runs, deadline);
                if violation.as_ref().is_some_and(|found| matches!(judge.judge(found), Replay::Confirmed)) {
                    found.findings.exploration = Exploration { violation, ..Exploration::default() };
                }
            }
            let is_answer = is_answer(&found, config);
            engines_stop.fetch_or(is_answer, Ordering::Relaxed);
            is_answer.then_some(found)
        });
        let pass_on_interrupt = |done: &AtomicBool| {
            while !done.load(Ordering::Acquire) {
                engines_stop.fetch_or(config.interrupt.load(Ordering::Relaxed), Ordering::Relaxed);
                std::thread::park_timeout(INTERRUPT_POLL);
            }
        };
        let _end = [&loops_stop, &runs_stop].map(|stop| StopAtEnd(stop));
        let found = watched(pass_on_interrupt, || look_in_turns(program, query, &for_engines, deadline, referee))?;
        let is_last_word = !may_answer_more(program, config, &found);
        runs_stop.store(is_last_word || is_answer(&found, config), Ordering::Relaxed);
        let patience = if is_answer(&found, config) { MORE.min(share(deadline)) } else { share(deadline) };
        let end = Instant::now().checked_add(patience);
        let is_over =
            || is_last_word || config.interrupt.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let runs_end = Instant::now() + MORE.min(share(deadline));
        while !loops.is_finished() && !is_over() {
            runs_stop.fetch_or(Instant::now() >= runs_end, Ordering::Relaxed);
            std::thread::sleep(MOMENT);
        }
        [&loops_stop, &runs_stop].into_iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
        let loops = loops.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((found, loops.filter(|_| !is_last_word)))
    })?;
    Ok(match loops {
        Some(answer) => {
            referee.adopt(judge);
            answer
        }
        None => found,
    })
}

/// Sets a flag when it is dropped, so that a thread which minds it ends after an error, too.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Whether a look answers the question.
fn is_answer(look: &Look, config: &CheckConfig) -> bool {
    let exploration = &look.findings.exploration;
    exploration.has(config.counterexamples) || exploration.is_proof()
}

/// Whether a look at loops may answer more than another look. It has the same bounds of inputs, except for that of strings,
/// and supports no more.
fn may_answer_more(program: &Program, config: &CheckConfig, look: &Look) -> bool {
    let exploration = &look.findings.exploration;
    let strings = program.input_strings().and_then(InputStrings::bound);
    let is_open = |gap: &Gap| match gap {
        Gap::Bound { what, .. } => Some(what) == strings.as_ref(),
        Gap::Unsupported { .. } | Gap::Vacuous { .. } | Gap::NoAssertion { .. } => false,
        _ => true,
    };
    let mut gaps = exploration.gaps.iter();
    match exploration.is_proof() {
        true => !exploration.gaps.is_empty() && gaps.all(is_open),
        false => !exploration.has(config.counterexamples) && gaps.any(is_open),
    }
}

/// Runs the configured engine until the deadline, or both in turns.
fn look_in_turns(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    deadline: Option<Instant>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    let any = Restricted::default();
    let one =
        |engine, deadline, referee: &mut Referee| look_with(engine, program, query, config, any, deadline, referee);
    if config.engine != Engine::Auto {
        return one(config.engine, deadline, referee);
    }
    let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    // A concrete run often finds a violation at once where symbolic execution takes long.
    if config.counterexamples <= 1
        && let Some(found) = attacked(program, query, config, share(deadline), deadline, &[])
        && matches!(referee.judge(&found), Replay::Confirmed)
    {
        let exploration = Exploration { violation: Some(found), ..Exploration::default() };
        let findings = Findings { exploration, ..Findings::default() };
        return Ok(Look { findings, engine: Engine::Forward, solving: Statistics::default() });
    }
    // A limit of operations ends each turn, so that the result does not depend on the speed of the machine.
    let mut turn = if config.operations.is_some() { Duration::MAX } else { left().map_or(TURN, |left| left / 4) };
    let (mut work, mut solving) = (Work::default(), Statistics::default());
    loop {
        for engine in [Engine::Forward, Engine::Backward] {
            let end = Instant::now().checked_add(turn);
            let is_short = || left().is_some_and(|left| left < turn.saturating_mul(4));
            let is_last = engine == Engine::Backward && (config.operations.is_some() || is_short());
            let end = if is_last { deadline } else { end.into_iter().chain(deadline).min() };
            let mut found = one(engine, end, referee)?;
            found.findings.exploration.work += work;
            found.solving += &solving;
            let exploration = &found.findings.exploration;
            let gaps = &exploration.gaps;
            let is_out_of_time =
                gaps.iter().any(|gap| matches!(gap, Gap::Time | Gap::Operations(_) | Gap::Solver { .. }));
            let is_answer = exploration.violation.is_some() || exploration.is_proof();
            let is_over = left().is_some_and(|left| left.is_zero()) || config.interrupt.load(Ordering::Relaxed);
            // A construct that one engine does not support is not supported by the other either.
            if is_answer || is_over || is_last || engine == Engine::Backward && !is_out_of_time {
                return Ok(found);
            }
            work = exploration.work;
            solving = found.solving;
        }
        turn = turn.saturating_mul(4);
    }
}

/// The time for a first attempt that often suffices.
fn share(deadline: Option<Instant>) -> Duration {
    deadline.map_or(TURN, |deadline| deadline.saturating_duration_since(Instant::now()) / FIRST)
}

/// Runs one engine until the deadline.
pub(crate) fn look_with(
    engine: Engine,
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    inputs: Restricted,
    deadline: Option<Instant>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    let restriction = inputs.invariants;
    referee.set_deadline(deadline.and_then(|deadline| deadline.checked_add(GRACE)));
    let mut confirm = |candidate: &Candidate| {
        if inputs.accepted_by.is_some_and(|invariants| !invariants.accepts(&candidate.inputs)) {
            return Replay::Doubtful(Gap::Incomplete(candidate.place));
        }
        let Some(restriction) = restriction else { return referee.judge(candidate) };
        match restriction.completed(&candidate.inputs) {
            Some(inputs) => referee.judge(&Candidate { inputs, ..candidate.clone() }),
            None => Replay::Doubtful(Gap::Incomplete(candidate.place)),
        }
    };
    let (findings, solving) = with_chain(config, deadline, |chain, budget| match engine {
        Engine::Backward => {
            let counterexamples = config.counterexamples;
            let config = aback_backward::Config {
                budget,
                counterexamples,
                disabled_rules: config.disabled_rules.clone(),
                ..config.backward.clone()
            };
            aback_backward::explore(program, query, &config, chain, &mut confirm)
        }
        _ => {
            let search = forward_search(config, budget);
            let observer = restriction.map(|restriction| restriction.observer(config.heap, deadline));
            let valid = inputs.validity.map(|validity| validity.for_engine(true, true)).unwrap_or_default();
            let listeners = Listeners { observer, valid, ..Listeners::default() };
            let exploration = explore_and_tell(program, query, &search, chain, &mut confirm, listeners);
            Findings { exploration, ..Findings::default() }
        }
    })?;
    Ok(Look { findings, engine, solving })
}

/// Looks at loops in all numbers of iterations at once, until the deadline. What this does not decide is open.
fn look_at_loops(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    deadline: Option<Instant>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    referee.set_deadline(deadline.and_then(|deadline| deadline.checked_add(GRACE)));
    let mut confirm = |candidate: &Candidate| referee.judge(candidate);
    // Strings of any length are no harder here than short ones.
    let program = &program.with_long_strings();
    let config = &for_loops(config);
    let (exploration, solving) = with_chain(config, deadline, |chain, budget| {
        aback_forward::explore(program, query, &loop_search(config, budget), chain, &mut confirm)
    })?;
    let findings = Findings { exploration, ..Findings::default() };
    Ok(Look { findings, engine: Engine::Forward, solving })
}

/// The configuration for a look at loops in all numbers of iterations: what these add up to are products.
pub(crate) fn for_loops(config: &CheckConfig) -> CheckConfig {
    let solver = aback_smt::Config { products: true, ..config.solver.clone() };
    CheckConfig { solver, ..config.clone() }
}

/// The configuration of the forward engine for such a look.
pub(crate) fn loop_search(config: &CheckConfig, budget: Budget) -> aback_forward::Config {
    let loops = match config.loops {
        Loops::Heavy => aback_forward::Loops::Heavy,
        Loops::Off | Loops::Light | Loops::Later => aback_forward::Loops::Light,
    };
    // Paths are acyclic here, so that depth first ends, and gets to the target soonest.
    let search = if config.ways { config.search } else { aback_forward::Search::Depth };
    aback_forward::Config { loops, search, ways: config.ways, ..forward_search(config, budget) }
}

/// The configuration of the forward engine.
pub(crate) fn forward_search(config: &CheckConfig, budget: Budget) -> aback_forward::Config {
    aback_forward::Config {
        search: config.search,
        pruning: config.pruning,
        fast_path: true,
        heap: config.heap,
        merging: config.merging,
        loops: aback_forward::Loops::Unwound,
        loop_conditions: config.loop_conditions,
        ways: false,
        depth: config.depth,
        counterexamples: config.counterexamples,
        disabled_rules: config.disabled_rules.clone(),
        budget,
    }
}

/// Does work with a solver until the deadline.
pub(crate) fn with_chain<T>(
    config: &CheckConfig,
    deadline: Option<Instant>,
    work: impl FnOnce(&mut Chain, Budget) -> T,
) -> Result<(T, Statistics), SmtError> {
    let mut chain = Chain::new(&config.solver)?;
    chain.set_deadline(deadline);
    let budget = Budget {
        deadline,
        memory: config.memory,
        operations: config.operations,
        interrupt: Arc::clone(&config.interrupt),
        progress: Arc::clone(&config.progress),
        iterations: Arc::clone(&config.iterations),
        ..Budget::default()
    };
    let interrupter = chain.interrupter();
    // A running solver does not check the flag, and not always the clock, so that another thread has to.
    let is_over = || {
        config.interrupt.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() > deadline + GRACE)
    };
    let pass_on_interrupt = |done: &AtomicBool| {
        while !done.load(Ordering::Acquire) {
            if is_over() {
                interrupter.interrupt();
            }
            std::thread::park_timeout(INTERRUPT_POLL);
        }
    };
    let done = watched(pass_on_interrupt, || work(&mut chain, budget));
    Ok((done, chain.statistics()))
}
