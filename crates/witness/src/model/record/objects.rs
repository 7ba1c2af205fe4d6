//! Numbers the objects that users can see in a run, and decides which are near enough to be recorded.

use crate::heap::{Heap, HeapObject};
use crate::value::Address;
use aback_ir::{Collection, Contents, FieldId, Program, Sequence, Walk};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Longest chain of library objects, starting at an object or variable of the user, whose contents are recorded.
/// Neighbours of the same class, such as nodes of a list, count as one link.
const LIBRARY_DEPTH: u32 = 3;
/// Most objects of libraries, except strings and arrays, whose contents are recorded.
const LIBRARY_OBJECTS: usize = 10_000;

/// What holds a reference to an object.
#[derive(Clone, Copy)]
pub(super) enum Holder {
    /// A variable, a static field or the result of a call.
    Variable,
    /// A field of an object.
    Field(Address, FieldId),
    /// An element of an array.
    Element(Address),
}

/// The objects that users can see.
pub(super) struct Objects {
    known: FxHashMap<Address, Known>,
    /// Objects whose contents the next step records.
    new: VecDeque<Address>,
    /// Number of objects of the input heap. They have the first numbers.
    inputs: u32,
    next: u32,
    of_libraries: usize,
    /// Fields through which collections lead to the objects that they consist of.
    inner: FxHashSet<FieldId>,
    /// Fields through which collections lead to arrays of such objects.
    tables: FxHashSet<FieldId>,
}

/// What the record knows about an object.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Its number in the record.
    pub(super) number: u32,
    /// Links from the nearest object or variable of the user; see [`LIBRARY_DEPTH`].
    depth: u32,
    /// Whether its parts are recorded.
    pub(super) has_parts: bool,
    /// Whether it is an array of objects that a collection consists of.
    is_table: bool,
}

impl Objects {
    /// No objects, for a run on an input heap of `inputs` objects.
    pub(super) fn new(inputs: u32) -> Self {
        Objects {
            known: FxHashMap::default(),
            new: VecDeque::new(),
            inputs,
            next: inputs,
            of_libraries: 0,
            inner: FxHashSet::default(),
            tables: FxHashSet::default(),
        }
    }

    /// Notes which objects the collections of a class consist of.
    pub(super) fn learn(&mut self, contents: &Contents) {
        let (inner, table) = inner_fields(contents);
        self.inner.extend(inner);
        self.tables.extend(table);
    }

    /// What is known of an object that users can see.
    pub(super) fn get(&self, address: Address) -> Option<&Known> {
        self.known.get(&address)
    }

    /// The same, to change it.
    pub(super) fn get_mut(&mut self, address: Address) -> Option<&mut Known> {
        self.known.get_mut(&address)
    }

    /// The next object whose contents were not recorded yet.
    pub(super) fn next_new(&mut self) -> Option<Address> {
        self.new.pop_front()
    }

    /// Whether the contents of one more object of a library are recorded: it is near enough, and there are not too many.
    pub(super) fn admits(&mut self, of_library: Address) -> bool {
        let depth = self.known.get(&of_library).map_or(0, |known| known.depth);
        let admitted = depth <= LIBRARY_DEPTH && self.of_libraries < LIBRARY_OBJECTS;
        self.of_libraries += usize::from(admitted);
        admitted
    }

    /// The number of an object, which `holder` holds. What a collection consists of is as far from the user as the collection.
    pub(super) fn number(&mut self, heap: &Heap, program: &Program, address: Address, holder: Holder) -> u32 {
        if let Some(known) = self.known.get(&address) {
            return known.number;
        }
        let number = match address.index() as u64 {
            index if index < u64::from(self.inputs) => index as u32,
            _ => {
                self.next += 1;
                self.next - 1
            }
        };
        let class = heap.get(address).and_then(HeapObject::class);
        let around = match holder {
            Holder::Variable => None,
            Holder::Field(holder, _) | Holder::Element(holder) => Some(holder),
        };
        let above = around.and_then(|holder| Some((*self.known.get(&holder)?, heap.get(holder)?.class())));
        let is_inner = match holder {
            Holder::Variable => false,
            Holder::Field(_, field) => self.inner.contains(&field),
            Holder::Element(_) => above.is_some_and(|(above, _)| above.is_table),
        };
        let is_value = class.is_some_and(|class| program.profile().boxes.contains(&class));
        let depth = match (class, above) {
            (Some(_), Some((above, _))) if is_inner || is_value => above.depth,
            (Some(class), above) if program.class(class).is_library => match above {
                Some((above, same)) if same == Some(class) => above.depth,
                Some((above, _)) => above.depth + 1,
                None => 1,
            },
            (Some(_), _) => 0,
            (None, above) => above.map_or(0, |(above, _)| above.depth),
        };
        let is_table = matches!(holder, Holder::Field(_, field) if self.tables.contains(&field));
        self.known.insert(address, Known { number, depth, has_parts: true, is_table });
        self.new.push_back(address);
        number
    }
}

/// The fields of the program model that lead to parts of a collection, and those that lead to an array of such parts.
fn inner_fields(contents: &Contents) -> (Vec<FieldId>, Option<FieldId>) {
    match contents {
        Contents::Elements(_, planes, lengths) if lengths.is_empty() => (planes.clone(), None),
        Contents::Sequence(Sequence { array, planes, .. }) => (planes.iter().copied().chain([*array]).collect(), None),
        Contents::Collection(Collection { start, walk, count, parts, .. }) => {
            let mut fields: Vec<FieldId> = start.iter().chain(count).copied().collect();
            let mut table = None;
            match walk {
                Walk::Chain(next) => fields.push(*next),
                Walk::Tree(left, right) => fields.extend([*left, *right]),
                Walk::Table(next) => {
                    fields.push(*next);
                    table = start.last().copied();
                }
                Walk::Entries(next) => {
                    fields.push(*next);
                    fields.extend(parts.iter().flat_map(|(_, fields)| fields));
                }
            }
            (fields, table)
        }
        _ => (Vec::new(), None),
    }
}
