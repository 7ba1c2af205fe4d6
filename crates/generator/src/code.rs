//! Random code of any language: what it may read, assign to and call, and the parts that do not depend on the language.

use crate::rng::Rng;
use crate::template::Fill;

/// A language, with the options and the state that only its code has.
pub(crate) trait Language: Sized {
    /// The types of expressions.
    type Ty: Copy + PartialEq;

    const INT: Self::Ty;
    const BOOLEAN: Self::Ty;
    /// Whether a lambda may read a local variable that is assigned to after its declaration.
    const CAPTURES_ASSIGNED: bool;

    /// The type with this name.
    fn parse(name: &str) -> Option<Self::Ty>;

    /// A constant, or a value of a type that has none.
    fn constant(code: &mut Code<Self>, ty: Self::Ty) -> String;

    /// See [`Code::expression`].
    fn expression(code: &mut Code<Self>, ty: Self::Ty, depth: usize) -> String;

    /// A statement after which another one may follow.
    fn statement(code: &mut Code<Self>, place: &Place<Self::Ty>) -> String;
}

/// A variable that an expression can read.
#[derive(Clone, Debug)]
pub(crate) struct Var<T> {
    pub name: String,
    pub ty: T,
    /// Whether random code may assign to it.
    pub writable: bool,
    /// Whether a lambda may read it: in Java a field or an effectively final variable, in C# anything but a reference to
    /// a variable of the caller.
    pub capturable: bool,
}

/// A method that an expression can call.
#[derive(Clone, Debug)]
pub(crate) struct Method<T> {
    pub name: String,
    pub params: Vec<T>,
    pub result: T,
}

/// The context of a statement.
#[derive(Clone)]
pub(crate) struct Place<T> {
    /// The remaining nesting depth of statements.
    pub depth: usize,
    /// The type that the method returns here, or `None` where nothing can be returned.
    pub result: Option<T>,
    /// Whether an unlabelled `break` is allowed here.
    pub breaks: bool,
    /// Whether an unlabelled `continue` is allowed here.
    pub continues: bool,
    /// Labels of the enclosing loops, from the outermost one.
    pub labels: Vec<String>,
}

impl<T: Copy> Place<T> {
    /// Outside of all loops.
    pub fn method(depth: usize, result: Option<T>) -> Self {
        Place { depth, result, breaks: false, continues: false, labels: Vec::new() }
    }

    pub fn inside(&self) -> Self {
        Place { depth: self.depth - 1, ..self.clone() }
    }

    pub fn in_loop(&self, label: Option<&str>) -> Self {
        let mut inside = Place { breaks: true, continues: true, ..self.inside() };
        inside.labels.extend(label.map(String::from));
        inside
    }
}

/// The scope of the code that is being generated, and the source of randomness.
pub(crate) struct Code<L: Language> {
    pub rng: Rng,
    pub language: L,
    pub vars: Vec<Var<L::Ty>>,
    pub methods: Vec<Method<L::Ty>>,
    /// Whether expressions may assign to variables and call methods.
    pub effects: bool,
    /// The number of fresh names so far.
    pub names: u32,
    /// The number of compound statements that may still be generated.
    pub budget: usize,
}

impl<L: Language> Code<L> {
    pub fn new(rng: Rng, language: L) -> Self {
        Code { rng, language, vars: Vec::new(), methods: Vec::new(), effects: false, names: 0, budget: 0 }
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn declare(&mut self, name: &str, ty: L::Ty, writable: bool, capturable: bool) {
        self.vars.push(Var { name: name.into(), ty, writable, capturable });
    }

    /// The name of a random variable of the type.
    pub fn variable(&mut self, ty: L::Ty, wanted: impl Fn(&Var<L::Ty>) -> bool) -> Option<String> {
        let found: Vec<_> = self.vars.iter().filter(|var| var.ty == ty && wanted(var)).collect();
        if found.is_empty() { None } else { Some(self.rng.pick(&found).name.clone()) }
    }

    /// An expression of exactly the given type. `depth` bounds its nesting.
    pub fn expression(&mut self, ty: L::Ty, depth: usize) -> String {
        L::expression(self, ty, depth)
    }

    pub fn int(&mut self, depth: usize) -> String {
        self.expression(L::INT, depth)
    }

    pub fn condition(&mut self, depth: usize) -> String {
        self.expression(L::BOOLEAN, depth)
    }

    /// A call of a method with this result, which may have effects.
    pub fn call(&mut self, result: L::Ty, depth: usize) -> Option<String> {
        let found: Vec<_> = self.methods.iter().filter(|method| method.result == result).collect();
        if found.is_empty() || !self.effects {
            return None;
        }
        let Method { name, params, .. } = (*self.rng.pick(&found)).clone();
        Some(format!("{name}({})", self.arguments(&params, depth.min(1))))
    }

    pub fn arguments(&mut self, params: &[L::Ty], depth: usize) -> String {
        let arguments: Vec<String> = params.iter().map(|&param| self.expression(param, depth)).collect();
        arguments.join(", ")
    }

    /// Some statements in their own scope.
    pub fn block(&mut self, place: &Place<L::Ty>, most: usize) -> String {
        let outer = self.vars.len();
        let mut text = String::new();
        let most = if self.budget == 0 { 1 } else { most };
        for _ in 0..=self.rng.below(most) {
            text += &L::statement(self, place);
        }
        self.vars.truncate(outer);
        text
    }

    /// Runs `make` with only these variables in scope.
    pub fn with_vars<R>(&mut self, vars: Vec<Var<L::Ty>>, make: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.vars, vars);
        let made = make(self);
        self.vars = outer;
        made
    }

    /// Runs `make`, whose expressions have no effects.
    pub fn without_effects<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.effects, false);
        let made = make(self);
        self.effects = outer;
        made
    }

    /// Runs `make` in the scope of a lambda's body. Also returns the name of the lambda's parameter.
    pub fn in_lambda<R>(&mut self, ty: L::Ty, make: impl FnOnce(&mut Self) -> R) -> (String, R) {
        let parameter = self.fresh("x");
        let captured = self.vars.iter().filter(|var| var.capturable).cloned().collect();
        let made = self.with_vars(captured, |code| {
            code.declare(&parameter, ty, true, L::CAPTURES_ASSIGNED);
            make(code)
        });
        (parameter, made)
    }
}

impl<L: Language> Fill for Code<L> {
    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn constant(&mut self, ty: &str) -> String {
        L::constant(self, named::<L>(ty))
    }

    fn expression_with(&mut self, ty: &str, variables: &[(&str, &str)]) -> String {
        self.with_vars(Vec::new(), |code| {
            for (ty, name) in variables {
                code.declare(name, named::<L>(ty), false, false);
            }
            code.without_effects(|code| code.expression(named::<L>(ty), 2))
        })
    }
}

/// The type that a template names. Panics if there is none, since the templates are part of this crate.
fn named<L: Language>(name: &str) -> L::Ty {
    L::parse(name.trim()).unwrap_or_else(|| panic!("no type is called {name}"))
}
