//! Lowers statements.

use super::{Arg, Loop, Lowerer};
use crate::ast::{Catch, Expr, ExprKind, Stmt, StmtKind};
use crate::lexer::Loc;
use crate::report::Outcome;
use aback_ir::*;

/// Most handlers that cover a block. Each block lists its handlers, so their number must be bounded.
const MAX_HANDLERS: usize = 256;

impl<'a> Lowerer<'_, 'a> {
    /// Lowers a statement. Its errors are reported, and lowering goes on with the next statement.
    pub(super) fn statement(&mut self, statement: &Stmt<'a>) {
        if !self.env.sink.is_full() {
            let _: Outcome<()> = self.try_statement(statement);
        }
    }

    fn try_statement(&mut self, statement: &Stmt<'a>) -> Outcome<()> {
        let loc = statement.loc;
        match &statement.kind {
            StmtKind::Empty => {}
            StmtKind::Block(statements) => statements.iter().for_each(|s| self.statement(s)),
            StmtKind::Declare { ty, name, value } => self.declaration(ty, *name, value.as_ref(), loc)?,
            StmtKind::Assign { target, value } => self.assignment(target, value, loc)?,
            StmtKind::Effect(expr) => self.effect(expr)?,
            StmtKind::If { arms, otherwise } => self.conditional(arms, otherwise.as_deref()),
            StmtKind::While { condition, body } => self.while_loop(condition, body, loc),
            StmtKind::Break | StmtKind::Continue => self.jump(matches!(statement.kind, StmtKind::Break), loc)?,
            StmtKind::Return(value) => {
                let outcome = self.return_statement(value.as_ref(), loc);
                self.end_all_the_same(outcome, loc)?;
            }
            StmtKind::Assert(condition) => {
                let condition = self.condition(condition)?;
                self.code.emit(OpKind::Assert { condition, kind: AssertKind::Assert }, self.span(loc));
            }
            StmtKind::Assume(condition) => {
                let condition = self.defined_condition(condition)?;
                self.code.emit(OpKind::Assume { condition }, self.span(loc));
            }
            StmtKind::Throw(value) => {
                let outcome = self.throw(value, loc);
                self.end_all_the_same(outcome, loc)?;
            }
            StmtKind::Try { body, catches } => self.try_catch(body, catches, loc)?,
            StmtKind::Super(_) => {
                return Err(self.error(loc, "`super(…)` may only be the first statement of a constructor"));
            }
        }
        Ok(())
    }

    /// Ends the block after a statement that control never passes, even if the statement has errors.
    fn end_all_the_same(&mut self, outcome: Outcome<()>, loc: Loc) -> Outcome<()> {
        if outcome.is_err() {
            self.code.end(TerminatorKind::Unreachable, self.span(loc));
        }
        outcome
    }

    /// Lowers a statement that may not run, or may run more than once.
    fn nested_statement(&mut self, statement: &Stmt<'a>) {
        self.scope.open();
        self.statement(statement);
        self.scope.close();
    }

    fn effect(&mut self, expr: &Expr<'a>) -> Outcome<()> {
        match &expr.kind {
            ExprKind::Call(receiver, name, args) => {
                let call = self.call_target(receiver, *name, args)?;
                self.code.emit(call.into_op(None), self.span(expr.loc));
                Ok(())
            }
            ExprKind::New(..) => self.value(expr).map(|_| ()),
            ExprKind::Name(word @ ("break" | "continue")) => {
                Err(self.error(expr.loc, format!("`{word}` must be followed by `;`")))
            }
            _ => {
                let help = matches!(expr.kind, ExprKind::Chain(..)).then(|| "an assignment is written `:=`".to_owned());
                Err(self.error_with_help(expr.loc, "only a call has an effect as a statement", help))
            }
        }
    }

    fn conditional(&mut self, arms: &[(Expr<'a>, Stmt<'a>)], otherwise: Option<&Stmt<'a>>) {
        let mut join = self.code.join();
        for (i, (condition, then)) in arms.iter().enumerate() {
            let then_block = self.code.block();
            let is_last = i + 1 == arms.len() && otherwise.is_none();
            let else_block = if is_last { self.code.join_block(&mut join) } else { self.code.block() };
            self.branch_on(condition, then_block, else_block);
            self.code.enter(then_block);
            self.nested_statement(then);
            self.code.goto_join(&mut join, self.span(then.end));
            self.code.enter(else_block);
        }
        if let Some(otherwise) = otherwise {
            self.nested_statement(otherwise);
            self.code.goto_join(&mut join, self.span(otherwise.end));
        }
        self.code.enter_join(&join);
    }

    fn while_loop(&mut self, condition: &Expr<'a>, body: &Stmt<'a>, loc: Loc) {
        let head = self.code.block();
        let mut exit = self.code.join();
        // An unreachable loop still gets code.
        self.code.here();
        self.code.goto(head, self.span(loc));
        self.code.enter(head);
        if !matches!(condition.kind, ExprKind::Bool(true)) {
            let inside = self.code.block();
            let outside = self.code.join_block(&mut exit);
            self.branch_on(condition, inside, outside);
            self.code.enter(inside);
        }
        self.loops.push(Loop { head, exit });
        self.nested_statement(body);
        self.code.goto(head, self.span(body.end));
        if let Some(finished) = self.loops.pop() {
            self.code.enter_join(&finished.exit);
        }
    }

    fn jump(&mut self, is_break: bool, loc: Loc) -> Outcome<()> {
        let Some(mut innermost) = self.loops.pop() else {
            let word = if is_break { "break" } else { "continue" };
            return Err(self.error(loc, format!("`{word}` outside of a loop")));
        };
        let target = if is_break { self.code.join_block(&mut innermost.exit) } else { innermost.head };
        self.loops.push(innermost);
        self.code.end(TerminatorKind::Goto(target), self.span(loc));
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Expr<'a>>, loc: Loc) -> Outcome<()> {
        let span = self.span(loc);
        let value = match (value, self.result) {
            (None, None) => None,
            (None, Some(ty)) => {
                let ty = self.type_name(ty);
                return Err(self.error(loc, format!("a value of type {ty} must be returned")));
            }
            (Some(value), None) => {
                self.value(value)?;
                return Err(self.error(value.loc, "this method has no result: it is declared void or a constructor"));
            }
            (Some(expr), Some(ty)) => {
                let value = self.value(expr)?;
                if !self.env.fits(value.ty, ty) {
                    let (found, wanted) = (self.type_name(value.ty), self.type_name(ty));
                    return Err(self.error(expr.loc, format!("the result is declared {wanted}, but this is {found}")));
                }
                Some(self.coerce(value, ty, self.span(expr.loc)).expr)
            }
        };
        self.return_value(value, span);
        Ok(())
    }

    fn throw(&mut self, expr: &Expr<'a>, loc: Loc) -> Outcome<()> {
        let span = self.span(loc);
        let value = self.value(expr)?;
        let exception = self.env.builtins.exception;
        let thrown = if value.ty == Type::Class(self.env.builtins.string) {
            let object = self.allocate(exception, span);
            self.call_constructor(exception, object, &[Arg { value, loc: expr.loc }], span)?;
            object.expr
        } else if self.env.fits(value.ty, Type::Class(exception)) {
            value.expr
        } else {
            let ty = self.type_name(value.ty);
            let help = "throw a string, or an object of a class that extends `Exception`".to_owned();
            return Err(self.error_with_help(expr.loc, format!("{ty} cannot be thrown"), Some(help)));
        };
        self.code.end(TerminatorKind::Throw(thrown), span);
        Ok(())
    }

    fn try_catch(&mut self, body: &Stmt<'a>, catches: &[Catch<'a>], loc: Loc) -> Outcome<()> {
        if self.code.handlers() + catches.len() > MAX_HANDLERS {
            return Err(self.error(loc, format!("more than {MAX_HANDLERS} `catch` clauses in force at once")));
        }
        let mut join = self.code.join();
        self.code.here();
        let mut handlers = Vec::new();
        for catch in catches {
            let target = self.code.block();
            self.code.reach(target);
            // The variable for the exception is resolved when the clause is lowered.
            handlers.push((target, self.catch_class(catch)));
        }
        let exception = self.env.builtins.exception;
        let landings: Vec<Handler> = handlers
            .iter()
            .map(|&(target, class)| {
                let temp = self.code.temp(Type::Class(class.unwrap_or(exception)));
                Handler { class, target, exception: temp }
            })
            .collect();
        let outer = self.code.cover(landings.clone());
        let covered = self.code.block();
        self.code.goto(covered, self.span(loc));
        self.code.enter(covered);
        self.nested_statement(body);
        self.code.goto_join(&mut join, self.span(body.end));
        self.code.set_handlers(outer);
        for (catch, landing) in catches.iter().zip(landings) {
            self.code.enter(landing.target);
            self.scope.open();
            if let Some(name) = catch.name {
                let value = self.code.read(landing.exception);
                let ty = self.code.local_type(landing.exception);
                self.set_variable(name, ty, value, self.span(catch.loc));
            }
            self.statement(&catch.body);
            self.scope.close();
            self.code.goto_join(&mut join, self.span(catch.body.end));
        }
        self.code.enter_join(&join);
        Ok(())
    }

    /// The class that a clause catches; `None` if it catches everything.
    fn catch_class(&mut self, catch: &Catch<'a>) -> Option<ClassId> {
        let written = catch.class.as_ref()?;
        let ty = self.env.value_type(written, self.file).ok()?;
        let exception = self.env.builtins.exception;
        match ty {
            Type::Class(class) if self.env.program.is_subclass(class, exception) => {
                (class != exception).then_some(class)
            }
            _ => {
                let name = self.type_name(ty);
                let message = format!("{name} cannot be caught: only classes that extend `Exception` are thrown");
                self.error(written.loc, message);
                None
            }
        }
    }
}
