//! Implements the heap that combines the three of paper 2: known identities, arrays for the input, and guarded value
//! sets.

use crate::cells::{Cells, read_log, suits};
use crate::heap::{Access, Blocked, Heap, Outcome, Scope};
use crate::instance::{Comparison, Fingerprint, Permanent};
use crate::join;
use crate::layout::Layout;
use crate::objects::{Object, Objects};
use crate::places::{Content, Place};
use crate::statics::Statics;
use crate::targets::{Choices, Leaf, Target, Targets};
use crate::value::{ObjectId, Value};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{Domain, Pool, Term};
use rpds::HashTrieMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::rc::Rc;

pub(crate) type Map<K, V> = HashTrieMap<K, V, archery::RcK, FxBuildHasher>;
/// The input objects to which a write may go, each with its condition.
pub(crate) type Sites = Rc<[(Term, Term)]>;
pub(crate) type FieldWrites = Vec<(Sites, Value)>;
pub(crate) type ElementWrites = Vec<(Sites, Value, Value)>;

/// Most objects of a reference that is split ([`Scope::splits_choices`]).
const MOST_CHOICES: usize = 8;

/// The heap of a symbolic state: allocated objects with known identities in an explicit store, logs by field and by
/// type of array with the writes to objects of the input heap, and static fields. The bases of the logs are the arrays of the
/// heap at entry, unless others have been set. Cloning is cheap: clones share their common parts.
#[derive(Clone)]
pub struct Combined {
    pub(crate) objects: Objects,
    pub(crate) field_writes: Map<FieldId, Rc<FieldWrites>>,
    pub(crate) element_writes: Map<(crate::Group, aback_logic::Sort), Rc<ElementWrites>>,
    pub(crate) field_bases: Map<FieldId, Term>,
    pub(crate) element_bases: Map<(crate::Group, aback_logic::Sort), Term>,
    pub(crate) statics: Statics,
}

impl std::fmt::Debug for Combined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Combined({:?})", self.objects)
    }
}

/// The input objects among the targets of a write; `None` if there are none. A single target is certain.
fn sites(targets: &Targets) -> Option<Sites> {
    let is_certain = targets.len() == 1;
    let inputs = targets.iter().filter_map(|&(guard, target)| match target {
        Target::Input(reference) => Some((if is_certain { Pool::TRUE } else { guard }, reference)),
        Target::Allocated(_) => None,
    });
    let sites: Sites = inputs.collect();
    (!sites.is_empty()).then_some(sites)
}

/// The condition under which a write to one of `sites` went to `object`.
fn meets(pool: &mut Pool, domain: &Domain, sites: &[(Term, Term)], object: Term) -> Term {
    let mut ways: SmallVec<[Term; 4]> = SmallVec::new();
    for &(guard, site) in sites {
        let same = pool.eq(site, object);
        let way = match domain.decide(pool, same) {
            Some(false) => continue,
            Some(true) => guard,
            None => pool.and(guard, same),
        };
        if domain.decide(pool, way) != Some(false) {
            ways.push(way);
        }
    }
    pool.or_all(&ways)
}

/// Whether two writes go to the same object; `None` if it is not known.
fn same_site(pool: &mut Pool, domain: &Domain, one: &Sites, other: &Sites) -> Option<bool> {
    if one == other {
        return Some(true);
    }
    let mut is_certain = one.len() == 1 && other.len() == 1;
    for &(guard, site) in other.iter() {
        is_certain &= guard == Pool::TRUE;
        match meets(pool, domain, one, site) {
            Pool::FALSE => {}
            met if is_certain && domain.decide(pool, met) == Some(true) => return Some(true),
            _ => return None,
        }
    }
    Some(false)
}

/// The entry of a log that a new write can replace: the youngest one to the same cell, if all younger ones are known to
/// go to other cells. `same` decides whether an entry went to the same cell.
fn replaced<E>(log: &mut [E], mut same: impl FnMut(&E) -> Option<bool>) -> Option<&mut E> {
    let mut younger_first = log.iter_mut().rev();
    younger_first.find_map(|entry| match same(entry) {
        Some(true) => Some(Some(entry)),
        Some(false) => None,
        None => Some(None),
    })?
}

