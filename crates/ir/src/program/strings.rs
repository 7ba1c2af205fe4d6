//! What is known of strings?

use super::{ClassId, FieldId};

/// How the objects of the class of strings hold their characters, so that strings are shown as such.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringLayout {
    /// The class.
    pub class: ClassId,
    /// Its field with an array of UTF-16 code units (`u16`), or of bytes (`i8`) that the coder tells how to read.
    pub value: FieldId,
    /// Its field (`i8`) that says what the bytes are: 0 for Latin-1, one byte for each character; 1 for UTF-16 in little
    /// endian, two bytes for each code unit. Without it, bytes are Latin-1.
    pub coder: Option<FieldId>,
}

/// What the objects are that exist when a program starts, as its language has them.
#[derive(Clone, Default, Debug)]
pub struct InputRules {
    /// What holds of strings, if they are more than objects.
    pub strings: Option<InputStrings>,
    /// Classes whose objects, and those of their subclasses, only the program makes: none is an object of the input heap.
    pub made_only: Vec<ClassId>,
    /// Classes that have no objects at all.
    pub uninhabited: Vec<ClassId>,
    /// Instance fields that hold the default of their type in every object.
    pub unset: Vec<FieldId>,
    /// Classes whose arrays stand for those of all subtypes that a library may have: what is stored into an array of a library
    /// type fits into an array of some of its subtypes and not into one of others.
    pub elements: Vec<ClassId>,
}

/// What holds of the strings that exist when the program starts, beside what [`StringLayout`] says: their coder is 0, or 1 where
/// a character needs it, and their array belongs to strings alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputStrings {
    /// Most characters that are considered.
    pub most: u32,
    /// Fields of theirs that hold defaults.
    pub unset: Vec<FieldId>,
}

impl InputStrings {
    /// What is within the bound, in words.
    pub fn bound(&self) -> String {
        format!("strings from inputs have at most {} characters", self.most)
    }
}
