//! Programs: classes, fields, methods and types.
//!
//! Engines reach everything through [`Program`]'s accessors and never through its tables, because the tables grow on
//! demand: a [`Loader`] supplies classes and code when they are first asked for.

use crate::body::Body;
use crate::loader::Loader;
use crate::span::{FileId, SourceFile, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The entity's place in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use entity;

entity!(
    /// A class or interface of a [`Program`].
    ClassId
);
entity!(
    /// A field, instance or static, of a [`Program`].
    FieldId
);
entity!(
    /// A method, constructor or initializer of a [`Program`].
    MethodId
);
entity!(
    /// An interned array type of a [`Program`].
    ArrayTypeId
);

/// A type of the program model. Small and copyable; array types are interned in the [`Program`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Unbounded integers (OOX; `--ints unbounded`).
    Int,
    /// Machine integers of 8, 16, 32 or 64 bits, two's complement.
    Machine {
        /// Width in bits.
        width: u8,
        /// Whether values are read as signed (`int`) or unsigned (`char`).
        signed: bool,
    },
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A reference to an object of the class or of a subclass, or null.
    Class(ClassId),
    /// A reference to an array, or null.
    Array(ArrayTypeId),
    /// The type of `null` alone; every reference type takes it.
    Null,
}

impl Type {
    /// Whether values of this type are references.
    pub fn is_reference(self) -> bool {
        matches!(self, Type::Class(_) | Type::Array(_) | Type::Null)
    }

    /// Whether values of this type are integers, unbounded or machine.
    pub fn is_integer(self) -> bool {
        matches!(self, Type::Int | Type::Machine { .. })
    }

    /// Whether values of this type are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }
}

/// A class or interface.
#[derive(Clone, Debug)]
pub struct Class {
    /// Full name, unique in the program.
    pub name: String,
    /// The class that this one extends.
    pub superclass: Option<ClassId>,
    /// The interfaces that this one implements or extends directly.
    pub interfaces: Vec<ClassId>,
    /// Fields declared here, in order.
    pub fields: Vec<FieldId>,
    /// Methods declared here, in order.
    pub methods: Vec<MethodId>,
    /// Whether objects of exactly this class can exist.
    pub is_abstract: bool,
    /// Whether no class can extend this one.
    pub is_final: bool,
    /// Whether this is an interface.
    pub is_interface: bool,
    /// Whether the class belongs to a library and not to the program that a user asks about: its code is executed, but
    /// it is no place to look for entry points and lines.
    pub is_library: bool,
    /// Where the class is declared.
    pub span: Span,
}

impl Class {
    /// What stands for a class that cannot be loaded: nothing is known of it but its name.
    pub fn missing(name: String) -> Self {
        Class {
            name,
            superclass: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            is_abstract: true,
            is_final: false,
            is_interface: false,
            is_library: true,
            span: Span::NONE,
        }
    }
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name, unique among the fields of its class.
    pub name: String,
    /// The class that declares it.
    pub class: ClassId,
    /// Its type.
    pub ty: Type,
    /// Whether there is one for the class instead of one for each object.
    pub is_static: bool,
    /// Where it is declared.
    pub span: Span,
}

/// How a method is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MethodKind {
    /// Without a receiver.
    Static,
    /// With a receiver as parameter 0, dispatched on its class.
    Instance,
    /// With the new object as parameter 0, never dispatched.
    Constructor,
}

/// A method.
#[derive(Clone, Debug)]
pub struct Method {
    /// Name as in the source; constructors are called `<init>`.
    pub name: String,
    /// The class that declares it.
    pub class: ClassId,
    /// How it is called.
    pub kind: MethodKind,
    /// Types of the parameters, the receiver first where there is one.
    pub params: Vec<Type>,
    /// Type of the result; `None` for void.
    pub result: Option<Type>,
    /// Whether it has no code.
    pub is_abstract: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What can go wrong in an operation by itself. Each one is thrown as an object of the class that
/// [`Program::trap_class`] names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Trap {
    /// A field, element, length or method of `null` was asked for.
    NullDereference,
    /// An array index is negative or not below the length.
    IndexOutOfBounds,
    /// An array is created with a negative length.
    NegativeArraySize,
    /// An integer is divided by zero.
    DivisionByZero,
    /// A reference is cast to a type that its object does not have.
    BadCast,
    /// A reference is stored into an array whose elements are of another type.
    BadArrayStore,
}

