//! What does not matter in Java programs is not executed. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Exceptions, Violations, check};

/// Statistics beside what assertions are about.
const MEMBERS: &str = "static long checksum; static int large;";

#[test]
fn statistics_on_which_no_assertion_depends_are_left_out() {
    let code = |claim: &str| {
        format!(
            "if (n < 0 || n > 4000) return;
             for (int i = 0; i < n; i++) {{ checksum = checksum * 31 + i; if (i % 3 == 1) large++; }}
             int balance = 0;
             for (int part : new int[] {{ n & 15, n >> 4 & 15 }}) {{ if (part > 7) large--; balance += part; }}
             assert {claim};"
        )
    };
    for (claim, expected) in [("balance <= 30", "holds"), ("balance != 29", "violated")] {
        let program = numbered("int n", &[("", &code(claim))], MEMBERS);
        let ask = |slice: bool| {
            let backward = aback_backward::Config { slice, ..aback_backward::Config::default() };
            let entry = Some("Main.q0".into());
            let violations = Violations { assertions: true, exceptions: Exceptions::None };
            let config = CheckConfig { entry, violations, operations: Some(2_000), backward, ..CheckConfig::default() };
            let answer = check(&program, &config).expect("a question with a meaning");
            (answer.verdict.to_string(), answer.work.left_out > 0, answer.reason(&program))
        };
        let (verdict, is_sliced, reason) = ask(true);
        assert_eq!((verdict.as_str(), is_sliced), (expected, true), "{claim}: {reason}");
        let (verdict, is_sliced, reason) = ask(false);
        assert_eq!((verdict.as_str(), is_sliced), ("unknown", false), "{claim}: {reason}");
    }
}
