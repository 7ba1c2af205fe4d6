//! Generates random code: expressions and statements that compile in any context.
//!
//! All generated text has the following properties. An expression has exactly the requested type and can be used as
//! an operand without parentheses. A statement can complete normally according to javac, so that another one may
//! follow. All loops are bounded.

mod expressions;
mod literals;
mod pieces;
mod statements;
mod types;

pub(crate) use types::{Prim, Ty};

use crate::code::{self, Language};
use crate::java::topics::Topics;

pub(crate) type Code = code::Code<Java>;
type Method = code::Method<Ty>;
type Place = code::Place<Ty>;

/// The options of Java code.
pub(crate) struct Java {
    pub topics: Topics,
    /// The name of the class with the helpers (`show`, `step`, `LOCK`), if code may use them.
    pub helpers: Option<String>,
}

impl Language for Java {
    type Ty = Ty;

    const INT: Ty = Ty::Prim(Prim::Int);
    const BOOLEAN: Ty = Ty::Prim(Prim::Boolean);
    const CAPTURES_ASSIGNED: bool = false;

    fn parse(name: &str) -> Option<Ty> {
        if name == "String" {
            return Some(Ty::Text);
        }
        let prim = |name: &str| Prim::ALL.into_iter().find(|prim| prim.name() == name);
        if let Some(element) = name.strip_suffix("[]") {
            return prim(element).map(Ty::Array);
        }
        let boxed = || Prim::ALL.into_iter().find(|prim| prim.wrapper() == name).map(Ty::Boxed);
        prim(name).map(Ty::Prim).or_else(boxed)
    }

    fn constant(code: &mut Code, ty: Ty) -> String {
        match ty {
            Ty::Prim(prim) => code.literal(prim),
            Ty::Text => code.text_literal(),
            other => code.expression(other, 0),
        }
    }

    fn expression(code: &mut Code, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Prim(prim) => code.prim(prim, depth),
            Ty::Boxed(prim) => code.boxed(prim, depth),
            Ty::Text => code.text(depth),
            Ty::Array(prim) => code.array(prim, depth),
        }
    }

    fn statement(code: &mut Code, place: &Place) -> String {
        code.statement(place)
    }
}

impl Code {
    /// A random type of variables and results.
    pub fn ty(&mut self) -> Ty {
        loop {
            let prim = self.any_prim();
            let ty = match self.rng.below(10) {
                0 => Ty::Boxed(prim),
                1 => Ty::Array(prim),
                2 => Ty::Text,
                _ => Ty::Prim(prim),
            };
            if ty.allowed_by(self.language.topics) {
                return ty;
            }
        }
    }

    /// A random primitive type; `int` is the most frequent one.
    pub fn any_prim(&mut self) -> Prim {
        if self.rng.chance(30) {
            return Prim::Int;
        }
        self.prim_where(|_| true)
    }

    pub fn prim_where(&mut self, wanted: impl Fn(Prim) -> bool) -> Prim {
        let topics = self.language.topics;
        let choices: Vec<Prim> =
            Prim::ALL.into_iter().filter(|&prim| wanted(prim) && Ty::Prim(prim).allowed_by(topics)).collect();
        *self.rng.pick(&choices)
    }

    pub fn numeric(&mut self) -> Prim {
        self.prim_where(|prim| prim != Prim::Boolean)
    }

    pub fn integral(&mut self) -> Prim {
        self.prim_where(Prim::is_integral)
    }
}
