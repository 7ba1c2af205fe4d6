//! Detects wrong verdicts.

use aback_backward::Encoding;
use aback_core::{CheckConfig, Engine, Exceptions, Verdict, Violations, check};
use aback_forward::{Choices, Subsumption};
use aback_ir::Program;
use std::fmt;
use std::time::Duration;

/// A verdict about the main method of a class, and the true verdict.
pub struct Judged {
    name: String,
    /// Whether a violation exists.
    is_violated: bool,
    pub verdict: Verdict,
    reason: String,
    /// Whether a concrete run refuted a proof of the engine.
    is_refuted: bool,
    pub time: Duration,
}

impl Judged {
    /// Asks whether a violation is possible.
    pub fn new(
        program: &Program,
        name: &str,
        exceptions: Exceptions,
        (engine, timeout): (Engine, Duration),
        is_violated: bool,
    ) -> Self {
        // Half of the programs, whichever, are about the other encoding of the backward engine.
        let encoding = match name.bytes().map(u32::from).sum::<u32>() % 2 {
            0 => Encoding::Reads,
            _ => Encoding::Arrays,
        };
        let config = CheckConfig {
            backward: aback_backward::Config { encoding, ..aback_backward::Config::default() },
            entry: Some(format!("{name}.main")),
            violations: Violations { assertions: true, exceptions },
            timeout: Some(timeout),
            engine,
            choices: Choices::Split,
            subsumption: Subsumption::Always,
            ..CheckConfig::default()
        };
        let answer = check(program, &config).expect("the question has a meaning");
        let (verdict, reason, time) = (answer.verdict, answer.reason(program), answer.time);
        let is_refuted = answer.refuted_proof;
        Judged { name: name.to_owned(), is_violated, verdict, reason, is_refuted, time }
    }

    /// Whether the verdict contradicts the JVM, or is right only because a concrete run refuted a proof.
    pub fn is_wrong(&self) -> bool {
        self.is_refuted
            || match self.verdict {
                Verdict::Holds | Verdict::HoldsWithinBounds => self.is_violated,
                Verdict::Violated => !self.is_violated,
                Verdict::Unknown => false,
            }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = if self.is_violated { "is violated" } else { "holds" };
        write!(f, "{}: on a JVM it {expected}, aback says {}", self.name, self.verdict)?;
        if self.is_refuted {
            write!(f, " after a proof that it refuted itself")?;
        }
        if self.reason.is_empty() { Ok(()) } else { write!(f, " ({})", self.reason) }
    }
}
