//! Makes the classes of the program model from types, and synthetic classes.

use super::{ClassKind, Code, Cs, FieldDecl, FieldSlot, MadeClass, MadeMethod};
use crate::assemblies::{TypeDefId, whole};
use crate::layout::Shape;
use crate::members::MethodKey;
use crate::synthetic;
use crate::types::{Kind, Result, Ty, TyId};
use aback_cil::Access;
use aback_ir::{Class, ClassId, Field, FieldId, FieldUse, Method, MethodId, MethodKind, Span, Type};
use std::sync::Arc;

impl<'a> Cs<'a> {
    /// The class for what a class stands for.
    pub(crate) fn class_for(self, kind: ClassKind) -> ClassId {
        if let Some(&known) = whole(self.loader.classes.read()).get(&kind) {
            return known;
        }
        let mut name = synthetic::class_name(self, &kind);
        let generic = match kind {
            ClassKind::Type(ty) => {
                self.declared(ty).filter(|(_, arguments)| !arguments.is_empty()).map(|(of, _)| (of, ty))
            }
            _ => None,
        };
        // Types of several assemblies may have the same name.
        loop {
            let id = self.program.declare_class(&name);
            let mut kinds = whole(self.loader.kinds.write());
            match kinds.get(&id) {
                None => {
                    kinds.insert(id, kind.clone());
                    drop(kinds);
                    whole(self.loader.classes.write()).insert(kind, id);
                    if let Some((declared, ty)) = generic {
                        whole(self.loader.instances.write()).entry(declared).or_default().push(ty);
                        self.program.note_new_subtypes();
                    }
                    return id;
                }
                Some(known) if *known == kind => return id,
                Some(_) => name.push('\''),
            }
        }
    }

    /// The class of the objects of a type; for a struct or an enum, of its boxes.
    pub(crate) fn class_of(self, ty: TyId) -> ClassId {
        self.class_for(ClassKind::Type(self.plain_array(ty).unwrap_or(ty)))
    }

    /// The class of managed pointers to places of a shape.
    pub(crate) fn reference_class(self, shape: &Shape) -> ClassId {
        self.class_for(ClassKind::Reference(shape.clone()))
    }

    /// The root class.
    pub(crate) fn object_class(self) -> ClassId {
        match self.library("System", "Object") {
            Ok(object) => self.class_of(object),
            Err(_) => self.class_for(ClassKind::Runtime),
        }
    }

    /// The class of strings.
    pub(crate) fn string_class(self) -> ClassId {
        match self.library("System", "String") {
            Ok(string) => self.class_of(string),
            Err(_) => self.class_for(ClassKind::Runtime),
        }
    }

    /// A class of the class library.
    pub(crate) fn library_class(self, namespace: &str, name: &str) -> Result<ClassId> {
        self.library(namespace, name).map(|ty| self.class_of(ty))
    }

