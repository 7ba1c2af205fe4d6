//! Reads and sets what the objects of the input heap contain now, as terms over all of them.

use crate::combined::{Combined, Map, Sites};
use crate::heap::Scope;
use crate::layout::Group;
use crate::places::{Content, FEW, Place};
use crate::value::{Value, sort_of};
use aback_ir::{FieldId, Type};
use aback_logic::{Node, Pool, Sort, Term};
use rustc_hash::FxHashSet;
use std::hash::Hash;
use std::rc::Rc;

impl Combined {
    /// The places of the input heap that have other contents than in an earlier heap of the path. The iterations of a loop
    /// have the first `floor` variables in common. `None` if references are among the contents.
    pub(crate) fn changed_inputs(&self, scope: &Scope, earlier: &Combined, floor: usize) -> Option<Vec<Place>> {
        let pool = &*scope.pool;
        let is_fixed = |object: Term| {
            let variables = pool.free_variables(&[object]);
            variables.iter().all(|&id| id.index() < floor || scope.input.describes(pool.variable_term(id)))
        };
        let mut places = Vec::new();
        let [now, before] = [self, earlier].map(|heap| (&heap.field_writes, &heap.field_bases));
        for (field, changed) in changes(pool, now, before, |(sites, _)| (sites, None)) {
            if scope.program.field(field).ty.is_reference() || scope.program.is_unset(field) {
                return None;
            }
            places.push(match changed.only_one().filter(|&object| is_fixed(object)) {
                Some(object) => Place::InputField(field, object),
                None => Place::InputFields(field),
            });
        }
        let [now, before] = [self, earlier].map(|heap| (&heap.element_writes, &heap.element_bases));
        for ((group, sort), changed) in changes(pool, now, before, |(sites, at, _)| (sites, Some(*at))) {
            element_of(scope, group, sort)?;
            match (changed.only_one().filter(|&array| is_fixed(array)), changed.only_few()) {
                (Some(array), Some(indices)) => {
                    places.extend(indices.iter().map(|&at| Place::InputElement(group, sort, array, at)));
                }
                (Some(array), None) => places.push(Place::InputArray(group, sort, array)),
                (None, _) => places.push(Place::InputArrays(group, sort)),
            }
        }
        places.sort_unstable();
        Some(places)
    }

    /// What a place of the input heap contains.
    pub(crate) fn input_content(&self, scope: &mut Scope, place: Place) -> Option<Content> {
        match place {
            Place::InputField(field, object) => {
                let (ty, all) = (scope.program.field(field).ty, self.all_fields(scope, field));
                let value = scope.pool.select(all, object);
                Some(Content::Value(Value::from_term(scope.pool, value, ty), ty))
            }
            Place::InputFields(field) => {
                Some(Content::Elements(self.all_fields(scope, field), scope.program.field(field).ty))
            }
            Place::InputElement(group, sort, array, at) => {
                let element = element_of(scope, group, sort)?;
                let at = Value::Int(at).to_term(scope.pool, scope.program.index_type());
                let all = self.all_elements(scope, group, element);
                let elements = scope.pool.select(all, array);
                let value = scope.pool.select(elements, at);
                Some(Content::Value(Value::from_term(scope.pool, value, element), element))
            }
            Place::InputArray(group, sort, array) => {
                let element = element_of(scope, group, sort)?;
                let all = self.all_elements(scope, group, element);
                Some(Content::Elements(scope.pool.select(all, array), element))
            }
            Place::InputArrays(group, sort) => {
                let element = element_of(scope, group, sort)?;
                Some(Content::Elements(self.all_elements(scope, group, element), element))
            }
            _ => None,
        }
    }

    /// Sets what a place of the input heap contains.
    pub(crate) fn set_input_content(&mut self, scope: &mut Scope, place: Place, content: Content) {
        match (place, content) {
            (Place::InputField(field, object), Content::Value(value, ty)) => {
                let (all, value) = (self.all_fields(scope, field), value.to_term(scope.pool, ty));
                self.set_all_fields(field, scope.pool.store(all, object, value));
            }
            (Place::InputFields(field), Content::Elements(all, _)) => self.set_all_fields(field, all),
            (Place::InputElement(group, sort, array, at), Content::Value(value, element)) => {
                let at = Value::Int(at).to_term(scope.pool, scope.program.index_type());
                let (all, value) = (self.all_elements(scope, group, element), value.to_term(scope.pool, element));
                let elements = scope.pool.select(all, array);
                let elements = scope.pool.store(elements, at, value);
                self.set_all_elements((group, sort), scope.pool.store(all, array, elements));
            }
            (Place::InputArray(group, sort, array), Content::Elements(elements, element)) => {
                let all = self.all_elements(scope, group, element);
                self.set_all_elements((group, sort), scope.pool.store(all, array, elements));
            }
            (Place::InputArrays(group, sort), Content::Elements(all, _)) => self.set_all_elements((group, sort), all),
            _ => {}
        }
    }

    fn set_all_fields(&mut self, field: FieldId, all: Term) {
        self.field_writes.remove_mut(&field);
        self.field_bases.insert_mut(field, all);
    }

    fn set_all_elements(&mut self, key: (Group, Sort), all: Term) {
        self.element_writes.remove_mut(&key);
        self.element_bases.insert_mut(key, all);
    }

