//! Goes back from the target by hand, from line to line (paper 1, section 1; paper 2, section 9.2): where control can come from, what must
//! hold there, and whether an execution goes this way.
//!
//! A user sees *stops*: the nodes with which a line of the program's own code begins. Between two stops, there may be other nodes of
//! the same line, and library code. A trail is a sequence of stops, each before the one that was chosen earlier. The graph
//! of a trail has exactly the executions that pass its stops last before the target, with no other stop in between.

use crate::conditions::disjuncts::Disjuncts;
use crate::conditions::{Context, Selectors, carry_to};
use crate::config::{Config, Encoding, Variant};
use crate::explore::{Findings, all_substituted};
use crate::graph::{Graph, Leaf, NodeId, Step};
use crate::readable::Reader;
use crate::solve::ask;
use crate::unwind::Unwound;
use aback_ir::{FileId, MethodId, Point, Program};
use aback_logic::{Pool, Term};
use aback_smt::{Chain, Feasibility};
use aback_symbolic::Gap;
use aback_witness::Place;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Which executions are looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trail {
    /// The numbers of the chosen stops, the last one before the target first.
    pub stops: Vec<u32>,
    /// Whether an execution is looked for that goes along the trail. Otherwise, only the next stops are.
    pub asks: bool,
}

/// A line from which control comes to the beginning of a trail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// The number of its node, for [`Trail::stops`].
    pub node: u32,
    /// Its place.
    pub place: Place,
    /// Whether it is the start of the entry point.
    pub is_start: bool,
    /// The places from which control comes there. Each has a number, from 1, among the activations and iterations with this place. They tell
    /// apart stops at the same line, such as those in the copies of a `finally`: places farther back stand for those that do not.
    pub before: Vec<(Place, u32)>,
    /// What must hold before the line so that an execution goes along the trail to the target, over the variables there. Executions in which a
    /// loop or recursion goes on beyond the unwinding between two stops are named, without their condition.
    pub condition: String,
}

/// What is told of executions that go along a trail with more iterations or calls than are unwound.
const BEYOND: &str = "beyond the unwinding";

/// Most steps back that are looked at to tell stops apart.
const MOST_LEVELS: usize = 12;

/// The stops of a graph.
pub(crate) struct Stops<'g> {
    graph: &'g Graph,
    is_stop: Vec<bool>,
    /// The nodes from which an edge leads to each node.
    before: Vec<Vec<usize>>,
}

impl<'g> Stops<'g> {
    pub(crate) fn new(program: &Program, graph: &'g Graph) -> Self {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
        for (index, node) in graph.nodes.iter().enumerate() {
            for &(condition, to) in &node.edges {
                if condition != Pool::FALSE {
                    before[to.index()].push(index);
                }
            }
        }
        let line = |index: usize| {
            let place = graph.nodes[index].place;
            // The start is before the first line, whose place it may have.
            let is_added = || program.added_line(place.method) == Some(place.span.line);
            let is_line = index != NodeId::ENTRY.index() && place.span.is_known() && !is_added();
            let is_own = is_line && !program.is_library_method(place.method);
            is_own.then_some((place.method, place.span.file, place.span.line))
        };
        let begins = |index: usize| {
            let node = &graph.nodes[index];
            let own = line(index);
            index == NodeId::ENTRY.index()
                || own.is_some()
                    && !matches!(node.step, Step::Leaf(_))
                    && (node.starts_iteration || before[index].iter().any(|&previous| line(previous) != own))
        };
        let is_stop = (0..graph.nodes.len()).map(begins).collect();
        Stops { graph, is_stop, before }
    }

    /// Whether each stop of a trail is one before the stop that was chosen earlier.
    pub(crate) fn are_known(&self, trail: &Trail) -> bool {
        let mut ends = self.targets();
        trail.stops.iter().all(|&stop| {
            let next = std::mem::replace(&mut ends, vec![stop as usize]);
            self.leading_to(&next).1.contains(&(stop as usize))
        })
    }

    /// The nodes from which control comes to one of `ends` without another stop in between, and the stops before these.
    fn leading_to(&self, ends: &[usize]) -> (FxHashSet<usize>, Vec<usize>) {
        let (mut between, mut stops) = (FxHashSet::default(), FxHashSet::default());
        let mut pending = ends.to_vec();
        while let Some(node) = pending.pop() {
            for &previous in &self.before[node] {
                if self.is_stop[previous] {
                    stops.insert(previous);
                } else if between.insert(previous) {
                    pending.push(previous);
                }
            }
        }
        let mut stops: Vec<usize> = stops.into_iter().collect();
        stops.sort_unstable_by(|a, b| b.cmp(a));
        (between, stops)
    }

    fn targets(&self) -> Vec<usize> {
        let is_target = |index: &usize| matches!(self.graph.nodes[*index].step, Step::Leaf(Leaf::Target(_)));
        (0..self.graph.nodes.len()).filter(is_target).collect()
    }

