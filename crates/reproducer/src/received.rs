//! Notes the arguments of the entry point in a concrete run.

use aback_ir::{ClassId, Extent, FieldId, MethodId, MethodKind, OwnedArrays, Program, Span};
use aback_witness::{
    Address, Frame, HeapObject, InputObject, InputValue, MakingCalls, Object, State, Value, set_length,
};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

/// The arguments of the entry point, with the receiver first, and the objects reachable from them, as they are when
/// the entry point is called: the inputs of the run, and objects that are created from them before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Received {
    /// The arguments. The receiver of a constructor is null.
    pub(crate) arguments: Vec<InputValue>,
    pub(crate) heap: Vec<InputObject>,
    /// The objects that are enum constants: the enum, and the ordinal of the constant.
    pub(crate) constants: FxHashMap<usize, (ClassId, usize)>,
    /// Code units of the objects that are strings.
    pub(crate) strings: FxHashMap<usize, Vec<u16>>,
    /// Objects that the program itself has created before. A copy cannot replace them. Strings among them are
    /// interned.
    pub(crate) own: FxHashSet<usize>,
    /// Static fields that refer to objects, by object.
    pub(crate) holders: FxHashMap<usize, FieldId>,
    /// The calls that made some of these objects, in order.
    pub(crate) making: Vec<MakingStep>,
    /// The addresses of the objects in the run.
    addresses: Vec<Address>,
}

/// A call that made one of the objects, or changed it, before the entry point was called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MakingStep {
    pub(crate) method: MethodId,
    /// The arguments, with the receiver first. That of a constructor is the object that it makes.
    pub(crate) arguments: Vec<InputValue>,
    /// The object that the call makes.
    pub(crate) made: Option<usize>,
}

/// What a run leaves: the result, and the objects reachable from it and from the arguments, as they are at the end. The
/// objects of [`Received`] keep their numbers, and others follow.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Left {
    /// The result of the entry point; the object that a constructor has made. A struct has a value for each of its parts.
    pub(crate) result: Vec<InputValue>,
    /// The objects.
    pub(crate) objects: Received,
}

/// A line of the user's own code, and its method.
pub(crate) type Line = (MethodId, Span);

/// The current line of an activation, if it belongs to the user's own code.
pub(crate) fn line(program: &Program, frame: &Frame<'_>) -> Option<Line> {
    if program.is_library_method(frame.method) {
        return None;
    }
    let block = program.body(frame.method)?.blocks.get(frame.point.block.index())?;
    let span = block.ops.get(frame.point.op as usize).map_or(block.terminator.span, |op| op.span);
    span.is_known().then_some((frame.method, span))
}

/// The innermost current line of the user's own code.
pub(crate) fn innermost(program: &Program, state: &State<'_>) -> Option<Line> {
    state.frames().rev().find_map(|frame| line(program, &frame))
}

/// Notes the arguments of the entry point, which the innermost activation begins. `inputs` is the number of input
/// objects, `kept` are those among them that the program has found before, and `making` has the calls that made others.
/// An object may be an enum constant.
pub(crate) fn receive(
    entry: MethodId,
    inputs: usize,
    state: &State<'_>,
    kept: &FxHashSet<Address>,
    making: &MakingCalls,
    constant: impl Fn(&Object) -> Option<(ClassId, usize)>,
) -> Option<Received> {
    let frame = state.top()?;
    let method = state.program().method(entry);
    let mut found = Found::default();
    let values = method.params.iter().zip(frame.locals).enumerate();
    let arguments: Vec<InputValue> = values
        .map(|(index, (_, value))| match (index, method.kind) {
            (0, MethodKind::Constructor) => InputValue::Null,
            _ => found.value(value),
        })
        .collect();
    let steps = making.calls().iter().map(|call| MakingStep {
        method: call.method,
        arguments: call.arguments.iter().map(|value| found.value(value)).collect(),
        made: call.made.map(|address| found.number(address)),
    });
    let steps = steps.collect();
    let mut received = Received { arguments, making: steps, ..Received::default() };
    let numbers = received.follow(found, state, constant)?;
    let is_made = |address: &Address| address.index() < inputs || making.has_allocated(*address);
    let is_own = |address: &Address| !is_made(address) || kept.contains(address);
    let own = received.addresses.iter().enumerate().filter(|(_, address)| is_own(address));
    received.own = own.map(|(number, _)| number).collect();
    for (field, value) in state.statics() {
        if let Value::Ref(address) = value
            && let Some(&number) = numbers.get(address)
        {
            let holder = received.holders.entry(number).or_insert(field);
            *holder = field.min(*holder);
        }
    }
    leave_no_room(state.program(), &mut received.heap);
    Some(received)
}

/// Whether a method chooses inputs of an entry point. `is_before`: the entry point has not been called yet.
pub(crate) fn chooses_inputs(program: &Program, entry: MethodId, is_before: bool, method: MethodId) -> bool {
    let is_making = is_before && program.prepares_inputs();
    method == program.start(entry) || is_making && (program.is_maker(method) || program.is_synthetic(method))
}

