//! Answers questions by enumeration, if all variables have few values, and otherwise guesses models.
//!
//! Variables are bounded by the intervals of the path and the formula, and by the bits on which the formulas depend.
//! A [`Grid`] tries all values and prunes early what a formula excludes. If a variable may have too many values (or
//! is a float), a few hundred assignments are tried: the path's current model, with some variables changed to their
//! bounds, to constants of the question, or to arbitrary values.

use aback_logic::{BvOp, Domain, FloatFormat, Grid, Model, Node, Pool, Search, Sort, Term, Values, VarId, word};
use rustc_hash::{FxHashMap, FxHashSet};

/// Greatest number of lanes of a grid.
const LANES: u64 = 1024;
/// Greatest number of words of a grid.
const WORDS: u64 = 1 << 20;
/// Greatest number of different subterms of a question that is enumerated or sampled.
const TERMS: usize = 15_000;
/// Number of random assignments, one per lane.
const SAMPLES: usize = 512;
/// Greatest number of constants of a question that are tried.
const CONSTANTS: usize = 64;

/// The possible values of a variable that has few.
struct Range {
    variable: VarId,
    low: i64,
    count: u64,
}

/// The grid of all values that the formulas' variables can have according to `domain`. About these variables,
/// `domain` must contain only what follows from the formulas. Returns `None` if there are more than `most` points or
/// if the formulas have no representation in words.
pub(super) fn grid(pool: &Pool, domain: &Domain, formulas: &[Term], most: u64) -> Option<Grid> {
    let mut ranges = Vec::new();
    let mut total = 1u64;
    let demanded = demanded(pool, formulas);
    for variable in pool.free_variables(formulas) {
        let range = range(pool, domain, variable, &demanded)?;
        total = total.checked_mul(range.count).filter(|&total| total <= most)?;
        ranges.push(range);
    }
    let terms = pool.subterms(formulas).len();
    if terms > TERMS {
        return None;
    }
    ranges.sort_by_key(|range| (range.count, range.variable));
    let (inputs, lanes) = layout(ranges, LANES.min(WORDS / terms.max(1) as u64));
    Grid::new(pool, formulas, &inputs, lanes)
}

fn range(pool: &Pool, domain: &Domain, variable: VarId, demanded: &FxHashMap<Term, u64>) -> Option<Range> {
    let term = pool.variable_term(variable);
    let (low, high) = match pool.sort(term) {
        Sort::Bool => (0, 1),
        Sort::Int | Sort::BitVec(1..=64) => {
            let interval = domain.interval(pool, term);
            (interval.low?.as_i64()?, interval.high?.as_i64()?)
        }
        _ => return None,
    };
    let count = u64::try_from(i128::from(high) - i128::from(low) + 1).ok()?;
    if let Sort::BitVec(width) = pool.sort(term) {
        let bits = u64::BITS - demanded.get(&term).copied().unwrap_or(0).leading_zeros();
        if bits < width && 1u64 << bits < count {
            // The other bits do not matter and are zero.
            return Some(Range { variable, low: 0, count: 1 << bits });
        }
    }
    Some(Range { variable, low, count })
}

