//! Checks with a solver that the simplification rules preserve the meaning of terms.

#[path = "../../logic/tests/common/mod.rs"]
mod common;

use aback_logic::{Pool, Rule, Term};
use aback_smt::{Check, Interrupter, Solver, Z3Options, Z3Solver};
use common::{Choices, Expr, KINDS, Variables};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::time::Duration;

fn with_rules(pool: &mut Pool, rules: &[Rule], enabled: bool) {
    for &rule in rules {
        pool.set_rule(rule, enabled);
    }
}

#[test]
fn terms_with_and_without_rules_are_equal() {
    let mut pool = Pool::new();
    let variables = Variables::new(&mut pool);
    let mut solver = Z3Solver::new(Z3Options::default(), Interrupter::new()).expect("Z3 starts");
    solver.set_time_limit(Some(Duration::from_millis(100)));
    let mut runner = TestRunner::deterministic();
    let (mut asked, mut proved) = (0, 0);
    for _ in 0..300 {
        let numbers = proptest::collection::vec(proptest::num::u16::ANY, 4..36);
        let numbers = numbers.new_tree(&mut runner).expect("random numbers").current();
        let mut choices = Choices::new(&numbers);
        choices.float_remainder = false;
        // Division by zero may have any value, so a simplified term may differ from the plain one.
        choices.division = false;
        let kind = KINDS[choices.next(KINDS.len())];
        let expression = Expr::random(&mut choices, kind);
        let [simplified, plain]: [Term; 2] = [true, false].map(|enabled| {
            with_rules(&mut pool, Rule::ALL, enabled);
            expression.build(&mut pool, &variables)
        });
        if simplified == plain {
            continue;
        }
        let equal = pool.eq(simplified, plain);
        let differ = pool.not(equal);
        asked += 1;
        match solver.check(&pool, &[differ]) {
            Check::Unsat => proved += 1,
            Check::Sat => panic!("{} is not {}", pool.show(simplified), pool.show(plain)),
            // Products and floats can be hard.
            Check::Unknown(_) => {}
        }
    }
    assert!(asked > 120 && proved * 10 >= asked * 8, "proved {proved} of {asked}");
    let counts: u64 = pool.rule_counts().map(|(_, count)| count).sum();
    assert!(counts > 300);
}
