//! Renders an answer as text for users.

use crate::json::{ConfirmationDocument, ConfirmationResult};
use crate::source_excerpt;
use aback_core::{Answer, DoubleCheck, Question, SecondSaid, Verdict, Violation};
use aback_ir::{FileId, Program, Span};
use aback_symbolic::BackwardWork;
use aback_witness::PathEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write;

/// Greatest number of path lines that are shown. The last lines of a longer path are shown.
const PATH_SHOWN: usize = 20;
/// Greatest number of characters of a source line that are shown.
const LINE_LENGTH: usize = 100;

/// The parts of the text beyond the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Detail {
    /// Use ANSI colours.
    pub color: bool,
    /// Show the whole path and the whole text of inputs.
    pub verbose: bool,
    /// Show the counters of the engine and of the solver's stages.
    pub statistics: bool,
    /// Show what the program prints before a violation.
    pub output: bool,
}

impl Detail {
    /// What matters most, without colours.
    pub const PLAIN: Detail = Detail { color: false, verbose: false, statistics: false, output: false };
}

/// The answer as text: the verdict, then either the place of a violation, its inputs and the path to it, or the
/// reasons.
pub fn render_answer(program: &Program, answer: &Answer, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_answer(&mut out, program, answer, detail);
    out
}

/// Text in a colour or weight, given by its ANSI code.
pub(crate) fn painted(text: &str, code: &str, color: bool) -> String {
    if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
}

/// The heading of a part of the answer.
fn heading(text: &str, detail: Detail) -> String {
    painted(text, "1", detail.color)
}

fn write_answer(out: &mut String, program: &Program, answer: &Answer, detail: Detail) -> std::fmt::Result {
    let paint = |text: &str, code: &str| painted(text, code, detail.color);
    let either = |violation, reach, null| match answer.question {
        Question::Violation => violation,
        Question::Reach => reach,
        Question::Null { .. } => null,
    };
    for condition in &answer.conditions {
        let place = program.show_span(condition.place.span);
        writeln!(out, "n{} {place}: {}", condition.node.0, condition.operation)?;
        writeln!(out, "    {}", condition.condition)?;
    }
    match (answer.verdict, &answer.violation) {
        (Verdict::Violated, Some(violation)) => {
            writeln!(out, "{}: {}", paint(answer.said(), "1;31"), violation.describe(program))?;
            write_violation(out, program, violation, detail)?;
            for violation in &answer.more {
                writeln!(out, "{}: {}", paint("and also", "1;31"), violation.describe(program))?;
                write_violation(out, program, violation, detail)?;
            }
            if answer.refuted_proof {
                let note = paint("note", "1;33");
                writeln!(out, "{note}: this refutes a proof that aback found: please report it with the program")?;
            }
        }
        (Verdict::Holds, _) => {
            let what = either(
                "no execution violates anything",
                "no execution gets to the line",
                "no execution gets there with null",
            );
            writeln!(out, "{}: {what}", paint(answer.said(), "1;32"))?;
            write_entries(out, program, answer)?;
        }
        (Verdict::HoldsWithinBounds, _) => {
            let what = either(
                "no violation was found",
                "no execution was found that gets to the line",
                "no execution was found that gets there with null",
            );
            writeln!(out, "{}: {what}", paint(answer.said(), "1;33"))?;
            write_entries(out, program, answer)?;
            writeln!(out, "  not covered: {}", answer.reason(program))?;
            write_advice(out, answer)?;
        }
        (Verdict::Unknown | Verdict::Violated, _) => {
            let what = either(
                "neither a violation",
                "neither an execution that gets to the line",
                "neither an execution that gets there with null",
            );
            writeln!(out, "{}: {what} nor a proof was found", paint(answer.said(), "1;33"))?;
            write_entries(out, program, answer)?;
            writeln!(out, "  because: {}", answer.reason(program))?;
            write_advice(out, answer)?;
        }
    }
    if detail.verbose && !answer.assumptions.is_empty() {
        writeln!(out, "assuming: {}", answer.assumptions.join("; "))?;
    }
    if let Some(check) = &answer.double_check {
        writeln!(out, "  double check: {}", describe_double_check(check))?;
    }
    if detail.statistics {
        let work = answer.work;
        writeln!(out, "time {:.3} s", answer.time.as_secs_f64())?;
        writeln!(
            out,
            "operations {}, paths {}, forks {}, pruned {}, longest path {}, most states waiting {}",
            work.operations, work.paths, work.forks, work.pruned, work.depth, work.waiting
        )?;
        if work.left_out > 0 {
            writeln!(out, "{} operations and branches of the program left out, which do not matter", work.left_out)?;
        }
        if work.joins > 0 {
            writeln!(out, "{} pairs of paths joined", work.joins)?;
        }
        if work.compared > 0 {
            writeln!(
                out,
                "{} paths dropped that go on like others, of {} that were compared with these",
                work.subsumed, work.compared
            )?;
        }
        if work.taken > 0 {
            writeln!(out, "{} parts of the search went to other threads", work.taken)?;
        }
        if work.backward.nodes > 0 {
            let BackwardWork { nodes, decided, named, learned, excluded } = work.backward;
            writeln!(
                out,
                "backward: nodes {nodes}, branches decided by earlier ones {decided}, conditions with names {named}, \
                 contradictions learned {learned}, paths that they excluded {excluded}"
            )?;
        }
        if let Some(probability) = work.prune_probability() {
            writeln!(
                out,
                "{} branches that intervals did not decide, asked about with probability {probability:.2} in {:.3} s",
                work.undecided,
                work.pruning.as_secs_f64()
            )?;
        }
        write!(out, "{}", answer.solving)?;
    }
    Ok(())
}

