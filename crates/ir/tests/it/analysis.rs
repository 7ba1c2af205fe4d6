//! Graphs over programs and bodies.

use crate::{blocks, body, method, program};
use aback_ir::analysis::*;
use aback_ir::*;

// ---- dominators ---------------------------------------------------------------------------------------------

/// Immediate dominators and post-dominators of the blocks; `-` where there is none.
fn dominators(text: &str, immediate: &str, post: &str) {
    let body = body(text);
    let cfg = Cfg::new(&body);
    let (dominators, post_dominators) = (Dominators::new(&cfg), PostDominators::new(&cfg));
    let show = |of: &dyn Fn(BlockId) -> Option<BlockId>| {
        let names = body.block_ids().map(|b| of(b).map_or("-".to_owned(), |b| b.0.to_string()));
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(show(&|b| dominators.immediate(b)), immediate);
    assert_eq!(show(&|b| post_dominators.immediate(b)), post);
}

#[test]
fn dominators_of_a_diamond() {
    dominators("b0: if c goto b1 else b2; b1: goto b3; b2: goto b3; b3: return", "- 0 0 0", "3 3 3 -");
}

#[test]
fn an_unreachable_block_has_no_dominators() {
    dominators("b0: goto b2; b1: goto b2; b2: return", "- - 0", "2 2 -");
}

#[test]
fn an_endless_loop_has_no_post_dominators() {
    dominators("b0: if c goto b1 else b2; b1: goto b1; b2: return", "- 0 0", "2 - -");
}

#[test]
fn a_handler_is_dominated_by_what_throws() {
    dominators(
        "b0: goto b1; b1: on any(e) goto b3; n := n div n; goto b2; b2: return; b3: return",
        "- 0 1 1",
        "1 - - -",
    );
    // Without anything that throws the handler is not reached.
    dominators("b0: on any(e) goto b1; return; b1: return", "- -", "- -");
}

#[test]
fn the_dominator_relation_agrees_with_its_definition() {
    let body = body(
        "b0: if c goto b1 else b5; b1: if c goto b2 else b3; b2: goto b4; b3: goto b4; b4: if c goto b1 else b6
         b5: if c goto b4 else b6; b6: return; b7: goto b6",
    );
    let cfg = Cfg::new(&body);
    let dominators = Dominators::new(&cfg);
    let reachable_without = |removed: BlockId| {
        let mut seen = vec![removed];
        let mut pending = vec![BlockId(0)];
        while let Some(block) = pending.pop().filter(|_| removed != BlockId(0)) {
            if !seen.contains(&block) {
                seen.push(block);
                pending.extend(cfg.successors(block));
            }
        }
        seen.retain(|&b| b != removed);
        seen
    };
    for a in body.block_ids() {
        let without = reachable_without(a);
        for b in body.block_ids() {
            let reachable = b != BlockId(7) && a != BlockId(7);
            assert_eq!(dominators.dominates(a, b), reachable && !without.contains(&b), "{a:?} {b:?}");
        }
    }
}

// ---- loops --------------------------------------------------------------------------------------------------

/// Loops as `header<back edges: blocks`, with a blank before for each loop around, and irreducible regions.
fn loops(text: &str, expected: &[&str], irreducible: &[&[u32]]) {
    let body = body(text);
    let cfg = Cfg::new(&body);
    let loops = Loops::new(&cfg, &Dominators::new(&cfg));
    let list = |blocks: &[BlockId]| blocks.iter().map(|b| b.0.to_string()).collect::<Vec<_>>().join(" ");
    let found: Vec<String> = loops
        .iter()
        .map(|(id, found)| {
            let mut all = loops.blocks(id);
            all.sort();
            for block in body.block_ids() {
                assert_eq!(loops.contains(id, block), all.contains(&block));
            }
            let indent = " ".repeat(found.depth as usize - 1);
            format!("{indent}{}<{}: {}", found.header.0, list(&found.back_edges), list(&all))
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(loops.irreducible(), irreducible.iter().map(|region| blocks(region)).collect::<Vec<_>>());
}

#[test]
fn a_body_without_loops() {
    loops("b0: if c goto b1 else b1; b1: return", &[], &[]);
}

#[test]
fn nested_loops() {
    loops(
        "b0: goto b1; b1: if c goto b2 else b6; b2: goto b3; b3: if c goto b4 else b5; b4: goto b3; b5: goto b1; b6: return",
        &["1<5: 1 2 3 4 5", " 3<4: 3 4"],
        &[],
    );
}

#[test]
fn loops_with_one_header_are_one() {
    loops("b0: if c goto b1 else b2; b1: goto b0; b2: if c goto b0 else b3; b3: return", &["0<1 2: 0 1 2"], &[]);
}

#[test]
fn a_block_may_be_a_loop() {
    loops("b0: if c goto b0 else b1; b1: if c goto b1 else b2; b2: return", &["0<0: 0", "1<1: 1"], &[]);
}

#[test]
fn a_handler_may_close_a_loop() {
    loops("b0: on any(e) goto b1; n := n div n; goto b2; b1: goto b0; b2: return", &["0<1: 0 1"], &[]);
}

#[test]
fn a_cycle_with_two_entries_is_irreducible() {
    loops("b0: if c goto b1 else b2; b1: goto b2; b2: if c goto b1 else b3; b3: return", &[], &[&[1, 2]]);
    loops(
        "b0: goto b1; b1: if c goto b2 else b3; b2: goto b3; b3: if c goto b2 else b4; b4: if c goto b1 else b5; b5: return",
        &["1<4: 1 2 3 4"],
        &[&[2, 3]],
    );
}

// ---- calls --------------------------------------------------------------------------------------------------

const SHAPES: &str = "
    interface Shape { method area(this: Shape) }
    abstract class Base implements Shape { method area(this: Base) { b0: call static Main::base(); return } }
    class Circle extends Base { method area(this: Circle) { b0: return } }
    class Square extends Base { field other: Circle }
    class Unused extends Base { method area(this: Unused) { b0: return } }
    class E {}
    trap NullDereference E
    class Main {
      static method base() { b0: return }
      static method closed() { local s: Shape; b0: s := new Square; call virtual Shape::area(s); return }
      static method open(s: Shape) { b0: call virtual Shape::area(s); return }
      static method fields(s: Square) { b0: call virtual Shape::area(s); return }
      static method choose() { local s: Shape; b0: s := nondet Circle; call virtual Shape::area(s); return }
      static method unknown() -> Circle
      static method outside() { local s: Shape; b0: s := call static Main::unknown(); call virtual Shape::area(s); return }
    }";

/// What the methods reachable from `entry` are.
fn reachable(entry: &str, inputs: Inputs, expected: &str) {
    let program = program(SHAPES);
    let graph = CallGraph::new(&program, &CallGraphConfig::new([method(&program, entry)]).with_inputs(inputs));
    let mut found: Vec<String> = graph.reachable().iter().map(|&m| program.method_name(m)).collect();
    found.sort();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn virtual_calls_run_what_allocated_classes_select() {
    reachable("Main.closed", Inputs::Nothing, "Base.area Main.base Main.closed");
    reachable("Main.closed", Inputs::AnyClass, "Base.area Circle.area Main.base Main.closed Unused.area");
}

#[test]
fn inputs_are_what_their_types_allow() {
    reachable("Main.open", Inputs::Nothing, "Main.open");
    reachable("Main.open", Inputs::Declared, "Base.area Circle.area Main.base Main.open Unused.area");
    reachable("Main.fields", Inputs::Declared, "Base.area Circle.area Main.base Main.fields");
}

#[test]
fn nondeterministic_values_and_unknown_methods_bring_objects() {
    reachable("Main.choose", Inputs::Nothing, "Circle.area Main.choose");
    reachable("Main.outside", Inputs::Nothing, "Circle.area Main.outside Main.unknown");
}

#[test]
fn callers_callees_and_recursion() {
    let program = program(
        "class A {
           static method main() { b0: call static A::even(); call static A::even(); call static A::self(); return }
           static method even() { b0: call static A::odd(); return }
           static method odd() { b0: call static A::even(); call static A::leaf(); return }
           static method self() { b0: call static A::self(); return }
           static method leaf() { b0: return }
           static method dead() { b0: call static A::leaf(); return }
         }",
    );
    let id = |name: &str| method(&program, &format!("A.{name}"));
    let graph = CallGraph::new(&program, &CallGraphConfig::new([id("main")]));
    assert_eq!(graph.callees(id("main")), [id("even"), id("self")]);
    assert_eq!(graph.callers(id("even")), [id("main"), id("odd")]);
    assert_eq!(graph.callers(id("leaf")), [id("odd")]);
    assert!(!graph.is_reachable(id("dead")));
    let recursive: Vec<bool> = ["main", "even", "odd", "self", "leaf"].map(|m| graph.is_recursive(id(m))).to_vec();
    assert_eq!(recursive, [false, true, true, true, false]);
    assert!(graph.in_one_component(id("even"), id("odd")) && !graph.in_one_component(id("even"), id("self")));
    let place = |m: &str| graph.components().iter().position(|c| c.contains(&id(m)));
    assert!(place("leaf") < place("odd") && place("odd") < place("main"));
}

#[test]
fn a_method_that_calls_itself_virtually_is_recursive() {
    let program = program(
        "class E {} trap NullDereference E
         class A { method m(this: A) { b0: call virtual A::m(this); return } }
         class B extends A { method m(this: B) { b0: return } }",
    );
    let [a, b] = ["A.m", "B.m"].map(|name| method(&program, name));
    let graph = CallGraph::new(&program, &CallGraphConfig::new([a]));
    assert!(graph.is_recursive(a) && !graph.is_recursive(b));
    assert_eq!(graph.callees(a), [a, b]);
    assert_eq!(graph.callers(b), [a]);
    assert_eq!(graph.targets(Dispatch::Virtual, a), [a, b]);
    assert_eq!(graph.targets(Dispatch::Special, a), [a]);
}

// ---- distances ----------------------------------------------------------------------------------------------

/// A program whose targets are the false assertions.
struct Distances {
    program: Program,
    distance: Distance,
}

fn distances(text: &str) -> Distances {
    let program = program(&format!(
        "class E {{}} trap NullDereference E; trap DivisionByZero E; trap BadCast E
         class F extends E {{}}
         class A {{ {text} }}"
    ));
    let is_target = |body: &Body, kind: &OpKind| matches!(kind, OpKind::Assert { condition, .. } if *body.expr(*condition) == Expr::Const(Const::Bool(false)));
    let mut targets = Vec::new();
    for (id, _) in program.methods() {
        let Some(body) = program.body(id) else { continue };
        for block in body.block_ids() {
            for (op, _) in body.block(block).ops.iter().enumerate().filter(|(_, op)| is_target(body, &op.kind)) {
                targets.push((id, Point { block, op: op as u32 }));
            }
        }
    }
    let graph = CallGraph::new(&program, &CallGraphConfig::new(program.methods().map(|(id, _)| id)));
    let distance = Distance::new(&program, &graph, targets);
    Distances { program, distance }
}

impl Distances {
    fn point(&self, name: &str, block: u32, op: u32) -> (MethodId, Point) {
        (method(&self.program, &format!("A.{name}")), Point { block: BlockId(block), op })
    }

    fn to_target(&self, name: &str, block: u32, op: u32) -> Option<u32> {
        let (method, point) = self.point(name, block, op);
        self.distance.to_target(method, point)
    }

    fn of_stack(&self, frames: &[(&str, u32, u32)]) -> Option<u32> {
        let frames: Vec<_> = frames.iter().map(|&(name, block, op)| self.point(name, block, op)).collect();
        self.distance.of_stack(&frames)
    }
}

#[test]
fn distances_in_one_method() {
    let d = distances(
        "static method f(c: bool, n: int) {
         b0: n := 1; n := 2; if c goto b1 else b2
         b1: n := 3; assert false; n := 4; goto b3
         b2: goto b3
         b3: return }",
    );
    let found =
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (3, 0)].map(|(b, o)| d.to_target("f", b, o));
    assert_eq!(found, [Some(4), Some(3), Some(2), Some(1), Some(0), None, None, None, None]);
    let (f, entry) = d.point("f", 0, 0);
    assert_eq!((d.distance.to_return(f, entry), d.distance.to_throw(f, entry)), (Some(5), None));
    assert!(d.distance.can_reach_target(f, entry));
}

#[test]
fn a_target_in_a_loop_is_met_again() {
    let d = distances(
        "static method f(c: bool, n: int) { b0: n := 0; assert false; n := 1; if c goto b0 else b1; b1: return }",
    );
    assert_eq!([0, 1, 2, 3].map(|op| d.to_target("f", 0, op)), [Some(1), Some(0), Some(3), Some(2)]);
}

#[test]
fn distances_go_through_calls_and_into_them() {
    let d = distances(
        "static method main() { b0: call static A::work(); call static A::check(); return }
         static method work() { local n: int; b0: n := 1; n := 2; return }
         static method check() { local n: int; b0: n := 1; assert false; return }",
    );
    // The call of `work` and its three steps, then the call of `check` and one step.
    assert_eq!(d.to_target("main", 0, 0), Some(6));
    assert_eq!(d.to_target("main", 0, 1), Some(2));
    assert_eq!(d.to_target("main", 0, 2), None);
    assert_eq!(d.to_target("work", 0, 0), None);
    assert_eq!(d.of_stack(&[("main", 0, 0), ("work", 0, 1)]), Some(4));
    assert_eq!(d.of_stack(&[("main", 0, 1), ("work", 0, 1)]), None);
}

#[test]
fn what_never_returns_is_not_passed() {
    let d = distances(
        "static method main() { b0: call static A::forever(); assert false; return }
         static method forever() { b0: goto b0 }
         static method deep() { b0: call static A::deep(); assert false; return }",
    );
    assert_eq!(d.to_target("main", 0, 0), None);
    assert_eq!(d.to_target("deep", 0, 0), None);
    assert_eq!(d.to_target("deep", 0, 1), Some(0));
}

#[test]
fn recursion_takes_its_shortest_way() {
    let d = distances(
        "static method f(c: bool) { b0: if c goto b1 else b2; b1: call static A::f(c); goto b2; b2: return }
         static method main(c: bool) { b0: call static A::f(c); assert false; return }",
    );
    assert_eq!(d.to_target("main", 0, 0), Some(3));
    assert_eq!(d.of_stack(&[("main", 0, 0), ("f", 1, 0), ("f", 1, 0), ("f", 0, 0)]), Some(2 + 2 + 2));
}

#[test]
fn exceptions_lead_to_handlers_up_the_stack() {
    let d = distances(
        "static method main(e: E) {
         b0: on F(e) goto b2; call static A::middle(); goto b1
         b1: return
         b2: assert false; return }
         static method middle() { b0: call static A::thrower(null); return }
         static method thrower(e: E) { local n: int; b0: n := 1; throw e }
         static method safe(e: E) { b0: on any(e) goto b1; call static A::thrower(null); return; b1: return }
         static method outer(e: E) { b0: on any(e) goto b1; call static A::safe(e); return; b1: assert false; return }",
    );
    assert_eq!(d.to_target("main", 0, 0), Some(4));
    assert_eq!(d.of_stack(&[("main", 0, 0), ("middle", 0, 0), ("thrower", 0, 1)]), Some(1));
    assert_eq!(d.of_stack(&[("middle", 0, 0), ("thrower", 0, 1)]), None);
    // `safe` catches everything, so nothing gets out of it.
    assert_eq!(d.to_target("outer", 0, 0), None);
    assert_eq!(d.of_stack(&[("outer", 0, 0), ("safe", 0, 0), ("thrower", 0, 0)]), None);
}

