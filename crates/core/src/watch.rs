//! What a person wants to know of a confirmed run: its way through the user's own code, and what the environment gave it.

use aback_ir::{ClassId, Intrinsic, LocalId, MethodId, OpKind, Point, Program, Span, Type};
use aback_symbolic::Candidate;
use aback_witness::{HeapObject, Observer, Outcome, PathEntry, PathRecorder, Place, State, Value, show_value};

/// Source lines of a path that are kept from its start and from its end.
const PATH_ENDS: (usize, usize) = (200, 800);

/// A value that the environment gave to a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The method that asks the environment, as users name it: `nondetInt`.
    pub method: MethodId,
    /// The line of the user's code that called it.
    pub span: Span,
    /// Type of the value.
    pub ty: Type,
    /// The value, as [`show_value`] shows it.
    pub value: String,
}

/// An argument that is a constant of the program's own: of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Which parameter of the entry point, the receiver being the first.
    pub parameter: usize,
    /// What the parameter is called.
    pub name: String,
    /// What the constant is called; `None` for null.
    pub constant: Option<String>,
}

/// Watches the run of a candidate.
pub(crate) struct Watch {
    claimed: Place,
    /// The entry point that the user means.
    entry: MethodId,
    /// Its arguments by name, once it is running.
    arguments: Option<Vec<(String, String)>>,
    constants: Vec<Constant>,
    path: PathRecorder,
    /// The last line of the user's own code.
    line: Option<PathEntry>,
    /// That line when the run last was where the violation is.
    blamed: Option<PathEntry>,
    asking: Vec<Asking>,
    given: Vec<Given>,
    outcome: Option<Outcome>,
    output: String,
}

/// A call of a method that has asked the environment and is open yet.
struct Asking {
    /// Number of activations below the method's.
    depth: usize,
    method: MethodId,
    /// Where it was called.
    span: Span,
    /// Where the caller puts the result.
    result: Option<(LocalId, Type)>,
}

impl Watch {
    pub(crate) fn new(candidate: &Candidate, entry: MethodId) -> Self {
        Watch {
            claimed: candidate.place,
            entry,
            arguments: None,
            constants: Vec::new(),
            path: PathRecorder::new(PATH_ENDS.0, PATH_ENDS.1),
            line: None,
            blamed: None,
            asking: Vec::new(),
            given: Vec::new(),
            outcome: None,
            output: String::new(),
        }
    }

    /// How the run ended.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// What it printed.
    pub(crate) fn output(&self) -> &str {
        &self.output
    }

    /// The line of the user's own code at which the violation is: where it happens, or, if that is in a library, where the
    /// library was called.
    pub(crate) fn blamed(&self) -> Option<Span> {
        self.blamed.map(|entry| entry.span)
    }

    /// What the environment gave.
    pub(crate) fn given(&self) -> &[Given] {
        &self.given
    }

    /// The arguments that the program made for the entry point.
    pub(crate) fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The arguments of the entry point, by name.
    pub(crate) fn arguments(&self) -> &[(String, String)] {
        self.arguments.as_deref().unwrap_or_default()
    }

    /// Notes the arguments of the entry point.
    fn starts(&mut self, state: &State<'_>) {
        let Some(frame) = state.depth().checked_sub(1).and_then(|level| state.frame(level)) else { return };
        let Some(body) = state.program().body(self.entry) else { return };
        let params = &state.program().method(self.entry).params;
        let arguments = params.iter().zip(&body.locals).enumerate().filter_map(|(index, (&ty, local))| {
            let value = frame.local(LocalId(index as u32))?;
            Some((local.name.clone(), show_given(state, value, ty)))
        });
        self.arguments = Some(arguments.collect());
        let constants = params.iter().zip(&body.locals).enumerate().filter_map(|(parameter, (&ty, local))| {
            let Type::Class(class) = ty else { return None };
            let value = frame.local(LocalId(parameter as u32)).filter(|_| state.program().is_made_only(class))?;
            Some(Constant { parameter, name: local.name.clone(), constant: name_of_constant(state, class, value) })
        });
        self.constants = constants.collect();
    }

