//! The condition that all iterations of a loop satisfy (paper 5, section 3.1).

use crate::successors::Successor;
use crate::values::{Found, Steps};
use crate::{Backbone, Changed, Looked};
use aback_logic::{BvOp, BvOrder, Conversion, Integer, Node, Pool, Sort, Term, VarId};
use rustc_hash::FxHashSet;

/// The condition of κ₁ iterations of a loop along its first backbone, κ₂ along the second, and so on: for each backbone
/// `i` and each `τᵢ` with `0 <= τᵢ < κᵢ`, some numbers `τⱼ` with `0 <= τⱼ <= κⱼ` of iterations along the others came
/// before iteration `τᵢ`, and its conditions hold for the values after these.
///
/// It has a universal quantifier, which is never built: [`Looping::ends`] gives what it says about the first and the last
/// iterations, [`Looping::unfolded`] about the first ones along each backbone, and [`Looping::at_position`] about one
/// iteration. Less than all instances is a weaker condition, so that what contradicts it contradicts the whole condition
/// (paper 5, section 6). Conditions such as `κᵢ <= K` would make it stronger.
#[derive(Clone, Debug)]
pub struct Looping {
    /// The path counters κ.
    pub(crate) counters: Vec<Term>,
    pub(crate) changed: Vec<Changed>,
    pub(crate) values: Vec<Iterated>,
    pub(crate) directions: Vec<Option<Direction>>,
    /// How iterations change the bits of machine integers of which nothing else is known.
    pub(crate) bits: Vec<Option<Bits>>,
    /// The values of the changed variables behind the loop.
    pub(crate) behind: Vec<Term>,
    pub(crate) backbones: Vec<Backbone>,
    /// The variables of a single iteration, besides the starts of the changed variables.
    pub(crate) own: Vec<Term>,
    /// Bounds of the counters, where they are known.
    pub(crate) limits: Vec<Option<u32>>,
    steps: Vec<Option<Steps>>,
    /// The sequences that variables follow.
    pub(crate) followed: Vec<Option<Successor>>,
    /// The signed values of indices of elements that are written, as sums without wrap-around.
    pub(crate) sums: Vec<(Term, Term)>,
}

/// What is known of the value of a variable after any numbers of iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Iterated {
    /// Nothing (the paper's ★).
    Unknown,
    /// It is this term over the path counters.
    Term(Term),
    /// It is a machine integer whose signed value is this sum over the path counters: no iteration leads out of the range.
    Exact(Term),
}

/// How iterations change a number of which nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// No iteration makes it less.
    Up,
    /// No iteration makes it greater.
    Down,
}

/// How iterations change the bits of a machine integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// No iteration clears a bit.
    Set,
    /// No iteration sets a bit.
    Cleared,
}

impl Bits {
    /// How bits change if each end of an iteration is the start, or the start joined with something by the same operator:
    /// `flags | more` or `flags & mask`. Only the form of the terms is looked at.
    fn of(pool: &Pool, start: Term, ends: impl Iterator<Item = Term> + Clone) -> Option<Bits> {
        if !matches!(pool.sort(start), Sort::BitVec(_)) {
            return None;
        }
        let is_joined = |wanted: BvOp| {
            ends.clone().all(|end| {
                let mut pending = vec![end];
                while let Some(term) = pending.pop() {
                    match *pool.node(term) {
                        _ if term == start => return true,
                        Node::BvBinary(op, a, b) if op == wanted => pending.extend([a, b]),
                        _ => {}
                    }
                }
                false
            })
        };
        [(BvOp::Or, Bits::Set), (BvOp::And, Bits::Cleared)]
            .into_iter()
            .find(|&(op, _)| is_joined(op))
            .map(|(_, bits)| bits)
    }
}

/// An iteration that may look at an element of an array, or write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of iterations that precede it.
    pub before: Term,
    /// The index of the element.
    pub index: Term,
}

impl Looping {
    pub(crate) fn new(
        pool: &mut Pool,
        changed: &[Changed],
        backbones: Vec<Backbone>,
        counters: Vec<Term>,
        found: Found,
        own: &[Term],
    ) -> Looping {
        let Found { values, steps, followed } = found;
        let behind = changed.iter().zip(&values).map(|(variable, value)| {
            value.unwrap_or_else(|| {
                let sort = pool.sort(variable.start);
                pool.fresh_var("any", sort)
            })
        });
        let behind: Vec<Term> = behind.collect();
        let bits = changed.iter().zip(&values).enumerate().map(|(at, (variable, value))| match value {
            Some(_) => None,
            None => Bits::of(pool, variable.start, backbones.iter().map(|backbone| backbone.values[at])),
        });
        let bits = bits.collect();
        Looping {
            behind,
            limits: vec![None; counters.len()],
            directions: vec![None; changed.len()],
            bits,
            values: values.into_iter().map(|value| value.map_or(Iterated::Unknown, Iterated::Term)).collect(),
            changed: changed.to_vec(),
            counters,
            backbones,
            own: own.to_vec(),
            steps,
            followed,
            sums: Vec::new(),
        }
    }

