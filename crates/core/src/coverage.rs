//! Counts which lines and branches of the user's own code concrete runs reach.

use aback_ir::analysis::{CallGraph, CallGraphConfig};
use aback_ir::{BlockId, FileId, MethodId, Program};
use aback_witness::{Observer, Place, State};
use rustc_hash::FxHashSet;

/// How much of the user's own code runs reach, among the methods that an entry point can call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Lines with code that are reached.
    pub lines: usize,
    /// All lines with code.
    pub all_lines: usize,
    /// Ways on from a decision that are taken.
    pub branches: usize,
    /// All such ways.
    pub all_branches: usize,
}

/// A line of a file.
pub(crate) type Line = (FileId, u32);
/// A way from a block to another one, where there are several.
type Branch = (MethodId, BlockId, BlockId);

/// Observes runs of an entry point. The same observer may watch many runs, one after the other.
pub(crate) struct Reached {
    lines: FxHashSet<Line>,
    branches: FxHashSet<Branch>,
    all_lines: FxHashSet<Line>,
    all_branches: FxHashSet<Branch>,
    /// The block that each open activation has just left.
    left: Vec<Option<(MethodId, BlockId)>>,
}

impl Reached {
    /// An observer that has seen no run.
    pub(crate) fn new(program: &Program, entry: MethodId) -> Self {
        let mut reached = Reached {
            lines: FxHashSet::default(),
            branches: FxHashSet::default(),
            all_lines: FxHashSet::default(),
            all_branches: FxHashSet::default(),
            left: Vec::new(),
        };
        let graph = CallGraph::new(program, &CallGraphConfig::new([program.start(entry), entry]));
        let own = graph.reachable().iter().copied().filter(|&method| !program.is_library_method(method));
        for method in own {
            reached.counts(program, method);
        }
        reached
    }

    /// Adds the lines and branches of a method to those that can be reached.
    fn counts(&mut self, program: &Program, method: MethodId) {
        let Some(body) = program.body(method) else { return };
        for id in body.block_ids() {
            let block = body.block(id);
            let spans = block.ops.iter().map(|op| op.span).chain([block.terminator.span]);
            self.all_lines.extend(spans.filter(|span| span.is_known()).map(|span| (span.file, span.line)));
            let targets: FxHashSet<BlockId> = block.terminator.kind.successors().into_iter().collect();
            if targets.len() > 1 && block.terminator.span.is_known() {
                self.all_branches.extend(targets.into_iter().map(|target| (method, id, target)));
            }
        }
    }

    /// Whether the runs have reached a line.
    pub(crate) fn has(&self, line: &Line) -> bool {
        self.lines.contains(line)
    }

    /// The lines with code that the runs have not reached, in order.
    pub(crate) fn uncovered(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = self.all_lines.difference(&self.lines).copied().collect();
        lines.sort_unstable();
        lines
    }

    /// What the runs have reached.
    pub(crate) fn coverage(&self) -> Coverage {
        Coverage {
            lines: self.lines.len(),
            all_lines: self.all_lines.len(),
            branches: self.branches.len(),
            all_branches: self.all_branches.len(),
        }
    }
}

impl Observer for Reached {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let line = (place.span.file, place.span.line);
        if self.all_lines.contains(&line) {
            self.lines.insert(line);
        }
        self.left.resize(state.depth(), None);
        let Some(left) = self.left.last_mut() else { return };
        if let Some((method, from)) = left.take()
            && method == place.method
            && place.point.op == 0
        {
            let branch = (method, from, place.point.block);
            if self.all_branches.contains(&branch) {
                self.branches.insert(branch);
            }
        }
        let body = state.program().body(place.method);
        let block = body.and_then(|body| body.blocks.get(place.point.block.index()));
        if block.is_some_and(|block| place.point.op as usize == block.ops.len()) {
            *left = Some((place.method, place.point.block));
        }
    }
}
