//! Translates stack code to register code (ECMA-335, partition III).
//!
//! Each method is read once, block by block. Values on the operand stack are kept as expressions over locals until
//! they must be stored: before an assignment that would change them, at the end of a block, or for an operation that
//! does more than compute. A managed pointer on the stack is the place to which it points; it becomes an object only
//! where it is stored or passed on. A variable to which such a pointer exists is an object from the start: if the
//! translator finds one, it starts again with that knowledge.

mod assertions;
mod calls;
mod environment;
mod exceptions;
mod fields;
mod hash_tables;
mod instructions;
mod intrinsics;
mod invariants;
mod lost;
mod numbers;
mod places;
mod pointers;
mod stack;
mod statements;
mod variables;

use crate::assemblies::AssemblyId;

use crate::filters;
use crate::loader::Cs;
use crate::members::{MethodKey, Signature};
use crate::types::{Generics, Kind, TyId};
use aback_cil::{MethodBody, SequencePoint};
use aback_ir::builder::unsupported;
use aback_ir::{
    BinaryOp, BlockId, Body, Const, Expr, ExprId, FileId, LocalId, MethodId, Op, OpKind, Span, Terminator,
    TerminatorKind, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use stack::Entry;
use std::collections::BTreeSet;
use variables::Variable;

/// The reason why code cannot be translated, as a message for users: it is malformed or uses an unsupported feature.
pub(crate) type Translated<T> = Result<T, String>;

pub(crate) fn malformed<T>(what: &str) -> Translated<T> {
    Err(format!("malformed code: {what}"))
}

/// Most operations of a method. Longer methods are refused, because only malicious code has them.
const MOST_OPERATIONS: usize = 1 << 20;

struct Translator<'a> {
    cs: Cs<'a>,
    key: &'a MethodKey,
    assembly: AssemblyId,
    generics: Generics,
    signature: &'a Signature,
    code: &'a MethodBody,
    points: &'a [SequencePoint],
    /// The index of the sequence point of each instruction.
    statements: &'a [Option<usize>],
    /// Where the code starts that filters protect which cannot be translated.
    influenced_filters: &'a FxHashSet<u32>,
    file_of: FxHashMap<u32, FileId>,
    body: Body,
    /// Whether the value of an expression never changes, because it uses only constants and temporaries.
    is_stable: Vec<bool>,
    /// Whether a local is assigned once, before all its uses.
    is_temporary: Vec<bool>,
    arguments: Vec<Variable>,
    variables: Vec<Variable>,
    /// Variables to which managed pointers exist: arguments and locals by index.
    escaping: FxHashSet<(bool, u16)>,
    /// The types of the places on the stack at instructions where a pointer and zero meet: `fixed` makes null of an empty
    /// array.
    pointer_slots: FxHashMap<(usize, usize), TyId>,
    /// The places on the stack at instructions where a number other than 0 and 1 may come.
    number_slots: FxHashSet<(usize, usize)>,
    /// The variables for other places on the stack, with their places.
    truth_slots: FxHashMap<LocalId, (usize, usize)>,
    /// Those whose values were taken for truth values.
    trusted: FxHashSet<LocalId>,
    /// Whether something has been found that is missing in `escaping`, `pointer_slots` or `number_slots`.
    is_incomplete: bool,
    blocks: FxHashMap<usize, TargetBlock>,
    /// Indices of the instructions at which blocks start that are not translated yet.
    ready: BTreeSet<usize>,
    /// Indices of instructions at which a new block starts.
    starts: BTreeSet<usize>,
    regions: exceptions::Regions,
    block: BlockId,
    stack: Vec<Entry>,
    /// Indices of the instructions that are translated.
    translated: FxHashSet<usize>,
    at: usize,
    span: Span,
    operations: usize,
}

/// A block of the method that starts at an instruction.
struct TargetBlock {
    block: BlockId,
    /// The stack at its start, once a jump to it is known.
    stack: Option<Vec<Entry>>,
}

/// Translates the code of a method.
pub(crate) fn translate(cs: Cs, method: MethodId, key: &MethodKey) -> Body {
    match crate::supplied::of(cs, key) {
        Some(model) => crate::supplied::body(cs, method, &model),
        None => translate_own(cs, method, key),
    }
}

