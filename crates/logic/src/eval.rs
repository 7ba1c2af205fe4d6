//! Evaluates terms under a model.

use crate::integer::Integer;
use crate::pool::Pool;
use crate::semantics::{self, Number};
use crate::term::{FloatFormat, Node, Sort, Term, VarId};
use rpds::HashTrieMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

/// Longest range of a quantified variable that is enumerated, in values.
const QUANTIFIER_LIMIT: i64 = 4096;

/// A value of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Integer),
    /// A bit-vector of this width; the bits above the width are zero.
    Bv(u32, u128),
    /// A float by its bits; every NaN is the canonical one.
    Float(FloatFormat, u64),
    /// An array.
    Array(Rc<ArrayValue>),
}

/// An array that has one value at all but finitely many indices. Cloning is cheap: an array shares all unchanged
/// entries with the array it was made from, so a chain of writes takes space linear in its length.
#[derive(Clone, PartialEq, Eq)]
pub struct ArrayValue {
    default: Value,
    /// No entry maps to the default. Therefore arrays over infinitely many indices are equal as functions if and only
    /// if they are equal as data.
    entries: HashTrieMap<Value, Value, archery::RcK, FxBuildHasher>,
}

impl ArrayValue {
    /// The array with one value everywhere.
    pub fn new(default: Value) -> Self {
        ArrayValue { default, entries: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher) }
    }

    /// The value at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Changes the value at an index.
    pub fn set(&mut self, index: Value, value: Value) {
        if value == self.default {
            self.entries.remove_mut(&index);
        } else {
            self.entries.insert_mut(index, value);
        }
    }

    /// The value at all indices without an entry.
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The indices whose value is not the default, with their values, in an unspecified order.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }
}

impl fmt::Debug for ArrayValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries()).entry(&"else", &self.default).finish()
    }
}

impl Hash for ArrayValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.default.hash(state);
        // The order of entries is not part of the value, so the hashes of the entries are added up.
        let sum = self.entries.iter().fold(0u64, |sum, entry| sum.wrapping_add(FxBuildHasher.hash_one(entry)));
        sum.hash(state);
    }
}

/// Whether two values of a sort are equal, or `None` where this is not obvious. Arrays are compared as functions. The
/// recursion follows the sort only, and array sorts nest only as deep as they were declared.
fn same(pool: &Pool, a: &Value, b: &Value, sort: Sort) -> Option<bool> {
    let (Value::Array(x), Value::Array(y), Sort::Array(array)) = (a, b, sort) else {
        return Some(a == b);
    };
    if x == y {
        return Some(true);
    }
    let (index_sort, value_sort) = pool.array_parts(array);
    // All indices of a finite sort may have entries; then the defaults do not matter.
    let indices = match index_sort {
        Sort::Int => None,
        Sort::Bool => Some(2),
        Sort::BitVec(width) => 1u128.checked_shl(width),
        Sort::Float(format) => Some(1 << (format.width() - 1)),
        Sort::Array(_) => Some(0),
    };
    let entries = (x.entries.size() + y.entries.size()) as u128;
    let defaults = same(pool, &x.default, &y.default, value_sort);
    let mut result =
        if indices.is_none_or(|indices| entries < indices) || defaults == Some(true) { defaults } else { None };
    for index in x.entries.keys().chain(y.entries.keys()) {
        if result == Some(false) {
            break;
        }
        match same(pool, x.get(index), y.get(index), value_sort) {
            Some(true) => {}
            other => result = other,
        }
    }
    result
}

impl Value {
    /// The truth value, or `None` for a value of another sort.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, or `None` for a value of another sort.
    pub fn as_int(&self) -> Option<&Integer> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Value::Int(value) => Some(Number::Int(value.clone())),
            Value::Bv(width, bits) => Some(Number::Bv(*width, *bits)),
            Value::Float(format, bits) => Some(Number::Float(*format, *bits)),
            Value::Bool(_) | Value::Array(_) => None,
        }
    }
}

/// An assignment of values to variables. A variable without an entry has the default of its sort: false, zero, or the
/// array of defaults.
#[derive(Clone, Debug, Default)]
pub struct Model {
    values: FxHashMap<VarId, Value>,
}

impl Model {
    /// The model in which every variable has its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Assigns a value to a variable. The value must be of the variable's sort.
    pub fn set(&mut self, variable: VarId, value: Value) {
        self.values.insert(variable, value);
    }

    /// The value that the model assigns to a variable.
    pub fn get(&self, variable: VarId) -> Option<&Value> {
        self.values.get(&variable)
    }

    /// The variables to which the model assigns values, with these values.
    pub fn variables(&self) -> impl Iterator<Item = (VarId, &Value)> {
        self.values.iter().map(|(id, value)| (*id, value))
    }

    /// Adopts all assignments of `other`.
    pub fn extend(&mut self, other: &Model) {
        self.values.extend(other.values.iter().map(|(id, value)| (*id, value.clone())));
    }
}

