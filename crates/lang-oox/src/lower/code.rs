//! Builds a body: a cursor over blocks, joins, and expressions of bounded depth.

use aback_ir::*;

/// Greatest depth of an expression, in levels. Engines evaluate expressions by recursion, so that temporaries split
/// deeper ones.
pub(crate) const MAX_DEPTH: u32 = 64;

/// A body under construction.
#[derive(Default)]
pub(crate) struct Code {
    body: Body,
    /// The block that receives operations; `None` after the end of a block.
    current: Option<BlockId>,
    /// Whether control can reach each block.
    reached: Vec<bool>,
    /// The depth of each expression.
    depths: Vec<u32>,
    /// The handlers of new blocks.
    handlers: Vec<Handler>,
}

/// A block that is made at the first jump to it.
#[derive(Clone)]
pub(crate) struct Join {
    block: Option<BlockId>,
    handlers: Vec<Handler>,
}

impl Code {
    /// The finished body.
    pub fn finish(self) -> Body {
        self.body
    }

    // ---- control flow ---------------------------------------------------------------------------------------

    /// Makes the entry block.
    pub fn start(&mut self) {
        let entry = self.block();
        self.reached[entry.index()] = true;
        self.current = Some(entry);
    }

    /// A new block under the current handlers.
    pub fn block(&mut self) -> BlockId {
        self.reached.push(false);
        self.body.add_block(self.handlers.clone())
    }

    /// The block that receives operations; [`Code::enter`] can return to it later. Unreachable code gets a block, too,
    /// because users ask about its lines.
    pub fn here(&mut self) -> BlockId {
        if let Some(block) = self.current {
            return block;
        }
        let block = self.block();
        self.current = Some(block);
        block
    }

    /// Whether control can reach the current block.
    pub fn is_reached(&self) -> bool {
        self.current.is_some_and(|block| self.reached[block.index()])
    }

    /// Whether the current block has no end yet.
    pub fn is_open(&self) -> bool {
        self.current.is_some()
    }

    /// Makes `block` the current block.
    pub fn enter(&mut self, block: BlockId) {
        self.current = Some(block);
    }

    /// Marks `target` as reachable if the current block is.
    pub fn reach(&mut self, target: BlockId) {
        if self.is_reached() {
            self.reached[target.index()] = true;
        }
    }

    /// Ends the current block.
    pub fn end(&mut self, kind: TerminatorKind, span: Span) {
        for target in kind.successors() {
            self.reach(target);
        }
        let block = self.here();
        self.body.block_mut(block).terminator = Terminator { kind, span };
        self.current = None;
    }

    /// Goes to `target` if there is a current block.
    pub fn goto(&mut self, target: BlockId, span: Span) {
        if self.current.is_some() {
            self.end(TerminatorKind::Goto(target), span);
        }
    }

    /// Branches on a condition.
    pub fn branch(&mut self, condition: ExprId, then_block: BlockId, else_block: BlockId, span: Span) {
        self.end(TerminatorKind::Branch { condition, then_block, else_block }, span);
    }

    /// A join under the current handlers.
    pub fn join(&self) -> Join {
        Join { block: None, handlers: self.handlers.clone() }
    }

    /// The block of a join.
    pub fn join_block(&mut self, join: &mut Join) -> BlockId {
        *join.block.get_or_insert_with(|| {
            self.reached.push(false);
            self.body.add_block(join.handlers.clone())
        })
    }

    /// Goes to a join if there is a current block.
    pub fn goto_join(&mut self, join: &mut Join, span: Span) {
        if self.current.is_some() {
            let block = self.join_block(join);
            self.goto(block, span);
        }
    }

    /// Makes the block of a join the current one, if anything goes there.
    pub fn enter_join(&mut self, join: &Join) {
        self.current = join.block;
    }

    /// Puts `inner` before the current handlers of new blocks. Returns the previous handlers for
    /// [`Code::set_handlers`].
    pub fn cover(&mut self, inner: Vec<Handler>) -> Vec<Handler> {
        let outer = self.handlers.clone();
        self.handlers = inner;
        self.handlers.extend(&outer);
        outer
    }

    /// The number of current handlers.
    pub fn handlers(&self) -> usize {
        self.handlers.len()
    }

    /// Sets the handlers of new blocks.
    pub fn set_handlers(&mut self, handlers: Vec<Handler>) {
        self.handlers = handlers;
    }

    // ---- operations -----------------------------------------------------------------------------------------

    /// Appends an operation.
    pub fn emit(&mut self, kind: OpKind, span: Span) {
        let block = self.here();
        self.body.block_mut(block).ops.push(Op { kind, span });
    }

    /// Appends an operation whose result goes to a new temporary, and returns the result.
    pub fn result(&mut self, ty: Type, span: Span, op: impl FnOnce(LocalId) -> OpKind) -> ExprId {
        let dst = self.temp(ty);
        self.emit(op(dst), span);
        self.read(dst)
    }