/// The bits of bit-vector terms on which the formulas can depend: the other bits do not affect the truth of the
/// formulas. A term without an entry has no such bits.
fn demanded(pool: &Pool, formulas: &[Term]) -> FxHashMap<Term, u64> {
    // All bits up to the highest demanded one, since carries of sums and products only go upward.
    let below = |bits: u64| u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0);
    let mut demanded: FxHashMap<Term, u64> = FxHashMap::default();
    // In descending order of ids, a term comes after all terms that use it.
    for term in pool.subterms(formulas).into_iter().rev() {
        let bits = match pool.sort(term) {
            Sort::BitVec(width @ 1..=64) => {
                demanded.get(&term).copied().unwrap_or(0) & u64::MAX.checked_shr(64 - width).unwrap_or(0)
            }
            _ => u64::MAX,
        };
        let mut demand = |operand: Term, bits: u64| *demanded.entry(operand).or_default() |= bits;
        match *pool.node(term) {
            Node::BvBinary(BvOp::Add | BvOp::Mul, a, b) => {
                demand(a, below(bits));
                demand(b, below(bits));
            }
            Node::BvBinary(BvOp::And, a, b) => {
                let mask = |operand: Term| pool.as_bits(operand).map_or(u64::MAX, |mask| mask as u64);
                demand(a, bits & mask(b));
                demand(b, bits & mask(a));
            }
            Node::BvBinary(BvOp::Or | BvOp::Xor, a, b) => {
                demand(a, bits);
                demand(b, bits);
            }
            Node::BvBinary(BvOp::Shl, a, b) => {
                let distance = pool.as_bits(b).and_then(|distance| u32::try_from(distance).ok());
                demand(a, distance.map_or(below(bits), |distance| bits.checked_shr(distance).unwrap_or(0)));
                demand(b, u64::MAX);
            }
            Node::BvNeg(a) => demand(a, below(bits)),
            Node::BvNot(a) => demand(a, bits),
            Node::Extract { low, value, .. } if low < 64 && pool.width(value) <= 64 => demand(value, bits << low),
            Node::Extend { signed, value, .. } => {
                let width = pool.width(value).min(64);
                let kept = below(1 << (width - 1));
                let sign = if signed && bits & !kept != 0 { 1 << (width - 1) } else { 0 };
                demand(value, bits & kept | sign);
            }
            Node::Ite(condition, a, b) => {
                demand(condition, u64::MAX);
                demand(a, bits);
                demand(b, bits);
            }
            ref other => other.for_each_child(|child| demand(child, u64::MAX)),
        }
    }
    demanded
}

/// Decides which variables are laid out over the lanes: those with the most values, as long as their combinations
/// fit. The other variables are digits, those with few values first.
fn layout(mut ranges: Vec<Range>, most: u64) -> (Vec<(VarId, Values)>, usize) {
    let mut inputs = Vec::new();
    let mut lanes = 1usize;
    if let Some(last) = ranges.pop_if(|last| last.count > most) {
        lanes = most as usize;
        inputs.push((last.variable, Values::Blocks { low: last.low, count: last.count }));
    } else {
        let mut columns: Vec<(VarId, Vec<i64>)> = Vec::new();
        while let Some(last) = ranges.pop_if(|last| last.count * lanes as u64 <= most) {
            let count = last.count as usize;
            for (_, column) in &mut columns {
                *column = column.repeat(count);
            }
            columns.push((last.variable, (0..lanes * count).map(|lane| last.low + (lane / lanes) as i64).collect()));
            lanes *= count;
        }
        inputs.extend(columns.into_iter().map(|(variable, column)| (variable, Values::Column(column))));
    }
    let digits = ranges.into_iter().map(|Range { variable, low, count }| (variable, Values::Axis { low, count }));
    let mut all: Vec<(VarId, Values)> = digits.collect();
    all.append(&mut inputs);
    (all, lanes)
}

/// Guesses a model of the formulas by trying promising assignments. `current` may be a model of some of the formulas.
pub(super) fn sample(
    pool: &Pool,
    domain: &Domain,
    formulas: &[Term],
    current: Option<&Model>,
    random: &mut Random,
) -> Option<Model> {
    let subterms = pool.subterms(formulas);
    if subterms.len() > TERMS {
        return None;
    }
    let constants = Constants::of(pool, &subterms);
    let mut inputs = Vec::new();
    for variable in pool.free_variables(formulas) {
        let known = current.and_then(|current| current.get(variable)).and_then(word);
        let column = (0..SAMPLES).map(|lane| {
            // A third of the lanes changes few values, a third many, and a third all.
            let change = match lane % 3 {
                0 => 5,
                1 => 2,
                _ => 1,
            };
            match known {
                Some(known) if !random.next().is_multiple_of(change) => Some(known),
                _ => guess(pool, domain, variable, &constants, random),
            }
        });
        inputs.push((variable, Values::Column(column.collect::<Option<Vec<i64>>>()?)));
    }
    let mut grid = Grid::new(pool, formulas, &inputs, SAMPLES)?;
    match grid.search(u64::MAX, &|| false) {
        Search::Found(model) => Some(model),
        _ => None,
    }
}

