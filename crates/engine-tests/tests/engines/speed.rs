//! Measures the speed of concrete execution.

use crate::common::{check_ir, ir, verdict};

fn counting(rounds: u64) -> String {
    format!(
        "class Main {{ static method main(n: i64) {{ local i, s: i64
         b0: i := 0i64
             s := 0i64
             goto b1
         b1: if i < {rounds}i64 goto b2 else b3
         b2: s := s + i
             i := i + 1i64
             goto b1
         b3: assert s > 0i64
             return
         }} }}"
    )
}

#[test]
fn a_long_concrete_loop_ends() {
    check_ir(&counting(100_000), "holds");
}

#[test]
#[ignore = "a measurement: run it in the release profile with --nocapture"]
fn operations_a_second_of_a_concrete_loop() {
    const ROUNDS: u64 = 25_000_000;
    let program = ir(&counting(ROUNDS));
    let start = std::time::Instant::now();
    println!("{}", verdict(&program));
    println!("{:.0} million operations a second", (4 * ROUNDS) as f64 / start.elapsed().as_secs_f64() / 1e6);
}

/// A loop of `rounds` iterations with this body, over a point, an array of eight elements and a static field.
fn looping(rounds: u64, body: &str) -> String {
    format!(
        "indices i32
        trap NullDereference Error
        trap IndexOutOfBounds Error
        trap NegativeArraySize Error
        trap BadArrayStore Error
        class Error {{ }}
        class Point {{
            field x: i32
            method get(this: Point) -> i32 {{ local t: i32
                b0: t := this.Point::x
                    return t
            }}
        }}
        class Main {{
            static field total: i32
            static field ready: bool
            static method prepare() {{
                b0: static Main::ready := true
                    return
            }}
            static method twice(a: i32) -> i32 {{
                b0: return a + a
            }}
            static method main() {{ local i, s, t: i32; local p, q: Point; local a: i32[]; local c: bool
                b0: p := new Point
                    a := new i32[8i32]
                    goto b1
                b1: if i < {rounds}i32 goto b2 else b3
                b2: i := i + 1i32
                    {body}
                    goto b1
                b3: assert i > 0i32
                    return
            }}
        }}"
    )
}

#[test]
fn loops_over_the_heap_end() {
    let bodies = [
        "t := p.Point::x; p.Point::x := t + i",
        "t := a[i & 7i32]; a[i & 7i32] := t + i",
        "t := static Main::total; static Main::total := t + i; ensure Main::ready by Main::prepare",
        "s := call static Main::twice(i); s := call virtual Point::get(p)",
        "q := new Point; c := q instanceof Point",
    ];
    for body in bodies {
        check_ir(&looping(1000, body), "holds");
    }
}

#[test]
#[ignore = "a measurement: run it in the release profile with --nocapture"]
fn operations_a_second_on_the_heap() {
    const ROUNDS: u64 = 5_000_000;
    let bodies = [
        ("arithmetic", 4, "s := s + i * 3i32; t := s ^ i; s := t >> 1i32; t := s as i8 from i32 as i32 from i8"),
        ("fields", 2, "t := p.Point::x; p.Point::x := t + i"),
        ("elements", 2, "t := a[i & 7i32]; a[i & 7i32] := t + i"),
        ("statics", 3, "t := static Main::total; static Main::total := t + i; ensure Main::ready by Main::prepare"),
        ("static calls", 1, "s := call static Main::twice(i)"),
        ("virtual calls", 1, "s := call virtual Point::get(p)"),
        ("allocations", 1, "q := new Point"),
    ];
    for (what, operations, body) in bodies {
        let program = ir(&looping(ROUNDS, body));
        let start = std::time::Instant::now();
        let verdict = verdict(&program);
        // The loop itself has four operations.
        let (seconds, all) = (start.elapsed().as_secs_f64(), 4 + operations);
        println!("{what}: {:.0} million operations a second ({verdict})", (all * ROUNDS) as f64 / seconds / 1e6);
    }
}
