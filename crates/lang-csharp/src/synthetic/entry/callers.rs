//! Says what code that can call an entry point can name.

use crate::assemblies::TypeDefId;
use crate::loader::{ClassKind, Cs};
use crate::types::TyId;
use aback_cil::{Access, Visibility};
use aback_ir::analysis::Callers;
use aback_ir::{FieldId, MethodId};

/// The code that can name something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Domain {
    Class,
    Assembly,
    Everyone,
}

impl From<Access> for Domain {
    fn from(access: Access) -> Domain {
        match access {
            Access::CompilerControlled | Access::Private => Domain::Class,
            Access::FamilyAndAssembly | Access::Assembly => Domain::Assembly,
            // Anybody may write a subclass.
            Access::Family | Access::FamilyOrAssembly | Access::Public => Domain::Everyone,
        }
    }
}

/// The callers of an entry point: code that can name it.
pub(super) struct CallersOf<'a> {
    cs: Cs<'a>,
    domain: Domain,
    /// The outermost class around the entry point.
    class: Option<TypeDefId>,
}

impl<'a> CallersOf<'a> {
    pub(super) fn new(cs: Cs<'a>, entry: MethodId) -> Self {
        let owner = cs.loader.key_of(entry).map(|key| key.owner);
        CallersOf {
            cs,
            domain: of_method(cs, entry).unwrap_or(Domain::Everyone),
            class: owner.and_then(|owner| outermost(cs, owner)),
        }
    }

    /// Whether callers can name a member of a type with this access.
    pub(super) fn can_use(&self, owner: TyId, access: Access) -> bool {
        of_type(self.cs, owner).is_some_and(|around| self.can_name(around.min(Domain::from(access)), owner))
    }

    /// Whether callers can name a member of a type that code in this domain can name.
    fn can_name(&self, domain: Domain, owner: TyId) -> bool {
        domain > Domain::Class && domain >= self.domain
            || self.domain == Domain::Class && outermost(self.cs, owner) == self.class
    }

    fn owner(&self, field: FieldId) -> Option<TyId> {
        match self.cs.loader.kind_of(self.cs.program.field(field).class)? {
            ClassKind::Type(ty) => Some(ty),
            _ => None,
        }
    }
}

impl Callers for CallersOf<'_> {
    fn can_read(&self, field: FieldId) -> bool {
        let Some((owner, access)) = self.owner(field).zip(self.cs.loader.field_access(field)) else { return false };
        self.can_use(owner, access)
    }

    fn can_call(&self, method: MethodId) -> bool {
        let owner = self.cs.loader.key_of(method).map(|key| key.owner);
        of_method(self.cs, method).zip(owner).is_some_and(|(domain, owner)| self.can_name(domain, owner))
    }

    fn is_whole(&self, field: FieldId) -> bool {
        let declared = self.owner(field).and_then(|owner| self.cs.declared(owner));
        declared.is_some_and(|(_, arguments)| arguments.is_empty())
    }
}

fn of_method(cs: Cs, method: MethodId) -> Option<Domain> {
    let key = cs.loader.key_of(method)?;
    let (declared, _) = cs.declared(key.owner)?;
    let access = cs.assembly(declared.assembly).method(key.row).ok()?.access();
    Some(Domain::from(access).min(of_type(cs, key.owner)?))
}

fn outermost(cs: Cs, ty: TyId) -> Option<TypeDefId> {
    let (declared, _) = cs.declared(ty)?;
    let row = around(cs, declared).last()?;
    Some(TypeDefId { row, ..declared })
}

/// The code that can name a type and all types around it.
fn of_type(cs: Cs, ty: TyId) -> Option<Domain> {
    let (declared, _) = cs.declared(ty)?;
    let read = cs.assembly(declared.assembly);
    let domains = around(cs, declared).map(|row| {
        read.type_def(row).ok().map(|def| match def.visibility() {
            Visibility::NotPublic => Domain::Assembly,
            Visibility::Public => Domain::Everyone,
            Visibility::Nested(access) => Domain::from(access),
        })
    });
    domains.min().flatten()
}

/// The rows of a type and of the types around it, from the inside. Nesting is cyclic only in malformed assemblies.
fn around(cs: Cs<'_>, declared: TypeDefId) -> impl Iterator<Item = u32> {
    let read = cs.assembly(declared.assembly);
    std::iter::successors(Some(declared.row), move |&row| read.enclosing(row)).take(64)
}
