//! Runs worlds on a JVM, and checks whether verdicts of an aback binary contradict the results.
//!
//! `worlds ask FIRST COUNT [FAMILY,…|all] [--aback FILE] [--with OPTIONS]… [--calls N]` asks the binary; the default
//! is the one beside this program. Each `--with` is a separate configuration, as in
//! `--with "--engine backward --no-facts"`; by default there is one for each engine. To continue with the next seeds,
//! start at FIRST + COUNT.
//!
//! `worlds run FIRST COUNT [FAMILY,…|all]` only runs the worlds. `worlds write SEED [FAMILY,…|all] DIR` writes the
//! sources of one world.

use aback_generator::java::jvm::{self, Classes, Truth};
use aback_generator::java::{Family, World, world};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const USAGE: &str = "worlds ask FIRST COUNT [FAMILY,…|all] [--aback FILE] [--with OPTIONS]… [--calls N]
worlds run FIRST COUNT [FAMILY,…|all]
worlds write SEED [FAMILY,…|all] DIR";

/// Number of worlds that are compiled together.
const BATCH: u64 = 200;

/// Time limit of a verdict.
const TIMEOUT: Duration = Duration::from_secs(5);

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, first, args @ ..] = args.as_slice() else { return Err(USAGE.into()) };
    let first: u64 = first.parse()?;
    match (what.as_str(), args) {
        ("write", [names @ .., folder]) => write(first, &families(names.first().map_or("all", |name| name))?, folder),
        ("run", [count, names @ ..]) => {
            let families = families(names.first().map_or("all", |name| name))?;
            batches(first, count)?.try_for_each(|(first, size)| run(first, size, &families))
        }
        ("ask", [count, args @ ..]) => ask(batches(first, count)?, &Asking::parse(args)?),
        _ => Err(USAGE.into()),
    }
}

fn batches(first: u64, count: &str) -> Result<impl Iterator<Item = (u64, u64)>, Failure> {
    let count: u64 = count.parse()?;
    Ok((0..count).step_by(BATCH as usize).map(move |done| (first + done, BATCH.min(count - done))))
}

fn families(names: &str) -> Result<Vec<Family>, Failure> {
    if names == "all" {
        return Ok(Family::ALL.to_vec());
    }
    let named = |name: &str| Family::ALL.iter().copied().find(|family| family.name() == name);
    names.split(',').map(|name| named(name).ok_or_else(|| format!("no family is called {name}").into())).collect()
}

/// The worlds of some seeds that compile, with the results of the JVM.
fn worlds(
    first: u64,
    count: u64,
    families: &[Family],
    calls: usize,
) -> Result<(Classes, Vec<(World, Truth)>), Failure> {
    let worlds: Vec<World> = (first..first + count).map(|seed| world(seed, families)).collect();
    let (classes, refused) = jvm::compile_worlds(&worlds)?;
    let kept = worlds.into_iter().enumerate().filter(|(index, _)| !refused.contains(index));
    let kept: Vec<World> = kept.map(|(_, world)| world).collect();
    let truths = classes.truths(&kept.iter().collect::<Vec<_>>(), calls)?;
    Ok((classes, kept.into_iter().zip(truths).collect()))
}

fn write(seed: u64, families: &[Family], folder: &str) -> Result<(), Failure> {
    let world = world(seed, families);
    for (name, text) in &world.files {
        let file = Path::new(folder).join(format!("{name}.java"));
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new(folder)))?;
        std::fs::write(file, text)?;
    }
    let traps = if world.traps { " --traps" } else { "" };
    println!("aback check {folder} --entry {}{traps}", world.question_entry());
    println!("{:?}, documented: {:?}", world.start, world.documented);
    Ok(())
}

fn run(first: u64, size: u64, families: &[Family]) -> Result<(), Failure> {
    let start = Instant::now();
    let (_, worlds) = worlds(first, size, families, 150)?;
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (world, truth) in &worlds {
        let column = match truth {
            Truth::Fails(_) => 0,
            Truth::Passes => 1,
            Truth::Unseen => 2,
            Truth::Contradicts(how) => {
                println!("{} contradicts its documentation: {how}", world.root);
                3
            }
        };
        counts.entry(world.family.name()).or_default()[column] += 1;
    }
    println!("{} of {size} worlds from {first} on, {:.1?}", worlds.len(), start.elapsed());
    for (family, [fails, passes, unseen, wrong]) in counts {
        println!("{family:12} {fails:4} fail {passes:4} pass {unseen:4} not seen to fail {wrong:3} contradictory");
    }
    Ok(())
}

/// The options of `ask`.
struct Asking {
    families: Vec<Family>,
    aback: PathBuf,
    /// The options of each configuration.
    configurations: Vec<String>,
    /// The number of calls of each entry point on a JVM.
    calls: usize,
}

