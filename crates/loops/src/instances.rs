//! What the looping condition says about single iterations.

use crate::last_written::Looked;
use crate::looping::{Bits, Direction, Iterated, Looping, Position, at_most, signed};
use crate::written::Border;
use aback_logic::{BvOp, Node, Pool, Sort, Term};

/// Of an inner loop, this fraction (one in `INNER`) of iterations is looked at.
const INNER: u32 = 3;

/// The borders of arrays that have one.
pub(crate) type Borders = Vec<(usize, Border)>;

/// One iteration.
pub(crate) struct Instance {
    pub(crate) backbone: usize,
    /// How many iterations along each backbone precede it.
    before: Vec<Term>,
    /// The values of the changed variables at its start.
    starts: Vec<Term>,
    /// The values after it.
    pub(crate) ends: Vec<Term>,
    /// What holds if there is this iteration.
    pub(crate) conditions: Vec<Term>,
    /// What the variables of an iteration are in this one.
    pub(crate) pairs: Vec<(Term, Term)>,
}

/// The last iterations along each backbone, for what is said about others.
pub struct LastIterations {
    pub(crate) borders: Borders,
    pub(crate) last: Vec<Instance>,
    facts: Vec<Term>,
}

impl LastIterations {
    /// What holds of them.
    pub fn facts(&self) -> &[Term] {
        &self.facts
    }
}

/// The iterations whose conditions are looked at one by one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfolding {
    /// The first ones along each backbone: so many.
    pub first: u32,
    /// All along backbones whose number of iterations has a known bound that is not greater.
    pub bounded: u32,
}

impl Unfolding {
    /// The iterations of an inner loop that are looked at in each iteration of the outer one: fewer, as they multiply.
    fn inner(self) -> Unfolding {
        Unfolding { first: self.first / INNER, ..self }
    }
}

/// The condition of the first iterations along each backbone.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// What it says.
    pub facts: Vec<Term>,
    /// For each backbone, how many iterations precede the first one along it, the second, and so on.
    pub positions: Vec<Vec<Term>>,
}

