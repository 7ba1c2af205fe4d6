//! Finds the statement of the source to which each instruction belongs.

use aback_cil::{ClauseKind, MethodBody, Opcode, Operand, SequencePoint};
use rustc_hash::FxHashSet;

/// The statement that an instruction continues, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    /// None: nothing that has a place in the source has run.
    Nothing,
    /// The one with the sequence point of this index.
    Of(usize),
    /// Different ones, depending on where control comes from. So a line of one of them need not have been reached.
    Several,
}

/// The places of statements, and of the parts of statements that have their own.
struct Places<'p> {
    points: &'p [SequencePoint],
}

impl Places<'_> {
    /// The statement that code continues to which control comes from both: the smallest one that contains both.
    fn join(&self, one: Statement, other: Statement) -> Statement {
        match (one, other) {
            (Statement::Nothing, known) | (known, Statement::Nothing) => known,
            (Statement::Of(a), Statement::Of(b)) if a == b => one,
            (Statement::Of(a), Statement::Of(b)) => {
                let around = self.smallest(|point| self.contains(point, a) && self.contains(point, b));
                around.map_or(Statement::Several, Statement::Of)
            }
            _ => Statement::Several,
        }
    }

    /// What hidden code continues: behind a part of a statement, such as an arm of a `switch` expression, the statement.
    fn behind(&self, from: Statement) -> Statement {
        let Statement::Of(part) = from else { return from };
        let around = self.smallest(|point| self.contains(point, part) && !self.contains(part, point));
        around.map_or(from, Statement::Of)
    }

    fn smallest(&self, is_one: impl Fn(usize) -> bool) -> Option<usize> {
        let candidates = (0..self.points.len()).filter(|&point| is_one(point));
        candidates.reduce(|best, other| if self.contains(best, other) { other } else { best })
    }

    /// Whether a place contains another, or is the same.
    fn contains(&self, outer: usize, inner: usize) -> bool {
        let (Some(outer), Some(inner)) = (self.points.get(outer), self.points.get(inner)) else { return false };
        let (Some(around), Some(part)) = (&outer.position, &inner.position) else { return false };
        outer.document == inner.document
            && (around.start_line, around.start_column) <= (part.start_line, part.start_column)
            && (part.end_line, part.end_column) <= (around.end_line, around.end_column)
    }
}

/// The index of the sequence point of each instruction. Instructions with a place in the source of their own start a
/// statement, or a part of one. The compiler adds others without one, which belong to the statement from which control
/// comes; this is not always the one that is before them in the code, as behind an `if` without braces in optimized
/// code. Where the parts of a statement join, it goes on. What is not reached gets the statement before it.
pub(super) fn of(code: &MethodBody, points: &[SequencePoint]) -> Vec<Option<usize>> {
    let count = code.instructions.len();
    let at = |offset: u32| code.index_of(offset).filter(|&index| index < count);
    let mut own: Vec<Option<usize>> = vec![None; count];
    let mut before: Vec<Option<usize>> = vec![None; count];
    let mut visible = points.iter().enumerate().filter(|(_, point)| point.position.is_some()).peekable();
    let mut last = None;
    for (index, instruction) in code.instructions.iter().enumerate() {
        while let Some((point, found)) = visible.next_if(|(_, point)| point.offset <= instruction.offset) {
            last = Some(point);
            if found.offset == instruction.offset {
                own[index] = last;
            }
        }
        before[index] = last;
    }
    let hidden = points.iter().filter(|point| point.position.is_none()).filter_map(|point| at(point.offset));
    let hidden: FxHashSet<usize> = hidden.collect();
    let places = Places { points };
    let mut known: Vec<Option<Statement>> = vec![None; count];
    let mut pending = Vec::new();
    let enter = |known: &mut Vec<Option<Statement>>, pending: &mut Vec<usize>, index: usize, from: Statement| {
        let Some(old) = known.get(index).copied() else { return };
        let from = if hidden.contains(&index) { places.behind(from) } else { from };
        let new = match (own[index], old) {
            (Some(point), _) => Statement::Of(point),
            (None, Some(old)) => places.join(old, from),
            (None, None) => from,
        };
        if old != Some(new) {
            known[index] = Some(new);
            pending.push(index);
        }
    };
    enter(&mut known, &mut pending, 0, Statement::Nothing);
    for clause in &code.clauses {
        // Control may come from any statement of the protected code.
        let filter = if let ClauseKind::Filter(start) = clause.kind { Some(start) } else { None };
        for start in filter.into_iter().chain([clause.handler_start]).filter_map(at) {
            enter(&mut known, &mut pending, start, Statement::Several);
        }
    }
    while let Some(index) = pending.pop() {
        let Some(statement) = known[index] else { continue };
        let instruction = &code.instructions[index];
        match &instruction.operand {
            Operand::Target(target) => {
                at(*target).into_iter().for_each(|next| enter(&mut known, &mut pending, next, statement));
            }
            Operand::Switch(targets) => {
                let targets = targets.iter().filter_map(|&target| at(target));
                targets.for_each(|next| enter(&mut known, &mut pending, next, statement));
            }
            _ => {}
        }
        use Opcode::{Br, Endfilter, Endfinally, Jmp, Leave, Ret, Rethrow, Throw};
        if !matches!(instruction.opcode, Br | Endfilter | Endfinally | Jmp | Leave | Ret | Rethrow | Throw) {
            enter(&mut known, &mut pending, index + 1, statement);
        }
    }
    let found = known.into_iter().zip(before);
    let found = found.map(|(known, before)| match known {
        Some(Statement::Of(point)) => Some(point),
        Some(_) => None,
        None => before,
    });
    found.collect()
}
