//! Draws graphs in the language of Graphviz (`dot -Tsvg`).

use crate::analysis::{CallGraph, Cfg};
use crate::program::{MethodId, Program};
use crate::text::BodyPrinter;
use std::fmt::Write;

/// The control-flow graph of a method: a box for each block with its operations as IR text, an edge for each
/// successor, and dashed edges to the handlers of exceptions that the block may throw. A method without code gives an
/// empty graph.
pub fn cfg_dot(program: &Program, method: MethodId) -> String {
    let name = program.method_name(method);
    let mut out = format!("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", escape(&name));
    if let Some(body) = program.body(method) {
        let printer = BodyPrinter::new(program, body);
        let cfg = Cfg::new(body);
        let lets = printer.lets();
        if !lets.is_empty() {
            let _ = writeln!(out, "  lets [shape=note, label=\"{}\"];", left_aligned(&lets));
        }
        for id in body.block_ids() {
            let block = body.block(id);
            let mut lines = vec![format!("b{}:", id.0)];
            lines.extend(block.ops.iter().map(|op| printer.op(&op.kind)));
            lines.push(printer.terminator(&block.terminator.kind));
            let _ = writeln!(out, "  b{} [label=\"{}\"];", id.0, left_aligned(&lines));
        }
        for id in body.block_ids() {
            for next in cfg.successors(id) {
                let _ = writeln!(out, "  b{} -> b{};", id.0, next.0);
            }
            for next in cfg.exceptional_successors(id) {
                let _ = writeln!(out, "  b{} -> b{} [style=dashed];", id.0, next.0);
            }
        }
    }
    out.push_str("}\n");
    out
}

/// The call graph: a node for each reachable method, without a border if it has no code, and an edge for each pair of
/// caller and callee, dashed for virtual calls. A method that virtual calls name and that has several overriders has
/// a diamond of its own, with edges to the overriders.
pub fn callgraph_dot(program: &Program, graph: &CallGraph) -> String {
    let mut out = String::from("digraph calls {\n  node [shape=box];\n");
    let mut named: Vec<MethodId> = Vec::new();
    for &method in graph.reachable() {
        let shape = if !program.method(method).is_abstract { "" } else { ", shape=plain" };
        let _ = writeln!(out, "  m{} [label=\"{}\"{shape}];", method.0, escape(&program.method_name(method)));
        named.extend(graph.named(method).1);
    }
    named.sort_unstable();
    named.dedup();
    let is_shared = |method: MethodId| graph.dispatched(method).len() > 1;
    for &method in named.iter().filter(|&&method| is_shared(method)) {
        let name = escape(&program.method_name(method));
        let _ = writeln!(out, "  v{} [shape=diamond, label=\"{name}\"];", method.0);
        for target in graph.dispatched(method) {
            let _ = writeln!(out, "  v{} -> m{} [style=dashed];", method.0, target.0);
        }
    }
    for &method in graph.reachable() {
        let (direct, dispatched) = graph.named(method);
        for callee in direct {
            let _ = writeln!(out, "  m{} -> m{};", method.0, callee.0);
        }
        for &callee in dispatched {
            if is_shared(callee) {
                let _ = writeln!(out, "  m{} -> v{} [style=dashed];", method.0, callee.0);
            } else if let [target] = graph.dispatched(callee) {
                let _ = writeln!(out, "  m{} -> m{} [style=dashed];", method.0, target.0);
            }
        }
    }
    out.push_str("}\n");
    out
}

/// The lines of a label; each ends in `\l`.
fn left_aligned(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}\\l", escape(line))).collect()
}

/// Escapes text for a quoted label.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
