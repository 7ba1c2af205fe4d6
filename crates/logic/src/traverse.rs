//! Traverses terms. Every traversal keeps its own stack, so that only memory bounds the depth, and visits shared
//! subterms once.

use crate::pool::Pool;
use crate::term::{Node, Term, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Pool {
    /// The different subterms of `roots`, including `roots`, each after its own subterms.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut pending: Vec<Term> = roots.to_vec();
        while let Some(term) = pending.pop() {
            self.work();
            if seen.insert(term) {
                self.node(term).for_each_child(|child| pending.push(child));
            }
        }
        let mut found: Vec<Term> = seen.into_iter().collect();
        // A term's id is greater than those of its subterms.
        found.sort_unstable();
        found
    }

    /// The variables that occur free in `roots`, in order of creation.
    pub fn free_variables(&self, roots: &[Term]) -> Vec<VarId> {
        let mut variables = Vec::new();
        let mut bound = FxHashSet::default();
        for term in self.subterms(roots) {
            match self.node(term) {
                Node::Var(id) => variables.push(*id),
                Node::Quantified { variable, .. } => {
                    bound.insert(*variable);
                }
                _ => {}
            }
        }
        variables.retain(|id| !bound.contains(id));
        variables
    }

    /// The number of different subterms: the size of the term as a graph.
    pub fn size(&self, term: Term) -> usize {
        self.subterms(&[term]).len()
    }

    /// Returns `term` with every occurrence of each pair's first term replaced by its second, simultaneously. The
    /// sorts must agree. The substitution is incomplete if the work had to stop ([`Pool::watch`]).
    pub fn substitute(&mut self, term: Term, pairs: &[(Term, Term)]) -> Term {
        let mut done: FxHashMap<Term, Term> = pairs.iter().copied().collect();
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if done.contains_key(&top) {
                pending.pop();
                continue;
            }
            self.work();
            if self.is_stopped() {
                break;
            }
            let before = pending.len();
            self.node(top).for_each_child(|child| {
                if !done.contains_key(&child) {
                    pending.push(child);
                }
            });
            if pending.len() == before {
                pending.pop();
                let rebuilt = self.rebuild(top, |child| done.get(&child).copied().unwrap_or(child));
                done.insert(top, rebuilt);
            }
        }
        done.get(&term).copied().unwrap_or(term)
    }

    /// The term with `f` applied to each direct subterm, simplified anew.
    pub fn rebuild(&mut self, term: Term, mut f: impl FnMut(Term) -> Term) -> Term {
        let mut unchanged = true;
        self.node(term).for_each_child(|child| unchanged &= f(child) == child);
        if unchanged {
            return term;
        }
        match self.node(term).clone() {
            Node::Bool(_) | Node::Int(_) | Node::Bv { .. } | Node::Float(..) | Node::Var(_) => term,
            Node::Not(a) => self.not(f(a)),
            Node::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|&part| f(part)).collect();
                self.and_all(&parts)
            }
            Node::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|&part| f(part)).collect();
                self.or_all(&parts)
            }
            Node::Ite(c, a, b) => self.ite(f(c), f(a), f(b)),
            Node::Eq(a, b) => self.eq(f(a), f(b)),
            Node::Sum(constant, parts) => {
                let mut total = self.integer(constant);
                for (factor, part) in &parts {
                    let part = self.scale(factor, f(*part));
                    total = self.add(total, part);
                }
                total
            }
            Node::Product(parts) => {
                let mut total = self.int(1);
                for &part in &parts {
                    total = self.mul(total, f(part));
                }
                total
            }
            Node::IntDiv(a, b) => self.int_div(f(a), f(b)),
            Node::IntMod(a, b) => self.int_mod(f(a), f(b)),
            Node::LeZero(a) => self.le_zero(f(a)),
            Node::EqZero(a) => self.eq_zero(f(a)),
            Node::BvBinary(op, a, b) => self.bv_binary(op, f(a), f(b)),
            Node::BvNot(a) => self.bv_not(f(a)),
            Node::BvNeg(a) => self.bv_neg(f(a)),
            Node::BvCompare(order, a, b) => self.bv_compare(order, f(a), f(b)),
            Node::Extract { high, low, value } => self.extract(high, low, f(value)),
            Node::Concat(a, b) => self.concat(f(a), f(b)),
            Node::Extend { signed, by, value } => {
                let width = self.width(value) + by;
                self.resize(width, signed, f(value))
            }
            Node::FloatBinary(op, a, b) => self.float_binary(op, f(a), f(b)),
            Node::FloatNeg(a) => self.float_neg(f(a)),
            Node::FloatUnary(function, a) => self.float_unary(function, f(a)),
            Node::FloatCompare(order, a, b) => self.float_compare(order, f(a), f(b)),
            Node::FloatIsNan(a) => self.float_is_nan(f(a)),
            Node::Convert(conversion, a) => self.convert(conversion, f(a)),
            Node::Select(a, i) => self.select(f(a), f(i)),
            Node::Store(a, i, v) => self.store(f(a), f(i), f(v)),
            Node::ConstArray(_, value) => {
                let sort = self.sort(term);
                self.const_array(sort, f(value))
            }
            Node::Quantified { forall, variable, low, high, body } => {
                let variable = self.variable_term(variable);
                self.quantified(forall, variable, f(low), f(high), f(body))
            }
        }
    }
}
