//! Describes types and members of a program to code that writes C# for it, or calls it by reflection.

mod names;

use crate::assemblies::TypeDefId;
use crate::collections;
use crate::forms;
use crate::loader::{ClassKind, Cs};
use crate::members::MethodKey;
use crate::synthetic::arrays;
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Access, Table, Token, TypeSig};
use aback_ir::{ClassId, FieldId, MethodId, Program, Type};
use names::is_identifier;
use std::sync::Arc;

pub use names::escaped;

/// The declarations of a program.
#[derive(Clone, Copy)]
pub struct Declarations<'a> {
    cs: Cs<'a>,
}

/// What values of a type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// An integer.
    Int {
        /// Its width in bits.
        width: u8,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `nint` or `nuint`
    Native {
        /// Whether it has a sign.
        signed: bool,
    },
    /// `float`
    F32,
    /// `double`
    F64,
    /// An enum, with the type of its values.
    Enum(TyId),
    /// `Nullable<T>`, with its type argument.
    Nullable(TyId),
    /// Another struct.
    Struct,
    /// References to objects.
    Reference,
    /// An array with one dimension, with the type of its elements.
    Array(TyId),
    /// An array with several dimensions: the type of its elements, and the number of dimensions.
    Grid(TyId, u32),
    /// A managed pointer to a variable of a type.
    Pointer(TyId),
    /// A `Span<T>` or `ReadOnlySpan<T>`, with its type argument.
    Span(TyId),
    /// Anything else, which has no values that a program can be given.
    Other,
}

/// What an object of a class of the program model is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObjectShape {
    /// An object of a class.
    Object(TyId),
    /// The box of a value; the fields are the leaves of the value.
    Box(TyId, Vec<FieldId>),
    /// An array of structs or with several dimensions: its type, the fields with an array for each leaf of the elements,
    /// and the fields with the length of each dimension.
    Array(TyId, Vec<FieldId>, Vec<FieldId>),
    /// A variable to which managed pointers exist; the fields are the leaves of its value.
    Variable(Vec<FieldId>),
    /// A managed pointer to an element: the type of the array, and the fields with the array and the index.
    Element(TyId, FieldId, FieldId),
    /// A managed pointer to an instance field, by its leaves, and the field with the object.
    FieldReference(Vec<FieldId>, FieldId),
    /// A managed pointer to a static field, by its leaves.
    StaticReference(Vec<FieldId>),
    /// An object that only the program makes.
    Other,
}

/// A field.
#[derive(Clone, Debug)]
pub struct DeclaredField {
    /// The type that declares it.
    pub owner: TyId,
    /// Its name in the assembly.
    pub name: String,
    /// Its type.
    pub ty: TyId,
    /// The fields of the program model for its leaves; none for fields of structs.
    pub leaves: Vec<FieldId>,
    /// The name by which sources can assign it after the object is made: that of the field, or of an automatic property.
    pub settable: Option<String>,
    /// The name by which sources can read it.
    pub readable: Option<String>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct DeclaredParameter {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its type.
    pub ty: TyId,
    /// Whether the method only reads the variable: `in`.
    pub is_in: bool,
    /// Whether the method assigns the variable first: `out`.
    pub is_out: bool,
}

/// What accesses an automatic property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accessor {
    Get,
    Set,
}

/// How a method receives the object on which it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receiver {
    /// It is static.
    None,
    /// As a reference to the object, or as the struct.
    Value,
    /// As a managed pointer to the struct.
    Pointer,
}

/// The way in which sources use a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    /// By a call.
    Call,
    /// As a constructor.
    New,
    /// By reading the property with this name, or the indexer if there are parameters.
    Get(String),
    /// By assigning the property with this name, or the indexer if there are several parameters.
    Set(String),
    /// Not at all: a conversion, an operator, an accessor of an event, or a method that sources cannot name.
    Never,
}

