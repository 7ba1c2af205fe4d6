//! Constraints of NUnit, such as `Is.EqualTo(1)`, which are put off until an assertion gets them.

use super::{CONSTRAINTS, Framework};
use crate::members::MethodKey;
use crate::translate::intrinsics::full_name;
use crate::translate::stack::{Entry, Leaves};
use crate::translate::{Translated, Translator, malformed};
use crate::types::TyId;
use aback_ir::{BinaryOp, Dispatch, ExprId, Type};

impl Translator<'_> {
    /// Puts off the call that makes a constraint of NUnit, because the assertion that gets the constraint may need no
    /// object. The result tells whether the method is one of these.
    pub(super) fn defer(&mut self, key: &MethodKey, name: &str) -> Translated<bool> {
        const NAMES: [&str; 12] = [
            "EqualTo",
            "SameAs",
            "GreaterThan",
            "GreaterThanOrEqualTo",
            "AtLeast",
            "LessThan",
            "LessThanOrEqualTo",
            "AtMost",
            "get_True",
            "get_False",
            "get_Null",
            "get_Not",
        ];
        let signature = self.cs.signature(key)?;
        let count = signature.params.len() + usize::from(signature.has_this);
        let Some(first) = self.stack.len().checked_sub(count) else { return malformed("an empty stack") };
        let is_negated = |entry: &Entry| matches!(entry, Entry::Deferred(..));
        let is_known = |entry: &Entry| matches!(entry, Entry::Value(..) | Entry::Null | Entry::Literal(_));
        let (receiver, args) = self.stack[first..].split_at(usize::from(signature.has_this));
        if !NAMES.contains(&name) || !receiver.iter().all(is_negated) || !args.iter().all(is_known) {
            return Ok(false);
        }
        self.stabilize_stack();
        let given = self.stack.split_off(first);
        self.push(Entry::Deferred(key.clone(), given));
        Ok(true)
    }

    /// The object that a call makes that was put off.
    pub(in crate::translate) fn undefer(&mut self, key: &MethodKey, given: Vec<Entry>) -> Translated<(TyId, Leaves)> {
        let signature = self.cs.signature(key)?;
        let mut given = given.into_iter();
        let mut receiver = Vec::new();
        if signature.has_this {
            let (_, leaves) = self.value(given.next().unwrap_or(Entry::Null))?;
            let [object] = leaves[..] else { return malformed("a call on a struct") };
            receiver.push(self.coerce_leaf(object, Type::Class(self.cs.class_of(key.owner)))?);
        }
        let mut args = Vec::new();
        for (entry, &param) in given.zip(&signature.params) {
            args.extend(self.coerce(entry, param)?);
        }
        let dispatch = if signature.has_this { Dispatch::Virtual } else { Dispatch::Static };
        self.emit(key, &signature, dispatch, receiver, args)?;
        self.pop_value()
    }

    /// Whether an argument satisfies a constraint.
    pub(super) fn satisfies(
        &mut self,
        framework: &Framework,
        actual: (&Entry, TyId),
        key: &MethodKey,
        given: &[Entry],
    ) -> Translated<Option<ExprId>> {
        let Some((_, name)) = full_name(self.cs, key) else { return Ok(None) };
        let signature = self.cs.signature(key)?;
        let (negation, given) = given.split_at(usize::from(signature.has_this));
        if let Some(Entry::Deferred(before, _)) = negation.first() {
            let is_not =
                full_name(self.cs, before).is_some_and(|(class, name)| class == CONSTRAINTS && name == "get_Not");
            if !is_not {
                return Ok(None);
            }
        }
        let expected = given.first().zip(signature.params.first().copied());
        let found = match (name.as_str(), expected) {
            ("get_True", _) => self.is_true(actual.0, actual.1, true)?,
            ("get_False", _) => self.is_true(actual.0, actual.1, false)?,
            ("get_Null", _) => self.is_null(actual.0, actual.1)?,
            ("SameAs", Some((expected, _))) => self.is_same(actual.0, expected)?,
            ("EqualTo", Some(expected)) => self.is_equal(framework, actual, expected)?,
            ("GreaterThan", Some(expected)) => self.compare_numbers(actual, expected, BinaryOp::Gt)?,
            ("GreaterThanOrEqualTo" | "AtLeast", Some(expected)) => {
                self.compare_numbers(actual, expected, BinaryOp::Ge)?
            }
            ("LessThan", Some(expected)) => self.compare_numbers(actual, expected, BinaryOp::Lt)?,
            ("LessThanOrEqualTo" | "AtMost", Some(expected)) => self.compare_numbers(actual, expected, BinaryOp::Le)?,
            _ => None,
        };
        let is_negated = !negation.is_empty();
        Ok(found.map(|holds| if is_negated { self.not(holds) } else { holds }))
    }
}
