//! Writes the text of a reproducer: the frame around the statements, the helpers, and the values of `Verifier`.

use super::Subject;
use super::build::{Built, Helper, Statement, build, scalar};
use super::literals;
use super::types::{Names, package};
use crate::prediction::{Exact, Given, Prediction};
use crate::{Reproducer, Unreproducible};
use aback_ir::{MethodKind, Program, Span, Type};
use aback_witness::{InputValue, Value};
use std::fmt::Write;

/// Most statements of one method: the code of a method has at most 65,535 bytes.
const STATEMENTS: usize = 800;
/// Most values that one method of `Verifier` lists.
const VALUES: usize = 800;
/// Longest call, in characters, that is not broken into two lines.
const WIDTH: usize = 100;

/// Writes a reproducer of a counterexample with the predicted result.
///
/// # Errors
/// No Java program can make the inputs or call the entry point.
pub(crate) fn write(subject: &Subject, prediction: &Prediction, test: &str) -> Result<Reproducer, Unreproducible> {
    let program = subject.program;
    if prediction.exception.is_none() {
        return Err(Unreproducible::NoViolation("the program ends without a violation".into()));
    }
    let names = names(subject)?;
    let package = names.package;
    let built = build(subject, names, prediction)?;
    let text = Text { subject, prediction, package, built: &built };
    let class = text.free_name("Reproducer");
    let test = text.free_name(test);
    let mut files = vec![(format!("{class}.java"), text.program(&class))];
    if prediction.uses_verifier {
        files.push(("Verifier.java".into(), verifier(program, &prediction.given)));
    }
    let test = (format!("{test}.java"), text.test(&test));
    let qualified = if package.is_empty() { class } else { format!("{package}.{class}") };
    Ok(Reproducer {
        class: qualified,
        options: built.options.iter().cloned().collect(),
        unmade: built.unmade.iter().cloned().collect(),
        program: files,
        test,
    })
}

/// The names that sources in the package of the entry point can use.
///
/// # Errors
/// No Java program can call the entry point.
pub(crate) fn names<'a>(subject: &Subject<'a>) -> Result<Names<'a>, Unreproducible> {
    let (program, entry) = (subject.program, subject.entry);
    let method = program.method(entry);
    let owner = program.class_name(method.class);
    if method.name == "<clinit>" {
        return Err(Unreproducible::Entry("only the JVM calls class initializers".into()));
    }
    if method.kind == MethodKind::Constructor && super::prediction::is_enum(program, Type::Class(method.class)) {
        return Err(Unreproducible::Entry("only the JVM creates enum constants".into()));
    }
    // A user cannot put classes into a package of the JDK.
    let package = if program.class(method.class).is_library { "" } else { package(owner) };
    Ok(Names { program, java: subject.java, package })
}

struct Text<'a> {
    subject: &'a Subject<'a>,
    prediction: &'a Prediction,
    package: &'a str,
    built: &'a Built,
}

