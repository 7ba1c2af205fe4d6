//! Turns a model into the path through the graph that it describes.
//!
//! The graph is executed forward on the inputs of the model. So the path, and the results of nondeterministic
//! operations on it, are computed in the same way for every strategy.

use crate::conditions::Context;
use crate::conditions::heap::is_row;
use crate::graph::{Cell, Given, Graph, Leaf, NodeId, Step};
use aback_heap::Value as HeapValue;
use aback_ir::Type;
use aback_logic::{Evaluator, Integer, Model, Node, Pool, Term, Value};
use aback_symbolic::inputs::Nondet;
use rustc_hash::FxHashMap;

/// An execution of the graph.
#[derive(Debug)]
pub(crate) struct Walk {
    /// The leaf at which it ends.
    pub leaf: Leaf,
    /// The results of nondeterministic operations on it, in order.
    pub given: Vec<(Term, Nondet)>,
    /// Number of nodes on it.
    pub nodes: u64,
}

/// Executes the graph on the inputs of a model; `None` if it does not reach a leaf.
pub(crate) fn walk(cx: &mut Context, model: &mut Evaluator) -> Option<Walk> {
    let mut walker = Walker { values: Model::default(), cells: FxHashMap::default(), model };
    for &(parameter, _) in &cx.graph.parameters {
        let value = walker.model.value(cx.pool, parameter)?;
        walker.set(cx, parameter, value);
    }
    for &(variable, default) in &cx.graph.statics {
        let value = walker.value(cx, default)?;
        walker.set(cx, variable, value);
    }
    let graph = cx.graph;
    let (mut given, mut nodes) = (Vec::new(), 0);
    let mut at = NodeId::ENTRY;
    loop {
        nodes += 1;
        let node = graph.node(at);
        match &node.step {
            Step::Leaf(leaf) => return Some(Walk { leaf: *leaf, given, nodes }),
            Step::Nothing => {}
            Step::Assign { target, value } => {
                let value = walker.value(cx, *value)?;
                walker.set(cx, *target, value);
            }
            Step::Defaults(values) => {
                for &(target, value) in values {
                    let value = walker.value(cx, value)?;
                    walker.set(cx, target, value);
                }
            }
            Step::New { target, object } => {
                let id = Graph::object_term(cx.pool, *object);
                let value = walker.value(cx, id)?;
                walker.set(cx, *target, value);
                given.extend(walker.allocate(cx, *object)?.map(|given| (Pool::TRUE, given)));
            }
            Step::Read { target, cell, object, index, .. } => {
                let value = walker.read(cx, *cell, *object, *index)?;
                walker.set(cx, *target, value);
            }
            Step::Write { cell, object, index, value, .. } => {
                let at = walker.place(cx, *object, *index)?;
                let value = walker.value(cx, *value)?;
                walker.cells.insert((*cell, at), value);
            }
            Step::Input { target, input } => {
                let Some(&Given::Value(term, ty)) = graph.inputs.get(*input as usize) else { return None };
                let value = walker.model.value(cx.pool, term)?;
                walker.set(cx, *target, value);
                given.push((Pool::TRUE, Nondet::Value(term, ty)));
            }
        }
        let mut next = None;
        for &(condition, to) in &node.edges {
            if walker.value(cx, condition)? == Value::Bool(true) {
                next = Some(to);
                break;
            }
        }
        at = next?;
    }
}

/// An object and the index of an element.
type Place = (Integer, Option<Value>);

struct Walker<'m> {
    /// Values of the program variables.
    values: Model,
    /// Cells that were written, and cells of allocated objects that do not hold default values.
    cells: FxHashMap<(Cell, Place), Value>,
    model: &'m mut Evaluator,
}

