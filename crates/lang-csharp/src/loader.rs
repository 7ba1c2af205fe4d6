//! Loads classes and code from assemblies when the program first requests them.

use crate::assemblies::{Assemblies, AssemblyId, TypeDefId, whole};
use crate::layout::{Leaf, Shape};
use crate::members::MethodKey;
use crate::synthetic::{self, Made};
use crate::translate;
use crate::types::{Generics, Kind, Result, Ty, TyId, Types};
use aback_cil::{Assembly, TypeSig};
use aback_ir::builder::unsupported;
use aback_ir::{
    Access, Body, Class, ClassId, Field, FieldId, FileId, Form, Loader, Method, MethodId, MethodKind, Program,
    SourceFile, Span, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, RwLock};

/// Loads the classes of assemblies for one program.
///
/// Each table has a lock of its own, which is held for one look-up or one change, while no other lock is taken and
/// nothing is loaded. Only `files` is held while a file is added to the program, which takes a lock of the program
/// and none of the loader. So there are no deadlocks.
pub struct CsLoader {
    pub(crate) assemblies: Assemblies,
    pub(crate) types: Types,
    /// Type parameters that stand for themselves.
    pub(crate) open_generics: Generics,
    tests_for_characters: OnceLock<bool>,
    leaves: RwLock<FxHashMap<TyId, Result<Arc<[Leaf]>>>>,
    kinds: RwLock<FxHashMap<ClassId, ClassKind>>,
    classes: RwLock<FxHashMap<ClassKind, ClassId>>,
    fields: RwLock<FxHashMap<(TyId, u32), Arc<FieldSlot>>>,
    instance_fields: RwLock<FxHashMap<TyId, Result<Arc<[FieldDecl]>>>>,
    methods: RwLock<FxHashMap<MethodKey, MethodId>>,
    keys: RwLock<FxHashMap<MethodId, MethodKey>>,
    code: RwLock<FxHashMap<MethodId, Code>>,
    selected: RwLock<FxHashMap<(ClassId, MethodId), Option<MethodId>>>,
    starts: RwLock<FxHashMap<MethodId, Option<MethodId>>>,
    /// The names and forms of the inputs that such a method takes.
    input_forms: RwLock<FxHashMap<MethodId, Vec<(String, Form)>>>,
    made: RwLock<FxHashMap<Made, (FieldId, MethodId)>>,
    initializations: RwLock<FxHashMap<TyId, Option<(FieldId, MethodId)>>>,
    /// Synthetic methods, by a name for their function.
    helpers: RwLock<FxHashMap<String, MethodId>>,
    files: RwLock<FxHashMap<PathBuf, FileId>>,
    missing: RwLock<FxHashMap<ClassId, String>>,
}

/// The first argument of a method that a delegate holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    None,
    /// An object whose class has the last word on which method it is.
    Dispatched,
    /// An object, for this very method, as in `Func<int> f = base.Get`.
    Exact,
}

/// What a class of the program stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ClassKind {
    /// The objects of a type; for a struct or an enum, its boxes.
    Type(TyId),
    /// Managed pointers to places of a shape.
    Reference(Shape),
    /// Variables to which managed pointers exist.
    Cell(Shape),
    /// Pointers to a part of the place behind another pointer: its shape, and the first leaf and the number of leaves.
    Part(Shape, u32, u32),
    /// Pointers to an instance field of any object, by its leaves.
    FieldRef(Vec<FieldId>),
    /// Pointers to a static field, by its leaves.
    StaticRef(Vec<FieldId>),
    /// Pointers to the elements of arrays of a type.
    ElementRef(TyId),
    /// Delegates of a type that call a method, with what they hold.
    Delegate(TyId, MethodId, Target),
    /// Delegates of a type that call a list of others.
    Multicast(TyId),
    /// The boxes of all enums with values of a type.
    EnumOf(TyId),
    /// Messages with values in them, which are not written out.
    Unformatted,
    /// The class of synthetic members that belong to no other class.
    Runtime,
}

/// A field, and the fields of the program model for its leaves.
#[derive(Debug)]
pub(crate) struct FieldSlot {
    pub(crate) ty: TyId,
    pub(crate) is_static: bool,
    pub(crate) ids: Vec<FieldId>,
}

/// An instance field as a type declares it.
#[derive(Clone, Debug)]
pub(crate) struct FieldDecl {
    pub(crate) row: u32,
    pub(crate) name: String,
    pub(crate) ty: TyId,
}

type BuildBody = dyn Fn(Cs) -> Body + Send + Sync;

