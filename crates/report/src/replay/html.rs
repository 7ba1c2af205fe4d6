//! Writes a counterexample as one HTML page: source, timeline, call stack, variables, and a drawing of the heap.
//!
//! The page is self-contained and needs no network. It holds the steps of the witness and, for each step, the
//! positions of the drawn objects; its script computes the rest. A page of a long run holds only the last steps.

use super::graph::Graph;
use super::picture::{GAP, size};
use super::view::{Collections, Row, View, short, short_static};
use crate::flow::{embedded, with_graphs};
use aback_witness::{BlockShape, Change, Cursor, Step, Witness};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// Greatest number of steps of a page.
const MOST_STEPS: usize = 2_000;
/// The page without its data.
const TEMPLATE: &str = include_str!("page.html");

/// The data for the script.
#[derive(Serialize)]
struct Page<'a> {
    title: String,
    claim: &'a str,
    confirmed: bool,
    instead: Option<&'a str>,
    entry: &'a str,
    violation: Option<usize>,
    omitted: u64,
    /// Whether collections are shown by their fields at first.
    fields: bool,
    files: Vec<File<'a>>,
    classes: Vec<Class<'a>>,
    methods: Vec<Method<'a>>,
    statics: Vec<(String, &'a str)>,
    /// Method and parent of each call that is open at some step, and the file and line of the call.
    calls: BTreeMap<u32, OpenCallOf>,
    steps: Vec<Line<'a>>,
    /// For each step, the drawn objects that are new or have moved since the previous step, and the numbers of those
    /// that are no longer drawn.
    drawings: Vec<Drawing>,
    /// The same where collections are drawn by their fields; empty if that makes no difference.
    raw: Vec<Drawing>,
    /// For each step, the drawn collections whose elements are not the same as before, or are marked as changed; without
    /// elements if they are drawn by their fields now. Empty if there are no collections.
    listed: Vec<Vec<Listed>>,
}

/// Name, text, the object to which the row refers, and whether it has changed.
type ElementRow = (String, String, Option<u32>, bool);
/// A collection and its elements.
type Listed = (u32, Option<Vec<ElementRow>>);

type OpenCallOf = (u32, Option<u32>, Option<(u32, u32)>);

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct Class<'a> {
    #[serde(flatten)]
    shape: Shape<'a>,
    /// The field that holds the name of an enum's constant.
    constant: Option<usize>,
    /// Whether an object is shown as the value of its only field.
    #[serde(rename = "box")]
    is_box: bool,
}

/// A method with its control-flow graph.
#[derive(Serialize)]
struct Method<'a> {
    #[serde(flatten)]
    shape: Shape<'a>,
    #[serde(skip_serializing_if = "<[BlockShape]>::is_empty")]
    blocks: &'a [BlockShape],
}

/// A class or method, with the names and types of its fields or variables.
#[derive(Serialize)]
struct Shape<'a> {
    name: String,
    parts: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize)]
struct Line<'a> {
    call: u32,
    file: u32,
    line: u32,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    blocks: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<String>,
    #[serde(skip_serializing_if = "<[Change]>::is_empty")]
    changes: &'a [Change],
}

