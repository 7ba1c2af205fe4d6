//! Loads classes and code from assemblies when the program first requests them.

mod classes;
mod methods;
mod types;

pub(crate) use types::MOST_BASES;

use crate::assemblies::{Assemblies, AssemblyId, TypeDefId, whole};
use crate::collections::Shown;
use crate::dispatch::Variants;
use crate::layout::{Leaf, Shape};
use crate::members::MethodKey;
use crate::synthetic::{self, Made};
use crate::translate;
use crate::types::{Generics, Result, Ty, TyId, Types};
use aback_cil::Access;
use aback_ir::builder::unsupported;
use aback_ir::{Body, Class, ClassId, FieldId, FieldUse, FileId, Form, Loader, MethodId, Program, Starts, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

/// Loads the classes of assemblies for one program.
///
/// Each table has a lock of its own, which is held for one look-up or one change, while no other lock is taken and
/// nothing is loaded. Only `files` is held while a file is added to the program, which takes a lock of the program
/// and none of the loader. So there are no deadlocks.
pub struct CsLoader {
    pub(crate) assemblies: Assemblies,
    /// Whether no input is null where the code declares that none is.
    trusts_nullness: bool,
    /// The fields of which this has been found out: whether they are declared not to be null.
    nullness: RwLock<FxHashMap<FieldId, bool>>,
    pub(crate) types: Types,
    /// Type parameters that stand for themselves.
    pub(crate) open_generics: Generics,
    /// Whether the user's code may find out whether two strings are one object.
    compares_identities: AtomicBool,
    /// What the user's code can find out about collections.
    shown: OnceLock<Shown>,
    /// Whether it uses code of the library that finds this out.
    libraries_compare_identities: AtomicBool,
    leaves: RwLock<FxHashMap<TyId, Result<Arc<[Leaf]>>>>,
    kinds: RwLock<FxHashMap<ClassId, ClassKind>>,
    classes: RwLock<FxHashMap<ClassKind, ClassId>>,
    /// The types with type arguments that have a class, by their declaration.
    instances: RwLock<FxHashMap<TypeDefId, Vec<TyId>>>,
    variants: RwLock<FxHashMap<ClassId, Variants>>,
    fields: RwLock<FxHashMap<(TyId, u32), Arc<FieldSlot>>>,
    instance_fields: RwLock<FxHashMap<TyId, Result<Arc<[FieldDecl]>>>>,
    methods: RwLock<FxHashMap<MethodKey, MethodId>>,
    keys: RwLock<FxHashMap<MethodId, MethodKey>>,
    code: RwLock<FxHashMap<MethodId, Code>>,
    /// The number of instances of the user's generic methods.
    own_instances: AtomicUsize,
    selected: RwLock<FxHashMap<(ClassId, MethodId), Option<MethodId>>>,
    pub(crate) starts: Starts,
    /// The fields of the program's own classes that are private.
    field_accesses: RwLock<FxHashMap<FieldId, Access>>,
    /// What code outside of the program can do with those that are public.
    uses_outside: RwLock<FxHashMap<FieldId, FieldUse>>,
    /// The names and forms of the inputs that such a method takes.
    input_forms: RwLock<FxHashMap<MethodId, Vec<(String, Form)>>>,
    made: RwLock<FxHashMap<Made, (FieldId, MethodId)>>,
    initializations: RwLock<FxHashMap<TyId, Option<(FieldId, MethodId)>>>,
    /// Synthetic methods, by a name for their function.
    helpers: RwLock<FxHashMap<String, MethodId>>,
    files: RwLock<FxHashMap<PathBuf, FileId>>,
    missing: RwLock<FxHashMap<ClassId, String>>,
    /// The assemblies with the user's models.
    supplied: OnceLock<Vec<AssemblyId>>,
    /// The methods with such models whose code has been asked for.
    used_models: RwLock<BTreeSet<MethodId>>,
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
    /// The code that a method has without the user's models.
    Own(MethodKey),
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

/// Most instances of the user's generic methods that are translated. They may need instances without end.
const MOST_INSTANCES: usize = 1 << 14;

impl CsLoader {
    /// Makes a loader for assemblies.
    pub(crate) fn new(assemblies: Assemblies) -> Self {
        let types = Types::new();
        let parameters = |make: fn(u32) -> Ty| (0..64).map(|index| types.simple(make(index))).collect();
        let open_generics = Generics { of_type: parameters(Ty::TypeParam), of_method: parameters(Ty::MethodParam) };
        CsLoader {
            assemblies,
            trusts_nullness: false,
            nullness: RwLock::default(),
            types,
            open_generics,
            compares_identities: AtomicBool::new(false),
            shown: OnceLock::new(),
            libraries_compare_identities: AtomicBool::new(false),
            leaves: RwLock::default(),
            kinds: RwLock::default(),
            classes: RwLock::default(),
            instances: RwLock::default(),
            variants: RwLock::default(),
            fields: RwLock::default(),
            instance_fields: RwLock::default(),
            methods: RwLock::default(),
            keys: RwLock::default(),
            code: RwLock::default(),
            own_instances: AtomicUsize::new(0),
            selected: RwLock::default(),
            starts: Starts::default(),
            field_accesses: RwLock::default(),
            uses_outside: RwLock::default(),
            input_forms: RwLock::default(),
            made: RwLock::default(),
            initializations: RwLock::default(),
            helpers: RwLock::default(),
            files: RwLock::default(),
            missing: RwLock::default(),
            supplied: OnceLock::new(),
            used_models: RwLock::default(),
        }
    }

    /// Sets whether no input is null where the code declares that none is.
    pub(crate) fn with_trusted_nullness(self, trusts_nullness: bool) -> Self {
        CsLoader { trusts_nullness, ..self }
    }

    pub(crate) fn trusts_nullness(&self) -> bool {
        self.trusts_nullness
    }

    /// Whether an instance field is declared not to be null, as `read` finds out once.
    pub(crate) fn nullness(&self, field: FieldId, read: impl FnOnce() -> bool) -> bool {
        if let Some(&known) = whole(self.nullness.read()).get(&field) {
            return known;
        }
        let found = read();
        *whole(self.nullness.write()).entry(field).or_insert(found)
    }

    pub(crate) fn known_leaves(&self, ty: TyId) -> Option<Result<Arc<[Leaf]>>> {
        whole(self.leaves.read()).get(&ty).cloned()
    }

    pub(crate) fn remember_leaves(&self, ty: TyId, leaves: Result<Arc<[Leaf]>>) -> Result<Arc<[Leaf]>> {
        whole(self.leaves.write()).entry(ty).or_insert(leaves).clone()
    }

    /// Notes that the user's code may find out whether two strings are one object.
    pub(crate) fn note_identities(&self) {
        self.compares_identities.store(true, Ordering::Relaxed);
    }

    /// Notes that the user's code uses code of the library that finds out whether two objects are one.
    pub(crate) fn note_identities_in_libraries(&self) {
        self.note_identities();
        self.libraries_compare_identities.store(true, Ordering::Relaxed);
    }

    pub(crate) fn libraries_compare_identities(&self) -> bool {
        self.libraries_compare_identities.load(Ordering::Relaxed)
    }

    pub(crate) fn compares_identities(&self) -> bool {
        self.compares_identities.load(Ordering::Relaxed)
    }

    /// What the user's code can find out about collections.
    pub(crate) fn shown(&self) -> Shown {
        *self.shown.get_or_init(|| Shown::by(&self.assemblies))
    }

    pub(crate) fn kind_of(&self, class: ClassId) -> Option<ClassKind> {
        whole(self.kinds.read()).get(&class).cloned()
    }

    /// The types that a generic type has become, as far as they have a class.
    pub(crate) fn instances_of(&self, declared: TypeDefId) -> Vec<TyId> {
        self.instances_from(declared, 0).unwrap_or_default()
    }

    /// The same, without the first `count`; `None` if there are no more.
    pub(crate) fn instances_from(&self, declared: TypeDefId, count: usize) -> Option<Vec<TyId>> {
        let instances = whole(self.instances.read());
        instances.get(&declared)?.get(count..).filter(|more| !more.is_empty()).map(<[TyId]>::to_vec)
    }

    pub(crate) fn variants(&self, class: ClassId) -> Option<Variants> {
        whole(self.variants.read()).get(&class).cloned()
    }

    pub(crate) fn remember_variants(&self, class: ClassId, variants: Variants) {
        whole(self.variants.write()).insert(class, variants);
    }

    pub(crate) fn key_of(&self, method: MethodId) -> Option<MethodKey> {
        whole(self.keys.read()).get(&method).cloned()
    }

    /// Sets the assemblies with the user's models, once.
    pub(crate) fn set_supplied(&self, assemblies: Vec<AssemblyId>) {
        let _ = self.supplied.set(assemblies);
    }

    /// The assemblies with the user's models.
    pub(crate) fn supplied(&self) -> &[AssemblyId] {
        self.supplied.get().map_or(&[], |assemblies| assemblies)
    }

    /// Notes that the code of a method with a model of the user has been asked for.
    pub(crate) fn note_used_model(&self, method: MethodId) {
        whole(self.used_models.write()).insert(method);
    }

    /// The methods with models of the user whose code has been asked for.
    pub(crate) fn used_models(&self) -> Vec<MethodId> {
        whole(self.used_models.read()).iter().copied().collect()
    }

    /// The methods that are declared in assemblies with the user's models, as far as they are known.
    pub(crate) fn methods_of_models(&self) -> Vec<MethodId> {
        if self.supplied().is_empty() {
            return Vec::new();
        }
        let is_one = |key: &MethodKey| match self.types.get(key.owner) {
            Ty::Named(declared, _) => self.supplied().contains(&declared.assembly),
            _ => false,
        };
        let keys = whole(self.keys.read());
        let mut found: Vec<MethodId> = keys.iter().filter(|(_, key)| is_one(key)).map(|(&method, _)| method).collect();
        found.sort_unstable();
        found
    }

    /// The methods that delegates call.
    pub(crate) fn delegate_methods(&self) -> FxHashSet<MethodId> {
        let kinds = whole(self.kinds.read());
        kinds
            .values()
            .filter_map(|kind| if let ClassKind::Delegate(_, method, _) = kind { Some(*method) } else { None })
            .collect()
    }

    /// Whether only its own class, and classes nested in it or around it, can refer to a field.
    pub(crate) fn is_private_field(&self, field: FieldId) -> bool {
        self.field_access(field) == Some(Access::Private)
    }

    /// Who may use a field of the program.
    pub(crate) fn field_access(&self, field: FieldId) -> Option<Access> {
        whole(self.field_accesses.read()).get(&field).copied()
    }

    /// What code outside of the program can do with a field.
    pub(crate) fn use_outside(&self, field: FieldId) -> FieldUse {
        whole(self.uses_outside.read()).get(&field).copied().unwrap_or(FieldUse::None)
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
            Some(Code::Own(key)) => translate::translate_own(cs, method, &key),
            Some(Code::Built(build)) => build(cs),
            Some(Code::Unsupported(what)) => match self.key_of(method) {
                Some(key) => translate::refuse(cs, method, &key, what),
                None => unsupported(params, what),
            },
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
