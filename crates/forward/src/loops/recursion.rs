//! Executes recursive methods at all depths of calls at once.
//!
//! When a method calls itself, directly or through others, its body is executed once on arguments of which nothing is known
//! but what all nested calls keep. Calls in it that nest deeper are replaced by a *contract*: what holds between the arguments, the
//! numbers in the heap that the method changes, and the result. A contract starts as "no call returns". Each way
//! through the body that returns with something else adds a sample to it, and the contract says what all samples have in
//! common, until no way gives another sample (the best abstraction of a transformer, found by models of a solver: Reps, Sagiv
//! and Yorsh, 2004). By induction on the depth of calls, it then holds of every call that returns.
//!
//! The path goes on in two ways. Behind the call, only the contract is known of it. And within it, the body is executed once more as the
//! activation, at any depth, in which something happens that does not return: a violation, or an exception. What activations around it
//! have changed before they made their calls is unknown there, even if none of them ever returns.

use super::contract::{Change, Contract, Parameter, Seen};
use super::{Part, Region, Way};
use crate::engine::{Engine, Flow};
use crate::state::{Frame, State};
use aback_heap as heap;
use aback_heap::{Content, Heap, Value, sort_of};
use aback_ir::{LocalId, MethodId, Type};
use aback_logic::{Pool, Term};
use aback_loops::at_most;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Most executions of the body until a contract is found.
const MOST_ROUNDS: usize = 40;
/// After so many calls without a contract, none is looked for any more.
const MOST_FAILURES: u32 = 3;

/// What activations that look for a contract have changed when they make nested calls.
pub(crate) struct Descents<H> {
    contract: Rc<Contract>,
    /// The heap at the start of the activation.
    start: H,
    /// The variables of terms before the search.
    floor: usize,
    /// `None` if something changes that is in no place.
    places: Option<BTreeSet<heap::Place>>,
}

