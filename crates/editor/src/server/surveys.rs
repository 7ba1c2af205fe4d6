//! Looks for findings in the background, and shows them.

use super::{Event, Server};
use crate::convert::{Files, diagnostic, name_of, path_of, uri_of};
use crate::program::{Language, Program};
use crate::survey::{Plan, Survey, Told};
use aback_report::counted;
use aback_scan::{Effort, Settings};
use lsp_types::{
    Diagnostic, DiagnosticSeverity, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

impl Server<'_> {
    /// Looks for everything that can fail in a program.
    pub(super) fn survey(&mut self, program: &Program) {
        let mut own = program.options(&self.options.of_workers());
        let options: Vec<String> = own.iter().map(ToString::to_string).collect();
        // The answers do not depend on it.
        if self.may_build(program) {
            self.without_build.remove(program);
        } else {
            own.push("--no-build");
            self.without_build.insert(program.clone());
        }
        let (worker, path) = (Arc::clone(&self.commands.worker), program.path.clone());
        let next = self.folder.path().join(format!("survey-{}", self.answers.len()));
        let answers = self.answers.entry(program.clone()).or_insert(next).clone();
        let limit = Duration::try_from_secs_f64(self.options.timeout).unwrap_or(Duration::MAX);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let plan = Plan {
            program: program.clone(),
            folder: answers,
            settings: Settings { aback: env!("CARGO_PKG_VERSION").into(), options, files: String::new() },
            effort: Effort {
                timeout: limit,
                budget: Duration::try_from_secs_f64(self.options.budget).ok(),
                violations: self.options.paths.max(1),
                confirmation: None,
                // The editor and its other servers need the rest.
                jobs: (cores / 2).max(1),
            },
            command: Box::new(move || worker(&path, &own)),
            first: self.documents.keys().filter_map(|uri| path_of(&uri.parse().ok()?)).collect(),
            trusts: self.options.trust,
        };
        let earlier = self.surveys.remove(program);
        let sender = self.sender.clone();
        let survey = Survey::start(plan, earlier, move |told| _ = sender.send(Event::Survey(told)));
        self.surveys.insert(program.clone(), survey);
    }

    /// Whether a program may be built: that runs what its files say, so that the user has to ask for it.
    pub(super) fn may_build(&self, program: &Program) -> bool {
        program.language != Language::CSharp || self.options.builds || self.asked.contains(program)
    }

    /// Notes that the user has asked about a program, after which it may be built.
    pub(super) fn note_question(&mut self, program: &Program) {
        if self.asked.insert(program.clone()) && self.failed.remove(program) && self.options.findings {
            self.survey(program);
        }
    }

    /// Goes on when a survey tells something.
    pub(super) fn survey_tells(&mut self, told: Told) {
        match told {
            Told::Found { program, violations, is_complete } => {
                let files = Files::of(&program.path);
                let mut diagnostics: HashMap<String, Vec<Diagnostic>> = HashMap::new();
                for finding in &violations {
                    let Some(path) = files.find(&finding.violation.place) else { continue };
                    let Some(uri) = uri_of(&path) else { continue };
                    let shown = diagnostic(&finding.violation, DiagnosticSeverity::WARNING, &files);
                    diagnostics.entry(uri.as_str().into()).or_default().push(shown);
                }
                self.show_findings(&program, diagnostics);
                if is_complete {
                    let count = violations.len();
                    self.log(&format!("{}: all entry points were asked, {count} findings", program.path.display()));
                }
            }
            Told::Asked { program, asked, all } => self.show_progress(program, asked, all),
            Told::Failed { program, reason } => {
                let later = if self.may_build(&program) {
                    ""
                } else {
                    "; findings come after the first question, or with the setting `builds`"
                };
                self.log(&format!("{}: {reason}{later}", program.path.display()));
                // The question may have come meanwhile.
                if self.may_build(&program) && self.without_build.contains(&program) {
                    return self.survey(&program);
                }
                // What was found is about a program that is no more.
                self.show_findings(&program, HashMap::new());
                self.failed.insert(program);
            }
            Told::Ended { program } => {
                if let Some(token) = self.bars.remove(&program) {
                    self.progress(&token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
                }
            }
        }
    }

    /// Shows how far a survey is.
    fn show_progress(&mut self, program: Program, asked: usize, all: usize) {
        if !self.abilities.progress {
            return;
        }
        let message = Some(format!("{asked} of {}", counted(all, "entry point")));
        let (percentage, cancellable) = (u32::try_from(100 * asked / all.max(1)).ok(), Some(true));
        if let Some(token) = self.bars.get(&program) {
            let report = WorkDoneProgressReport { message, percentage, cancellable };
            return self.progress(token, WorkDoneProgress::Report(report));
        }
        let token = self.new_progress();
        let title = format!("aback: what can fail in {}", name_of(&program.path));
        let begin = WorkDoneProgressBegin { title, message, percentage, cancellable };
        self.progress(&token, WorkDoneProgress::Begin(begin));
        self.bars.insert(program, token);
    }

    /// Shows these findings of a program in place of those that were shown before.
    pub(super) fn show_findings(&mut self, program: &Program, diagnostics: HashMap<String, Vec<Diagnostic>>) {
        for uri in self.shown.find(program, diagnostics) {
            // They are about the saved text.
            if self.documents.get(&uri).is_none_or(|document| document.is_saved) {
                self.publish(&uri);
            }
        }
    }
}
