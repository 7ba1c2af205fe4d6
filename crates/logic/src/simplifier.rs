//! Simplifies terms by what conditions say.

use crate::domain::Domain;
use crate::pool::Pool;
use crate::term::{Node, Sort, Term};
use rustc_hash::FxHashMap;

/// Replaces terms by simpler ones that are equal wherever the conditions of a domain hold: choices that are decided, and variables of
/// which one value is left.
///
/// ```
/// use aback_logic::{Domain, Pool, Simplifier, Sort};
///
/// let mut pool = Pool::new();
/// let (x, y) = (pool.fresh_var("x", Sort::Int), pool.fresh_var("y", Sort::Int));
/// let two = pool.int(2);
/// let is_two = pool.eq(x, two);
/// let choice = pool.ite(is_two, y, x);
/// let mut domain = Domain::new();
/// domain.assume(&mut pool, is_two).unwrap();
/// assert_eq!(Simplifier::new(&domain).simplified(&mut pool, choice), y);
/// assert_eq!(Simplifier::new(&domain).simplified(&mut pool, x), two);
/// ```
pub struct Simplifier<'a> {
    domain: &'a Domain,
    done: FxHashMap<Term, Term>,
}

impl<'a> Simplifier<'a> {
    /// A simplifier with what a domain knows.
    pub fn new(domain: &'a Domain) -> Self {
        Simplifier { domain, done: FxHashMap::default() }
    }

    /// The domain.
    pub fn domain(&self) -> &'a Domain {
        self.domain
    }

    /// A simpler term.
    pub fn simplified(&mut self, pool: &mut Pool, term: Term) -> Term {
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            pool.work();
            if pool.is_stopped() {
                return term;
            }
            let known = self.done.contains_key(&top);
            let simple = if known { None } else { self.step(pool, top, &mut pending) };
            if let Some(simple) = simple {
                self.done.insert(top, simple);
            }
            if known || simple.is_some() {
                pending.pop();
            }
        }
        self.done.get(&term).copied().unwrap_or(term)
    }

    /// A simpler term. `None` if it needs simpler parts, which are added to `pending`.
    fn step(&self, pool: &mut Pool, term: Term, pending: &mut Vec<Term>) -> Option<Term> {
        let known = match *pool.node(term) {
            Node::Ite(condition, then, otherwise) => match self.domain.decide(pool, condition) {
                Some(true) => Some(then),
                Some(false) => Some(otherwise),
                None => None,
            },
            // What it is about is not the variable that the conditions are about.
            Node::Quantified { .. } => return Some(term),
            _ => None,
        };
        if let Some(part) = known {
            let simple = self.done.get(&part).copied();
            pending.extend(simple.is_none().then_some(part));
            return simple;
        }
        if let Some(value) = self.value(pool, term) {
            return Some(value);
        }
        let before = pending.len();
        pool.node(term).for_each_child(|part| {
            if !self.done.contains_key(&part) {
                pending.push(part);
            }
        });
        (pending.len() == before).then(|| pool.rebuild(term, |part| self.done.get(&part).copied().unwrap_or(part)))
    }

    /// The only value that a formula or a variable can have.
    fn value(&self, pool: &mut Pool, term: Term) -> Option<Term> {
        let is_variable = matches!(pool.node(term), Node::Var(_));
        match pool.sort(term) {
            Sort::Bool => self.domain.decide(pool, term).map(|value| pool.bool(value)),
            Sort::Int if is_variable => {
                let value = self.domain.interval(pool, term).as_point().cloned()?;
                Some(pool.integer(value))
            }
            Sort::BitVec(width) if is_variable => {
                let bits = self.domain.interval(pool, term).as_point()?.to_bits(width);
                Some(pool.bv(width, bits))
            }
            _ => None,
        }
    }
}
