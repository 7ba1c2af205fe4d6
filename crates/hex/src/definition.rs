//! Reads definitions 3.2 and 3.4 of paper 3 to the letter, on heaps whose references are all given.
//!
//! This is the measure for [`Partial`](crate::Partial) and [`holds_for_every_order`](crate::holds_for_every_order), and
//! shares no code with them: words are matched by backtracking, and all backbones are listed. Where the definitions
//! leave room, they are read as follows.
//!
//! - References to null belong to the backbone. Otherwise, `not null` would hold always: it asks whether null is among
//!   the targets of backbone paths.
//! - The paths whose maximum `aliases max` takes are those to objects. A path to null at the end of a list would be
//!   longer than the path to its last object, and no alias leads to null.
//! - A path from `any` object continues a backbone path to an object of the type. Both paths of an atom continue the
//!   same backbone path.
//! - Objects that no root leads to count as absent.

use crate::{
    Atom, Heap, Invariants, Label, ObjectNumber, Origin, Path, Place, Reference, Requirement, RootId, Sentence,
};
use crate::{Times, TooLarge, Truth, Types, Words};
use aback_ir::Program;

/// A spanning tree: for each object, the index of the reference that discovers it, among those of the heap.
pub type Backbone = Vec<Option<usize>>;

/// A heap and one of its backbones.
struct Visited<'h> {
    program: &'h Program,
    heap: &'h Heap,
    backbone: &'h [Option<usize>],
}

/// Lists all backbones of a heap. One heap without objects has one backbone.
///
/// # Errors
/// If the choices of a reference for each object, which include those that are not trees, are more than `limit`.
pub fn backbones(heap: &Heap, limit: usize) -> Result<Vec<Backbone>, TooLarge> {
    let present = heap.reachable(|_| true);
    let is_present = |object: ObjectNumber| present.get(object.index()) == Some(&true);
    let mut choices: Vec<Backbone> = vec![vec![None; present.len()]];
    for object in (0..present.len()).filter(|&object| present[object]) {
        let leads_here = |reference: &Reference| {
            reference.target.map(ObjectNumber::index) == Some(object) && reference.place.source().is_none_or(is_present)
        };
        let references = heap.references().iter().enumerate().filter(|(_, reference)| leads_here(reference));
        let incoming: Vec<usize> = references.map(|(index, _)| index).collect();
        if choices.len().saturating_mul(incoming.len()) > limit {
            return Err(TooLarge);
        }
        let extended = choices.iter().flat_map(|choice| {
            incoming.iter().map(move |&reference| {
                let mut choice = choice.clone();
                choice[object] = Some(reference);
                choice
            })
        });
        choices = extended.collect();
    }
    choices.retain(|choice| heap.reachable(|index| choice.contains(&Some(index))) == present);
    Ok(choices)
}

/// Whether a sentence is true for a heap: whether it is for each of its backbones (definition 3.4).
///
/// # Errors
/// If there are more than `limit` choices of backbones.
pub fn holds(
    invariants: &Invariants,
    program: &Program,
    heap: &Heap,
    sentence: &Sentence,
    limit: usize,
) -> Result<bool, TooLarge> {
    let all = backbones(heap, limit)?;
    Ok(all.iter().all(|backbone| holds_on(invariants, program, heap, backbone, sentence)))
}

/// Whether a sentence is true for a heap with this backbone (definition 3.2).
pub fn holds_on(
    invariants: &Invariants,
    program: &Program,
    heap: &Heap,
    backbone: &[Option<usize>],
    sentence: &Sentence,
) -> bool {
    let visited = Visited { program, heap, backbone };
    let atom = |id: crate::AtomId| {
        let atom = invariants.atoms().get(id.index());
        Truth::from(atom.is_some_and(|atom| visited.satisfies(atom)))
    };
    sentence.evaluate(&atom) == Truth::True
}

/// Where the words of a path expression start that lead to the reference with this index: the objects, the nearest
/// first, or `None` for a root.
pub fn origins(
    program: &Program,
    heap: &Heap,
    backbone: &[Option<usize>],
    path: &Path,
    reference: usize,
) -> Vec<Option<ObjectNumber>> {
    let visited = Visited { program, heap, backbone };
    let Some(&Reference { place, .. }) = heap.references().get(reference) else { return Vec::new() };
    let mut references = place.source().map_or_else(Vec::new, |source| visited.path_to(source));
    references.push(reference);
    let starts = visited.origins(path, &references).into_iter().rev();
    let object = |start: usize| visited.heap.references()[references[start.saturating_sub(1)]].target;
    match &path.origin {
        Origin::Root(_) => starts.map(|_| None).collect(),
        Origin::Any(_) => starts.map(object).collect(),
    }
}

