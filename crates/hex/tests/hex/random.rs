//! Random sentences on random heaps: all procedures agree with the definition. `ABACK_SEEDS=0-100000 cargo test -p
//! aback-hex random` runs many.

use crate::support::{Discovery, Random, World};
use aback_hex::{
    AtomId, Heap, Invariants, Meaning, ObjectNumber, Place, Sentence, Triggered, Truth, definition,
    holds_for_every_order, triggered_in_some_order,
};
use aback_ir::Type;
use rustc_hash::FxHashSet;

/// The most choices of backbones for which the definition is asked.
const FEW: usize = 400;

const ROOTS: &[&str] = &["list", "other", "tree"];
const TYPES: &[&str] = &["Node", "Leaf", "Tree", "Tree[]"];
const LABELS: &[&str] =
    &[".next", ".next", ".prev", ".prev", ".left", ".right", ".parent", ".children", "[]", ".extra", ".(Node.next)"];

fn words(random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 3 } else { 8 }) {
        0..3 => random.pick(LABELS).to_string(),
        3 => words(random, depth - 1) + &words(random, depth - 1),
        4 => format!("({}|{})", words(random, depth - 1), words(random, depth - 1)),
        _ => format!("({}){}", words(random, depth - 1), random.pick(&["*", "+", "?"])),
    }
}

fn path(random: &mut Random, origin: &str) -> String {
    let words = if random.below(5) == 0 { String::new() } else { words(random, 2) };
    format!("{origin}{words}")
}

fn origin(random: &mut Random) -> String {
    match random.below(2) {
        0 => format!("root.{}", random.pick(ROOTS)),
        _ => format!("any ({})", random.pick(TYPES)),
    }
}

fn atom(random: &mut Random) -> String {
    let start = origin(random);
    let first = path(random, &start);
    let second = if random.below(3) == 0 { format!("root.{}", random.pick(ROOTS)) } else { start.clone() };
    let second = path(random, &second);
    let ty = *random.pick(TYPES);
    let companion = match (random.below(3), start.as_str()) {
        (0, "any (Node)" | "any (Leaf)") => " triggers Check.pair",
        (0, "any (Tree)") => " triggers Check.trees",
        (0, "any (Tree[])") => " triggers Check.element",
        (0, _) => " triggers Check.one",
        _ => "",
    };
    let requirement = match random.below(9) {
        0 => "not null".into(),
        1 => "expands to nothing".into(),
        2 => format!("expands to {ty}"),
        3 => "aliases nothing".into(),
        4 => format!("aliases some {ty}"),
        5 | 6 => format!("aliases {second}"),
        _ => format!("aliases max {second}"),
    };
    format!("{first} {requirement}{companion}")
}

pub fn sentence(random: &mut Random, depth: usize) -> String {
    let part = |random: &mut Random| sentence(random, depth - 1);
    match if depth == 0 { 0 } else { random.below(6) } {
        0 | 1 => atom(random),
        2 => format!("({} and {})", part(random), part(random)),
        3 => format!("({} or {})", part(random), part(random)),
        4 => format!("({} implies {})", part(random), part(random)),
        _ => format!("not {}", part(random)),
    }
}

/// The places of references in a new object.
pub fn places(world: &World, random: &mut Random, object: ObjectNumber, exact: Type) -> Vec<(Place, Type)> {
    match exact {
        Type::Class(class) => {
            let fields = world.program.instance_fields(class);
            let references = fields.iter().map(|&field| (field, world.program.field(field).ty));
            references
                .filter(|(_, ty)| ty.is_reference())
                .map(|(field, ty)| (Place::Field(object, field), ty))
                .collect()
        }
        Type::Array(array) => {
            let element = world.program.element_type(array);
            (0..random.below(3)).map(|_| (Place::Element(object), element)).collect()
        }
        _ => Vec::new(),
    }
}

/// Discovers a random heap in a random order, and calls `seen` after each reference.
pub fn discover(
    world: &World,
    invariants: &Invariants,
    random: &mut Random,
    mut seen: impl FnMut(&Discovery),
) -> Discovery {
    let mut found = Discovery::new(invariants);
    let most = 2 + random.below(4);
    let types: Vec<Type> = TYPES.iter().map(|name| world.ty(name)).collect();
    let root = |name: &&str| {
        let root = invariants.root_named(name).unwrap();
        (Place::Root(root), world.roots[root.index()].1)
    };
    let mut open: Vec<(Place, Type)> = ROOTS.iter().map(root).collect();
    while !open.is_empty() {
        let (place, ty) = open.swap_remove(random.below(open.len()));
        let exact = found.heap.types().iter().enumerate();
        let aliases: Vec<ObjectNumber> = exact
            .filter(|(_, exact)| world.program.is_assignable(**exact, ty))
            .map(|(number, _)| ObjectNumber(number as u32))
            .collect();
        let fitting: Vec<Type> =
            types.iter().copied().filter(|&exact| world.program.is_assignable(exact, ty)).collect();
        let meaning = match random.below(6) {
            0..3 if found.heap.types().len() < most => Meaning::New(*random.pick(&fitting)),
            0..5 if !aliases.is_empty() => Meaning::Alias(*random.pick(&aliases)),
            _ => Meaning::Null,
        };
        let new = found.refer(world, invariants, place, meaning);
        if let (Some(number), Meaning::New(exact)) = (new, meaning) {
            open.extend(places(world, random, number, exact));
        }
        seen(&found);
    }
    found
}

