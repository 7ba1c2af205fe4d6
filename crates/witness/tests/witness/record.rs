//! Tests records of runs, and moving through them.

use crate::calls::recursion;
use crate::limits::{looping, run_with};
use crate::world::*;
use aback_ir::*;
use aback_witness::{Change, Cursor, Inputs, Limits, PathEntry, Recorder, Recording, Snapshot, ValueDocument, run};

const NOWHERE: Point = Point { block: Body::ENTRY, op: u32::MAX };

fn record(world: &World, entry: MethodId, n: i64, keep: Option<usize>) -> Recording {
    let mut recorder = Recorder::new(entry, (entry, NOWHERE), 0);
    if let Some(keep) = keep {
        recorder = recorder.keeping(keep);
    }
    run_with(world, entry, n, Limits::default(), &mut recorder);
    recorder.finish()
}

fn lines(recording: &Recording) -> Vec<(u32, usize)> {
    let line = |entry: &PathEntry| (entry.span.line, entry.depth);
    recording.lines.iter().map(line).collect()
}

/// The states at all steps.
fn states(recording: &Recording) -> Vec<Snapshot> {
    let mut cursor = Cursor::new(&recording.execution).unwrap();
    (0..=cursor.last())
        .map(|position| {
            cursor.go_to(position);
            cursor.state().clone()
        })
        .collect()
}

#[test]
fn a_step_is_a_line_or_a_return_to_it() {
    let mut world = World::new();
    let down = recursion(&mut world);
    let recording = record(&world, down, 1, None);
    // The branch and the call, then in the callee the branch and a return, then the other return.
    assert_eq!(lines(&recording), [(1, 0), (3, 0), (1, 1), (2, 1), (4, 0)]);
    assert_eq!(recording.execution.calls.iter().map(|call| call.parent).collect::<Vec<_>>(), [None, Some(0)]);

    let mut code = Code::new();
    let one = code.int(INT, 1);
    let x = code.local(INT);
    for line in [1, 1, 2, 0, 2, 1] {
        code.op(OpKind::Assign { dst: x, value: one });
        code.body.blocks[0].ops.last_mut().unwrap().span.line = line;
    }
    code.body.blocks[0].terminator.kind = TerminatorKind::Return(None);
    let entry = world.method("entry", 0, code);
    let mut recorder = Recorder::new(entry, (entry, NOWHERE), 0);
    run(&world.program, entry, &Inputs::default(), Limits::default(), &mut recorder).unwrap();
    assert_eq!(lines(&recorder.finish()), [(1, 0), (2, 0), (1, 0)]);
}

#[test]
fn each_round_of_a_loop_on_one_line_is_a_step() {
    let mut world = World::new();
    let entry = looping(&mut world, INT, |_, _| {});
    let mut body = world.program.body(entry).unwrap().clone();
    for block in &mut body.blocks {
        block.terminator.span.line = 1;
        block.ops.iter_mut().for_each(|op| op.span.line = 1);
    }
    world.program.set_body(entry, body);
    assert_eq!(record(&world, entry, 5, None).lines.len(), 1 + 5);
}

#[test]
fn of_a_long_run_the_end_is_kept_with_the_state_before_it() {
    let mut world = World::new();
    let entry = looping(&mut world, INT, |world, code| {
        let node = code.set(Type::Class(world.node), |dst| OpKind::New { dst, class: world.node });
        let i = code.get(LocalId(1));
        code.op(OpKind::PutField { object: node, field: world.value, value: i });
    });
    let whole = record(&world, entry, 100, None);
    let kept = record(&world, entry, 100, Some(7));
    let omitted = kept.execution.omitted as usize;
    assert!((7..14).contains(&kept.execution.steps.len()));
    assert_eq!(omitted + kept.execution.steps.len(), whole.execution.steps.len());
    assert_eq!(lines(&kept), lines(&whole)[omitted..]);
    assert_eq!(states(&kept), states(&whole)[omitted..]);
}

#[test]
fn calls_that_ended_before_the_kept_steps_are_left_out() {
    let mut world = World::new();
    let down = recursion(&mut world);
    let mut body = world.program.body(down).unwrap().clone();
    body.locals[0].name = "n".into();
    world.program.set_body(down, body);
    let whole = record(&world, down, 40, None);
    let kept = record(&world, down, 40, Some(5));
    let execution = &kept.execution;
    assert_eq!(whole.execution.calls.len(), 41);
    assert!(execution.calls.len() < 41, "{}", execution.calls.len());
    let last = execution.steps.last().unwrap();
    assert_eq!(execution.calls[last.call as usize].parent, None);
    assert_eq!(lines(&kept), lines(&whole)[execution.omitted as usize..]);
    let mut cursor = Cursor::new(execution).unwrap();
    let outermost = cursor.state().local(0, 0).cloned();
    cursor.go_to(usize::MAX);
    assert_eq!(outermost, Some(ValueDocument::Int("40".into())));
    assert_eq!(cursor.state().local(last.call, 0).cloned(), outermost);
}

#[test]
fn the_cursor_moves_over_calls_and_out_of_them_in_both_directions() {
    let mut world = World::new();
    let down = recursion(&mut world);
    // Lines 1 and 3 of the first call, 1 and 3 of the second, 1 and 2 of the third, 4 of the second, 4 of the first.
    let recording = record(&world, down, 2, None);
    let mut cursor = Cursor::new(&recording.execution).unwrap();
    let mut check = |movement: fn(&mut Cursor<'_>), position: usize| {
        movement(&mut cursor);
        assert_eq!(cursor.position(), position);
    };
    check(|cursor| cursor.step_over(), 1);
    check(|cursor| cursor.step_over(), 7);
    check(|cursor| cursor.step_over(), 7);
    check(|cursor| cursor.back_over(), 1);
    check(|cursor| cursor.step_into(), 2);
    check(|cursor| cursor.step_into(), 3);
    check(|cursor| cursor.step_into(), 4);
    check(|cursor| cursor.step_out(), 6);
    check(|cursor| cursor.back_into(), 5);
    check(|cursor| cursor.back_out(), 3);
    check(|cursor| cursor.back_out(), 1);
    check(|cursor| cursor.back_out(), 0);
    check(|cursor| cursor.back_into(), 0);
    check(|cursor| cursor.step_out(), 7);
}

#[test]
fn going_back_takes_back_what_was_changed() {
    let mut world = World::new();
    let entry = looping(&mut world, INT, |world, code| {
        let node = code.set(Type::Class(world.node), |dst| OpKind::New { dst, class: world.node });
        let root = code.get(LocalId(1));
        code.op(OpKind::PutField { object: node, field: world.value, value: root });
        code.op(OpKind::PutStatic { field: world.root, value: node });
    });
    let recording = record(&world, entry, 20, None);
    let forward = states(&recording);
    let has = |is: fn(&Change) -> bool| recording.execution.steps.iter().flat_map(|step| &step.changes).any(is);
    assert!(has(|change| matches!(change, Change::Object(..))) && has(|change| matches!(change, Change::Static(..))));
    let mut cursor = Cursor::new(&recording.execution).unwrap();
    cursor.go_to(usize::MAX);
    for (position, state) in forward.iter().enumerate().rev() {
        cursor.go_to(position);
        assert_eq!(cursor.state(), state, "{position}");
    }
}
