//! The code of a method: a control-flow graph of blocks over typed locals.

mod expression;
mod operation;
mod terminator;

pub use expression::*;
pub use operation::*;
pub use terminator::*;

use crate::program::{ClassId, Type, entity};
use crate::span::Span;

entity!(
    /// A local variable of a [`Body`]; parameters come first.
    LocalId
);
entity!(
    /// A basic block of a [`Body`].
    BlockId
);
entity!(
    /// A pure expression of a [`Body`].
    ExprId
);

/// A typed local variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Name as in the source; temporaries have names that no source can have (`%3`).
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A local that refers to a variable, a field or an element, as which users know what is there.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The local.
    pub local: LocalId,
    /// The values there, each with its name in the source: `count`, or `point.x` and `point.y`. Those that users cannot know have no name.
    pub parts: Vec<Local>,
}

/// The code of a method. Locals that are not parameters hold the default of their type (zero, false, null) at entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// All locals; the first ones are the parameters.
    pub locals: Vec<Local>,
    /// The locals behind which users see something else. Only what is shown depends on them.
    pub views: Vec<View>,
    /// Points at which control can be without having been at their line: it is that of the code before them, because compilers give none to
    /// what ends an expression over several lines.
    pub strays: Vec<Point>,
    /// Pure expressions, each after the ones it uses.
    pub exprs: Vec<Expr>,
    /// Blocks; the first one is the entry.
    pub blocks: Vec<Block>,
}

impl Body {
    /// The entry block.
    pub const ENTRY: BlockId = BlockId(0);

    /// Adds a local.
    pub fn add_local(&mut self, name: impl Into<String>, ty: Type) -> LocalId {
        self.locals.push(Local { name: name.into(), ty });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// Adds a temporary with a name of its own.
    pub fn add_temp(&mut self, ty: Type) -> LocalId {
        let name = format!("%{}", self.locals.len());
        self.add_local(name, ty)
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds an empty block that ends in `Unreachable` until it gets its terminator.
    pub fn add_block(&mut self, handlers: Vec<Handler>) -> BlockId {
        self.blocks.push(Block {
            ops: Vec::new(),
            terminator: Terminator { kind: TerminatorKind::Unreachable, span: Span::NONE },
            handlers,
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// The block that stands for code that is not known ([`crate::LostCode`]), if there is one. It ends where the known
    /// code ends.
    pub fn lost_code(&self) -> Option<BlockId> {
        let is_end = |block: &Block| matches!(block.terminator.kind, TerminatorKind::Unsupported { lost: None, .. });
        let lost = self.blocks.iter().find_map(|block| match block.terminator.kind {
            TerminatorKind::Unsupported { lost: Some(lost), .. } => Some(lost),
            _ => None,
        });
        lost.filter(|&lost| is_end(self.block(lost)))
    }

    /// The local `id`.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    /// The expression `id`.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The block `id`.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The block `id`, to change.
    pub fn block_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.blocks[id.index()]
    }

    /// Whether any code reads a local.
    pub fn reads(&self, local: LocalId) -> bool {
        let mut operands: Vec<ExprId> = self.exprs.iter().flat_map(Expr::operands).collect();
        for block in &self.blocks {
            operands.extend(block.ops.iter().flat_map(|op| op.kind.operands()));
            operands.extend(block.terminator.kind.operand());
        }
        operands.into_iter().any(|operand| *self.expr(operand) == Expr::Local(local))
    }

    /// All block ids in order.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// All operations, each with the point before it.
    pub fn ops(&self) -> impl Iterator<Item = (Point, &Op)> {
        self.block_ids().zip(&self.blocks).flat_map(|(id, block)| {
            block.ops.iter().enumerate().map(move |(op, kind)| (Point { block: id, op: op as u32 }, kind))
        })
    }

    /// Type of an expression.
    pub fn expr_type(&self, id: ExprId) -> Type {
        let mut id = id;
        loop {
            return match self.expr(id) {
                Expr::Local(local) => self.local(*local).ty,
                Expr::Const(constant) => constant.ty(),
                Expr::Unary(op, ty, _) => match op {
                    UnaryOp::Not => Type::Bool,
                    _ => *ty,
                },
                Expr::Binary(op, ty, ..) => {
                    if op.is_comparison() {
                        Type::Bool
                    } else {
                        *ty
                    }
                }
                Expr::Select(_, then, _) => {
                    id = *then;
                    continue;
                }
                Expr::Convert { to, .. } | Expr::Bits { to, .. } => *to,
            };
        }
    }
}

impl Body {
    /// Types of all expressions, by id, in linear time; [`Body::expr_type`] takes linear time for each. Expressions
    /// whose operands have ids out of range or out of order, which [`crate::validate`] reports, have type null here.
    pub fn expr_types(&self) -> Vec<Type> {
        let mut types: Vec<Type> = Vec::with_capacity(self.exprs.len());
        for expr in &self.exprs {
            types.push(match *expr {
                Expr::Local(local) => self.locals.get(local.index()).map_or(Type::Null, |local| local.ty),
                Expr::Const(ref constant) => constant.ty(),
                Expr::Unary(UnaryOp::Not, ..) => Type::Bool,
                Expr::Unary(_, ty, _) => ty,
                Expr::Binary(op, ty, ..) => {
                    if op.is_comparison() {
                        Type::Bool
                    } else {
                        ty
                    }
                }
                Expr::Select(_, then, _) => types.get(then.index()).copied().unwrap_or(Type::Null),
                Expr::Convert { to, .. } | Expr::Bits { to, .. } => to,
            });
        }
        types
    }
}

/// A basic block: operations in order, then one terminator.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The operations.
    pub ops: Vec<Op>,
    /// The terminator, which transfers control.
    pub terminator: Terminator,
    /// Handlers that cover the block, innermost first. The first handler whose class matches catches an exception
    /// that is thrown in the block. If none matches, the exception leaves the method.
    pub handlers: Vec<Handler>,
}

/// An exception handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// Catches instances of this class; `None` catches everything.
    pub class: Option<ClassId>,
    /// The first block of the handler.
    pub target: BlockId,
    /// The local that gets the exception object.
    pub exception: LocalId,
}

/// A point in a body: before operation `op` of a block, or before its terminator if `op` is the number of operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// The block.
    pub block: BlockId,
    /// Index of the operation.
    pub op: u32,
}
