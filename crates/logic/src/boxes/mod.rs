//! Searches for values of floats, a box of them at a time.
//!
//! A box has a range for each variable. From the ranges of variables follow those of terms ([`crate::float_range`]). A box in which a
//! formula is false is done, and other boxes are narrowed by comparisons with variables, and then split. What ranges do not
//! see is known beside them ([`order`]).

mod build;
mod narrowing;
mod order;
mod range;
mod step;

use crate::domain::Domain;
use crate::eval::Model;
use crate::float_range::Which;
use crate::lanes::Search;
use crate::pool::Pool;
use crate::term::{Node, Sort, Term, VarId};
use build::Builder;
use narrowing::Narrowing;
use order::Known;
use range::Range;
use rustc_hash::FxHashMap;
use step::{Evaluation, Step};

/// Most terms of a conjunction.
const TERMS: usize = 2_000;
/// Most variables.
const VARIABLES: usize = 16;
/// How often a box is narrowed before it is split.
const ROUNDS: usize = 3;
/// How often a box is evaluated at most, and its bounds.
const WORK: u64 = ROUNDS as u64 + 3;

/// A conjunction of formulas, some of which compare floats.
///
/// ```
/// use aback_logic::{Boxes, Domain, FloatFormat, FloatOp, FloatOrder, Pool, Search, Sort};
///
/// let mut pool = Pool::new();
/// let x = pool.fresh_var("x", Sort::Float(FloatFormat::F64));
/// let one = pool.float(FloatFormat::F64, 1f64.to_bits());
/// let square = pool.float_binary(FloatOp::Mul, x, x);
/// let sum = pool.float_binary(FloatOp::Add, square, one);
/// let formula = pool.float_compare(FloatOrder::Lt, sum, one);
/// let boxes = Boxes::new(&pool, &Domain::new(), &[formula]).unwrap();
/// assert!(matches!(boxes.search(10_000, &|| false), Search::Exhausted));
/// ```
pub struct Boxes {
    steps: Vec<Step>,
    /// The steps of the formulas, each with the variables in it, as a set of bits.
    formulas: Vec<(usize, u32)>,
    variables: Vec<Variable>,
    start: Vec<Range>,
    known: Known,
    /// Whether there is a variable that has no range, so that no model can be given.
    is_partial: bool,
}

struct Variable {
    id: VarId,
    sort: Sort,
}

impl Boxes {
    /// Prepares a search. `None` if no floats are compared, or if there is too much of them.
    pub fn new(pool: &Pool, domain: &Domain, formulas: &[Term]) -> Option<Boxes> {
        if !pool.compares_floats() {
            return None;
        }
        let terms = pool.subterms(formulas);
        let is_about_floats = |term: &Term| matches!(pool.node(*term), Node::FloatCompare(..) | Node::FloatIsNan(_));
        if terms.len() > TERMS || !terms.iter().any(is_about_floats) {
            return None;
        }
        let mut builder =
            Builder { pool, domain, boxes: Boxes::empty(), numbers: FxHashMap::default(), uses: Vec::new() };
        for &term in &terms {
            let step = builder.step(term)?;
            builder.numbers.insert(term, builder.boxes.steps.len());
            builder.boxes.steps.push(step);
        }
        let Builder { mut boxes, numbers, uses, .. } = builder;
        boxes.known = Known::of(pool, formulas, &numbers);
        boxes.formulas = formulas.iter().map(|formula| (numbers[formula], uses[numbers[formula]])).collect();
        Some(boxes)
    }

    fn empty() -> Boxes {
        Boxes {
            steps: Vec::new(),
            formulas: Vec::new(),
            variables: Vec::new(),
            start: Vec::new(),
            known: Known::default(),
            is_partial: false,
        }
    }

