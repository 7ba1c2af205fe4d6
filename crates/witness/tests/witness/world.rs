//! Provides a small program to add methods to, and a compact way to write their code.

use aback_ir::*;
use aback_witness::{InputValue, Inputs, Int, Limits, Observer, Outcome, State, Value, run};

/// Longest array, in elements, in a world of bounded arrays.
pub const LONGEST_ARRAY: i64 = 1 << 40;

pub const INT: Type = Type::Int;
pub const I8: Type = Type::Machine { width: 8, signed: true };
pub const I32: Type = Type::Machine { width: 32, signed: true };
pub const I64: Type = Type::Machine { width: 64, signed: true };
pub const U64: Type = Type::Machine { width: 64, signed: false };
/// All machine types.
pub const MACHINE: [Type; 8] = [
    I8,
    Type::Machine { width: 8, signed: false },
    Type::Machine { width: 16, signed: true },
    Type::Machine { width: 16, signed: false },
    I32,
    Type::Machine { width: 32, signed: false },
    I64,
    U64,
];

/// `class Node { int value; Node next; }`, `class Leaf extends Node {}`, `abstract class Shape {}`,
/// `class Main { static int counter; static Node root; }`, an exception class for each trap below `Exception`, and
/// `Object` above all.
pub struct World {
    pub program: Program,
    pub object: ClassId,
    pub node: ClassId,
    pub leaf: ClassId,
    pub shape: ClassId,
    pub main: ClassId,
    pub exception: ClassId,
    pub value: FieldId,
    pub next: FieldId,
    pub counter: FieldId,
    pub root: FieldId,
    pub ints: Type,
    pub nodes: Type,
    pub leaves: Type,
}

impl World {
    /// A world in which the length of arrays is bounded.
    pub fn with_bounded_arrays() -> World {
        let mut world = World::new();
        world.program.profile_mut().max_array_length = Some(LONGEST_ARRAY);
        world
    }

    pub fn new() -> World {
        let mut program = Program::new();
        let mut class = |name: &str, superclass| {
            let span = Span::NONE;
            let (fields, methods, interfaces) = (vec![], vec![], vec![]);
            let is_abstract = name == "Shape";
            let name = name.into();
            program.add_class(Class {
                name,
                superclass,
                interfaces,
                fields,
                methods,
                is_abstract,
                is_final: false,
                is_interface: false,
                is_library: false,
                span,
            })
        };
        let object = class("Object", None);
        let node = class("Node", Some(object));
        let leaf = class("Leaf", Some(node));
        let shape = class("Shape", Some(object));
        let main = class("Main", Some(object));
        let exception = class("Exception", Some(object));
        let traps = Trap::ALL.map(|trap| (trap, class(&format!("{trap:?}"), Some(exception))));
        for (trap, class) in traps {
            program.set_trap_class(trap, class);
        }
        program.profile_mut().set_root(object);
        let mut field = |name: &str, class, ty, is_static| {
            program.add_field(Field { name: name.into(), class, ty, is_static, span: Span::NONE })
        };
        let value = field("value", node, INT, false);
        let next = field("next", node, Type::Class(node), false);
        let counter = field("counter", main, INT, true);
        let root = field("root", main, Type::Class(node), true);
        let ints = program.array_of(INT);
        let nodes = program.array_of(Type::Class(node));
        let leaves = program.array_of(Type::Class(leaf));
        World { program, object, node, leaf, shape, main, exception, value, next, counter, root, ints, nodes, leaves }
    }

    /// Adds a static method of `Main` whose parameters are the first locals of the code.
    pub fn method(&mut self, name: &str, params: usize, code: Code) -> MethodId {
        self.method_of(self.main, MethodKind::Static, name, params, code)
    }

    pub fn method_of(&mut self, class: ClassId, kind: MethodKind, name: &str, params: usize, code: Code) -> MethodId {
        let method = self.program.add_method(Method {
            name: name.into(),
            class,
            kind,
            params: code.body.locals[..params].iter().map(|local| local.ty).collect(),
            result: None,
            access: Access::Public,
            is_abstract: false,
            span: Span::NONE,
        });
        self.program.set_body(method, code.body);
        method
    }

    /// Runs a static method with this code on these arguments.
    pub fn run(mut self, code: Code, args: Vec<InputValue>) -> Outcome {
        let entry = self.method("entry", args.len(), code);
        self.start(entry, Inputs { args, ..Inputs::default() })
    }

    pub fn start(&self, entry: MethodId, inputs: Inputs) -> Outcome {
        run(&self.program, entry, &inputs, Limits::default(), &mut ()).expect("the input fits")
    }

    pub fn object_type(&self) -> Type {
        Type::Class(self.object)
    }

