//! Decides sentences on heaps whose references have conditions: many heaps at once, as formulas.
//!
//! Objects are numbered such that each is discovered through an object with a smaller number, so that backbones have no cycles. What
//! [`Partial`](crate::Partial) keeps for each object, the states of the automata, is a formula for each state here.

use crate::automaton::{START, States};
use crate::invariants::Compiled;
use crate::{AtomId, Invariants, ObjectNumber, Place, Requirement, Sentence, Types};
use aback_ir::{Program, Type};

/// Makes formulas.
pub trait Formulas {
    /// A formula. Copies are the same formula.
    type Formula: Copy;

    /// A truth value.
    fn constant(&mut self, value: bool) -> Self::Formula;
    /// A new variable.
    fn variable(&mut self) -> Self::Formula;
    /// A negation.
    fn not(&mut self, formula: Self::Formula) -> Self::Formula;
    /// A conjunction.
    fn and(&mut self, left: Self::Formula, right: Self::Formula) -> Self::Formula;
    /// A disjunction.
    fn or(&mut self, left: Self::Formula, right: Self::Formula) -> Self::Formula;

    /// The conjunction of any number of formulas.
    fn all(&mut self, parts: impl IntoIterator<Item = Self::Formula>) -> Self::Formula {
        let truth = self.constant(true);
        parts.into_iter().fold(truth, |all, part| self.and(all, part))
    }

    /// The disjunction of any number of formulas.
    fn any(&mut self, parts: impl IntoIterator<Item = Self::Formula>) -> Self::Formula {
        let never = self.constant(false);
        parts.into_iter().fold(never, |any, part| self.or(any, part))
    }

    /// The first formula and not the second one.
    fn but_not(&mut self, part: Self::Formula, excluded: Self::Formula) -> Self::Formula {
        let not = self.not(excluded);
        self.and(part, not)
    }
}

/// An object that exists under a condition.
#[derive(Clone, Debug)]
pub struct Object<F> {
    /// The exact types that it can have, each with its condition. It exists if it has one of them.
    pub types: Vec<(Type, F)>,
}

/// A reference under a condition. The conditions of its targets exclude each other, and imply that it exists.
#[derive(Clone, Debug)]
pub struct Reference<F> {
    /// Where it is.
    pub place: Place,
    /// Whether there is such a reference. If it leads to none of the targets, it is null.
    pub exists: F,
    /// The objects to which it leads, each with a condition.
    pub leads_to: Vec<(ObjectNumber, F)>,
    /// The objects that it discovers, each with a condition, which implies that the reference leads there. They have greater numbers than the object of
    /// the reference.
    pub discovers: Vec<(ObjectNumber, F)>,
}

/// A partial heap with conditions, and its backbone.
#[derive(Clone, Debug)]
pub struct Conditional<F> {
    /// The objects.
    pub objects: Vec<Object<F>>,
    /// The references.
    pub references: Vec<Reference<F>>,
}

impl<F> Default for Conditional<F> {
    fn default() -> Self {
        Conditional { objects: Vec::new(), references: Vec::new() }
    }
}

/// The formula that the sentences hold: on a heap that is known completely, or else that they may hold on a refinement,
/// as far as single references tell (paper 3, section 3.3).
pub fn may_hold<F: Formulas>(
    formulas: &mut F,
    invariants: &Invariants,
    program: &Program,
    heap: &Conditional<F::Formula>,
    is_complete: bool,
) -> F::Formula {
    let mut decision = Decision { formulas, invariants, program, heap, exists: Vec::new(), is_below: Vec::new() };
    decision.prepare();
    let atoms = decision.violated();
    let truths: Vec<Truths<F::Formula>> = atoms
        .into_iter()
        .map(|violated| match is_complete {
            true => Truths { is_false: violated, is_true: formulas.not(violated) },
            false => Truths { is_false: violated, is_true: formulas.constant(false) },
        })
        .collect();
    let values: Vec<F::Formula> =
        invariants.sentences().iter().map(|sentence| value(formulas, sentence, &truths).is_false).collect();
    let is_false = formulas.any(values);
    formulas.not(is_false)
}

/// When a sentence is known to be false, and when it is known to be true.
#[derive(Clone, Copy)]
struct Truths<F> {
    is_false: F,
    is_true: F,
}

fn value<F: Formulas>(formulas: &mut F, sentence: &Sentence, atoms: &[Truths<F::Formula>]) -> Truths<F::Formula> {
    match sentence {
        Sentence::Atom(id) => atoms[id.index()],
        Sentence::Not(sentence) => {
            let Truths { is_false, is_true } = value(formulas, sentence, atoms);
            Truths { is_false: is_true, is_true: is_false }
        }
        Sentence::And(parts) => {
            let parts: Vec<Truths<F::Formula>> = parts.iter().map(|part| value(formulas, part, atoms)).collect();
            let is_false = formulas.any(parts.iter().map(|part| part.is_false));
            Truths { is_false, is_true: formulas.all(parts.iter().map(|part| part.is_true)) }
        }
        Sentence::Or(parts) => {
            let parts: Vec<Truths<F::Formula>> = parts.iter().map(|part| value(formulas, part, atoms)).collect();
            let is_false = formulas.all(parts.iter().map(|part| part.is_false));
            Truths { is_false, is_true: formulas.any(parts.iter().map(|part| part.is_true)) }
        }
        Sentence::Implies(premise, conclusion) => {
            let (premise, conclusion) = (value(formulas, premise, atoms), value(formulas, conclusion, atoms));
            let is_false = formulas.and(premise.is_true, conclusion.is_false);
            Truths { is_false, is_true: formulas.or(premise.is_false, conclusion.is_true) }
        }
    }
}

