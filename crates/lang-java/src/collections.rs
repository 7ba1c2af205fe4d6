//! Knows the JDK's lists that consist of an array and a number, so that inputs can be in any valid state.

use aback_ir::{
    ClassId, Collection, Contents, Extent, FieldId, Form, Look, OwnedArrays, Program, Sequence, SequenceEnd, Walk,
};

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

fn in_array(array: FieldId, first: Option<FieldId>, end: SequenceEnd) -> Contents {
    Contents::Sequence(Sequence { form: Form::Plain, array, planes: Vec::new(), first, end })
}

/// How a collection of the JDK is shown: a list with its array, or one of those whose elements are objects.
pub(crate) fn look(program: &Program, class: ClassId) -> Option<Look> {
    if is_list(program, class) {
        let (array, count) = fields(program, class)?;
        let contents = in_array(array, None, SequenceEnd::Count(count));
        return Some(Look { name: "ArrayList".into(), contents });
    }
    let name = program.class_name(class).strip_prefix("java.util.").filter(|_| program.class(class).is_library)?;
    let field = |class: &str, name: &str| {
        let class = program.class_named(&format!("java.util.{class}"))?;
        program.find_field(class, name)
    };
    let plain = |class: &str, name: &str| Some((Form::Plain, vec![field(class, name)?]));
    let hash = |owner: Vec<FieldId>, is_map: bool| {
        let mut parts = vec![plain("HashMap$Node", "key")?];
        parts.extend(if is_map { Some(plain("HashMap$Node", "value")?) } else { None });
        Some(Collection {
            start: [owner.clone(), vec![field("HashMap", "table")?]].concat(),
            walk: Walk::Table(field("HashMap$Node", "next")?),
            count: [owner, vec![field("HashMap", "size")?]].concat(),
            parts,
            is_list: false,
        })
    };
    // In the order in which iterators go through it.
    let linked_hash = |owner: Vec<FieldId>, is_map: bool| {
        let by_hash = hash(owner.clone(), is_map)?;
        let start = [owner, vec![field("LinkedHashMap", "head")?]].concat();
        Some(Collection { start, walk: Walk::Chain(field("LinkedHashMap$Entry", "after")?), ..by_hash })
    };
    let tree = |owner: Vec<FieldId>, is_map: bool| {
        let mut parts = vec![plain("TreeMap$Entry", "key")?];
        parts.extend(if is_map { Some(plain("TreeMap$Entry", "value")?) } else { None });
        Some(Collection {
            start: [owner.clone(), vec![field("TreeMap", "root")?]].concat(),
            walk: Walk::Tree(field("TreeMap$Entry", "left")?, field("TreeMap$Entry", "right")?),
            count: [owner, vec![field("TreeMap", "size")?]].concat(),
            parts,
            is_list: false,
        })
    };
    let collection = match name {
        "HashMap" => hash(Vec::new(), true)?,
        "HashSet" => hash(vec![field("HashSet", "map")?], false)?,
        "LinkedHashMap" => linked_hash(Vec::new(), true)?,
        "LinkedHashSet" => linked_hash(vec![field("HashSet", "map")?], false)?,
        "TreeMap" => tree(Vec::new(), true)?,
        "TreeSet" => tree(vec![field("TreeSet", "m")?], false)?,
        "LinkedList" => Collection {
            start: vec![field(name, "first")?],
            walk: Walk::Chain(field("LinkedList$Node", "next")?),
            count: vec![field(name, "size")?],
            parts: vec![plain("LinkedList$Node", "item")?],
            is_list: true,
        },
        "ArrayDeque" => {
            let end = SequenceEnd::Index(field(name, "tail")?);
            let contents = in_array(field(name, "elements")?, Some(field(name, "head")?), end);
            return Some(Look { name: name.into(), contents });
        }
        "PriorityQueue" | "Vector" | "Stack" => {
            let (class, array, count) = match name {
                "PriorityQueue" => (name, "queue", "size"),
                _ => ("Vector", "elementData", "elementCount"),
            };
            let contents = in_array(field(class, array)?, None, SequenceEnd::Count(field(class, count)?));
            return Some(Look { name: name.into(), contents });
        }
        _ => return None,
    };
    Some(Look { name: name.into(), contents: Contents::Collection(collection) })
}
