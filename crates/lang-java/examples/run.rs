//! Runs `main` of a Java program in the concrete interpreter: `run PATH… [-- CLASS]`.

use aback_ir::{MethodId, Program};
use aback_lang_java::classpath::{ClassPath, Options};
use aback_lang_java::load;
use aback_witness::{InputValue, Inputs, Limits, run};
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let start = Instant::now();
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let class = match args.iter().position(|arg| arg == "--") {
        Some(at) => args.split_off(at).swap_remove(1),
        None => "Main".into(),
    };
    let show = args.first().is_some_and(|arg| arg == "--ir");
    if show {
        args.remove(0);
    }
    let paths: Vec<PathBuf> = args.into_iter().map(PathBuf::from).collect();
    let program = match ClassPath::open(&paths, &Options::default()) {
        Ok(classpath) => load(classpath),
        Err(error) => return eprintln!("{error}"),
    };
    eprintln!("loaded in {:?}", start.elapsed());
    let entry = main_of(&program, &class);
    if show {
        let id = program.class_named(&class).expect("the class");
        for &method in &program.class(id).methods {
            println!("{}", aback_ir::text::print_method(&program, method));
        }
    }
    let inputs = Inputs { args: vec![InputValue::Null], ..Inputs::default() };
    let mut steps = 0u64;
    let outcome =
        run(&program, entry, &inputs, Limits { max_steps: u64::MAX, ..Limits::default() }, &mut Count(&mut steps));
    println!("{outcome:?} after {steps} steps, {:?}", start.elapsed());
    use aback_witness::Outcome::{Uncaught, Unsupported};
    if let Ok(Unsupported { place, .. } | Uncaught { origin: place, .. }) = outcome {
        println!("in {}", program.method_name(place.method));
    }
    println!("{program:?}");
}

struct Count<'a>(&'a mut u64);

impl aback_witness::Observer for Count<'_> {
    fn step(&mut self, _: &aback_witness::State, _: aback_witness::Place) {
        *self.0 += 1;
    }

    fn end(&mut self, state: &aback_witness::State, _: &aback_witness::Outcome) {
        print!("{}", state.output());
        for frame in state.frames().take(12) {
            println!("at {}", state.program().method_name(frame.method));
        }
    }
}

fn main_of(program: &Program, class: &str) -> MethodId {
    let class = program.class_named(class).expect("the class");
    program.methods_named(class, "main")[0]
}
