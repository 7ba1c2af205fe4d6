//! Checks answers that are kept in a folder for later runs.

use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};
use aback_smt::{CacheMode, Chain, Config, Feasibility, PathCondition};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Every question reaches the folder, or else the solver.
fn config(folder: &Path) -> Config {
    let cache_dir = Some(folder.to_path_buf());
    Config {
        cache: CacheMode::Off,
        enumeration: false,
        models: false,
        intervals: false,
        cache_dir,
        ..Config::default()
    }
}

/// Whether a number has two factors that are at least 2, of which the first one is the smaller: a question that takes a solver some time.
/// `before` variables are made first, so that those of the question have other numbers.
fn asked(config: &Config, number: u128, before: usize) -> (bool, u64) {
    let mut pool = Pool::new();
    for _ in 0..before {
        pool.fresh_var("another", Sort::Bool);
    }
    let mut chain = Chain::new(config).expect("a folder");
    let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(32)));
    let [two, most, number] = [2, 0xfff, number].map(|value| pool.bv(32, value));
    let mut path = PathCondition::without_intervals();
    let order = |pool: &mut Pool, a: Term, b: Term| pool.bv_compare(BvOrder::ULe, a, b);
    for condition in [order(&mut pool, two, x), order(&mut pool, x, y), order(&mut pool, y, most)] {
        path.assume(&mut pool, condition).expect("no intervals");
    }
    // Answers are longer than a block of 512 bytes.
    for more in 0..8 {
        let bound = pool.bv(32, 0x1000 + more);
        let condition = order(&mut pool, y, bound);
        path.assume(&mut pool, condition).expect("no intervals");
    }
    let product = pool.bv_binary(BvOp::Mul, x, y);
    let formula = pool.eq(product, number);
    let is_feasible = match chain.check(&mut pool, &path, formula) {
        Feasibility::Feasible(model) => {
            let conditions: Vec<Term> = path.conjuncts().chain([formula]).collect();
            assert!(conditions.iter().all(|&condition| model.borrow_mut().holds(&pool, condition) == Some(true)));
            true
        }
        Feasibility::Infeasible => false,
        Feasibility::Unknown(reason) => panic!("{reason}"),
    };
    (is_feasible, chain.statistics().kept.answered)
}

const PRODUCT: u128 = 1009 * 1013;
const PRIME: u128 = 1_022_123;

/// The files with answers.
fn files(folder: &TempDir) -> Vec<PathBuf> {
    // Files come and go while other processes write.
    let within =
        |path: &Path| fs::read_dir(path).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let shards = within(folder.path()).filter(|path| path.file_name().is_some_and(|name| name.len() == 2));
    shards.flat_map(|shard| within(&shard).collect::<Vec<PathBuf>>()).collect()
}

#[test]
fn later_runs_use_the_answers_of_earlier_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path());
    for (number, expected) in [(PRODUCT, true), (PRIME, false)] {
        assert_eq!(asked(&config, number, 0), (expected, 0));
        assert_eq!(asked(&config, number, 7), (expected, 1), "with other names");
    }
    assert_eq!(files(&folder).len(), 2);
    // Another solver, or another version, has answers of its own.
    let file = files(&folder).remove(0);
    assert!(fs::read_to_string(file).expect("a text").contains(&format!("aback {}, z3 ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn files_that_are_damaged_do_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path());
    for (number, expected) in [(PRODUCT, true), (PRIME, false)] {
        assert_eq!(asked(&config, number, 0).0, expected);
        let file = files(&folder).remove(0);
        let whole = fs::read(&file).expect("a file");
        let text = String::from_utf8(whole.clone()).expect("a text");
        let damaged: [Vec<u8>; 6] = [
            Vec::new(),
            whole[..whole.len() / 2].to_vec(),
            whole[..whole.len() - 3].to_vec(),
            text.replace("unsat", "sat").into_bytes(),
            text.replace("#b", "#x").into_bytes(),
            b"\xff\xfe".to_vec(),
        ];
        for bytes in damaged.into_iter().filter(|bytes| *bytes != whole) {
            fs::write(&file, &bytes).expect("a file");
            assert_eq!(asked(&config, number, 0), (expected, 0), "{}", String::from_utf8_lossy(&bytes));
        }
        assert_eq!(asked(&config, number, 0), (expected, 1), "it is written again");
        fs::remove_file(file).expect("a file");
    }
}

/// A file whose checksum is right, but whose model is wrong, is no answer.
#[test]
fn models_are_tested() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path());
    asked(&config, PRODUCT, 0);
    let file = files(&folder).remove(0);
    let text = fs::read_to_string(&file).expect("a text");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| *line == "sat").expect("an answer");
    let changed = [&lines[2..=at], &["#b00000000000000000000000000000011", lines[at + 2], ""]].concat().join("\n");
    fs::write(&file, format!("{}\n{}\n{changed}", lines[0], checksum(&changed))).expect("a file");
    assert_eq!(asked(&config, PRODUCT, 0), (true, 0));
}

