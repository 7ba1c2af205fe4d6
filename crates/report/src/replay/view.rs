//! Describes the state at a step in words: objects, values, variables and the call stack.

use aback_witness::{
    Change, Content, Cursor, ElementPlace, ElementValue, Elements, Execution, Snapshot, StaticShape, Step,
    ValueDocument,
};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

/// Greatest number of code units of a string that are shown.
const STRING: usize = 60;
/// Greatest number of elements of an array that are shown.
const ELEMENTS: usize = 12;
/// Greatest number of elements of a collection whose changes are noticed.
const EXAMINED: usize = 2_000;

/// How the names of functions in a method begin.
const LAMBDA: &str = "a lambda expression in ";

/// How collections of libraries are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Collections {
    /// By their elements, unless they are in no valid state.
    #[default]
    Elements,
    /// By their fields, like other objects.
    Fields,
}

/// The description of a step.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    collections: Collections,
    execution: &'a Execution,
    state: &'a Snapshot,
    changes: &'a [Change],
}

/// A named value, such as a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub text: String,
    /// The object to which the variable refers, unless the text shows all of it.
    pub target: Option<u32>,
    /// Whether the variable changed in this step.
    pub changed: bool,
}

/// A field or an element.
pub type Row = Variable;

impl Variable {
    /// Name and value on one line of at most `most` characters.
    pub fn line(&self, most: usize) -> String {
        let line = if self.text.is_empty() { self.name.clone() } else { format!("{} = {}", self.name, self.text) };
        match line.char_indices().nth(most) {
            Some(_) => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
            None => line,
        }
    }
}

impl<'a> View<'a> {
    /// The description of the cursor's step.
    pub fn new(cursor: &'a Cursor<'_>, collections: Collections) -> Self {
        // No step precedes the first one, so nothing has changed.
        let changes = if cursor.position() == 0 { &[] } else { cursor.changes() };
        View { collections, execution: cursor.execution(), state: cursor.state(), changes }
    }

    /// How collections are shown.
    pub(crate) fn collections(&self) -> Collections {
        self.collections
    }

    /// The text of a value of the given type.
    pub fn value(&self, value: &ValueDocument, ty: &str) -> String {
        match value {
            ValueDocument::Null => "null".into(),
            ValueDocument::Bool(value) => value.to_string(),
            ValueDocument::Int(digits) if ty == "char" => character(digits),
            ValueDocument::Int(digits) => digits.clone(),
            ValueDocument::F32(digits) | ValueDocument::F64(digits) => match digits.as_str() {
                nan if nan.starts_with("0x") => "NaN".into(),
                digits => digits.replace("inf", "Infinity"),
            },
            ValueDocument::Ref(_) => {
                let object = value.reference().unwrap_or_default();
                self.whole(object).unwrap_or_else(|| self.name(object))
            }
            ValueDocument::Elements(elements) => {
                let elements: Vec<String> = elements.iter().map(|element| self.value(element, "")).collect();
                format!("[{}]", elements.join(", "))
            }
        }
    }

    /// The text of an object that is better shown as a value: a string, a constant or a number. `None` for other
    /// objects.
    pub fn whole(&self, object: u32) -> Option<String> {
        match self.state.object(object)?.content() {
            Content::String { text, .. } => Some(text.quoted(STRING)),
            Content::Instance { class, values } => {
                let shape = self.execution.classes.get(*class as usize)?;
                let name = &shape.name;
                if let Some(constant) = self.state.constant(self.execution, object) {
                    let class = name.rsplit(['.', '$']).next().unwrap_or(name);
                    let constant = constant.quoted(usize::MAX);
                    return Some(format!("{class}.{}", constant.trim_matches('"')));
                }
                match (values.as_slice(), shape.fields.as_slice()) {
                    ([value], [field]) if shape.is_box => Some(self.value(value, &field.ty)),
                    _ => None,
                }
            }
            Content::Array { .. } | Content::Opaque { .. } => None,
        }
    }

