//! Repairs models: changes a few values of the path's current model so that a new condition holds.
//!
//! Most conditions in programs are linear in a few inputs. If intervals exclude the current value of an input, the
//! nearest value that they allow is a good guess. If the condition is still false, moving one input by the difference
//! makes it true. The result is tested like every other model, so that a bad guess costs only a little time.

use aback_logic::{ArrayValue, Domain, Evaluator, Integer, Interval, Model, Node, Pool, Sort, Term, Value, VarId};
use std::rc::Rc;

/// Greatest number of inputs of a formula that is repaired.
const CELL_LIMIT: usize = 32;
/// Greatest number of subterms of a formula that is repaired.
const TERM_LIMIT: usize = 2_000;

/// Guesses a model of a path and a formula. `current` is a model of the path, and `domain` contains the path and the
/// formula.
pub(super) fn repaired(pool: &mut Pool, domain: &Domain, current: &Model, formula: Term) -> Option<Model> {
    let subterms = pool.subterms(&[formula]);
    if subterms.len() > TERM_LIMIT {
        return None;
    }
    let cells: Vec<Term> = subterms.into_iter().filter(|&term| is_cell(pool, term)).collect();
    if cells.len() > CELL_LIMIT {
        return None;
    }
    let mut repair = Repair { pool, domain, model: Evaluator::new(current.clone()) };
    for cell in cells {
        repair.clamp(cell)?;
    }
    repair.satisfy(formula).then(|| repair.model.model().clone())
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
    model: Evaluator,
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

    /// Makes a formula true by moving one input for each comparison. Returns whether this succeeded.
    fn satisfy(&mut self, formula: Term) -> bool {
        if self.model.holds(self.pool, formula) == Some(true) {
            return true;
        }
        match self.pool.node(formula).clone() {
            Node::And(parts) => {
                parts.iter().all(|&part| self.satisfy(part)) && self.model.holds(self.pool, formula) == Some(true)
            }
            Node::Or(parts) => parts.iter().any(|&part| {
                let before = self.model.clone();
                let done = self.satisfy(part);
                if !done {
                    self.model = before;
                }
                done
            }),
            Node::LeZero(sum) | Node::EqZero(sum) => self.shift(formula, sum, &Integer::ZERO),
            Node::Not(inner) => match *self.pool.node(inner) {
                Node::EqZero(sum) => {
                    self.shift(formula, sum, &Integer::ONE) || self.shift(formula, sum, &Integer::MINUS_ONE)
                }
                _ if is_cell(self.pool, inner) => self.set(inner, Value::Bool(false)).is_some(),
                _ => false,
            },
            _ if is_cell(self.pool, formula) => self.set(formula, Value::Bool(true)).is_some(),
            _ => false,
        }
    }

    /// Moves one input of a sum so that the sum has the wanted value, if that makes the formula true. Returns whether
    /// it did.
    fn shift(&mut self, formula: Term, sum: Term, wanted: &Integer) -> bool {
        let Some(difference) = self.int(sum).map(|value| wanted - &value) else {
            return false;
        };
        let (_, parts) = self.pool.linear(sum);
        for (factor, cell) in parts {
            if !factor.abs().is_one() || !is_cell(self.pool, cell) {
                continue;
            }
            let Some(value) = self.int(cell) else {
                return false;
            };
            let moved = &value + &(&difference * &factor);
            if !self.domain.interval(self.pool, cell).contains(&moved) {
                continue;
            }
            let before = self.model.clone();
            if self.set(cell, Value::Int(moved)).is_some() && self.model.holds(self.pool, formula) == Some(true) {
                return true;
            }
            self.model = before;
        }
        false
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
        self.model = Evaluator::new(model);
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
