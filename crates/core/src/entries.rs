//! Chooses the entry points of a question.

use crate::question::{QuestionError, entry_point};
use aback_ir::analysis::{CallGraph, CallGraphConfig, Callbacks, Distance, FunctionObjects, may_run_functions};
use aback_ir::{Body, MethodId, MethodKind, Point, Program};
use rustc_hash::FxHashSet;

/// The entry points of a question. A name gives one entry point. Without a name, a question about the whole program
/// starts at the main method, and a question about a line at the main methods and the public methods of public types
/// from which control can reach the line, the nearest first. If there are none of these, it starts at methods that no
/// other method of the program calls.
///
/// # Errors
/// There is no entry point, or the name is ambiguous.
pub fn entry_points(
    program: &Program,
    name: Option<&str>,
    at: Option<&FxHashSet<(MethodId, Point)>>,
) -> Result<Vec<MethodId>, QuestionError> {
    let (None, Some(at)) = (name, at) else {
        return Ok(vec![entry_point(program, name)?]);
    };
    let is_entry = |&method: &MethodId| {
        let declared = program.method(method);
        match declared.kind {
            // Constructors of abstract classes run for objects of subclasses only, with arguments that these choose.
            MethodKind::Constructor => !program.class(declared.class).is_abstract,
            _ => !declared.name.starts_with('<'),
        }
    };
    let own: Vec<MethodId> = program.own_methods().filter(is_entry).collect();
    let targets: FxHashSet<MethodId> = at.iter().map(|&(method, _)| method).collect();
    let roots = program.own_methods().chain(targets.iter().copied());
    let graph = CallGraph::new(program, &CallGraphConfig::new(roots));
    let distance = Distance::new(program, &graph, at.iter().copied());
    let start = Point { block: Body::ENTRY, op: 0 };
    let ahead = |method: MethodId| distance.to_target(method, start);
    let called_back = CalledBack::new(program, &distance);
    let is_open = |method: MethodId| program.is_start(method) || program.is_public(method);
    let leads = |method: MethodId| ahead(method).is_some() || called_back.may_run_from(program, method);
    let mut entries: Vec<MethodId> = own.iter().copied().filter(|&method| is_open(method) && leads(method)).collect();
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

/// What libraries may call and leads to the places of a question.
enum CalledBack {
    /// Methods that run only through function objects.
    Functions(FxHashSet<MethodId>),
    /// Any of the program's methods.
    Other,
}

impl CalledBack {
    fn new(program: &Program, distance: &Distance) -> Self {
        let Some(methods) = distance.called_back(&Callbacks::new(program)) else { return CalledBack::Other };
        if methods.is_empty() {
            return CalledBack::Functions(FxHashSet::default());
        }
        let functions = FunctionObjects::new(program);
        match methods.iter().all(|&method| functions.made_at(method).is_some()) {
            true => CalledBack::Functions(methods.into_iter().collect()),
            false => CalledBack::Other,
        }
    }

    /// Whether an execution of an entry point may run one of the methods.
    fn may_run_from(&self, program: &Program, entry: MethodId) -> bool {
        match self {
            CalledBack::Functions(functions) => !functions.is_empty() && may_run_functions(program, entry, functions),
            CalledBack::Other => true,
        }
    }
}
