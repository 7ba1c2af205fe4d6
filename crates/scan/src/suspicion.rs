//! Reads what other tools suspect, as lines at which something may fail or to which control never comes, and sorts the answers about them.
//!
//! The warnings come from a SARIF file: those of SpotBugs, Infer, CodeQL or a compiler. Each is a question about its line: can an
//! exception of the kind that the warning is about begin there, and leave an entry point? Or, if the warning is that code is unreachable: can
//! control get there?

use crate::protocol::{Asks, EntryPoint, LineQuestion};
use crate::store::{Answered, Stored};
use crate::tokens::{Language, Token, tokens};
use aback_report::{PlaceDocument, ViolationDocument, code_flows};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A warning of another tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspicion {
    /// The numbers of the run and of the result in the file.
    at: (usize, usize),
    /// The rule.
    pub rule: String,
    /// What the tool says.
    pub message: String,
    /// The file, as the tool names it, and the line; `None` if the warning has no line.
    line: Option<LineQuestion>,
    /// The column, from 1.
    column: Option<u32>,
}

/// What is known about a warning.
#[derive(Clone, Debug)]
pub enum Judgement<'a> {
    /// There is an input with which it is true; or it says what no input does, and that is proved.
    Confirmed(Option<&'a ViolationDocument>),
    /// What it says that no input does is proved within bounds.
    ConfirmedWithinBounds(String),
    /// It is proved to be false; or it says what no input does, and there is one that does.
    Refuted(Option<&'a ViolationDocument>),
    /// It is proved to be false within bounds.
    RefutedWithinBounds(String),
    /// Neither.
    Unknown(String),
}

impl<'a> Judgement<'a> {
    /// What it is called.
    pub fn word(&self) -> &'static str {
        match self {
            Judgement::Confirmed(_) => "confirmed",
            Judgement::ConfirmedWithinBounds(_) => "confirmed within bounds",
            Judgement::Refuted(_) => "refuted",
            Judgement::RefutedWithinBounds(_) => "refuted within bounds",
            Judgement::Unknown(_) => "unknown",
        }
    }

    /// The input that shows it, if one does.
    pub fn shown_by(&self) -> Option<&'a ViolationDocument> {
        match self {
            Judgement::Confirmed(shown) | Judgement::Refuted(shown) => *shown,
            _ => None,
        }
    }

    /// Why it is no proof and no input shows it; empty if one of them is so.
    pub fn reason(&self) -> &str {
        match self {
            Judgement::Confirmed(_) | Judgement::Refuted(_) => "",
            Judgement::ConfirmedWithinBounds(reason)
            | Judgement::RefutedWithinBounds(reason)
            | Judgement::Unknown(reason) => reason,
        }
    }
}

/// What a warning is about.
struct Kind {
    /// Parts of the names of rules, in small letters.
    rules: &'static [&'static str],
    /// The ends of the names of exceptions; none if the warning is that control never comes to the line.
    exceptions: &'static [&'static str],
    /// The question about the line.
    question: &'static str,
}

/// The kinds of warnings that are questions: rules of SpotBugs, Infer, CodeQL, SonarQube and the C# compiler. Only rules count
/// whose exception begins at the line of the warning. A null argument, for example, fails elsewhere, so that an answer about the line
/// would say nothing about the warning. For the same reason, rules count that say that code is unreachable, and those do not
/// that say that a condition is always true: control gets to the line of the condition.
const KINDS: [Kind; 6] = [
    Kind {
        rules: &[
            "np_null_on_some_path",
            "np_always_null",
            "np_dereference",
            "null_dereference",
            "nullptr_dereference",
            "dereferenced-value",
            "null-pointer",
            "nullpointer",
            "s2259",
            "cs8602",
        ],
        exceptions: &["NullPointerException", "NullReferenceException"],
        question: "can null be dereferenced here?",
    },
    Kind {
        rules: &["division-by-zero", "divide-by-zero", "divide_by_zero", "division_by_zero", "dividebyzero", "s3518"],
        exceptions: &["ArithmeticException", "DivideByZeroException"],
        question: "can a number be divided by zero here?",
    },
    Kind {
        rules: &["range_array", "range_string", "out-of-bounds", "out_of_bounds", "outofbounds", "buffer_overrun"],
        exceptions: &["IndexOutOfBoundsException", "IndexOutOfRangeException", "ArgumentOutOfRangeException"],
        question: "can an index be out of bounds here?",
    },
    Kind {
        rules: &["bc_impossible_cast", "bc_impossible_downcast", "bc_unconfirmed_cast", "class_cast", "class-cast"],
        exceptions: &["ClassCastException", "InvalidCastException"],
        question: "can a cast fail here?",
    },
    Kind {
        rules: &[
            "negative-array-size",
            "negative_array_size",
            "negativearraysize",
            "alloc_is_negative",
            "alloc_may_be_negative",
        ],
        exceptions: &["NegativeArraySizeException", "OverflowException"],
        question: "can the size of an array be negative here?",
    },
    Kind { rules: &["unreachable", "cs0162", "ide0035"], exceptions: &[], question: "can control get here?" },
];

