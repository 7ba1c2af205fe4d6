//! Tests that threads which share an exploration explore all of it.

use crate::common::{AMPLE, OTHER_HEAPS, everything, exploration, limited, oox, share_of, shared, shown};
use aback_forward::{Config, Search, Sharing, Subsumption};
use aback_symbolic::{Exploration, Replay};
use std::sync::Arc;
use std::time::Duration;

/// Explores a program. The first path that may violate something waits until another thread has explored what was set aside
/// until then, in its own program and with its own settings.
fn in_turns((source, config): (&str, &Config), other: (&str, &Config)) -> Exploration {
    let (program, theirs) = (oox(source), oox(other.0));
    let query = everything(&program);
    let sharing = Sharing::new(2, Arc::default(), Duration::ZERO, 8);
    let mut parts = Vec::new();
    let mut hand_out = || {
        while let Some(share) = sharing.next() {
            let part = share_of(&theirs, &query, other.1, &share, &mut |_| Replay::Again);
            parts.extend(share.counts().then_some(part));
        }
    };
    let first = sharing.first();
    let mut found = share_of(&program, &query, config, &first, &mut |_| {
        hand_out();
        Replay::Again
    });
    parts.into_iter().for_each(|part| found.add_part(part));
    found
}

/// Five forks, and an operation that may be violated on each path; the first one of them is a place to wait for other threads.
const FORKS: &str = "main(int x, int[] a) {
    int k := 0; int i := 0;
    if (a == null || #a != 5 || x > 2000000) return;
    while (i < 5) { if (a[i] > x) { k := k + 1; } else { k := k - 1; } i := i + 1; }
    assert k != 5;
    assert k != 1 || x < 1000000;
}";

#[test]
fn parts_make_up_the_whole() {
    for search in [Search::Breadth, Search::Depth, Search::Directed, Search::Random, Search::Coverage] {
        for subsumption in [Subsumption::Never, Subsumption::Auto] {
            let config = Config { search, subsumption, ..limited(AMPLE) };
            let alone = {
                let program = oox(FORKS);
                let query = everything(&program);
                let mut chain = aback_smt::Chain::new(&aback_smt::Config::default()).expect("Z3");
                aback_forward::explore(&program, &query, &config, &mut chain, &mut |_| Replay::Again)
            };
            let found = in_turns((FORKS, &config), (FORKS, &config));
            assert_eq!(found.gaps, alone.gaps, "{search:?}");
            assert!(found.work.taken > 0, "{search:?}");
            if subsumption == Subsumption::Never {
                let work = |found: &Exploration| (found.work.operations, found.work.paths, found.work.forks);
                assert_eq!(work(&found), work(&alone), "{search:?}");
            }
        }
    }
}

#[test]
fn a_repetition_that_differs_takes_nothing() {
    let usual = limited(AMPLE);
    let alone = in_turns((FORKS, &usual), (FORKS, &usual)).work.paths;
    let random = |seed| Config { search: Search::Random, seed, ..limited(AMPLE) };
    let (one, two) = (random(1), random(2));
    let other_constant = FORKS.replace("2000000", "2000001");
    // The same terms, but other places.
    let flags = |yes: &str, no: &str| {
        let flags = ["b", "c", "d", "e"];
        let branches = flags.map(|flag| format!("if ({flag}) {{ {yes} }} else {{ {no} }}")).concat();
        format!("main(bool b, bool c, bool d, bool e, int x) {{ int k := 0; {branches} assert x > k; }}")
    };
    let (long_first, long_last) = (flags("k := 1; k := 2;", "k := 2;"), flags("k := 2;", "k := 1; k := 2;"));
    let of_flags = in_turns((&long_first, &usual), (&long_first, &usual)).work.paths;
    for (ours, theirs, alone) in [
        ((FORKS, &one), (FORKS, &two), alone),
        ((FORKS, &usual), (FORKS, &one), alone),
        ((FORKS, &usual), (&*other_constant, &usual), alone),
        ((&*long_first, &usual), (&*long_last, &usual), of_flags),
    ] {
        let found = in_turns(ours, theirs);
        assert_eq!((found.work.taken, found.work.paths), (0, alone), "{theirs:?}");
    }
}

#[test]
fn a_repetition_that_is_late_takes_nothing() {
    let (program, config) = (oox(FORKS), limited(AMPLE));
    let query = everything(&program);
    let sharing = Sharing::new(2, Arc::default(), Duration::ZERO, 8);
    let (first, mut late) = (sharing.first(), None);
    let found = share_of(&program, &query, &config, &first, &mut |_| {
        late = late.take().or_else(|| sharing.next());
        Replay::Again
    });
    let late = late.expect("states that were set aside");
    let nothing = share_of(&program, &query, &config, &late, &mut |_| Replay::Again);
    assert!(!late.counts() && nothing.work.taken == 0);
    assert_eq!(found.work.paths, in_turns((FORKS, &config), (FORKS, &config)).work.paths);
    assert!(!sharing.is_over());
    drop((first, late));
    assert!(sharing.is_over());
}

#[test]
fn verdicts_of_many_threads() {
    let check = |source: &str, expected: &str| {
        let program = oox(source);
        let query = everything(&program);
        let configs = OTHER_HEAPS.map(|heap| Config { heap, ..limited(AMPLE) });
        for config in [limited(AMPLE)].iter().chain(&configs) {
            let alone = exploration(&program, &query, config, &aback_smt::Config::default());
            assert_eq!(shown(&program, &alone), expected);
            for jobs in [2, 3, 8] {
                let found = shared(&program, &query, config, jobs);
                assert_eq!(shown(&program, &found), expected, "{jobs} threads");
                if expected == "holds" {
                    assert_eq!(found.work.paths, alone.work.paths, "{jobs} threads");
                }
            }
        }
    };
    let forks = |end: &str| {
        format!(
            "main(int x, bool b, bool c, bool d, bool e, bool f, bool g) {{ int k := 0;
            if (b) {{ k := k + 1; }} if (c) {{ k := k + 2; }} if (d) {{ k := k + 4; }}
            if (e) {{ k := k + 8; }} if (f) {{ k := k + 16; }} if (g) {{ k := k + 32; }}
            {end} }}"
        )
    };
    check(&forks("assert k < 64;"), "holds");
    check(&forks("assert k != 37;"), "violated: assert at 4");
    check(&forks("assert k != 37 || x != 12345;"), "violated: assert at 4");
}