/// A random value for a variable.
fn guess(pool: &Pool, domain: &Domain, variable: VarId, constants: &Constants, random: &mut Random) -> Option<i64> {
    let term = pool.variable_term(variable);
    match pool.sort(term) {
        Sort::Bool => Some((random.next() & 1) as i64),
        Sort::Int | Sort::BitVec(1..=64) => {
            let interval = domain.interval(pool, term);
            let low = interval.low.and_then(|low| low.as_i64()).unwrap_or(i64::from(i32::MIN));
            let high = interval.high.and_then(|high| high.as_i64()).unwrap_or(i64::from(i32::MAX)).max(low);
            let near = (random.next() % 3) as i64;
            let value = match random.next() % 8 {
                0 | 1 => low.saturating_add(near),
                2 | 3 => high.saturating_sub(near),
                4 => near - 1,
                5 => random.of(&constants.integers).unwrap_or(0).saturating_add(near - 1),
                // All magnitudes are equally likely.
                6 => (random.next() >> (random.next() % 64)) as i64,
                _ => random.within(low, high),
            };
            Some(value.clamp(low, high))
        }
        Sort::Float(format) => Some(round(format, float(constants, random))),
        _ => None,
    }
}

fn float(constants: &Constants, random: &mut Random) -> f64 {
    const SPECIAL: [f64; 10] =
        [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, 5e-324, f64::MAX];
    let unit = random.next() as f64 / u64::MAX as f64;
    let constant = random.of(&constants.floats).unwrap_or(1.0);
    match random.next() % 8 {
        0 => random.of(&SPECIAL).unwrap_or(0.0),
        1 => constant,
        2 => constant.next_up(),
        3 => constant.next_down(),
        4 => constant * (2.0 * unit - 1.0),
        5 => (unit * 200.0 - 100.0).round() * if random.next().is_multiple_of(2) { 1.0 } else { 0.1 },
        6 => (unit - 0.5) * 2f64.powi((random.next() % 128) as i32 - 64),
        _ => f64::from_bits(random.next()),
    }
}

/// The word of a float, with NaN made canonical.
fn round(format: FloatFormat, value: f64) -> i64 {
    match format {
        FloatFormat::F32 if value.is_nan() => 0x7fc0_0000,
        FloatFormat::F32 => (value as f32).to_bits().into(),
        FloatFormat::F64 if value.is_nan() => 0x7ff8_0000_0000_0000,
        FloatFormat::F64 => value.to_bits() as i64,
    }
}

/// The constants of a question.
struct Constants {
    integers: Vec<i64>,
    floats: Vec<f64>,
}

impl Constants {
    fn of(pool: &Pool, subterms: &[Term]) -> Constants {
        let mut integers = FxHashSet::default();
        let mut floats = Vec::new();
        for &term in subterms {
            match pool.node(term) {
                Node::Int(value) => integers.extend(value.as_i64()),
                Node::Sum(constant, _) => integers.extend(constant.as_i64().and_then(i64::checked_neg)),
                Node::Bv { width, bits } => integers.extend(word(&aback_logic::Value::Bv(*width, *bits))),
                Node::Float(FloatFormat::F32, bits) => floats.push(f32::from_bits(*bits as u32).into()),
                Node::Float(FloatFormat::F64, bits) => floats.push(f64::from_bits(*bits)),
                _ => {}
            }
        }
        let mut integers: Vec<i64> = integers.into_iter().collect();
        integers.sort_unstable();
        integers.truncate(CONSTANTS);
        floats.truncate(CONSTANTS);
        Constants { integers, floats }
    }
}

