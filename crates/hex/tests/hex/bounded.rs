//! Bounded model finding: a formula has a model exactly if some completion with few objects satisfies the sentences.

use crate::random::{discover, places, sentence};
use crate::support::{Random, World};
use aback_hex::bounded::completion;
use aback_hex::conditional::Formulas;
use aback_hex::{Invariants, Meaning, ObjectNumber, Partial, Place, RootId, Truth};
use aback_ir::Type;

/// Clauses over variables that count from 1; a negative number is a negation. Variable 1 is true.
struct Clauses {
    variables: i32,
    clauses: Vec<Vec<i32>>,
}

impl Clauses {
    fn new() -> Clauses {
        Clauses { variables: 1, clauses: vec![vec![1]] }
    }

    /// Whether an assignment satisfies all clauses: unit propagation, then both values of a variable.
    fn is_satisfiable(&self, mut values: Vec<i8>) -> bool {
        loop {
            let mut changed = false;
            for clause in &self.clauses {
                let value = |literal: i32| values[literal.unsigned_abs() as usize] * literal.signum() as i8;
                if clause.iter().any(|&literal| value(literal) > 0) {
                    continue;
                }
                let mut free = clause.iter().copied().filter(|&literal| value(literal) == 0);
                match (free.next(), free.next()) {
                    (None, _) => return false,
                    (Some(literal), None) => {
                        values[literal.unsigned_abs() as usize] = literal.signum() as i8;
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                break;
            }
        }
        let Some(free) = (1..values.len()).find(|&variable| values[variable] == 0) else { return true };
        [1, -1].into_iter().any(|value| {
            let mut values = values.clone();
            values[free] = value;
            self.is_satisfiable(values)
        })
    }
}

impl Formulas for Clauses {
    type Formula = i32;

    fn constant(&mut self, value: bool) -> i32 {
        if value { 1 } else { -1 }
    }

    fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    fn not(&mut self, formula: i32) -> i32 {
        -formula
    }

    fn and(&mut self, left: i32, right: i32) -> i32 {
        match (left, right) {
            (1, other) | (other, 1) => other,
            (-1, _) | (_, -1) => -1,
            _ => {
                let both = self.variable();
                self.clauses.extend([vec![-both, left], vec![-both, right], vec![both, -left, -right]]);
                both
            }
        }
    }

    fn or(&mut self, left: i32, right: i32) -> i32 {
        -self.and(-left, -right)
    }
}

fn has_model(world: &World, invariants: &Invariants, partial: &Partial, scope: usize) -> bool {
    let mut clauses = Clauses::new();
    let formula = completion(&mut clauses, invariants, &world.program, partial, scope).unwrap();
    clauses.clauses.push(vec![formula]);
    let values = vec![0; clauses.variables as usize + 1];
    clauses.is_satisfiable(values)
}

/// Tries all completions: which open reference discovers a new object next, and then what all others are.
struct Enumeration<'a> {
    world: &'a World,
    invariants: &'a Invariants,
    scope: usize,
    steps: usize,
}

impl Enumeration<'_> {
    const MOST_STEPS: usize = 200_000;

