//! Prints values and inputs for users.
//!
//! An object is printed as `Node#1 { value = 3, next = Node#1 }`, an array as `int[3]#2 = [1, 2, 0]`. Numbers count
//! objects in the order of allocation, so that aliases are visible. An object is expanded at its first occurrence.
//! Strings are printed as `"abc"`, without a number.

use crate::heap::{Array, HeapObject, Object, StringUnits};
use crate::inputs::{InputError, InputValue, Inputs};
use crate::int::Int;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{FieldId, MethodId, Program, Span, Type};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Deepest nesting at which an object is expanded.
const MAX_DEPTH: usize = 4;
/// Most objects that one text expands.
const MAX_EXPANDED: usize = 32;
/// Longest array, in elements, that is printed whole, and most fields of an object that are printed.
const MAX_WHOLE: usize = 16;
/// Elements that are printed from the beginning of a longer array.
const FIRST_ELEMENTS: i64 = 4;
/// Most further elements of a longer array, different from the default, that are printed.
const OTHER_ELEMENTS: usize = 8;
/// Most code units of a string that are printed.
const MAX_STRING: usize = 200;
/// Most elements that are printed of an array that the run makes from its input.
const MAX_LISTED: usize = 64;
/// Most rows for objects in the description of an input, beyond its parameters and statics.
const MAX_OBJECTS: usize = 50;

/// A value as text. Objects behind it are expanded four levels deep, and at most 32 of them.
pub fn show_value(state: &State<'_>, value: &Value) -> String {
    Printer::new(state).show(value)
}

/// A value of a type as text, with its character if the type is one of characters.
pub fn show_typed(state: &State<'_>, value: &Value, ty: Type) -> String {
    let text = show_value(state, value);
    let is_char = ty == Type::Machine { width: 16, signed: false };
    match (is_char, value) {
        (true, Value::Int(code)) => {
            let char = code
                .to_usize()
                .and_then(|code| char::from_u32(u32::try_from(code).ok()?))
                .filter(|char| !char.is_control());
            char.map_or(text.clone(), |char| format!("'{char}' ({text})"))
        }
        _ => text,
    }
}

/// A string in quotes, escaped as in Java. A long one is cut, and its length is appended.
fn show_string(units: StringUnits<'_>) -> String {
    let total = units.total().max(0) as usize;
    quoted(units, total, MAX_STRING)
}

/// Code units in quotes, escaped as in Java. If `total` exceeds `most`, only `most` of them are printed, followed by
/// `total`.
pub(crate) fn quoted(units: impl Iterator<Item = u16>, total: usize, most: usize) -> String {
    let mut text = String::from('"');
    for char in char::decode_utf16(units.take(most)) {
        match char {
            Ok('"') => text.push_str("\\\""),
            Ok('\\') => text.push_str("\\\\"),
            Ok('\n') => text.push_str("\\n"),
            Ok('\r') => text.push_str("\\r"),
            Ok('\t') => text.push_str("\\t"),
            Ok(char) if char.is_control() => text.push_str(&format!("\\u{:04x}", char as u32)),
            Ok(char) => text.push(char),
            Err(half) => text.push_str(&format!("\\u{:04x}", half.unpaired_surrogate())),
        }
    }
    text.push('"');
    if total > most {
        text.push_str(&format!("… ({total} characters)"));
    }
    text
}

/// A float as Java writes it. `digits` is its decimal text.
fn show_float(value: f64, digits: String) -> String {
    if value.is_infinite() { digits.replace("inf", "Infinity") } else { digits }
}

impl Inputs {
    /// The input as rows of name and text: parameters, statics, nondeterministic values, and then each object that
    /// these refer to without expanding it.
    ///
    /// # Errors
    /// The input does not fit the program; see [`Inputs::check`].
    pub fn describe(&self, program: &Program, entry: MethodId) -> Result<Vec<(String, String)>, InputError> {
        self.check(program, entry)?;
        // The state contains only the input, so that it needs no limit.
        let (state, _) = self.load(program, u64::MAX);
        let mut printer = Printer::new(&state);
        let mut rows = Vec::new();
        let body = program.body(entry);
        for (index, arg) in self.args.iter().enumerate() {
            let name =
                body.and_then(|body| body.locals.get(index)).map_or_else(String::new, |local| local.name.clone());
            rows.push((name, printer.show(&arg.into())));
        }
        for (&field, value) in &self.statics {
            let declared = program.field(field);
            let name = format!("{}.{}", simple_name(&program.class(declared.class).name), declared.name);
            rows.push((name, printer.show(&value.into())));
        }
        for (index, value) in self.nondet.iter().enumerate() {
            let text = match value {
                InputValue::Elements(elements) => printer.list(elements),
                value => printer.show(&value.into()),
            };
            rows.push((format!("nondet {}", index + 1), text));
        }
        let mut objects = 0;
        while let Some(address) = printer.pending.pop_front() {
            if printer.expanded.contains(&address) {
                continue;
            }
            if objects == MAX_OBJECTS {
                rows.push(("…".into(), "more objects".into()));
                break;
            }
            objects += 1;
            rows.push((printer.name(address), printer.show(&Value::Ref(address))));
        }
        Ok(rows)
    }
}

