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
