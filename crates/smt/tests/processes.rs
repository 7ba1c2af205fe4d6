//! Checks solver processes that misbehave: shell scripts that answer nonsense, do not answer, or die.
#![cfg(unix)]

use aback_logic::{Pool, Sort, Term};
use aback_smt::{Check, Interrupter, Portfolio, ProcessSolver, Reason, Solver, Stage, verified};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A solver that is a shell script, and a formula to ask about.
fn pretend(script: &str) -> (ProcessSolver, Pool, Term) {
    let arguments = vec!["-c".to_string(), script.to_string()];
    let solver = ProcessSolver::command("pretended", "sh", arguments, Interrupter::new());
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", Sort::Int);
    let formula = pool.lt(Pool::ZERO, x);
    (solver, pool, formula)
}

/// A script that answers every check with a text.
fn says(answer: &str) -> String {
    format!("while read -r line; do case $line in *check-sat*) printf '%s\\n' '{answer}';; esac; done")
}

#[track_caller]
fn fails(script: &str, expected: &str) {
    let (mut solver, pool, formula) = pretend(script);
    solver.set_time_limit(Some(Duration::from_secs(20)));
    // It fails every time: each check starts it anew.
    for _ in 0..2 {
        match solver.check(&pool, &[formula]) {
            Check::Unknown(Reason::Failed(how)) => assert!(how.contains(expected), "{how}"),
            other => panic!("{other:?}"),
        }
        assert!(solver.model(&pool).is_none() && solver.unsat_core().is_empty());
    }
}

#[test]
fn nonsense() {
    fails(&says("maybe"), "it answered maybe");
    fails(&says("(sat)"), "it answered (sat)");
    fails(&says(")"), "makes no sense");
    fails(&says("(error \"line 5: no such thing\")"), "no such thing");
    fails("printf '\\377\\376\\n'; cat > /dev/null", "makes no sense");
}

#[test]
fn death() {
    fails("exit 3", "the process ended");
    fails("read -r line; kill -9 $$", "the process ended");
    let (mut solver, pool, formula) = {
        let arguments = Vec::new();
        let solver = ProcessSolver::command("absent", "/no/such/solver", arguments, Interrupter::new());
        let (_, pool, formula) = pretend("");
        (solver, pool, formula)
    };
    assert!(matches!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Failed(_))));
}

#[test]
fn silence() {
    for script in ["cat > /dev/null", "exec sleep 1000"] {
        let (mut solver, mut pool, formula) = pretend(script);
        solver.set_time_limit(Some(Duration::from_millis(100)));
        assert_eq!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Timeout));
        // More text than fits into a pipe that nobody reads.
        let mut all = Vec::new();
        for _ in 0..20_000 {
            let y = pool.fresh_var("a variable with quite a long name", Sort::Int);
            all.push(pool.lt(Pool::ZERO, y));
        }
        for formula in all {
            solver.assert(&pool, formula);
        }
        let start = Instant::now();
        assert_eq!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Timeout));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn interruption_ends_the_process() {
    let (mut solver, pool, formula) = pretend("cat > /dev/null");
    let interrupter = solver.interrupter();
    let stopper = std::thread::spawn(move || interrupter.interrupt());
    assert_eq!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Interrupted));
    stopper.join().expect("no panic");
}

#[test]
fn a_model_that_makes_no_sense_is_none() {
    for model in ["(model (define-fun x@0 () Int maybe))", "nothing", "((define-fun x@0 () Int (- 1 2)))"] {
        let script = format!(
            "while read -r line; do case $line in *check-sat*) echo sat;; *get-model*) printf '%s\\n' '{model}';; esac; done"
        );
        let (mut solver, pool, formula) = pretend(&script);
        solver.set_time_limit(Some(Duration::from_secs(20)));
        assert_eq!(solver.check(&pool, &[formula]), Check::Sat);
        let model = solver.model(&pool);
        assert!(model.is_none_or(|model| model.variables().count() == 0));
        assert_eq!(solver.check(&pool, &[formula]), Check::Sat, "it can be asked again");
    }
}

/// A portfolio of shell scripts that note each start in a file, and a formula to ask about.
fn portfolio(scripts: &[&str]) -> (Portfolio, Pool, Term, tempfile::NamedTempFile) {
    let starts = tempfile::NamedTempFile::new().expect("a file");
    let solver = |script: &&str| {
        let script = format!("echo start >> {}\n{script}", starts.path().display());
        ProcessSolver::command("pretended", "sh", vec!["-c".to_string(), script], Interrupter::new())
    };
    let mut portfolio = Portfolio::new(scripts.iter().map(solver).collect(), Interrupter::new());
    portfolio.set_time_limit(Some(Duration::from_secs(20)));
    let mut pool = Pool::new();
    let x = pool.fresh_var("x", Sort::Int);
    let formula = pool.lt(Pool::ZERO, x);
    (portfolio, pool, formula, starts)
}

