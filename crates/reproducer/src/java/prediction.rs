//! Predicts by a concrete run what a JVM shows for a counterexample.

use crate::Unreproducible;
use crate::prediction::{Exact, Given, Prediction, Requested};
use crate::received::{Left, Line, Received, chooses_inputs, innermost, leave, line, receive};
use aback_ir::{
    Body, ClassId, Expr, ExprId, FieldId, Intrinsic, LocalId, MethodId, MethodKind, OpKind, Program, Span,
    TerminatorKind, Type,
};
use aback_witness::{
    Address, Ends, Frame, HeapObject, Inputs, Limits, MakingCalls, Object, Observer, Outcome, Place, State, Value, run,
};
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};

/// The class whose methods return nondeterministic values.
pub(crate) const VERIFIER: &str = "org.sosy_lab.sv_benchmarks.Verifier";
/// The class of the exception that a false assertion throws.
pub(crate) const ASSERTION_ERROR: &str = "java.lang.AssertionError";
/// The class of the exception that results if a class initializer throws.
const INITIALIZER_ERROR: &str = "java.lang.ExceptionInInitializerError";
/// Number of exceptions whose stack traces are kept, the latest ones.
const TRACES: usize = 4096;

impl Prediction {
    /// The values that `Verifier` returns, in order.
    pub fn returned(&self) -> impl Iterator<Item = Requested> {
        self.given.iter().map(|given| {
            let constraint = match &given.value {
                Exact::Text(units) => format!("\\result.equals({})", super::literals::quoted(units)),
                Exact::Plain(Value::F32(bits)) if f32::from_bits(*bits).is_nan() => "Float.isNaN(\\result)".into(),
                Exact::Plain(Value::F64(bits)) if f64::from_bits(*bits).is_nan() => "Double.isNaN(\\result)".into(),
                Exact::Plain(value) => format!("\\result == {}", super::source::unboxed(value, given.ty)),
            };
            let (method, place, caller) = (given.method, given.place, given.caller);
            Requested { method, place, caller, constraint, assumption: assumption(given) }
        })
    }
}

/// A requested value in the notation that GWIT and Wit4Java read, which is that of JBMC: an assignment, or `equals` for a
/// string. GWIT compiles it as a condition, in which it replaces `=` by `==` and drops `;`. Wit4Java takes from it what
/// `Verifier` has to return, and reads numbers without exponents only.
fn assumption(given: &Given) -> String {
    let variable = given.variable.as_deref().unwrap_or("\\result");
    let value = match &given.value {
        Exact::Text(units) => {
            let literal = super::literals::quoted(units).replace('=', "\\u003d").replace(';', "\\u003b");
            return format!("{variable}.equals({literal});");
        }
        Exact::Plain(Value::Int(value)) => {
            let is_long = value.to_big().to_i32().is_none();
            format!("{}{}", value.to_big(), if is_long { "L" } else { "" })
        }
        // Each `float` is a `double`, too. As one, it compares equal to the variable.
        Exact::Plain(Value::F32(bits)) => super::literals::decimal(f32::from_bits(*bits).into()),
        Exact::Plain(Value::F64(bits)) => super::literals::decimal(f64::from_bits(*bits)),
        Exact::Plain(Value::Bool(value)) => value.to_string(),
        Exact::Plain(Value::Null | Value::Ref(_)) => "null".into(),
    };
    format!("{variable} = {value};")
}

