//! Finds methods that only look at objects: they neither change objects that others see nor return any.

use super::reached::{Follow, Step, code, is_made_here, is_mutable, next, runs_platform_code};
use crate::body::{Body, ExprId, OpKind};
use crate::program::{MethodId, MethodKind, Program, Type};
use rustc_hash::FxHashSet;

/// Whether a method only looks at objects, as do the methods that it calls. Whatever runs it has the same objects afterwards. Class
/// initialization does not count.
pub(super) fn observes(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    if declared.kind == MethodKind::Constructor || declared.result.is_some_and(|ty| is_mutable(program, ty)) {
        return false;
    }
    let mut seen = FxHashSet::from_iter([Step::Method(method)]);
    let mut pending = vec![Step::Method(method)];
    while let Some(step) = pending.pop() {
        let observes = match step {
            Step::Method(method) => {
                program.method(method).is_abstract
                    || code(program, method).is_some_and(|body| body_observes(program, method, body))
            }
            Step::Call(..) | Step::Platform => true,
            Step::CallsBack => false,
        };
        if !observes {
            return false;
        }
        pending.extend(next(program, step, Follow::CallsOnly).into_iter().filter(|&step| seen.insert(step)));
    }
    true
}

/// Whether nothing in a body but the methods of the program that it calls can change an object that it has not made.
fn body_observes(program: &Program, method: MethodId, body: &Body) -> bool {
    let types = body.expr_types();
    let is_safe = |object: ExprId| !is_mutable(program, types[object.index()]) || is_made_here(program, method, object);
    // Who gets an array can change what is in it.
    let leads_further = |object: ExprId| match types[object.index()] {
        Type::Array(array) => is_mutable(program, program.element_type(array)),
        _ => false,
    };
    !body.blocks.iter().any(|block| block.terminator.kind.is_gap())
        && body.ops().all(|(_, op)| match &op.kind {
            OpKind::PutStatic { .. } => false,
            OpKind::PutField { object, .. } | OpKind::ArrayPut { array: object, .. } => is_safe(*object),
            OpKind::Call { dispatch, method, args, .. } => {
                !runs_platform_code(program, *dispatch, *method)
                    || args.iter().all(|&argument| is_safe(argument) && !leads_further(argument))
            }
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    const CODE: &str = "trap NullDereference Object
     trap NegativeArraySize Object
     trap IndexOutOfBounds Object
     class Object {
     }
     class A extends Object {
       field next: A
       field n: int
       static field s: int
       method reads(this: A) -> int {
         local next: A
         local n: int
       b0: next := this.A::next
         n := next.A::n
         return n
       }
       method writes(this: A) {
       b0: this.A::n := 1
         return
       }
       method writes_static(this: A) {
       b0: static A::s := 1
         return
       }
       method calls_reads(this: A) -> int {
         local n: int
       b0: n := call virtual A::reads(this)
         return n
       }
       method calls_writes(this: A) {
       b0: call virtual A::writes(this)
         return
       }
       method returns(this: A) -> A {
       b0: return this
       }
       method makes(this: A) -> int {
         local a: A
         local many: int[]
         local n: int
       b0: a := new A
         a.A::n := 1
         many := new int[2]
         many[0] := 1
         n := a.A::n
         return n
       }
       method fills(this: A, many: int[]) {
       b0: many[0] := 1
         return
       }
       method overridden(this: A) {
       b0: return
       }
     }
     class B extends A {
       method overridden(this: B) {
       b0: this.A::next := null
         return
       }
     }";

    #[test]
    fn methods_that_only_look_at_objects() {
        let program = text::parse(CODE).unwrap_or_else(|errors| panic!("{errors:?}"));
        let name = |&method: &MethodId| {
            format!("{}.{}", program.class_name(program.method(method).class), program.method(method).name)
        };
        let found: Vec<String> =
            program.own_methods().filter(|&method| observes(&program, method)).map(|method| name(&method)).collect();
        assert_eq!(found, ["A.reads", "A.calls_reads", "A.makes", "A.overridden"]);
    }
}
