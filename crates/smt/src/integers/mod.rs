//! Translates questions about machine integers to questions about integers.
//!
//! Solvers decide linear integer arithmetic much faster than the circuits that represent bit-vectors. So a question
//! about bit-vectors is translated to one about integers if every operation in it has an exact integer form. If one
//! operation has none, the whole question stays as it is.
//!
//! # The form
//!
//! The *image* of a bit-vector term `t` of `n` bits is an integer term that is congruent to `t` modulo 2^n, with an
//! interval that contains it. The images of sums, negations and products with constants are the sums, negations and
//! products of the images, without wraparound. If an operation depends on the value itself (an order, an extension, a
//! quotient, an index), the image is *read* as signed or unsigned. If its interval lies within the range, the image
//! is the value; otherwise the right multiple of 2^n is subtracted, by case distinction if few cases are possible and
//! by `mod` otherwise. A comparison with zero modulo 2^n is a disjunction over the multiples of 2^n in the interval
//! of the difference. A bit-vector variable becomes an integer variable, and its range becomes a fact. An array
//! becomes an array over integers: indices and elements are signed values, and the range of each element that is read
//! becomes a fact.
//!
//! # Exactness
//!
//! Let `C₁ … Cₘ` be the formulas of a question, in order, `T(Cᵢ)` their integer forms and `R` the range facts. The
//! claim is that `C₁ ∧ … ∧ Cₘ` has a model if and only if `R ∧ T(C₁) ∧ … ∧ T(Cₘ)` has one.
//!
//! *From bit-vectors to integers.* Each variable gets its signed value. Each array gets the signed values at the
//! signed indices, and 0 elsewhere. `R` holds. *From integers to bit-vectors.* Each variable gets its value modulo
//! 2^n, and so does each element of an array at the indices within the range. This map `h` of arrays is a
//! homomorphism for the translated operations. Indices and elements are written as signed values, so `h` commutes
//! with writes and constant arrays. It commutes with a read because `R` says that the element is in the range, so
//! that the modulus does not change it. Equality of arrays would not commute (two arrays may differ only outside the
//! range), so it has no integer form. Under a quantifier, `R` says this for each value of the bound variable.
//!
//! In both directions, all images are congruent to their terms, by induction over the terms. Each case is arithmetic
//! modulo 2^n and is stated beside its rule. Intervals are facts about the images under `R` and the forms of
//! *earlier* formulas, never of the formula that is being translated or of later ones. So by induction over `i`,
//! `T(C₁) … T(Cᵢ₋₁)` and `R` imply the intervals on which `T(Cᵢ)` relies, and under these `T(Cᵢ)` is equivalent to
//! `Cᵢ`. Hence no formula vanishes because of what it says itself.
//!
//! A model is translated back by the second map, and still tested against the original question.

mod rules;

