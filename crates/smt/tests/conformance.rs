//! Checks what every solver must do. The tests run for Z3 in this process and for each installed solver process.

#[path = "../../logic/tests/common/mod.rs"]
mod common;
mod solvers;

use aback_logic::{
    BvOp, BvOrder, Conversion, FloatFormat, FloatOp, FloatOrder, Integer, Node, Pool, Rule, Sort, Term, Value,
};
use aback_smt::{Check, Interrupter, Portfolio, ProcessSolver, Reason, Solver, Z3Options, Z3Solver, verified};
use common::{Choices, Expr, KINDS, Values, Variables};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::path::Path;
use std::time::{Duration, Instant};

/// Features that a solver is known to lack.
#[derive(Clone, Copy, Default)]
struct Gaps {
    /// Conversions between integers and bit-vectors, or all sorts except bit-vectors.
    integers: bool,
    /// Constant arrays and arrays of arrays.
    arrays: bool,
    quantifiers: bool,
    floats: bool,
    /// Constant arrays of negative numbers.
    negative_arrays: bool,
}

/// All solvers on this machine. The Z3 of `make setup` need not be on PATH.
fn all_solvers() -> Vec<(Box<dyn Solver>, Gaps)> {
    let mut all: Vec<(Box<dyn Solver>, Gaps)> = vec![(z3(), Gaps::default())];
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/bin/z3");
    for name in ["z3", "cvc5", "yices-smt2", "bitwuzla"] {
        let gaps = match name {
            "yices-smt2" => Gaps { integers: true, arrays: true, quantifiers: true, floats: true, ..Gaps::default() },
            "bitwuzla" => Gaps { integers: true, arrays: true, quantifiers: true, ..Gaps::default() },
            "cvc5" => Gaps { negative_arrays: true, ..Gaps::default() },
            _ => Gaps::default(),
        };
        let solver = solvers::program(name).and_then(|program| ProcessSolver::find(&program, Interrupter::new()));
        all.extend(solver.map(|solver| (Box::new(solver) as _, gaps)));
    }
    if bundled.is_file() {
        if solvers::program("z3").is_none() {
            let solver = ProcessSolver::find(&bundled.display().to_string(), Interrupter::new()).expect("a program");
            all.push((Box::new(solver), Gaps::default()));
        }
        let two = [1, 2].map(|number| {
            let arguments = vec!["-in".to_string(), format!("sat.random_seed={number}")];
            let name = format!("z3 process {number}");
            ProcessSolver::command(&name, &bundled.display().to_string(), arguments, Interrupter::new())
        });
        all.push((Box::new(Portfolio::new(two.into(), Interrupter::new())), Gaps::default()));
    }
    all
}

fn z3() -> Box<dyn Solver> {
    Box::new(Z3Solver::new(Z3Options::default(), Interrupter::new()).expect("Z3 starts"))
}

/// Checks formulas, and the model if there is one.
#[track_caller]
fn check(solver: &mut dyn Solver, pool: &Pool, formulas: &[Term], expected: Check) {
    solver.push();
    for &formula in formulas {
        solver.assert(pool, formula);
    }
    assert_eq!(solver.check(pool, &[]), expected, "{}", solver.name());
    if expected == Check::Sat {
        let model = solver.model(pool).expect("a model");
        assert!(verified(pool, model, formulas.iter().copied()).is_ok(), "{}: the model is wrong", solver.name());
    }
    solver.pop(1);
}

#[test]
fn truth_values() {
    for (mut solver, _) in all_solvers() {
        let mut pool = Pool::new();
        let [a, b, c] = ["a", "and", "a b|\\\"(;"].map(|name| pool.fresh_var(name, Sort::Bool));
        let (both, not_a) = (pool.and(a, b), pool.not(a));
        let either = pool.or(not_a, c);
        check(&mut *solver, &pool, &[both, either], Check::Sat);
        check(&mut *solver, &pool, &[both, not_a], Check::Unsat);
        let differ = pool.xor(a, b);
        check(&mut *solver, &pool, &[differ, both], Check::Unsat);
        check(&mut *solver, &pool, &[Pool::TRUE], Check::Sat);
        check(&mut *solver, &pool, &[Pool::FALSE], Check::Unsat);
    }
}

