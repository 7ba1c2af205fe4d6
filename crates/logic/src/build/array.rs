//! Arrays: total functions from indices to values.

use crate::pool::Pool;
use crate::rules::Rule;
use crate::term::{Node, Sort, Term};

/// How many writes a read looks through.
const LOOK_THROUGH: u32 = 256;

impl Pool {
    /// The array of this sort with one value everywhere. A sort that is not an array's gives the value itself.
    pub fn const_array(&mut self, sort: Sort, value: Term) -> Term {
        match sort {
            Sort::Array(sort) => self.intern(Node::ConstArray(sort, value)),
            _ => value,
        }
    }

    /// Whether two terms of one sort are the same (`Some(true)`), differ whatever the variables are (`Some(false)`),
    /// or neither is plain to see.
    pub fn known_equal(&mut self, a: Term, b: Term) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        let equal = self.eq(a, b);
        self.as_bool(equal)
    }

    /// An array's value at an index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let mut current = array;
        for _ in 0..LOOK_THROUGH {
            match *self.node(current) {
                Node::Store(inner, written, value) => match self.known_equal(written, index) {
                    Some(true) if self.fires(Rule::SelectStore, true) => return value,
                    Some(false) if self.fires(Rule::SelectStore, true) => current = inner,
                    _ => break,
                },
                Node::ConstArray(_, value) if self.fires(Rule::SelectConst, true) => return value,
                _ => break,
            }
        }
        self.intern(Node::Select(current, index))
    }

    /// The array that differs from `array` at `index`, where it is `value`.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        if let Node::Store(inner, written, _) = *self.node(array)
            && self.fires(Rule::StoreStore, written == index)
        {
            return self.store(inner, index, value);
        }
        self.intern(Node::Store(array, index, value))
    }
}
