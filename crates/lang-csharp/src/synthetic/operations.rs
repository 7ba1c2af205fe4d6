//! Makes the methods that every object or every array has: its type, its length, copies of parts of it.

use crate::layout::INT;
use crate::loader::{ClassKind, Cs, MadeMethod};
use crate::synthetic::references::convert;
use crate::synthetic::{arrays, characters, delegates, entry, exceptions, hashes, literals, values};
use crate::types::{Kind, Result, Ty, TyId};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Dispatch, ExprId, FieldId, Intrinsic, LocalId, OpKind, TerminatorKind, Type};

/// The method that gives the object for the type of an object.
pub(crate) const TYPE: &str = "$type";
/// The number of elements of an array.
pub(crate) const LENGTH: &str = "$length";
/// The number of dimensions of an array.
pub(crate) const RANK: &str = "$rank";
/// The number of elements of an array in a dimension.
pub(crate) const DIMENSION: &str = "$dimension";
/// A copy of an array.
pub(crate) const CLONE: &str = "$clone";
/// An element of an array as an object.
const ELEMENT: &str = "$element";
/// Copies elements of an array from an index to another array.
const MOVE: &str = "$move";
/// Whether references to elements of another array may be elements of an array, as far as the types of both tell.
const TAKES: &str = "$takes";
/// Gives elements of an array from an index the default value.
const ZERO: &str = "$zero";

/// Adds a virtual call of one of these methods, which the class of this name in `System` has.
pub(crate) fn call(cs: Cs, code: &mut Builder, class: &str, name: &str, args: Vec<ExprId>) -> Option<ExprId> {
    let class = cs.library_class("System", class).ok()?;
    let method = cs.made_method(class, name).ok()?;
    let result = cs.program.method(method).result;
    let value = code.call(Dispatch::Virtual, method, args, result);
    Some(value.unwrap_or_else(|| code.null()))
}

/// The method that ends an execution in which the exact type of an object is not known. Libraries may ask for the type of
/// an array of integers in order to be fast.
pub(crate) const KNOWN: &str = "$known";

const NOT_KNOWN: &str = "the exact type of an array of integers, which may be one of enum values";

/// The method [`KNOWN`] of all objects, or that of arrays of integers.
pub(crate) fn known(own: Type, is_known: bool) -> MadeMethod {
    MadeMethod::new(KNOWN, &[], None, move |_| {
        if !is_known {
            return unsupported(&[own], NOT_KNOWN);
        }
        let mut code = Builder::new(&[own]);
        code.ret(None);
        code.finish()
    })
}

/// The method that gives the object for a type.
pub(crate) fn type_of(cs: Cs, own: Type, ty: TyId) -> MadeMethod {
    let object = Type::Class(cs.object_class());
    MadeMethod::new(TYPE, &[], Some(object), move |cs| {
        let mut code = Builder::new(&[own]);
        let value = literals::load(cs, &mut code, literals::type_object(cs, ty));
        code.ret(Some(value));
        code.finish()
    })
}

/// Whether a type is one of arrays that hold integers: the program model has one for those with the same bits.
fn holds_integers(cs: Cs, ty: TyId) -> bool {
    match *cs.ty(ty) {
        Ty::Array(element) | Ty::Grid(element, _) => {
            let is_number = matches!(cs.ty(element), Ty::Int { .. } | Ty::Native { .. });
            is_number || matches!(cs.kind(element), Kind::Enum(_)) || holds_integers(cs, element)
        }
        _ => false,
    }
}

/// The methods of all arrays, as the class `System.Array` declares them.
pub(crate) fn declared(cs: Cs) -> Vec<MadeMethod> {
    let object = Type::Class(cs.object_class());
    let Ok(array) = cs.library_class("System", "Array") else { return Vec::new() };
    let array = Type::Class(array);
    vec![
        MadeMethod::abstract_method(LENGTH, &[], Some(INT)),
        MadeMethod::abstract_method(RANK, &[], Some(INT)),
        MadeMethod::abstract_method(DIMENSION, &[INT], Some(INT)),
        MadeMethod::abstract_method(CLONE, &[], Some(object)),
        MadeMethod::abstract_method(ELEMENT, &[INT], Some(object)),
        MadeMethod::abstract_method(MOVE, &[INT, array, INT, INT], None),
        MadeMethod::abstract_method(TAKES, &[array], Some(Type::Bool)),
        MadeMethod::abstract_method(ZERO, &[INT, INT], None),
    ]
}

