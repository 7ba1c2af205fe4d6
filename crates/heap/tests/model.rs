//! Compares random reads and writes with a concrete heap: under a model of the inputs, each term that a read returns
//! has the value that the concrete heap holds.

use aback_heap::{
    Access, Arrays, Cells, Combined, Heap, Identities, InputHeap, Layout, Object, Scope, Symbolic, Value, sort_of,
};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{ArrayValue, Domain, Evaluator, Model, Node, Pool, Sort, Term, Value as Number};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const WORLD: &str = "
class Node {
 field v: int
 field next: Node
 field data: int[]
}
class Sub extends Node {
 field w: int
}
class Main {
 static method main(a: int[], b: Node[], c: Sub[]) {
 b0: return
 }
}";

/// Input objects of each kind have identities from -1 down to this.
const INPUTS: i64 = -3;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound.max(1)
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// An object of the concrete heap: its exact type, its fields, its elements.
#[derive(Clone, Debug)]
struct Plain {
    exact: Type,
    fields: BTreeMap<FieldId, i64>,
    elements: Vec<i64>,
}

/// A kind of reference: to nodes, to arrays of integers, to arrays of nodes. Each kind has its own identities of input
/// objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Node,
    Ints,
    Nodes,
}

struct World<H> {
    program: Program,
    layout: Layout,
    pool: Pool,
    input: InputHeap,
    domain: Domain,
    evaluator: Evaluator,
    heap: H,
    identities: Identities,
    /// The objects by identity, input objects also by kind.
    plain: BTreeMap<(Option<Kind>, i64), Plain>,
    references: BTreeMap<Kind, Vec<(Value, i64)>>,
    integers: Vec<(Value, i64)>,
    conditions: Vec<(Term, bool)>,
    random: Random,
}

/// The parts of a world that operations change.
#[derive(Clone)]
struct Half<H> {
    heap: H,
    domain: Domain,
    plain: BTreeMap<(Option<Kind>, i64), Plain>,
    references: BTreeMap<Kind, Vec<(Value, i64)>>,
    integers: Vec<(Value, i64)>,
}

fn number(value: i64) -> Number {
    Number::Int(value.into())
}

fn array(default: Number, entries: impl IntoIterator<Item = (i64, Number)>) -> Number {
    let mut array = ArrayValue::new(default);
    for (index, value) in entries {
        array.set(number(index), value);
    }
    Number::Array(Rc::new(array))
}

impl<H: Heap> World<H> {
    fn ty(&self, kind: Kind) -> Type {
        let node = Type::Class(self.program.class_named("Node").unwrap());
        let array = |element| Type::Array(self.program.array_type(element).unwrap());
        match kind {
            Kind::Node => node,
            Kind::Ints => array(Type::Int),
            Kind::Nodes => array(node),
        }
    }

    fn new(seed: u64) -> World<H> {
        let program = aback_ir::text::parse(WORLD).unwrap();
        let mut world = World {
            layout: Layout::new(&program),
            program,
            pool: Pool::new(),
            input: InputHeap::new(),
            domain: Domain::new(),
            evaluator: Evaluator::default(),
            heap: H::at_entry(),
            identities: Identities::default(),
            plain: BTreeMap::new(),
            references: BTreeMap::new(),
            integers: vec![(Value::Int(0), 0), (Value::Int(1), 1), (Value::Int(2), 2)],
            conditions: vec![],
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
        };
        let mut model = Model::new();
        world.make_objects();
        world.describe_objects(&mut model);
        for name in ["i", "j", "k"] {
            let value = world.random.below(4) as i64;
            let term = world.variable(&mut model, name, Sort::Int, number(value));
            world.integers.push((Value::Term(term), value));
        }
        for name in ["p", "q"] {
            let value = world.random.below(2) == 1;
            let term = world.variable(&mut model, name, Sort::Bool, Number::Bool(value));
            world.conditions.push((term, value));
        }
        for kind in [Kind::Node, Kind::Ints, Kind::Nodes] {
            let ty = world.ty(kind);
            let mut found = vec![(Value::Null, 0)];
            for name in ["a", "b", "c"] {
                let identity = -(world.random.below(4) as i64);
                let (reference, _) = {
                    let World { pool, input, program, layout, .. } = &mut world;
                    input.input_reference(pool, program, layout, name, ty)
                };
                let Value::Term(term) = reference else { panic!("a variable") };
                let Node::Var(variable) = *world.pool.node(term) else { panic!("a variable") };
                model.set(variable, number(identity));
                found.push((reference, identity));
            }
            world.references.insert(kind, found);
        }
        world.evaluator = Evaluator::new(model);
        world
    }

