//! Derives the result of a task from the end of its process.

use crate::Tool;
use crate::process::End;
use crate::results::{Status, Verdict};
use serde::Deserialize;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The output of a verifier, which has at least these fields. `reason` may be missing.
#[derive(Deserialize)]
struct Printed {
    verdict: Verdict,
    reason: Option<String>,
    /// A counterexample that did not replay. This is a defect of the verifier, whatever the verdict.
    rejected: Option<serde::de::IgnoredAny>,
    /// Whether the violation contradicts a proof by the verifier itself, which is also a defect.
    #[serde(default)]
    refuted_proof: bool,
}

/// The result of a task, in the terms of a [`crate::TaskRecord`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Option<Verdict>,
    pub(crate) status: Status,
    pub(crate) reason: String,
    pub(crate) not_replayed: bool,
    pub(crate) refuted_proof: bool,
}

/// The observations of a process that has ended.
pub(crate) struct Evidence<'a> {
    pub(crate) end: End,
    pub(crate) stdout: &'a [u8],
    pub(crate) stderr: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) memory_limit: Option<u64>,
    /// The external verifier, if it is one.
    pub(crate) tool: Option<&'a Tool>,
}

impl Evidence<'_> {
    /// Whether a runtime reports that it cannot allocate what the memory limit does not allow.
    fn is_out_of_memory(&self) -> bool {
        self.memory_limit.is_some() && OUT_OF_MEMORY.iter().any(|text| self.stderr.contains(text))
    }
}

/// Messages of runtimes when an allocation fails: Rust, C++, dd and other GNU tools, libc, shells, the JVM and .NET.
const OUT_OF_MEMORY: [&str; 8] = [
    "memory allocation of",
    "bad_alloc",
    "memory exhausted",
    "Cannot allocate memory",
    "cannot allocate",
    "OutOfMemory",
    "out of memory",
    "Out of memory",
];

/// Compares the verifier's answer with what the task expects. Only a valid answer that agrees with the exit status
/// counts. Returns `None` if the process was killed because the whole run stops.
pub(crate) fn judge(expected: bool, evidence: &Evidence<'_>) -> Option<Answer> {
    let answer =
        |verdict, status, reason| Answer { verdict, status, reason, not_replayed: false, refuted_proof: false };
    let without_verdict = |status, reason| answer(None, status, reason);
    let out_of_memory = || without_verdict(Status::OutOfMemory, "ended at the memory limit".to_owned());
    Some(match evidence.end {
        End::Interrupted => return None,
        End::TimedOut => without_verdict(Status::Timeout, format!("killed after {} s", evidence.timeout.as_secs_f64())),
        End::Itself(exit) if let Some(tool) = evidence.tool => match tool.verdict(evidence.stdout, evidence.stderr) {
            (Verdict::Unknown, _) if evidence.is_out_of_memory() => out_of_memory(),
            (Verdict::Unknown, reason) => answer(Some(Verdict::Unknown), Status::Unknown, format!("{reason} ({exit})")),
            (verdict, reason) => answer(Some(verdict), Status::of(expected, verdict), reason.to_owned()),
        },
        End::Itself(exit) => match read(exit, evidence.stdout) {
            Ok(Printed { verdict, reason, rejected, refuted_proof }) => Answer {
                verdict: Some(verdict),
                status: Status::of(expected, verdict),
                reason: reason.unwrap_or_default(),
                not_replayed: rejected.is_some(),
                refuted_proof,
            },
            Err(_) if evidence.is_out_of_memory() => out_of_memory(),
            Err(message) => without_verdict(Status::Error, message),
        },
    })
}