/// Translates the code that a method has without the user's models.
pub(crate) fn translate_own(cs: Cs, method: MethodId, key: &MethodKey) -> Body {
    let params = &cs.program.method(method).params;
    if let Some(body) = intrinsics::whole_body(cs, method, key) {
        return body;
    }
    let model = crate::models::of(cs, key);
    let key = model.as_ref().unwrap_or(key);
    let name = || cs.program.method_name(method);
    let prepared = || -> Translated<(MethodBody, Signature, AssemblyId)> {
        let declared = cs.declaration_of(key)?;
        let read = cs.assembly(declared.assembly);
        let body = read.body(key.row).map_err(|error| error.to_string())?;
        let body = body.filter(|body| !is_placeholder(cs, key, declared.assembly, body));
        let body = body.ok_or_else(|| format!("the native method {}, which has no model", name()))?;
        Ok((body, cs.signature(key)?, declared.assembly))
    };
    let (code, signature, assembly) = match prepared() {
        Ok(prepared) => prepared,
        Err(what) => return unsupported(params, what),
    };
    let sources = Sources::new(cs, assembly, key, &code);
    let influenced_filters = filters::influenced(cs, assembly, &code);
    let mut escaping = FxHashSet::default();
    let mut pointer_slots = FxHashMap::default();
    let mut number_slots = FxHashSet::default();
    // Each round finds at least one more variable.
    loop {
        let mut translator = Translator {
            escaping: std::mem::take(&mut escaping),
            pointer_slots: std::mem::take(&mut pointer_slots),
            number_slots: std::mem::take(&mut number_slots),
            ..Translator::new(cs, key, assembly, &signature, &code, &sources, &influenced_filters)
        };
        let result = translator.run();
        if translator.is_incomplete {
            escaping = translator.escaping;
            pointer_slots = translator.pointer_slots;
            number_slots = translator.number_slots;
            continue;
        }
        if let Err(what) = result {
            translator.body = unsupported(params, what);
            translator.body.blocks[0].terminator.span = translator.span;
            translator.translated.clear();
        }
        translator.keep_lost_code();
        return translator.body;
    }
}

/// A body for a method whose code cannot be translated at all.
pub(crate) fn refuse(cs: Cs, method: MethodId, key: &MethodKey, what: String) -> Body {
    let refused = unsupported(&cs.program.method(method).params, what);
    let Ok(declared) = cs.declaration_of(key) else { return refused };
    let Ok(Some(code)) = cs.assembly(declared.assembly).body(key.row) else { return refused };
    let sources = Sources::new(cs, declared.assembly, key, &code);
    let signature = Signature { has_this: false, params: Vec::new(), result: cs.simple(crate::types::Ty::Void) };
    let filters = FxHashSet::default();
    let mut translator = Translator::new(cs, key, declared.assembly, &signature, &code, &sources, &filters);
    translator.body = refused;
    translator.keep_lost_code();
    translator.body
}

/// The places of a method's code in its sources.
struct Sources {
    points: Vec<SequencePoint>,
    /// The index of the sequence point of each instruction.
    statements: Vec<Option<usize>>,
}

impl Sources {
    fn new(cs: Cs, assembly: AssemblyId, key: &MethodKey, code: &MethodBody) -> Self {
        let pdb = cs.loader.assemblies.module(assembly).pdb();
        let points = pdb.map(|pdb| pdb.sequence_points(key.row)).unwrap_or_default();
        let statements = if points.is_empty() { Vec::new() } else { statements::of(code, &points) };
        Sources { points, statements }
    }
}

impl<'a> Translator<'a> {
    fn new(
        cs: Cs<'a>,
        key: &'a MethodKey,
        assembly: AssemblyId,
        signature: &'a Signature,
        code: &'a MethodBody,
        sources: &'a Sources,
        influenced_filters: &'a FxHashSet<u32>,
    ) -> Self {
        Translator {
            cs,
            key,
            assembly,
            generics: cs.generics_of(key.owner, key.arguments.clone()),
            signature,
            code,
            points: &sources.points,
            statements: &sources.statements,
            influenced_filters,
            file_of: FxHashMap::default(),
            body: Body::default(),
            is_stable: Vec::new(),
            is_temporary: Vec::new(),
            arguments: Vec::new(),
            variables: Vec::new(),
            escaping: FxHashSet::default(),
            pointer_slots: FxHashMap::default(),
            number_slots: FxHashSet::default(),
            truth_slots: FxHashMap::default(),
            trusted: FxHashSet::default(),
            is_incomplete: false,
            blocks: FxHashMap::default(),
            ready: BTreeSet::new(),
            starts: BTreeSet::new(),
            regions: exceptions::Regions::default(),
            block: Body::ENTRY,
            stack: Vec::new(),
            translated: FxHashSet::default(),
            at: 0,
            span: Span::NONE,
            operations: 0,
        }
    }
}

