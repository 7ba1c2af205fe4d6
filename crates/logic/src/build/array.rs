//! Builds arrays: total functions from indices to values.

use crate::pool::Pool;
use crate::rules::Rule;
use crate::term::{Node, Sort, Term};

/// Greatest number of writes that a read skips.
const LOOK_THROUGH: u32 = 256;

impl Pool {
    /// The array of this sort that has one value everywhere. If the sort is not an array sort, returns the value.
    pub fn const_array(&mut self, sort: Sort, value: Term) -> Term {
        match sort {
            Sort::Array(sort) => self.intern(Node::ConstArray(sort, value)),
            _ => value,
        }
    }

    /// `Some(true)` if two terms of one sort are obviously equal, `Some(false)` if they obviously differ under every
    /// assignment, and otherwise `None`.
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

    /// The array that equals `array` except that its value at `index` is `value`.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        if let Node::Store(inner, written, _) = *self.node(array)
            && self.fires(Rule::StoreStore, written == index)
        {
            return self.store(inner, index, value);
        }
        self.intern(Node::Store(array, index, value))
    }
}
