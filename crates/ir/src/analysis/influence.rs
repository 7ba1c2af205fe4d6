//! Finds static fields whose values decide nothing: they only go into other static fields of this kind, like counters that
//! nothing reads but the code that counts.
//!
//! Two executions that differ in the values of such fields alone take the same branches, throw the same exceptions and
//! have the same values everywhere else.

use super::reached::{code, reached};
use crate::body::{Body, Expr, ExprId, LocalId, OpKind, Point};
use crate::program::{FieldId, MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the values of static fields go in executions of an entry point.
#[derive(Clone, Debug, Default)]
pub struct Influence {
    /// Fields whose values go somewhere other than into locals and static fields.
    used: FxHashSet<FieldId>,
    /// By field: the static fields into which its value goes, perhaps as a part of an expression.
    copied: FxHashMap<FieldId, FxHashSet<FieldId>>,
}

impl Influence {
    /// Analyses executions of `entry` in `program`, which must be well-formed ([`crate::validate`]). Only operations and
    /// terminators for which `counts` holds use a value.
    pub fn new(program: &Program, entry: MethodId, counts: impl Fn(MethodId, Point) -> bool) -> Self {
        let mut influence = Influence::default();
        for method in reached(program, entry) {
            if let Some(body) = code(program, method) {
                influence.add(body, |point| counts(method, point));
            }
        }
        influence
    }

    /// Whether the value of a static field may influence anything but such fields.
    pub fn has(&self, field: FieldId) -> bool {
        let (mut seen, mut pending) = (FxHashSet::from_iter([field]), vec![field]);
        while let Some(field) = pending.pop() {
            if self.used.contains(&field) {
                return true;
            }
            let copies = self.copied.get(&field).into_iter().flatten();
            pending.extend(copies.copied().filter(|&copy| seen.insert(copy)));
        }
        false
    }

    fn add(&mut self, body: &Body, counts: impl Fn(Point) -> bool) {
        // By local: the fields of which it may have the value, or a value that is computed from theirs.
        let mut held: FxHashMap<LocalId, FxHashSet<FieldId>> = FxHashMap::default();
        for (_, op) in body.ops() {
            if let OpKind::GetStatic { dst, field } = op.kind {
                held.entry(dst).or_default().insert(field);
            }
        }
        if held.is_empty() {
            return;
        }
        // Code that is not known comes behind a gap, and may use everything.
        if body.blocks.iter().any(|block| block.terminator.kind.is_gap()) {
            self.used.extend(held.into_values().flatten());
            return;
        }
        loop {
            let mut is_stable = true;
            for (_, op) in body.ops() {
                if let OpKind::Assign { dst, value } = op.kind {
                    let fields = fields_in(body, value, &held);
                    let of_dst = held.entry(dst).or_default();
                    let before = of_dst.len();
                    of_dst.extend(fields);
                    is_stable &= of_dst.len() == before;
                }
            }
            if is_stable {
                break;
            }
        }
        for (point, op) in body.ops() {
            match op.kind {
                OpKind::Assign { .. } => {}
                OpKind::PutStatic { field, value } => {
                    for from in fields_in(body, value, &held) {
                        self.copied.entry(from).or_default().insert(field);
                    }
                }
                _ if counts(point) => {
                    let operands = op.kind.operands().into_iter();
                    self.used.extend(operands.flat_map(|operand| fields_in(body, operand, &held)));
                }
                _ => {}
            }
        }
        for block in body.block_ids() {
            let end = body.block(block);
            let point = Point { block, op: end.ops.len() as u32 };
            if let Some(operand) = end.terminator.kind.operand().filter(|_| counts(point)) {
                self.used.extend(fields_in(body, operand, &held));
            }
        }
    }
}

/// The fields of which the locals of an expression may have the values.
fn fields_in(body: &Body, expr: ExprId, held: &FxHashMap<LocalId, FxHashSet<FieldId>>) -> Vec<FieldId> {
    let (mut fields, mut pending) = (Vec::new(), vec![expr]);
    while let Some(id) = pending.pop() {
        let expr = body.expr(id);
        if let Expr::Local(local) = *expr {
            fields.extend(held.get(&local).into_iter().flatten());
        }
        pending.extend(expr.operands());
    }
    fields
}
