//! Checks that integers that are values of bit-vectors become bit-vectors again when they are compared or converted
//! back. All values of small vectors are tried.

use aback_logic::{
    BvOp, BvOrder, Conversion, Domain, Evaluator, FloatFormat, FloatFunction, FloatOrder, Integer, Interval, Model,
    Node, Pool, Sort, Term, Value,
};

const WIDTH: u32 = 3;

/// Two vectors of three bits, with their values as integers.
struct World {
    pool: Pool,
    vectors: [Term; 2],
    integers: [Term; 2],
    signed: bool,
}

impl World {
    fn new(signed: bool) -> World {
        let mut pool = Pool::new();
        let vectors = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(WIDTH)));
        let integers = vectors.map(|vector| pool.convert(Conversion::BvToInt { signed }, vector));
        World { pool, vectors, integers, signed }
    }

    /// Compares a term's value with the expected one for all values of the vectors. The term must not contain
    /// integers.
    #[track_caller]
    fn check(&self, term: Term, expected: impl Fn(i64, i64) -> Value) {
        let no_integer = |&term: &Term| self.pool.sort(term) != Sort::Int;
        assert!(self.pool.subterms(&[term]).iter().all(no_integer), "{}", self.pool.show(term));
        let number = |bits: i64| if self.signed && bits >= 4 { bits - 8 } else { bits };
        for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
            let mut model = Model::new();
            for (vector, bits) in self.vectors.into_iter().zip([x, y]) {
                let Node::Var(variable) = *self.pool.node(vector) else { panic!("a variable") };
                model.set(variable, Value::Bv(WIDTH, bits as u128));
            }
            let found = Evaluator::new(model).value(&self.pool, term);
            assert_eq!(found, Some(expected(number(x), number(y))), "{} at {x}, {y}", self.pool.show(term));
        }
    }
}

#[test]
fn comparisons_with_constants() {
    for (signed, bound) in [false, true].into_iter().flat_map(|signed| (-10..=10).map(move |bound| (signed, bound))) {
        let mut world = World::new(signed);
        let (x, constant) = (world.integers[0], world.pool.int(bound));
        let terms = [world.pool.le(x, constant), world.pool.le(constant, x), world.pool.eq(x, constant)];
        world.check(terms[0], |x, _| Value::Bool(x <= bound));
        world.check(terms[1], |x, _| Value::Bool(x >= bound));
        world.check(terms[2], |x, _| Value::Bool(x == bound));
    }
}

#[test]
fn comparisons_with_each_other() {
    for signed in [false, true] {
        let mut world = World::new(signed);
        for swapped in [false, true] {
            let [x, y] = world.integers;
            let (a, b) = if swapped { (y, x) } else { (x, y) };
            let terms = [world.pool.le(a, b), world.pool.lt(a, b), world.pool.eq(a, b)];
            let in_order = |x: i64, y: i64| if swapped { (y, x) } else { (x, y) };
            world.check(terms[0], |x, y| Value::Bool(in_order(x, y).0 <= in_order(x, y).1));
            world.check(terms[1], |x, y| Value::Bool(in_order(x, y).0 < in_order(x, y).1));
            world.check(terms[2], |x, y| Value::Bool(x == y));
        }
    }
}

#[test]
fn sums_with_constants_are_compared_with_constants() {
    let mut world = World::new(false);
    let x = world.vectors[0];
    for (added, bound) in (0..8).flat_map(|added| (0..8).map(move |bound| (added, bound))) {
        let [added_term, bound_term] = [added, bound].map(|value| world.pool.bv(WIDTH, value as u128));
        let sum = world.pool.bv_binary(BvOp::Add, x, added_term);
        let equal = world.pool.eq(sum, bound_term);
        world.check(equal, |x, _| Value::Bool((x + added) % 8 == bound));
        assert!(matches!(*world.pool.node(equal), Node::Eq(..)) && world.pool.size(equal) == 3, "x is compared itself");
    }
}

#[test]
fn sums_are_converted_back() {
    for (signed, width) in [false, true].into_iter().flat_map(|signed| [2, 3, 5].map(|width| (signed, width))) {
        let mut world = World::new(signed);
        let [x, y] = world.integers;
        let (five, minus_three) = (world.pool.int(5), Integer::from(-3));
        let sum = world.pool.add(x, five);
        let scaled = world.pool.scale(&minus_three, y);
        let sum = world.pool.add(sum, scaled);
        let back = world.pool.convert(Conversion::IntToBv(width), sum);
        world.check(back, |x, y| Value::Bv(width, Integer::from(x + 5 - 3 * y).to_bits(width)));
    }
}