/// The warnings in a SARIF log; `None` if it is none.
pub fn suspicions(log: &Value) -> Option<Vec<Suspicion>> {
    let mut found = Vec::new();
    for (run, of_run) in log["runs"].as_array()?.iter().enumerate() {
        let results = of_run["results"].as_array().into_iter().flatten().enumerate();
        for (number, result) in results.filter(|(_, result)| result.is_object()) {
            let place = &result["locations"][0]["physicalLocation"];
            let of_region = |name: &str| place["region"][name].as_u64().and_then(|number| u32::try_from(number).ok());
            let (line, column) = (of_region("startLine"), of_region("startColumn"));
            let index = place["artifactLocation"]["index"].as_u64().unwrap_or(u64::MAX) as usize;
            let named = place["artifactLocation"]["uri"].as_str();
            let uri = named.or_else(|| of_run["artifacts"][index]["location"]["uri"].as_str());
            found.push(Suspicion {
                at: (run, number),
                rule: result["ruleId"].as_str().unwrap_or("warning").into(),
                message: result["message"]["text"].as_str().unwrap_or_default().into(),
                line: uri.zip(line).map(|(uri, line)| LineQuestion { file: path(uri), line }),
                column,
            });
        }
    }
    Some(found)
}

/// The questions about warnings, one for each line. Their answers rely on the whole program, whose hash is `code`.
pub fn line_questions(suspicions: &[Suspicion], code: &str) -> Vec<EntryPoint> {
    let asked = suspicions.iter().filter_map(|suspicion| Some((suspicion.line.as_ref()?, suspicion.kind()?.asks())));
    let mut lines: Vec<(&LineQuestion, Asks)> = asked.collect();
    lines.sort();
    lines.dedup();
    let question = |(line, asks): (&LineQuestion, Asks)| EntryPoint {
        name: question_about(line, asks),
        place: PlaceDocument { file: line.file.clone(), line: line.line, column: 0, length: 0 },
        annotations: BTreeSet::new(),
        code: code.into(),
        places: String::new(),
        is_touched: true,
        at: Some(line.clone()),
        asks,
    };
    lines.into_iter().map(question).collect()
}

/// The name of a question about a line.
fn question_about(line: &LineQuestion, asks: Asks) -> String {
    match asks {
        Asks::Reach => format!("{line}: reached"),
        Asks::Violation | Asks::Null { .. } => line.to_string(),
    }
}

impl Suspicion {
    /// The name of the question about its line, if there is one.
    pub fn question(&self) -> Option<String> {
        Some(question_about(self.line.as_ref()?, self.kind()?.asks()))
    }

