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

use crate::java::topics::Topics;
use crate::rng::Rng;
use crate::template::Fill;

/// A variable that an expression can read.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub ty: Ty,
    /// Whether random code may assign to it.
    pub writable: bool,
    /// Whether a lambda may read it: it is a field or effectively final.
    pub capturable: bool,
}

/// A method that an expression can call.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub name: String,
    pub params: Vec<Ty>,
    pub result: Ty,
}

/// The scope of the code that is being generated, and the source of randomness.
pub(crate) struct Code {
    pub rng: Rng,
    pub topics: Topics,
    pub vars: Vec<Var>,
    pub methods: Vec<Method>,
    /// Whether expressions may assign to variables.
    pub effects: bool,
    /// The name of the class with the helpers (`show`, `step`, `LOCK`), if code may use them.
    pub helpers: Option<String>,
    names: u32,
    /// The number of compound statements that may still be generated.
    budget: usize,
}

impl Code {
    pub fn new(rng: Rng, topics: Topics) -> Self {
        Code { rng, topics, vars: Vec::new(), methods: Vec::new(), effects: false, helpers: None, names: 0, budget: 0 }
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

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
            if ty.allowed_by(self.topics) {
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
        let topics = self.topics;
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

    /// The name of a random variable of the type.
    pub fn variable(&mut self, ty: Ty, wanted: impl Fn(&Var) -> bool) -> Option<String> {
        let found: Vec<&Var> = self.vars.iter().filter(|var| var.ty == ty && wanted(var)).collect();
        if found.is_empty() { None } else { Some(self.rng.pick(&found).name.clone()) }
    }

    pub fn declare(&mut self, name: &str, ty: Ty, writable: bool, capturable: bool) {
        self.vars.push(Var { name: name.into(), ty, writable, capturable });
    }
}

impl Fill for Code {
    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn constant(&mut self, ty: &str) -> String {
        match named(ty) {
            Ty::Prim(prim) => self.literal(prim),
            Ty::Text => self.text_literal(),
            other => self.expression(other, 0),
        }
    }

    fn expression_with(&mut self, ty: &str, variables: &[(&str, &str)]) -> String {
        let outer = (std::mem::take(&mut self.vars), std::mem::take(&mut self.methods), self.effects);
        self.effects = false;
        for (ty, name) in variables {
            self.declare(name, named(ty), false, false);
        }
        let text = self.expression(named(ty), 2);
        (self.vars, self.methods, self.effects) = outer;
        text
    }
}

/// The type that a template names. Panics if there is none, since the templates are part of this crate.
fn named(name: &str) -> Ty {
    Ty::parse(name.trim()).unwrap_or_else(|| panic!("no type is called {name}"))
}