    /// The path counters, one for each backbone.
    pub fn counters(&self) -> &[Term] {
        &self.counters
    }

    /// The variables that the loop changes.
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// What is known of their values.
    pub fn values(&self) -> &[Iterated] {
        &self.values
    }

    /// Their values behind the loop.
    pub fn behind(&self) -> &[Term] {
        &self.behind
    }

    /// The backbones.
    pub fn backbones(&self) -> &[Backbone] {
        &self.backbones
    }

    /// The variables of a single iteration, besides the starts of the changed variables.
    pub fn own(&self) -> &[Term] {
        &self.own
    }

    /// What each backbone adds to a variable (`None` for nothing), if each adds something that is the same in all iterations.
    pub fn steps(&self, variable: usize) -> Option<&[Option<Term>]> {
        self.steps[variable].as_deref()
    }

    /// Whether a variable goes on to the next member of a list.
    pub fn follows(&self, variable: usize) -> bool {
        self.followed[variable].is_some()
    }

    /// Leaves out conditions of iterations that the formulas of the values imply.
    pub fn leave_out(&mut self, conditions: &[Term]) {
        for backbone in &mut self.backbones {
            backbone.condition.retain(|condition| !conditions.contains(condition));
        }
    }

    /// Whether a formula gives the value of a variable, as an integer that no iteration leads out of its range.
    pub fn is_exact(&self, pool: &Pool, variable: usize) -> bool {
        match self.values[variable] {
            Iterated::Unknown => false,
            Iterated::Term(_) => pool.sort(self.changed[variable].start) == Sort::Int,
            Iterated::Exact(_) => true,
        }
    }

    /// Whether some iterations add to a variable and others subtract, by known numbers: the formula of its value does not say how far it
    /// gets on the way, which depends on the order of iterations.
    pub fn goes_both_ways(&self, pool: &Pool, variable: usize) -> bool {
        let signs = self.steps(variable).into_iter().flatten().filter_map(|step| match pool.node((*step)?) {
            Node::Int(step) => Some(step.signum()),
            Node::Bv { width, bits } => Some(Integer::from_signed_bits(*bits, *width).signum()),
            _ => None,
        });
        let signs: Vec<i32> = signs.collect();
        signs.contains(&1) && signs.contains(&-1)
    }

    /// States that a variable without a known value has this one behind the loop.
    pub fn set_behind(&mut self, variable: usize, value: Term) {
        self.behind[variable] = value;
    }

    /// States that the signed value of a machine integer is a sum over the counters that no iteration leads out of the
    /// range. From then on, its value behind the loop is a variable, which [`Looping::bounds`] describes.
    pub fn set_exact(&mut self, pool: &mut Pool, variable: usize, sum: Term) {
        self.values[variable] = Iterated::Exact(sum);
        let sort = pool.sort(self.changed[variable].start);
        self.behind[variable] = pool.fresh_var("any", sort);
    }

    /// States how iterations change a variable: an integer, or a machine integer by its signed value.
    pub fn set_direction(&mut self, variable: usize, direction: Direction) {
        self.directions[variable] = Some(direction);
    }

    /// States that a counter is at most `limit`.
    pub fn set_limit(&mut self, counter: usize, limit: u32) {
        self.limits[counter] = Some(limit);
    }

