//! Loads classes and code from class files when the program first requests them.

use crate::classfile::{self, ClassFile};
use crate::classpath::{ClassBytes, ClassPath, Origin, Warning, header};
use crate::declaration;
use crate::hierarchy::Hierarchy;
use crate::models::{self, ModelledMethod};
use crate::sharing::{self, LINKED_MAP};
use crate::state;
use crate::synthetic::{self, RUNTIME, classes};
use crate::translate;
use crate::types::{self, internal_name, method_types};
use aback_ir::builder::unsupported;
use aback_ir::{
    Access, Body, Class, ClassId, Const, Field, FieldId, FieldUse, FileId, LibraryState, Loader, Method, MethodId,
    MethodKind, OpKind, Passing, Program, Runtime, SourceFile, Span, Type, Unselected,
};
use cafebabe::constant_pool::LiteralConstant;
use cafebabe::{ClassAccessFlags, FieldAccessFlags, MethodAccessFlags, MethodInfo};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

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
    classes: RwLock<FxHashMap<ClassId, Arc<JavaClass>>>,
    code: RwLock<FxHashMap<MethodId, Code>>,
    /// Static fields that hold objects that the program creates once, by object, with the method that creates it.
    made: RwLock<FxHashMap<Made, (FieldId, MethodId)>>,
    /// Synthetic methods, by a name for their function.
    helpers: RwLock<FxHashMap<String, MethodId>>,
    files: RwLock<FxHashMap<PathBuf, FileId>>,
    /// The reasons why classes cannot be loaded.
    missing: RwLock<FxHashMap<ClassId, String>>,
    /// The classes of class objects, with the types that they represent.
    type_classes: RwLock<FxHashMap<ClassId, Option<Type>>>,
    /// The contents of synthetic classes that are created on demand.
    made_classes: RwLock<FxHashMap<ClassId, MadeClass>>,
    counts_monitors: OnceLock<bool>,
    names_linked_maps: OnceLock<bool>,
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

/// The contents of a synthetic class, apart from what every class has.
#[derive(Clone)]
pub(crate) struct MadeClass {
    pub(crate) interfaces: Vec<ClassId>,
    /// Names and types of the instance fields.
    pub(crate) fields: Vec<(String, Type)>,
    pub(crate) methods: Vec<MadeMethod>,
}

/// A synthetic method that is added to a class.
#[derive(Clone)]
pub(crate) struct MadeMethod {
    name: String,
    /// Parameter types, without the receiver.
    params: Vec<Type>,
    result: Option<Type>,
    build: Arc<BuildBody>,
}

