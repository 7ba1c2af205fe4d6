//! Runs many C# programs and tasks on .NET and prints statistics: `batch_csharp FIRST COUNT`.

use aback_generator::csharp::{Truth, dotnet, program, task};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [first, count] = [1, 2].map(|at| arguments.get(at).and_then(|text| text.parse::<u64>().ok()));
    let (first, count) = (first.unwrap_or(0), count.unwrap_or(100));
    let start = Instant::now();
    let names: Vec<String> = (first..first + count).map(|seed| format!("P{seed}")).collect();
    let sources: Vec<(String, String)> =
        names.iter().zip(first..).map(|(name, seed)| (name.clone(), program(seed, name))).collect();
    let lines: usize = sources.iter().map(|(_, text)| text.lines().count()).sum();
    let assembly = dotnet::Sdk::find()?.compile(&sources, false)?;
    println!("{count} programs of {lines} lines compiled after {:?}", start.elapsed());
    let outputs = assembly.run(&names)?;
    println!(
        "run after {:?}: {} lines, {} end by an exception, the same again: {}",
        start.elapsed(),
        outputs.iter().map(|output| output.lines.len()).sum::<usize>(),
        outputs.iter().filter(|output| output.exception.is_some()).count(),
        outputs == assembly.run(&names)?
    );

    let start = Instant::now();
    let tasks: Vec<_> =
        (first..first + count).map(|seed| (format!("T{seed}"), task(seed, &format!("T{seed}")))).collect();
    let sources: Vec<(String, String)> = tasks
        .iter()
        .flat_map(|(name, task)| [(name.clone(), task.source.clone()), (format!("{name}_Inputs"), task.driver.clone())])
        .collect();
    let names: Vec<String> = tasks.iter().map(|(name, _)| format!("{name}_Inputs")).collect();
    let outputs = dotnet::Sdk::find()?.compile(&sources, false)?.run(&names)?;
    let (mut runs, mut marks) = (0, [[0; 2]; 2]);
    for ((name, task), output) in tasks.iter().zip(&outputs) {
        let truth =
            output.lines.last().and_then(|line| Truth::parse(line)).ok_or_else(|| format!("{name}: {output:?}"))?;
        runs += truth.runs;
        for &mark in &task.marks {
            marks[usize::from(mark.is_assertion)][usize::from(truth.happens(mark))] += 1;
        }
    }
    let [[unreachable, reachable], [hold, fail]] = marks;
    println!(
        "{count} tasks, {runs} runs in {:?}: {hold} assertions hold, {fail} fail, {reachable} lines are reached, {unreachable} are not",
        start.elapsed()
    );
    Ok(())
}