impl Looping {
    /// What the condition says about the iteration along a backbone that is preceded by `at` others along it. Conditions
    /// of inner loops are unfolded, or left out. What holds whether there is such an iteration or not goes to `facts`.
    fn instance(
        &self,
        pool: &mut Pool,
        (backbone, number): (usize, Term),
        borders: &Borders,
        inner: Option<Unfolding>,
        facts: &mut Vec<Term>,
    ) -> Instance {
        let mut before = Vec::new();
        let zero = pool.int(0);
        for (other, &counter) in self.counters.iter().enumerate() {
            before.push(if other == backbone {
                number
            } else {
                // Without such an iteration, this number is any one within its bounds.
                let number = pool.fresh_var("τ", Sort::Int);
                facts.extend([pool.le(zero, number), pool.le(number, counter)]);
                number
            });
        }
        let here: Vec<(Term, Term)> = self.counters.iter().copied().zip(before.iter().copied()).collect();
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let mut conditions = Vec::new();
        renew(pool, &self.own, &mut pairs);
        for (variable, value) in self.changed.iter().zip(&self.values) {
            match *value {
                Iterated::Term(value) if matches!(pool.node(variable.start), Node::Var(_)) => {
                    let value = pool.substitute(value, &here);
                    pairs.push((variable.start, value));
                    continue;
                }
                _ => {
                    let free = pool.free_variables(&[variable.start]);
                    let free: Vec<Term> = free.into_iter().map(|free| pool.variable_term(free)).collect();
                    renew(pool, &free, &mut pairs);
                }
            }
            let start = pool.substitute(variable.start, &pairs);
            match *value {
                Iterated::Unknown => {}
                Iterated::Term(value) => {
                    let value = pool.substitute(value, &here);
                    conditions.push(pool.eq(start, value));
                }
                Iterated::Exact(sum) => {
                    let (sum, start) = (pool.substitute(sum, &here), signed(pool, start));
                    conditions.push(pool.eq(start, sum));
                }
            }
        }
        for followed in self.followed.iter().flatten() {
            let number = pool.substitute(followed.count, &here);
            conditions.extend(followed.facts(pool, number));
        }
        let of = &self.backbones[backbone];
        let mut all =
            |terms: &[Term]| -> Vec<Term> { terms.iter().map(|&term| pool.substitute(term, &pairs)).collect() };
        let starts: Vec<Term> = self.changed.iter().map(|variable| variable.start).collect();
        let (starts, ends) = (all(&starts), all(&of.values));
        conditions.extend(all(&of.condition));
        if let Some(unfolding) = inner {
            for inner in &of.inner {
                let inner = inner.substituted(pool, &pairs);
                conditions.extend(inner.unfolded(pool, unfolding.inner()).facts);
            }
        }
        // What is unknown is as at the entry before the first iteration that changes it, and grows or shrinks from there.
        for (at, variable) in self.changed.iter().enumerate() {
            let same = match pool.sort(variable.start) {
                Sort::Array(_) if borders.iter().any(|(array, _)| *array == at) => Vec::new(),
                Sort::Array(_) => same_elements(pool, [starts[at], variable.entry], &[&conditions[..], &ends].concat()),
                _ => self.same(pool, at, starts[at], variable.entry).into_iter().collect(),
            };
            if !same.is_empty() {
                let changing: Vec<Term> = self.changing(at).map(|backbone| before[backbone]).collect();
                let sum = self.sum(pool, &changing);
                let is_first = pool.eq(sum, zero);
                let same = pool.and_all(&same);
                conditions.push(pool.implies(is_first, same));
            }
            let chain = [variable.entry, starts[at], ends[at], self.behind[at]];
            conditions.extend(self.in_direction(pool, at, &chain));
        }
        for (array, border) in borders {
            // No later iteration writes what this one writes.
            for index in self.writes(pool, *array, backbone).unwrap_or_default() {
                let index = pool.substitute(index, &pairs);
                let [end, behind] = [ends[*array], self.behind[*array]].map(|array| pool.select(array, index));
                conditions.push(pool.eq(behind, end));
            }
            let at = (pool.substitute(border.index, &here), border.is_upward);
            let terms = [&conditions[..], &ends].concat();
            conditions.extend(self.elements(pool, (*array, starts[*array]), at, &terms));
        }
        Instance { backbone, before, starts, ends, conditions, pairs }
    }

    /// The backbones along which iterations change a variable.
    fn changing(&self, variable: usize) -> impl Iterator<Item = usize> {
        let start = self.changed[variable].start;
        (0..self.backbones.len()).filter(move |&backbone| self.backbones[backbone].values[variable] != start)
    }

    /// That values of a variable which follow each other, and their bits, do not change against its direction.
    pub(crate) fn in_direction(&self, pool: &mut Pool, variable: usize, chain: &[Term]) -> Vec<Term> {
        let mut facts = Vec::new();
        for pair in chain.windows(2) {
            facts.extend(self.directions[variable].map(|direction| match direction {
                Direction::Up => at_most(pool, pair[0], pair[1]),
                Direction::Down => at_most(pool, pair[1], pair[0]),
            }));
            facts.extend(self.bits[variable].map(|bits| {
                let (fewer, more) = match bits {
                    Bits::Set => (pair[0], pair[1]),
                    Bits::Cleared => (pair[1], pair[0]),
                };
                let common = pool.bv_binary(BvOp::And, fewer, more);
                pool.eq(common, fewer)
            }));
        }
        facts
    }

    fn sum(&self, pool: &mut Pool, numbers: &[Term]) -> Term {
        let zero = pool.int(0);
        numbers.iter().fold(zero, |sum, &number| pool.add(sum, number))
    }

    /// That there is an iteration along the backbone after those that precede it.
    pub(crate) fn exists(&self, pool: &mut Pool, instance: &Instance) -> Term {
        let (zero, at) = (pool.int(0), instance.before[instance.backbone]);
        let (low, high) = (pool.le(zero, at), pool.lt(at, self.counters[instance.backbone]));
        pool.and(low, high)
    }

