//! Measures the speed of the interpreter, in operations per second: `cargo run --release -p aback-witness --example
//! speed`.

use aback_ir::Program;
use aback_witness::{Inputs, Limits, Observer, Outcome, State, run};
use std::time::Instant;

const PROGRAM: &str = "
indices i32
trap NullDereference Error
trap IndexOutOfBounds Error
trap NegativeArraySize Error
trap DivisionByZero Error

class Error {
}
class Cell {
  field value: i32
  field next: Cell
  method add(this: Cell, n: i32) -> i32 {
    local v: i32
  b0:
    v := this.Cell::value
    return v + n
  }
}
class Main {
  static field total: i64
  static method next(n: i32) -> i32 {
  b0:
    return n + 1i32
  }
";

/// The body of each loop, besides counting to 3 million.
const LOOPS: [(&str, &str); 6] = [
    ("arithmetic", "x := (x * 31i32 + i) ^ (x >>> 7i32)\n y := x as i64 + y\n z := x < i ? x : i"),
    ("division", "x := i div 7i32\n z := x rem 13i32"),
    ("arrays", "x := i & 1023i32\n z := a[x]\n a[x] := z + i\n x := a.length"),
    ("fields", "x := c.Cell::value\n c.Cell::value := x + 1i32\n static Main::total := y\n y := static Main::total"),
    ("calls", "x := call virtual Cell::add(c, i)\n z := call static Main::next(x)"),
    (
        "objects",
        "x := i & 15i32\n if x == 0i32 goto b4 else b5\n b4:\n c := new Cell\n c.Cell::value := i\n a := new i32[8i32]\n goto b5\n b5:",
    ),
];

fn program() -> String {
    let mut text = PROGRAM.to_owned();
    for (name, body) in LOOPS {
        text += &format!(
            "  static method loop_{name}() {{
    local i, x, z: i32
    local y: i64
    local a: i32[]
    local c: Cell
  b0:
    a := new i32[1024i32]
    c := new Cell
    goto b1
  b1:
    if i < 3000000i32 goto b2 else b3
  b2:
    {body}
    i := i + 1i32
    goto b1
  b3:
    return
  }}\n"
        );
    }
    text + "}\n"
}

struct Steps(u64);

impl Observer for Steps {
    fn end(&mut self, state: &State<'_>, _outcome: &Outcome) {
        self.0 = state.steps();
    }
}

fn main() {
    let program: Program = aback_ir::text::parse(&program()).expect("the program is well formed");
    let class = program.class_named("Main").expect("it has the class");
    for (name, _) in LOOPS {
        let entry = program.methods_named(class, &format!("loop_{name}"))[0];
        let mut steps = Steps(0);
        let start = Instant::now();
        let outcome = run(&program, entry, &Inputs::default(), Limits::default(), &mut steps);
        let millions = steps.0 as f64 / 1e6;
        let seconds = start.elapsed().as_secs_f64();
        println!("{name:12}{:6.1} million/s ({millions:.0} million; {outcome:?})", millions / seconds);
    }
}