/// The source of a method's code.
#[derive(Clone)]
enum Code {
    Cil(MethodKey),
    Built(Arc<BuildBody>),
    Unsupported(String),
}

/// A synthetic method that is added to a class.
#[derive(Clone)]
pub(crate) struct MadeMethod {
    pub(crate) name: String,
    /// Parameter types, without the receiver.
    pub(crate) params: Vec<Type>,
    pub(crate) result: Option<Type>,
    /// `None` for an abstract method.
    pub(crate) build: Option<Arc<BuildBody>>,
}

impl MadeMethod {
    /// An instance method with these parameters besides the receiver.
    pub(crate) fn new(
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Cs) -> Body + Send + Sync + 'static,
    ) -> Self {
        MadeMethod { name: name.into(), params: params.to_vec(), result, build: Some(Arc::new(build)) }
    }

    /// An abstract method.
    pub(crate) fn abstract_method(name: &str, params: &[Type], result: Option<Type>) -> Self {
        MadeMethod { name: name.into(), params: params.to_vec(), result, build: None }
    }
}

/// The contents of a synthetic class.
#[derive(Default)]
pub(crate) struct MadeClass {
    pub(crate) superclass: Option<ClassId>,
    pub(crate) interfaces: Vec<ClassId>,
    pub(crate) is_interface: bool,
    /// Whether no class derives from it.
    pub(crate) is_final: bool,
    /// The type of receivers, if it is not the class.
    pub(crate) receiver: Option<Type>,
    /// Names and types of the instance fields.
    pub(crate) fields: Vec<(String, Type)>,
    pub(crate) methods: Vec<MadeMethod>,
}

/// Most methods that are made when a program is loaded. Generic methods may need instances without end.
const MOST_INSTANCES: usize = 1 << 16;

impl CsLoader {
    /// Makes a loader for assemblies.
    pub(crate) fn new(assemblies: Assemblies) -> Self {
        let types = Types::new();
        let parameters = |make: fn(u32) -> Ty| (0..64).map(|index| types.simple(make(index))).collect();
        let open_generics = Generics { of_type: parameters(Ty::TypeParam), of_method: parameters(Ty::MethodParam) };
        CsLoader {
            assemblies,
            types,
            open_generics,
            tests_for_characters: OnceLock::new(),
            leaves: RwLock::default(),
            kinds: RwLock::default(),
            classes: RwLock::default(),
            fields: RwLock::default(),
            instance_fields: RwLock::default(),
            methods: RwLock::default(),
            keys: RwLock::default(),
            code: RwLock::default(),
            selected: RwLock::default(),
            starts: RwLock::default(),
            input_forms: RwLock::default(),
            made: RwLock::default(),
            initializations: RwLock::default(),
            helpers: RwLock::default(),
            files: RwLock::default(),
            missing: RwLock::default(),
        }
    }

    pub(crate) fn known_leaves(&self, ty: TyId) -> Option<Result<Arc<[Leaf]>>> {
        whole(self.leaves.read()).get(&ty).cloned()
    }

    pub(crate) fn remember_leaves(&self, ty: TyId, leaves: Result<Arc<[Leaf]>>) -> Result<Arc<[Leaf]>> {
        whole(self.leaves.write()).entry(ty).or_insert(leaves).clone()
    }

    pub(crate) fn kind_of(&self, class: ClassId) -> Option<ClassKind> {
        whole(self.kinds.read()).get(&class).cloned()
    }

    pub(crate) fn key_of(&self, method: MethodId) -> Option<MethodKey> {
        whole(self.keys.read()).get(&method).cloned()
    }

    /// The methods that delegates call.
    pub(crate) fn delegate_methods(&self) -> FxHashSet<MethodId> {
        let kinds = whole(self.kinds.read());
        kinds
            .values()
            .filter_map(|kind| if let ClassKind::Delegate(_, method, _) = kind { Some(*method) } else { None })
            .collect()
    }

    /// The method that calls an entry point with its inputs, which is made once: that takes a look at the whole program.
    pub(crate) fn start_of(&self, entry: MethodId, make: impl FnOnce() -> Option<MethodId>) -> Option<MethodId> {
        if let Some(&known) = whole(self.starts.read()).get(&entry) {
            return known;
        }
        let made = make();
        *whole(self.starts.write()).entry(entry).or_insert(made)
    }

    pub(crate) fn input_forms(&self, start: MethodId) -> Option<Vec<(String, Form)>> {
        whole(self.input_forms.read()).get(&start).cloned()
    }

