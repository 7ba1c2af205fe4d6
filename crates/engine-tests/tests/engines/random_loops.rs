//! Random loops in all numbers of iterations at once, compared with concrete runs.

use crate::common::{assertions, entry_of, ir, is_excluded, limited, shown, summarised, verdict_with};
use aback_forward::{Config, Loops, Merging};
use aback_ir::{MethodId, Program};
use aback_witness::{InputObject, InputValue, Inputs, Limits, Outcome, Value};
use std::fmt::Write;

/// A small generator of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    pub fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len() as u64) as usize]
    }
}

/// Code with loops over the variables `i`, `j`, `k` and the parameters `x`, `y`, as blocks of IR text.
struct Code {
    random: Random,
    ty: &'static str,
    /// Whether it also reads and writes a field of the objects `p` and `q` and elements of the arrays `a` and `b`.
    has_objects: bool,
    text: String,
    blocks: u32,
}

impl Code {
    fn constant(&mut self, most: u64) -> String {
        let value = self.random.below(most);
        if self.ty == "int" { value.to_string() } else { format!("{value}{}", self.ty) }
    }

    fn operand(&mut self) -> String {
        if self.random.below(3) == 0 { self.constant(9) } else { self.random.pick(&["i", "j", "k", "x", "y"]).into() }
    }

    fn condition(&mut self) -> String {
        let (left, order, right) =
            (self.random.pick(&["i", "j", "k"]), self.random.pick(&["<", "<=", ">", "!=", "=="]), self.operand());
        format!("{left} {order} {right}")
    }

    fn block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    fn open(&mut self, block: u32) {
        write!(self.text, "\n b{block}: ").unwrap();
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn statements(&mut self, depth: u32, exit: Option<u32>) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth, exit);
        }
    }

    /// Reads or writes a field or an element.
    fn access(&mut self) {
        let variable = self.random.pick(&["i", "j", "k"]);
        let (object, array) = (self.random.pick(&["p", "q"]), self.random.pick(&["a", "b"]));
        let (index, value) = (self.random.pick(&["i", "j", "k", "(i + 1)"]), self.operand());
        // Indices are integers.
        let line = match self.random.below(if self.ty == "int" { 8 } else { 4 }) {
            0 => format!("{object}.Main::f := {value}"),
            1 => format!("{variable} := {object}.Main::f"),
            2 => format!("{variable} := {object}.Main::f\n {object}.Main::f := {variable} + {value}"),
            3 => "p := q".into(),
            4 | 5 => format!("{array}[{index}] := {value}"),
            6 => format!("{variable} := {array}[{index}]"),
            _ => format!("{variable} := {array}[i]\n {array}[i] := {variable} + {value}"),
        };
        self.line(&line);
    }

    fn statement(&mut self, depth: u32, exit: Option<u32>) {
        if self.has_objects && self.random.below(3) == 0 {
            return self.access();
        }
        let variable = self.random.pick(&["i", "j", "k"]);
        match self.random.below(if depth == 0 { 5 } else { 8 }) {
            0..=2 => {
                let (sign, step) = (self.random.pick(&["+", "-"]), self.constant(5));
                self.line(&format!("{variable} := {variable} {sign} {step}"));
            }
            3 => {
                let value = self.operand();
                self.line(&format!("{variable} := {value}"));
            }
            4 => {
                let value = self.operand();
                // Sums of these have no formula, but they may have relations.
                let value = match self.random.below(3) {
                    0 => format!("({value} * {})", self.operand()),
                    _ => value,
                };
                self.line(&format!("{variable} := {variable} + {value}"));
            }
            5 | 6 => {
                let (then, otherwise, behind) = (self.block(), self.block(), self.block());
                let condition = self.condition();
                self.line(&format!("if {condition} goto b{then} else b{otherwise}"));
                self.open(then);
                self.statements(depth - 1, exit);
                let leaves = self.random.below(4) == 0;
                let next = exit.filter(|_| leaves).unwrap_or(behind);
                self.line(&format!("goto b{next}"));
                self.open(otherwise);
                if self.random.below(2) == 0 {
                    self.statements(depth - 1, exit);
                }
                self.line(&format!("goto b{behind}"));
                self.open(behind);
            }
            _ => self.iterate(depth - 1),
        }
    }

    fn iterate(&mut self, depth: u32) {
        let (head, body, behind) = (self.block(), self.block(), self.block());
        self.line(&format!("goto b{head}"));
        self.open(head);
        let condition = self.condition();
        self.line(&format!("if {condition} goto b{body} else b{behind}"));
        self.open(body);
        self.statements(depth, Some(behind));
        self.line(&format!("goto b{head}"));
        self.open(behind);
    }
}

