//! Draws the heap at a step, as a standalone SVG and as DOT for Graphviz.

use super::graph::{Edge, Graph, Node, Places};
use super::view::Collections;
use aback_witness::Cursor;
use std::fmt::Write;

/// Width of a character in the drawing's font, in pixels.
pub(crate) const CHAR: f64 = 7.3;
/// Height of a line of text, in pixels.
pub(crate) const LINE: f64 = 18.0;
/// Height reserved for the names of variables above an object, in pixels.
pub(crate) const LABELS: f64 = 18.0;
/// Greatest number of characters of a row that are shown.
const CHARS: usize = 46;
/// Gaps between columns and between objects of a column, in pixels.
pub(crate) const GAP: (f64, f64) = (56.0, 24.0);
const MARGIN: f64 = 14.0;

/// Width and height of an object with the names above it, in pixels.
pub(crate) fn size(node: &Node) -> (f64, f64) {
    let rows = node.rows.iter().map(|row| row.line(CHARS).chars().count() + 2);
    let longest = rows.chain([node.name.chars().count() + 2]).max().unwrap_or(0);
    let labels = node.labels.join(", ").chars().count();
    let width = (longest.max(8) as f64 * CHAR).max(labels as f64 * CHAR);
    (width, LABELS + LINE * (1 + node.rows.len()) as f64 + 6.0)
}

/// The heap at the cursor's step as an SVG document. Changes since the previous step are marked.
pub fn render_svg(cursor: &Cursor<'_>, collections: Collections) -> String {
    let head = format!(
        "\n<style>{STYLE}</style>\n<defs>{ARROW}</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#f6f8fa\"/>"
    );
    drawn(&Graph::new(cursor, collections), &head)
}

/// The same drawing inside of a page that has [`STYLE`] and [`ARROW`]; `None` if no variable refers to an object.
pub(crate) fn svg_within(cursor: &Cursor<'_>) -> Option<String> {
    let graph = Graph::new(cursor, Collections::Elements);
    (!graph.nodes.is_empty()).then(|| drawn(&graph, ""))
}

/// The style of drawings.
pub(crate) const STYLE: &str = "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}.box{fill:#fff;stroke:#8c959f}\
.new{stroke:#1a7f37;stroke-width:2}.head{font-weight:bold}.label{fill:#0550ae}.changed{fill:#fff1b8}\
.edge{fill:none;stroke:#57606a}.back{stroke-dasharray:5 3}";
/// The definition of the heads of arrows.
pub(crate) const ARROW: &str = "<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker>";

/// A drawing, where `head` comes first inside of the element.
fn drawn(graph: &Graph, head: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_svg(graph, head, &mut out);
    out
}

fn write_svg(graph: &Graph, head: &str, out: &mut String) -> std::fmt::Result {
    let places = graph.places(size, GAP);
    let (width, height) = (places.width.max(160.0) + 2.0 * MARGIN, places.height + 2.0 * MARGIN + 2.0 * LINE);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">{head}\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">"
    )?;
    // Back references lie below the objects, so that they hide no text.
    for edge in graph.edges.iter().filter(|edge| edge.is_back) {
        write_edge(out, graph, &places, *edge)?;
    }
    for (node, &place) in graph.nodes.iter().zip(&places.nodes) {
        write_node(out, node, place)?;
    }
    for edge in graph.edges.iter().filter(|edge| !edge.is_back) {
        write_edge(out, graph, &places, *edge)?;
    }
    if graph.nodes.is_empty() {
        writeln!(out, "<text x=\"0\" y=\"14\">no variable refers to an object</text>")?;
    }
    if graph.left_out > 0 {
        writeln!(out, "<text x=\"0\" y=\"{:.0}\">… {} more objects</text>", places.height + LINE, graph.left_out)?;
    }
    writeln!(out, "</g>\n</svg>")
}