    fn variable(&mut self, model: &mut Model, name: &str, sort: Sort, value: Number) -> Term {
        let term = self.pool.fresh_var(name, sort);
        let Node::Var(variable) = *self.pool.node(term) else { panic!("a variable") };
        model.set(variable, value);
        term
    }

    /// Makes the input objects of the concrete heap.
    fn make_objects(&mut self) {
        let sub = self.program.class_named("Sub").unwrap();
        let subs: Vec<bool> = (0..=-INPUTS).map(|_| self.random.below(2) == 0).collect();
        for identity in INPUTS..0 {
            let exact = if subs[-identity as usize] { Type::Class(sub) } else { self.ty(Kind::Node) };
            let Type::Class(class) = exact else { panic!("a class") };
            let mut fields = BTreeMap::new();
            for field in self.program.instance_fields(class) {
                let is_reference = self.program.field(field).ty.is_reference();
                let value = self.random.below(4) as i64;
                fields.insert(field, if is_reference { -value } else { value });
            }
            self.plain.insert((Some(Kind::Node), identity), Plain { exact, fields, elements: vec![] });
            let elements = (0..self.random.below(5)).map(|_| self.random.below(6) as i64).collect();
            let exact = self.ty(Kind::Ints);
            self.plain.insert((Some(Kind::Ints), identity), Plain { exact, fields: BTreeMap::new(), elements });
            let narrow = self.random.below(2) == 0;
            let element = if narrow { Type::Class(sub) } else { self.ty(Kind::Node) };
            let exact = Type::Array(self.program.array_type(element).unwrap());
            let fitting: Vec<i64> = (INPUTS..=0).filter(|&node| node == 0 || !narrow || subs[-node as usize]).collect();
            let elements = (0..self.random.below(5)).map(|_| self.random.pick(&fitting)).collect();
            self.plain.insert((Some(Kind::Nodes), identity), Plain { exact, fields: BTreeMap::new(), elements });
        }
    }

    /// Gives the arrays of the input heap the values that describe the objects of the concrete heap.
    fn describe_objects(&mut self, model: &mut Model) {
        let mut set = |pool: &Pool, term: Term, value: Number| {
            let Node::Var(variable) = *pool.node(term) else { panic!("a variable") };
            model.set(variable, value);
        };
        let World { pool, input, program, layout, plain, .. } = self;
        for (field, _) in program.fields() {
            let term = input.field(pool, program, field);
            let values = plain.iter().filter(|((kind, _), _)| *kind == Some(Kind::Node));
            let values = values.filter_map(|(&(_, id), object)| Some((id, number(*object.fields.get(&field)?))));
            set(pool, term, array(number(0), values));
        }
        for kind in [Kind::Node, Kind::Ints, Kind::Nodes] {
            let of_kind = || plain.iter().filter(move |((k, _), _)| *k == Some(kind));
            let Some((_, first)) = of_kind().next() else { continue };
            let group = layout.group(first.exact).unwrap();
            // Makes the array of types, unless all objects of the group have the same type.
            for (&(_, identity), object) in of_kind() {
                let reference = pool.int(identity);
                input.has_type(pool, layout, reference, object.exact);
            }
            if let Some(tags) = input.known_tags(group) {
                let tag_of = |exact| match exact {
                    Type::Class(class) => i64::from(class.0),
                    Type::Array(array) => -1 - i64::from(array.0),
                    _ => 0,
                };
                set(
                    pool,
                    tags,
                    array(number(0), of_kind().map(|(&(_, id), object)| (id, number(tag_of(object.exact))))),
                );
            }
            if kind != Kind::Node {
                let lengths = input.lengths(pool, program, group);
                let values = of_kind().map(|(&(_, id), object)| (id, number(object.elements.len() as i64)));
                set(pool, lengths, array(number(0), values));
                let rows = input.elements(pool, program, group, Type::Int);
                let row = |object: &Plain| {
                    array(number(0), object.elements.iter().enumerate().map(|(i, &value)| (i as i64, number(value))))
                };
                let values = of_kind().map(|(&(_, id), object)| (id, row(object)));
                set(pool, rows, array(array(number(0), []), values));
            }
        }
    }

