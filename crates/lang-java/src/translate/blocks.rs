//! Splits code into basic blocks, and passes values between them.

use super::frame::Frame;
use super::{Entry, FRAME_LOCAL, OPERATION, Result, Translator, malformed};
use crate::types::class_name;
use aback_ir::{BlockId, ClassId, ExprId, Handler, LocalId, OpKind, TerminatorKind, Type};
use cafebabe::attributes::{CodeData, StackMapEntry};
use cafebabe::bytecode::Opcode;
use std::collections::BTreeSet;

/// Number of moves beyond which they are assumed to clash: finding out would take longer than making them twice.
const MANY_MOVES: usize = 256;

/// A sequence of instructions that is entered only at its start and covered by the same handlers throughout.
pub(super) struct JavaBlock {
    /// Indices of the first instruction and of the one after the last.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) id: BlockId,
    /// The frame at its start, or `None` until it is known.
    pub(super) frame: Option<Frame>,
    pub(super) handlers: Vec<JavaHandler>,
}

/// An exception handler.
#[derive(Clone, Copy)]
pub(super) struct JavaHandler {
    class: Option<ClassId>,
    /// Index of the block at which the handler starts.
    block: usize,
}

impl JavaHandler {
    pub(super) fn frame<'b>(&self, blocks: &'b [JavaBlock]) -> Option<&'b Frame> {
        blocks[self.block].frame.as_ref()
    }
}