impl Trap {
    /// All traps, in a fixed order.
    pub const ALL: [Trap; 6] = [
        Trap::NullDereference,
        Trap::IndexOutOfBounds,
        Trap::NegativeArraySize,
        Trap::DivisionByZero,
        Trap::BadCast,
        Trap::BadArrayStore,
    ];

    /// What happened, for a person ("null dereference").
    pub fn describe(self) -> &'static str {
        match self {
            Trap::NullDereference => "null dereference",
            Trap::IndexOutOfBounds => "index out of bounds",
            Trap::NegativeArraySize => "negative array size",
            Trap::DivisionByZero => "division by zero",
            Trap::BadCast => "bad cast",
            Trap::BadArrayStore => "bad array store",
        }
    }
}

/// How the objects of the class of strings hold their characters, so that strings are shown as such.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringLayout {
    /// The class.
    pub class: ClassId,
    /// Its field with an array of UTF-16 code units (`u16`), or of bytes (`i8`) that the coder tells how to read.
    pub value: FieldId,
    /// Its field (`i8`) that says what the bytes are: 0 for Latin-1, one byte for each character; 1 for UTF-16 in little
    /// endian, two bytes for each code unit. Without it, bytes are Latin-1.
    pub coder: Option<FieldId>,
}

/// What holds of the strings that exist when the program starts, beside what [`StringLayout`] says: their coder is 0, or 1 where
/// a character needs it, and their array belongs to strings alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputStrings {
    /// Most characters that are considered.
    pub most: u32,
    /// Fields of theirs that hold defaults.
    pub unset: Vec<FieldId>,
}

impl InputStrings {
    /// What is within the bound, in words.
    pub fn bound(&self) -> String {
        format!("strings from inputs have at most {} characters", self.most)
    }
}

/// What a language calls its types that are neither classes nor arrays; `None` for one that it does not have.
pub type TypeWords = fn(Type) -> Option<&'static str>;

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
    type_words: Option<TypeWords>,
    string_layout: Option<StringLayout>,
    input_strings: Option<InputStrings>,
    made_only: Option<ClassId>,
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
            type_words: self.type_words,
            string_layout: self.string_layout,
            input_strings: self.input_strings.clone(),
            made_only: self.made_only,
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

/// More classes than any chain of superclasses has; keeps chains finite that are cyclic by mistake.
const MAX_HIERARCHY: usize = 1 << 24;

impl Program {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    // ---- building, all at once --------------------------------------------------------------------------------