/// Evaluates terms of one pool under one model, each shared subterm once.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    model: Model,
    known: FxHashMap<Term, Value>,
}

impl Evaluator {
    /// An evaluator under this model.
    pub fn new(model: Model) -> Self {
        Evaluator { model, known: FxHashMap::default() }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The number of terms that have been evaluated so far, each once.
    pub fn evaluated(&self) -> usize {
        self.known.len()
    }

    /// The truth value of a formula, or `None` under the conditions of [`value`](Self::value).
    pub fn holds(&mut self, pool: &Pool, formula: Term) -> Option<bool> {
        match formula {
            Pool::TRUE => Some(true),
            Pool::FALSE => Some(false),
            _ => self.value(pool, formula)?.as_bool(),
        }
    }

    /// The value of a term. Returns `None` if the term divides by zero or quantifies over a range that is too long to
    /// enumerate, or if the work must stop ([`Pool::watch`]). An operand that does not matter (a branch not taken, a
    /// conjunct beside a false one) may lack a value.
    pub fn value(&mut self, pool: &Pool, term: Term) -> Option<Value> {
        // A term without a value never enters `known`; `failed` prevents evaluating it again and again.
        let mut failed: FxHashMap<Term, ()> = FxHashMap::default();
        let mut pending = vec![(term, false)];
        while let Some((top, expanded)) = pending.pop() {
            pool.work();
            if pool.is_stopped() {
                return None;
            }
            if self.known.contains_key(&top) || failed.contains_key(&top) {
                continue;
            }
            if expanded {
                match self.combine(pool, top) {
                    Some(value) => {
                        self.known.insert(top, value);
                    }
                    None => {
                        failed.insert(top, ());
                    }
                }
                continue;
            }
            // Evaluate the condition first, so that the branch not taken costs nothing.
            if let Node::Ite(condition, then, otherwise) = *pool.node(top) {
                match self.known.get(&condition).and_then(Value::as_bool) {
                    Some(taken) => {
                        let branch = if taken { then } else { otherwise };
                        pending.push((top, true));
                        pending.push((branch, false));
                    }
                    None if failed.contains_key(&condition) => {
                        failed.insert(top, ());
                    }
                    None => {
                        pending.push((top, false));
                        pending.push((condition, false));
                    }
                }
                continue;
            }
            pending.push((top, true));
            if let Node::Quantified { low, high, .. } = *pool.node(top) {
                pending.push((low, false));
                pending.push((high, false));
                continue;
            }
            pool.node(top).for_each_child(|child| pending.push((child, false)));
        }
        self.known.get(&term).cloned()
    }

    fn default_of(&self, pool: &Pool, sort: Sort) -> Value {
        // Array sorts nest only as deep as they were declared.
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(Integer::ZERO),
            Sort::BitVec(width) => Value::Bv(width, 0),
            Sort::Float(format) => Value::Float(format, 0),
            Sort::Array(array) => {
                let default = self.default_of(pool, pool.array_parts(array).1);
                Value::Array(Rc::new(ArrayValue::new(default)))
            }
        }
    }

    fn bool(&self, term: Term) -> Option<bool> {
        self.known.get(&term)?.as_bool()
    }

    fn int(&self, term: Term) -> Option<&Integer> {
        self.known.get(&term)?.as_int()
    }

    fn bits(&self, term: Term) -> Option<u128> {
        match self.known.get(&term)? {
            Value::Bv(_, bits) => Some(*bits),
            _ => None,
        }
    }

    fn float(&self, term: Term) -> Option<(FloatFormat, u64)> {
        match self.known.get(&term)? {
            Value::Float(format, bits) => Some((*format, *bits)),
            _ => None,
        }
    }