impl Text<'_> {
    /// A class name that the user's classes do not have.
    fn free_name(&self, wished: &str) -> String {
        let qualified = |name: &str| match self.package {
            "" => name.to_string(),
            package => format!("{package}.{name}"),
        };
        let candidates = std::iter::once(wished.to_string()).chain((2..).map(|number| format!("{wished}{number}")));
        let mut free = candidates.filter(|name| self.subject.program.class_named(&qualified(name)).is_none());
        free.next().unwrap_or_else(|| wished.to_string())
    }

    /// The failure in words: `AssertionError at Account.java:19`.
    fn failure(&self) -> String {
        let exception = self.prediction.exception.as_deref().unwrap_or_default();
        let exception = exception.strip_prefix("java.lang.").unwrap_or(exception);
        let place = self.prediction.place.and_then(|span| {
            let file = self.subject.program.file(span.file)?.path.file_name()?.to_str()?.to_string();
            Some(format!("{file}:{}", span.line))
        });
        match place {
            Some(place) => format!("{exception} at {place}"),
            None => exception.to_string(),
        }
    }

    fn entry_name(&self) -> String {
        let (program, method) = (self.subject.program, self.subject.program.method(self.subject.entry));
        let class = program.class_name(method.class).rsplit('.').next().unwrap_or_default().replace('$', ".");
        match method.kind {
            MethodKind::Constructor => format!("new {class}"),
            _ => format!("{class}.{}", method.name),
        }
    }

    fn header(&self) -> String {
        if self.package.is_empty() { String::new() } else { format!("package {};\n\n", self.package) }
    }

    fn program(&self, class: &str) -> String {
        let mut out = self.header();
        let file = format!("{class}.java");
        let sources = if self.prediction.uses_verifier { format!("{file} Verifier.java") } else { file };
        let exports: Vec<&str> = self.built.options.iter().map(String::as_str).collect();
        let options = exports.iter().map(|option| format!("{option} ")).collect::<String>();
        let qualified = if self.package.is_empty() { class.to_string() } else { format!("{}.{class}", self.package) };
        let _ = write!(
            out,
            "/**\n * {entry} fails: {failure}.\n *\n * <p>With the program's classes in CLASSES:\n *\n * <pre>\n * javac -cp CLASSES -d out \
             {sources}\n * java {options}-cp out:CLASSES {qualified}\n * </pre>\n{values}{uncontrolled} */\n",
            entry = self.entry_name(),
            failure = self.failure(),
            values = if self.prediction.given.is_empty() {
                ""
            } else {
                " *\n * <p>Verifier.java has the values that it asks for.\n"
            },
            uncontrolled = self.uncontrolled(),
        );
        let _ = writeln!(out, "public class {class} {{");
        self.body(&mut out, "public static void main(String[] arguments) throws Throwable");
        out.push_str("}\n");
        out
    }

    /// The comment that lists what the reproducer cannot control.
    fn uncontrolled(&self) -> String {
        if self.prediction.uncontrolled.is_empty() {
            return String::new();
        }
        let names = self.prediction.uncontrolled.join(", ");
        format!(" *\n * <p>The result may also depend on {names}.\n")
    }

    fn test(&self, class: &str) -> String {
        let mut out = self.header();
        out.push_str("import org.junit.jupiter.api.Test;\n\n");
        let _ = writeln!(out, "/** Fails as long as {} does: {}. */", self.entry_name(), self.failure());
        let _ = writeln!(out, "class {class} {{");
        let method = self.subject.program.method(self.subject.entry);
        let name = match method.kind {
            MethodKind::Constructor => "construct".to_string(),
            _ => literals::identifier(&method.name),
        };
        // A helper may have this name.
        let is_taken =
            ["make", "set", "setRecord", "call", "construct"].contains(&name.as_str()) || name.starts_with("build");
        let name = if is_taken { format!("{name}Fails") } else { name };
        out.push_str("    @Test\n");
        self.body(&mut out, &format!("void {name}() throws Throwable"));
        out.push_str("}\n");
        out
    }

    /// Writes the method that does everything, and its helpers.
    fn body(&self, out: &mut String, signature: &str) {
        let Built { statements, call, helpers, .. } = self.built;
        let is_long = statements.len() > STATEMENTS;
        if is_long {
            for statement in statements {
                if let Statement::Declare { ty, name, .. } = statement {
                    let _ = writeln!(out, "    private static {ty} {name};");
                }
            }
            out.push('\n');
        }
        let _ = writeln!(out, "    {signature} {{");
        if self.prediction.is_assertion || has_assertions(self.subject.program) {
            out.push_str("        ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(true);\n");
        }
        let line = |out: &mut String, statement: &Statement| match statement {
            Statement::Declare { ty: _, name, value } if is_long => {
                let _ = writeln!(out, "        {name} = {value};");
            }
            statement => {
                let _ = writeln!(out, "        {}", statement.text());
            }
        };
        let chunks: Vec<&[Statement]> = statements.chunks(STATEMENTS).collect();
        if is_long {
            (1..=chunks.len()).for_each(|number| {
                let _ = writeln!(out, "        build{number}();");
            });
        } else {
            statements.iter().for_each(|statement| line(out, statement));
        }
        let _ = writeln!(out, "        {};", wrapped(call));
        out.push_str("    }\n");
        if is_long {
            for (number, chunk) in chunks.into_iter().enumerate() {
                let _ = writeln!(out, "\n    private static void build{}() throws Throwable {{", number + 1);
                chunk.iter().for_each(|statement| line(out, statement));
                out.push_str("    }\n");
            }
        }
        for helper in helpers {
            out.push('\n');
            out.push_str(helper.text());
        }
    }
}

