//! Describes the declarations of a program as Java sources can name them, with information from class files that the
//! program model lacks.

use crate::classfile;
use crate::collections;
use crate::generics::signature;
use crate::loader::{Java, JavaClass, JavaLoader};
use crate::translate::asserts;
use crate::types::{descriptor, internal_name};
use aback_ir::{Access, ClassId, FieldId, MethodId, MethodKind, Program};
use cafebabe::attributes::{AttributeData, InnerClassAccessFlags, InnerClassEntry};
use cafebabe::bytecode::Opcode;
use cafebabe::{ClassAccessFlags, FieldAccessFlags, MethodAccessFlags, MethodInfo};

/// The access that the flags of a class file describe.
fn access(public: bool, protected: bool, private: bool) -> Access {
    match (public, protected, private) {
        (true, ..) => Access::Public,
        (_, true, _) => Access::Protected,
        (_, _, true) => Access::Private,
        _ => Access::Package,
    }
}

/// The access of a method, by its flags.
pub(crate) fn access_of(flags: MethodAccessFlags) -> Access {
    let is = |flag| flags.contains(flag);
    access(is(MethodAccessFlags::PUBLIC), is(MethodAccessFlags::PROTECTED), is(MethodAccessFlags::PRIVATE))
}

/// A class as seen by sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassDeclaration {
    /// The name of the class in sources: `java.util.Map.Entry`.
    pub name: String,
    /// The most restrictive access among the class and its enclosing classes.
    pub access: Access,
    /// Whether each object of the class belongs to an object of the enclosing class.
    pub is_inner: bool,
    /// Whether the class is a record, whose fields only its constructors can write.
    pub is_record: bool,
    /// Whether the class belongs to the JDK.
    pub is_of_jdk: bool,
}

/// A field, method or constructor as seen by sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberDeclaration {
    /// The access of the member, if the class is accessible.
    pub access: Access,
    /// Whether it is a final field.
    pub is_final: bool,
    /// Whether it is an enum constant.
    pub is_constant: bool,
    /// Whether the compiler generated it, so that it is not in sources.
    pub is_synthetic: bool,
    /// Whether it is a bridge method: the compiler generated it with the signature of an overridden method, to call
    /// the overrider.
    pub is_bridge: bool,
}

impl JavaLoader {
    /// The declaration of a class in sources. `None` for a class that sources cannot name: local and anonymous
    /// classes, and classes without a class file.
    pub fn class_declaration(&self, program: &Program, class: ClassId) -> Option<ClassDeclaration> {
        let java = Java { program, loader: self };
        let loaded = java.class(class)?;
        let is_record =
            program.class(class).superclass.is_some_and(|parent| program.class_name(parent) == "java.lang.Record");
        let (name, access, is_inner) = nesting(java, &loaded, 0)?;
        Some(ClassDeclaration { name, access, is_inner, is_record, is_of_jdk: loaded.is_trusted })
    }

    /// The declaration of a field in sources, or `None` if no class file has the field.
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

    /// The declaration of a method or constructor in sources, or `None` if no class file has it.
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

    /// The text of all declarations in the class file of a class: access, types with their arguments, permitted subclasses.
    pub(crate) fn declarations_of(&self, program: &Program, class: ClassId) -> Option<String> {
        let nesting = self.class_declaration(program, class);
        let loaded = Java { program, loader: self }.class(class)?;
        loaded.file.as_ref()?.with(|tree| {
            let permitted = tree.attributes.iter().find_map(|attribute| match &attribute.data {
                AttributeData::PermittedSubclasses(names) => Some(names.join(" ")),
                _ => None,
            });
            let mut lines =
                vec![format!("{:?} {:?} {nesting:?} {permitted:?}", tree.access_flags, signature(&tree.attributes))];
            lines.extend(
                tree.fields
                    .iter()
                    .map(|field| format!("{} {:?} {:?}", field.name, field.access_flags, signature(&field.attributes))),
            );
            lines.extend(tree.methods.iter().map(|method| {
                format!(
                    "{}{} {:?} {:?}",
                    method.name,
                    method.descriptor,
                    method.access_flags,
                    signature(&method.attributes)
                )
            }));
            Some(lines.join("\n"))
        })
    }

    /// The source line of the error that an instruction at a bytecode offset of a method makes, if it makes an
    /// `AssertionError`, computes its argument, or throws it.
    pub fn line_of_error(&self, program: &Program, method: MethodId, byte: u16) -> Option<u32> {
        let declared = program.method(method);
        let loaded = Java { program, loader: self }.class(declared.class)?;
        loaded.file.as_ref()?.with(|tree| {
            let found = tree.methods.iter().find(|found| is_method(program, method, found))?;
            let code = classfile::code(found)?;
            let byte = usize::from(byte);
            // The throw ends the computation.
            let mut start = None;
            for (offset, opcode) in code.bytecode.as_ref()?.opcodes.iter().take_while(|(offset, _)| *offset <= byte) {
                match opcode {
                    Opcode::New(class) if class == asserts::ERROR => _ = start.get_or_insert(*offset),
                    Opcode::Athrow if *offset < byte => start = None,
                    _ => {}
                }
            }
            let start = start?;
            let tables = code.attributes.iter().filter_map(|attribute| match &attribute.data {
                AttributeData::LineNumberTable(lines) => Some(lines),
                _ => None,
            });
            let before = tables.flatten().filter(|entry| usize::from(entry.start_pc) <= start);
            before.max_by_key(|entry| entry.start_pc).map(|entry| entry.line_number.into())
        })
    }

    /// Whether a class is a list of the JDK with a constructor that copies the elements of a collection.
    pub fn is_list(&self, program: &Program, class: ClassId) -> bool {
        collections::is_list(program, class)
    }

    /// The names of an enum's constants, in order. Empty for other classes.
    pub fn constants(&self, program: &Program, class: ClassId) -> Vec<String> {
        let fields = program.class(class).fields.iter();
        let is_constant =
            |field: &FieldId| self.field_declaration(program, *field).is_some_and(|found| found.is_constant);
        fields.copied().filter(is_constant).map(|field| program.field(field).name.clone()).collect()
    }
}

/// Whether a method of a class file is the given method of the program.
fn is_method(program: &Program, method: MethodId, found: &MethodInfo<'_>) -> bool {
    let declared = program.method(method);
    let receiver = usize::from(declared.kind != MethodKind::Static);
    let params: String = declared.params[receiver..].iter().map(|&ty| descriptor(program, ty)).collect();
    let result = declared.result.map_or("V".into(), |ty| descriptor(program, ty));
    found.name == declared.name && found.descriptor.to_string() == format!("({params}){result}")
}

/// The name and access of a class with its enclosing classes, and whether its objects belong to others (JVM
/// specification, 4.7.6).
fn nesting(java: Java, class: &JavaClass, depth: usize) -> Option<(String, Access, bool)> {
    /// Greatest nesting of classes, because class files may claim cyclic nesting.
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
