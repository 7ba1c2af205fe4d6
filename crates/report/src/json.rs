//! An answer as JSON, for tools.

use aback_core::{Answer, Confirmation, DoubleCheck, SecondSaid, Violation};
use aback_ir::{Diagnostic, Program, Severity, Span};
use aback_witness::{Constant, InputsDocument};
use serde::{Serialize, Serializer};

/// Version of the format of [`Document`]; it grows when a field changes its meaning or goes away.
pub const VERSION: u32 = 1;

/// What `aback check --json` prints: one object.
#[derive(Serialize, Debug)]
pub struct Document {
    /// [`VERSION`].
    pub version: u32,
    /// `holds`, `violated`, `holds within bounds` or `unknown`; `error` where the input is bad.
    pub verdict: String,
    /// Why it is neither a proof nor a violation, or what is wrong with the input; empty otherwise.
    pub reason: String,
    /// The violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<ViolationDocument>,
    /// Further violations, on paths of their own, where several were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ViolationDocument>,
    /// Whether the violation contradicts a proof of aback's own, which is a defect of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refuted_proof: bool,
    /// What the other engine said to a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_check: Option<DoubleCheckDocument>,
    /// The first violation that a concrete run did not confirm: a defect of aback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<RejectedDocument>,
    /// The methods that the executions start with that the answer is about: `Class.method`.
    pub entries: Vec<String>,
    /// What is taken for granted. It makes no proof one within bounds.
    pub assumptions: Vec<String>,
    /// Which executions are left out by bounds.
    pub bounds: Vec<String>,
    /// What gave the answer; missing where the input is bad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// What the front end had to say.
    pub diagnostics: Vec<DiagnosticDocument>,
    /// Counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<StatisticsDocument>,
}

