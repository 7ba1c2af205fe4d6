//! Evaluates formulas for many values of their variables at once.
//!
//! A [`Grid`] is a conjunction of formulas, compiled to a flat program over machine words, together with the values
//! of each variable. A register is either one word or one word per *lane*. The values of some variables are laid out
//! over the lanes; those of the other variables are enumerated like the digits of an odometer. An instruction runs
//! when the last digit on which it depends changes. A formula that is false in all lanes prunes the digits below it.
//!
//! Words represent values as follows: a truth value is 0 or 1, a bit-vector is its signed value, an integer is
//! itself, and a float is its bits. Integers whose range may leave 64 bits, wider bit-vectors, array variables and
//! quantifiers have no representation: formulas with these have no grid.

use crate::eval::{Model, Value};
use crate::pool::Pool;
use crate::semantics::{self, Number};
use crate::term::{
    BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Node, Sort, Term, VarId,
};
use rustc_hash::FxHashMap;

/// Greatest length of a program, in instructions.
const INSTRUCTIONS: usize = 20_000;
/// Greatest size of the register file, in words.
const WORDS: usize = 1 << 21;
/// Greatest nesting of array `ite`s through which a read is expanded.
const CHOICES: u32 = 32;
/// Cost of starting an instruction, in lanes.
const START: u64 = 8;
/// Work between two calls of the stop callback, in units of [`Grid::cost`].
const PATIENCE: u64 = 1 << 20;

/// The values of a variable, as words.
#[derive(Clone, Debug)]
pub enum Values {
    /// One value for each lane. NaNs must be the canonical ones.
    Column(Vec<i64>),
    /// Consecutive values, one at a time, from the least.
    Axis {
        /// The least value.
        low: i64,
        /// The number of values.
        count: u64,
    },
    /// Consecutive values, as many at a time as there are lanes.
    Blocks {
        /// The least value.
        low: i64,
        /// The number of values.
        count: u64,
    },
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub enum Search {
    /// All formulas are true under this model.
    Found(Model),
    /// No values of the grid make all formulas true.
    Exhausted,
    /// The work exceeded the budget, or the callback requested a stop.
    Stopped,
}

/// A conjunction of formulas over a grid of values.
///
/// ```
/// use aback_logic::{Grid, Pool, Search, Sort, Value, Values};
///
/// let mut pool = Pool::new();
/// let (x, y) = (pool.fresh_var("x", Sort::Int), pool.fresh_var("y", Sort::Int));
/// let product = pool.mul(x, y);
/// let ninety_one = pool.int(91);
/// let formula = pool.eq(product, ninety_one);
/// let variables = pool.free_variables(&[formula]);
/// let inputs = [(variables[0], Values::Column((2..80).collect())), (variables[1], Values::Axis { low: 2, count: 78 })];
/// let mut grid = Grid::new(&pool, &[formula], &inputs, 78).unwrap();
/// let Search::Found(model) = grid.search(1_000_000, &|| false) else { panic!() };
/// let factors = [7, 13].map(|factor| Value::Int(factor.into()));
/// assert!(factors.iter().any(|factor| model.get(variables[0]) == Some(factor)));
/// ```
pub struct Grid {
    lanes: usize,
    words: Vec<i64>,
    inputs: Vec<Input>,
    levels: Vec<Level>,
}

struct Input {
    variable: VarId,
    sort: Sort,
    register: Register,
}

/// The code that runs when a digit changes. The first level depends on no digit.
#[derive(Default)]
struct Level {
    digit: Option<Digit>,
    code: Vec<Instruction>,
    /// The formulas whose truth values are known at this level.
    formulas: Vec<Register>,
    /// The lanes in which all formulas up to this level are true.
    alive: Vec<bool>,
    cost: u64,
}

struct Digit {
    register: Register,
    low: i64,
    /// The number of values that the digit takes.
    steps: u64,
    /// The greatest value.
    high: i64,
    step: u64,
}

/// An index of the register file.
#[derive(Clone, Copy, Debug)]
struct Register {
    at: usize,
    /// Whether the register has a word for each lane.
    wide: bool,
}

#[derive(Clone, Copy)]
struct Instruction {
    op: Op,
    dst: Register,
    a: Register,
    b: Register,
    c: Register,
}

#[derive(Clone, Copy)]
enum Op {
    Not,
    And,
    Or,
    Ite,
    Eq,
    /// `a + factor·b`
    AddScaled(i64),
    Mul,
    Div,
    Mod,
    LeZero,
    EqZero,
    Bv(BvOp, u32),
    BvNot,
    BvNeg(u32),
    Compare(BvOrder),
    Extract {
        low: u32,
        width: u32,
    },
    /// The width of the lower part.
    Concat(u32),
    /// The unsigned value of this many bits.
    Unsigned(u32),
    /// The signed value of the lowest bits.
    Signed(u32),
    Float(FloatOp, FloatFormat),
    FloatNeg(FloatFormat),
    FloatUnary(FloatFunction, FloatFormat),
    FloatCompare(FloatOrder, FloatFormat),
    IsNan(FloatFormat),
    ToFloat(FloatFormat),
    UnsignedToFloat(FloatFormat),
    FloatToFloat(FloatFormat, FloatFormat),
    FloatToBv(FloatFormat, u32),
    BitsToFloat(FloatFormat),
}

impl Grid {
    /// The grid of the formulas over these values. Every free variable needs values. Returns `None` if the formulas
    /// have no representation in words.
    pub fn new(pool: &Pool, formulas: &[Term], inputs: &[(VarId, Values)], lanes: usize) -> Option<Grid> {
        let mut compiler = Compiler {
            pool,
            lanes,
            known: FxHashMap::default(),
            reads: FxHashMap::default(),
            words: Vec::new(),
            levels: vec![Level::default()],
            instructions: 0,
        };
        let mut made = Vec::new();
        for (variable, values) in inputs {
            made.push(compiler.input(*variable, values)?);
        }
        for term in pool.subterms(formulas) {
            compiler.term(term)?;
        }
        for formula in formulas {
            let place = *compiler.known.get(formula)?;
            compiler.levels[place.level].formulas.push(place.register);
        }
        let Compiler { words, mut levels, .. } = compiler;
        for level in &mut levels {
            level.alive = vec![true; lanes];
            let cost = |wide: bool| START + if wide { lanes as u64 } else { 1 };
            level.cost = START + level.code.iter().map(|instruction| cost(instruction.dst.wide)).sum::<u64>();
        }
        Some(Grid { lanes, words, inputs: made, levels })
    }

