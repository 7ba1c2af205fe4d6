//! Stores the objects of a run: instances with fields and arrays with elements, at addresses that are never reused.

use crate::int::Int;
use crate::value::{Address, Value};
use aback_ir::{ClassId, FieldId, Program, StringLayout, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Longest array, in elements, that is stored element by element. Of longer arrays only the written elements are
/// stored, so that an array of 2^31-1 elements costs nothing until it is used.
pub(crate) const MAX_DENSE_LENGTH: usize = 1 << 20;

/// Cells that an object or array takes beyond its fields and elements.
const OVERHEAD: u64 = 4;

/// The objects of a run. There is no garbage collection.
pub struct Heap {
    objects: Vec<HeapObject>,
    layouts: FxHashMap<ClassId, Rc<Layout>>,
    strings: Option<StringLayout>,
    cells: u64,
    max_cells: u64,
    latest_write: Option<Write>,
}

/// A part of an object that was written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Write {
    /// A field of an object.
    Field(Address, FieldId),
    /// An element of an array.
    Element(Address, Int),
}

/// The heap has no room left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfMemory;

/// An object of the heap.
pub enum HeapObject {
    /// An instance of a class.
    Object(Object),
    /// An array.
    Array(Box<Array>),
}

/// An instance of a class.
pub struct Object {
    layout: Rc<Layout>,
    values: Box<[Value]>,
}

/// Where objects of one class keep their fields.
struct Layout {
    class: ClassId,
    fields: Vec<FieldId>,
    slots: FxHashMap<FieldId, usize>,
    defaults: Box<[Value]>,
}

/// An array.
pub struct Array {
    element: Type,
    length: Int,
    default: Value,
    elements: Elements,
}

enum Elements {
    Dense(Vec<Value>),
    Sparse(BTreeMap<Int, Value>),
}

impl Heap {
    /// An empty heap with room for `max_cells` cells of about 16 bytes.
    pub(crate) fn new(program: &Program, max_cells: u64) -> Self {
        let strings = program.string_layout();
        Heap { objects: Vec::new(), layouts: FxHashMap::default(), strings, cells: 0, max_cells, latest_write: None }
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Number of cells in use: fields, stored elements, and four for each object.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// The write of the previous operation, if it wrote to an object. If the operation filled an array from inputs,
    /// this is the array's last element.
    pub fn latest_write(&self) -> Option<&Write> {
        self.latest_write.as_ref()
    }

    /// Forgets the latest write when a new operation begins.
    pub(crate) fn forget_write(&mut self) {
        self.latest_write = None;
    }

    /// The object at `address`. `None` only for an address of another run's heap.
    pub fn get(&self, address: Address) -> Option<&HeapObject> {
        self.objects.get(address.index())
    }

    /// All objects in the order of allocation.
    pub fn iter(&self) -> impl Iterator<Item = (Address, &HeapObject)> {
        self.objects.iter().enumerate().map(|(index, object)| (Address(index as u32), object))
    }

    /// The string at `address`. `None` if the object there is not an instance of the program's string class, or has no
    /// characters because its constructor has not run. Unpaired surrogates are replaced, and a string of more than a
    /// million characters is cut.
    pub fn string(&self, address: Address) -> Option<String> {
        let units = self.string_units(address)?;
        Some(char::decode_utf16(units.take(MAX_DENSE_LENGTH)).map(|char| char.unwrap_or('\u{fffd}')).collect())
    }

    /// The UTF-16 code units of a string; `None` in the same cases as for [`Heap::string`].
    pub fn units(&self, address: Address) -> Option<Vec<u16>> {
        self.string_units(address).map(Iterator::collect)
    }

    /// The same, but `None` also for a string of more than `most` units, which takes no time.
    pub fn short_units(&self, address: Address, most: usize) -> Option<Vec<u16>> {
        let units = self.string_units(address)?;
        usize::try_from(units.total()).is_ok_and(|total| total <= most).then(|| units.collect())
    }

    /// Whether the object at `address` is a string with characters.
    pub(crate) fn is_string(&self, address: Address) -> bool {
        self.string_units(address).is_some()
    }

    /// The UTF-16 code units of the string at `address`.
    pub(crate) fn string_units(&self, address: Address) -> Option<StringUnits<'_>> {
        let layout = self.strings?;
        let HeapObject::Object(object) = self.get(address)? else { return None };
        if object.class() != layout.class {
            return None;
        }
        let Value::Ref(value) = object.get(layout.value)? else { return None };
        let HeapObject::Array(array) = self.get(*value)? else { return None };
        let coder = match layout.coder {
            Some(coder) => int_of(object.get(coder)?)?,
            None => 0,
        };
        let coding = match (array.element_type(), coder) {
            (Type::Machine { width: 16, .. }, _) => Coding::Units,
            (Type::Machine { width: 8, .. }, 0) => Coding::Latin1,
            (Type::Machine { width: 8, .. }, 1) => Coding::Utf16,
            _ => return None,
        };
        Some(StringUnits { array, coding, next: 0 })
    }