/// What gave an answer, so that it can be had again.
#[derive(Clone, Serialize, Debug)]
pub struct Provenance {
    /// The version of aback.
    pub aback: &'static str,
    /// The platform whose library was read, by its name, and its version: `"jdk": "17.0.15"`.
    #[serde(flatten, serialize_with = "by_name")]
    pub platform: Option<(&'static str, String)>,
    /// The solver: `z3 4.12.1`, or the name of a program.
    pub solver: String,
    /// The options of the command, as they were given.
    pub options: Vec<String>,
    /// The seed of the solver's random choices, and of aback's own.
    pub seed: u32,
}

/// A field with its name, if there is one.
fn by_name<S: Serializer>(field: &Option<(&'static str, String)>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(field.as_ref().map(|(name, value)| (name, value)))
}

/// What the other engine said to a proof.
#[derive(Serialize, Debug)]
pub struct DoubleCheckDocument {
    /// `forward` or `backward`.
    pub engine: String,
    /// `agrees`, `disagrees` or `undecided`.
    pub result: &'static str,
    /// Why it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl From<&DoubleCheck> for DoubleCheckDocument {
    fn from(check: &DoubleCheck) -> Self {
        let (result, reason) = match &check.said {
            SecondSaid::Agrees => ("agrees", None),
            SecondSaid::Disagrees => ("disagrees", None),
            SecondSaid::Undecided(reason) => ("undecided", Some(reason.clone())),
        };
        DoubleCheckDocument { engine: check.engine.to_string(), result, reason }
    }
}

/// A place in a source file. Lines and columns count from 1; 0 is unknown.
#[derive(Serialize, Debug)]
pub struct PlaceDocument {
    /// Path as given.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

/// A confirmed violation.
#[derive(Serialize, Debug)]
pub struct ViolationDocument {
    /// What happens, for a person.
    pub description: String,
    /// Where, in the user's own code.
    pub place: PlaceDocument,
    /// The exception that leaves the entry point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionDocument>,
    /// The method that the execution starts with.
    pub entry: String,
    /// The inputs for a person, by name.
    pub shown_inputs: Vec<NamedInput>,
    /// What the environment gave on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenDocument>,
    /// What the program prints on the way.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The inputs for tools.
    pub inputs: InputsDocument,
    /// The arguments that are constants of the program's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<ConstantDocument>,
    /// The source lines from the entry point on.
    pub path: Vec<StepDocument>,
    /// Lines of the path that are left out of `path`, and the index before which they stand.
    pub omitted: (u64, usize),
    /// Why no constructors are known that make the inputs, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmade: Option<String>,
    /// What came of running it outside of aback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<ConfirmationDocument>,
}

/// What came of running a counterexample outside of aback.
#[derive(Serialize, Debug)]
pub struct ConfirmationDocument {
    /// `confirmed`, `differs` or `not run`.
    pub result: &'static str,
    /// What ran it: `openjdk 17.0.15`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// What happened instead, or why it could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ConfirmationDocument {
    /// The document as text on one line.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl From<&Confirmation> for ConfirmationDocument {
    fn from(confirmation: &Confirmation) -> Self {
        let (result, runtime, reason) = match confirmation {
            Confirmation::Confirmed { runtime } => ("confirmed", Some(runtime.clone()), None),
            Confirmation::Differs { runtime, found } => ("differs", Some(runtime.clone()), Some(found.clone())),
            Confirmation::NotRun { reason } => ("not run", None, Some(reason.clone())),
        };
        ConfirmationDocument { result, runtime, reason }
    }
}

/// A violation that a concrete run did not confirm.
#[derive(Serialize, Debug)]
pub struct RejectedDocument {
    /// What the run did instead.
    pub instead: String,
    /// What was claimed, and how far the run went.
    pub violation: ViolationDocument,
}

/// An argument that is a constant of the program's own.
#[derive(Serialize, Debug)]
pub struct ConstantDocument {
    /// Which parameter, from 0, the receiver being the first.
    pub parameter: usize,
    /// What the parameter is called.
    pub name: String,
    /// What the constant is called.
    pub constant: Option<String>,
}

/// An exception that nothing catches.
#[derive(Serialize, Debug)]
pub struct ExceptionDocument {
    /// Full name of its class.
    pub class: String,
    /// Its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The method of a library that threw it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thrown_in: Option<String>,
}

/// A value that the environment gave.
#[derive(Serialize, Debug)]
pub struct GivenDocument {
    /// The method that returned it: `Class.method`.
    pub method: String,
    /// Its type in the words of the language.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value for a person.
    pub value: String,
    /// Where the method was called.
    pub place: PlaceDocument,
}

/// An input for a person.
#[derive(Serialize, Debug)]
pub struct NamedInput {
    /// The parameter, or what else takes the value.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A source line on a path.
#[derive(Serialize, Debug)]
pub struct StepDocument {
    /// Where.
    #[serde(flatten)]
    pub place: PlaceDocument,
    /// The method.
    pub method: String,
    /// Number of calls around it.
    pub depth: usize,
}

/// A message about a place.
#[derive(Serialize, Debug)]
pub struct DiagnosticDocument {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: PlaceDocument,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Counters of the work.
#[derive(Serialize, Debug)]
pub struct StatisticsDocument {
    /// Seconds from the question to the answer.
    pub seconds: f64,
    /// Operations executed on all paths.
    pub operations: u64,
    /// Paths that came to an end.
    pub paths: u64,
    /// Branches where both sides were followed.
    pub forks: u64,
    /// Branches with one side excluded by a solver stage.
    pub pruned: u64,
    /// Operations on the longest path.
    pub depth: u64,
    /// The solver's stages.
    pub solving: aback_smt::Statistics,
}

impl Document {
    /// The document of an answer.
    pub fn of_answer(program: &Program, warnings: &[Diagnostic], answer: &Answer, provenance: Provenance) -> Self {
        Document {
            version: VERSION,
            verdict: answer.said().to_string(),
            reason: answer.reason(program),
            violation: answer.violation.as_ref().map(|violation| violation_document(program, violation)),
            more: answer.more.iter().map(|violation| violation_document(program, violation)).collect(),
            refuted_proof: answer.refuted_proof,
            double_check: answer.double_check.as_ref().map(DoubleCheckDocument::from),
            rejected: answer.rejected.as_ref().map(|rejected| RejectedDocument {
                instead: rejected.instead.clone(),
                violation: violation_document(program, &rejected.violation),
            }),
            entries: answer.entries.iter().map(|&entry| program.method_name(entry)).collect(),
            assumptions: answer.assumptions.clone(),
            bounds: answer.bounds(program),
            provenance: Some(provenance),
            diagnostics: warnings.iter().map(|warning| diagnostic(program, warning)).collect(),
            statistics: Some(StatisticsDocument {
                seconds: answer.time.as_secs_f64(),
                operations: answer.work.operations,
                paths: answer.work.paths,
                forks: answer.work.forks,
                pruned: answer.work.pruned,
                depth: answer.work.depth,
                solving: answer.solving.clone(),
            }),
        }
    }

    /// The document of bad input.
    pub fn of_error(program: &Program, diagnostics: &[Diagnostic], reason: String) -> Self {
        Document {
            version: VERSION,
            verdict: "error".into(),
            reason,
            violation: None,
            more: Vec::new(),
            refuted_proof: false,
            double_check: None,
            rejected: None,
            entries: Vec::new(),
            assumptions: Vec::new(),
            bounds: Vec::new(),
            provenance: None,
            diagnostics: diagnostics.iter().map(|message| diagnostic(program, message)).collect(),
            statistics: None,
        }
    }

    /// The document as text on one line.
    pub fn to_text(&self) -> String {
        // The document has string keys and no maps of other kinds, so that writing it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn place(program: &Program, span: Span) -> PlaceDocument {
    let file = program.file(span.file).map(|file| file.path.display().to_string()).unwrap_or_default();
    PlaceDocument { file, line: span.line, column: span.column }
}

fn diagnostic(program: &Program, message: &Diagnostic) -> DiagnosticDocument {
    DiagnosticDocument {
        severity: match message.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: message.message.clone(),
        place: place(program, message.span),
        help: message.help.clone(),
    }
}

fn violation_document(program: &Program, violation: &Violation) -> ViolationDocument {
    ViolationDocument {
        description: violation.describe(program),
        place: place(program, violation.span),
        exception: violation.class.map(|class| ExceptionDocument {
            class: program.class_name(class).to_string(),
            message: violation.message.clone(),
            thrown_in: violation.library_method(program),
        }),
        entry: program.method_name(violation.entry),
        shown_inputs: violation
            .shown_inputs
            .iter()
            .map(|(name, value)| NamedInput { name: name.clone(), value: value.clone() })
            .collect(),
        given: violation
            .given
            .iter()
            .map(|given| GivenDocument {
                method: program.method_name(given.method),
                ty: program.show_type(given.ty),
                value: given.shown.clone(),
                place: place(program, given.span),
            })
            .collect(),
        output: violation.output.clone(),
        inputs: InputsDocument::of(&violation.inputs, program),
        constants: violation
            .constants
            .iter()
            .map(|Constant { parameter, name, constant }| ConstantDocument {
                parameter: *parameter,
                name: name.clone(),
                constant: constant.clone(),
            })
            .collect(),
        path: violation
            .path
            .iter()
            .map(|entry| StepDocument {
                place: place(program, entry.span),
                method: program.method_name(entry.method),
                depth: entry.depth,
            })
            .collect(),
        omitted: violation.omitted,
        unmade: violation.unmade.clone(),
        confirmation: violation.confirmation.as_ref().map(ConfirmationDocument::from),
    }
}
