//! Class files, parsed.

use cafebabe::attributes::{AttributeData, AttributeInfo, BootstrapMethodEntry, CodeData};
use cafebabe::constant_pool::LiteralConstant;
use cafebabe::{FieldInfo, MethodInfo};

type Tree<'a> = cafebabe::ClassFile<'a>;

self_cell::self_cell!(
    struct Parsed {
        owner: Vec<u8>,
        #[not_covariant]
        dependent: Tree,
    }
);

/// A class file with the bytes that it was read from.
pub struct ClassFile(Parsed);

impl ClassFile {
    /// Parses a class file.
    ///
    /// # Errors
    /// What is wrong with it, for a person.
    pub fn parse(bytes: Vec<u8>) -> Result<ClassFile, String> {
        Parsed::try_new(bytes, |bytes| cafebabe::parse_class(bytes)).map(ClassFile).map_err(|error| error.to_string())
    }

    /// Looks at what it says.
    pub fn with<R>(&self, look: impl for<'t> FnOnce(&Tree<'t>) -> R) -> R {
        self.0.with_dependent(|_, tree| look(tree))
    }
}

/// Name of the source file of a class, without folders.
pub fn source_file<'b>(tree: &'b Tree<'_>) -> Option<&'b str> {
    tree.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.as_ref()),
        _ => None,
    })
}

/// The name that the source gives a nested class; none for other classes and those without a name.
pub fn inner_name(tree: &Tree<'_>, internal: &str) -> Option<String> {
    tree.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::InnerClasses(classes) => {
            let own = classes.iter().find(|class| class.inner_class_info == internal)?;
            own.inner_name.as_ref().map(ToString::to_string)
        }
        _ => None,
    })
}

/// What the invokedynamic instructions of a class are linked by.
pub fn bootstrap_methods<'a, 'b>(tree: &'b Tree<'a>) -> &'b [BootstrapMethodEntry<'a>] {
    let found = tree.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::BootstrapMethods(methods) => Some(methods.as_slice()),
        _ => None,
    });
    found.unwrap_or_default()
}

/// The code of a method that has one.
pub fn code<'a, 'b>(method: &'b MethodInfo<'a>) -> Option<&'b CodeData<'a>> {
    method.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::Code(code) => Some(code),
        _ => None,
    })
}

/// The constant that a static field starts with, if it is one.
pub fn constant_value<'a, 'b>(field: &'b FieldInfo<'a>) -> Option<&'b LiteralConstant<'a>> {
    field.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::ConstantValue(value) => Some(value),
        _ => None,
    })
}

/// The first line of a method's code.
pub fn first_line(attributes: &[AttributeInfo<'_>]) -> Option<u32> {
    attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::LineNumberTable(lines) => lines.iter().map(|line| u32::from(line.line_number)).min(),
        _ => None,
    })
}
