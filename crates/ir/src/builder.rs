//! Builds the bodies of generated methods, operation by operation.

use crate::body::{
    BinaryOp, BlockId, Body, Const, Dispatch, Expr, ExprId, Handler, LocalId, Op, OpKind, Terminator, TerminatorKind,
};
use crate::program::{ClassId, FieldId, MethodId, Type};
use crate::span::Span;

/// Builds a body without source places. Operations are added to the current block.
pub struct Builder {
    body: Body,
    block: BlockId,
}

impl Builder {
    /// A builder of a body with these parameters and an empty entry block.
    pub fn new(params: &[Type]) -> Self {
        let mut body = Body::default();
        for (index, &ty) in params.iter().enumerate() {
            body.add_local(format!("arg{index}"), ty);
        }
        let block = body.add_block(Vec::new());
        Builder { body, block }
    }

    /// A builder of code in front of a body, and the block with which the body goes on. Nothing in the body may jump to
    /// its entry block.
    pub(crate) fn in_front_of(mut body: Body) -> (Self, BlockId) {
        let block = body.add_block(Vec::new());
        body.blocks.swap(Body::ENTRY.index(), block.index());
        (Builder { body, block: Body::ENTRY }, block)
    }

    /// The finished body.
    pub fn finish(self) -> Body {
        self.body
    }

    /// A parameter, as an expression.
    pub fn param(&mut self, index: usize) -> ExprId {
        self.local(LocalId(index as u32))
    }

    /// A new variable.
    pub fn variable(&mut self, ty: Type) -> LocalId {
        self.body.add_temp(ty)
    }

    /// Gives a local a name.
    pub fn name(&mut self, local: LocalId, name: &str) {
        if let Some(local) = self.body.locals.get_mut(local.index()) {
            local.name = name.to_string();
        }
    }

    /// The value of a local.
    pub fn local(&mut self, local: LocalId) -> ExprId {
        self.body.add_expr(Expr::Local(local))
    }

    /// An expression.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        self.body.add_expr(expr)
    }

    /// A constant of 32 bits.
    pub fn int(&mut self, value: i64) -> ExprId {
        self.constant(value, Type::Machine { width: 32, signed: true })
    }

    /// An integer constant.
    pub fn constant(&mut self, value: i64, ty: Type) -> ExprId {
        self.body.add_expr(Expr::Const(Const::Int(value.into(), ty)))
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.body.add_expr(Expr::Const(Const::Bool(value)))
    }

    /// The null reference.
    pub fn null(&mut self) -> ExprId {
        self.body.add_expr(Expr::Const(Const::Null))
    }

    /// An operator.
    pub fn binary(&mut self, op: BinaryOp, ty: Type, left: ExprId, right: ExprId) -> ExprId {
        self.body.add_expr(Expr::Binary(op, ty, left, right))
    }

    /// Adds an operation.
    pub fn op(&mut self, kind: OpKind) {
        self.body.block_mut(self.block).ops.push(Op { kind, span: Span::NONE });
    }

    /// Adds an operation with a result of a type, and returns the result.
    pub fn result(&mut self, ty: Type, kind: impl FnOnce(LocalId) -> OpKind) -> ExprId {
        let dst = self.variable(ty);
        self.op(kind(dst));
        self.local(dst)
    }

    /// Adds a call, and returns its result if it has one.
    pub fn call(
        &mut self,
        dispatch: Dispatch,
        method: MethodId,
        args: Vec<ExprId>,
        result: Option<Type>,
    ) -> Option<ExprId> {
        let dst = result.map(|ty| self.variable(ty));
        self.op(OpKind::Call { dst, dispatch, method, args });
        dst.map(|dst| self.local(dst))
    }

    /// Adds a read of an instance field, and returns its value.
    pub fn get(&mut self, object: ExprId, field: FieldId, ty: Type) -> ExprId {
        self.result(ty, |dst| OpKind::GetField { dst, object, field })
    }

    /// Adds the allocation of an object without a constructor call, and returns the object.
    pub fn allocate(&mut self, class: ClassId) -> ExprId {
        self.result(Type::Class(class), |dst| OpKind::New { dst, class })
    }

    /// Adds the assumption that a reference is not null.
    pub fn assume_not_null(&mut self, reference: ExprId) {
        let null = self.null();
        let condition = self.binary(BinaryOp::Ne, Type::Null, reference, null);
        self.op(OpKind::Assume { condition });
    }

    /// A new block, which does not become the current one.
    pub fn block(&mut self) -> BlockId {
        self.body.add_block(Vec::new())
    }

    /// A new block with an exception handler.
    pub fn guarded_block(&mut self, handler: Handler) -> BlockId {
        self.body.add_block(vec![handler])
    }

    /// Makes a block the current one.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    /// Ends the current block.
    pub fn end(&mut self, kind: TerminatorKind) {
        self.body.block_mut(self.block).terminator = Terminator { kind, span: Span::NONE };
    }

    /// Ends the current block with a branch to two new blocks. The first becomes the current one.
    pub fn branch(&mut self, condition: ExprId) -> (BlockId, BlockId) {
        let (then_block, else_block) = (self.block(), self.block());
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        self.block = then_block;
        (then_block, else_block)
    }

    /// Ends the current block with a return.
    pub fn ret(&mut self, value: Option<ExprId>) {
        self.end(TerminatorKind::Return(value));
    }

    /// Ends the current block with an unsupported feature.
    pub fn unsupported(&mut self, what: impl Into<String>) {
        self.end(TerminatorKind::unsupported(what));
    }
}

/// The code of an unsupported method.
pub fn unsupported(params: &[Type], what: impl Into<String>) -> Body {
    let mut builder = Builder::new(params);
    builder.unsupported(what);
    builder.finish()
}