#[test]
fn the_lowest_bits_of_a_sum_with_a_constant() {
    let mut world = World::new(true);
    let x = world.vectors[0];
    let wide = world.pool.resize(6, true, x);
    let offset = world.pool.bv(6, 44);
    let sum = world.pool.bv_binary(BvOp::Add, wide, offset);
    let low = world.pool.extract(WIDTH - 1, 0, sum);
    let four = world.pool.bv(WIDTH, 4);
    assert_eq!(low, world.pool.bv_binary(BvOp::Add, x, four));
    world.check(low, |x, _| Value::Bv(WIDTH, Integer::from(x + 44).to_bits(WIDTH)));
}

/// References that are one of several objects or a new object, depending on conditions.
#[test]
fn two_choices_are_equal() {
    let mut world = World::new(false);
    let two = world.pool.bv(WIDTH, 2);
    let conditions = world.vectors.map(|vector| world.pool.bv_compare(BvOrder::ULe, vector, two));
    let choice = |pool: &mut Pool, condition: Term, value: Term, other: i64| {
        let (offset, other) = (pool.int(10), pool.int(other));
        let value = pool.add(value, offset);
        pool.ite(condition, value, other)
    };
    for other in [100, 101] {
        let [x, y] = world.integers;
        let a = choice(&mut world.pool, conditions[0], x, 100);
        let b = choice(&mut world.pool, conditions[1], y, other);
        let equal = world.pool.eq(a, b);
        let value = |value: i64, other: i64| if value <= 2 { value + 10 } else { other };
        world.check(equal, |x, y| Value::Bool(value(x, 100) == value(y, other)));
    }
}

/// A value that is taken only if it is in bounds is in bounds.
#[test]
fn what_a_condition_says_of_a_branch() {
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", Sort::BitVec(32));
    let [offset, zero, size] = [128, 0, 256].map(|bits| pool.bv(32, bits));
    let at = pool.bv_binary(BvOp::Add, x, offset);
    let (low, high) = (pool.bv_compare(BvOrder::SLe, zero, at), pool.bv_compare(BvOrder::SLt, at, size));
    let inside = pool.and(low, high);
    let outside = pool.not(inside);
    let interval = |low: i64, high: i64| Interval { low: Some(low.into()), high: Some(high.into()) };
    let taken = pool.ite(inside, at, zero);
    assert_eq!(Domain::new().interval(&pool, taken), interval(0, 255));
    let taken = pool.ite(outside, zero, at);
    assert_eq!(Domain::new().interval(&pool, taken), interval(0, 255));
    let taken = pool.ite(high, size, at);
    assert_eq!(Domain::new().interval(&pool, taken), interval(256, i32::MAX.into()));
    // A disjunction implies nothing about one of its parts.
    let either = pool.or(low, high);
    let taken = pool.ite(either, at, zero);
    assert_eq!(Domain::new().interval(&pool, taken), Interval::machine(32, true));
}

/// Work stops once the callback says so, and remains stopped.
#[test]
fn work_is_watched() {
    let mut pool = Pool::new();
    let looks = std::rc::Rc::new(std::cell::Cell::new(0u32));
    let seen = std::rc::Rc::clone(&looks);
    pool.watch(move || {
        seen.set(seen.get() + 1);
        seen.get() == 2
    });
    let x = pool.fresh_var("x", Sort::Int);
    let mut built = 0;
    while !pool.is_stopped() {
        let constant = pool.int(built);
        pool.add(x, constant);
        built += 1;
        assert!(built < 100_000, "nobody looks");
    }
    assert!(built > 100, "somebody looks at each term");
    let sum = pool.add(x, x);
    assert_eq!(Evaluator::new(Model::new()).value(&pool, sum), None);
    assert_eq!(looks.get(), 2);
}