impl Combined {
    fn add(&mut self, scope: &Scope, object: Object) -> Access<Self, Value> {
        self.objects.add(scope.identities, object).map(Value::Object).ok_or(Blocked::Exhausted)
    }

    /// The possible targets of a non-null reference, each with its condition. Targets that the path excludes are left
    /// out.
    pub fn targets(&self, scope: &mut Scope, reference: Value) -> Targets {
        match reference {
            Value::Object(id) => Targets::from_iter([(Pool::TRUE, Target::Allocated(id))]),
            Value::Term(term) => Choices::of(scope, &self.objects, term).targets(scope.pool, &self.objects),
            _ => Targets::new(),
        }
    }

    /// The object that a reference with few possible targets is, all of them allocated. If that is open, the heap splits into one
    /// for each target and one for null. Other references stay what they are.
    fn chosen(&self, scope: &mut Scope, term: Term) -> Access<Self, Value> {
        let reference = Value::Term(term);
        let choices = Choices::of(scope, &self.objects, term);
        let few = |leaf| match leaf {
            Leaf::One(Target::Allocated(_)) => Some(1),
            Leaf::One(Target::Input(_)) => None,
            Leaf::Run(_, ObjectId(first), ObjectId(last)) => Some(last.saturating_sub(first) as usize + 1),
        };
        let count = choices.leaves().try_fold(0, |count, (_, leaf)| Some(count + few(leaf)?));
        if count.is_none_or(|count| count > MOST_CHOICES) {
            return Ok(reference);
        }
        let targets = choices.targets(scope.pool, &self.objects);
        let objects = targets.into_iter().filter_map(|(_, target)| match target {
            Target::Allocated(id) => Some(Value::Object(id)),
            Target::Input(_) => None,
        });
        let mut outcomes = Vec::new();
        for value in std::iter::once(Value::Null).chain(objects) {
            let condition = Value::equals(scope.pool, reference, value, Type::Null);
            match scope.domain.decide(scope.pool, condition) {
                Some(true) => return Ok(value),
                Some(false) => {}
                None => outcomes.push((condition, value)),
            }
        }
        match outcomes[..] {
            // The reference is one of the values: the path excludes all others.
            [(_, only)] => Ok(only),
            [] => Ok(reference),
            _ => {
                let outcome = |(condition, _)| Outcome { condition, heap: self.clone(), decision: None };
                Err(Blocked::Split(outcomes.into_iter().map(outcome).collect()))
            }
        }
    }

    /// Combines the results of `read` for the possible targets.
    fn read_each(
        &self,
        scope: &mut Scope,
        reference: Value,
        ty: Type,
        mut read: impl FnMut(&Self, &mut Scope, &Domain, Target) -> Value,
    ) -> Value {
        let value = match reference {
            Value::Object(id) => {
                let domain = scope.domain;
                Some(read(self, scope, domain, Target::Allocated(id)))
            }
            Value::Term(term) => {
                Choices::of(scope, &self.objects, term)
                    .read(scope, &self.objects, ty, |scope, domain, target| read(self, scope, domain, target))
            }
            _ => None,
        };
        value.unwrap_or(Value::default_of(ty))
    }

    #[inline]
    fn object_field(&self, scope: &Scope, id: ObjectId, field: FieldId) -> Option<Value> {
        self.object(id)?.field(scope.program, scope.layout, field)
    }

    /// The allocated objects among the targets of a write, each with what its cell of type `ty` holds afterwards: the value, or if the
    /// object may not be the one, the value or what `read` gives.
    fn written(
        &self,
        scope: &mut Scope,
        targets: &Targets,
        value: Value,
        ty: Type,
        mut read: impl FnMut(&Self, &mut Scope, &Domain, Target) -> Value,
    ) -> SmallVec<[(ObjectId, Value); 2]> {
        let is_certain = targets.len() == 1;
        let mut written = SmallVec::new();
        for &(guard, target) in targets {
            let Target::Allocated(id) = target else { continue };
            let value = if is_certain {
                value
            } else {
                let domain = scope.domain;
                let old = read(self, scope, domain, target);
                Value::ite(scope.pool, guard, value, old, ty)
            };
            written.push((id, value));
        }
        written
    }