#[test]
fn integers() {
    for (mut solver, gaps) in all_solvers() {
        if gaps.integers {
            continue;
        }
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Int));
        let huge = pool.integer(Integer::from_unsigned_bits(u128::MAX));
        let above = pool.lt(huge, x);
        check(&mut *solver, &pool, &[above], Check::Sat);
        let below = {
            let negative = pool.neg(huge);
            pool.lt(x, negative)
        };
        check(&mut *solver, &pool, &[below], Check::Sat);
        check(&mut *solver, &pool, &[above, below], Check::Unsat);
        // Division rounds so that the remainder is never negative.
        let (minus_seven, minus_two) = (pool.int(-7), pool.int(-2));
        let given = [pool.eq(x, minus_seven), pool.eq(y, minus_two)];
        let (quotient, remainder) = (pool.int_div(x, y), pool.int_mod(x, y));
        let (four, one) = (pool.int(4), pool.int(1));
        let right = [pool.eq(quotient, four), pool.eq(remainder, one)];
        check(&mut *solver, &pool, &[given, right].concat(), Check::Sat);
        let wrong = pool.ne(quotient, four);
        check(&mut *solver, &pool, &[given[0], given[1], wrong], Check::Unsat);
    }
}

#[test]
fn bit_vectors() {
    for (mut solver, _) in all_solvers() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(32)));
        let (sum, k) = (pool.bv_binary(BvOp::Add, x, y), pool.bv(32, 0x8000_0000));
        let overflow = pool.eq(sum, k);
        let zero = pool.bv(32, 0);
        let positive = [x, y].map(|term| pool.bv_compare(BvOrder::SLt, zero, term));
        check(&mut *solver, &pool, &[overflow, positive[0], positive[1]], Check::Sat);
        let unsigned = pool.bv_compare(BvOrder::ULt, sum, x);
        check(&mut *solver, &pool, &[unsigned, positive[0], positive[1]], Check::Unsat);
        let wide = pool.resize(128, true, x);
        let minus_one = pool.bv(128, u128::MAX);
        let all_ones = pool.eq(wide, minus_one);
        check(&mut *solver, &pool, &[all_ones], Check::Sat);
        check(&mut *solver, &pool, &[all_ones, positive[0]], Check::Unsat);
    }
}

#[test]
fn floats() {
    for (mut solver, gaps) in all_solvers() {
        if gaps.floats {
            continue;
        }
        let mut pool = Pool::new();
        for format in [FloatFormat::F32, FloatFormat::F64] {
            let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Float(format)));
            let bits = |value: f64| match format {
                FloatFormat::F32 => u64::from((value as f32).to_bits()),
                FloatFormat::F64 => value.to_bits(),
            };
            let equal = pool.float_compare(FloatOrder::Eq, x, y);
            let same = pool.eq(x, y);
            let differ = pool.not(same);
            // 0.0 and -0.0.
            check(&mut *solver, &pool, &[equal, differ], Check::Sat);
            let nan = pool.float_is_nan(x);
            check(&mut *solver, &pool, &[nan, same], Check::Sat);
            check(&mut *solver, &pool, &[nan, equal], Check::Unsat);
            // Float values of all kinds are read back.
            for value in [0.0, -0.0, 1.5, -2.25, 1e-40, -1e-44, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30] {
                let constant = pool.float(format, bits(value));
                let formula = pool.eq(x, constant);
                check(&mut *solver, &pool, &[formula], Check::Sat);
            }
            let one = pool.float(format, bits(1.0));
            let next = pool.float_binary(FloatOp::Add, x, one);
            let absorbed = pool.float_compare(FloatOrder::Eq, x, next);
            let infinity = pool.float(format, bits(f64::INFINITY));
            let finite = pool.float_compare(FloatOrder::Lt, x, infinity);
            let positive = pool.float_compare(FloatOrder::Lt, one, x);
            check(&mut *solver, &pool, &[absorbed, finite, positive], Check::Sat);
        }
    }
}

