//! What intervals claim holds for every assignment that satisfies the assumed conditions. Errata 1 of paper 4.

mod common;

use aback_logic::{
    BvOp, BvOrder, Contradiction, Conversion, Domain, Evaluator, Integer, Interval, Model, Node, Pool, Sort, Term,
    Value,
};
use common::Choices;
use proptest::prelude::*;

/// Integers range over -LIMIT..=LIMIT.
const LIMIT: i64 = 3;
/// Bit-vectors are so narrow that all values can be tried.
const WIDTH: u32 = 3;

/// Two integers, a truth value and two bit-vectors.
struct World {
    pool: Pool,
    ints: [Term; 2],
    bool: Term,
    vectors: [Term; 2],
}

impl World {
    fn new() -> Self {
        let mut pool = Pool::new();
        let ints = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Int));
        let bool = pool.fresh_var("c", Sort::Bool);
        let vectors = ["v", "w"].map(|name| pool.fresh_var(name, Sort::BitVec(WIDTH)));
        World { pool, ints, bool, vectors }
    }

    fn int(&mut self, choices: &mut Choices, depth: u32) -> Term {
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

    fn vector(&mut self, choices: &mut Choices, depth: u32) -> Term {
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

    fn bool(&mut self, choices: &mut Choices, depth: u32) -> Term {
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

    /// Every assignment within the limits.
    fn models(&self) -> Vec<Evaluator> {
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

fn sound(choices: &[u16]) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let mut world = World::new();
    let (low, high) = (world.pool.int(-LIMIT), world.pool.int(LIMIT));
    let mut conditions = Vec::new();
    for x in world.ints {
        conditions.extend([world.pool.le(low, x), world.pool.le(x, high)]);
    }
    for _ in 0..1 + choices.next(4) {
        conditions.push(world.bool(&mut choices, 3));
    }
    let questions: Vec<Term> = (0..6).map(|_| world.bool(&mut choices, 3)).chain(conditions.clone()).collect();
    let (ints, vectors) = (world.ints, world.vectors);
    let terms: Vec<Term> = (0..6)
        .map(|i| if i % 2 == 0 { world.int(&mut choices, 3) } else { world.vector(&mut choices, 3) })
        .chain(ints)
        .chain(vectors)
        .collect();

    let mut domain = Domain::new();
    let assumed: Result<(), Contradiction> =
        conditions.iter().try_for_each(|&condition| domain.assume(&mut world.pool, condition));
    let pool = &world.pool;
    let mut models = world.models();
    models.retain_mut(|model| conditions.iter().all(|&condition| model.holds(pool, condition) == Some(true)));
    if assumed.is_err() {
        prop_assert!(models.is_empty(), "a contradiction is claimed where there is a model");
        return Ok(());
    }
    for question in questions {
        if let Some(claim) = domain.decide(pool, question) {
            for model in &mut models {
                let truth = model.holds(pool, question);
                prop_assert!(truth.is_none_or(|truth| truth == claim), "{}", pool.show(question));
            }
        }
    }
    for term in terms {
        let interval = domain.interval(pool, term);
        for model in &mut models {
            let value = match model.value(pool, term) {
                Some(Value::Int(value)) => value,
                Some(Value::Bv(width, bits)) => Integer::from_signed_bits(bits, width),
                _ => continue,
            };
            prop_assert!(interval.contains(&value), "{} = {value} is not in {interval}", pool.show(term));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claims_hold_for_all_assignments(choices in prop::collection::vec(any::<u16>(), 20..160)) {
        sound(&choices)?;
    }
}

/// Assumes conditions on three integers and compares an interval with the expected ends.
#[track_caller]
fn check(conditions: fn(&mut Pool, [Term; 3]) -> Vec<Term>, of: usize, expected: (Option<i64>, Option<i64>)) {
    let mut pool = Pool::new();
    let variables = ["x", "v", "e"].map(|name| pool.fresh_var(name, Sort::Int));
    let conditions = conditions(&mut pool, variables);
    let mut domain = Domain::new();
    for condition in conditions {
        domain.assume(&mut pool, condition).expect("no contradiction");
    }
    let expected = Interval { low: expected.0.map(Integer::from), high: expected.1.map(Integer::from) };
    assert_eq!(domain.interval(&pool, variables[of]), expected);
}

fn between(pool: &mut Pool, low: i64, term: Term, high: i64) -> Vec<Term> {
    let (low, high) = (pool.int(low), pool.int(high));
    vec![pool.le(low, term), pool.le(term, high)]
}

#[test]
fn less_than_an_interval_is_below_its_greatest_value() {
    // Paper 4 says a - 1 for e in [a, b].
    let below = |pool: &mut Pool, [x, _, e]: [Term; 3]| {
        let mut conditions = between(pool, 2, e, 9);
        conditions.push(pool.lt(x, e));
        conditions
    };
    check(below, 0, (None, Some(8)));
    let at_most = |pool: &mut Pool, [x, _, e]: [Term; 3]| {
        let mut conditions = between(pool, 2, e, 9);
        conditions.push(pool.le(x, e));
        conditions
    };
    check(at_most, 0, (None, Some(9)));
    let above = |pool: &mut Pool, [x, _, e]: [Term; 3]| {
        let mut conditions = between(pool, 2, e, 9);
        conditions.push(pool.lt(e, x));
        conditions
    };
    check(above, 0, (Some(3), None));
    let at_least = |pool: &mut Pool, [x, _, e]: [Term; 3]| {
        let mut conditions = between(pool, 2, e, 9);
        conditions.push(pool.le(e, x));
        conditions
    };
    check(at_least, 0, (Some(2), None));
}

#[test]
fn the_bound_narrows_the_other_side_too() {
    let conditions = |pool: &mut Pool, [x, _, e]: [Term; 3]| {
        let mut conditions = between(pool, 2, e, 9);
        conditions.extend(between(pool, 5, x, 20));
        conditions.push(pool.lt(x, e));
        conditions
    };
    check(conditions, 0, (Some(5), Some(8)));
    check(conditions, 2, (Some(6), Some(9)));
}

#[test]
fn not_less_or_equal_is_greater() {
    // Paper 4 says `a < b` for `!(a <= b)`.
    let conditions = |pool: &mut Pool, [x, _, e]: [Term; 3]| {
        let mut conditions = between(pool, 2, e, 9);
        let at_most = pool.le(x, e);
        conditions.push(pool.not(at_most));
        conditions
    };
    check(conditions, 0, (Some(3), None));
    let mut pool = Pool::new();
    let (a, b) = (pool.fresh_var("a", Sort::Int), pool.fresh_var("b", Sort::Int));
    let at_most = pool.le(a, b);
    let (negated, greater) = (pool.not(at_most), pool.lt(b, a));
    assert_eq!(negated, greater);
}

#[test]
fn narrowing_intersects() {
    // Paper 4 takes all integers where the union is empty, which it never is.
    let conditions = |pool: &mut Pool, [x, _, _]: [Term; 3]| {
        let mut conditions = between(pool, 2, x, 9);
        conditions.extend(between(pool, 5, x, 12));
        conditions
    };
    check(conditions, 0, (Some(5), Some(9)));
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", Sort::Int);
    let mut domain = Domain::new();
    let conditions: Vec<Term> =
        [between(&mut pool, 2, x, 4), between(&mut pool, 5, x, 12)].into_iter().flatten().collect();
    let assumed = conditions.iter().try_for_each(|&condition| domain.assume(&mut pool, condition));
    assert_eq!(assumed, Err(Contradiction));
}

#[test]
fn a_multiple_of_a_bounded_variable() {
    // Paper 4, section 3.4.2: `3 < v < 8 && x == 3v`.
    let conditions = |pool: &mut Pool, [x, v, _]: [Term; 3]| {
        let mut conditions = between(pool, 4, v, 7);
        let triple = pool.scale(&Integer::from(3), v);
        conditions.push(pool.eq(x, triple));
        conditions
    };
    check(conditions, 0, (Some(12), Some(21)));
}