fn checksum(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_folder_has_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config { cache_size: 0, ..config(folder.path()) };
    assert_eq!(asked(&config, PRIME, 0), (false, 0));
    assert!(files(&folder).is_empty());
    assert_eq!(asked(&config, PRIME, 0), (false, 0));
}

/// The space that the answers take, in blocks of 4 kB.
fn size(folder: &TempDir) -> u64 {
    let length = |file: PathBuf| fs::metadata(file).map_or(0, |data| data.len());
    files(folder).into_iter().map(|file| length(file).next_multiple_of(4096)).sum()
}

/// Fills a folder with files that look like answers, of 5 kB each, the older ones first.
fn fill(folder: &TempDir, number: u64) {
    let begin = SystemTime::now() - Duration::from_secs(number + 60);
    for number in 0..number {
        let name = checksum(&number.to_string());
        let shard = folder.path().join(&name[..2]);
        fs::create_dir_all(&shard).expect("a folder");
        let mut file = fs::File::create(shard.join(&name[2..])).expect("a file");
        file.write_all(&[b'x'; 5000]).expect("space");
        file.set_modified(begin + Duration::from_secs(number)).expect("a time");
    }
}

/// The whole folder counts, also what is in it when a run begins, and what was used last stays.
#[test]
fn a_folder_that_is_too_large_shrinks() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config { cache_size: 1 << 20, ..config(folder.path()) };
    let kept = [PRODUCT, PRIME].map(|number| asked(&config, number, 0).0);
    fill(&folder, 1000);
    // Whatever is not ours is not touched.
    let others =
        [folder.path().join("notes.txt"), folder.path().join("aa").join("notes.txt"), folder.path().join("old")];
    fs::create_dir_all(folder.path().join("aa")).expect("a folder");
    others.iter().for_each(|path| fs::write(path, [b'x'; 5000]).expect("a file"));
    // The files of an earlier version were not counted.
    fs::remove_file(folder.path().join("aback-size")).expect("a file");
    assert!(size(&folder) > 8_000_000);
    drop(Chain::new(&config).expect("a folder"));
    assert!(size(&folder) <= 1 << 20, "{}", size(&folder));
    assert!(size(&folder) >= 1 << 19, "it was not emptied: {}", size(&folder));
    others.iter().for_each(|path| fs::remove_file(path).expect("it is still there"));
    let first = checksum("0");
    assert!(!folder.path().join(&first[..2]).join(&first[2..]).exists(), "the oldest one went first");
    assert_eq!([PRODUCT, PRIME].map(|number| asked(&config, number, 0)), kept.map(|kept| (kept, 1)));
    // Nor is it larger later.
    for number in 0..70 {
        keep(&config, number);
        assert!(size(&folder) <= 1 << 20, "{}", size(&folder));
    }
}

/// A file in which no number can be read is as if it were not there.
#[test]
fn the_size_of_a_folder_is_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config { cache_size: 1 << 20, ..config(folder.path()) };
    for text in ["", "12", "00000000000000000000", "000000000000000000xx\n", "\u{fc}", "00000000000000000000\n1"] {
        fill(&folder, 300);
        fs::write(folder.path().join("aback-size"), text).expect("a file");
        keep(&config, 0);
        assert!(size(&folder) <= 1 << 20, "{text:?}: {}", size(&folder));
    }
}

