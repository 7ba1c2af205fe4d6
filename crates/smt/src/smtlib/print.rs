//! Prints terms as SMT-LIB 2.6. Shared and deep subterms become definitions, so that the text is linear in the size
//! of the term's graph and never deeply nested.

use crate::solver::Reason;
use aback_logic::{
    BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Integer, Node, Pool, Sort, Term, Value,
    VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Greatest nesting of a term's text. Deeper terms become definitions.
const NESTING: u32 = 24;

/// The declarations and definitions on the open levels.
#[derive(Default)]
pub(super) struct Printer {
    /// The texts of variables and of defined terms.
    names: FxHashMap<Term, String>,
    /// The variables by their names in the text.
    pub(super) variables: FxHashMap<String, VarId>,
    /// The terms in `names` in order of insertion. `levels` says where each level begins.
    trail: Vec<Term>,
    levels: Vec<usize>,
}

impl Printer {
    pub(super) fn push(&mut self) {
        self.levels.push(self.trail.len());
    }

    pub(super) fn pop(&mut self, levels: usize) {
        let left = self.levels.len().saturating_sub(levels);
        if let Some(&start) = self.levels.get(left) {
            for term in self.trail.drain(start..) {
                if let Some(name) = self.names.remove(&term) {
                    self.variables.remove(&name);
                }
            }
        }
        self.levels.truncate(left);
    }

    fn name(&mut self, term: Term, name: String) {
        self.names.insert(term, name);
        self.trail.push(term);
    }

    /// Writes the declarations and definitions that the formula still needs to `out`. Returns the formula's text.
    pub(super) fn print(&mut self, pool: &Pool, formula: Term, out: &mut String) -> Result<String, Reason> {
        let (order, uses) = self.new_terms(pool, formula);
        let bound = BoundVariables::of(pool, &order);
        let mut texts: FxHashMap<Term, (String, u32)> = FxHashMap::default();
        for term in order {
            if let Node::Var(id) = *pool.node(term) {
                self.variable(pool, id, term, bound.all.contains(&id), out)?;
                continue;
            }
            if let Node::Convert(Conversion::FloatToBits(format), float) = *pool.node(term)
                && bound.within(term).is_empty()
            {
                self.bits(format, term, &self.text(&texts, float)?, out)?;
                continue;
            }
            let mut height = 0;
            pool.for_each_operand(term, |child| height = height.max(texts.get(&child).map_or(0, |text| text.1)));
            let text = level(pool, term, &|part| self.text(&texts, part))?;
            let parameters = bound.within(term);
            let define = uses.get(&term).is_some_and(|&uses| uses > 1) || height >= NESTING;
            if !define || pool.is_const(term) {
                texts.insert(term, (text, height + 1));
            } else if parameters.is_empty() {
                let name = format!("def!{}", term.index());
                writeln!(out, "(define-fun {name} () {} {text})", sort(pool, pool.sort(term))).map_err(broken)?;
                self.name(term, name);
            } else {
                // A term that depends on quantified variables becomes a function of them.
                let name = format!("def!{}", term.index());
                let variables = parameters.iter().map(|id| format!("({} Int)", variable_name(pool, *id)));
                let variables: Vec<String> = variables.collect();
                let sort = sort(pool, pool.sort(term));
                writeln!(out, "(define-fun {name} ({}) {sort} {text})", variables.join(" ")).map_err(broken)?;
                let arguments: Vec<String> = parameters.iter().map(|id| variable_name(pool, *id)).collect();
                self.name(term, format!("({name} {})", arguments.join(" ")));
            }
        }
        self.text(&texts, formula)
    }

    fn text(&self, texts: &FxHashMap<Term, (String, u32)>, term: Term) -> Result<String, Reason> {
        let known = self.names.get(&term).or_else(|| texts.get(&term).map(|text| &text.0));
        known.cloned().ok_or_else(|| Reason::Failed("a subterm was not printed".into()))
    }

    /// The subterms without a name, each after its own subterms, and the number of occurrences of each in other
    /// subterms.
    fn new_terms(&self, pool: &Pool, formula: Term) -> (Vec<Term>, FxHashMap<Term, u32>) {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut pending = vec![formula];
        let mut visit = |term: Term, pending: &mut Vec<Term>| {
            let count = uses.entry(term).or_insert(0);
            *count += 1;
            if *count == 1 {
                pending.push(term);
            }
        };
        while let Some(term) = pending.pop() {
            if self.names.contains_key(&term) {
                continue;
            }
            order.push(term);
            pool.for_each_operand(term, |child| visit(child, &mut pending));
            if let Node::Quantified { variable, .. } = pool.node(term) {
                visit(pool.variable_term(*variable), &mut pending);
            }
        }
        // A term's id is greater than those of its subterms.
        order.sort_unstable();
        order.dedup();
        (order, uses)
    }

    /// Declares the bits of a float. SMT-LIB has no function for them, because NaN has many bit patterns; so the bits
    /// are declared, and the float with these bits is asserted to be the given one.
    fn bits(&mut self, format: FloatFormat, term: Term, float: &str, out: &mut String) -> Result<(), Reason> {
        let name = format!("bits!{}", term.index());
        let (width, to_fp) = (format.width(), to_fp(format));
        let nan: u64 = match format {
            FloatFormat::F32 => 0x7fc0_0000,
            FloatFormat::F64 => 0x7ff8_0000_0000_0000,
        };
        writeln!(out, "(declare-fun {name} () (_ BitVec {width}))").map_err(broken)?;
        writeln!(
            out,
            "(assert (let ((x {float})) (ite (fp.isNaN x) (= {name} (_ bv{nan} {width})) (= ({to_fp} {name}) x))))"
        )
        .map_err(broken)?;
        self.name(term, name);
        Ok(())
    }

    fn variable(&mut self, pool: &Pool, id: VarId, term: Term, bound: bool, out: &mut String) -> Result<(), Reason> {
        let name = variable_name(pool, id);
        if !bound {
            writeln!(out, "(declare-fun {name} () {})", sort(pool, pool.variable(id).sort)).map_err(broken)?;
            self.variables.insert(name.clone(), id);
        }
        self.name(term, name);
        Ok(())
    }
}

/// The quantified variables that occur free in each term.
struct BoundVariables {
    all: FxHashSet<VarId>,
    within: FxHashMap<Term, Vec<VarId>>,
}

impl BoundVariables {
    /// Finds the variables of these terms. Each term comes after its subterms.
    fn of(pool: &Pool, order: &[Term]) -> Self {
        let quantified = order.iter().filter_map(|&term| match pool.node(term) {
            Node::Quantified { variable, .. } => Some(*variable),
            _ => None,
        });
        let mut found = BoundVariables { all: quantified.collect(), within: FxHashMap::default() };
        if found.all.is_empty() {
            return found;
        }
        for &term in order {
            let mut variables: Vec<VarId> = Vec::new();
            pool.for_each_operand(term, |child| variables.extend_from_slice(found.within(child)));
            match pool.node(term) {
                Node::Var(id) if found.all.contains(id) => variables.push(*id),
                Node::Quantified { variable, .. } => variables.retain(|id| id != variable),
                _ => {}
            }
            variables.sort_unstable();
            variables.dedup();
            if !variables.is_empty() {
                found.within.insert(term, variables);
            }
        }
        found
    }

    fn within(&self, term: Term) -> &[VarId] {
        self.within.get(&term).map_or(&[], Vec::as_slice)
    }
}

fn broken(_: std::fmt::Error) -> Reason {
    Reason::Failed("text cannot be written".into())
}

/// The name of a variable in the text: its own name with a number that makes it a unique symbol.
fn variable_name(pool: &Pool, id: VarId) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.') { c } else { '_' };
    let name: String = pool.variable(id).name.chars().map(plain).collect();
    let letter = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    format!("{}{name}@{}", if letter { "" } else { "_" }, id.index())
}

