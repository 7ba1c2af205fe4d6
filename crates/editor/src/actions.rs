//! Offers the questions about a line as code actions, and those about assertions as code lenses.

use crate::convert::SOURCE;
use crate::program::Language;
use crate::question::{FoundPath, Spot};
use aback_scan::tokens::{self, Token, tokens};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, Diagnostic, DiagnosticSeverity, Position,
    Range, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// Asks whether the line can be reached.
pub(crate) const REACH: &str = "aback.reach";
/// Asks whether something can fail at the line.
pub(crate) const CHECK: &str = "aback.check";
/// Asks whether a reference can be null at the line.
pub(crate) const NULL: &str = "aback.null";
/// Shows the execution of a witness.
pub(crate) const REPLAY: &str = "aback.replay";
/// Writes a unit test for a path.
pub(crate) const TEST: &str = "aback.test";
/// Goes back from a line by hand.
pub(crate) const BACK: &str = "aback.back";
/// Draws the control-flow graphs of the methods at a line.
pub(crate) const GRAPH: &str = "aback.graph";
/// All commands of the server.
pub(crate) const COMMANDS: [&str; 7] = [REACH, CHECK, NULL, REPLAY, TEST, BACK, GRAPH];

fn command(title: &str, name: &str, argument: Value) -> Command {
    Command { title: title.into(), command: name.into(), arguments: Some(vec![argument]) }
}

/// The questions about the line at a position, what can be done about the diagnostics there, and with the paths to it.
pub(crate) fn code_actions<'p>(
    uri: &Uri,
    at: Position,
    diagnostics: &[Diagnostic],
    paths: impl Iterator<Item = &'p FoundPath>,
    text: Option<&str>,
) -> Vec<CodeActionOrCommand> {
    let line = at.line.saturating_add(1);
    let spot = |column| json!(Spot { uri: uri.clone(), line, column });
    let column = at.character.saturating_add(1);
    let graph = command("aback: graph of this method", GRAPH, spot(None));
    let questions = [
        command("aback: can this line be reached?", REACH, spot(None)),
        command("aback: can anything fail at this line?", CHECK, spot(None)),
        command("aback: can this be null?", NULL, spot(Some(column))),
    ];
    let questions = questions.map(|question| {
        CodeActionOrCommand::CodeAction(CodeAction {
            title: question.title.clone(),
            kind: Some(CodeActionKind::from("quickfix.aback")),
            command: Some(question),
            ..CodeAction::default()
        })
    });
    // Proofs are hints, and ways to a line are information.
    let is_finding = |diagnostic: &&Diagnostic| {
        diagnostic.source.as_deref() == Some(SOURCE) && diagnostic.severity == Some(DiagnosticSeverity::WARNING)
    };
    let findings = diagnostics.iter().filter(is_finding);
    let suppressions = findings.clone().filter_map(|diagnostic| suppression(uri, diagnostic, text?));
    let mut paths = paths.peekable();
    // What a survey has found has no paths yet.
    let is_new = paths.peek().is_none();
    let found_lines = findings.map(|finding| finding.range.start.line).filter(|_| is_new);
    let of_findings = found_lines.collect::<BTreeSet<u32>>().into_iter().flat_map(|line| {
        let spot = json!(Spot { uri: uri.clone(), line: line.saturating_add(1), column: None });
        [command("aback: replay", REPLAY, spot.clone()), command("aback: write as a test", TEST, spot)]
    });
    let commands = paths.enumerate().flat_map(|(index, path)| {
        let number = if index == 0 { String::new() } else { format!(" (path {})", index + 1) };
        let replay = path
            .witness
            .as_ref()
            .map(|witness| command(&format!("aback: replay{number}"), REPLAY, json!({ "witness": witness })));
        let test = path
            .test
            .as_ref()
            .map(|test| command(&format!("aback: write as a test{number}"), TEST, json!({ "test": test, "uri": uri })));
        replay.into_iter().chain(test)
    });
    let commands = of_findings.chain(commands).map(CodeActionOrCommand::Command);
    let graph = [CodeActionOrCommand::Command(graph)];
    suppressions.map(CodeActionOrCommand::CodeAction).chain(commands).chain(questions).chain(graph).collect()
}

