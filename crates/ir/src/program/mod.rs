//! Defines programs: tables of classes, fields, methods and types.
//!
//! Engines use the accessors of [`Program`] and never its tables, because the tables grow on demand: a [`Loader`]
//! supplies classes and code when they are first requested.

mod build;
mod declaration;
mod entity;
mod hierarchy;
mod making;
mod names;
mod promises;
mod targets;
mod valid;

pub use declaration::{Access, Class, Field, Method, MethodKind, Trap};
pub(crate) use entity::entity;
pub use entity::{ArrayTypeId, ClassId, FieldId, MethodId, Type};
pub use hierarchy::Unselected;
pub use making::{InputLimits, Maker, MakingLimits, SourceCall, SourceType};
pub use names::{DeclaredTypes, TypeWords};

use crate::body::{Body, OpKind, Point};
use crate::loader::Loader;
use crate::profile::{InputStrings, Profile};
use crate::span::{FileId, SourceFile, Span};
use making::Making;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use targets::Targets;
pub use valid::Precondition;
use valid::{Preconditions, Validity};

/// A whole program. It contains everything that its code refers to. Programs with a [`Loader`] grow while they are
/// used.
///
/// Cloning is cheap: a clone shares all tables, so that both grow together. [`Program::with_bodies`] replaces the
/// code of methods.
#[derive(Clone, Default)]
pub struct Program {
    tables: Arc<Tables>,
    /// Code that replaces the code in the tables for some methods.
    replaced: Arc<FxHashMap<MethodId, Body>>,
    /// How inputs are checked before executions start.
    validity: Option<Arc<Validity>>,
    /// How inputs are made before executions start.
    making: Option<Arc<Making>>,
    /// Whether inputs have no objects that may be impossible.
    leaves_out_impossible: bool,
    /// Fields that are not null in objects of inputs, because constructors have made them.
    established: Arc<FxHashSet<FieldId>>,
    /// Classes of the library whose objects are inputs with any values in their fields.
    described: Arc<FxHashSet<ClassId>>,
    /// What holds of input strings, if they have any length.
    long_strings: Option<Arc<InputStrings>>,
    /// How large inputs are.
    input_limits: InputLimits,
    /// The preconditions of an entry point.
    preconditions: Option<Arc<Preconditions>>,
}

#[derive(Default)]
struct Tables {
    files: boxcar::Vec<SourceFile>,
    classes: boxcar::Vec<ClassSlot>,
    fields: boxcar::Vec<Field>,
    methods: boxcar::Vec<MethodSlot>,
    array_elements: boxcar::Vec<Type>,
    /// Locked for writing while any table grows. The tables could grow without it, but they would then have too small
    /// a count for a thread whose entry comes after an entry that another thread is still writing.
    names: RwLock<Names>,
    trap_classes: FxHashMap<Trap, ClassId>,
    trap_throwers: FxHashMap<Trap, MethodId>,
    profile: Profile,
    loader: Option<Arc<dyn Loader>>,
    targets: Targets,
}

/// A class whose name is known, and its declaration once it is loaded.
#[derive(Clone, Default)]
struct ClassSlot {
    name: String,
    loaded: OnceLock<Class>,
    /// Loaded classes that name this class as a parent.
    subclasses: Arc<RwLock<Vec<ClassId>>>,
    /// The methods that the class declares, by name.
    declared: OnceLock<FxHashMap<String, Vec<MethodId>>>,
}

#[derive(Clone)]
struct MethodSlot {
    method: Method,
    body: OnceLock<Option<Body>>,
}

#[derive(Clone, Default)]
struct Names {
    classes: FxHashMap<String, ClassId>,
    arrays: FxHashMap<Type, ArrayTypeId>,
    array_classes: FxHashMap<ArrayTypeId, ClassId>,
}

/// Ignores the poisoning of a lock: each write is a single insertion, so that a panic cannot leave a table
/// inconsistent.
fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

