//! Tests of `show`, `bench`, `completions`, and the help.

use crate::{files, main_of, on_examples, program};
use insta::assert_snapshot;
use std::process::{Command, Stdio};

#[test]
fn help() {
    for (name, arguments) in [
        ("aback", "-h"),
        ("check", "check -h"),
        ("replay", "replay -h"),
        ("show", "show -h"),
        ("bench", "bench -h"),
        ("check_long", "check --help"),
    ] {
        assert_snapshot!(format!("help_of_{name}"), on_examples(arguments).ends(0));
    }
}

#[test]
fn version() {
    on_examples("--version").ends(0).says(concat!("aback ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn show_the_program_model() {
    let place = main_of("int x", "if (x > 0) x := x - 1;\n    assert x >= 0;");
    assert_snapshot!(place.run("show ir Main.oox --method Main.main").ends(0));
    place.run("show ir Main.oox").ends(0).says("NullPointerException");
}

#[test]
fn show_what_operations_mean() {
    let place = main_of("int[] a, int i", "a[i] := a[i - 1] / i;");
    let lowered = place.run("show lowered Main.oox --method Main.main").ends(0);
    assert_snapshot!(lowered);
    assert_eq!(lowered.stdout, place.run("show lowered Main.oox").ends(0).stdout);
}

#[test]
fn show_graphs() {
    let place = main_of("int x", "if (x > 0) Main.main(x - 1);");
    let cfg = place.run("show cfg Main.oox").ends(0);
    assert!(cfg.stdout.starts_with("digraph"), "{cfg}");
    assert_eq!(cfg.stdout, place.run("show cfg Main.oox --method Main.main").ends(0).stdout);
    assert_eq!(cfg.stdout, place.run("show cfg Main.oox --at Main.oox:3").ends(0).stdout);
    for which in ["--at Main.oox:3", "--method Main.main", ""] {
        place.run(&format!("show cfg Main.oox --html graph.html {which}")).ends(0);
        let page = std::fs::read_to_string(place.path("graph.html")).unwrap();
        assert!(page.contains("\"name\":\"Main.main(int)\"") && page.contains("function graphOf"), "{page}");
        assert!(!page.contains("GRAPH_"), "{page}");
        std::fs::remove_file(place.path("graph.html")).unwrap();
    }
    place.run("show cfg Main.oox --at Main.oox:30").ends(2).says("there is no code at Main.oox:30");
    place.run("show cfg Main.oox --html no/such.html").ends(2).says("cannot write no/such.html");
    place.run("show ir Main.oox --at Main.oox:3").ends(2).says("--at and --html are for `show cfg`");
    let callgraph = place.run("show callgraph Main.oox --method Main.main").ends(0);
    assert!(callgraph.stdout.starts_with("digraph"), "{callgraph}");
    place.run("show callgraph Main.oox").ends(0);
}

#[test]
fn show_what_is_wrong() {
    main_of("", "x").run("show ir Main.oox").ends(2).says("Main.oox:3").says("error: the program has 1 error");
    main_of("", "").run("show cfg Main.oox --method Main.mian").ends(2).says("(there are Main.main)");
    main_of("", "").run("show everything Main.oox").ends(2).says("[possible values: ir, lowered, cfg, callgraph]");
}

#[test]
fn bench_of_the_examples() {
    let ran = on_examples("bench examples --timeout 300 -v").ends(0);
    ran.says("11 tasks, 11 correct, 0 wrong, 0 unknown, 0 errors");
    on_examples("bench nothing").ends(2).says("cannot read nothing");
}

#[test]
fn bench_of_a_tool_is_repeated_resumed_compared_and_plotted() {
    let definition = "format_version: '2.0'\ninput_files: T.oox\nproperties:\n- property_file: p.prp\n  \
                      expected_verdict: true\n";
    let place = files([("T.oox", "it holds"), ("p.prp", ""), ("T.yml", definition)]);
    let run = |arguments: &str| {
        let mut command = place.command(&format!("bench T.yml --out ran --tool-true holds {arguments}"));
        command.args(["--tool", "cat=cat {inputs}"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        place.finish(command.spawn().unwrap())
    };
    run("--repeat 3").ends(0).says("1 correct");
    let resumed = run("--repeat 3 --resume --baseline ran --plot plot.svg").ends(0);
    resumed.says("Against ran, over the tasks of both: score 2 -> 2").says("Resumed: 1 of these tasks");
    assert!(place.read("plot.svg").contains(">cat: score 2, 1 of 1 tasks solved<"));
    run("--resume").ends(2).says("--repeat: was 3, now 1");
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        on_examples(&format!("completions {shell}")).ends(0).says("timeout");
    }
    on_examples("completions sh").ends(2).says("[possible values: bash,");
}

#[test]
fn manual_pages() {
    let place = files([("file", "")]);
    place.run("man pages").ends(0);
    assert!(place.read("pages/aback.1").contains("aback\\-check(1)"));
    assert!(place.read("pages/aback-check.1").contains("\\-\\-timeout"));
    let has = |command: &str| place.path(&format!("pages/aback-{command}.1")).exists();
    assert!(has("doctor") && !has("man") && !has("worker"), "hidden commands have no page");
    place.run("man file").ends(2).says("cannot write to file");
}

#[test]
fn options_of_another_engine() {
    let place = program("class Main { static void main(int x) { assert x == x; } }");
    let check = |options: &str, ignored: &[&str]| {
        let ran = place.run(&format!("check Main.oox {options}")).ends(0);
        let told: Vec<&str> = ran
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix("warning: ")?.split_once(" has no effect"))
            .map(|told| told.0)
            .collect();
        assert_eq!(told, ignored, "{options}: {ran}");
    };
    check("--unwind 3 --backward paths --encoding arrays --no-facts", &["--backward", "--encoding", "--no-facts"]);
    check("--engine backward --search depth --prune never --depth 900", &["--search", "--prune", "--depth"]);
    check("--engine backward --heap combined", &["--heap"]);
    check("--engine backward --unwind 3 --backward paths --encoding arrays --no-facts", &[]);
    check("--engine forward --search depth --prune never --depth 900", &[]);
    check("--engine auto --unwind 3 --search depth", &[]);
    check("--double-check --unwind 3", &[]);
    let json = place.run("check Main.oox --no-facts --json").ends(0).json();
    assert_eq!(json["diagnostics"][0]["severity"], "warning");
}

#[test]
fn rules_of_simplification_can_be_switched_off() {
    let place = program("class Main { static void main(bool b) { assert b != !b; } }");
    for engine in ["forward", "backward"] {
        let queries = |options: &str| {
            let json = place.run(&format!("check Main.oox --engine {engine} --json {options}")).ends(0).json();
            json["statistics"]["solving"]["queries"].as_u64().expect("a number")
        };
        let known = queries("--no-intervals");
        for without in ["--no-rule eq-bool", "--no-rules"] {
            assert!(queries(&format!("--no-intervals {without}")) > known, "{engine}: what the rule knew is asked");
        }
    }
    place.run("check Main.oox --no-rule nonsense").ends(2).says("the rules are not-const, ");
}

#[test]
fn a_second_engine_checks_a_proof() {
    let place = program("class Main { static void main(int x) { assert x == x; } }");
    // With several jobs, either engine of `auto` may be the first one.
    for (engine, other) in [("forward", "backward"), ("backward", "forward"), ("auto --jobs 1", "backward")] {
        let ran = place.run(&format!("check Main.oox --engine {engine} --double-check")).ends(0);
        ran.says("holds").says(&format!("double check: the {other} engine agrees"));
    }
    let json = place.run("check Main.oox --double-check --json").ends(0).json();
    assert_eq!(json["double_check"]["result"], "agrees");
    assert!(json.get("refuted_proof").is_none());

    let loop_ =
        program("class Main { static void main(int n) { int i := 0; while (i < n) { i := i + 2; } assert i >= 0; } }");
    loop_
        .run("check Main.oox --engine forward --depth 50 --double-check --unwind 2 --loops off")
        .ends(3)
        .says("the backward engine agrees");
}

/// Runs the test of the tool-info module of BenchExec, which needs Python.
#[test]
fn the_module_of_benchexec() {
    let test = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/benchexec/test_aback.py");
    let Ok(ran) = Command::new("python3").arg("-B").arg(test).arg(env!("CARGO_BIN_EXE_aback")).output() else {
        return eprintln!("skipped: there is no python3");
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