    fn read_field_of_any(&self, scope: &mut Scope, object: Value, field: FieldId) -> Value {
        let ty = scope.program.field(field).ty;
        self.read_each(scope, object, ty, |heap, scope, domain, target| {
            heap.target_field(scope, domain, target, field, ty)
        })
    }

    /// Reads a field of a target. `domain` may know more than the path.
    fn target_field(&self, scope: &mut Scope, domain: &Domain, target: Target, field: FieldId, ty: Type) -> Value {
        match target {
            Target::Allocated(id) => self.object_field(scope, id, field).unwrap_or(Value::default_of(ty)),
            Target::Input(reference) => {
                let base = match self.field_bases.get(&field) {
                    Some(&base) => {
                        let value = scope.pool.select(base, reference);
                        Value::from_term(scope.pool, value, ty)
                    }
                    None => scope.field_at_entry(reference, field),
                };
                let writes = self.field_writes.get(&field).map(|writes| writes.as_slice()).unwrap_or_default();
                read_log(
                    scope.pool,
                    domain,
                    writes.iter().map(|(sites, value)| (sites, *value)),
                    |pool, domain, sites| meets(pool, domain, sites, reference),
                    ty,
                    |_| base,
                )
            }
        }
    }

    fn set_object_field(&mut self, scope: &Scope, id: ObjectId, field: FieldId, value: Value) -> Option<()> {
        *self.objects.get_mut(id)?.field_mut(scope.program, scope.layout, field)? = value;
        Some(())
    }

    /// The elements of an allocated array with elements of type `wanted`, or of any reference type if `wanted` is one.
    #[inline]
    fn cells(&self, id: ObjectId, wanted: Type) -> Option<&Cells> {
        match self.object(id) {
            Some(Object::Array { element, cells, .. }) if suits(*element, wanted) => Some(cells),
            _ => None,
        }
    }

    #[inline]
    fn cells_mut(&mut self, id: ObjectId, wanted: Type) -> Option<&mut Cells> {
        match self.objects.get_mut(id) {
            Some(Object::Array { element, cells, .. }) if suits(*element, wanted) => Some(cells),
            _ => None,
        }
    }

    /// Reads an element of a target. `domain` may know more than the path.
    fn target_element(
        &self,
        scope: &mut Scope,
        domain: &Domain,
        target: Target,
        array_type: Type,
        element: Type,
        index: Value,
    ) -> Value {
        let index_type = scope.program.index_type();
        match target {
            Target::Allocated(id) => match self.cells(id, element) {
                Some(cells) => cells.read(scope.pool, domain, index, index_type, element),
                None => Value::default_of(element),
            },
            Target::Input(reference) => {
                let Some(group) = scope.layout.group(array_type) else {
                    return Value::default_of(element);
                };
                let key = (group, crate::sort_of(element));
                let base = match self.element_bases.get(&key) {
                    Some(&base) => {
                        let row = scope.pool.select(base, reference);
                        let at = index.to_term(scope.pool, index_type);
                        let value = scope.pool.select(row, at);
                        Value::from_term(scope.pool, value, element)
                    }
                    None => scope.element_at_entry(reference, array_type, element, index),
                };
                let writes = self.element_writes.get(&key).map(|writes| writes.as_slice()).unwrap_or_default();
                read_log(
                    scope.pool,
                    domain,
                    writes.iter().map(|(sites, at, value)| ((sites, *at), *value)),
                    |pool, domain, (sites, at)| {
                        let same_index = Value::equals(pool, at, index, index_type);
                        match domain.decide(pool, same_index) {
                            Some(false) => Pool::FALSE,
                            _ => {
                                let same_array = meets(pool, domain, sites, reference);
                                pool.and(same_array, same_index)
                            }
                        }
                    },
                    element,
                    |_| base,
                )
            }
        }
    }

    /// The exact type of an allocated object; `None` if there is no such object or the program does not name its type.
    fn type_of(&self, program: &Program, id: ObjectId) -> Option<Type> {
        self.object(id)?.exact_type(program)
    }
}

