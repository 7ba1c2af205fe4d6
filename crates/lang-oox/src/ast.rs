//! Defines the syntax tree, which borrows names from the source text.
//!
//! Left-associative chains and `else if` ladders are lists, so that no tree is deeper than
//! [`crate::parser::MAX_NESTING`] and recursion over it is safe.

use crate::lexer::Loc;
use aback_ir::{AssertKind, FileId, MethodKind, Quantifier};

/// A name with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    /// The name.
    pub text: &'a str,
    /// Its place.
    pub loc: Loc,
}

/// A type as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeRef<'a> {
    /// The innermost element type.
    pub base: BaseType<'a>,
    /// The number of `[]` after it.
    pub dimensions: u8,
    /// Its place.
    pub loc: Loc,
}

impl TypeRef<'_> {
    /// Whether this is a number type. A cast to it is a conversion that cannot fail.
    pub fn is_number(&self) -> bool {
        self.dimensions == 0 && matches!(self.base, BaseType::Int | BaseType::Char)
    }
}

/// A type that is not an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BaseType<'a> {
    Int,
    Bool,
    Char,
    String,
    Void,
    Class(&'a str),
}

/// A class.
#[derive(Debug)]
pub(crate) struct Class<'a> {
    pub file: FileId,
    pub name: Name<'a>,
    pub superclass: Option<Name<'a>>,
    pub fields: Vec<(TypeRef<'a>, Name<'a>)>,
    pub methods: Vec<Method<'a>>,
}

/// A method or constructor.
#[derive(Debug)]
pub(crate) struct Method<'a> {
    pub kind: MethodKind,
    /// Missing for constructors.
    pub result: Option<TypeRef<'a>>,
    pub name: Name<'a>,
    pub params: Vec<(TypeRef<'a>, Name<'a>)>,
    pub specs: Vec<Spec<'a>>,
    pub body: Vec<Stmt<'a>>,
    /// The closing brace.
    pub end: Loc,
}

/// `requires(e)`, `ensures(e)` or `exceptional(e)`.
#[derive(Debug)]
pub(crate) struct Spec<'a> {
    pub kind: AssertKind,
    pub condition: Expr<'a>,
    pub loc: Loc,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt<'a> {
    pub kind: StmtKind<'a>,
    pub loc: Loc,
    /// The end of the statement: the closing brace of a block, else the whole statement.
    pub end: Loc,
}

