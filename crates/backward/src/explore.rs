//! The driver: unwinds, carries conditions, asks, and unwinds further.

use crate::conditions::conjuncts::Conjuncts;
use crate::conditions::disjuncts::Disjuncts;
use crate::conditions::{Condition, Context, Selectors, Strategy, carry};
use crate::config::{Config, Variant};
use crate::graph::{Graph, Leaf, nowhere};
use crate::solve::{ask, propagate};
use crate::unwind::{Unwound, unwind};
use crate::walk::walk;
use aback_heap::Value;
use aback_ir::{Body, Point, Program, Type};
use aback_logic::{Evaluator, Pool, Term};
use aback_smt::{Chain, Feasibility};
use aback_symbolic::inputs::{self, ModelInputs};
use aback_symbolic::{Candidate, Exploration, Gap, Query, Replay};
use aback_witness::Place;
use std::sync::atomic::Ordering;

/// What was found, with what is only of interest to who studies the engine.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What was found.
    pub exploration: Exploration,
    /// The conditions at the nodes, from the target on, where [`Config::show_conditions`] asks for them.
    pub conditions: Vec<Condition>,
    /// The bound to which loops were unwound in the end.
    pub unwinding: u32,
    /// Nodes of the unwound program.
    pub nodes: usize,
    /// Size of the condition at the entry point: different subterms.
    pub size: usize,
}

/// Whether a leaf that is asked for can be reached.
enum Answer {
    /// On this model.
    Yes(std::rc::Rc<std::cell::RefCell<Evaluator>>),
    No,
    Unknown(String),
}

