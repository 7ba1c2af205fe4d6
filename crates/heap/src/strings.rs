//! States what holds of input strings, as the profile of the language describes them ([`StringLayout`], [`InputStrings`]).

use crate::input::InputHeap;
use crate::layout::Layout;
use crate::value::{Value, sort_of};
use aback_ir::{InputStrings, Program, StringLayout, Type};
use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};

/// The properties of strings that are inputs.
pub(crate) struct Strings<'p> {
    pub(crate) layout: StringLayout,
    pub(crate) array: Type,
    pub(crate) byte: Type,
    /// The properties besides the one that only strings refer to the arrays of their characters.
    pub(crate) bounds: Option<&'p InputStrings>,
}

impl Strings<'_> {
    pub(crate) fn of(program: &Program) -> Option<Strings<'_>> {
        let layout = program.string_layout()?;
        let array = program.field(layout.value).ty;
        let Type::Array(id) = array else { return None };
        Some(Strings { layout, array, byte: program.element_type(id), bounds: program.input_strings() })
    }
}

impl InputHeap {
    /// What holds for a string that is not null.
    pub(crate) fn string_facts(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        strings: &Strings,
        string: Term,
    ) -> Vec<Term> {
        self.meets_strings = true;
        let values = self.field_array(pool, program, strings.layout.value);
        let array = pool.select(values, string);
        let mut facts = vec![self.part_axiom(pool, program, layout, array, strings.array)];
        for &unset in strings.bounds.map_or(&[][..], |bounds| &bounds.unset) {
            let field = self.field_array(pool, program, unset);
            let value = pool.select(field, string);
            let ty = program.field(unset).ty;
            let default = Value::default_of(ty).to_term(pool, ty);
            facts.push(pool.eq(value, default));
        }
        let most = strings.bounds.and_then(|bounds| bounds.most).or(strings.layout.most);
        if most.is_none() && strings.bounds.is_none() {
            return facts;
        }
        let (Some(group), Sort::BitVec(width)) = (layout.group(strings.array), sort_of(program.index_type())) else {
            return facts;
        };
        let lengths = self.lengths(pool, program, group);
        let length = pool.select(lengths, array);
        let at_most = |pool: &mut Pool, term: Term, most: u64| {
            let (zero, most) = (pool.bv(width, 0), pool.bv(width, most.into()));
            let (low, high) = (pool.bv_compare(BvOrder::SLe, zero, term), pool.bv_compare(BvOrder::SLe, term, most));
            pool.and(low, high)
        };
        // Longer arrays do not exist.
        let longest = (1 << (width - 1)) - 1;
        let most = most.map_or(longest, u64::from);
        let Some(coder) = strings.layout.coder else {
            facts.push(at_most(pool, length, most));
            return facts;
        };
        let coders = self.field_array(pool, program, coder);
        let coder = pool.select(coders, string);
        let [zero, one] = [0, 1].map(|number| pool.bv(8, number));
        // Intervals know what comparisons say, and would not know a disjunction of equalities.
        facts.extend([pool.bv_compare(BvOrder::SLe, zero, coder), pool.bv_compare(BvOrder::SLe, coder, one)]);
        let [narrow, two] = [zero, one].map(|number| pool.eq(coder, number));
        facts.push(at_most(pool, length, longest.min(2 * most)));
        let short = at_most(pool, length, most);
        facts.push(pool.or(two, short));
        // A string has two bytes for each character only if one character has a high byte that is not zero.
        let wide = *self.wide.get_or_insert_with(|| {
            let sort = pool.array_sort(Sort::Int, Sort::BitVec(width));
            pool.fresh_var("wide character", sort)
        });
        let place = pool.select(wide, string);
        let one = pool.bv(width, 1);
        let high_place = {
            let doubled = pool.bv_binary(BvOp::Shl, place, one);
            pool.bv_binary(BvOp::Add, doubled, one)
        };
        let within = at_most(pool, place, most.min(longest / 2));
        let inside = pool.bv_compare(BvOrder::SLt, high_place, length);
        let elements = self.elements(pool, program, group, strings.byte);
        let row = pool.select(elements, array);
        let high = pool.select(row, high_place);
        let zero = pool.bv(8, 0);
        let is_wide = pool.ne(high, zero);
        let half = pool.bv_binary(BvOp::And, length, one);
        let none = pool.bv(width, 0);
        let even = pool.eq(half, none);
        let whole = pool.and_all(&[even, within, inside, is_wide]);
        facts.push(pool.or(narrow, whole));
        facts
    }
}
