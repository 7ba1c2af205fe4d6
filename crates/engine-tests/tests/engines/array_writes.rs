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
    let (violated, open, proofs) = compare(0..10, source, fails);
    assert!(violated > 5 && proofs > 0, "{violated} violated, {open} open, {proofs} proofs");
}

/// `cargo test -p aback-engine-tests --test engines random_writes_at_length -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn random_writes_at_length() {
    println!("violated, open, proofs: {:?}", compare(40..600, source, fails));
}

/// Nested loops that write the elements of rows. Rows may be the same.
fn rows(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let writes: Vec<String> = (0..1 + random.below(2))
        .map(|_| {
            let row = random.pick(&["i", "i", "i", "0", "p", "#a - 1 - i"]);
            let index = random.pick(&["j", "j", "j", "0", "1 - j", "q"]);
            let value = random.pick(&["0", "0", "1", "1", "j", "i", "a[0][j]", "a[i][0] + 1", "s"]);
            let write = format!("a[{row}][{index}] := {value};");
            match random.below(4) {
                0 => format!("if ({}) {{ {write} }}", random.pick(&["j == 0", "i > 0", "a[i][j] > 0", "s < 2"])),
                1 => format!("s := s + a[i][j]; {write}"),
                _ => write,
            }
        })
        .collect();
    let writes = writes.join(" ");
    let inner = match random.below(3) {
        0 => format!("int j := 1; while (j >= 0) {{ {writes} j := j - 1; }}"),
        _ => format!("int j := 0; while (j < 2) {{ {writes} j := j + 1; }}"),
    };
    let before = random.pick(&["", "", "a[i][1] := 2;", "if (i == 1) { s := a[0][0]; }"]);
    let claim = {
        let guard = random.pick(&["", "old < 0 || ", "old == 0 || old == 1 || ", "a[p][q] == old || ", "#a > 1 || "]);
        let order = random.pick(&["<=", "<=", ">=", ">=", "==", "!="]);
        let left = random.pick(&["a[p][q]", "a[p][q]", "a[p][q]", "a[0][q]", "s"]);
        let right = random.pick(&["0", "0", "1", "1", "q", "p", "a[p][1 - q]", "s"]);
        format!("{guard}{left} {order} {right}")
    };
    format!(
        "main(int[][] a, int p, int q) {{
            if (a == null || p < 0 || p >= #a || q < 0 || q > 1 || a[p] == null || #a[p] != 2) return;
            int old := a[p][q]; int s := 0; int i := 0;
            while (i < #a) {{
                if (a[0] == null || #a[0] != 2 || a[i] == null || #a[i] != 2) return;
                if (a[#a - 1 - i] == null || #a[#a - 1 - i] != 2) return;
                {before} {inner}
                i := i + 1;
            }}
            assert {claim};
        }}"
    )
}

/// Whether a concrete run on few rows violates something.
fn fails_on_rows(program: &Program) -> bool {
    let limits = Limits { max_steps: 4_000, ..Limits::default() };
    let Some(&Type::Array(array)) = program.method(entry_of(program)).params.first() else { panic!("no array") };
    (1..=i64::from(LONGEST)).any(|length| {
        (0..length.pow(length as u32)).any(|order| {
            let row_at = |at: i64| InputValue::Ref(1 + (order / length.pow(at as u32) % length) as usize);
            let rows = InputObject::Array {
                element: program.element_type(array),
                length: length.into(),
                elements: (0..length).map(|at| (at.into(), row_at(at))).collect(),
                rest: None,
            };
            (0..2 * VALUES.pow(2)).any(|number| {
                let row = |of: i64| {
                    let element =
                        |at: i64| InputValue::Int(((number + of * 5) / VALUES.pow(at as u32) % VALUES).into());
                    let elements = (0..2).map(|at| (at.into(), element(at))).collect();
                    InputObject::Array { element: Type::Int, length: 2.into(), elements, rest: None }
                };
                let heap: Vec<InputObject> = [rows.clone()].into_iter().chain((0..length).map(row)).collect();
                (0..length * 2).any(|place| {
                    let number = |value: i64| InputValue::Int(value.into());
                    let args = vec![InputValue::Ref(0), number(place / 2), number(place % 2)];
                    let inputs = Inputs { args, heap: heap.clone(), ..Inputs::default() };
                    let outcome = aback_witness::run(program, entry_of(program), &inputs, limits, &mut ());
                    !matches!(outcome, Ok(Outcome::Returned(_)))
                })
            })
        })
    })
}

#[test]
fn random_rows() {
    let (violated, open, proofs) = compare(0..7, rows, fails_on_rows);
    assert!(violated > 1 && proofs > 0, "{violated} violated, {open} open, {proofs} proofs");
}

/// `cargo test -p aback-engine-tests --test engines random_rows_at_length -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn random_rows_at_length() {
    println!("violated, open, proofs: {:?}", compare(40..400, rows, fails_on_rows));
}
