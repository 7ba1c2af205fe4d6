//! What does a custom attribute say?

use crate::assembly::Assembly;
use crate::bytes::Reader;
use crate::malformed::Malformed;
use crate::signatures::{self, MemberSig, TypeSig};
use crate::tables::{HAS_CUSTOM_ATTRIBUTE, Table, Token};

/// A custom attribute (ECMA-335, II.22.10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomAttribute<'a> {
    /// The constructor of its class: a `MethodDef` or `MemberRef`.
    pub constructor: Token,
    /// Its arguments, see [`Assembly::attribute_arguments`](crate::Assembly::attribute_arguments).
    pub value: &'a [u8],
}

/// Arguments of a custom attribute (ECMA-335, II.23.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeArguments {
    /// Arguments of the constructor.
    pub fixed: Vec<Argument>,
    /// Values of fields and properties, by name.
    pub named: Vec<(String, Argument)>,
}

/// An argument of a custom attribute. Members of enums are their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
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
    /// A string or null.
    String(Option<String>),
    /// A type by its name, with its assembly's unless it is in this one or the core library; or null.
    Type(Option<String>),
    /// An array or null.
    Array(Option<Vec<Argument>>),
}

/// An enum whose size a reader of arguments must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumType<'a> {
    /// By its row, a `TypeRef`, or a `TypeDef` that is no enum with a field for its value.
    Row(Token),
    /// By its name, with its assembly's unless it is in this one or the core library.
    Name(&'a str),
}

impl Assembly {
    /// Custom attributes of a row of any table that can have some.
    pub fn custom_attributes(&self, parent: Token) -> Vec<CustomAttribute<'_>> {
        let Some(parent) = HAS_CUSTOM_ATTRIBUTE.encode(parent) else { return Vec::new() };
        let metadata = &self.metadata;
        let attribute = |number| {
            let row = metadata.row(Table::CustomAttribute, number).ok()?;
            Some(CustomAttribute { constructor: row.reference(1).ok()??, value: row.blob(2).ok()?.rest() })
        };
        metadata.equal(Table::CustomAttribute, 0, parent).filter_map(attribute).collect()
    }

    /// The custom attribute of a row whose class has this full name.
    pub fn custom_attribute(&self, parent: Token, class: &str) -> Option<CustomAttribute<'_>> {
        let has_name = |attribute: &CustomAttribute<'_>| {
            self.attribute_class(attribute).and_then(|class| self.full_name(class)).as_deref() == Some(class)
        };
        self.custom_attributes(parent).into_iter().find(has_name)
    }

    /// The class of an attribute: a `TypeDef`, `TypeRef`, or for a generic one a `TypeSpec`.
    /// [`Assembly::full_name`] tells its name.
    pub fn attribute_class(&self, attribute: &CustomAttribute<'_>) -> Option<Token> {
        let row = attribute.constructor.row();
        match attribute.constructor.table()? {
            Table::MethodDef => self.method_owner(row).map(|owner| Token::new(Table::TypeDef, owner)),
            Table::MemberRef => self.metadata.row(Table::MemberRef, row).ok()?.reference(0).ok()?,
            _ => None,
        }
    }

    /// Decodes the arguments of an attribute.
    ///
    /// The bytes do not tell the size of an enum's member: `underlying` gives the integer type of an enum that is elsewhere.
    /// Where it answers `None`, the enum is taken for one of `int`, as most are.
    ///
    /// # Errors
    /// The bytes do not fit the constructor's signature, as may happen after a wrong guess of an enum's size.
    pub fn attribute_arguments(
        &self,
        attribute: &CustomAttribute<'_>,
        underlying: &dyn Fn(EnumType<'_>) -> Option<TypeSig>,
    ) -> Result<AttributeArguments, Malformed> {
        let types = self.constructor_params(attribute.constructor)?;
        let within = |malformed: Malformed| malformed.within(attribute.constructor);
        let mut decoder = Decoder { assembly: self, reader: Reader::new(attribute.value, 0), underlying };
        decoder.arguments(&types).map_err(within)
    }

    /// Types of a constructor's parameters, where a generic class's are those of its instance.
    fn constructor_params(&self, constructor: Token) -> Result<Vec<TypeSig>, Malformed> {
        match constructor.table() {
            Some(Table::MethodDef) => Ok(self.method(constructor.row())?.signature.params),
            Some(Table::MemberRef) => {
                let member = self.member_ref(constructor.row())?;
                let MemberSig::Method(mut signature) = member.signature else {
                    return Err(Malformed::of("an attribute's constructor is a field", constructor));
                };
                if member.parent.table() == Some(Table::TypeSpec)
                    && let TypeSig::Generic { arguments, .. } = self.type_spec(member.parent.row())?
                {
                    for param in &mut signature.params {
                        if let TypeSig::TypeParam(index) = *param
                            && let Some(argument) = arguments.get(index as usize)
                        {
                            *param = argument.clone();
                        }
                    }
                }
                Ok(signature.params)
            }
            _ => Err(Malformed::of("an attribute's constructor is no method", constructor)),
        }
    }

    /// The integer type of an enum of this assembly.
    fn underlying(&self, type_row: u32) -> Option<TypeSig> {
        let mut fields = self.type_def(type_row).ok()?.fields.filter_map(|row| self.field(row).ok());
        fields.find(|field| !field.is_static()).map(|field| field.signature)
    }
}

