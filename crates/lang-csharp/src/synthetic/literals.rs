//! Makes the strings of literals.

use crate::assemblies::AssemblyId;
use crate::layout::CHAR;
use crate::loader::Cs;
use crate::synthetic::Made;
use crate::types::{Ty, TyId};
use aback_cil::Token;
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{Body, ClassId, Const, Expr, ExprId, FieldId, MethodId, OpKind, Type};

/// The static field that holds the string of a literal, and the method that creates the string. Equal literals are
/// one object.
pub(crate) fn string(cs: Cs, units: Vec<u16>) -> (FieldId, MethodId) {
    cs.made(Made::String(units.clone()), |cs| {
        let shown = String::from_utf16_lossy(&units);
        let field = cs.new_static_field(&format!("{shown:?}"), Type::Class(cs.string_class()));
        let method = cs.new_static(&format!("make {shown:?}"), &[], None, move |cs| make(cs, field, &units));
        (field, method)
    })
}

/// The static field that holds a name that a type gives as `what`, and the method that creates the string. The runtime
/// makes it once for each use, and it is not the object of a literal.
pub(crate) fn name(cs: Cs, of: TyId, what: &'static str, text: String) -> (FieldId, MethodId) {
    cs.made(Made::Name(of, what, text.clone()), |cs| {
        let shown = format!("{what} {text} of {}", cs.name(of));
        let field = cs.new_static_field(&shown, Type::Class(cs.string_class()));
        let units: Vec<u16> = text.encode_utf16().collect();
        let method = cs.new_static(&format!("make {shown}"), &[], None, move |cs| make(cs, field, &units));
        (field, method)
    })
}

/// The static field that holds a text of a library, and the method that creates the string; `None` if the library has no
/// such text. The runtime reads each text once and keeps it; it is not the object of a literal.
pub(crate) fn text(cs: Cs, assembly: AssemblyId, key: &str) -> Option<(FieldId, MethodId)> {
    let units: Vec<u16> = cs.assembly(assembly).text(key)?.encode_utf16().collect();
    Some(cs.made(Made::Text(assembly, key.to_string()), |cs| {
        let shown = format!("the text {key} of {}", cs.assembly(assembly).name());
        let field = cs.new_static_field(&shown, Type::Class(cs.string_class()));
        let method = cs.new_static(&format!("make {shown}"), &[], None, move |cs| make(cs, field, &units));
        (field, method)
    }))
}

/// Loads what a static field holds. Its method fills the field before it is read for the first time.
pub(crate) fn load(cs: Cs, code: &mut Builder, (field, method): (FieldId, MethodId)) -> ExprId {
    code.op(OpKind::Ensure { field, method });
    code.result(cs.program.field(field).ty, |dst| OpKind::GetStatic { dst, field })
}

/// The static field that tells whether the entry point has inputs that may be strings, or lead to some.
pub(crate) fn string_inputs(cs: Cs) -> FieldId {
    cs.made_field(Made::StringInputs, || "inputs with strings".into(), Type::Bool)
}

/// A number by its bits.
pub(crate) fn from_bits(bits: u64, ty: Type) -> Const {
    match ty {
        Type::Bool => Const::Bool(bits != 0),
        Type::F32 => Const::F32(bits as u32),
        Type::F64 => Const::F64(bits),
        Type::Machine { width, signed } => {
            let shift = 64 - u32::from(width);
            let value = match signed {
                true => i128::from((bits << shift) as i64 >> shift),
                false => i128::from(bits << shift >> shift),
            };
            Const::Int(value.into(), ty)
        }
        _ => Const::Null,
    }
}

/// The static field that holds an array with constant data of an assembly, and the method that creates the array.
pub(crate) fn data(
    cs: Cs,
    assembly: AssemblyId,
    source: Token,
    element: Type,
    values: Vec<u64>,
) -> (FieldId, MethodId) {
    cs.made(Made::Data(assembly, source, element), |cs| {
        let name = format!("data {:x} of {}", source.0, cs.assembly(assembly).name());
        let ty = cs.program.array_of(element);
        let field = cs.new_static_field(&name, ty);
        let method = cs.new_static(&format!("make {name}"), &[], None, move |_| {
            let mut code = Builder::new(&[]);
            let length = code.int(values.len() as i64);
            let array = code.result(ty, |dst| OpKind::NewArray { dst, element, length });
            for (index, &bits) in values.iter().enumerate().filter(|&(_, &bits)| bits != 0) {
                let (index, value) = (code.int(index as i64), code.expr(Expr::Const(from_bits(bits, element))));
                code.op(OpKind::ArrayPut { array, index, value });
            }
            code.op(OpKind::PutStatic { field, value: array });
            code.ret(None);
            code.finish()
        });
        (field, method)
    })
}