    /// The array from objects to the values of a field.
    fn all_fields(&self, scope: &mut Scope, field: FieldId) -> Term {
        let ty = scope.program.field(field).ty;
        let mut all = match self.field_bases.get(&field) {
            Some(&base) => base,
            None => scope.input.field(scope.pool, scope.program, field),
        };
        let pool = &mut *scope.pool;
        for (sites, value) in self.field_writes.get(&field).map(|log| log.as_slice()).unwrap_or_default() {
            let value = value.to_term(pool, ty);
            for &(guard, site) in sites.iter() {
                let old = pool.select(all, site);
                let new = pool.ite(guard, value, old);
                all = pool.store(all, site, new);
            }
        }
        all
    }

    /// The array from array objects to their elements.
    fn all_elements(&self, scope: &mut Scope, group: Group, element: Type) -> Term {
        let key = (group, sort_of(element));
        let mut all = match self.element_bases.get(&key) {
            Some(&base) => base,
            None => scope.input.elements(scope.pool, scope.program, group, element),
        };
        let index_type = scope.program.index_type();
        let pool = &mut *scope.pool;
        for (sites, at, value) in self.element_writes.get(&key).map(|log| log.as_slice()).unwrap_or_default() {
            let (at, value) = (at.to_term(pool, index_type), value.to_term(pool, element));
            for &(guard, site) in sites.iter() {
                let row = pool.select(all, site);
                let old = pool.select(row, at);
                let new = pool.ite(guard, value, old);
                let row = pool.store(row, at, new);
                all = pool.store(all, site, row);
            }
        }
        all
    }
}

/// The logs and their bases, by field or by type of array.
type Contents<'h, K, E> = (&'h Map<K, Rc<Vec<E>>>, &'h Map<K, Term>);

/// What has changed under each key.
fn changes<K: Copy + Eq + Hash, E: PartialEq>(
    pool: &Pool,
    now: Contents<K, E>,
    before: Contents<K, E>,
    sites: fn(&E) -> (&Sites, Option<Value>),
) -> Vec<(K, Changed)> {
    let keys = [now, before].into_iter().flat_map(|(logs, bases)| logs.keys().chain(bases.keys()));
    let keys: FxHashSet<K> = keys.copied().collect();
    let changed = keys.into_iter().map(|key| {
        let mut changed = Changed::default();
        changed.note_bases(pool, now.1.get(&key), before.1.get(&key));
        changed.note_logs(now.0.get(&key), before.0.get(&key), sites);
        (key, changed)
    });
    changed.filter(|(_, changed)| !changed.is_none()).collect()
}

/// The input objects that have changed.
#[derive(Default)]
struct Changed {
    objects: Vec<Term>,
    /// Whether any others may have.
    any: bool,
    /// The indices of the elements that have changed, as far as they are known.
    indices: Vec<i64>,
    /// Whether any other element may have.
    any_index: bool,
}

impl Changed {
    fn is_none(&self) -> bool {
        self.objects.is_empty() && !self.any
    }

    fn add(&mut self, object: Term) {
        if !self.objects.contains(&object) {
            self.objects.push(object);
        }
    }

    /// Notes the objects in which what was last set as a whole differs: those that were set after what both have in common.
    fn note_bases(&mut self, pool: &Pool, now: Option<&Term>, before: Option<&Term>) {
        if now == before {
            return;
        }
        self.any_index = true;
        let mut root = |base: Option<&Term>| {
            let mut base = *base?;
            while let Node::Store(inner, object, _) = *pool.node(base) {
                self.add(object);
                base = inner;
            }
            Some(base)
        };
        // Where nothing was set, the root is the array of the heap at entry.
        let (now, before) = (root(now), root(before));
        self.any |= now.is_some() && before.is_some() && now != before;
    }

    fn note_logs<E: PartialEq>(
        &mut self,
        now: Option<&Rc<Vec<E>>>,
        before: Option<&Rc<Vec<E>>>,
        sites: fn(&E) -> (&Sites, Option<Value>),
    ) {
        let [now, before] = [now, before].map(|log| log.map(|log| log.as_slice()).unwrap_or_default());
        for at in 0..now.len().max(before.len()) {
            let (now, before) = (now.get(at), before.get(at));
            if now != before {
                for entry in now.into_iter().chain(before) {
                    let (sites, index) = sites(entry);
                    sites.iter().for_each(|&(_, object)| self.add(object));
                    match index {
                        Some(Value::Int(at)) if !self.indices.contains(&at) => self.indices.push(at),
                        Some(Value::Int(_)) => {}
                        _ => self.any_index = true,
                    }
                }
            }
        }
    }

    /// The indices of all elements that have changed, if they are known and few.
    fn only_few(&self) -> Option<&[i64]> {
        (!self.any_index && self.indices.len() <= FEW).then_some(&self.indices)
    }

    /// The only object that has changed.
    fn only_one(&self) -> Option<Term> {
        match self.objects[..] {
            [object] if !self.any => Some(object),
            _ => None,
        }
    }
}

/// The type of the elements of the arrays of a group that have elements of this sort. `None` if these may be references.
fn element_of(scope: &Scope, group: Group, sort: Sort) -> Option<Type> {
    let arrays = scope.program.array_types().filter(|&(id, _)| scope.layout.group(Type::Array(id)) == Some(group));
    let elements: Vec<Type> =
        arrays.map(|(id, _)| scope.program.element_type(id)).filter(|&element| sort_of(element) == sort).collect();
    elements.first().copied().filter(|_| !elements.iter().any(|element| element.is_reference()))
}
