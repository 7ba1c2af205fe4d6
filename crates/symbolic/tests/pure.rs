//! Tests the values of pure computations in a constructed state.

use aback_heap::Value;
use aback_ir::{Body, DivideOp, ExprId, LocalId, OpKind, Program, Type, text};
use aback_logic::{Node, Pool, Sort, Term};
use aback_lower::{LoweredBody, Pure, Step};
use aback_symbolic::expr;
use aback_symbolic::pure::{Dispatched, Site, value};

const WORLD: &str = "
    trap NullDereference Null
    trap IndexOutOfBounds Bounds
    trap BadArrayStore Store
    class Null { }
    class Bounds { }
    class Store { }
    class Node {
      method get(this: Node) -> int {
      b0:
        return 0
      }
    }
    class Leaf extends Node {
      method get(this: Leaf) -> int {
      b0:
        return 1
      }
    }
    class Main {
      static method main(n: Node, o: Node[], p: Leaf[], i: int, w: u64) {
        local x: int
        local b: bool
      b0:
        OPERATION
        return
      }
    }";

/// A state of `Main.main` before its operation: the values of its locals, the length of its arrays, and the exact types
/// that objects can have.
struct Made {
    program: Program,
    pool: Pool,
    code: expr::PreparedBody,
    locals: Vec<Value>,
    length: Value,
    types: Vec<(Value, Type)>,
}

impl Made {
    /// A state in which all locals are variables and all objects have one class.
    fn before(operation: &str) -> Made {
        let source = WORLD.replace("OPERATION", operation);
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let mut pool = Pool::new();
        let body = main(&program);
        let code = expr::PreparedBody::new(&mut pool, body);
        let variable =
            |local: &aback_ir::Local| Value::Term(pool.fresh_var(&local.name, aback_heap::sort_of(local.ty)));
        let locals = body.locals.iter().map(variable).collect();
        let types = vec![(Value::Bool(true), class(&program, "Node"))];
        Made { program, pool, code, locals, length: Value::Int(3), types }
    }

    fn set(&mut self, local: &str, value: Value) {
        let index = main(&self.program).locals.iter().position(|known| known.name == local).expect("a local");
        self.locals[index] = value;
    }

    fn term(&self, local: &str) -> Term {
        let index = main(&self.program).locals.iter().position(|known| known.name == local).expect("a local");
        match self.locals[index] {
            Value::Term(term) => term,
            other => panic!("{other:?}"),
        }
    }

    /// The values of the conditions of the operation's guards.
    fn guards(&mut self) -> Vec<Result<Value, String>> {
        let code = LoweredBody::new(&self.program, main(&self.program));
        let steps = code.steps(aback_ir::Point { block: Body::ENTRY, op: 0 }).to_vec();
        let guards = steps.iter().filter_map(|step| match step {
            Step::Guard { bad, .. } => Some(bad),
            _ => None,
        });
        guards.map(|bad| value(self, bad)).collect()
    }
}

fn main(program: &Program) -> &Body {
    let (main, _) = program.methods().find(|(_, method)| method.name == "main").expect("a method");
    program.body(main).expect("code")
}

fn class(program: &Program, name: &str) -> Type {
    Type::Class(program.class_named(name).expect("a class"))
}

impl Site for Made {
    type End = String;

    fn program(&self) -> &Program {
        &self.program
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.pool
    }

    fn type_of(&self, expr: ExprId) -> Type {
        self.code.type_of(expr)
    }

    fn expr(&mut self, id: ExprId) -> Value {
        expr::eval(&mut self.pool, main(&self.program), &self.code, &self.locals, id)
    }

    fn length(&mut self, _: ExprId) -> Result<Value, String> {
        Ok(self.length)
    }

    fn exact_types(&mut self, reference: ExprId, _: Option<Type>) -> Result<Vec<(Value, Type)>, String> {
        match self.expr(reference) {
            Value::Null => panic!("null has no type"),
            _ => Ok(self.types.clone()),
        }
    }

    fn unsupported(&mut self, construct: &str) -> String {
        construct.into()
    }
}

#[test]
fn null_references() {
    let mut state = Made::before("x := call virtual Node::get(n)");
    let (n, pool) = (state.term("n"), &mut state.pool);
    let null = pool.eq(n, Pool::ZERO);
    assert_eq!(state.guards(), [Ok(Value::Term(null))]);
    state.set("n", Value::Null);
    assert_eq!(state.guards(), [Ok(Value::Bool(true))]);
}

