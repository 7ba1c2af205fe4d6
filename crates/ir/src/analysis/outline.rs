//! The outline of code: what analyses of the whole program may look at.
//!
//! These follow objects through variables, fields and calls, and look at branches, but not at numbers and what is
//! computed from them. So in an outline all numbers and operators are the same, nothing is assigned to variables of
//! number types, branches are left out that lead to the same place without doing anything on the way, and neither
//! blocks nor variables have names of their own.

use crate::body::{BinaryOp, Block, BlockId, Body, Const, Expr, ExprId, OpKind, TerminatorKind, UnaryOp};
use crate::program::Type;
use rustc_hash::FxHashSet;

/// How often branches are left out behind which others have been. Deeper nesting stays.
const ROUNDS: usize = 64;
/// Most jumps and branches behind a branch that are followed, and most places to which it leads.
const MOST_JUMPS: usize = 128;
const MOST_PLACES: usize = 32;

/// The outline of a body.
pub(super) fn outline(body: &Body) -> Body {
    let mut rest = body.clone();
    leave_numbers_out(&mut rest);
    let mut round = 0;
    while round < ROUNDS && leave_branches_out(&mut rest) {
        round += 1;
    }
    order_blocks(&mut rest);
    rename_locals(&mut rest);
    rest
}

fn is_number(ty: Type) -> bool {
    !ty.is_reference() && ty != Type::Bool
}

fn leave_numbers_out(body: &mut Body) {
    let zero = Expr::Const(Const::default_of(Type::Int));
    let types = body.expr_types();
    for (expr, ty) in body.exprs.iter_mut().zip(types) {
        match expr {
            _ if is_number(ty) => *expr = zero.clone(),
            Expr::Binary(op, ..) => *op = BinaryOp::Add,
            Expr::Unary(op, ..) => *op = UnaryOp::Neg,
            _ => {}
        }
    }
    // Conditions on numbers.
    let names_locals = names_locals(body);
    for (expr, names_locals) in body.exprs.iter_mut().zip(names_locals) {
        if !names_locals && !matches!(expr, Expr::Const(_)) {
            *expr = zero.clone();
        }
    }
    let number = body.add_local("", Type::Int);
    let is_of_number: Vec<bool> = body.locals.iter().map(|local| is_number(local.ty)).collect();
    for block in &mut body.blocks {
        let is_covered = !block.handlers.is_empty();
        block.ops.retain(|op| match op.kind {
            OpKind::Assign { dst, .. } => !is_of_number[dst.index()],
            // Its exception leaves the method, as those of calls may.
            OpKind::Divide { .. } => is_covered,
            _ => true,
        });
        for op in &mut block.ops {
            if op.kind.dst().is_some_and(|dst| is_of_number[dst.index()]) {
                op.kind.set_dst(number);
            }
        }
    }
}

/// Leads branches on numbers to all the different places to which such branches lead without doing anything on the way, and
/// turns those with one place into jumps. Returns whether anything has changed.
fn leave_branches_out(body: &mut Body) -> bool {
    let choices = choices(body);
    let result = body.block_ids().find(|&id| returns_number(body, id));
    let mut is_changed = false;
    // Later blocks are mostly those to which earlier ones lead.
    for id in body.block_ids().rev() {
        let Some(value) = choices[id.index()] else { continue };
        let Some(places) = places(body, id, &choices, result) else { continue };
        // A loop that does nothing has no place after it if it never ends.
        let Some((&first, others)) = places.split_first() else { continue };
        let cases = others.iter().enumerate().map(|(index, &place)| (index.into(), place));
        let kind = match others {
            [] => TerminatorKind::Goto(first),
            _ => TerminatorKind::Switch { value, cases: cases.collect(), default: first },
        };
        is_changed |= kind != body.block(id).terminator.kind;
        body.block_mut(id).terminator.kind = kind;
    }
    is_changed
}

