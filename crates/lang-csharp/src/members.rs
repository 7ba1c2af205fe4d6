//! Resolves references to fields and methods.

use crate::assemblies::{AssemblyId, TypeDefId};
use crate::loader::{Cs, MOST_BASES};
use crate::types::{Generics, Result, Ty, TyId};
use aback_cil::{MemberSig, MethodSig, Table, Token};
use std::sync::Arc;

/// A method with all type parameters replaced.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MethodKey {
    /// The type that declares it.
    pub(crate) owner: TyId,
    /// Its row in the table of methods of that type's assembly.
    pub(crate) row: u32,
    /// The types for its own type parameters.
    pub(crate) arguments: Arc<[TyId]>,
}

/// A method that code refers to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MethodRef {
    Declared(MethodKey),
    /// A method that the runtime has for all arrays of a type: `.ctor`, `Get`, `Set` or `Address`.
    OfArray(TyId, String, usize),
}

/// The types of a method's parameters, without the receiver, and of its result.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) has_this: bool,
    pub(crate) params: Vec<TyId>,
    pub(crate) result: TyId,
}

fn readable(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl<'a> Cs<'a> {
    /// The types that replace type parameters in a type's members.
    pub(crate) fn generics_of(self, owner: TyId, of_method: Arc<[TyId]>) -> Generics {
        let of_type = self.declared(owner).map_or_else(|| Arc::new([]) as Arc<[TyId]>, |(_, arguments)| arguments);
        Generics { of_type, of_method }
    }

    /// The declaration of a method: its assembly and its row there.
    pub(crate) fn declaration_of(self, key: &MethodKey) -> Result<TypeDefId> {
        self.declared(key.owner).map(|(declared, _)| declared).ok_or_else(|| "a method of no class".into())
    }

    /// Whether a method is static in its source; `None` if it cannot be read.
    pub(crate) fn is_static(self, key: &MethodKey) -> Option<bool> {
        let declared = self.declaration_of(key).ok()?;
        Some(self.assembly(declared.assembly).method(key.row).ok()?.is_static())
    }

    /// The signature of a method.
    pub(crate) fn signature(self, key: &MethodKey) -> Result<Signature> {
        let declared = self.declaration_of(key)?;
        let method = self.assembly(declared.assembly).method(key.row).map_err(readable)?;
        let generics = self.generics_of(key.owner, key.arguments.clone());
        self.resolved(declared.assembly, &method.signature, &generics)
    }

    fn resolved(self, from: AssemblyId, sig: &MethodSig, generics: &Generics) -> Result<Signature> {
        let ty = |sig| self.resolve(from, sig, generics);
        Ok(Signature {
            has_this: sig.has_this,
            params: sig.params.iter().map(ty).collect::<Result<_>>()?,
            result: self.resolve(from, &sig.result, generics)?,
        })
    }

    /// The method that a token in code means.
    pub(crate) fn method_token(self, from: AssemblyId, token: Token, generics: &Generics) -> Result<MethodRef> {
        self.method_with(from, token, generics, Arc::new([]))
    }

    fn method_with(
        self,
        from: AssemblyId,
        token: Token,
        generics: &Generics,
        arguments: Arc<[TyId]>,
    ) -> Result<MethodRef> {
        let read = self.assembly(from);
        match token.table() {
            Some(Table::MethodDef) => {
                let row = read.method_owner(token.row()).ok_or("a method of no class")?;
                let owner = self.named(TypeDefId { assembly: from, row }, Arc::new([]));
                Ok(MethodRef::Declared(MethodKey { owner, row: token.row(), arguments }))
            }
            Some(Table::MethodSpec) => {
                let (method, given) = read.method_spec(token.row()).map_err(readable)?;
                let given =
                    given.iter().map(|sig| self.resolve(from, sig, generics)).collect::<Result<Arc<[TyId]>>>()?;
                match method.table() {
                    Some(Table::MethodSpec) => Err("malformed code: a method with two lists of type arguments".into()),
                    _ => self.method_with(from, method, generics, given),
                }
            }
            Some(Table::MemberRef) => {
                let reference = read.member_ref(token.row()).map_err(readable)?;
                let MemberSig::Method(wanted) = &reference.signature else {
                    return Err("malformed code: a call of a field".into());
                };
                if reference.parent.table() == Some(Table::MethodDef) {
                    return self.method_with(from, reference.parent, generics, arguments);
                }
                let owner = self.token(from, reference.parent, generics)?;
                if matches!(self.ty(owner), Ty::Array(_) | Ty::Grid(..)) && !self.array_has(reference.name) {
                    return Ok(MethodRef::OfArray(owner, reference.name.to_string(), wanted.params.len()));
                }
                let found = self.find_method(from, owner, reference.name, wanted);
                let (owner, row) = found.ok_or_else(|| {
                    format!("the method {}.{}, which cannot be found", self.name(owner), reference.name)
                })?;
                Ok(MethodRef::Declared(MethodKey { owner, row, arguments }))
            }
            _ => Err("malformed code: a call of no method".into()),
        }
    }

    /// Whether a method that is called on an array type is one of `System.Array`.
    fn array_has(self, name: &str) -> bool {
        !matches!(name, ".ctor" | "Get" | "Set" | "Address")
    }

    /// The method of a type, or of a type from which it derives, with the signature that a reference has.
    fn find_method(self, from: AssemblyId, owner: TyId, name: &str, wanted: &MethodSig) -> Option<(TyId, u32)> {
        let wanted_types = self.compared(from, wanted)?;
        let mut current = owner;
        for _ in 0..MOST_BASES {
            if let Some((declared, _)) = self.declared(current) {
                let read = self.assembly(declared.assembly);
                for row in read.type_def(declared.row).ok()?.methods {
                    if read.method_name(row) != Ok(name) {
                        continue;
                    }
                    let Ok(method) = read.method(row) else { continue };
                    let fits = method.signature.generic_arity == wanted.generic_arity
                        && method.signature.params.len() == wanted.params.len()
                        && self.compared(declared.assembly, &method.signature).as_ref() == Some(&wanted_types);
                    if fits {
                        return Some((current, row));
                    }
                }
            }
            current = self.base(current)?;
        }
        None
    }

    /// The types of a signature in which type parameters stand for themselves, for comparisons.
    fn compared(self, from: AssemblyId, sig: &MethodSig) -> Option<Vec<TyId>> {
        let signature = self.resolved(from, sig, &self.loader.open_generics).ok()?;
        let mut types = signature.params;
        types.push(signature.result);
        Some(types)
    }

    /// The field that a token in code means: the type that declares it, and its row there.
    pub(crate) fn field_token(self, from: AssemblyId, token: Token, generics: &Generics) -> Result<(TyId, u32)> {
        let read = self.assembly(from);
        match token.table() {
            Some(Table::Field) => {
                let row = read.field_owner(token.row()).ok_or("a field of no class")?;
                Ok((self.named(TypeDefId { assembly: from, row }, Arc::new([])), token.row()))
            }
            Some(Table::MemberRef) => {
                let reference = read.member_ref(token.row()).map_err(readable)?;
                let owner = self.token(from, reference.parent, generics)?;
                let mut current = owner;
                for _ in 0..MOST_BASES {
                    if let Some(row) = self.field_named(current, reference.name) {
                        return Ok((current, row));
                    }
                    let Some(base) = self.base(current) else { break };
                    current = base;
                }
                Err(format!("the field {}.{}, which cannot be found", self.name(owner), reference.name))
            }
            _ => Err("malformed code: an access to no field".into()),
        }
    }

    /// The row of the field with this name that a type declares.
    pub(crate) fn field_named(self, owner: TyId, name: &str) -> Option<u32> {
        let (declared, _) = self.declared(owner)?;
        let read = self.assembly(declared.assembly);
        let mut rows = read.type_def(declared.row).ok()?.fields;
        rows.find(|&row| read.field(row).is_ok_and(|field| field.name == name))
    }

    /// The row of the first method with this name and number of parameters that a type declares.
    pub(crate) fn method_named(self, owner: TyId, name: &str, params: usize) -> Option<MethodKey> {
        let (declared, _) = self.declared(owner)?;
        let read = self.assembly(declared.assembly);
        let fits = |&row: &u32| {
            read.method(row).is_ok_and(|method| method.name == name && method.signature.params.len() == params)
        };
        let row = read.type_def(declared.row).ok()?.methods.find(fits)?;
        Some(MethodKey { owner, row, arguments: Arc::new([]) })
    }
}
