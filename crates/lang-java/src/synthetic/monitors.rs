//! Counts the monitors that the thread owns, in programs that could observe them.

use crate::classpath::ClassPath;
use crate::loader::Java;
use crate::synthetic::classes;
use crate::types::OBJECT;
use aback_ir::{
    Block, BlockId, Body, Dispatch, Expr, Handler, MethodId, MethodKind, Op, OpKind, Span, Terminator, TerminatorKind,
    Type,
};

/// The names of methods that depend on the owner of a monitor, as in class files: a tag, the length, the text.
const ASKING: [&[u8]; 4] =
    [b"\x01\x00\x04wait", b"\x01\x00\x06notify", b"\x01\x00\x09notifyAll", b"\x01\x00\x09holdsLock"];

/// Whether monitors are counted. They are counted only if a user class names a method that observes them; JDK code
/// only asks for monitors that it owns.
pub(crate) fn are_counted(classpath: &ClassPath) -> bool {
    classpath.users_have(&ASKING)
}

/// The method of `Object` that counts entering (`$enter`) or leaving (`$leave`) a monitor.
pub(crate) fn counter(java: Java, name: &str) -> Option<MethodId> {
    java.declared_method(java.named(OBJECT), name, "()V")
}

/// The code of a synchronized method, which owns a monitor from its start until it returns or throws.
pub(crate) fn synchronized(java: Java, method: MethodId, mut body: Body) -> Body {
    let (Some(enter), Some(leave)) = (counter(java, "$enter"), counter(java, "$leave")) else { return body };
    let declared = java.program.method(method);
    let op = |kind| Op { kind, span: declared.span };
    let call = |method, object| op(OpKind::Call { dst: None, dispatch: Dispatch::Virtual, method, args: vec![object] });

    // The code may jump back to its first block, so the entry block must be a new one.
    let first = BlockId(body.blocks.len() as u32);
    redirect(&mut body, Body::ENTRY, first);
    let (monitor, mut ops) = match declared.kind {
        MethodKind::Static => {
            let (field, make) = classes::class_object(java, Some(Type::Class(declared.class)));
            let dst = body.add_temp(java.class_type(classes::CLASS));
            (dst, vec![op(OpKind::Ensure { field, method: make }), op(OpKind::GetStatic { dst, field })])
        }
        MethodKind::Instance | MethodKind::Constructor => {
            let value = body.add_expr(Expr::Local(aback_ir::LocalId(0)));
            let dst = body.add_temp(Type::Class(declared.class));
            (dst, vec![op(OpKind::Assign { dst, value })])
        }
    };
    let owned = body.add_expr(Expr::Local(monitor));
    ops.push(call(enter, owned));
    let goto = Terminator { kind: TerminatorKind::Goto(first), span: Span::NONE };
    let entry = Block { ops, terminator: goto, handlers: Vec::new() };
    let Some(own) = body.blocks.first_mut().map(|block| std::mem::replace(block, entry)) else { return body };
    body.blocks.push(own);

    let exception = body.add_temp(java.class_type("java.lang.Throwable"));
    let thrown = body.add_expr(Expr::Local(exception));
    let target = BlockId(body.blocks.len() as u32);
    for block in &mut body.blocks[1..] {
        if matches!(block.terminator.kind, TerminatorKind::Return(_)) {
            block.ops.push(call(leave, owned));
        }
        block.handlers.push(Handler { class: None, target, exception });
    }
    body.blocks.push(Block {
        ops: vec![call(leave, owned)],
        terminator: Terminator { kind: TerminatorKind::Throw(thrown), span: declared.span },
        handlers: Vec::new(),
    });
    body
}

/// Redirects all jumps from one block to another block.
fn redirect(body: &mut Body, from: BlockId, to: BlockId) {
    let follow = |block: &mut BlockId| {
        if *block == from {
            *block = to;
        }
    };
    for block in &mut body.blocks {
        block.handlers.iter_mut().for_each(|handler| follow(&mut handler.target));
        match &mut block.terminator.kind {
            TerminatorKind::Goto(target) => follow(target),
            TerminatorKind::Branch { then_block, else_block, .. } => {
                follow(then_block);
                follow(else_block);
            }
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| follow(target));
                follow(default);
            }
            TerminatorKind::Return(_)
            | TerminatorKind::Throw(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported { .. }
            | TerminatorKind::Bound(_) => {}
        }
    }
}
