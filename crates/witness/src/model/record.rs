//! Records a run while the interpreter executes it.

mod activations;
mod arguments;
mod changes;
mod ends;
mod kept;
mod objects;
mod tables;
mod views;

pub use ends::EndRecorder;

use super::execution::{
    Call, Change, ClassShape, Content, Execution, FieldShape, MethodShape, SourceText, StaticShape, Step, VariableShape,
};
use super::snapshot::Snapshot;
use super::witness::ArgumentDocument;
use crate::document::ValueDocument;
use crate::heap::Write;
use crate::making::MakingCalls;
use crate::modelled::ModelCalls;
use crate::observer::Observer;
use crate::outcome::{Outcome, Place};
use crate::path::PathEntry;
use crate::show::show_typed;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{BlockId, FieldId, Intrinsic, LocalId, MethodId, OpKind, Point, Program, Span, Type};
use activations::Open;
use objects::{Holder, Objects};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use tables::Tables;

/// Fewest steps of a long run that are kept; at most twice as many are.
const KEPT_STEPS: usize = 200_000;
/// The same if only lines are recorded.
const KEPT_LINES: usize = 20_000;

/// Records a run: what the user's own code does, line by line, and what the environment gives it.
pub struct Recorder {
    /// The entry point of the question.
    entry: MethodId,
    /// The operation of the claimed violation.
    claimed: (MethodId, Point),
    kept_steps: usize,
    /// Whether variables and objects are recorded, too.
    with_state: bool,
    tables: Tables,
    /// Calls and steps that are kept, and the number of earlier steps.
    execution: Execution,
    lines: Vec<PathEntry>,
    way: u64,
    before: Snapshot,
    /// Open activations of the user's own code, the innermost last.
    open: Vec<Open>,
    /// The activations, as indices in `open`, that watch an object or static fields.
    watching: FxHashMap<Option<Address>, Vec<usize>>,
    /// Indices in `open` of the activations that have executed something since the last step.
    touched: Vec<usize>,
    objects: Objects,
    /// Parts of known objects that were written since the last step.
    written: FxHashSet<Write>,
    written_statics: BTreeSet<FieldId>,
    /// The static field that the current operation writes.
    writing_static: Option<FieldId>,
    arguments: Option<Vec<ArgumentDocument>>,
    shown_arguments: Vec<(String, String)>,
    held: Vec<(String, Address, Option<String>)>,
    constants: Vec<Constant>,
    /// The latest place in the user's own code.
    place: Option<Span>,
    /// The step at the claimed operation, counted from the start of the run, and its place.
    blamed: Option<(u64, Option<Span>)>,
    asking: Vec<Asking>,
    given: Vec<Given>,
    making: MakingCalls,
    models: ModelCalls,
    outcome: Option<Outcome>,
    output: String,
}

/// What a [`Recorder`] has recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The run. Its source files are those of all steps.
    pub execution: Execution,
    /// The methods in the execution's table.
    pub methods: Vec<MethodId>,
    /// The place of each step, and the number of calls of the user's code around it.
    pub lines: Vec<PathEntry>,
    /// A hash of all operations of the user's own code, in order. Runs on different paths have different hashes,
    /// barring collisions.
    pub way: u64,
    /// The step of the claimed operation, or of the line that called the library if the operation is in one. `None` if
    /// the run did not get there or the step is not kept.
    pub step: Option<u32>,
    /// The place of that step in the user's own code.
    pub place: Option<Span>,
    /// The arguments of the entry point; empty if it was not called.
    pub arguments: Vec<ArgumentDocument>,
    /// The same arguments for users: names and values. Static fields that the start method sets follow.
    pub shown_arguments: Vec<(String, String)>,
    /// The arguments that are objects: name, address, and the static field that holds the object, if any.
    pub held: Vec<(String, Address, Option<String>)>,
    /// The arguments that are constants which the program itself makes.
    pub constants: Vec<Constant>,
    /// The values from the environment, in order.
    pub given: Vec<Given>,
    /// The calls that make the arguments, for users.
    pub made_by: Vec<String>,
    /// The methods of libraries that the run has called and that have models of the user, for users, each once.
    pub models: Vec<String>,
    /// How the run ended; `None` if it could not begin.
    pub outcome: Option<Outcome>,
    /// What the program printed.
    pub output: String,
}

/// A value that the environment provided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The method that asks the environment, under the name that users know: `nondetInt`.
    pub method: MethodId,
    /// The line of the user's code that called it.
    pub span: Span,
    /// Type of the value.
    pub ty: Type,
    /// The value. References are numbers of objects of the execution.
    pub value: ValueDocument,
    /// The value in words for users.
    pub shown: String,
}

/// An argument that is a constant which the program itself makes: an enum constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Index of the entry point's parameter; the receiver is the first.
    pub parameter: usize,
    /// The parameter's name.
    pub name: String,
    /// The constant's name; `None` for null.
    pub constant: Option<String>,
}

