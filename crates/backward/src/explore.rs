//! The main loop of the engine: unwinds, carries conditions, asks the solver, and unwinds further.

use crate::conditions::conjuncts::Conjuncts;
use crate::conditions::disjuncts::Disjuncts;
use crate::conditions::mixed::Mixed;
use crate::conditions::{Condition, Context, Selectors, Strategy, carry};
use crate::config::{Config, Variant};
use crate::graph::{Leaf, NodeId, Step, nowhere};
use crate::learned::Learned;
use crate::paths::{End, PathModel, Reversed, search};
use crate::solve::{ask, propagate};
use crate::trail::{Stop, follow};
use crate::unwind::{Hoisted, Unwound, unwind};
use crate::walk::walk;
use aback_heap::Value;
use aback_ir::{Body, Point, Program, Type};
use aback_logic::{Evaluator, Pool, Term};
use aback_smt::{Chain, Feasibility};
use aback_symbolic::inputs::{self, ModelInputs};
use aback_symbolic::{BackwardWork, Candidate, Exploration, Gap, Query, Replay};
use aback_witness::Place;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The result of an exploration, with details for the study of the engine.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The result.
    pub exploration: Exploration,
    /// The conditions at the nodes, starting at the target, if [`Config::show_conditions`] is set.
    pub conditions: Vec<Condition>,
    /// The last bound to which loops were unwound.
    pub unwinding: u32,
    /// Number of nodes of the unwound program.
    pub nodes: usize,
    /// Size of the condition at the entry point: number of different subterms.
    pub size: usize,
    /// The stops before the trail, if there is one ([`Config::trail`]).
    pub stops: Vec<Stop>,
    /// Whether initializers of platform classes were moved to the start. This assumes that they do not depend on what
    /// the program does.
    pub is_hoisted: bool,
}

/// Time for a question with quantified formulas: this fraction (one in `PROOF_SHARE`) of the time spent before, and
/// at least `LEAST_PROOF`.
const PROOF_SHARE: u32 = 4;
const LEAST_PROOF: Duration = Duration::from_millis(200);

/// Least time for the first of two questions of which the second has the same answer. It has as much as all work before.
const LEAST_FIRST: Duration = Duration::from_millis(500);

/// A proposed bound may lead to this fraction (one in `PROPOSED_SHARE`) of all nodes.
const PROPOSED_SHARE: u64 = 8;

/// Whether one of the wanted leaves can be reached.
enum Answer {
    /// Yes, with this model.
    Yes(std::rc::Rc<std::cell::RefCell<Evaluator>>),
    No,
    Unknown(String),
}