    /// The lines of the user's own code that were kept, with the number of activations of that code around each; and how
    /// many lines were left out, and before which one.
    pub(crate) fn path(&self) -> (Vec<PathEntry>, (u64, usize)) {
        let mut open: Vec<usize> = Vec::new();
        let own_depth = |entry: &PathEntry| {
            while open.last().is_some_and(|&depth| depth >= entry.depth) {
                open.pop();
            }
            open.push(entry.depth);
            PathEntry { depth: open.len() - 1, ..*entry }
        };
        let path = self.path.entries().map(own_depth).collect();
        (path, (self.path.omitted(), self.path.first().len()))
    }

    /// Ends the calls that the run has returned from.
    fn returned(&mut self, state: &State<'_>) {
        while let Some(asking) = self.asking.pop_if(|asking| state.depth() <= asking.depth) {
            let caller = asking.depth.checked_sub(1).and_then(|level| state.frame(level));
            let value = asking.result.and_then(|(local, ty)| Some((caller?.local(local)?.clone(), ty)));
            if let Some((value, ty)) = value {
                let value = show_given(state, &value, ty);
                self.given.push(Given { method: asking.method, span: asking.span, ty, value });
            }
        }
    }

    fn asks(&mut self, state: &State<'_>, place: Place) {
        let depth = state.depth() - 1;
        if self.asking.last().is_some_and(|asking| asking.depth == depth) {
            return;
        }
        let caller = depth.checked_sub(1).and_then(|level| state.frame(level));
        let Some((caller, line)) = caller.zip(self.line) else { return };
        let result = called_for(state.program(), caller.method, caller.point);
        self.asking.push(Asking { depth, method: place.method, span: line.span, result });
    }
}

/// Whether a place is in code that the user wrote: in no library, and not what Java's compiler adds to the initializer of
/// a class that has assertions.
fn is_written(program: &Program, place: Place) -> bool {
    let method = program.method(place.method);
    let is_added = || {
        method.name == "<clinit>"
            && place.span.line == method.span.line
            && program.find_field(method.class, "$assertionsDisabled").is_some()
    };
    !program.class(method.class).is_library && !is_added()
}

/// The local that a call puts its result into.
fn called_for(program: &Program, method: MethodId, point: Point) -> Option<(LocalId, Type)> {
    match op(program, method, point)? {
        OpKind::Call { dst: Some(dst), method, .. } => Some((*dst, program.method(*method).result?)),
        _ => None,
    }
}

fn op(program: &Program, method: MethodId, point: Point) -> Option<&OpKind> {
    let block = program.body(method)?.blocks.get(point.block.index())?;
    block.ops.get(point.op as usize).map(|op| &op.kind)
}

/// What a constant of an enum says that it is called.
fn name_of_constant(state: &State<'_>, class: ClassId, value: &Value) -> Option<String> {
    let Value::Ref(constant) = value else { return None };
    let HeapObject::Object(object) = state.heap().get(*constant)? else { return None };
    let Value::Ref(name) = object.get(state.program().find_field(class, "name")?)? else { return None };
    state.heap().string(*name)
}

/// A value with its character, if it is one.
fn show_given(state: &State<'_>, value: &Value, ty: Type) -> String {
    let text = show_value(state, value);
    let is_char = ty == Type::Machine { width: 16, signed: false };
    match (is_char, value) {
        (true, Value::Int(code)) => {
            let char = code
                .to_usize()
                .and_then(|code| char::from_u32(u32::try_from(code).ok()?))
                .filter(|char| !char.is_control());
            char.map_or(text.clone(), |char| format!("'{char}' ({text})"))
        }
        _ => text,
    }
}

impl Observer for Watch {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let program = state.program();
        if self.arguments.is_none() && place.method == self.entry {
            self.starts(state);
        }
        if !self.asking.is_empty() {
            self.returned(state);
        }
        if place.span.is_known() && is_written(program, place) {
            let depth = state.depth().saturating_sub(1);
            self.line = Some(PathEntry { method: place.method, span: place.span, depth });
            self.path.step(state, place);
        }
        if (place.method, place.point) == (self.claimed.method, self.claimed.point) {
            self.blamed = self.line;
        }
        let is_asking = matches!(
            op(program, place.method, place.point),
            Some(OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. })
        );
        if is_asking {
            self.asks(state, place);
        }
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        self.returned(state);
        self.outcome = Some(outcome.clone());
        self.output = state.output().to_string();
    }
}