/// Predicts the outcome of `entry` by a concrete run.
///
/// # Errors
/// The run ends in a way that no JVM can show.
pub(crate) fn predict(
    program: &Program,
    entry: MethodId,
    inputs: &Inputs,
    limits: Limits<'_>,
) -> Result<Prediction, Unreproducible> {
    let mut watch = Watch::new(program, entry, inputs.heap.len());
    let outcome = run(program, program.start(entry), inputs, limits, &mut watch)
        .map_err(|error| Unreproducible::NoViolation(error.to_string()))?;
    let (exception, place, is_assertion) = match &outcome {
        Outcome::AssertionFailed { kind, .. } if kind.is_question() => {
            let reason = "a line that is reached leaves no trace on the JVM; `aback replay` shows the way to it";
            return Err(Unreproducible::NoViolation(reason.into()));
        }
        Outcome::AssertionFailed { .. } => (Some(ASSERTION_ERROR.to_string()), watch.failed, true),
        Outcome::Returned(_) => (None, None, false),
        Outcome::Uncaught { class, .. } => {
            let exception = program.class_name(*class).to_string();
            // A JVM initializes a class at the call of its method; the program model does so at the beginning of the
            // method.
            let place = if exception == INITIALIZER_ERROR { None } else { watch.last_trace() };
            (Some(exception), place, false)
        }
        Outcome::AssumptionFailed(_) => return Err(Unreproducible::NoViolation("an assumption is false".into())),
        Outcome::Unsupported { reason, .. } => return Err(Unreproducible::NoViolation(reason.clone())),
        Outcome::StepLimit | Outcome::FrameLimit | Outcome::MemoryLimit | Outcome::Interrupted => {
            return Err(Unreproducible::NoViolation("the concrete run was stopped".into()));
        }
    };
    Ok(Prediction {
        exception,
        thrown: outcome.thrown(),
        place: place.map(|place| place.1),
        method: place.map(|place| place.0),
        again: None,
        is_assertion,
        given: watch.given,
        uses_verifier: watch.uses_verifier,
        uncontrolled: watch.uncontrolled,
        received: watch.received.unwrap_or_default(),
        left: watch.left.unwrap_or_default(),
    })
}

struct Watch<'a> {
    program: &'a Program,
    entry: MethodId,
    /// Number of input objects.
    inputs: usize,
    ordinal: Option<FieldId>,
    /// Constructors of `Throwable`, which fill in stack traces.
    filling: FxHashSet<MethodId>,
    /// The first line of the user's code in the stack trace of each exception.
    traces: FxHashMap<Address, Option<Line>>,
    traced: Vec<Address>,
    /// The exception that was thrown last.
    thrown: Option<Address>,
    /// The line at which an assertion is false.
    failed: Option<Line>,
    asking: Vec<Asking>,
    given: Vec<Given>,
    uses_verifier: bool,
    uncontrolled: Vec<String>,
    received: Option<Received>,
    /// The calls that make the arguments.
    making: MakingCalls,
    ends: Ends,
    left: Option<Left>,
}

/// An active call of a method of `Verifier` that has requested a value.
struct Asking {
    depth: usize,
    method: MethodId,
    /// The line of the user's code with the call.
    caller: Line,
    result: Option<LocalId>,
    /// The variable that gets the result at once.
    variable: Option<String>,
}

impl<'a> Watch<'a> {
    fn new(program: &'a Program, entry: MethodId, inputs: usize) -> Self {
        let throwable = program.class_named("java.lang.Throwable");
        let filling = throwable.map(|class| program.methods_named(class, "<init>")).unwrap_or_default();
        let enums = program.class_named("java.lang.Enum");
        Watch {
            program,
            entry,
            inputs,
            ordinal: enums.and_then(|class| program.find_field(class, "ordinal")),
            filling: filling.iter().copied().collect(),
            traces: FxHashMap::default(),
            traced: Vec::new(),
            thrown: None,
            failed: None,
            asking: Vec::new(),
            given: Vec::new(),
            uses_verifier: false,
            uncontrolled: Vec::new(),
            received: None,
            making: MakingCalls::default(),
            ends: Ends::new(program, program.start(entry), entry),
            left: None,
        }
    }

    /// The first line of the stack trace of the exception that left the entry point.
    fn last_trace(&self) -> Option<Line> {
        self.thrown.and_then(|address| self.traces.get(&address).copied().flatten())
    }