/// The text of a sort. The recursion follows the sort: array sorts nest only as deep as they were declared.
pub(super) fn sort(pool: &Pool, sort_: Sort) -> String {
    match sort_ {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Float(format) => {
            let (exponent, significand) = float_sizes(format);
            format!("(_ FloatingPoint {exponent} {significand})")
        }
        Sort::Array(array) => {
            let (index, value) = pool.array_parts(array);
            format!("(Array {} {})", sort(pool, index), sort(pool, value))
        }
    }
}

/// The widths of the exponent and of the significand with its hidden bit.
pub(super) fn float_sizes(format: FloatFormat) -> (u32, u32) {
    match format {
        FloatFormat::F32 => (8, 24),
        FloatFormat::F64 => (11, 53),
    }
}

/// The text of a value of a sort, as solvers write it in models.
pub(crate) fn value_text(pool: &Pool, value: &Value, of: Sort) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => integer(number),
        Value::Bv(width, bits) => format!("#b{bits:0width$b}", width = *width as usize),
        Value::Float(format, bits) => float(*format, *bits),
        Value::Array(array) => {
            let Sort::Array(parts) = of else { return String::new() };
            let (index, element) = pool.array_parts(parts);
            let default = value_text(pool, array.default_value(), element);
            array.entries().fold(format!("((as const {}) {default})", sort(pool, of)), |inner, (at, value)| {
                let (at, value) = (value_text(pool, at, index), value_text(pool, value, element));
                format!("(store {inner} {at} {value})")
            })
        }
    }
}