    /// Runs an operation and checks that its axioms about the input heap hold.
    fn with<R>(&mut self, operation: impl FnOnce(&mut H, &mut Scope) -> Access<H, R>) -> Option<R> {
        let (mut axioms, mut decisions) = (Vec::new(), Vec::new());
        // What the model refutes need not be considered: the heap must find what the model says.
        let evaluator = RefCell::new(&mut self.evaluator);
        let mut scope = Scope {
            pool: &mut self.pool,
            program: &self.program,
            layout: &self.layout,
            input: &mut self.input,
            identities: &self.identities,
            domain: &self.domain,
            satisfiable: &mut |pool, condition| evaluator.borrow_mut().holds(pool, condition) != Some(false),
            axioms: &mut axioms,
            decisions: &mut decisions,
            is_observed: false,
            splits_choices: false,
        };
        let result = operation(&mut self.heap, &mut scope);
        for axiom in axioms {
            assert_eq!(self.evaluator.holds(&self.pool, axiom), Some(true), "{}", self.pool.show(axiom));
        }
        result.ok()
    }

    fn allocate(&mut self, class: ClassId) -> Value {
        self.with(|heap, scope| heap.allocate(scope, class)).expect("an identity")
    }

    fn allocate_array(&mut self, element: Type, length: Value) -> Value {
        let cells = Cells::new(length, element);
        self.with(|heap, scope| heap.allocate_array(scope, element, length, cells)).expect("an identity")
    }

    fn value(&mut self, value: Value) -> i64 {
        match value {
            Value::Int(value) => value,
            Value::Null => 0,
            Value::Object(id) => i64::from(id.0) + 1,
            Value::Term(term) => {
                let value = self.evaluator.value(&self.pool, term).expect("a value");
                value.as_int().and_then(|value| value.as_i64()).expect("an integer")
            }
            other => panic!("{other:?}"),
        }
    }

    fn object(&mut self, kind: Kind, identity: i64) -> Option<&mut Plain> {
        self.plain.get_mut(&(Some(kind).filter(|_| identity < 0), identity))
    }

    fn reference(&mut self, kind: Kind) -> (Value, i64) {
        let known = self.references[&kind].clone();
        self.random.pick(&known)
    }

    fn integer(&mut self) -> (Value, i64) {
        let known = self.integers.clone();
        self.random.pick(&known)
    }

    /// Copies the parts of the world that operations change.
    fn half(&self) -> Half<H> {
        Half {
            heap: self.heap.clone(),
            domain: self.domain.clone(),
            plain: self.plain.clone(),
            references: self.references.clone(),
            integers: self.integers.clone(),
        }
    }

    fn go_back(&mut self, half: &Half<H>) {
        let Half { heap, domain, plain, references, integers } = half.clone();
        (self.heap, self.domain, self.plain) = (heap, domain, plain);
        (self.references, self.integers) = (references, integers);
    }

    /// Checks a value that was read and keeps it for later operations.
    fn met(&mut self, kind: Option<Kind>, read: Value, expected: i64) {
        assert_eq!(self.value(read), expected, "{read:?}");
        match kind {
            Some(kind) => self.references.get_mut(&kind).unwrap().push((read, expected)),
            None => self.integers.push((read, expected)),
        }
    }