/// The places to which a branch leads. `None` if there are many, or if they are far. All blocks that return a number are
/// `result`.
fn places(body: &Body, branch: BlockId, choices: &[Option<ExprId>], result: Option<BlockId>) -> Option<Vec<BlockId>> {
    let successors = |id: BlockId| body.block(id).terminator.kind.successors().into_iter().rev();
    let (mut seen, mut places) = (FxHashSet::from_iter([branch]), Vec::new());
    let mut pending: Vec<BlockId> = successors(branch).collect();
    while let Some(next) = pending.pop() {
        let block = body.block(next);
        let is_jump = choices[next.index()].is_some() || matches!(block.terminator.kind, TerminatorKind::Goto(_));
        if is_jump && block.ops.is_empty() {
            if seen.insert(next) {
                pending.extend(successors(next));
            }
        } else {
            let place = result.filter(|_| returns_number(body, next)).unwrap_or(next);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        if seen.len() > MOST_JUMPS || places.len() > MOST_PLACES {
            return None;
        }
    }
    Some(places)
}

/// For each block, the number on which it ends with a branch.
fn choices(body: &Body) -> Vec<Option<ExprId>> {
    let names_locals = names_locals(body);
    let choice = |block: &Block| match block.terminator.kind {
        TerminatorKind::Branch { condition: value, .. } | TerminatorKind::Switch { value, .. } => {
            Some(value).filter(|value| !names_locals[value.index()])
        }
        _ => None,
    };
    body.blocks.iter().map(choice).collect()
}

/// For each expression, whether it has locals.
fn names_locals(body: &Body) -> Vec<bool> {
    let mut names = Vec::with_capacity(body.exprs.len());
    for expr in &body.exprs {
        let names_one = matches!(expr, Expr::Local(_)) || expr.operands().any(|operand| names[operand.index()]);
        names.push(names_one);
    }
    names
}

/// For each block, where control comes from it without doing anything. Jumps in a circle end where they begin.
fn ends(body: &Body) -> Vec<BlockId> {
    let mut ends: Vec<Option<BlockId>> = vec![None; body.blocks.len()];
    for start in body.block_ids() {
        let (mut at, mut way) = (start, Vec::new());
        let end = loop {
            if let Some(end) = ends[at.index()] {
                break end;
            }
            // What comes again on this way is known to be its end.
            ends[at.index()] = Some(at);
            way.push(at);
            match (&body.block(at).terminator.kind, body.block(at).ops.is_empty()) {
                (TerminatorKind::Goto(next), true) => at = *next,
                _ => break at,
            }
        };
        way.into_iter().for_each(|id| ends[id.index()] = Some(end));
    }
    ends.into_iter().zip(body.block_ids()).map(|(end, id)| end.unwrap_or(id)).collect()
}

/// Whether a block does nothing but return a number or nothing.
fn returns_number(body: &Body, id: BlockId) -> bool {
    let block = body.block(id);
    block.ops.is_empty()
        && match block.terminator.kind {
            TerminatorKind::Return(None) => true,
            TerminatorKind::Return(Some(value)) => matches!(body.expr(value), Expr::Const(Const::Int(..))),
            _ => false,
        }
}

/// Joins blocks of which one is the only one before the other, and orders all by the ways from the entry. What no way
/// leads to comes last, because some analyses look at it, too.
fn order_blocks(body: &mut Body) {
    // What idle blocks do is done where a way leads to them.
    let (choices, ends) = (choices(body), ends(body));
    let end = |id: BlockId| ends[id.index()];
    let is_idle = |id: BlockId| {
        let is_choice = choices[id.index()].is_some() && body.block(id).ops.is_empty();
        end(id) != id || returns_number(body, id) || is_choice
    };
    let starts: Vec<BlockId> = body.block_ids().filter(|&id| id == Body::ENTRY || !is_idle(id)).collect();
    let next = |block: &Block| -> Vec<BlockId> {
        let handlers = block.handlers.iter().map(|handler| handler.target);
        block.terminator.kind.successors().into_iter().chain(handlers).map(end).collect()
    };
    let mut before = vec![0u32; body.blocks.len()];
    before[end(Body::ENTRY).index()] = 1;
    let mut pending: Vec<BlockId> = starts.iter().copied().map(end).collect();
    let mut seen = FxHashSet::default();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            let next = next(body.block(id));
            next.iter().for_each(|next| before[next.index()] += 1);
            pending.extend(next);
        }
    }
    let mut numbers: Vec<Option<u32>> = vec![None; body.blocks.len()];
    let mut blocks: Vec<Block> = Vec::new();
    for start in starts {
        let mut pending = vec![end(start)];
        while let Some(id) = pending.pop() {
            if numbers[id.index()].is_some() {
                continue;
            }
            numbers[id.index()] = Some(blocks.len() as u32);
            let mut block = body.block(id).clone();
            while let TerminatorKind::Goto(next) = block.terminator.kind
                && let next = end(next)
                && before[next.index()] == 1
                && numbers[next.index()].is_none()
                && body.block(next).handlers == block.handlers
            {
                numbers[next.index()] = Some(blocks.len() as u32);
                block.ops.extend(body.block(next).ops.iter().cloned());
                block.terminator = body.block(next).terminator.clone();
            }
            pending.extend(next(&block).into_iter().rev());
            blocks.push(block);
        }
    }
    let number_of = |id: BlockId| BlockId(numbers[end(id).index()].unwrap_or(u32::MAX));
    for block in &mut blocks {
        block.handlers.iter_mut().for_each(|handler| handler.target = number_of(handler.target));
        match &mut block.terminator.kind {
            TerminatorKind::Goto(target) | TerminatorKind::Unsupported { lost: Some(target), .. } => {
                *target = number_of(*target);
            }
            TerminatorKind::Branch { then_block, else_block, .. } => {
                (*then_block, *else_block) = (number_of(*then_block), number_of(*else_block));
            }
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| *target = number_of(*target));
                *default = number_of(*default);
            }
            TerminatorKind::Return(_)
            | TerminatorKind::Throw(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported { lost: None, .. }
            | TerminatorKind::Bound(_) => {}
        }
    }
    body.blocks = blocks;
}

