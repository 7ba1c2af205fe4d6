//! Converts Java's types and descriptors to types of the program model.

use aback_ir::{Program, Type};

/// `int`, which also represents smaller integers on the stack.
pub const INT: Type = Type::Machine { width: 32, signed: true };
/// `long`.
pub const LONG: Type = Type::Machine { width: 64, signed: true };
/// `byte`.
pub const BYTE: Type = Type::Machine { width: 8, signed: true };
/// `short`.
pub const SHORT: Type = Type::Machine { width: 16, signed: true };
/// `char`.
pub const CHAR: Type = Type::Machine { width: 16, signed: false };

/// The root class.
pub const OBJECT: &str = "java.lang.Object";
/// The class of strings.
pub const STRING: &str = "java.lang.String";

/// The keyword of a primitive type.
pub fn keyword(ty: Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "boolean",
        BYTE => "byte",
        SHORT => "short",
        CHAR => "char",
        INT => "int",
        LONG => "long",
        Type::F32 => "float",
        Type::F64 => "double",
        _ => return None,
    })
}

/// The name of a class in programs, such as `java.util.List`, by its internal name `java/util/List`.
pub fn class_name(internal: &str) -> String {
    internal.replace('/', ".")
}

/// The internal name of a class, such as `java/util/List`, by its name `java.util.List` in programs.
pub fn internal_name(name: &str) -> String {
    name.replace('.', "/")
}

/// Greatest number of dimensions of an array and of parameters of a method (JVM specification, 4.3.2 and 4.3.3).
const MOST: usize = 255;

/// The type of a descriptor (JVM specification, 4.3.2) and the rest of the text. Classes are named, not loaded.
fn take<'d>(program: &Program, descriptor: &'d str) -> Option<(Type, &'d str)> {
    let dimensions = descriptor.len() - descriptor.trim_start_matches('[').len();
    let rest = Some(&descriptor[dimensions..]).filter(|_| dimensions <= MOST)?;
    let (mut ty, rest) = match rest.as_bytes().first()? {
        b'Z' => (Type::Bool, &rest[1..]),
        b'B' => (BYTE, &rest[1..]),
        b'S' => (SHORT, &rest[1..]),
        b'C' => (CHAR, &rest[1..]),
        b'I' => (INT, &rest[1..]),
        b'J' => (LONG, &rest[1..]),
        b'F' => (Type::F32, &rest[1..]),
        b'D' => (Type::F64, &rest[1..]),
        b'L' => {
            let (name, rest) = rest[1..].split_once(';')?;
            (Type::Class(program.declare_class(&class_name(name))), rest)
        }
        _ => return None,
    };
    for _ in 0..dimensions {
        ty = program.array_of(ty);
    }
    Some((ty, rest))
}

/// The type of a field descriptor.
pub fn field_type(program: &Program, descriptor: &str) -> Option<Type> {
    take(program, descriptor).filter(|(_, rest)| rest.is_empty()).map(|(ty, _)| ty)
}

/// The types of the parameters, without a receiver, and of the result of a method descriptor.
pub fn method_types(program: &Program, descriptor: &str) -> Option<(Vec<Type>, Option<Type>)> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut params = Vec::new();
    while !rest.starts_with(')') {
        let (ty, after) = take(program, rest)?;
        params.push(ty);
        rest = Some(after).filter(|_| params.len() <= MOST)?;
    }
    match &rest[1..] {
        "V" => Some((params, None)),
        result => Some((params, Some(field_type(program, result)?))),
    }
}

/// The type of a class entry in a constant pool: a class, or an array by its descriptor.
pub fn named_type(program: &Program, name: &str) -> Option<Type> {
    if name.starts_with('[') {
        field_type(program, name)
    } else {
        Some(Type::Class(program.declare_class(&class_name(name))))
    }
}

/// The type that represents a type on the stack: `int` for smaller integers.
pub fn stack_type(ty: Type) -> Type {
    match ty {
        Type::Bool | Type::Machine { width: 8 | 16, .. } => INT,
        other => other,
    }
}

/// Whether values of a type take two slots on the stack and among the locals.
pub fn is_wide(ty: Type) -> bool {
    matches!(ty, Type::Machine { width: 64, .. } | Type::F64)
}

/// The descriptor of a type.
pub fn descriptor(program: &Program, ty: Type) -> String {
    match ty {
        Type::Bool => "Z".into(),
        BYTE => "B".into(),
        SHORT => "S".into(),
        CHAR => "C".into(),
        INT => "I".into(),
        Type::F32 => "F".into(),
        Type::F64 => "D".into(),
        Type::Class(class) => format!("L{};", internal_name(program.class_name(class))),
        Type::Array(array) => format!("[{}", descriptor(program, program.element_type(array))),
        Type::Machine { .. } | Type::Int | Type::Null => "J".into(),
    }
}