/// A pseudo-random number generator (splitmix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn within(&mut self, low: i64, high: i64) -> i64 {
        let span = (i128::from(high) - i128::from(low) + 1) as u128;
        let offset = u128::from(self.next()) % span.max(1);
        i64::try_from(i128::from(low) + offset as i128).unwrap_or(low)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let at = self.next().checked_rem(all.len() as u64)?;
        all.get(at as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_logic::{BvOrder, Evaluator, Value};

    const WIDTH: u32 = 6;

    /// A random bit-vector term of `WIDTH` bits.
    fn vector(pool: &mut Pool, variables: [Term; 2], random: &mut Random, depth: u32) -> Term {
        if depth == 0 {
            return match random.next() % 3 {
                0 => pool.bv(WIDTH, u128::from(random.next() % 64)),
                1 => variables[0],
                _ => variables[1],
            };
        }
        let a = vector(pool, variables, random, depth - 1);
        let width = 1 + (random.next() % 5) as u32;
        let ops = [BvOp::Add, BvOp::Mul, BvOp::And, BvOp::Or, BvOp::Xor, BvOp::Shl, BvOp::LShr, BvOp::AShr, BvOp::SDiv];
        match random.next() % 8 {
            0 => pool.bv_neg(a),
            1 => pool.bv_not(a),
            2 | 3 => {
                let low = pool.extract(width - 1, 0, a);
                pool.resize(WIDTH, random.next().is_multiple_of(2), low)
            }
            4 => {
                let mask = pool.bv(WIDTH, u128::from(random.next() % 64));
                pool.bv_binary(BvOp::And, a, mask)
            }
            _ => {
                let b = vector(pool, variables, random, depth - 1);
                let op = ops[(random.next() % ops.len() as u64) as usize];
                pool.bv_binary(op, a, b)
            }
        }
    }

    #[test]
    fn bits_that_nobody_looks_at_need_not_be_tried() {
        let mut random = Random::new(1);
        let (mut found, mut smaller) = (0, 0);
        for _ in 0..400 {
            let mut pool = Pool::new();
            let variables = ["v", "w"].map(|name| pool.fresh_var(name, Sort::BitVec(WIDTH)));
            let mut formulas = Vec::new();
            for _ in 0..2 {
                let (a, b) =
                    (vector(&mut pool, variables, &mut random, 3), vector(&mut pool, variables, &mut random, 1));
                let low = (random.next() % 5) as u32;
                let [a, b] = [a, b].map(|side| pool.extract(low, 0, side));
                let equal = pool.eq(a, b);
                formulas.push(if random.next().is_multiple_of(2) { equal } else { pool.not(equal) });
            }
            let order = vector(&mut pool, variables, &mut random, 2);
            let bound = pool.bv(WIDTH, 9);
            formulas.push(pool.bv_compare(BvOrder::SLe, order, bound));
            let ids = pool.free_variables(&formulas);
            smaller += ids
                .iter()
                .filter(|&&id| {
                    range(&pool, &Domain::new(), id, &demanded(&pool, &formulas)).is_some_and(|r| r.count < 64)
                })
                .count();
            let mut grid = grid(&pool, &Domain::new(), &formulas, u64::MAX).expect("bit-vectors have words");
            let possible = (0..1u128 << (2 * WIDTH)).any(|bits| {
                let mut model = Model::new();
                for (place, &id) in ids.iter().enumerate() {
                    model.set(id, Value::Bv(WIDTH, bits >> (place as u32 * WIDTH) & 63));
                }
                let mut model = Evaluator::new(model);
                formulas.iter().all(|&formula| model.holds(&pool, formula) == Some(true))
            });
            match grid.search(u64::MAX, &|| false) {
                Search::Found(model) => {
                    let mut model = Evaluator::new(model);
                    assert!(formulas.iter().all(|&formula| model.holds(&pool, formula) == Some(true)));
                    found += 1;
                }
                Search::Exhausted => {
                    assert!(!possible, "{:?}", formulas.iter().map(|&f| pool.show(f)).collect::<Vec<_>>())
                }
                Search::Stopped => panic!("nothing told it to stop"),
            }
        }
        assert!(found > 50 && found < 400 && smaller > 50, "{found} {smaller}");
    }
}
