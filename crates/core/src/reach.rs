//! Turns questions about a line into assertions: whether execution can reach it, and whether a reference can be null there.

use crate::question::{Line, QuestionError, points_at};
use aback_ir::analysis::FunctionObjects;
use aback_ir::{
    AssertKind, BinaryOp, Body, Const, Dispatch, Expr, ExprId, MethodId, NullCheck, Op, OpKind, Point, Program, Span,
    TerminatorKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program with assertions that stand for a question, and the places of these assertions. So every engine and the concrete
/// interpreter notice when one is false. Executions end there.
pub(crate) type Marked = (Program, FxHashSet<(MethodId, Point)>);

/// A program with a false assertion at each place where execution enters the line.
/// `from_anywhere` says that executions start at all entry points from which control can reach the line.
///
/// # Errors
/// The file does not exist, or the line has no code.
pub(crate) fn marked(program: &Program, line: &Line, from_anywhere: bool) -> Result<Marked, QuestionError> {
    let mut marks: FxHashMap<MethodId, Vec<(Point, Mark)>> = FxHashMap::default();
    let mut points = points_at(program, line)?;
    let is_stray =
        |&(method, point): &(MethodId, Point)| program.body(method).is_some_and(|body| body.strays.contains(&point));
    if !points.iter().all(is_stray) {
        points.retain(|point| !is_stray(point));
    }
    for &(method, point) in &points {
        // If the previous operation belongs to the line, too, execution has already reached the line.
        let is_first = point.op == 0 || !points.contains(&(method, Point { op: point.op - 1, ..point }));
        if is_first {
            marks.entry(method).or_default().push((point, Mark::Reached));
        }
    }
    if from_anywhere {
        leave_out_functions(program, &points, &mut marks);
    }
    Ok(with_marks(program, marks))
}

/// A program with an assertion before each operation at the line that uses an object, that the reference to it is not null. With a
/// column, these are the operations there; class files know lines only, so that a column changes nothing.
///
/// # Errors
/// The file does not exist, the line has no code, or nothing there uses an object.
pub(crate) fn marked_references(program: &Program, line: &Line, column: Option<u32>) -> Result<Marked, QuestionError> {
    let mut marks: FxHashMap<MethodId, Vec<(Point, Mark)>> = FxHashMap::default();
    let is_there = |span: Span| match column {
        Some(column) if span.column > 0 => (span.column..span.column + span.length.max(1)).contains(&column),
        _ => true,
    };
    for (method, point) in points_at(program, line)? {
        let Some(body) = program.body(method) else { continue };
        let block = body.block(point.block);
        let (mark, span) = match block.ops.get(point.op as usize) {
            Some(op) => (used_object(program, &op.kind), op.span),
            None => (thrown(&block.terminator.kind), block.terminator.span),
        };
        if let Some(mark) = mark.filter(|_| is_there(span)) {
            marks.entry(method).or_default().push((point, mark));
        }
    }
    if marks.is_empty() {
        return Err(QuestionError::NoReference { file: line.file.clone(), line: line.line, column });
    }
    Ok(with_marks(program, marks))
}

/// The reference whose object an operation uses, if null is possible there.
fn used_object(program: &Program, op: &OpKind) -> Option<Mark> {
    let object = match op {
        OpKind::GetField { object, .. } | OpKind::PutField { object, .. } => Some(*object),
        OpKind::ArrayGet { array, .. } | OpKind::ArrayPut { array, .. } | OpKind::ArrayLength { array, .. } => {
            Some(*array)
        }
        OpKind::Quantify { array, .. } => Some(*array),
        OpKind::Call { dispatch: Dispatch::Virtual | Dispatch::Special, args, .. } => args.first().copied(),
        OpKind::Call { dispatch: Dispatch::Static, method, args, .. } => {
            match program.profile().runtime.null_check(program, *method)? {
                NullCheck::Argument(index) => args.get(index).copied(),
                NullCheck::Failed => return Some(Mark::Null),
            }
        }
        _ => None,
    };
    object.map(Mark::NotNull)
}

/// The reference to the exception that is thrown.
fn thrown(terminator: &TerminatorKind) -> Option<Mark> {
    match terminator {
        TerminatorKind::Throw(value) => Some(Mark::NotNull(*value)),
        _ => None,
    }
}

/// What is asked at a point.
enum Mark {
    Reached,
    NotNull(ExprId),
    /// Control gets here only if a reference is null.
    Null,
}

impl Mark {
    /// The assertion that stands for it.
    fn assertion(&self, body: &mut Body) -> OpKind {
        match *self {
            Mark::Reached | Mark::Null => {
                let condition = body.add_expr(Expr::Const(Const::Bool(false)));
                let kind = if matches!(self, Mark::Null) { AssertKind::NotNull } else { AssertKind::Reached };
                OpKind::Assert { condition, kind }
            }
            Mark::NotNull(object) => {
                let ty = body.expr_types()[object.index()];
                let null = body.add_expr(Expr::Const(Const::Null));
                let condition = body.add_expr(Expr::Binary(BinaryOp::Ne, ty, object, null));
                OpKind::Assert { condition, kind: AssertKind::NotNull }
            }
        }
    }
}

/// The program with these marks.
fn with_marks(program: &Program, marks: FxHashMap<MethodId, Vec<(Point, Mark)>>) -> Marked {
    let mut bodies = Vec::new();
    let mut places = FxHashSet::default();
    for (method, mut marks) in marks {
        let Some(mut body) = program.body(method).cloned() else { continue };
        marks.sort_unstable_by_key(|(point, _)| (point.block, point.op));
        let mut added = (None, 0);
        for (mut point, mark) in marks {
            added = if added.0 == Some(point.block) { (added.0, added.1 + 1) } else { (Some(point.block), 0) };
            // Assertions that were added to the block before move this point.
            point.op += added.1;
            let kind = mark.assertion(&mut body);
            let block = body.block_mut(point.block);
            let place = point.op as usize;
            let span = block.ops.get(place).map_or(block.terminator.span, |op| op.span);
            block.ops.insert(place.min(block.ops.len()), Op { kind, span });
            places.insert((method, point));
        }
        bodies.push((method, body));
    }
    (program.with_bodies(bodies), places)
}

/// Leaves out the code of function objects that only the line itself makes: before it runs, the line has been reached.
fn leave_out_functions(
    program: &Program,
    points: &FxHashSet<(MethodId, Point)>,
    marks: &mut FxHashMap<MethodId, Vec<(Point, Mark)>>,
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
