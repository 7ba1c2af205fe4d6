//! Finds what names in invariants stand for, and which name was probably meant if there is none.

use crate::lex::is_name_part;
use crate::{Label, Origin, RootId, Types};
use aback_ir::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The names that invariants can use.
#[derive(Clone, Copy)]
pub(crate) struct Names<'p> {
    pub program: &'p Program,
    pub roots: &'p [(String, Type)],
}

/// The reason why a name has no meaning, and advice.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub message: String,
    pub help: Option<String>,
}

impl Unknown {
    fn new(message: impl Into<String>) -> Unknown {
        Unknown { message: message.into(), help: None }
    }

    fn with_nearest(mut self, name: &str, known: impl Iterator<Item = impl AsRef<str>>) -> Unknown {
        self.help = nearest(name, known).map(|nearest| format!("did you mean `{nearest}`?"));
        self
    }
}

const PRIMITIVE: [Type; 12] = {
    const fn machine(width: u8, signed: bool) -> Type {
        Type::Machine { width, signed }
    }
    [
        Type::Bool,
        machine(8, true),
        machine(8, false),
        machine(16, true),
        machine(16, false),
        machine(32, true),
        machine(32, false),
        machine(64, true),
        machine(64, false),
        Type::F32,
        Type::F64,
        // Last: in languages with machine integers, `int` is one of these.
        Type::Int,
    ]
};

impl<'p> Names<'p> {
    /// The class with this full name, or the only loaded one whose name ends in it; `None` if there is none.
    pub(crate) fn class(self, name: &str) -> Result<Option<ClassId>, Unknown> {
        if let Some(class) = self.program.class_named(name) {
            // Sentences may name its fields.
            self.program.class(class);
            return Ok(Some(class));
        }
        let mut found = self.program.classes().filter(|(_, class)| ends_in(&class.name, name));
        match (found.next(), found.next()) {
            (None, _) => Ok(None),
            (Some((class, _)), None) => Ok(Some(class)),
            (Some((_, one)), Some((_, other))) => Err(Unknown {
                message: format!("several classes are named `{name}`"),
                help: Some(format!("write the full name: `{}` or `{}`", one.name, other.name)),
            }),
        }
    }

    /// The known instances, loaded or not, of generic classes whose names contain this one, with the names of the generic
    /// classes. Names of classes that a front end made start with `$`.
    fn generic(self, name: &str) -> impl Iterator<Item = (ClassId, String)> {
        let plain = plain(name);
        let shown = self.program.class_names().filter(move |(_, name)| name.contains(plain) && !name.starts_with('$'));
        shown.filter_map(|(class, name)| Some((class, unbound(name)?)))
    }

    /// The generic class with this name without type arguments, or the only one whose name ends in it; `None` if the name
    /// has another form, or if the program has no instance of such a class. Its instances are loaded.
    pub(crate) fn instances(self, name: &str) -> Result<Option<Arc<str>>, Unknown> {
        if unbound(name).as_deref() != Some(name) {
            return Ok(None);
        }
        let is_it = |full: &str| full == name || ends_in(full, name);
        if !self.generic(name).any(|(_, full)| is_it(&full)) {
            self.load_nested(name);
        }
        let found: BTreeSet<String> = self.generic(name).map(|(_, full)| full).filter(|full| is_it(full)).collect();
        let generic = match found.iter().collect::<Vec<_>>()[..] {
            _ if found.contains(name) => name,
            [] => return Ok(None),
            [one] => one,
            [one, other, ..] => {
                return Err(Unknown {
                    message: format!("several generic classes are named `{name}`"),
                    help: Some(format!("write the full name: `\"{one}\"` or `\"{other}\"`")),
                });
            }
        };
        self.instances_of(generic).into_iter().for_each(|class| _ = self.program.class(class));
        Ok(Some(generic.into()))
    }

    /// The known instances of the generic class with this full name.
    fn instances_of(self, generic: &str) -> Vec<ClassId> {
        self.generic(generic).filter(|(_, full)| full == generic).map(|(class, _)| class).collect()
    }

    /// Loads the class with this name, `Map.Entry<,>`, for each instance of the generic class in which it is nested. The
    /// program may not refer to it before it runs.
    fn load_nested(self, name: &str) {
        let Some((path, arguments)) = name.find('<').map(|at| name.split_at(at)) else { return };
        let Some((outer, nested)) = path.rsplit_once('.') else { return };
        let outer = format!("{outer}{arguments}");
        let instances: Vec<ClassId> = self
            .generic(&outer)
            .filter(|(_, full)| *full == outer || ends_in(full, &outer))
            .map(|(class, _)| class)
            .collect();
        for class in instances {
            self.program.nested_instance(class, nested);
        }
    }

    /// The classes that a name stands for, loaded.
    pub(crate) fn classes(self, name: &str) -> Vec<ClassId> {
        // What else the name may mean matters where it is read.
        match self.class(name).ok().flatten() {
            Some(class) => vec![class],
            None => self.instances(name).ok().flatten().map_or_else(Vec::new, |generic| self.instances_of(&generic)),
        }
    }

