//! Checks that a grid finds exactly what evaluation finds, value by value.

mod common;

use aback_logic::{Evaluator, Grid, Model, Node, Pool, Search, Term, Values as Column, VarId, word};
use common::small::{LIMIT, World};
use common::{Choices, Expr, KINDS, Values, Variables};
use proptest::prelude::*;

const LANES: usize = 5;

fn id(pool: &Pool, term: Term) -> VarId {
    match pool.node(term) {
        Node::Var(id) => *id,
        other => panic!("{other:?} is no variable"),
    }
}

/// A term of any sort has the right value in one lane and a wrong value in the others. The search must find exactly
/// that lane.
fn lanes(choices: &[u16]) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let kind = KINDS[choices.next(7)];
    let right = choices.next(LANES + 1);
    let models: Vec<Values> = (0..LANES).map(|_| Values::random(&mut choices)).collect();
    let expression = Expr::random(&mut choices, kind);
    let mut pool = Pool::new();
    let variables = Variables::new(&mut pool);
    let term = expression.build(&mut pool, &variables);
    let sort = kind.sort(&mut pool);
    let result = pool.fresh_var("result", sort);
    let formula = pool.eq(result, term);
    let models: Vec<Model> = models.iter().map(|values| values.model(&pool, &variables)).collect();
    let mut results = Vec::new();
    for (lane, model) in models.iter().enumerate() {
        let Some(value) = Evaluator::new(model.clone()).value(&pool, term).as_ref().and_then(word) else {
            return Ok(());
        };
        results.push(if lane == right { value } else { value ^ 1 });
    }
    let mut inputs = vec![(id(&pool, result), Column::Column(results))];
    for variable in pool.free_variables(&[term]) {
        let column: Option<Vec<i64>> = models.iter().map(|model| model.get(variable).and_then(word)).collect();
        let Some(column) = column else {
            return Ok(());
        };
        inputs.push((variable, Column::Column(column)));
    }
    let Some(mut grid) = Grid::new(&pool, &[formula], &inputs, LANES) else {
        return Ok(());
    };
    match grid.search(u64::MAX, &|| false) {
        Search::Found(found) => {
            prop_assert!(right < LANES, "{}", pool.show(formula));
            for variable in pool.free_variables(&[term]) {
                prop_assert_eq!(found.get(variable), models[right].get(variable));
            }
        }
        other => prop_assert!(right == LANES, "{other:?}: {}", pool.show(formula)),
    }
    Ok(())
}

/// All values of a small world, laid out in any way.
fn grids(choices: &[u16]) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let mut world = World::new();
    let formulas: Vec<Term> = (0..1 + choices.next(3)).map(|_| world.bool(&mut choices, 3)).collect();
    let pool = &world.pool;
    let mut lanes = 4;
    let mut inputs = Vec::new();
    let mut columns = 0;
    let all = [(world.ints[0], -LIMIT, LIMIT), (world.ints[1], -LIMIT, LIMIT), (world.bool, 0, 1)];
    for (term, low, high) in all.into_iter().chain(world.vectors.map(|vector| (vector, -4, 3))) {
        let count = (high - low + 1) as u64;
        let values = match choices.next(3) {
            0 if columns == 0 => {
                columns = 1;
                lanes = count as usize;
                Column::Column((low..=high).collect())
            }
            1 if columns == 0 => {
                columns = 1;
                Column::Blocks { low, count }
            }
            _ => Column::Axis { low, count },
        };
        inputs.push((id(pool, term), values));
    }
    let Some(mut grid) = Grid::new(pool, &formulas, &inputs, lanes) else {
        return Ok(());
    };
    let holds = |model: &mut Evaluator| formulas.iter().all(|&formula| model.holds(pool, formula) == Some(true));
    let possible = world.models().iter_mut().any(holds);
    match grid.search(u64::MAX, &|| false) {
        Search::Found(model) => prop_assert!(holds(&mut Evaluator::new(model))),
        Search::Exhausted => prop_assert!(!possible),
        Search::Stopped => prop_assert!(false, "nothing told it to stop"),
    }
    Ok(())
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 200..500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lane_by_lane(choices in choices()) {
        lanes(&choices)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn digit_by_digit(choices in choices()) {
        grids(&choices)?;
    }
}

#[test]
fn a_budget_and_a_request_stop_the_search() {
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", aback_logic::Sort::Int);
    let y = pool.fresh_var("y", aback_logic::Sort::Int);
    let square = pool.mul(x, y);
    let three = pool.int(-1);
    let formula = pool.eq(square, three);
    let axis = |count| Column::Axis { low: 1, count };
    let inputs = [(id(&pool, x), axis(10_000)), (id(&pool, y), axis(10_000))];
    let mut grid = Grid::new(&pool, &[formula], &inputs, 1).expect("it has words");
    assert!(grid.cost() > 1_000_000);
    assert!(matches!(grid.search(1_000, &|| false), Search::Stopped));
    assert!(matches!(grid.search(u64::MAX, &|| true), Search::Stopped));
}
