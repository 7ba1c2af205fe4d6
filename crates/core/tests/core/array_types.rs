//! Arrays in inputs may have types that the program does not name. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Effort, Engine, check};
use std::time::Duration;

/// Each statement is violated by arrays of classes that the program does not name, so that it never simply holds.
#[test]
fn arrays_of_other_classes() {
    let questions = [
        "if (a instanceof Number[]) assert a instanceof Integer[] || a.getClass() == Number[].class;",
        "if (a instanceof Runnable[] && a.length > 0) { try { a[0] = (Runnable) () -> {}; } catch (ArrayStoreException e) { assert false; } }",
        "if (a instanceof Number[] && a.length > 0) { try { a[0] = Integer.valueOf(3); } catch (ArrayStoreException e) { assert false; } }",
        "if (o instanceof Number[] n && n.length > 0) { try { n[0] = 1; } catch (ArrayStoreException e) { assert false; } }",
        "if (a instanceof Number[]) assert a instanceof Integer[] || a instanceof Long[] || a instanceof Double[] || a.getClass() == Number[].class;",
        "if (all != null && all.length > 0) { try { all[0] = 1.5f; } catch (ArrayStoreException e) { return; } try { all[0] = 1; } catch (ArrayStoreException e) { assert false; } }",
        "if (all != null) assert all instanceof Integer[] || all instanceof Double[] || all.getClass() == Number[].class;",
    ];
    let asked: Vec<(&str, &str)> = questions.iter().map(|question| ("", *question)).collect();
    let program = numbered("Object[] a, Object o, Number[] all", &asked, "");
    for (index, question) in questions.iter().enumerate() {
        for engine in [Engine::Forward, Engine::Backward, Engine::Auto] {
            let config = CheckConfig {
                entry: Some(format!("Main.q{index}")),
                timeout: Some(Duration::from_secs(60)),
                engine,
                attack: Effort::None,
                ..CheckConfig::default()
            };
            let said = check(&program, &config).expect("an answer").verdict.to_string();
            assert_ne!(said, "holds", "{engine:?}: {question}");
        }
    }
}
