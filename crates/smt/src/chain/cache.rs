//! Answers of the solver, remembered (paper 4, section 3.4.4).

use aback_logic::{Model, NormalForm, Pool, Term, Value, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Queries of more formulas are not remembered: their keys would cost more than they save.
const LONGEST: usize = 512;
/// Queries of more different subterms are not renamed.
const LARGEST: usize = 4096;
/// Of the unsatisfiable sets with the same latest formula, so many are tried as subsets.
const SUBSETS: usize = 8;
/// When so many answers are known, all are forgotten.
const CAPACITY: usize = 1 << 18;

/// A remembered answer; a model gives values to the query's variables.
#[derive(Clone)]
pub(super) enum Known {
    Sat(Rc<Model>),
    Unsat,
}

/// Answers under the set of formulas that was asked about.
#[derive(Default)]
pub(super) struct Plain {
    answers: FxHashMap<Box<[Term]>, Known>,
    /// Unsatisfiable sets by their latest formula.
    unsatisfiable: FxHashMap<Term, Vec<Box<[Term]>>>,
}

impl Plain {
    /// The answer for these formulas, or for a subset of them that has no model.
    pub(super) fn get(&self, formulas: &[Term]) -> Option<Known> {
        let key = key(formulas)?;
        if let Some(known) = self.answers.get(&key) {
            return Some(known.clone());
        }
        let subsets = key.iter().filter_map(|latest| self.unsatisfiable.get(latest)).flatten();
        let mut subsets = subsets.filter(|set| is_subset(set, &key));
        subsets.next().map(|_| Known::Unsat)
    }

    pub(super) fn insert(&mut self, formulas: &[Term], known: Known) {
        let Some(key) = key(formulas) else {
            return;
        };
        if self.answers.len() >= CAPACITY {
            *self = Self::default();
        }
        if let (Known::Unsat, Some(latest)) = (&known, key.last()) {
            let sets = self.unsatisfiable.entry(*latest).or_default();
            if sets.len() < SUBSETS {
                sets.push(key.clone());
            }
        }
        self.answers.insert(key, known);
    }
}

/// The set of formulas in order.
fn key(formulas: &[Term]) -> Option<Box<[Term]>> {
    if formulas.len() > LONGEST {
        return None;
    }
    let mut key = formulas.to_vec();
    key.sort_unstable();
    key.dedup();
    Some(key.into_boxed_slice())
}

/// Whether all of `part`, in order, is in `whole`, in order.
fn is_subset(part: &[Term], whole: &[Term]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|term| whole.any(|other| other == term))
}

/// Answers under the formulas up to the names of variables. Models are carried over.
#[derive(Default)]
pub(super) struct Normalised {
    answers: FxHashMap<NormalForm, Answer>,
}

enum Answer {
    /// The values of the variables by number.
    Sat(Box<[Option<Value>]>),
    Unsat,
}

/// A query's place in [`Normalised`].
pub(super) struct Key {
    form: NormalForm,
    variables: Vec<VarId>,
}

impl Key {
    /// `None` if the query is too large.
    pub(super) fn of(pool: &Pool, formulas: &[Term]) -> Option<Key> {
        let (form, variables) = NormalForm::of(pool, formulas, LARGEST)?;
        Some(Key { form, variables })
    }
}

impl Normalised {
    pub(super) fn get(&self, key: &Key) -> Option<Known> {
        Some(match self.answers.get(&key.form)? {
            Answer::Unsat => Known::Unsat,
            Answer::Sat(values) => {
                let mut model = Model::new();
                for (variable, value) in key.variables.iter().zip(values) {
                    if let Some(value) = value {
                        model.set(*variable, value.clone());
                    }
                }
                Known::Sat(Rc::new(model))
            }
        })
    }

    pub(super) fn insert(&mut self, key: Key, known: &Known) {
        if self.answers.len() >= CAPACITY {
            *self = Self::default();
        }
        let answer = match known {
            Known::Unsat => Answer::Unsat,
            Known::Sat(model) => {
                Answer::Sat(key.variables.iter().map(|variable| model.get(*variable).cloned()).collect())
            }
        };
        self.answers.insert(key.form, answer);
    }
}
