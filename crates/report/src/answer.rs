//! An answer as text for a person.

use crate::source_excerpt;
use aback_core::{Answer, Verdict, Violation};
use aback_ir::{Program, Span};
use std::fmt::Write;

/// Lines of a path that are shown; of longer ones, the last.
const PATH_SHOWN: usize = 20;

/// What the text has beyond the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Detail {
    /// ANSI colours.
    pub color: bool,
    /// The whole path and the inputs' whole text.
    pub verbose: bool,
    /// Counters of the engine and of the solver's stages.
    pub statistics: bool,
}

/// The answer as text: the verdict, then, of a violation, the place, the inputs and the path to it, else the reasons.
pub fn render_answer(program: &Program, answer: &Answer, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_answer(&mut out, program, answer, detail);
    out
}

fn write_answer(out: &mut String, program: &Program, answer: &Answer, detail: Detail) -> std::fmt::Result {
    let paint = |text: &str, code: &str| if detail.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() };
    match (answer.verdict, &answer.violation) {
        (Verdict::Violated, Some(violation)) => {
            writeln!(out, "{}: {}", paint("violated", "1;31"), violation.describe(program))?;
            out.push_str(&source_excerpt(program, violation.place.span, detail.color));
            if !out.ends_with('\n') {
                out.push('\n');
            }
            write_inputs(out, program, violation, detail)?;
            write_path(out, program, violation, detail)?;
        }
        (Verdict::Holds, _) => writeln!(out, "{}: no execution violates anything", paint("holds", "1;32"))?,
        (Verdict::HoldsWithinBounds, _) => {
            writeln!(out, "{}: no violation was found", paint("holds within bounds", "1;33"))?;
            writeln!(out, "  not covered: {}", answer.reason(program))?;
        }
        (Verdict::Unknown | Verdict::Violated, _) => {
            writeln!(out, "{}: neither a violation nor a proof was found", paint("unknown", "1;33"))?;
            writeln!(out, "  because: {}", answer.reason(program))?;
        }
    }
    if detail.statistics {
        let work = answer.work;
        writeln!(out, "time {:.3} s", answer.time.as_secs_f64())?;
        writeln!(
            out,
            "operations {}, paths {}, forks {}, pruned {}, longest path {}, most states waiting {}",
            work.operations, work.paths, work.forks, work.pruned, work.depth, work.waiting
        )?;
        write!(out, "{}", answer.solving)?;
    }
    Ok(())
}

fn write_inputs(out: &mut String, program: &Program, violation: &Violation, detail: Detail) -> std::fmt::Result {
    /// Longer texts are cut unless all is asked for.
    const LENGTH: usize = 200;
    writeln!(out, "with the input of {}:", program.method_name(violation.entry))?;
    if violation.shown_inputs.is_empty() {
        writeln!(out, "  (none)")?;
    }
    for (name, value) in &violation.shown_inputs {
        match value.char_indices().nth(LENGTH) {
            Some((end, _)) if !detail.verbose => writeln!(out, "  {name} = {}… (-v shows all)", &value[..end])?,
            _ => writeln!(out, "  {name} = {value}")?,
        }
    }
    Ok(())
}

fn write_path(out: &mut String, program: &Program, violation: &Violation, detail: Detail) -> std::fmt::Result {
    let (omitted, gap) = violation.omitted;
    let steps: Vec<_> = violation.path.iter().enumerate().filter(|(_, entry)| Span::is_known(entry.span)).collect();
    let skipped = if detail.verbose { 0 } else { steps.len().saturating_sub(PATH_SHOWN) };
    writeln!(out, "by this path:")?;
    if skipped > 0 {
        writeln!(out, "  … {} lines before (-v shows them)", skipped as u64 + omitted)?;
    }
    for (i, entry) in &steps[skipped..] {
        if omitted > 0 && *i == gap && skipped == 0 {
            writeln!(out, "  … {omitted} lines left out")?;
        }
        let indent = "  ".repeat(entry.depth.min(12));
        let text = line_text(program, entry.span);
        writeln!(out, "  {}{}  {}", indent, program.show_span(Span { column: 0, ..entry.span }), text)?;
    }
    Ok(())
}

/// The source line of a place, without its indentation; empty if the text is not known.
fn line_text(program: &Program, span: Span) -> String {
    const LENGTH: usize = 100;
    let text = program.file(span.file).and_then(|file| file.text.as_deref()).unwrap_or_default();
    let line = text.lines().nth((span.line as usize).saturating_sub(1)).unwrap_or_default().trim();
    line.chars().take(LENGTH).collect()
}
