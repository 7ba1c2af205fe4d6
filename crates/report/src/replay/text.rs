//! Writes a counterexample as lines of text: all steps with their effects, or the state at one step.

use super::told::Told;
use super::view::{Collections, View, lines, place};
use crate::replay::Graph;
use aback_witness::{Change, Cursor, OpenCall, Witness};
use std::fmt::{self, Write};

/// Greatest depth up to which calls are indented.
const DEPTH: u32 = 12;
/// Greatest number of characters of a source line that are shown.
const LINE: usize = 100;

/// Writes all steps, each with its line and its changes. The initial state comes first, and the violation is marked
/// at its step.
///
/// # Errors
/// Errors of the writer.
pub fn render_steps(witness: &Witness, collections: Collections, out: &mut dyn Write) -> fmt::Result {
    write_head(witness, out)?;
    let execution = &witness.execution;
    let Some(mut cursor) = Cursor::new(execution) else {
        return writeln!(out, "There are no steps: the run did not begin.");
    };
    let lines = lines(execution);
    let width = (cursor.last() + 1).to_string().len();
    if execution.omitted > 0 {
        writeln!(out, "… {} steps before", execution.omitted)?;
        writeln!(out, "at the first of the other steps:")?;
    } else {
        writeln!(out, "at the start:")?;
    }
    let mut told = Told::default();
    write_changes(&cursor, (collections, &mut told), out, ("  ", None))?;
    loop {
        let step = cursor.step();
        let number = cursor.position();
        let indent = "  ".repeat(cursor.depth_at(number).min(DEPTH) as usize);
        let text = lines.get(step.file as usize).and_then(|lines| lines.get((step.line as usize).checked_sub(1)?));
        let text: String = text.map_or("", |text| text.trim()).chars().take(LINE).collect();
        let line = format!("{:>width$}  {indent}{}  {text}", number + 1, place(execution, step));
        writeln!(out, "{}", line.trim_end())?;
        let below = format!("{:width$}    {indent}", "");
        if witness.violation.step == Some(number as u32) {
            let said = if witness.confirmed { "violated" } else { "violation claimed" };
            writeln!(out, "{below}✗ {said}: {}", witness.violation.description)?;
        }
        if number == cursor.last() {
            return Ok(());
        }
        let depth = cursor.depth_at(number);
        cursor.step_into();
        let view = View::new(&cursor, collections);
        let call = cursor.step().call;
        if cursor.depth_at(number + 1) > depth {
            let arguments = view.variables(call);
            let arguments: Vec<String> =
                arguments.iter().map(|argument| format!("{} = {}", argument.name, argument.text)).collect();
            writeln!(out, "{below}calls {}({})", view.method(call), arguments.join(", "))?;
        } else if let Some(value) = &cursor.step().returned {
            writeln!(out, "{below}returns {}", view.value(value, ""))?;
        }
        // The line of the call has already shown the arguments.
        let is_call = cursor.depth_at(cursor.position()) > depth;
        let arguments = is_call.then_some(cursor.step().call);
        write_changes(&cursor, (collections, &mut told), out, (&below, arguments))?;
    }
}

/// Writes the violation and the inputs.
fn write_head(witness: &Witness, out: &mut dyn Write) -> fmt::Result {
    match &witness.instead {
        None => writeln!(out, "violated: {}", witness.violation.description)?,
        Some(instead) => {
            writeln!(out, "not confirmed: {}", witness.violation.description)?;
            writeln!(out, "  a concrete run on this input went otherwise: {instead}")?;
        }
    }
    let at = &witness.violation.place;
    if at.line > 0 {
        writeln!(out, "  at {}:{}  {}", at.file, at.line, at.text.as_deref().unwrap_or_default())?;
    }
    writeln!(out, "in an execution of {}", witness.entry)?;
    Ok(())
}