impl MadeMethod {
    /// Makes an instance method with these parameters and a receiver.
    pub(crate) fn new(
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> Self {
        MadeMethod { name: name.to_string(), params: params.to_vec(), result, build: Arc::new(build) }
    }
}

impl JavaClass {
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
}

fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

impl JavaLoader {
    /// Makes a loader for the classes on a class path.
    pub fn new(classpath: ClassPath) -> Self {
        JavaLoader {
            classpath,
            hierarchy: Hierarchy::default(),
            unbounded_integers: false,
            any_statics: false,
            classes: RwLock::default(),
            code: RwLock::default(),
            made: RwLock::default(),
            helpers: RwLock::default(),
            files: RwLock::default(),
            missing: RwLock::default(),
            type_classes: RwLock::default(),
            made_classes: RwLock::default(),
            counts_monitors: OnceLock::new(),
            names_linked_maps: OnceLock::new(),
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

    pub(crate) fn has_any_statics(&self) -> bool {
        self.any_statics
    }

    pub(crate) fn has_unbounded_integers(&self) -> bool {
        self.unbounded_integers
    }

    /// Whether code counts the monitors that the thread owns.
    pub(crate) fn counts_monitors(&self) -> bool {
        *self.counts_monitors.get_or_init(|| synthetic::monitors::are_counted(&self.classpath))
    }

    fn type_classes(&self, id: ClassId) -> Option<Option<Type>> {
        whole(self.type_classes.read()).get(&id).copied()
    }

    /// The class path.
    pub fn classpath(&self) -> &ClassPath {
        &self.classpath
    }

    fn file(&self, program: &Program, package: &str, name: &str) -> FileId {
        let found = self.classpath.source(package, name);
        let file = found.unwrap_or_else(|| {
            let path = if package.is_empty() { PathBuf::from(name) } else { PathBuf::from(package).join(name) };
            SourceFile { path, text: None }
        });
        *whole(self.files.write()).entry(file.path.clone()).or_insert_with(|| program.add_file(file))
    }

    /// Reads the class file of a class.
    fn read(&self, program: &Program, id: ClassId) -> Result<Declared, String> {
        let name = program.class_name(id).to_string();
        let internal = internal_name(&name);
        let found = if models::replaces(&name) { None } else { self.classpath.find(&internal) };
        let Some(found) = found else {
            let java = Java { program, loader: self };
            return if models::has_class(&name) { Ok(java.made_class(id, None)) } else { Err("no such class".into()) };
        };
        let is_library = !matches!(found.origin, Origin::User { .. });
        let is_trusted = found.origin == Origin::Library;
        let file = self.parse(&internal, found)?;
        let (class, mut loaded, code) = file.with(|tree| self.header(program, id, name, is_library, tree));
        loaded.file = Some(file);
        loaded.is_trusted = is_trusted;
        if let Some(clash) = loaded.clash(Java { program, loader: self }, &class).filter(|_| !is_trusted) {
            return Err(format!("it declares {clash}, whose name is taken by what the virtual machine does"));
        }
        Ok((class, loaded, code))
    }

    /// Parses a class file. If it belongs to the user and cannot be used, this also adds a warning.
    fn parse(&self, internal: &str, ClassBytes { bytes, origin }: ClassBytes) -> Result<Arc<ClassFile>, String> {
        let parse = |bytes| ClassFile::parse(bytes).map(Arc::new);
        let path = match (origin, self.classpath.library()) {
            (Origin::Library, Ok(library)) => return library.parsed(internal, bytes),
            (Origin::Library, Err(_)) => return parse(bytes),
            (Origin::User { path } | Origin::Extra { path }, _) => path,
        };
        self.admit(internal, &bytes).and_then(|()| parse(bytes)).inspect_err(|reason| {
            let class = types::class_name(internal);
            self.classpath.warn(Warning::BadClass { class, path, reason: reason.clone() });
        })
    }

    /// Whether a class outside of the JDK can be loaded; if not, the reason in readable form.
    fn admit(&self, internal: &str, bytes: &[u8]) -> Result<(), String> {
        let jdk = self.classpath.library().ok().and_then(|library| library.version());
        match (header::declaration(bytes), jdk) {
            (Some(own), Some(jdk)) if u32::from(own.release) > jdk => {
                return Err(format!("it is for Java {}, and the JDK is of Java {jdk}", own.release));
            }
            _ => {}
        }
        self.hierarchy.problem(&self.classpath, internal).map_or(Ok(()), Err)
    }

    /// The declarations of a class file.
    fn header(
        &self,
        program: &Program,
        id: ClassId,
        name: String,
        is_library: bool,
        tree: &cafebabe::ClassFile<'_>,
    ) -> Declared {
        let internal = internal_name(&name);
        let package = internal.rsplit_once('/').map_or("", |(package, _)| package);
        let own_name = internal.rsplit('/').next().unwrap_or(&internal);
        let source = self.file(program, package, classfile::source_file(tree).unwrap_or(own_name));
        let flags = tree.access_flags;
        let span = Span { file: source, line: 0, column: 0, length: 0 };
        let is_interface = flags.contains(ClassAccessFlags::INTERFACE);
        let superclass = tree.super_class.as_ref().map(|name| program.declare_class(&types::class_name(name)));
        let mut class = Class {
            name: name.clone(),
            // In class files every interface has the superclass Object, but in the program model it has none.
            superclass: superclass.filter(|_| !is_interface),
            interfaces: tree.interfaces.iter().map(|name| program.declare_class(&types::class_name(name))).collect(),
            fields: Vec::new(),
            methods: Vec::new(),
            is_abstract: flags.contains(ClassAccessFlags::ABSTRACT),
            is_final: flags.contains(ClassAccessFlags::FINAL),
            is_interface,
            is_library,
            span,
        };
        let mut loaded = JavaClass {
            id,
            name,
            file: None,
            source,
            is_library,
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
        };
        for field in &tree.fields {
            let descriptor = field.descriptor.to_string();
            let Some(ty) = types::field_type(program, &descriptor) else { continue };
            let is_static = field.access_flags.contains(FieldAccessFlags::STATIC);
            let field_id = program.new_field(Field { name: field.name.to_string(), class: id, ty, is_static, span });
            class.fields.push(field_id);
            loaded.fields.insert(format!("{}:{descriptor}", field.name), field_id);
            if field.access_flags.contains(FieldAccessFlags::PRIVATE) {
                loaded.private_fields.insert(field_id);
            }
            let is_public =
                flags.contains(ClassAccessFlags::PUBLIC) && field.access_flags.contains(FieldAccessFlags::PUBLIC);
            if is_public {
                let is_final = field.access_flags.contains(FieldAccessFlags::FINAL);
                loaded.uses_outside.insert(field_id, if is_final { FieldUse::Read } else { FieldUse::Assign });
            }
            let constant = classfile::constant_value(field).filter(|_| is_static);
            if let Some(constant) = constant.and_then(|literal| static_constant(literal, ty)) {
                let is_final = field.access_flags.contains(FieldAccessFlags::FINAL);
                loaded.constants.insert(field_id, (constant, is_final));
            }
        }
        let mut code = Vec::new();
        for (index, method) in tree.methods.iter().enumerate() {
            let descriptor = method.descriptor.to_string();
            let Some(declared) = declared_method(program, id, method, &descriptor, span) else { continue };
            let method_id = program.new_method(declared);
            class.methods.push(method_id);
            loaded.methods.insert(format!("{}{descriptor}", method.name), method_id);
            if method.access_flags.intersects(MethodAccessFlags::PRIVATE | MethodAccessFlags::FINAL) {
                loaded.fixed.insert(method_id);
            }
            code.push((method_id, index));
        }
        (class, loaded, code)
    }
}

fn static_constant(literal: &LiteralConstant<'_>, ty: Type) -> Option<StaticConstant> {
    Some(StaticConstant::Value(match (literal, ty) {
        (LiteralConstant::Integer(value), Type::Bool) => Const::Bool(*value != 0),
        (LiteralConstant::Integer(value), types::BYTE) => Const::Int((*value as i8).into(), ty),
        (LiteralConstant::Integer(value), types::SHORT) => Const::Int((*value as i16).into(), ty),
        (LiteralConstant::Integer(value), types::CHAR) => Const::Int((*value as u16).into(), ty),
        (LiteralConstant::Integer(value), types::INT) => Const::Int((*value).into(), ty),
        (LiteralConstant::Long(value), types::LONG) => Const::Int((*value).into(), ty),
        (LiteralConstant::Float(value), Type::F32) => Const::F32(value.to_bits()),
        (LiteralConstant::Double(value), Type::F64) => Const::F64(value.to_bits()),
        (literal, _) => return Some(StaticConstant::String(synthetic::constants::units(literal)?)),
    }))
}

fn declared_method(
    program: &Program,
    class: ClassId,
    method: &MethodInfo<'_>,
    descriptor: &str,
    span: Span,
) -> Option<Method> {
    let (mut params, result) = method_types(program, descriptor)?;
    let flags = method.access_flags;
    let kind = if flags.contains(MethodAccessFlags::STATIC) {
        MethodKind::Static
    } else if method.name == "<init>" {
        MethodKind::Constructor
    } else {
        MethodKind::Instance
    };
    if kind != MethodKind::Static {
        params.insert(0, Type::Class(class));
    }
    let line = classfile::code(method).and_then(|code| classfile::first_line(&code.attributes)).unwrap_or(0);
    Some(Method {
        name: method.name.to_string(),
        class,
        kind,
        params,
        result,
        access: declaration::access_of(flags),
        is_abstract: flags.contains(MethodAccessFlags::ABSTRACT),
        span: Span { line, ..span },
    })
}

/// The modules of the JDK that the bootstrap loader defines (`make/conf/module-loader-map.conf` in its sources). The
/// platform loader or the application loader defines the others.
const BOOTSTRAP: [&str; 24] = [
    "java.base",
    "java.datatransfer",
    "java.desktop",
    "java.instrument",
    "java.logging",
    "java.management",
    "java.management.rmi",
    "java.naming",
    "java.prefs",
    "java.rmi",
    "java.security.sasl",
    "java.xml",
    "jdk.incubator.foreign",
    "jdk.incubator.vector",
    "jdk.internal.vm.ci",
    "jdk.jfr",
    "jdk.management",
    "jdk.management.agent",
    "jdk.naming.rmi",
    "jdk.net",
    "jdk.nio.mapmode",
    "jdk.sctp",
    "jdk.unsupported",
    "jdk.internal.ffi",
];

/// Packages and classes whose methods may call, or initialize, what their arguments name.
const REFLECTIVE: [&str; 4] = ["java.lang.Class", "java.lang.invoke.", "java.lang.reflect.", "java.util.ServiceLoader"];
/// Methods of `java.lang.Class` that do not do so.
const HARMLESS: [&str; 5] = ["getName", "getSimpleName", "hashCode", "equals", "desiredAssertionStatus"];

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
        let code = whole(self.code.read()).get(&method).cloned();
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
            None => unsupported(params, format!("the method {}, which cannot be found", program.method_name(method))),
        })
    }
}

