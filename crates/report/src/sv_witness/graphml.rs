//! Format 1.0: GraphML with an automaton. Validators for Java, such as GWIT and Wit4Java, read it.
//!
//! The states of a violation are a chain. Each value that the program requests from `Verifier` is an edge with the line
//! of the call and the value, in order, and the last edge leads to the violation. The values determine all branches, so
//! there are no other edges. A proof has no invariants to state, so that it is the entry state alone.

use super::{SvWitness, hex};
use aback_ir::{MethodId, MethodKind, Program, Span, Type};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The keys of data: the element that they belong to, their ids, the names that libraries for GraphML show, the types
/// of values, and defaults. Validators find `originfile` by its name.
const KEYS: [(&str, &str, &str, &str, Option<&str>); 17] = [
    ("graph", "witness-type", "witness-type", "string", None),
    ("graph", "sourcecodelang", "sourcecodeLanguage", "string", None),
    ("graph", "producer", "producer", "string", None),
    ("graph", "specification", "specification", "string", None),
    ("graph", "programfile", "programFile", "string", None),
    ("graph", "programhash", "programHash", "string", None),
    ("graph", "architecture", "architecture", "string", None),
    ("graph", "creationtime", "creationTime", "string", None),
    ("node", "entry", "isEntryNode", "boolean", Some("false")),
    ("node", "violation", "isViolationNode", "boolean", Some("false")),
    ("node", "sink", "isSinkNode", "boolean", Some("false")),
    ("edge", "originfile", "originFileName", "string", None),
    ("edge", "startline", "startline", "int", None),
    ("edge", "threadId", "threadId", "int", None),
    ("edge", "assumption", "assumption", "string", None),
    ("edge", "assumption.scope", "assumption.scope", "string", None),
    ("edge", "assumption.resultfunction", "assumption.resultfunction", "string", None),
];

impl SvWitness<'_> {
    /// The witness as GraphML.
    pub(super) fn to_graphml(&self, program: &Program) -> String {
        let mut keys = String::new();
        for (element, id, name, ty, default) in KEYS {
            let end = default.map_or("/>".into(), |value| format!("><default>{value}</default></key>"));
            let _ = writeln!(keys, r#"  <key id="{id}" for="{element}" attr.name="{name}" attr.type="{ty}"{end}"#);
        }
        let kind = if self.violation.is_some() { "violation_witness" } else { "correctness_witness" };
        let (file, hash) = self.program_file(program);
        let mut graph = String::new();
        let about = [
            ("witness-type", kind),
            ("sourcecodelang", self.language),
            ("producer", concat!("aback ", env!("CARGO_PKG_VERSION"))),
            ("specification", self.specification),
            ("programfile", &file),
            ("programhash", &hash),
            ("architecture", "64bit"),
            ("creationtime", &humantime::format_rfc3339_seconds(self.time).to_string()),
        ];
        for (key, value) in about {
            data(&mut graph, 2, key, value);
        }
        let last = self.violation.as_ref().map_or(0, |violation| violation.returned.len() + 1);
        for node in 0..=last {
            let mark = match node {
                0 => Some("entry"),
                node if node == last => Some("violation"),
                _ => None,
            };
            match mark {
                Some(mark) => {
                    let _ = writeln!(graph, "    <node id=\"n{node}\">");
                    data(&mut graph, 3, mark, "true");
                    graph.push_str("    </node>\n");
                }
                None => {
                    let _ = writeln!(graph, "    <node id=\"n{node}\"/>");
                }
            }
        }
        if let Some(violation) = &self.violation {
            let mut edge = |number: usize, place: Span, function: MethodId, more: &[(&str, &str)]| {
                let _ = writeln!(graph, "    <edge source=\"n{number}\" target=\"n{}\">", number + 1);
                data(&mut graph, 3, "originfile", &origin_file(program, place, function));
                if place.line > 0 {
                    data(&mut graph, 3, "startline", &place.line.to_string());
                }
                data(&mut graph, 3, "threadId", "0");
                for (key, value) in more {
                    data(&mut graph, 3, key, value);
                }
                graph.push_str("    </edge>\n");
            };
            for (number, returned) in violation.returned.iter().enumerate() {
                let (scope, result) = (scope(program, returned.function), program.method_name(returned.method));
                let mut more = vec![("assumption", returned.assumption.as_str()), ("assumption.scope", &scope)];
                if returned.assumption.starts_with("\\result") {
                    more.push(("assumption.resultfunction", &result));
                }
                edge(number, returned.place, returned.function, &more);
            }
            edge(last - 1, violation.target, violation.function, &[]);
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n{keys}  <graph \
             edgedefault=\"directed\">\n{graph}  </graph>\n</graphml>\n"
        )
    }

    /// The path of the source file with the entry point, and its hash. The format has room for one file.
    fn program_file(&self, program: &Program) -> (String, String) {
        let span = program.method(self.entry).span;
        let path = program.file(span.file).map(|file| &file.path);
        let file = self.sources.iter().find(|file| Some(&file.path) == path).or_else(|| self.sources.first());
        let text = file.and_then(|file| file.text.as_deref()).unwrap_or_default();
        let path = file.map(|file| file.path.to_string_lossy().into_owned()).unwrap_or_default();
        (path, hex(&Sha256::digest(text)))
    }
}

/// The path of a source file from the folder where packages begin, by which validators look for it.
fn origin_file(program: &Program, place: Span, function: MethodId) -> String {
    let class = program.class_name(program.method(function).class);
    let folder = class.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/") + "/");
    let name = program.file(place.file).and_then(|file| file.path.file_name());
    format!("{folder}{}", name.map(|name| name.to_string_lossy()).unwrap_or_default())
}

/// A method as other tools for Java write it here: `java::Main.main:([Ljava/lang/String;)V`.
fn scope(program: &Program, method: MethodId) -> String {
    let declared = program.method(method);
    let skipped = usize::from(declared.kind != MethodKind::Static);
    let parameters: String = declared.params.iter().skip(skipped).map(|&ty| descriptor(program, ty)).collect();
    let result = declared.result.map_or_else(|| "V".into(), |ty| descriptor(program, ty));
    format!("java::{}:({parameters}){result}", program.method_name(method))
}

/// The descriptor of a type (Java virtual machine specification, 4.3.2).
fn descriptor(program: &Program, ty: Type) -> String {
    match ty {
        Type::Bool => "Z".into(),
        Type::Machine { width: 8, .. } => "B".into(),
        Type::Machine { width: 16, signed } => if signed { "S" } else { "C" }.into(),
        Type::Machine { width: 64, .. } => "J".into(),
        Type::Machine { .. } | Type::Int => "I".into(),
        Type::F32 => "F".into(),
        Type::F64 => "D".into(),
        Type::Class(class) => format!("L{};", program.class_name(class).replace('.', "/")),
        Type::Array(array) => format!("[{}", descriptor(program, program.element_type(array))),
        Type::Null => "Ljava/lang/Object;".into(),
    }
}

fn data(out: &mut String, level: usize, key: &str, value: &str) {
    let _ = writeln!(out, "{:1$}<data key=\"{key}\">{2}</data>", "", level * 2, escaped(value));
}

/// Text as the content of an XML element. XML has no control characters but line ends and tabs, and none is in names of
/// methods and files or in values; the path of a file can have one.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            char if char.is_control() && !matches!(char, '\n' | '\t') => escaped.push('\u{fffd}'),
            char => escaped.push(char),
        }
    }
    escaped
}
