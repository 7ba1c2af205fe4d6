//! Writes conditions as users read programs: `list.head != null && n > 3`.
//!
//! What a condition says about inputs of any kind only, such as that references of the input have numbers that are not positive, is
//! left out.

use crate::explore::all_substituted;
use crate::graph::Cell;
use aback_heap::{InputHeap, Layout};
use aback_ir::{FieldId, Program, Type};
use aback_logic::{BvOrder, Node, Pool, Term};
use rustc_hash::FxHashMap;

/// Deepest nesting of what is written in this way.
const MOST_DEPTH: usize = 64;
/// Longest text, in characters.
const MOST_CHARACTERS: usize = 4000;
/// What stands for conditions on fields of libraries, and on values for which the source has no names.
const UNSAID: &str = "(conditions without names in the source)";

/// What gives terms their meaning in the source.
pub(crate) struct Reader<'a> {
    pub(crate) program: &'a Program,
    pub(crate) pool: &'a mut Pool,
    pub(crate) input: &'a InputHeap,
    pub(crate) layout: &'a Layout,
    /// The arrays with the contents of cells at the place of the condition.
    pub(crate) cells: FxHashMap<Term, Cell>,
    /// The program variables, with their types.
    pub(crate) variables: &'a FxHashMap<Term, Type>,
}

/// What an array of the logic contains, for each object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Field(FieldId),
    Elements,
    Length,
    /// The numbers of the types.
    Tag,
    /// What only engines know.
    Inner,
}

