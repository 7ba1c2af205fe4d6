//! The code of a method: a control-flow graph of blocks over typed locals.

use crate::program::{ClassId, FieldId, MethodId, Trap, Type, entity};
use crate::span::Span;
use num_bigint::BigInt;

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

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// A truth value.
    Bool(bool),
    /// An integer of an integer type, in the type's range.
    Int(BigInt, Type),
    /// A binary32, given by its bits.
    F32(u32),
    /// A binary64, given by its bits.
    F64(u64),
    /// The null reference.
    Null,
}

impl Const {
    /// The default of a type: 0, false or null.
    pub fn default_of(ty: Type) -> Self {
        match ty {
            Type::Bool => Const::Bool(false),
            Type::Int | Type::Machine { .. } => Const::Int(BigInt::ZERO, ty),
            Type::F32 => Const::F32(0),
            Type::F64 => Const::F64(0),
            Type::Class(_) | Type::Array(_) | Type::Null => Const::Null,
        }
    }

    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Const::Bool(_) => Type::Bool,
            Const::Int(_, ty) => *ty,
            Const::F32(_) => Type::F32,
            Const::F64(_) => Type::F64,
            Const::Null => Type::Null,
        }
    }
}

/// A pure expression: it reads locals and constants, and cannot trap. Integer division can, so that it is an
/// operation ([`OpKind::Divide`]).
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The value of a local.
    Local(LocalId),
    /// A constant.
    Const(Const),
    /// A unary operator; the type is that of the operand.
    Unary(UnaryOp, Type, ExprId),
    /// A binary operator; the type is that of both operands (for shifts: of the left one).
    Binary(BinaryOp, Type, ExprId, ExprId),
    /// `condition ? then : else`.
    Select(ExprId, ExprId, ExprId),
    /// Conversion between number types: integers wrap, extend or (from floats) saturate as in Java; integers to
    /// floats and floats to floats round to nearest, ties to even. Between reference types: the same reference. The
    /// front end guarantees that it has the other type (like a bytecode verifier); nothing is checked.
    Convert {
        /// Type of the operand.
        from: Type,
        /// Type of the result.
        to: Type,
        /// The operand.
        value: ExprId,
    },
    /// The same bits read as a value of another type: between `f32` and `i32`, or `f64` and `i64`. All NaNs become
    /// the canonical NaN of Java's `floatToIntBits` and `doubleToLongBits`.
    Bits {
        /// Type of the operand.
        from: Type,
        /// Type of the result.
        to: Type,
        /// The operand.
        value: ExprId,
    },
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Logical negation.
    Not,
    /// Arithmetic negation; wraps on machine integers.
    Neg,
    /// Bitwise complement of a machine integer.
    BitNot,
    /// Absolute value of a float: the sign bit cleared.
    Abs,
    /// Square root of a float, rounded to nearest.
    Sqrt,
    /// The greatest integral float that is not greater than the operand.
    Floor,
    /// The least integral float that is not less than the operand.
    Ceil,
    /// The nearest integral float, ties to even.
    Rint,
}

impl UnaryOp {
    /// The operator in IR text.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Abs => "abs",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::Floor => "floor",
            UnaryOp::Ceil => "ceil",
            UnaryOp::Rint => "rint",
        }
    }
}

/// Binary operators on operands of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Sum; wraps on machine integers.
    Add,
    /// Difference; wraps on machine integers.
    Sub,
    /// Product; wraps on machine integers.
    Mul,
    /// Quotient of floats.
    FloatDiv,
    /// Remainder of floats, with the sign of the dividend (Java's and C#'s `%`, C's `fmod`).
    FloatRem,
    /// Conjunction of truth values (both sides are evaluated: expressions are pure); bitwise on machine integers.
    And,
    /// Disjunction; bitwise on machine integers.
    Or,
    /// Exclusive or; bitwise on machine integers.
    Xor,
    /// Shift to the left; the distance is taken modulo the width.
    Shl,
    /// Arithmetic shift to the right.
    ShrSigned,
    /// Logical shift to the right.
    ShrUnsigned,
    /// Equality of values of any type: identity of references; IEEE equality of floats (`NaN != NaN`, `0.0 == -0.0`).
    Eq,
    /// Negation of `Eq`.
    Ne,
    /// Less than; false if an operand is NaN.
    Lt,
    /// Less than or equal; false if an operand is NaN.
    Le,
    /// Greater than; false if an operand is NaN.
    Gt,
    /// Greater than or equal; false if an operand is NaN.
    Ge,
}