impl Runtime for JavaLoader {
    fn entry(&self, program: &Program, entry: MethodId) -> Option<MethodId> {
        synthetic::entry::with_inputs(Java { program, loader: self }, entry)
    }

    fn unselected(&self, program: &Program, class: ClassId, method: MethodId, reason: Unselected) -> Option<MethodId> {
        Some(synthetic::linkage::unselected(Java { program, loader: self }, class, method, reason))
    }

    fn has_no_nulls(&self, program: &Program, entry: MethodId) -> bool {
        synthetic::entry::is_main(Java { program, loader: self }, entry)
    }

    /// The references that an inner class keeps to the enclosing object.
    fn is_never_null(&self, program: &Program, field: FieldId) -> bool {
        let declared = program.field(field);
        if !declared.name.starts_with("this$") {
            return false;
        }
        let class = Java { program, loader: self }.class(declared.class);
        let is_made = FieldAccessFlags::FINAL | FieldAccessFlags::SYNTHETIC;
        class.as_ref().and_then(|class| class.file.as_ref()).is_some_and(|file| {
            file.with(|tree| {
                tree.fields.iter().any(|field| field.name == declared.name && field.access_flags.contains(is_made))
            })
        })
    }

    fn is_platform(&self, program: &Program, class: ClassId) -> bool {
        Java { program, loader: self }.class(class).is_some_and(|class| class.is_trusted)
    }