    /// Reads the declaration of a type.
    pub(super) fn load(self, id: ClassId, ty: TyId) -> Result<Class> {
        if matches!(self.ty(ty), Ty::Array(_) | Ty::Grid(..)) {
            return synthetic::arrays::class(self, ty).map(|made| self.make(id, made));
        }
        let (declared, _) = self.declared(ty).ok_or("no such class")?;
        let module = self.loader.assemblies.module(declared.assembly);
        let read = &module.assembly;
        let def = read.type_def(declared.row).map_err(|error| error.to_string())?;
        let is_value = self.is_value(ty);
        let mut class = Class {
            name: self.program.class_name(id).to_string(),
            superclass: self.base(ty).map(|base| self.class_of(base)),
            interfaces: self.interfaces(ty).iter().map(|&interface| self.class_of(interface)).collect(),
            fields: Vec::new(),
            methods: Vec::new(),
            // The objects of a delegate type are of synthetic classes.
            is_abstract: def.is_abstract() || self.kind(ty) == Kind::Delegate,
            is_final: (def.is_sealed() || is_value) && self.kind(ty) != Kind::Delegate,
            is_interface: def.is_interface(),
            is_library: !module.is_own,
            span: Span { file: self.file_at(module.path.clone(), || None), line: 0, column: 0, length: 0 },
        };
        if is_value {
            // Unboxing makes a managed pointer to the contents of the box.
            class.interfaces.push(self.reference_class(&self.shape(ty)?));
        }
        if let Kind::Enum(underlying) = self.kind(ty) {
            class.interfaces.push(self.class_for(ClassKind::EnumOf(underlying)));
        }
        if self.declared(ty).is_some() && !matches!(self.ty(ty), Ty::Named(..)) {
            let field = Field {
                name: synthetic::BOXED.into(),
                class: id,
                ty: self.ir_type(ty)?,
                is_static: false,
                span: Span::NONE,
            };
            class.fields.push(self.program.new_field(field));
        }
        let generics = self.generics_of(ty, Arc::new([]));
        let is_inline = self.inline_array(ty).is_some();
        for row in def.fields.clone() {
            let Ok(field) = read.field(row) else { continue };
            // The contents of a string are an array of characters.
            let is_replaced = !matches!(self.ty(ty), Ty::Named(..)) || id == self.string_class();
            if field.is_literal() || is_replaced && !field.is_static() {
                continue;
            }
            let field_ty = self.resolve(declared.assembly, &field.signature, &generics)?;
            // The field of an inline array stands for all elements.
            let stored = if is_inline && !field.is_static() { ty } else { field_ty };
            let leaves = match self.leaves(stored) {
                Ok(leaves) => leaves,
                // Code that accesses the field is refused.
                Err(_) => continue,
            };
            let name = shown_field(field.name);
            // Where the compiler keeps lambdas that capture nothing, their only target, and delegates of static methods:
            // whether one has been made before cannot be seen.
            let is_cache = field.name.starts_with("<>9") || def.name.starts_with("<>O");
            let holder = if field.is_static() && is_cache { self.class_for(ClassKind::Runtime) } else { id };
            let ids: Vec<FieldId> = leaves
                .iter()
                .map(|leaf| {
                    let name = if leaf.path.is_empty() { name.clone() } else { format!("{name}.{}", leaf.path) };
                    let is_static = field.is_static();
                    self.program.new_field(Field { name, class: holder, ty: leaf.ty, is_static, span: Span::NONE })
                })
                .collect();
            if holder == id {
                class.fields.extend(&ids);
            }
            if module.is_own {
                let access = if is_cache { Access::Private } else { field.access() };
                whole(self.loader.field_accesses.write()).extend(ids.iter().map(|&id| (id, access)));
            }
            let is_public = def.visibility().is_public() && field.access() == Access::Public;
            if module.is_own && is_public {
                let usable = if field.is_init_only() { FieldUse::Read } else { FieldUse::Assign };
                whole(self.loader.uses_outside.write()).extend(ids.iter().map(|&id| (id, usable)));
            }
            let slot = FieldSlot { ty: field_ty, is_static: field.is_static(), ids };
            whole(self.loader.fields.write()).insert((ty, row), Arc::new(slot));
        }
        let hidden = synthetic::add_hidden(self, ty, id, &mut class);
        self.add_methods(&mut class, Type::Class(id), hidden);
        if is_value {
            let made = synthetic::references::of_box(self, ty)?;
            self.add_methods(&mut class, Type::Class(id), made);
        }
        if module.is_own {
            // An instance of a generic type has the methods that run without being named. Others are made where they are
            // called.
            let is_instance = !generics.of_type.is_empty();
            for row in def.methods.clone() {
                let Ok(method) = read.method(row) else { continue };
                let is_unnamed = method.is_virtual() || method.is_constructor();
                if method.signature.generic_arity == 0 && (is_unnamed || !is_instance) {
                    class.methods.push(self.method(&MethodKey { owner: ty, row, arguments: Arc::new([]) }));
                }
            }
        }
        if module.is_own {
            let spans = def.methods.clone().map(|row| self.method_span(declared.assembly, row));
            class.span = spans.filter(|span| span.is_known()).min_by_key(|span| span.line).unwrap_or(class.span);
        }
        Ok(class)
    }

    /// Makes a synthetic class.
    pub(super) fn make(self, id: ClassId, made: MadeClass) -> Class {
        let mut class = Class::missing(self.program.class_name(id).to_string());
        class.superclass = made.superclass;
        class.interfaces = made.interfaces;
        class.is_abstract = made.is_interface;
        class.is_interface = made.is_interface;
        class.is_final = made.is_final;
        for (name, ty) in made.fields {
            let field = Field { name, class: id, ty, is_static: false, span: Span::NONE };
            class.fields.push(self.program.new_field(field));
        }
        self.add_methods(&mut class, made.receiver.unwrap_or(Type::Class(id)), made.methods);
        class
    }

