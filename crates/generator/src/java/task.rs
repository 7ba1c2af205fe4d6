//! Generates tasks, and bounds their inputs.

use crate::format::indent;
use crate::java::code::{Code, Java};
use crate::java::{library, topics::Topics};
use crate::{rng::Rng, template};
use std::fmt;
use std::fmt::Write;

/// A program with inputs and an assertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// One compilation unit. It gets its inputs from `org.sosy_lab.sv_benchmarks.Verifier`.
    pub source: String,
    /// The inputs in the order of the calls that return them.
    pub inputs: Vec<Input>,
}

/// An input of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The type in Java's notation.
    pub ty: &'static str,
    /// The values with which the program continues. With any other value, it ends without a violation.
    pub values: Vec<Value>,
}

/// A value of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A `boolean`.
    Boolean(bool),
    /// A value of an integer type, including `char`.
    Integer(i64),
    /// A `float` or `double`. Both types can represent the value.
    Float(f64),
    /// A `String`, without tabs and line ends.
    Text(String),
}

impl fmt::Display for Value {
    /// Writes the value as the JVM's driver expects it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Text(value) => write!(f, "{value}"),
        }
    }
}

/// A task in a class `Main`, which depends only on the seed and the topics.
///
/// It has up to four inputs, and at most 400 combinations of their values. Some tasks hold, some are violated, and a
/// few throw another exception for some inputs; [`crate::java::jvm::Classes::enumerate`] determines which.
pub fn task(seed: u64, topics: Topics) -> Task {
    task_named(seed, topics, "Main")
}

/// [`task`](fn@task) with another class name, so that many tasks can be compiled together.
pub fn task_named(seed: u64, topics: Topics, class: &str) -> Task {
    let mut code = Code::new(Rng::new(seed), Java { topics, helpers: None });
    let by_hand: Vec<_> = library::tasks(topics);
    let (title, body) = if by_hand.is_empty() || code.rng.chance(35) {
        ("random", random_check(&mut code))
    } else {
        let (title, body) = *code.rng.pick(&by_hand);
        (title, template::fill(body, &mut code))
    };
    let inputs = parameters(&body).expect("inputs have such types");
    let mut main = String::new();
    let mut bounds = String::new();
    let mut read = Vec::new();
    let at_once = code.rng.chance(50);
    for (ty, name) in &inputs {
        let input = input(&mut code, ty, inputs.len());
        let mut method = String::from(*ty);
        method[..1].make_ascii_uppercase();
        writeln!(main, "{ty} {name} = Verifier.nondet{method}();").expect("strings take all text");
        let bound = bound(&mut code, &input, name);
        if at_once { &mut main } else { &mut bounds }.push_str(&bound);
        read.push(input);
    }
    let names: Vec<&str> = inputs.iter().map(|(_, name)| *name).collect();
    let source = indent(&format!(
        "import org.sosy_lab.sv_benchmarks.Verifier;\n\n// {title}\npublic class {class} {{\n{body}\n\
         public static void main(String[] args) {{\n{main}{bounds}check({});\n}}\n}}\n",
        names.join(", ")
    ));
    Task { source, inputs: read }
}

/// A random function and an assertion about its result.
fn random_check(code: &mut Code) -> String {
    let params = ["a", "b", "c"];
    let count = 1 + code.rng.below(params.len());
    let function = code.function("f", count);
    let params = &params[..count];
    let call = format!("f({})", params.join(", "));
    let declared: Vec<String> = params.iter().map(|name| format!("int {name}")).collect();
    // Few inputs have the same result as an input outside the ranges, but an input within the ranges has its own
    // result.
    let other: Vec<String> = params.iter().map(|_| code.rng.within(-1, 2).to_string()).collect();
    let outside: Vec<String> = params.iter().map(|_| code.rng.within(200, 900).to_string()).collect();
    let few = code.rng.within(0, 7);
    let claim = match code.rng.below(6) {
        0 | 1 => format!("r != value({})", other.join(", ")),
        2 if few < 4 => format!("r < 0 || r > {few}"),
        2 => format!("r != value({})", outside.join(", ")),
        3 => format!("(r & 7) != {few}"),
        4 => format!("r > {few} || r < -{few}"),
        _ => format!("r == value({})", params.join(", ")),
    };
    let declared = declared.join(", ");
    let value = match code.language.topics.exceptions && code.rng.chance(85) {
        true => format!("try {{\nreturn {call};\n}} catch (RuntimeException e) {{\nreturn -77;\n}}\n"),
        false => format!("return {call};\n"),
    };
    format!(
        "{function}static int value({declared}) {{\n{value}}}\n\
         static void check({declared}) {{\nint r = value({});\nassert {claim} : r;\n}}",
        params.join(", ")
    )
}

