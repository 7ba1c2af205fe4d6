//! Leaves out of a program what does not matter for a query.

use crate::query::Query;
use aback_ir::analysis::Relevance;
use aback_ir::{Body, Const, Expr, MethodId, OpKind, Point, Program, TerminatorKind};

/// A program without what does not matter for a query.
///
/// It has the same points and the same inputs, and at least as many executions: what is left out may end executions of
/// the program before they get to a target. So what is proved of the slice holds, and a counterexample has to be
/// confirmed by a run of the whole program.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The program.
    pub program: Program,
    /// Number of operations that are left out, and of branches that go on where their ways meet.
    pub left_out: u64,
    /// The points that count as targets besides those of the query.
    further: Vec<(MethodId, Point)>,
}

/// Most points that count as targets besides those of the query.
const MOST_FURTHER: usize = 8;

impl Slice {
    /// The slice of a program of which this is relevant for a query ([`Query::focus`]). `None` if everything matters.
    pub fn new(program: &Program, relevance: &Relevance) -> Option<Slice> {
        Slice::with(program, relevance, Vec::new())
    }

    /// The slice in which a point matters, too: there a run of the whole program has ended that the slice does not end. `None` if that
    /// makes no difference, or if everything matters.
    pub fn refined(&self, program: &Program, query: &Query, point: (MethodId, Point)) -> Option<Slice> {
        if self.further.len() >= MOST_FURTHER {
            return None;
        }
        let further: Vec<_> = self.further.iter().copied().chain([point]).collect();
        let relevance = query.relevance(program, &further)?;
        Slice::with(program, &relevance, further).filter(|refined| refined.left_out < self.left_out)
    }

    /// Whether points count as targets that the query does not ask about.
    pub fn is_refined(&self) -> bool {
        !self.further.is_empty()
    }

    fn with(program: &Program, relevance: &Relevance, further: Vec<(MethodId, Point)>) -> Option<Slice> {
        let mut left_out = 0;
        let mut bodies = Vec::new();
        for method in relevance.methods() {
            let Some(body) = program.body(method) else { continue };
            let (sliced, count) = sliced(method, body, relevance);
            left_out += count;
            bodies.extend(sliced.map(|body| (method, body)));
        }
        (left_out > 0).then(|| Slice { program: program.with_bodies(bodies), left_out, further })
    }
}

/// The slice of a body, and what is left out of it; `None` if everything matters. Points keep their meaning, so that operations are
/// replaced by ones without effect.
fn sliced(method: MethodId, body: &Body, relevance: &Relevance) -> (Option<Body>, u64) {
    let points = body.ops().map(|(point, _)| point);
    let operations: Vec<Point> = points.filter(|&point| !relevance.matters(method, point)).collect();
    let joins = body.block_ids().filter_map(|block| Some((block, relevance.skip(method, block)?)));
    let joins: Vec<_> = joins.collect();
    let count = (operations.len() + joins.len()) as u64;
    if count == 0 {
        return (None, 0);
    }
    let mut body = body.clone();
    let always = body.add_expr(Expr::Const(Const::Bool(true)));
    for point in operations {
        if let Some(op) = body.block_mut(point.block).ops.get_mut(point.op as usize) {
            op.kind = OpKind::Assume { condition: always };
        }
    }
    for (block, join) in joins {
        body.block_mut(block).terminator.kind = TerminatorKind::Goto(join);
    }
    (Some(body), count)
}