use aback_logic::{ArrayValue, Domain, Integer, Interval, Model, Node, Pool, Sort, Term, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The integer counterpart of a term.
#[derive(Clone, Debug)]
struct Image {
    /// For a bit-vector, an integer that is congruent to it. For an array, an array over integers. Otherwise an equal
    /// term.
    term: Term,
    /// For a bit-vector, an interval that contains the image.
    interval: Interval,
}

/// Translates questions. Consecutive questions share the translation of their common prefix: formulas are levels of a
/// stack.
#[derive(Default)]
pub(crate) struct Integers {
    /// The images of the terms on the current stack; `None` for a term without an image.
    images: FxHashMap<Term, Option<Image>>,
    /// The elements and variables whose ranges are facts.
    ranged: FxHashSet<Term>,
    /// The divisors that are no constants, by which products with them are understood.
    divisors: Vec<Term>,
    /// The terms with an entry in `images` or `ranged`, in order of insertion.
    trail: Vec<Term>,
    levels: Vec<Level>,
    /// What the formulas so far imply about the integers.
    known: Domain,
    /// The range facts that the current formula needs in addition to those of earlier formulas.
    facts: Vec<Term>,
    /// The integer variable of each bit-vector variable, and the array over integers of each array variable.
    variables: FxHashMap<VarId, Term>,
    /// The original variable of each such integer variable.
    originals: FxHashMap<VarId, VarId>,
    /// Whether products of variables have images.
    products: bool,
}

/// A formula, and the state before its translation.
struct Level {
    formula: Term,
    /// The integer form of the formula, if it has one.
    form: Option<Term>,
    /// Whether the formula contains a bit-vector.
    changed: bool,
    /// The range facts that the formula needs in addition to those of earlier formulas.
    facts: Vec<Term>,
    /// Length of the trail before the formula.
    trail: usize,
    /// Number of divisors before the formula.
    divisors: usize,
    known: Domain,
}

/// A question over integers.
pub(crate) struct Question {
    /// The range facts and the forms of all formulas except the last.
    pub asserted: Vec<Term>,
    /// The form of the last formula.
    pub formula: Term,
}

/// The result of a translation.
pub(crate) enum Translation {
    /// The question contains no bit-vector.
    Unchanged,
    /// Something in the question has no integer form.
    Refused,
    /// The question has this integer form.
    Integers(Question),
}

impl Integers {
    pub(crate) fn new(products: bool) -> Self {
        Integers { products, ..Integers::default() }
    }

    /// Translates the question whether formulas have a common model.
    pub(crate) fn translate(&mut self, pool: &mut Pool, formulas: &[Term]) -> Translation {
        let common = self.levels.iter().zip(formulas).take_while(|(level, formula)| level.formula == **formula).count();
        self.pop(common);
        for &formula in &formulas[common..] {
            if self.levels.last().is_some_and(|level| level.form.is_none()) {
                break;
            }
            self.push(pool, formula);
        }
        let mut question = Question { asserted: Vec::with_capacity(formulas.len()), formula: Pool::TRUE };
        let mut changed = false;
        for level in &self.levels {
            let Some(form) = level.form else {
                return Translation::Refused;
            };
            changed |= level.changed;
            question.asserted.extend(&level.facts);
            question.asserted.push(form);
        }
        question.formula = question.asserted.pop().unwrap_or(Pool::TRUE);
        if changed { Translation::Integers(question) } else { Translation::Unchanged }
    }

    /// Translates a model of integers to a model of the original formulas.
    pub(crate) fn model(&self, pool: &Pool, integers: &Model) -> Model {
        let mut model = Model::new();
        for (variable, value) in integers.variables() {
            let original = self.originals.get(&variable).copied();
            let value = match original {
                Some(original) => value_of(pool, value, pool.variable(original).sort),
                None => Some(value.clone()),
            };
            if let Some(value) = value {
                model.set(original.unwrap_or(variable), value);
            }
        }
        model
    }

    fn push(&mut self, pool: &mut Pool, formula: Term) {
        let (trail, divisors, known) = (self.trail.len(), self.divisors.len(), self.known.clone());
        self.facts.clear();
        let mut form = self.image(pool, formula).map(|image| image.term);
        let facts = std::mem::take(&mut self.facts);
        let changed = form != Some(formula) || !facts.is_empty();
        if let Some(translated) = form {
            let mut learnt = facts.iter().copied().chain([translated]);
            if learnt.any(|fact| self.known.assume(pool, fact).is_err()) {
                // The formula contradicts earlier formulas.
                form = Some(Pool::FALSE);
                self.known = known.clone();
            }
        }
        self.levels.push(Level { formula, form, changed, facts, trail, divisors, known });
    }

    /// Removes all but the first `kept` levels.
    fn pop(&mut self, kept: usize) {
        for level in self.levels.drain(kept..).rev() {
            for term in self.trail.drain(level.trail..) {
                self.images.remove(&term);
                self.ranged.remove(&term);
            }
            self.divisors.truncate(level.divisors);
            self.known = level.known;
        }
    }

    /// The image of a term, or `None` if it has none.
    fn image(&mut self, pool: &mut Pool, term: Term) -> Option<Image> {
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if self.images.contains_key(&top) {
                pending.pop();
                continue;
            }
            if pool.is_stopped() {
                return None;
            }
            let before = pending.len();
            let mut refused = false;
            pool.node(top).for_each_child(|child| match self.images.get(&child) {
                Some(image) => refused |= image.is_none(),
                None => pending.push(child),
            });
            if refused || pending.len() == before {
                pending.truncate(before - 1);
                let image = if refused { None } else { self.level(pool, top) };
                self.images.insert(top, image);
                self.trail.push(top);
            }
        }
        self.known_image(pool, term)
    }

    /// The image of a term in `images`. More may be known about variables and reads now than when the term was
    /// translated.
    fn known_image(&self, pool: &Pool, term: Term) -> Option<Image> {
        let image = self.images.get(&term)?.as_ref()?;
        match pool.node(image.term) {
            Node::Var(_) | Node::Select(..) if matches!(pool.sort(image.term), Sort::Int) => {
                let interval = self.known.interval(pool, image.term);
                Some(Image { term: image.term, interval: interval.meet(&image.interval).unwrap_or(interval) })
            }
            _ => Some(image.clone()),
        }
    }

    /// The integer variable that represents a variable.
    fn variable(&mut self, pool: &mut Pool, variable: VarId) -> Term {
        if let Some(&known) = self.variables.get(&variable) {
            return known;
        }
        let (name, sort) = (pool.variable(variable).name.clone(), pool.variable(variable).sort);
        let sort = integer_sort(pool, sort);
        let image = pool.fresh_var(&name, sort);
        self.variables.insert(variable, image);
        if let Node::Var(id) = *pool.node(image) {
            self.originals.insert(id, variable);
        }
        image
    }
}

