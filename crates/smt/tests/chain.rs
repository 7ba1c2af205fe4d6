//! Checks that a chain of stages gives the same answers as a solver alone and as trying all assignments.

#[path = "../../logic/tests/common/mod.rs"]
mod common;
mod solvers;

use aback_logic::{
    BvOp, BvOrder, Evaluator, FloatFormat, FloatOp, FloatOrder, Integer, Model, Node, Pool, Sort, Term, Value,
};
use aback_smt::{CacheMode, Chain, Config, Feasibility, PathCondition, Reason, SetMode, SolverKind, Statistics};
use common::Choices;
use common::small::{World, bounds};
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Follows random paths through a small world and compares each answer with the result of trying all assignments.
fn agrees(choices: &[u16], config: &Config) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let mut world = World::new();
    let mut chain = Chain::new(config).expect("the solver is there");
    let mut path = PathCondition::new();
    for condition in bounds(&mut world) {
        prop_assert!(path.assume(&mut world.pool, condition).is_ok());
    }
    let all = world.models();
    let mut forks = vec![path.clone()];
    for _ in 0..5 {
        let formula = world.bool(&mut choices, 3);
        let conditions: Vec<Term> = path.conjuncts().chain([formula]).collect();
        let mut models = all.clone();
        let holds = |pool: &Pool, model: &mut Evaluator| conditions.iter().all(|&c| model.holds(pool, c) == Some(true));
        let expected = models.iter_mut().any(|model| holds(&world.pool, model));
        match chain.check(&mut world.pool, &path, formula) {
            Feasibility::Feasible(model) => {
                prop_assert!(expected, "a model where there is none");
                prop_assert!(holds(&world.pool, &mut model.borrow_mut()), "the model is wrong");
                prop_assert!(path.assume(&mut world.pool, formula).is_ok());
                // Some callers do not use the model.
                if choices.next(3) > 0 {
                    path.set_current_model(model);
                }
                forks.push(path.clone());
            }
            Feasibility::Infeasible => {
                prop_assert!(!expected, "a model was overlooked: {}", world.pool.show(formula));
                path = forks[choices.next(forks.len())].clone();
            }
            // Models with a division by zero are not trusted.
            Feasibility::Unknown(Reason::Incomplete(_)) => path = forks[choices.next(forks.len())].clone(),
            Feasibility::Unknown(reason) => prop_assert!(false, "{reason}"),
        }
        if let Some(current) = path.current_model() {
            let conditions: Vec<Term> = path.conjuncts().collect();
            let mut current = current.borrow_mut();
            prop_assert!(
                conditions.iter().all(|&c| current.holds(&world.pool, c) == Some(true)),
                "the current model is wrong"
            );
        }
        if choices.next(4) == 0 {
            path = forks[choices.next(forks.len())].clone();
        }
    }
    Ok(())
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 40..160)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_stages(choices in choices()) {
        agrees(&choices, &Config::default())?;
    }

    #[test]
    fn the_solver_alone(choices in choices()) {
        agrees(&choices, &Config::plain())?;
    }

    #[test]
    fn some_stages(choices in choices(), stages in 0u8..8, iterations in 1u32..4, cache in 0usize..4, sets in 0usize..3) {
        let config = Config {
            intervals: stages & 1 != 0,
            interval_iterations: iterations,
            slicing: stages & 2 != 0,
            models: stages & 4 != 0,
            cache: [CacheMode::Off, CacheMode::Plain, CacheMode::Normalised, CacheMode::Cores][cache],
            sets: [SetMode::Off, SetMode::Unsatisfiable, SetMode::All][sets],
            ..Config::default()
        };
        agrees(&choices, &config)?;
    }
}

#[test]
fn solver_processes_answer_the_same() {
    use proptest::strategy::ValueTree;
    // Other solvers do not mix integers and bit-vectors.
    for program in ["z3", "cvc5"].into_iter().filter_map(solvers::program) {
        let config = Config { solver: SolverKind::Processes(vec![program.clone()]), ..Config::default() };
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..8 {
            let choices = choices().new_tree(&mut runner).expect("random numbers").current();
            agrees(&choices, &config).expect(&program);
        }
    }
}