/// For changes to a program whose tables are shared. The copy has everything that is loaded by now, and no loader.
impl Clone for Tables {
    fn clone(&self) -> Self {
        let classes = self.classes.iter().map(|(_, slot)| {
            let subclasses = whole(slot.subclasses.read()).clone();
            ClassSlot { subclasses: Arc::new(RwLock::new(subclasses)), ..slot.clone() }
        });
        Tables {
            files: self.files.clone(),
            classes: classes.collect(),
            fields: self.fields.clone(),
            methods: self.methods.clone(),
            array_elements: self.array_elements.clone(),
            names: RwLock::new(whole(self.names.read()).clone()),
            trap_classes: self.trap_classes.clone(),
            trap_throwers: self.trap_throwers.clone(),
            profile: self.profile.clone(),
            loader: None,
            targets: Targets::default(),
        }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({} classes, {} methods)", self.tables.classes.count(), self.tables.methods.count())
    }
}

impl Program {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the program grows while it is used: library code is read only when it is run, so that analyses of the
    /// whole program do not see it.
    pub fn grows(&self) -> bool {
        self.tables.loader.is_some()
    }

    /// The source file `id`.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.tables.files.get(id.0 as usize)
    }

    /// All source files.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.tables.files.iter().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The class `id`, which is loaded if necessary.
    pub fn class(&self, id: ClassId) -> &Class {
        let slot = &self.tables.classes[id.index()];
        slot.loaded.get_or_init(|| {
            let class = match &self.tables.loader {
                Some(loader) => loader.class(self, id),
                None => Class::missing(slot.name.clone()),
            };
            self.prepare(id, &class);
            class
        })
    }

    /// The full name of a class, without loading the class.
    pub fn class_name(&self, id: ClassId) -> &str {
        &self.tables.classes[id.index()].name
    }

    /// Whether a class is loaded.
    pub fn is_loaded(&self, id: ClassId) -> bool {
        self.tables.classes[id.index()].loaded.get().is_some()
    }

    /// All classes that are loaded.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        self.tables.classes.iter().filter_map(|(i, slot)| Some((ClassId(i as u32), slot.loaded.get()?)))
    }

    /// The names of all classes to which something in the program refers, whether they are loaded or not.
    pub fn class_names(&self) -> impl Iterator<Item = (ClassId, &str)> {
        self.tables.classes.iter().map(|(i, slot)| (ClassId(i as u32), slot.name.as_str()))
    }

    /// The field `id`.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.tables.fields[id.index()]
    }

    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.tables.fields.iter().map(|(i, f)| (FieldId(i as u32), f))
    }

    /// The method `id`.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.tables.methods[id.index()].method
    }

    /// The place in the sources of an operation or of the end of a block.
    pub fn span_at(&self, method: MethodId, point: Point) -> Span {
        let block = self.body(method).and_then(|body| body.blocks.get(point.block.index()));
        block.map_or(Span::NONE, |block| block.ops.get(point.op as usize).map_or(block.terminator.span, |op| op.span))
    }

    /// Whether an operation is one of the program's own code at a place in the sources, as in a stack trace of the runtime. Code that a compiler
    /// adds has no place.
    pub fn is_in_sources(&self, method: MethodId, point: Point) -> bool {
        let is_own = !self.is_library_method(method) && self.span_at(method, point).is_known();
        is_own && !(self.profile().callers_initialize && self.begins_with_initialization(method, point))
    }

    /// Whether a method begins with this operation, which initializes its class.
    fn begins_with_initialization(&self, method: MethodId, point: Point) -> bool {
        let block = self.body(method).filter(|_| point.block == Body::ENTRY).and_then(|body| body.blocks.first());
        let op = block.and_then(|block| block.ops.get(point.op as usize));
        op.is_some_and(|op| point.op == 0 && matches!(op.kind, OpKind::Ensure { .. }))
    }

    /// The code of a method, which is loaded if necessary; `None` for abstract methods.
    pub fn body(&self, id: MethodId) -> Option<&Body> {
        if !self.replaced.is_empty()
            && let Some(body) = self.replaced.get(&id)
        {
            return Some(body);
        }
        let slot = &self.tables.methods[id.index()];
        let load = || match &self.tables.loader {
            Some(loader) if !slot.method.is_abstract => loader.body(self, id),
            _ => None,
        };
        slot.body.get_or_init(load).as_ref()
    }

    /// The same program with other code for some methods. It shares everything else with this one, so that both grow
    /// together and ids have the same meaning.
    pub fn with_bodies(&self, bodies: impl IntoIterator<Item = (MethodId, Body)>) -> Program {
        let mut replaced = FxHashMap::clone(&self.replaced);
        replaced.extend(bodies);
        Program { replaced: Arc::new(replaced), ..self.clone() }
    }

    /// All methods.
    pub fn methods(&self) -> impl Iterator<Item = (MethodId, &Method)> {
        self.tables.methods.iter().map(|(i, slot)| (MethodId(i as u32), &slot.method))
    }

    /// The methods with code in the program's own classes, without those of libraries.
    pub fn own_methods(&self) -> impl Iterator<Item = MethodId> + '_ {
        // Reading code may enlarge the program, so that the number of methods is fixed first.
        let known = self.methods().take(self.method_count());
        let own = known.filter(|(_, method)| !method.is_abstract && !self.class(method.class).is_library);
        own.map(|(id, _)| id)
    }

    /// Number of source files; their ids count from 0.
    pub fn file_count(&self) -> usize {
        self.tables.files.count()
    }

    /// Number of classes; their ids count from 0.
    pub fn class_count(&self) -> usize {
        self.tables.classes.count()
    }

    /// Number of fields; their ids count from 0.
    pub fn field_count(&self) -> usize {
        self.tables.fields.count()
    }

    /// Number of methods; their ids count from 0.
    pub fn method_count(&self) -> usize {
        self.tables.methods.count()
    }

    /// Number of array types; their ids count from 0.
    pub fn array_type_count(&self) -> usize {
        self.tables.array_elements.count()
    }

    /// Type of the elements of an array type.
    pub fn element_type(&self, array: ArrayTypeId) -> Type {
        self.tables.array_elements[array.0 as usize]
    }

    /// The array type with elements of this type, if the program has it.
    pub fn array_type(&self, element: Type) -> Option<ArrayTypeId> {
        whole(self.tables.names.read()).arrays.get(&element).copied()
    }

    /// All array types.
    pub fn array_types(&self) -> impl Iterator<Item = (ArrayTypeId, Type)> {
        self.tables.array_elements.iter().map(|(i, element)| (ArrayTypeId(i as u32), *element))
    }

    /// The class with this full name, which is loaded if possible.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        let known = whole(self.tables.names.read()).classes.get(name).copied();
        let exists = |&id: &ClassId| {
            self.is_loaded(id) || self.tables.loader.as_ref().is_some_and(|loader| loader.has_class(name))
        };
        let found = known.or_else(|| {
            self.tables.loader.as_ref().is_some_and(|loader| loader.has_class(name)).then(|| self.declare_class(name))
        });
        found.filter(exists)
    }

    /// The class of the objects that `trap` throws. Every program whose operations can trap has a class for each
    /// trap.
    pub fn trap_class(&self, trap: Trap) -> Option<ClassId> {
        self.tables.trap_classes.get(&trap).copied()
    }

    /// The static method that a trap calls instead of throwing directly, if there is one. It always throws. Its
    /// arguments are the index and the length ([`Trap::IndexOutOfBounds`]), the length ([`Trap::NegativeArraySize`],
    /// [`Trap::ArrayTooLong`]), the object ([`Trap::BadArrayStore`]), or none.
    pub fn trap_thrower(&self, trap: Trap) -> Option<MethodId> {
        self.tables.trap_throwers.get(&trap).copied()
    }
}
