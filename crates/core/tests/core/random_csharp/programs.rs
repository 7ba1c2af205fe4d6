//! Compares what programs write on .NET and in the concrete interpreter.

use aback_core::{LoadConfig, Session};
use aback_generator::csharp::dotnet::{Assembly, Error, Output, Sdk};
use aback_generator::csharp::program;
use aback_ir::FieldId;
use aback_witness::{HeapObject, Inputs, Int, Limits, Observer, Outcome, State, Value, run};
use std::ops::Range;
use std::sync::Mutex;

/// Programs with what they do on .NET.
pub struct Programs {
    names: Vec<String>,
    expected: Vec<Output>,
    loaded: Session,
    /// The assembly, which the program reads while it is in use.
    _assembly: Assembly,
}

/// A run in the interpreter.
pub struct Run {
    name: String,
    /// The first line that differs.
    pub difference: Option<String>,
    /// The code that is not supported and ended the run; what the program wrote before is compared.
    pub unsupported: Option<String>,
}

impl Run {
    pub fn print(&self) {
        if let Some(difference) = &self.difference {
            println!("WRONG {difference}");
        }
        if let Some(unsupported) = &self.unsupported {
            println!("{}: {unsupported}", self.name);
        }
    }
}

/// Reads what a program has written from the fields `text` and `length` of `Log`.
struct Written {
    text: FieldId,
    length: FieldId,
    lines: Vec<String>,
}

impl Observer for Written {
    fn end(&mut self, state: &State<'_>, _: &Outcome) {
        let (Value::Ref(text), Value::Int(length)) = (state.static_field(self.text), state.static_field(self.length))
        else {
            return;
        };
        let Some(HeapObject::Array(text)) = state.heap().get(text) else { return };
        let units = (0..length.to_i64().unwrap_or(0)).filter_map(|at| match text.get(&Int::from(at)) {
            Some(Value::Int(unit)) => u16::try_from(unit.to_i64()?).ok(),
            _ => None,
        });
        let written = String::from_utf16_lossy(&units.collect::<Vec<_>>());
        self.lines = written.lines().map(String::from).collect();
    }
}

impl Programs {
    /// Compiles the programs of these seeds and runs them on .NET.
    pub fn compile(sdk: &Sdk, seeds: Range<u64>, optimize: bool) -> Result<Self, Error> {
        let name = |seed: u64| format!("P{seed}");
        let sources: Vec<_> = seeds.clone().map(|seed| (name(seed), program(seed, &name(seed)))).collect();
        let assembly = sdk.compile(&sources, optimize)?;
        let names: Vec<String> = seeds.map(name).collect();
        let expected = assembly.run(&names)?;
        let loaded = Session::open(&[assembly.path()], &LoadConfig::default()).expect("the compiler has made it");
        Ok(Programs { names, expected, loaded, _assembly: assembly })
    }

    /// Runs all programs; `watch` is called for each run.
    pub fn run(&self, watch: impl Fn(&Run) + Sync) -> Vec<Run> {
        let (pending, done) = (Mutex::new(0..self.names.len()), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let Some(index) = pending.lock().unwrap().next() else { return };
                        let run = self.run_one(index);
                        watch(&run);
                        done.lock().unwrap().push(run);
                    }
                });
            }
        });
        done.into_inner().unwrap()
    }

    fn run_one(&self, index: usize) -> Run {
        let (program, name) = (self.loaded.program(), &self.names[index]);
        let class = |name: &str| program.class_named(name).expect("the class was compiled");
        let field = |name: &str| {
            let mut fields = program.class(class("Log")).fields.iter().copied();
            fields.find(|&field| program.field(field).name == name).expect("Log has this field")
        };
        let main = program.methods_named(class(name), "Main")[0];
        let mut written = Written { text: field("text"), length: field("length"), lines: Vec::new() };
        let outcome = run(program, main, &Inputs::default(), Limits::default(), &mut written);
        let mut expected = self.expected[index].lines.clone();
        let mut found = written.lines;
        let mut unsupported = None;
        match outcome.expect("Main has no inputs") {
            Outcome::Unsupported { reason, place } => {
                // What a statement writes before it comes to the code that is not supported is no whole line.
                expected.truncate(found.len());
                unsupported = Some(format!("{reason} in {}", program.method_name(place.method)));
            }
            outcome => {
                let end = match &outcome {
                    Outcome::Returned(_) => "(returns)".into(),
                    Outcome::Uncaught { class, .. } => format!("(throws {})", program.class_name(*class)),
                    other => format!("({other:?})"),
                };
                found.push(end);
                let exception = &self.expected[index].exception;
                expected.push(exception.as_ref().map_or("(returns)".into(), |class| format!("(throws {class})")));
            }
        }
        let line = (0..expected.len().max(found.len())).find(|&line| expected.get(line) != found.get(line));
        let difference = line.map(|line| {
            let show = |lines: &[String]| lines.get(line).cloned().unwrap_or_default();
            let before = &expected[line.saturating_sub(3).min(expected.len())..line.min(expected.len())];
            format!("{name}, line {line}, after {before:?}:\n  .NET:  {}\n  aback: {}", show(&expected), show(&found))
        });
        Run { name: name.clone(), difference, unsupported }
    }
}
