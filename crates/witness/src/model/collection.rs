//! Finds the elements of collections in the state at a step, and what a program's description of collections means for the
//! record.

use super::execution::{CollectionShape, Content, Execution, FieldName, IntegerShape, WalkShape};
use super::snapshot::{ObjectView, Snapshot};
use crate::collection::count_until;
use crate::document::ValueDocument;
use aback_ir::{Collection, Contents, FieldId, Form, Program, Sequence, SequenceEnd, Walk, Width};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// Most entries of an array that are examined.
const MOST_ENTRIES: usize = 20_000;

/// The elements of a collection at a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elements<'a> {
    /// The first elements: the values of each part, the value or the key and the value.
    pub elements: Vec<Vec<Vec<ElementValue<'a>>>>,
    /// The number of all elements.
    pub count: usize,
    /// The objects that the collection consists of, besides its own.
    pub inner: Vec<u32>,
    /// Whether users see an order.
    pub is_list: bool,
}

/// A value of an element, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementValue<'a> {
    /// The value.
    pub value: Cow<'a, ValueDocument>,
    /// Its type, as the language writes it.
    pub ty: &'a str,
    /// Its place.
    pub place: ElementPlace,
}

/// The place of a value of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ElementPlace {
    /// A field of an object, by its number in the class.
    Field(u32, u32),
    /// An element of an array.
    Element(u32, BigInt),
}

/// A reader of the state at a step.
#[derive(Clone, Copy)]
struct Reader<'a> {
    execution: &'a Execution,
    state: &'a Snapshot,
}

impl Snapshot {
    /// Where the elements of an object are, if it is a collection.
    fn collection<'a>(&self, execution: &'a Execution, id: u32) -> Option<&'a CollectionShape> {
        match self.object(id)?.content() {
            Content::Instance { class, .. } => execution.classes.get(*class as usize)?.collection.as_ref(),
            _ => None,
        }
    }

    /// Whether an object is a collection, in any state.
    pub fn is_collection(&self, execution: &Execution, id: u32) -> bool {
        self.collection(execution, id).is_some()
    }

    /// The elements of a collection, at most the first `most` of them. `None` if the object is no collection, is in no valid
    /// state, or is not recorded as a whole.
    pub fn elements<'a>(&'a self, execution: &'a Execution, id: u32, most: usize) -> Option<Elements<'a>> {
        let shape = self.collection(execution, id)?;
        Reader { execution, state: self }.elements(shape, id, most)
    }
}