/// A random method with loops, whose result depends on all variables. Without an expected result, it returns it; with one, it
/// asserts that it is another one.
fn method(seed: u64, has_objects: bool, expected: Option<&str>) -> String {
    let mut random = Random::new(seed);
    let ty = random.pick(&["int", "i8"]);
    let mut code = Code { random, ty, has_objects, text: String::new(), blocks: 0 };
    for variable in ["i", "j", "k"] {
        let value = code.operand();
        code.line(&format!("{variable} := {value}"));
    }
    for _ in 0..1 + code.random.below(2) {
        code.statement(0, None);
        code.iterate(2);
    }
    let three = if ty == "int" { "3".into() } else { format!("3{ty}") };
    let mut result = format!("(i + (j * {three})) - (k * ({three} + {three}))");
    let mut objects = String::new();
    if has_objects {
        objects = format!(", p: Main, q: Main, a: {ty}[], b: {ty}[]");
        code.line("i := p.Main::f\n j := q.Main::f");
        if ty == "int" {
            code.line("k := a[k]");
        }
        result = format!("({result}) + k");
    }
    let (end, returns) = match expected {
        Some(expected) => (format!("assert {result} != {expected} @ 7\n return"), String::new()),
        None => (format!("return {result}"), format!(" -> {ty}")),
    };
    format!(
        "class E {{}}\n trap NullDereference E; trap IndexOutOfBounds E; trap BadArrayStore E\n class Main {{ field f: {ty}\n static method main(x: {ty}, y: {ty}{objects}){returns} {{
          local i: {ty}\n local j: {ty}\n local k: {ty}\n b0: {}\n {end}\n }} }}",
        code.text
    )
}

/// The results of concrete runs on a few inputs.
fn results(seed: u64, has_objects: bool) -> Vec<String> {
    let program = ir(&method(seed, has_objects, None));
    let limits = Limits { max_steps: 4_000, ..Limits::default() };
    let entry = entry_of(&program);
    let mut found = Vec::new();
    let scalars = [(0, 0), (1, 3), (5, 2), (-3, 4), (9, 9), (12, -7)];
    // Two objects and two arrays, or one of each.
    let aliases = if has_objects { &[[0, 1, 2, 3], [0, 0, 2, 2]][..] } else { &[[0; 4]][..] };
    for ((x, y), references) in
        scalars.into_iter().flat_map(|scalars| aliases.iter().map(move |&alias| (scalars, alias)))
    {
        let mut args = vec![InputValue::Int(x.into()), InputValue::Int(y.into())];
        let mut heap = Vec::new();
        if has_objects {
            args.extend(references.map(InputValue::Ref));
            heap = objects(&program, entry);
        }
        let inputs = Inputs { args, heap, ..Inputs::default() };
        if let Ok(Outcome::Returned(Some(Value::Int(result)))) =
            aback_witness::run(&program, entry, &inputs, limits, &mut ())
        {
            found.push(result.to_string());
        }
    }
    found.dedup();
    found
}

