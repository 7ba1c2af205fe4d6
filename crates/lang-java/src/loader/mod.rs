//! Loads classes and code from class files when the program first requests them.

mod class_files;
mod made;

pub(crate) use made::{MadeClass, MadeMethod};

use crate::annotations;
use crate::classfile::{self, ClassFile};
use crate::classpath::{ClassPath, Root};
use crate::hierarchy::Hierarchy;
use crate::models::{self, ModelledMethod};
use crate::nullness::{self, Defaults, Nullness};
use crate::sharing::LINKED_MAP;
use crate::supplied::Supplied;
use crate::synthetic;
use crate::translate;
use crate::types::{self, internal_name};
use aback_ir::builder::unsupported;
use aback_ir::{Body, Class, ClassId, Const, FieldId, FieldUse, FileId, Loader, MethodId, Program, Span, Starts, Type};
use cafebabe::{ClassAccessFlags, MethodAccessFlags};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, OnceLock, PoisonError, RwLock};

/// Loads Java classes for one program.
///
/// Each table has a lock of its own, which is held for one look-up or one change, while no other lock is taken and
/// nothing is loaded. Only `files` is held while a file is added to the program, which takes a lock of the program
/// and none of the loader. So there are no deadlocks.
pub struct JavaLoader {
    classpath: ClassPath,
    hierarchy: Hierarchy,
    unbounded_integers: bool,
    any_statics: bool,
    trusts_nullness: bool,
    nullness: RwLock<FxHashMap<ClassId, Arc<Nullness>>>,
    /// What packages declare about null, by the folder or jar of the classes and the name. Several jars may have classes of one package,
    /// and be different modules.
    packages: RwLock<FxHashMap<(PathBuf, String), Defaults>>,
    properties: RwLock<FxHashMap<ClassId, Arc<FxHashSet<MethodId>>>>,
    classes: RwLock<FxHashMap<ClassId, Arc<JavaClass>>>,
    code: RwLock<FxHashMap<MethodId, Code>>,
    /// Static fields that hold objects that the program creates once, by object, with the method that creates it.
    made: RwLock<FxHashMap<Made, (FieldId, MethodId)>>,
    /// Synthetic methods, by a name for their function.
    helpers: RwLock<FxHashMap<String, MethodId>>,
    pub(crate) starts: Starts,
    files: RwLock<FxHashMap<PathBuf, FileId>>,
    /// The reasons why classes cannot be loaded.
    missing: RwLock<FxHashMap<ClassId, String>>,
    /// The classes of class objects, with the types that they represent.
    type_classes: RwLock<FxHashMap<ClassId, Option<Type>>>,
    /// The contents of synthetic classes that are created on demand.
    made_classes: RwLock<FxHashMap<ClassId, MadeClass>>,
    counts_monitors: OnceLock<bool>,
    names_linked_maps: OnceLock<bool>,
    supplied: OnceLock<Supplied>,
}

/// An object that the program creates once, when it is first needed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Made {
    /// The string of a literal.
    String(Vec<u16>),
    /// The `Class` object of a type; `None` for `void`.
    Class(Option<Type>),
}

/// A loaded class.
pub(crate) struct JavaClass {
    pub(crate) id: ClassId,
    pub(crate) name: String,
    /// `None` for a synthetic class.
    pub(crate) file: Option<Arc<ClassFile>>,
    pub(crate) source: FileId,
    pub(crate) is_library: bool,
    /// Whether its code needs no checks, because it belongs to the JDK.
    pub(crate) is_trusted: bool,
    flags: ClassAccessFlags,
    /// By name and descriptor: `count:I`.
    pub(crate) fields: FxHashMap<String, FieldId>,
    /// By name and descriptor: `size()I`.
    pub(crate) methods: FxHashMap<String, MethodId>,
    /// Private and final methods.
    fixed: FxHashSet<MethodId>,
    /// Private fields.
    private_fields: FxHashSet<FieldId>,
    /// What code outside of the program can do with public fields.
    uses_outside: FxHashMap<FieldId, FieldUse>,
    /// Initial values of static fields, and whether the fields are final.
    constants: FxHashMap<FieldId, (StaticConstant, bool)>,
    initialization: OnceLock<Option<(FieldId, MethodId)>>,
    /// Whether it has the flag of assert statements, which is always false.
    pub(crate) has_assertion_flag: OnceLock<bool>,
}

