//! What do the rows of an assembly say?

use crate::bytes::{Reader, utf16};
use crate::signatures::{MemberSig, MethodSig, TypeSig};
use crate::tables::Token;
use std::ops::Range;

/// Who may use a type (ECMA-335, II.23.1.15).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Visibility {
    /// The assembly; the type is not nested.
    NotPublic,
    /// Everyone; the type is not nested.
    Public,
    /// Who may use a member of the enclosing type with this access.
    Nested(Access),
}

impl Visibility {
    /// Whether everyone may use the type who may use the types around it.
    pub fn is_public(self) -> bool {
        matches!(self, Visibility::Public | Visibility::Nested(Access::Public))
    }
}

/// Who may use a member (ECMA-335, II.23.1.5 and II.23.1.10).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Nobody by its name.
    CompilerControlled,
    /// The type: `private`.
    Private,
    /// Subclasses in the assembly: `private protected`.
    FamilyAndAssembly,
    /// The assembly: `internal`.
    Assembly,
    /// Subclasses: `protected`.
    Family,
    /// Subclasses and the assembly: `protected internal`.
    FamilyOrAssembly,
    /// Everyone: `public`.
    Public,
}

impl Access {
    /// The access that the low three bits of a member's flags say; 7 has no meaning and is taken for nobody's.
    fn of(flags: u16) -> Access {
        match flags & 7 {
            1 => Access::Private,
            2 => Access::FamilyAndAssembly,
            3 => Access::Assembly,
            4 => Access::Family,
            5 => Access::FamilyOrAssembly,
            6 => Access::Public,
            _ => Access::CompilerControlled,
        }
    }
}

macro_rules! predicates {
    ($row:ident, $field:ident: $($(#[$doc:meta])* $name:ident $mask:literal;)*) => {
        impl $row<'_> {$(
            $(#[$doc])*
            pub fn $name(&self) -> bool {
                self.$field & $mask != 0
            }
        )*}
    };
}

/// A type of the assembly (ECMA-335, II.22.37).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDef<'a> {
    /// Its flags as they are (II.23.1.15).
    pub flags: u32,
    /// Its name, with a backquote and the number of its own type parameters where it has some.
    pub name: &'a str,
    /// Its namespace; empty for nested types.
    pub namespace: &'a str,
    /// Its base class; none for interfaces and `System.Object`.
    pub extends: Option<Token>,
    /// Rows of its fields.
    pub fields: Range<u32>,
    /// Rows of its methods.
    pub methods: Range<u32>,
}

predicates! { TypeDef, flags:
    /// Whether the type is an interface.
    is_interface 0x20;
    /// Whether the type has no instances of its own. Static classes are abstract and sealed.
    is_abstract 0x80;
    /// Whether the type has no subclasses.
    is_sealed 0x100;
    /// Whether the name has a meaning to compilers.
    is_special_name 0x400;
    /// Whether the fields lie in memory in their order.
    is_sequential_layout 0x08;
    /// Whether the fields have given offsets, see [`Assembly::field_offset`](crate::Assembly::field_offset).
    is_explicit_layout 0x10;
    /// Whether the type initialiser may run as late as the first use of a static field, and not at a static method's call.
    is_before_field_init 0x10_0000;
}

impl TypeDef<'_> {
    /// Who may use the type.
    pub fn visibility(&self) -> Visibility {
        match self.flags & 7 {
            0 => Visibility::NotPublic,
            1 => Visibility::Public,
            2 => Visibility::Nested(Access::Public),
            3 => Visibility::Nested(Access::Private),
            4 => Visibility::Nested(Access::Family),
            5 => Visibility::Nested(Access::Assembly),
            6 => Visibility::Nested(Access::FamilyAndAssembly),
            _ => Visibility::Nested(Access::FamilyOrAssembly),
        }
    }
}

/// A type elsewhere (ECMA-335, II.22.38).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRef<'a> {
    /// Where it is: a `Module`, `ModuleRef`, `AssemblyRef`, or the enclosing `TypeRef`.
    /// With none, the type is among the exported ones of this assembly.
    pub scope: Option<Token>,
    /// Its name.
    pub name: &'a str,
    /// Its namespace; empty for nested types.
    pub namespace: &'a str,
}

/// A field of the assembly (ECMA-335, II.22.15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDef<'a> {
    /// Its flags as they are (II.23.1.5).
    pub flags: u16,
    /// Its name.
    pub name: &'a str,
    /// Its type, with modifiers.
    pub signature: TypeSig,
}

predicates! { FieldDef, flags:
    /// Whether the field belongs to the type and not to its instances.
    is_static 0x10;
    /// Whether only constructors may write the field: `readonly`.
    is_init_only 0x20;
    /// Whether the field is a constant, see [`Assembly::constant`](crate::Assembly::constant). It has no memory.
    is_literal 0x40;
    /// Whether the name has a meaning to compilers.
    is_special_name 0x200;
    /// Whether the assembly holds the first bytes of the field, see [`Assembly::field_data`](crate::Assembly::field_data).
    has_data 0x100;
}

