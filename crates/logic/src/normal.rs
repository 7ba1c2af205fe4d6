//! Formulas up to the names of their variables.

use crate::pool::Pool;
use crate::term::{Node, Sort, Term, VarId};
use rustc_hash::FxHashMap;

/// Formulas of one pool with their variables numbered in the order in which they occur: equal for two lists of formulas if
/// and only if a renaming of variables, with their sorts, makes one the other as written. Formulas that a different order
/// of operands would make equal may differ here.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NormalForm {
    /// The different subterms, each after its own. A term stands for a place in this list, a variable for its number.
    nodes: Box<[Node]>,
    /// The sorts of the variables by number.
    sorts: Box<[Sort]>,
    /// The places of the formulas.
    formulas: Box<[Term]>,
}

impl NormalForm {
    /// The formulas' normal form, and their variables by number; `None` if they have more than `limit` different subterms.
    pub fn of(pool: &Pool, formulas: &[Term], limit: usize) -> Option<(NormalForm, Vec<VarId>)> {
        let mut places: FxHashMap<Term, Term> = FxHashMap::default();
        let mut numbers: FxHashMap<VarId, VarId> = FxHashMap::default();
        let mut variables = Vec::new();
        let mut nodes = Vec::new();
        let mut pending = Vec::new();
        for &formula in formulas {
            pending.push(formula);
            while let Some(&top) = pending.last() {
                if places.contains_key(&top) {
                    pending.pop();
                    continue;
                }
                let before = pending.len();
                pool.node(top).for_each_child(|child| {
                    if !places.contains_key(&child) {
                        pending.push(child);
                    }
                });
                if pending.len() > before {
                    // The first part first.
                    pending[before..].reverse();
                    continue;
                }
                pending.pop();
                let number = |variable: VarId| {
                    *numbers.entry(variable).or_insert_with(|| {
                        variables.push(variable);
                        VarId(variables.len() as u32 - 1)
                    })
                };
                nodes.push(pool.node(top).map(|part| places.get(&part).copied().unwrap_or(part), number));
                places.insert(top, Term(nodes.len() as u32 - 1));
                if nodes.len() > limit {
                    return None;
                }
            }
        }
        let form = NormalForm {
            nodes: nodes.into_boxed_slice(),
            sorts: variables.iter().map(|id| pool.variable(*id).sort).collect(),
            formulas: formulas.iter().filter_map(|formula| places.get(formula).copied()).collect(),
        };
        Some((form, variables))
    }
}
