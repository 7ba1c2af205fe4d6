//! Makes executions go on behind false assertions, where a question is not about them.

use aback_ir::{AssertKind, Const, Expr, MethodId, OpKind, Point, Program, TerminatorKind};
use rustc_hash::FxHashSet;

/// The assertions that a question is about.
#[derive(Clone, Copy)]
pub(crate) enum Asked<'a> {
    /// All of them.
    All,
    /// Those at some points.
    At(&'a FxHashSet<(MethodId, Point)>),
    /// None of them: the question is about exceptions.
    None,
}

/// The program whose executions pass false assertions that a question is not about, as far as their kind allows it ([`AssertKind::is_passed`]).
/// An execution ends at the first violation, so that what comes behind another false assertion could not be reached.
pub(crate) fn for_question(program: &Program, asked: Asked) -> Program {
    let mut bodies = Vec::new();
    for method in program.own_methods() {
        let Some(body) = program.body(method) else { continue };
        let is_asked = |point| match asked {
            Asked::All => true,
            Asked::At(points) => points.contains(&(method, point)),
            Asked::None => false,
        };
        // Executions pass those that are not asked about, and never get behind an assert statement of Java that is.
        let changed = body.ops().filter_map(|(point, op)| match op.kind {
            OpKind::Assert { kind, .. } if kind.is_passed() => Some((point, is_asked(point), kind)),
            _ => None,
        });
        let changed: Vec<_> = changed.filter(|&(_, is_asked, kind)| !is_asked || kind == AssertKind::Thrown).collect();
        if changed.is_empty() {
            continue;
        }
        let mut body = body.clone();
        let always = body.add_expr(Expr::Const(Const::Bool(true)));
        for (point, is_asked, _) in changed {
            let block = body.block_mut(point.block);
            if is_asked {
                block.ops.truncate(point.op as usize + 1);
                block.terminator.kind = TerminatorKind::Unreachable;
            } else if let Some(OpKind::Assert { condition, .. }) =
                block.ops.get_mut(point.op as usize).map(|op| &mut op.kind)
            {
                *condition = always;
            }
        }
        bodies.push((method, body));
    }
    if bodies.is_empty() { program.clone() } else { program.with_bodies(bodies) }
}