    /// What an answer about its line says about it. A counterexample counts if `is_shown` says so. `source` gives the text of a source
    /// file, if it is known.
    pub fn judge<'a>(
        &self,
        answer: Option<&'a Stored>,
        is_shown: impl Fn(&ViolationDocument) -> bool,
        source: impl Fn(&str) -> Option<Rc<str>>,
    ) -> Judgement<'a> {
        let Some(kind) = self.kind() else {
            return Judgement::Unknown("aback has no question for this rule".into());
        };
        if self.line.is_none() {
            return Judgement::Unknown("the warning has no line".into());
        }
        let reply = match answer.map(|stored| &stored.answer) {
            Some(Answered::Reply(reply)) => reply,
            Some(Answered::Lost(reason)) => return Judgement::Unknown(reason.clone()),
            None => return Judgement::Unknown("there is no answer yet".into()),
        };
        let own: Vec<&ViolationDocument> = reply.violations.iter().filter(|violation| kind.is_of(violation)).collect();
        let is_about_reach = kind.asks() == Asks::Reach;
        let reason = reply.reason.clone();
        match own.iter().find(|violation| is_shown(violation)) {
            Some(found) if is_about_reach => {
                let text = source(&found.place.file);
                let line = text.as_deref().and_then(|text| text.lines().nth(found.place.line.checked_sub(1)? as usize));
                // Control may get to the line and not to what the warning is about.
                return match self.is_of_whole(&found.place.file, line.unwrap_or_default()) {
                    true => Judgement::Refuted(Some(found)),
                    false => Judgement::Unknown("the warning is about a part of the line, which is reached".into()),
                };
            }
            Some(found) => return Judgement::Confirmed(Some(found)),
            None => {}
        }
        match (reply.rest.as_str(), own.is_empty()) {
            ("unreachable", true) => Judgement::Confirmed(None),
            ("unreachable within bounds", true) => Judgement::ConfirmedWithinBounds(reason),
            ("holds", true) => Judgement::Refuted(None),
            ("holds within bounds", true) => Judgement::RefutedWithinBounds(reason),
            (_, false) => Judgement::Unknown("only inputs that are not shown were found".into()),
            (_, true) => Judgement::Unknown(reason),
        }
    }

    /// Whether what it is about is the only statement of its line in a file.
    fn is_of_whole(&self, file: &str, line: &str) -> bool {
        let before = self.column.unwrap_or(1).saturating_sub(1) as usize;
        let language = Language::of(file).unwrap_or(Language::Java);
        line.chars().take(before).all(char::is_whitespace) && is_one_statement(language, line)
    }

    /// The file and the line, as `FILE:LINE`.
    pub fn place(&self) -> String {
        self.line.as_ref().map_or("(no line)".into(), ToString::to_string)
    }

    fn kind(&self) -> Option<&'static Kind> {
        let rule = self.rule.to_lowercase();
        KINDS.iter().find(|kind| kind.rules.iter().any(|part| rule.contains(part)))
    }
}

/// Whether control can get to a line only through the first statement on it: there is no other one, except for those inside of it. This only looks
/// at brackets and semicolons, and a doubtful line has several statements.
fn is_one_statement(language: Language, line: &str) -> bool {
    let (mut round, mut curly, mut is_over) = (0, 0, false);
    for (token, _) in tokens(language, line) {
        if is_over && !token.is('}') {
            return false;
        }
        let Token::Sign(sign) = token else { continue };
        match sign {
            '(' | '[' => round += 1,
            ')' | ']' => round -= 1,
            '{' => curly += 1,
            '}' => curly -= 1,
            _ => {}
        }
        is_over |= matches!(sign, ';' | '}') && curly <= 0 && round <= 0;
    }
    true
}

impl Kind {
    fn asks(&self) -> Asks {
        if self.exceptions.is_empty() { Asks::Reach } else { Asks::Violation }
    }

    fn is_of(&self, violation: &ViolationDocument) -> bool {
        let exception = violation.exception.as_ref();
        self.asks() == Asks::Reach
            || exception.is_some_and(|exception| self.exceptions.iter().any(|end| exception.class.ends_with(end)))
    }
}

