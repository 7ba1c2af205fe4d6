//! What do classes, fields and methods say of themselves?

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

/// Who may name a member of a class. Greater is more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Access {
    /// The class that declares it, and what the language counts to it. Nothing overrides such a method.
    Private,
    /// Classes of the same package ([`Program::package`](super::Program::package)): only their methods override it, and what
    /// overrides those.
    Package,
    /// The package, and subclasses.
    Protected,
    /// Everybody.
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
    /// The class that declares it.
    pub class: ClassId,
    /// How it is called.
    pub kind: MethodKind,
    /// Types of the parameters, the receiver first where there is one.
    pub params: Vec<Type>,
    /// Type of the result; `None` for void.
    pub result: Option<Type>,
    /// Who may call it, which decides what overrides it, too.
    pub access: Access,
    /// Whether it has no code.
    pub is_abstract: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What can go wrong in an operation by itself. Each one is thrown as an object of the class that
/// [`Program::trap_class`](super::Program::trap_class) names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Trap {
    /// A field, element, length or method of `null` was asked for.
    NullDereference,
    /// An array index is negative or not below the length.
    IndexOutOfBounds,
    /// An array is created with a negative length.
    NegativeArraySize,
    /// An array is created with more elements than there can be ([`Program::max_array_length`](super::Program::max_array_length)).
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

    /// What happened, for a person ("null dereference").
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
