//! Knows how callers make objects: the program's own by constructors and static methods, and the usual ones of the JDK.

use crate::generics;
use crate::inputs::BOXES;
use crate::loader::Java;
use crate::synthetic::entry::{any_constant, constants};
use crate::types::{self, OBJECT, STRING, internal_name};
use aback_ir::builder::Builder;
use aback_ir::{Access, ClassId, Maker, MethodId, MethodKind, OpKind, SourceCall, SourceType, Type};

/// Most classes of the program whose objects are made for a type.
const MOST_CLASSES: usize = 4;
/// Most methods of a class that are called to change an object.
const MOST_CHANGES: usize = 8;

/// Collections of the JDK: the class, the method that adds an element, and the types for which an object of the class is
/// made, besides the class itself.
const COLLECTIONS: [Known; 12] = [
    (
        "java.util.ArrayList",
        ADD,
        &["java.util.List", "java.util.Collection", "java.lang.Iterable", "java.util.AbstractList"],
    ),
    ("java.util.HashSet", ADD, &["java.util.Set", "java.util.AbstractSet"]),
    ("java.util.LinkedHashSet", ADD, &[]),
    ("java.util.TreeSet", ADD, &["java.util.SortedSet", "java.util.NavigableSet"]),
    ("java.util.LinkedList", ADD, &["java.util.Queue"]),
    ("java.util.ArrayDeque", ADD, &["java.util.Deque"]),
    ("java.util.PriorityQueue", ADD, &[]),
    ("java.util.Vector", ADD, &[]),
    ("java.util.Stack", ADD, &[]),
    ("java.util.HashMap", PUT, &["java.util.Map", "java.util.AbstractMap"]),
    ("java.util.LinkedHashMap", PUT, &[]),
    ("java.util.TreeMap", PUT, &["java.util.SortedMap", "java.util.NavigableMap"]),
];
const ADD: (&str, &str) = ("add", "(Ljava/lang/Object;)Z");
const PUT: (&str, &str) = ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");

/// Other classes of the JDK, each with a constructor or a static method.
const OTHERS: [(&str, &str, &str); 6] = [
    ("java.lang.StringBuilder", "<init>", "(Ljava/lang/String;)V"),
    ("java.util.Optional", "ofNullable", "(Ljava/lang/Object;)Ljava/util/Optional;"),
    ("java.util.concurrent.atomic.AtomicInteger", "<init>", "(I)V"),
    ("java.util.concurrent.atomic.AtomicLong", "<init>", "(J)V"),
    ("java.util.concurrent.atomic.AtomicBoolean", "<init>", "(Z)V"),
    ("java.util.concurrent.atomic.AtomicReference", "<init>", "(Ljava/lang/Object;)V"),
];

/// Types of the JDK of which any value is taken for one of these classes.
const STANDINS: [(&str, &[&str]); 5] = [
    (OBJECT, &["java.lang.Integer", STRING]),
    ("java.lang.Comparable", &["java.lang.Integer", STRING]),
    ("java.io.Serializable", &["java.lang.Integer", STRING]),
    ("java.lang.Number", &["java.lang.Integer"]),
    ("java.lang.CharSequence", &[STRING]),
];

/// The ways in which callers make objects of a type.
pub(crate) fn makers(java: Java, ty: &SourceType) -> Vec<Maker> {
    let Type::Class(class) = ty.ty else { return Vec::new() };
    let name = java.program.class_name(class);
    if let Some((_, standins)) = STANDINS.iter().find(|(wide, _)| *wide == name) {
        let types = standins.iter().map(|name| SourceType::from(java.class_type(name)));
        return types.flat_map(|ty| of_jdk(java, &ty)).collect();
    }
    let known = of_jdk(java, ty);
    if !known.is_empty() {
        return known;
    }
    if let Some(values) = constants(java, class) {
        return vec![leaf(any_of_enum(java, class, values))];
    }
    let mut own: Vec<ClassId> = java.program.subclasses(class).into_iter().collect();
    own.retain(|&class| is_makeable(java, class));
    own.sort_unstable_by_key(|&own| (own != class, own));
    own.truncate(MOST_CLASSES);
    own.into_iter().flat_map(|own| of_program(java, &generics::subtype(java, own, ty))).collect()
}

