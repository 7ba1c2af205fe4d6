//! Slices: programs in which it would be wrong to leave something out, and what the forward engine leaves out.

use crate::common::{
    AMPLE, assertions, backward_verdict, backward_ways, check_query, exploration, ir, limited, method_of, oox, shown,
};
use aback_forward::{Config, Subsumption};
use aback_ir::analysis::points_at_line;
use aback_ir::{Body, Class, ClassId, Loader, MethodId, Program};
use aback_symbolic::{Budget, Exploration, Query, Uncaught};
use std::sync::Arc;

/// A loader for programs that have all their classes. With it, code of libraries is not analysed before it is run.
struct Complete;

impl Loader for Complete {
    fn has_class(&self, _: &str) -> bool {
        false
    }

    fn class(&self, program: &Program, id: ClassId) -> Class {
        Class::missing(program.class_name(id).to_string())
    }

    fn body(&self, _: &Program, _: MethodId) -> Option<Body> {
        None
    }
}

/// A program and the question about its assertions.
fn question(text: &str) -> (Program, Query) {
    let mut program = ir(&format!(
        "indices i32
        trap NullDereference Problem
        library class Problem @ 1:1 {{ }}
        {text}"
    ));
    program.set_loader(Arc::new(Complete));
    let query = assertions(&program, "Main.main", None);
    (program, query)
}

/// Checks the answer of both engines to such a question.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (program, query) = question(text);
    check_query(&program, &query, expected);
}

#[test]
fn what_overriding_methods_give_and_do_matters() {
    let program = |main: &str| {
        format!(
            "interface I {{ method give(I) -> i32; method set(I) }}
            class G implements I {{
                field n: i32
                method give(this: G) -> i32 {{ local n: i32; b0: n := this.G::n; return n }}
                method set(this: G) {{ b0: this.G::n := 7i32; return }}
            }}
            class H implements I {{
                method give(this: H) -> i32 {{ b0: return 1i32 }}
                method set(this: H) {{ b0: return }}
            }}
            class Main {{ static method main(b: bool) {{ local i: I; local n: i32
                b0: if b goto b1 else b2
                b1: i := new G; goto b3
                b2: i := new H; goto b3
                b3: {main}
                b4: return
                b5: assert false; return
            }} }}"
        )
    };
    let give = "call virtual I::give(i); if n == 0i32 goto b5 else b4";
    check(&program(&format!("n := {give}")), "violated: assert at 0");
    check(&program("n := call virtual I::give(i); if n == 7i32 goto b5 else b4"), "holds");
    let set = "call virtual I::set(i); n := call virtual I::give(i); if n == 7i32 goto b5 else b4";
    check(&program(set), "violated: assert at 0");
}

#[test]
fn libraries_run_what_classes_inherit_from_elsewhere() {
    check(
        "library interface Order @ 1:1 { method order(Order) -> i32 }
        library class Library @ 1:1 { static method ask(o: Order) -> i32 { local n: i32
            b0: n := call virtual Order::order(o); return n } }
        class Base { field n: i32
            method order(this: Base) -> i32 { local n: i32; b0: n := this.Base::n; return n } }
        class Sub extends Base implements Order { }
        class Main { static method main() { local s: Sub; local n: i32
            b0: s := new Sub; s.Base::n := 7i32; call virtual Base::order(s); n := call static Library::ask(s)
                if n == 7i32 goto b1 else b2
            b1: assert false; return
            b2: return } }",
        "violated: assert at 0",
    );
}

#[test]
fn libraries_read_fields_of_their_own_classes() {
    check(
        "library class Counter @ 1:1 { field n: i32
            static method is_new(c: Counter) -> bool { local n: i32; b0: n := c.Counter::n; return n == 0i32 } }
        class Own extends Counter { }
        class Main { static method main() { local o: Own; local is: bool
            b0: o := new Own; o.Counter::n := 7i32; is := call static Counter::is_new(o); if is goto b1 else b2
            b1: return
            b2: assert false; return } }",
        "violated: assert at 0",
    );
}

#[test]
fn made_up_code_reads_fields_of_the_program() {
    check(
        "library class \"made up\" { static method sum(p: P) -> i32 { local n: i32; b0: n := p.P::n; return n } }
        class P { field n: i32 }
        class Main { static method main() { local p: P; local n: i32
            b0: p := new P; p.P::n := 7i32; n := call static \"made up\"::sum(p); if n == 7i32 goto b1 else b2
            b1: assert false; return
            b2: return } }",
        "violated: assert at 0",
    );
}

