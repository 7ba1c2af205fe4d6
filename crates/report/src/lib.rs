//! What a person sees.
//!
//! Front ends say what is wrong with a program as [`Diagnostic`]s, and engines say where something happens as a
//! [`Span`]; this crate turns both into text with the line in question, as compilers do:
//! [`render_diagnostics`] for messages, [`source_excerpt`] for a place alone. [`render_answer`] and [`Document`] show the
//! answer to a question, to a person and to a tool; [`render_steps`], [`render_html`], [`render_svg`] and [`Screen`] show a
//! counterexample from its file. Nothing here prints, asks whether there
//! is a terminal, or can fail: a place that is not in the sources is shown as well as it can be.
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
mod json;
mod replay;
mod sarif;
mod sv_witness;

pub use answer::{Detail, describe_confirmation, render_answer};
pub use json::{
    ConfirmationDocument, DiagnosticDocument, Document, ExceptionDocument, GivenDocument, NamedInput, PlaceDocument,
    Provenance, RejectedDocument, StatisticsDocument, StepDocument, VERSION, ViolationDocument,
};
pub use sarif::sarif;
pub use sv_witness::{Returned, SvWitness};

pub use replay::*;

use aback_ir::{Diagnostic, Program, Severity, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use excerpt::Excerpt;

/// All messages in the order given, each with its place, its line where the text is known, and its help; a blank
/// line between two, a newline at the end, nothing at all for no messages. `color` adds ANSI colours. Never panics,
/// wherever a span points to.
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

/// A place and its line with a caret below, as [`render_diagnostics`] shows them but without a message: the violated
/// line of a counterexample, say. Ends with a newline; empty if the place is not known at all.
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

/// Lines wider than this are cut around the place that they are shown for.
const WIDTH: usize = 120;

fn renderer(color: bool) -> Renderer {
    if color { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH)
}
