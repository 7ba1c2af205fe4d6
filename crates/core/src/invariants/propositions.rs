//! Makes the formulas about heaps with conditions as terms.

use aback_hex::conditional::Formulas;
use aback_logic::{Pool, Sort, Term};

/// Makes terms of a pool.
pub(super) struct Propositions<'a>(pub(super) &'a mut Pool);

impl Formulas for Propositions<'_> {
    type Formula = Term;

    fn constant(&mut self, value: bool) -> Term {
        self.0.bool(value)
    }

    fn variable(&mut self) -> Term {
        self.0.fresh_var("p", Sort::Bool)
    }

    fn not(&mut self, formula: Term) -> Term {
        self.0.not(formula)
    }

    fn and(&mut self, left: Term, right: Term) -> Term {
        self.0.and(left, right)
    }

    fn or(&mut self, left: Term, right: Term) -> Term {
        self.0.or(left, right)
    }
}
