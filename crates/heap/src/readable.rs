//! Shows conditions about the values in the input heap to users.

use crate::input::InputHeap;
use aback_ir::Program;
use aback_logic::{BvOrder, Conversion, Node, Pool, Term};

impl InputHeap {
    /// A condition about values: parameters, fields of the program's classes, elements and lengths of arrays. `object`
    /// names the input object with a number. `None` if the condition is about anything else, such as aliases and types,
    /// which inputs show, or only says what holds for all arrays.
    pub fn show_values(
        &self,
        pool: &mut Pool,
        program: &Program,
        condition: Term,
        object: &dyn Fn(i64) -> Option<String>,
    ) -> Option<String> {
        let terms = pool.subterms(&[condition]);
        let is_value = |&term: &Term| match pool.node(term) {
            Node::Var(_) => self.is_of_values(program, term),
            _ => true,
        };
        if matches!(pool.node(condition), Node::Bool(_)) || !terms.iter().all(is_value) {
            return None;
        }
        let object_at = |pool: &Pool, index: Term| match pool.node(index) {
            Node::Int(number) => number.as_i64().and_then(object),
            _ => None,
        };
        for &term in &terms {
            let Node::Select(array, index) = *pool.node(term) else { continue };
            let is_of_object = self.field_of(array).is_some() || self.is_lengths(array) || self.is_elements(array);
            if is_of_object && object_at(pool, index).is_none() {
                return None;
            }
            if self.is_lengths(array) && InputHeap::length_bounds(pool, program, term).contains(&condition) {
                return None;
            }
        }
        Some(pool.show_with(condition, &|term| {
            let Node::Select(array, index) = *pool.node(term) else { return None };
            if let Some(field) = self.field_of(array) {
                return Some(format!("{}.{}", object_at(pool, index)?, program.field(field).name));
            }
            match self.is_lengths(array) {
                true => Some(format!("{}.length", object_at(pool, index)?)),
                false if self.is_elements(array) => object_at(pool, index),
                false => None,
            }
        }))
    }

    /// Whether a condition is about values, and not about aliases and types: references only lead to values. What holds for
    /// all arrays is not about the values of one.
    pub fn is_about_values(&self, pool: &mut Pool, program: &Program, condition: Term) -> bool {
        if self.is_root(condition) || matches!(pool.node(condition), Node::Bool(_)) {
            return false;
        }
        pool.subterms(&[condition]).into_iter().all(|term| match *pool.node(term) {
            Node::Var(_) => self.is_root(term) || self.is_of_values(program, term),
            Node::Select(array, _) if self.is_lengths(array) => {
                !InputHeap::length_bounds(pool, program, term).contains(&condition)
            }
            Node::Select(array, _) => !self.is_root(array),
            _ => {
                let mut is_value = true;
                pool.node(term).for_each_child(|child| is_value &= !self.is_root(child));
                is_value
            }
        })
    }

    /// A term in the form of a program. `name` names variables.
    pub fn show_term(
        &self,
        pool: &Pool,
        program: &Program,
        term: Term,
        name: &dyn Fn(Term) -> Option<String>,
    ) -> String {
        pool.show_with(term, &|term| match *pool.node(term) {
            Node::Select(array, index) => {
                let owner = || self.show_term(pool, program, index, name);
                if let Some(field) = self.field_of(array) {
                    return Some(format!("{}.{}", owner(), program.field(field).name));
                }
                if self.is_lengths(array) {
                    return Some(format!("{}.length", owner()));
                }
                self.is_elements(array).then(owner)
            }
            Node::Convert(Conversion::BvToInt { .. } | Conversion::IntToBv(_), inner) => {
                let shown = self.show_term(pool, program, inner, name);
                let is_simple = shown.chars().all(|letter| letter.is_alphanumeric() || "._[]".contains(letter));
                Some(if is_simple { shown } else { format!("({shown})") })
            }
            Node::Var(_) => name(term),
            Node::Not(inner) => {
                let opposite = match *pool.node(inner) {
                    Node::LeZero(_) | Node::BvCompare(BvOrder::SLe, ..) => (" <= ", " > "),
                    Node::BvCompare(BvOrder::SLt, ..) => (" < ", " >= "),
                    _ => return None,
                };
                // Only the comparison itself is between two spaces: its operands are sums, or in brackets.
                let shown = self.show_term(pool, program, inner, name);
                (shown.matches(opposite.0).count() == 1).then(|| format!("({})", shown.replace(opposite.0, opposite.1)))
            }
            _ => None,
        })
    }

    fn is_of_values(&self, program: &Program, variable: Term) -> bool {
        if let Some(field) = self.field_of(variable) {
            let field = program.field(field);
            return !field.ty.is_reference() && !program.class(field.class).is_library;
        }
        !self.is_root(variable) && !self.is_tags(variable) && !self.is_of_libraries(variable)
    }
}
