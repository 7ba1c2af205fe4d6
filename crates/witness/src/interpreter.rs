//! Transfers control: from operation to operation, into calls and out of them, and to exception handlers.

use crate::arithmetic::Problem;
use crate::expression::{Code, Scratch, set_local};
use crate::heap::{HeapObject, OutOfMemory};
use crate::inputs::{InputError, InputValue, Inputs};
use crate::int::Int;
use crate::observer::Observer;
use crate::outcome::{Limits, Outcome, Place};
use crate::show::show_value;
use crate::state::{Activation, State};
use crate::value::{Address, Value};
use aback_ir::analysis::{Effects, noticed_initializations};
use aback_ir::{BlockId, Body, ClassId, LocalId, MethodId, OpKind, Point, Program, Trap, Type};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Runs `entry` on `inputs` until it ends or meets a limit. Whatever the program does, the run stays within the
/// [`Limits`]. The interpreter keeps the program's output ([`State::output`]) and prints none of it.
///
/// The program must be well-formed: entities that its code names exist. Malformed code within a body ends the run with
/// [`Outcome::Unsupported`]. Nondeterministic values beyond the given ones are the default of their type;
/// [`State::nondet_used`] counts the values that the run asked for.
///
/// # Errors
/// The inputs do not fit the program; see [`Inputs::check`]. For a nondeterministic value, this is detected only when
/// the run asks for it.
pub fn run(
    program: &Program,
    entry: MethodId,
    inputs: &Inputs,
    limits: Limits<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, InputError> {
    // The bound is one for the search of inputs.
    let program = &program.with_long_strings();
    run_with(program, entry, inputs, limits, None, false, observer).map(|(outcome, _)| outcome)
}

/// Provides nondeterministic values on demand.
pub trait Draw {
    /// A value of type `ty`.
    fn value(&mut self, ty: Type) -> InputValue;

    /// The elements of an array of `length` elements; see [`InputValue::Elements`].
    fn elements(&mut self, element: Type, length: &BigInt) -> Vec<InputValue>;
}

/// Like [`run`], but draws the nondeterministic values beyond the given ones. It adds them to the inputs, so that
/// [`run`] repeats the run on these inputs.
///
/// # Errors
/// The inputs or a drawn value do not fit the program.
pub fn run_drawing(
    program: &Program,
    entry: MethodId,
    inputs: &mut Inputs,
    limits: Limits<'_>,
    draw: &mut dyn Draw,
    observer: &mut dyn Observer,
) -> Result<Outcome, InputError> {
    let (outcome, drawn) = run_with(program, entry, inputs, limits, Some(draw), false, observer)?;
    inputs.nondet.extend(drawn);
    Ok(outcome)
}

/// The outcome of a run, and the values that were drawn for it.
fn run_with<'a>(
    program: &Program,
    entry: MethodId,
    inputs: &'a Inputs,
    limits: Limits<'a>,
    draw: Option<&'a mut (dyn Draw + 'a)>,
    passes_assertions: bool,
    observer: &mut dyn Observer,
) -> Result<(Outcome, Vec<InputValue>), InputError> {
    inputs.check(program, entry)?;
    let (state, loaded) = inputs.load(program, limits.max_cells);
    let mut machine = Machine {
        draw,
        drawn: Vec::new(),
        passes_assertions,
        codes: Vec::new(),
        code: Rc::new(Code::new(&EMPTY, 0)),
        base: 0,
        scratch: Scratch::new(),
        args: Vec::new(),
        inputs,
        limits,
        receivers: FxHashMap::default(),
        assignable: FxHashMap::default(),
        thrown: FxHashMap::default(),
        place: state.place(entry, START),
        state,
    };
    let outcome = match loaded {
        Ok(args) => match machine.initialize_inputs()? {
            None => machine.execute(entry, args, observer)?,
            Some(outcome) => outcome,
        },
        Err(OutOfMemory) => Outcome::MemoryLimit,
    };
    observer.end(&machine.state, &outcome);
    Ok((outcome, machine.drawn))
}

