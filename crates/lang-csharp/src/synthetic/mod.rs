//! Makes the classes and methods that the runtime has and no assembly.

pub(crate) mod arrays;
pub(crate) mod characters;
pub(crate) mod delegates;
pub(crate) mod entry;
pub(crate) mod exceptions;
pub(crate) mod hashes;
pub(crate) mod initializer;
pub(crate) mod literals;
pub(crate) mod operations;
pub(crate) mod references;
pub(crate) mod values;

use crate::layout::CHAR;
use crate::loader::{ClassKind, Cs, MadeClass, MadeMethod, Target};
use crate::types::{Result, Ty, TyId};
use aback_ir::{Class, ClassId, Field, Span, Type};
use std::path::{Path, PathBuf};

/// The field of the box of a primitive value.
pub(crate) const BOXED: &str = "m_value";
/// The field of a string with the array of its characters.
pub(crate) const CHARACTERS: &str = "value";

/// An object that the program creates once, when it is first needed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Made {
    /// The string of a literal.
    String(Vec<u16>),
    /// A name in the declaration of a type.
    Name(TyId, &'static str, String),
    /// A text of the library, by its assembly and the name of the resource.
    Text(crate::assemblies::AssemblyId, String),
    /// The object that stands for a type.
    Type(TyId),
    /// Constant data of an assembly, by its field and the type of its elements.
    Data(crate::assemblies::AssemblyId, aback_cil::Token, Type),
    /// The object for the only thread.
    Thread,
    /// Where a method leaves a leaf of its result, by its number and type.
    Register(usize, aback_ir::Type),
    /// Whether the entry point has inputs with strings.
    StringInputs,
    /// The number of calls of `Assert.Multiple` that have not ended.
    AssertionDepth,
}

/// The name of a class. Those of synthetic classes have characters that no type name has.
pub(crate) fn class_name(cs: Cs, kind: &ClassKind) -> String {
    let shape = |shape: &[aback_ir::Type]| -> String {
        let types: Vec<String> = shape.iter().map(|&ty| cs.program.type_name(ty)).collect();
        types.join(", ")
    };
    let fields = |ids: &[aback_ir::FieldId]| -> String {
        let names: Vec<String> = ids
            .iter()
            .map(|&id| {
                let field = cs.program.field(id);
                format!("{}.{}", cs.program.class_name(field.class), field.name)
            })
            .collect();
        names.join(", ")
    };
    match kind {
        ClassKind::Type(ty) => match cs.ty(*ty) {
            Ty::Named(..) => cs.name(*ty),
            // The program model finds the class of its arrays by their name.
            Ty::Array(element) if !cs.has_planes(*element) => match cs.ir_type(*ty) {
                Ok(array) => cs.program.type_name(array),
                Err(_) => cs.name(*ty),
            },
            _ => cs.declared(*ty).map_or_else(
                || cs.name(*ty),
                |(declared, _)| crate::types::declared_name(&cs.loader.assemblies, declared),
            ),
        },
        ClassKind::Reference(of) => format!("$ref({})", shape(of)),
        ClassKind::Cell(of) => format!("$variable({})", shape(of)),
        ClassKind::Part(of, first, count) => format!("$part({}; {first}, {count})", shape(of)),
        ClassKind::FieldRef(ids) => format!("$field({})", fields(ids)),
        ClassKind::StaticRef(ids) => format!("$static({})", fields(ids)),
        ClassKind::ElementRef(array) => format!("$element({})", cs.name(*array)),
        ClassKind::Delegate(ty, method, target) => {
            let target = match target {
                Target::None => "",
                Target::Dispatched => "object, ",
                Target::Exact => "exact object, ",
            };
            format!("$delegate({}, {target}{} #{})", cs.name(*ty), cs.program.method_name(*method), method.0)
        }
        ClassKind::Multicast(ty) => format!("$delegates({})", cs.name(*ty)),
        ClassKind::Unformatted => "$unformatted".into(),
        ClassKind::EnumOf(ty) => format!("$enum({})", cs.name(*ty)),
        ClassKind::Runtime => "$runtime".into(),
    }
}

/// The contents of a synthetic class.
pub(crate) fn class(cs: Cs, kind: &ClassKind) -> Result<MadeClass> {
    match kind {
        ClassKind::Type(_) => Err("no such class".into()),
        ClassKind::Unformatted => {
            let object = Type::Class(cs.object_class());
            let fields = (0..UNFORMATTED_VALUES).map(|index| (format!("value{index}"), object)).collect();
            Ok(MadeClass { superclass: Some(cs.string_class()), fields, ..MadeClass::default() })
        }
        ClassKind::EnumOf(_) => Ok(MadeClass { is_interface: true, ..MadeClass::default() }),
        ClassKind::Runtime => Ok(MadeClass { superclass: None, ..MadeClass::default() }),
        ClassKind::Reference(shape) => Ok(references::interface(cs, shape)),
        ClassKind::Cell(shape) => Ok(references::cell(cs, shape)),
        ClassKind::Part(shape, first, count) => Ok(references::part(cs, shape, *first, *count)),
        ClassKind::FieldRef(ids) => Ok(references::field(cs, ids)),
        ClassKind::StaticRef(ids) => Ok(references::static_field(cs, ids)),
        ClassKind::ElementRef(array) => references::element(cs, *array),
        ClassKind::Delegate(ty, method, target) => delegates::class(cs, *ty, *method, *target),
        ClassKind::Multicast(ty) => delegates::multicast(cs, *ty),
    }
}

/// Adds the members to a class that are not in its assembly.
pub(crate) fn add_hidden(cs: Cs, ty: TyId, id: ClassId, class: &mut Class) -> Vec<MadeMethod> {
    if id == cs.string_class() {
        let ty = cs.program.array_of(CHAR);
        let field = Field { name: CHARACTERS.into(), class: id, ty, is_static: false, span: Span::NONE };
        class.fields.push(cs.program.new_field(field));
    }
    if cs.is_library_type(ty, "System", "RuntimeType") {
        for name in [NAME, FULL_NAME, SHOWN_NAME] {
            let ty = Type::Class(cs.string_class());
            let field = Field { name: name.into(), class: id, ty, is_static: false, span: Span::NONE };
            class.fields.push(cs.program.new_field(field));
        }
    }
    let mut methods = Vec::new();
    if cs.is_library_type(ty, "System", "Array") {
        methods.extend(operations::declared(cs));
    }
    if cs.is_library_type(ty, "System", "Delegate") {
        methods.extend(delegates::declared(cs));
    }
    methods.extend(values::methods(cs, ty));
    if !class.is_abstract && !class.is_interface || id == cs.object_class() {
        methods.push(operations::type_of(cs, Type::Class(id), ty));
        if id == cs.object_class() {
            methods.push(operations::known(Type::Class(id), true));
        }
    }
    methods
}

/// The number of values in a message that is not written yet, which its fields hold.
pub(crate) const UNFORMATTED_VALUES: usize = 3;

/// The fields of the object for a type with its names: the results of `Name`, `FullName` and `ToString`.
pub(crate) const NAME: &str = "$name";
pub(crate) const FULL_NAME: &str = "$fullName";
pub(crate) const SHOWN_NAME: &str = "$shownName";

/// The path of a source file, by its name in the debug information of an assembly.
pub(crate) fn source_path(assembly: &Path, name: &str) -> PathBuf {
    let name = name.strip_prefix("./").unwrap_or(name);
    let beside = assembly.parent().unwrap_or(Path::new("")).join(name);
    if beside.is_file() { beside } else { PathBuf::from(name) }
}
