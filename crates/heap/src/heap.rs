//! Defines the operations of symbolic heaps: the interface of paper 2, chapter 3.

use crate::cells::Cells;
use crate::input::{InputHeap, Source};
use crate::instance::{Comparison, Fingerprint, Permanent};
use crate::layout::Layout;
use crate::objects::{Identities, Object};
use crate::places::{Content, Place};
use crate::value::{ObjectId, Value};
use aback_ir::{ClassId, FieldId, MethodId, Program, Type};
use aback_logic::{Domain, Pool, Term};
use std::rc::Rc;

/// The heap of one symbolic state. Cloning is cheap: clones share their common parts.
///
/// The operations are those of paper 2, chapter 3, on fields, elements and static fields. ASSIGN and EQ are missing,
/// because references are terms: an assignment copies a reference, and equality of references is equality of terms.
///
/// If an operation has several outcomes that this heap represents by separate heaps, it returns [`Blocked::Split`] and
/// changes nothing. The result contains heaps in which the outcome is known, each with its condition. The caller forks
/// the state and repeats the operation in each of these heaps. Heaps that never split have no cost from this.
pub trait Heap: Clone {
    /// The heap at entry: nothing is allocated, and static fields hold defaults.
    fn at_entry() -> Self;

    /// Whether this heap decides what references to the input heap mean before the program compares or dereferences them.
    const DECIDES: bool = false;

    /// An input of the entry point: a reference of type `ty` with any value.
    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value;

    /// The reference after the heap has decided what it means, if it does so ([`Heap::DECIDES`], [`Scope::splits_choices`]). EQ and
    /// NEQ of paper 2 begin with this.
    fn decide(&mut self, scope: &mut Scope, reference: Value, ty: Type) -> Access<Self, Value> {
        let _ = (scope, ty);
        Ok(reference)
    }

    /// The heap at entry, with what this one has decided about references to it.
    fn before(&self) -> Self {
        Self::at_entry()
    }

    /// Takes over what another heap has decided since it was made by [`Heap::before`].
    fn learn(&mut self, other: &Self) {
        let _ = other;
    }

    /// NEW: an object whose fields have default values.
    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value>;

    /// NEW: an array with these elements. The length is not negative.
    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value>;

    /// An allocated object, if this heap stores its class and its values directly.
    fn object(&self, id: ObjectId) -> Option<&Object>;

    /// Mutable access to an allocated object, if this heap stores it directly.
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object>;

    /// READREF and READVAL: reads a field of an object that is not null.
    fn read_field(&mut self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value>;

    /// WRITEREF and WRITEVAL: writes a field of an object that is not null.
    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()>;

    /// Reads a static field.
    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value;

    /// Writes a static field.
    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value);

