//! Generates tasks: a method with inputs, assertions and lines to reach.

use super::code::{CSharp, Code, Prim, Ty};
use super::program::USINGS;
use crate::format::indent;
use crate::rng::Rng;
use crate::template::{self, sections};
use std::fmt::Write;

/// Handwritten members and statements. The statements compute `r` from `x`, `y` and `b`.
const PIECES: &str = include_str!("../../csharp/pieces/tasks.cs");

/// A small program with inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The source, with a static class whose method `Check` has the inputs as its parameters.
    pub source: String,
    /// The source of a class with a method `Main` that calls `Check` with all inputs on which it does anything.
    pub driver: String,
    /// The lines with a known answer.
    pub marks: Vec<Mark>,
}

/// An assertion or a statement to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The number of the mark in the results of a run.
    pub number: u32,
    /// The line in the source, from 1.
    pub line: u32,
    /// Whether the line is an assertion.
    pub is_assertion: bool,
}

/// What the runs with all inputs have shown: for each mark, whether the assertion fails, or the line is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    failed: u64,
    reached: u64,
    /// The number of runs.
    pub runs: u64,
}

impl Truth {
    /// Reads what the runner wrote last.
    pub fn parse(line: &str) -> Option<Truth> {
        let mut numbers = line.split(' ').map(|number| number.parse::<i64>().ok());
        let mut number = || numbers.next().flatten().map(i64::cast_unsigned);
        Some(Truth { failed: number()?, reached: number()?, runs: number()? })
    }

    /// Whether an assertion fails for some input, or a line is reached.
    pub fn happens(&self, mark: Mark) -> bool {
        let seen = if mark.is_assertion { self.failed } else { self.reached };
        seen >> mark.number & 1 == 1
    }
}

/// A parameter of `Check`, or several that belong together.
struct Input {
    parameters: String,
    /// Declarations of types.
    types: &'static str,
    /// Statements that return unless the argument is one of those that the driver tries.
    guard: String,
    /// Loops around the call, and the statements before the call.
    loops: String,
    before: String,
    /// The arguments of the call.
    arguments: String,
    /// Expressions that read the input and never throw; `#` in a name stands for what makes it unique.
    views: Vec<(Ty, String)>,
    /// How many arguments the driver tries.
    count: i64,
}

/// A task in a class of this name, which depends only on the seed.
///
/// The same seed gives the same task. .NET finds its answers by at most some thousands of runs.
pub fn task(seed: u64, class: &str) -> Task {
    let mut code = Code::new(Rng::new(seed), CSharp::new());
    let (mut inputs, mut count) = (Vec::new(), 1);
    for index in 0..code.rng.within(1, 3) {
        let input = input(&mut code, index);
        if count * input.count <= 800 {
            count *= input.count;
            inputs.push(input);
        }
    }
    let views: Vec<_> = inputs.iter().flat_map(|input| input.views.iter().cloned()).collect();
    let pieces: Vec<_> = sections(PIECES).collect();
    let (mut members, mut body, mut title) = (String::new(), String::new(), String::from("random"));
    for (ty, name) in [(Prim::Int, "x"), (Prim::Int, "y"), (Prim::Bool, "b")] {
        code.vars.clear();
        let of: Vec<_> = views.iter().filter(|(view, _)| *view == Ty::Prim(ty)).collect();
        let value = match of.is_empty() {
            false => {
                let view = code.rng.pick(&of).1.clone();
                view.replace('#', &code.fresh("_"))
            }
            true if ty == Prim::Bool => format!("x > {}", code.rng.within(0, 2)),
            true => code.rng.within(0, 3).to_string(),
        };
        writeln!(body, "{} {name} = {value};", ty.name()).expect("strings take all text");
    }
    body += "int r = 0;\n";
    if code.rng.chance(75) {
        let (name, text) = *code.rng.pick(&pieces);
        title = name.into();
        let text = template::fill(text, &mut code);
        let (declared, statements) = text.split_once("//---").expect("a piece has members and statements");
        members += declared;
        body += statements;
    }
    code.vars.clear();
    for (ty, name) in [(Prim::Int, "x"), (Prim::Int, "y"), (Prim::Bool, "b"), (Prim::Int, "r")] {
        code.declare(name, Ty::Prim(ty), true, true);
    }
    for (ty, view) in views.iter().filter(|(ty, _)| matches!(ty, Ty::Nullable(_) | Ty::Text | Ty::Prim(_))) {
        if code.rng.chance(40) {
            let name = code.fresh("i");
            let view = view.replace('#', &name);
            writeln!(body, "{} {name} = {view};", ty.name()).expect("strings take all text");
            code.declare(&name, *ty, true, true);
        }
    }
    body += &code.body_of_task();
    let mut types: Vec<&str> = inputs.iter().map(|input| input.types).collect();
    types.dedup();
    types.sort_unstable();
    types.dedup();
    let join = |part: fn(&Input) -> &str, between: &str| inputs.iter().map(part).collect::<Vec<_>>().join(between);
    let source = indent(&format!(
        "{USINGS}\n// {title}\npublic static class {class} {{\n{}{members}\npublic static void Check({}) {{\n{}{body}}}\n}}\n",
        types.concat(),
        join(|input| &input.parameters, ", "),
        join(|input| &input.guard, ""),
    ));
    let driver = indent(&format!(
        "using System;\npublic static class {class}_Inputs {{\npublic static void Main() {{\n{}{}\
         Runner.Try(() => {class}.Check({}));\n{}}}\n}}\n",
        join(|input| &input.loops, ""),
        join(|input| &input.before, ""),
        join(|input| &input.arguments, ", "),
        "}\n".repeat(
            inputs.iter().map(|input| input.loops.matches('{').count() - input.loops.matches('}').count()).sum()
        ),
    ))
    .replace("CLASS", class);
    let marks = source.lines().zip(1..).filter_map(|(text, line)| mark(text, line)).collect();
    Task { source, driver, marks }
}

