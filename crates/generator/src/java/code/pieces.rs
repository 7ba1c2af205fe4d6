//! Generates classes with random code.

use super::{Code, Method, Place, Prim, Ty};
use std::fmt::Write;

impl Code {
    /// The body of a class whose method `run` runs random methods over random fields.
    pub fn piece(&mut self) -> String {
        self.effects = true;
        self.budget = self.rng.within(5, 35) as usize;
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
        let objects =
            if self.language.topics.classes && self.rng.chance(60) { self.hierarchy(&mut text) } else { Vec::new() };
        let mut run = String::new();
        for _ in 0..self.rng.within(1, 3) {
            run += &self.local(2);
        }
        for _ in 0..self.rng.within(1, 3) {
            run += &self.statement(&Place::method(3, None));
        }
        for method in self.methods.clone() {
            let arguments = self.arguments(&method.params, 1);
            run += &self.print(&format!("{}({arguments})", method.name), method.result);
        }
        for object in objects {
            run += &object;
        }
        for var in statics {
            run += &self.print(&var.name, var.ty);
        }
        self.vars.clear();
        self.methods.clear();
        write!(text, "static void run() {{\n{run}}}\n").unwrap();
        text
    }

    /// One random method from `int`s to an `int`, without side effects.
    pub fn function(&mut self, name: &str, params: usize) -> String {
        self.effects = true;
        self.budget = self.rng.within(2, 8) as usize;
        let mut text = format!("static int {name}(");
        for index in 0..params {
            let parameter = self.fresh("p");
            self.declare(&parameter, Ty::Prim(Prim::Int), true, false);
            text += &format!("{}int {parameter}", if index == 0 { "" } else { ", " });
        }
        let mut body = String::new();
        for _ in 0..self.rng.within(2, 4) {
            body += &self.statement(&Place::method(2, Some(Ty::Prim(Prim::Int))));
        }
        let body: Vec<&str> = body.lines().filter(|line| !line.starts_with("System.out.")).collect();
        write!(text, ") {{\n{}\nreturn {};\n}}\n", body.join("\n"), self.int(3)).unwrap();
        self.vars.clear();
        text
    }

    fn field(&mut self, modifiers: &str) -> String {
        let ty = self.ty();
        let value = self.expression(ty, 2);
        let name = self.fresh("f");
        self.declare(&name, ty, true, true);
        let volatile = if self.rng.chance(5) { "volatile " } else { "" };
        format!("{modifiers}{volatile}{} {name} = {value};\n", ty.name())
    }

    fn parameters(&mut self) -> (Vec<Ty>, String) {
        let mut types = Vec::new();
        let mut text = Vec::new();
        for _ in 0..self.rng.below(4) {
            let (ty, name) = (self.ty(), self.fresh("p"));
            self.declare(&name, ty, true, false);
            text.push(format!("{} {name}", ty.name()));
            types.push(ty);
        }
        (types, text.join(", "))
    }

    fn method(&mut self, modifiers: &str, text: &mut String) -> Method {
        let outer = self.vars.clone();
        let (params, parameters) = self.parameters();
        let (result, name) = (self.ty(), self.fresh("m"));
        let body = self.body(result, 3, "");
        writeln!(text, "{modifiers}{} {name}({parameters}) {{\n{body}}}", result.name()).unwrap();
        self.vars = outer;
        Method { name, params, result }
    }

    fn body(&mut self, result: Ty, depth: usize, first: &str) -> String {
        let mut body = String::new();
        if let Some(helpers) = &self.language.helpers {
            writeln!(body, "{helpers}.step();").unwrap();
        }
        body += first;
        for _ in 0..self.rng.within(2, 4) {
            body += &self.statement(&Place::method(depth, Some(result)));
        }
        let value = self.expression(result, 3);
        writeln!(body, "return {value};").unwrap();
        body
    }

    /// A chain of classes that override each other's methods. Returns statements that use their objects.
    fn hierarchy(&mut self, text: &mut String) -> Vec<String> {
        let outer = (self.vars.clone(), self.methods.clone());
        let root = self.fresh("C");
        let (params, result, name) = (self.params_only(), self.ty(), self.fresh("virtual"));
        let mut classes: Vec<String> = Vec::new();
        let mut visible = outer.0.clone();
        for level in 0..=self.rng.within(1, 2) {
            let class = if level == 0 { root.clone() } else { self.fresh("C") };
            self.vars = visible.clone();
            let extends = classes.last().map(|parent| format!(" extends {parent}")).unwrap_or_default();
            writeln!(text, "static class {class}{extends} {{").unwrap();
            for _ in 0..self.rng.within(1, 2) {
                *text += &self.field(self.visibility());
            }
            visible = self.vars.clone();
            // The constructor of the root calls a method of a class whose fields are not initialised yet.
            let call = |code: &mut Self| format!("{name}({})", code.literals(&params));
            if self.rng.chance(40) {
                let mut body = if level > 0 && self.rng.chance(50) { "super();\n".into() } else { String::new() };
                let call = call(self);
                body += &if self.rng.chance(50) {
                    self.print(&call, result)
                } else {
                    self.block(&Place::method(1, None), 2)
                };
                writeln!(text, "{class}() {{\n{body}}}").unwrap();
            }
            if self.rng.chance(25) {
                writeln!(text, "{{\n{}}}", self.block(&Place::method(1, None), 2)).unwrap();
            }
            if level == 0 || self.rng.chance(70) {
                let mut names = Vec::new();
                for &param in &params {
                    let parameter = self.fresh("p");
                    self.declare(&parameter, param, true, false);
                    names.push(format!("{} {parameter}", param.name()));
                }
                let parent = if level > 0 && self.rng.chance(60) {
                    let call = format!("super.{name}({})", self.arguments(&params, 1));
                    self.print(&call, result)
                } else {
                    String::new()
                };
                let body = self.body(result, 2, &parent);
                let annotation = if level > 0 { "@Override\n" } else { "" };
                writeln!(text, "{annotation}{} {name}({}) {{\n{body}}}", result.name(), names.join(", ")).unwrap();
            }
            self.vars = visible.clone();
            if self.rng.chance(30) {
                self.method("", text);
            }
            *text += "}\n";
            classes.push(class);
        }
        (self.vars, self.methods) = outer;
        let mut uses = Vec::new();
        for class in &classes {
            let object = self.fresh("o");
            let arguments = self.arguments(&params, 1);
            let call = self.print(&format!("{object}.{name}({arguments})"), result);
            uses.push(format!(
                "{root} {object} = new {class}();\n{call}System.out.println({object} instanceof {});\n",
                self.rng.pick(&classes)
            ));
        }
        uses
    }

    fn visibility(&self) -> &'static str {
        ["", "protected ", "public "][self.names as usize % 3]
    }

    fn params_only(&mut self) -> Vec<Ty> {
        (0..self.rng.below(3)).map(|_| self.ty()).collect()
    }

    fn literals(&mut self, types: &[Ty]) -> String {
        self.with_vars(Vec::new(), |code| code.arguments(types, 0))
    }
}
