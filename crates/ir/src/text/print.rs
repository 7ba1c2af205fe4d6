//! Prints programs.
//!
//! Expressions are written infix, with parentheses around every operator inside another. An expression that is large
//! and used more than once, or nested deeply, gets a name (`let #0 := …`). So the text is never longer than a constant
//! times the program, and never nested deeper than the parser allows. An id that is out of range is written as `?7`.
//! This does not parse, but makes broken programs readable.

use super::lex::plain_name_length;
use super::{MAX_DECIMAL_DIGITS, access_word, is_reserved, trap_name};
use crate::body::*;
use crate::program::{Access, ClassId, FieldId, MethodId, MethodKind, Program, Trap, Type};
use crate::span::{FileId, Span};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Depth at which an expression gets a name, in levels. The parser counts up to two levels for one.
const NAMED_DEPTH: u32 = 64;

/// Number of nodes above which an expression that is used more than once gets a name.
const NAMED_SIZE: u32 = 8;

/// Most locals that are declared on one line.
const LOCALS_PER_LINE: usize = 8;

/// The whole program as text; [`super::parse`] reads it back.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    for (FileId(index), file) in program.files() {
        line(&mut out, format_args!("file {index} {}", quoted(&file.path.to_string_lossy())));
    }
    if let Some(class) = program.array_superclass() {
        line(&mut out, format_args!("arrays {}", class_name(program, class)));
    }
    if program.index_type() != Type::Int {
        put(&mut out, format_args!("indices {}", print_type(program, program.index_type())));
        if let Some(most) = program.max_array_length() {
            put(&mut out, format_args!(" most {most}"));
        }
        out.push('\n');
    }
    for trap in Trap::ALL {
        if let Some(class) = program.trap_class(trap) {
            put(&mut out, format_args!("trap {} {}", trap_name(trap), class_name(program, class)));
            if let Some(thrower) = program.trap_thrower(trap) {
                put(&mut out, format_args!(" by {}", method_name(program, thrower)));
            }
            out.push('\n');
        }
    }
    for (id, _) in program.classes() {
        if !out.is_empty() {
            out.push('\n');
        }
        print_class(program, id, &mut out);
    }
    out
}

/// Some classes as text, each as in the text of the whole program.
pub fn print_classes(program: &Program, classes: &[ClassId]) -> String {
    let mut out = String::new();
    for &class in classes {
        if !out.is_empty() {
            out.push('\n');
        }
        print_class(program, class, &mut out);
    }
    out
}

/// One method as text, as in the text of its class.
pub fn print_method(program: &Program, id: MethodId) -> String {
    let method = program.method(id);
    let mut out = String::new();
    method_text(program, id, context(program.class(method.class).span, FileId(0)), &mut out);
    out
}

/// A type as text. Unlike [`Program::type_name`], it is quoted where the text form needs it.
pub fn print_type(program: &Program, ty: Type) -> String {
    let mut element = ty;
    let mut dimensions = 0;
    while let Type::Array(array) = element {
        if array.index() >= program.array_type_count() {
            return format!("?{}", array.0);
        }
        element = program.element_type(array);
        dimensions += 1;
    }
    let mut text = match element {
        Type::Class(class) => class_name(program, class),
        primitive => program.type_name(primitive),
    };
    text.extend(std::iter::repeat_n("[]", dimensions));
    text
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = write!(out, "{text}");
}

// ---- names --------------------------------------------------------------------------------------------------