#[test]
fn virtual_calls_take_the_nearest_of_their_targets() {
    let d = distances(
        "method m(this: A) { local n: int; b0: n := 1; assert false; return }
         static method unknown()
         static method main(a: A) { b0: call virtual A::m(a); return }
         static method outside() { b0: call static A::unknown(); assert false; return } }
         class B extends A { method m(this: B) { b0: assert false; return }",
    );
    assert_eq!(d.to_target("main", 0, 0), Some(1));
    assert_eq!(d.to_target("outside", 0, 0), Some(1));
}

// ---- conditions of ways to targets ----------------------------------------------------------------------------

/// The conditions that hold at the start of each block of `A.f` in executions that get from there to a target.
#[track_caller]
fn required(text: &str, expected: &[&str]) {
    fn show(body: &Body, expr: ExprId) -> String {
        match body.expr(expr) {
            Expr::Local(local) => body.local(*local).name.clone(),
            Expr::Binary(op, _, a, b) => format!("{} {} {}", show(body, *a), op.symbol(), show(body, *b)),
            Expr::Const(Const::Int(value, _)) => value.to_string(),
            Expr::Const(constant) => format!("{constant:?}"),
            other => format!("{other:?}"),
        }
    }
    let Distances { program, distance } = distances(text);
    let f = method(&program, "A.f");
    let body = program.body(f).unwrap();
    let required = Required::new(body, &Cfg::new(body), |point| distance.is_goal(f, point));
    let found = body.block_ids().map(|block| {
        let conditions = required.at_start(block).iter();
        let shown = conditions.map(|&(at, outcome)| format!("{}{}", if outcome { "" } else { "!" }, show(body, at)));
        shown.collect::<Vec<_>>().join(", ")
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn branches_before_a_target() {
    required(
        "static method f(a: bool, b: bool, n: int) {
         b0: if a & !b goto b1 else b2
         b1: if n == 3 goto b3 else b2
         b2: return
         b3: assert false; return }",
        &["a, !b, n == 3", "n == 3", "", ""],
    );
    required(
        "static method f(a: bool, b: bool) { b0: if a | b goto b1 else b2; b1: return; b2: assert false; return }",
        &["!a, !b", "", ""],
    );
    required("static method f(a: bool) { b0: assume a; assert false; return }", &["a"]);
    // Code that leads to no target requires nothing: it has no distance.
    required("static method f(a: bool) { b0: if a goto b1 else b1; b1: return }", &["", ""]);
}

#[test]
fn changes_and_other_ways_to_a_target() {
    // What is assigned on the way says nothing about the start.
    required(
        "static method f(a: bool) { b0: a := true; goto b1; b1: if a goto b2 else b3; b2: assert false; return; b3: return }",
        &["", "a", "", ""],
    );
    // What is assigned is needed in place of the local.
    required(
        "static method f(a: bool, b: bool, c: bool) {
         b0: if a goto b1 else b2
         b1: c := b; goto b3
         b2: c := false; goto b3
         b3: if c goto b4 else b5
         b4: assert false; return
         b5: return }",
        &["a, b", "b", "", "c", "", ""],
    );
    required(
        "static method f(a: bool, b: bool, n: int, c: bool) {
         b0: if a goto b1 else b2
         b1: n := b ? 1 : 0; goto b3
         b2: n := 0; goto b3
         b3: c := n != 0; goto b4
         b4: if c goto b5 else b6
         b5: assert false; return
         b6: return }",
        &["a, b", "b", "", "n != 0", "c", "", ""],
    );
    // Floats with other bits can be equal.
    required(
        "static method f(x: f32) {
         b0: x := -0.0f32; goto b1
         b1: if x == 0.0f32 goto b2 else b3
         b2: assert false; return
         b3: return }",
        &["", "x == F32(0)", "", ""],
    );
    required(
        "static method f(n: int, m: int) {
         b0: n := m; goto b1
         b1: if n == 3 goto b2 else b3
         b2: assert false; return
         b3: return }",
        &["", "n == 3", "", ""],
    );
    // Either branch leads to a target, and there is one before the branch.
    required(
        "static method f(a: bool, b: bool) {
         b0: if a goto b1 else b2
         b1: if b goto b3 else b4
         b2: if b goto b3 else b3
         b3: assert false; return
         b4: return }",
        &["", "b", "", "", ""],
    );
    required(
        "static method f(a: bool) { b0: assert false; if a goto b1 else b2; b1: assert false; return; b2: return }",
        &["", "", ""],
    );
    // A loop that changes another variable.
    required(
        "static method f(a: bool, n: int) {
         b0: n := 0; goto b1
         b1: if n < 5 goto b2 else b3
         b2: n := n + 1; goto b1
         b3: if a goto b4 else b5
         b4: assert false; return
         b5: return }",
        &["a", "a", "a", "a", "", ""],
    );
}