fn integer(value: &Integer) -> String {
    if value.signum() < 0 { format!("(- {})", value.abs()) } else { value.to_string() }
}

fn float(format: FloatFormat, bits: u64) -> String {
    let (exponent, significand) = float_sizes(format);
    let is_nan = match format {
        FloatFormat::F32 => f32::from_bits(bits as u32).is_nan(),
        FloatFormat::F64 => f64::from_bits(bits).is_nan(),
    };
    if is_nan {
        return format!("(_ NaN {exponent} {significand})");
    }
    let digits = format!("{bits:0width$b}", width = format.width() as usize);
    let (sign, rest) = digits.split_at(1);
    let (exponent, fraction) = rest.split_at(exponent as usize);
    format!("(fp #b{sign} #b{exponent} #b{fraction})")
}

fn to_fp(format: FloatFormat) -> String {
    let (exponent, significand) = float_sizes(format);
    format!("(_ to_fp {exponent} {significand})")
}

fn sum(
    constant: &Integer,
    parts: &[(Integer, Term)],
    part: &dyn Fn(Term) -> Result<String, Reason>,
) -> Result<String, Reason> {
    let mut summands = Vec::with_capacity(parts.len() + 1);
    for (factor, term) in parts {
        let term = part(*term)?;
        summands.push(if factor.is_one() { term } else { format!("(* {} {term})", integer(factor)) });
    }
    if !constant.is_zero() || summands.is_empty() {
        summands.push(integer(constant));
    }
    Ok(match &summands[..] {
        [only] => only.clone(),
        _ => format!("(+ {})", summands.join(" ")),
    })
}

/// The outermost level of a term that is not a variable, given the texts of its parts.
fn level(pool: &Pool, term: Term, part: &dyn Fn(Term) -> Result<String, Reason>) -> Result<String, Reason> {
    let apply = |operator: &str, parts: &[Term]| {
        let mut text = format!("({operator}");
        for &argument in parts {
            text.push(' ');
            text.push_str(&part(argument)?);
        }
        text.push(')');
        Ok(text)
    };
    let compare = |operator: &str, difference: Term| {
        let [left, right] = pool.sides(difference);
        Ok(format!("({operator} {} {})", sum(&left.0, &left.1, part)?, sum(&right.0, &right.1, part)?))
    };
    match pool.node(term) {
        Node::Bool(value) => Ok(value.to_string()),
        Node::Int(value) => Ok(integer(value)),
        Node::Bv { width, bits } => Ok(format!("(_ bv{bits} {width})")),
        Node::Float(format, bits) => Ok(float(*format, *bits)),
        Node::Var(id) => Ok(variable_name(pool, *id)),
        Node::Not(a) => apply("not", &[*a]),
        Node::And(parts) => apply("and", parts),
        Node::Or(parts) => apply("or", parts),
        Node::Ite(c, a, b) => apply("ite", &[*c, *a, *b]),
        Node::Eq(a, b) => apply("=", &[*a, *b]),
        Node::Sum(constant, parts) => sum(constant, parts, part),
        Node::Product(parts) => match parts[..] {
            [only] => part(only),
            _ => apply("*", parts),
        },
        Node::IntDiv(a, b) => apply("div", &[*a, *b]),
        Node::IntMod(a, b) => apply("mod", &[*a, *b]),
        Node::LeZero(sum) => compare("<=", *sum),
        Node::EqZero(sum) => compare("=", *sum),
        Node::BvBinary(op, a, b) => {
            let operator = match op {
                BvOp::Add => "bvadd",
                BvOp::Mul => "bvmul",
                BvOp::UDiv => "bvudiv",
                BvOp::URem => "bvurem",
                BvOp::SDiv => "bvsdiv",
                BvOp::SRem => "bvsrem",
                BvOp::And => "bvand",
                BvOp::Or => "bvor",
                BvOp::Xor => "bvxor",
                BvOp::Shl => "bvshl",
                BvOp::LShr => "bvlshr",
                BvOp::AShr => "bvashr",
            };
            apply(operator, &[*a, *b])
        }
        Node::BvNot(a) => apply("bvnot", &[*a]),
        Node::BvNeg(a) => apply("bvneg", &[*a]),
        Node::BvCompare(order, a, b) => {
            let operator = match order {
                BvOrder::ULt => "bvult",
                BvOrder::ULe => "bvule",
                BvOrder::SLt => "bvslt",
                BvOrder::SLe => "bvsle",
            };
            apply(operator, &[*a, *b])
        }
        Node::Extract { high, low, value } => apply(&format!("(_ extract {high} {low})"), &[*value]),
        Node::Concat(a, b) => apply("concat", &[*a, *b]),
        Node::Extend { signed, by, value } => {
            let kind = if *signed { "sign" } else { "zero" };
            apply(&format!("(_ {kind}_extend {by})"), &[*value])
        }
        Node::FloatBinary(op, a, b) => {
            let operator = match op {
                FloatOp::Add => "fp.add RNE",
                FloatOp::Sub => "fp.sub RNE",
                FloatOp::Mul => "fp.mul RNE",
                FloatOp::Div => "fp.div RNE",
                FloatOp::Rem => return Err(Reason::Unsupported("the remainder of floats".into())),
            };
            apply(operator, &[*a, *b])
        }
        Node::FloatNeg(a) => apply("fp.neg", &[*a]),
        Node::FloatUnary(function, a) => {
            let operator = match function {
                FloatFunction::Abs => "fp.abs",
                FloatFunction::Sqrt => "fp.sqrt RNE",
                FloatFunction::Floor => "fp.roundToIntegral RTN",
                FloatFunction::Ceil => "fp.roundToIntegral RTP",
                FloatFunction::Rint => "fp.roundToIntegral RNE",
            };
            apply(operator, &[*a])
        }
        Node::FloatCompare(order, a, b) => {
            let operator = match order {
                FloatOrder::Eq => "fp.eq",
                FloatOrder::Lt => "fp.lt",
                FloatOrder::Le => "fp.leq",
            };
            apply(operator, &[*a, *b])
        }
        Node::FloatIsNan(a) => apply("fp.isNaN", &[*a]),
        Node::Convert(conversion, a) => convert(pool, *conversion, *a, part(*a)?),
        Node::Select(array, index) => apply("select", &[*array, *index]),
        Node::Store(array, index, value) => apply("store", &[*array, *index, *value]),
        Node::ConstArray(_, value) => Ok(format!("((as const {}) {})", sort(pool, pool.sort(term)), part(*value)?)),
        Node::Quantified { forall, variable, low, high, body } => {
            let name = variable_name(pool, *variable);
            let (low, high, body) = (part(*low)?, part(*high)?, part(*body)?);
            let (quantifier, connective) = if *forall { ("forall", "=>") } else { ("exists", "and") };
            Ok(format!("({quantifier} (({name} Int)) ({connective} (and (<= {low} {name}) (< {name} {high})) {body}))"))
        }
    }
}

