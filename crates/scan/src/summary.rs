//! Sums up a scan for people.

use crate::finding::Finding;
use crate::store::{Answered, Stored};
use crate::suspicion::{Judgement, Suspicion};
use aback_report::{Detail, NamedInput, ViolationDocument, counted, describe_confirmation};
use std::collections::BTreeMap;
use std::fmt::{self, Result, Write};

/// Most findings that a summary shows.
const SHOWN: usize = 20;
/// Most characters of a value or description that a summary shows.
const LENGTH: usize = 160;
/// Most further places of a finding that a summary shows.
const PLACES: usize = 5;
/// Most reasons for unknown answers that a summary shows.
const REASONS: usize = 5;

/// The numbers of answers of each kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Proofs.
    pub holds: usize,
    /// Proofs within bounds.
    pub within_bounds: usize,
    /// Entry points with a violation.
    pub violated: usize,
    /// Those of them about which no more violations were looked for, by reason: they may fail at other places, too.
    pub open: BTreeMap<String, usize>,
    /// Entry points about which nothing is known, by reason.
    pub unknown: BTreeMap<String, usize>,
}

impl Counts {
    /// Counts answers.
    pub fn of<'a>(answers: impl IntoIterator<Item = &'a Stored>) -> Self {
        let mut counts = Counts::default();
        for stored in answers {
            match &stored.answer {
                Answered::Reply(reply) if !reply.violations.is_empty() => {
                    counts.violated += 1;
                    if reply.is_cut {
                        *counts.open.entry(main_reason(&reply.reason)).or_default() += 1;
                    }
                }
                Answered::Reply(reply) => match reply.rest.as_str() {
                    "holds" => counts.holds += 1,
                    "holds within bounds" => counts.within_bounds += 1,
                    _ => *counts.unknown.entry(main_reason(&reply.reason)).or_default() += 1,
                },
                Answered::Lost(reason) => *counts.unknown.entry(reason.clone()).or_default() += 1,
            }
        }
        counts
    }

    /// The number of entry points about which nothing is known.
    pub fn unknowns(&self) -> usize {
        self.unknown.values().sum()
    }

    /// The number of entry points about which no more violations were looked for.
    pub fn open(&self) -> usize {
        self.open.values().sum()
    }

    /// The number of entry points about which nothing is known, or no more violations were looked for.
    pub fn undecided(&self) -> usize {
        self.unknowns() + self.open()
    }
}

/// The reason that matters most, without its place: a reader wants to know what to do about many answers.
fn main_reason(reason: &str) -> String {
    let mut reasons = reason.split("; ");
    let first = reasons.clone().find(|reason| *reason == "time limit").or_else(|| reasons.next()).unwrap_or_default();
    first.split(" at ").next().unwrap_or(first).to_string()
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> Result {
        let Counts { holds, within_bounds, violated, .. } = self;
        let unknown = self.unknowns();
        let entries = counted(holds + within_bounds + violated + unknown, "entry point");
        let open = match self.open() {
            0 => String::new(),
            open => format!(" ({open} perhaps at other places, too)"),
        };
        write!(
            f,
            "{entries}: {violated} can fail{open}, {holds} cannot, {within_bounds} cannot within bounds, {unknown} unknown"
        )
    }
}

/// The numbers of findings that are not shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hidden {
    /// Those of an earlier scan.
    pub known: usize,
    /// Those that comments and annotations in the sources suppress.
    pub suppressed: usize,
    /// Those with inputs that no known calls make.
    pub unmade: usize,
    /// Violations that are exceptions by which entry points refuse their arguments.
    pub refused: usize,
    /// Other violations with arguments that are null although nothing in the program provides for that.
    pub unexpected_nulls: usize,
}

/// The findings and the numbers of answers, as text.
pub fn summary(findings: &[Finding], hidden: &Hidden, counts: &Counts) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut out, findings, hidden, counts);
    out
}

