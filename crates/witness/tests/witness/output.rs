//! Tests the output of programs.

use crate::world::*;
use aback_witness::{Inputs, MAX_OUTPUT, Observer, Outcome, State};

#[derive(Default)]
struct Printed(String, bool);

impl Observer for Printed {
    fn end(&mut self, state: &State<'_>, _outcome: &Outcome) {
        *self = Printed(state.output(), state.output_is_cut());
    }
}

fn printed(body: &str) -> Printed {
    let text = format!("class Main {{\n static method main() {{\n local i: int\n b0:\n {body}\n return\n }}\n}}");
    let mut printed = Printed::default();
    assert_eq!(run_text(&text, &Inputs::default(), &mut printed), Outcome::Returned(None));
    printed
}

#[test]
fn output_is_kept_as_text() {
    // The emoji takes two code units; one half alone is not a character.
    let text = "print 72u16 ; print 105u16 ; print 10u16 ; print 55357u16 ; print 56832u16 ; print 55357u16";
    let Printed(output, cut) = printed(text);
    assert_eq!((output.as_str(), cut), ("Hi\n😀\u{fffd}", false));
    assert_eq!(printed("i := 1").0, "");
}

#[test]
fn long_output_is_cut() {
    let body = format!("goto b1\n b1:\n print 97u16 ; i := i + 1\n if i <= {MAX_OUTPUT} goto b1 else b2\n b2:");
    let Printed(output, cut) = printed(&body);
    assert_eq!((output.len(), cut), (MAX_OUTPUT, true));
}
