//! Each operation of the IR on symbolic operands.

use crate::common::{check, check_ir, entry_of, ir, verdict};
use aback_witness::{InputValue, Inputs, Limits, Outcome, Value, run};
use std::fmt::Write;

/// A constant in IR text, and the input value that it denotes.
type Sample = (String, InputValue);

fn integers(ty: &str) -> Vec<Sample> {
    let (signed, width): (bool, u32) = match ty {
        "int" => (true, 100),
        _ => (ty.starts_with('i'), ty[1..].parse().expect("a width")),
    };
    let (least, greatest) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let mut values = vec![least, least + 1, -7, -2, -1, 0, 1, 2, 3, 7, 8, greatest / 2 + 1, greatest - 1, greatest];
    values.retain(|value| (least..=greatest).contains(value));
    let suffix = if ty == "int" { "" } else { ty };
    values.into_iter().map(|value| (format!("({value}{suffix})"), InputValue::Int(value.into()))).collect()
}

fn floats(ty: &str) -> Vec<Sample> {
    let values =
        [0.0, 1.0, -1.0, 0.1, -2.5, 300.0, 3e9, -3e9, 1e19, 1.5e19, 3e38, f64::INFINITY, -f64::INFINITY, f64::NAN];
    let sample = |value: f64| match ty {
        "f32" => (format!("f32:{:#x}", (value as f32).to_bits()), InputValue::F32((value as f32).to_bits())),
        _ => (format!("f64:{:#x}", value.to_bits()), InputValue::F64(value.to_bits())),
    };
    values.map(sample).to_vec()
}

fn samples(ty: &str) -> Vec<Sample> {
    if ty.starts_with('f') { floats(ty) } else { integers(ty) }
}

/// The condition that a local has this value; zeros of both signs are equal.
fn is(local: &str, constant: &str, value: &InputValue) -> String {
    match value {
        InputValue::F32(bits) if f32::from_bits(*bits).is_nan() => format!("{local} != {local}"),
        InputValue::F64(bits) if f64::from_bits(*bits).is_nan() => format!("{local} != {local}"),
        _ => format!("{local} == {constant}"),
    }
}

fn shown(value: &Value, ty: &str) -> (String, InputValue) {
    let suffix = if ty == "int" { "" } else { ty };
    match value {
        Value::Bool(value) => (value.to_string(), InputValue::Bool(*value)),
        Value::Int(value) => (format!("({}{suffix})", value.to_big()), InputValue::Int(value.to_big())),
        Value::F32(bits) => (format!("f32:{bits:#x}"), InputValue::F32(*bits)),
        Value::F64(bits) => (format!("f64:{bits:#x}"), InputValue::F64(*bits)),
        _ => panic!("not a number"),
    }
}

/// Checks that `x := operation` on `a: types.0` and `b: types.1`, with `x: types.2`, gives for symbolic operands
/// exactly the results of the interpreter for each pair of samples.
fn agrees(operation: &str, types: (&str, &str, &str)) {
    const TRAPS: &str = "class E {\n}\ntrap DivisionByZero E\n";
    let method = |result: &str| {
        format!(
            "{TRAPS}class Main {{\n static method main(a: {}, b: {}){result} {{\n local x: {}\n b0:\n",
            types.0, types.1, types.2
        )
    };
    let concrete = ir(&format!("{} x := {operation}\n return x\n }}\n }}", method(&format!(" -> {}", types.2))));
    let guard = if operation.contains("div") || operation.contains("rem") {
        let suffix = if types.1 == "int" { "" } else { types.1 };
        format!(" assume b != 0{suffix}\n")
    } else {
        String::new()
    };
    // Solvers take long for many conditions on floats together, so that each sample gets a program of its own.
    let is_hard = [types.0, types.2].iter().any(|ty| ty.starts_with('f')) || types.0 == "int" && types.2 != "int";
    let start = format!("{}{guard} x := {operation}\n", method(""));
    let end = " return\n }\n }";
    let (mut text, mut last) = (start.clone(), start.clone());
    let mut all_concrete = method("");
    let is_unary = !operation.contains(" b");
    let others = samples(types.1);
    let others = if is_unary { &others[..1] } else { &others };
    let pairs = samples(types.0).into_iter().flat_map(|a| others.iter().map(move |b| (a.clone(), b.clone())));
    let step = match (is_hard, is_unary) {
        (true, true) => 2,
        (true, false) => 23,
        (false, _) => 1,
    };
    for ((a_text, a), (b_text, b)) in pairs.step_by(step) {
        let inputs = Inputs { args: vec![a.clone(), b.clone()], ..Inputs::default() };
        let outcome = run(&concrete, entry_of(&concrete), &inputs, Limits::default(), &mut ());
        let Ok(Outcome::Returned(Some(value))) = outcome else { continue };
        let (text_of_value, value) = shown(&value, types.2);
        let mut premise = format!("({})", is("a", &a_text, &a));
        if !is_unary {
            write!(premise, " & ({})", is("b", &b_text, &b)).expect("a string");
        }
        let conclusion = is("x", &text_of_value, &value);
        writeln!(all_concrete, " a := {a_text}\n b := {b_text}\n x := {operation}\n assert {conclusion}")
            .expect("a string");
        if is_hard {
            let alone = format!("{} assume {premise}\n x := {operation}\n", method(""));
            assert_eq!(verdict(&ir(&format!("{alone} assert {conclusion}\n{end}"))), "holds", "{alone}");
            last = format!("{alone} assert !({conclusion})\n");
        } else {
            writeln!(text, " assert !({premise}) | ({conclusion})").expect("a string");
            last = format!("{start} assert !({premise} & ({conclusion}))\n");
        }
    }
    assert_eq!(verdict(&ir(&format!("{all_concrete}{end}"))), "holds", "{operation} on {types:?}, concretely");
    assert_eq!(verdict(&ir(&format!("{text}{end}"))), "holds", "{operation} on {types:?}");
    let found = verdict(&ir(&format!("{last}{end}")));
    assert_eq!(found, "violated: assert at 0", "{operation} on {types:?}");
}

