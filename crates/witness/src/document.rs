//! Reads and writes inputs in files. Names replace numbers, so that the file is readable and survives a change of the
//! program that renumbers its entities.

use crate::inputs::{InputObject, InputValue, Inputs};
use crate::value::Value;
use aback_ir::{FieldId, Program, Type};
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An input with names for entities. In JSON:
///
/// ```json
/// {
///   "args": [{"ref": 0}, {"int": "5"}],
///   "heap": [{"class": "Node", "fields": {"Node.next": {"ref": 0}, "Node.value": {"int": "3"}}}]
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputsDocument {
    /// Arguments of the entry point, the receiver first.
    #[serde(default)]
    pub args: Vec<ValueDocument>,
    /// The input heap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heap: Vec<ObjectDocument>,
    /// Values of nondeterministic intrinsics, in the order in which the run asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nondet: Vec<ValueDocument>,
    /// Static fields, as `Class.field`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub statics: BTreeMap<String, ValueDocument>,
}

/// A value, as in `"null"`, `{"bool": true}`, `{"int": "5"}`, `{"ref": 0}`, `{"f64": "1.5"}`,
/// `{"elements": [{"int": "5"}]}`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueDocument {
    /// The null reference.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer in decimal. It is a string because JSON readers lose digits of long numbers.
    Int(String),
    /// A binary32: a decimal number that rounds to it, or for a NaN its bits (`0x7fc00000`).
    F32(String),
    /// A binary64: a decimal number that rounds to it, or for a NaN its bits (`0x7ff8000000000000`).
    F64(String),
    /// A reference to an object of the input heap, by its index from 0.
    Ref(usize),
    /// The elements of an array, in order; missing elements hold defaults. For nondeterministic values only.
    Elements(Vec<ValueDocument>),
}

/// An object of an input heap.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum ObjectDocument {
    /// An instance of a class.
    Object {
        /// Its exact class.
        class: String,
        /// Its fields, as `Class.field` with the class that declares the field. Missing fields hold defaults.
        #[serde(default)]
        fields: BTreeMap<String, ValueDocument>,
    },
    /// An array.
    Array {
        /// Type of its elements, as in IR text (`i32`, `Node`, `Node[]`).
        element: String,
        /// Number of its elements, in decimal.
        length: String,
        /// Its elements by decimal index; missing elements hold `rest`.
        #[serde(default)]
        elements: BTreeMap<String, ValueDocument>,
        /// The value of the other elements, unless it is the default of their type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rest: Option<ValueDocument>,
    },
}

/// A name or number in a document that has no meaning for the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DocumentError {
    /// The program has no such class.
    #[error("the program has no class {0}")]
    NoSuchClass(String),
    /// The program has no such field. A field is named with the class that declares it.
    #[error("the program has no field {0} (expected Class.field)")]
    NoSuchField(String),
    /// The program has no such type.
    #[error("the program has no type {0}")]
    NoSuchType(String),
    /// Text that should be a number is not.
    #[error("{0:?} is not a number")]
    NotANumber(String),
}

impl InputsDocument {
    /// The document of an input. The input must fit the program ([`Inputs::check`]).
    pub fn of(inputs: &Inputs, program: &Program) -> Self {
        let field = |field: &FieldId| {
            let declared = program.field(*field);
            format!("{}.{}", program.class(declared.class).name, declared.name)
        };
        let named = |fields: &BTreeMap<FieldId, InputValue>| {
            fields.iter().map(|(id, value)| (field(id), value.into())).collect::<BTreeMap<_, _>>()
        };
        InputsDocument {
            args: inputs.args.iter().map(ValueDocument::from).collect(),
            heap: inputs
                .heap
                .iter()
                .map(|object| match object {
                    InputObject::Object { class, fields } => {
                        ObjectDocument::Object { class: program.class(*class).name.clone(), fields: named(fields) }
                    }
                    InputObject::Array { element, length, elements, rest } => ObjectDocument::Array {
                        element: program.type_name(*element),
                        length: length.to_string(),
                        elements: elements.iter().map(|(index, value)| (index.to_string(), value.into())).collect(),
                        rest: rest.as_ref().map(ValueDocument::from),
                    },
                })
                .collect(),
            nondet: inputs.nondet.iter().map(ValueDocument::from).collect(),
            statics: named(&inputs.statics),
        }
    }

    /// The input that the document describes. [`Inputs::check`] checks whether it fits an entry point.
    ///
    /// # Errors
    /// A name that the program does not have, or text that is no number.
    pub fn resolve(&self, program: &Program) -> Result<Inputs, DocumentError> {
        let fields = |fields: &BTreeMap<String, ValueDocument>| {
            let resolved = fields.iter().map(|(name, value)| Ok((field_named(program, name)?, value.resolve()?)));
            resolved.collect::<Result<_, DocumentError>>()
        };
        let values =
            |values: &[ValueDocument]| values.iter().map(ValueDocument::resolve).collect::<Result<Vec<_>, _>>();
        Ok(Inputs {
            args: values(&self.args)?,
            heap: self
                .heap
                .iter()
                .map(|object| match object {
                    ObjectDocument::Object { class, fields: named } => Ok(InputObject::Object {
                        class: program.class_named(class).ok_or_else(|| DocumentError::NoSuchClass(class.clone()))?,
                        fields: fields(named)?,
                    }),
                    ObjectDocument::Array { element, length, elements, rest } => Ok(InputObject::Array {
                        element: element_named(program, element)?,
                        length: integer(length)?,
                        elements: elements
                            .iter()
                            .map(|(index, value)| Ok((integer(index)?, value.resolve()?)))
                            .collect::<Result<_, DocumentError>>()?,
                        rest: rest.as_ref().map(ValueDocument::resolve).transpose()?,
                    }),
                })
                .collect::<Result<_, DocumentError>>()?,
            nondet: values(&self.nondet)?,
            statics: fields(&self.statics)?,
        })
    }
}