/// The sort of the images of a sort's terms. The recursion follows the sort only: array sorts nest only as deep as
/// they were declared.
fn integer_sort(pool: &mut Pool, sort: Sort) -> Sort {
    match sort {
        Sort::BitVec(_) => Sort::Int,
        Sort::Array(array) => {
            let (index, value) = pool.array_parts(array);
            let (index, value) = (integer_sort(pool, index), integer_sort(pool, value));
            pool.array_sort(index, value)
        }
        _ => sort,
    }
}

/// The value of a sort that a value of its integer sort represents. The recursion follows the sort only.
fn value_of(pool: &Pool, value: &Value, sort: Sort) -> Option<Value> {
    match (value, sort) {
        (Value::Int(value), Sort::BitVec(width)) => Some(Value::Bv(width, value.to_bits(width))),
        (Value::Array(array), Sort::Array(sort)) => {
            let (index_sort, value_sort) = pool.array_parts(sort);
            let mut changed = ArrayValue::new(value_of(pool, array.default_value(), value_sort)?);
            for (index, value) in array.entries() {
                // No read or write uses an index outside the range.
                if let (Value::Int(index), Sort::BitVec(width)) = (index, index_sort)
                    && !Interval::machine(width, true).contains(index)
                {
                    continue;
                }
                changed.set(value_of(pool, index, index_sort)?, value_of(pool, value, value_sort)?);
            }
            Some(Value::Array(Rc::new(changed)))
        }
        _ => Some(value.clone()),
    }
}

/// The multiples of `modulus` that an interval contains, as the first and the last factor.
fn multiples(interval: &Interval, modulus: &Integer) -> Option<(Integer, Integer)> {
    let first = interval.low.as_ref()?.div_ceil(modulus)?;
    let last = interval.high.as_ref()?.div_floor(modulus)?;
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_logic::{BvOp, BvOrder};

    #[track_caller]
    fn translated(integers: &mut Integers, pool: &mut Pool, formulas: &[Term]) -> Vec<Term> {
        match integers.translate(pool, formulas) {
            Translation::Integers(question) => question.asserted.into_iter().chain([question.formula]).collect(),
            _ => panic!("it has an integer form"),
        }
    }

    #[test]
    fn bounds_of_earlier_formulas_count_and_no_others() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(32)));
        let (ten, one) = (pool.bv(32, 10), pool.bv(32, 1));
        let next = pool.bv_binary(BvOp::Add, x, one);
        let bound = pool.bv_compare(BvOrder::SLt, x, ten);
        let compared = pool.bv_compare(BvOrder::SLt, next, y);
        let mut integers = Integers::default();
        let wraps = |pool: &Pool, formula: Term| {
            pool.subterms(&[formula]).iter().any(|&term| matches!(pool.node(term), Node::Ite(..)))
        };
        let after = translated(&mut integers, &mut pool, &[bound, compared]);
        // Two range facts and one formula for each variable.
        assert_eq!(after.len(), 6);
        assert!(!wraps(&pool, after[5]));
        let before = translated(&mut integers, &mut pool, &[compared, bound]);
        assert_eq!(before.len(), 6);
        assert!(wraps(&pool, before[4]));
        // The first translation is reproducible afterwards.
        assert_eq!(translated(&mut integers, &mut pool, &[bound, compared]), after);
        // A formula is not simplified by what it says itself, but by what follows from earlier formulas.
        assert_ne!(after[2], Pool::TRUE);
        let eleven = pool.bv(32, 11);
        let weaker = pool.bv_compare(BvOrder::SLt, x, eleven);
        let follows = translated(&mut integers, &mut pool, &[bound, weaker]);
        assert_eq!((follows[2], follows[3]), (after[2], Pool::TRUE));
        let not_bound = pool.not(bound);
        assert_eq!(translated(&mut integers, &mut pool, &[bound, not_bound]).last(), Some(&Pool::FALSE));
    }

    #[test]
    fn sums_wrap_around_once() {
        let mut pool = Pool::new();
        let terms: Vec<Term> = (0..5).map(|_| pool.fresh_var("x", Sort::BitVec(32))).collect();
        let zero = pool.bv(32, 0);
        let sum = terms.iter().fold(zero, |sum, &x| pool.bv_binary(BvOp::Add, sum, x));
        let formula = pool.bv_compare(BvOrder::SLt, sum, zero);
        let form = translated(&mut Integers::default(), &mut pool, &[formula]);
        let wraps = pool.subterms(&form);
        let wraps = wraps.iter().filter(|&&term| matches!(pool.node(term), Node::Ite(..) | Node::IntMod(..)));
        assert_eq!(wraps.count(), 1);
    }
}