impl Walker<'_> {
    fn set(&mut self, cx: &Context, variable: Term, value: Value) {
        if let Node::Var(id) = *cx.pool.node(variable) {
            self.values.set(id, value);
        }
    }

    /// The value of a term over the program variables and inputs.
    fn value(&mut self, cx: &Context, term: Term) -> Option<Value> {
        if let Node::Var(id) = *cx.pool.node(term) {
            return match self.values.get(id) {
                Some(value) => Some(value.clone()),
                None => self.model.value(cx.pool, term),
            };
        }
        let mut values = Model::default();
        for id in cx.pool.free_variables(&[term]) {
            let variable = cx.pool.variable_term(id);
            let value = match self.values.get(id) {
                Some(value) => value.clone(),
                None => self.model.value(cx.pool, variable)?,
            };
            values.set(id, value);
        }
        Evaluator::new(values).value(cx.pool, term)
    }

    fn place(&mut self, cx: &Context, object: Term, index: Option<Term>) -> Option<Place> {
        let object = self.value(cx, object)?.as_int()?.clone();
        let index = match index {
            Some(index) => Some(self.value(cx, index)?),
            None => None,
        };
        Some((object, index))
    }

    fn read(&mut self, cx: &mut Context, cell: Cell, object: Term, index: Option<Term>) -> Option<Value> {
        let place = self.place(cx, object, index)?;
        if is_row(cell, index) {
            return self.read_row(cx, cell, place.0);
        }
        if let Some(value) = self.cells.get(&(cell, place.clone())) {
            return Some(value.clone());
        }
        let allocated = place.0.as_i64().filter(|&id| id > 0).and_then(|id| u32::try_from(id - 1).ok());
        if let Some(object) = allocated {
            let (value, _) = cx.new_cell(object, cell, index)?;
            return self.value(cx, value);
        }
        let array = cx.input_array(cell);
        let Value::Array(cells) = self.model.value(cx.pool, array)? else { return None };
        match (cells.get(&Value::Int(place.0)), place.1) {
            (Value::Array(row), Some(index)) => Some(row.get(&index).clone()),
            (value, _) => Some(value.clone()),
        }
    }

    /// Reads all elements of an array.
    fn read_row(&mut self, cx: &mut Context, cell: Cell, object: Integer) -> Option<Value> {
        let allocated = object.as_i64().filter(|&id| id > 0).and_then(|id| u32::try_from(id - 1).ok());
        let row = match allocated {
            Some(object) => {
                let (value, _) = cx.new_cell(object, cell, None)?;
                self.value(cx, value)?
            }
            None => {
                let array = cx.input_array(cell);
                let Value::Array(rows) = self.model.value(cx.pool, array)? else { return None };
                rows.get(&Value::Int(object.clone())).clone()
            }
        };
        let Value::Array(row) = row else { return None };
        let mut row = (*row).clone();
        for ((of, (written, index)), value) in &self.cells {
            if let (true, Some(index)) = (*of == cell && *written == object, index) {
                row.set(index.clone(), value.clone());
            }
        }
        Some(Value::Array(row.into()))
    }

    /// Stores the length of a new object, and returns the inputs that are its elements, if any.
    fn allocate(&mut self, cx: &mut Context, object: u32) -> Option<Option<Nondet>> {
        let allocated = cx.graph.objects[object as usize].clone();
        let (Type::Array(_), Some(length)) = (allocated.ty, allocated.length) else { return Some(None) };
        let length = self.value(cx, length)?;
        let Some(group) = cx.layout.group(allocated.ty) else { return Some(None) };
        let id = Integer::from(i64::from(object) + 1);
        self.cells.insert((Cell::Length(group), (id, None)), length.clone());
        let given = allocated.input.and_then(|input| cx.graph.inputs.get(input as usize));
        let Some(&Given::Elements { array, element, .. }) = given else { return Some(None) };
        let length = match length {
            Value::Int(length) => length.as_i64(),
            Value::Bv(width, bits) => Integer::from_signed_bits(bits, width).as_i64(),
            _ => None,
        };
        let length = HeapValue::Int(length?);
        Some(Some(Nondet::Elements { cells: [].into(), array: Some(array), length, element }))
    }
}