    pub(crate) fn remember_input_forms(&self, start: MethodId, forms: Vec<(String, Form)>) {
        whole(self.input_forms.write()).insert(start, forms);
    }

    pub(crate) fn selected(&self, class: ClassId, method: MethodId) -> Option<Option<MethodId>> {
        whole(self.selected.read()).get(&(class, method)).copied()
    }

    pub(crate) fn remember_selected(&self, class: ClassId, method: MethodId, found: Option<MethodId>) {
        whole(self.selected.write()).insert((class, method), found);
    }
}

impl Loader for CsLoader {
    fn has_class(&self, _: &str) -> bool {
        false
    }

    fn class(&self, program: &Program, id: ClassId) -> Class {
        let cs = Cs { program, loader: self };
        let loaded = match self.kind_of(id) {
            Some(ClassKind::Type(ty)) => cs.load(id, ty),
            Some(kind) => synthetic::class(cs, &kind).map(|made| cs.make(id, made)),
            None => match synthetic::arrays::named(cs, program.class_name(id)) {
                Some(array) if cs.class_of(array) == id => cs.load(id, array),
                _ => Err("no such class".into()),
            },
        };
        loaded.unwrap_or_else(|reason| {
            whole(self.missing.write()).insert(id, reason);
            Class::missing(program.class_name(id).to_string())
        })
    }

    fn body(&self, program: &Program, method: MethodId) -> Option<Body> {
        let cs = Cs { program, loader: self };
        let code = whole(self.code.read()).get(&method).cloned();
        let params = &program.method(method).params;
        Some(match code {
            Some(Code::Cil(key)) => translate::translate(cs, method, &key),
            Some(Code::Built(build)) => build(cs),
            Some(Code::Unsupported(what)) => unsupported(params, what),
            None => unsupported(params, format!("the method {}, which has no code", program.method_name(method))),
        })
    }
}

/// A program with its loader, the context of translation.
#[derive(Clone, Copy)]
pub(crate) struct Cs<'a> {
    pub(crate) program: &'a Program,
    pub(crate) loader: &'a CsLoader,
}

/// Types.
impl<'a> Cs<'a> {
    pub(crate) fn ty(self, id: TyId) -> &'a Ty {
        self.loader.types.get(id)
    }

    pub(crate) fn kind(self, id: TyId) -> Kind {
        self.loader.types.kind(&self.loader.assemblies, id)
    }

    pub(crate) fn is_value(self, id: TyId) -> bool {
        self.loader.types.is_value(&self.loader.assemblies, id)
    }

    pub(crate) fn base(self, id: TyId) -> Option<TyId> {
        self.loader.types.base(&self.loader.assemblies, id)
    }

    pub(crate) fn interfaces(self, id: TyId) -> Arc<[TyId]> {
        self.loader.types.interfaces(&self.loader.assemblies, id)
    }

    pub(crate) fn name(self, id: TyId) -> String {
        self.loader.types.name(&self.loader.assemblies, id)
    }

    pub(crate) fn declared(self, id: TyId) -> Option<(TypeDefId, Arc<[TyId]>)> {
        self.loader.types.declared(&self.loader.assemblies, id)
    }

    pub(crate) fn named(self, declared: TypeDefId, arguments: Arc<[TyId]>) -> TyId {
        self.loader.types.named(&self.loader.assemblies, declared, arguments)
    }

    pub(crate) fn resolve(self, from: AssemblyId, sig: &TypeSig, generics: &Generics) -> Result<TyId> {
        self.loader.types.resolve(&self.loader.assemblies, from, sig, generics)
    }

    pub(crate) fn token(self, from: AssemblyId, token: aback_cil::Token, generics: &Generics) -> Result<TyId> {
        self.loader.types.token(&self.loader.assemblies, from, token, generics)
    }

    pub(crate) fn assembly(self, id: AssemblyId) -> &'a Assembly {
        self.loader.assemblies.assembly(id)
    }

    pub(crate) fn simple(self, ty: Ty) -> TyId {
        self.loader.types.simple(ty)
    }

    pub(crate) fn intern(self, ty: Ty) -> Result<TyId> {
        self.loader.types.intern(ty)
    }

    /// A class of the class library without type parameters.
    pub(crate) fn library(self, namespace: &str, name: &str) -> Result<TyId> {
        let found = self.loader.types.library(&self.loader.assemblies, namespace, name);
        found.ok_or_else(|| format!("the type {namespace}.{name}, which the class library does not have"))
    }

    /// A class of the class library with these type arguments; its name has the number of its type parameters.
    pub(crate) fn generic_library(self, namespace: &str, name: &str, arguments: &[TyId]) -> Result<TyId> {
        let assemblies = &self.loader.assemblies;
        let core = self.loader.types.core(assemblies);
        let declared = core.and_then(|core| assemblies.find(core, namespace, name));
        let declared =
            declared.ok_or_else(|| format!("the type {namespace}.{name}, which the class library does not have"))?;
        self.intern(Ty::Named(declared, arguments.into()))
    }

    /// Whether a type is the class of the class library with this full name, without type parameters.
    pub(crate) fn is_library_type(self, ty: TyId, namespace: &str, name: &str) -> bool {
        self.declared(ty).is_some_and(|(declared, _)| {
            let read = self.assembly(declared.assembly);
            !self.loader.assemblies.module(declared.assembly).is_own
                && read.type_def(declared.row).is_ok_and(|ty| ty.namespace == namespace && ty.name == name)
        })
    }
}