/// The log with the judgements: the kind of each result (`fail`, `pass` or `review`), a property `aback`, and the paths of
/// counterexamples. `sources` gives the text of a source file.
pub fn judged(log: &Value, judgements: &[(Suspicion, Judgement)], sources: impl Fn(&str) -> Option<String>) -> Value {
    let mut log = log.clone();
    for (suspicion, judgement) in judgements {
        let (run, number) = suspicion.at;
        let result = &mut log["runs"][run]["results"][number];
        let kind = match judgement {
            Judgement::Confirmed(_) | Judgement::ConfirmedWithinBounds(_) => "fail",
            Judgement::Refuted(_) | Judgement::RefutedWithinBounds(_) => "pass",
            Judgement::Unknown(_) => "review",
        };
        let (verdict, reason) = (judgement.word(), judgement.reason());
        result["kind"] = kind.into();
        if kind != "fail" {
            // The standard wants no level for other kinds.
            result["level"] = "none".into();
        }
        let mut property = json!({ "verdict": verdict });
        if let Some(kind) = suspicion.kind() {
            property["question"] = kind.question.into();
        }
        if !reason.is_empty() {
            property["reason"] = reason.into();
        }
        if let Some(violation) = judgement.shown_by() {
            property["entry"] = violation.entry.clone().into();
            property["inputs"] = json!(violation.shown_inputs);
            if let Some(flows) = code_flows(violation, &sources) {
                result["codeFlows"] = flows;
            }
        }
        if !result["properties"].is_object() {
            result["properties"] = json!({});
        }
        result["properties"]["aback"] = property;
    }
    log
}

/// The path that a URI names. Tools write relative ones, which are the ends of longer paths.
fn path(uri: &str) -> String {
    let rest = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = Vec::new();
    let mut left = rest.as_bytes();
    while let [first, others @ ..] = left {
        let coded = match (first, others) {
            (b'%', [high, low, ..]) => {
                std::str::from_utf8(&[*high, *low]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        bytes.push(coded.unwrap_or(*first));
        left = if coded.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Judgement, is_one_statement, judged, path, suspicions};
    use crate::tokens::Language;
    use serde_json::json;

    #[test]
    fn warnings_of_other_tools() {
        let log = json!({ "runs": [{
            "artifacts": [{ "location": { "uri": "p/B.java" } }],
            "results": [
                { "ruleId": "NP", "message": { "text": "null" }, "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": "p/A.java" }, "region": { "startLine": 7 } } }] },
                { "locations": [{ "physicalLocation": { "artifactLocation": { "index": 0 }, "region": { "startLine": 9 } } }] },
                { "message": { "text": "about all" } },
                "no result",
            ],
        }] });
        let found = suspicions(&log).unwrap();
        let lines = found.iter().map(|one| one.place()).collect::<Vec<_>>();
        assert_eq!(lines, ["p/A.java:7", "p/B.java:9", "(no line)"]);
        assert!(suspicions(&json!({})).is_none());
        let judgements: Vec<_> = found.into_iter().map(|one| (one, Judgement::Refuted(None))).collect();
        let judged = judged(&log, &judgements, |_| None);
        assert_eq!(judged["runs"][0]["results"][2]["kind"], "pass");
        assert_eq!(judged["runs"][0]["results"][3], "no result");
    }

    #[test]
    fn lines_of_one_statement() {
        let one = [
            "    return 7;",
            "  if (x < 2) {",
            "for (int i = 0; i < n; i++) {",
            "f(\"; } x();\", ';', '\\'');",
            "f(x -> { g(); });",
            "return 7; } }",
            "f(); // and g();",
            "if (a) { f(); g(); }",
            "return",
        ];
        let several = [
            "return 7; } } return 1; }",
            "f(); g();",
            "} else {",
            "f(); /* */ g();",
            "if (a) f(); else g();",
            "case 1: f(); break;",
            "int[] a = {1}; f();",
        ];
        for language in [Language::Java, Language::CSharp] {
            assert!(one.iter().all(|line| is_one_statement(language, line)));
            assert!(!several.iter().any(|line| is_one_statement(language, line)));
        }
        // A backslash in such a text is one.
        assert!(!is_one_statement(Language::CSharp, r#"f(@"\"); g("");"#));
    }

    #[test]
    fn paths() {
        assert_eq!(path("file:///a/b%20c.java"), "/a/b c.java");
        assert_eq!(path("a%2"), "a%2");
        assert_eq!(path("100%"), "100%");
    }
}
