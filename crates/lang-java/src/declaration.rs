//! How may Java sources name what is in a program? What the class files say of it, and the program model does not.

use crate::classfile;
use crate::loader::{Java, JavaClass, JavaLoader};
use crate::types::{descriptor, internal_name};
use aback_ir::{Access, ClassId, FieldId, MethodId, MethodKind, Program};
use cafebabe::attributes::{AttributeData, InnerClassAccessFlags, InnerClassEntry};
use cafebabe::{ClassAccessFlags, FieldAccessFlags, MethodAccessFlags, MethodInfo};

/// Who may name something, by the flags of the class file.
fn access(public: bool, protected: bool, private: bool) -> Access {
    match (public, protected, private) {
        (true, ..) => Access::Public,
        (_, true, _) => Access::Protected,
        (_, _, true) => Access::Private,
        _ => Access::Package,
    }
}

/// Who may call a method, by its flags.
pub(crate) fn access_of(flags: MethodAccessFlags) -> Access {
    let is = |flag| flags.contains(flag);
    access(is(MethodAccessFlags::PUBLIC), is(MethodAccessFlags::PROTECTED), is(MethodAccessFlags::PRIVATE))
}

/// A class, as sources see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassDeclaration {
    /// Its name in sources: `java.util.Map.Entry`.
    pub name: String,
    /// Who may name it: the least of its own access and that of the classes around it.
    pub access: Access,
    /// Whether each object of it belongs to one of the class around.
    pub is_inner: bool,
    /// Whether it is a record, whose fields nothing but its constructors can write.
    pub is_record: bool,
    /// Whether it comes with the JDK.
    pub is_of_jdk: bool,
}

/// A field, method or constructor, as sources see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberDeclaration {
    /// Who may name it, if the class can be named.
    pub access: Access,
    /// Whether it is a field that is written once.
    pub is_final: bool,
    /// Whether it is a constant of an enum.
    pub is_constant: bool,
    /// Whether sources have no word of it: the compiler added it.
    pub is_synthetic: bool,
    /// Whether it is a method that the compiler added to call another one, which overrides what this one has the signature of.
    pub is_bridge: bool,
}

impl JavaLoader {
    /// How sources may name a class. `None` for what they cannot name: local and anonymous classes, and those that have no class file.
    pub fn class_declaration(&self, program: &Program, class: ClassId) -> Option<ClassDeclaration> {
        let java = Java { program, loader: self };
        let loaded = java.class(class)?;
        let is_record =
            program.class(class).superclass.is_some_and(|parent| program.class_name(parent) == "java.lang.Record");
        let (name, access, is_inner) = nesting(java, &loaded, 0)?;
        Some(ClassDeclaration { name, access, is_inner, is_record, is_of_jdk: loaded.is_trusted })
    }

    /// How sources may name a field; `None` for one that no class file has.
    pub fn field_declaration(&self, program: &Program, field: FieldId) -> Option<MemberDeclaration> {
        let declared = program.field(field);
        let loaded = Java { program, loader: self }.class(declared.class)?;
        let descriptor = descriptor(program, declared.ty);
        loaded.file.as_ref()?.with(|tree| {
            let mut fields = tree.fields.iter();
            let found =
                fields.find(|found| found.name == declared.name && found.descriptor.to_string() == descriptor)?;
            let is = |flag| found.access_flags.contains(flag);
            Some(MemberDeclaration {
                access: access(
                    is(FieldAccessFlags::PUBLIC),
                    is(FieldAccessFlags::PROTECTED),
                    is(FieldAccessFlags::PRIVATE),
                ),
                is_final: is(FieldAccessFlags::FINAL),
                is_constant: is(FieldAccessFlags::ENUM),
                is_synthetic: is(FieldAccessFlags::SYNTHETIC),
                is_bridge: false,
            })
        })
    }

