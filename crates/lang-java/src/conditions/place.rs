//! Finds where a method with the parameters of another one can be added to a class, without a change of lines.

use super::tokens::{Kind, Token, angle_closed_by, closed_by, tokens};

/// What is known of a method or constructor from its class file.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    /// The name of the class below its package, with its outer classes: `Outer$Inner`.
    pub class: &'a str,
    /// The name of the method; `None` for a constructor.
    pub method: Option<&'a str>,
    /// Number of its parameters in the class file, which for constructors may include hidden ones.
    pub parameters: usize,
    /// The first line of its code, or 0.
    pub line: u32,
    /// Whether the text may be the class itself (`void main() {}` without a class, Java 25).
    pub may_be_implicit: bool,
}

/// A place for a further method in a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The byte before which the method stands.
    pub at: usize,
    /// The type parameters in their brackets, or nothing.
    pub type_parameters: String,
    /// The parameters, all of them final.
    pub parameters: String,
    /// Their number.
    pub count: usize,
}

/// The reason why there is no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoPlace {
    /// The class is not found as a class that is a member of the file or of a class.
    Class,
    /// The method is not found in it, or several could be meant.
    Method,
}

/// A class in a text, by indices of tokens.
struct ClassText {
    /// The tokens between its name and its body.
    header: std::ops::Range<usize>,
    /// The tokens in its body.
    body: std::ops::Range<usize>,
    /// The byte at which the body ends.
    end: usize,
}