/// The types of a method's parameters as its sources have them.
pub(crate) fn source_types(java: Java, method: MethodId) -> Vec<SourceType> {
    generics::parameters(java, method, None)
}

/// A maker that needs nothing.
fn leaf(method: MethodId) -> Maker {
    Maker {
        make: SourceCall { method, arguments: Vec::new() },
        changes: Vec::new(),
        is_collection: false,
        open_fields: Vec::new(),
    }
}

/// Whether callers can make objects of a class of the program: it has a name, and objects.
fn is_makeable(java: Java, class: ClassId) -> bool {
    let declared = java.program.class(class);
    let is_object = !declared.is_abstract && !declared.is_interface && !declared.is_library;
    is_object && !java.program.is_made_only(class) && java.loader.class_declaration(java.program, class).is_some()
}

/// Makers of the JDK's classes.
fn of_jdk(java: Java, ty: &SourceType) -> Vec<Maker> {
    let Type::Class(class) = ty.ty else { return Vec::new() };
    let name = java.program.class_name(class);
    if name == STRING {
        return vec![leaf(any_string(java))];
    }
    if let Some((_, held)) = BOXES.iter().find(|(boxed, _)| *boxed == name) {
        let method = java.declared_method(class, "valueOf", &format!("({held})L{};", internal_name(name)));
        let held = types::field_type(java.program, held);
        return method.zip(held).map(|(method, held)| made(method, vec![held.into()])).into_iter().collect();
    }
    let collections = collections(java, class);
    if !collections.is_empty() {
        return collections.into_iter().filter_map(|known| collection(java, ty, known)).collect();
    }
    let other = OTHERS.iter().find(|(made, ..)| *made == name);
    let other = other.and_then(|(_, method, descriptor)| {
        let method = java.declared_method(class, method, descriptor)?;
        let params = java.program.method(method).params.iter().copied();
        let own = usize::from(java.program.method(method).kind == MethodKind::Constructor);
        let object = java.class_type(OBJECT);
        let argument = |param: Type| match ty.arguments.first() {
            Some(known) if param == object => known.clone(),
            _ => param.into(),
        };
        Some(made(method, params.skip(own).map(argument).collect()))
    });
    other.into_iter().collect()
}

