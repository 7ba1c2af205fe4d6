//! Checks that questions about machine integers have the same answers as integers, as bit-vectors, and by trying all
//! values.

#[path = "../../logic/tests/common/mod.rs"]
mod common;

use aback_logic::{BvOp, BvOrder, Conversion, Evaluator, Integer, Model, Node, Pool, Sort, Term, Value};
use aback_smt::{CacheMode, Chain, Config, Feasibility, PathCondition, Reason};
use common::Choices;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::time::Duration;

const OPERATORS: [BvOp; 12] = [
    BvOp::Add,
    BvOp::Mul,
    BvOp::UDiv,
    BvOp::URem,
    BvOp::SDiv,
    BvOp::SRem,
    BvOp::And,
    BvOp::Or,
    BvOp::Xor,
    BvOp::Shl,
    BvOp::LShr,
    BvOp::AShr,
];
const ORDERS: [BvOrder; 4] = [BvOrder::ULt, BvOrder::ULe, BvOrder::SLt, BvOrder::SLe];

/// A chain in which every question reaches the solver.
fn chain(integers: bool) -> Chain {
    let config = Config { integers, slicing: true, check_timeout: Duration::from_secs(20), ..Config::plain() };
    Chain::new(&config).expect("Z3 is there")
}

/// Whether path and formula have a common model, which is tested; `None` if this is unknown.
#[track_caller]
fn ask(chain: &mut Chain, pool: &mut Pool, path: &PathCondition, formula: Term) -> Option<bool> {
    match chain.check(pool, path, formula) {
        Feasibility::Feasible(model) => {
            let mut model = Evaluator::new(model.borrow().model().clone());
            let mut all = path.conjuncts().chain([formula]);
            assert!(all.all(|conjunct| model.holds(pool, conjunct) == Some(true)), "the model is wrong");
            Some(true)
        }
        Feasibility::Infeasible => Some(false),
        Feasibility::Unknown(Reason::Timeout | Reason::Incomplete(_)) => None,
        Feasibility::Unknown(reason) => panic!("{reason}"),
    }
}

/// All values of a term over 4-bit variables, by evaluation.
fn values(pool: &Pool, variables: &[Term], term: Term) -> Vec<Value> {
    let mut found = Vec::new();
    for number in 0..1u128 << (4 * variables.len()) {
        let mut model = Model::new();
        for (place, &variable) in variables.iter().enumerate() {
            let Node::Var(id) = *pool.node(variable) else { panic!("a variable") };
            model.set(id, Value::Bv(4, number >> (4 * place) & 15));
        }
        found.push(Evaluator::new(model).value(pool, term).expect("a value"));
    }
    found
}

/// Asks for each value of `width` bits whether the term can have it, and compares the answer with all values of the
/// variables.
#[track_caller]
fn has_its_values(pool: &mut Pool, chain: &mut Chain, variables: &[Term], term: Term) {
    let before = chain.statistics().integers;
    let expected = values(pool, variables, term);
    let width = pool.width(term);
    let path = PathCondition::new();
    for bits in 0..1u128 << width {
        let value = pool.bv(width, bits);
        let formula = pool.eq(term, value);
        let found = ask(chain, pool, &path, formula);
        assert_eq!(found, Some(expected.contains(&Value::Bv(width, bits))), "{}", pool.show(formula));
    }
    let after = chain.statistics().integers;
    assert_eq!(after.answered - before.answered, after.asked - before.asked, "as integers: {}", pool.show(term));
}

#[test]
fn operators_with_constants() {
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", Sort::BitVec(4));
    for op in OPERATORS {
        let mut chain = chain(true);
        for bits in 0..16u128 {
            // Masks with three runs of ones would need too many remainders; four bits have at most two runs.
            let constant = pool.bv(4, bits);
            let term = pool.bv_binary(op, x, constant);
            has_its_values(&mut pool, &mut chain, &[x], term);
        }
    }
}

