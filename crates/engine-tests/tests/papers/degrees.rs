//! Degree counting (paper 1, section 5): the assertion can be violated exactly if `limit + 2 <= count`.

use crate::common::{assertions, backward, oox, shown};
use aback_backward::{Config, Variant};

const SOURCE: &str = include_str!("../../../../examples/DegreeCounting.oox");

#[track_caller]
fn check(variant: Variant, most: u32) {
    let line = SOURCE.lines().position(|line| line.contains("assert ")).expect("an assertion") + 1;
    let violated = format!("violated: assert at {line}");
    for count in 1..=most {
        for limit in 0..count {
            let program = oox(&format!(
                "{SOURCE} class Case {{ static void run(Node list) {{ DegreeCounting.check(list, {limit}, {count}); }} }}"
            ));
            let query = assertions(&program, "Case.run", None);
            let found = backward(&program, &query, &Config { variant, ..Config::default() }).exploration;
            let expected = if limit + 2 <= count { &violated } else { "holds" };
            assert_eq!(shown(&program, &found), expected, "limit {limit}, count {count}");
        }
    }
}

#[test]
fn by_conjunct_combination() {
    check(Variant::ConjNever, 5);
}

#[test]
fn by_conjunct_combination_asked_at_every_node() {
    check(Variant::ConjAlways, 5);
}

#[test]
fn by_disjunct_propagation() {
    check(Variant::DisjTerm, 5);
}
