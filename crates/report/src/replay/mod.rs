//! Presents a counterexample from its file, as text, as an HTML page, as drawings of the heap, and on a terminal.
//!
//! All presentations read only a [`Witness`](aback_witness::Witness); [`View`] provides their common vocabulary.

mod graph;
mod html;
mod picture;
mod screen;
mod text;
mod told;
mod view;

pub use graph::{Edge, Graph, Node, Places};
pub use html::render_html;
pub(crate) use picture::{ARROW, STYLE, escape, svg_within};
pub use picture::{render_dot, render_svg};
pub use screen::{Command, Screen, draw_screen};
pub use text::{render_state, render_steps};
pub use view::{Collections, Row, Variable, View};