impl JavaClass {
    /// A library class without members that has neither a class file nor a source.
    fn new(id: ClassId, name: String, flags: ClassAccessFlags) -> Self {
        JavaClass {
            id,
            name,
            file: None,
            source: FileId(u32::MAX),
            is_library: true,
            is_trusted: false,
            flags,
            fields: FxHashMap::default(),
            methods: FxHashMap::default(),
            fixed: FxHashSet::default(),
            private_fields: FxHashSet::default(),
            uses_outside: FxHashMap::default(),
            constants: FxHashMap::default(),
            initialization: OnceLock::new(),
            has_assertion_flag: OnceLock::new(),
        }
    }

    /// Whether code of other packages can use the class.
    pub(crate) fn is_public(&self) -> bool {
        self.flags.contains(ClassAccessFlags::PUBLIC)
    }

    /// Whether a method of the class is private or final.
    pub(crate) fn is_fixed(&self, method: MethodId) -> bool {
        self.fixed.contains(&method)
    }

    /// Whether a field of the class is private.
    pub(crate) fn is_private(&self, field: FieldId) -> bool {
        self.private_fields.contains(&field)
    }

    /// What code outside of the program can do with a field of the class.
    pub(crate) fn use_outside(&self, field: FieldId) -> FieldUse {
        self.uses_outside.get(&field).copied().unwrap_or(FieldUse::None)
    }

    /// Whether the class is final.
    pub(crate) fn is_final(&self) -> bool {
        self.flags.contains(ClassAccessFlags::FINAL)
    }

    /// Modifiers like those of `Class.getModifiers`, as far as the class file itself contains them.
    pub(crate) fn modifiers(&self) -> u16 {
        self.flags.bits() & !ClassAccessFlags::SUPER.bits()
    }

    /// The name of a method that clashes with a hidden method, because it would override it or answer its calls.
    /// Names that start with `$` clash with nothing in the JDK, but they are valid names.
    fn clash(&self, java: Java, class: &Class) -> Option<&str> {
        let mut names = self.methods.keys().filter(|key| key.starts_with('$'));
        let above = class.superclass.unwrap_or_else(|| java.named(types::OBJECT));
        let is_hidden = |key: &&String| {
            let mut found =
                java.program.superclass_chain(above).filter_map(|above| java.class(above)?.methods.get(*key).copied());
            found.any(|method| java.program.method(method).span == Span::NONE)
        };
        names.find(is_hidden).map(String::as_str)
    }

    /// Static fields that have a constant initial value and are not final.
    pub(crate) fn variable_constants(&self) -> Vec<(FieldId, &StaticConstant)> {
        let variable = self.constants.iter().filter(|(_, (_, is_final))| !is_final);
        let mut found: Vec<_> = variable.map(|(&field, (constant, _))| (field, constant)).collect();
        found.sort_by_key(|&(field, _)| field);
        found
    }
}

/// A class, the loader's data about it, and the indices of its methods in the class file.
type Declared = (Class, JavaClass, Vec<(MethodId, usize)>);

type BuildBody = dyn Fn(Java) -> Body + Send + Sync;

/// The initial value of a static field.
#[derive(Clone)]
pub(crate) enum StaticConstant {
    Value(Const),
    /// A string, by its code units.
    String(Vec<u16>),
}

/// The source of a method's code.
#[derive(Clone)]
enum Code {
    /// The method with this index in the class file.
    Bytecode(Arc<JavaClass>, usize),
    /// The method is synthetic.
    Built(Arc<BuildBody>),
    /// A model supplies the method.
    Modelled(Arc<ModelledMethod>),
    /// The method has the code that another one has without the user's models.
    Of(MethodId),
}

fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

impl JavaLoader {
    /// Whether the front end itself has the code of a method.
    pub(crate) fn is_built(&self, method: MethodId) -> bool {
        matches!(whole(self.code.read()).get(&method), Some(Code::Built(_)))
    }

    /// Makes a loader for the classes on a class path.
    pub fn new(classpath: ClassPath) -> Self {
        JavaLoader {
            classpath,
            hierarchy: Hierarchy::default(),
            unbounded_integers: false,
            any_statics: false,
            trusts_nullness: false,
            nullness: RwLock::default(),
            packages: RwLock::default(),
            properties: RwLock::default(),
            classes: RwLock::default(),
            code: RwLock::default(),
            made: RwLock::default(),
            helpers: RwLock::default(),
            starts: Starts::default(),
            files: RwLock::default(),
            missing: RwLock::default(),
            type_classes: RwLock::default(),
            made_classes: RwLock::default(),
            counts_monitors: OnceLock::new(),
            names_linked_maps: OnceLock::new(),
            supplied: OnceLock::new(),
        }
    }

