//! Defines sentences, atoms and paths (paper 3, definitions 3.2 and 3.3).

use crate::Truth;
use crate::names::is_instance;
use aback_ir::{ClassId, FieldId, MethodId, Program, Span, Type};
use std::sync::Arc;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The index in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use index;

index!(
    /// A named root: an index into the list of roots with which invariants were parsed.
    RootId
);
index!(
    /// An atom: an index into [`Invariants::atoms`](crate::Invariants::atoms).
    AtomId
);

/// A propositional formula over atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sentence {
    /// An atom.
    Atom(AtomId),
    /// Negation.
    Not(Box<Sentence>),
    /// Conjunction of two or more sentences.
    And(Vec<Sentence>),
    /// Disjunction of two or more sentences.
    Or(Vec<Sentence>),
    /// Implication of the second sentence by the first.
    Implies(Box<Sentence>, Box<Sentence>),
}

impl Sentence {
    /// The value for given values of the atoms, by Kleene's tables: an unknown value is either of the others.
    pub fn evaluate(&self, atom: &impl Fn(AtomId) -> Truth) -> Truth {
        match self {
            Sentence::Atom(id) => atom(*id),
            Sentence::Not(sentence) => !sentence.evaluate(atom),
            Sentence::And(parts) => parts.iter().fold(Truth::True, |all, part| all.min(part.evaluate(atom))),
            Sentence::Or(parts) => parts.iter().fold(Truth::False, |any, part| any.max(part.evaluate(atom))),
            Sentence::Implies(premise, conclusion) => (!premise.evaluate(atom)).max(conclusion.evaluate(atom)),
        }
    }

    /// Whether the sentence is an atom or a conjunction of such sentences. It holds for every backbone if and only if
    /// each of its atoms does.
    pub fn is_conjunction(&self) -> bool {
        match self {
            Sentence::Atom(_) => true,
            Sentence::And(parts) => parts.iter().all(Sentence::is_conjunction),
            Sentence::Not(_) | Sentence::Or(_) | Sentence::Implies(..) => false,
        }
    }

    /// Calls `see` with each atom, from left to right.
    pub fn for_each_atom(&self, see: &mut impl FnMut(AtomId)) {
        match self {
            Sentence::Atom(id) => see(*id),
            Sentence::Not(sentence) => sentence.for_each_atom(see),
            Sentence::And(parts) | Sentence::Or(parts) => parts.iter().for_each(|part| part.for_each_atom(see)),
            Sentence::Implies(premise, conclusion) => {
                premise.for_each_atom(see);
                conclusion.for_each_atom(see);
            }
        }
    }
}

/// A requirement on the references that a path expression leads to (a HEX formula of definition 3.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// Where the references are.
    pub path: Path,
    /// What they must be.
    pub requirement: Requirement,
    /// The method that is called for each of the references.
    pub companion: Option<MethodId>,
    /// The place in the file of invariants.
    pub span: Span,
}

/// What references must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// No reference is null.
    NotNull,
    /// No reference leads to a newly discovered object.
    ExpandsToNothing,
    /// Newly discovered objects have the type.
    ExpandsTo(Types),
    /// No reference leads to an object that was discovered before.
    AliasesNothing,
    /// Objects that were discovered before have the type.
    AliasesSome(Types),
    /// Objects that were discovered before were discovered through this path.
    Aliases(Path),
    /// Objects that were discovered before were discovered through this path, and no longer path of the same
    /// expression leads on from them.
    AliasesMax(Path),
}

impl Requirement {
    /// The second path, and whether only its maximal paths count.
    pub fn target_path(&self) -> Option<(&Path, bool)> {
        match self {
            Requirement::Aliases(path) => Some((path, false)),
            Requirement::AliasesMax(path) => Some((path, true)),
            _ => None,
        }
    }
}

/// A set of backbone paths: those to an origin, continued by the words of a regular expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Where the words start.
    pub origin: Origin,
    /// The words.
    pub words: Words,
}

/// The types that a sentence names with one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Types {
    /// A type of the program.
    One(Type),
    /// All instances of a generic class, also those that the program loads after its invariants are parsed. The full name
    /// of the class without type arguments: `Map<,>`.
    Instances(Arc<str>),
}

impl Types {
    /// Whether this class is one of the types.
    pub fn name(&self, program: &Program, class: ClassId) -> bool {
        match self {
            Types::One(ty) => *ty == Type::Class(class),
            Types::Instances(generic) => is_instance(program.class_name(class), generic),
        }
    }

    /// Whether an object of this exact type is an instance of one of the types.
    pub fn include(&self, program: &Program, exact: Type) -> bool {
        match (self, exact) {
            (Types::One(ty), _) => program.is_assignable(exact, *ty),
            (Types::Instances(_), Type::Class(class)) => {
                program.supertypes(class).into_iter().any(|class| self.name(program, class))
            }
            (Types::Instances(_), _) => false,
        }
    }

    /// The name as messages show it.
    pub fn show(&self, program: &Program) -> String {
        match self {
            Types::One(ty) => program.show_type(*ty),
            Types::Instances(generic) => generic.to_string(),
        }
    }
}

/// Where the words of a path start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// At what a named root refers to.
    Root(RootId),
    /// At any object of the types. The second path of an atom starts at the same object as the first.
    Any(Types),
}

/// A regular expression over the names of references.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Words {
    /// One reference.
    Label(Label),
    /// One after the other. The empty sequence is the empty word.
    Sequence(Vec<Words>),
    /// One of these.
    Choice(Vec<Words>),
    /// The same several times.
    Repeat(Box<Words>, Times),
}

/// A number of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// `*`
    ZeroOrMore,
    /// `+`
    OneOrMore,
    /// `?`
    AtMostOne,
}

/// The name of references in paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// Fields with this name, in any class: a program may load classes after its invariants are parsed.
    Field(String),
    /// Exactly this field.
    Declared(FieldId),
    /// The field with this name that the instances of a generic class declare: the full name of the class without type
    /// arguments, and the name of the field.
    OfInstances(Arc<str>, String),
    /// Elements of arrays.
    Element,
}
