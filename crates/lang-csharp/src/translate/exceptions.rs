//! Translates protected regions (ECMA-335, II.19 and III.3.46 f.).
//!
//! The code of a finally block exists once. Before control goes there, a local gets the number of the place where it
//! continues afterwards; the number 0 stands for throwing the exception again.

use super::stack::Entry;
use super::{Translated, Translator, malformed};
use crate::synthetic::exceptions;
use aback_cil::{Clause, ClauseKind, Operand};
use aback_ir::{BlockId, Expr, Handler, LocalId, OpKind, Terminator, TerminatorKind};
use smallvec::smallvec;

/// What the translator knows about the clauses of a method, by their index.
#[derive(Default)]
pub(super) struct Regions {
    clauses: Vec<Region>,
}

#[derive(Default)]
struct Region {
    /// The first instruction of the handler.
    handler: usize,
    /// The first instruction of the filter.
    filter: usize,
    /// The exception that a handler has caught.
    exception: Option<LocalId>,
    /// The number of the place where control continues after a finally block.
    selector: Option<LocalId>,
    continuations: Vec<BlockId>,
    /// Blocks that end the finally block.
    ends: Vec<BlockId>,
    /// The block to which exceptions go.
    entry: Option<BlockId>,
}

fn in_try(clause: &Clause, offset: u32) -> bool {
    clause.try_start <= offset && offset < clause.try_end
}

fn in_handler(clause: &Clause, offset: u32) -> bool {
    clause.handler_start <= offset && offset < clause.handler_end
}

/// The name of the field that a token means.
pub(crate) fn field_name(read: &aback_cil::Assembly, token: aback_cil::Token) -> Option<String> {
    match token.table()? {
        aback_cil::Table::Field => read.field_name(token.row()).ok().map(str::to_string),
        aback_cil::Table::MemberRef => read.member_ref(token.row()).ok().map(|member| member.name.to_string()),
        _ => None,
    }
}

impl<'a> Translator<'a> {
    /// Finds the blocks of protected regions and handlers.
    pub(super) fn find_regions(&mut self) -> Translated<()> {
        for clause in &self.code.clauses {
            let mut region = Region { handler: self.index_of(clause.handler_start)?, ..Region::default() };
            self.starts.insert(region.handler);
            if let ClauseKind::Filter(filter) = clause.kind {
                region.filter = self.index_of(filter)?;
                self.starts.insert(region.filter);
            }
            let start = self.index_of(clause.try_start)?;
            self.starts.insert(start);
            for end in [clause.try_end, clause.handler_end] {
                self.starts.extend(self.code.index_of(end));
            }
            self.regions.clauses.push(region);
        }
        Ok(())
    }

    fn exception_local(&mut self, clause: usize) -> LocalId {
        if let Some(known) = self.regions.clauses[clause].exception {
            return known;
        }
        let ty = exceptions::exception(self.cs);
        let local = self.variable_local(None, ty);
        self.regions.clauses[clause].exception = Some(local);
        local
    }

    fn selector_local(&mut self, clause: usize) -> LocalId {
        if let Some(known) = self.regions.clauses[clause].selector {
            return known;
        }
        let local = self.variable_local(None, crate::layout::INT);
        self.regions.clauses[clause].selector = Some(local);
        local
    }

    /// The handlers of the code at an instruction, the innermost first.
    pub(super) fn handlers_at(&mut self, index: usize) -> Translated<Vec<Handler>> {
        let Some(instruction) = self.code.instructions.get(index) else { return Ok(Vec::new()) };
        self.handlers_of(instruction.offset, 0)
    }

    /// The handlers of the code at an offset among the clauses from one on.
    fn handlers_of(&mut self, offset: u32, first: usize) -> Translated<Vec<Handler>> {
        let mut handlers = Vec::new();
        let code = self.code;
        let filters = code.clauses.iter().position(|clause| {
            matches!(clause.kind, ClauseKind::Filter(start) if start <= offset && offset < clause.handler_start)
        });
        if let Some(index) = filters {
            // An exception in a filter means that the filter does not take the one before it.
            let target = self.next_handlers(index)?;
            let ty = exceptions::exception(self.cs);
            let exception = self.variable_local(None, ty);
            return Ok(vec![Handler { class: None, target, exception }]);
        }
        for (index, clause) in code.clauses.iter().enumerate().skip(first) {
            if !in_try(clause, offset) {
                continue;
            }
            let class = match clause.kind {
                ClauseKind::Catch(token) => {
                    let ty = self.cs.token(self.assembly, token, &self.generics)?;
                    let class = self.cs.class_of(ty);
                    (class != self.cs.object_class()).then_some(class)
                }
                _ => None,
            };
            let target = self.handler_entry(index)?;
            let exception = self.exception_local(index);
            handlers.push(Handler { class, target, exception });
        }
        Ok(handlers)
    }

