//! Evaluates the pure computations of the lowered form ([`Pure`]) in a state of an engine.

use crate::expr;
use aback_heap::Value;
use aback_ir::{ClassId, DivideOp, ExprId, MethodId, Program, Type};
use aback_logic::{Pool, Term};
use aback_lower::Pure;
use rustc_hash::FxHashMap;

/// A state before an operation.
pub trait Site {
    /// Why the operation ends early.
    type End;

    /// The program.
    fn program(&self) -> &Program;

    /// The pool of terms.
    fn pool(&mut self) -> &mut Pool;

    /// The type of an expression of the body.
    fn type_of(&self, expr: ExprId) -> Type;

    /// The value of an expression of the body.
    fn expr(&mut self, expr: ExprId) -> Value;

    /// The length of an array that is not null.
    fn length(&mut self, array: ExprId) -> Result<Value, Self::End>;

    /// The exact types that the object of a non-null reference can have, each with its condition. If `tested` is a type,
    /// all that matters is which of them can be assigned to it.
    fn exact_types(&mut self, reference: ExprId, tested: Option<Type>) -> Result<Vec<(Value, Type)>, Self::End>;

    /// Ends the operation at an unsupported construct.
    fn unsupported(&mut self, construct: &str) -> Self::End;

    /// Whether a reference is null.
    fn is_null(&mut self, reference: ExprId) -> Value {
        let value = self.expr(reference);
        is_null(self.pool(), value)
    }

    /// Whether a value of type `from` can be assigned to a variable of type `to` without a cast.
    fn is_assignable(&mut self, from: Type, to: Type) -> bool {
        self.program().is_assignable(from, to)
    }

    /// The quotient or remainder of two integers of one type. The divisor is not zero.
    fn quotient(&mut self, op: DivideOp, ty: Type, dividend: Value, divisor: Value) -> Value {
        expr::divide(self.pool(), op, ty, dividend, divisor)
    }
}

/// Whether a reference is null.
pub fn is_null(pool: &mut Pool, reference: Value) -> Value {
    match reference {
        Value::Null => Value::Bool(true),
        Value::Term(term) => {
            let null = pool.eq(term, Pool::ZERO);
            Value::from_term(pool, null, Type::Bool)
        }
        _ => Value::Bool(false),
    }
}

/// The negation of a truth value.
pub fn not(pool: &mut Pool, value: Value) -> Value {
    match value {
        Value::Bool(value) => Value::Bool(!value),
        value => {
            let term = value.to_term(pool, Type::Bool);
            let negated = pool.not(term);
            Value::from_term(pool, negated, Type::Bool)
        }
    }
}

/// The value of a pure computation.
pub fn value<S: Site>(site: &mut S, pure: &Pure) -> Result<Value, S::End> {
    Ok(match *pure {
        Pure::Expr(expr) => site.expr(expr),
        Pure::Index(index) => Value::Int(index),
        Pure::ToIndex(expr) => {
            let (from, to) = (site.type_of(expr), site.program().index_type());
            let value = site.expr(expr);
            recast(site, value, from, to)?
        }
        Pure::FromIndex(ref index, ty) => {
            let from = site.program().index_type();
            let value = value(site, index)?;
            recast(site, value, from, ty)?
        }
        Pure::Length(array) => site.length(array)?,
        Pure::IsNull(reference) => site.is_null(reference),
        Pure::IsZero(expr) => {
            let (value, ty) = (site.expr(expr), site.type_of(expr));
            let zero = Value::equals(site.pool(), value, Value::Int(0), ty);
            Value::from_term(site.pool(), zero, Type::Bool)
        }
        Pure::IsA(object, ty) => is_a(site, object, ty)?,
        Pure::CanHold { array, object } => can_hold(site, array, object)?,
        Pure::Quotient { op, dividend, divisor } => {
            let (ty, a, b) = (site.type_of(dividend), site.expr(dividend), site.expr(divisor));
            site.quotient(op, ty, a, b)
        }
        Pure::Less(ref a, ref b) => {
            let (a, b, ty) = (value(site, a)?, value(site, b)?, site.program().index_type());
            expr::less(site.pool(), a, b, ty)
        }
        Pure::Not(ref operand) => {
            let operand = value(site, operand)?;
            not(site.pool(), operand)
        }
        Pure::And(ref a, ref b) => match value(site, a)? {
            Value::Bool(false) => Value::Bool(false),
            a => {
                let b = value(site, b)?;
                connect(site.pool(), Pool::and, a, b)
            }
        },
        Pure::Or(ref a, ref b) => match value(site, a)? {
            Value::Bool(true) => Value::Bool(true),
            a => {
                let b = value(site, b)?;
                connect(site.pool(), Pool::or, a, b)
            }
        },
    })
}

