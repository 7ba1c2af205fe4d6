//! Finds what the code of the user that was not translated calls, and its assertions.

use super::Translator;
use crate::types::{class_name, named_type};
use aback_ir::{LostCode, MethodId, Span, Type};
use cafebabe::bytecode::Opcode::{self, *};
use cafebabe::constant_pool::MemberRef;

impl<'a> Translator<'a> {
    /// Keeps what is known of the instructions that were not translated.
    pub(super) fn keep_lost_code(&mut self) {
        if self.class.is_trusted || self.translated.len() == self.opcodes.len() {
            return;
        }
        let mut body = std::mem::take(&mut self.body);
        if let Some(mut lost) = LostCode::new(self.java.program, &mut body) {
            for (index, (pc, opcode)) in self.opcodes.iter().enumerate() {
                if !self.translated.contains(&index) {
                    let span = self.span_of(*pc);
                    lost.line(span);
                    self.keep_effect(&mut lost, index, opcode, span);
                }
            }
            lost.finish();
        }
        self.body = body;
    }

    fn keep_effect(&self, lost: &mut LostCode, index: usize, opcode: &Opcode<'a>, span: Span) {
        let (called, is_virtual) = match opcode {
            // An assertion creates the error that it throws.
            New(name) if class_name(name) == "java.lang.AssertionError" => return lost.assertion(span),
            New(name) => return lost.object(self.java.named(&class_name(name)), span),
            Invokevirtual(method) | Invokeinterface(method, _) => (self.named_method(method), true),
            Invokespecial(method) | Invokestatic(method) => (self.named_method(method), false),
            Invokedynamic(call) => (self.linked(index, call).ok(), false),
            Getstatic(field) => return self.field(field).into_iter().for_each(|field| lost.read_static(field, span)),
            Putstatic(field) => return self.field(field).into_iter().for_each(|field| lost.write_static(field, span)),
            _ => return,
        };
        if let Some(method) = called {
            lost.call(method, is_virtual, span);
        }
    }

    fn named_method(&self, reference: &MemberRef<'a>) -> Option<MethodId> {
        let Type::Class(class) = named_type(self.java.program, &reference.class_name)? else { return None };
        self.java.method(class, &reference.name_and_type.name, &reference.name_and_type.descriptor)
    }
}
