//! Executes operations on all elements of an array: comparisons, nondeterministic arrays and quantifiers.

use crate::access::Met;
use crate::engine::{Engine, Flow, TAKEN_FOR_ANOTHER};
use crate::feasibility::Side;
use crate::state::State;
use aback_heap::{Blocked, Cells, Heap, Value, sort_of};
use aback_ir::{Body, Quantifier, Type};
use aback_logic::{Pool, Sort, Term};
use aback_lower::Quantified;
use aback_symbolic::Gap;
use aback_symbolic::expr::{self, PreparedBody};
use aback_symbolic::inputs::Nondet;
use std::rc::Rc;

/// Greatest known length of an array over which a quantifier is unfolded.
const UNFOLD_LIMIT: i64 = 4096;
/// Greatest upper bound of the length of an array whose elements are stored or compared one by one.
const CELLS_LIMIT: i64 = 1024;
/// Number of elements for which the solver is asked whether an array of unknown length has no more.
const CELLS_BOUND: i64 = 64;

impl<H: Heap> Engine<'_, H> {
    /// The upper bound of an array length that is a term, if intervals know one that is small.
    pub(crate) fn most_elements(&self, state: &State<H>, length: Value) -> Option<usize> {
        let Value::Term(term) = length else { return None };
        let most = state.path.domain().interval(&self.pool, term).high?.as_i64()?;
        usize::try_from(most).ok().filter(|_| most <= CELLS_LIMIT)
    }

    /// An upper bound that the solver proves for one of two lengths, if intervals know none.
    fn proved_bound(&mut self, state: &mut State<H>, lengths: [Value; 2]) -> Result<i64, Flow> {
        let longest =
            self.program.input_strings().and_then(|strings| strings.most).map_or(0, |most| 2 * i64::from(most));
        let bound = longest.max(CELLS_BOUND);
        for length in lengths {
            let beyond = self.less(Value::Int(bound), length);
            if matches!(self.trap_sides(state, beyond).yes, Side::Infeasible) {
                let within = self.pool.not(beyond);
                return if self.assume(state, within) { Ok(bound) } else { Err(Flow::End) };
            }
        }
        Err(self.unsupported(state, "a comparison of arrays of unknown length"))
    }

    /// Whether two arrays have the same length and the same elements.
    pub(crate) fn alike(&mut self, state: &mut State<H>, left: Value, right: Value, ty: Type) -> Result<Value, Flow> {
        let (Type::Array(array), index_type) = (ty, self.program.index_type()) else {
            return Err(self.unsupported(state, "an array comparison of values that are not arrays"));
        };
        let element = self.program.element_type(array);
        let mut lengths = [Value::Null; 2];
        for (length, array) in lengths.iter_mut().zip([left, right]) {
            let found = self.access(state, |heap, scope| heap.array_length(scope, array, ty))?;
            *length = self.settle(state, found, index_type);
        }
        let most = lengths.iter().filter_map(|&length| match length {
            Value::Int(length) => Some(length),
            length => self.most_elements(state, length).and_then(|most| i64::try_from(most).ok()),
        });
        let most = match most.min() {
            Some(most) => most,
            None => self.proved_bound(state, lengths)?,
        };
        let same_length = Value::equals(&mut self.pool, lengths[0], lengths[1], index_type);
        if state.path.domain().decide(&self.pool, same_length) == Some(false) {
            return Ok(Value::Bool(false));
        }
        let mut parts = vec![same_length];
        // A known length decides which elements exist.
        let length = if matches!(lengths[1], Value::Int(_)) { lengths[1] } else { lengths[0] };
        for index in 0..most {
            let at = Value::Int(index);
            let mut elements = [Value::Null; 2];
            for (value, array) in elements.iter_mut().zip([left, right]) {
                *value = self.access(state, |heap, scope| heap.read_element(scope, (array, ty), element, at))?;
            }
            let equal = Value::equals(&mut self.pool, elements[0], elements[1], element);
            if equal == Pool::TRUE {
                continue;
            }
            let is_there = self.less(at, length);
            let is_beyond = self.pool.not(is_there);
            let part = self.pool.or(is_beyond, equal);
            if part == Pool::FALSE {
                return Ok(Value::Bool(false));
            }
            parts.push(part);
        }
        let all = self.pool.and_all(&parts);
        Ok(Value::from_term(&self.pool, all, Type::Bool))
    }

    /// A new array with any elements.
    pub(crate) fn nondet_array(&mut self, state: &mut State<H>, element: Type, length: Value) -> Result<Value, Flow> {
        let few = match length {
            Value::Int(length) => usize::try_from(length).ok().filter(|_| length <= CELLS_LIMIT),
            _ => self.most_elements(state, length),
        };
        let (cells, nondet) = match few {
            Some(few) => {
                let cells = (0..few).map(|_| self.input_value(state, "element", element));
                let cells: Vec<Value> = cells.collect::<Option<_>>().ok_or(Flow::End)?;
                (Cells::Dense(cells.clone()), Nondet::Elements { cells: cells.into(), array: None, length, element })
            }
            None if element.is_reference() => {
                return Err(self.unsupported(state, "a large input array of references"));
            }
            None => {
                let sort = self.pool.array_sort(sort_of(self.program.index_type()), sort_of(element));
                let array = self.pool.fresh_var("elements", sort);
                (Cells::of(array), Nondet::Elements { cells: Rc::default(), array: Some(array), length, element })
            }
        };
        state.give(nondet);
        self.access(state, |heap, scope| heap.allocate_array(scope, element, length, cells))
    }

    /// The truth of a quantified condition about an array that is not null.
    pub(crate) fn quantify(
        &mut self,
        state: &mut State<H>,
        body: &Body,
        code: &PreparedBody,
        &Quantified { quantifier, array, index, element, condition }: &Quantified,
    ) -> Result<Value, Flow> {
        let (array_type, array) = (code.type_of(array), self.eval(state, body, code, array));
        let forall = quantifier == Quantifier::ForAll;
        let element_type = body.local(element).ty;
        let length = self.access(state, |heap, scope| heap.array_length(scope, array, array_type))?;
        let index_type = self.program.index_type();
        if let Value::Int(length) = self.settle(state, length, index_type)
            && length <= UNFOLD_LIMIT
        {
            let mut parts = Vec::new();
            for i in 0..length {
                let at = Value::Int(i);
                let value =
                    self.access(state, |heap, scope| heap.read_element(scope, (array, array_type), element_type, at))?;
                state.frame.locals[index.index()] = at;
                state.frame.locals[element.index()] = value;
                match self.eval(state, body, code, condition) {
                    Value::Bool(truth) if truth == forall => {}
                    Value::Bool(truth) => return Ok(Value::Bool(truth)),
                    value => parts.push(value.to_term(&mut self.pool, Type::Bool)),
                }
            }
            let all = if forall { self.pool.and_all(&parts) } else { self.pool.or_all(&parts) };
            return Ok(Value::from_term(&self.pool, all, Type::Bool));
        }
        if index_type != Type::Int || body.local(index).ty != Type::Int || expr::is_vague(body, condition) {
            // Terms cannot quantify over machine integers yet: any truth value is possible.
            let place = self.place(state);
            let construct =
                "a quantifier over an array of unknown length with machine integers or conversions".to_string();
            self.gap(Gap::Unsupported { construct, place });
            return Ok(Value::Term(self.pool.fresh_var("quantified", Sort::Bool)));
        }
        let name = &body.local(index).name;
        let variable = self.pool.fresh_var(name, Sort::Int);
        let mut met = Met::default();
        // What the heap notes about the element of a variable that the quantifier binds must not stay.
        let mut heap = state.heap.clone();
        let value = self.on_heap(&state.path, state.observer.is_some(), &mut met, |scope| {
            heap.read_element(scope, (array, array_type), element_type, Value::Term(variable))
        });
        let value = match value {
            Ok(value) => value,
            Err(Blocked::Split(_)) => {
                return Err(self.unsupported(state, "a quantifier over an array for whose elements the heap splits"));
            }
            Err(_) => return Err(self.unsupported(state, TAKEN_FOR_ANOTHER)),
        };
        state.frame.locals[index.index()] = Value::Term(variable);
        state.frame.locals[element.index()] = value;
        let looks_at_element = expr::mentions(body, condition, element);
        let condition = self.eval(state, body, code, condition).to_term(&mut self.pool, Type::Bool);
        let length = length.to_term(&mut self.pool, index_type);
        if !met.axioms().is_empty() && looks_at_element {
            // The axioms for references to the input heap hold for all elements.
            let axiom = self.pool.and_all(met.axioms());
            let axiom = self.pool.quantified(true, variable, Pool::ZERO, length, axiom);
            if !self.assume(state, axiom) {
                return Err(Flow::End);
            }
        }
        let term = self.pool.quantified(forall, variable, Pool::ZERO, length, condition);
        Ok(Value::from_term(&self.pool, term, Type::Bool))
    }

    /// `a < b` for two indices.
    fn less(&mut self, a: Value, b: Value) -> Term {
        let less = expr::less(&mut self.pool, a, b, self.program.index_type());
        less.to_term(&mut self.pool, Type::Bool)
    }
}