/// Classes.
impl<'a> Cs<'a> {
    /// The class for what a class stands for.
    pub(crate) fn class_for(self, kind: ClassKind) -> ClassId {
        if let Some(&known) = whole(self.loader.classes.read()).get(&kind) {
            return known;
        }
        let mut name = synthetic::class_name(self, &kind);
        // Types of several assemblies may have the same name.
        loop {
            let id = self.program.declare_class(&name);
            let mut kinds = whole(self.loader.kinds.write());
            match kinds.get(&id) {
                None => {
                    kinds.insert(id, kind.clone());
                    drop(kinds);
                    whole(self.loader.classes.write()).insert(kind, id);
                    return id;
                }
                Some(known) if *known == kind => return id,
                Some(_) => name.push('\''),
            }
        }
    }

    /// The class of the objects of a type; for a struct or an enum, of its boxes.
    pub(crate) fn class_of(self, ty: TyId) -> ClassId {
        // The runtime casts arrays of enums to arrays of their underlying type; here, both have one class.
        if let Ty::Array(element) | Ty::Grid(element, _) = *self.ty(ty)
            && let Kind::Enum(underlying) = self.kind(element)
        {
            let rank = if let Ty::Grid(_, rank) = *self.ty(ty) { Some(rank) } else { None };
            if let Ok(array) = self.intern(rank.map_or(Ty::Array(underlying), |rank| Ty::Grid(underlying, rank))) {
                return self.class_for(ClassKind::Type(array));
            }
        }
        self.class_for(ClassKind::Type(ty))
    }

    /// The class of managed pointers to places of a shape.
    pub(crate) fn reference_class(self, shape: &Shape) -> ClassId {
        self.class_for(ClassKind::Reference(shape.clone()))
    }

    /// The root class.
    pub(crate) fn object_class(self) -> ClassId {
        match self.library("System", "Object") {
            Ok(object) => self.class_of(object),
            Err(_) => self.class_for(ClassKind::Runtime),
        }
    }

    /// The class of strings.
    pub(crate) fn string_class(self) -> ClassId {
        match self.library("System", "String") {
            Ok(string) => self.class_of(string),
            Err(_) => self.class_for(ClassKind::Runtime),
        }
    }

    /// A class of the class library.
    pub(crate) fn library_class(self, namespace: &str, name: &str) -> Result<ClassId> {
        self.library(namespace, name).map(|ty| self.class_of(ty))
    }

