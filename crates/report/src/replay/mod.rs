//! A counterexample from its file, in each form in which a person can follow it: text, a page for browsers, drawings of
//! the heap, and a screen for terminals.
//!
//! All of them read a [`Witness`](aback_witness::Witness) and nothing else; [`View`] has the words that they share.

mod graph;
mod html;
mod picture;
mod screen;
mod text;
mod view;

pub use graph::{Edge, Graph, Node, Places};
pub use html::render_html;
pub use picture::{render_dot, render_svg};
pub use screen::{Command, Screen, draw_screen};
pub use text::{render_state, render_steps};
pub use view::{Row, Variable, View};
