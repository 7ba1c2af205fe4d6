//! Generates statements.

use super::{Code, Place, Prim, Ty};
use std::fmt::Write;

impl Code {
    /// A declaration of a local variable, which stays in scope.
    pub fn local(&mut self, depth: usize) -> String {
        let ty = self.ty();
        let value = self.expression(ty, depth);
        let name = self.fresh("v");
        let text = format!("{} {name} = {value};\n", ty.name());
        self.declare(&name, ty, true, true);
        text
    }

    /// A statement that writes an expression of the type.
    pub fn write(&mut self, expression: &str, ty: Ty) -> String {
        if !self.language.writes {
            return String::new();
        }
        match ty {
            Ty::Prim(prim) if prim.is_floating() && self.rng.chance(60) => format!("Log.Bits({expression});\n"),
            _ => format!("Log.Write({expression});\n"),
        }
    }

    fn step(&self) -> &'static str {
        if self.language.writes { "Log.Step();\n" } else { "" }
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
            4..8 => self.counted_loop(place),
            8 => {
                let counter = self.fresh("i");
                let (bound, condition) = (self.rng.within(1, 4), self.condition(1));
                self.declare(&counter, Ty::Prim(Prim::Int), false, true);
                let body = self.block(&place.in_loop(None), 3);
                self.vars.retain(|var| var.name != counter);
                let step = self.step();
                format!(
                    "{{\nint {counter} = 0;\ndo {{\n{step}{body}}} while (++{counter} < {bound} && {condition});\n}}\n"
                )
            }
            9 => {
                let prim = self.any_prim();
                let (array, element) = (self.array(prim, 1), self.fresh("e"));
                self.declare(&element, Ty::Prim(prim), false, true);
                let body = self.block(&place.in_loop(None), 3);
                self.vars.retain(|var| var.name != element);
                format!("foreach ({} {element} in {array}) {{\n{}{body}}}\n", prim.name(), self.step())
            }
            10..13 => self.switch(place),
            13..17 => self.try_catch(place),
            17 => {
                let outer = std::mem::replace(&mut self.language.checked, true);
                let body = self.block(&inside, 3);
                self.language.checked = outer;
                format!("checked {{\n{body}}}\n")
            }
            18 => self.lambda(place),
            19 => self.local_function(place),
            20 => self.by_reference(),
            _ => self.simple(place),
        }
    }

    fn simple(&mut self, place: &Place) -> String {
        match self.rng.below(20) {
            0..5 => self.local(3),
            5..8 if self.language.writes => {
                let ty = self.ty();
                let value = match self.variable(ty, |_| true) {
                    Some(name) => name,
                    None => self.expression(ty, 2),
                };
                self.write(&value, ty)
            }
            8 | 9 if self.language.writes => {
                let ty = self.ty();
                let value = self.expression(ty, 3);
                self.write(&value, ty)
            }
            10 if place.breaks && self.rng.chance(60) => format!("if ({}) {{\nbreak;\n}}\n", self.condition(2)),
            11 if place.continues && self.rng.chance(60) => format!("if ({}) {{\ncontinue;\n}}\n", self.condition(2)),
            10 | 11 if let Some(label) = place.labels.last() => {
                format!("if ({}) {{\ngoto {label};\n}}\n", self.condition(2))
            }
            12 => match place.result {
                Some(ty) if self.rng.chance(50) => {
                    format!("if ({}) {{\nreturn {};\n}}\n", self.condition(2), self.expression(ty, 2))
                }
                _ => self.local(2),
            },
            8 | 9 | 14 if self.language.marks.is_some() => self.mark(),
            13 if self.rng.chance(40) => {
                let (exception, message) = (self.exception(), self.text_literal());
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

    fn exception(&mut self) -> &'static str {
        self.rng.pick::<&str>(&[
            "InvalidOperationException",
            "ArgumentException",
            "ArithmeticException",
            "NotSupportedException",
            "IndexOutOfRangeException",
            "Exception",
        ])
    }

    fn counted_loop(&mut self, place: &Place) -> String {
        let counter = self.fresh("i");
        let label = (place.depth > 1 && self.rng.chance(30)).then(|| self.fresh("behind"));
        let (bound, step) = (self.rng.within(1, 5), self.step());
        let condition = if self.rng.chance(25) { format!(" && {}", self.condition(1)) } else { String::new() };
        self.declare(&counter, Ty::Prim(Prim::Int), false, true);
        let body = self.block(&place.in_loop(label.as_deref()), 4);
        self.vars.retain(|var| var.name != counter);
        let label = label.map(|label| format!("{label}: ;\n")).unwrap_or_default();
        let text = match self.rng.below(4) {
            0 => format!("{{\nint {counter} = {bound};\nwhile (--{counter} >= 0{condition}) {{\n{step}{body}}}\n}}\n"),
            1 => format!("for (int {counter} = {bound}; {counter} > 0{condition}; {counter}--) {{\n{step}{body}}}\n"),
            2 => format!(
                "for (int {counter} = 0, up{counter} = {bound}; {counter} < up{counter}{condition}; \
                 {counter} += 2, up{counter}++) {{\n{step}{body}}}\n"
            ),
            _ => format!("for (int {counter} = 0; {counter} < {bound}{condition}; {counter}++) {{\n{step}{body}}}\n"),
        };
        text + &label
    }

    fn switch(&mut self, place: &Place) -> String {
        let (selector, labels) = self.selector(2);
        let inside = Place { breaks: true, ..place.inside() };
        let mut cases = Vec::new();
        for label in &labels {
            if self.rng.chance(15) {
                cases.push(format!("case {label}:\n"));
                continue;
            }
            let guard = if self.rng.chance(15) { format!(" when {}", self.condition(1)) } else { String::new() };
            let body = self.block(&inside, 2);
            // Only constants can be targets, and a later case ends the jumps.
            cases.push(format!("case {label}{guard}: {{\n{body}}}\nbreak;\n"));
        }
        let body = self.block(&inside, 2);
        match self.rng.below(5) {
            0..3 => cases.push(format!("default: {{\n{body}}}\nbreak;\n")),
            3 => cases.push(format!("case var _ when {}:\n{{\n{body}}}\nbreak;\n", self.condition(1))),
            _ => cases.push("default:\nbreak;\n".into()),
        }
        format!("switch ({selector}) {{\n{}}}\n", cases.concat())
    }

    fn try_catch(&mut self, place: &Place) -> String {
        let inside = place.inside();
        let mut text = format!("try {{\n{}}}", self.block(&inside, 4));
        let kinds: &[&str] = match self.rng.below(6) {
            0 => &["DivideByZeroException"],
            1 => &["ArithmeticException", "IndexOutOfRangeException"],
            2 => &["OverflowException", "Exception"],
            3 => &["InvalidOperationException", "ArgumentException"],
            4 => &[],
            _ => &["Exception"],
        };
        for kind in kinds {
            let name = self.fresh("caught");
            let report = if self.language.writes { format!("Log.Report({name});\n") } else { String::new() };
            let filter = if self.rng.chance(25) { format!(" when ({})", self.filter()) } else { String::new() };
            let again = if self.rng.chance(10) {
                format!("if ({}) {{\nthrow;\n}}\n", self.condition(1))
            } else {
                String::new()
            };
            let body = self.block(&inside, 2);
            write!(text, " catch ({kind} {name}){filter} {{\n{report}{body}{again}}}").unwrap();
        }
        if kinds.is_empty() || self.rng.chance(40) {
            // No jump leaves a `finally` block.
            let inside = Place::method(place.depth - 1, None);
            write!(text, " finally {{\n{}}}", self.block(&inside, 2)).unwrap();
        }
        text + "\n"
    }

    /// A condition that depends on nothing that an inner `finally` block writes.
    fn filter(&mut self) -> String {
        let constants = self.vars.iter().filter(|var| !var.writable).cloned().collect();
        self.with_vars(constants, |code| code.without_effects(|code| code.condition(1)))
    }

    /// A local variable whose value is a lambda with a block body, and calls of it.
    fn lambda(&mut self, place: &Place) -> String {
        let name = self.fresh("f");
        let (parameter, result) = (self.ty(), self.ty());
        let (x, body) = self.in_lambda(parameter, |code| {
            let body = code.block(&Place::method(place.depth - 1, Some(result)), 3);
            format!("{}{body}return {};\n", code.step(), code.expression(result, 2))
        });
        let types = format!("{}, {}", parameter.name(), result.name());
        let argument = self.expression(parameter, 2);
        let call = self.write(&format!("{name}({argument})"), result);
        format!("Func<{types}> {name} = {x} => {{\n{body}}};\n{call}")
    }

    /// A local function that may read and write the variables around it.
    fn local_function(&mut self, place: &Place) -> String {
        let name = self.fresh("Local");
        let (parameter, result) = (self.ty(), self.ty());
        let (x, body) = self.in_lambda(parameter, |code| {
            let body = code.block(&Place::method(place.depth - 1, Some(result)), 3);
            format!("{}{body}return {};\n", code.step(), code.expression(result, 2))
        });
        let argument = self.expression(parameter, 2);
        let call = self.write(&format!("{name}({argument})"), result);
        format!("{} {name}({} {x}) {{\n{body}}}\n{call}", result.name(), parameter.name())
    }

    /// A local reference to a variable, and an assignment through it.
    fn by_reference(&mut self) -> String {
        let ty = self.ty();
        let Some(target) = self.variable(ty, |var| var.writable && var.capturable) else { return self.local(2) };
        let (name, value) = (self.fresh("r"), self.expression(ty, 2));
        let write = self.write(&target, ty);
        format!("ref {} {name} = ref {target};\n{name} = {value};\n{write}", ty.name())
    }
}