fn quoted(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    out.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}') => {
                put(&mut out, format_args!("\\u{{{:x}}}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn is_plain(name: &str) -> bool {
    plain_name_length(name) == Some(name.len()) && !is_reserved(name)
}

fn simple_name(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

fn class_name(program: &Program, class: ClassId) -> String {
    if class.index() >= program.class_count() {
        return format!("?{}", class.0);
    }
    let name = program.class_name(class);
    if name.split('.').all(is_plain) { name.to_owned() } else { quoted(name) }
}

fn field_name(program: &Program, field: FieldId) -> String {
    if field.index() >= program.field_count() {
        return format!("?{}", field.0);
    }
    let field = program.field(field);
    format!("{}::{}", class_name(program, field.class), simple_name(&field.name))
}

/// `Class::method`, with the signature if the class has several methods of that name.
fn method_name(program: &Program, method: MethodId) -> String {
    if method.index() >= program.method_count() {
        return format!("?{}", method.0);
    }
    let method = program.method(method);
    let mut out = format!("{}::{}", class_name(program, method.class), simple_name(&method.name));
    if program.methods_named(method.class, &method.name).len() > 1 {
        let params: Vec<String> = method.params.iter().map(|&ty| print_type(program, ty)).collect();
        out.push('[');
        out.push_str(&params.join(", "));
        if let Some(result) = method.result {
            let blank = if params.is_empty() { "" } else { " " };
            put(&mut out, format_args!("{blank}-> {}", print_type(program, result)));
        }
        out.push(']');
    }
    out
}

/// The default file for spans inside an entity with the span `span`.
fn context(span: Span, outer: FileId) -> FileId {
    if span.file == Span::NONE.file { outer } else { span.file }
}

fn put_span(out: &mut String, span: Span, context: FileId) {
    if span == Span::NONE {
        return;
    }
    put(out, format_args!(" @ {}", span.line));
    if span.column != 0 || span.length != 0 {
        put(out, format_args!(":{}", span.column));
    }
    if span.length != 0 {
        put(out, format_args!("+{}", span.length));
    }
    if span.file != context {
        put(out, format_args!(" in {}", span.file.0));
    }
}

// ---- declarations -------------------------------------------------------------------------------------------

fn print_class(program: &Program, id: ClassId, out: &mut String) {
    let class = program.class(id);
    if class.is_library {
        out.push_str("library ");
    }
    if class.is_abstract {
        out.push_str("abstract ");
    }
    if class.is_final {
        out.push_str("final ");
    }
    out.push_str(if class.is_interface { "interface " } else { "class " });
    out.push_str(&class_name(program, id));
    if let Some(superclass) = class.superclass {
        put(out, format_args!(" extends {}", class_name(program, superclass)));
    }
    for (index, &interface) in class.interfaces.iter().enumerate() {
        out.push_str(if index == 0 { " implements " } else { ", " });
        out.push_str(&class_name(program, interface));
    }
    put_span(out, class.span, FileId(0));
    out.push_str(" {\n");
    let file = context(class.span, FileId(0));
    for &field in &class.fields {
        if field.index() >= program.field_count() {
            continue;
        }
        let field = program.field(field);
        let modifier = if field.is_static { "static " } else { "" };
        let ty = print_type(program, field.ty);
        put(out, format_args!("  {modifier}field {}: {ty}", simple_name(&field.name)));
        put_span(out, field.span, file);
        out.push('\n');
    }
    let mut separate = !class.fields.is_empty();
    for &method in &class.methods {
        if method.index() >= program.method_count() {
            continue;
        }
        if separate {
            out.push('\n');
        }
        separate = true;
        method_text(program, method, file, out);
    }
    out.push_str("}\n");
}

fn method_text(program: &Program, id: MethodId, file: FileId, out: &mut String) {
    let method = program.method(id);
    let keyword = match method.kind {
        MethodKind::Static => "static method",
        MethodKind::Instance => "method",
        MethodKind::Constructor => "constructor",
    };
    let access = match method.access {
        Access::Public => String::new(),
        access => format!("{} ", access_word(access)),
    };
    put(out, format_args!("  {access}{keyword} {}(", simple_name(&method.name)));
    let printer = program.body(id).map(|body| BodyPrinter::new(program, body));
    for (index, &param) in method.params.iter().enumerate() {
        if index != 0 {
            out.push_str(", ");
        }
        if let Some(printer) = &printer {
            put(out, format_args!("{}: ", printer.local(LocalId(index as u32))));
        }
        out.push_str(&print_type(program, param));
    }
    out.push(')');
    if let Some(result) = method.result {
        put(out, format_args!(" -> {}", print_type(program, result)));
    }
    put_span(out, method.span, file);
    if let Some(printer) = &printer {
        out.push_str(" {\n");
        printer.print(method.params.len(), context(method.span, file), out);
        out.push_str("  }");
    }
    out.push('\n');
}

// ---- bodies -------------------------------------------------------------------------------------------------

/// Prints the parts of one body, with one name for each local and for each shared expression.
pub struct BodyPrinter<'p> {
    program: &'p Program,
    body: &'p Body,
    locals: Vec<String>,
    types: Vec<Type>,
    /// Number of each named expression.
    shared: Vec<Option<u32>>,
}

impl<'p> BodyPrinter<'p> {
    /// A printer for `body`, a body of `program`. Takes time linear in the body.
    pub fn new(program: &'p Program, body: &'p Body) -> Self {
        let mut clashes: FxHashMap<&str, u32> = FxHashMap::default();
        let locals = body.locals.iter().map(|local| {
            let clash = clashes.entry(&local.name).and_modify(|n| *n += 1).or_insert(0);
            let name = simple_name(&local.name);
            if *clash == 0 { name } else { format!("{name}~{clash}") }
        });
        BodyPrinter {
            program,
            body,
            locals: locals.collect(),
            types: body.expr_types(),
            shared: shared_expressions(body),
        }
    }

    /// A local's name, unique in the body. Locals with the same name are written `i`, `i~1`, `i~2`.
    pub fn local(&self, local: LocalId) -> String {
        self.locals.get(local.index()).cloned().unwrap_or_else(|| format!("?{}", local.0))
    }

    /// An expression.
    pub fn expr(&self, expr: ExprId) -> String {
        let mut out = String::new();
        self.put_expr(&mut out, expr, false);
        out
    }

    /// An expression, in parentheses if it has an operator.
    fn atom(&self, expr: ExprId) -> String {
        let mut out = String::new();
        self.put_expr(&mut out, expr, true);
        out
    }

    /// The definitions of the named expressions: `let #0 := i + 1`.
    pub fn lets(&self) -> Vec<String> {
        let named = (0..self.body.exprs.len() as u32).filter_map(|e| Some((ExprId(e), self.shared[e as usize]?)));
        let define = |(expr, number)| {
            let mut out = format!("let #{number} := ");
            self.put_definition(&mut out, expr, false);
            out
        };
        named.map(define).collect()
    }

    /// An operation, without its span.
    pub fn op(&self, op: &OpKind) -> String {
        let mut out = String::new();
        self.put_op(&mut out, op);
        out
    }

    /// A terminator, without its span.
    pub fn terminator(&self, terminator: &TerminatorKind) -> String {
        use TerminatorKind::*;
        match terminator {
            Goto(target) => format!("goto b{}", target.0),
            Branch { condition, then_block, else_block } => {
                format!("if {} goto b{} else b{}", self.expr(*condition), then_block.0, else_block.0)
            }
            Switch { value, cases, default } => {
                let cases: Vec<String> = cases.iter().map(|(c, b)| format!("{} -> b{}", integer(c), b.0)).collect();
                // The parentheses are necessary, because `x as int [] else …` would be a conversion to arrays.
                format!("switch {} [{}] else b{}", self.atom(*value), cases.join(", "), default.0)
            }
            Return(None) => "return".into(),
            Return(Some(value)) => format!("return {}", self.expr(*value)),
            Throw(value) => format!("throw {}", self.expr(*value)),
            Unreachable => "unreachable".into(),
            Unsupported { construct, lost: None } => format!("unsupported {}", quoted(construct)),
            Unsupported { construct, lost: Some(lost) } => {
                format!("unsupported {} before b{}", quoted(construct), lost.0)
            }
            Bound(what) => format!("bound {}", quoted(what)),
        }
    }

    /// A block's label with its handlers.
    pub fn label(&self, id: BlockId) -> String {
        let mut out = format!("b{}:", id.0);
        for (index, handler) in self.body.block(id).handlers.iter().enumerate() {
            out.push_str(if index == 0 { " " } else { ", " });
            let class = handler.class.map_or_else(|| "any".into(), |class| class_name(self.program, class));
            put(&mut out, format_args!("on {class}({}) goto b{}", self.local(handler.exception), handler.target.0));
        }
        out
    }

    fn print(&self, params: usize, file: FileId, out: &mut String) {
        let locals = self.body.locals.get(params..).unwrap_or(&[]);
        let mut index = params;
        for group in locals.chunk_by(|a, b| a.ty == b.ty) {
            let ty = print_type(self.program, group[0].ty);
            for names in self.locals[index..index + group.len()].chunks(LOCALS_PER_LINE) {
                line(out, format_args!("    local {}: {ty}", names.join(", ")));
            }
            index += group.len();
        }
        for definition in self.lets() {
            line(out, format_args!("    {definition}"));
        }
        for id in self.body.block_ids() {
            line(out, format_args!("  {}", self.label(id)));
            let block = self.body.block(id);
            for op in &block.ops {
                out.push_str("    ");
                self.put_op(out, &op.kind);
                put_span(out, op.span, file);
                out.push('\n');
            }
            put(out, format_args!("    {}", self.terminator(&block.terminator.kind)));
            put_span(out, block.terminator.span, file);
            out.push('\n');
        }
    }

    fn put_op(&self, out: &mut String, op: &OpKind) {
        use OpKind::*;
        if let Some(dst) = op.dst() {
            put(out, format_args!("{} := ", self.local(dst)));
        }
        let expr = |e: &ExprId| self.expr(*e);
        let atom = |e: &ExprId| self.atom(*e);
        match op {
            Assign { value, .. } => out.push_str(&expr(value)),
            Divide { op, dividend, divisor, .. } => {
                let op = match op {
                    DivideOp::Div => "div",
                    DivideOp::Rem => "rem",
                };
                put(out, format_args!("{} {op} {}", atom(dividend), atom(divisor)));
            }
            New { class, .. } => put(out, format_args!("new {}", class_name(self.program, *class))),
            NewArray { element, length, .. } => {
                put(out, format_args!("new {}[{}]", print_type(self.program, *element), expr(length)));
            }
            GetField { object, field, .. } => {
                put(out, format_args!("{}.{}", atom(object), field_name(self.program, *field)));
            }
            PutField { object, field, value } => {
                let field = field_name(self.program, *field);
                put(out, format_args!("{}.{field} := {}", atom(object), expr(value)));
            }
            GetStatic { field, .. } => put(out, format_args!("static {}", field_name(self.program, *field))),
            PutStatic { field, value } => {
                put(out, format_args!("static {} := {}", field_name(self.program, *field), expr(value)));
            }
            ArrayGet { array, index, .. } => put(out, format_args!("{}[{}]", atom(array), expr(index))),
            ArrayPut { array, index, value } => {
                put(out, format_args!("{}[{}] := {}", atom(array), expr(index), expr(value)));
            }
            ArrayLength { array, .. } => put(out, format_args!("{}.length", atom(array))),
            InstanceOf { object, ty, .. } => {
                put(out, format_args!("{} instanceof {}", atom(object), print_type(self.program, *ty)));
            }
            Cast { object, ty, .. } => {
                put(out, format_args!("cast {} to {}", atom(object), print_type(self.program, *ty)));
            }
            Call { dispatch, method, args, .. } => {
                let dispatch = match dispatch {
                    Dispatch::Static => "static",
                    Dispatch::Special => "special",
                    Dispatch::Virtual => "virtual",
                };
                let args: Vec<String> = args.iter().map(expr).collect();
                put(out, format_args!("call {dispatch} {}(", method_name(self.program, *method)));
                out.push_str(&args.join(", "));
                out.push(')');
            }
            Ensure { field, method } => {
                let (field, method) = (field_name(self.program, *field), method_name(self.program, *method));
                put(out, format_args!("ensure {field} by {method}"));
            }
            OpKind::Intrinsic { intrinsic, args, .. } => {
                match intrinsic {
                    crate::body::Intrinsic::Nondet(ty) | crate::body::Intrinsic::NondetArray(ty) => {
                        put(out, format_args!("nondet {}", print_type(self.program, *ty)));
                    }
                    crate::body::Intrinsic::Known => out.push_str("known "),
                    crate::body::Intrinsic::Alike => out.push_str("alike "),
                    crate::body::Intrinsic::Print => out.push_str("print "),
                }
                for (index, arg) in args.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    let is_length = matches!(intrinsic, crate::body::Intrinsic::NondetArray(_));
                    let arg = expr(arg);
                    if is_length { put(out, format_args!("[{arg}]")) } else { out.push_str(&arg) }
                }
            }
            Quantify { quantifier, array, index, element, body, .. } => {
                let quantifier = match quantifier {
                    Quantifier::ForAll => "forall",
                    Quantifier::Exists => "exists",
                };
                let (index, element) = (self.local(*index), self.local(*element));
                put(out, format_args!("{quantifier} {index}, {element} in {}: {}", atom(array), expr(body)));
            }
            Assume { condition } => put(out, format_args!("assume {}", expr(condition))),
            Assert { condition, kind } => put(out, format_args!("{} {}", kind.keyword(), expr(condition))),
            Doubt { without } => put(out, format_args!("doubt {}", quoted(without))),
        }
    }

    /// Writes the name of a named expression, or else its definition.
    fn put_expr(&self, out: &mut String, id: ExprId, nested: bool) {
        match self.shared.get(id.index()) {
            None => put(out, format_args!("?{}", id.0)),
            Some(Some(number)) => put(out, format_args!("#{number}")),
            Some(None) => self.put_definition(out, id, nested),
        }
    }

    // The depth of recursion is at most `NAMED_DEPTH`.
    fn put_definition(&self, out: &mut String, id: ExprId, nested: bool) {
        let expr = &self.body.exprs[id.index()];
        if expr.operands().any(|used| used >= id) {
            return put(out, format_args!("?{}", id.0));
        }
        let compound = !matches!(expr, Expr::Local(_) | Expr::Const(_));
        if nested && compound {
            out.push('(');
        }
        // A type is written only if it differs from the operand's.
        let annotation = |ty: Type, usual: Type| {
            if ty == usual { String::new() } else { format!(":{} ", print_type(self.program, ty)) }
        };
        match *expr {
            Expr::Local(local) => out.push_str(&self.local(local)),
            Expr::Const(ref constant) => self.put_const(out, constant),
            Expr::Unary(op, ty, operand) => {
                let annotation = annotation(ty, self.types[operand.index()]);
                // A space separates a word from its operand.
                let is_word = annotation.is_empty() && op.symbol().starts_with(char::is_alphabetic);
                put(out, format_args!("{}{annotation}{}", op.symbol(), if is_word { " " } else { "" }));
                // `-1` is a constant; the negation of the constant 1 is `-(1)`.
                let literal = matches!(self.body.exprs[operand.index()], Expr::Const(_));
                if literal {
                    out.push('(');
                }
                self.put_expr(out, operand, true);
                if literal {
                    out.push(')');
                }
            }
            Expr::Binary(op, ty, left, right) => {
                let usual = usual_operand_type(self.types[left.index()], self.types[right.index()]);
                self.put_expr(out, left, true);
                let annotation = annotation(ty, usual);
                put(out, format_args!(" {}{}", op.symbol(), if annotation.is_empty() { " " } else { &annotation }));
                self.put_expr(out, right, true);
            }
            Expr::Select(condition, then, other) => {
                self.put_expr(out, condition, true);
                out.push_str(" ? ");
                self.put_expr(out, then, true);
                out.push_str(" : ");
                self.put_expr(out, other, true);
            }
            Expr::Convert { from, to, value } | Expr::Bits { from, to, value } => {
                self.put_expr(out, value, true);
                let word = if matches!(expr, Expr::Bits { .. }) { "bits" } else { "as" };
                put(out, format_args!(" {word} {}", print_type(self.program, to)));
                if from != self.types[value.index()] {
                    put(out, format_args!(" from {}", print_type(self.program, from)));
                }
            }
        }
        if nested && compound {
            out.push(')');
        }
    }

    fn put_const(&self, out: &mut String, constant: &Const) {
        match constant {
            Const::Bool(value) => put(out, format_args!("{value}")),
            Const::Null => out.push_str("null"),
            Const::Int(value, Type::Int) => out.push_str(&integer(value)),
            Const::Int(value, ty) => put(out, format_args!("{}{}", integer(value), print_type(self.program, *ty))),
            Const::F32(bits) => {
                let value = f32::from_bits(*bits);
                match *bits {
                    _ if value.is_finite() => put(out, format_args!("{value:?}f32")),
                    _ if value.is_infinite() => put(out, format_args!("f32:{value}")),
                    CANONICAL_NAN_32 => out.push_str("f32:nan"),
                    bits => put(out, format_args!("f32:{bits:#x}")),
                }
            }
            Const::F64(bits) => {
                let value = f64::from_bits(*bits);
                match *bits {
                    _ if value.is_finite() => put(out, format_args!("{value:?}f64")),
                    _ if value.is_infinite() => put(out, format_args!("f64:{value}")),
                    CANONICAL_NAN_64 => out.push_str("f64:nan"),
                    bits => put(out, format_args!("f64:{bits:#x}")),
                }
            }
        }
    }
}