/// Looks backward from the target of `query` to the entry point for a violation that `confirm` confirms.
pub fn explore(
    program: &Program,
    query: &Query,
    config: &Config,
    chain: &mut Chain,
    confirm: &mut dyn FnMut(&Candidate) -> Replay,
) -> Findings {
    chain.expect_references();
    let start = Instant::now();
    let mut bound = match config.trail {
        Some(_) => config.unwind.unwrap_or(1),
        None => config.unwind.unwrap_or(u32::MAX).min(1),
    };
    let mut focus = if config.facts && config.slice { query.focus(program) } else { None };
    // All rounds share one pool, because the chain stores terms.
    let mut pool = Pool::without(&config.disabled_rules);
    config.budget.watch(&mut pool);
    let mut hoisted = Hoisted::default();
    let mut found = Vec::new();
    let mut operations = 0;
    loop {
        let mut findings = Findings { unwinding: bound, ..Findings::default() };
        findings.exploration.is_sliced = focus.as_ref().is_some_and(|focus| focus.relevance.is_some());
        findings.exploration.work.operations = operations;
        // Violations that were found at a smaller bound are kept.
        for candidate in std::mem::take(&mut found) {
            findings.exploration.add(candidate, config.counterexamples);
        }
        let mut unwound =
            unwind(program, query, config, focus.as_ref(), bound, std::mem::take(&mut pool), &mut hoisted);
        operations += unwound.operations;
        if let Some(trail) = &config.trail
            && !follow(program, config, trail, chain, &mut unwound, &mut findings)
        {
            return findings;
        }
        findings.is_hoisted = !hoisted.is_empty();
        let judge = Judge { program, config, confirm, findings: &mut findings };
        // At the last bound, no work is left for the remaining time. With a limit of operations, no time is measured,
        // so that the answer is always the same.
        let is_measured = config.unwind != Some(bound) && config.budget.operations.is_none();
        let most = if is_measured { (start.elapsed() / PROOF_SHARE).max(LEAST_PROOF) } else { Duration::MAX };
        let soon = if config.budget.operations.is_none() { start.elapsed().max(LEAST_FIRST) } else { Duration::MAX };
        let mut round = Round { query, chain, judge, most, soon };
        let is_whole;
        (is_whole, pool) = round.run(unwound);
        let budget = &config.budget;
        if let Some(gap) = budget.stopped(&pool).filter(|gap| !findings.exploration.gaps.contains(gap)) {
            findings.exploration.gaps.push(gap);
        }
        let is_rejected = findings.exploration.gaps.iter().any(|gap| matches!(gap, Gap::NotReplayed { .. }));
        if let Some(focus) = focus.as_mut().filter(|focus| is_rejected && focus.relevance.is_some()) {
            // An operation that the slice left out may end the execution, so that the next round uses no slice.
            focus.relevance = None;
            found = all(&mut findings.exploration);
            continue;
        }
        let is_bound = config.unwind.is_some_and(|most| bound >= most);
        let is_over = findings
            .exploration
            .gaps
            .iter()
            .any(|gap| matches!(gap, Gap::Time | Gap::Operations(_) | Gap::Memory | Gap::Interrupted));
        if findings.exploration.has(config.counterexamples) || is_whole || is_over {
            return findings;
        }
        if let Some(gap) = budget.out_of_time().or_else(|| budget.out_of_memory()) {
            findings.exploration.gaps.push(gap);
            return findings;
        }
        if is_bound || findings.nodes > config.nodes {
            findings.exploration.gaps.push(Gap::Unwinding(bound));
            return findings;
        }
        budget.progress.depth.store(findings.nodes as u64, Ordering::Relaxed);
        // The bound grows by half, because each round repeats the work of the earlier ones.
        let next = (bound + 1).max(bound.saturating_mul(3) / 2);
        let proposed = proposed(config, (bound, findings.nodes));
        bound = next.max(proposed).min(config.unwind.unwrap_or(u32::MAX));
        found = all(&mut findings.exploration);
    }
}

/// The next bound that a look at loops proposes (paper 5, section 7), if as many nodes for each iteration as at this bound are
/// not too many. One more, because the last iteration is not whole.
fn proposed(config: &Config, (bound, nodes): (u32, usize)) -> u32 {
    let proposed = config.budget.iterations.load(Ordering::Relaxed).saturating_add(1);
    let expected = nodes as u64 / u64::from(bound.max(1)) * u64::from(proposed);
    if expected <= config.nodes as u64 / PROPOSED_SHARE { proposed } else { 0 }
}

/// Takes the violations out of an exploration.
fn all(exploration: &mut Exploration) -> Vec<Candidate> {
    exploration.violation.take().into_iter().chain(std::mem::take(&mut exploration.more)).collect()
}

/// The work at one bound.
struct Round<'a, 'c> {
    query: &'a Query,
    chain: &'c mut Chain,
    judge: Judge<'a, 'c>,
    /// Time limit for a question with quantified formulas, which solvers often cannot answer.
    most: Duration,
    /// Time limit for a question that is asked in another form if it is not answered.
    soon: Duration,
}

/// Confirms candidates and records the findings.
struct Judge<'a, 'c> {
    program: &'a Program,
    config: &'a Config,
    confirm: &'c mut dyn FnMut(&Candidate) -> Replay,
    findings: &'c mut Findings,
}