/// The valid answer, or what is wrong with it.
fn read(exit: ExitStatus, stdout: &[u8]) -> Result<Printed, String> {
    if let Some(signal) = exit.signal() {
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
        return Err(format!("killed by signal {signal} ({name})"));
    }
    let code = exit.code().unwrap_or(-1);
    if code == 2 {
        return Err("the verifier rejects this input (exit status 2)".to_owned());
    }
    if stdout.iter().all(u8::is_ascii_whitespace) {
        return Err(format!("no answer on standard output (exit status {code})"));
    }
    let printed: Printed = serde_json::from_slice(stdout).map_err(|error| {
        format!("standard output is not one JSON object with a verdict (exit status {code}): {error}")
    })?;
    if printed.verdict.exit_status() != code {
        return Err(format!("the verdict is `{}`, but the exit status is {code}", printed.verdict));
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges a process that ended with a raw wait status, for a task that expects `true`.
    fn check(raw: i32, stdout: &str, stderr: &str, memory_limit: Option<u64>) -> String {
        let end = End::Itself(ExitStatus::from_raw(raw));
        let timeout = Duration::from_secs(1);
        let evidence = Evidence { end, stdout: stdout.as_bytes(), stderr, timeout, memory_limit, tool: None };
        judge(true, &evidence).map_or("none".into(), |answer| format!("{}: {}", answer.status, answer.reason))
    }

    const EXIT_1: i32 = 1 << 8;
    const EXIT_2: i32 = 2 << 8;
    const EXIT_3: i32 = 3 << 8;

    #[test]
    fn valid_answers_count() {
        assert_eq!(check(0, r#"{"verdict": "holds", "reason": "proved"}"#, "", None), "correct true: proved");
        assert_eq!(check(0, "{\"verdict\": \"holds\", \"more\": [1]}\n", "", None), "correct true: ");
        assert_eq!(check(EXIT_1, r#"{"verdict": "violated", "reason": null}"#, "", None), "wrong false: ");
        let bounds = r#"{"verdict": "holds within bounds", "reason": "10 unwindings"}"#;
        assert_eq!(check(EXIT_3, bounds, "", None), "unknown: 10 unwindings");
    }

    #[test]
    fn counterexamples_that_did_not_replay_are_noticed() {
        for (more, expected) in
            [("", false), (", \"rejected\": null", false), (", \"rejected\": {\"instead\": \"\"}", true)]
        {
            let stdout = format!("{{\"verdict\": \"unknown\"{more}}}");
            let end = End::Itself(ExitStatus::from_raw(EXIT_3));
            let timeout = Duration::from_secs(1);
            let evidence =
                Evidence { end, stdout: stdout.as_bytes(), stderr: "", timeout, memory_limit: None, tool: None };
            assert_eq!(judge(true, &evidence).unwrap().not_replayed, expected, "{stdout}");
        }
    }

    #[test]
    fn proofs_that_were_refuted_are_noticed() {
        for (more, expected) in [("", false), (", \"refuted_proof\": true", true)] {
            let stdout = format!("{{\"verdict\": \"violated\"{more}}}");
            let end = End::Itself(ExitStatus::from_raw(EXIT_1));
            let timeout = Duration::from_secs(1);
            let evidence =
                Evidence { end, stdout: stdout.as_bytes(), stderr: "", timeout, memory_limit: None, tool: None };
            assert_eq!(judge(false, &evidence).unwrap().refuted_proof, expected, "{stdout}");
        }
    }

    #[test]
    fn answers_that_disagree_with_the_exit_status_do_not_count() {
        let found = check(EXIT_1, r#"{"verdict": "holds", "reason": ""}"#, "", None);
        assert_eq!(found, "error: the verdict is `holds`, but the exit status is 1");
        let found = check(EXIT_2, r#"{"verdict": "holds", "reason": ""}"#, "", None);
        assert_eq!(found, "error: the verifier rejects this input (exit status 2)");
    }

    #[test]
    fn crashes_and_garbage_are_errors() {
        assert_eq!(check(6, "", "", None), "error: killed by signal 6 (SIGABRT)");
        assert_eq!(check(0, " \n", "", None), "error: no answer on standard output (exit status 0)");
        for garbage in
            ["holds", "{\"verdict\": \"maybe\"}", "{\"reason\": \"x\"}", "{\"verdict\": \"holds\"} more", "\u{0}"]
        {
            let found = check(0, garbage, "", None);
            assert!(found.starts_with("error: standard output is not one JSON object"), "{found}");
        }
    }

    #[test]
    fn failed_allocations_are_told_from_crashes_only_under_a_limit() {
        let stderr = "memory allocation of 4096 bytes failed\n";
        assert_eq!(check(6, "", stderr, Some(1)), "out of memory: ended at the memory limit");
        assert_eq!(check(6, "", stderr, None), "error: killed by signal 6 (SIGABRT)");
        assert_eq!(check(0, r#"{"verdict": "holds"}"#, stderr, Some(1)), "correct true: ");
    }
}
