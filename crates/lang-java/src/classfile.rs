//! Parses class files.

use crate::bootstrap::{Bootstrap, Layout};
use crate::slim::slim;
use cafebabe::attributes::{AttributeData, AttributeInfo, CodeData};
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

/// A parsed class file, with its bytes.
pub struct ClassFile {
    parsed: Parsed,
    layout: Layout,
}

impl ClassFile {
    /// Parses a class file.
    ///
    /// # Errors
    /// The mistake in the class file, as a message for users.
    pub fn parse(mut bytes: Vec<u8>) -> Result<ClassFile, String> {
        let layout = Layout::hide_computed(&mut bytes).ok_or("it ends too early")?;
        // The constant pool keeps its position, so the layout stays valid.
        let slim = slim(&bytes, &layout.pool(&bytes).ok_or("it ends too early")?)?;
        let parsed = Parsed::try_new(slim, |bytes| cafebabe::parse_class(bytes)).map_err(|error| error.to_string())?;
        Ok(ClassFile { parsed, layout })
    }

    /// The bootstrap method with this index.
    pub(crate) fn bootstrap(&self, number: u16) -> Option<Bootstrap> {
        self.layout.bootstrap(self.parsed.borrow_owner(), number)
    }

    /// Calls `look` with the parsed class file.
    pub fn with<R>(&self, look: impl for<'t> FnOnce(&Tree<'t>) -> R) -> R {
        self.parsed.with_dependent(|_, tree| look(tree))
    }
}

/// Name of the source file of a class, without folders.
pub fn source_file<'b>(tree: &'b Tree<'_>) -> Option<&'b str> {
    tree.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.as_ref()),
        _ => None,
    })
}

/// The code of a method, if it has any.
pub fn code<'a, 'b>(method: &'b MethodInfo<'a>) -> Option<&'b CodeData<'a>> {
    method.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::Code(code) => Some(code),
        _ => None,
    })
}

/// The constant value of a static field, if it has one.
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
