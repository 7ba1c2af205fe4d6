//! A program that several threads let grow at once.

use crate::{method, program};
use std::thread;

#[test]
fn whoever_adds_a_method_finds_it_counted() {
    let program = program("class A { static method f() { b0: return } }");
    let added = program.method(method(&program, "A.f")).clone();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200_000 {
                    let id = program.new_method(added.clone());
                    assert!(id.index() < program.method_count(), "method {} is not counted", id.index());
                }
            });
        }
    });
    assert_eq!(program.method_count(), 800_001);
}