impl Visited<'_> {
    fn satisfies(&self, atom: &Atom) -> bool {
        let references = self.heap.references().iter().enumerate();
        let present = self.heap.reachable(|_| true);
        references
            .filter(|(_, reference)| reference.place.source().is_none_or(|source| present[source.index()]))
            .all(|(index, reference)| self.satisfied_by(atom, index, reference))
    }

    fn satisfied_by(&self, atom: &Atom, index: usize, reference: &Reference) -> bool {
        let mut path = reference.place.source().map_or_else(Vec::new, |source| self.path_to(source));
        path.push(index);
        let origins = self.origins(&atom.path, &path);
        if origins.is_empty() {
            return true;
        }
        let is_new = reference.target.is_some_and(|target| self.discovers(index, target));
        let is_of = |target: ObjectNumber, ty: &Types| ty.include(self.program, self.heap.types()[target.index()]);
        match (&atom.requirement, reference.target) {
            (Requirement::NotNull, None) => false,
            (Requirement::NotNull, Some(_)) | (_, None) => true,
            (Requirement::ExpandsToNothing, _) => !is_new,
            (Requirement::ExpandsTo(ty), Some(target)) => !is_new || is_of(target, ty),
            (Requirement::AliasesNothing, _) => is_new,
            (Requirement::AliasesSome(ty), Some(target)) => is_new || is_of(target, ty),
            (Requirement::Aliases(second) | Requirement::AliasesMax(second), Some(target)) => {
                let is_max = matches!(atom.requirement, Requirement::AliasesMax(_));
                is_new || origins.iter().all(|&origin| self.is_reached(target, second, &path[..origin], is_max))
            }
        }
    }

    /// The reference that discovers an object.
    fn discovery(&self, object: ObjectNumber) -> Option<(usize, &Reference)> {
        let index = self.backbone.get(object.index()).copied().flatten()?;
        Some((index, self.heap.references().get(index)?))
    }

    fn discovers(&self, reference: usize, object: ObjectNumber) -> bool {
        self.discovery(object).is_some_and(|(index, _)| index == reference)
    }

    /// The references on the backbone path to an object.
    fn path_to(&self, object: ObjectNumber) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = Some(object);
        while let Some((index, reference)) = next.and_then(|object| self.discovery(object)) {
            path.push(index);
            next = reference.place.source().filter(|_| path.len() <= self.backbone.len());
        }
        path.reverse();
        path
    }

    /// After how many references of a path the words of a path expression can start that end with the path.
    fn origins(&self, expression: &Path, path: &[usize]) -> Vec<usize> {
        let starts = (0..=path.len()).filter(|&start| match &expression.origin {
            Origin::Root(root) => start == 1 && self.starts_at(path, *root),
            Origin::Any(ty) => self.is_object(&path[..start], ty),
        });
        starts.filter(|&start| self.matches(&expression.words, &path[start..])).collect()
    }

    fn starts_at(&self, path: &[usize], root: RootId) -> bool {
        path.first().is_some_and(|&first| self.heap.references()[first].place == Place::Root(root))
    }

    /// Whether a path is a backbone path to an object of the type.
    fn is_object(&self, path: &[usize], ty: &Types) -> bool {
        path.last().is_some_and(|&last| {
            let target = self.heap.references()[last].target;
            target.is_some_and(|target| {
                self.discovers(last, target) && ty.include(self.program, self.heap.types()[target.index()])
            })
        })
    }

    /// Whether the backbone path to `target` is among those of an expression, which start with `origin` if the
    /// expression starts at any object, and whether it is maximal among them if that is required.
    fn is_reached(&self, target: ObjectNumber, expression: &Path, origin: &[usize], is_max: bool) -> bool {
        let is_path = |path: &[usize]| match expression.origin {
            Origin::Root(root) => {
                self.heap.references()[path[0]].place == Place::Root(root)
                    && self.matches(&expression.words, &path[1..])
            }
            Origin::Any(_) => path.strip_prefix(origin).is_some_and(|after| self.matches(&expression.words, after)),
        };
        let present = self.heap.reachable(|_| true);
        let objects = (0..present.len()).filter(|&object| present[object]);
        let paths: Vec<Vec<usize>> =
            objects.map(|object| self.path_to(ObjectNumber(object as u32))).filter(|path| is_path(path)).collect();
        let own = self.path_to(target);
        let extends = |path: &Vec<usize>| path.len() > own.len() && path.starts_with(&own);
        paths.contains(&own) && !(is_max && paths.iter().any(extends))
    }

    fn matches(&self, words: &Words, path: &[usize]) -> bool {
        self.match_then(words, path, &|rest| rest.is_empty())
    }

    /// Whether a word is a prefix of the path, such that `then` accepts the rest.
    fn match_then(&self, words: &Words, path: &[usize], then: &dyn Fn(&[usize]) -> bool) -> bool {
        match words {
            Words::Label(label) => match path {
                [first, rest @ ..] => self.has_label(*first, label) && then(rest),
                [] => false,
            },
            Words::Sequence(parts) => match parts.as_slice() {
                [] => then(path),
                [first, rest @ ..] => {
                    let rest = Words::Sequence(rest.to_vec());
                    self.match_then(first, path, &|after| self.match_then(&rest, after, then))
                }
            },
            Words::Choice(choices) => choices.iter().any(|choice| self.match_then(choice, path, then)),
            Words::Repeat(once, Times::AtMostOne) => then(path) || self.match_then(once, path, then),
            Words::Repeat(once, Times::ZeroOrMore) => {
                // Another round must consume something, so that the search ends.
                let again = |after: &[usize]| after.len() < path.len() && self.match_then(words, after, then);
                then(path) || self.match_then(once, path, &again)
            }
            Words::Repeat(once, Times::OneOrMore) => {
                let more = Words::Repeat(once.clone(), Times::ZeroOrMore);
                self.match_then(once, path, &|after| self.match_then(&more, after, then))
            }
        }
    }

    fn has_label(&self, reference: usize, label: &Label) -> bool {
        label.matches(self.program, self.heap.references()[reference].place)
    }
}
