//! Decides invariants on finished heaps for every order of discovery (paper 3, definition 3.4).
//!
//! A conjunction of atoms holds for every backbone if no backbone violates an atom. Whether a reference violates an
//! atom depends on a small part of the backbone: on the path to its source; for aliases also on the path to the
//! target; for `aliases max` also on a path that leads on from there. As all objects can be reached from the roots,
//! each tree of such paths is part of a backbone. It is therefore enough to search for paths without repeated objects that
//! form a tree, and to check the references at their ends, instead of listing all spanning trees.
//!
//! A reference is an alias in a backbone that contains a given path to its source if its target lies on the path, or if
//! another path, which shares a beginning with the given one and then no object, leads to the target.
//!
//! Other sentences are evaluated on each spanning tree.

use crate::{
    AtomId, Heap, Invariants, Meaning, ObjectNumber, Partial, Place, Requirement, Sentence, TooLarge, Triggered, Truth,
};
use aback_ir::Program;
use rustc_hash::FxHashSet;

/// The most objects of a heap, so that the recursion over paths is bounded.
const MAX_OBJECTS: usize = 1000;

/// Whether the invariants hold for every backbone of a heap.
///
/// # Errors
/// If it takes more than `limit` steps to find out, or if the heap has more than 1000 objects. If each object can be
/// reached in one way only, there are about as many steps as references.
pub fn holds_for_every_order(
    invariants: &Invariants,
    program: &Program,
    heap: &Heap,
    limit: usize,
) -> Result<bool, TooLarge> {
    let tree = Tree::new(invariants, heap)?;
    let (atoms, others): (Vec<&Sentence>, Vec<&Sentence>) =
        invariants.sentences().iter().partition(|sentence| sentence.is_conjunction());
    let mut search = Search::new(invariants, program, heap, limit);
    for sentence in atoms {
        sentence.for_each_atom(&mut |atom| search.require(atom.index()));
    }
    if search.is_needed() && !search.paths(&tree, None)? {
        return Ok(false);
    }
    Ok(others.is_empty() || search.every_tree(&tree, &others)?)
}

/// The companion methods that references of a heap trigger in some order of discovery, with the objects of the heap.
///
/// # Errors
/// The same as those of [`holds_for_every_order`].
pub fn triggered_in_some_order(
    invariants: &Invariants,
    program: &Program,
    heap: &Heap,
    limit: usize,
) -> Result<FxHashSet<Triggered>, TooLarge> {
    let tree = Tree::new(invariants, heap)?;
    let companions = (0..).map(AtomId).zip(invariants.atoms()).filter(|(_, atom)| atom.companion.is_some());
    let companions: Vec<AtomId> = companions.map(|(id, _)| id).collect();
    let mut found = FxHashSet::default();
    if !companions.is_empty() {
        Search::new(invariants, program, heap, limit).triggered(&tree, None, &companions, &mut found)?;
    }
    Ok(found)
}

/// A part of a backbone.
#[derive(Clone)]
struct Tree {
    partial: Partial,
    /// The number in `partial` of each object of the heap that is in the tree.
    numbers: Vec<Option<ObjectNumber>>,
    /// The indices of the references that discover the objects of the tree.
    used: Vec<usize>,
}

impl Tree {
    /// The empty tree, in a heap that is not too large.
    fn new(invariants: &Invariants, heap: &Heap) -> Result<Tree, TooLarge> {
        if heap.types().len() > MAX_OBJECTS {
            return Err(TooLarge);
        }
        Ok(Tree { partial: Partial::new(invariants), numbers: vec![None; heap.types().len()], used: vec![] })
    }

    /// The object of the heap with a number in `partial`.
    fn object(&self, number: ObjectNumber) -> Option<ObjectNumber> {
        let position = self.numbers.iter().position(|&known| known == Some(number));
        position.map(|position| ObjectNumber(position as u32))
    }
}

struct Search<'h> {
    invariants: &'h Invariants,
    program: &'h Program,
    heap: &'h Heap,
    /// The references of the roots, and of each object.
    from_roots: Vec<usize>,
    from_objects: Vec<Vec<usize>>,
    /// The references to each object.
    to_objects: Vec<Vec<usize>>,
    /// Which atoms must not be violated.
    required: Vec<bool>,
    has_aliases: bool,
    has_max: bool,
    steps: usize,
}

impl<'h> Search<'h> {
    fn new(invariants: &'h Invariants, program: &'h Program, heap: &'h Heap, steps: usize) -> Self {
        let mut search = Search {
            invariants,
            program,
            heap,
            from_roots: vec![],
            from_objects: vec![vec![]; heap.types().len()],
            to_objects: vec![vec![]; heap.types().len()],
            required: vec![false; invariants.atoms().len()],
            has_aliases: false,
            has_max: false,
            steps,
        };
        for (index, reference) in heap.references().iter().enumerate() {
            match reference.place.source() {
                None => search.from_roots.push(index),
                Some(source) => search.from_objects[source.index()].push(index),
            }
            if let Some(target) = reference.target {
                search.to_objects[target.index()].push(index);
            }
        }
        search
    }

