//! Writes behaviours as one HTML page, with drawings of the objects.

use super::{headline, write_summary};
use crate::replay::{ARROW, STYLE, escape, svg_within};
use aback_core::{Behaviour, End, Explored};
use aback_witness::{Cursor, Execution};
use std::fmt::Write;

/// The page without its content.
const TEMPLATE: &str = include_str!("page.html");

/// The behaviours as an HTML document that needs no network and no other file. Each has its inputs, its end and its
/// condition, a drawing of the objects that its inputs lead to, and another one if the run has changed them.
pub fn render_explored_html(explored: &Explored) -> String {
    let mut content = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut content, explored);
    let title = escape(&explored.program.distinct_name(explored.entry));
    let head = [("STYLE", STYLE), ("ARROW", ARROW), ("TITLE", title.as_str())];
    let page = head.iter().fold(TEMPLATE.to_string(), |page, (name, text)| page.replacen(name, text, 1));
    // The content comes last, so that words in it are not replaced.
    page.replacen("CONTENT", &content, 1)
}

fn write_page(out: &mut String, explored: &Explored) -> std::fmt::Result {
    let mut summary = String::new();
    write_summary(&mut summary, explored)?;
    writeln!(out, "<pre>{}</pre>", escape_lines(&summary))?;
    for assumption in &explored.assumptions {
        writeln!(out, "<p>assumed: {}</p>", escape(assumption))?;
    }
    for (number, behaviour) in (1..).zip(&explored.behaviours) {
        write_behaviour(out, explored, number, behaviour)?;
    }
    Ok(())
}

fn write_behaviour(out: &mut String, explored: &Explored, number: usize, found: &Behaviour) -> std::fmt::Result {
    let class = if matches!(found.end, End::Returned(_)) { "returns" } else { "fails" };
    let title = escape(&headline(&explored.program, found));
    writeln!(
        out,
        "<section id=\"b{number}\" class=\"{class}\">\n<h2><a href=\"#b{number}\">{number}</a> {title}</h2>"
    )?;
    write_values(out, "inputs", &found.inputs)?;
    write_values(out, "afterwards", &found.after)?;
    if !found.condition.is_empty() {
        let conditions: Vec<String> = found.condition.iter().map(|condition| escape(condition)).collect();
        writeln!(out, "<h3>condition</h3>\n<pre>{}</pre>", conditions.join("\n"))?;
    }
    write_drawings(out, &explored.record(found))?;
    writeln!(out, "</section>")
}

fn write_values(out: &mut String, title: &str, values: &[(String, String)]) -> std::fmt::Result {
    if values.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h3>{title}</h3>\n<table>")?;
    for (name, value) in values {
        writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", escape(name), escape(value))?;
    }
    writeln!(out, "</table>")
}

fn write_drawings(out: &mut String, execution: &Execution) -> std::fmt::Result {
    let Some(mut cursor) = Cursor::new(execution) else { return Ok(()) };
    let before = svg_within(&cursor);
    cursor.step_into();
    let after = svg_within(&cursor).filter(|_| !cursor.changes().is_empty());
    for (title, drawing) in [("objects of the inputs", before), ("objects afterwards", after)] {
        if let Some(drawing) = drawing {
            writeln!(out, "<figure><figcaption>{title}</figcaption>\n{drawing}</figure>")?;
        }
    }
    Ok(())
}

/// Escapes text, except for the ends of its lines.
fn escape_lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
