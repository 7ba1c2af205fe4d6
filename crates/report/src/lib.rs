//! Presents answers, messages and counterexamples to users and tools.
//!
//! Front ends report mistakes in a program as [`Diagnostic`]s, and engines report places as [`Span`]s. This crate
//! turns both into text with the source line, as compilers do: [`render_diagnostics`] for messages,
//! [`source_excerpt`] for a place alone. [`render_answer`] and [`Document`] present the answer to a question, for
//! users and for tools. [`render_steps`], [`render_html`], [`render_svg`] and [`Screen`] present a counterexample
//! from its file. Nothing here prints, checks for a terminal, or can fail: a place outside the sources is shown as
//! well as possible.
//!
//! ```
//! use aback_ir::{Diagnostic, Program, SourceFile, Span};
//!
//! let mut program = Program::new();
//! let file = program.add_file(SourceFile { path: "Main.oox".into(), text: Some("int x = ;\n".into()) });
//! let place = Span { file, line: 1, column: 9, length: 1 };
//! let message = Diagnostic::error(place, "expected an expression").with_help("write a value after `=`");
//!
//! let text = aback_report::render_diagnostics(&program, &[message], false);
//! assert_eq!(
//!     text,
//!     "\
//! error: expected an expression
//!  --> Main.oox:1:9
//!   |
//! 1 | int x = ;
//!   |         ^
//!   |
//!   = help: write a value after `=`
//! "
//! );
//! ```

mod answer;
mod excerpt;
mod explored;
mod flow;
mod json;
mod replay;
mod sarif;
mod sv_witness;
mod ways;

pub use answer::{Detail, describe_confirmation, render_answer};
pub use explored::{
    BehaviourDocument, EXPLORED_VERSION, ExploredDocument, LeftOutDocument, TestDocument, TestsDocument, counted,
    render_explored, render_explored_html, render_tests,
};
pub use flow::{embedded, render_graphs};
pub use json::{
    BackwardDocument, BlameDocument, ConfirmationDocument, ConfirmationResult, DiagnosticDocument, Document,
    ExceptionDocument, GivenDocument, Kind, NamedInput, PlaceDocument, Provenance, RejectedDocument,
    StatisticsDocument, StepDocument, VERSION, ViolationDocument,
};
pub use sarif::{
    EARLIER_FINGERPRINT, FINGERPRINT, Fingerprints, Reported, Run, code_flows, earlier_fingerprint, rule, sarif,
    sarif_of,
};
pub use sv_witness::{Returned, SvFormat, SvWitness, Violated};
pub use ways::{IterationsDocument, LoopDocument, WayDocument, render_ways};

pub use replay::*;

use aback_ir::{Diagnostic, Program, Severity, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use excerpt::Excerpt;

/// All messages in the given order, each with its place, its source line if the text is known, and its help. A blank
/// line separates messages, and the text ends with a newline; without messages, it is empty. `color` adds ANSI
/// colours. Never panics, whatever a span refers to.
pub fn render_diagnostics(program: &Program, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = renderer(color);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let group = level
            .primary_title(diagnostic.message.as_str())
            .elements(place(program, diagnostic.span))
            .elements(diagnostic.help.as_deref().map(|help| Level::HELP.message(help)));
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&renderer.render(&[group]));
        out.push('\n');
    }
    out
}

/// A place and its line with a caret below, as in [`render_diagnostics`] but without a message, for example for the
/// violated line of a counterexample. Ends with a newline; empty if the place is unknown.
pub fn source_excerpt(program: &Program, span: Span, color: bool) -> String {
    let Some(place) = place(program, span) else { return String::new() };
    let mut out = renderer(color).render(&[Group::with_level(Level::ERROR).element(place)]);
    out.push('\n');
    out
}

/// `--> path:line:column` and the line itself, each as far as it is known.
fn place(program: &Program, span: Span) -> Option<Element<'_>> {
    let file = program.file(span.file)?;
    let path = file.path.display().to_string().replace(char::is_control, "\u{fffd}");
    let excerpt = file.text.as_deref().and_then(|text| Excerpt::new(text, span));
    Some(match excerpt {
        Some(Excerpt { text, highlight }) => Snippet::source(text)
            .path(path)
            .line_start(span.line as usize)
            .annotation(AnnotationKind::Primary.span(highlight))
            .into(),
        None if !span.is_known() => Origin::path(path).into(),
        None => {
            let origin = Origin::path(path).line(span.line as usize);
            if span.column == 0 { origin } else { origin.char_column(span.column as usize) }.into()
        }
    })
}

/// Greatest width of a shown line, in columns. Wider lines are cut around the place of interest.
const WIDTH: usize = 120;

fn renderer(color: bool) -> Renderer {
    if color { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH)
}
