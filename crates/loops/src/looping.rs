//! The condition that all iterations of a loop satisfy (paper 5, section 3.1), and its instances.

use crate::{Backbone, Changed};
use aback_logic::{Node, Pool, Sort, Term};

/// The condition of κ₁ iterations of a loop along its first backbone, κ₂ along the second, and so on: for each backbone
/// `i` and each `τᵢ` with `0 <= τᵢ < κᵢ`, some numbers `τⱼ` with `0 <= τⱼ <= κⱼ` of iterations along the others came
/// before iteration `τᵢ`, and its conditions hold for the values after these.
///
/// It has a universal quantifier, which is never built: [`Looping::ends`] gives what it says about the first and the last
/// iteration along each backbone, and [`Looping::unfolded`] about the first ones. Less than all instances is a weaker condition, so that what contradicts it
/// contradicts the whole condition (paper 5, section 6). Conditions such as `κᵢ <= K` would make it stronger.
#[derive(Clone, Debug)]
pub struct Looping {
    /// The path counters κ.
    counters: Vec<Term>,
    /// The variables τ in the conditions of iterations.
    before: Vec<Term>,
    iterations: Vec<Iteration>,
    /// What holds after any numbers τ of iterations.
    always: Vec<Term>,
    /// The variables of a single iteration.
    own: Vec<Term>,
    /// Bounds of the counters, where they are known.
    limits: Vec<Option<u32>>,
}

/// The conditions of an iteration along one backbone, behind `τ` iterations.
#[derive(Clone, Debug)]
struct Iteration {
    condition: Vec<Term>,
    inner: Vec<Looping>,
}

impl Looping {
    /// The condition of iterations along these backbones. `found` are the iterated values of the changed variables over
    /// the counters, where they are known.
    pub(crate) fn new(
        pool: &mut Pool,
        changed: &[Changed],
        backbones: Vec<Backbone>,
        (counters, found): (Vec<Term>, &[Option<Term>]),
        own: &[Term],
    ) -> Looping {
        let before: Vec<Term> = counters.iter().map(|_| pool.fresh_var("τ", Sort::Int)).collect();
        let shifted: Vec<(Term, Term)> = counters.iter().copied().zip(before.iter().copied()).collect();
        let mut own = own.to_vec();
        // The values at the start of the iteration: variables are replaced, and of other starts it is said that they are
        // equal to them.
        let (mut pairs, mut equalities) = (Vec::new(), Vec::new());
        for (variable, value) in changed.iter().zip(found) {
            let value = value.map(|value| pool.substitute(value, &shifted));
            match value {
                Some(value) if matches!(pool.node(variable.start), Node::Var(_)) => pairs.push((variable.start, value)),
                value => {
                    own.extend(pool.free_variables(&[variable.start]).into_iter().map(|free| pool.variable_term(free)));
                    equalities.extend(value.map(|value| pool.eq(variable.start, value)));
                }
            }
        }
        let iterations = backbones.into_iter().map(|backbone| {
            let mut condition: Vec<Term> =
                backbone.condition.iter().map(|&part| pool.substitute(part, &pairs)).collect();
            condition.extend(&equalities);
            let inner = backbone.inner.iter().map(|inner| inner.substituted(pool, &pairs)).collect();
            Iteration { condition, inner }
        });
        let iterations = iterations.collect();
        let limits = vec![None; counters.len()];
        Looping { counters, before, iterations, always: Vec::new(), own, limits }
    }

    /// The path counters, one for each backbone.
    pub fn counters(&self) -> &[Term] {
        &self.counters
    }

    /// States what holds after any numbers of iterations. The fact is over the counters.
    pub fn add_invariant(&mut self, pool: &mut Pool, fact: Term) {
        let shifted: Vec<(Term, Term)> = self.counters.iter().copied().zip(self.before.iter().copied()).collect();
        self.always.push(pool.substitute(fact, &shifted));
    }

    /// States that a counter is at most `limit`.
    pub fn set_limit(&mut self, counter: usize, limit: u32) {
        self.limits[counter] = Some(limit);
    }

    /// The condition with terms replaced, counters included.
    fn substituted(&self, pool: &mut Pool, pairs: &[(Term, Term)]) -> Looping {
        let mut all =
            |terms: &[Term]| -> Vec<Term> { terms.iter().map(|&term| pool.substitute(term, pairs)).collect() };
        let (counters, always) = (all(&self.counters), all(&self.always));
        let conditions: Vec<Vec<Term>> = self.iterations.iter().map(|iteration| all(&iteration.condition)).collect();
        let iterations = self.iterations.iter().zip(conditions).map(|(iteration, condition)| Iteration {
            condition,
            inner: iteration.inner.iter().map(|inner| inner.substituted(pool, pairs)).collect(),
        });
        let iterations = iterations.collect();
        let (before, own, limits) = (self.before.clone(), self.own.clone(), self.limits.clone());
        Looping { counters, before, iterations, always, own, limits }
    }

