//! Finds out whether calls are about the arguments of the method that makes them.

use crate::body::{Body, Expr, LocalId, OpKind};
use crate::program::{MethodId, MethodKind, Program};
use crate::span::Span;
use rustc_hash::FxHashSet;

/// Whether a call at a place of a method passes a value that is computed from a parameter other than the receiver. `true` if there
/// is no call.
///
/// This looks at where values may go, and not at what executions do. So it is a hint about what programmers mean, and no fact.
pub fn passes_parameters(program: &Program, method: MethodId, place: Span) -> bool {
    let Some(body) = program.body(method) else { return true };
    let declared = program.method(method);
    let receiver = usize::from(declared.kind != MethodKind::Static);
    let parameters = (receiver..declared.params.len()).map(|index| LocalId(index as u32));
    let dependent = computed_from(body, parameters.collect());
    let calls = body.ops().filter(|(_, op)| op.span == place).filter_map(|(_, op)| match &op.kind {
        OpKind::Call { args, .. } => Some(args),
        _ => None,
    });
    let mut passes = calls.map(|args| args.iter().any(|argument| dependent[argument.index()])).peekable();
    passes.peek().is_none() || passes.any(|passes| passes)
}

/// Which expressions are computed from the values of these locals.
fn computed_from(body: &Body, mut locals: FxHashSet<LocalId>) -> Vec<bool> {
    loop {
        let mut dependent: Vec<bool> = Vec::with_capacity(body.exprs.len());
        // Operands come before the expressions that have them.
        for expr in &body.exprs {
            let is_dependent = match expr {
                Expr::Local(local) => locals.contains(local),
                other => other.operands().any(|operand| dependent[operand.index()]),
            };
            dependent.push(is_dependent);
        }
        let computed = body.ops().filter(|(_, op)| op.kind.operands().iter().any(|operand| dependent[operand.index()]));
        let before = locals.len();
        locals.extend(computed.filter_map(|(_, op)| op.kind.dst()));
        if locals.len() == before {
            return dependent;
        }
    }
}
