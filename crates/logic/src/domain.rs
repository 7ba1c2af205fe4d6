//! Infers intervals of integer terms from the conditions on a path: paper 4's interval inference (section 3.4.2),
//! made sound (errata 1) and extended from variables to linear combinations and machine integers.

use crate::integer::Integer;
use crate::interval::Interval;
use crate::pool::Pool;
use crate::term::{BvOp, BvOrder, Conversion, Node, Sort, Term};
use rpds::HashTrieMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};

/// Greatest depth to which terms are examined. Below this depth, any value is assumed possible.
const DEPTH: u32 = 24;
/// Number of compound terms that one query examines. After that, any value of other terms is assumed possible.
const FUEL: u32 = 4096;

/// The conditions are contradictory: no values satisfy them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction;

/// Intervals of terms that follow from the conditions assumed so far, and the truth values of those conditions.
/// Cloning is cheap: paths share the common parts of their domains.
///
/// Bit-vector terms are described by the interval of their signed values.
#[derive(Clone)]
pub struct Domain {
    /// Integer terms (variables, products, reads, constant-free sums whose first factor is positive) and bit-vectors.
    intervals: HashTrieMap<Term, Interval, archery::RcK, FxBuildHasher>,
    facts: HashTrieMap<Term, bool, archery::RcK, FxBuildHasher>,
    /// Whether the domain ignores all conditions.
    is_blind: bool,
    /// How often something was learned.
    changes: u64,
}

impl Default for Domain {
    fn default() -> Self {
        Self::new()
    }
}

impl Domain {
    /// A domain without conditions.
    pub fn new() -> Self {
        Domain {
            intervals: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
            facts: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
            is_blind: false,
            changes: 0,
        }
    }

    /// A domain that ignores all conditions and knows only constants, for a path without interval inference.
    pub fn blind() -> Self {
        Domain { is_blind: true, ..Domain::new() }
    }

    /// The values that an integer term, or the signed value of a bit-vector term, can have.
    pub fn interval(&self, pool: &Pool, term: Term) -> Interval {
        if self.is_blind {
            return match (pool.node(term), pool.sort(term)) {
                (Node::Int(value), _) => Interval::point(value.clone()),
                (Node::Bv { width, bits }, _) => Interval::point(Integer::from_signed_bits(*bits, *width)),
                (_, Sort::BitVec(width)) => Interval::machine(width, true),
                _ => Interval::ALL,
            };
        }
        Question::new(self, pool).interval(term, DEPTH)
    }

    /// What is known about a constant-free linear combination as a whole, and whether it is stored with the opposite
    /// sign.
    fn combination(&self, pool: &Pool, parts: &[(Integer, Term)]) -> Option<(Interval, bool)> {
        let flipped = parts.first()?.0.signum() < 0;
        let key = pool.find_combination(parts, flipped)?;
        Some((self.intervals.get(&key)?.clone(), flipped))
    }

    fn known_fact(&self, formula: Term) -> Option<bool> {
        match formula {
            Pool::TRUE => Some(true),
            Pool::FALSE => Some(false),
            _ => self.facts.get(&formula).copied(),
        }
    }

    /// Adds that an integer term, or the signed value of a bit-vector term, lies in an interval.
    ///
    /// # Errors
    ///
    /// No value is left. The domain must not be used any more.
    pub fn limit(&mut self, term: Term, interval: &Interval) -> Result<(), Contradiction> {
        if self.is_blind { Ok(()) } else { self.narrow(term, interval) }
    }

    /// The truth value of a formula, if the conditions decide it.
    pub fn decide(&self, pool: &Pool, formula: Term) -> Option<bool> {
        if self.is_blind { pool.as_bool(formula) } else { Question::new(self, pool).decide(formula, DEPTH) }
    }