    /// Reads the declaration of a type.
    fn load(self, id: ClassId, ty: TyId) -> Result<Class> {
        if matches!(self.ty(ty), Ty::Array(_) | Ty::Grid(..)) {
            return synthetic::arrays::class(self, ty).map(|made| self.make(id, made));
        }
        let (declared, _) = self.declared(ty).ok_or("no such class")?;
        let module = self.loader.assemblies.module(declared.assembly);
        let read = &module.assembly;
        let def = read.type_def(declared.row).map_err(|error| error.to_string())?;
        let is_value = self.is_value(ty);
        let mut class = Class {
            name: self.program.class_name(id).to_string(),
            superclass: self.base(ty).map(|base| self.class_of(base)),
            interfaces: self.interfaces(ty).iter().map(|&interface| self.class_of(interface)).collect(),
            fields: Vec::new(),
            methods: Vec::new(),
            // The objects of a delegate type are of synthetic classes.
            is_abstract: def.is_abstract() || self.kind(ty) == Kind::Delegate,
            is_final: (def.is_sealed() || is_value) && self.kind(ty) != Kind::Delegate,
            is_interface: def.is_interface(),
            is_library: !module.is_own,
            span: Span { file: self.file_at(module.path.clone(), || None), line: 0, column: 0, length: 0 },
        };
        if is_value {
            // Unboxing makes a managed pointer to the contents of the box.
            class.interfaces.push(self.reference_class(&self.shape(ty)?));
        }
        if let Kind::Enum(underlying) = self.kind(ty) {
            class.interfaces.push(self.class_for(ClassKind::EnumOf(underlying)));
        }
        if self.declared(ty).is_some() && !matches!(self.ty(ty), Ty::Named(..)) {
            let field = Field {
                name: synthetic::BOXED.into(),
                class: id,
                ty: self.ir_type(ty)?,
                is_static: false,
                span: Span::NONE,
            };
            class.fields.push(self.program.new_field(field));
        }
        let generics = self.generics_of(ty, Arc::new([]));
        for row in def.fields.clone() {
            let Ok(field) = read.field(row) else { continue };
            // The contents of a string are an array of characters.
            let is_replaced = !matches!(self.ty(ty), Ty::Named(..)) || id == self.string_class();
            if field.is_literal() || is_replaced && !field.is_static() {
                continue;
            }
            let field_ty = self.resolve(declared.assembly, &field.signature, &generics)?;
            let leaves = match self.leaves(field_ty) {
                Ok(leaves) => leaves,
                // Code that accesses the field is refused.
                Err(_) => continue,
            };
            let name = shown_field(field.name);
            // Where the compiler keeps lambdas that capture nothing, their only target, and delegates of static methods:
            // whether one has been made before cannot be seen.
            let is_cache = field.name.starts_with("<>9") || def.name.starts_with("<>O");
            let holder = if field.is_static() && is_cache { self.class_for(ClassKind::Runtime) } else { id };
            let ids: Vec<FieldId> = leaves
                .iter()
                .map(|leaf| {
                    let name = if leaf.path.is_empty() { name.clone() } else { format!("{name}.{}", leaf.path) };
                    let is_static = field.is_static();
                    self.program.new_field(Field { name, class: holder, ty: leaf.ty, is_static, span: Span::NONE })
                })
                .collect();
            if holder == id {
                class.fields.extend(&ids);
            }
            let slot = FieldSlot { ty: field_ty, is_static: field.is_static(), ids };
            whole(self.loader.fields.write()).insert((ty, row), Arc::new(slot));
        }
        let hidden = synthetic::add_hidden(self, ty, id, &mut class);
        self.add_methods(&mut class, Type::Class(id), hidden);
        if is_value {
            let made = synthetic::references::of_box(self, ty)?;
            self.add_methods(&mut class, Type::Class(id), made);
        }
        if module.is_own && self.generics_of(ty, Arc::new([])).of_type.is_empty() {
            for row in def.methods.clone() {
                let is_generic = read.method(row).is_ok_and(|method| method.signature.generic_arity > 0);
                if !is_generic {
                    let key = MethodKey { owner: ty, row, arguments: Arc::new([]) };
                    class.methods.push(self.method(&key));
                }
            }
        }
        if module.is_own {
            let spans = def.methods.clone().map(|row| self.method_span(declared.assembly, row));
            class.span = spans.filter(|span| span.is_known()).min_by_key(|span| span.line).unwrap_or(class.span);
        }
        Ok(class)
    }

    /// Makes a synthetic class.
    fn make(self, id: ClassId, made: MadeClass) -> Class {
        let mut class = Class::missing(self.program.class_name(id).to_string());
        class.superclass = made.superclass;
        class.interfaces = made.interfaces;
        class.is_abstract = made.is_interface;
        class.is_interface = made.is_interface;
        class.is_final = made.is_final;
        for (name, ty) in made.fields {
            let field = Field { name, class: id, ty, is_static: false, span: Span::NONE };
            class.fields.push(self.program.new_field(field));
        }
        self.add_methods(&mut class, made.receiver.unwrap_or(Type::Class(id)), made.methods);
        class
    }

    fn add_methods(self, class: &mut Class, receiver: Type, methods: Vec<MadeMethod>) {
        let id = self.program.declare_class(&class.name);
        for MadeMethod { name, params, result, build } in methods {
            let method = Method {
                name,
                class: id,
                kind: MethodKind::Instance,
                params: [receiver].into_iter().chain(params).collect(),
                result,
                access: Access::Public,
                is_abstract: build.is_none(),
                span: Span::NONE,
            };
            let method = self.program.new_method(method);
            if let Some(build) = build {
                whole(self.loader.code.write()).insert(method, Code::Built(build));
            }
            class.methods.push(method);
        }
    }