impl<H: Heap> Engine<'_, H> {
    /// Executes a call of a method that is running already by its contract, if one is found. The path goes on as the flow
    /// says.
    pub(crate) fn call_recursively(
        &mut self,
        state: &mut State<H>,
        method: MethodId,
        args: &[Value],
        result: Option<LocalId>,
    ) -> Option<Flow> {
        let calls = state.summarised.regions.iter().rev().filter_map(|region| match &region.part {
            Part::Call { contract, .. } => Some((region.frames, region.way, Rc::clone(contract))),
            Part::Loop(_) => None,
        });
        let calls: Vec<(usize, Way, Rc<Contract>)> = calls.collect();
        if let Some((frames, way, contract)) = calls.iter().find(|(_, _, contract)| contract.method == method) {
            return Some(self.nest(state, contract, (*frames, *way), args, result));
        }
        let base = calls.first().map_or(1, |(frames, _, _)| *frames);
        let is_running = state.frames().take(state.frames + 1 - base).any(|frame| frame.method == method);
        let is_open = args.iter().any(|value| matches!(value, Value::Term(_)));
        if !is_running || !is_open || self.contract_failures.get(&method).is_some_and(|&count| count >= MOST_FAILURES) {
            return None;
        }
        let Some((contract, within)) = self.contract(state, method, args, result) else {
            *self.contract_failures.entry(method).or_default() += 1;
            return None;
        };
        self.enqueue(within);
        Some(self.apply(state, &contract, args, result))
    }

    /// Replaces a call within an activation of which only the contract is known. `frames` is the number of frames of that one.
    fn nest(
        &mut self,
        state: &mut State<H>,
        contract: &Rc<Contract>,
        (frames, way): (usize, Way),
        args: &[Value],
        result: Option<LocalId>,
    ) -> Flow {
        let program = self.program;
        let has_handlers = |frame: &Frame| {
            program.body(frame.method).is_none_or(|body| !body.block(frame.at.block).handlers.is_empty())
        };
        let is_same = |(parameter, arg): (&Parameter, &Value)| match parameter {
            Parameter::Any(..) => true,
            Parameter::Same(value) => value == arg,
        };
        // An exception in a nested call would get to a handler here.
        if state.frames().take(state.frames + 1 - frames).any(has_handlers)
            || !contract.parameters.iter().zip(args).all(is_same)
        {
            self.leave_open(state);
            return Flow::End;
        }
        if way == Way::Iterating {
            self.note_descent(state, contract);
            let pairs = self.arguments(contract, args);
            for &required in &contract.requires {
                let holds = self.pool.substitute(required, &pairs);
                let fails = self.pool.not(holds);
                if !contract.broken.borrow().contains(&required) && !self.excludes(&state.path, fails) {
                    contract.broken.borrow_mut().insert(required);
                }
            }
        }
        self.apply(state, contract, args, result)
    }

    /// Notes what has changed in the heap since the start of an activation that makes a nested call.
    fn note_descent(&mut self, state: &State<H>, contract: &Rc<Contract>) {
        let is_about = |descents: &Descents<H>| Rc::ptr_eq(&descents.contract, contract);
        let Some(at) = self.descents.iter().rposition(is_about) else { return };
        let Descents { start, floor, .. } = &self.descents[at];
        let (start, floor) = (start.clone(), *floor);
        let changed = self.in_scope(state, |heap, scope| heap.differences(scope, &start, floor));
        let places = &mut self.descents[at].places;
        match (places.as_mut(), changed) {
            (Some(places), Some(changed)) => places.extend(changed),
            _ => *places = None,
        }
    }

    /// The variables of a contract for arguments, with the arguments of a call.
    fn arguments(&mut self, contract: &Contract, args: &[Value]) -> Vec<(Term, Term)> {
        let pairs = contract.parameters.iter().zip(args).filter_map(|(parameter, arg)| match parameter {
            Parameter::Any(term, ty) => Some((*term, arg.to_term(&mut self.pool, *ty))),
            Parameter::Same(_) => None,
        });
        pairs.collect()
    }

    /// Goes on behind a call of which only the contract is known.
    fn apply(&mut self, state: &mut State<H>, contract: &Contract, args: &[Value], result: Option<LocalId>) -> Flow {
        let mut pairs = self.arguments(contract, args);
        for change in &contract.changes {
            let Some(before) = self.number_at(state, change.place) else {
                self.leave_open(state);
                return Flow::End;
            };
            let after = self.pool.fresh_var("after", sort_of(change.ty));
            pairs.extend([(change.before, before), (change.after, after)]);
            self.set_number(state, change, after);
        }
        let returned = contract.result.map(|(term, ty)| {
            let returned = self.pool.fresh_var("returned", sort_of(ty));
            pairs.push((term, returned));
            returned
        });
        match (result, returned) {
            (Some(local), Some(returned)) => state.frame.locals[local.index()] = Value::Term(returned),
            (None, _) => {}
            // The first call does not use the result, and this one does.
            (Some(_), None) => {
                self.leave_open(state);
                return Flow::End;
            }
        }
        state.frame.at.op += 1;
        let holds = self.pool.substitute(contract.ensures, &pairs);
        let side = self.possible(state, holds);
        if self.take(state, holds, side) { Flow::Jumped } else { Flow::End }
    }

    /// The contract of a method that a state is about to call, and the state in an activation of which only that is known.
    fn contract(
        &mut self,
        state: &State<H>,
        method: MethodId,
        args: &[Value],
        result: Option<LocalId>,
    ) -> Option<(Rc<Contract>, State<H>)> {
        let floor = self.pool.variables().count();
        let mut contract = self.first_contract(state, method, args, result)?;
        let mut seen = Seen::default();
        for round in 0..MOST_ROUNDS {
            let current = Rc::new(contract);
            let start = self.activation(state, &current, args, result)?;
            // What is left open would not be covered.
            let gaps = std::mem::take(&mut self.result.gaps);
            let open = self.open.len();
            let (of, heap) = (Rc::clone(&current), start.heap.clone());
            self.descents.push(Descents { contract: of, start: heap, floor, places: Some(BTreeSet::new()) });
            let collected = self.collect(start.clone());
            let descents = self.descents.pop()?;
            let is_complete = self.result.gaps.is_empty() && self.open.len() == open;
            self.result.gaps = gaps;
            self.open.truncate(open);
            let ends = collected.filter(|_| is_complete)?.ends;
            let changes = self.changes_of(&start, &ends, descents, &current)?;
            let is_changed = !changes.is_empty();
            let mut next = Contract {
                method,
                parameters: current.parameters.clone(),
                changes: [&current.changes[..], &changes].concat(),
                result: current.result,
                requires: current.requires.clone(),
                ensures: current.ensures,
                broken: RefCell::default(),
            };
            self.note_constants(&start, &ends, &next, &mut seen);
            let broken = current.broken.borrow();
            next.requires.retain(|required| !broken.contains(required));
            if is_changed {
                // Samples say nothing of what was not known to change.
                seen.samples.clear();
                seen.given_up.clear();
            } else {
                next.ensures = self.generalised(&next, &ends, result, &mut seen)?;
            }
            if round == 0 {
                next.requires = self.requirements(state, &next, args, &seen);
            } else if !is_changed && broken.is_empty() && next.ensures == current.ensures {
                drop(broken);
                let mut within = start;
                within.summarised.regions.last_mut()?.way = Way::Leaving;
                return Some((current, within));
            }
            if is_changed {
                next.ensures = Pool::FALSE;
            }
            drop(broken);
            contract = next;
        }
        None
    }

    /// That no call returns.
    fn first_contract(
        &mut self,
        state: &State<H>,
        method: MethodId,
        args: &[Value],
        result: Option<LocalId>,
    ) -> Option<Contract> {
        let (callee, caller) = (self.program.body(method)?, self.program.body(state.frame.method)?);
        let parameters = args.iter().zip(&callee.locals).map(|(&arg, local)| match local.ty.is_reference() {
            true => Parameter::Same(arg),
            false => Parameter::Any(self.pool.fresh_var("argument", sort_of(local.ty)), local.ty),
        });
        let parameters = parameters.collect();
        let result = match result {
            Some(local) => {
                let ty = caller.local(local).ty;
                if ty.is_reference() {
                    return None;
                }
                Some((self.pool.fresh_var("result", sort_of(ty)), ty))
            }
            None => None,
        };
        Some(Contract {
            method,
            parameters,
            changes: Vec::new(),
            result,
            requires: Vec::new(),
            ensures: Pool::FALSE,
            broken: RefCell::default(),
        })
    }

    /// The state at the start of an activation of which only the contract is known.
    fn activation(
        &mut self,
        state: &State<H>,
        contract: &Rc<Contract>,
        args: &[Value],
        result: Option<LocalId>,
    ) -> Option<State<H>> {
        let mut start = state.clone();
        let back = aback_ir::Point { op: start.frame.at.op + 1, ..start.frame.at };
        let parameters = contract.parameters.iter().zip(args).map(|(parameter, _)| match parameter {
            Parameter::Any(term, _) => Value::Term(*term),
            Parameter::Same(value) => *value,
        });
        let parameters: Vec<Value> = parameters.collect();
        for change in &contract.changes {
            self.set_number(&mut start, change, change.before);
        }
        if !self.assume_all(&mut start, &contract.requires) {
            return None;
        }
        if !matches!(self.enter_for(&mut start, contract.method, &parameters, result, None), Flow::Jumped) {
            return None;
        }
        let part = Part::Call { contract: Rc::clone(contract), back };
        let region = Region { frames: start.frames, part, way: Way::Iterating };
        start.summarised.regions.push(region);
        Some(start)
    }

    /// What calls have changed in the heap at their ends, or before they make other calls, and that is not known to change. `None` if it
    /// is no number.
    fn changes_of(
        &mut self,
        start: &State<H>,
        ends: &[State<H>],
        descents: Descents<H>,
        contract: &Contract,
    ) -> Option<Vec<Change>> {
        let mut places: Vec<heap::Place> = descents.places?.into_iter().collect();
        for end in ends {
            places.extend(self.in_scope(end, |heap, scope| heap.differences(scope, &start.heap, descents.floor))?);
        }
        let mut found: Vec<Change> = Vec::new();
        for place in places {
            let is_known = |change: &Change| change.place == place;
            if contract.changes.iter().any(is_known) || found.iter().any(is_known) {
                continue;
            }
            let (heap::Place::Static(_) | heap::Place::Field(..)) = place else { return None };
            let Some(Content::Value(_, ty)) = self.in_scope(start, |heap, scope| heap.content(scope, place)) else {
                return None;
            };
            if ty.is_reference() {
                return None;
            }
            let [before, after] = ["before", "after"].map(|name| self.pool.fresh_var(name, sort_of(ty)));
            found.push(Change { place, before, after, ty });
        }
        Some(found)
    }

    pub(super) fn number_at(&mut self, state: &State<H>, place: heap::Place) -> Option<Term> {
        let content = self.in_scope(state, |heap, scope| heap.content(scope, place))?;
        Some(self.term(content))
    }

    fn set_number(&mut self, state: &mut State<H>, change: &Change, number: Term) {
        let content = Content::Value(Value::Term(number), change.ty);
        self.change_heap(state, |heap, scope| heap.set_content(scope, change.place, content));
    }

    /// What holds of the arguments of the first call, and may hold of those of all.
    fn requirements(&mut self, state: &State<H>, contract: &Contract, args: &[Value], seen: &Seen) -> Vec<Term> {
        let pairs = self.arguments(contract, args);
        let numbers: Vec<(Term, Type)> = contract.arguments().into_iter().filter(|(_, ty)| *ty != Type::Bool).collect();
        let mut candidates = Vec::new();
        for &(number, ty) in &numbers {
            for threshold in &seen.thresholds {
                let bound = self.constant(threshold, ty);
                candidates.push(at_most(&mut self.pool, bound, number));
                candidates.push(at_most(&mut self.pool, number, bound));
            }
            for &(other, _) in numbers.iter().filter(|(other, other_ty)| *other != number && *other_ty == ty) {
                let is_at_most = at_most(&mut self.pool, other, number);
                candidates.extend([is_at_most, self.pool.not(is_at_most)]);
            }
        }
        let mut kept = Vec::new();
        for candidate in candidates {
            let holds = self.pool.substitute(candidate, &pairs);
            let fails = self.pool.not(holds);
            if !kept.contains(&candidate) && self.excludes(&state.path, fails) {
                kept.push(candidate);
            }
        }
        kept
    }
}
