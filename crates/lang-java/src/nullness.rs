//! Reads which references a class declares not to be null: by annotations such as `@NonNull`, and by defaults such as
//! `@NullMarked` on a class, a package or a module.
//!
//! The annotations of JSpecify, Jakarta, JetBrains, SpotBugs and others have the same simple names, by which they are known
//! here. Nothing is said about the elements of arrays and collections, nor, by default, about values of type variables,
//! which may stand for types with null.

use crate::annotations::{Annotation, File, Item, Read, Target, class_file, in_bytes};
use crate::classpath::Root;
use crate::loader::Java;
use crate::types::internal_name;
use aback_ir::{ClassId, FieldId, MethodId, MethodKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The members of a class that are declared not to be null.
#[derive(Default, Debug)]
pub(crate) struct Nullness {
    fields: FxHashSet<FieldId>,
    /// For each method, which of its parameters, without the receiver.
    parameters: FxHashMap<MethodId, Vec<bool>>,
}

/// Whether references are not null where no annotation says more.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Defaults {
    parameters: bool,
    fields: bool,
}

/// What annotations say about a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Declared {
    NonNull,
    Nullable,
}

/// Whether a parameter of a method is declared not to be null, and declarations are trusted.
pub(crate) fn has_parameter(java: Java, method: MethodId, index: usize) -> bool {
    if !java.loader.trusts_nullness() {
        return false;
    }
    let declared = java.program.method(method);
    let index = index.checked_sub(usize::from(declared.kind != MethodKind::Static));
    let nullness = java.loader.nullness(java, declared.class);
    let known = nullness.parameters.get(&method);
    known.zip(index).and_then(|(known, index)| known.get(index)).copied().unwrap_or(false)
}

/// Whether an instance field is declared not to be null, and declarations are trusted.
pub(crate) fn has_field(java: Java, field: FieldId) -> bool {
    java.loader.trusts_nullness() && java.loader.nullness(java, java.program.field(field).class).fields.contains(&field)
}

/// What a class declares. Nothing, if its class file makes no sense.
pub(crate) fn of(java: Java, class: ClassId) -> Nullness {
    let internal = internal_name(java.program.class_name(class));
    let classpath = java.loader.classpath();
    let Some(found) = classpath.find(&internal) else { return Nullness::default() };
    let mut defaults = java.loader.defaults_of_package(java, &internal, classpath.root(&internal, &found.origin));
    for (end, _) in internal.match_indices('$') {
        defaults = class_file(java, &internal[..end], |file| file.defaults(defaults)).unwrap_or(defaults);
    }
    in_bytes(&found.bytes, |file| file.nullness(java, class, defaults)).unwrap_or_default()
}

/// The defaults of a package (`java/util/`; empty for none) whose classes are in a folder or jar.
pub(crate) fn of_package(java: Java, package: &str, root: Option<Root>) -> Defaults {
    let around = Defaults::default();
    let module = root.and_then(|root| root.module());
    let around = module.and_then(|bytes| in_bytes(&bytes, |file| file.defaults(around))).unwrap_or(around);
    class_file(java, &format!("{package}package-info"), |file| file.defaults(around)).unwrap_or(around)
}

impl Annotation<'_> {
    fn declared(&self) -> Option<Declared> {
        match self.name {
            // `@Nonnull(when = MAYBE)`
            "Nonnull" if self.has_values => None,
            "NonNull" | "Nonnull" | "NotNull" if !self.is_of_validation => Some(Declared::NonNull),
            "Nullable" | "CheckForNull" => Some(Declared::Nullable),
            _ => None,
        }
    }

    fn change(&self, defaults: &mut Defaults) {
        match self.name {
            "NullMarked" | "NonNullByDefault" if !self.has_values => {
                *defaults = Defaults { parameters: true, fields: true };
            }
            "NullUnmarked" => *defaults = Defaults::default(),
            "NonNullApi" | "ParametersAreNonnullByDefault" => defaults.parameters = true,
            "NonNullFields" => defaults.fields = true,
            _ => {}
        }
    }
}

impl<'b> File<'b> {
    /// The defaults for members of the class, given those around it.
    fn defaults(&self, around: Defaults) -> Read<Defaults> {
        let (.., class) = self.items()?;
        self.changed(&class, around)
    }

    fn changed(&self, item: &Item<'b>, mut defaults: Defaults) -> Read<Defaults> {
        for mut reader in item.annotations("Annotations") {
            for annotation in self.list(&mut reader)? {
                annotation.change(&mut defaults);
            }
        }
        Some(defaults)
    }

