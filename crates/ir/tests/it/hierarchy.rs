//! Questions about classes.

use crate::{method, program};
use aback_ir::*;

/// A call of `named` on an object of `class` runs `selected`.
fn selects(text: &str, class: &str, named: &str, selected: &str) {
    let program = program(text);
    let class = program.class_named(class).expect("a class");
    let found = program.dispatch(class, method(&program, named));
    assert_eq!(program.method_name(found), selected);
}

#[test]
fn the_most_specific_default_method_is_selected() {
    let interfaces = "interface I { method m(this: I) { b0: return } }
                      interface J implements I { method m(this: J) { b0: return } } ";
    selects(&format!("{interfaces} class C implements I, J {{}}"), "C", "I.m", "J.m");
    selects(&format!("{interfaces} class C implements J, I {{}}"), "C", "I.m", "J.m");
    selects(&format!("{interfaces} class B implements J {{}} class C extends B implements I {{}}"), "C", "I.m", "J.m");
    selects(&format!("{interfaces} class C implements J {{ method m(this: C) {{ b0: return }} }}"), "C", "I.m", "C.m");
}

/// A call of `named` on an object of `class` selects none.
fn selects_none(text: &str, class: &str, named: &str, reason: Unselected) {
    let program = program(text);
    let class = program.class_named(class).expect("a class");
    assert_eq!(program.select(class, method(&program, named)), Err(reason));
}

/// Java Virtual Machine Specification, 5.4.5: a method is overridden in its package, and by what overrides what overrides it.
#[test]
fn a_method_of_a_package_is_overridden_there() {
    let a = "class p.A { package method m(this: p.A) { b0: return } }";
    let b = "class q.B extends p.A { package method m(this: q.B) { b0: return } }";
    selects(&format!("{a} {b}"), "q.B", "p.A.m", "p.A.m");
    selects(&format!("{a} {b}"), "q.B", "q.B.m", "q.B.m");
    selects(
        &format!("{a} class p.B extends p.A {{ package method m(this: p.B) {{ b0: return }} }}"),
        "p.B",
        "p.A.m",
        "p.B.m",
    );
    // Behind a class of another package.
    let c = "class p.C extends q.B { package method m(this: p.C) { b0: return } }";
    selects(&format!("{a} {b} {c}"), "p.C", "p.A.m", "p.C.m");
    selects(&format!("{a} {b} {c}"), "p.C", "q.B.m", "q.B.m");
}

#[test]
fn overriding_is_transitive() {
    let a = "class p.A { package method m(this: p.A) { b0: return } }";
    // p.B makes it public, so that q.C overrides p.B's, and with it p.A's.
    let b = "class p.B extends p.A { method m(this: p.B) { b0: return } }";
    let c = "class q.C extends p.B { method m(this: q.C) { b0: return } }";
    selects(&format!("{a} {b} {c}"), "q.C", "p.A.m", "q.C.m");
    // q.B's is another method, although it is public; q.C overrides q.B's only, p.D both.
    let b = "class q.B extends p.A { method m(this: q.B) { b0: return } }";
    let c = "class q.C extends q.B { method m(this: q.C) { b0: return } }";
    let d = "class p.D extends q.C { method m(this: p.D) { b0: return } }";
    let e = "class r.E extends p.D { method m(this: r.E) { b0: return } }";
    let all = format!("{a} {b} {c} {d} {e}");
    selects(&all, "q.C", "p.A.m", "p.A.m");
    selects(&all, "q.C", "q.B.m", "q.C.m");
    selects(&all, "p.D", "p.A.m", "p.D.m");
    selects(&all, "r.E", "p.A.m", "r.E.m");
}

/// 5.4.6, 1: a private method is the selected one; it overrides nothing (5.4.5), and is not counted to an interface's (5.4.3.3).
#[test]
fn private_methods_override_nothing_and_are_not_overridden() {
    let a = "class A { private method m(this: A) { b0: return } }";
    selects(&format!("{a} class B extends A {{ method m(this: B) {{ b0: return }} }}"), "B", "A.m", "A.m");
    let a = "class A { method m(this: A) { b0: return } }";
    selects(&format!("{a} class B extends A {{ private method m(this: B) {{ b0: return }} }}"), "B", "A.m", "A.m");
    let interfaces = "interface I { private method m(this: I) { b0: return } }
                      interface J { method m(this: J) { b0: return } }";
    selects(&format!("{interfaces} class C implements I, J {{}}"), "C", "J.m", "J.m");
    selects(&format!("{interfaces} class C implements J, I {{}}"), "C", "I.m", "I.m");
    let classes = "class A { private method m(this: A) { b0: return } } class B extends A implements J {}";
    selects(&format!("{interfaces} {classes}"), "B", "J.m", "J.m");
}