    /// The value of a term whose operands have been evaluated.
    fn combine(&mut self, pool: &Pool, term: Term) -> Option<Value> {
        let width = pool.width(term);
        Some(match pool.node(term) {
            Node::Bool(value) => Value::Bool(*value),
            Node::Int(value) => Value::Int(value.clone()),
            Node::Bv { width, bits } => Value::Bv(*width, *bits),
            Node::Float(format, bits) => Value::Float(*format, *bits),
            Node::Var(id) => {
                self.model.get(*id).cloned().unwrap_or_else(|| self.default_of(pool, pool.variable(*id).sort))
            }
            Node::Not(a) => Value::Bool(!self.bool(*a)?),
            Node::And(parts) => Value::Bool(self.junction(parts, false)?),
            Node::Or(parts) => Value::Bool(self.junction(parts, true)?),
            Node::Ite(condition, then, otherwise) => {
                let branch = if self.bool(*condition)? { then } else { otherwise };
                self.known.get(branch)?.clone()
            }
            Node::Eq(a, b) => {
                let sort = pool.sort(*a);
                Value::Bool(same(pool, self.known.get(a)?, self.known.get(b)?, sort)?)
            }
            Node::Sum(constant, parts) => {
                let mut total = constant.clone();
                for (factor, part) in parts {
                    total = &total + &(factor * self.int(*part)?);
                }
                Value::Int(total)
            }
            Node::Product(parts) => {
                let mut total = Integer::ONE;
                for part in parts {
                    total = &total * self.int(*part)?;
                }
                Value::Int(total)
            }
            Node::IntDiv(a, b) => Value::Int(self.int(*a)?.div_mod_euclid(self.int(*b)?)?.0),
            Node::IntMod(a, b) => Value::Int(self.int(*a)?.div_mod_euclid(self.int(*b)?)?.1),
            Node::LeZero(a) => Value::Bool(self.int(*a)?.signum() <= 0),
            Node::EqZero(a) => Value::Bool(self.int(*a)?.is_zero()),
            Node::BvBinary(op, a, b) => {
                Value::Bv(width, semantics::bv_binary(*op, width, self.bits(*a)?, self.bits(*b)?))
            }
            Node::BvNot(a) => Value::Bv(width, !self.bits(*a)? & semantics::mask(width)),
            Node::BvNeg(a) => Value::Bv(width, self.bits(*a)?.wrapping_neg() & semantics::mask(width)),
            Node::BvCompare(order, a, b) => {
                Value::Bool(semantics::bv_compare(*order, pool.width(*a), self.bits(*a)?, self.bits(*b)?))
            }
            Node::Extract { low, value, .. } => Value::Bv(width, (self.bits(*value)? >> low) & semantics::mask(width)),
            Node::Concat(a, b) => {
                let upper = self.bits(*a)?.checked_shl(pool.width(*b)).unwrap_or(0);
                Value::Bv(width, upper | self.bits(*b)?)
            }
            Node::Extend { signed, value, .. } => {
                let bits = self.bits(*value)?;
                let bits = if *signed { semantics::signed(bits, pool.width(*value)) as u128 } else { bits };
                Value::Bv(width, bits & semantics::mask(width))
            }
            Node::FloatBinary(op, a, b) => {
                let ((format, a), (_, b)) = (self.float(*a)?, self.float(*b)?);
                Value::Float(format, semantics::float_binary(*op, format, a, b))
            }
            Node::FloatNeg(a) => {
                let (format, bits) = self.float(*a)?;
                Value::Float(format, semantics::float_neg(format, bits))
            }
            Node::FloatUnary(function, a) => {
                let (format, bits) = self.float(*a)?;
                Value::Float(format, semantics::float_unary(*function, format, bits))
            }
            Node::FloatCompare(order, a, b) => {
                let ((format, a), (_, b)) = (self.float(*a)?, self.float(*b)?);
                Value::Bool(semantics::float_compare(*order, format, a, b))
            }
            Node::FloatIsNan(a) => {
                let (format, bits) = self.float(*a)?;
                Value::Bool(semantics::float_is_nan(format, bits))
            }
            Node::Convert(conversion, a) => match semantics::convert(*conversion, &self.known.get(a)?.number()?)? {
                Number::Int(value) => Value::Int(value),
                Number::Bv(width, bits) => Value::Bv(width, bits),
                Number::Float(format, bits) => Value::Float(format, bits),
            },
            Node::Select(array, index) => match self.known.get(array)? {
                Value::Array(array) => array.get(self.known.get(index)?).clone(),
                _ => return None,
            },
            Node::Store(array, index, value) => match self.known.get(array)? {
                Value::Array(array) => {
                    let mut array = (**array).clone();
                    array.set(self.known.get(index)?.clone(), self.known.get(value)?.clone());
                    Value::Array(Rc::new(array))
                }
                _ => return None,
            },
            Node::ConstArray(_, value) => Value::Array(Rc::new(ArrayValue::new(self.known.get(value)?.clone()))),
            Node::Quantified { forall, variable, low, high, body } => {
                let (low, high) = (self.int(*low)?.as_i64()?, self.int(*high)?.as_i64()?);
                Value::Bool(self.quantified(pool, *forall, *variable, low, high, *body)?)
            }
        })
    }

    /// Whether one of the parts is `absorbing`. If none is, all parts must have values.
    fn junction(&self, parts: &[Term], absorbing: bool) -> Option<bool> {
        let mut complete = true;
        for &part in parts {
            match self.bool(part) {
                Some(value) if value == absorbing => return Some(absorbing),
                Some(_) => {}
                None => complete = false,
            }
        }
        complete.then_some(!absorbing)
    }

    fn quantified(&self, pool: &Pool, forall: bool, variable: VarId, low: i64, high: i64, body: Term) -> Option<bool> {
        if high.checked_sub(low)? > QUANTIFIER_LIMIT {
            return None;
        }
        for index in low..high {
            let mut instance = Evaluator::new(self.model.clone());
            instance.model.set(variable, Value::Int(index.into()));
            if instance.holds(pool, body)? != forall {
                return Some(!forall);
            }
        }
        Some(forall)
    }
}