#[test]
fn arrays() {
    for (mut solver, gaps) in all_solvers() {
        if gaps.arrays {
            continue;
        }
        let mut pool = Pool::new();
        let sort = pool.array_sort(Sort::Int, Sort::Int);
        let [a, b] = ["a", "b"].map(|name| pool.fresh_var(name, sort));
        let [i, j] = ["i", "j"].map(|name| pool.fresh_var(name, Sort::Int));
        let (at_i, at_j) = (pool.select(a, i), pool.select(a, j));
        let (differ, equal) = (pool.ne(at_i, at_j), pool.eq(i, j));
        check(&mut *solver, &pool, &[differ], Check::Sat);
        check(&mut *solver, &pool, &[differ, equal], Check::Unsat);
        let seven = pool.int(7);
        let written = pool.store(a, i, seven);
        let formula = pool.eq(b, written);
        let at_b = pool.select(b, i);
        let other = pool.ne(at_b, seven);
        check(&mut *solver, &pool, &[formula, differ], Check::Sat);
        check(&mut *solver, &pool, &[formula, other], Check::Unsat);
        let everywhere = pool.const_array(sort, seven);
        let constant = pool.eq(a, everywhere);
        check(&mut *solver, &pool, &[constant], Check::Sat);
        check(&mut *solver, &pool, &[constant, differ], Check::Unsat);
        let nested_sort = pool.array_sort(Sort::Int, sort);
        let nested = pool.fresh_var("nested", nested_sort);
        let (row_i, row_j) = (pool.select(nested, i), pool.select(nested, j));
        let (x, y) = (pool.select(row_i, j), pool.select(row_j, i));
        let formulas = [pool.lt(x, y), pool.lt(seven, x)];
        check(&mut *solver, &pool, &formulas, Check::Sat);
        check(&mut *solver, &pool, &[formulas[0], equal], Check::Unsat);
    }
}

#[test]
fn quantifiers() {
    for (mut solver, gaps) in all_solvers() {
        if gaps.quantifiers {
            continue;
        }
        let mut pool = Pool::new();
        let sort = pool.array_sort(Sort::Int, Sort::Int);
        let a = pool.fresh_var("a", sort);
        let [i, j, n, k] = ["i", "j", "n", "k"].map(|name| pool.fresh_var(name, Sort::Int));
        let (at_i, at_k) = (pool.select(a, i), pool.select(a, k));
        // The element occurs twice, so that it becomes a definition in the text.
        let square = pool.mul(at_i, at_i);
        let sum = pool.add(square, at_i);
        let positive = pool.lt(Pool::ZERO, sum);
        let body = pool.lt(Pool::ZERO, at_i);
        let body = pool.and(body, positive);
        let all = pool.quantified(true, i, Pool::ZERO, n, body);
        let inside = [pool.le(Pool::ZERO, k), pool.lt(k, n)];
        let zero = pool.eq(at_k, Pool::ZERO);
        check(&mut *solver, &pool, &[all, inside[0], inside[1], zero], Check::Unsat);
        let at_j = pool.select(a, j);
        let is_zero = pool.eq(at_j, Pool::ZERO);
        let some = pool.quantified(false, j, Pool::ZERO, n, is_zero);
        let one = pool.int(1);
        let short = pool.le(n, one);
        let elsewhere = {
            let at_zero = pool.select(a, Pool::ZERO);
            pool.ne(at_zero, Pool::ZERO)
        };
        check(&mut *solver, &pool, &[some, short, elsewhere], Check::Unsat);
        check(&mut *solver, &pool, &[some, short], Check::Sat);
    }
}

