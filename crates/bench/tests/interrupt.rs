//! Tests Ctrl-C. This test has its own file, and thereby its own process, because the signal stops all runs of a
//! process.

mod fake;

use aback_bench::Config;
use fake::{HOLDS, bench, config, tasks};
use std::fs;

#[test]
fn interruption_keeps_what_is_known_and_the_run_goes_on() {
    let folder = tasks(&[
        ("a/First", true, HOLDS),
        ("a/Second", true, "kill -INT $PPID; while :; do sleep 1000; done"),
        ("a/Third", true, HOLDS),
    ]);
    let out = tempfile::tempdir().unwrap();
    let config = Config { out: Some(out.path().to_owned()), resume: true, ..config(&folder) };
    let (summary, printed) = bench(&config);
    let names: Vec<&str> = summary.results.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a/First"]);
    assert!(summary.is_interrupted());
    assert_eq!(summary.exit_status(), 3);
    assert!(printed.ends_with("Interrupted: 2 of 3 tasks are missing\n"), "{printed}");

    fs::write(folder.path().join("a/Second.sh"), HOLDS).unwrap();
    let (resumed, _) = bench(&config);
    assert_eq!((resumed.taken_over, resumed.results.score()), (1, 6));
    assert_eq!(resumed.results.tasks[0], summary.results.tasks[0]);
}
