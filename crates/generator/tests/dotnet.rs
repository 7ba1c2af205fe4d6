//! Checks that generated C# programs and tasks compile and run on .NET. Where there is no .NET SDK, the test of that says
//! that it is skipped.

use aback_generator::csharp::dotnet::{Error, Sdk};
use aback_generator::csharp::{Truth, program, task};

#[test]
fn a_seed_gives_one_program() {
    for seed in 0..50 {
        assert_eq!(program(seed, "P"), program(seed, "P"));
        assert_ne!(program(seed, "P"), program(seed + 1, "P"));
        assert_eq!(task(seed, "T"), task(seed, "T"));
    }
}

/// One test does everything that starts the compiler, because most of the time is its start.
#[test]
fn programs_and_tasks_compile_and_run() {
    let sdk = match Sdk::find() {
        Err(Error::Missing) => return eprintln!("skipped: there is no .NET SDK"),
        found => found.unwrap_or_else(|error| panic!("{error}")),
    };
    let programs: Vec<(String, String)> =
        (0..30).map(|seed| (format!("P{seed}"), program(seed, &format!("P{seed}")))).collect();
    let tasks: Vec<_> = (0..30).map(|seed| (format!("T{seed}_Inputs"), task(seed, &format!("T{seed}")))).collect();
    let parts = tasks.iter().flat_map(|(driver, task)| {
        [(driver.replace("_Inputs", ""), task.source.clone()), (driver.clone(), task.driver.clone())]
    });
    let sources: Vec<_> = programs.iter().cloned().chain(parts).collect();
    let assembly = sdk.compile(&sources, false).unwrap_or_else(|error| panic!("{error}"));

    let names: Vec<String> = programs.into_iter().map(|(name, _)| name).collect();
    let outputs = assembly.run(&names).unwrap_or_else(|error| panic!("{error}"));
    for (name, output) in names.iter().zip(&outputs) {
        assert!(output.lines[0].starts_with("piece 0: ") && output.exception.is_none(), "{name}: {output:?}");
    }
    assert_eq!(outputs, assembly.run(&names).unwrap_or_else(|error| panic!("{error}")));

    let drivers: Vec<String> = tasks.iter().map(|(driver, _)| driver.clone()).collect();
    let outputs = assembly.run(&drivers).unwrap_or_else(|error| panic!("{error}"));
    let mut seen = [[0; 2]; 2];
    for ((name, task), output) in tasks.iter().zip(&outputs) {
        let truth = output.lines.last().and_then(|line| Truth::parse(line));
        let truth = truth.unwrap_or_else(|| panic!("{name}: {output:?}"));
        assert!((1..=800).contains(&truth.runs), "{name}: {} runs", truth.runs);
        for &mark in &task.marks {
            seen[usize::from(mark.is_assertion)][usize::from(truth.happens(mark))] += 1;
        }
    }
    assert!(seen.iter().flatten().all(|&count| count > 3), "{seen:?}");
}

#[test]
fn what_does_not_compile_is_said() {
    let Ok(sdk) = Sdk::find() else { return };
    match sdk.compile(&[("Wrong".into(), "class Wrong { int x = true; }".into())], false) {
        Err(Error::Compiler(message)) => assert!(message.contains("CS0029"), "{message}"),
        other => panic!("{other:?}"),
    }
}
