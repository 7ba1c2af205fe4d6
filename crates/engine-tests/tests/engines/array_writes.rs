//! Random loops that write arrays, summarised, compared with concrete runs on small arrays.

use crate::array_loops::compare;
use crate::common::entry_of;
use crate::random_loops::Random;
use aback_ir::{Program, Type};
use aback_witness::{InputObject, InputValue, Inputs, Limits, Outcome};

/// Values of elements.
const VALUES: i64 = 3;
/// Greatest length of the array that is read.
const LONGEST: u32 = 3;

fn index(random: &mut Random) -> &'static str {
    random.pick(&["i", "i", "j", "j", "i + 1", "i + 2", "2 * i", "2 * i + 1", "#a - 1 - i", "0", "1", "i % 2", "i - j"])
}

fn value(random: &mut Random) -> &'static str {
    random.pick(&["a[i]", "i", "j", "0", "1", "2", "b[i]", "b[j] + 1", "b[i + 1]", "b[0] + 1", "a[i] + j", "b[2 * i]"])
}

fn condition(random: &mut Random) -> &'static str {
    random.pick(&["a[i] > 0", "a[i] == 1", "i > 1", "j < 2", "b[i] == 0", "a[i] >= b[j]", "i == 0"])
}

fn write(random: &mut Random) -> String {
    let plain = format!("b[{}] := {};", index(random), value(random));
    let counted = format!("b[j] := {}; j := j + 1;", value(random));
    match random.below(6) {
        0 => counted,
        1 => format!("if ({}) {{ {counted} }}", condition(random)),
        2 => format!("if ({}) {{ {plain} }}", condition(random)),
        3 => format!("{plain} b[{}] := {};", index(random), value(random)),
        _ => plain,
    }
}

fn claim(random: &mut Random) -> String {
    let order = random.pick(&["<", "<=", ">", ">=", "==", "==", "!="]);
    let left = random.pick(&["b[p]", "b[p]", "b[2 * p]", "b[p + 1]", "b[0]"]);
    let right =
        random.pick(&["a[p]", "b[p + 1]", "0", "1", "p", "p + 1", "j", "b[0]", "a[#a - 1 - p]", "b[2 * p + 1]"]);
    let guard = random.pick(&["", "", "p >= j || ", "a[p] <= 0 || ", "p > 0 || "]);
    format!("{guard}{left} {order} {right}")
}

fn source(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let writes: Vec<String> = (0..1 + random.below(2)).map(|_| write(random)).collect();
    let writes = writes.join(" ");
    let (start, test, step) = match random.below(4) {
        0 => ("#a - 1", "i >= 0", "i := i - 1"),
        1 => ("0", "i < #a", "i := i + 2"),
        _ => ("0", "i < #a", "i := i + 1"),
    };
    let made = random.pick(&["", "b := new int[2 * #a + 2];"]);
    let loops = match random.below(3) {
        0 => format!("{writes} {step};"),
        1 => format!("int k := 0; while (k < 2) {{ {writes} k := k + 1; }} {step};"),
        _ => format!("{writes} {step};"),
    };
    format!(
        "main(int[] a, int[] b, int p) {{
            if (a == null || b == null || #b != 2 * #a + 2 || p < 0 || p >= #a) return;
            {made}
            int i := {start}; int j := 0;
            while ({test}) {{ {loops} }}
            assert {};
        }}",
        claim(random)
    )
}

/// Whether a concrete run on small arrays violates something.
fn fails(program: &Program) -> bool {
    let limits = Limits { max_steps: 4_000, ..Limits::default() };
    let array = |length: u32, element: &dyn Fn(u32) -> i64| {
        let elements = (0..length).map(|at| (at.into(), InputValue::Int(element(at).into()))).collect();
        InputObject::Array { element: Type::Int, length: length.into(), elements, rest: None }
    };
    (1..=LONGEST).any(|length| {
        (0..VALUES.pow(length) * 3).any(|number| {
            let read = array(length, &|at| number / 3 / VALUES.pow(at) % VALUES);
            let written = array(2 * length + 2, &|at| (number * 7 + i64::from(at) * (number % 3)) % VALUES);
            (0..length).any(|p| {
                let args = vec![InputValue::Ref(0), InputValue::Ref(1), InputValue::Int(p.into())];
                let inputs = Inputs { args, heap: vec![read.clone(), written.clone()], ..Inputs::default() };
                let outcome = aback_witness::run(program, entry_of(program), &inputs, limits, &mut ());
                !matches!(outcome, Ok(Outcome::Returned(_)))
            })
        })
    })
}

#[test]
fn random_writes() {
    let (violated, open, proofs) = compare(0..24, source, fails);
    assert!(violated > 10 && proofs > 0, "{violated} violated, {open} open, {proofs} proofs");
}

/// `cargo test -p aback-engine-tests --test engines random_writes_at_length -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn random_writes_at_length() {
    println!("violated, open, proofs: {:?}", compare(40..600, source, fails));
}
