//! Elements of one allocated array.

use crate::value::{Value, sort_of};
use aback_ir::Type;
use aback_logic::{BvOrder, Conversion, Domain, Integer, Node, Pool, Sort, Term};
use smallvec::SmallVec;

/// Arrays up to this length are stored element by element.
const DENSE_LIMIT: i64 = 1 << 16;
/// A write at an unknown index updates at most so many elements one by one.
const SPREAD_LIMIT: usize = 64;

/// Constant elements of more than this number are told apart by ranges of the index.
const TABLE_START: usize = 8;

/// Elements of an array. All methods take indices that are in bounds.
#[derive(Clone, PartialEq, Debug)]
pub enum Cells {
    /// All elements in order: the length is known and not large.
    Dense(Vec<Value>),
    /// Writes over a default, or over the elements of an array term, oldest first, no two at provably equal indices.
    Writes(Vec<(Value, Value)>, Option<Term>),
}

/// Where an index may meet another one.
enum Overlap {
    /// The same index.
    Always,
    /// Different indices.
    Never,
    /// The same or not.
    Perhaps,
}

/// Compares two values of one type as far as `domain` knows.
fn overlap(pool: &mut Pool, domain: &Domain, a: Value, b: Value, ty: Type) -> Overlap {
    let equal = Value::equals(pool, a, b, ty);
    match domain.decide(pool, equal) {
        Some(true) => Overlap::Always,
        Some(false) => Overlap::Never,
        None => Overlap::Perhaps,
    }
}

impl Cells {
    /// Elements of a new array.
    pub fn new(length: Value, element: Type) -> Cells {
        match length {
            Value::Int(length) if length <= DENSE_LIMIT => {
                Cells::Dense(vec![Value::default_of(element); usize::try_from(length).unwrap_or(0)])
            }
            _ => Cells::Writes(Vec::new(), None),
        }
    }

    /// Elements of a new array that are any values: those of an array term.
    pub fn of(array: Term) -> Cells {
        Cells::Writes(Vec::new(), Some(array))
    }

    /// The elements as writes, oldest first, over a default, or over the elements of an array term.
    pub(crate) fn writes(&self, element: Type) -> (Vec<(Value, Value)>, Option<Term>) {
        match self {
            Cells::Dense(cells) => {
                let default = Value::default_of(element);
                let changed = cells.iter().enumerate().filter(|(_, cell)| **cell != default);
                (changed.map(|(index, &cell)| (Value::Int(index as i64), cell)).collect(), None)
            }
            Cells::Writes(writes, base) => (writes.clone(), *base),
        }
    }

    /// The element at an index.
    pub fn read(&self, pool: &mut Pool, domain: &Domain, index: Value, index_type: Type, element: Type) -> Value {
        match self {
            Cells::Dense(cells) => match index {
                Value::Int(index) => {
                    let cell = usize::try_from(index).ok().and_then(|index| cells.get(index));
                    cell.copied().unwrap_or(Value::default_of(element))
                }
                _ => {
                    let (from, to) = reachable(pool, domain, index, index_type, cells.len());
                    let index = index.to_term(pool, index_type);
                    let index = simpler(pool, domain, index);
                    let index = Value::from_term(pool, index, index_type);
                    select(pool, (from, &cells[from..to]), index, index_type, element)
                }
            },
            Cells::Writes(writes, base) => read_log(
                pool,
                domain,
                writes.iter().copied(),
                |pool, _, at| Value::equals(pool, at, index, index_type),
                element,
                |pool| match *base {
                    Some(array) => {
                        let at = index.to_term(pool, index_type);
                        let value = pool.select(array, at);
                        Value::from_term(pool, value, element)
                    }
                    None => Value::default_of(element),
                },
            ),
        }
    }

