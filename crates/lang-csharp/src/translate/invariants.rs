//! Keeps structs of the class library in inputs to the values that their constructors make.

use super::{Translated, Translator};
use crate::layout::INT;
use crate::types::{Kind, Ty, TyId};
use aback_ir::{BinaryOp, Expr, ExprId, OpKind, Type};

const UINT: Type = Type::Machine { width: 32, signed: false };
const ULONG: Type = Type::Machine { width: 64, signed: false };

/// The last tick of a `DateTime`, and the last one of a day.
const LAST_TICK: i64 = 3_155_378_975_999_999_999;
const LAST_TICK_OF_DAY: i64 = 863_999_999_999;
const TICKS_IN_MINUTE: i64 = 600_000_000;
/// The number of the last day of the year 9999.
const LAST_DAY: i64 = 3_652_058;
/// The largest difference of a `DateTimeOffset` to UTC, in minutes.
const MOST_OFFSET: i64 = 14 * 60;
/// The first surrogate character, their number, and the last character of all.
const SURROGATES: i64 = 0xd800;
const SURROGATE_COUNT: i64 = 0x800;
const LAST_SCALAR: i64 = 0x10ffff;

impl Translator<'_> {
    /// Makes a struct of the library from an input one that its constructors can make: a nullable type without a value
    /// has the default value. Nothing changes for other structs.
    pub(super) fn keep_invariants(&mut self, ty: TyId, leaves: &mut [ExprId]) -> Translated<()> {
        if !matches!(self.cs.ty(ty), Ty::Named(..)) || self.cs.kind(ty) != Kind::Struct {
            return Ok(());
        }
        let mut first = 0;
        for field in self.cs.instance_fields(ty)?.iter() {
            let count = self.cs.leaves(field.ty)?.len();
            if let Some(part) = leaves.get_mut(first..first + count) {
                self.keep_invariants(field.ty, part)?;
            }
            first += count;
        }
        if let Some(condition) = self.is_makeable(ty, leaves)? {
            self.op(OpKind::Assume { condition });
        }
        if self.cs.nullable(ty).is_some()
            && let Some((&mut condition, rest)) = leaves.split_first_mut()
        {
            for leaf in rest {
                let default = self.default_leaf(self.body.expr_type(*leaf));
                *leaf = self.expr(Expr::Select(condition, *leaf, default));
            }
        }
        Ok(())
    }

    /// Whether a constructor of a struct of the library makes one of these parts; `None` if that is so for all.
    fn is_makeable(&mut self, ty: TyId, leaves: &[ExprId]) -> Translated<Option<ExprId>> {
        let cs = self.cs;
        let is = |namespace: &str, name: &str| cs.is_library_type(ty, namespace, name);
        Ok(Some(match *leaves {
            // The upper two bits tell the kind of the time.
            [bits] if is("System", "DateTime") => {
                let bits = self.coerce_leaf(bits, ULONG)?;
                let ticks = self.combined(BinaryOp::And, ULONG, bits, 0x3fff_ffff_ffff_ffff);
                self.is_at_most(ULONG, ticks, LAST_TICK)
            }
            // The ticks are those of UTC; those of the clock are in range, too.
            [bits, offset] if is("System", "DateTimeOffset") => {
                let ticks = self.coerce_leaf(bits, ULONG)?;
                let no_kind = self.is_at_most(ULONG, ticks, LAST_TICK);
                let offset = self.coerce_leaf(offset, INT)?;
                let distance = self.combined(BinaryOp::Add, INT, offset, MOST_OFFSET);
                let distance = self.coerce_leaf(distance, UINT)?;
                let is_small = self.is_at_most(UINT, distance, 2 * MOST_OFFSET);
                let long = Type::Machine { width: 64, signed: true };
                let offset = self.coerce_leaf(offset, long)?;
                let offset = self.combined(BinaryOp::Mul, long, offset, TICKS_IN_MINUTE);
                let offset = self.coerce_leaf(offset, ULONG)?;
                let clock = self.expr(Expr::Binary(BinaryOp::Add, ULONG, ticks, offset));
                let in_range = self.is_at_most(ULONG, clock, LAST_TICK);
                let both = self.expr(Expr::Binary(BinaryOp::And, Type::Bool, no_kind, is_small));
                self.expr(Expr::Binary(BinaryOp::And, Type::Bool, both, in_range))
            }
            [day] if is("System", "DateOnly") => {
                let day = self.coerce_leaf(day, UINT)?;
                self.is_at_most(UINT, day, LAST_DAY)
            }
            [ticks] if is("System", "TimeOnly") => {
                let ticks = self.coerce_leaf(ticks, ULONG)?;
                self.is_at_most(ULONG, ticks, LAST_TICK_OF_DAY)
            }
            [scalar] if is("System.Text", "Rune") => {
                let scalar = self.coerce_leaf(scalar, UINT)?;
                let from_surrogates = self.combined(BinaryOp::Sub, UINT, scalar, SURROGATES);
                let is_surrogate = self.is_at_most(UINT, from_surrogates, SURROGATE_COUNT - 1);
                let is_other = self.not(is_surrogate);
                let is_small = self.is_at_most(UINT, scalar, LAST_SCALAR);
                self.expr(Expr::Binary(BinaryOp::And, Type::Bool, is_other, is_small))
            }
            // The sign, and a scale of at most 28.
            [flags, ..] if is("System", "Decimal") => {
                let flags = self.coerce_leaf(flags, UINT)?;
                let rest = self.combined(BinaryOp::And, UINT, flags, 0x7f00_ffff);
                let no_rest = self.is_at_most(UINT, rest, 0);
                let scale = self.combined(BinaryOp::And, UINT, flags, 0x00ff_0000);
                let is_small = self.is_at_most(UINT, scale, 28 << 16);
                self.expr(Expr::Binary(BinaryOp::And, Type::Bool, no_rest, is_small))
            }
            _ => return Ok(None),
        }))
    }

    fn combined(&mut self, op: BinaryOp, ty: Type, value: ExprId, constant: i64) -> ExprId {
        let constant = self.constant(constant, ty);
        self.expr(Expr::Binary(op, ty, value, constant))
    }

    fn is_at_most(&mut self, ty: Type, value: ExprId, most: i64) -> ExprId {
        self.combined(BinaryOp::Le, ty, value, most)
    }
}
