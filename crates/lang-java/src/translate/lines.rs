//! Knows the lines of instructions, and which of these instructions are not really there.
//!
//! A table gives lines to ranges of instructions. In `r = a ? b : c` over several lines, `b` and `c` begin ranges, and what follows
//! the whole, the assignment, does not. So it is in the range of `c` also where `b` was evaluated.

use super::Translator;
use aback_ir::Span;
use cafebabe::bytecode::Opcode;

impl Translator<'_> {
    pub(super) fn span_of(&self, pc: usize) -> Span {
        let line = self.range_of(pc).map_or(0, |index| u32::from(self.lines[index].1));
        Span { file: self.class.source, line, column: 0, length: 0 }
    }

    /// The number of the range with an instruction.
    fn range_of(&self, pc: usize) -> Option<usize> {
        self.lines.partition_point(|&(start, _)| usize::from(start) <= pc).checked_sub(1)
    }

    /// Whether a block, by the index of its first instruction, goes on with an expression whose value several ways lead to, within the range
    /// of one of them.
    pub(super) fn is_tail(&self, start: usize) -> bool {
        let pc = self.opcodes[start].0;
        let begins = self.range_of(pc).is_none_or(|index| usize::from(self.lines[index].0) == pc);
        !self.class.is_trusted && !begins && !self.frame.stack.is_empty()
    }
}

/// Whether an instruction only uses what is on the stack, so that its text is before the last operand: assignments, returns and operators with
/// all operands. What comes behind an operand, such as `.field`, is none of these, nor is anything that evaluates another operand.
pub(super) fn finishes(opcode: &Opcode) -> bool {
    use Opcode::*;
    ends(opcode)
        || matches!(
            opcode,
            Iadd | Ladd
                | Fadd
                | Dadd
                | Isub
                | Lsub
                | Fsub
                | Dsub
                | Imul
                | Lmul
                | Fmul
                | Dmul
                | Idiv
                | Ldiv
                | Fdiv
                | Ddiv
        )
        || matches!(
            opcode,
            Irem | Lrem | Frem | Drem | Ineg | Lneg | Fneg | Dneg | Ishl | Lshl | Ishr | Lshr | Iushr | Lushr
        )
        || matches!(opcode, Iand | Land | Ior | Lor | Ixor | Lxor | I2l | I2f | I2d | L2i | L2f | L2d | F2i | F2l | F2d)
        || matches!(opcode, D2i | D2l | D2f | I2b | I2c | I2s | Checkcast(_))
        || matches!(opcode, Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2)
}

/// Whether an instruction ends an expression. What follows in the range is another statement.
pub(super) fn ends(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Istore(_) | Lstore(_) | Fstore(_) | Dstore(_) | Astore(_) | Putfield(_) | Putstatic(_))
        || matches!(opcode, Iastore | Lastore | Fastore | Dastore | Aastore | Bastore | Castore | Sastore)
        || matches!(opcode, Ireturn | Lreturn | Freturn | Dreturn | Areturn | Athrow)
}