impl BinaryOp {
    /// The operator in IR text.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            FloatDiv => "/",
            FloatRem => "%",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            ShrSigned => ">>",
            ShrUnsigned => ">>>",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
        }
    }

    /// Whether the result is a truth value for operands of any type.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
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

/// An operation with its place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// The kind of operation.
    pub kind: OpKind,
    /// Its place in the source.
    pub span: Span,
}

/// The kind of an operation. Operands are pure expressions, evaluated in the order of the fields before the effect.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// `dst = value`.
    Assign {
        /// The local for the result.
        dst: LocalId,
        /// The value.
        value: ExprId,
    },
    /// Integer division; traps on a zero divisor.
    Divide {
        /// The local for the result.
        dst: LocalId,
        /// Quotient or remainder.
        op: DivideOp,
        /// The dividend.
        dividend: ExprId,
        /// The divisor.
        divisor: ExprId,
    },
    /// Allocates an object whose fields have default values; no constructor runs.
    New {
        /// The local for the reference.
        dst: LocalId,
        /// The class of the object.
        class: ClassId,
    },
    /// Allocates an array of default values; traps on a negative length, and on a length above the limit of the
    /// program, if there is one.
    NewArray {
        /// The local for the reference.
        dst: LocalId,
        /// Type of the array's elements.
        element: Type,
        /// Number of elements.
        length: ExprId,
    },
    /// Reads an instance field; traps on null.
    GetField {
        /// The local for the value.
        dst: LocalId,
        /// The object.
        object: ExprId,
        /// The field.
        field: FieldId,
    },
    /// Writes an instance field; traps on null.
    PutField {
        /// The object.
        object: ExprId,
        /// The field.
        field: FieldId,
        /// The new value.
        value: ExprId,
    },
    /// Reads a static field.
    GetStatic {
        /// The local for the value.
        dst: LocalId,
        /// The field.
        field: FieldId,
    },
    /// Writes a static field.
    PutStatic {
        /// The field.
        field: FieldId,
        /// The new value.
        value: ExprId,
    },
    /// Reads an element; traps on null and on a bad index.
    ArrayGet {
        /// The local for the value.
        dst: LocalId,
        /// The array.
        array: ExprId,
        /// The index.
        index: ExprId,
    },
    /// Writes an element; traps on null, on a bad index and on a bad store.
    ArrayPut {
        /// The array.
        array: ExprId,
        /// The index.
        index: ExprId,
        /// The new value.
        value: ExprId,
    },
    /// Reads an array's length; traps on null.
    ArrayLength {
        /// The local for the length.
        dst: LocalId,
        /// The array.
        array: ExprId,
    },
    /// Tests whether an object is not null and an instance of a type.
    InstanceOf {
        /// The local for the truth value.
        dst: LocalId,
        /// The object.
        object: ExprId,
        /// The type.
        ty: Type,
    },
    /// Casts a reference to another type: null passes, and an object of another type traps.
    Cast {
        /// The local for the reference.
        dst: LocalId,
        /// The object.
        object: ExprId,
        /// The type.
        ty: Type,
    },
    /// Calls a method; a virtual or special call traps on a null receiver (argument 0).
    Call {
        /// The local for the result, if it is used.
        dst: Option<LocalId>,
        /// How the method to run is found.
        dispatch: Dispatch,
        /// The method that the source names.
        method: MethodId,
        /// The arguments, with the receiver first.
        args: Vec<ExprId>,
    },
    /// Calls a static method without arguments unless a static field is set: true, or not null. The method sets the
    /// field. So classes are initialized, and constants created, once and when they are first needed.
    Ensure {
        /// The static field.
        field: FieldId,
        /// The static method.
        method: MethodId,
    },
    /// Runs a primitive that has no code.
    Intrinsic {
        /// The local for the result, if there is one.
        dst: Option<LocalId>,
        /// The primitive.
        intrinsic: Intrinsic,
        /// Arguments.
        args: Vec<ExprId>,
    },
    /// Tests whether a condition holds for all elements of an array, or for one. `index` and `element` are bound in
    /// `body` only, which is pure. Traps on a null array. Afterwards, the bound locals have default values again.
    Quantify {
        /// The local for the truth value.
        dst: LocalId,
        /// For all elements or for one.
        quantifier: Quantifier,
        /// The array.
        array: ExprId,
        /// The local that is bound to the index, an integer.
        index: LocalId,
        /// The local that is bound to the element at the index.
        element: LocalId,
        /// The condition.
        body: ExprId,
    },
    /// Ends the execution without a violation if the condition is false.
    Assume {
        /// The condition.
        condition: ExprId,
    },
    /// Reports a violation if the condition is false.
    Assert {
        /// The condition.
        condition: ExprId,
        /// The kind of assertion.
        kind: AssertKind,
    },
    /// Does nothing, but whether executions can come here is not known, because the program's surroundings decide it.
    /// Proofs cover these executions, and a violation in one is a bound and no counterexample.
    Doubt {
        /// The executions that do not come here.
        without: String,
    },
}

