//! Describes the input heap: the objects that exist when the program starts, of any number and shape.
//!
//! A reference to the input heap is a term that is 0 (null) or negative. Arrays that are never written (paper 1's
//! `f_in`) give the contents of its objects at entry, so that aliases, cycles and sharing need no case distinction:
//! equal references read equal values.

use crate::layout::{Group, Layout};
use crate::owned::parts_of;
use crate::strings::Strings;
use crate::value::{Value, sort_of};
use aback_ir::{ClassId, FieldId, InputLimits, MethodId, Program, StringLayout, Type};
use aback_logic::{BvOrder, Node, Pool, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a reference of the input heap is at entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// In the parameter with a reference that has this number, from 0. What else the environment gives has greater
    /// numbers.
    Root(usize),
    /// In a field of this object.
    Field(Term, FieldId),
    /// In this array, at an index.
    Element(Term, Term),
}

/// The array variables that describe the input heap at entry, each created when it is first needed. All states of an
/// exploration share them.
#[derive(Default)]
pub struct InputHeap {
    fields: FxHashMap<FieldId, Term>,
    /// The fields by their arrays.
    fields_of: FxHashMap<Term, FieldId>,
    elements: FxHashMap<(Group, Sort), Term>,
    lengths: FxHashMap<Group, Term>,
    tags: FxHashMap<Group, Term>,
    /// From objects to whether they are parts of others: arrays with the characters of strings, among others.
    pub(crate) hidden: Option<Term>,
    /// From arrays that are parts of objects to these objects, and to the number of the part.
    pub(crate) owners: Option<(Term, Term)>,
    /// From strings to the index of a character that requires two bytes, if there is one.
    pub(crate) wide: Option<Term>,
    /// The static types with which references were read, on any path.
    met: FxHashMap<Term, Type>,
    /// The references that the environment gives, those of the parameters first.
    roots: Vec<Term>,
    /// Whether an input may be a string.
    pub(crate) meets_strings: bool,
    /// Whether the program reads fields of strings.
    pub(crate) reads_strings: bool,
    /// Whether no input reference is null.
    has_no_nulls: bool,
    /// The limits of inputs that were used on any path.
    used_limits: InputLimits,
    /// The object on which the entry point is called, if that is a constructor.
    constructed: Option<Term>,
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

    /// Whether a variable is one of the arrays that describe the heap at entry.
    pub fn describes(&self, variable: Term) -> bool {
        let owners = self.owners.iter().flat_map(|&(owner, place)| [owner, place]);
        self.fields_of.contains_key(&variable)
            || self
                .elements
                .values()
                .chain(self.lengths.values())
                .chain(self.tags.values())
                .any(|&known| known == variable)
            || self.hidden.into_iter().chain(self.wide).chain(owners).any(|known| known == variable)
    }

    /// Whether an array is one of those from array objects to their contents at entry.
    pub fn are_elements(&self, array: Term) -> bool {
        self.elements.values().any(|&known| known == array)
    }

    /// Whether an array is one of those from objects to the numbers of their types.
    pub fn are_tags(&self, array: Term) -> bool {
        self.tags.values().any(|&known| known == array)
    }

    /// Whether an array is one of those from array objects to their lengths.
    pub fn are_lengths(&self, array: Term) -> bool {
        self.lengths.values().any(|&known| known == array)
    }