#[test]
fn libraries_catch_what_they_call_back_throws() {
    check(
        "library interface Task @ 1:1 { method run(Task) }
        library class Library @ 1:1 { static method run(t: Task) { local e: Problem
            b0: on any(e) goto b1
                call virtual Task::run(t)
                return
            b1: return } }
        class Own implements Task { method run(this: Own) { local p: Problem; b0: p := new Problem; throw p } }
        class Main { static method main() { local o: Own
            b0: o := new Own; call static Library::run(o); assert false; return } }",
        "violated: assert at 0",
    );
}

#[test]
fn what_is_beyond_an_end_that_is_not_known_may_be_what_is_asked_for() {
    let program = |method: &str, kind: &str| {
        format!(
            "library class Library @ 1:1 {{ static method look(n: i32) -> i32 {{ {} }} }}
            class Own {{ static method look(n: i32) -> i32 {{ {} }} }}
            class Main {{ static method main(n: i32) {{ local m: i32
                b0: m := call static {method}(n); assert n < 16i32; return }} }}",
            look(kind),
            look(kind)
        )
    };
    fn look(kind: &str) -> String {
        format!(
            "b0: if n < 16i32 goto b1 else b2
            b1: return n
            b2: {kind}"
        )
    }
    for method in ["Library::look", "Own::look"] {
        check(&program(method, "bound \"small numbers\""), "gaps: small numbers");
        check(&program(method, "unsupported \"large numbers\""), "gaps: unsupported: large numbers");
    }
}

#[test]
fn an_end_that_is_not_known_behind_all_that_is_asked_for_does_not_matter_in_libraries() {
    let (program, query) = question(
        "library class Library @ 1:1 { static method look() { b0: unsupported \"it\" } }
        class Main { static method main(n: i32) { b0: assert n == n; call static Library::look(); return } }",
    );
    assert_eq!(backward_verdict(&program, &query, backward_ways()[0], AMPLE), "holds");
}

#[test]
fn what_is_made_once_is_made_once() {
    check(
        "class Main {
            static field made: bool
            static field count: i32
            static method make() { local n: i32
                b0: static Main::made := true; n := static Main::count; static Main::count := n + 1i32; return }
            static method main() { local n: i32
                b0: ensure Main::made by Main::make; ensure Main::made by Main::make; n := static Main::count
                    assert n == 1i32; return } }",
        "holds",
    );
}

#[test]
fn a_static_field_may_become_null_on_one_of_two_ways() {
    check(
        "class N { field f: i32 }
        class Main {
            static field kept: N
            static method main(n: N, b: bool) { local m: N; local x: i32; local e: Problem
                b0: x := n.N::f; static Main::kept := n; if b goto b1 else b2
                b1: static Main::kept := null; goto b2
                b2: on any(e) goto b3
                    m := static Main::kept; x := m.N::f; return
                b3: assert false; return } }",
        "violated: assert at 0",
    );
}

// ---- exceptions at a line -----------------------------------------------------------------------------------

/// Checks the answer of both engines to a question about a line of an OOX program: its assertions, and uncaught
/// exceptions that were thrown there first.
#[track_caller]
fn check_at(source: &str, line: u32, expected: &str) {
    let program = oox(source);
    let points = points_at_line(&program, "Main.oox", line).expect("code at the line");
    let query = Query {
        entry: method_of(&program, "Main.main"),
        assertions: true,
        uncaught: Uncaught::Any,
        at: Some(points.into_iter().collect()),
    };
    check_query(&program, &query, expected);
}

#[test]
fn an_exception_counts_where_it_was_first_thrown() {
    // A method that does nothing else.
    let callee = "class T { static void fail(bool b) {
        if (b) { throw new Exception(); } } }
        main(bool b) {
        T.fail(b); }";
    let thrown_at = |line: u32| if line == 2 { "violated: Exception at 2" } else { "holds" };
    for line in [2, 4] {
        check_at(callee, line, thrown_at(line));
    }
    // The exception is an input.
    let input = "main(Exception e, bool b) {
        if (b && e != null && !(e instanceof NullPointerException)) {
        throw e; } }";
    let program = oox(input);
    let points = points_at_line(&program, "Main.oox", 3).expect("code at the line");
    let class = program.class_named("NullPointerException").expect("the class");
    let query = |class| Query {
        entry: method_of(&program, "Main.main"),
        assertions: true,
        uncaught: Uncaught::InstancesOf(class),
        at: Some(points.clone().into_iter().collect()),
    };
    check_query(&program, &query(class), "holds");
    // One of two exceptions that are thrown at different lines and thrown again at a third line.
    let again = "main(int i) {
        try {
        if (i == 1) { throw new Exception(); }
        if (i == 2) { throw new NullPointerException(); }
        } catch (e) {
        throw e; } }";
    check_at(again, 3, "violated: Exception at 3");
    check_at(again, 4, "violated: NullPointerException at 4");
    check_at(again, 6, "holds");
}