fn convert(pool: &Pool, conversion: Conversion, operand: Term, text: String) -> Result<String, Reason> {
    Ok(match conversion {
        Conversion::IntToBv(width) => format!("((_ int2bv {width}) {text})"),
        Conversion::BvToInt { signed: false } => format!("(bv2nat {text})"),
        Conversion::BvToInt { signed: true } => {
            let width = pool.width(operand);
            let modulus = &Integer::from_unsigned_bits(1 << (width - 1)) * &Integer::from(2);
            format!("(let ((x {text})) (ite (bvslt x (_ bv0 {width})) (- (bv2nat x) {modulus}) (bv2nat x)))")
        }
        Conversion::BvToFloat { signed: true, format } => format!("({} RNE {text})", to_fp(format)),
        Conversion::BvToFloat { signed: false, format } => {
            let (exponent, significand) = float_sizes(format);
            format!("((_ to_fp_unsigned {exponent} {significand}) RNE {text})")
        }
        Conversion::FloatToFloat(format) => format!("({} RNE {text})", to_fp(format)),
        Conversion::BitsToFloat(format) => format!("({} {text})", to_fp(format)),
        // All others were declared as variables.
        Conversion::FloatToBits(_) => {
            return Err(Reason::Unsupported("the bits of a float under a quantifier".into()));
        }
        Conversion::FloatToBv(width) => {
            let Sort::Float(format) = pool.sort(operand) else {
                return Err(Reason::Failed("a conversion from a float is of something else".into()));
            };
            // SMT-LIB's own conversion is unspecified outside the range.
            let end = 2f64.powi(width as i32 - 1);
            let bits = |value: f64| match format {
                FloatFormat::F32 => u64::from((value as f32).to_bits()),
                FloatFormat::F64 => value.to_bits(),
            };
            let (least, beyond) = (float(format, bits(-end)), float(format, bits(end)));
            let sign_bit = 1u128 << (width - 1);
            let maximum = sign_bit - 1;
            format!(
                "(let ((x {text})) (ite (fp.isNaN x) (_ bv0 {width}) (ite (fp.leq x {least}) (_ bv{sign_bit} {width}) \
                 (ite (fp.leq {beyond} x) (_ bv{maximum} {width}) ((_ fp.to_sbv {width}) RTZ x)))))"
            )
        }
    })
}
