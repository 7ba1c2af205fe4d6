//! Answers questions about the class hierarchy: supertypes, subclasses and inherited members.

use super::{Access, ClassId, FieldId, Method, MethodId, MethodKind, Program, Type, whole};
use rustc_hash::FxHashSet;

/// Limit for chains of superclasses, far above any real one, so that erroneous cyclic chains are finite.
const MAX_HIERARCHY: usize = 1 << 24;

impl Program {
    /// The methods that `class` itself declares under `name`, in order.
    pub fn methods_named(&self, class: ClassId, name: &str) -> &[MethodId] {
        self.class(class);
        self.tables.classes[class.index()]
            .declared
            .get()
            .and_then(|declared| declared.get(name))
            .map_or(&[], Vec::as_slice)
    }

    /// `class` and its superclasses, nearest first. Ends even on a cyclic hierarchy, which [`crate::validate`] reports.
    pub fn superclass_chain(&self, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        std::iter::successors(Some(class), |&c| self.class(c).superclass).take(MAX_HIERARCHY)
    }

    /// `class` and all its supertypes, interfaces included, without duplicates.
    pub fn supertypes(&self, class: ClassId) -> Vec<ClassId> {
        self.closure(class, |program, c| {
            let declared = program.class(c);
            declared.superclass.into_iter().chain(declared.interfaces.iter().copied())
        })
    }

    /// All classes that are reachable from `start` over `next`, without duplicates, breadth first.
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

    /// Loaded classes and interfaces that extend or implement `class` directly, or are variants of it.
    pub fn direct_subclasses(&self, class: ClassId) -> Vec<ClassId> {
        let mut found = whole(self.tables.classes[class.index()].subclasses.read()).clone();
        found.extend(self.tables.profile.runtime.variants(self, class));
        found
    }

    /// `class` and all its loaded subtypes, without duplicates, breadth first.
    pub fn subclasses(&self, class: ClassId) -> Vec<ClassId> {
        self.closure(class, |program, c| program.direct_subclasses(c).into_iter())
    }

