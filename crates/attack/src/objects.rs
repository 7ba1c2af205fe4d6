//! Makes small input heaps of objects that can be inputs.
//!
//! Objects are made of
//! - the user's own classes, unless they inherit fields of a library class: such fields may have invariants that are
//!   unknown here. As in the engines, a caller can hand over every state. Classes with fields that a compiler added (a
//!   `$` in the name: the outer object, the captured variables of a local class) are left out, because only the
//!   compiler's code determines the values of these fields;
//! - the class at the root of the hierarchy;
//! - arrays, including arrays of subclasses;
//! - library classes whose objects consist of arrays ([`OwnedArrays`]);
//! - the class of strings, in the form that [`aback_ir::InputStrings`] describes, with an array that nothing else
//!   refers to.
//!
//! Classes whose objects only the program makes are left out. If no input may be null, no reference is null.

use crate::chance::Chance;
use crate::text::{Encoded, encode};
use crate::values::Values;
use aback_ir::{ArrayTypeId, ClassId, Extent, FieldId, MethodId, MethodKind, OwnedArrays, Program, Type};
use aback_witness::{Draw, InputObject, InputValue, Inputs, set_length};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most objects of an input heap before references become null or aliases. Without nulls, the bound is four times as
/// high.
const MOST_OBJECTS: usize = 24;
/// Longest array, in elements, except for the arrays of strings.
const LONGEST: usize = 3;
/// Most elements of a drawn array that get values; the others hold defaults.
const DRAWN: usize = 256;

/// Caches the exact types that inputs of a type can have, and the fields of classes.
#[derive(Default)]
pub(crate) struct Kinds {
    exact: FxHashMap<Type, Rc<[Type]>>,
    fields: FxHashMap<ClassId, Option<Rc<[FieldId]>>>,
}

impl Kinds {
    /// The exact types of objects that can be made for a place of type `ty`.
    fn of(&mut self, program: &Program, ty: Type) -> Rc<[Type]> {
        if let Some(known) = self.exact.get(&ty) {
            return Rc::clone(known);
        }
        let strings = program.string_layout().filter(|_| program.input_strings().is_some());
        let exact: Rc<[Type]> = match ty {
            Type::Class(_) => {
                let classes: Vec<ClassId> = program.classes().map(|(id, _)| id).collect();
                let fits = |id: ClassId| program.is_assignable(Type::Class(id), ty);
                let can_be = |kinds: &mut Kinds, id: ClassId| {
                    strings.is_some_and(|strings| strings.class == id)
                        || consists_of_parts(program, id)
                        || kinds.fields(program, id).is_some()
                };
                classes.into_iter().filter(|&id| fits(id) && can_be(self, id)).map(Type::Class).collect()
            }
            Type::Array(array) => arrays(program, array),
            _ => [].into(),
        };
        self.exact.insert(ty, Rc::clone(&exact));
        exact
    }

    /// The fields of an object of exactly this class, without those of the virtual machine; `None` if no such object is
    /// made.
    fn fields(&mut self, program: &Program, class: ClassId) -> Option<Rc<[FieldId]>> {
        if let Some(known) = self.fields.get(&class) {
            return known.clone();
        }
        let fields = fields_of(program, class);
        self.fields.insert(class, fields.clone());
        fields
    }
}

/// The types of arrays that a reference of an array type can refer to: the type itself, and arrays of the user's own
/// subclasses.
fn arrays(program: &Program, array: ArrayTypeId) -> Rc<[Type]> {
    let element = program.element_type(array);
    let below = match element {
        Type::Class(class) => program.subclasses(class),
        _ => Vec::new(),
    };
    let is_element = |class: ClassId| program.is_element_type(Type::Class(class)) && !program.is_no_input(class);
    let own = below.into_iter().filter(|&class| !program.class(class).is_library && is_element(class));
    let own = own.map(|class| program.array_of(Type::Class(class))).filter(|&below| below != Type::Array(array));
    [Type::Array(array)].into_iter().chain(own).collect()
}

/// Whether objects of a class consist of arrays, and may be inputs.
fn consists_of_parts(program: &Program, class: ClassId) -> bool {
    can_be_input(program, class) && program.owned_arrays(class).is_some()
}

