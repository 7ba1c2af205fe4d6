//! Decides whether a state is an instance of another one: the same with other objects, and with other values of its variables.

use crate::cells::Cells;
use crate::combined::Combined;
use crate::layout::Layout;
use crate::objects::Object;
use crate::value::{ObjectId, Value};
use aback_ir::{Program, Type};
use aback_logic::{Node, Pool, Sort, Term};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Most values that a fingerprint takes into account.
const MOST_HASHED: usize = 1_000;

/// What was reachable from static fields at some moment. Most of it never changes, so that it need not be looked at again: as long
/// as an object has this version, it leads to objects of this set only.
#[derive(Default)]
pub struct Permanent {
    versions: FxHashMap<ObjectId, Rc<Object>>,
    /// Objects to which these lead, and which contain terms.
    with_terms: Vec<ObjectId>,
    statics: Vec<Value>,
}

impl Permanent {
    pub(crate) fn of(heap: &Combined, layout: &Layout) -> Permanent {
        let types = layout.statics().clone();
        let statics: Vec<Value> = types.iter().enumerate().map(|(slot, &ty)| heap.statics.at(slot, ty)).collect();
        let mut permanent = Permanent { statics: statics.clone(), ..Permanent::default() };
        let mut pending = statics;
        while let Some(value) = pending.pop() {
            let Value::Object(id) = value else { continue };
            if permanent.versions.contains_key(&id) || permanent.with_terms.contains(&id) {
                continue;
            }
            let Some(object) = heap.objects.shared(id) else { continue };
            if object.has_terms() {
                permanent.with_terms.push(id);
            } else {
                permanent.versions.insert(id, Rc::clone(object));
                pending.extend(object.values());
            }
        }
        permanent
    }

    fn has(&self, heap: &Combined, id: ObjectId) -> bool {
        let version = self.versions.get(&id);
        version.is_some_and(|version| heap.objects.shared(id).is_some_and(|object| Rc::ptr_eq(object, version)))
    }

    /// The objects that may have other contents in a heap.
    fn changed<'a>(&'a self, heap: &'a Combined) -> impl Iterator<Item = ObjectId> + 'a {
        let is_changed = |&(&id, version): &(&ObjectId, &Rc<Object>)| {
            heap.objects.shared(id).is_none_or(|object| !Rc::ptr_eq(object, version))
        };
        let changed = self.versions.iter().filter(is_changed).map(|(&id, _)| id);
        changed.chain(self.with_terms.iter().copied())
    }

    /// The static fields that may have other values in a heap, with their types.
    fn changed_statics(&self, heap: &Combined, layout: &Layout) -> Vec<(usize, Type)> {
        let types = layout.statics();
        let statics = types.iter().copied().enumerate();
        let is_same = |slot: usize, ty| {
            let value = heap.statics.at(slot, ty);
            !matches!(value, Value::Term(_)) && self.statics.get(slot) == Some(&value)
        };
        statics.filter(|&(slot, ty)| !is_same(slot, ty)).collect()
    }
}

/// By what the objects and terms of one state have to be replaced to give another one. Different objects are replaced by
/// different ones.
#[derive(Default)]
pub struct Instance {
    objects: FxHashMap<ObjectId, ObjectId>,
    replaced: FxHashMap<ObjectId, ObjectId>,
    pending: Vec<(ObjectId, ObjectId)>,
    terms: Vec<(Term, Term)>,
}

impl Instance {
    /// The terms of the one state, each with the term that the other one has in its place.
    pub fn terms(&self) -> &[(Term, Term)] {
        &self.terms
    }

    /// The object that takes the place of another.
    pub fn object(&self, id: ObjectId) -> Option<ObjectId> {
        self.objects.get(&id).copied()
    }

    /// The object whose place an object takes.
    pub fn original(&self, id: ObjectId) -> Option<ObjectId> {
        self.replaced.get(&id).copied()
    }

