//! Reads the types of generic declarations, which the program model does not have (JVM specification, 4.7.9.1).

use crate::loader::Java;
use crate::types::{self, OBJECT, class_name};
use aback_ir::{ClassId, FieldId, MethodId, MethodKind, SourceType, Type};
use cafebabe::attributes::{AttributeData, AttributeInfo};
use std::collections::HashMap;

/// Most types within each other that are read.
const DEPTH: usize = 16;

/// What type variables stand for, by name.
type Variables = HashMap<String, SourceType>;

/// The types of the parameters of a method, the receiver first. `receiver` is the type of the object on which it is
/// called or that it makes; nothing is known of its type arguments without it.
pub(crate) fn parameters(java: Java, method: MethodId, receiver: Option<&SourceType>) -> Vec<SourceType> {
    let declared = java.program.method(method);
    let erased: Vec<SourceType> = declared.params.iter().map(|&ty| ty.into()).collect();
    let own = usize::from(declared.kind != MethodKind::Static);
    let Some(text) = method_signature(java, method) else { return erased };
    let mut variables = receiver.map(|receiver| class_variables(java, declared.class, receiver)).unwrap_or_default();
    let mut reader = Reader { java, rest: &text, depth: 0 };
    let read = (|| {
        let bounds = reader.type_parameters(&variables)?;
        variables.extend(bounds);
        reader.skip('(')?;
        let mut params = Vec::new();
        while !reader.rest.starts_with(')') {
            params.push(reader.ty(&variables)?);
        }
        Some(params)
    })();
    let Some(params) = read else { return erased };
    // The signature leaves out what the compiler adds in front: the outer object of an inner class.
    let Some(added) = erased.len().checked_sub(own + params.len()) else { return erased };
    let generic = params.into_iter().zip(&erased[own + added..]);
    let fitting =
        generic.map(|(found, erased)| if found.ty == erased.ty { found } else { narrowed(java, found, erased) });
    erased[..own + added].iter().cloned().chain(fitting.collect::<Vec<_>>()).collect()
}

/// The type of a field of an object. `object` is its type, as far as it is known.
pub(crate) fn field(java: Java, field: FieldId, object: &SourceType) -> SourceType {
    let declared = java.program.field(field);
    let erased = SourceType::from(declared.ty);
    let text = java.class(declared.class).and_then(|class| {
        class.file.as_ref()?.with(|tree| {
            let found = tree.fields.iter().find(|found| found.name == declared.name)?;
            signature(&found.attributes)
        })
    });
    let Some(text) = text else { return erased };
    let variables = class_variables(java, declared.class, object);
    let found = Reader { java, rest: &text, depth: 0 }.ty(&variables);
    found.map_or(erased.clone(), |found| narrowed(java, found, &erased))
}

/// A type that a variable stands for, if it fits into the place that the program model has for it.
fn narrowed(java: Java, found: SourceType, erased: &SourceType) -> SourceType {
    if java.program.is_assignable(found.ty, erased.ty) { found } else { erased.clone() }
}

/// The type of an object of `class`, or of a class that extends it, as one of `class`: with the type arguments that its
/// own superclass and interfaces have.
pub(crate) fn as_instance(java: Java, of: &SourceType, class: ClassId) -> SourceType {
    fn search(java: Java, of: &SourceType, class: ClassId, depth: usize) -> Option<SourceType> {
        if of.ty == Type::Class(class) {
            return Some(of.clone());
        }
        let Type::Class(own) = of.ty else { return None };
        if depth == 0 {
            return None;
        }
        parents(java, own, of).into_iter().find_map(|parent| search(java, &parent, class, depth - 1))
    }
    search(java, of, class, DEPTH).unwrap_or_else(|| Type::Class(class).into())
}

/// The type of a subclass whose objects are instances of `of`, where the arguments of its parents are its own variables.
pub(crate) fn subtype(java: Java, class: ClassId, of: &SourceType) -> SourceType {
    let Type::Class(above) = of.ty else { return Type::Class(class).into() };
    if above == class {
        return of.clone();
    }
    let names = class_parameters(java, class);
    // The class itself with markers for its variables: types that are found again in its parents.
    let markers: Vec<SourceType> = names
        .iter()
        .map(|name| SourceType { ty: java.class_type(&format!("aback.variable.{name}")), arguments: Vec::new() })
        .collect();
    let marked = SourceType { ty: Type::Class(class), arguments: markers.clone() };
    let seen = as_instance(java, &marked, above);
    let arguments = markers.iter().map(|marker| {
        let place = seen.arguments.iter().position(|argument| argument == marker);
        let found = place.and_then(|place| of.arguments.get(place)).cloned();
        found.unwrap_or_else(|| java.class_type(OBJECT).into())
    });
    SourceType { ty: Type::Class(class), arguments: arguments.collect() }
}

/// The superclass and the interfaces of a class whose object has the type `of`.
fn parents(java: Java, class: ClassId, of: &SourceType) -> Vec<SourceType> {
    let declared = java.program.class(class);
    let erased =
        || declared.superclass.iter().chain(&declared.interfaces).map(|&class| Type::Class(class).into()).collect();
    let Some(text) = class_signature(java, class) else { return erased() };
    let variables = class_variables(java, class, of);
    let mut reader = Reader { java, rest: &text, depth: 0 };
    let read = (|| {
        reader.type_parameters(&variables)?;
        let mut found = Vec::new();
        while !reader.rest.is_empty() {
            found.push(reader.ty(&variables)?);
        }
        Some(found)
    })();
    read.unwrap_or_else(erased)
}

