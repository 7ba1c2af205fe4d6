//! Declares classes, fields and methods, and looks up names.

use crate::ast::{self, BaseType, TypeRef};
use crate::builtins::{self, Builtins, CHAR, CONSTRUCTOR, STRING};
use crate::lexer::Loc;
use crate::report::{Outcome, Reported, Sink};
use aback_ir::{Access, Class, ClassId, Field, FieldId, FileId, Method, MethodId, MethodKind, Program, Span, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program so far, with its names.
pub(crate) struct Env<'a> {
    pub program: Program,
    pub sink: Sink,
    pub builtins: Builtins,
    /// The type of integers.
    pub int: Type,
    classes: FxHashMap<&'a str, ClassId>,
    fields: FxHashMap<(ClassId, &'a str), FieldId>,
    /// Methods by declaring class and name; constructors have the name [`CONSTRUCTOR`].
    methods: FxHashMap<(ClassId, &'a str), Vec<MethodId>>,
    /// Members whose declaration has an error. Their uses are not reported.
    broken: FxHashSet<(ClassId, &'a str)>,
    /// Classes with an unknown superclass, so that members may be missing.
    incomplete: FxHashSet<ClassId>,
}

/// A method whose body is still to be lowered.
#[derive(Clone, Copy)]
pub(crate) struct Pending<'t, 'a> {
    pub file: FileId,
    pub class: ClassId,
    pub method: MethodId,
    /// `None` for the constructor of a class that declares none.
    pub source: Option<&'t ast::Method<'a>>,
    /// The place of the class name, if `source` is `None`.
    pub span: Span,
}

impl<'a> Env<'a> {
    /// An environment with the built-in classes only.
    pub fn new(mut program: Program, sink: Sink) -> Self {
        let builtins = builtins::add(&mut program);
        let mut env = Env {
            builtins,
            int: program.index_type(),
            sink,
            classes: FxHashMap::default(),
            fields: FxHashMap::default(),
            methods: FxHashMap::default(),
            broken: FxHashSet::default(),
            incomplete: FxHashSet::default(),
            program,
        };
        let names = [STRING, "Exception"].into_iter().chain(aback_ir::Trap::ALL.map(builtins::trap_class_name));
        for name in names {
            env.classes.extend(env.program.class_named(name).map(|class| (name, class)));
        }
        env.fields.insert((builtins.exception, "message"), builtins.message);
        for (id, method) in env.program.methods() {
            env.methods.entry((method.class, CONSTRUCTOR)).or_default().push(id);
        }
        env
    }

    /// The finished program.
    pub fn finish(self) -> (Program, Sink) {
        (self.program, self.sink)
    }

    // ---- declaring ------------------------------------------------------------------------------------------

    /// Declares everything in `classes` and returns the methods whose bodies must be lowered.
    pub fn declare<'t>(&mut self, classes: &'t [ast::Class<'a>]) -> Vec<Pending<'t, 'a>> {
        let declared: Vec<(ClassId, &'t ast::Class<'a>)> =
            classes.iter().filter_map(|class| Some((self.declare_class(class)?, class))).collect();
        let parents: FxHashMap<ClassId, ClassId> =
            declared.iter().filter_map(|&(id, class)| Some((id, self.superclass(id, class)?))).collect();
        let order = self.parents_first(&declared, &parents);
        for &(id, _) in &order {
            if let Some(&parent) = parents.get(&id) {
                self.program.set_superclass(id, parent);
            }
        }
        let mut pending = Vec::new();
        for &(id, class) in &order {
            for (ty, name) in &class.fields {
                self.declare_field(id, class.file, ty, name);
            }
            for method in &class.methods {
                if let Ok(method_id) = self.declare_method(id, class.file, method) {
                    let span = class.name.loc.span(class.file);
                    pending.push(Pending {
                        file: class.file,
                        class: id,
                        method: method_id,
                        source: Some(method),
                        span,
                    });
                }
            }
            if !class.methods.iter().any(|m| m.kind == MethodKind::Constructor) {
                pending.push(self.default_constructor(id, class));
            }
        }
        pending
    }

    fn declare_class(&mut self, class: &ast::Class<'a>) -> Option<ClassId> {
        let span = class.name.loc.span(class.file);
        let name = class.name.text;
        if let Some(&earlier) = self.classes.get(name) {
            let earlier = self.program.class(earlier).span;
            let help = if earlier.is_known() {
                format!("the first one is at {}", self.program.show_span(earlier))
            } else {
                "it is a built-in class: choose another name".into()
            };
            self.sink.error_with_help(span, format!("there is a class `{name}` already"), Some(help));
            return None;
        }
        let id = self.program.add_class(Class {
            name: name.into(),
            superclass: None,
            interfaces: vec![],
            fields: vec![],
            methods: vec![],
            is_abstract: false,
            is_final: false,
            is_interface: false,
            is_library: false,
            span,
        });
        self.classes.insert(name, id);
        Some(id)
    }

    fn superclass(&mut self, id: ClassId, class: &ast::Class<'a>) -> Option<ClassId> {
        let name = class.superclass?;
        let span = name.loc.span(class.file);
        let Ok(superclass) = self.class(name.text, span) else {
            self.incomplete.insert(id);
            return None;
        };
        if superclass == self.builtins.string {
            self.sink.error(span, "`String` cannot be extended");
            return None;
        }
        Some(superclass)
    }

    /// The classes, each after its superclass. If there is a cycle, this reports it and returns nothing: lookups follow
    /// the superclasses and must terminate.
    fn parents_first<'t>(
        &mut self,
        declared: &[(ClassId, &'t ast::Class<'a>)],
        parents: &FxHashMap<ClassId, ClassId>,
    ) -> Vec<(ClassId, &'t ast::Class<'a>)> {
        let mut waiting: FxHashMap<ClassId, &'t ast::Class<'a>> = declared.iter().copied().collect();
        let mut order = Vec::with_capacity(declared.len());
        let mut on_chain = FxHashSet::default();
        for &(id, _) in declared {
            let mut chain = Vec::new();
            let mut current = Some(id);
            while let Some((class, source)) = current.and_then(|c| Some((c, *waiting.get(&c)?))) {
                if !on_chain.insert(class) {
                    break;
                }
                chain.push((class, source));
                current = parents.get(&class).copied();
            }
            let cycle = current.filter(|c| waiting.contains_key(c));
            for &(class, source) in &chain {
                waiting.remove(&class);
                on_chain.remove(&class);
                if cycle == Some(class) {
                    let span = source.name.loc.span(source.file);
                    self.sink.error(span, format!("class `{}` extends itself", source.name.text));
                }
            }
            if cycle.is_none() {
                order.extend(chain.into_iter().rev());
            }
        }
        if order.len() < declared.len() {
            order.clear();
        }
        order
    }

    fn declare_field(&mut self, class: ClassId, file: FileId, ty: &TypeRef<'a>, name: &ast::Name<'a>) {
        let span = name.loc.span(file);
        if let Some(earlier) = self.lookup_field(class, name.text) {
            let owner = self.program.field(earlier).class;
            let owner = self.program.class(owner).name.clone();
            self.sink.error(span, format!("`{owner}` has a field `{}` already", name.text));
            return;
        }
        match self.value_type(ty, file) {
            Ok(ty) => {
                let field = Field { name: name.text.into(), class, ty, is_static: false, span };
                let id = self.program.add_field(field);
                self.fields.insert((class, name.text), id);
            }
            Err(Reported) => {
                self.broken.insert((class, name.text));
            }
        }
    }

    /// Declares a method of a class.
    pub fn declare_method(&mut self, class: ClassId, file: FileId, source: &ast::Method<'a>) -> Outcome<MethodId> {
        let span = source.name.loc.span(file);
        let name = if source.kind == MethodKind::Constructor { CONSTRUCTOR } else { source.name.text };
        let signature = self.signature(class, file, source);
        let Ok((params, result)) = signature else {
            self.broken.insert((class, name));
            return Err(Reported);
        };
        let own = usize::from(source.kind != MethodKind::Static);
        for &earlier in self.methods.get(&(class, name)).map_or(&[][..], |m| m) {
            let method = self.program.method(earlier);
            if own_params(method) == &params[own..] {
                let help = format!("the first one is at {}", self.program.show_span(method.span));
                let message = format!("`{}` is declared with these parameters already", source.name.text);
                return Err(self.sink.error_with_help(span, message, Some(help)));
            }
        }
        if name != CONSTRUCTOR {
            self.check_override(class, source, &params[own..], result, span)?;
        }
        let id = self.program.add_method(Method {
            name: name.into(),
            class,
            kind: source.kind,
            params,
            result,
            access: Access::Public,
            is_abstract: true,
            span,
        });
        self.methods.entry((class, name)).or_default().push(id);
        Ok(id)
    }

    /// Types of the parameters, including the receiver, and of the result.
    fn signature(
        &mut self,
        class: ClassId,
        file: FileId,
        source: &ast::Method<'a>,
    ) -> Outcome<(Vec<Type>, Option<Type>)> {
        let mut params = Vec::with_capacity(source.params.len() + 1);
        if source.kind != MethodKind::Static {
            params.push(Type::Class(class));
        }
        let mut names = FxHashSet::default();
        let mut outcome = Ok(());
        for (ty, name) in &source.params {
            match self.value_type(ty, file) {
                Ok(ty) => params.push(ty),
                Err(reported) => outcome = Err(reported),
            }
            if !names.insert(name.text) {
                let message = format!("there is a parameter `{}` already", name.text);
                outcome = Err(self.sink.error(name.loc.span(file), message));
            }
        }
        let result = match &source.result {
            Some(TypeRef { base: BaseType::Void, dimensions: 0, .. }) | None => None,
            Some(ty) => Some(self.value_type(ty, file)?),
        };
        outcome.map(|()| (params, result))
    }

    /// Checks that an overrider has the kind and the result type of the overridden method.
    fn check_override(
        &mut self,
        class: ClassId,
        source: &ast::Method<'a>,
        params: &[Type],
        result: Option<Type>,
        span: Span,
    ) -> Outcome<()> {
        let mut current = self.program.class(class).superclass;
        while let Some(parent) = current {
            for &candidate in self.methods.get(&(parent, source.name.text)).map_or(&[][..], |m| m) {
                let method = self.program.method(candidate);
                if own_params(method) != params {
                    continue;
                }
                let overridden = self.program.method_name(candidate);
                let (kind, declared) = (method.kind, method.result);
                if kind != source.kind {
                    let message = format!("of `{overridden}` and this method, one is static and the other is not");
                    return Err(self.sink.error(span, message));
                }
                let fits = match (result, declared) {
                    (Some(result), Some(declared)) => self.program.is_assignable(result, declared),
                    (result, declared) => result == declared,
                };
                if !fits {
                    let declared = declared.map_or("void".into(), |ty| self.type_name(ty));
                    let message = format!("this overrides `{overridden}`, whose result is {declared}");
                    return Err(self.sink.error(span, message));
                }
                return Ok(());
            }
            current = self.program.class(parent).superclass;
        }
        Ok(())
    }

    fn default_constructor<'t>(&mut self, class: ClassId, source: &ast::Class<'a>) -> Pending<'t, 'a> {
        let method = self.program.add_method(Method {
            name: CONSTRUCTOR.into(),
            class,
            kind: MethodKind::Constructor,
            params: vec![Type::Class(class)],
            result: None,
            access: Access::Public,
            is_abstract: true,
            span: Span::NONE,
        });
        self.methods.insert((class, CONSTRUCTOR), vec![method]);
        let span = source.name.loc.span(source.file);
        Pending { file: source.file, class, method, source: None, span }
    }

    // ---- looking up -----------------------------------------------------------------------------------------

    /// The class with this name, if there is one.
    pub fn lookup_class(&self, name: &str) -> Option<ClassId> {
        self.classes.get(name).copied()
    }

    /// The names of all classes.
    pub fn class_names(&self) -> impl Iterator<Item = &'a str> {
        self.classes.keys().copied()
    }

    /// The class with this name, or an error.
    pub fn class(&mut self, name: &str, span: Span) -> Outcome<ClassId> {
        self.lookup_class(name).ok_or_else(|| {
            let help = self.sink.did_you_mean(name, self.classes.keys().copied());
            self.sink.error_with_help(span, format!("there is no class `{name}`"), help)
        })
    }

    fn lookup_field(&self, class: ClassId, name: &'a str) -> Option<FieldId> {
        self.superclasses(class).find_map(|c| self.fields.get(&(c, name)).copied())
    }

    /// Whether objects of `class` have a field with this name.
    pub fn has_field(&self, class: ClassId, name: &'a str) -> bool {
        self.lookup_field(class, name).is_some()
    }

    /// The field of objects of `class` with this name, or an error.
    pub fn field(&mut self, class: ClassId, name: ast::Name<'a>, file: FileId) -> Outcome<FieldId> {
        if let Some(field) = self.lookup_field(class, name.text) {
            return Ok(field);
        }
        if self.is_known_broken(class, name.text) {
            return Err(Reported);
        }
        let fields = self.program.instance_fields(class);
        let help = self.sink.did_you_mean(name.text, fields.iter().map(|&f| self.program.field(f).name.as_str()));
        let message = format!("`{}` has no field `{}`", self.type_name(Type::Class(class)), name.text);
        Err(self.sink.error_with_help(name.loc.span(file), message, help))
    }

    /// The candidates for calls of `name` on objects of `class`: methods declared there or inherited, without
    /// overridden ones.
    pub fn methods(&mut self, class: ClassId, name: ast::Name<'a>, file: FileId) -> Outcome<Vec<MethodId>> {
        let mut found: Vec<MethodId> = Vec::new();
        for class in self.superclasses(class) {
            let inherited = found.len();
            for &method in self.methods.get(&(class, name.text)).map_or(&[][..], |m| m) {
                let params = own_params(self.program.method(method));
                let overridden = found[..inherited].iter().any(|&m| own_params(self.program.method(m)) == params);
                if !overridden {
                    found.push(method);
                }
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
        if self.is_known_broken(class, name.text) {
            return Err(Reported);
        }
        let known = self.superclasses(class).flat_map(|c| &self.program.class(c).methods);
        let known = known.map(|&m| self.program.method(m).name.as_str()).filter(|&m| m != CONSTRUCTOR);
        let help = self.sink.did_you_mean(name.text, known);
        let message = format!("`{}` has no method `{}`", self.type_name(Type::Class(class)), name.text);
        Err(self.sink.error_with_help(name.loc.span(file), message, help))
    }

    /// The constructors declared by `class`; empty if one of their declarations has an error.
    pub fn constructors(&self, class: ClassId) -> &[MethodId] {
        if self.is_known_broken(class, CONSTRUCTOR) {
            return &[];
        }
        self.methods.get(&(class, CONSTRUCTOR)).map_or(&[], |m| m)
    }

    /// `class` and its superclasses, upwards.
    fn superclasses(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        std::iter::successors(Some(class), |&c| self.program.class(c).superclass)
    }

    /// Whether the reason for a missing member of `class` has been reported.
    fn is_known_broken(&self, class: ClassId, name: &'a str) -> bool {
        self.superclasses(class).any(|c| self.incomplete.contains(&c) || self.broken.contains(&(c, name)))
    }

    // ---- types ----------------------------------------------------------------------------------------------

    /// The type that the source denotes. It must be a type of values.
    pub fn value_type(&mut self, ty: &TypeRef<'a>, file: FileId) -> Outcome<Type> {
        let span = ty.loc.span(file);
        let mut found = match ty.base {
            BaseType::Int => self.int,
            BaseType::Bool => Type::Bool,
            BaseType::Char => CHAR,
            BaseType::String => Type::Class(self.builtins.string),
            BaseType::Void => return Err(self.sink.error(span, "there are no values of type void")),
            BaseType::Class(name) => Type::Class(self.class(name, name_only(ty.loc, name).span(file))?),
        };
        for _ in 0..ty.dimensions {
            found = self.program.array_of(found);
        }
        Ok(found)
    }

    /// The type in OOX syntax.
    pub fn type_name(&self, ty: Type) -> String {
        match ty {
            CHAR => "char".into(),
            Type::Class(class) if class == self.builtins.string => "string".into(),
            Type::Array(array) => self.type_name(self.program.element_type(array)) + "[]",
            _ => self.program.type_name(ty),
        }
    }

    /// Whether a value of type `from` may be assigned to a place of type `to`. Characters are also integers.
    pub fn fits(&self, from: Type, to: Type) -> bool {
        self.program.is_assignable(from, to) || (from == CHAR && to == self.int)
    }
}

/// Parameters without the receiver.
pub(crate) fn own_params(method: &Method) -> &[Type] {
    &method.params[usize::from(method.kind != MethodKind::Static)..]
}

/// The place of the class name in an array type.
fn name_only(loc: Loc, name: &str) -> Loc {
    Loc { length: name.chars().count() as u32, ..loc }
}
