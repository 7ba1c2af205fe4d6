//! Translates Z3's models to models of terms.

use super::api::{Ast, FloatShape, Model as Z3Model, Session, Shape};
use super::translate::Translator;
use aback_logic::{ArrayValue, FloatFormat, Integer, Model, Pool, Sort, Value};
use num_bigint::BigInt;
use std::rc::Rc;

impl Translator {
    /// The values of variables, or `None` if one of them cannot be expressed.
    pub(super) fn read_model(&self, session: &Session, pool: &Pool, model: &Z3Model) -> Option<Model> {
        let mut read = Model::new();
        for (declaration, value) in session.constants(model) {
            if let Some(&variable) = self.variables.get(&declaration) {
                let sort = pool.variable(variable).sort;
                read.set(variable, value_of(session, pool, model, value, sort)?);
            }
        }
        Some(read)
    }
}

/// Translates a value. The recursion follows the sort only: array sorts nest only as deep as they were declared.
fn value_of(session: &Session, pool: &Pool, model: &Z3Model, value: Ast, sort: Sort) -> Option<Value> {
    Some(match (sort, session.shape(model, value)) {
        (Sort::Bool, Shape::Bool(value)) => Value::Bool(value),
        (Sort::Int, Shape::Numeral(digits)) => Value::Int(integer(&digits)?),
        (Sort::BitVec(width), Shape::Numeral(digits)) => Value::Bv(width, digits.parse().ok()?),
        (Sort::Float(format), Shape::Float(float)) => Value::Float(format, float_bits(format, &float)),
        (Sort::Array(array), shape) => {
            let (index_sort, value_sort) = pool.array_parts(array);
            let point = |(index, value)| {
                let index = value_of(session, pool, model, index, index_sort)?;
                Some((index, value_of(session, pool, model, value, value_sort)?))
            };
            // Writes are visited from the outermost inward; the outermost write to an index counts.
            let mut points = Vec::new();
            let mut shape = shape;
            let default = loop {
                match shape {
                    Shape::Store(inner, index, value) => {
                        points.push(point((index, value))?);
                        shape = session.shape(model, inner);
                    }
                    Shape::ConstArray(default) => break default,
                    Shape::Function(entries, default) => {
                        for entry in entries {
                            points.push(point(entry)?);
                        }
                        break default;
                    }
                    _ => return None,
                }
            };
            let default = value_of(session, pool, model, default, value_sort)?;
            let mut array = ArrayValue::new(default);
            for (index, value) in points.into_iter().rev() {
                array.set(index, value);
            }
            Value::Array(Rc::new(array))
        }
        _ => return None,
    })
}

fn integer(digits: &str) -> Option<Integer> {
    match digits.parse::<i64>() {
        Ok(small) => Some(small.into()),
        Err(_) => digits.parse::<BigInt>().ok().map(Integer::from),
    }
}

fn float_bits(format: FloatFormat, float: &FloatShape) -> u64 {
    let (exponent_bits, fraction_bits) = match format {
        FloatFormat::F32 => (8, 23),
        FloatFormat::F64 => (11, 52),
    };
    let top = (1u64 << exponent_bits) - 1;
    let (negative, exponent, fraction) = match *float {
        FloatShape::Nan => (false, top, 1u64 << (fraction_bits - 1)),
        FloatShape::Infinite(negative) => (negative, top, 0),
        FloatShape::Finite(negative, exponent, fraction) => (negative, exponent as u64 & top, fraction),
    };
    (u64::from(negative) << (format.width() - 1))
        | (exponent << fraction_bits)
        | (fraction & ((1 << fraction_bits) - 1))
}
