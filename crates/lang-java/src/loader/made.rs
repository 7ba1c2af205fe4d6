//! Makes synthetic classes and members, which are in no class file.

use super::{BuildBody, Code, Declared, Java, JavaClass, Made, whole};
use crate::models::{self, ModelledMethod};
use crate::synthetic::{self, classes};
use crate::types;
use aback_ir::{Body, Class, ClassId, Field, FieldId, Method, MethodId, MethodKind, Span, Type};
use cafebabe::ClassAccessFlags;
use std::sync::{Arc, OnceLock};

/// The contents of a synthetic class, apart from what every class has.
#[derive(Clone)]
pub(crate) struct MadeClass {
    pub(crate) interfaces: Vec<ClassId>,
    /// Names and types of the instance fields.
    pub(crate) fields: Vec<(String, Type)>,
    pub(crate) methods: Vec<MadeMethod>,
}

/// A synthetic method that is added to a class.
#[derive(Clone)]
pub(crate) struct MadeMethod {
    name: String,
    /// Parameter types, without the receiver.
    params: Vec<Type>,
    result: Option<Type>,
    build: Arc<BuildBody>,
}

impl MadeMethod {
    /// Makes an instance method with these parameters and a receiver.
    pub(crate) fn new(
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> Self {
        MadeMethod { name: name.to_string(), params: params.to_vec(), result, build: Arc::new(build) }
    }
}

impl<'a> Java<'a> {
    /// The static field that holds an object that is created once, and the method that creates it.
    pub(crate) fn made(self, what: Made, make: impl FnOnce(Java<'a>) -> (FieldId, MethodId)) -> (FieldId, MethodId) {
        if let Some(&known) = whole(self.loader.made.read()).get(&what) {
            return known;
        }
        let made = make(self);
        *whole(self.loader.made.write()).entry(what).or_insert(made)
    }

    /// A synthetic static method that the whole program shares, by a name for its function.
    pub(crate) fn helper(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        self.shared_method(name, || self.static_method(name, params, result), build)
    }

    /// A synthetic method that the whole program shares, by a name for its function. Its class does not list it.
    pub(crate) fn shared_method(
        self,
        name: &str,
        declare: impl FnOnce() -> Method,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        if let Some(&known) = whole(self.loader.helpers.read()).get(name) {
            return known;
        }
        let method = self.new_method(declare(), build);
        *whole(self.loader.helpers.write()).entry(name.to_string()).or_insert(method)
    }

    /// A method that runs the code that another one has without the user's models. It is called without a selection.
    pub(crate) fn method_with_code_of(self, method: MethodId) -> MethodId {
        let name = format!("the own code of {}", method.index());
        if let Some(&known) = whole(self.loader.helpers.read()).get(&name) {
            return known;
        }
        let own = self.program.new_method(self.program.method(method).clone());
        whole(self.loader.code.write()).insert(own, Code::Of(method));
        *whole(self.loader.helpers.write()).entry(name).or_insert(own)
    }

    /// The class of all synthetic members that belong to no class of the program.
    pub(crate) fn runtime(self) -> ClassId {
        self.named(synthetic::RUNTIME)
    }

    /// Adds a synthetic static method.
    pub(crate) fn new_static(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Java) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        self.new_method(self.static_method(name, params, result), build)
    }

    /// The declaration of a synthetic static method.
    fn static_method(self, name: &str, params: &[Type], result: Option<Type>) -> Method {
        Method::synthetic(self.runtime(), MethodKind::Static, name, params.to_vec(), result)
    }

    /// Adds a synthetic method.
    pub(crate) fn new_method(self, method: Method, build: impl Fn(Java) -> Body + Send + Sync + 'static) -> MethodId {
        let id = self.program.new_method(method);
        whole(self.loader.code.write()).insert(id, Code::Built(Arc::new(build)));
        id
    }