    /// The block to which exceptions go that a clause handles.
    fn handler_entry(&mut self, index: usize) -> Translated<BlockId> {
        if let Some(known) = self.regions.clauses[index].entry {
            return Ok(known);
        }
        let block = self.body.add_block(Vec::new());
        self.regions.clauses[index].entry = Some(block);
        let clause = &self.code.clauses[index];
        let outer = self.handlers_of(clause.handler_start, 0)?;
        self.body.block_mut(block).handlers = outer;
        if let ClauseKind::Filter(_) = clause.kind
            && !self.is_independent_filter(index)
        {
            let what = "an exception filter that inner finally blocks may influence";
            let kind = TerminatorKind::unsupported(what);
            self.body.block_mut(block).terminator = Terminator { kind, span: self.span };
            return Ok(block);
        }
        let exception = self.exception_local(index);
        let start = match clause.kind {
            ClauseKind::Filter(_) => self.regions.clauses[index].filter,
            _ => self.regions.clauses[index].handler,
        };
        let stack = match clause.kind {
            ClauseKind::Catch(_) | ClauseKind::Filter(_) => {
                let ty = self.cs.library("System", "Exception")?;
                let value = self.local(exception);
                vec![Entry::Value(ty, smallvec![value])]
            }
            ClauseKind::Finally | ClauseKind::Fault => {
                let dst = self.selector_local(index);
                let value = self.int(0);
                let span = self.span;
                let op = aback_ir::Op { kind: OpKind::Assign { dst, value }, span };
                self.body.block_mut(block).ops.push(op);
                Vec::new()
            }
        };
        let target = self.block_at(start)?;
        self.enter(start, stack)?;
        self.body.block_mut(block).terminator = Terminator { kind: TerminatorKind::Goto(target), span: self.span };
        Ok(block)
    }

    /// Whether a filter and finally blocks do not influence each other. A filter runs before the finally blocks between
    /// the throw and its handler; here, it runs after them.
    fn is_independent_filter(&self, index: usize) -> bool {
        use aback_cil::Opcode::*;
        let clause = &self.code.clauses[index];
        let ClauseKind::Filter(start) = clause.kind else { return true };
        let within = |from: u32, to: u32| {
            self.code
                .instructions
                .iter()
                .filter(move |instruction| from <= instruction.offset && instruction.offset < to)
        };
        let is_inner = |other: &&Clause| {
            matches!(other.kind, ClauseKind::Finally | ClauseKind::Fault)
                && clause.try_start <= other.try_start
                && other.handler_end <= clause.try_end
        };
        let assigned: Vec<&Operand> = self
            .code
            .clauses
            .iter()
            .filter(is_inner)
            .flat_map(|other| within(other.handler_start, other.handler_end))
            .filter(|instruction| matches!(instruction.opcode, Stloc | Starg))
            .map(|instruction| &instruction.operand)
            .collect();
        let effects = self.cs.finally_effects();
        let is_unchanged = |instruction: &aback_cil::Instruction| {
            let Operand::Token(token) = instruction.operand else { return false };
            let name = field_name(self.cs.assembly(self.assembly), token);
            effects.as_ref().is_some_and(|fields| name.is_some_and(|name| !fields.contains(&name)))
        };
        let is_library_getter = |instruction: &aback_cil::Instruction| {
            let Operand::Token(token) = instruction.operand else { return false };
            let called = self.cs.method_token(self.assembly, token, &self.generics);
            let Ok(crate::members::MethodRef::Declared(key)) = called else { return false };
            let Some((_, name)) = super::intrinsics::full_name(self.cs, &key) else { return false };
            let class = self.cs.program.class(self.cs.class_of(key.owner));
            class.is_library && (name.starts_with("get_") || name == "op_Equality" || name == "op_Inequality")
        };
        let is_nothing = effects.as_ref().is_some_and(|fields| fields.is_empty());
        is_nothing && assigned.is_empty()
            || within(start, clause.handler_start).all(|instruction| match instruction.opcode {
                Ldloc | Ldarg => !assigned.contains(&&instruction.operand),
                Ldfld | Ldsfld => is_unchanged(instruction),
                Call | Callvirt => is_library_getter(instruction),
                Nop | Stloc | Isinst | Dup | Pop | Br | Brtrue | Brfalse | LdcI4 | LdcI8 | LdcR4 | LdcR8 | Ldnull => {
                    true
                }
                Beq | BneUn | Bge | BgeUn | Bgt | BgtUn | Ble | BleUn | Blt | BltUn | Ceq | Cgt | CgtUn | Clt
                | CltUn => true,
                Add | Sub | And | Or | Xor | Not | ConvI4 | ConvI8 | Endfilter | Ldstr => true,
                _ => false,
            })
    }

