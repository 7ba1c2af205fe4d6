//! Computes the possible targets of references.

use crate::cells::{select, simpler};
use crate::heap::Scope;
use crate::objects::Objects;
use crate::value::{ObjectId, Value};
use aback_ir::Type;
use aback_logic::{Domain, Integer, Node, Pool, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// A possible target of a reference that is not null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// An allocated object.
    Allocated(ObjectId),
    /// An object of the input heap, given by a term that reads only the input.
    Input(Term),
}

/// The possible targets of a reference, each with its condition: a guarded value set.
pub type Targets = SmallVec<[(Term, Target); 2]>;

/// The targets of a subterm of a reference that is not a choice.
#[derive(Clone, Copy)]
pub(crate) enum Leaf {
    /// One target.
    One(Target),
    /// One of the allocated objects with identities from the first to the last: the one whose number the reference is.
    /// An array whose elements were allocated in sequence yields such references at unknown indices.
    Run(Term, ObjectId, ObjectId),
}

/// The structure of a reference or of a subterm of it.
#[derive(Clone, Copy)]
enum Shape {
    /// Under the first term the second one, otherwise the third.
    Choice(Term, Term, Term),
    /// A choice that the path decides: only this part is possible.
    Only(Term),
    Leaf(Leaf),
}

/// The distinct subterms through which a reference chooses its target, each once. The number of paths through them can
/// be exponential in their number.
pub(crate) struct Choices {
    root: Term,
    /// The subterms, each with its guard, the condition under which the reference chooses it. A subterm comes after the
    /// subterms that contain it. Those that the path excludes are left out, and so is null.
    levels: Vec<(Term, Term, Shape)>,
}

impl Choices {
    /// The choices of a reference in a heap with these allocated objects.
    pub(crate) fn of(scope: &mut Scope, objects: &Objects, root: Term) -> Choices {
        // Parts of a term have smaller numbers, so that all terms that contain a part are handled before it.
        let mut pending: BTreeMap<Term, SmallVec<[Term; 2]>> = BTreeMap::new();
        pending.insert(root, SmallVec::from_slice(&[Pool::TRUE]));
        let mut levels = Vec::new();
        while let Some((term, guards)) = pending.pop_last() {
            if scope.pool.is_stopped() {
                break;
            }
            let guard = scope.pool.or_all(&guards);
            if scope.domain.decide(scope.pool, guard) == Some(false) {
                continue;
            }
            let shape = match *scope.pool.node(term) {
                Node::Ite(condition, then, otherwise) => {
                    let decided = scope.domain.decide(scope.pool, condition);
                    if decided != Some(false) {
                        let guard = scope.pool.and(guard, condition);
                        pending.entry(then).or_default().push(guard);
                    }
                    if decided != Some(true) {
                        let negated = scope.pool.not(condition);
                        let guard = scope.pool.and(guard, negated);
                        pending.entry(otherwise).or_default().push(guard);
                    }
                    match decided {
                        Some(true) => Shape::Only(then),
                        Some(false) => Shape::Only(otherwise),
                        None => Shape::Choice(condition, then, otherwise),
                    }
                }
                _ => match Value::from_term(scope.pool, term, Type::Null) {
                    Value::Null => continue,
                    Value::Object(id) => Shape::Leaf(Leaf::One(Target::Allocated(id))),
                    _ => Shape::Leaf(run(scope, objects, term, guard).unwrap_or(Leaf::One(Target::Input(term)))),
                },
            };
            levels.push((guard, term, shape));
        }
        Choices { root, levels }
    }

    /// The targets with their conditions, each target once.
    pub(crate) fn targets(&self, pool: &mut Pool, objects: &Objects) -> Targets {
        let mut targets = Targets::new();
        for (guard, leaf) in self.leaves() {
            match leaf {
                Leaf::One(target) => targets.push((guard, target)),
                Leaf::Run(reference, first, last) => {
                    let ids = objects.runs(first, last).into_iter().flat_map(|(from, to)| from..to);
                    for id in ids.map(ObjectId) {
                        let is_it = Value::equals(pool, Value::Term(reference), Value::Object(id), Type::Null);
                        targets.push((pool.and(guard, is_it), Target::Allocated(id)));
                    }
                }
            }
        }
        merged(pool, targets)
    }

