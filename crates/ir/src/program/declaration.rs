//! Defines the declarations of classes, fields and methods.

use super::{ClassId, FieldId, MethodId, Type};
use crate::span::Span;

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
    /// Whether no object of exactly this class can exist.
    pub is_abstract: bool,
    /// Whether no class can extend this one.
    pub is_final: bool,
    /// Whether this is an interface.
    pub is_interface: bool,
    /// Whether the class belongs to a library and not to the user's program: its code is executed, but entry points
    /// and lines are not looked for in it.
    pub is_library: bool,
    /// The place of the declaration.
    pub span: Span,
}

impl Class {
    /// A placeholder for a class that cannot be loaded; only its name is known.
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
    /// The class that declares the field.
    pub class: ClassId,
    /// The type of the field.
    pub ty: Type,
    /// Whether the field belongs to the class and not to each object.
    pub is_static: bool,
    /// The place of the declaration.
    pub span: Span,
}

/// Who may access a member of a class, from least to most access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Access {
    /// The declaring class, and what the language treats like it. Nothing overrides such a method.
    Private,
    /// Classes of the same package ([`Program::package`](super::Program::package)). Only their methods override such
    /// a method, and the overriders of those.
    Package,
    /// The package, and subclasses.
    Protected,
    /// All classes.
    #[default]
    Public,
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
    /// The class that declares the method.
    pub class: ClassId,
    /// How the method is called.
    pub kind: MethodKind,
    /// Types of the parameters, with the receiver first if there is one.
    pub params: Vec<Type>,
    /// Type of the result; `None` for void.
    pub result: Option<Type>,
    /// Who may call the method; this also determines which methods override it.
    pub access: Access,
    /// Whether the method has no code.
    pub is_abstract: bool,
    /// The place of the declaration.
    pub span: Span,
}

impl Method {
    /// A public method with code that does not stand in the source.
    pub fn synthetic(class: ClassId, kind: MethodKind, name: &str, params: Vec<Type>, result: Option<Type>) -> Self {
        Method {
            name: name.to_string(),
            class,
            kind,
            params,
            result,
            access: Access::Public,
            is_abstract: false,
            span: Span::NONE,
        }
    }
}

/// What can go wrong in an operation itself. A trap throws an object of the class
/// [`Program::trap_class`](super::Program::trap_class).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Trap {
    /// An access to a field, an element, the length or a method of `null`.
    NullDereference,
    /// An array index is negative or not below the length.
    IndexOutOfBounds,
    /// An array is created with a negative length.
    NegativeArraySize,
    /// An array is created with too many elements ([`Program::max_array_length`](super::Program::max_array_length)).
    ArrayTooLong,
    /// An integer is divided by zero.
    DivisionByZero,
    /// A reference is cast to a type that its object does not have.
    BadCast,
    /// A reference is stored into an array whose elements are of another type.
    BadArrayStore,
}

impl Trap {
    /// All traps, in a fixed order.
    pub const ALL: [Trap; 7] = [
        Trap::NullDereference,
        Trap::IndexOutOfBounds,
        Trap::NegativeArraySize,
        Trap::ArrayTooLong,
        Trap::DivisionByZero,
        Trap::BadCast,
        Trap::BadArrayStore,
    ];

    /// A description for users ("null dereference").
    pub fn describe(self) -> &'static str {
        match self {
            Trap::NullDereference => "null dereference",
            Trap::IndexOutOfBounds => "index out of bounds",
            Trap::NegativeArraySize => "negative array size",
            Trap::ArrayTooLong => "array too long",
            Trap::DivisionByZero => "division by zero",
            Trap::BadCast => "bad cast",
            Trap::BadArrayStore => "bad array store",
        }
    }
}
