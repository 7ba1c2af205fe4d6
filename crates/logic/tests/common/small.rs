//! Random formulas over a world so small that all assignments can be tried.

use super::Choices;
use aback_logic::{BvOp, BvOrder, Conversion, Evaluator, Integer, Model, Node, Pool, Sort, Term, Value};

/// Integers range over -LIMIT..=LIMIT.
pub const LIMIT: i64 = 3;
/// Width of bit-vectors in bits: narrow, so that all values can be tried.
const WIDTH: u32 = 3;

/// Two integers, a truth value and two bit-vectors.
pub struct World {
    pub pool: Pool,
    pub ints: [Term; 2],
    pub bool: Term,
    pub vectors: [Term; 2],
}

impl World {
    pub fn new() -> Self {
        let mut pool = Pool::new();
        let ints = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Int));
        let bool = pool.fresh_var("c", Sort::Bool);
        let vectors = ["v", "w"].map(|name| pool.fresh_var(name, Sort::BitVec(WIDTH)));
        World { pool, ints, bool, vectors }
    }

    pub fn int(&mut self, choices: &mut Choices, depth: u32) -> Term {
        if depth == 0 {
            return match choices.next(3) {
                0 => self.pool.int(choices.next(9) as i64 - 4),
                n => self.ints[n - 1],
            };
        }
        match choices.next(9) {
            0 => self.int(choices, 0),
            1 | 2 => {
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, depth - 1));
                self.pool.add(a, b)
            }
            3 => {
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, depth - 1));
                self.pool.sub(a, b)
            }
            4 => {
                let a = self.int(choices, depth - 1);
                self.pool.scale(&Integer::from(choices.next(7) as i64 - 3), a)
            }
            5 => {
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, depth - 1));
                self.pool.mul(a, b)
            }
            6 => {
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, 0));
                if choices.next(2) == 0 { self.pool.int_div(a, b) } else { self.pool.int_mod(a, b) }
            }
            7 => {
                let condition = self.bool(choices, depth - 1);
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, depth - 1));
                self.pool.ite(condition, a, b)
            }
            _ => {
                let vector = self.vector(choices, depth - 1);
                let signed = choices.next(2) == 0;
                self.pool.convert(Conversion::BvToInt { signed }, vector)
            }
        }
    }

    pub fn vector(&mut self, choices: &mut Choices, depth: u32) -> Term {
        if depth == 0 {
            return match choices.next(3) {
                0 => self.pool.bv(WIDTH, choices.next(8) as u128),
                n => self.vectors[n - 1],
            };
        }
        match choices.next(7) {
            0 => self.vector(choices, 0),
            1 | 2 => {
                let ops = [BvOp::Add, BvOp::Mul, BvOp::And, BvOp::Or, BvOp::UDiv, BvOp::SRem, BvOp::LShr];
                let op = ops[choices.next(ops.len())];
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                self.pool.bv_binary(op, a, b)
            }
            3 => {
                let a = self.vector(choices, depth - 1);
                if choices.next(2) == 0 { self.pool.bv_neg(a) } else { self.pool.bv_not(a) }
            }
            4 => {
                let a = self.vector(choices, depth - 1);
                let wide = self.pool.resize(2 * WIDTH, choices.next(2) == 0, a);
                let b = self.vector(choices, depth - 1);
                let other = self.pool.resize(2 * WIDTH, choices.next(2) == 0, b);
                let sum = self.pool.bv_binary(BvOp::Add, wide, other);
                let low = choices.next(WIDTH as usize) as u32;
                self.pool.extract(low + WIDTH - 1, low, sum)
            }
            5 => {
                let condition = self.bool(choices, depth - 1);
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                self.pool.ite(condition, a, b)
            }
            _ => {
                let a = self.int(choices, depth - 1);
                self.pool.convert(Conversion::IntToBv(WIDTH), a)
            }
        }
    }

    pub fn bool(&mut self, choices: &mut Choices, depth: u32) -> Term {
        if depth == 0 {
            return self.bool;
        }
        match choices.next(10) {
            0 => self.bool,
            1 => {
                let a = self.bool(choices, depth - 1);
                self.pool.not(a)
            }
            2 | 3 => {
                let (a, b) = (self.bool(choices, depth - 1), self.bool(choices, depth - 1));
                if choices.next(2) == 0 { self.pool.and(a, b) } else { self.pool.or(a, b) }
            }
            4 => {
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, depth - 1));
                self.pool.eq(a, b)
            }
            5 | 6 => {
                let (a, b) = (self.int(choices, depth - 1), self.int(choices, depth - 1));
                if choices.next(2) == 0 { self.pool.le(a, b) } else { self.pool.lt(a, b) }
            }
            7 => {
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                self.pool.eq(a, b)
            }
            8 => {
                let orders = [BvOrder::ULt, BvOrder::ULe, BvOrder::SLt, BvOrder::SLe];
                let order = orders[choices.next(4)];
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                self.pool.bv_compare(order, a, b)
            }
            _ => {
                let (a, b) = (self.bool(choices, depth - 1), self.bool(choices, depth - 1));
                self.pool.eq(a, b)
            }
        }
    }

    /// All assignments within the limits.
    pub fn models(&self) -> Vec<Evaluator> {
        let id = |term: Term| match self.pool.node(term) {
            Node::Var(id) => *id,
            other => panic!("{other:?} is no variable"),
        };
        let mut models = vec![Model::new()];
        let mut each = |term: Term, values: Vec<Value>| {
            models = models
                .iter()
                .flat_map(|model| {
                    values.iter().map(move |value| {
                        let mut model = model.clone();
                        model.set(id(term), value.clone());
                        model
                    })
                })
                .collect();
        };
        for term in self.ints {
            each(term, (-LIMIT..=LIMIT).map(|value| Value::Int(value.into())).collect());
        }
        each(self.bool, vec![Value::Bool(false), Value::Bool(true)]);
        for term in self.vectors {
            each(term, (0..1 << WIDTH).map(|bits| Value::Bv(WIDTH, bits)).collect());
        }
        models.into_iter().map(Evaluator::new).collect()
    }
}

/// The limits of the integers as conditions.
pub fn bounds(world: &mut World) -> Vec<Term> {
    let pool = &mut world.pool;
    let (low, high) = (pool.int(-LIMIT), pool.int(LIMIT));
    world.ints.iter().flat_map(|&x| [pool.le(low, x), pool.le(x, high)]).collect()
}
