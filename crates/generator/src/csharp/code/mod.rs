//! Generates random code: expressions and statements that compile in any context.
//!
//! All generated text has the following properties. An expression has exactly the requested type and can be used as
//! an operand without parentheses. Another statement may follow each statement. All loops are bounded. The compiler
//! evaluates no operation that overflows: it evaluates constants in an `unchecked` context, or does not know them.

mod expressions;
mod literals;
mod pieces;
mod statements;
mod types;

pub(crate) use types::{Prim, Ty};

use crate::rng::Rng;
use crate::template::Fill;

/// A variable that an expression can read.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub ty: Ty,
    /// Whether random code may assign to it.
    pub writable: bool,
    /// Whether a lambda may use it: no reference to a variable of the caller.
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
    pub vars: Vec<Var>,
    pub methods: Vec<Method>,
    /// Whether expressions may assign to variables.
    pub effects: bool,
    /// Whether the code writes what it computes.
    pub writes: bool,
    /// Whether there are floats and decimals.
    pub floats: bool,
    /// The number of the next mark, if there are marks.
    marks: Option<u32>,
    /// Whether the code is in a `checked` context.
    checked: bool,
    names: u32,
    /// The number of compound statements that may still be generated.
    budget: usize,
}

impl Code {
    pub fn new(rng: Rng) -> Self {
        Code {
            rng,
            vars: Vec::new(),
            methods: Vec::new(),
            effects: false,
            writes: true,
            floats: true,
            marks: None,
            checked: false,
            names: 0,
            budget: 0,
        }
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A random type of variables and results.
    pub fn ty(&mut self) -> Ty {
        let prim = self.any_prim();
        match self.rng.below(12) {
            0 => Ty::Nullable(prim),
            1 => Ty::Array(prim),
            2 => Ty::Text,
            3 if self.rng.chance(50) => Ty::Object,
            _ => Ty::Prim(prim),
        }
    }

    /// A random primitive type; `int` is the most frequent one.
    pub fn any_prim(&mut self) -> Prim {
        if self.rng.chance(25) {
            return Prim::Int;
        }
        self.prim_where(|_| true)
    }

    pub fn prim_where(&mut self, wanted: impl Fn(Prim) -> bool) -> Prim {
        let floats = self.floats;
        let allowed = |prim: Prim| floats || prim.is_integral() || prim == Prim::Bool;
        let choices: Vec<Prim> = Prim::ALL.into_iter().filter(|&prim| allowed(prim) && wanted(prim)).collect();
        // Decimals are rare.
        match *self.rng.pick(&choices) {
            Prim::Decimal if choices.len() > 1 && self.rng.chance(70) => *self.rng.pick(&choices),
            prim => prim,
        }
    }

    pub fn numeric(&mut self) -> Prim {
        self.prim_where(Prim::is_numeric)
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
