//! A session loads a program once and answers many questions about it.

use crate::answer::{Answer, Violation};
use crate::assert_methods::with_assert_methods;
use crate::attacked::Effort;
use crate::check::{CheckConfig, CheckError, Loops, check, check_with, starts};
use crate::confirm::{self, Claim, ConfirmConfig, UnfitWitness};
use crate::engines::Engine;
use crate::entries::{Visibility, open_methods};
use crate::explore::{Behaviour, Explored, explore};
use crate::load;
use crate::passed::{Asked, for_question};
use crate::question::{Line, entry_point, points_at};
use crate::reach::{marked, marked_references};
use crate::unit_tests::{Tests, unit_tests};
use crate::witness::{load_config, program_document, witness};
use aback_backward::Trail;
use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, Origin, Plain, Setting};
use aback_ir::analysis::{Fingerprint, Fingerprints, leading_to};
use aback_ir::{Diagnostic, FileId, MethodId, Program, Span};
use aback_reproducer::{Confirmation, Prediction, Reproducer, Unreproducible};
use aback_witness::{Inputs, ViolationKind, Witness};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The program in which calls of some methods are assertions.
fn asserting(program: &Program, language: &dyn FrontEnd, names: &[String]) -> Result<Program, LoadError> {
    if let Some(refusal) = load::refusal("--assert-method", Setting::AssertMethods, language) {
        return Err(LoadError::AssertMethod(refusal));
    }
    with_assert_methods(program, names).map_err(|error| LoadError::AssertMethod(error.to_string()))
}

/// Most iterations of loops on the lines of a trail, unless the user says how many.
const UNWINDING: u32 = 2;

/// The program in which the inputs of an entry point satisfy conditions.
fn with_preconditions(
    loaded: Loaded,
    language: &dyn FrontEnd,
    paths: &[PathBuf],
    config: &LoadConfig,
) -> Result<Loaded, LoadError> {
    if let Some(refusal) = load::refusal("--assume", Setting::Preconditions, language) {
        return Err(LoadError::Precondition(refusal));
    }
    let entry = entry_point(&loaded.program, config.preconditions.entry.as_deref())
        .map_err(|error| LoadError::Precondition(error.to_string()))?;
    language.load_with_preconditions(paths, config, &loaded, entry)
}

/// A method with which code outside of the program can start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    /// Its name, as `CheckConfig::entry` takes it.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// The simple names of its annotations or attributes, and of those of its class.
    pub annotations: BTreeSet<String>,
    /// Hashes of what an answer about it relies on.
    pub fingerprint: Fingerprint,
}