    /// The condition with terms replaced, counters included. Its own variables are bound: [`Looping`] replaces them in each
    /// instance, so that they must not be others here.
    pub(crate) fn substituted(&self, pool: &mut Pool, pairs: &[(Term, Term)]) -> Looping {
        let starts: Vec<Term> = self.changed.iter().map(|variable| variable.start).collect();
        let bound: FxHashSet<VarId> = pool.free_variables(&[&starts[..], &self.own].concat()).into_iter().collect();
        let is_free = |pool: &Pool, term: Term| !matches!(pool.node(term), Node::Var(id) if bound.contains(id));
        let pairs: Vec<(Term, Term)> = pairs.iter().copied().filter(|&(term, _)| is_free(pool, term)).collect();
        let pairs = &pairs[..];
        let one = |pool: &mut Pool, term: Term| pool.substitute(term, pairs);
        let all = |pool: &mut Pool, terms: &[Term]| terms.iter().map(|&term| one(pool, term)).collect::<Vec<_>>();
        let backbones = self.backbones.iter().map(|backbone| Backbone {
            condition: all(pool, &backbone.condition),
            values: all(pool, &backbone.values),
            inner: backbone.inner.iter().map(|inner| inner.substituted(pool, pairs)).collect(),
        });
        let backbones = backbones.collect();
        let values = self.values.iter().map(|value| match value {
            Iterated::Unknown => Iterated::Unknown,
            Iterated::Term(term) => Iterated::Term(one(pool, *term)),
            Iterated::Exact(sum) => Iterated::Exact(one(pool, *sum)),
        });
        let values = values.collect();
        let changed = self.changed.iter().map(|variable| Changed { entry: one(pool, variable.entry), ..*variable });
        let changed = changed.collect();
        let followed = self.followed.iter().map(|followed| followed.map(|followed| followed.substituted(pool, pairs)));
        let followed = followed.collect();
        let sums = self.sums.iter().map(|&(index, sum)| (one(pool, index), one(pool, sum))).collect();
        Looping {
            changed,
            counters: all(pool, &self.counters),
            behind: all(pool, &self.behind),
            values,
            backbones,
            followed,
            sums,
            ..self.clone()
        }
    }

    /// What holds for the counters and the values behind the loop: counters are not negative and within their limits.
    pub fn bounds(&self, pool: &mut Pool) -> Vec<Term> {
        let zero = pool.int(0);
        let mut facts: Vec<Term> = self.counters.iter().map(|&counter| pool.le(zero, counter)).collect();
        for (limit, &counter) in self.limits.iter().zip(&self.counters) {
            if let Some(limit) = limit {
                let limit = pool.int(i64::from(*limit));
                facts.push(pool.le(counter, limit));
            }
        }
        for (value, &behind) in self.values.iter().zip(&self.behind) {
            if let (Iterated::Exact(sum), Sort::BitVec(width)) = (value.clone(), pool.sort(behind)) {
                let half = pool.integer(Integer::power_of_two(width - 1));
                let lowest = pool.neg(half);
                facts.extend([pool.le(lowest, sum), pool.lt(sum, half)]);
                let behind = signed(pool, behind);
                facts.push(pool.eq(behind, sum));
            }
        }
        for (followed, &behind) in self.followed.iter().zip(&self.behind) {
            if let Some(followed) = followed {
                let value = pool.select(followed.sequence, followed.count);
                facts.push(pool.eq(behind, value));
                facts.extend(followed.facts(pool, followed.count));
            }
        }
        facts
    }

    /// The positions of iterations among all that may matter for what terms say about the elements of arrays: those that
    /// look at an element that the terms look at, too, or write it. The likeliest come first: those of the same array, at
    /// an index with which `elements` are found.
    pub fn positions(&self, pool: &mut Pool, terms: &[Term], elements: &[Looked]) -> Vec<Position> {
        let read = |pool: &Pool, part: Term| match *pool.node(part) {
            Node::Select(array, index) => Some((array, index)),
            _ => None,
        };
        let looked: Vec<(Term, Term)> = pool.subterms(terms).into_iter().filter_map(|part| read(pool, part)).collect();
        let all: Vec<Term> =
            self.backbones.iter().flat_map(|backbone| [&backbone.condition[..], &backbone.values].concat()).collect();
        let iterated: Vec<(Term, Term)> = pool
            .subterms(&all)
            .into_iter()
            .filter_map(|part| match *pool.node(part) {
                Node::Store(array, index, _) => Some((array, index)),
                _ => read(pool, part),
            })
            .collect();
        let behind: Vec<(Term, Term)> =
            self.changed.iter().zip(&self.behind).map(|(variable, &behind)| (variable.start, behind)).collect();
        let addresses: Vec<Term> = elements.iter().flat_map(Looked::address).copied().collect();
        let found_with: FxHashSet<Term> = pool.subterms(&addresses).into_iter().collect();
        let mut positions: Vec<((bool, bool, bool), Position)> = Vec::new();
        for (at, variable) in self.changed.iter().enumerate() {
            let Some(forward) = self.counts(pool, at) else { continue };
            for &(array, iterated_at) in &iterated {
                let array_behind = pool.substitute(array, &behind);
                for &(of, index) in &looked {
                    if pool.sort(of) != pool.sort(array) {
                        continue;
                    }
                    let Some(value) = value_with(pool, iterated_at, variable.start, index) else { continue };
                    let entry = signed(pool, variable.entry);
                    let before = if forward { pool.sub(value, entry) } else { pool.sub(entry, value) };
                    let position = Position { before, index };
                    // What is said about elements at fixed indices is mostly about the first iterations, which are looked
                    // at anyway.
                    let is_fixed = pool.as_int(before).is_some();
                    let rank = (is_fixed, !found_with.contains(&index), array_behind != of);
                    match positions.iter_mut().find(|(_, known)| *known == position) {
                        Some((known, _)) => *known = rank.min(*known),
                        None => positions.push((rank, position)),
                    }
                }
            }
        }
        positions.sort_by_key(|&(rank, _)| rank);
        positions.into_iter().map(|(_, position)| position).collect()
    }

