//! Renders an answer as JSON for tools.

use crate::ways::WayDocument;
use aback_core::{Answer, Blame, Confirmation, DoubleCheck, Isolation, SecondSaid, Violation};
use aback_ir::{AssertKind, Diagnostic, Program, Severity, Span};
use aback_symbolic::{BackwardWork, Fault};
use aback_witness::{Constant, InputsDocument};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the format of [`Document`]. It increases when a field changes its meaning or is removed.
pub const VERSION: u32 = 1;

/// The object that `aback check --json` prints.
#[derive(Clone, Serialize, Debug)]
pub struct Document {
    /// [`VERSION`].
    pub version: u32,
    /// `holds`, `violated`, `holds within bounds`, `unknown`, or `error` for bad input.
    pub verdict: String,
    /// The reason why the verdict is neither a proof nor a violation, or what is wrong with the input; otherwise
    /// empty.
    pub reason: String,
    /// The violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<ViolationDocument>,
    /// Further violations on separate paths, if several were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ViolationDocument>,
    /// Whether the violation contradicts aback's own proof, which is a defect of aback.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refuted_proof: bool,
    /// The other engine's answer about a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_check: Option<DoubleCheckDocument>,
    /// The first violation that a concrete run did not confirm, which is a defect of aback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<RejectedDocument>,
    /// The ways through loops to the places in question, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<WayDocument>,
    /// The entry points of the executions that the answer covers: `Class.method`.
    pub entries: Vec<String>,
    /// Assumptions of the answer. A proof under assumptions is not a proof within bounds.
    pub assumptions: Vec<String>,
    /// The bounds that exclude executions.
    pub bounds: Vec<String>,
    /// What produced the answer; missing for bad input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The diagnostics of the front end.
    pub diagnostics: Vec<DiagnosticDocument>,
    /// Counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<StatisticsDocument>,
}

/// What produced an answer, so that it can be reproduced.
#[derive(Clone, Serialize, Debug)]
pub struct Provenance {
    /// The version of aback.
    pub aback: String,
    /// The platform whose library was read, by its name, and its version: `"jdk": "17.0.15"`.
    #[serde(flatten)]
    pub platform: BTreeMap<String, String>,
    /// The solver: `z3 4.12.1`, or the name of a program.
    pub solver: String,
    /// The options of the command, as given.
    pub options: Vec<String>,
    /// The seed of the random choices of the solver and of aback.
    pub seed: u32,
}

/// The other engine's answer about a proof.
#[derive(Clone, Serialize, Debug)]
pub struct DoubleCheckDocument {
    /// `forward` or `backward`.
    pub engine: String,
    /// `agrees`, `disagrees` or `undecided`.
    pub result: String,
    /// The reason if it is undecided.
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
        DoubleCheckDocument { engine: check.engine.to_string(), result: result.into(), reason }
    }
}

/// A place in a source file. Lines and columns count from 1; 0 means unknown.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct PlaceDocument {
    /// The path as given.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
    /// Length in characters.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub length: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What a violation is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An assertion is false, or control gets to a line.
    Assertion,
    /// A requires, ensures or exceptional condition is false.
    Contract,
    /// An exception leaves the entry point.
    Exception,
}

impl Kind {
    fn of(fault: Fault) -> Self {
        match fault {
            Fault::Assertion(AssertKind::Requires | AssertKind::Ensures | AssertKind::Exceptional) => Kind::Contract,
            Fault::Assertion(_) => Kind::Assertion,
            Fault::Trap(_) | Fault::Thrown(_) => Kind::Exception,
        }
    }
}

/// A confirmed violation.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ViolationDocument {
    /// What is violated: `assertion`, `contract` or `exception`.
    pub kind: Kind,
    /// What happens, for users.
    pub description: String,
    /// The place, in the user's own code.
    pub place: PlaceDocument,
    /// The exception that leaves the entry point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionDocument>,
    /// The entry point of the execution.
    pub entry: String,
    /// The inputs by name, for users.
    pub shown_inputs: Vec<NamedInput>,
    /// The values that the environment returned on the path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenDocument>,
    /// The calls that make the inputs, in order; missing if they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_by: Vec<String>,
    /// The methods of libraries on the path that have models of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// What the program prints on the path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The inputs, for tools.
    pub inputs: InputsDocument,
    /// The arguments that are constants of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<ConstantDocument>,
    /// The source lines on the path, starting at the entry point.
    pub path: Vec<StepDocument>,
    /// The number of path lines that `path` omits, and the index in `path` before which they belong.
    pub omitted: (u64, usize),
    /// The reason why no constructor calls are known that create the inputs, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmade: Option<String>,
    /// The outcome of running it outside aback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<ConfirmationDocument>,
    /// What causes it, in words, if violations at other places may have the same cause; in scans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What the callers of the entry point may be to blame for; in scans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<BlameDocument>,
}

