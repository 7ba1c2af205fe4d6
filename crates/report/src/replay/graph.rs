//! Lays out the heap at a step as a graph.
//!
//! Objects stand in columns, each to the right of the objects that refer to it; references that close a cycle are
//! ignored (longest paths over a depth-first order, as in layered graph drawing). So a list is a row, a tree grows to
//! the right, and back references, as in doubly linked lists or to parents, do not disturb the layout. Within a
//! column, objects stand near the objects that refer to them.

use super::view::{Collections, Row, View};
use aback_witness::Cursor;
use rustc_hash::FxHashMap;

/// Greatest number of objects of a drawing.
const MOST: usize = 60;

/// The objects that are reachable from variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph {
    /// The objects. Variables refer to the first ones.
    pub nodes: Vec<Node>,
    /// The references between these objects.
    pub edges: Vec<Edge>,
    /// The number of omitted objects, if there are too many.
    pub left_out: usize,
}

/// An object.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// The object's number in the execution.
    pub object: u32,
    /// The name of the object.
    pub name: String,
    /// The fields of the object, or the elements of an array or a collection.
    pub rows: Vec<Row>,
    /// The variables and static fields that refer to the object.
    pub labels: Vec<String>,
    /// Whether the object becomes visible in this step.
    pub is_new: bool,
    /// The column, from 0.
    pub column: usize,
}

/// A reference from a row of an object to an object. Both objects are given by their indices in [`Graph::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The object that holds the reference.
    pub from: usize,
    /// The row of that object.
    pub row: usize,
    /// The object to which the reference points.
    pub to: usize,
    /// Whether the reference goes back and closes a cycle.
    pub is_back: bool,
}

/// The positions of the objects of a graph, in the units of the given sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Places {
    /// The left and upper edge of each object.
    pub nodes: Vec<(f64, f64)>,
    /// The width of the drawing.
    pub width: f64,
    /// The height of the drawing.
    pub height: f64,
}

impl Graph {
    /// The graph at the cursor's step.
    pub fn new(cursor: &Cursor<'_>, collections: Collections) -> Graph {
        let view = View::new(cursor, collections);
        let mut graph = Graph { nodes: Vec::new(), edges: Vec::new(), left_out: 0 };
        let mut places = FxHashMap::default();
        // The variables of the outermost call come first: their objects have existed longest, so drawings keep their
        // shape.
        let stack = cursor.stack();
        let calls: Vec<u32> = stack.iter().rev().map(|open| open.call).collect();
        // Of a deep recursion, take both ends.
        let ends = if calls.len() > 2 * MOST { [&calls[..MOST], &calls[calls.len() - MOST..]].concat() } else { calls };
        let statics = view.statics().into_iter();
        let current = cursor.step().call;
        let of_calls = ends.into_iter().flat_map(|call| {
            let suffix = if call == current { String::new() } else { format!(" ({})", view.method(call)) };
            view.variables(call).into_iter().map(move |mut variable| {
                variable.name.push_str(&suffix);
                variable
            })
        });
        for variable in of_calls.chain(statics) {
            if let Some(object) = variable.target
                && let Some(place) = graph.node(&view, &mut places, object)
            {
                graph.nodes[place].labels.push(variable.name);
            }
        }
        // The order is breadth-first, so that the omitted objects are the farthest ones.
        let mut next = 0;
        while next < graph.nodes.len() {
            for row in 0..graph.nodes[next].rows.len() {
                if let Some(object) = graph.nodes[next].rows[row].target
                    && let Some(to) = graph.node(&view, &mut places, object)
                {
                    graph.edges.push(Edge { from: next, row, to, is_back: false });
                }
            }
            next += 1;
        }
        graph.find_columns();
        graph
    }

    /// The index of an object, which is added if there is room.
    fn node(&mut self, view: &View<'_>, places: &mut FxHashMap<u32, Option<usize>>, object: u32) -> Option<usize> {
        if let Some(&place) = places.get(&object) {
            return place;
        }
        let place = (self.nodes.len() < MOST).then_some(self.nodes.len());
        places.insert(object, place);
        if place.is_none() {
            self.left_out += 1;
            return None;
        }
        self.nodes.push(Node {
            object,
            name: view.name(object),
            rows: view.rows(object),
            labels: Vec::new(),
            is_new: view.is_new(object),
            column: 0,
        });
        place
    }

    fn find_columns(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            out[edge.from].push(number);
        }
        let mut marks = vec![Mark::New; self.nodes.len()];
        let mut order = Vec::new();
        for root in 0..self.nodes.len() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::Open;
            let mut path = vec![(root, 0)];
            while let Some((node, next)) = path.pop() {
                let Some(&edge) = out[node].get(next) else {
                    marks[node] = Mark::Done;
                    order.push(node);
                    continue;
                };
                path.push((node, next + 1));
                let to = self.edges[edge].to;
                match marks[to] {
                    Mark::New => {
                        marks[to] = Mark::Open;
                        path.push((to, 0));
                    }
                    Mark::Open => self.edges[edge].is_back = true,
                    Mark::Done => {}
                }
            }
        }
        for &node in order.iter().rev() {
            for &edge in &out[node] {
                let Edge { to, is_back, .. } = self.edges[edge];
                if !is_back {
                    self.nodes[to].column = self.nodes[to].column.max(self.nodes[node].column + 1);
                }
            }
        }
    }

    /// The positions of the objects, given the size of each object, and the gaps between columns and within columns.
    pub fn places(&self, size: impl Fn(&Node) -> (f64, f64), gap: (f64, f64)) -> Places {
        let columns = self.nodes.iter().map(|node| node.column + 1).max().unwrap_or(0);
        let mut places = Places { nodes: vec![(0.0, 0.0); self.nodes.len()], width: 0.0, height: 0.0 };
        let mut x = 0.0;
        for column in 0..columns {
            let mut members: Vec<usize> =
                (0..self.nodes.len()).filter(|&node| self.nodes[node].column == column).collect();
            // The average position of the objects that refer to this one from the left.
            let wish = |node: usize| {
                let from: Vec<f64> = self
                    .edges
                    .iter()
                    .filter(|edge| edge.to == node && !edge.is_back)
                    .map(|edge| places.nodes[edge.from].1)
                    .collect();
                if from.is_empty() { None } else { Some(from.iter().sum::<f64>() / from.len() as f64) }
            };
            let wishes: FxHashMap<usize, f64> = members.iter().filter_map(|&node| Some((node, wish(node)?))).collect();
            let key = |node: &usize| wishes.get(node).copied().unwrap_or(0.0);
            members.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
            let mut y: f64 = 0.0;
            let mut widest: f64 = 0.0;
            for node in members {
                let (width, height) = size(&self.nodes[node]);
                let top = y.max(key(&node));
                places.nodes[node] = (x, top);
                y = top + height + gap.1;
                widest = widest.max(width);
                places.height = places.height.max(top + height);
            }
            x += widest;
            places.width = x;
            x += gap.0;
        }
        places
    }
}
