//! `--assume`: answers, and errors in conditions.

use crate::files;
use insta::assert_snapshot;

const ACCOUNT: &str = "\
class Account {
    int balance;
    static void pay(Account from, int amount) {
        from.balance := from.balance - amount;
        assert from.balance >= 0;
    }
}
";

#[test]
fn a_precondition_is_an_assumption_of_the_answer() {
    let place = files([("Account.oox", ACCOUNT)]);
    let asked = "check Account.oox --entry Account.pay";
    place
        .run(&format!("{asked} --assume amount<=from.balance -v"))
        .ends(0)
        .says("the input satisfies: amount<=from.balance");
    place
        .run(&format!("{asked} --assume amount<=from.balance --json"))
        .ends(0)
        .says("the input satisfies: amount<=from.balance");
    let found =
        place.run(&format!("{asked} --assume amount==from.balance+1 --assume amount>5 --witness found.json")).ends(1);
    assert_snapshot!(found);
    place.run("replay found.json").ends(0).says("amount = 6");
    place.run("confirm found.json").ends(0);
    place.run("explore Account.oox --entry Account.pay --assume from==null").ends(0).says("1 behaviour");
}

#[test]
fn errors_are_shown_in_the_condition() {
    let place = files([("Account.oox", ACCOUNT), ("Main.ir", "class Main { static method main() { b0: return } }")]);
    let asked = "check Account.oox --entry Account.pay --assume";
    assert_snapshot!(place.run(&format!("{asked} amount<=balance")).ends(2));
    place.run(&format!("{asked} amount)||(true")).ends(2).says("expected the end of the expression");
    place.run("check Account.oox --at Account.oox:5 --assume true").ends(2).says("--entry");
    place.run("check Main.ir --assume true").ends(2).says("--assume is for Java and C# and OOX");
}