    fn require(&mut self, atom: usize) {
        let (Some(required), Some(declared)) = (self.required.get_mut(atom), self.invariants.atoms().get(atom)) else {
            return;
        };
        *required = true;
        match declared.requirement {
            Requirement::NotNull | Requirement::ExpandsToNothing | Requirement::ExpandsTo(_) => {}
            Requirement::AliasesNothing | Requirement::AliasesSome(_) | Requirement::Aliases(_) => {
                self.has_aliases = true;
            }
            Requirement::AliasesMax(_) => (self.has_aliases, self.has_max) = (true, true),
        }
    }

    fn is_needed(&self) -> bool {
        self.required.contains(&true)
    }

    fn references_of(&self, source: Option<ObjectNumber>) -> &[usize] {
        match source {
            None => &self.from_roots,
            Some(object) => &self.from_objects[object.index()],
        }
    }

    fn step(&mut self) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }

    /// Adds a reference of an object in the tree; its target is new if it is not in the tree. `None` if a required atom
    /// is then violated.
    fn add(&mut self, tree: &Tree, index: usize) -> Result<Option<Tree>, TooLarge> {
        self.step()?;
        let mut tree = tree.clone();
        let Some(place) = self.place(&tree, index) else { return Ok(Some(tree)) };
        let target = self.target(index);
        let meaning = match target {
            None => Meaning::Null,
            Some(target) => match tree.numbers[target.index()] {
                Some(number) => Meaning::Alias(number),
                None => Meaning::New(self.heap.types()[target.index()]),
            },
        };
        let added = tree.partial.refer(self.invariants, self.program, place, meaning);
        if let (Ok(Some(new)), Some(target)) = (added, target) {
            tree.used.push(index);
            tree.numbers[target.index()] = Some(new);
        }
        let is_violated = |(index, atom): (usize, &bool)| *atom && tree.partial.violates(AtomId(index as u32));
        let is_violated = self.required.iter().enumerate().any(is_violated);
        Ok((!is_violated).then_some(tree))
    }

    fn is_in(&self, tree: &Tree, object: ObjectNumber) -> bool {
        tree.numbers[object.index()].is_some()
    }

    fn target(&self, index: usize) -> Option<ObjectNumber> {
        self.heap.references()[index].target
    }

    /// Whether no path from `source`, the end of the path that is `tree`, leads to a violation.
    fn paths(&mut self, tree: &Tree, source: Option<ObjectNumber>) -> Result<bool, TooLarge> {
        for index in self.references_of(source).to_vec() {
            let Some(extended) = self.add(tree, index)? else { return Ok(false) };
            let Some(target) = self.target(index) else { continue };
            let is_fine = if self.is_in(tree, target) {
                self.is_maximal(&extended, target)?
            } else {
                (!self.may_go_on(&extended, target) || self.paths(&extended, Some(target))?)
                    && (!self.may_alias(tree, index) || self.aliases(tree, index, target)?)
            };
            if !is_fine {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds what references trigger on paths from `source`, the end of the path that is `tree`. Each path without
    /// repeated objects is a part of some backbone.
    fn triggered(
        &mut self,
        tree: &Tree,
        source: Option<ObjectNumber>,
        companions: &[AtomId],
        found: &mut FxHashSet<Triggered>,
    ) -> Result<(), TooLarge> {
        for index in self.references_of(source).to_vec() {
            let Some(extended) = self.add(tree, index)? else { continue };
            let triggered = extended.partial.triggered(self.invariants, self.program).into_iter();
            found.extend(triggered.map(|call| {
                let [origin, reached] = [call.origin, call.reached].map(|number| extended.object(number?));
                Triggered { origin, reached, ..call }
            }));
            let Some(target) = self.target(index).filter(|&target| !self.is_in(tree, target)) else { continue };
            let Some(number) = extended.numbers[target.index()] else { continue };
            let leads_on = |&atom: &AtomId| extended.partial.may_go_on(self.invariants, atom, number);
            if companions.iter().any(leads_on) {
                self.triggered(&extended, Some(target), companions, found)?;
            }
        }
        Ok(())
    }

    /// Whether a path of a required atom may lead on from an object.
    fn may_go_on(&self, tree: &Tree, object: ObjectNumber) -> bool {
        let Some(number) = tree.numbers[object.index()] else { return false };
        let mut required = (0..).map(AtomId).zip(&self.required).filter(|(_, required)| **required);
        required.any(|(atom, _)| tree.partial.may_go_on(self.invariants, atom, number))
    }

    /// Whether a required atom speaks about a reference if it is an alias.
    fn may_alias(&self, tree: &Tree, index: usize) -> bool {
        let Some(place) = self.place(tree, index).filter(|_| self.has_aliases) else { return false };
        let mut required = (0..).map(AtomId).zip(&self.required).filter(|(_, required)| **required);
        required.any(|(atom, _)| tree.partial.is_path_to(self.invariants, self.program, atom, place))
    }

    /// The place of a reference, with the numbers of the tree. `None` if its object is not in the tree.
    fn place(&self, tree: &Tree, index: usize) -> Option<Place> {
        let place = self.heap.references()[index].place;
        match place.source() {
            Some(source) => Some(place.in_object(tree.numbers[source.index()]?)),
            None => Some(place),
        }
    }

    /// Whether a reference with a target outside of the path `tree` violates nothing if another path discovers the
    /// target.
    fn aliases(&mut self, tree: &Tree, index: usize, target: ObjectNumber) -> Result<bool, TooLarge> {
        let ways = self.ways_to(tree, index, target);
        let on_path = (0..tree.numbers.len()).map(|object| ObjectNumber(object as u32));
        let mut branches: Vec<Option<ObjectNumber>> = vec![None];
        branches.extend(on_path.filter(|&object| self.is_in(tree, object)).map(Some));
        for branch in branches {
            if !self.other_paths(tree, branch, index, target, &ways)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The objects outside of the tree from which a reference other than `alias`, or several, lead to the target.
    fn ways_to(&self, tree: &Tree, alias: usize, target: ObjectNumber) -> Vec<bool> {
        let mut ways = vec![false; tree.numbers.len()];
        ways[target.index()] = true;
        let mut pending = vec![target];
        while let Some(object) = pending.pop() {
            for &index in self.to_objects[object.index()].iter().filter(|&&index| index != alias) {
                if let Some(source) = self.heap.references()[index].place.source()
                    && !ways[source.index()]
                    && !self.is_in(tree, source)
                {
                    ways[source.index()] = true;
                    pending.push(source);
                }
            }
        }
        ways
    }

    /// Whether the alias `alias` violates nothing if a path from `from` over objects outside of the tree discovers its
    /// target.
    fn other_paths(
        &mut self,
        tree: &Tree,
        from: Option<ObjectNumber>,
        alias: usize,
        target: ObjectNumber,
        ways: &[bool],
    ) -> Result<bool, TooLarge> {
        for index in self.references_of(from).to_vec() {
            let Some(next) =
                self.target(index).filter(|&next| index != alias && ways[next.index()] && !self.is_in(tree, next))
            else {
                continue;
            };
            let Some(extended) = self.add(tree, index)? else { return Ok(false) };
            let is_fine = if next == target {
                let Some(aliased) = self.add(&extended, alias)? else { return Ok(false) };
                self.is_maximal(&aliased, target)?
            } else {
                self.other_paths(&extended, Some(next), alias, target, ways)?
            };
            if !is_fine {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no path from the target of an alias leads on to objects outside of the tree such that the target is
    /// not the end of a maximal path.
    fn is_maximal(&mut self, tree: &Tree, target: ObjectNumber) -> Result<bool, TooLarge> {
        if !self.has_max {
            return Ok(true);
        }
        for index in self.references_of(Some(target)).to_vec() {
            let Some(next) = self.target(index) else { continue };
            let is_fine = if tree.used.contains(&index) {
                self.is_maximal(tree, next)?
            } else if self.is_in(tree, next) {
                true
            } else {
                let Some(extended) = self.add(tree, index)? else { return Ok(false) };
                self.is_maximal(&extended, next)?
            };
            if !is_fine {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether sentences hold on each spanning tree that contains `tree`.
    fn every_tree(&mut self, tree: &Tree, sentences: &[&Sentence]) -> Result<bool, TooLarge> {
        self.required.fill(false);
        let excluded = vec![false; self.heap.references().len()];
        self.spanning(tree, excluded, sentences)
    }

    /// The same without the excluded references: takes the first reference that leads out of the tree, or excludes it,
    /// if a spanning tree without it exists.
    fn spanning(&mut self, tree: &Tree, mut excluded: Vec<bool>, sentences: &[&Sentence]) -> Result<bool, TooLarge> {
        loop {
            self.step()?;
            let leads_out = |index: &usize| {
                let reference = self.heap.references()[*index];
                !excluded[*index]
                    && reference.place.source().is_none_or(|source| self.is_in(tree, source))
                    && reference.target.is_some_and(|target| !self.is_in(tree, target))
            };
            let Some(next) = (0..excluded.len()).find(leads_out) else {
                return self.holds_on(tree, sentences);
            };
            if let Some(extended) = self.add(tree, next)?
                && !self.spanning(&extended, excluded.clone(), sentences)?
            {
                return Ok(false);
            }
            let all = self.heap.reachable(|_| true);
            excluded[next] = true;
            if self.heap.reachable(|index| !excluded[index]) != all {
                return Ok(true);
            }
        }
    }

    /// Whether sentences hold on a spanning tree.
    fn holds_on(&mut self, tree: &Tree, sentences: &[&Sentence]) -> Result<bool, TooLarge> {
        let mut all = tree.clone();
        for (index, reference) in self.heap.references().iter().enumerate() {
            let is_present = reference.place.source().is_none_or(|source| self.is_in(tree, source));
            if is_present
                && !tree.used.contains(&index)
                && let Some(extended) = self.add(&all, index)?
            {
                all = extended;
            }
        }
        let value = |atom| Truth::from(!all.partial.violates(atom));
        Ok(sentences.iter().all(|sentence| sentence.evaluate(&value) == Truth::True))
    }
}