/// The number of processes that were started.
fn started(starts: &tempfile::NamedTempFile) -> usize {
    std::fs::read_to_string(starts.path()).expect("a text").lines().count()
}

/// Waits until so many processes were started.
#[track_caller]
fn wait_for(starts: &tempfile::NamedTempFile, number: usize) {
    let begin = Instant::now();
    while started(starts) < number {
        assert!(begin.elapsed() < Duration::from_secs(60), "{} were started", started(starts));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Answers the first question after some time, and does not know the answer to others.
const SLOW: &str = "while read -r line; do case $line in *check-sat*) \
                    if [ $n ]; then echo unknown; else n=1; sleep 0.5; echo unsat; fi;; esac; done";

#[test]
fn the_first_answer_counts() {
    let (mut solver, pool, formula, _) = portfolio(&["cat > /dev/null", &says("unsat")]);
    let begin = Instant::now();
    let mut asked = 0;
    while begin.elapsed() < Duration::from_secs(1) {
        assert_eq!(solver.check(&pool, &[]), Check::Unsat);
        asked += 1;
    }
    assert!(solver.model(&pool).is_none());
    let counts: Vec<Stage> = solver.counts().into_iter().map(|(_, count)| count).collect();
    assert_eq!((counts[1].asked, counts[1].answered), (asked, asked));
    assert!((1..asked).contains(&counts[0].asked) && counts[0].answered == 0, "{counts:?}");
    assert!(counts.iter().all(|count| count.time > Duration::ZERO), "{counts:?}");
    assert!(solver.counts().iter().all(|(_, count)| count.asked == 0), "what is counted is counted once");
    // Where one gives up or dies, the other one counts.
    for other in ["exit 1", &says("unknown"), &says("nonsense")] {
        let (mut solver, pool, ..) = portfolio(&[other, SLOW, &says("unsat")]);
        assert_eq!(solver.check(&pool, &[]), Check::Unsat);
    }
    let (mut solver, pool, ..) = portfolio(&["exit 1", &says("unknown")]);
    assert!(matches!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Failed(_) | Reason::Incomplete(_))));
}

/// A script that deals in one way with the first question of all its processes, and in another way with others.
fn first_and_then(first: &str, then: &str) -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let is_first = format!("mkdir {} 2> /dev/null", folder.path().join("mark").display());
    let script = format!(
        "while read -r line; do case $line in *check-sat*) if {is_first}; then {first}; else {then}; fi;; esac; done"
    );
    (script, folder)
}

/// While a solver is busy, a spare process of it is started, which gets the next question.
#[test]
fn a_spare_process_takes_over() {
    let (script, _folder) = first_and_then("cat > /dev/null", "echo sat");
    let (mut solver, pool, formula, starts) = portfolio(&[&script, SLOW]);
    assert_eq!(solver.check(&pool, &[]), Check::Unsat);
    // It has been started before the question for which it is needed.
    wait_for(&starts, 3);
    assert_eq!(solver.check(&pool, &[formula]), Check::Sat);
}

/// A script that answers the first question some seconds after a file is there, and does not know the answer to others.
fn waits_for(file: &Path, seconds: f64) -> String {
    format!(
        "while read -r line; do case $line in *check-sat*) \
         if [ $n ]; then echo unknown; else n=1; while [ ! -e {} ]; do sleep 0.05; done; sleep {seconds}; echo unsat; fi;; esac; done",
        file.display()
    )
}

/// A solver that is still busy with another question is asked if the others do not know the answer.
#[test]
fn no_solver_is_left_out_that_may_know_the_answer() {
    let (script, folder) = first_and_then("cat > /dev/null", "echo sat");
    let (mut solver, pool, formula, _) = portfolio(&[&script, &waits_for(&folder.path().join("mark"), 0.0)]);
    assert_eq!(solver.check(&pool, &[]), Check::Unsat);
    assert_eq!(solver.check(&pool, &[formula]), Check::Sat);
}

