//! Reads YAML files and keeps track of lines.

use yaml_rust2::Event;
use yaml_rust2::parser::Parser;
use yaml_rust2::scanner::Marker;

/// Greatest nesting that is read, in levels. Task definitions have four levels; the limit keeps recursion over a
/// [`Node`] safe.
const DEEPEST: usize = 64;

/// A value of a YAML document, with its line, from 1.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    /// A scalar as it is written, without quotes.
    Scalar(String),
    List(Vec<Node>),
    /// Entries in order, whose keys are scalars.
    Map(Vec<(String, Node)>),
}

/// A mistake in a file, with its line.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Mistake {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Mistake { line, message: message.into() }
    }
}

impl Node {
    /// The value of `key`, if this is a map that contains it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a scalar. For other values, the error message names them by `what`.
    pub(crate) fn scalar(&self, what: &str) -> Result<&str, Mistake> {
        match &self.value {
            Value::Scalar(text) => Ok(text),
            _ => Err(Mistake::new(self.line, format!("{what} must be a single value"))),
        }
    }
}

/// A list or map that is being read.
enum Open {
    List(Vec<Node>),
    /// The entries so far, and the key whose value comes next.
    Map(Vec<(String, Node)>, Option<String>),
}

/// Reads the first document of a file, or returns `None` if the file has none. Pulls one event after the other: the
/// parser recurses as deeply as the file nests if it pushes the events.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Mistake> {
    let mut parser = Parser::new_from_str(text);
    let mut open: Vec<(usize, Open)> = Vec::new();
    loop {
        let (event, marker) =
            parser.next_token().map_err(|error| Mistake::new(line(error.marker()), error.info().to_owned()))?;
        let line = line(&marker);
        let complete = match event {
            Event::StreamEnd | Event::DocumentEnd => return Ok(None),
            Event::Nothing | Event::StreamStart | Event::DocumentStart => continue,
            Event::Alias(_) => return Err(Mistake::new(line, "aliases (`*name`) are not supported here")),
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEEPEST => {
                return Err(Mistake::new(line, format!("nested more than {DEEPEST} deep")));
            }
            Event::SequenceStart(..) => {
                open.push((line, Open::List(Vec::new())));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((line, Open::Map(Vec::new(), None)));
                continue;
            }
            Event::Scalar(text, ..) => Node { line, value: Value::Scalar(text) },
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((line, Open::List(items))) => Node { line, value: Value::List(items) },
                Some((line, Open::Map(entries, _))) => Node { line, value: Value::Map(entries) },
                None => return Err(Mistake::new(line, "a list or map ends that was never begun")),
            },
        };
        match open.last_mut() {
            None => return Ok(Some(complete)),
            Some((_, Open::List(items))) => items.push(complete),
            Some((_, Open::Map(entries, key))) => match key.take() {
                Some(key) => entries.push((key, complete)),
                None => *key = Some(complete.scalar("a key")?.to_owned()),
            },
        }
    }
}

fn line(marker: &Marker) -> usize {
    // The parser reports line 0 at the end of an empty file.
    marker.line().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_know_their_lines() {
        let root = parse("a: 1\nb:\n- x\n-   'y z'\n").unwrap().unwrap();
        let Value::List(items) = &root.get("b").unwrap().value else { panic!("not a list") };
        let found: Vec<_> = items.iter().map(|item| (item.line, item.scalar("item").unwrap())).collect();
        assert_eq!(found, [(3, "x"), (4, "y z")]);
    }

    #[test]
    fn mistakes_know_their_lines() {
        assert_eq!(parse("a: 1\nb: [x\n").unwrap_err().line, 3);
        assert_eq!(parse("a: &x 1\nb: *x\n").unwrap_err().line, 2);
        assert_eq!(parse("? [a]\n: b\n").unwrap_err().message, "a key must be a single value");
        assert!(parse("").unwrap().is_none());
    }

    #[test]
    fn deep_nesting_is_a_mistake() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"- ".repeat(10_000)).is_err());
        let indented: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert!(parse(&indented).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([ab:\\-\\[\\]{},&*!|>'\"#%?@` \t\r\n\u{feff}]|---|\\.\\.\\.|\\PC){0,60}") {
            let _ = parse(&text);
        }
    }
}
