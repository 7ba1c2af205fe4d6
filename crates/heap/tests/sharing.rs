//! Tests the cost and the result of reads through references with shared parts and through references to one of many
//! objects.

use aback_heap::{Cells, Combined, Heap, Identities, InputHeap, Layout, ObjectId, Scope, Target, Value};
use aback_ir::{FieldId, Program, Type};
use aback_logic::{Domain, Evaluator, Model, Node, Pool, Sort, Term, Value as Number};
use std::cell::Cell;
use std::rc::Rc;

const WORLD: &str = "
class Node {
 field v: int
 field next: Node
}
class Main {
 static method main(a: Node[], b: int[]) {
 b0: return
 }
}";

struct World {
    program: Program,
    layout: Layout,
    pool: Pool,
    input: InputHeap,
    domain: Domain,
    heap: Combined,
    identities: Identities,
}

impl World {
    fn new() -> World {
        let program = aback_ir::text::parse(WORLD).unwrap();
        let layout = Layout::new(&program);
        let (pool, input, domain, heap) = (Pool::new(), InputHeap::new(), Domain::new(), Combined::at_entry());
        World { program, layout, pool, input, domain, heap, identities: Identities::default() }
    }

    fn node(&self) -> Type {
        Type::Class(self.program.class_named("Node").unwrap())
    }

    fn field(&self, name: &str) -> FieldId {
        self.program.fields().map(|(id, _)| id).find(|&id| self.program.field(id).name == name).unwrap()
    }

    /// An input that is not null.
    fn input(&mut self, name: &str) -> Term {
        let World { pool, input, program, layout, .. } = self;
        let ty = Type::Class(program.class_named("Node").unwrap());
        let (reference, axiom) = input.input_reference(pool, program, layout, name, ty);
        let Value::Term(term) = reference else { panic!("a variable") };
        let not_null = self.pool.ne(term, Pool::ZERO);
        for condition in [axiom, not_null] {
            self.domain.assume(&mut self.pool, condition).unwrap();
        }
        term
    }

    fn with<R>(&mut self, work: impl FnOnce(&mut Combined, &mut Scope) -> R) -> R {
        let (mut axioms, mut decisions) = (Vec::new(), Vec::new());
        let mut scope = Scope {
            pool: &mut self.pool,
            program: &self.program,
            layout: &self.layout,
            input: &mut self.input,
            identities: &self.identities,
            domain: &self.domain,
            satisfiable: &mut |_, _| true,
            axioms: &mut axioms,
            decisions: &mut decisions,
            is_observed: false,
            splits_choices: false,
        };
        work(&mut self.heap, &mut scope)
    }

    /// A reference that chooses between two inputs in `levels` levels with two choices each: it has `2^levels` paths to
    /// them.
    fn ladder(&mut self, levels: usize) -> (Value, [Term; 2]) {
        let ends = [self.input("a"), self.input("b")];
        let mut reference = ends[0];
        for _ in 0..levels {
            let [c, d, e] = [0; 3].map(|_| self.pool.fresh_var("c", Sort::Bool));
            let left = self.pool.ite(d, reference, ends[1]);
            let right = self.pool.ite(e, reference, ends[0]);
            reference = self.pool.ite(c, left, right);
        }
        (Value::Term(reference), ends)
    }
}

#[test]
fn what_leads_to_a_target_in_many_ways_is_looked_at_once() {
    const LEVELS: usize = 100;
    let mut world = World::new();
    let (reference, ends) = world.ladder(LEVELS);
    let targets = world.with(|heap, scope| heap.targets(scope, reference));
    let mut found: Vec<Target> = targets.iter().map(|&(_, target)| target).collect();
    found.sort_by_key(|target| matches!(target, Target::Input(term) if *term == ends[1]));
    assert_eq!(found, ends.map(Target::Input));
    // A read, a write and another read build a few terms each level.
    let before = world.pool.len();
    let (v, next) = (world.field("v"), world.field("next"));
    let read = world.with(|heap, scope| heap.read_field(scope, reference, v)).unwrap();
    assert!(matches!(read, Value::Term(_)));
    world.with(|heap, scope| heap.write_field(scope, reference, next, Value::Term(ends[1]))).unwrap();
    let read = world.with(|heap, scope| heap.read_field(scope, reference, next)).unwrap();
    assert!(matches!(read, Value::Term(_)));
    let ty = world.node();
    world.with(|heap, scope| heap.exact_types(scope, reference, ty, None)).unwrap();
    let built = world.pool.len() - before;
    assert!(built < 40 * LEVELS, "{built} terms");
}

