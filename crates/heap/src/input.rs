//! Describes the input heap: the objects that exist when the program starts, of any number and shape.
//!
//! A reference to the input heap is a term that is 0 (null) or negative. Arrays that are never written (paper 1's
//! `f_in`) give the contents of its objects at entry, so that aliases, cycles and sharing need no case distinction:
//! equal references read equal values.

use crate::layout::{Group, Layout};
use crate::value::{Value, sort_of};
use aback_ir::{ClassId, FieldId, InputStrings, MethodId, Program, StringLayout, Type};
use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The array variables that describe the input heap at entry, each created when it is first needed. All states of an
/// exploration share them.
#[derive(Default)]
pub struct InputHeap {
    fields: FxHashMap<FieldId, Term>,
    elements: FxHashMap<(Group, Sort), Term>,
    lengths: FxHashMap<Group, Term>,
    tags: FxHashMap<Group, Term>,
    /// From array objects to whether they hold the characters of strings.
    hidden: Option<Term>,
    /// From strings to the index of a character that requires two bytes, if there is one.
    wide: Option<Term>,
    /// The static types with which references were read, on any path.
    met: FxHashMap<Term, Type>,
    /// Whether an input may be a string.
    meets_strings: bool,
    /// Whether the program reads fields of strings.
    reads_strings: bool,
    /// Whether no input reference is null.
    has_no_nulls: bool,
    /// The object on which the entry point is called, if that is a constructor.
    constructed: Option<Term>,
}

/// The properties of strings that are inputs.
struct Strings<'p> {
    layout: StringLayout,
    array: Type,
    byte: Type,
    /// The properties besides the one that only strings refer to the arrays of their characters.
    bounds: Option<&'p InputStrings>,
}

impl Strings<'_> {
    fn of(program: &Program) -> Option<Strings<'_>> {
        let layout = program.string_layout()?;
        let array = program.field(layout.value).ty;
        let Type::Array(id) = array else { return None };
        Some(Strings { layout, array, byte: program.element_type(id), bounds: program.input_strings() })
    }
}

impl InputHeap {
    /// The number that represents an exact type in models.
    pub fn tag(ty: Type) -> i64 {
        match ty {
            Type::Class(class) => i64::from(class.0),
            Type::Array(array) => -1 - i64::from(array.0),
            _ => i64::MIN,
        }
    }

    /// An input heap about which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The input heap of an entry point.
    pub fn of(program: &Program, entry: MethodId) -> Self {
        InputHeap { has_no_nulls: program.has_no_null_inputs(entry), ..Self::default() }
    }

    /// Whether no input reference is null.
    pub fn has_no_nulls(&self) -> bool {
        self.has_no_nulls
    }

    /// The object on which the entry point is called, if that is a constructor.
    pub fn constructed(&self) -> Option<Term> {
        self.constructed
    }

    /// What holds for the object on which the entry point, a constructor of `class`, is called: the object is new. Its
    /// exact class is `class`, or a subclass if `class` is abstract; its fields have default values; and no reference
    /// that is read later refers to it.
    pub fn construct(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        object: Term,
        class: ClassId,
    ) -> Term {
        self.constructed = Some(object);
        let own = Type::Class(class);
        let possible = layout.exact_types(program, own);
        let mut facts = Vec::new();
        if possible.contains(&own) {
            facts.push(self.has_type(pool, layout, object, own));
        }
        let classes = possible.iter().filter_map(|&exact| match exact {
            Type::Class(class) => Some(class),
            _ => None,
        });
        let fields: FxHashSet<FieldId> = classes.flat_map(|class| program.instance_fields(class)).collect();
        let mut fields: Vec<FieldId> = fields.into_iter().collect();
        fields.sort_unstable();
        for field in fields {
            let ty = program.field(field).ty;
            let values = self.field_array(pool, program, field);
            let value = pool.select(values, object);
            let default = Value::default_of(ty).to_term(pool, ty);
            facts.push(pool.eq(value, default));
        }
        pool.and_all(&facts)
    }

    /// The array from objects to the values of a field at entry, for a read by the program.
    pub fn field(&mut self, pool: &mut Pool, program: &Program, field: FieldId) -> Term {
        let is_of_strings = |strings: StringLayout| program.field(field).class == strings.class;
        self.reads_strings |= program.string_layout().is_some_and(is_of_strings);
        self.field_array(pool, program, field)
    }

