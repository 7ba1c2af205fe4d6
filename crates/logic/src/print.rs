//! Prints terms in a readable notation: `a + 2*b <= c && !(x == y)`.

use crate::integer::Integer;
use crate::pool::Pool;
use crate::semantics;
use crate::term::{BvOp, BvOrder, Conversion, FloatFunction, FloatOp, FloatOrder, Node, Term};

/// Longest output, in bytes. Shared subterms are printed at every occurrence, so the full output can be exponential.
const LENGTH_LIMIT: usize = 64 * 1024;

enum Piece {
    Text(&'static str),
    Owned(String),
    /// A term, in parentheses if it is compound and the flag is set.
    Term(Term, bool),
}
use Piece::{Owned, Text};

impl Pool {
    /// The term in infix notation, cut after 64 KiB.
    pub fn show(&self, term: Term) -> String {
        self.show_with(term, &|_| None)
    }

    /// The same, with names for some terms.
    pub fn show_with(&self, term: Term, name: &dyn Fn(Term) -> Option<String>) -> String {
        let mut out = String::new();
        let mut pending = vec![Piece::Term(term, false)];
        while let Some(piece) = pending.pop() {
            if out.len() > LENGTH_LIMIT {
                out.push('…');
                break;
            }
            match piece {
                Text(text) => out.push_str(text),
                Owned(text) => out.push_str(&text),
                Piece::Term(term, _) if let Some(name) = name(term) => out.push_str(&name),
                Piece::Term(term, enclosed) => {
                    let pieces = self.pieces(term);
                    let compound = pieces.len() > 1 && !matches!(self.node(term), Node::Select(..));
                    let enclosed = enclosed && compound && !is_call(&pieces);
                    if enclosed {
                        out.push('(');
                        pending.push(Text(")"));
                    }
                    pending.extend(pieces.into_iter().rev());
                }
            }
        }
        out
    }