    /// Allocates an object whose fields hold defaults.
    pub(crate) fn new_object(&mut self, program: &Program, class: ClassId) -> Result<Address, OutOfMemory> {
        let layout = self.layouts.entry(class).or_insert_with(|| Rc::new(Layout::of(program, class))).clone();
        self.charge(layout.fields.len() as u64 + OVERHEAD)?;
        let values = layout.defaults.clone();
        self.push(HeapObject::Object(Object { layout, values }))
    }

    /// Allocates an array of defaults. The length is not negative.
    pub(crate) fn new_array(&mut self, element: Type, length: Int) -> Result<Address, OutOfMemory> {
        self.new_array_of(element, length, Value::default_of(element))
    }

    /// Allocates an array whose elements are all the same. The length is not negative.
    pub(crate) fn new_array_of(&mut self, element: Type, length: Int, default: Value) -> Result<Address, OutOfMemory> {
        let elements = match length.to_usize().filter(|&length| length <= MAX_DENSE_LENGTH) {
            Some(length) => {
                self.charge(length as u64 + OVERHEAD)?;
                Elements::Dense(vec![default.clone(); length])
            }
            None => {
                self.charge(OVERHEAD)?;
                Elements::Sparse(BTreeMap::new())
            }
        };
        self.push(HeapObject::Array(Box::new(Array { element, length, default, elements })))
    }

    /// Accounts for `cells` more cells, or reports that there is no room for them.
    pub(crate) fn charge(&mut self, cells: u64) -> Result<(), OutOfMemory> {
        self.cells = self.cells.saturating_add(cells);
        if self.cells > self.max_cells { Err(OutOfMemory) } else { Ok(()) }
    }

    /// Writes a field. Returns `None` without any effect if there is no such object or field.
    pub(crate) fn put_field(
        &mut self,
        address: Address,
        field: FieldId,
        value: Value,
    ) -> Result<Option<()>, OutOfMemory> {
        let Some(HeapObject::Object(object)) = self.objects.get_mut(address.index()) else { return Ok(None) };
        let Some(place) = object.get_mut(field) else { return Ok(None) };
        let (new, old) = (weight(&value), weight(place));
        *place = value;
        self.latest_write = Some(Write::Field(address, field));
        self.recharge(new, old).map(Some)
    }

    /// Writes an element. Returns `None` without any effect if there is no such array or the index is out of bounds.
    pub(crate) fn put_element(
        &mut self,
        address: Address,
        index: &Int,
        value: Value,
    ) -> Result<Option<()>, OutOfMemory> {
        let Some(HeapObject::Array(array)) = self.objects.get_mut(address.index()) else { return Ok(None) };
        if index.is_negative() || *index >= array.length {
            return Ok(None);
        }
        self.latest_write = Some(Write::Element(address, index.clone()));
        let new = weight(&value);
        let old = match &mut array.elements {
            Elements::Dense(elements) => {
                let Some(place) = index.to_usize().and_then(|index| elements.get_mut(index)) else { return Ok(None) };
                weight(&std::mem::replace(place, value))
            }
            Elements::Sparse(elements) => match elements.insert(index.clone(), value) {
                Some(old) => weight(&old),
                None => return self.recharge(new + OVERHEAD, 0).map(Some),
            },
        };
        self.recharge(new, old).map(Some)
    }

    fn recharge(&mut self, new: u64, old: u64) -> Result<(), OutOfMemory> {
        self.cells = self.cells.saturating_sub(old);
        self.charge(new)
    }