    /// The array from objects to the values of a field at entry, for facts about it.
    fn field_array(&mut self, pool: &mut Pool, program: &Program, field: FieldId) -> Term {
        *self.fields.entry(field).or_insert_with(|| {
            let declared = program.field(field);
            let sort = pool.array_sort(Sort::Int, sort_of(declared.ty));
            let name = format!("{}.{}", program.class_name(declared.class), declared.name);
            pool.fresh_var(&name, sort)
        })
    }

    /// The array from objects to the values of a field at entry, if it was created.
    pub fn known_field(&self, field: FieldId) -> Option<Term> {
        self.fields.get(&field).copied()
    }

    /// The array from array objects to their contents at entry, which are arrays from indices to elements.
    pub fn elements(&mut self, pool: &mut Pool, program: &Program, group: Group, element: Type) -> Term {
        let sort = sort_of(element);
        *self.elements.entry((group, sort)).or_insert_with(|| {
            let by_index = pool.array_sort(sort_of(program.index_type()), sort);
            let sort = pool.array_sort(Sort::Int, by_index);
            pool.fresh_var(&format!("{}[]", program.type_name(element)), sort)
        })
    }

    /// The array from array objects to their contents at entry, if it was created.
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

    /// The array from array objects to their lengths, if it was created.
    pub fn known_lengths(&self, group: Group) -> Option<Term> {
        self.lengths.get(&group).copied()
    }

    /// The array from objects of a group to the numbers of their exact types ([`InputHeap::tag`]).
    pub fn tags(&mut self, pool: &mut Pool, group: Group) -> Term {
        *self.tags.entry(group).or_insert_with(|| {
            let sort = pool.array_sort(Sort::Int, Sort::Int);
            pool.fresh_var("type", sort)
        })
    }

    /// The array from objects of a group to the numbers of their exact types, if it was created.
    pub fn known_tags(&self, group: Group) -> Option<Term> {
        self.tags.get(&group).copied()
    }

    /// The exact type that a number in a model represents, among those that an object of type `ty` can have; without a
    /// number, any of them.
    pub fn exact_type(program: &Program, layout: &Layout, ty: Type, number: Option<i64>) -> Option<Type> {
        let possible = layout.exact_types(program, ty);
        match number {
            Some(number) => possible.iter().copied().find(|&member| InputHeap::tag(member) == number),
            None => possible.first().copied(),
        }
    }

    /// The formula that says that the object of the non-null input reference `reference` has the exact type `exact`.
    /// The static type of the reference and `exact` are in one group.
    pub fn has_type(&mut self, pool: &mut Pool, layout: &Layout, reference: Term, exact: Type) -> Term {
        match layout.group(exact) {
            Some(group) if !layout.is_uniform(group) => {
                let tags = self.tags(pool, group);
                let actual = pool.select(tags, reference);
                let number = pool.int(InputHeap::tag(exact));
                pool.eq(actual, number)
            }
            _ => Pool::TRUE,
        }
    }

    /// Notes the static type with which a reference is read from the input heap. All paths share the notes: of two
    /// related types the wider one is kept, because it is correct on every path, and of unrelated types none.
    pub(crate) fn note_type(&mut self, program: &Program, reference: Term, ty: Type) {
        let met = self.met.entry(reference).or_insert(ty);
        if !program.is_assignable(ty, *met) {
            *met = if program.is_assignable(*met, ty) { ty } else { Type::Null };
        }
    }

    /// The static type with which a reference was read from the input heap if it is narrower than `ty`, otherwise `ty`.
    pub fn type_of(&self, program: &Program, reference: Term, ty: Type) -> Type {
        let met = self.met.get(&reference).copied().filter(|&met| met != Type::Null);
        met.filter(|&met| program.is_assignable(met, ty)).unwrap_or(ty)
    }

