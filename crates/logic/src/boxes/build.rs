//! Makes steps of terms.

use super::range::{Range, number, whole};
use super::step::Step;
use super::{Boxes, VARIABLES, Variable};
use crate::domain::Domain;
use crate::float_range::FloatRange;
use crate::pool::Pool;
use crate::semantics::signed;
use crate::term::{Conversion, Node, Sort, Term};
use rustc_hash::FxHashMap;

pub(super) struct Builder<'a> {
    pub(super) pool: &'a Pool,
    pub(super) domain: &'a Domain,
    pub(super) boxes: Boxes,
    pub(super) numbers: FxHashMap<Term, usize>,
    /// The variables in each step, as a set of bits.
    pub(super) uses: Vec<u32>,
}

impl Builder<'_> {
    /// The step of a term, whose operands have steps. `None` if there are too many variables.
    pub(super) fn step(&mut self, term: Term) -> Option<Step> {
        let (pool, sort) = (self.pool, self.pool.sort(term));
        let mut uses = 0;
        pool.node(term).for_each_child(|child| uses |= self.uses[self.numbers[&child]]);
        let at = |term: Term| self.numbers[&term];
        let list = |terms: &[Term]| terms.iter().map(|&term| at(term)).collect();
        let unknown = Step::Known(Range::all(sort));
        let step = match pool.node(term) {
            Node::Bool(value) => Step::Known(Range::decided(*value)),
            Node::Int(value) => Step::Known(number(value).map_or(Range::Unknown, |value| Range::Whole(value, value))),
            &Node::Bv { width: width @ 1..=64, bits } => {
                let value = signed(bits, width);
                Step::Known(Range::Whole(value, value))
            }
            &Node::Float(format, bits) => Step::Known(Range::Float(FloatRange::point(format, bits))),
            Node::Var(id) => {
                let range = match sort {
                    Sort::Int | Sort::BitVec(1..=64) => whole(&self.domain.interval(pool, term)),
                    _ => Range::all(sort),
                };
                if matches!(range, Range::Unknown) {
                    self.boxes.is_partial = true;
                    Step::Known(range)
                } else {
                    let number = self.boxes.variables.len();
                    if number >= VARIABLES {
                        return None;
                    }
                    self.boxes.variables.push(Variable { id: *id, sort });
                    self.boxes.start.push(range);
                    uses = 1 << number;
                    Step::Variable(number)
                }
            }
            Node::Not(a) => Step::Not(at(*a)),
            Node::And(parts) => Step::All(list(parts)),
            Node::Or(parts) => Step::Any(list(parts)),
            Node::Ite(condition, a, b) => Step::Choice(at(*condition), at(*a), at(*b)),
            Node::Eq(a, b) => Step::Equal(at(*a), at(*b)),
            Node::Sum(constant, parts) => {
                let factors = parts.iter().map(|(factor, part)| Some((number(factor)?, at(*part))));
                match (number(constant), factors.collect()) {
                    (Some(constant), Some(factors)) => Step::Sum(constant, factors),
                    _ => unknown,
                }
            }
            Node::LeZero(a) => Step::AtMostZero(at(*a)),
            Node::EqZero(a) => Step::IsZero(at(*a)),
            &Node::BvBinary(op, a, b) => match sort {
                Sort::BitVec(width @ 1..=64) => Step::Machine(op, width, at(a), at(b)),
                _ => unknown,
            },
            Node::BvNeg(a) => match sort {
                Sort::BitVec(width @ 1..=64) => Step::MachineNeg(width, at(*a)),
                _ => unknown,
            },
            &Node::BvCompare(order, a, b) => Step::MachineOrder(order, at(a), at(b)),
            &Node::Extend { signed: true, value, .. } => {
                Step::Kept { value: at(value), least: i128::MIN, all: Range::all(sort) }
            }
            &Node::Extend { signed: false, value, .. } => {
                Step::Kept { value: at(value), least: 0, all: Range::all(sort) }
            }
            &Node::Convert(conversion, a) => match conversion {
                Conversion::IntToBv(_) => match Range::all(sort) {
                    all @ Range::Whole(least, _) => Step::Kept { value: at(a), least, all },
                    _ => unknown,
                },
                Conversion::BvToInt { signed } => {
                    let least = if signed { i128::MIN } else { 0 };
                    Step::Kept { value: at(a), least, all: Range::Unknown }
                }
                Conversion::BvToFloat { signed: true, .. } => Step::ToFloat(sort, at(a)),
                Conversion::FloatToFloat(_) => Step::ToFloat(sort, at(a)),
                Conversion::FloatToBv(width @ 1..=64) => Step::ToMachine(width, at(a)),
                _ => unknown,
            },
            &Node::FloatBinary(op, a, b) => Step::Float(op, at(a), at(b)),
            Node::FloatNeg(a) => Step::FloatNeg(at(*a)),
            Node::FloatUnary(function, a) => Step::FloatUnary(*function, at(*a)),
            &Node::FloatCompare(order, a, b) => Step::FloatOrder(order, at(a), at(b)),
            Node::FloatIsNan(a) => Step::IsNan(at(*a)),
            _ => unknown,
        };
        self.uses.push(uses);
        Some(step)
    }
}