    /// An upper bound of the work of a search. One unit is about one operation on a word.
    pub fn cost(&self) -> u64 {
        let mut rounds = 1u64;
        let mut total = 0u64;
        for level in &self.levels {
            rounds = rounds.saturating_mul(level.digit.as_ref().map_or(1, |digit| digit.steps));
            total = total.saturating_add(rounds.saturating_mul(level.cost));
        }
        total
    }

    /// Searches for values under which all formulas are true. Stops when the work exceeds `budget` or when `stop`,
    /// which is called from time to time, returns true.
    pub fn search(&mut self, budget: u64, stop: &dyn Fn() -> bool) -> Search {
        let mut work = 0u64;
        let mut asked = 0u64;
        let mut counters = vec![0u64; self.levels.len()];
        let mut level = 0;
        loop {
            if let Some(digit) = &self.levels[level].digit {
                if counters[level] == digit.steps {
                    // Go back to the digit above. The first level has no digit: reaching it ends the search.
                    level -= 1;
                    if self.levels[level].digit.is_none() {
                        return Search::Exhausted;
                    }
                    continue;
                }
                digit.set(&mut self.words, self.lanes, counters[level]);
                counters[level] += 1;
            }
            work += self.levels[level].cost;
            if work > budget {
                return Search::Stopped;
            }
            if work - asked > PATIENCE {
                asked = work;
                if stop() {
                    return Search::Stopped;
                }
            }
            for instruction in &self.levels[level].code {
                run(&mut self.words, self.lanes, instruction);
            }
            let alive = self.count(level);
            match alive {
                None if self.levels[level].digit.is_none() => return Search::Exhausted,
                None => {}
                Some(lane) if level + 1 == self.levels.len() => return Search::Found(self.model(lane)),
                Some(_) => {
                    level += 1;
                    counters[level] = 0;
                }
            }
        }
    }

