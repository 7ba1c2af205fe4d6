//! Provides what the tests share: loading snippets, printing diagnostics and code compactly, and checking that code is
//! well-formed.

#![allow(dead_code)] // Each test file is a crate of its own and uses a part.

use aback_ir::*;
use aback_lang_oox::{Loaded, load};

/// Loads one file.
pub fn load_one(source: &str) -> Loaded {
    load(vec![("T.oox".into(), source.into())])
}

/// `line:column severity: message` of every diagnostic.
pub fn shown(diagnostics: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| {
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        format!("{} {severity}: {}", d.span, d.message)
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether there is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// The code of all methods of the user's classes.
pub fn code(program: &Program) -> String {
    let mut text = String::new();
    for (id, method) in program.methods() {
        if let (true, Some(body)) = (program.class(method.class).span.is_known(), program.body(id)) {
            let printer = Printer { program, body };
            text += &format!("{}:\n{}", program.method_name(id), printer.body());
        }
    }
    text
}

struct Printer<'p> {
    program: &'p Program,
    body: &'p Body,
}

impl Printer<'_> {
    fn body(&self) -> String {
        let mut text = String::new();
        for id in self.body.block_ids() {
            let block = self.body.block(id);
            let handlers: Vec<String> = block
                .handlers
                .iter()
                .map(|h| {
                    let class = h.class.map_or("*", |c| &self.program.class(c).name);
                    format!(" [{class} {} -> {}]", self.local(h.exception), h.target.0)
                })
                .collect();
            text += &format!("{}:{}", id.0, handlers.concat());
            for op in &block.ops {
                text += &format!(" {};", self.op(&op.kind));
            }
            text += &format!(" {}\n", self.terminator(&block.terminator.kind));
        }
        text
    }

    fn local(&self, id: LocalId) -> &str {
        &self.body.local(id).name
    }

    fn field(&self, id: FieldId) -> &str {
        &self.program.field(id).name
    }

    fn op(&self, op: &OpKind) -> String {
        let (l, e) = (|id| self.local(id), |id| self.expr(id));
        match op {
            OpKind::Assign { dst, value } => format!("{} = {}", l(*dst), e(*value)),
            OpKind::Divide { dst, op, dividend, divisor } => {
                let op = if *op == DivideOp::Div { "/" } else { "%" };
                format!("{} = {} {op} {}", l(*dst), e(*dividend), e(*divisor))
            }
            OpKind::New { dst, class } => format!("{} = new {}", l(*dst), self.program.class(*class).name),
            OpKind::NewArray { dst, element, length } => {
                format!("{} = new {}[{}]", l(*dst), self.program.type_name(*element), e(*length))
            }
            OpKind::GetField { dst, object, field } => format!("{} = {}.{}", l(*dst), e(*object), self.field(*field)),
            OpKind::PutField { object, field, value } => {
                format!("{}.{} = {}", e(*object), self.field(*field), e(*value))
            }
            OpKind::ArrayGet { dst, array, index } => format!("{} = {}[{}]", l(*dst), e(*array), e(*index)),
            OpKind::ArrayPut { array, index, value } => format!("{}[{}] = {}", e(*array), e(*index), e(*value)),
            OpKind::ArrayLength { dst, array } => format!("{} = #{}", l(*dst), e(*array)),
            OpKind::InstanceOf { dst, object, ty } => {
                format!("{} = {} is {}", l(*dst), e(*object), self.program.type_name(*ty))
            }
            OpKind::Cast { dst, object, ty } => {
                format!("{} = ({}) {}", l(*dst), self.program.type_name(*ty), e(*object))
            }
            OpKind::Call { dst, dispatch, method, args } => {
                let dst = dst.map_or(String::new(), |dst| format!("{} = ", l(dst)));
                let args: Vec<String> = args.iter().map(|&a| e(a)).collect();
                let dispatch = format!("{dispatch:?}").to_lowercase();
                format!("{dst}{dispatch} {}({})", self.program.method_name(*method), args.join(", "))
            }
            OpKind::Quantify { dst, quantifier, array, index, element, body } => {
                let word = if *quantifier == Quantifier::ForAll { "forall" } else { "exists" };
                format!("{} = {word} {}, {}, {}: {}", l(*dst), e(*array), l(*index), l(*element), e(*body))
            }
            OpKind::Assume { condition } => format!("assume {}", e(*condition)),
            OpKind::Assert { condition, kind } => format!("{} {}", kind.keyword(), e(*condition)),
            other => format!("{other:?}"),
        }
    }

    fn expr(&self, id: ExprId) -> String {
        match self.body.expr(id) {
            Expr::Local(local) => self.local(*local).into(),
            Expr::Const(Const::Bool(value)) => value.to_string(),
            Expr::Const(Const::Int(value, Type::Int)) => value.to_string(),
            Expr::Const(Const::Int(value, _)) => format!("{value}c"),
            Expr::Const(Const::Null) => "null".into(),
            Expr::Const(other) => format!("{other:?}"),
            Expr::Unary(UnaryOp::Not, _, a) => format!("!{}", self.expr(*a)),
            Expr::Unary(_, _, a) => format!("-{}", self.expr(*a)),
            Expr::Binary(op, _, a, b) => {
                let op = match op {
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul => "*",
                    BinaryOp::And => "&",
                    BinaryOp::Or => "|",
                    BinaryOp::Eq => "==",
                    BinaryOp::Ne => "!=",
                    BinaryOp::Lt => "<",
                    BinaryOp::Le => "<=",
                    BinaryOp::Gt => ">",
                    BinaryOp::Ge => ">=",
                    _ => "?",
                };
                format!("({} {op} {})", self.expr(*a), self.expr(*b))
            }
            Expr::Select(c, a, b) => format!("({} ? {} : {})", self.expr(*c), self.expr(*a), self.expr(*b)),
            Expr::Convert { to, value, .. } | Expr::Bits { to, value, .. } => {
                format!("({}) {}", self.program.type_name(*to), self.expr(*value))
            }
        }
    }

    fn terminator(&self, kind: &TerminatorKind) -> String {
        match kind {
            TerminatorKind::Goto(target) => format!("-> {}", target.0),
            TerminatorKind::Branch { condition, then_block, else_block } => {
                format!("{} -> {} else {}", self.expr(*condition), then_block.0, else_block.0)
            }
            TerminatorKind::Return(None) => "return".into(),
            TerminatorKind::Return(Some(value)) => format!("return {}", self.expr(*value)),
            TerminatorKind::Throw(value) => format!("throw {}", self.expr(*value)),
            other => format!("{other:?}"),
        }
    }
}

