//! Keeps the state of variables and heap at one step, and applies changes to it.

use super::execution::{Change, Content, Execution};
use super::text::Text;
use crate::document::ValueDocument;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Variables, static fields and objects at one step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// By call and variable. Calls that have returned keep their variables, for steps backwards.
    locals: FxHashMap<(u32, u32), ValueDocument>,
    statics: BTreeMap<u32, ValueDocument>,
    objects: FxHashMap<u32, Object>,
}

/// An object in a form that is quick to change.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Object {
    /// The content without the elements of an array.
    content: Content,
    elements: BTreeMap<BigInt, ValueDocument>,
}

/// How to undo a change.
#[derive(Clone, Debug)]
pub(crate) enum Undo {
    Object(u32),
    Local(u32, u32, Option<ValueDocument>),
    Field(u32, u32, ValueDocument),
    Element(u32, BigInt, Option<ValueDocument>),
    Static(u32, Option<ValueDocument>),
}

/// An object as readers see it.
#[derive(Clone, Copy, Debug)]
pub struct ObjectView<'a> {
    object: &'a Object,
}

impl<'a> ObjectView<'a> {
    /// Its content. The current elements of an array are in [`Self::elements`] only.
    pub fn content(self) -> &'a Content {
        &self.object.content
    }

    /// The elements of an array that differ from its default.
    pub fn elements(self) -> &'a BTreeMap<BigInt, ValueDocument> {
        &self.object.elements
    }

    /// The references that it holds, in order.
    pub fn references(self) -> impl Iterator<Item = u32> + use<'a> {
        let values: &[ValueDocument] = match &self.object.content {
            Content::Instance { values, .. } => values,
            _ => &[],
        };
        values.iter().chain(self.object.elements.values()).filter_map(ValueDocument::reference)
    }
}

impl Snapshot {
    /// The value of a variable of a call; `None` before the variable has one.
    pub fn local(&self, call: u32, variable: u32) -> Option<&ValueDocument> {
        self.locals.get(&(call, variable))
    }

    /// The variables of a call that have values, in the order of its method's table.
    pub fn locals<'a>(&'a self, execution: &Execution, call: u32) -> Vec<(u32, &'a ValueDocument)> {
        let method = execution.calls.get(call as usize).and_then(|call| execution.methods.get(call.method as usize));
        let count = method.map_or(0, |method| method.variables.len() as u32);
        (0..count).filter_map(|variable| Some((variable, self.local(call, variable)?))).collect()
    }

    /// Static fields that have a given or written value.
    pub fn statics(&self) -> impl Iterator<Item = (u32, &ValueDocument)> {
        self.statics.iter().map(|(&field, value)| (field, value))
    }

    /// An object.
    pub fn object(&self, id: u32) -> Option<ObjectView<'_>> {
        self.objects.get(&id).map(|object| ObjectView { object })
    }

    /// The name of a constant of an enum.
    pub fn constant(&self, execution: &Execution, id: u32) -> Option<&Text> {
        let Content::Instance { class, values } = self.object(id)?.content() else { return None };
        let at = execution.classes.get(*class as usize)?.constant?;
        match self.object(values.get(at)?.reference()?)?.content() {
            Content::String { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Makes a change. Returns `None` without any effect if the object is unknown or has no such part.
    pub(crate) fn apply(&mut self, change: &Change) -> Option<Undo> {
        Some(match change {
            Change::Object(id, content) => {
                let mut content = content.clone();
                let elements = match &mut content {
                    Content::Array { elements, .. } => std::mem::take(elements)
                        .into_iter()
                        .map(|(index, value)| Some((index.parse().ok()?, value)))
                        .collect::<Option<_>>()?,
                    _ => BTreeMap::new(),
                };
                if self.objects.contains_key(id) {
                    return None;
                }
                self.objects.insert(*id, Object { content, elements });
                Undo::Object(*id)
            }
            Change::Local(call, variable, value) => {
                let old = self.locals.insert((*call, *variable), value.clone());
                Undo::Local(*call, *variable, old)
            }
            Change::Gone(call, variable) => Undo::Local(*call, *variable, self.locals.remove(&(*call, *variable))),
            Change::Field(id, field, value) => match &mut self.objects.get_mut(id)?.content {
                Content::Instance { values, .. } => {
                    let place = values.get_mut(*field as usize)?;
                    Undo::Field(*id, *field, std::mem::replace(place, value.clone()))
                }
                _ => return None,
            },
            Change::Element(id, index, value) => {
                let object = self.objects.get_mut(id)?;
                if !matches!(object.content, Content::Array { .. }) {
                    return None;
                }
                let index: BigInt = index.parse().ok()?;
                let old = object.elements.insert(index.clone(), value.clone());
                Undo::Element(*id, index, old)
            }
            Change::Static(field, value) => Undo::Static(*field, self.statics.insert(*field, value.clone())),
        })
    }

    /// Undoes the latest change that is not undone yet.
    pub(crate) fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Object(id) => {
                self.objects.remove(&id);
            }
            Undo::Local(call, variable, old) => put_back(&mut self.locals, (call, variable), old),
            Undo::Static(field, old) => match old {
                Some(old) => drop(self.statics.insert(field, old)),
                None => drop(self.statics.remove(&field)),
            },
            Undo::Field(id, field, old) => {
                if let Some(Object { content: Content::Instance { values, .. }, .. }) = self.objects.get_mut(&id)
                    && let Some(place) = values.get_mut(field as usize)
                {
                    *place = old;
                }
            }
            Undo::Element(id, index, old) => {
                if let Some(object) = self.objects.get_mut(&id) {
                    match old {
                        Some(old) => drop(object.elements.insert(index, old)),
                        None => drop(object.elements.remove(&index)),
                    }
                }
            }
        }
    }

    /// Gives calls new numbers, and forgets the variables of calls that get none.
    pub(crate) fn renumber_calls(&mut self, number: impl Fn(u32) -> Option<u32>) {
        let locals = std::mem::take(&mut self.locals).into_iter();
        self.locals = locals.filter_map(|((call, variable), value)| Some(((number(call)?, variable), value))).collect();
    }

    /// The changes that build this state from the empty one, objects first.
    pub fn into_changes(self) -> Vec<Change> {
        let mut objects: Vec<(u32, Object)> = self.objects.into_iter().collect();
        objects.sort_unstable_by_key(|(id, _)| *id);
        let objects = objects.into_iter().map(|(id, Object { mut content, elements: held })| {
            if let Content::Array { elements, .. } = &mut content {
                *elements = held.into_iter().map(|(index, value)| (index.to_string(), value)).collect();
            }
            Change::Object(id, content)
        });
        let mut locals: Vec<_> = self.locals.into_iter().collect();
        locals.sort_unstable_by_key(|(key, _)| *key);
        let locals = locals.into_iter().map(|((call, variable), value)| Change::Local(call, variable, value));
        let statics = self.statics.into_iter().map(|(field, value)| Change::Static(field, value));
        objects.chain(locals).chain(statics).collect()
    }
}

fn put_back<K: std::hash::Hash + Eq>(map: &mut FxHashMap<K, ValueDocument>, key: K, old: Option<ValueDocument>) {
    match old {
        Some(old) => drop(map.insert(key, old)),
        None => drop(map.remove(&key)),
    }
}