/// Whether the code of a method of the class library only stands for what the runtime does: it throws an exception
/// that says so, or calls itself.
fn is_placeholder(cs: Cs, key: &MethodKey, assembly: AssemblyId, body: &MethodBody) -> bool {
    use aback_cil::{Opcode, Operand};
    if cs.loader.assemblies.module(assembly).is_own || body.instructions.len() > MOST_PLACEHOLDER {
        return false;
    }
    let is_model = cs.loader.assemblies.named(crate::models::NAME) == Some(assembly);
    let generics = cs.generics_of(key.owner, key.arguments.clone());
    body.instructions.iter().any(|instruction| {
        let Operand::Token(token) = instruction.operand else { return false };
        let is_call = matches!(instruction.opcode, Opcode::Call | Opcode::Newobj);
        match is_call.then(|| cs.method_token(assembly, token, &generics)) {
            Some(Ok(crate::members::MethodRef::Declared(called))) => {
                called == *key
                    || cs.is_library_type(called.owner, "System", "PlatformNotSupportedException")
                    || is_model && cs.is_library_type(called.owner, "System", "NotImplementedException")
            }
            _ => false,
        }
    })
}

/// Most instructions of a method that stands for what the runtime does.
const MOST_PLACEHOLDER: usize = 8;

impl<'a> Translator<'a> {
    fn run(&mut self) -> Translated<()> {
        self.find_blocks()?;
        self.block = self.body.add_block(Vec::new());
        self.declare_variables()?;
        self.initialize_own();
        let first = self.block_at(0)?;
        self.end(TerminatorKind::Goto(first));
        self.enter(0, Vec::new())?;
        while let Some(start) = self.ready.pop_first() {
            let Some(target) = self.blocks.get(&start) else { continue };
            self.block = target.block;
            self.stack = target.stack.clone().unwrap_or_default();
            self.fill(start);
        }
        self.finish_regions();
        Ok(())
    }

    /// Runs the static constructor of a type before its static methods and constructors, and before all methods of structs
    /// and interfaces, because no constructor need have run before these. This is different if the type leaves the time to
    /// the runtime (`beforefieldinit`), which then runs it before accesses to static fields.
    fn initialize_own(&mut self) {
        let Some((declared, _)) = self.cs.declared(self.key.owner) else { return };
        let read = self.cs.assembly(declared.assembly);
        let is_unconstructed = self.cs.is_value(self.key.owner) || self.cs.kind(self.key.owner) == Kind::Interface;
        let runs_it = read.method(self.key.row).is_ok_and(|method| {
            (is_unconstructed || method.is_static() || method.is_constructor()) && method.name != ".cctor"
        });
        if self.cs.is_initialized_precisely(self.key.owner) && runs_it {
            self.initialize(self.key.owner);
        }
    }

    /// Translates the instructions of a block, from an index on.
    fn fill(&mut self, start: usize) {
        let mut at = start;
        loop {
            self.at = at;
            let Some(instruction) = self.code.instructions.get(at) else {
                self.end(TerminatorKind::unsupported("malformed code: it goes on behind its end"));
                return;
            };
            self.span = self.span_of(at);
            self.translated.insert(at);
            let checked = if at == start { self.check_filters(at) } else { Ok(()) };
            let goes_on = match checked.and_then(|()| self.instruction(instruction)) {
                Ok(goes_on) => goes_on,
                // The rest of the block is lost.
                Err(what) => {
                    self.translated.remove(&at);
                    let what = self.located(what);
                    self.end(TerminatorKind::unsupported(what));
                    false
                }
            };
            if !goes_on {
                return;
            }
            at += 1;
            if self.starts.contains(&at) {
                let jump = self.jump(at);
                match jump {
                    Ok(block) => self.end(TerminatorKind::Goto(block)),
                    Err(what) => self.end(TerminatorKind::unsupported(what)),
                }
                return;
            }
        }
    }

    /// What is not supported, with the method if users cannot see its place.
    fn located(&self, what: String) -> String {
        let module = self.cs.loader.assemblies.module(self.assembly);
        match module.is_own {
            true => what,
            false => format!("{what} (in {}.{})", self.ty_name(self.key.owner), self.method_name()),
        }
    }

