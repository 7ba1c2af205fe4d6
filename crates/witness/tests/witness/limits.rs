//! Tests limits and observers of a run.

use crate::calls::recursion;
use crate::world::*;
use aback_ir::*;
use aback_witness::{InputObject, InputValue, Inputs, Limits, Observer, Outcome, Place, State, Value, run};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// `for (int i = 0; i < n; i++) { body }`, where the condition is on one line and the body on two.
pub fn looping(world: &mut World, ty: Type, body: impl FnOnce(&World, &mut Code)) -> MethodId {
    let mut code = Code::new();
    let (_, n) = code.param(ty);
    let i = code.local(ty);
    let (i_now, one) = (code.get(i), code.int(ty, 1));
    let [head, work, end] = [code.block(), code.block(), code.block()];
    code.end(TerminatorKind::Goto(head));
    code.at(head);
    let condition = code.binary(BinaryOp::Lt, ty, i_now, n);
    code.end(TerminatorKind::Branch { condition, then_block: work, else_block: end });
    code.at(work);
    let next = code.binary(BinaryOp::Add, ty, i_now, one);
    code.op(OpKind::Assign { dst: i, value: next });
    body(world, &mut code);
    code.end(TerminatorKind::Goto(head));
    code.at(end);
    code.end(TerminatorKind::Return(Some(i_now)));
    world.method("entry", 1, code)
}

pub fn run_with(world: &World, entry: MethodId, n: i64, limits: Limits<'_>, observer: &mut dyn Observer) -> Outcome {
    let inputs = Inputs { args: vec![int(n)], ..Inputs::default() };
    run(&world.program, entry, &inputs, limits, observer).expect("the input fits")
}

#[test]
fn steps_are_limited_exactly() {
    let mut world = World::new();
    let entry = looping(&mut world, INT, |_, _| {});
    // One goto, three steps for each of ten rounds, then a branch and the return.
    let steps = 1 + 10 * 3 + 2;
    let limits = |max_steps| Limits { max_steps, ..Limits::default() };
    assert_eq!(run_with(&world, entry, 10, limits(steps), &mut ()), returned_int(10));
    assert_eq!(run_with(&world, entry, 10, limits(steps - 1), &mut ()), Outcome::StepLimit);
    assert_eq!(run_with(&world, entry, i64::MAX, limits(100_000), &mut ()), Outcome::StepLimit);
}

#[test]
fn frames_are_limited_exactly() {
    let mut world = World::new();
    let down = recursion(&mut world);
    let limits = |max_frames| Limits { max_frames, ..Limits::default() };
    assert_eq!(run_with(&world, down, 9, limits(10), &mut ()), returned_int(9));
    assert_eq!(run_with(&world, down, 9, limits(9), &mut ()), Outcome::FrameLimit);
    assert_eq!(run_with(&world, down, 9, limits(0), &mut ()), Outcome::FrameLimit);
}

#[test]
fn memory_is_limited_for_objects_arrays_and_locals() {
    let limits = Limits { max_cells: 10_000, ..Limits::default() };
    let mut world = World::new();
    let entry = looping(&mut world, INT, |world, code| {
        code.set(Type::Class(world.node), |dst| OpKind::New { dst, class: world.node });
    });
    assert_eq!(run_with(&world, entry, 1000, limits, &mut ()), returned_int(1000));
    assert_eq!(run_with(&world, entry, 10_000, limits, &mut ()), Outcome::MemoryLimit);

    let mut world = World::new();
    let entry = looping(&mut world, INT, |world, code| {
        let n = code.get(LocalId(0));
        code.set(world.ints, |dst| OpKind::NewArray { dst, element: INT, length: n });
    });
    assert_eq!(run_with(&world, entry, 50, limits, &mut ()), returned_int(50));
    assert_eq!(run_with(&world, entry, 200, limits, &mut ()), Outcome::MemoryLimit);

    let mut world = World::new();
    let down = recursion(&mut world);
    assert_eq!(run_with(&world, down, 100, limits, &mut ()), returned_int(100));
    assert_eq!(run_with(&world, down, 6000, limits, &mut ()), Outcome::MemoryLimit);
}

#[test]
fn memory_is_limited_for_the_input_heap_and_for_long_arrays() {
    let limits = Limits { max_cells: 1000, ..Limits::default() };
    let mut world = World::new();
    let entry = world.method("entry", 0, Code::new().ret_void());
    let node = InputObject::Object { class: world.node, fields: [].into() };
    let inputs = Inputs { heap: vec![node; 1000], ..Inputs::default() };
    assert_eq!(run(&world.program, entry, &inputs, limits, &mut ()), Ok(Outcome::MemoryLimit));

    // Repeated writes to one element take no more memory; writes to different elements do.
    for (same, expected) in [(true, returned_int(1000)), (false, Outcome::MemoryLimit)] {
        let mut world = World::new();
        let entry = looping(&mut world, INT, |world, code| {
            let huge = code.int(INT, 1 << 40);
            let (array, array_now) = code.param(world.ints);
            let again = code.block();
            let first = code.block();
            let null = code.null();
            let condition = code.binary(BinaryOp::Eq, world.ints, array_now, null);
            code.end(TerminatorKind::Branch { condition, then_block: first, else_block: again });
            code.at(first);
            code.op(OpKind::NewArray { dst: array, element: INT, length: huge });
            code.end(TerminatorKind::Goto(again));
            code.at(again);
            let i = code.get(LocalId(1));
            let index = if same { huge_index(code) } else { i };
            code.op(OpKind::ArrayPut { array: array_now, index, value: i });
        });
        assert_eq!(run_with(&world, entry, 1000, limits, &mut ()), expected);
    }
}

