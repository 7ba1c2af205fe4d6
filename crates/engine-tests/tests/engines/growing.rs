//! Features that Java programs need: traps that call code, arrays as inputs, bounds, and classes that are loaded
//! later.

use crate::common::{
    AMPLE, backward_verdict, backward_ways, check_ir, entry_of, everything, exploration, ir, limited, shown, verdict,
};
use aback_ir::{Body, Class, ClassId, Loader, MethodId, Program, Type};
use aback_symbolic::{Query, Uncaught};
use std::sync::Arc;

const TRAPS: &str = "indices i32
    trap IndexOutOfBounds Bad by Main::bad
    trap DivisionByZero Div by Main::zero
    trap NullDereference Error
    trap NegativeArraySize Error
    trap BadArrayStore Error
    class Error { field index: i32 }
    class Bad extends Error { }
    class Div extends Error { }
    class Main {
        static method bad(index: i32, length: i32) { local e: Bad
            b0: e := new Bad
                e.Error::index := index * 100i32 + length
                throw e
        }
        static method zero() { local e: Div
            b0: e := new Div
                throw e
        }
        static method main(i: i32) { local a: i32[]; local x: i32; local e: Bad; local other: Error
";

#[track_caller]
fn check_traps(body: &str, expected: &str) {
    check_ir(&format!("{TRAPS}{body} }} }}"), expected);
}

#[test]
fn traps_call_the_code_that_throws_for_them() {
    check_traps(
        "b0: on Bad(e) goto b1
             a := new i32[3i32]
             x := a[i]
             return
         b1: x := e.Error::index
             assert x == i * 100i32 + 3i32
             return",
        "holds",
    );
    check_traps(
        "b0: on Bad(e) goto b1
             a := new i32[3i32]
             x := a[i]
             return
         b1: x := e.Error::index
             assert x != 703i32
             return",
        "violated: assert at 0",
    );
    // This handler does not catch the exception.
    check_traps(
        "b0: on Div(other) goto b1
             a := new i32[3i32]
             x := a[i]
             return
         b1: return",
        "violated: index out of bounds at 0",
    );
    // A handler throws the exception again.
    check_traps(
        "b0: on Div(other) goto b1
             x := 1i32 div i
             return
         b1: throw other",
        "violated: division by zero at 0",
    );
}

#[track_caller]
fn check_query(text: &str, assertions: bool, uncaught: impl Fn(&Program) -> Uncaught, expected: &str) {
    let program = ir(text);
    let query = Query { entry: entry_of(&program), assertions, uncaught: uncaught(&program), at: None };
    let exploration = exploration(&program, &query, &limited(AMPLE), &aback_smt::Config::default());
    assert_eq!(shown(&program, &exploration), expected, "{text}");
}

#[test]
fn a_query_says_what_counts_as_a_violation() {
    let text = format!("{TRAPS} b0: assert i > 0i32; x := 1i32 div (i - 5i32); return }} }}");
    let class = |name: &'static str| move |program: &Program| Uncaught::InstancesOf(program.class_named(name).unwrap());
    check_query(&text, true, |_| Uncaught::Never, "violated: assert at 0");
    check_query(&text, false, |_| Uncaught::Never, "holds");
    check_query(&text, false, |_| Uncaught::Any, "violated: division by zero at 0");
    check_query(&text, false, class("Div"), "violated: division by zero at 0");
    check_query(&text, false, class("Error"), "violated: division by zero at 0");
    check_query(&text, false, class("Bad"), "holds");
}

#[test]
fn a_bound_of_the_model_is_a_gap() {
    check_traps(
        "b0: if i < 16i32 goto b1 else b2
         b1: return
         b2: bound \"strings of at most 16 characters\"",
        "gaps: strings of at most 16 characters",
    );
}

#[test]
fn elements_of_new_arrays_can_be_inputs() {
    check_traps(
        "b0: a := nondet i32[3i32]
             x := a[2i32]
             assert x != 77i32
             return",
        "violated: assert at 0",
    );
    check_traps(
        "b0: assume i >= 2i32 & i < 5i32
             a := nondet i32[i]
             a[0i32] := 5i32
             x := a[1i32]
             assert x != i + 70i32
             return",
        "violated: assert at 0",
    );
    check_traps(
        "b0: assume i >= 2000i32
             a := nondet i32[i]
             x := a[1999i32]
             assert x != i
             return",
        "violated: assert at 0",
    );
    check_traps(
        "b0: assume i >= 2i32 & i < 5i32
             a := nondet i32[i]
             x := a[i - 1i32]
             a[i - 1i32] := x + 1i32
             assert x < 2147483647i32 ? a.length == i : true
             return"
            .replace("a.length == i", "i > 1i32")
            .as_str(),
        "holds",
    );
}

#[test]
fn switches_of_machine_integers() {
    check_traps(
        "b0: x := 40000i32
             switch x - 1i32 [0i32 -> b1, 39999i32 -> b2, 5i32 -> b1] else b1
         b1: assert false
             return
         b2: switch i [-1i32 -> b3, 7i32 -> b4] else b3
         b3: return
         b4: assert i == 7i32
             return"
            .replace("0i32 -> b1, 39999i32 -> b2, 5i32 -> b1", "0 -> b1, 39999 -> b2, 5 -> b1")
            .replace("-1i32 -> b3, 7i32 -> b4", "-1 -> b3, 7 -> b4")
            .as_str(),
        "holds",
    );
}

#[test]
fn functions_of_floats_are_exact() {
    let check = |body: &str, expected: &str| {
        let traps = TRAPS.replace("(i: i32)", "(d: f64, f: f32, n: i32)");
        let program = ir(&format!("{traps} b0: {body}; return }} }}"));
        // Solvers take long for floats, so that not all settings are tried.
        assert_eq!(verdict(&program), expected, "{body}");
        assert_eq!(backward_verdict(&program, &everything(&program), backward_ways()[0], AMPLE), expected, "{body}");
    };
    check("assert abs d >= 0.0f64 | d != d", "holds");
    check("assume floor d == 3.0f64; assert d >= 3.0f64 & d < 4.0f64", "holds");
    check("assume ceil d == 3.0f64; assert d > 2.5f64", "violated: assert at 0");
    check("assume rint d == 4.0f64; assert d != 3.5f64", "violated: assert at 0");
    check("assume rint d == 4.0f64; assert d != 4.5f64", "violated: assert at 0");
    check("assume d == 4.0f64; assert sqrt d != 2.0f64", "violated: assert at 0");
    check("assume (f bits i32 from f32) == 1065353216i32; assert f == 1.0f32", "holds");
    check("assert ((n bits f32 from i32) bits i32 from f32) == n", "violated: assert at 0");
    check("assume (n bits f32 from i32) == 1.0f32; assert n == 1065353216i32", "holds");
}

/// A textual program whose loader supplies further classes on demand: `Later`, which extends `Base`, and `Final`.
struct Lazy;

impl Loader for Lazy {
    fn has_class(&self, name: &str) -> bool {
        ["Later", "Final"].contains(&name)
    }

    fn class(&self, program: &Program, id: ClassId) -> Class {
        let name = program.class_name(id).to_string();
        let base = program.class_named("Base");
        let mut class = Class { superclass: base, is_abstract: false, ..Class::missing(name.clone()) };
        class.is_final = name == "Final";
        let field = aback_ir::Field {
            name: "own".into(),
            class: id,
            ty: Type::Class(id),
            is_static: false,
            span: aback_ir::Span::NONE,
        };
        class.fields = vec![program.new_field(field)];
        class
    }

    fn body(&self, _: &Program, _: MethodId) -> Option<Body> {
        None
    }
}

#[track_caller]
fn check_lazy(main: &str, expected: &str) {
    let mut program = ir(&format!(
        "indices i32
        class Base {{ field n: i32 }}
        library class Later {{ }}
        library class Sub extends Later {{ }}
        library final class Final {{ }}
        class Main {{ {main} }}"
    ));
    program.set_loader(Arc::new(Lazy));
    let query = Query { entry: entry_of(&program), assertions: true, uncaught: Uncaught::Never, at: None };
    let exploration = exploration(&program, &query, &limited(AMPLE), &aback_smt::Config::default());
    assert_eq!(shown(&program, &exploration), expected, "{main}");
}

/// Checks whether an input of a type can be an object of an unrelated class.
#[track_caller]
fn check_unrelated(ty: &str, expected: &str) {
    check_lazy(
        &format!(
            "static method main(a: {ty}) {{ local c: bool
             b0: c := a instanceof Main
                 assert !c
                 return }}"
        ),
        expected,
    );
}

#[test]
fn inputs_of_library_types_are_of_loaded_classes() {
    check_unrelated("Base", "holds");
    check_unrelated("Later", "holds");
    check_unrelated("Final", "holds");
}

/// Classes of a library that nobody has loaded do not pass tests for other types, like an object of nothing but the static
/// type. The bound is named where the types of the library may pass the test, or where something else depends on the type.
#[test]
fn types_that_are_not_considered() {
    let tested = |of: &str, by: &str, expected: &str| {
        check_lazy(
            &format!(
                "static method main(a: {of}) {{ local c: bool
                 b0: c := a instanceof {by}
                     if c goto b1 else b2
                 b1: assert c
                     return
                 b2: return }}"
            ),
            expected,
        );
    };
    let bound = "gaps: inputs of type Later are instances of loaded classes";
    tested("Later", "Base", "holds");
    tested("Later", "Later", "holds");
    tested("Later", "Sub", bound);
}