    /// The length of an array that is not null and has the static type `array_type`.
    fn array_length(&mut self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value>;

    /// Reads an element of an array, given with its static type, that is not null. The index is in bounds.
    fn read_element(
        &mut self,
        scope: &mut Scope,
        array: (Value, Type),
        element: Type,
        index: Value,
    ) -> Access<Self, Value>;

    /// Writes an element of an array, given with its static type, that is not null. The index is in bounds, and the
    /// array can hold the value.
    fn write_element(
        &mut self,
        scope: &mut Scope,
        array: (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()>;

    /// The exact types that the object of a non-null reference of static type `ty` can have, each with its condition. If
    /// `tested` is a type, all that matters is which of them can be assigned to it.
    fn exact_types(
        &mut self,
        scope: &mut Scope,
        reference: Value,
        ty: Type,
        tested: Option<Type>,
    ) -> Access<Self, Vec<(Term, Type)>>;

    /// The places of an earlier heap of the path that have other contents now. `None` if some of the differences are in no
    /// place, or if the implementation does not know. The iterations of a loop have the first `floor` variables in common.
    fn differences(&self, scope: &Scope, earlier: &Self, floor: usize) -> Option<Vec<Place>> {
        let _ = (scope, earlier, floor);
        None
    }

    /// What a place contains; `None` if this heap has no such place.
    fn content(&self, scope: &mut Scope, place: Place) -> Option<Content> {
        let _ = (scope, place);
        None
    }

    /// Sets what a place of this heap contains.
    fn set_content(&mut self, scope: &mut Scope, place: Place, content: Content) {
        let _ = (scope, place, content);
    }

    /// Replaces the elements of long arrays by those of an array variable, and returns what holds of it. A read at an index
    /// that is not known is a term of its own then, and no choice among all elements.
    fn name_elements(&mut self, scope: &mut Scope) -> Vec<Term> {
        let _ = scope;
        Vec::new()
    }

    /// Whether another heap of the exploration has the same references everywhere, so that the two differ in numbers, truth
    /// values and new objects only.
    fn has_same_references(&self, other: &Self, program: &Program, layout: &Layout) -> bool {
        let _ = (other, program, layout);
        false
    }

    /// What is reachable from static fields, so that states can be compared; `known` if that still says enough. `None` if the
    /// implementation does not compare states.
    fn permanent(&self, known: Option<Permanent>, layout: &Layout) -> Option<Permanent> {
        let _ = (known, layout);
        None
    }

    /// Adds the values of locals, with their types, and what they lead to in this heap. Returns whether that was not too much.
    fn add_to_fingerprint(&self, roots: &[(Type, Value)], fingerprint: &mut Fingerprint) -> bool {
        let _ = (roots, fingerprint);
        false
    }

    /// Whether another heap of the exploration is an instance of this one, given what takes the place of the values of locals. What is
    /// reachable is added.
    fn has_instance(&self, other: &Self, comparison: &mut Comparison) -> bool {
        let _ = (other, comparison);
        false
    }

    /// The heap that equals this one where `choice` holds and `other` elsewhere. Both heaps belong to one exploration.
    /// `None` if the implementation cannot join them.
    fn join(&self, other: &Self, scope: &mut Scope, choice: Term) -> Option<Self>;
}

/// The result of a heap operation, or the reason why there is none.
pub type Access<H, R> = Result<R, Blocked<H>>;

/// Why a heap operation has no result.
#[derive(Debug)]
pub enum Blocked<H> {
    /// The object has no such field or element. This happens only in unverified code.
    NoSuchCell,
    /// There are no more object identities.
    Exhausted,
    /// The result depends on facts that this heap leaves open. They are known in each of these heaps, which together
    /// represent everything that this heap represents.
    Split(Vec<Outcome<H>>),
}

/// A heap that knows more than the heap from which it was split off.
#[derive(Clone, Debug)]
pub struct Outcome<H> {
    /// The condition under which this outcome occurs.
    pub condition: Term,
    /// The heap.
    pub heap: H,
    /// The decision that leads to this outcome, if it is one about a reference to the input heap.
    pub decision: Option<Decision>,
}

/// The context of a heap operation: the terms, the program, the data that all heaps of an exploration share, and the
/// facts that are known on the current path.
pub struct Scope<'a> {
    /// The pool in which terms are built.
    pub pool: &'a mut Pool,
    /// The program.
    pub program: &'a Program,
    /// The layout of the program.
    pub layout: &'a Layout,
    /// The heap at entry.
    pub input: &'a mut InputHeap,
    /// Identities for new objects.
    pub identities: &'a Identities,
    /// The facts that are known on the path.
    pub domain: &'a Domain,
    /// Whether a condition may hold on the path: the solver is asked. A condition about which it does not know may hold.
    pub satisfiable: &'a mut dyn FnMut(&mut Pool, Term) -> bool,
    /// Facts about references and lengths that the operation is the first on the path to read from the input heap. The
    /// caller adds them to the path.
    pub axioms: &'a mut Vec<Term>,
    /// The decisions of the operation about references to the input heap. The caller passes them to the path's
    /// [`Observer`].
    pub decisions: &'a mut Vec<Decision>,
    /// Whether the path has an observer, who needs the exact types of new objects.
    pub is_observed: bool,
    /// Whether a reference that may be one of a few allocated objects is split ([`Heap::decide`]).
    pub splits_choices: bool,
}

/// A heap's decision about a reference to the input heap, when the reference first gets a meaning on a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The reference.
    pub reference: Term,
    /// Where it is at entry.
    pub source: Source,
    /// Its static type.
    pub ty: Type,
    /// The target of the reference.
    pub meaning: Meaning,
}

/// The target of a reference to the input heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Null.
    Null,
    /// The object of another reference to the input heap, which got its meaning earlier, by the name of that object.
    AliasOf(Term),
    /// An object to which no earlier reference refers. The term is the name of the object; the type is its exact type,
    /// unless the heap leaves that open.
    New(Term, Option<Type>),
    /// An object that was new earlier, whose exact type is known now.
    Exactly(Type),
    /// Any of these. The heap does not distinguish them; the path condition constrains the reference.
    Any,
    /// Null, the object of an earlier reference with such a meaning, or an object of its own: equalities of references say
    /// which. These are the exact types that an object of its own can have, each with its condition; none if it cannot be one.
    Guarded(Rc<[(Term, Type)]>),
}

