//! Tests whole runs with verifiers that are right, wrong, broken, endless or greedy.

mod fake;

use aback_bench::{BenchError, Config, Results, Status, Summary, TaskRecord, Tool, run_to};
use fake::{HOLDS, VIOLATED, bench, config, tasks};
use std::fs;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Runs one task that expects `true`.
fn check(program: &str, change: impl FnOnce(&mut Config)) -> TaskRecord {
    let folder = tasks(&[("a/T", true, program)]);
    let mut config = config(&folder);
    change(&mut config);
    bench(&config).0.results.tasks.remove(0)
}

/// The printed summary, with everything masked that differs from run to run.
fn masked(mut summary: Summary, folder: &TempDir, config: &Config) -> String {
    for (index, task) in summary.results.tasks.iter_mut().enumerate() {
        task.cpu_seconds = index as f64;
        task.memory_bytes = 1_000_000 * index as u64;
    }
    for comparison in &mut summary.comparisons {
        comparison.total_seconds = (10.0, 5.0);
        comparison.median_seconds = (1.0, 2.0);
    }
    let program = config.program.as_ref().unwrap();
    summary
        .to_string()
        .replace(&folder.path().display().to_string(), "FOLDER")
        .replace(&program.display().to_string(), "VERIFIER")
}

#[test]
fn the_summary_of_all_kinds_of_answers() {
    let folder = tasks(&[
        ("good/Proved", true, HOLDS),
        ("good/Found", false, VIOLATED),
        ("good/Bounds", true, r#"echo '{"verdict": "holds within bounds", "reason": "10 unwindings"}'; exit 3"#),
        ("good/Solver1", true, r#"echo '{"verdict": "unknown", "reason": "solver"}'; exit 3"#),
        ("good/Solver2", false, r#"echo '{"verdict": "unknown", "reason": "solver"}'; exit 3"#),
        ("wrong/Alarm", true, VIOLATED),
        ("wrong/Missed", false, "echo loading >&2; echo solving >&2; echo '{\"verdict\":\n\"holds\"}'"),
        ("broken/Garbage", true, "echo hello"),
        ("broken/Silent", true, "exit 0"),
        ("broken/Crash", true, "echo assertion failed >&2; kill -SEGV $$"),
        ("broken/Refused", true, "echo 'T.sh:1:1: syntax error' >&2; echo '  help' >&2; exit 2"),
        ("broken/Disagrees", true, r#"echo '{"verdict": "holds", "reason": ""}'; exit 1"#),
    ]);
    fs::remove_file(folder.path().join("broken/Silent.sh")).unwrap();
    fs::write(folder.path().join("all.set"), "*/*.yml\nnothing/*.yml").unwrap();
    let mut config = config(&folder);
    config.tasks = vec![folder.path().join("all.set")];
    config.jobs = 2;
    let (summary, _) = bench(&config);
    assert_eq!(summary.exit_status(), 1);
    insta::assert_snapshot!(masked(summary, &folder, &config));
}

#[test]
fn exit_statuses() {
    let exit_status = |program: &str| bench(&config(&tasks(&[("a/T", true, program)]))).0.exit_status();
    assert_eq!(exit_status(HOLDS), 0);
    assert_eq!(exit_status(r#"echo '{"verdict": "unknown"}'; exit 3"#), 0);
    assert_eq!(exit_status(VIOLATED), 1);
    assert_eq!(exit_status("exit 101"), 3);
}

#[test]
fn the_verifier_gets_the_task_and_the_options() {
    let folder = tasks(&[("a/T", true, r#"echo "$@" >&2; exit 3"#)]);
    let config = Config { check_options: vec!["--heap".into(), "a b".into()], ..config(&folder) };
    let (summary, _) = bench(&config);
    let root = folder.path().display();
    let arguments = format!("check {root}/a/T.sh --property {root}/assert.prp --timeout 600 --json --heap");
    assert_eq!(summary.failures[0].stderr, format!("{arguments} a b\n"));
    assert!(summary.results.tasks[0].command_line().ends_with(&format!("{arguments} 'a b'")));
}

#[test]
fn an_endless_verifier_is_killed_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The pipe ends when the last process that writes to it has ended.
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::File::open(pipe).unwrap().read_to_end(&mut Vec::new()).unwrap()
    });
    let program = format!("exec > '{}'; sleep 1000000 & echo started; wait; sleep 1000000", pipe.display());
    let record = check(&program, |config| {
        config.timeout = Duration::from_millis(200);
        config.grace = Duration::ZERO;
    });
    // If the verifier did not reach the pipe, the reader still waits for someone to open it.
    while !reader.is_finished() {
        drop(fs::OpenOptions::new().read(true).write(true).open(&pipe));
        std::thread::yield_now();
    }
    reader.join().unwrap();
    assert_eq!((record.status, record.score), (Status::Timeout, 0));
    assert_eq!(record.reason, "killed after 0.2 s");
}

#[test]
fn stragglers_do_not_delay_the_answer() {
    let record = check(&format!("sleep 1000000 & {HOLDS}"), |_| {});
    assert_eq!(record.status, Status::CorrectTrue);
}

#[test]
fn memory_is_limited() {
    let limit = |config: &mut Config| config.memory_limit = Some(1 << 30);
    let record = check(r#"echo "{\"verdict\": \"unknown\", \"reason\": \"$(ulimit -v) KiB\"}"; exit 3"#, limit);
    assert_eq!(record.reason, "1048576 KiB");

    let record = check("dd if=/dev/zero of=/dev/null bs=8G count=1", limit);
    assert_eq!((record.status, record.score), (Status::OutOfMemory, 0));
}

#[test]
fn time_and_memory_are_measured() {
    let record = check(&format!("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; {HOLDS}"), |_| {});
    assert!(record.cpu_seconds > 0.0 && record.wall_seconds > 0.0 && record.memory_bytes > 0, "{record:?}");
}

#[test]
fn results_are_stored() {
    let folder =
        tasks(&[("a/T", true, HOLDS), ("b/T", false, "echo so >&2; echo '{\"verdict\": \"violated\"}'; exit 1")]);
    let out = tempfile::tempdir().unwrap();
    let (summary, printed) = bench(&Config { out: Some(out.path().join("new")), ..config(&folder) });
    let read = |name: &str| fs::read_to_string(out.path().join("new").join(name)).unwrap();
    assert_eq!(Results::read(&out.path().join("new/results.json")).unwrap(), summary.results);
    assert_eq!(read("table.txt"), printed);
    assert_eq!(read("logs/b/T.assert.stdout"), "{\"verdict\": \"violated\"}\n");
    assert_eq!(read("logs/b/T.assert.stderr"), "so\n");
    let quantile = read("quantile.csv");
    let (header, points) = quantile.split_once('\n').unwrap();
    assert_eq!((header, points.lines().count()), ("score,seconds", 2));
    assert!(points.lines().last().unwrap().starts_with("3,"));
}

#[test]
fn a_run_is_compared_with_an_earlier_one() {
    let unknown = r#"echo '{"verdict": "unknown", "reason": "solver"}'; exit 3"#;
    let folder = tasks(&[("a/Same", true, HOLDS), ("a/Better", true, unknown), ("a/Gone", true, HOLDS)]);
    let out = tempfile::tempdir().unwrap();
    bench(&Config { out: Some(out.path().to_owned()), ..config(&folder) });

    fs::write(folder.path().join("a/Better.sh"), HOLDS).unwrap();
    fs::rename(folder.path().join("a/Gone.yml"), folder.path().join("a/New.yml")).unwrap();
    let config = Config { baselines: vec![out.path().join("results.json")], ..config(&folder) };
    let (mut summary, _) = bench(&config);
    summary.comparisons[0].name = "BASELINE".into();
    insta::assert_snapshot!(masked(summary, &folder, &config));
}

#[test]
fn each_task_is_told_as_it_finishes_if_wanted() {
    let folder = tasks(&[("a/T", true, HOLDS), ("a/U", true, HOLDS)]);
    let (_, printed) = bench(&Config { verbose: true, ..config(&folder) });
    let lines: Vec<Vec<&str>> = printed.lines().take(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..3], ["1/2", "correct", "true"]);
    assert_eq!(lines[1][lines[1].len() - 3..], ["a/U", "(assert)", "proved"]);
}

#[test]
fn bad_usage_is_refused_before_anything_runs() {
    let folder = tasks(&[("a/T", true, "exit 101")]);
    let error = |change: &dyn Fn(&mut Config)| {
        let mut config = config(&folder);
        change(&mut config);
        run_to(&config, &mut Vec::new()).unwrap_err()
    };
    assert!(matches!(error(&|config| config.jobs = 0), BenchError::BadLimit(_)));
    assert_eq!(error(&|config| config.jobs = 0).exit_status(), 2);
    assert!(matches!(error(&|config| config.timeout = Duration::ZERO), BenchError::BadLimit(_)));
    assert!(matches!(error(&|config| config.memory_limit = Some(0)), BenchError::BadLimit(_)));
    assert!(matches!(error(&|config| config.tasks.clear()), BenchError::NoTasks(_)));
    assert!(matches!(error(&|config| config.program = Some("/no/such".into())), BenchError::NoProgram(_)));
    assert!(matches!(error(&|config| config.baselines = vec!["/no/such".into()]), BenchError::Read { .. }));
    assert!(matches!(error(&|config| config.plots = vec!["plot.png".into()]), BenchError::NotAPlot(_)));
    assert!(matches!(error(&|config| config.plots = vec!["/dev/null/a.svg".into()]), BenchError::Write { .. }));
    assert!(matches!(error(&|config| config.out = Some("/dev/null/out".into())), BenchError::Write { .. }));
}

/// A verifier that gives the first answer once, and then the second one. It counts its runs in a file.
fn alternating(first: &str, second: &str) -> String {
    format!(r#"n="$2.ran"; if [ -e "$n" ]; then {second}; else : > "$n"; {first}; fi"#)
}

const UNKNOWN: &str = r#"echo '{"verdict": "unknown", "reason": "solver"}'; exit 3"#;

#[test]
fn repeated_tasks_have_medians_and_keep_all_measurements() {
    let folder = tasks(&[("a/T", true, HOLDS)]);
    let (summary, printed) = bench(&Config { repeat: NonZeroUsize::new(3).unwrap(), ..config(&folder) });
    assert_eq!(summary.results.repeat.get(), 3);
    let task = &summary.results.tasks[0];
    assert_eq!((task.status, task.score, task.runs.len()), (Status::CorrectTrue, 2, 3));
    let mut walls: Vec<f64> = task.runs.iter().map(|run| run.wall_seconds).collect();
    walls.sort_by(f64::total_cmp);
    assert_eq!(task.wall_seconds, walls[1]);
    assert_eq!(task.memory_bytes, task.runs.iter().map(|run| run.memory_bytes).max().unwrap());
    assert!(!task.is_unstable() && !printed.contains("UNSTABLE"), "{printed}");
}

#[test]
fn tasks_whose_answers_differ_are_unstable_and_have_the_worst_one() {
    let check = |first: &str, second: &str, status: Status, line: &str| {
        let folder = tasks(&[("a/T", true, &alternating(first, second))]);
        let (summary, printed) = bench(&Config { repeat: NonZeroUsize::new(3).unwrap(), ..config(&folder) });
        assert_eq!((summary.results.tasks[0].status, summary.results.score()), (status, status.score()));
        assert!(printed.contains(&format!("\nUNSTABLE a/T (assert): {line}\n")), "{printed}");
    };
    check(HOLDS, UNKNOWN, Status::Unknown, "1 x correct true, 2 x unknown");
    check("exit 101", UNKNOWN, Status::Error, "1 x error, 2 x unknown");
    check(VIOLATED, "exit 101", Status::WrongFalse, "2 x error, 1 x wrong false");
    let bounds = r#"echo '{"verdict": "holds within bounds"}'; exit 3"#;
    check(bounds, UNKNOWN, Status::Unknown, "1 x holds within bounds, 2 x unknown");
}

#[test]
fn the_output_of_each_repetition_is_kept() {
    let folder = tasks(&[("a/T", true, &alternating("echo first >&2; exit 101", HOLDS))]);
    let out = tempfile::tempdir().unwrap();
    let repeat = NonZeroUsize::new(2).unwrap();
    let (summary, _) = bench(&Config { repeat, out: Some(out.path().to_owned()), ..config(&folder) });
    assert_eq!(summary.failures[0].stderr, "first\n");
    assert_eq!(fs::read_to_string(out.path().join("logs/a/T.assert.1.stderr")).unwrap(), "first\n");
    assert!(fs::read_to_string(out.path().join("logs/a/T.assert.2.stdout")).unwrap().contains("holds"));
}

#[test]
fn several_baselines_are_compared_and_plotted() {
    let folder = tasks(&[("a/Won", true, UNKNOWN), ("a/Lost", true, HOLDS), ("a/Same", true, "exit 101")]);
    let out = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        bench(&Config { out: Some(out.path().join(name)), ..config(&folder) });
    };
    write("first");
    fs::write(folder.path().join("a/Won.sh"), HOLDS).unwrap();
    write("second <&>");
    fs::write(folder.path().join("a/Lost.sh"), VIOLATED).unwrap();
    fs::write(folder.path().join("a/Same.sh"), UNKNOWN).unwrap();

    let baselines = vec![out.path().join("first"), out.path().join("second <&>/results.json")];
    let plots = vec![out.path().join("new/plot.svg"), out.path().join("plot.html")];
    let config = Config { baselines, plots, ..config(&folder) };
    let (summary, printed) = bench(&config);
    let won = "Against first, over the tasks of both: score 2 -> -14\n  won (1):\n    a/Won (assert): unknown -> correct \
               true (proved)\n  lost (1):\n    a/Lost (assert): correct true -> wrong false (x = 1)\n  changed (1):\n    \
               a/Same (assert): error -> unknown (solver)\n\nAgainst second <&>, over the tasks of both: score 4 -> -14\n  \
               lost (1):\n";
    assert!(printed.contains(won), "{printed}");
    assert_eq!(summary.comparisons.len(), 2);

    for plot in &config.plots {
        let plot = fs::read_to_string(plot).unwrap();
        for name in ["this run: score -14, 1 of 3", "first: score 2, 1 of 3", "second &lt;&amp;&gt;: score 4, 2 of 3"] {
            assert!(plot.contains(&format!(">{name} tasks solved</text>")), "{plot}");
        }
    }

    // The curve of a run has the name of the folder of its results.
    let config = Config { out: Some(out.path().join("third")), ..config };
    bench(&config);
    let plot = fs::read_to_string(&config.plots[0]).unwrap();
    assert!(plot.contains(">third (this run): score -14, ") && plot.contains(">first: score 2, "), "{plot}");
}

/// A verifier that notes each run in a file, and then goes on as `program`.
fn noted(program: &str) -> String {
    format!("echo ran >> \"$2.ran\"; {program}")
}

/// How often each of these tasks was run.
fn runs(folder: &TempDir, names: &[&str]) -> Vec<usize> {
    let count = |name| fs::read_to_string(folder.path().join(name)).map_or(0, |text| text.lines().count());
    names.iter().map(|name| count(format!("{name}.sh.ran"))).collect()
}

#[test]
fn a_resumed_run_takes_over_what_has_not_changed() {
    let proved = noted(HOLDS);
    let crashes = noted("echo why >&2; exit 101");
    let folder = tasks(&[("a/Same", true, &proved), ("a/Failed", true, &crashes), ("a/Changed", true, &crashes)]);
    let out = tempfile::tempdir().unwrap();
    let repeat = NonZeroUsize::new(2).unwrap();
    let config = Config { out: Some(out.path().to_owned()), resume: true, repeat, ..config(&folder) };
    let (first, printed) = bench(&config);
    assert!(!printed.contains("Resumed"), "{printed}");

    fs::write(folder.path().join("a/Changed.sh"), &proved).unwrap();
    let (second, printed) = bench(&config);
    assert_eq!(runs(&folder, &["a/Same", "a/Failed", "a/Changed"]), [2, 2, 4]);
    assert_eq!(second.taken_over, 2);
    assert!(printed.ends_with("\nResumed: 2 of these tasks had finished before\n"), "{printed}");
    // The tasks are in the order of their names.
    assert_eq!(second.results.tasks[1..], first.results.tasks[1..]);
    assert_eq!(second.failures, first.failures[1..]);
    assert_eq!(second.failures[0].stderr, "why\n");
    assert_eq!(Results::read(&out.path().join("results.json")).unwrap(), second.results);

    // Without `resume`, all tasks run.
    bench(&Config { resume: false, ..config });
    assert_eq!(runs(&folder, &["a/Same", "a/Failed", "a/Changed"]), [4, 4, 6]);
}

#[test]
fn what_was_cut_when_a_run_was_killed_runs_again() {
    let folder = tasks(&[("a/First", true, &noted(HOLDS)), ("a/Second", true, &noted(HOLDS))]);
    let out = tempfile::tempdir().unwrap();
    let config = Config { out: Some(out.path().to_owned()), resume: true, ..config(&folder) };
    bench(&config);
    let journal = out.path().join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &text[..text.len() - 10]).unwrap();
    assert_eq!(bench(&config).0.taken_over, 1);
    assert_eq!(runs(&folder, &["a/First", "a/Second"]), [1, 2]);
}

#[test]
fn a_run_is_not_resumed_with_other_settings() {
    let folder = tasks(&[("a/T", true, HOLDS)]);
    let out = tempfile::tempdir().unwrap();
    let config = Config { out: Some(out.path().to_owned()), resume: true, ..config(&folder) };
    bench(&config);
    let other = Config {
        timeout: Duration::from_millis(1500),
        check_options: vec!["--depth".into(), "a b".into()],
        memory_limit: Some(1 << 30),
        program: Some("/bin/echo".into()),
        ..config.clone()
    };
    let error = run_to(&other, &mut Vec::new()).unwrap_err();
    assert_eq!(error.exit_status(), 2);
    let message = error.to_string();
    let journal = out.path().join("journal.jsonl").display().to_string();
    assert!(message.starts_with(&format!("the run of {journal} had other settings; repeat them")), "{message}");
    for difference in [
        "\n  --memory: was not set, now 1073741824 bytes\n",
        "\n  --timeout: was 600 s, now 1.5 s\n",
        "\n  further options: was none, now --depth 'a b'\n",
        "\n  modification time of the program: was ",
        "-verifier, now /bin/echo\n",
    ] {
        assert!(message.contains(difference), "{difference} in {message}");
    }
    assert!(!message.contains("--jobs"), "{message}");
    assert!(matches!(run_to(&Config { out: None, ..config }, &mut Vec::new()), Err(BenchError::NoFolder)));
}

#[test]
fn an_external_tool_runs_and_its_output_tells_the_verdict() {
    let folder = tasks(&[
        ("a/Alarm", true, "echo 'Result: FALSE'"),
        ("a/Found", false, "echo 'Result: FALSE'; exit 2"),
        ("a/Proved", true, "echo 'Result: TRUE' >&2; kill -SEGV $$"),
        ("a/Silent", true, "exit 5"),
        ("a/Words", true, "echo \"$@\" >&2"),
    ]);
    let definition = "other tool=/bin/sh -u {inputs} 'time {timeout}' --property={property}";
    let tool = Tool::new(definition, vec!["Result: TRUE".into()], vec!["Result: FALSE".into()]).unwrap();
    let out = tempfile::tempdir().unwrap();
    let config = Config {
        tool: Some(tool),
        check_options: vec!["--last".into()],
        out: Some(out.path().to_owned()),
        plots: vec![out.path().join("plot.svg")],
        ..config(&folder)
    };
    let (summary, _) = bench(&config);
    let found: Vec<String> =
        summary.results.tasks.iter().map(|task| format!("{}: {}", task.status, task.reason)).collect();
    let unknown = |exit: &str| format!("unknown: the output says neither true nor false (exit status: {exit})");
    assert_eq!(found, ["wrong false: ", "correct false: ", "correct true: ", &unknown("5"), &unknown("0")]);
    let words = fs::read_to_string(out.path().join("logs/a/Words.assert.stderr")).unwrap();
    assert_eq!(words, format!("time 600 --property={}/assert.prp --last\n", folder.path().display()));
    assert_eq!(Results::read(&out.path().join("results.json")).unwrap().tool.as_deref(), Some("other tool"));
    assert!(fs::read_to_string(out.path().join("plot.svg")).unwrap().contains(">other tool: score -13, 2 of 5"));

    let other = Tool::new(definition, vec!["TRUE".into()], vec!["Result: FALSE".into()]).unwrap();
    let error = run_to(&Config { tool: Some(other), resume: true, ..config }, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.ends_with("\n  --tool-true: was 'Result: TRUE', now TRUE"), "{error}");
}

#[test]
fn a_tool_is_limited_as_every_verifier_is() {
    let tool = || Tool::new("t=/bin/sh {inputs}", vec!["TRUE".into()], vec![]).unwrap();
    let record = check("echo TRUE; sleep 1000000", |config| {
        config.tool = Some(tool());
        config.timeout = Duration::from_millis(200);
        config.grace = Duration::ZERO;
    });
    assert_eq!(record.status, Status::Timeout);
    let record = check("echo java.lang.OutOfMemoryError >&2; exit 1", |config| {
        config.tool = Some(tool());
        config.memory_limit = Some(1 << 30);
    });
    assert_eq!(record.status, Status::OutOfMemory);
}

/// The published figures in the repository can be read, and are shown beside a run.
#[test]
fn published_figures_stand_beside_a_run() {
    let folder = tasks(&[("a/T", true, HOLDS), ("a/U", false, VIOLATED)]);
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/published/paper-4-table-4.16.json");
    let out = tempfile::tempdir().unwrap();
    let page = out.path().join("plot.html");
    let config = Config { published: vec![published], plots: vec![page.clone()], ..config(&folder) };
    insta::assert_snapshot!(masked(bench(&config).0, &folder, &config));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<th>JBMC (published)</th><td>81</td><td>7</td><td>46</td>"), "{page}");

    let missing = Config { published: vec!["/no/such".into()], ..config };
    assert!(matches!(run_to(&missing, &mut Vec::new()).unwrap_err(), BenchError::Read { .. }));
}