    /// Adds a class whose superclass and interfaces are in the program already. Its `fields` and `methods` are
    /// filled by [`Program::add_field`] and [`Program::add_method`]. A later class of the same name hides an
    /// earlier one from [`Program::class_named`]: front ends report such clashes before.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        let slot = ClassSlot { name: class.name.clone(), ..ClassSlot::default() };
        let id = ClassId(self.classes.push(slot) as u32);
        whole(self.names.write()).classes.insert(class.name.clone(), id);
        self.prepare(id, &class);
        self.classes[id.index()].loaded.get_or_init(|| class);
        id
    }

    /// Enters a class that is being loaded into the tables of others.
    fn prepare(&self, id: ClassId, class: &Class) {
        let slot = &self.classes[id.index()];
        for parent in class.superclass.iter().chain(&class.interfaces) {
            whole(self.classes[parent.index()].subclasses.write()).push(id);
        }
        let mut declared: FxHashMap<String, Vec<MethodId>> = FxHashMap::default();
        for &method in &class.methods {
            declared.entry(self.method(method).name.clone()).or_default().push(method);
        }
        slot.declared.get_or_init(|| declared);
    }

    fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.classes.get_mut(id.index())?.loaded.get_mut()
    }

    fn set_parent(&self, class: ClassId, parent: ClassId) {
        whole(self.classes[parent.index()].subclasses.write()).push(class);
    }

    /// Makes `superclass` the parent of `class`, for front ends that meet classes before their parents. A parent
    /// that the class had before is its parent no longer.
    pub fn set_superclass(&mut self, class: ClassId, superclass: ClassId) {
        let former = self.class_mut(class).and_then(|class| class.superclass.replace(superclass));
        if let Some(former) = former {
            whole(self.classes[former.index()].subclasses.write()).retain(|&sub| sub != class);
        }
        self.set_parent(class, superclass);
    }

    /// Adds `interface` to those that `class` implements or extends directly, for front ends that meet classes before
    /// their interfaces.
    pub fn add_interface(&mut self, class: ClassId, interface: ClassId) {
        if let Some(class) = self.class_mut(class) {
            class.interfaces.push(interface);
        }
        self.set_parent(class, interface);
    }

    /// Says where a class is declared, for front ends that meet classes before their declarations.
    pub fn set_class_span(&mut self, class: ClassId, span: Span) {
        if let Some(class) = self.class_mut(class) {
            class.span = span;
        }
    }

    /// Adds a field to the class that it names.
    pub fn add_field(&mut self, field: Field) -> FieldId {
        let class = field.class;
        let id = self.new_field(field);
        if let Some(class) = self.class_mut(class) {
            class.fields.push(id);
        }
        id
    }

    /// Adds a method to the class that it names.
    pub fn add_method(&mut self, method: Method) -> MethodId {
        let (class, name) = (method.class, method.name.clone());
        let id = self.new_method(method);
        if let Some(class) = self.class_mut(class) {
            class.methods.push(id);
        }
        if let Some(declared) = self.classes.get_mut(class.index()).and_then(|slot| slot.declared.get_mut()) {
            declared.entry(name).or_default().push(id);
        }
        id
    }

    /// Gives a method its code.
    pub fn set_body(&mut self, method: MethodId, body: Body) {
        if let Some(slot) = self.methods.get_mut(method.index()) {
            slot.body = OnceLock::from(Some(body));
            slot.method.is_abstract = false;
        }
    }

    /// Sets the class of the objects that `trap` throws.
    pub fn set_trap_class(&mut self, trap: Trap, class: ClassId) {
        self.trap_classes.insert(trap, class);
    }

    /// Makes `trap` call a static method that throws the exception, in place of throwing a new object of the trap's class
    /// whose fields hold defaults. See [`Program::trap_thrower`].
    pub fn set_trap_thrower(&mut self, trap: Trap, method: MethodId) {
        self.trap_throwers.insert(trap, method);
    }

    /// Makes `class` the one class that arrays are instances of (`java.lang.Object`); without it, none is.
    pub fn set_array_superclass(&mut self, class: ClassId) {
        self.array_superclass = Some(class);
    }

    /// Makes arrays instances of these interfaces, too (`java.lang.Cloneable`, `java.io.Serializable`).
    pub fn set_array_interfaces(&mut self, interfaces: Vec<ClassId>) {
        self.array_interfaces = interfaces;
    }

    /// Sets the type of array lengths and indices; without it, they are unbounded integers.
    pub fn set_index_type(&mut self, ty: Type) {
        self.index_type = Some(ty);
    }

    /// Says what the program's language calls types that are neither classes nor arrays; see [`Program::show_type`].
    pub fn set_type_words(&mut self, words: TypeWords) {
        self.type_words = Some(words);
    }

    /// Whether the program grows while it is used.
    pub fn has_loader(&self) -> bool {
        self.loader.is_some()
    }

    /// Says how strings look; without it, they are objects like any other.
    pub fn set_string_layout(&mut self, layout: StringLayout) {
        self.string_layout = Some(layout);
    }

    /// Says what holds of strings that are inputs; without it, they are objects like any other.
    pub fn set_input_strings(&mut self, strings: InputStrings) {
        self.input_strings = Some(strings);
    }

    /// Names a class whose objects, and those of its subclasses, only the program makes: there are none when it starts.
    pub fn set_made_only(&mut self, class: ClassId) {
        self.made_only = Some(class);
    }

    /// Says that the code leaves executions out, and what holds of those that it has.
    pub fn set_assumption(&mut self, assumption: &'static str) {
        self.assumption = Some(assumption);
    }

    /// Says which field of exceptions holds their message.
    pub fn set_message_field(&mut self, field: FieldId) {
        self.message_field = Some(field);
    }

    /// Makes the program grow on demand.
    pub fn set_loader(&mut self, loader: Arc<dyn Loader>) {
        self.loader = Some(loader);
    }

    /// The method that execution starts with where any input of `entry` is wanted: one that makes what is more than any
    /// object and then calls `entry`, or `entry` itself.
    pub fn start(&self, entry: MethodId) -> MethodId {
        self.loader.as_ref().and_then(|loader| loader.entry(self, entry)).unwrap_or(entry)
    }

    // ---- building, on demand ----------------------------------------------------------------------------------

    /// Adds a source file.
    pub fn add_file(&self, file: SourceFile) -> FileId {
        let _growing = whole(self.names.write());
        FileId(self.files.push(file) as u32)
    }

    /// The class of this name, which need not be loaded, nor exist, yet: for loaders.
    pub fn declare_class(&self, name: &str) -> ClassId {
        if let Some(&id) = whole(self.names.read()).classes.get(name) {
            return id;
        }
        let mut names = whole(self.names.write());
        if let Some(&id) = names.classes.get(name) {
            return id;
        }
        let id = ClassId(self.classes.push(ClassSlot { name: name.to_string(), ..ClassSlot::default() }) as u32);
        names.classes.insert(name.to_string(), id);
        id
    }

    /// A new field, which the loader lists in its class.
    pub fn new_field(&self, field: Field) -> FieldId {
        let _growing = whole(self.names.write());
        FieldId(self.fields.push(field) as u32)
    }

    /// A new method, which the loader lists in its class.
    pub fn new_method(&self, method: Method) -> MethodId {
        let _growing = whole(self.names.write());
        MethodId(self.methods.push(MethodSlot { method, body: OnceLock::new() }) as u32)
    }

    /// The type of arrays with elements of type `element`.
    pub fn array_of(&self, element: Type) -> Type {
        if let Some(&id) = whole(self.names.read()).arrays.get(&element) {
            return Type::Array(id);
        }
        let mut names = whole(self.names.write());
        let id = *names.arrays.entry(element).or_insert_with(|| ArrayTypeId(self.array_elements.push(element) as u32));
        Type::Array(id)
    }

    // ---- asking ---------------------------------------------------------------------------------------------

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

    /// The methods that `class` itself declares under `name`, in order.
    pub fn methods_named(&self, class: ClassId, name: &str) -> &[MethodId] {
        self.class(class);
        self.classes[class.index()].declared.get().and_then(|declared| declared.get(name)).map_or(&[], Vec::as_slice)
    }

    /// `class` and its superclasses, nearest first. Ends even on a cyclic hierarchy, which [`crate::validate`] reports.
    pub fn superclass_chain(&self, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        std::iter::successors(Some(class), |&c| self.class(c).superclass).take(MAX_HIERARCHY)
    }

    /// `class` and everything above it, interfaces included, each once.
    pub fn supertypes(&self, class: ClassId) -> Vec<ClassId> {
        self.closure(class, |program, c| {
            let declared = program.class(c);
            declared.superclass.into_iter().chain(declared.interfaces.iter().copied())
        })
    }

    /// `start` and what `next` leads to from it, each once, breadth first.
    fn closure<'p, I: Iterator<Item = ClassId>>(
        &'p self,
        start: ClassId,
        next: impl Fn(&'p Program, ClassId) -> I,
    ) -> Vec<ClassId> {
        let mut found = vec![start];
        let mut seen = FxHashSet::from_iter([start]);
        let mut done = 0;
        while let Some(&current) = found.get(done) {
            done += 1;
            found.extend(next(self, current).filter(|&c| seen.insert(c)));
        }
        found
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

    /// What holds of strings that are inputs, if they are more than objects.
    pub fn input_strings(&self) -> Option<&InputStrings> {
        self.input_strings.as_ref()
    }

    /// What the code takes to hold of executions, and leaves others out; a bound for a person to read.
    pub fn assumption(&self) -> Option<&'static str> {
        self.assumption
    }

    /// Whether only the program makes objects of a class: none is an input.
    pub fn is_made_only(&self, class: ClassId) -> bool {
        self.made_only.is_some_and(|made_only| self.is_subclass(class, made_only))
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
    /// arguments are the index and the length ([`Trap::IndexOutOfBounds`]), the length ([`Trap::NegativeArraySize`]),
    /// the object ([`Trap::BadArrayStore`]), or none.
    pub fn trap_thrower(&self, trap: Trap) -> Option<MethodId> {
        self.trap_throwers.get(&trap).copied()
    }

    /// Loaded classes and interfaces that extend or implement `class` directly.
    pub fn direct_subclasses(&self, class: ClassId) -> Vec<ClassId> {
        whole(self.classes[class.index()].subclasses.read()).clone()
    }

    /// `class` and every loaded class below it, each once, breadth first.
    pub fn subclasses(&self, class: ClassId) -> Vec<ClassId> {
        self.closure(class, |program, c| program.direct_subclasses(c).into_iter())
    }

    /// Whether an object of class `sub` is an instance of `class`.
    pub fn is_subclass(&self, sub: ClassId, class: ClassId) -> bool {
        self.superclass_chain(sub).any(|c| c == class)
            || (self.superclass_chain(sub).any(|c| !self.class(c).interfaces.is_empty())
                && self.supertypes(sub).contains(&class))
    }

    /// Whether a value of type `from` may be assigned to a place of type `to` without a cast. Array types are
    /// covariant in reference elements, as in Java and C#.
    pub fn is_assignable(&self, from: Type, to: Type) -> bool {
        let (mut from, mut to) = (from, to);
        while let (Type::Array(sub), Type::Array(array)) = (from, to)
            && sub != array
        {
            (from, to) = (self.element_type(sub), self.element_type(array));
            if !from.is_reference() {
                return from == to;
            }
        }
        match (from, to) {
            (Type::Null, _) => to.is_reference(),
            (Type::Class(sub), Type::Class(class)) => {
                // Whatever implements an interface is an object, though no superclass of the interface says so.
                self.is_subclass(sub, class) || (self.array_superclass == Some(class) && self.class(sub).is_interface)
            }
            (Type::Array(_), Type::Class(class)) => {
                self.array_superclass == Some(class) || self.array_interfaces.contains(&class)
            }
            _ => from == to,
        }
    }

    /// The class whose methods run on objects of an exact type: for arrays, one that a loader supplies under the name of
    /// the array type (`i32[]`), else the one that arrays are instances of.
    pub fn class_of(&self, exact: Type) -> Option<ClassId> {
        match exact {
            Type::Class(class) => Some(class),
            Type::Array(array) if self.loader.is_some() => {
                if let Some(&known) = whole(self.names.read()).array_classes.get(&array) {
                    return Some(known);
                }
                let own = self.declare_class(&self.type_name(exact));
                let is_supplied = self.class(own).superclass.is_some();
                let class = if is_supplied { own } else { self.array_superclass? };
                whole(self.names.write()).array_classes.insert(array, class);
                Some(class)
            }
            Type::Array(_) => self.array_superclass,
            _ => None,
        }
    }

    /// All instance fields of objects of `class`, inherited ones first.
    pub fn instance_fields(&self, class: ClassId) -> Vec<FieldId> {
        let chain: Vec<ClassId> = self.superclass_chain(class).collect();
        chain.iter().rev().flat_map(|&c| &self.class(c).fields).copied().filter(|&f| !self.field(f).is_static).collect()
    }

    /// The field that `class` declares or inherits under this name.
    pub fn find_field(&self, class: ClassId, name: &str) -> Option<FieldId> {
        self.superclass_chain(class)
            .find_map(|class| self.class(class).fields.iter().copied().find(|&f| self.field(f).name == name))
    }

    /// The method that a call of `method` runs when the receiver's class is exactly `class`: the nearest
    /// declaration up the superclass chain with the same name, parameters and result, else the most specific default
    /// method of an interface (Java Virtual Machine Specification, 5.4.6), else `method` itself.
    pub fn dispatch(&self, class: ClassId, method: MethodId) -> MethodId {
        let wanted = self.method(method);
        let declared_in = |class: ClassId| {
            self.methods_named(class, &wanted.name).iter().copied().find(|&m| {
                let declared = self.method(m);
                declared.kind == MethodKind::Instance
                    && !declared.is_abstract
                    && declared.params.get(1..) == wanted.params.get(1..)
                    && declared.result == wanted.result
            })
        };
        if let Some(found) = self.superclass_chain(class).find_map(declared_in) {
            return found;
        }
        let mut pending: Vec<ClassId> =
            self.superclass_chain(class).flat_map(|c| &self.class(c).interfaces).copied().collect();
        let mut seen = FxHashSet::default();
        let mut defaults: Vec<MethodId> = Vec::new();
        while let Some(interface) = pending.pop() {
            if seen.insert(interface) {
                defaults.extend(declared_in(interface));
                pending.extend(&self.class(interface).interfaces);
            }
        }
        let overridden = |m: MethodId| {
            let class = self.method(m).class;
            defaults.iter().any(|&d| d != m && self.is_subclass(self.method(d).class, class))
        };
        defaults.iter().copied().find(|&m| !overridden(m)).unwrap_or(method)
    }

    /// `Class.method`, as users name methods.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}", self.class_name(method.class), method.name)
    }

    /// The type in the words of the program's language: `int[]` where [`Program::type_name`] says `i32[]`.
    pub fn show_type(&self, ty: Type) -> String {
        match ty {
            Type::Array(array) => format!("{}[]", self.show_type(self.element_type(array))),
            ty => self.type_words.and_then(|words| words(ty)).map_or_else(|| self.type_name(ty), str::to_owned),
        }
    }

    /// The type as the program model calls it; as in IR text, but for class names that have to be quoted there.
    pub fn type_name(&self, ty: Type) -> String {
        let mut element = ty;
        let mut dimensions = 0;
        while let Type::Array(array) = element {
            element = self.element_type(array);
            dimensions += 1;
        }
        let mut name = match element {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Machine { width, signed } => format!("{}{width}", if signed { 'i' } else { 'u' }),
            Type::F32 => "f32".into(),
            Type::F64 => "f64".into(),
            Type::Class(class) => self.class_name(class).to_string(),
            Type::Array(_) | Type::Null => "null".into(),
        };
        name.extend(std::iter::repeat_n("[]", dimensions));
        name
    }

    /// `path:line:column` of a place, as editors understand it.
    pub fn show_span(&self, span: Span) -> String {
        match self.file(span.file) {
            Some(file) if span.is_known() => format!("{}:{span}", file.path.display()),
            Some(file) => file.path.display().to_string(),
            None => "<no source>".into(),
        }
    }
}