    /// Records the lanes in which the formulas up to this level are true. Returns one of these lanes.
    fn count(&mut self, level: usize) -> Option<usize> {
        let (before, here) = self.levels.split_at_mut(level);
        let Level { formulas, alive, .. } = &mut here[0];
        match before.last() {
            Some(before) => alive.copy_from_slice(&before.alive),
            None => alive.fill(true),
        }
        for formula in formulas {
            if formula.wide {
                let truth = &self.words[formula.at..formula.at + self.lanes];
                alive.iter_mut().zip(truth).for_each(|(alive, &truth)| *alive &= truth != 0);
            } else if self.words[formula.at] == 0 {
                return None;
            }
        }
        alive.iter().position(|&alive| alive)
    }

    fn model(&self, lane: usize) -> Model {
        let mut model = Model::new();
        for Input { variable, sort, register } in &self.inputs {
            let word = self.words[register.at + if register.wide { lane } else { 0 }];
            model.set(*variable, value(*sort, word));
        }
        model
    }
}

/// The value that a word represents.
fn value(sort: Sort, word: i64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(word != 0),
        Sort::BitVec(width) => Value::Bv(width, i128::from(word) as u128 & semantics::mask(width)),
        Sort::Float(format) => Value::Float(format, word as u64),
        Sort::Int | Sort::Array(_) => Value::Int(word.into()),
    }
}

/// The word that represents a value, or `None` if there is none.
pub fn word(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(truth) => Some((*truth).into()),
        Value::Int(value) => value.as_i64(),
        Value::Bv(width @ 1..=64, bits) => i64::try_from(semantics::signed(*bits, *width)).ok(),
        Value::Float(_, bits) => Some(*bits as i64),
        _ => None,
    }
}

impl Digit {
    fn set(&self, words: &mut [i64], lanes: usize, counter: u64) {
        let first = self.low.wrapping_add((counter * self.step) as i64);
        if !self.register.wide {
            words[self.register.at] = first;
            return;
        }
        for (lane, word) in words[self.register.at..self.register.at + lanes].iter_mut().enumerate() {
            // The last block may be shorter: its last value fills the remaining lanes.
            *word = first.saturating_add(lane as i64).min(self.high);
        }
    }
}

/// A register, the level at which its value is known, and the range of its value if it is an integer.
#[derive(Clone, Copy)]
struct Place {
    register: Register,
    level: usize,
    range: (i128, i128),
}

const WORD: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

struct Compiler<'a> {
    pool: &'a Pool,
    lanes: usize,
    known: FxHashMap<Term, Place>,
    /// Reads by array and the register of the index.
    reads: FxHashMap<(Term, usize), Place>,
    words: Vec<i64>,
    levels: Vec<Level>,
    instructions: usize,
}

