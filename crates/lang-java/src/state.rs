//! Lists library state that outlives the call of an entry point, with the methods that read and change it.

use aback_ir::{Dispatch, LibraryState, OpKind, Program};

/// The state of a thread. An entry point may be called on any thread.
const THREADS: LibraryState = LibraryState { name: "threads", is_open: true };
/// Interrupts of threads. To interrupt a thread that sleeps or waits, a program must name it.
const INTERRUPTS: LibraryState = LibraryState { name: "interrupts", is_open: false };
/// `System.out`, `System.err` and `System.in`.
const STREAMS: LibraryState = LibraryState { name: "standard streams", is_open: false };

const READERS: &[(&str, &[&str], LibraryState)] = &[
    (
        "java.lang.Thread",
        &[
            "getName",
            "getPriority",
            "isInterrupted",
            "interrupted",
            "isDaemon",
            "getThreadGroup",
            "getContextClassLoader",
            "getUncaughtExceptionHandler",
            "getDefaultUncaughtExceptionHandler",
            "toString",
        ],
        THREADS,
    ),
    ("java.lang.Thread", &["sleep", "join"], INTERRUPTS),
    ("java.lang.Object", &["wait"], INTERRUPTS),
    ("java.lang.System", &["out", "err", "in"], STREAMS),
    ("java.lang.String", &["intern"], STRINGS),
];

/// Literals and interned strings.
const STRINGS: LibraryState = LibraryState { name: "interned strings", is_open: true };
/// State behind static setters and getters of the library.
const SETTINGS: LibraryState = LibraryState { name: "settings", is_open: false };

const CHANGERS: &[(&str, &[&str], LibraryState)] =
    &[("java.lang.Thread", &["interrupt"], INTERRUPTS), ("java.lang.System", &["setOut", "setErr", "setIn"], STREAMS)];

/// The state that an operation reads.
pub(crate) fn read(program: &Program, op: &OpKind) -> Option<LibraryState> {
    // A factory can be set only once.
    let reads = |name: &str| ["get", "is"].iter().any(|start| name.starts_with(start)) || name.ends_with("Factory");
    find(program, op, READERS).or_else(|| setting(program, op, reads))
}

/// The state that an operation changes.
pub(crate) fn changed(program: &Program, op: &OpKind) -> Option<LibraryState> {
    find(program, op, CHANGERS).or_else(|| setting(program, op, |name| name.starts_with("set")))
}

/// The settings, if the operation is a static library method that sets a global value, or gets one without arguments.
fn setting(program: &Program, op: &OpKind, is_one: impl Fn(&str) -> bool) -> Option<LibraryState> {
    let OpKind::Call { dispatch: Dispatch::Static, method, .. } = *op else { return None };
    let declared = program.method(method);
    let is_about_all = declared.params.is_empty() || declared.result.is_none() && declared.params.len() == 1;
    (is_about_all && is_one(&declared.name) && program.is_platform(declared.class)).then_some(SETTINGS)
}

fn find(program: &Program, op: &OpKind, table: &[(&str, &[&str], LibraryState)]) -> Option<LibraryState> {
    let (class, name) = match *op {
        OpKind::GetStatic { field, .. } => (program.field(field).class, program.field(field).name.as_str()),
        OpKind::Call { method, .. } => (program.method(method).class, program.method(method).name.as_str()),
        _ => return None,
    };
    let class = program.class_name(class);
    table.iter().find(|(of, names, _)| *of == class && names.contains(&name)).map(|&(_, _, state)| state)
}
