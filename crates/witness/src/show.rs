//! Prints values and inputs for users.
//!
//! An object is printed as `Node#1 { value = 3, next = Node#1 }`, an array as `int[3]#2 = [1, 2, 0]`. Numbers count
//! objects in the order of allocation, so that aliases are visible. An object is expanded at its first occurrence.
//! Strings are printed as `"abc"`, without a number.

use crate::collection::{count_until, elements, follow};
use crate::heap::{Array, HeapObject, Object, StringUnits};
use crate::inputs::{InputError, InputValue, Inputs};
use crate::int::Int;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{
    Collection, Contents, FieldId, Form, Look, MethodId, MethodKind, Program, Sequence, SequenceEnd, Span, Type,
};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// The arguments of a method with their names, as its sources have them, if the language says how.
pub(crate) fn show_arguments(
    state: &State<'_>,
    method: MethodId,
    arguments: &[&Value],
) -> Option<Vec<(String, String)>> {
    let forms = state.program().profile().runtime.parameter_forms(state.program(), method)?;
    if forms.iter().map(|(_, form)| form.count()).sum::<usize>() != arguments.len() {
        return None;
    }
    let mut arguments = arguments.iter().copied();
    let show = |(name, form)| (name, Printer::new(state).show_formed(&form, &mut arguments));
    Some(forms.into_iter().map(show).collect())
}

/// The name of an object: `Node#1`.
pub(crate) fn show_name(state: &State<'_>, object: Address) -> String {
    Printer::new(state).name(object)
}

