//! `check`: verdicts, questions and forms of the answer.

use crate::{Ran, files, main_of, on_examples, program};
use insta::assert_snapshot;

const LOOP: &str = "\
class Main {
    static int next(int i) {
        return i + 1;
    }
    static void main(int n) {
        int i := 0;
        while (i < n) {
            i := next(i);
        }
        assert i < 40;
    }
}
";

#[test]
fn examples_that_hold() {
    on_examples("check examples/account.oox").ends(0).says("holds: no execution violates anything");
    on_examples("check examples/list.oox").ends(0);
    on_examples("check examples/account.oox --entry Bank.safeTransfer").ends(0);
}

#[test]
fn a_violation_is_shown_with_inputs_and_path() {
    assert_snapshot!(on_examples("check examples/account.oox --entry Bank.transfer").ends(1));
}

#[test]
fn an_index_out_of_bounds() {
    let ran = on_examples("check examples/search.oox").ends(1);
    ran.says("index out of bounds can happen and is not caught").says("search.oox:13:17").says("values = int[6]#1");
}

#[test]
fn the_iterations_of_a_loop_are_shown_once() {
    // Without what all iterations imply, so that the first violation that there is comes first.
    assert_snapshot!(program(LOOP).run("check Main.oox --loops off").ends(1));
}

#[test]
fn verbose_shows_the_whole_path() {
    let ran = program(LOOP).run("check Main.oox -v").ends(1);
    assert_eq!(ran.stdout.matches("Main.oox:8 ").count(), 40, "{ran}");
}

#[test]
fn within_bounds() {
    assert_snapshot!(on_examples("check examples/list.oox --depth 50").ends(3));
}

#[test]
fn unknown_names_its_reason_and_what_to_do() {
    assert_snapshot!(
        main_of("", "int i := 0; while (true) { i := i + 1; }").run("check Main.oox --timeout 0.1 --loops off").ends(3)
    );
}

#[test]
fn at_a_line() {
    on_examples("check examples/account.oox --entry Bank.transfer --at account.oox:36").ends(1);
    on_examples("check examples/account.oox --entry Bank.transfer --at examples/account.oox:31").ends(0);
    let nothing = on_examples("check examples/account.oox --at account.oox:2").ends(2);
    nothing.says("there is no code at account.oox:2; the next line with code is 7");
    on_examples("check examples/account.oox --at account.oox:999").ends(2).says("no code at account.oox:999");
    on_examples("check examples/account.oox --at Bank.oox:2")
        .ends(2)
        .says("no file of the program is called `Bank.oox`");
    for place in ["account.oox", "account.oox:", "account.oox:x", ":3", "account.oox:0", "account.oox:-3"] {
        on_examples(&format!("check examples/account.oox --at {place}")).ends(2).says("write FILE:LINE");
    }
}

#[test]
fn entry_points() {
    let check = |entry: &str| on_examples(&format!("check examples/account.oox --entry {entry}")).ends(2);
    check("Bank.trasnfer").says("no method `Bank.trasnfer` (there are Bank.transfer, ");
    check("withdraw").says("(there are Account.withdraw, ");
    check("bank").says("no method `bank`");
    check("Bank.transfer(int)").says("(there are Bank.transfer(Account, Account, int))");
    let none = program("class A { static void a() {} }").run("check Main.oox").ends(2);
    none.says("no method `Main.main` to start with: name another with --entry (there are A.a)");
}

#[test]
fn overloaded_entry_points_are_told_apart_by_their_parameters() {
    let text = "class A { static void m(int x) { assert x > 0; } static void m(bool[] x, A y) {} void m() {} }";
    let check = |entry: &str| program(text).command("check Main.oox --entry").arg(entry).output().unwrap();
    assert_eq!(check("A.m(int)").status.code(), Some(1));
    // The answer names it in the same way.
    assert!(String::from_utf8_lossy(&check("A.m(int)").stdout).contains("with the input of A.m(int):"));
    assert_eq!(check("A.m(bool[],A)").status.code(), Some(0));
    assert_eq!(check("A.m( bool[], A )").status.code(), Some(0));
    assert_eq!(check("A.m()").status.code(), Some(0));
    assert_eq!(check("A.m(string)").status.code(), Some(2));
    assert_snapshot!(program(text).run("check Main.oox --entry A.m").ends(2));
}

