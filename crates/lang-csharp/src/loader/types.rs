//! Access to the types of the program.

use super::Cs;
use crate::assemblies::{AssemblyId, TypeDefId};
use crate::types::{Generics, Kind, Result, Ty, TyId};
use aback_cil::{Assembly, TypeSig};
use std::sync::Arc;

/// Most classes from which a class derives.
pub(crate) const MOST_BASES: usize = 256;

impl<'a> Cs<'a> {
    pub(crate) fn ty(self, id: TyId) -> &'a Ty {
        self.loader.types.get(id)
    }

    pub(crate) fn kind(self, id: TyId) -> Kind {
        self.loader.types.kind(&self.loader.assemblies, id)
    }

    pub(crate) fn is_value(self, id: TyId) -> bool {
        self.loader.types.is_value(&self.loader.assemblies, id)
    }

    /// The type of the values of a nullable type.
    pub(crate) fn nullable(self, id: TyId) -> Option<TyId> {
        match self.ty(id) {
            Ty::Named(_, arguments) if arguments.len() == 1 && self.is_library_type(id, "System", "Nullable`1") => {
                Some(arguments[0])
            }
            _ => None,
        }
    }

    pub(crate) fn base(self, id: TyId) -> Option<TyId> {
        self.loader.types.base(&self.loader.assemblies, id)
    }

    /// A type, and those from which it derives, the nearest first. Ends even on a cyclic hierarchy.
    pub(crate) fn bases(self, id: TyId) -> impl Iterator<Item = TyId> {
        std::iter::successors(Some(id), move |&id| self.base(id)).take(MOST_BASES)
    }

    pub(crate) fn interfaces(self, id: TyId) -> Arc<[TyId]> {
        self.loader.types.interfaces(&self.loader.assemblies, id)
    }

    pub(crate) fn name(self, id: TyId) -> String {
        self.loader.types.name(&self.loader.assemblies, id)
    }

    pub(crate) fn declared(self, id: TyId) -> Option<(TypeDefId, Arc<[TyId]>)> {
        self.loader.types.declared(&self.loader.assemblies, id)
    }

    pub(crate) fn named(self, declared: TypeDefId, arguments: Arc<[TyId]>) -> TyId {
        self.loader.types.named(&self.loader.assemblies, declared, arguments)
    }

    pub(crate) fn resolve(self, from: AssemblyId, sig: &TypeSig, generics: &Generics) -> Result<TyId> {
        self.loader.types.resolve(&self.loader.assemblies, from, sig, generics)
    }

    pub(crate) fn token(self, from: AssemblyId, token: aback_cil::Token, generics: &Generics) -> Result<TyId> {
        self.loader.types.token(&self.loader.assemblies, from, token, generics)
    }

    pub(crate) fn assembly(self, id: AssemblyId) -> &'a Assembly {
        self.loader.assemblies.assembly(id)
    }

    pub(crate) fn simple(self, ty: Ty) -> TyId {
        self.loader.types.simple(ty)
    }

    pub(crate) fn intern(self, ty: Ty) -> Result<TyId> {
        self.loader.types.intern(ty)
    }

    /// A class of the class library without type parameters.
    pub(crate) fn library(self, namespace: &str, name: &str) -> Result<TyId> {
        let found = self.loader.types.library(&self.loader.assemblies, namespace, name);
        found.ok_or_else(|| format!("the type {namespace}.{name}, which the class library does not have"))
    }

    /// A class of the class library with these type arguments; its name has the number of its type parameters.
    pub(crate) fn generic_library(self, namespace: &str, name: &str, arguments: &[TyId]) -> Result<TyId> {
        let assemblies = &self.loader.assemblies;
        let core = self.loader.types.core(assemblies);
        let declared = core.and_then(|core| assemblies.find(core, namespace, name));
        let declared =
            declared.ok_or_else(|| format!("the type {namespace}.{name}, which the class library does not have"))?;
        self.intern(Ty::Named(declared, arguments.into()))
    }

    /// Whether a type is the class of the class library with this full name, without type parameters.
    pub(crate) fn is_library_type(self, ty: TyId, namespace: &str, name: &str) -> bool {
        self.declared(ty).is_some_and(|(declared, _)| {
            let read = self.assembly(declared.assembly);
            !self.loader.assemblies.module(declared.assembly).is_own
                && read.type_def(declared.row).is_ok_and(|ty| ty.namespace == namespace && ty.name == name)
        })
    }
}