    pub fn trap(&self, trap: Trap) -> ClassId {
        self.program.trap_class(trap).unwrap()
    }
}

/// The code of a method. Operations go to the current block and get the lines 1, 2, ….
pub struct Code {
    pub body: Body,
    block: BlockId,
    line: u32,
}

impl Code {
    pub fn new() -> Code {
        let mut body = Body::default();
        let block = body.add_block(vec![]);
        Code { body, block, line: 0 }
    }

    /// The current block gets these handlers.
    pub fn handlers(&mut self, handlers: Vec<Handler>) {
        self.body.block_mut(self.block).handlers = handlers;
    }

    /// A new block. It does not become the current one.
    pub fn block(&mut self) -> BlockId {
        self.body.add_block(vec![])
    }

    pub fn at(&mut self, block: BlockId) {
        self.block = block;
    }

    pub fn local(&mut self, ty: Type) -> LocalId {
        self.body.add_temp(ty)
    }

    pub fn get(&mut self, local: LocalId) -> ExprId {
        self.body.add_expr(Expr::Local(local))
    }

    /// A new parameter: its local and an expression for it.
    pub fn param(&mut self, ty: Type) -> (LocalId, ExprId) {
        let local = self.local(ty);
        (local, self.get(local))
    }

    pub fn int(&mut self, ty: Type, value: i64) -> ExprId {
        self.body.add_expr(Expr::Const(Const::Int(value.into(), ty)))
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.body.add_expr(Expr::Const(Const::Bool(value)))
    }

    pub fn null(&mut self) -> ExprId {
        self.body.add_expr(Expr::Const(Const::Null))
    }

    pub fn unary(&mut self, op: UnaryOp, ty: Type, x: ExprId) -> ExprId {
        self.body.add_expr(Expr::Unary(op, ty, x))
    }

    pub fn binary(&mut self, op: BinaryOp, ty: Type, x: ExprId, y: ExprId) -> ExprId {
        self.body.add_expr(Expr::Binary(op, ty, x, y))
    }

    pub fn convert(&mut self, from: Type, to: Type, value: ExprId) -> ExprId {
        self.body.add_expr(Expr::Convert { from, to, value })
    }

    pub fn op(&mut self, kind: OpKind) -> &mut Self {
        let span = self.span();
        self.body.block_mut(self.block).ops.push(Op { kind, span });
        self
    }

    /// Adds an operation that sets a new local, and returns an expression for the local.
    pub fn set(&mut self, ty: Type, kind: impl FnOnce(LocalId) -> OpKind) -> ExprId {
        let dst = self.local(ty);
        self.op(kind(dst));
        self.get(dst)
    }

    pub fn end(&mut self, kind: TerminatorKind) {
        let span = self.span();
        self.body.block_mut(self.block).terminator = Terminator { kind, span };
    }

    pub fn ret(mut self, value: ExprId) -> Code {
        self.end(TerminatorKind::Return(Some(value)));
        self
    }

    pub fn ret_void(mut self) -> Code {
        self.end(TerminatorKind::Return(None));
        self
    }

    fn span(&mut self) -> Span {
        self.line += 1;
        Span { file: FileId(0), line: self.line, column: 0, length: 0 }
    }
}

pub fn int(value: impl Into<num_bigint::BigInt>) -> InputValue {
    InputValue::Int(value.into())
}

pub fn returned(value: Value) -> Outcome {
    Outcome::Returned(Some(value))
}

pub fn returned_int(value: i128) -> Outcome {
    returned(Value::Int(Int::from(value)))
}

pub fn returned_bool(value: bool) -> Outcome {
    returned(Value::Bool(value))
}

/// The value that a run returns, as text.
#[derive(Default)]
pub struct Shown(pub String);

impl Observer for Shown {
    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        if let Outcome::Returned(Some(value)) = outcome {
            self.0 = aback_witness::show_value(state, value);
        }
    }
}

/// The class, trap and line of origin of an uncaught exception. Panics if the run ends otherwise.
pub fn uncaught(outcome: Outcome) -> (ClassId, Option<Trap>, u32) {
    match outcome {
        Outcome::Uncaught { class, trap, origin, .. } => (class, trap, origin.span.line),
        other => panic!("{other:?}"),
    }
}

/// Runs the static method `Main.main` of a program in text form. The text itself declares the traps `NullDereference`,
/// `IndexOutOfBounds` and `NegativeArraySize` if it wants them.
pub fn run_text(text: &str, inputs: &Inputs, observer: &mut dyn Observer) -> Outcome {
    let program = text::parse(text).expect("the program is well formed");
    run(&program, main_of(&program), inputs, Limits::default(), observer).expect("the input fits")
}

pub fn main_of(program: &Program) -> MethodId {
    program.methods_named(program.class_named("Main").unwrap(), "main")[0]
}