/// The verdict in the document agrees with the exit status.
#[test]
fn json_agrees_with_the_exit_status() {
    #[track_caller]
    fn check(ran: Ran, status: i32, verdict: &str) -> serde_json::Value {
        let ran = ran.ends(status);
        let document = ran.json();
        assert_eq!(document["version"], 1);
        assert_eq!(document["verdict"], verdict, "{ran}");
        assert_eq!(document["reason"] == "", status < 2, "{ran}");
        assert_eq!(document["violation"].is_object(), status == 1);
        assert_eq!(document["statistics"].is_object(), status != 2);
        document
    }
    check(on_examples("check --json examples/list.oox"), 0, "holds");
    check(on_examples("check --json examples/list.oox --depth 50"), 3, "holds within bounds");
    check(
        main_of("", "int i := 0; while (true) { i := i + 1; }").run("check --json Main.oox --timeout 0.1 --loops off"),
        3,
        "unknown",
    );
    let cyclic = check(on_examples("check --json examples/list.oox --entry Main.lastOfThree"), 1, "violated");
    let violation = &cyclic["violation"];
    assert_eq!(violation["entry"], "Main.lastOfThree");
    assert_eq!(violation["place"]["file"], "examples/list.oox");
    assert_eq!(violation["inputs"]["heap"][0]["class"], "Node");
    assert_eq!(violation["inputs"]["args"][0], serde_json::json!({"ref": 0}));
    assert_eq!(violation["path"].as_array().map(Vec::len), Some(2));
    check(main_of("", "x").run("check --json Main.oox"), 2, "error");
    check(files([]).run("check --json Main.oox"), 2, "error");
    check(main_of("", "").run("check --json Main.oox --entry a.b"), 2, "error");
    check(main_of("", "").run("check --json Main.oox --at Main.oox:77"), 2, "error");
    check(main_of("", "").run("check --json Main.oox --property none.prp"), 2, "error");
}

#[test]
fn warnings_go_to_standard_error_once_and_into_the_document() {
    let place = main_of("", "bool b := 1;\n    assert b == 1;");
    assert_snapshot!(place.run("check Main.oox").ends(0));
    let document = place.run("check Main.oox --json").ends(0).json();
    assert_eq!(document["diagnostics"][0]["severity"], "warning");
}

#[test]
fn many_warnings_are_cut() {
    let body: String = (0..30).map(|i| format!("bool b{i} := 1;\n")).collect();
    let place = main_of("", &body);
    let ran = place.run("check Main.oox").ends(0).says("… and 20 more warnings (-v shows them)");
    assert_eq!(ran.stderr.matches("warning:").count(), 10);
    let all = place.run("check Main.oox -v").ends(0);
    assert_eq!(all.stderr.matches("warning:").count(), 30);
}