#[test]
fn a_write_through_an_uncertain_reference_is_one_entry_and_is_read_by_either() {
    let mut world = World::new();
    let (reference, [a, b]) = world.ladder(1);
    let v = world.field("v");
    world.with(|heap, scope| heap.write_field(scope, reference, v, Value::Int(5))).unwrap();
    let read = |world: &mut World, object: Term| {
        let value = world.with(|heap, scope| heap.read_field(scope, Value::Term(object), v)).unwrap();
        value.to_term(&mut world.pool, Type::Int)
    };
    let (read_a, read_b) = (read(&mut world, a), read(&mut world, b));
    let Value::Term(reference) = reference else { panic!("a term") };
    let subterms = world.pool.subterms(&[reference]);
    let conditions: Vec<Term> = subterms
        .into_iter()
        .filter(|&term| matches!(world.pool.node(term), Node::Var(_)) && world.pool.sort(term) == Sort::Bool)
        .collect();
    for choices in 0..1 << conditions.len() {
        let mut model = Model::new();
        for (place, &condition) in conditions.iter().enumerate() {
            let Node::Var(variable) = *world.pool.node(condition) else { panic!("a variable") };
            model.set(variable, Number::Bool(choices >> place & 1 == 1));
        }
        for (term, identity) in [(a, -1), (b, -2)] {
            let Node::Var(variable) = *world.pool.node(term) else { panic!("a variable") };
            model.set(variable, Number::Int(identity.into()));
        }
        let mut evaluator = Evaluator::new(model);
        let target = evaluator.value(&world.pool, reference).unwrap();
        for (read, identity) in [(read_a, -1), (read_b, -2)] {
            let expected = if target == Number::Int(identity.into()) { 5 } else { 0 };
            assert_eq!(evaluator.value(&world.pool, read), Some(Number::Int(expected.into())));
        }
    }
}

/// An array has objects that were allocated in sequence; the value of each is its index minus 100. The values at
/// indices from 10 to 99 are read through references, and written through one.
#[test]
fn objects_in_a_row_are_a_linear_term() {
    let mut world = World::new();
    let (ty, v) = (world.node(), world.field("v"));
    let class = world.program.class_named("Node").unwrap();
    let array_type = Type::Array(world.program.array_type(ty).unwrap());
    // Shifts identities, so that they differ from indices.
    world.with(|heap, scope| heap.allocate(scope, class)).unwrap();
    let cells = Cells::new(Value::Int(300), ty);
    let array = world.with(|heap, scope| heap.allocate_array(scope, ty, Value::Int(300), cells)).unwrap();
    for place in 0..300 {
        world.with(|heap, scope| {
            let object = heap.allocate(scope, class).unwrap();
            heap.write_field(scope, object, v, Value::Int(place - 100)).unwrap();
            heap.write_element(scope, (array, array_type), ty, Value::Int(place), object).unwrap();
        });
    }
    let [i, j] = ["i", "j"].map(|name| world.pool.fresh_var(name, Sort::Int));
    for index in [i, j] {
        let (low, high) = (world.pool.int(10), world.pool.int(99));
        for condition in [world.pool.le(low, index), world.pool.le(index, high)] {
            world.domain.assume(&mut world.pool, condition).unwrap();
        }
    }
    let before = world.pool.len();
    let [p, q] = [i, j].map(|index| {
        world.with(|heap, scope| heap.read_element(scope, (array, array_type), ty, Value::Term(index))).unwrap()
    });
    let value = world.with(|heap, scope| heap.read_field(scope, p, v)).unwrap();
    let (expected, same) = {
        let offset = world.pool.int(-100);
        (world.pool.add(i, offset), Value::equals(&mut world.pool, p, q, ty))
    };
    assert_eq!(value, Value::Term(expected));
    assert_eq!(world.pool.show(same), "i == j");
    assert_eq!(world.with(|heap, scope| heap.exact_types(scope, p, ty, None)).unwrap(), [(Pool::TRUE, ty)]);
    assert!(world.pool.len() - before < 60, "{} terms", world.pool.len() - before);
    // A write goes to the object that the reference denotes, and the values are no longer a progression.
    world.with(|heap, scope| heap.write_field(scope, p, v, Value::Int(7))).unwrap();
    let value = world.with(|heap, scope| heap.read_field(scope, q, v)).unwrap().to_term(&mut world.pool, Type::Int);
    for (at_i, at_j) in [(10, 10), (10, 11), (99, 99), (57, 99), (99, 10)] {
        let mut model = Model::new();
        for (index, at) in [(i, at_i), (j, at_j)] {
            let Node::Var(variable) = *world.pool.node(index) else { panic!("a variable") };
            model.set(variable, Number::Int(i64::into(at)));
        }
        let expected = if at_i == at_j { 7 } else { at_j - 100 };
        assert_eq!(Evaluator::new(model).value(&world.pool, value), Some(Number::Int(expected.into())));
    }
    let untouched = world.with(|heap, scope| heap.read_field(scope, Value::Object(ObjectId(2 + 150)), v)).unwrap();
    assert_eq!(untouched, Value::Int(50));
}

