//! Translates stack code to register code.
//!
//! Each method is read once, block by block. Values on the operand stack are kept as expressions over locals until
//! they must be stored: before an assignment that would change them, at the end of a block, or for an operation that
//! does more than compute. Each JVM local becomes one local for each of its types (and names), so that all locals are
//! typed.

pub(crate) mod asserts;
mod blocks;
mod calls;
mod conditions;
mod frame;
mod instructions;
mod lines;
mod lost;
mod overflow;
mod strings;
mod variables;

use crate::conditions::is_condition;
use crate::loader::{Java, JavaClass};
use crate::types::is_wide;
use aback_ir::{
    BinaryOp, BlockId, Body, Const, Expr, ExprId, LocalId, MethodId, Op, OpKind, Point, Problem, Span, Terminator,
    TerminatorKind, Type, validate_body,
};
use blocks::JavaBlock;
use cafebabe::attributes::{AttributeData, CodeData, LocalVariableEntry};
use cafebabe::bytecode::Opcode;
use conditions::Comparison;
use frame::Frame;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Greatest depth of an expression on the stack. Deeper ones are stored in a local.
const MAX_DEPTH: u8 = 24;

/// Greatest effort for a method, counted in entries that are written or examined. Methods that need more are refused.
/// The longest methods that compilers generate need a tenth of it; malicious ones could take hours and all memory.
const MAX_EFFORT: usize = 1 << 26;
/// The effort of an operation, which takes memory.
const OPERATION: usize = 64;
/// The effort of a local in a stored frame, which takes memory.
const FRAME_LOCAL: usize = 4;

/// The reason why a method cannot be translated, as a message for users: it is malformed or uses an unsupported
/// feature.
pub(crate) struct Refusal(pub(crate) String);

type Result<T> = std::result::Result<T, Refusal>;

fn malformed<T>(what: &str) -> Result<T> {
    Err(Refusal(format!("malformed code: {what}")))
}

/// A value on the operand stack.
#[derive(Clone, Copy, Debug)]
struct Entry {
    expr: ExprId,
    /// The type: `int` for smaller integers, and the static type of references.
    ty: Type,
    /// The operands, if this is the result of `lcmp`, `fcmpl` or a similar instruction.
    comparison: Option<Comparison>,
}

struct Translator<'a> {
    java: Java<'a>,
    class: &'a JavaClass,
    method: MethodId,
    opcodes: &'a [(usize, Opcode<'a>)],
    /// Source variables by the index of their JVM local.
    variables: FxHashMap<u16, Vec<&'a LocalVariableEntry<'a>>>,
    /// Lines by the offset of their first instruction, sorted.
    lines: Vec<(u16, u16)>,
    blocks: Vec<JavaBlock>,
    /// Index of the block that starts at an offset.
    block_at: FxHashMap<usize, usize>,
    body: Body,
    depths: Vec<u8>,
    ints: FxHashMap<i32, ExprId>,
    reads: FxHashMap<LocalId, ExprId>,
    /// Locals that represent JVM locals, by index, type and name.
    locals: FxHashMap<(u16, Type, &'a str), LocalId>,
    /// The locals among these that are always null: code may use them as arrays of any type.
    nulls: FxHashSet<LocalId>,
    /// Locals that represent stack slots, by height and type, and by a number if others are in use.
    places: FxHashMap<(usize, Type, u32), LocalId>,
    is_place: Vec<bool>,
    frame: Frame,
    block: BlockId,
    /// Index of the current Java block.
    current: usize,
    pc: usize,
    span: Span,
    /// Whether the current instruction has the line of the code before it only.
    is_stray: bool,
    /// Offsets at which assert statements allocate their errors.
    asserts: FxHashSet<usize>,
    /// Index of a call on a class object whose result has been pushed instead of the class object.
    status: Option<usize>,
    /// Indices of Java blocks with known frames that are not translated yet.
    ready: BTreeSet<usize>,
    /// Indices of the instructions that are translated.
    translated: FxHashSet<usize>,
    effort: usize,
}

