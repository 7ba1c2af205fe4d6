//! Deep terms are handled without recursion: each test runs in a thread with a small stack. Formulas, sums,
//! bit-vector terms and writes are a million levels deep, which shows that the work is linear. Other terms are deep
//! enough to overflow that stack.

use aback_logic::{
    BvOp, BvOrder, Conversion, Domain, Evaluator, FloatFormat, FloatOp, Integer, Model, Node, Pool, Simplifier, Sort,
    Term, Value,
};

const LEVELS: u32 = 50_000;
const LONG: u32 = 200_000;
const STACK: usize = 128 * 1024;

/// Grows a term from a variable and applies every operation on terms to it. `step` gets the level, so that it can
/// build terms that do not simplify away.
#[track_caller]
fn check(sort: fn(&mut Pool) -> Sort, step: fn(&mut Pool, Term, u32) -> Term) {
    check_to(LEVELS, sort, step);
}

#[track_caller]
fn check_to(levels: u32, sort: fn(&mut Pool) -> Sort, step: fn(&mut Pool, Term, u32) -> Term) {
    let work = move || {
        let mut pool = Pool::new();
        let sort = sort(&mut pool);
        let [start, other] = ["x", "y"].map(|name| pool.fresh_var(name, sort));
        let mut term = start;
        for level in 0..levels {
            term = step(&mut pool, term, level);
        }
        assert!(pool.size(term) > levels as usize / 20, "the term is deep: {}", pool.size(term));
        assert!(!pool.show(term).is_empty());
        let Node::Var(id) = *pool.node(start) else { panic!("a variable") };
        assert!(pool.free_variables(&[term]).contains(&id));
        assert!(Evaluator::new(Model::new()).value(&pool, term).is_some());
        let domain = Domain::new();
        domain.interval(&pool, term);
        assert_eq!(Simplifier::new(&domain).simplified(&mut pool, term), term);
        let moved = pool.substitute(term, &[(start, other)]);
        assert!(moved != term && !pool.free_variables(&[moved]).contains(&id));
        if sort == Sort::Bool {
            let mut domain = Domain::new();
            assert_eq!(domain.decide(&pool, term), None);
            assert!(domain.assume(&mut pool, term).is_ok());
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

/// A separate variable for a level, so that nothing cancels.
fn fresh(pool: &mut Pool, level: u32, sort: Sort) -> Term {
    // A few variables suffice to keep neighbouring levels apart.
    if level < 7 {
        return pool.fresh_var("k", sort);
    }
    let (id, _) =
        pool.variables().filter(|(_, v)| v.sort == sort && v.name.starts_with('k')).nth(level as usize % 7).unwrap();
    pool.variable_term(id)
}

fn bool_sort(_: &mut Pool) -> Sort {
    Sort::Bool
}

fn int_sort(_: &mut Pool) -> Sort {
    Sort::Int
}

fn word_sort(_: &mut Pool) -> Sort {
    Sort::BitVec(32)
}

fn double_sort(_: &mut Pool) -> Sort {
    Sort::Float(FloatFormat::F64)
}

fn array_sort(pool: &mut Pool) -> Sort {
    pool.array_sort(Sort::Int, Sort::Int)
}

#[test]
fn connectives() {
    check_to(LONG, bool_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::Bool);
        if level % 2 == 0 { pool.and(term, k) } else { pool.or(term, k) }
    });
    check(bool_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::Bool);
        pool.xor(term, k)
    });
}

#[test]
fn choices() {
    check(int_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::Bool);
        let value = pool.int(level.into());
        pool.ite(k, value, term)
    });
    check(bool_sort, |pool, term, level| {
        let (k, l) = (fresh(pool, level, Sort::Bool), pool.fresh_var("l", Sort::Bool));
        pool.ite(term, k, l)
    });
}

#[test]
fn integers() {
    check_to(LONG, int_sort, |pool, term, _| {
        let k = pool.fresh_var("l", Sort::Int);
        pool.add(term, k)
    });
    check(int_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::Int);
        let product = pool.mul(term, k);
        let one = pool.int(1);
        pool.add(product, one)
    });
    check(int_sort, |pool, term, level| {
        let k = pool.int(i64::from(level % 5) + 2);
        let quotient = if level % 2 == 0 { pool.int_div(term, k) } else { pool.int_mod(term, k) };
        pool.scale(&Integer::from(3), quotient)
    });
}

