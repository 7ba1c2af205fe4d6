//! The lowered form of a body.

use crate::Step;
use crate::operations::Lowering;
use aback_ir::{Body, Point, Program};

/// The steps of a body.
#[derive(Clone, Debug)]
pub struct LoweredBody {
    steps: Vec<Step>,
    /// Where the steps of each operation or terminator begin, block by block; the last entry is the end of the last
    /// steps.
    starts: Vec<u32>,
    /// By block: index of its first entry in `starts`.
    blocks: Vec<u32>,
}

impl LoweredBody {
    /// Lowers a body.
    pub fn new(program: &Program, body: &Body) -> Self {
        let mut lowering = Lowering::new(program, body);
        let (mut starts, mut blocks) = (Vec::new(), Vec::new());
        for block in &body.blocks {
            blocks.push(starts.len() as u32);
            for op in &block.ops {
                starts.push(lowering.steps.len() as u32);
                lowering.operation(&op.kind);
            }
            starts.push(lowering.steps.len() as u32);
            lowering.terminator(&block.terminator.kind);
        }
        starts.push(lowering.steps.len() as u32);
        LoweredBody { steps: lowering.steps, starts, blocks }
    }

    /// The steps of the operation at a point. At the end of a block, the steps before its terminator.
    pub fn steps(&self, point: Point) -> &[Step] {
        let start = (self.blocks[point.block.index()] + point.op) as usize;
        &self.steps[self.starts[start] as usize..self.starts[start + 1] as usize]
    }
}
