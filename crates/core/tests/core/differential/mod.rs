//! Random Java programs behave as on a JVM, and verdicts agree with all runs on a JVM. Needs a JDK.

#[allow(dead_code, reason = "tests do not use all data of a run")]
mod programs;
mod tasks;
#[allow(dead_code, reason = "tests do not use all data of a task")]
mod verdicts;
mod worlds;

use aback_core::{Confirmation, Engine, Exceptions};
use aback_generator::java::{Family, Topics};
use programs::Programs;
use std::time::Duration;
use tasks::Tasks;
use worlds::Worlds;

#[test]
fn programs_print_what_they_print_on_a_jvm() {
    let programs = Programs::compile(0, 40, Topics::default()).unwrap();
    let differences: Vec<String> = programs.differences(|_| ()).iter().map(ToString::to_string).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn exceptions_leave_programs_that_they_leave_on_a_jvm() {
    let programs = Programs::compile(100, 10, Topics::default()).unwrap();
    for engine in [Engine::Forward, Engine::Backward] {
        for judged in programs.judge(engine, Duration::from_secs(2), |_| ()) {
            assert!(!judged.is_wrong(), "{engine:?}: {judged}");
        }
    }
}

#[test]
fn verdicts_are_those_of_all_runs() {
    let tasks = Tasks::compile(0, 10, Topics::default()).unwrap();
    for engine in [Engine::Forward, Engine::Backward] {
        for judged in tasks.judge(engine, Duration::from_secs(2), |_| ()) {
            assert!(!judged.is_wrong(), "{engine:?}: {judged}");
        }
    }
}

#[test]
fn counterexamples_happen_on_a_jvm() {
    let tasks = Tasks::compile(50, 10, Topics::default()).unwrap();
    let confirmed = tasks.confirm(Exceptions::All, Duration::from_secs(2), |_, _| ());
    assert!(!confirmed.is_empty(), "none of the tasks is violated");
    for (name, confirmation) in confirmed {
        assert!(matches!(confirmation, Confirmation::Confirmed { .. }), "{name}: {confirmation:?}");
    }
}

/// Seeds of worlds, by family: some that only a correct treatment of the family's topic judges correctly, and some of
/// any kind.
const WORLDS: &[(Family, &[u64])] = &[
    (Family::Dispatch, &[0, 11, 25, 32]),
    (Family::Packages, &[0, 17, 32, 40]),
    (Family::Private, &[0, 4, 21, 76]),
    (Family::Bounds, &[1, 13, 23]),
    (Family::Switches, &[15, 20, 125]),
    (Family::Asserts, &[5, 62, 70, 86]),
    (Family::Singletons, &[2, 3, 15, 20]),
    (Family::Enums, &[1, 8, 18]),
    (Family::Lambdas, &[14, 26, 27]),
    (Family::Arrays, &[1, 3, 61]),
    (Family::Statics, &[8, 15, 27, 34]),
    (Family::Environment, &[73, 81, 86]),
    (Family::Exceptions, &[0, 1]),
    (Family::Boxes, &[70, 182]),
];

#[test]
fn no_verdict_contradicts_what_a_jvm_shows_of_worlds() {
    let seeds = WORLDS.iter().flat_map(|(family, seeds)| seeds.iter().map(|seed| (*family, *seed)));
    let worlds = Worlds::compile(seeds, 40).unwrap();
    let wrong = worlds.contradictions(&[Engine::Forward, Engine::Backward], Duration::from_secs(2));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
