//! Determines the fields that a constructor leaves in an object, if it only copies parameters and constants into
//! fields.

use aback_ir::{
    Body, Const, Dispatch, Expr, ExprId, FieldId, LocalId, MethodId, MethodKind, OpKind, Program, TerminatorKind, Type,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Most constructors that call each other and are followed.
const DEPTH: usize = 16;
/// Most blocks on the path through a constructor that are followed.
const BLOCKS: usize = 64;

/// The source of a field's value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Source {
    /// A parameter; number 0 is the object.
    Param(usize),
    Const(Const),
}

/// The values of fields after a constructor; other fields hold defaults. `None` if the constructor does anything else
/// or cannot be analysed.
pub(crate) fn effect(program: &Program, constructor: MethodId) -> Option<BTreeMap<FieldId, Source>> {
    effect_within(program, constructor, DEPTH)
}

fn effect_within(program: &Program, constructor: MethodId, depth: usize) -> Option<BTreeMap<FieldId, Source>> {
    let method = program.method(constructor);
    if method.kind != MethodKind::Constructor || depth == 0 {
        return None;
    }
    let body = program.body(constructor)?;
    let mut locals: FxHashMap<LocalId, Source> =
        (0..method.params.len()).map(|param| (LocalId(param as u32), Source::Param(param))).collect();
    let mut fields = BTreeMap::new();
    let mut block = Body::ENTRY;
    for _ in 0..BLOCKS {
        let current = body.blocks.get(block.index())?;
        for op in &current.ops {
            match &op.kind {
                OpKind::Assign { dst, value } => {
                    let value = evaluate(body, &locals, *value)?;
                    locals.insert(*dst, value);
                }
                OpKind::PutField { object, field, value } => {
                    if evaluate(body, &locals, *object)? != Source::Param(0) {
                        return None;
                    }
                    fields.insert(*field, evaluate(body, &locals, *value)?);
                }
                OpKind::Call { dispatch: Dispatch::Special, method, args, .. } => {
                    let args: Vec<Source> =
                        args.iter().map(|&arg| evaluate(body, &locals, arg)).collect::<Option<_>>()?;
                    if program.method(*method).kind != MethodKind::Constructor || args.first()? != &Source::Param(0) {
                        return None;
                    }
                    for (field, source) in effect_within(program, *method, depth - 1)? {
                        let source = match source {
                            Source::Param(param) => args.get(param)?.clone(),
                            constant => constant,
                        };
                        fields.insert(field, source);
                    }
                }
                _ => return None,
            }
        }
        match current.terminator.kind {
            TerminatorKind::Goto(next) => block = next,
            TerminatorKind::Return(_) => return Some(fields),
            _ => return None,
        }
    }
    None
}

fn evaluate(body: &Body, locals: &FxHashMap<LocalId, Source>, value: ExprId) -> Option<Source> {
    match body.expr(value) {
        Expr::Local(local) => locals.get(local).cloned(),
        Expr::Const(constant) => Some(Source::Const(constant.clone())),
        // The conversion keeps the reference.
        Expr::Convert { from, to, value } if from.is_reference() && to.is_reference() => evaluate(body, locals, *value),
        // The verifier uses `int` for smaller types; the constant must be in the range of the smaller type.
        Expr::Convert { from, to, value } => match evaluate(body, locals, *value)? {
            Source::Const(Const::Int(number, ty)) if from.is_integer() && to.is_integer() => {
                let (low, high) = range(*to)?;
                (number >= low.into() && number <= high.into() && ty == *from)
                    .then_some(Source::Const(Const::Int(number, *to)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn range(ty: Type) -> Option<(i64, i64)> {
    match ty {
        Type::Machine { width: 64, signed: true } => Some((i64::MIN, i64::MAX)),
        Type::Machine { width: width @ (8 | 16 | 32), signed } => {
            let half = 1i64 << (width - 1);
            Some(if signed { (-half, half - 1) } else { (0, 2 * half - 1) })
        }
        _ => None,
    }
}