#[test]
fn a_solver_that_is_not_there_is_told_at_once() {
    let config = Config { solver: SolverKind::Processes(vec!["no-such-solver".into()]), ..Config::default() };
    let error = Chain::new(&config).err().expect("an error");
    assert_eq!(error.to_string(), "the solver `no-such-solver` is not installed");
    let error = Chain::new(&Config { solver: SolverKind::Processes(Vec::new()), ..config }).err().expect("an error");
    let expected =
        "none of the solvers z3, cvc5, yices-smt2, bitwuzla is on PATH; `make solvers` fetches three of them";
    assert_eq!(error.to_string(), expected);
}

/// Integer variables and a chain.
struct Setting {
    pool: Pool,
    path: PathCondition,
    chain: Chain,
}

impl Setting {
    fn new(config: Config) -> Self {
        let chain = Chain::new(&config).expect("Z3 is there");
        Setting { pool: Pool::new(), path: chain.path(), chain }
    }

    fn int(&mut self, name: &str) -> Term {
        self.pool.fresh_var(name, Sort::Int)
    }

    #[track_caller]
    fn check(&mut self, formula: Term) -> Feasibility {
        let answer = self.chain.check(&mut self.pool, &self.path, formula);
        assert!(!matches!(answer, Feasibility::Unknown(_)), "{answer:?}");
        answer
    }

    /// Continues the path under a formula that must be feasible.
    #[track_caller]
    fn follow(&mut self, formula: Term) {
        let Feasibility::Feasible(model) = self.check(formula) else { panic!("feasible") };
        self.path.assume(&mut self.pool, formula).expect("no contradiction");
        self.path.set_current_model(model);
    }

    #[track_caller]
    fn refuse(&mut self, formula: Term) {
        assert!(matches!(self.check(formula), Feasibility::Infeasible));
    }

    fn statistics(&self) -> Statistics {
        self.chain.statistics()
    }
}

#[test]
fn easy_questions_do_not_start_the_solver() {
    let mut s = Setting::new(Config::default());
    let x = s.int("x");
    let (five, nine) = (s.pool.int(5), s.pool.int(9));
    let (at_least, less) = (s.pool.le(five, x), s.pool.lt(x, five));
    s.path.assume(&mut s.pool, at_least).expect("no contradiction");
    let mut model = Model::new();
    if let Node::Var(id) = *s.pool.node(x) {
        model.set(id, Value::Int(Integer::from(7)));
    }
    s.path.set_current_model(Rc::new(RefCell::new(Evaluator::new(model))));
    s.refuse(less);
    s.refuse(Pool::FALSE);
    s.follow(Pool::TRUE);
    s.follow(at_least);
    let below_nine = s.pool.lt(x, nine);
    s.follow(below_nine);
    let statistics = s.statistics();
    assert_eq!((statistics.solver.asked, statistics.queries), (0, 5));
    assert_eq!((statistics.constants.answered, statistics.intervals.answered, statistics.models.answered), (2, 2, 1));
}

#[test]
fn slices_leave_out_what_is_unrelated() {
    let mut s = Setting::new(Config { models: false, intervals: false, ..Config::default() });
    let [x, y, z, u] = ["x", "y", "z", "u"].map(|name| s.int(name));
    let one = s.pool.int(1);
    let formulas = [s.pool.lt(one, x), s.pool.lt(x, y), s.pool.lt(one, u)];
    for formula in formulas {
        s.follow(formula);
    }
    let before = s.statistics().sliced;
    let about_y = s.pool.lt(y, z);
    s.follow(about_y);
    assert_eq!(s.statistics().sliced - before, 2);
    // The model is a model of the whole path condition.
    let Feasibility::Feasible(model) = s.check(about_y) else { panic!("feasible") };
    let conjuncts: Vec<Term> = s.path.conjuncts().collect();
    assert_eq!(conjuncts.len(), 4);
    assert!(conjuncts.iter().all(|&formula| model.borrow_mut().holds(&s.pool, formula) == Some(true)));
}