/// Type of an argument (ECMA-335, II.23.3).
enum Kind {
    Primitive(TypeSig),
    String,
    Type,
    /// The type is ahead of the value.
    Object,
    Array(Box<Kind>),
}

/// Arrays in arrays of objects are not nested more deeply, and the stack must hold the levels.
const DEPTH: u32 = 32;

struct Decoder<'a> {
    assembly: &'a Assembly,
    reader: Reader<'a>,
    underlying: &'a dyn Fn(EnumType<'_>) -> Option<TypeSig>,
}

impl Decoder<'_> {
    fn arguments(&mut self, types: &[TypeSig]) -> Result<AttributeArguments, Malformed> {
        if self.reader.is_empty() && types.is_empty() {
            return Ok(AttributeArguments { fixed: Vec::new(), named: Vec::new() });
        }
        if self.reader.u16()? != 1 {
            return Err(self.reader.error("an attribute's value does not start as it must"));
        }
        let mut fixed = Vec::with_capacity(types.len());
        for sig in types {
            let kind = self.kind_of(sig)?;
            fixed.push(self.argument(&kind, 0)?);
        }
        let mut named = Vec::new();
        for _ in 0..self.reader.u16()? {
            if !matches!(self.reader.u8()?, 0x53 | 0x54) {
                return Err(self.reader.error("a named argument is neither a field nor a property"));
            }
            let kind = self.kind(0)?;
            let name = self.string()?.unwrap_or_default();
            named.push((name, self.argument(&kind, 0)?));
        }
        Ok(AttributeArguments { fixed, named })
    }

    /// The kind that a parameter's type has.
    fn kind_of(&self, sig: &TypeSig) -> Result<Kind, Malformed> {
        Ok(match sig.unmodified() {
            TypeSig::String => Kind::String,
            TypeSig::Object => Kind::Object,
            // No class but `System.Type` may be an argument's type.
            TypeSig::Class(_) => Kind::Type,
            TypeSig::ValueType(token) => Kind::Primitive(self.of_enum(*token)),
            TypeSig::SzArray(element) => Kind::Array(Box::new(match element.unmodified() {
                TypeSig::SzArray(_) => return Err(self.reader.error("an argument is an array of arrays")),
                element => self.kind_of(element)?,
            })),
            sig => Kind::Primitive(sig.clone()),
        })
    }

    fn of_enum(&self, token: Token) -> TypeSig {
        let here = (token.table() == Some(Table::TypeDef)).then(|| self.assembly.underlying(token.row())).flatten();
        here.or_else(|| (self.underlying)(EnumType::Row(token))).unwrap_or(TypeSig::I4)
    }

    /// The kind that the bytes tell.
    fn kind(&mut self, depth: u32) -> Result<Kind, Malformed> {
        let code = self.reader.u8()?;
        if let Some(primitive) = signatures::primitive(code) {
            return Ok(Kind::Primitive(primitive));
        }
        Ok(Kind::Primitive(match code {
            0x0e => return Ok(Kind::String),
            0x1d if depth == 0 => return Ok(Kind::Array(Box::new(self.kind(depth + 1)?))),
            0x50 => return Ok(Kind::Type),
            0x51 => return Ok(Kind::Object),
            0x55 => {
                let name = self.string()?.unwrap_or_default();
                // A name with a comma has an assembly's behind it.
                let here = self.assembly.find_full_name(&name).and_then(|row| self.assembly.underlying(row));
                here.or_else(|| (self.underlying)(EnumType::Name(&name))).unwrap_or(TypeSig::I4)
            }
            _ => return Err(self.reader.error("an argument has an unknown kind of type")),
        }))
    }

    fn argument(&mut self, kind: &Kind, depth: u32) -> Result<Argument, Malformed> {
        if depth == DEPTH {
            return Err(self.reader.error("an argument is nested too deeply"));
        }
        Ok(match kind {
            Kind::Primitive(sig) => self.primitive(sig)?,
            Kind::String => Argument::String(self.string()?),
            Kind::Type => Argument::Type(self.string()?),
            Kind::Object => {
                let kind = self.kind(0)?;
                self.argument(&kind, depth + 1)?
            }
            Kind::Array(element) => {
                let count = self.reader.u32()?;
                if count == u32::MAX {
                    return Ok(Argument::Array(None));
                }
                // Each element has a byte at least.
                if count as usize > self.reader.remaining() {
                    return Err(self.reader.error("an array announces more than it holds"));
                }
                let elements = (0..count).map(|_| self.argument(element, depth + 1)).collect::<Result<_, _>>()?;
                Argument::Array(Some(elements))
            }
        })
    }

    fn primitive(&mut self, sig: &TypeSig) -> Result<Argument, Malformed> {
        let reader = &mut self.reader;
        Ok(match sig {
            TypeSig::Bool => Argument::Bool(reader.u8()? != 0),
            TypeSig::Char => Argument::Char(reader.u16()?),
            TypeSig::I1 => Argument::I1(reader.u8()?.cast_signed()),
            TypeSig::U1 => Argument::U1(reader.u8()?),
            TypeSig::I2 => Argument::I2(reader.u16()?.cast_signed()),
            TypeSig::U2 => Argument::U2(reader.u16()?),
            TypeSig::I4 => Argument::I4(reader.u32()?.cast_signed()),
            TypeSig::U4 => Argument::U4(reader.u32()?),
            TypeSig::I8 => Argument::I8(reader.u64()?.cast_signed()),
            TypeSig::U8 => Argument::U8(reader.u64()?),
            TypeSig::R4 => Argument::R4(reader.u32()?),
            TypeSig::R8 => Argument::R8(reader.u64()?),
            _ => return Err(reader.error("a parameter's type cannot be an attribute argument's")),
        })
    }

    /// A string with its length ahead; a single byte 0xff stands for null.
    fn string(&mut self) -> Result<Option<String>, Malformed> {
        if self.reader.peek() == Some(0xff) {
            self.reader.u8()?;
            return Ok(None);
        }
        let length = self.reader.compressed()? as usize;
        let text = std::str::from_utf8(self.reader.take(length)?);
        text.map(|text| Some(text.to_owned())).map_err(|_| self.reader.error("a string is not in UTF-8"))
    }
}