struct Decision<'a, F: Formulas> {
    formulas: &'a mut F,
    invariants: &'a Invariants,
    program: &'a Program,
    heap: &'a Conditional<F::Formula>,
    /// Whether each object exists.
    exists: Vec<F::Formula>,
    /// For each object and possible ancestor, itself included, whether it is one.
    is_below: Vec<Vec<F::Formula>>,
}

impl<F: Formulas> Decision<'_, F> {
    /// Computes which objects exist and what their ancestors are.
    fn prepare(&mut self) {
        let never = self.formulas.constant(false);
        let count = self.heap.objects.len();
        for (object, declared) in self.heap.objects.iter().enumerate() {
            let exists = self.formulas.any(declared.types.iter().map(|(_, condition)| *condition));
            self.exists.push(exists);
            let mut is_below = vec![never; count];
            is_below[object] = exists;
            for (reference, condition) in discovering(self.heap, object) {
                let Some(above) = reference.place.source().and_then(|source| self.is_below.get(source.index())) else {
                    continue;
                };
                for (below, &above) in is_below.iter_mut().zip(above) {
                    let through = self.formulas.and(condition, above);
                    *below = self.formulas.or(*below, through);
                }
            }
            self.is_below.push(is_below);
        }
    }

    /// Whether an object exists and has one of the types.
    fn fits(&mut self, object: usize, wanted: &Types) -> F::Formula {
        let types = self.heap.objects[object].types.iter();
        let fitting = types.filter(|(exact, _)| wanted.include(self.program, *exact)).map(|(_, condition)| *condition);
        self.formulas.any(fitting)
    }

    /// For each object, the condition of each state of an automaton: for words that start at `origin`, or where the automaton says.
    fn states(&mut self, automaton: usize, origin: Option<usize>) -> Vec<Vec<F::Formula>> {
        let never = self.formulas.constant(false);
        let compiled = &self.invariants.automata()[automaton];
        let mut all: Vec<Vec<F::Formula>> = Vec::new();
        for object in 0..self.heap.objects.len() {
            let mut states = vec![never; compiled.len()];
            for (reference, condition) in discovering(self.heap, object) {
                let reached = self.advance(automaton, origin, reference.place, &all);
                for (state, reached) in states.iter_mut().zip(reached) {
                    let through = self.formulas.and(condition, reached);
                    *state = self.formulas.or(*state, through);
                }
            }
            if let Some(types) = compiled.starts_at()
                && origin.is_none_or(|origin| origin == object)
            {
                let fits = self.fits(object, types);
                states[0] = self.formulas.or(states[0], fits);
            }
            all.push(states);
        }
        all
    }

    /// The states after the reference at `place`.
    fn advance(
        &mut self,
        automaton: usize,
        origin: Option<usize>,
        place: Place,
        states: &[Vec<F::Formula>],
    ) -> Vec<F::Formula> {
        let compiled = &self.invariants.automata()[automaton];
        let mut reached = vec![self.formulas.constant(false); compiled.len()];
        match (place, place.source().and_then(|source| states.get(source.index()))) {
            (Place::Root(root), _) if origin.is_none() && compiled.at_root(root) == START => {
                reached[0] = self.formulas.constant(true);
            }
            (_, Some(states)) => {
                for (state, &condition) in states.iter().enumerate() {
                    let next: States = compiled.advance(self.program, 1 << state, place);
                    for (number, reached) in reached.iter_mut().enumerate() {
                        if next >> number & 1 == 1 {
                            *reached = self.formulas.or(*reached, condition);
                        }
                    }
                }
            }
            _ => {}
        }
        reached
    }

    /// Whether a word ends in one of these states.
    fn accepts(&mut self, automaton: usize, states: &[F::Formula]) -> F::Formula {
        let accepting = self.invariants.automata()[automaton].accepting();
        let parts = states.iter().enumerate().filter(|(state, _)| accepting >> state & 1 == 1);
        self.formulas.any(parts.map(|(_, &condition)| condition))
    }

    /// For each atom, whether a reference violates it.
    fn violated(&mut self) -> Vec<F::Formula> {
        let invariants = self.invariants;
        let mut violated = Vec::new();
        for (id, atom, compiled) in invariants.compiled() {
            let parts = match &atom.requirement {
                Requirement::Aliases(_) | Requirement::AliasesMax(_) => self.misled(id, compiled),
                Requirement::ExpandsToNothing => self.discovered(compiled.path, None),
                Requirement::ExpandsTo(types) => self.discovered(compiled.path, Some(types)),
                Requirement::AliasesNothing => self.aliased(compiled.path, None),
                Requirement::AliasesSome(types) => self.aliased(compiled.path, Some(types)),
                Requirement::NotNull => self.null(compiled.path),
            };
            violated.push(self.formulas.any(parts));
        }
        violated
    }

    /// When a path leads to null.
    fn null(&mut self, path: usize) -> Vec<F::Formula> {
        let states = self.states(path, None);
        let mut parts = Vec::new();
        for reference in &self.heap.references {
            let accepted = self.accepted(path, None, reference.place, &states);
            let leads_to = self.formulas.any(reference.leads_to.iter().map(|(_, condition)| *condition));
            let is_null = self.formulas.but_not(reference.exists, leads_to);
            parts.push(self.formulas.and(accepted, is_null));
        }
        parts
    }

    /// When a path leads to a new object, but not of an allowed type.
    fn discovered(&mut self, path: usize, allowed: Option<&Types>) -> Vec<F::Formula> {
        let states = self.states(path, None);
        let mut parts = Vec::new();
        for (object, states) in states.iter().enumerate() {
            let accepted = self.accepts(path, states);
            let wrong = self.other_type(object, self.exists[object], allowed);
            parts.push(self.formulas.and(accepted, wrong));
        }
        parts
    }

    /// When a path leads to an alias, but not of an allowed type.
    fn aliased(&mut self, path: usize, allowed: Option<&Types>) -> Vec<F::Formula> {
        let states = self.states(path, None);
        let mut parts = Vec::new();
        for reference in &self.heap.references {
            let accepted = self.accepted(path, None, reference.place, &states);
            for (object, alias) in self.aliases(reference) {
                let wrong = self.other_type(object, alias, allowed);
                parts.push(self.formulas.and(accepted, wrong));
            }
        }
        parts
    }

    fn other_type(&mut self, object: usize, condition: F::Formula, allowed: Option<&Types>) -> F::Formula {
        match allowed {
            None => condition,
            Some(types) => {
                let fits = self.fits(object, types);
                self.formulas.but_not(condition, fits)
            }
        }
    }

    fn accepted(&mut self, path: usize, origin: Option<usize>, place: Place, states: &[Vec<F::Formula>]) -> F::Formula {
        let reached = self.advance(path, origin, place, states);
        self.accepts(path, &reached)
    }

    /// The objects that a reference leads to and does not discover, each with a condition.
    fn aliases(&mut self, reference: &Reference<F::Formula>) -> Vec<(usize, F::Formula)> {
        let mut aliases = Vec::new();
        for &(object, leads_to) in &reference.leads_to {
            let discovered = reference.discovers.iter().filter(|(new, _)| *new == object);
            let discovered = self.formulas.any(discovered.map(|(_, condition)| *condition));
            aliases.push((object.index(), self.formulas.but_not(leads_to, discovered)));
        }
        aliases
    }

    /// When a path leads to an alias of an object that was not found through the second path of an atom.
    fn misled(&mut self, id: AtomId, Compiled { path, target }: Compiled) -> Vec<F::Formula> {
        let Some(second) = target else { return Vec::new() };
        let is_max = matches!(self.invariants.atoms()[id.index()].requirement, Requirement::AliasesMax(_));
        let is_rooted = self.invariants.automata()[second].root().is_some();
        let origins: Vec<Option<usize>> =
            if is_rooted { vec![None] } else { (0..self.heap.objects.len()).map(Some).collect() };
        let mut parts = Vec::new();
        for origin in origins {
            let states = self.states(path, origin);
            let found: Vec<F::Formula> =
                self.states(second, origin).iter().map(|states| self.accepts(second, states)).collect();
            for reference in &self.heap.references {
                let accepted = self.accepted(path, origin, reference.place, &states);
                for (object, alias) in self.aliases(reference) {
                    let is_right = match is_max {
                        true => {
                            let longer = self.longer(object, &found);
                            self.formulas.but_not(found[object], longer)
                        }
                        false => found[object],
                    };
                    let wrong = self.formulas.but_not(alias, is_right);
                    parts.push(self.formulas.and(accepted, wrong));
                }
            }
        }
        parts
    }

    /// Whether a path through an object leads on to another one that is found, too.
    fn longer(&mut self, object: usize, found: &[F::Formula]) -> F::Formula {
        let mut longer = Vec::new();
        for (other, &found) in found.iter().enumerate().filter(|(other, _)| *other != object) {
            longer.push(self.formulas.and(self.is_below[other][object], found));
        }
        self.formulas.any(longer)
    }
}

/// The references that may discover an object, each with its condition.
fn discovering<F: Copy>(heap: &Conditional<F>, object: usize) -> impl Iterator<Item = (&Reference<F>, F)> {
    heap.references.iter().flat_map(move |reference| {
        let new = reference.discovers.iter().filter(move |(new, _)| new.index() == object);
        new.map(move |&(_, condition)| (reference, condition))
    })
}