#[test]
fn division_of_unbounded_integers() {
    agrees("a div b", ("int", "int", "int"));
    agrees("a rem b", ("int", "int", "int"));
}

#[test]
fn arithmetic_of_machine_integers() {
    for ty in ["i8", "u8", "u16", "i32", "u64"] {
        for op in ["a + b", "a - b", "a & b", "a | b", "a ^ b", "a << b", "a >> b", "a >>> b"] {
            agrees(op, (ty, ty, ty));
        }
        agrees("-a", (ty, ty, ty));
        agrees("~a", (ty, ty, ty));
        agrees("a < b", (ty, ty, "bool"));
        agrees("a >= b", (ty, ty, "bool"));
    }
}

#[test]
fn products_and_quotients_of_machine_integers() {
    for ty in ["i8", "u8", "i16", "u16"] {
        for op in ["a * b", "a div b", "a rem b"] {
            agrees(op, (ty, ty, ty));
        }
    }
}

#[test]
fn shifts_by_a_distance_of_another_type() {
    agrees("a << b", ("i32", "i64", "i32"));
    agrees("a >>> b", ("i64", "i8", "i64"));
    agrees("a >> b", ("u8", "u32", "u8"));
}

#[test]
fn conversions_of_integers() {
    let types = ["int", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];
    for from in ["i8", "u8", "i32", "u64"] {
        for to in types {
            agrees(&format!("a as {to}"), (from, "i8", to));
        }
    }
    for to in ["i8", "u16", "i64", "u64"] {
        agrees(&format!("a as {to}"), ("int", "i8", to));
    }
}

#[test]
fn conversions_of_floats() {
    for to in ["i8", "u16", "i32", "u32", "i64", "f32"] {
        agrees(&format!("a as {to}"), ("f64", "u8", to));
    }
    for to in ["u8", "u32", "u64", "f64"] {
        agrees(&format!("a as {to}"), ("f32", "u8", to));
    }
    for from in ["u8", "i32", "u64"] {
        agrees("a as f32", (from, "u8", "f32"));
        agrees("a as f64", (from, "u8", "f64"));
    }
}

#[test]
fn arithmetic_of_floats() {
    for op in ["a + b", "a - b", "a * b"] {
        agrees(op, ("f32", "f32", "f32"));
    }
    for op in ["a < b", "a <= b", "a == b", "a != b", "a > b", "a >= b"] {
        agrees(op, ("f64", "f64", "bool"));
    }
    agrees("-a", ("f64", "u8", "f64"));
}

#[test]
fn concrete_unbounded_integers_become_floats_and_back() {
    let main = |body: &str| {
        format!("class Main {{ static method main() {{ local i: int\n local f: f64\n b0: {body}\n return\n }} }}")
    };
    check_ir(&main("i := 7\n f := i as f64\n assert f == 7.0f64\n i := (f / 2.0f64) as int\n assert i == 3"), "holds");
}

#[test]
fn switches() {
    let main = |ty: &str, assertion: &str| {
        format!(
            "class Main {{ static method main(n: {ty}) {{ local r: int\n b0: switch n [1 -> b1, 200 -> b2] else b3\n
             b1: r := 1\n goto b4\n b2: r := 2\n goto b4\n b3: r := 3\n goto b4\n b4: assert {assertion} @ 7\n return\n }} }}"
        )
    };
    for (ty, suffix) in [("int", ""), ("u8", "u8"), ("i64", "i64")] {
        check_ir(
            &main(ty, &format!("(r == 1) == (n == 1{suffix}) & (r == 2) == (n == 200{suffix}) & r <= 3")),
            "holds",
        );
        for r in 1..=3 {
            check_ir(&main(ty, &format!("r != {r}")), "violated: assert at 7");
        }
    }
    let concrete = "class Main { static method main() { local n: u64\n b0: n := 18446744073709551615u64
        switch n [18446744073709551615 -> b1] else b2\n b1: return\n b2: assert false\n return\n } }";
    check_ir(concrete, "holds");
}

