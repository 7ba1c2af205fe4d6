//! Writes the text of a reproducer and of its test: the frame around the statements, and the helpers.

use super::build::Builder;
use super::expressions::Helper;
use super::plan::Plan;
use crate::{Prediction, Reproducer, Unreproducible};
use aback_lang_csharp::{Declarations, DeclaredMethod, Use, escaped};
use std::fmt::Write;

/// Longest statement, in characters, that is not broken into several lines.
const WIDTH: usize = 110;

/// Writes a reproducer of a counterexample with the predicted result.
///
/// # Errors
/// No C# program can make the inputs or call the entry point.
pub(crate) fn write(plan: &Plan, prediction: &Prediction, test: &str) -> Result<Reproducer, Unreproducible> {
    if prediction.exception.is_none() {
        return Err(Unreproducible::NoViolation("the program ends without a violation".into()));
    }
    let built = Builder::build(plan)?;
    let text = Text { plan, prediction, built: &built };
    let class = text.free_name("Reproducer");
    let test = text.free_name(test);
    Ok(Reproducer {
        program: vec![(format!("{class}.cs"), text.program(&class))],
        test: (format!("{test}.cs"), text.test(&test)),
        class,
        options: Vec::new(),
        unmade: built.unmade.iter().cloned().collect(),
    })
}

struct Text<'a> {
    plan: &'a Plan<'a>,
    prediction: &'a Prediction,
    built: &'a Builder<'a>,
}

impl Text<'_> {
    /// A class name that the user's classes do not have.
    fn free_name(&self, wished: &str) -> String {
        let candidates = std::iter::once(wished.to_string()).chain((2..).map(|number| format!("{wished}{number}")));
        let mut free = candidates.filter(|name| !self.plan.declarations.hides(name));
        free.next().unwrap_or_else(|| wished.to_string())
    }

    /// The failure in words: `Debug.Assert at Account.cs:19`.
    fn failure(&self) -> String {
        let exception = self.prediction.exception.as_deref().unwrap_or_default();
        let exception = exception.strip_prefix("System.").unwrap_or(exception);
        let place = self.prediction.place.and_then(|span| {
            let file = self.plan.declarations.program().file(span.file)?.path.file_name()?.to_str()?.to_string();
            Some(format!("{file}:{}", span.line))
        });
        match place {
            Some(place) => format!("{exception} at {place}"),
            None => exception.to_string(),
        }
    }

    fn entry_name(&self) -> String {
        entry_name(self.plan.declarations, &self.plan.method)
    }

    /// The comment that lists what the reproducer cannot control.
    fn uncontrolled(&self) -> String {
        match self.prediction.uncontrolled.is_empty() {
            true => String::new(),
            false => format!("//\n// The result may also depend on {}.\n", self.prediction.uncontrolled.join(", ")),
        }
    }

    fn program(&self, class: &str) -> String {
        let mut out = format!(
            "// {} fails: {}.\n//\n// Compile it as a program that refers to the assembly {}, or together with its sources and with the option\n\
             // -main:{class}.\n{}#nullable disable\n\npublic static class {class}\n{{\n",
            self.entry_name(),
            self.failure(),
            self.assembly(),
            self.uncontrolled()
        );
        out.push_str(
            "    public static int Main()\n    {\n        Listener listener = new Listener();\n        \
             System.Diagnostics.Trace.Listeners.Clear();\n        \
             System.Diagnostics.Trace.Listeners.Add(listener);\n        Run();\n        \
             return listener.Failures == 0 ? 0 : 1;\n    }\n\n",
        );
        self.body(&mut out, "public static");
        out.push('\n');
        out.push_str(include_str!("../../csharp/Listener.cs"));
        out.push_str("}\n");
        out
    }

    fn assembly(&self) -> String {
        self.plan.declarations.assembly_name(self.plan.method.owner).unwrap_or("of the program").to_string()
    }

    fn test(&self, class: &str) -> String {
        let mut out = format!(
            "// Fails as long as {} does: {}.\n{}#nullable disable\n\npublic class {class}\n{{\n",
            self.entry_name(),
            self.failure(),
            self.uncontrolled()
        );
        let name: String = match &self.plan.method.by {
            Use::Get(name) | Use::Set(name) => name.clone(),
            _ => self.plan.method.name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect(),
        };
        let helpers = Helper::ALL.iter().map(|helper| helper.source().0);
        let is_taken = helpers.chain(["Run", "Check", "Listener", "ToString", "Equals", "GetHashCode", "GetType"]);
        let name = match name.as_str() {
            "ctor" => "Construct".to_string(),
            name if name == class || is_taken.into_iter().any(|taken| taken == name) => format!("{name}Fails"),
            name => escaped(name),
        };
        let _ = write!(out, "    [Xunit.Fact]\n    public void {name}()\n    {{\n        Check(Run);\n    }}\n\n");
        self.body(&mut out, "static");
        out.push('\n');
        out.push_str(include_str!("../../csharp/TestListener.cs"));
        out.push_str("}\n");
        out
    }

    /// Writes the method that does everything, and its helpers.
    fn body(&self, out: &mut String, access: &str) {
        let _ = writeln!(out, "    {access} void Run()\n    {{");
        for statement in self.built.statements.iter().chain(&self.built.call.statements()) {
            let _ = writeln!(out, "        {}", wrapped(statement, "        "));
        }
        out.push_str("    }\n");
        for helper in Helper::ALL.iter().filter(|helper| self.built.helpers.contains(helper)) {
            out.push('\n');
            out.push_str(helper.source().1);
        }
    }
}

/// Breaks a statement that is too long before its value. `indent` is that of the second line.
pub(super) fn wrapped(statement: &str, indent: &str) -> String {
    match statement.len() <= WIDTH {
        true => statement.to_string(),
        false => statement.replacen(" = ", &format!("\n{indent}    = "), 1),
    }
}

/// How users call a method: `Account.Transfer`.
pub(super) fn entry_name(declarations: Declarations, method: &DeclaredMethod) -> String {
    let owner = declarations.shown_name(method.owner).unwrap_or_default().replace('+', ".");
    let owner = owner.split(['`', '[']).next().unwrap_or_default();
    match &method.by {
        Use::Get(name) | Use::Set(name) => format!("{owner}.{name}"),
        _ if method.name == ".ctor" => format!("new {owner}"),
        _ => format!("{owner}.{}", method.name),
    }
}
