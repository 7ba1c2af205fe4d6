//! Tests objects, arrays, statics, types of references, and quantifiers.

use crate::world::*;
use aback_ir::*;
use aback_witness::{InputObject, InputValue, Inputs, Outcome};
use num_bigint::BigInt;

/// `value` and `next` of a new node: first the defaults, then what was written.
#[test]
fn fields_hold_defaults_until_they_are_written() {
    let world = World::new();
    let (node, value, next) = (world.node, world.value, world.next);
    let mut code = Code::new();
    let object = code.set(Type::Class(node), |dst| OpKind::New { dst, class: world.leaf });
    let before = code.set(INT, |dst| OpKind::GetField { dst, object, field: value });
    let seven = code.int(INT, 7);
    code.op(OpKind::PutField { object, field: value, value: seven });
    code.op(OpKind::PutField { object, field: next, value: object });
    let itself = code.set(Type::Class(node), |dst| OpKind::GetField { dst, object, field: next });
    let after = code.set(INT, |dst| OpKind::GetField { dst, object: itself, field: value });
    let hundred = code.int(INT, 100);
    let shifted = code.binary(BinaryOp::Mul, INT, before, hundred);
    let result = code.binary(BinaryOp::Add, INT, shifted, after);
    assert_eq!(world.run(code.ret(result), vec![]), returned_int(7));
}

#[test]
fn writing_to_null_traps() {
    let world = World::new();
    let (null_class, value, ints) = (world.trap(Trap::NullDereference), world.value, world.ints);
    for case in 0..4 {
        let mut code = Code::new();
        let (null, zero) = (code.null(), code.int(INT, 0));
        let dst = code.local(INT);
        let array = code.local(ints);
        let array = code.get(array);
        code.op(match case {
            0 => OpKind::PutField { object: null, field: value, value: zero },
            1 => OpKind::ArrayPut { array, index: zero, value: zero },
            2 => OpKind::ArrayGet { dst, array, index: zero },
            _ => OpKind::ArrayLength { dst, array },
        });
        let outcome = World::new().run(code.ret_void(), vec![]);
        assert_eq!(uncaught(outcome), (null_class, Some(Trap::NullDereference), 1));
    }
}

#[test]
fn statics_hold_defaults_or_what_the_input_gives_them() {
    let mut world = World::new();
    let mut code = Code::new();
    let old = code.set(INT, |dst| OpKind::GetStatic { dst, field: world.counter });
    let one = code.int(INT, 1);
    let more = code.binary(BinaryOp::Add, INT, old, one);
    code.op(OpKind::PutStatic { field: world.counter, value: more });
    let new = code.set(INT, |dst| OpKind::GetStatic { dst, field: world.counter });
    let entry = world.method("entry", 0, code.ret(new));
    assert_eq!(world.start(entry, Inputs::default()), returned_int(1));
    let statics = [(world.counter, int(41))].into();
    assert_eq!(world.start(entry, Inputs { statics, ..Inputs::default() }), returned_int(42));
}

#[test]
fn an_abstract_class_has_no_objects() {
    let world = World::new();
    let mut code = Code::new();
    let class = world.shape;
    code.set(Type::Class(class), |dst| OpKind::New { dst, class });
    assert!(matches!(world.run(code.ret_void(), vec![]), Outcome::Unsupported { .. }));
}

/// Writes 7 at `index` of an array of `length`, and reads it back.
fn write_and_read(length: BigInt, index: BigInt) -> Outcome {
    let world = World::new();
    let mut code = Code::new();
    let (_, length_param) = code.param(INT);
    let (_, index_param) = code.param(INT);
    let seven = code.int(INT, 7);
    let array = code.set(world.ints, |dst| OpKind::NewArray { dst, element: INT, length: length_param });
    code.op(OpKind::ArrayPut { array, index: index_param, value: seven });
    let found = code.set(INT, |dst| OpKind::ArrayGet { dst, array, index: index_param });
    world.run(code.ret(found), vec![int(length), int(index)])
}

#[test]
fn arrays_of_any_length_are_bounded() {
    let big = BigInt::from(10).pow(30);
    for length in [BigInt::from(1), 5.into(), (1 << 20).into(), ((1 << 20) + 1).into(), i32::MAX.into(), big] {
        for inside in [BigInt::ZERO, &length / 2, &length - 1] {
            assert_eq!(write_and_read(length.clone(), inside), returned_int(7));
        }
        for outside in [BigInt::from(-1), length.clone(), &length + BigInt::from(10).pow(40)] {
            assert_eq!(uncaught(write_and_read(length.clone(), outside)).1, Some(Trap::IndexOutOfBounds));
        }
    }
    assert_eq!(uncaught(write_and_read(0.into(), 0.into())).1, Some(Trap::IndexOutOfBounds));
    assert_eq!(uncaught(write_and_read((-1).into(), 0.into())).1, Some(Trap::NegativeArraySize));
}

