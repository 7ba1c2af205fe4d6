//! Writes the pages that replay the findings of a scan.

use crate::evidence::write;
use aback_report::{Collections, render_html};
use aback_scan::{Asks, Finding, GRACE, LineQuestion, Opening, Question, Worker, identity};
use aback_witness::Witness;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Most paths of an entry point among which that of a finding is looked for.
const MOST_PATHS: usize = 20;

/// Asks once more about each finding, and writes the page of its replay to a folder beside `page`, the page of the scan. Returns the links to
/// these pages, by fingerprint. A finding that is not found in the time limit has none.
pub fn write_replays<'f>(
    findings: impl Iterator<Item = &'f Finding>,
    page: &Path,
    command: &dyn Fn() -> Command,
    limit: Duration,
    interrupt: &AtomicBool,
) -> anyhow::Result<BTreeMap<String, String>> {
    let folder = page.with_extension("replays");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut links = BTreeMap::new();
    let mut worker = None;
    for finding in findings {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        let witnesses = TempDir::with_prefix("aback-scan-").context("cannot make a temporary folder")?;
        let found = execution(finding, &mut worker, command, (witnesses.path(), limit), interrupt);
        let Some(witness) = found.and_then(|path| Witness::read(&path).ok()) else { continue };
        // The number behind the colon is no part of names on all systems.
        let file = format!("{}.html", finding.fingerprint.replace(':', "-"));
        write(&folder.join(&file), &render_html(&witness, Collections::Elements))?;
        links.insert(finding.fingerprint.clone(), format!("{name}/{file}"));
    }
    Ok(links)
}

/// The witness of an execution that shows a finding. The question is about its line from its first entry point, and then about all that can
/// fail from there.
fn execution(
    finding: &Finding,
    worker: &mut Option<Worker>,
    command: &dyn Fn() -> Command,
    (folder, limit): (&Path, Duration),
    interrupt: &AtomicBool,
) -> Option<PathBuf> {
    let shown = &finding.violation;
    let at = LineQuestion { file: shown.place.file.clone(), line: shown.place.line };
    for at in [Some(at), None] {
        let mut ready = match worker.take() {
            Some(ready) => ready,
            None => match Worker::start(command(), interrupt).ok()? {
                (ready, Opening::Loaded(_)) => ready,
                (_, Opening::Failed(_)) => return None,
            },
        };
        let question = Question {
            entry: finding.entries.first()?.clone(),
            at,
            seconds: limit.as_secs_f64(),
            violations: MOST_PATHS,
            asks: Asks::Violation,
            witnesses: Some(folder.to_path_buf()),
            trail: None,
        };
        let reply = ready.ask(&question, GRACE, interrupt, |_| {}).ok()?;
        *worker = Some(ready);
        let mut found = reply.violations.iter().zip(reply.witnesses);
        if let Some((_, witness)) = found.find(|(violation, _)| identity(violation) == identity(shown)) {
            return Some(witness);
        }
    }
    None
}
