//! Defines the types of the common type system, with all type parameters replaced by types.

use crate::assemblies::whole;
use crate::assemblies::{Assemblies, AssemblyId, TypeDefId};
use aback_cil::{Table, Token, TypeSig};
use aback_ir::MadeFor;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock, RwLock};

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TyId(u32);

/// A type. Primitive types are variants of their own; other types of a declaration are [`Ty::Named`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Ty {
    Void,
    Bool,
    Char,
    Int {
        width: u8,
        signed: bool,
    },
    /// An integer with the width of a pointer, which is 64 bits.
    Native {
        signed: bool,
    },
    F32,
    F64,
    /// A class, interface, delegate, struct or enum.
    Named(TypeDefId, Arc<[TyId]>),
    /// An array with one dimension that starts at 0.
    Array(TyId),
    /// An array with several dimensions.
    Grid(TyId, u32),
    /// A managed pointer.
    Ref(TyId),
    /// An unmanaged pointer.
    Pointer(TyId),
    /// A pointer to a function, or a reference to a variable together with its type.
    Opaque,
    /// A type parameter, where two signatures are compared.
    TypeParam(u32),
    /// A type parameter of a method, where two signatures are compared.
    MethodParam(u32),
}

/// What a declared type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Class,
    Interface,
    Delegate,
    Struct,
    /// An enum, with the type of its values.
    Enum(TyId),
}

/// The types that replace type parameters in the code of a method.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Generics {
    /// Those of the class and the classes around it.
    pub(crate) of_type: Arc<[TyId]>,
    pub(crate) of_method: Arc<[TyId]>,
}

/// Greatest depth of type arguments within type arguments. Code that nests them without end has no meaning.
const MOST_NESTED: u32 = 24;

struct Slot {
    ty: Ty,
    depth: u32,
    kind: OnceLock<Kind>,
    base: OnceLock<Option<TyId>>,
    interfaces: OnceLock<Arc<[TyId]>>,
    made_for: OnceLock<Option<MadeFor>>,
}

/// The table of types.
pub(crate) struct Types {
    slots: boxcar::Vec<Slot>,
    ids: RwLock<FxHashMap<Ty, TyId>>,
    core: OnceLock<Option<AssemblyId>>,
}

pub(crate) type Result<T> = std::result::Result<T, String>;

impl Types {
    pub(crate) fn new() -> Self {
        Types { slots: boxcar::Vec::new(), ids: RwLock::default(), core: OnceLock::new() }
    }

    /// The id of a type whose type arguments are not nested too deeply.
    pub(crate) fn intern(&self, ty: Ty) -> Result<TyId> {
        let inner = match &ty {
            Ty::Named(_, arguments) => arguments.iter().map(|&ty| self.depth(ty)).max().unwrap_or(0),
            Ty::Array(inner) | Ty::Grid(inner, _) | Ty::Ref(inner) | Ty::Pointer(inner) => self.depth(*inner),
            _ => 0,
        };
        match inner < MOST_NESTED {
            true => Ok(self.enter(ty, inner + 1)),
            false => Err("types that are nested too deeply".into()),
        }
    }

    fn enter(&self, ty: Ty, depth: u32) -> TyId {
        if let Some(&known) = whole(self.ids.read()).get(&ty) {
            return known;
        }
        let mut ids = whole(self.ids.write());
        *ids.entry(ty.clone()).or_insert_with(|| {
            let slot = Slot {
                ty,
                depth,
                kind: OnceLock::new(),
                base: OnceLock::new(),
                interfaces: OnceLock::new(),
                made_for: OnceLock::new(),
            };
            TyId(self.slots.push(slot) as u32)
        })
    }

    /// What the compiler made a type for, which is found out once.
    pub(crate) fn made_for(&self, id: TyId, find: impl FnOnce() -> Option<MadeFor>) -> Option<MadeFor> {
        *self.slots[id.0 as usize].made_for.get_or_init(find)
    }

    fn depth(&self, id: TyId) -> u32 {
        self.slots[id.0 as usize].depth
    }

    /// The id of a type without parts.
    pub(crate) fn simple(&self, ty: Ty) -> TyId {
        self.enter(ty, 1)
    }

    pub(crate) fn int(&self, width: u8, signed: bool) -> TyId {
        self.simple(Ty::Int { width, signed })
    }

    pub(crate) fn get(&self, id: TyId) -> &Ty {
        &self.slots[id.0 as usize].ty
    }

    /// The assembly that declares the primitive types.
    pub(crate) fn core(&self, assemblies: &Assemblies) -> Option<AssemblyId> {
        *self.core.get_or_init(|| {
            let start = ["System.Private.CoreLib", "mscorlib", "netstandard", "System.Runtime"];
            start
                .iter()
                .find_map(|name| assemblies.find(assemblies.named(name)?, "System", "Object"))
                .map(|found| found.assembly)
        })
    }

