//! Writes witnesses, the files of counterexamples.

use crate::answer::Violation;
use crate::flow_graph::blocks_of;
use aback_frontend::{FrontEnd, LoadConfig, Preconditions};
use aback_ir::{AssertKind, Program, Span};
use aback_symbolic::Fault;
use aback_witness::{
    ExceptionRecord, GivenRecord, InputsDocument, Limits, MakingRecord, PlaceRecord, ProgramDocument, Recorder,
    ViolationKind, ViolationRecord, WITNESS_VERSION, Witness, run,
};
use std::path::{Path, PathBuf};

/// Describes how a program was read, so that it can be read again.
pub(crate) fn program_document(language: &dyn FrontEnd, paths: &[PathBuf], config: &LoadConfig) -> ProgramDocument {
    let show = |path: &PathBuf| path.display().to_string();
    ProgramDocument {
        language: language.key().into(),
        paths: paths.iter().map(show).collect(),
        classpath: config.libraries.iter().map(show).collect(),
        java_home: config.platform.as_ref().map(show),
        string_length: config.string_length,
        unbounded_integers: config.unbounded_integers,
        machine_integers: config.machine_integers,
        any_statics: config.any_statics,
        trusted_nullness: config.trusted_nullness,
        assert_methods: config.assert_methods.clone(),
        assumed: config.preconditions.conditions.clone(),
        models: config.models.iter().map(show).collect(),
    }
}

/// The configuration to read a program again. `config` gives the location of its platform, if it has moved, and the
/// interrupt.
pub(crate) fn load_config(read: &ProgramDocument, config: &LoadConfig) -> LoadConfig {
    LoadConfig {
        libraries: read.classpath.iter().map(PathBuf::from).collect(),
        platform: config.platform.clone().or_else(|| read.java_home.as_ref().map(PathBuf::from)),
        string_length: read.string_length,
        unbounded_integers: read.unbounded_integers,
        machine_integers: read.machine_integers,
        any_statics: read.any_statics,
        trusted_nullness: read.trusted_nullness,
        assert_methods: read.assert_methods.clone(),
        preconditions: Preconditions { entry: None, conditions: read.assumed.clone() },
        models: read.models.iter().map(PathBuf::from).collect(),
        ..config.clone()
    }
}

/// The witness of a violation: its execution is run again and recorded. `instead` says how a concrete run ended that
/// did not confirm the violation.
pub(crate) fn witness(
    program: &Program,
    read: ProgramDocument,
    violation: &Violation,
    instead: Option<&str>,
) -> Witness {
    let claimed = (violation.place.method, violation.place.point);
    let mut recorder = Recorder::new(violation.entry, claimed, violation.inputs.heap.len());
    let limits = Limits { max_steps: violation.max_steps, ..Limits::default() };
    // Inputs that do not fit the program give an execution without steps, and `instead` gives the reason.
    let _ = run(program, program.start(violation.entry), &violation.inputs, limits, &mut recorder);
    let recording = recorder.finish();
    let mut execution = recording.execution;
    for (shape, &method) in execution.methods.iter_mut().zip(&recording.methods) {
        shape.blocks = blocks_of(program, method);
    }
    let given = recording.given.iter().map(|given| GivenRecord {
        method: program.method_name(given.method),
        ty: program.show_type(given.ty),
        value: given.value.clone(),
        place: place(program, given.span),
    });
    let given = given.collect();
    let made = program.making_limits().map(|limits| MakingRecord {
        depth: limits.depth,
        elements: limits.elements,
        calls: limits.calls,
        by: recording.made_by.clone(),
    });
    let witness = Witness {
        version: WITNESS_VERSION,
        producer: format!("aback {}", env!("CARGO_PKG_VERSION")),
        checksum: None,
        program: read,
        entry: program.signature(violation.entry),
        confirmed: instead.is_none(),
        instead: instead.map(str::to_owned),
        violation: ViolationRecord {
            kind: kind(violation.fault),
            description: violation.describe(program),
            place: place(program, violation.span),
            exception: exception(program, violation),
            step: recording.step,
        },
        inputs: InputsDocument::of(&violation.inputs, program),
        arguments: recording.arguments,
        given,
        made,
        output: recording.output,
        execution,
    };
    witness.sealed()
}

pub(crate) fn kind(fault: Fault) -> ViolationKind {
    match fault {
        Fault::Assertion(AssertKind::Assert | AssertKind::Check | AssertKind::Thrown) => ViolationKind::Assert,
        Fault::Assertion(AssertKind::Requires) => ViolationKind::Requires,
        Fault::Assertion(AssertKind::Ensures) => ViolationKind::Ensures,
        Fault::Assertion(AssertKind::Exceptional) => ViolationKind::Exceptional,
        Fault::Assertion(AssertKind::Reached) => ViolationKind::Reached,
        Fault::Assertion(AssertKind::NotNull) => ViolationKind::Null,
        Fault::Trap(_) | Fault::Thrown(_) => ViolationKind::Exception,
    }
}

fn exception(program: &Program, violation: &Violation) -> Option<ExceptionRecord> {
    let class = match (violation.fault, violation.class) {
        (Fault::Assertion(_), _) => return None,
        (_, Some(class)) | (Fault::Thrown(class), None) => program.class_name(class).to_owned(),
        (Fault::Trap(trap), None) => trap.describe().to_owned(),
    };
    Some(ExceptionRecord { class, message: violation.message.clone(), thrown_in: violation.library_method(program) })
}

pub(crate) fn place(program: &Program, span: Span) -> PlaceRecord {
    let file = program.file(span.file);
    PlaceRecord {
        file: file.map(|file| Path::display(&file.path).to_string()).unwrap_or_default(),
        line: span.line,
        column: span.column,
        text: program.line_text(span).map(str::to_owned),
    }
}