#[test]
fn calls_and_exceptions_before_a_target() {
    // A call that leads to a target, and one that does not.
    required(
        "static method f(a: bool) { b0: call static A::g(); if a goto b1 else b2; b1: call static A::h(); return; b2: return }
         static method g() { b0: return }
         static method h() { b0: assert false; return }",
        &["a", "", ""],
    );
    required(
        "static method f(a: bool) { b0: call static A::h(); if a goto b1 else b2; b1: call static A::h(); return; b2: return }
         static method h() { b0: assert false; return }",
        &["", "", ""],
    );
    // The handler leads to a target whatever the branch does.
    required(
        "static method f(a: bool, b: bool, n: int) {
         local e: E
         b0: on any(e) goto b1; n := n div n; goto b2
         b1: if b goto b3 else b4
         b2: if a & b goto b3 else b4
         b3: assert false; return
         b4: return }",
        &["", "b", "a, b", "", ""],
    );
    required(
        "static method f(e: E, o: E) {
         b0: on any(e) goto b1; goto b2
         b1: if e == o goto b2 else b3
         b2: assert false; return
         b3: return }",
        &["", "e == o", "", ""],
    );
}

// ---- lines --------------------------------------------------------------------------------------------------

const LINES: &str = "
    file 0 \"src/org/x/A.java\"
    file 1 \"src/org/y/A.java\"
    file 2 \"B.java\"
    file 3 \"C.oox\"
    class A @ 1 in 0 {
      static method f(n: int) @ 2 { b0: n := 1 @ 3:5; n := 2 @ 3:9; n := 3; return @ 6 }
      static method g(n: int) @ 2 in 1 { b0: n := 1 @ 4; return @ 3:1 in 2 }
    }
    class C @ 1 in 3 {
      static method outer(n: int) @ 2 in 3 { b0: n := 1 @ 2; n := 2 @ 8; return @ 9 }
      static method inner(n: int) @ 3 in 3 { b0: n := 1 @ 3; n := 2 @ 5; return @ 5 }
    }";