/// Gives locals names by their order among those that are no numbers.
fn rename_locals(body: &mut Body) {
    let mut count = 0;
    for local in body.locals.iter_mut() {
        local.name = String::new();
        if !is_number(local.ty) {
            local.name = format!("v{count}");
            count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{self, BodyPrinter};

    /// The outline of a method with these locals and blocks, as text.
    fn outlined(code: &str) -> String {
        let text = format!(
            "trap NullDereference Object\n trap DivisionByZero Object\n class Object {{ }}\n class A extends Object {{\n field next: A\n field size: int\n \
             static method m(a: A, n: int) -> int {{\n {code}\n }}\n }}"
        );
        let program = text::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}"));
        let method = program.own_methods().next().unwrap();
        let body = outline(program.body(method).unwrap());
        let printer = BodyPrinter::new(&program, &body);
        let mut lines = printer.lets();
        for id in body.block_ids() {
            lines.push(printer.label(id));
            lines.extend(body.block(id).ops.iter().map(|op| printer.op(&op.kind)));
            lines.push(printer.terminator(&body.block(id).terminator.kind));
        }
        lines.join("\n")
    }

    const PLAIN: &str = "local b: A\n b0: b := a.A::next\n a.A::size := n\n return n";

    #[track_caller]
    fn check(is_same: bool, other: &str) {
        assert_eq!(outlined(PLAIN) == outlined(other), is_same, "{}\n\n{}", outlined(PLAIN), outlined(other));
    }

    #[test]
    fn numbers_do_not_count() {
        check(true, PLAIN);
        check(true, "local b: A\n b0: b := a.A::next\n a.A::size := n * 2 - 1\n return n + n");
        check(
            true,
            "local x: int\n local y: int\n local b: A\n local z: int\n b0: x := n + 1\n b := a.A::next\n y := x\n z := y\n a.A::size := z\n return y",
        );
        check(true, "local b: A\n local q: int\n b0: b := a.A::next\n q := n div n\n a.A::size := q\n return q");
        check(true, "local other: A\n b0: other := a.A::next\n a.A::size := n\n return n");
    }

    #[test]
    fn branches_between_numbers_do_not_count() {
        check(
            true,
            "local b: A\n local x: int\n b0: b := a.A::next\n if n < 3 goto b1 else b2\n b1: x := n\n goto b3\n b2: x := 0\n goto b3\n b3: a.A::size := x\n return x",
        );
        check(
            true,
            "local b: A\n b0: b := a.A::next\n a.A::size := n\n if n < 3 goto b1 else b2\n b1: return n\n b2: if n < 5 goto b3 else b4\n b3: return 5\n b4: return 7",
        );
        check(
            true,
            "local b: A\n b0: b := a.A::next\n switch n [1 -> b1, 2 -> b2] else b1\n b1: goto b3\n b2: goto b3\n b3: a.A::size := n\n return n",
        );
    }

    #[test]
    fn ways_through_branches_count_by_where_they_lead() {
        let one = outlined("b0: if n != 5 goto b1 else b2\n b1: return n\n b2: throw a");
        let nested = "b0: if n < 3 goto b1 else b2\n b1: return 0\n b2: if n == 5 goto b3 else b1\n b3: throw a";
        assert_eq!(one, outlined(&nested.replace("b3 else b1", "b1 else b3")));
        assert_ne!(one, outlined("b0: if n < 3 goto b1 else b2\n b1: return n\n b2: return 0"));
    }

    /// Many guards in a row: the ways of each are followed for a while only.
    #[test]
    fn many_branches() {
        let guards = |count: usize, last: &str| {
            let guard = |at: usize| format!("b{at}: if n == {at} goto b{} else b{}\n", count + 1 + at % 2, at + 1);
            let guards: String = (0..count).map(guard).collect();
            outlined(&format!("{guards} b{count}: {last}\n b{}: return n\n b{}: throw a", count + 1, count + 2))
        };
        assert_eq!(guards(400, "return 1"), guards(300, "return 2"));
        let thrown = |count: usize| {
            let guard = |at: usize| {
                format!(
                    "b{}: if n == {at} goto b{} else b{}\n b{}: throw a\n",
                    2 * at,
                    2 * at + 1,
                    2 * at + 2,
                    2 * at + 1
                )
            };
            outlined(&format!("{} b{}: return n", (0..count).map(guard).collect::<String>(), 2 * count))
        };
        assert_eq!(thrown(400), thrown(400));
        assert_ne!(thrown(40), thrown(41));
    }

    #[test]
    fn everything_else_counts() {
        check(false, "local b: A\n b0: b := a.A::next\n a.A::size := n\n assert a == b\n return n");
        check(false, "local b: A\n b0: a.A::size := n\n b := a.A::next\n return n");
        check(false, "local b: A\n b0: b := a.A::next\n b.A::size := n\n return n");
        check(
            false,
            "local b: A\n b0: b := a.A::next\n if n < 3 goto b1 else b2\n b1: a.A::size := n\n goto b2\n b2: return n",
        );
        check(
            false,
            "local b: A\n b0: if a == null goto b1 else b2\n b1: return n\n b2: b := a.A::next\n a.A::size := n\n return n",
        );
        check(false, "local b: A\n b0: b := a.A::next\n a.A::size := n\n goto b1\n b1: goto b1");
        check(false, "local b: A\n b0: b := a.A::next\n a.A::size := n\n return n\n b1: b := null\n return n");
    }

    #[test]
    fn divisions_count_where_their_exceptions_are_caught() {
        let caught = |op: &str| {
            outlined(&format!(
                "local e: Object\n local q: int\n b0: on Object(e) goto b1\n q := {op}\n return q\n b1: a.A::next := null\n return n"
            ))
        };
        assert_eq!(caught("n * 2"), caught("n + 2"));
        assert_ne!(caught("n * 2"), caught("n div 2"));
    }
}
