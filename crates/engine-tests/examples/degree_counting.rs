//! Measures degree counting (paper 1, section 5, table 3) in all variants of the backward engine.
//!
//! `cargo run --release -p aback-engine-tests --example degree_counting [default|literal [MOST [COLUMN]]]` prints
//! Markdown tables for one configuration: times in milliseconds (the median of five runs, or one long run) next to
//! the paper's times, then sizes. The tables have all lists of up to `MOST` nodes (default 12, literal 6), and only
//! the given column if there is one.

use aback_backward::{Config, Encoding, Findings, Variant};
use aback_engine_tests::{assertions, backward, oox};
use aback_symbolic::Budget;
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("../../../examples/DegreeCounting.oox");
/// Time limit for one run on a row of the paper, whose slowest time is 81 s, and on any other row.
const LIMITS: [Duration; 2] = [Duration::from_secs(120), Duration::from_secs(5)];
/// Runs that take longer than this are not repeated.
const LONG: Duration = Duration::from_secs(5);
/// The variants, in the order of the paper's columns; then one from paper 2, and the combination that paper 1 suggests.
const COLUMNS: [(&str, Variant); 8] = [
    ("disj-set", Variant::DisjSet),
    ("disj-term", Variant::DisjTerm),
    ("disj-combined", Variant::DisjCombined),
    ("conj-never", Variant::ConjNever),
    ("conj-always", Variant::ConjAlways),
    ("conj-loops", Variant::ConjLoops),
    ("paths", Variant::Paths),
    ("mixed", Variant::Mixed),
];
/// The rows of the paper: the limit, the number of nodes, and the milliseconds by column.
const PAPER: [(u32, u32, [u32; 6]); 12] = [
    (0, 3, [298, 775, 668, 18, 55, 20]),
    (1, 3, [302, 773, 688, 21, 60, 26]),
    (2, 3, [284, 752, 675, 15, 59, 20]),
    (1, 4, [2062, 1225, 791, 31, 119, 46]),
    (2, 4, [2075, 1152, 822, 43, 121, 53]),
    (3, 4, [1949, 874, 754, 25, 115, 32]),
    (2, 5, [13334, 1856, 1287, 91, 242, 102]),
    (3, 5, [13381, 1947, 1360, 85, 232, 99]),
    (4, 5, [13226, 1764, 1125, 40, 246, 50]),
    (3, 6, [81282, 4728, 4052, 200, 469, 219]),
    (4, 6, [80853, 4566, 4214, 161, 427, 178]),
    (5, 6, [80915, 3116, 2364, 62, 390, 78]),
];

/// The encoding of the heap, whether forward facts make the graph smaller, and the default `MOST`.
#[derive(Clone, Copy)]
struct Configuration {
    encoding: Encoding,
    facts: bool,
    most: u32,
}

/// The default settings of aback.
const DEFAULT: Configuration = Configuration { encoding: Encoding::Reads, facts: true, most: 12 };
/// Paper 1's figures, implemented literally.
const LITERAL: Configuration = Configuration { encoding: Encoding::Arrays, facts: false, most: 6 };

/// The median time of five runs, and the findings of the last one; `None` if it took too long.
fn measure(
    (limit, count): (u32, u32),
    variant: Variant,
    configuration: Configuration,
    most: Duration,
) -> Option<(Duration, Findings)> {
    let program = oox(&format!(
        "{SOURCE} class Case {{ static void run(Node list) {{ DegreeCounting.check(list, {limit}, {count}); }} }}"
    ));
    let query = assertions(&program, "Case.run", None);
    let mut times = Vec::new();
    let mut last = Findings::default();
    while times.len() < 5 && times.last().is_none_or(|&time| time < LONG) {
        let start = Instant::now();
        let budget = Budget { deadline: Some(start + most), ..Budget::default() };
        let Configuration { encoding, facts, .. } = configuration;
        last = backward(&program, &query, &Config { variant, encoding, facts, budget, ..Config::default() });
        times.push(start.elapsed());
        if !last.exploration.gaps.is_empty() {
            return None;
        }
        assert_eq!(last.exploration.violation.is_some(), limit + 2 <= count, "({limit}, {count}) by {variant:?}");
    }
    times.sort_unstable();
    Some((times[times.len() / 2], last))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut configuration = match arguments.next().as_deref() {
        Some("literal") => LITERAL,
        _ => DEFAULT,
    };
    if let Some(most) = arguments.next().and_then(|most| most.parse().ok()) {
        configuration.most = most;
    }
    let only = arguments.next();
    let chosen = |name: &str| only.as_ref().is_none_or(|only| only == name);
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(|&column| chosen(COLUMNS[column].0)).collect();
    let names: Vec<&str> = columns.iter().map(|&column| COLUMNS[column].0).collect();
    let of_paper = PAPER.iter().map(|&(limit, count, times)| (limit, count, Some(times)));
    let beyond = (7..=configuration.most).flat_map(|count| (count - 3..count).map(move |limit| (limit, count, None)));
    println!("| (a, b) | {} |\n| --- |{}", names.join(" | "), " --- |".repeat(names.len()));
    let mut given_up = [false; COLUMNS.len()];
    let mut sizes = Vec::new();
    for (limit, count, paper) in of_paper.chain(beyond).filter(|&(_, count, _)| count <= configuration.most) {
        let mut cells = Vec::new();
        let (mut row, mut nodes) = (Vec::new(), "–".to_string());
        for &column in &columns {
            let most = LIMITS[usize::from(paper.is_none())];
            let found = match given_up[column] {
                true => None,
                false => measure((limit, count), COLUMNS[column].1, configuration, most),
            };
            // A variant that gives up on a few nodes also gives up on more.
            given_up[column] |= found.is_none() && paper.is_none();
            let (time, size) = match found {
                Some((time, findings)) => {
                    nodes = findings.nodes.to_string();
                    (format!("{:.1}", time.as_secs_f64() * 1e3), findings.size.to_string())
                }
                None => ("–".into(), "–".into()),
            };
            let papers = paper.and_then(|times| times.get(column).copied());
            cells.push(papers.map_or(time.clone(), |paper| format!("{time} / {paper}")));
            row.push(size);
        }
        println!("| ({limit}, {count}) | {} |", cells.join(" | "));
        sizes.push(format!("({limit}, {count}) | {nodes} | {}", row.join(" | ")));
    }
    println!("\n| (a, b) | nodes | {} |\n| --- | --- |{}", names.join(" | "), " --- |".repeat(names.len()));
    for row in sizes {
        println!("| {row} |");
    }
}