    /// The name of an object: `Node#1`, `int[3]#2`. Numbers count from 1, as in answers.
    pub fn name(&self, object: u32) -> String {
        let number = u64::from(object) + 1;
        match self.state.object(object).map(|object| object.content()) {
            Some(Content::Array { element, length, .. }) => {
                // The length goes into the first brackets.
                let (element, inner) = element.split_at(element.find("[]").unwrap_or(element.len()));
                format!("{}[{length}]{inner}#{number}", simple(element))
            }
            Some(Content::Instance { class, .. } | Content::String { class, .. } | Content::Opaque { class }) => {
                let class = self.execution.classes.get(*class as usize);
                format!("{}#{number}", class.map_or("", |class| simple(&class.name)))
            }
            None => format!("#{number}"),
        }
    }

    /// Whether the object becomes visible in this step.
    pub fn is_new(&self, object: u32) -> bool {
        self.changes.iter().any(|change| matches!(change, Change::Object(id, _) if *id == object))
    }

    /// The elements of a collection that is shown by them. `None` for other objects.
    pub(crate) fn elements(&self, object: u32) -> Option<Elements<'a>> {
        match self.collections {
            Collections::Elements => self.state.elements(self.execution, object, EXAMINED),
            Collections::Fields => None,
        }
    }

    /// Whether an object is a collection, in any state.
    pub(crate) fn is_collection(&self, object: u32) -> bool {
        self.collections == Collections::Elements && self.state.is_collection(self.execution, object)
    }

    /// The objects to which what is shown of an object leads: those in its fields or elements.
    pub(crate) fn leads_to(&self, object: u32) -> Vec<u32> {
        match self.elements(object) {
            Some(found) => {
                let values = found.elements.iter().flatten().flatten();
                values.filter_map(|value| value.value.reference()).collect()
            }
            None => self.parts(object),
        }
    }

    /// The objects to which the fields or elements of an object refer.
    pub(crate) fn parts(&self, object: u32) -> Vec<u32> {
        self.state.object(object).map_or_else(Vec::new, |object| object.references().collect())
    }

    /// Whether an object is an array.
    pub(crate) fn is_array(&self, object: u32) -> bool {
        self.state.object(object).is_some_and(|object| matches!(object.content(), Content::Array { .. }))
    }

    /// Whether an object is an instance of a class of a library.
    pub(crate) fn is_of_library(&self, object: u32) -> bool {
        let content = self.state.object(object).map(|object| object.content());
        let Some(Content::Instance { class, .. } | Content::Opaque { class }) = content else { return false };
        self.execution.classes.get(*class as usize).is_some_and(|class| class.library)
    }

    /// The elements of a collection as one text: `[1, 2]`, `{"a"=1}`. `None` for other objects.
    pub fn contents(&self, object: u32) -> Option<String> {
        let found = self.elements(object)?;
        let mut shown: Vec<String> = Vec::new();
        let mut next = 0;
        for (number, parts) in self.shown(object, &found) {
            let text = parts.iter().map(|part| self.part(part)).collect::<Vec<_>>().join("=");
            shown.push(match number == next {
                true => text,
                false if found.is_list => format!("… {number}: {text}"),
                false => format!("… {text}"),
            });
            next = number + 1;
        }
        shown.extend((found.count > next).then(|| format!("… {} in all", found.count)));
        let shown = shown.join(", ");
        Some(if found.is_list { format!("[{shown}]") } else { format!("{{{shown}}}") })
    }

    /// The elements of a collection that are shown, with their numbers: the first ones, and a few that have changed.
    fn shown<'e>(&self, object: u32, found: &'e Elements<'a>) -> Vec<(usize, &'e Vec<Vec<ElementValue<'a>>>)> {
        let is_changed =
            |parts: &[Vec<ElementValue<'_>>]| parts.iter().flatten().any(|value| self.is_changed(object, &value.place));
        let all = found.elements.iter().enumerate();
        all.filter(|(number, parts)| *number < ELEMENTS || is_changed(parts)).take(2 * ELEMENTS).collect()
    }

    /// A part of an element, which can be a value of several fields.
    fn part(&self, values: &[ElementValue<'_>]) -> String {
        let shown: Vec<String> = values.iter().map(|value| self.value(&value.value, value.ty)).collect();
        match &shown[..] {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        }
    }

    /// The elements of a collection as rows. An object that is a key has a row of its own before that of its value.
    fn element_rows(&self, object: u32, found: &Elements<'_>) -> Vec<Row> {
        let target = |values: &[ElementValue<'_>]| match values {
            [one] => one.value.reference().filter(|&object| self.whole(object).is_none()),
            _ => None,
        };
        let mut rows = Vec::new();
        let shown = self.shown(object, found);
        for &(number, parts) in &shown {
            let changed = parts.iter().flatten().any(|value| self.is_changed(object, &value.place));
            match &parts[..] {
                [key, value] => {
                    if let Some(object) = target(key) {
                        rows.push(Row { name: "key".into(), text: self.part(key), target: Some(object), changed });
                    }
                    rows.push(Row { name: self.part(key), text: self.part(value), target: target(value), changed });
                }
                [value] if found.is_list => {
                    rows.push(Row { name: number.to_string(), text: self.part(value), target: target(value), changed });
                }
                parts => {
                    let name = parts.iter().map(|part| self.part(part)).collect::<Vec<_>>().join("=");
                    let target = parts.first().and_then(|value| target(value));
                    rows.push(Row { name, text: String::new(), target, changed });
                }
            }
        }
        let more = match found.count {
            0 => Some("no elements".to_owned()),
            count if count > shown.len() => Some(format!("… {count} in all")),
            _ => None,
        };
        rows.extend(more.map(|name| Row { name, text: String::new(), target: None, changed: false }));
        rows
    }

    /// Whether an element of a collection is new in this step or has changed. A collection that is new as a whole has no changed
    /// elements, and copies of elements in a larger array have not changed.
    fn is_changed(&self, collection: u32, place: &ElementPlace) -> bool {
        !self.is_new(collection)
            && self.changes.iter().any(|change| match (change, place) {
                (Change::Object(new, _), ElementPlace::Field(object, _)) => new == object,
                (Change::Field(object, field, _), ElementPlace::Field(of, at)) => (object, field) == (of, at),
                (Change::Element(array, index, _), ElementPlace::Element(of, at)) => {
                    array == of && *index == at.to_string()
                }
                _ => false,
            })
    }

    /// The rows of an object: its fields, or its elements if it is an array or a collection. Of a long array, only some
    /// elements: the changed ones, then the written ones, then the first ones.
    pub fn rows(&self, object: u32) -> Vec<Row> {
        match self.elements(object) {
            Some(found) => self.element_rows(object, &found),
            None => self.fields(object),
        }
    }

    /// The fields of an object, or the elements of an array.
    pub fn fields(&self, object: u32) -> Vec<Row> {
        let Some(found) = self.state.object(object) else { return Vec::new() };
        match found.content() {
            Content::Instance { class, values } => {
                let fields = self.execution.classes.get(*class as usize).map_or(&[][..], |class| &class.fields);
                let changed = |row: usize| {
                    self.changes.iter().any(|change| {
                        matches!(change, Change::Field(id, field, _) if *id == object && *field as usize == row)
                    })
                };
                let rows = fields.iter().zip(values).enumerate();
                rows.map(|(row, (field, value))| self.row(field.name.clone(), value, &field.ty, changed(row))).collect()
            }
            Content::Array { element, length, default, .. } => {
                let length: BigInt = length.parse().unwrap_or_default();
                let changed: FxHashSet<&str> = self
                    .changes
                    .iter()
                    .filter_map(|change| match change {
                        Change::Element(id, index, _) if *id == object => Some(index.as_str()),
                        _ => None,
                    })
                    .collect();
                // Changed elements come first, so that they are shown.
                let whole = length <= BigInt::from(ELEMENTS);
                let mut shown: Vec<BigInt> = changed.iter().filter_map(|index| index.parse().ok()).collect();
                shown.truncate(ELEMENTS);
                let written = found.elements().keys().filter(|index| *index >= &BigInt::ZERO);
                let some = written.filter(|index| !changed.contains(index.to_string().as_str()));
                shown.extend(some.take(ELEMENTS - shown.len()).cloned());
                let mut next = BigInt::ZERO;
                while shown.len() < ELEMENTS && next < length {
                    if !shown.contains(&next) {
                        shown.push(next.clone());
                    }
                    next += 1;
                }
                shown.sort_unstable();
                let mut rows = Vec::new();
                for index in shown.into_iter().filter(|index| *index < length) {
                    let value = found.elements().get(&index).unwrap_or(default);
                    let index = index.to_string();
                    let changed = changed.contains(index.as_str());
                    rows.push(self.row(index, value, element, changed));
                }
                if !whole {
                    rows.push(Row { name: "…".into(), text: String::new(), target: None, changed: false });
                }
                rows
            }
            Content::String { .. } | Content::Opaque { .. } => Vec::new(),
        }
    }

    fn row(&self, name: String, value: &ValueDocument, ty: &str, changed: bool) -> Row {
        let target = value.reference().filter(|&object| self.whole(object).is_none());
        Row { name, text: self.value(value, ty), target, changed }
    }

    /// The variables of a call that have values.
    pub fn variables(&self, call: u32) -> Vec<Variable> {
        let shapes = self.method_of(call).map_or(&[][..], |method| &method.variables);
        let changed = |row: u32| {
            self.changes.iter().any(|change| matches!(change, Change::Local(of, at, _) if *of == call && *at == row))
        };
        let locals = self.state.locals(self.execution, call).into_iter();
        let row = |(row, value): (u32, &ValueDocument)| {
            let shape = shapes.get(row as usize)?;
            Some(self.row(shape.name.clone(), value, &shape.ty, changed(row)))
        };
        locals.filter_map(row).collect()
    }

    /// The static fields that were given or written.
    pub fn statics(&self) -> Vec<Variable> {
        let changed =
            |row: u32| self.changes.iter().any(|change| matches!(change, Change::Static(at, _) if *at == row));
        let row = |(row, value): (u32, &ValueDocument)| {
            let shape = self.execution.statics.get(row as usize)?;
            Some(self.row(short_static(shape), value, &shape.ty, changed(row)))
        };
        self.state.statics().filter_map(row).collect()
    }

    fn method_of(&self, call: u32) -> Option<&'a aback_witness::MethodShape> {
        let call = self.execution.calls.get(call as usize)?;
        self.execution.methods.get(call.method as usize)
    }

    /// The method of a call: `Class.method`, without the package.
    pub fn method(&self, call: u32) -> String {
        self.method_of(call).map_or_else(String::new, |method| short(&method.name))
    }
}

