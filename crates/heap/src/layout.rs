//! Computes what the heap needs to know about the types of a program. For programs that grow, it does so class by
//! class.

use crate::value::Value;
use aback_ir::{ArrayTypeId, ClassId, FieldId, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// A set of types whose references can be aliases: a class hierarchy, or an array type and the array types that it can
/// be assigned to or from. References of different groups are never compared and never share a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Group(u32);

/// The slots of fields, the groups of types, and the exact types of inputs.
///
/// Input objects have types that the program has when the layout is made, so that their possible types do not change
/// while the program grows during an exploration. A type that is added later is possible only for inputs of exactly
/// that static type. If this leaves types out, [`Layout::bounded`] contains the static type of the input.
pub struct Layout {
    /// By field: its slot among the fields of its objects, or among the static fields; and the class that declares it.
    slots: RefCell<Vec<(u32, ClassId)>>,
    shapes: RefCell<Vec<Option<Rc<Shape>>>>,
    /// The types of static fields, by slot.
    statics: RefCell<Vec<Type>>,
    groups: Groups,
    /// The classes that were loaded when the layout was made.
    known: FxHashSet<ClassId>,
    /// The exact types that objects of the input heap can have.
    members: Vec<Type>,
    exact: RefCell<FxHashMap<Type, Rc<[Type]>>>,
    bounded: RefCell<Vec<Type>>,
    /// The types that inputs were tested for, by the static type of the input.
    tests: RefCell<FxHashMap<Type, Vec<Type>>>,
    /// Static types some of whose exact types are not considered.
    lacking: RefCell<FxHashSet<Type>>,
}

/// The instance fields of the objects of a class.
#[derive(Debug)]
pub struct Shape {
    /// All instance fields, by slot.
    pub fields: Vec<FieldId>,
    /// Their initial values.
    pub defaults: Vec<Value>,
}

enum Groups {
    /// All types are in one group: the program grows, and in the languages of such programs all classes have one root.
    One,
    Many {
        classes: Vec<Group>,
        arrays: Vec<Group>,
        /// Groups with objects of several types.
        mixed: FxHashSet<Group>,
    },
}

/// Greatest number of the program's own subtypes of a class whose array types are considered.
const MOST_ELEMENTS: usize = 12;
/// Number of subtypes of a library type whose array types are considered.
const LIBRARY_ELEMENTS: usize = 2;

/// The entry of a field whose slot has not been computed.
const UNKNOWN: (u32, ClassId) = (u32::MAX, ClassId(u32::MAX));

impl Layout {
    /// The layout of a program. Input objects have the types that the program has now.
    pub fn new(program: &Program) -> Self {
        let known: FxHashSet<ClassId> = program.classes().map(|(id, _)| id).collect();
        let concrete = program
            .classes()
            .filter(|&(id, class)| !class.is_abstract && !class.is_interface && !program.is_uninhabited(id));
        let members: Vec<Type> = concrete
            .map(|(id, _)| Type::Class(id))
            .chain(program.array_types().map(|(id, _)| Type::Array(id)))
            .collect();
        Layout {
            slots: RefCell::new(vec![UNKNOWN; program.field_count()]),
            shapes: RefCell::new(vec![None; program.class_count()]),
            statics: RefCell::default(),
            groups: if program.grows() { Groups::One } else { many_groups(program, &members) },
            known,
            members,
            exact: RefCell::default(),
            bounded: RefCell::default(),
            tests: RefCell::default(),
            lacking: RefCell::default(),
        }
    }

    /// The slot of an instance field in the objects that have it, or of a static field among the static fields.
    #[inline]
    pub fn slot(&self, program: &Program, field: FieldId) -> usize {
        self.known_slot(program, field).0 as usize
    }

    #[inline]
    fn known_slot(&self, program: &Program, field: FieldId) -> (u32, ClassId) {
        let slot = self.slots.borrow().get(field.index()).copied().unwrap_or(UNKNOWN);
        if slot == UNKNOWN { self.new_slot(program, field) } else { slot }
    }

    /// The slot of an instance field in the objects of exactly this class; `None` if they have no such field, which
    /// happens only in unverified code.
    #[inline]
    pub fn slot_in(&self, program: &Program, class: ClassId, field: FieldId) -> Option<usize> {
        let (slot, declaring) = self.known_slot(program, field);
        let slot = slot as usize;
        (class == declaring || self.inherits(program, class, field, slot)).then_some(slot)
    }

    fn inherits(&self, program: &Program, class: ClassId, field: FieldId, slot: usize) -> bool {
        let has = |shape: &Shape| shape.fields.get(slot) == Some(&field);
        let known = self.shapes.borrow().get(class.index()).and_then(|shape| shape.as_deref().map(has));
        known.unwrap_or_else(|| has(&self.shape(program, class)))
    }

    #[cold]
    fn new_slot(&self, program: &Program, field: FieldId) -> (u32, ClassId) {
        let declared = program.field(field);
        let slot = if declared.is_static {
            let mut statics = self.statics.borrow_mut();
            statics.push(declared.ty);
            statics.len() - 1
        } else {
            // Inherited fields come first, so that the slot is the same in subclasses.
            let shape = self.shape(program, declared.class);
            shape.fields.iter().position(|&other| other == field).unwrap_or_default()
        };
        let mut slots = self.slots.borrow_mut();
        if slots.len() <= field.index() {
            slots.resize(program.field_count().max(field.index() + 1), UNKNOWN);
        }
        slots[field.index()] = (slot as u32, declared.class);
        slots[field.index()]
    }

    /// The types of the static fields that have a slot, by slot.
    pub(crate) fn statics(&self) -> std::cell::Ref<'_, Vec<Type>> {
        self.statics.borrow()
    }

    /// The instance fields of the objects of a class.
    #[inline]
    pub fn shape(&self, program: &Program, class: ClassId) -> Rc<Shape> {
        let known = self.shapes.borrow().get(class.index()).cloned().flatten();
        if let Some(shape) = known {
            return shape;
        }
        let fields = program.instance_fields(class);
        let defaults = fields.iter().map(|&field| Value::default_of(program.field(field).ty)).collect();
        let shape = Rc::new(Shape { fields, defaults });
        let mut shapes = self.shapes.borrow_mut();
        if shapes.len() <= class.index() {
            shapes.resize(program.class_count().max(class.index() + 1), None);
        }
        shapes[class.index()] = Some(Rc::clone(&shape));
        shape
    }

    /// The group of a reference type; `None` for other types and for the type of `null` alone.
    pub fn group(&self, ty: Type) -> Option<Group> {
        match (&self.groups, ty) {
            (Groups::One, Type::Class(_) | Type::Array(_)) => Some(Group(0)),
            (Groups::Many { classes, .. }, Type::Class(class)) => classes.get(class.index()).copied(),
            (Groups::Many { arrays, .. }, Type::Array(array)) => arrays.get(array.0 as usize).copied(),
            _ => None,
        }
    }

    /// The same as [`Self::exact_types`], if they have been looked at before.
    pub fn known_exact_types(&self, ty: Type) -> Option<Rc<[Type]>> {
        self.exact.borrow().get(&ty).map(Rc::clone)
    }

    /// The exact types that an input object of static type `ty` can have.
    pub fn exact_types(&self, program: &Program, ty: Type) -> Rc<[Type]> {
        if let Some(exact) = self.exact.borrow().get(&ty) {
            return Rc::clone(exact);
        }
        let mut exact: Vec<Type> =
            self.members.iter().copied().filter(|&member| program.is_assignable(member, ty)).collect();
        let assignable = exact.len();
        exact.retain(|&member| !matches!(member, Type::Class(class) if program.is_no_input(class)));
        if exact.len() < assignable {
            self.lacking.borrow_mut().insert(ty);
        }
        let is_later = match ty {
            Type::Class(class) => {
                !self.known.contains(&class)
                    && {
                        let class = program.class(class);
                        !class.is_abstract && !class.is_interface
                    }
                    && !program.is_no_input(class)
            }
            Type::Array(_) => !self.members.contains(&ty),
            _ => false,
        };
        if is_later {
            exact.push(ty);
        }
        for narrow in self.narrower_arrays(program, ty) {
            if !exact.contains(&narrow) {
                exact.push(narrow);
            }
        }
        exact.retain(|&ty| !matches!(ty, Type::Array(_)) || program.is_element_type(ty));
        let is_null = matches!(ty, Type::Class(class) if program.is_uninhabited(class));
        if exact.is_empty() && !is_null {
            self.note_incomplete(program, ty);
        }
        let exact: Rc<[Type]> = exact.into();
        self.exact.borrow_mut().insert(ty, Rc::clone(&exact));
        exact
    }

    /// Further exact types that an input of an array type can have, besides those that the program names: arrays of
    /// subtypes, into which a store may fail. Programs that do not grow have all array types from the start.
    fn narrower_arrays(&self, program: &Program, ty: Type) -> Vec<Type> {
        let Type::Array(array) = ty else { return Vec::new() };
        if !program.grows() {
            return Vec::new();
        }
        let narrower = match program.element_type(array) {
            Type::Class(class) => {
                let declared = program.class(class);
                let is_below = |&other: &ClassId| other != class && program.is_subclass(other, class);
                let below = |other: &ClassId| is_below(other) || program.is_root(class) && *other != class;
                let is_element = |other: &ClassId| below(other) && program.is_element_type(Type::Class(*other));
                let own = program.classes().filter(|(id, other)| !other.is_library && self.known.contains(id));
                let mut found: Vec<ClassId> = own.map(|(id, _)| id).filter(is_element).collect();
                let mut is_complete = found.len() <= MOST_ELEMENTS;
                found.truncate(MOST_ELEMENTS);
                if declared.is_library && !declared.is_final {
                    // These show that a store may fail. But no few types stand for all others: each takes objects that others do not
                    // take, and passes tests that others do not pass.
                    let of_library = program.array_elements().iter().copied().filter(is_below);
                    found.extend(of_library.take(LIBRARY_ELEMENTS));
                    is_complete &= program.has_own_subclasses_only(class);
                }
                if !is_complete {
                    self.lacking.borrow_mut().insert(ty);
                }
                found.into_iter().map(Type::Class).collect()
            }
            inner @ Type::Array(_) => {
                let narrower = self.narrower_arrays(program, inner);
                if self.lacking.borrow().contains(&inner) {
                    self.lacking.borrow_mut().insert(ty);
                }
                narrower
            }
            _ => Vec::new(),
        };
        narrower.into_iter().map(|element| program.array_of(element)).collect()
    }

    /// Notes that the exact type of an input of static type `ty` matters. If `tested` is a type, all that matters is
    /// whether the exact type can be assigned to it.
    pub fn note_use(&self, program: &Program, ty: Type, tested: Option<Type>) {
        // Computing the exact types finds out whether some are lacking.
        self.exact_types(program, ty);
        if self.is_complete(program, ty) || self.bounded.borrow().contains(&ty) {
            return;
        }
        let Some(tested) = tested else { return self.note_incomplete(program, ty) };
        if program.is_assignable(ty, tested) {
            return;
        }
        let mut tests = self.tests.borrow_mut();
        let tests = tests.entry(ty).or_default();
        if !tests.contains(&tested) {
            tests.push(tested);
            if !self.are_represented(program, ty, tests) {
                self.bounded.borrow_mut().push(ty);
            }
        }
    }

    /// Whether some exact type of an input of static type `ty` passes the same of these tests, which `ty` itself does not
    /// pass, as any type that is not considered, so that the bound makes no difference:
    /// - All exact types of such inputs that pass a test are known and mostly considered. Arrays among them that are not considered pass the
    ///   same tests as an array type to which they can be assigned.
    /// - All other types pass no test, like `ty` itself, an object of which is nothing but that.
    fn are_represented(&self, program: &Program, ty: Type, tests: &[Type]) -> bool {
        let considered = self.exact_types(program, ty);
        let passes = |exact: Type| tests.iter().map(move |&test| program.is_assignable(exact, test));
        let is_represented = |exact: Type| {
            let is_wider = |&&other: &&Type| matches!((exact, other), (Type::Array(_), Type::Array(_)));
            considered.contains(&exact)
                || !program.is_assignable(exact, ty)
                || considered
                    .iter()
                    .filter(is_wider)
                    .any(|&other| program.is_assignable(exact, other) && passes(exact).eq(passes(other)))
        };
        let passing = |&test: &Type| {
            let exact = self.exact_types(program, test);
            self.is_complete(program, test) && exact.iter().all(|&exact| is_represented(exact))
        };
        considered.contains(&ty) && tests.iter().all(passing)
    }

    /// Notes that exact types of inputs of static type `ty` may not be considered although one of them matters.
    fn note_incomplete(&self, program: &Program, ty: Type) {
        if !self.is_complete(program, ty) && !self.bounded.borrow().contains(&ty) {
            self.bounded.borrow_mut().push(ty);
        }
    }

    /// Whether [`Layout::exact_types`] contains all possible exact types.
    fn is_complete(&self, program: &Program, ty: Type) -> bool {
        let Type::Class(class) = ty else { return !self.lacking.borrow().contains(&ty) };
        if !program.grows() {
            return true;
        }
        let declared = program.class(class);
        // No input is a managed pointer. The box to which one may lead is an input of another type.
        if program.is_pointer(class) {
            return true;
        }
        if program.is_no_input(class) || self.lacking.borrow().contains(&ty) {
            return false;
        }
        let is_own = !declared.is_library || program.has_own_subclasses_only(class);
        declared.is_final || self.known.contains(&class) && is_own
    }

    /// Static types of inputs whose exact type mattered, although it may be one that is not considered.
    pub fn bounded(&self) -> Vec<Type> {
        self.bounded.borrow().clone()
    }

    /// Whether all objects of a group have the same exact type, so that no term represents it.
    pub fn is_uniform(&self, group: Group) -> bool {
        match &self.groups {
            Groups::One => false,
            Groups::Many { mixed, .. } => !mixed.contains(&group),
        }
    }
}

fn many_groups(program: &Program, members: &[Type]) -> Groups {
    let (classes, arrays) = (program.class_count(), program.array_type_count());
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
        // Arrays are related if their element types are. An array type comes after its element type if that is an
        // array.
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
    let (mut seen, mut mixed) = (FxHashSet::default(), FxHashSet::default());
    for &member in members {
        let group = match member {
            Type::Class(class) => class_groups[class.index()],
            Type::Array(array) => array_groups[array.0 as usize],
            _ => continue,
        };
        if !seen.insert(group) {
            mixed.insert(group);
        }
    }
    Groups::Many { classes: class_groups, arrays: array_groups, mixed }
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