impl Round<'_, '_> {
    /// Whether the answer covers all executions except its gaps, so that none is cut off. Also returns the pool.
    fn run(&mut self, unwound: Unwound) -> (bool, Pool) {
        let Unwound { graph, mut pool, mut input, layout, variables, operations, decided } = unwound;
        self.judge.findings.nodes = graph.nodes.len();
        let work = &mut self.judge.findings.exploration.work;
        work.operations += operations;
        work.depth = graph.nodes.len() as u64;
        work.backward = BackwardWork { nodes: graph.nodes.len() as u64, decided, ..BackwardWork::default() };
        if let Some(gap) = graph.stopped.clone() {
            self.judge.gap(gap);
        }
        let selectors = Selectors::new(&mut pool, &graph);
        let mut cx = Context {
            program: self.judge.program,
            config: self.judge.config,
            graph: &graph,
            pool: &mut pool,
            input: &mut input,
            layout: &layout,
            variables: &variables,
            selectors,
        };
        let is_whole = match self.judge.config.variant {
            Variant::DisjSet | Variant::DisjTerm | Variant::DisjCombined => {
                let strategy = Disjuncts::new(self.judge.config.variant);
                self.by(&mut cx, strategy, |_, pool, condition, chosen| all_substituted(pool, condition, chosen))
            }
            Variant::Paths => self.by_paths(&mut cx),
            Variant::Mixed => self.by_mixed(&mut cx),
            Variant::ConjNever | Variant::ConjAlways | Variant::ConjLoops => self.by_conjuncts(&mut cx),
            Variant::Both => self.by_both(&mut cx),
        };
        let place = Place {
            method: self.query.entry,
            point: Point { block: Body::ENTRY, op: 0 },
            span: self.judge.program.method(self.query.entry).span,
        };
        for gap in inputs::bounds(self.judge.program, &layout, &input, place) {
            self.judge.gap(gap);
        }
        (is_whole, pool)
    }

    fn by_conjuncts(&mut self, cx: &mut Context) -> bool {
        let strategy = Conjuncts::new(self.judge.config.variant, self.chain.path());
        self.by(cx, strategy, |strategy, pool, condition, chosen| {
            consequences(pool, &strategy.implications, condition, chosen)
        })
    }

    fn by_mixed(&mut self, cx: &mut Context) -> bool {
        self.by(cx, Mixed::default(), |strategy, pool, condition, chosen| {
            consequences(pool, &strategy.implications, condition, chosen)
        })
    }

    /// Carries conditions as conjuncts, and as a mixture if a solver soon gives up on these. The answer of either counts,
    /// because their conditions have the same models.
    fn by_both(&mut self, cx: &mut Context) -> bool {
        let before = self.judge.findings.exploration.clone();
        self.chain.limit_to(self.soon);
        let is_whole = self.by_conjuncts(cx);
        self.chain.limit_to(Duration::MAX);
        let exploration = &mut self.judge.findings.exploration;
        let is_unsolved = exploration.gaps.iter().any(|gap| matches!(gap, Gap::Solver { .. }));
        if !is_unsolved || exploration.violation.is_some() {
            return is_whole;
        }
        *exploration = before;
        self.by_mixed(cx)
    }

