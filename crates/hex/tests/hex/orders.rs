//! The limits of the decision for every order of discovery, and long lists.

use crate::support::World;
use aback_hex::{Heap, Invariants, Meaning, ObjectNumber, Partial, Place, TooLarge, holds_for_every_order};

fn lattice(world: &World, invariants: &Invariants, rows: usize) -> Heap {
    let node = world.ty("Node");
    let (next, prev) = (world.field(node, "next"), world.field(node, "prev"));
    let mut heap = Heap::default();
    let mut row = [heap.add_object(node), heap.add_object(node)];
    heap.add_reference(Place::Root(invariants.root_named("list").unwrap()), Some(row[0])).unwrap();
    heap.add_reference(Place::Root(invariants.root_named("other").unwrap()), Some(row[1])).unwrap();
    for _ in 0..rows {
        let below = [heap.add_object(node), heap.add_object(node)];
        for object in row {
            heap.add_reference(Place::Field(object, next), Some(below[0])).unwrap();
            heap.add_reference(Place::Field(object, prev), Some(below[1])).unwrap();
        }
        row = below;
    }
    heap
}

#[test]
fn too_many_orders_are_an_error() {
    let world = World::new();
    for text in ["root.list(.next|.prev)* not null;", "root.list not null or root.other not null;"] {
        let invariants = world.parse(text);
        let heap = lattice(&world, &invariants, 40);
        assert_eq!(holds_for_every_order(&invariants, &world.program, &heap, 2_000), Err(TooLarge));
    }
    // Where no path leads on, nothing is searched.
    let invariants = world.parse("root.tree(.left)* not null;");
    let heap = lattice(&world, &invariants, 40);
    assert_eq!(holds_for_every_order(&invariants, &world.program, &heap, 2_000), Ok(true));
}

/// Heaps with many objects, each of which can be reached in few ways, are decided. The recursion fits the stack of a
/// thread.
#[test]
fn many_objects() {
    let world = World::new();
    let invariants = world.parse("");
    let node = world.ty("Node");
    let (next, prev) = (world.field(node, "next"), world.field(node, "prev"));
    let mut heap = Heap::default();
    let nodes: Vec<ObjectNumber> = (0..1000).map(|_| heap.add_object(node)).collect();
    heap.add_reference(Place::Root(invariants.root_named("list").unwrap()), Some(nodes[0])).unwrap();
    for pair in nodes.windows(2) {
        heap.add_reference(Place::Field(pair[0], next), Some(pair[1])).unwrap();
        heap.add_reference(Place::Field(pair[1], prev), Some(pair[0])).unwrap();
    }
    let decide = |text| holds_for_every_order(&world.parse(text), &world.program, &heap, 20_000);
    assert_eq!(decide("root.list(.next)+ aliases nothing and any Node.next.prev aliases any Node;"), Ok(true));
    assert_eq!(decide("root.list(.next)+(.prev)+ not null or root.list not null;"), Ok(true));
    assert_eq!(decide("not root.list(.next)+ aliases nothing;"), Ok(false));
}

/// A list of 100,000 nodes takes a moment: no reference costs more than the first.
#[test]
fn long_lists() {
    let world = World::new();
    let text = "root.list(.next)+ not null; root.list(.next)+ aliases root.list; any Node.next.prev aliases any Node;";
    let invariants = world.parse(text);
    let node = world.ty("Node");
    let (next, prev) = (world.field(node, "next"), world.field(node, "prev"));
    let mut heap = Partial::new(&invariants);
    let mut refer = |place, meaning| heap.refer(&invariants, &world.program, place, meaning).unwrap();
    let mut last = refer(Place::Root(invariants.root_named("list").unwrap()), Meaning::New(node)).unwrap();
    for _ in 0..100_000 {
        let new = refer(Place::Field(last, next), Meaning::New(node)).unwrap();
        refer(Place::Field(new, prev), Meaning::Alias(last));
        last = new;
    }
    assert!(heap.finished(&invariants));
    assert_eq!(holds_for_every_order(&invariants, &world.program, &heap.heap(), 2_000), Err(TooLarge));
}