/// The quiet, positive NaN without a payload, which is canonical in Java.
pub(super) const CANONICAL_NAN_32: u32 = 0x7fc0_0000;
/// The same for binary64.
pub(super) const CANONICAL_NAN_64: u64 = 0x7ff8_0000_0000_0000;

/// The operand type of a binary operator without annotation.
pub(super) fn usual_operand_type(left: Type, right: Type) -> Type {
    if left == Type::Null { right } else { left }
}

fn integer(value: &BigInt) -> String {
    // A decimal digit carries a little more than three bits.
    if value.bits() / 4 < MAX_DECIMAL_DIGITS as u64 * 3 / 4 { value.to_string() } else { format!("{value:#x}") }
}

/// Numbers the expressions that get names.
fn shared_expressions(body: &Body) -> Vec<Option<u32>> {
    let count = body.exprs.len();
    let mut uses = vec![0u32; count];
    let mut mark = |expr: ExprId| {
        if let Some(n) = uses.get_mut(expr.index()) {
            *n = n.saturating_add(1);
        }
    };
    for block in &body.blocks {
        block.ops.iter().flat_map(|op| op.kind.operands()).for_each(&mut mark);
        block.terminator.kind.operand().into_iter().for_each(&mut mark);
    }
    for (index, expr) in body.exprs.iter().enumerate().rev() {
        if uses[index] != 0 {
            for used in expr.operands().filter(|used| used.index() < index) {
                uses[used.index()] = uses[used.index()].saturating_add(1);
            }
        }
    }
    let mut names = vec![None; count];
    let mut next = 0;
    // Size and depth of each expression in the text; names count as leaves.
    let (mut size, mut depth) = (vec![1u32; count], vec![0u32; count]);
    for (index, expr) in body.exprs.iter().enumerate() {
        let operands = || expr.operands().map(ExprId::index).filter(|&used| used < index);
        // Unused expressions are not written, and their size as trees may be exponential.
        if uses[index] == 0 || operands().next().is_none() {
            continue;
        }
        let own_size = operands().map(|used| size[used]).fold(1, u32::saturating_add);
        let own_depth = 1 + operands().map(|used| depth[used]).max().unwrap_or(0);
        if (uses[index] > 1 && own_size > NAMED_SIZE) || own_depth >= NAMED_DEPTH {
            names[index] = Some(next);
            next += 1;
        } else {
            (size[index], depth[index]) = (own_size, own_depth);
        }
    }
    names
}
