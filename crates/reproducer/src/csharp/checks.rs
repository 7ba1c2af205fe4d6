//! Writes the assertions of a test about what a run leaves: its result, and what it has changed.

use super::build::{Builder, Made};
use super::expressions::Helper;
use super::literals;
use super::plan::{Array, Content, Object, Planner, Value, default_of};
use crate::prediction::Prediction;
use crate::received::Received;
use crate::unit_tests::{ASSERTIONS, WHOLE};
use crate::{Unreproducible, order};
use aback_lang_csharp::{CsType, Declarations, DeclaredField, Receiver, Shape, escaped};
use aback_witness::InputValue;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, VecDeque};

/// An expression that reads a value at the end of a test.
#[derive(Clone, Debug)]
pub(super) struct Read {
    text: String,
    /// Its type; `None` if sources cannot name it, so that it is `object`.
    ty: Option<CsType>,
    /// Whether it is a cast, so that it needs parentheses before a member.
    is_cast: bool,
}

impl Read {
    /// An expression that is no cast.
    pub(super) fn new(text: impl Into<String>, ty: Option<CsType>) -> Self {
        Read { text: text.into(), ty, is_cast: false }
    }

    /// The expression before a member or an index.
    fn operand(&self) -> String {
        if self.is_cast { format!("({})", self.text) } else { self.text.clone() }
    }

    fn is_named(&self) -> bool {
        self.ty.is_some()
    }
}

/// Compares what a run leaves with the prediction. `result` reads the result. Returns assertions, and comments about what is not
/// compared.
///
/// # Errors
/// A value that sources cannot write.
pub(super) fn checks(
    builder: &mut Builder,
    prediction: &Prediction,
    result: Option<Read>,
) -> Result<Vec<String>, Unreproducible> {
    let declarations = builder.plan.declarations;
    // What the program itself holds is compared, too.
    let mut received = prediction.received.clone();
    received.own.clear();
    let left = &prediction.left.objects;
    let mut writer = Writer {
        declarations,
        builder,
        before: Planner::new(declarations, &received),
        after: Planner::new(declarations, left),
        received: &received,
        left,
        reads: FxHashMap::default(),
        pending: VecDeque::new(),
        lines: Vec::new(),
    };
    writer.variables()?;
    if let Some(read) = result {
        writer.result(&prediction.left.result, read)?;
    }
    while let Some((object, expected)) = writer.pending.pop_front() {
        if writer.is_full() {
            writer.lines.push("// What else has changed is not compared.".into());
            break;
        }
        writer.object(object, expected)?;
    }
    Ok(writer.lines)
}

struct Writer<'b, 'a> {
    declarations: Declarations<'a>,
    builder: &'b mut Builder<'a>,
    before: Planner<'b>,
    after: Planner<'b>,
    received: &'b Received,
    left: &'b Received,
    /// How to read the objects that are known.
    reads: FxHashMap<usize, Read>,
    /// Objects to compare, with the types of the values that refer to them.
    pending: VecDeque<(usize, CsType)>,
    lines: Vec<String>,
}

impl Writer<'_, '_> {
    fn is_full(&self) -> bool {
        self.lines.len() >= ASSERTIONS
    }

    fn assert(&mut self, method: &str, arguments: &str) {
        let class = self.builder.assertions();
        self.lines.push(format!("{class}.{method}({arguments});"));
    }

    fn assert_equal(&mut self, expected: &str, read: &Read) {
        self.assert("Equal", &format!("{expected}, {}", read.text));
    }

    fn reach(&mut self, object: usize, expected: CsType, read: Read) {
        if let Entry::Vacant(place) = self.reads.entry(object) {
            place.insert(read);
            self.pending.push_back((object, expected));
        }
    }

