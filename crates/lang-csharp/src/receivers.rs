//! Decides how methods of structs receive the struct on which they are called.
//!
//! In CIL they get a managed pointer. A method that reads the struct before it does anything else cannot see whether
//! it reads through the pointer or from a copy, so that it gets the leaves of the struct themselves. Then the caller's
//! variable need not be an object.

use crate::loader::Cs;
use crate::members::{MethodKey, MethodRef};
use crate::models;
use crate::supplied;
use crate::types::TyId;
use aback_cil::{Instruction, MethodBody, Opcode, Operand};

/// The type of the receiver of a method of a class. Arrays run the methods of a helper class of the library.
pub(crate) fn receiver_type(cs: Cs, key: &MethodKey) -> TyId {
    match cs.library("System", "Object") {
        Ok(object) if cs.is_library_type(key.owner, "System", "SZArrayHelper") => object,
        _ => key.owner,
    }
}

/// Greatest depth of calls among methods that are examined together.
const MOST_CALLS: u32 = 6;

/// Whether a method of a struct gets the leaves of the struct and not a pointer to it.
pub(crate) fn is_by_value(cs: Cs, key: &MethodKey) -> bool {
    reads_first(cs, key, 0)
}

fn reads_first(cs: Cs, key: &MethodKey, depth: u32) -> bool {
    let Some((declared, _)) = cs.declared(key.owner) else { return false };
    let Ok(Some(body)) = cs.assembly(declared.assembly).body(key.row) else { return false };
    // Models of methods of structs get a pointer.
    let has_model = || models::of(cs, key).is_some() || supplied::of(cs, key).is_some();
    if depth > MOST_CALLS || !body.clauses.is_empty() || has_model() {
        return false;
    }
    let is_this = |at: usize| {
        let Some(instruction) = body.instructions.get(at) else { return false };
        matches!(
            (instruction.opcode, &instruction.operand),
            (Opcode::Ldarg | Opcode::Ldarga | Opcode::Starg, Operand::Variable(0))
        )
    };
    let Some(last) = (0..body.instructions.len()).rev().find(|&at| is_this(at)) else { return true };
    // Up to its last use of the struct, it goes forward only, and changes nothing that could be the struct.
    (0..=last + 1).all(|at| {
        let Some(instruction) = body.instructions.get(at) else { return true };
        match is_this(at) {
            true => instruction.opcode == Opcode::Ldarg && is_read(cs, key, &body, at + 1, depth),
            false => at > last || is_harmless(cs, key, instruction, depth),
        }
    })
}

/// Whether the instruction after the load of the receiver reads the struct.
fn is_read(cs: Cs, key: &MethodKey, body: &MethodBody, at: usize, depth: u32) -> bool {
    let Some(next) = body.instructions.get(at) else { return false };
    match next.opcode {
        Opcode::Ldfld | Opcode::Ldobj => true,
        Opcode::LdindI1 | Opcode::LdindU1 | Opcode::LdindI2 | Opcode::LdindU2 | Opcode::LdindI4 => true,
        Opcode::LdindU4 | Opcode::LdindI8 | Opcode::LdindI | Opcode::LdindR4 | Opcode::LdindR8 => true,
        Opcode::Call => called(cs, key, next).is_some_and(|callee| {
            callee.owner == key.owner
                && cs.signature(&callee).is_ok_and(|signature| signature.has_this && signature.params.is_empty())
                && reads_first(cs, &callee, depth + 1)
        }),
        _ => false,
    }
}

fn called(cs: Cs, key: &MethodKey, instruction: &Instruction) -> Option<MethodKey> {
    let Operand::Token(token) = instruction.operand else { return None };
    let declared = cs.declaration_of(key).ok()?;
    let generics = cs.generics_of(key.owner, key.arguments.clone());
    match cs.method_token(declared.assembly, token, &generics).ok()? {
        MethodRef::Declared(callee) => Some(callee),
        MethodRef::OfArray(..) => None,
    }
}

/// Whether an instruction neither changes memory nor goes back.
fn is_harmless(cs: Cs, key: &MethodKey, instruction: &Instruction, depth: u32) -> bool {
    use Opcode::*;
    match instruction.opcode {
        Stfld | Stsfld | Stobj | Initobj | Cpobj | Cpblk | Initblk | StindRef | StindI1 | StindI2 | StindI4
        | StindI8 | StindR4 | StindR8 | StindI | StelemI | StelemI1 | StelemI2 | StelemI4 | StelemI8 | StelemR4
        | StelemR8 | StelemRef | Stelem | Calli | Callvirt | Newobj | Jmp | Ldsfld | Ldsflda => false,
        Call => called(cs, key, instruction).is_some_and(|callee| {
            // Methods that throw do not come back.
            cs.is_library_type(callee.owner, "System", "ThrowHelper")
                || cs.is_library_type(callee.owner, "System.Runtime.CompilerServices", "Unsafe")
                || callee.owner == key.owner && reads_first(cs, &callee, depth + 1)
        }),
        _ => match &instruction.operand {
            Operand::Target(target) => *target > instruction.offset,
            Operand::Switch(targets) => targets.iter().all(|target| *target > instruction.offset),
            _ => true,
        },
    }
}