    /// Declares the class of the class object of a type, by its name.
    pub(crate) fn declare_type_class(self, name: String, ty: Option<Type>) -> ClassId {
        let id = self.named(&name);
        whole(self.loader.type_classes.write()).insert(id, ty);
        id
    }

    pub(super) fn type_class(self, id: ClassId, ty: Option<Type>) -> Declared {
        let (mut class, mut loaded, code) = self.made_class(id, Some(classes::CLASS));
        self.add_methods(&mut class, &mut loaded, classes::class_object_methods(self, ty));
        self.add_methods(&mut class, &mut loaded, models::class_object_methods(self, ty));
        (class, loaded, code)
    }

    /// The class with the methods of an array type, by its name: `int[]`.
    pub(super) fn array_class(self, id: ClassId) -> Option<Declared> {
        let name = self.program.class_name(id);
        if !name.ends_with("[]") {
            return None;
        }
        let is_named = |&(array, _): &(_, _)| self.program.type_name(Type::Array(array)) == name;
        let (array, _) = self.program.array_types().find(is_named)?;
        let (mut class, mut loaded, code) = self.made_class(id, Some(types::OBJECT));
        self.add_methods(&mut class, &mut loaded, classes::object_methods(self, Type::Array(array)));
        self.add_methods(&mut class, &mut loaded, models::array_methods(self, Type::Array(array)));
        Some((class, loaded, code))
    }

    /// Sets the contents of a synthetic class that is created on demand.
    pub(crate) fn declare_made_class(self, id: ClassId, made: MadeClass) {
        whole(self.loader.made_classes.write()).insert(id, made);
    }

    /// The synthetic classes that have been created on demand so far.
    pub(crate) fn classes_on_demand(self) -> Vec<ClassId> {
        let mut found: Vec<ClassId> = whole(self.loader.made_classes.read()).keys().copied().collect();
        found.sort_unstable();
        found
    }

    /// The static fields of the class objects that the program refers to so far, and the methods that create them.
    pub(crate) fn class_objects(self) -> Vec<(FieldId, MethodId)> {
        let made = whole(self.loader.made.read());
        let classes = made.iter().filter(|(what, _)| matches!(what, Made::Class(_)));
        let mut found: Vec<(FieldId, MethodId)> = classes.map(|(_, &made)| made).collect();
        found.sort_unstable();
        found
    }

    pub(super) fn class_on_demand(self, id: ClassId) -> Declared {
        let (mut class, mut loaded, code) = self.made_class(id, Some(types::OBJECT));
        let made = whole(self.loader.made_classes.read()).get(&id).cloned();
        if let Some(MadeClass { interfaces, fields, methods }) = made {
            class.interfaces = interfaces;
            for (name, ty) in fields {
                self.add_field(&mut class, &mut loaded, &name, ty);
            }
            self.add_methods(&mut class, &mut loaded, methods);
        }
        self.add_methods(&mut class, &mut loaded, classes::object_methods(self, Type::Class(id)));
        loaded.initialization = OnceLock::new();
        (class, loaded, code)
    }

    fn add_field(self, class: &mut Class, loaded: &mut JavaClass, name: &str, ty: Type) {
        let descriptor = types::descriptor(self.program, ty);
        let field = Field { name: name.to_string(), class: loaded.id, ty, is_static: false, span: Span::NONE };
        let field = self.program.new_field(field);
        class.fields.push(field);
        loaded.fields.insert(format!("{name}:{descriptor}"), field);
    }

    /// Creates a synthetic class.
    pub(super) fn made_class(self, id: ClassId, superclass: Option<&str>) -> Declared {
        let name = self.program.class_name(id).to_string();
        let mut class = Class::missing(name.clone());
        class.superclass = superclass.map(|superclass| self.named(superclass));
        class.is_abstract = false;
        let loaded = JavaClass {
            is_trusted: true,
            initialization: OnceLock::from(None),
            ..JavaClass::new(id, name, ClassAccessFlags::FINAL)
        };
        (class, loaded, Vec::new())
    }

