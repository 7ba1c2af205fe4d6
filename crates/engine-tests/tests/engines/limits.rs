//! Time limits: engines check the clock while they work, also within an operation. No test here depends on real time:
//! the clock counts how often it is read.

use crate::common::{AMPLE, backward, everything, exploration, limited, oox, shown};
use aback_forward::Config;
use aback_symbolic::{Budget, Clock};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A budget whose time is up when its clock has been read `most` times, and the counter of these reads.
fn looks(most: u64) -> (Budget, Arc<AtomicU64>) {
    let looks = Arc::new(AtomicU64::new(0));
    let (start, seen) = (Instant::now(), Arc::clone(&looks));
    let clock = Clock::new(move || {
        let is_up = seen.fetch_add(1, Ordering::Relaxed) + 1 >= most;
        start + Duration::from_secs(if is_up { 2 } else { 0 })
    });
    (Budget { deadline: Some(start + Duration::from_secs(1)), clock, ..Budget::default() }, looks)
}

/// Three operations, one of which builds thousands of terms.
const LARGE: &str = "main(int i, int j) { int[] a := new int[4000]; assume 0 <= i && i < 4000; a[i] := j; assert exists a, k, v : v == j; }";

#[test]
fn one_operation_looks_at_the_clock_many_times() {
    let program = oox(LARGE);
    let query = everything(&program);
    assert_eq!(shown(&program, &exploration(&program, &query, &limited(AMPLE), &Default::default())), "holds");
    // The scheduler of states and the slicing of paths read the clock once or twice.
    let (budget, looks) = looks(6);
    let config = Config { budget, ..Config::default() };
    let solver = aback_smt::Config { check_timeout: Duration::from_secs(60), ..Default::default() };
    let mut chain = aback_smt::Chain::new(&solver).unwrap();
    let found =
        aback_forward::explore(&program, &query, &config, &mut chain, &mut |_| unreachable!("it is not violated"));
    assert_eq!(shown(&program, &found), "gaps: time limit");
    assert!(found.work.operations < 30, "{}", found.work.operations);
    assert!(looks.load(Ordering::Relaxed) < 12, "{}", looks.load(Ordering::Relaxed));
}

/// Reverses a list. Each link may have been written by any earlier write, so that the number of cases is exponential
/// in the length.
#[test]
fn the_first_links_of_a_list_are_turned_around() {
    let program = oox("class Node { Node next; }
         main(Node a) {
             Node l := a; Node r := null; int i := 0;
             while (i < 10 && l != null) { Node t := l.next; l.next := r; r := l; l := t; i := i + 1; }
             assert r == null && a == null || r != null && a != null;
         }");
    let query = everything(&program);
    assert_eq!(shown(&program, &exploration(&program, &query, &limited(AMPLE), &Default::default())), "holds");
    let budget = Budget { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Budget::default() };
    let config = aback_backward::Config { budget, ..aback_backward::Config::default() };
    assert_eq!(shown(&program, &backward(&program, &query, &config).exploration), "holds");
}

/// A limit of nested calls is a bound of both engines where an execution may exceed it, and of neither where none does.
#[test]
fn nested_calls() {
    let program =
        oox("class Main { static int down(int n) { if (n <= 0) { return 0; } int r := Main.down(n - 1); return r; }
        static void main(int n) { if (n > 3) { return; } int r := Main.down(n); assert r == 0; } }");
    let query = everything(&program);
    for (most, expected) in [(4, "gaps: calls nested more than 4 deep"), (5, "holds"), (9, "holds")] {
        let config = Config { call_depth: Some(most), ..limited(AMPLE) };
        let found = exploration(&program, &query, &config, &aback_smt::Config::default());
        assert_eq!(shown(&program, &found), expected, "forward");
        let config = aback_backward::Config { call_depth: Some(most), ..aback_backward::Config::default() };
        let found = backward(&program, &query, &config).exploration;
        assert_eq!(shown(&program, &found), expected, "backward");
    }
}
