//! Tests that the heap of lazy initialization splits and passes its decisions about the input heap to an observer.

use crate::common::{AMPLE, everything, exploration, exploration_with, limited, oox, shown};
use aback_heap::{Combined, Decision, Lazy, Meaning, Observer};
use aback_logic::Pool;
use std::cell::RefCell;
use std::rc::Rc;

/// Checks the verdict with lazy initialization, which splits heaps. It must cause at least `more_forks` forks besides those of branches.
#[track_caller]
fn check_lazy(source: &str, expected: &str, more_forks: u64) {
    let program = oox(source);
    let query = everything(&program);
    let combined = exploration(&program, &query, &limited(AMPLE), &aback_smt::Config::default());
    let lazy = exploration_with::<Lazy>(&program, &query, &limited(AMPLE), None);
    assert_eq!(shown(&program, &combined), expected, "combined");
    assert_eq!(shown(&program, &lazy), expected, "lazy");
    assert!(lazy.work.forks >= combined.work.forks + more_forks, "{:?} and {:?}", combined.work, lazy.work);
}

const NODE: &str = "class Node { int v; Node next; }";

#[test]
fn an_operation_is_repeated_where_the_heap_splits() {
    // A write, a read, a chain of reads, and a call on an input object.
    check_lazy(
        &format!(
            "{NODE} main(Node a, Node b) {{
                if (a == null || b == null) return;
                a.v := 1; b.v := 2;
                int s := a.v;
                assert s == 1 || a == b;
            }}"
        ),
        "holds",
        1,
    );
    check_lazy(
        &format!("{NODE} main(Node a, Node b) {{ a.v := 1; b.v := 2; int s := a.v; assert s == 1; }}"),
        "violated: null dereference at 1",
        0,
    );
    check_lazy(
        &format!(
            "{NODE} main(Node a) {{
                if (a == null || a.next == null || a.next.next == null) return;
                a.next.v := 3; a.v := 5;
                Node c := a.next;
                assert c.v == 3 || c == a;
                assert a.next != a.next.next;
            }}"
        ),
        "violated: assert at 6",
        1,
    );
    check_lazy(
        "class A { int f() { return 1; } } class B extends A { int f() { return 2; } }
        main(A a, A b) {
            if (a == null || b == null) return;
            int x := a.f(); int y := b.f();
            assert a != b || x == y;
            assert x + y < 4;
        }",
        "violated: assert at 6",
        1,
    );
}

/// An observer that records decisions and, if `refuses_aliases` is set, ends a path at the decision for an alias.
#[derive(Clone)]
struct Listener {
    heard: Rc<RefCell<Vec<Vec<&'static str>>>>,
    path: Vec<&'static str>,
    refuses_aliases: bool,
}

impl Observer for Listener {
    fn hear(&mut self, _: &mut Pool, decision: &Decision) -> bool {
        self.path.push(match decision.meaning {
            Meaning::Null => "null",
            Meaning::AliasOf(_) => "alias",
            Meaning::New(..) => "new",
            Meaning::Exactly(_) => "type",
            Meaning::Any => "any",
            Meaning::Guarded(_) => "guarded",
        });
        self.heard.borrow_mut().push(self.path.clone());
        !self.refuses_aliases || !matches!(decision.meaning, Meaning::AliasOf(_))
    }

    fn boxed_clone(&self) -> Box<dyn Observer> {
        Box::new(self.clone())
    }
}

const TWO: &str = "main(Node a, Node b) {
    if (a == null || b == null) return;
    a.v := 1; b.v := 2;
    int s := a.v;
    assert s == 1;
}";

fn heard(refuses_aliases: bool) -> (String, Vec<Vec<&'static str>>) {
    let program = oox(&format!("{NODE} {TWO}"));
    let listener = Listener { heard: Rc::default(), path: Vec::new(), refuses_aliases };
    let heard = Rc::clone(&listener.heard);
    let observer = Some(listener.boxed_clone());
    let found = exploration_with::<Lazy>(&program, &everything(&program), &limited(AMPLE), observer);
    let mut heard: Vec<Vec<&'static str>> = heard.borrow().clone();
    heard.sort();
    heard.dedup();
    (shown(&program, &found), heard)
}

#[test]
fn each_path_has_an_observer_of_its_own_that_may_end_it() {
    // References are decided where the program compares them.
    let all = [
        vec!["new"],
        vec!["new", "alias"],
        vec!["new", "new"],
        vec!["new", "null"],
        vec!["null"],
        vec!["null", "new"],
        vec!["null", "null"],
    ];
    assert_eq!(heard(false), ("violated: assert at 5".into(), all.to_vec()));
    assert_eq!(heard(true), ("holds".into(), all.to_vec()));
}

#[test]
fn the_combined_heap_tells_of_each_reference_that_a_path_meets() {
    let program = oox(&format!("{NODE} main(Node a) {{ if (a == null) return; Node b := a.next; Node c := a.next; }}"));
    let listener = Listener { heard: Rc::default(), path: Vec::new(), refuses_aliases: false };
    let heard = Rc::clone(&listener.heard);
    let observer = Some(listener.boxed_clone());
    let found = exploration_with::<Combined>(&program, &everything(&program), &limited(AMPLE), observer);
    assert_eq!(shown(&program, &found), "holds");
    // The decisions are for the parameter and for the value of its field. The second read makes no new one.
    assert_eq!(*heard.borrow(), [vec!["any"], vec!["any", "any"]]);
}
