//! Reads which references a class declares not to be null: by annotations such as `@NonNull`, and by defaults such as
//! `@NullMarked` on a class or package.
//!
//! The annotations of JSpecify, Jakarta, JetBrains, SpotBugs and others have the same simple names, by which they are known
//! here. Nothing is said about the elements of arrays and collections, nor, by default, about values of type variables,
//! which may stand for types with null.

use crate::bootstrap::{Layout, Reader};
use crate::loader::Java;
use crate::slim::Pool;
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
struct Defaults {
    parameters: bool,
    fields: bool,
}

/// What annotations say about a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Declared {
    NonNull,
    Nullable,
}

/// Deepest nesting of the values of annotations. Compilers do not generate deeper nesting.
const MAX_DEPTH: u32 = 16;

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
    let read = || {
        let defaults = surrounding(java, &internal);
        let bytes = java.loader.class_bytes(&internal)?;
        let (layout, _) = Layout::read(&bytes)?;
        File { pool: layout.pool(&bytes)? }.nullness(java, class, defaults)
    };
    read().unwrap_or_default()
}

/// The defaults of the package and the classes around a class.
fn surrounding(java: Java, internal: &str) -> Defaults {
    let package = internal.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"));
    let around = internal.match_indices('$').map(|(at, _)| internal[..at].to_string());
    let mut defaults = Defaults::default();
    for name in std::iter::once(format!("{package}package-info")).chain(around) {
        let read = || {
            let bytes = java.loader.class_bytes(&name)?;
            let (layout, _) = Layout::read(&bytes)?;
            File { pool: layout.pool(&bytes)? }.defaults(defaults)
        };
        defaults = read().unwrap_or(defaults);
    }
    defaults
}

/// An annotation: the simple name of its type, and whether it has values.
struct Annotation<'b> {
    name: &'b str,
    has_values: bool,
    /// Whether it is one for validation, which holds only after it.
    is_of_validation: bool,
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

struct File<'b> {
    pool: Pool<'b>,
}

/// A member or a class, with its attributes by name.
struct Item<'b> {
    name: &'b [u8],
    descriptor: &'b [u8],
    attributes: Vec<(&'b [u8], &'b [u8])>,
}

impl<'b> Item<'b> {
    /// The contents of the attributes with a name that may be that of visible or invisible annotations.
    fn annotations(&self, kind: &'static str) -> impl Iterator<Item = Reader<'b>> + '_ {
        let names = ["RuntimeVisible", "RuntimeInvisible"].map(|start| format!("{start}{kind}"));
        let attributes = self.attributes.iter();
        let wanted = attributes.filter(move |(name, _)| names.iter().any(|wanted| wanted.as_bytes() == *name));
        wanted.map(|(_, content)| Reader { bytes: content, at: 0 })
    }
}

/// What has been read; `None` if the class file makes no sense.
type Read<T> = Option<T>;

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

    fn signature(&self, item: &Item<'b>) -> Option<&'b [u8]> {
        let (_, content) = item.attributes.iter().find(|(name, _)| *name == b"Signature")?;
        self.pool.utf8(Reader { bytes: content, at: 0 }.u2()?)
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

    /// The fields, the methods and the class.
    fn items(&self) -> Read<(Vec<Item<'b>>, Vec<Item<'b>>, Item<'b>)> {
        let mut reader = Reader { bytes: self.pool.bytes, at: self.pool.end };
        reader.take(6)?;
        let interfaces = reader.u2()?;
        reader.take(2 * usize::from(interfaces))?;
        let mut members = || -> Read<Vec<Item<'b>>> {
            (0..reader.u2()?)
                .map(|_| {
                    reader.take(2)?;
                    let (name, descriptor) = (self.pool.utf8(reader.u2()?)?, self.pool.utf8(reader.u2()?)?);
                    Some(Item { name, descriptor, attributes: self.attributes(&mut reader)? })
                })
                .collect()
        };
        let (fields, methods) = (members()?, members()?);
        let attributes = self.attributes(&mut reader)?;
        Some((fields, methods, Item { name: b"", descriptor: b"", attributes }))
    }

    fn attributes(&self, reader: &mut Reader<'b>) -> Read<Vec<(&'b [u8], &'b [u8])>> {
        (0..reader.u2()?)
            .map(|_| {
                let (name, length) = (reader.u2()?, reader.u4()?);
                Some((self.pool.utf8(name)?, reader.take(length as usize)?))
            })
            .collect()
    }

    /// A list of annotations.
    fn list(&self, reader: &mut Reader<'b>) -> Read<Vec<Annotation<'b>>> {
        (0..reader.u2()?).map(|_| self.annotation(reader, 0)).collect()
    }

    fn annotation(&self, reader: &mut Reader<'b>, depth: u32) -> Read<Annotation<'b>> {
        let ty = std::str::from_utf8(self.pool.utf8(reader.u2()?)?).ok()?;
        let values = reader.u2()?;
        for _ in 0..values {
            reader.u2()?;
            self.skip_value(reader, depth)?;
        }
        let name = ty.trim_end_matches(';').rsplit(['/', '$']).next().unwrap_or(ty);
        Some(Annotation { name, has_values: values > 0, is_of_validation: ty.contains("/validation/") })
    }

    fn skip_value(&self, reader: &mut Reader<'b>, depth: u32) -> Read<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match reader.u1()? {
            b'e' => _ = reader.take(4)?,
            b'@' => _ = self.annotation(reader, depth + 1)?,
            b'[' => {
                for _ in 0..reader.u2()? {
                    self.skip_value(reader, depth + 1)?;
                }
            }
            _ => _ = reader.take(2)?,
        }
        Some(())
    }

    /// Annotations of types, each with what has the type, and whether the annotation is about the whole type and not about
    /// a part of it.
    fn type_annotations(&self, reader: &mut Reader<'b>) -> Read<Vec<(Target, bool, Annotation<'b>)>> {
        (0..reader.u2()?)
            .map(|_| {
                // JVM specification, 4.7.20.1.
                let target = match reader.u1()? {
                    0x13 => Target::Field,
                    0x16 => Target::Parameter(reader.u1()?),
                    0x00 | 0x01 => {
                        reader.take(1)?;
                        Target::Other
                    }
                    0x10 | 0x11 | 0x12 | 0x17 => {
                        reader.take(2)?;
                        Target::Other
                    }
                    0x14 | 0x15 => Target::Other,
                    _ => return None,
                };
                let mut is_whole = true;
                for _ in 0..reader.u1()? {
                    // A step to a nested type leads to the type of the reference itself.
                    is_whole &= reader.u1()? == 1;
                    reader.u1()?;
                }
                Some((target, is_whole, self.annotation(reader, 0)?))
            })
            .collect()
    }
}

/// What has an annotated type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Field,
    Parameter(u8),
    Other,
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