#[test]
fn operators_without_constants() {
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(4)));
    let mut chain = chain(true);
    let terms = [
        pool.bv_binary(BvOp::Add, x, y),
        pool.bv_sub(x, y),
        pool.bv_neg(x),
        pool.bv_not(x),
        pool.extract(3, 0, x),
        pool.extract(2, 0, x),
        pool.extract(3, 2, x),
        pool.extract(2, 1, x),
        pool.concat(x, y),
        pool.resize(6, true, x),
        pool.resize(6, false, x),
        pool.resize(2, false, x),
    ];
    for term in terms {
        has_its_values(&mut pool, &mut chain, &[x, y], term);
    }
    // Bits that meet no others, as in two bytes that become one number.
    let (two, three) = (pool.bv(4, 2), pool.bv(4, 3));
    let [high, low] = [pool.bv_binary(BvOp::Shl, x, two), pool.bv_binary(BvOp::And, y, three)];
    for joined in [pool.bv_binary(BvOp::Or, high, low), pool.bv_binary(BvOp::Xor, low, high)] {
        has_its_values(&mut pool, &mut chain, &[x, y], joined);
    }
    // Shifts by a few distances.
    let one = pool.bv(4, 1);
    let distance = pool.bv_binary(BvOp::And, y, one);
    for op in [BvOp::Shl, BvOp::LShr, BvOp::AShr] {
        let shifted = pool.bv_binary(op, x, distance);
        has_its_values(&mut pool, &mut chain, &[x, y], shifted);
    }
    // Divisors that are no constants: of any sign, zero, not negative, and negative.
    let (eight, two) = (pool.bv(4, 8), pool.bv(4, 2));
    let divisors = [y, pool.bv_binary(BvOp::LShr, y, two), pool.bv_binary(BvOp::Or, y, eight)];
    for op in [BvOp::UDiv, BvOp::URem, BvOp::SDiv, BvOp::SRem] {
        for divisor in divisors {
            let part = pool.bv_binary(op, x, divisor);
            has_its_values(&mut pool, &mut chain, &[x, y], part);
            // Not the product that the builders know.
            let next = pool.bv_binary(BvOp::Add, part, one);
            let product = pool.bv_binary(BvOp::Mul, next, divisor);
            has_its_values(&mut pool, &mut chain, &[x, y], product);
        }
    }
    // An overflowing result is read again: extended, shifted, compared.
    let three = pool.bv(4, 3);
    let sum = pool.bv_binary(BvOp::Add, x, y);
    let triple = pool.bv_binary(BvOp::Mul, sum, three);
    for wide in [pool.resize(7, true, triple), pool.resize(7, false, triple), pool.extract(3, 1, triple)] {
        has_its_values(&mut pool, &mut chain, &[x, y], wide);
    }
    for signed in [true, false] {
        let number = pool.convert(Conversion::BvToInt { signed }, triple);
        let back = pool.convert(Conversion::IntToBv(5), number);
        has_its_values(&mut pool, &mut chain, &[x, y], back);
    }
}

#[test]
fn orders() {
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(4)));
    let mut chain = chain(true);
    let (zero, one) = (pool.bv(1, 0), pool.bv(1, 1));
    let sum = pool.bv_binary(BvOp::Add, x, y);
    for order in ORDERS {
        for left in [x, sum] {
            let compared = pool.bv_compare(order, left, y);
            let term = pool.ite(compared, one, zero);
            let parts = [x, y, term];
            // The set of possible triples determines the comparison.
            let whole = pool.concat(parts[0], parts[1]);
            let whole = pool.concat(whole, parts[2]);
            has_its_values(&mut pool, &mut chain, &[x, y], whole);
        }
        for bits in 0..16 {
            let constant = pool.bv(4, bits);
            for compared in [pool.bv_compare(order, sum, constant), pool.bv_compare(order, constant, x)] {
                let term = pool.ite(compared, one, zero);
                has_its_values(&mut pool, &mut chain, &[x, y], term);
            }
        }
    }
}

