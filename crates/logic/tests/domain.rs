//! Checks that inferred intervals hold for every assignment that satisfies the assumed conditions (errata 1 of paper
//! 4).

mod common;

use aback_logic::{Contradiction, Domain, Integer, Interval, Pool, Simplifier, Sort, Term, Value};
use common::Choices;
use common::small::{World, bounds};
use proptest::prelude::*;

fn sound(choices: &[u16]) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let mut world = World::new();
    let mut conditions = bounds(&mut world);
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
    let mut assumed: Result<(), Contradiction> =
        conditions.iter().try_for_each(|&condition| domain.assume(&mut world.pool, condition));
    for _ in 0..choices.next(4) {
        assumed = assumed.and_then(|()| {
            conditions.iter().try_for_each(|&condition| domain.refine(&mut world.pool, condition).map(|_| ()))
        });
    }
    let pool = &world.pool;
    let mut models = world.models();
    models.retain_mut(|model| conditions.iter().all(|&condition| model.holds(pool, condition) == Some(true)));
    if assumed.is_err() {
        prop_assert!(models.is_empty(), "a contradiction is claimed where there is a model");
        return Ok(());
    }
    for &question in &questions {
        if let Some(claim) = domain.decide(pool, question) {
            for model in &mut models {
                let truth = model.holds(pool, question);
                prop_assert!(truth.is_none_or(|truth| truth == claim), "{}", pool.show(question));
            }
        }
    }
    let mut simplifier = Simplifier::new(&domain);
    let pool = &mut world.pool;
    for &term in terms.iter().chain(&questions) {
        let simple = simplifier.simplified(pool, term);
        for model in &mut models {
            let (value, simple) = (model.value(pool, term), model.value(pool, simple));
            prop_assert!(value.is_none() || value == simple, "{}", pool.show(term));
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

/// Assumes conditions on three integers and compares the interval of one of them with the expected bounds.
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
    // Paper 4 returns all integers if the union is empty, which never happens.
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

#[test]
fn shared_subterms_are_looked_at_once() {
    // As a tree, the term has a million parts.
    let mut pool = Pool::new();
    let mut term = pool.fresh_var("x", Sort::Int);
    let mut domain = Domain::new();
    for condition in between(&mut pool, 0, term, 1) {
        domain.assume(&mut pool, condition).expect("no contradiction");
    }
    for level in 1..=20 {
        let condition = pool.fresh_var("c", Sort::Bool);
        let (one, two) = (pool.int(1), pool.int(2));
        let (a, b) = (pool.add(term, one), pool.add(term, two));
        term = pool.ite(condition, a, b);
        // Below some depth, any value is assumed possible.
        let expected = Interval { low: Some(Integer::from(level)), high: Some(Integer::from(2 * level + 1)) };
        assert!(domain.interval(&pool, term) == expected || level > 10);
    }
    let mut formula = pool.fresh_var("d", Sort::Bool);
    for _ in 0..20 {
        let (c, d) = (pool.fresh_var("c", Sort::Bool), pool.fresh_var("d", Sort::Bool));
        let (a, b) = (pool.xor(formula, c), pool.xor(formula, d));
        formula = pool.and(a, b);
    }
    assert_eq!(domain.decide(&pool, formula), None);
}

/// Each time, what was learned goes one condition further.
#[test]
fn conditions_are_learned_from_again() {
    let mut pool = Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| pool.fresh_var(name, Sort::Int));
    let five = pool.int(5);
    let conditions = [pool.le(x, y), pool.le(y, z), pool.le(z, five)];
    let mut domain = Domain::new();
    for condition in conditions {
        assert!(domain.assume(&mut pool, condition).is_ok());
    }
    let highest = |domain: &Domain, pool: &Pool, term: Term| domain.interval(pool, term).high;
    let five = Some(Integer::from(5));
    let mut known = Vec::new();
    for _ in 0..4 {
        known.push([x, y, z].map(|term| highest(&domain, &pool, term) == five));
        let is_more = conditions.map(|condition| domain.refine(&mut pool, condition).unwrap());
        assert_eq!(is_more.contains(&true), known.len() < 3);
    }
    assert_eq!(known, [[false, false, true], [false, true, true], [true; 3], [true; 3]]);
}
