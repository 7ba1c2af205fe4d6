//! Properties over programs, graphs and texts that chance makes.

use aback_ir::analysis::*;
use aback_ir::text::{parse, print};
use aback_ir::*;
use num_bigint::BigInt;
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

/// Choices, read from bytes that proptest makes and shrinks.
struct Chance<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl<'b> Chance<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Chance { bytes: bytes.iter() }
    }

    /// A number below `n`; 0 when the bytes are used up.
    fn below(&mut self, n: usize) -> usize {
        self.bytes.next().map_or(0, |&byte| byte as usize) % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | self.below(256) as u64)
    }
}

// ---- programs -----------------------------------------------------------------------------------------------

const NAMES: &[&str] =
    &["x", "i", "new", "i32", "a b", "", "\"\\\n", "%3", "<init>", "é", "a.b", "a..b", "x~1", "\u{202e}", "#1", "9"];

const NUMBERS: &[Type] = &[
    Type::Int,
    Type::Machine { width: 8, signed: true },
    Type::Machine { width: 16, signed: false },
    Type::Machine { width: 32, signed: true },
    Type::Machine { width: 64, signed: true },
    Type::F32,
    Type::F64,
];

struct Maker<'b> {
    chance: Chance<'b>,
    program: Program,
    types: Vec<Type>,
    /// Whether expressions are used more than once.
    shares: bool,
}