#[test]
fn a_path_without_current_model_is_asked_about_as_a_whole() {
    let mut s = Setting::new(Config { intervals: false, ..Config::default() });
    let [x, y, z] = ["x", "y", "z"].map(|name| s.int(name));
    // x*x = 2 has no solution, which only the solver finds.
    let (two, square) = (s.pool.int(2), s.pool.mul(x, x));
    let impossible = s.pool.eq(square, two);
    let bounds = [s.pool.le(x, two), s.pool.le(Pool::ZERO, x)];
    for formula in [impossible, bounds[0], bounds[1]] {
        s.path.assume(&mut s.pool, formula).expect("intervals do not see it");
    }
    assert!(s.path.current_model().is_none());
    let unrelated = s.pool.lt(y, z);
    s.refuse(unrelated);
}

#[test]
fn answers_are_remembered() {
    let stages = Config { models: false, intervals: false, enumeration: false, afresh: false, ..Config::default() };
    let mut s = Setting::new(stages);
    let product = |s: &mut Setting, a: Term, b: Term, value: i64| {
        let (value, product) = (s.pool.int(value), s.pool.mul(a, b));
        s.pool.eq(product, value)
    };
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| s.int(name));
    let [first, second] = [(a, b), (c, d)].map(|(a, b)| product(&mut s, a, b, 91));
    s.check(first);
    s.check(first);
    let statistics = s.statistics();
    assert_eq!((statistics.solver.asked, statistics.cache.answered), (1, 1));
    // The same formula with other names.
    let Feasibility::Feasible(model) = s.check(second) else { panic!("feasible") };
    assert_eq!(model.borrow_mut().holds(&s.pool, second), Some(true));
    let statistics = s.statistics();
    assert_eq!((statistics.solver.asked, statistics.normalised.answered), (1, 1));
    // Unsatisfiable formulas remain so together with others.
    let odd = {
        let (two, one) = (s.pool.int(2), s.pool.int(1));
        let half = s.pool.int_mod(a, two);
        let odd = s.pool.eq(half, one);
        let double = s.pool.mul(a, a);
        let even = s.pool.int_mod(double, two);
        let even = s.pool.eq(even, Pool::ZERO);
        [odd, even]
    };
    s.follow(odd[0]);
    s.refuse(odd[1]);
    let asked = s.statistics().solver.asked;
    let more = s.pool.le(a, b);
    s.follow(more);
    s.refuse(odd[1]);
    assert_eq!(s.statistics().solver.asked, asked + 1, "only the new condition needs the solver");
}

#[test]
fn queries_are_written_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config { log: Some(folder.path().join("queries")), enumeration: false, ..Config::default() };
    let mut s = Setting::new(config.clone());
    let [x, y] = ["x", "y"].map(|name| s.int(name));
    let (product, k) = (s.pool.mul(x, y), s.pool.int(35));
    let formula = s.pool.eq(product, k);
    s.follow(formula);
    let two = s.pool.int(2);
    let even = s.pool.eq(x, two);
    s.refuse(even);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("queries").join(name)).expect("a query");
    let first = read("000000.smt2");
    assert!(first.contains("(set-info :status sat)") && first.contains("(declare-fun x@0 () Int)"), "{first}");
    assert!(first.ends_with("(check-sat)\n"));
    assert!(read("000001.smt2").contains("(set-info :status unsat)"));
    assert!(!folder.path().join("queries/000002.smt2").exists());
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "").expect("a file");
    assert!(Chain::new(&Config { log: Some(taken), ..config }).is_err());
}