impl Heap for Combined {
    fn at_entry() -> Self {
        Combined {
            objects: Objects::new(),
            field_writes: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            element_writes: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            field_bases: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            element_bases: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            statics: Statics::default(),
        }
    }

    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value {
        scope.any_reference(name, ty)
    }

    fn permanent(&self, known: Option<Permanent>, layout: &Layout) -> Option<Permanent> {
        Some(match known {
            Some(known) => known.renewed(self, layout),
            None => Permanent::of(self, layout),
        })
    }

    fn add_to_fingerprint(&self, roots: &[(Type, Value)], fingerprint: &mut Fingerprint) -> bool {
        fingerprint.heap(self, roots)
    }

    fn has_instance(&self, other: &Self, comparison: &mut Comparison) -> bool {
        comparison.heaps(self, other)
    }

    fn decide(&mut self, scope: &mut Scope, reference: Value, _: Type) -> Access<Self, Value> {
        match reference {
            Value::Term(term) if scope.splits_choices => self.chosen(scope, term),
            _ => Ok(reference),
        }
    }

    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value> {
        let fields = scope.layout.shape(scope.program, class).defaults.clone();
        self.add(scope, Object::Instance { class, fields })
    }

    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value> {
        self.add(scope, Object::Array { element, length, cells })
    }