/// The name of a type without its namespace, and whether it has type arguments.
fn short_name(cs: Cs, ty: TyId) -> Option<(String, bool)> {
    let with =
        |element: TyId, suffix: &str| short_name(cs, element).map(|(name, is_generic)| (name + suffix, is_generic));
    match *cs.ty(ty) {
        Ty::Array(element) => with(element, "[]"),
        Ty::Grid(element, rank) => with(element, &format!("[{}]", ",".repeat(rank.saturating_sub(1) as usize))),
        _ => {
            let (declared, arguments) = cs.declared(ty)?;
            let def = cs.assembly(declared.assembly).type_def(declared.row).ok()?;
            Some((def.name.to_string(), !arguments.is_empty()))
        }
    }
}

/// The names of a type, with the fields of its object that hold them. The full name of a type with type arguments
/// contains the versions of assemblies, so that none is known.
fn reflected_names(cs: Cs, ty: TyId) -> Vec<(&'static str, String)> {
    let Some((short, is_generic)) = short_name(cs, ty) else { return Vec::new() };
    let shown = cs.shown_name(ty);
    let full = shown.clone().filter(|_| !is_generic).map(|name| (super::FULL_NAME, name));
    [(super::NAME, short)].into_iter().chain(full).chain(shown.map(|name| (super::SHOWN_NAME, name))).collect()
}

/// The static field that holds the object for a type, and the method that creates the object.
pub(crate) fn type_object(cs: Cs, ty: TyId) -> (FieldId, MethodId) {
    cs.made(Made::Type(ty), |cs| {
        let name = format!("typeof({})", cs.name(ty));
        let object = Type::Class(cs.object_class());
        let field = cs.new_static_field(&name, object);
        let method = cs.new_static(&format!("make {name}"), &[], None, move |cs| {
            let mut code = Builder::new(&[]);
            match cs.library_class("System", "RuntimeType") {
                Ok(class) => {
                    let object_for_type = code.allocate(class);
                    for (name, text) in reflected_names(cs, ty) {
                        let value = load(cs, &mut code, self::name(cs, ty, name, text));
                        if let Some(field) = cs.program.find_field(class, name) {
                            code.op(OpKind::PutField { object: object_for_type, field, value });
                        }
                    }
                    code.op(OpKind::PutStatic { field, value: object_for_type });
                    code.ret(None);
                }
                Err(what) => code.unsupported(what),
            }
            code.finish()
        });
        (field, method)
    })
}

/// The static field that holds the object for the only thread, and the method that creates the object.
pub(crate) fn current_thread(cs: Cs, class: ClassId) -> (FieldId, MethodId) {
    cs.made(Made::Thread, |cs| {
        let field = cs.new_static_field("the thread", Type::Class(class));
        let method = cs.new_static("make the thread", &[], None, move |cs| {
            let mut code = Builder::new(&[]);
            let value = code.allocate(class);
            if let Some(field) = cs.program.find_field(class, "_managedThreadId") {
                let value_of_field = code.int(1);
                code.op(OpKind::PutField { object: value, field, value: value_of_field });
            }
            code.op(OpKind::PutStatic { field, value });
            code.ret(None);
            code.finish()
        });
        (field, method)
    })
}

fn make(cs: Cs, field: FieldId, units: &[u16]) -> Body {
    let class = cs.string_class();
    let Some(value) = cs.program.find_field(class, super::CHARACTERS) else {
        return unsupported(&[], "string literals: the class library has no System.String");
    };
    let mut code = Builder::new(&[]);
    let length = code.int(units.len() as i64);
    let array = code.result(cs.program.array_of(CHAR), |dst| OpKind::NewArray { dst, element: CHAR, length });
    for (index, &unit) in units.iter().enumerate().filter(|&(_, &unit)| unit != 0) {
        let (index, value) = (code.int(index as i64), code.constant(unit.into(), CHAR));
        code.op(OpKind::ArrayPut { array, index, value });
    }
    let string = code.allocate(class);
    code.op(OpKind::PutField { object: string, field: value, value: array });
    code.op(OpKind::PutStatic { field, value: string });
    code.ret(None);
    code.finish()
}
