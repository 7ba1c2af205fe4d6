//! Programs grow: all at once, or on demand.

use super::{
    ArrayTypeId, Class, ClassId, ClassSlot, Field, FieldId, InputRules, Method, MethodId, MethodSlot, Program,
    StringLayout, Trap, Type, TypeWords, whole,
};
use crate::body::Body;
use crate::loader::Loader;
use crate::span::{FileId, SourceFile, Span};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// All at once.
impl Program {
    /// Adds a class whose superclass and interfaces are in the program already. Its `fields` and `methods` are
    /// filled by [`Program::add_field`] and [`Program::add_method`]. A later class of the same name hides an
    /// earlier one from [`Program::class_named`]: front ends report such clashes before.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        let slot = ClassSlot { name: class.name.clone(), ..ClassSlot::default() };
        let id = ClassId(self.classes.push(slot) as u32);
        whole(self.names.write()).classes.insert(class.name.clone(), id);
        self.prepare(id, &class);
        self.classes[id.index()].loaded.get_or_init(|| class);
        id
    }

    /// Enters a class that is being loaded into the tables of others.
    pub(super) fn prepare(&self, id: ClassId, class: &Class) {
        let slot = &self.classes[id.index()];
        for parent in class.superclass.iter().chain(&class.interfaces) {
            whole(self.classes[parent.index()].subclasses.write()).push(id);
        }
        let mut declared: FxHashMap<String, Vec<MethodId>> = FxHashMap::default();
        for &method in &class.methods {
            declared.entry(self.method(method).name.clone()).or_default().push(method);
        }
        slot.declared.get_or_init(|| declared);
    }

    fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.classes.get_mut(id.index())?.loaded.get_mut()
    }

    fn set_parent(&self, class: ClassId, parent: ClassId) {
        whole(self.classes[parent.index()].subclasses.write()).push(class);
    }

    /// Makes `superclass` the parent of `class`, for front ends that meet classes before their parents. A parent
    /// that the class had before is its parent no longer.
    pub fn set_superclass(&mut self, class: ClassId, superclass: ClassId) {
        let former = self.class_mut(class).and_then(|class| class.superclass.replace(superclass));
        if let Some(former) = former {
            whole(self.classes[former.index()].subclasses.write()).retain(|&sub| sub != class);
        }
        self.set_parent(class, superclass);
    }

    /// Adds `interface` to those that `class` implements or extends directly, for front ends that meet classes before
    /// their interfaces.
    pub fn add_interface(&mut self, class: ClassId, interface: ClassId) {
        if let Some(class) = self.class_mut(class) {
            class.interfaces.push(interface);
        }
        self.set_parent(class, interface);
    }

    /// Says where a class is declared, for front ends that meet classes before their declarations.
    pub fn set_class_span(&mut self, class: ClassId, span: Span) {
        if let Some(class) = self.class_mut(class) {
            class.span = span;
        }
    }

    /// Adds a field to the class that it names.
    pub fn add_field(&mut self, field: Field) -> FieldId {
        let class = field.class;
        let id = self.new_field(field);
        if let Some(class) = self.class_mut(class) {
            class.fields.push(id);
        }
        id
    }

    /// Adds a method to the class that it names.
    pub fn add_method(&mut self, method: Method) -> MethodId {
        let (class, name) = (method.class, method.name.clone());
        let id = self.new_method(method);
        if let Some(class) = self.class_mut(class) {
            class.methods.push(id);
        }
        if let Some(declared) = self.classes.get_mut(class.index()).and_then(|slot| slot.declared.get_mut()) {
            declared.entry(name).or_default().push(id);
        }
        id
    }

    /// Gives a method its code.
    pub fn set_body(&mut self, method: MethodId, body: Body) {
        if let Some(slot) = self.methods.get_mut(method.index()) {
            slot.body = OnceLock::from(Some(body));
            slot.method.is_abstract = false;
        }
    }

    /// Sets the class of the objects that `trap` throws.
    pub fn set_trap_class(&mut self, trap: Trap, class: ClassId) {
        self.trap_classes.insert(trap, class);
    }

    /// Makes `trap` call a static method that throws the exception, in place of throwing a new object of the trap's class
    /// whose fields hold defaults. See [`Program::trap_thrower`].
    pub fn set_trap_thrower(&mut self, trap: Trap, method: MethodId) {
        self.trap_throwers.insert(trap, method);
    }

    /// Makes `class` the one class that arrays are instances of (`java.lang.Object`); without it, none is.
    pub fn set_array_superclass(&mut self, class: ClassId) {
        self.array_superclass = Some(class);
    }

    /// Makes arrays instances of these interfaces, too (`java.lang.Cloneable`, `java.io.Serializable`).
    pub fn set_array_interfaces(&mut self, interfaces: Vec<ClassId>) {
        self.array_interfaces = interfaces;
    }

    /// Sets the type of array lengths and indices; without it, they are unbounded integers.
    pub fn set_index_type(&mut self, ty: Type) {
        self.index_type = Some(ty);
    }

    /// Sets the most elements that an array can have. See [`Program::max_array_length`].
    pub fn set_max_array_length(&mut self, most: i64) {
        self.max_array_length = Some(most);
    }

    /// Says what the program's language calls types that are neither classes nor arrays; see [`Program::show_type`].
    pub fn set_type_words(&mut self, words: TypeWords) {
        self.type_words = Some(words);
    }

    /// Says how strings look; without it, they are objects like any other.
    pub fn set_string_layout(&mut self, layout: StringLayout) {
        self.string_layout = Some(layout);
    }

    /// Says what inputs are; without it, they are any objects.
    pub fn set_inputs(&mut self, inputs: InputRules) {
        self.inputs = inputs;
    }

    /// Says that the code leaves executions out, and what holds of those that it has.
    pub fn set_assumption(&mut self, assumption: &'static str) {
        self.assumption = Some(assumption);
    }

    /// Says which field of exceptions holds their message.
    pub fn set_message_field(&mut self, field: FieldId) {
        self.message_field = Some(field);
    }

    /// Makes the program grow on demand.
    pub fn set_loader(&mut self, loader: Arc<dyn Loader>) {
        self.loader = Some(loader);
    }
}

