//! States what holds of arrays that are parts of input objects ([`OwnedArrays`]).

use crate::input::InputHeap;
use crate::layout::Layout;
use aback_ir::{OwnedArrays, Program};
use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};

impl InputHeap {
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
            facts.push(self.part_axiom(pool, layout, array, ty));
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
            let Some(group) = layout.group(ty) else { continue };
            let lengths = self.lengths(pool, program, group);
            let length = pool.select(lengths, array);
            match common {
                None => common = Some(length),
                Some(common) => facts.push(pool.eq(common, length)),
            }
        }
        if let (Some(length), [_, ..]) = (common, &owned.dimensions[..]) {
            facts.extend(self.dimension_facts(pool, program, owned, object, length));
        }
        facts
    }

    /// The numbers of elements in each dimension are not negative, and their product is the length.
    fn dimension_facts(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        owned: &OwnedArrays,
        object: Term,
        length: Term,
    ) -> Vec<Term> {
        let Sort::BitVec(width) = pool.sort(length) else { return Vec::new() };
        let wide = width * owned.dimensions.len() as u32;
        let zero = pool.bv(width, 0);
        let mut facts = Vec::new();
        let mut product = pool.bv(wide, 1);
        for &field in &owned.dimensions {
            let values = self.field_array(pool, program, field);
            let dimension = pool.select(values, object);
            facts.push(pool.bv_compare(BvOrder::SLe, zero, dimension));
            let dimension = pool.resize(wide, true, dimension);
            product = pool.bv_binary(BvOp::Mul, product, dimension);
        }
        let length = pool.resize(wide, true, length);
        facts.push(pool.eq(product, length));
        facts
    }
}