    /// The error that no class has this name.
    pub(crate) fn unknown_class(self, name: &str) -> Unknown {
        let unknown = Unknown::new(format!("no class is named `{name}`"));
        let is_of = |full: &str| full == name || ends_in(full, name);
        if let Some((_, generic)) = self.generic("").find(|(_, full)| is_of(full.split('<').next().unwrap_or(full))) {
            let help = format!("`\"{generic}\"` stands for all instances of the generic class");
            return Unknown { help: Some(help), ..unknown };
        }
        let simple = |name: &str| name.rsplit(['.', '$', '+']).next().unwrap_or(name).to_string();
        let full = || self.program.classes().map(|(_, class)| class.name.clone());
        let generic = || self.generic("").map(|(_, full)| full);
        let all =
            full().chain(full().map(|full| simple(&full))).chain(generic()).chain(generic().map(|full| simple(&full)));
        unknown.with_nearest(name, all)
    }

    /// The types with this name and so many dimensions.
    pub(crate) fn ty(self, name: &str, dimensions: usize) -> Result<Types, Unknown> {
        let class = self.class(name)?.map(Type::Class);
        if class.is_none()
            && let Some(generic) = self.instances(name)?
        {
            return match dimensions {
                0 => Ok(Types::Instances(generic)),
                _ => Err(Unknown::new(format!("arrays of all instances of `{name}` have no name"))),
            };
        }
        let named = |ty: &Type| self.program.show_type(*ty) == name || self.program.type_name(*ty) == name;
        let Some(element) = class.or_else(|| PRIMITIVE.into_iter().find(named)) else {
            return Err(self.unknown_class(name));
        };
        if dimensions == 0 && !element.is_reference() {
            return Err(Unknown::new(format!("`{name}` is not a type of objects")));
        }
        Ok(Types::One((0..dimensions).fold(element, |ty, _| self.program.array_of(ty))))
    }

    /// The root with this name: the full name, or for static fields the only one that ends in it, with the class.
    pub(crate) fn root(self, name: &str) -> Option<RootId> {
        let position = |fits: &dyn Fn(&str) -> bool| {
            let mut found = self.roots.iter().enumerate().filter(|(_, (root, _))| !root.is_empty() && fits(root));
            let first = found.next();
            first.filter(|_| found.next().is_none()).map(|(index, _)| RootId(index as u32))
        };
        position(&|root| root == name).or_else(|| position(&|root| name.contains('.') && ends_in(root, name)))
    }

