//! Describes how values of the program model are shown as values of the sources.

use crate::program::FieldId;
use num_bigint::BigInt;

/// How one or more values of the program model are shown as one value of the sources.
#[derive(Clone, Debug)]
pub enum Form {
    /// One value, as it is.
    Plain,
    /// An integer of a type, which may be stored as one of another sign.
    Integer(Width),
    /// The code of a character.
    Character,
    /// A floating-point number, with the keyword of its type and the suffix of its literals.
    Float(&'static str, &'static str),
    /// A number that may have a name, by the name of the type.
    Constant(String, Vec<(i64, String)>),
    /// The parts of a value of a type, in order, with their names. Parts of a value without a type have no names.
    Parts(Option<String>, Vec<(String, Form)>),
    /// The flag whether there is a value, and the value.
    Optional(Box<Form>),
    /// Numbers that make up one value, and how the language writes it. A value that it cannot write is shown as its
    /// parts, which have names.
    Written(fn(&[BigInt]) -> Option<String>, Box<Form>),
    /// A reference to a variable, shown as the variable's value.
    Variable(Box<Form>),
    /// A value that is not shown.
    Hidden,
}

impl Form {
    /// The number of values of the program model.
    pub fn count(&self) -> usize {
        match self {
            Form::Plain | Form::Integer(_) | Form::Character | Form::Float(..) | Form::Constant(..) => 1,
            Form::Variable(_) | Form::Hidden => 1,
            Form::Parts(_, parts) => parts.iter().map(|(_, form)| form.count()).sum(),
            Form::Optional(inner) => 1 + inner.count(),
            Form::Written(_, parts) => parts.count(),
        }
    }
}

/// The bits of an integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    /// Their number.
    pub bits: u8,
    /// Whether the integers are signed.
    pub signed: bool,
}

impl Width {
    /// The integer of the type with the same bits.
    pub fn of(self, number: &BigInt) -> BigInt {
        let modulus = BigInt::from(1) << self.bits;
        let rest = ((number % &modulus) + &modulus) % &modulus;
        if self.signed && rest >= BigInt::from(1) << (self.bits - 1) { rest - modulus } else { rest }
    }
}

/// How objects of a class are shown.
#[derive(Clone, Debug)]
pub struct Look {
    /// The name of the class, as users write it.
    pub name: String,
    /// The contents.
    pub contents: Contents,
}

/// Where the elements of a collection are, each as a value of several fields or elements of the program model.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// How an element is shown.
    pub form: Form,
    /// The field with the array.
    pub array: FieldId,
    /// If that is no array of the program model: its fields with those in which the elements are.
    pub planes: Vec<FieldId>,
    /// The field with the index of the first element in use; none if that is zero.
    pub first: Option<FieldId>,
    /// Where the elements in use end.
    pub end: SequenceEnd,
}

/// Where the elements of a [`Sequence`] that are in use end.
#[derive(Clone, Copy, Debug)]
pub enum SequenceEnd {
    /// The field with their number.
    Count(FieldId),
    /// The field with the index behind the last one. It is the index of the first one if no element is in use.
    Index(FieldId),
}

/// A collection whose elements are in objects or entries of their own.
#[derive(Clone, Debug)]
pub struct Collection {
    /// The fields from the collection to what the walk starts with: the first element, the root, or the array.
    pub start: Vec<FieldId>,
    /// How the elements are found.
    pub walk: Walk,
    /// The fields from the collection to the number of elements. If another number is found, the collection is in no valid
    /// state.
    pub count: Vec<FieldId>,
    /// The parts of an element, the value or the key and the value: how each is shown, and the fields with its values.
    pub parts: Vec<(Form, Vec<FieldId>)>,
    /// Whether users see an order of the elements, as in a list.
    pub is_list: bool,
}

/// How the elements of a collection are found.
#[derive(Clone, Copy, Debug)]
pub enum Walk {
    /// From each element to the next by a field, until there is none, or the first one again.
    Chain(FieldId),
    /// From each element of a search tree to those that are smaller and to those that are greater.
    Tree(FieldId, FieldId),
    /// Each element of an array is the first of a chain.
    Table(FieldId),
    /// Each entry of an array whose elements are in several arrays of the program model. Entries in which the number in
    /// this field is less than -1 are not in use.
    Entries(FieldId),
}

/// What an object consists of, as users see it.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Fields, each with the fields of the program model for its values.
    Fields(Vec<(String, Form, Vec<FieldId>)>),
    /// A value, without an identity that users see.
    Value(Form, Vec<FieldId>),
    /// Elements, each of which is in several arrays of the program model, and the fields with the lengths of the
    /// dimensions. Without such fields, there is one dimension.
    Elements(Form, Vec<FieldId>, Vec<FieldId>),
    /// The elements of a collection that are in use, one after the other, round the end of an array.
    Sequence(Sequence),
    /// The elements of another collection.
    Collection(Collection),
    /// A variable of the caller, whose value users see under the name of the parameter.
    Variable,
    /// A reference to a place.
    Place {
        /// The field with the object that the place is part of; none for a static field.
        object: Option<FieldId>,
        /// The field with the index of the place in that object, which is an array.
        index: Option<FieldId>,
        /// The rest of the name of the place: `.next` for a field, `Settings.level` for a static field.
        name: String,
        /// The fields with the values at the place. Of an element, they hold arrays of the program model; without such
        /// fields, the object is an array of the program model itself.
        values: Vec<FieldId>,
    },
    /// A reference to a part of what another reference refers to: the field with that reference, and which of the values.
    Part(FieldId, std::ops::Range<usize>),
    /// As the program model has it.
    Plain,
}
