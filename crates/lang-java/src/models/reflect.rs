//! Generates methods of class objects that return further information about types to models.

use crate::assertion_status::desires_assertions;
use crate::loader::{Java, MadeMethod};
use crate::synthetic::{classes, constants};
use crate::types::{self, INT, LONG, OBJECT, STRING, internal_name};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, ClassId, Dispatch, ExprId, FieldId, MethodId, OpKind, Span, Type};
use cafebabe::attributes::AttributeData;

/// The methods that the class of a type's class object overrides for models (`class.ir`).
pub(crate) fn class_object_methods(java: Java, ty: Option<Type>) -> Vec<MadeMethod> {
    let asserts = MadeMethod::new("$asserts", &[], Some(Type::Bool), move |java| {
        let params = [java.class_type(classes::CLASS)];
        let Some(are_on) = ty.map_or(Some(false), |ty| desires_assertions(java, ty)) else {
            return unsupported(&params, "the class loader of an array class, or of one that is made up");
        };
        let mut code = Builder::new(&params);
        let are_on = code.bool(are_on);
        code.ret(Some(are_on));
        code.finish()
    });
    let Some(Type::Class(class)) = ty else { return vec![asserts] };
    let (object, string) = (java.class_type(OBJECT), java.class_type(STRING));
    let objects = java.program.array_of(object);
    let class_objects = java.program.array_of(java.class_type(classes::CLASS));
    vec![
        MadeMethod::new("$simpleName", &[], Some(string), move |java| {
            let mut code = Builder::new(&[java.class_type(classes::CLASS)]);
            if !classes::has_name(java, Some(Type::Class(class))) {
                code.unsupported("the name of a class that the virtual machine generates");
                return code.finish();
            }
            let name = simple_name(java, class).unwrap_or_default();
            let name = once(&mut code, constants::string(java, name.encode_utf16().collect()), java.class_type(STRING));
            code.ret(Some(name));
            code.finish()
        }),
        MadeMethod::new("$canonicalName", &[], Some(string), move |java| {
            let mut code = Builder::new(&[java.class_type(classes::CLASS)]);
            let name = match canonical_name(java, class) {
                Some(name) => {
                    once(&mut code, constants::string(java, name.encode_utf16().collect()), java.class_type(STRING))
                }
                None => code.null(),
            };
            code.ret(Some(name));
            code.finish()
        }),
        MadeMethod::new("$interfaces", &[], Some(class_objects), move |java| interfaces(java, class)),
        MadeMethod::new("$values", &[], Some(objects), move |java| values(java, class)),
        asserts,
        MadeMethod::new("$isBase", &[], Some(Type::Bool), move |java| {
            let mut code = Builder::new(&[java.class_type(classes::CLASS)]);
            let is_base = code.bool(java.class(class).is_some_and(|class| class.is_trusted && is_base(&class.name)));
            code.ret(Some(is_base));
            code.finish()
        }),
        MadeMethod::new("$initialize", &[], None, move |java| {
            let mut code = Builder::new(&[java.class_type(classes::CLASS)]);
            if let Some((field, method)) = java.initialization(class) {
                code.op(OpKind::Ensure { field, method });
            }
            code.ret(None);
            code.finish()
        }),
        MadeMethod::new("$offset", &[string], Some(LONG), move |java| offset(java, class)),
    ]
}

/// A method of objects that returns whether the monitors of the thread are counted.
pub(crate) fn counts_monitors() -> MadeMethod {
    MadeMethod::new("$countsMonitors", &[], Some(Type::Bool), |java| {
        let mut code = Builder::new(&[java.class_type(OBJECT)]);
        let counts = code.bool(java.loader.counts_monitors());
        code.ret(Some(counts));
        code.finish()
    })
}

/// The methods of arrays that models need. Arrays have no hidden fields: their monitors are not counted.
pub(crate) fn array_methods(_: Java, ty: Type) -> Vec<MadeMethod> {
    let uncounted = |name: &str| {
        MadeMethod::new(name, &[], None, move |_| {
            let mut code = Builder::new(&[ty]);
            code.ret(None);
            code.finish()
        })
    };
    let counts = MadeMethod::new("$countsMonitors", &[], Some(Type::Bool), move |_| {
        let mut code = Builder::new(&[ty]);
        let counts = code.bool(false);
        code.ret(Some(counts));
        code.finish()
    });
    let owned = MadeMethod::new("$isOwned", &[], Some(Type::Bool), move |_| {
        unsupported(&[ty], "whether a thread owns the monitor of an array")
    });
    vec![
        uncounted("$enter"),
        uncounted("$leave"),
        counts,
        owned,
        MadeMethod::new("$identity", &[], Some(INT), move |java| {
            let Some(method) = java.declared_method(java.named("aback.ArrayHashes"), "of", "(Ljava/lang/Object;)I")
            else {
                return unsupported(&[ty], "the identity hash code of an array");
            };
            let mut code = Builder::new(&[ty]);
            let array = code.param(0);
            let hash = code.call(Dispatch::Static, method, vec![array], Some(INT));
            code.ret(hash);
            code.finish()
        }),
    ]
}

/// The number by which models identify an instance field.
pub(super) fn number(field: FieldId) -> i64 {
    i64::from(field.0) + 1
}

/// An object that is created once.
fn once(code: &mut Builder, (field, method): (FieldId, MethodId), ty: Type) -> ExprId {
    code.op(OpKind::Ensure { field, method });
    code.result(ty, |dst| OpKind::GetStatic { dst, field })
}

