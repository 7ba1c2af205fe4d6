//! Records a run while the interpreter executes it.

mod arguments;
mod ends;
mod objects;
mod views;

pub use ends::EndRecorder;

use super::collection::shape_of;
use super::execution::{
    Call, Change, ClassShape, Content, Execution, FieldShape, MethodShape, SourceText, StaticShape, Step, VariableShape,
};
use super::file::sha256;
use super::snapshot::Snapshot;
use super::text::Text;
use super::witness::ArgumentDocument;
use crate::document::ValueDocument;
use crate::heap::{HeapObject, MAX_DENSE_LENGTH, Write};
use crate::making::MakingCalls;
use crate::modelled::ModelCalls;
use crate::observer::Observer;
use crate::outcome::{Outcome, Place};
use crate::path::PathEntry;
use crate::show::{show_arguments, show_typed};
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{
    BlockId, ClassId, FieldId, FileId, Intrinsic, Local, LocalId, MethodId, MethodKind, Op, OpKind, Point, Program,
    Span, Type,
};
use arguments::{holder, is_variable, name_of_constant, place_of};
use objects::{Holder, Objects};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use views::{Target, Variable};

/// Fewest steps of a long run that are kept; at most twice as many are.
const KEPT_STEPS: usize = 200_000;
/// The same if only lines are recorded.
const KEPT_LINES: usize = 20_000;
/// Most activations, the innermost ones, whose variables follow each write to what they refer to. Those of others are
/// brought up to date when the activation goes on: a recursion would change as many variables as it has levels.
const MOST_WATCHING: usize = 16;

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

/// The variables of a method that users see, each with the type of its values.
type Variables = Rc<[(Variable, Type)]>;

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

/// An open activation of the user's own code.
struct Open {
    /// Number of activations below it, those of libraries included.
    level: usize,
    call: u32,
    /// Its variables that users see.
    variables: Variables,
    /// What holds the values to which locals refer: objects, or static fields.
    watched: FxHashSet<(Option<Address>, LocalId)>,
    /// For each of them: whether it was assigned, and its last recorded value.
    values: Vec<(bool, Option<Value>)>,
    /// The operation that it executes, and the local that receives the result.
    executing: Option<(Point, Option<LocalId>)>,
    /// Whether it has returned from a call since its last operation.
    came_back: bool,
    /// Blocks that it has entered since the last step.
    visited: Vec<BlockId>,
    touched: bool,
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

/// Facts about a method that each of its operations needs.
#[derive(Clone, Copy)]
struct MethodFacts {
    /// Whether its class is the user's own.
    own: bool,
    /// A line that the user did not write: Java's compiler adds it to the initializer of a class with assertions.
    added_line: Option<u32>,
    /// Whether it asks the environment.
    asks: bool,
    /// Whether it writes static fields of the user. Code that a front end makes for references does so, too.
    sets_own: bool,
}

/// Row numbers in the execution's tables.
#[derive(Default)]
struct Tables {
    facts: Vec<Option<MethodFacts>>,
    files: FxHashMap<FileId, u32>,
    methods: FxHashMap<MethodId, (u32, Variables)>,
    classes: FxHashMap<ClassId, u32>,
    /// By exact class and field; `None` for hidden fields.
    fields: FxHashMap<(ClassId, FieldId), Option<u32>>,
    statics: FxHashMap<FieldId, u32>,
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

    fn facts(&mut self, program: &Program, method: MethodId) -> MethodFacts {
        let known = &mut self.tables.facts;
        if known.len() <= method.index() {
            known.resize(method.index() + 1, None);
        }
        *known[method.index()].get_or_insert_with(|| {
            let declared = program.method(method);
            let added_line = program.added_line(method);
            let asks = |op: &Op| {
                matches!(op.kind, OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. })
            };
            let is_own = |class: ClassId| !program.class(class).is_library;
            let sets_own =
                |op: &Op| matches!(op.kind, OpKind::PutStatic { field, .. } if is_own(program.field(field).class));
            let any = |is_it: &dyn Fn(&Op) -> bool| {
                program.body(method).is_some_and(|body| body.blocks.iter().flat_map(|b| &b.ops).any(is_it))
            };
            MethodFacts { own: is_own(declared.class), added_line, asks: any(&asks), sets_own: any(&sets_own) }
        })
    }