/// Translates the code of a method.
pub(crate) fn translate(java: Java, class: &JavaClass, method: MethodId, code: &CodeData<'_>) -> Body {
    let Some(bytecode) = &code.bytecode else {
        return aback_ir::builder::unsupported(
            &java.program.method(method).params,
            "a method whose code cannot be read",
        );
    };
    let mut variables: FxHashMap<u16, Vec<&LocalVariableEntry>> = FxHashMap::default();
    let mut left = usize::from(u16::MAX);
    let mut lines = Vec::new();
    let mut stack_map = None;
    for attribute in &code.attributes {
        match &attribute.data {
            AttributeData::LocalVariableTable(table) => {
                for variable in table.iter().take(left) {
                    variables.entry(variable.index).or_default().push(variable);
                }
                left = left.saturating_sub(table.len());
            }
            AttributeData::LineNumberTable(table) => {
                lines.extend(table.iter().map(|line| (line.start_pc, line.line_number)));
            }
            AttributeData::StackMapTable(table) => stack_map = Some(table.as_slice()),
            _ => {}
        }
    }
    if is_condition(&java.program.method(method).name) {
        lines.clear();
    }
    lines.sort_by_key(|&(start, _)| start);
    let mut translator = Translator {
        java,
        class,
        method,
        opcodes: &bytecode.opcodes,
        variables,
        lines,
        blocks: Vec::new(),
        block_at: FxHashMap::default(),
        body: Body::default(),
        depths: Vec::new(),
        ints: FxHashMap::default(),
        reads: FxHashMap::default(),
        locals: FxHashMap::default(),
        nulls: FxHashSet::default(),
        places: FxHashMap::default(),
        is_place: Vec::new(),
        frame: Frame::default(),
        block: Body::ENTRY,
        current: 0,
        pc: 0,
        span: Span::NONE,
        is_stray: false,
        asserts: FxHashSet::default(),
        status: None,
        ready: BTreeSet::new(),
        translated: FxHashSet::default(),
        effort: 0,
    };
    let translated = translator.run(code, stack_map.unwrap_or_default());
    if let Err(Refusal(what)) = translated.and_then(|()| translator.verify()) {
        translator.body = aback_ir::builder::unsupported(&java.program.method(method).params, what);
        translator.body.blocks[0].terminator.span = translator.span;
        translator.translated.clear();
    }
    translator.keep_lost_code();
    translator.body
}

impl<'a> Translator<'a> {
    /// Refuses code that no compiler generates: values of one kind where instructions expect another.
    fn verify(&mut self) -> Result<()> {
        if self.class.is_trusted {
            return Ok(());
        }
        let problems = validate_body(self.java.program, self.method, &self.body);
        let Some(Problem { place, kind }) = problems.into_iter().next() else { return Ok(()) };
        self.span = self.java.program.method(self.method).span;
        if let Some(block) = place.block.and_then(|block| self.body.blocks.get(block.index())) {
            let op = place.op.and_then(|op| block.ops.get(op as usize));
            self.span = op.map_or(block.terminator.span, |op| op.span);
        }
        malformed(&kind.to_string())
    }