    /// The limits of inputs that were used on any path.
    pub fn used_limits(&self) -> InputLimits {
        self.used_limits
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
    pub(crate) fn field_array(&mut self, pool: &mut Pool, program: &Program, field: FieldId) -> Term {
        if let Some(&known) = self.fields.get(&field) {
            return known;
        }
        let declared = program.field(field);
        let sort = pool.array_sort(Sort::Int, sort_of(declared.ty));
        let name = format!("{}.{}", program.class_name(declared.class), declared.name);
        let array = pool.fresh_var(&name, sort);
        self.fields.insert(field, array);
        self.fields_of.insert(array, field);
        array
    }

    /// The array from objects to the values of a field at entry, if it was created.
    pub fn known_field(&self, field: FieldId) -> Option<Term> {
        self.fields.get(&field).copied()
    }

    /// The field whose array a term is.
    pub fn field_of(&self, array: Term) -> Option<FieldId> {
        self.fields_of.get(&array).copied()
    }

    /// Whether a term is the array from array objects to their contents.
    pub(crate) fn is_elements(&self, array: Term) -> bool {
        self.elements.values().any(|&known| known == array)
    }

    /// Whether a term is the array from array objects to their lengths.
    pub(crate) fn is_lengths(&self, array: Term) -> bool {
        self.lengths.values().any(|&known| known == array)
    }

    /// Whether a term is the array from objects to their exact types.
    pub(crate) fn is_tags(&self, array: Term) -> bool {
        self.tags.values().any(|&known| known == array)
    }

    /// Whether a term is an array that says how libraries have objects.
    pub(crate) fn is_of_libraries(&self, array: Term) -> bool {
        let owners = self.owners.into_iter().flat_map(|(owner, part)| [owner, part]);
        self.hidden.into_iter().chain(self.wide).chain(owners).any(|known| known == array)
    }

    /// Whether a term is a reference that the environment gives.
    pub(crate) fn is_root(&self, reference: Term) -> bool {
        self.roots.contains(&reference)
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

    /// Where a reference of the input heap is at entry.
    pub fn source(&self, pool: &Pool, reference: Term) -> Source {
        match *pool.node(reference) {
            Node::Select(array, object) => match (self.fields_of.get(&array), pool.node(array)) {
                (Some(&field), _) => Source::Field(object, field),
                (None, &Node::Select(_, array)) => Source::Element(array, object),
                _ => self.root(reference),
            },
            _ => self.root(reference),
        }
    }

    fn root(&self, reference: Term) -> Source {
        Source::Root(self.roots.iter().position(|&root| root == reference).unwrap_or(self.roots.len()))
    }

    /// Whether a reference of the input heap leads to a part of an object, to which no other reference leads.
    pub(crate) fn is_part(&self, program: &Program, pool: &Pool, reference: Term) -> bool {
        let Source::Field(_, field) = self.source(pool, reference) else { return false };
        program.is_owned_array(field) || program.string_layout().is_some_and(|strings| strings.value == field)
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
        if let Some(most) = program.input_limits().objects {
            self.used_limits.objects = Some(most);
            // As many numbers as there may be objects.
            let least = pool.int(-i64::from(most));
            facts.push(pool.le(least, reference));
        }
        for &exact in fits_types.iter() {
            let mut holds = match parts_of(program, exact) {
                Some(owned) => self.owned_facts(pool, program, layout, &owned, reference),
                None => Vec::new(),
            };
            if program.may_be_part(exact) {
                // The program never has a reference to a part of an object.
                holds.push(self.is_hidden(pool, reference, false));
            }
            if holds.is_empty() {
                continue;
            }
            let is_it = self.has_type(pool, layout, reference, exact);
            let not_null = pool.not(is_null);
            let is_it = pool.and(not_null, is_it);
            let other = pool.not(is_it);
            facts.extend(holds.into_iter().map(|fact| pool.or(other, fact)));
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

    /// Whether the program reads fields of strings and an input may be a string. The bound of their length matters
    /// then.
    pub fn reads_strings(&self) -> bool {
        self.meets_strings && self.reads_strings
    }

    /// What holds for every array length.
    pub fn length_axiom(pool: &mut Pool, program: &Program, length: Term) -> Term {
        let bounds = Self::length_bounds(pool, program, length);
        pool.and_all(&bounds)
    }

    /// The same, as separate conditions.
    pub(crate) fn length_bounds(pool: &mut Pool, program: &Program, length: Term) -> Vec<Term> {
        let ty = program.index_type();
        let zero = Value::Int(0).to_term(pool, ty);
        let not_negative = Self::at_most(pool, program, zero, length);
        let Some(most) = program.max_array_length() else { return vec![not_negative] };
        let most = Value::Int(most).to_term(pool, ty);
        vec![not_negative, Self::at_most(pool, program, length, most)]
    }

    /// What holds for the length of an array, given with its static type, if it is one of an input, as its reference says, and no part of a
    /// string or a collection: how long these are says nothing about what is in them.
    pub fn length_limit(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        layout: &Layout,
        (array, ty): (Term, Type),
        length: Term,
    ) -> Term {
        let Some(most) = program.input_limits().elements else { return Pool::TRUE };
        self.used_limits.elements = Some(most);
        let is_other = pool.le(Pool::ZERO, array);
        let most = Value::Int(most.into()).to_term(pool, program.index_type());
        let is_within = Self::at_most(pool, program, length, most);
        let may_be_part = |&exact: &Type| program.may_be_part(exact) || is_of_strings(program, exact);
        let is_part = match layout.exact_types(program, ty).iter().any(may_be_part) {
            true => self.is_hidden(pool, array, true),
            false => Pool::FALSE,
        };
        pool.or_all(&[is_other, is_part, is_within])
    }

    fn at_most(pool: &mut Pool, program: &Program, low: Term, high: Term) -> Term {
        match sort_of(program.index_type()) {
            Sort::BitVec(_) => pool.bv_compare(BvOrder::SLe, low, high),
            _ => pool.le(low, high),
        }
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
        self.roots.push(reference);
        self.note_type(program, reference, ty);
        (Value::Term(reference), self.reference_axiom(pool, program, layout, reference, ty))
    }
}

/// Whether arrays of a type may have the characters of strings.
fn is_of_strings(program: &Program, ty: Type) -> bool {
    Strings::of(program).is_some_and(|strings| strings.array == ty)
}