    /// The method of a synthetic class with this name.
    pub(crate) fn made_method(self, class: ClassId, name: &str) -> Result<MethodId> {
        let found = self.program.methods_named(class, name).first().copied();
        found.ok_or_else(|| format!("{}.{name}", self.program.class_name(class)))
    }

    /// The instance fields that a struct or class itself declares, in order.
    pub(crate) fn instance_fields(self, ty: TyId) -> Result<Arc<[FieldDecl]>> {
        if let Some(known) = whole(self.loader.instance_fields.read()).get(&ty) {
            return known.clone();
        }
        let found = self.read_instance_fields(ty);
        whole(self.loader.instance_fields.write()).entry(ty).or_insert(found).clone()
    }

    fn read_instance_fields(self, ty: TyId) -> Result<Arc<[FieldDecl]>> {
        let (declared, _) = self.declared(ty).ok_or("a type without a declaration")?;
        let read = self.assembly(declared.assembly);
        let def = read.type_def(declared.row).map_err(|error| error.to_string())?;
        let generics = self.generics_of(ty, Arc::new([]));
        let mut found = Vec::new();
        let mut offsets = Vec::new();
        for row in def.fields.clone() {
            let field = read.field(row).map_err(|error| error.to_string())?;
            if field.is_static() {
                continue;
            }
            offsets.extend(read.field_offset(row));
            let field_ty = self.resolve(declared.assembly, &field.signature, &generics)?;
            found.push(FieldDecl { row, name: shown_field(field.name), ty: field_ty });
        }
        let count = offsets.len();
        offsets.sort_unstable();
        offsets.dedup();
        if count > 1 && def.is_explicit_layout() && self.is_value(ty) {
            return Err(format!("the struct {}, whose fields may overlap", self.name(ty)));
        }
        Ok(found.into())
    }

    /// The names of the classes of a type's attributes.
    pub(crate) fn attributes(self, declared: TypeDefId) -> Vec<String> {
        let read = self.assembly(declared.assembly);
        let token = aback_cil::Token::new(aback_cil::Table::TypeDef, declared.row);
        let attributes = read.custom_attributes(token);
        attributes.iter().filter_map(|attribute| read.full_name(read.attribute_class(attribute)?)).collect()
    }

    /// A field: the fields of the program model for its leaves.
    pub(crate) fn field(self, owner: TyId, row: u32) -> Result<Arc<FieldSlot>> {
        let class = self.class_of(owner);
        self.program.class(class);
        if let Some(known) = whole(self.loader.fields.read()).get(&(owner, row)) {
            return Ok(known.clone());
        }
        if let Some(reason) = whole(self.loader.missing.read()).get(&class) {
            return Err(reason.clone());
        }
        let (declared, _) = self.declared(owner).ok_or("a field of no class")?;
        let name = self.assembly(declared.assembly).field(row).map(|field| field.name.to_string()).unwrap_or_default();
        Err(format!("the field {}.{name}, whose type is not supported", self.name(owner)))
    }

    /// The fields for the leaves of the contents of a box.
    pub(crate) fn boxed_fields(self, ty: TyId) -> Result<Vec<FieldId>> {
        let class = self.class_of(ty);
        let declared = self.program.class(class);
        if let Some(reason) = whole(self.loader.missing.read()).get(&class) {
            return Err(reason.clone());
        }
        let fields = declared.fields.iter().copied().filter(|&field| !self.program.field(field).is_static);
        Ok(fields.collect())
    }
}

/// The name of a field as users know it: that of an automatic property is the name of the property.
fn shown_field(name: &str) -> String {
    match name.strip_prefix('<').and_then(|rest| rest.strip_suffix(">k__BackingField")) {
        Some(property) => property.to_string(),
        None => name.to_string(),
    }
}

/// Methods.
impl<'a> Cs<'a> {
    /// Loads the user's classes, and the instances of the user's generic classes and methods that their code uses.
    pub(crate) fn load_own(self) {
        for assembly in self.loader.assemblies.own() {
            for row in 1..=self.assembly(assembly).rows(aback_cil::Table::TypeDef) {
                let token = aback_cil::Token::new(aback_cil::Table::TypeDef, row);
                if self.assembly(assembly).generic_params(token).is_empty() {
                    let ty = self.named(TypeDefId { assembly, row }, Arc::new([]));
                    self.program.class(self.class_of(ty));
                }
            }
        }
        self.read_code();
    }

