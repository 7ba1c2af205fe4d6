//! The lowered form: steps and the pure values in them.

use aback_ir::{AssertKind, ClassId, DivideOp, ExprId, FieldId, LocalId, MethodId, Quantifier, Trap, Type};

/// A primitive step. The steps of an operation are taken in order; where one ends, so does the operation.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// `dst := value`.
    Set {
        /// The local.
        dst: LocalId,
        /// Its new value.
        value: Pure,
    },
    /// Where `bad` is true, control goes to where the exception of a trap leads; else on.
    Guard {
        /// The condition.
        bad: Pure,
        /// What is wrong where it is true.
        trap: Trap,
        /// What the method that throws the trap's exception takes ([`aback_ir::Program::trap_thrower`]).
        operands: Vec<Pure>,
    },
    /// `dst := cell`.
    Read {
        /// The local.
        dst: LocalId,
        /// What is read.
        cell: Cell,
    },
    /// `cell := value`.
    Write {
        /// What is written.
        cell: Cell,
        /// Its new value.
        value: ExprId,
    },
    /// A reference to a new object into a local.
    Allocate {
        /// The local.
        dst: LocalId,
        /// What is made.
        object: Allocation,
    },
    /// Runs a method; its exceptions go to where those of the operation lead.
    Call {
        /// Where the result goes, if it is wanted.
        dst: Option<LocalId>,
        /// What is called.
        target: Target,
        /// Arguments, the receiver first.
        args: Vec<ExprId>,
    },
    /// Any value of a type, as an input, into a local.
    Input {
        /// The local.
        dst: LocalId,
        /// The type.
        ty: Type,
    },
    /// Whether who executes the program knows a truth value ([`aback_ir::Intrinsic::Known`]), into a local.
    Known {
        /// The local.
        dst: LocalId,
        /// The truth value.
        condition: ExprId,
    },
    /// Whether two arrays, not null, have the same elements, into a local.
    Alike {
        /// The local.
        dst: LocalId,
        /// The arrays, of one type.
        arrays: [ExprId; 2],
    },
    /// Whether a condition holds for all, or for one, of the elements of an array, not null, into a local. Then the bound locals
    /// are default again.
    Quantify {
        /// The local.
        dst: LocalId,
        /// The rest.
        quantified: Quantified,
    },
    /// Where the condition is false, the execution ends without a violation.
    Assume {
        /// The condition.
        condition: ExprId,
    },
    /// Where the condition is false, the execution ends in a violation, if a question asks for it.
    Assert {
        /// The condition.
        condition: ExprId,
        /// Who demands it.
        kind: AssertKind,
    },
    /// The execution ends in something that has no meaning here.
    Unsupported(String),
}

/// What an operation that quantifies binds and says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quantified {
    /// For all or for one.
    pub quantifier: Quantifier,
    /// The array.
    pub array: ExprId,
    /// Bound to the index.
    pub index: LocalId,
    /// Bound to the element.
    pub element: LocalId,
    /// What is said of them.
    pub condition: ExprId,
}

/// A cell that is read or written. Its object is not null, and its index within bounds.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// A field of an object.
    Field(ExprId, FieldId),
    /// A static field.
    Static(FieldId),
    /// An element of an array.
    Element {
        /// The array.
        array: ExprId,
        /// The index.
        index: Pure,
        /// Type of the array's elements, as the array's type says.
        element: Type,
    },
}

/// What is made.
#[derive(Clone, PartialEq, Debug)]
pub enum Allocation {
    /// An object of a class, with defaults in its fields.
    Object(ClassId),
    /// An array.
    Array {
        /// Type of the elements.
        element: Type,
        /// How many.
        length: Pure,
        /// Whether the elements are any values, as inputs; else they are defaults.
        is_input: bool,
    },
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A method.
    Known(MethodId),
    /// What overrides a method in the class of the receiver, which is not null: a branch over the classes that there are.
    Virtual(MethodId),
    /// A method, unless a static field is true or not null.
    Unless(FieldId, MethodId),
}

/// A value that an operation computes without effect and without trap. It is a tree over expressions of the body.
#[derive(Clone, PartialEq, Debug)]
pub enum Pure {
    /// An expression of the body.
    Expr(ExprId),
    /// A constant index.
    Index(i64),
    /// An integer as one of the type of indices ([`aback_ir::Program::index_type`]); it must not be too narrow.
    ToIndex(ExprId),
    /// An index as an integer of a type; it must not be too narrow.
    FromIndex(Box<Pure>, Type),
    /// The length of an array that is not null: an index.
    Length(ExprId),
    /// Whether a reference is null.
    IsNull(ExprId),
    /// Whether an integer is zero.
    IsZero(ExprId),
    /// Whether the object of a reference, not null, is of a type.
    IsA(ExprId, Type),
    /// Whether an array, not null, can hold an object, not null: that is of the type of the elements with which the array was made.
    CanHold {
        /// The array.
        array: ExprId,
        /// The object.
        object: ExprId,
    },
    /// A quotient or a remainder of integers; the divisor is not zero.
    Quotient {
        /// Which one.
        op: DivideOp,
        /// The dividend.
        dividend: ExprId,
        /// The divisor.
        divisor: ExprId,
    },
    /// The order of two indices.
    Less(Box<Pure>, Box<Pure>),
    /// Negation.
    Not(Box<Pure>),
    /// Conjunction: where the first is false, the second may have no meaning.
    And(Box<Pure>, Box<Pure>),
    /// Disjunction.
    Or(Box<Pure>, Box<Pure>),
}

impl Pure {
    pub(crate) fn less(a: Pure, b: Pure) -> Pure {
        Pure::Less(Box::new(a), Box::new(b))
    }

    pub(crate) fn and(a: Pure, b: Pure) -> Pure {
        Pure::And(Box::new(a), Box::new(b))
    }

    pub(crate) fn or(a: Pure, b: Pure) -> Pure {
        Pure::Or(Box::new(a), Box::new(b))
    }

    /// Its negation.
    pub(crate) fn negated(self) -> Pure {
        Pure::Not(Box::new(self))
    }
}