/// The origin of an [`OpKind::Assert`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AssertKind {
    /// An assert statement.
    Assert,
    /// An assertion that execution passes even if it is false (C#'s `Debug.Assert`). A question about others leaves it out.
    Check,
    /// An assert statement of Java, which is only reached if its condition is false: the code behind it makes and throws the
    /// error. A question about others leaves it out, but not this code.
    Thrown,
    /// A precondition of this method. It is an obligation of callers: in the activation of the entry point it is an
    /// assumption.
    Requires,
    /// A postcondition of this method.
    Ensures,
    /// A postcondition of this method for executions that end in an exception.
    Exceptional,
    /// A question whether execution reaches this point: the condition is false.
    Reached,
    /// A question whether a reference is null where the next operation uses its object: the condition is that it is not.
    NotNull,
}

impl AssertKind {
    /// Whether execution goes on if the assertion is false, where nobody asks about it.
    pub fn is_passed(self) -> bool {
        matches!(self, AssertKind::Check | AssertKind::Thrown)
    }

    /// Whether it stands for a question about a line, so that sources do not have it.
    pub fn is_question(self) -> bool {
        matches!(self, AssertKind::Reached | AssertKind::NotNull)
    }

    /// What answers call it.
    pub fn name(self) -> &'static str {
        match self {
            AssertKind::Check => "assertion",
            AssertKind::Thrown => AssertKind::Assert.keyword(),
            _ => self.keyword(),
        }
    }

    /// The keyword of the text form.
    pub fn keyword(self) -> &'static str {
        match self {
            AssertKind::Assert => "assert",
            AssertKind::Check => "check",
            AssertKind::Thrown => "thrown",
            AssertKind::Requires => "requires",
            AssertKind::Ensures => "ensures",
            AssertKind::Exceptional => "exceptional",
            AssertKind::Reached => "reached",
            AssertKind::NotNull => "notnull",
        }
    }
}

/// Quotient or remainder. Division rounds toward zero, and the remainder has the sign of the dividend, as in Java and
/// C#.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DivideOp {
    /// Quotient; `MIN / -1` wraps on machine integers.
    Div,
    /// Remainder.
    Rem,
}

/// Universal or existential quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// True for an empty array.
    ForAll,
    /// False for an empty array.
    Exists,
}

/// How a call finds the method to run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dispatch {
    /// The named method itself, without a receiver.
    Static,
    /// The named method itself, on a receiver (constructors, `super` calls).
    Special,
    /// The overrider of the named method in the receiver's class.
    Virtual,
}

/// Primitives without code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Any value of the type: an input of the program.
    Nondet(Type),
    /// A new array with the length of the argument (not negative) and any elements of the type. Each element that is
    /// read is an input of the program.
    NondetArray(Type),
    /// Whether two arrays of integers of one type have the same elements; traps on null.
    Alike,
    /// Whether the executing engine knows the argument (`bool`), so that a branch on it has one successor. The
    /// program must behave in the same way for both answers. It asks because sometimes a branch is cheap and a choice
    /// between values is not, and sometimes vice versa.
    Known,
    /// Prints the UTF-16 code unit in the argument (`u16`) to standard output; no result.
    Print,
}

