//! Asks the solver whether a leaf can be reached.

use aback_logic::{Node, Pool, Term};
use aback_smt::{Chain, Feasibility, Reason};
use aback_symbolic::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

/// Asks whether formulas have a common model.
pub(crate) fn ask(chain: &mut Chain, pool: &mut Pool, budget: &Budget, formulas: &[Term]) -> Feasibility {
    let mut path = chain.path();
    let Some((last, rest)) = formulas.split_last() else {
        return chain.check(pool, &path, Pool::TRUE);
    };
    for &formula in rest {
        if budget.out_of_time().is_some() {
            return Feasibility::Unknown(Reason::Timeout);
        }
        if path.assume(pool, formula).is_err() {
            return Feasibility::Infeasible;
        }
    }
    chain.check_alone(pool, &path, *last)
}

/// The consequences of `implications` (each: if control gets to this node, this holds) if all of `given` hold, as
/// formulas. For nodes that control certainly reaches, the conclusion stands without the condition. Nodes that
/// control cannot reach are left out. An implication comes after those of the nodes that its conclusion mentions.
pub(crate) fn propagate(pool: &mut Pool, implications: &[(Term, Term)], given: &[Term]) -> Vec<Term> {
    let nodes: FxHashSet<Term> = implications.iter().map(|&(node, _)| node).collect();
    let (mut certain, mut possible): (FxHashSet<Term>, FxHashSet<Term>) = Default::default();
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    let mut formulas = Vec::new();
    let mut sure = |pool: &Pool, formula: Term, formulas: &mut Vec<Term>, certain: &mut FxHashSet<Term>| {
        let mut pending = vec![formula];
        while let Some(part) = pending.pop() {
            match pool.node(part) {
                Node::And(parts) => pending.extend(parts.iter().copied()),
                Node::Var(_) if nodes.contains(&part) => {
                    certain.insert(part);
                }
                Node::Var(_) => {
                    known.insert(part, Pool::TRUE);
                    formulas.push(part);
                }
                Node::Not(inner) if matches!(pool.node(*inner), Node::Var(_)) => {
                    known.insert(*inner, Pool::FALSE);
                    formulas.push(part);
                }
                _ => formulas.push(part),
            }
        }
    };
    for &formula in given {
        sure(pool, formula, &mut formulas, &mut certain);
    }
    let mentioned = pool.free_variables(given);
    possible.extend(mentioned.into_iter().map(|id| pool.variable_term(id)).filter(|term| nodes.contains(term)));
    for &(node, conclusion) in implications.iter().rev() {
        if pool.is_stopped() {
            break;
        }
        let is_certain = certain.contains(&node);
        if !is_certain && !possible.contains(&node) {
            continue;
        }
        if is_certain {
            sure(pool, conclusion, &mut formulas, &mut certain);
        } else {
            formulas.push(pool.implies(node, conclusion));
        }
        let mentioned = pool.free_variables(&[conclusion]);
        possible.extend(mentioned.into_iter().map(|id| pool.variable_term(id)).filter(|term| nodes.contains(term)));
    }
    formulas
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_logic::{Evaluator, Model, Sort, Value};

    /// Under each choice of the variables, the formulas hold for some values of the nodes if, and only if, all implications and all that is given
    /// hold for some.
    #[test]
    fn what_is_propagated_has_the_models_of_what_was_said() {
        let mut pool = Pool::new();
        let [n, m, k] = ["n", "m", "k"].map(|name| pool.fresh_var(name, Sort::Bool));
        let [p, q] = ["p", "q"].map(|name| pool.fresh_var(name, Sort::Bool));
        let not_p = pool.not(p);
        let [m_or_k, p_and_m, m_and_k] = [pool.or(m, k), pool.and(p, m), pool.and(m, k)];
        let cases = [
            (vec![(k, not_p), (m, p), (n, m_or_k)], vec![n]),
            (vec![(k, q), (m, p_and_m), (n, m_and_k)], vec![n, not_p]),
            (vec![(m, q), (n, p_and_m)], vec![n]),
            (vec![(k, not_p), (n, p)], vec![q]),
            (vec![(k, not_p), (m, p)], vec![m_or_k, q]),
        ];
        for (implications, given) in cases {
            let propagated = propagate(&mut pool, &implications, &given);
            let all: Vec<Term> = implications.iter().map(|&(node, holds)| pool.implies(node, holds)).collect();
            let all = [&all[..], &given].concat();
            for inputs in 0..4u32 {
                let holds = |formulas: &[Term]| {
                    (0..8u32).any(|nodes| {
                        let mut model = Model::new();
                        let values = [n, m, k].into_iter().zip(0..).map(|(node, bit)| (node, nodes >> bit & 1));
                        for (variable, value) in values.chain([(p, inputs & 1), (q, inputs >> 1)]) {
                            let Node::Var(id) = *pool.node(variable) else { panic!("a variable") };
                            model.set(id, Value::Bool(value == 1));
                        }
                        let mut evaluator = Evaluator::new(model);
                        formulas.iter().all(|&formula| evaluator.holds(&pool, formula) == Some(true))
                    })
                };
                assert_eq!(holds(&propagated), holds(&all), "{given:?} with {inputs}");
            }
        }
    }
}