/// Writes the place of a violation, its inputs, the path to it, and the outcome of running it elsewhere.
fn write_violation(out: &mut String, program: &Program, violation: &Violation, detail: Detail) -> std::fmt::Result {
    out.push_str(&source_excerpt(program, violation.span, detail.color));
    if !out.ends_with('\n') {
        out.push('\n');
    }
    if let Some(library) = violation.library_method(program) {
        writeln!(out, "thrown in {library}, which is called there")?;
    }
    write_inputs(out, program, violation, detail)?;
    write_path(out, program, violation, detail)?;
    if !violation.models.is_empty() {
        writeln!(out, "note: the path depends on models: {}", violation.models.join(", "))?;
    }
    if let Some(unmade) = &violation.unmade {
        writeln!(out, "note: {unmade}")?;
    }
    if let Some(confirmation) = &violation.confirmation {
        writeln!(out, "{}", describe_confirmation(&ConfirmationDocument::from(confirmation), detail))?;
    }
    if detail.output {
        writeln!(out, "{}", heading("having printed:", detail))?;
        violation.output.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}

/// The other engine's answer about a proof, in one line.
fn describe_double_check(check: &DoubleCheck) -> String {
    let engine = check.engine;
    match &check.said {
        SecondSaid::Agrees => format!("the {engine} engine agrees"),
        SecondSaid::Undecided(reason) => format!("the {engine} engine came to no answer: {reason}"),
        SecondSaid::Disagrees => {
            format!(
                "the {engine} engine disagrees with a proof, which is a defect of aback: please report it with the program"
            )
        }
    }
}

/// Writes the entry points, unless the user named a single one.
fn write_entries(out: &mut String, program: &Program, answer: &Answer) -> std::fmt::Result {
    const SHOWN: usize = 5;
    if answer.entries.len() < 2 && answer.question == Question::Violation {
        return Ok(());
    }
    let names: Vec<String> = answer.entries.iter().take(SHOWN).map(|&entry| program.distinct_name(entry)).collect();
    let more = answer.entries.len() - names.len();
    let more = if more > 0 { format!(" and {more} more methods") } else { String::new() };
    writeln!(out, "  from: {}{more}", names.join(", "))
}

/// The outcome of running a counterexample outside aback, in one line. With all details, it says why there was no sandbox.
pub fn describe_confirmation(confirmation: &ConfirmationDocument, detail: Detail) -> String {
    let paint = |text: &str, code: &str| painted(text, code, detail.color);
    let (name, reason) = (confirmation.runtime.as_deref(), confirmation.reason.as_deref().unwrap_or_default());
    let place = match (confirmation.sandbox, &confirmation.no_sandbox) {
        (Some(true), _) => " in a sandbox".to_string(),
        (_, Some(reason)) if detail.verbose => format!(" without a sandbox ({reason})"),
        _ => String::new(),
    };
    let runtime = format!("{}{place}", name.unwrap_or_default());
    match confirmation.result {
        ConfirmationResult::Confirmed => format!("{} by {runtime}", paint("confirmed", "1;32")),
        ConfirmationResult::Differs => format!("{}: with {runtime}, {reason}", paint("not confirmed", "1;31")),
        ConfirmationResult::NotRun => format!("{}: {reason}", paint("could not be run", "1;33")),
    }
}

fn write_advice(out: &mut String, answer: &Answer) -> std::fmt::Result {
    answer.advice().iter().try_for_each(|advice| writeln!(out, "  help: {advice}"))
}

fn write_inputs(out: &mut String, program: &Program, violation: &Violation, detail: Detail) -> std::fmt::Result {
    /// Length to which longer texts are cut, unless everything is shown.
    const LENGTH: usize = 200;
    /// Greatest number of values that are shown, unless everything is shown.
    const GIVEN: usize = 30;
    let method = program.distinct_name(violation.entry);
    writeln!(out, "{}", heading(&format!("with the input of {method}:"), detail))?;
    let places = Places::of(program, violation);
    let given = violation.given.iter().filter(|given| !program.is_synthetic(given.method)).map(|given| {
        let place = places.show(given.span);
        (format!("{}() at {place}", program.method(given.method).name), given.shown.clone())
    });
    let given: Vec<(String, String)> = given.collect();
    if violation.shown_inputs.is_empty() && given.is_empty() {
        writeln!(out, "  (none)")?;
    }
    let shown = if detail.verbose { given.len() } else { given.len().min(GIVEN) };
    for (name, value) in violation.shown_inputs.iter().chain(&given[..shown]) {
        match value.char_indices().nth(LENGTH) {
            Some((end, _)) if !detail.verbose => writeln!(out, "  {name} = {}… (-v shows all)", &value[..end])?,
            _ => writeln!(out, "  {name} = {value}")?,
        }
    }
    if shown < given.len() {
        writeln!(out, "  … {} more values (-v shows all)", given.len() - shown)?;
    }
    if !violation.made_by.is_empty() {
        writeln!(out, "{}", heading("which these calls make:", detail))?;
    }
    for call in &violation.made_by {
        writeln!(out, "  {call}")?;
    }
    Ok(())
}

fn write_path(out: &mut String, program: &Program, violation: &Violation, detail: Detail) -> std::fmt::Result {
    let (left_out, gap) = violation.omitted;
    let gap = (left_out > 0).then_some(gap);
    let mut source = SourceLines::default();
    let places = Places::of(program, violation);
    let steps = steps(program, &mut source, violation, gap);
    let items = if detail.verbose { steps.into_iter().map(Item::Line).collect() } else { fold(&steps) };
    let skipped = if detail.verbose { 0 } else { items.len().saturating_sub(PATH_SHOWN) };
    writeln!(out, "{}", heading("by this path:", detail))?;
    if skipped > 0 {
        let lines: u64 = items[..skipped].iter().map(|item| item.lines(left_out)).sum();
        writeln!(out, "  … {lines} lines before (-v shows them)")?;
    }
    for item in &items[skipped..] {
        match item {
            Item::Line(Step::Gap) => writeln!(out, "  … {left_out} lines left out")?,
            Item::Line(Step::At(entry)) => {
                let indent = "  ".repeat(entry.depth.min(12));
                let text = source.line(program, entry.span);
                let text: String = text.chars().take(LINE_LENGTH).collect();
                let place = painted(&places.show(entry.span), "2", detail.color);
                let line = format!("  {indent}{place}  {text}");
                writeln!(out, "{}", line.trim_end())?;
            }
            Item::Again { depth, lines, times } => {
                let indent = "  ".repeat((*depth).min(12));
                let what = if *lines == 1 { "this line".into() } else { format!("these {lines} lines") };
                let times = if *times == 1 { "once".into() } else { format!("{times} times") };
                writeln!(out, "  {indent}… {what} {times} more")?;
            }
        }
    }
    Ok(())
}

/// Shows places on a path by the names of their files. The place of the violation itself is shown in full elsewhere.
struct Places<'a> {
    program: &'a Program,
    /// Files whose names are not unique.
    unclear: BTreeSet<FileId>,
}