#[derive(Serialize, Default)]
struct Drawing {
    /// Object, left edge, upper edge and width.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at: Vec<(u32, i64, i64, i64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<u32>,
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The page of a witness, as an HTML document. It shows collections in this way at first.
pub fn render_html(witness: &Witness, collections: Collections) -> String {
    let execution = &witness.execution;
    let count = execution.steps.len();
    let first = count.saturating_sub(MOST_STEPS);
    let mut first_changes = Vec::new();
    let (mut drawings, mut raw, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    let mut returned = Vec::new();
    let mut calls: BTreeMap<u32, OpenCallOf> = BTreeMap::new();
    if let Some(mut cursor) = Cursor::new(execution) {
        cursor.go_to(first);
        first_changes = visible(&cursor, &execution.steps[first..]);
        let mut drawn: FxHashMap<u32, (i64, i64, i64)> = FxHashMap::default();
        let mut drawn_raw = drawn.clone();
        let mut known = FxHashMap::default();
        for position in first..count {
            cursor.go_to(position);
            let view = View::new(&cursor, Collections::Elements);
            let graph = Graph::new(&cursor, Collections::Elements);
            listed.push(elements(&view, &graph, &mut known));
            drawings.push(drawing(&graph, &mut drawn));
            raw.push(drawing(&Graph::new(&cursor, Collections::Fields), &mut drawn_raw));
            returned.push(cursor.step().returned.as_ref().map(|value| view.value(value, "")));
            let stack = cursor.stack();
            for (depth, open) in stack.iter().enumerate() {
                if calls.contains_key(&open.call) {
                    break;
                }
                let Some(call) = execution.calls.get(open.call as usize) else { break };
                let around = stack.get(depth + 1).and_then(|around| execution.steps.get(around.step?));
                calls.insert(open.call, (call.method, call.parent, around.map(|step| (step.file, step.line))));
            }
        }
    }
    if listed.iter().all(Vec::is_empty) {
        (raw, listed) = (Vec::new(), Vec::new());
    }
    let steps = execution.steps[first..].iter().zip(returned).enumerate();
    let steps = steps.map(|(number, (step, returned))| Line {
        call: step.call,
        file: step.file,
        line: step.line,
        blocks: &step.blocks,
        returned,
        changes: if number == 0 { &first_changes } else { &step.changes },
    });
    let page = Page {
        title: short(witness.entry.split('(').next().unwrap_or_default()),
        claim: &witness.violation.description,
        confirmed: witness.confirmed,
        instead: witness.instead.as_deref(),
        entry: &witness.entry,
        violation: witness.violation.step.and_then(|step| (step as usize).checked_sub(first)),
        omitted: execution.omitted + first as u64,
        fields: collections == Collections::Fields,
        files: execution.files.iter().map(|file| File { path: &file.path, text: file.text.as_deref() }).collect(),
        classes: execution
            .classes
            .iter()
            .map(|class| Class {
                shape: Shape {
                    name: class.name.clone(),
                    parts: class.fields.iter().map(|field| (field.name.as_str(), field.ty.as_str())).collect(),
                },
                constant: class.constant,
                is_box: class.is_box,
            })
            .collect(),
        methods: execution
            .methods
            .iter()
            .map(|method| Method {
                shape: Shape {
                    name: short(&method.name),
                    parts: method.variables.iter().map(|part| (part.name.as_str(), part.ty.as_str())).collect(),
                },
                blocks: &method.blocks,
            })
            .collect(),
        statics: execution.statics.iter().map(|field| (short_static(field), field.ty.as_str())).collect(),
        calls,
        steps: steps.collect(),
        drawings,
        raw,
        listed,
    };
    let data = embedded(&page);
    let title = super::picture::escape(&page.title);
    // The data comes after the title in the template, so that the word `TITLE` in the data is not replaced.
    with_graphs(TEMPLATE).replacen("DATA", &data, 1).replacen("TITLE", &title, 1)
}

/// The state at a cursor as a list of changes, without objects that are neither reachable from variables nor used by
/// later steps.
fn visible(cursor: &Cursor<'_>, later: &[Step]) -> Vec<Change> {
    let open: FxHashSet<u32> = cursor.stack().iter().map(|open| open.call).collect();
    let mut changes = cursor.state().clone().into_changes();
    changes.retain(|change| !matches!(change, Change::Local(call, ..) | Change::Gone(call, _) if !open.contains(call)));
    let values = changes.iter().filter(|change| !matches!(change, Change::Object(..)));
    let mut pending: Vec<u32> =
        values.chain(later.iter().flat_map(|step| &step.changes)).flat_map(Change::objects).collect();
    let mut seen = FxHashSet::default();
    while let Some(object) = pending.pop() {
        if seen.insert(object) {
            pending.extend(cursor.state().object(object).into_iter().flat_map(|object| object.references()));
        }
    }
    changes.retain(|change| !matches!(change, Change::Object(object, _) if !seen.contains(object)));
    changes
}

/// The difference between the drawings of this and the previous step.
fn drawing(graph: &Graph, drawn: &mut FxHashMap<u32, (i64, i64, i64)>) -> Drawing {
    let places = graph.places(size, GAP);
    let mut now = FxHashMap::default();
    let mut drawing = Drawing { more: graph.left_out, ..Drawing::default() };
    for (node, &(x, y)) in graph.nodes.iter().zip(&places.nodes) {
        let place = (x.round() as i64, y.round() as i64, size(node).0.round() as i64);
        if drawn.get(&node.object) != Some(&place) {
            drawing.at.push((node.object, place.0, place.1, place.2));
        }
        now.insert(node.object, place);
    }
    drawing.gone = drawn.keys().filter(|object| !now.contains_key(object)).copied().collect();
    drawing.gone.sort_unstable();
    *drawn = now;
    drawing
}

/// The drawn collections whose rows differ from those that are known.
fn elements(view: &View<'_>, graph: &Graph, known: &mut FxHashMap<u32, Vec<ElementRow>>) -> Vec<Listed> {
    let mut found = Vec::new();
    for node in graph.nodes.iter().filter(|node| view.is_collection(node.object)) {
        if view.elements(node.object).is_none() {
            found.extend(known.remove(&node.object).map(|_| (node.object, None)));
            continue;
        }
        let row = |row: &Row| (row.name.clone(), row.text.clone(), row.target, row.changed);
        let rows: Vec<ElementRow> = node.rows.iter().map(row).collect();
        if known.get(&node.object) != Some(&rows) {
            known.insert(node.object, rows.clone());
            found.push((node.object, Some(rows)));
        }
    }
    found
}
