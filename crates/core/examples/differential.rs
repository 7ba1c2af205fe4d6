//! Compares what many random Java programs print, whether exceptions leave them, verdicts about many random tasks, or their
//! counterexamples, with what a JVM makes of them: `differential programs|exceptions|tasks|confirm FIRST COUNT [TOPIC [backward]]`. Topics are
//! those of the generator, and `all`; verdicts are the forward engine's, or the backward one's.

#[path = "../tests/differential/programs.rs"]
mod programs;
#[path = "../tests/differential/tasks.rs"]
mod tasks;
#[path = "../tests/differential/verdicts.rs"]
mod verdicts;

use aback_core::{Confirmation, Engine, Exceptions, Verdict};
use aback_java_generator::Topics;
use programs::{Programs, Run};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tasks::Tasks;
use verdicts::Judged;

const USAGE: &str = "differential programs|exceptions|tasks|confirm FIRST COUNT [TOPIC [backward]]";

/// So many are compiled together.
const BATCH: u64 = 200;

/// So long for a verdict.
const TIMEOUT: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, first, count, topic @ ..] = args.as_slice() else {
        return Err(USAGE.into());
    };
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let topics = match topic.first().map(String::as_str) {
        None => Topics::default(),
        Some("all") => Topics::ALL,
        Some(name) => Topics::each().into_iter().find(|topic| topic.0 == name).ok_or("no such topic")?.1,
    };
    let engine =
        if topic.get(1).is_some_and(|engine| engine == "backward") { Engine::Backward } else { Engine::Forward };
    let batches = (0..count).step_by(BATCH as usize).map(|done| (first + done, BATCH.min(count - done)));
    match what.as_str() {
        "programs" => compare_programs(batches, topics),
        "exceptions" => compare_verdicts(batches, |first, size| {
            Ok(Programs::compile(first, size, topics)?.judge(engine, TIMEOUT, tell))
        }),
        "tasks" => compare_verdicts(batches, |first, size| {
            Ok(Tasks::compile(first, size, topics)?.judge(engine, TIMEOUT, tell))
        }),
        "confirm" => confirm_all(batches, topics),
        _ => Err(USAGE.into()),
    }
}

/// Runs counterexamples on a JVM, and says which do not happen there.
fn confirm_all(batches: impl Iterator<Item = (u64, u64)>, topics: Topics) -> Result<(), Box<dyn std::error::Error>> {
    let (mut tasks, mut violated, mut confirmed) = (0, 0, 0);
    for (first, size) in batches {
        let watch = |name: &str, confirmation: &Confirmation| match confirmation {
            Confirmation::Confirmed { .. } => {}
            other => println!("{name}: {other:?}"),
        };
        let done = Tasks::compile(first, size, topics)?.confirm(Exceptions::All, TIMEOUT, watch);
        tasks += size;
        violated += done.len();
        confirmed += done.iter().filter(|(_, result)| matches!(result, Confirmation::Confirmed { .. })).count();
    }
    println!("{tasks} tasks, {violated} violated, {confirmed} of these confirmed");
    Ok(())
}

fn compare_programs(
    batches: impl Iterator<Item = (u64, u64)>,
    topics: Topics,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut count, mut different) = (0, 0);
    let runs = Mutex::new((0, Duration::ZERO, (Duration::ZERO, String::new())));
    for (first, size) in batches {
        let start = Instant::now();
        let programs = Programs::compile(first, size, topics)?;
        eprintln!("{size} programs from {first} on, on a JVM: {:?}", start.elapsed());
        let watch = |run: &Run| {
            if let Some(difference) = &run.difference {
                println!("{difference}");
            }
            let mut runs = runs.lock().unwrap();
            runs.0 += run.steps;
            runs.1 += run.time;
            if run.time > runs.2.0 {
                runs.2 = (run.time, run.name.clone());
            }
        };
        different += programs.differences(watch).len();
        count += size;
    }
    let (steps, time, (slowest, name)) = runs.into_inner()?;
    let speed = steps as f64 / time.as_secs_f64() / 1e6;
    println!(
        "{count} programs, {different} differ; {steps} steps, {speed:.1} million a second; slowest: {name}, {slowest:?}"
    );
    Ok(())
}

/// Asks `judge` for the verdicts about batches, and says which are wrong or none.
fn compare_verdicts(
    batches: impl Iterator<Item = (u64, u64)>,
    judge: impl Fn(u64, u64) -> Result<Vec<Judged>, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut count, mut unknown, mut wrong) = (0, 0, 0);
    for (first, size) in batches {
        let judged = judge(first, size)?;
        count += size;
        unknown += judged.iter().filter(|judged| judged.verdict == Verdict::Unknown).count();
        wrong += judged.iter().filter(|judged| judged.is_wrong()).count();
    }
    println!("{count} verdicts, {unknown} unknown, {wrong} wrong");
    Ok(())
}

fn tell(judged: &Judged) {
    if judged.is_wrong() {
        println!("WRONG: {judged}");
    } else if judged.verdict == Verdict::Unknown {
        println!("{judged}, {:.1?}", judged.time);
    }
}