/// Adds a comment that suppresses a finding once the user has written a reason into it.
fn suppression(uri: &Uri, diagnostic: &Diagnostic, text: &str) -> Option<CodeAction> {
    let line = diagnostic.range.start.line;
    let own = text.lines().nth(line as usize)?;
    let indent: String = own.chars().take_while(|c| c.is_whitespace()).collect();
    let start = Position { line, character: 0 };
    let edit = TextEdit { range: Range { start, end: start }, new_text: format!("{indent}// aback-ignore: \n") };
    // The protocol's own type has such keys.
    #[allow(clippy::mutable_key_type)]
    let changes = HashMap::from([(uri.clone(), vec![edit])]);
    Some(CodeAction {
        title: "aback: suppress this finding (write the reason)".into(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    })
}

/// A question above each assertion.
pub(crate) fn code_lenses(uri: &Uri, language: Language, text: &str) -> Vec<CodeLens> {
    let asserted = lines_of_assertions(language, text);
    let lines = (0..).zip(text.lines()).filter(|(number, _)| asserted.contains(&(number + 1)));
    let lens = |(number, line): (u32, &str)| {
        let start = line.chars().take_while(|c| c.is_whitespace()).count();
        let start = Position { line: number, character: u32::try_from(start).unwrap_or(0) };
        let spot = json!(Spot { uri: uri.clone(), line: number + 1, column: None });
        CodeLens {
            range: Range { start, end: start },
            command: Some(command("can this assertion fail?", CHECK, spot)),
            data: None,
        }
    };
    lines.map(lens).collect()
}

/// The lines, from 1, on which assertions begin. Comments and texts have none.
fn lines_of_assertions(language: Language, text: &str) -> BTreeSet<u32> {
    let lexical = match language {
        Language::Java | Language::Oox => tokens::Language::Java,
        Language::CSharp => tokens::Language::CSharp,
    };
    let tokens = tokens(lexical, text);
    let before = |at: usize, distance: usize| at.checked_sub(distance).map(|index| &tokens[index].0);
    let is_assertion = |at: usize| match language {
        Language::Java | Language::Oox => tokens[at].0.is_word("assert") && !before(at, 1).is_some_and(|it| it.is('.')),
        Language::CSharp => {
            let is_call = tokens[at].0.is_word("Assert") && tokens.get(at + 1).is_some_and(|(next, _)| next.is('('));
            is_call
                && match before(at, 1) {
                    Some(Token::Sign('.')) => before(at, 2)
                        .is_some_and(|it| ["Debug", "Trace", "Contract"].iter().any(|class| it.is_word(class))),
                    // A declaration has the type before the name.
                    Some(Token::Word(word)) => matches!(*word, "else" | "do"),
                    _ => true,
                }
        }
    };
    (0..tokens.len()).filter(|&at| is_assertion(at)).map(|at| tokens[at].1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions() {
        let lines = |language, text: &str| lines_of_assertions(language, text).into_iter().collect::<Vec<_>>();
        let java = "void f() {\n assert x > 0;\n assert(y);\n // assert z;\n String s = \"assert a\"; /* assert\n b */\n if (c) assert\n d;\n}";
        assert_eq!(lines(Language::Java, java), [2, 3, 7]);
        assert_eq!(lines(Language::Oox, "assert x != 12;\n// assert y;\n"), [1]);
        let csharp = "Debug.Assert (x);\nAssert(y);\nSystem.Diagnostics.Debug\n .Assert(z);\nXunit.Assert.True(a);\nvoid Assert(bool b) {\n if (b) Assert(c); else Assert(d); }\nOther.Assert(e); // Debug.Assert(f)\n";
        assert_eq!(lines(Language::CSharp, csharp), [1, 2, 4, 7]);
    }
}
