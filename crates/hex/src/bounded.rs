//! Bounded model finding: says in propositional logic that a partial heap can be completed, with at most a given number of objects
//! (the technique "Alloy" of paper 3, section 5).

use crate::conditional::{Conditional, Formulas, Object, Reference, may_hold};
use crate::{Invariants, ObjectNumber, Partial, Place, RootId};
use aback_ir::{ClassId, Program, Type};
use rustc_hash::FxHashSet;

/// Most exact types of new objects.
const MOST_TYPES: usize = 12;

/// A formula that has a model if and only if a refinement of the partial heap and its backbone satisfies the sentences, with at
/// most `scope` objects, or as many as are known if these are more. `None` if objects of too many types are possible, so that the formula
/// would leave some out.
///
/// Only references are considered that a path expression can name: the others may be null. Elements of arrays that are not known stay
/// unknown, which can only make the formula weaker.
pub fn completion<F: Formulas>(
    formulas: &mut F,
    invariants: &Invariants,
    program: &Program,
    partial: &Partial,
    scope: usize,
) -> Option<F::Formula> {
    let mut finder = Finder { formulas, invariants, program, heap: Conditional::default(), rules: Vec::new() };
    finder.know(partial);
    let known = finder.heap.objects.len();
    let open = finder.open_places(partial);
    let types = finder.types_of_new(&open)?;
    for _ in known..scope {
        let types = types.iter().map(|&exact| (exact, finder.formulas.variable())).collect();
        finder.heap.objects.push(Object { types });
    }
    let truth = finder.formulas.constant(true);
    for (place, declared) in open {
        finder.open(place, declared, truth, known);
    }
    for object in known..finder.heap.objects.len() {
        for (exact, exists) in finder.heap.objects[object].types.clone() {
            for (place, declared) in finder.places(ObjectNumber(object as u32), exact) {
                finder.open(place, declared, exists, known);
            }
        }
    }
    finder.discover(known);
    let sentences = may_hold(finder.formulas, invariants, program, &finder.heap, true);
    let Finder { formulas, rules, .. } = finder;
    let shape = formulas.all(rules);
    Some(formulas.and(shape, sentences))
}

struct Finder<'a, F: Formulas> {
    formulas: &'a mut F,
    invariants: &'a Invariants,
    program: &'a Program,
    heap: Conditional<F::Formula>,
    /// What makes the variables a heap.
    rules: Vec<F::Formula>,
}