    /// The stops before the beginning of a trail.
    pub(crate) fn before(&self, trail: &Trail) -> Vec<usize> {
        match trail.stops.last() {
            Some(&last) => self.leading_to(&[last as usize]).1,
            None => self.leading_to(&self.targets()).1,
        }
    }

    /// Whether a node is a gap or a bound.
    fn is_other_end(&self, node: usize) -> bool {
        matches!(self.graph.nodes[node].step, Step::Leaf(Leaf::Gap(_) | Leaf::Cut))
    }

    /// For each node, whether it is a gap or a bound or leads to one without a stop on the way. What happens behind such an end is not known, so
    /// that executions that get there from between two stops of a trail may go along the trail: a loop of a library may take more iterations.
    fn leading_to_other_ends(&self) -> Vec<bool> {
        let mut leads = vec![false; self.graph.nodes.len()];
        // Edges lead to higher numbers.
        for index in (0..leads.len()).rev() {
            let edges = self.graph.nodes[index].edges.iter();
            let mut next = edges.filter(|(condition, _)| *condition != Pool::FALSE).map(|(_, to)| to.index());
            leads[index] = self.is_other_end(index) || !self.is_stop[index] && next.any(|to| leads[to]);
        }
        leads
    }

    /// The graph with only those edges that executions along the trail may take. `graph` is a copy of the graph of these stops.
    ///
    /// Each node between two stops of the trail belongs to one such pair. An edge into it from outside of the trail comes from an execution
    /// that does not pass the stop before, and is left out. Ends of other kinds (gaps and bounds) stay, with the ways to them: executions that get
    /// there before the trail, or between two of its stops, may go along it.
    pub(crate) fn keep(&self, trail: &Trail, graph: &mut Graph) {
        if trail.stops.is_empty() {
            return;
        }
        let mut ends = self.targets();
        // For each node of the trail, where its edges may lead.
        let mut within: Vec<Option<usize>> = vec![None; graph.nodes.len()];
        let mut number_of = vec![None; graph.nodes.len()];
        for (number, &stop) in trail.stops.iter().enumerate() {
            let (mut between, _) = self.leading_to(&ends);
            // Edges lead to higher numbers. What comes before the stop can also get to the next one without it.
            between.retain(|&node| node > stop as usize);
            ends.iter().chain(&between).for_each(|&node| number_of[node] = Some(number));
            between.into_iter().chain([stop as usize]).for_each(|node| within[node] = Some(number));
            ends = vec![stop as usize];
        }
        let first = ends[0];
        let leads_to_other_end = self.leading_to_other_ends();
        for (index, node) in graph.nodes.iter_mut().enumerate() {
            let own = within[index];
            node.edges.retain(|&mut (_, to)| {
                let to = to.index();
                match own {
                    Some(own) => number_of[to] == Some(own) || number_of[to].is_none() && leads_to_other_end[to],
                    None => to == first || number_of[to].is_none(),
                }
            });
        }
        graph.prune();
    }

    /// For each of some stops, the places before it. If these are the same for another one at its line, they are those that come before them, and so on,
    /// and if none tells the two apart, the nearest ones with their numbers among the stops at their lines.
    pub(crate) fn origins(&self, stops: &[usize]) -> Vec<Vec<(Place, u32)>> {
        let mut levels: Vec<Vec<usize>> = stops.iter().map(|&stop| self.leading_to(&[stop]).1).collect();
        let first = levels.clone();
        let mut origins: Vec<Option<Vec<(Place, u32)>>> = vec![None; stops.len()];
        let place = |index: usize| self.graph.nodes[index].place;
        for _ in 0..MOST_LEVELS {
            let shown: Vec<Vec<(Place, u32)>> = levels
                .iter()
                .map(|level| level.iter().map(|&index| (place(index), self.times(index, at_point))).collect())
                .collect();
            let keys: Vec<_> =
                shown.iter().zip(stops).map(|(shown, &stop)| (line(place(stop)), lines(shown))).collect();
            for (number, key) in keys.iter().enumerate() {
                if origins[number].is_none() && keys.iter().filter(|other| *other == key).count() == 1 {
                    origins[number] = Some(shown[number].clone());
                }
            }
            if origins.iter().all(Option::is_some) {
                break;
            }
            levels.iter_mut().for_each(|level| *level = self.leading_to(level).1);
        }
        let nearest = |level: &Vec<usize>| level.iter().map(|&index| (place(index), self.times(index, line))).collect();
        origins.into_iter().zip(&first).map(|(origin, level)| origin.unwrap_or_else(|| nearest(level))).collect()
    }

    /// The number of a stop, from 1, among those that are the same by `key`: at one point, there is one for each activation and iteration.
    fn times<K: PartialEq>(&self, stop: usize, key: impl Fn(Place) -> K) -> u32 {
        let own = key(self.graph.nodes[stop].place);
        (0..=stop).map(|index| u32::from(self.is_stop[index] && key(self.graph.nodes[index].place) == own)).sum()
    }
}

