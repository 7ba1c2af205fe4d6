//! Random C# programs do what they do on .NET, and verdicts agree with all runs on .NET. Where no .NET SDK is found, the
//! tests say that they are skipped.
//!
//! `ABACK_SEEDS=0-1000 cargo test -p aback-core --test core -- --ignored --nocapture random_csharp::programs` runs many.

mod programs;
mod tasks;

use aback_core::{CheckConfig, Engine, Line, LoadConfig, Question, Session};
use aback_generator::csharp::dotnet::{Error, Sdk};
use programs::Programs;
use std::ops::Range;
use std::time::Duration;
use tasks::{Judged, Tasks};

/// The SDK that is installed, if any.
fn sdk() -> Option<Sdk> {
    match Sdk::find() {
        Ok(sdk) => Some(sdk),
        Err(Error::Missing) => {
            eprintln!("skipped: there is no .NET SDK");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The seeds for a run by hand.
fn seeds() -> Range<u64> {
    let text = std::env::var("ABACK_SEEDS").unwrap_or_else(|_| "0-200".into());
    let bounds = text.split_once('-').and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    bounds.expect("ABACK_SEEDS is FIRST-END")
}

/// Seeds are compiled and run in batches of this size.
const BATCH: u64 = 100;

fn batches(seeds: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = seeds.end;
    seeds.step_by(BATCH as usize).map(move |first| first..(first + BATCH).min(end))
}

#[test]
fn programs_write_what_they_write_on_dotnet() {
    let Some(sdk) = sdk() else { return };
    let programs = Programs::compile(&sdk, 0..15, false).unwrap();
    let runs = programs.run(|_| ());
    let wrong: Vec<String> = runs.iter().filter_map(|run| run.difference.clone()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "runs the seeds of ABACK_SEEDS"]
fn many_programs() {
    let Some(sdk) = sdk() else { return };
    let (mut count, mut stopped, mut wrong) = (0, 0, 0);
    for optimize in [false, true] {
        for seeds in batches(seeds()) {
            let programs = Programs::compile(&sdk, seeds, optimize).unwrap();
            for run in programs.run(|run| run.print()) {
                count += 1;
                stopped += usize::from(run.unsupported.is_some());
                wrong += usize::from(run.difference.is_some());
            }
        }
    }
    println!("{count} runs, {stopped} of them end at code that is not supported, {wrong} differ");
    assert_eq!(wrong, 0);
}

#[test]
fn verdicts_are_those_of_all_runs() {
    let Some(sdk) = sdk() else { return };
    let tasks = Tasks::compile(&sdk, 0..4, false).unwrap();
    for engine in [Engine::Forward, Engine::Backward] {
        for judged in tasks.judge(engine, Duration::from_secs(1), |_| ()) {
            assert!(!judged.is_wrong, "{judged}");
        }
    }
}

#[test]
#[ignore = "runs the seeds of ABACK_SEEDS"]
fn many_tasks() {
    let Some(sdk) = sdk() else { return };
    let (mut count, mut unknown, mut wrong) = (0, 0, 0);
    for seeds in batches(seeds()) {
        // Batches take turns, so that each engine sees both kinds of assemblies.
        let turn = (seeds.start / BATCH).is_multiple_of(2);
        for (optimize, engine) in [(turn, Engine::Forward), (!turn, Engine::Backward)] {
            let tasks = Tasks::compile(&sdk, seeds.clone(), optimize).unwrap();
            for judged in tasks.judge(engine, Duration::from_secs(2), Judged::print) {
                count += 1;
                unknown += usize::from(judged.is_unknown);
                wrong += usize::from(judged.is_wrong);
            }
        }
    }
    println!("{count} answers, {unknown} of them unknown, {wrong} wrong");
    assert_eq!(wrong, 0);
}

/// Code behind a statement that control also reaches in other ways has no place of its own in optimized code.
#[test]
fn optimized_code_is_at_the_lines_that_it_continues() {
    let Some(sdk) = sdk() else { return };
    let source = "
public static class Optimized {
    public static void Before(int r, bool b) {
        if (r == 3 && r == 4) {
            Log.Reach(0); // unreachable
        }
        try {
            if (b) r++;
        } finally {
            if (r == 5 && r == 6)
                Log.Reach(0); // unreachable
        }
        Log.Reach(r); // reachable
    }
    public static int Inside(int r) {
        try {
            if (r == 3) throw new System.Exception();
            if (r == 4 && r == 5)
                Log.Reach(0); // unreachable
        } catch (System.Exception) when (r > 3) {
            Log.Reach(0); // unreachable
        } catch (System.ArgumentException) {
            return 1; // unreachable
        }
        return r;
    }
    public static int Returned(int r) {
        try {
            if (r > 2) return 1; // reachable
        } finally {
            Log.Reach(0);
        }
        return 2;
    }
}";
    let assembly = sdk.compile(&[("Optimized".into(), source.into())], true).unwrap();
    let session = Session::open(&[assembly.path()], &LoadConfig::default()).unwrap();
    for (text, line) in source.lines().zip(1..) {
        let Some((_, expected)) = text.rsplit_once("// ") else { continue };
        for engine in [Engine::Forward, Engine::Backward] {
            let config = CheckConfig {
                question: Question::Reach,
                at: Some(Line { file: "Optimized.cs".into(), line }),
                engine,
                ..CheckConfig::default()
            };
            let answer = session.check(&config).unwrap();
            // The answer also names the bound that static fields hold their initial values.
            let said = answer.said().trim_end_matches(" within bounds");
            assert_eq!(said, expected, "{engine:?}, line {line}: {text}");
        }
    }
}
