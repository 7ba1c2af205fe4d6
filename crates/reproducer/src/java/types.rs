//! Names the program's classes and types in the sources of the reproducer, which is in a package.

use super::build::scalar;
use aback_ir::{ClassId, FieldId, MethodId, Program, Type};
use aback_lang_java::{Access, ClassDeclaration, JavaLoader};
use aback_witness::InputValue;
use std::collections::BTreeMap;

/// The names that a class of one package can use.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) program: &'a Program,
    pub(crate) java: &'a JavaLoader,
    pub(crate) package: &'a str,
}

/// The package of a class, from the class's full name; empty if it has none.
pub(crate) fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

impl Names<'_> {
    /// The declaration in the class file, if the class can be named here.
    pub(crate) fn visible(&self, class: ClassId) -> Option<ClassDeclaration> {
        let declaration = self.java.class_declaration(self.program, class)?;
        let own = package(self.program.class_name(class));
        let is_here = own == self.package;
        // A class without a package cannot be named from within a package.
        let is_nameable =
            is_here || (declaration.access == Access::Public && !own.is_empty() && !self.is_inside_of_jdk(own));
        (is_nameable && declaration.access != Access::Private).then_some(declaration)
    }

    /// Whether a package belongs to the JDK and is treated as not exported. Exported packages begin with `java.` or
    /// `javax.`, except for a few standards, which `Class.forName` finds as well.
    fn is_inside_of_jdk(&self, package: &str) -> bool {
        let is_standard = ["java.", "javax."].iter().any(|start| package.starts_with(start));
        let library = self.java.classpath().library().ok();
        !is_standard && library.is_some_and(|library| library.module(&package.replace('.', "/")).is_some())
    }

    /// The name of a class; `None` if sources here cannot name it.
    pub(crate) fn class(&self, class: ClassId) -> Option<String> {
        let full = self.visible(class)?.name;
        let own = package(self.program.class_name(class));
        if own == self.package {
            return Some(full.strip_prefix(own).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&full).to_string());
        }
        if let Some(simple) = full.strip_prefix("java.lang.").filter(|simple| !simple.contains('.')) {
            let hidden =
                if self.package.is_empty() { simple.to_string() } else { format!("{}.{simple}", self.package) };
            if self.program.class_named(&hidden).is_none() {
                return Some(simple.to_string());
            }
        }
        Some(full)
    }

    /// The name of a type; `None` if sources here cannot name it.
    pub(crate) fn ty(&self, ty: Type) -> Option<String> {
        match ty {
            Type::Class(class) => self.class(class),
            Type::Array(array) => Some(format!("{}[]", self.ty(self.program.element_type(array))?)),
            Type::Null => None,
            primitive => Some(self.program.show_type(primitive)),
        }
    }

    /// An expression for the class object of a type.
    pub(crate) fn class_object(&self, ty: Type) -> String {
        match self.ty(ty) {
            Some(name) => format!("{name}.class"),
            None => format!("Class.forName(\"{}\")", self.binary(ty)),
        }
    }

    /// The name of a type for `Class.forName`.
    fn binary(&self, ty: Type) -> String {
        match ty {
            Type::Class(class) => self.program.class_name(class).to_string(),
            Type::Array(array) => match self.program.element_type(array) {
                Type::Class(class) => format!("[L{};", self.program.class_name(class)),
                element => format!("[{}", self.binary(element)),
            },
            other => self.program.show_type(other),
        }
    }

    /// Whether a member with this access can be named; its class can be.
    fn reaches(&self, class: ClassId, access: Access) -> bool {
        match access {
            Access::Private => false,
            Access::Public => true,
            Access::Package | Access::Protected => package(self.program.class_name(class)) == self.package,
        }
    }

    /// Whether the field can be assigned through a variable of type `class`, which is the exact class of the object.
    pub(crate) fn can_write(&self, class: ClassId, field: FieldId) -> bool {
        let is_final = || self.java.field_declaration(self.program, field).is_none_or(|member| member.is_final);
        self.can_read(class, field) && !is_final()
    }

    /// Whether the field can be read through an expression of type `class`.
    pub(crate) fn can_read(&self, class: ClassId, field: FieldId) -> bool {
        let declared = self.program.field(field);
        let Some(member) = self.java.field_declaration(self.program, field) else { return false };
        !member.is_synthetic
            && self.program.find_field(class, &declared.name) == Some(field)
            && self.visible(class).is_some()
            && self.visible(declared.class).is_some()
            && self.reaches(declared.class, member.access)
    }

    /// Whether a method or constructor can be called.
    pub(crate) fn can_call(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let Some(member) = self.java.method_declaration(self.program, method) else { return false };
        !member.is_synthetic && self.visible(declared.class).is_some() && self.reaches(declared.class, member.access)
    }

    /// An expression for a number or truth value as an object, if the class is that of such objects.
    pub(crate) fn boxed(&self, class: ClassId, fields: &BTreeMap<FieldId, InputValue>) -> Option<String> {
        let program = self.program;
        program.profile().boxes.contains(&class).then_some(())?;
        let declared = |field: &FieldId| self.java.field_declaration(program, *field).is_some();
        let field = program.instance_fields(class).into_iter().find(declared)?;
        let ty = program.field(field).ty;
        let default = InputValue::default_of(ty);
        let value = scalar(fields.get(&field).unwrap_or(&default), ty);
        let name = self.class(class)?;
        Some(match ty {
            Type::Machine { width: 8 | 16, signed: true } => {
                format!("{name}.valueOf(({}) {value})", program.show_type(ty))
            }
            _ => format!("{name}.valueOf({value})"),
        })
    }
}
