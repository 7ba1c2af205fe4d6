//! Translates terms to Z3's terms.

use super::api::{Ast, Decl, Session, Sort};
use crate::solver::Reason;
use aback_logic::{
    BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Integer, Node, Pool, Sort as TermSort,
    Term, VarId,
};
use rustc_hash::FxHashMap;

/// The translated terms with their depths.
pub(super) struct Translator {
    done: FxHashMap<Term, (Ast, u32)>,
    /// The variables by the Z3 constants that represent them.
    pub(super) variables: FxHashMap<Decl, VarId>,
    sorts: FxHashMap<TermSort, Sort>,
    /// Depth of the deepest term asserted on each level.
    depths: Vec<u32>,
}

impl Translator {
    pub(super) fn new() -> Self {
        Translator {
            done: FxHashMap::default(),
            variables: FxHashMap::default(),
            sorts: FxHashMap::default(),
            depths: vec![0],
        }
    }

    pub(super) fn push(&mut self) {
        self.depths.push(self.depth());
    }

    pub(super) fn pop(&mut self, levels: usize) {
        self.depths.truncate(self.depths.len().saturating_sub(levels).max(1));
    }

    /// Depth of the deepest asserted term.
    pub(super) fn depth(&self) -> u32 {
        self.depths.last().copied().unwrap_or(0)
    }

    /// Depth of a translated term.
    pub(super) fn depth_of(&self, term: Term) -> u32 {
        self.done.get(&term).map_or(0, |&(_, depth)| depth)
    }

    pub(super) fn note_asserted(&mut self, term: Term) {
        let depth = self.depth_of(term);
        if let Some(deepest) = self.depths.last_mut() {
            *deepest = depth.max(*deepest);
        }
    }