/// An open call of a method that has asked the environment.
struct Asking {
    /// Number of activations below that of the method.
    level: usize,
    method: MethodId,
    /// The line of the user's code that made the call.
    span: Span,
    /// The caller's local that receives the result.
    result: Option<(LocalId, Type)>,
}

impl Recorder {
    /// A recorder for a run on an input heap of `input_objects` objects. `entry` is the entry point of the question;
    /// the run may start with another method that calls it. `claimed` is the operation of the claimed violation.
    pub fn new(entry: MethodId, claimed: (MethodId, Point), input_objects: usize) -> Self {
        let inputs = u32::try_from(input_objects).unwrap_or(u32::MAX);
        Recorder {
            entry,
            claimed,
            kept_steps: KEPT_STEPS,
            with_state: true,
            tables: Tables::default(),
            execution: Execution::default(),
            lines: Vec::new(),
            way: 0,
            before: Snapshot::default(),
            open: Vec::new(),
            watching: FxHashMap::default(),
            touched: Vec::new(),
            objects: Objects::new(inputs),
            written: FxHashSet::default(),
            written_statics: BTreeSet::new(),
            writing_static: None,
            arguments: None,
            shown_arguments: Vec::new(),
            held: Vec::new(),
            constants: Vec::new(),
            place: None,
            blamed: None,
            asking: Vec::new(),
            given: Vec::new(),
            making: MakingCalls::default(),
            models: ModelCalls::default(),
            outcome: None,
            output: String::new(),
        }
    }

    /// Records lines only, without variables and objects. This is faster and takes less memory.
    pub fn lines_only(self) -> Self {
        Recorder { with_state: false, kept_steps: KEPT_LINES, ..self }
    }

    /// Keeps at least this many steps of a long run.
    pub fn keeping(self, steps: usize) -> Self {
        Recorder { kept_steps: steps.max(1), ..self }
    }

    /// What was recorded.
    pub fn finish(mut self) -> Recording {
        self.drop_calls();
        let omitted = self.execution.omitted;
        if let Some(first) = self.execution.steps.first_mut().filter(|_| omitted > 0) {
            let mut changes = self.before.into_changes();
            changes.append(&mut first.changes);
            first.changes = changes;
        }
        // A violation before the kept steps cannot be shown.
        let step = self.blamed.and_then(|(step, _)| u32::try_from(step.checked_sub(omitted)?).ok());
        let mut methods: Vec<(u32, MethodId)> =
            self.tables.methods.iter().map(|(&method, &(row, _))| (row, method)).collect();
        methods.sort_unstable();
        Recording {
            execution: self.execution,
            methods: methods.into_iter().map(|(_, method)| method).collect(),
            lines: self.lines,
            way: self.way,
            step,
            place: self.blamed.and_then(|(_, place)| place),
            arguments: self.arguments.unwrap_or_default(),
            shown_arguments: self.shown_arguments,
            held: self.held,
            constants: self.constants,
            given: self.given,
            made_by: self.making.texts(),
            models: self.models.names(),
            outcome: self.outcome,
            output: self.output,
        }
    }

    /// Handles an operation of the user's own code.
    fn own_step(&mut self, state: &State<'_>, place: Place, added_line: Option<u32>) {
        let level = state.depth().saturating_sub(1);
        let is_line = place.span.is_known() && added_line != Some(place.span.line);
        if self.open.last().is_none_or(|open| open.level < level) {
            if !is_line {
                return;
            }
            self.open_call(state.program(), place.method, level);
        }
        let index = self.open.len() - 1;
        self.touch(index);
        let Some(open) = self.open.last_mut() else { return };
        // The previous operation has taken effect if execution has gone on behind it.
        let done = open.executing.take().filter(|(point, _)| Point { op: point.op + 1, ..*point } == place.point);
        let came_back = std::mem::take(&mut open.came_back);
        let result = done.and_then(|(_, result)| result);
        if let Some((done, result)) = done.and_then(|(point, result)| Some((point, result?))) {
            // A new variable to which there are references has no value of the user yet.
            let is_new = || matches!(op(state.program(), place.method, done), Some(OpKind::New { .. }));
            for ((variable, _), (assigned, last)) in open.variables.iter().zip(&mut open.values) {
                if variable.local == result && (variable.part.is_none() || !is_new()) {
                    *assigned = true;
                    // The variable may be in scope again.
                    last.take_if(|_| variable.has_namesakes);
                }
            }
        }
        let op = op(state.program(), place.method, place.point);
        open.executing = Some((place.point, op.and_then(OpKind::dst)));
        if !is_line {
            let call = open.call;
            self.passes(call, place.point.block);
            return;
        }
        self.place = Some(place.span);
        let again = place.point.op == 0 && open.visited.contains(&place.point.block);
        let call = open.call;
        let latest = self.lines.last().map(|line| (line.span.file, line.span.line));
        let is_same = latest == Some((place.span.file, place.span.line))
            && self.execution.steps.last().is_some_and(|step| step.call == call);
        if !is_same || came_back || again {
            let returned = result.filter(|_| came_back).and_then(|local| state.top()?.local(local).cloned());
            self.record(state, place, call, returned);
        }
        if let Some(open) = self.open.last_mut()
            && place.point.op == 0
        {
            open.visited.push(place.point.block);
        }
        self.passes(call, place.point.block);
    }