    /// Carries conditions with a strategy and asks which leaves can be reached. `formulas` computes the formulas for
    /// the solver from the condition at the entry point with further constraints, and from the choice for
    /// [`crate::graph::Graph::quantified`].
    fn by<S: Strategy>(
        &mut self,
        cx: &mut Context,
        mut strategy: S,
        formulas: impl Fn(&S, &mut Pool, &[Term], &[(Term, Term)]) -> Vec<Term>,
    ) -> bool {
        let (mut shown, mut stopped) = (Vec::new(), None);
        let state = carry(cx, &mut strategy, self.chain, &mut shown, &mut stopped);
        self.judge.findings.conditions = shown;
        if let Some(gap) = stopped {
            self.judge.gap(gap);
            return false;
        }
        self.judge.findings.exploration.work.backward.named = strategy.named();
        let Some(state) = state else { return true };
        let condition = strategy.condition(cx, &state);
        let ask_one = |round: &mut Self, cx: &mut Context, wanted: &[Term], is_quantified: bool| -> Answer {
            let either = cx.pool.or_all(wanted);
            let all = [&cx.selectors.targets[..], &cx.selectors.gaps, &[cx.selectors.cut]].concat();
            let mut given = condition.clone();
            for selector in all {
                if !wanted.contains(&selector) {
                    given.push(cx.pool.not(selector));
                } else if wanted.len() == 1 {
                    given.push(selector);
                }
            }
            given.push(either);
            let chosen: Vec<(Term, Term)> =
                cx.graph.quantified.iter().map(|&quantified| (quantified, cx.pool.bool(is_quantified))).collect();
            let mut formulas = formulas(&strategy, cx.pool, &given, &chosen);
            // The model must contain the choice.
            formulas.extend(cx.graph.quantified.filter(|_| is_quantified));
            if round.judge.findings.size == 0 {
                round.judge.findings.size = cx.pool.subterms(&formulas).len();
            }
            match ask(round.chain, cx.pool, &cx.config.budget, &formulas) {
                Feasibility::Feasible(model) => Answer::Yes(model),
                Feasibility::Infeasible => Answer::No,
                Feasibility::Unknown(reason) => Answer::Unknown(reason.to_string()),
            }
        };
        let mut question = |round: &mut Self, cx: &mut Context, wanted: &[Term]| ask_one(round, cx, wanted, false);
        if self.judge.findings.exploration.violation.is_none() {
            self.targets(cx, &mut question);
        }
        if self.judge.is_done() {
            return true;
        }
        if self.judge.findings.exploration.violation.is_some() {
            return self.by_paths(cx);
        }
        self.unwound_gaps(cx, &mut question);
        if !cx.graph.is_cut || matches!(question(self, cx, &[cx.selectors.cut]), Answer::No) {
            return true;
        }
        let is_solved = !self.judge.findings.exploration.gaps.iter().any(|gap| matches!(gap, Gap::Solver { .. }));
        if cx.graph.quantified.is_none() || !is_solved {
            return false;
        }
        self.chain.limit_to(self.most);
        let is_whole = self.quantified(cx, &mut |round, cx, wanted| ask_one(round, cx, wanted, true));
        self.chain.limit_to(Duration::MAX);
        is_whole
    }

    /// Whether questions with quantified formulas show that all executions are covered except the noted gaps. Records
    /// findings.
    fn quantified(
        &mut self,
        cx: &mut Context,
        question: &mut dyn FnMut(&mut Self, &mut Context, &[Term]) -> Answer,
    ) -> bool {
        let targets = cx.selectors.targets.clone();
        match question(self, cx, &targets) {
            Answer::No => {}
            Answer::Yes(model) => {
                self.judge.claim(cx, &model);
                return self.judge.is_done();
            }
            Answer::Unknown(_) => return false,
        }
        let gaps = &self.judge.findings.exploration.gaps;
        let unknown = (0..cx.graph.gaps.len()).filter(|&gap| !gaps.contains(&cx.graph.gaps[gap]));
        let mut wanted: Vec<Term> = unknown.map(|gap| cx.selectors.gaps[gap]).collect();
        wanted.push(cx.selectors.cut);
        matches!(question(self, cx, &wanted), Answer::No)
    }

    /// Looks for a reachable target that a concrete run confirms.
    fn targets(&mut self, cx: &mut Context, question: &mut dyn FnMut(&mut Self, &mut Context, &[Term]) -> Answer) {
        let mut wanted = cx.selectors.targets.clone();
        while !wanted.is_empty() {
            let model = match question(self, cx, &wanted) {
                Answer::Yes(model) => model,
                Answer::No => return,
                Answer::Unknown(reason) => {
                    return self.judge.unsolved(reason, cx.graph.node(NodeId::ENTRY).place);
                }
            };
            let Some(number) = self.judge.claim(cx, &model) else {
                return;
            };
            // This candidate is known, or it was not confirmed, which has been noted. Continue with the other targets.
            let selector = cx.selectors.targets[number as usize];
            let Some(place) = wanted.iter().position(|&other| other == selector) else { return };
            wanted.remove(place);
        }
    }