    fn named_roots(self) -> impl Iterator<Item = &'p str> {
        self.roots.iter().map(|(root, _)| root.as_str()).filter(|root| !root.is_empty())
    }

    /// The error that no root has this name.
    pub(crate) fn unknown_root(self, name: &str) -> Unknown {
        let mut unknown = Unknown::new(format!("no root is named `{name}`")).with_nearest(name, self.named_roots());
        if unknown.help.is_none() {
            let known: Vec<String> = self.named_roots().take(10).map(|root| format!("`{root}`")).collect();
            unknown.help = Some(match known.as_slice() {
                [] => "the entry point has no references among its inputs".into(),
                _ => format!("known roots: {}", known.join(", ")),
            });
        }
        unknown
    }

    /// Checks that some class has an instance field with this name.
    pub(crate) fn check_field(self, name: &str) -> Result<(), Unknown> {
        let instance = || self.program.fields().map(|(_, field)| field).filter(|field| !field.is_static);
        match instance().find(|field| field.name == name) {
            Some(_) if instance().any(|field| field.name == name && field.ty.is_reference()) => Ok(()),
            Some(_) => Err(Unknown::new(format!("no field named `{name}` is a reference"))),
            None => {
                let names = instance().filter(|field| field.ty.is_reference()).map(|field| &field.name);
                Err(Unknown::new(format!("no class has a field `{name}`")).with_nearest(name, names))
            }
        }
    }

    /// The instance field with this name that a class declares or inherits.
    pub(crate) fn field_of(self, class: ClassId, name: &str) -> Result<FieldId, Unknown> {
        let fields = || self.program.instance_fields(class);
        let name_of = |field: FieldId| &self.program.field(field).name;
        match fields().into_iter().rev().find(|&field| name_of(field) == name) {
            Some(field) if self.program.field(field).ty.is_reference() => Ok(field),
            Some(_) => Err(Unknown::new(format!("the field `{name}` is not a reference"))),
            None => {
                let class = self.program.class_name(class);
                let unknown = Unknown::new(format!("`{class}` has no field `{name}`"));
                Err(unknown.with_nearest(name, fields().into_iter().map(name_of)))
            }
        }
    }

    /// The label for the instance field with this name that the instances of a generic class declare or inherit from an
    /// instance of another one.
    pub(crate) fn field_of_instances(self, generic: &str, name: &str) -> Result<Label, Unknown> {
        let instances = self.instances_of(generic).into_iter();
        let fields: Vec<FieldId> = instances.flat_map(|class| self.program.instance_fields(class)).collect();
        let name_of = |field: FieldId| &self.program.field(field).name;
        let Some(&found) = fields.iter().rev().find(|&&field| name_of(field) == name) else {
            let unknown = Unknown::new(format!("`{generic}` has no field `{name}`"));
            return Err(unknown.with_nearest(name, fields.iter().map(|&field| name_of(field))));
        };
        if !fields.iter().any(|&field| name_of(field) == name && self.program.field(field).ty.is_reference()) {
            return Err(Unknown::new(format!("the field `{name}` is not a reference")));
        }
        Ok(match unbound(self.program.class_name(self.program.field(found).class)) {
            Some(declaring) => Label::OfInstances(declaring.into(), name.into()),
            None => Label::Declared(found),
        })
    }

    /// The method of a class that can be the companion of a path with this origin.
    pub(crate) fn companion(self, class: ClassId, name: &str, origin: &Origin) -> Result<MethodId, Unknown> {
        let declared = self.program.methods_named(class, name);
        if declared.is_empty() {
            let names = self.program.class(class).methods.iter().map(|&method| &self.program.method(method).name);
            let class = self.program.class_name(class);
            return Err(Unknown::new(format!("`{class}` has no method `{name}`")).with_nearest(name, names));
        }
        let mut fitting = declared.iter().copied().filter(|&method| self.is_companion(method, origin));
        match (fitting.next(), fitting.next()) {
            (Some(method), None) => Ok(method),
            (Some(_), Some(_)) => Err(Unknown::new(format!("several methods `{name}` can be called here"))),
            (None, _) => {
                let params = match origin {
                    Origin::Root(_) => "one parameter, the reference that was reached".to_string(),
                    Origin::Any(ty) => {
                        let ty = ty.show(self.program);
                        format!("two parameters, the `{ty}` where the path starts and the reference that was reached")
                    }
                };
                Err(Unknown {
                    message: format!("`{name}` cannot be called here"),
                    help: Some(format!(
                        "it must return a truth value, and be static with {params}, or have no parameters"
                    )),
                })
            }
        }
    }

    fn is_companion(self, method: MethodId, origin: &Origin) -> bool {
        let method = self.program.method(method);
        let takes = match (method.kind, origin, method.params.as_slice()) {
            (MethodKind::Instance, _, [_]) => true,
            (MethodKind::Static, Origin::Root(_), [reached]) => reached.is_reference(),
            (MethodKind::Static, Origin::Any(Types::One(ty)), [start, reached]) => {
                self.program.is_assignable(*ty, *start) && reached.is_reference()
            }
            // Instances that are loaded later are not known.
            (MethodKind::Static, Origin::Any(Types::Instances(_)), [Type::Class(start), reached]) => {
                self.program.is_root(*start) && reached.is_reference()
            }
            _ => false,
        };
        takes && method.result == Some(Type::Bool)
    }
}

/// The name of an instance of a generic class without the type arguments: `Map<,>` for `Map<int, List<int>>`. `None` if the
/// name has no type arguments. What is in angle brackets at the start of a component belongs to its name: compilers make
/// such names.
pub(crate) fn unbound(name: &str) -> Option<String> {
    if !name.contains('<') {
        return None;
    }
    let mut out = String::new();
    let mut depth = 0usize;
    let mut is_generic = false;
    for c in name.chars() {
        match c {
            '<' if depth == 0 && out.ends_with(is_name_part) => {
                (depth, is_generic) = (1, true);
                out.push('<');
            }
            '<' | '[' | '(' if depth > 0 => depth += 1,
            '>' | ']' | ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    out.push('>');
                }
            }
            ',' if depth == 1 => out.push(','),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    is_generic.then_some(out)
}

/// Whether this is the name of an instance of the generic class with this name without type arguments.
pub(crate) fn is_instance(name: &str, generic: &str) -> bool {
    name.starts_with(plain(generic)) && unbound(name).as_deref() == Some(generic)
}

/// The part of the name of a generic class that the names of all its instances have in common.
fn plain(generic: &str) -> &str {
    generic.split_once('<').map_or(generic, |(plain, _)| plain)
}

/// Whether a full name ends in `part`, as a whole component or several.
fn ends_in(full: &str, part: &str) -> bool {
    full.strip_suffix(part).is_some_and(|before| before.ends_with(['.', '$', '+', '/']))
}

/// The known name that differs least from `name`, if it differs in at most a third of its characters.
fn nearest(name: &str, known: impl Iterator<Item = impl AsRef<str>>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1);
    let mut seen = FxHashSet::default();
    let candidates = known.map(|known| known.as_ref().to_string()).filter(|known| seen.insert(known.clone()));
    let with_distance = candidates.map(|known| (distance(name, &known, limit), known));
    with_distance.filter(|(distance, _)| *distance <= limit).min().map(|(_, known)| known)
}

/// The number of insertions, deletions and replacements between two texts; anything above `limit` if there are more.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.chars().count().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