/// Two objects and two arrays.
fn objects(program: &Program, entry: MethodId) -> Vec<InputObject> {
    let (field, declared) = program.fields().next().unwrap();
    let object = |value: i32| InputObject::Object {
        class: program.method(entry).class,
        fields: [(field, InputValue::Int(value.into()))].into(),
    };
    let array = |first: i32| InputObject::Array {
        element: declared.ty,
        length: 12.into(),
        elements: (0..12).map(|at| (at.into(), InputValue::Int((first + at).into()))).collect(),
        rest: None,
    };
    vec![object(3), object(-2), array(0), array(-4)]
}

/// What concrete runs reach is never excluded, and what is found is real. The numbers of answers are those of `seeds`.
fn compare(seeds: std::ops::Range<u64>, has_objects: bool) -> (usize, usize, usize) {
    let (mut violated, mut open, mut proofs) = (0, 0, 0);
    for seed in seeds {
        let ty = if method(seed, has_objects, None).contains("i8") { "i8" } else { "" };
        let literal = |result: &str| match result.strip_prefix('-') {
            Some(digits) if ty.is_empty() => format!("(0 - {digits})"),
            Some(digits) => format!("(0{ty} - {digits}{ty})"),
            None => format!("{result}{ty}"),
        };
        let reached = results(seed, has_objects);
        for result in reached.iter().take(2) {
            let text = method(seed, has_objects, Some(&literal(result).replace("128i8)", "127i8 - 1i8)")));
            let program = ir(&text);
            let found = shown(&program, &summarised(&program, &assertions(&program, "Main.main", None), 4));
            assert_ne!(found, "holds", "seed {seed} reaches {result}:\n{text}");
            if seed % 5 == 0 {
                assert!(
                    !is_excluded(&program, &assertions(&program, "Main.main", None), 2),
                    "seed {seed} reaches {result}:\n{text}"
                );
            }
            if found.starts_with("violated") { violated += 1 } else { open += 1 }
        }
        // Another number, about which both ways of execution agree if they know.
        let text = method(seed, has_objects, Some(&literal("77")));
        let program = ir(&text);
        let found = shown(&program, &summarised(&program, &assertions(&program, "Main.main", None), 4));
        if found == "holds" {
            proofs += 1;
            let unwound =
                verdict_with(&program, &Config { depth: Some(400), ..limited(4) }, &aback_smt::Config::default());
            assert!(!unwound.contains("assert at"), "seed {seed}: {unwound}\n{text}");
        }
    }
    (violated, open, proofs)
}

#[test]
fn random_loops() {
    let (violated, open, proofs) = compare(0..9, false);
    assert!(violated > 2 && proofs > 1, "{violated} violated, {open} open, {proofs} proofs");
}

#[test]
fn random_loops_over_objects() {
    let (violated, open, proofs) = compare(0..8, true);
    println!("{violated} violated, {open} open, {proofs} proofs");
    assert!(violated > 2 && proofs > 1, "{violated} violated, {open} open, {proofs} proofs");
}

/// States are not joined while loops are executed in all numbers of iterations: those of different iterations would wait for each other.
#[test]
fn random_loops_where_states_may_be_joined() {
    for (seed, merging) in (0..8).flat_map(|seed| [(seed, Merging::Always), (seed, Merging::Regions)]) {
        for result in results(seed, false).iter().filter(|result| !result.starts_with('-')).take(1) {
            let ty = if method(seed, false, None).contains("i8") { "i8" } else { "" };
            let program = ir(&method(seed, false, Some(&format!("{result}{ty}"))));
            let config = Config { loops: Loops::Light, merging, ..limited(4) };
            let found = verdict_with(&program, &config, &aback_smt::Config::default());
            assert_ne!(found, "holds", "seed {seed} reaches {result}, {merging:?}");
        }
    }
}

/// `cargo test -p aback-engine-tests --test engines random_loops_at_length -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn random_loops_at_length() {
    println!("violated, open, proofs: {:?}", compare(60..800, false));
    println!("violated, open, proofs, over objects: {:?}", compare(60..800, true));
}
