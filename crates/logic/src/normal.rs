//! Identifies formulas that are equal up to renaming of variables.

use crate::pool::Pool;
use crate::term::{Node, Sort, Term, VarId};
use rustc_hash::FxHashMap;

/// Formulas of one pool whose variables are numbered in order of occurrence. The normal forms of two lists of
/// formulas are equal if and only if some sort-preserving renaming of variables maps one list to the other, exactly
/// as written. Formulas that are equal only up to the order of operands may have different normal forms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NormalForm {
    /// The different subterms, each after its own subterms. In a node, a term stands for an index of this list and a
    /// variable for its number.
    nodes: Box<[Node]>,
    /// The sorts of the variables, by number.
    sorts: Box<[Sort]>,
    /// The indices of the formulas in `nodes`.
    formulas: Box<[Term]>,
}

impl NormalForm {
    /// The normal form of the formulas, and their variables by number. Returns `None` if they have more than `limit`
    /// different subterms.
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
                    // Visit the first part first.
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
