//! Knows the JDK's lists that consist of an array and a number, so that inputs can be in any valid state.

use aback_ir::{ClassId, Contents, Extent, FieldId, Form, Look, OwnedArrays, Program, Sequence};

/// The library's own code never leaves these fields in another state, gives the array to nobody else, and does not look
/// at elements that are not in use. Nothing shows how many elements there are that are not in use, so that the array is
/// as long as possible, and no element that the code adds needs a longer one.
pub(crate) const LIST: &str = "java.util.ArrayList";
const ARRAY: &str = "elementData";
const COUNT: &str = "size";

/// Whether a class is a list of the JDK itself, and not one of the program that derives from it.
pub(crate) fn is_list(program: &Program, class: ClassId) -> bool {
    program.class_name(class) == LIST && program.class(class).is_library
}

/// Types whose objects in the JDK keep rules about their fields.
const KEEPING_RULES: [&str; 4] = ["java.util.Map", "java.util.Collection", "java.util.Iterator", "java.util.Map$Entry"];

/// Whether an object of a class of the JDK may be impossible if its fields are any: a collection, except for a list
/// whose inputs are in valid states only.
pub(crate) fn may_be_impossible(program: &Program, class: ClassId) -> bool {
    let is_one = |&class: &ClassId| KEEPING_RULES.contains(&program.class_name(class));
    program.class(class).is_library && !is_list(program, class) && program.supertypes(class).iter().any(is_one)
}

fn fields(program: &Program, class: ClassId) -> Option<(FieldId, FieldId)> {
    let list = program.superclass_chain(class).find(|&class| is_list(program, class))?;
    Some((program.find_field(list, ARRAY)?, program.find_field(list, COUNT)?))
}

/// The parts of the objects of a class that is or derives from such a list.
pub(crate) fn parts(program: &Program, class: ClassId) -> Option<OwnedArrays> {
    let (array, count) = fields(program, class)?;
    Some(OwnedArrays { arrays: vec![array], extent: Extent::Used { count, end: None, is_longest: true } })
}

/// Whether a field holds the array of such a list.
pub(crate) fn is_array(program: &Program, field: FieldId) -> bool {
    let declared = program.field(field);
    declared.name == ARRAY && is_list(program, declared.class)
}

/// How such a list is shown.
pub(crate) fn look(program: &Program, class: ClassId) -> Option<Look> {
    if !is_list(program, class) {
        return None;
    }
    let (array, count) = fields(program, class)?;
    let sequence = Sequence { form: Form::Plain, array, planes: Vec::new(), first: None, count };
    Some(Look { name: "ArrayList".into(), contents: Contents::Sequence(sequence) })
}
