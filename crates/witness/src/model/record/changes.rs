//! Finds out what has changed since the last step.

use super::objects::Holder;
use super::tables::is_hidden;
use super::{Change, Content, Recorder, op};
use crate::document::ValueDocument;
use crate::heap::{HeapObject, MAX_DENSE_LENGTH, Write};
use crate::model::text::Text;
use crate::outcome::Place;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{FieldId, OpKind, Program};

impl Recorder {
    /// Notes which static field that users see the current operation writes.
    pub(super) fn notes_static(&mut self, program: &Program, place: Place) {
        if self.with_state
            && self.facts(program, place.method).sets_statics
            && let Some(OpKind::PutStatic { field, .. }) = op(program, place.method, place.point)
        {
            self.writing_static = Some(*field);
        }
    }

    /// Notes which parts of known objects, and which static field, the previous operation wrote.
    pub(super) fn notes_writes(&mut self, state: &State<'_>) {
        if let Some(write) = state.heap().latest_write() {
            let (Write::Field(address, _) | Write::Element(address, _)) = write;
            self.touch_watching(Some(write));
            if self.objects.get(*address).is_some_and(|known| known.has_parts) {
                self.written.insert(write.clone());
            }
        }
        if let Some(field) = self.writing_static.take() {
            self.written_statics.insert(field);
            self.touch_watching(None);
        }
    }

    /// The changes since the last step.
    pub(super) fn changes(&mut self, state: &State<'_>) -> Vec<Change> {
        if !self.with_state {
            return Vec::new();
        }
        let first = self.execution.steps.is_empty() && self.execution.omitted == 0;
        if first {
            let own = |field: &FieldId| !state.program().class(state.program().field(*field).class).is_library;
            self.written_statics.extend(state.statics().map(|(field, _)| field).filter(own));
        }
        let mut changes = Vec::new();
        for index in std::mem::take(&mut self.touched) {
            self.changed_locals(state, index, &mut changes);
        }
        for field in std::mem::take(&mut self.written_statics) {
            if let Some(row) = self.static_row(state.program(), field) {
                let value = self.value(state, &state.static_field(field), Holder::Variable);
                changes.push(Change::Static(row, value));
            }
        }
        let mut written: Vec<Write> = self.written.drain().collect();
        written.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        for write in &written {
            changes.extend(self.changed_part(state, write));
        }
        let mut objects = self.new_objects(state);
        objects.append(&mut changes);
        objects
    }

    /// The change of a part of a known object.
    fn changed_part(&mut self, state: &State<'_>, write: &Write) -> Option<Change> {
        match write {
            Write::Field(address, field) => {
                let HeapObject::Object(object) = state.heap().get(*address)? else { return None };
                self.class_row(state.program(), object.class());
                let row = (*self.tables.fields.get(&(object.class(), *field))?)?;
                let number = self.objects.get(*address)?.number;
                Some(Change::Field(
                    number,
                    row,
                    self.value(state, object.get(*field)?, Holder::Field(*address, *field)),
                ))
            }
            Write::Element(address, index) => {
                let HeapObject::Array(array) = state.heap().get(*address)? else { return None };
                let number = self.objects.get(*address)?.number;
                let value = self.value(state, array.get(index)?, Holder::Element(*address));
                Some(Change::Element(number, index.to_string(), value))
            }
        }
    }

    /// The new objects and all that they lead to.
    pub(super) fn new_objects(&mut self, state: &State<'_>) -> Vec<Change> {
        let mut changes = Vec::new();
        while let Some(address) = self.objects.next_new() {
            let content = self.content(state, address);
            let has_parts = matches!(content, Content::Instance { .. } | Content::Array { .. });
            if let Some(known) = self.objects.get_mut(address) {
                known.has_parts = has_parts;
                changes.push(Change::Object(known.number, content));
            }
        }
        changes
    }

    fn content(&mut self, state: &State<'_>, address: Address) -> Content {
        let program = state.program();
        match state.heap().get(address) {
            Some(HeapObject::Object(object)) => {
                let class = self.class_row(program, object.class());
                if let Some(units) = state.heap().string_units(address) {
                    return Content::String {
                        class,
                        text: Text::of(&units.take(MAX_DENSE_LENGTH).collect::<Vec<_>>()),
                    };
                }
                if program.class(object.class()).is_library && !self.objects.admits(address) {
                    return Content::Opaque { class };
                }
                let fields: Vec<(FieldId, &Value)> = object.fields().collect();
                let shown = fields.into_iter().filter(|(field, _)| !is_hidden(program, *field));
                let values =
                    shown.map(|(field, value)| self.value(state, value, Holder::Field(address, field))).collect();
                Content::Instance { class, values }
            }
            Some(HeapObject::Array(array)) => Content::Array {
                element: program.show_type(array.element_type()),
                length: array.length().to_string(),
                default: self.value(state, array.rest(), Holder::Element(address)),
                elements: array
                    .written()
                    .map(|(index, value)| (index.to_string(), self.value(state, value, Holder::Element(address))))
                    .collect(),
            },
            // All addresses are of this heap, so this case does not occur.
            None => Content::Array {
                element: String::new(),
                length: "0".into(),
                default: ValueDocument::Null,
                elements: Vec::new(),
            },
        }
    }

    /// Converts a value and registers the object that it refers to.
    pub(super) fn value(&mut self, state: &State<'_>, value: &Value, holder: Holder) -> ValueDocument {
        match value {
            Value::Ref(address) => {
                let number = self.objects.number(state.heap(), state.program(), *address, holder);
                ValueDocument::Ref(number as usize)
            }
            value => value.into(),
        }
    }
}

/// A key that orders writes in the same way in each run.
fn order(write: &Write) -> (Address, u32, Option<&crate::int::Int>) {
    match write {
        Write::Field(address, field) => (*address, field.0, None),
        Write::Element(address, index) => (*address, 0, Some(index)),
    }
}
