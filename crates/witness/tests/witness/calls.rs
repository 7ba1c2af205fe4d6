//! Tests control flow: branches, calls, dispatch, traps and exceptions, assumptions and assertions.

use crate::world::*;
use aback_ir::*;
use aback_witness::{InputObject, InputValue, Inputs, Int, Outcome, Value};

/// An operation that raises `trap`.
fn trapping(world: &World, trap: Trap, code: &mut Code) -> OpKind {
    let dst = code.local(INT);
    let reference = code.local(Type::Class(world.object));
    let (zero, minus_one) = (code.int(INT, 0), code.int(INT, -1));
    match trap {
        Trap::NullDereference => OpKind::GetField { dst, object: code.null(), field: world.value },
        Trap::IndexOutOfBounds => {
            let array = code.set(world.ints, |dst| OpKind::NewArray { dst, element: INT, length: zero });
            OpKind::ArrayGet { dst, array, index: zero }
        }
        Trap::NegativeArraySize => OpKind::NewArray { dst: reference, element: INT, length: minus_one },
        Trap::ArrayTooLong => {
            let length = code.int(INT, LONGEST_ARRAY + 1);
            OpKind::NewArray { dst: reference, element: INT, length }
        }
        Trap::DivisionByZero => OpKind::Divide { dst, op: DivideOp::Rem, dividend: zero, divisor: zero },
        Trap::BadCast => {
            let object = code.set(Type::Class(world.node), |dst| OpKind::New { dst, class: world.node });
            OpKind::Cast { dst: reference, object, ty: Type::Class(world.leaf) }
        }
        Trap::BadArrayStore => {
            let one = code.int(INT, 1);
            let element = Type::Class(world.leaf);
            let array = code.set(world.nodes, |dst| OpKind::NewArray { dst, element, length: one });
            let value = code.set(Type::Class(world.node), |dst| OpKind::New { dst, class: world.node });
            OpKind::ArrayPut { array, index: zero, value }
        }
    }
}

#[test]
fn a_trap_without_handler_leaves_the_program() {
    for trap in Trap::ALL {
        let world = World::with_bounded_arrays();
        let class = world.trap(trap);
        let mut code = Code::new();
        let op = trapping(&world, trap, &mut code);
        code.op(op);
        let line = code.body.blocks[0].ops.len() as u32;
        assert_eq!(uncaught(world.run(code.ret_void(), vec![])), (class, Some(trap), line));
    }
}

#[test]
fn a_trap_goes_to_the_first_handler_that_takes_it() {
    for trap in Trap::ALL {
        let world = World::with_bounded_arrays();
        let class = world.trap(trap);
        let mut code = Code::new();
        let other = if trap == Trap::BadCast { Trap::BadArrayStore } else { Trap::BadCast };
        let exception = code.local(Type::Class(world.exception));
        let [missed, taken, outer] = [1, 2, 3].map(|number| {
            let block = code.block();
            code.at(block);
            let value = code.int(INT, number);
            code.end(TerminatorKind::Return(Some(value)));
            block
        });
        // The handler returns whether it got an object of the trap's class.
        code.at(taken);
        let object = code.get(exception);
        let is = code.set(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: Type::Class(class) });
        code.end(TerminatorKind::Return(Some(is)));
        code.at(Body::ENTRY);
        code.handlers(vec![
            Handler { class: Some(world.trap(other)), target: missed, exception },
            Handler { class: Some(world.exception), target: taken, exception },
            Handler { class: None, target: outer, exception },
        ]);
        let op = trapping(&world, trap, &mut code);
        code.op(op);
        code.end(TerminatorKind::Return(None));
        assert_eq!(world.run(code, vec![]), returned_bool(true), "{trap:?}");
    }
}

