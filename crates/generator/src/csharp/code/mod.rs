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

use crate::code::{self, Language};

pub(crate) type Code = code::Code<CSharp>;
type Method = code::Method<Ty>;
type Place = code::Place<Ty>;

/// The options and the state of C# code.
pub(crate) struct CSharp {
    /// Whether the code writes what it computes.
    pub writes: bool,
    /// Whether there are floats and decimals.
    pub floats: bool,
    /// The number of the next mark, if there are marks.
    marks: Option<u32>,
    /// Whether the code is in a `checked` context.
    checked: bool,
}

impl CSharp {
    pub fn new() -> Self {
        CSharp { writes: true, floats: true, marks: None, checked: false }
    }
}

impl Language for CSharp {
    type Ty = Ty;

    const INT: Ty = Ty::Prim(Prim::Int);
    const BOOLEAN: Ty = Ty::Prim(Prim::Bool);
    const CAPTURES_ASSIGNED: bool = true;

    fn parse(name: &str) -> Option<Ty> {
        let prim = |name: &str| Prim::ALL.into_iter().find(|prim| prim.name() == name);
        match name {
            "string" => Some(Ty::Text),
            "object" => Some(Ty::Object),
            _ => match (name.strip_suffix('?'), name.strip_suffix("[]")) {
                (Some(name), _) => prim(name).map(Ty::Nullable),
                (_, Some(name)) => prim(name).map(Ty::Array),
                _ => prim(name).map(Ty::Prim),
            },
        }
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
            Ty::Nullable(prim) => code.nullable(prim, depth),
            Ty::Text => code.text(depth),
            Ty::Object => code.object(depth),
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
        let floats = self.language.floats;
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
}