    /// Sets whether integers of the user's own code are unbounded.
    pub fn with_unbounded_integers(self, unbounded_integers: bool) -> Self {
        JavaLoader { unbounded_integers, ..self }
    }

    /// Sets whether static fields hold any value at an entry point that is not the start of a program.
    pub fn with_any_statics(self, any_statics: bool) -> Self {
        JavaLoader { any_statics, ..self }
    }

    /// Sets whether no input is null where the code declares that none is.
    pub fn with_trusted_nullness(self, trusts_nullness: bool) -> Self {
        JavaLoader { trusts_nullness, ..self }
    }

    pub(crate) fn trusts_nullness(&self) -> bool {
        self.trusts_nullness
    }

    /// The members of a class that are declared not to be null.
    pub(crate) fn nullness(&self, java: Java, class: ClassId) -> Arc<Nullness> {
        if let Some(known) = whole(self.nullness.read()).get(&class) {
            return known.clone();
        }
        let found = Arc::new(nullness::of(java, class));
        whole(self.nullness.write()).entry(class).or_insert(found).clone()
    }

    /// What the package of a class, which comes from a folder or jar, declares about null.
    pub(crate) fn defaults_of_package(&self, java: Java, internal_name: &str, root: Option<Root>) -> Defaults {
        let package = internal_name.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"));
        let key = (root.as_ref().map_or(PathBuf::new(), |root| root.path().to_path_buf()), package);
        if let Some(known) = whole(self.packages.read()).get(&key) {
            return *known;
        }
        let found = nullness::of_package(java, &key.1, root);
        *whole(self.packages.write()).entry(key).or_insert(found)
    }

    /// The methods of a class that are properties: those of JUnit 5, JUnit 4 and jqwik.
    pub(crate) fn properties(&self, java: Java, class: ClassId) -> Arc<FxHashSet<MethodId>> {
        if let Some(known) = whole(self.properties.read()).get(&class) {
            return known.clone();
        }
        let marks = ["ParameterizedTest", "Theory", "Property"];
        let found = Arc::new(annotations::annotated_methods(java, class, &marks));
        whole(self.properties.write()).entry(class).or_insert(found).clone()
    }

    /// The bytes of a class file, by its name in class files.
    pub(crate) fn class_bytes(&self, internal_name: &str) -> Option<Vec<u8>> {
        Some(self.classpath.find(internal_name)?.bytes)
    }

    pub(crate) fn has_any_statics(&self) -> bool {
        self.any_statics
    }

    pub(crate) fn has_unbounded_integers(&self) -> bool {
        self.unbounded_integers
    }

    /// Whether classes of the user name linked hash maps.
    pub(crate) fn names_linked_maps(&self) -> bool {
        *self.names_linked_maps.get_or_init(|| self.classpath.users_have(&[LINKED_MAP]))
    }

    /// Whether code counts the monitors that the thread owns.
    pub(crate) fn counts_monitors(&self) -> bool {
        *self.counts_monitors.get_or_init(|| synthetic::monitors::are_counted(&self.classpath))
    }

    fn type_classes(&self, id: ClassId) -> Option<Option<Type>> {
        whole(self.type_classes.read()).get(&id).copied()
    }

    /// Sets the user's models of methods of libraries, once.
    pub(crate) fn set_supplied(&self, models: Supplied) {
        let _ = self.supplied.set(models);
    }

    /// The user's models of methods of libraries.
    pub(crate) fn supplied(&self) -> &Supplied {
        static NONE: LazyLock<Supplied> = LazyLock::new(Supplied::default);
        self.supplied.get().unwrap_or(&NONE)
    }

    /// The class path.
    pub fn classpath(&self) -> &ClassPath {
        &self.classpath
    }
}

impl Loader for JavaLoader {
    fn has_class(&self, name: &str) -> bool {
        models::has_class(name) || self.classpath.find(&internal_name(name)).is_some()
    }

    fn class(&self, program: &Program, id: ClassId) -> Class {
        let java = Java { program, loader: self };
        let read = match self.type_classes(id) {
            Some(ty) => Ok(java.type_class(id, ty)),
            None => match java.array_class(id) {
                Some(class) => Ok(class),
                None if whole(self.made_classes.read()).contains_key(&id) => Ok(java.class_on_demand(id)),
                None if program.class_name(id) == synthetic::RUNTIME => Ok(java.made_class(id, None)),
                None => self.read(program, id),
            },
        };
        match read {
            Ok((mut class, mut loaded, code)) => {
                let modelled = java.add_modelled(&mut class, &mut loaded);
                java.add_made(&mut class, &mut loaded);
                let loaded = Arc::new(loaded);
                let code = code.into_iter().map(|(method, index)| (method, Code::Bytecode(loaded.clone(), index)));
                let modelled = modelled.into_iter().map(|(method, code)| (method, Code::Modelled(Arc::new(code))));
                whole(self.code.write()).extend(code.chain(modelled));
                whole(self.classes.write()).insert(id, loaded);
                class
            }
            Err(reason) => {
                whole(self.missing.write()).insert(id, reason);
                Class::missing(program.class_name(id).to_string())
            }
        }
    }

