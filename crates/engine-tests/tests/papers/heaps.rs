//! The example of paper 2, chapter 3: the operations of figure 3.1 for the method of listing 3.1, which swaps two nodes
//! of a list, on each of the three heaps. The pictures of the paper are missing in our copy, so that the states follow from its
//! rules and its text.

use aback_heap::{Access, Arrays, Blocked, Heap, Identities, InputHeap, Layout, Lazy, Scope, Symbolic, Value};
use aback_ir::{FieldId, Program, Type};
use aback_logic::{Pool, Term};
use aback_smt::{Chain, Feasibility, PathCondition};

const NODE: &str = "
class Node {
 field val: int
 field next: Node
}
class Main {
 static method main(this: Node) {
 b0: return
 }
}";

/// One heap of a set, with its path condition.
#[derive(Clone)]
struct State<H> {
    heap: H,
    path: PathCondition,
    this: Value,
    hlp: [Value; 2],
}

struct World {
    program: Program,
    layout: Layout,
    pool: Pool,
    input: InputHeap,
    identities: Identities,
    chain: Chain,
}

impl World {
    fn new() -> World {
        let program = aback_ir::text::parse(NODE).unwrap();
        let layout = Layout::new(&program);
        World {
            program,
            layout,
            pool: Pool::new(),
            input: InputHeap::new(),
            identities: Identities::default(),
            chain: Chain::new(&aback_smt::Config::default()).expect("Z3"),
        }
    }

    fn field(&self, name: &str) -> FieldId {
        self.program.find_field(self.program.class_named("Node").unwrap(), name).unwrap()
    }

    fn node(&self) -> Type {
        Type::Class(self.program.class_named("Node").unwrap())
    }

    fn entry<H: Heap + std::fmt::Debug>(&mut self) -> State<H> {
        let ty = self.node();
        let path = self.chain.path();
        let mut state = State { heap: H::at_entry(), path, this: Value::Null, hlp: [Value::Null; 2] };
        state.this = self.on(&mut state, |heap, scope, _| Ok(heap.input(scope, "this", ty))).unwrap();
        state
    }

    fn on<H: Heap + std::fmt::Debug, R>(
        &mut self,
        state: &mut State<H>,
        operation: impl FnOnce(&mut H, &mut Scope, &mut State<H>) -> Access<H, R>,
    ) -> Access<H, R> {
        let (mut axioms, mut decisions) = (Vec::new(), Vec::new());
        let mut after = state.clone();
        let World { chain, .. } = self;
        let path = &state.path;
        let mut satisfiable =
            |pool: &mut Pool, condition: Term| !matches!(chain.check(pool, path, condition), Feasibility::Infeasible);
        let result = operation(
            &mut state.heap,
            &mut Scope {
                pool: &mut self.pool,
                program: &self.program,
                layout: &self.layout,
                input: &mut self.input,
                identities: &self.identities,
                domain: path.domain(),
                satisfiable: &mut satisfiable,
                axioms: &mut axioms,
                decisions: &mut decisions,
                is_observed: false,
                splits_choices: false,
            },
            &mut after,
        );
        (state.this, state.hlp) = (after.this, after.hlp);
        for axiom in axioms {
            state.path.assume(&mut self.pool, axiom).expect("an axiom");
        }
        result
    }

    /// The heaps after an operation on each heap of a set.
    fn each<H: Heap + std::fmt::Debug>(
        &mut self,
        states: Vec<State<H>>,
        operation: impl Fn(&mut H, &mut Scope, &mut State<H>) -> Access<H, ()>,
    ) -> Vec<State<H>> {
        let (mut pending, mut done) = (states, Vec::new());
        pending.reverse();
        while let Some(mut state) = pending.pop() {
            match self.on(&mut state, &operation) {
                Ok(()) => done.push(state),
                Err(Blocked::Split(outcomes)) => {
                    let forks = outcomes.into_iter().rev().filter_map(|outcome| {
                        let fork = State { heap: outcome.heap, ..state.clone() };
                        self.assert(fork, outcome.condition)
                    });
                    pending.extend(forks.collect::<Vec<_>>());
                }
                Err(blocked) => panic!("{blocked:?}"),
            }
        }
        done
    }

    /// ASSERT: the heap where a condition holds, if it can hold.
    fn assert<H: Heap + std::fmt::Debug>(&mut self, mut state: State<H>, condition: Term) -> Option<State<H>> {
        if !self.is_possible(&state, condition) {
            return None;
        }
        state.path.assume(&mut self.pool, condition).is_ok().then_some(state)
    }

    fn is_possible<H>(&mut self, state: &State<H>, condition: Term) -> bool {
        matches!(self.chain.check(&mut self.pool, &state.path, condition), Feasibility::Feasible(_))
    }

    fn show(&self, value: Value) -> String {
        match value {
            Value::Term(term) => self.pool.show(term),
            other => format!("{other:?}"),
        }
    }

