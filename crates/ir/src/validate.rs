//! Is a program well formed?
//!
//! Engines assume what is checked here and do not check it again: ids are in range, types fit, every block that
//! control can name exists. A front end whose output has a [`Problem`] has a defect.

use crate::body::*;
use crate::program::{Class, ClassId, MethodId, MethodKind, Program, Trap, Type};
use crate::span::{FileId, Span};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use std::fmt;
use thiserror::Error;

/// Something that is wrong with a program, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {kind}")]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub kind: ProblemKind,
}

/// A place in a program, as fine as is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The class, or `class.method`, by name; empty for the program as a whole.
    pub name: String,
    /// The class.
    pub class: Option<ClassId>,
    /// The method.
    pub method: Option<MethodId>,
    /// The block.
    pub block: Option<BlockId>,
    /// The operation; the terminator where this is the number of operations.
    pub op: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.name.is_empty() { "program" } else { &self.name })?;
        if let Some(block) = self.block {
            write!(f, ", b{}", block.0)?;
        }
        if let Some(op) = self.op {
            write!(f, ", operation {op}")?;
        }
        Ok(())
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// An id that its table does not have.
    #[error("there is no {what} {index}")]
    NoSuch {
        /// Kind of the entity.
        what: &'static str,
        /// The id.
        index: u32,
    },
    /// Two entities that nothing tells apart.
    #[error("there are two {what} `{name}`")]
    Duplicate {
        /// Kind of the entities, in the plural.
        what: &'static str,
        /// Their name.
        name: String,
    },
    /// A member that names another class as its own.
    #[error("lists a {what} of another class")]
    ForeignMember {
        /// Kind of the member.
        what: &'static str,
    },
    /// A class that is above itself.
    #[error("the class is its own ancestor")]
    CyclicHierarchy,
    /// A superclass that is an interface, or an interface that is none.
    #[error("`{name}` cannot be its {role}")]
    BadParent {
        /// The parent.
        name: String,
        /// What it is used as.
        role: &'static str,
    },
    /// An array type whose elements are of that type or a later one.
    #[error("array type {0} has elements that are declared after it")]
    CyclicArrayType(u32),
    /// A machine integer of a width that does not exist.
    #[error("machine integers have 8, 16, 32 or 64 bits, not {0}")]
    MachineWidth(u8),
    /// An operation can trap, but nobody said which object is thrown then.
    #[error("no class is set for the trap `{}`", .0.describe())]
    NoTrapClass(Trap),
    /// A method with code but without a block.
    #[error("the body has no entry block")]
    NoEntry,
    /// Fewer locals than parameters.
    #[error("the body has {found} locals for {expected} parameters")]
    MissingParameters {
        /// Number of parameters.
        expected: usize,
        /// Number of locals.
        found: usize,
    },
    /// An instance method or constructor without a receiver.
    #[error("the method has no receiver parameter")]
    NoReceiver,
    /// An expression that uses itself or a later one.
    #[error("expression {expr} uses expression {used}, which does not come before it")]
    UseBeforeDefinition {
        /// The user.
        expr: u32,
        /// The used one.
        used: u32,
    },
    /// A value of the wrong type.
    #[error("{what} is of type {found}, not {expected}")]
    WrongType {
        /// Role of the value.
        what: &'static str,
        /// What is wanted there.
        expected: String,
        /// What it is.
        found: String,
    },
    /// An operator on a type that it is not for.
    #[error("`{operator}` is not for values of type {ty}")]
    NoSuchOperator {
        /// The operator.
        operator: &'static str,
        /// The type.
        ty: String,
    },
    /// A constant that its type cannot hold.
    #[error("{value} is not a value of type {ty}")]
    ConstantRange {
        /// The constant.
        value: BigInt,
        /// The type.
        ty: String,
    },
    /// A call with too few or too many arguments.
    #[error("`{method}` takes {expected} arguments, not {found}")]
    ArgumentCount {
        /// The callee.
        method: String,
        /// Number of its parameters.
        expected: usize,
        /// Number of arguments.
        found: usize,
    },
    /// A call that the callee's kind does not allow.
    #[error("`{method}`, which is a {kind}, cannot be called with {dispatch} dispatch")]
    BadDispatch {
        /// The callee.
        method: String,
        /// Its kind.
        kind: &'static str,
        /// The dispatch.
        dispatch: &'static str,
    },
    /// The result of a void method is wanted, or a void method returns something.
    #[error("`{0}` has no result")]
    NoResult(String),
    /// A method that has a result returns without one.
    #[error("the method has to return a value of type {0}")]
    MissingResult(String),
    /// An object of a class that can have none.
    #[error("`{0}` has no objects of its own")]
    Abstract(String),
    /// A static field in an instance access or the other way round.
    #[error("the field `{name}` is {}", if *.is_static { "static" } else { "not static" })]
    FieldKind {
        /// The field.
        name: String,
        /// What it is.
        is_static: bool,
    },
    /// Two cases for one value.
    #[error("two cases for {0}")]
    DuplicateCase(BigInt),
    /// A quantifier that binds one local twice.
    #[error("index and element of a quantifier are one local")]
    OneBinder,
    /// An array type that is used without having been interned by `Program::array_of`.
    #[error("the program has no type of arrays of {0}")]
    NoArrayType(String),
}

