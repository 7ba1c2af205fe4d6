//! Generates random interfaces and classes in several packages, and code that calls them through their supertypes.
//!
//! The generator follows some rules of Java, so that most hierarchies compile: inheritance of members (JLS 8.4.8),
//! access in overriding (8.4.8.3), and resolution of conflicting defaults (8.4.8.4, 9.4.1.3). `javac` rejects the
//! rest.

use super::Claim;
use crate::java::code::Code;
use std::fmt::Write;

/// Features of a hierarchy beyond interfaces, classes and calls.
#[derive(Clone, Copy, Default)]
pub(super) struct Features {
    /// Several packages, and all kinds of access.
    pub packages: bool,
    /// Private methods, including those of interfaces.
    pub private: bool,
    /// Objects held by static fields.
    pub singletons: bool,
    /// An enum that implements interfaces.
    pub enums: bool,
    /// Lambda expressions, method references and anonymous classes.
    pub lambdas: bool,
    /// Methods that change static fields.
    pub statics: bool,
    /// Objects as parameters of the entry point.
    pub inputs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Private,
    Package,
    Protected,
    Public,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Interface,
    Abstract,
    Concrete,
    Enum,
}

#[derive(Clone, Copy)]
struct Declared {
    access: Access,
    is_abstract: bool,
}

struct Type {
    name: String,
    package: usize,
    kind: Kind,
    parent: Option<usize>,
    interfaces: Vec<usize>,
    methods: [Option<Declared>; 3],
}

/// Names and parameters of methods. A method only calls later ones, so that there is no recursion.
const METHODS: [(&str, &str); 3] = [("a", ""), ("b", "int x"), ("c", "")];

struct Hierarchy<'a> {
    code: &'a mut Code,
    features: Features,
    root: &'a str,
    types: Vec<Type>,
    /// Members of the class with the claim.
    members: String,
}

/// A hierarchy and a claim about the behaviour of its objects.
pub(super) fn claim(code: &mut Code, features: Features, root: &str) -> Claim {
    let mut hierarchy = Hierarchy { code, features, root, types: Vec::new(), members: String::new() };
    hierarchy.make_types();
    let (params, body) = hierarchy.body();
    let mut files: Vec<_> = (0..hierarchy.types.len()).map(|index| hierarchy.file(index)).collect();
    if features.statics {
        let text = format!(
            "package {root};\npublic class State {{\npublic static int n;\n\
             public static void mutate(int by) {{\nn += by;\n}}\n}}\n"
        );
        files.push((format!("{root}/State"), text));
    }
    Claim { files, members: hierarchy.members + &body, params, ..Claim::default() }
}

