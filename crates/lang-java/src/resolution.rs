//! Resolves the references of class files to fields and methods (JVM specification, 5.4.3), and checks access to them
//! (5.4.4).

use crate::loader::Java;
use crate::models;
use crate::types::{self, internal_name};
use aback_ir::{Access, ClassId, FieldId, MethodId, MethodKind};
use cafebabe::attributes::AttributeData;
use rustc_hash::FxHashSet;

impl Java<'_> {
    /// Resolves a reference to a field (JVM specification, 5.4.3.2).
    pub(crate) fn field(self, class: ClassId, name: &str, descriptor: &str) -> Option<FieldId> {
        let key = format!("{name}:{descriptor}");
        let mut pending = vec![class];
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(loaded) = self.class(id) else { continue };
            if let Some(&field) = loaded.fields.get(&key) {
                return Some(field);
            }
            let declared = self.program.class(id);
            // Interfaces come before the superclass.
            pending.extend(declared.superclass);
            pending.extend(declared.interfaces.iter().rev());
        }
        None
    }

    /// Resolves a reference to a method (JVM specification, 5.4.3.3 and 5.4.3.4).
    pub(crate) fn method(self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        let key = format!("{name}{descriptor}");
        let declared_by = |id: ClassId| self.class(id)?.methods.get(&key).copied();
        if let Some(found) = self.program.superclass_chain(class).find_map(declared_by) {
            return Some(found);
        }
        // Interfaces also have the public methods of `Object`.
        let of_object =
            || declared_by(self.named(types::OBJECT)).filter(|&found| self.is_inherited_by_interfaces(found));
        if self.program.class(class).is_interface
            && let Some(found) = of_object()
        {
            return Some(found);
        }
        let above = self.program.superclass_chain(class).flat_map(|id| self.program.supertypes(id));
        let is_candidate = |&found: &MethodId| {
            let found = self.program.method(found);
            found.kind == MethodKind::Instance && found.access != Access::Private
        };
        let Some(any) = above.filter_map(declared_by).find(is_candidate) else {
            return of_object().or_else(|| models::polymorphic(self, class, name, descriptor));
        };
        Some(self.only_with_code(class, any).unwrap_or(any))
    }

    fn is_inherited_by_interfaces(self, of_object: MethodId) -> bool {
        let found = self.program.method(of_object);
        found.kind == MethodKind::Instance && found.access == Access::Public
    }

    /// The only method with code among the maximally specific methods of a class's interfaces.
    fn only_with_code(self, class: ClassId, method: MethodId) -> Option<MethodId> {
        let most_specific = self.program.most_specific(class, method).into_iter();
        let mut with_code = most_specific.filter(|&found| !self.program.method(found).is_abstract);
        with_code.next().filter(|_| with_code.next().is_none())
    }

    /// The method that `invokespecial` in code of class `caller` executes if it names `method` in `class` (6.5). If
    /// `class` is a superclass, the search starts at the direct superclass. `None` if the instruction throws.
    pub(crate) fn special(self, caller: ClassId, class: ClassId, method: MethodId) -> Option<MethodId> {
        let wanted = self.program.method(method);
        if wanted.kind == MethodKind::Constructor {
            return Some(method);
        }
        let is_super_call =
            class != caller && !self.program.class(class).is_interface && self.program.is_subclass(caller, class);
        let superclass = self.program.class(caller).superclass.filter(|_| is_super_call);
        let class = superclass.unwrap_or(class);
        let declared_by = |id: ClassId| {
            self.program.methods_named(id, &wanted.name).iter().copied().find(|&found| {
                let declared = self.program.method(found);
                declared.kind == wanted.kind
                    && declared.params.get(1..) == wanted.params.get(1..)
                    && declared.result == wanted.result
            })
        };
        let of_object = || {
            let found = declared_by(self.named(types::OBJECT))?;
            (self.program.class(class).is_interface && self.is_inherited_by_interfaces(found)).then_some(found)
        };
        let found = self.program.superclass_chain(class).find_map(declared_by).or_else(of_object);
        match found {
            Some(found) => Some(found).filter(|&found| !self.program.method(found).is_abstract),
            None => self.only_with_code(class, method),
        }
    }

    /// Whether code of a class may access a method (5.4.4).
    pub(crate) fn may_call(self, caller: ClassId, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let owner = declared.class;
        match declared.access {
            Access::Public => true,
            Access::Private => caller == owner || self.nest_host(caller) == self.nest_host(owner),
            Access::Package => self.program.package(caller) == self.program.package(owner),
            Access::Protected => {
                self.program.package(caller) == self.program.package(owner) || self.program.is_subclass(caller, owner)
            }
        }
    }

    /// The nest host of a class (5.4.4), which determines access to private members: the class itself, unless it
    /// names a host that lists it as a member.
    fn nest_host(self, class: ClassId) -> ClassId {
        let attribute = |id: ClassId, found: &dyn Fn(&AttributeData<'_>) -> Option<ClassId>| {
            let class = self.class(id)?;
            class.file.as_ref()?.with(|tree| tree.attributes.iter().find_map(|attribute| found(&attribute.data)))
        };
        let host = attribute(class, &|data| match data {
            AttributeData::NestHost(host) => Some(self.named(&types::class_name(host))),
            _ => None,
        });
        let Some(host) = host.filter(|&host| self.program.package(host) == self.program.package(class)) else {
            return class;
        };
        let own = internal_name(self.program.class_name(class));
        let is_member = attribute(host, &|data| match data {
            AttributeData::NestMembers(members) => members.iter().any(|member| *member == own).then_some(host),
            _ => None,
        });
        is_member.unwrap_or(class)
    }
}