impl Maker<'_> {
    fn program(mut self) -> Program {
        for name in &NAMES[..self.chance.below(3)] {
            self.program.add_file(SourceFile { path: name.into(), text: None });
        }
        let mut types = vec![Type::Bool];
        types.extend(NUMBERS);
        for index in 0..1 + self.chance.below(4) as u32 {
            let parents: Vec<ClassId> = (0..index).map(ClassId).collect();
            let (interfaces, classes): (Vec<ClassId>, Vec<ClassId>) =
                parents.into_iter().partition(|&c| self.program.class(c).is_interface);
            let class = Class {
                name: format!("{}{index}", self.chance.of(NAMES)),
                superclass: Some(self.chance.below(3)).and_then(|i| classes.get(i).copied()),
                interfaces: interfaces.into_iter().filter(|_| self.chance.one_in(2)).collect(),
                fields: vec![],
                methods: vec![],
                is_abstract: index != 0 && self.chance.one_in(3),
                is_final: self.chance.one_in(8),
                is_interface: index != 0 && self.chance.one_in(3),
                is_library: self.chance.one_in(4),
                span: self.span(),
            };
            types.push(Type::Class(self.program.add_class(class)));
        }
        for _ in 0..3 {
            let element = self.chance.of(&types);
            types.push(self.program.array_of(element));
        }
        self.types = types;
        for trap in Trap::ALL {
            self.program.set_trap_class(trap, ClassId(0));
        }
        for class in (0..self.program.class_count() as u32).map(ClassId) {
            for index in 0..self.chance.below(3) {
                let (name, ty) = (format!("{}{index}", self.chance.of(NAMES)), self.ty());
                let (is_static, span) = (self.chance.one_in(2), self.span());
                self.program.add_field(Field { name, class, ty, is_static, span });
            }
            for index in 0..self.chance.below(4) {
                self.method(class, index);
            }
        }
        for method in (0..self.program.method_count() as u32).map(MethodId) {
            if self.chance.below(4) != 3 {
                let body = self.body(method);
                self.program.set_body(method, body);
            }
        }
        self.program
    }

    fn method(&mut self, class: ClassId, index: usize) {
        let kind = self.chance.of(&[MethodKind::Static, MethodKind::Instance, MethodKind::Constructor]);
        // One name for several methods; a number as another parameter tells them apart.
        let mut params = vec![Type::Machine { width: 8 << index, signed: false }];
        if kind != MethodKind::Static {
            params.insert(0, Type::Class(class));
        }
        params.extend((0..self.chance.below(2)).map(|_| self.ty()));
        let result = if self.chance.one_in(2) { Some(self.ty()) } else { None };
        let (name, span) = (self.chance.of(&["m", "<init>", "odd\tname"]).to_owned(), self.span());
        let access = self.chance.of(&[Access::Private, Access::Package, Access::Protected, Access::Public]);
        self.program.add_method(Method { name, class, kind, params, result, access, is_abstract: true, span });
    }

    fn ty(&mut self) -> Type {
        let types = self.types.clone();
        self.chance.of(&types)
    }

    fn span(&mut self) -> Span {
        let files = self.program.file_count();
        if files == 0 || self.chance.one_in(2) {
            return Span::NONE;
        }
        let mut number = || self.chance.below(3) as u32;
        let (line, column, length) = (number(), number(), number());
        Span { file: FileId(self.chance.below(files) as u32), line, column, length }
    }

    fn body(&mut self, method: MethodId) -> Body {
        let declared = self.program.method(method).clone();
        let mut body = Body::default();
        for &ty in &declared.params {
            body.add_local(self.chance.of(NAMES), ty);
        }
        // One of each type, so that there is always somewhere to put a value.
        for ty in self.types.clone() {
            body.add_local(self.chance.of(NAMES), ty);
        }
        let exception = body.add_local("e", Type::Class(ClassId(0)));
        let blocks = 1 + self.chance.below(4) as u32;
        for _ in 0..blocks {
            let mut handlers = Vec::new();
            for _ in 0..self.chance.below(3) {
                let class = if self.chance.one_in(2) { None } else { Some(ClassId(0)) };
                handlers.push(Handler { class, target: BlockId(self.chance.below(blocks as usize) as u32), exception });
            }
            body.add_block(handlers);
        }
        for block in body.block_ids() {
            for _ in 0..self.chance.below(6) {
                if let Some(kind) = self.op(&mut body) {
                    let span = self.span();
                    body.block_mut(block).ops.push(Op { kind, span });
                }
            }
            let kind = self.terminator(&mut body, declared.result, blocks);
            let span = self.span();
            body.block_mut(block).terminator = Terminator { kind, span };
        }
        body
    }

    fn terminator(&mut self, body: &mut Body, result: Option<Type>, blocks: u32) -> TerminatorKind {
        match self.chance.below(6) {
            0 => TerminatorKind::Return(result.map(|ty| self.expr(body, ty, 3))),
            1 => TerminatorKind::Goto(self.block(blocks)),
            2 => {
                let condition = self.expr(body, Type::Bool, 4);
                TerminatorKind::Branch { condition, then_block: self.block(blocks), else_block: self.block(blocks) }
            }
            3 => {
                let value = self.expr(body, Type::Int, 2);
                let cases = (0..self.chance.below(3)).map(|i| (BigInt::from(i) - 1, self.block(blocks))).collect();
                TerminatorKind::Switch { value, cases, default: self.block(blocks) }
            }
            4 => TerminatorKind::Throw(self.expr(body, Type::Class(ClassId(0)), 2)),
            _ => TerminatorKind::Unreachable,
        }
    }

    fn block(&mut self, blocks: u32) -> BlockId {
        BlockId(self.chance.below(blocks as usize) as u32)
    }

    /// A local of exactly this type.
    fn local(&mut self, body: &mut Body, ty: Type) -> LocalId {
        let all: Vec<u32> = (0..body.locals.len() as u32).filter(|&l| body.locals[l as usize].ty == ty).collect();
        if all.is_empty() { body.add_temp(ty) } else { LocalId(self.chance.of(&all)) }
    }

    /// An operation on what there is, if it suits.
    fn op(&mut self, body: &mut Body) -> Option<OpKind> {
        let ty = self.ty();
        let int = Type::Int;
        let arrays: Vec<Type> = self.types.iter().copied().filter(|ty| matches!(ty, Type::Array(_))).collect();
        let array = self.chance.of(&arrays);
        let Type::Array(array_id) = array else { return None };
        let element = self.program.element_type(array_id);
        let fields: Vec<FieldId> = self.program.fields().map(|(id, _)| id).collect();
        let methods: Vec<MethodId> = self.program.methods().map(|(id, _)| id).collect();
        Some(match self.chance.below(16) {
            0 => OpKind::Assign { dst: self.local(body, ty), value: self.expr(body, ty, 5) },
            1 => {
                let ty = self.chance.of(&NUMBERS[..5]);
                let op = self.chance.of(&[DivideOp::Div, DivideOp::Rem]);
                let dst = self.local(body, ty);
                OpKind::Divide { dst, op, dividend: self.expr(body, ty, 3), divisor: self.expr(body, ty, 3) }
            }
            2 => OpKind::New { dst: self.local(body, Type::Class(ClassId(0))), class: ClassId(0) },
            3 => OpKind::NewArray { dst: self.local(body, array), element, length: self.expr(body, int, 2) },
            4 if !fields.is_empty() => {
                let field = self.chance.of(&fields);
                let declared = self.program.field(field).clone();
                let class = Type::Class(declared.class);
                match (declared.is_static, self.chance.one_in(2)) {
                    (true, true) => OpKind::PutStatic { field, value: self.expr(body, declared.ty, 2) },
                    (true, false) => OpKind::GetStatic { dst: self.local(body, declared.ty), field },
                    (false, true) => OpKind::PutField {
                        object: self.expr(body, class, 2),
                        field,
                        value: self.expr(body, declared.ty, 2),
                    },
                    (false, false) => OpKind::GetField {
                        dst: self.local(body, declared.ty),
                        object: self.expr(body, class, 2),
                        field,
                    },
                }
            }
            5 => OpKind::ArrayGet {
                dst: self.local(body, element),
                array: self.expr(body, array, 2),
                index: self.expr(body, int, 2),
            },
            6 => OpKind::ArrayPut {
                array: self.expr(body, array, 2),
                index: self.expr(body, int, 2),
                value: self.expr(body, element, 2),
            },
            7 => OpKind::ArrayLength { dst: self.local(body, int), array: self.expr(body, array, 2) },
            8 => OpKind::InstanceOf { dst: self.local(body, Type::Bool), object: self.expr(body, array, 2), ty: array },
            9 => OpKind::Cast { dst: self.local(body, array), object: self.expr(body, array, 2), ty: array },
            10 if !methods.is_empty() => {
                let method = self.chance.of(&methods);
                let callee = self.program.method(method).clone();
                let dispatch = match callee.kind {
                    MethodKind::Static => Dispatch::Static,
                    MethodKind::Constructor => Dispatch::Special,
                    MethodKind::Instance => self.chance.of(&[Dispatch::Virtual, Dispatch::Special]),
                };
                let args = callee.params.iter().map(|&ty| self.expr(body, ty, 2)).collect();
                let dst = callee.result.filter(|_| self.chance.one_in(2)).map(|ty| self.local(body, ty));
                OpKind::Call { dst, dispatch, method, args }
            }
            11 => OpKind::Intrinsic { dst: Some(self.local(body, ty)), intrinsic: Intrinsic::Nondet(ty), args: vec![] },
            12 if element != int => OpKind::Quantify {
                dst: self.local(body, Type::Bool),
                quantifier: self.chance.of(&[Quantifier::ForAll, Quantifier::Exists]),
                array: self.expr(body, array, 2),
                index: self.local(body, int),
                element: self.local(body, element),
                body: self.expr(body, Type::Bool, 3),
            },
            13 => OpKind::Assume { condition: self.expr(body, Type::Bool, 4) },
            14 => {
                use AssertKind::*;
                let kind = self.chance.of(&[Assert, Requires, Ensures, Exceptional]);
                OpKind::Assert { condition: self.expr(body, Type::Bool, 4), kind }
            }
            15 => OpKind::Doubt { without: "some \"objects\" are not given".into() },
            _ => return None,
        })
    }

    /// An expression of this type; operands are added before it, from left to right, as the parser does.
    fn expr(&mut self, body: &mut Body, ty: Type, depth: u32) -> ExprId {
        use BinaryOp::*;
        if self.shares && self.chance.one_in(3) {
            let types = body.expr_types();
            let same: Vec<u32> = (0..types.len() as u32).filter(|&e| types[e as usize] == ty).collect();
            if !same.is_empty() {
                return ExprId(self.chance.of(&same));
            }
        }
        let choice = if depth == 0 { self.chance.below(2) } else { self.chance.below(7) };
        let expr = match (choice, ty) {
            (2, _) => {
                let condition = self.expr(body, Type::Bool, depth - 1);
                let then = self.expr(body, ty, depth - 1);
                Expr::Select(condition, then, self.expr(body, ty, depth - 1))
            }
            (3, Type::Bool) => {
                let operand = self.ty();
                let op = self.chance.of(&[Eq, Ne]);
                let left = self.expr(body, operand, depth - 1);
                Expr::Binary(op, operand, left, self.expr(body, operand, depth - 1))
            }
            (4, Type::Bool) => {
                let operand = self.chance.of(NUMBERS);
                let op = self.chance.of(&[Lt, Le, Gt, Ge]);
                let left = self.expr(body, operand, depth - 1);
                Expr::Binary(op, operand, left, self.expr(body, operand, depth - 1))
            }
            (5, Type::Bool) => Expr::Unary(UnaryOp::Not, ty, self.expr(body, ty, depth - 1)),
            (3.., Type::Bool) => {
                let op = self.chance.of(&[And, Or, Xor]);
                let left = self.expr(body, ty, depth - 1);
                Expr::Binary(op, ty, left, self.expr(body, ty, depth - 1))
            }
            (3, ty) if NUMBERS.contains(&ty) => {
                let from = self.chance.of(NUMBERS);
                Expr::Convert { from, to: ty, value: self.expr(body, from, depth - 1) }
            }
            (4, Type::Machine { .. }) => {
                let op = self.chance.of(&[Shl, ShrSigned, ShrUnsigned]);
                let left = self.expr(body, ty, depth - 1);
                let distance = self.chance.of(&NUMBERS[..5]);
                Expr::Binary(op, ty, left, self.expr(body, distance, depth - 1))
            }
            (5, ty) if NUMBERS.contains(&ty) => {
                let bits = matches!(ty, Type::Machine { .. }) && self.chance.one_in(2);
                let op = if bits { UnaryOp::BitNot } else { UnaryOp::Neg };
                Expr::Unary(op, ty, self.expr(body, ty, depth - 1))
            }
            (3.., ty) if NUMBERS.contains(&ty) => {
                let ops: &[BinaryOp] = match ty {
                    Type::F32 | Type::F64 => &[Add, Sub, Mul, FloatDiv, FloatRem],
                    Type::Int => &[Add, Sub, Mul],
                    _ => &[Add, Sub, Mul, And, Or, Xor],
                };
                let op = self.chance.of(ops);
                let left = self.expr(body, ty, depth - 1);
                Expr::Binary(op, ty, left, self.expr(body, ty, depth - 1))
            }
            (0, Type::Bool) => Expr::Const(Const::Bool(self.chance.one_in(2))),
            (0, Type::F32) => Expr::Const(Const::F32(self.chance.word() as u32)),
            (0, Type::F64) => Expr::Const(Const::F64(self.chance.word())),
            (0, Type::Int) => {
                let value = BigInt::from(self.chance.word() as i64).pow(self.chance.below(4) as u32);
                Expr::Const(Const::Int(value, ty))
            }
            (0, Type::Machine { width, signed }) => {
                let word = self.chance.word();
                let value =
                    if signed { BigInt::from(word as i64 >> (64 - width)) } else { BigInt::from(word >> (64 - width)) };
                Expr::Const(Const::Int(value, ty))
            }
            _ => Expr::Local(self.local(body, ty)),
        };
        body.add_expr(expr)
    }
}

