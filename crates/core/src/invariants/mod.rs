//! Restricts the inputs of an entry point to heaps that satisfy invariants (paper 3).
//!
//! The forward engine explores the input heap by lazy initialization. An observer on each path records the references that
//! get a meaning, and ends the path when no heap with these references can satisfy the invariants. The inputs of a
//! counterexample also have references that the path never reads; [`completion`] looks for values of these with which the whole heap
//! satisfies the invariants.

mod completion;
mod guarded;
mod model_finding;
mod propositions;
mod shipped;

pub use shipped::SHIPPED;

use crate::before::{bound, shortened};
use crate::check::{CheckConfig, CheckError};
use aback_forward::HeapKind;
use aback_heap::{Decision, Meaning, Observer, Source, Value};
use aback_hex::{
    Invariants, ObjectNumber, Partial, Place, RootId, TooLarge, Triggered, Truth, triggered_in_some_order,
};
use aback_ir::{ClassId, Diagnostic, MethodId, Program, SourceFile, Span, Type};
use aback_logic::{Node, Pool, Term};
use aback_symbolic::Gap;
use aback_witness::Inputs;
use guarded::Guarded;
use model_finding::ModelFinder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Most steps of the search for what other orders of discovery trigger.
const MOST_ORDERS: usize = 2_000;

/// A file of invariants.
#[derive(Clone, Debug)]
pub struct InvariantFile {
    /// Its path as the user gave it.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
}

/// The invariants of an entry point.
pub(crate) struct Restriction {
    program: Program,
    entry: MethodId,
    invariants: Arc<Invariants>,
    /// Decides partial heaps, if that is not done incrementally.
    model_finder: Option<Rc<ModelFinder>>,
    /// What the path of the violation that is judged next has found.
    found: Rc<RefCell<Option<Found>>>,
}

/// What a path has found of the input heap.
enum Found {
    /// The objects, with their positions in the inputs.
    Objects(Partial, Vec<usize>),
    /// References with guards: the inputs say which of them lead to which objects.
    Guarded(Guarded),
}

impl Restriction {
    /// Reads the invariants for an entry point, if the configuration has some.
    ///
    /// # Errors
    /// The text is no list of sentences about this entry point.
    pub(crate) fn of(
        program: &Program,
        entry: MethodId,
        config: &CheckConfig,
    ) -> Result<Option<Restriction>, CheckError> {
        let Some(file) = &config.invariants else { return Ok(None) };
        let text = Some(file.text.clone());
        let id = program.add_file(SourceFile { path: file.path.clone(), text });
        let invariants = Invariants::parse(program, &roots(program, entry), id, &file.text);
        let invariants = invariants.and_then(|invariants| match invariants.sentences() {
            [] => {
                let start = Span { file: id, line: 1, column: 1, length: 1 };
                let help = "write sentences such as `root.list not null;`";
                Err(vec![Diagnostic::error(start, "the file has no sentence").with_help(help)])
            }
            _ => Ok(invariants),
        });
        match invariants {
            Ok(invariants) => Ok(Some(Restriction {
                program: program.with_described_inputs(described(program, &invariants)),
                entry,
                invariants: Arc::new(invariants),
                model_finder: config.scope.map(|scope| Rc::new(ModelFinder::new(scope, &config.solver))),
                found: Rc::default(),
            })),
            Err(diagnostics) => Err(CheckError::Invariants { program: program.clone(), diagnostics }),
        }
    }