    /// That two values of an unknown variable are the same. Nothing is said about arrays: the comparison of whole arrays is
    /// hard for solvers, and has no form over integers.
    pub(crate) fn same(&self, pool: &mut Pool, variable: usize, one: Term, other: Term) -> Option<Term> {
        let is_array = matches!(pool.sort(one), Sort::Array(_));
        (self.values[variable] == Iterated::Unknown && !is_array).then(|| pool.eq(one, other))
    }

    /// That one iteration comes before another.
    fn precedes(&self, pool: &mut Pool, one: &Instance, other: &Instance) -> Term {
        let mut facts = Vec::new();
        for (at, (&before, &later)) in one.before.iter().zip(&other.before).enumerate() {
            facts.push(if at == one.backbone { pool.lt(before, later) } else { pool.le(before, later) });
        }
        for (at, (&end, &start)) in one.ends.iter().zip(&other.starts).enumerate() {
            facts.extend(self.in_direction(pool, at, &[end, start]));
        }
        pool.and_all(&facts)
    }

    /// That two iterations are the same, or that one of them comes first.
    pub(crate) fn ordered(&self, pool: &mut Pool, one: &Instance, other: &Instance) -> Term {
        let mut choices = vec![self.precedes(pool, one, other), self.precedes(pool, other, one)];
        if one.backbone == other.backbone {
            let mut same: Vec<Term> =
                one.before.iter().zip(&other.before).map(|(&one, &other)| pool.eq(one, other)).collect();
            for (at, (&one, &other)) in one.starts.iter().zip(&other.starts).enumerate() {
                same.extend(self.same(pool, at, one, other));
            }
            choices.push(pool.and_all(&same));
        }
        pool.or_all(&choices)
    }

    /// What holds if there is an iteration, under the condition that there is.
    fn guarded(&self, pool: &mut Pool, instance: &Instance) -> Term {
        let exists = self.exists(pool, instance);
        let conditions = pool.and_all(&instance.conditions);
        pool.implies(exists, conditions)
    }

    /// The last iteration along each backbone.
    fn last(&self, pool: &mut Pool, borders: &Borders, facts: &mut Vec<Term>) -> Vec<Instance> {
        let one = pool.int(1);
        self.along_each(pool, borders, facts, |pool, counter| pool.sub(counter, one))
    }

    /// The first iteration along each backbone.
    pub(crate) fn first(&self, pool: &mut Pool, borders: &Borders, facts: &mut Vec<Term>) -> Vec<Instance> {
        self.along_each(pool, borders, facts, |_, _| Pool::ZERO)
    }

    /// The iteration along each backbone that so many precede along it, by its counter.
    fn along_each(
        &self,
        pool: &mut Pool,
        borders: &Borders,
        facts: &mut Vec<Term>,
        before: impl Fn(&mut Pool, Term) -> Term,
    ) -> Vec<Instance> {
        let instances = self.counters.iter().enumerate().map(|(backbone, &counter)| {
            let at = before(pool, counter);
            let instance = self.instance(pool, (backbone, at), borders, None, facts);
            facts.push(self.guarded(pool, &instance));
            instance
        });
        instances.collect()
    }

    /// What the condition says about the first and the last iteration along each backbone and of all.
    pub fn ends(&self, pool: &mut Pool) -> Vec<Term> {
        let mut facts = Vec::new();
        let zero = pool.int(0);
        let borders = self.borders(pool);
        let last = self.last(pool, &borders, &mut facts);
        let some: Vec<Term> = self.counters.iter().map(|&counter| pool.lt(zero, counter)).collect();
        let mut is_first = Vec::new();
        for (backbone, last) in last.iter().enumerate() {
            let mut before = self.sum(pool, &last.before);
            // The last one is the first one if there is only one.
            if self.limits[backbone] != Some(1) {
                let first = self.instance(pool, (backbone, zero), &borders, None, &mut facts);
                facts.push(self.guarded(pool, &first));
                let pairs = first.before.iter().zip(&last.before);
                let ordered: Vec<Term> = pairs.map(|(&one, &other)| pool.le(one, other)).collect();
                let ordered = pool.and_all(&ordered);
                facts.push(pool.implies(some[backbone], ordered));
                before = self.sum(pool, &first.before);
            }
            let at_start = pool.eq(before, zero);
            is_first.push(pool.and(some[backbone], at_start));
        }
        let any = pool.or_all(&some);
        let first = pool.or_all(&is_first);
        facts.push(pool.implies(any, first));
        // Behind the last of all iterations, the values are those behind the loop.
        let mut is_last = Vec::new();
        for (backbone, last) in last.iter().enumerate() {
            let mut parts = vec![some[backbone]];
            for other in (0..self.counters.len()).filter(|&other| other != backbone) {
                parts.push(pool.eq(last.before[other], self.counters[other]));
            }
            for (at, &behind) in self.behind.iter().enumerate() {
                parts.extend(self.same(pool, at, behind, last.ends[at]));
            }
            is_last.push(pool.and_all(&parts));
        }
        let is_last = pool.or_all(&is_last);
        facts.push(pool.implies(any, is_last));
        facts.extend(self.set_last(pool, &last));
        facts
    }

