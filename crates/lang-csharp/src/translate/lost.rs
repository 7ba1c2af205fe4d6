//! Finds what the code of the user that was not translated calls, and its assertions.

use super::intrinsics::full_name;
use super::{Translator, assertions, intrinsics};
use crate::members::{MethodKey, MethodRef};
use aback_cil::{Instruction, Opcode, Operand};
use aback_ir::{Body, LostCode, Span};

impl Translator<'_> {
    /// Keeps what is known of the instructions that were not translated.
    pub(super) fn keep_lost_code(&mut self) {
        if !self.is_own_code() || self.translated.len() == self.code.instructions.len() {
            return;
        }
        let mut body = std::mem::take(&mut self.body);
        self.keep_in(&mut body);
        self.body = body;
    }

    fn keep_in(&mut self, body: &mut Body) {
        let (program, code) = (self.cs.program, self.code);
        let Some(mut lost) = LostCode::new(program, body) else { return };
        for (index, instruction) in code.instructions.iter().enumerate() {
            if !self.translated.contains(&index) {
                let span = self.span_of(index);
                lost.line(span);
                self.keep_call(&mut lost, instruction, span);
            }
        }
        lost.finish();
    }

    fn keep_call(&self, lost: &mut LostCode, instruction: &Instruction, span: Span) {
        use Opcode::{Call, Callvirt, Jmp, Ldftn, Ldvirtftn, Newobj};
        let Operand::Token(token) = instruction.operand else { return };
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

    fn is_assertion(&self, key: &MethodKey) -> bool {
        full_name(self.cs, key)
            .is_some_and(|(class, name)| intrinsics::is_assertion(&class, &name) || assertions::is_assertion(&class))
    }
}
