//! Extracts inputs from models, and names the bounds of the inputs that were considered.

use crate::claim::Gap;
use aback_heap::{Group, InputHeap, Layout, Value as HeapValue, sort_of};
use aback_ir::{Program, Span, Type};
use aback_logic::{ArrayValue, Evaluator, Integer, Pool, Sort, Term, Value};
use aback_witness::{InputObject, InputValue, Inputs, Place};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Greatest length of an input array whose elements are all listed. Longer arrays list the elements that the model
/// names and give one value for all others.
const LISTED_LENGTH: i64 = 1 << 16;

/// The bounds of the inputs that were considered, if inputs can have further types or lengths. `start` is the entry
/// point.
pub fn bounds(program: &Program, layout: &Layout, input: &InputHeap, start: Place) -> Vec<Gap> {
    let types = layout.bounded().into_iter().map(|ty| {
        let what = match ty {
            Type::Class(class) if program.is_no_input(class) => null_bound(program, ty),
            _ => format!("inputs of type {} are instances of loaded classes", program.type_name(ty)),
        };
        Gap::Bound { what, place: start }
    });
    let mut bounds: Vec<Gap> = types.collect();
    if let Some(assumption) = program.profile().bound {
        bounds.push(Gap::Bound { what: assumption.to_string(), place: Place { span: Span::NONE, ..start } });
    }
    let limits = input.used_limits();
    if let Some(most) = limits.elements {
        bounds.push(Gap::Bound { what: format!("arrays of inputs have at most {most} elements"), place: start });
    }
    if let Some(most) = limits.objects {
        bounds.push(Gap::Bound { what: format!("inputs have at most {most} objects"), place: start });
    }
    if let (true, Some(strings)) = (input.reads_strings(), program.input_strings()) {
        bounds.extend(strings.bound().map(|what| Gap::Bound { what, place: start }));
    }
    bounds
}

/// The bound that no input is an object of a type.
pub fn null_bound(program: &Program, ty: Type) -> String {
    format!("references to {} in input objects are null", program.type_name(ty))
}

/// The result of a nondeterministic intrinsic on a path.
#[derive(Clone, PartialEq, Debug)]
pub enum Nondet {
    /// A value.
    Value(Term, Type),
    /// A new array.
    Elements {
        /// Its first elements.
        cells: Rc<[HeapValue]>,
        /// An array term with all its elements, if `cells` may not contain all.
        array: Option<Term>,
        /// Its length.
        length: HeapValue,
        /// The type of its elements.
        element: Type,
    },
}

/// A model of a path condition, and the data that its terms refer to.
pub struct ModelInputs<'a> {
    /// The program.
    pub program: &'a Program,
    /// The possible types of inputs.
    pub layout: &'a Layout,
    /// The arrays that describe the input heap.
    pub input: &'a InputHeap,
    /// The terms.
    pub pool: &'a Pool,
    /// The model.
    pub evaluator: &'a mut Evaluator,
}

impl ModelInputs<'_> {
    /// The inputs of the entry point. `arguments` are the values of its parameters, with their types. `nondet` are the
    /// nondeterministic values in the order of the path, each with the condition under which the intrinsic ran. Also
    /// gives the number in the model of each object, if it has one.
    pub fn read(self, arguments: &[(HeapValue, Type)], nondet: &[(Term, Nondet)]) -> (Inputs, Vec<Option<i64>>) {
        let mut graph = Graph {
            model: self,
            numbers: FxHashMap::default(),
            empty: FxHashMap::default(),
            constructed: None,
            found: vec![],
        };
        let constructed = graph.model.input.constructed().and_then(|object| graph.term(object));
        let args = arguments.iter().map(|&(value, ty)| graph.value(value, ty)).collect();
        if let Some(Value::Int(identity)) = constructed {
            graph.constructed = Some(identity);
        }
        let is_asked =
            |graph: &mut Graph, condition| condition == Pool::TRUE || graph.term(condition) == Some(Value::Bool(true));
        let asked: Vec<&Nondet> =
            nondet.iter().filter(|(condition, _)| is_asked(&mut graph, *condition)).map(|(_, given)| given).collect();
        let nondet = asked.into_iter().map(|given| graph.given(given)).collect();
        let heap = graph.objects();
        let numbers = graph.found.iter().map(|(number, _)| number.as_ref().and_then(Integer::as_i64)).collect();
        (Inputs { args, heap, nondet, statics: BTreeMap::new() }, numbers)
    }
}

