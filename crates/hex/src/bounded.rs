//! Bounded model finding: says in propositional logic that a partial heap can be completed, with at most a given number of objects
//! (the technique "Alloy" of paper 3, section 5).
//!
//! [`completion`] makes one formula from a [`Partial`]. A model of it is a heap with these objects, and a backbone that goes on from the
//! known one, on which the sentences hold. New objects are numbered such that each is discovered through an object with a smaller
//! number, so that backbones have no cycles. Only references are new that a path expression can name: others may be null.

use crate::automaton::{START, States};
use crate::invariants::Compiled;
use crate::{AtomId, Invariants, ObjectNumber, Partial, Place, Requirement, RootId, Sentence};
use aback_ir::{Program, Type};
use rustc_hash::FxHashSet;

/// Most exact types of new objects.
const MOST_TYPES: usize = 12;

/// Makes formulas of propositional logic.
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
}

/// A formula that has a model if and only if a refinement of the partial heap and its backbone satisfies the sentences, with at
/// most `scope` objects, or as many as are known if these are more. `None` if objects of too many types are possible, so that the formula
/// would leave some out.
///
/// Elements of arrays that are not known stay unknown, which can only make the formula weaker.
pub fn completion<F: Formulas>(
    formulas: &mut F,
    invariants: &Invariants,
    program: &Program,
    partial: &Partial,
    scope: usize,
) -> Option<F::Formula> {
    let mut finder = Finder::new(formulas, invariants, program, partial, scope)?;
    finder.shape();
    finder.follow();
    let violated: Vec<F::Formula> = finder.violated();
    let sentences = invariants.sentences().iter();
    let sentences: Vec<F::Formula> = sentences.map(|sentence| finder.sentence(sentence, &violated)).collect();
    for sentence in sentences {
        finder.require(sentence);
    }
    Some(finder.all)
}

/// A place whose reference is not known.
struct Open<Formula> {
    place: Place,
    /// Whether the place exists: its object has a type with this field.
    exists: Formula,
    /// For each object, whether the reference leads to it, and whether it discovers it.
    leads_to: Vec<Formula>,
    discovers: Vec<Formula>,
}

/// The states of one automaton, each with its condition.
type Conditions<Formula> = Vec<Formula>;

struct Finder<'a, F: Formulas> {
    formulas: &'a mut F,
    invariants: &'a Invariants,
    program: &'a Program,
    partial: &'a Partial,
    /// Number of known objects.
    known: usize,
    /// The exact types of new objects, and for each object the condition of each type.
    types: Vec<Type>,
    is_of: Vec<Vec<F::Formula>>,
    exists: Vec<F::Formula>,
    open: Vec<Open<F::Formula>>,
    /// For each automaton and object, the states after the backbone path.
    states: Vec<Vec<Conditions<F::Formula>>>,
    /// For each object and possible ancestor, itself included, whether it is one.
    is_below: Vec<Vec<F::Formula>>,
    /// What a model has to satisfy.
    all: F::Formula,
}

/// The places of references in objects of a type that a path expression can name, with their declared types.
fn places(invariants: &Invariants, program: &Program, object: ObjectNumber, exact: Type) -> Vec<(Place, Type)> {
    let Type::Class(class) = exact else { return Vec::new() };
    let fields = program.instance_fields(class).into_iter().map(|field| (field, program.field(field).ty));
    let places = fields.filter(|(_, ty)| ty.is_reference()).map(|(field, ty)| (Place::Field(object, field), ty));
    places.filter(|&(place, _)| invariants.automata().iter().any(|automaton| automaton.names(program, place))).collect()
}