    /// How sources may name a method or constructor; `None` for one that no class file has.
    pub fn method_declaration(&self, program: &Program, method: MethodId) -> Option<MemberDeclaration> {
        let declared = program.method(method);
        let loaded = Java { program, loader: self }.class(declared.class)?;
        loaded.file.as_ref()?.with(|tree| {
            let found = tree.methods.iter().find(|found| is_method(program, method, found))?;
            let is = |flag| found.access_flags.contains(flag);
            Some(MemberDeclaration {
                access: access_of(found.access_flags),
                is_final: is(MethodAccessFlags::FINAL),
                is_constant: false,
                is_synthetic: is(MethodAccessFlags::SYNTHETIC),
                is_bridge: is(MethodAccessFlags::BRIDGE),
            })
        })
    }

    /// The line of a method's code that the instruction at a byte belongs to, if the class file says so.
    pub fn line_of(&self, program: &Program, method: MethodId, byte: u16) -> Option<u32> {
        let declared = program.method(method);
        let loaded = Java { program, loader: self }.class(declared.class)?;
        loaded.file.as_ref()?.with(|tree| {
            let found = tree.methods.iter().find(|found| is_method(program, method, found))?;
            let code = classfile::code(found)?;
            let tables = code.attributes.iter().filter_map(|attribute| match &attribute.data {
                AttributeData::LineNumberTable(lines) => Some(lines),
                _ => None,
            });
            let before = tables.flatten().filter(|entry| entry.start_pc <= byte);
            before.max_by_key(|entry| entry.start_pc).map(|entry| entry.line_number.into())
        })
    }

    /// The names of an enum's constants, in their order; empty for other classes.
    pub fn constants(&self, program: &Program, class: ClassId) -> Vec<String> {
        let fields = program.class(class).fields.iter();
        let is_constant =
            |field: &FieldId| self.field_declaration(program, *field).is_some_and(|found| found.is_constant);
        fields.copied().filter(is_constant).map(|field| program.field(field).name.clone()).collect()
    }
}

/// Whether a method of a class file is one of the program.
fn is_method(program: &Program, method: MethodId, found: &MethodInfo<'_>) -> bool {
    let declared = program.method(method);
    let receiver = usize::from(declared.kind != MethodKind::Static);
    let params: String = declared.params[receiver..].iter().map(|&ty| descriptor(program, ty)).collect();
    let result = declared.result.map_or("V".into(), |ty| descriptor(program, ty));
    found.name == declared.name && found.descriptor.to_string() == format!("({params}){result}")
}

/// The name, access, and whether objects belong to others, of a class and those around it (JVM specification, 4.7.6).
fn nesting(java: Java, class: &JavaClass, depth: usize) -> Option<(String, Access, bool)> {
    /// Class files may claim to be nested in circles.
    const MOST: usize = 64;
    if depth > MOST {
        return None;
    }
    let own = internal_name(&class.name);
    let found = class.file.as_ref()?.with(|tree| {
        let entries = tree.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::InnerClasses(entries) => Some(entries),
            _ => None,
        });
        let entry: Option<&InnerClassEntry<'_>> =
            entries.and_then(|all| all.iter().find(|entry| entry.inner_class_info == own));
        match entry {
            None => {
                let public = tree.access_flags.contains(ClassAccessFlags::PUBLIC);
                Some((None, class.name.clone(), access(public, false, false), true))
            }
            Some(entry) => {
                let is = |flag| entry.access_flags.contains(flag);
                let access = access(
                    is(InnerClassAccessFlags::PUBLIC),
                    is(InnerClassAccessFlags::PROTECTED),
                    is(InnerClassAccessFlags::PRIVATE),
                );
                let outer = entry.outer_class_info.as_ref()?.to_string();
                Some((Some(outer), entry.inner_name.as_ref()?.to_string(), access, is(InnerClassAccessFlags::STATIC)))
            }
        }
    });
    let (outer, name, access, is_static) = found?;
    let Some(outer) = outer else { return Some((name, access, false)) };
    let outer = java.class(java.named(&crate::types::class_name(&outer)))?;
    let (around, around_access, _) = nesting(java, &outer, depth + 1)?;
    Some((format!("{around}.{name}"), access.min(around_access), !is_static))
}