    /// Sets the element at an index where `condition` holds.
    pub fn write(
        &mut self,
        pool: &mut Pool,
        domain: &Domain,
        (index, index_type): (Value, Type),
        (value, element): (Value, Type),
    ) {
        if let (Cells::Dense(cells), Value::Int(index)) = (&mut *self, index) {
            if let Some(cell) = usize::try_from(index).ok().and_then(|index| cells.get_mut(index)) {
                *cell = value;
            }
            return;
        }
        if let Cells::Dense(cells) = self {
            let (from, to) = reachable(pool, domain, index, index_type, cells.len());
            if to.saturating_sub(from) <= SPREAD_LIMIT {
                for (i, cell) in cells.iter_mut().enumerate().take(to).skip(from) {
                    let here = Value::equals(pool, index, Value::Int(i as i64), index_type);
                    *cell = Value::ite(pool, here, value, *cell, element);
                }
                return;
            }
            let (writes, base) = self.writes(element);
            *self = Cells::Writes(writes, base);
        }
        if let Cells::Writes(writes, _) = self {
            for entry in writes.iter_mut().rev() {
                match overlap(pool, domain, entry.0, index, index_type) {
                    Overlap::Always => {
                        entry.1 = value;
                        return;
                    }
                    Overlap::Never => {}
                    Overlap::Perhaps => break,
                }
            }
            writes.push((index, value));
        }
    }
}

/// The range of elements that an unknown index can be.
fn reachable(pool: &mut Pool, domain: &Domain, index: Value, index_type: Type, length: usize) -> (usize, usize) {
    let term = index.to_term(pool, index_type);
    let interval = domain.interval(pool, term);
    let bound = |bound: Option<aback_logic::Integer>, default: usize| {
        bound.and_then(|bound| bound.as_i64()).map_or(default, |bound| usize::try_from(bound).unwrap_or(0).min(length))
    };
    let from = bound(interval.low, 0);
    let to = bound(interval.high.map(|high| &high + &aback_logic::Integer::ONE), length);
    (from, to.max(from))
}

/// An index without what makes no difference as far as `domain` knows: a choice that is decided.
pub(crate) fn simpler(pool: &mut Pool, domain: &Domain, index: Term) -> Term {
    match *pool.node(index) {
        Node::Ite(condition, then, otherwise) => match domain.decide(pool, condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None => index,
        },
        Node::Sum(..) | Node::Convert(..) => {
            let mut parts = SmallVec::<[Term; 4]>::new();
            pool.node(index).for_each_child(|part| parts.push(part));
            let simple: SmallVec<[Term; 4]> = parts.iter().map(|&part| simpler(pool, domain, part)).collect();
            let new = |part: Term| parts.iter().position(|&old| old == part).map_or(part, |place| simple[place]);
            pool.rebuild(index, new)
        }
        _ => index,
    }
}

/// The element of `cells`, the first of which has index `from`, at an index that is one of theirs.
pub(crate) fn select(
    pool: &mut Pool,
    (from, cells): (usize, &[Value]),
    index: Value,
    index_type: Type,
    element: Type,
) -> Value {
    if let Value::Int(index) = index {
        let cell = usize::try_from(index).ok().and_then(|index| cells.get(index.checked_sub(from)?));
        return cell.copied().unwrap_or(Value::default_of(element));
    }
    if let Some(value) = progression(pool, (from, cells), index, index_type, element) {
        return value;
    }
    if cells.len() > TABLE_START && cells.iter().all(|cell| !matches!(cell, Value::Term(_))) {
        return table(pool, (from, cells), index, index_type, element);
    }
    let mut result = cells.first().copied().unwrap_or(Value::default_of(element));
    for (i, &cell) in cells.iter().enumerate().skip(1) {
        if pool.is_stopped() {
            break;
        }
        let here = Value::equals(pool, index, Value::Int((from + i) as i64), index_type);
        result = Value::ite(pool, here, cell, result, element);
    }
    result
}

