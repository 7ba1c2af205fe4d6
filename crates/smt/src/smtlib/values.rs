//! Reads the values in the models of SMT-LIB solvers.

use super::print::float_sizes;
use super::sexp::{Sexp, Sexps};
use aback_logic::{ArrayValue, FloatFormat, Integer, Model, Pool, Sort, Value, VarId};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Reads the answer to `(get-model)`. Returns `None` if a variable's value cannot be understood.
pub(super) fn read_model(pool: &Pool, answer: &Sexps, variables: &FxHashMap<String, VarId>) -> Option<Model> {
    let mut functions = FxHashMap::default();
    let mut definitions = Vec::new();
    for definition in answer.iter().next()?.members() {
        // Older solvers begin the list with the word `model`. Other entries, such as `declare-fun`, are skipped.
        if let Some([keyword, name, parameters, _, body]) = definition.exactly()
            && keyword.is("define-fun")
        {
            let name = name.atom()?;
            functions.insert(name, (parameters, body));
            if let Some(&variable) = variables.get(name) {
                definitions.push((variable, parameters, body));
            }
        }
    }
    let reader = Reader { pool, functions };
    let mut model = Model::new();
    for (variable, parameters, body) in definitions {
        let sort = pool.variable(variable).sort;
        // Yices defines arrays as functions of the index.
        let value = match parameters.members().next() {
            Some(_) => reader.cases_of(parameters, body, sort)?,
            None => reader.value(body, sort)?,
        };
        model.set(variable, value);
    }
    Some(model)
}

/// Reads a value of a sort. Returns `None` if it cannot be understood.
pub(crate) fn read_value(pool: &Pool, text: &str, sort: Sort) -> Option<Value> {
    let parsed = Sexps::parse(text)?;
    Reader { pool, functions: FxHashMap::default() }.value(parsed.iter().next()?, sort)
}

struct Reader<'a> {
    pool: &'a Pool,
    /// The parameters and bodies of the functions that a model defines.
    functions: FxHashMap<&'a str, (Sexp<'a>, Sexp<'a>)>,
}

impl<'a> Reader<'a> {
    /// Reads a value. The recursion follows the sort only: array sorts nest only as deep as they were declared.
    fn value(&self, text: Sexp<'a>, sort: Sort) -> Option<Value> {
        Some(match sort {
            Sort::Bool => Value::Bool(match text.atom()? {
                "true" => true,
                "false" => false,
                _ => return None,
            }),
            Sort::Int => Value::Int(integer(text)?),
            Sort::BitVec(width) => {
                let (length, bits) = bits(text)?;
                (length == width).then_some(Value::Bv(width, bits))?
            }
            Sort::Float(format) => Value::Float(format, float(text, format)?),
            Sort::Array(_) => self.array(text, sort)?,
        })
    }

    fn array(&self, text: Sexp<'a>, sort: Sort) -> Option<Value> {
        let Sort::Array(array) = sort else {
            return None;
        };
        let (index_sort, value_sort) = self.pool.array_parts(array);
        // Writes are visited from the outermost inward; the outermost write to an index counts.
        let mut points = Vec::new();
        let mut text = text;
        let default = loop {
            if let Some([store, inner, index, value]) = text.exactly()
                && store.is("store")
            {
                points.push((self.value(index, index_sort)?, self.value(value, value_sort)?));
                text = inner;
            } else if let Some([head, default]) = text.exactly()
                && head.members().nth(1).is_some_and(|word| word.is("const"))
            {
                break self.value(default, value_sort)?;
            } else if let Some([underscore, word, function]) = text.exactly()
                && underscore.is("_")
                && word.is("as-array")
            {
                break self.function(function.atom()?, index_sort, value_sort, &mut points)?;
            } else if let Some([lambda, parameters, body]) = text.exactly()
                && lambda.is("lambda")
            {
                break self.cases(parameters, body, index_sort, value_sort, &mut points)?;
            } else {
                return None;
            }
        };
        Some(array_of(default, points))
    }