    /// The arguments: objects that the test can name, and variables of the caller.
    fn variables(&mut self) -> Result<(), Unreproducible> {
        let plan = self.builder.plan;
        let mut named: Vec<(usize, CsType, Read)> = Vec::new();
        for (&number, made) in &self.builder.made {
            let Made::Variable(name, ty) = made else { continue };
            let exact = match plan.objects.get(&number) {
                Some(Object::Instance(ty, _)) => *ty,
                Some(Object::Array(array)) => array.ty,
                Some(Object::Held(field)) => field.ty,
                _ => continue,
            };
            named.push((number, exact, Read::new(name.clone(), *ty)));
        }
        named.sort_by_key(|(number, ..)| *number);
        for (number, exact, read) in named {
            self.reach(number, exact, read);
        }
        for (number, text, is_typed) in self.builder.variables.clone() {
            let (object, before) = &plan.variables[number];
            let ty = Some(before.ty).filter(|_| is_typed);
            let read = self.cast(Read::new(text, ty), before.ty);
            match self.after.content_of(*object, before.ty) {
                Ok(after) => self.part(&after, after != *before, read)?,
                Err(reason) => self.lines.push(format!("// {} is not compared: {reason}.", read.text)),
            }
        }
        Ok(())
    }

    fn result(&mut self, leaves: &[InputValue], read: Read) -> Result<(), Unreproducible> {
        let method = &self.builder.plan.method;
        let value = match (&method.name[..], method.receiver, self.received.arguments.first()) {
            // The constructor of a struct gets a pointer to it.
            (".ctor", Receiver::Pointer, Some(InputValue::Ref(object))) => self.after.content_of(*object, method.owner),
            (".ctor", ..) => self.after.value(method.owner, &mut leaves.iter().cloned()),
            _ => match method.result {
                Some(ty) => self.after.value(ty, &mut leaves.iter().cloned()),
                None => return Ok(()),
            },
        };
        match value {
            Ok(value) => self.value(&value, read),
            Err(reason) => {
                self.lines.push(format!("// The result is not compared: {reason}."));
                Ok(())
            }
        }
    }

    /// Compares the value that an expression reads.
    fn value(&mut self, value: &Value, read: Read) -> Result<(), Unreproducible> {
        match &value.content {
            Content::Ref(object) => return self.reference(*object, value.ty, read),
            Content::Null => self.assert("Null", &read.text),
            Content::Bool(true) if read.is_named() => self.assert("True", &read.text),
            Content::Bool(false) if read.is_named() => self.assert("False", &read.text),
            Content::Bool(_) | Content::Int(_) => {
                let expected = self.builder.boxed(value)?;
                self.assert_equal(&expected, &read);
            }
            Content::F32(_) | Content::F64(_) => {
                let expected = self.builder.boxed(value)?;
                self.assert_equal(&expected, &read);
                // The sign of a zero does not count for equality.
                if let "-0.0" | "-0.0f" = &expected[..] {
                    let ty = if matches!(value.content, Content::F32(_)) { "float" } else { "double" };
                    self.assert("True", &format!("{ty}.IsNegative(({ty}){})", read.text));
                }
            }
            Content::Some(inner) => {
                let read = match read.ty {
                    Some(_) => Read::new(format!("{}.Value", read.operand()), Some(inner.ty)),
                    None => read,
                };
                return self.value(inner, read);
            }
            Content::Struct(fields) => return self.structure(value, fields, read),
        }
        Ok(())
    }

