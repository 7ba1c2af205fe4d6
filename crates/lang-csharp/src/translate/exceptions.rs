//! Translates protected regions (ECMA-335, II.19 and III.3.46 f.).
//!
//! The code of a finally block exists once. Before control goes there, a local gets the number of the place where it
//! continues afterwards; the number 0 stands for throwing the exception again.
//!
//! An exception is handled in two passes: filters run while a handler is looked for, and finally blocks after that. So
//! before an exception enters a finally block, the filters around the block run, as far as one comes to them, and their
//! results are kept. After the block, the exception goes to the same handlers in their second pass, where filters do not
//! run again.

use super::stack::Entry;
use super::{Translated, Translator, malformed};
use crate::layout::INT;
use crate::synthetic::exceptions;
use aback_cil::{Clause, ClauseKind, Token};
use aback_ir::{
    BinaryOp, BlockId, ClassId, Expr, ExprId, Handler, LocalId, Op, OpKind, Span, Terminator, TerminatorKind, Type,
};
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
    /// The exception that a handler has caught.
    exception: Option<LocalId>,
    /// The blocks to which exceptions go, by pass.
    entries: [Option<BlockId>; 2],
    finally: Finally,
    filter: Filter,
}

/// A finally or fault block.
#[derive(Default)]
struct Finally {
    /// The number of the place where control continues afterwards.
    selector: Option<LocalId>,
    continuations: Vec<BlockId>,
    /// Blocks that end it, with their places in the source.
    ends: Vec<(BlockId, Span)>,
    /// The handlers of the exception that is thrown again.
    outer: Vec<Handler>,
}

/// A filter.
#[derive(Default)]
struct Filter {
    /// The first instruction.
    start: usize,
    /// Whether it accepts the exception.
    accepts: Option<LocalId>,
    /// The number of the place where control continues afterwards; 0 is the handler, or the handlers after it.
    selector: Option<LocalId>,
    continuations: Vec<BlockId>,
    /// Blocks that end it, with their places in the source.
    ends: Vec<(BlockId, Span)>,
    /// The block that ends it after an exception in it.
    failed: Option<BlockId>,
    /// The block that goes to the handler, or to the handlers after it.
    decision: Option<BlockId>,
}

/// The passes of handling an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// No filter has seen the exception.
    First,
    /// The exception comes out of a finally block, and the filters around it have run before.
    Second,
}

fn in_try(clause: &Clause, offset: u32) -> bool {
    clause.try_start <= offset && offset < clause.try_end
}

fn in_filter(clause: &Clause, offset: u32) -> bool {
    matches!(clause.kind, ClauseKind::Filter(start) if start <= offset && offset < clause.handler_start)
}

fn in_handler(clause: &Clause, offset: u32) -> bool {
    clause.handler_start <= offset && offset < clause.handler_end
}