    /// Adds a condition.
    ///
    /// # Errors
    ///
    /// The condition contradicts the earlier ones. The domain must not be used any more.
    pub fn assume(&mut self, pool: &mut Pool, formula: Term) -> Result<(), Contradiction> {
        match (self.is_blind, formula) {
            (true, Pool::FALSE) => Err(Contradiction),
            (true, _) => Ok(()),
            (false, _) => self.learn(pool, formula, true),
        }
    }

    /// Learns once more from a condition that was assumed before: what was learned since may tell more about its terms (paper 4's
    /// interval inference with several iterations). Returns whether it does.
    ///
    /// # Errors
    ///
    /// The conditions are contradictory. The domain must not be used any more.
    pub fn refine(&mut self, pool: &mut Pool, formula: Term) -> Result<bool, Contradiction> {
        if self.is_blind {
            return Ok(false);
        }
        let before = self.changes;
        let (mut pending, mut seen) = (vec![(formula, true)], FxHashSet::default());
        while let Some((part, truth)) = pending.pop() {
            match self.known_fact(part) {
                Some(known) if known == truth => {
                    if seen.insert(part) {
                        self.apply(pool, part, truth, &mut pending)?;
                    }
                }
                _ => self.learn(pool, part, truth)?,
            }
        }
        Ok(self.changes > before)
    }

    fn learn(&mut self, pool: &mut Pool, formula: Term, truth: bool) -> Result<(), Contradiction> {
        let mut pending = vec![(formula, truth)];
        while let Some((formula, truth)) = pending.pop() {
            match self.known_fact(formula) {
                Some(known) if known == truth => continue,
                Some(_) => return Err(Contradiction),
                None => self.facts.insert_mut(formula, truth),
            }
            self.changes += 1;
            self.apply(pool, formula, truth, &mut pending)?;
        }
        Ok(())
    }

