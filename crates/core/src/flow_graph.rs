//! The control-flow graphs of methods, for people.

use aback_ir::analysis::Cfg;
use aback_ir::text::BodyPrinter;
use aback_ir::{BlockId, FileId, MethodId, Program, TerminatorKind};
use aback_witness::{BlockShape, NextShape};

/// The control-flow graph of a method.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    /// The method with its parameters.
    pub method: String,
    /// The file with its source.
    pub file: FileId,
    /// The basic blocks, of which the first is where it begins. Empty if it has no code.
    pub blocks: Vec<BlockShape>,
}

impl FlowGraph {
    /// The graph of a method.
    pub fn new(program: &Program, method: MethodId) -> FlowGraph {
        let blocks = blocks_of(program, method);
        let span = program.method(method).span;
        FlowGraph { method: program.signature(method), file: span.file, blocks }
    }
}

/// The control-flow graph of a method.
pub(crate) fn blocks_of(program: &Program, method: MethodId) -> Vec<BlockShape> {
    let Some(body) = program.body(method) else { return Vec::new() };
    let cfg = Cfg::new(body);
    let shape = |(id, code): (BlockId, Vec<String>)| {
        let block = body.block(id);
        let mut lines: Vec<u32> = block.ops.iter().map(|op| op.span.line).collect();
        lines.push(block.terminator.span.line);
        lines.retain(|&line| line > 0);
        lines.dedup();
        let edge = |(to, when): (BlockId, String)| NextShape { to: to.0, when };
        let handlers = cfg.exceptional_successors(id).map(|to| (to, "exception".to_string()));
        BlockShape { lines, code, next: ways(&block.terminator.kind).into_iter().chain(handlers).map(edge).collect() }
    };
    let mut code = aback_lower::blocks(program, body);
    if let Some(first) = code.first_mut() {
        first.splice(0..0, BodyPrinter::new(program, body).lets());
    }
    body.block_ids().zip(code).map(shape).collect()
}

/// Where control can go at the end of a block, and when.
fn ways(terminator: &TerminatorKind) -> Vec<(BlockId, String)> {
    match terminator {
        TerminatorKind::Goto(to) => vec![(*to, String::new())],
        TerminatorKind::Branch { then_block, else_block, .. } => {
            vec![(*then_block, "true".into()), (*else_block, "false".into())]
        }
        TerminatorKind::Switch { cases, default, .. } => {
            let cases = cases.iter().map(|(case, to)| (*to, case.to_string()));
            cases.chain([(*default, "default".into())]).collect()
        }
        TerminatorKind::Return(_)
        | TerminatorKind::Throw(_)
        | TerminatorKind::Unreachable
        | TerminatorKind::Unsupported { .. }
        | TerminatorKind::Bound(_) => Vec::new(),
    }
}