    /// Adds that a value of a type takes the place of another. Returns whether that is possible.
    pub fn value(&mut self, pool: &mut Pool, ty: Type, one: Value, other: Value) -> bool {
        match (one, other) {
            (Value::Object(one), Value::Object(other)) => self.pair(one, other),
            // A reference with several possible objects must be the same.
            (Value::Term(one), Value::Term(other)) if ty.is_reference() => {
                one == other && self.same_reference(pool, one)
            }
            (Value::Term(one), other) if !ty.is_reference() => {
                let other = other.to_term(pool, ty);
                self.terms.push((one, other));
                true
            }
            _ => one == other,
        }
    }

    fn pair(&mut self, one: ObjectId, other: ObjectId) -> bool {
        match (self.objects.get(&one), self.replaced.get(&other)) {
            (None, None) => {
                self.objects.insert(one, other);
                self.replaced.insert(other, one);
                self.pending.push((one, other));
                true
            }
            (known, _) => known == Some(&other),
        }
    }

    /// Adds that a reference stays what it is, and all objects that it may be. False if it is not known which these are.
    fn same_reference(&mut self, pool: &Pool, reference: Term) -> bool {
        self.terms.push((reference, reference));
        let mut pending = vec![reference];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            match *pool.node(term) {
                Node::Ite(_, then, otherwise) => pending.extend([then, otherwise]),
                Node::Var(_) => {}
                Node::Select(array, _) if matches!(pool.node(array), Node::Var(_)) => {}
                Node::Int(_) => match Value::from_term(pool, term, Type::Null) {
                    Value::Object(id) if !self.pair(id, id) => return false,
                    Value::Term(_) => return false,
                    _ => {}
                },
                _ => return false,
            }
        }
        true
    }
}

/// Whether `other` is an instance of `one`, given what takes the place of the values of locals. What is reachable from there and from
/// static fields is added.
pub(crate) fn extend(
    instance: &mut Instance,
    (one, other): (&Combined, &Combined),
    permanent: &Permanent,
    pool: &mut Pool,
    program: &Program,
    layout: &Layout,
) -> bool {
    if !same_input(instance, one, other, pool, program) {
        return false;
    }
    let mut statics = permanent.changed_statics(one, layout);
    statics.extend(permanent.changed_statics(other, layout));
    if !statics
        .into_iter()
        .all(|(slot, ty)| instance.value(pool, ty, one.statics.at(slot, ty), other.statics.at(slot, ty)))
    {
        return false;
    }
    let mut changed = permanent.changed(one).chain(permanent.changed(other));
    if !changed.all(|id| instance.pair(id, id)) {
        return false;
    }
    while let Some((id, by)) = instance.pending.pop() {
        if id == by && permanent.has(one, id) && permanent.has(other, id) {
            continue;
        }
        let is_possible = match (one.objects.shared(id), other.objects.shared(by)) {
            (Some(object), Some(by)) => same_object(instance, pool, program, layout, object, by),
            _ => false,
        };
        if !is_possible {
            return false;
        }
    }
    true
}

fn same_object(
    instance: &mut Instance,
    pool: &mut Pool,
    program: &Program,
    layout: &Layout,
    one: &Object,
    other: &Object,
) -> bool {
    match (one, other) {
        (Object::Instance { class, fields }, Object::Instance { class: other, fields: others }) => {
            let shape = layout.shape(program, *class);
            let mut both = fields.iter().zip(others).zip(&shape.fields);
            class == other
                && fields.len() == others.len()
                && both.all(|((&one, &other), &field)| instance.value(pool, program.field(field).ty, one, other))
        }
        (
            &Object::Array { element, length, ref cells },
            &Object::Array { element: other_element, length: other_length, cells: ref others },
        ) => {
            let index = program.index_type();
            element == other_element
                && instance.value(pool, index, length, other_length)
                && match (cells, others) {
                    (Cells::Dense(cells), Cells::Dense(others)) => {
                        cells.len() == others.len()
                            && cells.iter().zip(others).all(|(&one, &other)| instance.value(pool, element, one, other))
                    }
                    (Cells::Writes(cells, base), Cells::Writes(others, other_base)) => {
                        let is_same_base = match (base, other_base) {
                            (Some(one), Some(other)) => {
                                instance.terms.push((*one, *other));
                                !element.is_reference()
                            }
                            (one, other) => one == other,
                        };
                        is_same_base
                            && cells.len() == others.len()
                            && cells.iter().zip(others).all(|(&(at, one), &(other_at, other))| {
                                instance.value(pool, index, at, other_at) && instance.value(pool, element, one, other)
                            })
                    }
                    _ => false,
                }
        }
        _ => false,
    }
}