impl<'a> Translator<'a> {
    /// Finds the blocks of protected regions and handlers.
    pub(super) fn find_regions(&mut self) -> Translated<()> {
        for clause in &self.code.clauses {
            let mut region = Region { handler: self.index_of(clause.handler_start)?, ..Region::default() };
            self.starts.insert(region.handler);
            if let ClauseKind::Filter(filter) = clause.kind {
                region.filter.start = self.index_of(filter)?;
                self.starts.insert(region.filter.start);
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

    /// A number that the translator keeps for a clause.
    fn number_local(&mut self, clause: usize, number: fn(&mut Region) -> &mut Option<LocalId>) -> LocalId {
        if let Some(known) = *number(&mut self.regions.clauses[clause]) {
            return known;
        }
        let local = self.variable_local(None, INT);
        *number(&mut self.regions.clauses[clause]) = Some(local);
        local
    }

    fn finally_selector(&mut self, clause: usize) -> LocalId {
        self.number_local(clause, |region| &mut region.finally.selector)
    }

    fn filter_selector(&mut self, clause: usize) -> LocalId {
        self.number_local(clause, |region| &mut region.filter.selector)
    }

    fn filter_result(&mut self, clause: usize) -> LocalId {
        self.number_local(clause, |region| &mut region.filter.accepts)
    }

    /// Adds an assignment that belongs to no statement.
    fn assign_in(&mut self, block: BlockId, dst: LocalId, value: ExprId) {
        self.body.block_mut(block).ops.push(Op { kind: OpKind::Assign { dst, value }, span: Span::NONE });
    }

    fn assign_number(&mut self, block: BlockId, dst: LocalId, number: usize) {
        let value = self.int(number as i64);
        self.assign_in(block, dst, value);
    }

    /// Ends a block by something that belongs to no statement.
    fn end_block(&mut self, block: BlockId, kind: TerminatorKind) {
        self.end_block_at(block, kind, Span::NONE);
    }

    fn end_block_at(&mut self, block: BlockId, kind: TerminatorKind, span: Span) {
        self.body.block_mut(block).terminator = Terminator { kind, span };
    }

    /// The handlers of the code at an instruction, the innermost first.
    pub(super) fn handlers_at(&mut self, index: usize) -> Translated<Vec<Handler>> {
        let Some(instruction) = self.code.instructions.get(index) else { return Ok(Vec::new()) };
        let offset = instruction.offset;
        let filter = self.code.clauses.iter().position(|clause| in_filter(clause, offset));
        match filter {
            Some(index) => {
                let target = self.failed_filter(index)?;
                let ty = exceptions::exception(self.cs);
                let exception = self.variable_local(None, ty);
                Ok(vec![Handler { class: None, target, exception }])
            }
            None => self.handlers_of(offset, 0, Pass::First),
        }
    }

    /// The handlers of the code at an offset among the clauses from one on.
    fn handlers_of(&mut self, offset: u32, first: usize, pass: Pass) -> Translated<Vec<Handler>> {
        let mut handlers = Vec::new();
        let code = self.code;
        for (index, clause) in code.clauses.iter().enumerate().skip(first) {
            if !in_try(clause, offset) {
                continue;
            }
            let class = match clause.kind {
                ClauseKind::Catch(token) => self.caught_class(token)?,
                _ => None,
            };
            let target = self.handler_entry(index, pass)?;
            let exception = self.exception_local(index);
            handlers.push(Handler { class, target, exception });
        }
        Ok(handlers)
    }

    /// The class that a catch clause names; `None` if it takes all exceptions.
    fn caught_class(&self, token: Token) -> Translated<Option<ClassId>> {
        let ty = self.cs.token(self.assembly, token, &self.generics)?;
        let class = self.cs.class_of(ty);
        Ok((class != self.cs.object_class()).then_some(class))
    }

    /// The block to which exceptions go that a clause handles.
    fn handler_entry(&mut self, index: usize, pass: Pass) -> Translated<BlockId> {
        let clause = &self.code.clauses[index];
        let has_second = match clause.kind {
            ClauseKind::Catch(_) => false,
            ClauseKind::Filter(_) => self.has_inner_finally(index),
            ClauseKind::Finally | ClauseKind::Fault => self.filters_around(index),
        };
        let pass = if has_second { pass } else { Pass::First };
        if let Some(known) = self.regions.clauses[index].entries[pass as usize] {
            return Ok(known);
        }
        let block = self.body.add_block(Vec::new());
        self.regions.clauses[index].entries[pass as usize] = Some(block);
        let outer = self.handlers_of(clause.handler_start, 0, Pass::First)?;
        self.body.block_mut(block).handlers = outer;
        match clause.kind {
            ClauseKind::Catch(_) => {
                let target = self.enter_handler(index)?;
                self.end_block(block, TerminatorKind::Goto(target));
            }
            ClauseKind::Filter(_) if pass == Pass::First => self.run_filter(index, block, 0)?,
            ClauseKind::Filter(_) => self.decide(index, block, Pass::Second)?,
            ClauseKind::Finally | ClauseKind::Fault => {
                let selector = self.finally_selector(index);
                self.assign_number(block, selector, 0);
                let start = self.regions.clauses[index].handler;
                let target = self.block_at(start)?;
                self.enter(start, Vec::new())?;
                match has_second && pass == Pass::First {
                    true => self.run_filters_around(index, block, target)?,
                    false => self.end_block(block, TerminatorKind::Goto(target)),
                }
            }
        }
        Ok(block)
    }

    /// Refuses code at the start of which a filter begins to protect it that called methods would have to run before their
    /// finally blocks.
    pub(super) fn check_filters(&self, index: usize) -> Translated<()> {
        let instruction = self.code.instructions.get(index);
        match instruction.is_some_and(|instruction| self.influenced_filters.contains(&instruction.offset)) {
            true => Err("an exception filter that finally blocks of called methods may influence".into()),
            false => Ok(()),
        }
    }

    /// The block that handles the exception of a catch clause or of one with a filter.
    fn enter_handler(&mut self, index: usize) -> Translated<BlockId> {
        self.enter_with_exception(index, self.regions.clauses[index].handler)
    }

    /// The block of the handler or filter of a clause that starts with the exception.
    fn enter_with_exception(&mut self, index: usize, start: usize) -> Translated<BlockId> {
        let exception = self.exception_local(index);
        let ty = self.cs.library("System", "Exception")?;
        let caught = self.local(exception);
        self.enter(start, vec![Entry::Value(ty, smallvec![caught])])?;
        self.block_at(start)
    }

    /// Whether finally blocks of the method are protected by a clause.
    fn has_inner_finally(&self, index: usize) -> bool {
        let clauses = self.code.clauses.iter().take(index);
        let mut inner = clauses.filter(|inner| in_try(&self.code.clauses[index], inner.try_start));
        inner.any(|inner| matches!(inner.kind, ClauseKind::Finally | ClauseKind::Fault))
    }

    /// Whether filters of the method may see exceptions that a finally block lets pass.
    fn filters_around(&self, index: usize) -> bool {
        self.clauses_around(index).any(|around| matches!(self.code.clauses[around].kind, ClauseKind::Filter(_)))
    }

    /// The clauses that protect a clause, the innermost first.
    fn clauses_around(&self, index: usize) -> impl Iterator<Item = usize> + use<'a> {
        let (code, inner) = (self.code, self.code.clauses[index].try_start);
        (index + 1..code.clauses.len()).filter(move |&around| in_try(&code.clauses[around], inner))
    }

    /// Runs a filter from the end of a block. The exception is in the local of the clause. Afterwards, control continues
    /// at the place with a number.
    fn run_filter(&mut self, index: usize, block: BlockId, number: usize) -> Translated<()> {
        if self.has_inner_finally(index) {
            let selector = self.filter_selector(index);
            self.assign_number(block, selector, number);
        }
        let start = self.regions.clauses[index].filter.start;
        let target = self.enter_with_exception(index, start)?;
        self.end_block(block, TerminatorKind::Goto(target));
        Ok(())
    }

    /// The first pass for an exception that a finally block takes: from a block on, looks for the handler among the
    /// clauses around the finally block, and goes to its code.
    fn run_filters_around(&mut self, index: usize, block: BlockId, code: BlockId) -> Translated<()> {
        let exception = self.exception_local(index);
        let mut block = block;
        for around in self.clauses_around(index) {
            let condition = match self.code.clauses[around].kind {
                ClauseKind::Finally | ClauseKind::Fault => continue,
                ClauseKind::Catch(token) => {
                    let Some(class) = self.caught_class(token)? else { break };
                    let dst = self.variable_local(None, Type::Bool);
                    let object = self.local(exception);
                    let kind = OpKind::InstanceOf { dst, object, ty: Type::Class(class) };
                    self.body.block_mut(block).ops.push(Op { kind, span: Span::NONE });
                    self.local(dst)
                }
                ClauseKind::Filter(_) => {
                    let (seen, thrown) = (self.exception_local(around), self.local(exception));
                    self.assign_in(block, seen, thrown);
                    let continuation = self.body.add_block(Vec::new());
                    let known = &mut self.regions.clauses[around].filter.continuations;
                    known.push(continuation);
                    let number = known.len();
                    self.run_filter(around, block, number)?;
                    block = continuation;
                    self.accepts(around)
                }
            };
            let next = self.body.add_block(Vec::new());
            self.end_block(block, TerminatorKind::Branch { condition, then_block: code, else_block: next });
            block = next;
        }
        self.end_block(block, TerminatorKind::Goto(code));
        Ok(())
    }

    /// Whether a filter that has run has accepted the exception.
    fn accepts(&mut self, index: usize) -> ExprId {
        let result = self.filter_result(index);
        let (result, zero) = (self.local(result), self.int(0));
        self.expr(Expr::Binary(BinaryOp::Ne, INT, result, zero))
    }

    /// Goes to the handler of a clause if its filter has accepted the exception, and otherwise to the handlers after it.
    fn decide(&mut self, index: usize, block: BlockId, pass: Pass) -> Translated<()> {
        let condition = self.accepts(index);
        let then_block = self.enter_handler(index)?;
        let else_block = self.next_handlers(index, pass)?;
        self.end_block(block, TerminatorKind::Branch { condition, then_block, else_block });
        Ok(())
    }

    /// The block for exceptions in a filter, which then does not accept the exception.
    fn failed_filter(&mut self, index: usize) -> Translated<BlockId> {
        if let Some(known) = self.regions.clauses[index].filter.failed {
            return Ok(known);
        }
        let block = self.body.add_block(Vec::new());
        self.regions.clauses[index].filter.failed = Some(block);
        let result = self.filter_result(index);
        self.assign_number(block, result, 0);
        self.ends_filter(index, block, Span::NONE)?;
        Ok(block)
    }

    /// Notes that a block ends a filter. Its result is known.
    fn ends_filter(&mut self, index: usize, block: BlockId, span: Span) -> Translated<()> {
        self.regions.clauses[index].filter.ends.push((block, span));
        if self.regions.clauses[index].filter.decision.is_none() {
            let decision = self.body.add_block(Vec::new());
            self.regions.clauses[index].filter.decision = Some(decision);
            self.decide(index, decision, Pass::First)?;
        }
        Ok(())
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
            let continuations = &mut self.regions.clauses[clause].finally.continuations;
            continuations.push(next);
            let number = continuations.len();
            let handlers = self.handlers_at(handler)?;
            let stub = self.body.add_block(handlers);
            let selector = self.finally_selector(clause);
            self.assign_number(stub, selector, number);
            let target = self.block_at(handler)?;
            self.enter(handler, Vec::new())?;
            self.end_block(stub, TerminatorKind::Goto(target));
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
        self.exception_local(clause);
        let start = self.code.clauses[clause].handler_start;
        let outer = self.handlers_of(start, 0, Pass::Second)?;
        let finally = &mut self.regions.clauses[clause].finally;
        finally.outer = outer;
        finally.ends.push((self.block, self.span));
        Ok(())
    }

    /// Ends a filter, which accepts the exception if the value is not zero.
    pub(super) fn end_filter(&mut self) -> Translated<()> {
        let offset = self.code.instructions[self.at].offset;
        let found = self.code.clauses.iter().position(|clause| in_filter(clause, offset));
        let Some(index) = found else { return malformed("the end of no filter") };
        let (value, ty) = self.pop_number()?;
        if ty != INT {
            return malformed("a filter whose result is no 32-bit number");
        }
        let result = self.filter_result(index);
        self.assign_in(self.block, result, value);
        self.ends_filter(index, self.block, self.span)
    }

    /// A block that passes the exception of a clause on to the handlers after it.
    fn next_handlers(&mut self, index: usize, pass: Pass) -> Translated<BlockId> {
        let exception = self.exception_local(index);
        let try_start = self.code.clauses[index].try_start;
        let rest = self.handlers_of(try_start, index + 1, pass)?;
        let block = self.body.add_block(rest);
        let thrown = self.local(exception);
        let span = self.span_of(self.regions.clauses[index].filter.start);
        self.end_block_at(block, TerminatorKind::Throw(thrown), span);
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

    /// Ends the blocks that end finally blocks and filters, now that all places where control continues are known.
    pub(super) fn finish_regions(&mut self) {
        for Region { finally, filter, exception, .. } in std::mem::take(&mut self.regions.clauses) {
            if let Some(thrown) = exception.filter(|_| !finally.ends.is_empty()) {
                let again = self.body.add_block(finally.outer);
                let thrown = self.local(thrown);
                let span = finally.ends.first().map_or(Span::NONE, |&(_, span)| span);
                self.end_block_at(again, TerminatorKind::Throw(thrown), span);
                self.select(finally.selector, finally.continuations, again, finally.ends);
            }
            if let Some(decision) = filter.decision {
                self.select(filter.selector, filter.continuations, decision, filter.ends);
            }
        }
    }

    /// Ends blocks by jumps to the place with the number in a local; 0 is the first place.
    fn select(&mut self, number: Option<LocalId>, places: Vec<BlockId>, first: BlockId, ends: Vec<(BlockId, Span)>) {
        for (end, span) in ends {
            let kind = match number.filter(|_| !places.is_empty()) {
                Some(number) => {
                    let value = self.local(number);
                    let cases = places.iter().enumerate().map(|(at, &block)| ((at as i64 + 1).into(), block));
                    TerminatorKind::Switch { value, cases: cases.collect(), default: first }
                }
                None => TerminatorKind::Goto(first),
            };
            self.end_block_at(end, kind, span);
        }
    }
}