    fn nullness(&self, java: Java, class: ClassId, around: Defaults) -> Read<Nullness> {
        let (fields, methods, own) = self.items()?;
        let defaults = self.changed(&own, around)?;
        let loaded = java.class(class)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut nullness = Nullness::default();
        for field in fields {
            let key = format!("{}:{}", text(field.name), text(field.descriptor));
            let Some(&id) = loaded.fields.get(&key) else { continue };
            let declared = self.of_field(&field)?;
            let is_variable = self.signature(&field).is_some_and(|signature| signature.starts_with(b"T"));
            if declared == Some(Declared::NonNull) || declared.is_none() && defaults.fields && !is_variable {
                nullness.fields.insert(id);
            }
        }
        for method in methods {
            let key = format!("{}{}", text(method.name), text(method.descriptor));
            let Some(&id) = loaded.methods.get(&key) else { continue };
            // The object around the new one is no parameter in the sources.
            let hidden = usize::from(java.program.takes_enclosing_object(id));
            let is_static = java.program.method(id).kind == MethodKind::Static;
            let count = java.program.method(id).params.len() - usize::from(!is_static);
            let default = self.changed(&method, defaults)?.parameters;
            let declared = self.of_parameters(&method, count, hidden)?;
            let variables = self.signature(&method).map(variables);
            let is_variable = |index: usize| match &variables {
                Some(variables) if variables.len() + hidden >= count => {
                    variables.get((index + variables.len()).wrapping_sub(count)).copied().unwrap_or(false)
                }
                Some(_) => true,
                None => false,
            };
            let known = declared.into_iter().enumerate().map(|(index, declared)| match declared {
                Some(declared) => declared == Declared::NonNull,
                None => default && !is_variable(index),
            });
            let known: Vec<bool> = known.collect();
            if known.contains(&true) {
                nullness.parameters.insert(id, known);
            }
        }
        Some(nullness)
    }

    fn of_field(&self, field: &Item<'b>) -> Read<Option<Declared>> {
        let mut found = None;
        for mut reader in field.annotations("Annotations") {
            let declared = self.list(&mut reader)?.iter().find_map(Annotation::declared);
            found = found.or(declared);
        }
        for mut reader in field.annotations("TypeAnnotations") {
            for (target, is_whole, annotation) in self.type_annotations(&mut reader)? {
                if target == Target::Field && is_whole {
                    found = found.or(annotation.declared());
                }
            }
        }
        Some(found)
    }

    /// What annotations say about each of the parameters, the first `hidden` of which are not in the sources.
    fn of_parameters(&self, method: &Item<'b>, count: usize, hidden: usize) -> Read<Vec<Option<Declared>>> {
        let mut found = vec![None; count];
        for mut reader in method.annotations("ParameterAnnotations") {
            let shown = usize::from(reader.u1()?);
            for index in 0..shown {
                let declared = self.list(&mut reader)?.iter().find_map(Annotation::declared);
                // Compilers may leave out the parameters that are not in the sources.
                let place = (index + count).checked_sub(shown).and_then(|index| found.get_mut(index));
                if let Some(place) = place {
                    *place = place.or(declared);
                }
            }
        }
        for mut reader in method.annotations("TypeAnnotations") {
            for (target, is_whole, annotation) in self.type_annotations(&mut reader)? {
                if let Target::Parameter(index) = target
                    && is_whole
                    && let Some(place) = found.get_mut(usize::from(index) + hidden)
                {
                    *place = place.or(annotation.declared());
                }
            }
        }
        Some(found)
    }
}

/// For each parameter in the generic signature of a method, whether its type is a type variable.
fn variables(signature: &[u8]) -> Vec<bool> {
    let Some(start) = signature.iter().position(|&byte| byte == b'(') else { return Vec::new() };
    let mut rest = signature[start + 1..].iter();
    let mut found = Vec::new();
    while let Some(&first) = rest.next().filter(|&&byte| byte != b')') {
        found.push(first == b'T');
        let mut byte = first;
        while byte == b'[' {
            byte = rest.next().copied().unwrap_or(b')');
        }
        let mut depth = 0;
        while matches!(first, b'T' | b'L' | b'[') && matches!(byte, b'T' | b'L') || depth > 0 {
            match rest.next() {
                Some(b'<') => depth += 1,
                Some(b'>') => depth -= 1,
                Some(b';') if depth == 0 => break,
                Some(_) => {}
                None => return found,
            }
        }
    }
    found
}
