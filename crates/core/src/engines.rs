//! Chooses the engines and divides the time between them.

use crate::attacked::attacked;
use crate::check::{CheckConfig, Loops, Merge};
use crate::invariants::Restriction;
use crate::joins::{self, InTheMiddle};
use crate::referee::Referee;
use crate::side_by_side::{look_side_by_side, may_answer_more};
use crate::valid::{Checked, Validity};
use crate::watched::checked;
use crate::workers::{look_both_ways, look_forward};
use aback_backward::Findings;
use aback_forward::{Choices, HeapKind, Listeners, Merging, Share, explore_and_tell};
use aback_ir::Program;
use aback_smt::{Chain, SmtError, Statistics};
use aback_symbolic::{Budget, Candidate, Exploration, Gap, Query, Replay, Work};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time after the deadline at which a solver that is still running is interrupted.
const GRACE: Duration = Duration::from_millis(200);
/// First turn of an engine if there is no time limit. Each later turn takes four times as long.
const TURN: Duration = Duration::from_secs(4);

/// Most time that the first engine has before a look at loops with a single job, so that easy questions cost no more.
const AT_ONCE: Duration = Duration::from_millis(500);

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

/// What engines are asked, and until when they work.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub program: &'a Program,
    pub query: &'a Query,
    pub config: &'a CheckConfig,
    pub deadline: Option<Instant>,
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
pub(crate) fn look(task: Task, inputs: Restricted, referee: &mut Referee) -> Result<Look, SmtError> {
    let Task { program, query, config, deadline } = task;
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
        let all = look_with(config.engine.first(), Task { query, deadline: end, ..task }, all, judge)?;
        let exploration = &all.findings.exploration;
        if exploration.is_proof() || inputs.invariants.is_some() && exploration.has(config.counterexamples) {
            return Ok(all);
        }
    }
    let possible = inputs.possible.then(|| program.without_impossible_inputs());
    let task = Task { program: possible.as_ref().unwrap_or(program), ..task };
    if let (Some(query), Checked::Along) = (&unchecked, config.valid.checked) {
        return look_with(Engine::Forward, Task { query, ..task }, inputs, referee);
    }
    if inputs.invariants.is_some() {
        let invariants = Restricted { validity: None, ..inputs };
        return look_with(Engine::Forward, task, invariants, referee);
    }
    let looks_at_loops = config.loops != Loops::Off && config.heap == HeapKind::Combined;
    let joins_beside = config.is_parallel() && joins::is_possible(config);
    if !(looks_at_loops || joins_beside) {
        return look_in_turns(task, referee);
    }
    let task = Task { config: &CheckConfig { iterations: Arc::default(), ..config.clone() }, ..task };
    // What the ways are does not depend on which look ends first.
    match config.ways || !config.is_parallel() {
        true => look_one_after_the_other(task, referee),
        false => look_side_by_side(task, referee),
    }
}

/// Looks at loops, for a share of the time, before the configured engines run, unless the first of these answers the
/// question at once.
fn look_one_after_the_other(task: Task, referee: &mut Referee) -> Result<Look, SmtError> {
    let Task { program, config, deadline, .. } = task;
    // What a limit of operations leaves open must not depend on the speed of the machine.
    if config.loops == Loops::Later && config.operations.is_none() && !config.ways {
        let end = Instant::now().checked_add(AT_ONCE.min(share(deadline) / 2));
        let found = look_with(config.engine.first(), Task { deadline: end, ..task }, Restricted::default(), referee)?;
        if is_answer(&found, config) && !may_answer_more(program, config, &found) {
            return Ok(found);
        }
    }
    let end = Instant::now().checked_add(share(task.deadline));
    let found = look_at_loops(Task { deadline: end, ..task }, referee)?;
    if is_answer(&found, task.config) {
        return Ok(found);
    }
    let mut look = look_in_turns(task, referee)?;
    look.findings.exploration.ways = found.findings.exploration.ways;
    Ok(look)
}

/// Whether a look answers the question.
pub(crate) fn is_answer(look: &Look, config: &CheckConfig) -> bool {
    let exploration = &look.findings.exploration;
    exploration.has(config.counterexamples) || exploration.is_proof()
}

