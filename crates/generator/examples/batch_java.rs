//! Runs many programs and tasks on a JVM and prints statistics: `batch_java FIRST COUNT [TOPIC]`.

use aback_generator::java::{Topics, jvm, program_named, task_named};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [first, count] = [1, 2].map(|at| arguments.get(at).and_then(|text| text.parse::<u64>().ok()));
    let (first, count) = (first.unwrap_or(0), count.unwrap_or(100));
    let topics = match arguments.get(3).map(String::as_str) {
        None => Topics::default(),
        Some("all") => Topics::ALL,
        Some(name) => Topics::each().into_iter().find(|topic| topic.0 == name).ok_or("no such topic")?.1,
    };
    let start = Instant::now();
    let programs: Vec<(String, String)> = (first..first + count)
        .map(|seed| format!("P{seed}"))
        .zip(first..)
        .map(|(name, seed)| (name.clone(), program_named(seed, topics, &name)))
        .collect();
    let lines: usize = programs.iter().map(|(_, text)| text.lines().count()).sum();
    println!("{count} programs of {lines} lines in {:?}", start.elapsed());
    let classes = jvm::compile(&programs)?;
    println!("compiled after {:?}", start.elapsed());
    let names: Vec<String> = programs.into_iter().map(|(name, _)| name).collect();
    let outputs = classes.run_mains(&names)?;
    let printed: Vec<usize> = outputs.iter().map(|output| output.stdout.lines().count()).collect();
    println!(
        "run after {:?}: {} lines, at most {} each; {} end by an exception, {} run out of fuel; the same again: {}",
        start.elapsed(),
        printed.iter().sum::<usize>(),
        printed.iter().max().unwrap_or(&0),
        outputs.iter().filter(|output| output.exception.is_some()).count(),
        outputs.iter().filter(|output| output.stdout.contains("out of fuel")).count(),
        outputs == classes.run_mains(&names)?
    );
    for (name, output) in names.iter().zip(&outputs) {
        if let Some(exception) = output.exception.as_ref().filter(|exception| !exception.ends_with(": the end")) {
            println!("{name}: {exception}");
        }
    }

    let start = Instant::now();
    let tasks: Vec<_> = (first..first + count)
        .map(|seed| (format!("T{seed}"), task_named(seed, topics, &format!("T{seed}"))))
        .collect();
    let sources: Vec<_> = tasks.iter().map(|(name, task)| (name.clone(), task.source.clone())).collect();
    let classes = jvm::compile(&sources)?;
    let all: Vec<_> = tasks.iter().map(|(name, task)| (name.as_str(), task)).collect();
    let outcomes = classes.enumerate_all(&all)?;
    let having = |wanted: fn(&jvm::Outcome) -> bool| {
        outcomes.iter().filter(|runs| runs.iter().any(|(_, outcome)| wanted(outcome))).count()
    };
    println!(
        "{count} tasks, {} runs in {:?}: {} violated, {} throw, {} exclude an input that they should not",
        outcomes.iter().map(Vec::len).sum::<usize>(),
        start.elapsed(),
        having(|outcome| *outcome == jvm::Outcome::Violated),
        having(|outcome| matches!(outcome, jvm::Outcome::Threw(_))),
        having(|outcome| *outcome == jvm::Outcome::Excluded),
    );
    Ok(())
}
