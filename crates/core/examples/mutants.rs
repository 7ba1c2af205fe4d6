//! Mutants of class files by the thousands: `cargo run --release -p aback-core --example mutants -- FIRST LAST`.
//!
//! Prints the seed of each mutant that makes aback panic or that takes long, and ends with the process where one hangs or takes
//! all memory. `SEED` alone tries one mutant, and keeps it in `mutant.class`.

#[path = "../tests/hostile/mod.rs"]
mod hostile;

use hostile::{Corpus, Tally, exercise};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

const OF_JDK: &[&str] = &[
    "jdk/internal/math/FloatingDecimal",
    "jdk/internal/math/FloatingDecimal$BinaryToASCIIBuffer",
    "jdk/internal/org/objectweb/asm/ClassReader",
    "jdk/internal/org/objectweb/asm/Frame",
    "jdk/internal/util/ArraysSupport",
    "sun/security/util/DerValue",
    "sun/security/provider/SHA2",
    "sun/nio/cs/UTF_8$Decoder",
    "sun/util/locale/LanguageTag",
    "sun/net/www/ParseUtil",
];

/// A mutant that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);
const MOST_MEMORY: u64 = 6 << 30;

/// The seed of the mutant that runs, and when it started.
static SEED: AtomicU64 = AtomicU64::new(0);
static STARTED: AtomicU64 = AtomicU64::new(0);

fn main() {
    let numbers: Vec<u64> = env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let (first, last) = match numbers[..] {
        [seed] => (seed, seed + 1),
        [first, last] => (first, last),
        _ => (0, 1000),
    };
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang-java/tests/programs");
    let mut sources: Vec<PathBuf> = fs::read_dir(programs)
        .expect("programs")
        .map(|entry| entry.expect("a program").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    sources.sort();
    let corpus = Corpus::compile(&sources, OF_JDK);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Mutant.class");
    let start = Instant::now();
    thread::spawn(move || watch(start));
    let (mut tally, mut panics) = (Tally::default(), 0);
    for seed in first..last {
        let (name, mutant, mut random) = corpus.mutant(seed);
        fs::write(&file, &mutant).expect("a file");
        if last == first + 1 {
            fs::write("mutant.class", &mutant).expect("a file");
        }
        SEED.store(seed, Ordering::SeqCst);
        let began = start.elapsed();
        STARTED.store(began.as_millis() as u64, Ordering::SeqCst);
        let work = || exercise(&file, corpus.folder.path(), &mut random, &mut tally);
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err() {
            panics += 1;
            println!("PANIC seed {seed}, of {name}");
        }
        let took = start.elapsed() - began;
        if took > Duration::from_secs(10) {
            println!("SLOW seed {seed}, of {name}: {took:?}");
        }
        if seed % 1000 == 999 {
            println!("{panics} panics, {tally:?}, memory {}", resident() >> 20);
        }
    }
    println!("{panics} panics in {:?}: {tally:?}", start.elapsed());
}

/// The memory of this process.
fn resident() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn watch(start: Instant) {
    loop {
        thread::sleep(Duration::from_millis(100));
        let took = start.elapsed().saturating_sub(Duration::from_millis(STARTED.load(Ordering::SeqCst)));
        let seed = SEED.load(Ordering::SeqCst);
        if took > PATIENCE {
            println!("HANG seed {seed}");
            process::exit(2);
        }
        if resident() > MOST_MEMORY {
            println!("MEMORY seed {seed}");
            process::exit(3);
        }
    }
}
