//! Turns the question whether execution can reach a line into false assertions at the beginning of the line.

use crate::question::{Line, QuestionError, points_at};
use aback_ir::analysis::FunctionObjects;
use aback_ir::{AssertKind, Const, Expr, MethodId, Op, OpKind, Point, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program with a false assertion at each place where execution enters the line, and the places of these
/// assertions. So every engine and the concrete interpreter notice when execution gets there. Executions end there.
/// `from_anywhere` says that executions start at all entry points from which control can reach the line.
///
/// # Errors
/// The file does not exist, or the line has no code.
pub(crate) fn marked(
    program: &Program,
    line: &Line,
    from_anywhere: bool,
) -> Result<(Program, FxHashSet<(MethodId, Point)>), QuestionError> {
    let mut marks: FxHashMap<MethodId, Vec<Point>> = FxHashMap::default();
    let points = points_at(program, line)?;
    for &(method, point) in &points {
        // If the previous operation belongs to the line, too, execution has already reached the line.
        let is_first = point.op == 0 || !points.contains(&(method, Point { op: point.op - 1, ..point }));
        if is_first {
            marks.entry(method).or_default().push(point);
        }
    }
    if from_anywhere {
        leave_out_functions(program, &points, &mut marks);
    }
    let mut bodies = Vec::new();
    let mut places = FxHashSet::default();
    for (method, mut points) in marks {
        let Some(mut body) = program.body(method).cloned() else { continue };
        let condition = body.add_expr(Expr::Const(Const::Bool(false)));
        points.sort_unstable_by_key(|point| (point.block, point.op));
        let mut added = (None, 0);
        for mut point in points {
            added = if added.0 == Some(point.block) { (added.0, added.1 + 1) } else { (Some(point.block), 0) };
            // Assertions that were added to the block before move this point.
            point.op += added.1;
            let block = body.block_mut(point.block);
            let place = point.op as usize;
            let span = block.ops.get(place).map_or(block.terminator.span, |op| op.span);
            let kind = OpKind::Assert { condition, kind: AssertKind::Reached };
            block.ops.insert(place.min(block.ops.len()), Op { kind, span });
            places.insert((method, point));
        }
        bodies.push((method, body));
    }
    Ok((program.with_bodies(bodies), places))
}

/// Leaves out the code of function objects that only the line itself makes: before it runs, the line has been reached.
fn leave_out_functions(
    program: &Program,
    points: &FxHashSet<(MethodId, Point)>,
    marks: &mut FxHashMap<MethodId, Vec<Point>>,
) {
    // The only place stays in any case.
    if marks.len() < 2 {
        return;
    }
    let functions = FunctionObjects::new(program);
    let follows = |method: MethodId| {
        functions.made_at(method).is_some_and(|made| made.iter().all(|place| points.contains(place)))
    };
    if marks.keys().any(|&method| !follows(method)) {
        marks.retain(|&method, _| !follows(method));
    }
}