/// Whether inputs may be objects of exactly this class.
fn can_be_input(program: &Program, class: ClassId) -> bool {
    let declared = program.class(class);
    !declared.is_abstract && !declared.is_interface && !program.is_no_input(class)
}

/// Whether objects of a class may have invariants beyond the types of their fields. Library classes of a language
/// without a loader have no code of their own.
fn has_invariants(program: &Program, class: ClassId) -> bool {
    program.class(class).is_library && program.grows()
}

fn fields_of(program: &Program, class: ClassId) -> Option<Rc<[FieldId]>> {
    let is_root = program.class(class).superclass.is_none();
    if !can_be_input(program, class) || has_invariants(program, class) && !is_root {
        return None;
    }
    // These are the virtual machine's own fields. They are set on demand.
    let all = program.instance_fields(class);
    let is_set = |&field: &FieldId| !program.field(field).name.starts_with('$') && !program.is_unset(field);
    let fields: Rc<[FieldId]> = all.into_iter().filter(is_set).collect();
    let is_known = |&field: &FieldId| {
        let field = program.field(field);
        !field.name.contains('$') && !has_invariants(program, field.class)
    };
    fields.iter().all(is_known).then_some(fields)
}

/// How the objects of one run are made.
struct Style {
    /// Percentage of nullable references that are null.
    nulls: usize,
    /// Percentage of references that refer to an existing object, if there is a suitable one.
    aliases: usize,
    /// Longest chain of new objects that refer to each other.
    depth: u32,
    /// Percentage of numbers that need not be zero.
    numbers: usize,
}

/// The first runs try the simplest inputs.
const STYLES: [Style; 8] = [
    Style { nulls: 100, aliases: 0, depth: 0, numbers: 0 },
    Style { nulls: 0, aliases: 0, depth: 1, numbers: 100 },
    Style { nulls: 0, aliases: 100, depth: 2, numbers: 100 },
    Style { nulls: 20, aliases: 40, depth: 3, numbers: 100 },
    Style { nulls: 50, aliases: 10, depth: 2, numbers: 70 },
    Style { nulls: 10, aliases: 70, depth: 4, numbers: 90 },
    Style { nulls: 30, aliases: 5, depth: 4, numbers: 100 },
    Style { nulls: 5, aliases: 20, depth: 2, numbers: 30 },
];