    /// A stack trace begins below the constructors of the exception itself.
    fn fills(&mut self, state: &State<'_>) {
        let Some(&Value::Ref(exception)) = state.top().as_ref().and_then(|frame| frame.locals.first()) else { return };
        if self.traces.contains_key(&exception) {
            return;
        }
        let makes = |frame: &Frame<'_>| {
            let method = self.program.method(frame.method);
            method.name == "<init>" && frame.locals.first() == Some(&Value::Ref(exception))
        };
        let line = state.frames().rev().skip_while(makes).find_map(|frame| line(self.program, &frame));
        if self.traced.len() == TRACES {
            for forgotten in self.traced.drain(..TRACES / 2) {
                self.traces.remove(&forgotten);
            }
        }
        self.traced.push(exception);
        self.traces.insert(exception, line);
    }

    fn throws(&mut self, state: &State<'_>, body: &Body, value: ExprId) {
        let mut value = value;
        while let Expr::Convert { value: inner, .. } = body.expr(value) {
            value = *inner;
        }
        let Expr::Local(local) = body.expr(value) else { return };
        if let Some(Value::Ref(address)) = state.top().and_then(|frame| frame.local(*local).cloned()) {
            self.thrown = Some(address);
        }
    }

    /// Notes the arguments of the entry point.
    fn starts(&mut self, state: &State<'_>) {
        let constant = |object: &Object| self.constant(object);
        self.received = receive(self.entry, self.inputs, state, &interned(self.program, state), &self.making, constant);
    }

    /// The enum and the ordinal of an object that is an enum constant.
    fn constant(&self, object: &Object) -> Option<(ClassId, usize)> {
        let ordinal = object.get(self.ordinal?)?;
        let Value::Int(number) = ordinal else { return None };
        Some((self.enum_of(object.class())?, number.to_usize().unwrap_or_default()))
    }

    /// The enum of a class: the class itself, or the enum of whose constant it is the class.
    fn enum_of(&self, class: ClassId) -> Option<ClassId> {
        self.program.superclass_chain(class).find(|&class| is_enum(self.program, Type::Class(class)))
    }

    /// Ends the calls of `Verifier` from which the run has returned.
    fn returned(&mut self, state: &State<'_>) {
        while let Some(asking) = self.asking.pop_if(|asking| state.depth() <= asking.depth) {
            let caller = asking.depth.checked_sub(1).and_then(|level| state.frame(level));
            let ty = self.program.method(asking.method).result;
            let value = asking.result.and_then(|local| caller?.local(local).cloned());
            if let (Some(value), Some(ty)) = (value, ty) {
                let value = match &value {
                    Value::Ref(address) => state.heap().units(*address).map_or(Exact::Plain(Value::Null), Exact::Text),
                    plain => Exact::Plain(plain.clone()),
                };
                let (caller, place) = asking.caller;
                let (method, variable) = (asking.method, asking.variable);
                self.given.push(Given { method, place, caller, ty, value, variable });
            }
        }
    }

    fn asks(&mut self, state: &State<'_>, method: MethodId) {
        let depth = state.depth() - 1;
        if self.asking.last().is_some_and(|asking| asking.depth == depth) {
            return;
        }
        let Some(caller) = depth.checked_sub(1).and_then(|level| state.frame(level)) else { return };
        let block = self.program.body(caller.method).and_then(|body| body.blocks.get(caller.point.block.index()));
        let call = block.and_then(|block| block.ops.get(caller.point.op as usize));
        let result = match call.map(|op| &op.kind) {
            Some(OpKind::Call { dst, .. }) => *dst,
            _ => None,
        };
        let line = innermost(self.program, state);
        // Libraries that call `Verifier` have variables that the line of the user's code cannot name.
        let own = self.program.body(caller.method).filter(|_| line.is_some_and(|line| line.0 == caller.method));
        let variable = own.zip(result).and_then(|(body, local)| {
            let next = block?.ops.get(caller.point.op as usize + 1);
            variable(body, local, next.map(|op| &op.kind))
        });
        let caller = line.unwrap_or((self.entry, Span::NONE));
        self.asking.push(Asking { depth, method, caller, result, variable });
    }
}

