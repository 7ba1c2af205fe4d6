//! Tells which calls read and change state of the class library that outlives the call of an entry point.

use crate::loader::Cs;
use aback_ir::{LibraryState, OpKind};

/// The state of a thread. An entry point may be called on any thread.
const THREADS: LibraryState = LibraryState { name: "threads", is_open: true };
/// What runs when an assertion fails, something is traced, or an exception is thrown.
const LISTENERS: LibraryState = LibraryState { name: "listeners and event handlers", is_open: false };
const CULTURE: LibraryState = LibraryState { name: "the culture", is_open: false };
const VARIABLES: LibraryState = LibraryState { name: "environment variables", is_open: false };
/// What the program does with members whose names are only known when it runs.
const REFLECTION: LibraryState = LibraryState { name: "what reflection runs or changes", is_open: false };
/// State behind static properties of other classes.
const SETTINGS: LibraryState = LibraryState { name: "settings", is_open: false };

/// Library classes whose members share state, and its name.
const STATES: &[(&str, LibraryState)] = &[
    ("System.Threading.Thread", THREADS),
    ("System.Threading.SynchronizationContext", THREADS),
    ("System.Console", LibraryState { name: "the console", is_open: false }),
    ("System.Diagnostics.Trace", TRACING),
    ("System.Diagnostics.Debug", TRACING),
    ("System.AppContext", SWITCHES),
    ("System.AppDomain", SWITCHES),
    ("System.Environment", LibraryState { name: "the environment", is_open: false }),
];

const TRACING: LibraryState = LibraryState { name: "tracing", is_open: false };
/// The configuration of a program has some, too.
const SWITCHES: LibraryState = LibraryState { name: "switches", is_open: true };

/// Objects that represent state, and facts that are assumed: there is one thread.
const CONSTANT: [&str; 5] =
    ["get_CurrentThread", "get_CurrentDomain", "get_CurrentManagedThreadId", "get_ManagedThreadId", "get_NewLine"];

/// The states that an operation reads.
pub(crate) fn read(cs: Cs, op: &OpKind) -> Vec<LibraryState> {
    // Code of libraries may read these without the program naming them. Each question has an assertion: it marks the line
    // if the user asks about one.
    if let OpKind::Assert { .. } = op {
        return vec![LISTENERS, CULTURE, VARIABLES, REFLECTION];
    }
    let Some((class, name, is_global)) = called(cs, op) else { return Vec::new() };
    let is_read = ["get_", "Get", "TryGet", "Is"].iter().any(|start| name.starts_with(start));
    let state = match of_class(class) {
        _ if CONSTANT.contains(&name) => None,
        Some(state) => is_read.then_some(state),
        None => (is_global && name.starts_with("get_")).then_some(SETTINGS),
    };
    state.into_iter().collect()
}

/// The state that an operation changes.
pub(crate) fn changed(cs: Cs, op: &OpKind) -> Option<LibraryState> {
    let (class, name, is_global) = called(cs, op)?;
    if is_reflective(class, name) {
        return Some(REFLECTION);
    }
    if name.starts_with("set_") && name.ends_with("Culture") {
        return Some(CULTURE);
    }
    if class == "System.Environment" && name == "SetEnvironmentVariable" {
        return Some(VARIABLES);
    }
    let is_event = name.starts_with("add_") && of_class(class) == Some(SWITCHES);
    if is_event || name == "get_Listeners" && of_class(class) == Some(TRACING) {
        return Some(LISTENERS);
    }
    let is_change = ["set_", "Set"].iter().any(|start| name.starts_with(start));
    match of_class(class) {
        Some(state) => is_change.then_some(state),
        None => (is_global && name.starts_with("set_")).then_some(SETTINGS),
    }
}

/// Whether a method of the class library uses members that it gets as objects or names.
pub(crate) fn is_reflective(class: &str, name: &str) -> bool {
    match class {
        "System.Type" => name == "InvokeMember",
        "System.Delegate" => matches!(name, "CreateDelegate" | "DynamicInvoke"),
        "System.Activator" => name.starts_with("CreateInstance"),
        _ => {
            class.starts_with("System.Reflection.")
                && ["Invoke", "SetValue", "GetValue", "CreateDelegate", "CreateInstance"]
                    .iter()
                    .any(|start| name.starts_with(start))
        }
    }
}

fn of_class(class: &str) -> Option<LibraryState> {
    STATES.iter().find(|(name, _)| *name == class).map(|&(_, state)| state)
}

/// The class and the name of a library method that is called, and whether it is static.
fn called<'p>(cs: Cs<'p>, op: &OpKind) -> Option<(&'p str, &'p str, bool)> {
    let OpKind::Call { method, .. } = *op else { return None };
    let declared = cs.program.method(method);
    if !cs.program.is_platform(declared.class) {
        return None;
    }
    // In the program model, methods of structs have no receiver.
    let is_global = cs.loader.key_of(method).and_then(|key| cs.is_static(&key)).unwrap_or(false);
    Some((cs.program.class_name(declared.class), &declared.name, is_global))
}