fn make(bytes: &[u8], shares: bool) -> Program {
    let program = Program::new();
    Maker { chance: Chance::new(bytes), program, types: Vec::new(), shares }.program()
}

/// A body with array types by name, because a program that was read may have them in another order.
fn show(program: &Program, body: &Body) -> String {
    let mut text = format!("{body:?}");
    for array in (0..program.array_type_count() as u32).map(ArrayTypeId) {
        text = text.replace(&format!("ArrayTypeId({})", array.0), &program.type_name(Type::Array(array)));
    }
    text
}

// ---- graphs -------------------------------------------------------------------------------------------------

/// Methods `m0` to `m2` of a few blocks with calls, divisions, handlers and targets.
fn graph_text(bytes: &[u8]) -> String {
    let mut chance = Chance::new(bytes);
    let mut text = String::from("class E {} trap DivisionByZero E; trap NullDereference E\nclass A {\n");
    for method in 0..3 {
        let _ = writeln!(text, "static method m{method}(c: bool, n: i32, e: E) {{");
        let blocks = 1 + chance.below(5);
        for block in 0..blocks {
            let handlers: &[&str] = &["", "", " on E(e) goto b{}", " on any(e) goto b{}"];
            let handler = chance.of(handlers).replace("{}", &chance.below(blocks).to_string());
            let _ = writeln!(text, "b{block}:{handler}");
            for _ in 0..chance.below(4) {
                let op = match chance.below(7) {
                    0 => "assert false".to_owned(),
                    1 | 2 => format!("call static A::m{}(c, n, e)", chance.below(3)),
                    3 => "n := n div n".to_owned(),
                    _ => "n := n".to_owned(),
                };
                let _ = writeln!(text, "{op}");
            }
            let (one, other) = (chance.below(blocks), chance.below(blocks));
            let end = match chance.below(6) {
                0 => "return".to_owned(),
                1 => "throw e".to_owned(),
                2 => format!("goto b{one}"),
                _ => format!("if c goto b{one} else b{other}"),
            };
            let _ = writeln!(text, "{end}");
        }
        text += "}\n";
    }
    text + "}"
}

