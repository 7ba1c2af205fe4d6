//! Finds the models that users supply: static methods of classes `models.X` that stand for methods of the class `X` of a
//! library.
//!
//! The library's method keeps its identity, so that it is resolved, selected and overridden as before. Only its code is
//! another: it calls the model. The classes of models belong to a library, with the difference that no input is an object
//! of one. They are compiled without the program's own classes, and may not name them, so that what libraries can do to the
//! program covers what they do.

mod place;

use crate::classpath::ClassPath;
use crate::loader::{Java, JavaLoader};
use crate::models;
use crate::types::{OBJECT, STRING, internal_name};
use aback_frontend::LoadError;
use aback_ir::builder::Builder;
use aback_ir::{Access, Body, ClassId, Diagnostic, Dispatch, Method, MethodId, MethodKind, OpKind, Program, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// The source that models are compiled with if they have no class of this name.
pub(crate) const VERIFIER: (&str, &str) = ("Verifier.java", include_str!("Verifier.java"));
/// The package in front of the names of modelled classes.
const PREFIX: &str = "models.";
/// The name of the models of constructors.
const CONSTRUCTOR: &str = "init";

/// The models of a program.
#[derive(Default)]
pub(crate) struct Supplied {
    /// The models of methods of libraries, each behind the initialization of its class.
    models: FxHashMap<MethodId, MethodId>,
    /// The modelled methods, by their models.
    modelled: FxHashMap<MethodId, MethodId>,
    /// The modelled methods whose code has been asked for.
    used: RwLock<BTreeSet<MethodId>>,
}

impl Supplied {
    /// The methods that run models.
    pub(crate) fn models(&self) -> Vec<MethodId> {
        let mut models: Vec<MethodId> = self.models.values().copied().collect();
        models.sort_unstable();
        models
    }

    /// Whether a method has a model.
    pub(crate) fn has_model(&self, method: MethodId) -> bool {
        self.models.contains_key(&method)
    }

    /// The method for which a method is the model.
    pub(crate) fn modelled_by(&self, model: MethodId) -> Option<MethodId> {
        self.modelled.get(&model).copied()
    }

    /// The methods with models whose code has been asked for.
    pub(crate) fn used(&self) -> Vec<MethodId> {
        self.used.read().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// The code of a method that has a model.
    pub(crate) fn body(&self, java: Java, method: MethodId) -> Option<Body> {
        let &model = self.models.get(&method)?;
        self.used.write().unwrap_or_else(PoisonError::into_inner).insert(method);
        Some(call(java, model, None))
    }
}

/// The code of a method with the parameters of another one: it calls that one, behind the initialization of a class.
fn call(java: Java, method: MethodId, initialized: Option<ClassId>) -> Body {
    let declared = java.program.method(method);
    let mut code = Builder::new(&declared.params);
    if let Some((field, method)) = initialized.and_then(|class| java.initialization(class)) {
        code.op(OpKind::Ensure { field, method });
    }
    let args = (0..declared.params.len()).map(|index| code.param(index)).collect();
    let result = code.call(Dispatch::Static, method, args, declared.result);
    code.ret(result);
    code.finish()
}

/// A method for users, with the types of its parameters.
pub(crate) fn shown(program: &Program, method: MethodId) -> String {
    let declared = program.method(method);
    let own = usize::from(declared.kind != MethodKind::Static);
    format!("{}({})", program.method_name(method), types(program, &declared.params[own..]))
}

fn types(program: &Program, params: &[Type]) -> String {
    params.iter().map(|&ty| program.show_type(ty).replace('$', ".")).collect::<Vec<_>>().join(", ")
}

/// Whether a class belongs to models, or is that of a lambda expression in one.
pub(crate) fn is_class_of_models(classpath: &ClassPath, class: &str) -> bool {
    let owner = class.split("$$Lambda/").next().unwrap_or(class);
    classpath.models().is_some_and(|models| models.has_own(&internal_name(owner)))
}

/// The models on the class path of a program.
///
/// # Errors
/// A method is no model of a method of a library, or a class may not be there.
pub(crate) fn read(java: Java) -> Result<Supplied, LoadError> {
    let classpath = java.loader.classpath();
    let mut found = Supplied::default();
    let Some(models) = classpath.models() else { return Ok(found) };
    let mut diagnostics = Vec::new();
    let mut is_any = false;
    for internal in models.user_classes() {
        let name = crate::types::class_name(internal);
        if models::replaces(&name) {
            continue;
        }
        let class = java.named(&name);
        let report = |message: String| Diagnostic::error(place::of_class(java.program, class), message);
        if let Some(other) = classpath.find_beside_models(internal) {
            diagnostics.push(report(format!("there is another class {name} in {other}")));
            continue;
        }
        if java.class(class).is_none() {
            diagnostics.push(report(format!("the class {name} cannot be loaded: {}", java.why_missing(class))));
            continue;
        }
        if let Some(own) = models.names_in_given(internal, classpath.user_classes()) {
            let own = crate::types::class_name(&own);
            diagnostics.push(report(format!(
                "{name} uses {own}, a class of the program: models are for libraries, and know only libraries"
            )));
            continue;
        }
        let Some(library) = name.strip_prefix(PREFIX) else { continue };
        // The compiler names local and anonymous classes by numbers.
        let nested = library.rsplit_once('$').map(|(_, name)| name);
        if nested.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_digit())) {
            continue;
        }
        is_any = true;
        match modelled_class(java, library) {
            Ok(library) => found.add_class(java, class, library, &mut diagnostics),
            // A nested class may help others.
            Err(_) if nested.is_some() => {}
            Err(message) => diagnostics.push(report(message)),
        }
    }
    if diagnostics.is_empty() && !is_any {
        return Err(LoadError::Models(
            "--models: there are no classes in packages that begin with `models`: models of methods of java.util.Random are static \
             methods of the class models.java.util.Random"
                .into(),
        ));
    }
    if diagnostics.is_empty() {
        return Ok(found);
    }
    Err(LoadError::at_places(java.program, diagnostics))
}