impl Compiler<'_> {
    fn register(&mut self, wide: bool) -> Option<Register> {
        let at = self.words.len();
        self.words.resize(at + if wide { self.lanes } else { 1 }, 0);
        (self.words.len() <= WORDS).then_some(Register { at, wide })
    }

    fn input(&mut self, variable: VarId, values: &Values) -> Option<Input> {
        let term = self.pool.variable_term(variable);
        let sort = self.pool.sort(term);
        if !matches!(sort, Sort::Bool | Sort::Int | Sort::BitVec(1..=64) | Sort::Float(_)) {
            return None;
        }
        let register = self.register(!matches!(values, Values::Axis { .. }))?;
        let (mut level, range) = (0, |low: i64, high: i64| (i128::from(low), i128::from(high)));
        let range = match *values {
            Values::Column(ref column) => {
                self.words.get_mut(register.at..register.at + self.lanes)?.copy_from_slice(column.get(..self.lanes)?);
                range(*column.iter().min()?, *column.iter().max()?)
            }
            Values::Axis { low, count } | Values::Blocks { low, count } => {
                let high = i64::try_from(i128::from(low) + i128::from(count.checked_sub(1)?)).ok()?;
                let step = if register.wide { self.lanes as u64 } else { 1 };
                let digit = Digit { register, low, steps: count.div_ceil(step), high, step };
                self.levels.push(Level { digit: Some(digit), ..Level::default() });
                level = self.levels.len() - 1;
                range(low, high)
            }
        };
        self.known.insert(term, Place { register, level, range });
        Some(Input { variable, sort, register })
    }

    fn constant(&mut self, word: i64) -> Option<Place> {
        let register = self.register(false)?;
        self.words[register.at] = word;
        Some(Place { register, level: 0, range: (word.into(), word.into()) })
    }

    /// Emits an operation and returns its result. `range` matters only for integers.
    fn emit(&mut self, op: Op, operands: &[Place], range: (i128, i128)) -> Option<Place> {
        self.instructions += 1;
        if self.instructions > INSTRUCTIONS || range.0 < WORD.0 || range.1 > WORD.1 {
            return None;
        }
        let wide = operands.iter().any(|place| place.register.wide);
        let level = operands.iter().map(|place| place.level).max()?;
        let dst = self.register(wide)?;
        let operand = |i: usize| operands.get(i).unwrap_or(&operands[0]).register;
        self.levels[level].code.push(Instruction { op, dst, a: operand(0), b: operand(1), c: operand(2) });
        Some(Place { register: dst, level, range })
    }

    fn of(&self, term: Term) -> Option<Place> {
        self.known.get(&term).copied()
    }

    fn term(&mut self, term: Term) -> Option<()> {
        let pool = self.pool;
        let sort = pool.sort(term);
        if matches!(sort, Sort::Array(_)) {
            // Arrays are compiled where they are read. An array variable has no representation.
            return (!matches!(pool.node(term), Node::Var(_))).then_some(());
        }
        if matches!(sort, Sort::BitVec(65..)) {
            return None;
        }
        if let Some(found) = self.node(term)? {
            self.known.insert(term, found);
        }
        Some(())
    }

    /// The place of a term whose subterms have places. The inner `None` stands for a variable, which already has a
    /// place.
    fn node(&mut self, term: Term) -> Option<Option<Place>> {
        let pool = self.pool;
        let width = || pool.width(term);
        let format = |term: Term| match pool.sort(term) {
            Sort::Float(format) => Some(format),
            _ => None,
        };
        Some(Some(match pool.node(term) {
            Node::Var(_) => {
                self.of(term)?;
                return Some(None);
            }
            Node::Bool(truth) => self.constant((*truth).into())?,
            Node::Int(value) => self.constant(value.as_i64()?)?,
            Node::Bv { width, bits } => self.constant(i64::try_from(semantics::signed(*bits, *width)).ok()?)?,
            Node::Float(_, bits) => self.constant(*bits as i64)?,
            Node::Not(a) => self.unary(Op::Not, *a)?,
            Node::And(parts) => self.fold(Op::And, parts)?,
            Node::Or(parts) => self.fold(Op::Or, parts)?,
            Node::Ite(condition, a, b) => {
                let (condition, a, b) = (self.of(*condition)?, self.of(*a)?, self.of(*b)?);
                self.choice(condition, a, b)?
            }
            Node::Eq(a, b) => self.binary(Op::Eq, *a, *b)?,
            Node::Sum(constant, parts) => {
                let mut total = self.constant(constant.as_i64()?)?;
                for (factor, part) in parts {
                    let (factor, part) = (factor.as_i64()?, self.of(*part)?);
                    let ends = [part.range.0, part.range.1].map(|end| end * i128::from(factor));
                    let range = (total.range.0 + ends[0].min(ends[1]), total.range.1 + ends[0].max(ends[1]));
                    total = self.emit(Op::AddScaled(factor), &[total, part], range)?;
                }
                total
            }
            Node::Product(parts) => {
                let mut total = self.of(*parts.first()?)?;
                for part in &parts[1..] {
                    let part = self.of(*part)?;
                    let ((a, b), (c, d)) = (total.range, part.range);
                    let ends = [a * c, a * d, b * c, b * d];
                    let range = (*ends.iter().min()?, *ends.iter().max()?);
                    total = self.emit(Op::Mul, &[total, part], range)?;
                }
                total
            }
            Node::IntDiv(a, b) => {
                let (a, b) = (self.of(*a)?, self.divisor(*b)?);
                let most = a.range.0.abs().max(a.range.1.abs()) + 1;
                self.emit(Op::Div, &[a, b], (-most, most))?
            }
            Node::IntMod(a, b) => {
                let (a, b) = (self.of(*a)?, self.divisor(*b)?);
                let most = b.range.0.abs().max(b.range.1.abs());
                self.emit(Op::Mod, &[a, b], (0, most))?
            }
            Node::LeZero(a) => self.unary(Op::LeZero, *a)?,
            Node::EqZero(a) => self.unary(Op::EqZero, *a)?,
            Node::BvBinary(op, a, b) => self.binary(Op::Bv(*op, width()), *a, *b)?,
            Node::BvNot(a) => self.unary(Op::BvNot, *a)?,
            Node::BvNeg(a) => self.unary(Op::BvNeg(width()), *a)?,
            Node::BvCompare(order, a, b) => self.binary(Op::Compare(*order), *a, *b)?,
            Node::Extract { low, value, .. } => self.unary(Op::Extract { low: *low, width: width() }, *value)?,
            Node::Concat(a, b) => self.binary(Op::Concat(pool.width(*b)), *a, *b)?,
            Node::Extend { signed: true, value, .. } => self.of(*value)?,
            Node::Extend { signed: false, value, .. } => self.unary(Op::Unsigned(pool.width(*value)), *value)?,
            Node::FloatBinary(op, a, b) => self.binary(Op::Float(*op, format(*a)?), *a, *b)?,
            Node::FloatNeg(a) => self.unary(Op::FloatNeg(format(*a)?), *a)?,
            Node::FloatUnary(function, a) => self.unary(Op::FloatUnary(*function, format(*a)?), *a)?,
            Node::FloatCompare(order, a, b) => self.binary(Op::FloatCompare(*order, format(*a)?), *a, *b)?,
            Node::FloatIsNan(a) => self.unary(Op::IsNan(format(*a)?), *a)?,
            Node::Convert(conversion, a) => self.convert(*conversion, *a)?,
            Node::Select(array, index) => {
                let index = self.of(*index)?;
                self.read(*array, index, CHOICES)?
            }
            Node::Store(..) | Node::ConstArray(..) | Node::Quantified { .. } => return None,
        }))
    }

    fn unary(&mut self, op: Op, a: Term) -> Option<Place> {
        let a = self.of(a)?;
        self.emit(op, &[a], WORD)
    }

    fn binary(&mut self, op: Op, a: Term, b: Term) -> Option<Place> {
        let operands = [self.of(a)?, self.of(b)?];
        self.emit(op, &operands, WORD)
    }

    fn fold(&mut self, op: Op, parts: &[Term]) -> Option<Place> {
        let (first, rest) = parts.split_first()?;
        let mut total = self.of(*first)?;
        for part in rest {
            let part = self.of(*part)?;
            total = self.emit(op, &[total, part], WORD)?;
        }
        Some(total)
    }

    fn choice(&mut self, condition: Place, a: Place, b: Place) -> Option<Place> {
        let range = (a.range.0.min(b.range.0), a.range.1.max(b.range.1));
        self.emit(Op::Ite, &[condition, a, b], range)
    }

    /// The place of a divisor that cannot be zero.
    fn divisor(&self, term: Term) -> Option<Place> {
        self.of(term).filter(|place| place.range.0 > 0 || place.range.1 < 0)
    }

    fn convert(&mut self, conversion: Conversion, term: Term) -> Option<Place> {
        let a = self.of(term)?;
        let (op, range) = match (conversion, self.pool.sort(term)) {
            (Conversion::IntToBv(width @ 1..=64), Sort::Int) => (Op::Signed(width), WORD),
            (Conversion::BvToInt { signed: true }, Sort::BitVec(width)) => {
                let half = 1i128 << (width - 1);
                return Some(Place { range: (-half, half - 1), ..a });
            }
            (Conversion::BvToInt { signed: false }, Sort::BitVec(width @ ..=63)) => {
                (Op::Unsigned(width), (0, (1i128 << width) - 1))
            }
            (Conversion::BvToFloat { signed: true, format }, Sort::BitVec(_)) => (Op::ToFloat(format), WORD),
            (Conversion::BvToFloat { signed: false, format }, Sort::BitVec(width)) => {
                let unsigned = if width < 64 { self.emit(Op::Unsigned(width), &[a], WORD)? } else { a };
                return self.emit(Op::UnsignedToFloat(format), &[unsigned], WORD);
            }
            (Conversion::FloatToFloat(to), Sort::Float(from)) => (Op::FloatToFloat(from, to), WORD),
            (Conversion::FloatToBv(width @ 1..=64), Sort::Float(from)) => (Op::FloatToBv(from, width), WORD),
            (Conversion::FloatToBits(_), Sort::Float(FloatFormat::F64)) => return Some(a),
            (Conversion::FloatToBits(_), Sort::Float(FloatFormat::F32)) => (Op::Signed(32), WORD),
            (Conversion::BitsToFloat(format), Sort::BitVec(_)) => (Op::BitsToFloat(format), WORD),
            _ => return None,
        };
        self.emit(op, &[a], range)
    }

    /// An array's value at an index: a chain of choices over the writes, the latest first.
    fn read(&mut self, array: Term, index: Place, choices: u32) -> Option<Place> {
        let key = (array, index.register.at);
        if let Some(&found) = self.reads.get(&key) {
            return Some(found);
        }
        let pool = self.pool;
        let mut writes = Vec::new();
        let mut base = array;
        let mut result = loop {
            match *pool.node(base) {
                Node::Store(below, at, value) => {
                    writes.push((self.of(at)?, self.of(value)?));
                    base = below;
                }
                Node::ConstArray(_, value) => break self.of(value)?,
                Node::Ite(condition, a, b) if choices > 0 => {
                    let (a, b) = (self.read(a, index, choices - 1)?, self.read(b, index, choices - 1)?);
                    let condition = self.of(condition)?;
                    break self.choice(condition, a, b)?;
                }
                _ => return None,
            }
        };
        for (at, value) in writes.into_iter().rev() {
            let hit = self.emit(Op::Eq, &[at, index], WORD)?;
            result = self.choice(hit, value, result)?;
        }
        self.reads.insert(key, result);
        Some(result)
    }
}