    /// The program, whose inputs may be objects of all classes of the library that the sentences name.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// What the sentences say only through methods of the program, in readable form.
    pub(crate) fn assumption(&self) -> Option<String> {
        let companions = self.invariants.atoms().iter().filter_map(|atom| atom.companion);
        let names: BTreeSet<String> = companions.map(|method| self.program.source_name(method)).collect();
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| format!("companion methods return true: {}", shortened(&names)))
    }

    /// The bound of proofs that leave out inputs with many objects.
    pub(crate) fn bound(&self) -> Option<Gap> {
        Some(bound(self.model_finder.as_ref()?.bound()?, self.entry))
    }

    /// An observer for the first path of an exploration with a heap, which ends at the deadline.
    pub(crate) fn observer(&self, heap: HeapKind, deadline: Option<Instant>) -> Box<dyn Observer> {
        // A companion method is called for one object, and the solver that looks for models knows no conditions.
        let has_companions = self.invariants.atoms().iter().any(|atom| atom.companion.is_some());
        if heap == HeapKind::Symbolic && !has_companions && self.model_finder.is_none() {
            return Box::new(Guarded::new(&self.program, &self.invariants, &self.found));
        }
        if let Some(finder) = &self.model_finder {
            finder.set_deadline(deadline);
        }
        Box::new(Watcher {
            program: self.program.clone(),
            invariants: Arc::clone(&self.invariants),
            model_finder: self.model_finder.clone(),
            heap: Partial::new(&self.invariants),
            objects: Rc::default(),
            names: Rc::default(),
            called: Rc::default(),
            pending: Vec::new(),
            has_alias: false,
            found: Rc::clone(&self.found),
        })
    }

    /// Inputs that satisfy the invariants, from those of a path that does not exclude such inputs: the one that an
    /// observer has told of last. `None` if none were found.
    pub(crate) fn completed(&self, inputs: &Inputs) -> Option<Inputs> {
        let (heap, positions) = match self.found.borrow_mut().take()? {
            Found::Objects(heap, positions) => (heap, positions),
            Found::Guarded(guarded) => guarded.discovered_in(self.entry, inputs)?,
        };
        completion::complete(&self.program, self.entry, &self.invariants, (heap, positions), inputs)
    }

    /// Whether the inputs satisfy the invariants as they are.
    pub(crate) fn accepts(&self, inputs: &Inputs) -> bool {
        completion::satisfies(&self.program, self.entry, &self.invariants, inputs)
    }
}

/// The loaded classes whose objects the sentences are about.
fn described(program: &Program, invariants: &Invariants) -> Vec<ClassId> {
    program.classes().map(|(class, _)| class).filter(|&class| is_named(program, invariants, class)).collect()
}

/// Whether the sentences name a class or one from which it derives. The names of interfaces and of the root class, which stand
/// for objects of many other classes, do not count.
fn is_named(program: &Program, invariants: &Invariants, class: ClassId) -> bool {
    let mut above = program.superclass_chain(class).filter(|&class| !program.is_root(class));
    above.any(|class| invariants.types().any(|types| types.name(program, class)))
}

/// The parameters with references, in order, and a name for all other references that the environment gives.
fn roots(program: &Program, entry: MethodId) -> Vec<(String, Type)> {
    let method = program.method(entry);
    let locals = program.body(entry).map(|body| &body.locals[..]).unwrap_or_default();
    let params = method.params.iter().enumerate().filter(|(_, ty)| ty.is_reference());
    let named = params.map(|(index, &ty)| (locals.get(index).map_or_else(String::new, |local| local.name.clone()), ty));
    named.chain([(ENVIRONMENT.to_string(), Type::Null)]).collect()
}

/// The root of references that are in no parameter. No sentence can name it.
const ENVIRONMENT: &str = "";

/// Records the references that get a meaning on a path.
#[derive(Clone)]
struct Watcher {
    program: Program,
    invariants: Arc<Invariants>,
    model_finder: Option<Rc<ModelFinder>>,
    heap: Partial,
    objects: Rc<FxHashMap<i64, ObjectNumber>>,
    /// The terms that stand for objects, by their numbers in the heap.
    names: Rc<Vec<Term>>,
    /// The companion methods that were called, and those that the last reference has triggered.
    called: Rc<FxHashSet<Triggered>>,
    pending: Vec<Triggered>,
    /// Whether a reference is an alias. Otherwise, all orders of discovery are alike.
    has_alias: bool,
    found: Rc<RefCell<Option<Found>>>,
}

impl Watcher {
    fn object(&self, pool: &Pool, name: Term) -> Option<ObjectNumber> {
        self.objects.get(&number(pool, name)?).copied()
    }

    /// The companion methods that the last reference triggers. In other orders of discovery, other references trigger
    /// some, too: a path of the known part of the heap is a path of the whole heap.
    fn triggered(&self) -> Vec<Triggered> {
        let in_order = || self.heap.triggered(&self.invariants, &self.program);
        let has_companions = self.invariants.atoms().iter().any(|atom| atom.companion.is_some());
        if !has_companions || !self.has_alias {
            return in_order();
        }
        match triggered_in_some_order(&self.invariants, &self.program, &self.heap.heap(), MOST_ORDERS) {
            Ok(triggered) => {
                let mut triggered: Vec<Triggered> = triggered.into_iter().collect();
                triggered.sort_unstable_by_key(|call| (call.atom, call.reached, call.origin));
                triggered
            }
            // Those of this order are some of all.
            Err(TooLarge) => in_order(),
        }
    }
}