/// Makes the inputs of one run.
pub(crate) struct Maker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: MethodId,
    kinds: &'a mut Kinds,
    pub(crate) values: &'a mut Values,
    pub(crate) chance: &'a mut Chance,
    style: &'static Style,
    has_no_nulls: bool,
    pub(crate) heap: Vec<InputObject>,
    /// Objects that nothing else may refer to: arrays of strings, and the new object of a constructor.
    pub(crate) hidden: FxHashSet<usize>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(
        program: &'a Program,
        entry: MethodId,
        kinds: &'a mut Kinds,
        values: &'a mut Values,
        chance: &'a mut Chance,
        number: usize,
    ) -> Self {
        values.begin();
        let has_no_nulls = program.has_no_null_inputs(entry);
        let style = &STYLES[number % STYLES.len()];
        let (heap, hidden) = Default::default();
        Maker { program, entry, kinds, values, chance, style, has_no_nulls, heap, hidden }
    }

    /// Inputs of the entry point; `None` if the receiver or an argument that may not be null cannot be made.
    pub(crate) fn inputs(&mut self) -> Option<Inputs> {
        let method = self.program.method(self.entry);
        let mut args = Vec::new();
        for (index, &ty) in method.params.iter().enumerate() {
            args.push(match method.kind {
                MethodKind::Instance | MethodKind::Constructor if index == 0 => self.receiver(ty, method.kind)?,
                _ => self.value(ty, self.style.depth)?,
            });
        }
        Some(Inputs { args, heap: std::mem::take(&mut self.heap), ..Inputs::default() })
    }

    /// An object on which a call runs the entry point. A constructor gets an object whose fields hold defaults.
    fn receiver(&mut self, ty: Type, kind: MethodKind) -> Option<InputValue> {
        let (program, entry) = (self.program, self.entry);
        let runs_entry = |exact: &&Type| match **exact {
            Type::Class(class) => kind == MethodKind::Constructor || program.dispatch(class, entry) == entry,
            _ => false,
        };
        let kinds = self.kinds.of(program, ty);
        let possible: Vec<Type> = match kind {
            MethodKind::Constructor if kinds.contains(&ty) => vec![ty],
            _ => kinds.iter().filter(runs_entry).copied().collect(),
        };
        let exact = *self.chance.pick(&possible)?;
        if let (MethodKind::Constructor, Type::Class(class)) = (kind, exact) {
            self.hidden.insert(self.heap.len());
            self.heap.push(InputObject::Object { class, fields: BTreeMap::new() });
            return Some(InputValue::Ref(self.heap.len() - 1));
        }
        self.object(exact, self.style.depth)
    }

    /// A value of a type; `None` if none can be made.
    pub(crate) fn value(&mut self, ty: Type, depth: u32) -> Option<InputValue> {
        if ty.is_reference() {
            return self.reference(ty, depth);
        }
        if !self.chance.is(self.style.numbers) {
            return Some(InputValue::default_of(ty));
        }
        Some(self.values.value(self.chance, ty))
    }

    fn reference(&mut self, ty: Type, depth: u32) -> Option<InputValue> {
        if self.chance.is(self.style.aliases)
            && let Some(alias) = self.alias(ty)
        {
            return Some(alias);
        }
        let may_be_new = depth > 0 && self.heap.len() < MOST_OBJECTS;
        if !self.has_no_nulls && (!may_be_new || self.chance.is(self.style.nulls)) {
            return Some(InputValue::Null);
        }
        let kinds = self.kinds.of(self.program, ty);
        // If nothing may be null, only an alias ends the recursion.
        let made = match self.chance.pick(&kinds).copied() {
            Some(exact) if self.heap.len() < 4 * MOST_OBJECTS => self.object(exact, depth.saturating_sub(1)),
            _ => None,
        };
        made.or_else(|| self.alias(ty)).or((!self.has_no_nulls).then_some(InputValue::Null))
    }

    /// A reference to an existing object.
    pub(crate) fn alias(&mut self, ty: Type) -> Option<InputValue> {
        let program = self.program;
        let fits = |index: &usize| !self.hidden.contains(index) && is_of(program, &self.heap[*index], ty);
        let fitting: Vec<usize> = (0..self.heap.len()).filter(fits).collect();
        self.chance.pick(&fitting).map(|&index| InputValue::Ref(index))
    }

    /// A new object of exactly this type. It exists before the objects that it refers to, so that they may refer back
    /// to it.
    fn object(&mut self, exact: Type, depth: u32) -> Option<InputValue> {
        let index = self.heap.len();
        match exact {
            Type::Class(class) if self.program.string_layout().is_some_and(|strings| strings.class == class) => {
                return self.string();
            }
            Type::Class(class) => {
                if let Some(owned) = self.program.owned_arrays(class) {
                    return self.owner(class, &owned, None, depth);
                }
                let fields = self.kinds.fields(self.program, class)?;
                self.heap.push(InputObject::Object { class, fields: BTreeMap::new() });
                for &field in fields.iter() {
                    let value = self.value(self.program.field(field).ty, depth)?;
                    if let InputObject::Object { fields, .. } = &mut self.heap[index] {
                        fields.insert(field, value);
                    }
                }
            }
            Type::Array(array) => {
                let element = self.program.element_type(array);
                let length = self.chance.below(LONGEST + 1);
                self.array(element, length, depth)?;
            }
            _ => return None,
        }
        Some(InputValue::Ref(index))
    }

    /// A new array with this number of elements.
    fn array(&mut self, element: Type, length: usize, depth: u32) -> Option<()> {
        let index = self.heap.len();
        let empty = InputObject::Array { element, length: length.into(), elements: BTreeMap::new(), rest: None };
        self.heap.push(empty);
        for position in 0..length {
            let value = self.value(element, depth)?;
            if let InputObject::Array { elements, .. } = &mut self.heap[index] {
                elements.insert(position.into(), value);
            }
        }
        Some(())
    }

    /// A new object with arrays of its own, of any length if none is given.
    fn owner(&mut self, class: ClassId, owned: &OwnedArrays, length: Option<usize>, depth: u32) -> Option<InputValue> {
        let index = self.heap.len();
        self.heap.push(InputObject::Object { class, fields: BTreeMap::new() });
        let mut values = BTreeMap::new();
        let number = |number: usize| InputValue::Int(number.into());
        // The whole length, if only the first elements get values.
        let mut whole = None;
        let mut length = length.unwrap_or_else(|| self.chance.below(LONGEST + 1));
        match owned.extent {
            Extent::Any => {}
            Extent::Product(ref dimensions) => {
                length = 1;
                for &field in dimensions {
                    let dimension = self.chance.below(LONGEST.min(3) + 1);
                    length *= dimension;
                    values.insert(field, number(dimension));
                }
            }
            Extent::Used { count, end, is_longest } => {
                let used = self.chance.below(length + 1);
                if is_longest && let Some(most) = self.program.max_array_length() {
                    whole = Some(BigInt::from(most));
                }
                values.insert(count, number(used));
                let behind = if whole.is_some() { used } else { used % length.max(1) };
                values.extend(end.map(|end| (end, number(behind))));
            }
        }
        for &field in &owned.arrays {
            let at = self.heap.len();
            self.hidden.insert(at);
            match self.program.field(field).ty {
                Type::Array(array) => self.array(self.program.element_type(array), length, depth)?,
                Type::Class(part) => {
                    let inner = self.program.owned_arrays(part)?;
                    self.owner(part, &inner, Some(length), depth)?;
                }
                _ => return None,
            }
            if let Some(whole) = &whole {
                set_length(self.program, &mut self.heap, at, whole);
            }
            values.insert(field, InputValue::Ref(at));
        }
        // A subclass of the program has fields of its own.
        for field in self.program.instance_fields(class) {
            let declared = self.program.field(field);
            if !self.program.class(declared.class).is_library && !self.program.is_unset(field) {
                values.insert(field, self.value(declared.ty, depth)?);
            }
        }
        if let InputObject::Object { fields, .. } = &mut self.heap[index] {
            *fields = values;
        }
        Some(InputValue::Ref(index))
    }

    /// A new string: one byte for each character if that suffices, and default values in fields that are set on demand.
    fn string(&mut self) -> Option<InputValue> {
        let layout = self.program.string_layout()?;
        let units = self.values.string(self.chance);
        let Type::Array(array) = self.program.field(layout.value).ty else { return None };
        let element = self.program.element_type(array);
        let Encoded { elements, coder } = encode(self.program, &layout, &units)?;
        let length = BigInt::from(elements.len());
        let index = self.heap.len();
        self.hidden.insert(index);
        self.heap.push(InputObject::Array { element, length, elements, rest: None });
        let mut fields = BTreeMap::from([(layout.value, InputValue::Ref(index))]);
        fields.extend(coder);
        self.heap.push(InputObject::Object { class: layout.class, fields });
        Some(InputValue::Ref(index + 1))
    }
}

/// Whether a reference of type `ty` can refer to an object.
fn is_of(program: &Program, object: &InputObject, ty: Type) -> bool {
    let exact = match object {
        InputObject::Object { class, .. } => Some(Type::Class(*class)),
        InputObject::Array { element, .. } => program.array_type(*element).map(Type::Array),
    };
    exact.is_some_and(|exact| program.is_assignable(exact, ty))
}

/// Provides nondeterministic values. No objects are made while a program runs, so references are null.
impl Draw for Maker<'_> {
    fn value(&mut self, ty: Type) -> InputValue {
        if ty.is_reference() { InputValue::Null } else { self.values.value(self.chance, ty) }
    }

    fn elements(&mut self, element: Type, length: &BigInt) -> Vec<InputValue> {
        let count = usize::try_from(length).unwrap_or(DRAWN).min(DRAWN);
        (0..count).map(|_| Draw::value(self, element)).collect()
    }
}