/// What the type variables of a class stand for in an object of a type that is or derives from it.
fn class_variables(java: Java, class: ClassId, of: &SourceType) -> Variables {
    let Some(text) = class_signature(java, class) else { return Variables::new() };
    let own = if of.ty == Type::Class(class) { of.clone() } else { as_instance(java, of, class) };
    let mut reader = Reader { java, rest: &text, depth: 0 };
    let bounds = reader.type_parameters(&Variables::new()).unwrap_or_default();
    let named = bounds.into_iter().enumerate();
    named.map(|(index, (name, bound))| (name, own.arguments.get(index).cloned().unwrap_or(bound))).collect()
}

/// The names of the type parameters of a class.
fn class_parameters(java: Java, class: ClassId) -> Vec<String> {
    let Some(text) = class_signature(java, class) else { return Vec::new() };
    let mut reader = Reader { java, rest: &text, depth: 0 };
    let bounds = reader.type_parameters(&Variables::new()).unwrap_or_default();
    bounds.into_iter().map(|(name, _)| name).collect()
}

fn class_signature(java: Java, class: ClassId) -> Option<String> {
    java.class(class)?.file.as_ref()?.with(|tree| signature(&tree.attributes))
}

fn method_signature(java: Java, method: MethodId) -> Option<String> {
    let declared = java.program.method(method);
    let own = usize::from(declared.kind != MethodKind::Static);
    let descriptor = java.descriptor(&declared.params[own..], declared.result);
    java.class(declared.class)?.file.as_ref()?.with(|tree| {
        let mut methods = tree.methods.iter();
        let found = methods.find(|found| found.name == declared.name && found.descriptor.to_string() == descriptor)?;
        signature(&found.attributes)
    })
}

/// A type with its arguments, as the attributes of a class, a field or a method give it.
pub(crate) fn signature(attributes: &[AttributeInfo<'_>]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::Signature(text) => Some(text.to_string()),
        _ => None,
    })
}

/// Reads types from the text of a signature.
struct Reader<'a, 't> {
    java: Java<'a>,
    rest: &'t str,
    depth: usize,
}

impl Reader<'_, '_> {
    fn skip(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(wanted)?;
        Some(())
    }

    /// The text up to one of some characters.
    fn name(&mut self, ends: &[char]) -> Option<String> {
        let (name, rest) = self.rest.split_at(self.rest.find(ends)?);
        self.rest = rest;
        Some(name.to_owned())
    }

    /// The names of type parameters, in order, with their bounds.
    fn type_parameters(&mut self, variables: &Variables) -> Option<Vec<(String, SourceType)>> {
        let mut found: Vec<(String, SourceType)> = Vec::new();
        if self.skip('<').is_none() {
            return Some(found);
        }
        // A bound may name a parameter that follows; it is then known as any object.
        let object = SourceType::from(self.java.class_type(OBJECT));
        while self.skip('>').is_none() {
            let name = self.name(&[':'])?;
            let mut bound = None;
            while self.skip(':').is_some() {
                if !self.rest.starts_with(':') {
                    let known: Variables =
                        variables.iter().map(|(name, ty)| (name.clone(), ty.clone())).chain(found.clone()).collect();
                    let read = self.ty(&known)?;
                    bound.get_or_insert(read);
                }
            }
            found.push((name, bound.unwrap_or_else(|| object.clone())));
        }
        Some(found)
    }

    /// One type. A wildcard is its bound.
    fn ty(&mut self, variables: &Variables) -> Option<SourceType> {
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        let read = self.ty_within(variables);
        self.depth -= 1;
        read
    }

    fn ty_within(&mut self, variables: &Variables) -> Option<SourceType> {
        let java = self.java;
        let object = || SourceType::from(java.class_type(OBJECT));
        let first = self.rest.chars().next()?;
        match first {
            '*' => {
                self.skip('*')?;
                Some(object())
            }
            '+' | '-' => {
                self.skip(first)?;
                self.ty(variables)
            }
            'T' => {
                self.skip('T')?;
                let name = self.name(&[';'])?;
                self.skip(';')?;
                Some(variables.get(&name).cloned().unwrap_or_else(object))
            }
            '[' => {
                self.skip('[')?;
                let element = self.ty(variables)?;
                Some(SourceType { ty: self.java.program.array_of(element.ty), arguments: vec![element] })
            }
            'L' => self.class(variables),
            _ => {
                self.skip(first)?;
                types::field_type(self.java.program, &first.to_string()).map(SourceType::from)
            }
        }
    }

    /// A class type. The arguments are those of the innermost class.
    fn class(&mut self, variables: &Variables) -> Option<SourceType> {
        self.skip('L')?;
        let mut name = self.name(&['<', ';', '.'])?;
        let mut arguments = Vec::new();
        loop {
            if self.skip('<').is_some() {
                arguments.clear();
                while self.skip('>').is_none() {
                    arguments.push(self.ty(variables)?);
                }
            } else if self.skip('.').is_some() {
                let inner = self.name(&['<', ';', '.'])?;
                name = format!("{name}${inner}");
                arguments.clear();
            } else {
                self.skip(';')?;
                return Some(SourceType { ty: self.java.class_type(&class_name(&name)), arguments });
            }
        }
    }
}
