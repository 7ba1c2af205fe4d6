//! Prints a program or a task: `show program|task SEED [CLASS]`.

use aback_java_generator::{Topics, program_named, task_named};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    let seed = argument(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let class = argument(2).unwrap_or("Main");
    match argument(0) {
        Some("task") => print!("{}", task_named(seed, Topics::default(), class).source),
        _ => print!("{}", program_named(seed, Topics::default(), class)),
    }
}
