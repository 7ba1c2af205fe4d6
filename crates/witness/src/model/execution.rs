//! What is kept of a run: tables of names, the tree of calls, and the steps with their changes.

use super::text::Text;
use crate::document::ValueDocument;
use serde::{Deserialize, Serialize};

/// A run through the user's own code. Numbers refer to the tables of the same execution; objects have numbers of their
/// own: those of the input heap the index that they have there, others the next free one when they are first met.
///
/// What code of libraries does belongs to the step that called it; lines that it calls back are steps again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// Source files that steps are in.
    pub files: Vec<SourceText>,
    /// Classes of objects.
    pub classes: Vec<ClassShape>,
    /// Methods that were called.
    pub methods: Vec<MethodShape>,
    /// Static fields of the user's classes that were given or written.
    pub statics: Vec<StaticShape>,
    /// The tree of calls, each after its parent.
    pub calls: Vec<Call>,
    /// How many steps came before the first one: a very long run is kept from a step near its end on, whose changes are
    /// then all that is there.
    #[serde(default)]
    pub omitted: u64,
    /// The lines in the order in which they were reached.
    pub steps: Vec<Step>,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceText {
    /// Path as it was given.
    pub path: String,
    /// SHA-256 of the text in hexadecimal digits; none where the text was not at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What the file contained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A class of objects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassShape {
    /// Full name.
    pub name: String,
    /// Whether it is one of a library.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub library: bool,
    /// The field that holds the name, if its objects are constants of an enum; by its number in `fields`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<usize>,
    /// Whether its objects are shown as the value of their only field.
    #[serde(default, rename = "box", skip_serializing_if = "std::ops::Not::not")]
    pub is_box: bool,
    /// Instance fields, inherited ones first, without those that users cannot know of.
    pub fields: Vec<FieldShape>,
}

/// A field of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldShape {
    /// Its name.
    pub name: String,
    /// The class that declares it.
    pub class: String,
    /// Its type in the words of the language.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A method.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodShape {
    /// `Class.method`.
    pub name: String,
    /// Its variables that have names, parameters first.
    pub variables: Vec<VariableShape>,
}

/// A variable of a method.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableShape {
    /// Its name.
    pub name: String,
    /// Its type in the words of the language.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A static field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticShape {
    /// `Class.field`.
    pub name: String,
    /// Its type in the words of the language.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A call of a method of the user's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The method.
    pub method: u32,
    /// The innermost call of the user's code that was open, maybe with calls of libraries in between; none for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
}

/// A line that is about to be executed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The call that it belongs to.
    pub call: u32,
    /// The file.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The first column that is executed, in characters from 1; 0 if it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: u32,
    /// The value that the call before this step has returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<ValueDocument>,
    /// What has changed since the previous step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A change of what a person can see. References in values are numbers of objects that this step or an earlier one
/// made known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// An object can be seen for the first time: its number and all that it holds.
    Object(u32, Content),
    /// Of a call, a variable of its method has a new value.
    Local(u32, u32, ValueDocument),
    /// Of an object, a field of its class has a new value.
    Field(u32, u32, ValueDocument),
    /// Of an array, the element at an index (in decimal) has a new value.
    Element(u32, String, ValueDocument),
    /// A static field has a new value.
    Static(u32, ValueDocument),
}

impl Change {
    /// The object that it is about, if it is about one, and those that its values refer to.
    pub fn objects(&self) -> Vec<u32> {
        let (about, values): (Option<u32>, Vec<&ValueDocument>) = match self {
            Change::Object(id, Content::Instance { values, .. }) => (Some(*id), values.iter().collect()),
            Change::Object(id, Content::Array { elements, default, .. }) => {
                (Some(*id), elements.iter().map(|(_, value)| value).chain([default]).collect())
            }
            Change::Object(id, Content::String { .. } | Content::Opaque { .. }) => (Some(*id), Vec::new()),
            Change::Field(id, _, value) | Change::Element(id, _, value) => (Some(*id), vec![value]),
            Change::Local(_, _, value) | Change::Static(_, value) => (None, vec![value]),
        };
        about.into_iter().chain(values.into_iter().filter_map(ValueDocument::reference)).collect()
    }
}

/// What an object holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Content {
    /// An instance of a class.
    Instance {
        /// Its exact class.
        class: u32,
        /// The values of its class's fields.
        values: Vec<ValueDocument>,
    },
    /// A string, which does not change.
    String {
        /// Its class.
        class: u32,
        /// Its characters.
        text: Text,
    },
    /// An array.
    Array {
        /// Type of its elements in the words of the language.
        element: String,
        /// Number of its elements, in decimal.
        length: String,
        /// What its elements hold unless it is said.
        default: ValueDocument,
        /// Elements that hold something else, with their indices in decimal.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        elements: Vec<(String, ValueDocument)>,
    },
    /// An object of a library that is not looked into: a thread, say.
    Opaque {
        /// Its exact class.
        class: u32,
    },
}