#[test]
fn a_length_must_fit_its_type() {
    let length_of = |length: i64| {
        let world = World::new();
        let mut code = Code::new();
        let (_, array) = code.param(world.ints);
        let value = code.set(I32, |dst| OpKind::ArrayLength { dst, array });
        let mut world = world;
        let entry = world.method("entry", 1, code.ret(value));
        let heap = vec![InputObject::Array { element: INT, length: length.into(), elements: [].into(), rest: None }];
        world.start(entry, Inputs { args: vec![InputValue::Ref(0)], heap, ..Inputs::default() })
    };
    assert_eq!(length_of(i32::MAX.into()), returned_int(i32::MAX.into()));
    assert!(matches!(length_of(1 << 31), Outcome::Unsupported { .. }));
}

#[derive(Clone, Copy)]
enum Thing {
    Null,
    Object(ClassId),
    Array(Type),
}

#[test]
fn references_know_their_exact_type() {
    let w = World::new();
    let class = Type::Class;
    for (thing, ty, expected) in [
        (Thing::Object(w.leaf), class(w.leaf), true),
        (Thing::Object(w.leaf), class(w.node), true),
        (Thing::Object(w.node), class(w.leaf), false),
        (Thing::Object(w.node), class(w.object), true),
        (Thing::Object(w.node), w.nodes, false),
        (Thing::Array(class(w.leaf)), w.leaves, true),
        (Thing::Array(class(w.leaf)), w.nodes, true),
        (Thing::Array(class(w.node)), w.leaves, false),
        (Thing::Array(class(w.node)), class(w.object), true),
        (Thing::Array(class(w.node)), class(w.node), false),
        (Thing::Array(INT), w.ints, true),
        (Thing::Array(INT), w.nodes, false),
        // An array type that the program never names.
        (Thing::Array(class(w.exception)), w.nodes, false),
        (Thing::Null, class(w.node), false),
    ] {
        for cast in [false, true] {
            let world = World::new();
            let mut code = Code::new();
            let one = code.int(INT, 1);
            let object = match thing {
                Thing::Null => code.null(),
                Thing::Object(class) => code.set(Type::Class(class), |dst| OpKind::New { dst, class }),
                Thing::Array(element) => {
                    code.set(w.object_type(), |dst| OpKind::NewArray { dst, element, length: one })
                }
            };
            if cast {
                code.set(ty, |dst| OpKind::Cast { dst, object, ty });
                let outcome = world.run(code.ret_void(), vec![]);
                if expected || matches!(thing, Thing::Null) {
                    assert_eq!(outcome, Outcome::Returned(None));
                } else {
                    assert_eq!(uncaught(outcome).1, Some(Trap::BadCast));
                }
            } else {
                let is = code.set(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty });
                assert_eq!(world.run(code.ret(is), vec![]), returned_bool(expected));
            }
        }
    }
}

#[test]
fn the_class_of_an_unnamed_array_type_is_unsupported() {
    let world = World::new();
    let mut code = Code::new();
    let one = code.int(INT, 1);
    let element = Type::Class(world.exception);
    let object = code.set(world.object_type(), |dst| OpKind::NewArray { dst, element, length: one });
    let ty = world.object_type();
    let is = code.set(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty });
    assert!(matches!(world.run(code.ret(is), vec![]), Outcome::Unsupported { .. }));
}

#[test]
fn arrays_take_subclasses_and_null() {
    let world = World::new();
    let mut code = Code::new();
    let (zero, one, null) = (code.int(INT, 0), code.int(INT, 1), code.null());
    let element = Type::Class(world.node);
    let array = code.set(world.nodes, |dst| OpKind::NewArray { dst, element, length: one });
    let value = code.set(element, |dst| OpKind::New { dst, class: world.leaf });
    code.op(OpKind::ArrayPut { array, index: zero, value: null });
    code.op(OpKind::ArrayPut { array, index: zero, value });
    assert_eq!(world.run(code.ret_void(), vec![]), Outcome::Returned(None));
}