impl<'a> Places<'a> {
    fn of(program: &'a Program, violation: &Violation) -> Self {
        let spans = violation.path.iter().map(|entry| entry.span).chain(violation.given.iter().map(|given| given.span));
        let files: BTreeSet<FileId> = spans.map(|span| span.file).collect();
        let mut named: BTreeMap<&OsStr, Vec<FileId>> = BTreeMap::new();
        for id in files {
            if let Some(name) = program.file(id).and_then(|file| file.path.file_name()) {
                named.entry(name).or_default().push(id);
            }
        }
        let unclear = named.into_values().filter(|files| files.len() > 1).flatten().collect();
        Places { program, unclear }
    }

    /// `Main.java:19`.
    fn show(&self, span: Span) -> String {
        let span = Span { column: 0, ..span };
        let name = self.program.file(span.file).and_then(|file| file.path.file_name());
        match name.filter(|_| span.is_known() && !self.unclear.contains(&span.file)) {
            Some(name) => format!("{}:{span}", name.to_string_lossy()),
            None => self.program.show_span(span),
        }
    }
}

/// A path entry that is shown, or the gap in a long path.
#[derive(Clone, Copy)]
enum Step {
    At(PathEntry),
    Gap,
}

impl Step {
    /// Whether both are the same line of the same activation depth and method.
    fn repeats(&self, other: &Step) -> bool {
        match (self, other) {
            (Step::At(a), Step::At(b)) => {
                (a.method, a.depth, a.span.file, a.span.line) == (b.method, b.depth, b.span.file, b.span.line)
            }
            _ => false,
        }
    }
}