/// The mark of a line.
fn mark(text: &str, line: u32) -> Option<Mark> {
    let text = text.trim();
    let is_assertion = text.starts_with("Debug.Assert(");
    if !is_assertion && !text.starts_with("Log.Reach(") {
        return None;
    }
    let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let start = number.rfind(|c: char| !c.is_ascii_digit())? + 1;
    Some(Mark { number: number[start..].parse().ok()?, line, is_assertion })
}

fn input(code: &mut Code, index: i64) -> Input {
    let name = format!("a{index}");
    let low = code.rng.within(0, 2) - 1;
    let high = low + code.rng.within(1, 3);
    let int = |text: String| (Ty::Prim(Prim::Int), text);
    let bool = |text: String| (Ty::Prim(Prim::Bool), text);
    let simple =
        |ty: &str, types: &'static str, guard: String, values: String, views: Vec<(Ty, String)>, count: i64| Input {
            parameters: format!("{ty} {name}"),
            types,
            guard,
            loops: format!("foreach (var {name} in {values}) {{\n"),
            before: String::new(),
            arguments: name.clone(),
            views,
            count,
        };
    let range = || (low..=high).map(|value| value.to_string()).collect::<Vec<_>>();
    match code.rng.below(20) {
        0 => simple("bool", "", String::new(), "new[] { false, true }".into(), vec![bool(name.clone())], 2),
        1..4 => {
            let types =
                [Prim::SByte, Prim::Byte, Prim::Short, Prim::Int, Prim::Int, Prim::Long, Prim::UInt, Prim::Char];
            let prim = *code.rng.pick(&types);
            let unsigned = matches!(prim, Prim::Byte | Prim::UInt | Prim::Char);
            let (low, high) = if unsigned { (low.max(0), high.max(1)) } else { (low, high) };
            let guard = match code.rng.below(3) {
                0 => format!("if ({name} < {low} || {name} > {high}) return;\n"),
                1 => format!("if (!({name} >= {low} && {name} <= {high})) {{\nreturn;\n}}\n"),
                _ => format!("if ({name} is < {} or > {}) return;\n", literal(prim, low), literal(prim, high)),
            };
            let values: Vec<String> = (low..=high).map(|value| format!("({}) {}", prim.name(), paren(value))).collect();
            let values = format!("new {}[] {{ {} }}", prim.name(), values.join(", "));
            let views = vec![
                int(format!("(int) {name}")),
                (Ty::Prim(prim), name.clone()),
                bool(format!("{name} == {}", if prim == Prim::Char { "'\\u0001'" } else { "1" })),
            ];
            simple(prim.name(), "", guard, values, views, high - low + 1)
        }
        4 => {
            let values = "new[] { CLASS.Color.Red, CLASS.Color.Blue, (CLASS.Color) 3 }".into();
            let guard = format!("if ({name} < Color.Red || (int) {name} > 3 || {name} == Color.Green) return;\n");
            let views = vec![int(format!("(int) {name}")), bool(format!("{name} == Color.Blue"))];
            simple("Color", "public enum Color { Red, Green, Blue }\n", guard, values, views, 3)
        }
        5 => {
            let guard = format!("if ({name} is < {} or > {}) return;\n", paren(low), paren(high));
            let values = format!("new int?[] {{ null, {} }}", range().join(", "));
            let views = vec![
                (Ty::Nullable(Prim::Int), name.clone()),
                int(format!("{name} ?? 7")),
                bool(format!("{name}.HasValue")),
            ];
            simple("int?", "", guard, values, views, high - low + 2)
        }
        6 => {
            let guard = format!(
                "if ({name} != null) {{\nif ({name}.Length > 2) return;\nforeach (int each in {name}) if (each < 0 || each > 2) return;\n}}\n"
            );
            let mut values = vec!["null".to_owned(), "new int[0]".into()];
            for first in 0..3 {
                values.push(format!("new[] {{ {first} }}"));
                values.extend((0..3).map(|second| format!("new[] {{ {first}, {second} }}")));
            }
            let count = values.len() as i64;
            let values = format!(
                "new Func<int[]>[] {{ {} }}",
                values.iter().map(|value| format!("() => {value}")).collect::<Vec<_>>().join(", ")
            );
            let views = vec![
                int(format!("{name} == null ? -1 : {name}.Length")),
                int(format!("{name} != null && {name}.Length > 0 ? {name}[0] : 3")),
                int(format!("{name}?.Length == 2 ? {name}[^1] : -2")),
                int(format!("{name}?.Sum() ?? 4")),
                bool(format!("{name} is [1, ..]")),
            ];
            let simple = simple("int[]", "", guard, values, views, count);
            Input { arguments: format!("{name}()"), ..simple }
        }
        7 | 8 => {
            // Two objects, or the same one twice.
            let other = format!("c{index}");
            let types = "public class Cell {\npublic int value;\npublic bool flag;\n}\n";
            let mut guard = String::new();
            for object in [&name, &other] {
                writeln!(guard, "if ({object} != null && ({object}.value < 0 || {object}.value > 2)) return;")
                    .expect("strings take all text");
            }
            let loops = format!(
                "for (int {name} = -1; {name} < 6; {name}++) for (int {other} = -2; {other} < 6; {other}++) {{\n"
            );
            let make =
                |of: &str| format!("{of} == -1 ? null : new CLASS.Cell {{ value = {of} / 2, flag = {of} % 2 == 1 }}");
            let before =
                format!("var o{name} = {};\nvar o{other} = {other} == -2 ? o{name} : {};\n", make(&name), make(&other));
            let views = vec![
                int(format!("{name}?.value ?? 3")),
                int(format!("{other} == null ? -1 : ++{other}.value")),
                int(format!(
                    "{name} != null && {other} != null ? ({name}.value = {other}.value + 1) + {other}.value : 0"
                )),
                bool(format!("{name} == {other}")),
                bool(format!("{other} is {{ flag: true }}")),
                bool(format!("{name}?.flag ?? false")),
            ];
            Input {
                parameters: format!("Cell {name}, Cell {other}"),
                types,
                guard,
                loops,
                before,
                arguments: format!("o{name}, o{other}"),
                views,
                count: 56,
            }
        }
        9 => {
            let types = "public struct Spot {\npublic int value;\npublic bool flag;\n}\n";
            let guard = format!("if ({name}.value < {low} || {name}.value > {high}) return;\n");
            let values: Vec<String> = range()
                .iter()
                .flat_map(|value| {
                    ["false", "true"].map(|flag| format!("new CLASS.Spot {{ value = {value}, flag = {flag} }}"))
                })
                .collect();
            let views = vec![
                int(format!("{name}.value")),
                bool(format!("{name}.flag")),
                bool(format!("{name}.Equals(default(Spot))")),
            ];
            simple("Spot", types, guard, format!("new[] {{ {} }}", values.join(", ")), views, 2 * (high - low + 1))
        }
        10 => {
            let guard = format!(
                "if ({name} != null) {{\nif ({name}.Length > 2) return;\nforeach (char each in {name}) if (each != 'a' && each != 'b') return;\n}}\n"
            );
            let values = r#"new[] { null, "", "a", "b", "aa", "ab", "ba", "bb" }"#.into();
            let views = vec![
                int(format!("{name}?.Length ?? -1")),
                (Ty::Text, format!("{name} ?? \"none\"")),
                bool(format!("{name} == \"ab\"")),
                bool(format!("string.IsNullOrEmpty({name})")),
                int(format!("{name} == null ? 3 : {name}.IndexOf('b')")),
            ];
            simple("string", "", guard, values, views, 8)
        }
        11 => shape(code, &name),
        12 => {
            let types = "public interface IThing {\nint Size { get; }\nint Next() => Size + 1;\n}\n\
                 public struct Plain : IThing {\npublic int n;\npublic int Size => n;\npublic int Next() => ++n;\n}\n\
                 public sealed class Fancy : IThing {\npublic int n;\npublic int Size => n * 2;\n}\n";
            let guard = format!("if ({name} is Plain {{ n: < 0 or > 2 }} or Fancy {{ n: < 0 or > 2 }}) return;\n");
            let values: Vec<String> = (0..3)
                .flat_map(|n| ["Plain", "Fancy"].map(|class| format!("() => new CLASS.{class} {{ n = {n} }}")))
                .collect();
            let values = format!("new Func<CLASS.IThing>[] {{ () => null, {} }}", values.join(", "));
            let views = vec![
                int(format!("{name}?.Size ?? -1")),
                int(format!("{name} == null ? 5 : {name}.Next() + {name}.Next()")),
                int(format!("{name} is Plain {{ n: var n# }} ? n# : 3")),
                bool(format!("{name} is Fancy")),
                bool(format!("{name}?.Equals(new Plain {{ n = 1 }}) ?? false")),
            ];
            let simple = simple("IThing", types, guard, values, views, 7);
            Input { arguments: format!("{name}()"), ..simple }
        }
        13 => {
            let guard = format!(
                "if ({name} is not (null or (int and >= 0 and <= 2) or true or \"\" or \"b\" or 'c')) return;\n"
            );
            let values = "new object[] { null, 0, 1, 2, true, \"\", \"b\", 'c' }".into();
            let views = vec![
                int(format!("{name} is int n# ? n# : -1")),
                int(format!("{name} switch {{ null => 0, string t# => t#.Length + 5, char c# => c# - 'a', _ => 3 }}")),
                int(format!("({name} as int?) ?? 4")),
                bool(format!("{name} is bool")),
                bool(format!("object.Equals({name}, 1)")),
                (Ty::Object, name.clone()),
            ];
            simple("object", "", guard, values, views, 8)
        }
        14 => {
            let guard = format!(
                "if ({name} != null && ({name}.Length > 1 || {name}.Length == 1 && {name}[0] is {{ n: < 0 or > 1 }})) return;\n"
            );
            let mut values = vec!["() => null".to_owned()];
            for class in ["Shape", "Round", "Square"] {
                values.push(format!("() => new CLASS.{class}[0]"));
                values.push(format!("() => new CLASS.{class}[1]"));
            }
            for (array, class) in [("Shape", "Round"), ("Shape", "Square"), ("Round", "Round"), ("Square", "Square")] {
                values
                    .extend((0..2).map(|n| format!("() => new CLASS.{array}[] {{ new CLASS.{class} {{ n = {n} }} }}")));
            }
            let count = values.len() as i64;
            let values = format!("new Func<CLASS.Shape[]>[] {{ {} }}", values.join(", "));
            let views = vec![
                int(format!("{name} is [var s#] ? s#?.F() ?? 6 : -1")),
                bool(format!("{name} is Round[]")),
                bool(format!("{name} is [Square]")),
                int(format!("{name}?.Length ?? 2")),
                int(format!("Put({name})")),
            ];
            let simple = simple("Shape[]", SHAPES, guard, values, views, count);
            Input { arguments: format!("{name}()"), ..simple }
        }
        15 => {
            let types = "public class Node {\npublic int value;\npublic Node next;\npublic int Length() {\nint n = 0;\n\
                 for (Node at = this; at != null && n < 4; at = at.next) n++;\nreturn n;\n}\n}\n";
            let guard = format!(
                "if ({name} != null) {{\nif ({name}.value < 0 || {name}.value > 1) return;\nNode next = {name}.next;\n\
                 if (next != null && next != {name} && (next.value < 0 || next.value > 1 || next.next != null && next.next != {name} && next.next != next)) return;\n}}\n"
            );
            let make = "static CLASS.Node Make(int kind, int v, int w) { if (kind == 0) return null; \
                 var a = new CLASS.Node { value = v }; if (kind == 1) return a; if (kind == 2) { a.next = a; return a; } \
                 a.next = new CLASS.Node { value = w }; a.next.next = kind == 3 ? null : kind == 4 ? a : a.next; return a; }";
            let views = vec![
                int(format!("{name}?.value ?? 3")),
                int(format!("{name}?.Length() ?? -1")),
                int(format!("{name}?.next == null ? 2 : ({name}.next.value += 2) + {name}.value")),
                bool(format!("{name} != null && {name}.next == {name}")),
                bool(format!("{name}?.next?.next == {name}")),
            ];
            Input {
                parameters: format!("Node {name}"),
                types,
                guard,
                loops: format!(
                    "for (int k{name} = 0; k{name} < 6; k{name}++) for (int v{name} = 0; v{name} < 2; v{name}++) \
                     for (int w{name} = 0; w{name} < 2; w{name}++) {{\n"
                ),
                before: format!(
                    "{}var o{name} = Make{name}(k{name}, v{name}, w{name});\n",
                    make.replace("Make", &format!("Make{name}"))
                ),
                arguments: format!("o{name}"),
                views,
                count: 24,
            }
        }
        16 => {
            let guard = format!(
                "if ({name} != null) {{\nif ({name}.GetLength(0) > 2 || {name}.GetLength(1) > 1) return;\n\
                 foreach (int each in {name}) if (each < 0 || each > 1) return;\n}}\n"
            );
            let mut values = vec!["() => null".to_owned()];
            values.extend(["0, 0", "1, 0", "2, 0", "0, 1"].map(|lengths| format!("() => new int[{lengths}]")));
            values.extend((0..2).map(|a| format!("() => new int[,] {{ {{ {a} }} }}")));
            values.extend((0..4).map(|a| format!("() => new int[,] {{ {{ {} }}, {{ {} }} }}", a / 2, a % 2)));
            let count = values.len() as i64;
            let values = format!("new Func<int[,]>[] {{ {} }}", values.join(", "));
            let views = vec![
                int(format!("{name}?.Length ?? -1")),
                int(format!("{name} == null ? 3 : {name}.GetLength(0) * 2 + {name}.GetLength(1)")),
                int(format!("{name} != null && {name}.Length > 0 ? {name}[0, 0] : 4")),
                bool(format!("{name} != null && {name}.Length > 1 && ({name}[1, 0] ^= 1) == 0")),
            ];
            let simple = simple("int[,]", "", guard, values, views, count);
            Input { arguments: format!("{name}()"), ..simple }
        }
        17 => {
            let guard = format!(
                "if ({name}.n is < {} or > {} || {name}.s.value is < 0 or > 1) return;\n",
                paren(low),
                paren(high)
            );
            let values: Vec<String> = range()
                .iter()
                .flat_map(|n| {
                    [("false", 0), ("true", 0), ("true", 1)]
                        .map(|(flag, v)| format!("({n}, new CLASS.Spot {{ value = {v}, flag = {flag} }})"))
                })
                .chain(range().iter().map(|n| format!("({n}, new CLASS.Spot {{ value = 1 }})")))
                .collect();
            let types = "public struct Spot {\npublic int value;\npublic bool flag;\n}\n";
            let views = vec![
                int(format!("{name}.n - {name}.s.value")),
                int(format!("({name}.s.value += 2) * {name}.n")),
                bool(format!("{name}.s.flag")),
                bool(format!("{name} is (1, {{ flag: true }})")),
            ];
            simple(
                "(int n, Spot s)",
                types,
                guard,
                format!("new (int, CLASS.Spot)[] {{ {} }}", values.join(", ")),
                views,
                4 * (high - low + 1),
            )
        }
        18 => {
            let guard =
                format!("if (!({name} == 0 || {name} == 1.5 || {name} == -2.5 || double.IsNaN({name}))) return;\n");
            let values = "new[] { 0.0, -0.0, 1.5, -2.5, double.NaN }".into();
            let views = vec![
                int(format!("{name} > 1 ? (int) {name} : 2")),
                bool(format!("1 / {name} < 0")),
                bool(format!("{name} >= 0")),
                bool(format!("{name}.Equals(0.0)")),
                int(format!("{name}.CompareTo(1.0)")),
            ];
            simple("double", "", guard, values, views, 5)
        }
        _ => {
            // Two variables, or the same one twice.
            let other = format!("c{index}");
            let guard =
                format!("if ({name} < {low} || {name} > {high} || {other} < {low} || {other} > {high}) return;\n");
            let loops = format!(
                "for (int {name} = {low}; {name} <= {high}; {name}++) for (int {other} = {}; {other} <= {high}; {other}++) {{\n",
                low - 1
            );
            let before = format!("int v{name} = {name}, v{other} = {other};\n");
            let views = vec![
                int(name.clone()),
                int(format!("++{other}")),
                int(format!("({name} += 2) - {other}")),
                bool(format!("{name} == {other}")),
                bool(format!("({other} = 1) > {name}")),
            ];
            Input {
                parameters: format!("ref int {name}, ref int {other}"),
                types: "",
                guard,
                loops,
                before,
                arguments: format!("ref v{name}, ref ({other} < {low} ? ref v{name} : ref v{other})"),
                views,
                count: (high - low + 1) * (high - low + 2),
            }
        }
    }
}