/// A method.
#[derive(Clone, Debug)]
pub struct DeclaredMethod {
    /// The type that declares it.
    pub owner: TyId,
    /// Its name in the assembly.
    pub name: String,
    /// Its metadata token.
    pub token: u32,
    /// The types for its own type parameters.
    pub arguments: Arc<[TyId]>,
    /// How it receives its object.
    pub receiver: Receiver,
    /// Its parameters, without the receiver.
    pub params: Vec<DeclaredParameter>,
    /// The type of its result, if it has one.
    pub result: Option<TyId>,
    /// The way in which other assemblies use it.
    pub by: Use,
}

impl<'a> Declarations<'a> {
    pub(crate) fn new(cs: Cs<'a>) -> Self {
        Declarations { cs }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.cs.program
    }

    /// What values of a type are.
    pub fn shape(&self, ty: TyId) -> Shape {
        let cs = self.cs;
        match *cs.ty(ty) {
            Ty::Bool => Shape::Bool,
            Ty::Char => Shape::Char,
            Ty::Int { width, signed } => Shape::Int { width, signed },
            Ty::Native { signed } => Shape::Native { signed },
            Ty::F32 => Shape::F32,
            Ty::F64 => Shape::F64,
            Ty::Array(element) => Shape::Array(element),
            Ty::Grid(element, rank) => Shape::Grid(element, rank),
            Ty::Ref(target) => Shape::Pointer(target),
            Ty::Named(..) => match cs.kind(ty) {
                Kind::Enum(underlying) => Shape::Enum(underlying),
                Kind::Struct => self.struct_shape(ty),
                Kind::Class | Kind::Interface | Kind::Delegate => Shape::Reference,
            },
            Ty::Void | Ty::Pointer(_) | Ty::Opaque | Ty::TypeParam(_) | Ty::MethodParam(_) => Shape::Other,
        }
    }

    fn struct_shape(&self, ty: TyId) -> Shape {
        if let Some(inner) = self.cs.nullable(ty) {
            return Shape::Nullable(inner);
        }
        match self.cs.declared(ty).and_then(|(_, arguments)| arguments.first().copied()) {
            Some(argument)
                if ["Span`1", "ReadOnlySpan`1"].iter().any(|name| self.cs.is_library_type(ty, "System", name)) =>
            {
                Shape::Span(argument)
            }
            _ => Shape::Struct,
        }
    }

    /// The number of leaves of a value of a type; none if the type is not supported.
    pub fn leaves(&self, ty: TyId) -> usize {
        self.cs.leaves(ty).map_or(0, |leaves| leaves.len())
    }

    /// Whether a type is `object`.
    pub fn is_object(&self, ty: TyId) -> bool {
        self.cs.is_library_type(ty, "System", "Object")
    }

    /// Whether a type is `string`.
    pub fn is_string(&self, ty: TyId) -> bool {
        self.cs.is_library_type(ty, "System", "String")
    }

    /// Whether a type is a collection of the library with a constructor that copies the elements of an array.
    pub fn is_collection(&self, ty: TyId) -> bool {
        collections::is_collection(self.cs, ty)
    }

    /// Whether a type is `decimal`.
    pub fn is_decimal(&self, ty: TyId) -> bool {
        self.cs.is_library_type(ty, "System", "Decimal")
    }

    /// What the objects of a class of the program model are.
    pub fn object(&self, class: ClassId) -> ObjectShape {
        let cs = self.cs;
        let fields = || cs.program.class(class).fields.clone();
        match cs.loader.kind_of(class) {
            Some(ClassKind::Type(ty)) => match *cs.ty(ty) {
                Ty::Array(element) | Ty::Grid(element, _) if arrays::is_object(cs, ty) => {
                    let (planes, lengths) = arrays::fields(cs, ty, element).unwrap_or_default();
                    ObjectShape::Array(ty, planes, lengths)
                }
                _ if cs.is_value(ty) => ObjectShape::Box(ty, cs.boxed_fields(ty).unwrap_or_default()),
                _ => ObjectShape::Object(ty),
            },
            Some(ClassKind::Cell(_)) => ObjectShape::Variable(fields()),
            Some(ClassKind::ElementRef(array)) => match fields()[..] {
                [object, index, ..] => ObjectShape::Element(array, object, index),
                _ => ObjectShape::Other,
            },
            Some(ClassKind::FieldRef(ids)) => match fields()[..] {
                [object] => ObjectShape::FieldReference(ids, object),
                _ => ObjectShape::Other,
            },
            Some(ClassKind::StaticRef(ids)) => ObjectShape::StaticReference(ids),
            _ => ObjectShape::Other,
        }
    }