#[test]
fn deadlines_and_interruptions_give_unknown() {
    let mut s = Setting::new(Config { enumeration: false, ..Config::default() });
    let [x, y] = ["x", "y"].map(|name| s.int(name));
    let (product, k) = (s.pool.mul(x, y), s.pool.int(35));
    let formula = s.pool.eq(product, k);
    s.chain.set_deadline(Some(Instant::now()));
    let answer = s.chain.check(&mut s.pool, &s.path, formula);
    assert!(matches!(answer, Feasibility::Unknown(Reason::Timeout)));
    s.chain.set_deadline(Some(Instant::now() + Duration::from_secs(60)));
    s.chain.interrupter().interrupt();
    let answer = s.chain.check(&mut s.pool, &s.path, formula);
    assert!(matches!(answer, Feasibility::Unknown(Reason::Interrupted)));
    s.chain.interrupter().clear();
    s.follow(formula);
    let statistics = s.statistics();
    assert_eq!((statistics.unknown, statistics.solver.asked, statistics.solver.answered), (2, 1, 1));
    assert!(statistics.to_string().contains("3 queries: 1 feasible, 0 infeasible, 2 unknown"));
    let json = serde_json::to_value(&statistics).expect("JSON");
    assert_eq!(json["solver"]["asked"], 1);
}

#[test]
fn nothing_that_takes_time_begins_after_the_deadline() {
    let mut s = Setting::new(Config::default());
    let [x, y] = ["x", "y"].map(|name| s.pool.fresh_var(name, Sort::BitVec(8)));
    let (product, k) = (s.pool.bv_binary(BvOp::Mul, x, y), s.pool.bv(8, 35));
    let formula = s.pool.eq(product, k);
    s.chain.set_deadline(Some(Instant::now()));
    let answer = s.chain.check(&mut s.pool, &s.path, formula);
    assert!(matches!(answer, Feasibility::Unknown(Reason::Timeout)));
    s.chain.interrupter().interrupt();
    let answer = s.chain.check(&mut s.pool, &s.path, formula);
    assert!(matches!(answer, Feasibility::Unknown(Reason::Timeout)), "it was the deadline that was met first");
    s.chain.interrupter().clear();
    let late = s.statistics();
    let stages = [&late.enumeration, &late.samples, &late.integers, &late.afresh, &late.solver];
    assert!(stages.iter().all(|stage| stage.asked == 0), "{late}");
    assert_eq!(late.models.asked, 2);
    // Constants, intervals and models answer even after the deadline.
    let known = s.pool.bool(true);
    assert!(matches!(s.chain.check(&mut s.pool, &s.path, known), Feasibility::Feasible(_)));
    s.chain.set_deadline(None);
    s.follow(formula);
    assert_eq!(s.statistics().enumeration.answered, 1);
}

#[test]
fn the_solver_keeps_what_questions_have_in_common() {
    let config = Config {
        cache: CacheMode::Off,
        models: false,
        intervals: false,
        orders: false,
        enumeration: false,
        ..Config::default()
    };
    let mut s = Setting::new(config);
    let variables: Vec<Term> = (0..40).map(|_| s.int("x")).collect();
    for pair in variables.windows(2) {
        let less = s.pool.lt(pair[0], pair[1]);
        let more = s.pool.lt(pair[1], pair[0]);
        s.follow(less);
        s.refuse(more);
    }
    // Each condition is asserted once.
    assert_eq!(s.statistics().asserted, 39);
    // A fork near the end removes few assertions.
    let mut fork = s.path.clone();
    let more = s.pool.lt(variables[39], variables[0]);
    fork.assume(&mut s.pool, more).expect("intervals do not see it");
    std::mem::swap(&mut s.path, &mut fork);
    s.refuse(Pool::TRUE);
    assert_eq!(s.statistics().asserted, 40);
}

const MANY: usize = 100_000;

