//! Generates class objects, and the methods by which an object returns its class.

use crate::loader::{Java, Made, MadeMethod};
use crate::models;
use crate::synthetic::constants;
use crate::types::{BYTE, CHAR, INT, LONG, OBJECT, SHORT, STRING};
use aback_ir::builder::Builder;
use aback_ir::{Body, ClassId, ExprId, FieldId, MethodId, OpKind, Type};

/// The class of class objects.
pub(crate) const CLASS: &str = "java.lang.Class";
/// The class of the class object of `T` is called `java.lang.Class<T>`. It overrides the methods that depend on the
/// type.
const PREFIX: &str = "java.lang.Class<";

/// Kinds of class objects, the values of the hidden field `$kind`.
pub(crate) mod kind {
    pub(crate) const CLASS: i64 = 0;
    pub(crate) const INTERFACE: i64 = 1;
    pub(crate) const ARRAY: i64 = 2;
    pub(crate) const PRIMITIVE: i64 = 3;
}

/// Hidden fields of class objects: names and descriptors.
pub(crate) const HIDDEN_FIELDS: &[(&str, &str)] =
    &[("$kind", "I"), ("$modifiers", "I"), ("$super", "Ljava/lang/Class;")];

/// The name of the class of a type's class object.
fn name_of(java: Java, ty: Option<Type>) -> String {
    format!("{PREFIX}{}>", shown(java, ty))
}

/// The type as shown by `Class.getTypeName`.
fn shown(java: Java, ty: Option<Type>) -> String {
    match ty {
        None => "void".into(),
        Some(Type::Array(array)) => format!("{}[]", shown(java, Some(java.program.element_type(array)))),
        Some(ty) => primitive(ty).map_or_else(|| java.program.type_name(ty), |(name, _)| name.to_string()),
    }
}

/// Name and descriptor of a primitive type.
fn primitive(ty: Type) -> Option<(&'static str, char)> {
    Some(match ty {
        Type::Bool => ("boolean", 'Z'),
        BYTE => ("byte", 'B'),
        SHORT => ("short", 'S'),
        CHAR => ("char", 'C'),
        INT => ("int", 'I'),
        LONG => ("long", 'J'),
        Type::F32 => ("float", 'F'),
        Type::F64 => ("double", 'D'),
        _ => return None,
    })
}

/// The type as returned by `Class.getName`: `java.lang.String`, `[I`, `[Ljava.lang.String;`.
fn binary_name(java: Java, ty: Option<Type>) -> String {
    match ty {
        Some(Type::Array(array)) => {
            let element = java.program.element_type(array);
            match (element, primitive(element)) {
                (_, Some((_, descriptor))) => format!("[{descriptor}"),
                (Type::Array(_), _) => format!("[{}", binary_name(java, Some(element))),
                _ => format!("[L{};", binary_name(java, Some(element))),
            }
        }
        other => shown(java, other),
    }
}

/// The static field that holds the class object of a type (`None` means `void`), and the method that creates the
/// object.
pub(crate) fn class_object(java: Java, ty: Option<Type>) -> (FieldId, MethodId) {
    java.made(Made::Class(ty), |java| {
        let shown = shown(java, ty);
        let field = java.new_static_field(&format!("class {shown}"), java.class_type(CLASS));
        let method = java.new_static(&format!("make class {shown}"), &[], None, move |java| make(java, ty, field));
        (field, method)
    })
}

/// Whether the type's name is known. The virtual machine chooses the names of generated classes, such as those of
/// lambdas.
pub(crate) fn has_name(java: Java, ty: Option<Type>) -> bool {
    match ty {
        Some(Type::Class(class)) => java.class(class).is_none_or(|class| class.file.is_some()),
        Some(Type::Array(array)) => has_name(java, Some(java.program.element_type(array))),
        _ => true,
    }
}

/// The string of a literal.
pub(crate) fn literal(java: Java, code: &mut Builder, text: &str) -> ExprId {
    let (field, method) = constants::string(java, text.encode_utf16().collect());
    code.op(OpKind::Ensure { field, method });
    code.result(java.class_type(STRING), |dst| OpKind::GetStatic { dst, field })
}