/// Whether two heaps have written the same to objects of the input. What they have written stays what it is.
fn same_input(instance: &mut Instance, one: &Combined, other: &Combined, pool: &mut Pool, program: &Program) -> bool {
    if one.field_bases != other.field_bases
        || one.element_bases != other.element_bases
        || one.field_writes != other.field_writes
        || one.element_writes != other.element_writes
    {
        return false;
    }
    let bases = one.field_bases.values().chain(one.element_bases.values());
    instance.terms.extend(bases.map(|&base| (base, base)));
    let index = program.index_type();
    for (field, log) in one.field_writes.iter() {
        for (sites, value) in log.iter() {
            instance.terms.extend(sites.iter().flat_map(|&(guard, site)| [(guard, guard), (site, site)]));
            if !instance.value(pool, program.field(*field).ty, *value, *value) {
                return false;
            }
        }
    }
    for ((_, sort), log) in one.element_writes.iter() {
        // References are integers.
        let ty = if *sort == Sort::Int { Type::Null } else { index };
        for (sites, at, value) in log.iter() {
            instance.terms.extend(sites.iter().flat_map(|&(guard, site)| [(guard, guard), (site, site)]));
            if !instance.value(pool, index, *at, *at) || !instance.value(pool, ty, *value, *value) {
                return false;
            }
        }
    }
    true
}

/// A number that is the same for states of which one is an instance of the other by other objects and variables only. `roots` are the
/// values of locals.
pub(crate) fn fingerprint(heap: &Combined, permanent: &Permanent, roots: &[Value], layout: &Layout) -> u64 {
    let mut hasher = FxHasher::default();
    let mut numbers: FxHashMap<ObjectId, usize> = FxHashMap::default();
    let mut order: Vec<ObjectId> = Vec::new();
    let mut hash = |hasher: &mut FxHasher, order: &mut Vec<ObjectId>, value: Value| match value {
        Value::Object(id) if permanent.has(heap, id) => id.hash(hasher),
        Value::Object(id) => {
            let next = numbers.len();
            let number = *numbers.entry(id).or_insert(next);
            if number == next {
                order.push(id);
            }
            (number, 1).hash(hasher);
        }
        Value::Term(_) => 2.hash(hasher),
        concrete => concrete.hash(hasher),
    };
    let mut hashed = 0;
    roots.iter().for_each(|&root| hash(&mut hasher, &mut order, root));
    for (slot, ty) in permanent.changed_statics(heap, layout) {
        slot.hash(&mut hasher);
        hash(&mut hasher, &mut order, heap.statics.at(slot, ty));
    }
    let mut at = 0;
    while hashed < MOST_HASHED
        && let Some(object) = order.get(at).and_then(|&id| heap.objects.shared(id))
    {
        at += 1;
        match &**object {
            Object::Instance { class, .. } => class.hash(&mut hasher),
            Object::Array { length, .. } => hash(&mut hasher, &mut order, *length),
        }
        for value in object.values().take(MOST_HASHED) {
            hashed += 1;
            hash(&mut hasher, &mut order, value);
        }
    }
    hasher.finish()
}