impl Reader<'_> {
    /// The condition, of which [`Self::without_facts`] has left something. Parts that programs cannot say are only mentioned.
    pub(crate) fn write(&self, condition: Term) -> String {
        let names = self.names(condition);
        let writer = Writer { reader: self, names };
        let parts = match self.pool.node(condition) {
            Node::And(parts) => &parts[..],
            _ => std::slice::from_ref(&condition),
        };
        let (own, inner): (Vec<_>, Vec<_>) = parts.iter().partition(|&&part| !self.is_unsaid(part, &writer.names));
        let is_alone = parts.len() == 1;
        let own = own.into_iter().map(|&part| {
            let text = writer.term(part, MOST_DEPTH);
            let is_loose = matches!(self.pool.node(part), Node::Or(_) | Node::Ite(..));
            if is_loose && !is_alone { format!("({text})") } else { text }
        });
        let inner = (!inner.is_empty()).then(|| UNSAID.to_owned());
        let mut text = own.chain(inner).collect::<Vec<_>>().join(" && ");
        if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
            text.truncate(end);
            text.push('…');
        }
        text
    }

    /// A variable has its name in the source if no other one in the condition has it, too. Values without a name are results of calls.
    fn names(&self, condition: Term) -> FxHashMap<Term, String> {
        let free = self.pool.free_variables(&[condition]);
        let plain = |name: &str| match name.split('#').next().unwrap_or_default() {
            name if name.starts_with('%') => "result".to_owned(),
            name => name.to_owned(),
        };
        let mut counts: FxHashMap<String, usize> = FxHashMap::default();
        for &id in &free {
            *counts.entry(plain(&self.pool.variable(id).name)).or_default() += 1;
        }
        let named = free.iter().map(|&id| (self.pool.variable_term(id), plain(&self.pool.variable(id).name)));
        named.filter(|(_, name)| counts[name] == 1).collect()
    }

    /// What an array contains.
    fn family(&self, array: Term) -> Option<Family> {
        match self.cells.get(&array) {
            Some(Cell::Field(field)) => Some(Family::Field(*field)),
            Some(Cell::Elements(..)) => Some(Family::Elements),
            Some(Cell::Length(_)) => Some(Family::Length),
            Some(Cell::Tag(_)) => Some(Family::Tag),
            Some(Cell::Origin(_)) => Some(Family::Inner),
            None => match self.input.field_of(array) {
                Some(field) => Some(Family::Field(field)),
                None if self.input.are_elements(array) => Some(Family::Elements),
                None if self.input.are_lengths(array) => Some(Family::Length),
                None if self.input.are_tags(array) => Some(Family::Tag),
                None => self.input.describes(array).then_some(Family::Inner),
            },
        }
    }

    /// The type of a reference; `None` if a term is none, or not known to be one.
    fn reference_type(&self, term: Term) -> Option<Type> {
        let ty = match self.pool.node(term) {
            Node::Var(_) => self.variables.get(&term).copied(),
            Node::Select(array, _) => match self.family(*array) {
                Some(Family::Field(field)) => Some(self.program.field(field).ty),
                _ => None,
            },
            _ => None,
        };
        ty.filter(|ty| ty.is_reference())
    }

    /// The condition without what holds of all inputs, and of arrays that are made on the way.
    pub(crate) fn without_facts(&mut self, condition: Term) -> Term {
        match self.pool.node(condition).clone() {
            Node::And(parts) => {
                let given: Vec<(Term, Term)> = parts.iter().filter_map(|&part| self.length_of_new(part)).collect();
                let parts = all_substituted(self.pool, &parts, &given);
                let parts: Vec<Term> = parts.into_iter().map(|part| self.without_facts(part)).collect();
                self.pool.and_all(&parts)
            }
            Node::Or(parts) => {
                if parts.iter().any(|&part| self.is_about_numbers(part)) || self.is_static_type(&parts) {
                    return Pool::TRUE;
                }
                let parts: Vec<Term> = parts.iter().map(|&part| self.without_facts(part)).collect();
                self.pool.or_all(&parts)
            }
            _ if self.is_about_numbers(condition) => Pool::TRUE,
            _ => condition,
        }
    }

    /// The length of an array that is made on the way, and the number that a part of a condition says it is.
    fn length_of_new(&self, part: Term) -> Option<(Term, Term)> {
        let Node::Eq(number, length) = *self.pool.node(part) else { return None };
        let (Node::Bv { .. }, Node::Select(array, object)) = (self.pool.node(number), self.pool.node(length)) else {
            return None;
        };
        let is_new = matches!(self.pool.node(*object), Node::Int(_)) && self.family(*array) == Some(Family::Length);
        is_new.then_some((length, number))
    }

    /// Whether a term compares the numbers of references, which no program does, or asks for what only engines know.
    fn is_about_numbers(&self, term: Term) -> bool {
        match self.pool.node(term) {
            Node::Not(inner) => self.is_about_numbers(*inner),
            Node::LeZero(sum) => match self.pool.node(*sum) {
                Node::Sum(_, parts) => parts.iter().any(|&(_, part)| self.reference_type(part).is_some()),
                _ => self.reference_type(*sum).is_some(),
            },
            Node::Select(array, _) => self.family(*array) == Some(Family::Inner),
            _ => false,
        }
    }

    /// Whether these are all possibilities for a reference of its type: null, and each exact type.
    fn is_static_type(&self, parts: &[Term]) -> bool {
        let null = |part: &Term| match self.pool.node(*part) {
            Node::EqZero(object) => Some((*object, self.reference_type(*object)?)),
            _ => None,
        };
        let Some((object, ty)) = parts.iter().find_map(null) else { return false };
        let tests = parts.iter().filter(|&&part| self.type_test(part).is_some_and(|(tested, _)| tested == object));
        let exact = self.layout.known_exact_types(ty);
        tests.count() + 1 == parts.len() && exact.is_some_and(|exact| exact.len() + 1 == parts.len())
    }

    /// The object and the number of the type if a term compares its exact type.
    fn type_test(&self, term: Term) -> Option<(Term, i64)> {
        let Node::EqZero(sum) = self.pool.node(term) else { return None };
        let (number, of) = match self.pool.node(*sum) {
            Node::Sum(constant, parts) => {
                let [(factor, of)] = &parts[..] else { return None };
                let constant = constant.as_i64()?;
                (if factor.signum() > 0 { constant.checked_neg()? } else { constant }, *of)
            }
            Node::Select(..) => (0, *sum),
            _ => return None,
        };
        let Node::Select(array, object) = self.pool.node(of) else { return None };
        (self.family(*array) == Some(Family::Tag)).then_some((*object, number))
    }

    /// Whether a part of a condition is about fields of libraries, or about several results of calls, which cannot be told apart.
    fn is_unsaid(&self, part: Term, names: &FxHashMap<Term, String>) -> bool {
        self.pool.free_variables(&[part]).into_iter().any(|id| {
            let term = self.pool.variable_term(id);
            match self.family(term) {
                Some(Family::Field(field)) => self.program.class(self.program.field(field).class).is_library,
                Some(Family::Inner) => true,
                _ => self.pool.variable(id).name.starts_with('%') && !names.contains_key(&term),
            }
        })
    }
}

