//! Who is above whom, and what do objects inherit?

use super::{ClassId, FieldId, MethodId, MethodKind, Program, Type, whole};
use rustc_hash::FxHashSet;

/// More classes than any chain of superclasses has; keeps chains finite that are cyclic by mistake.
const MAX_HIERARCHY: usize = 1 << 24;

impl Program {
    /// The methods that `class` itself declares under `name`, in order.
    pub fn methods_named(&self, class: ClassId, name: &str) -> &[MethodId] {
        self.class(class);
        self.classes[class.index()].declared.get().and_then(|declared| declared.get(name)).map_or(&[], Vec::as_slice)
    }

    /// `class` and its superclasses, nearest first. Ends even on a cyclic hierarchy, which [`crate::validate`] reports.
    pub fn superclass_chain(&self, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        std::iter::successors(Some(class), |&c| self.class(c).superclass).take(MAX_HIERARCHY)
    }

    /// `class` and everything above it, interfaces included, each once.
    pub fn supertypes(&self, class: ClassId) -> Vec<ClassId> {
        self.closure(class, |program, c| {
            let declared = program.class(c);
            declared.superclass.into_iter().chain(declared.interfaces.iter().copied())
        })
    }

    /// `start` and what `next` leads to from it, each once, breadth first.
    fn closure<'p, I: Iterator<Item = ClassId>>(
        &'p self,
        start: ClassId,
        next: impl Fn(&'p Program, ClassId) -> I,
    ) -> Vec<ClassId> {
        let mut found = vec![start];
        let mut seen = FxHashSet::from_iter([start]);
        let mut done = 0;
        while let Some(&current) = found.get(done) {
            done += 1;
            found.extend(next(self, current).filter(|&c| seen.insert(c)));
        }
        found
    }

    /// Loaded classes and interfaces that extend or implement `class` directly.
    pub fn direct_subclasses(&self, class: ClassId) -> Vec<ClassId> {
        whole(self.classes[class.index()].subclasses.read()).clone()
    }

    /// `class` and every loaded class below it, each once, breadth first.
    pub fn subclasses(&self, class: ClassId) -> Vec<ClassId> {
        self.closure(class, |program, c| program.direct_subclasses(c).into_iter())
    }

    /// Whether an object of class `sub` is an instance of `class`.
    pub fn is_subclass(&self, sub: ClassId, class: ClassId) -> bool {
        self.superclass_chain(sub).any(|c| c == class)
            || (self.superclass_chain(sub).any(|c| !self.class(c).interfaces.is_empty())
                && self.supertypes(sub).contains(&class))
    }

    /// Whether a value of type `from` may be assigned to a place of type `to` without a cast. Array types are
    /// covariant in reference elements, as in Java and C#.
    pub fn is_assignable(&self, from: Type, to: Type) -> bool {
        let (mut from, mut to) = (from, to);
        while let (Type::Array(sub), Type::Array(array)) = (from, to)
            && sub != array
        {
            (from, to) = (self.element_type(sub), self.element_type(array));
            if !from.is_reference() {
                return from == to;
            }
        }
        match (from, to) {
            (Type::Null, _) => to.is_reference(),
            (Type::Class(sub), Type::Class(class)) => {
                // Whatever implements an interface is an object, though no superclass of the interface says so.
                self.is_subclass(sub, class) || (self.array_superclass == Some(class) && self.class(sub).is_interface)
            }
            (Type::Array(_), Type::Class(class)) => {
                self.array_superclass == Some(class) || self.array_interfaces.contains(&class)
            }
            _ => from == to,
        }
    }

    /// The class whose methods run on objects of an exact type: for arrays, one that a loader supplies under the name of
    /// the array type (`i32[]`), else the one that arrays are instances of.
    pub fn class_of(&self, exact: Type) -> Option<ClassId> {
        match exact {
            Type::Class(class) => Some(class),
            Type::Array(array) if self.loader.is_some() => {
                if let Some(&known) = whole(self.names.read()).array_classes.get(&array) {
                    return Some(known);
                }
                let own = self.declare_class(&self.type_name(exact));
                let is_supplied = self.class(own).superclass.is_some();
                let class = if is_supplied { own } else { self.array_superclass? };
                whole(self.names.write()).array_classes.insert(array, class);
                Some(class)
            }
            Type::Array(_) => self.array_superclass,
            _ => None,
        }
    }

    /// All instance fields of objects of `class`, inherited ones first.
    pub fn instance_fields(&self, class: ClassId) -> Vec<FieldId> {
        let chain: Vec<ClassId> = self.superclass_chain(class).collect();
        chain.iter().rev().flat_map(|&c| &self.class(c).fields).copied().filter(|&f| !self.field(f).is_static).collect()
    }

    /// The field that `class` declares or inherits under this name.
    pub fn find_field(&self, class: ClassId, name: &str) -> Option<FieldId> {
        self.superclass_chain(class)
            .find_map(|class| self.class(class).fields.iter().copied().find(|&f| self.field(f).name == name))
    }

    /// The method that a call of `method` runs when the receiver's class is exactly `class`: the nearest
    /// declaration up the superclass chain with the same name, parameters and result, else the most specific default
    /// method of an interface (Java Virtual Machine Specification, 5.4.6), else `method` itself.
    pub fn dispatch(&self, class: ClassId, method: MethodId) -> MethodId {
        let wanted = self.method(method);
        let declared_in = |class: ClassId| {
            self.methods_named(class, &wanted.name).iter().copied().find(|&m| {
                let declared = self.method(m);
                declared.kind == MethodKind::Instance
                    && !declared.is_abstract
                    && declared.params.get(1..) == wanted.params.get(1..)
                    && declared.result == wanted.result
            })
        };
        if let Some(found) = self.superclass_chain(class).find_map(declared_in) {
            return found;
        }
        let mut pending: Vec<ClassId> =
            self.superclass_chain(class).flat_map(|c| &self.class(c).interfaces).copied().collect();
        let mut seen = FxHashSet::default();
        let mut defaults: Vec<MethodId> = Vec::new();
        while let Some(interface) = pending.pop() {
            if seen.insert(interface) {
                defaults.extend(declared_in(interface));
                pending.extend(&self.class(interface).interfaces);
            }
        }
        let overridden = |m: MethodId| {
            let class = self.method(m).class;
            defaults.iter().any(|&d| d != m && self.is_subclass(self.method(d).class, class))
        };
        defaults.iter().copied().find(|&m| !overridden(m)).unwrap_or(method)
    }
}