/// The types and names of the parameters of `check`, if `Verifier` provides values of their types.
pub(crate) fn parameters(body: &str) -> Option<Vec<(&'static str, &str)>> {
    const TYPES: [&str; 9] = ["boolean", "byte", "short", "char", "int", "long", "float", "double", "String"];
    let start = body.find("void check(").expect("every task has a method check") + "void check(".len();
    let end = start + body[start..].find(')').expect("its parameters end");
    let parameter = |text: &'_ str| -> Option<&'static str> { TYPES.into_iter().find(|ty| *ty == text) };
    let split = body[start..end].split(", ").map(|declared| {
        let (ty, name) = declared.split_once(' ').expect("a type and a name");
        Some((parameter(ty)?, name))
    });
    split.collect()
}

/// An input with some values, for a task with `inputs` inputs.
pub(crate) fn input(code: &mut Code, ty: &'static str, inputs: usize) -> Input {
    let most = [0, 40, 14, 7, 4][inputs];
    let integers = |low: i64, count: i64| (low..low + count).map(Value::Integer).collect();
    let mut some = |all: &[Value]| {
        let mut all = all.to_vec();
        code.rng.shuffle(&mut all);
        all.truncate(most as usize);
        all
    };
    let values = match ty {
        "boolean" => vec![Value::Boolean(false), Value::Boolean(true)],
        "float" | "double" => some(&[0.0, -0.0, 0.5, 1.0, -2.25, 3.0, 1e9, -1.5].map(Value::Float)),
        "String" => some(&["", "a", "b", "ab", "abc", "é", "A", "a b"].map(|text| Value::Text(text.into()))),
        "char" => integers(i64::from(b'a') + code.rng.within(0, 3), code.rng.within(2, most)),
        _ => {
            let count = code.rng.within((most / 2).max(2), most);
            integers(code.rng.within(-count, 1), count)
        }
    };
    Input { ty, values }
}

/// A statement after which a program continues only with the values of an input.
pub(crate) fn bound(code: &mut Code, input: &Input, name: &str) -> String {
    let literal = |value: &Value| match value {
        Value::Integer(value) if input.ty == "char" => format!("'{}'", char::from(*value as u8)),
        Value::Float(value) if input.ty == "float" => format!("{value:?}f"),
        Value::Text(text) => format!("\"{text}\""),
        other => other.to_string(),
    };
    match input.values.as_slice() {
        [Value::Integer(_), .., last @ Value::Integer(_)] => {
            let (low, high) = (literal(&input.values[0]), literal(last));
            match code.rng.below(4) {
                0 => format!("if ({name} < {low} || {name} > {high}) {{\nreturn;\n}}\n"),
                1 => format!("Verifier.assume({low} <= {name});\nVerifier.assume({name} <= {high});\n"),
                _ => format!("Verifier.assume({name} >= {low} && {name} <= {high});\n"),
            }
        }
        [Value::Boolean(_), ..] => String::new(),
        values => {
            let tests: Vec<String> = values
                .iter()
                .map(|value| match value {
                    Value::Text(_) => format!("{name}.equals({})", literal(value)),
                    _ => format!("{name} == {}", literal(value)),
                })
                .collect();
            format!("Verifier.assume({});\n", tests.join(" || "))
        }
    }
}