/// Panics unless the program is well-formed: every method has a body, types agree, expressions come after their
/// operands and are not deep, every block has a terminator, and everything has a place in the source.
pub fn verify(program: &Program) {
    for (id, method) in program.methods() {
        let name = program.method_name(id);
        let body = program.body(id).unwrap_or_else(|| panic!("{name} has no body"));
        let has_place = program.class(method.class).span.is_known() && method.span.is_known();
        Verifier { program, method, body, name, has_place }.run();
    }
}

struct Verifier<'p> {
    program: &'p Program,
    method: &'p Method,
    body: &'p Body,
    name: String,
    has_place: bool,
}

impl Verifier<'_> {
    fn run(&self) {
        for (local, &ty) in self.body.locals.iter().zip(&self.method.params) {
            assert_eq!(local.ty, ty, "{}: parameter {}", self.name, local.name);
        }
        let mut depths: Vec<u32> = Vec::new();
        for expr in &self.body.exprs {
            let parts: Vec<ExprId> = match *expr {
                Expr::Local(_) | Expr::Const(_) => vec![],
                Expr::Unary(_, ty, a) => vec![self.typed(a, ty)],
                Expr::Binary(_, ty, a, b) => vec![self.typed(a, ty), self.typed(b, ty)],
                Expr::Select(c, a, b) => vec![self.typed(c, Type::Bool), a, b],
                Expr::Convert { from, value, .. } | Expr::Bits { from, value, .. } => vec![self.typed(value, from)],
            };
            let depth = parts.iter().map(|p| depths[p.index()]).max().unwrap_or(0) + 1;
            assert!(depth <= 66, "{}: an expression is {depth} deep", self.name);
            depths.push(depth);
        }
        self.bound_locals_stay_in_their_formulas();
        for block in &self.body.blocks {
            for op in &block.ops {
                assert!(!self.has_place || op.span.is_known(), "{}: {:?} has no place", self.name, op.kind);
                self.op(&op.kind);
            }
            let end = &block.terminator;
            assert!(!self.has_place || end.span.is_known(), "{}: {end:?} has no place", self.name);
            assert_ne!(end.kind, TerminatorKind::Unreachable, "{}: a block has no end", self.name);
            match end.kind {
                TerminatorKind::Branch { condition, .. } => {
                    self.typed(condition, Type::Bool);
                }
                TerminatorKind::Return(value) => {
                    assert_eq!(value.is_some(), self.method.result.is_some(), "{}: return", self.name);
                    if let (Some(value), Some(ty)) = (value, self.method.result) {
                        self.typed(value, ty);
                    }
                }
                _ => {}
            }
            for handler in &block.handlers {
                assert!(self.body.block(handler.target).handlers.len() < block.handlers.len());
            }
        }
    }

    fn bound_locals_stay_in_their_formulas(&self) {
        let ops = || self.body.blocks.iter().flat_map(|block| &block.ops);
        let mut bound = Vec::new();
        for op in ops() {
            if let OpKind::Quantify { index, element, .. } = op.kind {
                bound.extend([index, element]);
            }
        }
        let mut open: Vec<bool> = Vec::new();
        for expr in &self.body.exprs {
            let is_open = |e: &ExprId| open[e.index()];
            let value = match expr {
                Expr::Local(local) => bound.contains(local),
                Expr::Const(_) => false,
                Expr::Unary(_, _, a) | Expr::Convert { value: a, .. } | Expr::Bits { value: a, .. } => is_open(a),
                Expr::Binary(_, _, a, b) => is_open(a) || is_open(b),
                Expr::Select(a, b, c) => is_open(a) || is_open(b) || is_open(c),
            };
            open.push(value);
        }
        for op in ops() {
            let used = match &op.kind {
                OpKind::Assign { value, .. } => vec![*value],
                OpKind::ArrayLength { array, .. } => vec![*array],
                OpKind::ArrayGet { array, index, .. } => vec![*array, *index],
                OpKind::GetField { object, .. } => vec![*object],
                OpKind::Assert { condition, .. } | OpKind::Assume { condition } => vec![*condition],
                OpKind::Call { args, .. } => args.clone(),
                _ => vec![],
            };
            assert!(used.iter().all(|e| !open[e.index()]), "{}: {op:?} uses a bound variable", self.name);
        }
        for block in &self.body.blocks {
            if let TerminatorKind::Branch { condition, .. } = &block.terminator.kind {
                assert!(!open[condition.index()], "{}: a branch on a bound variable", self.name);
            }
        }
    }

    /// Checks that an expression can be used where a type is expected.
    fn typed(&self, expr: ExprId, wanted: Type) -> ExprId {
        let found = self.body.expr_type(expr);
        let related = self.program.is_assignable(found, wanted) || (found.is_reference() && wanted == Type::Null);
        // References of unrelated classes are compared at the type of one of them.
        let compared = found.is_reference() && wanted.is_reference();
        assert!(related || compared, "{}: {found:?} where {wanted:?} is wanted", self.name);
        expr
    }

    fn op(&self, op: &OpKind) {
        let local = |id: LocalId| self.body.local(id).ty;
        let strictly = |expr: ExprId, wanted: Type| {
            let found = self.body.expr_type(expr);
            assert!(self.program.is_assignable(found, wanted), "{}: {op:?}: {found:?} for {wanted:?}", self.name);
        };
        match op {
            OpKind::Assign { dst, value } => strictly(*value, local(*dst)),
            OpKind::Divide { dst, dividend, divisor, .. } => {
                assert_eq!(local(*dst), Type::Int);
                strictly(*dividend, Type::Int);
                strictly(*divisor, Type::Int);
            }
            OpKind::GetField { dst, object, field } => {
                let field = self.program.field(*field);
                strictly(*object, Type::Class(field.class));
                assert_eq!(local(*dst), field.ty);
            }
            OpKind::PutField { object, field, value } => {
                let field = self.program.field(*field);
                strictly(*object, Type::Class(field.class));
                strictly(*value, field.ty);
            }
            OpKind::ArrayGet { array, index, .. } | OpKind::ArrayPut { array, index, .. } => {
                strictly(*index, Type::Int);
                let Type::Array(id) = self.body.expr_type(*array) else { panic!("{}: {op:?}", self.name) };
                let element = self.program.element_type(id);
                match op {
                    OpKind::ArrayPut { value, .. } => strictly(*value, element),
                    OpKind::ArrayGet { dst, .. } => assert_eq!(local(*dst), element),
                    _ => {}
                }
            }
            OpKind::Call { dst, method, args, .. } => {
                let method = self.program.method(*method);
                assert_eq!(args.len(), method.params.len(), "{}: {op:?}", self.name);
                for (&arg, &ty) in args.iter().zip(&method.params) {
                    strictly(arg, ty);
                }
                if let Some(dst) = dst {
                    assert_eq!(Some(local(*dst)), method.result);
                }
            }
            OpKind::Assume { condition } | OpKind::Assert { condition, .. } => strictly(*condition, Type::Bool),
            OpKind::Quantify { body, index, .. } => {
                strictly(*body, Type::Bool);
                assert_eq!(local(*index), Type::Int);
            }
            _ => {}
        }
    }
}
