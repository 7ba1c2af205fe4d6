//! Tests traps whose exceptions are thrown by code of the program.

use crate::world::*;
use aback_ir::{Trap, text};
use aback_witness::{Inputs, Limits, Outcome, run};

/// Exceptions that store what happened, a thrower for each trap with arguments, and `main` with the code `body`, one
/// local and `handlers` around it.
fn program(handlers: &str, body: &str) -> String {
    format!(
        "file 0 \"main\"
        indices i32
        trap NullDereference Error by Traps::nothing
        trap IndexOutOfBounds Error by Traps::index
        trap NegativeArraySize Error by Traps::size
        trap DivisionByZero Error by Traps::zero
        trap BadArrayStore Error by Traps::store
        class Error {{
          field a: i32
          field b: i32
        }}
        class Cell {{
          field next: Cell
          field number: i32
        }}
        class Other extends Cell {{
        }}
        class Traps {{
          static method make(a: i32, b: i32) {{
            local e: Error
          b0:
            e := new Error
            e.Error::a := a
            e.Error::b := b
            throw e
          }}
          static method nothing() {{
          b0:
            call static Traps::make(1i32, 2i32)
            unreachable
          }}
          static method index(i: i32, n: i32) {{
          b0:
            call static Traps::make(i, n)
            unreachable
          }}
          static method size(n: i32) {{
          b0:
            call static Traps::make(n, 0i32)
            unreachable
          }}
          static method store(o: Cell) {{
            local n: i32
          b0:
            n := o.Cell::number
            call static Traps::make(n, 0i32)
            unreachable
          }}
          static method zero() {{
            local c: Cell
          b0:
            c := c.Cell::next
            unreachable
          }}
        }}
        class Main {{
          static method main() -> i32 {{
            local a: i32[]
            local c: Cell
            local s: Cell[]
            local x, y, z: i32
            local e: Error
          b0: {handlers}
            {body}
            return x
          b1:
            x := e.Error::a
            y := e.Error::b
            return x * 100i32 + y
          }}
        }}"
    )
}

fn outcome(handlers: &str, body: &str) -> Outcome {
    run_text(&program(handlers, body), &Inputs::default(), &mut ())
}

const CAUGHT: &str = "on Error(e) goto b1";

#[test]
fn a_thrower_is_told_what_happened() {
    for (body, shown) in [
        ("c := c.Cell::next", 102),
        ("a := new i32[5i32] ; x := a[7i32]", 705),
        ("a := new i32[5i32] ; a[-1i32] := 3i32", -95),
        ("a := new i32[-3i32]", -300),
        ("s := new Other[1i32] ; c := new Cell ; c.Cell::number := 4i32 ; s[0i32] := c", 400),
        // A trap in the thrower is like any other.
        ("x := 5i32 div 0i32", 102),
    ] {
        assert_eq!(outcome(CAUGHT, body), returned_int(shown), "{body}");
    }
}

#[test]
fn the_origin_is_the_operation_that_traps() {
    for (body, trap) in [
        ("x := 1i32 @ 6 ; c := c.Cell::next @ 7", Trap::NullDereference),
        ("a := new i32[5i32] @ 6 ; x := a[7i32] @ 7", Trap::IndexOutOfBounds),
        ("a := new i32[-3i32] @ 7", Trap::NegativeArraySize),
    ] {
        let (_, found, line) = uncaught(outcome("", body));
        assert_eq!((found, line), (Some(trap), 7), "{body}");
    }
    // A rethrown exception keeps the place of the first throw.
    let text = program(CAUGHT, "c := c.Cell::next @ 7").replace("x := e.Error::a", "throw e @ 9\n b2:");
    let (_, trap, line) = uncaught(run_text(&text, &Inputs::default(), &mut ()));
    assert_eq!((trap, line), (Some(Trap::NullDereference), 7));
}

#[test]
fn a_trap_inside_a_thrower_keeps_its_own_origin() {
    let text = program("", "x := 5i32 div 0i32");
    let program = text::parse(&text).unwrap();
    let outcome = run(&program, main_of(&program), &Inputs::default(), Limits::default(), &mut ()).unwrap();
    match outcome {
        Outcome::Uncaught { trap, origin, .. } => {
            assert_eq!(trap, Some(Trap::NullDereference));
            assert_eq!(program.method_name(origin.method), "Traps.zero");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_thrower_that_returns_is_malformed() {
    let text = program("", "c := c.Cell::next")
        .replace("call static Traps::make(1i32, 2i32)\n            unreachable", "return");
    let outcome = run_text(&text, &Inputs::default(), &mut ());
    assert!(matches!(&outcome, Outcome::Unsupported { reason, .. } if reason.contains("returned")), "{outcome:?}");
}

#[test]
fn exceptions_that_the_program_throws_have_no_trap() {
    let (_, trap, line) = uncaught(outcome("", "e := new Error ; throw e @ 5\n b9:"));
    assert_eq!((trap, line), (None, 5));
    assert_eq!(outcome("", "x := 3i32"), returned_int(3));
}
