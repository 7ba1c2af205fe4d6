//! Do a JVM and its compiler take what is generated?

use aback_java_generator::jvm::{self, Outcome};
use aback_java_generator::{Topics, program, program_named, task, task_named};

#[test]
fn a_seed_gives_one_program() {
    for seed in 0..50 {
        assert_eq!(program(seed, Topics::ALL), program(seed, Topics::ALL));
        assert_ne!(program(seed, Topics::ALL), program(seed + 1, Topics::ALL));
        assert_eq!(task(seed, Topics::ALL), task(seed, Topics::ALL));
    }
}

#[test]
fn a_name_changes_nothing_else() {
    for seed in 0..50 {
        let named = program_named(seed, Topics::ALL, "Other");
        assert_eq!(named.replace("Other", "Main"), program(seed, Topics::ALL));
    }
}

#[test]
fn topics_that_are_off_are_avoided() {
    let topics = Topics { floats: false, ..Topics::NONE };
    for seed in 0..50 {
        let text = program(seed, topics);
        for word in ["double", "float", "switch", "->", "String[] {", "record ", "Integer.valueOf"] {
            assert!(!text.contains(word), "{word} in\n{text}");
        }
    }
}

/// One test does all that starts a JVM: most of its time is the start of `javac`.
#[test]
fn programs_and_tasks_compile_and_run() {
    let programs: Vec<(String, String)> =
        (0..60).map(|seed| (format!("P{seed}"), program_named(seed, Topics::ALL, &format!("P{seed}")))).collect();
    let tasks: Vec<_> =
        (0..25).map(|seed| (format!("T{seed}"), task_named(seed, Topics::ALL, &format!("T{seed}")))).collect();
    let sources: Vec<(String, String)> =
        programs.iter().cloned().chain(tasks.iter().map(|(name, task)| (name.clone(), task.source.clone()))).collect();
    let classes = jvm::compile(&sources).unwrap_or_else(|error| panic!("{error}"));
    assert!(classes.folder().join("P0.class").is_file());
    assert!(!classes.folder().join("org").exists());

    let names: Vec<String> = programs.iter().map(|(name, _)| name.clone()).collect();
    let outputs = classes.run_mains(&names).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outputs.len(), 60);
    for (name, output) in names.iter().zip(&outputs) {
        assert!(output.stdout.starts_with("piece 0\n"), "{name}: {output:?}");
        let end = output.exception.as_deref();
        assert!(end.is_none_or(|end| end == "java.lang.IllegalStateException: the end"), "{name}: {end:?}");
    }
    assert_eq!(outputs, classes.run_mains(&names).unwrap_or_else(|error| panic!("{error}")));

    let all: Vec<_> = tasks.iter().map(|(name, task)| (name.as_str(), task)).collect();
    let outcomes = classes.enumerate_all(&all).unwrap_or_else(|error| panic!("{error}"));
    let violated = outcomes.iter().filter(|runs| runs.iter().any(|(_, outcome)| *outcome == Outcome::Violated)).count();
    assert!((5..=20).contains(&violated), "{violated} of 25 are violated");
    for ((_, task), runs) in tasks.iter().zip(&outcomes) {
        assert!((1..=400).contains(&runs.len()), "{}", task.source);
        assert!(runs.iter().all(|(_, outcome)| *outcome != Outcome::Excluded), "{}", task.source);
    }
}

#[test]
fn what_does_not_compile_is_said() {
    // No JVM is asked to run anything here.
    match jvm::compile(&[("Wrong".into(), "class Wrong { int x = true; }".into())]) {
        Err(jvm::Error::Compiler(message)) => assert!(message.contains("incompatible types"), "{message}"),
        other => panic!("{other:?}"),
    }
}