    #[inline]
    fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id)
    }

    #[inline]
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(id)
    }

    #[inline]
    fn read_field(&mut self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value> {
        match object {
            Value::Object(id) => self.object_field(scope, id, field).ok_or(Blocked::NoSuchCell),
            _ => Ok(self.read_field_of_any(scope, object, field)),
        }
    }

    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()> {
        if let Value::Object(id) = object {
            return self.set_object_field(scope, id, field, value).ok_or(Blocked::NoSuchCell);
        }
        let ty = scope.program.field(field).ty;
        let targets = self.targets(scope, object);
        for (id, value) in self.written(scope, &targets, value, ty, |heap, scope, domain, target| {
            heap.target_field(scope, domain, target, field, ty)
        }) {
            // Where the object has no such field, its guard cannot hold.
            self.set_object_field(scope, id, field, value);
        }
        if let Some(sites) = sites(&targets) {
            let mut writes = self.field_writes.get(&field).cloned().unwrap_or_default();
            let log = Rc::make_mut(&mut writes);
            let same = |(other, _): &(Sites, Value)| same_site(scope.pool, scope.domain, other, &sites);
            match replaced(log, same) {
                Some(entry) => entry.1 = value,
                None => log.push((sites, value)),
            }
            self.field_writes.insert_mut(field, writes);
        }
        Ok(())
    }

    #[inline]
    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value {
        self.statics.read(program, layout, field)
    }

    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value) {
        self.statics.write(program, layout, field, value);
    }

    fn array_length(&mut self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value> {
        if let Value::Object(id) = array {
            return match self.object(id) {
                Some(Object::Array { length, .. }) => Ok(*length),
                _ => Err(Blocked::NoSuchCell),
            };
        }
        let ty = scope.program.index_type();
        let length = self.read_each(scope, array, ty, |heap, scope, _, target| match target {
            Target::Allocated(id) => match heap.object(id) {
                Some(Object::Array { length, .. }) => *length,
                _ => Value::default_of(ty),
            },
            Target::Input(reference) => scope.length_at_entry(reference, array_type),
        });
        Ok(length)
    }

    fn read_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
    ) -> Access<Self, Value> {
        if let Value::Object(id) = array {
            let cells = self.cells(id, element).ok_or(Blocked::NoSuchCell)?;
            if let Some(cell) = cells.at(index) {
                return Ok(cell);
            }
        }
        Ok(self.read_each(scope, array, element, |heap, scope, domain, target| {
            heap.target_element(scope, domain, target, array_type, element, index)
        }))
    }

    fn write_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()> {
        if let Value::Object(id) = array {
            let cells = self.cells_mut(id, element).ok_or(Blocked::NoSuchCell)?;
            if let Some(cell) = cells.at_mut(index) {
                *cell = value;
                return Ok(());
            }
        }
        let index_type = scope.program.index_type();
        let targets = self.targets(scope, array);
        for (id, value) in self.written(scope, &targets, value, element, |heap, scope, domain, target| {
            heap.target_element(scope, domain, target, array_type, element, index)
        }) {
            if let Some(cells) = self.cells_mut(id, element) {
                cells.write(scope.pool, scope.domain, (index, index_type), (value, element));
            }
        }
        if let (Some(sites), Some(group)) = (sites(&targets), scope.layout.group(array_type)) {
            let key = (group, crate::sort_of(element));
            let mut writes = self.element_writes.get(&key).cloned().unwrap_or_default();
            let log = Rc::make_mut(&mut writes);
            let same = |(other, at, _): &(Sites, Value, Value)| {
                let same_index = Value::equals(scope.pool, *at, index, index_type);
                match scope.domain.decide(scope.pool, same_index) {
                    Some(false) => Some(false),
                    Some(true) => same_site(scope.pool, scope.domain, other, &sites),
                    None => same_site(scope.pool, scope.domain, other, &sites).filter(|&same| !same),
                }
            };
            match replaced(log, same) {
                Some(entry) => entry.2 = value,
                None => log.push((sites, index, value)),
            }
            self.element_writes.insert_mut(key, writes);
        }
        Ok(())
    }

    fn exact_types(
        &mut self,
        scope: &mut Scope,
        reference: Value,
        ty: Type,
        tested: Option<Type>,
    ) -> Access<Self, Vec<(Term, Type)>> {
        let leaves: SmallVec<[(Term, Leaf); 2]> = match reference {
            Value::Object(id) => SmallVec::from_iter([(Pool::TRUE, Leaf::One(Target::Allocated(id)))]),
            Value::Term(term) => Choices::of(scope, &self.objects, term).leaves().collect(),
            _ => SmallVec::new(),
        };
        let mut found: Vec<(Term, Type)> = Vec::new();
        for (guard, leaf) in leaves {
            let mut types: Vec<(Term, Type)> = Vec::new();
            match leaf {
                Leaf::One(Target::Allocated(id)) => types.extend(self.type_of(scope.program, id).map(|ty| (guard, ty))),
                Leaf::Run(reference, first, last) => {
                    let objects =
                        self.objects.runs(first, last).into_iter().flat_map(|(from, to)| from..to).map(ObjectId);
                    let exact: Vec<(ObjectId, Type)> =
                        objects.filter_map(|id| Some((id, self.type_of(scope.program, id)?))).collect();
                    match exact.first() {
                        Some(&(_, ty)) if exact.iter().all(|&(_, other)| other == ty) => types.push((guard, ty)),
                        _ => {
                            for (id, ty) in exact {
                                let object = Value::Object(id);
                                let is_it = Value::equals(scope.pool, Value::Term(reference), object, Type::Null);
                                types.push((scope.pool.and(guard, is_it), ty));
                            }
                        }
                    }
                }
                Leaf::One(Target::Input(term)) => {
                    types.extend(scope.input_types(term, ty, tested, guard));
                }
            }
            scope.add_types(&mut found, types);
        }
        Ok(found)
    }

    fn differences(&self, scope: &Scope, earlier: &Self, floor: usize) -> Option<Vec<Place>> {
        self.changed_places(scope, earlier, floor)
    }

    fn content(&self, scope: &mut Scope, place: Place) -> Option<Content> {
        self.content_at(scope, place)
    }

    fn set_content(&mut self, scope: &mut Scope, place: Place, content: Content) {
        self.set_content_at(scope, place, content);
    }

    fn name_elements(&mut self, scope: &mut Scope) -> Vec<Term> {
        self.name_long_arrays(scope)
    }

    fn has_same_references(&self, other: &Self, program: &Program, layout: &Layout) -> bool {
        join::have_same_references(self, other, program, layout)
    }

    fn join(&self, other: &Self, scope: &mut Scope, choice: Term) -> Option<Self> {
        join::joined(self, other, scope, choice)
    }
}
