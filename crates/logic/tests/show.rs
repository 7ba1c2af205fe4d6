//! Checks the notation in which terms are printed.

use aback_logic::{BvOp, BvOrder, Conversion, FloatFormat, FloatOp, FloatOrder, Integer, Pool, Sort, Term};

/// Builds a term from variables `a`, `b`, `c` of a sort.
#[track_caller]
fn check(sort: Sort, build: fn(&mut Pool, Term, Term, Term) -> Term, expected: &str) {
    let mut pool = Pool::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| pool.fresh_var(name, sort));
    let term = build(&mut pool, a, b, c);
    assert_eq!(pool.show(term), expected);
}

#[test]
fn integers() {
    check(
        Sort::Int,
        |pool, a, b, c| {
            let sum = pool.add(a, b);
            pool.le(sum, c)
        },
        "a + b <= c",
    );
    check(
        Sort::Int,
        |pool, a, b, _| {
            let twice = pool.scale(&Integer::from(2), b);
            pool.sub(a, twice)
        },
        "a - 2*b",
    );
    check(
        Sort::Int,
        |pool, a, b, _| {
            let k = pool.int(7);
            let sum = pool.add(b, k);
            pool.lt(a, sum)
        },
        "a <= b + 6",
    );
    check(Sort::Int, |pool, a, b, _| pool.ne(a, b), "a != b");
    check(
        Sort::Int,
        |pool, a, b, c| {
            let product = pool.mul(a, b);
            pool.add(product, c)
        },
        "c + (a*b)",
    );
    check(
        Sort::Int,
        |pool, a, b, c| {
            let sum = pool.add(a, b);
            pool.int_mod(sum, c)
        },
        "(a + b) mod c",
    );
    check(
        Sort::Int,
        |pool, a, _, _| {
            let k = pool.int(3);
            pool.int_div(a, k)
        },
        "a div 3",
    );
    check(
        Sort::Int,
        |pool, a, b, _| {
            let least = pool.lt(a, b);
            pool.ite(least, a, b)
        },
        "(a + 1 <= b) ? a : b",
    );
    check(
        Sort::Int,
        |pool, a, b, _| {
            let n = pool.neg(a);
            pool.eq(n, b)
        },
        "a + b == 0",
    );
}

#[test]
fn truth_values() {
    check(
        Sort::Bool,
        |pool, a, b, c| {
            let both = pool.and(a, b);
            let not = pool.not(c);
            pool.or(both, not)
        },
        "(a && b) || (!c)",
    );
    check(Sort::Bool, |pool, a, b, _| pool.implies(a, b), "b || (!a)");
    check(Sort::Bool, |pool, a, b, _| pool.xor(a, b), "a != b");
}

#[test]
fn bit_vectors() {
    let sort = Sort::BitVec(32);
    check(sort, |pool, a, b, _| pool.bv_sub(a, b), "a + (-b)");
    check(
        sort,
        |pool, a, b, _| {
            let k = pool.bv(32, u128::MAX);
            let s = pool.bv_binary(BvOp::LShr, a, b);
            pool.bv_compare(BvOrder::ULt, s, k)
        },
        "(a >>> b) <u -1",
    );
    check(
        sort,
        |pool, a, _, _| {
            let low = pool.extract(7, 0, a);
            pool.resize(32, true, low)
        },
        "sign_extend(a[7:0])",
    );
    check(sort, |pool, a, _, _| pool.convert(Conversion::BvToInt { signed: true }, a), "integer(a)");
}

#[test]
fn floats() {
    let sort = Sort::Float(FloatFormat::F64);
    check(
        sort,
        |pool, a, b, _| {
            let sum = pool.float_binary(FloatOp::Add, a, b);
            pool.float_compare(FloatOrder::Le, sum, a)
        },
        "(a + b) <= a",
    );
    check(
        sort,
        |pool, a, _, _| {
            let k = pool.float(FloatFormat::F64, 0.5f64.to_bits());
            pool.float_binary(FloatOp::Mul, a, k)
        },
        "a * 0.5",
    );
    check(sort, |pool, a, _, _| pool.float_is_nan(a), "isNaN(a)");
    check(sort, |pool, a, _, _| pool.float_compare(FloatOrder::Eq, a, a), "!isNaN(a)");
    check(sort, |pool, a, _, _| pool.float_compare(FloatOrder::Lt, a, a), "false");
    check(Sort::BitVec(32), there_and_back::<32, true>, "a");
    check(Sort::BitVec(32), there_and_back::<32, false>, "bits(float(a))");
    check(Sort::BitVec(64), there_and_back::<64, true>, "bits(float(a))");
}

/// A machine integer as a float, of 64 bits or of 32, as a machine integer.
fn there_and_back<const WIDTH: u32, const IS_LONG: bool>(pool: &mut Pool, a: Term, _: Term, _: Term) -> Term {
    let format = if IS_LONG { FloatFormat::F64 } else { FloatFormat::F32 };
    let float = pool.convert(Conversion::BvToFloat { signed: true, format }, a);
    pool.convert(Conversion::FloatToBv(WIDTH), float)
}

#[test]
fn arrays_and_quantifiers() {
    let mut pool = Pool::new();
    let sort = pool.array_sort(Sort::Int, Sort::Int);
    let array = pool.fresh_var("array", sort);
    let (i, j) = (pool.fresh_var("i", Sort::Int), pool.fresh_var("j", Sort::Int));
    let written = pool.store(array, i, Pool::ZERO);
    let read = pool.select(written, j);
    assert_eq!(pool.show(read), "write(array, i, 0)[j]");
    let element = pool.select(array, j);
    let body = pool.le(Pool::ZERO, element);
    let all = pool.quantified(true, j, Pool::ZERO, i, body);
    assert_eq!(pool.show(all), "forall j in 0..i: (0 <= array[j])");
}
