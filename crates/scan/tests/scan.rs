//! Scans with workers that are small shell scripts.

use aback_report::ViolationDocument;
use aback_scan::{Answered, Asking, Counts, Effort, End, Event, ScanError, Settings, Store, Stored, open, scan};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A worker about these entry points, whose answer to a question is what this code prints; `$line` is the question.
fn worker(entries: &[&str], code: &str) -> Command {
    let place = r#"{"file":"","line":0,"column":0}"#;
    let entries: Vec<String> = entries.iter().map(|name| format!(r#"{{"name":"{name}","place":{place}}}"#)).collect();
    let opening = format!(r#"{{"loaded":[{}]}}"#, entries.join(","));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("echo '{opening}'; while read -r line; do {code}; done")]);
    command
}

/// Code that answers in this way, after it has said how far it has come.
fn says(rest: &str, is_out_of_time: bool) -> String {
    let reason = if is_out_of_time { "time limit" } else { "" };
    format!(
        "echo '{{\"explored\":{{\"paths\":1,\"operations\":2}}}}'; \
         echo '{{\"answer\":{{\"violations\":[],\"rest\":\"{rest}\",\"reason\":\"{reason}\",\"bounds\":[],\"assumptions\":[],\
         \"is_out_of_time\":{is_out_of_time}}}}}'"
    )
}

fn settings(program: &str) -> Settings {
    Settings { aback: "0".into(), options: Vec::new(), files: program.into() }
}

fn effort(timeout: f64) -> Effort {
    Effort { timeout: Duration::from_secs_f64(timeout), budget: None, violations: 1, confirmation: None, jobs: 2 }
}

/// Violations at a line count, unless it is one that is not shown.
fn counts(violation: &ViolationDocument) -> bool {
    violation.description != "hidden"
}

/// Code that finds as many of these violations as it is asked for, and proves that there are no others if it is asked for more.
fn finds(descriptions: &[&str]) -> String {
    let violation = |(line, text): (usize, &&str)| {
        format!(
            r#"{{"kind":"exception","description":"{text}","place":{{"file":"A.java","line":{line},"column":0}},"entry":"a","shown_inputs":[],"inputs":{{"args":[]}},"path":[],"omitted":[0,0]}}"#
        )
    };
    let all: Vec<String> = (1..).zip(descriptions).map(violation).collect();
    let answer = |found: &[String], rest: &str| {
        let is_cut = rest == "unknown";
        let (all, reason) = (found.join(","), if is_cut { "the limit" } else { "" });
        format!(
            r#"echo '{{"answer":{{"violations":[{all}],"rest":"{rest}","reason":"{reason}","bounds":[],"assumptions":[],"is_out_of_time":false,"is_cut":{is_cut}}}}}'"#
        )
    };
    let cases = (1..=all.len()).map(|asked| format!("*violations*:{asked},*) {};;", answer(&all[..asked], "unknown")));
    format!("case $line in {} *) {};; esac", cases.collect::<String>(), answer(&all, "holds"))
}

/// The answer in a folder about the only entry point.
fn answer_in(folder: &Path) -> Stored {
    let store = Store::open(folder, &settings("p")).expect("a store");
    store.answers().values().next().expect("an answer").clone()
}

fn violations(stored: &Stored) -> usize {
    match &stored.answer {
        Answered::Reply(reply) => reply.violations.len(),
        Answered::Lost(reason) => panic!("{reason}"),
    }
}

/// What became of a scan.
struct Scanned {
    end: End,
    /// The entry points that were asked about, with the time limits, in order of the names.
    asked: Vec<(String, f64)>,
    /// The entry points and their verdicts.
    known: Vec<(String, String)>,
}

fn run(folder: &Path, entries: &[&str], code: &str, effort: &Effort) -> Scanned {
    let interrupt = AtomicBool::new(false);
    let command = || worker(entries, code);
    let (first, entries) = open(command(), &interrupt).expect("a worker");
    let mut store = Store::open(folder, &settings("p")).expect("a store");
    let mut asked = Vec::new();
    let asking = Asking { command: &command, effort, counts: &counts, interrupt: &interrupt };
    let end = scan(&entries, first, asking, &mut store, |event| {
        if let Event::Answer(stored) = event {
            asked.push((stored.entry.clone(), stored.seconds));
        }
    });
    asked.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
    let known = store.answers().values().map(|stored| {
        let verdict = match &stored.answer {
            Answered::Reply(reply) => reply.rest.clone(),
            Answered::Lost(reason) => reason.clone(),
        };
        (stored.entry.clone(), verdict)
    });
    Scanned { end: end.expect("a scan"), asked, known: known.collect() }
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, verdict)| (name.to_string(), verdict.to_string())).collect()
}

#[test]
fn what_needs_more_time_is_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    // The worker decides `hard` with 10 seconds only.
    let code = format!("case $line in *hard*1.0*) {};; *) {};; esac", says("unknown", true), says("holds", false));
    let done = run(folder.path(), &["easy", "hard"], &code, &effort(20.0));
    assert_eq!(done.end, End::Complete);
    assert_eq!(done.known, named(&[("easy", "holds"), ("hard", "holds")]));
    assert_eq!(done.asked, [("easy".to_string(), 1.0), ("hard".to_string(), 1.0), ("hard".to_string(), 10.0)]);
    // The next scan asks nothing.
    let again = run(folder.path(), &["easy", "hard"], &code, &effort(20.0));
    assert!(again.asked.is_empty() && again.known == done.known);
}