    /// What holds for the counters alone: they are not negative, and what holds after any numbers of iterations.
    pub fn bounds(&self, pool: &mut Pool) -> Vec<Term> {
        let zero = pool.int(0);
        let mut facts: Vec<Term> = self.counters.iter().map(|&counter| pool.le(zero, counter)).collect();
        let at_end: Vec<(Term, Term)> = self.before.iter().copied().zip(self.counters.iter().copied()).collect();
        facts.extend(self.always.iter().map(|&fact| pool.substitute(fact, &at_end)).collect::<Vec<_>>());
        for (limit, &counter) in self.limits.iter().zip(&self.counters) {
            if let Some(limit) = limit {
                let limit = pool.int(i64::from(*limit));
                facts.push(pool.le(counter, limit));
            }
        }
        facts
    }

    /// What the condition says about the iteration along a backbone that is preceded by `at` others along it, if there is
    /// one: the numbers of iterations along the others, and the conditions. Conditions of inner loops are unfolded up to
    /// `most`.
    fn instance(&self, pool: &mut Pool, backbone: usize, at: Term, most: u32) -> (Vec<Term>, Vec<Term>) {
        let (mut before, mut facts) = (Vec::new(), Vec::new());
        let zero = pool.int(0);
        for (other, &counter) in self.counters.iter().enumerate() {
            before.push(if other == backbone {
                at
            } else {
                let number = pool.fresh_var("τ", Sort::Int);
                facts.extend([pool.le(zero, number), pool.le(number, counter)]);
                number
            });
        }
        let mut pairs: Vec<(Term, Term)> = self.before.iter().copied().zip(before.iter().copied()).collect();
        for &own in &self.own {
            let sort = pool.sort(own);
            let name = match *pool.node(own) {
                Node::Var(id) => pool.variable(id).name.clone(),
                _ => continue,
            };
            pairs.push((own, pool.fresh_var(&name, sort)));
        }
        let Iteration { condition, inner } = &self.iterations[backbone];
        facts
            .extend(self.always.iter().chain(condition).map(|&part| pool.substitute(part, &pairs)).collect::<Vec<_>>());
        for inner in inner {
            let inner = inner.substituted(pool, &pairs);
            facts.extend(inner.bounds(pool));
            facts.extend(inner.ends(pool, most.min(1)));
            facts.extend(inner.unfolded(pool, most));
        }
        (before, facts)
    }

    /// What the condition says about the first and the last iteration along each backbone.
    pub fn ends(&self, pool: &mut Pool, most: u32) -> Vec<Term> {
        let (zero, one) = (pool.int(0), pool.int(1));
        let mut facts = Vec::new();
        for backbone in 0..self.counters.len() {
            let counter = self.counters[backbone];
            let is_some = pool.lt(zero, counter);
            let last = pool.sub(counter, one);
            for at in [zero, last] {
                let (_, instance) = self.instance(pool, backbone, at, most);
                let instance = pool.and_all(&instance);
                facts.push(pool.implies(is_some, instance));
            }
        }
        facts
    }

    /// What the condition says about the first `most` iterations along each backbone, or about all if there are no more.
    /// It also says that the iterations have one order: what came before an iteration came before each later one along
    /// the same backbone, and of two iterations along two backbones, exactly one came first.
    pub fn unfolded(&self, pool: &mut Pool, most: u32) -> Vec<Term> {
        let mut facts = Vec::new();
        let mut places: Vec<Vec<Vec<Term>>> = Vec::new();
        for backbone in 0..self.counters.len() {
            let counter = self.counters[backbone];
            let most = self.limits[backbone].unwrap_or(most);
            let mut along: Vec<Vec<Term>> = Vec::new();
            for at in 0..most {
                let at = pool.int(i64::from(at));
                let is_one = pool.lt(at, counter);
                let (before, mut instance) = self.instance(pool, backbone, at, most);
                if let Some(earlier) = along.last() {
                    let ordered = earlier.iter().zip(&before).map(|(&one, &other)| pool.le(one, other));
                    instance.extend(ordered.collect::<Vec<_>>());
                }
                let instance = pool.and_all(&instance);
                facts.push(pool.implies(is_one, instance));
                along.push(before);
            }
            places.push(along);
        }
        facts.extend(self.one_order(pool, &places));
        facts
    }

    /// Of iteration `t` along `i` and iteration `u` along `j`, the first comes first if and only if at least as many along
    /// `i` precede the second as `t + 1`, and the second if and only if at least `u + 1` along `j` precede the first.
    fn one_order(&self, pool: &mut Pool, places: &[Vec<Vec<Term>>]) -> Vec<Term> {
        let mut facts = Vec::new();
        for i in 0..places.len() {
            for j in i + 1..places.len() {
                for (t, here) in places[i].iter().enumerate() {
                    for (u, there) in places[j].iter().enumerate() {
                        let [t, u] = [t, u].map(|at| pool.int(at as i64));
                        let exist = [(t, self.counters[i]), (u, self.counters[j])];
                        let exist: Vec<Term> = exist.iter().map(|&(at, counter)| pool.lt(at, counter)).collect();
                        let exist = pool.and_all(&exist);
                        let first = pool.lt(t, there[i]);
                        let second = pool.lt(u, here[j]);
                        let one = pool.xor(first, second);
                        facts.push(pool.implies(exist, one));
                    }
                }
            }
        }
        facts
    }
}
