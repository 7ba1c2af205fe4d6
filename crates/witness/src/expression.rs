//! Evaluates expressions.
//!
//! Expressions form a graph in which a node may be used many times, and they may be deep. The first evaluation of an
//! expression therefore lays it out as a list of steps, operands first: one step for each node below it that is not a
//! local or a constant. Evaluation walks the list, without recursion, and visits no node twice.

use crate::arithmetic::{self, Problem};
use crate::value::Value;
use aback_ir::{BinaryOp, Body, Expr, ExprId, LocalId, Type, UnaryOp};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// A method's body. Each expression is laid out at its first use.
pub(crate) struct Code<'p> {
    pub(crate) body: &'p Body,
    /// Number of its parameters.
    pub(crate) params: usize,
    /// Defaults of all locals: the locals of a new activation before it takes its arguments.
    pub(crate) defaults: Vec<Value>,
    layouts: Vec<OnceCell<Result<Layout, Problem>>>,
}

/// An expression as a list of steps.
struct Layout {
    constants: Vec<Value>,
    steps: Vec<Step>,
    result: Operand,
}

/// The source of a step's operand.
#[derive(Clone, Copy)]
enum Operand {
    Local(u32),
    Constant(u32),
    Step(u32),
}

enum Step {
    Unary(UnaryOp, Type, Operand),
    Binary(BinaryOp, Type, Operand, Operand),
    Select(Operand, Operand, Operand),
    Convert(Type, Type, Operand),
    Bits(Type, Type, Operand),
}

/// Results of steps; the vector is kept between evaluations to reuse its memory. A problem counts only if the result of
/// its step is used: the side of a `Select` that is not taken may have one.
pub(crate) type Scratch = Vec<Result<Value, Problem>>;

impl<'p> Code<'p> {
    pub(crate) fn new(body: &'p Body, params: usize) -> Self {
        Code {
            body,
            params,
            defaults: body.locals.iter().map(|local| Value::default_of(local.ty)).collect(),
            layouts: std::iter::repeat_with(OnceCell::new).take(body.exprs.len()).collect(),
        }
    }

    /// The value of `expr` with the given locals.
    pub(crate) fn eval(&self, expr: ExprId, locals: &[Value], scratch: &mut Scratch) -> Result<Value, Problem> {
        let cell = self.layouts.get(expr.index()).ok_or(Problem::Malformed)?;
        let layout = match cell.get_or_init(|| Layout::of(self.body, expr)) {
            Ok(layout) => layout,
            Err(problem) => return Err(*problem),
        };
        match &layout.steps[..] {
            // The two most frequent kinds need no memory for intermediate results.
            [] => layout.operand(layout.result, locals, &[]).cloned(),
            [step] => layout.step(step, locals, &[]),
            steps => {
                scratch.clear();
                for step in steps {
                    let result = layout.step(step, locals, scratch);
                    scratch.push(result);
                }
                layout.operand(layout.result, locals, scratch).cloned()
            }
        }
    }
}

impl Layout {
    fn of(body: &Body, root: ExprId) -> Result<Layout, Problem> {
        // Every expression has a higher id than its operands, so ascending order is bottom-up.
        let mut below = vec![root.index()];
        let mut seen: rustc_hash::FxHashSet<usize> = below.iter().copied().collect();
        let mut next = 0;
        while let Some(&id) = below.get(next) {
            next += 1;
            let mut visit = |used: ExprId| {
                if used.index() >= id {
                    return Err(Problem::Malformed);
                }
                if seen.insert(used.index()) {
                    below.push(used.index());
                }
                Ok(())
            };
            match body.exprs.get(id).ok_or(Problem::Malformed)? {
                Expr::Local(_) | Expr::Const(_) => {}
                Expr::Unary(_, _, x) | Expr::Convert { value: x, .. } | Expr::Bits { value: x, .. } => visit(*x)?,
                Expr::Binary(_, _, x, y) => {
                    visit(*x)?;
                    visit(*y)?;
                }
                Expr::Select(condition, then, otherwise) => {
                    visit(*condition)?;
                    visit(*then)?;
                    visit(*otherwise)?;
                }
            }
        }
        below.sort_unstable();

        let mut layout = Layout { constants: Vec::new(), steps: Vec::new(), result: Operand::Step(0) };
        let mut operands: FxHashMap<usize, Operand> = FxHashMap::default();
        for id in below {
            let at = |used: &ExprId| operands.get(&used.index()).copied().ok_or(Problem::Malformed);
            let step = match &body.exprs[id] {
                Expr::Local(local) => {
                    if local.index() >= body.locals.len() {
                        return Err(Problem::Malformed);
                    }
                    operands.insert(id, Operand::Local(local.0));
                    continue;
                }
                Expr::Const(constant) => {
                    operands.insert(id, Operand::Constant(layout.constants.len() as u32));
                    layout.constants.push(constant.into());
                    continue;
                }
                Expr::Unary(op, ty, x) => Step::Unary(*op, *ty, at(x)?),
                Expr::Binary(op, ty, x, y) => Step::Binary(*op, *ty, at(x)?, at(y)?),
                Expr::Select(condition, then, otherwise) => Step::Select(at(condition)?, at(then)?, at(otherwise)?),
                Expr::Convert { from, to, value } => Step::Convert(*from, *to, at(value)?),
                Expr::Bits { from, to, value } => Step::Bits(*from, *to, at(value)?),
            };
            operands.insert(id, Operand::Step(layout.steps.len() as u32));
            layout.steps.push(step);
        }
        layout.result = operands.get(&root.index()).copied().ok_or(Problem::Malformed)?;
        Ok(layout)
    }

    fn operand<'a>(
        &'a self,
        operand: Operand,
        locals: &'a [Value],
        scratch: &'a [Result<Value, Problem>],
    ) -> Result<&'a Value, Problem> {
        match operand {
            Operand::Local(index) => locals.get(index as usize).ok_or(Problem::Malformed),
            Operand::Constant(index) => self.constants.get(index as usize).ok_or(Problem::Malformed),
            Operand::Step(index) => match scratch.get(index as usize) {
                Some(Ok(value)) => Ok(value),
                Some(Err(problem)) => Err(*problem),
                None => Err(Problem::Malformed),
            },
        }
    }

    fn step(&self, step: &Step, locals: &[Value], scratch: &[Result<Value, Problem>]) -> Result<Value, Problem> {
        let at = |operand: &Operand| self.operand(*operand, locals, scratch);
        match step {
            Step::Unary(op, ty, x) => arithmetic::unary(*op, *ty, at(x)?),
            Step::Binary(op, ty, x, y) => arithmetic::binary(*op, *ty, at(x)?, at(y)?),
            Step::Convert(from, to, x) => arithmetic::convert(*from, *to, at(x)?),
            Step::Bits(from, to, x) => arithmetic::bits(*from, *to, at(x)?),
            Step::Select(condition, then, otherwise) => match at(condition)? {
                Value::Bool(true) => at(then).cloned(),
                Value::Bool(false) => at(otherwise).cloned(),
                _ => Err(Problem::IllTyped),
            },
        }
    }
}

/// Writes a local of an activation.
pub(crate) fn set_local(locals: &mut [Value], local: LocalId, value: Value) -> Result<(), Problem> {
    match locals.get_mut(local.index()) {
        Some(place) => {
            *place = value;
            Ok(())
        }
        None => Err(Problem::Malformed),
    }
}