/// A collection of the JDK, as in [`COLLECTIONS`].
type Known = (&'static str, (&'static str, &'static str), &'static [&'static str]);

/// The collections that are made for a type: the class itself, or for an interface the usual class, and others that the
/// program names.
fn collections(java: Java, class: ClassId) -> Vec<&'static Known> {
    /// Most other classes.
    const MOST: usize = 2;
    let name = java.program.class_name(class);
    let usual = COLLECTIONS.iter().find(|(made, _, for_types)| *made == name || for_types.contains(&name));
    let Some(usual) = usual else { return Vec::new() };
    let is_named = |known: &&Known| {
        let other = java.program.class_named(known.0);
        let fits = |&other: &ClassId| java.program.is_loaded(other) && java.program.is_subclass(other, class);
        known.0 != usual.0 && other.as_ref().is_some_and(fits)
    };
    let others = COLLECTIONS.iter().filter(is_named).take(if usual.0 == name { 0 } else { MOST });
    [usual].into_iter().chain(others).collect()
}

/// The maker of a collection for a type.
fn collection(java: Java, ty: &SourceType, (made, (add, descriptor), _): &Known) -> Option<Maker> {
    let object = java.class_type(OBJECT);
    let class = java.named(made);
    let make = java.declared_method(class, "<init>", "()V")?;
    let above = java.program.supertypes(class);
    let change = above.into_iter().find_map(|class| java.declared_method(class, add, descriptor))?;
    let count = java.program.method(change).params.len() - 1;
    let element = |index: usize| ty.arguments.get(index).cloned().unwrap_or_else(|| object.into());
    Some(Maker {
        make: SourceCall { method: make, arguments: Vec::new() },
        changes: vec![SourceCall { method: change, arguments: (0..count).map(element).collect() }],
        is_collection: true,
        open_fields: Vec::new(),
    })
}

fn made(method: MethodId, arguments: Vec<SourceType>) -> Maker {
    Maker { make: SourceCall { method, arguments }, changes: Vec::new(), is_collection: false, open_fields: Vec::new() }
}

/// Makers of a class of the program: its constructors, or else its static methods that return such an object.
fn of_program(java: Java, ty: &SourceType) -> Vec<Maker> {
    let Type::Class(class) = ty.ty else { return Vec::new() };
    let methods = &java.program.class(class).methods;
    let is_usable = |&&id: &&MethodId| {
        let method = java.program.method(id);
        let declared = java.loader.method_declaration(java.program, id);
        method.access != Access::Private && declared.is_some_and(|declared| !declared.is_synthetic)
    };
    let usable: Vec<MethodId> = methods.iter().filter(is_usable).copied().collect();
    let kind = |id: &MethodId| java.program.method(*id).kind;
    let mut makers: Vec<MethodId> = usable.iter().copied().filter(|id| kind(id) == MethodKind::Constructor).collect();
    if makers.is_empty() {
        let makes = |id: &MethodId| {
            let method = java.program.method(*id);
            method.kind == MethodKind::Static && method.result == Some(ty.ty)
        };
        makers = usable.iter().copied().filter(makes).collect();
    }
    let changes = changes(java, ty);
    let maker = |method: MethodId| {
        let own = usize::from(kind(&method) != MethodKind::Static);
        let arguments = generics::parameters(java, method, Some(ty)).into_iter().skip(own).collect();
        Maker {
            make: SourceCall { method, arguments },
            changes: changes.clone(),
            is_collection: false,
            open_fields: Vec::new(),
        }
    };
    makers.into_iter().map(maker).collect()
}

/// Calls that may change an object: methods of the program that write something or call others.
fn changes(java: Java, ty: &SourceType) -> Vec<SourceCall> {
    let Type::Class(class) = ty.ty else { return Vec::new() };
    let above = java.program.superclass_chain(class).filter(|&class| !java.program.class(class).is_library);
    let declared = above.flat_map(|class| java.program.class(class).methods.iter().copied());
    let may_change = |&id: &MethodId| {
        let method = java.program.method(id);
        let is_callable = method.kind == MethodKind::Instance
            && method.access != Access::Private
            && !method.is_abstract
            && java.program.dispatch(class, id) == id
            && java.loader.method_declaration(java.program, id).is_some_and(|declared| !declared.is_synthetic);
        let acts = |op: &OpKind| matches!(op, OpKind::PutField { .. } | OpKind::ArrayPut { .. } | OpKind::Call { .. });
        is_callable && java.program.body(id).is_some_and(|body| body.ops().any(|(_, op)| acts(&op.kind)))
    };
    let found = declared.filter(may_change).take(MOST_CHANGES);
    found
        .map(|method| SourceCall {
            method,
            arguments: generics::parameters(java, method, Some(ty)).into_iter().skip(1).collect(),
        })
        .collect()
}

/// Returns any constant of an enum.
fn any_of_enum(java: Java, class: ClassId, values: MethodId) -> MethodId {
    let name = format!("any {}", java.program.class_name(class));
    let ty = Type::Class(class);
    java.helper(&name, &[], Some(ty), move |java| {
        let mut code = Builder::new(&[]);
        let constant = code.variable(ty);
        any_constant(java, &mut code, constant, class, values);
        let constant = code.local(constant);
        code.ret(Some(constant));
        code.finish()
    })
}

/// Returns any string whose characters take one byte, within the bound for strings from inputs.
fn any_string(java: Java) -> MethodId {
    let ty = java.class_type(STRING);
    java.helper("any string", &[], Some(ty), |java| {
        // The code is the same for the program with strings of any length, which shares it.
        let strings = java.program.profile().inputs.strings.as_ref();
        java.program.any_string(strings.and_then(|strings| strings.most).unwrap_or_default())
    })
}
