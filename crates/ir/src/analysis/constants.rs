//! Finds static fields with constants of enums that never change.

use super::callbacks::is_made_up;
use super::reached::{code, is_looked_at, is_mutable};
use crate::body::{Body, Expr, ExprId, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::FieldUse;
use rustc_hash::FxHashSet;

/// Static fields that refer to constants of enums, or to the array of all constants of an enum, where these are always as initialization
/// leaves them. The fields themselves may get other values.
///
/// A constant has only fields of numbers and of immutable objects, and only its constructors write them: neither other code of the program
/// nor code outside of it can. Nothing but the initialization of the class, and code that copies the array, gets the array. Fields that platform classes declare are those of `Enum`, which are final.
pub(super) fn unchanging(program: &Program, all: &[MethodId]) -> FxHashSet<FieldId> {
    let (mut written, mut opened) = (FxHashSet::default(), FxHashSet::default());
    let bodies = all.iter().filter_map(|&method| Some((method, code(program, method)?)));
    for (method, body) in bodies.clone() {
        // Code that is not translated may change any constant.
        if body.lost_code().is_some() {
            return FxHashSet::default();
        }
        for (_, op) in body.ops() {
            if let OpKind::PutField { object, field, .. } = op.kind
                && !is_construction(program, method, body, (object, field))
            {
                written.insert(field);
            }
        }
    }
    let is_constant = |class: ClassId| {
        let is_fixed = |field: &FieldId| {
            let declared = program.field(*field);
            let is_written = written.contains(field) || program.use_outside(*field) == FieldUse::Assign;
            declared.is_static || !is_written && !is_mutable(program, declared.ty)
        };
        let is_enum =
            program.class(class).superclass.is_some_and(|above| program.profile().inputs.made_only.contains(&above));
        is_looked_at(program, class)
            && is_enum
            && program.is_made_only(class)
            && program.subclasses(class).into_iter().all(|class| program.class(class).fields.iter().all(is_fixed))
    };
    let constants: FxHashSet<ClassId> =
        program.classes().map(|(class, _)| class).filter(|&class| is_constant(class)).collect();
    if constants.is_empty() {
        return FxHashSet::default();
    }
    let is_array_of_constants = |field: FieldId| match program.field(field).ty {
        Type::Array(array) if program.use_outside(field) == FieldUse::None => {
            matches!(program.element_type(array), Type::Class(class) if constants.contains(&class))
        }
        _ => false,
    };
    for (_, body) in bodies {
        for block in &body.blocks {
            for (at, op) in block.ops.iter().enumerate() {
                match op.kind {
                    OpKind::GetStatic { field, dst } if is_array_of_constants(field) => {
                        let next = block.ops.get(at + 1).map(|op| &op.kind);
                        if !next.is_some_and(|next| is_copied(program, body, dst, next)) {
                            opened.insert(field);
                        }
                    }
                    OpKind::PutStatic { field, value }
                        if is_array_of_constants(field) && !is_new_array(program, body, (field, value)) =>
                    {
                        opened.insert(field);
                    }
                    _ => {}
                }
            }
        }
    }
    let is_unchanging = |&field: &FieldId| match program.field(field).ty {
        Type::Class(class) => constants.contains(&class),
        _ => is_array_of_constants(field) && !opened.contains(&field),
    };
    let fields = program.classes().flat_map(|(_, class)| class.fields.iter().copied());
    fields.filter(|&field| program.field(field).is_static).filter(is_unchanging).collect()
}

/// Whether a constructor of the class that declares a field writes it in the object that it makes.
fn is_construction(program: &Program, method: MethodId, body: &Body, (object, field): (ExprId, FieldId)) -> bool {
    let declared = program.method(method);
    let this = LocalId(0);
    declared.kind == MethodKind::Constructor
        && declared.class == program.field(field).class
        && *body.expr(object) == Expr::Local(this)
        && body.ops().all(|(_, op)| op.kind.dst() != Some(this))
}

/// Whether an operation replaces the array in a local variable by a copy.
fn is_copied(program: &Program, body: &Body, array: LocalId, op: &OpKind) -> bool {
    let OpKind::Call { dst, method, ref args, .. } = *op else { return false };
    let callee = program.method(method);
    let copies = is_made_up(program, callee.class) && callee.name.starts_with("copy ");
    copies && dst == Some(array) && args.len() == 1 && *body.expr(args[0]) == Expr::Local(array)
}

/// Whether what a body writes to a static field is a new array that no other place gets: the body allocates it, or it calls a method that only
/// makes and fills it.
fn is_new_array(program: &Program, body: &Body, (field, value): (FieldId, ExprId)) -> bool {
    let Expr::Local(array) = *body.expr(value) else { return false };
    let mut definitions = body.ops().filter(|(_, op)| op.kind.dst() == Some(array)).map(|(_, op)| &op.kind);
    let (Some(definition), None) = (definitions.next(), definitions.next()) else { return false };
    let is_new = match *definition {
        OpKind::NewArray { .. } => true,
        OpKind::Call { method, .. } => program.body(method).is_some_and(returns_new_array),
        _ => false,
    };
    is_new && is_only_filled(body, array, Some(field))
}

fn returns_new_array(body: &Body) -> bool {
    let mut returned = body.blocks.iter().filter_map(|block| match block.terminator.kind {
        TerminatorKind::Return(value) => Some(value),
        _ => None,
    });
    let (Some(Some(value)), None) = (returned.next(), returned.next()) else { return false };
    let Expr::Local(array) = *body.expr(value) else { return false };
    let mut definitions = body.ops().filter(|(_, op)| op.kind.dst() == Some(array)).map(|(_, op)| &op.kind);
    matches!((definitions.next(), definitions.next()), (Some(OpKind::NewArray { .. }), None))
        && is_only_filled(body, array, None)
}

/// Whether a body uses an array in a local variable only to write its elements, to store it in the static field, and to return it if there is no
/// field.
fn is_only_filled(body: &Body, array: LocalId, field: Option<FieldId>) -> bool {
    let is_array = |expr: ExprId| *body.expr(expr) == Expr::Local(array);
    let is_part = body.exprs.iter().any(|expr| expr.operands().any(is_array));
    let is_allowed = |op: &OpKind| match *op {
        OpKind::ArrayPut { index, value, .. } => !is_array(index) && !is_array(value),
        OpKind::PutStatic { field: other, .. } if Some(other) == field => true,
        _ => !op.operands().into_iter().any(is_array),
    };
    let ends = body.blocks.iter().map(|block| &block.terminator.kind);
    !is_part
        && body.ops().all(|(_, op)| is_allowed(&op.kind))
        && ends
            .filter_map(|end| Some((end, end.operand()?)))
            .all(|(end, operand)| !is_array(operand) || field.is_none() && matches!(end, TerminatorKind::Return(_)))
}