    fn is_reflective(&self, program: &Program, method: MethodId) -> bool {
        let declared = program.method(method);
        let class = program.class_name(declared.class);
        let is_one = REFLECTIVE.iter().any(|name| class.starts_with(name));
        is_one && !HARMLESS.contains(&declared.name.as_str())
    }

    fn is_public(&self, program: &Program, method: MethodId) -> bool {
        let class = Java { program, loader: self }.class(program.method(method).class);
        let is_public = program.method(method).access == Access::Public;
        is_public && class.is_some_and(|class| class.flags.contains(ClassAccessFlags::PUBLIC))
    }

    fn is_synthetic(&self, program: &Program, method: MethodId) -> bool {
        let class = Java { program, loader: self }.class(program.method(method).class);
        class.is_some_and(|class| !class.methods.values().any(|&declared| declared == method))
    }

    fn is_private_field(&self, program: &Program, field: FieldId) -> bool {
        let declaring = program.field(field).class;
        let class = Java { program, loader: self }.class(declaring);
        // The synthetic class keeps objects that the program makes once.
        class.is_some_and(|class| class.private_fields.contains(&field)) || program.class_name(declaring) == RUNTIME
    }

    fn use_outside(&self, program: &Program, field: FieldId) -> FieldUse {
        let class = Java { program, loader: self }.class(program.field(field).class);
        class.and_then(|class| class.uses_outside.get(&field).copied()).unwrap_or(FieldUse::None)
    }