#[test]
fn levels_and_assumptions() {
    for (mut solver, _) in all_solvers() {
        let mut pool = Pool::new();
        let sort = Sort::BitVec(8);
        let x = pool.fresh_var("x", sort);
        let bounds: Vec<Term> = (0..6)
            .map(|i| {
                let bound = pool.bv(8, 10 - i);
                pool.bv_compare(BvOrder::ULt, x, bound)
            })
            .collect();
        let six = pool.bv(8, 6);
        let at_least = pool.bv_compare(BvOrder::ULe, six, x);
        solver.assert(&pool, at_least);
        for &bound in &bounds[..4] {
            solver.push();
            solver.assert(&pool, bound);
        }
        assert_eq!(solver.check(&pool, &[]), Check::Sat);
        let unrelated = {
            let y = pool.fresh_var("y", sort);
            pool.eq(x, y)
        };
        assert_eq!(solver.check(&pool, &[unrelated]), Check::Sat);
        assert!(solver.model(&pool).is_some());
        // The first assumption contradicts the assertions; the second does not.
        assert_eq!(solver.check(&pool, &[unrelated, bounds[5]]), Check::Unsat);
        let core = solver.unsat_core();
        assert!(core.contains(&bounds[5]) && core.len() <= 2, "{}: {core:?}", solver.name());
        assert!(solver.model(&pool).is_none());
        assert_eq!(solver.check(&pool, &[]), Check::Sat, "assumptions hold for one check");
        assert!(solver.unsat_core().is_empty());
        solver.push();
        solver.assert(&pool, bounds[4]);
        assert_eq!(solver.check(&pool, &[]), Check::Unsat);
        solver.pop(1);
        assert_eq!(solver.check(&pool, &[]), Check::Sat);
        solver.pop(3);
        let nine = pool.bv(8, 9);
        let is_nine = pool.eq(x, nine);
        assert_eq!(solver.check(&pool, &[is_nine]), Check::Sat);
        let model = solver.model(&pool).expect("a model");
        let Node::Var(id) = *pool.node(x) else { panic!("a variable") };
        assert_eq!(model.get(id), Some(&Value::Bv(8, 9)));
        // More levels than are open.
        solver.pop(100);
        assert_eq!(solver.check(&pool, &[]), Check::Sat);
        assert_eq!(solver.check(&pool, &[bounds[4]]), Check::Unsat);
    }
}

/// Formulas that solvers find hard: the factors of a product of two primes without a pattern in their bits.
fn hard(pool: &mut Pool) -> Vec<Term> {
    let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(128)));
    let product = pool.bv_binary(BvOp::Mul, x, y);
    let k = pool.bv(128, 1670716528703363737 * 1432538637344482399);
    let (one, limit) = (pool.bv(128, 1), pool.bv(128, 1 << 64));
    let mut formulas = vec![pool.eq(product, k), pool.bv_compare(BvOrder::ULe, x, y)];
    for term in [x, y] {
        formulas.extend([pool.bv_compare(BvOrder::ULt, one, term), pool.bv_compare(BvOrder::ULt, term, limit)]);
    }
    formulas
}

#[test]
fn time_limits() {
    for (mut solver, _) in all_solvers() {
        let mut pool = Pool::new();
        let x = pool.fresh_var("easy", Sort::Bool);
        solver.assert(&pool, x);
        solver.push();
        for formula in hard(&mut pool) {
            solver.assert(&pool, formula);
        }
        solver.set_time_limit(Some(Duration::from_millis(50)));
        assert_eq!(solver.check(&pool, &[]), Check::Unknown(Reason::Timeout), "{}", solver.name());
        assert!(solver.model(&pool).is_none());
        solver.pop(1);
        solver.set_time_limit(Some(Duration::from_secs(60)));
        assert_eq!(solver.check(&pool, &[]), Check::Sat, "{} goes on", solver.name());
        let not_x = pool.not(x);
        assert_eq!(solver.check(&pool, &[not_x]), Check::Unsat);
    }
}

#[test]
fn interruption() {
    for (mut solver, _) in all_solvers() {
        let mut pool = Pool::new();
        solver.push();
        for formula in hard(&mut pool) {
            solver.assert(&pool, formula);
        }
        solver.set_time_limit(Some(Duration::from_secs(60)));
        let interrupter = solver.interrupter();
        // The request is not lost, no matter how early it comes.
        let stopper = std::thread::spawn(move || interrupter.interrupt());
        let start = Instant::now();
        assert_eq!(solver.check(&pool, &[]), Check::Unknown(Reason::Interrupted), "{}", solver.name());
        assert!(start.elapsed() < Duration::from_secs(30));
        stopper.join().expect("no panic");
        assert_eq!(solver.check(&pool, &[]), Check::Unknown(Reason::Interrupted), "until it is cleared");
        solver.interrupter().clear();
        solver.pop(1);
        assert_eq!(solver.check(&pool, &[]), Check::Sat);
    }
}

