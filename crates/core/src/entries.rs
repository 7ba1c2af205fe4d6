//! Chooses the entry points of a question.

use crate::before::{bound, shortened};
use crate::question::{QuestionError, entry_point};
use crate::time_limit::TimeLimit;
use aback_ir::analysis::{CallGraph, CallGraphConfig, Callbacks, Distance, IndirectCode, Stopped};
use aback_ir::{Body, MethodId, MethodKind, Point, Program};
use aback_symbolic::Gap;
use rustc_hash::FxHashSet;

/// Which methods code outside of the program is taken to call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Public methods of public types, and main methods.
    Public,
    /// All methods that are not private.
    Package,
    /// All methods.
    Private,
}

/// The methods with which code outside of the program can start.
pub(crate) fn open_methods(program: &Program, visibility: Visibility) -> Vec<MethodId> {
    // Callers can use generic classes that the program itself does not use.
    program.profile().runtime.make_representatives(program);
    let is_visible = |method: MethodId| match visibility {
        Visibility::Public => is_open(program, method),
        Visibility::Package => !program.is_private(method),
        Visibility::Private => true,
    };
    let is_asked = |method: MethodId| is_visible(method) || program.is_property(method);
    let own = program.own_methods().filter(|&method| can_be_entered(program, method) && is_asked(method));
    let is_added = |method: MethodId| program.is_bridge(method) || program.is_implicit(method);
    own.filter(|&method| !is_added(method)).collect()
}

/// Whether code outside of the program can call a method.
fn is_open(program: &Program, method: MethodId) -> bool {
    program.is_start(method) || program.is_public(method)
}

/// Whether an execution can start with a method.
fn can_be_entered(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    match declared.kind {
        _ if program.is_added(method) => false,
        // Constructors of abstract classes run for objects of subclasses only, with arguments that these choose.
        MethodKind::Constructor => !program.class(declared.class).is_abstract,
        _ => !declared.name.starts_with('<'),
    }
}

/// The entry points of a question.
pub(crate) struct Entries<'p> {
    program: &'p Program,
    /// The entry points, the nearest first.
    pub(crate) methods: Vec<MethodId>,
    /// Code that leads to the places in question and runs through objects.
    indirect: Option<IndirectCode<'p>>,
    /// The reason why such code is not known, if the analysis was given up.
    given_up: Option<Gap>,
}

impl<'p> Entries<'p> {
    /// Chooses the entry points. A name gives one entry point. Without a name, a question about the whole program
    /// starts at the main method, and a question about a line at the main methods and the public methods of public
    /// types from which control can reach the line, the nearest first. If there are none of these, it starts at methods
    /// that no other method of the program calls.
    ///
    /// # Errors
    /// There is no entry point, or the name is ambiguous.
    pub(crate) fn new(
        program: &'p Program,
        name: Option<&str>,
        at: Option<&FxHashSet<(MethodId, Point)>>,
        limit: &TimeLimit,
    ) -> Result<Self, QuestionError> {
        match (name, at) {
            (None, Some(at)) => Ok(Self::leading_to(program, at, limit)),
            _ => Ok(Entries { program, methods: vec![entry_point(program, name)?], indirect: None, given_up: None }),
        }
    }

    fn leading_to(program: &'p Program, at: &FxHashSet<(MethodId, Point)>, limit: &TimeLimit) -> Self {
        let own: Vec<MethodId> = program.own_methods().filter(|&method| can_be_entered(program, method)).collect();
        let targets: FxHashSet<MethodId> = at.iter().map(|&(method, _)| method).collect();
        let roots = program.own_methods().chain(targets.iter().copied());
        let graph = CallGraph::new(program, &CallGraphConfig::new(roots));
        let distance = Distance::new(program, &graph, at.iter().copied());
        let start = Point { block: Body::ENTRY, op: 0 };
        let ahead = |method: MethodId| distance.to_target(method, start);
        let is_called_back = distance.is_called_back(&Callbacks::new(program));
        let inner = program.own_methods().filter(|&method| ahead(method).is_some() && !is_open(program, method));
        let (indirect, given_up) = match IndirectCode::new(program, inner, &|| limit.is_over()) {
            Ok(indirect) => (indirect, None),
            Err(Stopped) => (None, Some(limit.gap())),
        };
        let is_first = program.first_methods().into_iter().any(|method| ahead(method).is_some());
        let leads = |method: MethodId| {
            (is_called_back || is_first || ahead(method).is_some())
                && indirect.as_ref().is_none_or(|indirect| indirect.may_run(method, &targets))
        };
        let mut methods: Vec<MethodId> =
            own.iter().copied().filter(|&method| is_open(program, method) && leads(method)).collect();
        if methods.is_empty() {
            let is_root = |&method: &MethodId| {
                ahead(method).is_some() && graph.callers(method).iter().all(|&caller| caller == method)
            };
            methods = own.iter().copied().filter(is_root).collect();
        }
        if methods.is_empty() {
            methods = targets.into_iter().collect();
            methods.sort_unstable();
        }
        methods.sort_by_key(|&method| ahead(method).unwrap_or(u32::MAX));
        Entries { program, methods, indirect, given_up }
    }

    /// The executions of the places in question that start outside of the entry points: in code outside of the program
    /// that gets an object and calls its methods, and in async methods that go on later. These are bounds.
    pub(crate) fn outside(self) -> Vec<Gap> {
        let (Some(&start), Some(indirect)) = (self.methods.first(), self.indirect) else {
            return self.given_up.into_iter().collect();
        };
        let named = |what: &str, methods: &[MethodId]| {
            let names: Vec<String> = methods.iter().map(|&method| self.program.source_name(method)).collect();
            let what = || format!("{what}: {}", shortened(&names));
            (!names.is_empty()).then(|| bound(what(), start))
        };
        let later = indirect.run_later(&self.methods);
        let later = named("async methods have ended when the entry point returns", &later);
        let outside = "code outside of the program does not use objects that it gets to run";
        later.into_iter().chain(named(outside, indirect.run_outside())).collect()
    }
}