impl<'a> Reader<'a> {
    fn elements(self, shape: &CollectionShape, id: u32, most: usize) -> Option<Elements<'a>> {
        let mut inner = Vec::new();
        let count = match shape.count.is_empty() {
            true => usize::MAX,
            false => self.number(self.follow(id, &shape.count, &mut inner)?)?,
        };
        let start = match shape.start.is_empty() {
            true => Some(id),
            false => self.follow(id, &shape.start, &mut inner)?.reference(),
        };
        let mut found = Elements { elements: Vec::new(), count, inner, is_list: shape.list };
        let nodes = match &shape.walk {
            WalkShape::Array(first) | WalkShape::Ring(first) => {
                let first = match first.is_empty() {
                    true => 0,
                    false => self.number(self.follow(id, first, &mut found.inner)?)?,
                };
                self.array(shape, start?, (first, most), &mut found)?;
                found.inner.retain(|&object| object != id);
                return Some(found);
            }
            WalkShape::Entries(next) => {
                self.entries(shape, start, (next, most), &mut found)?;
                return Some(found);
            }
            WalkShape::Chain(next) => self.chain(start, next, count)?,
            WalkShape::Tree(left, right) => self.tree(start, (left, right), count)?,
            WalkShape::Table(next) => {
                let mut nodes = Vec::new();
                if let Some(table) = start {
                    found.inner.push(table);
                    for first in self.state.object(table)?.references() {
                        nodes.extend(self.chain(Some(first), next, count)?);
                        if nodes.len() > count {
                            return None;
                        }
                    }
                }
                nodes
            }
        };
        if nodes.len() != count {
            return None;
        }
        for &node in nodes.iter().take(most) {
            let parts = shape.parts.iter().map(|part| {
                let values = part.iter().map(|name| {
                    let (field, value, ty) = self.field(node, name)?;
                    Some(ElementValue { value: Cow::Borrowed(value), ty, place: ElementPlace::Field(node, field) })
                });
                values.collect::<Option<Vec<_>>>()
            });
            found.elements.push(parts.collect::<Option<_>>()?);
        }
        found.inner.extend(nodes);
        Some(found)
    }

    /// A field of an object: its number, its value and its type.
    fn field(self, id: u32, name: &FieldName) -> Option<(u32, &'a ValueDocument, &'a str)> {
        let Content::Instance { class, values } = self.state.object(id)?.content() else { return None };
        let fields = &self.execution.classes.get(*class as usize)?.fields;
        let at = fields.iter().position(|field| field.name == name.name && field.class == name.class)?;
        Some((at as u32, values.get(at)?, &fields[at].ty))
    }

    /// What fields lead to, one after the other. The objects between are parts of the collection.
    fn follow(self, id: u32, fields: &[FieldName], inner: &mut Vec<u32>) -> Option<&'a ValueDocument> {
        let (last, before) = fields.split_last()?;
        let mut object = id;
        for name in before {
            object = self.field(object, name)?.1.reference()?;
            inner.push(object);
        }
        Some(self.field(object, last)?.1)
    }

    fn number(self, value: &ValueDocument) -> Option<usize> {
        match value {
            ValueDocument::Int(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// At most one object more than `count`.
    fn chain(self, start: Option<u32>, next: &FieldName, count: usize) -> Option<Vec<u32>> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut current = start;
        while let Some(node) = current.filter(|&node| found.len() <= count && seen.insert(node)) {
            found.push(node);
            current = self.field(node, next)?.1.reference();
        }
        Some(found)
    }

    fn tree(self, start: Option<u32>, (left, right): (&FieldName, &FieldName), count: usize) -> Option<Vec<u32>> {
        let (mut found, mut open) = (Vec::new(), Vec::new());
        let mut current = start;
        loop {
            while let Some(node) = current {
                // A cycle would not end.
                if open.len() + found.len() > count {
                    return None;
                }
                open.push(node);
                current = self.field(node, left)?.1.reference();
            }
            let Some(node) = open.pop() else { return Some(found) };
            found.push(node);
            current = self.field(node, right)?.1.reference();
        }
    }

    /// The arrays with the values of each part of the elements, which start in the object `start`: its own elements, or those
    /// of the arrays in its fields.
    fn planes(self, shape: &CollectionShape, start: u32, inner: &mut Vec<u32>) -> Option<Vec<Vec<u32>>> {
        inner.push(start);
        let parts = shape.parts.iter().map(|part| {
            if part.is_empty() {
                return Some(vec![start]);
            }
            part.iter().map(|name| self.field(start, name)?.1.reference()).collect::<Option<Vec<u32>>>()
        });
        let planes = parts.collect::<Option<Vec<_>>>()?;
        inner.extend(planes.iter().flatten().filter(|&&plane| plane != start));
        Some(planes)
    }

    /// An array: its elements, the value of those that are not listed, their type, and their number.
    fn read(self, array: u32) -> Option<(ObjectView<'a>, &'a ValueDocument, &'a str, usize)> {
        let view = self.state.object(array)?;
        match view.content() {
            Content::Array { default, element, length, .. } => Some((view, default, element, length.parse().ok()?)),
            _ => None,
        }
    }

    fn element(self, shape: &CollectionShape, planes: &[Vec<u32>], index: usize) -> Option<Vec<Vec<ElementValue<'a>>>> {
        let index = BigInt::from(index);
        let value = |&array: &u32| {
            let (view, default, ty, _) = self.read(array)?;
            let value = view.elements().get(&index).unwrap_or(default);
            let value = match (shape.integers, value) {
                (Some(IntegerShape { bits, signed }), ValueDocument::Int(digits)) => {
                    let number = Width { bits, signed }.of(&digits.parse().ok()?);
                    Cow::Owned(ValueDocument::Int(number.to_string()))
                }
                _ => Cow::Borrowed(value),
            };
            Some(ElementValue { value, ty, place: ElementPlace::Element(array, index.clone()) })
        };
        planes.iter().map(|part| part.iter().map(value).collect::<Option<Vec<_>>>()).collect()
    }

    fn array(
        self,
        shape: &CollectionShape,
        start: u32,
        (first, most): (usize, usize),
        found: &mut Elements<'a>,
    ) -> Option<()> {
        let planes = self.planes(shape, start, &mut found.inner)?;
        let (_, _, _, length) = self.read(*planes.first()?.first()?)?;
        if shape.count.is_empty() {
            found.count = length;
        }
        if matches!(shape.walk, WalkShape::Ring(_)) {
            found.count = count_until(first, found.count, length)?;
        }
        if found.count > length {
            return None;
        }
        for number in 0..found.count.min(most) {
            let index = first.checked_add(number)?.checked_rem(length)?;
            found.elements.push(self.element(shape, &planes, index)?);
        }
        Some(())
    }

    fn entries(
        self,
        shape: &CollectionShape,
        start: Option<u32>,
        (next, most): (&FieldName, usize),
        found: &mut Elements<'a>,
    ) -> Option<()> {
        let entries = std::mem::take(&mut found.count);
        let Some(start) = start else { return (entries == 0).then_some(()) };
        let planes = self.planes(shape, start, &mut found.inner)?;
        let used = self.field(start, next)?.1.reference()?;
        found.inner.push(used);
        let (view, default, _, length) = self.read(used)?;
        if entries > length.min(MOST_ENTRIES) {
            return None;
        }
        for index in 0..entries {
            let ValueDocument::Int(next) = view.elements().get(&BigInt::from(index)).unwrap_or(default) else {
                return None;
            };
            if next.parse::<BigInt>().ok()? >= BigInt::from(-1) {
                found.count += 1;
                if found.elements.len() < most {
                    found.elements.push(self.element(shape, &planes, index)?);
                }
            }
        }
        Some(())
    }
}