#[test]
fn shared_subterms_are_told_once() {
    for (mut solver, gaps) in all_solvers() {
        if gaps.integers {
            continue;
        }
        let mut pool = Pool::new();
        let x = pool.fresh_var("x", Sort::Int);
        // As a tree, the term has 2^60 parts.
        let mut term = x;
        for level in 0..60 {
            let k = pool.int(level);
            let mapped = pool.int_div(term, k).max(term);
            let doubled = pool.add(mapped, term);
            let seven = pool.int(1000);
            term = pool.int_mod(doubled, seven);
        }
        let zero = pool.eq(x, Pool::ZERO);
        let result = pool.ne(term, Pool::ZERO);
        check(&mut *solver, &pool, &[zero, result], Check::Unsat);
    }
}

#[test]
fn unsupported_constructs_are_told() {
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Float(FloatFormat::F64)));
    let remainder = pool.float_binary(FloatOp::Rem, x, y);
    let formula = pool.float_compare(FloatOrder::Lt, remainder, x);
    for (mut solver, _) in all_solvers() {
        solver.push();
        solver.assert(&pool, formula);
        let unsupported = Check::Unknown(Reason::Unsupported("the remainder of floats".into()));
        assert_eq!(solver.check(&pool, &[]), unsupported);
        solver.pop(1);
        assert_eq!(solver.check(&pool, &[]), Check::Sat, "{}", solver.name());
        assert_eq!(solver.check(&pool, &[formula]), unsupported);
        assert_eq!(solver.check(&pool, &[]), Check::Sat);
    }
}

/// Checks that a term, under given values of the variables, has the value of the expression and no other. Returns
/// whether the solver could decide this.
fn same_value(solver: &mut dyn Solver, pool: &mut Pool, variables: &Variables, choices: &[u16]) -> bool {
    let mut choices = Choices::new(choices);
    choices.float_remainder = false;
    choices.quantifiers = false;
    let kind = KINDS[choices.next(KINDS.len())];
    let values = Values::random(&mut choices);
    let expression = Expr::random(&mut choices, kind);
    let Some(expected) = expression.interpret(&values) else {
        return true;
    };
    let term = expression.build(pool, variables);
    let model = values.model(pool, variables);
    let mut formulas = Vec::new();
    for id in pool.free_variables(&[term]) {
        let value = model.get(id).expect("every variable has a value").clone();
        let value = constant(pool, &value, id);
        let variable = pool.variable_term(id);
        formulas.push(pool.eq(variable, value));
    }
    let sort = kind.sort(pool);
    let other = pool.fresh_var("result", sort);
    let Node::Var(id) = *pool.node(other) else { panic!("a variable") };
    let expected = constant(pool, &expected.value(kind), id);
    let equal = pool.eq(term, expected);
    let differ = pool.not(equal);
    solver.push();
    for &formula in &formulas {
        solver.assert(pool, formula);
    }
    let answer = solver.check(pool, &[differ]);
    assert_ne!(answer, Check::Sat, "{}: {} is {}", solver.name(), pool.show(term), pool.show(expected));
    solver.pop(1);
    answer == Check::Unsat
}

/// The constant term for a value of a variable's sort.
fn constant(pool: &mut Pool, value: &Value, of: aback_logic::VarId) -> Term {
    let sort = pool.variable(of).sort;
    constant_of(pool, value, sort)
}

fn constant_of(pool: &mut Pool, value: &Value, sort: Sort) -> Term {
    match value {
        Value::Bool(value) => pool.bool(*value),
        Value::Int(value) => pool.integer(value.clone()),
        Value::Bv(width, bits) => pool.bv(*width, *bits),
        Value::Float(format, bits) => pool.float(*format, *bits),
        Value::Array(array) => {
            let Sort::Array(parts) = sort else { panic!("an array sort") };
            let (index_sort, value_sort) = pool.array_parts(parts);
            let default = constant_of(pool, array.default_value(), value_sort);
            let mut term = pool.const_array(sort, default);
            for (index, value) in array.entries() {
                let (index, value) = (constant_of(pool, index, index_sort), constant_of(pool, value, value_sort));
                term = pool.store(term, index, value);
            }
            term
        }
    }
}