/// Whether a JDK class belongs to the module `java.base`. The test uses packages that no other module has.
fn is_base(name: &str) -> bool {
    let package = name.rsplit_once('.').map_or("", |(package, _)| package);
    const PACKAGES: [&str; 25] = [
        "java.io",
        "java.lang",
        "java.lang.invoke",
        "java.lang.ref",
        "java.lang.reflect",
        "java.math",
        "java.net",
        "java.nio",
        "java.nio.charset",
        "java.nio.charset.spi",
        "java.nio.file",
        "java.text",
        "java.time",
        "java.time.chrono",
        "java.time.format",
        "java.time.temporal",
        "java.time.zone",
        "java.util",
        "java.util.concurrent",
        "java.util.concurrent.atomic",
        "java.util.concurrent.locks",
        "java.util.function",
        "java.util.regex",
        "java.util.stream",
        "sun.nio.cs",
    ];
    PACKAGES.contains(&package)
}

/// The modifiers that `Class.getModifiers` returns. Those of a nested class are in its `InnerClasses` entry.
pub(crate) fn modifiers(java: Java, ty: Type) -> i64 {
    // Public, private and protected: an array has the access of its elements.
    const ACCESS: i64 = 7;
    const FINAL_ABSTRACT: i64 = 0x410;
    match ty {
        Type::Array(array) => modifiers(java, java.program.element_type(array)) & ACCESS | FINAL_ABSTRACT,
        Type::Class(class) => {
            let own = java.class(class).map_or(0, |class| class.modifiers());
            i64::from(inner(java, class).map_or(own, |inner| inner.modifiers))
        }
        _ => 1 | FINAL_ABSTRACT,
    }
}

/// The `InnerClasses` entry of a class in its class file.
struct Inner {
    /// The outer class, if the class is a member.
    outer: Option<String>,
    /// The simple name, if the class has one.
    name: Option<String>,
    modifiers: u16,
}

fn inner(java: Java, class: ClassId) -> Option<Inner> {
    let loaded = java.class(class)?;
    let internal = internal_name(&loaded.name);
    loaded.file.as_ref()?.with(|tree| {
        tree.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::InnerClasses(inner) => {
                let entry = inner.iter().find(|entry| *entry.inner_class_info == internal)?;
                let outer = entry.outer_class_info.as_ref().map(|name| types::class_name(name));
                let name = entry.inner_name.as_ref().map(|name| name.to_string());
                Some(Inner { outer, name, modifiers: entry.access_flags.bits() })
            }
            _ => None,
        })
    })
}

/// The simple name in the source, or `None` for an anonymous class.
pub(crate) fn simple_name(java: Java, class: ClassId) -> Option<String> {
    match inner(java, class) {
        Some(inner) => inner.name,
        None => java.program.class_name(class).rsplit('.').next().map(str::to_string),
    }
}

/// The name by which other classes could import the class, or `None` for local and anonymous classes.
fn canonical_name(java: Java, class: ClassId) -> Option<String> {
    match inner(java, class) {
        Some(Inner { outer, name, .. }) => Some(format!("{}.{}", canonical_name(java, java.named(&outer?))?, name?)),
        None => Some(java.program.class_name(class).to_string()),
    }
}

fn interfaces(java: Java, class: ClassId) -> Body {
    let ty = java.class_type(classes::CLASS);
    let mut code = Builder::new(&[ty]);
    let interfaces = &java.program.class(class).interfaces;
    let length = code.int(interfaces.len() as i64);
    let array_type = java.program.array_of(ty);
    let array = code.result(array_type, |dst| OpKind::NewArray { dst, element: ty, length });
    for (index, &interface) in interfaces.iter().enumerate() {
        let index = code.int(index as i64);
        let value = once(&mut code, classes::class_object(java, Some(Type::Class(interface))), ty);
        code.op(OpKind::ArrayPut { array, index, value });
    }
    code.ret(Some(array));
    code.finish()
}

/// Returns a new array of an enum's constants.
fn values(java: Java, class: ClassId) -> Body {
    let mut code = Builder::new(&[java.class_type(classes::CLASS)]);
    let array = java.program.array_of(Type::Class(class));
    let descriptor = java.descriptor(&[], Some(array));
    match java.declared_method(class, "values", &descriptor) {
        Some(method) => {
            let values = code.call(Dispatch::Static, method, Vec::new(), Some(array));
            code.ret(values);
        }
        None => {
            let null = code.null();
            code.ret(Some(null));
        }
    }
    code.finish()
}

/// Returns the number of the field with a given name, or -1 if there is none.
fn offset(java: Java, class: ClassId) -> Body {
    let string = java.class_type(STRING);
    let mut code = Builder::new(&[java.class_type(classes::CLASS), string]);
    let Some(equals) = java.declared_method(java.named(STRING), "equals", "(Ljava/lang/Object;)Z") else {
        return unsupported(&[java.class_type(classes::CLASS), string], "a library without String.equals");
    };
    let name = code.param(1);
    for &field in &java.program.class(class).fields {
        let declared = java.program.field(field);
        let is_hidden = declared.span == Span::NONE;
        if declared.is_static || is_hidden {
            continue;
        }
        let units = declared.name.encode_utf16().collect();
        let candidate = once(&mut code, constants::string(java, units), string);
        if let Some(equal) = code.call(Dispatch::Virtual, equals, vec![name, candidate], Some(Type::Bool)) {
            let (_, other) = code.branch(equal);
            let number = code.constant(number(field), types::LONG);
            code.ret(Some(number));
            code.switch_to(other);
        }
    }
    let none = code.constant(-1, types::LONG);
    code.ret(Some(none));
    code.finish()
}

/// Whether an offset is the number of a field.
pub(super) fn is_number(code: &mut Builder, offset: ExprId, field: FieldId) -> ExprId {
    let wanted = code.constant(number(field), LONG);
    code.binary(BinaryOp::Eq, LONG, offset, wanted)
}