#[test]
fn borders_of_java() {
    let mut pool = Pool::new();
    let mut chain = chain(true);
    let path = PathCondition::new();
    let x = pool.fresh_var("x", Sort::BitVec(32));
    let c = pool.fresh_var("c", Sort::BitVec(16));
    let (minimum, minus_one) = (pool.bv(32, 1 << 31), pool.bv(32, u32::MAX.into()));
    let (zero, one, maximum) = (pool.bv(32, 0), pool.bv(32, 1), pool.bv(32, i32::MAX as u128));
    let mut ask = |pool: &mut Pool, parts: &[Term]| {
        let formula = pool.and_all(parts);
        ask(&mut chain, pool, &path, formula)
    };
    // MIN / -1 and -MIN are MIN; MIN % -1 is 0.
    let is_minimum = pool.eq(x, minimum);
    let quotient = pool.bv_binary(BvOp::SDiv, x, minus_one);
    let negated = pool.bv_neg(x);
    let remainder = pool.bv_binary(BvOp::SRem, x, minus_one);
    let same = [pool.eq(quotient, minimum), pool.eq(negated, minimum), pool.eq(remainder, zero)];
    for same in same {
        assert_eq!(ask(&mut pool, &[is_minimum, same]), Some(true));
        let differs = pool.not(same);
        assert_eq!(ask(&mut pool, &[is_minimum, differs]), Some(false));
    }
    // x + 1 < x holds only for MAX.
    let next = pool.bv_binary(BvOp::Add, x, one);
    let less = pool.bv_compare(BvOrder::SLt, next, x);
    let is_maximum = pool.eq(x, maximum);
    let not_maximum = pool.not(is_maximum);
    assert_eq!(ask(&mut pool, &[less]), Some(true));
    assert_eq!(ask(&mut pool, &[less, not_maximum]), Some(false));
    // A char is never negative, and (char) (c - 1) is 65535 for 0.
    let int = pool.resize(32, false, c);
    let negative = pool.bv_compare(BvOrder::SLt, int, zero);
    assert_eq!(ask(&mut pool, &[negative]), Some(false));
    let less = pool.bv_sub(int, one);
    let char = pool.extract(15, 0, less);
    let char = pool.resize(32, false, char);
    let top = pool.bv(32, 65535);
    let (is_top, is_zero) = (pool.eq(char, top), pool.eq(int, zero));
    let is_not_zero = pool.not(is_zero);
    assert_eq!(ask(&mut pool, &[is_top]), Some(true));
    assert_eq!(ask(&mut pool, &[is_top, is_not_zero]), Some(false));
    // An unsigned bounds check: -1 is beyond every length.
    let length = pool.bv(32, 10);
    let inside = pool.bv_compare(BvOrder::ULt, x, length);
    let is_negative = pool.bv_compare(BvOrder::SLt, x, zero);
    assert_eq!(ask(&mut pool, &[inside, is_negative]), Some(false));
    assert_eq!(ask(&mut pool, &[inside]), Some(true));
    let statistics = chain.statistics();
    assert_eq!((statistics.integers.asked, statistics.solver.asked), (statistics.integers.answered, 0));
}

#[test]
fn what_has_no_integer_form_stays() {
    let mut pool = Pool::new();
    let mut chain = chain(true);
    let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(8)));
    let seven = pool.bv(8, 7);
    for op in [BvOp::Mul, BvOp::And, BvOp::Xor, BvOp::Shl, BvOp::LShr] {
        let term = pool.bv_binary(op, x, y);
        let formula = pool.eq(term, seven);
        assert_eq!(ask(&mut chain, &mut pool, &PathCondition::new(), formula), Some(true));
    }
    let sort = pool.array_sort(Sort::BitVec(8), Sort::BitVec(8));
    let [a, b] = ["a", "b"].map(|name| pool.fresh_var(name, sort));
    let (at, same) = (pool.select(a, seven), pool.eq(a, b));
    let (other, differ) = (pool.select(b, seven), pool.not(same));
    let equal = pool.eq(at, other);
    let apart = pool.not(equal);
    let impossible = pool.and(same, apart);
    assert_eq!(ask(&mut chain, &mut pool, &PathCondition::new(), impossible), Some(false));
    assert_eq!(ask(&mut chain, &mut pool, &PathCondition::new(), differ), Some(true));
    // A quantifier over the elements of an array of machine integers has a form.
    let element = Sort::BitVec(8);
    let sort = pool.array_sort(Sort::Int, element);
    let a = pool.fresh_var("a", sort);
    let (i, n) = (pool.fresh_var("i", Sort::Int), pool.fresh_var("n", Sort::Int));
    let at = pool.select(a, i);
    let body = pool.bv_compare(BvOrder::SLt, at, seven);
    let all = pool.quantified(true, i, Pool::ZERO, n, body);
    assert_eq!(ask(&mut chain, &mut pool, &PathCondition::new(), all), Some(true));
    let statistics = chain.statistics();
    assert_eq!((statistics.integers.asked, statistics.translated), (8, 1));
    // A question without bit-vectors stays as it is.
    let positive = pool.lt(Pool::ZERO, n);
    assert_eq!(ask(&mut chain, &mut pool, &PathCondition::new(), positive), Some(true));
    assert_eq!(chain.statistics().integers.asked, 8);
}