impl<F: Formulas> Finder<'_, F> {
    /// Adds the objects and references that are known.
    fn know(&mut self, partial: &Partial) {
        let truth = self.formulas.constant(true);
        let types = partial.heap();
        self.heap.objects = types.types().iter().map(|&exact| Object { types: vec![(exact, truth)] }).collect();
        for (place, target, is_new) in partial.references() {
            let leads_to: Vec<_> = target.map(|object| (object, truth)).into_iter().collect();
            let discovers = if is_new { leads_to.clone() } else { Vec::new() };
            self.heap.references.push(Reference { place, exists: truth, leads_to, discovers });
        }
    }

    /// The places whose references are not known, with their declared types.
    fn open_places(&self, partial: &Partial) -> Vec<(Place, Type)> {
        let heap = partial.heap();
        let decided: FxHashSet<Place> = heap.references().iter().map(|reference| reference.place).collect();
        let roots = self.invariants.roots().iter().enumerate();
        let roots = roots.map(|(root, (_, ty))| (Place::Root(RootId(root as u32)), *ty));
        // A root without a name stands for the environment, and has no type of its own.
        let roots = roots.filter(|(_, ty)| ty.is_reference() && *ty != Type::Null);
        let objects = heap.types().iter().enumerate();
        let fields = objects.flat_map(|(object, &exact)| self.places(ObjectNumber(object as u32), exact));
        roots.chain(fields).filter(|(place, _)| !decided.contains(place)).collect()
    }

    /// The places of references in objects of a type that a path expression can name, with their declared types.
    fn places(&self, object: ObjectNumber, exact: Type) -> Vec<(Place, Type)> {
        let Type::Class(class) = exact else { return Vec::new() };
        let fields = self.program.instance_fields(class).into_iter().map(|field| (field, self.program.field(field).ty));
        let places = fields.filter(|(_, ty)| ty.is_reference()).map(|(field, ty)| (Place::Field(object, field), ty));
        places.filter(|&(place, _)| self.invariants.name(self.program, place)).collect()
    }

    /// The exact types of objects to which references at open places, and those of such objects, can lead. `None` if there are too many.
    fn types_of_new(&self, open: &[(Place, Type)]) -> Option<Vec<Type>> {
        let mut declared: Vec<Type> = open.iter().map(|(_, ty)| *ty).collect();
        let mut types: Vec<Type> = Vec::new();
        let mut seen: FxHashSet<Type> = FxHashSet::default();
        let is_made = |&class: &ClassId| {
            let class = self.program.class(class);
            !class.is_abstract && !class.is_interface
        };
        while let Some(ty) = declared.pop() {
            if !seen.insert(ty) {
                continue;
            }
            let possible: Vec<Type> = match ty {
                Type::Class(class) => {
                    self.program.subclasses(class).into_iter().filter(is_made).map(Type::Class).collect()
                }
                other => vec![other],
            };
            for exact in possible {
                if !types.contains(&exact) {
                    types.push(exact);
                    declared.extend(self.places(ObjectNumber(0), exact).into_iter().map(|(_, ty)| ty));
                }
            }
            if types.len() > MOST_TYPES {
                return None;
            }
        }
        Some(types)
    }

    /// Adds a reference that can be anything, if its object has such a field.
    fn open(&mut self, place: Place, declared: Type, exists: F::Formula, known: usize) {
        let (mut leads_to, mut discovers) = (Vec::new(), Vec::new());
        for object in 0..self.heap.objects.len() {
            let number = ObjectNumber(object as u32);
            let types = self.heap.objects[object].types.iter();
            let fitting = types.filter(|(exact, _)| self.program.is_assignable(*exact, declared));
            let fits = self.formulas.any(fitting.map(|(_, condition)| *condition));
            let chosen = self.formulas.variable();
            let leads = self.formulas.all([chosen, fits, exists]);
            leads_to.push((number, leads));
            if object >= known && place.source().is_none_or(|source| source < number) {
                let is_first = self.formulas.variable();
                discovers.push((number, self.formulas.and(is_first, leads)));
            }
        }
        self.at_most_one(leads_to.iter().map(|(_, condition)| *condition).collect());
        self.heap.references.push(Reference { place, exists, leads_to, discovers });
    }

    fn at_most_one(&mut self, parts: Vec<F::Formula>) {
        let mut before = self.formulas.constant(false);
        for part in parts {
            let both = self.formulas.and(before, part);
            self.rules.push(self.formulas.not(both));
            before = self.formulas.or(before, part);
        }
    }

    /// Each new object has at most one type, and if it has one, one reference discovers it.
    fn discover(&mut self, known: usize) {
        let mut before = self.formulas.constant(true);
        for object in known..self.heap.objects.len() {
            let types: Vec<F::Formula> =
                self.heap.objects[object].types.iter().map(|(_, condition)| *condition).collect();
            let exists = self.formulas.any(types.iter().copied());
            self.at_most_one(types);
            let new = self.heap.references.iter().flat_map(|reference| &reference.discovers);
            let new = new.filter(|(new, _)| new.index() == object).map(|(_, condition)| *condition);
            let discovering: Vec<F::Formula> = new.collect();
            let is_discovered = self.formulas.any(discovering.iter().copied());
            self.at_most_one(discovering);
            // With gaps between the numbers of the objects, the same heap would be counted twice.
            for needed in [is_discovered, before] {
                let lacks = self.formulas.but_not(exists, needed);
                self.rules.push(self.formulas.not(lacks));
            }
            before = exists;
        }
    }
}