    fn add_methods(self, class: &mut Class, receiver: Type, methods: Vec<MadeMethod>) {
        let id = self.program.declare_class(&class.name);
        for MadeMethod { name, params, result, build } in methods {
            let params = [receiver].into_iter().chain(params).collect();
            let method = Method::synthetic(id, MethodKind::Instance, &name, params, result);
            let method = self.program.new_method(Method { is_abstract: build.is_none(), ..method });
            if let Some(build) = build {
                whole(self.loader.code.write()).insert(method, Code::Built(build));
            }
            class.methods.push(method);
        }
    }

    /// The method of a synthetic class with this name.
    pub(crate) fn made_method(self, class: ClassId, name: &str) -> Result<MethodId> {
        let found = self.program.methods_named(class, name).first().copied();
        found.ok_or_else(|| format!("{}.{name}", self.program.class_name(class)))
    }

    /// The instance fields that a struct or class itself declares, in order.
    pub(crate) fn instance_fields(self, ty: TyId) -> Result<Arc<[FieldDecl]>> {
        if let Some(known) = whole(self.loader.instance_fields.read()).get(&ty) {
            return known.clone();
        }
        let found = self.read_instance_fields(ty);
        whole(self.loader.instance_fields.write()).entry(ty).or_insert(found).clone()
    }

    fn read_instance_fields(self, ty: TyId) -> Result<Arc<[FieldDecl]>> {
        let (declared, _) = self.declared(ty).ok_or("a type without a declaration")?;
        let read = self.assembly(declared.assembly);
        let def = read.type_def(declared.row).map_err(|error| error.to_string())?;
        let generics = self.generics_of(ty, Arc::new([]));
        let mut found = Vec::new();
        let mut offsets = Vec::new();
        for row in def.fields.clone() {
            let field = read.field(row).map_err(|error| error.to_string())?;
            if field.is_static() {
                continue;
            }
            offsets.extend(read.field_offset(row));
            let field_ty = self.resolve(declared.assembly, &field.signature, &generics)?;
            found.push(FieldDecl { row, name: shown_field(field.name), ty: field_ty });
        }
        let count = offsets.len();
        offsets.sort_unstable();
        offsets.dedup();
        if count > 1 && def.is_explicit_layout() && self.is_value(ty) {
            return Err(format!("the struct {}, whose fields may overlap", self.name(ty)));
        }
        Ok(found.into())
    }

    /// The names of the classes of a type's attributes.
    pub(crate) fn attributes(self, declared: TypeDefId) -> Vec<String> {
        let read = self.assembly(declared.assembly);
        let token = aback_cil::Token::new(aback_cil::Table::TypeDef, declared.row);
        let attributes = read.custom_attributes(token);
        attributes.iter().filter_map(|attribute| read.full_name(read.attribute_class(attribute)?)).collect()
    }

    /// A field: the fields of the program model for its leaves.
    pub(crate) fn field(self, owner: TyId, row: u32) -> Result<Arc<FieldSlot>> {
        let class = self.class_of(owner);
        self.program.class(class);
        if let Some(known) = whole(self.loader.fields.read()).get(&(owner, row)) {
            return Ok(known.clone());
        }
        if let Some(reason) = whole(self.loader.missing.read()).get(&class) {
            return Err(reason.clone());
        }
        let (declared, _) = self.declared(owner).ok_or("a field of no class")?;
        let name = self.assembly(declared.assembly).field(row).map(|field| field.name.to_string()).unwrap_or_default();
        Err(format!("the field {}.{name}, whose type is not supported", self.name(owner)))
    }

    /// The fields for the leaves of the contents of a box.
    pub(crate) fn boxed_fields(self, ty: TyId) -> Result<Vec<FieldId>> {
        let class = self.class_of(ty);
        let declared = self.program.class(class);
        if let Some(reason) = whole(self.loader.missing.read()).get(&class) {
            return Err(reason.clone());
        }
        let fields = declared.fields.iter().copied().filter(|&field| !self.program.field(field).is_static);
        Ok(fields.collect())
    }
}

/// The name of a field as users know it: that of an automatic property is the name of the property.
fn shown_field(name: &str) -> String {
    match name.strip_prefix('<').and_then(|rest| rest.strip_suffix(">k__BackingField")) {
        Some(property) => property.to_string(),
        None => name.to_string(),
    }
}