#[test]
fn a_long_path_of_unrelated_conditions() {
    let mut s = Setting::new(Config::default());
    let variables: Vec<Term> = (0..MANY).map(|_| s.int("x")).collect();
    for &x in &variables {
        let condition = s.pool.le(x, Pool::ZERO);
        s.path.assume(&mut s.pool, condition).expect("no contradiction");
    }
    assert_eq!(s.path.len(), MANY);
    let forks: Vec<PathCondition> = vec![s.path.clone(); 1000];
    for (number, mut fork) in forks.into_iter().enumerate() {
        let (x, y) = (variables[number], variables[MANY - 1 - number]);
        let (sum, k) = (s.pool.add(x, y), s.pool.int(-5));
        let condition = s.pool.eq(sum, k);
        fork.assume(&mut s.pool, condition).expect("no contradiction");
        if number % 100 == 0 {
            assert_eq!(fork.slice(&s.pool, x).len(), 3);
            let Feasibility::Feasible(model) = s.chain.check(&mut s.pool, &s.path, condition) else {
                panic!("feasible")
            };
            assert_eq!(model.borrow_mut().holds(&s.pool, condition), Some(true));
        }
    }
    let statistics = s.statistics();
    assert!(statistics.sliced <= 20 && statistics.asserted <= 20, "{statistics}");
}

#[test]
fn a_long_chain_of_conditions() {
    let mut s = Setting::new(Config::default());
    let variables: Vec<Term> = (0..=MANY).map(|_| s.int("x")).collect();
    let mut model = Model::new();
    for (value, &x) in variables.iter().enumerate() {
        let Node::Var(id) = *s.pool.node(x) else { panic!("a variable") };
        model.set(id, Value::Int(Integer::from(value as i64)));
    }
    s.path.set_current_model(Rc::new(RefCell::new(Evaluator::new(model))));
    for pair in variables.windows(2) {
        let less = s.pool.lt(pair[0], pair[1]);
        s.path.assume(&mut s.pool, less).expect("no contradiction");
    }
    assert_eq!(s.path.len(), MANY);
    assert!(s.path.current_model().is_some());
    let ends = s.pool.lt(variables[0], variables[MANY]);
    s.follow(ends);
    assert_eq!(s.path.slice(&s.pool, variables[MANY / 2]).len(), MANY + 1);
    assert_eq!(s.statistics().solver.asked, 0);
}

#[test]
fn a_loop_with_a_growing_counter() {
    let mut s = Setting::new(Config::default());
    let n = s.pool.fresh_var("n", Sort::BitVec(32));
    let rounds = 300;
    for i in 0..rounds {
        let i = s.pool.bv(32, i);
        let inside = s.pool.bv_compare(BvOrder::SLt, i, n);
        let outside = s.pool.not(inside);
        assert!(matches!(s.check(outside), Feasibility::Feasible(_)));
        s.follow(inside);
    }
    let statistics = s.statistics();
    // As an integer, `n` has a range of two formulas.
    assert!(statistics.asserted <= rounds as u64 + 2, "each condition is asserted at most once: {statistics}");
    // The path may be much longer without a solver.
    let mut path = PathCondition::new();
    for i in 0..MANY {
        let i = s.pool.bv(32, i as u128);
        let inside = s.pool.bv_compare(BvOrder::SLt, i, n);
        path.assume(&mut s.pool, inside).expect("no contradiction");
    }
    let last = s.pool.bv(32, MANY as u128 - 2);
    let outside = s.pool.bv_compare(BvOrder::SLe, n, last);
    assert!(matches!(s.chain.check(&mut s.pool, &path, outside), Feasibility::Infeasible));
}

/// A disabled stage has no effect: no interval decides or strengthens a condition.
#[test]
fn paths_without_intervals() {
    for intervals in [true, false] {
        let mut s = Setting::new(Config { intervals, ..Config::plain() });
        let x = s.int("x");
        let (zero, five, nine) = (s.pool.int(0), s.pool.int(5), s.pool.int(9));
        let (positive, small) = (s.pool.le(zero, x), s.pool.lt(x, five));
        s.follow(positive);
        s.follow(small);
        let large = s.pool.lt(nine, x);
        assert_eq!(s.path.domain().decide(&s.pool, large), intervals.then_some(false));
        assert_eq!(s.path.domain().interval(&s.pool, x).high.is_some(), intervals);
        let before = s.statistics().solver.asked;
        assert!(matches!(s.check(large), Feasibility::Infeasible));
        assert_eq!(s.statistics().solver.asked - before, u64::from(!intervals));
        assert_eq!(s.path.assume(&mut s.pool, large).is_err(), intervals);
        let is_zero = s.pool.eq(x, zero);
        let is_not = s.pool.not(is_zero);
        let mut path = s.chain.path();
        path.assume(&mut s.pool, positive).expect("no contradiction");
        path.assume(&mut s.pool, is_not).expect("no contradiction");
        assert_eq!(path.conjuncts().any(|conjunct| conjunct == is_not), !intervals);
    }
}