/// A line of a path as shown.
enum Item {
    Line(Step),
    /// The preceding `lines` occur again, `times` times.
    Again {
        depth: usize,
        lines: usize,
        times: usize,
    },
}

impl Item {
    /// The number of lines of the path that this represents.
    fn lines(&self, left_out: u64) -> u64 {
        match self {
            Item::Line(Step::At(_)) => 1,
            Item::Line(Step::Gap) => left_out,
            Item::Again { lines, times, .. } => (lines * times) as u64,
        }
    }
}

/// The informative entries: known lines that have more than braces, each only once if it follows itself. The last
/// entry is the place of the violation, and stays even if its line has only braces.
fn steps<'a>(
    program: &'a Program,
    source: &mut SourceLines<'a>,
    violation: &Violation,
    gap: Option<usize>,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (i, entry) in violation.path.iter().enumerate() {
        if gap == Some(i) {
            steps.push(Step::Gap);
        }
        let text = source.line(program, entry.span);
        let noise = !text.is_empty() && !text.contains(char::is_alphanumeric);
        let last = i + 1 == violation.path.len();
        let step = Step::At(*entry);
        if !entry.span.is_known() || (noise && !last) || steps.last().is_some_and(|latest| step.repeats(latest)) {
            continue;
        }
        steps.push(step);
    }
    steps
}

/// Folds runs of repeated lines, as loops produce them, into one copy and a count.
fn fold(steps: &[Step]) -> Vec<Item> {
    /// Greatest length of a repeated run that is searched for, in lines.
    const LONGEST: usize = 60;
    let mut items = Vec::new();
    let mut i = 0;
    while i < steps.len() {
        let rest = &steps[i..];
        let same = |length: usize, k: usize| (0..length).all(|j| rest[j].repeats(&rest[k * length + j]));
        let repeated = (1..=LONGEST.min(rest.len() / 2)).find_map(|length| {
            let times = (1..rest.len() / length).take_while(|&k| same(length, k)).count();
            // A note instead of a single line would not be shorter.
            (length * times > 1).then_some((length, times))
        });
        let Some((length, times)) = repeated else {
            items.push(Item::Line(rest[0]));
            i += 1;
            continue;
        };
        items.extend(rest[..length].iter().map(|step| Item::Line(*step)));
        let depth = match rest[0] {
            Step::At(entry) => entry.depth,
            Step::Gap => 0,
        };
        items.push(Item::Again { depth, lines: length, times });
        i += length * (times + 1);
    }
    items
}

/// The lines of a program's files, in constant time: paths and files may be long.
#[derive(Default)]
struct SourceLines<'a> {
    files: Vec<(FileId, Vec<&'a str>)>,
}

impl<'a> SourceLines<'a> {
    /// The source line of a place, without its indentation; empty if the text is unknown.
    fn line(&mut self, program: &'a Program, span: Span) -> &'a str {
        let known = self.files.iter().position(|(file, _)| *file == span.file);
        let index = known.unwrap_or_else(|| {
            let text = program.file(span.file).and_then(|file| file.text.as_deref()).unwrap_or_default();
            self.files.push((span.file, text.lines().map(str::trim).collect()));
            self.files.len() - 1
        });
        let lines = &self.files[index].1;
        (span.line as usize).checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or_default()
    }
}
