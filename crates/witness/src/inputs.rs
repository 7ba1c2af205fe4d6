//! Defines the inputs of a run: arguments, an input heap, statics, and values of nondeterministic intrinsics.

use crate::heap::{Heap, OutOfMemory};
use crate::int::Int;
use crate::state::{Output, State};
use crate::types::is_array_assignable;
use crate::value::{Address, Value};
use aback_ir::analysis::{Effects, initialized_by_objects, noticed_initializations};
use aback_ir::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use num_bigint::{BigInt, Sign};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The input of a run. All references are indices of `heap`, so that aliases and cycles need no special form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// Arguments of the entry point, the receiver first.
    pub args: Vec<InputValue>,
    /// The objects that exist at entry.
    pub heap: Vec<InputObject>,
    /// Results of nondeterministic intrinsics, in the order in which they run. For an array they are its elements
    /// ([`InputValue::Elements`]). After the last one, each result is the default of its type or an array of defaults.
    pub nondet: Vec<InputValue>,
    /// Static fields that differ from the default of their type at entry.
    pub statics: BTreeMap<FieldId, InputValue>,
}

/// A value of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputValue {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A binary32, by its bits.
    F32(u32),
    /// A binary64, by its bits.
    F64(u64),
    /// The null reference.
    Null,
    /// A reference to an object of [`Inputs::heap`].
    Ref(usize),
    /// The elements of the array that [`aback_ir::Intrinsic::NondetArray`] makes; nothing else takes this value.
    /// Missing elements hold the default of their type, and elements beyond the array's length are ignored.
    Elements(Vec<InputValue>),
}

/// Gives an array of an input heap another length, or the arrays of which an object consists
/// ([`aback_ir::OwnedArrays`]). Elements beyond it are dropped, and new ones hold what the rest of the array does.
pub fn set_length(program: &Program, heap: &mut [InputObject], object: usize, new: &BigInt) {
    let mut parts = Vec::new();
    match heap.get_mut(object) {
        Some(InputObject::Array { length, elements, .. }) => {
            elements.retain(|index, _| index < new);
            *length = new.clone();
        }
        Some(InputObject::Object { fields, .. }) => {
            let own = fields.iter().filter(|(field, _)| program.is_owned_array(**field));
            parts.extend(own.map(|(_, value)| value.clone()));
        }
        None => {}
    }
    for part in parts {
        if let InputValue::Ref(part) = part {
            set_length(program, heap, part, new);
        }
    }
}

impl InputValue {
    /// The default value of a type.
    pub fn default_of(ty: Type) -> InputValue {
        match ty {
            Type::Bool => InputValue::Bool(false),
            Type::Int | Type::Machine { .. } => InputValue::Int(BigInt::ZERO),
            Type::F32 => InputValue::F32(0),
            Type::F64 => InputValue::F64(0),
            Type::Class(_) | Type::Array(_) | Type::Null => InputValue::Null,
        }
    }
}

/// An object of an input heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputObject {
    /// An instance of a class.
    Object {
        /// Its exact class.
        class: ClassId,
        /// Its instance fields, including inherited ones. Missing fields hold the default of their type.
        fields: BTreeMap<FieldId, InputValue>,
    },
    /// An array.
    Array {
        /// Type of its elements.
        element: Type,
        /// Number of its elements.
        length: BigInt,
        /// Its elements; missing elements hold `rest`.
        elements: BTreeMap<BigInt, InputValue>,
        /// The value of the other elements; `None` is the default of the type. This describes long arrays.
        rest: Option<InputValue>,
    },
}

