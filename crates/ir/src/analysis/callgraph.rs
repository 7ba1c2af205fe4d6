//! Computes the call graph of a program.
//!
//! A virtual call runs the method that the receiver's class selects. So its targets are found from the class hierarchy
//! (Dean, Grove, Chambers, "Optimization of object-oriented programs using static class hierarchy analysis", 1995) and
//! restricted to classes that have objects (Bacon, Sweeney, "Fast static analysis of C++ virtual function calls",
//! 1996).
//!
//! All virtual calls of one named method share one list of targets. So the number of edges is the sum of calls and
//! overriders, and not their product.

use crate::body::{Body, Dispatch, Intrinsic, OpKind};
use crate::program::{ClassId, MethodId, Program, Trap, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The objects that may exist besides those that reachable code allocates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inputs {
    /// None: execution starts with an empty heap, as `main` does.
    Nothing,
    /// Objects that the declared types allow: of the entries' parameters, of the static fields that are read, and of
    /// the fields of these objects in turn. They may be of any subclass that can have objects.
    #[default]
    Declared,
    /// Objects of any class. The call graph is then that of class hierarchy analysis alone.
    AnyClass,
}

/// The options of a [`CallGraph`].
#[derive(Clone, Debug, Default)]
pub struct CallGraphConfig {
    /// Methods that execution may start in.
    pub entries: Vec<MethodId>,
    /// Objects that may exist at the start.
    pub inputs: Inputs,
}

impl CallGraphConfig {
    /// Options for executions that start in one of `entries` with [`Inputs::Declared`].
    pub fn new(entries: impl IntoIterator<Item = MethodId>) -> Self {
        CallGraphConfig { entries: entries.into_iter().collect(), inputs: Inputs::default() }
    }

    /// The same options with other inputs.
    pub fn with_inputs(mut self, inputs: Inputs) -> Self {
        self.inputs = inputs;
        self
    }
}

/// The methods that executions from given entries can run, and the calls between them.
///
/// The graph over-approximates: a class counts as allocated if a reachable method contains an allocation of it, or if
/// it is a trap class, and a method without code may return any object that its result type allows. However, a method
/// without code counts as calling nothing: if an unknown library calls back, make the callbacks entries. The same holds
/// for library code that is loaded on demand, which is not analysed.
#[derive(Clone, Debug)]
pub struct CallGraph {
    order: Vec<MethodId>,
    reachable: Vec<bool>,
    calls: Vec<Calls>,
    callers: Vec<Calls>,
    /// For each method that a reachable virtual call names: the methods that the call may run.
    targets: FxHashMap<MethodId, Vec<MethodId>>,
    allocated: FxHashSet<ClassId>,
    components: Vec<Vec<MethodId>>,
    component: Vec<u32>,
    recursive: Vec<bool>,
}

/// Edges of one method, each method once. For its calls: `direct` callees, and methods that virtual calls name
/// (`dispatched`). For its callers: `direct` callers, and the named methods whose virtual calls may run it
/// (`dispatched`); `named_by` holds the callers that name it in virtual calls.
#[derive(Clone, Debug, Default)]
struct Calls {
    direct: Vec<MethodId>,
    dispatched: Vec<MethodId>,
    named_by: Vec<MethodId>,
}

impl CallGraph {
    /// The call graph of `program`, which must be well-formed ([`crate::validate`]), from the entries in `config`.
    pub fn new(program: &Program, config: &CallGraphConfig) -> Self {
        let mut search = Search::new(program, config.inputs);
        search.start(config);
        search.run();
        search.finish()
    }

    /// The methods that can run, in the order of their discovery.
    pub fn reachable(&self) -> &[MethodId] {
        &self.order
    }

    /// Whether `method` can run.
    pub fn is_reachable(&self, method: MethodId) -> bool {
        self.reachable.get(method.index()).is_some_and(|&reachable| reachable)
    }

    /// Number of methods of the program when the graph was built.
    pub(super) fn method_count(&self) -> usize {
        self.reachable.len()
    }

    /// Classes that can have objects, in no particular order.
    pub fn allocated(&self) -> impl Iterator<Item = ClassId> + '_ {
        self.allocated.iter().copied()
    }

    /// The methods that a call of `method` may run, sorted. Without dispatch this is the method itself. Empty for a
    /// virtual call whose receiver can only be null, and for a virtual call that no reachable method contains.
    pub fn targets(&self, dispatch: Dispatch, method: MethodId) -> Vec<MethodId> {
        match dispatch {
            Dispatch::Static | Dispatch::Special => vec![method],
            Dispatch::Virtual => self.dispatched(method).to_vec(),
        }
    }

    /// The methods that a virtual call of `method` may run, sorted.
    pub fn dispatched(&self, method: MethodId) -> &[MethodId] {
        self.targets.get(&method).map_or(&[], Vec::as_slice)
    }

    /// The methods that `method` may call, sorted, each once.
    pub fn callees(&self, method: MethodId) -> Vec<MethodId> {
        let Some(calls) = self.calls.get(method.index()) else { return Vec::new() };
        let mut callees = calls.direct.clone();
        callees.extend(calls.dispatched.iter().flat_map(|&named| self.dispatched(named)));
        callees.sort_unstable();
        callees.dedup();
        callees
    }

    /// The reachable methods that may call `method`, sorted, each once.
    pub fn callers(&self, method: MethodId) -> Vec<MethodId> {
        let Some(own) = self.callers.get(method.index()) else { return Vec::new() };
        let mut callers = own.direct.clone();
        callers.extend(own.dispatched.iter().flat_map(|&named| &self.callers[named.index()].named_by));
        callers.sort_unstable();
        callers.dedup();
        callers
    }

    /// Whether a call of `method` may lead to another call of it before it returns.
    pub fn is_recursive(&self, method: MethodId) -> bool {
        self.recursive.get(method.index()).is_some_and(|&recursive| recursive)
    }

    /// The strongly connected components of the reachable methods, callees before callers. Mutually recursive methods
    /// are in one component; a method that is not recursive is a component of its own.
    pub fn components(&self) -> &[Vec<MethodId>] {
        &self.components
    }

    /// Whether `a` and `b` may call each other, directly or not, or are the same reachable method.
    pub fn in_one_component(&self, a: MethodId, b: MethodId) -> bool {
        self.is_reachable(a) && self.is_reachable(b) && self.component[a.index()] == self.component[b.index()]
    }

    /// The named methods whose virtual calls may run `method`.
    pub(super) fn named_for(&self, method: MethodId) -> &[MethodId] {
        &self.callers[method.index()].dispatched
    }

    /// The methods that `method` calls directly, and the methods that its virtual calls name.
    pub(crate) fn named(&self, method: MethodId) -> (&[MethodId], &[MethodId]) {
        let calls = &self.calls[method.index()];
        (&calls.direct, &calls.dispatched)
    }
}