    fn is_initializer(&self, program: &Program, method: MethodId) -> bool {
        matches!(program.method(method).name.as_str(), "<clinit>" | "$initialize")
    }

    fn is_immutable(&self, program: &Program, class: ClassId) -> bool {
        sharing::is_immutable(program.class_name(class))
    }

    fn may_change(&self, program: &Program, method: MethodId, argument: usize) -> bool {
        let names_linked_maps = || *self.names_linked_maps.get_or_init(|| self.classpath.users_have(&[LINKED_MAP]));
        sharing::may_change(program, method, argument, names_linked_maps)
    }

    fn states_read(&self, program: &Program, op: &OpKind) -> Vec<LibraryState> {
        state::read(program, op).into_iter().collect()
    }

    fn state_changed(&self, program: &Program, op: &OpKind) -> Option<LibraryState> {
        state::changed(program, op)
    }

    fn passing(&self, program: &Program, method: MethodId) -> Passing {
        sharing::passing(program, method)
    }

    fn may_call_back(&self, program: &Program, method: MethodId) -> bool {
        sharing::may_call_back(program, method)
    }

    /// The compiler calls the code of a lambda expression `lambda$NAME$NUMBER`.
    fn source_name(&self, program: &Program, method: MethodId) -> String {
        let declared = program.method(method);
        let class = program.class_name(declared.class);
        let within = declared.name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
        match within {
            Some((name, _)) => format!("a lambda expression in {class}.{name}"),
            None => program.method_name(method),
        }
    }

    fn is_bridge(&self, program: &Program, method: MethodId) -> bool {
        self.method_declaration(program, method).is_some_and(|declared| declared.is_bridge)
    }

    fn is_extendable(&self, program: &Program, class: ClassId) -> bool {
        (Java { program, loader: self }).class(class).is_some_and(|class| {
            let flags = class.flags & (ClassAccessFlags::PUBLIC | ClassAccessFlags::FINAL);
            flags == ClassAccessFlags::PUBLIC && !class.is_trusted
        })
    }

    fn is_overridable(&self, program: &Program, method: MethodId) -> bool {
        let class = program.method(method).class;
        let is_fixed = (Java { program, loader: self }).class(class).is_some_and(|class| class.fixed.contains(&method));
        self.is_extendable(program, class) && !is_fixed
    }

    fn initialization(&self, program: &Program, class: ClassId) -> Option<(FieldId, MethodId)> {
        Java { program, loader: self }.initialization(class)
    }