/// A traversal of the objects that a model describes, which starts from the arguments.
struct Graph<'a> {
    model: ModelInputs<'a>,
    /// The numbers of objects by group and identity in the model.
    numbers: FxHashMap<(Group, Integer), usize>,
    /// By type, the numbers of objects that stand for objects that the path never reads, if inputs are never null.
    empty: FxHashMap<Type, usize>,
    /// The object that the entry point constructs, set once the arguments are known: the path never reads other
    /// references to it.
    constructed: Option<Integer>,
    /// The objects found so far by number: their identities, if they have one in the model, and their exact types.
    found: Vec<(Option<Integer>, Type)>,
}

impl Graph<'_> {
    fn term(&mut self, term: Term) -> Option<Value> {
        self.model.evaluator.value(self.model.pool, term)
    }

    fn value(&mut self, value: HeapValue, ty: Type) -> InputValue {
        match value {
            HeapValue::Term(term) => match self.term(term) {
                Some(value) => self.input(&value, ty),
                None => InputValue::default_of(ty),
            },
            HeapValue::Bool(value) => InputValue::Bool(value),
            HeapValue::Int(value) => InputValue::Int(value.into()),
            HeapValue::F32(bits) => InputValue::F32(bits),
            HeapValue::F64(bits) => InputValue::F64(bits),
            HeapValue::Null | HeapValue::Object(_) => InputValue::Null,
        }
    }

    /// The result of a nondeterministic intrinsic.
    fn given(&mut self, given: &Nondet) -> InputValue {
        let (cells, array, length, element) = match given {
            Nondet::Value(term, ty) => return self.value(HeapValue::Term(*term), *ty),
            Nondet::Elements { cells, array, length, element } => (cells, array, *length, *element),
        };
        let length = match self.value(length, self.model.program.index_type()) {
            InputValue::Int(length) => Integer::from(&length),
            _ => Integer::ZERO,
        };
        if let Some(Value::Array(row)) = array.and_then(|array| self.term(array)) {
            // Elements beyond the last listed one have default values.
            let listed = self.listed(Some(&row), &length);
            let count = listed.iter().max().and_then(Integer::as_i64).map_or(0, |last| last.min(LISTED_LENGTH - 1) + 1);
            let elements = (0..count).map(|index| {
                let value = row.get(&self.index(&Integer::from(index))).clone();
                self.input(&value, element)
            });
            return InputValue::Elements(elements.collect());
        }
        let count = length.as_i64().and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX);
        InputValue::Elements(cells.iter().take(count).map(|&cell| self.value(cell, element)).collect())
    }

    fn input(&mut self, value: &Value, ty: Type) -> InputValue {
        match (value, ty) {
            (Value::Bool(value), _) => InputValue::Bool(*value),
            (Value::Int(identity), _) if ty.is_reference() => self.reference(identity, ty),
            (Value::Int(value), _) => InputValue::Int(value.to_big()),
            (Value::Bv(width, bits), Type::Machine { signed: true, .. }) => {
                InputValue::Int(Integer::from_signed_bits(*bits, *width).to_big())
            }
            (Value::Bv(_, bits), _) => InputValue::Int(BigInt::from(*bits)),
            (Value::Float(_, bits), Type::F32) => InputValue::F32(*bits as u32),
            (Value::Float(_, bits), _) => InputValue::F64(*bits),
            (Value::Array(_), _) => InputValue::default_of(ty),
        }
    }

    /// The object with this identity. Null if the model gives an object that cannot have the type: its value does not
    /// matter then.
    fn reference(&mut self, identity: &Integer, ty: Type) -> InputValue {
        let layout = self.model.layout;
        let Some(group) = layout.group(ty).filter(|_| identity.signum() < 0) else {
            return self.nothing(ty);
        };
        if self.constructed.as_ref() == Some(identity) {
            return self.nothing(ty);
        }
        if let Some(&number) = self.numbers.get(&(group, identity.clone())) {
            let exact = self.found[number].1;
            let fits = self.model.program.is_assignable(exact, ty);
            return if fits { InputValue::Ref(number) } else { InputValue::Null };
        }
        let tag = self.model.input.known_tags(group).and_then(|tags| self.at(tags, identity));
        let tag = tag.and_then(|tag| tag.as_int().and_then(Integer::as_i64));
        let Some(exact) = InputHeap::exact_type(self.model.program, layout, ty, tag) else {
            return InputValue::Null;
        };
        let number = self.found.len();
        self.numbers.insert((group, identity.clone()), number);
        self.found.push((Some(identity.clone()), exact));
        InputValue::Ref(number)
    }

    /// A value that the path never reads: null, or an empty string or array if inputs are never null.
    fn nothing(&mut self, ty: Type) -> InputValue {
        let is_string = |layout: aback_ir::StringLayout| ty == Type::Class(layout.class);
        let is_known = matches!(ty, Type::Array(_)) || self.model.program.string_layout().is_some_and(is_string);
        if !self.model.input.has_no_nulls() || !is_known {
            return InputValue::default_of(ty);
        }
        let number = *self.empty.entry(ty).or_insert(self.found.len());
        if number == self.found.len() {
            self.found.push((None, ty));
        }
        InputValue::Ref(number)
    }

    /// The value that an array of the input heap holds for an object.
    fn at(&mut self, array: Term, identity: &Integer) -> Option<Value> {
        match self.term(array)? {
            Value::Array(array) => Some(array.get(&Value::Int(identity.clone())).clone()),
            _ => None,
        }
    }

    /// All reachable objects in the order in which they are found.
    fn objects(&mut self) -> Vec<InputObject> {
        let mut objects = Vec::new();
        while let Some((identity, exact)) = self.found.get(objects.len()).cloned() {
            objects.push(match (exact, identity) {
                (Type::Array(array), identity) => {
                    self.array(identity.as_ref(), exact, self.model.program.element_type(array))
                }
                (Type::Class(class), None) => {
                    let value = self.model.program.string_layout().map(|layout| layout.value);
                    let value = value.map(|field| (field, self.nothing(self.model.program.field(field).ty)));
                    InputObject::Object { class, fields: value.into_iter().collect() }
                }
                (Type::Class(class), Some(identity)) => {
                    let shape = self.model.layout.shape(self.model.program, class);
                    let mut values = BTreeMap::new();
                    for &field in &shape.fields {
                        let ty = self.model.program.field(field).ty;
                        let value = self.model.input.known_field(field).and_then(|array| self.at(array, &identity));
                        if let Some(value) = value {
                            values.insert(field, self.input(&value, ty));
                        }
                    }
                    InputObject::Object { class, fields: values }
                }
                _ => continue,
            });
        }
        objects
    }

    fn array(&mut self, identity: Option<&Integer>, exact: Type, element: Type) -> InputObject {
        let empty = InputObject::Array { element, length: BigInt::ZERO, elements: BTreeMap::new(), rest: None };
        let (Some(group), Some(identity)) = (self.model.layout.group(exact), identity) else {
            return empty;
        };
        let length = self.model.input.known_lengths(group).and_then(|lengths| self.at(lengths, identity));
        let length = match length {
            Some(Value::Int(length)) => length,
            Some(Value::Bv(width, bits)) => Integer::from_signed_bits(bits, width),
            _ => return empty,
        };
        // The model may give any value to a length that the path never reads.
        let most = self.model.program.max_array_length().map(Integer::from);
        let is_any = length.signum() < 0 || most.is_some_and(|most| length > most);
        let length = if is_any { Integer::ZERO } else { length };
        let row = match self.model.input.known_elements(group, element).and_then(|rows| self.at(rows, identity)) {
            Some(Value::Array(row)) => Some(row),
            _ => None,
        };
        let is_given = row.is_some() || element.is_reference() && self.model.input.has_no_nulls();
        let mut elements = BTreeMap::new();
        for index in if is_given { self.listed(row.as_deref(), &length) } else { vec![] } {
            let value = match &row {
                Some(row) => self.input(&row.get(&self.index(&index)).clone(), element),
                None => self.nothing(element),
            };
            elements.insert(index.to_big(), value);
        }
        // The value of the elements of a long array that are not listed.
        let is_listed = length.as_i64().is_some_and(|length| length <= LISTED_LENGTH);
        let rest = row.filter(|_| !is_listed).map(|row| self.input(row.default_value(), element));
        let rest = rest.filter(|rest| *rest != InputValue::default_of(element));
        InputObject::Array { element, length: length.to_big(), elements, rest }
    }

    /// The indices of the elements of an array that are listed.
    fn listed(&self, row: Option<&ArrayValue>, length: &Integer) -> Vec<Integer> {
        if let Some(length) = length.as_i64().filter(|&length| length <= LISTED_LENGTH) {
            return (0..length).map(Integer::from).collect();
        }
        let named = row.into_iter().flat_map(ArrayValue::entries).filter_map(|(index, _)| match index {
            Value::Int(index) => Some(index.clone()),
            Value::Bv(width, bits) => Some(Integer::from_signed_bits(*bits, *width)),
            _ => None,
        });
        named.filter(|index| index.signum() >= 0 && index < length).collect()
    }

    fn index(&self, index: &Integer) -> Value {
        match sort_of(self.model.program.index_type()) {
            Sort::BitVec(width) => Value::Bv(width, index.to_bits(width)),
            _ => Value::Int(index.clone()),
        }
    }
}