/// 5.4.6, 2: static methods are not looked at, abstract ones are, and hide defaults.
#[test]
fn the_nearest_declaration_counts() {
    let i = "interface I { method m(this: I) { b0: return } }";
    selects(&format!("{i} class A implements I {{ static method m() {{ b0: return }} }}"), "A", "I.m", "I.m");
    let a = "abstract class A implements I { method m(A) }";
    selects_none(&format!("{i} {a} class B extends A {{}}"), "B", "I.m", Unselected::Abstract);
    let a = "class A { method m(this: A) { b0: return } } abstract class B extends A { method m(B) }";
    selects_none(&format!("{a} class C extends B {{}}"), "C", "A.m", Unselected::Abstract);
    selects(&format!("{a} class C extends B {{ method m(this: C) {{ b0: return }} }}"), "C", "A.m", "C.m");
}

/// 5.4.6, 2, and 6.5, `invokeinterface`.
#[test]
fn interfaces_that_disagree_select_none() {
    let i = "interface I { method m(this: I) { b0: return } } interface J { method m(this: J) { b0: return } }";
    selects_none(&format!("{i} class C implements I, J {{}}"), "C", "I.m", Unselected::Ambiguous);
    // An abstract method below a default one hides it; one beside it does not.
    let j = "interface J implements I { method m(J) }";
    let i = "interface I { method m(this: I) { b0: return } }";
    selects_none(&format!("{i} {j} class C implements I, J {{}}"), "C", "I.m", Unselected::Abstract);
    selects(&format!("{i} interface J {{ method m(J) }} class C implements I, J {{}}"), "C", "J.m", "I.m");
    selects_none("interface I { method m(I) } class C implements I {}", "C", "I.m", Unselected::Abstract);
    let c = "class C implements I { protected method m(this: C) { b0: return } }";
    selects_none(&format!("{i} {c}"), "C", "I.m", Unselected::Inaccessible);
}

#[test]
fn parameters_tell_overloads_apart() {
    let text = "class A { method m(this: A, n: i32) { b0: return } }
                class B extends A { method m(this: B, n: i64) { b0: return } }";
    selects(text, "B", "A.m", "A.m");
}

#[test]
fn a_new_superclass_replaces_the_former() {
    let mut program = program("class A {} class B {} class C extends A {}");
    let [a, b, c] = [0, 1, 2].map(ClassId);
    program.set_superclass(c, b);
    assert_eq!((program.subclasses(a), program.subclasses(b)), (vec![a], vec![b, c]));
    assert!(program.is_subclass(c, b) && !program.is_subclass(c, a));
}

#[test]
fn arrays_are_covariant_in_references() {
    let program = program("arrays A; class A {} class B extends A {}");
    let [a, b] = [0, 1].map(|id| Type::Class(ClassId(id)));
    let (of_a, of_b, of_bool, of_int) =
        (program.array_of(a), program.array_of(b), program.array_of(Type::Bool), program.array_of(Type::Int));
    let nested = program.array_of(of_bool);
    assert!(program.is_assignable(of_b, of_a) && !program.is_assignable(of_a, of_b));
    assert!(program.is_assignable(nested, of_a) && program.is_assignable(of_bool, a));
    assert!(!program.is_assignable(of_bool, of_int) && program.is_assignable(of_int, of_int));
    assert!(!program.is_assignable(of_bool, of_a));
}

#[test]
fn a_diamond_of_interfaces_takes_linear_time() {
    let mut text = String::from("interface I0 {}\n");
    for level in 0..500 {
        let next = level + 1;
        text += &format!("interface L{next} implements I{level} {{}} interface R{next} implements I{level} {{}}\n");
        text += &format!("interface I{next} implements L{next}, R{next} {{}}\n");
    }
    text += "class C implements I500 {}";
    let program = program(&text);
    let [c, i0] = ["C", "I0"].map(|name| program.class_named(name).expect("a class"));
    assert!(program.is_subclass(c, i0) && !program.is_subclass(i0, c));
}