    /// Whether the user's code tests objects for arrays of characters.
    pub(crate) fn tests_for_characters(self) -> bool {
        *self.loader.tests_for_characters.get_or_init(|| {
            let Ok(characters) = self.intern(Ty::Array(self.simple(Ty::Char))) else { return true };
            self.loader.assemblies.own().into_iter().any(|assembly| {
                let read = self.assembly(assembly);
                (1..=read.rows(aback_cil::Table::MethodDef)).any(|row| {
                    let Ok(Some(body)) = read.body(row) else { return false };
                    body.instructions.iter().any(|instruction| {
                        let is_test = matches!(
                            instruction.opcode,
                            aback_cil::Opcode::Isinst | aback_cil::Opcode::Castclass | aback_cil::Opcode::UnboxAny
                        );
                        let aback_cil::Operand::Token(token) = instruction.operand else { return false };
                        // With type parameters, it may be a test for any type.
                        let is_for = || self.token(assembly, token, &self.loader.open_generics);
                        is_test && is_for().is_ok_and(|ty| ty == characters)
                    })
                })
            })
        })
    }

    /// Reads the code of the user's methods. Code makes more methods, whose code has to be read, too.
    pub(crate) fn read_code(self) {
        let mut done = 0;
        while done < self.program.method_count().min(MOST_INSTANCES) {
            let method = MethodId(done as u32);
            done += 1;
            if !self.program.class(self.program.method(method).class).is_library {
                self.program.body(method);
            }
        }
    }

    /// The method of the program for a method with all type parameters replaced.
    pub(crate) fn method(self, key: &MethodKey) -> MethodId {
        if let Some(&known) = whole(self.loader.methods.read()).get(key) {
            return known;
        }
        let (declared, code) = self.declare(key);
        let mut methods = whole(self.loader.methods.write());
        if let Some(&known) = methods.get(key) {
            return known;
        }
        let id = self.program.new_method(declared);
        methods.insert(key.clone(), id);
        drop(methods);
        whole(self.loader.code.write()).insert(id, code);
        whole(self.loader.keys.write()).insert(id, key.clone());
        id
    }

    fn declare(self, key: &MethodKey) -> (Method, Code) {
        let class = self.class_of(key.owner);
        let mut method = Method {
            name: "?".into(),
            class,
            kind: MethodKind::Static,
            params: Vec::new(),
            result: None,
            access: Access::Public,
            is_abstract: false,
            span: Span::NONE,
        };
        let code = self.declare_in(key, &mut method).err().map(Code::Unsupported);
        (method, code.unwrap_or_else(|| Code::Cil(key.clone())))
    }

    fn declare_in(self, key: &MethodKey, method: &mut Method) -> Result<()> {
        let declared = self.declaration_of(key)?;
        let read = self.assembly(declared.assembly);
        let def = read.method(key.row).map_err(|error| error.to_string())?;
        method.name = match def.name {
            ".ctor" => "<init>".into(),
            ".cctor" => "<clinit>".into(),
            // The method of top-level statements.
            "<Main>$" => "Main".into(),
            name => name.to_string(),
        };
        if !key.arguments.is_empty() {
            let arguments: Vec<String> = key.arguments.iter().map(|&ty| self.name(ty)).collect();
            method.name = format!("{}<{}>", method.name, arguments.join(", "));
        }
        method.access = match def.access() {
            aback_cil::Access::Public => Access::Public,
            // A private method may implement an interface.
            aback_cil::Access::Private if def.is_virtual() => Access::Protected,
            aback_cil::Access::Private => Access::Private,
            _ => Access::Protected,
        };
        method.is_abstract = def.is_abstract();
        let signature = self.signature(key)?;
        method.kind = match (signature.has_this, self.is_value(key.owner), def.name) {
            (false, ..) | (_, true, _) => MethodKind::Static,
            (.., ".ctor") => MethodKind::Constructor,
            _ => MethodKind::Instance,
        };
        method.params = self.ir_params(key, &signature)?;
        method.result = self.leaves(signature.result)?.first().map(|leaf| leaf.ty);
        method.span = self.method_span(declared.assembly, key.row);
        Ok(())
    }

