//! Tests the path conditions of joined paths.

use aback_logic::{Evaluator, Model, Node, Pool, Sort, Term, Value};
use aback_smt::PathCondition;

struct World {
    pool: Pool,
    variables: [Term; 2],
}

impl World {
    fn new() -> World {
        let mut pool = Pool::new();
        let variables = ["x", "y"].map(|name| pool.fresh_var(name, Sort::Int));
        World { pool, variables }
    }

    /// `variable <= bound`, or its negation.
    fn at_most(&mut self, variable: usize, bound: i64, truth: bool) -> Term {
        let bound = self.pool.int(bound);
        let formula = self.pool.le(self.variables[variable], bound);
        if truth { formula } else { self.pool.not(formula) }
    }

    /// Whether the formulas hold for these values. `choice` gives the value of a new variable.
    fn holds(&self, formulas: &[Term], values: [i64; 2], choice: Option<(Term, bool)>) -> bool {
        let mut model = Model::new();
        let values = self.variables.into_iter().zip(values.map(|value| Value::Int(value.into())));
        for (variable, value) in values.chain(choice.map(|(term, truth)| (term, Value::Bool(truth)))) {
            if let Node::Var(id) = *self.pool.node(variable) {
                model.set(id, value);
            }
        }
        let mut evaluator = Evaluator::new(model);
        formulas.iter().all(|&formula| evaluator.holds(&self.pool, formula) == Some(true))
    }
}

/// Joins two conditions, each a list of bounds, and compares the result with both on small numbers: it equals the first
/// condition where the formula that selects the path is true, and the second where it is false.
#[track_caller]
fn check(one: &[(usize, i64, bool)], other: &[(usize, i64, bool)], is_new: bool) {
    let mut world = World::new();
    let [a, b] = [one, other].map(|bounds| {
        let mut path = PathCondition::new();
        for &(variable, bound, truth) in bounds {
            let formula = world.at_most(variable, bound, truth);
            path.assume(&mut world.pool, formula).unwrap();
        }
        path
    });
    let (joined, choice) = a.join(&b, &mut world.pool, PathCondition::new()).unwrap();
    assert_eq!(matches!(world.pool.node(choice), Node::Var(_)), is_new, "{}", world.pool.show(choice));
    let [a, b, joined_formulas] = [&a, &b, &joined].map(|path| path.conjuncts().collect::<Vec<Term>>());
    for x in -4..5 {
        for y in -4..5 {
            for truth in [false, true] {
                let chosen = Some((choice, truth)).filter(|_| is_new);
                if !is_new && world.holds(&[choice], [x, y], None) != truth {
                    continue;
                }
                let expected = world.holds(if truth { &a } else { &b }, [x, y], None);
                assert_eq!(world.holds(&joined_formulas, [x, y], chosen), expected, "x = {x}, y = {y}, {truth}");
            }
        }
    }
    if let Some(model) = joined.current_model() {
        let mut model = model.borrow_mut();
        assert!(joined_formulas.iter().all(|&formula| model.holds(&world.pool, formula) == Some(true)));
    }
}

#[test]
fn conditions_that_exclude_each_other_tell_the_path() {
    check(&[(0, 1, true)], &[(0, 1, false)], false);
    check(&[(1, 3, true), (0, 1, true), (1, 0, true)], &[(1, 3, true), (0, 1, false)], false);
    // The conditions exclude each other only together with the intervals of the other path.
    check(&[(0, -2, true)], &[(0, 2, false), (1, 0, true)], false);
    // A stronger bound has replaced the weaker one that both had.
    check(&[(0, 3, true), (0, 1, true)], &[(0, 3, true), (0, 1, false)], false);
}

#[test]
fn conditions_that_may_both_hold_get_a_variable_that_tells_the_path() {
    check(&[(0, 1, true)], &[(1, 1, true)], true);
    check(&[(0, 1, true)], &[(0, 3, true)], true);
    check(&[], &[(0, 3, true)], true);
    check(&[(0, 1, true)], &[(0, 1, true)], true);
}