/// The two parts of a division, zero divisors and the least number divided by -1 included.
#[test]
fn quotient_and_remainder() {
    for (div, rem) in [(BvOp::SDiv, BvOp::SRem), (BvOp::UDiv, BvOp::URem)] {
        let mut world = World::new(true);
        let [x, y] = world.vectors;
        let (quotient, rest) = (world.pool.bv_binary(div, x, y), world.pool.bv_binary(rem, x, y));
        let product = world.pool.bv_binary(BvOp::Mul, quotient, y);
        let whole = world.pool.bv_binary(BvOp::Add, product, rest);
        assert_eq!(whole, x);
        assert_eq!(world.pool.bv_sub(x, product), rest);
        // The definition of the operators says the same.
        let other = world.pool.bv_binary(BvOp::Mul, quotient, x);
        let sum = world.pool.bv_binary(BvOp::Add, other, rest);
        assert_ne!(sum, x);
        let evaluated = |term: Term, a: u128, b: u128| {
            let mut model = Model::new();
            for (vector, bits) in world.vectors.into_iter().zip([a, b]) {
                let Node::Var(variable) = *world.pool.node(vector) else { panic!("a variable") };
                model.set(variable, Value::Bv(WIDTH, bits));
            }
            match Evaluator::new(model).value(&world.pool, term) {
                Some(Value::Bv(_, bits)) => bits,
                other => panic!("{other:?}"),
            }
        };
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            assert_eq!((evaluated(product, a, b) + evaluated(rest, a, b)) % 8, a, "{div:?} of {a} by {b}");
        }
    }
}

/// The parts of a vector are put together again, for all widths of parts, and signed comparisons of the upper one are about the vector.
#[test]
fn parts_of_vectors() {
    const WIDTH: u32 = 6;
    for distance in 1..WIDTH {
        let mut pool = Pool::new();
        let x = pool.fresh_var("x", Sort::BitVec(WIDTH));
        let by = pool.bv(WIDTH, distance.into());
        let shifted = pool.bv_binary(BvOp::LShr, x, by);
        let upper = pool.extract(WIDTH - distance - 1, 0, shifted);
        let low = pool.extract(distance - 1, 0, x);
        let low = pool.resize(WIDTH, false, low);
        for (op, signed) in [BvOp::Or, BvOp::Add, BvOp::Xor].into_iter().flat_map(|op| [(op, false), (op, true)]) {
            let extended = pool.resize(WIDTH, signed, upper);
            let back = pool.bv_binary(BvOp::Shl, extended, by);
            assert_eq!(pool.bv_binary(op, back, low), x);
            assert_eq!(pool.bv_binary(op, low, back), x);
            let other = pool.bv_binary(op, back, x);
            assert!(!matches!(pool.node(other), Node::Var(_)), "{}", pool.show(other));
        }
        for (bound, order) in
            (0..1u128 << (WIDTH - distance)).flat_map(|bound| [BvOrder::SLt, BvOrder::SLe].map(|order| (bound, order)))
        {
            let constant = pool.bv(WIDTH - distance, bound);
            for is_left in [true, false] {
                let compare = |pool: &mut Pool| match is_left {
                    true => pool.bv_compare(order, upper, constant),
                    false => pool.bv_compare(order, constant, upper),
                };
                let whole = compare(&mut pool);
                pool.set_rule(aback_logic::Rule::BvHalves, false);
                let part = compare(&mut pool);
                pool.set_rule(aback_logic::Rule::BvHalves, true);
                let is_comparison = |part: Term| matches!(pool.node(part), Node::BvCompare(..));
                assert!(whole != part || !is_comparison(part), "{}", pool.show(part));
                for bits in 0..1u128 << WIDTH {
                    let mut model = Model::new();
                    let Node::Var(variable) = *pool.node(x) else { panic!("a variable") };
                    model.set(variable, Value::Bv(WIDTH, bits));
                    let mut evaluator = Evaluator::new(model);
                    let [found, expected] = [whole, part].map(|term| evaluator.value(&pool, term));
                    assert_eq!(found, expected, "{} and {} at {bits}", pool.show(whole), pool.show(part));
                }
            }
        }
    }
}

#[test]
fn shifts_of_extensions() {
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", Sort::BitVec(4));
    for (distance, signed) in (0..10).flat_map(|distance| [(distance, false), (distance, true)]) {
        let (long, by) = (pool.resize(8, signed, x), pool.bv(8, distance));
        let shifted = pool.bv_binary(BvOp::LShr, long, by);
        assert_eq!(pool.as_bits(shifted), (distance >= 4 && !signed).then_some(0), "{distance}");
    }
}