/// Whether the user's own code has assertions, which must be enabled.
pub(crate) fn has_assertions(program: &Program) -> bool {
    let mut own = program.classes().filter(|(_, class)| !class.is_library);
    own.any(|(id, _)| program.find_field(id, "$assertionsDisabled").is_some())
}

/// Breaks a call that is too long before its argument array.
pub(crate) fn wrapped(call: &str) -> String {
    match call.len() <= WIDTH {
        true => call.to_string(),
        false => call.replacen(", new Object[] {", ",\n                new Object[] {", 1),
    }
}

impl Helper {
    /// Its source.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Helper::Make => include_str!("../../java/Make.java"),
            Helper::Set => include_str!("../../java/Set.java"),
            Helper::SetRecord => include_str!("../../java/SetRecord.java"),
            Helper::Get => include_str!("../../java/Get.java"),
            Helper::Call => include_str!("../../java/Call.java"),
            Helper::Construct => include_str!("../../java/Construct.java"),
        }
    }
}

/// Writes a class in place of the one that provides nondeterministic values.
fn verifier(program: &Program, given: &[Given]) -> String {
    let rows: Vec<String> = given
        .iter()
        .map(|given| {
            let value = match &given.value {
                Exact::Text(units) => literals::string(units),
                Exact::Plain(value) => boxed(value, given.ty),
            };
            let file = program.file(given.place.file).and_then(|file| file.path.file_name()?.to_str());
            let place = file.map_or_else(String::new, |file| format!(" at {file}:{}", given.place.line));
            let place = if given.place == Span::NONE { String::new() } else { place };
            format!("        VALUES.add({value}); // {}{place}\n", program.method(given.method).name)
        })
        .collect();
    let mut parts = String::new();
    for (number, rows) in rows.chunks(VALUES).enumerate() {
        let _ = write!(parts, "\n    private static void values{}() {{\n{}    }}\n", number + 1, rows.concat());
    }
    let calls: String =
        (1..=rows.len().div_ceil(VALUES)).map(|number| format!("        values{number}();\n")).collect();
    let (calls, parts) = match rows.len() <= VALUES {
        true => (rows.concat(), String::new()),
        false => (calls, parts),
    };
    include_str!("../../java/Verifier.java").replace("        // values\n", &calls).replace("    // parts\n", &parts)
}

/// An expression for a value as an object of its type's box class.
fn boxed(value: &Value, ty: Type) -> String {
    match ty {
        Type::Machine { width: 8, .. } => format!("(byte) {}", unboxed(value, ty)),
        Type::Machine { width: 16, signed: true } => format!("(short) {}", unboxed(value, ty)),
        ty => unboxed(value, ty),
    }
}

/// An expression for a value that is not an object.
pub(crate) fn unboxed(value: &Value, ty: Type) -> String {
    let value = match value {
        Value::Bool(value) => InputValue::Bool(*value),
        Value::Int(value) => InputValue::Int(value.to_big()),
        Value::F32(bits) => InputValue::F32(*bits),
        Value::F64(bits) => InputValue::F64(*bits),
        Value::Null | Value::Ref(_) => InputValue::Null,
    };
    scalar(&value, ty)
}