#[derive(Default, Debug)]
struct Counts {
    cases: usize,
    holds: usize,
    rejected_early: usize,
    satisfied_early: usize,
    all_orders: usize,
    holds_for_all: usize,
    orders_differ: usize,
    calls_differ: usize,
}

/// The companion methods that a reference triggers on a backbone, by the definition.
fn triggered(
    world: &World,
    invariants: &Invariants,
    (heap, backbone): (&Heap, &definition::Backbone),
    reference: usize,
) -> Vec<Triggered> {
    let reached = heap.references()[reference].target;
    let mut expected = Vec::new();
    for (atom, declared) in (0..).map(AtomId).zip(invariants.atoms()) {
        let Some(method) = declared.companion else { continue };
        let param = *world.program.method(method).params.last().unwrap();
        let exact = reached.map(|object| heap.types()[object.index()]);
        if exact.is_none_or(|exact| world.program.is_assignable(exact, param)) {
            let origins = definition::origins(&world.program, heap, backbone, &declared.path, reference);
            expected.extend(origins.into_iter().map(|origin| Triggered { atom, method, origin, reached }));
        }
    }
    expected
}

/// Checks one heap and one sentence.
fn check(world: &World, text: &str, random: &mut Random, counts: &mut Counts) {
    let invariants = world.parse(text);
    let is_conjunction = invariants.sentences().iter().all(Sentence::is_conjunction);
    let mut verdicts = Vec::new();
    let mut calls: FxHashSet<Triggered> = FxHashSet::default();
    let found = discover(world, &invariants, random, |prefix| {
        let (verdict, holds) = (prefix.partial.verdict(&invariants), prefix.holds(world, &invariants));
        assert_eq!(prefix.partial.finished(&invariants), holds, "{text} on {:?}", prefix.heap);
        assert!(!is_conjunction || (verdict == Truth::False) != holds, "{text} on {:?}", prefix.heap);
        let last = prefix.heap.references().len() - 1;
        let expected = triggered(world, &invariants, (&prefix.heap, &prefix.backbone), last);
        calls.extend(expected.iter().copied());
        assert_eq!(prefix.partial.triggered(&invariants, &world.program), expected, "{text} on {:?}", prefix.heap);
        verdicts.push(verdict);
    });
    let context = format!("{text} on {:?}", found.heap);
    let holds = found.holds(world, &invariants);
    // What was decided on a prefix stays true.
    assert!(verdicts.iter().all(|&verdict| verdict == Truth::Unknown || verdict == Truth::from(holds)), "{context}");
    counts.cases += 1;
    counts.holds += usize::from(holds);
    let decided_at = verdicts.iter().position(|&verdict| verdict != Truth::Unknown);
    if decided_at.is_some_and(|at| at + 1 < verdicts.len()) {
        *if holds { &mut counts.satisfied_early } else { &mut counts.rejected_early } += 1;
    }
    if let Ok(backbones) = definition::backbones(&found.heap, FEW) {
        let called = triggered_in_some_order(&invariants, &world.program, &found.partial.heap(), 100_000);
        let references = || 0..found.heap.references().len();
        let on_each = backbones.iter().flat_map(|backbone| {
            references().flat_map(|reference| triggered(world, &invariants, (&found.heap, backbone), reference))
        });
        let on_each: FxHashSet<Triggered> = on_each.collect();
        counts.calls_differ += usize::from(on_each.len() > calls.len());
        assert_eq!(called, Ok(on_each), "{context}");
        let always = found.holds_always(world, &invariants);
        let decided = holds_for_every_order(&invariants, &world.program, &found.partial.heap(), 100_000);
        assert_eq!(decided, Ok(always), "{context}");
        counts.all_orders += 1;
        counts.holds_for_all += usize::from(always);
        counts.orders_differ += usize::from(holds && !always);
    }
}

#[test]
fn random_heaps() {
    let world = World::new();
    let text = std::env::var("ABACK_SEEDS").unwrap_or_else(|_| "0-6000".into());
    let (first, end) = text.split_once('-').expect("FIRST-END");
    let mut counts = Counts::default();
    for seed in first.parse().unwrap()..end.parse().unwrap() {
        let mut random = Random(seed);
        let mut text = format!("{};", sentence(&mut random, 2));
        if random.below(4) == 0 {
            text = format!("{} and {}; {text}", atom(&mut random), atom(&mut random));
        }
        check(&world, &text, &mut random, &mut counts);
    }
    // The cases are of all kinds.
    let Counts {
        cases,
        holds,
        rejected_early,
        satisfied_early,
        all_orders,
        holds_for_all,
        orders_differ,
        calls_differ,
    } = counts;
    let rare = [holds, cases - holds, rejected_early, satisfied_early, holds_for_all, all_orders - holds_for_all];
    assert!(
        rare.iter().all(|&count| count > cases / 50) && orders_differ > cases / 200 && calls_differ > cases / 200,
        "{counts:?}"
    );
}
