//! Tests Ctrl-C. This test has its own file, and thereby its own process, because the signal stops all runs of a
//! process.

mod fake;

use fake::{HOLDS, bench, config, tasks};

#[test]
fn interruption_keeps_what_is_known() {
    let folder = tasks(&[
        ("a/First", true, HOLDS),
        ("a/Second", true, "kill -INT $PPID; while :; do sleep 1000; done"),
        ("a/Third", true, HOLDS),
    ]);
    let (summary, printed) = bench(&config(&folder));
    let names: Vec<&str> = summary.results.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a/First"]);
    assert!(summary.is_interrupted());
    assert_eq!(summary.exit_status(), 3);
    assert!(printed.ends_with("Interrupted: 2 of 3 tasks are missing\n"), "{printed}");
}
