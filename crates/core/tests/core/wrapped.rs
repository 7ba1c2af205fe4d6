//! Exceptions of instructions, whose messages are unknown, as causes of others. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Engine, check};
use std::time::Duration;

/// The message is unknown only to code that reads it.
#[test]
fn messages_that_nobody_reads() {
    let questions = [
        (
            "holds",
            "try { wrap(s); } catch (IllegalStateException e) { assert e.getCause() instanceof NullPointerException; }",
        ),
        ("violated", "try { wrap(s); } catch (IllegalStateException e) { assert e.getCause() == null; }"),
        (
            "violated",
            "try { wrap(s); } catch (Mine e) { assert false; } catch (RuntimeException e) { assert s != null; }",
        ),
        ("unknown", "try { wrap(s); } catch (IllegalStateException e) { assert e.getMessage() == null; }"),
        ("unknown", "try { wrap(s); } catch (IllegalStateException e) { assert new Mine(e).getMessage() == null; }"),
        ("holds", "try { n = s.length; } catch (NullPointerException e) { e.printStackTrace(); assert s == null; }"),
        ("holds", "assert new RuntimeException((Throwable) null).getMessage() == null;"),
        (
            "holds",
            "Throwable t = new RuntimeException(new Mine(null)); assert t.getMessage().endsWith(\"Mine: mine\");",
        ),
        (
            "holds",
            "try { n = 10 / n; } catch (ArithmeticException e) { assert new Error(e).getMessage().endsWith(\": / by zero\"); }",
        ),
        // The text of the cause is asked for at once, as in the library.
        ("violated", "new Mine(new Mine(null)); assert asked == 0;"),
    ];
    let members = "static int asked;
        static void wrap(int[] s) { try { asked += s.length; asked -= s.length; } catch (NullPointerException e) { throw new IllegalStateException(e); } }
        static class Mine extends RuntimeException {
            Mine(Throwable cause) { super(cause); }
            public String getMessage() { asked++; return getCause() == null ? \"mine\" : super.getMessage(); }
        }";
    let program = numbered("int[] s, int n", &questions, members);
    for (index, (expected, question)) in questions.iter().enumerate() {
        for engine in [Engine::Forward, Engine::Backward, Engine::Auto] {
            let config = CheckConfig {
                entry: Some(format!("Main.q{index}")),
                timeout: Some(Duration::from_secs(60)),
                engine,
                ..CheckConfig::default()
            };
            let answer = check(&program, &config).expect("an answer");
            let said = answer.verdict.to_string();
            let is_right = said == *expected || engine != Engine::Auto && said == "unknown";
            assert!(is_right, "{engine:?}: {said} ({}): {question}", answer.reason(&answer.program));
        }
    }
}