    /// Fills the current block to its end.
    fn block(&mut self) -> Result<()> {
        let JavaBlock { start, end, .. } = self.blocks[self.current];
        let strays = self.strays(start, end);
        for index in start..end {
            let (pc, opcode) = &self.opcodes[index];
            self.pc = *pc;
            self.span = self.span_of(*pc);
            self.is_stray = index - start < strays;
            self.translated.insert(index);
            self.afford()?;
            let goes_on = match self.instruction(index, opcode) {
                Ok(goes_on) => goes_on,
                // The rest of the block is lost.
                Err(Refusal(what)) => {
                    self.translated.remove(&index);
                    self.end(TerminatorKind::unsupported(what));
                    false
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        match self.opcodes.get(end) {
            Some(&(next, _)) => self.go_to(next),
            None => malformed("control falls off the end"),
        }
    }

    fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_add(effort);
    }

    fn afford(&self) -> Result<()> {
        match self.effort > MAX_EFFORT {
            true => Err(Refusal("a method that takes too long to translate".into())),
            false => Ok(()),
        }
    }

    // ---- building -------------------------------------------------------------------------------------------

    fn emit(&mut self, kind: OpKind) {
        self.spend(OPERATION);
        let span = self.span;
        self.note_stray();
        self.body.block_mut(self.block).ops.push(Op { kind, span });
    }

    fn end(&mut self, kind: TerminatorKind) {
        let span = self.span;
        self.note_stray();
        self.body.block_mut(self.block).terminator = Terminator { kind, span };
    }

    /// Notes the end of the current block as a stray, if the current instruction is one.
    fn note_stray(&mut self) {
        if self.is_stray {
            let op = self.body.block(self.block).ops.len() as u32;
            self.body.strays.push(Point { block: self.block, op });
        }
    }

    fn expr(&mut self, expr: Expr) -> ExprId {
        let depth = expr.operands().map(|used| self.depths[used.index()]).max().map_or(0, |depth| depth + 1);
        self.depths.push(depth);
        self.body.add_expr(expr)
    }

    fn read(&mut self, local: LocalId) -> ExprId {
        if let Some(&known) = self.reads.get(&local) {
            return known;
        }
        let expr = self.expr(Expr::Local(local));
        self.reads.insert(local, expr);
        expr
    }

    fn int(&mut self, value: i32) -> ExprId {
        if let Some(&known) = self.ints.get(&value) {
            return known;
        }
        let expr = self.constant(i64::from(value), crate::types::INT);
        self.ints.insert(value, expr);
        expr
    }

    fn constant(&mut self, value: i64, ty: Type) -> ExprId {
        self.expr(Expr::Const(Const::Int(value.into(), ty)))
    }

    fn binary_expr(&mut self, op: BinaryOp, ty: Type, left: ExprId, right: ExprId) -> ExprId {
        self.expr(Expr::Binary(op, ty, left, right))
    }

    /// Whether evaluating an expression reads a local.
    fn mentions(&self, expr: ExprId, local: LocalId) -> bool {
        match self.body.expr(expr) {
            Expr::Local(read) => *read == local,
            compound => compound.operands().any(|part| self.mentions(part, local)),
        }
    }

    // ---- the operand stack ----------------------------------------------------------------------------------

    fn push(&mut self, expr: ExprId, ty: Type) {
        let entry = Entry { expr, ty, comparison: None };
        if self.depths[expr.index()] >= MAX_DEPTH {
            return self.push_in_place(entry);
        }
        self.frame.stack.push(entry);
    }

    /// Pushes the value of a local of any type.
    fn push_local(&mut self, local: LocalId) {
        let ty = self.body.local(local).ty;
        let read = self.read(local);
        let (expr, ty) = self.widen(read, ty);
        self.push(expr, ty);
    }

    /// Whether a value is always null.
    fn is_null(&self, entry: &Entry) -> bool {
        entry.ty == Type::Null || matches!(self.body.expr(entry.expr), Expr::Local(local) if self.nulls.contains(local))
    }

    fn pop(&mut self) -> Result<Entry> {
        self.frame.stack.pop().ok_or_else(|| Refusal("malformed code: the stack is empty".into()))
    }

    fn pop_expr(&mut self) -> Result<ExprId> {
        Ok(self.pop()?.expr)
    }

    /// The local for the next pushed value, if its type is `ty` (not widened). No value on the stack reads it.
    fn place_at(&mut self, height: usize, ty: Type) -> LocalId {
        let mut number = 0;
        loop {
            self.spend(self.frame.stack.len());
            let place = match self.places.get(&(height, ty, number)) {
                Some(&place) => place,
                None => {
                    let place = self.body.add_temp(ty);
                    self.note_place(place);
                    self.places.insert((height, ty, number), place);
                    place
                }
            };
            if !self.frame.stack.iter().any(|entry| self.mentions(entry.expr, place)) {
                return place;
            }
            number += 1;
        }
    }

    fn note_place(&mut self, place: LocalId) {
        self.is_place.resize(place.index() + 1, false);
        self.is_place[place.index()] = true;
    }

    /// Emits an operation with a result of the given type, and pushes the result.
    fn push_result(&mut self, ty: Type, kind: impl FnOnce(LocalId) -> OpKind) {
        let place = self.place_at(self.frame.stack.len(), ty);
        self.emit(kind(place));
        self.push_local(place);
    }

    /// Pushes a value after storing it in a separate place.
    fn push_in_place(&mut self, entry: Entry) {
        let place = self.place_at(self.frame.stack.len(), entry.ty);
        self.emit(OpKind::Assign { dst: place, value: entry.expr });
        let expr = self.read(place);
        self.frame.stack.push(Entry { expr, ..entry });
    }

    /// Stores values that read a local in separate places, because the local is about to change.
    fn save_readers(&mut self, local: LocalId) {
        self.spend(self.frame.stack.len());
        for height in 0..self.frame.stack.len() {
            let entry = self.frame.stack[height];
            if self.mentions(entry.expr, local) {
                let place = self.place_at(height, entry.ty);
                self.emit(OpKind::Assign { dst: place, value: entry.expr });
                self.frame.stack[height].expr = self.read(place);
                self.frame.stack[height].comparison = None;
            }
        }
    }

    /// Whether a value is a constant or a local, so that it can be used twice at no cost.
    fn is_simple(&self, expr: ExprId) -> bool {
        self.depths[expr.index()] == 0
    }

    /// Pops a value that will be used more than once.
    fn pop_simple(&mut self) -> Result<Entry> {
        let entry = self.pop()?;
        if self.is_simple(entry.expr) {
            return Ok(entry);
        }
        self.push_in_place(entry);
        let saved = self.pop()?;
        Ok(Entry { comparison: entry.comparison, ..saved })
    }

    /// Pops the operand of `dup2` and similar instructions: one wide value or two others, the lower one first.
    fn pop_pair(&mut self) -> Result<Vec<Entry>> {
        let top = self.pop_simple()?;
        if is_wide(top.ty) {
            return Ok(vec![top]);
        }
        // The upper value must not be in the place where the lower one is saved.
        self.frame.stack.push(top);
        let Some(height) = self.frame.stack.len().checked_sub(2) else { return malformed("the stack is empty") };
        let lower = self.frame.stack[height];
        if !self.is_simple(lower.expr) {
            let place = self.place_at(height, lower.ty);
            self.emit(OpKind::Assign { dst: place, value: lower.expr });
            self.frame.stack[height].expr = self.read(place);
        }
        let top = self.pop()?;
        Ok(vec![self.pop()?, top])
    }
}
