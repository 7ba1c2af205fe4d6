//! Reads the declarations of class files.

use super::{Declared, Java, JavaClass, JavaLoader, StaticConstant, whole};
use crate::classfile::{self, ClassFile};
use crate::classpath::{ClassBytes, Origin, Warning, header};
use crate::conditions;
use crate::declaration;
use crate::models;
use crate::synthetic;
use crate::types::{self, internal_name, method_types};
use aback_ir::{Class, ClassId, Const, Field, FieldUse, FileId, Method, MethodKind, Program, SourceFile, Span, Type};
use cafebabe::constant_pool::LiteralConstant;
use cafebabe::{ClassAccessFlags, FieldAccessFlags, MethodAccessFlags, MethodInfo};
use std::path::PathBuf;
use std::sync::Arc;

impl JavaLoader {
    fn file(&self, program: &Program, package: &str, name: &str) -> FileId {
        let found = self.classpath.source(package, name);
        let file = found.unwrap_or_else(|| {
            let path = if package.is_empty() { PathBuf::from(name) } else { PathBuf::from(package).join(name) };
            SourceFile { path, text: None }
        });
        *whole(self.files.write()).entry(file.path.clone()).or_insert_with(|| program.add_file(file))
    }

    /// Reads the class file of a class.
    pub(super) fn read(&self, program: &Program, id: ClassId) -> Result<Declared, String> {
        let name = program.class_name(id).to_string();
        let internal = internal_name(&name);
        let found = if models::replaces(&name) { None } else { self.classpath.find(&internal) };
        let Some(found) = found else {
            let java = Java { program, loader: self };
            return if models::has_class(&name) { Ok(java.made_class(id, None)) } else { Err("no such class".into()) };
        };
        let is_library = !matches!(found.origin, Origin::User { .. }) || conditions::is_class_of_conditions(&name);
        let is_trusted = found.origin == Origin::Library;
        let file = self.parse(&internal, found)?;
        let (class, mut loaded, code) = file.with(|tree| self.header(program, id, name, is_library, tree));
        loaded.file = Some(file);
        loaded.is_trusted = is_trusted;
        if let Some(clash) = loaded.clash(Java { program, loader: self }, &class).filter(|_| !is_trusted) {
            return Err(format!("it declares {clash}, whose name is taken by what the virtual machine does"));
        }
        Ok((class, loaded, code))
    }

    /// Parses a class file. If it belongs to the user and cannot be used, this also adds a warning.
    fn parse(&self, internal: &str, ClassBytes { bytes, origin }: ClassBytes) -> Result<Arc<ClassFile>, String> {
        let parse = |bytes| ClassFile::parse(bytes).map(Arc::new);
        let path = match (origin, self.classpath.library()) {
            (Origin::Library, Ok(library)) => return library.parsed(internal, bytes),
            (Origin::Library, Err(_)) => return parse(bytes),
            (Origin::User { path } | Origin::Extra { path }, _) => path,
        };
        self.admit(internal, &bytes).and_then(|()| parse(bytes)).inspect_err(|reason| {
            let class = types::class_name(internal);
            self.classpath.warn(Warning::BadClass { class, path, reason: reason.clone() });
        })
    }

    /// Whether a class outside of the JDK can be loaded; if not, the reason in readable form.
    fn admit(&self, internal: &str, bytes: &[u8]) -> Result<(), String> {
        let jdk = self.classpath.library().ok().and_then(|library| library.version());
        match (header::declaration(bytes), jdk) {
            (Some(own), Some(jdk)) if u32::from(own.release) > jdk => {
                return Err(format!("it is for Java {}, and the JDK is of Java {jdk}", own.release));
            }
            _ => {}
        }
        self.hierarchy.problem(&self.classpath, internal).map_or(Ok(()), Err)
    }