/// A run.
pub(crate) struct Machine<'a, 'p> {
    /// The source of nondeterministic values beyond those of the inputs. If it is `None`, these values are defaults.
    draw: Option<&'a mut (dyn Draw + 'a)>,
    /// The values that it has provided.
    drawn: Vec<InputValue>,
    /// Whether a false assertion that execution passes does not end the run. It is no violation before the observed run.
    pub(crate) passes_assertions: bool,
    pub(crate) state: State<'p>,
    /// Code of the innermost activation.
    pub(crate) code: Rc<Code<'p>>,
    /// Where the locals of the innermost activation start.
    pub(crate) base: usize,
    pub(crate) scratch: Scratch,
    /// Arguments of the activation that is opened next; otherwise empty.
    pub(crate) args: Vec<Value>,
    pub(crate) inputs: &'a Inputs,
    pub(crate) limits: Limits<'a>,
    /// The operation or terminator that is being executed.
    pub(crate) place: Place,
    /// Results of [`Program::is_assignable`] so far.
    pub(crate) assignable: FxHashMap<(Type, Type), bool>,
    /// Code of the methods that were called so far.
    codes: Vec<Option<Rc<Code<'p>>>>,
    /// Results of [`Program::dispatch`] so far.
    receivers: FxHashMap<(ClassId, MethodId), MethodId>,
    /// Exceptions that were thrown so far.
    thrown: FxHashMap<Address, Origin>,
}

/// The origin of an exception.
#[derive(Clone, Copy)]
struct Origin {
    trap: Option<Trap>,
    place: Place,
    /// The operation of the program's own code that was executed then.
    own: Place,
}

/// The effect of an operation or terminator on control.
pub(crate) enum Flow {
    /// Go on to the next operation.
    Next,
    /// Jump to a block.
    Goto(BlockId),
    /// Call a method with the arguments [`Machine::args`].
    Call(MethodId),
    /// Return to the caller.
    Return(Option<Value>),
}

/// Why an operation or terminator has no regular effect.
pub(crate) enum Fault {
    /// It traps. [`Machine::args`] holds the arguments for [`Program::trap_thrower`].
    Trap(Trap),
    /// It throws this exception.
    Throw(Address),
    /// It ends the run.
    End(Box<Outcome>),
    /// It has no meaning.
    Unsupported(Box<str>),
    /// It shows that the input does not fit.
    Input(Box<InputError>),
}

impl Fault {
    /// The fault of a construct that has no meaning.
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Fault::Unsupported(what.into().into_boxed_str())
    }
}

impl From<Outcome> for Fault {
    fn from(outcome: Outcome) -> Self {
        Fault::End(Box::new(outcome))
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::TooManyBits => Outcome::MemoryLimit.into(),
            _ => Fault::unsupported(problem.to_string()),
        }
    }
}

impl From<OutOfMemory> for Fault {
    fn from(OutOfMemory: OutOfMemory) -> Self {
        Outcome::MemoryLimit.into()
    }
}

/// The body of a machine before it enters its first method.
static EMPTY: Body =
    Body { locals: Vec::new(), views: Vec::new(), strays: Vec::new(), exprs: Vec::new(), blocks: Vec::new() };

/// The first point of every activation.
const START: Point = Point { block: Body::ENTRY, op: 0 };