#[test]
fn random_terms_have_the_value_of_the_evaluator() {
    for (mut solver, gaps) in all_solvers() {
        if gaps.integers {
            continue;
        }
        solver.set_time_limit(Some(Duration::from_secs(60)));
        let cases = if solver.name() == "z3" { 400 } else { 60 };
        let mut runner = TestRunner::deterministic();
        let mut pool = Pool::new();
        // Rules are disabled, so that operators reach the solver as they are.
        for &rule in Rule::ALL {
            pool.set_rule(rule, false);
        }
        let variables = Variables::new(&mut pool);
        let mut told = 0;
        for _ in 0..cases {
            let choices = proptest::collection::vec(proptest::num::u16::ANY, 180..300);
            let choices = choices.new_tree(&mut runner).expect("random numbers").current();
            told += usize::from(same_value(&mut *solver, &mut pool, &variables, &choices));
        }
        // Some solvers lack arrays of constant arrays, and floats can be hard.
        let least = if gaps.negative_arrays { 5 } else { 8 };
        assert!(told * 10 >= cases * least, "{} told {told} of {cases}", solver.name());
    }
}

#[test]
fn floats_become_integers_as_in_java() {
    // The bounds of the range, and values beyond them, for all widths and both formats.
    for (mut solver, gaps) in all_solvers() {
        if gaps.floats {
            continue;
        }
        let mut pool = Pool::new();
        for (width, format) in
            [8, 32, 64, 128].into_iter().flat_map(|width| [(width, FloatFormat::F32), (width, FloatFormat::F64)])
        {
            let x = pool.fresh_var("x", Sort::Float(format));
            let converted = pool.convert(Conversion::FloatToBv(width), x);
            let end = 2f64.powi(width as i32 - 1);
            let values = [end, -end, end * 2.0, -end * 1.5, end - 1.0, -end - 1.0, 0.9, -0.9, f64::NAN, f64::INFINITY];
            for value in values {
                let bits = match format {
                    FloatFormat::F32 => u64::from((value as f32).to_bits()),
                    FloatFormat::F64 => value.to_bits(),
                };
                let constant = pool.float(format, bits);
                let expected = pool.convert(Conversion::FloatToBv(width), constant);
                let formulas = [pool.eq(x, constant), pool.ne(converted, expected)];
                check(&mut *solver, &pool, &formulas, Check::Unsat);
            }
        }
    }
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let work = || {
        let mut pool = Pool::new();
        let mut term = pool.fresh_var("x", Sort::Bool);
        let mut deep = term;
        for level in 0..210_000 {
            if level < 3_000 {
                let (y, z) = (pool.fresh_var("y", Sort::Int), pool.fresh_var("z", Sort::Int));
                // Z3 recurses on formulas inside terms inside formulas.
                let chosen = pool.ite(term, y, z);
                term = pool.le(chosen, y);
            }
            let b = pool.fresh_var("b", Sort::Bool);
            deep = if level % 2 == 0 { pool.and(deep, b) } else { pool.or(deep, b) };
        }
        let mut solver = z3();
        solver.push();
        assert_eq!(solver.check(&pool, &[term]), Check::Sat);
        let model = solver.model(&pool).expect("a model");
        assert!(verified(&pool, model, [term]).is_ok());
        assert!(matches!(solver.check(&pool, &[deep]), Check::Unknown(Reason::Unsupported(_))));
        solver.assert(&pool, deep);
        assert!(matches!(solver.check(&pool, &[]), Check::Unknown(Reason::Unsupported(_))));
        solver.pop(1);
        assert_eq!(solver.check(&pool, &[]), Check::Sat);
    };
    std::thread::Builder::new().stack_size(512 * 1024).spawn(work).expect("a thread").join().expect("no panic");
}