fn connect(pool: &mut Pool, by: fn(&mut Pool, Term, Term) -> Term, a: Value, b: Value) -> Value {
    let [a, b] = [a, b].map(|value| value.to_term(pool, Type::Bool));
    let term = by(pool, a, b);
    Value::from_term(pool, term, Type::Bool)
}

fn recast<S: Site>(site: &mut S, value: Value, from: Type, to: Type) -> Result<Value, S::End> {
    expr::recast(site.pool(), value, from, to).ok_or_else(|| site.unsupported(expr::NARROW))
}

/// Whether a non-null object is an instance of a type.
fn is_a<S: Site>(site: &mut S, object: ExprId, ty: Type) -> Result<Value, S::End> {
    let static_type = site.type_of(object);
    if site.is_assignable(static_type, ty) {
        return Ok(Value::Bool(true));
    }
    let types = site.exact_types(object, Some(ty))?;
    let (fitting, others): (Vec<_>, Vec<_>) = types.into_iter().partition(|&(_, exact)| site.is_assignable(exact, ty));
    Ok(is_one_of(site.pool(), &fitting, others.is_empty()))
}

/// Whether an object has one of these exact types, each with its condition. `are_all` says whether the object can have
/// no others.
pub fn is_one_of(pool: &mut Pool, types: &[(Value, Type)], are_all: bool) -> Value {
    if are_all {
        return Value::Bool(true);
    }
    let conditions: Vec<Term> = types.iter().map(|(condition, _)| condition.to_term(pool, Type::Bool)).collect();
    let any = pool.or_all(&conditions);
    Value::from_term(pool, any, Type::Bool)
}

/// A cache of the methods that dispatch selects.
#[derive(Default)]
pub struct Dispatched {
    known: FxHashMap<(ClassId, MethodId), MethodId>,
}

impl Dispatched {
    /// The method that a call of `method` runs on an object of exactly `class`.
    pub fn callee(&mut self, program: &Program, class: ClassId, method: MethodId) -> MethodId {
        *self.known.entry((class, method)).or_insert_with(|| program.dispatch(class, method))
    }

    /// The methods that a call can run, each once with its condition. `types` are the exact types that the receiver can
    /// have, with their conditions.
    pub fn callees(
        &mut self,
        pool: &mut Pool,
        program: &Program,
        types: impl IntoIterator<Item = (Value, Type)>,
        method: MethodId,
    ) -> Vec<(Value, MethodId)> {
        let mut callees: Vec<(Value, MethodId)> = Vec::new();
        for (condition, exact) in types {
            let Some(class) = program.class_of(exact) else { continue };
            let callee = self.callee(program, class, method);
            match callees.iter_mut().find(|(_, other)| *other == callee) {
                Some((other, _)) => *other = connect(pool, Pool::or, *other, condition),
                None => callees.push((condition, callee)),
            }
        }
        callees
    }
}

/// Whether a non-null array can hold a non-null object.
fn can_hold<S: Site>(site: &mut S, array: ExprId, object: ExprId) -> Result<Value, S::End> {
    let static_type = site.type_of(object);
    let mut bad = Pool::FALSE;
    for (condition, exact) in site.exact_types(array, None)? {
        let Type::Array(exact) = exact else { continue };
        let element = site.program().element_type(exact);
        if site.is_assignable(static_type, element) {
            continue;
        }
        let fits = is_a(site, object, element)?;
        let pool = site.pool();
        let misfit = not(pool, fits).to_term(pool, Type::Bool);
        let condition = condition.to_term(pool, Type::Bool);
        let misfit = pool.and(condition, misfit);
        bad = pool.or(bad, misfit);
    }
    let good = site.pool().not(bad);
    Ok(Value::from_term(site.pool(), good, Type::Bool))
}
