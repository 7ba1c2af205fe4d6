//! How fast the concrete path is.

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
