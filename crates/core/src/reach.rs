//! Asking whether control can get to a line: an assertion that is false stands where the line begins.

use crate::question::{Line, QuestionError, points_at};
use aback_ir::{AssertKind, BlockId, Const, Expr, MethodId, Op, OpKind, Point, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts a false assertion where control comes to a line, so that every engine, and the concrete interpreter, tells when it
/// does. Executions end there.
///
/// # Errors
/// There is no such file, or no code at the line.
pub fn mark_line(program: &mut Program, line: &Line) -> Result<(), QuestionError> {
    let mut marks: FxHashMap<MethodId, Vec<Point>> = FxHashMap::default();
    let points = points_at(program, line)?;
    for &(method, point) in &points {
        // Where the operation before is of the line, too, control has come to it already.
        let is_first = point.op == 0 || !points.contains(&(method, Point { op: point.op - 1, ..point }));
        if is_first {
            marks.entry(method).or_default().push(point);
        }
    }
    for (method, mut points) in marks {
        let Some(mut body) = program.body(method).cloned() else { continue };
        let condition = body.add_expr(Expr::Const(Const::Bool(false)));
        // From the last on, so that those before stay where they are.
        points.sort_unstable_by_key(|point| (point.block, point.op));
        for point in points.into_iter().rev() {
            let block = body.block_mut(point.block);
            let place = point.op as usize;
            let span = block.ops.get(place).map_or(block.terminator.span, |op| op.span);
            let kind = OpKind::Assert { condition, kind: AssertKind::Reached };
            block.ops.insert(place.min(block.ops.len()), Op { kind, span });
        }
        program.set_body(method, body);
    }
    Ok(())
}

/// The marks of a program among some points.
pub(crate) fn marks(program: &Program, points: &FxHashSet<(MethodId, Point)>) -> FxHashSet<(MethodId, Point)> {
    let is_mark = |&&(method, Point { block, op }): &&(MethodId, Point)| {
        let block: BlockId = block;
        let op = program.body(method).and_then(|body| body.block(block).ops.get(op as usize));
        op.is_some_and(|op| matches!(op.kind, OpKind::Assert { kind: AssertKind::Reached, .. }))
    };
    points.iter().filter(is_mark).copied().collect()
}