    fn push(&mut self, object: HeapObject) -> Result<Address, OutOfMemory> {
        let address = u32::try_from(self.objects.len()).map_err(|_| OutOfMemory)?;
        self.objects.push(object);
        Ok(Address(address))
    }
}

/// The encoding of a string's elements.
#[derive(Clone, Copy)]
enum Coding {
    Units,
    Latin1,
    Utf16,
}

/// Iterates over the UTF-16 code units of a string.
pub(crate) struct StringUnits<'a> {
    array: &'a Array,
    coding: Coding,
    next: i64,
}

impl StringUnits<'_> {
    /// Number of code units of the whole string.
    pub(crate) fn total(&self) -> i64 {
        let elements = self.array.length().to_i64().unwrap_or(i64::MAX);
        match self.coding {
            Coding::Units | Coding::Latin1 => elements,
            Coding::Utf16 => elements / 2,
        }
    }
}

impl Iterator for StringUnits<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        let element = |index: i64| int_of(self.array.get(&Int::from(index))?);
        let unit = match self.coding {
            Coding::Units => element(self.next)? as u16,
            Coding::Latin1 => u16::from(element(self.next)? as u8),
            Coding::Utf16 => {
                let index = self.next.checked_mul(2)?;
                u16::from_le_bytes([element(index)? as u8, element(index + 1)? as u8])
            }
        };
        self.next += 1;
        Some(unit)
    }
}

fn int_of(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => int.to_i64(),
        _ => None,
    }
}

/// Cells that a value takes beyond its own cell.
fn weight(value: &Value) -> u64 {
    match value {
        Value::Int(int) => int.bits_beyond_word() / 128,
        _ => 0,
    }
}

impl HeapObject {
    /// The class of an instance; `None` for an array.
    pub fn class(&self) -> Option<ClassId> {
        match self {
            HeapObject::Object(object) => Some(object.class()),
            HeapObject::Array(_) => None,
        }
    }
}

impl Object {
    /// Its exact class.
    pub fn class(&self) -> ClassId {
        self.layout.class
    }

    /// The value of a field; `None` if objects of the class have no such field.
    pub fn get(&self, field: FieldId) -> Option<&Value> {
        self.layout.slots.get(&field).and_then(|&slot| self.values.get(slot))
    }

    fn get_mut(&mut self, field: FieldId) -> Option<&mut Value> {
        self.layout.slots.get(&field).and_then(|&slot| self.values.get_mut(slot))
    }

    /// All fields with their values, inherited ones first.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, &Value)> {
        self.layout.fields.iter().copied().zip(&self.values)
    }
}

impl Layout {
    fn of(program: &Program, class: ClassId) -> Layout {
        let fields = program.instance_fields(class);
        Layout {
            class,
            slots: fields.iter().enumerate().map(|(slot, &field)| (field, slot)).collect(),
            defaults: fields.iter().map(|&field| Value::default_of(program.field(field).ty)).collect(),
            fields,
        }
    }
}

impl Array {
    /// Type of the elements, as given at the allocation.
    pub fn element_type(&self) -> Type {
        self.element
    }

    /// Number of elements.
    pub fn length(&self) -> &Int {
        &self.length
    }

    /// The element at `index`; `None` out of bounds.
    pub fn get(&self, index: &Int) -> Option<&Value> {
        match &self.elements {
            Elements::Dense(elements) => index.to_usize().and_then(|index| elements.get(index)),
            Elements::Sparse(elements) => {
                let inside = !index.is_negative() && *index < self.length;
                inside.then(|| elements.get(index).unwrap_or(&self.default))
            }
        }
    }

    /// The value of the elements that were not written: the default of their type, or the value that the input gives.
    pub fn rest(&self) -> &Value {
        &self.default
    }

    /// The elements that differ from [`rest`](Self::rest), by ascending index.
    pub fn written(&self) -> Box<dyn Iterator<Item = (Int, &Value)> + '_> {
        match &self.elements {
            Elements::Dense(elements) => Box::new(
                elements
                    .iter()
                    .enumerate()
                    .filter(|(_, value)| **value != self.default)
                    .map(|(index, value)| (Int::from(index as i64), value)),
            ),
            Elements::Sparse(elements) => Box::new(
                elements
                    .iter()
                    .filter(|(_, value)| **value != self.default)
                    .map(|(index, value)| (index.clone(), value)),
            ),
        }
    }
}
