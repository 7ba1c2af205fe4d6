//! Heaps as programs print them, for tests of the shipped invariants.

use aback_core::InvariantFile;
use aback_hex::{Heap, Invariants, ObjectNumber, Place, RootId, holds_for_every_order};
use aback_ir::{FileId, Program, Type};
use std::collections::HashMap;

/// Parses shipped invariants.
pub fn parse(program: &Program, name: &str, roots: &[(String, Type)]) -> Invariants {
    let file = InvariantFile::shipped(&format!("shipped:{name}")).unwrap().unwrap();
    Invariants::parse(program, roots, FileId(0), &file.text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

/// Checks heaps, each after a line `heap NAME good` or `heap NAME bad`: whether they satisfy the shipped invariants of that
/// name. `ty` is the type with the name that an object has in the lines. Gives the number of heaps of each kind.
pub fn check<'t>(text: &'t str, program: &Program, ty: impl Fn(&str) -> Type) -> HashMap<(&'t str, bool), usize> {
    let mut seen: HashMap<(&'t str, bool), usize> = HashMap::new();
    for block in text.split("heap ").skip(1) {
        let mut lines = block.lines();
        let (name, kind) = lines.next().unwrap().split_once(' ').unwrap();
        let is_good = kind == "good";
        let lines: Vec<&str> = lines.collect();
        let roots = lines.iter().filter(|line| line.starts_with("root\t")).count();
        let roots: Vec<(String, Type)> = (0..roots).map(|root| (format!("root{root}"), Type::Null)).collect();
        let invariants = parse(program, name, &roots);
        let heap = heap(program, &lines, &ty);
        let holds = holds_for_every_order(&invariants, program, &heap, 1_000_000);
        assert_eq!(holds, Ok(is_good), "{block}");
        *seen.entry((name, is_good)).or_default() += 1;
    }
    seen
}

/// A heap in lines of words that tabs separate: `root ID`, and `ID TYPE NAME=TARGET…`, where a target is an id or `null`
/// and fields are called `CLASS.FIELD`.
fn heap(program: &Program, lines: &[&str], ty: &impl Fn(&str) -> Type) -> Heap {
    let mut heap = Heap::default();
    let mut numbers: HashMap<&str, ObjectNumber> = HashMap::new();
    let objects = || lines.iter().map(|line| line.split('\t')).filter(|words| words.clone().next() != Some("root"));
    for mut words in objects() {
        let (id, exact) = (words.next().unwrap(), words.next().unwrap());
        numbers.insert(id, heap.add_object(ty(exact)));
    }
    let roots = lines.iter().filter_map(|line| line.strip_prefix("root\t"));
    for (root, id) in roots.enumerate() {
        heap.add_reference(Place::Root(RootId(root as u32)), Some(numbers[id])).unwrap();
    }
    for mut words in objects() {
        let id = numbers[words.next().unwrap()];
        for reference in words.skip(1) {
            let (name, target) = reference.split_once('=').unwrap();
            let target = (target != "null").then(|| numbers[target]);
            let place = match name.rsplit_once('.') {
                Some((class, field)) => {
                    let Type::Class(class) = ty(class) else { panic!("{class} has no fields") };
                    Place::Field(id, program.find_field(class, field).unwrap_or_else(|| panic!("no field {name}")))
                }
                None => Place::Element(id),
            };
            heap.add_reference(place, target).unwrap();
        }
    }
    heap
}