    /// Looks for values with which all formulas are true. A model that is found may still be wrong if the formulas have terms about
    /// which nothing is known. The search stops after so many terms, or when the callback says so.
    pub fn search(&self, budget: u64, is_stopped: &dyn Fn() -> bool) -> Search {
        let mut budget = budget;
        let mut open = vec![self.start.clone()];
        let mut now = Evaluation::default();
        while let Some(mut values) = open.pop() {
            let Some(spent) = budget.checked_sub(WORK * self.steps.len() as u64) else { return Search::Stopped };
            budget = spent;
            if is_stopped() {
                return Search::Stopped;
            }
            let Some(undecided) = self.narrowed(&mut values, &mut now) else { continue };
            // Bounds are short numbers, and those at which something changes.
            for which in [Which::Plain, Which::Least, Which::Greatest].into_iter().filter(|_| !self.is_partial) {
                let point: Vec<Range> = values.iter().map(|range| range.one(which)).collect();
                self.evaluate(&point, &mut now, true);
                let is_true = |(formula, _): &(usize, u32)| matches!(now.ranges[*formula], Range::Truth(false, true));
                if self.formulas.iter().all(is_true) {
                    return Search::Found(self.model(&point));
                }
            }
            let matters = |at: &usize| undecided >> at & 1 == 1;
            let widest = (0..values.len()).filter(matters).max_by_key(|&at| values[at].size());
            let parts = widest.and_then(|at| Some((at, values[at].split()?)));
            let Some((at, parts)) = parts else {
                // What is not known of single values stays unknown.
                self.evaluate(&values, &mut now, true);
                let is_false = |(formula, _): &(usize, u32)| matches!(now.ranges[*formula], Range::Truth(_, false));
                match (self.formulas.iter().any(is_false), self.is_partial) {
                    (true, _) => continue,
                    (false, true) => return Search::Stopped,
                    (false, false) => return Search::Found(self.model(&values)),
                }
            };
            for part in parts.into_iter().rev() {
                let mut values = values.clone();
                values[at] = part;
                open.push(values);
            }
        }
        Search::Exhausted
    }

    /// Narrows a box. Returns the variables of formulas that may be false in it, as a set of bits, and all if they are true only because of
    /// each other. `None` if one is false in all of it.
    fn narrowed(&self, values: &mut [Range], now: &mut Evaluation) -> Option<u32> {
        let mut undecided = 0;
        for _ in 0..ROUNDS {
            undecided = 0;
            self.evaluate(values, now, false);
            let mut narrowing = Narrowing { boxes: self, ranges: &now.ranges, values, has_changed: false };
            for &(formula, uses) in &self.formulas {
                match narrowing.ranges[formula] {
                    Range::Truth(_, false) => return None,
                    Range::Truth(false, true) => {}
                    _ => {
                        undecided |= uses;
                        narrowing.assume(formula, true)?;
                    }
                }
            }
            if undecided == 0 || !narrowing.has_changed {
                break;
            }
        }
        Some(if undecided == 0 { u32::MAX } else { undecided })
    }

    fn model(&self, values: &[Range]) -> Model {
        let mut model = Model::new();
        for (variable, range) in self.variables.iter().zip(values) {
            if let Some(value) = range.one(Which::Plain).value(variable.sort) {
                model.set(variable.id, value);
            }
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluator, Value};
    use crate::term::{BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder};

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % limit
        }

