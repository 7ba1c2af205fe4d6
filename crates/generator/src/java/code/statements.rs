//! Generates statements.

use super::{Code, Place, Prim, Ty};
use std::fmt::Write;

impl Code {
    /// A declaration of a local variable, which stays in scope.
    pub fn local(&mut self, depth: usize) -> String {
        let ty = self.ty();
        let value = self.expression(ty, depth);
        let constant = self.rng.chance(25);
        let name = self.fresh("v");
        let text = if constant {
            format!("final {} {name} = {value};\n", ty.name())
        } else if self.rng.chance(90) {
            format!("{} {name} = {value};\n", ty.name())
        } else {
            // Both branches assign the variable.
            let (condition, other) = (self.condition(1), self.expression(ty, 0));
            format!(
                "{} {name};\nif ({condition}) {{\n{name} = {value};\n}} else {{\n{name} = {other};\n}}\n",
                ty.name()
            )
        };
        self.declare(&name, ty, !constant, constant);
        text
    }

    /// A statement that prints an expression of the type.
    pub fn print(&mut self, expression: &str, ty: Ty) -> String {
        let shown = match ty {
            Ty::Prim(Prim::Char) if self.language.helpers.is_none() || self.rng.chance(80) => {
                format!("(int) {expression}")
            }
            Ty::Prim(Prim::Char) | Ty::Text | Ty::Boxed(Prim::Char) => match &self.language.helpers {
                Some(helpers) if self.language.topics.strings => format!("{helpers}.show(\"\" + {expression})"),
                _ if ty == Ty::Text => format!("{expression}.length()"),
                _ => format!("(int) {expression}"),
            },
            Ty::Prim(prim @ (Prim::Float | Prim::Double)) | Ty::Boxed(prim @ (Prim::Float | Prim::Double)) => {
                match (prim, self.language.topics.decimals && self.rng.chance(60)) {
                    (_, true) => expression.into(),
                    (Prim::Float, false) => format!("Float.floatToIntBits({expression})"),
                    (_, false) => format!("Double.doubleToLongBits({expression})"),
                }
            }
            Ty::Array(element) => {
                let decimals = self.language.topics.decimals || !element.is_floating();
                if self.language.topics.arrays && decimals && element != Prim::Char {
                    format!("java.util.Arrays.toString({expression})")
                } else {
                    format!("java.util.Arrays.hashCode({expression})")
                }
            }
            Ty::Prim(_) | Ty::Boxed(_) => expression.into(),
        };
        if self.language.topics.strings && self.rng.chance(30) {
            let name = self.fresh("#");
            return format!("System.out.println(\"{name} \" + ({shown}));\n");
        }
        format!("System.out.println({shown});\n")
    }

    fn step(&self) -> String {
        self.language.helpers.as_ref().map(|helpers| format!("{helpers}.step();\n")).unwrap_or_default()
    }

    pub fn statement(&mut self, place: &Place) -> String {
        if place.depth == 0 || self.budget == 0 {
            return self.simple(place);
        }
        self.budget -= 1;
        let inside = place.inside();
        match self.rng.below(30) {
            0..4 => {
                let mut text = format!("if ({}) {{\n{}}}", self.condition(2), self.block(&inside, 3));
                if self.rng.chance(50) {
                    write!(text, " else {{\n{}}}", self.block(&inside, 3)).unwrap();
                }
                text + "\n"
            }
            4..8 if self.language.topics.control => self.counted_loop(place),
            8 if self.language.topics.control => {
                let counter = self.fresh("i");
                let bound = self.rng.within(1, 4);
                let condition = self.condition(1);
                self.declare(&counter, Ty::Prim(Prim::Int), false, false);
                let body = self.block(&place.in_loop(None), 3);
                self.vars.retain(|var| var.name != counter);
                let step = self.step();
                format!(
                    "{{\nint {counter} = 0;\ndo {{\n{step}{body}}} while (++{counter} < {bound} && {condition});\n}}\n"
                )
            }
            9 if self.language.topics.control && self.language.topics.arrays => {
                let prim = self.any_prim();
                let array = self.array(prim, 1);
                let element = self.fresh("e");
                self.declare(&element, Ty::Prim(prim), false, true);
                let body = self.block(&place.in_loop(None), 3);
                self.vars.retain(|var| var.name != element);
                format!("for ({} {element} : {array}) {{\n{}{body}}}\n", prim.name(), self.step())
            }
            10 | 11 if self.language.topics.switches => self.switch(place),
            12..15 if self.language.topics.exceptions => self.try_catch(place),
            15 if self.language.topics.exceptions && self.language.helpers.is_some() => {
                let helpers = self.language.helpers.clone().unwrap_or_default();
                format!("synchronized ({helpers}.LOCK) {{\n{}}}\n", self.block(&inside, 3))
            }
            16 if self.language.topics.lambdas => self.lambda(place),
            _ => self.simple(place),
        }
    }

    fn simple(&mut self, place: &Place) -> String {
        match self.rng.below(20) {
            0..5 => self.local(3),
            5..8 => {
                let ty = self.ty();
                let value = match self.variable(ty, |_| true) {
                    Some(name) => name,
                    None => self.expression(ty, 2),
                };
                self.print(&value, ty)
            }
            8 | 9 => {
                let ty = self.ty();
                let value = self.expression(ty, 3);
                self.print(&value, ty)
            }
            10 if place.breaks && self.rng.chance(60) => format!("if ({}) {{\nbreak;\n}}\n", self.condition(2)),
            11 if place.continues && self.rng.chance(60) => format!("if ({}) {{\ncontinue;\n}}\n", self.condition(2)),
            10 | 11 if !place.labels.is_empty() => {
                let label = self.rng.pick(&place.labels).clone();
                let jump = *self.rng.pick(&["break", "continue"]);
                format!("if ({}) {{\n{jump} {label};\n}}\n", self.condition(2))
            }
            12 => match place.result {
                Some(ty) if self.rng.chance(50) => {
                    format!("if ({}) {{\nreturn {};\n}}\n", self.condition(2), self.expression(ty, 2))
                }
                _ => self.local(2),
            },
            13 if self.language.topics.exceptions && self.rng.chance(40) => {
                let (exception, message) = (self.exception(), self.message());
                format!("if ({}) {{\nthrow new {exception}({message});\n}}\n", self.condition(2))
            }
            _ => {
                for _ in 0..4 {
                    let ty = self.ty();
                    if let Some(text) = self.assignment(ty, 3) {
                        return text + ";\n";
                    }
                }
                self.local(2)
            }
        }
    }

