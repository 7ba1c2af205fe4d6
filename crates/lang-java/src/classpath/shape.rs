//! Compares what class files declare.

use cafebabe::attributes::{AttributeData, AttributeInfo};
use cafebabe::{ClassFile, FieldAccessFlags, MethodAccessFlags, ParseOptions};
use std::fmt::Write;

/// Whether two class files that a compiler made differ at most in what other sources do not see: in the code of methods,
/// in members that the compiler added, and in places in the source.
pub(super) fn same_shape(first: &[u8], second: &[u8]) -> bool {
    first == second || shape(first).is_some_and(|shape_of_first| shape(second) == Some(shape_of_first))
}

/// All that other sources see, as text.
fn shape(bytes: &[u8]) -> Option<String> {
    let class = cafebabe::parse_class_with_options(bytes, ParseOptions::default().parse_bytecode(false)).ok()?;
    let ClassFile { major_version, access_flags, this_class, super_class, interfaces, .. } = &class;
    let mut shape = format!("{major_version} {access_flags:?} {this_class:?} {super_class:?} {interfaces:?}\n");
    // Writing to a string does not fail.
    for field in class.fields.iter().filter(|field| !field.access_flags.contains(FieldAccessFlags::SYNTHETIC)) {
        let _ = write!(shape, "{:?} {} {:?}", field.access_flags, field.name, field.descriptor);
        add_attributes(&field.attributes, this_class, &mut shape);
    }
    for method in class.methods.iter().filter(|method| !method.access_flags.contains(MethodAccessFlags::SYNTHETIC)) {
        let _ = write!(shape, "{:?} {} {:?}", method.access_flags, method.name, method.descriptor);
        add_attributes(&method.attributes, this_class, &mut shape);
    }
    add_attributes(&class.attributes, this_class, &mut shape);
    Some(shape)
}

fn add_attributes(attributes: &[AttributeInfo<'_>], class: &str, shape: &mut String) {
    for AttributeInfo { name, data, .. } in attributes {
        let _ = match data {
            AttributeData::Code(_) | AttributeData::BootstrapMethods(_) => Ok(()),
            // The other entries are classes that the code names.
            AttributeData::InnerClasses(entries) => {
                let is_own =
                    |name: &str| name.strip_prefix(class).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'));
                entries
                    .iter()
                    .filter(|entry| is_own(&entry.inner_class_info))
                    .try_for_each(|entry| write!(shape, " {entry:?}"))
            }
            data => write!(shape, " {name} {data:?}"),
        };
    }
    shape.push('\n');
}