    fn structure(&mut self, value: &Value, fields: &[(String, Value)], read: Read) -> Result<(), Unreproducible> {
        let declarations = self.declarations;
        let mut targets = Vec::new();
        value.targets(&mut targets);
        let read = self.cast(read, value.ty);
        if !declarations.is_own(value.ty) && targets.is_empty() && read.is_named() {
            let expected = self.builder.typed(value)?;
            self.assert_equal(&expected, &read);
            return Ok(());
        }
        for field in declarations.fields(value.ty).map_err(Unreproducible::Object)? {
            let found = fields.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value.clone());
            let part = self.field(&read, &field)?;
            self.value(&found.unwrap_or_else(|| default_of(declarations, field.ty)), part)?;
        }
        Ok(())
    }

    fn reference(&mut self, object: usize, expected: CsType, read: Read) -> Result<(), Unreproducible> {
        if let Some(known) = self.reads.get(&object) {
            let known = known.text.clone();
            self.assert("Same", &format!("{known}, {}", read.text));
            return Ok(());
        }
        match self.after.object(object, expected) {
            Ok(Object::String(units)) => self.assert_equal(&literals::quoted(&units), &read),
            Ok(Object::Box(value)) => match value.content {
                Content::Struct(_) => {
                    self.has_class(value.ty, &read)?;
                    self.value(&value, Read { ty: None, ..read })?;
                }
                _ => self.value(&value, Read { ty: None, ..read })?,
            },
            Ok(Object::Instance(ty, _)) => {
                self.has_class(ty, &read)?;
                let read = self.cast(read, ty);
                self.reach(object, expected, read);
            }
            Ok(Object::Array(array)) => {
                let read = self.cast(read, array.ty);
                if !read.is_named() {
                    self.assert("NotNull", &read.text);
                }
                self.reach(object, expected, read);
            }
            Ok(Object::Held(_) | Object::Made(_)) | Err(_) => self.assert("NotNull", &read.text),
        }
        Ok(())
    }

    /// Compares the class of an object.
    fn has_class(&mut self, ty: CsType, read: &Read) -> Result<(), Unreproducible> {
        let shown = self.declarations.shown_name(ty).unwrap_or_default();
        match self.builder.named(ty) {
            Some(name) => self.assert(&format!("IsType<{name}>"), &read.text),
            // Names that the compiler makes differ from build to build, and classes that a library hides from version to version.
            None if !self.declarations.is_own(ty) || is_compiler_made(self.declarations, ty) => {
                self.assert("NotNull", &read.text)
            }
            None => {
                let name = literals::quoted(&shown.encode_utf16().collect::<Vec<_>>());
                self.assert("Equal", &format!("{name}, {}.GetType().ToString()", read.operand()));
            }
        }
        Ok(())
    }

    /// An expression with the exact type of what it reads.
    fn cast(&self, read: Read, exact: CsType) -> Read {
        if read.ty == Some(exact) {
            return read;
        }
        match self.builder.named(exact) {
            Some(name) if read.is_named() && self.builder.is_array_of_numbers(exact) => {
                Read { text: format!("({name})(object){}", read.text), ty: Some(exact), is_cast: true }
            }
            Some(name) => Read { text: format!("({name}){}", read.text), ty: Some(exact), is_cast: true },
            None => Read { ty: None, ..read },
        }
    }

    /// An expression that reads a field.
    fn field(&mut self, object: &Read, field: &DeclaredField) -> Result<Read, Unreproducible> {
        let named = self.builder.named(field.ty);
        if object.is_named()
            && named.is_some()
            && let Some(name) = &field.readable
        {
            return Ok(Read::new(format!("{}.{}", object.operand(), escaped(name)), Some(field.ty)));
        }
        self.builder.helpers.insert(Helper::Get);
        let owner = self.builder.type_object(field.owner)?;
        let name = literals::quoted(&field.name.encode_utf16().collect::<Vec<_>>());
        let got = Read::new(format!("Get({owner}, {}, {name})", object.text), None);
        Ok(self.cast(got, field.ty))
    }

    /// Compares a value that an expression reads if it has changed. Otherwise, compares what it leads to.
    fn part(&mut self, value: &Value, is_changed: bool, read: Read) -> Result<(), Unreproducible> {
        if is_changed {
            return self.value(value, read);
        }
        if let Content::Ref(object) = value.content
            && !self.reads.contains_key(&object)
        {
            let exact = match self.after.object(object, value.ty) {
                Ok(Object::Instance(ty, _)) => ty,
                Ok(Object::Array(array)) => array.ty,
                _ => return Ok(()),
            };
            let read = self.cast(read, exact);
            self.reach(object, value.ty, read);
        }
        Ok(())
    }

    /// Compares the parts of an object that have changed, or all parts of a new object.
    fn object(&mut self, number: usize, expected: CsType) -> Result<(), Unreproducible> {
        let Some(read) = self.reads.get(&number).cloned() else { return Ok(()) };
        let is_known = number < self.received.heap.len();
        let before = Some(number).filter(|_| is_known).and_then(|number| self.before.object(number, expected).ok());
        let after = self.after.object(number, expected);
        match after {
            Ok(Object::Array(array)) => {
                let old = match before {
                    Some(Object::Array(old)) => Some(old),
                    _ => None,
                };
                self.array(old.as_ref(), &array, &read)
            }
            // What the compiler makes of an iterator, an async method or a lambda expression is nobody's business.
            Ok(Object::Instance(ty, _)) if is_compiler_made(self.declarations, ty) => Ok(()),
            Ok(Object::Instance(ty, fields)) if is_list(self.declarations, ty) && read.is_named() => {
                let old = match &before {
                    Some(Object::Instance(_, fields)) => elements(&mut self.before, fields),
                    _ => None,
                };
                match elements(&mut self.after, &fields) {
                    Some(elements) => self.list(old.as_deref(), &elements, &read),
                    None => Ok(()),
                }
            }
            Ok(Object::Instance(ty, fields)) if self.declarations.is_own(ty) => {
                let old = match &before {
                    Some(Object::Instance(_, fields)) => Some(fields),
                    _ => None,
                };
                let find = |fields: &[(DeclaredField, Value)], field: &DeclaredField| {
                    let found = fields.iter().find(|(own, _)| own.owner == field.owner && own.name == field.name);
                    found.map_or_else(|| default_of(self.declarations, field.ty), |(_, value)| value.clone())
                };
                let declared = self.declarations.fields(ty).map_err(Unreproducible::Object)?;
                let parts: Vec<(DeclaredField, Value, bool)> = declared
                    .into_iter()
                    .map(|field| {
                        let value = find(&fields, &field);
                        let is_changed = old.is_none_or(|old| find(old, &field) != value);
                        (field, value, is_changed)
                    })
                    .collect();
                for (field, value, is_changed) in parts {
                    if is_changed || matches!(value.content, Content::Ref(_)) {
                        let part = self.field(&read, &field)?;
                        self.part(&value, is_changed, part)?;
                    }
                }
                Ok(())
            }
            Ok(Object::String(_)) => Ok(()),
            _ if self.is_same(number) => Ok(()),
            _ => {
                self.lines
                    .push(format!("// The content of {} is not compared: its class is one of a library.", read.text));
                Ok(())
            }
        }
    }

    /// Whether an object and all to which it leads are as before.
    fn is_same(&self, number: usize) -> bool {
        let children = |number: usize| match (self.received.heap.get(number), self.left.heap.get(number)) {
            (Some(before), Some(after)) if before == after => Ok(self.left.targets(number)),
            _ => Err(()),
        };
        order::uses([number], children).is_ok()
    }

    /// Whether values of a type are numbers, truth values, characters or enums.
    fn is_plain(&self, ty: CsType) -> bool {
        use Shape::{Bool, Char, Enum, F32, F64, Int, Native};
        matches!(self.declarations.shape(ty), Bool | Char | Int { .. } | Native { .. } | F32 | F64 | Enum(_))
    }

    /// Compares the elements of a `List<T>`.
    fn list(&mut self, before: Option<&[Value]>, after: &[Value], read: &Read) -> Result<(), Unreproducible> {
        let has_changed = before != Some(after);
        let plain = after.first().and_then(|first| self.builder.named(first.ty).filter(|_| self.is_plain(first.ty)));
        match (has_changed, after, plain) {
            (true, [], _) => self.assert("Empty", &read.text),
            (true, _, Some(element)) => {
                let all = after.iter().map(|value| self.builder.typed(value)).collect::<Result<Vec<_>, _>>()?;
                self.assert_equal(&format!("new {element}[] {{ {} }}", all.join(", ")), read);
                return Ok(());
            }
            (true, _, None) => {
                self.assert_equal(&after.len().to_string(), &Read::new(format!("{}.Count", read.operand()), None));
            }
            (false, ..) => {}
        }
        for (at, value) in after.iter().enumerate() {
            let is_changed = before.is_none_or(|before| before.get(at) != Some(value));
            let ty = Some(value.ty).filter(|&ty| self.builder.named(ty).is_some());
            self.part(value, is_changed, Read::new(format!("{}[{at}]", read.operand()), ty))?;
        }
        Ok(())
    }

    fn array(&mut self, before: Option<&Array>, after: &Array, read: &Read) -> Result<(), Unreproducible> {
        let count: u64 = after.lengths.iter().product();
        let size = usize::try_from(count).unwrap_or(usize::MAX);
        let value_at = |array: &Array, at: u64| array.elements.get(&at).unwrap_or(&array.rest).clone();
        // Elements that neither list has are the same, or those of a new array.
        let mut positions: BTreeSet<u64> = after.elements.keys().copied().collect();
        positions.extend(before.iter().flat_map(|array| array.elements.keys()));
        let is_changed = |at: u64| before.is_none_or(|old| value_at(old, at) != value_at(after, at));
        let has_changed = before.is_none() || positions.iter().any(|&at| is_changed(at));
        let is_plain = self.is_plain(after.element);
        let element = self.builder.named(after.element);
        if let Some(element) =
            element.filter(|_| read.is_named() && is_plain && after.lengths.len() == 1 && size <= WHOLE)
        {
            if has_changed {
                let all = (0..count).map(|at| self.builder.typed(&value_at(after, at)));
                let all = all.collect::<Result<Vec<_>, _>>()?.join(", ");
                let expected =
                    if count == 0 { format!("new {element}[0]") } else { format!("new {element}[] {{ {all} }}") };
                self.assert_equal(&expected, read);
            }
            return Ok(());
        }
        if !read.is_named() {
            if has_changed {
                let text =
                    format!("// The elements of {} are not compared: sources cannot name their type.", read.text);
                self.lines.push(text);
            }
            return Ok(());
        }
        if before.is_none() {
            match after.lengths[..] {
                [length] => {
                    self.assert_equal(&length.to_string(), &Read::new(format!("{}.Length", read.operand()), None))
                }
                _ => {
                    for (dimension, length) in after.lengths.iter().enumerate() {
                        let text = format!("{}.GetLength({dimension})", read.operand());
                        self.assert_equal(&length.to_string(), &Read::new(text, None));
                    }
                }
            }
            positions.extend(0..count.min(ASSERTIONS as u64));
        }
        for at in positions {
            if self.is_full() {
                self.lines.push(format!("// Further elements of {} are not compared.", read.text));
                return Ok(());
            }
            let indices = super::description::indices(at, &after.lengths);
            let indices = indices.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            let ty = Some(after.element).filter(|&ty| self.builder.named(ty).is_some());
            let part = Read::new(format!("{}[{indices}]", read.operand()), ty);
            self.part(&value_at(after, at), is_changed(at), part)?;
        }
        Ok(())
    }
}