fn huge_index(code: &mut Code) -> ExprId {
    code.int(INT, (1 << 40) - 1)
}

#[test]
fn returning_frees_locals() {
    struct Exact;
    impl Observer for Exact {
        fn step(&mut self, state: &State<'_>, _: Place) {
            for frame in state.frames() {
                let body = state.program().body(frame.method).unwrap();
                assert_eq!(frame.locals.len(), body.locals.len());
            }
        }
    }
    let mut world = World::new();
    let down = recursion(&mut world);
    let entry = looping(&mut world, INT, |_, code| {
        let three = code.int(INT, 3);
        code.op(OpKind::Call { dst: None, dispatch: Dispatch::Static, method: down, args: vec![three] });
    });
    let limits = Limits { max_cells: 100, ..Limits::default() };
    assert_eq!(run_with(&world, entry, 1000, limits, &mut Exact), returned_int(1000));
}

#[test]
fn a_quantifier_counts_its_elements() {
    let mut world = World::new();
    let mut code = Code::new();
    let (_, array) = code.param(world.ints);
    let [index, element] = [code.local(INT), code.local(INT)];
    let body = code.bool(true);
    let quantifier = Quantifier::ForAll;
    code.set(Type::Bool, |dst| OpKind::Quantify { dst, quantifier, array, index, element, body });
    let entry = world.method("entry", 1, code.ret_void());
    let heap = vec![InputObject::Array { element: INT, length: i64::MAX.into(), elements: [].into(), rest: None }];
    let inputs = Inputs { args: vec![InputValue::Ref(0)], heap, ..Inputs::default() };
    let limits = Limits { max_steps: 100_000, ..Limits::default() };
    assert_eq!(run(&world.program, entry, &inputs, limits, &mut ()), Ok(Outcome::StepLimit));
}

#[test]
fn an_interrupt_ends_the_run() {
    struct After(u64);
    static STOP: AtomicBool = AtomicBool::new(false);
    impl Observer for After {
        fn step(&mut self, state: &State<'_>, _: Place) {
            if state.steps() == self.0 {
                STOP.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }
    let mut world = World::new();
    let entry = looping(&mut world, INT, |_, _| {});
    let limits = Limits { interrupt: Some(&STOP), ..Limits::default() };
    assert_eq!(run_with(&world, entry, 10_000, limits, &mut After(20_000)), Outcome::Interrupted);
    assert_eq!(run_with(&world, entry, 1, limits, &mut ()), Outcome::Interrupted);
}

#[test]
fn an_observer_sees_frames_locals_and_heap() {
    #[derive(Default)]
    struct Watch {
        deepest: usize,
        arguments: Vec<Value>,
        ended: bool,
    }
    impl Observer for Watch {
        fn step(&mut self, state: &State<'_>, place: Place) {
            let top = state.top().unwrap();
            assert_eq!((top.method, top.point), (place.method, place.point));
            if state.depth() > self.deepest {
                self.deepest = state.depth();
                self.arguments = state.frames().map(|frame| frame.local(LocalId(0)).unwrap().clone()).collect();
            }
        }
        fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
            assert_eq!(*outcome, returned_int(3));
            assert_eq!((state.depth(), state.heap().len(), state.nondet_used()), (0, 0, 0));
            self.ended = true;
        }
    }
    let mut world = World::new();
    let down = recursion(&mut world);
    let mut watch = Watch::default();
    run_with(&world, down, 3, Limits::default(), &mut watch);
    assert!(watch.ended);
    assert_eq!(watch.arguments, [3, 2, 1, 0].map(|n: i64| Value::Int(n.into())));
}

#[test]
fn a_deadline_ends_the_run() {
    let mut world = World::new();
    let entry = looping(&mut world, INT, |_, _| {});
    let deadline = Some(Instant::now() + Duration::from_millis(30));
    let limits = Limits { max_steps: u64::MAX, deadline, ..Limits::default() };
    assert_eq!(run_with(&world, entry, i64::MAX, limits, &mut ()), Outcome::Interrupted);
    let deadline = Some(Instant::now() + Duration::from_secs(3600));
    assert_eq!(run_with(&world, entry, 5, Limits { deadline, ..Limits::default() }, &mut ()), returned_int(5));
}

#[test]
fn recursion_may_be_deep() {
    let mut world = World::new();
    let down = recursion(&mut world);
    assert_eq!(run_with(&world, down, 900_000, Limits::default(), &mut ()), returned_int(900_000));
    assert_eq!(run_with(&world, down, 1_100_000, Limits::default(), &mut ()), Outcome::FrameLimit);
}