/// Receives the decisions of a heap about references to the input heap on one path. Each path has its own observer:
/// when a path forks, its observer is cloned.
pub trait Observer {
    /// Receives the next decision. Returns whether the path continues.
    fn hear(&mut self, pool: &mut Pool, decision: &Decision) -> bool;

    /// The calls of static methods with the result `true`, for which the path continues after the decision that was
    /// received last.
    fn conditions(&mut self) -> Vec<(MethodId, Vec<Value>)> {
        Vec::new()
    }

    /// What holds on the path because of the decisions that were received.
    fn constraint(&mut self, pool: &mut Pool) -> Option<Term> {
        let _ = pool;
        None
    }

    /// Whether decisions may be [`Meaning::Guarded`]. Otherwise, each reference has to get one meaning.
    fn takes_guards(&self) -> bool {
        false
    }

    /// A violation on this path will be judged next. `objects` are the numbers that stand for the objects of its inputs in
    /// the model, if they have one.
    fn found(&self, objects: &[Option<i64>]) {
        let _ = objects;
    }

    /// An observer for a path that is forked off.
    fn boxed_clone(&self) -> Box<dyn Observer>;
}

impl Scope<'_> {
    pub(crate) fn meet(&mut self, axiom: Term) -> bool {
        let is_new = self.domain.decide(self.pool, axiom) != Some(true) && !self.axioms.contains(&axiom);
        if is_new {
            self.axioms.push(axiom);
        }
        is_new
    }

    /// Notes a decision about a reference to the input heap.
    pub(crate) fn decide(&mut self, reference: Term, ty: Type, meaning: Meaning) {
        let decision = self.decision(reference, ty, meaning);
        self.decisions.push(decision);
    }

    /// A decision about a reference to the input heap.
    pub(crate) fn decision(&self, reference: Term, ty: Type, meaning: Meaning) -> Decision {
        Decision { reference, source: self.input.source(self.pool, reference), ty, meaning }
    }

    /// Whether a condition may hold on the path.
    pub(crate) fn is_possible(&mut self, condition: Term) -> bool {
        match self.domain.decide(self.pool, condition) {
            Some(truth) => truth,
            None => (self.satisfiable)(self.pool, condition),
        }
    }

    /// The exact types that an object of the input heap can have, where `guard` holds, each with its condition.
    /// `tested` is that of [`Heap::exact_types`].
    pub(crate) fn input_types(
        &mut self,
        object: Term,
        ty: Type,
        tested: Option<Type>,
        guard: Term,
    ) -> Vec<(Term, Type)> {
        let ty = self.input.type_of(self.program, object, ty);
        let exact = self.layout.exact_types(self.program, ty);
        let mut types = Vec::new();
        for &exact in exact.iter() {
            let is_exact = self.input.has_type(self.pool, self.layout, object, exact);
            let condition = self.pool.and(guard, is_exact);
            if self.domain.decide(self.pool, condition) != Some(false) {
                types.push((condition, exact));
            }
        }
        // A test has told this class from the static type, and so from all types that are not considered.
        let is_known = |&(_, only): &(Term, Type)| matches!(only, Type::Class(_)) && only != ty && exact.contains(&ty);
        if !matches!(&types[..], [only] if is_known(only)) {
            self.layout.note_use(self.program, ty, tested);
        }
        types
    }

    /// A reference of type `ty` with any value, as an input has it.
    pub(crate) fn any_reference(&mut self, name: &str, ty: Type) -> Value {
        let (value, axiom) = self.input.input_reference(self.pool, self.program, self.layout, name, ty);
        self.axioms.push(axiom);
        if let Value::Term(reference) = value {
            self.decide(reference, ty, Meaning::Any);
        }
        value
    }

    /// The value of a field of an input object at entry, with what holds for it.
    pub(crate) fn field_at_entry(&mut self, object: Term, field: FieldId) -> Value {
        let (program, ty) = (self.program, self.program.field(field).ty);
        let values = self.input.field(self.pool, program, field);
        let base = self.pool.select(values, object);
        if ty.is_reference() && program.is_never_null(field) {
            let not_null = self.pool.ne(base, Pool::ZERO);
            self.meet(not_null);
        }
        if program.is_owned_array(field) {
            let axiom = self.input.part_axiom(self.pool, program, self.layout, base, ty);
            self.meet(axiom);
            Value::from_term(self.pool, base, ty)
        } else if program.is_unset(field) {
            Value::default_of(ty)
        } else {
            self.met(base, ty)
        }
    }

    /// The value of an element of an input array at entry, given with its static type, with what holds for it.
    pub(crate) fn element_at_entry(&mut self, array: Term, array_type: Type, element: Type, index: Value) -> Value {
        let Some(group) = self.layout.group(array_type) else { return Value::default_of(element) };
        let elements = self.input.elements(self.pool, self.program, group, element);
        let row = self.pool.select(elements, array);
        let index = index.to_term(self.pool, self.program.index_type());
        let base = self.pool.select(row, index);
        let value = self.met(base, element);
        if element.is_reference() {
            self.meet_covariance(array, array_type, element, base);
        }
        value
    }

    /// The length of an input array, given with its static type.
    pub(crate) fn length_at_entry(&mut self, array: Term, array_type: Type) -> Value {
        let ty = self.program.index_type();
        let Some(group) = self.layout.group(array_type) else { return Value::default_of(ty) };
        let lengths = self.input.lengths(self.pool, self.program, group);
        let length = self.pool.select(lengths, array);
        let axiom = InputHeap::length_axiom(self.pool, self.program, length);
        self.meet(axiom);
        let limit = self.input.length_limit(self.pool, self.program, self.layout, (array, array_type), length);
        self.meet(limit);
        Value::from_term(self.pool, length, ty)
    }

    /// Adds the exact types of an object, each with its condition, to those of others.
    pub(crate) fn add_types(&mut self, found: &mut Vec<(Term, Type)>, types: impl IntoIterator<Item = (Term, Type)>) {
        for (condition, exact) in types {
            match found.iter_mut().find(|(_, other)| *other == exact) {
                Some((other, _)) => *other = self.pool.or(*other, condition),
                None => found.push((condition, exact)),
            }
        }
    }

    /// The value of a term that is read from the input heap. If it is a reference, adds its axiom.
    pub(crate) fn met(&mut self, term: Term, ty: Type) -> Value {
        if ty.is_reference() {
            self.input.note_type(self.program, term, ty);
            let axiom = self.input.reference_axiom(self.pool, self.program, self.layout, term, ty);
            if self.meet(axiom) {
                self.decide(term, ty, Meaning::Any);
            }
        }
        Value::from_term(self.pool, term, ty)
    }

    /// Adds what holds for an element of an input array whose exact type may have a narrower element type than its
    /// static type: the element then has the narrower type.
    fn meet_covariance(&mut self, array: Term, array_type: Type, element: Type, value: Term) {
        let exact = self.layout.exact_types(self.program, array_type);
        for &exact in exact.iter() {
            let Type::Array(id) = exact else { continue };
            let narrow = self.program.element_type(id);
            if narrow == element || !narrow.is_reference() {
                continue;
            }
            let is_exact = self.input.has_type(self.pool, self.layout, array, exact);
            let fits = self.input.reference_axiom(self.pool, self.program, self.layout, value, narrow);
            let other = self.pool.not(is_exact);
            let axiom = self.pool.or(other, fits);
            self.meet(axiom);
        }
    }
}