    /// Notes the gaps that can be reached.
    fn unwound_gaps(&mut self, cx: &mut Context, question: &mut dyn FnMut(&mut Self, &mut Context, &[Term]) -> Answer) {
        let mut wanted: Vec<usize> = (0..cx.graph.gaps.len()).collect();
        while !wanted.is_empty() {
            let selectors: Vec<Term> = wanted.iter().map(|&gap| cx.selectors.gaps[gap]).collect();
            let found = match question(self, cx, &selectors) {
                Answer::No => return,
                Answer::Yes(model) => walk(cx, &mut model.borrow_mut()).and_then(|walk| match walk.leaf {
                    Leaf::Gap(gap) => wanted.iter().position(|&other| other == gap as usize),
                    _ => None,
                }),
                Answer::Unknown(_) => None,
            };
            match found {
                Some(place) => {
                    let gap = wanted.swap_remove(place);
                    self.judge.gap(cx.graph.gaps[gap].clone());
                }
                // It is unknown which gap is reachable, so that all are noted.
                None => {
                    for gap in wanted.drain(..) {
                        self.judge.gap(cx.graph.gaps[gap].clone());
                    }
                }
            }
        }
    }

    /// Searches path by path.
    fn by_paths(&mut self, cx: &mut Context) -> bool {
        if self.paths(cx, false) {
            return true;
        }
        self.chain.limit_to(self.most);
        let is_whole = cx.graph.quantified.is_some() && self.paths(cx, true);
        self.chain.limit_to(Duration::MAX);
        is_whole
    }

    /// Searches the paths on which [`crate::graph::Graph::quantified`] is chosen, or those on which it is not.
    fn paths(&mut self, cx: &mut Context, is_quantified: bool) -> bool {
        let graph = cx.graph;
        let reversed = Reversed::new(graph, cx.pool, is_quantified);
        let leaves = graph.nodes.iter().enumerate().filter_map(|(index, node)| match node.step {
            Step::Leaf(leaf) => Some((NodeId(index as u32), leaf)),
            _ => None,
        });
        // Targets come first: gaps matter only if no target is reached.
        let mut leaves: Vec<(NodeId, Leaf)> = leaves.collect();
        leaves.sort_by_key(|&(_, leaf)| (leaf == Leaf::Cut, matches!(leaf, Leaf::Gap(_))));
        let mut is_cut = false;
        let mut learned = Learned::default();
        for (node, leaf) in leaves {
            // A violation makes gaps irrelevant.
            let is_beside = matches!(leaf, Leaf::Gap(_)) && self.judge.findings.exploration.violation.is_some();
            if leaf == Leaf::Cut && is_cut || is_beside {
                continue;
            }
            let (mut paths, judge) = (0, &mut self.judge);
            let mut found = |cx: &mut Context, model: &PathModel| match leaf {
                Leaf::Target(_) => {
                    judge.claim(cx, model);
                    if judge.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                }
                // For other leaves, it is enough that they can be reached.
                _ => ControlFlow::Break(()),
            };
            let end = match cx.config.learns {
                true => learned.search(cx, &reversed, self.chain, node, &mut paths, &mut found),
                false => search(cx, &reversed, self.chain, node, &mut paths, &mut found),
            };
            let work = &mut self.judge.findings.exploration.work;
            work.paths += paths;
            (work.backward.learned, work.backward.excluded) = (learned.learned, learned.excluded);
            if self.judge.is_done() {
                return true;
            }
            match (end, leaf) {
                // Examining more elements one by one may give a better result.
                (End::Enough | End::Unknown(_), _) if is_quantified => return false,
                (End::Stopped(gap), _) => {
                    self.judge.gap(gap);
                    return false;
                }
                (End::Enough | End::Unknown(_), Leaf::Cut) => is_cut = true,
                (End::Enough | End::Unknown(_), Leaf::Gap(gap)) => self.judge.gap(graph.gaps[gap as usize].clone()),
                (End::Unknown(reason), Leaf::Target(_)) => self.judge.unsolved(reason, graph.node(node).place),
                _ => {}
            }
        }
        !is_cut
    }
}