fn write_summary(out: &mut String, findings: &[Finding], hidden: &Hidden, counts: &Counts) -> Result {
    for finding in findings.iter().take(SHOWN) {
        write_finding(out, finding)?;
    }
    if findings.len() > SHOWN {
        writeln!(out, "… and {} more findings", findings.len() - SHOWN)?;
    }
    if !findings.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", counted(findings.len(), "finding"))?;
    if hidden.known > 0 {
        writeln!(out, "  not shown: {} known from an earlier scan", hidden.known)?;
    }
    if hidden.suppressed > 0 {
        writeln!(out, "  not shown: {} that the sources suppress", hidden.suppressed)?;
    }
    let without_reason = findings.iter().flat_map(Finding::places).filter(|finding| finding.lacks_reason).count();
    if without_reason > 0 {
        writeln!(out, "  shown: {without_reason} that the sources suppress without a reason, which has no effect")?;
    }
    if hidden.unmade > 0 {
        writeln!(out, "  not shown: {} with inputs that no known calls make (--inputs any)", hidden.unmade)?;
    }
    let blamed = [
        (hidden.refused, "exception", "by which methods refuse arguments"),
        (
            hidden.unexpected_nulls,
            "violation",
            "with null for a parameter, or in an array, that the code does not test",
        ),
    ];
    for (number, noun, what) in blamed.into_iter().filter(|(number, ..)| *number > 0) {
        writeln!(out, "  not shown: {} {what} (--no-trust)", counted(number, noun))?;
    }
    writeln!(out, "{counts}")?;
    for (what, reasons) in [("perhaps at other places", &counts.open), ("unknown", &counts.unknown)] {
        let mut reasons: Vec<(&String, &usize)> = reasons.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
        for (reason, count) in reasons.into_iter().take(REASONS) {
            writeln!(out, "  {what}: {count} because of {reason}")?;
        }
    }
    Ok(())
}

fn write_input(out: &mut String, violation: &ViolationDocument) -> Result {
    let is_made = !violation.made_by.is_empty();
    let shown = |input: &NamedInput| format!("{} = {}", input.name, shortened(&input.value, is_made));
    let inputs: Vec<String> = violation.shown_inputs.iter().map(shown).collect();
    if !inputs.is_empty() {
        writeln!(out, "  with {}", inputs.join("; "))?;
    }
    Ok(())
}

/// The text of a value, without the fields of an object about which the calls that make it say enough.
fn shortened(value: &str, is_made: bool) -> String {
    let object = value.find(" { ").filter(|&end| is_made && value[..end].contains('#') && !value.starts_with('"'));
    let value = object.map_or(value, |end| &value[..end]);
    match value.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.into(),
    }
}

fn write_finding(out: &mut String, finding: &Finding) -> Result {
    let violation = &finding.violation;
    let description = shortened(&violation.description, false);
    writeln!(out, "{}:{}: {description}", violation.place.file, violation.place.line)?;
    let more = match finding.entries.len() {
        0 | 1 => String::new(),
        entries => format!(", and from {} more", entries - 1),
    };
    writeln!(out, "  from {}{more}", finding.entries.first().unwrap_or(&violation.entry))?;
    write_also(out, finding)?;
    write_input(out, violation)?;
    if !violation.made_by.is_empty() {
        writeln!(out, "  made by {}", violation.made_by.join("; "))?;
    }
    if let Some(unmade) = &violation.unmade {
        writeln!(out, "  but {unmade}")?;
    }
    if let Some(confirmation) = &violation.confirmation {
        writeln!(out, "  {}", describe_confirmation(confirmation, Detail::PLAIN))?;
    }
    Ok(())
}

/// The other places with the same cause.
fn write_also(out: &mut String, finding: &Finding) -> Result {
    let (Some(cause), [_, ..]) = (&finding.violation.cause, &finding.also[..]) else { return Ok(()) };
    let place = |other: &Finding| format!("{}:{}", other.violation.place.file, other.violation.place.line);
    let places: Vec<String> = finding.also.iter().take(PLACES).map(place).collect();
    let more = match finding.also.len().saturating_sub(PLACES) {
        0 => String::new(),
        more => format!(", and {}", counted(more, "more place")),
    };
    writeln!(out, "  {cause}, also at {}{more}", places.join(", "))
}

/// What is known about the warnings of another tool, as text.
pub fn judgements_text(judgements: &[(Suspicion, Judgement)]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_judgements(&mut out, judgements);
    out
}

fn write_judgements(out: &mut String, judgements: &[(Suspicion, Judgement)]) -> Result {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (suspicion, judgement) in judgements {
        let (word, reason) = (judgement.word(), judgement.reason());
        *counts.entry(word).or_default() += 1;
        writeln!(out, "{word}: {}: {}: {}", suspicion.place(), suspicion.rule, suspicion.message)?;
        if let Some(violation) = judgement.shown_by() {
            writeln!(out, "  from {}", violation.entry)?;
            write_input(out, violation)?;
        } else if !reason.is_empty() {
            writeln!(out, "  because of {reason}")?;
        }
    }
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    writeln!(out, "{}: {}", counted(judgements.len(), "warning"), counts.join(", "))
}