/// Everything that is wrong with `program`: ids out of range, cyclic hierarchies, expressions that are used before
/// they are defined, operands and results whose types do not fit, calls that do not match their callee, traps without
/// a class. Empty for a program that engines can run. Where a part is broken, what rests on it is not looked at, so
/// that one defect gives few messages.
pub fn validate(program: &Program) -> Vec<Problem> {
    let mut checker = Checker::new(program);
    checker.types();
    checker.classes();
    checker.members();
    // The type relations that bodies are checked with need sound declarations.
    if checker.problems.iter().any(|p| !matches!(p.kind, ProblemKind::Duplicate { .. })) {
        return checker.problems;
    }
    for (id, _) in program.methods() {
        checker.code(id);
    }
    checker.problems
}

/// What is wrong with the code of one method, in a program whose declarations are well formed.
pub fn validate_method(program: &Program, method: MethodId) -> Vec<Problem> {
    let mut checker = Checker::new(program);
    checker.code(method);
    checker.problems
}

/// What is wrong with a body that a method may get, where nothing is asked of classes: any reference may stand for any
/// other one. Loads no class but those whose objects the body makes.
pub fn validate_body(program: &Program, method: MethodId, body: &Body) -> Vec<Problem> {
    let mut checker = Checker { hierarchy_counts: false, ..Checker::new(program) };
    checker.body(method, body);
    checker.problems
}

