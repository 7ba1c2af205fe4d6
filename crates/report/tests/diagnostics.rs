//! Checks the rendering of messages, which must not panic on any place.

use aback_ir::{Diagnostic, FileId, Program, SourceFile, Span};
use aback_report::{render_diagnostics, source_excerpt};
use proptest::prelude::*;

/// A program with one file, and a place in it.
fn at(text: Option<&str>, (line, column, length): (u32, u32, u32)) -> (Program, Span) {
    let program = Program::new();
    let file = program.add_file(SourceFile { path: "src/Main.oox".into(), text: text.map(Into::into) });
    (program, Span { file, line, column, length })
}

/// One rendered error.
fn error(text: &str, place: (u32, u32, u32)) -> String {
    let (program, span) = at(Some(text), place);
    render_diagnostics(&program, &[Diagnostic::error(span, "something is wrong")], false)
}

const LIST: &str = "class List {\n\tint head;\n\tint get(int i) {\n\t\treturn this.heda;\n\t}\n}\n";

#[test]
fn errors_and_warnings_with_help() {
    let (program, span) = at(Some(LIST), (4, 15, 4));
    let unused = Span { line: 3, column: 14, length: 1, ..span };
    let shown = render_diagnostics(
        &program,
        &[
            Diagnostic::error(span, "class `List` has no field `heda`").with_help("did you mean `head`?"),
            Diagnostic::warning(unused, "parameter `i` is never read"),
        ],
        false,
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn colors() {
    let (program, span) = at(Some(LIST), (4, 15, 4));
    let shown = render_diagnostics(&program, &[Diagnostic::error(span, "no such field").with_help("`head`?")], true);
    insta::assert_snapshot!(shown.replace('\u{1b}', "ESC"));
}

#[test]
fn no_messages_are_no_text() {
    assert_eq!(render_diagnostics(&Program::new(), &[], false), "");
}

#[test]
fn odd_places() {
    let long = format!("{}oops{}", "long ".repeat(100), " line".repeat(100));
    let cases = [
        ("only the line is known", error(LIST, (2, 0, 0))),
        ("only the start is known", error(LIST, (2, 6, 0))),
        ("past the end of the line", error(LIST, (2, 90, 3))),
        ("longer than the line", error(LIST, (2, 2, 90))),
        ("past the end of the file", error(LIST, (90, 2, 3))),
        ("no line", error(LIST, (0, 0, 0))),
        ("empty line", error("a\n\nb\n", (2, 1, 1))),
        ("empty file", error("", (1, 1, 1))),
        ("wide characters", error("s = \"日本語\" + x;\n", (1, 13, 1))),
        ("line ends of DOS", error("a = 1;\r\nb = c;\r\n", (2, 5, 9))),
        ("control characters", error("a\u{1b}[31m\u{0} = b;", (1, 11, 1))),
        ("a very long line", error(&long, (1, 501, 4))),
        ("a very long place", error(&long, (1, 11, 800))),
    ];
    let shown: String = cases.map(|(title, text)| format!("== {title}\n{text}")).concat();
    insta::assert_snapshot!(shown);
}

#[test]
fn files_without_text_and_places_without_a_file() {
    let (program, span) = at(None, (4, 2, 1));
    let nowhere = Diagnostic::error(Span::NONE, "there is no class `Main`").with_help("name the entry point");
    let shown = render_diagnostics(&program, &[Diagnostic::warning(span, "compiled without sources"), nowhere], false);
    insta::assert_snapshot!(shown);
}

#[test]
fn excerpts() {
    let (program, span) = at(Some(LIST), (4, 15, 4));
    insta::assert_snapshot!(source_excerpt(&program, span, false));
    assert_eq!(source_excerpt(&program, Span::NONE, false), "");
}

proptest! {
    #[test]
    fn no_place_panics(
        text in proptest::option::of("(\\PC|[\r\n\t\u{0}\u{1b}\u{301}\u{200d}日🚀]){0,400}"),
        file in prop_oneof![Just(0), Just(1), Just(u32::MAX)],
        line in prop_oneof![0..6u32, Just(u32::MAX)],
        column in prop_oneof![0..410u32, Just(u32::MAX)],
        length in prop_oneof![0..410u32, Just(u32::MAX)],
        message in "(\\PC|[\r\n\t\u{1b}]){0,40}",
        help in proptest::option::of("(\\PC|[\r\n\t]){0,40}"),
        color: bool,
    ) {
        let (program, _) = at(text.as_deref(), (0, 0, 0));
        let span = Span { file: FileId(file), line, column, length };
        let mut diagnostic = Diagnostic::error(span, message);
        diagnostic.help = help;
        let shown = render_diagnostics(&program, &[diagnostic.clone(), diagnostic], color);
        prop_assert!(shown.ends_with('\n'));
        source_excerpt(&program, span, color);
    }
}
