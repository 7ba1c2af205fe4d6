//! Operations: what a block does before its terminator.

use super::{ExprId, LocalId};
use crate::program::{ClassId, FieldId, MethodId, Trap, Type};
use crate::span::Span;

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