    /// The array that a function of the index stands for.
    fn cases_of(&self, parameters: Sexp<'a>, body: Sexp<'a>, sort: Sort) -> Option<Value> {
        let Sort::Array(array) = sort else {
            return None;
        };
        let (index_sort, value_sort) = self.pool.array_parts(array);
        let mut points = Vec::new();
        let default = self.cases(parameters, body, index_sort, value_sort, &mut points)?;
        Some(array_of(default, points))
    }

    fn function(&self, name: &str, index: Sort, value: Sort, points: &mut Vec<(Value, Value)>) -> Option<Value> {
        let &(parameters, body) = self.functions.get(name)?;
        self.cases(parameters, body, index, value, points)
    }

    /// Reads `(ite (= x 3) a (ite (= x 4) b c))`: adds the points to `points` and returns the value elsewhere.
    fn cases(
        &self,
        parameters: Sexp<'a>,
        body: Sexp<'a>,
        index_sort: Sort,
        value_sort: Sort,
        points: &mut Vec<(Value, Value)>,
    ) -> Option<Value> {
        let [parameter] = parameters.exactly()?;
        let parameter = parameter.members().next()?.atom()?;
        let mut body = body;
        while let Some([ite, condition, then, otherwise]) = body.exactly()
            && ite.is("ite")
        {
            let [equals, a, b] = condition.exactly()?;
            let index = match (equals.is("="), a.is(parameter), b.is(parameter)) {
                (true, true, _) => b,
                (true, _, true) => a,
                _ => return None,
            };
            points.push((self.value(index, index_sort)?, self.value(then, value_sort)?));
            body = otherwise;
        }
        self.value(body, value_sort)
    }
}

/// The array with these values at points, of which the first one for an index counts, and the default elsewhere.
fn array_of(default: Value, points: Vec<(Value, Value)>) -> Value {
    let mut array = ArrayValue::new(default);
    for (index, value) in points.into_iter().rev() {
        array.set(index, value);
    }
    Value::Array(Rc::new(array))
}

/// Reads `3` or `(- 3)`.
fn integer(text: Sexp) -> Option<Integer> {
    let (negative, digits) = match text.atom() {
        Some(digits) => (false, digits),
        None => {
            let [minus, digits] = text.exactly()?;
            (minus.is("-"), digits.atom()?)
        }
    };
    let value = Integer::from(digits.parse::<BigInt>().ok()?);
    Some(if negative { -&value } else { value })
}

/// Reads `#b101`, `#xa5` or `(_ bv5 3)`: the width and the bits.
fn bits(text: Sexp) -> Option<(u32, u128)> {
    if let Some(digits) = text.atom() {
        let length = u32::try_from(digits.len().checked_sub(2)?).ok()?;
        return match digits.split_at_checked(2)? {
            ("#b", digits) => Some((length, u128::from_str_radix(digits, 2).ok()?)),
            ("#x", digits) => Some((length * 4, u128::from_str_radix(digits, 16).ok()?)),
            _ => None,
        };
    }
    let [underscore, value, width] = text.exactly()?;
    let value = value.atom()?.strip_prefix("bv")?;
    underscore.is("_").then_some((width.atom()?.parse().ok()?, value.parse().ok()?))
}

fn float(text: Sexp, format: FloatFormat) -> Option<u64> {
    let (_, significand) = float_sizes(format);
    let fraction_bits = significand - 1;
    let sign_bit = 1u64 << (format.width() - 1);
    let infinity = (sign_bit - 1) >> fraction_bits << fraction_bits;
    if let Some([fp, sign, exponent, fraction]) = text.exactly()
        && fp.is("fp")
    {
        let [sign, exponent, fraction] = [sign, exponent, fraction].map(|part| bits(part).map(|(_, bits)| bits as u64));
        return Some((sign? * sign_bit) | (exponent? << fraction_bits) | fraction?);
    }
    let [_, name, _, _] = text.exactly()?;
    Some(match name.atom()? {
        "+zero" => 0,
        "-zero" => sign_bit,
        "+oo" => infinity,
        "-oo" => infinity | sign_bit,
        "NaN" => infinity | 1 << (fraction_bits - 1),
        _ => return None,
    })
}