/// Writes the terms of a condition.
struct Writer<'a> {
    reader: &'a Reader<'a>,
    names: FxHashMap<Term, String>,
}

impl Writer<'_> {
    fn term(&self, term: Term, depth: usize) -> String {
        self.reader.pool.show_with(term, &|term| self.named(term, depth.checked_sub(1)?))
    }

    /// What the logic writes in another way than programs.
    fn named(&self, term: Term, depth: usize) -> Option<String> {
        let (reader, pool) = (self.reader, &*self.reader.pool);
        let t = |term: Term| self.term(term, depth);
        let operand = |term: Term| match pool.node(term) {
            Node::Var(_) | Node::Select(..) | Node::Bv { .. } => t(term),
            // An object that is made on the way.
            Node::Int(number) => format!("new#{number}"),
            _ => format!("({})", t(term)),
        };
        let is_constant = |term: Term| matches!(pool.node(term), Node::Bv { .. } | Node::Bool(_));
        let compared = |[straight, turned]: [&str; 2], a: Term, b: Term| match is_constant(a) {
            true => format!("{} {turned} {}", operand(b), operand(a)),
            false => format!("{} {straight} {}", operand(a), operand(b)),
        };
        let is_test = |term: Term, word: &str| {
            let (object, number) = reader.type_test(term)?;
            let exact = reader.layout.known_exact_types(reader.reference_type(object)?)?;
            let ty = exact.iter().find(|&&ty| InputHeap::tag(ty) == number)?;
            Some(format!("{} {word} {}", operand(object), reader.program.show_type(*ty)))
        };
        match pool.node(term) {
            Node::Var(_) => self.names.get(&term).cloned(),
            Node::EqZero(sum) if reader.reference_type(*sum).is_some() => Some(format!("{} == null", t(*sum))),
            Node::EqZero(_) => is_test(term, "is a"),
            Node::LeZero(sum) => match pool.node(*sum) {
                Node::Sum(least, parts) => match &parts[..] {
                    [(factor, part)] if factor.signum() < 0 && factor.abs().is_one() => {
                        Some(format!("{} >= {least}", operand(*part)))
                    }
                    _ => None,
                },
                _ => None,
            },
            Node::Eq(a, b) if is_constant(*a) => Some(compared(["==", "=="], *a, *b)),
            Node::BvCompare(BvOrder::SLt, a, b) if is_constant(*a) => Some(compared(["<", ">"], *a, *b)),
            Node::BvCompare(BvOrder::SLe, a, b) if is_constant(*a) => Some(compared(["<=", ">="], *a, *b)),
            Node::Not(inner) => match pool.node(*inner) {
                Node::EqZero(sum) if reader.reference_type(*sum).is_some() => Some(format!("{} != null", t(*sum))),
                Node::EqZero(_) => is_test(*inner, "is no"),
                Node::Eq(a, b) if is_constant(*a) => Some(compared(["!=", "!="], *a, *b)),
                Node::BvCompare(BvOrder::SLt, a, b) => Some(compared([">=", "<="], *a, *b)),
                Node::BvCompare(BvOrder::SLe, a, b) => Some(compared([">", "<"], *a, *b)),
                _ => None,
            },
            Node::Select(array, object) => {
                let row = match pool.node(*array) {
                    Node::Select(elements, row) => reader.family(*elements).map(|family| (family, *row)),
                    _ => None,
                };
                match (reader.family(*array), row) {
                    (Some(Family::Field(field)), _) => {
                        Some(format!("{}.{}", operand(*object), reader.program.field(field).name))
                    }
                    (Some(Family::Length), _) => Some(format!("{}.length", operand(*object))),
                    (_, Some((Family::Elements, row))) => Some(format!("{}[{}]", operand(row), t(*object))),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