    /// `dst = value`. If the last operation has just stored the value in a temporary, it stores it in `dst` instead.
    pub fn assign(&mut self, dst: LocalId, value: ExprId, span: Span) {
        if let Some(temp) = self.just_computed(value)
            && self.local_type(temp) == self.local_type(dst)
            && let Some(block) = self.current
            && let Some(op) = self.body.block_mut(block).ops.last_mut()
        {
            op.kind.set_dst(dst);
            self.body.locals.pop();
            self.body.exprs.pop();
            self.depths.pop();
            return;
        }
        self.emit(OpKind::Assign { dst, value }, span);
    }

    /// A new variable of type `ty` with an initial value.
    pub fn variable(&mut self, name: &str, ty: Type, value: ExprId, span: Span) -> LocalId {
        if let Some(temp) = self.just_computed(value).filter(|&t| self.local_type(t) == ty) {
            self.body.locals[temp.index()].name = name.to_owned();
            return temp;
        }
        let local = self.local(name, ty);
        self.emit(OpKind::Assign { dst: local, value }, span);
        local
    }

    /// The temporary that `value` reads, if it is the newest local of the body and the last operation has set it.
    fn just_computed(&self, value: ExprId) -> Option<LocalId> {
        let Expr::Local(temp) = *self.body.expr(value) else { return None };
        let last_op = self.body.block(self.current?).ops.last()?;
        let newest = value.index() + 1 == self.body.exprs.len() && temp.index() + 1 == self.body.locals.len();
        let is_temp = self.body.local(temp).name.starts_with('%');
        (newest && is_temp && last_op.kind.dst() == Some(temp)).then_some(temp)
    }

    // ---- locals and expressions -----------------------------------------------------------------------------

    /// A new local.
    pub fn local(&mut self, name: &str, ty: Type) -> LocalId {
        self.body.add_local(name, ty)
    }

    /// A new temporary.
    pub fn temp(&mut self, ty: Type) -> LocalId {
        self.body.add_temp(ty)
    }

    /// Type of a local.
    pub fn local_type(&self, local: LocalId) -> Type {
        self.body.local(local).ty
    }

    /// Changes the type of a local whose value has been null so far.
    pub fn set_local_type(&mut self, local: LocalId, ty: Type) {
        self.body.locals[local.index()].ty = ty;
    }

    /// The name of a local.
    pub fn local_name(&self, local: LocalId) -> &str {
        &self.body.local(local).name
    }

    fn add(&mut self, expr: Expr, depth: u32) -> ExprId {
        self.depths.push(depth);
        self.body.add_expr(expr)
    }

    /// The value of a local.
    pub fn read(&mut self, local: LocalId) -> ExprId {
        self.add(Expr::Local(local), 1)
    }

    /// The local that an expression reads, if it does nothing else.
    pub fn as_local(&self, expr: ExprId) -> Option<LocalId> {
        match *self.body.expr(expr) {
            Expr::Local(local) => Some(local),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&mut self, constant: Const) -> ExprId {
        self.add(Expr::Const(constant), 1)
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.constant(Const::Bool(value))
    }

    /// An integer.
    pub fn int(&mut self, value: u64, ty: Type) -> ExprId {
        self.constant(Const::Int(value.into(), ty))
    }

    /// The default of a type: 0, false or null.
    pub fn default_of(&mut self, ty: Type) -> ExprId {
        self.constant(Const::default_of(ty))
    }

    /// An expression for the same value that may become an operand, with its depth.
    fn shallow(&mut self, expr: ExprId, span: Span) -> (ExprId, u32) {
        let depth = self.depths[expr.index()];
        if depth < MAX_DEPTH {
            return (expr, depth);
        }
        let ty = self.body.expr_type(expr);
        (self.result(ty, span, |dst| OpKind::Assign { dst, value: expr }), 1)
    }

    /// An operator applied to a value of type `ty`.
    pub fn unary(&mut self, op: UnaryOp, ty: Type, a: ExprId, span: Span) -> ExprId {
        let (a, depth) = self.shallow(a, span);
        self.add(Expr::Unary(op, ty, a), depth + 1)
    }

    /// An operator applied to values of type `ty`.
    pub fn binary(&mut self, op: BinaryOp, ty: Type, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let (a, left) = self.shallow(a, span);
        let (b, right) = self.shallow(b, span);
        self.add(Expr::Binary(op, ty, a, b), left.max(right) + 1)
    }

    /// `c ? a : b`, where one alternative is of type `ty` and the type of the other fits it.
    pub fn select(&mut self, c: ExprId, a: ExprId, b: ExprId, ty: Type, span: Span) -> ExprId {
        // The type of a selection is that of its first alternative, which must therefore be of type `ty`.
        let (c, a, b) = if self.body.expr_type(a) == ty {
            (c, a, b)
        } else {
            (self.unary(UnaryOp::Not, Type::Bool, c, span), b, a)
        };
        let (c, depth_c) = self.shallow(c, span);
        let (a, depth_a) = self.shallow(a, span);
        let (b, depth_b) = self.shallow(b, span);
        self.add(Expr::Select(c, a, b), depth_c.max(depth_a).max(depth_b) + 1)
    }

    /// A value converted to another number type.
    pub fn convert(&mut self, from: Type, to: Type, value: ExprId, span: Span) -> ExprId {
        let (value, depth) = self.shallow(value, span);
        self.add(Expr::Convert { from, to, value }, depth + 1)
    }
}