    /// Whether a completion satisfies the sentences; `None` if there are too many.
    fn exists(&mut self, partial: &Partial, open: &[(Place, Type)]) -> Option<bool> {
        if self.aliases(partial, open)? {
            return Some(true);
        }
        if partial.heap().types().len() >= self.scope {
            return Some(false);
        }
        for (index, &(place, declared)) in open.iter().enumerate() {
            for name in ["Node", "Leaf", "Tree"] {
                let exact = self.world.ty(name);
                if !self.world.program.is_assignable(exact, declared) {
                    continue;
                }
                let mut next = partial.clone();
                let meaning = Meaning::New(exact);
                let new = next.refer(self.invariants, &self.world.program, place, meaning).unwrap().unwrap();
                let mut rest = open.to_vec();
                rest.remove(index);
                rest.extend(places(self.world, &mut Random(0), new, exact));
                if self.exists(&next, &rest)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Whether a completion without new objects satisfies the sentences.
    fn aliases(&mut self, partial: &Partial, open: &[(Place, Type)]) -> Option<bool> {
        self.steps += 1;
        if self.steps > Self::MOST_STEPS {
            return None;
        }
        if partial.verdict(self.invariants) == Truth::False {
            return Some(false);
        }
        let Some((&(place, declared), rest)) = open.split_first() else {
            return Some(partial.finished(self.invariants));
        };
        let heap = partial.heap();
        let objects = heap.types().iter().enumerate();
        let fitting = objects.filter(|(_, exact)| self.world.program.is_assignable(**exact, declared));
        let aliases = fitting.map(|(object, _)| Meaning::Alias(ObjectNumber(object as u32)));
        for meaning in [Meaning::Null].into_iter().chain(aliases) {
            let mut next = partial.clone();
            next.refer(self.invariants, &self.world.program, place, meaning).unwrap();
            if self.aliases(&next, rest)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The places of a partial heap that have no reference yet. Arrays have no elements here.
fn open_places(world: &World, invariants: &Invariants, partial: &Partial) -> Vec<(Place, Type)> {
    let heap = partial.heap();
    let roots = invariants.roots().iter().enumerate().map(|(root, (_, ty))| (Place::Root(RootId(root as u32)), *ty));
    let roots = roots.filter(|(_, ty)| ty.is_reference());
    let objects = heap.types().iter().enumerate();
    let fields = objects.flat_map(|(object, &exact)| match exact {
        Type::Class(_) => places(world, &mut Random(0), ObjectNumber(object as u32), exact),
        _ => Vec::new(),
    });
    let all = roots.chain(fields);
    all.filter(|(place, _)| heap.references().iter().all(|reference| reference.place != *place)).collect()
}

#[test]
fn formulas_have_models_exactly_if_completions_exist() {
    let world = World::new();
    let (mut satisfiable, mut unsatisfiable, mut needs_more) = (0, 0, 0);
    for seed in 0..700 {
        let mut random = Random(seed);
        let text = format!("{};", sentence(&mut random, 2));
        // Arrays have as many elements as the enumeration says: none.
        if text.contains("[]") || text.contains("children") {
            continue;
        }
        let invariants = world.parse(&text);
        let mut prefixes = Vec::new();
        discover(&world, &invariants, &mut random, |prefix| prefixes.push(prefix.partial.clone()));
        for partial in prefixes {
            let known = partial.heap().types().len();
            if known > 2 {
                break;
            }
            let open = open_places(&world, &invariants, &partial);
            let mut found = Vec::new();
            for scope in [known, known + 1] {
                let mut enumeration = Enumeration { world: &world, invariants: &invariants, scope, steps: 0 };
                let Some(expected) = enumeration.exists(&partial, &open) else { break };
                let context = || format!("{text} with {scope} objects on {:?}", partial.heap());
                assert_eq!(has_model(&world, &invariants, &partial, scope), expected, "{}", context());
                *if expected { &mut satisfiable } else { &mut unsatisfiable } += 1;
                found.push(expected);
            }
            needs_more += usize::from(found == [false, true]);
        }
    }
    println!("{satisfiable} with a completion, {unsatisfiable} without, {needs_more} that need an object more");
    assert!(satisfiable > 300 && unsatisfiable > 100 && needs_more > 5);
}

#[track_caller]
fn check(text: &str, heap: &str, scope: usize, expected: bool) {
    let world = World::new();
    let invariants = world.parse(text);
    let partial = world.discover(&invariants, heap).partial;
    assert_eq!(has_model(&world, &invariants, &partial, scope), expected, "{text} on {heap} with {scope} objects");
}

#[test]
fn examples() {
    let circular = "root.list(.next)+ not null; root.list(.next)+ aliases root.list;";
    check(circular, "list->a; a.next->b", 2, true);
    check(circular, "list->a; a.next->b; b.next->null", 5, false);
    check(circular, "list->a; a.next->b; b.next->b", 5, false);
    // Four nodes are needed.
    let long = "root.list.next.next.next expands to Node; root.list(.next)? not null; root.list.next.next(.next)? not null; \
                root.list(.next)+ aliases nothing;";
    check(long, "list->a", 3, false);
    check(long, "list->a", 4, true);
    // A conflict between sentences, which no single reference violates.
    let conflict = "root.list.next not null; root.list.next expands to nothing; root.list.next aliases nothing;";
    check(conflict, "list->a", 4, false);
    check(conflict, "list->null", 4, true);
    let both =
        "any Node.next.prev not null; any Node.next.prev expands to nothing; any Node.next.prev aliases any Node;";
    check(both, "list->a; a.next->b", 2, true);
    check(both, "list->a; a.next->b; b.prev->b", 3, false);
    let last =
        "root.list.prev not null; root.list.prev expands to nothing; root.list.prev aliases max root.list(.next)*;";
    check(last, "list->a; a.prev->a", 1, true);
    check(last, "list->a; a.prev->a; a.next->b", 3, false);
}