/// Another heap of the exploration allocates in between, so that identities are not consecutive.
#[test]
fn objects_in_several_rows_are_found_by_their_numbers() {
    let mut world = World::new();
    let (ty, v) = (world.node(), world.field("v"));
    let class = world.program.class_named("Node").unwrap();
    let array_type = Type::Array(world.program.array_type(ty).unwrap());
    let cells = Cells::new(Value::Int(90), ty);
    let array = world.with(|heap, scope| heap.allocate_array(scope, ty, Value::Int(90), cells)).unwrap();
    for place in 0..90 {
        if place % 30 == 0 {
            // The clone has no unused identities.
            world.heap = world.heap.clone();
        }
        world.with(|heap, scope| {
            let object = heap.allocate(scope, class).unwrap();
            heap.write_field(scope, object, v, Value::Int(place - 100)).unwrap();
            heap.write_element(scope, (array, array_type), ty, Value::Int(place), object).unwrap();
        });
    }
    let index = world.pool.fresh_var("i", Sort::Int);
    let (low, high) = (world.pool.int(0), world.pool.int(89));
    for condition in [world.pool.le(low, index), world.pool.le(index, high)] {
        world.domain.assume(&mut world.pool, condition).unwrap();
    }
    let object =
        world.with(|heap, scope| heap.read_element(scope, (array, array_type), ty, Value::Term(index))).unwrap();
    let value = world.with(|heap, scope| heap.read_field(scope, object, v)).unwrap();
    let value = value.to_term(&mut world.pool, Type::Int);
    for at in 0..90 {
        let mut model = Model::new();
        let Node::Var(variable) = *world.pool.node(index) else { panic!("a variable") };
        model.set(variable, Number::Int(at.into()));
        assert_eq!(Evaluator::new(model).value(&world.pool, value), Some(Number::Int((at - 100).into())));
    }
}

/// The time limit is checked while one operation builds terms, and the operation ends soon after the limit.
#[test]
fn an_operation_ends_when_time_is_up() {
    const LEVELS: usize = 10_000;
    let mut world = World::new();
    let (reference, _) = world.ladder(LEVELS);
    let looks = Rc::new(Cell::new(0));
    let seen = Rc::clone(&looks);
    world.pool.watch(move || {
        seen.set(seen.get() + 1);
        seen.get() >= 3
    });
    let before = world.pool.len();
    world.with(|heap, scope| heap.targets(scope, reference));
    assert_eq!(looks.get(), 3);
    assert!(world.pool.is_stopped());
    assert!(world.pool.len() - before < LEVELS, "{} terms", world.pool.len() - before);
}