    fn method_name(&self) -> &'a str {
        self.cs.assembly(self.assembly).method_name(self.key.row).unwrap_or("")
    }

    /// The index of the instruction at an offset.
    fn index_of(&self, offset: u32) -> Translated<usize> {
        self.code.index_of(offset).ok_or_else(|| "malformed code: a jump into an instruction".into())
    }

    /// Finds where blocks start: at the targets of jumps, and where the handlers of exceptions change.
    fn find_blocks(&mut self) -> Translated<()> {
        use aback_cil::Operand;
        self.starts.insert(0);
        for instruction in &self.code.instructions {
            match &instruction.operand {
                Operand::Target(target) => {
                    let index = self.index_of(*target)?;
                    self.starts.insert(index);
                }
                Operand::Switch(targets) => {
                    for &target in targets {
                        let index = self.index_of(target)?;
                        self.starts.insert(index);
                    }
                }
                _ => {}
            }
        }
        self.find_regions()
    }

    /// The block that starts at an instruction.
    fn block_at(&mut self, index: usize) -> Translated<BlockId> {
        if let Some(known) = self.blocks.get(&index) {
            return Ok(known.block);
        }
        if !self.starts.contains(&index) {
            return malformed("a jump to no block");
        }
        let handlers = self.handlers_at(index)?;
        let block = self.body.add_block(handlers);
        self.blocks.insert(index, TargetBlock { block, stack: None });
        Ok(block)
    }

    /// Makes a block ready that is entered with this stack. The entries are locals.
    fn enter(&mut self, index: usize, stack: Vec<Entry>) -> Translated<()> {
        self.block_at(index)?;
        if let Some(target) = self.blocks.get_mut(&index)
            && target.stack.is_none()
        {
            target.stack = Some(stack);
            self.ready.insert(index);
        }
        Ok(())
    }

    /// A new block with the handlers of the current one, which does not become the current one.
    fn new_block(&mut self) -> BlockId {
        let handlers = self.body.block(self.block).handlers.clone();
        self.body.add_block(handlers)
    }

    fn end(&mut self, kind: TerminatorKind) {
        self.body.block_mut(self.block).terminator = Terminator { kind, span: self.span };
    }

    fn op(&mut self, kind: OpKind) {
        let span = self.span;
        self.body.block_mut(self.block).ops.push(Op { kind, span });
    }

    /// Adds an operation with a result of a type, and returns the result.
    fn result(&mut self, ty: Type, kind: impl FnOnce(LocalId) -> OpKind) -> ExprId {
        let dst = self.temporary(ty);
        self.op(kind(dst));
        self.local(dst)
    }

    /// Continues in a new block if a condition holds, and calls a method that throws if not.
    fn require(&mut self, condition: ExprId, exception: &'static str) {
        let (then_block, else_block) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        self.block = else_block;
        let method = crate::synthetic::exceptions::thrower(self.cs, exception);
        self.op(OpKind::Call { dst: None, dispatch: aback_ir::Dispatch::Static, method, args: Vec::new() });
        self.end(TerminatorKind::Unreachable);
        self.block = then_block;
    }

    /// Ends the path as unsupported if a reference is null.
    fn refuse_null(&mut self, object: ExprId, what: &str) -> Translated<()> {
        let is_there = self.is_there(object)?;
        let what = self.located(what.into());
        self.unless_refused(is_there, &what);
        Ok(())
    }

    /// Whether a reference is not null.
    fn is_there(&mut self, object: ExprId) -> Translated<ExprId> {
        let root = Type::Class(self.cs.object_class());
        let object = self.coerce_leaf(object, root)?;
        let null = self.expr(Expr::Const(Const::Null));
        Ok(self.expr(Expr::Binary(BinaryOp::Ne, root, object, null)))
    }

    /// The place in the source of the instruction with an index.
    fn span_of(&mut self, index: usize) -> Span {
        let point = self.statements.get(index).copied().flatten().and_then(|point| self.points.get(point));
        let found = point.and_then(|point| Some((point.document, point.position.as_ref()?)));
        let Some((document, position)) = found else { return Span::NONE };
        let (cs, assembly) = (self.cs, self.assembly);
        let file = *self.file_of.entry(document).or_insert_with(|| cs.file(assembly, document));
        let length = match position.start_line == position.end_line {
            true => position.end_column.saturating_sub(position.start_column),
            false => 0,
        };
        Span { file, line: position.start_line, column: position.start_column, length }
    }

    fn afford(&mut self) -> Translated<()> {
        self.operations += 1;
        match self.operations < MOST_OPERATIONS {
            true => Ok(()),
            false => Err("a method that is too long".into()),
        }
    }

    fn ty_name(&self, ty: TyId) -> String {
        self.cs.name(ty)
    }
}
