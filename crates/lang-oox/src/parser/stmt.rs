//! Parses statements.

use super::Parser;
use crate::ast::{Catch, Expr, Stmt, StmtKind, TypeRef};
use crate::lexer::{Loc, Tok};
use crate::report::{Outcome, Reported};

impl<'a> Parser<'a, '_> {
    /// `{ statements }`; also returns the place of the closing brace.
    pub(super) fn braces(&mut self) -> Outcome<(Vec<Stmt<'a>>, Loc)> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.at("}") {
            if self.at_end() || self.at("class") {
                return Err(self.expected("`}`"));
            }
            let start = self.at;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) if self.sink.is_full() || self.aborted => return Err(Reported),
                Err(Reported) => {
                    self.recover();
                    if self.at == start && !self.at("}") && !self.at("class") {
                        self.advance();
                    }
                }
            }
        }
        Ok((statements, self.advance()))
    }

    fn statement(&mut self) -> Outcome<Stmt<'a>> {
        self.nested(Self::statement_here)
    }

    /// Parses the statement of an `if`, `while`, `else`, `try` or `catch`. A block there does not count as a level of
    /// nesting.
    fn governed(&mut self) -> Outcome<Stmt<'a>> {
        if self.at("{") { self.statement_here() } else { self.statement() }
    }

    fn statement_here(&mut self) -> Outcome<Stmt<'a>> {
        let start = self.token();
        let kind = match start.kind {
            Tok::Fixed(";") => {
                self.advance();
                StmtKind::Empty
            }
            Tok::Fixed("{") => {
                let (statements, end) = self.braces()?;
                return Ok(Stmt { kind: StmtKind::Block(statements), loc: start.loc.to(end), end });
            }
            Tok::Fixed("if") => return self.conditional(start.loc),
            Tok::Fixed("while") => {
                self.advance();
                let condition = self.parenthesized()?;
                let loc = start.loc.to(self.previous());
                let body = Box::new(self.governed()?);
                let end = body.end;
                return Ok(Stmt { kind: StmtKind::While { condition, body }, loc, end });
            }
            Tok::Fixed("try") => return self.handled(start.loc),
            Tok::Fixed("return") => {
                self.advance();
                let value = if self.at(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                StmtKind::Return(value)
            }
            Tok::Fixed("assert") => StmtKind::Assert(self.operand_of_keyword()?),
            Tok::Fixed("assume") => StmtKind::Assume(self.operand_of_keyword()?),
            Tok::Fixed("throw") => StmtKind::Throw(self.operand_of_keyword()?),
            Tok::Fixed("super") if self.token_after(1).kind == Tok::Fixed("(") => {
                self.advance();
                let args = self.arguments()?;
                self.expect(";")?;
                StmtKind::Super(args)
            }
            // Variables may have these names, but a variable alone is not a statement.
            Tok::Name(word @ ("break" | "continue")) if self.token_after(1).kind == Tok::Fixed(";") => {
                self.advance();
                self.advance();
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            Tok::Fixed("else") => {
                let help = "a `;` behind the statement of an `if` ends the whole `if`";
                return Err(self.error_with_help(self.token().loc, "`else` without an `if`", Some(help)));
            }
            _ if self.at_declaration() => {
                let ty = self.type_ref("a type")?;
                self.declaration(ty)?
            }
            _ => self.assignment_or_call()?,
        };
        let loc = start.loc.to(self.previous());
        Ok(Stmt { kind, loc, end: loc })
    }

    /// Whether a type and a name follow, and not an expression that starts with a name.
    fn at_declaration(&self) -> bool {
        match (self.token().kind, self.token_after(1).kind) {
            (Tok::Fixed("int" | "bool" | "char" | "string" | "void"), _) => true,
            (Tok::Name(_), Tok::Name(_)) => true,
            (Tok::Name(_), Tok::Fixed("[")) => self.token_after(2).kind == Tok::Fixed("]"),
            _ => false,
        }
    }

    fn declaration(&mut self, ty: TypeRef<'a>) -> Outcome<StmtKind<'a>> {
        let name = self.name("the name of a variable")?;
        let value = if self.at(":=") || self.at("=") { Some(self.assigned()?) } else { None };
        self.expect(";")?;
        Ok(StmtKind::Declare { ty, name, value })
    }

    fn assignment_or_call(&mut self) -> Outcome<StmtKind<'a>> {
        let target = self.expression()?;
        if self.at(":=") || self.at("=") {
            let value = self.assigned()?;
            self.expect(";")?;
            return Ok(StmtKind::Assign { target, value });
        }
        self.expect(";")?;
        Ok(StmtKind::Effect(target))
    }

    /// `:= e`
    fn assigned(&mut self) -> Outcome<Expr<'a>> {
        let loc = self.token().loc;
        if self.eat("=") {
            // The meaning is clear, so parsing goes on to find more errors.
            self.error(loc, "an assignment is written `:=`");
        } else {
            self.expect(":=")?;
        }
        self.expression()
    }

    /// `keyword e;`
    fn operand_of_keyword(&mut self) -> Outcome<Expr<'a>> {
        self.advance();
        let operand = self.expression()?;
        self.expect(";")?;
        Ok(operand)
    }

    /// Parses an `if` with its ladder of `else if`s. A `;` after the last branch, in place of an `else`, ends it.
    fn conditional(&mut self, start: Loc) -> Outcome<Stmt<'a>> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            self.expect("if")?;
            let condition = self.parenthesized()?;
            arms.push((condition, self.governed()?));
            if !self.eat("else") {
                self.eat(";");
                break;
            }
            if !self.at("if") {
                otherwise = Some(Box::new(self.governed()?));
                break;
            }
        }
        let end = otherwise.as_deref().or(arms.last().map(|(_, last)| last)).map_or(start, |last| last.end);
        Ok(Stmt { kind: StmtKind::If { arms, otherwise }, loc: start, end })
    }

    fn handled(&mut self, start: Loc) -> Outcome<Stmt<'a>> {
        self.advance();
        let body = Box::new(self.governed()?);
        let mut catches = Vec::new();
        if !self.at("catch") {
            return Err(self.expected("`catch`"));
        }
        while self.at("catch") {
            let loc = self.advance();
            let (mut class, mut name) = (None, None);
            if self.eat("(") {
                if self.token_after(1).kind != Tok::Fixed(")") {
                    class = Some(self.type_ref("the class of the exception")?);
                }
                name = Some(self.name("the name of the exception")?);
                self.expect(")")?;
            }
            let loc = loc.to(self.previous());
            catches.push(Catch { class, name, body: self.governed()?, loc });
        }
        let end = catches.last().map_or(start, |last| last.body.end);
        Ok(Stmt { kind: StmtKind::Try { body, catches }, loc: start, end })
    }
}
