//! Recognizes switches over strings as `javac` generates them: first over the hash code, then over the strings with
//! this hash code. They are translated to a choice among strings, because solvers cannot do much with an equation of
//! a hash code.
//!
//! The meaning is the same. Each string is tested where the switch jumps for its exact hash code, on the local whose
//! value was hashed, with nothing in between. If the local is null, the first test throws the same exception as
//! `hashCode`.

use super::{Result, Translator};
use crate::synthetic::constants;
use crate::types::STRING;
use aback_ir::{BinaryOp, Dispatch, TerminatorKind};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{Loadable, MemberRef};

/// A switch over a string.
pub(super) struct StringSwitch<'t, 'a> {
    /// The strings, with their jump targets.
    cases: Vec<(&'t Loadable<'a>, usize)>,
    /// The jump target for all other strings.
    default: usize,
}

fn is_method(reference: &MemberRef<'_>, name: &str, descriptor: &str) -> bool {
    reference.class_name == "java/lang/String"
        && reference.name_and_type.name == name
        && reference.name_and_type.descriptor == descriptor
}

/// `String.hashCode` of a constant, if it is a string.
fn hash_code(constant: &Loadable<'_>) -> Option<i32> {
    let Loadable::LiteralConstant(literal) = constant else { return None };
    let units = constants::units(literal)?;
    Some(units.into_iter().fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))))
}

impl<'a> Translator<'a> {
    /// The switch that begins at this index with the call of `hashCode`.
    pub(super) fn string_switch<'t>(&self, index: usize) -> Option<StringSwitch<'t, 'a>>
    where
        'a: 't,
    {
        let opcodes = self.opcodes;
        let at = |index: usize| opcodes.get(index).map(|(_, opcode)| opcode);
        let index_of = |pc: usize| opcodes.binary_search_by_key(&pc, |&(pc, _)| pc).ok();
        let (Opcode::Aload(subject), Opcode::Invokevirtual(hash), &(pc, Opcode::Lookupswitch(ref table))) =
            (at(index.checked_sub(1)?)?, at(index)?, opcodes.get(index + 1)?)
        else {
            return None;
        };
        // No jump leads to the call with another string, or to the switch with another number.
        let is_jumped_to = self.block_at.contains_key(&self.pc) || self.block_at.contains_key(&pc);
        if !is_method(hash, "hashCode", "()I") || is_jumped_to {
            return None;
        }
        let to = |pc: usize, offset: i32| pc.wrapping_add_signed(offset as isize);
        let default = to(pc, table.default);
        let mut cases = Vec::new();
        for &(code, offset) in &table.match_offsets {
            // The tests of strings follow one another and end at the default target.
            let mut place = to(pc, offset);
            while place != default {
                let first = index_of(place)?;
                let (Opcode::Aload(tested), Opcode::Ldc(string) | Opcode::LdcW(string), Opcode::Invokevirtual(equals)) =
                    (at(first)?, at(first + 1)?, at(first + 2)?)
                else {
                    return None;
                };
                let (&(branch, Opcode::Ifeq(otherwise)), &(then, _)) =
                    (opcodes.get(first + 3)?, opcodes.get(first + 4)?)
                else {
                    return None;
                };
                let is_test = tested == subject && is_method(equals, "equals", "(Ljava/lang/Object;)Z");
                let next = to(branch, otherwise);
                if !is_test || hash_code(string) != Some(code) || next <= place {
                    return None;
                }
                cases.push((string, then));
                place = next;
            }
        }
        (!cases.is_empty()).then_some(StringSwitch { cases, default })
    }

    /// Emits a choice among strings instead of hash codes. The string is on the stack.
    pub(super) fn switch_on_string(&mut self, switch: &StringSwitch<'_, 'a>) -> Result<()> {
        let string = self.java.named(STRING);
        let Some(equals) = self.java.declared_method(string, "equals", "(Ljava/lang/Object;)Z") else {
            return super::malformed("a string without `equals`");
        };
        let subject = self.pop()?;
        for &(constant, place) in &switch.cases {
            self.frame.stack.push(subject);
            self.load_constant(constant)?;
            self.emit_call(Dispatch::Virtual, equals)?;
            let equal = self.pop()?;
            let condition = self.against_zero(BinaryOp::Ne, equal);
            let then_block = self.edge(place)?;
            let handlers = self.body.block(self.block).handlers.clone();
            let else_block = self.body.add_block(handlers);
            self.end(TerminatorKind::Branch { condition, then_block, else_block });
            self.block = else_block;
        }
        self.go_to(switch.default)
    }
}
