//! Finds the methods of the program that libraries may call.

use crate::assemblies::TypeDefId;
use crate::dispatch;
use crate::loader::{Cs, CsLoader};
use aback_cil::{Table, Token};
use aback_ir::{MethodId, Program};
use rustc_hash::FxHashSet;

impl CsLoader {
    /// The methods of the program proper that libraries may call: through classes and interfaces of libraries, through
    /// delegates, and through type parameters, there also constructors without parameters. What the compiler makes for
    /// iterators, async methods and lambdas counts as called. So does what synthetic code calls for virtual calls: on
    /// boxes, and through variant interfaces.
    pub(crate) fn called_by_libraries(&self, program: &Program) -> Vec<MethodId> {
        let cs = Cs { program, loader: self };
        let delegates = self.delegate_methods();
        let names = cs.called_names();
        let is_called = |&method: &MethodId| {
            let Some(key) = self.key_of(method) else { return false };
            let Some((declared, _)) = cs.declared(key.owner) else { return true };
            let read = cs.assembly(declared.assembly);
            let Ok(def) = read.method(key.row) else { return true };
            (def.is_virtual() || def.is_static()) && (is_known(names.as_ref(), def.name) || cs.is_value(key.owner))
                || def.is_constructor() && def.signature.params.is_empty()
                || def.name.contains('<') && def.name != COPY
                || read.type_def(declared.row).is_ok_and(|ty| ty.name.contains('<'))
                || delegates.contains(&method)
        };
        program.own_methods().filter(is_called).collect()
    }

    /// The methods of the program proper that run when a library calls its own method on an object or type of the
    /// program: those with the name of such a method.
    pub(crate) fn named_like_libraries(&self, program: &Program) -> Vec<MethodId> {
        let cs = Cs { program, loader: self };
        let names = cs.called_names();
        let is_called = |&method: &MethodId| {
            let Some(key) = self.key_of(method) else { return false };
            let Some((declared, _)) = cs.declared(key.owner) else { return true };
            let Ok(def) = cs.assembly(declared.assembly).method(key.row) else { return true };
            (def.is_virtual() || def.is_static()) && is_known(names.as_ref(), def.name)
        };
        program.own_methods().filter(is_called).collect()
    }
}

/// The method that `with` calls. The compiler makes it for each record, and sources cannot name it, so that only records
/// of libraries that a program extends let libraries call it.
const COPY: &str = "<Clone>$";

/// Whether a method may implement one with a name among these. Explicit implementations have the name of the interface
/// in theirs.
fn is_known(names: Option<&FxHashSet<&str>>, name: &str) -> bool {
    names.is_none_or(|names| names.contains(name)) || name.find('.').is_some_and(|at| at > 0)
}

impl<'a> Cs<'a> {
    /// The names of the methods of all library types from which types of the program derive, and of variant interfaces.
    /// `None` if a type cannot be read.
    fn called_names(self) -> Option<FxHashSet<&'a str>> {
        let mut pending = Vec::new();
        for assembly in self.loader.assemblies.own() {
            let rows = 1..=self.assembly(assembly).rows(Table::TypeDef);
            pending.extend(rows.map(|row| TypeDefId { assembly, row }));
        }
        let mut names = FxHashSet::default();
        let mut seen: FxHashSet<TypeDefId> = pending.iter().copied().collect();
        while let Some(declared) = pending.pop() {
            let read = self.assembly(declared.assembly);
            let ty = read.type_def(declared.row).ok()?;
            if !self.loader.assemblies.module(declared.assembly).is_own || dispatch::is_variant(self, declared) {
                for method in ty.methods.clone() {
                    names.insert(read.method_name(method).ok()?);
                }
            }
            let count = read.generic_params(Token::new(Table::TypeDef, declared.row)).len();
            let generics = self.loader.open_generics.of_type.get(..count)?;
            let id = self.named(declared, generics.into());
            let above = self.interfaces(id);
            if above.len() < read.interface_impls(declared.row).len() || ty.extends.is_some() && self.base(id).is_none()
            {
                return None;
            }
            for above in above.iter().copied().chain(self.base(id)) {
                let (above, _) = self.declared(above)?;
                if seen.insert(above) {
                    pending.push(above);
                }
            }
        }
        Some(names)
    }
}