/// Whether the callers of an entry point are to blame for a violation, rather than the program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct BlameDocument {
    /// Whether the violation may be about the arguments of the entry point, so that this would refuse them.
    pub may_refuse: bool,
    /// The class of the exception and its superclasses, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// The parameters that get null although nothing in the program provides for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nulls: Vec<String>,
    /// Whether the violation is there only because an array of the inputs has null in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub null_elements: bool,
}

impl From<Blame> for BlameDocument {
    fn from(Blame { may_refuse, classes, nulls, null_elements }: Blame) -> Self {
        BlameDocument { may_refuse, classes, nulls: nulls.into_iter().map(|(_, name)| name).collect(), null_elements }
    }
}

/// The result of running a counterexample outside aback.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum ConfirmationResult {
    /// The same happened.
    #[serde(rename = "confirmed")]
    Confirmed,
    /// Something else happened.
    #[serde(rename = "differs")]
    Differs,
    /// It could not be run.
    #[serde(rename = "not run")]
    NotRun,
}

/// The outcome of running a counterexample outside aback.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ConfirmationDocument {
    /// The result.
    pub result: ConfirmationResult,
    /// The runtime, such as `openjdk 17.0.15`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// Whether it ran in a sandbox; runs within aback need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
    /// The reason why it ran without a sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_sandbox: Option<String>,
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
            Confirmation::Confirmed { runtime } => (ConfirmationResult::Confirmed, Some(runtime), None),
            Confirmation::Differs { runtime, found } => (ConfirmationResult::Differs, Some(runtime), Some(found)),
            Confirmation::NotRun { reason } => (ConfirmationResult::NotRun, None, Some(reason)),
        };
        let (sandbox, no_sandbox) = match runtime.map(|runtime| &runtime.isolation) {
            Some(Isolation::Sandbox) => (Some(true), None),
            Some(Isolation::None(reason)) => (Some(false), Some(reason)),
            Some(Isolation::Interpreter) | None => (None, None),
        };
        ConfirmationDocument {
            result,
            runtime: runtime.map(|runtime| runtime.name.clone()),
            sandbox,
            no_sandbox: no_sandbox.cloned(),
            reason: reason.cloned(),
        }
    }
}

/// A violation that a concrete run did not confirm.
#[derive(Clone, Serialize, Debug)]
pub struct RejectedDocument {
    /// What happened instead.
    pub instead: String,
    /// The claimed violation, and the path as far as the run followed it.
    pub violation: ViolationDocument,
}

/// An argument that is a constant of the program.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ConstantDocument {
    /// The index of the parameter, from 0; the receiver is the first.
    pub parameter: usize,
    /// The name of the parameter.
    pub name: String,
    /// The name of the constant.
    pub constant: Option<String>,
}

/// An uncaught exception.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ExceptionDocument {
    /// Full name of the exception's class.
    pub class: String,
    /// The message of the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The library method that threw the exception, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thrown_in: Option<String>,
}

/// A value that the environment returned.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct GivenDocument {
    /// The method that returned it: `Class.method`.
    pub method: String,
    /// The type of the value, in the notation of the language.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value, for users.
    pub value: String,
    /// The place of the call.
    pub place: PlaceDocument,
}

/// An input, for users.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct NamedInput {
    /// The name of the parameter, or of another location that holds the value.
    pub name: String,
    /// The value of the input.
    pub value: String,
}

/// A source line on a path.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct StepDocument {
    /// The place.
    #[serde(flatten)]
    pub place: PlaceDocument,
    /// The method.
    pub method: String,
    /// The number of enclosing calls.
    pub depth: usize,
}