/// Writes the changes of the cursor's step, except the variables of the call `known`. What collections consist of is told by
/// their elements.
fn write_changes(
    cursor: &Cursor<'_>,
    (collections, told): (Collections, &mut Told),
    out: &mut dyn Write,
    (indent, known): (&str, Option<u32>),
) -> fmt::Result {
    let view = View::new(cursor, collections);
    let execution = cursor.execution();
    let news = told.enter(&view, cursor.step());
    let mut told_of = false;
    for change in cursor.changes() {
        if !told_of && !matches!(change, Change::Object(..)) {
            told_of = true;
            write_news(&view, &news, out, indent)?;
        }
        match change {
            Change::Object(id, _) if view.whole(*id).is_none() && !told.is_left_out(*id) => {
                writeln!(out, "{indent}{}", line(&view, *id))?;
            }
            Change::Object(..) => {}
            Change::Local(call, variable, value) if known != Some(*call) => {
                let method = execution.calls.get(*call as usize).map_or(u32::MAX, |call| call.method);
                let variables = execution.methods.get(method as usize).map_or(&[][..], |method| &method.variables);
                if let Some(variable) = variables.get(*variable as usize) {
                    writeln!(out, "{indent}{} = {}", variable.name, view.value(value, &variable.ty))?;
                }
            }
            Change::Local(..) | Change::Gone(..) => {}
            Change::Field(id, ..) | Change::Element(id, ..) if told.is_hidden(*id) => {}
            Change::Field(id, field, _) => {
                if let Some(row) = view.fields(*id).get(*field as usize) {
                    writeln!(out, "{indent}{}.{} = {}", view.name(*id), row.name, row.text)?;
                }
            }
            Change::Element(id, index, _) => {
                if let Some(row) = view.fields(*id).iter().find(|row| row.name == *index) {
                    writeln!(out, "{indent}{}[{index}] = {}", view.name(*id), row.text)?;
                }
            }
            Change::Static(field, _) => {
                let name = execution.statics.get(*field as usize).map(super::view::short_static);
                let variables = view.statics();
                if let Some(variable) = variables.iter().find(|variable| Some(&variable.name) == name.as_ref()) {
                    writeln!(out, "{indent}{} = {}", variable.name, variable.text)?;
                }
            }
        }
    }
    if told_of { Ok(()) } else { write_news(&view, &news, out, indent) }
}

fn write_news(view: &View<'_>, news: &super::told::News, out: &mut dyn Write, indent: &str) -> fmt::Result {
    let objects = news.seen.iter().chain(&news.laid_open).chain(&news.changed);
    let mut shown = objects.filter(|&&object| view.whole(object).is_none());
    shown.try_for_each(|&object| writeln!(out, "{indent}{}", line(view, object)))
}

/// An object with its fields or elements on one line.
fn line(view: &View<'_>, id: u32) -> String {
    if let Some(contents) = view.contents(id) {
        return format!("{} = {contents}", view.name(id));
    }
    let rows: Vec<String> = view.rows(id).iter().map(|row| row.line(usize::MAX)).collect();
    if rows.is_empty() { view.name(id) } else { format!("{} {{ {} }}", view.name(id), rows.join(", ")) }
}

/// Writes the state at the cursor's step: the line, the open calls with their variables, and the heap.
///
/// # Errors
/// Errors of the writer.
pub fn render_state(cursor: &Cursor<'_>, collections: Collections, out: &mut dyn Write) -> fmt::Result {
    let execution = cursor.execution();
    let view = View::new(cursor, collections);
    let mark = |changed: bool| if changed { '*' } else { ' ' };
    let step = cursor.step();
    let text = lines(execution);
    let text = text.get(step.file as usize).and_then(|lines| lines.get((step.line as usize).checked_sub(1)?));
    writeln!(out, "step {} of {}", cursor.position() + 1, cursor.last() + 1)?;
    writeln!(out, "  {}  {}", place(execution, step), text.map_or("", |text| text.trim()))?;
    for OpenCall { call, step } in cursor.stack() {
        let at = step.and_then(|step| execution.steps.get(step));
        let at = at.map_or_else(String::new, |step| format!(" at {}", place(execution, step)));
        writeln!(out, "in {}{at}", view.method(call))?;
        for variable in view.variables(call) {
            writeln!(out, "{} {} = {}", mark(variable.changed), variable.name, variable.text)?;
        }
    }
    let statics = view.statics();
    if !statics.is_empty() {
        writeln!(out, "static fields")?;
        for variable in statics {
            writeln!(out, "{} {} = {}", mark(variable.changed), variable.name, variable.text)?;
        }
    }
    let graph = Graph::new(cursor, collections);
    if !graph.nodes.is_empty() {
        writeln!(out, "objects")?;
        for node in &graph.nodes {
            let changed = node.is_new || node.rows.iter().any(|row| row.changed);
            writeln!(out, "{} {}", mark(changed), line(&view, node.object))?;
        }
        if graph.left_out > 0 {
            writeln!(out, "  … {} more", graph.left_out)?;
        }
    }
    Ok(())
}
