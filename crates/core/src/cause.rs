//! Finds out what is null where null is dereferenced, so that violations at several places are seen to have one cause.

use crate::answer::Violation;
use aback_ir::{Body, Expr, ExprId, FieldId, LocalId, MethodId, OpKind, Point, Program, TerminatorKind, Trap};
use aback_symbolic::Fault;

/// Most assignments through which a reference is followed.
const MOST_ASSIGNMENTS: usize = 16;

/// Where a reference comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Field(FieldId),
    /// A parameter, by index; the receiver is the first.
    Parameter(usize),
}

/// What causes a violation of a program, in words, if violations at other places may have the same cause: a field that is null, or a
/// parameter of a method.
///
/// This looks at how values get to the operation within its method. It is a hint about what belongs together, and no fact.
pub fn cause(program: &Program, violation: &Violation) -> Option<String> {
    let method = violation.place.method;
    if violation.fault != Fault::Trap(Trap::NullDereference) || program.is_library_method(method) {
        return None;
    }
    match source(program, method, violation.place.point)? {
        Source::Field(field) => {
            let declared = program.field(field);
            Some(format!("the field {}.{} is null", program.class_name(declared.class), declared.name))
        }
        Source::Parameter(index) => {
            let name = &program.body(method)?.locals.get(index)?.name;
            Some(format!("the parameter {name} of {} is null", program.distinct_name(method)))
        }
    }
}

/// Where the reference comes from whose object an operation uses.
fn source(program: &Program, method: MethodId, mut point: Point) -> Option<Source> {
    let body = program.body(method)?;
    let mut used = dereferenced(body, point)?;
    for _ in 0..MOST_ASSIGNMENTS {
        while let Expr::Convert { value, .. } = body.expr(used) {
            used = *value;
        }
        let Expr::Local(local) = *body.expr(used) else { return None };
        let is_parameter = local.index() < program.method(method).params.len();
        let Some((defined, kind)) = definition(body, local, point, is_parameter) else {
            return (is_parameter && !is_assigned(body, local)).then_some(Source::Parameter(local.index()));
        };
        (used, point) = match *kind {
            OpKind::GetField { field, .. } | OpKind::GetStatic { field, .. } => return Some(Source::Field(field)),
            OpKind::Assign { value, .. } => (value, defined),
            OpKind::Cast { object, .. } => (object, defined),
            _ => return None,
        };
    }
    None
}

/// The reference that an operation or a terminator dereferences.
fn dereferenced(body: &Body, point: Point) -> Option<ExprId> {
    let block = body.blocks.get(point.block.index())?;
    let Some(op) = block.ops.get(point.op as usize) else {
        return match block.terminator.kind {
            TerminatorKind::Throw(value) => Some(value),
            _ => None,
        };
    };
    match &op.kind {
        OpKind::GetField { object, .. } | OpKind::PutField { object, .. } => Some(*object),
        OpKind::ArrayGet { array, .. } | OpKind::ArrayPut { array, .. } | OpKind::ArrayLength { array, .. } => {
            Some(*array)
        }
        OpKind::Call { args, .. } => args.first().copied(),
        _ => None,
    }
}

/// The assignment that gives a local its value before a point: the last one in the block, or else the only one of all. A parameter has a
/// value before all assignments.
fn definition(body: &Body, local: LocalId, before: Point, is_parameter: bool) -> Option<(Point, &OpKind)> {
    let own = body.ops().filter(|(_, op)| op.kind.dst() == Some(local));
    let all: Vec<(Point, &OpKind)> = own.map(|(point, op)| (point, &op.kind)).collect();
    let is_before = |point: &Point| point.block == before.block && point.op < before.op;
    let last = all.iter().rev().find(|(point, _)| is_before(point));
    let only = all.first().filter(|_| all.len() == 1 && !is_parameter);
    last.or(only).copied()
}

/// Whether anything assigns to a local.
fn is_assigned(body: &Body, local: LocalId) -> bool {
    body.ops().any(|(_, op)| op.kind.dst() == Some(local))
        || body.blocks.iter().flat_map(|block| &block.handlers).any(|handler| handler.exception == local)
}

#[cfg(test)]
mod tests {
    use super::{Source, source};
    use aback_ir::OpKind;

    /// Where the object comes from whose field `n := ….A::v` reads.
    #[track_caller]
    fn check(code: &str, expected: Option<&str>) {
        let text = format!(
            "trap NullDereference A
             class A {{
               field next: A
               field v: i32
               static method m(p: A, q: A, c: bool) -> i32 {{
                 local x: A
                 local n: i32
               {code}
                 return n
               }}
             }}"
        );
        let program = aback_ir::text::parse(&text).unwrap();
        let (method, _) = program.methods().find(|(_, method)| method.name == "m").unwrap();
        let body = program.body(method).unwrap();
        let is_read = |kind: &OpKind| kind.dst().is_some_and(|dst| body.locals[dst.index()].name == "n");
        let (point, _) = body.ops().find(|(_, op)| is_read(&op.kind)).unwrap();
        let found = source(&program, method, point).map(|source| match source {
            Source::Field(field) => program.field(field).name.clone(),
            Source::Parameter(index) => body.locals[index].name.clone(),
        });
        assert_eq!(found.as_deref(), expected, "{code}");
    }

    #[test]
    fn sources_of_null() {
        check("b0: n := p.A::v", Some("p"));
        check("b0: x := p.A::next; n := x.A::v", Some("next"));
        check("b0: x := p.A::next; x := q; n := x.A::v", Some("q"));
        check("b0: x := q; goto b1\nb1: n := x.A::v", Some("q"));
        check("b0: p := q; n := p.A::v", Some("q"));
        // What the parameter is depends on the way.
        check("b0: if c goto b1 else b2\nb1: p := q; goto b2\nb2: n := p.A::v", None);
        check("b0: if c goto b1 else b2\nb1: x := p; goto b3\nb2: x := q; goto b3\nb3: n := x.A::v", None);
        check("b0: x := new A; n := x.A::v", None);
    }
}