#[test]
fn indices() {
    let mut state = Made::before("o[i] := n");
    for (index, is_bad) in [(-1, true), (0, false), (2, false), (3, true)] {
        state.set("i", Value::Int(index));
        assert_eq!(state.guards()[1], Ok(Value::Bool(is_bad)), "{index}");
    }
    let mut state = Made::before("o[i] := n");
    let i = state.term("i");
    let (low, high) = (state.pool.int(0), state.pool.int(3));
    let (below, within) = (state.pool.lt(i, low), state.pool.lt(i, high));
    let beyond = state.pool.not(within);
    let outside = state.pool.or(below, beyond);
    assert_eq!(state.guards()[1], Ok(Value::Term(outside)));
}

/// A store is checked only if the value is an object, and by the type with which the array was created.
#[test]
fn stores() {
    let mut state = Made::before("o[i] := n");
    let nodes = state.program.array_of(class(&state.program, "Node"));
    state.types = vec![(Value::Bool(true), nodes)];
    assert_eq!(state.guards()[2], Ok(Value::Bool(false)), "an array of what is stored");
    let leaves = state.program.array_of(class(&state.program, "Leaf"));
    let is_leaves = state.pool.fresh_var("leaves", Sort::Bool);
    let not_leaves = state.pool.not(is_leaves);
    state.types = vec![(Value::Term(is_leaves), leaves), (Value::Term(not_leaves), nodes)];
    let Ok(Value::Term(bad)) = state.guards()[2] else { panic!("it depends on the array") };
    let n = state.term("n");
    let null = state.pool.eq(n, Pool::ZERO);
    let not_null = state.pool.not(null);
    assert_eq!(
        *state.pool.node(bad),
        Node::And([not_null, is_leaves].into()),
        "the types are also those of the object"
    );
    state.set("n", Value::Null);
    assert_eq!(state.guards()[2], Ok(Value::Bool(false)), "null fits everywhere");
}

#[test]
fn types() {
    let mut state = Made::before("b := n instanceof Leaf");
    let OpKind::InstanceOf { object, ty, .. } = main(&state.program).blocks[0].ops[0].kind else { panic!() };
    assert_eq!(value(&mut state, &Pure::IsA(object, ty)), Ok(Value::Bool(false)), "it is a node");
    let is_leaf = state.pool.fresh_var("leaf", Sort::Bool);
    let leaf = class(&state.program, "Leaf");
    state.types.push((Value::Term(is_leaf), leaf));
    assert_eq!(value(&mut state, &Pure::IsA(object, ty)), Ok(Value::Term(is_leaf)));
    state.types = vec![(Value::Term(is_leaf), leaf)];
    assert_eq!(value(&mut state, &Pure::IsA(object, ty)), Ok(Value::Bool(true)), "there is nothing else");
    state.set("n", Value::Null);
    let not_null = Pure::Not(Box::new(Pure::IsNull(object)));
    let both = Pure::And(Box::new(not_null), Box::new(Pure::IsA(object, ty)));
    assert_eq!(value(&mut state, &both), Ok(Value::Bool(false)), "where there is no object, nothing asks for its type");
}

#[test]
fn numbers_that_are_no_indices() {
    let mut state = Made::before("x := i + 1");
    let i =
        ExprId(main(&state.program).exprs.iter().position(|e| *e == aback_ir::Expr::Local(LocalId(3))).unwrap() as u32);
    let machine = Type::Machine { width: 8, signed: true };
    let narrow = Pure::FromIndex(Box::new(Pure::ToIndex(i)), machine);
    assert_eq!(value(&mut state, &narrow), Err(expr::NARROW.into()), "a byte does not hold all indices");
    state.set("i", Value::Int(7));
    assert_eq!(value(&mut state, &narrow), Ok(Value::Int(7)));
    state.set("i", Value::Int(300));
    assert_eq!(value(&mut state, &narrow), Err(expr::NARROW.into()));
    state.set("i", Value::Int(-7));
    let half = Pure::Quotient { op: DivideOp::Div, dividend: i, divisor: i };
    assert_eq!(value(&mut state, &half), Ok(Value::Int(1)));
    assert_eq!(value(&mut state, &Pure::IsZero(i)), Ok(Value::Bool(false)));
}

/// Classes that run the same method are merged into one case.
#[test]
fn methods_that_a_call_runs() {
    let mut state = Made::before("x := i + 1");
    let [node, leaf] = ["Node", "Leaf"].map(|name| class(&state.program, name));
    let get = state.program.methods_named(state.program.class_named("Node").unwrap(), "get")[0];
    let conditions = ["a", "b", "c"].map(|name| state.pool.fresh_var(name, Sort::Bool));
    let [a, b, c] = conditions.map(Value::Term);
    let (program, pool) = (&state.program, &mut state.pool);
    let types = [(a, node), (b, leaf), (c, node)];
    let found = Dispatched::default().callees(pool, program, types, get);
    let either = pool.or(conditions[0], conditions[2]);
    let overrider = program.dispatch(program.class_named("Leaf").unwrap(), get);
    assert_eq!(found, [(Value::Term(either), get), (b, overrider)]);
}
