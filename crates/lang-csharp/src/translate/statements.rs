//! Finds the statement of the source to which each instruction belongs.

use aback_cil::{ClauseKind, MethodBody, Opcode, Operand, SequencePoint};

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

impl Statement {
    fn or(self, other: Statement) -> Statement {
        match (self, other) {
            (Statement::Nothing, known) | (known, Statement::Nothing) => known,
            _ if self == other => self,
            _ => Statement::Several,
        }
    }
}

/// The index of the sequence point of each instruction. Instructions with a place in the source of their own start a
/// statement. The compiler adds others without one, which belong to the statement from which control comes; this is not
/// always the one that is before them in the code, as behind an `if` without braces in optimized code. What is not
/// reached gets the statement before it.
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
    let mut known: Vec<Option<Statement>> = vec![None; count];
    let mut pending = Vec::new();
    let enter = |known: &mut Vec<Option<Statement>>, pending: &mut Vec<usize>, index: usize, from: Statement| {
        let Some(old) = known.get(index).copied() else { return };
        let new = match (own[index], old) {
            (Some(point), _) => Statement::Of(point),
            (None, Some(old)) => old.or(from),
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
