//! Declares methods and their files, static fields, and what is made once for a program.

use super::{ClassKind, Code, Cs, MOST_INSTANCES};
use crate::assemblies::{AssemblyId, TypeDefId, whole};
use crate::generics;
use crate::layout::Leaf;
use crate::members::MethodKey;
use crate::synthetic::{self, Made};
use crate::types::{Result, TyId};
use aback_ir::{
    Access, Body, Dispatch, Field, FieldId, FileId, Method, MethodId, MethodKind, OpKind, SourceFile, Span, Type,
};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl<'a> Cs<'a> {
    /// Loads the user's classes, and the instances of the user's generic classes and methods that their code uses.
    pub(crate) fn load_own(self) {
        for assembly in self.loader.assemblies.own() {
            for row in 1..=self.assembly(assembly).rows(aback_cil::Table::TypeDef) {
                let token = aback_cil::Token::new(aback_cil::Table::TypeDef, row);
                if self.assembly(assembly).generic_params(token).is_empty() {
                    let ty = self.named(TypeDefId { assembly, row }, Arc::new([]));
                    self.program.class(self.class_of(ty));
                }
            }
        }
        self.read_code();
    }

    /// The type of an assembly for what belongs to no other type: its static constructor runs the module initializers.
    pub(crate) fn module_type(self, assembly: AssemblyId) -> TyId {
        self.named(TypeDefId { assembly, row: 1 }, Arc::new([]))
    }

    /// Reads the code of the user's methods. Code makes more methods, whose code has to be read, too.
    pub(crate) fn read_code(self) {
        let mut done = 0;
        let mut selected = FxHashSet::default();
        while done < self.program.method_count() {
            let method = MethodId(done as u32);
            done += 1;
            if self.program.class(self.program.method(method).class).is_library {
                continue;
            }
            let ops = self.program.body(method).into_iter().flat_map(Body::ops);
            selected.extend(ops.filter_map(|(_, op)| match op.kind {
                OpKind::Call { dispatch: Dispatch::Virtual, method: named, .. } if self.is_generic(named) => {
                    Some(named)
                }
                _ => None,
            }));
            if done == self.program.method_count() {
                selected.iter().for_each(|&named| self.select_all(named));
            }
        }
    }

    fn is_generic(self, method: MethodId) -> bool {
        self.loader.key_of(method).is_some_and(|key| !key.arguments.is_empty())
    }

    /// Makes the instances of the user's methods that virtual calls of an instance of a generic method run.
    fn select_all(self, named: MethodId) {
        for class in self.program.subclasses(self.program.method(named).class) {
            let declared = self.program.class(class);
            if !declared.is_library && !declared.is_abstract && !declared.is_interface {
                self.program.dispatch(class, named);
            }
        }
    }

    /// The method of the program for a method with all type parameters replaced.
    pub(crate) fn method(self, key: &MethodKey) -> MethodId {
        if let Some(&known) = whole(self.loader.methods.read()).get(key) {
            return known;
        }
        let (declared, code) = self.declare(key);
        let mut methods = whole(self.loader.methods.write());
        if let Some(&known) = methods.get(key) {
            return known;
        }
        let id = self.program.new_method(declared);
        methods.insert(key.clone(), id);
        drop(methods);
        whole(self.loader.code.write()).insert(id, code);
        whole(self.loader.keys.write()).insert(id, key.clone());
        id
    }

    /// A method that runs the code that another one has without the user's models. It is called without a selection.
    pub(crate) fn method_with_code_of(self, key: &MethodKey) -> MethodId {
        let method = self.method(key);
        let name = format!("the own code of {}", method.index());
        if let Some(&known) = whole(self.loader.helpers.read()).get(&name) {
            return known;
        }
        let own = self.program.new_method(self.program.method(method).clone());
        whole(self.loader.code.write()).insert(own, Code::Own(key.clone()));
        *whole(self.loader.helpers.write()).entry(name).or_insert(own)
    }

    fn declare(self, key: &MethodKey) -> (Method, Code) {
        let class = self.class_of(key.owner);
        let mut method = Method::synthetic(class, MethodKind::Static, "?", Vec::new(), None);
        let code = self.declare_in(key, &mut method).and_then(|()| self.count_instance(key));
        let code = code.err().map(Code::Unsupported);
        (method, code.unwrap_or_else(|| Code::Cil(key.clone())))
    }

    /// Counts the instances of the user's generic methods.
    fn count_instance(self, key: &MethodKey) -> Result<()> {
        let is_own = |declared: TypeDefId| self.loader.assemblies.module(declared.assembly).is_own;
        if !generics::is_instance(self, key) || !self.declaration_of(key).is_ok_and(is_own) {
            return Ok(());
        }
        match self.loader.own_instances.fetch_add(1, Ordering::Relaxed) < MOST_INSTANCES {
            true => Ok(()),
            false => Err(format!("more than {MOST_INSTANCES} instances of generic methods")),
        }
    }

    fn declare_in(self, key: &MethodKey, method: &mut Method) -> Result<()> {
        let declared = self.declaration_of(key)?;
        let read = self.assembly(declared.assembly);
        let def = read.method(key.row).map_err(|error| error.to_string())?;
        method.name = match def.name {
            ".ctor" => "<init>".into(),
            ".cctor" => "<clinit>".into(),
            // The method of top-level statements.
            "<Main>$" => "Main".into(),
            name => name.to_string(),
        };
        if !key.arguments.is_empty() {
            let arguments: Vec<String> = key.arguments.iter().map(|&ty| self.name(ty)).collect();
            method.name = format!("{}<{}>", method.name, arguments.join(", "));
        }
        method.access = match def.access() {
            aback_cil::Access::Public => Access::Public,
            // A private method may implement an interface.
            aback_cil::Access::Private if def.is_virtual() => Access::Protected,
            aback_cil::Access::Private => Access::Private,
            _ => Access::Protected,
        };
        method.is_abstract = def.is_abstract();
        let signature = self.signature(key)?;
        method.kind = match (signature.has_this, self.is_value(key.owner), def.name) {
            (false, ..) | (_, true, _) => MethodKind::Static,
            (.., ".ctor") => MethodKind::Constructor,
            _ => MethodKind::Instance,
        };
        method.params = self.ir_params(key, &signature)?;
        method.result = self.leaves(signature.result)?.first().map(|leaf| leaf.ty);
        method.span = self.method_span(declared.assembly, key.row);
        Ok(())
    }

    /// The types of a method's parameters in the program model, with those for the receiver first.
    fn ir_params(self, key: &MethodKey, signature: &crate::members::Signature) -> Result<Vec<Type>> {
        let mut params: Vec<Type> = Vec::new();
        if signature.has_this {
            match self.is_value(key.owner) {
                false => params.push(Type::Class(self.class_of(crate::receivers::receiver_type(self, key)))),
                true if crate::receivers::is_by_value(self, key) => {
                    params.extend(self.leaves(key.owner)?.iter().map(|leaf| leaf.ty));
                }
                true => params.push(Type::Class(self.reference_class(&self.shape(key.owner)?))),
            }
        }
        for &param in &signature.params {
            params.extend(self.leaves(param)?.iter().map(|leaf| leaf.ty));
        }
        Ok(params)
    }

    /// The place of the first statement of a method.
    pub(crate) fn method_span(self, assembly: AssemblyId, row: u32) -> Span {
        let Some(pdb) = self.loader.assemblies.module(assembly).pdb() else { return Span::NONE };
        let points = pdb.sequence_points(row);
        let first = points.iter().find_map(|point| Some((point.document, point.position.as_ref()?)));
        let Some((document, position)) = first else { return Span::NONE };
        let file = self.file(assembly, document);
        Span { file, line: position.start_line, column: position.start_column, length: 0 }
    }

    /// Whether the code of a method is from several files, as `#line` says.
    pub(crate) fn has_other_files(self, key: &MethodKey) -> bool {
        let Ok(declared) = self.declaration_of(key) else { return false };
        let Some(pdb) = self.loader.assemblies.module(declared.assembly).pdb() else { return false };
        let mut documents = pdb.sequence_points(key.row).into_iter().map(|point| point.document);
        let first = documents.next();
        documents.any(|document| Some(document) != first)
    }

    /// The source file of a document of an assembly.
    pub(crate) fn file(self, assembly: AssemblyId, document: u32) -> FileId {
        let module = self.loader.assemblies.module(assembly);
        let pdb = module.pdb();
        let name = pdb.and_then(|pdb| pdb.document(document).ok()).map(|document| document.name);
        let name = name.unwrap_or_else(|| "?".into());
        let path = synthetic::source_path(&module.path, &name);
        let read = || {
            let text = std::fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            text.or_else(|| pdb.and_then(|pdb| pdb.embedded_source(document)))
        };
        self.file_at(path.clone(), read)
    }

    pub(super) fn file_at(self, path: PathBuf, text: impl FnOnce() -> Option<String>) -> FileId {
        if let Some(&known) = whole(self.loader.files.read()).get(&path) {
            return known;
        }
        let text = text();
        let mut files = whole(self.loader.files.write());
        *files.entry(path.clone()).or_insert_with(|| self.program.add_file(SourceFile { path, text }))
    }

    /// A synthetic static method that the whole program shares, by a name for its function.
    pub(crate) fn helper(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Cs) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        if let Some(&known) = whole(self.loader.helpers.read()).get(name) {
            return known;
        }
        let method = self.new_static(name, params, result, build);
        *whole(self.loader.helpers.write()).entry(name.to_string()).or_insert(method)
    }

    /// Adds a synthetic static method.
    pub(crate) fn new_static(
        self,
        name: &str,
        params: &[Type],
        result: Option<Type>,
        build: impl Fn(Cs) -> Body + Send + Sync + 'static,
    ) -> MethodId {
        let class = self.class_for(ClassKind::Runtime);
        let id = self.program.new_method(Method::synthetic(class, MethodKind::Static, name, params.to_vec(), result));
        whole(self.loader.code.write()).insert(id, Code::Built(Arc::new(build)));
        id
    }

    /// The static field in which a method leaves a leaf of its result. The first one is its result in the program model.
    /// The caller reads the others at once.
    pub(crate) fn result_register(self, leaf: usize, ty: Type) -> FieldId {
        let name = || format!("result {leaf} of type {}", self.program.type_name(ty));
        self.made_field(Made::Register(leaf, ty), name, ty)
    }

    /// The leaves of a method's result with the fields that lead to them, if it is a struct: the first one is its result in the program model, and
    /// the others are in static fields.
    pub(crate) fn result_parts(self, method: MethodId) -> Vec<(String, Option<FieldId>)> {
        let result = self.loader.key_of(method).and_then(|key| Some(self.signature(&key).ok()?.result));
        let Some(leaves) = result.and_then(|ty| self.leaves(ty).ok()) else { return Vec::new() };
        let part = |(number, leaf): (usize, &Leaf)| {
            (leaf.path.clone(), (number > 0).then(|| self.result_register(number, leaf.ty)))
        };
        leaves.iter().enumerate().filter(|(_, leaf)| !leaf.path.is_empty()).map(part).collect()
    }

    /// Adds a synthetic static field.
    pub(crate) fn new_static_field(self, name: &str, ty: Type) -> FieldId {
        let class = self.class_for(ClassKind::Runtime);
        self.program.new_field(Field { name: name.to_string(), class, ty, is_static: true, span: Span::NONE })
    }

    /// The static field that holds an object that is created once, and the method that creates it.
    pub(crate) fn made(self, what: Made, make: impl FnOnce(Self) -> (FieldId, MethodId)) -> (FieldId, MethodId) {
        if let Some(&known) = whole(self.loader.made.read()).get(&what) {
            return known;
        }
        let made = make(self);
        *whole(self.loader.made.write()).entry(what).or_insert(made)
    }

    /// A synthetic static field that no method has to fill.
    pub(crate) fn made_field(self, what: Made, name: impl FnOnce() -> String, ty: Type) -> FieldId {
        self.made(what, |cs| (cs.new_static_field(&name(), ty), MethodId(u32::MAX))).0
    }

    /// Whether a type's static constructor runs before its static methods and constructors. Otherwise the type leaves the
    /// time to the runtime (`beforefieldinit`), which runs it before accesses to static fields.
    pub(crate) fn is_initialized_precisely(self, ty: TyId) -> bool {
        let Some((declared, _)) = self.declared(ty) else { return false };
        self.assembly(declared.assembly).type_def(declared.row).is_ok_and(|ty| !ty.is_before_field_init())
    }

    /// The class-initialization guard of a type, and the method that initializes it; `None` if there is nothing to do.
    pub(crate) fn initialization(self, ty: TyId) -> Option<(FieldId, MethodId)> {
        if let Some(&known) = whole(self.loader.initializations.read()).get(&ty) {
            return known;
        }
        let found = synthetic::initializer::make(self, ty);
        *whole(self.loader.initializations.write()).entry(ty).or_insert(found)
    }
}