type State = Vec<(MethodId, Point)>;

/// Where an exception that is thrown in the running frame may lead, one state for each handler.
fn thrown(program: &Program, mut state: State) -> Vec<State> {
    let mut found = Vec::new();
    while let Some((method, point)) = state.pop() {
        let body = program.body(method).expect("a body");
        for handler in &body.block(point.block).handlers {
            let mut next = state.clone();
            next.push((method, Point { block: handler.target, op: 0 }));
            found.push(next);
            if handler.class.is_none() {
                return found;
            }
        }
    }
    found
}

/// The states that one step of execution leads to, conditions aside.
fn steps(program: &Program, state: &State) -> Vec<State> {
    let Some(&(method, point)) = state.last() else { return Vec::new() };
    let block = program.body(method).expect("a body").block(point.block);
    let to = |point: Point| {
        let mut next = state.clone();
        next.pop();
        next.push((method, point));
        next
    };
    let Some(op) = block.ops.get(point.op as usize) else {
        let mut next: Vec<State> =
            block.terminator.kind.successors().into_iter().map(|block| to(Point { block, op: 0 })).collect();
        match block.terminator.kind {
            TerminatorKind::Throw(_) => next = thrown(program, state.clone()),
            TerminatorKind::Return(_) => {
                let mut callers = state.clone();
                callers.pop();
                if let Some((_, call)) = callers.last_mut() {
                    call.op += 1;
                    next.push(callers);
                }
            }
            _ => {}
        }
        return next;
    };
    let mut next = if op.kind.traps().is_empty() { Vec::new() } else { thrown(program, state.clone()) };
    match op.kind {
        OpKind::Call { method, .. } => {
            let mut callee = state.clone();
            callee.push((method, Point { block: Body::ENTRY, op: 0 }));
            next.push(callee);
        }
        _ => next.push(to(Point { op: point.op + 1, ..point })),
    }
    next
}

