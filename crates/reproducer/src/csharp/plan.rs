//! Reads from the arguments of an entry point which objects a program has to make.
//!
//! The program model has no structs, so that a value of a struct is a list of its leaves. Here, they become values again.

use crate::Unreproducible;
use crate::received::{MakingStep, Received};
use aback_ir::{FieldId, MethodId, Type};
use aback_lang_csharp::{CsType, Declarations, DeclaredField, DeclaredMethod, ObjectShape, Receiver, Shape};
use aback_witness::{InputObject, InputValue};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What a program has to make, and the method that it calls.
pub(crate) struct Plan<'a> {
    pub(crate) declarations: Declarations<'a>,
    pub(crate) method: DeclaredMethod,
    /// The objects, by the numbers with which values refer to them.
    pub(crate) objects: BTreeMap<usize, Object>,
    /// The variables to which arguments are references, with the numbers of their objects.
    pub(crate) variables: Vec<(usize, Value)>,
    /// The object on which the method is called.
    pub(crate) receiver: Option<Argument>,
    pub(crate) arguments: Vec<Argument>,
    /// The calls that make some of the objects, in order.
    pub(crate) making: Vec<MakingCall>,
}

/// A call that makes or changes an object.
pub(crate) struct MakingCall {
    pub(crate) method: DeclaredMethod,
    /// The object on which the method is called.
    pub(crate) receiver: Option<usize>,
    pub(crate) arguments: Vec<Value>,
    /// The object that the call makes.
    pub(crate) made: Option<usize>,
}

/// An object.
pub(crate) enum Object {
    /// A string, by its UTF-16 units.
    String(Vec<u16>),
    /// An object of a class, with the fields that differ from their defaults.
    Instance(CsType, Vec<(DeclaredField, Value)>),
    /// The box of a value.
    Box(Value),
    Array(Array),
    /// The object to which a static field of the program refers.
    Held(DeclaredField),
    /// An object of a class that a call makes.
    Made(CsType),
}

/// An array.
pub(crate) struct Array {
    pub(crate) ty: CsType,
    pub(crate) element: CsType,
    /// The length of each dimension.
    pub(crate) lengths: Vec<u64>,
    /// Elements by their positions, in rows. Others hold `rest`.
    pub(crate) elements: BTreeMap<u64, Value>,
    pub(crate) rest: Value,
}

/// A value of a type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Value {
    pub(crate) ty: CsType,
    pub(crate) content: Content,
}

/// What a value is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Content {
    /// The null reference, or a nullable value without a value.
    Null,
    Bool(bool),
    /// An integer, a character or an enum.
    Int(BigInt),
    F32(u32),
    F64(u64),
    /// A struct, with the names and values of the fields that differ from their defaults.
    Struct(Vec<(String, Value)>),
    /// A nullable value with a value.
    Some(Box<Value>),
    /// A reference to an object.
    Ref(usize),
}

/// An argument.
pub(crate) enum Argument {
    Value(Value),
    /// A reference to the variable with this number.
    Variable(usize),
    /// A reference to another place.
    Place(Place),
    /// A part of an array, as a span of a type: the array or null, the start, and the length.
    Span(CsType, Value, BigInt, BigInt),
}

/// A place that is no variable of the caller.
pub(crate) enum Place {
    /// A field of an object, or a part of one, by its name.
    Field(Value, String),
    /// A static field of a class, or a part of one, by its name.
    Static(CsType, String),
    /// The element of an array at an index.
    Element(Value, BigInt),
}

impl Place {
    /// The object that it is part of.
    pub(crate) fn holder(&self) -> Option<&Value> {
        match self {
            Place::Field(holder, _) | Place::Element(holder, _) => Some(holder),
            Place::Static(..) => None,
        }
    }
}

impl Value {
    /// Whether it is the default of its type.
    pub(crate) fn is_default(&self) -> bool {
        match &self.content {
            Content::Null => true,
            Content::Bool(value) => !value,
            Content::Int(value) => *value == BigInt::ZERO,
            Content::F32(bits) => *bits == 0,
            Content::F64(bits) => *bits == 0,
            Content::Struct(fields) => fields.is_empty(),
            Content::Some(_) | Content::Ref(_) => false,
        }
    }

    /// The objects to which it refers.
    pub(crate) fn targets(&self, found: &mut Vec<usize>) {
        match &self.content {
            Content::Ref(target) => found.push(*target),
            Content::Some(inner) => inner.targets(found),
            Content::Struct(fields) => fields.iter().for_each(|(_, value)| value.targets(found)),
            _ => {}
        }
    }
}