/// A weaker bound does not take the place of a stronger one, with intervals or without them.
#[test]
fn the_strongest_bound_of_a_term_counts() {
    for intervals in [true, false] {
        let mut s = Setting::new(Config { intervals, ..Config::plain() });
        let x = s.int("x");
        let [zero, one, two, nine] = [0, 1, 2, 9].map(|value| s.pool.int(value));
        for condition in [s.pool.le(two, x), s.pool.le(one, x), s.pool.lt(x, nine), s.pool.le(x, nine)] {
            s.follow(condition);
        }
        for impossible in [s.pool.eq(x, one), s.pool.eq(x, nine)] {
            assert!(matches!(s.check(impossible), Feasibility::Infeasible));
        }
        for condition in [s.pool.le(x, two), s.pool.lt(zero, x)] {
            s.follow(condition);
        }
        assert_eq!(s.path.len(), 2);
        let is_two = s.pool.eq(x, two);
        let is_not = s.pool.not(is_two);
        assert!(matches!(s.check(is_two), Feasibility::Feasible(_)));
        assert!(matches!(s.check(is_not), Feasibility::Infeasible));
    }
}

/// Contradictions in the order of values take no solver, with the stage on.
#[test]
fn orders_of_values_take_no_solver() {
    for orders in [true, false] {
        let mut s = Setting::new(Config { orders, intervals: false, ..Config::default() });
        let [x, y, z] = ["x", "y", "z"].map(|name| s.int(name));
        let [first, second, third] = [s.pool.lt(x, y), s.pool.le(y, z), s.pool.le(z, x)];
        s.follow(first);
        s.follow(second);
        s.refuse(third);
        let statistics = s.statistics();
        assert_eq!(statistics.orders.answered, u64::from(orders), "{statistics}");
        assert_eq!(statistics.orders.asked > 0, orders, "{statistics}");
    }
}

/// Values of floats are looked for between bounds, with the stage on: a mean lies between what it is the mean of, but for infinity.
#[test]
fn values_of_floats_take_no_solver() {
    for boxes in [true, false] {
        let mut s = Setting::new(Config { boxes, models: false, enumeration: false, ..Config::default() });
        let [x, y] = ["x", "y"].map(|name| s.pool.fresh_var(name, Sort::Float(FloatFormat::F32)));
        let [zero, two, most] = [0f32, 2.0, 1e30].map(|value| s.pool.float(FloatFormat::F32, value.to_bits().into()));
        for [a, b] in [[zero, x], [x, y], [y, most]] {
            let condition = s.pool.float_compare(FloatOrder::Le, a, b);
            s.follow(condition);
        }
        let sum = s.pool.float_binary(FloatOp::Add, x, y);
        let mean = s.pool.float_binary(FloatOp::Div, sum, two);
        let below = s.pool.float_compare(FloatOrder::Lt, mean, x);
        s.refuse(below);
        let between = s.pool.float_compare(FloatOrder::Lt, mean, y);
        s.follow(between);
        let statistics = s.statistics();
        let is_left = statistics.solver.asked + statistics.afresh.asked > 0;
        assert_eq!((statistics.boxes.asked > 0, is_left), (boxes, !boxes), "{statistics}");
    }
}

