//! Stores the elements of one allocated array.

use crate::value::{Value, sort_of};
use aback_ir::Type;
use aback_logic::{BvOrder, Conversion, Domain, Integer, Node, Pool, Sort, Term};
use smallvec::SmallVec;

/// Greatest known length of an array that is stored element by element.
const DENSE_LIMIT: i64 = 1 << 16;
/// Greatest number of elements that a write at an unknown index updates one by one.
const SPREAD_LIMIT: usize = 64;

/// Greatest number of elements for which a read at an unknown index always compares with single indices. For more
/// elements it is a linear term or a search tree, if possible.
const TABLE_START: usize = 8;

/// The elements of an array. All methods take indices that are in bounds.
#[derive(Clone, PartialEq, Debug)]
pub enum Cells {
    /// All elements in order, for arrays with few elements.
    Dense(Vec<Value>),
    /// Writes over a default, or over the elements of an array term, oldest first. A write replaces an older one at a
    /// provably equal index if all writes in between are at provably different indices.
    Writes(Vec<(Value, Value)>, Option<Term>),
}

/// Whether elements of one type can be read and written as elements of another.
pub(crate) fn suits(element: Type, wanted: Type) -> bool {
    element == wanted || element.is_reference() && wanted.is_reference()
}

/// Whether two indices are equal.
enum Overlap {
    /// They are equal.
    Always,
    /// They are different.
    Never,
    /// They may be either.
    Perhaps,
}

/// Compares two values of one type by what `domain` knows.
fn overlap(pool: &mut Pool, domain: &Domain, a: Value, b: Value, ty: Type) -> Overlap {
    let equal = Value::equals(pool, a, b, ty);
    match domain.decide(pool, equal) {
        Some(true) => Overlap::Always,
        Some(false) => Overlap::Never,
        None => Overlap::Perhaps,
    }
}

impl Cells {
    /// The elements of a new array, which have default values.
    pub fn new(length: Value, element: Type) -> Cells {
        match length {
            Value::Int(length) if length <= DENSE_LIMIT => {
                Cells::Dense(vec![Value::default_of(element); usize::try_from(length).unwrap_or(0)])
            }
            _ => Cells::Writes(Vec::new(), None),
        }
    }

    /// The elements of a new array with any values: those of an array term.
    pub fn of(array: Term) -> Cells {
        Cells::Writes(Vec::new(), Some(array))
    }

    /// The element at an index if both are known without any condition.
    #[inline]
    pub(crate) fn at(&self, index: Value) -> Option<Value> {
        let (Cells::Dense(cells), Value::Int(at)) = (self, index) else { return None };
        usize::try_from(at).ok().and_then(|at| cells.get(at)).copied()
    }

    /// The same element, to set it.
    #[inline]
    pub(crate) fn at_mut(&mut self, index: Value) -> Option<&mut Value> {
        let (Cells::Dense(cells), Value::Int(at)) = (self, index) else { return None };
        usize::try_from(at).ok().and_then(|at| cells.get_mut(at))
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

    /// Writes the element at an index.
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

/// The range of elements that an unknown index can select, as start and end.
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

/// An index without the choices that `domain` decides.
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

/// The element of `cells` at an index. The first cell has index `from`, and the index selects one of the cells.
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

/// The element of `cells` at an index as a linear term of the index, if there are many cells and they are an arithmetic
/// progression or objects with consecutive identities. The first cell has index `from`, and the index selects one of
/// the cells.
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
    // For references, each number between the first and the last must be one of the cells.
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
    // Machine integers wrap around: the term is congruent to the value.
    let value = match sort_of(element) {
        Sort::BitVec(width) => pool.convert(Conversion::IntToBv(width), value),
        _ => value,
    };
    Some(Value::from_term(pool, value, element))
}

/// The element of a table of constants, the first of which has index `from`: a search tree over the runs of equal
/// elements.
fn table(pool: &mut Pool, (from, cells): (usize, &[Value]), index: Value, index_type: Type, element: Type) -> Value {
    let starts = (0..cells.len()).filter(|&i| i == 0 || cells[i] != cells[i - 1]);
    let runs: Vec<(i64, Value)> = starts.map(|i| ((from + i) as i64, cells[i])).collect();
    let index = index.to_term(pool, index_type);
    run(pool, &runs, index, index_type, element)
}

/// The value of the run that contains the index. Each run is given by its first index and its value.
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

/// The value of a cell after writes, oldest first, over the value of `base`. `same` gives the condition under which a
/// write went to this cell.
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