        fn of<T: Copy>(&mut self, list: &[T]) -> T {
            list[self.below(list.len())]
        }
    }

    const VALUES: [f64; 17] = [
        f64::NAN,
        f64::NEG_INFINITY,
        -3.5,
        -1.0,
        -1e-40,
        -0.0,
        0.0,
        1e-42,
        1e-38,
        0.1,
        0.5,
        1.0,
        1.5,
        3.0,
        1e9,
        3e38,
        f64::INFINITY,
    ];

    fn bits(format: FloatFormat, value: f64) -> u64 {
        match format {
            FloatFormat::F32 => (value as f32).to_bits().into(),
            FloatFormat::F64 => value.to_bits(),
        }
    }

    /// A random term over some floats.
    fn float(pool: &mut Pool, format: FloatFormat, floats: &[Term], random: &mut Random, depth: u32) -> Term {
        if depth == 0 || random.below(4) == 0 {
            return match random.below(3) {
                0 => pool.float(format, bits(format, random.of(&VALUES))),
                _ => random.of(floats),
            };
        }
        let part = |pool: &mut Pool, random: &mut Random| float(pool, format, floats, random, depth - 1);
        match random.below(10) {
            0 => {
                let a = part(pool, random);
                pool.float_neg(a)
            }
            1 => {
                let function =
                    random.of(&[FloatFunction::Abs, FloatFunction::Sqrt, FloatFunction::Floor, FloatFunction::Rint]);
                let a = part(pool, random);
                pool.float_unary(function, a)
            }
            2 => {
                let a = part(pool, random);
                let whole = pool.convert(Conversion::FloatToBv(32), a);
                pool.convert(Conversion::BvToFloat { signed: true, format }, whole)
            }
            3 => {
                let a = part(pool, random);
                let two = pool.float(format, bits(format, random.of(&[0.5, 2.0, 4.0])));
                pool.float_binary(random.of(&[FloatOp::Mul, FloatOp::Div]), a, two)
            }
            4 => {
                let other = if format == FloatFormat::F32 { FloatFormat::F64 } else { FloatFormat::F32 };
                let a = part(pool, random);
                let converted = pool.convert(Conversion::FloatToFloat(other), a);
                pool.convert(Conversion::FloatToFloat(format), converted)
            }
            5 => {
                let a = part(pool, random);
                pool.float_binary(random.of(&[FloatOp::Add, FloatOp::Mul, FloatOp::Sub, FloatOp::Div]), a, a)
            }
            _ => {
                let op = random.of(&[FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem]);
                let (a, b) = (part(pool, random), part(pool, random));
                pool.float_binary(op, a, b)
            }
        }
    }

    /// A random formula over some floats.
    fn formula(pool: &mut Pool, format: FloatFormat, floats: &[Term], random: &mut Random) -> Term {
        let (a, b) = (float(pool, format, floats, random, 3), float(pool, format, floats, random, 3));
        let formula = match random.below(8) {
            0 => pool.eq(a, b),
            1 => pool.float_is_nan(a),
            2 => {
                let [a, b] = [a, b].map(|term| pool.convert(Conversion::FloatToBv(32), term));
                pool.bv_compare(random.of(&[BvOrder::SLt, BvOrder::SLe]), a, b)
            }
            _ => pool.float_compare(random.of(&[FloatOrder::Eq, FloatOrder::Lt, FloatOrder::Le]), a, b),
        };
        match random.below(4) {
            0 => pool.not(formula),
            1 => {
                let other = pool.float_compare(FloatOrder::Le, floats[0], floats[1]);
                pool.or(formula, other)
            }
            _ => formula,
        }
    }

    #[test]
    fn no_values_are_missed_and_those_found_are_models() {
        let (mut exhausted, mut found) = (0, 0);
        for seed in 0..3_000 {
            let mut random = Random(seed);
            let format = random.of(&[FloatFormat::F32, FloatFormat::F64]);
            let mut pool = Pool::new();
            let floats = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Float(format)));
            let number = 1 + random.below(4);
            let mut formulas: Vec<Term> =
                (0..number).map(|_| formula(&mut pool, format, &floats, &mut random)).collect();
            if random.below(3) == 0 {
                let [low, high] = [1.0, 1000.0].map(|value| pool.float(format, bits(format, value)));
                formulas.push(pool.float_compare(FloatOrder::Le, low, floats[0]));
                formulas.push(pool.float_compare(FloatOrder::Le, floats[0], high));
            }
            let Some(boxes) = Boxes::new(&pool, &Domain::new(), &formulas) else { continue };
            let is_model = |pool: &Pool, model: Model| {
                let mut evaluator = Evaluator::new(model);
                formulas.iter().all(|&formula| evaluator.holds(pool, formula) == Some(true))
            };
            match boxes.search(100_000, &|| false) {
                Search::Found(model) => {
                    found += 1;
                    assert!(is_model(&pool, model.clone()), "seed {seed}: {} {model:?}", show(&pool, &formulas));
                }
                Search::Exhausted => {
                    exhausted += 1;
                    let ids = pool.free_variables(&floats);
                    for (x, y) in VALUES.iter().flat_map(|&x| VALUES.iter().map(move |&y| (x, y))) {
                        let mut model = Model::new();
                        for (&id, value) in ids.iter().zip([x, y]) {
                            let value = pool.float(format, bits(format, value));
                            model.set(id, Value::Float(format, pool.as_float(value).unwrap()));
                        }
                        assert!(!is_model(&pool, model), "seed {seed}, {x} {y}: {}", show(&pool, &formulas));
                    }
                }
                Search::Stopped => {}
            }
        }
        assert!(exhausted > 300 && found > 1_000, "{exhausted} without values, {found} with some");
    }

    fn show(pool: &Pool, formulas: &[Term]) -> String {
        formulas.iter().map(|&formula| pool.show(formula)).collect::<Vec<_>>().join("; ")
    }
}
