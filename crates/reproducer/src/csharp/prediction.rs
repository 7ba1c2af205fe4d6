//! Predicts by a concrete run what .NET shows for an entry point.

use crate::received::{Left, Line, Received, chooses_inputs, innermost, leave, receive};
use crate::{Prediction, Unreproducible};
use aback_ir::{FieldId, Intrinsic, MethodId, MethodKind, OpKind, Program, TerminatorKind};
use aback_lang_csharp::{Declarations, ObjectShape};
use aback_witness::{Ends, Inputs, Limits, MakingCalls, Observer, Outcome, Place, State, Value, run};
use rustc_hash::FxHashSet;

/// How a false assertion is called.
pub(crate) const ASSERTION: &str = "Debug.Assert";
/// The class of the exception that results if a static constructor throws.
const INITIALIZER_ERROR: &str = "System.TypeInitializationException";

/// Predicts the outcome of `entry` by a concrete run.
///
/// # Errors
/// The run ends in a way that .NET cannot show.
pub(crate) fn predict(
    declarations: Declarations,
    entry: MethodId,
    inputs: &Inputs,
    limits: Limits<'_>,
) -> Result<Prediction, Unreproducible> {
    let program = declarations.program();
    let no_violation = |reason: &str| Unreproducible::NoViolation(reason.into());
    let registers = declarations.result_registers(entry);
    let mut watch = Watch { registers, ..Watch::new(program, entry, inputs.heap.len()) };
    let again = |watch: &mut Watch| {
        run(program, program.start(entry), inputs, limits, watch)
            .map_err(|error| Unreproducible::NoViolation(error.to_string()))
    };
    let outcome = again(&mut watch)?;
    let (exception, place, is_assertion) = match &outcome {
        Outcome::AssertionFailed { kind, .. } if kind.is_question() => {
            return Err(no_violation(
                "a line that is reached leaves no trace on the .NET runtime; `aback replay` shows the way to it",
            ));
        }
        Outcome::AssertionFailed { .. } => (Some(ASSERTION.to_string()), watch.failed, true),
        Outcome::Returned(_) => (None, None, false),
        Outcome::Uncaught { class, origin, .. } => {
            let exception = match declarations.object(*class) {
                ObjectShape::Object(ty) => declarations.shown_name(ty),
                _ => None,
            };
            let exception = exception.unwrap_or_else(|| program.class_name(*class).to_string());
            // The user's line that was active when the exception was thrown: the activations are closed by now.
            let mut second = Watch { origin: Some(*origin), ..Watch::new(program, entry, inputs.heap.len()) };
            again(&mut second)?;
            // The runtime initializes a class where it is used first, and the model at the beginning of a method.
            let place = if exception == INITIALIZER_ERROR { None } else { second.at_origin };
            (Some(exception), place, false)
        }
        Outcome::AssumptionFailed(_) => return Err(no_violation("an assumption is false")),
        Outcome::Unsupported { reason, .. } => return Err(no_violation(reason)),
        Outcome::StepLimit | Outcome::FrameLimit | Outcome::MemoryLimit | Outcome::Interrupted => {
            return Err(no_violation("the concrete run was stopped"));
        }
    };
    Ok(Prediction {
        exception,
        thrown: outcome.thrown(),
        place: place.map(|place| place.1),
        method: place.map(|place| place.0),
        again: watch.thrown.map(|thrown| thrown.1).filter(|_| !is_assertion),
        is_assertion,
        given: Vec::new(),
        uses_verifier: false,
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
    received: Option<Received>,
    /// The calls that make the arguments.
    making: MakingCalls,
    /// The place at which the exception of interest is thrown, and the user's line there.
    origin: Option<Place>,
    at_origin: Option<Line>,
    /// The last line of the user's code with a `throw`, or with a `finally` that an exception leaves.
    thrown: Option<Line>,
    /// The line at which an assertion is false.
    failed: Option<Line>,
    uncontrolled: Vec<String>,
    ends: Ends,
    /// Where the entry point leaves the parts of its result but the first.
    registers: Vec<FieldId>,
    left: Option<Left>,
}

impl<'a> Watch<'a> {
    fn new(program: &'a Program, entry: MethodId, inputs: usize) -> Self {
        Watch {
            program,
            entry,
            inputs,
            received: None,
            making: MakingCalls::default(),
            origin: None,
            at_origin: None,
            thrown: None,
            failed: None,
            uncontrolled: Vec::new(),
            ends: Ends::new(program, program.start(entry), entry),
            registers: Vec::new(),
            left: None,
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, state: &State<'_>, place: Place) {
        if self.received.is_none() {
            self.making.step(state, place);
        }
        if self.received.is_none() && place.method == self.entry && state.is_in_entry(self.entry) {
            self.received = receive(self.entry, self.inputs, state, &FxHashSet::default(), &self.making, |_| None);
        }
        self.ends.step(state, place);
        if self.origin.is_some_and(|origin| (origin.method, origin.point) == (place.method, place.point)) {
            self.at_origin = innermost(self.program, state);
        }
        let Some(block) = self.program.body(place.method).and_then(|body| body.blocks.get(place.point.block.index()))
        else {
            return;
        };
        match block.ops.get(place.point.op as usize).map(|op| &op.kind) {
            Some(OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. }) => {
                let name = match self.program.is_synthetic(place.method) {
                    true => "what the runtime chooses".into(),
                    false => self.program.method_name(place.method),
                };
                if !chooses_inputs(self.program, self.entry, self.received.is_none(), place.method)
                    && !self.uncontrolled.contains(&name)
                {
                    self.uncontrolled.push(name);
                }
            }
            Some(_) => {}
            None => {
                if let TerminatorKind::Throw(_) = block.terminator.kind {
                    self.thrown = innermost(self.program, state);
                }
            }
        }
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        if let Outcome::AssertionFailed { .. } = outcome {
            self.failed = innermost(self.program, state);
        }
        self.ends.end(state, outcome);
        let result: Vec<Value> = match (self.program.method(self.entry).kind, &self.ends.result) {
            (MethodKind::Constructor, _) => self.ends.arguments.iter().flat_map(|all| all.first()).cloned().collect(),
            (_, Some(first)) => {
                let others = self.registers.iter().map(|&register| state.static_field(register));
                std::iter::once(first.clone()).chain(others).collect()
            }
            (_, None) => Vec::new(),
        };
        self.left = self.received.as_ref().and_then(|received| leave(received, &result, state, |_| None));
    }
}
