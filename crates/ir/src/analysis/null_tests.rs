//! Finds out whether methods provide for null arguments.

use crate::body::{BinaryOp, BlockId, Body, Const, Dispatch, Expr, ExprId, LocalId, OpKind, TerminatorKind, UnaryOp};
use crate::program::{MethodId, Program};
use rustc_hash::FxHashSet;

/// Most methods that are looked at for one parameter.
const MOST_METHODS: usize = 200;
/// Most blocks that are followed to an exception.
const MOST_BLOCKS: usize = 16;
/// How the names of library methods begin that test their arguments only to refuse them.
const REFUSING: [&str; 5] = ["require", "check", "throw", "notnull", "assert"];

/// Whether a method provides for null as an argument: the method, or another one that gets the argument from it, compares the
/// parameter with null, and does more about null than to throw an exception. Of libraries, only the methods count that the
/// program itself calls.
///
/// This looks at where values may go, and not at what executions do. So it is a hint about what programmers mean, and no fact.
pub fn provides_for_null(program: &Program, method: MethodId, parameter: usize) -> bool {
    let mut pending = vec![(method, parameter)];
    let mut seen: FxHashSet<(MethodId, usize)> = pending.iter().copied().collect();
    while let Some((method, parameter)) = pending.pop() {
        let Some(body) = program.body(method) else { continue };
        let aliases = aliases(body, LocalId(parameter as u32));
        let is_alias = |expr: ExprId| matches!(body.expr(expr), Expr::Local(local) if aliases.contains(local));
        if tests_null(body, &is_alias) {
            return true;
        }
        if program.is_library_method(method) {
            continue;
        }
        for op in body.blocks.iter().flat_map(|block| &block.ops) {
            let OpKind::Call { dispatch, method: callee, args, .. } = &op.kind else { continue };
            let receiver = usize::from(*dispatch != Dispatch::Static);
            for (index, _) in args.iter().enumerate().skip(receiver).filter(|(_, arg)| is_alias(**arg)) {
                let is_new = seen.len() < MOST_METHODS && !only_refuses(program, *callee);
                if is_new && seen.insert((*callee, index)) {
                    pending.push((*callee, index));
                }
            }
        }
    }
    false
}

fn only_refuses(program: &Program, method: MethodId) -> bool {
    let name = program.method(method).name.to_lowercase();
    program.is_library_method(method) && REFUSING.iter().any(|start| name.starts_with(start))
}

/// The locals that may have the value of a parameter.
fn aliases(body: &Body, parameter: LocalId) -> FxHashSet<LocalId> {
    let mut aliases = FxHashSet::from_iter([parameter]);
    loop {
        let before = aliases.len();
        for op in body.blocks.iter().flat_map(|block| &block.ops) {
            let (dst, mut value) = match op.kind {
                OpKind::Assign { dst, value } => (dst, value),
                OpKind::Cast { dst, object, .. } => (dst, object),
                _ => continue,
            };
            while let Expr::Convert { value: inner, .. } = body.expr(value) {
                value = *inner;
            }
            if matches!(body.expr(value), Expr::Local(local) if aliases.contains(local)) {
                aliases.insert(dst);
            }
        }
        if aliases.len() == before {
            return aliases;
        }
    }
}

/// Whether a body does more about null than to throw an exception, in expressions for which `is_alias` holds.
fn tests_null(body: &Body, is_alias: &dyn Fn(ExprId) -> bool) -> bool {
    let is_test = |expr: ExprId| null_if(body, expr, is_alias).is_some();
    body.blocks.iter().any(|block| {
        let is_stored = |op: &OpKind| matches!(op, OpKind::Assign { value, .. } if is_test(*value));
        let branches = match block.terminator.kind {
            TerminatorKind::Branch { condition, then_block, else_block } => null_if(body, condition, is_alias)
                .is_some_and(|outcome| {
                    let if_null = if outcome { then_block } else { else_block };
                    !throws(body, if_null)
                }),
            TerminatorKind::Return(Some(value)) => is_test(value),
            _ => false,
        };
        branches || block.ops.iter().any(|op| is_stored(&op.kind))
    })
}

/// The value of a condition if the value in question is null; `None` if the condition is about something else.
fn null_if(body: &Body, condition: ExprId, is_alias: &dyn Fn(ExprId) -> bool) -> Option<bool> {
    let is_null = |expr: ExprId| *body.expr(expr) == Expr::Const(Const::Null);
    match *body.expr(condition) {
        Expr::Unary(UnaryOp::Not, _, inner) => null_if(body, inner, is_alias).map(|value| !value),
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), _, left, right) => {
            let is_test = is_alias(left) && is_null(right) || is_null(left) && is_alias(right);
            is_test.then_some(op == BinaryOp::Eq)
        }
        _ => None,
    }
}

/// Whether control that gets to a block ends in an exception there.
fn throws(body: &Body, mut block: BlockId) -> bool {
    for _ in 0..MOST_BLOCKS {
        match body.block(block).terminator.kind {
            TerminatorKind::Throw(_) => return true,
            TerminatorKind::Goto(next) => block = next,
            _ => return false,
        }
    }
    false
}