/// The file of a method, and its lines from the first to the last one with code.
fn lines_of(program: &Program, method: MethodId) -> (FileId, RangeInclusive<u32>) {
    let declared = program.method(method).span;
    let spans = program
        .body(method)
        .into_iter()
        .flat_map(|body| &body.blocks)
        .flat_map(|block| block.ops.iter().map(|op| op.span).chain([block.terminator.span]));
    let own = [declared].into_iter().chain(spans.filter(|span| span.is_known()));
    let file = own.clone().find(|span| span.is_known()).map_or(declared.file, |span| span.file);
    let lines = own.filter(|span| span.is_known() && span.file == file).map(|span| span.line);
    let (first, last) = lines.fold((u32::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
    (file, first..=last)
}

/// A program that is loaded once and answers many questions. Questions do not change the program, except that they
/// may load further classes and code, which later questions find there.
pub struct Session {
    loaded: Loaded,
    language: &'static dyn FrontEnd,
    paths: Vec<PathBuf>,
    config: LoadConfig,
}

impl Session {
    /// Reads what is at `paths`, files or folders, as one program.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn open(paths: &[PathBuf], config: &LoadConfig) -> Result<Self, LoadError> {
        let (mut loaded, language) = load::load(paths, config)?;
        if !config.preconditions.conditions.is_empty() {
            loaded = with_preconditions(loaded, language, paths, config)?;
        }
        if !config.assert_methods.is_empty() {
            loaded.program = asserting(&loaded.program, language, &config.assert_methods)?;
        }
        Ok(Session { loaded, language, paths: paths.to_vec(), config: config.clone() })
    }

    /// Reads the program of a counterexample again, in the same way. `config` gives the location of its platform, if
    /// it has moved, and the interrupt.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn reopen(witness: &Witness, config: &LoadConfig) -> Result<Self, LoadError> {
        let paths: Vec<PathBuf> = witness.program.paths.iter().map(PathBuf::from).collect();
        let mut config = load_config(&witness.program, config);
        config.preconditions.entry = Some(witness.entry.clone());
        Session::open(&paths, &config)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.loaded.program
    }

    /// The warnings of the front end about the sources.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.loaded.warnings
    }

    /// The front end of the language of the sources.
    pub fn language(&self) -> &'static dyn FrontEnd {
        self.language
    }

    /// The origin of the program.
    pub fn origin(&self) -> &dyn Origin {
        &*self.loaded.origin
    }

    /// Answers a question about the program.
    ///
    /// # Errors
    /// The entry point or the line does not exist, or the solver cannot be used.
    pub fn check(&self, config: &CheckConfig) -> Result<Answer, CheckError> {
        let unmade = |program: &Program, entry: MethodId, inputs: &Inputs| {
            self.unmade(program, entry, inputs, &config.interrupt).ok()
        };
        check_with(self.program(), config, Some(&unmade))
    }

    /// The entry points from which an execution can come to what a question is about, the nearest first, as `--entry` takes them.
    ///
    /// # Errors
    /// The entry point or the line does not exist.
    pub fn starts(&self, config: &CheckConfig) -> Result<Vec<String>, CheckError> {
        starts(self.program(), config)
    }

    /// Goes back from what a question is about by hand, along the lines of a trail. The answer has the lines before these, and says whether an
    /// execution goes along them if the trail asks so.
    ///
    /// # Errors
    /// The entry point or the line does not exist, or the solver cannot be used.
    pub fn go_back(&self, config: &CheckConfig, entry: &str, trail: Trail) -> Result<Answer, CheckError> {
        let backward = aback_backward::Config {
            unwind: config.backward.unwind.or(Some(UNWINDING)),
            // All lines are shown, also those that do not matter.
            slice: false,
            trail: Some(trail),
            ..config.backward.clone()
        };
        let config = CheckConfig {
            entry: Some(entry.into()),
            engine: Engine::Backward,
            // Nothing else knows of trails.
            loops: Loops::Off,
            attack: Effort::None,
            double_check: false,
            constructible: false,
            counterexamples: 1,
            jobs: 1,
            backward,
            ..config.clone()
        };
        check(self.program(), &config)
    }

    /// The methods with which code outside of the program can start. `validity` is the name of the methods that say whether
    /// inputs are valid, if these are asked.
    pub fn entry_points(&self, visibility: Visibility, validity: Option<&str>) -> Vec<EntryPoint> {
        let program = self.program();
        let methods = open_methods(program, visibility);
        let fingerprints = Fingerprints::new(program, &methods, validity);
        let found = methods.into_iter().map(|method| EntryPoint {
            name: program.signature(method),
            span: program.method(method).span,
            annotations: program.annotations(method),
            fingerprint: fingerprints.of(method),
        });
        found.collect()
    }

    /// Whether an entry point is a property: a test with parameters, which a framework calls with many arguments.
    pub fn is_property(&self, entry: &str) -> bool {
        entry_point(self.program(), Some(entry)).is_ok_and(|method| self.program().is_property(method))
    }

    /// The names of the entry points whose executions may run a method with lines that have changed, as `is_changed` says. Those
    /// of a method go from its first to its last one with code.
    pub fn entry_points_through(
        &self,
        visibility: Visibility,
        is_changed: &dyn Fn(&Path, &RangeInclusive<u32>) -> bool,
    ) -> FxHashSet<String> {
        let program = self.program();
        let methods = open_methods(program, visibility);
        let touched: FxHashSet<MethodId> = program
            .own_methods()
            .filter(|&method| {
                let (file, lines) = lines_of(program, method);
                program.file(file).is_some_and(|file| is_changed(&file.path, &lines))
            })
            .collect();
        let leading = leading_to(program, &methods, |method| touched.contains(&method));
        leading.into_iter().map(|method| program.signature(method)).collect()
    }

    /// Lists the behaviours of the entry point, at most `most`. What else `config` asks does not matter.
    ///
    /// # Errors
    /// The entry point does not exist, the invariants do not fit, or the solver cannot be used.
    pub fn explore(&self, config: &CheckConfig, most: usize) -> Result<Explored, CheckError> {
        explore(self.program(), config, most)
    }

    /// Writes the behaviours of an entry point as unit tests, compiles them, and runs each. Only those that behave as
    /// predicted are kept. `folder` is the one into which they are to be written.
    ///
    /// # Errors
    /// The language has no tests, or they cannot be compiled or run.
    pub fn tests(&self, explored: &Explored, folder: &Path, config: &ConfirmConfig) -> Result<Tests, String> {
        unit_tests(explored, |behaviour| self.subject_of(explored, behaviour), folder, config)
    }

    fn subject_of<'a>(&'a self, explored: &'a Explored, behaviour: &'a Behaviour) -> confirm::Subject<'a> {
        self.subject(&explored.program, explored.entry, &behaviour.values)
    }

    /// The witness of a counterexample: its execution is run again and recorded. `instead` says how a concrete run
    /// ended that did not confirm the counterexample.
    pub fn witness(&self, answer: &Answer, violation: &Violation, instead: Option<&str>) -> Witness {
        let read = program_document(self.language, &self.paths, &self.config);
        witness(&answer.program, read, violation, instead)
    }

    /// A small program that shows a counterexample, and its predicted behaviour. `program` is the program of the
    /// answer.
    ///
    /// # Errors
    /// The language has no reproducers, or no program in it can make the inputs.
    pub fn reproduce(
        &self,
        program: &Program,
        entry: MethodId,
        inputs: &Inputs,
        interrupt: &AtomicBool,
    ) -> Result<(Reproducer, Prediction), Unreproducible> {
        if !self.config.assert_methods.is_empty() {
            let reason = "a method that --assert-method names does something else when the program runs";
            return Err(Unreproducible::Entry(reason.into()));
        }
        self.subject(program, entry, inputs).reproduce(confirm::TEST, interrupt)
    }

    /// A unit test that fails as long as the program of an answer has this violation: its file name and its text.
    ///
    /// # Errors
    /// See [`Session::reproduce`].
    pub fn test_of(
        &self,
        program: &Program,
        violation: &Violation,
        interrupt: &AtomicBool,
    ) -> Result<(String, String), Unreproducible> {
        let name = program.method_name(violation.entry);
        let words = name.rsplit('.').take(2).map(|word| {
            let word: String = word.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            word[..1.min(word.len())].to_ascii_uppercase() + word.get(1..).unwrap_or_default()
        });
        let words: Vec<String> = words.collect();
        let wished = format!("{}Line{}Test", words.into_iter().rev().collect::<String>(), violation.span.line);
        let (reproducer, _) =
            self.subject(program, violation.entry, &violation.inputs).reproduce(&wished, interrupt)?;
        Ok(reproducer.test)
    }

    /// Runs each counterexample of an answer on the runtime of its language, or else again in the concrete
    /// interpreter, and stores the result in the answer.
    pub fn confirm(&self, answer: &mut Answer, config: &ConfirmConfig) {
        let program = answer.program.clone();
        for violation in answer.violation.iter_mut().chain(&mut answer.more) {
            let subject = self.subject(&program, violation.entry, &violation.inputs);
            let confirmation = subject.confirm(&Claim::of(&program, violation), config);
            violation.confirmation = Some(confirmation);
        }
    }

    /// Confirms the counterexample of a file in the same way.
    ///
    /// # Errors
    /// The counterexample does not fit the program.
    pub fn confirm_witness(&self, witness: &Witness, config: &ConfirmConfig) -> Result<Confirmation, UnfitWitness> {
        let violation = &witness.violation;
        let line = Line { file: violation.place.file.clone(), line: violation.place.line };
        let program = match violation.kind {
            ViolationKind::Reached => {
                let (program, places) = marked(self.program(), &line, false)?;
                &for_question(&program, Asked::At(&places))
            }
            ViolationKind::Null => {
                let (program, places) = marked_references(self.program(), &line, None)?;
                &for_question(&program, Asked::At(&places))
            }
            // The question may have left out other assertions, and the execution passes them anyway.
            ViolationKind::Assert => &for_question(self.program(), Asked::At(&points_at(self.program(), &line)?)),
            _ => &for_question(self.program(), Asked::None),
        };
        let made = witness.made.as_ref().map(|made| program.with_made_inputs(made.limits()));
        let program = made.as_ref().unwrap_or(program);
        let entry = entry_point(program, Some(&witness.entry))?;
        // Resolve this method first: it creates the classes of lambda expressions, and inputs may have these classes.
        let first = program.start(entry);
        let inputs = witness.inputs.resolve(program)?;
        inputs.check(program, first)?;
        Ok(self.subject(program, entry, &inputs).confirm(&Claim::from(violation), config))
    }

    /// Notes for each counterexample of an answer which objects of its input no known constructor makes. This is
    /// unknown for languages without reproducers, and for inputs without a reproducer.
    pub fn note_unmade(&self, answer: &mut Answer, interrupt: &AtomicBool) {
        let program = answer.program.clone();
        for violation in answer.violation.iter_mut().chain(&mut answer.more) {
            violation.unmade = match self.unmade(&program, violation.entry, &violation.inputs, interrupt) {
                Ok(classes) if classes.is_empty() => None,
                Ok(classes) => {
                    let classes = classes.join(", ");
                    Some(format!("no constructor is known to make this input, with its objects of {classes}"))
                }
                Err(Unreproducible::Object(reason)) => {
                    Some(format!("no program is known to make this input: {reason}"))
                }
                Err(_) => None,
            };
        }
    }

    /// The classes of the objects and structs in inputs that no known constructor makes.
    ///
    /// # Errors
    /// The reason why it is unknown.
    fn unmade(
        &self,
        program: &Program,
        entry: MethodId,
        inputs: &Inputs,
        interrupt: &AtomicBool,
    ) -> Result<Vec<String>, Unreproducible> {
        if !confirm::has_objects(inputs) && !program.restricts_values() {
            return Ok(Vec::new());
        }
        let (reproducer, _) = self.reproduce(program, entry, inputs, interrupt)?;
        Ok(reproducer.unmade)
    }

    fn subject<'a>(&'a self, program: &'a Program, entry: MethodId, inputs: &'a Inputs) -> confirm::Subject<'a> {
        // A runtime would run the methods whose calls are assertions here.
        let origin = if self.config.assert_methods.is_empty() { self.origin() } else { &Plain };
        confirm::Subject { program, language: self.language, origin, entry, inputs }
    }
}
