//! Prints a program or a task: `show java|csharp program|task SEED [CLASS]`.

use aback_generator::{csharp, java};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    let seed = argument(2).and_then(|text| text.parse().ok()).unwrap_or(0);
    let class = argument(3).unwrap_or("Main");
    match (argument(0), argument(1)) {
        (Some("csharp"), Some("task")) => print!("{}", csharp::task(seed, class).source),
        (Some("csharp"), _) => print!("{}", csharp::program(seed, class)),
        (_, Some("task")) => print!("{}", java::task_named(seed, java::Topics::default(), class).source),
        _ => print!("{}", java::program_named(seed, java::Topics::default(), class)),
    }
}