    /// The declarations of a class file.
    fn header(
        &self,
        program: &Program,
        id: ClassId,
        name: String,
        is_library: bool,
        tree: &cafebabe::ClassFile<'_>,
    ) -> Declared {
        let internal = internal_name(&name);
        let package = internal.rsplit_once('/').map_or("", |(package, _)| package);
        let own_name = internal.rsplit('/').next().unwrap_or(&internal);
        let source = self.file(program, package, classfile::source_file(tree).unwrap_or(own_name));
        let flags = tree.access_flags;
        let span = Span { file: source, line: 0, column: 0, length: 0 };
        let is_interface = flags.contains(ClassAccessFlags::INTERFACE);
        let superclass = tree.super_class.as_ref().map(|name| program.declare_class(&types::class_name(name)));
        let mut class = Class {
            name: name.clone(),
            // In class files every interface has the superclass Object, but in the program model it has none.
            superclass: superclass.filter(|_| !is_interface),
            interfaces: tree.interfaces.iter().map(|name| program.declare_class(&types::class_name(name))).collect(),
            fields: Vec::new(),
            methods: Vec::new(),
            is_abstract: flags.contains(ClassAccessFlags::ABSTRACT),
            is_final: flags.contains(ClassAccessFlags::FINAL),
            is_interface,
            is_library,
            span,
        };
        let mut loaded = JavaClass { source, is_library, ..JavaClass::new(id, name, flags) };
        for field in &tree.fields {
            let descriptor = field.descriptor.to_string();
            let Some(ty) = types::field_type(program, &descriptor) else { continue };
            let is_static = field.access_flags.contains(FieldAccessFlags::STATIC);
            let field_id = program.new_field(Field { name: field.name.to_string(), class: id, ty, is_static, span });
            class.fields.push(field_id);
            loaded.fields.insert(format!("{}:{descriptor}", field.name), field_id);
            if field.access_flags.contains(FieldAccessFlags::PRIVATE) {
                loaded.private_fields.insert(field_id);
            }
            let is_public =
                flags.contains(ClassAccessFlags::PUBLIC) && field.access_flags.contains(FieldAccessFlags::PUBLIC);
            if is_public {
                let is_final = field.access_flags.contains(FieldAccessFlags::FINAL);
                loaded.uses_outside.insert(field_id, if is_final { FieldUse::Read } else { FieldUse::Assign });
            }
            let constant = classfile::constant_value(field).filter(|_| is_static);
            if let Some(constant) = constant.and_then(|literal| static_constant(literal, ty)) {
                let is_final = field.access_flags.contains(FieldAccessFlags::FINAL);
                loaded.constants.insert(field_id, (constant, is_final));
            }
        }
        let mut code = Vec::new();
        for (index, method) in tree.methods.iter().enumerate() {
            let descriptor = method.descriptor.to_string();
            let Some(declared) = declared_method(program, id, method, &descriptor, span) else { continue };
            let method_id = program.new_method(declared);
            class.methods.push(method_id);
            // Only synthetic code calls the method of a condition.
            if !conditions::is_condition(&method.name) || method.access_flags.contains(MethodAccessFlags::SYNTHETIC) {
                loaded.methods.insert(format!("{}{descriptor}", method.name), method_id);
            }
            if method.access_flags.intersects(MethodAccessFlags::PRIVATE | MethodAccessFlags::FINAL) {
                loaded.fixed.insert(method_id);
            }
            code.push((method_id, index));
        }
        (class, loaded, code)
    }
}

fn static_constant(literal: &LiteralConstant<'_>, ty: Type) -> Option<StaticConstant> {
    Some(StaticConstant::Value(match (literal, ty) {
        (LiteralConstant::Integer(value), Type::Bool) => Const::Bool(*value != 0),
        (LiteralConstant::Integer(value), types::BYTE) => Const::Int((*value as i8).into(), ty),
        (LiteralConstant::Integer(value), types::SHORT) => Const::Int((*value as i16).into(), ty),
        (LiteralConstant::Integer(value), types::CHAR) => Const::Int((*value as u16).into(), ty),
        (LiteralConstant::Integer(value), types::INT) => Const::Int((*value).into(), ty),
        (LiteralConstant::Long(value), types::LONG) => Const::Int((*value).into(), ty),
        (LiteralConstant::Float(value), Type::F32) => Const::F32(value.to_bits()),
        (LiteralConstant::Double(value), Type::F64) => Const::F64(value.to_bits()),
        (literal, _) => return Some(StaticConstant::String(synthetic::constants::units(literal)?)),
    }))
}

fn declared_method(
    program: &Program,
    class: ClassId,
    method: &MethodInfo<'_>,
    descriptor: &str,
    span: Span,
) -> Option<Method> {
    let (mut params, result) = method_types(program, descriptor)?;
    let flags = method.access_flags;
    let kind = if flags.contains(MethodAccessFlags::STATIC) {
        MethodKind::Static
    } else if method.name == "<init>" {
        MethodKind::Constructor
    } else {
        MethodKind::Instance
    };
    if kind != MethodKind::Static {
        params.insert(0, Type::Class(class));
    }
    let line = classfile::code(method).and_then(|code| classfile::first_line(&code.attributes));
    let line = line.filter(|_| !conditions::is_condition(&method.name)).unwrap_or(0);
    Some(Method {
        name: method.name.to_string(),
        class,
        kind,
        params,
        result,
        access: declaration::access_of(flags),
        is_abstract: flags.contains(MethodAccessFlags::ABSTRACT),
        span: Span { line, ..span },
    })
}
