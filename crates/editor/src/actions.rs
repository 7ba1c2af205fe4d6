//! Offers the questions about a line as code actions, and those about assertions as code lenses.

use crate::convert::SOURCE;
use crate::program::Language;
use crate::question::{FoundPath, Spot};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, Diagnostic, Position, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use serde_json::{Value, json};
use std::collections::HashMap;

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
/// All commands of the server.
pub(crate) const COMMANDS: [&str; 6] = [REACH, CHECK, NULL, REPLAY, TEST, BACK];

/// What a document may say about an assertion.
fn assertions(language: Language) -> &'static [&'static str] {
    match language {
        Language::Java | Language::Oox => &["assert "],
        Language::CSharp => &["Debug.Assert(", "Trace.Assert(", "Contract.Assert("],
    }
}

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
    let own = diagnostics.iter().filter(|diagnostic| diagnostic.source.as_deref() == Some(SOURCE));
    let suppressions = own.filter_map(|diagnostic| suppression(uri, diagnostic, text?));
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
    let commands = commands.map(CodeActionOrCommand::Command);
    suppressions.map(CodeActionOrCommand::CodeAction).chain(commands).chain(questions).collect()
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
    let has_assertion = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        assertions(language).iter().any(|word| {
            let at = code.find(word);
            at.is_some_and(|at| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"'))
        })
    };
    let lines = (0..).zip(text.lines()).filter(|(_, line)| has_assertion(line));
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