impl Object {
    /// The objects to which it refers, in order, each as often as it does, or twice.
    pub(crate) fn targets(&self) -> Vec<usize> {
        let mut found = Vec::new();
        match self {
            Object::String(_) | Object::Held(_) | Object::Made(_) => {}
            Object::Instance(_, fields) => fields.iter().for_each(|(_, value)| value.targets(&mut found)),
            Object::Box(value) => value.targets(&mut found),
            Object::Array(array) => {
                array.rest.targets(&mut found);
                // The rest may be several elements.
                array.rest.targets(&mut found);
                array.elements.values().for_each(|value| value.targets(&mut found));
            }
        }
        found
    }
}

/// The plan for a call of `entry` with the arguments of a concrete run.
///
/// # Errors
/// No program can make an object.
pub(crate) fn plan<'a>(
    declarations: Declarations<'a>,
    entry: MethodId,
    received: &Received,
) -> Result<Plan<'a>, Unreproducible> {
    let missing = || Unreproducible::Entry("the entry point is no method of an assembly".into());
    let method = declarations.method(entry).ok_or_else(missing)?;
    if method.name == ".cctor" {
        return Err(Unreproducible::Entry("only the runtime calls static constructors".into()));
    }
    let mut planner = Planner::new(declarations, received);
    let mut given = received.arguments.iter().cloned();
    let is_new = method.name == ".ctor";
    let receiver = match method.receiver {
        Receiver::None => None,
        Receiver::Pointer => Some(planner.variable(method.owner, given.next())?),
        Receiver::Value => Some(Argument::Value(planner.value(method.owner, &mut given)?)),
    };
    let mut arguments = Vec::new();
    for param in &method.params {
        arguments.push(match declarations.shape(param.ty) {
            Shape::Pointer(target) => planner.variable(target, given.next())?,
            Shape::Span(element) => planner.span(param.ty, element, &mut given)?,
            _ => Argument::Value(planner.value(param.ty, &mut given)?),
        });
    }
    let making = received.making.iter().map(|step| planner.making(step)).collect::<Result<Vec<_>, _>>()?;
    let mut objects = BTreeMap::new();
    while let Some((number, expected)) = planner.pending.pop() {
        if let Entry::Vacant(place) = objects.entry(number) {
            place.insert(planner.object(number, expected)?);
        }
    }
    let variables = planner.variables;
    let receiver = receiver.filter(|_| !is_new);
    Ok(Plan { declarations, method, objects, variables, receiver, arguments, making })
}

/// Reads values and objects from those of the program model.
pub(super) struct Planner<'a> {
    declarations: Declarations<'a>,
    received: &'a Received,
    /// Objects to which values refer, with the types of these values.
    pending: Vec<(usize, CsType)>,
    /// The variables so far, by their objects.
    variables: Vec<(usize, Value)>,
}

/// The reason why a call by reflection cannot pass a reference to a place.
pub(super) fn not_by_reflection() -> Unreproducible {
    Unreproducible::Entry("reflection passes references to new variables only, not to fields and elements".into())
}

fn malformed() -> Unreproducible {
    Unreproducible::Object("the inputs do not fit the program".into())
}

impl<'a> Planner<'a> {
    pub(super) fn new(declarations: Declarations<'a>, received: &'a Received) -> Self {
        Planner { declarations, received, pending: Vec::new(), variables: Vec::new() }
    }

    fn name(&self, ty: CsType) -> String {
        self.declarations.shown_name(ty).unwrap_or_else(|| "a type without a name".into())
    }

    /// The managed pointer that an object is, and its fields.
    fn pointer(&self, number: usize) -> Result<(ObjectShape, &'a BTreeMap<FieldId, InputValue>), Unreproducible> {
        match self.received.heap.get(number) {
            Some(InputObject::Object { class, fields }) => Ok((self.declarations.object(*class), fields)),
            _ => Err(malformed()),
        }
    }

    /// A call that makes or changes an object.
    fn making(&mut self, step: &MakingStep) -> Result<MakingCall, Unreproducible> {
        let method = self.declarations.method(step.method).ok_or_else(malformed)?;
        let mut given = step.arguments.iter().cloned();
        let object = if method.receiver == Receiver::None { None } else { given.next() };
        let receiver = match object {
            Some(InputValue::Ref(object)) if step.made.is_none() => {
                self.pending.push((object, method.owner));
                Some(object)
            }
            _ => None,
        };
        self.pending.extend(step.made.map(|made| (made, method.owner)));
        let arguments = method.params.iter().map(|param| self.value(param.ty, &mut given));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        Ok(MakingCall { method, receiver, arguments, made: step.made })
    }

