//! Measures degree counting (paper 1, section 5, table 3) in all variants of the backward engine.
//!
//! `cargo run --release -p aback-engine-tests --example degree_counting [MOST [COLUMN]]` prints Markdown tables for all lists of
//! up to `MOST` nodes (12 by default): milliseconds (median of five), then sizes; of one column if it is named.

use aback_backward::{Config, Findings, HeapModel, Variant};
use aback_engine_tests::{assertions, backward, oox};
use aback_symbolic::Budget;
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("../../../examples/DegreeCounting.oox");
/// Most time for one run. A variant that takes longer is not tried on lists beyond those of the paper.
const LIMIT: Duration = Duration::from_secs(5);
/// The rows of the paper: the limit and the number of nodes.
const PAPER: [(u32, u32); 12] =
    [(0, 3), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4), (2, 5), (3, 5), (4, 5), (3, 6), (4, 6), (5, 6)];
const COLUMNS: [(&str, Variant, HeapModel); 9] = [
    ("disj-set", Variant::DisjSet, HeapModel::Reads),
    ("disj-term", Variant::DisjTerm, HeapModel::Reads),
    ("disj-combined", Variant::DisjCombined, HeapModel::Reads),
    ("conj-never", Variant::ConjNever, HeapModel::Reads),
    ("conj-always", Variant::ConjAlways, HeapModel::Reads),
    ("conj-loops", Variant::ConjLoops, HeapModel::Reads),
    ("paths", Variant::Paths, HeapModel::Reads),
    ("conj-never, arrays", Variant::ConjNever, HeapModel::Arrays),
    ("disj-term, arrays", Variant::DisjTerm, HeapModel::Arrays),
];

/// The median time of five runs, and what the last one found; `None` if it took too long.
fn measure(limit: u32, count: u32, variant: Variant, heap: HeapModel) -> Option<(Duration, Findings)> {
    let program = oox(&format!(
        "{SOURCE} class Case {{ static void run(Node list) {{ DegreeCounting.check(list, {limit}, {count}); }} }}"
    ));
    let query = assertions(&program, "Case.run", None);
    let mut times = Vec::new();
    let mut last = Findings::default();
    for _ in 0..5 {
        let start = Instant::now();
        let budget = Budget { deadline: Some(start + LIMIT), ..Budget::default() };
        last = backward(&program, &query, &Config { variant, heap, budget, ..Config::default() });
        times.push(start.elapsed());
        if !last.exploration.gaps.is_empty() {
            return None;
        }
        assert_eq!(last.exploration.violation.is_some(), limit + 2 <= count, "({limit}, {count}) by {variant:?}");
    }
    times.sort_unstable();
    Some((times[2], last))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let most: u32 = arguments.next().and_then(|most| most.parse().ok()).unwrap_or(12);
    let only = arguments.next();
    let columns = COLUMNS.iter().filter(|(name, ..)| only.as_ref().is_none_or(|only| only == name));
    let columns: Vec<_> = columns.copied().collect();
    let beyond = (7..=most).flat_map(|count| [(count - 3, count), (count - 2, count), (count - 1, count)]);
    let rows: Vec<(u32, u32)> = PAPER.into_iter().filter(|&(_, count)| count <= most).chain(beyond).collect();
    let names: Vec<&str> = columns.iter().map(|&(name, ..)| name).collect();
    println!("| (a, b) | {} |\n| --- |{}", names.join(" | "), " --- |".repeat(names.len()));
    let mut given_up = vec![false; columns.len()];
    let mut sizes = Vec::new();
    for &(limit, count) in &rows {
        let mut cells = Vec::new();
        let (mut row, mut nodes) = (Vec::new(), "–".to_string());
        for (column, &(_, variant, heap)) in columns.iter().enumerate() {
            let found = if given_up[column] { None } else { measure(limit, count, variant, heap) };
            given_up[column] |= found.is_none() && count > 6;
            match found {
                Some((time, findings)) => {
                    cells.push(format!("{:.1}", time.as_secs_f64() * 1e3));
                    nodes = findings.nodes.to_string();
                    row.push(findings.size.to_string());
                }
                None => {
                    cells.push("–".into());
                    row.push("–".into());
                }
            }
        }
        println!("| ({limit}, {count}) | {} |", cells.join(" | "));
        sizes.push(format!("({limit}, {count}) | {nodes} | {}", row.join(" | ")));
    }
    println!("\n| (a, b) | nodes | {} |\n| --- | --- |{}", names.join(" | "), " --- |".repeat(names.len()));
    for row in sizes {
        println!("| {row} |");
    }
}
