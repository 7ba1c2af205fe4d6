//! What every symbolic heap can do: the interface of paper 2, chapter 3.

use crate::cells::Cells;
use crate::input::InputHeap;
use crate::layout::Layout;
use crate::objects::{Identities, Object};
use crate::value::{ObjectId, Value};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{Domain, Pool, Term};

/// The heap of one symbolic state. Cloning is cheap: states that fork share what they have in common.
///
/// The operations are those of paper 2, chapter 3, on fields, elements and static fields. ASSIGN and EQ are missing, because references are
/// terms: an assignment copies one, and equality of references is equality of terms. Where an operation can have several outcomes
/// that this heap keeps in heaps of their own, it gives [`Blocked::Split`] and changes nothing: the heaps in which the outcome is known, each with
/// its condition. Whoever executes a program then forks and repeats the operation in each of them. A heap that never splits pays nothing
/// for that.
pub trait Heap: Clone {
    /// The heap at entry: nothing is allocated, and static fields hold defaults.
    fn at_entry() -> Self;

    /// Any reference of a type, as an input of the entry point.
    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value;

    /// NEW: an object whose fields hold defaults.
    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value>;

    /// NEW of an array with these elements. The length is not negative.
    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value>;

    /// An allocated object, if its class and its values are at hand without asking what a reference may point to.
    fn object(&self, id: ObjectId) -> Option<&Object>;

    /// The same, to change it.
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object>;

    /// READREF and READVAL: a field of an object that is not null.
    fn read_field(&self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value>;

    /// WRITEREF and WRITEVAL: a field of an object that is not null.
    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()>;

    /// A static field.
    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value;

    /// Sets a static field.
    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value);

    /// Length of an array that is not null and of static type `array_type`.
    fn array_length(&self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value>;

    /// An element of an array that is not null, of static type `array_type`. The index is in bounds.
    fn read_element(&self, scope: &mut Scope, array: (Value, Type), element: Type, index: Value)
    -> Access<Self, Value>;

    /// Sets an element of an array that is not null. The index is in bounds, and the value may be stored there.
    fn write_element(
        &mut self,
        scope: &mut Scope,
        array: (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()>;

    /// The exact types that the object of a reference of static type `ty`, not null, can have, each with its condition.
    fn exact_types(&self, scope: &mut Scope, reference: Value, ty: Type) -> Access<Self, Vec<(Term, Type)>>;

    /// The heap that is this one where `choice` holds, and `other` where it does not, for two heaps of one exploration. `None`: the
    /// implementation cannot tell.
    fn join(&self, other: &Self, scope: &mut Scope, choice: Term) -> Option<Self>;
}

/// What an operation gives, or why it gives nothing.
pub type Access<H, R> = Result<R, Blocked<H>>;

/// Why a heap operation gives nothing.
#[derive(Debug)]
pub enum Blocked<H> {
    /// The object has no such cell. That happens to code only that no verifier has seen.
    NoSuchCell,
    /// There are no more identities for objects.
    Exhausted,
    /// What the operation gives depends on what is not known: the heaps in which it is known. Together they stand for all that this heap
    /// stands for.
    Split(Vec<Outcome<H>>),
}

/// A heap in which more is known than in the one that it is made of.
#[derive(Clone, Debug)]
pub struct Outcome<H> {
    /// When it is the one.
    pub condition: Term,
    /// The heap.
    pub heap: H,
    /// What was decided in it.
    pub decision: Decision,
}

/// What heap operations work with: the terms, the program, what all heaps of an exploration share, and what is known on the path at hand.
pub struct Scope<'a> {
    /// Where terms are built.
    pub pool: &'a mut Pool,
    /// The program.
    pub program: &'a Program,
    /// Its layout.
    pub layout: &'a Layout,
    /// The heap at entry.
    pub input: &'a mut InputHeap,
    /// Identities for new objects.
    pub identities: &'a Identities,
    /// What is known on the path.
    pub domain: &'a Domain,
    /// Facts about the input heap that an operation met for the first time on the path. The caller adds them to the path.
    pub axioms: &'a mut Vec<Term>,
    /// What was decided about references of the input heap meanwhile. The caller passes it to the path's [`Observer`].
    pub decisions: &'a mut Vec<Decision>,
}

/// What a heap decides about a reference that comes from the input heap, where it is first given a meaning on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The reference.
    pub reference: Term,
    /// Its static type.
    pub ty: Type,
    /// What it refers to.
    pub meaning: Meaning,
}

/// What a reference of the input heap refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Null.
    Null,
    /// The object of another reference of the input heap, which was met before.
    AliasOf(Term),
    /// An object that no reference that was met before refers to.
    New,
    /// Any of these: the heap does not tell them apart, and what holds of the reference is on the path.
    Any,
}

/// Hears what a heap decides about the references of the input heap on one path. Each path has an observer of its own: where a path
/// forks, it is cloned.
pub trait Observer {
    /// Hears of a decision, in the order in which they are made; whether the path is to go on.
    fn hear(&mut self, pool: &mut Pool, decision: &Decision) -> bool;

    /// An observer for a path that forks off.
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

    /// The value that is read from the input heap, with what holds of such references.
    pub(crate) fn met(&mut self, term: Term, ty: Type) -> Value {
        if ty.is_reference() {
            self.input.note_type(self.program, term, ty);
            let axiom = self.input.reference_axiom(self.pool, self.program, self.layout, term, ty);
            if self.meet(axiom) {
                self.decisions.push(Decision { reference: term, ty, meaning: Meaning::Any });
            }
        }
        Value::from_term(self.pool, term, ty)
    }

    /// What holds of an element of an input array whose exact type may have narrower elements than its static one: it
    /// fits into them.
    pub(crate) fn meet_covariance(&mut self, array: Term, array_type: Type, element: Type, value: Term) {
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