    /// A type of the class library without type parameters.
    pub(crate) fn library(&self, assemblies: &Assemblies, namespace: &str, name: &str) -> Option<TyId> {
        let declared = assemblies.find(self.core(assemblies)?, namespace, name)?;
        Some(self.named(assemblies, declared, Arc::new([])))
    }

    /// A declared type. The structs of the class library that stand for primitive types are these types.
    pub(crate) fn named(&self, assemblies: &Assemblies, declared: TypeDefId, arguments: Arc<[TyId]>) -> TyId {
        if arguments.is_empty()
            && Some(declared.assembly) == self.core(assemblies)
            && let Some(ty) = primitive(assemblies, declared)
        {
            return self.simple(ty);
        }
        let depth = arguments.iter().map(|&ty| self.depth(ty)).max().unwrap_or(0) + 1;
        self.enter(Ty::Named(declared, arguments), depth)
    }

    /// The type that a signature describes.
    ///
    /// # Errors
    /// The reason why there is none, in readable form.
    pub(crate) fn resolve(
        &self,
        assemblies: &Assemblies,
        from: AssemblyId,
        sig: &TypeSig,
        generics: &Generics,
    ) -> Result<TyId> {
        let inner = |sig: &TypeSig| self.resolve(assemblies, from, sig, generics);
        let core = |name: &str| {
            self.library(assemblies, "System", name)
                .ok_or_else(|| format!("the type System.{name}, which the class library does not have"))
        };
        Ok(match sig {
            TypeSig::Void => self.simple(Ty::Void),
            TypeSig::Bool => self.simple(Ty::Bool),
            TypeSig::Char => self.simple(Ty::Char),
            TypeSig::I1 => self.int(8, true),
            TypeSig::U1 => self.int(8, false),
            TypeSig::I2 => self.int(16, true),
            TypeSig::U2 => self.int(16, false),
            TypeSig::I4 => self.int(32, true),
            TypeSig::U4 => self.int(32, false),
            TypeSig::I8 => self.int(64, true),
            TypeSig::U8 => self.int(64, false),
            TypeSig::R4 => self.simple(Ty::F32),
            TypeSig::R8 => self.simple(Ty::F64),
            TypeSig::NativeInt => self.simple(Ty::Native { signed: true }),
            TypeSig::NativeUint => self.simple(Ty::Native { signed: false }),
            TypeSig::String => core("String")?,
            TypeSig::Object => core("Object")?,
            TypeSig::TypedReference | TypeSig::FunctionPointer(_) => self.simple(Ty::Opaque),
            TypeSig::Class(token) | TypeSig::ValueType(token) => self.token(assemblies, from, *token, generics)?,
            TypeSig::SzArray(element) => self.intern(Ty::Array(inner(element)?))?,
            TypeSig::Array { element, rank } => self.intern(Ty::Grid(inner(element)?, *rank))?,
            TypeSig::Pointer(target) => self.intern(Ty::Pointer(inner(target)?))?,
            TypeSig::ByRef(target) => self.intern(Ty::Ref(inner(target)?))?,
            TypeSig::Generic { definition, arguments, .. } => {
                let declared = self.declaration(assemblies, from, *definition)?;
                let arguments = arguments.iter().map(inner).collect::<Result<Arc<[TyId]>>>()?;
                self.intern(Ty::Named(declared, arguments))?
            }
            TypeSig::TypeParam(index) => parameter(&generics.of_type, *index)?,
            TypeSig::MethodParam(index) => parameter(&generics.of_method, *index)?,
            TypeSig::Pinned(inner_sig) | TypeSig::Modified { inner: inner_sig, .. } => inner(inner_sig)?,
        })
    }

    fn declaration(&self, assemblies: &Assemblies, from: AssemblyId, token: Token) -> Result<TypeDefId> {
        assemblies.resolve(from, token).ok_or_else(|| missing(assemblies, from, token))
    }

    /// The type that a token means: a declaration, a reference or a signature.
    pub(crate) fn token(
        &self,
        assemblies: &Assemblies,
        from: AssemblyId,
        token: Token,
        generics: &Generics,
    ) -> Result<TyId> {
        match token.table() {
            Some(Table::TypeSpec) => {
                let sig = assemblies.assembly(from).type_spec(token.row()).map_err(|error| error.to_string())?;
                self.resolve(assemblies, from, &sig, generics)
            }
            _ => Ok(self.named(assemblies, self.declaration(assemblies, from, token)?, Arc::new([]))),
        }
    }