/// The signed value of the lowest `width` bits.
fn signed(word: i64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (word << shift) >> shift
}

/// The unsigned value of the lowest `width` bits, as a word.
fn unsigned(word: i64, width: u32) -> i64 {
    if width >= 64 { word } else { word & ((1 << width) - 1) }
}

fn machine(op: BvOp, width: u32, a: i64, b: i64) -> i64 {
    let distance = u32::try_from(unsigned(b, width) as u64).ok().filter(|&distance| distance < width);
    let (ua, ub) = (unsigned(a, width) as u64, unsigned(b, width) as u64);
    let result = match op {
        BvOp::Add => a.wrapping_add(b),
        BvOp::Mul => a.wrapping_mul(b),
        BvOp::UDiv => ua.checked_div(ub).map_or(-1, |quotient| quotient as i64),
        BvOp::URem => ua.checked_rem(ub).map_or(a, |rest| rest as i64),
        BvOp::SDiv if b == 0 => return if a < 0 { signed(1, width) } else { -1 },
        BvOp::SDiv => a.wrapping_div(b),
        BvOp::SRem if b == 0 => a,
        BvOp::SRem => a.wrapping_rem(b),
        BvOp::And => return a & b,
        BvOp::Or => return a | b,
        BvOp::Xor => return a ^ b,
        BvOp::Shl => distance.map_or(0, |distance| a << distance),
        BvOp::LShr => distance.map_or(0, |distance| (ua >> distance) as i64),
        BvOp::AShr => a >> distance.unwrap_or(63),
    };
    signed(result, width)
}