/// A solver that gives up keeps its process.
#[test]
fn a_solver_is_interrupted() {
    // Where tests run in the background, the signal may be ignored, which processes inherit unless there is a handler.
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default()).expect("a handler");
    for gives_up in [true, false] {
        // Only the process with the first question knows the second answer.
        let waiting = "while [ ! $gone ]; do sleep 0.05; done; n=1; echo unknown; echo > $0";
        let (script, folder) = first_and_then(waiting, "[ $n ] && echo sat || echo unknown");
        let script = format!("trap 'gone=1' INT; {script}");
        let gave_up = folder.path().join("gave-up");
        let mut members = [script, waits_for(&folder.path().join("mark"), 0.3)].map(|script| {
            let arguments = vec!["-c".to_string(), script, gave_up.display().to_string()];
            ProcessSolver::command("pretended", "sh", arguments, Interrupter::new())
        });
        if gives_up {
            members = members.map(ProcessSolver::that_gives_up);
        }
        let mut solver = Portfolio::new(members.into(), Interrupter::new());
        solver.set_time_limit(Some(Duration::from_secs(20)));
        let (_, pool, formula) = pretend("");
        assert_eq!(solver.check(&pool, &[]), Check::Unsat);
        let begin = Instant::now();
        while gives_up && !gave_up.exists() && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(50));
        }
        // Time to read what it has written before.
        std::thread::sleep(Duration::from_millis(300));
        let answer = solver.check(&pool, &[formula]);
        assert_eq!(answer == Check::Sat, gives_up, "{answer:?}");
    }
}

/// An interruption that comes too late meets the next question, which is asked again.
#[test]
fn a_late_interruption_leaves_no_question_open() {
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default()).expect("a handler");
    let late = "while [ ! $gone ]; do sleep 0.05; done; echo unsat";
    let (script, folder) = first_and_then(late, "if [ $gone ]; then gone=; echo unknown; else echo sat; fi");
    let other = waits_for(&folder.path().join("mark"), 0.3);
    let members = [format!("trap 'gone=1' INT; {script}"), other].map(|script| {
        ProcessSolver::command("pretended", "sh", vec!["-c".to_string(), script], Interrupter::new()).that_gives_up()
    });
    let mut solver = Portfolio::new(members.into(), Interrupter::new());
    solver.set_time_limit(Some(Duration::from_secs(20)));
    let (_, pool, formula) = pretend("");
    assert_eq!(solver.check(&pool, &[]), Check::Unsat);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(solver.check(&pool, &[formula]), Check::Sat);
}

#[test]
fn solvers_that_never_answer_are_ended_after_the_time_limit() {
    let silent = "cat > /dev/null";
    let (mut solver, pool, formula, starts) = portfolio(&[silent, silent]);
    solver.set_time_limit(Some(Duration::from_millis(200)));
    for number in 1..4 {
        assert_eq!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Timeout));
        // Two more are ready for the next question.
        wait_for(&starts, 2 * number + 2);
        assert_eq!(started(&starts), 2 * number + 2);
    }
    let interrupter = solver.interrupter();
    solver.set_time_limit(None);
    let stopper = std::thread::spawn(move || interrupter.interrupt());
    assert_eq!(solver.check(&pool, &[formula]), Check::Unknown(Reason::Interrupted));
    stopper.join().expect("no panic");
}

/// Formulas that are removed and asserted while a solver is busy are so when it is asked again.
#[test]
fn a_busy_solver_catches_up() {
    let z3 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/bin/z3");
    if !z3.is_file() {
        return;
    }
    let late = format!(
        "while IFS= read -r line; do case $line in *check-sat*) [ $late ] || sleep 0.5; late=1;; esac; \
         printf '%s\\n' \"$line\"; done | {} -in",
        z3.display()
    );
    // It knows only the first two answers.
    let quick = "while read -r line; do case $line in *check-sat*) n=x$n; case $n in x|xx) echo unsat;; *) echo unknown;; esac;; \
                 *get-unsat*) echo '()';; esac; done";
    let (mut solver, mut pool, positive, _starts) = portfolio(&[&late, quick]);
    let y = pool.fresh_var("y", Sort::Int);
    let (negative, other) = (pool.not(positive), pool.lt(Pool::ZERO, y));
    solver.push();
    solver.assert(&pool, other);
    solver.push();
    solver.assert(&pool, positive);
    solver.push();
    assert_eq!(solver.check(&pool, &[other]), Check::Unsat);
    solver.pop(2);
    solver.push();
    solver.assert(&pool, negative);
    assert_eq!(solver.check(&pool, &[other]), Check::Unsat);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(solver.check(&pool, &[other]), Check::Sat);
    let model = solver.model(&pool).expect("a model");
    assert!(verified(&pool, model, [negative, other]).is_ok());
    let zero = pool.eq(y, Pool::ZERO);
    assert_eq!(solver.check(&pool, &[zero]), Check::Unsat);
    assert_eq!(solver.unsat_core(), [zero]);
}
