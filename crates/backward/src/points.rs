//! Points-to sets of references, computed during unwinding.

use aback_heap::{ObjectId, Value};
use aback_ir::Type;
use smallvec::SmallVec;
use std::rc::Rc;

/// Most objects that a set lists one by one; a larger set becomes the set of all objects.
const MOST_OBJECTS: usize = 12;

/// The points-to set of a reference; `None` means any object.
pub type Points = Option<Rc<PointSet>>;

/// A points-to set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointSet {
    /// Whether the reference may be null.
    pub null: bool,
    /// Whether it may point to an object of the input heap.
    pub input: bool,
    /// The static type of these objects of the input heap, if it is known.
    pub of: Option<Type>,
    /// Whether it may point to any allocated object.
    pub any: bool,
    /// The allocated objects that it may point to, in order; empty if `any` is set.
    pub objects: SmallVec<[u32; 4]>,
    /// The first and the last of further objects that were allocated one after the other, for example elements of an
    /// array.
    pub run: Option<(u32, u32)>,
}

impl PointSet {
    /// Null, or any object of the input heap that a reference of this type may point to.
    pub fn inputs(of: Type) -> Points {
        Some(Rc::new(PointSet { null: true, input: true, of: Some(of), ..PointSet::default() }))
    }

    /// The points-to set of a concrete reference.
    pub fn of(value: Value) -> Points {
        match value {
            Value::Null => Some(Rc::new(PointSet { null: true, ..PointSet::default() })),
            Value::Object(ObjectId(object)) => {
                Some(Rc::new(PointSet { objects: SmallVec::from_slice(&[object]), ..PointSet::default() }))
            }
            _ => None,
        }
    }

    /// The objects from `first` to `last`.
    pub fn run(first: u32, last: u32) -> Points {
        Some(Rc::new(PointSet { run: Some((first, last)), ..PointSet::default() }))
    }

    /// The union of two points-to sets.
    pub fn union(a: &Points, b: &Points) -> Points {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        if Rc::ptr_eq(a, b) {
            return Some(Rc::clone(a));
        }
        let mut objects = a.objects.clone();
        for &object in &b.objects {
            if let Err(place) = objects.binary_search(&object) {
                objects.insert(place, object);
            }
        }
        let of = match (a.input, b.input) {
            (true, true) => a.of.filter(|_| a.of == b.of),
            (true, false) => a.of,
            _ => b.of,
        };
        let any = a.any || b.any || objects.len() > MOST_OBJECTS;
        let mut run = match (a.run, b.run) {
            // This adds the objects in between, which is sound.
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (one, other) => one.or(other),
        };
        if any {
            objects.clear();
            run = None;
        }
        Some(Rc::new(PointSet { null: a.null || b.null, input: a.input || b.input, of, any, objects, run }))
    }

    /// Whether it contains an allocated object.
    pub fn has_allocated(&self) -> bool {
        self.any || self.run.is_some() || !self.objects.is_empty()
    }

    /// Whether it contains this allocated object.
    pub fn has(&self, object: u32) -> bool {
        let is_in_run = self.run.is_some_and(|(first, last)| (first..=last).contains(&object));
        self.any || is_in_run || self.objects.binary_search(&object).is_ok()
    }

    /// The allocated objects in the set; some may occur twice.
    pub fn members(&self) -> impl Iterator<Item = u32> + '_ {
        let run = self.run.map(|(first, last)| first..=last);
        self.objects.iter().copied().chain(run.into_iter().flatten())
    }

    /// Whether it contains exactly one object, apart from null.
    pub fn is_one(&self) -> bool {
        self.objects.len() == 1 && self.run.is_none() && !self.any && !self.input
    }
}

/// Whether two references may point to one object.
pub(crate) fn may_meet(a: &Points, b: &Points) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    let any = a.any && b.has_allocated() || b.any && a.has_allocated();
    let runs = a.run.zip(b.run).is_some_and(|(a, b)| a.0 <= b.1 && b.0 <= a.1);
    let meets = |a: &PointSet, b: &PointSet| a.objects.iter().any(|&object| b.has(object));
    any || a.input && b.input || runs || meets(a, b) || meets(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of all kinds.
    fn sets() -> Vec<Points> {
        let objects = |objects: &[u32]| Some(Rc::new(PointSet { objects: objects.into(), ..PointSet::default() }));
        let any = Some(Rc::new(PointSet { any: true, ..PointSet::default() }));
        let many: Vec<u32> = (0..MOST_OBJECTS as u32).collect();
        vec![
            None,
            any,
            PointSet::of(Value::Null),
            PointSet::of(Value::Object(ObjectId(3))),
            PointSet::inputs(Type::Null),
            PointSet::run(2, 5),
            PointSet::run(40, 50),
            objects(&[1, 4, 9]),
            objects(&many),
            objects(&[45, 60]),
        ]
    }

    /// Whether a reference with these points can be null, an object of the input heap, or one of the first allocated objects.
    fn meanings(points: &Points) -> Vec<bool> {
        match points {
            None => vec![true; 66],
            Some(set) => [set.null, set.input].into_iter().chain((0..64).map(|object| set.has(object))).collect(),
        }
    }

    #[test]
    fn a_union_has_what_either_has() {
        for a in sets() {
            for b in sets() {
                let union = meanings(&PointSet::union(&a, &b));
                let either = meanings(&a).into_iter().zip(meanings(&b)).map(|(a, b)| a || b);
                assert!(union.iter().zip(either).all(|(&has, wanted)| has || !wanted), "{a:?} and {b:?}");
            }
        }
        let [Some(one), Some(three)] = [&sets()[3], &sets()[7]].map(Clone::clone) else { panic!("sets") };
        assert!(one.is_one() && !three.is_one());
        assert_eq!(PointSet::union(&Some(one), &Some(three)).unwrap().members().collect::<Vec<_>>(), [1, 3, 4, 9]);
    }

    #[test]
    fn references_that_share_an_object_may_meet() {
        for a in sets() {
            for b in sets() {
                let shared = meanings(&a).into_iter().zip(meanings(&b)).skip(1).any(|(a, b)| a && b);
                assert!(!shared || may_meet(&a, &b), "{a:?} and {b:?}");
                assert_eq!(may_meet(&a, &b), may_meet(&b, &a), "{a:?} and {b:?}");
            }
        }
        let [null, input, row, other] = [2, 4, 5, 6].map(|place| sets()[place].clone());
        assert!(!may_meet(&null, &null) && !may_meet(&input, &row) && !may_meet(&row, &other));
    }
}