/// The class of a library with this name.
fn modelled_class(java: Java, name: &str) -> Result<ClassId, String> {
    let class = java.named(name);
    let Some(loaded) = java.class(class) else {
        return Err(format!(
            "there is no class {name} to be modelled: classes that help models are nested in others, or in other packages"
        ));
    };
    if !loaded.is_library {
        return Err(format!("{name} is a class of the program, and models are for libraries"));
    }
    if name == OBJECT || name == "java.lang.Class" || name.starts_with("java.lang.invoke.") || models::replaces(name) {
        return Err(format!("{name} cannot be modelled, because the meaning of programs depends on it"));
    }
    Ok(class)
}

/// Methods of strings that are not called everywhere: switches over strings compare without them.
const OF_STRINGS: [&str; 2] = ["equals", "hashCode"];

impl Supplied {
    /// Adds the models in a class.
    fn add_class(&mut self, java: Java, class: ClassId, library: ClassId, diagnostics: &mut Vec<Diagnostic>) {
        let program = java.program;
        for &model in &program.class(class).methods {
            let declared = program.method(model);
            let is_written = java.loader.method_declaration(program, model).is_some_and(|found| !found.is_synthetic);
            if !is_written || declared.access == Access::Private || declared.name.starts_with('<') {
                continue;
            }
            match modelled_method(java, declared, library) {
                Ok(method) => {
                    // It belongs to the class of the model, so that analyses see the initialization.
                    let start = Method::synthetic(
                        class,
                        MethodKind::Static,
                        &declared.name,
                        declared.params.clone(),
                        declared.result,
                    );
                    let start = java.new_method(start, move |java| call(java, model, Some(class)));
                    self.models.insert(method, start);
                    self.modelled.insert(model, method);
                }
                Err(message) => diagnostics.push(Diagnostic::error(place::of_method(program, model), message)),
            }
        }
    }
}

