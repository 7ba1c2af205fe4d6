//! Lowers the syntax tree of a method to its body: checks types and emits operations in one pass.
//!
//! This module handles the frame of a method, its parameters, contracts and exits.

mod assign;
mod call;
mod code;
mod expr;
mod logic;
mod operator;
mod quantify;
mod scope;
mod stmt;

use crate::ast::{self, Expr, Spec, Stmt, StmtKind};
use crate::declare::{Env, Pending};
use crate::lexer::Loc;
use crate::report::{Outcome, Reported};
use aback_ir::*;
use code::{Code, Join};
use scope::Scope;

/// The value of an expression.
#[derive(Clone, Copy, Debug)]
struct Value {
    expr: ExprId,
    ty: Type,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
struct Arg {
    value: Value,
    loc: Loc,
}

/// The targets of `continue` and `break`.
struct Loop {
    head: BlockId,
    exit: Join,
}

/// The common end of a method with postconditions.
struct Exit {
    join: Join,
    result: Option<LocalId>,
}

struct Lowerer<'e, 'a> {
    env: &'e mut Env<'a>,
    file: FileId,
    class: ClassId,
    kind: MethodKind,
    result: Option<Type>,
    code: Code,
    scope: Scope<'a>,
    this: Option<LocalId>,
    loops: Vec<Loop>,
    exit: Option<Exit>,
    /// Lengths of arrays that were read before the body of a quantifier.
    lengths: Vec<(LocalId, ExprId)>,
    /// Whether the body of a quantifier is lowered to a formula, in which everything is pure.
    in_formula: bool,
}

/// Lowers a method and sets its body, unless the method has errors.
pub(crate) fn lower<'a>(env: &mut Env<'a>, pending: &Pending<'_, 'a>) {
    let method = env.program.method(pending.method);
    let (kind, result, params) = (method.kind, method.result, method.params.clone());
    let errors_before = env.sink.errors();
    let mut lowerer = Lowerer {
        env,
        file: pending.file,
        class: pending.class,
        kind,
        result,
        code: Code::default(),
        scope: Scope::default(),
        this: None,
        loops: Vec::new(),
        exit: None,
        lengths: Vec::new(),
        in_formula: false,
    };
    match pending.source {
        Some(source) => lowerer.method(source, &params),
        None => lowerer.default_constructor(pending.span, &params),
    }
    let body = lowerer.code.finish();
    if env.sink.errors() == errors_before {
        env.program.set_body(pending.method, body);
    }
}