impl Intrinsic {
    /// Number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Intrinsic::Nondet(_) => 0,
            Intrinsic::NondetArray(_) | Intrinsic::Known | Intrinsic::Print => 1,
            Intrinsic::Alike => 2,
        }
    }
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminator {
    /// Where control goes.
    pub kind: TerminatorKind,
    /// Its place in the source.
    pub span: Span,
}

/// Where control goes.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminatorKind {
    /// To a block.
    Goto(BlockId),
    /// To one of two blocks.
    Branch {
        /// The condition.
        condition: ExprId,
        /// The successor if the condition is true.
        then_block: BlockId,
        /// The successor if the condition is false.
        else_block: BlockId,
    },
    /// To the block of the case that equals an integer, or else to the default.
    Switch {
        /// The integer.
        value: ExprId,
        /// Distinct constants with their blocks.
        cases: Vec<(BigInt, BlockId)>,
        /// The successor if no case matches.
        default: BlockId,
    },
    /// Back to the caller.
    Return(Option<ExprId>),
    /// To the handler of an exception object; traps on null.
    Throw(ExprId),
    /// Nowhere: execution never gets here.
    Unreachable,
    /// To an unsupported construct. An execution that gets here makes the verdict unknown.
    Unsupported {
        /// What is not supported.
        construct: String,
        /// A block that stands for code that is left out because the construct comes before it. The block is never
        /// executed. It has the places of this code in the source, its calls with any arguments, and false
        /// assertions in place of its assertions. So it is found where the code itself would be looked for.
        lost: Option<BlockId>,
    },
    /// Beyond a bound, which the text names. A verdict holds within this bound only.
    Bound(String),
}

impl TerminatorKind {
    /// An unsupported construct before which all code is translated.
    pub fn unsupported(construct: impl Into<String>) -> Self {
        TerminatorKind::Unsupported { construct: construct.into(), lost: None }
    }

    /// The expression that the terminator evaluates.
    pub fn operand(&self) -> Option<ExprId> {
        match *self {
            TerminatorKind::Branch { condition: value, .. }
            | TerminatorKind::Switch { value, .. }
            | TerminatorKind::Throw(value) => Some(value),
            TerminatorKind::Return(value) => value,
            TerminatorKind::Goto(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported { .. }
            | TerminatorKind::Bound(_) => None,
        }
    }

    /// Whether the continuation of an execution that gets here is unknown, so that anything may follow.
    pub fn is_gap(&self) -> bool {
        match self {
            TerminatorKind::Unreachable | TerminatorKind::Unsupported { .. } | TerminatorKind::Bound(_) => true,
            TerminatorKind::Goto(_)
            | TerminatorKind::Branch { .. }
            | TerminatorKind::Switch { .. }
            | TerminatorKind::Return(_)
            | TerminatorKind::Throw(_) => false,
        }
    }

    /// Blocks that control may go to without an exception.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            TerminatorKind::Goto(target) => vec![*target],
            TerminatorKind::Branch { then_block, else_block, .. } => vec![*then_block, *else_block],
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter().map(|(_, block)| *block).chain([*default]).collect()
            }
            TerminatorKind::Unsupported { lost, .. } => lost.iter().copied().collect(),
            TerminatorKind::Return(_)
            | TerminatorKind::Throw(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Bound(_) => vec![],
        }
    }
}

impl Expr {
    /// The expressions that this one uses directly, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let uses = match *self {
            Expr::Local(_) | Expr::Const(_) => [None; 3],
            Expr::Unary(_, _, a) | Expr::Convert { value: a, .. } | Expr::Bits { value: a, .. } => {
                [Some(a), None, None]
            }
            Expr::Binary(_, _, a, b) => [Some(a), Some(b), None],
            Expr::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        uses.into_iter().flatten()
    }
}