/// The exact types of objects to which new references can lead. `None` if there are too many.
fn types_of_new(invariants: &Invariants, program: &Program, mut declared: Vec<Type>) -> Option<Vec<Type>> {
    let mut types: Vec<Type> = Vec::new();
    let mut seen: FxHashSet<Type> = FxHashSet::default();
    while let Some(ty) = declared.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let possible: Vec<Type> = match ty {
            Type::Class(class) => {
                let is_made = |&class: &aback_ir::ClassId| {
                    let class = program.class(class);
                    !class.is_abstract && !class.is_interface
                };
                program.subclasses(class).into_iter().filter(is_made).map(Type::Class).collect()
            }
            other => vec![other],
        };
        for exact in possible {
            if !types.contains(&exact) {
                types.push(exact);
                declared.extend(places(invariants, program, ObjectNumber(0), exact).into_iter().map(|(_, ty)| ty));
            }
        }
        if types.len() > MOST_TYPES {
            return None;
        }
    }
    Some(types)
}

impl<'a, F: Formulas> Finder<'a, F> {
    fn new(
        formulas: &'a mut F,
        invariants: &'a Invariants,
        program: &'a Program,
        partial: &'a Partial,
        scope: usize,
    ) -> Option<Finder<'a, F>> {
        let heap = partial.heap();
        let known = heap.types().len();
        let decided: FxHashSet<Place> = heap.references().iter().map(|reference| reference.place).collect();
        let roots =
            invariants.roots().iter().enumerate().map(|(root, (_, ty))| (Place::Root(RootId(root as u32)), *ty));
        // A root without a name stands for the environment, and has no type of its own.
        let roots = roots.filter(|(_, ty)| ty.is_reference() && *ty != Type::Null);
        let fields = heap.types().iter().enumerate();
        let fields =
            fields.flat_map(|(object, &exact)| places(invariants, program, ObjectNumber(object as u32), exact));
        let unknown: Vec<(Place, Type)> = roots.chain(fields).filter(|(place, _)| !decided.contains(place)).collect();
        let types = types_of_new(invariants, program, unknown.iter().map(|(_, ty)| *ty).collect())?;
        let (truth, never) = (formulas.constant(true), formulas.constant(false));
        let mut is_of: Vec<Vec<F::Formula>> = Vec::new();
        for &exact in heap.types() {
            is_of.push(types.iter().map(|&ty| if ty == exact { truth } else { never }).collect());
        }
        for _ in known..scope {
            is_of.push(types.iter().map(|_| formulas.variable()).collect());
        }
        let mut finder = Finder {
            formulas,
            invariants,
            program,
            partial,
            known,
            types,
            is_of,
            exists: vec![truth; known],
            open: Vec::new(),
            states: Vec::new(),
            is_below: Vec::new(),
            all: truth,
        };
        for object in known..finder.is_of.len() {
            let exists = finder.any(&finder.is_of[object].clone());
            finder.exists.push(exists);
        }
        finder.open = unknown.into_iter().map(|(place, declared)| finder.opened(place, declared, truth)).collect();
        for object in known..finder.is_of.len() {
            for (index, exact) in finder.types.clone().into_iter().enumerate() {
                let number = ObjectNumber(object as u32);
                for (place, declared) in places(invariants, program, number, exact) {
                    let exists = finder.is_of[object][index];
                    let opened = finder.opened(place, declared, exists);
                    finder.open.push(opened);
                }
            }
        }
        Some(finder)
    }

    fn objects(&self) -> std::ops::Range<usize> {
        0..self.is_of.len()
    }

    fn opened(&mut self, place: Place, declared: Type, exists: F::Formula) -> Open<F::Formula> {
        let never = self.formulas.constant(false);
        let (mut leads_to, mut discovers) = (Vec::new(), Vec::new());
        let source = place.source().map(ObjectNumber::index);
        for object in self.objects() {
            let fits = self.fits(object, declared);
            let leads = self.formulas.variable();
            leads_to.push(self.both(&[leads, fits, exists]));
            // A new object is discovered through one with a smaller number.
            let may_discover = object >= self.known && source.is_none_or(|source| source < object);
            let discovering = if may_discover { self.formulas.variable() } else { never };
            discovers.push(self.both(&[discovering, leads, fits, exists]));
        }
        Open { place, exists, leads_to, discovers }
    }

    /// Whether an object exists and has a type.
    fn fits(&mut self, object: usize, ty: Type) -> F::Formula {
        if let Some(exact) = self.partial.exact_type(ObjectNumber(object as u32)) {
            return self.formulas.constant(self.program.is_assignable(exact, ty));
        }
        let fitting = self.types.iter().zip(&self.is_of[object]);
        let fitting = fitting.filter(|(exact, _)| self.program.is_assignable(**exact, ty)).map(|(_, &is)| is);
        let fitting: Vec<F::Formula> = fitting.collect();
        self.any(&fitting)
    }

    fn any(&mut self, parts: &[F::Formula]) -> F::Formula {
        let never = self.formulas.constant(false);
        parts.iter().fold(never, |any, &part| self.formulas.or(any, part))
    }

    fn both(&mut self, parts: &[F::Formula]) -> F::Formula {
        let truth = self.formulas.constant(true);
        parts.iter().fold(truth, |all, &part| self.formulas.and(all, part))
    }

    fn but_not(&mut self, part: F::Formula, excluded: F::Formula) -> F::Formula {
        let not = self.formulas.not(excluded);
        self.formulas.and(part, not)
    }

    fn require(&mut self, formula: F::Formula) {
        self.all = self.formulas.and(self.all, formula);
    }

    fn at_most_one(&mut self, parts: &[F::Formula]) {
        let mut before = self.formulas.constant(false);
        for &part in parts {
            let both = self.formulas.and(before, part);
            let not = self.formulas.not(both);
            self.require(not);
            before = self.formulas.or(before, part);
        }
    }

    /// Each reference leads to at most one object. Each new object has one type, and one reference discovers it.
    fn shape(&mut self) {
        for open in 0..self.open.len() {
            let leads_to = self.open[open].leads_to.clone();
            self.at_most_one(&leads_to);
        }
        for object in self.known..self.is_of.len() {
            let types = self.is_of[object].clone();
            self.at_most_one(&types);
            let discovered: Vec<F::Formula> = self.open.iter().map(|open| open.discovers[object]).collect();
            self.at_most_one(&discovered);
            let is_discovered = self.any(&discovered);
            let lost = self.but_not(self.exists[object], is_discovered);
            let found = self.formulas.not(lost);
            self.require(found);
            // Objects without a number before them would be the same heap once more.
            if object > self.known {
                let gap = self.but_not(self.exists[object], self.exists[object - 1]);
                let dense = self.formulas.not(gap);
                self.require(dense);
            }
        }
    }

    /// Computes the states and the ancestors of all objects.
    fn follow(&mut self) {
        let (truth, never) = (self.formulas.constant(true), self.formulas.constant(false));
        for object in self.objects() {
            let mut is_below = vec![never; self.is_of.len()];
            if object < self.known {
                let mut ancestor = Some(ObjectNumber(object as u32));
                while let Some(number) = ancestor {
                    is_below[number.index()] = truth;
                    ancestor = self.partial.discovered_through(number).and_then(Place::source);
                }
            } else {
                is_below[object] = self.exists[object];
                for open in 0..self.open.len() {
                    let discovers = self.open[open].discovers[object];
                    let Some(source) = self.open[open].place.source() else { continue };
                    // Only smaller numbers discover it.
                    for ancestor in 0..object.min(self.is_below.len()) {
                        let Some(&above) = self.is_below.get(source.index()).map(|above| &above[ancestor]) else {
                            continue;
                        };
                        let through = self.formulas.and(discovers, above);
                        is_below[ancestor] = self.formulas.or(is_below[ancestor], through);
                    }
                }
            }
            self.is_below.push(is_below);
        }
        for automaton in 0..self.invariants.automata().len() {
            let states = self.states_from(automaton, None);
            self.states.push(states);
        }
    }

    /// The states of an automaton at each object: of words that start at `origin`, or where the automaton says.
    fn states_from(&mut self, automaton: usize, origin: Option<usize>) -> Vec<Conditions<F::Formula>> {
        let never = self.formulas.constant(false);
        let invariants = self.invariants;
        let compiled = &invariants.automata()[automaton];
        let mut all: Vec<Conditions<F::Formula>> = Vec::new();
        for object in self.objects() {
            let number = ObjectNumber(object as u32);
            let mut states = vec![never; compiled.len()];
            if object < self.known {
                match self.partial.discovered_through(number) {
                    Some(place) => states = self.advance(automaton, origin, place, &all),
                    None => {}
                }
            } else {
                for open in 0..self.open.len() {
                    let place = self.open[open].place;
                    if place.source().is_some_and(|source| source.index() >= object) {
                        continue;
                    }
                    let discovers = self.open[open].discovers[object];
                    let reached = self.advance(automaton, origin, place, &all);
                    for (state, reached) in states.iter_mut().zip(reached) {
                        let through = self.formulas.and(discovers, reached);
                        *state = self.formulas.or(*state, through);
                    }
                }
            }
            if origin.is_none_or(|origin| origin == object)
                && let Some(ty) = compiled.starts_at()
            {
                let fits = self.fits(object, ty);
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
        states: &[Conditions<F::Formula>],
    ) -> Conditions<F::Formula> {
        let invariants = self.invariants;
        let compiled = &invariants.automata()[automaton];
        let never = self.formulas.constant(false);
        let mut reached = vec![never; compiled.len()];
        match (place, place.source()) {
            (Place::Root(root), _) => {
                if origin.is_none() && compiled.at_root(root) == START {
                    reached[0] = self.formulas.constant(true);
                }
            }
            (_, Some(source)) => {
                for (state, &condition) in states[source.index()].iter().enumerate() {
                    let next: States = compiled.advance(self.program, 1 << state, place);
                    for (number, reached) in reached.iter_mut().enumerate() {
                        if next >> number & 1 == 1 {
                            *reached = self.formulas.or(*reached, condition);
                        }
                    }
                }
            }
            (_, None) => {}
        }
        reached
    }

    fn accepts(&mut self, automaton: usize, states: &[F::Formula]) -> F::Formula {
        let accepting = self.invariants.automata()[automaton].accepting();
        let parts = states.iter().enumerate().filter(|(state, _)| accepting >> state & 1 == 1);
        let parts: Vec<F::Formula> = parts.map(|(_, &condition)| condition).collect();
        self.any(&parts)
    }

    /// For each atom, whether a reference violates it.
    fn violated(&mut self) -> Vec<F::Formula> {
        let invariants = self.invariants;
        let mut violated = Vec::new();
        for (id, atom, compiled) in invariants.compiled() {
            let mut parts = vec![self.formulas.constant(self.partial.violates(id))];
            match &atom.requirement {
                Requirement::Aliases(_) | Requirement::AliasesMax(_) => self.misled(id, compiled, &mut parts),
                requirement => self.forbidden(requirement, compiled.path, &mut parts),
            }
            violated.push(self.any(&parts));
        }
        violated
    }

    /// When a reference violates an atom with one path.
    fn forbidden(&mut self, requirement: &Requirement, path: usize, parts: &mut Vec<F::Formula>) {
        let is_new = match requirement {
            Requirement::ExpandsToNothing => Some(None),
            Requirement::ExpandsTo(ty) => Some(Some(*ty)),
            _ => None,
        };
        if let Some(allowed) = is_new {
            for object in self.known..self.is_of.len() {
                let states = self.states[path][object].clone();
                let accepted = self.accepts(path, &states);
                let fits = allowed.map(|ty| self.fits(object, ty));
                let wrong = match fits {
                    Some(fits) => self.but_not(self.exists[object], fits),
                    None => self.exists[object],
                };
                parts.push(self.formulas.and(accepted, wrong));
            }
            return;
        }
        for open in 0..self.open.len() {
            let reached = self.advance(path, None, self.open[open].place, &self.states[path].clone());
            let accepted = self.accepts(path, &reached);
            let wrong = match requirement {
                Requirement::NotNull => {
                    let leads_to = self.any(&self.open[open].leads_to.clone());
                    self.but_not(self.open[open].exists, leads_to)
                }
                _ => {
                    let mut aliases = Vec::new();
                    for object in self.objects() {
                        let alias = self.alias(open, object);
                        aliases.push(match requirement {
                            Requirement::AliasesSome(ty) => {
                                let fits = self.fits(object, *ty);
                                self.but_not(alias, fits)
                            }
                            _ => alias,
                        });
                    }
                    self.any(&aliases)
                }
            };
            parts.push(self.formulas.and(accepted, wrong));
        }
    }

    /// Whether the reference at an open place leads to an object that another one discovered.
    fn alias(&mut self, open: usize, object: usize) -> F::Formula {
        let Open { leads_to, discovers, .. } = &self.open[open];
        let (leads_to, discovers) = (leads_to[object], discovers[object]);
        self.but_not(leads_to, discovers)
    }

    /// When an alias leads to an object that was not found through the second path of an atom.
    fn misled(&mut self, id: AtomId, Compiled { path, target }: Compiled, parts: &mut Vec<F::Formula>) {
        let Some(second) = target else { return };
        let is_max = matches!(self.invariants.atoms()[id.index()].requirement, Requirement::AliasesMax(_));
        let is_rooted = self.invariants.automata()[second].root().is_some();
        let origins: Vec<Option<usize>> = if is_rooted { vec![None] } else { self.objects().map(Some).collect() };
        for origin in origins {
            let first = self.states_from(path, origin);
            let found: Vec<F::Formula> =
                self.states_from(second, origin).into_iter().map(|states| self.accepts(second, &states)).collect();
            for open in 0..self.open.len() {
                let reached = self.advance(path, origin, self.open[open].place, &first);
                let accepted = self.accepts(path, &reached);
                for object in self.objects() {
                    let alias = self.alias(open, object);
                    let wrong = self.but_not(alias, found[object]);
                    let mut wrong = vec![wrong];
                    if is_max {
                        let longer = self.longer(object, &found);
                        wrong.push(self.formulas.and(alias, longer));
                    }
                    let wrong = self.any(&wrong);
                    parts.push(self.formulas.and(accepted, wrong));
                }
            }
            // What was maximal may become longer.
            for target in self.partial.maximal_targets(id, origin.map(|origin| ObjectNumber(origin as u32))) {
                parts.push(self.longer(target.index(), &found));
            }
        }
    }

    /// Whether a path through an object leads on to another one that is found, too.
    fn longer(&mut self, object: usize, found: &[F::Formula]) -> F::Formula {
        let mut longer = Vec::new();
        for other in self.objects().filter(|&other| other != object) {
            let is_below = self.is_below[other][object];
            longer.push(self.formulas.and(is_below, found[other]));
        }
        self.any(&longer)
    }

    fn sentence(&mut self, sentence: &Sentence, violated: &[F::Formula]) -> F::Formula {
        match sentence {
            Sentence::Atom(id) => self.formulas.not(violated[id.index()]),
            Sentence::Not(sentence) => {
                let part = self.sentence(sentence, violated);
                self.formulas.not(part)
            }
            Sentence::And(parts) => {
                let parts: Vec<F::Formula> = parts.iter().map(|part| self.sentence(part, violated)).collect();
                self.both(&parts)
            }
            Sentence::Or(parts) => {
                let parts: Vec<F::Formula> = parts.iter().map(|part| self.sentence(part, violated)).collect();
                self.any(&parts)
            }
            Sentence::Implies(premise, conclusion) => {
                let premise = self.sentence(premise, violated);
                let conclusion = self.sentence(conclusion, violated);
                let not = self.formulas.not(premise);
                self.formulas.or(not, conclusion)
            }
        }
    }
}