fn at_point(place: Place) -> (MethodId, Point) {
    (place.method, place.point)
}

fn line(place: Place) -> (MethodId, FileId, u32) {
    (place.method, place.span.file, place.span.line)
}

/// Places as users see them, in any order.
fn lines(shown: &[(Place, u32)]) -> BTreeSet<((MethodId, FileId, u32), u32)> {
    shown.iter().map(|&(place, number)| (line(place), number)).collect()
}

/// Keeps the executions along a trail if there is a question about them, and returns whether there is one. Otherwise, finds the stops before it.
pub(crate) fn follow(
    program: &Program,
    config: &Config,
    trail: &Trail,
    chain: &mut Chain,
    unwound: &mut Unwound,
    findings: &mut Findings,
) -> bool {
    findings.nodes = unwound.graph.nodes.len();
    findings.exploration.gaps.extend(unwound.graph.stopped.clone());
    let whole = unwound.graph.clone();
    let stops = Stops::new(program, &whole);
    if !stops.are_known(trail) {
        findings.exploration.gaps.push(Gap::NoAssertion { what: "control does not go along these lines".into() });
        return false;
    }
    if trail.asks {
        stops.keep(trail, &mut unwound.graph);
        return true;
    }
    let offered = stops.before(trail);
    for (&stop, before) in offered.iter().zip(stops.origins(&offered)) {
        let longer = Trail { stops: [&trail.stops[..], &[stop as u32]].concat(), asks: false };
        let place = whole.nodes[stop].place;
        let condition = match condition_at(program, config, chain, unwound, (&stops, &whole), &longer) {
            Ok(Some(condition)) => condition,
            // Nothing that comes from there goes along the trail.
            Ok(None) => continue,
            Err(gap) => {
                let unknown = format!("unknown ({gap})");
                findings.exploration.note_gap(gap);
                unknown
            }
        };
        let is_start = stop == NodeId::ENTRY.index();
        findings.stops.push(Stop { node: stop as u32, place, is_start, before, condition });
    }
    // Without a question, there is no proof.
    findings.exploration.gaps.push(Gap::NoAssertion { what: "nothing was asked".into() });
    false
}

/// The condition at the first node of a trail in readable form; `None` if nothing meets it.
fn condition_at(
    program: &Program,
    config: &Config,
    chain: &mut Chain,
    unwound: &mut Unwound,
    (stops, whole): (&Stops, &Graph),
    trail: &Trail,
) -> Result<Option<String>, Gap> {
    let mut graph = whole.clone();
    stops.keep(trail, &mut graph);
    let shows = Config { encoding: Encoding::Arrays, show_conditions: false, ..config.clone() };
    let selectors = Selectors::new(&mut unwound.pool, &graph);
    let mut cx = Context {
        program,
        config: &shows,
        graph: &graph,
        pool: &mut unwound.pool,
        input: &mut unwound.input,
        layout: &unwound.layout,
        variables: &unwound.variables,
        selectors,
    };
    let first = trail.stops.last().map_or(NodeId::ENTRY, |&stop| NodeId(stop));
    let mut strategy = Disjuncts::new(Variant::DisjSet);
    let mut stopped = None;
    let state = carry_to(&mut cx, &mut strategy, chain, first, &mut Vec::new(), &mut stopped);
    // What is left once the end is given.
    let others: Vec<Term> = cx.selectors.gaps.iter().copied().chain([cx.selectors.cut]).collect();
    let state = match (state, stopped) {
        (_, Some(gap)) => return Err(gap),
        (None, None) => return Ok(None),
        (Some(state), None) => state,
    };
    let mut given = |targets: Term, bounds: Term| {
        let ends = cx.selectors.targets.iter().map(|&target| (target, targets));
        let all: Vec<(Term, Term)> = ends.chain(others.iter().map(|&other| (other, bounds))).collect();
        let disjuncts = all_substituted(cx.pool, &state, &all);
        cx.pool.or_all(&disjuncts)
    };
    let (mut condition, beyond) = (given(Pool::TRUE, Pool::FALSE), given(Pool::FALSE, Pool::TRUE));
    // No execution meets a contradiction. If the solver cannot say in its time, users see the condition.
    if matches!(ask(chain, cx.pool, &config.budget, &[condition]), Feasibility::Infeasible) {
        condition = Pool::FALSE;
    }
    let cells = strategy.cells().map(|(cell, array)| (array, cell)).collect();
    let mut reader =
        Reader { program, pool: cx.pool, input: cx.input, layout: cx.layout, cells, variables: cx.variables };
    let condition = reader.without_facts(condition);
    Ok(match (condition != Pool::FALSE, beyond != Pool::FALSE) {
        (false, false) => None,
        (false, true) => Some(BEYOND.into()),
        (true, false) => Some(reader.write(condition)),
        (true, true) => Some(format!("{}, or {BEYOND}", reader.write(condition))),
    })
}