#[test]
fn arrays_have_a_greatest_length() {
    let main = |body: &str| {
        format!(
            "indices i32 most 5\ntrap NullDereference E\ntrap NegativeArraySize E\ntrap ArrayTooLong L\n
            class E {{\n}}\nclass L {{\n}}\nclass Main {{ static method main(a: i32[], n: i32) {{ local e: L\n local l: i32\n b0: {body}\n }} }}"
        )
    };
    let new = |condition: &str| {
        main(&format!(
            "if n < 0i32 goto none else make\n none: return\n make: on L(e) goto caught\n a := new i32[n]\n goto made\n
             made: assert n <= 5i32\n return\n caught: assert {condition} @ 7\n return"
        ))
    };
    check_ir(&new("n > 5i32"), "holds");
    check_ir(&new("n > 6i32"), "violated: assert at 7");
    let input = |most: i32| {
        main(&format!(
            "if a == null goto none else some\n none: return\n some: l := a.length\n assert l <= {most}i32 @ 7\n return"
        ))
    };
    check_ir(&input(5), "holds");
    check_ir(&input(4), "violated: assert at 7");
}

#[test]
fn unreachable_code_that_is_reached_is_a_gap() {
    let text =
        "class Main { static method main(b: bool) { b0: if b goto b1 else b2\n b1: unreachable\n b2: return\n } }";
    check_ir(text, "gaps: unsupported: a place that no execution should reach");
}

#[test]
fn nondeterministic_values() {
    let main = |body: &str| {
        format!(
            "trap NullDereference E\nclass E {{\n}}\nclass N {{\n field v: int\n}}
            class Main {{ static method main(n: N) {{ local i, j: int\n local m: N\n b0: {body}\n return\n }} }}"
        )
    };
    check_ir(&main("i := nondet int\n j := nondet int\n assert i + j != 77 @ 5"), "violated: assert at 5");
    check_ir(&main("i := nondet int\n assume i > 3\n assert i * 2 > 7"), "holds");
    check_ir(&main("m := nondet N\n assert m == null | m == n @ 5"), "violated: assert at 5");
    check_ir(&main("m := new N\n n := nondet N\n assert m != n"), "holds");
    // The value may alias an input that has been written.
    check_ir(
        &main("assume n != null\n n.N::v := 7\n m := nondet N\n assume m == n\n i := m.N::v\n assert i == 7"),
        "holds",
    );
}

#[test]
fn statics_hold_defaults_and_what_is_written() {
    let main = |body: &str| {
        format!(
            "class C {{\n static field s: int\n static field r: C\n}}
            class Main {{ static method main(n: int) {{ local i: int\n local c: C\n b0: {body}\n return\n }} }}"
        )
    };
    check_ir(&main("i := static C::s\n c := static C::r\n assert i == 0 & c == null"), "holds");
    check_ir(&main("static C::s := n\n i := static C::s\n assert i == n"), "holds");
    check_ir(&main("static C::s := n\n i := static C::s\n assert i != 5 @ 4"), "violated: assert at 4");
}

#[test]
fn division_traps_where_the_divisor_can_be_zero() {
    check("main(int x) { int y := 10 / x; }", "violated: division by zero at 1");
    check("main(int x) { if (x * x > 0) { int y := 10 % x; } }", "holds");
    check("main(int x) { try { int y := 10 / x; } catch (ArithmeticException e) { assert x == 0; } }", "holds");
    check(
        "main(int x) { try { int y := 10 / x; assert x != 0; } catch (e) { assert x != 0; } }",
        "violated: assert at 1",
    );
}

#[test]
fn indices_and_lengths_of_machine_types() {
    let main = |body: &str| {
        format!(
            "class E {{\n}}\ntrap IndexOutOfBounds E\ntrap NullDereference E\ntrap NegativeArraySize E
             class Main {{ static method main(a: int[], i: i32, n: u8) {{ local x: int\n local l: i32\n local d: int[]
             b0: {body}\n return\n }} }}"
        )
    };
    let bounds = "assume a != null\n x := a.length\n assume 0i32 <= i & (i as int) < x\n";
    check_ir(&main(&format!("{bounds} a[i] := 7\n x := a[i]\n assert x == 7")), "holds");
    check_ir(&main("assume a != null\n x := a[i] @ 4"), "violated: index out of bounds at 4");
    check_ir(&main("d := new int[n]\n x := d.length\n assert x == n as int & x <= 255"), "holds");
    check_ir(&main("d := new int[3]\n l := d.length\n assert l == 3i32"), "holds");
    let narrow = "gaps: unsupported: an array index or a length that its type may be too narrow for";
    check_ir(&main("assume a != null\n l := a.length\n assert l >= 0i32"), narrow);
}
