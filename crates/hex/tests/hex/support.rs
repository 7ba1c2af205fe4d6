//! The program of the tests, a notation for heaps, and the comparison of all procedures.

use aback_hex::{Heap, Invariants, Meaning, ObjectNumber, Partial, Place, Truth, definition, holds_for_every_order};
use aback_ir::{FieldId, FileId, Program, Type};
use std::collections::BTreeMap;

const PROGRAM: &str = "
class Node {
  field next: Node
  field prev: Node
  field value: i32
}
class Leaf extends Node {
  field extra: Tree
}
class Tree {
  field left: Tree
  field right: Tree
  field parent: Tree
  field children: Tree[]
  field next: Node
}
class app.Config {
  static field first: Node
}
class Check {
  static method one(n: Node) -> bool
  static method tree(n: Tree) -> bool
  static method pair(start: Node, n: Node) -> bool
  static method trees(start: Tree, n: Tree) -> bool
  static method element(start: Tree[], n: Node) -> bool
  static method ordered(node: Node, next: Node) -> bool
  static method both(n: Node) -> bool
  static method both(n: Tree) -> bool
  static method wrong(n: Node) -> i32
  method instance(this: Check, n: Node) -> bool
}
";

/// The most choices that the definition may list.
pub const LIMIT: usize = 100_000;

/// The program, with roots of several types.
pub struct World {
    pub program: Program,
    pub roots: Vec<(String, Type)>,
}

impl World {
    pub fn new() -> World {
        let program = aback_ir::text::parse(PROGRAM).unwrap();
        let class = |name| Type::Class(program.class_named(name).unwrap());
        let roots = [("list", class("Node")), ("other", class("Node")), ("tree", class("Tree"))];
        let mut roots: Vec<(String, Type)> = roots.map(|(name, ty)| (name.to_string(), ty)).to_vec();
        roots.push(("app.Config.first".into(), class("Node")));
        roots.push(("number".into(), Type::Int));
        World { program, roots }
    }

    pub fn ty(&self, name: &str) -> Type {
        match name.strip_suffix("[]") {
            Some(element) => self.program.array_of(self.ty(element)),
            None => Type::Class(self.program.class_named(name).unwrap()),
        }
    }

    pub fn field(&self, exact: Type, name: &str) -> FieldId {
        let Type::Class(class) = exact else { panic!("arrays have no fields") };
        self.program.find_field(class, name).unwrap()
    }

    pub fn parse(&self, text: &str) -> Invariants {
        Invariants::parse(&self.program, &self.roots, FileId(0), text)
            .unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
    }

    /// The first message about a text, with its place and advice.
    pub fn problem(&self, text: &str) -> String {
        let problems = Invariants::parse(&self.program, &self.roots, FileId(0), text).unwrap_err();
        let problem = &problems[0];
        let help = problem.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{}+{}: {}{help}", problem.span, problem.span.length, problem.message)
    }

    /// Discovers a heap in the order of its text: `list->a; a.next->b:Leaf; b.next->null; t.children->r:Tree[];
    /// r[]->t`. Objects are of class `Node`, unless they have another type where they are first named.
    pub fn discover(&self, invariants: &Invariants, text: &str) -> Discovery {
        let mut discovery = Discovery::new(invariants);
        let mut numbers: BTreeMap<&str, ObjectNumber> = BTreeMap::new();
        for reference in text.split(';').map(str::trim).filter(|reference| !reference.is_empty()) {
            let (place, target) = reference.split_once("->").unwrap();
            let place = if let Some(array) = place.strip_suffix("[]") {
                Place::Element(numbers[array])
            } else if let Some((object, field)) =
                place.split_once('.').filter(|(object, _)| numbers.contains_key(object))
            {
                let number = numbers[object];
                Place::Field(number, self.field(discovery.partial.exact_type(number).unwrap(), field))
            } else {
                Place::Root(invariants.root_named(place).unwrap())
            };
            let (name, ty) = target.split_once(':').unwrap_or((target, "Node"));
            let meaning = match (name, numbers.get(name)) {
                ("null", _) => Meaning::Null,
                (_, Some(&number)) => Meaning::Alias(number),
                (_, None) => Meaning::New(self.ty(ty)),
            };
            if let Some(number) = discovery.refer(self, invariants, place, meaning) {
                numbers.insert(name, number);
            }
        }
        discovery
    }
}

/// A partial heap, and what the definition needs to know about it.
#[derive(Clone)]
pub struct Discovery {
    pub partial: Partial,
    pub heap: Heap,
    pub backbone: definition::Backbone,
}

impl Discovery {
    pub fn new(invariants: &Invariants) -> Discovery {
        Discovery { partial: Partial::new(invariants), heap: Heap::default(), backbone: Vec::new() }
    }

    pub fn refer(
        &mut self,
        world: &World,
        invariants: &Invariants,
        place: Place,
        meaning: Meaning,
    ) -> Option<ObjectNumber> {
        let new = self.partial.refer(invariants, &world.program, place, meaning).unwrap();
        let target = match meaning {
            Meaning::Null => None,
            Meaning::Alias(target) => Some(target),
            Meaning::New(exact) => {
                self.backbone.push(Some(self.heap.references().len()));
                Some(self.heap.add_object(exact))
            }
        };
        self.heap.add_reference(place, target).unwrap();
        new
    }

    /// Whether all sentences hold on the backbone, by the definition.
    pub fn holds(&self, world: &World, invariants: &Invariants) -> bool {
        let holds = |sentence| definition::holds_on(invariants, &world.program, &self.heap, &self.backbone, sentence);
        invariants.sentences().iter().all(holds)
    }

    /// Whether all sentences hold on all backbones, by the definition.
    pub fn holds_always(&self, world: &World, invariants: &Invariants) -> bool {
        let holds = |sentence| definition::holds(invariants, &world.program, &self.heap, sentence, LIMIT).unwrap();
        invariants.sentences().iter().all(holds)
    }
}

/// Checks whether sentences hold on a heap, in the order of discovery of its text and in all orders. All procedures
/// have to agree.
pub fn check(text: &str, heap: &str, on_this_backbone: bool, on_all: bool) {
    check_in(&World::new(), text, heap, on_this_backbone, on_all);
}

/// The same for another program.
pub fn check_in(world: &World, text: &str, heap: &str, on_this_backbone: bool, on_all: bool) {
    let invariants = world.parse(text);
    let found = world.discover(&invariants, heap);
    let context = format!("{text} on {heap}");
    assert_eq!(found.holds(world, &invariants), on_this_backbone, "the definition: {context}");
    assert_eq!(found.partial.finished(&invariants), on_this_backbone, "incrementally: {context}");
    if !on_this_backbone && invariants.sentences().iter().all(aback_hex::Sentence::is_conjunction) {
        assert_eq!(found.partial.verdict(&invariants), Truth::False, "{context}");
    }
    assert_eq!(found.holds_always(world, &invariants), on_all, "the definition, for all orders: {context}");
    let decided = holds_for_every_order(&invariants, &world.program, &found.partial.heap(), LIMIT);
    assert_eq!(decided, Ok(on_all), "for all orders: {context}");
}

/// A pseudo-random generator (splitmix64), so that failures can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }
}