    /// The place after a protected region or handler: runs the finally blocks that control leaves.
    pub(super) fn leave(&mut self, target: u32) -> Translated<()> {
        self.stack.clear();
        let offset = self.code.instructions[self.at].offset;
        let index = self.index_of(target)?;
        let mut next = self.block_at(index)?;
        self.enter(index, Vec::new())?;
        let left: Vec<usize> = (0..self.code.clauses.len())
            .filter(|&clause| {
                let clause = &self.code.clauses[clause];
                clause.kind == ClauseKind::Finally && in_try(clause, offset) && !in_try(clause, target)
            })
            .collect();
        for &clause in left.iter().rev() {
            let handler = self.regions.clauses[clause].handler;
            let region = &mut self.regions.clauses[clause];
            region.continuations.push(next);
            let number = region.continuations.len() as i64;
            let handlers = self.handlers_at(handler)?;
            let stub = self.body.add_block(handlers);
            let dst = self.selector_local(clause);
            let value = self.int(number);
            let span = self.span;
            self.body.block_mut(stub).ops.push(aback_ir::Op { kind: OpKind::Assign { dst, value }, span });
            let target = self.block_at(handler)?;
            self.enter(handler, Vec::new())?;
            self.body.block_mut(stub).terminator = Terminator { kind: TerminatorKind::Goto(target), span };
            next = stub;
        }
        self.end(TerminatorKind::Goto(next));
        Ok(())
    }

    /// The innermost clause whose handler has the current instruction.
    fn current_handler(&self, is_one: impl Fn(&ClauseKind) -> bool) -> Option<usize> {
        let offset = self.code.instructions[self.at].offset;
        let clauses = self.code.clauses.iter().enumerate();
        let mut inside = clauses.filter(|(_, clause)| in_handler(clause, offset) && is_one(&clause.kind));
        inside.next().map(|(index, _)| index)
    }

    /// Ends a finally or fault block.
    pub(super) fn end_finally(&mut self) -> Translated<()> {
        let clause = self.current_handler(|kind| matches!(kind, ClauseKind::Finally | ClauseKind::Fault));
        let Some(clause) = clause else { return malformed("the end of no finally block") };
        self.stack.clear();
        self.regions.clauses[clause].ends.push(self.block);
        Ok(())
    }

    /// Ends a filter: its handler runs if the value is not zero; otherwise the exception goes on.
    pub(super) fn end_filter(&mut self) -> Translated<()> {
        let offset = self.code.instructions[self.at].offset;
        let found = self.code.clauses.iter().position(|clause| {
            matches!(clause.kind, ClauseKind::Filter(start) if start <= offset && offset < clause.handler_start)
        });
        let Some(index) = found else { return malformed("the end of no filter") };
        let (value, ty) = self.pop_number()?;
        let zero = self.constant(0, ty);
        let condition = self.expr(Expr::Binary(aback_ir::BinaryOp::Ne, ty, value, zero));
        let exception = self.exception_local(index);
        let handler = self.regions.clauses[index].handler;
        let exception_ty = self.cs.library("System", "Exception")?;
        let caught = self.local(exception);
        let then_block = self.block_at(handler)?;
        self.enter(handler, vec![Entry::Value(exception_ty, smallvec![caught])])?;
        let else_block = self.next_handlers(index)?;
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        Ok(())
    }

    /// A block that passes the exception of a clause on to the handlers after it.
    fn next_handlers(&mut self, index: usize) -> Translated<BlockId> {
        let exception = self.exception_local(index);
        let try_start = self.code.clauses[index].try_start;
        let rest = self.handlers_of(try_start, index + 1)?;
        let block = self.body.add_block(rest);
        let thrown = self.local(exception);
        self.body.block_mut(block).terminator = Terminator { kind: TerminatorKind::Throw(thrown), span: self.span };
        Ok(block)
    }

    /// Throws the exception again that the current handler has caught.
    pub(super) fn rethrow(&mut self) -> Translated<()> {
        let clause = self.current_handler(|kind| matches!(kind, ClauseKind::Catch(_) | ClauseKind::Filter(_)));
        let Some(clause) = clause else { return malformed("a rethrow outside of a handler") };
        let exception = self.exception_local(clause);
        let thrown = self.local(exception);
        self.end(TerminatorKind::Throw(thrown));
        Ok(())
    }

    /// Ends the blocks that end finally blocks, now that all places where control continues are known.
    pub(super) fn finish_regions(&mut self) {
        for index in 0..self.regions.clauses.len() {
            let ends = std::mem::take(&mut self.regions.clauses[index].ends);
            if ends.is_empty() {
                continue;
            }
            let continuations = self.regions.clauses[index].continuations.clone();
            let exception = self.exception_local(index);
            let selector = self.selector_local(index);
            for end in ends {
                let handlers = self.body.block(end).handlers.clone();
                let again = self.body.add_block(handlers);
                let thrown = self.local(exception);
                let span = self.body.block(end).ops.last().map_or(self.span, |op| op.span);
                self.body.block_mut(again).terminator = Terminator { kind: TerminatorKind::Throw(thrown), span };
                let value = self.local(selector);
                let cases = continuations.iter().enumerate().map(|(at, &block)| ((at as i64 + 1).into(), block));
                let kind = TerminatorKind::Switch { value, cases: cases.collect(), default: again };
                self.body.block_mut(end).terminator = Terminator { kind, span };
            }
        }
    }
}