impl<'a> Translator<'a> {
    pub(super) fn run(&mut self, code: &CodeData<'a>, map: &[StackMapEntry<'a>]) -> Result<()> {
        let entry = self.entry_frame(code.max_locals)?;
        self.cut(code)?;
        for (pc, frame) in self.read_stack_map(&entry, map)? {
            match self.block_at.get(&pc) {
                Some(&block) => self.give_frame(block, frame),
                // No jump leads there.
                None => continue,
            }
        }
        self.attach_handlers(code)?;
        self.prologue(&entry)?;
        while let Some(next) = self.ready.pop_first() {
            self.current = next;
            self.block = self.blocks[next].id;
            self.frame = self.blocks[next].frame.clone().unwrap_or_default();
            self.span = self.span_of(self.opcodes[self.blocks[next].start].0);
            self.spend(self.frame.locals.len() + self.frame.stack.len());
            self.enter_handlers();
            self.sync_all()?;
            self.block()?;
        }
        self.skip_empty_blocks();
        Ok(())
    }

    /// Sets the frame of a block that is not translated yet.
    fn give_frame(&mut self, block: usize, frame: Frame) {
        self.spend(FRAME_LOCAL * (frame.locals.len() + frame.stack.len()));
        self.blocks[block].frame = Some(frame);
        self.ready.insert(block);
    }

    /// Redirects jumps to blocks that only jump.
    fn skip_empty_blocks(&mut self) {
        let next: Vec<Option<BlockId>> = self
            .body
            .blocks
            .iter()
            .map(|block| match block.terminator.kind {
                TerminatorKind::Goto(target) if block.ops.is_empty() => Some(target),
                _ => None,
            })
            .collect();
        let end_of = |mut block: BlockId| {
            // A loop of empty blocks has no end.
            for _ in 0..next.len() {
                match next[block.index()] {
                    Some(target) => block = target,
                    None => break,
                }
            }
            block
        };
        for block in &mut self.body.blocks {
            match &mut block.terminator.kind {
                TerminatorKind::Goto(target) => *target = end_of(*target),
                TerminatorKind::Branch { then_block, else_block, .. } => {
                    *then_block = end_of(*then_block);
                    *else_block = end_of(*else_block);
                }
                TerminatorKind::Switch { cases, default, .. } => {
                    for (_, target) in cases {
                        *target = end_of(*target);
                    }
                    *default = end_of(*default);
                }
                _ => {}
            }
        }
    }

    /// Splits the code into blocks.
    fn cut(&mut self, code: &CodeData<'a>) -> Result<()> {
        let mut leaders: BTreeSet<usize> = BTreeSet::from([0]);
        for (index, (pc, opcode)) in self.opcodes.iter().enumerate() {
            let targets = jumps(*pc, opcode);
            if !targets.is_empty() || ends_block(opcode) {
                leaders.extend(self.opcodes.get(index + 1).map(|&(next, _)| next));
            }
            leaders.extend(targets);
        }
        for entry in &code.exception_table {
            leaders.extend([entry.start_pc, entry.end_pc, entry.handler_pc].map(usize::from));
        }
        // The entry block is separate, so that its code is not part of a loop.
        self.body.add_block(Vec::new());
        let indices: Vec<usize> =
            leaders.iter().filter_map(|leader| self.opcodes.binary_search_by_key(leader, |&(pc, _)| pc).ok()).collect();
        for (number, &start) in indices.iter().enumerate() {
            let end = indices.get(number + 1).copied().unwrap_or(self.opcodes.len());
            let id = self.body.add_block(Vec::new());
            self.block_at.insert(self.opcodes[start].0, self.blocks.len());
            self.blocks.push(JavaBlock { start, end, id, frame: None, handlers: Vec::new() });
        }
        if self.blocks.is_empty() { malformed("a method without instructions") } else { Ok(()) }
    }

    /// Whether control can get to the start of a block without an instruction, both given by their places.
    pub(super) fn gets_around(&self, instruction: usize, block: usize) -> bool {
        let contains = |block: &JavaBlock| {
            let places = &self.opcodes[block.start..block.end];
            places.first().is_some_and(|&(first, _)| first <= instruction)
                && places.last().is_some_and(|&(last, _)| instruction <= last)
        };
        let (mut seen, mut pending) = (vec![false; self.blocks.len()], vec![0]);
        while let Some(next) = pending.pop() {
            let Some(at) = self.blocks.get(next).filter(|_| !std::mem::replace(&mut seen[next], true)) else {
                continue;
            };
            if contains(at) {
                continue;
            }
            let Some((pc, last)) = self.opcodes.get(at.end.wrapping_sub(1)) else { continue };
            if !ends_block(last) && !matches!(last, Opcode::Goto(_) | Opcode::Tableswitch(_) | Opcode::Lookupswitch(_))
            {
                pending.push(next + 1);
            }
            pending.extend(jumps(*pc, last).iter().filter_map(|target| self.block_at.get(target)));
            pending.extend(at.handlers.iter().map(|handler| handler.block));
        }
        self.block_at.get(&block).is_some_and(|&block| seen[block] && !contains(&self.blocks[block]))
    }

    fn attach_handlers(&mut self, code: &CodeData<'a>) -> Result<()> {
        for entry in &code.exception_table {
            let class = entry.catch_type.as_ref().map(|name| self.java.named(&class_name(name)));
            let Some(&block) = self.block_at.get(&usize::from(entry.handler_pc)) else {
                return malformed("a handler between two instructions");
            };
            let thrown = class.unwrap_or_else(|| self.java.named("java.lang.Throwable"));
            let entered = self.entry_at(0, Type::Class(thrown));
            let exception = match self.blocks[block].frame.as_ref().map(|frame| &frame.stack[..]) {
                Some([exception]) => *exception,
                Some(_) => return malformed("a handler without an exception"),
                None => entered,
            };
            let aback_ir::Expr::Local(exception) = *self.body.expr(exception.expr) else {
                return malformed("a handler without an exception");
            };
            let handler = Handler { class, target: self.blocks[block].id, exception };
            // The blocks are in order of their offsets.
            let first_from =
                |place: u16| self.blocks.partition_point(|block| self.opcodes[block.start].0 < usize::from(place));
            let covered = first_from(entry.start_pc)..first_from(entry.end_pc);
            self.spend(OPERATION.saturating_mul(covered.len()));
            self.afford()?;
            for covered in covered {
                self.blocks[covered].handlers.push(JavaHandler { class, block });
                self.body.block_mut(self.blocks[covered].id).handlers.push(handler);
            }
        }
        Ok(())
    }

    /// Without a stack map, a handler has the locals of the first translated block that it covers.
    fn enter_handlers(&mut self) {
        for handler in self.blocks[self.current].handlers.clone() {
            if self.blocks[handler.block].frame.is_none() {
                let thrown = handler.class.unwrap_or_else(|| self.java.named("java.lang.Throwable"));
                let exception = self.entry_at(0, Type::Class(thrown));
                let frame = Frame { locals: self.frame.locals.clone(), stack: vec![exception] };
                self.give_frame(handler.block, frame);
            }
        }
    }

    /// Fills the entry block: it initializes the class if a call does so, and jumps to the first instruction.
    fn prologue(&mut self, entry: &Frame) -> Result<()> {
        self.span = self.java.program.method(self.method).span;
        let method = self.java.program.method(self.method);
        if method.kind == aback_ir::MethodKind::Static && method.name != "<clinit>" {
            self.ensure_initialized(self.class.id);
        }
        self.frame = entry.clone();
        self.current = 0;
        match self.opcodes.first() {
            Some(&(pc, _)) => self.go_to(pc),
            None => malformed("a method without instructions"),
        }
    }

    /// Ends the current block with a jump.
    pub(super) fn go_to(&mut self, pc: usize) -> Result<()> {
        let (target, moves) = self.moves(pc)?;
        self.make_moves(moves);
        self.end(TerminatorKind::Goto(target));
        Ok(())
    }

    /// The block to jump to for an offset: the block at the offset, or a new one that moves values before it jumps
    /// there.
    pub(super) fn edge(&mut self, pc: usize) -> Result<BlockId> {
        let (target, moves) = self.moves(pc)?;
        if moves.is_empty() {
            return Ok(target);
        }
        let edge = self.body.add_block(Vec::new());
        let before = std::mem::replace(&mut self.block, edge);
        self.make_moves(moves);
        self.end(TerminatorKind::Goto(target));
        self.block = before;
        Ok(edge)
    }

    /// The block at an offset, and the assignments that are needed before it starts.
    fn moves(&mut self, pc: usize) -> Result<(BlockId, Vec<(LocalId, ExprId)>)> {
        let Some(&block) = self.block_at.get(&pc) else { return malformed("a jump between two instructions") };
        if self.blocks[block].frame.is_none() {
            let stack: Vec<Entry> = self.frame.stack.clone();
            let stack = stack.iter().enumerate().map(|(height, entry)| self.entry_at(height, entry.ty)).collect();
            self.give_frame(block, Frame { locals: self.frame.locals.clone(), stack });
        }
        self.spend(self.frame.locals.len() + self.frame.stack.len());
        self.afford()?;
        let Some(target) = self.blocks[block].frame.clone() else { return malformed("a block without a frame") };
        if target.stack.len() != self.frame.stack.len() {
            return malformed("stacks of different heights meet");
        }
        let mut moves = Vec::new();
        for (slot, wanted) in target.locals.iter().enumerate() {
            let Some(wanted) = *wanted else { continue };
            match self.frame.locals.get(slot).copied().flatten() {
                Some(current) if current == wanted => {}
                Some(current) => match self.converted(current, wanted) {
                    Some(value) => moves.push((wanted, value)),
                    None => return malformed("locals of different types meet"),
                },
                None => return malformed("a local without a value is read"),
            }
        }
        for (have, want) in self.frame.stack.clone().into_iter().zip(&target.stack) {
            let aback_ir::Expr::Local(place) = *self.body.expr(want.expr) else {
                return malformed("a value without a place");
            };
            if have.expr != want.expr {
                let value = if have.ty.is_reference() { self.retyped(have.expr, have.ty, want.ty) } else { have.expr };
                moves.push((place, value));
            }
        }
        Ok((self.blocks[block].id, moves))
    }

    /// Assigns all values simultaneously.
    fn make_moves(&mut self, mut moves: Vec<(LocalId, ExprId)>) {
        let is_read_later = |(index, &(dst, _)): (usize, &(LocalId, ExprId))| {
            moves[index + 1..].iter().any(|&(_, value)| self.mentions(value, dst))
        };
        // It is harmless to treat moves as clashing.
        let clashes = moves.len() > MANY_MOVES || moves.iter().enumerate().any(is_read_later);
        if clashes {
            for (dst, value) in &mut moves {
                let temp = self.body.add_temp(self.body.local(*dst).ty);
                self.note_place(temp);
                self.emit(OpKind::Assign { dst: temp, value: *value });
                *value = self.read(temp);
            }
        }
        for (dst, value) in moves {
            self.emit(OpKind::Assign { dst, value });
        }
    }
}

/// The offsets to which an instruction may jump, apart from the next instruction.
pub(super) fn jumps(pc: usize, opcode: &Opcode<'_>) -> Vec<usize> {
    use Opcode::*;
    let at = |offset: i32| pc.wrapping_add_signed(offset as isize);
    match opcode {
        Goto(to) | Jsr(to) | Ifeq(to) | Ifne(to) | Iflt(to) | Ifge(to) | Ifgt(to) | Ifle(to) | IfIcmpeq(to)
        | IfIcmpne(to) | IfIcmplt(to) | IfIcmpge(to) | IfIcmpgt(to) | IfIcmple(to) | IfAcmpeq(to) | IfAcmpne(to)
        | Ifnull(to) | Ifnonnull(to) => vec![at(*to)],
        Tableswitch(table) => table.jumps.iter().copied().chain([table.default]).map(at).collect(),
        Lookupswitch(table) => table.match_offsets.iter().map(|&(_, to)| to).chain([table.default]).map(at).collect(),
        _ => Vec::new(),
    }
}

fn ends_block(opcode: &Opcode<'_>) -> bool {
    use Opcode::*;
    matches!(opcode, Ireturn | Lreturn | Freturn | Dreturn | Areturn | Return | Athrow | Ret(_))
}