/// The kind of a statement.
#[derive(Debug)]
pub(crate) enum StmtKind<'a> {
    Empty,
    Block(Vec<Stmt<'a>>),
    Declare {
        ty: TypeRef<'a>,
        name: Name<'a>,
        value: Option<Expr<'a>>,
    },
    Assign {
        target: Expr<'a>,
        value: Expr<'a>,
    },
    /// An expression that is evaluated for its effect.
    Effect(Expr<'a>),
    If {
        arms: Vec<(Expr<'a>, Stmt<'a>)>,
        otherwise: Option<Box<Stmt<'a>>>,
    },
    While {
        condition: Expr<'a>,
        body: Box<Stmt<'a>>,
    },
    Break,
    Continue,
    Return(Option<Expr<'a>>),
    Assert(Expr<'a>),
    Assume(Expr<'a>),
    Throw(Expr<'a>),
    Try {
        body: Box<Stmt<'a>>,
        catches: Vec<Catch<'a>>,
    },
    /// `super(args);`
    Super(Vec<Expr<'a>>),
}

/// A `catch` clause.
#[derive(Debug)]
pub(crate) struct Catch<'a> {
    pub class: Option<TypeRef<'a>>,
    pub name: Option<Name<'a>>,
    pub body: Stmt<'a>,
    pub loc: Loc,
}

/// Operators of left-associative chains, including `&&` and `||`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChainOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl ChainOp {
    /// The symbol in source text.
    pub fn symbol(self) -> &'static str {
        match self {
            ChainOp::Or => "||",
            ChainOp::And => "&&",
            ChainOp::Eq => "==",
            ChainOp::Ne => "!=",
            ChainOp::Lt => "<",
            ChainOp::Le => "<=",
            ChainOp::Gt => ">",
            ChainOp::Ge => ">=",
            ChainOp::Add => "+",
            ChainOp::Sub => "-",
            ChainOp::Mul => "*",
            ChainOp::Div => "/",
            ChainOp::Rem => "%",
        }
    }
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub loc: Loc,
    /// Whether it contains no heap read, allocation, call, division or quantifier, so that it becomes an expression of
    /// the program model.
    pub pure: bool,
    /// Height of the tree, in levels.
    pub height: u32,
    /// Upper bound on the depth of its expression in the program model, in levels, if it is pure.
    pub depth: u32,
}

/// The kind of an expression.
#[derive(Debug)]
pub(crate) enum ExprKind<'a> {
    Int(&'a str),
    Bool(bool),
    Null,
    Char(u16),
    Str(Vec<u16>),
    Name(&'a str),
    This,
    /// `first op operand op operand …`, all of one precedence, grouped from the left.
    Chain(Box<Expr<'a>>, Vec<(ChainOp, Expr<'a>)>),
    Implies(Box<Expr<'a>>, Box<Expr<'a>>),
    Select(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
    Not(Box<Expr<'a>>),
    Neg(Box<Expr<'a>>),
    Length(Box<Expr<'a>>),
    Field(Box<Expr<'a>>, Name<'a>),
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    Call(Receiver<'a>, Name<'a>, Vec<Expr<'a>>),
    New(Name<'a>, Vec<Expr<'a>>),
    NewArray(TypeRef<'a>, Box<Expr<'a>>),
    InstanceOf(Box<Expr<'a>>, TypeRef<'a>),
    Cast(TypeRef<'a>, Box<Expr<'a>>),
    Quantified(Box<Quantified<'a>>),
}

/// The part of a call before the dot.
#[derive(Debug)]
pub(crate) enum Receiver<'a> {
    /// No receiver: the method is one of this class.
    None,
    Super,
    /// An object or, if it is a name, perhaps a class.
    Some(Box<Expr<'a>>),
}

/// `forall array, index, element : body`
#[derive(Debug)]
pub(crate) struct Quantified<'a> {
    pub quantifier: Quantifier,
    pub array: Expr<'a>,
    pub index: Name<'a>,
    pub element: Name<'a>,
    pub body: Expr<'a>,
}

impl<'a> Expr<'a> {
    /// Makes an expression and computes its purity, height and depth.
    pub fn new(kind: ExprKind<'a>, loc: Loc) -> Self {
        use ExprKind::*;
        // A leaf counts twice, because an operand may need a conversion.
        const LEAF: u32 = 2;
        let below = |added: u32, children: &[&Expr<'a>]| {
            let pure = children.iter().all(|c| c.pure);
            let height = children.iter().map(|c| c.height).max().unwrap_or(0) + 1;
            let depth = children.iter().map(|c| c.depth).max().unwrap_or(LEAF).saturating_add(added);
            (pure, height, depth)
        };
        let impure = |children: &[&Expr<'a>]| (false, below(0, children).1, LEAF);
        let among = |extra: Option<&Expr<'a>>, list: &[Expr<'a>]| {
            (false, extra.into_iter().chain(list).map(|c| c.height).max().unwrap_or(0) + 1, LEAF)
        };
        let (pure, height, depth) = match &kind {
            Int(_) | Bool(_) | Null | Char(_) | Name(_) | This => (true, 1, LEAF),
            Str(_) => (false, 1, LEAF),
            Chain(first, _) => below(0, &[first]),
            Implies(a, b) => below(2, &[a, b]),
            Select(c, a, b) => below(2, &[c, a, b]),
            Not(a) | Neg(a) => below(1, &[a]),
            Cast(ty, a) if ty.is_number() => below(2, &[a]),
            Length(a) | Field(a, _) | InstanceOf(a, _) | Cast(_, a) | NewArray(_, a) => impure(&[a]),
            Index(a, b) => impure(&[a, b]),
            New(_, args) | Call(Receiver::None | Receiver::Super, _, args) => among(None, args),
            Call(Receiver::Some(receiver), _, args) => among(Some(receiver), args),
            Quantified(q) => impure(&[&q.array, &q.body]),
        };
        Expr { kind, loc, pure, height, depth }
    }

    /// Adds an operand to a chain.
    pub fn push(&mut self, op: ChainOp, operand: Expr<'a>) {
        self.loc = self.loc.to(operand.loc);
        self.pure &= operand.pure && !matches!(op, ChainOp::Div | ChainOp::Rem);
        self.height = self.height.max(operand.height + 1);
        self.depth = self.depth.max(operand.depth).saturating_add(1);
        if let ExprKind::Chain(_, rest) = &mut self.kind {
            rest.push((op, operand));
        }
    }
}