/// Variables of one width, from which random formulas are built.
struct World {
    pool: Pool,
    width: u32,
    vectors: [Term; 2],
    arrays: bool,
    /// Arrays from vectors to wider vectors, from integers to vectors, and from vectors to arrays of the second sort.
    array: [Term; 3],
    int: Term,
}

impl World {
    fn new(width: u32, arrays: bool) -> World {
        let mut pool = Pool::new();
        let vectors = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(width)));
        let wide = pool.array_sort(Sort::BitVec(width), Sort::BitVec(2 * width));
        let plain = pool.array_sort(Sort::Int, Sort::BitVec(width));
        let nested = pool.array_sort(Sort::BitVec(width), plain);
        let array = [wide, plain, nested].map(|sort| pool.fresh_var("a", sort));
        let int = pool.fresh_var("n", Sort::Int);
        World { pool, width, vectors, arrays, array, int }
    }

    fn constant(&mut self, choices: &mut Choices, width: u32) -> Term {
        let bits = choices.bits(width.min(64));
        self.pool.bv(width, bits.into())
    }

    fn index(&mut self, choices: &mut Choices, depth: u32) -> Term {
        match choices.next(3) {
            0 => self.pool.int(choices.next(4) as i64),
            1 => self.int,
            _ => {
                let vector = self.vector(choices, depth);
                let signed = choices.next(2) == 0;
                self.pool.convert(Conversion::BvToInt { signed }, vector)
            }
        }
    }

    fn wide_array(&mut self, choices: &mut Choices, depth: u32) -> Term {
        if depth == 0 || choices.next(2) == 0 {
            return self.array[0];
        }
        let array = self.wide_array(choices, depth - 1);
        let (index, value) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
        let value = self.pool.resize(2 * self.width, choices.next(2) == 0, value);
        match choices.next(6) {
            0 => {
                let sort = self.pool.sort(array);
                self.pool.const_array(sort, value)
            }
            1 => {
                let condition = self.formula(choices, depth - 1);
                let other = self.array[0];
                self.pool.ite(condition, array, other)
            }
            _ => self.pool.store(array, index, value),
        }
    }

    fn vector(&mut self, choices: &mut Choices, depth: u32) -> Term {
        let width = self.width;
        if depth == 0 {
            return match choices.next(3) {
                0 => self.constant(choices, width),
                number => self.vectors[number - 1],
            };
        }
        let kinds = if self.arrays { 16 } else { 12 };
        match choices.next(kinds) {
            0 => self.vector(choices, 0),
            1..=3 => {
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                if choices.next(2) == 0 { self.pool.bv_binary(BvOp::Add, a, b) } else { self.pool.bv_sub(a, b) }
            }
            4..=6 => {
                let op = OPERATORS[choices.next(OPERATORS.len())];
                let (a, b) = (self.vector(choices, depth - 1), self.constant(choices, width));
                if choices.next(6) == 0 { self.pool.bv_binary(op, b, a) } else { self.pool.bv_binary(op, a, b) }
            }
            7 => {
                let a = self.vector(choices, depth - 1);
                if choices.next(2) == 0 { self.pool.bv_neg(a) } else { self.pool.bv_not(a) }
            }
            8 => {
                let condition = self.formula(choices, depth - 1);
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                self.pool.ite(condition, a, b)
            }
            9 => {
                let (a, b) = (self.vector(choices, depth - 1), self.vector(choices, depth - 1));
                let whole = self.pool.concat(a, b);
                let low = choices.next(width as usize + 1) as u32;
                self.pool.extract(low + width - 1, low, whole)
            }
            10 => {
                let a = self.vector(choices, depth - 1);
                let wide = self.pool.resize(width + 3, choices.next(2) == 0, a);
                let constant = self.constant(choices, width + 3);
                let op = OPERATORS[choices.next(OPERATORS.len())];
                let wide = self.pool.bv_binary(op, wide, constant);
                self.pool.resize(width, true, wide)
            }
            11 => {
                let a = self.vector(choices, depth - 1);
                let number = self.pool.convert(Conversion::BvToInt { signed: choices.next(2) == 0 }, a);
                let factor = Integer::from(choices.next(9) as i64 - 4);
                let number = self.pool.scale(&factor, number);
                self.pool.convert(Conversion::IntToBv(width), number)
            }
            12 | 13 => {
                let array = self.wide_array(choices, depth - 1);
                let index = self.vector(choices, depth - 1);
                let read = self.pool.select(array, index);
                let low = choices.next(width as usize + 1) as u32;
                self.pool.extract(low + width - 1, low, read)
            }
            14 => {
                let index = self.index(choices, depth - 1);
                let array = self.array[1];
                self.pool.select(array, index)
            }
            _ => {
                let (outer, inner) = (self.vector(choices, depth - 1), self.index(choices, depth - 1));
                let array = self.pool.select(self.array[2], outer);
                self.pool.select(array, inner)
            }
        }
    }

    fn formula(&mut self, choices: &mut Choices, depth: u32) -> Term {
        let next = depth.saturating_sub(1);
        match choices.next(if depth == 0 { 6 } else { 10 }) {
            0 | 1 => {
                let (a, b) = (self.vector(choices, next), self.vector(choices, next));
                self.pool.eq(a, b)
            }
            2..=4 => {
                let order = ORDERS[choices.next(4)];
                let (a, b) = (self.vector(choices, next), self.vector(choices, next));
                self.pool.bv_compare(order, a, b)
            }
            5 => {
                // Bounds, so that intervals of variables are known.
                let (order, number) = (ORDERS[choices.next(4)], choices.next(2));
                let constant = self.constant(choices, self.width);
                let (a, b) = (self.vectors[number], constant);
                if choices.next(2) == 0 { self.pool.bv_compare(order, a, b) } else { self.pool.bv_compare(order, b, a) }
            }
            6 => {
                let a = self.formula(choices, next);
                self.pool.not(a)
            }
            7 => {
                let (a, b) = (self.formula(choices, next), self.formula(choices, next));
                self.pool.and(a, b)
            }
            8 => {
                let (a, b) = (self.formula(choices, next), self.formula(choices, next));
                self.pool.or(a, b)
            }
            _ => {
                let (a, b) = (self.formula(choices, next), self.formula(choices, next));
                self.pool.eq(a, b)
            }
        }
    }

    /// Whether formulas have a common model, by trying all values of the two variables.
    fn satisfiable(&self, formulas: &[Term]) -> bool {
        let ids = self.vectors.map(|vector| match *self.pool.node(vector) {
            Node::Var(id) => id,
            _ => panic!("a variable"),
        });
        let width = self.width;
        (0..1u128 << (2 * width)).any(|number| {
            let mut model = Model::new();
            for (place, id) in ids.into_iter().enumerate() {
                model.set(id, Value::Bv(width, number >> (width * place as u32) & ((1 << width) - 1)));
            }
            let mut model = Evaluator::new(model);
            formulas.iter().all(|&formula| model.holds(&self.pool, formula) == Some(true))
        })
    }
}

