//! Checks that generated programs compile and run on a JVM.

use aback_generator::java::jvm::{self, Outcome, Truth};
use aback_generator::java::{Family, Topics, World, program, program_named, task, task_named, world};

#[test]
fn a_seed_gives_one_program() {
    for seed in 0..50 {
        assert_eq!(program(seed, Topics::ALL), program(seed, Topics::ALL));
        assert_ne!(program(seed, Topics::ALL), program(seed + 1, Topics::ALL));
        assert_eq!(task(seed, Topics::ALL), task(seed, Topics::ALL));
        assert_eq!(world(seed, Family::ALL).files, world(seed, Family::ALL).files);
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

/// One test does everything that starts a JVM, because most of the time is the start of `javac`.
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
    // This test does not start a JVM to run anything.
    match jvm::compile(&[("Wrong".into(), "class Wrong { int x = true; }".into())]) {
        Err(jvm::Error::Compiler(message)) => assert!(message.contains("incompatible types"), "{message}"),
        other => panic!("{other:?}"),
    }
}

/// `javac` accepts nearly all worlds of every family; some worlds of each family can fail and some cannot.
#[test]
fn worlds_compile_and_run() {
    let of = |family: &Family| (0..10).map(|seed| world(seed, &[*family])).collect::<Vec<_>>();
    let all: Vec<World> = Family::ALL.iter().flat_map(of).collect();
    let (classes, refused) = jvm::compile_worlds(&all).unwrap_or_else(|error| panic!("{error}"));
    assert!(refused.len() <= all.len() / 20, "{refused:?}");
    let kept: Vec<&World> =
        all.iter().enumerate().filter(|(at, _)| !refused.contains(at)).map(|(_, world)| world).collect();
    let truths = classes.truths(&kept, 30).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(truths, classes.truths(&kept, 30).unwrap_or_else(|error| panic!("{error}")));
    for family in Family::ALL {
        let of_family =
            || kept.iter().zip(&truths).filter(|(world, _)| world.family == *family).map(|(_, truth)| truth);
        let failing = of_family().filter(|truth| matches!(truth, Truth::Fails(_))).count();
        assert!((1..of_family().count()).contains(&failing), "{}: {failing} fail", family.name());
        assert!(!of_family().any(|truth| matches!(truth, Truth::Contradicts(_))), "{}", family.name());
    }
}

#[test]
fn worlds_that_do_not_compile_are_left_out() {
    let good = world(0, &[Family::Dispatch]);
    let mut wrong = world(1, &[Family::Dispatch]);
    wrong.files[0].1 += "class Wrong { int x = true; }";
    let (classes, refused) = jvm::compile_worlds(&[wrong, good.clone()]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(refused, [0]);
    assert!(classes.folder().join(good.root).is_dir());
}
