//! Bounds, signals and closed pipes: the program stops at once and prints what it knows.

use crate::{Place, main_of, program};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn endless() -> Place {
    main_of("", "int i := 0;\n    while (true) { i := i + 1; }")
}

#[test]
fn no_time_is_an_honest_unknown() {
    main_of("", "").run("check Main.oox --timeout 0").ends(3).says("unknown").says("time limit");
}

#[test]
fn time() {
    let start = Instant::now();
    endless().run("check Main.oox --timeout 1 --loops off").ends(3).says("because: time limit");
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// A limit of operations gives the same answer each time, whatever the load of the machine.
#[test]
fn operations() {
    let place = main_of("int n", "int i := 0;\n    while (i != n) { i := i + 1; assert i != 4000000; }");
    for engine in ["forward", "backward", "auto"] {
        let asked = || {
            let ran = place.run(&format!("check Main.oox --engine {engine} --max-operations 3000 --json")).ends(3);
            let json = ran.json();
            let (done, solving) = (&json["statistics"]["operations"], &json["statistics"]["solving"]);
            (json["reason"].to_string(), done.as_u64().expect("a number"), solving["queries"].to_string())
        };
        let (reason, done, queries) = asked();
        assert!(reason.contains("limit of 3000 operations"), "{engine}: {reason}");
        assert!((3000..60_000).contains(&done), "{engine}: {done}");
        assert_eq!(asked(), (reason, done, queries), "{engine}");
    }
    place.run("check Main.oox --max-operations 3000").ends(3).says("help: a larger --max-operations lets it go on");
    main_of("int x", "assert x == x;").run("check Main.oox --max-operations 3000").ends(0).says("holds");
}

#[test]
fn memory() {
    let text = "class N { N next; }\nclass Main { static void main() { N n := null; while (true) { N m := new N();\n\
                m.next := n; n := m; } } }";
    program(text).run("check Main.oox --memory 50").ends(3).says("because: memory limit");
}

#[test]
fn bounds_without_measure() {
    for options in
        ["--timeout 1e19", "--memory 99999999999999999", "--depth 18446744073709551615", "--solver-timeout 1e19"]
    {
        main_of("int x", "assert x * x != 50;").run(&format!("check Main.oox --no-models {options}")).ends(0);
    }
}

#[test]
fn depth() {
    endless().run("check Main.oox --depth 0").ends(3).says("holds within bounds");
    endless().run("check Main.oox --depth 1000").ends(3).says("paths of more than 1000 operations");
}

/// Sends a signal once the program has begun its work, which the first logged SMT query shows.
#[cfg(unix)]
fn signalled(signal: &str, options: &str) -> crate::Ran {
    let place = main_of("int n", "assume n * n == n + 132;\n    while (true) { n := n + 1; }");
    let child = place.start(&format!("check Main.oox --loops off --smt-log log --no-models {options}"));
    let begun = || std::fs::read_dir(place.path("log")).is_ok_and(|mut files| files.next().is_some());
    let start = Instant::now();
    while !begun() && start.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    let sent = Instant::now();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let ran = place.finish(child);
    assert!(sent.elapsed() < Duration::from_secs(5));
    ran
}

#[cfg(unix)]
#[test]
fn interruption_prints_what_is_known() {
    signalled("-INT", "").ends(3).says("because: interrupted");
    let ran = signalled("-TERM", "--json").ends(3);
    assert_eq!(ran.json()["reason"], "interrupted");
}

/// Reads one line and closes the pipe, as `head -1` does.
#[test]
fn closed_pipes() {
    let classes: String =
        (0..2000).map(|i| format!("class C{i} {{ int f; void m() {{ this.f := {i}; }} }}\n")).collect();
    let place = program(&(classes + "class Main { static void main() { } }"));
    for arguments in
        ["show ir Main.oox", "show callgraph Main.oox", "completions bash", "check --help", "check Main.oox"]
    {
        let mut child = place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        assert_eq!(output.status.code(), Some(0), "{arguments}");
    }
}
