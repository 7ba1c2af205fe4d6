//! Checks that a term means the same as the expression it is built from, whichever rules are enabled.

mod common;

use aback_logic::{Evaluator, Pool, Rule};
use common::{Choices, Expr, KINDS, Values, Variables};
use proptest::prelude::*;

/// Compares the term with the expression under the values, with some rules disabled.
fn check(choices: &[u16], off: &[Rule]) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(choices);
    let kind = KINDS[choices.next(KINDS.len())];
    let values = Values::random(&mut choices);
    let expression = Expr::random(&mut choices, kind);
    let mut pool = Pool::new();
    let variables = Variables::new(&mut pool);
    for &rule in off {
        pool.set_rule(rule, false);
    }
    let Some(expected) = expression.interpret(&values) else {
        return Ok(());
    };
    let term = expression.build(&mut pool, &variables);
    let value = Evaluator::new(values.model(&pool, &variables)).value(&pool, term);
    prop_assert_eq!(value, Some(expected.value(kind)), "{}", pool.show(term));
    Ok(())
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 200..500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_rules(choices in choices()) {
        check(&choices, &[])?;
    }

    #[test]
    fn no_rules(choices in choices()) {
        check(&choices, Rule::ALL)?;
    }

    #[test]
    fn one_rule_off(choices in choices(), rule in 0..Rule::ALL.len()) {
        check(&choices, &[Rule::ALL[rule]])?;
    }

    #[test]
    fn one_rule_on(choices in choices(), rule in 0..Rule::ALL.len()) {
        let off: Vec<Rule> = Rule::ALL.iter().copied().filter(|&other| other != Rule::ALL[rule]).collect();
        check(&choices, &off)?;
    }

    #[test]
    fn some_rules(choices in choices(), off in any::<u64>()) {
        let off: Vec<Rule> = Rule::ALL.iter().copied().filter(|&rule| off >> (rule as u8) & 1 == 1).collect();
        check(&choices, &off)?;
    }
}