/// Why an input does not fit the program. `at` names the part, as in `argument 2` or `heap[0].next`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InputError {
    /// The entry point is not a method of the program.
    #[error("the program has no method number {0}")]
    NoSuchMethod(u32),
    /// The entry point cannot be run.
    #[error("{0} has no code")]
    NoCode(String),
    /// There are too many or too few arguments.
    #[error("{method} takes {expected} arguments, not {found}")]
    ArgumentCount {
        /// The entry point.
        method: String,
        /// Number of its parameters.
        expected: usize,
        /// Number of the input's arguments.
        found: usize,
    },
    /// The entry point needs a receiver.
    #[error("the receiver of {0} is null")]
    NullReceiver(String),
    /// No call on this receiver runs the entry point.
    #[error("a call on a {class} does not run {method}, because {class} overrides it")]
    Overridden {
        /// The entry point.
        method: String,
        /// The receiver's class.
        class: String,
    },
    /// The kind of a value does not fit the type of its place.
    #[error("{at} must be of type {expected}, not {found}")]
    WrongType {
        /// Where.
        at: String,
        /// Type of the place.
        expected: String,
        /// What the value is.
        found: String,
    },
    /// An integer is outside the range of its type.
    #[error("{at} must be in the range of {expected}; {found} is not")]
    OutOfRange {
        /// Where.
        at: String,
        /// Type of the place.
        expected: String,
        /// The integer.
        found: BigInt,
    },
    /// A reference refers to no object of the input heap.
    #[error("{at} refers to object {index} of a heap of {size}")]
    DanglingReference {
        /// Where.
        at: String,
        /// What it refers to.
        index: usize,
        /// Number of objects.
        size: usize,
    },
    /// An object has a class that is not in the program.
    #[error("{at} has class number {class}, which the program does not have")]
    NoSuchClass {
        /// Where.
        at: String,
        /// The class.
        class: u32,
    },
    /// An object has an abstract class.
    #[error("{at} is an object of {class}, which is abstract")]
    AbstractClass {
        /// Where.
        at: String,
        /// The class.
        class: String,
    },
    /// An object gives a value to a field that it does not have, or `statics` gives one to a field that is not static.
    #[error("{at} has no field number {field}")]
    NoSuchField {
        /// Where.
        at: String,
        /// The field.
        field: u32,
    },
    /// The program has no arrays with such elements.
    #[error("{at} is an array of a type that the program does not have")]
    NoSuchArrayType {
        /// Where.
        at: String,
    },
    /// An array has more elements than the program's language allows.
    #[error("{at} is an array of length {length}, which no array can have")]
    TooLong {
        /// Where.
        at: String,
        /// The length.
        length: BigInt,
    },
    /// An array has a negative length.
    #[error("{at} is an array of length {length}")]
    NegativeLength {
        /// Where.
        at: String,
        /// The length.
        length: BigInt,
    },
    /// An element is outside its array.
    #[error("{at} has an element at index {index}, but its length is {length}")]
    ElementOutside {
        /// Where.
        at: String,
        /// Index of the element.
        index: BigInt,
        /// Length of the array.
        length: BigInt,
    },
}

/// A part of an input, for error messages.
#[derive(Clone, Copy)]
enum Part<'a> {
    Argument(usize),
    Nondet(usize),
    NondetElement(usize, usize),
    Static(FieldId),
    Object(usize),
    Field(usize, FieldId),
    Element(usize, &'a BigInt),
    Rest(usize),
}

impl Part<'_> {
    fn show(self, program: &Program) -> String {
        match self {
            Part::Argument(index) => format!("argument {index}"),
            Part::Nondet(index) => format!("nondeterministic value {index}"),
            Part::NondetElement(index, element) => format!("element {element} of nondeterministic value {index}"),
            Part::Static(field) => {
                let field = program.field(field);
                format!("{}.{}", program.class(field.class).name, field.name)
            }
            Part::Object(index) => format!("heap[{index}]"),
            Part::Field(index, field) => format!("heap[{index}].{}", program.field(field).name),
            Part::Element(index, element) => format!("heap[{index}][{element}]"),
            Part::Rest(index) => format!("the other elements of heap[{index}]"),
        }
    }
}

