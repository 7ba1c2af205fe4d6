//! Writes the assertions of a test about what a run leaves: its result, and what it has changed.

use super::Subject;
use super::build::{Helper, is_default, scalar};
use super::literals;
use super::types::Names;
use crate::prediction::Prediction;
use crate::unit_tests::{ASSERTIONS, WHOLE};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_witness::{InputObject, InputValue};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, VecDeque};

/// An expression that reads a value at the end of a test.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) text: String,
    /// Its type; `None` if sources cannot name it, so that it is `Object`.
    pub(crate) ty: Option<Type>,
}

/// The assertions.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// Assertions, and comments about what is not compared.
    pub(crate) lines: Vec<String>,
    pub(crate) helpers: BTreeSet<Helper>,
}

/// Compares what a run leaves with the prediction. `variables` are the objects that the test can name, and `result` reads
/// the result.
pub(crate) fn checks(
    subject: &Subject,
    names: Names,
    prediction: &Prediction,
    variables: Vec<(usize, Read)>,
    result: Option<Read>,
) -> Checks {
    let mut writer = Writer {
        subject,
        names,
        prediction,
        reads: FxHashMap::default(),
        pending: VecDeque::new(),
        out: Checks::default(),
    };
    for (object, read) in variables {
        writer.reach(object, read);
    }
    if let (Some(read), Some(value)) = (result, prediction.left.result.first()) {
        writer.value(value, read);
    }
    while let Some(object) = writer.pending.pop_front() {
        if writer.out.lines.len() >= ASSERTIONS {
            writer.out.lines.push("// What else has changed is not compared.".into());
            break;
        }
        writer.object(object);
    }
    writer.out
}

struct Writer<'a> {
    subject: &'a Subject<'a>,
    names: Names<'a>,
    prediction: &'a Prediction,
    /// How to read the objects that are known.
    reads: FxHashMap<usize, Read>,
    pending: VecDeque<usize>,
    out: Checks,
}