    fn message(&mut self) -> String {
        if self.language.topics.strings { self.text(1) } else { format!("\"{}\"", self.ascii_word()) }
    }

    fn ascii_word(&mut self) -> &'static str {
        self.rng.pick::<&str>(&["one", "two", "three", "four"])
    }

    fn exception(&mut self) -> &'static str {
        self.rng.pick::<&str>(&[
            "IllegalStateException",
            "IllegalArgumentException",
            "ArithmeticException",
            "UnsupportedOperationException",
            "RuntimeException",
            "IndexOutOfBoundsException",
        ])
    }

    fn counted_loop(&mut self, place: &Place) -> String {
        let counter = self.fresh("i");
        let label = if self.rng.chance(40) { Some(self.fresh("loop")) } else { None };
        let (bound, step) = (self.rng.within(1, 5), self.step());
        let condition = if self.rng.chance(25) { format!(" && {}", self.condition(1)) } else { String::new() };
        self.declare(&counter, Ty::Prim(Prim::Int), false, false);
        let body = self.block(&place.in_loop(label.as_deref()), 4);
        self.vars.retain(|var| var.name != counter);
        let label = label.map(|label| format!("{label}:\n")).unwrap_or_default();
        match self.rng.below(4) {
            0 => format!(
                "{{\nint {counter} = {bound};\n{label}while (--{counter} >= 0{condition}) {{\n{step}{body}}}\n}}\n"
            ),
            1 => format!(
                "{label}for (int {counter} = {bound}; {counter} > 0{condition}; {counter}--) {{\n{step}{body}}}\n"
            ),
            2 => format!(
                "{label}for (int {counter} = 0, up{counter} = {bound}; {counter} < up{counter}{condition}; \
                 {counter} += 2, up{counter}++) {{\n{step}{body}}}\n"
            ),
            _ => format!(
                "{label}for (int {counter} = 0; {counter} < {bound}{condition}; {counter}++) {{\n{step}{body}}}\n"
            ),
        }
    }

    fn switch(&mut self, place: &Place) -> String {
        let (selector, labels) = self.selector(2);
        let arrows = self.rng.chance(30);
        let inside = Place { breaks: true, ..place.inside() };
        let mut cases = Vec::new();
        for label in labels.into_iter().take(1 + self.rng.below(5)) {
            // A variable of one group is in scope in the next one, but not assigned there; so groups are blocks.
            let body = self.block(&inside, 2);
            cases.push(if arrows {
                format!("case {label} -> {{\n{body}}}\n")
            } else if self.rng.chance(20) {
                format!("case {label}:\n")
            } else {
                let leave = if self.rng.chance(60) { "break;\n" } else { "" };
                format!("case {label}: {{\n{body}}}\n{leave}")
            });
        }
        if self.rng.chance(60) {
            let body = self.block(&inside, 2);
            let default = if arrows {
                format!("default -> {{\n{body}}}\n")
            } else {
                let leave = if self.rng.chance(60) { "break;\n" } else { "" };
                format!("default: {{\n{body}}}\n{leave}")
            };
            let position = self.rng.below(cases.len() + 1);
            cases.insert(position, default);
        }
        format!("switch ({selector}) {{\n{}}}\n", cases.concat())
    }

    fn try_catch(&mut self, place: &Place) -> String {
        let inside = place.inside();
        let mut text = format!("try {{\n{}}}", self.block(&inside, 4));
        let kinds: &[&str] = match self.rng.below(6) {
            0 => &["ArithmeticException"],
            1 => &["ArithmeticException | ArrayIndexOutOfBoundsException"],
            2 => &["ArithmeticException", "RuntimeException"],
            3 => &["IllegalStateException | IllegalArgumentException", "IndexOutOfBoundsException"],
            4 => &[],
            _ => &["RuntimeException"],
        };
        for kind in kinds {
            let name = self.fresh("caught");
            let report = match &self.language.helpers {
                Some(helpers) => format!("{helpers}.report({name});\n"),
                None => String::new(),
            };
            write!(text, " catch ({kind} {name}) {{\n{report}{}}}", self.block(&inside, 2)).unwrap();
        }
        if kinds.is_empty() || self.rng.chance(40) {
            write!(text, " finally {{\n{}}}", self.block(&inside, 2)).unwrap();
        }
        text + "\n"
    }

    /// A local variable whose value is a lambda with a block body, and a call of it.
    fn lambda(&mut self, place: &Place) -> String {
        let name = self.fresh("f");
        let int = Ty::Prim(Prim::Int);
        let (x, body) = self.in_lambda(int, |code| {
            let body = code.block(&Place::method(place.depth - 1, Some(int)), 3);
            format!("{}{body}return {};\n", code.step(), code.int(2))
        });
        let argument = self.int(2);
        let call = self.print(&format!("{name}.applyAsInt({argument})"), int);
        format!("java.util.function.IntUnaryOperator {name} = {x} -> {{\n{body}}};\n{call}")
    }
}