    /// Lines 5 to 26 of figure 3.1 where `this.next` is not null and `this.val > this.next.val`. Describes the heap sets after
    /// the lines that change them: how many heaps there are, and what was read.
    fn swap<H: Heap + std::fmt::Debug>(&mut self) -> Vec<String> {
        let (val, next, ty) = (self.field("val"), self.field("next"), self.node());
        let mut log = Vec::new();
        // Line 5: NEQ(h0, this, null).
        let entry = vec![self.entry::<H>()];
        let states = self.each(entry, |heap, scope, state| {
            state.this = heap.decide(scope, state.this, ty)?;
            Ok(())
        });
        let states = self.not_null(states, |state| state.this);
        log.push(format!("H1: {}", states.len()));
        // Line 7: READREF(H2, hlp0, this, next).
        let states = self.each(states, |heap, scope, state| {
            state.hlp[0] = heap.read_field(scope, state.this, next)?;
            Ok(())
        });
        log.push(format!("H3: {}", self.all(&states, |state| state.hlp[0])));
        // Line 9: NEQ(H3, hlp0, null).
        let states = self.not_null(states, |state| state.hlp[0]);
        log.push(format!("H4: {}", states.len()));
        // Lines 10, 11 and 13: READVAL twice, ASSERT(val0 > val1).
        let mut greater = Vec::new();
        for mut state in states {
            let this = state.this;
            let hlp = state.hlp[0];
            let val0 = self.on(&mut state, |heap, scope, _| heap.read_field(scope, this, val)).unwrap();
            let val1 = self.on(&mut state, |heap, scope, _| heap.read_field(scope, hlp, val)).unwrap();
            log.push(format!("H6: {}, {}", self.show(val0), self.show(val1)));
            let [a, b] = [val0, val1].map(|value| value.to_term(&mut self.pool, Type::Int));
            let condition = self.pool.lt(b, a);
            greater.extend(self.assert(state, condition));
        }
        log.push(format!("H7: {}", greater.len()));
        // Line 15: READREF(H8, hlp1, t, next).
        let states = self.each(greater, |heap, scope, state| {
            state.hlp[1] = heap.read_field(scope, state.hlp[0], next)?;
            Ok(())
        });
        log.push(format!("H9: {}", self.all(&states, |state| state.hlp[1])));
        // Lines 16 and 17: WRITEREF(H9, this, next, hlp1), WRITEREF(H10, t, next, this).
        let states = self.each(states, |heap, scope, state| heap.write_field(scope, state.this, next, state.hlp[1]));
        let states = self.each(states, |heap, scope, state| heap.write_field(scope, state.hlp[0], next, state.this));
        log.push(format!("Hp3: {}", states.len()));
        // Lines 22, 24 and 25: the result's successor is `this` in each heap, and its value is smaller.
        for mut state in states {
            let (this, result) = (state.this, state.hlp[0]);
            let after = self.on(&mut state, |heap, scope, _| heap.read_field(scope, result, next)).unwrap();
            let is_this = Value::equals(&mut self.pool, after, this, ty);
            let is_other = self.pool.not(is_this);
            assert!(!self.is_possible(&state, is_other));
            let val0 = self.on(&mut state, |heap, scope, _| heap.read_field(scope, result, val)).unwrap();
            let val1 = self.on(&mut state, |heap, scope, _| heap.read_field(scope, after, val)).unwrap();
            let [a, b] = [val0, val1].map(|value| value.to_term(&mut self.pool, Type::Int));
            let is_greater = self.pool.lt(b, a);
            assert!(!self.is_possible(&state, is_greater));
        }
        log
    }

    fn not_null<H: Heap + std::fmt::Debug>(
        &mut self,
        states: Vec<State<H>>,
        of: impl Fn(&State<H>) -> Value,
    ) -> Vec<State<H>> {
        let kept = states.into_iter().filter_map(|state| {
            let reference = of(&state).to_term(&mut self.pool, Type::Null);
            let not_null = self.pool.ne(reference, Pool::ZERO);
            self.assert(state, not_null)
        });
        kept.collect()
    }

    fn all<H>(&self, states: &[State<H>], of: impl Fn(&State<H>) -> Value) -> String {
        let values: Vec<String> = states.iter().map(|state| self.show(of(state))).collect();
        values.join(", ")
    }
}

/// Section 3.1: READREF has one heap for null, one for each alias and one for a new object, so that there are three and then four.
/// `v0 > v0` is false, so that one heap is left between.
#[test]
fn lazy_initialization() {
    let log = World::new().swap::<Lazy>();
    assert_eq!(
        log,
        [
            "H1: 1",
            "H3: Null, -1, -2",
            "H4: 2",
            "H6: Node.val[-1], Node.val[-1]",
            "H6: Node.val[-1], Node.val[-2]",
            "H7: 1",
            "H9: Null, -1, -2, -3",
            "Hp3: 4",
        ]
    );
}

/// Section 3.2: there is one heap, and the value of a node that may be an alias is a choice.
#[test]
fn symbolic_initialization() {
    let log = World::new().swap::<Symbolic>();
    let choice = "((Node.next[this] != 0) && (this != Node.next[this])) ? Node.val[Node.next[this]] : Node.val[this]";
    assert_eq!(
        log,
        [
            "H1: 1",
            "H3: Node.next[this]",
            "H4: 1",
            &format!("H6: Node.val[this], {choice}"),
            "H7: 1",
            // The solver excludes that the second node is an alias of the first one: `v0 > v1`.
            "H9: Node.next[Node.next[this]]",
            "Hp3: 1",
        ]
    );
}

/// Section 3.3: there is one heap, and all is an element of an array.
#[test]
fn theory_of_arrays() {
    let log = World::new().swap::<Arrays>();
    assert_eq!(
        log,
        [
            "H1: 1",
            "H3: Node.next[this]",
            "H4: 1",
            "H6: Node.val[this], Node.val[Node.next[this]]",
            "H7: 1",
            "H9: Node.next[Node.next[this]]",
            "Hp3: 1",
        ]
    );
}