    /// Closes the activations of the user's code above `level`, which have ended.
    fn close(&mut self, level: usize) {
        while let Some(ended) = self.open.pop_if(|open| open.level > level) {
            for (holder, _) in &ended.watched {
                if let Some(watching) = self.watching.get_mut(holder) {
                    watching.retain(|&at| at < self.open.len());
                }
            }
            if let Some(caller) = self.open.last_mut() {
                caller.came_back = true;
            }
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

    fn open_call(&mut self, program: &Program, method: MethodId, level: usize) {
        let execution = &mut self.execution;
        let (row, variables) = self
            .tables
            .methods
            .entry(method)
            .or_insert_with(|| {
                let params = program.method(method).params.len();
                let variables = program.body(method).map_or_else(Vec::new, |body| views::variables(body, params));
                let shape = |local: &Local| VariableShape { name: local.name.clone(), ty: program.show_type(local.ty) };
                let (ids, shapes): (Vec<_>, Vec<_>) =
                    variables.into_iter().map(|(variable, local)| ((variable, local.ty), shape(local))).unzip();
                execution.methods.push(MethodShape {
                    name: program.method_name(method),
                    variables: shapes,
                    blocks: Vec::new(),
                });
                (execution.methods.len() as u32 - 1, ids.into())
            })
            .clone();
        let params = program.method(method).params.len();
        let values = variables.iter().map(|(variable, _)| (variable.local.index() < params, None)).collect();
        let parent = self.open.last().map(|open| open.call);
        let call = execution.calls.len() as u32;
        execution.calls.push(Call { method: row, parent });
        self.open.push(Open {
            level,
            call,
            variables,
            watched: FxHashSet::default(),
            values,
            executing: None,
            came_back: false,
            visited: Vec::new(),
            touched: false,
        });
    }

    /// Notes that variables of an activation may have changed.
    fn touch(&mut self, index: usize) {
        if let Some(open) = self.open.get_mut(index).filter(|open| !open.touched && self.with_state) {
            open.touched = true;
            self.touched.push(index);
        }
    }

    /// Notes that something has been written to which variables refer.
    fn touch_watching(&mut self, holder: Option<Address>) {
        let Some(watching) = self.watching.get(&holder).filter(|watching| !watching.is_empty()) else { return };
        let innermost: Vec<usize> = watching.iter().rev().take(MOST_WATCHING).copied().collect();
        for index in innermost {
            self.touch(index);
            let Some(open) = self.open.get_mut(index) else { continue };
            for ((variable, _), (assigned, _)) in open.variables.iter().zip(&mut open.values) {
                *assigned |= open.watched.contains(&(holder, variable.local));
            }
        }
    }

    /// Notes which parts of known objects, and which static field, the previous operation wrote.
    fn notes_writes(&mut self, state: &State<'_>) {
        if let Some(write) = state.heap().latest_write() {
            let (Write::Field(address, _) | Write::Element(address, _)) = write;
            self.touch_watching(Some(*address));
            if self.objects.get(*address).is_some_and(|known| known.has_parts) {
                self.written.insert(write.clone());
            }
        }
        if let Some(field) = self.writing_static.take() {
            self.written_statics.insert(field);
            self.touch_watching(None);
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

    /// The changes since the last step.
    fn changes(&mut self, state: &State<'_>) -> Vec<Change> {
        if !self.with_state {
            return Vec::new();
        }
        let first = self.execution.steps.is_empty() && self.execution.omitted == 0;
        if first {
            let own = |field: &FieldId| !state.program().class(state.program().field(*field).class).is_library;
            self.written_statics.extend(state.statics().map(|(field, _)| field).filter(own));
        }
        let mut changes = Vec::new();
        for index in std::mem::take(&mut self.touched) {
            self.changed_locals(state, index, &mut changes);
        }
        for field in std::mem::take(&mut self.written_statics) {
            if let Some(row) = self.static_row(state.program(), field) {
                let value = self.value(state, &state.static_field(field), Holder::Variable);
                changes.push(Change::Static(row, value));
            }
        }
        let mut written: Vec<Write> = self.written.drain().collect();
        written.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        for write in &written {
            changes.extend(self.changed_part(state, write));
        }
        let mut objects = self.new_objects(state);
        objects.append(&mut changes);
        objects
    }

    fn changed_locals(&mut self, state: &State<'_>, index: usize, changes: &mut Vec<Change>) {
        let Some(open) = self.open.get_mut(index) else { return };
        open.touched = false;
        let Some(frame) = state.frame(open.level) else { return };
        let (call, variables) = (open.call, Rc::clone(&open.variables));
        let mut target: Option<(LocalId, Option<Target>)> = None;
        for (at, &(Variable { local, part, row, has_namesakes }, ty)) in variables.iter().enumerate() {
            let Some(value) = frame.local(local) else { continue };
            let behind = part.map(|part| {
                let Value::Ref(reference) = value else { return None };
                let known = target.take().filter(|(of, _)| *of == local);
                let (_, target) = target.insert(known.unwrap_or_else(|| (local, Target::of(state, *reference))));
                let target = target.as_ref()?;
                self.watch(index, local, target);
                target.part(part, ty)
            });
            let value = match &behind {
                None => value,
                Some(None) => continue,
                Some(Some(value)) => value,
            };
            let Some((assigned, last)) = self.open.get_mut(index).and_then(|open| open.values.get_mut(at)) else {
                continue;
            };
            let is_default = matches!(value, Value::Null | Value::Bool(false) | Value::F32(0) | Value::F64(0))
                || matches!(value, Value::Int(int) if int.to_i64() == Some(0));
            if (*assigned || !is_default && !has_namesakes) && last.as_ref() != Some(value) {
                *last = Some(value.clone());
                if has_namesakes {
                    changes.extend(self.namesakes_end(index, at));
                }
                let value = self.value(state, value, Holder::Variable);
                changes.push(Change::Local(call, row, value));
            }
        }
    }

    /// The other variables of an activation with the name of this one that have values. They are out of scope.
    fn namesakes_end(&mut self, index: usize, at: usize) -> Vec<Change> {
        let Some(open) = self.open.get_mut(index) else { return Vec::new() };
        let shapes = self.execution.calls.get(open.call as usize).map(|call| call.method as usize);
        let Some(shapes) = shapes.and_then(|method| self.execution.methods.get(method)) else { return Vec::new() };
        let name = |variable: &Variable| shapes.variables.get(variable.row as usize).map(|shape| &shape.name);
        let own = name(&open.variables[at].0);
        let others = open.variables.iter().zip(&mut open.values).enumerate();
        let ended = others.filter(|(other, ((variable, _), (assigned, last)))| {
            *other != at && name(variable) == own && (*assigned || last.is_some())
        });
        let ended = ended.map(|(_, ((variable, _), value))| {
            *value = (false, None);
            Change::Gone(open.call, variable.row)
        });
        ended.collect()
    }

    /// Notes that a local of an activation refers to a target.
    fn watch(&mut self, index: usize, local: LocalId, target: &Target) {
        let Some(open) = self.open.get_mut(index) else { return };
        let statics = target.holders.is_empty().then_some(None);
        for holder in target.holders.iter().copied().map(Some).chain(statics) {
            if open.watched.insert((holder, local)) {
                self.watching.entry(holder).or_default().push(index);
            }
        }
    }

    /// The change of a part of a known object.
    fn changed_part(&mut self, state: &State<'_>, write: &Write) -> Option<Change> {
        match write {
            Write::Field(address, field) => {
                let HeapObject::Object(object) = state.heap().get(*address)? else { return None };
                self.class_row(state.program(), object.class());
                let row = (*self.tables.fields.get(&(object.class(), *field))?)?;
                let number = self.objects.get(*address)?.number;
                Some(Change::Field(
                    number,
                    row,
                    self.value(state, object.get(*field)?, Holder::Field(*address, *field)),
                ))
            }
            Write::Element(address, index) => {
                let HeapObject::Array(array) = state.heap().get(*address)? else { return None };
                let number = self.objects.get(*address)?.number;
                let value = self.value(state, array.get(index)?, Holder::Element(*address));
                Some(Change::Element(number, index.to_string(), value))
            }
        }
    }

    /// The new objects and all that they lead to.
    fn new_objects(&mut self, state: &State<'_>) -> Vec<Change> {
        let mut changes = Vec::new();
        while let Some(address) = self.objects.next_new() {
            let content = self.content(state, address);
            let has_parts = matches!(content, Content::Instance { .. } | Content::Array { .. });
            if let Some(known) = self.objects.get_mut(address) {
                known.has_parts = has_parts;
                changes.push(Change::Object(known.number, content));
            }
        }
        changes
    }

    fn content(&mut self, state: &State<'_>, address: Address) -> Content {
        let program = state.program();
        match state.heap().get(address) {
            Some(HeapObject::Object(object)) => {
                let class = self.class_row(program, object.class());
                if let Some(units) = state.heap().string_units(address) {
                    return Content::String {
                        class,
                        text: Text::of(&units.take(MAX_DENSE_LENGTH).collect::<Vec<_>>()),
                    };
                }
                if program.class(object.class()).is_library && !self.objects.admits(address) {
                    return Content::Opaque { class };
                }
                let fields: Vec<(FieldId, &Value)> = object.fields().collect();
                let shown = fields.into_iter().filter(|(field, _)| !is_hidden(program, *field));
                let values =
                    shown.map(|(field, value)| self.value(state, value, Holder::Field(address, field))).collect();
                Content::Instance { class, values }
            }
            Some(HeapObject::Array(array)) => Content::Array {
                element: program.show_type(array.element_type()),
                length: array.length().to_string(),
                default: self.value(state, array.rest(), Holder::Element(address)),
                elements: array
                    .written()
                    .map(|(index, value)| (index.to_string(), self.value(state, value, Holder::Element(address))))
                    .collect(),
            },
            // All addresses are of this heap, so this case does not occur.
            None => Content::Array {
                element: String::new(),
                length: "0".into(),
                default: ValueDocument::Null,
                elements: Vec::new(),
            },
        }
    }

    /// Converts a value and registers the object that it refers to.
    fn value(&mut self, state: &State<'_>, value: &Value, holder: Holder) -> ValueDocument {
        match value {
            Value::Ref(address) => {
                let number = self.objects.number(state.heap(), state.program(), *address, holder);
                ValueDocument::Ref(number as usize)
            }
            value => value.into(),
        }
    }

    fn class_row(&mut self, program: &Program, class: ClassId) -> u32 {
        if let Some(&row) = self.tables.classes.get(&class) {
            return row;
        }
        let mut fields = Vec::new();
        for field in program.instance_fields(class) {
            let row = (!is_hidden(program, field)).then_some(fields.len() as u32);
            self.tables.fields.insert((class, field), row);
            if row.is_some() {
                let declared = program.field(field);
                fields.push(FieldShape {
                    name: declared.name.clone(),
                    class: program.class_name(declared.class).to_owned(),
                    ty: program.show_type(declared.ty),
                });
            }
        }
        let declared = program.class(class);
        let profile = program.profile();
        let look = profile.runtime.look(program, class);
        let collection = look.as_ref().and_then(|look| shape_of(program, &look.contents));
        if let Some(look) = &look {
            self.objects.learn(&look.contents);
        }
        let name = look.map_or_else(|| program.class_name(class).to_owned(), |look| look.name);
        let names_constant = |field: &FieldShape| {
            profile
                .constant_name
                .is_some_and(|(class, name)| field.name == name && field.class == program.class_name(class))
        };
        let constant = fields.iter().position(names_constant);
        let is_box = profile.boxes.contains(&class);
        let library = declared.is_library;
        self.execution.classes.push(ClassShape { name, library, constant, is_box, collection, fields });
        let row = self.execution.classes.len() as u32 - 1;
        self.tables.classes.insert(class, row);
        row
    }

    fn static_row(&mut self, program: &Program, field: FieldId) -> Option<u32> {
        // Compilers give such names to what they add, such as `$VALUES` in enums.
        if program.field(field).name.starts_with('$') {
            return None;
        }
        let statics = &mut self.execution.statics;
        Some(*self.tables.statics.entry(field).or_insert_with(|| {
            let declared = program.field(field);
            let name = format!("{}.{}", program.class_name(declared.class), declared.name);
            statics.push(StaticShape { name, ty: program.show_type(declared.ty) });
            statics.len() as u32 - 1
        }))
    }

    fn file(&mut self, program: &Program, file: FileId) -> u32 {
        let files = &mut self.execution.files;
        *self.tables.files.entry(file).or_insert_with(|| {
            let source = program.file(file);
            let text = source.and_then(|source| source.text.clone());
            files.push(SourceText {
                path: source.map(|source| source.path.display().to_string()).unwrap_or_default(),
                sha256: text.as_deref().map(sha256),
                text,
            });
            files.len() as u32 - 1
        })
    }

    /// Merges the older half of the steps into the state before the first kept step.
    fn forget_steps(&mut self) {
        let half = self.execution.steps.len() / 2;
        for step in self.execution.steps.drain(..half) {
            for change in &step.changes {
                self.before.apply(change);
            }
        }
        self.lines.drain(..half);
        self.execution.omitted += half as u64;
        self.drop_calls();
    }

    /// Drops calls that ended before the first kept step.
    fn drop_calls(&mut self) {
        if self.execution.omitted == 0 {
            return;
        }
        let calls = &self.execution.calls;
        let mut kept = vec![false; calls.len()];
        let used = self.execution.steps.iter().map(|step| step.call).chain(self.open.iter().map(|open| open.call));
        for call in used {
            let mut next = Some(call);
            while let Some(call) = next.filter(|&call| !kept[call as usize]) {
                kept[call as usize] = true;
                next = calls[call as usize].parent;
            }
        }
        let mut numbers = vec![None; calls.len()];
        let mut renumbered = Vec::new();
        for (old, call) in calls.iter().enumerate().filter(|(old, _)| kept[*old]) {
            numbers[old] = Some(renumbered.len() as u32);
            let parent = call.parent.and_then(|parent| numbers[parent as usize]);
            renumbered.push(Call { parent, ..*call });
        }
        let renumber = |call: &mut u32| *call = numbers[*call as usize].unwrap_or_default();
        self.execution.calls = renumbered;
        self.open.iter_mut().for_each(|open| renumber(&mut open.call));
        for step in &mut self.execution.steps {
            renumber(&mut step.call);
            step.changes.retain_mut(|change| match change {
                // The call returned without a step in between, so that nobody can see the variable.
                Change::Local(call, ..) | Change::Gone(call, _) if numbers[*call as usize].is_none() => false,
                Change::Local(call, ..) | Change::Gone(call, _) => {
                    renumber(call);
                    true
                }
                _ => true,
            });
        }
        self.before.renumber_calls(|call| numbers[call as usize]);
    }

    /// Records the arguments of the entry point.
    fn starts(&mut self, state: &State<'_>) {
        let (Some(frame), program) = (state.top(), state.program()) else { return };
        let Some(body) = program.body(self.entry) else { return };
        let params = &program.method(self.entry).params;
        let mut arguments = Vec::new();
        let mut variables: Vec<(String, Address)> = Vec::new();
        let values = params.iter().zip(&body.locals).enumerate();
        let names: Vec<(&str, &Value)> =
            values.filter_map(|(at, (_, local))| Some((&*local.name, frame.local(LocalId(at as u32))?))).collect();
        for (index, (&ty, local)) in params.iter().zip(&body.locals).enumerate() {
            let Some(value) = frame.local(LocalId(index as u32)) else { continue };
            match value {
                Value::Ref(address) if let Some(place) = place_of(state, *address, &names) => {
                    self.held.push((local.name.clone(), *address, Some(format!("ref {place}"))));
                }
                Value::Ref(address) if is_variable(state, *address) => {
                    // Users see which parameters are the same variable.
                    match variables.iter().find(|(_, known)| known == address) {
                        Some((known, _)) => {
                            self.held.push((local.name.clone(), *address, Some(format!("ref {known}"))));
                        }
                        None => variables.push((local.name.clone(), *address)),
                    }
                }
                // Nothing is known about an object before its constructor runs.
                Value::Ref(_) if index == 0 && program.method(self.entry).kind == MethodKind::Constructor => {}
                _ => {
                    self.shown_arguments.push((local.name.clone(), show_typed(state, value, ty)));
                    if let Value::Ref(address) = value {
                        self.held.push((local.name.clone(), *address, holder(state, value)));
                    }
                }
            }
            if let Type::Class(class) = ty
                && program.is_made_only(class)
            {
                let constant = name_of_constant(state, class, value);
                self.constants.push(Constant { parameter: index, name: local.name.clone(), constant });
            }
            let value = self.value(state, value, Holder::Variable);
            arguments.push(ArgumentDocument { name: local.name.clone(), ty: program.show_type(ty), value });
        }
        self.arguments = Some(arguments);
        if program.making_limits().is_some() {
            let values: Vec<&Value> = names.iter().map(|(_, value)| *value).collect();
            if let Some(mut shown) = show_arguments(state, self.entry, &values) {
                for (name, _, holder) in &self.held {
                    let is_it = |given: &str| given.strip_prefix("ref ").unwrap_or(given) == name;
                    if let (Some(holder), Some((_, text))) = (holder, shown.iter_mut().find(|(given, _)| is_it(given)))
                    {
                        *text = holder.clone();
                    }
                }
                self.shown_arguments = shown;
            }
        }
        self.notes_statics(state);
    }

    /// Adds the static fields that the start method has set to the shown arguments.
    fn notes_statics(&mut self, state: &State<'_>) {
        let program = state.program();
        let start = program.start(self.entry);
        if start == self.entry {
            return;
        }
        for field in program.given_statics(start) {
            let declared = program.field(field);
            let name = format!("{}.{}", program.class_name(declared.class), declared.name);
            self.shown_arguments.push((name, show_typed(state, &state.static_field(field), declared.ty)));
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
        if facts.sets_own
            && self.with_state
            && let Some(OpKind::PutStatic { field, .. }) = op(program, place.method, place.point)
        {
            self.writing_static = Some(*field);
        }
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

/// Whether users cannot know a field: a front end added it, or it means something to the platform only.
fn is_hidden(program: &Program, field: FieldId) -> bool {
    let declared = program.field(field);
    declared.name.starts_with('$') && declared.span == Span::NONE
        || program.profile().runtime.is_internal(program, field)
}

fn op(program: &Program, method: MethodId, point: Point) -> Option<&OpKind> {
    let block = program.body(method)?.blocks.get(point.block.index())?;
    block.ops.get(point.op as usize).map(|op| &op.kind)
}

/// A key that orders writes in the same way in each run.
fn order(write: &Write) -> (Address, u32, Option<&crate::int::Int>) {
    match write {
        Write::Field(address, field) => (*address, field.0, None),
        Write::Element(address, index) => (*address, 0, Some(index)),
    }
}
