//! Implements lazy initialization (paper 2, section 3.1): each heap has one shape, and splits when a reference to the
//! input heap gets a meaning.

use crate::cells::Cells;
use crate::combined::{Combined, Map};
use crate::heap::{Access, Blocked, Decision, Heap, Meaning, Outcome, Scope};
use crate::input::Source;
use crate::layout::Layout;
use crate::objects::Object;
use crate::value::{ObjectId, Value};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{Node, Pool, Term};
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// Greatest number of exact types of a new object between which a heap splits at once. If an object can have more
/// types, the heap splits when its type matters.
const MOST_TYPES: usize = 8;

/// A heap with one shape. A reference to the input heap is null, the object of an earlier reference or a new object,
/// and the heap splits over these when the reference is first used, and over the types of a new object.
///
/// The objects of the input heap are the constants -1, -2, … in the order in which they are found. A reference is a term
/// until it has a meaning, and a constant then, so that the solver sees no aliases. Contents of the input heap are the
/// elements of arrays that are never written, as in [`Combined`], at constant indices: one variable for each cell.
#[derive(Clone)]
pub struct Lazy {
    store: Combined,
    /// What references mean: a constant, or for a choice the reference that it selects.
    meanings: Map<Term, Value>,
    /// The objects of the input heap.
    found: Rc<Vec<Found>>,
    /// By array of the input heap: the elements that have a meaning, with their indices.
    elements: Map<Term, Rc<Vec<(Term, Term)>>>,
    /// Elements of one array whose indices differ.
    apart: Map<(Term, Term), ()>,
}

/// An object of the input heap.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// Its exact type, or the static type of the first reference to it.
    ty: Type,
    is_exact: bool,
    /// Whether it is a part of another object, to which no other reference leads.
    is_part: bool,
}

impl std::fmt::Debug for Lazy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lazy({:?}, {:?})", self.store, self.found)
    }
}

/// The constant for an object of the input heap.
fn constant(pool: &mut Pool, number: usize) -> Term {
    pool.int(-1 - number as i64)
}

/// The result of an operation on the store, which never splits.
fn lifted<R>(access: Access<Combined, R>) -> Access<Lazy, R> {
    access.map_err(|blocked| match blocked {
        Blocked::Exhausted => Blocked::Exhausted,
        Blocked::NoSuchCell | Blocked::Split(_) => Blocked::NoSuchCell,
    })
}

impl Lazy {
    /// The object of the input heap that a constant stands for.
    fn found(&self, pool: &Pool, reference: Value) -> Option<(usize, Found)> {
        let Value::Term(term) = reference else { return None };
        let Node::Int(number) = pool.node(term) else { return None };
        let number = usize::try_from(-1 - number.as_i64()?).ok()?;
        Some((number, *self.found.get(number)?))
    }

    /// The meaning of a reference of static type `ty`: null, an allocated object, or the constant of an input object.
    fn meaning(&self, scope: &mut Scope, reference: Value, ty: Type) -> Access<Self, Value> {
        let mut value = reference;
        loop {
            let Value::Term(term) = value else { return Ok(value) };
            if let Some(&meaning) = self.meanings.get(&term) {
                value = meaning;
                continue;
            }
            match *scope.pool.node(term) {
                Node::Int(_) => return Ok(value),
                Node::Ite(condition, then, otherwise) => {
                    let [then, otherwise] = [then, otherwise].map(|part| Value::from_term(scope.pool, part, ty));
                    match scope.domain.decide(scope.pool, condition) {
                        Some(true) => value = then,
                        Some(false) => value = otherwise,
                        None => {
                            let negated = scope.pool.not(condition);
                            let sides = [(condition, then), (negated, otherwise)];
                            let outcomes = sides.map(|(condition, part)| self.known(condition, term, part, None));
                            return Err(Blocked::Split(outcomes.into()));
                        }
                    }
                }
                Node::Var(_) | Node::Select(..) => {
                    let same = self.same_element(scope, term);
                    let outcomes = same.unwrap_or_else(|| self.initialized(scope, term, ty));
                    return Err(Blocked::Split(outcomes));
                }
                _ => return Err(Blocked::Split(self.selected(scope, term))),
            }
        }
    }