#[test]
fn equal_sums_and_products() {
    let mut world = World::new(true);
    let [x, y] = world.vectors;
    let equal = world.pool.eq(x, y);
    // With a third term, which is a product, so that nothing else is known of it.
    let common = world.pool.bv_binary(BvOp::Mul, x, y);
    let sums = [x, y].map(|one| world.pool.bv_binary(BvOp::Add, one, common));
    assert_eq!(world.pool.eq(sums[0], sums[1]), equal);
    let zero = world.pool.bv(WIDTH, 0);
    let is_zero = world.pool.eq(x, zero);
    assert_eq!(world.pool.eq(sums[0], common), is_zero);
    assert_eq!(world.pool.eq(common, sums[0]), is_zero);
    for factor in 1..8 {
        let constant = world.pool.bv(WIDTH, factor);
        let products = [x, y].map(|one| world.pool.bv_binary(BvOp::Mul, one, constant));
        let same = world.pool.eq(products[0], products[1]);
        assert_eq!(same == equal, factor % 2 == 1, "{factor}");
        world.check(same, |x, y| Value::Bool((x - y) * factor as i64 % 8 == 0));
    }
}

#[test]
fn signs_of_bitwise_operators() {
    let mut world = World::new(true);
    let [x, y] = world.vectors;
    let sum = world.pool.bv_binary(BvOp::Add, x, y);
    let zero = world.pool.bv(WIDTH, 0);
    let value = |op, a: i64, b: i64| match op {
        BvOp::And => a & b,
        BvOp::Or => a | b,
        _ => a ^ b,
    };
    let wrapped = |sum: i64| (sum + 4).rem_euclid(8) - 4;
    for (inner, outer) in [BvOp::And, BvOp::Or, BvOp::Xor].into_iter().flat_map(|op| [(op, BvOp::And), (op, BvOp::Xor)])
    {
        // An overflow check has this form.
        let [left, right] = [x, y].map(|one| world.pool.bv_binary(inner, one, sum));
        let both = world.pool.bv_binary(outer, left, right);
        let [below, above] =
            [world.pool.bv_compare(BvOrder::SLt, both, zero), world.pool.bv_compare(BvOrder::SLe, zero, both)];
        let expected = move |x: i64, y: i64| {
            let sum = wrapped(x + y);
            value(outer, value(inner, x, sum), value(inner, y, sum)) < 0
        };
        world.check(below, |x, y| Value::Bool(expected(x, y)));
        world.check(above, |x, y| Value::Bool(!expected(x, y)));
        let is_bitwise = |&term: &Term| matches!(world.pool.node(term), Node::BvBinary(op, ..) if *op != BvOp::Add);
        assert!(!world.pool.subterms(&[below, above]).iter().any(is_bitwise));
    }
}

#[test]
fn floats_that_are_integers() {
    let mut pool = Pool::new();
    let format = FloatFormat::F64;
    let [x, f] = [Sort::BitVec(32), Sort::Float(format)].map(|sort| pool.fresh_var("x", sort));
    let converted = pool.convert(Conversion::BvToFloat { signed: true, format }, x);
    assert_eq!(pool.float_is_nan(converted), Pool::FALSE);
    let zero = pool.float(format, 0);
    let functions = [FloatFunction::Floor, FloatFunction::Ceil, FloatFunction::Rint];
    for (one, other) in functions.into_iter().flat_map(|one| functions.map(|other| (one, other))) {
        let rounded = pool.float_unary(one, f);
        assert_ne!(rounded, f);
        assert_eq!(pool.float_unary(other, rounded), rounded);
        assert_eq!(pool.float_unary(other, converted), converted);
        assert_eq!(pool.float_is_nan(rounded), pool.float_is_nan(f));
        let absolute = pool.float_unary(FloatFunction::Abs, rounded);
        assert_eq!(pool.float_unary(other, absolute), absolute);
        assert_eq!(pool.float_compare(FloatOrder::Lt, absolute, zero), Pool::FALSE);
        let is_nan = pool.float_is_nan(f);
        let not_nan = pool.not(is_nan);
        assert_eq!(pool.float_compare(FloatOrder::Le, zero, absolute), not_nan);
    }
    // Roots are no integers.
    let root = pool.float_unary(FloatFunction::Sqrt, converted);
    assert_ne!(pool.float_unary(FloatFunction::Floor, root), root);
}
