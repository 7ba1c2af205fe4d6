//! The whole looping condition, with quantifiers.

use crate::looping::{Iterated, Looping, signed};
use aback_logic::{Node, Pool, Sort, Term};
use rustc_hash::FxHashSet;

/// What variables are at the start of an iteration. The path counters come first.
type Meaning = Vec<(Term, Term)>;

/// The values at the start of an iteration, as functions of the number of iterations that precede it. An array over
/// integers stands for a function.
struct Sequence {
    /// Variables of an iteration, and their functions.
    functions: Vec<(Term, Term)>,
    /// How many iterations precede it along each backbone; `None` where this is the number of all that do.
    counts: Option<Vec<Term>>,
}

impl Looping {
    /// The whole condition: all iterations have an order, and each one satisfies its conditions for the values that the ones
    /// before it leave behind. It implies the formula of paper 5, where the numbers that precede an iteration along other
    /// backbones may be others in each.
    ///
    /// Whatever is chosen for an iteration is a function of its position, so that there are no quantifiers but those over
    /// positions.
    pub fn quantified(&self, pool: &mut Pool) -> Vec<Term> {
        let (zero, one) = (pool.int(0), pool.int(1));
        let position = pool.fresh_var("p", Sort::Int);
        let next = pool.add(position, one);
        let all = self.counters.iter().fold(zero, |sum, &counter| pool.add(sum, counter));
        let sequence = self.sequence(pool);
        let mut facts = self.ends_of(pool, &sequence, [zero, all]);
        let here = self.at(pool, &sequence, position);
        let behind = self.at(pool, &sequence, next);
        let mut always = Vec::new();
        let counts = |pairs: &[(Term, Term)]| pairs[..self.counters.len()].to_vec();
        for &(counter, count) in &counts(&here) {
            always.extend([pool.le(zero, count), pool.le(count, counter)]);
        }
        let sum = counts(&here).iter().fold(zero, |sum, &(_, count)| pool.add(sum, count));
        always.push(pool.eq(sum, position));
        always.extend(self.values_at(pool, &here));
        let mut choices = Vec::new();
        for backbone in 0..self.backbones.len() {
            let conditions = self.along(pool, backbone, [&here, &behind]);
            choices.push(pool.and_all(&conditions));
        }
        always.push(pool.or_all(&choices));
        let always = pool.and_all(&always);
        facts.push(pool.quantified(true, position, zero, all, always));
        facts
    }

    fn sequence(&self, pool: &mut Pool) -> Sequence {
        let starts: Vec<Term> = self.changed.iter().map(|variable| variable.start).collect();
        let mut functions = Vec::new();
        let mut seen = FxHashSet::default();
        for variable in pool.free_variables(&[&starts[..], &self.own].concat()) {
            let variable = pool.variable_term(variable);
            if seen.insert(variable) {
                let sort = pool.sort(variable);
                functions.push((variable, function(pool, "at", sort)));
            }
        }
        let counts = (self.counters.len() > 1)
            .then(|| self.counters.iter().map(|_| function(pool, "count", Sort::Int)).collect());
        Sequence { functions, counts }
    }

    /// What the variables of an iteration are where it is preceded by so many others.
    fn at(&self, pool: &mut Pool, sequence: &Sequence, position: Term) -> Meaning {
        let mut pairs = Vec::new();
        for (number, &counter) in self.counters.iter().enumerate() {
            let count = match &sequence.counts {
                Some(counts) => pool.select(counts[number], position),
                None => position,
            };
            pairs.push((counter, count));
        }
        let counters = pairs.clone();
        for &(variable, function) in &sequence.functions {
            pairs.push((variable, pool.select(function, position)));
        }
        for (variable, value) in self.changed.iter().zip(&self.values) {
            if let Iterated::Term(value) = *value
                && matches!(pool.node(variable.start), Node::Var(_))
            {
                let value = pool.substitute(value, &counters);
                if let Some(pair) = pairs.iter_mut().find(|(known, _)| *known == variable.start) {
                    pair.1 = value;
                }
            }
        }
        pairs
    }

    /// What is said about the values of variables at the start of an iteration.
    fn values_at(&self, pool: &mut Pool, here: &Meaning) -> Vec<Term> {
        let counters = &here[..self.counters.len()];
        let mut facts = Vec::new();
        for (at, (variable, value)) in self.changed.iter().zip(&self.values).enumerate() {
            let start = pool.substitute(variable.start, here);
            match *value {
                Iterated::Term(value) => {
                    let value = pool.substitute(value, counters);
                    facts.push(pool.eq(start, value));
                }
                Iterated::Exact(sum) => {
                    let sum = pool.substitute(sum, counters);
                    let start = signed(pool, start);
                    facts.push(pool.eq(start, sum));
                }
                Iterated::Unknown => {}
            }
            facts.extend(self.in_direction(pool, at, &[variable.entry, start, self.behind[at]]));
        }
        for followed in self.followed.iter().flatten() {
            let number = pool.substitute(followed.count, counters);
            facts.extend(followed.facts(pool, number));
        }
        facts
    }

    /// That the first iteration starts with the values at the entry, and the last one ends with those behind the loop.
    fn ends_of(&self, pool: &mut Pool, sequence: &Sequence, positions: [Term; 2]) -> Vec<Term> {
        let [first, last] = positions.map(|position| self.at(pool, sequence, position));
        let mut facts = Vec::new();
        for (at, &counter) in self.counters.iter().enumerate() {
            facts.extend([pool.eq(first[at].1, Pool::ZERO), pool.eq(last[at].1, counter)]);
        }
        for (at, variable) in self.changed.iter().enumerate() {
            let [first, last] = [&first, &last].map(|pairs| pool.substitute(variable.start, pairs));
            facts.extend(self.same(pool, at, first, variable.entry));
            facts.extend(self.same(pool, at, last, self.behind[at]));
        }
        facts
    }

    /// That an iteration goes along a backbone.
    fn along(&self, pool: &mut Pool, backbone: usize, [here, next]: [&Meaning; 2]) -> Vec<Term> {
        let mut facts = Vec::new();
        for counter in 0..self.counters.len() {
            let step = pool.int(i64::from(counter == backbone));
            let sum = pool.add(here[counter].1, step);
            facts.push(pool.eq(next[counter].1, sum));
        }
        let of = &self.backbones[backbone];
        let mut all = |terms: &[Term]| terms.iter().map(|&term| pool.substitute(term, here)).collect::<Vec<_>>();
        let (conditions, ends) = (all(&of.condition), all(&of.values));
        let starts: Vec<Term> = self.changed.iter().map(|variable| variable.start).collect();
        let starts = all(&starts);
        facts.extend(conditions);
        for (at, variable) in self.changed.iter().enumerate() {
            let start = pool.substitute(variable.start, next);
            facts.extend(self.same(pool, at, ends[at], start));
        }
        let counters = &here[..self.counters.len()];
        for (array, border) in self.borders(pool) {
            for index in self.writes(pool, array, backbone).unwrap_or_default() {
                let index = pool.substitute(index, here);
                let [end, behind] = [ends[array], self.behind[array]].map(|array| pool.select(array, index));
                facts.push(pool.eq(behind, end));
            }
            let at = (pool.substitute(border.index, counters), border.is_upward);
            let terms = [&facts[..], &ends].concat();
            facts.extend(self.elements(pool, (array, starts[array]), at, &terms));
        }
        facts
    }
}

/// A function from integers.
fn function(pool: &mut Pool, name: &str, sort: Sort) -> Term {
    let sort = pool.array_sort(Sort::Int, sort);
    pool.fresh_var(name, sort)
}
