//! Keeps what is shown about each document: what surveys have found, and the answers to questions.

use crate::convert::path_of;
use crate::program::Program;
use crate::question::FoundPath;
use lsp_types::Diagnostic;
use std::collections::HashMap;

/// What is shown about documents, by their URIs.
#[derive(Default)]
pub(crate) struct Shown {
    /// What surveys have found, by program.
    found: HashMap<Program, HashMap<String, Vec<Diagnostic>>>,
    answered: HashMap<String, Vec<AnsweredLine>>,
    /// What the editor was told last.
    told: HashMap<String, Vec<Diagnostic>>,
}

/// The answer to the last question about a line.
pub(crate) struct AnsweredLine {
    /// The line, from 1.
    pub(crate) line: u32,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) paths: Vec<FoundPath>,
}

impl Shown {
    /// Shows these findings of a program in place of earlier ones. Returns the documents that are concerned.
    pub(crate) fn find(&mut self, program: &Program, diagnostics: HashMap<String, Vec<Diagnostic>>) -> Vec<String> {
        let mut concerned: Vec<String> = diagnostics.keys().cloned().collect();
        if let Some(before) = self.found.insert(program.clone(), diagnostics) {
            concerned.extend(before.into_keys());
        }
        concerned.sort();
        concerned.dedup();
        concerned
    }

    /// Shows an answer in place of an earlier one about the same line.
    pub(crate) fn answer(&mut self, uri: &str, answer: AnsweredLine) {
        let known = self.answered.entry(uri.into()).or_default();
        known.retain(|other| other.line != answer.line);
        known.push(answer);
    }

    /// Drops the answers about a document.
    pub(crate) fn forget(&mut self, uri: &str) {
        self.answered.remove(uri);
    }

    /// Drops what a program has been found to do in documents that have changed, and all answers about the program, which may rely on them.
    /// Returns the documents that are concerned.
    pub(crate) fn outdate(&mut self, program: &Program, changed: &[String]) -> Vec<String> {
        let is_of = |uri: &str| {
            let file = uri.parse().ok().and_then(|uri| path_of(&uri));
            file.is_some_and(|file| program.depends_on(&file))
        };
        let mut concerned: Vec<String> = self.answered.keys().filter(|uri| is_of(uri)).cloned().collect();
        concerned.iter().for_each(|uri| _ = self.answered.remove(uri));
        if let Some(found) = self.found.get_mut(program) {
            concerned.extend(changed.iter().filter(|uri| found.remove(*uri).is_some()).cloned());
        }
        concerned
    }

    /// The paths to a line, from 1, that were found.
    pub(crate) fn paths(&self, uri: &str, line: u32) -> impl Iterator<Item = &FoundPath> {
        let there = self.answered.get(uri).into_iter().flatten().filter(move |answer| answer.line == line);
        there.flat_map(|answer| &answer.paths)
    }

    /// All that is known about a document, each once; `None` if it is what the editor was told last.
    pub(crate) fn news(&mut self, uri: &str) -> Option<Vec<Diagnostic>> {
        let found = self.found.values().filter_map(|by_uri| by_uri.get(uri)).flatten();
        let answered = self.answered.get(uri).into_iter().flatten().flat_map(|answer| &answer.diagnostics);
        let mut now: Vec<Diagnostic> = Vec::new();
        for diagnostic in answered.chain(found) {
            let is_same = |other: &Diagnostic| other.range == diagnostic.range && other.message == diagnostic.message;
            if !now.iter().any(is_same) {
                now.push(diagnostic.clone());
            }
        }
        if now == self.told.get(uri).map_or(&[][..], Vec::as_slice) {
            return None;
        }
        self.told.insert(uri.into(), now.clone());
        Some(now)
    }
}