/// Random numbers that are the same in each run.
fn numbers(runner: &mut TestRunner) -> Vec<u16> {
    let numbers = proptest::collection::vec(proptest::num::u16::ANY, 30..150);
    numbers.new_tree(runner).expect("random numbers").current()
}

/// Follows random paths. `expected` returns whether path and formula have a common model, if that is known.
fn follow(
    world: &mut World,
    choices: &mut Choices,
    chain: &mut Chain,
    expected: impl Fn(&mut World, &PathCondition, Term) -> Option<bool>,
) {
    let mut path = PathCondition::new();
    let mut forks = vec![path.clone()];
    for _ in 0..6 {
        let formula = world.formula(choices, 3);
        let answer = chain.check(&mut world.pool, &path, formula);
        let expected = expected(world, &path, formula);
        let model = match answer {
            Feasibility::Feasible(model) => model,
            Feasibility::Infeasible => {
                assert_ne!(expected, Some(true), "a model was overlooked: {}", world.pool.show(formula));
                path = forks[choices.next(forks.len())].clone();
                continue;
            }
            Feasibility::Unknown(_) => continue,
        };
        assert_ne!(expected, Some(false), "there is no model: {}", world.pool.show(formula));
        let mut evaluator = Evaluator::new(model.borrow().model().clone());
        assert!(path.conjuncts().chain([formula]).all(|f| evaluator.holds(&world.pool, f) == Some(true)));
        if path.assume(&mut world.pool, formula).is_ok() {
            path.set_current_model(model);
            forks.push(path.clone());
        }
        if choices.next(4) == 0 {
            path = forks[choices.next(forks.len())].clone();
        }
    }
}