impl Asking {
    fn parse(args: &[String]) -> Result<Self, Failure> {
        let beside = std::env::current_exe()?.parent().and_then(Path::parent).map(|folder| folder.join("aback"));
        let mut asking = Asking {
            families: Family::ALL.to_vec(),
            aback: beside.unwrap_or_default(),
            configurations: Vec::new(),
            calls: 150,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(USAGE);
            match arg.as_str() {
                "--aback" => asking.aback = value()?.into(),
                "--with" => asking.configurations.push(value()?.clone()),
                "--calls" => asking.calls = value()?.parse()?,
                names => asking.families = families(names)?,
            }
        }
        if asking.configurations.is_empty() {
            asking.configurations = ["--engine forward", "--engine backward"].map(Into::into).to_vec();
        }
        Ok(asking)
    }

    /// The verdict and its reason, or the output if there is no verdict. `more` are additional options for this
    /// question.
    fn ask(
        &self,
        world: &World,
        folder: &Path,
        configuration: &str,
        more: &[&str],
    ) -> Result<serde_json::Value, Failure> {
        let mut command = Command::new(&self.aback);
        command.arg("check").arg(folder).args(["--json", "--entry", &world.question_entry()]);
        if world.traps {
            command.arg("--traps");
        }
        if !configuration.contains("--timeout") {
            command.args(["--timeout", &TIMEOUT.as_secs().to_string()]);
        }
        let output = command.args(configuration.split_whitespace()).args(more).output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let answer = serde_json::from_slice(&output.stdout);
        match answer {
            Ok(answer) if !stderr.contains("panicked") => Ok(answer),
            _ => Err(format!("{}{stderr}", String::from_utf8_lossy(&output.stdout)).into()),
        }
    }
}

/// The numbers of verdicts about some worlds: correct definite ones, bounded ones, unknown ones and wrong ones.
#[derive(Default)]
struct Counts {
    proved: usize,
    violated: usize,
    /// Violations that were neither seen on a JVM nor confirmed by one.
    open: usize,
    bounded: usize,
    unknown: usize,
    wrong: usize,
}

/// Asks about worlds in all configurations and prints the wrong answers.
fn ask(batches: impl Iterator<Item = (u64, u64)>, asking: &Asking) -> Result<(), Failure> {
    let mut counts: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let (mut count, mut refused) = (0, 0);
    for (first, size) in batches {
        let (classes, worlds) = worlds(first, size, &asking.families, asking.calls)?;
        count += worlds.len();
        refused += size as usize - worlds.len();
        for (world, truth) in &worlds {
            for configuration in &asking.configurations {
                let counts = counts.entry((configuration, world.family.name())).or_default();
                let (folder, start) = (classes.folder().join(&world.root), Instant::now());
                let mut wrong = |how: String| {
                    println!("WRONG {} ({}) [{configuration}]: {how}", world.root, world.family.name());
                    counts.wrong += 1;
                };
                let answer = match asking.ask(world, &folder, configuration, &[]) {
                    Ok(answer) => answer,
                    Err(error) => {
                        wrong(error.to_string());
                        continue;
                    }
                };
                let verdict = answer["verdict"].as_str().unwrap_or("none");
                if start.elapsed() > 2 * TIMEOUT && !configuration.contains("--timeout") {
                    println!("LATE {} [{configuration}]: {:.1?}", world.root, start.elapsed());
                }
                match (verdict, truth) {
                    (_, Truth::Contradicts(how)) => wrong(format!("the generator is, since this fails: {how}")),
                    ("holds", Truth::Fails(how)) => wrong(format!("holds, but it fails: {how}")),
                    ("holds", _) => counts.proved += 1,
                    ("violated", Truth::Passes) => wrong("violated, but nothing fails".into()),
                    ("violated", Truth::Fails(_)) => counts.violated += 1,
                    ("violated", Truth::Unseen) => {
                        let answer = asking.ask(world, &folder, configuration, &["--confirm"])?;
                        let confirmation = &answer["violation"]["confirmation"];
                        match confirmation["result"].as_str() {
                            Some("confirmed") => counts.violated += 1,
                            Some("differs") => wrong(format!("{verdict}, but on a JVM {}", confirmation["reason"])),
                            _ => counts.open += 1,
                        }
                    }
                    // The failing execution may lie beyond the bounds.
                    ("holds within bounds", _) => counts.bounded += 1,
                    _ => counts.unknown += 1,
                }
            }
        }
    }
    println!("{count} worlds, and {refused} that javac refuses");
    for ((configuration, family), Counts { proved, violated, open, bounded, unknown, wrong }) in counts {
        println!(
            "{configuration} {family:12} {proved:5} hold {violated:5} violated {open:3} not confirmed \
             {bounded:4} within bounds {unknown:4} unknown {wrong:4} wrong"
        );
    }
    Ok(())
}
