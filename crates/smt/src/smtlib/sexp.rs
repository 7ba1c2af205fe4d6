//! Parses s-expressions, the syntax of SMT-LIB solvers' answers. All code here is iterative, since a solver may
//! answer anything.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// A flat sequence of s-expressions: a list is followed by its members. In place of `(let ((name value)) body)`, readers see the body,
/// and in place of the names in it their values.
#[derive(Debug, Default)]
pub(super) struct Sexps {
    nodes: Vec<Flat>,
}

#[derive(Debug)]
enum Flat {
    Atom(String),
    /// A list, with the index after its last member.
    List(usize),
    /// What stands for another expression: the index after it, and that of the other one. It is a name that a `let` binds, or a `let`.
    Link(usize, usize),
}

/// An atom or a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sexp<'a> {
    all: &'a Sexps,
    at: usize,
}

impl Sexps {
    /// Parses a text. Returns `None` if parentheses or quotes do not match. Quotes of symbols are dropped, those of
    /// strings are kept.
    pub(super) fn parse(text: &str) -> Option<Sexps> {
        let mut nodes = Vec::new();
        let mut open = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let used = match first {
                '(' => {
                    open.push(nodes.len());
                    nodes.push(Flat::List(0));
                    1
                }
                ')' => {
                    let start: usize = open.pop()?;
                    let end = nodes.len();
                    nodes[start] = Flat::List(end);
                    1
                }
                ';' => rest.find('\n').unwrap_or(rest.len()),
                '|' => {
                    let end = rest[1..].find('|')? + 1;
                    nodes.push(Flat::Atom(rest[1..end].to_string()));
                    end + 1
                }
                '"' => {
                    // A quote inside a string is doubled, so that the string reads as two adjacent strings.
                    let end = rest[1..].find('"')? + 1;
                    nodes.push(Flat::Atom(rest[..=end].to_string()));
                    end + 1
                }
                _ => {
                    let end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '|' | '"');
                    let end = rest.find(end).unwrap_or(rest.len());
                    nodes.push(Flat::Atom(rest[..end].to_string()));
                    end
                }
            };
            rest = rest[used..].trim_start();
        }
        let mut parsed = open.is_empty().then_some(Sexps { nodes })?;
        parsed.link();
        Some(parsed)
    }

    /// Replaces each `let`, and the names that it binds, by links.
    fn link(&mut self) {
        // By name, innermost last: where it is bound, and to what.
        let mut bound: FxHashMap<String, Vec<(Range<usize>, usize)>> = FxHashMap::default();
        for at in 0..self.nodes.len() {
            match &self.nodes[at] {
                Flat::Atom(name) => {
                    let Some(known) = bound.get_mut(name) else { continue };
                    while known.pop_if(|(scope, _)| scope.end <= at).is_some() {}
                    if let Some(&(_, value)) = known.iter().rev().find(|(scope, _)| scope.contains(&at)) {
                        self.nodes[at] = Flat::Link(at + 1, value);
                    }
                }
                &Flat::List(end) => {
                    let list = Sexp { all: self, at };
                    let Some([keyword, bindings, body]) = list.exactly() else { continue };
                    if !keyword.is("let") || bindings.atom().is_some() {
                        continue;
                    }
                    for [name, value] in bindings.members().filter_map(Sexp::exactly) {
                        let name = name.atom().unwrap_or_default().to_string();
                        bound.entry(name).or_default().push((body.at..end, value.at));
                    }
                    self.nodes[at] = Flat::Link(end, body.at);
                }
                Flat::Link(..) => {}
            }
        }
    }

    /// The expression at an index, or what stands there for it.
    fn resolved(&self, mut at: usize) -> Sexp<'_> {
        while let Some(&Flat::Link(_, target)) = self.nodes.get(at) {
            at = target;
        }
        Sexp { all: self, at }
    }

    /// The expressions at the top level.
    pub(super) fn iter(&self) -> Members<'_> {
        Members { all: self, next: 0, end: self.nodes.len() }
    }
}

impl<'a> Sexp<'a> {
    /// The text of an atom, or `None` for a list.
    pub(super) fn atom(self) -> Option<&'a str> {
        match self.all.nodes.get(self.at)? {
            Flat::Atom(text) => Some(text),
            Flat::List(_) | Flat::Link(..) => None,
        }
    }

    /// The members of a list; an atom has none.
    pub(super) fn members(self) -> Members<'a> {
        let end = match self.all.nodes.get(self.at) {
            Some(Flat::List(end)) => *end,
            _ => self.at + 1,
        };
        Members { all: self.all, next: self.at + 1, end }
    }

    /// The members of a list of this length, or `None` for other expressions.
    pub(super) fn exactly<const N: usize>(self) -> Option<[Sexp<'a>; N]> {
        if self.atom().is_some() {
            return None;
        }
        let members: Vec<Sexp<'a>> = self.members().take(N + 1).collect();
        members.try_into().ok()
    }

    /// Whether the expression is the atom `text`.
    pub(super) fn is(self, text: &str) -> bool {
        self.atom() == Some(text)
    }
}

