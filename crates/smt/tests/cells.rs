//! Checks that what is read of an array at one index only counts as a variable of its own when conditions are left out.

#[path = "../../logic/tests/common/mod.rs"]
mod common;

use aback_logic::{Pool, Sort, Term};
use aback_smt::{Chain, Config, Feasibility, PathCondition};
use common::Choices;
use proptest::prelude::*;

/// Two references, fields of integers, and a field with references to arrays of integers.
struct World {
    pool: Pool,
    references: [Term; 2],
    fields: [Term; 3],
    arrays: Term,
}

impl World {
    fn new() -> Self {
        let mut pool = Pool::new();
        let references = ["r", "s"].map(|name| pool.fresh_var(name, Sort::Int));
        let integers = pool.array_sort(Sort::Int, Sort::Int);
        let fields = ["f", "g", "next"].map(|name| pool.fresh_var(name, integers));
        let nested = pool.array_sort(Sort::Int, integers);
        let arrays = pool.fresh_var("arrays", nested);
        World { pool, references, fields, arrays }
    }

    /// Mostly a variable.
    fn reference(&mut self, choices: &mut Choices) -> Term {
        let reference = self.references[choices.next(2)];
        match choices.next(8) {
            0 => self.pool.select(self.fields[2], reference),
            1 => self.pool.int(choices.next(3) as i64),
            _ => reference,
        }
    }

    fn int(&mut self, choices: &mut Choices, bound: Option<Term>) -> Term {
        let reference = self.reference(choices);
        match choices.next(9) {
            0 => self.pool.int(choices.next(5) as i64 - 2),
            1 => reference,
            2 => {
                let array = self.pool.select(self.arrays, reference);
                let index = bound.unwrap_or_else(|| self.pool.int(choices.next(2) as i64));
                self.pool.select(array, index)
            }
            3 if let Some(bound) = bound => self.pool.select(self.fields[choices.next(3)], bound),
            _ => self.pool.select(self.fields[choices.next(3)], reference),
        }
    }

    fn condition(&mut self, choices: &mut Choices, bound: Option<Term>) -> Term {
        let (a, b) = (self.int(choices, bound), self.int(choices, bound));
        match choices.next(if bound.is_some() { 3 } else { 12 }) {
            0 => self.pool.eq(a, b),
            1 => self.pool.ne(a, b),
            3 => {
                let variable = self.pool.fresh_var("k", Sort::Int);
                let body = self.condition(choices, Some(variable));
                let (low, high) = (self.pool.int(0), self.pool.int(2));
                self.pool.quantified(choices.next(2) == 0, variable, low, high, body)
            }
            4 => {
                let (one, other) = (choices.next(3), choices.next(3));
                let reference = self.reference(choices);
                let stored = self.pool.store(self.fields[one], reference, a);
                self.pool.eq(stored, self.fields[other])
            }
            5 => {
                let other = self.condition(choices, bound);
                let condition = self.pool.le(a, b);
                self.pool.or(condition, other)
            }
            _ => self.pool.lt(a, b),
        }
    }
}

/// Follows random paths, and compares each answer with that of a solver that gets all conditions.
fn agrees(choices: &[u16], config: &Config) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let mut world = World::new();
    let mut chain = Chain::new(config).expect("the solver is there");
    let mut whole = Chain::new(&Config::plain()).expect("the solver is there");
    let mut path = PathCondition::new();
    let mut forks = vec![path.clone()];
    for _ in 0..10 {
        let formula = world.condition(&mut choices, None);
        let expected = whole.check(&mut world.pool, &path, formula);
        match (chain.check(&mut world.pool, &path, formula), expected) {
            (Feasibility::Feasible(model), expected) => {
                prop_assert!(!matches!(expected, Feasibility::Infeasible), "a model where there is none");
                let conditions: Vec<Term> = path.conjuncts().chain([formula]).collect();
                for condition in conditions {
                    let holds = model.borrow_mut().holds(&world.pool, condition);
                    prop_assert_eq!(holds, Some(true), "{}", world.pool.show(condition));
                }
                prop_assert!(path.assume(&mut world.pool, formula).is_ok());
                path.set_current_model(model);
                forks.push(path.clone());
            }
            (Feasibility::Infeasible, expected) => {
                prop_assert!(!matches!(expected, Feasibility::Feasible(_)), "a model was overlooked");
                path = forks[choices.next(forks.len())].clone();
            }
            (Feasibility::Unknown(reason), expected) => {
                prop_assert!(matches!(expected, Feasibility::Unknown(_)), "{reason}");
                path = forks[choices.next(forks.len())].clone();
            }
        }
        if choices.next(4) == 0 {
            path = forks[choices.next(forks.len())].clone();
        }
    }
    Ok(())
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 60..200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_stages(choices in choices()) {
        agrees(&choices, &Config::default())?;
    }

    #[test]
    fn slicing_alone(choices in choices()) {
        agrees(&choices, &Config { slicing: true, ..Config::plain() })?;
    }
}

#[test]
fn fields_of_an_object_have_nothing_in_common() {
    let mut world = World::new();
    let [this, other] = world.references;
    let [x, y, next] = world.fields;
    let zero = world.pool.int(0);
    let mut path = PathCondition::new();
    let mut follow = |pool: &mut Pool, formula| {
        let length = path.slice(pool, formula).len();
        path.assume(pool, formula).expect("possible");
        length
    };
    let not_null = world.pool.lt(zero, this);
    assert_eq!(follow(&mut world.pool, not_null), 0);
    let [at_x, at_y] = [x, y].map(|field| world.pool.select(field, this));
    // The first condition about a field is about the reference as well.
    let lengths = [(at_x, 10), (at_x, 20), (at_y, 10), (at_y, 20)].map(|(field, number)| {
        let number = world.pool.int(number);
        let formula = world.pool.ne(field, number);
        follow(&mut world.pool, formula)
    });
    assert_eq!(lengths, [1, 1, 1, 1]);
    // Another index of `x` may be the same one, and connects what is known about `x` and about the references.
    let elsewhere = world.pool.select(x, other);
    let formula = world.pool.lt(elsewhere, zero);
    assert_eq!(follow(&mut world.pool, formula), 3);
    let formula = world.pool.lt(at_x, zero);
    assert_eq!(follow(&mut world.pool, formula), 4);
    // So does the whole array.
    let stored = world.pool.store(next, this, zero);
    let formula = world.pool.eq(stored, y);
    assert_eq!(follow(&mut world.pool, formula), 7);
}