    fn is_start(&self, program: &Program, method: MethodId) -> bool {
        synthetic::entry::is_main(Java { program, loader: self }, method)
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

    /// The static field that holds an object that is created once, and the method that creates it.
    pub(crate) fn made(self, what: Made, make: impl FnOnce(Java<'a>) -> (FieldId, MethodId)) -> (FieldId, MethodId) {
        if let Some(&known) = whole(self.loader.made.read()).get(&what) {
            return known;
        }
        let made = make(self);
        *whole(self.loader.made.write()).entry(what).or_insert(made)
    }

    /// A synthetic static method that the whole program shares, by a name for its function.
    pub(crate) fn helper(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        self.shared_method(name, || self.static_method(name, params, result), build)
    }

    /// A synthetic method that the whole program shares, by a name for its function. Its class does not list it.
    pub(crate) fn shared_method(
        self,
        name: &str,
        declare: impl FnOnce() -> Method,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        if let Some(&known) = whole(self.loader.helpers.read()).get(name) {
            return known;
        }
        let method = self.new_method(declare(), build);
        *whole(self.loader.helpers.write()).entry(name.to_string()).or_insert(method)
    }

    /// The class of all synthetic members that belong to no class of the program.
    pub(crate) fn runtime(self) -> ClassId {
        self.named(synthetic::RUNTIME)
    }

    /// Adds a synthetic static method.
    pub(crate) fn new_static(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        self.new_method(self.static_method(name, params, result), build)
    }

    /// The declaration of a synthetic static method.
    fn static_method(self, name: &str, params: &[Type], result: Option<Type>) -> Method {
        Method {
            name: name.to_string(),
            class: self.runtime(),
            kind: MethodKind::Static,
            params: params.to_vec(),
            result,
            access: Access::Public,
            is_abstract: false,
            span: Span::NONE,
        }
    }

    /// Adds a synthetic method.
    pub(crate) fn new_method(self, method: Method, build: impl Fn(Java) -> Body + Send + Sync + 'static) -> MethodId {
        let id = self.program.new_method(method);
        whole(self.loader.code.write()).insert(id, Code::Built(Arc::new(build)));
        id
    }

    /// Declares the class of the class object of a type, by its name.
    pub(crate) fn declare_type_class(self, name: String, ty: Option<Type>) -> ClassId {
        let id = self.named(&name);
        whole(self.loader.type_classes.write()).insert(id, ty);
        id
    }

    fn type_class(self, id: ClassId, ty: Option<Type>) -> Declared {
        let (mut class, mut loaded, code) = self.made_class(id, Some(classes::CLASS));
        self.add_methods(&mut class, &mut loaded, classes::class_object_methods(self, ty));
        self.add_methods(&mut class, &mut loaded, models::class_object_methods(self, ty));
        (class, loaded, code)
    }

    /// The class with the methods of an array type, by its name: `int[]`.
    fn array_class(self, id: ClassId) -> Option<Declared> {
        let name = self.program.class_name(id);
        if !name.ends_with("[]") {
            return None;
        }
        let is_named = |&(array, _): &(_, _)| self.program.type_name(Type::Array(array)) == name;
        let (array, _) = self.program.array_types().find(is_named)?;
        let (mut class, mut loaded, code) = self.made_class(id, Some(types::OBJECT));
        self.add_methods(&mut class, &mut loaded, classes::object_methods(self, Type::Array(array)));
        self.add_methods(&mut class, &mut loaded, models::array_methods(self, Type::Array(array)));
        Some((class, loaded, code))
    }

    /// Sets the contents of a synthetic class that is created on demand.
    pub(crate) fn declare_made_class(self, id: ClassId, made: MadeClass) {
        whole(self.loader.made_classes.write()).insert(id, made);
    }

    /// The synthetic classes that have been created on demand so far.
    pub(crate) fn classes_on_demand(self) -> Vec<ClassId> {
        let mut found: Vec<ClassId> = whole(self.loader.made_classes.read()).keys().copied().collect();
        found.sort_unstable();
        found
    }

    /// The static fields of the class objects that the program refers to so far, and the methods that create them.
    pub(crate) fn class_objects(self) -> Vec<(FieldId, MethodId)> {
        let made = whole(self.loader.made.read());
        let classes = made.iter().filter(|(what, _)| matches!(what, Made::Class(_)));
        let mut found: Vec<(FieldId, MethodId)> = classes.map(|(_, &made)| made).collect();
        found.sort_unstable();
        found
    }

    fn class_on_demand(self, id: ClassId) -> Declared {
        let (mut class, mut loaded, code) = self.made_class(id, Some(types::OBJECT));
        let made = whole(self.loader.made_classes.read()).get(&id).cloned();
        if let Some(MadeClass { interfaces, fields, methods }) = made {
            class.interfaces = interfaces;
            for (name, ty) in fields {
                self.add_field(&mut class, &mut loaded, &name, ty);
            }
            self.add_methods(&mut class, &mut loaded, methods);
        }
        self.add_methods(&mut class, &mut loaded, classes::object_methods(self, Type::Class(id)));
        loaded.initialization = OnceLock::new();
        (class, loaded, code)
    }

    fn add_field(self, class: &mut Class, loaded: &mut JavaClass, name: &str, ty: Type) {
        let descriptor = types::descriptor(self.program, ty);
        let field = Field { name: name.to_string(), class: loaded.id, ty, is_static: false, span: Span::NONE };
        let field = self.program.new_field(field);
        class.fields.push(field);
        loaded.fields.insert(format!("{name}:{descriptor}"), field);
    }

    /// Creates a synthetic class.
    fn made_class(self, id: ClassId, superclass: Option<&str>) -> Declared {
        let name = self.program.class_name(id).to_string();
        let mut class = Class::missing(name.clone());
        class.superclass = superclass.map(|superclass| self.named(superclass));
        class.is_abstract = false;
        let loaded = JavaClass {
            id,
            name,
            file: None,
            source: FileId(u32::MAX),
            is_library: true,
            is_trusted: true,
            flags: ClassAccessFlags::FINAL,
            fields: FxHashMap::default(),
            methods: FxHashMap::default(),
            fixed: FxHashSet::default(),
            private_fields: FxHashSet::default(),
            uses_outside: FxHashMap::default(),
            constants: FxHashMap::default(),
            initialization: OnceLock::from(None),
            has_assertion_flag: OnceLock::new(),
        };
        (class, loaded, Vec::new())
    }

    /// Adds the members to a class that its models define.
    fn add_modelled(self, class: &mut Class, loaded: &mut JavaClass) -> Vec<(MethodId, ModelledMethod)> {
        let mut found = Vec::new();
        for model in models::of(self, loaded.id) {
            if loaded.file.is_none() {
                class.superclass = model.head.superclass.or(class.superclass).or(Some(self.named(types::OBJECT)));
                class.interfaces.extend(&model.head.interfaces);
                class.is_abstract = model.head.is_abstract;
                class.is_interface = model.head.is_interface;
            }
            for field in model.fields {
                let key = format!("{}:{}", field.name, types::descriptor(self.program, field.ty));
                loaded.fields.entry(key).or_insert_with(|| {
                    let field = self.program.new_field(field);
                    class.fields.push(field);
                    field
                });
            }
            for (method, code) in model.methods {
                let params = method.params.get(usize::from(method.kind != MethodKind::Static)..).unwrap_or(&[]);
                let key = format!("{}{}", method.name, self.descriptor(params, method.result));
                let id = *loaded.methods.entry(key).or_insert_with(|| {
                    let method = self.program.new_method(method);
                    class.methods.push(method);
                    method
                });
                found.push((id, code));
            }
        }
        found
    }

    /// Adds the synthetic members to a class that are not in its class file.
    fn add_made(self, class: &mut Class, loaded: &mut JavaClass) {
        let hidden = match loaded.name.as_str() {
            classes::CLASS => classes::HIDDEN_FIELDS,
            "java.lang.Throwable" => synthetic::traps::HIDDEN_FIELDS,
            _ => &[],
        };
        for (name, descriptor) in hidden {
            let Some(ty) = types::field_type(self.program, descriptor) else { continue };
            self.add_field(class, loaded, name, ty);
        }
        if loaded.name == types::OBJECT {
            self.add_methods(class, loaded, vec![models::counts_monitors()]);
        }
        if loaded.name == classes::CLASS {
            self.add_methods(class, loaded, classes::class_methods(self));
        }
        if loaded.name == types::STRING {
            self.add_methods(class, loaded, vec![synthetic::entry::keep_within_bound()]);
        }
        let is_made = loaded.file.is_none() && !models::has_class(&loaded.name);
        if !is_made && (!class.is_abstract || loaded.name == types::OBJECT) {
            self.add_methods(class, loaded, classes::object_methods(self, Type::Class(loaded.id)));
        }
        let accessors = models::object_methods(self, class, loaded);
        self.add_methods(class, loaded, accessors);
    }

    fn add_methods(self, class: &mut Class, loaded: &mut JavaClass, methods: Vec<MadeMethod>) {
        for MadeMethod { name, params, result, build } in methods {
            let descriptor = self.descriptor(&params, result);
            let params = [Type::Class(loaded.id)].into_iter().chain(params).collect();
            let key = format!("{name}{descriptor}");
            let method = Method {
                name,
                class: loaded.id,
                kind: MethodKind::Instance,
                params,
                result,
                access: Access::Public,
                is_abstract: false,
                span: Span::NONE,
            };
            let method = self.new_method(method, move |java| build(java));
            class.methods.push(method);
            loaded.methods.insert(key, method);
        }
    }

    /// The descriptor of a method.
    pub(crate) fn descriptor(self, params: &[Type], result: Option<Type>) -> String {
        let params: String = params.iter().map(|&ty| types::descriptor(self.program, ty)).collect();
        let result = result.map_or("V".to_string(), |ty| types::descriptor(self.program, ty));
        format!("({params}){result}")
    }

    /// Whether `java -ea` enables assertions in a type: it does unless the bootstrap loader defines the type
    /// (`Class.desiredAssertionStatus`). `None` if that is not known.
    pub(crate) fn desires_assertions(self, ty: Type) -> Option<bool> {
        match ty {
            // An array type has the loader of its element type. If this is not the bootstrap loader, the status is not known.
            Type::Array(array) => self.desires_assertions(self.program.element_type(array)).filter(|are_on| !are_on),
            Type::Class(class) => {
                let loaded = self.class(class)?;
                loaded.file.as_ref()?;
                if !loaded.is_trusted {
                    return Some(true);
                }
                let internal = internal_name(&loaded.name);
                let package = internal.rsplit_once('/').map_or("", |(package, _)| package);
                let module = self.loader.classpath.library().ok()?.module(package)?;
                Some(!BOOTSTRAP.contains(&module))
            }
            _ => Some(false),
        }
    }

    /// Whether no class overrides a method, because it or its class is final, or because it is private.
    pub(crate) fn is_never_overridden(self, method: MethodId) -> bool {
        self.class(self.program.method(method).class)
            .is_some_and(|class| class.flags.contains(ClassAccessFlags::FINAL) || class.fixed.contains(&method))
    }

    /// The value of a static field that never changes.
    pub(crate) fn static_constant(self, field: FieldId) -> Option<StaticConstant> {
        let class = self.class(self.program.field(field).class)?;
        class.constants.get(&field).filter(|(_, is_final)| *is_final).map(|(constant, _)| constant.clone())
    }

    /// Adds a synthetic static field.
    pub(crate) fn new_static_field(self, name: &str, ty: Type) -> FieldId {
        let class = self.runtime();
        self.program.new_field(Field { name: name.to_string(), class, ty, is_static: true, span: Span::NONE })
    }
}
