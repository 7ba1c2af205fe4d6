//! Records a run at its two ends: what the entry point gets, and what it leaves.

use super::{Holder, Recorder};
use crate::ends::Ends;
use crate::model::{Change, Content, Execution, Snapshot, VariableShape};
use crate::observer::Observer;
use crate::outcome::{Outcome, Place};
use crate::state::State;
use crate::value::Value;
use aback_ir::{Body, MethodId, Point, Program};
use num_bigint::BigInt;

/// Records the arguments and the heap when the entry point is called, and what has changed when the run ends.
pub struct EndRecorder {
    recorder: Recorder,
    ends: Ends,
}

impl EndRecorder {
    /// A recorder for a run of `entry` on an input heap of `input_objects` objects.
    pub fn new(program: &Program, entry: MethodId, input_objects: usize) -> Self {
        let first = Point { block: Body::ENTRY, op: 0 };
        let recorder = Recorder::new(entry, (entry, first), input_objects);
        EndRecorder { recorder, ends: Ends::new(program, program.start(entry), entry) }
    }

    /// An execution of two steps, the beginning and the end; of none if the entry point was not called. If the entry
    /// point returns an object, the variable `result` refers to it at the end.
    pub fn finish(self) -> Execution {
        let mut execution = self.recorder.execution;
        if let [first, last] = &mut execution.steps[..] {
            let mut before = Snapshot::default();
            first.changes.iter().for_each(|change| drop(before.apply(change)));
            last.changes.retain(|change| !is_known(&before, change));
        }
        execution
    }

    fn record(&mut self, state: &State<'_>) {
        let entry = self.recorder.entry;
        let place = Place {
            method: entry,
            point: Point { block: Body::ENTRY, op: 0 },
            span: state.program().method(entry).span,
        };
        self.recorder.record(state, place, 0, None);
    }

    /// Makes the result a variable.
    fn returns(&mut self, state: &State<'_>, value: &Value) {
        let Some(ty) = state.program().method(self.recorder.entry).result else { return };
        let value = self.recorder.value(state, value, Holder::Variable);
        let objects = self.recorder.new_objects(state);
        let execution = &mut self.recorder.execution;
        let (Some(method), Some(last)) = (execution.methods.first_mut(), execution.steps.last_mut()) else { return };
        let row = method.variables.len() as u32;
        method.variables.push(VariableShape { name: "result".into(), ty: state.program().show_type(ty) });
        last.changes.extend(objects);
        last.changes.push(Change::Local(0, row, value));
    }
}

/// Whether a part has been written with the value that it already has.
fn is_known(before: &Snapshot, change: &Change) -> bool {
    match change {
        Change::Field(id, row, value) => before.object(*id).is_some_and(|object| match object.content() {
            Content::Instance { values, .. } => values.get(*row as usize) == Some(value),
            _ => false,
        }),
        Change::Element(id, index, value) => before.object(*id).is_some_and(|object| match object.content() {
            Content::Array { default, .. } => {
                let index: BigInt = index.parse().unwrap_or_default();
                object.elements().get(&index).unwrap_or(default) == value
            }
            _ => false,
        }),
        Change::Static(row, value) => before.statics().any(|known| known == (*row, value)),
        Change::Object(..) | Change::Local(..) | Change::Gone(..) => false,
    }
}

impl Observer for EndRecorder {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let has_started = self.ends.arguments.is_some();
        self.ends.step(state, place);
        if has_started {
            self.recorder.notes_writes(state);
        } else if self.ends.arguments.is_some() {
            let level = state.depth().saturating_sub(1);
            self.recorder.open_call(state.program(), place.method, level);
            self.recorder.touched.push(0);
            self.record(state);
        }
        self.recorder.notes_static(state.program(), place);
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        if self.ends.arguments.is_none() {
            return;
        }
        self.ends.end(state, outcome);
        self.recorder.notes_writes(state);
        self.record(state);
        if let Some(result @ Value::Ref(_)) = self.ends.result.clone() {
            self.returns(state, &result);
        }
    }
}