/// A contradiction is kept without the conditions that it does not need, and answers questions with others.
#[test]
fn cores_of_contradictions() {
    let found = |cache: CacheMode| {
        let config =
            Config { cache, intervals: false, orders: false, models: false, enumeration: false, ..Config::default() };
        let mut chain = Chain::new(&config).expect("Z3");
        let mut pool = Pool::new();
        let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|name| pool.fresh_var(name, Sort::Int));
        let [one, other] = [d, e].map(|last| {
            let hundred = pool.int(100);
            [pool.lt(a, b), pool.lt(last, hundred), pool.lt(b, c), pool.lt(c, last)]
        });
        let formula = pool.lt(c, a);
        for conditions in [one, other] {
            let mut path = PathCondition::without_intervals();
            for condition in conditions {
                path.assume(&mut pool, condition).expect("no intervals");
            }
            assert!(matches!(chain.check(&mut pool, &path, formula), Feasibility::Infeasible));
        }
        let statistics = chain.statistics();
        assert!(statistics.to_string().contains(&format!("; {} contradictions made smaller", statistics.shrunk)));
        (statistics.sets.answered, statistics.shrunk)
    };
    assert_eq!(found(CacheMode::Normalised), (0, 0));
    // There is little time for it, which a busy machine may spend otherwise.
    assert!((0..20).any(|_| found(CacheMode::Cores) == (1, 1)));
}

/// A model of formulas is one of fewer of them, and formulas without a common model have none together with others. Nothing else follows.
#[test]
fn sets_of_formulas_that_contain_others() {
    for (sets, [subset, superset]) in [(SetMode::Off, [0, 0]), (SetMode::Unsatisfiable, [0, 1]), (SetMode::All, [1, 1])]
    {
        let config =
            Config { sets, intervals: false, orders: false, models: false, enumeration: false, ..Config::default() };
        let mut chain = Chain::new(&config).expect("Z3");
        let mut pool = Pool::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.fresh_var(name, Sort::Int));
        let (product, number) = (pool.mul(a, b), pool.int(91));
        let [equal, less, more] = [pool.eq(product, number), pool.lt(a, b), pool.lt(b, c)];
        let [greater, other] = [pool.lt(b, a), pool.lt(c, a)];
        // Whether the last formula is possible after the others, and how many answers have come from other sets.
        let mut check = |formulas: &[Term], is_feasible: bool| {
            let (last, conditions) = formulas.split_last().expect("a formula");
            let mut path = PathCondition::without_intervals();
            for &condition in conditions {
                path.assume(&mut pool, condition).expect("no intervals");
            }
            match chain.check(&mut pool, &path, *last) {
                Feasibility::Feasible(model) => {
                    assert!(is_feasible, "{sets:?}");
                    assert!(formulas.iter().all(|&formula| model.borrow_mut().holds(&pool, formula) == Some(true)));
                }
                Feasibility::Infeasible => assert!(!is_feasible, "{sets:?}"),
                Feasibility::Unknown(reason) => panic!("{reason}"),
            }
            chain.statistics().sets.answered
        };
        assert_eq!(check(&[equal, less, more], true), 0);
        assert_eq!(check(&[equal, more], true), subset, "{sets:?}");
        // Sets that only have something in common say nothing about each other.
        assert_eq!(check(&[equal, greater, more], true), subset);
        assert_eq!(check(&[less, greater], false), subset);
        assert_eq!(check(&[more, less, greater], false), subset + superset, "{sets:?}");
        // Neither do models of fewer formulas, nor contradictions of more.
        assert_eq!(check(&[equal, less, more, other], false), subset + superset);
        assert_eq!(check(&[greater], true), 2 * subset + superset);
    }
}

/// With more iterations, intervals answer what only a solver did.
#[test]
fn intervals_are_narrowed_again() {
    for (iterations, answered) in [(1, 0), (3, 1)] {
        let config = Config { interval_iterations: iterations, models: false, enumeration: false, ..Config::default() };
        let mut chain = Chain::new(&config).expect("Z3");
        let mut pool = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| pool.fresh_var(name, Sort::Int));
        let five = pool.int(5);
        let mut path = chain.path();
        for condition in [pool.le(x, y), pool.le(y, z), pool.le(z, five)] {
            path.assume(&mut pool, condition).expect("no contradiction");
        }
        let formula = pool.lt(five, x);
        assert!(matches!(chain.check(&mut pool, &path, formula), Feasibility::Infeasible));
        assert_eq!(chain.statistics().intervals.answered, answered, "{iterations}");
    }
}
