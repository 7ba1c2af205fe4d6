//! The unwound program: an acyclic control-flow graph with the operations of paper 1.
//!
//! Calls are inlined and loops unwound, so that the graph may contain an operation of the program many times, once
//! for each activation and iteration. A node has one operation, which is executed before the conditions of its edges
//! are evaluated. Edges lead from lower to higher numbers.

use crate::points::Points;
use aback_heap::Group;
use aback_ir::{FieldId, Program, Span, Type};
use aback_logic::{Pool, Sort, Term};
use aback_symbolic::Fault;
use aback_witness::Place;
use smallvec::SmallVec;

/// A node of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node at which execution starts.
    pub const ENTRY: NodeId = NodeId(0);

    /// Index of the node in [`Graph::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A family of memory cells, with one or many cells for each object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A field of each object.
    Field(FieldId),
    /// The elements of each array of a group whose elements have this sort.
    Elements(Group, Sort),
    /// The length of each array of a group; never written.
    Length(Group),
    /// The number of the exact type of each object of a group; never written.
    Tag(Group),
    /// The place at which each exception was thrown first, as a number; 0 until it is thrown. No operation of the
    /// program reads it. The term is the array for objects of the input heap, none of which has been thrown.
    Origin(Term),
}

/// Most operations between the read and the write of an update.
const UPDATE: usize = 16;

/// An operation. Its terms are over the program variables, with their values before the operation.
#[derive(Clone, Debug)]
pub enum Step {
    /// No operation: execution starts, branches or joins here.
    Nothing,
    /// `target := value` (paper 1: scalar and reference assignment, comparison of references).
    Assign {
        /// A variable.
        target: Term,
        /// The value.
        value: Term,
    },
    /// Local variables of an activation get their initial values.
    Defaults(Vec<(Term, Term)>),
    /// `target := new`; the object is number `object` of [`Graph::objects`].
    New {
        /// A variable.
        target: Term,
        /// Number of the object.
        object: u32,
    },
    /// `target := object.cell`; the object is not null.
    Read {
        /// A variable.
        target: Term,
        /// The family of cells.
        cell: Cell,
        /// The object.
        object: Term,
        /// The static type of the object.
        of: Type,
        /// The index of an element.
        index: Option<Term>,
        /// The objects that the reference may point to.
        points: Points,
    },
    /// `object.cell := value`; the object is not null.
    Write {
        /// The family of cells.
        cell: Cell,
        /// The object.
        object: Term,
        /// The index of an element.
        index: Option<Term>,
        /// The new value.
        value: Term,
        /// A variable that holds the previous contents of the cell, if the new value is computed from it
        /// ([`Graph::note_updates`]).
        old: Option<Term>,
        /// The objects that the reference may point to.
        points: Points,
    },
    /// `target := any value`: number `input` of [`Graph::inputs`].
    Input {
        /// A variable.
        target: Term,
        /// Number of the input.
        input: u32,
    },
    /// Execution ends in a leaf.
    Leaf(Leaf),
}

impl Step {
    /// Whether it sets a variable.
    pub fn sets(&self, variable: Term) -> bool {
        match self {
            Step::Assign { target, .. }
            | Step::New { target, .. }
            | Step::Read { target, .. }
            | Step::Input { target, .. } => *target == variable,
            Step::Defaults(values) => values.iter().any(|&(target, _)| target == variable),
            Step::Nothing | Step::Write { .. } | Step::Leaf(_) => false,
        }
    }
}

/// An end of executions that questions may be about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    /// The target with this number in [`Graph::targets`] is reached.
    Target(u32),
    /// A loop or a recursion continues beyond the unwinding bound.
    Cut,
    /// The gap with this number in [`Graph::gaps`]: the continuation is unknown.
    Gap(u32),
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its operation.
    pub step: Step,
    /// The place of the operation in the program.
    pub place: Place,
    /// The edges with their conditions on the variables' values after the operation. At most one condition holds. If
    /// none holds, execution ends without reaching a leaf.
    pub edges: SmallVec<[(Term, NodeId); 1]>,
    /// Number of edges that lead here.
    pub arrivals: u32,
    /// Whether it is the first node of an iteration of a loop.
    pub starts_iteration: bool,
}

/// An allocation in the unwound program. Execution passes a node at most once, so that it creates at most one object.
#[derive(Clone, Debug)]
pub struct Object {
    /// The exact type of the object.
    pub ty: Type,
    /// The number of elements of an array, as a term over the variables' values at the allocation.
    pub length: Option<Term>,
    /// For an array whose elements are inputs: its number in [`Graph::inputs`].
    pub input: Option<u32>,
}

/// The result of a nondeterministic operation.
#[derive(Clone, Debug)]
pub enum Given {
    /// A value, with the variable that has it in models.
    Value(Term, Type),
    /// The elements of an array, as an array term by index.
    Elements {
        /// The elements.
        array: Term,
        /// Their type.
        element: Type,
        /// The array's object.
        object: u32,
    },
}