#[test]
fn an_exception_that_has_two_names_is_first_thrown_once() {
    let parameters = "main(NullPointerException a, NullPointerException b) {
        if (a == null || b == null) { return; }
        try {
        throw a;
        } catch { }
        if (CONDITION) {
        throw b; } }";
    let asked = |condition: &str, line: u32, expected: &str| {
        check_at(&parameters.replace("CONDITION", condition), line, expected);
    };
    asked("a == b", 4, "violated: NullPointerException at 4");
    asked("a == b", 7, "holds");
    asked("a != b", 4, "holds");
    asked("a != b", 7, "violated: NullPointerException at 7");
    asked("true", 4, "violated: NullPointerException at 4");
    asked("true", 7, "violated: NullPointerException at 7");
    let elements = "main(int i) {
        Exception[] es := new Exception[2]; es[0] := new Exception(); es[1] := new Exception();
        if (i < 0 || i > 1) { return; }
        try {
        throw es[0];
        } catch { }
        if (i == 0 || OTHER) {
        throw es[i]; } }";
    check_at(&elements.replace("OTHER", "false"), 5, "violated: Exception at 5");
    check_at(&elements.replace("OTHER", "false"), 8, "holds");
    check_at(&elements.replace("OTHER", "true"), 8, "violated: Exception at 8");
}

/// If an earlier trap ends the execution, the line is not reached, although the slice does not contain the trap.
#[test]
fn an_exception_of_the_same_class_at_another_line_is_none_of_this_line() {
    let after = |first: &str, assumed: &str, class: &str| {
        format!("main(int[] ks, int n) {{\n {first} \n assume {assumed}; \n throw new {class}(); }}")
    };
    let null = after("ks[0] := 1;", "ks == null", "NullPointerException");
    check_at(&null, 4, "holds");
    let divided = after("int m := 1 / n;", "n == 0", "ArithmeticException");
    check_at(&divided, 4, "holds");
    check_at(&divided, 2, "violated: division by zero at 2");
    let thrown = after("if (n == 0) { throw new Exception(); }", "n == 0", "Exception");
    check_at(&thrown, 4, "holds");
    check_at(&thrown, 2, "violated: Exception at 2");
}

#[test]
fn an_exception_is_first_thrown_at_different_lines_on_different_ways() {
    let program = "class Box { Exception kept; }
        main(int i) {
        Box box := new Box(); Exception one := new Exception(); box.kept := one;
        try {
        if (i == 1) { throw one; }
        if (i == 2) { int n := 1 / 0; }
        if (i == 3) { throw box.kept; }
        } catch (e) { box.kept := e; }
        if (i > 0) {
        throw box.kept; } }";
    check_at(program, 5, "violated: Exception at 5");
    check_at(program, 6, "violated: division by zero at 6");
    check_at(program, 7, "violated: Exception at 7");
    check_at(program, 10, "violated: Exception at 10");
    let caught = program.replace("if (i > 0)", "if (i == 2)");
    check_at(&caught, 5, "holds");
    check_at(&caught, 7, "holds");
    check_at(&caught, 10, "holds");
}

/// Code of a library that can only throw any more is not run, unless a target is ahead of the exception.
#[test]
fn messages_of_exceptions_that_lead_nowhere() {
    let program = |through: &str, main: &str| {
        format!(
            "library class Library @ 1:1 {{
                static method at(i: i32) -> i32 {{ local e: Problem
                    b0: if i < 0i32 goto b1 else b2
                    b1: call static Library::message()
                        e := new Problem; throw e
                    b2: return 2i32
                }}
                static method message() {{ b0: unsupported \"a message\" }}
                static method through(i: i32) -> i32 {{ local n: i32; local e: Problem
                    b0: {through} n := call static Library::at(i); return n
                    b1: return 3i32
                }}
            }}
            class Main {{ static method main(i: i32) {{ local n: i32; local e: Problem
                b0: {main} n := call static Library::through(i); assert n == 2i32; return
                b1: assert false; return
                b2: return
            }} }}"
        )
    };
    // Without facts about control flow, everything is run.
    let check = |through: &str, main: &str, expected: &str| {
        let (program, query) = question(&program(through, main));
        let forward = exploration(&program, &query, &limited(AMPLE), &aback_smt::Config::default());
        assert_eq!(shown(&program, &forward), expected, "{through} {main}");
        assert_eq!(backward_verdict(&program, &query, backward_ways()[0], AMPLE), expected, "{through} {main}");
    };
    check("", "", "holds");
    check("", "on Problem(e) goto b2\n", "holds");
    let open = "gaps: unsupported: a message";
    check("", "on Problem(e) goto b1\n", open);
    // What is not thrown may be returned.
    check("on Problem(e) goto b1\n", "", open);
}

// ---- what the forward engine leaves out ---------------------------------------------------------------------

