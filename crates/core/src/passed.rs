//! Makes executions go on behind false assertions, where a question is not about them.

use aback_ir::{AssertKind, Body, Const, Expr, MethodId, OpKind, Point, Program, TerminatorKind};
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
        let passed = body.ops().filter_map(|(point, op)| match op.kind {
            OpKind::Assert { kind, .. } if kind.is_passed() => Some((point, kind)),
            _ => None,
        });
        let is_asked = |point: Point| match asked {
            Asked::All => true,
            Asked::At(points) => points.contains(&(method, point)),
            Asked::None => false,
        };
        let (asked, others): (Vec<_>, Vec<_>) = passed.partition(|&(point, _)| is_asked(point));
        let ends: Vec<_> = asked.into_iter().filter(|&(_, kind)| kind == AssertKind::Thrown).collect();
        if others.is_empty() && ends.is_empty() {
            continue;
        }
        let mut body = body.clone();
        for (point, _) in others {
            pass(&mut body, point);
        }
        for (point, _) in ends {
            // No execution gets behind it, so that nothing has to be known of the code there.
            let block = body.block_mut(point.block);
            block.ops.truncate(point.op as usize + 1);
            block.terminator.kind = TerminatorKind::Unreachable;
        }
        bodies.push((method, body));
    }
    if bodies.is_empty() { program.clone() } else { program.with_bodies(bodies) }
}

fn pass(body: &mut Body, point: Point) {
    let always = body.add_expr(Expr::Const(Const::Bool(true)));
    let op = body.block_mut(point.block).ops.get_mut(point.op as usize);
    if let Some(OpKind::Assert { condition, .. }) = op.map(|op| &mut op.kind) {
        *condition = always;
    }
}
