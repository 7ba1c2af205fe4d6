//! Repairs models: changes a few values of the path's current model so that a new condition holds.
//!
//! Most conditions in programs compare terms in which some input occurs once. If intervals exclude the current value of an
//! input, the nearest value that they allow is a good guess. If a condition is still false, one input is changed so that it
//! holds: a wanted value is passed down to the input through the inverses of the operations on the way (path propagation in
//! local search for bit-vectors; Niemetz, Preiner and Biere, 2017). Conditions of the path that are false then are made true
//! in the same way. The result is tested like every other model, so that a bad guess costs only a little time.

use aback_logic::{
    ArrayValue, BvOp, BvOrder, Conversion, Domain, Evaluator, Integer, Interval, Model, Node, Pool, Sort, Term, Value,
    VarId, mask,
};
use std::rc::Rc;

/// Greatest number of inputs of a formula that is repaired.
const CELL_LIMIT: usize = 32;
/// Greatest number of subterms of a formula that is repaired.
const TERM_LIMIT: usize = 2_000;
/// Most conditions that are made true again.
const ROUNDS: usize = 8;
/// Most terms to which a wanted value is passed down.
const STEPS: usize = 200;
/// About so many terms are evaluated at most.
const WORK: usize = 200_000;
/// Greatest machine integer, and its negation the least one, to which a smaller one is changed.
const LARGE: i64 = 1 << 20;
/// Most operations between a condition and an input.
const DEPTH: u32 = 40;

/// A model of a formula and of conditions of a path, tested by evaluation. `current` is a model of the path, and `domain`
/// contains the path and the formula.
pub(super) fn repaired(
    pool: &mut Pool,
    domain: &Domain,
    current: &Model,
    formula: Term,
    conditions: &[Term],
) -> Option<Evaluator> {
    let subterms = pool.subterms(&[formula]);
    if subterms.len() > TERM_LIMIT {
        return None;
    }
    let cells: Vec<Term> = subterms.into_iter().filter(|&term| is_cell(pool, term)).collect();
    if cells.len() > CELL_LIMIT {
        return None;
    }
    let model = Evaluator::new(current.clone());
    let kept = conditions.to_vec();
    let mut repair = Repair { pool, domain, kept, model, earlier: Vec::new(), steps: 0 };
    if repair.broken(conditions).is_some() {
        return None;
    }
    let steps = STEPS.min(WORK / repair.model.evaluated().max(1));
    repair.steps = steps;
    for cell in cells {
        repair.clamp(cell)?;
    }
    if repair.make(formula, true, DEPTH) && repair.broken(conditions).is_none() {
        return repair.is_true(formula).then_some(repair.model);
    }
    // What becomes false is made true again.
    repair.kept.clear();
    repair.steps = steps;
    let mut wanted = formula;
    for _ in 0..ROUNDS {
        if !repair.make(wanted, true, DEPTH) {
            return None;
        }
        repair.kept.push(wanted);
        match repair.broken(conditions) {
            Some(broken) => wanted = broken,
            None => return repair.is_true(formula).then_some(repair.model),
        }
    }
    None
}

/// Whether a term is an input: a variable, or a read of an array variable (or of an array in one).
fn is_cell(pool: &Pool, term: Term) -> bool {
    if matches!(pool.sort(term), Sort::Array(_)) {
        return false;
    }
    let mut current = term;
    loop {
        match *pool.node(current) {
            Node::Var(_) => return true,
            Node::Select(array, _) => current = array,
            _ => return false,
        }
    }
}

struct Repair<'a> {
    pool: &'a mut Pool,
    domain: &'a Domain,
    /// What no change may make false.
    kept: Vec<Term>,
    model: Evaluator,
    /// The models before each change so far, oldest first, with what was evaluated under them.
    earlier: Vec<Evaluator>,
    /// How many more terms a wanted value is passed down to.
    steps: usize,
}

