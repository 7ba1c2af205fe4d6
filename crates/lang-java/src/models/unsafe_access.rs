//! Generates access to fields by number, as used by `Unsafe` and handles. Each class whose fields may be accessed so
//! has methods that distinguish its own fields and delegate the others to its superclass.

use super::reflect::is_number;
use crate::loader::{Java, JavaClass, MadeMethod};
use crate::types::{INT, LONG, OBJECT};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{Body, Class, ClassId, Dispatch, Expr, ExprId, FieldId, OpKind, Type};
use cafebabe::FieldAccessFlags;

/// A function that returns a type of a program.
type TypeOf = fn(Java) -> Type;

/// Kinds of fields that are accessed by the same methods: the names of the methods that read and write them, and the
/// type.
const KINDS: [(&str, &str, TypeOf); 4] = [
    ("$getInt", "$putInt", |_| INT),
    ("$getLong", "$putLong", |_| LONG),
    ("$getBoolean", "$putBoolean", |_| Type::Bool),
    ("$getReference", "$putReference", |java| java.class_type(OBJECT)),
];

/// Accessors for the fields of a class that may be accessed by number: in classes with volatile fields, in `Thread`,
/// and in the classes of `java.util.concurrent`.
pub(crate) fn object_methods(java: Java, class: &Class, loaded: &JavaClass) -> Vec<MadeMethod> {
    let Some(file) = loaded.file.as_ref().filter(|_| class.superclass.is_some()) else {
        return Vec::new();
    };
    let is_meant = loaded.name == "java.lang.Thread"
        || loaded.name.starts_with("java.util.concurrent.")
        || file.with(|tree| {
            let is_volatile = |flags: FieldAccessFlags| {
                flags.contains(FieldAccessFlags::VOLATILE) && !flags.contains(FieldAccessFlags::STATIC)
            };
            tree.fields.iter().any(|field| is_volatile(field.access_flags))
        });
    if !is_meant {
        return Vec::new();
    }
    let mut methods = Vec::new();
    for (read, write, ty) in KINDS {
        let ty = ty(java);
        let is_kind = |&&field: &&FieldId| {
            let field = java.program.field(field);
            !field.is_static && (field.ty == ty || (ty.is_reference() && field.ty.is_reference()))
        };
        let fields: Vec<FieldId> = class.fields.iter().filter(is_kind).copied().collect();
        if fields.is_empty() {
            continue;
        }
        let (id, own) = (loaded.id, fields.clone());
        methods.push(MadeMethod::new(read, &[LONG], Some(ty), move |java| {
            access(java, id, read, &[LONG], Some(ty), &own)
        }));
        methods.push(MadeMethod::new(write, &[LONG, ty], None, move |java| {
            access(java, id, write, &[LONG, ty], None, &fields)
        }));
    }
    methods
}

fn access(java: Java, class: ClassId, name: &str, params: &[Type], result: Option<Type>, fields: &[FieldId]) -> Body {
    let all: Vec<Type> = [Type::Class(class)].into_iter().chain(params.iter().copied()).collect();
    let mut code = Builder::new(&all);
    let (object, offset) = (code.param(0), code.param(1));
    for &field in fields {
        let ty = java.program.field(field).ty;
        let is_it = is_number(&mut code, offset, field);
        let (_, other) = code.branch(is_it);
        if result.is_some() {
            let value = code.get(object, field, ty);
            code.ret(Some(value));
        } else {
            let mut value = code.param(2);
            if ty != params[1] {
                value = code.expr(Expr::Convert { from: params[1], to: ty, value });
            }
            code.op(OpKind::PutField { object, field, value });
            code.ret(None);
        }
        code.switch_to(other);
    }
    let above = java.program.class(class).superclass;
    let Some(method) = above.and_then(|above| java.method(above, name, &java.descriptor(params, result))) else {
        return unsupported(&all, "a field by its number");
    };
    let args: Vec<ExprId> = (0..all.len()).map(|index| code.param(index)).collect();
    let value = code.call(Dispatch::Special, method, args, result);
    code.ret(value);
    code.finish()
}