    /// Whether an object of class `sub` is an instance of `class`.
    pub fn is_subclass(&self, sub: ClassId, class: ClassId) -> bool {
        self.superclass_chain(sub).any(|c| c == class)
            || (self.superclass_chain(sub).any(|c| !self.class(c).interfaces.is_empty())
                && self.supertypes(sub).contains(&class))
            || self.tables.profile.runtime.is_instance(self, Type::Class(sub), class)
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
                // An object of any class that implements an interface is an instance of the root class, but the
                // interface has no superclass.
                self.is_subclass(sub, class) || (self.is_root(class) && self.class(sub).is_interface)
            }
            (Type::Array(_), Type::Class(class)) => {
                let superclass = self.tables.profile.array_superclass;
                superclass.is_some_and(|superclass| self.is_subclass(superclass, class))
                    || self.tables.profile.array_interfaces.contains(&class)
                    || self.tables.profile.runtime.is_instance(self, from, class)
            }
            _ => from == to,
        }
    }

    /// The class whose methods run on objects of an exact type: for arrays, a class that a loader supplies under the
    /// name of the array type (`i32[]`), or else the class that arrays are instances of.
    pub fn class_of(&self, exact: Type) -> Option<ClassId> {
        match exact {
            Type::Class(class) => Some(class),
            Type::Array(array) if self.tables.loader.is_some() => {
                if let Some(&known) = whole(self.tables.names.read()).array_classes.get(&array) {
                    return Some(known);
                }
                let own = self.declare_class(&self.type_name(exact));
                let is_supplied = self.class(own).superclass.is_some();
                let class = if is_supplied { own } else { self.tables.profile.array_superclass? };
                whole(self.tables.names.write()).array_classes.insert(array, class);
                Some(class)
            }
            Type::Array(_) => self.tables.profile.array_superclass,
            _ => None,
        }
    }

    /// All instance fields of objects of `class`, inherited ones first.
    pub fn instance_fields(&self, class: ClassId) -> Vec<FieldId> {
        let chain: Vec<ClassId> = self.superclass_chain(class).collect();
        chain.iter().rev().flat_map(|&c| &self.class(c).fields).copied().filter(|&f| !self.field(f).is_static).collect()
    }

    /// The field with this name that `class` declares or inherits.
    pub fn find_field(&self, class: ClassId, name: &str) -> Option<FieldId> {
        self.superclass_chain(class)
            .find_map(|class| self.class(class).fields.iter().copied().find(|&f| self.field(f).name == name))
    }

    /// The package of a class: its full name up to the last dot.
    pub fn package(&self, class: ClassId) -> &str {
        self.class_name(class).rsplit_once('.').map_or("", |(package, _)| package)
    }

    /// The method that a call of `method` runs if the receiver's class is exactly `class`: the one that
    /// [`select`](Program::select) finds, or else the one that the language supplies for this error, or else `method`
    /// itself.
    pub fn dispatch(&self, class: ClassId, method: MethodId) -> MethodId {
        self.select(class, method).unwrap_or_else(|reason| {
            self.tables.profile.runtime.unselected(self, class, method, reason).unwrap_or(method)
        })
    }

    /// The method with code that a call of `method` selects if the receiver's class is exactly `class` (Java Virtual
    /// Machine Specification, 5.4.6): a private method itself; or else the nearest declaration up the superclass
    /// chain that overrides it; or else the only method with code among the maximally specific interface methods.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn select(&self, class: ClassId, method: MethodId) -> Result<MethodId, Unselected> {
        if let Some(selected) = self.tables.profile.runtime.select(self, class, method) {
            return selected;
        }
        let wanted = self.method(method);
        if wanted.access == Access::Private || wanted.kind != MethodKind::Instance {
            return Ok(method);
        }
        if let Some(found) = self.nearest(class, method) {
            let declared = self.method(found);
            let is_hidden = declared.access != Access::Public && self.class(wanted.class).is_interface;
            return match (declared.is_abstract, is_hidden) {
                (true, _) => Err(Unselected::Abstract),
                (_, true) => Err(Unselected::Inaccessible),
                _ => Ok(found),
            };
        }
        let most_specific = self.most_specific(class, method);
        let mut with_code = most_specific.into_iter().filter(|&found| !self.method(found).is_abstract);
        match (with_code.next(), with_code.next()) {
            (Some(found), None) => Ok(found),
            (Some(_), Some(_)) => Err(Unselected::Ambiguous),
            (None, _) => Err(Unselected::Abstract),
        }
    }

    /// The instance method that a class itself declares with the name and types of `wanted`, if it is not private.
    /// The result type may be narrower, except in class files, where compilers generate a bridge method with the same
    /// result type.
    fn alike_in(&self, class: ClassId, wanted: &Method) -> Option<MethodId> {
        let fits = |&m: &MethodId| {
            let declared = self.method(m);
            declared.kind == MethodKind::Instance
                && declared.access != Access::Private
                && declared.params.get(1..) == wanted.params.get(1..)
                && (declared.result == wanted.result
                    || self.tables.profile.has_covariant_results && self.is_narrower(declared, wanted))
        };
        self.methods_named(class, &wanted.name).iter().copied().find(fits)
    }

    /// Whether the result of one method can be used as the result of the other.
    fn is_narrower(&self, method: &Method, of: &Method) -> bool {
        method
            .result
            .zip(of.result)
            .is_some_and(|(result, of)| result.is_reference() && of.is_reference() && self.is_assignable(result, of))
    }

    /// The nearest declaration up the superclass chain of `class` that is `method` or overrides it (5.4.5).
    fn nearest(&self, class: ClassId, method: MethodId) -> Option<MethodId> {
        let wanted = self.method(method);
        if wanted.access != Access::Package {
            // Its class does not list a method that is created on demand.
            let declared = |c: ClassId| self.alike_in(c, wanted).or((c == wanted.class).then_some(method));
            return self.superclass_chain(class).find_map(declared);
        }
        // A package-private method is overridden in its package, or by a method that overrides one of its overriders.
        let below: Vec<ClassId> = self.superclass_chain(class).take_while(|&c| c != wanted.class).collect();
        let mut overriding = vec![method];
        for &class in below.iter().rev() {
            let Some(found) = self.alike_in(class, wanted) else { continue };
            let overrides = |&above: &MethodId| {
                let above = self.method(above);
                above.access != Access::Package || self.package(above.class) == self.package(class)
            };
            if overriding.iter().any(overrides) {
                overriding.push(found);
            }
        }
        overriding.pop()
    }

    /// The maximally specific methods among those of the interfaces of `class` with the name and types of `method`
    /// (5.4.3.3). Private and static methods do not count.
    pub fn most_specific(&self, class: ClassId, method: MethodId) -> Vec<MethodId> {
        let wanted = self.method(method);
        let mut pending: Vec<ClassId> =
            self.superclass_chain(class).flat_map(|c| &self.class(c).interfaces).copied().collect();
        let mut seen = FxHashSet::default();
        let mut found: Vec<MethodId> = Vec::new();
        while let Some(interface) = pending.pop() {
            if seen.insert(interface) {
                found.extend(self.alike_in(interface, wanted));
                pending.extend(&self.class(interface).interfaces);
            }
        }
        let is_overridden = |m: MethodId| {
            let class = self.method(m).class;
            found.iter().any(|&other| other != m && self.is_subclass(self.method(other).class, class))
        };
        found.iter().copied().filter(|&m| !is_overridden(m)).collect()
    }
}

/// The reason why a call selects no method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unselected {
    /// There is no method with code.
    Abstract,
    /// Several interfaces have one each, and none of them is a subinterface of the others.
    Ambiguous,
    /// The class's implementation of an interface method is not public.
    Inaccessible,
}
