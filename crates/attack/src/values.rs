//! Chooses numbers and strings to try: those of the program itself, their neighbours, and the ends of ranges.

use crate::chance::Chance;
use aback_ir::{Body, Const, Expr, Program, TerminatorKind, Type};
use aback_witness::InputValue;
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

/// Most expressions of the program that are searched for constants.
const EXPRESSIONS: usize = 200_000;
/// Most values of a run that are remembered for the same run.
const REMEMBERED: usize = 16;

/// The values to choose from.
pub(crate) struct Values {
    integers: Vec<BigInt>,
    floats: Vec<f64>,
    /// Code units of strings that the user's own code has held; none is longer than input strings may be.
    strings: Vec<Vec<u16>>,
    most: usize,
    /// Integers that this run has received.
    latest: Vec<BigInt>,
}

impl Values {
    /// Collects the constants of the user's own code.
    pub(crate) fn of(program: &Program) -> Self {
        let (mut integers, mut floats) = (FxHashSet::default(), FxHashSet::default());
        let bodies = program.own_methods().filter_map(|method| program.body(method));
        let mut left = EXPRESSIONS;
        for body in bodies {
            left = left.saturating_sub(body.exprs.len());
            if left == 0 {
                break;
            }
            for constant in constants(body) {
                match constant {
                    Const::Int(value, _) => {
                        integers.extend([-1, 0, 1].map(|distance| &value + distance));
                        integers.insert(-value);
                    }
                    Const::F32(bits) => _ = floats.insert(f64::from(f32::from_bits(bits)).to_bits()),
                    Const::F64(bits) => _ = floats.insert(bits),
                    Const::Bool(_) | Const::Null => {}
                }
            }
        }
        let mut integers: Vec<BigInt> = integers.into_iter().collect();
        integers.sort_unstable();
        let mut floats: Vec<u64> = floats.into_iter().collect();
        floats.sort_unstable();
        let floats = floats.into_iter().map(f64::from_bits).collect();
        let most = program.input_strings().and_then(|strings| strings.most).unwrap_or_default() as usize;
        Values { integers, floats, strings: Vec::new(), most, latest: Vec::new() }
    }

    /// Remembers a string for later runs.
    pub(crate) fn add_string(&mut self, units: Vec<u16>) {
        if units.len() <= self.most && !self.strings.contains(&units) {
            self.strings.push(units);
        }
    }

    /// Begins a run.
    pub(crate) fn begin(&mut self) {
        self.latest.clear();
    }

    /// A value of a type that is not a reference type.
    pub(crate) fn value(&mut self, chance: &mut Chance, ty: Type) -> InputValue {
        match ty {
            Type::Bool => InputValue::Bool(chance.is(50)),
            Type::F32 => InputValue::F32((self.float(chance) as f32).to_bits()),
            Type::F64 => InputValue::F64(self.float(chance).to_bits()),
            _ => InputValue::Int(self.integer(chance, ty)),
        }
    }

    fn integer(&mut self, chance: &mut Chance, ty: Type) -> BigInt {
        let (low, high) = range(ty);
        let small = |chance: &mut Chance| BigInt::from(chance.below(16) as i64 - 4);
        let value = match chance.below(100) {
            0..30 => small(chance),
            30..55 => chance.pick(&self.integers).cloned().unwrap_or_else(|| small(chance)),
            // Repeat an earlier value, or what a comparison or a negation would make of it.
            55..70 => match chance.pick(&self.latest).cloned() {
                Some(latest) => match chance.below(4) {
                    0 => -latest,
                    1 => latest + 1,
                    2 => latest - 1,
                    _ => latest,
                },
                None => small(chance),
            },
            70..85 => match chance.below(4) {
                0 => low.clone(),
                1 => high.clone(),
                2 => &low + 1,
                _ => &high - 1,
            },
            85..93 => BigInt::from(1) << chance.below(usize::try_from(high.bits()).unwrap_or(63).max(1)),
            _ => BigInt::from(chance.next() as i64) >> chance.below(64),
        };
        let value = if value < low || value > high { small(chance).max(low.clone()) } else { value };
        if self.latest.len() < REMEMBERED {
            self.latest.push(value.clone());
        }
        value
    }

    fn float(&mut self, chance: &mut Chance) -> f64 {
        const SPECIAL: [f64; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            f32::MAX as f64,
            f64::EPSILON,
            2_147_483_648.0,
        ];
        match chance.below(10) {
            0..4 => chance.pick(&SPECIAL).copied().unwrap_or_default(),
            4..7 => chance.pick(&self.floats).copied().unwrap_or_default(),
            7..9 => chance.below(20) as f64 - 5.0,
            _ => f64::from_bits(chance.next()),
        }
    }

    /// The code units of a string.
    pub(crate) fn string(&mut self, chance: &mut Chance) -> Vec<u16> {
        const UNITS: [u16; 12] = [0x61, 0x62, 0x41, 0x30, 0x31, 0x39, 0x20, 0x2d, 0x2e, 0xff, 0x100, 0x20ac];
        if chance.is(60)
            && let Some(known) = chance.pick(&self.strings)
        {
            return known.clone();
        }
        let length = chance.below(4).min(self.most);
        (0..length)
            .map(|_| match chance.is(80) {
                true => UNITS[chance.below(UNITS.len())],
                false => self.integer(chance, CHARACTER).try_into().unwrap_or(0x61),
            })
            .collect()
    }
}

/// The type of a code unit.
const CHARACTER: Type = Type::Machine { width: 16, signed: false };

/// The least and the greatest number of a type. For the unbounded type, the range exceeds all machine integers.
pub(crate) fn range(ty: Type) -> (BigInt, BigInt) {
    match ty {
        Type::Machine { width, signed: true } => {
            let half = BigInt::from(1) << (width - 1);
            (-&half, half - 1)
        }
        Type::Machine { width, signed: false } => (BigInt::ZERO, (BigInt::from(1) << width) - 1),
        _ => {
            let beyond: BigInt = BigInt::from(1) << 65;
            (-&beyond, beyond)
        }
    }
}

/// The constants of a method's code.
fn constants(body: &Body) -> impl Iterator<Item = Const> + '_ {
    let in_expressions = body.exprs.iter().filter_map(|expr| match expr {
        Expr::Const(constant) => Some(constant.clone()),
        _ => None,
    });
    let cases = body.blocks.iter().flat_map(|block| match &block.terminator.kind {
        TerminatorKind::Switch { cases, .. } => cases.as_slice(),
        _ => &[],
    });
    in_expressions.chain(cases.map(|(case, _)| Const::Int(case.clone(), Type::Int)))
}