    /// What a declared type is.
    pub(crate) fn kind(&self, assemblies: &Assemblies, id: TyId) -> Kind {
        let slot = &self.slots[id.0 as usize];
        *slot.kind.get_or_init(|| match &slot.ty {
            Ty::Named(declared, _) => self.declared_kind(assemblies, *declared),
            Ty::Array(_) | Ty::Grid(..) => Kind::Class,
            _ => Kind::Struct,
        })
    }

    fn declared_kind(&self, assemblies: &Assemblies, declared: TypeDefId) -> Kind {
        let read = assemblies.assembly(declared.assembly);
        let Ok(ty) = read.type_def(declared.row) else { return Kind::Class };
        if ty.is_interface() {
            return Kind::Interface;
        }
        let base = ty.extends.and_then(|base| assemblies.resolve(declared.assembly, base));
        let base = base.and_then(|base| {
            let base_type = assemblies.assembly(base.assembly).type_def(base.row).ok()?;
            (base_type.namespace == "System").then(|| base_type.name.to_string())
        });
        match base.as_deref() {
            Some("ValueType") if !(ty.namespace == "System" && ty.name == "Enum") => Kind::Struct,
            Some("Enum") => {
                let none = Generics { of_type: Arc::new([]), of_method: Arc::new([]) };
                let value = ty.fields.clone().find_map(|row| {
                    let field = read.field(row).ok().filter(|field| !field.is_static())?;
                    self.resolve(assemblies, declared.assembly, &field.signature, &none).ok()
                });
                Kind::Enum(value.unwrap_or_else(|| self.int(32, true)))
            }
            Some("MulticastDelegate") => Kind::Delegate,
            _ => Kind::Class,
        }
    }

    /// Whether values of a type are not references to objects.
    pub(crate) fn is_value(&self, assemblies: &Assemblies, id: TyId) -> bool {
        match self.get(id) {
            Ty::Named(..) => matches!(self.kind(assemblies, id), Kind::Struct | Kind::Enum(_)),
            Ty::Array(_) | Ty::Grid(..) => false,
            _ => true,
        }
    }

    /// The type from which a type derives: for values, the one of their boxes. `None` for interfaces and the root.
    pub(crate) fn base(&self, assemblies: &Assemblies, id: TyId) -> Option<TyId> {
        let slot = &self.slots[id.0 as usize];
        *slot.base.get_or_init(|| match &slot.ty {
            Ty::Named(declared, arguments) => {
                let ty = assemblies.assembly(declared.assembly).type_def(declared.row).ok()?;
                let generics = Generics { of_type: arguments.clone(), of_method: Arc::new([]) };
                self.token(assemblies, declared.assembly, ty.extends?, &generics).ok()
            }
            Ty::Array(_) | Ty::Grid(..) => self.library(assemblies, "System", "Array"),
            _ => self.library(assemblies, "System", "ValueType"),
        })
    }

    /// The interfaces that a type itself lists.
    pub(crate) fn interfaces(&self, assemblies: &Assemblies, id: TyId) -> Arc<[TyId]> {
        let slot = &self.slots[id.0 as usize];
        let list = || {
            let Some((declared, arguments)) = self.declared(assemblies, id) else { return Arc::new([]) as Arc<[TyId]> };
            let generics = Generics { of_type: arguments, of_method: Arc::new([]) };
            let listed = assemblies.assembly(declared.assembly).interface_impls(declared.row);
            listed
                .into_iter()
                .filter_map(|token| self.token(assemblies, declared.assembly, token, &generics).ok())
                .collect()
        };
        slot.interfaces.get_or_init(list).clone()
    }

    /// The declaration of a type, with its type arguments: for a primitive type, the struct that stands for it.
    pub(crate) fn declared(&self, assemblies: &Assemblies, id: TyId) -> Option<(TypeDefId, Arc<[TyId]>)> {
        let name = match self.get(id) {
            Ty::Named(declared, arguments) => return Some((*declared, arguments.clone())),
            ty => primitive_name(ty)?,
        };
        let declared = assemblies.find(self.core(assemblies)?, "System", name)?;
        Some((declared, Arc::new([])))
    }

    /// The name of a type, as C# writes it, with namespaces.
    pub(crate) fn name(&self, assemblies: &Assemblies, id: TyId) -> String {
        match self.get(id) {
            Ty::Void => "void".into(),
            Ty::Opaque => "<function pointer>".into(),
            Ty::TypeParam(index) => format!("!{index}"),
            Ty::MethodParam(index) => format!("!!{index}"),
            Ty::Array(element) => {
                // The dimensions of the outermost array come first.
                let (mut element, mut suffix) = (*element, "[]".to_string());
                loop {
                    match self.get(element) {
                        Ty::Array(inner) => (element, suffix) = (*inner, suffix + "[]"),
                        Ty::Grid(inner, rank) => (element, suffix) = (*inner, suffix + &commas(*rank)),
                        _ => return self.name(assemblies, element) + &suffix,
                    }
                }
            }
            Ty::Grid(element, rank) => self.name(assemblies, *element) + &commas(*rank),
            Ty::Ref(target) => format!("ref {}", self.name(assemblies, *target)),
            Ty::Pointer(target) => format!("{}*", self.name(assemblies, *target)),
            Ty::Named(declared, arguments) => {
                let name = declared_name(assemblies, *declared);
                if arguments.is_empty() {
                    return name;
                }
                let arguments: Vec<String> = arguments.iter().map(|&ty| self.name(assemblies, ty)).collect();
                format!("{name}<{}>", arguments.join(", "))
            }
            primitive => keyword(primitive).into(),
        }
    }
}

