//! Caches the solver's answers (paper 4, section 3.4.4).

use aback_logic::{Model, NormalForm, Pool, Term, Value, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Greatest number of formulas of a cached query. The keys of longer queries would cost more than they save.
const LONGEST: usize = 512;
/// Greatest number of different subterms of a query that is cached up to renaming.
const LARGEST: usize = 4096;
/// Greatest number of unsatisfiable sets with the same latest formula that are tried as subsets.
const SUBSETS: usize = 8;
/// Number of cached answers at which the cache is cleared.
const CAPACITY: usize = 1 << 18;

/// A cached answer. A model assigns values to the query's variables.
#[derive(Clone)]
pub(super) enum Known {
    Sat(Rc<Model>),
    Unsat,
}

/// Caches answers by the set of formulas in the query.
#[derive(Default)]
pub(super) struct Plain {
    answers: FxHashMap<Box<[Term]>, Known>,
    /// Unsatisfiable sets by their latest formula.
    unsatisfiable: FxHashMap<Term, Vec<Box<[Term]>>>,
}

impl Plain {
    /// The answer for these formulas, or `Unsat` if a subset of them is known to be unsatisfiable.
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

/// The set of formulas, sorted. `None` if it is too large.
fn key(formulas: &[Term]) -> Option<Box<[Term]>> {
    if formulas.len() > LONGEST {
        return None;
    }
    let mut key = formulas.to_vec();
    key.sort_unstable();
    key.dedup();
    Some(key.into_boxed_slice())
}

/// Whether `whole` contains all of `part`. Both are sorted.
fn is_subset(part: &[Term], whole: &[Term]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|term| whole.any(|other| other == term))
}

/// Caches answers by the formulas up to renaming of variables. Models are translated between queries.
#[derive(Default)]
pub(super) struct Normalised {
    answers: FxHashMap<NormalForm, Answer>,
}

enum Answer {
    /// The values of the variables by number.
    Sat(Box<[Option<Value>]>),
    Unsat,
}

/// The key of a query in [`Normalised`].
pub(super) struct Key {
    form: NormalForm,
    variables: Vec<VarId>,
}

impl Key {
    /// Returns `None` if the query is too large.
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