    /// That an unknown variable has the value that the last iteration has given it that changes it, or else that of the entry.
    fn set_last(&self, pool: &mut Pool, last: &[Instance]) -> Vec<Term> {
        let zero = pool.int(0);
        let mut facts = Vec::new();
        for (at, variable) in self.changed.iter().enumerate() {
            let setting: Vec<usize> = self.changing(at).collect();
            let Some(unchanged) = self.same(pool, at, self.behind[at], variable.entry) else { continue };
            // If all iterations change it, the last one does, unless there are none.
            if setting.len() == last.len() {
                let some: Vec<Term> = self.counters.iter().map(|&counter| pool.lt(zero, counter)).collect();
                facts.push(pool.or_all(&[&some[..], &[unchanged]].concat()));
                continue;
            }
            let mut choices = Vec::new();
            for &backbone in &setting {
                let mut parts = vec![pool.lt(zero, self.counters[backbone])];
                parts.push(pool.eq(self.behind[at], last[backbone].ends[at]));
                for &other in setting.iter().filter(|&&other| other != backbone) {
                    parts.push(pool.eq(last[backbone].before[other], self.counters[other]));
                }
                choices.push(pool.and_all(&parts));
            }
            let never: Vec<Term> = setting.iter().map(|&backbone| pool.le(self.counters[backbone], zero)).collect();
            choices.push(pool.and_all(&[&never[..], &[unchanged]].concat()));
            facts.push(pool.or_all(&choices));
        }
        facts
    }

    pub(crate) fn borders(&self, pool: &mut Pool) -> Borders {
        (0..self.changed.len()).filter_map(|array| Some((array, self.border(pool, array)?))).collect()
    }

    /// The last iterations along each backbone.
    pub fn last_iterations(&self, pool: &mut Pool) -> LastIterations {
        let mut facts = Vec::new();
        let borders = self.borders(pool);
        let last = self.last(pool, &borders, &mut facts);
        facts.extend(self.set_last(pool, &last));
        LastIterations { borders, last, facts }
    }

    /// What the condition says about the iteration at a position, if there is one. What is said of elements is said by
    /// [`Looping::last_written`], too.
    pub fn at_position(
        &self,
        pool: &mut Pool,
        position: Position,
        (last, looked): (&LastIterations, &[Looked]),
    ) -> Vec<Term> {
        let mut facts = Vec::new();
        let zero = pool.int(0);
        let borders = &last.borders;
        let all = self.sum(pool, &self.counters.clone());
        let exists = [pool.le(zero, position.before), pool.lt(position.before, all)];
        let exists = pool.and_all(&exists);
        let mut choices = Vec::new();
        for backbone in 0..self.counters.len() {
            let here = self.some_instance(pool, backbone, last, &mut facts);
            let before = self.sum(pool, &here.before);
            let mut parts = vec![pool.eq(before, position.before)];
            parts.extend(&here.conditions);
            parts.extend(self.not_left(pool, looked, &here));
            for (array, border) in borders {
                // No other iteration writes the element.
                if self.writes_once(pool, border, &position) {
                    let [end, behind] =
                        [here.ends[*array], self.behind[*array]].map(|array| pool.select(array, position.index));
                    parts.push(pool.eq(behind, end));
                }
            }
            choices.push(pool.and_all(&parts));
        }
        let one = pool.or_all(&choices);
        facts.push(pool.implies(exists, one));
        for (array, border) in borders {
            if self.writes_once(pool, border, &position) {
                let unchanged = self.is_unchanged(pool, *array, position.index);
                facts.push(pool.or(exists, unchanged));
            }
        }
        facts
    }