#[test]
fn random_formulas_over_all_values() {
    let mut runner = TestRunner::deterministic();
    let (mut asked, mut answered) = (0, 0);
    for round in 0..RANDOM {
        let numbers = numbers(&mut runner);
        let mut choices = Choices::new(&numbers);
        let mut world = World::new(4 + round % 2, false);
        let mut chain = chain(true);
        follow(&mut world, &mut choices, &mut chain, |world, path, formula| {
            let formulas: Vec<Term> = path.conjuncts().chain([formula]).collect();
            Some(world.satisfiable(&formulas))
        });
        let statistics = chain.statistics();
        asked += statistics.integers.asked;
        answered += statistics.integers.answered;
    }
    assert!(asked > 3 * u64::from(RANDOM) && answered * 10 > asked * 7, "{answered} of {asked}");
}

#[test]
fn random_formulas_as_bit_vectors() {
    let mut runner = TestRunner::deterministic();
    let (mut asked, mut answered, mut known) = (0, 0, 0);
    for round in 0..RANDOM {
        let numbers = numbers(&mut runner);
        let mut choices = Choices::new(&numbers);
        let mut world = World::new([4, 6, 8, 16, 32, 64][round as usize % 6], true);
        let config = |integers| Config { integers, check_timeout: Duration::from_millis(500), ..Config::plain() };
        let mut bits = Chain::new(&config(false)).expect("Z3 is there");
        let mut chain = Chain::new(&config(true)).expect("Z3 is there");
        let told = std::cell::Cell::new(0);
        let bits = std::cell::RefCell::new(&mut bits);
        follow(&mut world, &mut choices, &mut chain, |world, path, formula| {
            let answer = ask(&mut bits.borrow_mut(), &mut world.pool, path, formula);
            told.set(told.get() + u64::from(answer.is_some()));
            answer
        });
        let statistics = chain.statistics();
        asked += statistics.integers.asked;
        answered += statistics.integers.answered;
        known += told.get();
    }
    assert!(known > 3 * u64::from(RANDOM) && answered * 10 > asked * 6, "{answered} of {asked}, {known} told");
}

#[test]
fn all_stages_together() {
    let mut runner = TestRunner::deterministic();
    for round in 0..RANDOM / 2 {
        let numbers = numbers(&mut runner);
        let mut choices = Choices::new(&numbers);
        let mut world = World::new(4, false);
        let cache = [CacheMode::Off, CacheMode::Plain, CacheMode::Normalised][round as usize % 3];
        let mut chain =
            Chain::new(&Config { cache, models: round % 2 == 0, ..Config::default() }).expect("Z3 is there");
        follow(&mut world, &mut choices, &mut chain, |world, path, formula| {
            let formulas: Vec<Term> = path.conjuncts().chain([formula]).collect();
            Some(world.satisfiable(&formulas))
        });
    }
}

/// Number of random paths of a test. Raise it by hand for a longer run.
const RANDOM: u32 = 60;