impl<'a> Writer<'a> {
    fn program(&self) -> &'a Program {
        self.subject.program
    }

    fn assert(&mut self, text: String) {
        self.out.lines.push(text);
    }

    fn reach(&mut self, object: usize, read: Read) {
        if let Entry::Vacant(place) = self.reads.entry(object) {
            place.insert(read);
            self.pending.push_back(object);
        }
    }

    /// Compares the value that an expression reads.
    fn value(&mut self, value: &InputValue, read: Read) {
        let text = &read.text;
        match value {
            InputValue::Ref(object) => self.reference(*object, read),
            InputValue::Null | InputValue::Elements(_) => self.assert(format!("assertNull({text});")),
            InputValue::Bool(true) => self.assert(format!("assertTrue({text});")),
            InputValue::Bool(false) => self.assert(format!("assertFalse({text});")),
            // A delta of 0 is an error for one version of JUnit, and none for another.
            InputValue::F32(_) | InputValue::F64(_) => {
                let (ty, class) = match value {
                    InputValue::F32(_) => (Type::F32, "Float"),
                    _ => (Type::F64, "Double"),
                };
                self.assert(format!("assertEquals({class}.valueOf({}), {class}.valueOf({text}));", scalar(value, ty)));
            }
            InputValue::Int(_) => {
                let expected = scalar(value, read.ty.unwrap_or(Type::Int));
                self.assert(format!("assertEquals({expected}, {text});"));
            }
        }
    }

    fn reference(&mut self, object: usize, read: Read) {
        let left = &self.prediction.left.objects;
        if let Some(units) = left.strings.get(&object) {
            return self.assert(format!("assertEquals({}, {});", literals::text(units), read.text));
        }
        if let Some(&(class, number)) = left.constants.get(&object) {
            let constants = self.subject.java.constants(self.program(), class);
            return match (self.names.class(class), constants.get(number)) {
                (Some(name), Some(constant)) => self.assert(format!("assertSame({name}.{constant}, {});", read.text)),
                _ => self.assert(format!("assertEquals({number}, ((Enum<?>) {}).ordinal());", read.text)),
            };
        }
        if let Some(known) = self.reads.get(&object) {
            let known = known.text.clone();
            return self.assert(format!("assertSame({known}, {});", read.text));
        }
        match left.heap.get(object) {
            Some(InputObject::Object { class, fields }) => {
                let class = *class;
                if let Some(value) = self.names.boxed(class, fields) {
                    return self.assert(format!("assertEquals({value}, {});", read.text));
                }
                match self.names.class(class) {
                    Some(name) => self.assert(format!("assertSame({name}.class, {}.getClass());", read.text)),
                    // Names of such classes differ from run to run.
                    None if self.subject.java.class_declaration(self.program(), class).is_none() => {
                        self.assert(format!("assertNotNull({});", read.text));
                    }
                    None => {
                        let name =
                            literals::quoted(&self.program().class_name(class).encode_utf16().collect::<Vec<_>>());
                        self.assert(format!("assertEquals({name}, {}.getClass().getName());", read.text));
                    }
                }
                self.reach(object, self.cast(read, Type::Class(class)));
            }
            Some(InputObject::Array { element, .. }) => {
                let ty = self.program().array_of(*element);
                if self.names.ty(ty).is_none() {
                    self.assert(format!("assertNotNull({});", read.text));
                }
                self.reach(object, self.cast(read, ty));
            }
            None => {}
        }
    }

    /// An expression with the exact type of the object that it reads.
    fn cast(&self, read: Read, exact: Type) -> Read {
        match self.names.ty(exact) {
            _ if read.ty == Some(exact) => read,
            Some(name) => Read { text: format!("(({name}) {})", read.text), ty: Some(exact) },
            None => Read { ty: None, ..read },
        }
    }

    /// Compares the parts of an object that have changed, or all parts of a new object.
    fn object(&mut self, number: usize) {
        let prediction = self.prediction;
        let before = prediction.received.heap.get(number);
        let Some(read) = self.reads.get(&number).cloned() else { return };
        let left = &prediction.left.objects;
        if left.strings.contains_key(&number) || left.constants.contains_key(&number) {
            return;
        }
        match left.heap.get(number) {
            Some(InputObject::Object { class, fields }) => {
                let program = self.program();
                if program.class(*class).is_library {
                    if before != left.heap.get(number) {
                        self.assert(format!(
                            "// The content of {} is not compared: its class {} is one of a library.",
                            read.text,
                            program.class_name(*class)
                        ));
                    }
                    return;
                }
                let old = match before {
                    Some(InputObject::Object { fields, .. }) => Some(fields),
                    _ => None,
                };
                for field in program.instance_fields(*class) {
                    if self.subject.java.field_declaration(program, field).is_none() {
                        continue;
                    }
                    let default = InputValue::default_of(program.field(field).ty);
                    let value = fields.get(&field).unwrap_or(&default);
                    let is_changed = old.is_none_or(|old| old.get(&field).unwrap_or(&default) != value);
                    if !is_changed && !matches!(value, InputValue::Ref(_)) {
                        continue;
                    }
                    let part = self.field(&read, *class, field);
                    self.part(value, is_changed, part);
                }
            }
            Some(after @ InputObject::Array { .. }) => self.array(before, after, &read),
            None => {}
        }
    }

    fn part(&mut self, value: &InputValue, is_changed: bool, read: (Read, Option<Helper>)) {
        let (read, helper) = read;
        match (is_changed, value) {
            (true, _) => self.value(value, read),
            (false, InputValue::Ref(object)) if !self.reads.contains_key(object) => match self.exact(*object) {
                Some(exact) => self.reach(*object, self.cast(read, exact)),
                None => return,
            },
            (false, _) => return,
        }
        self.out.helpers.extend(helper);
    }

    fn exact(&self, object: usize) -> Option<Type> {
        Some(match self.prediction.left.objects.heap.get(object)? {
            InputObject::Object { class, .. } => Type::Class(*class),
            InputObject::Array { element, .. } => self.program().array_of(*element),
        })
    }

    /// An expression that reads a field.
    fn field(&self, object: &Read, class: ClassId, field: FieldId) -> (Read, Option<Helper>) {
        let declared = self.program().field(field);
        let name = self.names.ty(declared.ty);
        if object.ty.is_some() && name.is_some() && self.names.can_read(class, field) {
            let text = format!("{}.{}", object.text, declared.name);
            // Type arguments may have made the static type narrower, never wider.
            return (Read { text, ty: Some(declared.ty) }, None);
        }
        let owner = self.names.class_object(Type::Class(declared.class));
        let got = format!("get({owner}, {}, \"{}\")", object.text, declared.name);
        let read = match name {
            Some(name) => Read { text: format!("(({name}) {got})"), ty: Some(declared.ty) },
            None => Read { text: got, ty: None },
        };
        (read, Some(Helper::Get))
    }

    fn array(&mut self, before: Option<&InputObject>, after: &InputObject, read: &Read) {
        let InputObject::Array { element, length, .. } = after else { return };
        let (element, size) = (*element, usize::try_from(length).unwrap_or(usize::MAX));
        let default = InputValue::default_of(element);
        let is_known = before.is_some();
        // Elements that neither list has are the same, or those of a new array.
        let listed = |array: &InputObject| match array {
            InputObject::Array { elements, .. } => elements.keys().cloned().collect::<BTreeSet<BigInt>>(),
            InputObject::Object { .. } => BTreeSet::new(),
        };
        let mut positions = listed(after);
        positions.extend(before.map(listed).unwrap_or_default());
        let value_at = |array: &InputObject, at: &BigInt| match array {
            InputObject::Array { elements, rest, .. } => elements.get(at).or(rest.as_ref()).unwrap_or(&default).clone(),
            InputObject::Object { .. } => default.clone(),
        };
        let changed: Vec<&BigInt> =
            positions.iter().filter(|at| before.is_none_or(|old| value_at(old, at) != value_at(after, at))).collect();
        let is_plain = !element.is_reference();
        if (!is_known || !changed.is_empty()) && is_plain && size <= WHOLE {
            let all = (0..size).map(|at| scalar(&value_at(after, &at.into()), element));
            let expected =
                format!("new {}[] {{{}}}", self.program().show_type(element), all.collect::<Vec<_>>().join(", "));
            let text = match element {
                Type::F32 | Type::F64 => format!("assertTrue(java.util.Arrays.equals({expected}, {}));", read.text),
                _ => format!("assertArrayEquals({expected}, {});", read.text),
            };
            return self.assert(text);
        }
        if read.ty.is_none() {
            if !is_known || !changed.is_empty() {
                self.assert(format!(
                    "// The elements of {} are not compared: sources cannot name their type.",
                    read.text
                ));
            }
            return;
        }
        if !is_known {
            self.assert(format!("assertEquals({length}, {}.length);", read.text));
        }
        for at in &positions {
            if self.out.lines.len() >= ASSERTIONS {
                self.assert(format!("// Further elements of {} are not compared.", read.text));
                return;
            }
            let value = value_at(after, at);
            let part = Read { text: format!("{}[{at}]", read.text), ty: Some(element) };
            self.part(&value, changed.contains(&at), (part, None));
        }
        let unlisted = size > positions.len() && !is_known;
        let rest = value_at(after, &BigInt::from(-1));
        if unlisted && element.is_reference() && is_default(&rest) {
            let others = (0..size.min(ASSERTIONS)).map(BigInt::from).filter(|at| !positions.contains(at));
            for at in others.collect::<Vec<_>>() {
                self.assert(format!("assertNull({}[{at}]);", read.text));
            }
        }
    }
}