    /// The class with the field, or part of a field, that has these leaves and this type, and how sources name it in an
    /// object of the class.
    pub fn place(&self, leaves: &[FieldId], ty: TyId) -> Option<(TyId, String)> {
        forms::path(self.cs, leaves, Some(ty))
    }

    /// The type of an array of the program model with elements of type `element`, where a value of type `expected` is
    /// expected. The program model does not distinguish all types of elements: enums and unsigned numbers are numbers.
    pub fn array(&self, element: Type, expected: TyId) -> Option<TyId> {
        let cs = self.cs;
        let fits = |ty: TyId| cs.ir_type(ty) == Ok(cs.program.array_of(element));
        if matches!(cs.ty(expected), Ty::Array(_)) && fits(expected) {
            return Some(expected);
        }
        // An interface of arrays, such as `IList<T>`.
        if let Some((_, arguments)) = cs.declared(expected)
            && let [argument] = arguments[..]
            && let Ok(array) = cs.intern(Ty::Array(argument))
            && fits(array)
        {
            return Some(array);
        }
        cs.intern(Ty::Array(arrays::of_element(cs, element)?)).ok()
    }

    /// The type of the arrays with elements of a type.
    pub fn array_of(&self, element: TyId) -> Option<TyId> {
        self.cs.intern(Ty::Array(element)).ok()
    }

    /// The instance fields of a class and of those from which it derives, or of a struct.
    ///
    /// # Errors
    /// A field has a type that is not supported.
    pub fn fields(&self, ty: TyId) -> Result<Vec<DeclaredField>, String> {
        let cs = self.cs;
        let mut found: Vec<DeclaredField> = Vec::new();
        let mut current = Some(ty);
        while let Some(owner) = current {
            for field in cs.instance_fields(owner)?.iter() {
                let (declared, _) = cs.declared(owner).ok_or("a type without a declaration")?;
                let read = cs.assembly(declared.assembly);
                let name = read.field_name(field.row).map_err(|error| error.to_string())?.to_string();
                let leaves = if cs.is_value(ty) { Vec::new() } else { cs.field(owner, field.row)?.ids.clone() };
                let has_name = self.source_name(owner).is_some();
                let visible = |access, of: fn(&DeclaredField) -> &Option<String>| {
                    let name = self.accessible(declared, field.row, &name, access).filter(|_| has_name);
                    name.filter(|name| !found.iter().any(|own| of(own).as_ref() == Some(name)))
                };
                let settable = visible(Accessor::Set, |field| &field.settable);
                let readable = visible(Accessor::Get, |field| &field.readable);
                found.push(DeclaredField { owner, name, ty: field.ty, leaves, settable, readable });
            }
            current = if cs.is_value(ty) { None } else { cs.base(owner) };
        }
        Ok(found)
    }

    /// The name by which other assemblies can read or assign a field.
    fn accessible(&self, declared: TypeDefId, row: u32, name: &str, by: Accessor) -> Option<String> {
        let read = self.cs.assembly(declared.assembly);
        let field = read.field(row).ok()?;
        if field.access() == Access::Public {
            let is_possible = by == Accessor::Get || !field.is_init_only();
            return (is_possible && is_identifier(name)).then(|| name.to_string());
        }
        let property = name.strip_prefix('<')?.strip_suffix(">k__BackingField")?;
        let accessor = match by {
            Accessor::Get => format!("get_{property}"),
            Accessor::Set => format!("set_{property}"),
        };
        let is_plain = |row: u32| {
            let Ok(method) = read.method(row) else { return false };
            let attributes = read.custom_attributes(Token::new(Table::MethodDef, row));
            let mut attributes = attributes.iter().filter_map(|one| read.full_name(read.attribute_class(one)?));
            method.name == accessor
                && method.access() == Access::Public
                && !method.is_virtual()
                // The result of an `init` accessor has a modifier.
                && (by == Accessor::Get || method.signature.result == TypeSig::Void)
                // An accessor that people write may do anything.
                && attributes.any(|name| name == "System.Runtime.CompilerServices.CompilerGeneratedAttribute")
        };
        let mut methods = read.type_def(declared.row).ok()?.methods;
        (methods.any(is_plain) && is_identifier(property)).then(|| property.to_string())
    }

