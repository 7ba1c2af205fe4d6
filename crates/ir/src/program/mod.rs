//! Programs: tables of classes, fields, methods and types.
//!
//! Engines reach everything through [`Program`]'s accessors and never through its tables, because the tables grow on
//! demand: a [`Loader`] supplies classes and code when they are first asked for.

mod build;
mod declaration;
mod entity;
mod hierarchy;
mod names;
mod strings;

pub use declaration::{Access, Class, Field, Method, MethodKind, Trap};
pub(crate) use entity::entity;
pub use entity::{ArrayTypeId, ClassId, FieldId, MethodId, Type};
pub use hierarchy::Unselected;
pub use names::TypeWords;
pub use strings::{InputRules, InputStrings, StringLayout};

use crate::body::{Body, OpKind};
use crate::loader::{LibraryState, Loader, Passing};
use crate::span::{FileId, SourceFile};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A whole program, closed under the names that its code mentions. Programs with a [`Loader`] grow while they are used.
#[derive(Default)]
pub struct Program {
    files: boxcar::Vec<SourceFile>,
    classes: boxcar::Vec<ClassSlot>,
    fields: boxcar::Vec<Field>,
    methods: boxcar::Vec<MethodSlot>,
    array_elements: boxcar::Vec<Type>,
    /// Held for writing while any table grows: the tables could grow without, but would then count too few for a
    /// thread whose entry comes after one that another thread is still writing.
    names: RwLock<Names>,
    trap_classes: FxHashMap<Trap, ClassId>,
    trap_throwers: FxHashMap<Trap, MethodId>,
    array_superclass: Option<ClassId>,
    array_interfaces: Vec<ClassId>,
    index_type: Option<Type>,
    max_array_length: Option<i64>,
    type_words: Option<TypeWords>,
    string_layout: Option<StringLayout>,
    inputs: InputRules,
    assumption: Option<&'static str>,
    message_field: Option<FieldId>,
    loader: Option<Arc<dyn Loader>>,
}

/// A class that is known by name, and what is known of it once it is loaded.
#[derive(Clone, Default)]
struct ClassSlot {
    name: String,
    loaded: OnceLock<Class>,
    /// Those that are loaded and name this class as a parent.
    subclasses: Arc<RwLock<Vec<ClassId>>>,
    /// Methods that the class declares, by name.
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

/// Whatever a panic interrupted, the tables are whole: each write is one insertion.
fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

/// A copy has what is loaded by now, and no loader.
impl Clone for Program {
    fn clone(&self) -> Self {
        let classes = self.classes.iter().map(|(_, slot)| {
            let subclasses = whole(slot.subclasses.read()).clone();
            ClassSlot { subclasses: Arc::new(RwLock::new(subclasses)), ..slot.clone() }
        });
        Program {
            files: self.files.clone(),
            classes: classes.collect(),
            fields: self.fields.clone(),
            methods: self.methods.clone(),
            array_elements: self.array_elements.clone(),
            names: RwLock::new(whole(self.names.read()).clone()),
            trap_classes: self.trap_classes.clone(),
            trap_throwers: self.trap_throwers.clone(),
            array_superclass: self.array_superclass,
            array_interfaces: self.array_interfaces.clone(),
            index_type: self.index_type,
            max_array_length: self.max_array_length,
            type_words: self.type_words,
            string_layout: self.string_layout,
            inputs: self.inputs.clone(),
            assumption: self.assumption,
            message_field: self.message_field,
            loader: None,
        }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({} classes, {} methods)", self.classes.count(), self.methods.count())
    }
}

impl Program {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the program grows while it is used.
    pub fn has_loader(&self) -> bool {
        self.loader.is_some()
    }

    /// The method that execution starts with where any input of `entry` is wanted: one that makes what is more than any
    /// object and then calls `entry`, or `entry` itself.
    pub fn start(&self, entry: MethodId) -> MethodId {
        self.loader.as_ref().and_then(|loader| loader.entry(self, entry)).unwrap_or(entry)
    }

    /// Whether code outside of the program can call a method. Languages that do not say let it call all.
    pub fn is_public(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_none_or(|loader| loader.is_public(self, method))
    }

    /// Whether a method of a library may call methods that it is told by name.
    pub fn is_reflective(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_reflective(self, method))
    }

