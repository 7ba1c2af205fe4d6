//! The models and intrinsics against the runtime: what they replace, with corner values (`models.cs`).

use aback_frontend::{FrontEnd, LoadConfig, LoadError};
use aback_ir::{MethodId, Program};
use aback_lang_csharp::{CsFrontEnd, CsOrigin};
use aback_witness::{InputValue, Inputs, Limits, Observer, Outcome, Place, State, Value};
use rustc_hash::FxHashSet;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

/// The tables that are not supported, and why.
const UNSUPPORTED: [(&str, &str); 10] = [
    ("EmptyStrings", "Identity.OfEmptyStrings, which has no model"),
    ("FormatsOfLargeFloats", "uint that is used as a System.Number.BigInteger"),
    ("Fused", "Math.FusedMultiplyAdd, which has no model"),
    ("Guids", "whose fields may overlap"),
    ("MessageOfCast", "the message of an exception that was made without one"),
    ("NumericValues", "bytes that are used as a double"),
    ("Powers", "Math.OtherPower, which has no model"),
    ("RoundedNaN", "the bits of a NaN"),
    ("UnfitConversion", "Double.Unfit<int>, which has no model"),
    ("UnfitSmallConversion", "Single.Unfit<int>, which has no model"),
];

/// The models that no table runs, and why.
const NOT_RUN: [(&str, &str); 23] = [
    ("Library.", "stand for methods of the library"),
    ("System.SR.GetResourceString(1)", "is replaced by the translator"),
    ("System.SR.Format(2)", "with an array of values, which only rare messages have"),
    ("System.SR.Format(3)", "with a provider, which no message of this version has"),
    ("System.SR.Format(4)", "as above"),
    ("System.Texts.Format2(3)", "for exceptions that write two values when they are read"),
    ("System.Texts.Format3(4)", "for exceptions that write three values when they are read"),
    ("System.Globalization.CharUnicodeInfo.AnyTo", "for characters that an engine does not know"),
    ("System.GC.AllocateArray(2)", "for pinned arrays"),
    ("System.Math.ModF(2)", "for other versions of the library"),
    ("System.MathF.ModF(2)", "for other versions of the library"),
    ("System.Collections.HashHelpers.FastMod(3)", "for hash tables whose buckets are not merged"),
    ("System.Marvin.GenerateSeed(0)", "for hash codes of spans"),
    ("System.String.Ctor(2)", "for other versions of the library, in which it is no static method"),
    ("System.String.Ctor(3)", "as above"),
    ("System.String.Ctor(4)", "as above"),
    ("System.SpanHelpers.LastIndexOfChar(3)", "for other versions of the library"),
    ("System.SpanHelpers.ClearWithReferences(2)", "is not supported"),
    ("System.Decimal.LongRemainderOnThisProcessor(2)", "is not supported"),
    (
        "System.MemoryExtensions.SequenceEqual(2)",
        "with a span that can be written, which compilers before C# 14 choose",
    ),
    (
        "System.Threading.Lock.EnterScope(1)",
        "for `lock`, whose finally block would make the filters of models unsupported",
    ),
    ("System.Delegate.Equals(2)", "all delegates are multicast"),
    ("System.MulticastDelegate.op_", "the compiler calls those of delegates"),
];