    /// Runs one random operation.
    fn step(&mut self) {
        let kind_of = |program: &Program, field: FieldId| match program.field(field).ty {
            Type::Int => None,
            Type::Array(_) => Some(Kind::Ints),
            _ => Some(Kind::Node),
        };
        match self.random.below(12) {
            0 => {
                let class = self.program.class_named(self.random.pick(&["Node", "Sub"])).unwrap();
                let made = self.allocate(class);
                let fields = self.program.instance_fields(class).into_iter().map(|field| (field, 0)).collect();
                let identity = self.value(made);
                let plain = Plain { exact: Type::Class(class), fields, elements: vec![] };
                self.plain.insert((None, identity), plain);
                self.references.get_mut(&Kind::Node).unwrap().push((made, identity));
            }
            1 => {
                let kind = self.random.pick(&[Kind::Ints, Kind::Nodes]);
                let element = if kind == Kind::Ints { Type::Int } else { self.ty(Kind::Node) };
                let (length, count) = match self.random.below(3) {
                    0 => (Value::Int(100), 100),
                    _ => self.integer(),
                };
                if !(0..200).contains(&count) {
                    return;
                }
                let made = self.allocate_array(element, length);
                let identity = self.value(made);
                let plain = Plain { exact: self.ty(kind), fields: BTreeMap::new(), elements: vec![0; count as usize] };
                self.plain.insert((None, identity), plain);
                self.references.get_mut(&kind).unwrap().push((made, identity));
            }
            2..=5 => {
                let (reference, identity) = self.reference(Kind::Node);
                let names = self
                    .program
                    .find_field(self.program.class_named("Node").unwrap(), self.random.pick(&["v", "next", "data"]));
                let field = names.unwrap();
                let kind = kind_of(&self.program, field);
                let Some(&held) = self.object(Kind::Node, identity).and_then(|object| object.fields.get(&field)) else {
                    return;
                };
                if self.random.below(2) == 0 {
                    let read = self.with(|heap, scope| heap.read_field(scope, reference, field)).expect("a field");
                    self.met(kind, read, held);
                } else {
                    let (value, concrete) = match kind {
                        Some(kind) => self.reference(kind),
                        None => self.integer(),
                    };
                    self.with(|heap, scope| heap.write_field(scope, reference, field, value));
                    self.object(Kind::Node, identity).unwrap().fields.insert(field, concrete);
                }
            }
            6..=8 => {
                let kind = self.random.pick(&[Kind::Ints, Kind::Nodes]);
                let (ty, element) = (self.ty(kind), if kind == Kind::Ints { Type::Int } else { self.ty(Kind::Node) });
                let of_element = (kind == Kind::Nodes).then_some(Kind::Node);
                let (reference, identity) = self.reference(kind);
                let (index, at) = self.integer();
                let Some(object) = self.object(kind, identity) else { return };
                let (exact, count) = (object.exact, object.elements.len() as i64);
                let held = usize::try_from(at).ok().and_then(|at| object.elements.get(at).copied());
                let length = self.with(|heap, scope| heap.array_length(scope, reference, ty)).expect("an array");
                self.met(None, length, count);
                let Some(held) = held else { return };
                if self.random.below(2) == 0 {
                    let read = self
                        .with(|heap, scope| heap.read_element(scope, (reference, ty), element, index))
                        .expect("an array");
                    self.met(of_element, read, held);
                } else {
                    let (value, concrete) = match of_element {
                        Some(kind) => self.reference(kind),
                        None => self.integer(),
                    };
                    // Engines write only values that the array can hold.
                    if let (Some(kind), Type::Array(array)) = (of_element, exact)
                        && let Some(object) = self.object(kind, concrete).map(|object| object.exact)
                        && !self.program.is_assignable(object, self.program.element_type(array))
                    {
                        return;
                    }
                    self.with(|heap, scope| heap.write_element(scope, (reference, ty), element, index, value));
                    self.object(kind, identity).unwrap().elements[at as usize] = concrete;
                }
            }
            9 => {
                let kind = self.random.pick(&[Kind::Node, Kind::Ints, Kind::Nodes]);
                let (condition, truth) = self.random.pick(&self.conditions.clone());
                let (a, b) = (self.reference(kind), self.reference(kind));
                let ty = self.ty(kind);
                let choice = Value::ite(&mut self.pool, condition, a.0, b.0, ty);
                self.met(Some(kind), choice, if truth { a.1 } else { b.1 });
            }
            10 => {
                let kind = self.random.pick(&[Kind::Node, Kind::Nodes]);
                let ty = self.ty(kind);
                let (reference, identity) = self.reference(kind);
                let Some(exact) = self.object(kind, identity).map(|object| object.exact) else { return };
                let types = self.with(|heap, scope| heap.exact_types(scope, reference, ty, None)).expect("types");
                for (condition, found) in types.iter() {
                    assert_eq!(self.evaluator.holds(&self.pool, *condition), Some(*found == exact));
                }
                assert!(types.iter().any(|(_, found)| *found == exact), "{exact:?} is not among {types:?}");
            }
            // Assumes a condition that holds.
            _ => {
                let kind = self.random.pick(&[Kind::Node, Kind::Ints, Kind::Nodes]);
                let (a, b) = match self.random.below(2) {
                    0 => (self.reference(kind), self.reference(kind)),
                    _ => (self.integer(), self.integer()),
                };
                let ty = Type::Int;
                debug_assert_eq!(sort_of(ty), Sort::Int);
                let (x, y) = (a.0.to_term(&mut self.pool, ty), b.0.to_term(&mut self.pool, ty));
                let known = match a.1.cmp(&b.1) {
                    std::cmp::Ordering::Equal => self.pool.eq(x, y),
                    _ if self.random.below(2) == 0 => self.pool.ne(x, y),
                    std::cmp::Ordering::Less => self.pool.lt(x, y),
                    std::cmp::Ordering::Greater => self.pool.lt(y, x),
                };
                assert!(self.domain.assume(&mut self.pool, known).is_ok(), "{} is true", self.pool.show(known));
            }
        }
    }
}

