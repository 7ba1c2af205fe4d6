//! Decides whether a state is an instance of another one: the same with other objects, and with other values of its variables.

use crate::cells::Cells;
use crate::combined::Combined;
use crate::layout::Layout;
use crate::objects::Object;
use crate::value::{ObjectId, Value};
use aback_ir::{Program, Type};
use aback_logic::{Integer, Node, Pool, Simplifier, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hash;
use std::rc::Rc;

/// Most values of a state that has a fingerprint, so that comparisons take little time.
const MOST_HASHED: usize = 4_000;
/// Most objects that a part of a reference may be.
const MOST_TARGETS: i64 = 1_000;
/// Number of static fields that have changed from which on it is worth while to look anew at what is reachable from them.
const MANY_CHANGED: usize = 16;
/// How often that is done. Where paths initialize classes, each of them may be different.
const MOST_RENEWALS: u32 = 8;

/// What was reachable from static fields at some moment. Most of it never changes, so that it need not be looked at again: as long
/// as an object has this version, it leads to objects of this set only.
#[derive(Default)]
pub struct Permanent {
    versions: FxHashMap<ObjectId, Rc<Object>>,
    /// Objects to which these lead, and which contain terms.
    with_terms: Vec<ObjectId>,
    statics: Vec<Value>,
    /// How often it has been made anew.
    renewals: u32,
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

    /// The set anew, if much of it has changed in a heap.
    pub(crate) fn renewed(self, heap: &Combined, layout: &Layout) -> Permanent {
        let is_outdated = self.changed_statics(heap, layout).len() >= MANY_CHANGED && self.renewals < MOST_RENEWALS;
        match is_outdated {
            true => Permanent { renewals: self.renewals + 1, ..Permanent::of(heap, layout) },
            false => self,
        }
    }

    /// Whether an object was reachable from static fields.
    pub fn contains(&self, id: ObjectId) -> bool {
        self.versions.contains_key(&id)
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

/// What is known of two states that are compared.
pub struct Comparison<'a> {
    /// The terms.
    pub pool: &'a mut Pool,
    /// The program.
    pub program: &'a Program,
    /// The layout of the program.
    pub layout: &'a Layout,
    /// What never changes.
    pub permanent: &'a Permanent,
    /// What the path of the first state says about terms.
    pub one: Simplifier<'a>,
    /// What the path of the second state says about them.
    pub other: Simplifier<'a>,
    /// What takes the place of what, as far as it is known.
    pub instance: Instance,
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
}

impl Comparison<'_> {
    /// Adds that an object takes the place of another. Returns whether that is possible. A permanent object keeps its place: permanent
    /// objects that are not looked at may refer to it.
    fn pair(&mut self, one: ObjectId, other: ObjectId) -> bool {
        if one != other && [one, other].into_iter().any(|id| self.permanent.contains(id)) {
            return false;
        }
        let Instance { objects, replaced, pending, .. } = &mut self.instance;
        match (objects.get(&one), replaced.get(&other)) {
            (None, None) => {
                objects.insert(one, other);
                replaced.insert(other, one);
                pending.push((one, other));
                true
            }
            (known, _) => known == Some(&other),
        }
    }

    /// Adds that a value of a type takes the place of another. Returns whether that is possible.
    pub fn value(&mut self, ty: Type, one: Value, other: Value) -> bool {
        match (simpler(&mut self.one, self.pool, one, ty), simpler(&mut self.other, self.pool, other, ty)) {
            (Value::Object(one), Value::Object(other)) => self.pair(one, other),
            (Value::Term(one), Value::Term(other)) if ty.is_reference() => self.references(one, other),
            (Value::Term(one), other) if !ty.is_reference() => {
                let other = other.to_term(self.pool, ty);
                self.instance.terms.push((one, other));
                true
            }
            (one, other) => one == other,
        }
    }

    fn values(&mut self, ty: Type, one: &[Value], other: &[Value]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(&one, &other)| self.value(ty, one, other))
    }

    /// Adds that a reference takes the place of another: it chooses in the same way between objects that take the places of the others.
    fn references(&mut self, one: Term, other: Term) -> bool {
        let mut pending = vec![(one, other)];
        let mut seen = FxHashSet::default();
        while let Some((one, other)) = pending.pop() {
            if !seen.insert((one, other)) {
                continue;
            }
            let is_possible = match (self.pool.node(one), self.pool.node(other)) {
                (&Node::Ite(choice, then, otherwise), &Node::Ite(other_choice, other_then, other_otherwise)) => {
                    self.instance.terms.push((choice, other_choice));
                    pending.extend([(then, other_then), (otherwise, other_otherwise)]);
                    true
                }
                (Node::Int(_), Node::Int(_)) => {
                    let [one, other] = [one, other].map(|term| Value::from_term(self.pool, term, Type::Null));
                    match (one, other) {
                        (Value::Object(one), Value::Object(other)) => self.pair(one, other),
                        _ => one == other,
                    }
                }
                _ => {
                    self.instance.terms.push((one, other));
                    self.keeps_targets(other)
                }
            };
            if !is_possible {
                return false;
            }
        }
        true
    }

    /// Adds that the objects which a reference may be stay what they are, because its number says which one it is. False if it is not known
    /// which these are.
    fn keeps_targets(&mut self, reference: Term) -> bool {
        match *self.pool.node(reference) {
            // A reference of the input heap.
            Node::Var(_) => return true,
            Node::Select(array, _) if matches!(self.pool.node(array), Node::Var(_)) => return true,
            _ => {}
        }
        let ids = self.other.domain().interval(self.pool, reference);
        let bound = |bound: Option<Integer>| bound.and_then(|bound| bound.as_i64());
        let (Some(low), Some(high)) = (bound(ids.low), bound(ids.high)) else { return false };
        low >= 0
            && high <= u32::MAX.into()
            && high - low < MOST_TARGETS
            && (low.max(1)..=high).all(|number| {
                let id = ObjectId((number - 1) as u32);
                self.pair(id, id)
            })
    }

    /// Whether one heap is an instance of another, given what takes the place of the values of locals. What is reachable from there and
    /// from static fields is added.
    pub(crate) fn heaps(&mut self, one: &Combined, other: &Combined) -> bool {
        if !self.inputs(one, other) {
            return false;
        }
        let (permanent, layout) = (self.permanent, self.layout);
        let mut statics = permanent.changed_statics(one, layout);
        statics.extend(permanent.changed_statics(other, layout));
        let mut statics = statics.into_iter();
        if !statics.all(|(slot, ty)| self.value(ty, one.statics.at(slot, ty), other.statics.at(slot, ty))) {
            return false;
        }
        let mut changed = permanent.changed(one).chain(permanent.changed(other));
        if !changed.all(|id| self.pair(id, id)) {
            return false;
        }
        while let Some((id, by)) = self.instance.pending.pop() {
            if id == by && permanent.has(one, id) && permanent.has(other, id) {
                continue;
            }
            let is_possible = match (one.objects.shared(id), other.objects.shared(by)) {
                (Some(object), Some(by)) => self.contents(object, by),
                // No execution has this object.
                (None, None) => id == by,
                _ => false,
            };
            if !is_possible {
                return false;
            }
        }
        true
    }

    fn contents(&mut self, one: &Object, other: &Object) -> bool {
        match (one, other) {
            (Object::Instance { class, fields }, Object::Instance { class: other, fields: others }) => {
                let (program, shape) = (self.program, self.layout.shape(self.program, *class));
                let mut both = fields.iter().zip(others).zip(&shape.fields);
                class == other && both.all(|((&one, &other), &field)| self.value(program.field(field).ty, one, other))
            }
            (
                &Object::Array { element, length, ref cells },
                &Object::Array { element: other_element, length: other_length, cells: ref others },
            ) => {
                let index = self.program.index_type();
                element == other_element
                    && self.value(index, length, other_length)
                    && match (cells, others) {
                        (Cells::Dense(cells), Cells::Dense(others)) => self.values(element, cells, others),
                        (Cells::Writes(cells, base), Cells::Writes(others, other_base)) => {
                            let (at, written): (Vec<Value>, Vec<Value>) = cells.iter().copied().unzip();
                            let (other_at, others): (Vec<Value>, Vec<Value>) = others.iter().copied().unzip();
                            self.bases(element, *base, *other_base)
                                && self.values(index, &at, &other_at)
                                && self.values(element, &written, &others)
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    /// The same for the array terms over which elements are written.
    fn bases(&mut self, element: Type, one: Option<Term>, other: Option<Term>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => {
                self.instance.terms.push((one, other));
                !element.is_reference()
            }
            (one, other) => one == other,
        }
    }

    /// Whether two heaps have written the same to objects of the input. What they have written stays what it is.
    fn inputs(&mut self, one: &Combined, other: &Combined) -> bool {
        if one.field_bases != other.field_bases
            || one.element_bases != other.element_bases
            || one.field_writes != other.field_writes
            || one.element_writes != other.element_writes
        {
            return false;
        }
        let index = self.program.index_type();
        let bases = one.field_bases.values().chain(one.element_bases.values());
        self.instance.terms.extend(bases.map(|&base| (base, base)));
        let fields = one.field_writes.iter().flat_map(|(&field, log)| {
            let ty = self.program.field(field).ty;
            log.iter().map(move |(sites, value)| (sites, Value::Int(0), ty, *value))
        });
        let elements = one.element_writes.iter().flat_map(|((_, sort), log)| {
            // References are integers.
            let ty = if *sort == Sort::Int { Type::Null } else { index };
            log.iter().map(move |(sites, at, value)| (sites, *at, ty, *value))
        });
        let writes: Vec<_> = fields.chain(elements).collect();
        writes.into_iter().all(|(sites, at, ty, value)| {
            self.instance.terms.extend(sites.iter().flat_map(|&(guard, site)| [(guard, guard), (site, site)]));
            self.value(index, at, at) && self.value(ty, value, value)
        })
    }
}

/// The value, simplified by what is known.
fn simpler(known: &mut Simplifier, pool: &mut Pool, value: Value, ty: Type) -> Value {
    match value {
        Value::Term(term) => {
            let term = known.simplified(pool, term);
            Value::from_term(pool, term, ty)
        }
        concrete => concrete,
    }
}

/// A number that states have in common if one is an instance of the other by other objects and variables only.
pub struct Fingerprint<'a> {
    /// The terms.
    pub pool: &'a mut Pool,
    /// The program.
    pub program: &'a Program,
    /// The layout of the program.
    pub layout: &'a Layout,
    /// What never changes.
    pub permanent: &'a Permanent,
    /// What the path of the state says about terms.
    pub known: Simplifier<'a>,
    /// The values so far.
    pub hasher: FxHasher,
}

impl Fingerprint<'_> {
    /// Adds the values of locals, and what they lead to. Returns whether that was not too much.
    pub(crate) fn heap(&mut self, heap: &Combined, roots: &[(Type, Value)]) -> bool {
        let mut numbers: FxHashMap<ObjectId, usize> = FxHashMap::default();
        let mut order: Vec<ObjectId> = Vec::new();
        let statics = self.permanent.changed_statics(heap, self.layout);
        let statics = statics.into_iter().map(|(slot, ty)| (ty, heap.statics.at(slot, ty)));
        let mut values: Vec<(Type, Value)> = roots.iter().copied().chain(statics).collect();
        let (mut at, mut hashed) = (0, 0);
        loop {
            for (ty, value) in values {
                hashed += 1;
                match simpler(&mut self.known, self.pool, value, ty) {
                    Value::Object(id) if self.permanent.has(heap, id) => id.hash(&mut self.hasher),
                    Value::Object(id) => {
                        let next = numbers.len();
                        let number = *numbers.entry(id).or_insert(next);
                        if number == next {
                            order.push(id);
                        }
                        (number, 1).hash(&mut self.hasher);
                    }
                    Value::Term(_) => 2.hash(&mut self.hasher),
                    concrete => concrete.hash(&mut self.hasher),
                }
            }
            let Some(object) = order.get(at).and_then(|&id| heap.objects.shared(id)) else { return true };
            if hashed > MOST_HASHED {
                return false;
            }
            at += 1;
            values = match &**object {
                Object::Instance { class, fields } => {
                    class.hash(&mut self.hasher);
                    let shape = self.layout.shape(self.program, *class);
                    let types = shape.fields.iter().map(|&field| self.program.field(field).ty);
                    types.zip(fields.iter().copied()).collect()
                }
                Object::Array { element, length, .. } => {
                    let length = (self.program.index_type(), *length);
                    let elements = object.values().take(MOST_HASHED + 1).map(|value| (*element, value));
                    std::iter::once(length).chain(elements).collect()
                }
            };
        }
    }
}