impl FieldDef<'_> {
    /// Who may use the field.
    pub fn access(&self) -> Access {
        Access::of(self.flags)
    }
}

/// A method of the assembly (ECMA-335, II.22.26).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodDef<'a> {
    /// Its flags as they are (II.23.1.10).
    pub flags: u16,
    /// Its flags for the implementation as they are (II.23.1.11).
    pub impl_flags: u16,
    /// Its name.
    pub name: &'a str,
    /// Its parameters' and its result's types.
    pub signature: MethodSig,
    /// Address of its code in memory, relative to the image; 0 without code.
    pub rva: u32,
}

predicates! { MethodDef, flags:
    /// Whether the method is called without an instance.
    is_static 0x10;
    /// Whether the method is not overridden further.
    is_final 0x20;
    /// Whether the method is chosen by the instance.
    is_virtual 0x40;
    /// Whether the method overrides none of the base class.
    is_newslot 0x100;
    /// Whether subclasses have the code.
    is_abstract 0x400;
    /// Whether the name has a meaning to compilers, as that of an accessor, operator or constructor.
    is_special_name 0x800;
    /// Whether the name has a meaning to the runtime: `.ctor` and `.cctor`.
    is_runtime_special_name 0x1000;
    /// Whether a native library has the code, see [`Assembly::pinvoke`](crate::Assembly::pinvoke).
    is_pinvoke 0x2000;
}

predicates! { MethodDef, impl_flags:
    /// Whether the runtime has the code, under the method's name.
    is_internal_call 0x1000;
    /// Whether the method holds its instance's (or type's) lock.
    is_synchronized 0x20;
    /// Whether the runtime suspends the method at its awaits; its code is not a state machine then.
    is_async 0x2000;
}

impl MethodDef<'_> {
    /// Who may use the method.
    pub fn access(&self) -> Access {
        Access::of(self.flags)
    }

    /// Whether the runtime makes the code, as it does for delegates.
    pub fn is_runtime(&self) -> bool {
        self.impl_flags & 3 == 3
    }

    /// Whether the method is an instance's or a type's initialiser.
    pub fn is_constructor(&self) -> bool {
        self.is_runtime_special_name() && matches!(self.name, ".ctor" | ".cctor")
    }
}

/// A parameter of a method of the assembly (ECMA-335, II.22.33). Parameters need no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param<'a> {
    /// Its row.
    pub row: u32,
    /// Its position from 1; 0 is the result.
    pub sequence: u16,
    /// Its name, often empty for the result.
    pub name: &'a str,
    /// Its flags as they are (II.23.1.13).
    pub flags: u16,
}

predicates! { Param, flags:
    /// Whether the parameter is `in`.
    is_in 0x01;
    /// Whether the parameter is `out`.
    is_out 0x02;
    /// Whether a caller may leave the parameter out.
    is_optional 0x10;
    /// Whether the parameter has a default value, see [`Assembly::constant`](crate::Assembly::constant).
    has_default 0x1000;
}

/// A field or method elsewhere, or of a generic type's instance (ECMA-335, II.22.25).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// The type that has it: a `TypeDef`, `TypeRef` or `TypeSpec`; a `ModuleRef` for global members; or, for a call with
    /// additional arguments, the `MethodDef` that is called.
    pub parent: Token,
    /// Its name.
    pub name: &'a str,
    /// Its type or signature.
    pub signature: MemberSig,
}

/// A parameter of a generic type or method (ECMA-335, II.22.20).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericParam<'a> {
    /// Its row.
    pub row: u32,
    /// Its position from 0. A nested type's parameters start with those of the enclosing type.
    pub number: u16,
    /// Its flags as they are (II.23.1.7).
    pub flags: u16,
    /// Its name.
    pub name: &'a str,
    /// Types that an argument must be subtypes of.
    pub constraints: Vec<Token>,
}

impl GenericParam<'_> {
    /// Whether the parameter is `out`.
    pub fn is_covariant(&self) -> bool {
        self.flags & 3 == 1
    }

    /// Whether the parameter is `in`.
    pub fn is_contravariant(&self) -> bool {
        self.flags & 3 == 2
    }
}

predicates! { GenericParam, flags:
    /// Whether an argument must be a class or interface.
    is_reference 0x04;
    /// Whether an argument must be a struct and not `System.Nullable`.
    is_value 0x08;
    /// Whether an argument must have a public constructor without parameters.
    has_constructor 0x10;
    /// Whether an argument may be a `ref struct`.
    allows_ref_struct 0x20;
}