/// A value of a type as text, as [`show_value`], with characters as such.
pub fn show_typed(state: &State<'_>, value: &Value, ty: Type) -> String {
    Printer::new(state).show_of(ty, value)
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
        self.describe_with(program, entry, &[])
    }

    /// Like [`Inputs::describe`]. In place of some arguments, the run uses objects of the program's own: `others` has
    /// their texts, by the indices of the arguments.
    ///
    /// # Errors
    /// The input does not fit the program; see [`Inputs::check`].
    pub fn describe_with(
        &self,
        program: &Program,
        entry: MethodId,
        others: &[(usize, String)],
    ) -> Result<Vec<(String, String)>, InputError> {
        self.check(program, entry)?;
        // The state contains only the input, so that it needs no limit.
        let (state, _) = self.load(program, u64::MAX);
        let mut printer = Printer::new(&state);
        let mut rows = Vec::new();
        let body = program.body(entry);
        let mut args: Vec<Value> = self.args.iter().map(Into::into).collect();
        for (number, (index, text)) in others.iter().enumerate() {
            // An address that no input has.
            let address = Address((self.heap.len() + number) as u32);
            printer.others.insert(address, text.clone());
            if let Some(arg) = args.get_mut(*index) {
                *arg = Value::Ref(address);
            }
        }
        let forms = program.profile().runtime.parameter_forms(program, entry);
        match forms.filter(|forms| forms.iter().map(|(_, form)| form.count()).sum::<usize>() == args.len()) {
            Some(forms) => {
                let mut args = args.iter();
                for (name, form) in forms {
                    match form {
                        Form::Hidden => _ = args.next(),
                        form => rows.push((name, printer.show_formed(&form, &mut args))),
                    }
                }
            }
            None => {
                // Nothing is known about an object before its constructor runs.
                let method = program.method(entry);
                let receiver = usize::from(method.kind == MethodKind::Constructor);
                let args = args.iter().zip(&method.params).enumerate().skip(receiver);
                rows.extend(args.map(|(index, (arg, &ty))| {
                    let name = body.and_then(|body| body.locals.get(index)).map_or("", |local| &local.name);
                    (name.to_string(), printer.show_of(ty, arg))
                }));
            }
        }
        for (&field, value) in &self.statics {
            let declared = program.field(field);
            let name = format!("{}.{}", simple_name(&program.class(declared.class).name), declared.name);
            rows.push((name, printer.show_of(declared.ty, &value.into())));
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
    /// The texts of objects that are not in the state.
    others: FxHashMap<Address, String>,
}

impl<'a, 'p> Printer<'a, 'p> {
    fn new(state: &'a State<'p>) -> Self {
        let (pending, others) = (VecDeque::new(), FxHashMap::default());
        Printer { state, expanded: FxHashSet::default(), budget: 0, pending, others }
    }

    /// Prints one value as a text of its own.
    fn show(&mut self, value: &Value) -> String {
        self.budget = MAX_EXPANDED;
        self.value(value, MAX_DEPTH)
    }

    /// Prints one value of a type as a text of its own.
    fn show_of(&mut self, ty: Type, value: &Value) -> String {
        self.show_formed(&self.form_of(ty), &mut std::iter::once(value))
    }

    fn form_of(&self, ty: Type) -> Form {
        let program = self.state.program();
        program.profile().runtime.value_form(program, ty)
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

    /// Prints the values of one value of the sources as a text of its own.
    fn show_formed(&mut self, form: &Form, values: &mut dyn Iterator<Item = &Value>) -> String {
        self.budget = MAX_EXPANDED;
        self.formed(form, values, MAX_DEPTH)
    }

    /// Prints the values of one value of the sources.
    fn formed(&mut self, form: &Form, values: &mut dyn Iterator<Item = &Value>, depth: usize) -> String {
        if let Form::Written(write, parts) = form {
            let values: Vec<&Value> = values.take(parts.count()).collect();
            let numbers =
                values.iter().map(|value| if let Value::Int(number) = value { Some(number.to_big()) } else { None });
            let written = numbers.collect::<Option<Vec<BigInt>>>().and_then(|numbers| write(&numbers));
            return written.unwrap_or_else(|| self.formed(parts, &mut values.into_iter(), depth));
        }
        if let Form::Parts(name, parts) = form {
            let shown: Vec<String> = parts
                .iter()
                .map(|(part, form)| {
                    let value = self.formed(form, values, depth);
                    if name.is_some() { format!("{part} = {value}") } else { value }
                })
                .collect();
            return match name {
                Some(name) if shown.is_empty() => format!("{name} {{}}"),
                Some(name) => format!("{name} {{ {} }}", shown.join(", ")),
                None => format!("({})", shown.join(", ")),
            };
        }
        let Some(value) = values.next() else { return "?".into() };
        match (form, value) {
            (Form::Optional(inner), Value::Bool(has)) => {
                let shown = self.formed(inner, values, depth);
                if *has { shown } else { "null".into() }
            }
            (Form::Variable(inner), &Value::Ref(address))
                if let Some(HeapObject::Object(variable)) = self.state.heap().get(address) =>
            {
                let fields = &self.state.program().class(variable.class()).fields;
                self.formed(inner, &mut fields.iter().filter_map(|&field| variable.get(field)), depth)
            }
            (Form::Character, Value::Int(code)) => show_character(code),
            (Form::Integer(width), Value::Int(number)) => width.of(&number.to_big()).to_string(),
            (Form::Constant(name, constants), Value::Int(number)) => {
                match constants.iter().find(|(constant, _)| Int::from(*constant) == *number) {
                    Some((_, constant)) => format!("{name}.{constant}"),
                    None => format!("({name}){number}"),
                }
            }
            (Form::Float(keyword, suffix), Value::F32(_) | Value::F64(_)) => {
                let text = self.value(value, depth);
                match &*text {
                    "NaN" => format!("{keyword}.NaN"),
                    "Infinity" => format!("{keyword}.PositiveInfinity"),
                    "-Infinity" => format!("{keyword}.NegativeInfinity"),
                    digits => format!("{digits}{suffix}"),
                }
            }
            _ => self.value(value, depth),
        }
    }

    /// How an object is shown, if it is not as the program model has it.
    fn look(&self, address: Address) -> Option<Look> {
        let program = self.state.program();
        match self.state.heap().get(address)? {
            HeapObject::Object(object) => program.profile().runtime.look(program, object.class()),
            HeapObject::Array(_) => None,
        }
    }

    fn object(&mut self, address: Address, depth: usize) -> String {
        if let Some(text) = self.others.get(&address) {
            return text.clone();
        }
        if let Some(units) = self.state.heap().string_units(address) {
            return show_string(units);
        }
        let look = self.look(address);
        if let (Some(Contents::Value(form, fields)), Some(HeapObject::Object(object))) =
            (look.as_ref().map(|look| &look.contents), self.state.heap().get(address))
            && depth > 0
        {
            return self.formed(form, &mut fields.iter().filter_map(|&field| object.get(field)), depth - 1);
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
            Some(HeapObject::Object(object)) => match look.map(|look| look.contents) {
                Some(Contents::Fields(fields)) => format!("{name}{}", self.formed_fields(object, &fields, depth - 1)),
                Some(Contents::Elements(form, planes, lengths)) => {
                    format!("{name} = {}", self.planes(object, &form, &planes, &lengths, depth - 1))
                }
                Some(Contents::Sequence(sequence)) => match self.sequence(object, &sequence, depth - 1) {
                    Some(elements) => format!("{name} = {elements}"),
                    None => format!("{name}{}", self.fields(object, depth - 1)),
                },
                Some(Contents::Collection(collection)) => match self.collection(object, &collection, depth - 1) {
                    Some(elements) => format!("{name} = {elements}"),
                    None => format!("{name}{}", self.fields(object, depth - 1)),
                },
                _ => format!("{name}{}", self.fields(object, depth - 1)),
            },
            Some(HeapObject::Array(array)) => format!("{name} = {}", self.elements(array, depth - 1)),
            None => name,
        }
    }

    fn name(&self, address: Address) -> String {
        let program = self.state.program();
        let number = address.index() + 1;
        match self.state.heap().get(address) {
            Some(HeapObject::Object(object)) => match self.look(address) {
                Some(Look { name, contents: Contents::Elements(_, planes, lengths) }) => {
                    let lengths = self.lengths(object, &planes, &lengths);
                    let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
                    let (element, dimensions) = name.split_at(name.find('[').unwrap_or(name.len()));
                    let inner = dimensions.split_once(']').map_or("", |(_, inner)| inner);
                    format!("{element}[{}]{inner}#{number}", lengths.join(", "))
                }
                Some(look) => format!("{}#{number}", look.name),
                None => format!("{}#{number}", simple_name(&program.class(object.class()).name)),
            },
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
            let declared = program.field(field);
            let value = self.element(&self.form_of(declared.ty), value, depth);
            shown.push(format!("{} = {value}", declared.name));
        }
        if shown.is_empty() { " {}".into() } else { format!(" {{ {} }}", shown.join(", ")) }
    }

    /// The fields of an object as users know them.
    fn formed_fields(&mut self, object: &Object, fields: &[(String, Form, Vec<FieldId>)], depth: usize) -> String {
        let mut shown: Vec<String> = Vec::new();
        for (name, form, ids) in fields {
            if shown.len() == MAX_WHOLE {
                shown.push("…".into());
                break;
            }
            let value = self.formed(form, &mut ids.iter().filter_map(|&field| object.get(field)), depth);
            shown.push(format!("{name} = {value}"));
        }
        if shown.is_empty() { " {}".into() } else { format!(" {{ {} }}", shown.join(", ")) }
    }

    /// An array in a field of an object.
    fn array_in(&self, object: &Object, field: FieldId) -> Option<&'a Array> {
        let Value::Ref(address) = object.get(field)? else { return None };
        match self.state.heap().get(*address)? {
            HeapObject::Array(array) => Some(array),
            HeapObject::Object(_) => None,
        }
    }

    /// The lengths of the dimensions of an array whose elements are in several arrays of the program model.
    fn lengths(&self, object: &Object, planes: &[FieldId], lengths: &[FieldId]) -> Vec<Int> {
        let length = |&field: &FieldId| match object.get(field) {
            Some(Value::Int(length)) => Some(length.clone()),
            _ => None,
        };
        match lengths {
            [] => planes
                .iter()
                .filter_map(|&field| Some(self.array_in(object, field)?.length().clone()))
                .take(1)
                .collect(),
            several => several.iter().filter_map(length).collect(),
        }
    }

    /// The elements of such an array, as a list of lists if it has several dimensions.
    fn planes(
        &mut self,
        object: &Object,
        form: &Form,
        planes: &[FieldId],
        lengths: &[FieldId],
        depth: usize,
    ) -> String {
        let arrays: Vec<&Array> = planes.iter().filter_map(|&field| self.array_in(object, field)).collect();
        let sizes: Option<Vec<usize>> = self.lengths(object, planes, lengths).iter().map(Int::to_usize).collect();
        let sizes = sizes.unwrap_or_default();
        let whole = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let mut shown: Vec<String> = Vec::new();
        let count = whole.unwrap_or(usize::MAX).min(MAX_WHOLE);
        for index in 0..count as i64 {
            let values: Vec<&Value> = arrays.iter().filter_map(|array| array.get(&Int::from(index))).collect();
            shown.push(self.formed(form, &mut values.into_iter(), depth));
        }
        if whole.is_none_or(|whole| whole > MAX_WHOLE) {
            shown.push("…".into());
            return format!("[{}]", shown.join(", "));
        }
        for &size in sizes.iter().skip(1).rev() {
            if size == 0 {
                break;
            }
            shown = shown.chunks(size).map(|row| format!("[{}]", row.join(", "))).collect();
        }
        format!("[{}]", shown.join(", "))
    }

    /// The elements of a collection; `None` if the object is in no valid state.
    fn sequence(&mut self, object: &Object, sequence: &Sequence, depth: usize) -> Option<String> {
        let number = |field: FieldId| match object.get(field) {
            Some(Value::Int(number)) => number.to_usize(),
            _ => None,
        };
        let arrays: Vec<&Array> = match &sequence.planes[..] {
            [] => vec![self.array_in(object, sequence.array)?],
            planes => {
                let Some(Value::Ref(array)) = object.get(sequence.array) else { return None };
                let HeapObject::Object(array) = self.state.heap().get(*array)? else { return None };
                planes.iter().map(|&plane| self.array_in(array, plane)).collect::<Option<_>>()?
            }
        };
        let length = arrays.first()?.length().to_usize()?;
        let first = sequence.first.map_or(Some(0), number)?;
        let count = match sequence.end {
            SequenceEnd::Count(field) => number(field).filter(|&count| count <= length)?,
            SequenceEnd::Index(field) => count_until(first, number(field)?, length)?,
        };
        let mut shown: Vec<String> = Vec::new();
        for index in 0..count.min(MAX_WHOLE) {
            let at = Int::from((first + index).checked_rem(length)? as i64);
            let values: Vec<&Value> = arrays.iter().filter_map(|array| array.get(&at)).collect();
            shown.push(self.formed(&sequence.form, &mut values.into_iter(), depth));
        }
        shown.extend((count > MAX_WHOLE).then(|| format!("… {count} in all")));
        Some(format!("[{}]", shown.join(", ")))
    }

    /// The elements of a collection; `None` if the object is in no valid state.
    fn collection(&mut self, object: &Object, collection: &Collection, depth: usize) -> Option<String> {
        let count = match follow(self.state, object, &collection.count)? {
            Value::Int(number) => number.to_usize()?,
            _ => return None,
        };
        let start = follow(self.state, object, &collection.start)?;
        let mut shown: Vec<String> = Vec::new();
        for element in elements(self.state, collection.walk, start, count)?.iter().take(MAX_WHOLE) {
            let parts = collection.parts.iter();
            let parts = parts.map(|(form, fields)| {
                let values: Vec<&Value> = fields.iter().filter_map(|&field| element.get(field)).collect();
                self.formed(form, &mut values.into_iter(), depth)
            });
            shown.push(parts.collect::<Vec<_>>().join("="));
        }
        shown.extend((count > MAX_WHOLE).then(|| format!("… {count} in all")));
        let shown = shown.join(", ");
        Some(if collection.is_list { format!("[{shown}]") } else { format!("{{{shown}}}") })
    }

    fn element(&mut self, form: &Form, value: &Value, depth: usize) -> String {
        self.formed(form, &mut std::iter::once(value), depth)
    }

    fn elements(&mut self, array: &Array, depth: usize) -> String {
        let form = self.form_of(array.element_type());
        let whole = array.length().to_usize().is_some_and(|length| length <= MAX_WHOLE);
        let first = if whole { MAX_WHOLE as i64 } else { FIRST_ELEMENTS };
        let mut shown: Vec<String> = (0..first)
            .map_while(|index| array.get(&Int::from(index)))
            .map(|value| self.element(&form, value, depth))
            .collect();
        if !whole {
            let mut others: Vec<_> = array.written().filter(|(index, _)| *index >= Int::from(first)).collect();
            let mut rest = "…".to_string();
            // Those that differ from most tell more.
            if others.len() > OTHER_ELEMENTS
                && let Some(usual) = majority(others.iter().map(|&(_, value)| value)).cloned()
            {
                others.retain(|&(_, value)| *value != usual);
                rest = format!("… most others: {}", self.element(&form, &usual, depth));
            }
            let mut next = Int::from(first).to_usize();
            for (index, value) in others.into_iter().take(OTHER_ELEMENTS) {
                let text = self.element(&form, value, depth);
                let at = index.to_usize();
                shown.push(if at == next { text } else { format!("… {index}: {text}") });
                next = at.map(|at| at + 1);
            }
            shown.push(rest);
        }
        format!("[{}]", shown.join(", "))
    }
}

/// The value of more than half of these, if there is one; otherwise any of them (Boyer and Moore).
fn majority<'v>(values: impl Iterator<Item = &'v Value>) -> Option<&'v Value> {
    let mut found = None;
    let mut lead = 0;
    for value in values {
        match found {
            Some(other) if other == value => lead += 1,
            _ if lead == 0 => (found, lead) = (Some(value), 1),
            _ => lead -= 1,
        }
    }
    found
}

/// The character with a code, in quotes.
fn show_character(code: &Int) -> String {
    let Some(unit) = code.to_usize().and_then(|code| u16::try_from(code).ok()) else { return code.to_string() };
    match char::from_u32(unit.into()) {
        Some('\'') => "'\\''".into(),
        Some('\\') => "'\\\\'".into(),
        Some('\0') => "'\\0'".into(),
        Some('\n') => "'\\n'".into(),
        Some('\r') => "'\\r'".into(),
        Some('\t') => "'\\t'".into(),
        Some(char) if !char.is_control() => format!("'{char}'"),
        _ => format!("'\\u{unit:04x}'"),
    }
}

/// The name without the package. The names of type arguments keep theirs.
fn simple_name(name: &str) -> &str {
    let end = name.find('<').unwrap_or(name.len());
    name[..end].rfind('.').map_or(name, |dot| &name[dot + 1..])
}
