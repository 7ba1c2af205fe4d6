//! Finds the elements of collections whose elements are in objects or entries of their own.

use crate::heap::{Array, HeapObject, Object};
use crate::int::Int;
use crate::state::State;
use crate::value::Value;
use aback_ir::{FieldId, Walk};
use rustc_hash::FxHashSet;

/// What fields lead to, one after the other.
pub(crate) fn follow<'a>(state: &'a State<'_>, object: &'a Object, fields: &[FieldId]) -> Option<&'a Value> {
    let (last, before) = fields.split_last()?;
    let mut object = object;
    for &field in before {
        let Value::Ref(next) = object.get(field)? else { return None };
        let HeapObject::Object(next) = state.heap().get(*next)? else { return None };
        object = next;
    }
    object.get(*last)
}

/// An element of a collection: an object, or an entry of arrays.
pub(crate) enum Element<'a> {
    Object(&'a Object),
    Entry(&'a State<'a>, &'a Object, Int),
}

impl<'a> Element<'a> {
    /// The value of a field.
    pub(crate) fn get(&self, field: FieldId) -> Option<&'a Value> {
        match self {
            Element::Object(object) => object.get(field),
            Element::Entry(state, planes, index) => plane(state, planes, field)?.get(index),
        }
    }
}

fn plane<'a>(state: &'a State<'_>, planes: &Object, field: FieldId) -> Option<&'a Array> {
    let Value::Ref(array) = planes.get(field)? else { return None };
    match state.heap().get(*array)? {
        HeapObject::Array(array) => Some(array),
        HeapObject::Object(_) => None,
    }
}

/// The elements of a collection of `count` elements; `None` if there are fewer or more.
pub(crate) fn elements<'a>(
    state: &'a State<'_>,
    walk: Walk,
    start: &'a Value,
    count: usize,
) -> Option<Vec<Element<'a>>> {
    let mut found: Vec<Element<'a>> = Vec::new();
    let node = |value: &Value| match value {
        Value::Ref(address) => match state.heap().get(*address)? {
            HeapObject::Object(object) => Some((*address, object)),
            HeapObject::Array(_) => None,
        },
        _ => None,
    };
    let chain = |start: &'a Value, next: FieldId, found: &mut Vec<Element<'a>>| {
        let mut seen = FxHashSet::default();
        let mut current = start;
        while let Some((address, object)) = node(current) {
            if !seen.insert(address) || found.len() > count {
                break;
            }
            found.push(Element::Object(object));
            let Some(following) = object.get(next) else { break };
            current = following;
        }
    };
    match walk {
        Walk::Chain(next) => chain(start, next, &mut found),
        Walk::Table(next) => {
            let chains = match start {
                Value::Ref(table) => match state.heap().get(*table)? {
                    HeapObject::Array(table) => table.written().map(|(_, first)| first).collect(),
                    HeapObject::Object(_) => return None,
                },
                _ => Vec::new(),
            };
            chains.into_iter().for_each(|first| chain(first, next, &mut found));
        }
        Walk::Tree(left, right) => {
            let mut open: Vec<&'a Object> = Vec::new();
            let mut current = node(start);
            while current.is_some() || !open.is_empty() {
                while let Some((_, object)) = current {
                    // A cycle would not end.
                    if open.len() + found.len() > count {
                        return None;
                    }
                    open.push(object);
                    current = object.get(left).and_then(&node);
                }
                let object = open.pop()?;
                found.push(Element::Object(object));
                current = object.get(right).and_then(&node);
            }
        }
        Walk::Entries(next) => {
            let Some((_, planes)) = node(start) else { return (count == 0).then_some(found) };
            let used = plane(state, planes, next)?;
            for index in (0..count as i64).map(Int::from) {
                if matches!(used.get(&index)?, Value::Int(next) if *next >= Int::from(-1i64)) {
                    found.push(Element::Entry(state, planes, index));
                }
            }
            return Some(found);
        }
    }
    (found.len() == count).then_some(found)
}

/// The number of elements of an array from an index on to that before `end`, round the end of the array. `None` if one of
/// the two is no index.
pub(crate) fn count_until(first: usize, end: usize, length: usize) -> Option<usize> {
    (first < length && end < length).then(|| if first <= end { end - first } else { end + length - first })
}