fn make(java: Java, ty: Option<Type>, made: FieldId) -> Body {
    let mut code = Builder::new(&[]);
    let class = java.named(CLASS);
    let Some(name_field) = java.declared_field(class, "name", "Ljava/lang/String;") else {
        code.unsupported("class objects: the library has no java.lang.Class that fits");
        return code.finish();
    };
    if let Some((field, method)) = java.initialization(class) {
        code.op(OpKind::Ensure { field, method });
    }
    let object = code.allocate(java.declare_type_class(name_of(java, ty), ty));
    // The field is assigned first, because the code below may need the class object again.
    code.op(OpKind::PutStatic { field: made, value: object });
    if has_name(java, ty) {
        let name = literal(java, &mut code, &binary_name(java, ty));
        code.op(OpKind::PutField { object, field: name_field, value: name });
    }
    let kind = match ty {
        Some(Type::Class(id)) if java.program.class(id).is_interface => kind::INTERFACE,
        Some(Type::Class(_)) => kind::CLASS,
        Some(Type::Array(_)) => kind::ARRAY,
        _ => kind::PRIMITIVE,
    };
    let modifiers = models::modifiers(java, ty.unwrap_or(Type::Null));
    for (name, value) in [("$kind", kind), ("$modifiers", modifiers)] {
        if let Some(field) = java.declared_field(class, name, "I") {
            let value = code.int(value);
            code.op(OpKind::PutField { object, field, value });
        }
    }
    let mut refer = |name: &str, to: Option<Type>| {
        if let (Some(to), Some(target)) = (to, java.declared_field(class, name, "Ljava/lang/Class;")) {
            let (field, method) = class_object(java, Some(to));
            code.op(OpKind::Ensure { field, method });
            let value = code.result(java.class_type(CLASS), |dst| OpKind::GetStatic { dst, field });
            code.op(OpKind::PutField { object, field: target, value });
        }
    };
    match ty {
        Some(Type::Array(array)) => {
            refer("componentType", Some(java.program.element_type(array)));
            refer("$super", Some(java.class_type(OBJECT)));
        }
        Some(Type::Class(id)) => refer("$super", java.program.class(id).superclass.map(Type::Class)),
        _ => {}
    }
    code.ret(None);
    code.finish()
}

/// The methods that the class of a type's class object overrides.
pub(crate) fn class_object_methods(java: Java, ty: Option<Type>) -> Vec<MadeMethod> {
    let object = java.class_type(OBJECT);
    let is_instance = MadeMethod::new("$isInstance", &[object], Some(Type::Bool), move |java| {
        let mut code = Builder::new(&[java.class_type(CLASS), java.class_type(OBJECT)]);
        let value = match ty {
            Some(ty) if ty.is_reference() => {
                let object = code.param(1);
                code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty })
            }
            _ => code.bool(false),
        };
        code.ret(Some(value));
        code.finish()
    });
    let new_array = MadeMethod::new("$newArray", &[INT], Some(object), move |java| {
        let mut code = Builder::new(&[java.class_type(CLASS), INT]);
        match ty {
            Some(element) => {
                let length = code.param(1);
                let array = java.program.array_of(element);
                let array = code.result(array, |dst| OpKind::NewArray { dst, element, length });
                code.ret(Some(array));
            }
            None => code.unsupported("an array of void"),
        }
        code.finish()
    });
    vec![is_instance, new_array]
}

/// The methods of `java.lang.Class` that the classes of class objects override.
pub(crate) fn class_methods(java: Java) -> Vec<MadeMethod> {
    let object = java.class_type(OBJECT);
    let refuse =
        |params: Vec<Type>| move |_: Java| aback_ir::builder::unsupported(&params, "a class object of no type");
    let this = java.class_type(CLASS);
    vec![
        MadeMethod::new("$isInstance", &[object], Some(Type::Bool), refuse(vec![this, object])),
        MadeMethod::new("$newArray", &[INT], Some(object), refuse(vec![this, INT])),
    ]
}

/// The methods of every class: `$class` returns the class object, `$copy` a shallow copy.
pub(crate) fn object_methods(java: Java, ty: Type) -> Vec<MadeMethod> {
    let class_of = MadeMethod::new("$class", &[], Some(java.class_type(CLASS)), move |java| {
        let mut code = Builder::new(&[ty]);
        let (field, method) = class_object(java, Some(ty));
        code.op(OpKind::Ensure { field, method });
        let value = code.result(java.class_type(CLASS), |dst| OpKind::GetStatic { dst, field });
        code.ret(Some(value));
        code.finish()
    });
    let copy = MadeMethod::new("$copy", &[], Some(java.class_type(OBJECT)), move |java| match ty {
        Type::Class(class) => copy_object(java, class),
        array => {
            let mut code = Builder::new(&[array]);
            let object = code.param(0);
            let method = super::arrays::copy(java, array);
            let copied = code.call(aback_ir::Dispatch::Static, method, vec![object], Some(array));
            code.ret(copied);
            code.finish()
        }
    });
    vec![class_of, copy]
}

/// Returns a shallow copy if the class allows it.
fn copy_object(java: Java, class: ClassId) -> Body {
    let mut code = Builder::new(&[Type::Class(class)]);
    let this = code.param(0);
    if !java.program.is_subclass(class, java.named("java.lang.Cloneable")) {
        let error = "java.lang.CloneNotSupportedException";
        let name = match has_name(java, Some(Type::Class(class))) {
            true => literal(java, &mut code, java.program.class_name(class)),
            false => code.null(),
        };
        super::initializer::throw_new(java, &mut code, error, "(Ljava/lang/String;)V", vec![name]);
        return code.finish();
    }
    let copy = code.allocate(class);
    for field in java.program.instance_fields(class) {
        let ty = java.program.field(field).ty;
        let value = code.get(this, field, ty);
        code.op(OpKind::PutField { object: copy, field, value });
    }
    code.ret(Some(copy));
    code.finish()
}