/// The code of a method; `None` for libraries that are loaded on demand, whose code would be unbounded.
pub(super) fn known_code(program: &Program, method: MethodId) -> Option<&Body> {
    let is_endless = program.grows() && program.is_library_method(method);
    if is_endless { None } else { program.body(method) }
}

struct Search<'p> {
    program: &'p Program,
    inputs: Inputs,
    order: Vec<MethodId>,
    reachable: Vec<bool>,
    calls: Vec<Calls>,
    targets: FxHashMap<MethodId, FxHashSet<MethodId>>,
    allocated: FxHashSet<ClassId>,
    /// Methods that virtual calls name, by declaring class.
    named_in: FxHashMap<ClassId, Vec<MethodId>>,
    /// Those of these classes that have variant type parameters.
    variant: Vec<ClassId>,
    /// Types whose values may be inputs.
    input_types: FxHashSet<Type>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, inputs: Inputs) -> Self {
        Search {
            program,
            inputs,
            order: Vec::new(),
            reachable: vec![false; program.method_count()],
            calls: vec![Calls::default(); program.method_count()],
            targets: FxHashMap::default(),
            allocated: FxHashSet::default(),
            named_in: FxHashMap::default(),
            variant: Vec::new(),
            input_types: FxHashSet::default(),
        }
    }

    fn start(&mut self, config: &CallGraphConfig) {
        for trap in Trap::ALL {
            if let Some(class) = self.program.trap_class(trap) {
                self.allocate(class);
            }
        }
        if config.inputs == Inputs::AnyClass {
            for class in self.program.classes().map(|(id, _)| id) {
                self.allocate_if_concrete(class);
            }
        }
        for &entry in &config.entries {
            self.reach(entry);
            if config.inputs == Inputs::Declared {
                for &ty in &self.program.method(entry).params {
                    self.input(ty);
                }
            }
        }
    }

    fn run(&mut self) {
        let mut done = 0;
        while let Some(&method) = self.order.get(done) {
            done += 1;
            self.scan(method);
        }
    }

    fn reach(&mut self, method: MethodId) {
        if self.reachable.len() <= method.index() {
            // The program grew.
            let count = self.program.method_count();
            self.reachable.resize(count, false);
            self.calls.resize(count, Calls::default());
        }
        if !std::mem::replace(&mut self.reachable[method.index()], true) {
            self.order.push(method);
        }
    }

    fn scan(&mut self, method: MethodId) {
        let program = self.program;
        let declared = program.method(method);
        let Some(body) = known_code(program, method) else {
            if let Some(result) = declared.result {
                self.input(result);
            }
            return;
        };
        for (_, op) in body.ops() {
            match op.kind {
                OpKind::New { class, .. } => self.allocate(class),
                OpKind::NewArray { .. } => self.array(),
                OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(ty), .. } => self.input(ty),
                OpKind::Intrinsic { intrinsic: Intrinsic::NondetArray(element), .. } => {
                    self.array();
                    self.input(element);
                }
                OpKind::GetStatic { field, .. } if self.inputs == Inputs::Declared => {
                    self.input(program.field(field).ty);
                }
                OpKind::Call { dispatch: Dispatch::Virtual, method: named, .. } => {
                    self.calls[method.index()].dispatched.push(named);
                    self.name(named);
                }
                OpKind::Call { method: callee, .. } | OpKind::Ensure { method: callee, .. } => {
                    self.calls[method.index()].direct.push(callee);
                    self.reach(callee);
                }
                _ => {}
            }
        }
        let calls = &mut self.calls[method.index()];
        for list in [&mut calls.direct, &mut calls.dispatched] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Records a virtual call that names `method`.
    fn name(&mut self, method: MethodId) {
        if self.targets.contains_key(&method) {
            return;
        }
        self.targets.insert(method, FxHashSet::default());
        let class = self.program.method(method).class;
        let named = self.named_in.entry(class).or_default();
        if named.is_empty() && self.program.profile().runtime.is_variant(self.program, class) {
            self.variant.push(class);
        }
        named.push(method);
        for class in self.program.subclasses(class) {
            if self.allocated.contains(&class) {
                self.select(class, method);
            }
        }
    }

    /// Records that a virtual call that names `method` may have a receiver of `class`.
    fn select(&mut self, class: ClassId, method: MethodId) {
        let selected = self.program.dispatch(class, method);
        self.targets.entry(method).or_default().insert(selected);
        self.reach(selected);
    }

    fn allocate(&mut self, class: ClassId) {
        if self.allocated.insert(class) {
            let mut above = self.program.supertypes(class);
            let variant =
                self.variant.iter().filter(|&&of| !above.contains(&of) && self.program.is_subclass(class, of));
            let variant: Vec<ClassId> = variant.copied().collect();
            above.extend(variant);
            for above in above {
                for method in self.named_in.get(&above).cloned().unwrap_or_default() {
                    self.select(class, method);
                }
            }
        }
    }

    fn allocate_if_concrete(&mut self, class: ClassId) {
        let declared = self.program.class(class);
        if !declared.is_abstract && !declared.is_interface {
            self.allocate(class);
        }
    }

    /// Records that an array exists. Virtual calls on it run the methods of the superclass of all arrays.
    fn array(&mut self) {
        if let Some(class) = self.program.array_superclass() {
            self.allocate(class);
        }
    }

    /// Records that any value of type `ty` may exist, and so may the objects that its fields refer to.
    fn input(&mut self, ty: Type) {
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            if !ty.is_reference() || !self.input_types.insert(ty) {
                continue;
            }
            match ty {
                Type::Array(array) => {
                    self.array();
                    pending.push(self.program.element_type(array));
                }
                Type::Class(class) => {
                    self.allocate_if_concrete(class);
                    // A subclass has fields of its own, and perhaps superclasses that are not below `class`.
                    pending.extend(self.program.direct_subclasses(class).iter().map(|&sub| Type::Class(sub)));
                    let fields = self.program.superclass_chain(class).flat_map(|c| &self.program.class(c).fields);
                    let fields = fields.map(|&field| self.program.field(field));
                    pending.extend(fields.filter(|field| !field.is_static).map(|field| field.ty));
                    if self.program.is_root(class) {
                        self.array();
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(mut self) -> CallGraph {
        let count = self.program.method_count();
        self.reachable.resize(count, false);
        self.calls.resize(count, Calls::default());
        let mut callers = vec![Calls::default(); count];
        let mut targets: FxHashMap<MethodId, Vec<MethodId>> = FxHashMap::default();
        for (named, selected) in self.targets {
            let mut selected: Vec<MethodId> = selected.into_iter().collect();
            selected.sort_unstable();
            for target in &selected {
                callers[target.index()].dispatched.push(named);
            }
            targets.insert(named, selected);
        }
        for list in &mut callers {
            list.dispatched.sort_unstable();
        }
        for &method in &self.order {
            let calls = &self.calls[method.index()];
            calls.direct.iter().for_each(|callee| callers[callee.index()].direct.push(method));
            calls.dispatched.iter().for_each(|named| callers[named.index()].named_by.push(method));
        }
        let mut graph = CallGraph {
            order: self.order,
            reachable: self.reachable,
            calls: self.calls,
            callers,
            targets,
            allocated: self.allocated,
            components: Vec::new(),
            component: vec![u32::MAX; count],
            recursive: vec![false; count],
        };
        graph.find_components(count);
        graph
    }
}

impl CallGraph {
    /// Finds the strongly connected components. The nodes of the graph are the methods and, with numbers from `count`
    /// on, the methods that virtual calls name.
    fn find_components(&mut self, count: usize) {
        let node = |index: usize| petgraph::graph::NodeIndex::<u32>::new(index);
        let mut graph = petgraph::graph::DiGraph::<(), ()>::with_capacity(2 * count, 2 * count);
        for _ in 0..2 * count {
            graph.add_node(());
        }
        for &method in &self.order {
            let calls = &self.calls[method.index()];
            for callee in &calls.direct {
                graph.add_edge(node(method.index()), node(callee.index()), ());
                self.recursive[method.index()] |= *callee == method;
            }
            for named in &calls.dispatched {
                graph.add_edge(node(method.index()), node(count + named.index()), ());
            }
        }
        for (named, selected) in &self.targets {
            for target in selected {
                graph.add_edge(node(count + named.index()), node(target.index()), ());
            }
        }
        for component in petgraph::algo::kosaraju_scc(&graph) {
            let methods = component.iter().map(|node| node.index()).filter(|&index| index < count);
            let mut methods: Vec<MethodId> =
                methods.filter(|&index| self.reachable[index]).map(|index| MethodId(index as u32)).collect();
            if methods.is_empty() {
                continue;
            }
            methods.sort_unstable();
            for method in &methods {
                self.component[method.index()] = self.components.len() as u32;
                self.recursive[method.index()] |= component.len() > 1;
            }
            self.components.push(methods);
        }
    }
}