pub(super) fn find(text: &str, wanted: &Wanted) -> Result<Place, NoPlace> {
    let (tokens, _) = tokens(text).map_err(|_| NoPlace::Class)?;
    let reader = Reader { text, tokens: &tokens };
    let class = reader.class(wanted).ok_or(NoPlace::Class)?;
    reader.method(&class, wanted).ok_or(NoPlace::Method)
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Reader<'_> {
    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.text[token.bytes.clone()])
    }

    fn is_name(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Word)
    }

    fn is(&self, index: usize, symbol: char) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    /// The text of tokens in one line, without comments.
    fn between(&self, range: std::ops::Range<usize>) -> String {
        let mut text = String::new();
        let mut end = None;
        for token in &self.tokens[range] {
            if end.is_some_and(|end| end < token.bytes.start) {
                text.push(' ');
            }
            text.push_str(&self.text[token.bytes.clone()]);
            end = Some(token.bytes.end);
        }
        text
    }

    fn line(&self, index: usize) -> u32 {
        let before = self.tokens.get(index).map_or(self.text, |token| &self.text[..token.bytes.start]);
        1 + before.bytes().filter(|&byte| byte == b'\n').count() as u32
    }

    fn class(&self, wanted: &Wanted) -> Option<ClassText> {
        let mut within = 0..self.tokens.len();
        let mut rest = wanted.class;
        let mut found = None;
        while !rest.is_empty() {
            let class = self.members(within).into_iter().find_map(|(name, class)| {
                let after = rest.strip_prefix(name)?;
                let after = if after.is_empty() { Some(after) } else { after.strip_prefix('$') };
                after.map(|after| (after, class))
            });
            let Some((after, class)) = class else {
                let is_implicit = found.is_none() && wanted.may_be_implicit;
                let end = self.tokens.last()?.bytes.end;
                return is_implicit.then_some(ClassText { header: 0..0, body: 0..self.tokens.len(), end });
            };
            (rest, within) = (after, class.body.clone());
            found = Some(class);
        }
        found
    }

    /// The classes that are declared in a body, with their names.
    fn members(&self, body: std::ops::Range<usize>) -> Vec<(&str, ClassText)> {
        let mut found = Vec::new();
        let mut at = body.start;
        while at < body.end {
            let is_class = match self.word(at) {
                "class" | "enum" | "interface" => at == 0 || !self.is(at - 1, '.'),
                "record" => self.is_name(at + 1) && (self.is(at + 2, '(') || self.is(at + 2, '<')),
                _ => false,
            };
            if is_class && self.is_name(at + 1) {
                let Some(open) = self.next_brace(at + 2) else { return found };
                let Some(close) = closed_by(self.tokens, open) else { return found };
                let end = self.tokens[close].bytes.start;
                let class = ClassText { header: at + 2..open, body: open + 1..close, end };
                found.push((self.word(at + 1), class));
                at = close + 1;
            } else {
                at = self.after(at);
            }
        }
        found
    }

    /// The index after a token, or after the brackets that it opens.
    fn after(&self, at: usize) -> usize {
        let opens = self.is(at, '(') || self.is(at, '[') || self.is(at, '{');
        let close = if opens { closed_by(self.tokens, at) } else { None };
        close.unwrap_or(at) + 1
    }

    /// The first `{` that is not within brackets.
    fn next_brace(&self, mut at: usize) -> Option<usize> {
        while at < self.tokens.len() && !self.is(at, '{') {
            at = self.after(at);
        }
        (at < self.tokens.len()).then_some(at)
    }

    fn method(&self, class: &ClassText, wanted: &Wanted) -> Option<Place> {
        let name = wanted.method.unwrap_or_else(|| wanted.class.rsplit('$').next().unwrap_or(wanted.class));
        let of_class = self.type_parameters_at(class.header.start);
        // A constructor's condition is static, so that it has the parameters of the class's type itself.
        let with = |own: String| match (wanted.method, &of_class) {
            (None, Some(of_class)) if own.is_empty() => of_class.clone(),
            (None, Some(of_class)) => format!("{}, {}", &of_class[..of_class.len() - 1], &own[1..]),
            _ => own,
        };
        let mut candidates = Vec::new();
        let (mut at, mut start) = (class.body.start, class.body.start);
        while at < class.body.end {
            if self.is(at, ';') || self.is(at, '}') {
                start = at + 1;
            }
            let is_declared =
                self.word(at) == name && self.is(at + 1, '(') && !(at > start && self.word(at - 1) == "new");
            let close = if is_declared { closed_by(self.tokens, at + 1) } else { None };
            if let Some(close) = close {
                let end = (close + 1..class.body.end).find(|&index| self.is(index, '{') || self.is(index, ';'));
                if let Some(open) = end.filter(|&end| self.is(end, '{'))
                    && let Some(end) = closed_by(self.tokens, open)
                {
                    let (parameters, count) = self.parameters(at + 2..close);
                    let is_there = wanted.line == 0 || (self.line(start)..=self.line(end)).contains(&wanted.line);
                    let fits = match wanted.method {
                        Some(_) => count == wanted.parameters,
                        None => count <= wanted.parameters,
                    };
                    if is_there && fits {
                        let type_parameters = with(self.own_type_parameters(start, at));
                        candidates.push(Place { at: class.end, type_parameters, parameters, count });
                    }
                    (at, start) = (end + 1, end + 1);
                    continue;
                }
            }
            let next = self.after(at);
            if self.is(at, '{') {
                start = next;
            }
            at = next;
        }
        if candidates.len() > 1 {
            candidates.retain(|place| place.count == wanted.parameters);
        }
        match (candidates.len(), wanted.method) {
            (1, _) => candidates.pop(),
            (0, None) => {
                // The constructor that the class does not declare, or the compact one of a record.
                let header = class.header.clone();
                let open = header.clone().find(|&index| self.is(index, '(')).filter(|&open| {
                    let is_record = self.is_name(header.start - 1) && self.word(header.start - 2) == "record";
                    is_record && open < header.end
                });
                let none =
                    Place { at: class.end, type_parameters: with(String::new()), parameters: String::new(), count: 0 };
                match open.and_then(|open| Some((open, closed_by(self.tokens, open)?))) {
                    Some((open, close)) => {
                        let (parameters, count) = self.parameters(open + 1..close);
                        (count == wanted.parameters).then_some(Place { parameters, count, ..none })
                    }
                    None => Some(none),
                }
            }
            // A method without parameters that the class does not declare, such as one that the compiler makes.
            (0, Some(_)) if wanted.parameters == 0 => {
                Some(Place { at: class.end, type_parameters: String::new(), parameters: String::new(), count: 0 })
            }
            _ => None,
        }
    }

    /// The type parameters in their brackets at a token.
    fn type_parameters_at(&self, at: usize) -> Option<String> {
        let close = self.is(at, '<').then(|| angle_closed_by(self.tokens, at))??;
        Some(self.between(at..close + 1))
    }

    /// The type parameters of a declaration that starts at a token, before its name.
    fn own_type_parameters(&self, start: usize, name: usize) -> String {
        let mut at = start;
        while at < name {
            match self.word(at) {
                "public" | "protected" | "private" | "static" | "final" | "abstract" | "synchronized" | "native"
                | "strictfp" | "default" => at += 1,
                "@" => {
                    at += 2;
                    while self.is(at, '.') {
                        at += 2;
                    }
                    if self.is(at, '(') {
                        at = self.after(at);
                    }
                }
                _ => break,
            }
        }
        self.type_parameters_at(at).unwrap_or_default()
    }

    /// Parameters, made final, and their number. `A this` is none.
    fn parameters(&self, range: std::ops::Range<usize>) -> (String, usize) {
        let mut parameters = Vec::new();
        let (mut at, mut start) = (range.start, range.start);
        while at <= range.end {
            if at == range.end || self.is(at, ',') {
                let is_receiver = at > start && self.word(at - 1) == "this";
                if at > start && !is_receiver {
                    let is_final = (start..at).any(|index| self.word(index) == "final");
                    let text = self.between(start..at);
                    parameters.push(if is_final { text } else { format!("final {text}") });
                }
                start = at + 1;
            }
            at = match self.is(at, '<').then(|| angle_closed_by(self.tokens, at)).flatten() {
                Some(close) => close + 1,
                None => self.after(at),
            };
        }
        (parameters.join(", "), parameters.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{NoPlace, Wanted, find};

    #[track_caller]
    fn check(text: &str, class: &str, method: &str, parameters: usize, line: u32, expected: Result<&str, NoPlace>) {
        let method = if method == "<init>" { None } else { Some(method) };
        let found = find(text, &Wanted { class, method, parameters, line, may_be_implicit: false });
        let shown = found.map(|place| {
            let before = 1 + text[..place.at].matches('\n').count();
            format!("{before} {}({})", place.type_parameters, place.parameters)
        });
        assert_eq!(shown.as_deref().map_err(|&none| none), expected);
    }

    #[test]
    fn finds_members() {
        let text = "package a; // class A {\n\
            class A<T> extends B<T> { String s = \"class C { }\";\n\
            \tA(T first) { f(1); }\n\
            @Deprecated(since = \"}\") public <U extends Comparable<U>> int f(final U a, java.util.Map<T, U[]> b) { return 1; }\n\
            int f(int... xs) { Runnable r = new Runnable() { public void run() { f(2); } }; return 2; }\n\
            enum E { X, Y { void g(int a) { } }; void g(int a) { } }\n\
            record P(int x, @Q({1}) int y) { P { } }\n\
            static class Inner { void h() { } }\n\
            }";
        check(text, "A", "f", 2, 4, Ok("9 <U extends Comparable<U>>(final U a, final java.util.Map<T, U[]> b)"));
        check(text, "A", "f", 1, 5, Ok("9 (final int... xs)"));
        check(text, "A", "<init>", 1, 3, Ok("9 <T>(final T first)"));
        check(text, "A$E", "g", 1, 6, Ok("6 (final int a)"));
        check(text, "A$P", "<init>", 2, 7, Ok("7 (final int x, final @Q({1}) int y)"));
        check(text, "A$P", "x", 0, 7, Ok("7 ()"));
        check(text, "A$Inner", "h", 0, 8, Ok("8 ()"));
        check(text, "A$Inner", "<init>", 1, 8, Ok("8 ()"));
        check(text, "A$1", "run", 0, 5, Err(NoPlace::Class));
        check(text, "A", "k", 1, 0, Err(NoPlace::Method));
    }
}