#[test]
fn a_longer_time_limit_goes_on_with_what_is_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = says("unknown", true);
    assert_eq!(run(folder.path(), &["a"], &code, &effort(1.0)).asked.len(), 1);
    let more = run(folder.path(), &["a", "b"], &code, &effort(2.0));
    assert_eq!(more.asked, [("a".to_string(), 2.0), ("b".to_string(), 1.0), ("b".to_string(), 2.0)]);
}

#[test]
fn a_worker_that_dies_loses_its_own_question_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = format!("case $line in *bad*) kill -9 $$;; *) {};; esac", says("holds", false));
    let done = run(folder.path(), &["bad", "good", "other"], &code, &effort(1.0));
    let lost = "the process that looked for the answer has ended (signal: 9 (SIGKILL))";
    assert_eq!(done.known, named(&[("bad", lost), ("good", "holds"), ("other", "holds")]));
    let nonsense = run(folder.path(), &["odd"], "echo nonsense", &effort(1.0));
    assert!(nonsense.known.iter().any(|(name, verdict)| name == "odd" && verdict.starts_with("the process")));
}

#[test]
fn a_worker_that_does_not_stop_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = run(folder.path(), &["slow"], "sleep 1000", &effort(0.01));
    assert_eq!(done.known, named(&[("slow", "the process that looked for the answer did not stop at its time limit")]));
}

#[test]
fn a_budget_ends_the_scan() {
    let folder = tempfile::tempdir().expect("a folder");
    let effort = Effort { budget: Some(Duration::ZERO), ..effort(1.0) };
    let done = run(folder.path(), &["a"], &says("holds", false), &effort);
    assert!(done.end == End::OutOfBudget && done.known.is_empty());
}

#[test]
fn an_interrupt_ends_the_scan_and_keeps_the_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let interrupt = AtomicBool::new(false);
    let code = format!("case $line in *slow*) sleep 1000;; *) {};; esac", says("holds", false));
    let command = || worker(&["fast", "slow"], &code);
    let (first, entries) = open(command(), &interrupt).expect("a worker");
    let mut store = Store::open(folder.path(), &settings("p")).expect("a store");
    let one = Effort { jobs: 1, ..effort(1000.0) };
    let asking = Asking { command: &command, effort: &one, counts: &counts, interrupt: &interrupt };
    let end = scan(&entries, first, asking, &mut store, |event| {
        if matches!(event, Event::Answer(_)) {
            interrupt.store(true, Ordering::Relaxed);
        }
    });
    assert_eq!(end.expect("a scan"), End::Interrupted);
    let again = Store::open(folder.path(), &settings("p")).expect("a store");
    assert_eq!(again.answers().keys().collect::<Vec<_>>(), ["fast"]);
}