/// Runs the configured engine until the deadline, or both: side by side, or in turns with a single job.
pub(crate) fn look_in_turns(task: Task, referee: &mut Referee) -> Result<Look, SmtError> {
    let Task { program, query, config, deadline } = task;
    match config.engine {
        Engine::Forward => return look_forward(task, referee),
        Engine::Backward => return look_with(Engine::Backward, task, Restricted::default(), referee),
        Engine::Auto => {}
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
    if config.is_parallel() {
        return look_both_ways(task, referee);
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
            let task = Task { deadline: end, ..task };
            let mut found = look_with(engine, task, Restricted::default(), referee)?;
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
pub(crate) fn share(deadline: Option<Instant>) -> Duration {
    deadline.map_or(TURN, |deadline| deadline.saturating_duration_since(Instant::now()) / FIRST)
}

/// When a question ends that is asked besides another one and has this time. With a limit of operations, it does not depend on the speed
/// of the machine.
pub(crate) fn end_of_another(config: &CheckConfig, time: Duration, deadline: Option<Instant>) -> Option<Instant> {
    match config.operations {
        Some(_) => deadline,
        None => Instant::now().checked_add(time).into_iter().chain(deadline).min(),
    }
}

/// Runs one engine until the deadline.
pub(crate) fn look_with(
    engine: Engine,
    task: Task,
    inputs: Restricted,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    look_in_part(engine, task, inputs, None, referee)
}

/// Runs one engine until the deadline; the forward engine explores its share if there is one.
pub(crate) fn look_in_part(
    engine: Engine,
    task: Task,
    inputs: Restricted,
    share: Option<&Share>,
    referee: &mut Referee,
) -> Result<Look, SmtError> {
    let Task { program, query, config, deadline } = task;
    let restriction = inputs.invariants;
    let is_any = restriction.is_none() && inputs.accepted_by.is_none() && inputs.validity.is_none();
    let mut joins = match engine {
        Engine::Forward if is_any && !config.is_parallel() => {
            InTheMiddle::new(task, referee.for_thread(&config.interrupt))
        }
        _ => None,
    };
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
                call_depth: config.call_depth,
                disabled_rules: config.disabled_rules.clone(),
                ..config.backward.clone()
            };
            aback_backward::explore(program, query, &config, chain, &mut confirm)
        }
        _ => {
            let search = forward_search(config, budget);
            let observer = restriction.map(|restriction| restriction.observer(config.heap, deadline));
            let valid = inputs.validity.map(|validity| validity.for_engine(true, true)).unwrap_or_default();
            let mut ends = joins.as_mut().map(|joins| |waiting: usize| joins.ends(waiting as u64));
            let beside = ends.as_mut().map(|ends| ends as &mut dyn FnMut(usize) -> bool);
            let listeners = Listeners { observer, valid, share, beside, ..Listeners::default() };
            let exploration = explore_and_tell(program, query, &search, chain, &mut confirm, listeners);
            Findings { exploration, ..Findings::default() }
        }
    })?;
    if let Some((found, judge)) = joins.and_then(InTheMiddle::into_found) {
        referee.adopt(judge);
        return found;
    }
    Ok(Look { findings, engine, solving })
}

/// Looks at loops in all numbers of iterations at once, until the deadline. What this does not decide is open.
pub(crate) fn look_at_loops(
    Task { program, query, config, deadline }: Task,
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
    aback_forward::Config { loops, search, choices: Choices::Keep, ways: config.ways, ..forward_search(config, budget) }
}

/// The configuration of the forward engine.
pub(crate) fn forward_search(config: &CheckConfig, budget: Budget) -> aback_forward::Config {
    aback_forward::Config {
        search: config.search,
        pruning: config.pruning,
        seed: config.seed,
        fast_path: true,
        heap: config.heap,
        slice: config.backward.slice,
        merging: match config.merging {
            // Each path is wanted.
            _ if config.counterexamples > 1 => Merging::Never,
            Merge::Never | Merge::Auto => Merging::Never,
            Merge::Regions => Merging::Regions,
            Merge::Always => Merging::Always,
        },
        choices: config.choices,
        subsumption: config.subsumption,
        loops: aback_forward::Loops::Unwound,
        loop_conditions: config.loop_conditions,
        ways: false,
        depth: config.depth,
        unwind: config.backward.unwind,
        ahead: !config.no_ahead,
        call_depth: config.call_depth,
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
    let pass_on_interrupt = || {
        if is_over() {
            interrupter.interrupt();
        }
    };
    let done = checked(pass_on_interrupt, || work(&mut chain, budget));
    Ok((done, chain.statistics()))
}
