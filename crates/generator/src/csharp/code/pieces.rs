//! Generates classes with random code.

use super::{Code, Method, Place, Prim, Ty};
use std::fmt::Write;

impl Code {
    /// The members of a class whose method `Run` runs random methods over random fields.
    pub fn piece(&mut self) -> String {
        self.effects = true;
        self.budget = self.rng.within(5, 30) as usize;
        self.vars.clear();
        self.methods.clear();
        let mut text = String::new();
        for _ in 0..self.rng.within(1, 4) {
            text += &self.field("static ");
        }
        let statics = self.vars.clone();
        for _ in 0..self.rng.within(1, 3) {
            let method = self.method("static ", &mut text);
            self.methods.push(method);
        }
        let objects = if self.rng.chance(50) { self.hierarchy(&mut text) } else { Vec::new() };
        let mut run = String::new();
        for _ in 0..self.rng.within(1, 3) {
            run += &self.local(2);
        }
        for _ in 0..self.rng.within(1, 3) {
            run += &self.statement(&Place::method(3, None));
        }
        for method in self.methods.clone() {
            let arguments = self.arguments(&method.params, 1);
            run += &self.write(&format!("{}({arguments})", method.name), method.result);
        }
        run += &objects.concat();
        for var in statics {
            run += &self.write(&var.name, var.ty);
        }
        self.vars.clear();
        self.methods.clear();
        write!(text, "public static void Run() {{\n{run}}}\n").unwrap();
        text
    }

    /// Statements over the declared variables that have marks and write nothing.
    pub fn body_of_task(&mut self) -> String {
        (self.effects, self.language.writes, self.language.floats) = (true, false, self.rng.chance(15));
        self.budget = self.rng.within(0, 5) as usize;
        self.language.marks = Some(0);
        let mut text = self.mark();
        for _ in 0..self.rng.within(1, 4) {
            text += &self.statement(&Place::method(2, None));
        }
        text + &self.mark()
    }

    /// An assertion or a statement to reach, if there may be another one.
    pub fn mark(&mut self) -> String {
        let Some(number) = self.language.marks.filter(|&number| number < 8) else { return String::new() };
        self.language.marks = Some(number + 1);
        let known = |code: &mut Self| {
            let name = code.variable(Ty::Prim(Prim::Int), |_| true).unwrap_or_else(|| "0".into());
            let (operator, value) = (*code.rng.pick(&["!=", "<", ">=", "!=", "<="]), code.rng.within(0, 12) - 2);
            format!("{name} {operator} {value}")
        };
        let condition = self.without_effects(|code| match code.rng.below(5) {
            0 | 1 => known(code),
            2 => format!("{} || {}", known(code), code.condition(1)),
            3 => format!("!({} && {})", known(code), known(code)),
            _ => code.condition(2),
        });
        match self.rng.below(4) {
            0 => format!("if ({condition}) {{\nLog.Reach({number});\n}}\n"),
            _ => format!("Debug.Assert({condition}, \"{number}\");\n"),
        }
    }

    fn field(&mut self, modifiers: &str) -> String {
        let ty = self.ty();
        let value = self.without_effects(|code| code.expression(ty, 2));
        let name = self.fresh("f");
        self.declare(&name, ty, true, true);
        format!("{modifiers}{} {name} = {value};\n", ty.name())
    }

    fn method(&mut self, modifiers: &str, text: &mut String) -> Method {
        let outer = self.vars.clone();
        let (mut params, mut parameters) = (Vec::new(), Vec::new());
        for _ in 0..self.rng.below(4) {
            let (ty, name) = (self.ty(), self.fresh("p"));
            // A parameter that is passed `in` takes any expression and cannot be captured.
            let by_reference = self.rng.chance(15);
            self.declare(&name, ty, !by_reference, !by_reference);
            parameters.push(format!("{}{} {name}", if by_reference { "in " } else { "" }, ty.name()));
            params.push(ty);
        }
        let (result, name) = (self.ty(), self.fresh("M"));
        let body = self.body(result, 3, "");
        writeln!(text, "{modifiers}{} {name}({}) {{\n{body}}}", result.name(), parameters.join(", ")).unwrap();
        self.vars = outer;
        Method { name, params, result }
    }

    fn body(&mut self, result: Ty, depth: usize, first: &str) -> String {
        let mut body = format!("Log.Step();\n{first}");
        for _ in 0..self.rng.within(2, 4) {
            body += &self.statement(&Place::method(depth, Some(result)));
        }
        let value = self.expression(result, 3);
        writeln!(body, "return {value};").unwrap();
        body
    }

    /// A chain of classes that override or hide each other's methods. Returns statements that use their objects.
    fn hierarchy(&mut self, text: &mut String) -> Vec<String> {
        let outer = (self.vars.clone(), self.methods.clone());
        let root = self.fresh("C");
        let params: Vec<Ty> = (0..self.rng.below(3)).map(|_| self.ty()).collect();
        let (result, name) = (self.ty(), self.fresh("Virtual"));
        let mut classes: Vec<String> = Vec::new();
        let mut visible = outer.0.clone();
        for level in 0..=self.rng.within(1, 2) {
            let class = if level == 0 { root.clone() } else { self.fresh("C") };
            let base = classes.last().map(|parent| format!(" : {parent}")).unwrap_or_default();
            writeln!(text, "class {class}{base} {{").unwrap();
            // Initializers of fields cannot read other fields of the object.
            for _ in 0..self.rng.within(1, 2) {
                self.vars = outer.0.clone();
                *text += &self.field("public ");
                visible.extend(self.vars.pop());
            }
            self.vars = visible.clone();
            if self.rng.chance(40) {
                let arguments = self.literals(&params);
                let mut body = self.write(&format!("{name}({arguments})"), result);
                if self.rng.chance(50) {
                    body = self.block(&Place::method(1, None), 2);
                }
                writeln!(text, "public {class}() {{\n{body}}}").unwrap();
            }
            if level == 0 || self.rng.chance(80) {
                let mut parameters = Vec::new();
                for &param in &params {
                    let parameter = self.fresh("p");
                    self.declare(&parameter, param, true, true);
                    parameters.push(format!("{} {parameter}", param.name()));
                }
                let hides = level > 0 && self.rng.chance(20);
                let first = if level > 0 && self.rng.chance(60) {
                    let call = format!("base.{name}({})", self.arguments(&params, 1));
                    self.write(&call, result)
                } else {
                    String::new()
                };
                let body = self.body(result, 2, &first);
                let modifiers = match level {
                    0 => "public virtual",
                    _ if hides => "public new virtual",
                    _ => "public override",
                };
                writeln!(text, "{modifiers} {} {name}({}) {{\n{body}}}", result.name(), parameters.join(", ")).unwrap();
            }
            *text += "}\n";
            classes.push(class);
        }
        (self.vars, self.methods) = outer;
        let mut uses = Vec::new();
        for class in classes.clone() {
            let object = self.fresh("o");
            let arguments = self.arguments(&params, 1);
            let call = self.write(&format!("{object}.{name}({arguments})"), result);
            let tested = self.rng.pick(&classes).clone();
            uses.push(format!("{root} {object} = new {class}();\n{call}Log.Write({object} is {tested});\n"));
        }
        uses
    }

    fn literals(&mut self, params: &[Ty]) -> String {
        self.with_vars(Vec::new(), |code| code.arguments(params, 1))
    }
}