    /// The static field of the program for a field of the program model, if it is one as a whole.
    pub fn static_field(&self, field: FieldId) -> Option<DeclaredField> {
        let ClassKind::Type(owner) = self.cs.loader.kind_of(self.cs.program.field(field).class)? else { return None };
        let (declared, _) = self.cs.declared(owner)?;
        let read = self.cs.assembly(declared.assembly);
        let rows = read.type_def(declared.row).ok()?.fields;
        let slot = rows.clone().find_map(|row| {
            let slot = self.cs.field(owner, row).ok()?;
            (slot.is_static && slot.ids == [field]).then_some((row, slot))
        });
        let (row, slot) = slot?;
        let name = read.field_name(row).ok()?.to_string();
        Some(DeclaredField { owner, name, ty: slot.ty, leaves: slot.ids.clone(), settable: None, readable: None })
    }

    /// Whether a field of the program model is part of one of the program.
    pub fn has_field(&self, field: FieldId) -> bool {
        let class = self.cs.program.field(field).class;
        match self.object(class) {
            ObjectShape::Object(ty) => {
                let declares = |field: &DeclaredField| field.owner == ty;
                let fields = self.fields(ty).unwrap_or_default();
                fields.iter().filter(|field| declares(field)).any(|declared| declared.leaves.contains(&field))
            }
            ObjectShape::Box(..) | ObjectShape::Array(..) | ObjectShape::Variable(_) | ObjectShape::Element(..) => true,
            ObjectShape::FieldReference(..) | ObjectShape::StaticReference(_) | ObjectShape::Other => false,
        }
    }

    /// The constructors of a class that other assemblies can call.
    pub fn constructors(&self, ty: TyId) -> Vec<(MethodId, DeclaredMethod)> {
        let Some((declared, _)) = self.cs.declared(ty) else { return Vec::new() };
        // Sources must assign required members where they call a constructor.
        let required = "System.Runtime.CompilerServices.RequiredMemberAttribute";
        if self.cs.attributes(declared).iter().any(|name| name == required) {
            return Vec::new();
        }
        let Ok(def) = self.cs.assembly(declared.assembly).type_def(declared.row) else { return Vec::new() };
        let keys = def.methods.map(|row| MethodKey { owner: ty, row, arguments: Arc::new([]) });
        let found = keys.filter_map(|key| Some((key.clone(), self.declared_method(&key)?)));
        let found = found.filter(|(_, method)| method.by == Use::New);
        found.map(|(key, method)| (self.cs.method(&key), method)).collect()
    }

    /// Whether a struct has a constructor without parameters, which `new` calls.
    pub fn has_default_constructor(&self, ty: TyId) -> bool {
        self.cs.method_named(ty, ".ctor", 0).is_some()
    }

    /// The declaration of a method.
    pub fn method(&self, method: MethodId) -> Option<DeclaredMethod> {
        self.declared_method(&self.cs.loader.key_of(method)?)
    }

