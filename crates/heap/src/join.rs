//! Joins two combined heaps.

use crate::cells::Cells;
use crate::combined::{Combined, FieldWrites, Map, Sites};
use crate::heap::Scope;
use crate::layout::Layout;
use crate::objects::Object;
use crate::value::Value;
use aback_ir::{FieldId, Program, Type};
use aback_logic::Term;
use std::hash::Hash;
use std::rc::Rc;

/// The heap that equals `one` where `choice` holds and `other` elsewhere. `None` if they do not fit together.
pub(crate) fn joined(one: &Combined, other: &Combined, scope: &mut Scope, choice: Term) -> Option<Combined> {
    let (field_bases, element_bases) = (one.field_bases.clone(), one.element_bases.clone());
    if field_bases != other.field_bases || element_bases != other.element_bases {
        return None;
    }
    let objects = one.objects.join(&other.objects, |one, other| object(scope, choice, one, other))?;
    let statics = one.statics.join(&other.statics, scope, choice);
    let negated = scope.pool.not(choice);
    let field_writes = logs(&one.field_writes, &other.field_writes, |is_one, (sites, value)| {
        (guarded(scope, if is_one { choice } else { negated }, sites), *value)
    });
    let element_writes = logs(&one.element_writes, &other.element_writes, |is_one, (sites, index, value)| {
        (guarded(scope, if is_one { choice } else { negated }, sites), *index, *value)
    });
    Some(Combined { objects, field_writes, element_writes, field_bases, element_bases, statics })
}

/// Whether two heaps have the same references everywhere, and differ in numbers, truth values and new objects only.
pub(crate) fn have_same_references(one: &Combined, other: &Combined, program: &Program, layout: &Layout) -> bool {
    let is_same = |ty: Type, one: Value, other: Value| one == other || !ty.is_reference();
    let field = |field| program.field(field).ty;
    let object = |one: &Object, other: &Object| match (one, other) {
        (Object::Instance { class, fields }, Object::Instance { fields: others, .. }) => {
            let shape = layout.shape(program, *class);
            let both = fields.iter().zip(others).zip(&shape.fields);
            let mut both = both;
            both.all(|((&one, &other), &of)| is_same(field(of), one, other))
        }
        (Object::Array { element, cells, .. }, Object::Array { cells: others, .. }) => {
            !element.is_reference() || cells == others
        }
        _ => false,
    };
    let is_same_log = |(&of, log): (&FieldId, &Rc<FieldWrites>), others: &Map<FieldId, Rc<FieldWrites>>| {
        !field(of).is_reference() || others.get(&of) == Some(log)
    };
    one.objects.pairs(&other.objects).all(|(one, other)| object(one, other))
        && one.field_writes.iter().all(|log| is_same_log(log, &other.field_writes))
        && other.field_writes.iter().all(|log| is_same_log(log, &one.field_writes))
        && one.statics.pairs(&other.statics, layout).all(|(ty, one, other)| is_same(ty, one, other))
}

fn object(scope: &mut Scope, choice: Term, one: &Object, other: &Object) -> Option<Object> {
    match (one, other) {
        (&Object::Instance { class, ref fields }, Object::Instance { class: other_class, fields: others })
            if class == *other_class =>
        {
            let shape = scope.layout.shape(scope.program, class);
            let both = fields.iter().zip(others).zip(&shape.fields);
            let fields = both.map(|((&one, &other), &field)| {
                Value::ite(scope.pool, choice, one, other, scope.program.field(field).ty)
            });
            Some(Object::Instance { class, fields: fields.collect() })
        }
        (
            &Object::Array { element, length, ref cells },
            Object::Array { element: other_element, length: other_length, cells: others },
        ) if (element, length) == (*other_element, *other_length) => {
            Some(Object::Array { element, length, cells: elements(scope, choice, cells, others, element)? })
        }
        _ => None,
    }
}

/// Joins the elements of one array. If they are stored as writes, the common prefix comes first, then the remaining
/// writes of each side. Where the other side is chosen, these keep the old element.
fn elements(scope: &mut Scope, choice: Term, one: &Cells, other: &Cells, element: Type) -> Option<Cells> {
    if let (Cells::Dense(one), Cells::Dense(other)) = (one, other) {
        let both = one.iter().zip(other);
        let cells = both.map(|(&one, &other)| Value::ite(scope.pool, choice, one, other, element));
        return Some(Cells::Dense(cells.collect()));
    }
    let ((ours, base), (theirs, other_base)) = (one.writes(element), other.writes(element));
    if base != other_base {
        return None;
    }
    let shared = ours.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
    let index_type = scope.program.index_type();
    let mut cells = Cells::Writes(ours[..shared].to_vec(), base);
    let rest = ours[shared..].iter().map(|&write| (true, write));
    for (is_one, (index, value)) in rest.chain(theirs[shared..].iter().map(|&write| (false, write))) {
        let old = cells.read(scope.pool, scope.domain, index, index_type, element);
        let (then, otherwise) = if is_one { (value, old) } else { (old, value) };
        let value = Value::ite(scope.pool, choice, then, otherwise, element);
        cells.write(scope.pool, scope.domain, (index, index_type), (value, element));
    }
    Some(cells)
}

/// Joins the logs of two heaps: each joined log has the common prefix, then the remaining writes of each side under its
/// condition.
fn logs<K: Hash + Eq + Copy, E: PartialEq + Clone>(
    one: &Map<K, Rc<Vec<E>>>,
    other: &Map<K, Rc<Vec<E>>>,
    mut under: impl FnMut(bool, &E) -> E,
) -> Map<K, Rc<Vec<E>>> {
    let mut joined = one.clone();
    let only_ours = one.keys().filter(|key| !other.contains_key(*key));
    for key in other.keys().chain(only_ours) {
        let [ours, theirs] = [one, other].map(|logs| logs.get(key).map(|log| log.as_slice()).unwrap_or_default());
        if ours == theirs {
            continue;
        }
        let shared = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
        let mut log = ours[..shared].to_vec();
        log.extend(ours[shared..].iter().map(|entry| under(true, entry)));
        log.extend(theirs[shared..].iter().map(|entry| under(false, entry)));
        joined.insert_mut(*key, Rc::new(log));
    }
    joined
}

/// The input objects to which a write may go, where a condition holds.
fn guarded(scope: &mut Scope, condition: Term, sites: &Sites) -> Sites {
    sites.iter().map(|&(guard, site)| (scope.pool.and(condition, guard), site)).collect()
}