impl Repair<'_> {
    fn int(&mut self, term: Term) -> Option<Integer> {
        self.model.value(self.pool, term)?.as_int().cloned()
    }

    /// Moves an input to the nearest value in its interval.
    fn clamp(&mut self, cell: Term) -> Option<()> {
        match self.pool.sort(cell) {
            Sort::Int => {
                let value = self.int(cell)?;
                let near = nearest(&self.domain.interval(self.pool, cell), &value);
                if near != value {
                    self.set(cell, Value::Int(near))?;
                }
            }
            Sort::Bool => {
                if let Some(truth) = self.domain.decide(self.pool, cell)
                    && self.model.holds(self.pool, cell)? != truth
                {
                    self.set(cell, Value::Bool(truth))?;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The first condition that is false.
    fn broken(&mut self, conditions: &[Term]) -> Option<Term> {
        conditions.iter().copied().find(|&condition| !self.is_true(condition))
    }

    fn is_true(&mut self, formula: Term) -> bool {
        self.model.holds(self.pool, formula) == Some(true)
    }

    /// Whether all is true that has to stay true.
    fn is_allowed(&mut self) -> bool {
        (0..self.kept.len()).all(|at| self.is_true(self.kept[at]))
    }

    /// Tries something, and takes back what it has changed if it fails.
    fn attempt(&mut self, change: impl FnOnce(&mut Self) -> bool) -> bool {
        let changes = self.earlier.len();
        let is_done = change(self);
        if !is_done && let Some(before) = self.earlier.drain(changes..).next() {
            self.model = before;
        }
        is_done
    }

    /// Makes a formula true or false by changing one input for each comparison. Returns whether this succeeded.
    fn make(&mut self, formula: Term, truth: bool, depth: u32) -> bool {
        if self.model.holds(self.pool, formula) == Some(truth) {
            return true;
        }
        if self.steps == 0 || depth == 0 {
            return false;
        }
        self.steps -= 1;
        if is_cell(self.pool, formula) {
            return self.attempt(|repair| repair.set(formula, Value::Bool(truth)).is_some() && repair.is_allowed());
        }
        let depth = depth - 1;
        match self.pool.node(formula).clone() {
            Node::Not(inner) => self.make(inner, !truth, depth),
            Node::And(parts) | Node::Or(parts) if matches!(self.pool.node(formula), Node::And(_)) == truth => {
                parts.iter().all(|&part| self.make(part, truth, depth))
                    && self.model.holds(self.pool, formula) == Some(truth)
            }
            Node::And(parts) | Node::Or(parts) => {
                parts.iter().any(|&part| self.attempt(|repair| repair.make(part, truth, depth)))
            }
            Node::Ite(condition, then, otherwise) => {
                let Some(is_then) = self.model.holds(self.pool, condition) else { return false };
                let (chosen, other) = if is_then { (then, otherwise) } else { (otherwise, then) };
                self.attempt(|repair| repair.make(chosen, truth, depth))
                    || self
                        .attempt(|repair| repair.make(condition, !is_then, depth) && repair.make(other, truth, depth))
            }
            Node::LeZero(sum) => self.pass_any(formula, truth, &[(sum, i64::from(!truth))], depth),
            Node::EqZero(sum) if truth => self.pass_any(formula, truth, &[(sum, 0)], depth),
            Node::EqZero(sum) => self.pass_any(formula, truth, &[(sum, 1), (sum, -1)], depth),
            Node::Eq(a, b) => self.equate(formula, truth, (a, b), depth),
            Node::BvCompare(order, a, b) => self.order(formula, truth, (order, a, b), depth),
            _ => false,
        }
    }

    /// Makes a formula true or false by giving one of some integers a value.
    fn pass_any(&mut self, formula: Term, truth: bool, wanted: &[(Term, i64)], depth: u32) -> bool {
        wanted.iter().any(|&(term, value)| self.pass_for((formula, truth), (term, Value::Int(value.into())), depth))
    }

    /// Makes a formula true or false by giving a term a value.
    fn pass_for(&mut self, (formula, truth): (Term, bool), (term, value): (Term, Value), depth: u32) -> bool {
        self.attempt(|repair| {
            repair.pass(term, value, depth)
                && repair.model.holds(repair.pool, formula) == Some(truth)
                && repair.is_allowed()
        })
    }

    /// Makes two terms equal or different.
    fn equate(&mut self, formula: Term, truth: bool, (a, b): (Term, Term), depth: u32) -> bool {
        [(a, b), (b, a)].into_iter().any(|(one, other)| {
            let Some(value) = self.model.value(self.pool, other) else { return false };
            match value {
                Value::Bool(value) => self.attempt(|repair| repair.make(one, value == truth, depth)),
                _ if truth => self.pass_for((formula, truth), (one, value), depth),
                Value::Bv(width, bits) => [bits.wrapping_add(1), bits.wrapping_sub(1)]
                    .into_iter()
                    .any(|bits| self.pass_for((formula, truth), (one, vector(width, bits)), depth)),
                _ => false,
            }
        })
    }

    /// Makes a comparison true or false: one side becomes the nearest value to the other one.
    fn order(&mut self, formula: Term, truth: bool, (order, a, b): (BvOrder, Term, Term), depth: u32) -> bool {
        // What is not less is greater or equal.
        let is_strict = matches!(order, BvOrder::ULt | BvOrder::SLt) == truth;
        let is_signed = matches!(order, BvOrder::SLt | BvOrder::SLe);
        let (low, high) = if truth { (a, b) } else { (b, a) };
        let number = |repair: &mut Self, term: Term| match repair.model.value(repair.pool, term)? {
            Value::Bv(width, bits) if is_signed => Some((width, Integer::from_signed_bits(bits, width))),
            Value::Bv(width, bits) => Some((width, Integer::from_unsigned_bits(bits))),
            _ => None,
        };
        let (Some((width, least)), Some((_, most))) = (number(self, low), number(self, high)) else { return false };
        let one = if is_strict { Integer::ONE } else { Integer::ZERO };
        let wanted = [(low, &most - &one), (high, &least + &one)];
        // A value out of range wraps around, and the comparison stays as it was.
        wanted
            .into_iter()
            .any(|(term, value)| self.pass_for((formula, truth), (term, Value::Bv(width, value.to_bits(width))), depth))
    }

    /// Gives a term a value by changing inputs in it. Returns whether it has the value then.
    fn pass(&mut self, term: Term, wanted: Value, depth: u32) -> bool {
        let Some(current) = self.model.value(self.pool, term) else { return false };
        if current == wanted {
            return true;
        }
        if self.steps == 0 || depth == 0 {
            return false;
        }
        self.steps -= 1;
        if is_cell(self.pool, term) {
            let is_possible = match &wanted {
                Value::Int(value) => self.domain.interval(self.pool, term).contains(value),
                // A solver may find smaller ones, which people read more easily, and runs end sooner.
                Value::Bv(..) => !is_large(&wanted) || is_large(&current),
                _ => true,
            };
            return is_possible && self.set(term, wanted).is_some();
        }
        let operands = match (&current, &wanted) {
            (Value::Int(current), Value::Int(wanted)) => self.integers_for(term, current, wanted),
            (&Value::Bv(width, _), &Value::Bv(_, wanted)) => self.vectors_for(term, width, wanted),
            _ => None,
        };
        let operands = operands.unwrap_or_else(|| self.choice_for(term, &wanted));
        operands.into_iter().any(|operands| {
            self.attempt(|repair| {
                operands.into_iter().all(|(operand, value)| repair.pass(operand, value, depth - 1))
                    && repair.model.value(repair.pool, term).as_ref() == Some(&wanted)
            })
        })
    }

    /// The part of a choice that is its value, or of what an array contains.
    fn choice_for(&mut self, term: Term, wanted: &Value) -> Vec<Operands> {
        let part = match *self.pool.node(term) {
            Node::Ite(condition, then, otherwise) => match self.model.holds(self.pool, condition) {
                Some(is_then) => {
                    if is_then {
                        then
                    } else {
                        otherwise
                    }
                }
                None => return Vec::new(),
            },
            Node::Select(array, index) => match *self.pool.node(array) {
                Node::Store(inner, written, value) => {
                    let [written, read] = [written, index].map(|index| self.model.value(self.pool, index));
                    if written == read { value } else { self.pool.select(inner, index) }
                }
                Node::ConstArray(_, value) => value,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        vec![vec![(part, wanted.clone())]]
    }

    /// Values of operands with which an integer term has a wanted value.
    fn integers_for(&mut self, term: Term, current: &Integer, wanted: &Integer) -> Option<Vec<Operands>> {
        match *self.pool.node(term) {
            Node::Sum(..) => {
                let difference = wanted - current;
                let (_, parts) = self.pool.linear(term);
                let moved = parts.into_iter().filter_map(|(factor, part)| {
                    let (steps, rest) = difference.div_mod_euclid(&factor)?;
                    let value = self.model.value(self.pool, part)?;
                    rest.is_zero().then_some(vec![(part, Value::Int(value.as_int()? + &steps))])
                });
                Some(moved.collect())
            }
            Node::Convert(Conversion::BvToInt { signed }, value) => {
                let Sort::BitVec(width) = self.pool.sort(value) else { return None };
                let bits = wanted.to_bits(width);
                let read = match signed {
                    true => Integer::from_signed_bits(bits, width),
                    false => Integer::from_unsigned_bits(bits),
                };
                Some(if read == *wanted { vec![vec![(value, Value::Bv(width, bits))]] } else { Vec::new() })
            }
            _ => None,
        }
    }

    /// Values of operands with which a bit-vector has a wanted value.
    fn vectors_for(&mut self, term: Term, width: u32, wanted: u128) -> Option<Vec<Operands>> {
        let one = |operand: Term, bits: u128| vec![vec![(operand, vector(width, bits))]];
        Some(match *self.pool.node(term) {
            Node::BvBinary(op, a, b) => {
                let (Some(Value::Bv(_, left)), Some(Value::Bv(_, right))) =
                    (self.model.value(self.pool, a), self.model.value(self.pool, b))
                else {
                    return None;
                };
                let left_of = operand_for(op, width, (left, right), wanted);
                let is_symmetric = matches!(op, BvOp::Add | BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor);
                let right_of = if is_symmetric { operand_for(op, width, (right, left), wanted) } else { None };
                let both = [(a, left_of), (b, right_of)].into_iter();
                both.filter_map(|(operand, bits)| Some(vec![(operand, vector(width, bits?))])).collect()
            }
            Node::BvNot(inner) => one(inner, !wanted),
            Node::BvNeg(inner) => one(inner, wanted.wrapping_neg()),
            Node::Extract { high, low, value } => {
                let Some(Value::Bv(whole, bits)) = self.model.value(self.pool, value) else { return None };
                let kept = bits & !(mask(high + 1 - low) << low);
                vec![vec![(value, vector(whole, kept | wanted << low))]]
            }
            Node::Concat(upper, lower) => {
                let Sort::BitVec(below) = self.pool.sort(lower) else { return None };
                vec![vec![(upper, vector(width - below, wanted >> below)), (lower, vector(below, wanted))]]
            }
            // Whether the value fits is seen when the whole term is evaluated.
            Node::Extend { by, value, .. } => vec![vec![(value, vector(width - by, wanted))]],
            Node::Convert(Conversion::IntToBv(_), value) => {
                let current = self.int(value)?;
                let difference = wanted.wrapping_sub(current.to_bits(width));
                let difference = Integer::from_signed_bits(difference & mask(width), width);
                vec![vec![(value, Value::Int(&current + &difference))]]
            }
            _ => return None,
        })
    }

    /// Assigns a value to an input.
    fn set(&mut self, cell: Term, value: Value) -> Option<()> {
        let mut value = value;
        let mut current = cell;
        let variable: VarId = loop {
            match *self.pool.node(current) {
                Node::Var(variable) => break variable,
                Node::Select(array, index) => {
                    let index = self.model.value(self.pool, index)?;
                    let Value::Array(old) = self.model.value(self.pool, array)? else {
                        return None;
                    };
                    let mut changed: ArrayValue = (*old).clone();
                    changed.set(index, value);
                    value = Value::Array(Rc::new(changed));
                    current = array;
                }
                _ => return None,
            }
        };
        let mut model = self.model.model().clone();
        model.set(variable, value);
        self.earlier.push(std::mem::replace(&mut self.model, Evaluator::new(model)));
        Some(())
    }
}

/// The element of an interval that is nearest to `value`.
fn nearest(interval: &Interval, value: &Integer) -> Integer {
    match (&interval.low, &interval.high) {
        (Some(low), _) if value < low => low.clone(),
        (_, Some(high)) if value > high => high.clone(),
        _ => value.clone(),
    }
}

/// Values of operands.
type Operands = Vec<(Term, Value)>;

/// The value of the first operand with which an operation has a wanted value, if the second one stays: one near to the
/// current one. `None` if there is none, or if it is not found.
fn operand_for(op: BvOp, width: u32, (first, second): (u128, u128), wanted: u128) -> Option<u128> {
    let signed = |bits: u128| Integer::from_signed_bits(bits, width);
    match op {
        BvOp::Add => Some(wanted.wrapping_sub(second)),
        BvOp::Xor => Some(wanted ^ second),
        BvOp::And => (wanted & !second == 0).then_some(first & !second | wanted),
        BvOp::Or => (second & !wanted == 0).then_some(first & second | wanted & !second),
        BvOp::Mul => {
            let shift = second.trailing_zeros();
            let is_multiple = second != 0 && wanted & mask(shift) == 0;
            is_multiple.then(|| (wanted >> shift).wrapping_mul(inverse(second >> shift)) & mask(width - shift))
        }
        BvOp::Shl => {
            let shift = u32::try_from(second).ok().filter(|&shift| shift < width)?;
            (wanted & mask(shift) == 0).then(|| wanted >> shift | first & !mask(width - shift))
        }
        // Bits that get lost, of copies of the sign, too, are seen when the whole term is evaluated.
        BvOp::LShr | BvOp::AShr => {
            let shift = u32::try_from(second).ok().filter(|&shift| shift < width)?;
            Some(wanted << shift | first & mask(shift))
        }
        BvOp::UDiv => wanted.checked_mul(second),
        BvOp::SDiv => Some((&signed(wanted) * &signed(second)).to_bits(width)),
        BvOp::URem => (second != 0).then(|| (first - first % second).wrapping_add(wanted)),
        BvOp::SRem => {
            let rest = signed(first).rem_trunc(&signed(second))?;
            Some((&(&signed(first) - &rest) + &signed(wanted)).to_bits(width))
        }
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's method: each step doubles the number of right bits.
fn inverse(odd: u128) -> u128 {
    (0..7).fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))))
}

fn vector(width: u32, bits: u128) -> Value {
    Value::Bv(width, bits & mask(width))
}

/// Whether the signed value of a bit-vector is far from zero.
fn is_large(value: &Value) -> bool {
    let &Value::Bv(width, bits) = value else { return false };
    Integer::from_signed_bits(bits, width).abs() > Integer::from(LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: [BvOp; 12] = [
        BvOp::Add,
        BvOp::Mul,
        BvOp::UDiv,
        BvOp::URem,
        BvOp::SDiv,
        BvOp::SRem,
        BvOp::And,
        BvOp::Or,
        BvOp::Xor,
        BvOp::Shl,
        BvOp::LShr,
        BvOp::AShr,
    ];

    /// All operations on four bits: an operand that is found is right where nothing can get lost, and then one is found
    /// wherever there is one.
    #[test]
    fn operands_for_results() {
        let mut pool = Pool::new();
        for op in OPERATIONS {
            let is_exact = matches!(op, BvOp::Add | BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor | BvOp::Shl);
            let mut right = 0;
            for second in 0..16u128 {
                let mut result = |first: u128| {
                    let [first, second] = [first, second].map(|bits| pool.bv(4, bits));
                    let result = pool.bv_binary(op, first, second);
                    pool.as_bits(result)
                };
                let results: Vec<Option<u128>> = (0..16).map(&mut result).collect();
                for (first, wanted) in (0..16).flat_map(|first| (0..16).map(move |wanted| (first, wanted))) {
                    let found = operand_for(op, 4, (first, second), wanted).map(|bits| bits & mask(4));
                    let is_right = found.is_some_and(|found| results[found as usize] == Some(wanted));
                    right += u32::from(is_right);
                    // What an operand cannot change is never wanted to change.
                    let is_constant = op == BvOp::Shl && second >= 4 || op == BvOp::Mul && second == 0;
                    if is_exact && !is_constant {
                        assert_eq!(found.is_some(), is_right, "{op:?} of {first}, {second}: {wanted}");
                        assert_eq!(is_right, results.contains(&Some(wanted)), "{op:?} of {first}, {second}: {wanted}");
                    }
                }
            }
            assert!(right > 400, "{op:?}: {right}");
        }
    }

    /// A model in which all inputs are 0, repaired: conditions as programs have them.
    #[test]
    fn conditions_of_machine_integers() {
        let mut pool = Pool::new();
        let sort = Sort::BitVec(32);
        let [x, y, n] = ["x", "y", "n"].map(|name| pool.fresh_var(name, sort));
        let array = pool.array_sort(sort, sort);
        let cells = pool.fresh_var("cells", array);
        let number = |pool: &mut Pool, value: i32| pool.bv(32, u128::from(value as u32));
        let [one, two, three, seven, multiple, hundred] = [1, 2, 3, 7, 21, 100].map(|value| number(&mut pool, value));
        let next = pool.bv_binary(BvOp::Add, x, two);
        let element = pool.select(cells, next);
        let scaled = pool.bv_binary(BvOp::Mul, y, seven);
        let shifted = pool.bv_binary(BvOp::LShr, n, two);
        let low = pool.bv_binary(BvOp::And, n, three);
        let less = |pool: &mut Pool, a: Term, b: Term| pool.bv_compare(BvOrder::SLt, a, b);
        let ordered = less(&mut pool, next, n);
        let places = [seven, three].map(|place| pool.bv_binary(BvOp::AShr, x, place));
        let [low_bit, high_bit] = places.map(|moved| pool.bv_binary(BvOp::And, moved, one));
        let zero = number(&mut pool, 0);
        let conditions: [(Vec<Term>, Term); 9] = [
            (vec![], ordered),
            (vec![less(&mut pool, n, hundred), less(&mut pool, y, n)], ordered),
            (vec![], pool.eq(element, hundred)),
            (vec![less(&mut pool, element, two)], less(&mut pool, one, element)),
            (vec![], pool.eq(scaled, one)),
            (vec![], pool.eq(scaled, multiple)),
            (vec![pool.eq(shifted, seven)], pool.eq(low, two)),
            // The second change makes the first condition false.
            (vec![pool.eq(x, y)], less(&mut pool, seven, x)),
            (vec![pool.eq(low_bit, zero)], pool.eq(high_bit, one)),
        ];
        let mut open = Vec::new();
        for (number, (known, formula)) in conditions.into_iter().enumerate() {
            let domain = Domain::new();
            let mut model = Model::new();
            let mut zero = Evaluator::new(model.clone());
            if known.iter().any(|&part| zero.holds(&pool, part) != Some(true)) {
                model.set(pool.free_variables(&[n])[0], Value::Bv(32, 7 << 2));
            }
            let Some(found) = repaired(&mut pool, &domain, &model, formula, &known) else {
                open.push(number);
                continue;
            };
            let mut tested = Evaluator::new(found.model().clone());
            assert!(known.iter().chain([&formula]).all(|&part| tested.holds(&pool, part) == Some(true)));
        }
        // `1 < e && e < 2` has no solution, and that of `7 * y == 1` is large.
        assert_eq!(open, [3, 4]);
    }
}