#[test]
fn answers_of_other_programs_are_not_used_and_torn_lines_are_no_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &["a", "b"], &says("holds", false), &effort(1.0));
    let file = folder.path().join("answers.jsonl");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, &text[..text.len() - 9]).expect("a file");
    let torn = Store::open(folder.path(), &settings("p")).expect("a store");
    assert_eq!(torn.answers().len(), 1);
    // What comes behind the torn line is read.
    let whole = run(folder.path(), &["a", "b"], &says("holds", false), &effort(1.0));
    assert_eq!((whole.asked.len(), whole.known.len()), (1, 2));
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(!text.contains("\n\n"), "{text}");
    assert_eq!(Store::open(folder.path(), &settings("p")).expect("a store").answers().len(), 2);
    assert!(Store::open(folder.path(), &settings("q")).expect("a store").answers().is_empty());
}

#[test]
fn a_program_that_cannot_be_loaded_is_an_error() {
    let interrupt = AtomicBool::new(false);
    let mut command = Command::new("sh");
    command.args(["-c", r#"echo '{"failed":"no such file"}'"#]);
    assert!(matches!(open(command, &interrupt), Err(ScanError::Program(reason)) if reason == "no such file"));
    assert!(matches!(open(Command::new("/no/such/program"), &interrupt), Err(ScanError::Worker(_))));
    let mut command = Command::new("sh");
    command.args(["-c", "exit 3"]);
    assert!(matches!(open(command, &interrupt), Err(ScanError::Worker(_))));
}

#[test]
fn an_interrupt_while_the_program_is_loaded() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 1000"]);
    assert!(matches!(open(command, &AtomicBool::new(true)), Err(ScanError::Interrupted)));
}

#[test]
fn unknown_answers_are_counted_by_their_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &["a", "b"], &says("unknown", true), &effort(1.0));
    let store = Store::open(folder.path(), &settings("p")).expect("a store");
    let counts = Counts::of(store.answers().values());
    assert_eq!(counts.unknown.into_iter().collect::<Vec<_>>(), [("time limit".to_string(), 2)]);
}

/// What ended at the number of violations is asked again with a larger one, and nothing else is.
#[test]
fn a_larger_number_of_violations_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = finds(&["x", "y", "z"]);
    let scan = |violations| run(folder.path(), &["a"], &code, &Effort { violations, ..effort(1.0) }).asked.len();
    assert_eq!((scan(2), violations(&answer_in(folder.path()))), (1, 2));
    assert_eq!(scan(1), 0);
    let counts = Counts::of([&answer_in(folder.path())]);
    assert_eq!((counts.violated, counts.open(), counts.undecided()), (1, 1, 1));
    assert!(counts.to_string().contains("1 can fail (1 perhaps at other places, too)"), "{counts}");
    assert_eq!((scan(10), violations(&answer_in(folder.path()))), (1, 3));
    assert_eq!(Counts::of([&answer_in(folder.path())]).undecided(), 0);
    assert_eq!(scan(20), 0);
}

/// Violations that are not shown do not take the place of others.
#[test]
fn hidden_violations_do_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = finds(&["hidden", "hidden", "hidden", "x", "hidden", "y", "z"]);
    let done = run(folder.path(), &["a"], &code, &Effort { violations: 2, ..effort(1.0) });
    let known = answer_in(folder.path());
    assert_eq!((known.violations, violations(&known), done.end), (6, 6, End::Complete));
    assert!(run(folder.path(), &["a"], &code, &Effort { violations: 2, ..effort(1.0) }).asked.is_empty());
}

/// A hidden violation that is found again and again is one.
#[test]
fn the_same_violation_again_ends_the_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let violation = r#"{\"kind\":\"exception\",\"description\":\"hidden\",\"place\":{\"file\":\"\",\"line\":0,\"column\":0},\"entry\":\"a\",\"shown_inputs\":[],\"inputs\":{\"args\":[]},\"path\":[],\"omitted\":[0,0]}"#;
    let code = format!(
        r#"n=$(echo "$line" | sed 's/.*"violations":\([0-9]*\).*/\1/'); all="{violation}"
        while [ "$n" -gt 1 ]; do all="$all,{violation}"; n=$((n - 1)); done
        echo "{{\"answer\":{{\"violations\":[$all],\"rest\":\"unknown\",\"reason\":\"the limit\",\"bounds\":[],\"assumptions\":[],\"is_out_of_time\":false,\"is_cut\":true}}}}""#
    );
    let done = run(folder.path(), &["a"], &code, &Effort { violations: 2, ..effort(1.0) });
    assert_eq!((done.end, violations(&answer_in(folder.path()))), (End::Complete, 3));
}
