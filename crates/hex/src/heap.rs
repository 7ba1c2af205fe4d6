//! Defines heaps: objects, and references at places (paper 3, definition 3.1).

use crate::names::is_instance;
use crate::sentence::index;
use crate::{Label, RootId};
use aback_ir::{FieldId, Program, Type};

index!(
    /// An object of a heap; numbers count from 0.
    ObjectNumber
);

/// The place of a reference: its source and its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A named root.
    Root(RootId),
    /// A field of an object.
    Field(ObjectNumber, FieldId),
    /// An element of an array. All elements of an array have the same name in paths.
    Element(ObjectNumber),
}

impl Place {
    /// The object that contains the reference; `None` for roots.
    pub fn source(self) -> Option<ObjectNumber> {
        match self {
            Place::Root(_) => None,
            Place::Field(object, _) | Place::Element(object) => Some(object),
        }
    }

    /// The same name in another object; roots stay what they are.
    pub fn in_object(self, object: ObjectNumber) -> Place {
        match self {
            Place::Root(_) => self,
            Place::Field(_, field) => Place::Field(object, field),
            Place::Element(_) => Place::Element(object),
        }
    }
}

impl Label {
    /// Whether the reference at `place` has this name.
    pub fn matches(&self, program: &Program, place: Place) -> bool {
        match (self, place) {
            (Label::Field(name), Place::Field(_, field)) => program.field(field).name == *name,
            (Label::Declared(declared), Place::Field(_, field)) => *declared == field,
            (Label::OfInstances(generic, name), Place::Field(_, field)) => {
                let field = program.field(field);
                field.name == *name && is_instance(program.class_name(field.class), generic)
            }
            (Label::Element, Place::Element(_)) => true,
            _ => false,
        }
    }
}

/// A reference of a heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// Where it is.
    pub place: Place,
    /// The object that it refers to; `None` for null.
    pub target: Option<ObjectNumber>,
}

/// A heap: objects with their exact types, and references. Two elements of an array are two references.
///
/// Objects that no root leads to count as absent: definition 3.1 excludes them.
#[derive(Clone, Default, Debug)]
pub struct Heap {
    types: Vec<Type>,
    references: Vec<Reference>,
}

impl Heap {
    /// Adds an object of this exact type.
    pub fn add_object(&mut self, exact: Type) -> ObjectNumber {
        self.types.push(exact);
        ObjectNumber(self.types.len() as u32 - 1)
    }

    /// Adds a reference between objects that were added. Each place but elements has at most one.
    ///
    /// # Errors
    /// If an object was not added; the heap is then unchanged.
    pub fn add_reference(&mut self, place: Place, target: Option<ObjectNumber>) -> Result<(), UnknownObject> {
        for object in place.source().into_iter().chain(target) {
            if object.index() >= self.types.len() {
                return Err(UnknownObject(object));
            }
        }
        self.references.push(Reference { place, target });
        Ok(())
    }

    /// The exact types of the objects.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// All references.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Which objects can be reached from the roots over references that `use_reference` accepts by their index.
    pub(crate) fn reachable(&self, use_reference: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.types.len()];
        loop {
            let mut grows = false;
            for (index, reference) in self.references.iter().enumerate() {
                let starts = reference.place.source().is_none_or(|source| reached[source.index()]);
                if let Some(target) = reference.target
                    && starts
                    && use_reference(index)
                    && !reached[target.index()]
                {
                    reached[target.index()] = true;
                    grows = true;
                }
            }
            if !grows {
                return reached;
            }
        }
    }
}

/// There are more cases than the limit of the caller allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the heap has too many orders of discovery")
    }
}

impl std::error::Error for TooLarge {}

/// A reference names an object that the heap does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownObject(pub ObjectNumber);

impl std::fmt::Display for UnknownObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the heap has no object {}", self.0.0)
    }
}

impl std::error::Error for UnknownObject {}