struct Printer<'a, 'p> {
    state: &'a State<'p>,
    expanded: FxHashSet<Address>,
    /// How many more objects the current text may expand.
    budget: usize,
    /// Objects that were named but not expanded, because the nesting was too deep or the text too long.
    pending: VecDeque<Address>,
}

impl<'a, 'p> Printer<'a, 'p> {
    fn new(state: &'a State<'p>) -> Self {
        Printer { state, expanded: FxHashSet::default(), budget: 0, pending: VecDeque::new() }
    }

    /// Prints one value as a text of its own.
    fn show(&mut self, value: &Value) -> String {
        self.budget = MAX_EXPANDED;
        self.value(value, MAX_DEPTH)
    }

    /// Prints the elements of an array that the run has yet to make.
    fn list(&mut self, elements: &[InputValue]) -> String {
        self.budget = MAX_EXPANDED;
        let shown = elements.iter().take(MAX_LISTED).map(|element| self.value(&element.into(), MAX_DEPTH));
        let mut shown: Vec<String> = shown.collect();
        if elements.len() > MAX_LISTED {
            shown.push(format!("… {} in all", elements.len()));
        }
        format!("[{}]", shown.join(", "))
    }

    fn value(&mut self, value: &Value, depth: usize) -> String {
        match value {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::F32(bits) => {
                let value = f32::from_bits(*bits);
                show_float(value.into(), format!("{value:?}"))
            }
            Value::F64(bits) => {
                let value = f64::from_bits(*bits);
                show_float(value, format!("{value:?}"))
            }
            Value::Null => "null".into(),
            Value::Ref(address) => self.object(*address, depth),
        }
    }

    fn object(&mut self, address: Address, depth: usize) -> String {
        if let Some(units) = self.state.heap().string_units(address) {
            return show_string(units);
        }
        let name = self.name(address);
        if self.expanded.contains(&address) {
            return name;
        }
        if depth == 0 || self.budget == 0 {
            self.pending.push_back(address);
            return name;
        }
        self.expanded.insert(address);
        self.budget -= 1;
        match self.state.heap().get(address) {
            Some(HeapObject::Object(object)) => format!("{name}{}", self.fields(object, depth - 1)),
            Some(HeapObject::Array(array)) => format!("{name} = {}", self.elements(array, depth - 1)),
            None => name,
        }
    }

    fn name(&self, address: Address) -> String {
        let program = self.state.program();
        let number = address.index() + 1;
        match self.state.heap().get(address) {
            Some(HeapObject::Object(object)) => {
                format!("{}#{number}", simple_name(&program.class(object.class()).name))
            }
            Some(HeapObject::Array(array)) => {
                let element = program.show_type(array.element_type());
                // The length belongs in the first brackets: `int[3][]` has three elements of type `int[]`.
                let (element, inner) = element.split_at(element.find("[]").unwrap_or(element.len()));
                format!("{}[{}]{inner}#{number}", simple_name(element), array.length())
            }
            None => format!("#{number}"),
        }
    }

    fn fields(&mut self, object: &Object, depth: usize) -> String {
        let program = self.state.program();
        let mut shown: Vec<String> = Vec::new();
        // Fields that a front end adds to a class mean nothing to users.
        let is_added = |field: FieldId| {
            let field = program.field(field);
            field.name.starts_with('$') && field.span == Span::NONE
        };
        for (field, value) in object.fields().filter(|(field, _)| !is_added(*field)) {
            if shown.len() == MAX_WHOLE {
                shown.push("…".into());
                break;
            }
            let value = self.value(value, depth);
            shown.push(format!("{} = {value}", program.field(field).name));
        }
        if shown.is_empty() { " {}".into() } else { format!(" {{ {} }}", shown.join(", ")) }
    }

    fn elements(&mut self, array: &Array, depth: usize) -> String {
        let whole = array.length().to_usize().is_some_and(|length| length <= MAX_WHOLE);
        let first = if whole { MAX_WHOLE as i64 } else { FIRST_ELEMENTS };
        let mut shown: Vec<String> =
            (0..first).map_while(|index| array.get(&Int::from(index))).map(|value| self.value(value, depth)).collect();
        if !whole {
            let mut others = array.written().filter(|(index, _)| *index >= Int::from(first));
            for (index, value) in others.by_ref().take(OTHER_ELEMENTS) {
                shown.push(format!("… {index}: {}", self.value(value, depth)));
            }
            shown.push("…".into());
        }
        format!("[{}]", shown.join(", "))
    }
}

/// The name without the package.
fn simple_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
