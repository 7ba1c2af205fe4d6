//! Limits of the size of inputs in Java programs, where strings and collections have arrays of their own. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Effort, Engine, check};
use aback_forward::HeapKind;
use aback_ir::InputLimits;
use std::time::Duration;

#[test]
fn arrays_inside_of_strings_and_collections_do_not_count() {
    let methods = [
        ("violated", "if (l != null && l.size() == 1) assert l.get(0) != null;"),
        ("violated", "if (l != null && l.size() == 1) assert !l.contains(null);"),
        ("violated", "if (s != null && s.length() == 5) assert s.charAt(4) != 'x';"),
        ("holds within bounds", "if (a != null) assert a.length != 4;"),
        ("violated", "if (a != null) assert a.length != 3;"),
    ];
    let program = numbered("ArrayList<Object> l, String s, int[] a", &methods, "");
    for (index, (expected, code)) in methods.iter().enumerate() {
        // Lists are hard backward.
        let backward = (!code.contains("l.size()")).then_some((Engine::Backward, HeapKind::Combined));
        let forward = [HeapKind::Combined, HeapKind::Lazy].map(|heap| (Engine::Forward, heap));
        for (engine, heap) in forward.into_iter().chain(backward) {
            let config = CheckConfig {
                entry: Some(format!("Main.q{index}")),
                timeout: Some(Duration::from_secs(60)),
                input_limits: InputLimits { elements: Some(3), objects: None },
                attack: Effort::None,
                engine,
                heap,
                ..CheckConfig::default()
            };
            let answer = check(&program, &config).expect("a question with a meaning");
            let reason = answer.reason(&program);
            assert_eq!(answer.verdict.to_string(), *expected, "{engine} {heap:?}: {code}: {reason}");
        }
    }
}