struct Checker<'p> {
    program: &'p Program,
    problems: Vec<Problem>,
    /// Traps that were reported to have no class.
    trapless: FxHashSet<Trap>,
    /// Whether a reference has to be of the class that is wanted.
    hierarchy_counts: bool,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program) -> Self {
        Checker { program, problems: Vec::new(), trapless: FxHashSet::default(), hierarchy_counts: true }
    }

    fn report(&mut self, place: &Place, kind: ProblemKind) {
        self.problems.push(Problem { place: place.clone(), kind });
    }

    fn class_place(&self, id: ClassId) -> Place {
        Place { name: self.program.class(id).name.clone(), class: Some(id), ..Place::default() }
    }

    fn method_place(&self, id: MethodId) -> Place {
        let class = self.program.method(id).class;
        Place { name: self.program.method_name(id), class: Some(class), method: Some(id), ..Place::default() }
    }

    fn code(&mut self, method: MethodId) {
        if let Some(body) = self.program.body(method) {
            self.body(method, body);
        }
    }

    fn body(&mut self, method: MethodId, body: &Body) {
        let place = self.method_place(method);
        if self.ids(body, &place) {
            BodyChecker { body, method, types: body.expr_types(), checker: self }.run(place);
        }
    }

    // ---- declarations ---------------------------------------------------------------------------------------

    fn types(&mut self) {
        let program = self.program;
        let place = Place::default();
        for array in 0..program.array_type_count() as u32 {
            let element = program.element_type(crate::program::ArrayTypeId(array));
            match element {
                Type::Array(inner) if inner.0 >= array => self.report(&place, ProblemKind::CyclicArrayType(array)),
                _ => self.ty(element, &place),
            }
        }
        for trap in Trap::ALL {
            if let Some(class) = program.trap_class(trap) {
                self.class_id(class, &place);
            }
        }
        if let Some(class) = program.array_superclass() {
            self.class_id(class, &place);
        }
    }

    fn classes(&mut self) {
        let program = self.program;
        let mut names = FxHashSet::default();
        let mut parents = Vec::new();
        for (id, class) in program.classes() {
            let place = self.class_place(id);
            self.span(class.span, &place);
            if !names.insert(class.name.as_str()) {
                self.report(&place, ProblemKind::Duplicate { what: "classes", name: class.name.clone() });
            }
            for &parent in class.superclass.iter().chain(&class.interfaces) {
                if self.class_id(parent, &place) {
                    parents.push((id.0, parent.0));
                }
            }
            let role = |wanted: bool, name: &str, parent: &Class| {
                (parent.is_interface != wanted).then(|| ProblemKind::BadParent {
                    name: name.to_owned(),
                    role: if wanted { "interface" } else { "superclass" },
                })
            };
            let known = |c: &&ClassId| c.index() < program.class_count();
            for (parent, wanted) in class
                .superclass
                .iter()
                .filter(known)
                .map(|&c| (c, false))
                .chain(class.interfaces.iter().filter(known).map(|&c| (c, true)))
            {
                let parent = program.class(parent);
                if let Some(problem) = role(wanted, &parent.name, parent) {
                    self.report(&place, problem);
                }
            }
        }
        let mut graph = petgraph::graph::DiGraph::<(), ()>::from_edges(parents.iter().copied());
        while graph.node_count() < program.class_count() {
            graph.add_node(());
        }
        let own_parents: FxHashSet<u32> = parents.iter().filter(|(a, b)| a == b).map(|&(a, _)| a).collect();
        for component in petgraph::algo::kosaraju_scc(&graph) {
            for node in &component {
                if component.len() > 1 || own_parents.contains(&(node.index() as u32)) {
                    let place = self.class_place(ClassId(node.index() as u32));
                    self.report(&place, ProblemKind::CyclicHierarchy);
                }
            }
        }
    }

    fn members(&mut self) {
        let program = self.program;
        for (id, class) in program.classes() {
            let place = self.class_place(id);
            let mut names = FxHashSet::default();
            for &field in &class.fields {
                if !self.in_range("field", field.0, program.field_count(), &place) {
                    continue;
                }
                let field = program.field(field);
                if field.class != id {
                    self.report(&place, ProblemKind::ForeignMember { what: "field" });
                }
                if !names.insert(field.name.as_str()) {
                    self.report(&place, ProblemKind::Duplicate { what: "fields", name: field.name.clone() });
                }
                self.span(field.span, &place);
                self.ty(field.ty, &place);
            }
            let mut signatures = FxHashSet::default();
            for &method in &class.methods {
                if !self.in_range("method", method.0, program.method_count(), &place) {
                    continue;
                }
                let method = program.method(method);
                if method.class != id {
                    self.report(&place, ProblemKind::ForeignMember { what: "method" });
                }
                if !signatures.insert((method.name.as_str(), &method.params, method.result)) {
                    self.report(&place, ProblemKind::Duplicate { what: "methods", name: method.name.clone() });
                }
            }
        }
        let hierarchy_is_sound = self.problems.is_empty();
        for (id, method) in program.methods() {
            let place = self.method_place(id);
            self.span(method.span, &place);
            let before = self.problems.len();
            for &ty in method.params.iter().chain(&method.result) {
                self.ty(ty, &place);
            }
            if method.kind != MethodKind::Static {
                match method.params.first() {
                    None => self.report(&place, ProblemKind::NoReceiver),
                    Some(&receiver) if hierarchy_is_sound && self.problems.len() == before => {
                        self.assignable(Type::Class(method.class), receiver, "the receiver", &place);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    // ---- what everything needs ------------------------------------------------------------------------------

    fn in_range(&mut self, what: &'static str, index: u32, count: usize, place: &Place) -> bool {
        let known = (index as usize) < count;
        if !known {
            self.report(place, ProblemKind::NoSuch { what, index });
        }
        known
    }

    fn class_id(&mut self, class: ClassId, place: &Place) -> bool {
        self.in_range("class", class.0, self.program.class_count(), place)
    }

    fn ty(&mut self, ty: Type, place: &Place) {
        match ty {
            Type::Class(class) => {
                self.class_id(class, place);
            }
            Type::Array(array) => {
                self.in_range("array type", array.0, self.program.array_type_count(), place);
            }
            Type::Machine { width: 8 | 16 | 32 | 64, .. } => {}
            Type::Machine { width, .. } => self.report(place, ProblemKind::MachineWidth(width)),
            Type::Bool | Type::Int | Type::F32 | Type::F64 | Type::Null => {}
        }
    }

    fn span(&mut self, span: Span, place: &Place) {
        let FileId(file) = span.file;
        if span.is_known() {
            self.in_range("file", file, self.program.file_count(), place);
        }
    }

    fn assignable(&mut self, from: Type, to: Type, what: &'static str, place: &Place) {
        let fits = match self.hierarchy_counts {
            true => self.program.is_assignable(from, to),
            false => from == to || from.is_reference() && to.is_reference(),
        };
        if !fits {
            self.wrong_type(what, &self.program.type_name(to), from, place);
        }
    }

    fn wrong_type(&mut self, what: &'static str, expected: &str, found: Type, place: &Place) {
        let found = self.program.type_name(found);
        self.report(place, ProblemKind::WrongType { what, expected: expected.to_owned(), found });
    }

    // ---- ids in a body --------------------------------------------------------------------------------------

    /// Whether every id in `body` is in range and expressions come before their users.
    fn ids(&mut self, body: &Body, place: &Place) -> bool {
        let before = self.problems.len();
        if body.blocks.is_empty() {
            self.report(place, ProblemKind::NoEntry);
        }
        for local in &body.locals {
            self.ty(local.ty, place);
        }
        for (index, expr) in body.exprs.iter().enumerate() {
            match *expr {
                Expr::Local(local) => self.local_id(local, body, place),
                Expr::Const(Const::Int(_, ty)) | Expr::Unary(_, ty, _) | Expr::Binary(_, ty, ..) => self.ty(ty, place),
                Expr::Convert { from, to, .. } | Expr::Bits { from, to, .. } => {
                    self.ty(from, place);
                    self.ty(to, place);
                }
                Expr::Const(_) | Expr::Select(..) => {}
            }
            for used in expr.operands() {
                if used.index() >= index {
                    let problem = ProblemKind::UseBeforeDefinition { expr: index as u32, used: used.0 };
                    self.report(place, problem);
                }
            }
        }
        for (block_index, block) in body.blocks.iter().enumerate() {
            let mut place = Place { block: Some(BlockId(block_index as u32)), ..place.clone() };
            for handler in &block.handlers {
                if let Some(class) = handler.class {
                    self.class_id(class, &place);
                }
                self.block_id(handler.target, body, &place);
                self.local_id(handler.exception, body, &place);
            }
            for (op_index, op) in block.ops.iter().enumerate() {
                place.op = Some(op_index as u32);
                self.span(op.span, &place);
                self.op_ids(&op.kind, body, &place);
            }
            place.op = Some(block.ops.len() as u32);
            self.span(block.terminator.span, &place);
            if let Some(expr) = block.terminator.kind.operand() {
                self.expr_id(expr, body, &place);
            }
            for target in block.terminator.kind.successors() {
                self.block_id(target, body, &place);
            }
        }
        self.problems.len() == before
    }

    fn op_ids(&mut self, op: &OpKind, body: &Body, place: &Place) {
        use OpKind::*;
        let program = self.program;
        if let Some(dst) = op.dst() {
            self.local_id(dst, body, place);
        }
        for expr in op.operands() {
            self.expr_id(expr, body, place);
        }
        match *op {
            New { class, .. } => {
                self.class_id(class, place);
            }
            NewArray { element: ty, .. } | InstanceOf { ty, .. } | Cast { ty, .. } => self.ty(ty, place),
            GetField { field, .. } | PutField { field, .. } | GetStatic { field, .. } | PutStatic { field, .. } => {
                self.in_range("field", field.0, program.field_count(), place);
            }
            Call { method, .. } => {
                self.in_range("method", method.0, program.method_count(), place);
            }
            Ensure { field, method } => {
                self.in_range("field", field.0, program.field_count(), place);
                self.in_range("method", method.0, program.method_count(), place);
            }
            OpKind::Intrinsic { intrinsic, .. } => match intrinsic {
                crate::body::Intrinsic::Nondet(ty) | crate::body::Intrinsic::NondetArray(ty) => self.ty(ty, place),
                crate::body::Intrinsic::Alike | crate::body::Intrinsic::Print => {}
            },
            Quantify { index, element, .. } => {
                self.local_id(index, body, place);
                self.local_id(element, body, place);
            }
            Assign { .. }
            | Divide { .. }
            | ArrayGet { .. }
            | ArrayPut { .. }
            | ArrayLength { .. }
            | Assume { .. }
            | Assert { .. } => {}
        }
    }

    fn local_id(&mut self, local: LocalId, body: &Body, place: &Place) {
        self.in_range("local", local.0, body.locals.len(), place);
    }

    fn expr_id(&mut self, expr: ExprId, body: &Body, place: &Place) {
        self.in_range("expression", expr.0, body.exprs.len(), place);
    }

    fn block_id(&mut self, block: BlockId, body: &Body, place: &Place) {
        self.in_range("block", block.0, body.blocks.len(), place);
    }
}

// ---- types in a body ----------------------------------------------------------------------------------------

struct BodyChecker<'c, 'p> {
    checker: &'c mut Checker<'p>,
    body: &'c Body,
    method: MethodId,
    types: Vec<Type>,
}

impl BodyChecker<'_, '_> {
    fn run(mut self, place: Place) {
        self.parameters(&place);
        for index in 0..self.body.exprs.len() {
            self.expr(index, &place);
        }
        for (block_index, block) in self.body.blocks.iter().enumerate() {
            let mut place = Place { block: Some(BlockId(block_index as u32)), ..place.clone() };
            for handler in &block.handlers {
                self.handler(handler, &place);
            }
            for (op_index, op) in block.ops.iter().enumerate() {
                place.op = Some(op_index as u32);
                self.op(&op.kind, &place);
                self.traps(&op.kind, &place);
            }
            place.op = Some(block.ops.len() as u32);
            self.terminator(&block.terminator.kind, &place);
        }
    }

    fn report(&mut self, place: &Place, kind: ProblemKind) {
        self.checker.report(place, kind);
    }

    fn name(&self, ty: Type) -> String {
        self.checker.program.type_name(ty)
    }

    fn ty(&self, expr: ExprId) -> Type {
        self.types[expr.index()]
    }

    fn parameters(&mut self, place: &Place) {
        let params = &self.checker.program.method(self.method).params;
        if self.body.locals.len() < params.len() {
            let (expected, found) = (params.len(), self.body.locals.len());
            self.report(place, ProblemKind::MissingParameters { expected, found });
        }
        for (local, &param) in self.body.locals.iter().zip(params) {
            if local.ty != param {
                self.checker.wrong_type("the local of a parameter", &self.name(param), local.ty, place);
            }
        }
    }

    fn handler(&mut self, handler: &Handler, place: &Place) {
        let local = self.body.local(handler.exception).ty;
        match handler.class {
            Some(class) => self.checker.assignable(Type::Class(class), local, "the exception", place),
            None if matches!(local, Type::Class(_)) => {}
            None => self.checker.wrong_type("the local of the exception", "a class", local, place),
        }
    }

    /// Demands that a value is `wanted`.
    fn exactly(&mut self, found: Type, wanted: Type, what: &'static str, place: &Place) {
        if found != wanted {
            self.checker.wrong_type(what, &self.name(wanted), found, place);
        }
    }

    fn demand(&mut self, holds: bool, found: Type, expected: &str, what: &'static str, place: &Place) {
        if !holds {
            self.checker.wrong_type(what, expected, found, place);
        }
    }

    fn reference(&mut self, expr: ExprId, what: &'static str, place: &Place) {
        let ty = self.ty(expr);
        self.demand(ty.is_reference(), ty, "a reference", what, place);
    }

    fn integer(&mut self, expr: ExprId, what: &'static str, place: &Place) {
        let ty = self.ty(expr);
        self.demand(ty.is_integer(), ty, "an integer", what, place);
    }

    fn condition(&mut self, expr: ExprId, place: &Place) {
        self.exactly(self.ty(expr), Type::Bool, "the condition", place);
    }

    fn store(&mut self, dst: LocalId, value: Type, place: &Place) {
        self.checker.assignable(value, self.body.local(dst).ty, "the result", place);
    }

    /// Type of the elements of an array expression; `None`, with a report where it is none, if there is no telling.
    fn element(&mut self, array: ExprId, place: &Place) -> Option<Type> {
        match self.ty(array) {
            Type::Array(array) => Some(self.checker.program.element_type(array)),
            Type::Null => None,
            other => {
                self.checker.wrong_type("the array", "an array", other, place);
                None
            }
        }
    }

    fn expr(&mut self, index: usize, place: &Place) {
        match self.body.exprs[index] {
            Expr::Const(Const::Int(ref value, ty)) if !fits(value, ty) => {
                let problem = ProblemKind::ConstantRange { value: value.clone(), ty: self.name(ty) };
                self.report(place, problem);
            }
            Expr::Local(_) | Expr::Const(_) => {}
            Expr::Unary(op, ty, operand) => {
                let suits = match op {
                    UnaryOp::Not => ty == Type::Bool,
                    UnaryOp::Neg => ty.is_integer() || ty.is_float(),
                    UnaryOp::BitNot => matches!(ty, Type::Machine { .. }),
                    UnaryOp::Abs | UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Rint => ty.is_float(),
                };
                self.operator(suits, op.symbol(), ty, place);
                self.exactly(self.ty(operand), ty, "an operand", place);
            }
            Expr::Binary(op, ty, left, right) => self.binary(op, ty, self.ty(left), self.ty(right), place),
            Expr::Select(condition, then, other) => {
                self.condition(condition, place);
                let (then, other) = (self.ty(then), self.ty(other));
                if !(then.is_reference() && other.is_reference()) {
                    self.exactly(other, then, "the second alternative", place);
                }
            }
            Expr::Convert { from, to, value } => {
                if from.is_reference() && to.is_reference() {
                    return self.reference(value, "an operand", place);
                }
                self.exactly(self.ty(value), from, "an operand", place);
                for ty in [from, to] {
                    self.demand(ty.is_integer() || ty.is_float(), ty, "a number type", "a conversion", place);
                }
            }
            Expr::Bits { from, to, value } => {
                self.exactly(self.ty(value), from, "an operand", place);
                let counterpart = |ty: Type| match ty {
                    Type::F32 => Some(Type::Machine { width: 32, signed: true }),
                    Type::F64 => Some(Type::Machine { width: 64, signed: true }),
                    _ => None,
                };
                let suits = counterpart(from) == Some(to) || counterpart(to) == Some(from);
                self.demand(suits, to, "the integer or float of the same width", "a change of type", place);
            }
        }
    }

    fn operator(&mut self, suits: bool, operator: &'static str, ty: Type, place: &Place) {
        if !suits {
            let problem = ProblemKind::NoSuchOperator { operator, ty: self.name(ty) };
            self.report(place, problem);
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, left: Type, right: Type, place: &Place) {
        use BinaryOp::*;
        let number = ty.is_integer() || ty.is_float();
        let machine = matches!(ty, Type::Machine { .. });
        let suits = match op {
            Add | Sub | Mul | Lt | Le | Gt | Ge => number,
            FloatDiv | FloatRem => ty.is_float(),
            And | Or | Xor => machine || ty == Type::Bool,
            Shl | ShrSigned | ShrUnsigned => machine,
            Eq | Ne => true,
        };
        self.operator(suits, op.symbol(), ty, place);
        match op {
            Eq | Ne if ty.is_reference() => {
                for operand in [left, right] {
                    self.demand(operand.is_reference(), operand, "a reference", "an operand", place);
                }
            }
            Shl | ShrSigned | ShrUnsigned => {
                self.exactly(left, ty, "an operand", place);
                self.demand(right.is_integer(), right, "an integer", "the distance of a shift", place);
            }
            _ => {
                self.exactly(left, ty, "an operand", place);
                self.exactly(right, ty, "an operand", place);
            }
        }
    }

    fn op(&mut self, op: &OpKind, place: &Place) {
        use OpKind::*;
        let program = self.checker.program;
        match *op {
            Assign { dst, value } => self.store(dst, self.ty(value), place),
            Divide { dst, dividend, divisor, .. } => {
                self.integer(dividend, "the dividend", place);
                self.exactly(self.ty(divisor), self.ty(dividend), "the divisor", place);
                self.store(dst, self.ty(dividend), place);
            }
            New { dst, class } => {
                let declared = program.class(class);
                if declared.is_abstract || declared.is_interface {
                    self.report(place, ProblemKind::Abstract(declared.name.clone()));
                }
                self.store(dst, Type::Class(class), place);
            }
            NewArray { dst, element, length } => {
                self.integer(length, "the length", place);
                match program.array_type(element) {
                    Some(array) => self.store(dst, Type::Array(array), place),
                    None => {
                        let problem = ProblemKind::NoArrayType(self.name(element));
                        self.report(place, problem);
                    }
                }
            }
            GetField { dst, object, field } => {
                self.field(field, false, place);
                self.checker.assignable(self.ty(object), Type::Class(program.field(field).class), "the object", place);
                self.store(dst, program.field(field).ty, place);
            }
            PutField { object, field, value } => {
                self.field(field, false, place);
                self.checker.assignable(self.ty(object), Type::Class(program.field(field).class), "the object", place);
                self.checker.assignable(self.ty(value), program.field(field).ty, "the value", place);
            }
            GetStatic { dst, field } => {
                self.field(field, true, place);
                self.store(dst, program.field(field).ty, place);
            }
            PutStatic { field, value } => {
                self.field(field, true, place);
                self.checker.assignable(self.ty(value), program.field(field).ty, "the value", place);
            }
            ArrayGet { dst, array, index } => {
                self.integer(index, "the index", place);
                if let Some(element) = self.element(array, place) {
                    self.store(dst, element, place);
                }
            }
            ArrayPut { array, index, value } => {
                self.integer(index, "the index", place);
                if let Some(element) = self.element(array, place) {
                    self.checker.assignable(self.ty(value), element, "the value", place);
                }
            }
            ArrayLength { dst, array } => {
                self.element(array, place);
                let local = self.body.local(dst).ty;
                self.demand(local.is_integer(), local, "an integer", "the local of a length", place);
            }
            InstanceOf { dst, object, ty } => {
                self.reference(object, "the object", place);
                self.demand(ty.is_reference(), ty, "a class or an array type", "the type", place);
                self.store(dst, Type::Bool, place);
            }
            Cast { dst, object, ty } => {
                self.reference(object, "the object", place);
                self.demand(ty.is_reference(), ty, "a class or an array type", "the type", place);
                self.store(dst, ty, place);
            }
            Call { dst, dispatch, method, ref args } => self.call(dst, dispatch, method, args, place),
            Ensure { field, method } => self.ensure(field, method, place),
            OpKind::Intrinsic { dst, intrinsic, ref args } => self.intrinsic(dst, intrinsic, args, place),
            Quantify { dst, array, index, element, body, .. } => {
                let index_type = self.body.local(index).ty;
                self.demand(index_type.is_integer(), index_type, "an integer", "the index", place);
                if let Some(ty) = self.element(array, place) {
                    self.checker.assignable(ty, self.body.local(element).ty, "the element", place);
                }
                if index == element {
                    self.report(place, ProblemKind::OneBinder);
                }
                self.condition(body, place);
                self.store(dst, Type::Bool, place);
            }
            Assume { condition } | Assert { condition, .. } => self.condition(condition, place),
        }
    }

    fn ensure(&mut self, field: crate::program::FieldId, method: MethodId, place: &Place) {
        let program = self.checker.program;
        self.field(field, true, place);
        let ty = program.field(field).ty;
        self.demand(ty == Type::Bool || ty.is_reference(), ty, "a truth value or a reference", "the field", place);
        self.call(None, Dispatch::Static, method, &[], place);
    }

    fn intrinsic(&mut self, dst: Option<LocalId>, intrinsic: crate::body::Intrinsic, args: &[ExprId], place: &Place) {
        use crate::body::Intrinsic::*;
        if args.len() != intrinsic.arity() {
            let (name, expected, found) = (format!("{intrinsic:?}"), intrinsic.arity(), args.len());
            return self.report(place, ProblemKind::ArgumentCount { method: name, expected, found });
        }
        let result = match (intrinsic, args) {
            (Nondet(ty), _) => Some(ty),
            (NondetArray(element), &[length]) => {
                self.integer(length, "the length", place);
                let array = self.checker.program.array_type(element);
                if array.is_none() {
                    let problem = ProblemKind::NoArrayType(self.name(element));
                    self.report(place, problem);
                }
                array.map(Type::Array)
            }
            (Alike, &[left, right]) => {
                let ty = self.ty(left);
                let is_integers = matches!(ty, Type::Array(array)
                    if self.checker.program.element_type(array).is_integer());
                self.demand(is_integers, ty, "an array of integers", "an operand", place);
                self.exactly(self.ty(right), ty, "an operand", place);
                Some(Type::Bool)
            }
            (Print, &[unit]) => {
                self.exactly(self.ty(unit), Type::Machine { width: 16, signed: false }, "an operand", place);
                None
            }
            _ => None,
        };
        match (dst, result) {
            (Some(dst), Some(result)) => self.store(dst, result, place),
            (Some(_), None) => self.report(place, ProblemKind::NoResult(format!("{intrinsic:?}"))),
            (None, _) => {}
        }
    }

    fn field(&mut self, field: crate::program::FieldId, wanted_static: bool, place: &Place) {
        let field = self.checker.program.field(field);
        if field.is_static != wanted_static {
            let problem = ProblemKind::FieldKind { name: field.name.clone(), is_static: field.is_static };
            self.report(place, problem);
        }
    }

    fn call(&mut self, dst: Option<LocalId>, dispatch: Dispatch, method: MethodId, args: &[ExprId], place: &Place) {
        let program = self.checker.program;
        let callee = program.method(method);
        let name = || program.method_name(method);
        let fits = match dispatch {
            Dispatch::Static => callee.kind == MethodKind::Static,
            Dispatch::Special => callee.kind != MethodKind::Static,
            Dispatch::Virtual => callee.kind == MethodKind::Instance,
        };
        if !fits {
            let kind = match callee.kind {
                MethodKind::Static => "static method",
                MethodKind::Instance => "instance method",
                MethodKind::Constructor => "constructor",
            };
            let dispatch = match dispatch {
                Dispatch::Static => "static",
                Dispatch::Special => "special",
                Dispatch::Virtual => "virtual",
            };
            self.report(place, ProblemKind::BadDispatch { method: name(), kind, dispatch });
        }
        if callee.params.len() != args.len() {
            let (expected, found) = (callee.params.len(), args.len());
            self.report(place, ProblemKind::ArgumentCount { method: name(), expected, found });
        }
        for (&arg, &param) in args.iter().zip(&callee.params) {
            self.checker.assignable(self.ty(arg), param, "an argument", place);
        }
        match (dst, callee.result) {
            (Some(dst), Some(result)) => self.store(dst, result, place),
            (Some(_), None) => self.report(place, ProblemKind::NoResult(name())),
            (None, _) => {}
        }
    }

    fn traps(&mut self, op: &OpKind, place: &Place) {
        for &trap in op.traps() {
            // Storing a number cannot meet an array of another type.
            if let (Trap::BadArrayStore, OpKind::ArrayPut { array, .. }) = (trap, op)
                && let Type::Array(array) = self.ty(*array)
                && !self.checker.program.element_type(array).is_reference()
            {
                continue;
            }
            self.trap(trap, place);
        }
    }

    fn trap(&mut self, trap: Trap, place: &Place) {
        if self.checker.program.trap_class(trap).is_none() && self.checker.trapless.insert(trap) {
            self.report(place, ProblemKind::NoTrapClass(trap));
        }
    }

    fn terminator(&mut self, terminator: &TerminatorKind, place: &Place) {
        let program = self.checker.program;
        match *terminator {
            TerminatorKind::Goto(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported(_)
            | TerminatorKind::Bound(_) => {}
            TerminatorKind::Branch { condition, .. } => self.condition(condition, place),
            TerminatorKind::Switch { value, ref cases, .. } => {
                self.integer(value, "the value of a switch", place);
                let ty = self.ty(value);
                let mut seen = FxHashSet::default();
                for (case, _) in cases {
                    if ty.is_integer() && !fits(case, ty) {
                        let problem = ProblemKind::ConstantRange { value: case.clone(), ty: self.name(ty) };
                        self.report(place, problem);
                    }
                    if !seen.insert(case) {
                        self.report(place, ProblemKind::DuplicateCase(case.clone()));
                    }
                }
            }
            TerminatorKind::Return(value) => match (value, program.method(self.method).result) {
                (Some(value), Some(result)) => {
                    self.checker.assignable(self.ty(value), result, "the result", place);
                }
                (None, Some(result)) => {
                    let problem = ProblemKind::MissingResult(self.name(result));
                    self.report(place, problem);
                }
                (Some(_), None) => self.report(place, ProblemKind::NoResult(program.method_name(self.method))),
                (None, None) => {}
            },
            TerminatorKind::Throw(value) => {
                let ty = self.ty(value);
                self.demand(matches!(ty, Type::Class(_) | Type::Null), ty, "an object", "the exception", place);
                self.trap(Trap::NullDereference, place);
            }
        }
    }
}

/// Whether `value` is a value of the integer type `ty`.
fn fits(value: &BigInt, ty: Type) -> bool {
    match ty {
        Type::Int => true,
        Type::Machine { width, signed: true } => {
            let bound = BigInt::from(1) << (width.max(1) - 1);
            -&bound <= *value && *value < bound
        }
        Type::Machine { width, signed: false } => *value >= BigInt::from(0) && *value < BigInt::from(1) << width,
        _ => false,
    }
}
