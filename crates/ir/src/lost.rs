//! Keeps what is known of code that is not translated, because something unsupported comes before it.

use crate::body::*;
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::span::Span;

/// The block that stands for the lost code of a body. Executions never get to it. But a line of this code can be asked
/// about, the code may call other code that can, an assertion in it is one that the program has, and what it does may
/// matter to other executions. Its values are not those of the lost code: see [`Body::lost_code`].
pub struct LostCode<'a> {
    program: &'a Program,
    body: &'a mut Body,
    block: BlockId,
    gap: Terminator,
}

impl<'a> LostCode<'a> {
    /// An empty block; `None` if the body has nothing that is unsupported.
    pub fn new(program: &'a Program, body: &'a mut Body) -> Option<Self> {
        let is_gap = |block: &&Block| matches!(block.terminator.kind, TerminatorKind::Unsupported { .. });
        let mut gap = body.blocks.iter().find(is_gap)?.terminator.clone();
        if let TerminatorKind::Unsupported { lost, .. } = &mut gap.kind {
            *lost = None;
        }
        let block = body.add_block(Vec::new());
        Some(LostCode { program, body, block, gap })
    }

    fn op(&mut self, kind: OpKind, span: Span) {
        self.body.block_mut(self.block).ops.push(Op { kind, span });
    }

    /// Adds code that has no known effect.
    pub fn line(&mut self, span: Span) {
        let ops = &self.body.block(self.block).ops;
        if ops.last().is_none_or(|last| last.span != span) {
            let value = self.body.add_expr(Expr::Const(Const::Bool(false)));
            let dst = self.body.add_temp(Type::Bool);
            self.op(OpKind::Assign { dst, value }, span);
        }
    }

    /// Adds an assertion.
    pub fn assertion(&mut self, span: Span) {
        let condition = self.body.add_expr(Expr::Const(Const::Bool(false)));
        self.op(OpKind::Assert { condition, kind: AssertKind::Check }, span);
    }

    /// Adds the creation of an object.
    pub fn object(&mut self, class: ClassId, span: Span) {
        let declared = self.program.class(class);
        // Only malformed code makes such an object.
        if declared.is_abstract || declared.is_interface {
            return;
        }
        self.initialize(class, span);
        let dst = self.body.add_temp(Type::Class(class));
        self.op(OpKind::New { dst, class }, span);
    }

    /// Initializes the class of a static field. Malformed code may name another field, which gives `false`.
    fn prepare(&mut self, field: FieldId, span: Span) -> bool {
        let declared = self.program.field(field);
        if declared.is_static {
            self.initialize(declared.class, span);
        }
        declared.is_static
    }

    fn initialize(&mut self, class: ClassId, span: Span) {
        if let Some((field, method)) = self.program.initialization(class) {
            self.op(OpKind::Ensure { field, method }, span);
        }
    }

    /// Adds a read of a static field.
    pub fn read_static(&mut self, field: FieldId, span: Span) {
        if self.prepare(field, span) {
            let dst = self.body.add_temp(self.program.field(field).ty);
            self.op(OpKind::GetStatic { dst, field }, span);
        }
    }

    /// Adds a write of a static field.
    pub fn write_static(&mut self, field: FieldId, span: Span) {
        if self.prepare(field, span) {
            let value = self.body.add_expr(Expr::Const(Const::default_of(self.program.field(field).ty)));
            self.op(OpKind::PutStatic { field, value }, span);
        }
    }

    /// Adds a call, which may be a virtual one.
    pub fn call(&mut self, method: MethodId, is_virtual: bool, span: Span) {
        let declared = self.program.method(method);
        if declared.kind == MethodKind::Static {
            self.initialize(declared.class, span);
        }
        let dispatch = match declared.kind {
            MethodKind::Static => Dispatch::Static,
            // Malformed code may ask for something else.
            MethodKind::Constructor => Dispatch::Special,
            MethodKind::Instance if is_virtual || declared.is_abstract => Dispatch::Virtual,
            MethodKind::Instance => Dispatch::Special,
        };
        let defaults = declared.params.iter().map(|&ty| Expr::Const(Const::default_of(ty)));
        let args = defaults.map(|value| self.body.add_expr(value)).collect();
        let dst = declared.result.map(|ty| self.body.add_temp(ty));
        self.op(OpKind::Call { dst, dispatch, method, args }, span);
    }

    /// Leads all that is unsupported to the block.
    pub fn finish(self) {
        for block in &mut self.body.blocks {
            if let TerminatorKind::Unsupported { lost, .. } = &mut block.terminator.kind {
                *lost = lost.or(Some(self.block));
            }
        }
        self.body.block_mut(self.block).terminator = self.gap;
    }
}