fn write_node(out: &mut String, node: &Node, (x, y): (f64, f64)) -> std::fmt::Result {
    let (width, height) = size(node);
    let top = y + LABELS;
    let (text, label_y, head_y) = (x + 6.0, top - 5.0, top + 14.0);
    writeln!(out, "<text class=\"label\" x=\"{x:.0}\" y=\"{label_y:.0}\">{}</text>", escape(&node.labels.join(", ")))?;
    let class = if node.is_new { "box new" } else { "box" };
    let height = height - LABELS;
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"5\"/>\n\
         <text class=\"head\" x=\"{text:.0}\" y=\"{head_y:.0}\">{}</text>",
        escape(&node.name)
    )?;
    for (number, row) in node.rows.iter().enumerate() {
        let line = top + LINE * (number + 1) as f64;
        if row.changed {
            let (x, y, width) = (x + 1.0, line + 1.0, width - 2.0);
            writeln!(
                out,
                "<rect class=\"changed\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{LINE}\"/>"
            )?;
        }
        writeln!(out, "<text x=\"{text:.0}\" y=\"{:.0}\">{}</text>", line + 14.0, escape(&row.line(CHARS)))?;
    }
    Ok(())
}

fn write_edge(out: &mut String, graph: &Graph, places: &Places, edge: Edge) -> std::fmt::Result {
    let ((from_x, from_y), (to_x, to_y)) = (places.nodes[edge.from], places.nodes[edge.to]);
    let (from_width, from_height) = size(&graph.nodes[edge.from]);
    let (to_width, to_height) = size(&graph.nodes[edge.to]);
    let (x, y) = (from_x + from_width - 4.0, from_y + LABELS + LINE * (edge.row + 1) as f64 + 10.0);
    let (class, curve) = if edge.is_back {
        // The curve runs below the objects to the bottom of the target.
        let (middle, bottom) = (to_x + to_width / 2.0, to_y + to_height);
        let below = bottom.max(from_y + from_height) + 24.0;
        ("edge back", format!("{:.0} {below:.0} {middle:.0} {below:.0} {middle:.0} {bottom:.0}", x + 46.0))
    } else {
        let (bend, end) = (((to_x - x) / 2.0).max(20.0), to_y + LABELS + 10.0);
        ("edge", format!("{:.0} {y:.0} {:.0} {end:.0} {to_x:.0} {end:.0}", x + bend, to_x - bend))
    };
    writeln!(out, "<path class=\"{class}\" d=\"M{x:.0} {y:.0}C{curve}\" marker-end=\"url(#arrow)\"/>")
}

/// The heap at the cursor's step, in DOT.
pub fn render_dot(cursor: &Cursor<'_>, collections: Collections) -> String {
    let mut out = String::new();
    let _ = write_dot(&Graph::new(cursor, collections), &mut out);
    out
}

fn write_dot(graph: &Graph, out: &mut String) -> std::fmt::Result {
    writeln!(out, "digraph heap {{\n  rankdir=LR;\n  node [shape=plain, fontname=monospace];")?;
    for (number, node) in graph.nodes.iter().enumerate() {
        let color = if node.is_new { "#1a7f37" } else { "#8c959f" };
        write!(
            out,
            "  o{number} [label=<<table border=\"1\" color=\"{color}\" cellborder=\"0\" cellspacing=\"0\"><tr><td port=\"head\"><b>{}</b></td></tr>",
            escape(&node.name)
        )?;
        for (place, row) in node.rows.iter().enumerate() {
            let background = if row.changed { " bgcolor=\"#fff1b8\"" } else { "" };
            let text = escape(&row.line(CHARS));
            write!(out, "<tr><td port=\"r{place}\" align=\"left\"{background}>{text}</td></tr>")?;
        }
        writeln!(out, "</table>>];")?;
        for (place, label) in node.labels.iter().enumerate() {
            let label = label.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(out, "  v{number}_{place} [shape=plaintext, fontcolor=\"#0550ae\", label=\"{label}\"];")?;
            writeln!(out, "  v{number}_{place} -> o{number}:head [color=\"#0550ae\"];")?;
        }
    }
    for edge in &graph.edges {
        let style = if edge.is_back { " [constraint=false, style=dashed]" } else { "" };
        writeln!(out, "  o{}:r{} -> o{}:head{style};", edge.from, edge.row, edge.to)?;
    }
    if graph.left_out > 0 {
        writeln!(out, "  more [shape=plaintext, label=\"… {} more objects\"];", graph.left_out)?;
    }
    writeln!(out, "}}")
}

/// Escapes text for SVG, HTML or a DOT label. Control characters, which XML does not allow, are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            char if char.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&char) => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}