/// `callee` throws. The entry calls it through `depth` methods that do not catch, and returns the exception that its
/// handler gets.
#[test]
fn an_exception_unwinds_to_the_nearest_handler() {
    for caught in [false, true] {
        let mut world = World::with_bounded_arrays();
        let (exception, main) = (world.exception, Type::Class(world.exception));
        let mut thrower = Code::new();
        let object = thrower.set(main, |dst| OpKind::New { dst, class: exception });
        thrower.end(TerminatorKind::Throw(object));
        let mut callee = world.method("thrower", 0, thrower);
        for depth in 0..5 {
            let mut code = Code::new();
            code.op(OpKind::Call { dst: None, dispatch: Dispatch::Static, method: callee, args: vec![] });
            callee = world.method(&format!("through{depth}"), 0, code.ret_void());
        }
        let mut code = Code::new();
        let caught_local = code.local(main);
        let handler = code.block();
        let target_class = if caught { exception } else { world.node };
        code.handlers(vec![Handler { class: Some(target_class), target: handler, exception: caught_local }]);
        code.op(OpKind::Call { dst: None, dispatch: Dispatch::Static, method: callee, args: vec![] });
        code.end(TerminatorKind::Return(None));
        code.at(handler);
        let object = code.get(caught_local);
        let is = code.set(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: main });
        code.end(TerminatorKind::Return(Some(is)));
        let outcome = world.run(code, vec![]);
        if caught {
            assert_eq!(outcome, returned_bool(true));
        } else {
            // Line 2 of `thrower`: the throw itself.
            assert_eq!(uncaught(outcome), (exception, None, 2));
        }
    }
}

#[test]
fn an_exception_that_is_thrown_on_keeps_its_origin() {
    let world = World::new();
    let mut code = Code::new();
    let exception = code.local(Type::Class(world.exception));
    let finally = code.block();
    code.handlers(vec![Handler { class: None, target: finally, exception }]);
    let op = trapping(&world, Trap::DivisionByZero, &mut code);
    code.op(op);
    code.end(TerminatorKind::Return(None));
    code.at(finally);
    let object = code.get(exception);
    code.end(TerminatorKind::Throw(object));
    let expected = (world.trap(Trap::DivisionByZero), Some(Trap::DivisionByZero), 1);
    assert_eq!(uncaught(world.run(code, vec![])), expected);
}

#[test]
fn throwing_null_is_a_null_dereference() {
    let world = World::new();
    let class = world.trap(Trap::NullDereference);
    let mut code = Code::new();
    let null = code.null();
    code.end(TerminatorKind::Throw(null));
    assert_eq!(uncaught(world.run(code, vec![])), (class, Some(Trap::NullDereference), 1));
}

#[test]
fn calls_dispatch_on_the_exact_class() {
    let mut world = World::new();
    let number = |world: &mut World, class, name: &str, value| {
        let mut code = Code::new();
        code.param(Type::Class(class));
        let value = code.int(INT, value);
        world.method_of(class, MethodKind::Instance, name, 1, code.ret(value))
    };
    let (node, leaf) = (world.node, world.leaf);
    let base = number(&mut world, node, "size", 1);
    number(&mut world, leaf, "size", 2);
    let inherited = number(&mut world, node, "inherited", 3);

    let mut call = |class: Option<ClassId>, dispatch, method| {
        let mut code = Code::new();
        let receiver = match class {
            Some(class) => code.set(Type::Class(class), |dst| OpKind::New { dst, class }),
            None => code.null(),
        };
        let result = code.local(INT);
        code.op(OpKind::Call { dst: Some(result), dispatch, method, args: vec![receiver] });
        let result = code.get(result);
        let entry = world.method("entry", 0, code.ret(result));
        world.start(entry, Inputs::default())
    };
    assert_eq!(call(Some(node), Dispatch::Virtual, base), returned_int(1));
    assert_eq!(call(Some(leaf), Dispatch::Virtual, base), returned_int(2));
    assert_eq!(call(Some(leaf), Dispatch::Special, base), returned_int(1));
    assert_eq!(call(Some(leaf), Dispatch::Virtual, inherited), returned_int(3));
    for dispatch in [Dispatch::Virtual, Dispatch::Special] {
        assert_eq!(uncaught(call(None, dispatch, base)).1, Some(Trap::NullDereference));
    }
}