/// Looks for a violation that `confirm` confirms, from what `query` asks for back to the entry point.
pub fn explore(
    program: &Program,
    query: &Query,
    config: &Config,
    chain: &mut Chain,
    confirm: &mut dyn FnMut(&Candidate) -> Replay,
) -> Findings {
    let mut bound = config.unwind.unwrap_or(u32::MAX).min(1);
    loop {
        let mut findings = Findings { unwinding: bound, ..Findings::default() };
        let unwound = unwind(program, query, config, bound);
        let mut round = Round { program, query, config, chain, confirm, findings: &mut findings };
        let is_whole = round.run(unwound);
        let budget = &config.budget;
        let is_bound = config.unwind.is_some_and(|most| bound >= most);
        let is_over =
            findings.exploration.gaps.iter().any(|gap| matches!(gap, Gap::Time | Gap::Memory | Gap::Interrupted));
        if findings.exploration.violation.is_some() || is_whole || is_over {
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
        // Deeper by a half at a time: what was done before is done again.
        bound = (bound + 1).max(bound.saturating_mul(3) / 2).min(config.unwind.unwrap_or(u32::MAX));
    }
}

/// One bound's work.
struct Round<'a, 'c> {
    program: &'a Program,
    query: &'a Query,
    config: &'a Config,
    chain: &'c mut Chain,
    confirm: &'c mut dyn FnMut(&Candidate) -> Replay,
    findings: &'c mut Findings,
}

impl Round<'_, '_> {
    /// Whether the answer covers all executions but for its gaps: none is cut off.
    fn run(&mut self, unwound: Unwound) -> bool {
        let Unwound { graph, mut pool, mut input, layout, variables, operations } = unwound;
        self.findings.nodes = graph.nodes.len();
        let work = &mut self.findings.exploration.work;
        work.operations = operations;
        work.depth = graph.nodes.len() as u64;
        self.gaps().extend(graph.stopped.clone());
        let selectors = Selectors::new(&mut pool, &graph);
        let mut cx = Context {
            program: self.program,
            config: self.config,
            graph: &graph,
            pool: &mut pool,
            input: &mut input,
            layout: &layout,
            variables: &variables,
            selectors,
        };
        let is_whole = match self.config.variant {
            Variant::DisjSet | Variant::DisjTerm | Variant::DisjCombined => {
                let strategy = Disjuncts::new(self.config.variant);
                self.by(&mut cx, strategy, |_, _, condition| condition.to_vec())
            }
            _ => {
                let strategy = Conjuncts::new(self.config.variant);
                self.by(&mut cx, strategy, |strategy, pool, condition| {
                    propagate(pool, &strategy.implications, condition)
                })
            }
        };
        let place = Place {
            method: self.query.entry,
            point: Point { block: Body::ENTRY, op: 0 },
            span: self.program.method(self.query.entry).span,
        };
        let bounds = inputs::bounds(self.program, &layout, &input, place);
        self.gaps().extend(bounds);
        is_whole
    }

    fn gaps(&mut self) -> &mut Vec<Gap> {
        &mut self.findings.exploration.gaps
    }

    /// Carries conditions by a strategy and asks what can be reached. `formulas` makes what the solver is asked of the
    /// condition at the entry point and what else is to hold.
    fn by<S: Strategy>(
        &mut self,
        cx: &mut Context,
        mut strategy: S,
        formulas: impl Fn(&S, &mut Pool, &[Term]) -> Vec<Term>,
    ) -> bool {
        let (mut shown, mut stopped) = (Vec::new(), None);
        let chain = &mut *self.chain;
        let mut possible =
            |pool: &mut Pool, formulas: Vec<Term>| !matches!(ask(chain, pool, &formulas), Feasibility::Infeasible);
        let state = carry(cx, &mut strategy, &mut possible, &mut shown, &mut stopped);
        self.findings.conditions = shown;
        if let Some(gap) = stopped {
            self.gaps().push(gap);
            return false;
        }
        let Some(state) = state else { return true };
        let condition = strategy.condition(cx, &state, true);
        let mut question = |round: &mut Self, cx: &mut Context, wanted: &[Term]| -> Answer {
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
            let formulas = formulas(&strategy, cx.pool, &given);
            if round.findings.size == 0 {
                round.findings.size = cx.pool.subterms(&formulas).len();
            }
            match ask(round.chain, cx.pool, &formulas) {
                Feasibility::Feasible(model) => Answer::Yes(model),
                Feasibility::Infeasible => Answer::No,
                Feasibility::Unknown(reason) => Answer::Unknown(reason.to_string()),
            }
        };
        self.targets(cx, &mut question);
        if self.findings.exploration.violation.is_some() {
            return true;
        }
        self.unwound_gaps(cx, &mut question);
        !cx.graph.is_cut || matches!(question(self, cx, &[cx.selectors.cut]), Answer::No)
    }

    /// Looks for a target that can be reached and is confirmed.
    fn targets(&mut self, cx: &mut Context, question: &mut dyn FnMut(&mut Self, &mut Context, &[Term]) -> Answer) {
        let mut wanted = cx.selectors.targets.clone();
        while !wanted.is_empty() {
            let model = match question(self, cx, &wanted) {
                Answer::Yes(model) => model,
                Answer::No => return,
                Answer::Unknown(reason) => {
                    let place = cx.graph.targets.first().map(|&(_, place)| place);
                    self.gaps().extend(place.map(|place| Gap::Solver { reason, place: nowhere(place) }));
                    return;
                }
            };
            let Some(number) = self.claim(cx, &model) else {
                return;
            };
            // Something was wrong with it: the others are looked at.
            wanted.retain(|&selector| selector != cx.selectors.targets[number as usize]);
        }
    }

    /// Has a model confirmed. The target that it leads to, where another one has to be looked for.
    fn claim(&mut self, cx: &mut Context, model: &std::cell::RefCell<Evaluator>) -> Option<u32> {
        let mut model = model.borrow_mut();
        let walk = walk(cx, &mut model);
        let Some((number, walk)) = walk.and_then(|walk| match walk.leaf {
            Leaf::Target(number) => Some((number, walk)),
            _ => None,
        }) else {
            let place = cx.graph.node(crate::graph::NodeId::ENTRY).place;
            let outcome = "the model does not lead to it".to_string();
            self.gaps().push(Gap::NotReplayed { outcome, place });
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
        let inputs = source.read(&arguments, &walk.given);
        let depth = walk.nodes.max(self.findings.exploration.work.operations);
        let candidate = Candidate { fault, place, inputs, depth };
        match (self.confirm)(&candidate) {
            Replay::Confirmed => {
                self.findings.exploration.violation = Some(candidate);
                return None;
            }
            Replay::Doubtful => self.gaps().push(Gap::UnusedRead(place)),
            Replay::Rejected(outcome) => self.gaps().push(Gap::NotReplayed { outcome, place }),
        }
        Some(number)
    }

    /// Notes what was not unwound and can be reached.
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
                    self.gaps().push(cx.graph.gaps[gap].clone());
                }
                // Which of them is not known: all may be.
                None => {
                    let gaps: Vec<Gap> = wanted.drain(..).map(|gap| cx.graph.gaps[gap].clone()).collect();
                    self.gaps().extend(gaps);
                }
            }
        }
    }
}

#[allow(unused)]
fn _g(_: Graph) {}