    /// Translates a term. Each subterm is translated only once.
    pub(super) fn translate(&mut self, session: &Session, pool: &Pool, term: Term) -> Result<Ast, Reason> {
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if self.done.contains_key(&top) {
                pending.pop();
                continue;
            }
            pool.work();
            if pool.is_stopped() {
                return Err(Reason::Timeout);
            }
            let before = pending.len();
            let mut depth = 0;
            pool.for_each_operand(top, |child| match self.done.get(&child) {
                Some(&(_, below)) => depth = depth.max(below),
                None => pending.push(child),
            });
            if pending.len() == before {
                pending.pop();
                let ast = self.level(session, pool, top)?;
                self.done.insert(top, (ast, depth + 1));
            }
        }
        self.get(term)
    }

    fn get(&self, term: Term) -> Result<Ast, Reason> {
        let missing = || Reason::Failed("a subterm was not translated".into());
        self.done.get(&term).map(|&(ast, _)| ast).ok_or_else(missing)
    }

    fn all(&self, terms: &[Term]) -> Result<Vec<Ast>, Reason> {
        terms.iter().map(|&term| self.get(term)).collect()
    }

    /// Translates the outermost level of a term whose subterms are translated.
    fn level(&mut self, z3: &Session, pool: &Pool, term: Term) -> Result<Ast, Reason> {
        match pool.node(term) {
            Node::Bool(value) => z3.bool(*value),
            Node::Int(value) => self.integer(z3, pool, value),
            Node::Bv { width, bits } => {
                let sort = self.sort(z3, pool, TermSort::BitVec(*width))?;
                z3.numeral(&bits.to_string(), sort)
            }
            Node::Float(format, bits) => self.float(z3, pool, *format, *bits),
            Node::Var(id) => {
                let sort = self.sort(z3, pool, pool.variable(*id).sort)?;
                // Names are for users. Z3 gets numbers, which need no quoting and never clash with its own names.
                let constant = z3.constant(&format!("v{}", id.index()), sort)?;
                if let Some(declaration) = z3.declaration(constant) {
                    self.variables.insert(declaration, *id);
                }
                Ok(constant)
            }
            Node::Not(a) => z3.not(self.get(*a)?),
            Node::And(parts) => z3.and(&self.all(parts)?),
            Node::Or(parts) => z3.or(&self.all(parts)?),
            Node::Ite(c, a, b) => z3.ite(self.get(*c)?, self.get(*a)?, self.get(*b)?),
            Node::Eq(a, b) => z3.eq(self.get(*a)?, self.get(*b)?),
            Node::Sum(constant, parts) => self.sum(z3, pool, constant, parts),
            Node::Product(parts) => match self.all(parts)?[..] {
                [only] => Ok(only),
                ref parts => z3.product(parts),
            },
            Node::IntDiv(a, b) => z3.int_div(self.get(*a)?, self.get(*b)?),
            Node::IntMod(a, b) => z3.int_mod(self.get(*a)?, self.get(*b)?),
            Node::LeZero(sum) => {
                let [left, right] = self.sides(z3, pool, *sum)?;
                z3.int_le(left, right)
            }
            Node::EqZero(sum) => {
                let [left, right] = self.sides(z3, pool, *sum)?;
                z3.eq(left, right)
            }
            Node::BvBinary(op, a, b) => {
                let (a, b) = (self.get(*a)?, self.get(*b)?);
                match op {
                    BvOp::Add => z3.bv_add(a, b),
                    BvOp::Mul => z3.bv_mul(a, b),
                    BvOp::UDiv => z3.bv_udiv(a, b),
                    BvOp::URem => z3.bv_urem(a, b),
                    BvOp::SDiv => z3.bv_sdiv(a, b),
                    BvOp::SRem => z3.bv_srem(a, b),
                    BvOp::And => z3.bv_and(a, b),
                    BvOp::Or => z3.bv_or(a, b),
                    BvOp::Xor => z3.bv_xor(a, b),
                    BvOp::Shl => z3.bv_shl(a, b),
                    BvOp::LShr => z3.bv_lshr(a, b),
                    BvOp::AShr => z3.bv_ashr(a, b),
                }
            }
            Node::BvNot(a) => z3.bv_not(self.get(*a)?),
            Node::BvNeg(a) => z3.bv_neg(self.get(*a)?),
            Node::BvCompare(order, a, b) => {
                let (a, b) = (self.get(*a)?, self.get(*b)?);
                match order {
                    BvOrder::ULt => z3.bv_ult(a, b),
                    BvOrder::ULe => z3.bv_ule(a, b),
                    BvOrder::SLt => z3.bv_slt(a, b),
                    BvOrder::SLe => z3.bv_sle(a, b),
                }
            }
            Node::Extract { high, low, value } => z3.extract(*high, *low, self.get(*value)?),
            Node::Concat(a, b) => z3.concat(self.get(*a)?, self.get(*b)?),
            Node::Extend { signed, by, value } => z3.extend(*signed, *by, self.get(*value)?),
            Node::FloatBinary(op, a, b) => {
                let (a, b) = (self.get(*a)?, self.get(*b)?);
                match op {
                    FloatOp::Add => z3.float_add(a, b),
                    FloatOp::Sub => z3.float_sub(a, b),
                    FloatOp::Mul => z3.float_mul(a, b),
                    FloatOp::Div => z3.float_div(a, b),
                    FloatOp::Rem => Err(Reason::Unsupported("the remainder of floats".into())),
                }
            }
            Node::FloatNeg(a) => z3.float_neg(self.get(*a)?),
            Node::FloatUnary(function, a) => {
                let a = self.get(*a)?;
                match function {
                    FloatFunction::Abs => z3.float_abs(a),
                    FloatFunction::Sqrt => z3.float_sqrt(a),
                    FloatFunction::Floor => z3.float_floor(a),
                    FloatFunction::Ceil => z3.float_ceil(a),
                    FloatFunction::Rint => z3.float_rint(a),
                }
            }
            Node::FloatCompare(order, a, b) => {
                let (a, b) = (self.get(*a)?, self.get(*b)?);
                match order {
                    FloatOrder::Eq => z3.float_eq(a, b),
                    FloatOrder::Lt => z3.float_lt(a, b),
                    FloatOrder::Le => z3.float_le(a, b),
                }
            }
            Node::FloatIsNan(a) => z3.float_is_nan(self.get(*a)?),
            Node::Convert(conversion, a) => self.conversion(z3, pool, *conversion, *a),
            Node::Select(array, index) => z3.select(self.get(*array)?, self.get(*index)?),
            Node::Store(array, index, value) => z3.store(self.get(*array)?, self.get(*index)?, self.get(*value)?),
            Node::ConstArray(sort, value) => {
                let index = self.sort(z3, pool, pool.array_parts(*sort).0)?;
                z3.const_array(index, self.get(*value)?)
            }
            Node::Quantified { forall, variable, low, high, body } => {
                let bound = self.translate(z3, pool, pool.variable_term(*variable))?;
                let above = z3.int_le(self.get(*low)?, bound)?;
                let below = z3.int_lt(bound, self.get(*high)?)?;
                let range = z3.and(&[above, below])?;
                let body = self.get(*body)?;
                let body = if *forall { z3.implies(range, body)? } else { z3.and(&[range, body])? };
                z3.quantified(*forall, bound, body)
            }
        }
    }

    fn sum(&mut self, z3: &Session, pool: &Pool, constant: &Integer, parts: &[(Integer, Term)]) -> Result<Ast, Reason> {
        let mut summands = Vec::with_capacity(parts.len() + 1);
        for (factor, part) in parts {
            let part = self.get(*part)?;
            summands.push(if factor.is_one() {
                part
            } else {
                let factor = self.integer(z3, pool, factor)?;
                z3.product(&[factor, part])?
            });
        }
        if !constant.is_zero() || summands.is_empty() {
            summands.push(self.integer(z3, pool, constant)?);
        }
        match summands[..] {
            [only] => Ok(only),
            _ => z3.sum(&summands),
        }
    }

    /// The two sides of a comparison of a sum with 0. An equality of two variables stays visible to Z3 as such.
    fn sides(&mut self, z3: &Session, pool: &Pool, sum: Term) -> Result<[Ast; 2], Reason> {
        let [left, right] = pool.sides(sum);
        Ok([self.sum(z3, pool, &left.0, &left.1)?, self.sum(z3, pool, &right.0, &right.1)?])
    }

    fn conversion(&mut self, z3: &Session, pool: &Pool, conversion: Conversion, term: Term) -> Result<Ast, Reason> {
        let value = self.get(term)?;
        match conversion {
            Conversion::IntToBv(width) => z3.int_to_bv(width, value),
            Conversion::BvToInt { signed } => z3.bv_to_int(signed, value),
            Conversion::BvToFloat { signed, format } => {
                let sort = self.sort(z3, pool, TermSort::Float(format))?;
                z3.bv_to_float(signed, value, sort)
            }
            Conversion::FloatToFloat(format) => {
                let sort = self.sort(z3, pool, TermSort::Float(format))?;
                z3.float_to_float(value, sort)
            }
            Conversion::FloatToBits(format) => {
                let nan = match format {
                    FloatFormat::F32 => u64::from(0x7fc0_0000u32),
                    FloatFormat::F64 => 0x7ff8_0000_0000_0000u64,
                };
                let sort = self.sort(z3, pool, TermSort::BitVec(format.width()))?;
                let nan = z3.numeral(&nan.to_string(), sort)?;
                z3.ite(z3.float_is_nan(value)?, nan, z3.float_bits(value)?)
            }
            Conversion::BitsToFloat(format) => {
                let sort = self.sort(z3, pool, TermSort::Float(format))?;
                z3.float_of_bits(value, sort)
            }
            Conversion::FloatToBv(width) => {
                let format = match pool.sort(term) {
                    TermSort::Float(format) => format,
                    _ => return Err(Reason::Failed("a conversion from a float is of something else".into())),
                };
                // Z3's own conversion is unspecified outside the range, so the value is first compared with the
                // bounds of the range. Both bounds are powers of two and exact as floats.
                let end = |exponent: u32| 2f64.powi(exponent as i32);
                let bits = |value: f64| match format {
                    FloatFormat::F32 => u64::from((value as f32).to_bits()),
                    FloatFormat::F64 => value.to_bits(),
                };
                let least = self.float(z3, pool, format, bits(-end(width - 1)))?;
                let beyond = self.float(z3, pool, format, bits(end(width - 1)))?;
                let sort = self.sort(z3, pool, TermSort::BitVec(width))?;
                let sign_bit = 1u128 << (width - 1);
                let zero = z3.numeral("0", sort)?;
                let minimum = z3.numeral(&sign_bit.to_string(), sort)?;
                let maximum = z3.numeral(&(sign_bit - 1).to_string(), sort)?;
                let inside = z3.float_to_signed(value, width)?;
                let result = z3.ite(z3.float_le(beyond, value)?, maximum, inside)?;
                let result = z3.ite(z3.float_le(value, least)?, minimum, result)?;
                z3.ite(z3.float_is_nan(value)?, zero, result)
            }
        }
    }

    fn integer(&mut self, z3: &Session, pool: &Pool, value: &Integer) -> Result<Ast, Reason> {
        let sort = self.sort(z3, pool, TermSort::Int)?;
        match value.as_i64() {
            Some(small) => z3.small(small, sort),
            None => z3.numeral(&value.to_string(), sort),
        }
    }

    fn float(&mut self, z3: &Session, pool: &Pool, format: FloatFormat, bits: u64) -> Result<Ast, Reason> {
        let sort = self.sort(z3, pool, TermSort::Float(format))?;
        let is_nan = match format {
            FloatFormat::F32 => f32::from_bits(bits as u32).is_nan(),
            FloatFormat::F64 => f64::from_bits(bits).is_nan(),
        };
        if is_nan {
            return z3.nan(sort);
        }
        let vector = self.sort(z3, pool, TermSort::BitVec(format.width()))?;
        z3.float_of_bits(z3.numeral(&bits.to_string(), vector)?, sort)
    }

    fn sort(&mut self, z3: &Session, pool: &Pool, sort: TermSort) -> Result<Sort, Reason> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let made = match sort {
            TermSort::Bool => z3.bool_sort()?,
            TermSort::Int => z3.int_sort()?,
            TermSort::BitVec(width) => z3.bv_sort(width)?,
            TermSort::Float(FloatFormat::F32) => z3.float_sort(8, 24)?,
            TermSort::Float(FloatFormat::F64) => z3.float_sort(11, 53)?,
            TermSort::Array(array) => {
                // The recursion follows the sort: array sorts nest only as deep as they were declared.
                let (index, value) = pool.array_parts(array);
                let (index, value) = (self.sort(z3, pool, index)?, self.sort(z3, pool, value)?);
                z3.array_sort(index, value)?
            }
        };
        self.sorts.insert(sort, made);
        Ok(made)
    }
}
