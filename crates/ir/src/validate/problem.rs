//! Defines the problems of programs and their places.

use crate::body::BlockId;
use crate::program::{ClassId, MethodId, Trap};
use num_bigint::BigInt;
use std::fmt;
use thiserror::Error;

/// A problem of a program, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {kind}")]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub kind: ProblemKind,
}

/// A place in a program, as precise as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The class, or `class.method`, by name; empty for the program as a whole.
    pub name: String,
    /// The class.
    pub class: Option<ClassId>,
    /// The method.
    pub method: Option<MethodId>,
    /// The block.
    pub block: Option<BlockId>,
    /// The operation, or the terminator if this is the number of operations.
    pub op: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.name.is_empty() { "program" } else { &self.name })?;
        if let Some(block) = self.block {
            write!(f, ", b{}", block.0)?;
        }
        if let Some(op) = self.op {
            write!(f, ", operation {op}")?;
        }
        Ok(())
    }
}

/// The kind of a problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// An id that is not in its table.
    #[error("there is no {what} {index}")]
    NoSuch {
        /// Kind of the entity.
        what: &'static str,
        /// The id.
        index: u32,
    },
    /// Two entities that cannot be distinguished.
    #[error("there are two {what} `{name}`")]
    Duplicate {
        /// Kind of the entities, in the plural.
        what: &'static str,
        /// Their name.
        name: String,
    },
    /// A member whose own class is another one.
    #[error("lists a {what} of another class")]
    ForeignMember {
        /// Kind of the member.
        what: &'static str,
    },
    /// A class that is its own ancestor.
    #[error("the class is its own ancestor")]
    CyclicHierarchy,
    /// A superclass that is an interface, or an interface that is a class.
    #[error("`{name}` cannot be its {role}")]
    BadParent {
        /// The parent.
        name: String,
        /// The role of the parent.
        role: &'static str,
    },
    /// An array type whose element type is itself or a later array type.
    #[error("array type {0} has elements that are declared after it")]
    CyclicArrayType(u32),
    /// A machine integer of a width that does not exist.
    #[error("machine integers have 8, 16, 32 or 64 bits, not {0}")]
    MachineWidth(u8),
    /// An operation can trap, but the trap has no exception class.
    #[error("no class is set for the trap `{}`", .0.describe())]
    NoTrapClass(Trap),
    /// A method whose body has no block.
    #[error("the body has no entry block")]
    NoEntry,
    /// Fewer locals than parameters.
    #[error("the body has {found} locals for {expected} parameters")]
    MissingParameters {
        /// Number of parameters.
        expected: usize,
        /// Number of locals.
        found: usize,
    },
    /// An instance method or constructor without a receiver.
    #[error("the method has no receiver parameter")]
    NoReceiver,
    /// An expression that uses itself or a later one.
    #[error("expression {expr} uses expression {used}, which does not come before it")]
    UseBeforeDefinition {
        /// The expression that uses the other one.
        expr: u32,
        /// The expression that is used.
        used: u32,
    },
    /// A value of the wrong type.
    #[error("{what} is of type {found}, not {expected}")]
    WrongType {
        /// Role of the value.
        what: &'static str,
        /// The expected type.
        expected: String,
        /// The actual type.
        found: String,
    },
    /// An operator on a type that it does not support.
    #[error("`{operator}` is not for values of type {ty}")]
    NoSuchOperator {
        /// The operator.
        operator: &'static str,
        /// The type.
        ty: String,
    },
    /// A constant out of the range of its type.
    #[error("{value} is not a value of type {ty}")]
    ConstantRange {
        /// The constant.
        value: BigInt,
        /// The type.
        ty: String,
    },
    /// A call with too few or too many arguments.
    #[error("`{method}` takes {expected} arguments, not {found}")]
    ArgumentCount {
        /// The callee.
        method: String,
        /// Number of its parameters.
        expected: usize,
        /// Number of arguments.
        found: usize,
    },
    /// A call whose dispatch does not fit the callee's kind.
    #[error("`{method}`, which is a {kind}, cannot be called with {dispatch} dispatch")]
    BadDispatch {
        /// The callee.
        method: String,
        /// Its kind.
        kind: &'static str,
        /// The dispatch.
        dispatch: &'static str,
    },
    /// A use of a void method's result, or a void method that returns a value.
    #[error("`{0}` has no result")]
    NoResult(String),
    /// A method with a result type returns without a value.
    #[error("the method has to return a value of type {0}")]
    MissingResult(String),
    /// An allocation of a class that cannot have objects.
    #[error("`{0}` has no objects of its own")]
    Abstract(String),
    /// An instance access to a static field, or the other way round.
    #[error("the field `{name}` is {}", if *.is_static { "static" } else { "not static" })]
    FieldKind {
        /// The field.
        name: String,
        /// Whether it is static.
        is_static: bool,
    },
    /// Two cases for the same value.
    #[error("two cases for {0}")]
    DuplicateCase(BigInt),
    /// A quantifier that binds one local twice.
    #[error("the index and the element of a quantifier are the same local")]
    OneBinder,
    /// An array type that is used without having been interned by `Program::array_of`.
    #[error("the program has no type of arrays of {0}")]
    NoArrayType(String),
}