/// What `implications` and a condition say together, under a choice for [`crate::graph::Graph::quantified`].
fn consequences(
    pool: &mut Pool,
    implications: &[(Term, Term)],
    condition: &[Term],
    chosen: &[(Term, Term)],
) -> Vec<Term> {
    let condition = all_substituted(pool, condition, chosen);
    if chosen.is_empty() {
        return propagate(pool, implications, &condition);
    }
    // This comes before propagation, so that nodes that this choice makes unreachable contribute no formulas.
    let (nodes, implied): (Vec<_>, Vec<_>) = implications.iter().copied().unzip();
    let implied = all_substituted(pool, &implied, chosen);
    propagate(pool, &nodes.into_iter().zip(implied).collect::<Vec<_>>(), &condition)
}

/// Formulas with terms replaced.
pub(crate) fn all_substituted(pool: &mut Pool, formulas: &[Term], chosen: &[(Term, Term)]) -> Vec<Term> {
    formulas.iter().map(|&formula| pool.substitute(formula, chosen)).collect()
}

impl Judge<'_, '_> {
    /// Whether enough counterexamples were found.
    fn is_done(&self) -> bool {
        self.findings.exploration.has(self.config.counterexamples)
    }

    /// Notes a gap, without duplicates.
    fn gap(&mut self, gap: Gap) {
        self.findings.exploration.note_gap(gap);
    }

    /// Notes an "unknown" of the solver, because of the time limit or for the given reason.
    fn unsolved(&mut self, reason: String, place: Place) {
        let gap = self.config.budget.out_of_time();
        self.gap(gap.unwrap_or(Gap::Solver { reason, place: nowhere(place) }));
    }

    /// Confirms the candidate of a model. Returns the model's target if another target has to be tried.
    fn claim(&mut self, cx: &mut Context, model: &std::cell::RefCell<Evaluator>) -> Option<u32> {
        let mut model = model.borrow_mut();
        let walk = walk(cx, &mut model);
        let Some((number, walk)) = walk.and_then(|walk| match walk.leaf {
            Leaf::Target(number) => Some((number, walk)),
            _ => None,
        }) else {
            let place = cx.graph.node(NodeId::ENTRY).place;
            // Terms that were built after the time was up may be wrong.
            let stopped = self.config.budget.stopped(cx.pool);
            let outcome = "the model does not lead to it".to_string();
            self.gap(stopped.unwrap_or(Gap::NotReplayed { outcome, place }));
            return None;
        };
        let (fault, place) = cx.graph.targets[number as usize];
        let arguments: Vec<(Value, Type)> =
            cx.graph.parameters.iter().map(|&(parameter, ty)| (Value::Term(parameter), ty)).collect();
        let source = ModelInputs {
            program: self.program,
            layout: cx.layout,
            input: cx.input,
            pool: cx.pool,
            evaluator: &mut model,
        };
        let (inputs, _) = source.read(&arguments, &walk.given);
        let depth = walk.nodes.max(self.findings.exploration.work.operations);
        let candidate = Candidate { fault, place, inputs, depth, is_sliced: false };
        match (self.confirm)(&candidate) {
            Replay::Confirmed => {
                self.findings.exploration.add(candidate, self.config.counterexamples);
                return None;
            }
            Replay::Again => return None,
            // Other targets are asked about.
            Replay::Known => {}
            Replay::Doubtful(gap) => self.gap(gap),
            Replay::Rejected { outcome, .. } => self.gap(Gap::NotReplayed { outcome, place }),
            Replay::Stopped => {
                let gap = self.config.budget.out_of_time();
                self.gap(gap.unwrap_or(Gap::Time));
                return None;
            }
        }
        Some(number)
    }
}