    fn declared_method(&self, key: &MethodKey) -> Option<DeclaredMethod> {
        let cs = self.cs;
        let declared = cs.declaration_of(key).ok()?;
        let read = cs.assembly(declared.assembly);
        let def = read.method(key.row).ok()?;
        let signature = cs.signature(key).ok()?;
        let given = read.params(key.row);
        let params = signature.params.iter().zip(1..).map(|(&ty, sequence)| {
            let given = given.iter().find(|param| param.sequence == sequence);
            let flags = given.map_or(0, |param| param.flags);
            DeclaredParameter {
                name: given.map(|param| param.name.to_string()).unwrap_or_default(),
                ty,
                is_in: flags & 1 != 0,
                is_out: flags & 2 != 0,
            }
        });
        let receiver = match (signature.has_this, cs.is_value(key.owner)) {
            (false, _) => Receiver::None,
            (true, true) if !crate::receivers::is_by_value(cs, key) => Receiver::Pointer,
            (true, _) => Receiver::Value,
        };
        let params: Vec<DeclaredParameter> = params.collect();
        let is_nameable = def.access() == Access::Public
            && self.source_name(key.owner).is_some()
            && params.iter().all(|param| self.source_name(param.ty).is_some())
            && key.arguments.iter().all(|&ty| self.source_name(ty).is_some());
        let property = || {
            let of_type = read.properties(declared.row);
            of_type.into_iter().find(|property| [property.getter, property.setter].contains(&Some(key.row)))
        };
        let by = match def.name {
            _ if !is_nameable => Use::Never,
            ".ctor" => Use::New,
            name if name.starts_with("get_") && def.is_special_name() => {
                property().map_or(Use::Never, |property| Use::Get(property.name.to_string()))
            }
            name if name.starts_with("set_") && def.is_special_name() => match property() {
                // An `init` accessor belongs to the creation of the object.
                Some(property) if def.signature.result == TypeSig::Void => Use::Set(property.name.to_string()),
                _ => Use::Never,
            },
            name if is_identifier(name) && !def.is_special_name() => Use::Call,
            _ => Use::Never,
        };
        Some(DeclaredMethod {
            owner: key.owner,
            name: def.name.to_string(),
            token: Token::new(Table::MethodDef, key.row).0,
            arguments: key.arguments.clone(),
            receiver,
            params,
            result: Some(signature.result).filter(|&ty| *cs.ty(ty) != Ty::Void),
            by,
        })
    }

    /// The static fields of the program model in which a method leaves all leaves of its result but the first.
    pub fn result_registers(&self, method: MethodId) -> Vec<FieldId> {
        self.cs.result_parts(method).into_iter().filter_map(|(_, register)| register).collect()
    }

    /// Whether a type is declared in the user's own assemblies.
    pub fn is_own(&self, ty: TyId) -> bool {
        let declared = self.cs.declared(ty);
        declared.is_some_and(|(declared, _)| self.cs.loader.assemblies.module(declared.assembly).is_own)
    }

    /// Whether a type has another method with the same name, also among those that it inherits.
    pub fn is_overloaded(&self, method: &DeclaredMethod) -> bool {
        let count = std::iter::successors(Some(method.owner), |&ty| self.cs.base(ty)).map(|ty| {
            let Some((declared, _)) = self.cs.declared(ty) else { return 0 };
            let read = self.cs.assembly(declared.assembly);
            let rows = read.type_def(declared.row).map(|def| def.methods).unwrap_or(0..0);
            rows.filter(|&row| read.method_name(row) == Ok(&method.name)).count()
        });
        count.sum::<usize>() > 1
    }

    /// The name of the assembly that declares a type.
    pub fn assembly_name(&self, ty: TyId) -> Option<&'a str> {
        let (declared, _) = self.cs.declared(ty)?;
        Some(self.cs.assembly(declared.assembly).name())
    }

    /// Whether a variable or class with this name would hide a type or namespace of the user.
    pub fn hides(&self, name: &str) -> bool {
        let assemblies = &self.cs.loader.assemblies;
        assemblies.own().into_iter().any(|id| {
            let read = assemblies.assembly(id);
            (1..=read.rows(Table::TypeDef)).filter_map(|row| read.type_def(row).ok()).any(|ty| match ty.namespace {
                "" => ty.name == name,
                namespace => namespace.split('.').next() == Some(name),
            })
        })
    }
}
