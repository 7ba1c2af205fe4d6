//! Follows which objects a text has told of, so that it says nothing about what collections consist of.

use super::view::{Collections, View};
use aback_witness::{Change, Elements, Step, ValueDocument};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// What a text has told until the current step.
#[derive(Default)]
pub(super) struct Told {
    /// For each collection in a valid state, a number that tells its elements from others.
    contents: FxHashMap<u32, u64>,
    /// The objects that each of these consists of.
    inner: FxHashMap<u32, Vec<u32>>,
    /// The collections that consist of an object.
    around: FxHashMap<u32, BTreeSet<u32>>,
    /// Objects of libraries to which nothing leads that the text shows.
    unseen: FxHashSet<u32>,
    /// Objects inside of collections that the text tells of nevertheless, because a variable refers to them.
    named: FxHashSet<u32>,
}

/// What a step has to tell besides its changes.
#[derive(Default)]
pub(super) struct News {
    /// Objects that exist longer, but to which only now something leads that is shown.
    pub(super) seen: Vec<u32>,
    /// Objects of collections that are in no valid state any more, the collections included.
    pub(super) laid_open: Vec<u32>,
    /// The collections that have other elements than before.
    pub(super) changed: Vec<u32>,
}

impl Told {
    /// Goes on to a step.
    pub(super) fn enter(&mut self, view: &View<'_>, step: &Step) -> News {
        let new: FxHashSet<u32> = step.changes.iter().filter_map(created).collect();
        let mut news = News::default();
        if view.collections() == Collections::Fields {
            return news;
        }
        for collection in self.touched(view, &step.changes) {
            let before = self.forget(collection);
            let Some(found) = view.elements(collection) else {
                self.contents.remove(&collection);
                let opened = before.into_iter().flat_map(|before| [collection].into_iter().chain(before));
                news.laid_open.extend(opened.filter(|object| !new.contains(object)));
                continue;
            };
            let contents = digest(&found);
            for &object in &found.inner {
                self.around.entry(object).or_default().insert(collection);
            }
            self.inner.insert(collection, found.inner);
            let old = self.contents.insert(collection, contents);
            if !new.contains(&collection) && old != Some(contents) {
                news.changed.push(collection);
            }
        }
        news.changed.retain(|&object| !self.is_inner(object));
        news.laid_open.retain(|&object| !self.is_inner(object));
        self.see(view, step, &new, &mut news);
        news
    }

    /// The collections that the changes may be about.
    fn touched(&self, view: &View<'_>, changes: &[Change]) -> BTreeSet<u32> {
        let mut touched = BTreeSet::new();
        for change in changes {
            let (Change::Object(object, _) | Change::Field(object, ..) | Change::Element(object, ..)) = change else {
                continue;
            };
            touched.extend(view.is_collection(*object).then_some(*object));
            touched.extend(self.around.get(object).into_iter().flatten());
        }
        touched
    }

    /// Forgets what a collection consists of. Gives it, if the collection was in a valid state.
    fn forget(&mut self, collection: u32) -> Option<Vec<u32>> {
        let before = self.inner.remove(&collection)?;
        for object in &before {
            if let Some(around) = self.around.get_mut(object) {
                around.remove(&collection);
            }
        }
        Some(before)
    }

    /// Finds out which objects of libraries are seen.
    fn see(&mut self, view: &View<'_>, step: &Step, new: &FxHashSet<u32>, news: &mut News) {
        self.unseen.extend(new.iter().filter(|&&object| view.is_of_library(object)));
        self.hide_arrays(view, step, new);
        news.laid_open.iter().for_each(|object| _ = self.unseen.remove(object));
        if self.unseen.is_empty() {
            return;
        }
        let by_variables = |change: &Change| match change {
            Change::Local(.., value) | Change::Static(_, value) => value.reference(),
            _ => None,
        };
        let named: Vec<u32> = step
            .changes
            .iter()
            .filter_map(by_variables)
            .chain(step.returned.as_ref().and_then(ValueDocument::reference))
            .collect();
        for &object in &named {
            if self.is_inner(object) {
                self.named.insert(object);
                news.seen.extend((!new.contains(&object)).then_some(object));
            }
        }
        let by_parts = |change: &Change| match change {
            Change::Field(of, _, value) | Change::Element(of, _, value) if !self.is_hidden(*of) => value.reference(),
            _ => None,
        };
        let mut pending: Vec<u32> = step.changes.iter().filter_map(by_parts).chain(named).collect();
        let whole = new.iter().filter(|&&object| !view.is_of_library(object) && !self.is_inner(object));
        pending.extend(whole.chain(&news.changed).chain(&news.laid_open).flat_map(|&object| view.leads_to(object)));
        while let Some(object) = pending.pop() {
            if self.unseen.remove(&object) {
                if !new.contains(&object) && view.whole(object).is_none() {
                    news.seen.push(object);
                }
                pending.extend(view.leads_to(object));
            }
        }
        news.seen.sort_unstable();
        news.seen.dedup();
    }

    /// New arrays that objects of libraries hold are unseen, too.
    fn hide_arrays(&mut self, view: &View<'_>, step: &Step, new: &FxHashSet<u32>) {
        let held = |change: &Change| match change {
            Change::Object(of, _) if self.is_hidden(*of) => view.parts(*of),
            Change::Field(of, _, value) if self.is_hidden(*of) => value.reference().into_iter().collect(),
            _ => Vec::new(),
        };
        let mut pending: Vec<u32> = step.changes.iter().flat_map(held).collect();
        while let Some(object) = pending.pop() {
            if new.contains(&object) && view.is_array(object) && self.unseen.insert(object) {
                pending.extend(view.parts(object));
            }
        }
    }

    /// Whether the elements of a collection say all about an object.
    fn is_inner(&self, object: u32) -> bool {
        !self.named.contains(&object) && self.around.get(&object).is_some_and(|around| !around.is_empty())
    }

    /// Whether the text says nothing about an object.
    pub(super) fn is_left_out(&self, object: u32) -> bool {
        self.is_inner(object) || self.unseen.contains(&object)
    }

    /// Whether the text says nothing about changes of the fields or elements of an object.
    pub(super) fn is_hidden(&self, object: u32) -> bool {
        self.contents.contains_key(&object) || self.is_left_out(object)
    }
}

/// A number that is the same for the same elements, in the same order.
fn digest(found: &Elements<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    found.count.hash(&mut hasher);
    for value in found.elements.iter().flatten().flatten() {
        value.value.hash(&mut hasher);
    }
    hasher.finish()
}

/// The object that appears by a change.
fn created(change: &Change) -> Option<u32> {
    match change {
        Change::Object(object, _) => Some(*object),
        _ => None,
    }
}