    /// The heaps in which an element of an array has the index of one that has a meaning, and in which it has not; `None` if
    /// its index differs from all. An observer must not take one element for two.
    fn same_element(&self, scope: &mut Scope, reference: Term) -> Option<Vec<Outcome<Self>>> {
        if !scope.is_observed {
            return None;
        }
        let Source::Element(array, index) = scope.input.source(scope.pool, reference) else { return None };
        let known = self.elements.get(&array)?;
        let &(at, other) = known.iter().find(|&&(_, other)| !self.apart.contains_key(&(reference, other)))?;
        let is_same = scope.pool.eq(index, at);
        let differs = scope.pool.not(is_same);
        let mut heap = self.clone();
        heap.apart.insert_mut((reference, other), ());
        let apart = Outcome { condition: differs, heap, decision: None };
        Some(vec![self.known(is_same, reference, Value::Term(other), None), apart])
    }

    /// This heap where `condition` holds and makes a reference mean `meaning`.
    fn known(&self, condition: Term, reference: Term, meaning: Value, decision: Option<Decision>) -> Outcome<Self> {
        let mut heap = self.clone();
        heap.meanings.insert_mut(reference, meaning);
        if let Some(Decision { source: Source::Element(array, index), .. }) = decision {
            let mut known = heap.elements.get(&array).cloned().unwrap_or_default();
            Rc::make_mut(&mut known).push((index, reference));
            heap.elements.insert_mut(array, known);
        }
        Outcome { condition, heap, decision }
    }

    /// The heaps for the meanings of a reference to the input heap (`init` in paper 2, section 3.1).
    fn initialized(&self, scope: &mut Scope, reference: Term, ty: Type) -> Vec<Outcome<Self>> {
        let ty = scope.input.type_of(scope.program, reference, ty);
        let source = scope.input.source(scope.pool, reference);
        let decision = |meaning| Some(Decision { reference, source, ty, meaning });
        let mut outcomes = Vec::new();
        let is_part = scope.input.is_part(scope.program, scope.pool, reference);
        if !is_part {
            let is_null = scope.pool.eq(reference, Pool::ZERO);
            if scope.domain.decide(scope.pool, is_null) != Some(false) {
                outcomes.push(self.known(is_null, reference, Value::Null, decision(Meaning::Null)));
            }
            // Objects to which no reference leads any more are candidates, too: the input heap still refers to them.
            for (number, other) in self.found.iter().enumerate() {
                if other.is_part || !may_be(scope, other, ty) {
                    continue;
                }
                let object = constant(scope.pool, number);
                let is_alias = scope.pool.eq(reference, object);
                if scope.domain.decide(scope.pool, is_alias) != Some(false) {
                    outcomes.push(self.known(
                        is_alias,
                        reference,
                        Value::Term(object),
                        decision(Meaning::AliasOf(object)),
                    ));
                }
            }
        }
        let object = constant(scope.pool, self.found.len());
        let is_new = scope.pool.eq(reference, object);
        scope.input.note_type(scope.program, object, ty);
        scope.layout.note_use(scope.program, ty, None);
        let axiom = match is_part {
            true => scope.input.part_axiom(scope.pool, scope.program, scope.layout, object, ty),
            false => scope.input.reference_axiom(scope.pool, scope.program, scope.layout, object, ty),
        };
        let is_new = scope.pool.and(is_new, axiom);
        let types = scope.layout.exact_types(scope.program, ty);
        let exact: Vec<Option<Type>> = match types.len() {
            1..=MOST_TYPES => types.iter().copied().map(Some).collect(),
            _ if scope.is_observed => types.iter().copied().map(Some).collect(),
            _ => vec![None],
        };
        for exact in exact {
            let condition = match exact {
                Some(exact) => {
                    let has_type = scope.input.has_type(scope.pool, scope.layout, object, exact);
                    scope.pool.and(is_new, has_type)
                }
                None => is_new,
            };
            let meaning = Meaning::New(object, exact);
            let mut outcome = self.known(condition, reference, Value::Term(object), decision(meaning));
            let found = Found { ty: exact.unwrap_or(ty), is_exact: exact.is_some(), is_part };
            Rc::make_mut(&mut outcome.heap.found).push(found);
            outcomes.push(outcome);
        }
        outcomes
    }

    /// The heaps for the allocated objects that a reference computed from an index can denote.
    fn selected(&self, scope: &mut Scope, reference: Term) -> Vec<Outcome<Self>> {
        let targets = self.store.targets(scope, Value::Term(reference));
        let known = |(condition, target)| match target {
            crate::Target::Allocated(id) => self.known(condition, reference, Value::Object(id), None),
            crate::Target::Input(term) => self.known(condition, reference, Value::Term(term), None),
        };
        targets.into_iter().map(known).collect()
    }

