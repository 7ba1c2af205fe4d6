//! The input heap: objects that exist when the program starts, met lazily and of any shape.
//!
//! A reference into it is a term that is 0 (null) or negative. What its objects hold at entry is given by arrays that
//! are never written (paper 1's `f_in`), so that aliases, cycles and sharing need no case distinction: equal references
//! read equal values.

use crate::layout::{Group, Layout};
use crate::value::{Value, sort_of};
use aback_ir::{FieldId, Program, Type};
use aback_logic::{BvOrder, Pool, Sort, Term};
use rustc_hash::FxHashMap;

/// The arrays that describe the input heap at entry, each made when it is first needed. Shared by all states of a run.
#[derive(Default)]
pub struct InputHeap {
    fields: FxHashMap<FieldId, Term>,
    elements: FxHashMap<(Group, Sort), Term>,
    lengths: FxHashMap<Group, Term>,
    tags: FxHashMap<Group, Term>,
}

/// The number by which an exact type is known in models.
fn tag(ty: Type) -> i64 {
    match ty {
        Type::Class(class) => i64::from(class.0),
        Type::Array(array) => -1 - i64::from(array.0),
        _ => i64::MIN,
    }
}

impl InputHeap {
    /// An input heap of which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The array from objects to their values of a field at entry.
    pub fn field(&mut self, pool: &mut Pool, program: &Program, field: FieldId) -> Term {
        *self.fields.entry(field).or_insert_with(|| {
            let declared = program.field(field);
            let sort = pool.array_sort(Sort::Int, sort_of(declared.ty));
            let name = format!("{}.{}", program.class_name(declared.class), declared.name);
            pool.fresh_var(&name, sort)
        })
    }

    /// The same, if it was ever asked for.
    pub fn known_field(&self, field: FieldId) -> Option<Term> {
        self.fields.get(&field).copied()
    }

    /// The array from array objects to their elements at entry, themselves arrays by index.
    pub fn elements(&mut self, pool: &mut Pool, program: &Program, group: Group, element: Type) -> Term {
        let sort = sort_of(element);
        *self.elements.entry((group, sort)).or_insert_with(|| {
            let by_index = pool.array_sort(sort_of(program.index_type()), sort);
            let sort = pool.array_sort(Sort::Int, by_index);
            pool.fresh_var(&format!("{}[]", program.type_name(element)), sort)
        })
    }

    /// The same, if it was ever asked for.
    pub fn known_elements(&self, group: Group, element: Type) -> Option<Term> {
        self.elements.get(&(group, sort_of(element))).copied()
    }

    /// The array from array objects to their lengths.
    pub fn lengths(&mut self, pool: &mut Pool, program: &Program, group: Group) -> Term {
        *self.lengths.entry(group).or_insert_with(|| {
            let sort = pool.array_sort(Sort::Int, sort_of(program.index_type()));
            pool.fresh_var("length", sort)
        })
    }

    /// The same, if it was ever asked for.
    pub fn known_lengths(&self, group: Group) -> Option<Term> {
        self.lengths.get(&group).copied()
    }

    fn tags(&mut self, pool: &mut Pool, group: Group) -> Term {
        *self.tags.entry(group).or_insert_with(|| {
            let sort = pool.array_sort(Sort::Int, Sort::Int);
            pool.fresh_var("type", sort)
        })
    }

    /// The array from objects of a group to numbers of their types, if it was ever asked for.
    pub fn known_tags(&self, group: Group) -> Option<Term> {
        self.tags.get(&group).copied()
    }

    /// The type that a number in a model stands for, among those that a reference of type `ty` can have; without a
    /// number, any of them.
    pub fn exact_type(program: &Program, layout: &Layout, ty: Type, number: Option<i64>) -> Option<Type> {
        let possible = layout.exact_types(program, ty);
        match number {
            Some(number) => possible.iter().copied().find(|&member| tag(member) == number),
            None => possible.first().copied(),
        }
    }

    /// Whether the input object `reference` (not null) is exactly of type `exact`, as a formula. Both types are of one group.
    pub fn has_type(&mut self, pool: &mut Pool, layout: &Layout, reference: Term, exact: Type) -> Term {
        match layout.group(exact) {
            Some(group) if !layout.is_uniform(group) => {
                let tags = self.tags(pool, group);
                let actual = pool.select(tags, reference);
                let number = pool.int(tag(exact));
                pool.eq(actual, number)
            }
            _ => Pool::TRUE,
        }
    }

    /// What holds of every reference of static type `ty` that comes from the input heap: it is not an allocated object, and
    /// if it is not null, its object has a type that fits.
    pub fn reference_axiom(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        reference: Term,
        ty: Type,
    ) -> Term {
        let is_input = pool.le(reference, Pool::ZERO);
        let is_null = pool.eq(reference, Pool::ZERO);
        let fits = layout.exact_types(program, ty);
        let mut options: Vec<Term> = fits.iter().map(|&exact| self.has_type(pool, layout, reference, exact)).collect();
        options.push(is_null);
        let fits = pool.or_all(&options);
        pool.and(is_input, fits)
    }

    /// What holds of every length.
    pub fn length_axiom(pool: &mut Pool, program: &Program, length: Term) -> Term {
        match sort_of(program.index_type()) {
            Sort::BitVec(width) => {
                let zero = pool.bv(width, 0);
                pool.bv_compare(BvOrder::SLe, zero, length)
            }
            _ => pool.le(Pool::ZERO, length),
        }
    }

    /// A reference that an input (a parameter, say) can be, and what holds of it.
    pub fn input_reference(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        name: &str,
        ty: Type,
    ) -> (Value, Term) {
        let reference = pool.fresh_var(name, Sort::Int);
        (Value::Term(reference), self.reference_axiom(pool, program, layout, reference, ty))
    }
}