    /// Adds the members to a class that its models define.
    pub(super) fn add_modelled(self, class: &mut Class, loaded: &mut JavaClass) -> Vec<(MethodId, ModelledMethod)> {
        let mut found = Vec::new();
        for model in models::of(self, loaded.id) {
            if loaded.file.is_none() {
                class.superclass = model.head.superclass.or(class.superclass).or(Some(self.named(types::OBJECT)));
                class.interfaces.extend(&model.head.interfaces);
                class.is_abstract = model.head.is_abstract;
                class.is_interface = model.head.is_interface;
            }
            for field in model.fields {
                let key = format!("{}:{}", field.name, types::descriptor(self.program, field.ty));
                loaded.fields.entry(key).or_insert_with(|| {
                    let field = self.program.new_field(field);
                    class.fields.push(field);
                    field
                });
            }
            for (method, code) in model.methods {
                let params = method.params.get(usize::from(method.kind != MethodKind::Static)..).unwrap_or(&[]);
                let key = format!("{}{}", method.name, self.descriptor(params, method.result));
                let id = *loaded.methods.entry(key).or_insert_with(|| {
                    let method = self.program.new_method(method);
                    class.methods.push(method);
                    method
                });
                found.push((id, code));
            }
        }
        found
    }

    /// Adds the synthetic members to a class that are not in its class file.
    pub(super) fn add_made(self, class: &mut Class, loaded: &mut JavaClass) {
        let hidden = match loaded.name.as_str() {
            classes::CLASS => classes::HIDDEN_FIELDS,
            "java.lang.Throwable" => synthetic::traps::HIDDEN_FIELDS,
            _ => &[],
        };
        for (name, descriptor) in hidden {
            let Some(ty) = types::field_type(self.program, descriptor) else { continue };
            self.add_field(class, loaded, name, ty);
        }
        if loaded.name == types::OBJECT {
            self.add_methods(class, loaded, vec![models::counts_monitors()]);
        }
        if loaded.name == classes::CLASS {
            self.add_methods(class, loaded, classes::class_methods(self));
        }
        if loaded.name == types::STRING {
            self.add_methods(class, loaded, vec![synthetic::entry::keep_within_bound()]);
        }
        let is_made = loaded.file.is_none() && !models::has_class(&loaded.name);
        if !is_made && (!class.is_abstract || loaded.name == types::OBJECT) {
            self.add_methods(class, loaded, classes::object_methods(self, Type::Class(loaded.id)));
        }
        let accessors = models::object_methods(self, class, loaded);
        self.add_methods(class, loaded, accessors);
    }

    fn add_methods(self, class: &mut Class, loaded: &mut JavaClass, methods: Vec<MadeMethod>) {
        for MadeMethod { name, params, result, build } in methods {
            let descriptor = self.descriptor(&params, result);
            let params = [Type::Class(loaded.id)].into_iter().chain(params).collect();
            let key = format!("{name}{descriptor}");
            let method = Method::synthetic(loaded.id, MethodKind::Instance, &name, params, result);
            let method = self.new_method(method, move |java| build(java));
            class.methods.push(method);
            loaded.methods.insert(key, method);
        }
    }

    /// Adds a synthetic static field.
    pub(crate) fn new_static_field(self, name: &str, ty: Type) -> FieldId {
        let class = self.runtime();
        self.program.new_field(Field { name: name.to_string(), class, ty, is_static: true, span: Span::NONE })
    }

    /// The descriptor of a method.
    pub(crate) fn descriptor(self, params: &[Type], result: Option<Type>) -> String {
        let params: String = params.iter().map(|&ty| types::descriptor(self.program, ty)).collect();
        let result = result.map_or("V".to_string(), |ty| types::descriptor(self.program, ty));
        format!("({params}){result}")
    }
}
