//! Looks for the rest of the inputs of a path that has come to its end: continues the path behind its end, in the heap at
//! entry, by methods that say whether inputs are valid and by decisions about the references on which the observer of the
//! path waits.

use crate::config::Search;
use crate::engine::{Engine, Flow, PathModel};
use crate::feasibility::Side;
use crate::frontier::Frontier;
use crate::state::{Holding, State};
use aback_heap::{Heap, Source, Value};
use aback_logic::Term;
use aback_smt::Feasibility;
use aback_witness::Inputs;

/// Most operations of a search. The decision of a reference counts as one.
const MOST_OPERATIONS: u64 = 10_000;
/// Number of operations that cost as much as another object: inputs with few objects are preferred, but no loop keeps the
/// search from adding one.
const COST_OF_OBJECT: u64 = 200;

/// What is known about the inputs of a path.
pub(crate) enum Completed<H> {
    /// The state in which all is decided of some that are valid, or that the observer accepts if no valid ones were found;
    /// and a model of it.
    Found(Box<State<H>>, PathModel),
    /// There are none that the observer accepts.
    Impossible,
    /// There are no valid ones.
    Invalid,
    /// None were found, or nothing restricts inputs.
    Unknown,
}

/// The rank of a state of a search that has added objects to the inputs.
pub(crate) fn rank(depth: u64, added: u64) -> u64 {
    depth.saturating_add(added.saturating_mul(COST_OF_OBJECT))
}

impl<H: Heap> Engine<'_, H> {
    /// Looks for inputs of a path that ends where a condition holds.
    pub(crate) fn completed(&mut self, state: &State<H>, condition: Term, model: &PathModel) -> Completed<H> {
        let mut known = Completed::Unknown;
        if !self.valid.guards.is_empty() {
            known = self.search(state, condition, model, true);
            if matches!(known, Completed::Found(..)) || state.observer.is_none() {
                return known;
            }
        }
        if state.observer.is_none() {
            return known;
        }
        match self.search(state, condition, model, false) {
            Completed::Invalid => Completed::Impossible,
            // The invariants do not say what is valid.
            Completed::Found(..) if self.valid.required => known,
            found => found,
        }
    }

    /// Looks for inputs that the observer accepts, and the checks of validity if `is_checked`. [`Completed::Invalid`] if
    /// there are none.
    fn search(&mut self, state: &State<H>, condition: Term, model: &PathModel, is_checked: bool) -> Completed<H> {
        // Nothing catches what the checks throw: the path is over.
        let mut first = state.clone();
        first.heap = first.heap.before();
        first.added = Some(0);
        let frontier = std::mem::replace(&mut self.frontier, Frontier::new(Search::Directed));
        let (gaps, paths) = (std::mem::take(&mut self.result.gaps), self.result.work.paths);
        self.completing = Some(None);
        if self.take(&mut first, condition, Side::Feasible(model.clone()))
            && (!is_checked || self.call_guards(&mut first, Holding::Fully))
        {
            self.enqueue(first);
        }
        let end = self.result.work.operations + MOST_OPERATIONS;
        while matches!(self.completing, Some(None))
            && self.result.work.operations < end
            && !self.is_out_of_time()
            && let Some(state) = self.frontier.pop()
        {
            self.execute(state);
        }
        let is_complete = self.frontier.len() == 0;
        self.frontier = frontier;
        self.result.work.paths = paths;
        let gaps = std::mem::replace(&mut self.result.gaps, gaps);
        let found = self.completing.take().flatten();
        let always = self.pool.bool(true);
        match found {
            Some(found) => match self.chain.check(&mut self.pool, &found.path, always) {
                Feasibility::Feasible(model) => Completed::Found(found, model),
                _ => Completed::Unknown,
            },
            None if is_complete && gaps.is_empty() && !self.pool.is_stopped() => Completed::Invalid,
            None => Completed::Unknown,
        }
    }

    /// Continues a search where no method runs: decides the next reference on which the observer waits. The search is over
    /// if there is none.
    pub(crate) fn complete(&mut self, mut state: State<H>) {
        loop {
            state.depth += 1;
            self.result.work.operations += 1;
            let open = match &mut state.observer {
                Some(observer) if !observer.is_possible() => return self.finish(),
                Some(observer) => observer.next_open(),
                None => None,
            };
            let Some(open) = open else {
                self.completing = Some(Some(Box::new(state)));
                return self.finish();
            };
            match self.decide_open(&mut state, open) {
                Ok(()) => {}
                Err(Flow::Moved) => return,
                Err(_) => return self.finish(),
            }
        }
    }

    /// Reads a reference of the heap at entry, so that it gets a meaning.
    fn decide_open(&mut self, state: &mut State<H>, source: Source) -> Result<(), Flow> {
        match source {
            Source::Root(number) => {
                let mut references = self.arguments.iter().filter(|(_, ty)| ty.is_reference());
                let Some(&(root, ty)) = references.nth(number) else { return Ok(()) };
                self.access(state, |heap, scope| heap.decide(scope, root, ty)).map(|_| ())
            }
            Source::Field(object, field) => {
                self.access(state, |heap, scope| heap.read_field(scope, Value::Term(object), field)).map(|_| ())
            }
            Source::Element(..) => Ok(()),
        }
    }

    /// The inputs that a path has if its model is the given one, or those that were found, and the numbers of their
    /// objects in the model. The observer of the path is told.
    pub(crate) fn told_inputs(
        &self,
        state: &State<H>,
        model: PathModel,
        completed: &Completed<H>,
    ) -> (Inputs, Vec<Option<i64>>) {
        let (state, model) = match completed {
            Completed::Found(state, model) => (&**state, model),
            _ => (state, &model),
        };
        let (inputs, objects) = self.inputs_of(state, model);
        if let Some(observer) = &state.observer {
            observer.found(&objects);
        }
        (inputs, objects)
    }
}
