//! Random code: expressions and statements that compile, wherever they stand.
//!
//! What holds of all text made here: an expression is of exactly the type that was asked for and can be an operand as it
//! stands; a statement can complete normally as javac sees it, so that another may follow; all loops are bounded.

mod expressions;
mod literals;
mod pieces;
mod statements;
mod types;

pub(crate) use types::{Prim, Ty};

use crate::{rng::Rng, topics::Topics};

/// Something that an expression can read.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub ty: Ty,
    /// Random code may assign to it.
    pub writable: bool,
    /// A lambda may read it: it is a field or effectively final.
    pub capturable: bool,
}

/// Something that an expression can call.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub name: String,
    pub params: Vec<Ty>,
    pub result: Ty,
}

/// What is in scope where code is being made, and where chance comes from.
pub(crate) struct Code {
    pub rng: Rng,
    pub topics: Topics,
    pub vars: Vec<Var>,
    pub methods: Vec<Method>,
    /// Expressions may assign to variables.
    pub effects: bool,
    /// The name of the class that has the helpers (`show`, `step`, `LOCK`), if code may use them.
    pub helpers: Option<String>,
    names: u32,
    /// How many more statements may nest others.
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

    /// A type of variables and results.
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

    /// A primitive type; `int` is the most frequent one.
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

    /// The name of some variable of the type.
    pub fn variable(&mut self, ty: Ty, wanted: impl Fn(&Var) -> bool) -> Option<String> {
        let found: Vec<&Var> = self.vars.iter().filter(|var| var.ty == ty && wanted(var)).collect();
        if found.is_empty() { None } else { Some(self.rng.pick(&found).name.clone()) }
    }

    pub fn declare(&mut self, name: &str, ty: Ty, writable: bool, capturable: bool) {
        self.vars.push(Var { name: name.into(), ty, writable, capturable });
    }
}