impl<'p> Machine<'_, 'p> {
    /// Initializes the classes of the input objects. If these objects exist, their classes have been initialized
    /// before, so that this is not part of the observed run. Returns the outcome if the run ends here: a class whose
    /// initialization fails has no objects.
    fn initialize_inputs(&mut self) -> Result<Option<Outcome>, InputError> {
        let program = self.state.program;
        let classes = self.inputs.classes_to_initialize(program);
        let noticed = noticed_initializations(program, &classes, Effects::matters);
        for class in classes {
            let Some((flag, initializer)) = program.initialization(class) else { continue };
            if self.state.static_field(flag) == Value::Bool(true) {
                continue;
            }
            let is_noticed = noticed.contains(&class);
            let outcome = if is_noticed {
                let before = std::mem::replace(&mut self.passes_assertions, true);
                let outcome = self.execute(initializer, Vec::new(), &mut ());
                self.passes_assertions = before;
                outcome?
            } else {
                // This run changes nothing: the first use of the class initializes it again. So it does not matter if
                // this run does not get to its end.
                run_with(program, initializer, &Inputs::default(), self.limits, None, true, &mut ())?.0
            };
            match outcome {
                Outcome::Returned(_) => {}
                Outcome::Uncaught { origin: place, .. } | Outcome::AssertionFailed { place, .. } => {
                    return Ok(Some(Outcome::AssumptionFailed(place)));
                }
                Outcome::Interrupted => return Ok(Some(Outcome::Interrupted)),
                outcome if is_noticed => return Ok(Some(outcome)),
                _ => {}
            }
        }
        Ok(None)
    }

    fn execute(
        &mut self,
        entry: MethodId,
        args: Vec<Value>,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, InputError> {
        self.args = args;
        let mut result = self.enter(entry, None);
        loop {
            let fault = match result {
                Ok(()) => self.steps(observer),
                Err(fault) => fault,
            };
            result = match fault {
                Fault::Trap(trap) => self.trap(trap),
                Fault::Throw(exception) => self.throw(exception, None),
                Fault::End(outcome) => return Ok(*outcome),
                Fault::Unsupported(reason) => {
                    return Ok(Outcome::Unsupported { reason: reason.into_string(), place: self.place });
                }
                Fault::Input(error) => return Err(*error),
            };
        }
    }

    /// Executes operations and terminators until one has no regular effect.
    fn steps(&mut self, observer: &mut dyn Observer) -> Fault {
        loop {
            if let Err(fault) = self.step(observer) {
                return fault;
            }
        }
    }

    /// Executes one operation or terminator.
    fn step(&mut self, observer: &mut dyn Observer) -> Result<(), Fault> {
        self.count_step()?;
        let Some(&Activation { method, point, .. }) = self.state.frames.last() else {
            return Err(Problem::Malformed.into());
        };
        let body = self.code.body;
        let block = body.blocks.get(point.block.index()).ok_or(Problem::Malformed)?;
        let op = block.ops.get(point.op as usize);
        self.place = Place { method, point, span: op.map_or(block.terminator.span, |op| op.span) };
        observer.step(&self.state, self.place);
        self.state.heap.forget_write();
        let flow = match op {
            Some(op) => self.operation(&op.kind)?,
            None => self.terminator(&block.terminator.kind)?,
        };
        match flow {
            Flow::Next => self.go_to(Point { op: point.op + 1, ..point }),
            Flow::Goto(block) => self.go_to(Point { block, op: 0 }),
            Flow::Call(callee) => self.enter(callee, None)?,
            Flow::Return(value) => self.leave(value)?,
        }
        Ok(())
    }

    /// Counts a step. Ends the run at the step limit, after an interrupt or after the deadline.
    pub(crate) fn count_step(&mut self) -> Result<(), Fault> {
        if self.state.steps >= self.limits.max_steps {
            return Err(Outcome::StepLimit.into());
        }
        if self.state.steps.is_multiple_of(1024) && self.limits.is_over() {
            return Err(Outcome::Interrupted.into());
        }
        self.state.steps += 1;
        Ok(())
    }

    fn go_to(&mut self, point: Point) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.point = point;
        }
    }

    fn code_of(&mut self, method: MethodId) -> Result<Rc<Code<'p>>, Fault> {
        // The program may have grown during the run.
        if self.codes.len() <= method.index() {
            self.codes.resize(method.index() + 1, None);
        }
        let known = self.codes.get_mut(method.index()).ok_or(Problem::Malformed)?;
        if let Some(code) = known {
            return Ok(code.clone());
        }
        match self.state.program.body(method) {
            Some(body) => {
                let params = self.state.program.method(method).params.len();
                Ok(known.insert(Rc::new(Code::new(body, params))).clone())
            }
            None => Err(Fault::unsupported(format!(
                "{} has no code that could be run",
                self.state.program.method_name(method)
            ))),
        }
    }

    /// Opens an activation with the arguments [`Machine::args`]. `thrower_of` is the trap if the method throws a trap's
    /// exception.
    fn enter(&mut self, method: MethodId, thrower_of: Option<Trap>) -> Result<(), Fault> {
        let code = self.code_of(method)?;
        if self.args.len() != code.params || code.params > code.body.locals.len() {
            return Err(Fault::unsupported(format!(
                "malformed code: {} does not take {} arguments",
                self.state.program.method_name(method),
                self.args.len()
            )));
        }
        if self.state.frames.len() >= self.limits.max_frames {
            return Err(Outcome::FrameLimit.into());
        }
        let base = self.state.locals.len();
        let cells = (base + code.defaults.len()) as u64;
        if self.state.heap.cells().saturating_add(cells) > self.limits.max_cells {
            return Err(Outcome::MemoryLimit.into());
        }
        let others = self.args.len()..;
        self.state.locals.append(&mut self.args);
        self.state.locals.extend(code.defaults[others].iter().cloned());
        self.state.frames.push(Activation { method, point: START, base, thrower_of });
        self.code = code;
        self.base = base;
        Ok(())
    }

    /// Closes the innermost activation. Returns whether one remains.
    fn close(&mut self) -> Result<bool, Fault> {
        if let Some(frame) = self.state.frames.pop() {
            self.state.locals.truncate(frame.base);
        }
        match self.state.frames.last() {
            Some(caller) => {
                let method = caller.method;
                self.base = caller.base;
                self.code = self.code_of(method)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Returns to the caller, whose current operation is the call.
    fn leave(&mut self, value: Option<Value>) -> Result<(), Fault> {
        if self.state.frames.last().is_some_and(|frame| frame.thrower_of.is_some()) {
            return Err(Fault::unsupported("malformed code: the method that throws for a trap returned"));
        }
        if !self.close()? {
            return Err(Outcome::Returned(value).into());
        }
        let Some(point) = self.state.frames.last().map(|frame| frame.point) else {
            return Err(Problem::Malformed.into());
        };
        let body = self.code.body;
        let op = body.blocks.get(point.block.index()).and_then(|block| block.ops.get(point.op as usize));
        match (op.map(|op| &op.kind), value) {
            (Some(OpKind::Call { dst: Some(dst), .. }), Some(value)) => self.set(*dst, value)?,
            (Some(OpKind::Call { dst: None, .. } | OpKind::Ensure { .. }), _) => {}
            _ => return Err(Fault::unsupported("malformed code: the result of a method without one is used")),
        }
        self.go_to(Point { op: point.op + 1, ..point });
        Ok(())
    }

    /// Throws the exception of a trap of the current operation: a new one, or the one that the trap's thrower makes.
    fn trap(&mut self, trap: Trap) -> Result<(), Fault> {
        let program = self.state.program;
        if let Some(thrower) = program.trap_thrower(trap) {
            return self.enter(thrower, Some(trap));
        }
        self.args.clear();
        match program.trap_class(trap) {
            Some(class) => {
                let exception = self.state.heap.new_object(program, class)?;
                self.throw(exception, Some(trap))
            }
            None => Err(Fault::unsupported(format!("the program has no exception class for: {}", trap.describe()))),
        }
    }

    /// Transfers control to the innermost handler that catches an exception of the current operation.
    fn throw(&mut self, exception: Address, trap: Option<Trap>) -> Result<(), Fault> {
        let program = self.state.program;
        let class = self.state.heap.get(exception).and_then(|object| object.class()).ok_or(Problem::IllTyped)?;
        let place = self.place;
        let mut origin = match self.thrown.get(&exception) {
            Some(&origin) => origin,
            None => {
                let origin = Origin { trap, place, own: self.own_place(place) };
                self.thrown.insert(exception, origin);
                origin
            }
        };
        while let Some(point) = self.state.frames.last().map(|frame| frame.point) {
            let body = self.code.body;
            let handlers = body.blocks.get(point.block.index()).map_or(&[][..], |block| &block.handlers);
            let takes = |wanted: Option<ClassId>| wanted.is_none_or(|wanted| program.is_subclass(class, wanted));
            if let Some(handler) = handlers.iter().find(|handler| takes(handler.class)) {
                self.set(handler.exception, Value::Ref(exception))?;
                self.go_to(Point { block: handler.target, op: 0 });
                return Ok(());
            }
            let thrower_of = self.state.frames.last().and_then(|frame| frame.thrower_of);
            if !self.close()? {
                break;
            }
            // An exception from a thrower originates at the trap, unless a trap inside the thrower raised it.
            if let (Some(_), None, Some(frame)) = (thrower_of, origin.trap, self.state.frames.last()) {
                let place = self.state.place(frame.method, frame.point);
                origin = Origin { trap: thrower_of, place, own: self.own_place(place) };
                self.thrown.insert(exception, origin);
            }
        }
        let message = self.message(exception);
        let Origin { trap, place: origin, own } = origin;
        Err(Outcome::Uncaught { class, trap, origin, own, message }.into())
    }

    /// The innermost operation of the program's own code that is executed, where the innermost operation of all is at `place`.
    fn own_place(&self, place: Place) -> Place {
        let program = self.state.program;
        if program.is_in_sources(place.method, place.point) {
            return place;
        }
        let mut frames = self.state.frames.iter().rev();
        let own = frames.find(|frame| program.is_in_sources(frame.method, frame.point));
        own.map_or(place, |frame| self.state.place(frame.method, frame.point))
    }

    /// The message of an exception.
    fn message(&self, exception: Address) -> Option<String> {
        let HeapObject::Object(exception) = self.state.heap.get(exception)? else { return None };
        match exception.get(self.state.program.message_field()?)? {
            Value::Null => None,
            value => Some(
                match value {
                    Value::Ref(address) => self.state.heap.string(*address),
                    _ => None,
                }
                .unwrap_or_else(|| show_value(&self.state, value)),
            ),
        }
    }

    /// The method that a virtual call of `method` runs on an object of exactly `class`.
    pub(crate) fn receiver(&mut self, class: ClassId, method: MethodId) -> Result<MethodId, Fault> {
        if let Some(&found) = self.receivers.get(&(class, method)) {
            return Ok(found);
        }
        let program = self.state.program;
        if !program.is_subclass(class, program.method(method).class) {
            return Err(Problem::IllTyped.into());
        }
        let found = program.dispatch(class, method);
        self.receivers.insert((class, method), found);
        Ok(found)
    }

    /// The next nondeterministic value, which must have type `ty`.
    pub(crate) fn nondet_value(&mut self, ty: Type) -> Result<Value, Fault> {
        let (program, inputs) = (self.state.program, self.inputs);
        let index = self.state.nondet_used;
        self.state.nondet_used += 1;
        let value = match &mut self.draw {
            Some(draw) if index >= inputs.nondet.len() => {
                let drawn = draw.value(ty);
                self.drawn.push(drawn);
                inputs.checked_nondet(program, index, &self.drawn[self.drawn.len() - 1], ty)
            }
            _ => inputs.nondet_value(program, index, ty),
        };
        value.map_err(|error| Fault::Input(Box::new(error)))
    }

    /// The elements of the next nondeterministic value, an array of `length` elements of type `element`.
    pub(crate) fn nondet_elements(&mut self, element: Type, length: &Int) -> Result<Vec<Value>, Fault> {
        let (program, inputs) = (self.state.program, self.inputs);
        let index = self.state.nondet_used;
        self.state.nondet_used += 1;
        let elements = match &mut self.draw {
            Some(draw) if index >= inputs.nondet.len() => {
                self.drawn.push(InputValue::Elements(draw.elements(element, &length.to_big())));
                inputs.checked_nondet_elements(program, index, Some(&self.drawn[self.drawn.len() - 1]), element)
            }
            _ => inputs.nondet_elements(program, index, element),
        };
        elements.map_err(|error| Fault::Input(Box::new(error)))
    }

    /// Writes a local of the innermost activation.
    pub(crate) fn set(&mut self, local: LocalId, value: Value) -> Result<(), Fault> {
        Ok(set_local(&mut self.state.locals[self.base..], local, value)?)
    }
}