/// The value of a constant field, of an optional parameter or of a local constant (ECMA-335, II.22.9).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// `bool`
    Bool(bool),
    /// `char`
    Char(u16),
    /// `sbyte`
    I1(i8),
    /// `byte`
    U1(u8),
    /// `short`
    I2(i16),
    /// `ushort`
    U2(u16),
    /// `int`
    I4(i32),
    /// `uint`
    U4(u32),
    /// `long`
    I8(i64),
    /// `ulong`
    U8(u64),
    /// `float`, by its bits.
    R4(u32),
    /// `double`, by its bits.
    R8(u64),
    /// A string in UTF-16, which need not be well-formed.
    String(Vec<u16>),
    /// The null reference.
    Null,
}

/// An assembly that this one uses (ECMA-335, II.22.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyRef<'a> {
    /// Its version: major, minor, build, revision.
    pub version: [u16; 4],
    /// Its flags as they are (II.23.1.2).
    pub flags: u32,
    /// Its public key, or the last eight bytes of the key's hash in reverse.
    pub public_key_or_token: &'a [u8],
    /// Its name, without `.dll`.
    pub name: &'a str,
    /// Its culture; empty unless it is for resources in a language.
    pub culture: &'a str,
}

/// A type that users find through this assembly though its definition is elsewhere (ECMA-335, II.22.14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedType<'a> {
    /// Its flags as they are (II.23.1.15). 0x200000 marks a type that is in another assembly.
    pub flags: u32,
    /// Its name.
    pub name: &'a str,
    /// Its namespace; empty for nested types.
    pub namespace: &'a str,
    /// Where it is: an `AssemblyRef`, a `File` (module of this assembly), or the enclosing `ExportedType`.
    pub implementation: Token,
}

/// A property with its accessors (ECMA-335, II.22.34).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property<'a> {
    /// Its row.
    pub row: u32,
    /// Its flags as they are (II.23.1.14).
    pub flags: u16,
    /// Its name.
    pub name: &'a str,
    /// Its type, as the result, and the types of its indices.
    pub signature: MethodSig,
    /// Row of the method that reads it.
    pub getter: Option<u32>,
    /// Row of the method that writes it.
    pub setter: Option<u32>,
}

/// An event with its accessors (ECMA-335, II.22.13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its row.
    pub row: u32,
    /// Its flags as they are (II.23.1.4).
    pub flags: u16,
    /// Its name.
    pub name: &'a str,
    /// Type of its handlers.
    pub handler: Option<Token>,
    /// Row of the method that adds a handler.
    pub add: Option<u32>,
    /// Row of the method that removes a handler.
    pub remove: Option<u32>,
    /// Row of the method that calls the handlers; C# makes none.
    pub raise: Option<u32>,
}

/// A globally unique identifier, by its bytes in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// The identifier whose hexadecimal digits are those of the number.
    pub const fn from_digits(digits: u128) -> Guid {
        let mut bytes = digits.to_be_bytes();
        // The first three groups are numbers, stored with their low byte first.
        (bytes[0], bytes[1], bytes[2], bytes[3]) = (bytes[3], bytes[2], bytes[1], bytes[0]);
        (bytes[4], bytes[5], bytes[6], bytes[7]) = (bytes[5], bytes[4], bytes[7], bytes[6]);
        Guid(bytes)
    }
}

impl std::fmt::Display for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, e, g, h, i, rest @ ..] = self.0;
        let (first, second, third) =
            (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, g]), u16::from_le_bytes([h, i]));
        write!(f, "{first:08x}-{second:04x}-{third:04x}-{:02x}{:02x}-", rest[0], rest[1])?;
        rest[2..].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Constant {
    /// The constant with a type's code and these bytes (ECMA-335, II.22.9).
    pub(crate) fn decode(code: u8, bytes: &[u8]) -> Option<Constant> {
        let mut reader = Reader::new(bytes, 0);
        Some(match code {
            0x02 => Constant::Bool(reader.u8().ok()? != 0),
            0x03 => Constant::Char(reader.u16().ok()?),
            0x04 => Constant::I1(reader.u8().ok()?.cast_signed()),
            0x05 => Constant::U1(reader.u8().ok()?),
            0x06 => Constant::I2(reader.u16().ok()?.cast_signed()),
            0x07 => Constant::U2(reader.u16().ok()?),
            0x08 => Constant::I4(reader.u32().ok()?.cast_signed()),
            0x09 => Constant::U4(reader.u32().ok()?),
            0x0a => Constant::I8(reader.u64().ok()?.cast_signed()),
            0x0b => Constant::U8(reader.u64().ok()?),
            0x0c => Constant::R4(reader.u32().ok()?),
            0x0d => Constant::R8(reader.u64().ok()?),
            0x0e => Constant::String(utf16(bytes)),
            0x12 => Constant::Null,
            _ => return None,
        })
    }
}