fn compare<H: Heap>(seeds: u64) {
    for seed in 1..seeds {
        let mut world = World::<H>::new(seed);
        for _ in 0..60 {
            world.step();
        }
    }
}

#[test]
fn reads_give_what_a_plain_heap_holds() {
    compare::<Combined>(1500);
}

#[test]
fn symbolic_initialization_gives_what_a_plain_heap_holds() {
    compare::<Symbolic>(500);
}

#[test]
fn arrays_give_what_a_plain_heap_holds() {
    compare::<Arrays>(1500);
}

/// A heap that was forked, written on both sides and joined again has the contents of the side that the model selects.
/// Heaps of one exploration may be joined several times.
#[test]
fn joined_heaps_hold_what_the_chosen_one_holds() {
    let mut joins = 0;
    for seed in 1..1500 {
        let mut world = World::<Combined>::new(seed);
        for _ in 0..3 {
            for _ in 0..10 {
                world.step();
            }
            let before = world.half();
            for _ in 0..10 {
                world.step();
            }
            let one = world.half();
            world.go_back(&before);
            for _ in 0..10 {
                world.step();
            }
            let other = world.half();
            world.domain = before.domain.clone();
            let (choice, truth) = world.random.pick(&world.conditions.clone());
            let heap = other.heap.clone();
            let Some(joined) = world.with(|_, scope| Ok(one.heap.join(&heap, scope, choice))).unwrap() else {
                continue;
            };
            joins += 1;
            let chosen = if truth { one } else { other };
            world.go_back(&Half { domain: before.domain, heap: joined, ..chosen });
        }
        for _ in 0..20 {
            world.step();
        }
    }
    assert!(joins > 4000, "heaps were joined {joins} times only");
}

#[test]
fn new_objects_hold_defaults_and_are_told_apart() {
    let mut world = World::<Combined>::new(1);
    let class = world.program.class_named("Sub").unwrap();
    let (a, b) = (world.allocate(class), world.allocate(class));
    assert_eq!(Value::equals(&mut world.pool, a, b, Type::Class(class)), Pool::FALSE);
    let Value::Object(id) = a else { panic!("an allocation") };
    assert!(matches!(world.heap.object(id), Some(Object::Instance { fields, .. }) if fields.len() == 4));
    let field = world.program.find_field(class, "next").unwrap();
    assert_eq!(world.with(|heap, scope| heap.read_field(scope, a, field)), Some(Value::Null));
}

#[test]
fn a_clone_does_not_see_later_writes() {
    let mut world = World::<Combined>::new(2);
    let field = world.program.find_field(world.program.class_named("Node").unwrap(), "v").unwrap();
    let (reference, _) = world.references[&Kind::Node][1];
    let before = world.heap.clone();
    world.with(|heap, scope| heap.write_field(scope, reference, field, Value::Int(5)));
    assert_eq!(world.with(|heap, scope| heap.read_field(scope, reference, field)), Some(Value::Int(5)));
    world.heap = before;
    assert!(matches!(world.with(|heap, scope| heap.read_field(scope, reference, field)), Some(Value::Term(_))));
}

#[test]
fn what_an_object_does_not_have_is_neither_read_nor_written() {
    let mut world = World::<Combined>::new(3);
    let class = world.program.class_named("Node").unwrap();
    let field = world.program.find_field(class, "next").unwrap();
    let ints = world.program.array_of(Type::Int);
    let object = world.allocate(class);
    let array = world.allocate_array(Type::Int, Value::Int(2));
    assert_eq!(world.with(|heap, scope| heap.read_field(scope, array, field)), None);
    assert_eq!(world.with(|heap, scope| heap.write_field(scope, array, field, Value::Null)), None);
    assert_eq!(world.with(|heap, scope| heap.array_length(scope, object, ints)), None);
    let first = Value::Int(0);
    assert_eq!(world.with(|heap, scope| heap.read_element(scope, (object, ints), Type::Int, first)), None);
    assert_eq!(world.with(|heap, scope| heap.read_element(scope, (array, ints), Type::F64, first)), None);
    let float = Value::F64(0);
    assert_eq!(world.with(|heap, scope| heap.write_element(scope, (array, ints), Type::F64, first, float)), None);
    assert_eq!(world.with(|heap, scope| heap.read_element(scope, (array, ints), Type::Int, first)), Some(first));
}
