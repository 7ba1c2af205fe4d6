//! Builds programs, all at once or on demand.

use super::{
    ArrayTypeId, Class, ClassId, ClassSlot, Field, FieldId, Method, MethodId, MethodSlot, Program, Tables, Trap, Type,
    whole,
};
use crate::body::Body;
use crate::loader::Loader;
use crate::profile::Profile;
use crate::span::{FileId, SourceFile, Span};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Building all at once.
impl Program {
    /// Adds a class whose superclass and interfaces are in the program already. [`Program::add_field`] and
    /// [`Program::add_method`] fill its `fields` and `methods`. A later class of the same name hides an earlier one
    /// from [`Program::class_named`]; front ends report such clashes before.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        let slot = ClassSlot { name: class.name.clone(), ..ClassSlot::default() };
        let id = ClassId(self.tables.classes.push(slot) as u32);
        whole(self.tables.names.write()).classes.insert(class.name.clone(), id);
        self.prepare(id, &class);
        self.tables.classes[id.index()].loaded.get_or_init(|| class);
        id
    }

    /// Enters a class that is being loaded into the tables.
    pub(super) fn prepare(&self, id: ClassId, class: &Class) {
        let slot = &self.tables.classes[id.index()];
        for parent in class.superclass.iter().chain(&class.interfaces) {
            whole(self.tables.classes[parent.index()].subclasses.write()).push(id);
        }
        let mut declared: FxHashMap<String, Vec<MethodId>> = FxHashMap::default();
        for &method in &class.methods {
            declared.entry(self.method(method).name.clone()).or_default().push(method);
        }
        slot.declared.get_or_init(|| declared);
        self.note_new_subtypes();
    }

    /// The tables, for changes; a copy if another program shares them.
    pub(super) fn tables_mut(&mut self) -> &mut Tables {
        self.note_new_subtypes();
        Arc::make_mut(&mut self.tables)
    }

    fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.tables_mut().classes.get_mut(id.index())?.loaded.get_mut()
    }

    fn set_parent(&self, class: ClassId, parent: ClassId) {
        whole(self.tables.classes[parent.index()].subclasses.write()).push(class);
        self.note_new_subtypes();
    }

    /// Makes `superclass` the parent of `class` instead of its former parent, for front ends that see classes before
    /// their parents.
    pub fn set_superclass(&mut self, class: ClassId, superclass: ClassId) {
        let former = self.class_mut(class).and_then(|class| class.superclass.replace(superclass));
        if let Some(former) = former {
            whole(self.tables.classes[former.index()].subclasses.write()).retain(|&sub| sub != class);
        }
        self.set_parent(class, superclass);
    }

    /// Adds `interface` to the direct superinterfaces of `class`, for front ends that see classes before their
    /// interfaces.
    pub fn add_interface(&mut self, class: ClassId, interface: ClassId) {
        if let Some(class) = self.class_mut(class) {
            class.interfaces.push(interface);
        }
        self.set_parent(class, interface);
    }

    /// Sets the place where a class is declared, for front ends that see classes before their declarations.
    pub fn set_class_span(&mut self, class: ClassId, span: Span) {
        if let Some(class) = self.class_mut(class) {
            class.span = span;
        }
    }

    /// Adds a field to its class.
    pub fn add_field(&mut self, field: Field) -> FieldId {
        let class = field.class;
        let id = self.new_field(field);
        if let Some(class) = self.class_mut(class) {
            class.fields.push(id);
        }
        id
    }

    /// Adds a method to its class.
    pub fn add_method(&mut self, method: Method) -> MethodId {
        let (class, name) = (method.class, method.name.clone());
        let id = self.new_method(method);
        if let Some(class) = self.class_mut(class) {
            class.methods.push(id);
        }
        if let Some(declared) =
            self.tables_mut().classes.get_mut(class.index()).and_then(|slot| slot.declared.get_mut())
        {
            declared.entry(name).or_default().push(id);
        }
        id
    }

    /// Sets the code of a method.
    pub fn set_body(&mut self, method: MethodId, body: Body) {
        if let Some(slot) = self.tables_mut().methods.get_mut(method.index()) {
            slot.body = OnceLock::from(Some(body));
            slot.method.is_abstract = false;
        }
    }

    /// Sets the class of the objects that `trap` throws.
    pub fn set_trap_class(&mut self, trap: Trap, class: ClassId) {
        self.tables_mut().trap_classes.insert(trap, class);
    }

    /// Makes `trap` call a static method that throws the exception, instead of throwing a new object of the trap's
    /// class with default values in its fields. See [`Program::trap_thrower`].
    pub fn set_trap_thrower(&mut self, trap: Trap, method: MethodId) {
        self.tables_mut().trap_throwers.insert(trap, method);
    }

    /// Sets the profile of the program's language.
    pub fn set_profile(&mut self, profile: Profile) {
        self.tables_mut().profile = profile;
    }

    /// Makes the program grow on demand.
    pub fn set_loader(&mut self, loader: Arc<dyn Loader>) {
        self.tables_mut().loader = Some(loader);
    }
}

/// Building on demand.
impl Program {
    /// Adds a source file.
    pub fn add_file(&self, file: SourceFile) -> FileId {
        let _growing = whole(self.tables.names.write());
        FileId(self.tables.files.push(file) as u32)
    }

    /// The class with this name, for loaders. It need not be loaded, or even exist.
    pub fn declare_class(&self, name: &str) -> ClassId {
        if let Some(&id) = whole(self.tables.names.read()).classes.get(name) {
            return id;
        }
        let mut names = whole(self.tables.names.write());
        if let Some(&id) = names.classes.get(name) {
            return id;
        }
        let id = ClassId(self.tables.classes.push(ClassSlot { name: name.to_string(), ..ClassSlot::default() }) as u32);
        names.classes.insert(name.to_string(), id);
        id
    }

    /// Adds a field; the loader lists it in its class.
    pub fn new_field(&self, field: Field) -> FieldId {
        let _growing = whole(self.tables.names.write());
        FieldId(self.tables.fields.push(field) as u32)
    }

    /// Adds a method; the loader lists it in its class.
    pub fn new_method(&self, method: Method) -> MethodId {
        let _growing = whole(self.tables.names.write());
        MethodId(self.tables.methods.push(MethodSlot { method, body: OnceLock::new() }) as u32)
    }

    /// The type of arrays with elements of type `element`.
    pub fn array_of(&self, element: Type) -> Type {
        if let Some(&id) = whole(self.tables.names.read()).arrays.get(&element) {
            return Type::Array(id);
        }
        let mut names = whole(self.tables.names.write());
        let id = *names
            .arrays
            .entry(element)
            .or_insert_with(|| ArrayTypeId(self.tables.array_elements.push(element) as u32));
        Type::Array(id)
    }
}
