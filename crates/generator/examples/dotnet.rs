//! Runs many C# programs on .NET and prints statistics: `dotnet FIRST COUNT`.

use aback_generator::csharp::{dotnet, program};
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
    Ok(())
}