/// A diagnostic message.
#[derive(Clone, Serialize, Debug)]
pub struct DiagnosticDocument {
    /// `error` or `warning`.
    pub severity: String,
    /// The message.
    pub message: String,
    /// The place.
    pub place: PlaceDocument,
    /// How to correct it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Counters of the backward engine, at the last bound of its loops.
#[derive(Clone, Serialize, Debug)]
pub struct BackwardDocument {
    /// Nodes of the unwound program.
    pub nodes: u64,
    /// Branches that facts from earlier branches decided.
    pub decided: u64,
    /// Conditions that got a name.
    pub named: u64,
    /// Contradictions that were learned at nodes.
    pub learned: u64,
    /// Paths that these excluded.
    pub excluded: u64,
}

impl BackwardDocument {
    fn of(work: &BackwardWork) -> Option<Self> {
        let BackwardWork { nodes, decided, named, learned, excluded } = *work;
        (nodes > 0).then_some(BackwardDocument { nodes, decided, named, learned, excluded })
    }
}

/// Counters of an analysis.
#[derive(Clone, Serialize, Debug)]
pub struct StatisticsDocument {
    /// Seconds from the question to the answer.
    pub seconds: f64,
    /// Operations executed on all paths.
    pub operations: u64,
    /// Paths that ended.
    pub paths: u64,
    /// Branches of which both sides were followed.
    pub forks: u64,
    /// Branches of which a solver stage excluded one side.
    pub pruned: u64,
    /// Branches that intervals did not decide, and where no side is a violation or an exception.
    pub undecided: u64,
    /// Mean probability with which a solver stage was asked about these, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune_probability: Option<f64>,
    /// Seconds that these questions took.
    pub prune_seconds: f64,
    /// Pairs of states that became one.
    pub joins: u64,
    /// States that were compared with earlier ones at the same place.
    pub compared: u64,
    /// Those of them that were dropped, because they go on like earlier ones.
    pub subsumed: u64,
    /// Parts of the search that went to other threads.
    pub taken: u64,
    /// Operations and branches of the program that were left out, because they do not matter.
    pub left_out: u64,
    /// Operations on the longest path.
    pub depth: u64,
    /// The counters of the backward engine, if it worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward: Option<BackwardDocument>,
    /// The counters of the solver's stages.
    pub solving: aback_smt::Statistics,
}

impl Document {
    /// The document for an answer.
    pub fn of_answer(
        program: &Program,
        warnings: &[Diagnostic],
        answer: &Answer,
        provenance: Option<Provenance>,
    ) -> Self {
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
            ways: answer.ways.iter().map(|way| WayDocument::new(program, way)).collect(),
            entries: answer.entries.iter().map(|&entry| program.distinct_name(entry)).collect(),
            assumptions: answer.assumptions.clone(),
            bounds: answer.bounds(program),
            provenance,
            diagnostics: warnings.iter().map(|warning| diagnostic(program, warning)).collect(),
            statistics: Some(StatisticsDocument {
                seconds: answer.time.as_secs_f64(),
                operations: answer.work.operations,
                paths: answer.work.paths,
                forks: answer.work.forks,
                pruned: answer.work.pruned,
                undecided: answer.work.undecided,
                prune_probability: answer.work.prune_probability(),
                prune_seconds: answer.work.pruning.as_secs_f64(),
                joins: answer.work.joins,
                compared: answer.work.compared,
                subsumed: answer.work.subsumed,
                taken: answer.work.taken,
                left_out: answer.work.left_out,
                depth: answer.work.depth,
                backward: BackwardDocument::of(&answer.work.backward),
                solving: answer.solving.clone(),
            }),
        }
    }

    /// All violations in the document.
    pub fn violations(&self) -> impl Iterator<Item = &ViolationDocument> {
        self.violation.iter().chain(&self.more)
    }

    /// The document for bad input.
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
            ways: Vec::new(),
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
        // All keys of the document are strings, so writing cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl PlaceDocument {
    /// A place in a program.
    pub fn of(program: &Program, span: Span) -> Self {
        let file = program.file(span.file).map(|file| file.path.display().to_string()).unwrap_or_default();
        PlaceDocument { file, line: span.line, column: span.column, length: span.length }
    }
}

fn diagnostic(program: &Program, message: &Diagnostic) -> DiagnosticDocument {
    DiagnosticDocument {
        severity: match message.severity {
            Severity::Error => "error".into(),
            Severity::Warning => "warning".into(),
        },
        message: message.message.clone(),
        place: PlaceDocument::of(program, message.span),
        help: message.help.clone(),
    }
}

fn violation_document(program: &Program, violation: &Violation) -> ViolationDocument {
    ViolationDocument {
        kind: Kind::of(violation.fault),
        description: violation.describe(program),
        place: PlaceDocument::of(program, violation.span),
        exception: violation.class.map(|class| ExceptionDocument {
            class: program.class_name(class).to_string(),
            message: violation.message.clone(),
            thrown_in: violation.library_method(program),
        }),
        entry: program.distinct_name(violation.entry),
        shown_inputs: violation
            .shown_inputs
            .iter()
            .map(|(name, value)| NamedInput { name: name.clone(), value: value.clone() })
            .collect(),
        made_by: violation.made_by.clone(),
        models: violation.models.clone(),
        given: violation
            .given
            .iter()
            .map(|given| GivenDocument {
                method: program.method_name(given.method),
                ty: program.show_type(given.ty),
                value: given.shown.clone(),
                place: PlaceDocument::of(program, given.span),
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
                place: PlaceDocument::of(program, entry.span),
                method: program.method_name(entry.method),
                depth: entry.depth,
            })
            .collect(),
        omitted: violation.omitted,
        unmade: violation.unmade.clone(),
        confirmation: violation.confirmation.as_ref().map(ConfirmationDocument::from),
        cause: None,
        blame: None,
    }
}