    // ---- values -------------------------------------------------------------------------------------------------

    /// The value of a type that has the next leaves.
    ///
    /// # Errors
    /// No program makes values of the type.
    pub(super) fn value(
        &mut self,
        ty: CsType,
        leaves: &mut dyn Iterator<Item = InputValue>,
    ) -> Result<Value, Unreproducible> {
        let content = match self.declarations.shape(ty) {
            Shape::Struct => self.structure(ty, leaves)?,
            Shape::Nullable(inner) => {
                let has_value = matches!(leaves.next(), Some(InputValue::Bool(true)));
                let value = self.value(inner, leaves)?;
                if has_value { Content::Some(Box::new(value)) } else { Content::Null }
            }
            Shape::Pointer(_) | Shape::Span(_) | Shape::Other => {
                return Err(Unreproducible::Object(format!("no program makes values of the type {}", self.name(ty))));
            }
            shape => self.leaf(ty, shape, leaves.next().ok_or_else(malformed)?)?,
        };
        Ok(Value { ty, content })
    }

    fn leaf(&mut self, ty: CsType, shape: Shape, leaf: InputValue) -> Result<Content, Unreproducible> {
        Ok(match (leaf, shape) {
            (InputValue::Bool(value), Shape::Bool) => Content::Bool(value),
            (InputValue::F32(bits), Shape::F32) => Content::F32(bits),
            (InputValue::F64(bits), Shape::F64) => Content::F64(bits),
            (InputValue::Null, _) => Content::Null,
            (InputValue::Ref(target), Shape::Reference | Shape::Array(_) | Shape::Grid(..)) => {
                self.pending.push((target, ty));
                Content::Ref(target)
            }
            (leaf, Shape::Enum(underlying)) => self.leaf(underlying, self.declarations.shape(underlying), leaf)?,
            (InputValue::Int(value), Shape::Char) => Content::Int(wrapped(value, 16, false)),
            (InputValue::Int(value), Shape::Int { width, signed }) => Content::Int(wrapped(value, width, signed)),
            (InputValue::Int(value), Shape::Native { signed }) => Content::Int(wrapped(value, 64, signed)),
            _ => return Err(malformed()),
        })
    }

    fn structure(
        &mut self,
        ty: CsType,
        leaves: &mut dyn Iterator<Item = InputValue>,
    ) -> Result<Content, Unreproducible> {
        let mut fields = Vec::new();
        for field in self.declarations.fields(ty).map_err(Unreproducible::Object)? {
            let value = self.value(field.ty, leaves)?;
            if !value.is_default() {
                fields.push((field.name, value));
            }
        }
        Ok(Content::Struct(fields))
    }

    // ---- arguments ----------------------------------------------------------------------------------------------

    /// An argument that refers to a variable of a type.
    fn variable(&mut self, ty: CsType, given: Option<InputValue>) -> Result<Argument, Unreproducible> {
        let Some(InputValue::Ref(number)) = given else { return Err(malformed()) };
        if let Some(known) = self.variables.iter().position(|(known, _)| *known == number) {
            return Ok(Argument::Variable(known));
        }
        let (ObjectShape::Variable(_), _) = self.pointer(number)? else {
            return Ok(Argument::Place(self.place(number, ty)?));
        };
        let value = self.content_of(number, ty)?;
        self.variables.push((number, value));
        Ok(Argument::Variable(self.variables.len() - 1))
    }

    /// The value of a variable of a type, by the number of its object.
    ///
    /// # Errors
    /// The object is no variable.
    pub(super) fn content_of(&mut self, number: usize, ty: CsType) -> Result<Value, Unreproducible> {
        let (ObjectShape::Variable(leaves), fields) = self.pointer(number)? else { return Err(malformed()) };
        self.value(ty, &mut self.leaves_of(&leaves, fields).into_iter())
    }