    /// Whether a class comes with the language, so that its initializer does not depend on what a program did before.
    pub fn is_platform(&self, class: ClassId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_platform(self, class))
    }

    /// Whether a method is of a library, or made up by the front end.
    pub fn is_library_method(&self, method: MethodId) -> bool {
        self.class(self.method(method).class).is_library
    }

    /// Whether only the code of its own class, and of classes inside or around it, can name a method.
    pub fn is_private(&self, method: MethodId) -> bool {
        self.method(method).access == Access::Private
    }

    /// The same of a field.
    pub fn is_private_field(&self, field: FieldId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_private_field(self, field))
    }

    /// Whether a method does nothing but initialize its class.
    pub fn is_initializer(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_initializer(self, method))
    }

    /// Whether objects of a class, which comes with the language, never change.
    pub fn is_immutable(&self, class: ClassId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_immutable(self, class))
    }

    /// Whether a method that comes with the language may call methods of the objects that it is given.
    pub fn may_call_back(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_none_or(|loader| loader.may_call_back(self, method))
    }

    /// Whether a method that comes with the language may change the object that is its argument of this number, from 0.
    pub fn may_change(&self, method: MethodId, argument: usize) -> bool {
        self.loader.as_ref().is_none_or(|loader| loader.may_change(self, method, argument))
    }

    /// What a method that comes with the language does with the objects that it is given, beside changing them.
    pub fn passing(&self, method: MethodId) -> Passing {
        self.loader.as_ref().map_or(Passing::UNKNOWN, |loader| loader.passing(self, method))
    }

    /// The state of code that comes with the language that an operation reads.
    pub fn state_read(&self, op: &OpKind) -> Option<LibraryState> {
        self.loader.as_ref().and_then(|loader| loader.state_read(self, op))
    }

    /// The same of state that an operation changes.
    pub fn state_changed(&self, op: &OpKind) -> Option<LibraryState> {
        self.loader.as_ref().and_then(|loader| loader.state_changed(self, op))
    }

    /// Whether sources have no word of a method, which does nothing but call one that they have.
    pub fn is_bridge(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_bridge(self, method))
    }

    /// Whether classes that are not there could extend or implement a class.
    pub fn is_extendable(&self, class: ClassId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_extendable(self, class))
    }

    /// Whether classes that are not there could override a method.
    pub fn is_overridable(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_overridable(self, method))
    }

    /// What initializes a class ([`OpKind::Ensure`](crate::OpKind::Ensure)), if there is anything to do.
    pub fn initialization(&self, class: ClassId) -> Option<(FieldId, MethodId)> {
        self.loader.as_ref().and_then(|loader| loader.initialization(self, class))
    }

    /// What is taken to hold of executions, beside what is taken of those of every language; for a person.
    pub fn assumptions(&self) -> &'static [&'static str] {
        self.loader.as_ref().map_or(&[], |loader| loader.assumptions())
    }

    /// Whether a program starts with this method: nothing has run before it.
    pub fn is_start(&self, method: MethodId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_start(self, method))
    }

    /// Whether no reference is null among the inputs of an entry point, nor in the objects that they refer to.
    pub fn has_no_null_inputs(&self, entry: MethodId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.has_no_nulls(self, entry))
    }

    /// The source file `id`.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All source files.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The class `id`, loaded now if it is not yet.
    pub fn class(&self, id: ClassId) -> &Class {
        let slot = &self.classes[id.index()];
        slot.loaded.get_or_init(|| {
            let class = match &self.loader {
                Some(loader) => loader.class(self, id),
                None => Class::missing(slot.name.clone()),
            };
            self.prepare(id, &class);
            class
        })
    }

    /// Full name of a class, which is not loaded for that.
    pub fn class_name(&self, id: ClassId) -> &str {
        &self.classes[id.index()].name
    }

    /// Whether a class is loaded.
    pub fn is_loaded(&self, id: ClassId) -> bool {
        self.classes[id.index()].loaded.get().is_some()
    }

    /// All classes that are loaded.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        self.classes.iter().filter_map(|(i, slot)| Some((ClassId(i as u32), slot.loaded.get()?)))
    }

    /// The field `id`.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.fields.iter().map(|(i, f)| (FieldId(i as u32), f))
    }

    /// The method `id`.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()].method
    }

    /// The code of a method, loaded now if it is not yet; `None` for abstract methods.
    pub fn body(&self, id: MethodId) -> Option<&Body> {
        let slot = &self.methods[id.index()];
        let load = || match &self.loader {
            Some(loader) if !slot.method.is_abstract => loader.body(self, id),
            _ => None,
        };
        slot.body.get_or_init(load).as_ref()
    }

    /// All methods.
    pub fn methods(&self) -> impl Iterator<Item = (MethodId, &Method)> {
        self.methods.iter().map(|(i, slot)| (MethodId(i as u32), &slot.method))
    }

    /// The methods of the program proper, without those of libraries and without abstract ones.
    pub fn own_methods(&self) -> impl Iterator<Item = MethodId> + '_ {
        // Looking at code can make a program larger.
        let known = self.methods().take(self.method_count());
        let own = known.filter(|(_, method)| !method.is_abstract && !self.class(method.class).is_library);
        own.map(|(id, _)| id)
    }

    /// Number of source files; their ids count from 0.
    pub fn file_count(&self) -> usize {
        self.files.count()
    }

    /// Number of classes; their ids count from 0.
    pub fn class_count(&self) -> usize {
        self.classes.count()
    }

    /// Number of fields; their ids count from 0.
    pub fn field_count(&self) -> usize {
        self.fields.count()
    }

    /// Number of methods; their ids count from 0.
    pub fn method_count(&self) -> usize {
        self.methods.count()
    }

    /// Number of array types; their ids count from 0.
    pub fn array_type_count(&self) -> usize {
        self.array_elements.count()
    }

    /// The class that arrays are instances of, if there is one.
    pub fn array_superclass(&self) -> Option<ClassId> {
        self.array_superclass
    }

    /// Type of the elements of an array type.
    pub fn element_type(&self, array: ArrayTypeId) -> Type {
        self.array_elements[array.0 as usize]
    }

    /// The array type with such elements, if the program has it.
    pub fn array_type(&self, element: Type) -> Option<ArrayTypeId> {
        whole(self.names.read()).arrays.get(&element).copied()
    }

    /// All array types.
    pub fn array_types(&self) -> impl Iterator<Item = (ArrayTypeId, Type)> {
        self.array_elements.iter().map(|(i, element)| (ArrayTypeId(i as u32), *element))
    }

    /// Type of array lengths and indices.
    pub fn index_type(&self) -> Type {
        self.index_type.unwrap_or(Type::Int)
    }

    /// The most elements that an array can have; without it, as many as the type of lengths has numbers. An operation that makes
    /// a longer one traps ([`Trap::ArrayTooLong`]), and no input is longer.
    pub fn max_array_length(&self) -> Option<i64> {
        self.max_array_length
    }

    /// What holds of strings that are inputs, if they are more than objects.
    pub fn input_strings(&self) -> Option<&InputStrings> {
        self.inputs.strings.as_ref()
    }

    /// What the code takes to hold of executions, and leaves others out; a bound for a person to read.
    pub fn assumption(&self) -> Option<&'static str> {
        self.assumption
    }

    /// Whether only the program makes objects of a class: none is an input.
    pub fn is_made_only(&self, class: ClassId) -> bool {
        self.inputs.made_only.iter().any(|&made_only| self.is_subclass(class, made_only))
    }

    /// Whether a class has no objects at all, so that references to it are null.
    pub fn is_uninhabited(&self, class: ClassId) -> bool {
        self.inputs.uninhabited.contains(&class)
    }

    /// Whether an instance field holds the default of its type in every object that exists when the program starts.
    pub fn is_unset(&self, field: FieldId) -> bool {
        self.inputs.unset.contains(&field)
    }

    /// Whether an instance field is not null in any object that exists when the program starts.
    pub fn is_never_null(&self, field: FieldId) -> bool {
        self.loader.as_ref().is_some_and(|loader| loader.is_never_null(self, field))
    }

    /// Classes whose arrays stand for those of the subtypes that a library may have.
    pub fn array_elements(&self) -> &[ClassId] {
        &self.inputs.elements
    }

    /// How strings look, if they are more than objects.
    pub fn string_layout(&self) -> Option<StringLayout> {
        self.string_layout
    }

    /// The field of exceptions that holds their message, if there is one.
    pub fn message_field(&self) -> Option<FieldId> {
        self.message_field
    }

    /// The class with this full name; one that can be loaded counts.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        let known = whole(self.names.read()).classes.get(name).copied();
        let exists =
            |&id: &ClassId| self.is_loaded(id) || self.loader.as_ref().is_some_and(|loader| loader.has_class(name));
        let found = known.or_else(|| {
            self.loader.as_ref().is_some_and(|loader| loader.has_class(name)).then(|| self.declare_class(name))
        });
        found.filter(exists)
    }

    /// The class of the objects that `trap` throws. Every program whose operations can trap has one for each.
    pub fn trap_class(&self, trap: Trap) -> Option<ClassId> {
        self.trap_classes.get(&trap).copied()
    }

    /// The static method that a trap calls in place of throwing by itself, if there is one. It always throws; its
    /// arguments are the index and the length ([`Trap::IndexOutOfBounds`]), the length ([`Trap::NegativeArraySize`], [`Trap::ArrayTooLong`]),
    /// the object ([`Trap::BadArrayStore`]), or none.
    pub fn trap_thrower(&self, trap: Trap) -> Option<MethodId> {
        self.trap_throwers.get(&trap).copied()
    }
}