#[test]
fn models_do_what_the_runtime_does() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models.cs");
    let loaded = match CsFrontEnd.load(&[source], &LoadConfig::default()) {
        Ok(loaded) => loaded,
        Err(LoadError::Platform(missing)) => return eprintln!("skipped: {missing}"),
        Err(LoadError::Invalid { diagnostics, .. }) => panic!("{diagnostics:#?}"),
        Err(error) => panic!("{error}"),
    };
    let origin: &dyn Any = &*loaded.origin;
    let origin = origin.downcast_ref::<CsOrigin>().unwrap();
    let expected = tables_of_the_runtime(origin);
    let program = &loaded.program;
    let tables: Vec<(&String, &Vec<String>)> = expected.iter().collect();
    let halves: [Vec<_>; 2] = [0, 1].map(|first| tables.iter().skip(first).step_by(2).copied().collect());
    // This is the only test here, and would leave a core idle.
    let (mut methods, mut wrong) = (FxHashSet::default(), String::new());
    std::thread::scope(|scope| {
        let compared = halves.map(|half| scope.spawn(move || compare(program, &half)));
        for half in compared {
            let (run, differences) = half.join().unwrap();
            methods.extend(run);
            wrong += &differences;
        }
    });
    wrong += &cases_of_any_character(program, &expected["Moved"]);
    let run: FxHashSet<u32> = methods.iter().filter_map(|&id| origin.model_of(program, id)).collect();
    // Of overloads with as many parameters, one may be left out.
    let mut is_run: BTreeMap<String, bool> = BTreeMap::new();
    for (number, model) in origin.models() {
        *is_run.entry(model).or_insert(true) &= run.contains(&number);
    }
    for (model, is_run) in is_run {
        let is_left_out = NOT_RUN.iter().any(|(left_out, _)| model.starts_with(left_out));
        if is_run == is_left_out {
            wrong += &format!("{model} {}\n", if is_run { "is run" } else { "is not run" });
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The methods that run for some tables, and how these differ from what the runtime prints.
fn compare(program: &Program, tables: &[(&String, &Vec<String>)]) -> (FxHashSet<MethodId>, String) {
    let mut watcher = Watcher::default();
    let mut wrong = String::new();
    for &(name, expected) in tables {
        let found = table(program, name, &mut watcher);
        let refused = UNSUPPORTED.iter().find(|(refused, _)| refused == name);
        match (found, refused) {
            (Ok(found), None) => wrong += &differences(name, expected, &found),
            (Err(found), Some((_, reason))) if found.contains(reason) => {}
            (found, _) => wrong += &format!("{name}: {found:?}\n"),
        }
    }
    (watcher.methods, wrong)
}

/// The tables that the program prints on the runtime, by name.
fn tables_of_the_runtime(origin: &CsOrigin) -> BTreeMap<String, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let compiled = &origin.assemblies()[0];
    let program = folder.path().join("Program.dll");
    std::fs::copy(compiled, &program).unwrap();
    let framework = format!(
        r#"{{"runtimeOptions":{{"framework":{{"name":"Microsoft.NETCore.App","version":"{}"}}}}}}"#,
        origin.runtime_version().unwrap()
    );
    std::fs::write(folder.path().join("Program.runtimeconfig.json"), framework).unwrap();
    let mut command = Command::new(origin.host().unwrap());
    command.arg("exec").arg(program).env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let output = command.env("DOTNET_ROOT", origin.root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let tables = text.split("# ").skip(1).filter_map(|table| table.split_once('\n'));
    tables.map(|(name, table)| (name.into(), lines(table))).collect()
}

fn lines(table: &str) -> Vec<String> {
    table.trim_end().lines().map(|line| line.trim_end().to_string()).collect()
}

/// A table as the interpreter computes it, or why it does not.
fn table(program: &Program, name: &str, watcher: &mut Watcher) -> Result<Vec<String>, String> {
    let wanted = format!("Rows.{name}");
    let entry = program.methods().map(|(id, _)| id).find(|&id| program.method_name(id) == wanted);
    let entry = entry.ok_or("no such method")?;
    watcher.result = None;
    let outcome = aback_witness::run(program, entry, &Inputs::default(), Limits::default(), watcher);
    match outcome.map_err(|error| error.to_string())? {
        Outcome::Returned(_) => Ok(lines(watcher.result.as_deref().ok_or("no text")?)),
        Outcome::Unsupported { reason, .. } => Err(reason),
        Outcome::Uncaught { class, origin, .. } => {
            Err(format!("{} in {}", program.class_name(class), program.method_name(origin.method)))
        }
        other => Err(format!("{other:?}")),
    }
}

/// What changes the case of characters that an engine does not know, for those that have another case and those beside
/// them.
fn cases_of_any_character(program: &Program, moved: &[String]) -> String {
    let numbers = moved.iter().map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect::<Vec<i64>>());
    let moved: BTreeMap<i64, (i64, i64)> = numbers.map(|line| (line[0], (line[1], line[2]))).collect();
    let asked: BTreeSet<i64> = moved.keys().flat_map(|&character| character..character + 3).collect();
    let mut wrong = String::new();
    for (name, part) in [("AnyToUpper", 0), ("AnyToLower", 1)] {
        let wanted = format!("Models.System.Globalization.CharUnicodeInfo.{name}");
        let entry = program.methods().map(|(id, _)| id).find(|&id| program.method_name(id) == wanted).unwrap();
        for &character in &asked {
            let expected = moved.get(&character).map_or(character, |&(upper, lower)| [upper, lower][part]);
            let inputs = Inputs { args: vec![InputValue::Int(character.into())], ..Inputs::default() };
            let outcome = aback_witness::run(program, entry, &inputs, Limits::default(), &mut Watcher::default());
            match outcome {
                Ok(Outcome::Returned(Some(Value::Int(found)))) if found == expected.into() => {}
                found => wrong += &format!("{name} of {character}: {found:?}\n"),
            }
        }
    }
    wrong
}

/// The lines that differ.
fn differences(name: &str, expected: &[String], found: &[String]) -> String {
    let count = expected.len().max(found.len());
    let line = |of: &[String], at: usize| of.get(at).cloned().unwrap_or_default();
    let wrong = (0..count).filter(|&at| expected.get(at) != found.get(at));
    wrong.map(|at| format!("{name}, line {}:\n  {}\n  {}\n", at + 1, line(expected, at), line(found, at))).collect()
}

/// Notes the methods that run, and the text that is returned.
#[derive(Default)]
struct Watcher {
    methods: FxHashSet<MethodId>,
    last: Option<MethodId>,
    result: Option<String>,
}

impl Observer for Watcher {
    fn step(&mut self, _: &State, place: Place) {
        if self.last.replace(place.method) != Some(place.method) {
            self.methods.insert(place.method);
        }
    }

    fn end(&mut self, state: &State, outcome: &Outcome) {
        if let Outcome::Returned(Some(Value::Ref(address))) = outcome {
            self.result = state.heap().string(*address);
        }
    }
}