    /// The place of a type to which a pointer points that leads to no variable.
    fn place(&mut self, number: usize, ty: CsType) -> Result<Place, Unreproducible> {
        let (pointer, fields) = self.pointer(number)?;
        let mut holder = |field: &FieldId, ty: CsType| match fields.get(field) {
            Some(&InputValue::Ref(target)) => {
                self.pending.push((target, ty));
                Ok(Value { ty, content: Content::Ref(target) })
            }
            _ => Err(malformed()),
        };
        match pointer {
            ObjectShape::FieldReference(leaves, object) => {
                let (owner, name) = self.declarations.place(&leaves, ty).ok_or_else(malformed)?;
                Ok(Place::Field(holder(&object, owner)?, name))
            }
            ObjectShape::StaticReference(leaves) => {
                let (owner, name) = self.declarations.place(&leaves, ty).ok_or_else(malformed)?;
                Ok(Place::Static(owner, name))
            }
            ObjectShape::Element(array, object, index) => {
                let index = match fields.get(&index) {
                    Some(InputValue::Int(index)) => index.clone(),
                    _ => BigInt::ZERO,
                };
                Ok(Place::Element(holder(&object, array)?, index))
            }
            _ => Err(malformed()),
        }
    }

    fn span(
        &mut self,
        ty: CsType,
        element: CsType,
        given: &mut dyn Iterator<Item = InputValue>,
    ) -> Result<Argument, Unreproducible> {
        let (pointer, length) = (given.next(), given.next());
        let array = self.declarations.array_of(element).ok_or_else(malformed)?;
        let null = Value { ty: array, content: Content::Null };
        let Some(InputValue::Ref(number)) = pointer else {
            return Ok(Argument::Span(ty, null, BigInt::ZERO, BigInt::ZERO));
        };
        let Place::Element(array, start) = self.place(number, element)? else { return Err(malformed()) };
        let length = match length {
            Some(InputValue::Int(length)) => length,
            _ => BigInt::ZERO,
        };
        Ok(Argument::Span(ty, array, start, length))
    }

    // ---- objects ------------------------------------------------------------------------------------------------

    /// The values of fields of the program model.
    fn leaves_of(&self, ids: &[FieldId], fields: &BTreeMap<FieldId, InputValue>) -> Vec<InputValue> {
        let program = self.declarations.program();
        let value = |id: &FieldId| fields.get(id).cloned();
        ids.iter().map(|id| value(id).unwrap_or_else(|| InputValue::default_of(program.field(*id).ty))).collect()
    }

    /// The object with a number, to which a value of the type `expected` refers.
    ///
    /// # Errors
    /// No program can make it.
    pub(super) fn object(&mut self, number: usize, expected: CsType) -> Result<Object, Unreproducible> {
        if let Some(units) = self.received.strings.get(&number) {
            return Ok(Object::String(units.clone()));
        }
        if self.received.own.contains(&number) {
            return self.held(number, expected);
        }
        let received = self.received;
        if received.making.iter().any(|step| step.made == Some(number))
            && let Some(InputObject::Object { class, .. }) = received.heap.get(number)
            && let ObjectShape::Object(ty) = self.declarations.object(*class)
        {
            return Ok(Object::Made(ty));
        }
        let (class, fields) = match received.heap.get(number).ok_or_else(malformed)? {
            InputObject::Object { class, fields } => (*class, fields),
            InputObject::Array { element, length, elements, rest } => {
                let ty = self.declarations.array(*element, expected).ok_or_else(malformed)?;
                let plane = Plane { element: *element, length, elements, rest: rest.as_ref() };
                return self.array(ty, &[plane], vec![length.to_u64().ok_or_else(malformed)?]);
            }
        };
        match self.declarations.object(class) {
            // Nothing has looked at the characters.
            ObjectShape::Object(ty) if self.declarations.is_string(ty) => Ok(Object::String(Vec::new())),
            ObjectShape::Object(ty) => self.instance(ty, fields),
            ObjectShape::Box(ty, ids) => {
                let leaves = self.leaves_of(&ids, fields);
                Ok(Object::Box(self.value(ty, &mut leaves.into_iter())?))
            }
            ObjectShape::Array(ty, planes, lengths) => {
                let mut found = Vec::new();
                for plane in self.leaves_of(&planes, fields) {
                    let InputValue::Ref(plane) = plane else { return Err(malformed()) };
                    let Some(InputObject::Array { element, length, elements, rest }) = received.heap.get(plane) else {
                        return Err(malformed());
                    };
                    found.push(Plane { element: *element, length, elements, rest: rest.as_ref() });
                }
                let first = found.first().and_then(|plane| plane.length.to_u64()).ok_or_else(malformed)?;
                let lengths = self.leaves_of(&lengths, fields).into_iter().map(|length| match length {
                    InputValue::Int(length) => length.to_u64(),
                    _ => None,
                });
                let lengths: Vec<u64> = lengths.collect::<Option<_>>().ok_or_else(malformed)?;
                self.array(ty, &found, if lengths.is_empty() { vec![first] } else { lengths })
            }
            ObjectShape::Variable(_)
            | ObjectShape::Element(..)
            | ObjectShape::FieldReference(..)
            | ObjectShape::StaticReference(_)
            | ObjectShape::Other => {
                let class = self.declarations.program().class_name(class);
                Err(Unreproducible::Object(format!("only the program itself makes objects of {class}")))
            }
        }
    }