    /// The positions of the iterations that come to the members of lists that occur in terms.
    pub fn members(&self, pool: &mut Pool, terms: &[Term]) -> Vec<Position> {
        let all = self.counters.iter().fold(Pool::ZERO, |sum, &counter| pool.add(sum, counter));
        let sequences: Vec<Term> = self
            .followed
            .iter()
            .flatten()
            .filter(|followed| followed.count == all)
            .map(|followed| followed.sequence)
            .collect();
        let members = pool.subterms(terms).into_iter().filter_map(|member| match *pool.node(member) {
            Node::Select(sequence, before) if sequences.contains(&sequence) => Some(Position { before, index: member }),
            _ => None,
        });
        members.collect()
    }

    /// What holds of elements that terms look at behind the loop if there was no iteration.
    pub fn unchanged(&self, pool: &mut Pool, terms: &[Term]) -> Vec<Term> {
        let zero = pool.int(0);
        let sum = self.counters.iter().fold(zero, |sum, &counter| pool.add(sum, counter));
        let some = pool.lt(zero, sum);
        let mut facts = Vec::new();
        let is_element = |pool: &Pool, part: Term| {
            matches!(pool.node(part), Node::Select(..)) && !matches!(pool.sort(part), Sort::Array(_))
        };
        let parts: Vec<Term> = pool.subterms(terms).into_iter().filter(|&part| is_element(pool, part)).collect();
        for (variable, &behind) in self.changed.iter().zip(&self.behind) {
            for &part in &parts {
                let before = match matches!(pool.sort(behind), Sort::Array(_)) {
                    true => pool.substitute(part, &[(behind, variable.entry)]),
                    false => part,
                };
                if before != part {
                    let same = pool.eq(part, before);
                    facts.push(pool.or(some, same));
                }
            }
        }
        facts
    }

    /// Whether each iteration adds one to a variable (`true`) or takes one from it (`false`).
    fn counts(&self, pool: &mut Pool, variable: usize) -> Option<bool> {
        if !matches!(
            (&self.values[variable], pool.sort(self.changed[variable].start)),
            (Iterated::Exact(_), _) | (Iterated::Term(_), Sort::Int)
        ) {
            return None;
        }
        let steps: Option<Vec<Term>> = self.steps(variable)?.iter().copied().collect();
        let steps: Vec<Term> = steps?.into_iter().map(|step| signed(pool, step)).collect();
        let [one, minus_one] = [1, -1].map(|step| pool.int(step));
        match steps.first()? {
            first if steps.iter().any(|step| step != first) => None,
            &first if first == one => Some(true),
            &first if first == minus_one => Some(false),
            _ => None,
        }
    }
}

/// The signed value of a variable with which a term over it is `other`: for `v + c`, what is `c` less than `other`; for any
/// other term, a part of `other` that takes the place of the variable.
fn value_with(pool: &mut Pool, term: Term, variable: Term, other: Term) -> Option<Term> {
    if let Some(offset) = crate::values::difference(pool, term, variable)
        && (pool.as_int(offset).is_some() || pool.as_bits(offset).is_some())
    {
        let [other, offset] = [other, offset].map(|term| signed(pool, term));
        return Some(pool.sub(other, offset));
    }
    let Node::Var(id) = *pool.node(variable) else { return None };
    if !pool.free_variables(&[term]).contains(&id) {
        return None;
    }
    let parts = pool.subterms(&[other]);
    let fits = |pool: &mut Pool, part: Term| {
        pool.sort(part) == pool.sort(variable) && pool.substitute(term, &[(variable, part)]) == other
    };
    let part = parts.into_iter().find(|&part| fits(pool, part))?;
    Some(signed(pool, part))
}

/// The signed value of a machine integer; an integer stays as it is.
pub fn signed(pool: &mut Pool, term: Term) -> Term {
    match pool.sort(term) {
        Sort::BitVec(_) => pool.convert(Conversion::BvToInt { signed: true }, term),
        _ => term,
    }
}

/// `a <= b`, of machine integers by their signed values.
pub fn at_most(pool: &mut Pool, a: Term, b: Term) -> Term {
    match pool.sort(a) {
        Sort::BitVec(_) => pool.bv_compare(BvOrder::SLe, a, b),
        _ => pool.le(a, b),
    }
}