/// Gives collections arrays of just the elements that are in use. Those of inputs have as many elements as possible,
/// because nothing can find out how many there are.
fn leave_no_room(program: &Program, heap: &mut [InputObject]) {
    for number in 0..heap.len() {
        let InputObject::Object { class, fields } = &mut heap[number] else { continue };
        let Some(OwnedArrays { arrays, extent: Extent::Used { count, end, is_longest: true } }) =
            program.owned_arrays(*class)
        else {
            continue;
        };
        let used = match fields.get(&count) {
            Some(InputValue::Int(count)) => count.clone(),
            _ => BigInt::ZERO,
        };
        let parts: Vec<InputValue> = arrays.iter().filter_map(|array| fields.get(array).cloned()).collect();
        // There is nothing behind the last element but the end.
        fields.extend(end.map(|end| (end, InputValue::Int(BigInt::ZERO))));
        for part in parts {
            if let InputValue::Ref(part) = part {
                set_length(program, heap, part, &used);
            }
        }
    }
}

/// Most characters of a string that sources name; a longer one is an object that they cannot make.
const LONGEST: usize = 1 << 20;

/// Notes what a run leaves whose entry point got `received`.
pub(crate) fn leave(
    received: &Received,
    result: &[Value],
    state: &State<'_>,
    constant: impl Fn(&Object) -> Option<(ClassId, usize)>,
) -> Option<Left> {
    let order = received.addresses.clone();
    let numbers = order.iter().enumerate().map(|(number, &address)| (address, number)).collect();
    let mut found = Found { order, numbers };
    let result = result.iter().map(|value| found.value(value)).collect();
    let mut objects = Received::default();
    objects.follow(found, state, constant)?;
    Some(Left { result, objects })
}

impl Received {
    /// The same objects, without the calls that make them.
    pub(crate) fn without_making(&self) -> Received {
        Received { making: Vec::new(), ..self.clone() }
    }

    /// The objects to which an object refers.
    pub(crate) fn targets(&self, object: usize) -> Vec<usize> {
        let target = |value: &InputValue| if let InputValue::Ref(target) = value { Some(*target) } else { None };
        match self.heap.get(object) {
            Some(InputObject::Object { fields, .. }) => fields.values().filter_map(target).collect(),
            Some(InputObject::Array { elements, rest, .. }) => {
                elements.values().chain(rest).filter_map(target).collect()
            }
            None => Vec::new(),
        }
    }

    /// Notes the contents of the objects that were found, and of those to which they lead. Returns the numbers of all.
    fn follow(
        &mut self,
        mut found: Found,
        state: &State<'_>,
        constant: impl Fn(&Object) -> Option<(ClassId, usize)>,
    ) -> Option<FxHashMap<Address, usize>> {
        let mut next = 0;
        while let Some(&address) = found.order.get(next) {
            if let Some(units) = state.heap().short_units(address, LONGEST) {
                self.strings.insert(next, units);
            }
            let object = match state.heap().get(address)? {
                HeapObject::Object(object) => {
                    let constant = constant(object);
                    if let Some(constant) = constant {
                        self.constants.insert(next, constant);
                    }
                    let is_opaque = constant.is_some() || self.strings.contains_key(&next);
                    let fields = object.fields().filter(|_| !is_opaque);
                    let fields = fields.map(|(field, value)| (field, found.value(value))).collect();
                    InputObject::Object { class: object.class(), fields }
                }
                HeapObject::Array(array) => InputObject::Array {
                    element: array.element_type(),
                    length: array.length().to_big(),
                    elements: array.written().map(|(index, value)| (index.to_big(), found.value(value))).collect(),
                    rest: Some(found.value(array.rest()))
                        .filter(|rest| *rest != InputValue::default_of(array.element_type())),
                },
            };
            self.heap.push(object);
            next += 1;
        }
        self.addresses = found.order;
        Some(found.numbers)
    }
}

/// The objects that were found, in order.
#[derive(Default)]
struct Found {
    order: Vec<Address>,
    numbers: FxHashMap<Address, usize>,
}

impl Found {
    /// Converts a value; an object gets a number.
    fn value(&mut self, value: &Value) -> InputValue {
        match value {
            Value::Bool(value) => InputValue::Bool(*value),
            Value::Int(value) => InputValue::Int(value.to_big()),
            Value::F32(bits) => InputValue::F32(*bits),
            Value::F64(bits) => InputValue::F64(*bits),
            Value::Null => InputValue::Null,
            Value::Ref(address) => InputValue::Ref(self.number(*address)),
        }
    }

    /// The number of an object.
    fn number(&mut self, address: Address) -> usize {
        let next = self.order.len();
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.order.push(address);
        }
        number
    }
}
