//! The worked examples of papers 1 and 2 for backward execution: their verdicts and their conditions.

mod degrees;
mod heaps;
mod operations;
mod paper1;
mod paper2;
mod unwinding;

use aback_engine_tests as common;

use aback_backward::{Config, Encoding, Variant};
use aback_ir::Program;
use aback_symbolic::Query;
use std::fmt::Write;

/// The conditions at the nodes as in the papers' figures, from the target on: the operation of the node, and the
/// condition before it.
fn conditions(program: &Program, query: &Query, variant: Variant) -> Vec<(String, String)> {
    let config =
        Config { variant, encoding: Encoding::Arrays, facts: false, show_conditions: true, ..Config::default() };
    let conditions = common::backward(program, query, &config).conditions;
    conditions.into_iter().map(|shown| (shown.operation, shown.condition)).collect()
}

/// The same as text; each node has its name from the paper.
fn table(program: &Program, query: &Query, variant: Variant, names: &[&str]) -> String {
    let rows = conditions(program, query, variant);
    assert_eq!(rows.len(), names.len(), "{rows:#?}");
    let mut text = String::new();
    for ((operation, condition), name) in rows.iter().zip(names) {
        let _ = writeln!(text, "{}", format!("{name}: {operation}").trim_end());
        let _ = writeln!(text, "    {condition}");
    }
    text
}