#[test]
fn operations_on_the_wrong_kind_of_object_are_unsupported() {
    for case in 0..6 {
        let world = World::new();
        let mut code = Code::new();
        let zero = code.int(INT, 0);
        let object = code.set(Type::Class(world.object), |dst| OpKind::New { dst, class: world.object });
        let array = code.set(world.ints, |dst| OpKind::NewArray { dst, element: INT, length: zero });
        let dst = code.local(INT);
        code.op(match case {
            0 => OpKind::GetField { dst, object: array, field: world.value },
            1 => OpKind::GetField { dst, object, field: world.value },
            2 => OpKind::PutField { object, field: world.value, value: zero },
            3 => OpKind::ArrayGet { dst, array: object, index: zero },
            4 => OpKind::ArrayPut { array: object, index: zero, value: zero },
            _ => OpKind::ArrayLength { dst, array: object },
        });
        assert!(matches!(world.run(code.ret_void(), vec![]), Outcome::Unsupported { .. }), "{case}");
    }
}

/// Returns whether all or some of the elements exceed their index. Asserts that the sum of the bound locals is 0
/// afterwards.
fn quantified(quantifier: Quantifier, elements: Option<&[i64]>) -> Outcome {
    let mut world = World::new();
    let mut code = Code::new();
    let (_, array) = code.param(world.ints);
    let [index, element] = [code.local(INT), code.local(INT)];
    let (i, e, zero) = (code.get(index), code.get(element), code.int(INT, 0));
    let body = code.binary(BinaryOp::Gt, INT, e, i);
    let holds = code.set(Type::Bool, |dst| OpKind::Quantify { dst, quantifier, array, index, element, body });
    let sum = code.binary(BinaryOp::Add, INT, i, e);
    let reset = code.binary(BinaryOp::Eq, INT, sum, zero);
    code.op(OpKind::Assert { condition: reset, kind: AssertKind::Assert });
    let entry = world.method("entry", 1, code.ret(holds));
    let (args, heap) = match elements {
        Some(elements) => {
            let length = elements.len().into();
            let elements = elements.iter().enumerate().map(|(i, &e)| (i.into(), int(e))).collect();
            (vec![InputValue::Ref(0)], vec![InputObject::Array { element: INT, length, elements, rest: None }])
        }
        None => (vec![InputValue::Null], vec![]),
    };
    world.start(entry, Inputs { args, heap, ..Inputs::default() })
}

#[test]
fn quantifiers_range_over_elements() {
    use Quantifier::*;
    for (elements, all, some) in [
        (&[][..], true, false),
        (&[1, 2, 3], true, true),
        (&[1, 1, 3], false, true),
        (&[0, 1, 3], false, true),
        (&[0, 1, 2], false, false),
    ] {
        assert_eq!(quantified(ForAll, Some(elements)), returned_bool(all), "{elements:?}");
        assert_eq!(quantified(Exists, Some(elements)), returned_bool(some), "{elements:?}");
    }
    assert_eq!(uncaught(quantified(ForAll, None)).1, Some(Trap::NullDereference));
}

/// Follows `next` until it returns to the first node, and counts the nodes.
#[test]
fn an_input_list_may_be_cyclic() {
    let mut world = World::new();
    let (node, next) = (Type::Class(world.node), world.next);
    let mut code = Code::new();
    let (_, first) = code.param(node);
    let [count, current] = [code.local(INT), code.local(node)];
    let (count_now, current_now, one) = (code.get(count), code.get(current), code.int(INT, 1));
    let [head, end] = [code.block(), code.block()];
    code.op(OpKind::Assign { dst: current, value: first });
    code.end(TerminatorKind::Goto(head));
    code.at(head);
    let more = code.binary(BinaryOp::Add, INT, count_now, one);
    code.op(OpKind::Assign { dst: count, value: more });
    code.op(OpKind::GetField { dst: current, object: current_now, field: next });
    let condition = code.binary(BinaryOp::Eq, node, current_now, first);
    code.end(TerminatorKind::Branch { condition, then_block: end, else_block: head });
    code.at(end);
    code.end(TerminatorKind::Return(Some(count_now)));
    let entry = world.method("entry", 1, code);
    let object = |to| InputObject::Object { class: world.node, fields: [(next, InputValue::Ref(to))].into() };
    let heap = vec![object(2), object(0), object(1)];
    assert_eq!(
        world.start(entry, Inputs { args: vec![InputValue::Ref(0)], heap, ..Inputs::default() }),
        returned_int(3)
    );
}
