//! Defines the lowered form: steps and the pure values in them.

use aback_ir::{AssertKind, ClassId, DivideOp, ExprId, FieldId, LocalId, MethodId, Quantifier, Trap, Type};

/// A primitive step. The steps of an operation are executed in order. If the execution leaves one of them, the
/// operation ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// `dst := value`.
    Set {
        /// The local.
        dst: LocalId,
        /// Its new value.
        value: Pure,
    },
    /// If `bad` is true, control follows the exception of a trap; otherwise it continues.
    Guard {
        /// The condition.
        bad: Pure,
        /// The trap.
        trap: Trap,
        /// The arguments of the method that throws the trap's exception ([`aback_ir::Program::trap_thrower`]).
        operands: Vec<Pure>,
    },
    /// `dst := cell`.
    Read {
        /// The local.
        dst: LocalId,
        /// The cell.
        cell: Cell,
    },
    /// `cell := value`.
    Write {
        /// The cell.
        cell: Cell,
        /// Its new value.
        value: ExprId,
    },
    /// Stores a reference to a new object in a local.
    Allocate {
        /// The local.
        dst: LocalId,
        /// The new object.
        object: Allocation,
    },
    /// Runs a method. Its exceptions are handled like those of the operation.
    Call {
        /// The local for the result, if it is used.
        dst: Option<LocalId>,
        /// The method.
        target: Target,
        /// The arguments, with the receiver first.
        args: Vec<ExprId>,
    },
    /// Stores any value of a type, as an input, in a local.
    Input {
        /// The local.
        dst: LocalId,
        /// The type.
        ty: Type,
    },
    /// Stores in a local whether the executing engine knows a truth value ([`aback_ir::Intrinsic::Known`]).
    Known {
        /// The local.
        dst: LocalId,
        /// The truth value.
        condition: ExprId,
    },
    /// Stores in a local whether two non-null arrays have the same elements.
    Alike {
        /// The local.
        dst: LocalId,
        /// The arrays, which have the same type.
        arrays: [ExprId; 2],
    },
    /// Stores in a local whether a condition holds for all elements, or for one element, of a non-null array.
    /// Afterwards the bound locals have default values again.
    Quantify {
        /// The local.
        dst: LocalId,
        /// The quantifier.
        quantified: Quantified,
    },
    /// If the condition is false, the execution ends without a violation.
    Assume {
        /// The condition.
        condition: ExprId,
    },
    /// If the condition is false, the execution ends in a violation, if the query asks for it.
    Assert {
        /// The condition.
        condition: ExprId,
        /// The kind of assertion.
        kind: AssertKind,
    },
    /// The execution ends, because the construct is not supported.
    Unsupported(String),
}

/// The bound locals and the condition of a quantifier.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quantified {
    /// For all elements or for one.
    pub quantifier: Quantifier,
    /// The array.
    pub array: ExprId,
    /// The local that is bound to the index.
    pub index: LocalId,
    /// The local that is bound to the element.
    pub element: LocalId,
    /// The condition on them.
    pub condition: ExprId,
}

/// A cell that is read or written. Its object is not null, and its index is within bounds.
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
        /// The static element type of the array.
        element: Type,
    },
}

/// The object that an allocation creates.
#[derive(Clone, PartialEq, Debug)]
pub enum Allocation {
    /// An object of a class, with default values in its fields.
    Object(ClassId),
    /// An array.
    Array {
        /// Type of the elements.
        element: Type,
        /// The number of elements.
        length: Pure,
        /// Whether the elements are any values, as inputs. Otherwise they are default values.
        is_input: bool,
    },
}

/// The method that a call runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// This method.
    Known(MethodId),
    /// The overrider of a method in the class of the receiver, which is not null: a branch over the existing classes.
    Virtual(MethodId),
    /// This method, unless a static field is true or not null.
    Unless(FieldId, MethodId),
}

/// A value that an operation computes without an effect and without a trap. It is a tree over expressions of the
/// body.
#[derive(Clone, PartialEq, Debug)]
pub enum Pure {
    /// An expression of the body.
    Expr(ExprId),
    /// A constant index.
    Index(i64),
    /// An integer converted to the type of indices ([`aback_ir::Program::index_type`]), which must not be narrower.
    ToIndex(ExprId),
    /// An index converted to an integer type, which must not be narrower.
    FromIndex(Box<Pure>, Type),
    /// The length of a non-null array, as an index.
    Length(ExprId),
    /// Whether a reference is null.
    IsNull(ExprId),
    /// Whether an integer is zero.
    IsZero(ExprId),
    /// Whether a non-null object is an instance of a type.
    IsA(ExprId, Type),
    /// Whether a non-null array can hold a non-null object: the object is an instance of the array's exact element
    /// type.
    CanHold {
        /// The array.
        array: ExprId,
        /// The object.
        object: ExprId,
    },
    /// The quotient or the remainder of two integers; the divisor is not zero.
    Quotient {
        /// The operation.
        op: DivideOp,
        /// The dividend.
        dividend: ExprId,
        /// The divisor.
        divisor: ExprId,
    },
    /// Whether the first index is less than the second.
    Less(Box<Pure>, Box<Pure>),
    /// Negation.
    Not(Box<Pure>),
    /// Conjunction; if the first operand is false, the second may be undefined.
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
