//! Provides a heap that splits, for tests of the engines.

use aback_heap::{
    Access, Blocked, Cells, Combined, Decision, Heap, Layout, Meaning, Object, ObjectId, Outcome, Scope, Value,
};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{Node, Pool, Term};
use std::rc::Rc;

/// The combined heap, but each reference to the input heap gets a meaning before the program reads or writes through
/// it: null, an alias of an earlier object, or a new object. The heap splits over these.
#[derive(Clone, Debug)]
pub struct Splitting {
    inner: Combined,
    /// The references that have a meaning.
    decided: Rc<Vec<Term>>,
    /// Those that refer to different objects, one for each object.
    objects: Rc<Vec<Term>>,
}

impl Splitting {
    /// Splits the heap over the meanings of a reference, unless the reference has one.
    fn decide(&self, scope: &mut Scope, reference: Value, ty: Type) -> Access<Self, ()> {
        let Value::Term(reference) = reference else { return Ok(()) };
        let is_input = matches!(scope.pool.node(reference), Node::Var(_) | Node::Select(..));
        if !is_input || self.decided.contains(&reference) {
            return Ok(());
        }
        let mut decided = Rc::clone(&self.decided);
        Rc::make_mut(&mut decided).push(reference);
        let heap = Splitting { decided, ..self.clone() };
        let outcome = |condition, heap: &Splitting, meaning| Outcome {
            condition,
            heap: heap.clone(),
            decision: Decision { reference, ty, meaning },
        };
        let mut outcomes = vec![outcome(scope.pool.eq(reference, Pool::ZERO), &heap, Meaning::Null)];
        let mut is_new = vec![scope.pool.ne(reference, Pool::ZERO)];
        for &object in self.objects.iter() {
            let is_alias = scope.pool.eq(reference, object);
            is_new.push(scope.pool.not(is_alias));
            outcomes.push(outcome(is_alias, &heap, Meaning::AliasOf(object)));
        }
        let mut heap = heap;
        Rc::make_mut(&mut heap.objects).push(reference);
        outcomes.push(outcome(scope.pool.and_all(&is_new), &heap, Meaning::New));
        Err(Blocked::Split(outcomes))
    }
}

/// The result of an operation on the combined heap, which never splits.
fn lifted<R>(access: Access<Combined, R>) -> Access<Splitting, R> {
    access.map_err(|blocked| match blocked {
        Blocked::Exhausted => Blocked::Exhausted,
        Blocked::NoSuchCell | Blocked::Split(_) => Blocked::NoSuchCell,
    })
}

impl Heap for Splitting {
    fn at_entry() -> Self {
        Splitting { inner: Combined::at_entry(), decided: Rc::default(), objects: Rc::default() }
    }

    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value {
        let told = scope.decisions.len();
        let value = self.inner.input(scope, name, ty);
        scope.decisions.truncate(told);
        value
    }

    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value> {
        lifted(self.inner.allocate(scope, class))
    }

    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value> {
        lifted(self.inner.allocate_array(scope, element, length, cells))
    }

    fn object(&self, id: ObjectId) -> Option<&Object> {
        self.inner.object(id)
    }

    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.inner.object_mut(id)
    }

    fn read_field(&self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value> {
        self.decide(scope, object, Type::Class(scope.program.field(field).class))?;
        lifted(self.inner.read_field(scope, object, field))
    }

    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()> {
        self.decide(scope, object, Type::Class(scope.program.field(field).class))?;
        lifted(self.inner.write_field(scope, object, field, value))
    }

    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value {
        self.inner.read_static(program, layout, field)
    }

    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value) {
        self.inner.write_static(program, layout, field, value);
    }

    fn array_length(&self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value> {
        lifted(self.inner.array_length(scope, array, array_type))
    }

    fn read_element(
        &self,
        scope: &mut Scope,
        array: (Value, Type),
        element: Type,
        index: Value,
    ) -> Access<Self, Value> {
        lifted(self.inner.read_element(scope, array, element, index))
    }

    fn write_element(
        &mut self,
        scope: &mut Scope,
        array: (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()> {
        self.decide(scope, array.0, array.1)?;
        lifted(self.inner.write_element(scope, array, element, index, value))
    }

    fn exact_types(&self, scope: &mut Scope, reference: Value, ty: Type) -> Access<Self, Vec<(Term, Type)>> {
        self.decide(scope, reference, ty)?;
        lifted(self.inner.exact_types(scope, reference, ty))
    }

    fn join(&self, _: &Self, _: &mut Scope, _: Term) -> Option<Self> {
        None
    }
}
