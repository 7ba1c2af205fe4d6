//! Terminators: where control goes at the end of a block.

use super::{BlockId, ExprId};
use crate::span::Span;
use num_bigint::BigInt;

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