impl Inputs {
    /// Checks that `entry` of `program` can be run on the input.
    ///
    /// Nondeterministic values are checked only for dangling references, because the run determines their types. A
    /// receiver whose class overrides `entry` is refused, since no call on it runs `entry`.
    ///
    /// # Errors
    /// Reports the first part that does not fit.
    pub fn check(&self, program: &Program, entry: MethodId) -> Result<(), InputError> {
        if entry.index() >= program.method_count() {
            return Err(InputError::NoSuchMethod(entry.0));
        }
        let method = program.method(entry);
        if method.is_abstract {
            return Err(InputError::NoCode(program.method_name(entry)));
        }
        if self.args.len() != method.params.len() {
            return Err(InputError::ArgumentCount {
                method: program.method_name(entry),
                expected: method.params.len(),
                found: self.args.len(),
            });
        }
        // Objects come first, so that the checks of references can rely on their classes.
        for (index, object) in self.heap.iter().enumerate() {
            self.check_shape(program, index, object)?;
        }
        let mut fields = FxHashMap::default();
        for (index, object) in self.heap.iter().enumerate() {
            self.check_contents(program, index, object, &mut fields)?;
        }
        for (index, (arg, &ty)) in self.args.iter().zip(&method.params).enumerate() {
            self.check_value(program, Part::Argument(index), arg, ty)?;
        }
        for (&field, value) in &self.statics {
            if field.index() >= program.field_count() || !program.field(field).is_static {
                return Err(InputError::NoSuchField { at: "statics".into(), field: field.0 });
            }
            self.check_value(program, Part::Static(field), value, program.field(field).ty)?;
        }
        for (index, value) in self.nondet.iter().enumerate() {
            self.check_reference(program, Part::Nondet(index), value)?;
        }
        match (method.kind, self.args.first()) {
            (MethodKind::Instance | MethodKind::Constructor, Some(InputValue::Null)) => {
                Err(InputError::NullReceiver(program.method_name(entry)))
            }
            (MethodKind::Instance, Some(InputValue::Ref(receiver))) => match self.heap.get(*receiver) {
                Some(InputObject::Object { class, .. }) if program.dispatch(*class, entry) != entry => {
                    Err(InputError::Overridden {
                        method: program.method_name(entry),
                        class: program.class(*class).name.clone(),
                    })
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Checks that the class or element type exists, and that the length is valid.
    fn check_shape(&self, program: &Program, index: usize, object: &InputObject) -> Result<(), InputError> {
        let at = || Part::Object(index).show(program);
        match object {
            InputObject::Object { class, .. } => {
                if class.index() >= program.class_count() {
                    return Err(InputError::NoSuchClass { at: at(), class: class.0 });
                }
                let declared = program.class(*class);
                if declared.is_abstract || declared.is_interface {
                    return Err(InputError::AbstractClass { at: at(), class: declared.name.clone() });
                }
            }
            InputObject::Array { element, length, .. } => {
                // If the program has an array type for an element type, it has the element type.
                if program.array_type(*element).is_none() {
                    return Err(InputError::NoSuchArrayType { at: at() });
                }
                if length.sign() == Sign::Minus {
                    return Err(InputError::NegativeLength { at: at(), length: length.clone() });
                }
                if program.max_array_length().is_some_and(|most| *length > BigInt::from(most)) {
                    return Err(InputError::TooLong { at: at(), length: length.clone() });
                }
            }
        }
        Ok(())
    }

    /// `instance_fields` caches the fields of the classes that were met so far.
    fn check_contents(
        &self,
        program: &Program,
        index: usize,
        object: &InputObject,
        instance_fields: &mut FxHashMap<ClassId, FxHashSet<FieldId>>,
    ) -> Result<(), InputError> {
        match object {
            InputObject::Object { class, fields } => {
                let declared = instance_fields
                    .entry(*class)
                    .or_insert_with(|| program.instance_fields(*class).into_iter().collect());
                for (&field, value) in fields {
                    if !declared.contains(&field) {
                        let at = Part::Object(index).show(program);
                        return Err(InputError::NoSuchField { at, field: field.0 });
                    }
                    self.check_value(program, Part::Field(index, field), value, program.field(field).ty)?;
                }
            }
            InputObject::Array { element, length, elements, rest } => {
                if let Some(rest) = rest {
                    self.check_value(program, Part::Rest(index), rest, *element)?;
                }
                for (position, value) in elements {
                    if position.sign() == Sign::Minus || position >= length {
                        return Err(InputError::ElementOutside {
                            at: Part::Object(index).show(program),
                            index: position.clone(),
                            length: length.clone(),
                        });
                    }
                    self.check_value(program, Part::Element(index, position), value, *element)?;
                }
            }
        }
        Ok(())
    }

    fn check_value(&self, program: &Program, at: Part<'_>, value: &InputValue, ty: Type) -> Result<(), InputError> {
        self.check_reference(program, at, value)?;
        let fits = match (value, ty) {
            (InputValue::Bool(_), Type::Bool) | (InputValue::F32(_), Type::F32) | (InputValue::F64(_), Type::F64) => {
                true
            }
            (InputValue::Int(number), Type::Int | Type::Machine { .. }) => {
                if !Int::from(number).fits(ty) {
                    return Err(InputError::OutOfRange {
                        at: at.show(program),
                        expected: program.type_name(ty),
                        found: number.clone(),
                    });
                }
                true
            }
            (InputValue::Null, _) => ty.is_reference(),
            (InputValue::Ref(index), _) => match self.heap.get(*index) {
                Some(InputObject::Object { class, .. }) => program.is_assignable(Type::Class(*class), ty),
                Some(InputObject::Array { element, .. }) => is_array_assignable(program, *element, ty).unwrap_or(false),
                None => false,
            },
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(InputError::WrongType {
            at: at.show(program),
            expected: program.type_name(ty),
            found: self.show_kind(program, value),
        })
    }

    /// Describes a value for an error message.
    fn show_kind(&self, program: &Program, value: &InputValue) -> String {
        match value {
            InputValue::Bool(value) => value.to_string(),
            InputValue::Int(number) => number.to_string(),
            InputValue::F32(_) => "a 32-bit float".into(),
            InputValue::F64(_) => "a 64-bit float".into(),
            InputValue::Null => "null".into(),
            InputValue::Elements(_) => "a list of elements".into(),
            InputValue::Ref(index) => match self.heap.get(*index) {
                Some(InputObject::Object { class, .. }) => program.class(*class).name.clone(),
                Some(InputObject::Array { element, .. }) => format!("{}[]", program.type_name(*element)),
                None => "a dangling reference".into(),
            },
        }
    }

    fn check_reference(&self, program: &Program, at: Part<'_>, value: &InputValue) -> Result<(), InputError> {
        match value {
            InputValue::Ref(index) if *index >= self.heap.len() => {
                Err(InputError::DanglingReference { at: at.show(program), index: *index, size: self.heap.len() })
            }
            InputValue::Elements(elements) => {
                elements.iter().try_for_each(|element| self.check_reference(program, at, element))
            }
            _ => Ok(()),
        }
    }

    /// The nondeterministic value with this index, which must have type `ty`. The inputs must have been checked.
    pub(crate) fn nondet_value(&self, program: &Program, index: usize, ty: Type) -> Result<Value, InputError> {
        match self.nondet.get(index) {
            Some(value) => self.checked_nondet(program, index, value, ty),
            None => Ok(Value::default_of(ty)),
        }
    }

    /// Converts the nondeterministic value with this index if it has type `ty`.
    pub(crate) fn checked_nondet(
        &self,
        program: &Program,
        index: usize,
        value: &InputValue,
        ty: Type,
    ) -> Result<Value, InputError> {
        self.check_value(program, Part::Nondet(index), value, ty)?;
        Ok(value.into())
    }

    /// The given elements of an array of `element`, which is the nondeterministic value with this index. The inputs
    /// must have been checked.
    pub(crate) fn nondet_elements(
        &self,
        program: &Program,
        index: usize,
        element: Type,
    ) -> Result<Vec<Value>, InputError> {
        self.checked_nondet_elements(program, index, self.nondet.get(index), element)
    }

    /// Converts the elements of the nondeterministic value with this index, an array of `element`; empty if `array` is
    /// `None`.
    pub(crate) fn checked_nondet_elements(
        &self,
        program: &Program,
        index: usize,
        array: Option<&InputValue>,
        element: Type,
    ) -> Result<Vec<Value>, InputError> {
        let elements = match array {
            Some(InputValue::Elements(elements)) => elements.as_slice(),
            Some(other) => {
                return Err(InputError::WrongType {
                    at: Part::Nondet(index).show(program),
                    expected: format!("{}[]", program.type_name(element)),
                    found: self.show_kind(program, other),
                });
            }
            None => &[],
        };
        for (position, value) in elements.iter().enumerate() {
            self.check_value(program, Part::NondetElement(index, position), value, element)?;
        }
        Ok(elements.iter().map(Value::from).collect())
    }

    /// Whether the program can observe that the classes of the input objects have been initialized.
    pub fn initialize_noticed_classes(&self, program: &Program) -> bool {
        !noticed_initializations(program, &self.classes_to_initialize(program), Effects::matters).is_empty()
    }

    /// The classes that must be initialized before the input objects can exist. Classes of the language itself are left
    /// out, since no program observes their initialization.
    pub(crate) fn classes_to_initialize(&self, program: &Program) -> Vec<ClassId> {
        let mut found = Vec::new();
        for object in &self.heap {
            let InputObject::Object { class, .. } = *object else { continue };
            for class in initialized_by_objects(program, class) {
                if !found.contains(&class) && !program.is_platform(class) && program.initialization(class).is_some() {
                    found.push(class);
                }
            }
        }
        found
    }

    /// The state before the first activation, with the input heap in place, and the arguments. The inputs must have
    /// been checked.
    pub(crate) fn load<'p>(
        &self,
        program: &'p Program,
        max_cells: u64,
    ) -> (State<'p>, Result<Vec<Value>, OutOfMemory>) {
        let mut state = State {
            program,
            frames: Vec::new(),
            locals: Vec::new(),
            heap: Heap::new(program, max_cells),
            statics: self.statics.iter().map(|(&field, value)| (field, value.into())).collect::<FxHashMap<_, _>>(),
            steps: 0,
            nondet_used: 0,
            output: Output::default(),
        };
        let loaded = self.load_heap(program, &mut state.heap);
        (state, loaded.map(|()| self.args.iter().map(Value::from).collect()))
    }

    fn load_heap(&self, program: &Program, heap: &mut Heap) -> Result<(), OutOfMemory> {
        // Addresses count from 0 in the order of allocation, so object `i` gets address `i`.
        for object in &self.heap {
            match object {
                InputObject::Object { class, fields } => {
                    let address = heap.new_object(program, *class)?;
                    for (&field, value) in fields {
                        heap.put_field(address, field, value.into())?;
                    }
                }
                InputObject::Array { element, length, elements, rest } => {
                    let rest = rest.as_ref().map_or(Value::default_of(*element), Value::from);
                    let address = heap.new_array_of(*element, length.into(), rest)?;
                    for (position, value) in elements {
                        heap.put_element(address, &position.into(), value.into())?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl From<&InputValue> for Value {
    /// An index beyond `u32` becomes the address of an object that no heap has room for. A list of elements is not a
    /// value and becomes null.
    fn from(value: &InputValue) -> Self {
        match value {
            InputValue::Bool(value) => Value::Bool(*value),
            InputValue::Int(number) => Value::Int(number.into()),
            InputValue::F32(bits) => Value::F32(*bits),
            InputValue::F64(bits) => Value::F64(*bits),
            InputValue::Null | InputValue::Elements(_) => Value::Null,
            InputValue::Ref(index) => Value::Ref(Address(u32::try_from(*index).unwrap_or(u32::MAX))),
        }
    }
}
