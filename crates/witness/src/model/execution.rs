//! Defines the record of a run: tables of names, the tree of calls, and the steps with their changes.

use super::text::Text;
use crate::document::ValueDocument;
use serde::{Deserialize, Serialize};

/// A run through the user's own code. Numbers refer to the tables of the same execution. Objects have numbers of their
/// own: objects of the input heap keep their index there, and any other object gets the next free number at first
/// sight.
///
/// The effects of library code belong to the step that called the library. Lines of the user that the library calls
/// back are steps again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// Source files that steps are in.
    pub files: Vec<SourceText>,
    /// Classes of objects.
    pub classes: Vec<ClassShape>,
    /// Methods that were called.
    pub methods: Vec<MethodShape>,
    /// Static fields of the user's classes that have a given or written value.
    pub statics: Vec<StaticShape>,
    /// The tree of calls; each call stands after its parent.
    pub calls: Vec<Call>,
    /// Number of steps before the first kept step. Of a very long run only the end is kept; the changes of the first
    /// kept step then build the whole state.
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
    /// SHA-256 of the text in hexadecimal digits; `None` if the text was not available.
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
    /// Whether a library defines it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub library: bool,
    /// The field that holds the name, if its objects are constants of an enum; by its number in `fields`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<usize>,
    /// Whether its objects are shown as the value of their only field.
    #[serde(default, rename = "box", skip_serializing_if = "std::ops::Not::not")]
    pub is_box: bool,
    /// Where the elements of its objects are, if they are collections of a library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<CollectionShape>,
    /// Instance fields, inherited ones first, without fields that a front end added.
    pub fields: Vec<FieldShape>,
}

/// Where the elements of a collection are. All that it names are fields of the objects inside of the collection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionShape {
    /// The fields that lead, one after the other, from the collection to where `walk` starts; empty if it is the object itself: an
    /// array whose elements have several values.
    pub start: Vec<FieldName>,
    /// How the elements are found.
    pub walk: WalkShape,
    /// The fields that lead from the collection to the number of elements. If another number is found, the collection is in no
    /// valid state. For `entries`, it is the number of entries, those that are not in use included. Empty if it is the length of
    /// the array.
    pub count: Vec<FieldName>,
    /// The parts of an element, which are the value, or the key and the value: the fields with the values of each. A part
    /// without fields is the element of an array itself.
    pub parts: Vec<Vec<FieldName>>,
    /// Whether users see an order of the elements.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub list: bool,
    /// If the elements are integers: what they are, whatever the array stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integers: Option<IntegerShape>,
}

/// A type of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntegerShape {
    /// The number of bits.
    pub bits: u8,
    /// Whether the integers are signed.
    pub signed: bool,
}

/// How the elements of a collection are found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum WalkShape {
    /// From each object to the next by a field, until there is none, or the first one again.
    Chain(FieldName),
    /// In a search tree, by the fields with the smaller and the greater elements.
    Tree(FieldName, FieldName),
    /// Each element of an array is the first of a chain by this field.
    Table(FieldName),
    /// The entries of an object with an array for each of their values. Those whose number in this field is less than -1 are
    /// not in use.
    Entries(FieldName),
    /// The elements of an array, round its end: from the index in the last of these fields, which lead there from the
    /// collection; from 0 without fields. If parts have fields, the start is an object with an array for each of them.
    Array(Vec<FieldName>),
    /// The same, but the count is the index behind the last element. It is that of the first one if there is none.
    Ring(Vec<FieldName>),
}

/// A field, by its name and the class that declares it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldName {
    /// The full name of the class.
    pub class: String,
    /// The name of the field.
    pub name: String,
}

/// A field of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldShape {
    /// Its name.
    pub name: String,
    /// The class that declares it.
    pub class: String,
    /// Its type, as the language writes it.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A method.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodShape {
    /// `Class.method`.
    pub name: String,
    /// Its named variables, parameters first.
    pub variables: Vec<VariableShape>,
    /// Its control-flow graph: the basic blocks, of which the first is where it begins. Empty before version 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockShape>,
}

/// A basic block of a method.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockShape {
    /// The lines of its code in the source, in order.
    pub lines: Vec<u32>,
    /// The steps that engines execute for it.
    pub code: Vec<String>,
    /// Where control can go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<NextShape>,
}

/// An edge of a control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextShape {
    /// The block that it leads to.
    pub to: u32,
    /// When control goes there: `true` or `false` for the condition of a branch, the number of a case, `default`, or `exception`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub when: String,
}

/// A variable of a method.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableShape {
    /// Its name.
    pub name: String,
    /// Its type, as the language writes it.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A static field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticShape {
    /// `Class.field`; `Class.field.part` for a value of a struct.
    pub name: String,
    /// The name of the class. Missing before version 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Its type, as the language writes it.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A call of a method of the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The method.
    pub method: u32,
    /// The innermost open call of the user's code, perhaps with calls of libraries in between; `None` for the first
    /// call.
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
    /// The first column that is executed, in characters from 1; 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: u32,
    /// The basic blocks of the call's method in which the line is executed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<u32>,
    /// The value that the call before this step returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<ValueDocument>,
    /// What has changed since the previous step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A change of the state that users see. References in values are numbers of objects that this step or an earlier one
/// introduced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// An object appears for the first time: its number and its whole content.
    Object(u32, Content),
    /// A variable has a new value: the call, the variable's number in the table of the call's method, the value.
    Local(u32, u32, ValueDocument),
    /// A variable is out of scope: another one with the same name has a value. The call, and the variable's number.
    Gone(u32, u32),
    /// A field of an object has a new value: the object, the field's number in the table of its class, the value.
    Field(u32, u32, ValueDocument),
    /// An element of an array has a new value: the array, the index in decimal, the value.
    Element(u32, String, ValueDocument),
    /// A static field has a new value.
    Static(u32, ValueDocument),
}

impl Change {
    /// The object that the change is about, if any, and the objects that its values refer to.
    pub fn objects(&self) -> Vec<u32> {
        let (about, values): (Option<u32>, Vec<&ValueDocument>) = match self {
            Change::Object(id, Content::Instance { values, .. }) => (Some(*id), values.iter().collect()),
            Change::Object(id, Content::Array { elements, default, .. }) => {
                (Some(*id), elements.iter().map(|(_, value)| value).chain([default]).collect())
            }
            Change::Object(id, Content::String { .. } | Content::Opaque { .. }) => (Some(*id), Vec::new()),
            Change::Field(id, _, value) | Change::Element(id, _, value) => (Some(*id), vec![value]),
            Change::Local(_, _, value) | Change::Static(_, value) => (None, vec![value]),
            Change::Gone(..) => (None, Vec::new()),
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
        /// Type of its elements, as the language writes it.
        element: String,
        /// Number of its elements, in decimal.
        length: String,
        /// The value of each element that `elements` does not list.
        default: ValueDocument,
        /// Elements with another value, with their indices in decimal.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        elements: Vec<(String, ValueDocument)>,
    },
    /// An object of a library whose content is not recorded, such as a thread.
    Opaque {
        /// Its exact class.
        class: u32,
    },
}