    /// The outermost level of a term.
    fn pieces(&self, term: Term) -> Vec<Piece> {
        let t = |term: Term| Piece::Term(term, true);
        let call = |name: &'static str, args: &[Term]| {
            let mut pieces = vec![Text(name), Text("(")];
            for (i, &arg) in args.iter().enumerate() {
                if i > 0 {
                    pieces.push(Text(", "));
                }
                pieces.push(Piece::Term(arg, false));
            }
            pieces.push(Text(")"));
            pieces
        };
        let joined = |parts: &[Term], operator: &'static str| {
            let mut pieces = Vec::new();
            for (i, &part) in parts.iter().enumerate() {
                if i > 0 {
                    pieces.push(Text(operator));
                }
                pieces.push(t(part));
            }
            pieces
        };
        match self.node(term) {
            Node::Bool(value) => vec![Text(if *value { "true" } else { "false" })],
            Node::Int(value) => vec![Owned(value.to_string())],
            Node::Bv { width, bits } => vec![Owned(semantics::signed(*bits, *width).to_string())],
            Node::Float(format, bits) => vec![Owned(format!("{:?}", semantics::to_f64(*format, *bits)))],
            Node::Var(id) => vec![Owned(self.variable(*id).name.clone())],
            Node::Not(a) => match *self.node(*a) {
                Node::EqZero(sum) => self.comparison(sum, " != "),
                Node::Eq(a, b) => vec![t(a), Text(" != "), t(b)],
                _ => vec![Text("!"), t(*a)],
            },
            Node::And(parts) => joined(parts, " && "),
            Node::Or(parts) => joined(parts, " || "),
            Node::Ite(c, a, b) => vec![t(*c), Text(" ? "), t(*a), Text(" : "), t(*b)],
            Node::Eq(a, b) => vec![t(*a), Text(" == "), t(*b)],
            Node::Sum(constant, parts) => self.sum(constant, parts.iter()),
            Node::Product(parts) => joined(parts, "*"),
            Node::IntDiv(a, b) => vec![t(*a), Text(" div "), t(*b)],
            Node::IntMod(a, b) => vec![t(*a), Text(" mod "), t(*b)],
            Node::LeZero(sum) => self.comparison(*sum, " <= "),
            Node::EqZero(sum) => self.comparison(*sum, " == "),
            Node::BvBinary(op, a, b) => {
                let operator = match op {
                    BvOp::Add => " + ",
                    BvOp::Mul => " * ",
                    BvOp::UDiv => " /u ",
                    BvOp::URem => " %u ",
                    BvOp::SDiv => " / ",
                    BvOp::SRem => " % ",
                    BvOp::And => " & ",
                    BvOp::Or => " | ",
                    BvOp::Xor => " ^ ",
                    BvOp::Shl => " << ",
                    BvOp::LShr => " >>> ",
                    BvOp::AShr => " >> ",
                };
                vec![t(*a), Text(operator), t(*b)]
            }
            Node::BvNot(a) => vec![Text("~"), t(*a)],
            Node::BvNeg(a) | Node::FloatNeg(a) => vec![Text("-"), t(*a)],
            Node::BvCompare(order, a, b) => {
                let operator = match order {
                    BvOrder::ULt => " <u ",
                    BvOrder::ULe => " <=u ",
                    BvOrder::SLt => " < ",
                    BvOrder::SLe => " <= ",
                };
                vec![t(*a), Text(operator), t(*b)]
            }
            Node::Extract { high, low, value } => vec![t(*value), Owned(format!("[{high}:{low}]"))],
            Node::Concat(a, b) => call("concat", &[*a, *b]),
            Node::Extend { signed, value, .. } => call(if *signed { "sign_extend" } else { "zero_extend" }, &[*value]),
            Node::FloatBinary(op, a, b) => {
                let operator = match op {
                    FloatOp::Add => " + ",
                    FloatOp::Sub => " - ",
                    FloatOp::Mul => " * ",
                    FloatOp::Div => " / ",
                    FloatOp::Rem => " % ",
                };
                vec![t(*a), Text(operator), t(*b)]
            }
            Node::FloatCompare(order, a, b) => {
                let operator = match order {
                    FloatOrder::Eq => " == ",
                    FloatOrder::Lt => " < ",
                    FloatOrder::Le => " <= ",
                };
                vec![t(*a), Text(operator), t(*b)]
            }
            Node::FloatUnary(function, a) => {
                let name = match function {
                    FloatFunction::Abs => "abs",
                    FloatFunction::Sqrt => "sqrt",
                    FloatFunction::Floor => "floor",
                    FloatFunction::Ceil => "ceil",
                    FloatFunction::Rint => "rint",
                };
                call(name, &[*a])
            }
            Node::FloatIsNan(a) => call("isNaN", &[*a]),
            Node::Convert(conversion, a) => {
                let name = match conversion {
                    Conversion::IntToBv(_) | Conversion::FloatToBv(_) => "bits",
                    Conversion::FloatToBits(_) => "rawBits",
                    Conversion::BitsToFloat(_) => "rawFloat",
                    Conversion::BvToInt { .. } => "integer",
                    Conversion::BvToFloat { .. } | Conversion::FloatToFloat(_) => "float",
                };
                call(name, &[*a])
            }
            Node::Select(a, i) => vec![t(*a), Text("["), Piece::Term(*i, false), Text("]")],
            Node::Store(a, i, v) => call("write", &[*a, *i, *v]),
            Node::ConstArray(_, value) => call("everywhere", &[*value]),
            Node::Quantified { forall, variable, low, high, body } => vec![
                Text(if *forall { "forall " } else { "exists " }),
                Owned(self.variable(*variable).name.clone()),
                Text(" in "),
                t(*low),
                Text(".."),
                t(*high),
                Text(": "),
                t(*body),
            ],
        }
    }

    fn sum<'a>(&self, constant: &Integer, parts: impl Iterator<Item = &'a (Integer, Term)>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (factor, part) in parts {
            let negative = factor.signum() < 0;
            match (pieces.is_empty(), negative) {
                (true, true) => pieces.push(Text("-")),
                (true, false) => {}
                (false, true) => pieces.push(Text(" - ")),
                (false, false) => pieces.push(Text(" + ")),
            }
            let factor = factor.abs();
            if !factor.is_one() {
                pieces.push(Owned(format!("{factor}*")));
            }
            pieces.push(Piece::Term(*part, true));
        }
        if pieces.is_empty() {
            pieces.push(Owned(constant.to_string()));
        } else if !constant.is_zero() {
            let sign = if constant.signum() < 0 { "-" } else { "+" };
            pieces.push(Owned(format!(" {sign} {}", constant.abs())));
        }
        pieces
    }

    /// `sum ? 0`, with the negative parts moved to the other side.
    fn comparison(&self, sum: Term, operator: &'static str) -> Vec<Piece> {
        let [left, right] = self.sides(sum);
        let mut pieces = self.sum(&left.0, left.1.iter());
        pieces.push(Text(operator));
        pieces.extend(self.sum(&right.0, right.1.iter()));
        pieces
    }
}

fn is_call(pieces: &[Piece]) -> bool {
    matches!(pieces, [Text(_), Text("("), ..])
}