impl<'a> Lowerer<'_, 'a> {
    // ---- frame ----------------------------------------------------------------------------------------------

    fn method(&mut self, source: &ast::Method<'a>, params: &[Type]) {
        let mut names: Vec<&'a str> = source.params.iter().map(|(_, name)| name.text).collect();
        if self.kind != MethodKind::Static {
            names.insert(0, "this");
        }
        let locals: Vec<(&'a str, LocalId)> =
            names.iter().zip(params).map(|(name, &ty)| (*name, self.code.local(name, ty))).collect();
        self.this = locals.first().filter(|(name, _)| *name == "this").map(|&(_, local)| local);
        self.scope.reset(locals.iter().copied());
        self.code.start();

        for spec in specs(source, AssertKind::Requires) {
            self.spec(spec);
        }
        // The exit is made before the handler below is in force: a false postcondition is not an exception of the body.
        if specs(source, AssertKind::Ensures).next().is_some() {
            let result = self.result.map(|ty| self.code.local("%result", ty));
            self.exit = Some(Exit { join: self.code.join(), result });
        }
        let rescue = self.cover_exceptional(source);
        for statement in self.constructor_start(source) {
            self.statement(statement);
        }
        self.fall_off(source);
        self.report_undetermined();

        self.code.set_handlers(vec![]);
        if let Some(exit) = self.exit.take() {
            self.scope.reset(locals.iter().copied());
            self.code.enter_join(&exit.join);
            self.postconditions(source, exit.result);
        }
        if let Some(rescue) = rescue {
            self.scope.reset(locals);
            self.exceptional(source, rescue);
        }
    }

    /// Makes the constructor of a class that declares none.
    fn default_constructor(&mut self, span: Span, params: &[Type]) {
        self.this = params.first().map(|&ty| self.code.local("this", ty));
        self.code.start();
        // An error here concerns the class, so its place is the name of the class. The code itself has no place.
        if self.call_super_constructor(&[], span).is_ok() {
            self.code.end(TerminatorKind::Return(None), Span::NONE);
        }
    }

    /// Calls the superclass's constructor first. Returns the remaining statements.
    fn constructor_start<'t>(&mut self, source: &'t ast::Method<'a>) -> &'t [Stmt<'a>] {
        if self.kind != MethodKind::Constructor {
            return &source.body;
        }
        // Errors here have been reported. The other statements are checked nevertheless.
        if let [Stmt { kind: StmtKind::Super(args), loc, .. }, rest @ ..] = &source.body[..] {
            let span = self.span(*loc);
            let _ = self.args(args).and_then(|args| self.call_super_constructor(&args, span));
            return rest;
        }
        let _ = self.call_super_constructor(&[], self.span(source.name.loc));
        &source.body
    }

    fn call_super_constructor(&mut self, args: &[Arg], span: Span) -> Outcome<()> {
        let Some(superclass) = self.env.program.class(self.class).superclass else {
            return if args.is_empty() { Ok(()) } else { Err(self.error_at(span, "this class has no superclass")) };
        };
        let this = self.this_value(span)?;
        self.call_constructor(superclass, this, args, span)
    }

    /// Lowers the end of the body. If control can reach it, the method returns the default of its result type, with a
    /// warning.
    fn fall_off(&mut self, source: &ast::Method<'a>) {
        let span = self.span(source.end);
        if self.code.is_reached()
            && !self.env.sink.is_full()
            && let Some(ty) = self.result
        {
            let default = match ty {
                Type::Bool => "false",
                _ if ty.is_integer() => "0",
                _ if ty.is_reference() => "null",
                _ => "'\\0'",
            };
            let name = self.span(source.name.loc);
            let help = format!("aback returns the default, {default}, there");
            let message = format!("`{}` can end without a return", source.name.text);
            self.env.sink.warning(name, message, Some(help));
        }
        if self.code.is_open() {
            let value = self.result.map(|ty| self.code.default_of(ty));
            self.return_value(value, span);
        }
    }

    /// Returns through the postconditions, if there are any.
    fn return_value(&mut self, value: Option<ExprId>, span: Span) {
        let Some(mut exit) = self.exit.take() else {
            self.code.end(TerminatorKind::Return(value), span);
            return;
        };
        if let (Some(result), Some(value)) = (exit.result, value) {
            self.code.assign(result, value, span);
        }
        let block = self.code.join_block(&mut exit.join);
        self.code.end(TerminatorKind::Goto(block), span);
        self.exit = Some(exit);
    }

    // ---- contracts ------------------------------------------------------------------------------------------

    /// Asserts the condition of a specification.
    fn spec(&mut self, spec: &Spec<'a>) {
        if let Ok(condition) = self.defined_condition(&spec.condition) {
            let span = self.span(spec.loc);
            self.code.emit(OpKind::Assert { condition, kind: spec.kind }, span);
        }
    }

    fn postconditions(&mut self, source: &ast::Method<'a>, result: Option<LocalId>) {
        if let Some(result) = result {
            self.scope.bind("retval", Some(result));
        }
        for spec in specs(source, AssertKind::Ensures) {
            self.spec(spec);
        }
        let value = result.map(|result| self.code.read(result));
        self.code.end(TerminatorKind::Return(value), self.span(source.end));
    }

    /// Covers the body with a handler if the method has `exceptional` specifications.
    fn cover_exceptional(&mut self, source: &ast::Method<'a>) -> Option<Rescue> {
        let spec = specs(source, AssertKind::Exceptional).next()?;
        let exception = self.code.temp(Type::Class(self.env.builtins.exception));
        let handler = self.code.block();
        self.code.cover(vec![Handler { class: None, target: handler, exception }]);
        self.code.reach(handler);
        let body = self.code.block();
        self.code.goto(body, self.span(spec.loc));
        self.code.enter(body);
        Some(Rescue { handler, exception })
    }

    fn exceptional(&mut self, source: &ast::Method<'a>, rescue: Rescue) {
        self.code.enter(rescue.handler);
        let mut span = self.span(source.end);
        for spec in specs(source, AssertKind::Exceptional) {
            self.spec(spec);
            span = self.span(spec.loc);
        }
        let exception = self.code.read(rescue.exception);
        self.code.end(TerminatorKind::Throw(exception), span);
    }

    // ---- small things ---------------------------------------------------------------------------------------

    fn span(&self, loc: Loc) -> Span {
        loc.span(self.file)
    }

    fn error_at(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.env.sink.error(span, message)
    }

    fn error(&mut self, loc: Loc, message: impl Into<String>) -> Reported {
        self.error_at(self.span(loc), message)
    }

    fn error_with_help(&mut self, loc: Loc, message: impl Into<String>, help: Option<String>) -> Reported {
        self.env.sink.error_with_help(self.span(loc), message, help)
    }

    fn warning(&mut self, loc: Loc, message: impl Into<String>, help: Option<String>) {
        self.env.sink.warning(self.span(loc), message, help);
    }

    fn type_name(&self, ty: Type) -> String {
        self.env.type_name(ty)
    }

    fn this_value(&mut self, span: Span) -> Outcome<Value> {
        match self.this {
            Some(this) => Ok(Value { expr: self.code.read(this), ty: self.code.local_type(this) }),
            None => Err(self.error_at(span, "a static method has no `this`")),
        }
    }

    /// Whether an expression may be evaluated even if its value does not matter.
    fn is_pure(&self, expr: &Expr<'a>) -> bool {
        expr.pure || self.in_formula
    }

    /// The values of arguments in order. All of them are checked.
    fn args(&mut self, exprs: &[Expr<'a>]) -> Outcome<Vec<Arg>> {
        let args: Vec<Outcome<Arg>> =
            exprs.iter().map(|e| self.value(e).map(|value| Arg { value, loc: e.loc })).collect();
        args.into_iter().collect()
    }
}

/// The handler for exceptions that leave a method.
struct Rescue {
    handler: BlockId,
    exception: LocalId,
}

/// The specifications of one kind.
fn specs<'t, 'a>(source: &'t ast::Method<'a>, kind: AssertKind) -> impl Iterator<Item = &'t Spec<'a>> {
    source.specs.iter().filter(move |spec| spec.kind == kind)
}