/// Keeps the answer to one of many questions, which no stage answers but the solver. Returns the answer.
fn keep(config: &Config, number: u128) -> bool {
    asked(config, PRIME + number, 0).0
}

/// Whether a number has two factors of at most 12 bits.
fn has_factors(number: u128) -> bool {
    (2..=0xfff).any(|factor| number.is_multiple_of(factor) && (factor..=0xfff).contains(&(number / factor)))
}

/// The name of a test that is only for child processes of this one, and the variable with its folder.
const CHILD: &str = "answers_are_kept_until_the_process_is_killed";
const FOLDER: &str = "ABACK_TEST_FOLDER";
/// The limit of the folder that child processes share.
const SMALL: u64 = 48 << 10;

/// A child process of the tests below.
#[test]
fn answers_are_kept_until_the_process_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let config = Config { cache_size: SMALL, ..config(Path::new(&folder)) };
    for number in 0..24 {
        assert_eq!(keep(&config, number), has_factors(PRIME + number));
    }
}

/// A child process that keeps answers in a folder, behind some commands of the shell.
fn child(folder: &TempDir, before: &str) -> Child {
    let program = std::env::current_exe().expect("this program");
    Command::new("sh")
        .args(["-c", &format!("{before} exec \"$0\" --exact {CHILD}")])
        .arg(program)
        .env(FOLDER, folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

/// All answers that are believed are right, and the folder is not larger than its limit.
fn all_is_right(folder: &TempDir) {
    assert!(size(folder) <= SMALL, "{}", size(folder));
    let config = Config { cache_size: SMALL, ..config(folder.path()) };
    for number in 0..24 {
        assert_eq!(keep(&config, number), has_factors(PRIME + number));
    }
    assert!(size(folder) <= SMALL, "{}", size(folder));
}

#[test]
fn several_processes_and_threads_share_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut children = [(); 3].map(|()| child(&folder, ""));
    std::thread::scope(|scope| {
        let writers = [(); 3].map(|()| scope.spawn(|| all_is_right(&folder)));
        while !writers.iter().all(|writer| writer.is_finished()) {
            assert!(size(&folder) <= SMALL, "{}", size(&folder));
        }
    });
    for child in &mut children {
        assert!(child.wait().expect("an end").success(), "each process gets the right answers");
    }
    all_is_right(&folder);
    assert!(!files(&folder).is_empty());
}

#[test]
fn processes_that_are_killed_leave_nothing_that_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    for wait in [20, 50, 90, 140, 200, 270, 350] {
        let mut child = child(&folder, "");
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("a process of ours");
        child.wait().expect("an end");
    }
    // As if one was killed while it wrote a file.
    let shard = folder.path().join("00");
    fs::create_dir_all(&shard).expect("a folder");
    for number in 0..100 {
        fs::write(shard.join(format!(".new-{number}")), [b'x'; 5000]).expect("a file");
    }
    fs::remove_file(folder.path().join("aback-size")).expect("a file");
    drop(Chain::new(&Config { cache_size: SMALL, ..config(folder.path()) }).expect("a folder"));
    assert!(size(&folder) <= SMALL, "{}", size(&folder));
    let rest = files(&folder).iter().filter(|file| file.display().to_string().contains(".new-")).count();
    assert!(rest < 12, "{rest}");
    all_is_right(&folder);
}

/// Files cannot be written, or not to the end.
#[test]
fn a_full_disk_changes_nothing() {
    for blocks in [0, 1] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = child(&folder, &format!("trap '' XFSZ; ulimit -f {blocks};"));
        assert!(child.wait().expect("an end").success(), "the answers are right");
        assert!(files(&folder).is_empty());
    }
}

#[test]
fn a_folder_that_cannot_be_written_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path());
    // Where a folder should be, there is a file.
    for number in 0..256 {
        fs::write(folder.path().join(format!("{number:02x}")), "").expect("a file");
    }
    assert_eq!(asked(&config, PRIME, 0), (false, 0));
    assert_eq!(asked(&config, PRIME, 0), (false, 0));
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = Chain::new(&Config { cache_dir: Some(file), ..config }).err().expect("an error");
    assert!(error.to_string().contains("cannot keep answers in"), "{error}");
}