    fn held(&self, number: usize, expected: CsType) -> Result<Object, Unreproducible> {
        let holder = self.received.holders.get(&number);
        match holder.and_then(|&field| self.declarations.static_field(field)) {
            Some(field) => Ok(Object::Held(field)),
            None => Err(Unreproducible::Object(format!(
                "an argument leads to an object of {} that the program holds itself",
                self.name(expected)
            ))),
        }
    }

    fn instance(&mut self, ty: CsType, given: &BTreeMap<FieldId, InputValue>) -> Result<Object, Unreproducible> {
        let program = self.declarations.program();
        let declared = self.declarations.fields(ty).map_err(Unreproducible::Object)?;
        for (&id, value) in given {
            let is_known = declared.iter().any(|field| field.leaves.contains(&id));
            if !is_known && *value != InputValue::default_of(program.field(id).ty) {
                let field = program.field(id);
                return Err(Unreproducible::Object(format!(
                    "the field {}.{} exists only in aback's model of the class",
                    program.class_name(field.class),
                    field.name
                )));
            }
        }
        let mut fields = Vec::new();
        for field in declared {
            let leaves = self.leaves_of(&field.leaves, given);
            let value = self.value(field.ty, &mut leaves.into_iter())?;
            if !value.is_default() {
                fields.push((field, value));
            }
        }
        Ok(Object::Instance(ty, fields))
    }

    fn array(&mut self, ty: CsType, planes: &[Plane], lengths: Vec<u64>) -> Result<Object, Unreproducible> {
        let (Shape::Array(element) | Shape::Grid(element, _)) = self.declarations.shape(ty) else {
            return Err(malformed());
        };
        // Arrays of structs without fields have a plane that is no leaf.
        let planes = &planes[..planes.len().min(self.declarations.leaves(element))];
        let mut at = |position: Option<&BigInt>| {
            let leaf = |plane: &Plane| {
                let own = position.and_then(|position| plane.elements.get(position));
                own.or(plane.rest).cloned().unwrap_or_else(|| InputValue::default_of(plane.element))
            };
            self.value(element, &mut planes.iter().map(leaf))
        };
        let rest = at(None)?;
        let count: u64 = lengths.iter().product();
        let mut elements = BTreeMap::new();
        for position in planes.iter().flat_map(|plane| plane.elements.keys()) {
            let index = position.to_u64().filter(|&index| index < count);
            if let Some(index) = index
                && !elements.contains_key(&index)
            {
                elements.insert(index, at(Some(position))?);
            }
        }
        elements.retain(|_, value| *value != rest);
        Ok(Object::Array(Array { ty, element, lengths, elements, rest }))
    }
}

/// The default of a type.
pub(super) fn default_of(declarations: Declarations, ty: CsType) -> Value {
    let content = match declarations.shape(ty) {
        Shape::Bool => Content::Bool(false),
        Shape::F32 => Content::F32(0),
        Shape::F64 => Content::F64(0),
        Shape::Char | Shape::Int { .. } | Shape::Native { .. } | Shape::Enum(_) => Content::Int(BigInt::ZERO),
        Shape::Struct => Content::Struct(Vec::new()),
        _ => Content::Null,
    };
    Value { ty, content }
}

/// The leaves of the elements of an array that have the same place in an element.
struct Plane<'a> {
    element: Type,
    length: &'a BigInt,
    elements: &'a BTreeMap<BigInt, InputValue>,
    rest: Option<&'a InputValue>,
}

/// An integer as one of a width: variables behind references have signed values.
fn wrapped(value: BigInt, width: u8, signed: bool) -> BigInt {
    let modulus = BigInt::one() << width;
    let value: BigInt = ((value % &modulus) + &modulus) % &modulus;
    if signed && value >= (&modulus >> 1) { value - modulus } else { value }
}