/// The variable of the source that gets the result of a call: where it is stored, or where the operation after the call
/// moves it.
fn variable(body: &Body, result: LocalId, next: Option<&OpKind>) -> Option<String> {
    let named = |local: LocalId| {
        let name = &body.locals.get(local.index())?.name;
        super::literals::is_identifier(name).then(|| name.clone())
    };
    named(result).or_else(|| match next {
        Some(OpKind::Assign { dst, value }) if *body.expr(*value) == Expr::Local(result) => named(*dst),
        _ => None,
    })
}

/// Whether code of a model of the user runs, or code that it has called.
fn is_in_model(state: &State<'_>) -> bool {
    state.frames().any(|frame| state.program().modelled(frame.method).is_some())
}

/// Whether a type is an enum type.
pub(crate) fn is_enum(program: &Program, ty: Type) -> bool {
    let Type::Class(class) = ty else { return false };
    program.class(class).superclass.is_some_and(|parent| program.class_name(parent) == "java.lang.Enum")
}

impl Observer for Watch<'_> {
    fn step(&mut self, state: &State<'_>, place: Place) {
        if self.received.is_none() {
            self.making.step(state, place);
        }
        if self.received.is_none() && place.method == self.entry && state.is_in_entry(self.entry) {
            self.starts(state);
        }
        self.ends.step(state, place);
        if !self.asking.is_empty() {
            self.returned(state);
        }
        let at_start = place.point.block == Body::ENTRY && place.point.op == 0;
        if at_start && self.filling.contains(&place.method) {
            self.fills(state);
        }
        let Some(body) = self.program.body(place.method) else { return };
        let Some(block) = body.blocks.get(place.point.block.index()) else { return };
        match block.ops.get(place.point.op as usize).map(|op| &op.kind) {
            Some(OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. }) => {
                let name = self.program.method_name(place.method);
                if is_in_model(state) {
                    // The runtime runs the method itself, which asks for nothing.
                } else if self.program.class_name(self.program.method(place.method).class) == VERIFIER {
                    self.asks(state, place.method);
                } else if !chooses_inputs(self.program, self.entry, self.received.is_none(), place.method)
                    && !self.uncontrolled.contains(&name)
                {
                    self.uncontrolled.push(name);
                }
            }
            Some(_) => {}
            None => {
                if let TerminatorKind::Throw(value) = block.terminator.kind {
                    self.throws(state, body, value);
                }
            }
        }
        if at_start && !self.uses_verifier {
            self.uses_verifier =
                self.program.class_name(self.program.method(place.method).class) == VERIFIER && !is_in_model(state);
        }
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        if let Outcome::AssertionFailed { .. } = outcome {
            self.failed = innermost(self.program, state);
        }
        self.ends.end(state, outcome);
        let result = match self.program.method(self.entry).kind {
            MethodKind::Constructor => self.ends.arguments.as_ref().and_then(|arguments| arguments.first()),
            _ => self.ends.result.as_ref(),
        };
        let result = result.map_or(&[][..], std::slice::from_ref);
        let left = |received| leave(received, result, state, |object| self.constant(object));
        self.left = self.received.as_ref().and_then(left);
    }
}

/// The strings that have been interned; the program model keeps them in a list.
fn interned(program: &Program, state: &State<'_>) -> FxHashSet<Address> {
    let mut strings = FxHashSet::default();
    let Some(list) = program.class_named("aback.Interned") else { return strings };
    let field =
        |name: &str| program.class(list).fields.iter().copied().find(|&field| program.field(field).name == name);
    let [Some(first), Some(next), Some(value)] = ["first", "next", "value"].map(field) else { return strings };
    let mut entry = Some(state.static_field(first));
    while let Some(Value::Ref(address)) = entry
        && let Some(HeapObject::Object(object)) = state.heap().get(address)
    {
        if let Some(&Value::Ref(string)) = object.get(value) {
            strings.insert(string);
        }
        entry = object.get(next).cloned();
    }
    strings
}