/// Iterates over adjacent expressions.
pub(super) struct Members<'a> {
    all: &'a Sexps,
    next: usize,
    end: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = Sexp<'a>;

    fn next(&mut self) -> Option<Sexp<'a>> {
        if self.next >= self.end {
            return None;
        }
        let found = self.all.resolved(self.next);
        self.next = match self.all.nodes.get(self.next) {
            Some(Flat::List(end) | Flat::Link(end, _)) => *end,
            _ => self.next + 1,
        };
        Some(found)
    }
}

/// Splits a stream of bytes into expressions.
#[derive(Default)]
pub(super) struct Splitter {
    current: Vec<u8>,
    depth: usize,
    mode: Mode,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    #[default]
    Plain,
    String,
    Quoted,
    Comment,
}

/// Greatest length of an answer in bytes.
const LONGEST: usize = 1 << 28;

impl Splitter {
    /// Consumes a byte. Returns `Some(Ok(expression))` if it ends an expression and `Some(Err(()))` if the stream is
    /// malformed.
    pub(super) fn push(&mut self, byte: u8) -> Option<Result<String, ()>> {
        let mut ended = false;
        match (self.mode, byte) {
            (Mode::Comment, b'\n') => self.mode = Mode::Plain,
            (Mode::Comment, _) => return None,
            (Mode::String, b'"') | (Mode::Quoted, b'|') => self.mode = Mode::Plain,
            (Mode::String | Mode::Quoted, _) => {}
            (Mode::Plain, b';') => self.mode = Mode::Comment,
            (Mode::Plain, b'"') => self.mode = Mode::String,
            (Mode::Plain, b'|') => self.mode = Mode::Quoted,
            (Mode::Plain, b'(') => self.depth += 1,
            (Mode::Plain, b')') if self.depth == 0 => return Some(Err(())),
            (Mode::Plain, b')') => {
                self.depth -= 1;
                ended = self.depth == 0;
            }
            (Mode::Plain, byte) if byte.is_ascii_whitespace() => ended = self.depth == 0,
            (Mode::Plain, _) => {}
        }
        if self.mode != Mode::Comment {
            self.current.push(byte);
        }
        if self.current.len() > LONGEST {
            return Some(Err(()));
        }
        if !ended {
            return None;
        }
        let bytes = std::mem::take(&mut self.current);
        match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => None,
            Ok(text) => Some(Ok(text.trim().to_string())),
            Err(_) => Some(Err(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stream: &str, expected: &[&str]) {
        let mut splitter = Splitter::default();
        let found: Vec<String> =
            stream.bytes().filter_map(|byte| splitter.push(byte)).map(|found| found.unwrap()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn streams_are_cut_into_expressions() {
        check(
            "sat\n(model\n (define-fun |a ) b| () Int 3)) unknown\n",
            &["sat", "(model\n (define-fun |a ) b| () Int 3))", "unknown"],
        );
        check("(error \"line ) 3\")\n; a (comment\nunsat\n", &["(error \"line ) 3\")", "unsat"]);
        assert!(Splitter::default().push(b')').is_some_and(|result| result.is_err()));
    }

    #[test]
    fn lists_are_walked() {
        let parsed = Sexps::parse("(a (b |c d|) \"e\") f").unwrap();
        let top: Vec<Sexp> = parsed.iter().collect();
        assert_eq!(top.len(), 2);
        let [a, list, string] = top[0].exactly().unwrap();
        assert!(a.is("a") && top[1].is("f") && string.is("\"e\""));
        let [b, c] = list.exactly().unwrap();
        assert!(b.is("b") && c.is("c d"));
        assert!(list.exactly::<3>().is_none());
        assert!(Sexps::parse("(a").is_none() && Sexps::parse("a)").is_none() && Sexps::parse("|a").is_none());
    }

    /// Names mean what the innermost `let` around them says; values are outside of their own `let`.
    #[test]
    fn names_of_lets_are_their_values() {
        fn shown(text: Sexp) -> String {
            let members: Vec<String> = text.members().map(shown).collect();
            text.atom().map_or_else(|| format!("({})", members.join(" ")), str::to_string)
        }
        let check = |text: &str, expected: &str| {
            let parsed = Sexps::parse(text).unwrap();
            let top: Vec<String> = parsed.iter().map(shown).collect();
            assert_eq!(top.join(" "), expected, "{text}");
        };
        check("(let ((a (f x)) (b y)) (g a b a)) a", "(g (f x) y (f x)) a");
        check("(let ((a 1)) (let ((a (f a)) (b a)) (g a b)))", "(g (f 1) 1)");
        check("(h (let ((a 1)) a) a (let ((a 2)) (let ((b a)) (let ((a 3)) (b a)))) a)", "(h 1 a (2 3) a)");
        check("(let a b) (let ((a)) a) (let ((a b)) c d)", "(let a b) a (let ((a b)) c d)");
    }

    #[test]
    fn deep_lists_need_no_stack() {
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        let parsed = Sexps::parse(&deep).unwrap();
        assert_eq!(parsed.iter().count(), 1);
    }
}