fn float_to_float(from: FloatFormat, to: FloatFormat, bits: u64) -> u64 {
    match semantics::convert(Conversion::FloatToFloat(to), &Number::Float(from, bits)) {
        Some(Number::Float(_, bits)) => bits,
        _ => 0,
    }
}

fn float_to_bv(from: FloatFormat, width: u32, bits: u64) -> i64 {
    let value = semantics::to_f64(from, bits);
    match width {
        32 => (value as i32).into(),
        64 => value as i64,
        _ => {
            let limit = i64::MAX >> (64 - width);
            (value as i64).clamp(-limit - 1, limit)
        }
    }
}

#[inline(always)]
fn unary(words: &mut [i64], lanes: usize, instruction: &Instruction, f: impl Fn(i64) -> i64) {
    let Instruction { dst, a, .. } = *instruction;
    // Operands have lower addresses than results.
    let (operands, results) = words.split_at_mut(dst.at);
    if !dst.wide {
        results[0] = f(operands[a.at]);
        return;
    }
    let a = &operands[a.at..a.at + lanes];
    results[..lanes].iter_mut().zip(a).for_each(|(result, &a)| *result = f(a));
}

#[inline(always)]
fn binary(words: &mut [i64], lanes: usize, instruction: &Instruction, f: impl Fn(i64, i64) -> i64) {
    let Instruction { dst, a, b, .. } = *instruction;
    let (operands, results) = words.split_at_mut(dst.at);
    if !dst.wide {
        results[0] = f(operands[a.at], operands[b.at]);
        return;
    }
    let results = &mut results[..lanes];
    match (a.wide, b.wide) {
        (true, true) => {
            let (a, b) = (&operands[a.at..a.at + lanes], &operands[b.at..b.at + lanes]);
            results.iter_mut().zip(a).zip(b).for_each(|((result, &a), &b)| *result = f(a, b));
        }
        (true, false) => {
            let (a, b) = (&operands[a.at..a.at + lanes], operands[b.at]);
            results.iter_mut().zip(a).for_each(|(result, &a)| *result = f(a, b));
        }
        _ => {
            let (a, b) = (operands[a.at], &operands[b.at..b.at + lanes]);
            results.iter_mut().zip(b).for_each(|(result, &b)| *result = f(a, b));
        }
    }
}

