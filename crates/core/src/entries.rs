//! Where executions start that a question is about.

use crate::question::{QuestionError, entry_point, is_main};
use aback_ir::analysis::{CallGraph, CallGraphConfig, Distance};
use aback_ir::{Body, MethodId, Point, Program};
use rustc_hash::FxHashSet;

/// The entry points of a question. The one that is named; without a name, and about the whole program, its main method;
/// about a line, main methods and public methods of public types from which control can get there, the nearest first. Where
/// there are none of those, methods that no other method of the program calls.
///
/// # Errors
/// There is none, or the name does not tell which.
pub fn entry_points(
    program: &Program,
    name: Option<&str>,
    at: Option<&FxHashSet<(MethodId, Point)>>,
) -> Result<Vec<MethodId>, QuestionError> {
    let (None, Some(at)) = (name, at) else {
        return Ok(vec![entry_point(program, name)?]);
    };
    let own: Vec<MethodId> = program
        .methods()
        .filter(|(_, method)| {
            !method.is_abstract && !program.class(method.class).is_library && !method.name.starts_with('<')
        })
        .map(|(id, _)| id)
        .collect();
    let targets: FxHashSet<MethodId> = at.iter().map(|&(method, _)| method).collect();
    let mut roots: Vec<MethodId> = own.clone();
    roots.extend(targets.iter().copied());
    let graph = CallGraph::new(program, &CallGraphConfig::new(roots));
    let distance = Distance::new(program, &graph, at.iter().copied());
    let start = Point { block: Body::ENTRY, op: 0 };
    let ahead = |method: MethodId| distance.to_target(method, start);
    // Libraries are not looked at: they may call what overrides a method of theirs, and code that is passed to them.
    let is_called_back = targets.iter().any(|&target| may_be_called_back(program, target));
    let is_open = |method: MethodId| is_main(program, method) || program.is_public(method);
    let near = own.iter().copied().filter(|&method| is_open(method) && (is_called_back || ahead(method).is_some()));
    let mut entries: Vec<MethodId> = near.collect();
    if entries.is_empty() {
        let is_root = |&method: &MethodId| {
            ahead(method).is_some() && graph.callers(method).iter().all(|&caller| caller == method)
        };
        entries = own.iter().copied().filter(is_root).collect();
    }
    if entries.is_empty() {
        entries = targets.into_iter().collect();
        entries.sort_unstable();
    }
    entries.sort_by_key(|&method| ahead(method).unwrap_or(u32::MAX));
    Ok(entries)
}

/// Whether a library may call a method of the program without being passed it by name.
fn may_be_called_back(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let is_library = |class| program.class(class).is_library;
    let overrides = program.supertypes(declared.class).into_iter().filter(|&class| is_library(class)).any(|class| {
        let named = program.methods_named(class, &declared.name);
        named.iter().any(|&other| program.method(other).params.get(1..) == declared.params.get(1..))
    });
    // The code of a lambda is in a method of its own.
    overrides || program.has_loader() && declared.name.starts_with("lambda$")
}