    /// The leaves with their conditions. Runs and other leaves may have objects in common.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (Term, Leaf)> {
        self.levels.iter().filter_map(|&(guard, _, shape)| match shape {
            Shape::Leaf(leaf) => Some((guard, leaf)),
            _ => None,
        })
    }

    /// The result of `read` for the target. `read` is called once for each leaf or object of a run, with a domain that
    /// also knows the guard of the leaf. `None` if no target is possible.
    pub(crate) fn read(
        &self,
        scope: &mut Scope,
        objects: &Objects,
        ty: Type,
        mut read: impl FnMut(&mut Scope, &Domain, Target) -> Value,
    ) -> Option<Value> {
        let mut found: FxHashMap<Term, Value> = FxHashMap::default();
        for &(guard, term, shape) in self.levels.iter().rev() {
            let get = |term: Term| found.get(&term).copied();
            let value = match shape {
                Shape::Leaf(leaf) if guard == Pool::TRUE => {
                    let domain = scope.domain;
                    Some(read_leaf(scope, (domain, objects), leaf, ty, &mut read))
                }
                Shape::Leaf(leaf) => {
                    let mut domain = scope.domain.clone();
                    let possible = domain.assume(scope.pool, guard).is_ok();
                    possible.then(|| read_leaf(scope, (&domain, objects), leaf, ty, &mut read))
                }
                Shape::Only(part) => get(part),
                // The reference is not null: if one part has no possible target, it is the other part.
                Shape::Choice(condition, then, otherwise) => match (get(then), get(otherwise)) {
                    (Some(then), Some(otherwise)) => Some(Value::ite(scope.pool, condition, then, otherwise, ty)),
                    (one, other) => one.or(other),
                },
            };
            if let Some(value) = value {
                found.insert(term, value);
            }
        }
        found.get(&self.root).copied()
    }
}

/// The allocated objects that a reference can denote where `guard` holds, if it is computed from an index; `None` if it
/// is a variable, is read from the input heap, or names an object of it. Without known bounds, it can be any allocated object.
fn run(scope: &mut Scope, objects: &Objects, reference: Term, guard: Term) -> Option<Leaf> {
    if let Node::Var(_) | Node::Select(..) | Node::Int(_) = scope.pool.node(reference) {
        return None;
    }
    let numbers = |domain: &Domain, pool: &Pool| {
        let interval = domain.interval(pool, reference);
        let bound = |bound: Option<Integer>| bound.and_then(|bound| bound.as_i64());
        (bound(interval.low).filter(|&low| low > 0), bound(interval.high))
    };
    let (mut low, mut high) = numbers(scope.domain, scope.pool);
    if low.is_none() || high.is_none() {
        let mut domain = scope.domain.clone();
        if domain.assume(scope.pool, guard).is_ok() {
            (low, high) = numbers(&domain, scope.pool);
        }
    }
    let all = objects.youngest().map_or(0, |ObjectId(id)| i64::from(id) + 1);
    let object = |identity: i64| ObjectId(u32::try_from(identity - 1).unwrap_or(u32::MAX));
    Some(Leaf::Run(reference, object(low.unwrap_or(1)), object(high.map_or(all, |high| high.min(all)))))
}

/// The result of `read` for a target, or for the object that a run denotes.
fn read_leaf(
    scope: &mut Scope,
    (domain, objects): (&Domain, &Objects),
    leaf: Leaf,
    ty: Type,
    read: &mut impl FnMut(&mut Scope, &Domain, Target) -> Value,
) -> Value {
    let (reference, first, last) = match leaf {
        Leaf::One(target) => return read(scope, domain, target),
        Leaf::Run(reference, first, last) => (reference, first, last),
    };
    let reference = simpler(scope.pool, domain, reference);
    let offset = scope.pool.int(-1);
    let number = scope.pool.add(reference, offset);
    let mut result = None;
    // Youngest objects first: an object older than the first of a run is in one of the remaining runs.
    for (from, to) in objects.runs(first, last).into_iter().rev() {
        let values: Vec<Value> = (from..to).map(|id| read(scope, domain, Target::Allocated(ObjectId(id)))).collect();
        let value = select(scope.pool, (from as usize, &values), Value::Term(number), Type::Int, ty);
        result = Some(match result {
            None => (from, value),
            Some((behind, younger)) => {
                let start = scope.pool.int(i64::from(behind));
                let is_older = scope.pool.lt(number, start);
                (from, Value::ite(scope.pool, is_older, value, younger, ty))
            }
        });
    }
    result.map_or(Value::default_of(ty), |(_, value)| value)
}

/// Merges equal targets.
fn merged(pool: &mut Pool, targets: Targets) -> Targets {
    let mut places: FxHashMap<ObjectId, usize> = FxHashMap::default();
    let mut merged = Targets::new();
    for (guard, target) in targets {
        let known = match target {
            Target::Allocated(id) => match places.entry(id) {
                Entry::Occupied(place) => Some(*place.get()),
                Entry::Vacant(place) => {
                    place.insert(merged.len());
                    None
                }
            },
            _ => None,
        };
        match known {
            Some(place) => merged[place].0 = pool.or(merged[place].0, guard),
            None => merged.push((guard, target)),
        }
    }
    merged
}
