//! Restricts the inputs of an entry point to heaps that satisfy invariants (paper 3).
//!
//! The forward engine explores the input heap by lazy initialization. An observer on each path records the references that
//! get a meaning, and ends the path when no heap with these references can satisfy the invariants. The inputs of a
//! counterexample also have references that the path never reads; [`completion`] looks for values of these with which the whole heap
//! satisfies the invariants.

mod completion;
mod shipped;

pub use shipped::SHIPPED;

use crate::before::shortened;
use crate::check::CheckError;
use aback_heap::{Decision, Meaning, Observer, Source, Value};
use aback_hex::{
    Invariants, ObjectNumber, Partial, Place, RootId, TooLarge, Triggered, Truth, triggered_in_some_order,
};
use aback_ir::{ClassId, Diagnostic, MethodId, Program, SourceFile, Span, Type};
use aback_logic::{Node, Pool, Term};
use aback_witness::Inputs;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

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
    /// What the path of the violation that is judged next has found.
    found: Rc<RefCell<Option<Found>>>,
}

/// The part of the input heap that a path has found.
struct Found {
    heap: Partial,
    /// The objects by their numbers in models.
    objects: FxHashMap<i64, ObjectNumber>,
    /// The numbers in the model of the objects of the inputs.
    numbers: Vec<Option<i64>>,
}

impl Restriction {
    /// Reads the invariants for an entry point.
    ///
    /// # Errors
    /// The text is no list of sentences about this entry point.
    pub(crate) fn new(program: &Program, entry: MethodId, file: &InvariantFile) -> Result<Restriction, CheckError> {
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
            Ok(invariants) => Ok(Restriction {
                program: program.with_described_inputs(described(program, &invariants)),
                entry,
                invariants: Arc::new(invariants),
                found: Rc::default(),
            }),
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

    /// An observer for the first path of an exploration.
    pub(crate) fn observer(&self) -> Box<dyn Observer> {
        Box::new(Watcher {
            program: self.program.clone(),
            invariants: Arc::clone(&self.invariants),
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
        let found = self.found.borrow_mut().take()?;
        completion::complete(&self.program, self.entry, &self.invariants, &found, inputs)
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

    fn place(&self, pool: &Pool, source: Source) -> Option<Place> {
        Some(match source {
            Source::Root(root) => Place::Root(RootId(root.min(self.invariants.roots().len() - 1) as u32)),
            Source::Field(object, field) => Place::Field(self.object(pool, object)?, field),
            Source::Element(array, _) => Place::Element(self.object(pool, array)?),
        })
    }
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
            Meaning::Exactly(_) | Meaning::Any => return true,
        };
        // The source of a reference was found before the reference.
        let Some(place) = self.place(pool, decision.source) else { return true };
        let Ok(new) = self.heap.refer(&self.invariants, &self.program, place, meaning) else { return true };
        if let (Some(object), Meaning::New(name, _)) = (new, decision.meaning) {
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
        self.heap.verdict(&self.invariants) != Truth::False
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
        *self.found.borrow_mut() =
            Some(Found { heap: self.heap.clone(), objects: (*self.objects).clone(), numbers: objects.to_vec() });
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