/// On demand.
impl Program {
    /// Adds a source file.
    pub fn add_file(&self, file: SourceFile) -> FileId {
        let _growing = whole(self.names.write());
        FileId(self.files.push(file) as u32)
    }

    /// The class of this name, which need not be loaded, nor exist, yet: for loaders.
    pub fn declare_class(&self, name: &str) -> ClassId {
        if let Some(&id) = whole(self.names.read()).classes.get(name) {
            return id;
        }
        let mut names = whole(self.names.write());
        if let Some(&id) = names.classes.get(name) {
            return id;
        }
        let id = ClassId(self.classes.push(ClassSlot { name: name.to_string(), ..ClassSlot::default() }) as u32);
        names.classes.insert(name.to_string(), id);
        id
    }

    /// A new field, which the loader lists in its class.
    pub fn new_field(&self, field: Field) -> FieldId {
        let _growing = whole(self.names.write());
        FieldId(self.fields.push(field) as u32)
    }

    /// A new method, which the loader lists in its class.
    pub fn new_method(&self, method: Method) -> MethodId {
        let _growing = whole(self.names.write());
        MethodId(self.methods.push(MethodSlot { method, body: OnceLock::new() }) as u32)
    }

    /// The type of arrays with elements of type `element`.
    pub fn array_of(&self, element: Type) -> Type {
        if let Some(&id) = whole(self.names.read()).arrays.get(&element) {
            return Type::Array(id);
        }
        let mut names = whole(self.names.write());
        let id = *names.arrays.entry(element).or_insert_with(|| ArrayTypeId(self.array_elements.push(element) as u32));
        Type::Array(id)
    }
}
