//! Caches the solver's answers (paper 4, section 3.4.4).

use crate::config::SetMode;
use aback_logic::{Model, NormalForm, Pool, Term, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Greatest number of formulas of a cached query. The keys of longer queries would cost more than they save.
const LONGEST: usize = 512;
/// Greatest number of different subterms of a query that is cached up to renaming.
const LARGEST: usize = 4096;
/// Greatest number of sets to which a formula leads.
const MOST_SETS: usize = 8;
/// Number of cached answers at which the cache is cleared.
const CAPACITY: usize = 1 << 18;

/// A cached answer. A model assigns values to the query's variables.
#[derive(Clone)]
pub(super) enum Known {
    Sat(Rc<Model>),
    Unsat,
}

/// The formulas of a query, sorted and each once.
pub(super) type Set = Rc<[Term]>;

/// The set of these formulas. `None` if it is too large for a key.
pub(super) fn set(formulas: &[Term]) -> Option<Set> {
    if formulas.len() > LONGEST {
        return None;
    }
    let mut set = formulas.to_vec();
    set.sort_unstable();
    set.dedup();
    Some(set.into())
}

/// Caches answers by the set of formulas in the query.
#[derive(Default)]
pub(super) struct Plain {
    answers: FxHashMap<Set, Known>,
}

impl Plain {
    pub(super) fn get(&self, set: &Set) -> Option<Known> {
        self.answers.get(set).cloned()
    }

    pub(super) fn insert(&mut self, set: Set, known: Known) {
        if self.answers.len() >= CAPACITY {
            *self = Self::default();
        }
        self.answers.insert(set, known);
    }
}

/// Answers queries by sets of formulas that contain theirs or are contained in them (paper 4, section 2.2). A query has no model if some
/// of its formulas have none. And a model of more formulas is one of the query.
///
/// Of the sets that a formula leads to, only the latest ones are known.
pub(super) struct Sets {
    mode: SetMode,
    /// Unsatisfiable sets by their latest formula.
    unsatisfiable: FxHashMap<Term, VecDeque<Set>>,
    /// Satisfiable sets with a model, by each of their formulas.
    satisfiable: FxHashMap<Term, VecDeque<(Set, Rc<Model>)>>,
    /// Number of sets that were inserted.
    number: usize,
}

impl Sets {
    pub(super) fn new(mode: SetMode) -> Self {
        Sets { mode, unsatisfiable: FxHashMap::default(), satisfiable: FxHashMap::default(), number: 0 }
    }

    /// Whether there is anything to look for.
    pub(super) fn is_on(&self) -> bool {
        self.mode != SetMode::Off
    }

    pub(super) fn get(&self, set: &Set) -> Option<Known> {
        let mut subsets = set.iter().filter_map(|latest| self.unsatisfiable.get(latest)).flatten();
        if subsets.any(|subset| is_subset(subset, set)) {
            return Some(Known::Unsat);
        }
        if self.mode != SetMode::All {
            return None;
        }
        // A set that contains all formulas was inserted for each of them. The formula with the fewest sets leads there at once, if at all.
        let supersets = set.iter().map(|formula| self.satisfiable.get(formula));
        let supersets = supersets.min_by_key(|sets| sets.map_or(0, VecDeque::len))??;
        supersets.iter().find(|(superset, _)| is_subset(set, superset)).map(|(_, model)| Known::Sat(model.clone()))
    }

    pub(super) fn insert(&mut self, set: &Set, known: &Known) {
        if self.number >= CAPACITY {
            *self = Self::new(self.mode);
        }
        self.number += 1;
        match (known, set.last()) {
            (Known::Unsat, Some(latest)) if self.is_on() => {
                add(self.unsatisfiable.entry(*latest).or_default(), set.clone());
            }
            (Known::Sat(model), _) if self.mode == SetMode::All => {
                for formula in set.iter() {
                    add(self.satisfiable.entry(*formula).or_default(), (set.clone(), model.clone()));
                }
            }
            _ => {}
        }
    }
}

/// Adds the latest set as the first one.
fn add<T>(sets: &mut VecDeque<T>, set: T) {
    sets.truncate(MOST_SETS - 1);
    sets.push_front(set);
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