    /// Splits over the exact types of an input object that are not known yet.
    fn typed(&mut self, scope: &mut Scope, object: Value, ty: Type) -> Access<Self, Vec<(Term, Type)>> {
        let Some((number, found)) = self.found(scope.pool, object) else {
            return lifted(self.store.exact_types(scope, object, ty, None));
        };
        if found.is_exact {
            return Ok(vec![(Pool::TRUE, found.ty)]);
        }
        let reference = object.to_term(scope.pool, ty);
        let outcomes = self.store.exact_types(scope, object, found.ty, None);
        let outcomes = lifted(outcomes)?.into_iter().map(|(condition, exact)| {
            let mut heap = self.clone();
            Rc::make_mut(&mut heap.found)[number] = Found { ty: exact, is_exact: true, ..found };
            let decision = Some(scope.decision(reference, exact, Meaning::Exactly(exact)));
            Outcome { condition, heap, decision }
        });
        Err(Blocked::Split(outcomes.collect()))
    }
}

/// Whether an object that was found can have the type of a reference.
fn may_be(scope: &Scope, found: &Found, ty: Type) -> bool {
    let program = scope.program;
    if program.is_assignable(found.ty, ty) {
        return true;
    }
    let types = |ty| scope.layout.exact_types(program, ty);
    !found.is_exact && types(found.ty).iter().any(|exact| types(ty).contains(exact))
}

impl Heap for Lazy {
    const DECIDES: bool = true;

    fn at_entry() -> Self {
        Lazy {
            store: Combined::at_entry(),
            meanings: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            found: Rc::default(),
            elements: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            apart: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
        }
    }

    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value {
        let decided = scope.decisions.len();
        let value = self.store.input(scope, name, ty);
        scope.decisions.truncate(decided);
        value
    }

    fn decide(&mut self, scope: &mut Scope, reference: Value, ty: Type) -> Access<Self, Value> {
        self.meaning(scope, reference, ty)
    }

    fn before(&self) -> Self {
        Lazy { store: Combined::at_entry(), ..self.clone() }
    }

    fn learn(&mut self, other: &Self) {
        let Lazy { store: _, meanings, found, elements, apart } = other.clone();
        (self.meanings, self.found, self.elements, self.apart) = (meanings, found, elements, apart);
    }

    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value> {
        lifted(self.store.allocate(scope, class))
    }

    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value> {
        lifted(self.store.allocate_array(scope, element, length, cells))
    }

    #[inline]
    fn object(&self, id: ObjectId) -> Option<&Object> {
        self.store.object(id)
    }

    #[inline]
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.store.object_mut(id)
    }

    fn read_field(&mut self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value> {
        let declared = scope.program.field(field);
        let object = self.meaning(scope, object, Type::Class(declared.class))?;
        let decided = scope.decisions.len();
        let value = lifted(self.store.read_field(scope, object, field))?;
        scope.decisions.truncate(decided);
        if declared.ty.is_reference() { self.meaning(scope, value, declared.ty) } else { Ok(value) }
    }

    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()> {
        let declared = scope.program.field(field);
        let object = self.meaning(scope, object, Type::Class(declared.class))?;
        let value = if declared.ty.is_reference() { self.meaning(scope, value, declared.ty)? } else { value };
        lifted(self.store.write_field(scope, object, field, value))
    }

    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value {
        self.store.read_static(program, layout, field)
    }

    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value) {
        self.store.write_static(program, layout, field, value);
    }

    fn array_length(&mut self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value> {
        let array = self.meaning(scope, array, array_type)?;
        lifted(self.store.array_length(scope, array, array_type))
    }

    fn read_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
    ) -> Access<Self, Value> {
        let array = self.meaning(scope, array, array_type)?;
        let decided = scope.decisions.len();
        let value = lifted(self.store.read_element(scope, (array, array_type), element, index))?;
        scope.decisions.truncate(decided);
        if element.is_reference() { self.meaning(scope, value, element) } else { Ok(value) }
    }

    fn write_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()> {
        let array = self.meaning(scope, array, array_type)?;
        let value = if element.is_reference() { self.meaning(scope, value, element)? } else { value };
        lifted(self.store.write_element(scope, (array, array_type), element, index, value))
    }

    fn exact_types(
        &mut self,
        scope: &mut Scope,
        reference: Value,
        ty: Type,
        _: Option<Type>,
    ) -> Access<Self, Vec<(Term, Type)>> {
        let object = self.meaning(scope, reference, ty)?;
        self.typed(scope, object, ty)
    }

    fn join(&self, _: &Self, _: &mut Scope, _: Term) -> Option<Self> {
        None
    }
}