/// The element of many cells that are an arithmetic progression, or objects that were allocated one after the other: a linear
/// term of the index. The first of `cells` has index `from`, and the index is one of theirs.
pub fn progression(
    pool: &mut Pool,
    (from, cells): (usize, &[Value]),
    index: Value,
    index_type: Type,
    element: Type,
) -> Option<Value> {
    if cells.len() <= TABLE_START {
        return None;
    }
    let number = |cell: &Value| match *cell {
        Value::Int(value) => Some(value),
        Value::Object(id) => Some(i64::from(id.0) + 1),
        _ => None,
    };
    let [first, second] = [cells.first().and_then(number)?, cells.get(1).and_then(number)?];
    let step = second.checked_sub(first)?;
    let follows = |(one, next): (&Value, &Value)| {
        Some(number(next)?.checked_sub(number(one)?)? == step && step != 0).filter(|&follows| follows)
    };
    let is_progression = cells.iter().zip(&cells[1..]).all(|pair| follows(pair).is_some());
    // References between the first and the last are to be the ones in between.
    if !is_progression || element.is_reference() && step != 1 {
        return None;
    }
    let index = index.to_term(pool, index_type);
    let integer = match sort_of(index_type) {
        Sort::BitVec(_) => pool.convert(Conversion::BvToInt { signed: true }, index),
        _ => index,
    };
    let scaled = pool.scale(&Integer::from(step), integer);
    let start = &Integer::from(first) - &(&Integer::from(step) * &Integer::from(from as i64));
    let start = pool.integer(start);
    let value = pool.add(start, scaled);
    // Values of machine integers are congruent to what they wrap around from.
    let value = match sort_of(element) {
        Sort::BitVec(width) => pool.convert(Conversion::IntToBv(width), value),
        _ => value,
    };
    Some(Value::from_term(pool, value, element))
}

/// The element of a table of constants, the first of which has index `from`: a tree of comparisons with the ends of
/// runs of equal elements.
fn table(pool: &mut Pool, (from, cells): (usize, &[Value]), index: Value, index_type: Type, element: Type) -> Value {
    let starts = (0..cells.len()).filter(|&i| i == 0 || cells[i] != cells[i - 1]);
    let runs: Vec<(i64, Value)> = starts.map(|i| ((from + i) as i64, cells[i])).collect();
    let index = index.to_term(pool, index_type);
    run(pool, &runs, index, index_type, element)
}

/// The value of the run that the index is in, among runs that begin at the given indices.
fn run(pool: &mut Pool, runs: &[(i64, Value)], index: Term, index_type: Type, element: Type) -> Value {
    match runs {
        [] => Value::default_of(element),
        [(_, value)] => *value,
        _ => {
            let (low, high) = runs.split_at(runs.len() / 2);
            let middle = Value::Int(high[0].0).to_term(pool, index_type);
            let is_low = match sort_of(index_type) {
                Sort::BitVec(_) => pool.bv_compare(BvOrder::SLt, index, middle),
                _ => pool.lt(index, middle),
            };
            let low = run(pool, low, index, index_type, element);
            let high = run(pool, high, index, index_type, element);
            Value::ite(pool, is_low, low, high, element)
        }
    }
}

/// The value of a cell after writes, oldest first, over what `base` gives. `same` is the condition under which a write went
/// to this cell.
pub(crate) fn read_log<W>(
    pool: &mut Pool,
    domain: &Domain,
    writes: impl DoubleEndedIterator<Item = (W, Value)>,
    mut same: impl FnMut(&mut Pool, &Domain, W) -> Term,
    value_type: Type,
    base: impl FnOnce(&mut Pool) -> Value,
) -> Value {
    let mut uncertain = Vec::new();
    let mut result = None;
    for (write, value) in writes.rev() {
        if pool.is_stopped() {
            break;
        }
        let condition = same(pool, domain, write);
        match domain.decide(pool, condition) {
            Some(true) => {
                result = Some(value);
                break;
            }
            Some(false) => {}
            None => uncertain.push((condition, value)),
        }
    }
    let mut result = match result {
        Some(value) => value,
        None => base(pool),
    };
    for (condition, value) in uncertain.into_iter().rev() {
        result = Value::ite(pool, condition, value, result, value_type);
    }
    result
}
