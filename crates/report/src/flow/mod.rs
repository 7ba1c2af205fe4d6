//! Writes the control-flow graphs of methods as one HTML page, and gives the page of a replay what draws them.

use crate::replay::escape;
use aback_core::FlowGraph;
use aback_ir::{FileId, Program};
use aback_witness::BlockShape;
use serde::Serialize;

/// The page without its data.
const TEMPLATE: &str = include_str!("page.html");

/// The data for the script.
#[derive(Serialize)]
struct Page<'a> {
    files: Vec<File<'a>>,
    methods: Vec<Method<'a>>,
    /// The line whose node is marked at first.
    line: Option<u32>,
}

#[derive(Serialize)]
struct File<'a> {
    path: String,
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct Method<'a> {
    name: &'a str,
    /// The place of its file in [`Page::files`].
    file: Option<usize>,
    blocks: &'a [BlockShape],
}

/// A page for browsers with the control-flow graphs of methods, source-near and as engines see them, beside the source. It shows the first one, with
/// the node at `line` marked.
pub fn render_graphs(program: &Program, graphs: &[FlowGraph], line: Option<u32>) -> String {
    let mut files: Vec<FileId> = graphs.iter().map(|graph| graph.file).collect();
    files.sort_unstable();
    files.dedup();
    files.retain(|&file| program.file(file).is_some());
    let methods = graphs.iter().map(|graph| Method {
        name: &graph.method,
        file: files.iter().position(|&file| file == graph.file),
        blocks: &graph.blocks,
    });
    let methods = methods.collect();
    let file = |&file: &FileId| {
        program.file(file).map(|file| File { path: file.path.display().to_string(), text: file.text.as_deref() })
    };
    let page = Page { files: files.iter().filter_map(file).collect(), methods, line };
    let title = escape(graphs.first().map_or("", |graph| &graph.method));
    with_graphs(TEMPLATE).replacen("DATA", &embedded(&page), 1).replacen("TITLE", &title, 1)
}

/// A page with the script and the style of graphs.
pub(crate) fn with_graphs(template: &str) -> String {
    let style = include_str!("graph.css");
    template.replacen("GRAPH_STYLE\n", style, 1).replacen("GRAPH_SCRIPT\n", include_str!("graph.js"), 1)
}

/// Data for the script of a page, as JSON in a script element, which `</script>` would end. `<!--` would change how it is parsed. The keys of maps have to be
/// strings, so that writing cannot fail.
pub fn embedded(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c")
}
