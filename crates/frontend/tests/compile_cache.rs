//! What is kept of compilations.

use aback_frontend::{CompileCache, CompileKey, Compiled, Known, hash};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The key of a compiler that has not been changed for a while.
fn key(options: &str) -> CompileKey {
    let old = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    CompileKey::new(&old, options).unwrap()
}

fn compiled(size: usize) -> Compiled {
    Compiled { sources: vec![hash(b"text")], files: vec![("p/A".into(), vec![7; size])] }
}

#[test]
fn compilations_are_kept_by_all_that_they_depend_on() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::at(folder.path().join("caches/compiled"));
    let key = |options: &str, more: &str| {
        let mut key = key(options);
        key.add(more.as_bytes());
        key
    };
    assert!(cache.get(&key("-g", "a")).is_none());
    cache.insert(&key("-g", "a"), &compiled(10));
    assert_eq!(cache.get(&key("-g", "a")), Some(compiled(10)));
    assert!(cache.get(&key("-g", "b")).is_none() && cache.get(&key("-ga", "")).is_none());
    cache.insert(&key("-g", "a"), &compiled(20));
    assert_eq!(cache.get(&key("-g", "a")), Some(compiled(20)));
}

#[test]
fn files_count_with_their_state() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::at(folder.path().join("cache"));
    let library = folder.path().join("library");
    fs::write(&library, "one").unwrap();
    let key = || {
        let mut key = key("");
        key.add_file(&library).unwrap();
        key
    };
    // It may still be written to.
    cache.insert(&key(), &compiled(10));
    assert!(cache.get(&key()).is_none());
    std::thread::sleep(Duration::from_secs(4));
    cache.insert(&key(), &compiled(10));
    assert_eq!(cache.get(&key()), Some(compiled(10)));
    // Neither the length nor the time that programs can set tells the difference.
    let time = fs::metadata(&library).unwrap().modified().unwrap();
    fs::write(&library, "two").unwrap();
    fs::File::options().write(true).open(&library).unwrap().set_modified(time).unwrap();
    assert!(cache.get(&key()).is_none());
}

#[test]
fn what_was_used_longest_ago_is_removed_first() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::at(folder.path().into()).with_limit(25_000);
    let pause = || std::thread::sleep(Duration::from_millis(20));
    for name in ["a", "b"] {
        cache.insert(&key(name), &compiled(10_000));
        pause();
    }
    assert!(cache.get(&key("a")).is_some());
    pause();
    cache.insert(&key("c"), &compiled(10_000));
    let kept: Vec<&str> = ["a", "b", "c"].into_iter().filter(|name| cache.get(&key(name)).is_some()).collect();
    assert_eq!(kept, ["a", "c"]);
}

#[test]
fn every_byte_counts() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::at(folder.path().into());
    cache.insert(&key(""), &compiled(10));
    let file = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&file).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&file, damaged).unwrap();
        assert!(cache.get(&key("")).is_none(), "{at}");
    }
    fs::write(&file, bytes).unwrap();
    assert!(cache.get(&key("")).is_some());
}

#[test]
fn one_process_compiles_and_others_do_not_wait_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::at(folder.path().into());
    let alone = |name: &str| {
        let soon = Some(Instant::now() + Duration::from_millis(100));
        match cache.look_up(&key(name), &[], soon, None) {
            Known::Earlier(None, alone) => alone,
            _ => panic!("{name} was compiled"),
        }
    };
    let first = alone("a");
    assert!(first.is_some() && alone("b").is_some());
    assert!(alone("a").is_none());
    drop(first);
    assert!(alone("a").is_some());
}

#[test]
fn links_back_are_followed_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    for name in ["one", "two"] {
        std::os::unix::fs::symlink(folder.path(), folder.path().join("below").join(name)).unwrap();
    }
    key("").add_file(folder.path()).unwrap();
}