#[test]
fn statistics() {
    let ran = main_of("int x", "assert x * x != 49;").run("check Main.oox --stats").ends(1);
    ran.says("\ntime TIME\noperations 2, paths 1, ")
        .says("\nstage ")
        .says("\nsolver ")
        .says("\nslicing time TIME; 0 contradictions made smaller\n");
    let place = main_of("int x, bool b", "int y := 1; if (b) { y := 2; } assert y + x * x > 0;");
    for (merge, joins) in [("never", false), ("always", true)] {
        let arguments = format!("check Main.oox --merge {merge} --no-intervals --loops off");
        let json = place.run(&format!("{arguments} --json")).ends(0).json();
        let statistics = &json["statistics"];
        assert_eq!(statistics["joins"].as_u64().is_some_and(|number| number > 0), joins, "{statistics}");
        assert!(statistics["prune_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{statistics}");
        assert!(statistics["solving"]["slicing_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{statistics}");
        let ran = place.run(&format!("{arguments} --stats")).ends(0);
        assert_eq!(ran.stdout.contains("pairs of paths joined"), joins, "{ran}");
        ran.says("asked about with probability 1.00 in TIME");
    }
}

#[test]
fn colors() {
    let place = main_of("int x", "assert x != 7;");
    assert!(place.run("check Main.oox --color always").ends(1).stdout.starts_with("\u{1b}[1;31mviolated\u{1b}[0m: "));
    for arguments in ["check Main.oox", "check Main.oox --color never"] {
        assert!(!place.run(arguments).ends(1).stdout.contains('\u{1b}'), "a pipe is no terminal");
    }
}

#[test]
fn options_of_the_engine_do_not_change_the_verdict() {
    let options = "--search depth|--search directed|--prune never|--no-intervals|--no-slicing|--no-models|--cache off|\
                   --cache plain|--cache cores|--cache-sets off|--cache-sets all|--no-rules|--no-rules --no-intervals --no-models|--interval-iterations 3|--cache-dir kept --cache-size 1|--no-integers|--solver-timeout 5|--smt-log log --no-models --no-intervals";
    for options in options.split('|') {
        on_examples(&format!("check examples/search.oox {options}")).ends(1);
        on_examples(&format!("check examples/account.oox {options}")).ends(0);
    }
}

#[test]
fn several_files_and_folders_are_one_program() {
    let place = files([
        ("src/Main.oox", "class Main { static void main(A a) { assume a != null; assert a.one() == 1; } }"),
        ("src/deep/A.oox", "class A { int one() { return 1; } }"),
        ("src/notes.txt", "no source"),
    ]);
    place.run("check src").ends(0);
    place.run("check src/Main.oox src/deep/A.oox").ends(0);
    place.run("check src/Main.oox src/deep").ends(0);
    place.run("check src src/Main.oox ./src/deep/../deep/A.oox").ends(0);
    place.run("check src/Main.oox").ends(2).says("there is no class `A`");
}

#[test]
fn program_models_are_read_back() {
    let place = main_of("int x", "int y := x + 1; assert y != 8;");
    place.write("model.ir", place.run("show ir Main.oox").ends(0).stdout.as_bytes());
    place.run("check model.ir").ends(1).says("x = 7");
    place.run("check model.ir Main.oox").ends(2).says("a program model (.ir) stands alone");
}

#[test]
fn properties_that_are_not_checked_are_refused() {
    let place = main_of("", "");
    place.write("assert.prp", b"CHECK( init(Main.main()), LTL(G assert) )\n");
    place.write("overflow.prp", b"CHECK( init(main()), LTL(G ! overflow) )\n");
    place.run("check Main.oox --property assert.prp").ends(0);
    place
        .run("check Main.oox --property overflow.prp")
        .ends(2)
        .says("overflow.prp: aback checks")
        .says("but not `CHECK( init(main()), LTL(G ! overflow) )`");
}

#[test]
fn integers_of_oox_with_bounds() {
    let place = main_of("int x", "assert x + 1 > x;");
    place.run("check Main.oox").ends(0);
    place.run("check Main.oox --ints unbounded").ends(0);
    place.run("check Main.oox --ints machine --witness w.json").ends(1).says("2147483647");
    place.run("replay w.json").ends(0).says("2147483647");
    // A task with a property file stands for a program in Java.
    place.write("assert.prp", b"CHECK( init(Main.main()), LTL(G assert) )\n");
    place
        .run("check Main.oox --property assert.prp")
        .ends(3)
        .says("only with integers that wrap around, as those of Java do, there is a violation")
        .says("--ints machine shows the violation");
    place.run("check Main.oox --property assert.prp --ints unbounded").ends(0);
    place.write("Main.oox", b"class Main { static void main(int x) { assert x * x != 3; } }");
    place.run("check Main.oox --property assert.prp").ends(0);
    place.write(
        "all.oox",
        b"class Main { static void main(int[] a) {
        assume a != null && #a < 4 && forall a, i, v : v > i;
        assert forall a, i, v : v + 1 > i; } }",
    );
    place.run("check all.oox").ends(0);
    place.run("check all.oox --ints machine").ends(1).says("2147483647");
    place.write("large.oox", b"class Main { static void main() { int x := 2147483648; } }");
    place.run("check large.oox").ends(0);
    place.run("check large.oox --ints machine").ends(2).says("large.oox:1").says("this number has more");
    place.write("least.oox", b"class Main { static void main() { int x := -2147483648; assert -x == x; } }");
    place.run("check least.oox --ints machine").ends(0);
    place.run("check least.oox").ends(1);
}

#[test]
fn policies_of_pruning() {
    let place = main_of("int x, int y", "if (x > y) { assert y <= x + 1; } assert x != 3 || y != 4;");
    for policy in ["never", "constant", "probabilistic", "adaptive", "eager", "0.5,0.05", "1,0"] {
        for search in ["random", "coverage"] {
            let ran = place.run(&format!("check Main.oox --prune {policy} --search {search} --seed 4 --stats"));
            ran.ends(1).says("x = 3");
        }
    }
    for wrong in ["often", "1", "2,0", "0.5,-1", "0.1,0.1,0.1"] {
        place.run(&format!("check Main.oox --prune {wrong}")).ends(2).says("two numbers from 0 to 1");
    }
    let json = place.run("check Main.oox --prune 0.25,0 --json").ends(1).stdout;
    assert!(json.contains("\"undecided\":"), "{json}");
}