#[test]
fn a_method_without_code_is_unsupported() {
    let mut world = World::new();
    let method = world.program.add_method(Method {
        name: "native".into(),
        class: world.main,
        kind: MethodKind::Static,
        params: vec![],
        result: None,
        access: Access::Public,
        is_abstract: true,
        span: Span::NONE,
    });
    let mut code = Code::new();
    code.op(OpKind::Call { dst: None, dispatch: Dispatch::Static, method, args: vec![] });
    match world.run(code.ret_void(), vec![]) {
        Outcome::Unsupported { reason, place } => {
            assert_eq!(reason, "Main.native has no code that could be run");
            assert_eq!(place.span.line, 1);
        }
        other => panic!("{other:?}"),
    }
}

/// `int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }`
pub fn recursion(world: &mut World) -> MethodId {
    let down = MethodId(world.program.methods().count() as u32);
    let mut code = Code::new();
    let (_, n) = code.param(INT);
    let (zero, one) = (code.int(INT, 0), code.int(INT, 1));
    let [stop, go] = [code.block(), code.block()];
    let condition = code.binary(BinaryOp::Eq, INT, n, zero);
    code.end(TerminatorKind::Branch { condition, then_block: stop, else_block: go });
    code.at(stop);
    code.end(TerminatorKind::Return(Some(zero)));
    code.at(go);
    let less = code.binary(BinaryOp::Sub, INT, n, one);
    let result = code.local(INT);
    code.op(OpKind::Call { dst: Some(result), dispatch: Dispatch::Static, method: down, args: vec![less] });
    let result = code.get(result);
    let more = code.binary(BinaryOp::Add, INT, result, one);
    code.end(TerminatorKind::Return(Some(more)));
    assert_eq!(world.method("down", 1, code), down);
    down
}

#[test]
fn recursion_may_be_deep() {
    let mut world = World::new();
    let down = recursion(&mut world);
    let inputs = |n: i64| Inputs { args: vec![int(n)], ..Inputs::default() };
    assert_eq!(world.start(down, inputs(900_000)), returned_int(900_000));
    assert_eq!(world.start(down, inputs(1_000_000)), Outcome::FrameLimit);
}

#[test]
fn switches_take_the_case_or_the_default() {
    for (value, expected) in [(5, 1), (-7, 2), (0, 3), (6, 3)] {
        let mut code = Code::new();
        let (_, x) = code.param(INT);
        let blocks = [1, 2, 3].map(|number| {
            let block = code.block();
            code.at(block);
            let value = code.int(INT, number);
            code.end(TerminatorKind::Return(Some(value)));
            block
        });
        code.at(Body::ENTRY);
        let cases = vec![(5.into(), blocks[0]), ((-7).into(), blocks[1])];
        code.end(TerminatorKind::Switch { value: x, cases, default: blocks[2] });
        assert_eq!(World::new().run(code, vec![int(value)]), returned_int(expected));
    }
}

#[test]
fn assumptions_end_a_run_without_a_violation() {
    let mut code = Code::new();
    let condition = code.bool(false);
    code.op(OpKind::Assume { condition });
    assert!(matches!(
        World::new().run(code.ret_void(), vec![]),
        Outcome::AssumptionFailed(place) if place.span.line == 1
    ));
}

#[test]
fn a_precondition_binds_callers_but_not_the_entry_point() {
    for kind in [AssertKind::Assert, AssertKind::Requires, AssertKind::Ensures, AssertKind::Exceptional] {
        let mut world = World::new();
        let mut code = Code::new();
        let condition = code.bool(false);
        code.op(OpKind::Assert { condition, kind });
        let callee = world.method("callee", 0, code.ret_void());
        let mut code = Code::new();
        code.op(OpKind::Call { dst: None, dispatch: Dispatch::Static, method: callee, args: vec![] });
        let caller = world.method("caller", 0, code.ret_void());
        let violated = |outcome: &Outcome| match outcome {
            Outcome::AssertionFailed { kind: found, place } => *found == kind && place.method == callee,
            _ => false,
        };
        let direct = world.start(callee, Inputs::default());
        if kind == AssertKind::Requires {
            assert!(matches!(direct, Outcome::AssumptionFailed(_)));
        } else {
            assert!(violated(&direct));
        }
        assert!(violated(&world.start(caller, Inputs::default())));
    }
}

