//! Reads the annotations in class files (JVM specification, 4.7.16 to 4.7.20).

use crate::bootstrap::{Layout, Reader};
use crate::loader::Java;
use crate::slim::Pool;
use crate::types::internal_name;
use aback_ir::{ClassId, MethodId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Deepest nesting of the values of annotations. Compilers do not generate deeper nesting.
const MAX_DEPTH: u32 = 16;

/// An annotation: the simple name of its type, and whether it has values.
pub(crate) struct Annotation<'b> {
    pub(crate) name: &'b str,
    pub(crate) has_values: bool,
    /// Whether it is one for validation, which holds only after it.
    pub(crate) is_of_validation: bool,
}

/// What `read` finds in the class file with a name; `None` if there is none, or if it makes no sense.
pub(crate) fn class_file<T>(java: Java, internal: &str, read: impl FnOnce(&File) -> Read<T>) -> Read<T> {
    in_bytes(&java.loader.class_bytes(internal)?, read)
}

/// The same in the bytes of a class file.
pub(crate) fn in_bytes<T>(bytes: &[u8], read: impl FnOnce(&File) -> Read<T>) -> Read<T> {
    let (layout, _) = Layout::read(bytes)?;
    read(&File { pool: layout.pool(bytes)? })
}

/// The methods of a class that have an annotation with one of these simple names.
pub(crate) fn annotated_methods(java: Java, class: ClassId, names: &[&str]) -> FxHashSet<MethodId> {
    let Some(loaded) = java.class(class) else { return FxHashSet::default() };
    let read = |file: &File| -> Read<FxHashSet<MethodId>> {
        let (_, methods, _) = file.items()?;
        let mut found = FxHashSet::default();
        for item in &methods {
            for mut reader in item.annotations("Annotations") {
                if file.list(&mut reader)?.iter().any(|annotation| names.contains(&annotation.name)) {
                    let key = String::from_utf8_lossy(&[item.name, item.descriptor].concat()).into_owned();
                    found.extend(loaded.methods.get(&key));
                }
            }
        }
        Some(found)
    };
    class_file(java, &internal_name(java.program.class_name(class)), read).unwrap_or_default()
}

/// The simple names of the annotations of a method and of its class.
pub(crate) fn annotations_of(java: Java, method: MethodId) -> BTreeSet<String> {
    let class = java.program.method(method).class;
    let Some(loaded) = java.class(class) else { return BTreeSet::new() };
    let read = |file: &File| -> Read<BTreeSet<String>> {
        let (_, methods, own) = file.items()?;
        let is_it = |item: &&Item| {
            let key = String::from_utf8_lossy(&[item.name, item.descriptor].concat()).into_owned();
            loaded.methods.get(&key) == Some(&method)
        };
        let mut found = BTreeSet::new();
        for item in methods.iter().filter(is_it).chain([&own]) {
            for mut reader in item.annotations("Annotations") {
                found.extend(file.list(&mut reader)?.iter().map(|annotation| annotation.name.to_owned()));
            }
        }
        Some(found)
    };
    class_file(java, &internal_name(java.program.class_name(class)), read).unwrap_or_default()
}

/// A class file.
pub(crate) struct File<'b> {
    pub(crate) pool: Pool<'b>,
}

/// A member or a class, with its attributes by name.
pub(crate) struct Item<'b> {
    pub(crate) name: &'b [u8],
    pub(crate) descriptor: &'b [u8],
    pub(crate) attributes: Vec<(&'b [u8], &'b [u8])>,
}

impl<'b> Item<'b> {
    /// The contents of the attributes with a name that may be that of visible or invisible annotations.
    pub(crate) fn annotations(&self, kind: &'static str) -> impl Iterator<Item = Reader<'b>> + '_ {
        let names = ["RuntimeVisible", "RuntimeInvisible"].map(|start| format!("{start}{kind}"));
        let attributes = self.attributes.iter();
        let wanted = attributes.filter(move |(name, _)| names.iter().any(|wanted| wanted.as_bytes() == *name));
        wanted.map(|(_, content)| Reader { bytes: content, at: 0 })
    }
}

/// What has been read; `None` if the class file makes no sense.
pub(crate) type Read<T> = Option<T>;

impl<'b> File<'b> {
    /// The fields, the methods and the class.
    pub(crate) fn items(&self) -> Read<(Vec<Item<'b>>, Vec<Item<'b>>, Item<'b>)> {
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

    pub(crate) fn signature(&self, item: &Item<'b>) -> Option<&'b [u8]> {
        let (_, content) = item.attributes.iter().find(|(name, _)| *name == b"Signature")?;
        self.pool.utf8(Reader { bytes: content, at: 0 }.u2()?)
    }

    pub(crate) fn attributes(&self, reader: &mut Reader<'b>) -> Read<Vec<(&'b [u8], &'b [u8])>> {
        (0..reader.u2()?)
            .map(|_| {
                let (name, length) = (reader.u2()?, reader.u4()?);
                Some((self.pool.utf8(name)?, reader.take(length as usize)?))
            })
            .collect()
    }

    /// A list of annotations.
    pub(crate) fn list(&self, reader: &mut Reader<'b>) -> Read<Vec<Annotation<'b>>> {
        (0..reader.u2()?).map(|_| self.annotation(reader, 0)).collect()
    }

    pub(crate) fn annotation(&self, reader: &mut Reader<'b>, depth: u32) -> Read<Annotation<'b>> {
        let ty = std::str::from_utf8(self.pool.utf8(reader.u2()?)?).ok()?;
        let values = reader.u2()?;
        for _ in 0..values {
            reader.u2()?;
            self.skip_value(reader, depth)?;
        }
        let full = ty.strip_prefix('L').unwrap_or(ty).trim_end_matches(';');
        let name = full.rsplit(['/', '$']).next().unwrap_or(full);
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
    pub(crate) fn type_annotations(&self, reader: &mut Reader<'b>) -> Read<Vec<(Target, bool, Annotation<'b>)>> {
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
pub(crate) enum Target {
    Field,
    Parameter(u8),
    Other,
}