    /// An iteration along a backbone. That it exists, and that it comes before the last ones along others or is one of
    /// them, is among its conditions.
    pub(crate) fn some_instance(
        &self,
        pool: &mut Pool,
        backbone: usize,
        last: &LastIterations,
        facts: &mut Vec<Term>,
    ) -> Instance {
        let zero = pool.int(0);
        let number = pool.fresh_var("τ", Sort::Int);
        facts.extend([pool.le(zero, number), pool.le(number, self.counters[backbone])]);
        let mut here = self.instance(pool, (backbone, number), &last.borders, None, facts);
        let exists = self.exists(pool, &here);
        here.conditions.push(exists);
        for last in &last.last {
            let some = pool.lt(zero, self.counters[last.backbone]);
            let ordered = self.ordered(pool, &here, last);
            here.conditions.push(pool.implies(some, ordered));
        }
        here
    }

    /// That an element has the value that it had when control arrived at the loop.
    fn is_unchanged(&self, pool: &mut Pool, array: usize, index: Term) -> Term {
        let [entry, behind] = [self.changed[array].entry, self.behind[array]].map(|array| pool.select(array, index));
        pool.eq(behind, entry)
    }

    /// What the condition says about some iterations, or about all if there are no more. It also says that the iterations have
    /// one order: what came before an iteration came before each later one along the same backbone, and of two iterations along two backbones, exactly one came first.
    pub fn unfolded(&self, pool: &mut Pool, unfolding: Unfolding) -> Unfolded {
        let mut facts = Vec::new();
        let borders = self.borders(pool);
        let mut places: Vec<Vec<Vec<Term>>> = Vec::new();
        for backbone in 0..self.counters.len() {
            let bound = self.limits[backbone].filter(|&bound| bound <= unfolding.bounded);
            let most = bound.unwrap_or(unfolding.first);
            let mut along: Vec<Vec<Term>> = Vec::new();
            for at in 0..most {
                let at = pool.int(i64::from(at));
                let mut instance = self.instance(pool, (backbone, at), &borders, Some(unfolding), &mut facts);
                if let Some(earlier) = along.last() {
                    let ordered = earlier.iter().zip(&instance.before).map(|(&one, &other)| pool.le(one, other));
                    instance.conditions.extend(ordered.collect::<Vec<_>>());
                }
                facts.push(self.guarded(pool, &instance));
                along.push(instance.before);
            }
            places.push(along);
        }
        facts.extend(self.one_order(pool, &places));
        let along = |along: Vec<Vec<Term>>| along.iter().map(|before| self.sum(pool, before)).collect();
        Unfolded { facts, positions: places.into_iter().map(along).collect() }
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

/// That the elements of an array that occur in terms are those of another one.
fn same_elements(pool: &mut Pool, [array, other]: [Term; 2], terms: &[Term]) -> Vec<Term> {
    let mut same = Vec::new();
    for part in pool.subterms(terms) {
        if matches!(pool.node(part), Node::Select(..)) && !matches!(pool.sort(part), Sort::Array(_)) {
            let of_other = pool.substitute(part, &[(array, other)]);
            if of_other != part {
                same.push(pool.eq(part, of_other));
            }
        }
    }
    same
}

/// Adds pairs of variables and new ones.
pub fn renew(pool: &mut Pool, variables: &[Term], pairs: &mut Vec<(Term, Term)>) {
    for &variable in variables {
        if let Node::Var(id) = *pool.node(variable) {
            let (name, sort) = (pool.variable(id).name.clone(), pool.sort(variable));
            pairs.push((variable, pool.fresh_var(&name, sort)));
        }
    }
}