/// Deepest stack that the search by hand looks at.
const DEEPEST: usize = 5;

/// The number of steps to a target, found by trying, and whether all states were tried.
fn search(program: &Program, targets: &BTreeSet<(MethodId, Point)>, start: State) -> (Option<u32>, bool) {
    let mut complete = true;
    let mut seen = BTreeSet::from([start.clone()]);
    let mut pending = VecDeque::from([(start, 0)]);
    while let Some((state, cost)) = pending.pop_front() {
        if state.last().is_some_and(|point| targets.contains(point)) {
            return (Some(cost), complete);
        }
        for next in steps(program, &state) {
            if next.len() > DEEPEST {
                complete = false;
            } else if seen.insert(next.clone()) {
                pending.push_back((next, cost + 1));
            }
        }
    }
    (None, complete)
}

/// Blocks that can be reached from `from` along edges of both kinds without entering `without`.
fn reach(cfg: &Cfg, from: BlockId, without: Option<BlockId>) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(block) = pending.pop() {
        if Some(block) != without && seen.insert(block) {
            pending.extend(cfg.successors(block).chain(cfg.exceptional_successors(block)));
        }
    }
    seen
}

proptest! {
    #[test]
    fn what_is_printed_parses_to_the_same(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let first = make(&bytes, false);
        prop_assert_eq!(validate(&first), []);
        let text = print(&first);
        let second = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(print(&second), text);
        // Methods come class by class in both.
        for ((id, a), (other, b)) in first.methods().zip(second.methods()) {
            let shown = |program, body: Option<&Body>| body.as_ref().map(|body| show(program, body));
            prop_assert_eq!(shown(&first, first.body(id)), shown(&second, second.body(other)));
            prop_assert_eq!((&a.name, a.kind, a.span), (&b.name, b.kind, b.span));
        }
    }

    #[test]
    fn shared_expressions_print_and_parse(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let text = print(&make(&bytes, true));
        let second = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(print(&second), text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".*") {
        let _ = parse(&text);
        let _ = parse(&format!("class A {{ static method f(i: int, a: A[]) {{ b0:\n{text}\nreturn }} }}"));
    }

    #[test]
    fn no_change_of_a_text_makes_the_parser_panic(edits in prop::collection::vec((any::<u16>(), 0..40usize, any::<u16>(), 0..4u8), 1..6)) {
        let mut text: Vec<char> = include_str!("every_operation.ir").chars().collect();
        for (at, length, other, kind) in edits {
            let at = at as usize % text.len();
            let end = (at + length).min(text.len());
            let other = other as usize % text.len();
            match kind {
                0 => drop(text.drain(at..end)),
                1 => { let copy = text[at..end].to_vec(); text.splice(other..other, copy); }
                2 => text.swap(at, other),
                _ => text[at] = ['(', ')', '{', '}', '"', '\n', ';', ':', '-', '#', '@', '9', 'é', '\\'][length % 14],
            }
            if text.is_empty() {
                return Ok(());
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(program) = parse(&text) {
            let printed = print(&program);
            let again = parse(&printed).map_err(|e| TestCaseError::fail(format!("{e}\n{printed}")))?;
            prop_assert_eq!(print(&again), printed);
        }
    }

    #[test]
    fn distances_are_those_of_a_search_by_hand(bytes in prop::collection::vec(any::<u8>(), 0..150)) {
        let text = graph_text(&bytes);
        let program = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        let methods: Vec<MethodId> = program.methods().map(|(id, _)| id).collect();
        let (mut targets, mut calls) = (BTreeSet::new(), Vec::new());
        for &method in &methods {
            let body = program.body(method).expect("a body");
            for block in body.block_ids() {
                for (op, kind) in body.block(block).ops.iter().map(|op| &op.kind).enumerate() {
                    let point = (method, Point { block, op: op as u32 });
                    match kind {
                        OpKind::Assert { .. } => drop(targets.insert(point)),
                        OpKind::Call { method, .. } => calls.push((point, *method)),
                        _ => {}
                    }
                }
            }
        }
        let graph = CallGraph::new(&program, &CallGraphConfig::new(methods.iter().copied()));
        let distance = Distance::new(&program, &graph, targets.iter().copied());
        let mut states: Vec<State> = Vec::new();
        for &method in &methods {
            for (block, content) in program.body(method).expect("a body").blocks.iter().enumerate() {
                for op in 0..=content.ops.len() as u32 {
                    let point = (method, Point { block: BlockId(block as u32), op });
                    states.push(vec![point]);
                    states.extend(calls.iter().filter(|(_, callee)| *callee == method).map(|&(call, _)| vec![call, point]));
                }
            }
        }
        for state in states.into_iter().take(60) {
            let found = distance.of_stack(&state);
            let (expected, complete) = search(&program, &targets, state.clone());
            if complete {
                prop_assert_eq!(found, expected, "{:?}\n{}", state, text);
            } else if let Some(expected) = expected {
                prop_assert!(found.is_some_and(|found| found <= expected), "{:?}: {:?} {}\n{}", state, found, expected, text);
            }
        }
    }

    #[test]
    fn dominators_and_loops_are_those_of_their_definitions(bytes in prop::collection::vec(any::<u8>(), 0..150)) {
        let program = parse(&graph_text(&bytes)).expect("a program");
        for (id, _) in program.methods() {
            let body = program.body(id).expect("a body");
            let cfg = Cfg::new(body);
            let (dominators, post_dominators) = (Dominators::new(&cfg), PostDominators::new(&cfg));
            let loops = Loops::new(&cfg, &dominators);
            let reachable = reach(&cfg, Body::ENTRY, None);
            let leaves = |from: BlockId, without: Option<BlockId>| reach(&cfg, from, without).iter().any(|&b| cfg.leaves(b));
            for a in body.block_ids() {
                let without = reach(&cfg, Body::ENTRY, Some(a));
                for b in body.block_ids() {
                    let expected = reachable.contains(&a) && reachable.contains(&b) && !without.contains(&b);
                    prop_assert_eq!(dominators.dominates(a, b), expected);
                    let expected = leaves(a, None) && leaves(b, None) && !leaves(b, Some(a));
                    prop_assert_eq!(post_dominators.post_dominates(a, b), expected);
                }
                let back: Vec<BlockId> = cfg.predecessors(a).filter(|&b| dominators.dominates(a, b)).collect();
                match loops.with_header(a) {
                    None => prop_assert!(back.is_empty()),
                    Some(id) => {
                        prop_assert_eq!(&loops.get(id).back_edges, &back);
                        let inside = |b: BlockId| {
                            b == a || (reachable.contains(&b) && reach(&cfg, b, Some(a)).iter().any(|b| back.contains(b)))
                        };
                        let expected: BTreeSet<BlockId> = body.block_ids().filter(|&b| inside(b)).collect();
                        prop_assert_eq!(loops.blocks(id).into_iter().collect::<BTreeSet<_>>(), expected);
                    }
                }
            }
        }
    }
}