    fn body(&self, program: &Program, method: MethodId) -> Option<Body> {
        // Loading the class records where its methods' code is.
        program.class(program.method(method).class);
        let java = Java { program, loader: self };
        if let Some(body) = self.supplied().body(java, method) {
            return Some(body);
        }
        let code_of = |method: MethodId| whole(self.code.read()).get(&method).cloned();
        let code = match code_of(method) {
            Some(Code::Of(other)) => code_of(other),
            code => code,
        };
        let params = &program.method(method).params;
        Some(match code {
            Some(Code::Bytecode(class, index)) => {
                let native = || format!("the native method {}, which has no model", program.method_name(method));
                let translated = class.file.as_ref().and_then(|file| {
                    file.with(|tree| {
                        let declared = tree.methods.get(index)?;
                        let body = translate::translate(java, &class, method, classfile::code(declared)?);
                        let is_synchronized = declared.access_flags.contains(MethodAccessFlags::SYNCHRONIZED);
                        Some(match is_synchronized && self.counts_monitors() {
                            true => synthetic::monitors::synchronized(java, method, body),
                            false => body,
                        })
                    })
                });
                translated.unwrap_or_else(|| unsupported(params, native()))
            }
            Some(Code::Built(build)) => build(java),
            Some(Code::Modelled(code)) => code.body(java, method),
            Some(Code::Of(_)) | None => {
                unsupported(params, format!("the method {}, which cannot be found", program.method_name(method)))
            }
        })
    }
}

/// A program with its loader, the context of translation.
#[derive(Clone, Copy)]
pub(crate) struct Java<'a> {
    pub(crate) program: &'a Program,
    pub(crate) loader: &'a JavaLoader,
}

impl<'a> Java<'a> {
    /// The class, loaded; `None` if it cannot be loaded.
    pub(crate) fn class(self, id: ClassId) -> Option<Arc<JavaClass>> {
        self.program.class(id);
        whole(self.loader.classes.read()).get(&id).cloned()
    }

    /// The reason why a class cannot be loaded, in readable form.
    pub(crate) fn why_missing(self, id: ClassId) -> String {
        let reason = whole(self.loader.missing.read()).get(&id).cloned();
        reason.unwrap_or_else(|| "it cannot be loaded".into())
    }

    /// The class with this name (`java.lang.String`), without loading it.
    pub(crate) fn named(self, name: &str) -> ClassId {
        self.program.declare_class(name)
    }

    /// The reference type of the class with this name.
    pub(crate) fn class_type(self, name: &str) -> Type {
        Type::Class(self.named(name))
    }

    /// A method that the class itself declares.
    pub(crate) fn declared_method(self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        self.class(class)?.methods.get(&format!("{name}{descriptor}")).copied()
    }

    /// A field that the class itself declares.
    pub(crate) fn declared_field(self, class: ClassId, name: &str, descriptor: &str) -> Option<FieldId> {
        self.class(class)?.fields.get(&format!("{name}:{descriptor}")).copied()
    }

    /// The class-initialization guard of a class, which is a static field, and the method that initializes the class.
    /// `None` if the class needs no initialization.
    pub(crate) fn initialization(self, class: ClassId) -> Option<(FieldId, MethodId)> {
        let loaded = self.class(class)?;
        if let Some(&known) = loaded.initialization.get() {
            return known;
        }
        let found = synthetic::initializer::make(self, &loaded);
        *loaded.initialization.get_or_init(|| found)
    }

    /// Whether no class overrides a method, because it or its class is final, or because it is private.
    pub(crate) fn is_never_overridden(self, method: MethodId) -> bool {
        self.class(self.program.method(method).class).is_some_and(|class| class.is_final() || class.is_fixed(method))
    }

    /// The value of a static field that never changes.
    pub(crate) fn static_constant(self, field: FieldId) -> Option<StaticConstant> {
        let class = self.class(self.program.field(field).class)?;
        class.constants.get(&field).filter(|(_, is_final)| *is_final).map(|(constant, _)| constant.clone())
    }
}