/// What the forward engine answers about the assertions of `Main.main`.
fn forward(program: &Program, slice: bool, operations: Option<u64>) -> Exploration {
    let config = Config { slice, budget: Budget { operations, ..Budget::default() }, ..Config::default() };
    exploration(program, &assertions(program, "Main.main", None), &config, &aback_smt::Config::default())
}

/// Checks the answer of the forward engine to a question about assertions for which it needs no more than this number of operations
/// with a slice, and more without.
#[track_caller]
fn check_forward(source: &str, operations: u64, expected: &str) {
    let program = oox(source);
    let sliced = forward(&program, true, Some(operations));
    assert_eq!(shown(&program, &sliced), expected, "{source}");
    assert!(sliced.work.left_out > 0);
    let whole = forward(&program, false, Some(operations));
    assert_eq!(shown(&program, &whole), format!("gaps: limit of {operations} operations"), "{source}");
    assert_eq!(whole.work.left_out, 0);
}

/// Checks the answer of the forward engine, and how much is left out of the program in the end.
#[track_caller]
fn check_left_out(program: &Program, expected: &str, left_out: u64) {
    let found = forward(program, true, None);
    assert_eq!((shown(program, &found).as_str(), found.work.left_out), (expected, left_out));
    assert_eq!(shown(program, &forward(program, false, None)), expected);
}

#[test]
fn loops_and_calls_on_which_no_assertion_depends_are_left_out() {
    let program = |assertion: &str| {
        format!(
            "class Log {{ int total; int[] last;
                void add(int n) {{ this.total := this.total + n; this.last[0] := n; if (n > 7) {{ this.total := 0; }} }} }}
            main(int n, int m) {{
                Log log := new Log(); log.last := new int[1];
                int i := 0;
                while (i < n) {{ log.add(i); i := i + 1; }}
                int j := 0;
                while (j < m) {{ if (j % 3 == 1) {{ log.add(j); }} j := j + 1; }}
                assert {assertion}; }}"
        )
    };
    check_forward(&program("n < 5 || n > 3"), 300, "holds");
    check_forward(&program("n != 60"), 300, "violated: assert at 9");
}

#[test]
fn assertions_that_are_always_true_depend_on_nothing() {
    check_forward(
        "main(int n, int m) {
            int i := 0;
            while (i < n) { i := i + 1; assert true; }
            assert m == m; }",
        300,
        "holds",
    );
}

#[test]
fn an_exception_that_the_slice_leaves_out_matters_once_it_ends_a_run() {
    let program = oox("class Checks { static void positive(int n) { if (n <= 0) { throw new Exception(); } } }
        main(int n, int m) {
            int q := 10 / n;
            int r := 10 / m;
            Checks.positive(m);
            assert n != 0 && m > 0; }");
    // The second division stays out, because the call excludes that the other number is zero.
    check_left_out(&program, "holds", 1);
    let program = oox("main(int n, int m) {
            int q := 10 / n;
            int r := 10 / m;
            assert n != 0; }");
    check_left_out(&program, "holds", 1);
}

#[test]
fn an_endless_loop_that_the_slice_leaves_out_ends_executions() {
    // Without a slice, the loop is executed until a state comes again.
    let program = oox("main(int n) { while (n == 1) { int m := n; } assert n != 1; }");
    let query = assertions(&program, "Main.main", None);
    let config = Config { subsumption: Subsumption::Always, ..Config::default() };
    let found = exploration(&program, &query, &config, &aback_smt::Config::default());
    assert_eq!((shown(&program, &found).as_str(), found.work.left_out), ("holds", 0));
}

/// A run asks for its inputs in a fixed order.
#[test]
fn inputs_on_which_nothing_depends_are_asked_for() {
    check_left_out(
        &ir("class Main { static method main(n: i32) { local a: i32; local b: i32; local c: i32
            b0: a := nondet i32; c := a + n; b := nondet i32; assert b != 7i32; return } }"),
        "violated: assert at 0",
        1,
    );
}

/// Several counterexamples are on paths of their own.
#[test]
fn each_path_is_followed_if_it_is_wanted() {
    let program = oox("main(int n, bool b) { int i := 0; if (b) { i := 1; } assert n != 7; }");
    let config = Config { counterexamples: 2, ..Config::default() };
    let query = assertions(&program, "Main.main", None);
    let found = exploration(&program, &query, &config, &aback_smt::Config::default());
    assert_eq!((found.more.len(), found.work.left_out), (1, 0));
    // A bound of operations is about those of the whole program.
    let config = Config { depth: Some(1_000), ..Config::default() };
    let found = exploration(&program, &query, &config, &aback_smt::Config::default());
    assert_eq!((shown(&program, &found).as_str(), found.work.left_out), ("violated: assert at 1", 0));
}