    /// The types of a method's parameters in the program model, with those for the receiver first.
    fn ir_params(self, key: &MethodKey, signature: &crate::members::Signature) -> Result<Vec<Type>> {
        let mut params: Vec<Type> = Vec::new();
        if signature.has_this {
            match self.is_value(key.owner) {
                false => params.push(Type::Class(self.class_of(crate::receivers::receiver_type(self, key)))),
                true if crate::receivers::is_by_value(self, key) => {
                    params.extend(self.leaves(key.owner)?.iter().map(|leaf| leaf.ty));
                }
                true => params.push(Type::Class(self.reference_class(&self.shape(key.owner)?))),
            }
        }
        for &param in &signature.params {
            params.extend(self.leaves(param)?.iter().map(|leaf| leaf.ty));
        }
        Ok(params)
    }

    /// The place of the first statement of a method.
    fn method_span(self, assembly: AssemblyId, row: u32) -> Span {
        let Some(pdb) = self.loader.assemblies.module(assembly).pdb() else { return Span::NONE };
        let points = pdb.sequence_points(row);
        let first = points.iter().find_map(|point| Some((point.document, point.position.as_ref()?)));
        let Some((document, position)) = first else { return Span::NONE };
        let file = self.file(assembly, document);
        Span { file, line: position.start_line, column: position.start_column, length: 0 }
    }

    /// The source file of a document of an assembly.
    pub(crate) fn file(self, assembly: AssemblyId, document: u32) -> FileId {
        let module = self.loader.assemblies.module(assembly);
        let pdb = module.pdb();
        let name = pdb.and_then(|pdb| pdb.document(document).ok()).map(|document| document.name);
        let name = name.unwrap_or_else(|| "?".into());
        let path = synthetic::source_path(&module.path, &name);
        let read = || {
            let text = std::fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            text.or_else(|| pdb.and_then(|pdb| pdb.embedded_source(document)))
        };
        self.file_at(path.clone(), read)
    }

    fn file_at(self, path: PathBuf, text: impl FnOnce() -> Option<String>) -> FileId {
        if let Some(&known) = whole(self.loader.files.read()).get(&path) {
            return known;
        }
        let text = text();
        let mut files = whole(self.loader.files.write());
        *files.entry(path.clone()).or_insert_with(|| self.program.add_file(SourceFile { path, text }))
    }

    /// A synthetic static method that the whole program shares, by a name for its function.
    pub(crate) fn helper(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Cs) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        if let Some(&known) = whole(self.loader.helpers.read()).get(name) {
            return known;
        }
        let method = self.new_static(name, params, result, build);
        *whole(self.loader.helpers.write()).entry(name.to_string()).or_insert(method)
    }

    /// Adds a synthetic static method.
    pub(crate) fn new_static(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Cs) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        let id = self.program.new_method(Method {
            name: name.to_string(),
            class: self.class_for(ClassKind::Runtime),
            kind: MethodKind::Static,
            params: params.to_vec(),
            result,
            access: Access::Public,
            is_abstract: false,
            span: Span::NONE,
        });
        whole(self.loader.code.write()).insert(id, Code::Built(Arc::new(build)));
        id
    }

    /// The static field in which a method leaves a leaf of its result. The first one is its result in the program model.
    /// The caller reads the others at once.
    pub(crate) fn result_register(self, leaf: usize, ty: Type) -> FieldId {
        self.made(Made::Register(leaf, ty), |cs| {
            let name = format!("result {leaf} of type {}", cs.program.type_name(ty));
            (cs.new_static_field(&name, ty), MethodId(u32::MAX))
        })
        .0
    }

    /// Adds a synthetic static field.
    pub(crate) fn new_static_field(self, name: &str, ty: Type) -> FieldId {
        let class = self.class_for(ClassKind::Runtime);
        self.program.new_field(Field { name: name.to_string(), class, ty, is_static: true, span: Span::NONE })
    }

    /// The static field that holds an object that is created once, and the method that creates it.
    pub(crate) fn made(self, what: Made, make: impl FnOnce(Self) -> (FieldId, MethodId)) -> (FieldId, MethodId) {
        if let Some(&known) = whole(self.loader.made.read()).get(&what) {
            return known;
        }
        let made = make(self);
        *whole(self.loader.made.write()).entry(what).or_insert(made)
    }

    /// The class-initialization guard of a type, and the method that initializes it; `None` if there is nothing to do.
    pub(crate) fn initialization(self, ty: TyId) -> Option<(FieldId, MethodId)> {
        if let Some(&known) = whole(self.loader.initializations.read()).get(&ty) {
            return known;
        }
        let found = synthetic::initializer::make(self, ty);
        *whole(self.loader.initializations.write()).entry(ty).or_insert(found)
    }
}
