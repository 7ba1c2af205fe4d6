//! Scripts of questions up to renaming of variables.

use super::print::Printer;
use crate::solver::Reason;
use aback_logic::{Pool, Term, VarId};
use rustc_hash::FxHashMap;

/// A question as a self-contained SMT-LIB text in which variables and shared terms have numbers in order of occurrence. Two questions with the
/// same text, also of different pools, are the same but for the names of variables.
pub(crate) struct NormalScript {
    pub(crate) text: String,
    /// The variables of the question, in order of occurrence.
    pub(crate) variables: Vec<VarId>,
}

impl NormalScript {
    /// The script of a conjunction.
    ///
    /// # Errors
    ///
    /// A formula has no SMT-LIB form.
    pub(crate) fn of(pool: &Pool, formulas: &[Term]) -> Result<NormalScript, Reason> {
        let (mut text, mut printer) = (String::new(), Printer::default());
        for &formula in formulas {
            let formula = printer.print(pool, formula, &mut text)?;
            text.push_str(&format!("(assert {formula})\n"));
        }
        let mut normal = NormalScript { text: String::with_capacity(text.len()), variables: Vec::new() };
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let is_end = |c: char| c.is_whitespace() || c == '(' || c == ')';
            let (token, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
            // All names of variables have an `@`, and those of shared terms begin with `def!`; nothing else does.
            if token.contains('@') || token.starts_with("def!") {
                let next = numbers.len();
                let number = *numbers.entry(token).or_insert(next);
                if number == next {
                    normal.variables.extend(printer.variables.get(token));
                }
                normal.text.push_str(&format!("@{number}"));
            } else {
                normal.text.push_str(token);
            }
            let end = after.find(|c: char| !is_end(c)).unwrap_or(after.len());
            normal.text.push_str(&after[..end]);
            rest = &after[end..];
        }
        Ok(normal)
    }
}
