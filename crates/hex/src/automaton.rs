//! Translates path expressions to automata whose sets of states are machine words.

use crate::{Label, Origin, Path, Place, RootId, Times, Types, Words};
use aback_ir::{Program, Type};

/// The most references in one path expression, so that a set of states is a machine word.
pub(crate) const MAX_LABELS: usize = 63;

/// A set of states. State 0 is the start; state `n` is entered by the `n`-th label of the expression (Glushkov's
/// construction, which has no empty transitions).
pub(crate) type States = u64;

/// The set that contains only the start.
pub(crate) const START: States = 1;

/// The automaton of a path expression, which reads the names of references from its origin on.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    origin: Origin,
    /// The labels; the one with index `i` enters state `i + 1`.
    labels: Vec<Label>,
    /// The states that each state can go on to.
    next: Vec<States>,
    /// The states that each state can come from.
    previous: Vec<States>,
    accepting: States,
}

/// What Glushkov's construction knows about a part of an expression.
struct Part {
    first: States,
    last: States,
    has_empty_word: bool,
}

impl Part {
    const EMPTY: Part = Part { first: 0, last: 0, has_empty_word: true };
}

fn members(mut set: States) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

impl Automaton {
    /// Builds the automaton of a path with at most [`MAX_LABELS`] labels.
    pub(crate) fn new(path: &Path) -> Automaton {
        let mut automaton =
            Automaton { origin: path.origin.clone(), labels: vec![], next: vec![0], previous: vec![0], accepting: 0 };
        let whole = automaton.part(&path.words);
        automaton.connect(START, whole.first);
        automaton.accepting = whole.last | if whole.has_empty_word { START } else { 0 };
        automaton
    }

    fn connect(&mut self, from: States, to: States) {
        members(from).for_each(|state| self.next[state] |= to);
        members(to).for_each(|state| self.previous[state] |= from);
    }

    fn part(&mut self, words: &Words) -> Part {
        match words {
            Words::Label(label) => {
                self.labels.push(label.clone());
                self.next.push(0);
                self.previous.push(0);
                let state = 1 << self.labels.len();
                Part { first: state, last: state, has_empty_word: false }
            }
            Words::Sequence(parts) => parts.iter().fold(Part::EMPTY, |before, part| {
                let after = self.part(part);
                self.connect(before.last, after.first);
                Part {
                    first: before.first | if before.has_empty_word { after.first } else { 0 },
                    last: after.last | if after.has_empty_word { before.last } else { 0 },
                    has_empty_word: before.has_empty_word && after.has_empty_word,
                }
            }),
            Words::Choice(parts) => {
                parts.iter().fold(Part { first: 0, last: 0, has_empty_word: false }, |before, part| {
                    let other = self.part(part);
                    Part {
                        first: before.first | other.first,
                        last: before.last | other.last,
                        has_empty_word: before.has_empty_word || other.has_empty_word,
                    }
                })
            }
            Words::Repeat(repeated, times) => {
                let once = self.part(repeated);
                if *times != Times::AtMostOne {
                    self.connect(once.last, once.first);
                }
                Part { has_empty_word: once.has_empty_word || *times != Times::OneOrMore, ..once }
            }
        }
    }

    /// The states that the reference at `place` can enter.
    fn entered_by(&self, program: &Program, place: Place) -> States {
        let matching = self.labels.iter().enumerate().filter(|(_, label)| label.matches(program, place));
        matching.fold(0, |set, (index, _)| set | 1 << (index + 1))
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.next.len()
    }

    /// Whether the expression names the reference at `place`.
    pub(crate) fn names(&self, program: &Program, place: Place) -> bool {
        self.entered_by(program, place) != 0
    }

    /// The types of the objects at which words start, if they do not start at a root.
    pub(crate) fn starts_at(&self) -> Option<&Types> {
        match &self.origin {
            Origin::Any(types) => Some(types),
            Origin::Root(_) => None,
        }
    }

    /// The states at a root.
    pub(crate) fn at_root(&self, root: RootId) -> States {
        if self.origin == Origin::Root(root) { START } else { 0 }
    }

    /// The states that are added at an object of this exact type, because words may start there.
    pub(crate) fn at_object(&self, program: &Program, exact: Type) -> States {
        match &self.origin {
            Origin::Any(types) if types.include(program, exact) => START,
            _ => 0,
        }
    }

    /// The root at which words start.
    pub(crate) fn root(&self) -> Option<RootId> {
        match &self.origin {
            Origin::Root(root) => Some(*root),
            Origin::Any(_) => None,
        }
    }

    /// The states after the reference at `place`, from the states of its object.
    pub(crate) fn advance(&self, program: &Program, from: States, place: Place) -> States {
        if from == 0 {
            return 0;
        }
        members(from).fold(0, |set, state| set | self.next[state]) & self.entered_by(program, place)
    }

    /// The states from which the reference at `place` leads to one of `to`.
    pub(crate) fn retreat(&self, program: &Program, to: States, place: Place) -> States {
        if to == 0 {
            return 0;
        }
        members(to & self.entered_by(program, place)).fold(0, |set, state| set | self.previous[state])
    }

    /// The states at the end of words.
    pub(crate) fn accepting(&self) -> States {
        self.accepting
    }

    /// Whether a word ends in one of the states.
    pub(crate) fn accepts(&self, states: States) -> bool {
        states & self.accepting != 0
    }
}
