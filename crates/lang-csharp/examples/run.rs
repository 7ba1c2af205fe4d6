//! Runs a method of C# assemblies in the concrete interpreter with default arguments: `run [--trace] PATH… -- CLASS.METHOD
//! [NUMBER…]`.
//!
//! `--trace` prints the methods that are entered.

use aback_frontend::{FrontEnd, LoadConfig};
use aback_ir::{MethodId, Type};
use aback_lang_csharp::CsFrontEnd;
use aback_witness::{InputValue, Inputs, Limits, Observer, Outcome, Place, State, run};
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let start = Instant::now();
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let trace = args.first().is_some_and(|arg| arg == "--trace");
    if trace {
        args.remove(0);
    }
    let Some(at) = args.iter().position(|arg| arg == "--") else {
        return eprintln!("run [--trace] PATH… -- CLASS.METHOD [NUMBER…]");
    };
    let numbers: Vec<i64> = args.iter().skip(at + 2).filter_map(|number| number.parse().ok()).collect();
    let Some(wanted) = args.get(at + 1).cloned() else { return eprintln!("a method is missing") };
    args.truncate(at);
    let paths: Vec<PathBuf> = args.into_iter().map(PathBuf::from).collect();
    let program = match CsFrontEnd.load(&paths, &LoadConfig::default()) {
        Ok(loaded) => loaded.program,
        Err(error) => return eprintln!("{error}"),
    };
    eprintln!("loaded in {:?}", start.elapsed());
    let found = program.methods().map(|(id, _)| id).find(|&id| program.method_name(id) == wanted);
    let Some(entry) = found else { return eprintln!("there is no method {wanted}") };
    let mut numbers = numbers.into_iter();
    let given = program.method(entry).params.iter().map(|ty| match ty {
        Type::Bool => InputValue::Bool(numbers.next().unwrap_or(0) != 0),
        Type::F32 => InputValue::F32(0),
        Type::F64 => InputValue::F64(0),
        ty if ty.is_integer() => InputValue::Int(numbers.next().unwrap_or(0).into()),
        _ => InputValue::Null,
    });
    let inputs = Inputs { args: given.collect(), ..Inputs::default() };
    let mut watcher = Watcher { steps: 0, trace, depth: 0, last: MethodId(u32::MAX) };
    let limits = Limits { max_steps: u64::MAX, ..Limits::default() };
    let outcome = run(&program, entry, &inputs, limits, &mut watcher);
    println!("{outcome:?} after {} steps, {:?}", watcher.steps, start.elapsed());
    if let Ok(Outcome::Unsupported { place, .. } | Outcome::Uncaught { origin: place, .. }) = outcome {
        println!("in {}", program.method_name(place.method));
        if let Some(body) = program.body(place.method) {
            let op = body.block(place.point.block).ops.get(place.point.op as usize);
            println!("{op:?}, locals {:?}", body.locals);
        }
    }
    println!("{program:?}");
    for method in (0..program.method_count() as u32).map(MethodId) {
        let Some(body) = program.body(method) else { continue };
        for problem in aback_ir::validate_body(&program, method, body) {
            println!("{}: {:?} {}", program.method_name(method), problem.place, problem.kind);
        }
    }
}

struct Watcher {
    steps: u64,
    trace: bool,
    depth: usize,
    last: MethodId,
}

impl Observer for Watcher {
    fn step(&mut self, state: &State, place: Place) {
        self.steps += 1;
        let depth = state.frames().count();
        if self.trace && (depth != self.depth || place.method != self.last) {
            println!("{}{}", "  ".repeat(depth), state.program().method_name(place.method));
        }
        (self.depth, self.last) = (depth, place.method);
    }

    fn end(&mut self, state: &State, _: &Outcome) {
        print!("{}", state.output());
        for frame in state.frames().take(12) {
            println!("at {}", state.program().method_name(frame.method));
        }
    }
}
