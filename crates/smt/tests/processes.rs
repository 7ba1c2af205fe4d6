//! Checks solver processes that misbehave: shell scripts that answer nonsense, do not answer, or die.
#![cfg(unix)]

use aback_logic::{Pool, Sort, Term};
use aback_smt::{Check, Interrupter, ProcessSolver, Reason, Solver};
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
