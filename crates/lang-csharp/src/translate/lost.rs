//! Finds what the code of the user that was not translated calls, and its assertions.

use super::intrinsics::full_name;
use super::{Translator, assertions, intrinsics};
use crate::members::{MethodKey, MethodRef};
use aback_cil::{Instruction, Opcode, Operand, Token};
use aback_ir::{Body, LostCode, Span};

impl Translator<'_> {
    /// Keeps what is known of the instructions that were not translated.
    pub(super) fn keep_lost_code(&mut self) {
        if !self.is_own_code() {
            return;
        }
        let indices = 0..self.code.instructions.len();
        let is_lost = |&index: &usize| !self.translated.contains(&index) || self.is_function_pointer(index);
        let indices: Vec<usize> = indices.filter(is_lost).collect();
        if !indices.is_empty() {
            let mut body = std::mem::take(&mut self.body);
            self.keep_in(&mut body, &indices);
            self.body = body;
        }
    }

    fn keep_in(&mut self, body: &mut Body, indices: &[usize]) {
        let (program, code) = (self.cs.program, self.code);
        let Some(mut lost) = LostCode::new(program, body) else { return };
        for &index in indices {
            let span = self.span_of(index);
            lost.line(span);
            self.keep_call(&mut lost, &code.instructions[index], span);
        }
        lost.finish();
    }

    /// Whether an instruction makes a pointer to a method that is not for a new delegate. Such a pointer is refused where
    /// it is used.
    fn is_function_pointer(&self, index: usize) -> bool {
        let opcode = |index: usize| self.code.instructions.get(index).map(|instruction| instruction.opcode);
        matches!(opcode(index), Some(Opcode::Ldftn | Opcode::Ldvirtftn)) && opcode(index + 1) != Some(Opcode::Newobj)
    }

    fn keep_call(&self, lost: &mut LostCode, instruction: &Instruction, span: Span) {
        use Opcode::{Call, Callvirt, Jmp, Ldftn, Ldvirtftn, Newobj};
        let Operand::Token(token) = instruction.operand else { return };
        if let Opcode::Ldsfld | Opcode::Ldsflda | Opcode::Stsfld = instruction.opcode {
            return self.keep_static(lost, instruction.opcode, token, span);
        }
        if !matches!(instruction.opcode, Call | Callvirt | Jmp | Ldftn | Ldvirtftn | Newobj) {
            return;
        }
        let Ok(MethodRef::Declared(key)) = self.cs.method_token(self.assembly, token, &self.generics) else { return };
        if self.is_assertion(&key) {
            return lost.assertion(span);
        }
        if instruction.opcode == Newobj && !self.cs.is_value(key.owner) {
            lost.object(self.cs.class_of(key.owner), span);
        }
        let is_virtual = matches!(instruction.opcode, Callvirt | Ldvirtftn) && self.is_dispatched(&key);
        lost.call(self.cs.method(&key), is_virtual, span);
    }

    /// Keeps an access of a static field. A pointer to it may be for a write.
    fn keep_static(&self, lost: &mut LostCode, opcode: Opcode, token: Token, span: Span) {
        let Ok((owner, row)) = self.cs.field_token(self.assembly, token, &self.generics) else { return };
        let Ok(slot) = self.cs.field(owner, row) else { return };
        for &field in &slot.ids {
            if opcode != Opcode::Stsfld {
                lost.read_static(field, span);
            }
            if opcode != Opcode::Ldsfld {
                lost.write_static(field, span);
            }
        }
    }

    fn is_assertion(&self, key: &MethodKey) -> bool {
        full_name(self.cs, key)
            .is_some_and(|(class, name)| intrinsics::is_assertion(&class, &name) || assertions::is_assertion(&class))
    }
}