fn choose(words: &mut [i64], lanes: usize, instruction: &Instruction) {
    let Instruction { dst, a, b, c, .. } = *instruction;
    let (operands, results) = words.split_at_mut(dst.at);
    let count = if dst.wide { lanes } else { 1 };
    let results = &mut results[..count];
    if !a.wide {
        let chosen = if operands[a.at] != 0 { b } else { c };
        match chosen.wide {
            true => results.copy_from_slice(&operands[chosen.at..chosen.at + count]),
            false => results.fill(operands[chosen.at]),
        }
        return;
    }
    let (b_step, c_step) = (usize::from(b.wide), usize::from(c.wide));
    let conditions = &operands[a.at..a.at + count];
    for (lane, (result, &condition)) in results.iter_mut().zip(conditions).enumerate() {
        let (b, c) = (operands[b.at + lane * b_step], operands[c.at + lane * c_step]);
        *result = if condition != 0 { b } else { c };
    }
}

fn run(words: &mut [i64], lanes: usize, instruction: &Instruction) {
    macro_rules! unary {
        ($f:expr) => {
            unary(words, lanes, instruction, $f)
        };
    }
    macro_rules! binary {
        ($f:expr) => {
            binary(words, lanes, instruction, $f)
        };
    }
    macro_rules! machine {
        ($op:expr, $width:expr) => {
            binary!(|a, b| machine($op, $width, a, b))
        };
    }
    match instruction.op {
        Op::Not => unary!(|a| a ^ 1),
        Op::And => binary!(|a, b| a & b),
        Op::Or => binary!(|a, b| a | b),
        Op::Ite => choose(words, lanes, instruction),
        Op::Eq => binary!(|a, b| (a == b).into()),
        Op::AddScaled(1) => binary!(|a: i64, b| a.wrapping_add(b)),
        Op::AddScaled(factor) => binary!(|a: i64, b: i64| a.wrapping_add(b.wrapping_mul(factor))),
        Op::Mul => binary!(|a: i64, b| a.wrapping_mul(b)),
        // The divisor is not zero; its range was checked.
        Op::Div => binary!(|a: i64, b| a.checked_div_euclid(b).unwrap_or(0)),
        Op::Mod => binary!(|a: i64, b| a.checked_rem_euclid(b).unwrap_or(0)),
        Op::LeZero => unary!(|a| (a <= 0).into()),
        Op::EqZero => unary!(|a| (a == 0).into()),
        // Each operator has its own loop, specialized for Java's widths.
        Op::Bv(BvOp::Add, 32) => machine!(BvOp::Add, 32),
        Op::Bv(BvOp::Mul, 32) => machine!(BvOp::Mul, 32),
        Op::Bv(BvOp::SDiv, 32) => machine!(BvOp::SDiv, 32),
        Op::Bv(BvOp::SRem, 32) => machine!(BvOp::SRem, 32),
        Op::Bv(BvOp::Add, width) => machine!(BvOp::Add, width),
        Op::Bv(BvOp::Mul, width) => machine!(BvOp::Mul, width),
        Op::Bv(BvOp::SDiv, width) => machine!(BvOp::SDiv, width),
        Op::Bv(BvOp::SRem, width) => machine!(BvOp::SRem, width),
        Op::Bv(BvOp::And, _) => binary!(|a, b| a & b),
        Op::Bv(BvOp::Or, _) => binary!(|a, b| a | b),
        Op::Bv(BvOp::Xor, _) => binary!(|a, b| a ^ b),
        Op::Bv(op, width) => machine!(op, width),
        Op::BvNot => unary!(|a: i64| !a),
        Op::BvNeg(width) => unary!(|a: i64| signed(a.wrapping_neg(), width)),
        // The sign-extended words, read as unsigned, are ordered like the unsigned values.
        Op::Compare(BvOrder::ULt) => binary!(|a, b| ((a as u64) < b as u64).into()),
        Op::Compare(BvOrder::ULe) => binary!(|a, b| (a as u64 <= b as u64).into()),
        Op::Compare(BvOrder::SLt) => binary!(|a, b| (a < b).into()),
        Op::Compare(BvOrder::SLe) => binary!(|a, b| (a <= b).into()),
        Op::Extract { low, width } => unary!(|a: i64| signed(a >> low, width)),
        Op::Concat(lower) => binary!(|a: i64, b| a << lower | unsigned(b, lower)),
        Op::Unsigned(width) => unary!(|a| unsigned(a, width)),
        Op::Signed(width) => unary!(|a| signed(a, width)),
        Op::Float(op, format) => {
            binary!(|a, b| semantics::float_binary(op, format, a as u64, b as u64) as i64)
        }
        Op::FloatNeg(format) => unary!(|a| semantics::float_neg(format, a as u64) as i64),
        Op::FloatUnary(function, format) => unary!(|a| semantics::float_unary(function, format, a as u64) as i64),
        Op::FloatCompare(order, format) => {
            binary!(|a, b| semantics::float_compare(order, format, a as u64, b as u64).into())
        }
        Op::IsNan(format) => unary!(|a| semantics::float_is_nan(format, a as u64).into()),
        Op::ToFloat(FloatFormat::F32) => unary!(|a| i64::from((a as f32).to_bits())),
        Op::ToFloat(FloatFormat::F64) => unary!(|a| (a as f64).to_bits() as i64),
        Op::UnsignedToFloat(FloatFormat::F32) => unary!(|a| i64::from((a as u64 as f32).to_bits())),
        Op::UnsignedToFloat(FloatFormat::F64) => unary!(|a| (a as u64 as f64).to_bits() as i64),
        Op::FloatToFloat(from, to) => unary!(|a| float_to_float(from, to, a as u64) as i64),
        Op::FloatToBv(from, width) => unary!(|a| float_to_bv(from, width, a as u64)),
        Op::BitsToFloat(FloatFormat::F32) => {
            unary!(|a| semantics::canonical(FloatFormat::F32, unsigned(a, 32) as u64) as i64)
        }
        Op::BitsToFloat(FloatFormat::F64) => unary!(|a| semantics::canonical(FloatFormat::F64, a as u64) as i64),
    }
}