/// The methods of the arrays of a type.
pub(crate) fn of(cs: Cs, array: TyId, element: TyId, rank: u32) -> Result<Vec<MadeMethod>> {
    let this = cs.ir_type(array)?;
    let object = Type::Class(cs.object_class());
    let root = Type::Class(cs.library_class("System", "Array")?);
    let dimensions = rank.max(1);
    let mut methods = vec![type_of(cs, this, array)];
    if holds_integers(cs, array) {
        methods.push(known(this, false));
    }
    methods.push(MadeMethod::new(LENGTH, &[], Some(INT), move |cs| {
        let mut code = Builder::new(&[this]);
        let length = length(cs, &mut code, array, element);
        code.ret(Some(length));
        code.finish()
    }));
    methods.push(MadeMethod::new(RANK, &[], Some(INT), move |_| {
        let mut code = Builder::new(&[this]);
        let rank = code.int(dimensions.into());
        code.ret(Some(rank));
        code.finish()
    }));
    methods.push(MadeMethod::new(DIMENSION, &[INT], Some(INT), move |cs| {
        let mut code = Builder::new(&[this, INT]);
        for dimension in 0..dimensions {
            let (wanted, number) = (code.param(1), code.int(dimension.into()));
            let is_one = code.binary(BinaryOp::Eq, INT, wanted, number);
            let (_, next) = code.branch(is_one);
            let value = match rank {
                0 => length(cs, &mut code, array, element),
                _ => match arrays::fields(cs, array, element) {
                    Ok((_, lengths)) => {
                        let object = code.param(0);
                        code.get(object, lengths[dimension as usize], INT)
                    }
                    Err(what) => return unsupported(&[this, INT], what),
                },
            };
            code.ret(Some(value));
            code.switch_to(next);
        }
        exceptions::throw_new(cs, &mut code, "IndexOutOfRangeException", &[]);
        code.finish()
    }));
    methods.push(MadeMethod::new(ELEMENT, &[INT], Some(object), move |cs| {
        element_at(cs, array, element, &[this, INT]).unwrap_or_else(|what| unsupported(&[this, INT], what))
    }));
    methods.push(MadeMethod::new(ZERO, &[INT, INT], None, move |cs| {
        let mut code = Builder::new(&[this, INT, INT]);
        let planes = planes(cs, &mut code, array, element);
        let (start, count) = (code.param(1), code.param(2));
        let zero = code.int(0);
        each(&mut code, count, zero, 1, |code, at| {
            let index = code.binary(BinaryOp::Add, INT, start, at);
            for &(array, ty) in &planes {
                let value = default(code, ty);
                code.op(OpKind::ArrayPut { array, index, value });
            }
        });
        code.ret(None);
        code.finish()
    }));
    methods.push(MadeMethod::new(MOVE, &[INT, root, INT, INT], None, move |cs| {
        let mut code = Builder::new(&[this, INT, root, INT, INT]);
        let target = code.param(2);
        let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: target, ty: this });
        let (_, other) = code.branch(fits);
        let to = convert(&mut code, target, root, this);
        copy(cs, &mut code, array, element, to);
        code.ret(None);
        code.switch_to(other);
        match (cs.is_value(element), cs.program.array_of(object)) {
            (false, objects) => {
                let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: target, ty: objects });
                let (_, other) = code.branch(fits);
                let to = convert(&mut code, target, root, objects);
                copy(cs, &mut code, array, element, to);
                code.ret(None);
                code.switch_to(other);
                code.unsupported("a copy between arrays of different types");
            }
            _ => code.unsupported("a copy between arrays of different types"),
        }
        code.finish()
    }));
    // Any object may implement an interface. Copies of values are another matter.
    let takes_all = cs.is_value(element) || cs.kind(element) == Kind::Interface;
    methods.push(MadeMethod::new(TAKES, &[root], Some(Type::Bool), move |_| {
        let mut code = Builder::new(&[this, root]);
        let object = code.param(1);
        let takes = match takes_all {
            true => code.bool(true),
            false => code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: this }),
        };
        code.ret(Some(takes));
        code.finish()
    }));
    methods.push(MadeMethod::new(CLONE, &[], Some(object), move |cs| {
        let mut code = Builder::new(&[this]);
        let length = length(cs, &mut code, array, element);
        let from = planes(cs, &mut code, array, element);
        let zero = code.int(0);
        let made: Vec<(ExprId, Type)> = from
            .iter()
            .map(|&(_, element)| {
                let ty = cs.program.array_of(element);
                (code.result(ty, |dst| OpKind::NewArray { dst, element, length }), element)
            })
            .collect();
        each(&mut code, length, zero, 1, |code, index| {
            for (&(array, ty), &(to, _)) in from.iter().zip(&made) {
                let value = code.result(ty, |dst| OpKind::ArrayGet { dst, array, index });
                code.op(OpKind::ArrayPut { array: to, index, value });
            }
        });
        let copy = match arrays::is_object(cs, array) {
            false => made[0].0,
            true => {
                let class = cs.class_of(array);
                let copy = code.allocate(class);
                let this = code.param(0);
                if let Ok((planes, lengths)) = arrays::fields(cs, array, element) {
                    for (field, &(value, _)) in planes.into_iter().zip(&made) {
                        code.op(OpKind::PutField { object: copy, field, value });
                    }
                    for field in lengths {
                        let value = code.get(this, field, INT);
                        code.op(OpKind::PutField { object: copy, field, value });
                    }
                }
                copy
            }
        };
        let copy = convert(&mut code, copy, this, object);
        code.ret(Some(copy));
        code.finish()
    }));
    Ok(methods)
}

