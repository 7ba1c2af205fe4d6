//! Recognizes reads out of bounds whose value is never used.
//!
//! OOX has no element reads inside of conditions (paper 4, table 2.3), so that programs read first and test
//! afterwards: `x := a[j]; while (j >= 0 && x > y) …` stands for `while (j >= 0 && a[j] > y) …`. The first form reads
//! out of bounds at `j = -1`, but the original program does not. Such a read is not reported as a violation, and it
//! is not ignored either: the answer is "unknown", with the place.

use aback_ir::{
    BinaryOp, Body, Const, Expr, LocalId, MethodId, Op, OpKind, Point, Program, Terminator, TerminatorKind, Trap, Type,
};
use aback_symbolic::{Candidate, Fault};
use aback_witness::{HeapObject, Inputs, Limits, Observer, Outcome, Place, State, run};
use num_bigint::BigInt;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Longest run that is compared, in steps.
const MAX_STEPS: u64 = 1_000_000;

/// Whether a candidate is a read out of bounds whose value does not matter: with several other values in its place,
/// the execution goes through the same states, except for the variable itself, to an end without a violation. A read
/// into a variable that no code uses does not count, because its only purpose is the read itself. `None` if the runs
/// are too long or were stopped.
pub(crate) fn is_unused_read(
    program: &Program,
    entry: MethodId,
    candidate: &Candidate,
    limits: Limits,
) -> Option<bool> {
    let place = candidate.place;
    if !program.profile().reads_before_tests {
        return Some(false);
    }
    if candidate.fault != Fault::Trap(Trap::IndexOutOfBounds) {
        return Some(false);
    }
    let Some((variable, changed)) = substitutes(program, place) else {
        return Some(false);
    };
    let limits = Limits { max_steps: MAX_STEPS, ..limits };
    let mut first = None;
    for changed in &changed {
        match trace(changed, entry, &candidate.inputs, limits, (place.method, variable)) {
            Trace::Ended(states) if *first.get_or_insert(states) == states => {}
            Trace::Ended(_) | Trace::Violates => return Some(false),
            Trace::TooLong => return None,
        }
    }
    Some(true)
}

/// The variable that a read assigns, and for several values the program in which the read gives this value instead of
/// an exception. `None` if the operation is not an element read into a variable that other code reads.
fn substitutes(program: &Program, place: Place) -> Option<(LocalId, Vec<Program>)> {
    let body = program.body(place.method)?;
    let OpKind::ArrayGet { dst, .. } = body.block(place.point.block).ops.get(place.point.op as usize)?.kind else {
        return None;
    };
    if !body.reads(dst) {
        return None;
    }
    let ty = body.local(dst).ty;
    let integer = |value: i64| Const::Int(BigInt::from(value), ty);
    let values = match ty {
        Type::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Type::Int => vec![integer(0), integer(i64::MAX), integer(i64::MIN)],
        Type::Machine { .. } => vec![integer(0), integer(1), integer(127)],
        _ => return None,
    };
    let index_type = program.index_type();
    let changed = values.into_iter().map(|value| {
        program.with_bodies([(place.method, with_substitute(body.clone(), place.point, value, index_type))])
    });
    Some((dst, changed.collect()))
}

/// Splits a block at a read: if the index is out of bounds, the variable gets `value`.
fn with_substitute(mut body: Body, at: Point, value: Const, index_type: Type) -> Body {
    let handlers = body.block(at.block).handlers.clone();
    let (read, other, rest) =
        (body.add_block(handlers.clone()), body.add_block(handlers.clone()), body.add_block(handlers));
    let mut ops = body.block(at.block).ops.clone();
    let after = ops.split_off(at.op as usize + 1);
    let Some(Op { kind: OpKind::ArrayGet { dst, array, index }, span }) = ops.pop() else {
        return body;
    };
    let length = body.add_temp(index_type);
    ops.push(Op { kind: OpKind::ArrayLength { dst: length, array }, span });
    let zero = body.add_expr(Expr::Const(Const::Int(BigInt::ZERO, index_type)));
    let length = body.add_expr(Expr::Local(length));
    let above = body.add_expr(Expr::Binary(BinaryOp::Le, index_type, zero, index));
    let below = body.add_expr(Expr::Binary(BinaryOp::Lt, index_type, index, length));
    let condition = body.add_expr(Expr::Binary(BinaryOp::And, Type::Bool, above, below));
    let value = body.add_expr(Expr::Const(value));
    let to_rest = Terminator { kind: TerminatorKind::Goto(rest), span };
    let end = std::mem::replace(
        &mut body.block_mut(at.block).terminator,
        Terminator { kind: TerminatorKind::Branch { condition, then_block: read, else_block: other }, span },
    );
    body.block_mut(at.block).ops = ops;
    body.block_mut(read).ops.push(Op { kind: OpKind::ArrayGet { dst, array, index }, span });
    body.block_mut(read).terminator = to_rest.clone();
    body.block_mut(other).ops.push(Op { kind: OpKind::Assign { dst, value }, span });
    body.block_mut(other).terminator = to_rest;
    body.block_mut(rest).ops = after;
    body.block_mut(rest).terminator = end;
    body
}

/// The result of a run with a substitute value.
enum Trace {
    /// An end without a violation; the number is a hash of the states on the way.
    Ended(u64),
    /// A violation or any other result.
    Violates,
    /// The run was cut off.
    TooLong,
}

fn trace(program: &Program, entry: MethodId, inputs: &Inputs, limits: Limits, except: (MethodId, LocalId)) -> Trace {
    let mut states = States { hasher: FxHasher::default(), except };
    match run(program, entry, inputs, limits, &mut states) {
        Ok(Outcome::Returned(_) | Outcome::AssumptionFailed(_)) => Trace::Ended(states.hasher.finish()),
        Ok(Outcome::StepLimit | Outcome::Interrupted) => Trace::TooLong,
        _ => Trace::Violates,
    }
}

/// Hashes places and variables during a run, and the heap and the result at its end.
struct States {
    hasher: FxHasher,
    /// The variable that is left out of the hash.
    except: (MethodId, LocalId),
}

impl Observer for States {
    fn step(&mut self, state: &State<'_>, place: Place) {
        (place.method, place.point).hash(&mut self.hasher);
        let (method, variable) = self.except;
        for (i, value) in state.top().into_iter().flat_map(|frame| frame.locals.iter().enumerate()) {
            if place.method != method || i != variable.index() {
                value.hash(&mut self.hasher);
            }
        }
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        if let Outcome::Returned(Some(value)) = outcome {
            value.hash(&mut self.hasher);
        }
        for (_, object) in state.heap().iter() {
            match object {
                HeapObject::Object(object) => object.fields().for_each(|(_, value)| value.hash(&mut self.hasher)),
                HeapObject::Array(array) => array.written().for_each(|(_, value)| value.hash(&mut self.hasher)),
            }
        }
        for (_, value) in state.statics() {
            value.hash(&mut self.hasher);
        }
    }
}