/// The place of a reference. `None` if its object was not found.
fn place(invariants: &Invariants, source: Source, object: impl Fn(Term) -> Option<ObjectNumber>) -> Option<Place> {
    Some(match source {
        // What is in no parameter is in the last root.
        Source::Root(root) => Place::Root(RootId(root.min(invariants.roots().len() - 1) as u32)),
        Source::Field(of, field) => Place::Field(object(of)?, field),
        Source::Element(array, _) => Place::Element(object(array)?),
    })
}

/// The number that a term for an object of the input is.
fn number(pool: &Pool, name: Term) -> Option<i64> {
    match pool.node(name) {
        Node::Int(number) => number.as_i64(),
        _ => None,
    }
}

impl Observer for Watcher {
    fn hear(&mut self, pool: &mut Pool, decision: &Decision) -> bool {
        self.pending.clear();
        // Other meanings decide no reference.
        let meaning = match decision.meaning {
            Meaning::Null => aback_hex::Meaning::Null,
            Meaning::AliasOf(object) => match self.object(pool, object) {
                Some(object) => aback_hex::Meaning::Alias(object),
                None => return true,
            },
            Meaning::New(_, exact) => aback_hex::Meaning::New(exact.unwrap_or(decision.ty)),
            Meaning::Exactly(_) | Meaning::Any | Meaning::Guarded(_) => return true,
        };
        // The source of a reference was found before the reference.
        let found = place(&self.invariants, decision.source, |object| self.object(pool, object));
        let Some(place) = found else { return true };
        let Ok(new) = self.heap.refer(&self.invariants, &self.program, place, meaning) else { return true };
        if let (Some(object), &Meaning::New(name, _)) = (new, &decision.meaning) {
            Rc::make_mut(&mut self.names).push(name);
            if let Some(number) = number(pool, name) {
                Rc::make_mut(&mut self.objects).insert(number, object);
            }
        }
        self.has_alias |= matches!(meaning, aback_hex::Meaning::Alias(_));
        self.pending = self.triggered();
        self.pending.retain(|call| !self.called.contains(call));
        if !self.pending.is_empty() {
            Rc::make_mut(&mut self.called).extend(&self.pending);
        }
        match &self.model_finder {
            Some(finder) => finder.may_complete(&self.invariants, &self.program, &self.heap),
            None => self.heap.verdict(&self.invariants) != Truth::False,
        }
    }

    fn conditions(&mut self) -> Vec<(MethodId, Vec<Value>)> {
        let value = |object: Option<ObjectNumber>| match object.and_then(|object| self.names.get(object.0 as usize)) {
            Some(&name) => Value::Term(name),
            None => Value::Null,
        };
        let call = |triggered: &Triggered| {
            let origin = triggered.origin.map(|origin| value(Some(origin)));
            (triggered.method, origin.into_iter().chain([value(triggered.reached)]).collect())
        };
        let calls = self.pending.iter().map(call).collect();
        self.pending.clear();
        calls
    }

    fn found(&self, objects: &[Option<i64>]) {
        // Parts of library objects that the path never reads are no objects of the heap.
        let mut positions = vec![None; self.names.len()];
        for (position, number) in objects.iter().enumerate() {
            if let Some(object) = number.as_ref().and_then(|number| self.objects.get(number)) {
                positions[object.0 as usize] = Some(position);
            }
        }
        let positions: Option<Vec<usize>> = positions.into_iter().collect();
        *self.found.borrow_mut() = positions.map(|positions| Found::Objects(self.heap.clone(), positions));
    }

    fn boxed_clone(&self) -> Box<dyn Observer> {
        Box::new(self.clone())
    }
}

/// For messages about invariants.
pub(crate) fn message(diagnostics: &[Diagnostic]) -> String {
    match diagnostics {
        [_] => "the invariants have an error".into(),
        all => format!("the invariants have {} errors", all.len()),
    }
}