impl From<&Value> for ValueDocument {
    /// References become addresses.
    fn from(value: &Value) -> Self {
        match value {
            Value::Bool(value) => ValueDocument::Bool(*value),
            Value::Int(value) => ValueDocument::Int(value.to_string()),
            Value::F32(bits) => (&InputValue::F32(*bits)).into(),
            Value::F64(bits) => (&InputValue::F64(*bits)).into(),
            Value::Null => ValueDocument::Null,
            Value::Ref(address) => ValueDocument::Ref(address.index()),
        }
    }
}

impl From<&InputValue> for ValueDocument {
    fn from(value: &InputValue) -> Self {
        match value {
            InputValue::Bool(value) => ValueDocument::Bool(*value),
            InputValue::Int(value) => ValueDocument::Int(value.to_string()),
            InputValue::F32(bits) => ValueDocument::F32(match f32::from_bits(*bits) {
                value if value.is_nan() => format!("{bits:#010x}"),
                value => format!("{value:?}"),
            }),
            InputValue::F64(bits) => ValueDocument::F64(match f64::from_bits(*bits) {
                value if value.is_nan() => format!("{bits:#018x}"),
                value => format!("{value:?}"),
            }),
            InputValue::Null => ValueDocument::Null,
            InputValue::Ref(index) => ValueDocument::Ref(*index),
            InputValue::Elements(elements) => ValueDocument::Elements(elements.iter().map(Self::from).collect()),
        }
    }
}

impl ValueDocument {
    /// The object that a reference refers to; `None` for other values. A number beyond `u32` becomes `u32::MAX`.
    pub fn reference(&self) -> Option<u32> {
        match self {
            ValueDocument::Ref(object) => Some(u32::try_from(*object).unwrap_or(u32::MAX)),
            _ => None,
        }
    }

    /// The value.
    ///
    /// # Errors
    /// Text that is no number.
    pub fn resolve(&self) -> Result<InputValue, DocumentError> {
        let not_a_number = |text: &str| DocumentError::NotANumber(text.to_owned());
        Ok(match self {
            ValueDocument::Null => InputValue::Null,
            ValueDocument::Bool(value) => InputValue::Bool(*value),
            ValueDocument::Int(text) => InputValue::Int(integer(text)?),
            ValueDocument::F32(text) => InputValue::F32(match text.strip_prefix("0x") {
                Some(bits) => u32::from_str_radix(bits, 16).map_err(|_| not_a_number(text))?,
                None => text.parse::<f32>().map_err(|_| not_a_number(text))?.to_bits(),
            }),
            ValueDocument::F64(text) => InputValue::F64(match text.strip_prefix("0x") {
                Some(bits) => u64::from_str_radix(bits, 16).map_err(|_| not_a_number(text))?,
                None => text.parse::<f64>().map_err(|_| not_a_number(text))?.to_bits(),
            }),
            ValueDocument::Ref(index) => InputValue::Ref(*index),
            ValueDocument::Elements(elements) => {
                InputValue::Elements(elements.iter().map(Self::resolve).collect::<Result<_, _>>()?)
            }
        })
    }
}

fn integer(text: &str) -> Result<BigInt, DocumentError> {
    text.parse().map_err(|_| DocumentError::NotANumber(text.to_owned()))
}

fn field_named(program: &Program, name: &str) -> Result<FieldId, DocumentError> {
    // Names of classes may have dots, and so may names of fields: a part of a struct is a field `Point.X`.
    name.rmatch_indices('.')
        .find_map(|(dot, _)| {
            let class = program.class_named(&name[..dot])?;
            program.class(class).fields.iter().copied().find(|&id| program.field(id).name == name[dot + 1..])
        })
        .ok_or_else(|| DocumentError::NoSuchField(name.to_owned()))
}

/// The type of an array's elements. If the program has not met the array type yet, this creates it.
fn element_named(program: &Program, name: &str) -> Result<Type, DocumentError> {
    let unknown = || DocumentError::NoSuchType(name.to_owned());
    let innermost = name.trim_end_matches("[]");
    let machine = |width, signed| Type::Machine { width, signed };
    let mut ty = match innermost {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "i8" => machine(8, true),
        "i16" => machine(16, true),
        "i32" => machine(32, true),
        "i64" => machine(64, true),
        "u8" => machine(8, false),
        "u16" => machine(16, false),
        "u32" => machine(32, false),
        "u64" => machine(64, false),
        "f32" => Type::F32,
        "f64" => Type::F64,
        class => Type::Class(program.class_named(class).ok_or_else(unknown)?),
    };
    for _ in 0..(name.len() - innermost.len()) / 2 {
        ty = program.array_of(ty);
    }
    program.array_of(ty);
    Ok(ty)
}