/// The method of a library for which a method is the model.
fn modelled_method(java: Java, model: &Method, library: ClassId) -> Result<MethodId, String> {
    let program = java.program;
    let name = program.class_name(library);
    let receiver = usize::from(model.kind != MethodKind::Static);
    let written = format!("{}({})", model.name, types(program, &model.params[receiver..]));
    if model.kind != MethodKind::Static {
        return Err(format!(
            "{written} is not static: a model is a static method, which gets the object first, and other methods are private"
        ));
    }
    let of_library = || program.class(library).methods.iter().copied().filter(|&method| is_in_class_file(java, method));
    let is_model_of = |&method: &MethodId| {
        let declared = program.method(method);
        name_of_model(declared) == model.name && declared.params == model.params
    };
    let mut fitting: Vec<MethodId> = of_library().filter(is_model_of).collect();
    // A method that is called like models of constructors comes first.
    if fitting.len() > 1 {
        fitting.retain(|&method| program.method(method).kind != MethodKind::Constructor);
    }
    let &[method] = &fitting[..] else {
        if let [_, _, ..] = &fitting[..] {
            return Err(format!("{written} may stand for several methods of {name}, so that none of them has models"));
        }
        let namesakes = of_library().filter(|&method| name_of_model(program.method(method)) == model.name);
        let wanted: Vec<String> = namesakes.map(|method| signature_of_model(program, method)).collect();
        if wanted.is_empty() {
            let above = program.supertypes(library).into_iter().find(|&above| {
                above != library
                    && program.class(above).methods.iter().any(|&method| is_model_of_above(program, method, model))
            });
            return Err(match above {
                Some(above) => {
                    let above = program.class_name(above);
                    format!("{name} inherits {}, so that its model is in the class {PREFIX}{above}", model.name)
                }
                None => format!("{name} has no method {}", model.name),
            });
        }
        let them = if wanted.len() == 1 { "the model of its method is" } else { "the models of its methods are" };
        return Err(format!("{name} has no method that {written} is a model of: {them} {}", wanted.join(", ")));
    };
    let declared = program.method(method);
    if declared.result != model.result {
        let (own, wanted) = (result_type(program, model), result_type(program, declared));
        return Err(format!("{written} returns {own}, and {} returns {wanted}", shown(program, method)));
    }
    if declared.is_abstract {
        let method = shown(program, method);
        return Err(format!("{method} is abstract and has no code: model the methods that implement it"));
    }
    if name == STRING && OF_STRINGS.contains(&declared.name.as_str()) {
        let method = shown(program, method);
        return Err(format!("{method} cannot be modelled, because the meaning of programs depends on it"));
    }
    Ok(method)
}

/// Whether a method is in the class file of its class, and not added by models of aback.
fn is_in_class_file(java: Java, method: MethodId) -> bool {
    java.loader.method_declaration(java.program, method).is_some() && java.program.method(method).name != "<clinit>"
}

/// The name of the model of a method.
fn name_of_model(method: &Method) -> &str {
    if method.kind == MethodKind::Constructor { CONSTRUCTOR } else { &method.name }
}

/// Whether a method of a superclass or interface has the name and number of parameters of a model.
fn is_model_of_above(program: &Program, method: MethodId, model: &Method) -> bool {
    let declared = program.method(method);
    declared.kind != MethodKind::Constructor
        && declared.name == model.name
        && declared.params.len() == model.params.len()
}

/// The type of the result of a method for users.
fn result_type(program: &Program, method: &Method) -> String {
    method.result.map_or("void".into(), |ty| types(program, &[ty]))
}

/// The signature of the model of a method, as sources have it.
fn signature_of_model(program: &Program, method: MethodId) -> String {
    let declared = program.method(method);
    let result = result_type(program, declared);
    format!("{result} {}({})", name_of_model(declared), types(program, &declared.params))
}

impl JavaLoader {
    /// The method with the library's own code of a method, for calls in its own model.
    pub(crate) fn own_code(&self, java: Java, caller: MethodId, method: MethodId) -> Option<MethodId> {
        (self.supplied().modelled_by(caller) == Some(method)).then(|| java.method_with_code_of(method))
    }
}
