//! Checks answers that are kept in a folder for later runs.

use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};
use aback_smt::{CacheMode, Chain, Config, Feasibility, PathCondition};
use std::fs;
use std::path::{Path, PathBuf};
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
    let within = |path: PathBuf| fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    within(folder.path().to_path_buf()).flat_map(within).collect()
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