/// An unwound program.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes; [`NodeId::ENTRY`] is the first.
    pub nodes: Vec<Node>,
    /// The allocated objects. Terms denote object `n` by `n + 1`.
    pub objects: Vec<Object>,
    /// The results of nondeterministic operations.
    pub inputs: Vec<Given>,
    /// The targets of the query, without duplicates.
    pub targets: Vec<(Fault, Place)>,
    /// The parts that were not unwound, without duplicates.
    pub gaps: Vec<aback_symbolic::Gap>,
    /// The parameters of the entry point. Their terms are the inputs.
    pub parameters: Vec<(Term, Type)>,
    /// Conditions on the inputs beyond their types.
    pub assumptions: Vec<Term>,
    /// Variables of static fields, with their initial values.
    pub statics: Vec<(Term, Term)>,
    /// Whether an execution may reach [`Leaf::Cut`].
    pub is_cut: bool,
    /// A Boolean variable that exists if arrays may have more elements than are examined one by one. If it is true, a
    /// quantified formula describes the remaining elements. If it is false, executions with more elements are cut
    /// off. Solvers find counterexamples more easily without such formulas, but proofs need them.
    pub quantified: Option<Term>,
    /// The reason why unwinding was stopped.
    pub stopped: Option<aback_symbolic::Gap>,
}

impl Graph {
    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The term that denotes an allocated object.
    pub fn object_term(pool: &mut Pool, object: u32) -> Term {
        pool.int(i64::from(object) + 1)
    }

    /// Adds a node as the target of these edges.
    pub fn add(&mut self, from: &[(NodeId, Term)], step: Step, place: Place) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        for &(source, condition) in from {
            self.nodes[source.index()].edges.push((condition, id));
        }
        let arrivals = from.len() as u32;
        self.nodes.push(Node { step, place, edges: SmallVec::new(), arrivals, starts_iteration: false });
        id
    }

    /// Removes edges to nodes that do not lead to a leaf, so that a leaf can be reached from every other node along
    /// the edges.
    pub fn prune(&mut self) {
        let mut leads = vec![false; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            node.edges.retain(|&mut (_, to)| leads[to.index()]);
            leads[index] = matches!(node.step, Step::Leaf(_)) || !node.edges.is_empty();
        }
        let mut arrivals = vec![0; self.nodes.len()];
        for (node, _) in self.nodes.iter().zip(&leads).filter(|&(_, &leads)| leads) {
            for &(_, to) in &node.edges {
                arrivals[to.index()] += 1;
            }
        }
        for (node, arrivals) in self.nodes.iter_mut().zip(arrivals) {
            node.arrivals = arrivals;
        }
    }
}

impl Graph {
    /// Notes which writes are updates, as in `o.f := o.f + 1`: the cell was read into a variable that occurs in the
    /// new value, on the only path to the write, and neither the variable nor the cell was changed in between.
    pub fn note_updates(&mut self, pool: &Pool) {
        let mut before: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            for &(_, to) in &node.edges {
                if self.node(to).arrivals == 1 {
                    before[to.index()] = Some(index);
                }
            }
        }
        for index in 0..self.nodes.len() {
            let old = self.old_value(index, &before, pool);
            if let Step::Write { old: noted, .. } = &mut self.nodes[index].step {
                *noted = old;
            }
        }
    }

    /// The variable that holds the previous contents of the cell that a node writes. `before` has for each node its
    /// only predecessor.
    fn old_value(&self, write: usize, before: &[Option<usize>], pool: &Pool) -> Option<Term> {
        let Step::Write { cell, object, index, value, .. } = &self.nodes[write].step else { return None };
        let in_value = variables(pool, &[*value]);
        if in_value.is_empty() {
            return None;
        }
        let in_place = variables(pool, &index.map_or(vec![*object], |index| vec![*object, index]));
        let mut changed: Vec<Term> = Vec::new();
        let ways = std::iter::successors(before[write], |&node| before[node]);
        for step in ways.take(UPDATE).map(|node| &self.nodes[node].step) {
            match step {
                Step::Read { target, cell: other, object: of, index: at, .. }
                    if (other, of, at) == (cell, object, index)
                        && in_value.contains(target)
                        && !changed.contains(target)
                        && !in_place.contains(target) =>
                {
                    return Some(*target);
                }
                Step::Write { cell: other, .. } if other == cell => return None,
                Step::Assign { target, .. }
                | Step::Read { target, .. }
                | Step::New { target, .. }
                | Step::Input { target, .. } => changed.push(*target),
                Step::Defaults(values) => changed.extend(values.iter().map(|&(target, _)| target)),
                Step::Nothing | Step::Write { .. } | Step::Leaf(_) => {}
            }
            if changed.iter().any(|variable| in_place.contains(variable)) {
                return None;
            }
        }
        None
    }
}

fn variables(pool: &Pool, terms: &[Term]) -> Vec<Term> {
    pool.free_variables(terms).into_iter().map(|id| pool.variable_term(id)).collect()
}

impl Cell {
    /// The sort of the values that the cells hold.
    pub fn sort(self, program: &Program) -> Sort {
        match self {
            Cell::Field(field) => aback_heap::sort_of(program.field(field).ty),
            Cell::Elements(_, sort) => sort,
            Cell::Length(_) => aback_heap::sort_of(program.index_type()),
            Cell::Tag(_) | Cell::Origin(_) => Sort::Int,
        }
    }

    /// The name of the family, for display.
    pub fn name(self, program: &Program) -> String {
        match self {
            Cell::Field(field) => program.field(field).name.clone(),
            Cell::Elements(..) => "elements".into(),
            Cell::Length(_) => "length".into(),
            Cell::Tag(_) => "type".into(),
            Cell::Origin(_) => "origin".into(),
        }
    }
}

/// The place without a position in a source.
pub(crate) fn nowhere(place: Place) -> Place {
    Place { span: Span::NONE, ..place }
}