impl Hierarchy<'_> {
    fn package(&self, index: usize) -> String {
        match index {
            0 => self.root.to_owned(),
            1 => format!("{}.p", self.root),
            _ => format!("{}.q", self.root),
        }
    }

    fn qualified(&self, index: usize) -> String {
        format!("{}.{}", self.package(self.types[index].package), self.types[index].name)
    }

    fn make_types(&mut self) {
        let private = i64::from(self.features.private);
        let interfaces = self.code.rng.within(1 + private, 2 + private) as usize;
        let packages = i64::from(self.features.packages);
        let classes = self.code.rng.within(1 + packages, 4 + packages) as usize;
        for index in 0..interfaces {
            self.make(Kind::Interface, format!("I{index}"));
        }
        for index in 0..classes {
            let is_abstract = index + 1 < classes && self.code.rng.chance(30);
            self.make(if is_abstract { Kind::Abstract } else { Kind::Concrete }, format!("C{index}"));
        }
        if self.features.enums {
            self.make(Kind::Enum, "E".into());
        }
    }

    fn make(&mut self, kind: Kind, name: String) {
        let package = if self.features.packages { self.code.rng.below(3) } else { 0 };
        let of = |types: &[Type], wanted: fn(Kind) -> bool| -> Vec<usize> {
            (0..types.len()).filter(|&index| wanted(types[index].kind)).collect()
        };
        let interfaces = of(&self.types, |kind| kind == Kind::Interface);
        let parents = of(&self.types, |kind| matches!(kind, Kind::Abstract | Kind::Concrete));
        let extends = !parents.is_empty()
            && matches!(kind, Kind::Abstract | Kind::Concrete)
            && self.code.rng.chance(if self.features.packages { 80 } else { 60 });
        let parent = if extends { Some(*self.code.rng.pick(&parents)) } else { None };
        let often = match kind {
            Kind::Interface => 30,
            // The methods that an interface declares must be public.
            _ if self.features.packages => 25,
            _ => 60 + 20 * usize::from(self.features.private),
        };
        let mut some: Vec<usize> = interfaces.iter().copied().filter(|_| self.code.rng.chance(often)).collect();
        if some.is_empty() && parent.is_none() && kind != Kind::Interface && !self.features.packages {
            some.push(*self.code.rng.pick(&interfaces));
        }
        self.code.rng.shuffle(&mut some);
        self.types.push(Type { name, package, kind, parent, interfaces: some, methods: [None; 3] });
        let index = self.types.len() - 1;
        for method in 0..METHODS.len() {
            self.types[index].methods[method] = if kind == Kind::Interface {
                self.interface_method(index, method)
            } else {
                self.class_method(index, method)
            };
        }
    }

    fn interface_method(&mut self, index: usize, method: usize) -> Option<Declared> {
        let inherited = self.interfaces_with(index, method);
        let conflict = inherited.len() > 1 && !inherited.iter().all(|&of| self.is_abstract(of, method));
        if !conflict && !self.code.rng.chance(55) {
            return None;
        }
        let private = self.features.private && inherited.is_empty() && self.code.rng.chance(35);
        let access = if private { Access::Private } else { Access::Public };
        let rarely = if self.features.private { 25 } else { 60 };
        Some(Declared { access, is_abstract: !private && self.code.rng.chance(rarely) })
    }

    fn class_method(&mut self, index: usize, method: usize) -> Option<Declared> {
        let Type { kind, package, .. } = self.types[index];
        let inherited = self.inherited(index, method);
        let interfaces = self.interfaces_with(index, method);
        let mut least = inherited.map(|of| self.declared(of, method).access);
        if self.ancestors(index).any(|of| {
            let declared = self.types[of].methods[method];
            self.types[of].package == package && declared.is_some_and(|declared| declared.access == Access::Package)
        }) {
            least = least.max(Some(Access::Package));
        }
        if !interfaces.is_empty() {
            least = Some(Access::Public);
        }
        let undecided = match inherited {
            Some(of) => self.is_abstract(of, method) && kind != Kind::Abstract,
            None => {
                let is_abstract = interfaces.iter().any(|&of| self.is_abstract(of, method));
                is_abstract && kind != Kind::Abstract
                    || interfaces.len() > 1 && !interfaces.iter().all(|&of| self.is_abstract(of, method))
            }
        };
        let hidden =
            !interfaces.is_empty() && inherited.is_some_and(|of| self.declared(of, method).access < Access::Public);
        let often = match (self.features.packages, self.features.private) {
            (true, _) => 60,
            (false, true) => 25,
            (false, false) => 45,
        };
        if !undecided && !hidden && !self.code.rng.chance(often) {
            return None;
        }
        let mut choices = vec![Access::Public];
        if self.features.packages {
            choices.extend([Access::Package, Access::Package, Access::Package, Access::Protected]);
        }
        if self.features.private {
            choices.extend([Access::Private; 2]);
        }
        choices.retain(|&access| Some(access) >= least && (access > Access::Private || least.is_none()));
        let access = if choices.is_empty() { Access::Public } else { *self.code.rng.pick(&choices) };
        let is_abstract = kind == Kind::Abstract && access >= Access::Protected && self.code.rng.chance(40);
        Some(Declared { access, is_abstract })
    }

    fn declared(&self, index: usize, method: usize) -> Declared {
        self.types[index].methods[method].expect("the type declares the method")
    }

    fn is_abstract(&self, index: usize, method: usize) -> bool {
        self.declared(index, method).is_abstract
    }

    /// The superclasses of a class, from the nearest to the farthest.
    fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.types[index].parent, |&of| self.types[of].parent)
    }

    /// The class from which a class inherits a method.
    fn inherited(&self, index: usize, method: usize) -> Option<usize> {
        let parent = self.types[index].parent?;
        let of = match self.types[parent].methods[method] {
            Some(_) => parent,
            None => self.inherited(parent, method)?,
        };
        let inherits = match self.declared(of, method).access {
            Access::Private => false,
            Access::Package => self.types[of].package == self.types[index].package,
            Access::Protected | Access::Public => true,
        };
        inherits.then_some(of)
    }

    /// All superinterfaces of a type, including those of its superclasses.
    fn superinterfaces(&self, index: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut pending: Vec<usize> = self.types[index].interfaces.clone();
        pending.extend(self.ancestors(index).flat_map(|of| self.types[of].interfaces.iter().copied()));
        while let Some(next) = pending.pop() {
            if !all.contains(&next) {
                all.push(next);
                pending.extend(&self.types[next].interfaces);
            }
        }
        all
    }

    /// The interfaces from which a type inherits a method, except those whose method is overridden by another one.
    fn interfaces_with(&self, index: usize, method: usize) -> Vec<usize> {
        let mut all = self.superinterfaces(index);
        all.retain(|&of| self.types[of].methods[method].is_some_and(|declared| declared.access == Access::Public));
        let overridden = |of: usize| all.iter().any(|&other| self.superinterfaces(other).contains(&of));
        all.iter().copied().filter(|&of| !overridden(of)).collect()
    }

    /// Whether `this.m()` is valid in the type.
    fn has(&self, index: usize, method: usize) -> bool {
        self.types[index].methods[method].is_some()
            || self.inherited(index, method).is_some()
            || !self.interfaces_with(index, method).is_empty()
    }

    /// Whether all code can call the method on the type.
    fn is_public(&self, index: usize, method: usize) -> bool {
        match self.types[index].methods[method]
            .map(|declared| declared.access)
            .or_else(|| self.inherited(index, method).map(|of| self.declared(of, method).access))
        {
            Some(access) => access == Access::Public,
            None => !self.interfaces_with(index, method).is_empty(),
        }
    }

    fn is_subtype(&self, index: usize, of: usize) -> bool {
        index == of || self.ancestors(index).any(|ancestor| ancestor == of) || self.superinterfaces(index).contains(&of)
    }

    /// The methods that an implementation of the interface must have.
    fn abstract_methods(&self, index: usize) -> Vec<usize> {
        let is_abstract = |method: &usize| match self.types[index].methods[*method] {
            Some(declared) => declared.is_abstract,
            None => self.interfaces_with(index, *method).iter().any(|&of| self.is_abstract(of, *method)),
        };
        (0..METHODS.len()).filter(is_abstract).collect()
    }

    /// The statements of a method of a type. `None` means an anonymous class.
    fn code_of(&mut self, index: Option<usize>, method: usize) -> String {
        let mut value = match index {
            Some(index) if self.types[index].kind != Kind::Interface && self.code.rng.chance(60) => "this.v".to_owned(),
            _ => self.code.rng.within(0, 5).to_string(),
        };
        if method == 1 {
            value += *self.code.rng.pick(&["", " + x", " * x", " - x"]);
        }
        if let Some(index) = index {
            for later in method + 1..METHODS.len() {
                if self.has(index, later) && self.code.rng.chance(25) {
                    let argument = if later == 1 { self.code.rng.within(0, 3).to_string() } else { String::new() };
                    write!(value, " + {}({argument})", signature(later).0).expect("strings take all text");
                }
            }
            let parent = self.types[index]
                .parent
                .filter(|_| self.inherited(index, method).is_some_and(|of| !self.is_abstract(of, method)));
            if parent.is_some() && self.code.rng.chance(30) {
                let argument = if method == 1 { "x" } else { "" };
                write!(value, " + super.{}({argument})", signature(method).0).expect("strings take all text");
            }
        }
        let state = format!("{}.State.n", self.root);
        match self.code.rng.below(8) {
            0 if self.features.statics => format!("{state}++;\nreturn {value};\n"),
            1 | 2 if self.features.statics => format!("return {value} + {state};\n"),
            3 => format!(
                "int y = {value};\nif (y > {}) y = {};\nreturn y;\n",
                self.code.rng.within(0, 9),
                self.code.rng.within(0, 3)
            ),
            _ => format!("return {value};\n"),
        }
    }

    fn file(&mut self, index: usize) -> (String, String) {
        let Type { kind, package, parent, .. } = self.types[index];
        let name = self.types[index].name.clone();
        let mut text = format!("package {};\n", self.package(package));
        let keyword = match kind {
            Kind::Interface => "interface",
            Kind::Abstract => "abstract class",
            Kind::Concrete => "class",
            Kind::Enum => "enum",
        };
        write!(text, "public {keyword} {name}").expect("strings take all text");
        if let Some(parent) = parent {
            write!(text, " extends {}", self.qualified(parent)).expect("strings take all text");
        }
        let interfaces: Vec<String> = self.types[index].interfaces.iter().map(|&of| self.qualified(of)).collect();
        if !interfaces.is_empty() {
            let word = if kind == Kind::Interface { "extends" } else { "implements" };
            write!(text, " {word} {}", interfaces.join(", ")).expect("strings take all text");
        }
        text += " {\n";
        match kind {
            Kind::Enum => {
                let body = match (0..METHODS.len()).find(|&method| self.is_public(index, method)) {
                    Some(method) if self.code.rng.chance(50) => self.own_method(method),
                    _ => String::new(),
                };
                let body = if body.is_empty() { body } else { format!(" {{\n{body}}}") };
                writeln!(text, "K(1), L(2){body};\nprivate final int v;\nE(int v) {{\nthis.v = v;\n}}")
                    .expect("strings take all text");
            }
            Kind::Interface => {}
            Kind::Abstract | Kind::Concrete => {
                let start = self.code.rng.within(0, 7);
                writeln!(
                    text,
                    "private int v = {start};\npublic {name}() {{\n}}\npublic {name}(int v) {{\nthis.v = v;\n}}"
                )
                .expect("strings take all text");
                if self.features.singletons && kind == Kind::Concrete {
                    writeln!(text, "public static final {name} ONE = new {name}({});", self.code.rng.within(0, 3))
                        .expect("strings take all text");
                }
            }
        }
        for method in 0..METHODS.len() {
            if let Some(Declared { access, is_abstract }) = self.types[index].methods[method] {
                let mut modifiers = match access {
                    Access::Private => "private ",
                    Access::Package => "",
                    Access::Protected => "protected ",
                    Access::Public => "public ",
                }
                .to_owned();
                if kind == Kind::Interface && !is_abstract && access == Access::Public {
                    modifiers += "default ";
                }
                if is_abstract && kind != Kind::Interface {
                    modifiers += "abstract ";
                }
                let (method_name, params) = signature(method);
                if is_abstract {
                    writeln!(text, "{modifiers}int {method_name}({params});").expect("strings take all text");
                } else {
                    let body = self.code_of(Some(index), method);
                    writeln!(text, "{modifiers}int {method_name}({params}) {{\n{body}}}")
                        .expect("strings take all text");
                }
            }
            if self.calls_itself(index, method) {
                let modifiers = if kind == Kind::Interface { "default" } else { "public" };
                let call = call(signature(method).0, method, "1");
                writeln!(text, "{modifiers} int via{name}{method}() {{\nreturn {call};\n}}")
                    .expect("strings take all text");
            }
        }
        text += "}\n";
        (format!("{}/{name}", self.package(package).replace('.', "/")), text)
    }

    /// Whether a type gets a public method that calls a method which other types may be unable to call.
    fn calls_itself(&self, index: usize, method: usize) -> bool {
        (self.features.packages || self.features.private) && self.has(index, method)
    }

    /// A public method of an anonymous class.
    fn own_method(&mut self, method: usize) -> String {
        let (name, params) = signature(method);
        format!("public int {name}({params}) {{\n{}}}\n", self.code_of(None, method))
    }

    /// A new object of a type, or of one of its subtypes.
    fn object(&mut self, of: usize) -> Option<String> {
        let mut choices: Vec<String> = Vec::new();
        for index in 0..self.types.len() {
            if !self.is_subtype(index, of) {
                continue;
            }
            let name = self.qualified(index);
            match self.types[index].kind {
                Kind::Concrete => {
                    let v = self.code.rng.within(0, 7);
                    choices.extend([format!("new {name}({v})"), format!("new {name}()")]);
                    if self.features.singletons {
                        choices.push(format!("{name}.ONE"));
                    }
                }
                Kind::Enum => choices.extend([format!("{name}.K"), format!("{name}.L")]),
                Kind::Interface | Kind::Abstract => {}
            }
        }
        if self.features.lambdas && self.types[of].kind == Kind::Interface {
            let made = self.maker(of);
            choices.extend([made.clone(), made]);
        }
        if choices.is_empty() { None } else { Some(self.code.rng.pick(&choices).clone()) }
    }

    /// Adds a method that returns an object of an anonymous class or a lambda expression that implements the
    /// interface. Returns a call of that method.
    fn maker(&mut self, of: usize) -> String {
        let methods = self.abstract_methods(of);
        let value = match methods[..] {
            [method] if self.code.rng.chance(70) => {
                let (k, params) = (self.code.rng.within(0, 5), if method == 1 { "x" } else { "()" });
                match self.code.rng.below(3) {
                    0 => {
                        let name = self.code.fresh("body");
                        let code = self.code_of(None, method);
                        writeln!(self.members, "static int {name}({}) {{\n{code}}}", signature(method).1)
                            .expect("strings take all text");
                        format!("@CLAIM::{name}")
                    }
                    1 if method == 1 => format!("x -> x + {k}"),
                    _ => format!("{params} -> {k}"),
                }
            }
            _ => {
                let own: String = methods.iter().map(|&method| self.own_method(method)).collect();
                format!("new {}() {{\n{own}}}", self.qualified(of))
            }
        };
        let name = self.code.fresh("make");
        writeln!(self.members, "static {} {name}() {{\nreturn {value};\n}}", self.qualified(of))
            .expect("strings take all text");
        format!("@CLAIM.{name}()")
    }

    /// Calls on an object of a type, as expressions of type `int`.
    fn calls(&self, index: usize, object: &str) -> Vec<String> {
        let name = &self.types[index].name;
        let mut calls = Vec::new();
        for method in 0..METHODS.len() {
            if self.is_public(index, method) {
                calls.push(call(&format!("{object}.{}", signature(method).0), method, "2"));
            }
            if self.calls_itself(index, method) {
                calls.push(format!("{object}.via{name}{method}()"));
            }
        }
        calls
    }

    /// A type with callable methods and with objects.
    fn usable(&mut self) -> usize {
        let with_calls: Vec<usize> =
            (0..self.types.len()).filter(|&index| !self.calls(index, "o").is_empty()).collect();
        // Interfaces are preferred: most calls go through them.
        let supertypes: Vec<usize> =
            with_calls.iter().copied().filter(|&index| self.types[index].kind <= Kind::Abstract).collect();
        match (supertypes.is_empty(), with_calls.is_empty()) {
            (false, _) if self.code.rng.chance(70) => *self.code.rng.pick(&supertypes),
            (_, false) => *self.code.rng.pick(&with_calls),
            _ => 0,
        }
    }

    /// Calls on an object of each class, through each of its supertypes.
    fn sweep(&mut self) -> String {
        let mut text = String::new();
        for class in 0..self.types.len() {
            if self.types[class].kind != Kind::Concrete {
                continue;
            }
            let supertypes: Vec<usize> = (0..self.types.len()).filter(|&of| self.is_subtype(class, of)).collect();
            for of in supertypes {
                let name = self.code.fresh("o");
                let mut calls = self.calls(of, &name);
                if calls.is_empty() {
                    continue;
                }
                self.code.rng.shuffle(&mut calls);
                calls.truncate(3);
                let v = self.code.rng.within(0, 7);
                writeln!(
                    text,
                    "{} {name} = new {}({v});\nr = r * 5 + {};",
                    self.qualified(of),
                    self.qualified(class),
                    calls.join(" + ")
                )
                .expect("strings take all text");
            }
        }
        text
    }

    /// The parameters and the methods of the claim.
    fn body(&mut self) -> (Vec<(String, String)>, String) {
        let mut params: Vec<(String, String)> = Vec::new();
        let mut objects: Vec<(String, usize)> = Vec::new();
        let mut text = String::new();
        if self.features.inputs {
            for name in ["a", "b"].iter().take(self.code.rng.within(1, 2) as usize) {
                let of = self.usable();
                params.push((self.qualified(of), (*name).to_owned()));
                if self.code.rng.chance(90) {
                    writeln!(text, "if ({name} == null) return 0;").expect("strings take all text");
                }
                objects.push(((*name).to_owned(), of));
                if self.features.lambdas && self.types[of].kind == Kind::Interface {
                    self.maker(of);
                }
            }
        }
        let mut before = String::new();
        if objects.is_empty() || self.code.rng.chance(25) {
            for _ in 0..self.code.rng.within(1, 2) {
                let of = self.usable();
                if let Some(value) = self.object(of) {
                    let name = self.code.fresh("o");
                    let other = if self.code.rng.chance(25) { self.object(of) } else { None };
                    let value = match other {
                        Some(other) => format!("@CLAIM.many > {} ? {value} : {other}", self.code.rng.within(0, 1)),
                        None => value,
                    };
                    if value.contains("many") && !self.members.contains("static int many") {
                        self.members += "static int many = 1;\n";
                    }
                    writeln!(before, "{} {name} = {value};", self.qualified(of)).expect("strings take all text");
                    objects.push((name, of));
                }
            }
        }
        text += &before;
        text += "int r = 1;\n";
        for _ in 0..self.code.rng.within(1, 3) {
            let Some((name, of)) = (!objects.is_empty()).then(|| self.code.rng.pick(&objects).clone()) else { break };
            let calls = self.calls(of, &name);
            if calls.is_empty() {
                continue;
            }
            let call = self.code.rng.pick(&calls).clone();
            let k = self.code.rng.within(0, 6);
            text += &match self.code.rng.below(7) {
                0 => format!("r = r * 3 + {call};\n"),
                1 => format!("if ({call} == {k}) return r;\n"),
                2 => format!("if ({call} > {k}) r++;\n"),
                3 => format!("for (int i = 0; i < {}; i++) r += {call};\n", self.code.rng.within(1, 4)),
                4 => {
                    let elements: Vec<String> =
                        (0..self.code.rng.within(1, 3)).filter_map(|_| self.object(of)).collect();
                    let (ty, call) = (self.qualified(of), call.replacen(&name, "e", 1));
                    let elements = elements.join(", ");
                    format!("for ({ty} e : new {ty}[] {{{elements}}}) r += {call};\n")
                }
                _ => format!("r += {call};\n"),
            };
        }
        let swept = (self.features.packages || self.features.private) && self.code.rng.chance(65);
        if swept {
            text += &self.sweep();
        }
        text += "return r;\n";
        let declared: Vec<String> = params.iter().map(|(ty, name)| format!("{ty} {name}")).collect();
        let names: Vec<String> = params.iter().map(|(_, name)| name.clone()).collect();
        let (declared, names) = (declared.join(", "), names.join(", "));
        let k = self.code.rng.within(0, 9);
        let mut claims = vec![
            format!("run({names}) != {k}"),
            format!("(run({names}) & 1) == {}", k & 1),
            format!("run({names}) % 3 != {}", k % 3),
            format!("run({names}) > {k}"),
            format!("run({names}) < {k}"),
        ];
        if swept {
            // If one of many calls reaches another method, only the lowest bits show it.
            claims = vec![
                format!("(run({names}) & 1) == {}", k & 1),
                format!("(run({names}) & 3) != {}", k & 3),
                format!("Math.floorMod(run({names}), 3) != {}", k % 3),
            ];
        } else if self.features.inputs {
            for index in 0..self.types.len() {
                let (name, kind) = (self.qualified(index), self.types[index].kind);
                if !self.is_subtype(index, objects[0].1) {
                    continue;
                }
                if kind == Kind::Concrete && self.features.singletons {
                    claims.extend([format!("a != {name}.ONE"), format!("a != {name}.ONE")]);
                }
                if kind == Kind::Enum {
                    claims.extend([format!("a != {name}.K"), format!("!(a instanceof {name})")]);
                }
                if kind == Kind::Concrete {
                    claims.push(format!("!(a instanceof {name}) || run({names}) != {k}"));
                }
            }
            if let [(_, _), (_, _)] = params[..] {
                claims.push("(Object) a != (Object) b || a == null".into());
            }
        }
        let claim = self.code.rng.pick(&claims).clone();
        let text =
            format!("static int run({declared}) {{\n{text}}}\nstatic boolean ok({declared}) {{\nreturn {claim};\n}}\n");
        (params, text)
    }
}

/// The name and the parameters of a method.
fn signature(method: usize) -> (&'static str, &'static str) {
    METHODS[method]
}

fn call(callee: &str, method: usize, argument: &str) -> String {
    if method == 1 { format!("{callee}({argument})") } else { format!("{callee}()") }
}
