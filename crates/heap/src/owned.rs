//! States what holds of the parts of input objects: arrays of strings, and [`OwnedArrays`].

use crate::input::InputHeap;
use crate::layout::Layout;
use crate::value::Value;
use aback_ir::{Extent, FieldId, OwnedArrays, Program, Type};
use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};

impl InputHeap {
    /// What holds for a part of an object: for the array of a string, or for one of [`OwnedArrays`].
    pub fn part_axiom(&mut self, pool: &mut Pool, program: &Program, layout: &Layout, part: Term, ty: Type) -> Term {
        let is_input = pool.lt(part, Pool::ZERO);
        let fits = self.has_type(pool, layout, part, ty);
        let hidden = self.is_hidden(pool, part, true);
        let mut facts = vec![is_input, fits, hidden];
        if let Some(owned) = parts_of(program, ty) {
            facts.extend(self.owned_facts(pool, program, layout, &owned, part));
        }
        pool.and_all(&facts)
    }

    pub(crate) fn is_hidden(&mut self, pool: &mut Pool, object: Term, truth: bool) -> Term {
        let hidden = *self.hidden.get_or_insert_with(|| {
            let sort = pool.array_sort(Sort::Int, Sort::Bool);
            pool.fresh_var("is a part", sort)
        });
        let is_hidden = pool.select(hidden, object);
        if truth { is_hidden } else { pool.not(is_hidden) }
    }

    /// What holds for an object that is not null and has these arrays.
    pub(crate) fn owned_facts(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        owned: &OwnedArrays,
        object: Term,
    ) -> Vec<Term> {
        let mut facts = Vec::new();
        let mut common = None;
        for (place, &field) in owned.arrays.iter().enumerate() {
            let ty = program.field(field).ty;
            let values = self.field_array(pool, program, field);
            let array = pool.select(values, object);
            facts.push(self.part_axiom(pool, program, layout, array, ty));
            // An array tells its owner and its place there, so that no two places have the same one.
            let (owners, places) = *self.owners.get_or_insert_with(|| {
                let sort = pool.array_sort(Sort::Int, Sort::Int);
                (pool.fresh_var("owner", sort), pool.fresh_var("place", sort))
            });
            let owner = pool.select(owners, array);
            facts.push(pool.eq(owner, object));
            let found = pool.select(places, array);
            let place = pool.int(place as i64);
            facts.push(pool.eq(found, place));
            let Some(length) = self.part_length(pool, program, layout, array, ty) else { continue };
            match common {
                None => common = Some(length),
                Some(common) => facts.push(pool.eq(common, length)),
            }
        }
        if let Some(length) = common {
            facts.extend(self.extent_facts(pool, program, &owned.extent, object, length));
        }
        facts
    }

    /// The length of an array that is a part, or of the arrays of which a part consists.
    fn part_length(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        part: Term,
        ty: Type,
    ) -> Option<Term> {
        if let Some(owned) = parts_of(program, ty) {
            let &field = owned.arrays.first()?;
            let values = self.field_array(pool, program, field);
            let inner = pool.select(values, part);
            return self.part_length(pool, program, layout, inner, program.field(field).ty);
        }
        let lengths = self.lengths(pool, program, layout.group(ty)?);
        Some(pool.select(lengths, part))
    }

    /// What an object's numbers have to do with the length of its arrays.
    fn extent_facts(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        extent: &Extent,
        object: Term,
        length: Term,
    ) -> Vec<Term> {
        let Sort::BitVec(width) = pool.sort(length) else { return Vec::new() };
        let mut number = |pool: &mut Pool, field: FieldId| {
            let values = self.field_array(pool, program, field);
            pool.select(values, object)
        };
        let zero = pool.bv(width, 0);
        let is_at_most = |pool: &mut Pool, low: Term, high: Term| pool.bv_compare(BvOrder::SLe, low, high);
        match *extent {
            Extent::Any => Vec::new(),
            Extent::Product(ref dimensions) => {
                let wide = width * dimensions.len() as u32;
                let mut facts = Vec::new();
                let mut product = pool.bv(wide, 1);
                for &field in dimensions {
                    let dimension = number(pool, field);
                    facts.push(is_at_most(pool, zero, dimension));
                    let dimension = pool.resize(wide, true, dimension);
                    product = pool.bv_binary(BvOp::Mul, product, dimension);
                }
                let length = pool.resize(wide, true, length);
                facts.push(pool.eq(product, length));
                facts
            }
            Extent::Used { count, end, is_longest } => {
                let count = number(pool, count);
                let mut facts = vec![is_at_most(pool, zero, count), is_at_most(pool, count, length)];
                if let Some(end) = end {
                    let end = number(pool, end);
                    let is_full = pool.eq(count, length);
                    let behind = pool.ite(is_full, zero, count);
                    facts.push(pool.eq(end, behind));
                }
                if let Some(most) = program.max_array_length().filter(|_| is_longest) {
                    let most = Value::Int(most).to_term(pool, program.index_type());
                    facts.push(pool.eq(length, most));
                }
                facts
            }
        }
    }
}

/// The parts of an object of exactly this type, if it consists of parts.
pub(crate) fn parts_of(program: &Program, ty: Type) -> Option<OwnedArrays> {
    match ty {
        Type::Class(class) => program.owned_arrays(class),
        _ => None,
    }
}
