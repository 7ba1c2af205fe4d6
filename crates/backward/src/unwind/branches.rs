//! Facts from branches: intervals of numbers, conditions whose truth is known, and lengths and types that were read.
//!
//! A branch is passed only if its condition holds, so that from there on the condition is a fact about the variables in
//! it, until one of them is set. Where ways join, what both know remains. So each execution that reaches a point of the
//! graph satisfies the facts there, and whatever contradicts them is left out: an edge that no execution takes adds
//! nothing to the condition at its start.

use crate::graph::{Cell, Step};
use aback_logic::{Contradiction, Domain, Interval, Node, Pool, Sort, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Most conditions whose truth is kept.
const MOST_TRUTHS: usize = 64;
/// Most variables of a condition that is looked at.
const MOST_VARIABLES: usize = 12;

type Variables = SmallVec<[Term; 4]>;

/// Facts from the branches on all paths to a point. Cloning takes constant time.
#[derive(Clone, Default, Debug)]
pub(super) struct Branches {
    /// Intervals of variables; of bit-vectors, those of the signed values.
    intervals: Rc<FxHashMap<Term, Interval>>,
    /// Conditions that hold, or do not, with their variables.
    truths: Rc<FxHashMap<Term, (bool, Variables)>>,
    /// Variables that hold the contents of a cell that is never written, by family and object.
    reads: Rc<FxHashMap<(Cell, Term), Term>>,
}

fn variables(pool: &Pool, term: Term) -> Variables {
    match pool.node(term) {
        Node::Var(_) => [term].into_iter().collect(),
        _ => pool.free_variables(&[term]).into_iter().map(|id| pool.variable_term(id)).collect(),
    }
}

impl Branches {
    /// What is known after an operation.
    pub fn pass(&mut self, pool: &mut Pool, step: &Step) {
        match step {
            Step::Nothing | Step::Write { .. } | Step::Leaf(_) => {}
            Step::Assign { target, value } => {
                let known = self.known(pool, *value);
                self.forget(*target);
                self.learn(pool, *target, known);
            }
            Step::Defaults(values) => {
                // The values are constants.
                for &(target, value) in values {
                    let known = self.known(pool, value);
                    self.forget(target);
                    self.learn(pool, target, known);
                }
            }
            Step::New { target, .. } | Step::Input { target, .. } => self.forget(*target),
            Step::Read { target, cell, object, index, .. } => {
                self.forget(*target);
                if !matches!(cell, Cell::Length(_) | Cell::Tag(_)) || index.is_some() || object == target {
                    return;
                }
                if matches!(cell, Cell::Length(_)) {
                    let natural = Interval::at_least(aback_logic::Integer::ZERO);
                    self.learn(pool, *target, (natural, None));
                }
                Rc::make_mut(&mut self.reads).insert((*cell, *object), *target);
            }
        }
    }

    /// The variable that holds the length or the type of an object, if it was read on all paths.
    pub fn read(&self, cell: Cell, object: Term) -> Option<Term> {
        self.reads.get(&(cell, object)).copied()
    }

    /// The interval of a term, or its truth.
    fn known(&self, pool: &mut Pool, term: Term) -> (Interval, Option<bool>) {
        match pool.sort(term) {
            Sort::Bool => (Interval::ALL, self.decide(pool, term)),
            Sort::Int | Sort::BitVec(_) => {
                let domain = self.domain(pool, &variables(pool, term)).unwrap_or_default();
                (domain.interval(pool, term), None)
            }
            _ => (Interval::ALL, None),
        }
    }

    fn learn(&mut self, pool: &Pool, variable: Term, (interval, truth): (Interval, Option<bool>)) {
        if let Some(truth) = truth {
            self.note(variable, truth, [variable].into_iter().collect());
        }
        let all = match pool.sort(variable) {
            Sort::BitVec(width) => Interval::machine(width, true),
            _ => Interval::ALL,
        };
        if !interval.includes(&all) {
            Rc::make_mut(&mut self.intervals).insert(variable, interval);
        }
    }

    fn note(&mut self, condition: Term, truth: bool, variables: Variables) {
        if self.truths.len() < MOST_TRUTHS {
            Rc::make_mut(&mut self.truths).insert(condition, (truth, variables));
        }
    }

    /// Forgets what is known about a variable.
    fn forget(&mut self, variable: Term) {
        if self.intervals.contains_key(&variable) {
            Rc::make_mut(&mut self.intervals).remove(&variable);
        }
        if self.truths.values().any(|(_, variables)| variables.contains(&variable)) {
            Rc::make_mut(&mut self.truths).retain(|_, (_, variables)| !variables.contains(&variable));
        }
        let is_about = |object: Term, held: Term| object == variable || held == variable;
        if self.reads.iter().any(|(&(_, object), &held)| is_about(object, held)) {
            Rc::make_mut(&mut self.reads).retain(|&(_, object), &mut held| !is_about(object, held));
        }
    }

    /// What is known about some variables, as a domain. `None` if nothing is, or if they are many.
    fn domain(&self, pool: &mut Pool, of: &[Term]) -> Option<Domain> {
        if of.len() > MOST_VARIABLES {
            return None;
        }
        let mut domain = Domain::new();
        let mut is_known = false;
        let mut all: Variables = of.into();
        let related = self.truths.iter().filter(|(_, (_, others))| others.iter().any(|other| of.contains(other)));
        let mut related: Vec<(Term, bool)> = related.map(|(&condition, &(truth, _))| (condition, truth)).collect();
        related.sort_unstable();
        for (condition, _) in &related {
            all.extend(self.truths[condition].1.iter().copied());
        }
        for variable in all {
            if let Some(interval) = self.intervals.get(&variable) {
                domain.limit(variable, interval).ok()?;
                is_known = true;
            }
        }
        for (condition, truth) in related {
            let condition = if truth { condition } else { pool.not(condition) };
            // No execution is on a way whose facts are contradictory.
            domain.assume(pool, condition).ok()?;
            is_known = true;
        }
        is_known.then_some(domain)
    }

    /// The truth of a condition, if the facts decide it.
    pub fn decide(&self, pool: &mut Pool, condition: Term) -> Option<bool> {
        if let Some(&(truth, _)) = self.truths.get(&condition) {
            return Some(truth);
        }
        let variables = variables(pool, condition);
        self.domain(pool, &variables)?.decide(pool, condition)
    }

    /// Adds a condition.
    ///
    /// # Errors
    ///
    /// It contradicts the facts, so that no execution satisfies it here.
    pub fn suppose(&mut self, pool: &mut Pool, condition: Term) -> Result<(), Contradiction> {
        let of = variables(pool, condition);
        if of.len() > MOST_VARIABLES {
            return Ok(());
        }
        let mut domain = self.domain(pool, &of).unwrap_or_default();
        domain.assume(pool, condition)?;
        for variable in of {
            if matches!(pool.sort(variable), Sort::Int | Sort::BitVec(_)) {
                let interval = domain.interval(pool, variable);
                self.learn(pool, variable, (interval, None));
            }
        }
        let mut pending = vec![(condition, true)];
        while let Some((part, truth)) = pending.pop() {
            match (pool.node(part), truth) {
                (Node::Not(inner), _) => pending.push((*inner, !truth)),
                (Node::And(parts), true) => pending.extend(parts.iter().map(|&part| (part, true))),
                (Node::Or(parts), false) => pending.extend(parts.iter().map(|&part| (part, false))),
                _ => {
                    let variables = variables(pool, part);
                    self.note(part, truth, variables);
                }
            }
        }
        Ok(())
    }

    /// Joins the facts of two ways.
    pub fn join(&mut self, other: &Branches) {
        if !Rc::ptr_eq(&self.intervals, &other.intervals) {
            Rc::make_mut(&mut self.intervals).retain(|variable, interval| match other.intervals.get(variable) {
                Some(also) => {
                    *interval = interval.join(also);
                    *interval != Interval::ALL
                }
                None => false,
            });
        }
        if !Rc::ptr_eq(&self.truths, &other.truths) {
            Rc::make_mut(&mut self.truths)
                .retain(|condition, (truth, _)| other.truths.get(condition).is_some_and(|(also, _)| also == truth));
        }
        if !Rc::ptr_eq(&self.reads, &other.reads) {
            Rc::make_mut(&mut self.reads).retain(|key, held| other.reads.get(key) == Some(held));
        }
    }
}
