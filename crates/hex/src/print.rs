//! Prints sentences such that they parse back.

use crate::lex::{is_name_part, is_name_start};
use crate::names::Names;
use crate::{Atom, Invariants, Label, Origin, Path, Requirement, Sentence, Times, Types, Words};
use aback_ir::{Program, Type};

impl Invariants {
    /// The sentences as text, one in each line. It parses to the same sentences.
    pub fn print(&self, program: &Program) -> String {
        self.sentences().iter().map(|sentence| format!("{};\n", self.print_sentence(program, sentence))).collect()
    }

    /// A sentence as text, without the semicolon.
    pub fn print_sentence(&self, program: &Program, sentence: &Sentence) -> String {
        let printer = Printer { invariants: self, names: Names { program, roots: self.roots() } };
        printer.sentence(sentence, Level::Implies)
    }
}

/// How strongly operators bind, the weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Not,
}

struct Printer<'p> {
    invariants: &'p Invariants,
    names: Names<'p>,
}

impl Printer<'_> {
    /// A sentence where operators that bind more weakly than `level` need brackets.
    fn sentence(&self, sentence: &Sentence, level: Level) -> String {
        let list = |parts: &[Sentence], word: &str, level| {
            parts.iter().map(|part| self.sentence(part, level)).collect::<Vec<_>>().join(word)
        };
        let (own, text) = match sentence {
            Sentence::Atom(id) => {
                return self.invariants.atoms().get(id.index()).map_or_else(String::new, |atom| self.atom(atom));
            }
            Sentence::Not(inner) => (Level::Not, format!("not {}", self.sentence(inner, Level::Not))),
            Sentence::And(parts) => (Level::And, list(parts, " and ", Level::Not)),
            Sentence::Or(parts) => (Level::Or, list(parts, " or ", Level::And)),
            Sentence::Implies(premise, conclusion) => {
                let premise = self.sentence(premise, Level::Or);
                (Level::Implies, format!("{premise} implies {}", self.sentence(conclusion, Level::Implies)))
            }
        };
        if own < level { format!("({text})") } else { text }
    }

    fn atom(&self, atom: &Atom) -> String {
        let mut text = self.path(&atom.path);
        match &atom.requirement {
            Requirement::NotNull => text.push_str(" not null"),
            Requirement::ExpandsToNothing => text.push_str(" expands to nothing"),
            Requirement::ExpandsTo(ty) => text.push_str(&format!(" expands to {}", self.types(ty))),
            Requirement::AliasesNothing => text.push_str(" aliases nothing"),
            Requirement::AliasesSome(ty) => text.push_str(&format!(" aliases some {}", self.types(ty))),
            Requirement::Aliases(path) => text.push_str(&format!(" aliases {}", self.path(path))),
            Requirement::AliasesMax(path) => text.push_str(&format!(" aliases max {}", self.path(path))),
        }
        if let Some(method) = atom.companion {
            let method = self.names.program.method(method);
            let class = name(self.names.program.class_name(method.class));
            text.push_str(&format!(" triggers {class}.{}", component(&method.name)));
        }
        text
    }

    fn path(&self, path: &Path) -> String {
        let words = match path.words {
            Words::Label(_) | Words::Sequence(_) => self.words(&path.words),
            Words::Choice(_) | Words::Repeat(..) => self.single(&path.words),
        };
        // A longer name would be taken for another root or class.
        let first = words.strip_prefix('.').map_or("", |rest| rest.split(['.', '[', '(']).next().unwrap_or(rest));
        let is_longer = |full: &str, exists: &dyn Fn(&str) -> bool| exists(&format!("{full}.{first}"));
        let origin = match &path.origin {
            Origin::Root(root) => {
                let name_of_root = self.names.roots.get(root.index()).map_or("", |(name, _)| name.as_str());
                match is_longer(name_of_root, &|longer| self.names.root(longer).is_some()) {
                    true => format!("root.\"{name_of_root}\""),
                    false => format!("root.{}", name(name_of_root)),
                }
            }
            Origin::Any(Types::One(Type::Class(class))) => {
                let class = self.names.program.class_name(*class);
                match is_longer(class, &|longer| !matches!(self.names.class(longer), Ok(None))) {
                    true => format!("any \"{class}\""),
                    false => format!("any {}", name(class)),
                }
            }
            Origin::Any(Types::One(ty)) => format!("any ({})", self.ty(*ty)),
            Origin::Any(Types::Instances(generic)) => format!("any {}", name(generic)),
        };
        origin + &words
    }

    fn words(&self, words: &Words) -> String {
        match words {
            Words::Sequence(parts) => parts.iter().map(|part| self.single(part)).collect(),
            other => self.single(other),
        }
    }

    /// Words that can stand in a sequence.
    fn single(&self, words: &Words) -> String {
        match words {
            Words::Label(label) => self.label(label),
            Words::Sequence(_) => format!("({})", self.words(words)),
            Words::Choice(choices) => {
                let choices: Vec<String> = choices.iter().map(|choice| self.words(choice)).collect();
                format!("({})", choices.join("|"))
            }
            Words::Repeat(repeated, times) => {
                let sign = match times {
                    Times::ZeroOrMore => '*',
                    Times::OneOrMore => '+',
                    Times::AtMostOne => '?',
                };
                match **repeated {
                    Words::Label(Label::Field(_) | Label::Declared(_) | Label::OfInstances(..)) => {
                        format!("({}){sign}", self.single(repeated))
                    }
                    _ => format!("{}{sign}", self.single(repeated)),
                }
            }
        }
    }

    fn label(&self, label: &Label) -> String {
        match label {
            Label::Field(name) => format!(".{}", component(name)),
            Label::Declared(field) => {
                let field = self.names.program.field(*field);
                format!(".({}.{})", name(self.names.program.class_name(field.class)), component(&field.name))
            }
            Label::OfInstances(generic, field) => format!(".({}.{})", name(generic), component(field)),
            Label::Element => "[]".into(),
        }
    }

    fn types(&self, types: &Types) -> String {
        match types {
            Types::One(ty) => self.ty(*ty),
            Types::Instances(generic) => name(generic),
        }
    }

    fn ty(&self, ty: Type) -> String {
        match ty {
            Type::Array(array) => format!("{}[]", self.ty(self.names.program.element_type(array))),
            Type::Class(class) => match self.names.program.class_name(class) {
                "nothing" => "\"nothing\"".into(),
                class => name(class),
            },
            ty => self.names.program.type_name(ty),
        }
    }
}

/// A name with dots, in quotation marks if it is not made of names.
fn name(full: &str) -> String {
    let is_plain = full.split('.').all(is_name);
    if is_plain { full.to_string() } else { format!("\"{full}\"") }
}

fn component(name: &str) -> String {
    if is_name(name) { name.to_string() } else { format!("\"{name}\"") }
}

fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_part)
}
