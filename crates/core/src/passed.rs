//! Leaves out the assertions that execution passes even if they are false, where a question is not about them.

use aback_ir::{AssertKind, Const, Expr, MethodId, OpKind, Point, Program};
use rustc_hash::FxHashSet;

/// The program without its assertions of the kind [`AssertKind::Check`], except those at the given points. An
/// execution ends at the first violation, but it passes such an assertion, so that others could not be reached behind
/// it.
pub(crate) fn without_others(program: &Program, at: &FxHashSet<(MethodId, Point)>) -> Program {
    let mut bodies = Vec::new();
    for method in program.own_methods() {
        let Some(body) = program.body(method) else { continue };
        let is_other = |point: &Point| !at.contains(&(method, *point));
        let others = body.ops().filter(|(_, op)| matches!(op.kind, OpKind::Assert { kind: AssertKind::Check, .. }));
        let others: Vec<Point> = others.map(|(point, _)| point).filter(is_other).collect();
        if others.is_empty() {
            continue;
        }
        let mut body = body.clone();
        let yes = body.add_expr(Expr::Const(Const::Bool(true)));
        for point in others {
            let op = body.block_mut(point.block).ops.get_mut(point.op as usize);
            if let Some(OpKind::Assert { condition, .. }) = op.map(|op| &mut op.kind) {
                *condition = yes;
            }
        }
        bodies.push((method, body));
    }
    if bodies.is_empty() { program.clone() } else { program.with_bodies(bodies) }
}