    /// What holds for every reference of static type `ty` to the input heap: it refers to no allocated object; it is
    /// null, which some entry points exclude, or its object has a type that fits.
    pub fn reference_axiom(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        reference: Term,
        ty: Type,
    ) -> Term {
        let is_input = match self.has_no_nulls {
            true => pool.lt(reference, Pool::ZERO),
            false => pool.le(reference, Pool::ZERO),
        };
        let is_null = pool.eq(reference, Pool::ZERO);
        let fits_types = layout.exact_types(program, ty);
        let mut options: Vec<Term> =
            fits_types.iter().map(|&exact| self.has_type(pool, layout, reference, exact)).collect();
        options.push(is_null);
        let fits = pool.or_all(&options);
        let mut facts = vec![is_input, fits];
        if let Some(constructed) = self.constructed {
            facts.push(pool.ne(reference, constructed));
        }
        if let Some(strings) = Strings::of(program) {
            let of_string = Type::Class(strings.layout.class);
            for &exact in fits_types.iter().filter(|&&exact| exact == of_string || exact == strings.array) {
                let is_it = self.has_type(pool, layout, reference, exact);
                let not_null = pool.not(is_null);
                let is_it = pool.and(not_null, is_it);
                let holds = match exact == of_string {
                    true => self.string_facts(pool, program, layout, &strings, reference),
                    // The program never has a reference to the array of a string.
                    false => vec![self.is_hidden(pool, reference, false)],
                };
                // The facts about a string constrain fields that no other class has, so that they are harmless for
                // null.
                let other = if *fits_types == [of_string] { Pool::FALSE } else { pool.not(is_it) };
                facts.extend(holds.into_iter().map(|fact| pool.or(other, fact)));
            }
        }
        pool.and_all(&facts)
    }

    /// What holds for the array of a string.
    pub fn string_array_axiom(&mut self, pool: &mut Pool, layout: &Layout, array: Term, ty: Type) -> Term {
        let is_input = pool.lt(array, Pool::ZERO);
        let fits = self.has_type(pool, layout, array, ty);
        let hidden = self.is_hidden(pool, array, true);
        pool.and_all(&[is_input, fits, hidden])
    }

    fn is_hidden(&mut self, pool: &mut Pool, array: Term, truth: bool) -> Term {
        let hidden = *self.hidden.get_or_insert_with(|| {
            let sort = pool.array_sort(Sort::Int, Sort::Bool);
            pool.fresh_var("of a string", sort)
        });
        let is_hidden = pool.select(hidden, array);
        if truth { is_hidden } else { pool.not(is_hidden) }
    }

    /// Whether the program reads fields of strings and an input may be a string. The bound of their length matters
    /// then.
    pub fn reads_strings(&self) -> bool {
        self.meets_strings && self.reads_strings
    }

    /// What holds for a string that is not null.
    fn string_facts(
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
        let mut facts = vec![self.string_array_axiom(pool, layout, array, strings.array)];
        let Some(bounds) = strings.bounds else { return facts };
        for &unset in &bounds.unset {
            let field = self.field_array(pool, program, unset);
            let value = pool.select(field, string);
            let ty = program.field(unset).ty;
            let default = Value::default_of(ty).to_term(pool, ty);
            facts.push(pool.eq(value, default));
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
        let most = u64::from(bounds.most);
        let Some(coder) = strings.layout.coder else {
            facts.push(at_most(pool, length, most));
            return facts;
        };
        let coders = self.field_array(pool, program, coder);
        let coder = pool.select(coders, string);
        let [narrow, two] = [0, 1].map(|number| {
            let number = pool.bv(8, number);
            pool.eq(coder, number)
        });
        facts.push(pool.or(narrow, two));
        facts.push(at_most(pool, length, 2 * most));
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
        let within = at_most(pool, place, most);
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

    /// What holds for every array length.
    pub fn length_axiom(pool: &mut Pool, program: &Program, length: Term) -> Term {
        let ty = program.index_type();
        let at_most = |pool: &mut Pool, low: Term, high: Term| match sort_of(ty) {
            Sort::BitVec(_) => pool.bv_compare(BvOrder::SLe, low, high),
            _ => pool.le(low, high),
        };
        let zero = Value::Int(0).to_term(pool, ty);
        let not_negative = at_most(pool, zero, length);
        let Some(most) = program.max_array_length() else { return not_negative };
        let most = Value::Int(most).to_term(pool, ty);
        let possible = at_most(pool, length, most);
        pool.and(not_negative, possible)
    }

    /// A new input reference, for example a parameter, and what holds for it.
    pub fn input_reference(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        name: &str,
        ty: Type,
    ) -> (Value, Term) {
        let reference = pool.fresh_var(name, Sort::Int);
        self.note_type(program, reference, ty);
        (Value::Term(reference), self.reference_axiom(pool, program, layout, reference, ty))
    }
}