/// The place of a step: `Account.java:11`.
pub(crate) fn place(execution: &Execution, step: &Step) -> String {
    let path = execution.files.get(step.file as usize).map_or("", |file| file.path.as_str());
    format!("{}:{}", path.rsplit('/').next().unwrap_or(path), step.line)
}

/// The lines of an execution's files.
pub(crate) fn lines(execution: &Execution) -> Vec<Vec<&str>> {
    execution.files.iter().map(|file| file.text.as_deref().unwrap_or_default().lines().collect()).collect()
}

/// The name of a class without its package.
fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// `Class.member` without the package. What initializes a class has no name in sources.
pub(crate) fn short(name: &str) -> String {
    if let Some(method) = name.strip_prefix(LAMBDA) {
        return format!("{LAMBDA}{}", short(method));
    }
    match name.rsplit_once('.') {
        Some((class, "<clinit>")) => format!("the static initializer of {}", simple(class)),
        Some((class, member)) => format!("{}.{member}", simple(class)),
        None => name.to_owned(),
    }
}

/// The name of a static field, without the package of its class.
pub(crate) fn short_static(field: &StaticShape) -> String {
    let rest = field.class.as_deref().and_then(|class| Some((class, field.name.strip_prefix(class)?)));
    rest.map_or_else(|| short(&field.name), |(class, rest)| format!("{}{rest}", simple(class)))
}

/// A character by its code.
fn character(digits: &str) -> String {
    let char = digits.parse().ok().and_then(char::from_u32).filter(|char| !char.is_control());
    char.map_or_else(|| digits.to_owned(), |char| format!("'{char}' ({digits})"))
}
