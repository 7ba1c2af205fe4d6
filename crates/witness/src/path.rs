//! Which source lines a run went through.

use crate::observer::Observer;
use crate::outcome::Place;
use crate::state::State;
use aback_ir::{MethodId, Span};
use std::collections::VecDeque;

/// One line that a run went through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathEntry {
    /// The method.
    pub method: MethodId,
    /// The first place on the line that was executed.
    pub span: Span,
    /// Number of activations below this one: 0 in the entry point.
    pub depth: usize,
}

impl PathEntry {
    fn continues(&self, earlier: &PathEntry) -> bool {
        (self.method, self.depth, self.span.file, self.span.line)
            == (earlier.method, earlier.depth, earlier.span.file, earlier.span.line)
    }
}

/// Records the source path of a run in bounded memory: consecutive operations of one line and activation are one
/// entry, code without a source line is skipped, and of a long path the beginning and the end are kept.
#[derive(Clone, Debug)]
pub struct PathRecorder {
    max_first: usize,
    max_last: usize,
    first: Vec<PathEntry>,
    last: VecDeque<PathEntry>,
    omitted: u64,
    latest: Option<PathEntry>,
}

impl PathRecorder {
    /// Keeps the first `max_first` and the last `max_last` entries.
    pub fn new(max_first: usize, max_last: usize) -> Self {
        PathRecorder { max_first, max_last, first: Vec::new(), last: VecDeque::new(), omitted: 0, latest: None }
    }

    /// The first entries, in order.
    pub fn first(&self) -> &[PathEntry] {
        &self.first
    }

    /// Number of entries between [`PathRecorder::first`] and [`PathRecorder::last`] that were left out.
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// The last entries, in order.
    pub fn last(&self) -> impl Iterator<Item = &PathEntry> {
        self.last.iter()
    }

    /// All entries that were kept, in order. Between the first and the last ones there may be a gap.
    pub fn entries(&self) -> impl Iterator<Item = &PathEntry> {
        self.first.iter().chain(&self.last)
    }

    fn record(&mut self, entry: PathEntry) {
        if self.latest.is_some_and(|latest| entry.continues(&latest)) {
            return;
        }
        self.latest = Some(entry);
        if self.first.len() < self.max_first {
            self.first.push(entry);
            return;
        }
        self.last.push_back(entry);
        if self.last.len() > self.max_last {
            self.last.pop_front();
            self.omitted += 1;
        }
    }
}

/// Keeps a thousand entries of each end.
impl Default for PathRecorder {
    fn default() -> Self {
        PathRecorder::new(1000, 1000)
    }
}

impl Observer for PathRecorder {
    fn step(&mut self, state: &State<'_>, place: Place) {
        if place.span.is_known() {
            let depth = state.depth().saturating_sub(1);
            self.record(PathEntry { method: place.method, span: place.span, depth });
        }
    }
}
