//! Defines the contents of a file of invariants, with the automata of its paths.

use crate::automaton::Automaton;
use crate::parse::parse;
use crate::{Atom, AtomId, Origin, Path, Place, Requirement, RootId, Sentence, Truth, Types};
use aback_ir::{Diagnostic, FileId, Program, Type};

/// Sentences that all have to hold.
#[derive(Clone, Debug)]
pub struct Invariants {
    roots: Vec<(String, Type)>,
    atoms: Vec<Atom>,
    sentences: Vec<Sentence>,
    /// The automata of all paths. Equal paths share one.
    automata: Vec<Automaton>,
    /// The indices of the automata of each atom.
    compiled: Vec<Compiled>,
}

/// The indices of the automata of an atom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled {
    pub path: usize,
    pub target: Option<usize>,
}

impl Invariants {
    /// Parses the text of the source file `file`. A sentence can name these `roots`: the parameters of an entry
    /// point, and static fields as `Class.field`. No sentence can name a root with an empty name.
    ///
    /// # Errors
    /// Messages with places, at most one for each sentence.
    pub fn parse(
        program: &Program,
        roots: &[(String, Type)],
        file: FileId,
        text: &str,
    ) -> Result<Invariants, Vec<Diagnostic>> {
        parse(program, roots, file, text)
    }

    pub(crate) fn new(atoms: Vec<Atom>, sentences: Vec<Sentence>, roots: Vec<(String, Type)>) -> Invariants {
        let mut paths: Vec<&Path> = Vec::new();
        let mut index_of = |path| {
            paths.iter().position(|known| *known == path).unwrap_or_else(|| {
                paths.push(path);
                paths.len() - 1
            })
        };
        let compiled = atoms.iter().map(|atom| Compiled {
            path: index_of(&atom.path),
            target: atom.requirement.target_path().map(|(path, _)| index_of(path)),
        });
        let compiled = compiled.collect();
        let automata = paths.into_iter().map(Automaton::new).collect();
        Invariants { roots, atoms, sentences, automata, compiled }
    }

    /// The roots that sentences can name.
    pub fn roots(&self) -> &[(String, Type)] {
        &self.roots
    }

    /// The root with this name.
    pub fn root_named(&self, name: &str) -> Option<RootId> {
        self.roots.iter().position(|(root, _)| root == name).map(|index| RootId(index as u32))
    }

    /// All atoms, in the order of the text.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The types that the sentences name.
    pub fn types(&self) -> impl Iterator<Item = &Types> {
        let paths = self.atoms.iter().flat_map(|atom| {
            let target = atom.requirement.target_path().map(|(path, _)| path);
            [Some(&atom.path), target].into_iter().flatten()
        });
        let origins = paths.filter_map(|path| match &path.origin {
            Origin::Any(types) => Some(types),
            Origin::Root(_) => None,
        });
        let required = self.atoms.iter().filter_map(|atom| match &atom.requirement {
            Requirement::ExpandsTo(types) | Requirement::AliasesSome(types) => Some(types),
            _ => None,
        });
        origins.chain(required)
    }

    /// The sentences, in the order of the text.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// Whether a path expression names the reference at `place`.
    pub fn name(&self, program: &Program, place: Place) -> bool {
        self.automata.iter().any(|automaton| automaton.names(program, place))
    }

    pub(crate) fn automata(&self) -> &[Automaton] {
        &self.automata
    }

    /// The atoms with their ids and the indices of their automata.
    pub(crate) fn compiled(&self) -> impl Iterator<Item = (AtomId, &Atom, Compiled)> {
        let both = self.atoms.iter().zip(&self.compiled).enumerate();
        both.map(|(index, (atom, compiled))| (AtomId(index as u32), atom, *compiled))
    }

    pub(crate) fn compiled_atom(&self, atom: AtomId) -> Option<Compiled> {
        self.compiled.get(atom.index()).copied()
    }

    /// The value of all sentences together.
    pub fn evaluate(&self, atom: &impl Fn(AtomId) -> Truth) -> Truth {
        self.sentences.iter().fold(Truth::True, |all, sentence| all.min(sentence.evaluate(atom)))
    }
}