/// What the description of a class says, in names; `None` if its objects are no collections.
pub(super) fn shape_of(program: &Program, contents: &Contents) -> Option<CollectionShape> {
    let name = |&field: &FieldId| {
        let field = program.field(field);
        FieldName { class: program.class_name(field.class).to_owned(), name: field.name.clone() }
    };
    let names = |fields: &[FieldId]| -> Vec<FieldName> { fields.iter().map(name).collect() };
    Some(match contents {
        Contents::Sequence(Sequence { form, array, planes, first, end }) => {
            let first = first.iter().map(name).collect();
            let (walk, count) = match end {
                SequenceEnd::Count(count) => (WalkShape::Array(first), count),
                SequenceEnd::Index(end) => (WalkShape::Ring(first), end),
            };
            let parts = vec![names(&shown(form, planes))];
            let integers = match form {
                Form::Integer(Width { bits, signed }) => Some(IntegerShape { bits: *bits, signed: *signed }),
                _ => None,
            };
            CollectionShape { start: vec![name(array)], walk, count: vec![name(count)], parts, list: true, integers }
        }
        Contents::Elements(form, planes, lengths) if lengths.is_empty() => CollectionShape {
            start: Vec::new(),
            walk: WalkShape::Array(Vec::new()),
            count: Vec::new(),
            parts: vec![names(&shown(form, planes))],
            list: true,
            integers: None,
        },
        Contents::Collection(Collection { start, walk, count, parts, is_list }) => CollectionShape {
            start: names(start),
            walk: match walk {
                Walk::Chain(next) => WalkShape::Chain(name(next)),
                Walk::Tree(left, right) => WalkShape::Tree(name(left), name(right)),
                Walk::Table(next) => WalkShape::Table(name(next)),
                Walk::Entries(next) => WalkShape::Entries(name(next)),
            },
            count: names(count),
            parts: parts.iter().map(|(form, fields)| names(&shown(form, fields))).collect(),
            list: *is_list,
            integers: None,
        },
        _ => return None,
    })
}

/// The fields of a form that users see.
fn shown(form: &Form, fields: &[FieldId]) -> Vec<FieldId> {
    let mut rest = fields;
    let mut found = Vec::new();
    collect_shown(form, &mut rest, &mut found);
    found
}

fn collect_shown(form: &Form, rest: &mut &[FieldId], found: &mut Vec<FieldId>) {
    match form {
        Form::Parts(_, parts) => parts.iter().for_each(|(_, part)| collect_shown(part, rest, found)),
        _ => {
            let (own, others) = rest.split_at(form.count().min(rest.len()));
            *rest = others;
            found.extend(own.iter().filter(|_| !matches!(form, Form::Hidden)));
        }
    }
}