    /// Notes that a call executes a block, if the last step is one of the call.
    fn passes(&mut self, call: u32, block: BlockId) {
        if let Some(step) = self.execution.steps.last_mut().filter(|step| self.with_state && step.call == call)
            && step.blocks.last() != Some(&block.0)
        {
            step.blocks.push(block.0);
        }
    }

    /// Adds a step.
    fn record(&mut self, state: &State<'_>, place: Place, call: u32, returned: Option<Value>) {
        let returned = returned.map(|value| self.value(state, &value, Holder::Variable));
        let changes = self.changes(state);
        let file = self.file(state.program(), place.span.file);
        let Span { line, column, .. } = place.span;
        self.execution.steps.push(Step { call, file, line, column, blocks: Vec::new(), returned, changes });
        let depth = self.open.len().saturating_sub(1);
        self.lines.push(PathEntry { method: place.method, span: place.span, depth });
        if let Some(open) = self.open.last_mut() {
            open.visited.clear();
        }
        if self.execution.steps.len() >= self.kept_steps.saturating_mul(2) {
            self.forget_steps();
        }
    }

    /// Records the values of the calls that asked the environment and have returned.
    fn returned(&mut self, state: &State<'_>) {
        while let Some(asking) = self.asking.pop_if(|asking| state.depth() <= asking.level) {
            let caller = asking.level.checked_sub(1).and_then(|level| state.frame(level));
            let value = asking.result.and_then(|(local, ty)| Some((caller?.local(local)?.clone(), ty)));
            if let Some((value, ty)) = value {
                let shown = show_typed(state, &value, ty);
                let value = self.value(state, &value, Holder::Variable);
                self.given.push(Given { method: asking.method, span: asking.span, ty, value, shown });
            }
        }
    }

    fn asks(&mut self, state: &State<'_>, place: Place) {
        let level = state.depth().saturating_sub(1);
        if self.asking.last().is_some_and(|asking| asking.level == level) {
            return;
        }
        let caller = level.checked_sub(1).and_then(|level| state.frame(level));
        let Some((caller, line)) = caller.zip(self.lines.last()) else { return };
        let result = match op(state.program(), caller.method, caller.point) {
            Some(OpKind::Call { dst: Some(dst), method, .. }) => {
                state.program().method(*method).result.map(|ty| (*dst, ty))
            }
            _ => None,
        };
        self.asking.push(Asking { level, method: place.method, span: line.span, result });
    }
}

impl Observer for Recorder {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let program = state.program();
        if self.arguments.is_none() {
            self.making.step(state, place);
        }
        self.models.step(state, place);
        self.close(state.depth().saturating_sub(1));
        if self.with_state {
            self.notes_writes(state);
        }
        if self.arguments.is_none() && place.method == self.entry && state.is_in_entry(self.entry) {
            self.starts(state);
        }
        if !self.asking.is_empty() {
            self.returned(state);
        }
        let facts = self.facts(program, place.method);
        self.notes_static(program, place);
        if facts.own && !is_preparation(state) {
            let mut way = FxHasher::default();
            (self.way, place.method, place.point).hash(&mut way);
            self.way = way.finish();
            self.own_step(state, place, facts.added_line);
        }
        if (place.method, place.point) == self.claimed {
            let steps = self.execution.omitted + self.execution.steps.len() as u64;
            self.blamed = steps.checked_sub(1).map(|step| (step, self.place));
        }
        if facts.asks
            && let Some(OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. }) =
                op(program, place.method, place.point)
        {
            self.asks(state, place);
        }
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        self.returned(state);
        // Values from the environment may refer to objects that nothing else refers to.
        let objects = if self.with_state { self.new_objects(state) } else { Vec::new() };
        if let Some(last) = self.execution.steps.last_mut() {
            last.changes.extend(objects);
        }
        self.outcome = Some(outcome.clone());
        self.output = state.output();
    }
}

/// Whether a method runs that makes the input or says whether it is valid, before the entry point is called.
fn is_preparation(state: &State<'_>) -> bool {
    let program = state.program();
    program.prepares_inputs() && state.frame(1).is_some_and(|frame| program.is_preparation(frame.method))
}

fn op(program: &Program, method: MethodId, point: Point) -> Option<&OpKind> {
    let block = program.body(method)?.blocks.get(point.block.index())?;
    block.ops.get(point.op as usize).map(|op| &op.kind)
}
