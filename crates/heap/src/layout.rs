//! What the heap needs to know of a program's types, computed once.

use aback_ir::{ArrayTypeId, ClassId, FieldId, Program, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Types whose references can be aliases of each other: a class hierarchy, or an array type with those that it can be
/// assigned to and from. References of different groups are never compared and never share a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Group(u32);

/// Places of fields in objects, and groups of types.
pub struct Layout {
    slots: Vec<u32>,
    fields: Vec<Rc<[FieldId]>>,
    class_groups: Vec<Group>,
    array_groups: Vec<Group>,
    /// The types that objects of a group can have.
    members: FxHashMap<Group, Vec<Type>>,
}

impl Layout {
    /// The layout of a program.
    pub fn new(program: &Program) -> Self {
        let mut slots = vec![0; program.fields().count()];
        let mut fields = Vec::new();
        for (class, _) in program.classes() {
            let instance_fields: Rc<[FieldId]> = program.instance_fields(class).into();
            for (slot, field) in instance_fields.iter().enumerate() {
                slots[field.index()] = slot as u32;
            }
            fields.push(instance_fields);
        }
        let (classes, arrays) = (program.classes().count(), program.array_types().count());
        let mut sets = UnionFind((0..(classes + arrays) as u32).collect());
        for (id, class) in program.classes() {
            for parent in class.superclass.iter().chain(&class.interfaces) {
                sets.union(id.0, parent.0);
            }
        }
        let mut arrays_of: FxHashMap<u32, u32> = FxHashMap::default();
        let array_number = |array: ArrayTypeId| classes as u32 + array.0;
        for (array, element) in program.array_types() {
            if let Some(class) = program.array_superclass() {
                sets.union(array_number(array), class.0);
            }
            // Arrays of related elements are related. An element's own array type comes before the array's.
            let element_set = match element {
                Type::Class(class) => Some(sets.find(class.0)),
                Type::Array(inner) => Some(sets.find(array_number(inner))),
                _ => None,
            };
            if let Some(element_set) = element_set {
                let first = *arrays_of.entry(element_set).or_insert(array_number(array));
                sets.union(array_number(array), first);
            }
        }
        let class_groups: Vec<Group> = (0..classes as u32).map(|number| Group(sets.find(number))).collect();
        let array_groups: Vec<Group> =
            (classes as u32..(classes + arrays) as u32).map(|number| Group(sets.find(number))).collect();
        let mut members: FxHashMap<Group, Vec<Type>> = FxHashMap::default();
        for (id, class) in program.classes() {
            if !class.is_abstract && !class.is_interface {
                members.entry(class_groups[id.index()]).or_default().push(Type::Class(id));
            }
        }
        for (id, _) in program.array_types() {
            members.entry(array_groups[id.0 as usize]).or_default().push(Type::Array(id));
        }
        Layout { slots, fields, class_groups, array_groups, members }
    }

    /// Place of an instance field in the objects that have it.
    pub fn slot(&self, field: FieldId) -> usize {
        self.slots[field.index()] as usize
    }

    /// All instance fields of objects of a class, by slot.
    pub fn fields(&self, class: ClassId) -> &Rc<[FieldId]> {
        &self.fields[class.index()]
    }

    /// The group of a reference type; `None` for other types and for the type of `null` alone.
    pub fn group(&self, ty: Type) -> Option<Group> {
        match ty {
            Type::Class(class) => Some(self.class_groups[class.index()]),
            Type::Array(array) => Some(self.array_groups[array.0 as usize]),
            _ => None,
        }
    }

    /// The exact types that an object of static type `ty` can have.
    pub fn exact_types<'a>(&'a self, program: &'a Program, ty: Type) -> impl Iterator<Item = Type> + 'a {
        let members = self.group(ty).and_then(|group| self.members.get(&group));
        members.into_iter().flatten().copied().filter(move |&member| program.is_assignable(member, ty))
    }

    /// Whether objects of a group can have one exact type only, so that it need not be asked for.
    pub fn is_uniform(&self, group: Group) -> bool {
        self.members.get(&group).is_none_or(|members| members.len() <= 1)
    }
}

struct UnionFind(Vec<u32>);

impl UnionFind {
    fn find(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let parent = self.0[number as usize];
            self.0[number as usize] = self.0[parent as usize];
            number = parent;
        }
        number
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