const SHAPES: &str = "public abstract class Shape {\npublic int n;\npublic abstract int F();\npublic virtual int G() => F() + n;\n}\n\
     public class Round : Shape {\npublic override int F() => n * 3;\n}\n\
     public sealed class Square : Shape {\npublic override int F() => 4 - n;\npublic override int G() => n++;\n}\n\
     static int Put(Shape[] shapes) {\ntry {\nshapes[0] = new Round { n = 9 };\nreturn shapes[0].F();\n} \
     catch (ArrayTypeMismatchException) {\nreturn -7;\n} catch (Exception) {\nreturn -8;\n}\n}\n";

/// An object of a class with subclasses.
fn shape(code: &mut Code, name: &str) -> Input {
    let high = code.rng.within(1, 2);
    let classes = ["Round", "Square"];
    let values: Vec<String> =
        (0..=high).flat_map(|n| classes.map(|class| format!("() => new CLASS.{class} {{ n = {n} }}"))).collect();
    Input {
        parameters: format!("Shape {name}"),
        types: SHAPES,
        guard: format!("if ({name} is {{ n: < 0 or > {high} }}) return;\n"),
        loops: format!("foreach (var {name} in new Func<CLASS.Shape>[] {{ () => null, {} }}) {{\n", values.join(", ")),
        before: String::new(),
        arguments: format!("{name}()"),
        views: vec![
            (Ty::Prim(Prim::Int), format!("{name}?.F() ?? -1")),
            (Ty::Prim(Prim::Int), format!("{name} == null ? 8 : {name}.G() + {name}.G()")),
            (Ty::Prim(Prim::Bool), format!("{name} is Round")),
            (Ty::Prim(Prim::Bool), format!("{name}?.GetType() == typeof(Square)")),
        ],
        count: 2 * (high + 1) + 1,
    }
}

fn paren(value: i64) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

fn literal(prim: Prim, value: i64) -> String {
    if prim == Prim::Char { format!("'\\u{value:04x}'") } else { paren(value) }
}
