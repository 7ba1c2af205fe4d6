//! Random loops over arrays, summarised, compared with concrete runs on all small arrays. What is said about them needs facts
//! about all iterations: the last one that sets a variable, numbers that only grow, the iteration that looks at an element.

use crate::common::{entry_of, everything, is_excluded, oox, shown, summarised};
use crate::random_loops::Random;
use aback_ir::{Program, Type};
use aback_witness::{InputObject, InputValue, Inputs, Limits, Outcome};

/// Values of elements.
const VALUES: i64 = 3;
/// Greatest length of arrays.
const LONGEST: u32 = 4;
/// Time limit of a question, in seconds.
const TIME: u64 = 4;

fn value(random: &mut Random) -> &'static str {
    random.pick(&["a[i]", "a[i]", "i", "u", "v", "0", "1", "2", "u + 1", "v - 1", "#a", "a[i] + u"])
}

fn condition(random: &mut Random) -> String {
    let order = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
    format!("{} {order} {}", random.pick(&["a[i]", "a[i]", "u", "v", "i"]), value(random))
}

fn update(random: &mut Random) -> String {
    format!("{} := {};", random.pick(&["u", "v"]), value(random))
}

fn statement(random: &mut Random) -> String {
    let (condition, then, otherwise) = (condition(random), update(random), update(random));
    match random.below(8) {
        0 => update(random),
        1 | 2 => format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}"),
        3 => format!("if ({condition}) {{ {then} {otherwise} }}"),
        // The patterns that the facts are for.
        4 => "if (a[i] > u) { u := a[i]; }".into(),
        5 => "if (a[i] < v) { v := a[i]; } else { u := i; }".into(),
        _ => format!("if ({condition}) {{ {then} }}"),
    }
}

fn claim(random: &mut Random) -> String {
    let order = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
    let left = random.pick(&["u", "v", "a[p]", "u", "v", "i"]);
    let right = random.pick(&["u", "v", "a[p]", "p", "#a", "0", "1", "2", "v + u", "i - 1"]);
    let plain = format!("{left} {order} {right}");
    match random.below(4) {
        0 => format!("{} || {plain}", condition(random).replace("a[i]", "a[p]").replace("i ", "p ")),
        1 => format!("u < 0 || u >= #a || a[u] {order} {right}"),
        _ => plain,
    }
}

fn source(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let statements: Vec<String> = (0..1 + random.below(2)).map(|_| statement(random)).collect();
    let statements = statements.join(" ");
    let [u, v] = [0, 1].map(|_| random.pick(&["0", "1", "2", "0 - 1", "a[0]", "#a"]));
    let (start, test, step) = match random.below(3) {
        0 => ("#a - 1", "i >= 0", "i := i - 1"),
        1 => ("1", "i < #a", "i := i + 1"),
        _ => ("0", "i < #a", "i := i + 1"),
    };
    format!(
        "main(int[] a, int p) {{
            if (a == null || p < 0 || p >= #a) return;
            int u := {u}; int v := {v}; int i := {start};
            while ({test}) {{ {statements} {step}; }}
            assert {};
        }}",
        claim(random)
    )
}

/// Whether a concrete run on a small array violates something.
fn fails(program: &Program) -> bool {
    let limits = Limits { max_steps: 4_000, ..Limits::default() };
    (1..=LONGEST).any(|length| {
        (0..VALUES.pow(length)).any(|number| {
            let element = |at: u32| InputValue::Int((number / VALUES.pow(at) % VALUES).into());
            let elements = (0..length).map(|at| (at.into(), element(at))).collect();
            let array = InputObject::Array { element: Type::Int, length: length.into(), elements, rest: None };
            (0..length).any(|p| {
                let args = vec![InputValue::Ref(0), InputValue::Int(p.into())];
                let inputs = Inputs { args, heap: vec![array.clone()], ..Inputs::default() };
                let outcome = aback_witness::run(program, entry_of(program), &inputs, limits, &mut ());
                !matches!(outcome, Ok(Outcome::Returned(_)))
            })
        })
    })
}

/// What concrete runs violate is never excluded. `fails` tells whether runs on small inputs violate something. Returns the numbers of violations, of open questions and of proofs.
pub fn compare(
    seeds: std::ops::Range<u64>,
    source: fn(u64) -> String,
    fails: fn(&Program) -> bool,
) -> (usize, usize, usize) {
    let (mut violated, mut open, mut proofs) = (0, 0, 0);
    for seed in seeds {
        let text = source(seed);
        let program = oox(&text);
        let found = shown(&program, &summarised(&program, &everything(&program), TIME));
        match found.as_str() {
            "holds" => {
                assert!(!fails(&program), "seed {seed} fails:\n{text}");
                proofs += 1;
            }
            found if found.starts_with("violated") => {
                if seed % 5 == 0 {
                    assert!(!is_excluded(&program, &everything(&program), 2), "seed {seed} is violated:\n{text}");
                }
                violated += 1;
            }
            _ => open += 1,
        }
    }
    (violated, open, proofs)
}

#[test]
fn random_arrays() {
    let (violated, open, proofs) = compare(0..10, source, fails);
    assert!(violated > 5 && proofs > 0, "{violated} violated, {open} open, {proofs} proofs");
}

/// `cargo test -p aback-engine-tests --test engines random_arrays_at_length -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn random_arrays_at_length() {
    println!("violated, open, proofs: {:?}", compare(40..1000, source, fails));
}