#[test]
fn comparisons() {
    check(bool_sort, |pool, term, level| {
        let (k, l) = (fresh(pool, level, Sort::Int), pool.fresh_var("l", Sort::Int));
        let chosen = pool.ite(term, k, l);
        if level % 2 == 0 { pool.le(chosen, k) } else { pool.eq(chosen, k) }
    });
}

#[test]
fn bit_vectors() {
    check_to(LONG, word_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::BitVec(32));
        let op = [BvOp::Add, BvOp::Mul, BvOp::Xor, BvOp::UDiv, BvOp::Shl][level as usize % 5];
        pool.bv_binary(op, term, k)
    });
    check(word_sort, |pool, term, level| match level % 4 {
        0 => pool.bv_neg(term),
        1 => pool.bv_not(term),
        2 => pool.resize(64, level % 8 == 2, term),
        _ => pool.extract(40, 9, term),
    });
    check(word_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::BitVec(32));
        let less = pool.bv_compare(BvOrder::SLt, term, k);
        let one = pool.bv(32, 1);
        pool.ite(less, one, k)
    });
}

#[test]
fn floats_and_conversions() {
    check(double_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::Float(FloatFormat::F64));
        let op = [FloatOp::Add, FloatOp::Mul, FloatOp::Div][level as usize % 3];
        pool.float_binary(op, term, k)
    });
    check(double_sort, |pool, term, level| match level % 3 {
        0 => pool.convert(Conversion::FloatToBv(32), term),
        1 => pool.convert(Conversion::BvToInt { signed: true }, term),
        _ => {
            let bits = pool.convert(Conversion::IntToBv(64), term);
            pool.convert(Conversion::BvToFloat { signed: true, format: FloatFormat::F64 }, bits)
        }
    });
}

#[test]
fn arrays() {
    check_to(LONG, array_sort, |pool, term, level| {
        let k = fresh(pool, level, Sort::Int);
        let value = pool.int(level.into());
        pool.store(term, k, value)
    });
    check(int_sort, |pool, term, level| {
        if level == 0 {
            let sort = pool.array_sort(Sort::Int, Sort::Int);
            pool.fresh_var("a", sort);
        }
        let array = pool.variables().find(|(_, v)| v.name == "a").map(|(id, _)| pool.variable_term(id)).unwrap();
        pool.select(array, term)
    });
}

#[test]
fn writes_at_many_indices() {
    // Each write keeps its own version of the array, so the versions must share their common entries.
    check_to(100_000, array_sort, |pool, term, level| {
        let index = pool.int(level.into());
        let value = pool.int(i64::from(level) + 1);
        pool.store(term, index, value)
    });
}

#[test]
fn a_long_conjunction() {
    let work = || {
        let mut pool = Pool::new();
        let mut all = Pool::TRUE;
        let mut last = pool.fresh_var("x", Sort::Int);
        for _ in 0..100_000 {
            let next = pool.fresh_var("x", Sort::Int);
            let less = pool.lt(last, next);
            all = pool.and(all, less);
            last = next;
        }
        assert_eq!(pool.free_variables(&[all]).len(), 100_001);
        assert!(pool.show(all).starts_with('('));
        let mut domain = Domain::new();
        assert!(domain.assume(&mut pool, all).is_ok());
        let mut model = Model::new();
        for (position, (id, _)) in pool.variables().enumerate() {
            model.set(id, Value::Int((position as i64).into()));
        }
        assert_eq!(Evaluator::new(model).holds(&pool, all), Some(true));
        assert_eq!(Evaluator::new(Model::new()).holds(&pool, all), Some(false));
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

/// What two long sums and products have in common at their ends is left out step by step.
#[test]
fn equal_ends_of_long_sums_and_products() {
    let work = || {
        let mut pool = Pool::new();
        let starts = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(32)));
        let factor = pool.bv(32, 31);
        let mut sums = starts;
        for level in 0..LEVELS {
            let end = fresh(&mut pool, level, Sort::BitVec(32));
            sums = sums.map(|sum| {
                let product = pool.bv_binary(BvOp::Mul, sum, factor);
                pool.bv_binary(BvOp::Add, product, end)
            });
        }
        let [one, other] = sums;
        let expected = pool.eq(starts[0], starts[1]);
        assert_eq!(pool.eq(one, other), expected);
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}