fn commas(rank: u32) -> String {
    format!("[{}]", ",".repeat(rank.saturating_sub(1) as usize))
}

fn parameter(arguments: &[TyId], index: u32) -> Result<TyId> {
    arguments.get(index as usize).copied().ok_or_else(|| "a type parameter without a type".into())
}

fn missing(assemblies: &Assemblies, from: AssemblyId, token: Token) -> String {
    let read = assemblies.assembly(from);
    let reference = match token.table() {
        Some(Table::TypeRef) => read.type_ref(token.row()).ok(),
        _ => None,
    };
    match reference {
        Some(reference) => {
            let scope = reference.scope.filter(|scope| scope.table() == Some(Table::AssemblyRef));
            let assembly = scope.and_then(|scope| read.assembly_ref(scope.row()).ok());
            let of = assembly.map_or(String::new(), |assembly| format!(" of the assembly {}", assembly.name));
            format!("the type {}.{}{of}, which cannot be found", reference.namespace, reference.name)
        }
        None => "a type that cannot be found".into(),
    }
}

/// The full name of a declaration without its type parameters; dots separate nested types, too.
pub(crate) fn declared_name(assemblies: &Assemblies, declared: TypeDefId) -> String {
    let read = assemblies.assembly(declared.assembly);
    let mut names = Vec::new();
    let mut row = declared.row;
    // Nesting is cyclic only in malformed assemblies.
    for _ in 0..64 {
        let Ok(ty) = read.type_def(row) else { break };
        let name = ty.name.split_once('`').map_or(ty.name, |(name, _)| name);
        names.push(name.to_string());
        match read.enclosing(row) {
            Some(outer) => row = outer,
            None => {
                if !ty.namespace.is_empty() {
                    names.push(ty.namespace.to_string());
                }
                break;
            }
        }
    }
    names.reverse();
    names.join(".")
}

/// The names of the structs of the class library that stand for primitive types.
const PRIMITIVES: [(&str, Ty); 15] = [
    ("Boolean", Ty::Bool),
    ("Char", Ty::Char),
    ("SByte", Ty::Int { width: 8, signed: true }),
    ("Byte", Ty::Int { width: 8, signed: false }),
    ("Int16", Ty::Int { width: 16, signed: true }),
    ("UInt16", Ty::Int { width: 16, signed: false }),
    ("Int32", Ty::Int { width: 32, signed: true }),
    ("UInt32", Ty::Int { width: 32, signed: false }),
    ("Int64", Ty::Int { width: 64, signed: true }),
    ("UInt64", Ty::Int { width: 64, signed: false }),
    ("IntPtr", Ty::Native { signed: true }),
    ("UIntPtr", Ty::Native { signed: false }),
    ("Single", Ty::F32),
    ("Double", Ty::F64),
    ("Void", Ty::Void),
];

fn primitive(assemblies: &Assemblies, declared: TypeDefId) -> Option<Ty> {
    let ty = assemblies.assembly(declared.assembly).type_def(declared.row).ok()?;
    if ty.namespace != "System" {
        return None;
    }
    PRIMITIVES.iter().find(|(name, _)| *name == ty.name).map(|(_, ty)| ty.clone())
}

fn primitive_name(ty: &Ty) -> Option<&'static str> {
    PRIMITIVES.iter().find(|(_, primitive)| primitive == ty).map(|(name, _)| *name)
}

fn keyword(ty: &Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        Ty::Char => "char",
        Ty::Int { width: 8, signed: true } => "sbyte",
        Ty::Int { width: 8, signed: false } => "byte",
        Ty::Int { width: 16, signed: true } => "short",
        Ty::Int { width: 16, signed: false } => "ushort",
        Ty::Int { width: 32, signed: true } => "int",
        Ty::Int { width: 32, signed: false } => "uint",
        Ty::Int { width: _, signed: true } => "long",
        Ty::Int { width: _, signed: false } => "ulong",
        Ty::Native { signed: true } => "nint",
        Ty::Native { signed: false } => "nuint",
        Ty::F32 => "float",
        Ty::F64 => "double",
        _ => "void",
    }
}