#[test]
fn true_conditions_pass() {
    let mut code = Code::new();
    let condition = code.bool(true);
    code.op(OpKind::Assume { condition }).op(OpKind::Assert { condition, kind: AssertKind::Assert });
    assert_eq!(World::new().run(code.ret_void(), vec![]), Outcome::Returned(None));
}

#[test]
fn nondeterministic_values_come_in_order_and_then_are_defaults() {
    let mut world = World::new();
    let node = Type::Class(world.node);
    let mut code = Code::new();
    let nondet = |ty| move |dst| OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(ty), args: vec![] };
    let a = code.set(INT, nondet(INT));
    let object = code.set(node, nondet(node));
    let b = code.set(INT, |dst| OpKind::GetField { dst, object, field: world.value });
    let c = code.set(INT, nondet(INT));
    let ab = code.binary(BinaryOp::Add, INT, a, b);
    let abc = code.binary(BinaryOp::Add, INT, ab, c);
    let entry = world.method("entry", 0, code.ret(abc));
    let fields = [(world.value, int(30))].into();
    let heap = vec![InputObject::Object { class: world.leaf, fields }];
    let inputs = Inputs { heap, nondet: vec![int(4), InputValue::Ref(0)], ..Inputs::default() };
    assert_eq!(world.start(entry, inputs), returned_int(34));
}

#[test]
fn malformed_control_is_unsupported() {
    let check = |build: fn(&mut Code)| {
        let mut code = Code::new();
        build(&mut code);
        let outcome = World::new().run(code, vec![]);
        assert!(matches!(outcome, Outcome::Unsupported { .. }), "{outcome:?}");
    };
    check(|code| code.end(TerminatorKind::Goto(BlockId(99))));
    check(|code| code.end(TerminatorKind::Unreachable));
    check(|code| {
        let one = code.int(INT, 1);
        code.end(TerminatorKind::Throw(one));
    });
    check(|code| {
        let one = code.int(INT, 1);
        code.op(OpKind::Assume { condition: one });
    });
    check(|code| {
        let one = code.int(INT, 1);
        code.op(OpKind::Assign { dst: LocalId(99), value: one });
    });
    check(|code| {
        let null = code.null();
        let exception = LocalId(99);
        code.handlers(vec![Handler { class: None, target: BlockId(0), exception }]);
        code.end(TerminatorKind::Throw(null));
    });
    check(|code| code.body.blocks.clear());
}

#[test]
fn a_call_must_fit_the_method() {
    for (args, wanted) in [(1, false), (0, true)] {
        let mut world = World::new();
        let callee = world.method("callee", 0, Code::new().ret_void());
        let mut code = Code::new();
        let one = code.int(INT, 1);
        let dst = wanted.then(|| code.local(INT));
        code.op(OpKind::Call { dst, dispatch: Dispatch::Static, method: callee, args: vec![one; args] });
        assert!(matches!(world.run(code.ret_void(), vec![]), Outcome::Unsupported { .. }));
    }
}

#[test]
fn locals_hold_defaults_at_entry() {
    let mut world = World::new();
    let types = [Type::Bool, INT, I32, Type::F32, Type::F64, Type::Class(world.node), world.ints];
    let expected = [
        Value::Bool(false),
        Value::Int(Int::ZERO),
        Value::Int(Int::ZERO),
        Value::F32(0),
        Value::F64(0),
        Value::Null,
        Value::Null,
    ];
    for (ty, expected) in types.into_iter().zip(expected) {
        let mut code = Code::new();
        let local = code.local(ty);
        let value = code.get(local);
        let entry = world.method("entry", 0, code.ret(value));
        assert_eq!(world.start(entry, Inputs::default()), returned(expected));
    }
}