impl OpKind {
    /// The expressions that the operation evaluates, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        use OpKind::*;
        match *self {
            Assign { value, .. } | PutStatic { value, .. } => vec![value],
            Divide { dividend, divisor, .. } => vec![dividend, divisor],
            New { .. } | GetStatic { .. } | Ensure { .. } | Doubt { .. } => vec![],
            NewArray { length, .. } => vec![length],
            GetField { object, .. } | InstanceOf { object, .. } | Cast { object, .. } => vec![object],
            PutField { object, value, .. } => vec![object, value],
            ArrayGet { array, index, .. } => vec![array, index],
            ArrayPut { array, index, value } => vec![array, index, value],
            ArrayLength { array, .. } => vec![array],
            Call { ref args, .. } | Intrinsic { ref args, .. } => args.clone(),
            Quantify { array, body, .. } => vec![array, body],
            Assume { condition } | Assert { condition, .. } => vec![condition],
        }
    }

    /// The object through which the operation reads, writes or calls. It must not be null.
    pub fn dereferenced(&self) -> Option<ExprId> {
        match *self {
            OpKind::GetField { object, .. } | OpKind::PutField { object, .. } => Some(object),
            OpKind::ArrayGet { array, .. } | OpKind::ArrayPut { array, .. } | OpKind::ArrayLength { array, .. } => {
                Some(array)
            }
            OpKind::Call { dispatch: Dispatch::Virtual | Dispatch::Special, ref args, .. } => args.first().copied(),
            _ => None,
        }
    }

    /// Whether the operation may throw an exception: by its own trap or from a callee.
    pub fn may_throw(&self) -> bool {
        !self.traps().is_empty() || matches!(self, OpKind::Call { .. } | OpKind::Ensure { .. })
    }

    /// Sets the local for the result of an operation. This can also give a call a result.
    pub fn set_dst(&mut self, to: LocalId) {
        use OpKind::*;
        match self {
            Assign { dst, .. }
            | Divide { dst, .. }
            | New { dst, .. }
            | NewArray { dst, .. }
            | GetField { dst, .. }
            | GetStatic { dst, .. }
            | ArrayGet { dst, .. }
            | ArrayLength { dst, .. }
            | InstanceOf { dst, .. }
            | Cast { dst, .. }
            | Quantify { dst, .. } => *dst = to,
            Call { dst, .. } | Intrinsic { dst, .. } => *dst = Some(to),
            PutField { .. }
            | PutStatic { .. }
            | ArrayPut { .. }
            | Ensure { .. }
            | Assume { .. }
            | Assert { .. }
            | Doubt { .. } => {}
        }
    }

    /// The local that gets the result of the operation.
    pub fn dst(&self) -> Option<LocalId> {
        use OpKind::*;
        match *self {
            Assign { dst, .. }
            | Divide { dst, .. }
            | New { dst, .. }
            | NewArray { dst, .. }
            | GetField { dst, .. }
            | GetStatic { dst, .. }
            | ArrayGet { dst, .. }
            | ArrayLength { dst, .. }
            | InstanceOf { dst, .. }
            | Cast { dst, .. }
            | Quantify { dst, .. } => Some(dst),
            Call { dst, .. } | Intrinsic { dst, .. } => dst,
            PutField { .. }
            | PutStatic { .. }
            | ArrayPut { .. }
            | Ensure { .. }
            | Assume { .. }
            | Assert { .. }
            | Doubt { .. } => None,
        }
    }

    /// The traps of the operation itself.
    pub fn traps(&self) -> &'static [Trap] {
        use OpKind::*;
        match self {
            Divide { .. } => &[Trap::DivisionByZero],
            NewArray { .. } => &[Trap::NegativeArraySize],
            GetField { .. } | PutField { .. } | ArrayLength { .. } | Quantify { .. } => &[Trap::NullDereference],
            ArrayGet { .. } => &[Trap::NullDereference, Trap::IndexOutOfBounds],
            ArrayPut { .. } => &[Trap::NullDereference, Trap::IndexOutOfBounds, Trap::BadArrayStore],
            Cast { .. } => &[Trap::BadCast],
            Call { dispatch: Dispatch::Virtual | Dispatch::Special, .. } => &[Trap::NullDereference],
            Call { dispatch: Dispatch::Static, .. }
            | Assign { .. }
            | New { .. }
            | GetStatic { .. }
            | PutStatic { .. }
            | InstanceOf { .. }
            | Ensure { .. }
            | Intrinsic { .. }
            | Assume { .. }
            | Assert { .. }
            | Doubt { .. } => &[],
        }
    }
}

/// A point in a body: before operation `op` of a block, or before its terminator if `op` is the number of operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// The block.
    pub block: BlockId,
    /// Index of the operation.
    pub op: u32,
}