fn default(code: &mut Builder, ty: Type) -> ExprId {
    code.expr(aback_ir::Expr::Const(aback_ir::Const::default_of(ty)))
}

/// The code of [`ELEMENT`].
fn element_at(cs: Cs, array: TyId, element: TyId, params: &[Type]) -> Result<Body> {
    if holds_integers(cs, array) && cs.is_value(element) {
        return Err(NOT_KNOWN.into());
    }
    let mut code = Builder::new(params);
    let index = code.param(1);
    let planes = planes(cs, &mut code, array, element);
    let leaves: Vec<_> = planes
        .into_iter()
        .map(|(array, ty)| (code.result(ty, |dst| OpKind::ArrayGet { dst, array, index }), ty))
        .collect();
    let value = match leaves[..] {
        [(value, ty)] if !cs.is_value(element) => convert(&mut code, value, ty, Type::Class(cs.object_class())),
        _ => {
            let leaves: Vec<_> = leaves.into_iter().map(|(value, _)| value).collect();
            values::boxed(cs, &mut code, element, &leaves)?
        }
    };
    code.ret(Some(value));
    Ok(code.finish())
}

fn length(cs: Cs, code: &mut Builder, array: TyId, element: TyId) -> ExprId {
    let this = code.param(0);
    let (plane, _) = arrays::plane(cs, code, array, element, this, 0);
    code.result(INT, |dst| OpKind::ArrayLength { dst, array: plane })
}

/// The planes of the array that is parameter 0, with the types of their elements.
fn planes(cs: Cs, code: &mut Builder, array: TyId, element: TyId) -> Vec<(ExprId, Type)> {
    let count = arrays::planes(cs, element).map_or(0, |planes| planes.len());
    let this = code.param(0);
    (0..count).map(|leaf| arrays::plane(cs, code, array, element, this, leaf)).collect()
}

/// Copies elements to another array of the type. Ranges may overlap: elements are copied in the order in which none is
/// overwritten before it is read.
fn copy(cs: Cs, code: &mut Builder, array: TyId, element: TyId, to: ExprId) {
    let from = planes(cs, code, array, element);
    let targets: Vec<ExprId> =
        (0..from.len()).map(|leaf| arrays::plane(cs, code, array, element, to, leaf).0).collect();
    let (start, at, count) = (code.param(1), code.param(3), code.param(4));
    let step = |code: &mut Builder, index: ExprId| {
        let source = code.binary(BinaryOp::Add, INT, start, index);
        let target = code.binary(BinaryOp::Add, INT, at, index);
        for (&(array, ty), &to) in from.iter().zip(&targets) {
            let value = code.result(ty, |dst| OpKind::ArrayGet { dst, array, index: source });
            code.op(OpKind::ArrayPut { array: to, index: target, value });
        }
    };
    let upwards = code.binary(BinaryOp::Ge, INT, start, at);
    let join = code.block();
    let (_, down) = code.branch(upwards);
    let zero = code.int(0);
    each(code, count, zero, 1, step);
    code.end(TerminatorKind::Goto(join));
    code.switch_to(down);
    let one = code.int(1);
    let last = code.binary(BinaryOp::Sub, INT, count, one);
    each(code, count, last, -1, step);
    code.end(TerminatorKind::Goto(join));
    code.switch_to(join);
}

/// A loop over indices from `first` on, upwards below `count` or downwards to 0.
fn each(code: &mut Builder, count: ExprId, first: ExprId, step: i64, body: impl FnOnce(&mut Builder, ExprId)) {
    let index: LocalId = code.variable(INT);
    code.op(OpKind::Assign { dst: index, value: first });
    let head = code.block();
    code.end(TerminatorKind::Goto(head));
    code.switch_to(head);
    let at = code.local(index);
    let goes_on = match step > 0 {
        true => code.binary(BinaryOp::Lt, INT, at, count),
        false => {
            let zero = code.int(0);
            code.binary(BinaryOp::Ge, INT, at, zero)
        }
    };
    let (_, done) = code.branch(goes_on);
    body(code, at);
    let step = code.int(step);
    let next = code.binary(BinaryOp::Add, INT, at, step);
    code.op(OpKind::Assign { dst: index, value: next });
    code.end(TerminatorKind::Goto(head));
    code.switch_to(done);
}