/// The points at a line as `method block.op`, or the message.
fn at(path: &str, line: u32, expected: &str) {
    let program = program(LINES);
    let found = match points_at_line(&program, path, line) {
        Ok(points) => {
            let show = |(m, p): &(MethodId, Point)| format!("{} {}.{}", program.method(*m).name, p.block.0, p.op);
            points.iter().map(show).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

#[test]
fn lines_have_points() {
    at("A.java", 3, "f 0.0, f 0.1");
    at("A.java", 4, "g 0.0");
    at("x/A.java", 4, "there is no code at x/A.java:4; the next line with code is 6");
    at("x\\A.java", 6, "f 0.3");
    at("x/A.java", 7, "there is no code at x/A.java:7");
    at("./main/code/B.java", 3, "g 0.1");
    at("/A.java", 3, "f 0.0, f 0.1");
    at("a/A.java", 3, "no file of the program is called `a/A.java`");
    at("ava", 3, "no file of the program is called `ava`");
    at("", 3, "no file of the program is called ``");
}

/// The methods at a line, or the message.
fn methods_at(path: &str, line: u32, expected: &str) {
    let program = program(LINES);
    let found = match methods_at_line(&program, path, line) {
        Ok(methods) => methods.iter().map(|&id| program.method(id).name.as_str()).collect::<Vec<_>>().join(", "),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

#[test]
fn lines_have_methods() {
    methods_at("x/A.java", 3, "f");
    methods_at("x/A.java", 2, "f");
    methods_at("x/A.java", 4, "f");
    methods_at("x/A.java", 7, "there is no code at x/A.java:7");
    methods_at("y/A.java", 3, "g");
    methods_at("y/A.java", 1, "g");
    methods_at("C.oox", 1, "outer");
    methods_at("C.java", 1, "no file of the program is called `C.java`");
    // `inner` is a function within `outer`.
    methods_at("C.oox", 4, "inner");
    methods_at("C.oox", 6, "outer");
    methods_at("C.oox", 8, "outer");
}

#[test]
fn a_path_may_mean_several_files() {
    let program = program(LINES);
    assert_eq!(files_matching(&program, "A.java"), [FileId(0), FileId(1)]);
    assert_eq!(files_matching(&program, "org/y/A.java"), [FileId(1)]);
}

// ---- limits -------------------------------------------------------------------------------------------------

#[test]
fn an_analysis_that_has_to_stop_has_no_result() {
    let program = program(
        "class A {
           static field a: A
           static method put(a: A) {
           b0: static A::a := a
             return
           }
           static method get() -> A {
             local e: A
           b0: e := static A::a
             return e
           }
         }",
    );
    assert!(Statics::new(&program, [], &|| true).is_err());
    let statics = Statics::new(&program, [], &|| false).expect("nothing stops it");
    let (field, _) = program.fields().next().expect("the field");
    assert!(statics.may_differ(field));
}