/// Whether the compiler has made a class, whose name no source can have.
fn is_compiler_made(declarations: Declarations, ty: CsType) -> bool {
    declarations.shown_name(ty).is_none_or(|name| name.contains('<'))
}

fn is_list(declarations: Declarations, ty: CsType) -> bool {
    let is_named_so = |name: String| name.starts_with("System.Collections.Generic.List`1[");
    declarations.is_collection(ty) && declarations.shown_name(ty).is_some_and(is_named_so)
}

/// The elements of a list with these fields; `None` if it is too long to be compared.
fn elements(planner: &mut Planner, fields: &[(DeclaredField, Value)]) -> Option<Vec<Value>> {
    let value = |name: &str| fields.iter().find(|(field, _)| field.name == name).map(|(_, value)| value);
    let size = match value("_size").map(|size| &size.content) {
        Some(Content::Int(size)) => usize::try_from(size).ok().filter(|&size| size <= WHOLE)?,
        _ => return Some(Vec::new()),
    };
    let items = value("_items")?;
    let Content::Ref(array) = items.content else { return None };
    let Ok(Object::Array(array)) = planner.object(array, items.ty) else { return None };
    Some((0..size as u64).map(|at| array.elements.get(&at).unwrap_or(&array.rest).clone()).collect())
}