/// The code of a method of a model that stands for what the runtime does.
pub(crate) fn primitive(cs: Cs, class: &str, name: &str, params: &[Type]) -> Option<Body> {
    let mut code = Builder::new(params);
    let args: Vec<ExprId> = (0..params.len()).map(|index| code.param(index)).collect();
    match (class, name) {
        ("String", "Made") => {
            let class = cs.string_class();
            let field: FieldId = cs.program.find_field(class, super::CHARACTERS)?;
            let string = code.allocate(class);
            code.op(OpKind::PutField { object: string, field, value: args[0] });
            code.ret(Some(string));
        }
        ("SR", "Unformatted") => {
            let class = cs.class_for(ClassKind::Unformatted);
            let message = code.allocate(class);
            let field = cs.program.find_field(cs.string_class(), super::CHARACTERS)?;
            let characters = code.get(args[0], field, cs.program.field(field).ty);
            code.op(OpKind::PutField { object: message, field, value: characters });
            for (&field, &value) in cs.program.class(class).fields.iter().zip(&args[1..]) {
                code.op(OpKind::PutField { object: message, field, value });
            }
            let message = convert(&mut code, message, Type::Class(class), Type::Class(cs.string_class()));
            code.ret(Some(message));
        }
        ("Globalization.CharUnicodeInfo", "AnyToUpper") => {
            return characters::moved(cs, "get_UppercaseValues", params);
        }
        ("Globalization.CharUnicodeInfo", "AnyToLower") => {
            return characters::moved(cs, "get_LowercaseValues", params);
        }
        ("Engine", "Knows") => {
            let known =
                code.result(Type::Bool, |dst| OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Known, args });
            code.ret(Some(known));
        }
        ("Identity", "MayBeOne") => {
            let field = literals::string_inputs(cs);
            let has_inputs = code.result(Type::Bool, |dst| OpKind::GetStatic { dst, field });
            let (_, known) = code.branch(has_inputs);
            let is_lacking = entry::hidden_choice(cs, &mut code)?;
            let other = entry::leave_out(&mut code, is_lacking, entry::STRINGS);
            for block in [known, other] {
                code.switch_to(block);
                let no = code.bool(false);
                code.ret(Some(no));
            }
        }
        ("Number", "SmallNumbers") => {
            let numbers = cs.library_class("System", "Number").ok()?;
            let count = match cs.program.find_field(numbers, "s_smallNumberCache") {
                _ if !cs.loader.compares_identities() => 0,
                Some(_) => 300,
                // Before .NET 8.
                None => 10,
            };
            let count = code.int(count);
            code.ret(Some(count));
        }
        ("Hashes", "Any") => {
            let any = code.result(INT, |dst| OpKind::Intrinsic {
                dst: Some(dst),
                intrinsic: Intrinsic::Nondet(INT),
                args: Vec::new(),
            });
            code.ret(Some(any));
        }
        ("Delegate", "List" | "Of" | "Same") => {
            let operation = match name {
                "List" => delegates::LIST,
                "Of" => delegates::OF,
                _ => delegates::SAME,
            };
            let value = call(cs, &mut code, "Delegate", operation, args)?;
            code.ret(Some(value));
        }
        ("Enum", "Bits" | "Number" | "Text" | "Names" | "Values" | "IsFlags" | "Of") => {
            let operation = match name {
                "Bits" => values::BITS,
                "Number" => values::NUMBER,
                "Text" => values::TEXT,
                "Names" => values::NAMES,
                "Values" => values::VALUES,
                "IsFlags" => values::FLAGS,
                _ => values::OF,
            };
            let value = call(cs, &mut code, "Enum", operation, args)?;
            code.ret(Some(value));
        }
        ("ValueType", "Alike" | "Parts") => {
            let operation = if name == "Alike" { values::ALIKE } else { hashes::PARTS };
            let value = call(cs, &mut code, "ValueType", operation, args)?;
            code.ret(Some(value));
        }
        ("Array", "Count") => {
            let count = call(cs, &mut code, "Array", LENGTH, args)?;
            code.ret(Some(count));
        }
        ("Array", "Element") => {
            let element = call(cs, &mut code, "Array", ELEMENT, args)?;
            code.ret(Some(element));
        }
        ("Array", "Move") => {
            call(cs, &mut code, "Array", MOVE, args)?;
            code.ret(None);
        }
        ("Array", "Takes") => {
            let takes = call(cs, &mut code, "Array", TAKES, args)?;
            code.ret(Some(takes));
        }
        ("Array", "Zero") => {
            call(cs, &mut code, "Array", ZERO, args)?;
            code.ret(None);
        }
        _ => return None,
    }
    Some(code.finish())
}
