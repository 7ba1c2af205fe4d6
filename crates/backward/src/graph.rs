//! The unwound program: an acyclic control-flow graph of the operations that paper 1 has.
//!
//! Calls are inlined and loops unwound, so that an operation of the program can stand in it many times, once for each
//! activation and iteration. A node has one operation, done before the conditions of its edges are looked at. Edges lead from
//! lower to higher numbers.

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

    /// Its place among the nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A family of memory cells, one or many for each object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A field of each object.
    Field(FieldId),
    /// The elements of each array of a group with elements of a sort.
    Elements(Group, Sort),
    /// The length of each array of a group; never written.
    Length(Group),
    /// The number of the exact type of each object of a group; never written.
    Tag(Group),
    /// Where each exception was thrown first, as the number of a place; 0 until it is thrown. No operation of the program
    /// reads it. The term is the array for objects of the input heap, of which none was thrown.
    Origin(Term),
}

/// Operations between the read and the write of an update, at most.
const UPDATE: usize = 16;

/// An operation. Its terms are over the program's variables, which stand for the values that they have before it.
#[derive(Clone, Debug)]
pub enum Step {
    /// None: execution starts, branches, or comes together here.
    Nothing,
    /// `target := value` (paper 1: scalar and reference assignment, comparison of references).
    Assign {
        /// A variable.
        target: Term,
        /// The value.
        value: Term,
    },
    /// Local variables of an activation get the values that they have at first.
    Defaults(Vec<(Term, Term)>),
    /// `target := new`; the object is number `object` of [`Graph::objects`].
    New {
        /// A variable.
        target: Term,
        /// The object's number.
        object: u32,
    },
    /// `target := object.cell`; the object is not null.
    Read {
        /// A variable.
        target: Term,
        /// Which cells.
        cell: Cell,
        /// The object.
        object: Term,
        /// Its static type.
        of: Type,
        /// The index of the element.
        index: Option<Term>,
        /// What the object can be.
        points: Points,
    },
    /// `object.cell := value`; the object is not null.
    Write {
        /// Which cells.
        cell: Cell,
        /// The object.
        object: Term,
        /// The index of the element.
        index: Option<Term>,
        /// The new value.
        value: Term,
        /// A variable that holds what the cell held before, where the new value is made of that ([`Graph::note_updates`]).
        old: Option<Term>,
        /// What the object can be.
        points: Points,
    },
    /// `target := any value`: number `input` of [`Graph::inputs`].
    Input {
        /// A variable.
        target: Term,
        /// The input's number.
        input: u32,
    },
    /// Execution ends in something that may be asked for.
    Leaf(Leaf),
}

/// An end of executions that may be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    /// Number `0` of [`Graph::targets`]: what the query asks for happens.
    Target(u32),
    /// A loop or a recursion goes on beyond what was unwound.
    Cut,
    /// Number `0` of [`Graph::gaps`]: what follows is not known.
    Gap(u32),
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its operation.
    pub step: Step,
    /// Where the operation comes from.
    pub place: Place,
    /// Where control goes, and under which conditions on the variables' values after the operation. No two conditions
    /// hold together; where none holds, execution ends in nothing that is asked for.
    pub edges: SmallVec<[(Term, NodeId); 1]>,
    /// Number of edges that lead here.
    pub arrivals: u32,
    /// Whether it is the first node of an iteration of a loop.
    pub starts_iteration: bool,
}

/// An object that the unwound program allocates. A node is passed once at most, so it is one object at most.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its exact type.
    pub ty: Type,
    /// The number of elements of an array, in terms over the variables' values where it is allocated.
    pub length: Option<Term>,
    /// For an array whose elements are inputs: its number among [`Graph::inputs`].
    pub input: Option<u32>,
}

/// What a nondeterministic operation gives.
#[derive(Clone, Debug)]
pub enum Given {
    /// A value, whose term in models this is.
    Value(Term, Type),
    /// The elements of an array: an array term by index.
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
#[derive(Debug, Default)]
pub struct Graph {
    /// The nodes; [`NodeId::ENTRY`] is the first.
    pub nodes: Vec<Node>,
    /// The objects that are allocated. Number `n` is known as `n + 1` in terms.
    pub objects: Vec<Object>,
    /// What nondeterministic operations give.
    pub inputs: Vec<Given>,
    /// What the query asks for, each once.
    pub targets: Vec<(Fault, Place)>,
    /// What was not unwound, each once.
    pub gaps: Vec<aback_symbolic::Gap>,
    /// The parameters of the entry point. Their terms stand for the inputs.
    pub parameters: Vec<(Term, Type)>,
    /// What holds of the inputs, beyond their types.
    pub assumptions: Vec<Term>,
    /// Variables of static fields, with what they hold at first.
    pub statics: Vec<(Term, Term)>,
    /// Whether an execution may be cut off.
    pub is_cut: bool,
    /// A truth value of which there is one where arrays may have more elements than are looked at one by one: a quantified formula says
    /// what holds of the rest where it is true, and executions with so many elements are cut off where it is false. Solvers find
    /// counterexamples more easily without such formulas, and only with them are there proofs.
    pub quantified: Option<Term>,
    /// Why the program was not unwound to its end.
    pub stopped: Option<aback_symbolic::Gap>,
}

impl Graph {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The term of an allocated object.
    pub fn object_term(pool: &mut Pool, object: u32) -> Term {
        pool.int(i64::from(object) + 1)
    }

    /// Adds a node to which these edges lead.
    pub fn add(&mut self, from: &[(NodeId, Term)], step: Step, place: Place) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        for &(source, condition) in from {
            self.nodes[source.index()].edges.push((condition, id));
        }
        let arrivals = from.len() as u32;
        self.nodes.push(Node { step, place, edges: SmallVec::new(), arrivals, starts_iteration: false });
        id
    }

    /// Takes away what does not lead to a leaf, so that every other node can reach one as far as edges tell.
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
    /// Notes which writes are updates, as in `o.f := o.f + 1`: the cell was read into a variable that is in the new value, on
    /// the only way to the write, and neither the variable nor the cell was changed since.
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

    /// The variable that holds what the cell holds that a node writes. `before`: by node, the only one that leads there.
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

    /// The name of the family, for people.
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

/// A place without a position in a source.
pub(crate) fn nowhere(place: Place) -> Place {
    Place { span: Span::NONE, ..place }
}