    /// Narrows intervals by a formula whose truth value is known, and adds the formulas whose truth values follow.
    fn apply(
        &mut self,
        pool: &mut Pool,
        formula: Term,
        truth: bool,
        follow: &mut Vec<(Term, bool)>,
    ) -> Result<(), Contradiction> {
        match (pool.node(formula), truth) {
            (Node::Not(a), _) => follow.push((*a, !truth)),
            (Node::And(parts), true) => follow.extend(parts.iter().map(|&part| (part, true))),
            (Node::Or(parts), false) => follow.extend(parts.iter().map(|&part| (part, false))),
            (Node::Or(_) | Node::And(_), _) => follow.extend(self.unit(pool, formula, truth)?),
            (Node::LeZero(sum), true) => self.learn_sum(pool, *sum, &Interval::at_most(Integer::ZERO))?,
            (Node::LeZero(sum), false) => self.learn_sum(pool, *sum, &Interval::at_least(Integer::ONE))?,
            (Node::EqZero(sum), true) => self.learn_sum(pool, *sum, &Interval::point(Integer::ZERO))?,
            (Node::EqZero(sum), false) => self.learn_nonzero(pool, *sum)?,
            (Node::Eq(a, b), true) if matches!(pool.sort(*a), Sort::BitVec(_)) => {
                let (a, b) = (*a, *b);
                let common = self.interval(pool, a).meet(&self.interval(pool, b)).ok_or(Contradiction)?;
                self.narrow(a, &common)?;
                self.narrow(b, &common)?;
            }
            (Node::BvCompare(order, a, b), _) => {
                let (order, a, b) = (*order, *a, *b);
                self.learn_bv_order(pool, order, a, b, truth)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The only undecided part of a true disjunction (or false conjunction) and its truth value, if exactly one part
    /// is undecided and the others are false (or true).
    fn unit(&self, pool: &Pool, formula: Term, truth: bool) -> Result<Option<(Term, bool)>, Contradiction> {
        let (Node::Or(parts) | Node::And(parts)) = pool.node(formula) else {
            return Ok(None);
        };
        let mut open = None;
        for &part in parts {
            match self.decide(pool, part) {
                Some(decided) if decided == truth => return Ok(None),
                Some(_) => {}
                None if open.is_some() => return Ok(None),
                None => open = Some((part, truth)),
            }
        }
        open.map(Some).ok_or(Contradiction)
    }

    /// Learns that a sum lies in a range. Narrows the linear combination as a whole, and each of its terms by means
    /// of the others.
    fn learn_sum(&mut self, pool: &mut Pool, sum: Term, range: &Interval) -> Result<(), Contradiction> {
        let (constant, parts) = pool.linear(sum);
        let range = range.add(&Interval::point(-&constant));
        if parts.len() > 1 {
            let (key, flipped) = pool.combination_term(&parts);
            self.narrow(key, &if flipped { range.neg() } else { range.clone() })?;
        }
        let intervals: Vec<Interval> = parts.iter().map(|(_, part)| self.interval(pool, *part)).collect();
        // The sums of the terms before and after each term make long sums take linear time.
        let mut after = vec![Interval::point(Integer::ZERO)];
        for ((factor, _), interval) in parts.iter().zip(&intervals).skip(1).rev() {
            after.push(after[after.len() - 1].add(&interval.scale(factor)));
        }
        let mut before = Interval::point(Integer::ZERO);
        for ((factor, part), interval) in parts.iter().zip(&intervals) {
            let others = before.add(&after.pop().unwrap_or_default());
            before = before.add(&interval.scale(factor));
            let own = range.add(&others.neg());
            // `factor·part` lies in `own`: divide, rounding inward.
            let own = if factor.signum() < 0 { own.neg() } else { own };
            let factor = factor.abs();
            let low = own.low.and_then(|low| low.div_ceil(&factor));
            let high = own.high.and_then(|high| high.div_floor(&factor));
            let own = Interval::new(low, high).and_then(|own| own.meet(interval)).ok_or(Contradiction)?;
            self.narrow(*part, &own)?;
        }
        Ok(())
    }

    /// Learns that a sum is not zero. If zero is a bound of its interval, the bound moves.
    fn learn_nonzero(&mut self, pool: &mut Pool, sum: Term) -> Result<(), Contradiction> {
        let interval = self.interval(pool, sum);
        if interval.low.as_ref().is_some_and(Integer::is_zero) {
            self.learn_sum(pool, sum, &Interval::at_least(Integer::ONE))?;
        }
        if interval.high.as_ref().is_some_and(Integer::is_zero) {
            self.learn_sum(pool, sum, &Interval::at_most(Integer::MINUS_ONE))?;
        }
        Ok(())
    }

    fn learn_bv_order(
        &mut self,
        pool: &Pool,
        order: BvOrder,
        a: Term,
        b: Term,
        truth: bool,
    ) -> Result<(), Contradiction> {
        // `!(a < b)` is `b <= a`, and so on.
        let strict = matches!(order, BvOrder::ULt | BvOrder::SLt) == truth;
        let (a, b) = if truth { (a, b) } else { (b, a) };
        let (left, right) = (self.interval(pool, a), self.interval(pool, b));
        if matches!(order, BvOrder::ULt | BvOrder::ULe) {
            // A value that is (unsigned) below a non-negative bound is non-negative as well. Other bounds imply
            // nothing about signed values.
            if right.low.as_ref().is_none_or(|low| low.signum() < 0) {
                return Ok(());
            }
            self.narrow(a, &Interval::at_least(Integer::ZERO))?;
        }
        let gap = if strict { Integer::ONE } else { Integer::ZERO };
        if let Some(high) = &right.high {
            self.narrow(a, &Interval::at_most(high - &gap))?;
        }
        if (matches!(order, BvOrder::SLt | BvOrder::SLe) || left.low.as_ref().is_some_and(|low| low.signum() >= 0))
            && let Some(low) = &left.low
        {
            self.narrow(b, &Interval::at_least(low + &gap))?;
        }
        Ok(())
    }

    /// Intersects the known interval of a term with `interval`.
    fn narrow(&mut self, term: Term, interval: &Interval) -> Result<(), Contradiction> {
        if *interval == Interval::ALL {
            return Ok(());
        }
        match self.intervals.get(&term) {
            None => {
                self.intervals.insert_mut(term, interval.clone());
                self.changes += 1;
            }
            Some(known) => {
                let common = known.meet(interval).ok_or(Contradiction)?;
                if common != *known {
                    self.intervals.insert_mut(term, common);
                    self.changes += 1;
                }
            }
        }
        Ok(())
    }
}

/// One query of a domain. It examines shared subterms once.
struct Question<'a> {
    domain: &'a Domain,
    pool: &'a Pool,
    intervals: RefCell<FxHashMap<Term, Interval>>,
    truths: RefCell<FxHashMap<Term, Option<bool>>>,
    fuel: Cell<u32>,
}

impl<'a> Question<'a> {
    fn new(domain: &'a Domain, pool: &'a Pool) -> Self {
        Question { domain, pool, intervals: RefCell::default(), truths: RefCell::default(), fuel: Cell::new(FUEL) }
    }

    /// Uses one unit of fuel. Returns false if there is none left.
    fn burn(&self) -> bool {
        self.pool.work();
        let fuel = self.fuel.get();
        self.fuel.set(fuel.saturating_sub(1));
        fuel > 0 && !self.pool.is_stopped()
    }

    fn interval(&self, term: Term, depth: u32) -> Interval {
        match self.pool.node(term) {
            Node::Var(_) => {
                let all = match self.pool.sort(term) {
                    Sort::BitVec(width) => Interval::machine(width, true),
                    _ => Interval::ALL,
                };
                match self.domain.intervals.get(&term) {
                    Some(known) => known.meet(&all).unwrap_or(all),
                    None => all,
                }
            }
            Node::Int(value) => Interval::point(value.clone()),
            Node::Bv { width, bits } => Interval::point(Integer::from_signed_bits(*bits, *width)),
            _ => {
                if let Some(found) = self.intervals.borrow().get(&term) {
                    return found.clone();
                }
                let found = self.compound(term, depth);
                self.intervals.borrow_mut().insert(term, found.clone());
                found
            }
        }
    }

    /// The interval of a term that is neither a variable nor a constant.
    fn compound(&self, term: Term, depth: u32) -> Interval {
        let pool = self.pool;
        let known = self.domain.intervals.get(&term);
        if depth == 0 || !self.burn() {
            return known.cloned().unwrap_or_default();
        }
        let next = |term| self.interval(term, depth - 1);
        let structural = match pool.node(term) {
            Node::Sum(constant, parts) => {
                let mut total = Interval::point(constant.clone());
                for (factor, part) in parts {
                    total = total.add(&next(*part).scale(factor));
                }
                match self.domain.combination(pool, parts) {
                    Some((known, flipped)) => {
                        let known = if flipped { known.neg() } else { known };
                        total.meet(&known.add(&Interval::point(constant.clone()))).unwrap_or(total)
                    }
                    None => total,
                }
            }
            Node::Product(parts) => {
                let mut parts = parts.iter().copied().peekable();
                let mut total = Interval::point(Integer::ONE);
                while let Some(part) = parts.next() {
                    let mut factor = next(part);
                    if parts.peek() == Some(&part) {
                        parts.next();
                        factor = square(&factor);
                    }
                    total = total.mul(&factor);
                }
                total
            }
            Node::IntDiv(a, b) => match pool.as_int(*b) {
                Some(divisor) if divisor.signum() > 0 => next(*a).div_by(divisor),
                _ => Interval::ALL,
            },
            Node::IntMod(a, b) => match pool.as_int(*b) {
                Some(divisor) if !divisor.is_zero() => {
                    let below = Interval { low: Some(Integer::ZERO), high: Some(&divisor.abs() - &Integer::ONE) };
                    let dividend = next(*a);
                    if below.includes(&dividend) { dividend } else { below }
                }
                _ => Interval::at_least(Integer::ZERO),
            },
            Node::Ite(condition, then, otherwise) => match self.domain.known_fact(*condition) {
                Some(true) => next(*then),
                Some(false) => next(*otherwise),
                None => {
                    let then = self.branch(*condition, true, *then, depth - 1);
                    then.join(&self.branch(*condition, false, *otherwise, depth - 1))
                }
            },
            Node::Convert(Conversion::BvToInt { signed }, value) => {
                let value_interval = next(*value);
                if *signed || value_interval.low.as_ref().is_some_and(|low| low.signum() >= 0) {
                    value_interval
                } else {
                    Interval::machine(pool.width(*value), false)
                }
            }
            _ => match pool.sort(term) {
                Sort::BitVec(width) => self.bit_vector(term, width, depth),
                _ => Interval::ALL,
            },
        };
        match known {
            // An empty meet means that the path is infeasible; any answer is sound then.
            Some(known) => structural.meet(known).unwrap_or(structural),
            None => structural,
        }
    }

    /// The interval of a branch of an `ite` whose condition has this truth value. The condition may bound the branch:
    /// a value that is taken only if it is in bounds is in bounds.
    fn branch(&self, condition: Term, truth: bool, branch: Term, depth: u32) -> Interval {
        let all = self.interval(branch, depth);
        let parts: &[Term] = match (self.pool.node(condition), truth) {
            (Node::And(parts), true) | (Node::Or(parts), false) => parts,
            _ => &[condition],
        };
        parts.iter().fold(all, |known, &part| {
            let (part, truth) = match *self.pool.node(part) {
                Node::Not(inner) => (inner, !truth),
                _ => (part, truth),
            };
            let Node::BvCompare(order @ (BvOrder::SLt | BvOrder::SLe), a, b) = *self.pool.node(part) else {
                return known;
            };
            // `!(a < b)` is `b <= a`.
            let gap = if (order == BvOrder::SLt) == truth { Integer::ONE } else { Integer::ZERO };
            let (a, b) = if truth { (a, b) } else { (b, a) };
            let bound = if a == branch {
                Interval { low: None, high: self.interval(b, depth).high.map(|high| &high - &gap) }
            } else if b == branch {
                Interval { low: self.interval(a, depth).low.map(|low| &low + &gap), high: None }
            } else {
                return known;
            };
            // An empty meet means that the branch is never taken; any answer is sound then.
            known.meet(&bound).unwrap_or(known)
        })
    }

    /// The interval of a bit-vector's signed value.
    fn bit_vector(&self, term: Term, width: u32, depth: u32) -> Interval {
        let pool = self.pool;
        let all = Interval::machine(width, true);
        let next = |term| self.interval(term, depth - 1);
        let non_negative = |i: &Interval| i.low.as_ref().is_some_and(|low| low.signum() >= 0);
        let exact = match pool.node(term) {
            Node::BvBinary(BvOp::Add, a, b) => next(*a).add(&next(*b)),
            Node::BvBinary(BvOp::Mul, a, b) => next(*a).mul(&next(*b)),
            Node::BvNeg(a) => next(*a).neg(),
            Node::BvBinary(BvOp::And, a, b) => {
                let (a, b) = (next(*a), next(*b));
                match (non_negative(&a), non_negative(&b)) {
                    (true, true) => {
                        Interval { low: Some(Integer::ZERO), high: a.high.zip(b.high).map(|(a, b)| a.min(b)) }
                    }
                    (true, false) => Interval { low: Some(Integer::ZERO), high: a.high },
                    (false, true) => Interval { low: Some(Integer::ZERO), high: b.high },
                    (false, false) => return all,
                }
            }
            Node::Extend { signed, value, .. } => {
                let inner = next(*value);
                if *signed || non_negative(&inner) { inner } else { Interval::machine(pool.width(*value), false) }
            }
            _ => return all,
        };
        // A result that may overflow can be anything.
        if all.includes(&exact) { exact } else { all }
    }

    fn decide(&self, formula: Term, depth: u32) -> Option<bool> {
        if let Some(fact) = self.domain.known_fact(formula) {
            return Some(fact);
        }
        if let Some(&found) = self.truths.borrow().get(&formula) {
            return found;
        }
        let found = self.decide_compound(formula, depth);
        self.truths.borrow_mut().insert(formula, found);
        found
    }

    fn decide_compound(&self, formula: Term, depth: u32) -> Option<bool> {
        let pool = self.pool;
        if depth == 0 || !self.burn() {
            return None;
        }
        let next = |term| self.decide(term, depth - 1);
        match pool.node(formula) {
            Node::Not(a) => next(*a).map(|truth| !truth),
            Node::And(parts) => {
                let mut all = Some(true);
                for &part in parts {
                    match next(part) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None if self.fuel.get() == 0 => return None,
                        None => all = None,
                    }
                }
                all
            }
            Node::Or(parts) => {
                let mut none = Some(false);
                for &part in parts {
                    match next(part) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None if self.fuel.get() == 0 => return None,
                        None => none = None,
                    }
                }
                none
            }
            Node::Ite(condition, then, otherwise) => match next(*condition) {
                Some(true) => next(*then),
                Some(false) => next(*otherwise),
                None => match (next(*then), next(*otherwise)) {
                    (Some(a), Some(b)) if a == b => Some(a),
                    _ => None,
                },
            },
            Node::Eq(a, b) => match (pool.sort(*a), next_bools(next, *a, *b)) {
                (Sort::Bool, Some((a, b))) => Some(a == b),
                (Sort::BitVec(_), _) => {
                    let (a, b) = (self.interval(*a, depth - 1), self.interval(*b, depth - 1));
                    match (a.as_point(), b.as_point()) {
                        (Some(a), Some(b)) => Some(a == b),
                        _ if a.meet(&b).is_none() => Some(false),
                        _ => None,
                    }
                }
                _ => None,
            },
            Node::LeZero(sum) => {
                let interval = self.interval(*sum, depth - 1);
                if interval.high.as_ref().is_some_and(|high| high.signum() <= 0) {
                    Some(true)
                } else if interval.low.as_ref().is_some_and(|low| low.signum() > 0) {
                    Some(false)
                } else {
                    None
                }
            }
            Node::EqZero(sum) => {
                let interval = self.interval(*sum, depth - 1);
                if interval.as_point().is_some_and(Integer::is_zero) {
                    Some(true)
                } else if !interval.contains(&Integer::ZERO) {
                    Some(false)
                } else {
                    None
                }
            }
            Node::BvCompare(order, a, b) => {
                let (a, b) = (self.interval(*a, depth - 1), self.interval(*b, depth - 1));
                let unsigned = matches!(order, BvOrder::ULt | BvOrder::ULe);
                let negative = |i: &Interval| i.low.as_ref().is_none_or(|low| low.signum() < 0);
                if unsigned && (negative(&a) || negative(&b)) {
                    return None;
                }
                let difference = a.add(&b.neg());
                let strict = matches!(order, BvOrder::ULt | BvOrder::SLt);
                let least_false = if strict { Integer::ZERO } else { Integer::ONE };
                if difference.high.is_some_and(|high| high < least_false) {
                    Some(true)
                } else if difference.low.is_some_and(|low| low >= least_false) {
                    Some(false)
                } else {
                    None
                }
            }
            _ => None,
        }
    }
}

fn next_bools(next: impl Fn(Term) -> Option<bool>, a: Term, b: Term) -> Option<(bool, bool)> {
    next(a).zip(next(b))
}

/// The smallest interval that contains the squares of the elements.
fn square(interval: &Interval) -> Interval {
    let product = interval.mul(interval);
    product.meet(&Interval::at_least(Integer::ZERO)).unwrap_or(product)
}
